// The versus match: nuisance, clocks, losing, what players may know. Each rule has a scripted match.
#include "games/puyo/puyo_match.h"
#include "games/puyo_texts.h"
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
    m->side[p].field = field_of(text);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rate_table),     cmocka_unit_test(sending_and_carry),
        cmocka_unit_test(soft_drop),      cmocka_unit_test(offsetting),
        cmocka_unit_test(thirty_a_turn),  cmocka_unit_test(commit_at_the_end_of_the_chain),
        cmocka_unit_test(all_clear),      cmocka_unit_test(margin_time),
        cmocka_unit_test(earliest_first), cmocka_unit_test(simultaneous_chains),
        cmocka_unit_test(turns),          cmocka_unit_test(buried),
        cmocka_unit_test(both_buried),    cmocka_unit_test(placements_run_out),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
