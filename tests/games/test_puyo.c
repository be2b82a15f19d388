// The versus match: nuisance, clocks, losing, what players may know. Each rule has a scripted match.
#include "games/conformance.h"
#include "games/puyo/match.h"
#include "test.h"

static const game *g;

static int setup(void **state)
{
    (void)state;
    return game_find("puyo", &g) == ERR_OK ? 0 : -1;
}

// --- scripting

static py_match match(const char *options)
{
    py_match m;
    assert_ok(py_match_init(&m, options, (game_key){1, 2}));
    return m;
}

static void set_field(py_match *m, int p, const char *text)
{
    assert_ok(py_field_parse(text, &m->side[p].field));
}

static uint8_t pair_of(const char *two)
{
    return (uint8_t)(py_code(two[0]) | py_code(two[1]) << 4);
}

// Plays a pair that is given now instead of the one in the sequence.
static void play(py_match *m, const char *pair, const char *move, step_event ev[2])
{
    step_event both[2];
    move_t id;
    py_match obs;
    m->side[py_match_seat(m)].window[0] = pair_of(pair);
    py_match_observe(m, py_match_seat(m), &obs);
    assert_ok(g->move_parse(&obs, move, &id));
    py_match_play(m, id, ev != NULL ? ev : both);
}

// What fires. ONE: RG at 1u pops four R, 40 points. THREE: RR at 2u makes three links of four, 1,000 points in 196 frames,
// and leaves nothing.
#define ONE   "R...../R...../R....."
#define THREE "...Y../..GY../..GY../..YG../R.RG.."

// --- nuisance

