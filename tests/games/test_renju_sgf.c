// SGF as a format, and renju's records in it: what is read, and errors that name the place.
#include "base/rng.h"
#include "games/game.h"
#include "games/renju/renju_record.h"
#include "games/sgf.h"
#include "test.h"

static sgf *parse(const char *text)
{
    sgf *s = NULL;
    assert_ok(sgf_parse(text, strlen(text), &s));
    return s;
}

static rj_record read_record(const char *text)
{
    rj_record r;
    assert_ok(rj_record_read(text, strlen(text), 0, 0, &r));
    return r;
}

static void refuse(const char *text, const char *says)
{
    rj_record r;
    assert_err(rj_record_read(text, strlen(text), 0, 0, &r), says);
}

// --- the format

static void a_tree_is_read(void **state)
{
    (void)state;
    sgf *s =
        parse("a mail header\n(;FF[4]GaMe[4]C[one\\]\\\\ two\nthree\\\nfour]AB[aa][bb]\n ;B[cc]\n(;W[dd];B[ee])(;W[ff])"
              "(;W[gg])) junk (no game) (;PB[second])");
    assert_int_equal(sgf_games(s), 2);
    const sgf_node *n = sgf_root(s, 0);
    assert_string_equal(sgf_text(n, "GM"), "4"); // the small letters of old files
    assert_string_equal(sgf_text(n, "C"), "one]\\ two\nthreefour");
    const sgf_prop *ab = sgf_find(n, "AB");
    assert_int_equal(ab->n_values, 2);
    assert_string_equal(ab->values[1].text, "bb");
    assert_int_equal(ab->line, 4);
    assert_int_equal(ab->column, 6);
    assert_null(sgf_find(n, "B"));
    n = n->child;
    assert_string_equal(sgf_text(n, "B"), "cc");
    assert_string_equal(sgf_text(n->child, "W"), "dd");
    assert_string_equal(sgf_text(n->child->child, "B"), "ee");
    assert_string_equal(sgf_text(n->child->next, "W"), "ff");
    assert_string_equal(sgf_text(n->child->next->next, "W"), "gg");
    assert_null(n->child->next->next->next);
    assert_string_equal(sgf_text(sgf_root(s, 1), "PB"), "second");
    char *text = NULL, *again = NULL;
    assert_ok(sgf_print(s, &text));
    sgf *t = parse(text);
    assert_ok(sgf_print(t, &again));
    assert_string_equal(text, again);
    free(text);
    free(again);
    sgf_free(s);
    sgf_free(t);
}

static void line_breaks_of_all_kinds(void **state)
{
    (void)state;
    sgf *s = parse("(;C[a\rb\r\nc\n\rd\\\r\ne\tf]\r\n;B[aa]\r;W[bb]\n;B[cc])");
    const sgf_node *n = sgf_root(s, 0);
    assert_string_equal(sgf_text(n, "C"), "a\nb\nc\nde f");
    const sgf_prop *last = sgf_find(n->child->child->child, "B");
    assert_int_equal(last->column, 2);
    sgf_free(s);
}

static void malformed_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "no game"},
        {"hello", "no game"},
        {"()", "no game"},
        {"(;", "line 1, column 3: the file ends inside a game"},
        {"(;B[aa]", "the file ends"},
        {"(;B[aa", "line 1, column 4: this [ has no ]"},
        {"(;B[aa\\", "this [ has no ]"},
        {"(;B)", "expected [ and a value of B"},
        {"(;b[aa])", "needs a capital letter"},
        {"(;\nB[aa]\n  5)", "line 3, column 3: expected a property"},
        {"(;B[aa](B[bb]))", "expected ; after ("},
        {"(;B[aa](;W[bb]);B[cc])", "since a variation ended"},
        {"(;B[aa](;W[bb])B[cc])", "expected ( or )"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sgf *s = NULL;
        assert_err(sgf_parse(bad[i].text, strlen(bad[i].text), &s), bad[i].says);
        assert_null(s);
    }
}

