// The versus match as others see it: chance, what players may know, the network's view, texts, the table's promises.
#include "games/conformance.h"
#include "games/puyo/puyo_match.h"
#include "games/puyo_texts.h"
#include "test.h"

static const game *g;

static int setup(void **state)
{
    (void)state;
    return game_find("puyo", &g) == ERR_OK ? 0 : -1;
}

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
    g->draw(&m, MOVE_NONE, false, text, sizeof text);
    assert_memory_equal(text, " @ * R O o", 10);
    assert_non_null(strstr(text, "o o o\n"));
    assert_null(strstr(text, " \n"));
}

static void conforms(void **state)
{
    (void)state;
    conform(g, "", 400000, true);
    conform(g, "timing=turns,pairs=blocks", 200000, true);
    conform(g, "pairs=uniform,colours=5,lose=seed,reach=0", 200000, true);
    conform(g, "pairs=blocks,colours=3,margin=0", 200000, true);
}

// Renaming the colours of a whole match leaves its ranked encoding as it is, as soon as the pairs name three of the four.
static void ranked_encoding(void **state)
{
    (void)state;
    static const uint8_t to[PY_CODES] = {PY_EMPTY, PY_NUISANCE, PY_BLUE, PY_RED, PY_YELLOW, PY_GREEN, PY_PURPLE};
    const encoding *ranked, *plain;
    int compared = 0, differ = 0;
    assert_ok(game_encoding(g, "ranked", &ranked));
    assert_ok(game_encoding(g, NULL, &plain));
    for (uint64_t k = 0; k < 30; k++) {
        py_match m;
        rng r = rng_at(6, k, 0);
        assert_ok(py_match_init(&m, "", (game_key){6, k}));
        for (int t = 0; t < 40 && !py_match_result(&m).over; t++) {
            py_match other = m;
            unsigned seen = 0;
            int seat = py_match_seat(&m);
            for (int p = 0; p < 2; p++) {
                for (int i = 0; i < PY_SHOWN; i++) {
                    uint8_t pair = m.side[p].window[i];
                    if (p == seat) seen |= 1u << py_main(pair) | 1u << py_sub(pair);
                    other.side[p].window[i] = py_pair(to[py_main(pair)], to[py_sub(pair)]);
                }
                for (int c = 0; c < PY_COLS; c++)
                    for (int row = 1; row <= PY_GHOST; row++)
                        py_set(&other.side[p].field, c, row, to[py_get(&m.side[p].field, c, row)]);
            }
            uint64_t bits[2][32];
            float numbers[2][80];
            const void *a = &m, *b = &other;
            ranked->encode(&a, 1, bits[0], numbers[0]);
            ranked->encode(&b, 1, bits[1], numbers[1]);
            assert_true(numbers[0][0] == 1.0f); // the current main puyo is the first colour
            if (__builtin_popcount(seen) >= 3) {
                assert_memory_equal(bits[0], bits[1], (size_t)ranked->planes * 2 * sizeof(uint64_t));
                assert_memory_equal(numbers[0], numbers[1], (size_t)ranked->scalars * sizeof(float));
                compared++;
                plain->encode(&b, 1, bits[1], numbers[1]);
                differ += memcmp(numbers[0], numbers[1], (size_t)ranked->scalars * sizeof(float)) != 0;
            }
            uint16_t moves[PY_MAX_LEGAL];
            step_event ev[2];
            int n = py_move_list(py_match_legal(&m), moves);
            py_match_play(&m, moves[rng_below(&r, (uint32_t)n)], ev);
        }
    }
    assert_true(compared > 300 && differ > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        cmocka_unit_test(ranked_encoding),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