static void rate_table(void **state)
{
    (void)state;
    static const struct {
        uint32_t second, rate;
    } table[] = {{0, 70},  {95, 70}, {96, 52}, {111, 52}, {112, 34}, {128, 25}, {144, 16}, {160, 12},
                 {176, 8}, {192, 6}, {208, 4}, {224, 3},  {240, 2},  {256, 1},  {1000, 1}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(py_nuisance_rate(table[i].second * 60), table[i].rate);
    assert_int_equal(py_nuisance_rate(96 * 60 - 1), 70);
    assert_int_equal(py_nuisance_rate(112 * 60 - 1), 52);
}

// 1,000 points are 14 nuisance, and 20 carry over to the next chain.
static void sending_and_carry(void **state)
{
    (void)state;
    py_match m = match("drop=0");
    step_event ev[2];
    set_field(&m, 0, THREE);
    m.side[1].clock = 1; // no tie: player 1 chooses alone
    play(&m, "RR", "2u", ev);
    assert_int_equal(ev[0].chain, 3);
    assert_int_equal(ev[0].points, 1000);
    assert_int_equal(ev[0].sent, 14);
    assert_int_equal(m.side[0].carry, 20);
    assert_int_equal(m.side[0].score, 1000);
    assert_int_equal(m.side[1].coming, 14);
    assert_int_equal(m.side[1].pending, 0);
    assert_true(m.side[0].due);
    // 20 + 40 is still no nuisance; 60 + 40 is one.
    py_match again = match("drop=0");
    again.side[1].clock = 1;
    again.side[0].carry = 20;
    set_field(&again, 0, ONE);
    play(&again, "RG", "1u", ev);
    assert_int_equal(ev[0].sent, 0);
    assert_int_equal(again.side[0].carry, 60);
    again = match("drop=0");
    again.side[1].clock = 1;
    again.side[0].carry = 60;
    set_field(&again, 0, ONE);
    play(&again, "RG", "1u", ev);
    assert_int_equal(ev[0].sent, 1);
    assert_int_equal(again.side[0].carry, 30);
}

// Soft-dropped rows count a point each, and wait in the carry for a chain.
static void soft_drop(void **state)
{
    (void)state;
    py_match m = match("");
    step_event ev[2];
    m.side[1].clock = 1;
    play(&m, "RG", "3u", ev);
    assert_int_equal(ev[0].points, 12);
    assert_int_equal(m.side[0].score, 12);
    assert_int_equal(m.side[0].carry, 12);
    m = match("");
    m.side[1].clock = 1;
    m.side[0].carry = 700; // much soft drop, no chain: nothing is sent
    play(&m, "RG", "3u", ev);
    assert_int_equal(ev[0].sent, 0);
    assert_int_equal(m.side[0].carry, 712);
    m = match("");
    m.side[1].clock = 1;
    m.side[0].carry = 700;
    set_field(&m, 0, ONE);
    play(&m, "RG", "1u", ev); // 9 rows, 40 points: 749 = 10 * 70 + 49
    assert_int_equal(ev[0].sent, 10);
    assert_int_equal(m.side[0].carry, 49);
}

// A chain first cancels what waits for its owner; only the excess is sent.
static void offsetting(void **state)
{
    (void)state;
    static const struct {
        uint32_t pending, coming, left_pending, left_coming, sent, fell;
    } cases[] = {
        {0, 0, 0, 0, 14, 0}, {5, 0, 0, 0, 9, 0},   {14, 0, 0, 0, 0, 0}, {20, 0, 0, 0, 0, 6},
        {0, 10, 0, 0, 4, 0}, {10, 10, 0, 6, 0, 0}, {4, 4, 0, 0, 6, 0},  {54, 3, 10, 3, 0, 30},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        py_match m = match("drop=0");
        step_event ev[2];
        set_field(&m, 0, THREE);
        m.side[0].pending = cases[i].pending;
        m.side[0].coming = cases[i].coming;
        m.side[1].clock = 5000; // so that player 1's nuisance phase runs at once
        play(&m, "RR", "2u", ev);
        assert_int_equal(ev[0].sent, cases[i].sent);
        assert_int_equal(m.side[0].pending, cases[i].left_pending);
        assert_int_equal(m.side[0].coming, cases[i].left_coming);
        assert_int_equal(ev[0].received, cases[i].fell); // what remains falls right after the chain
        assert_int_equal(m.side[0].received, cases[i].fell);
        assert_int_equal(m.side[1].pending, cases[i].sent); // and what was sent is committed: the chain has ended
        assert_int_equal(m.side[1].coming, 0);
        assert_int_equal(py_count(&m.side[0].field), cases[i].fell);
    }
}

// Thirty at most in a turn; the rest waits.
static void thirty_a_turn(void **state)
{
    (void)state;
    py_match m = match("drop=0");
    step_event ev[2];
    m.side[0].pending = 64;
    m.side[1].clock = 5000;
    play(&m, "RG", "1u", ev);
    assert_int_equal(ev[0].received, 30);
    assert_int_equal(m.side[0].pending, 34);
    assert_int_equal(py_count(&m.side[0].field), 32);
    assert_int_equal(py_height(&m.side[0].field, 0), 7);
    for (int c = 1; c < PY_COLS; c++) assert_int_equal(py_height(&m.side[0].field, c), 5);
    assert_int_equal(m.draws, 0); // full rows need no chance
    assert_int_equal(m.side[0].clock, 12 + 6 + 24 + 20 + 46 + 32);
    play(&m, "RG", "6u", ev);
    assert_int_equal(ev[0].received, 30);
    m.side[0].field = (py_field){{{0}}};
    play(&m, "RG", "1u", ev);
    assert_int_equal(ev[0].received, 4);
    assert_int_equal(m.draws, 1);
}

// Nuisance of a chain that is still running does not fall; from its end on it does, after the next placement.
static void commit_at_the_end_of_the_chain(void **state)
{
    (void)state;
    py_match m = match("drop=0");
    step_event ev[2];
    set_field(&m, 0, THREE);
    m.side[1].clock = 1;
    play(&m, "RR", "2u", ev);
    uint32_t end = m.side[0].clock;
    assert_int_equal(end, 12 + 4 + 24 + 20 + 196);
    while (m.side[1].clock < end) { // player 2 places while the chain runs
        assert_int_equal(py_match_seat(&m), 1);
        assert_int_equal(m.side[1].received, 0);
        uint32_t before = m.side[1].clock;
        play(&m, "RG", "1u", ev);
        assert_true(m.side[1].clock > before);
        if (m.side[1].clock < end) assert_int_equal(m.side[1].coming, 14);
    }
    // The placement that ends after the chain is the one the nuisance follows.
    assert_int_equal(m.side[1].coming, 0);
    assert_int_equal(py_match_seat(&m), 0);
    assert_true(m.side[1].due);
    assert_int_equal(m.side[1].pending, 14);
    play(&m, "RG", "3u", ev);
    assert_int_equal(m.side[1].received, 14);
    assert_int_equal(ev[1].received, 14); // it fell in this call, on the other seat
    assert_int_equal(ev[0].received, 0);
}

static void all_clear(void **state)
{
    (void)state;
    py_match m = match("drop=0,margin=0");
    step_event ev[2];
    m.side[1].clock = 100000;
    set_field(&m, 0, "RR....");
    play(&m, "RR", "3r", ev);
    assert_true(ev[0].all_clear);
    assert_int_equal(m.side[0].bonus, 1);
    assert_int_equal(ev[0].points, 40);
    play(&m, "RG", "1r", ev); // no chain: the bonus waits
    assert_int_equal(m.side[0].bonus, 1);
    assert_int_equal(ev[0].points, 0);
    play(&m, "RR", "1u", ev);
    play(&m, "RY", "1u", ev); // four R: 40 + 2,100 points, carry 40
    assert_int_equal(ev[0].chain, 1);
    assert_int_equal(ev[0].points, 2140);
    assert_int_equal(ev[0].sent, (40 + 2140) / 70);
    assert_int_equal(m.side[0].bonus, 0);
    assert_false(ev[0].all_clear);
}

// The rate is that of the moment the pair has landed.
static void margin_time(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        uint32_t clock, sent;
    } cases[] = {{"drop=0", 0, 14},
                 {"drop=0", 96 * 60 - 61, 14}, // 60 frames until it lands
                 {"drop=0", 96 * 60 - 60, 19},
                 {"drop=0", 112 * 60, 29},
                 {"drop=0", 300 * 60, 1000},
                 {"drop=0,margin=0", 300 * 60, 14}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        py_match m = match(cases[i].options);
        step_event ev[2];
        set_field(&m, 0, THREE);
        m.side[0].clock = cases[i].clock;
        m.side[1].clock = cases[i].clock + 1;
        play(&m, "RR", "2u", ev);
        assert_int_equal(ev[0].sent, cases[i].sent);
    }
}