// A million nested variations need no stack.
static void depth_costs_no_stack(void **state)
{
    (void)state;
    enum { DEPTH = 1000000 };
    char *text = malloc(3 * DEPTH);
    for (int i = 0; i < DEPTH; i++) memcpy(text + 2 * i, "(;", 2);
    memset(text + 2 * DEPTH, ')', DEPTH);
    sgf *s = NULL;
    assert_ok(sgf_parse(text, 3 * DEPTH, &s));
    char *out = NULL;
    assert_ok(sgf_print(s, &out));
    assert_int_equal(strlen(out), DEPTH + 2 + 1 + (DEPTH - 1) / 73);
    free(out);
    sgf_free(s);
    free(text);
}

// --- renju's records

static void a_record_is_read(void **state)
{
    (void)state;
    rj_record r = read_record("(;FF[4]GM[4]SZ[15]RU[Renju]PB[Alice\nA.]PW[Bob]RE[B+]DT[2026-11-15]C[before]\n"
                              ";B[hh]C[centre];W[ig](;B[gi])(;B[jj]))");
    assert_int_equal(r.variant, 0);
    assert_int_equal(r.n_moves, 3);
    assert_int_equal(r.move[0], 7 * 15 + 7);
    assert_int_equal(r.move[1], 6 * 15 + 8); // i9
    assert_int_equal(r.move[2], 8 * 15 + 6);

    r = read_record("(;GM[4]RU[free];B[h8];W[i9])"); // the other way to write points
    assert_int_equal(r.variant, 2);
    assert_int_equal(r.move[1], 6 * 15 + 8);
    r = read_record("(;SZ[20]RU[Freestyle gomoku];B[tt])");
    assert_int_equal(r.variant, 3);
    assert_int_equal(r.move[0], 399);
    r = read_record("(;RU[standard];B[hh])");
    assert_int_equal(r.variant, 1);
}

static void setups_are_read(void **state)
{
    (void)state;
    rj_record r = read_record("(;GM[4]AB[hh][ii][aa:bb]AW[gg]AE[ab];W[jj];B[kk])");
    rj_any_state s;
    char text[GAME_TEXT];
    const game *g;
    assert_ok(game_find("renju", &g));
    assert_int_equal(r.first, RJ_WHITE); // the first move says so
    assert_ok(rj_record_state(&r, 2, &s.s));
    g->state_print(&s, text, sizeof text);
    assert_string_equal(text, "XX13/XX13/15/15/15/15/6O8/7X7/8X6/9O5/10X4/15/15/15/15 w k5");
    r = read_record("(;AB[hh]PL[W];AW[ii];W[jj])"); // set up in two nodes
    assert_int_equal(r.first, RJ_WHITE);
    assert_ok(rj_record_state(&r, 0, &s.s));
    assert_int_equal(g->seat(&s), 1);
    refuse("(;AB[hh]PL[X])", "PL[X]");
    refuse("(;AB[zz])", "line 1, column 5: AB[zz]");
    refuse("(;AB[aa:zz])", "AB[aa:zz]");
    refuse("(;AB[aa:bb:cc])", "AB[aa:bb:cc]");
    refuse("(;AB[aa][ab][ac][ad][ae];W[hh])", "five in a row before the first move");
    refuse("(;AB[aa][ab][ac][ad][ae])", "five in a row before the first move");
    refuse("(;B[hh];AB[aa])", "after the first move");
}

