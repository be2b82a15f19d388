// Pairs, placements and falling nuisance.
#include "games/puyo/puyo.h"
#include "test.h"

#include <math.h>

static py_field field_of(const int h[PY_COLS])
{
    py_field f = {{{0}}};
    for (int c = 0; c < PY_COLS; c++)
        for (int r = 1; r <= h[c]; r++) py_set(&f, c, r, PY_NUISANCE);
    return f;
}

enum { RG = PY_RED | PY_GREEN << 4, RR = PY_RED | PY_RED << 4 };

// --- pairs

static void arcade_sequences(void **state)
{
    (void)state;
    FILE *f = open_data_or_skip("puyo/pairs_arcade.txt");
    char line[512], letters[300];
    int seed, found = 0;
    while (fgets(line, sizeof line, f) != NULL) {
        if (line[0] == '#' || sscanf(line, "%d %299s", &seed, letters) != 2) continue;
        uint8_t pairs[PY_RING];
        py_arcade((uint16_t)seed, 4, pairs);
        assert_int_equal(strlen(letters), 2 * PY_RING);
        for (int i = 0; i < PY_RING; i++) {
            assert_int_equal(py_letter(py_main(pairs[i])), letters[2 * i]);
            assert_int_equal(py_letter(py_sub(pairs[i])), letters[2 * i + 1]);
        }
        found++;
    }
    fclose(f);
    assert_int_equal(found, 16);
}

// Each pool has its colours equally often but for the four opening puyos, which are the 3-colour pool's.
static void arcade_pools(void **state)
{
    (void)state;
    for (int seed = 0; seed < 2000; seed++) {
        uint8_t three[PY_RING], other[PY_RING];
        py_arcade((uint16_t)seed, 3, three);
        for (int colours = 3; colours <= 5; colours++) {
            int count[PY_CODES] = {0};
            py_arcade((uint16_t)seed, colours, other);
            for (int i = 0; i < PY_RING; i++) {
                assert_true(py_pair_ok(other[i], colours));
                count[py_main(other[i])]++;
                count[py_sub(other[i])]++;
            }
            assert_memory_equal(three, other, 2);
            for (int c = 0; c < colours; c++) assert_true(abs(count[PY_RED + c] - 256 / colours) <= 5);
        }
    }
}

// The pattern of four puyos: 0 AAAB, 1 ABAB or AABB, 2 ABAC, 3 AABC; -1 none of them.
static int pattern_of(const uint8_t two[2])
{
    int p[4] = {py_main(two[0]), py_sub(two[0]), py_main(two[1]), py_sub(two[1])};
    int count[PY_CODES] = {0}, most = 0, kinds = 0;
    for (int i = 0; i < 4; i++) {
        kinds += count[p[i]] == 0;
        if (++count[p[i]] > most) most = count[p[i]];
    }
    if (most == 3) return 0;
    if (kinds == 2 && most == 2 && p[0] != p[3]) return 1; // ABBA does not occur
    if (kinds == 3 && p[0] == p[2]) return 2;
    if (kinds == 3 && p[0] == p[1]) return 3;
    return -1;
}

static void block_patterns(void **state)
{
    (void)state;
    enum { BLOCKS = 400000 };
    int patterns[4] = {0}, odd_one[4] = {0}, alternating = 0, colours[PY_CODES] = {0};
    rng r = rng_at(4, 0, 0);
    for (int i = 0; i < BLOCKS; i++) {
        uint8_t two[2];
        py_block(&r, 4, two);
        int p[4] = {py_main(two[0]), py_sub(two[0]), py_main(two[1]), py_sub(two[1])}, k = pattern_of(two);
        assert_in_range(k, 0, 3);
        patterns[k]++;
        for (int j = 0; j < 4; j++) {
            colours[p[j]]++;
            if (k == 0 && p[j] != p[(j + 1) % 4] && p[j] != p[(j + 2) % 4]) odd_one[j]++;
        }
        alternating += k == 1 && p[0] == p[2];
    }
    // Five standard deviations of these counts are below one part in a hundred.
    for (int k = 0; k < 4; k++) {
        assert_true(fabs(patterns[k] / (double)BLOCKS - 0.25) < 0.005);
        assert_true(fabs(odd_one[k] / (double)patterns[0] - 0.25) < 0.008);
        assert_true(fabs(colours[PY_RED + k] / (4.0 * BLOCKS) - 0.25) < 0.005);
    }
    assert_true(fabs(alternating / (double)patterns[1] - 0.5) < 0.01);
    for (int n = 3; n <= 5; n++)
        for (int i = 0; i < 5000; i++) {
            uint8_t two[2];
            py_block(&r, n, two);
            assert_true(py_pair_ok(two[0], n) && py_pair_ok(two[1], n));
            assert_in_range(pattern_of(two), 0, 3);
        }
}