// --- time

static void earliest_first(void **state)
{
    (void)state;
    py_match m = match("drop=0");
    assert_int_equal(py_match_seat(&m), 0);
    play(&m, "RG", "1u", NULL); // held: both choose at frame 0
    assert_int_equal(py_match_seat(&m), 1);
    assert_int_equal(m.side[0].clock, 0);
    assert_true(py_is_empty(&m.side[0].field));
    play(&m, "RG", "3u", NULL);
    assert_int_equal(m.held, 0);
    assert_int_equal(m.side[0].clock, 12 + 6 + 24 + 20);
    assert_int_equal(m.side[1].clock, 12 + 24 + 20);
    assert_int_equal(py_match_seat(&m), 1); // the faster one is next
    play(&m, "RG", "3u", NULL);
    assert_int_equal(py_match_seat(&m), 0);
    assert_int_equal(m.side[1].placed, 2);
}

// With both at one moment, chains cancel each other, and neither player has an advantage.
static void simultaneous_chains(void **state)
{
    (void)state;
    static const char *const timings[] = {"drop=0", "drop=0,timing=turns"};
    for (int t = 0; t < 2; t++)
        for (int swap = 0; swap < 2; swap++) {
            py_match m = match(timings[t]);
            step_event ev[2];
            set_field(&m, swap, THREE); // 14 nuisance
            set_field(&m, !swap, ONE);
            m.side[!swap].carry = 170; // 210 points: 3 nuisance
            for (int p = 0; p < 2; p++) {
                if (p == swap)
                    play(&m, "RR", "2u", ev);
                else
                    play(&m, "RG", "1u", ev);
            }
            assert_int_equal(ev[swap].sent, 11);
            assert_int_equal(ev[!swap].sent, 0);
            assert_int_equal(ev[swap].chain, 3);
            assert_int_equal(ev[!swap].chain, 1);
            assert_int_equal(m.side[!swap].coming + m.side[!swap].pending, 11);
            assert_int_equal(m.side[swap].coming + m.side[swap].pending, 0);
        }
}

