// Terms of a field: the fast chain potential against trying every pair on every placement with the plain chain, for every
// instruction set; triggers against dropping single puyos; heights by hand.
#include "games/puyo/puyo_match.h"
#include "search/puyo/puyo_beam_inner.h"
#include "search/puyo/puyo_terms.h"
#include "test.h"

static int slow_chain(const py_field *f, bool reach, int lose, int colours)
{
    int best = 0;
    for (int a = PY_RED; a < PY_RED + colours; a++)
        for (int b = PY_RED; b < PY_RED + colours; b++) {
            uint8_t pair = py_pair(a, b);
            for (uint32_t m = py_legal_mask(f, pair, reach, lose); m != 0; m &= m - 1) {
                py_field next = *f;
                py_place(&next, __builtin_ctz(m), pair);
                int links = py_chain(&next).links;
                if (links > best) best = links;
            }
        }
    return best;
}

static int slow_triggers(const py_field *f, unsigned columns, int colours)
{
    int n = 0;
    for (int c = 0; c < PY_COLS; c++) {
        bool fires = false;
        int h = py_height(f, c);
        for (int k = PY_RED; k < PY_RED + colours && (columns >> c & 1) != 0 && h < PY_ROWS; k++) {
            py_field next = *f;
            py_set(&next, c, h + 1, k);
            fires |= py_links(&next) > 0;
        }
        n += fires;
    }
    return n;
}

// A settled field without groups: pairs put anywhere, chains resolved, sometimes nuisance.
static py_field random_field(rng *r, int colours, int placements)
{
    py_field f = {0};
    for (int i = 0; i < placements; i++) {
        uint8_t pair =
            (uint8_t)((PY_RED + rng_below(r, (uint32_t)colours)) | (PY_RED + rng_below(r, (uint32_t)colours)) << 4);
        uint16_t moves[PY_MAX_LEGAL];
        int n = py_move_list(py_legal_mask(&f, pair, false, PY_LOSE_TSU), moves);
        if (n == 0) break;
        py_place(&f, moves[rng_below(r, (uint32_t)n)], pair);
        py_chain(&f);
        if (rng_below(r, 8) == 0) py_nuisance_fall(&f, 1 + (int)rng_below(r, 8), r);
    }
    return f;
}

static void test_potential(void **state)
{
    (void)state;
    rng r = rng_at(7, 0, 0);
    int most = 0;
    for (int i = 0; i < 600; i++) {
        int colours = 3 + (int)rng_below(&r, 3), lose = (int)rng_below(&r, 2);
        bool reach = rng_below(&r, 2) != 0;
        py_field f = random_field(&r, colours, (int)rng_below(&r, 36));
        unsigned columns = puyo_columns(&f, reach, lose);
        int chain = slow_chain(&f, reach, lose, colours), triggers = slow_triggers(&f, columns, colours);
        if (chain > most) most = chain;
        for (const beam_version *v = beam_versions(); v->name != NULL; v++) {
            if (!v->usable()) continue;
            puyo_potential p = v->potential(&f, columns, colours);
            if (p.chain != chain || p.triggers != triggers) {
                char text[PY_FIELD_TEXT];
                py_field_print(&f, text, sizeof text);
                fail_msg("%s: %s: %d, %d instead of %d, %d", v->name, text, p.chain, p.triggers, chain, triggers);
            }
        }
    }
    assert_true(most >= 3); // the fields were not all dull
}

static void test_known_chains(void **state)
{
    (void)state;
    py_field f;
    assert_ok(py_field_parse("RRR...", &f));
    puyo_terms t = puyo_terms_of(&f, py_pair(PY_RED, PY_BLUE), true, PY_LOSE_TSU, 4);
    assert_int_equal(t.chain, 1);
    assert_int_equal(t.triggers, 4); // on each of the three and beside them
    assert_int_equal(t.threat, 0);   // 40 points make no nuisance
    assert_float_equal(t.height, 0.5, 1e-6);
}

static void test_heights(void **state)
{
    (void)state;
    py_field f = {0};
    puyo_terms t = puyo_terms_of(&f, py_pair(PY_RED, PY_BLUE), true, PY_LOSE_TSU, 4);
    assert_float_equal(t.height, 0, 0);
    assert_float_equal(t.balance, 1, 0);
    assert_float_equal(t.danger, 0, 0);
    for (int row = 1; row <= 11; row++) py_set(&f, 0, row, PY_NUISANCE);
    t = puyo_terms_of(&f, py_pair(PY_RED, PY_BLUE), true, PY_LOSE_TSU, 4);
    assert_float_equal(t.height, 11.0 / 6, 1e-6); // the stack's height, not the distance from its top
    assert_float_equal(t.danger, 0.75, 1e-6);
    float variance = 121.0f / 6 - 121.0f / 36; // 16.8: 1 - 0.56 - 0.4
    assert_float_equal(t.balance, 1 - variance / 30 - 0.4f, 1e-5);
}

static void test_threat(void **state)
{
    (void)state;
    py_field f; // red on column 3 with blue above it: four reds, then four blues in a row, 40 + 4 * 10 * 8 points
    assert_ok(py_field_parse("BB..../RRRB..", &f));
    puyo_terms t = puyo_terms_of(&f, py_pair(PY_RED, PY_GREEN), true, PY_LOSE_TSU, 4);
    assert_int_equal(t.chain, 2);
    assert_int_equal(t.threat, 0); // a green in between
    t = puyo_terms_of(&f, py_pair(PY_RED, PY_BLUE), true, PY_LOSE_TSU, 4);
    assert_int_equal(t.threat, 360 / 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_potential),
        cmocka_unit_test(test_known_chains),
        cmocka_unit_test(test_heights),
        cmocka_unit_test(test_threat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
