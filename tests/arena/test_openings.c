// Opening sets: renju's 26, balanced lines, files.
#include "agents/agent.h"
#include "arena/openings.h"
#include "games/history.h"
#include "test.h"

static const game *the_game(const char *name)
{
    const game *g = NULL;
    assert_ok(game_find(name, &g));
    return g;
}

static uint64_t position(const game *g, const opening *o, int sym)
{
    char *s = calloc(1, g->state_size);
    assert_ok(g->init(s, "", (game_key){0, 0}));
    for (int i = 0; i < o->plies; i++) g->play(s, g->sym_move(sym, o->moves[i]), NULL);
    uint64_t hash = g->hash(s);
    free(s);
    return hash;
}

static void the_26_openings_of_renju(void **state)
{
    (void)state;
    const game *g = the_game("renju");
    openings o;
    assert_ok(openings_make(&o, g, "", "named", 100, 1));
    assert_int_equal(o.n, 26);
    int direct = 0;
    for (uint32_t i = 0; i < o.n; i++) {
        const opening *a = &o.line[i];
        assert_int_equal(a->plies, 3);
        direct += a->name[0] == 'D';
        assert_int_equal(a->moves[0], 7 * 15 + 7);
        for (uint32_t k = 0; k < i; k++) // all different up to the eight symmetries: that is why there are 26
            for (int sym = 0; sym < g->n_syms; sym++) assert_true(position(g, a, sym) != position(g, &o.line[k], 0));
    }
    assert_int_equal(direct, 13);
    openings_free(&o);
    assert_ok(openings_make(&o, g, "", "named", 10, 1));
    assert_int_equal(o.n, 10);
    openings_free(&o);
    assert_err(openings_make(&o, the_game("othello"), "", "named", 10, 1), "no named openings");
}

static void balanced_lines_are_balanced(void **state)
{
    (void)state;
    static const struct {
        const char *game, *judge;
        int plies;
        uint32_t want;
    } cases[] = {{"othello", "alphabeta:depth=6,exact=0,hash=14", 8, 12},
                 {"contrast", "alphabeta:depth=3,hash=14", 4, 3}};
    for (int k = 0; k < 2; k++) {
        const game *g = the_game(cases[k].game);
        openings o, again, other;
        agent *judge;
        assert_ok(openings_make(&o, g, "", "balanced", cases[k].want, 7));
        assert_ok(openings_make(&again, g, "", "balanced", cases[k].want, 7));
        assert_ok(openings_make(&other, g, "", "balanced", cases[k].want, 8));
        assert_int_equal(o.n, cases[k].want);
        assert_memory_equal(o.line, again.line, o.n * sizeof *o.line);
        assert_true(memcmp(o.line, other.line, o.n * sizeof *o.line) != 0);
        assert_ok(agent_open(&judge, g, cases[k].judge));
        char *s = calloc(1, g->state_size);
        for (uint32_t i = 0; i < o.n; i++) {
            assert_int_equal(o.line[i].plies, cases[k].plies);
            assert_ok(g->init(s, "", (game_key){0, 0}));
            for (int m = 0; m < o.line[i].plies; m++) g->play(s, o.line[i].moves[m], NULL);
            agent_choice c;
            agent_begin(judge, (game_key){0, 0}, g->seat(s));
            assert_ok(agent_choose(judge, s, &c));
            assert_true(c.value > 0.3f && c.value < 0.7f);
            for (uint32_t j = 0; j < i; j++) assert_true(position(g, &o.line[i], 0) != position(g, &o.line[j], 0));
        }
        free(s);
        agent_close(judge);
        openings_free(&o);
        openings_free(&again);
        openings_free(&other);
    }
}