// turns: nuisance made in a turn falls after the next placement, not within the turn.
static void turns(void **state)
{
    (void)state;
    py_match m = match("drop=0,timing=turns");
    step_event ev[2];
    set_field(&m, 0, THREE);
    play(&m, "RR", "2u", ev);
    play(&m, "RG", "1u", ev);
    assert_int_equal(ev[0].sent, 14);
    assert_int_equal(m.side[1].pending, 14);
    assert_int_equal(m.side[1].received, 0);
    assert_int_equal(m.side[0].clock, m.side[1].clock);
    assert_int_equal(m.side[0].clock, 12 + 4 + 24 + 20 + 196); // the longer of the two
    play(&m, "RG", "1u", ev);
    play(&m, "RG", "1u", ev);
    assert_int_equal(ev[1].received, 14);
    assert_int_equal(m.side[1].pending, 0);
    assert_int_equal(py_count(&m.side[1].field), 4 + 14);
    assert_int_equal(m.side[0].placed, 2);
    assert_int_equal(m.side[1].placed, 2);
}

// --- the end

// Column 3 is 11 high, the others 10.
#define TALL "..Y.../RGRGRG/GRGRGR/RGRGRG/GRGRGR/RGRGRG/GRGRGR/RGRGRG/GRGRGR/RGRGRG/GRGRGR"

static void buried(void **state)
{
    (void)state;
    py_match m = match("drop=0");
    step_event ev[2];
    set_field(&m, 0, TALL);
    m.side[1].clock = 5000;
    play(&m, "BB", "3u", ev);
    outcome o = py_match_result(&m);
    assert_true(o.over);
    assert_int_equal(o.reason, REASON_BURIED);
    assert_true(o.score[0] == 0.0f && o.score[1] == 1.0f);
    assert_int_equal(py_match_legal(&m), 0);
    assert_int_equal(py_match_seat(&m), 0);

    // A chain that takes the spawn cell away again saves its owner.
    m = match("drop=0");
    set_field(&m, 0, "..YYY./..RRR./RGRGRG/GRGRGR/RGRGRG/GRGRGR/RGRGRG/GRGRGR/RGRGRG/GRGRGR/RGRGRG");
    m.side[1].clock = 5000;
    play(&m, "YY", "3u", ev);
    assert_true(ev[0].chain > 0);
    assert_false(py_match_result(&m).over);

    // Nuisance that lands on the spawn cell counts.
    m = match("drop=0");
    set_field(&m, 0, TALL);
    m.side[0].pending = 6;
    m.side[1].clock = 5000;
    play(&m, "BB", "1u", ev);
    assert_int_equal(ev[0].received, 6);
    assert_true(py_match_result(&m).over);
    assert_int_equal(m.side[0].buried, 1);

    // The seed's variant looks at row 13 of columns 3 and 4.
    m = match("drop=0,lose=seed");
    set_field(&m, 0, TALL);
    m.side[1].clock = 5000;
    play(&m, "BG", "3r", ev); // row 12
    assert_false(py_match_result(&m).over);
    play(&m, "BG", "3u", ev); // row 13, and row 14 vanishes
    assert_true(py_match_result(&m).over);
}

static void both_buried(void **state)
{
    (void)state;
    static const char *const timings[] = {"drop=0", "drop=0,timing=turns"};
    for (int t = 0; t < 2; t++) {
        py_match m = match(timings[t]);
        set_field(&m, 0, TALL);
        set_field(&m, 1, TALL);
        play(&m, "BB", "3u", NULL);
        play(&m, "BB", "3u", NULL);
        outcome o = py_match_result(&m);
        assert_true(o.over);
        assert_true(o.score[0] == 0.5f && o.score[1] == 0.5f);
        assert_int_equal(o.reason, REASON_BURIED);
    }
    // By frames the earlier one loses, and turns know no earlier.
    py_match m = match("drop=0");
    set_field(&m, 0, TALL);
    set_field(&m, 1, TALL);
    m.side[1].clock = 1;
    play(&m, "BB", "3u", NULL);
    play(&m, "BB", "3u", NULL);
    assert_true(py_match_result(&m).score[1] == 1.0f);
}

