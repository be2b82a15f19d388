// Afterstates as a network sees them: compared with the rules of the game cell by cell.
#include "eval/puyo_after.h"
#include "games/puyo/puyo_solo.h"
#include "test.h"

#include <math.h>

static const game *solo(void)
{
    const game *g;
    assert_ok(game_find("puyo-solo", &g));
    return g;
}

// A position of a random game, `turns` placements in.
static void walk(uint64_t number, int turns, py_solo *s)
{
    const game *g = solo();
    move_t moves[PY_MOVES];
    rng r = rng_at(5, number, 0);
    assert_ok(g->init(s, "pairs=uniform", (game_key){5, number}));
    for (int i = 0; i < turns && !g->result(s).over; i++) {
        int n = g->legal(s, moves);
        py_solo before = *s;
        g->play(s, moves[rng_below(&r, (uint32_t)n)], NULL);
        if (g->result(s).over) *s = before;
    }
}

static bool bit(const uint64_t *plane, int row, int col)
{
    int at = (PY_GHOST - row) * PY_COLS + col;
    return plane[at >> 6] >> (at & 63) & 1;
}

static int group_size(const py_field *f, int col, int row, bool seen[PY_COLS][PY_GHOST + 1])
{
    int code = py_get(f, col, row), n = 1;
    static const int step[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    seen[col][row] = true;
    for (int k = 0; k < 4; k++) {
        int c = col + step[k][0], r = row + step[k][1];
        if (c < 0 || c >= PY_COLS || r < 1 || r > PY_ROWS || seen[c][r] || py_get(f, c, r) != code) continue;
        n += group_size(f, c, r, seen);
    }
    return n;
}

static void afterstates_are_the_games(void **state)
{
    (void)state;
    const game *g = solo();
    for (uint64_t k = 0; k < 40; k++) {
        py_solo s;
        after_position p;
        after_state a[PY_MAX_LEGAL];
        move_t moves[PY_MOVES];
        walk(k, (int)k, &s);
        after_position_of(g, &s, 0, &p);
        assert_true(after_position_ok(&p));
        int n = g->legal(&s, moves);
        assert_int_equal(after_states(&p, a), n);
        for (int i = 0; i < n; i++) {
            py_solo next = s;
            step_event ev;
            g->play(&next, moves[i], &ev);
            assert_int_equal(a[i].move, moves[i]);
            assert_memory_equal(&a[i].field, &next.field, sizeof next.field);
            assert_int_equal(a[i].points, ev.points);
            assert_int_equal(a[i].links, ev.chain);
            assert_int_equal(a[i].lost, next.buried);
        }
    }
}

static void planes_show_the_field(void **state)
{
    (void)state;
    const game *g = solo();
    int twos = 0, threes = 0;
    for (uint64_t k = 0; k < 60; k++) {
        py_solo s;
        after_position p;
        after_state a[PY_MAX_LEGAL];
        uint64_t bits[AFTER_WORDS];
        float scalars[AFTER_SCALARS_MAX];
        walk(100 + k, (int)k / 2, &s);
        after_position_of(g, &s, 0, &p);
        int n = after_states(&p, a);
        const py_field *f = &a[(int)k % n].field;
        after_encode(&p, &a[(int)k % n], AFTER_TRIGGER, bits, scalars);
        for (int col = 0; col < PY_COLS; col++)
            for (int row = 1; row <= PY_GHOST; row++) {
                int code = py_get(f, col, row), size = 0;
                bool seen[PY_COLS][PY_GHOST + 1] = {{false}};
                if (code >= PY_RED && row <= PY_ROWS) size = group_size(f, col, row, seen);
                for (int c = PY_RED; c <= PY_BLUE; c++)
                    assert_int_equal(bit(bits + 2 * (c - PY_RED), row, col), code == c);
                assert_int_equal(bit(bits + 8, row, col), code == PY_NUISANCE);
                assert_int_equal(bit(bits + 10, row, col), code == PY_EMPTY);
                assert_int_equal(bit(bits + 12, row, col), size == 2);
                assert_int_equal(bit(bits + 14, row, col), size == 3);
                twos += size == 2;
                threes += size == 3;
            }
        for (int i = 0; i < after_scalars(AFTER_TRIGGER); i++) assert_true(isfinite(scalars[i]));
    }
    assert_true(twos > 50 && threes > 20); // the test saw both
}

// Renamed colours and back give the same position, and what is fired does not depend on names.
static void colours_are_names(void **state)
{
    (void)state;
    const uint8_t name[PY_CODES] = {0, 1, 4, 5, 3, 2, 6}, back[PY_CODES] = {0, 1, 5, 4, 2, 3, 6};
    const game *g = solo();
    for (uint64_t k = 0; k < 30; k++) {
        py_solo s;
        after_position p, q;
        after_state a[PY_MAX_LEGAL], b[PY_MAX_LEGAL];
        walk(200 + k, (int)k, &s);
        after_position_of(g, &s, 0, &p);
        q = p;
        after_rename(&q, name);
        assert_true(after_position_ok(&q));
        int n = after_states(&p, a);
        assert_int_equal(after_states(&q, b), n);
        for (int i = 0; i < n; i++) {
            assert_int_equal(a[i].points, b[i].points);
            for (int c = 0; c < PY_COLS; c++)
                for (int r = 1; r <= PY_GHOST; r++)
                    assert_int_equal(py_get(&b[i].field, c, r), name[py_get(&a[i].field, c, r)]);
        }
        after_rename(&q, back);
        assert_memory_equal(&p, &q, sizeof p);
    }
}

// In a match: what is on its way, less what the placement sends back.
static void nuisance_is_an_input(void **state)
{
    (void)state;
    const game *g;
    py_match m;
    after_position p;
    after_state a[PY_MAX_LEGAL];
    uint64_t bits[AFTER_WORDS];
    float calm[AFTER_SCALARS_MAX], storm[AFTER_SCALARS_MAX];
    assert_ok(game_find("puyo", &g));
    assert_ok(g->init(&m, "", (game_key){1, 1}));
    after_position_of(g, &m, 0, &p);
    assert_int_equal(p.versus, 1);
    assert_true(after_states(&p, a) > 0);
    after_encode(&p, a, AFTER_PLAIN, bits, calm);
    m.side[0].pending = 10;
    m.side[0].coming = 20;
    after_position_of(g, &m, 0, &p);
    assert_int_equal(p.incoming, 30);
    after_encode(&p, a, AFTER_PLAIN, bits, storm);
    int differ = 0;
    for (int i = 0; i < after_scalars(AFTER_PLAIN); i++) differ += calm[i] != storm[i];
    assert_int_equal(differ, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(afterstates_are_the_games),
        cmocka_unit_test(planes_show_the_field),
        cmocka_unit_test(colours_are_names),
        cmocka_unit_test(nuisance_is_an_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