// A queue gives the same pairs whatever the order they are asked in, and even for a player left a whole ring behind.
static void queue_is_a_function_of_the_key(void **state)
{
    (void)state;
    enum { PAIRS = 600 };
    for (int kind = 0; kind < PY_PAIR_KINDS; kind++)
        for (int colours = 3; colours <= 5; colours++) {
            py_queue a, b, c;
            uint8_t pairs[PAIRS];
            py_queue_init(&a, kind, colours, 11, 12);
            py_queue_init(&b, kind, colours, 11, 12);
            py_queue_init(&c, kind, colours, 11, 13);
            int same = 0;
            for (uint32_t i = 0; i < PAIRS; i++) {
                pairs[i] = py_queue_get(&a, i);
                assert_true(py_pair_ok(pairs[i], colours));
                same += pairs[i] == py_queue_get(&c, i);
            }
            assert_true(same < PAIRS / 3); // another game, other pairs
            assert_int_equal(py_queue_get(&b, PAIRS - 1), pairs[PAIRS - 1]);
            for (uint32_t i = 0; i < PAIRS; i++) assert_int_equal(py_queue_get(&b, i), pairs[i]);
            for (uint32_t i = 0; i < PAIRS - PY_RING; i++)
                if (kind == PY_ARCADE) assert_int_equal(pairs[i], pairs[i + PY_RING]); // 128, then they repeat
            for (uint32_t i = 0; i + 1 < PAIRS && kind == PY_BLOCKS; i += 2)
                assert_in_range(pattern_of(pairs + i), 0, 3);
        }
}

static void uniform_pairs(void **state)
{
    (void)state;
    enum { GAMES = 400, PAIRS = 500 };
    int count[16][16] = {{0}};
    for (uint64_t g = 0; g < GAMES; g++) {
        py_queue q;
        py_queue_init(&q, PY_UNIFORM, 4, 3, g);
        for (uint32_t i = 0; i < PAIRS; i++) {
            uint8_t pair = py_queue_get(&q, i);
            count[py_main(pair)][py_sub(pair)]++;
        }
    }
    for (int a = PY_RED; a < PY_RED + 4; a++)
        for (int b = PY_RED; b < PY_RED + 4; b++)
            assert_true(abs(count[a][b] - GAMES * PAIRS / 16) < 5 * 110); // the standard deviation is 108
}

// After hiding and sampling, what was shown stands, and the rest differs from the truth.
static void queue_samples(void **state)
{
    (void)state;
    for (int kind = 0; kind < PY_PAIR_KINDS; kind++)
        for (uint32_t shown = 3; shown < 40; shown++) {
            py_queue truth, hidden, sample;
            py_queue_init(&truth, kind, 4, 5, shown);
            uint8_t pairs[300];
            for (uint32_t i = 0; i < shown + 2; i++) pairs[i] = py_queue_get(&truth, i); // more than is shown
            uint32_t oldest = shown / 2;
            hidden = truth;
            py_queue_hide(&hidden, oldest, shown);
            for (uint32_t i = 0; i < PY_RING; i++)
                assert_int_equal(hidden.ring[i], i >= oldest && i < shown ? pairs[i] : 0);
            assert_int_equal(hidden.run | hidden.game | hidden.made | hidden.sampled, 0);
            rng r = rng_at(6, shown, 0);
            int same = 0;
            for (int k = 0; k < 50; k++) {
                sample = hidden;
                py_queue_sample(&sample, shown, &r);
                for (uint32_t i = oldest; i < shown; i++) assert_int_equal(py_queue_get(&sample, i), pairs[i]);
                for (uint32_t i = shown; i < shown + 100; i++) {
                    uint8_t pair = py_queue_get(&sample, i);
                    assert_true(py_pair_ok(pair, 4));
                    if (i < shown + 2) same += pair == pairs[i];
                    uint8_t two[2] = {i > 0 ? py_queue_get(&sample, i - 1) : (uint8_t)0, pair};
                    if (kind == PY_BLOCKS && i % 2 == 1 && i - 1 >= oldest) assert_in_range(pattern_of(two), 0, 3);
                }
            }
            assert_true(same < 50);
        }
}