static void placements_run_out(void **state)
{
    (void)state;
    py_match m = match("plies=4,timing=turns");
    for (int i = 0; i < 4; i++) {
        assert_false(py_match_result(&m).over);
        play(&m, "RG", i < 2 ? "1u" : "6u", NULL);
    }
    outcome o = py_match_result(&m);
    assert_true(o.over);
    assert_int_equal(o.reason, REASON_PLIES);
    assert_true(o.score[0] == 0.5f && o.score[1] == 0.5f);
}

// --- chance and knowledge

static void play_random(py_match *m, rng *r, int plies)
{
    step_event ev[2];
    move_t moves[PY_MAX_LEGAL];
    for (int i = 0; i < plies; i++) {
        int n = py_move_list(py_match_legal(m), moves);
        if (n == 0) return;
        py_match_play(m, moves[rng_below(r, (uint32_t)n)], ev);
    }
}

static const char *const all_options[] = {
    "",
    "timing=turns",
    "pairs=blocks",
    "pairs=uniform,colours=5",
    "pairs=blocks,timing=turns,colours=3",
    "lose=seed,reach=0,colours=5",
    "plies=30,margin=0,drop=0",
};
enum { N_OPTIONS = sizeof all_options / sizeof *all_options };

static void same_key_same_game(void **state)
{
    (void)state;
    for (int k = 0; k < N_OPTIONS; k++) {
        int differ = 0;
        for (uint64_t i = 0; i < 200; i++) {
            py_match a, b, c;
            rng ra = rng_at(1, i, 0), rb = ra, rc = ra;
            assert_ok(py_match_init(&a, all_options[k], (game_key){3, i}));
            assert_ok(py_match_init(&b, all_options[k], (game_key){3, i}));
            assert_ok(py_match_init(&c, all_options[k], (game_key){4, i}));
            play_random(&a, &ra, 1000);
            play_random(&b, &rb, 1000);
            play_random(&c, &rc, 1000);
            assert_memory_equal(&a, &b, sizeof a);
            differ += memcmp(&a.side, &c.side, sizeof a.side) != 0;
        }
        assert_int_equal(differ, 200);
    }
}

// Two states that differ in what is hidden look alike.
static void observation_hides(void **state)
{
    (void)state;
    for (int k = 0; k < N_OPTIONS; k++)
        for (uint64_t i = 0; i < 300; i++) {
            py_match a, b, oa, ob;
            rng r = rng_at(2, i, 0);
            assert_ok(py_match_init(&a, all_options[k], (game_key){5, i}));
            play_random(&a, &r, (int)rng_below(&r, 60));
            b = a;
            b.queue.run ^= 0x1234;
            b.queue.game += 77;
            b.draws += 5;
            uint32_t p = a.side[0].placed, q = a.side[1].placed, oldest = p < q ? p : q, shown = (p > q ? p : q) + 3;
            bool whole = a.queue.kind == PY_ARCADE;
            for (uint32_t n = shown; n < oldest + 126; n++) // pairs to come
                if (whole || n < a.queue.made) b.queue.ring[n % PY_RING] ^= 0x11;
            if (a.held != 0) b.held = (uint8_t)(a.held == 9 ? 10 : 9); // 3u or 3r
            for (int seat = 0; seat < 2; seat++) {
                memset(&oa, 0x5a, sizeof oa);
                memset(&ob, 0xa5, sizeof ob);
                py_match_observe(&a, seat, &oa);
                py_match_observe(&b, seat, &ob);
                assert_memory_equal(&oa, &ob, sizeof oa);
                // What is to be seen is there.
                for (int s = 0; s < 2; s++) {
                    assert_memory_equal(&oa.side[s], &a.side[s], sizeof oa.side[s]);
                    for (uint32_t n = 0; n < PY_SHOWN; n++)
                        assert_int_equal(oa.queue.ring[(a.side[s].placed + n) % PY_RING], a.side[s].window[n]);
                }
                assert_int_equal(oa.queue.run | oa.queue.game | oa.draws | oa.queue.made, 0);
            }
        }
}