static void bad_records_name_the_place(void **state)
{
    (void)state;
    refuse("(;GM[1]SZ[19];B[pd])", "GM[1] is another game");
    refuse("(;SZ[19];B[pd])", "no renju on 19 x 19");
    refuse("(;SZ[x];B[pd])", "SZ[x]");
    refuse("(;SZ[15:20];B[pd])", "SZ[15:20]");
    refuse("(;SZ[52];B[pd])", "no renju on 52 x 52"); // the largest that SGF has letters for
    refuse("(;SZ[53];B[pd])", "SZ[53] is no size of a board");
    refuse("(;SZ[15x];B[pd])", "SZ[15x] is no size of a board");
    refuse("(;SZ[15:15:15];B[pd])", "SZ[15:15:15] is no size of a board");
    refuse("(;SZ[1];B[aa])", "SZ[1] is no size of a board");
    refuse("(;\n;B[hh]\n;W[hh])", "line 3, column 2: W[hh]: this point is taken");
    refuse("(;B[hh];B[ii])", "black moves, but");
    refuse("(;W[hh])", "white moves, but");
    refuse("(;B[])", "a pass");
    refuse("(;B[hhh])", "B[hhh]");
    refuse("(;B[pp])", "B[pp]");
    refuse("(;B[hh]W[ii])", "a move of black and one of white");
    rj_record r;
    const char *two = "(;B[hh])(;B[gg])";
    assert_ok(rj_record_read(two, strlen(two), 1, 0, &r));
    assert_int_equal(r.move[0], 6 * 15 + 6);
    assert_err(rj_record_read(two, strlen(two), 2, 0, &r), "game 3 of a file with 2");
}

// Records go on where our rules have ended the game: black played a foul that nobody claimed.
static void moves_after_the_end_are_counted(void **state)
{
    (void)state;
    rj_record r = read_record("(;B[gh];W[aa];B[ih];W[ac];B[hg];W[ae];B[hi];W[ag];B[hh];W[ai]C[late];B[ak])");
    assert_int_equal(r.n_moves, 9);
    assert_int_equal(r.unplayed, 2);
}

static void put_point(sgf_out *o, const char *id, int size, int p) // id NULL: one more of the property before
{
    const char text[3] = {(char)('a' + p % size), (char)('a' + p / size), 0};
    if (id == NULL)
        sgf_put_more(o, text);
    else
        sgf_put(o, id, text);
}

static void random_records_are_read(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 400; i++) {
        rng r = rng_at(77, i, 0);
        rj_record a = {.variant = (int)(i % 4)}, b;
        int size = rj_variants[a.variant].size;
        char *text = NULL, number[8];
        sgf_out o = {0};
        rj_any_state s;
        const game *g;
        move_t moves[400];
        assert_ok(game_find(rj_variants[a.variant].name, &g));
        snprintf(number, sizeof number, "%d", size);
        sgf_begin(&o);
        sgf_node_begin(&o);
        sgf_put(&o, "SZ", number);
        sgf_put(&o, "RU", g->name);
        if (i % 3 == 1) {
            a.setup[0][1] = 0x5;
            a.setup[1][2] = 0x400;
            a.first = (int)(i / 3 % 2);
            put_point(&o, "AB", size, 64);
            put_point(&o, NULL, size, 66);
            put_point(&o, "AW", size, 138);
            sgf_put(&o, "PL", a.first ? "W" : "B");
        }
        assert_ok(rj_record_state(&a, 0, &s.s));
        for (int n; (n = g->legal(&s, moves)) > 0 && (i % 5 || a.n_moves < 20);) {
            move_t m = moves[rng_below(&r, (uint32_t)n)];
            sgf_node_begin(&o);
            put_point(&o, g->seat(&s) ? "W" : "B", size, m);
            a.move[a.n_moves++] = m;
            g->play(&s, m, NULL);
        }
        sgf_end(&o);
        assert_ok(sgf_take(&o, &text));
        assert_ok(rj_record_read(text, strlen(text), 0, 0, &b));
        assert_int_equal(a.variant, b.variant);
        assert_int_equal(a.first, b.first);
        assert_int_equal(a.n_moves, b.n_moves);
        assert_memory_equal(a.move, b.move, (size_t)a.n_moves * sizeof *a.move);
        assert_memory_equal(a.setup, b.setup, sizeof a.setup);
        assert_int_equal(b.unplayed, 0);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_is_read),
        cmocka_unit_test(line_breaks_of_all_kinds),
        cmocka_unit_test(malformed_files_are_refused),
        cmocka_unit_test(depth_costs_no_stack),
        cmocka_unit_test(a_record_is_read),
        cmocka_unit_test(setups_are_read),
        cmocka_unit_test(bad_records_name_the_place),
        cmocka_unit_test(moves_after_the_end_are_counted),
        cmocka_unit_test(random_records_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