// The fixed sets: many lines, none twice up to symmetry, and a search of many nodes calls them even on the whole. They were judged
// by games of the engine with older numbers; today's sees a little more for the side to move, and refutes a line here and there.
static void even_lines_are_even(void **state)
{
    (void)state;
    static const char *const names[] = {"renju", "gomoku", "freestyle", "freestyle20"};
    for (int k = 0; k < 4; k++) {
        const game *g = the_game(names[k]);
        openings o, again, other;
        agent *judge;
        char *s = calloc(1, g->state_size);
        double sum = 0;
        int asked = 0, far = 0;
        assert_ok(openings_make(&o, g, "", "balanced", 1000, 7));
        assert_ok(openings_make(&again, g, "", "balanced", 1000, 7));
        assert_ok(openings_make(&other, g, "", "balanced", 20, 8));
        assert_in_range(o.n, 40, 1000);
        assert_memory_equal(o.line, again.line, o.n * sizeof *o.line);
        assert_true(memcmp(o.line, other.line, 20 * sizeof *o.line) != 0);
        assert_ok(agent_open(&judge, g, "alphabeta:nodes=20000,hash=14"));
        for (uint32_t i = 0; i < o.n; i++) {
            assert_in_range(o.line[i].plies, 3, 8);
            for (uint32_t j = 0; j < i; j++)
                for (int sym = 0; sym < g->n_syms; sym++)
                    if (o.line[i].plies == o.line[j].plies)
                        assert_true(position(g, &o.line[i], sym) != position(g, &o.line[j], 0));
            if (i % 4 != 0) continue;
            assert_ok(g->init(s, "", (game_key){0, 0}));
            for (int m = 0; m < o.line[i].plies; m++) g->play(s, o.line[i].moves[m], NULL);
            agent_choice c;
            agent_begin(judge, (game_key){0, 0}, g->seat(s));
            assert_ok(agent_choose(judge, s, &c));
            far += c.value < 0.15f || c.value > 0.85f; // the bounds of keiko tune renju-openings
            sum += (double)c.value;
            asked++;
        }
        assert_true(sum / asked > 0.38 && sum / asked < 0.65); // 0.50 to 0.62
        assert_in_range(far, 0, 1);
        free(s);
        agent_close(judge);
        openings_free(&o);
        openings_free(&again);
        openings_free(&other);
    }
}

static void auto_fits_the_game(void **state)
{
    (void)state;
    openings o;
    assert_ok(openings_make(&o, the_game("renju"), "", "auto", 28, 1));
    assert_int_equal(o.n, 28);
    assert_int_equal(o.line[0].plies, 3);
    assert_true(o.line[0].name[0] != 0);
    assert_in_range(o.line[27].plies, 3, 8);
    openings_free(&o);
    assert_ok(openings_make(&o, the_game("puyo"), "", "auto", 28, 1)); // the shared pairs are the opening
    assert_int_equal(o.n, 1);
    assert_int_equal(o.line[0].plies, 0);
    openings_free(&o);
    assert_ok(openings_make(&o, the_game("tictactoe"), "", "auto", 1000, 1)); // few exist; it ends all the same
    assert_in_range(o.n, 3, 12);
    openings_free(&o);
    assert_err(openings_make(&o, the_game("puyo"), "", "balanced", 3, 1), "chance");
    assert_err(openings_make(&o, the_game("renju"), "", "best", 3, 1), "auto|balanced|named|start");
    assert_err(openings_make(&o, the_game("renju"), "", "start", 0, 1), "1 to");
    assert_int_equal(openings_at(NULL, 5)->plies, 0);
}

static void files(void **state)
{
    (void)state;
    const game *g = the_game("othello");
    openings o;
    assert_ok(openings_read(&o, g, "", "# two\nf5;d6;c3\r\n\nTiger: f5;d6;c3;d3;c4 # known\n", "a.txt"));
    assert_int_equal(o.n, 2);
    assert_string_equal(o.line[0].name, "");
    assert_int_equal(o.line[0].plies, 3);
    assert_string_equal(o.line[1].name, "Tiger");
    assert_int_equal(o.line[1].plies, 5);
    assert_ptr_equal(openings_at(&o, 3), &o.line[1]);
    openings_free(&o);
    assert_err(openings_read(&o, g, "", "f5;d6\nf5;f5\n", "a.txt"), "a.txt, line 2: move 2");
    assert_err(openings_read(&o, g, "", "# nothing\n", "a.txt"), "no openings");
    assert_err(openings_read(&o, the_game("tictactoe"), "", "a1;a2;b1;b2;c1\n", "a.txt"), "over");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_26_openings_of_renju),
        cmocka_unit_test(balanced_lines_are_balanced),
        cmocka_unit_test(even_lines_are_even),
        cmocka_unit_test(auto_fits_the_game),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