static void samples_fit(void **state)
{
    (void)state;
    int other_nuisance = 0, other_pairs = 0, held = 0;
    for (int k = 0; k < N_OPTIONS; k++)
        for (uint64_t i = 0; i < 300; i++) {
            py_match m, obs, sample, again;
            char text[GAME_TEXT];
            rng r = rng_at(3, i, 0);
            assert_ok(py_match_init(&m, all_options[k], (game_key){6, i}));
            play_random(&m, &r, (int)rng_below(&r, 60));
            if (py_match_result(&m).over) continue;
            int seat = py_match_seat(&m);
            py_match_observe(&m, seat, &obs);
            memset(&sample, 0x77, sizeof sample);
            py_match_sample(&obs, &r, &sample);
            py_match_observe(&sample, seat, &again);
            assert_memory_equal(&obs, &again, sizeof obs);
            assert_int_equal(py_match_seat(&sample), seat);
            assert_int_equal(py_match_legal(&sample), py_match_legal(&m));
            held += sample.held != 0;
            // It is a state like any other: it has a text, and can be played to the end.
            py_match_print(&sample, text, sizeof text);
            assert_ok(py_match_parse(text, &again));
            assert_memory_equal(&sample, &again, sizeof sample);
            play_random(&sample, &r, 1000);
            assert_true(py_match_result(&sample).over);
            py_match x = obs, y = obs;
            py_match_sample(&obs, &r, &x);
            py_match_sample(&obs, &r, &y);
            uint32_t p = m.side[0].placed, q = m.side[1].placed, next = (p > q ? p : q) + 3;
            other_pairs += py_queue_get(&x.queue, next) != py_queue_get(&y.queue, next);
            other_nuisance += x.queue.run != y.queue.run;
        }
    assert_true(held > 50);
    assert_true(other_pairs > 1000);
    assert_true(other_nuisance > 1000);
}

// The gap between the players can grow beyond the ring: the pairs stay those of the sequence.
static void one_player_far_behind(void **state)
{
    (void)state;
    static const char *const kinds[] = {"pairs=arcade,plies=9000", "pairs=blocks,plies=9000",
                                        "pairs=uniform,plies=9000"};
    for (int k = 0; k < 3; k++) {
        py_match m = match(kinds[k]), obs, sample, again;
        py_queue truth = m.queue;
        char text[GAME_TEXT];
        rng r = rng_at(9, 0, 0);
        step_event ev[2];
        m.side[1].clock = 100000;
        for (uint32_t i = 0; i < 400; i++) {
            memset(&m.side[0].field, 0, sizeof m.side[0].field);
            assert_int_equal(m.side[0].window[0], py_queue_get(&truth, i));
            py_match_play(&m, 8, ev);
            py_match_observe(&m, 0, &obs);
            py_match_sample(&obs, &r, &sample);
            py_match_observe(&sample, 0, &again);
            assert_memory_equal(&obs, &again, sizeof obs);
            py_match_print(&m, text, sizeof text);
            assert_ok(py_match_parse(text, &again));
            assert_memory_equal(&m, &again, sizeof m);
        }
        m.side[0].clock = 1000000;
        for (uint32_t i = 0; i < 400; i++) {
            memset(&m.side[1].field, 0, sizeof m.side[1].field);
            m.side[1].pending = m.side[0].pending = 0;
            py_queue fresh;
            py_queue_init(&fresh, truth.kind, truth.colours, truth.run, truth.game);
            assert_int_equal(m.side[1].window[0], py_queue_get(&fresh, i));
            py_match_play(&m, 8, ev);
        }
    }
}

// --- network side and text

