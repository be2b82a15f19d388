// Tic-tac-toe against what everybody knows of it.
#include "games/conformance.h"
#include "test.h"

static const game *g;

static int setup(void **state)
{
    (void)state;
    return game_find("tictactoe", &g) == ERR_OK ? 0 : -1;
}

// Games by length: 1440, 5328, 47952, 72576 and 127872 end after 5 to 9 moves; 255,168 in all (Schaefer 2002).
static void perft_counts(void **state)
{
    (void)state;
    static const uint64_t known[6] = {1, 9, 72, 504, 3024, 15120};
    char s[16];
    assert_ok(g->init(s, "", (game_key){0, 0}));
    for (int d = 0; d <= 5; d++) assert_int_equal(game_perft(g, s, d), known[d]);
    assert_int_equal(game_perft(g, s, 9), 255168);
}

static void positions_are_checked(void **state)
{
    (void)state;
    char s[16];
    assert_ok(g->state_parse("X-O-X----", s));
    assert_err(g->state_parse("X-O-X---", s), "square 9");
    assert_err(g->state_parse("X-Z-X----", s), "column 3");
    assert_err(g->state_parse("XXX------", s), "as many stones");
    assert_err(g->state_parse("XXXOOO---", s), "three in a row");
    move_t m;
    assert_ok(g->state_parse("X-O-X----", s));
    assert_err(g->move_parse(s, "a3", &m), "taken");
    assert_err(g->move_parse(s, "d1", &m), "file");
    assert_ok(g->move_parse(s, "c1", &m));
    assert_int_equal(m, 8);
}

static void conforms(void **state)
{
    (void)state;
    conform(g, "", 1000000, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perft_counts),
        cmocka_unit_test(positions_are_checked),
        cmocka_unit_test(conforms),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