// --- placements

static uint32_t moves_of(const char *list) // "1u 3r …"
{
    uint32_t mask = 0;
    for (const char *p = list; *p; p++)
        if (*p >= '1' && *p <= '6') mask |= 1u << ((*p - '1') * 4 + (int)(strchr("urdl", p[1]) - "urdl"));
    return mask;
}

static void counts(void **state)
{
    (void)state;
    py_field f = {{{0}}};
    for (int reach = 0; reach < 2; reach++) {
        assert_int_equal(__builtin_popcount(py_legal_mask(&f, RG, reach, PY_LOSE_TSU)), 22);
        assert_int_equal(__builtin_popcount(py_legal_mask(&f, RR, reach, PY_LOSE_TSU)), 11);
    }
    assert_int_equal(py_legal_mask(&f, RR, true, PY_LOSE_TSU), moves_of("1u 2u 3u 4u 5u 6u 1r 2r 3r 4r 5r"));
    // The 11 of a double are all the results of the 22.
    for (int m = 0; m < PY_MOVES; m++) {
        if ((py_legal_mask(&f, RG, false, PY_LOSE_TSU) >> m & 1) == 0) continue;
        py_field a = f;
        py_place(&a, m, RR);
        int same = 0;
        for (int k = 0; k < PY_MOVES; k++) {
            if ((py_legal_mask(&f, RR, false, PY_LOSE_TSU) >> k & 1) == 0) continue;
            py_field b = f;
            py_place(&b, k, RR);
            same += memcmp(&a, &b, sizeof a) == 0;
        }
        assert_int_equal(same, 1);
    }
}