static void encoding_shows(void **state)
{
    (void)state;
    const encoding *e;
    assert_ok(game_encoding(g, NULL, &e));
    py_match m = match("colours=5"), obs;
    set_field(&m, 0, "RYGBPO");
    set_field(&m, 1, "....R./OOOOOO");
    m.side[1].window[0] = pair_of("PG");
    m.side[0].pending = 30;
    py_match_observe(&m, 1, &obs);
    const void *list[2] = {&obs, &obs};
    uint64_t *bits = calloc((size_t)(2 * e->planes * 2), sizeof *bits);
    float *scalars = calloc((size_t)(2 * e->scalars), sizeof *scalars);
    float *planes = calloc((size_t)(e->planes + e->scalars) * PY_CELLS, sizeof *planes);
    assert_int_equal(e->planes, 10);
    e->encode(list, 2, bits, scalars);
    assert_memory_equal(bits, bits + e->planes * 2, (size_t)e->planes * 2 * sizeof *bits);
    assert_memory_equal(scalars, scalars + e->scalars, (size_t)e->scalars * sizeof *scalars);
    game_unpack(g, e, bits, scalars, planes);
    // Player 2's view: its own field first. Row 1 is y = 12.
    int sum = 0;
    for (int i = 0; i < e->planes * PY_CELLS; i++) sum += planes[i] > 0.0f;
    assert_int_equal(sum, 1 + 6 + 5 + 4); // purple is all four colours
    assert_true(planes[0 * PY_CELLS + 11 * 6 + 4] == 1.0f);
    for (int c = 0; c < 6; c++) assert_true(planes[4 * PY_CELLS + 12 * 6 + c] == 1.0f);
    for (int c = 0; c < 4; c++) assert_true(planes[(5 + c) * PY_CELLS + 12 * 6 + c] == 1.0f);
    for (int c = 0; c < 4; c++) assert_true(planes[(5 + c) * PY_CELLS + 12 * 6 + 4] == 1.0f);
    assert_true(planes[9 * PY_CELLS + 12 * 6 + 5] == 1.0f);
    static const float pair[8] = {1, 1, 1, 1, 0, 0, 1, 0}; // P, then G
    assert_memory_equal(scalars, pair, sizeof pair);
    assert_true(scalars[24] == 0.0f);      // own pending
    assert_true(scalars[29 + 24] == 0.5f); // the other's
    free(planes);
    free(scalars);
    free(bits);
    // Every row, through the word boundary.
    for (int row = 1; row <= PY_GHOST; row++)
        for (int c = 0; c < PY_COLS; c++) {
            py_match one = match("");
            uint64_t words[20];
            float s[256];
            memset(&one.side[0].field, 0, sizeof one.side[0].field);
            py_set(&one.side[0].field, c, row, PY_BLUE);
            const void *o = &one;
            e->encode(&o, 1, words, s);
            int bit = (PY_GHOST - row) * 6 + c;
            for (int w = 0; w < 20; w++) assert_true(words[w] == (w == 6 + bit / 64 ? 1ull << bit % 64 : 0));
        }
}

static void options_are_checked(void **state)
{
    (void)state;
    py_match m;
    game_key k = {0, 0};
    assert_err(g->init(&m, "timing=slow", k), "frames, turns");
    assert_err(g->init(&m, "pairs=none", k), "arcade, blocks, uniform");
    assert_err(g->init(&m, "colours=6", k), "3 to 5");
    assert_err(g->init(&m, "colours=four", k), "3 to 5");
    assert_err(g->init(&m, "plies=0", k), "1 to 10000");
    assert_err(g->init(&m, "reach=yes", k), "0, 1");
    assert_err(g->init(&m, "speed=1", k), "no option 'speed'");
    assert_err(g->init(&m, "timing", k), "key=value");
    assert_ok(g->init(&m, "timing=turns,pairs=blocks,colours=5,reach=0,lose=seed,margin=0,drop=0,plies=77", k));
    char text[256];
    py_match_options_print(&m, text, sizeof text);
    assert_string_equal(text, "timing=turns,pairs=blocks,colours=5,reach=0,lose=seed,margin=0,drop=0,plies=77");
}

static void moves_are_checked(void **state)
{
    (void)state;
    py_match m = match("");
    move_t id = MOVE_NONE;
    m.side[0].window[0] = pair_of("RG");
    assert_ok(g->move_parse(&m, "3l", &id));
    assert_int_equal(id, 2 * 4 + 3);
    assert_err(g->move_parse(&m, "", &id), "column 1 to 6");
    assert_err(g->move_parse(&m, "7u", &id), "column 1 to 6");
    assert_err(g->move_parse(&m, "3", &id), "u, r, d or l");
    assert_err(g->move_parse(&m, "3x", &id), "u, r, d or l");
    assert_err(g->move_parse(&m, "3uu", &id), "end of the move");
    assert_err(g->move_parse(&m, "6r", &id), "outside");
    assert_err(g->move_parse(&m, "1l", &id), "outside");
    m.side[0].window[0] = pair_of("RR"); // a double answers to both names
    assert_ok(g->move_parse(&m, "3d", &id));
    assert_int_equal(id, 8);
    assert_ok(g->move_parse(&m, "4l", &id));
    assert_int_equal(id, 9);
    m.side[0].window[0] = pair_of("RG");
    for (int r = 1; r <= 12; r++) py_set(&m.side[0].field, 1, r, PY_NUISANCE);
    assert_err(g->move_parse(&m, "1u", &id), "steered");
    assert_err(g->move_parse(&m, "2d", &id), "no room");
    assert_err(g->move_parse(&m, "3l", &id), "steered");
    m.side[0].buried = 1;
    assert_err(g->move_parse(&m, "3u", &id), "over");
}

