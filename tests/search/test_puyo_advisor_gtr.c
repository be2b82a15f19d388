// The fold and its tails: 403 of them in 18 groups, as the published analysis counts, each fired to the end.
#include "games/puyo_texts.h"
#include "search/puyo/puyo_gtr.h"

static void folds(void **state)
{
    (void)state;
    uint8_t c[2];
    py_field f = field_of("GB..../GGB.../BBR...");
    assert_true(gtr_stands(&f, c));
    assert_int_equal(c[GTR_A], PY_GREEN);
    assert_int_equal(c[GTR_B], PY_BLUE);
    static const char *const none[] = {"......",
                                       "GB..../GGR.../BBR...",
                                       "GG..../GGB.../BBR...",
                                       "BB..../BBB.../BBR...",
                                       "GB..../GGO.../BBR...",
                                       "OB..../OOB.../BBR..."};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        f = field_of(none[i]);
        assert_false(gtr_stands(&f, NULL));
    }
    for (int col = 0; col < PY_COLS; col++)
        for (int row = 1; row <= PY_GHOST; row++) {
            int at = -1;
            for (int i = 0; i < GTR_CELLS; i++)
                if (gtr_cell[i].col == col && gtr_cell[i].row == row) at = i;
            assert_int_equal(gtr_cell_at(col, row), at);
        }
    f = field_of("GB..../GGBY.Y/BBRYYR");
    assert_int_equal(gtr_tail_count(&f), 5);
}

static py_field with_tail(const gtr_tail *t, const int code[3])
{
    py_field f = field_of("RY..../RRY.../YYG...");
    py_set(&f, 2, 1, PY_EMPTY);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < GTR_TAIL_CELLS; i++)
            if (t->colour[k] >> i & 1) py_set(&f, gtr_tail_cell[i][0], gtr_tail_cell[i][1], code[k]);
    return f;
}

static void the_403(void **state)
{
    (void)state;
    static const int by_group[GTR_GROUPS] = {57, 49, 37, 36, 31, 29, 26, 24, 21, 19, 17, 17, 16, 10, 6, 4, 3, 1};
    const gtr_tail *t = gtr_tails();
    const gtr_group *g = gtr_groups();
    int sum = 0, seen[GTR_GROUPS] = {0};
    for (int i = 0; i < GTR_GROUPS; i++) {
        assert_int_equal(g[i].tails, by_group[i]);
        assert_string_not_equal(g[i].name, "other");
        for (int k = 0; k < i; k++) assert_string_not_equal(g[i].name, g[k].name);
        sum += g[i].tails;
    }
    assert_int_equal(sum, 403);
    assert_string_equal(g[0].name, "Y"); // the type with the most variations
    for (int i = 0; i < GTR_TAILS; i++) {
        py_field f = with_tail(&t[i], (int[]){PY_GREEN, PY_BLUE, PY_PURPLE});
        assert_true(py_field_ok(&f, 5));
        assert_int_equal(gtr_links(&f), 5);
        seen[t[i].group]++;
        py_set(&f, 0, 4, PY_RED);
        py_link_info link;
        for (int k = 1; k <= 5; k++) {
            assert_true(py_link(&f, k, &link));
            assert_int_equal(link.cleared, 4);
        }
        assert_true(py_is_empty(&f));
        for (int k = 0; k < i; k++) assert_memory_not_equal(t[i].colour, t[k].colour, sizeof t[i].colour);
    }
    for (int i = 0; i < GTR_GROUPS; i++) assert_int_equal(seen[i], by_group[i]);
}

static void tails_are_recognised(void **state)
{
    (void)state;
    gtr_tail_view v;
    const gtr_tail *t = gtr_tails();
    for (int i = 0; i < GTR_TAILS; i++) {
        py_field f = with_tail(&t[i], (int[]){PY_BLUE, PY_RED, PY_GREEN}); // A's colour may be in the tail
        gtr_look_at_tail(&f, &v);
        assert_int_equal(v.missing, 0);
        assert_int_equal(v.possible, 1);
        assert_int_equal(v.nearest, i);
        // Without its topmost puyos it is still possible.
        for (int c = 3; c < PY_COLS; c++)
            if (py_height(&f, c) > 0) py_set(&f, c, py_height(&f, c), PY_EMPTY);
        gtr_look_at_tail(&f, &v);
        assert_true(v.possible >= 1 && v.missing > 0 && v.missing <= 3);
        assert_true(v.by_group[t[i].group] >= 1);
        assert_int_equal(v.filled + v.missing, 12);
    }
    py_field f = field_of("RY..../RRY.../YYG...");
    gtr_look_at_tail(&f, &v);
    assert_int_equal(v.filled, 1);
    int possible = 0; // all that have anything on (3,1): every one of them
    for (int i = 0; i < GTR_TAILS; i++) possible += ((t[i].colour[0] | t[i].colour[1] | t[i].colour[2]) & 1) != 0;
    assert_int_equal(v.possible, possible);
    assert_int_equal(possible, GTR_TAILS);
    f = field_of("RY..../RRY.../YYGY.."); // B in the tail: none
    gtr_look_at_tail(&f, &v);
    assert_int_equal(v.possible, 0);
    assert_int_equal(v.nearest, -1);
    f = field_of("RY..../RRY.../YYGO..");
    gtr_look_at_tail(&f, &v);
    assert_int_equal(v.possible, 0);
    f = field_of("RY..../RRB.../YYGG.."); // no fold
    gtr_look_at_tail(&f, &v);
    assert_int_equal(v.nearest, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(folds), cmocka_unit_test(the_403),
                                       cmocka_unit_test(tails_are_recognised)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