static void where_puyos_go(void **state)
{
    (void)state;
    static const struct {
        int move, col[2], row[2]; // main, sub
    } cases[] = {
        {0, {0, 0}, {1, 2}}, {1, {0, 1}, {1, 2}}, {2, {0, 0}, {2, 1}}, {7, {1, 0}, {2, 1}}, {22, {5, 5}, {2, 1}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        py_field f = field_of((int[]){0, 1, 0, 0, 0, 0});
        py_place(&f, cases[i].move, RG);
        assert_int_equal(py_count(&f), 3);
        assert_int_equal(py_get(&f, cases[i].col[0], cases[i].row[0]), PY_RED);
        assert_int_equal(py_get(&f, cases[i].col[1], cases[i].row[1]), PY_GREEN);
    }
    // Row 13 keeps a puyo, row 14 does not.
    py_field f = field_of((int[]){11, 12, 0, 0, 0, 0});
    py_place(&f, 0, RG);
    assert_int_equal(py_get(&f, 0, 13), PY_GREEN);
    py_place(&f, 4, RG);
    assert_int_equal(py_get(&f, 1, 13), PY_RED);
    assert_int_equal(py_count(&f), 26);
    assert_true(py_field_ok(&f, 4));
}

static void reach_cases(void **state)
{
    (void)state;
    static const struct {
        int h[PY_COLS];
        const char *can, *cannot;
    } cases[] = {
        {{11, 11, 11, 11, 11, 11}, "1u 1d 1r 6u 6d 6l", ""},
        // A column of 12 next to the spawn, no step: nothing beyond it.
        {{0, 12, 0, 0, 0, 0}, "3u 3r 6u 6d", "2u 2r 1u 1r 3l 2d"},
        // The spawn column itself is the step.
        {{0, 12, 11, 0, 0, 0}, "2u 1u 1d 1r 3l 6u", "2d"},
        // A step on the other side helps, unless something high is between.
        {{0, 12, 0, 0, 11, 0}, "2u 1u 1r", "2d"},
        {{0, 12, 5, 12, 11, 0}, "2u 1u 4u 5u", ""}, // both neighbours are 12: quick turn
        {{0, 12, 5, 4, 12, 11}, "4u", "2u 1u 5u 6u"},
        // A wall of 13 stops even a lifted pair.
        {{0, 13, 11, 0, 0, 0}, "3u 6u", "1u 2u 2r 3l"},
        {{0, 13, 0, 12, 0, 0}, "4u 5u 6u 3u 3r", "1u 2u 3l"}, // columns 2 and 4 are 12 or more
        // The first column of 12 needs the step before it; later ones do not.
        {{12, 12, 11, 0, 0, 0}, "1u 2u 1r", "1d 2d"},
        {{12, 11, 0, 0, 0, 0}, "1u 2u 2d 1r", "1d"},
        {{12, 0, 0, 0, 0, 12}, "2u 5u", "1u 6u 1r 5r"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        py_field f = field_of(cases[i].h);
        uint32_t mask = py_legal_mask(&f, RG, true, PY_LOSE_TSU), can = moves_of(cases[i].can);
        if ((mask & can) != can) fail_msg("case %zu: misses %x of %s", i, can & ~mask, cases[i].can);
        if (mask & moves_of(cases[i].cannot)) fail_msg("case %zu: has one of %s", i, cases[i].cannot);
    }
    // Without the check only room counts.
    py_field f = field_of((int[]){0, 13, 0, 12, 0, 0});
    assert_int_equal(py_legal_mask(&f, RG, false, PY_LOSE_TSU),
                     moves_of("1u 1d 3u 3d 4u 5u 5d 6u 6d 3r 4r 5r 4l 5l 6l"));
}

// The rule again, a move at a time, in the words of the page.
static bool reach_naive(const int h[PY_COLS], int move)
{
    int col = move / 4, turn = move % 4, child = col + (turn == 1) - (turn == 3);
    if (child < 0 || child >= PY_COLS) return false;
    if (h[col] > 12 || h[child] > 12) return false; // the axis never rests on row 14
    if (turn == 2 && h[col] > 11) return false;
    for (int end = 0; end < 2; end++) {
        int to = end == 0 ? col : child, way = to < 2 ? -1 : 1;
        bool lifted = h[1] >= 12 && h[3] >= 12; // quick turn
        for (int c = 2; c != to;) {
            c += way;
            if (h[c] >= 13) return false;
            if (h[c] == 12 && !lifted) {
                for (int back = c - way; back >= 0 && back < PY_COLS && h[back] <= 11 && !lifted; back -= way)
                    lifted = h[back] == 11;
                if (!lifted) return false;
            }
        }
    }
    return true;
}

static void reach_everywhere(void **state)
{
    (void)state;
    static const int heights[] = {0, 10, 11, 12, 13};
    for (int k = 0; k < 5 * 5 * 5 * 5 * 5 * 5; k++) {
        int h[PY_COLS], rest = k;
        for (int c = 0; c < PY_COLS; c++, rest /= 5) h[c] = heights[rest % 5];
        if (h[2] > 11) continue; // lost
        py_field f = field_of(h);
        uint32_t mask = py_legal_mask(&f, RG, true, PY_LOSE_TSU), open = py_legal_mask(&f, RG, false, PY_LOSE_TSU);
        for (int m = 0; m < PY_MOVES; m++)
            if ((mask >> m & 1) != reach_naive(h, m))
                fail_msg("heights %d %d %d %d %d %d, move %d", h[0], h[1], h[2], h[3], h[4], h[5], m);
        assert_int_equal(mask & ~open, 0);
        assert_true(mask & moves_of("3u"));
        assert_int_equal(py_legal_mask(&f, RR, true, PY_LOSE_TSU), mask & 0x333333);
        assert_true(py_legal_mask(&f, RG, true, PY_LOSE_SEED) & moves_of("3u"));
    }
    // The seed's variant: a row higher, so 12 is no obstacle and the spawn column may be 12.
    py_field f = field_of((int[]){0, 12, 12, 12, 13, 0});
    assert_int_equal(py_legal_mask(&f, RG, true, PY_LOSE_SEED), moves_of("1u 1d 2u 3u 4u 1r 2r 3r 2l 3l 4l"));
}

static void losing(void **state)
{
    (void)state;
    py_field f = field_of((int[]){13, 13, 11, 13, 13, 13});
    assert_false(py_buried(&f, PY_LOSE_TSU));
    assert_true(py_buried(&f, PY_LOSE_SEED)); // column 4
    f = field_of((int[]){0, 0, 12, 0, 0, 0});
    assert_true(py_buried(&f, PY_LOSE_TSU));
    assert_false(py_buried(&f, PY_LOSE_SEED));
    f = field_of((int[]){0, 0, 13, 0, 0, 0});
    assert_true(py_buried(&f, PY_LOSE_SEED));
}

// --- time

static void drop_frames(void **state)
{
    (void)state;
    static const struct {
        int h[PY_COLS];
        const char *move;
        uint8_t pair;
        int rows, frames; // beyond the 12 for the next pair and the 20 of landing
    } cases[] = {
        {{0}, "3u", RG, 12, 24},
        {{0}, "3d", RG, 11, 22},
        {{0}, "3r", RG, 12, 24},
        {{0}, "1u", RG, 12, 6 + 24}, // two columns sideways: 6
        {{0}, "6u", RG, 12, 8 + 24},
        {{0}, "2r", RG, 12, 4 + 24},
        {{0}, "2r", RR, 12, 24}, // a double can come from the other side: 3l
        {{0}, "1r", RR, 12, 4 + 24},
        {{3, 0, 0, 0, 0, 0}, "1u", RG, 9, 6 + 18},
        {{0, 0, 0, 3, 0, 0}, "3r", RG, 9, 18 + 22 + 20},   // split by 3: 22, and it lands once more
        {{0, 0, 11, 0, 0, 0}, "3r", RG, 1, 2 + 44 + 20},   // split by 11
        {{12, 11, 0, 0, 0, 0}, "1u", RG, 0, 6},            // climbs by the step
        {{0, 12, 0, 12, 0, 0}, "1u", RG, 12, 6 + 24 + 20}, // climbs by a quick turn
        {{0, 12, 0, 12, 0, 0}, "3u", RG, 12, 24},
        {{0, 12, 0, 12, 0, 0}, "3d", RG, 11, 22 + 20}, // no room to turn but by a quick turn
        {{0, 12, 11, 12, 0, 0}, "1u", RG, 12, 6 + 24}, // the spawn column is the step
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        py_field f = field_of(cases[i].h);
        py_drop d = py_drop_of(&f, __builtin_ctz(moves_of(cases[i].move)), cases[i].pair);
        if (d.rows != cases[i].rows || d.frames != 12 + 20 + cases[i].frames)
            fail_msg("case %zu: %d rows, %d frames", i, d.rows, d.frames);
    }
}

// --- nuisance

static void nuisance_rows(void **state)
{
    (void)state;
    rng r = rng_at(7, 0, 0);
    for (int n = 0; n <= 30; n++)
        for (int k = 0; k < 200; k++) {
            py_field f = {{{0}}};
            int frames = py_nuisance_fall(&f, n, &r);
            assert_int_equal(py_count(&f), n);
            assert_true(py_field_ok(&f, 4));
            for (int c = 0; c < PY_COLS; c++) assert_in_range(py_height(&f, c), n / 6, (n + 5) / 6);
            assert_int_equal(frames, n == 0 ? 0 : 46 + (n <= 3 ? 8 : n <= 18 ? 24 : 32));
        }
    // What is too high vanishes; the time is that of the longest fall.
    py_field f = field_of((int[]){13, 12, 11, 10, 9, 8});
    assert_int_equal(py_nuisance_fall(&f, 30, &r), 24 + 32);
    for (int c = 0; c < PY_COLS; c++) assert_int_equal(py_height(&f, c), 13);
    assert_true(py_field_ok(&f, 4));
    f = field_of((int[]){13, 13, 13, 13, 13, 13});
    assert_int_equal(py_nuisance_fall(&f, 6, &r), 24);
}

// Every set of columns is as likely as the others.
static void nuisance_columns(void **state)
{
    (void)state;
    enum { DRAWS = 60000 };
    for (int n = 1; n < PY_COLS; n++) {
        int count[64] = {0}, sets = 0;
        for (uint64_t i = 0; i < DRAWS; i++) {
            rng r = rng_at(8, i, (uint32_t)n);
            py_field f = {{{0}}};
            py_nuisance_fall(&f, n, &r);
            unsigned columns = 0;
            for (int c = 0; c < PY_COLS; c++) columns |= (unsigned)py_height(&f, c) << c;
            count[columns]++;
        }
        for (int s = 0; s < 64; s++) sets += __builtin_popcount((unsigned)s) == n;
        for (int s = 0; s < 64; s++) {
            double expected = __builtin_popcount((unsigned)s) == n ? (double)DRAWS / sets : 0.0;
            assert_true(fabs(count[s] - expected) <= 5 * sqrt(expected));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arcade_sequences), cmocka_unit_test(arcade_pools),
        cmocka_unit_test(block_patterns),   cmocka_unit_test(queue_is_a_function_of_the_key),
        cmocka_unit_test(uniform_pairs),    cmocka_unit_test(queue_samples),
        cmocka_unit_test(counts),           cmocka_unit_test(where_puyos_go),
        cmocka_unit_test(reach_cases),      cmocka_unit_test(reach_everywhere),
        cmocka_unit_test(losing),           cmocka_unit_test(drop_frames),
        cmocka_unit_test(nuisance_rows),    cmocka_unit_test(nuisance_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