static void positions_are_checked(void **state)
{
    (void)state;
    py_match m = match("pairs=uniform"), back;
    char text[GAME_TEXT], bad[GAME_TEXT + 64];
    assert_true(py_match_print(&m, text, sizeof text) < 600);
    assert_ok(py_match_parse(text, &back));
    static const struct {
        const char *from, *to, *says;
    } cases[] = {
        {"timing=frames", "timing=never", "frames, turns"},
        {" | ......", " | .....", "six cells"},
        {" | ......", " | P.....", "not in the game"},
        {"clock=0", "clock=x", "number"},
        {"clock=0", "clock=99999999999", "too large"},
        {"clock=0 placed=0", "clock=0 placed=5", "made="},
        {"bonus=0", "bonus=2", "too large"},
        {"buried=0", "buried=1", "buried but is not"},
        {"due=0", "due=1", "should have run"},
        {"held=-", "held=6r", "held choice"},
        {"tail=own", "tail=drawn", "only arcade"},
        {"tail=own", "tail=lost", "expected \"own\""},
        {"key=", "kee=", "key="},
        {"made=4", "made=9", "made="},
        {"own pairs=", "own pairs=Q", "expected a pair"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *at = strstr(text, cases[i].from);
        assert_non_null(at);
        snprintf(bad, sizeof bad, "%.*s%s%s", (int)(at - text), text, cases[i].to, at + strlen(cases[i].from));
        assert_err(py_match_parse(bad, &back), cases[i].says);
    }
    snprintf(bad, sizeof bad, "%s ", text);
    assert_err(py_match_parse(bad, &back), "end of the position");
    assert_err(py_match_parse("", &back), "expected");
    m.side[1].window[1] ^= 0x11; // not the sequence's
    py_match_print(&m, text, sizeof text);
    assert_err(py_match_parse(text, &back), "player 2's pairs");
}

static void drawing(void **state)
{
    (void)state;
    py_match m = match("");
    char text[GAME_TEXT];
    m.side[0].pending = 1440 + 180 + 30 + 6 + 1;
    m.side[1].coming = 3;
    g->draw(&m, false, text, sizeof text);
    assert_memory_equal(text, " @ * R O o", 10);
    assert_non_null(strstr(text, "o o o\n"));
    assert_null(strstr(text, " \n"));
}

static void conforms(void **state)
{
    (void)state;
    conform(g, "", 700000, true);
    conform(g, "timing=turns,pairs=blocks", 100000, true);
    conform(g, "pairs=uniform,colours=5,lose=seed,reach=0", 100000, true);
    conform(g, "pairs=blocks,colours=3,margin=0", 100000, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rate_table),
        cmocka_unit_test(sending_and_carry),
        cmocka_unit_test(soft_drop),
        cmocka_unit_test(offsetting),
        cmocka_unit_test(thirty_a_turn),
        cmocka_unit_test(commit_at_the_end_of_the_chain),
        cmocka_unit_test(all_clear),
        cmocka_unit_test(margin_time),
        cmocka_unit_test(earliest_first),
        cmocka_unit_test(simultaneous_chains),
        cmocka_unit_test(turns),
        cmocka_unit_test(buried),
        cmocka_unit_test(both_buried),
        cmocka_unit_test(placements_run_out),
        cmocka_unit_test(same_key_same_game),
        cmocka_unit_test(observation_hides),
        cmocka_unit_test(samples_fit),
        cmocka_unit_test(one_player_far_behind),
        cmocka_unit_test(encoding_shows),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(moves_are_checked),
        cmocka_unit_test(positions_are_checked),
        cmocka_unit_test(drawing),
        cmocka_unit_test(conforms),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
