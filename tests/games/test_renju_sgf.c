// SGF as a format, renju's records in it, and lists of moves: round trips, and errors that name the place.
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
    assert_int_equal(sgf_branches(n), 2);
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
    assert_int_equal(sgf_branches(sgf_root(t, 0)), 2);
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
    assert_int_equal(r.branches, 1);
    assert_string_equal(r.text[RJ_TEXT_BLACK], "Alice A.");
    assert_string_equal(r.text[RJ_TEXT_RESULT], "B+");
    assert_null(r.text[RJ_TEXT_EVENT]);
    assert_string_equal(r.comment[0], "before");
    assert_string_equal(r.comment[1], "centre");
    char moves[64];
    rj_moves_print(r.variant, r.move, r.n_moves, moves, sizeof moves);
    assert_string_equal(moves, "h8i9g7");
    rj_record_free(&r);

    r = read_record("(;GM[4]RU[free];B[h8];W[i9])"); // the other way to write points
    assert_int_equal(r.variant, 2);
    assert_int_equal(r.move[1], 6 * 15 + 8);
    rj_record_free(&r);
    r = read_record("(;SZ[20]RU[Freestyle gomoku];B[tt])");
    assert_int_equal(r.variant, 3);
    assert_int_equal(r.move[0], 399);
    rj_record_free(&r);
    r = read_record("(;RU[standard];B[hh])");
    assert_int_equal(r.variant, 1);
    rj_record_free(&r);
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
    rj_record_free(&r);
    r = read_record("(;AB[hh]PL[W];AW[ii];W[jj])"); // set up in two nodes
    assert_int_equal(r.first, RJ_WHITE);
    assert_ok(rj_record_state(&r, 0, &s.s));
    assert_int_equal(g->seat(&s), 1);
    rj_record_free(&r);
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
    rj_record_free(&r);
    assert_err(rj_record_read(two, strlen(two), 2, 0, &r), "game 3 of a file with 2");
}

// Records go on where our rules have ended the game: black played a foul that nobody claimed.
static void moves_after_the_end_are_counted(void **state)
{
    (void)state;
    rj_record r = read_record("(;B[gh];W[aa];B[ih];W[ac];B[hg];W[ae];B[hi];W[ag];B[hh];W[ai]C[late];B[ak])");
    assert_int_equal(r.n_moves, 9);
    assert_int_equal(r.unplayed, 2);
    char *text = NULL;
    assert_ok(rj_record_write(&r, &text));
    assert_non_null(strstr(text, "RE[W+]"));
    free(text);
    rj_record_free(&r);
}

static void same_record(const rj_record *a, const rj_record *b)
{
    assert_int_equal(a->variant, b->variant);
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->n_moves, b->n_moves);
    assert_memory_equal(a->move, b->move, (size_t)a->n_moves * sizeof *a->move);
    assert_memory_equal(a->setup, b->setup, sizeof a->setup);
    for (int i = 0; i < RJ_TEXTS; i++)
        if (i != RJ_TEXT_RESULT || a->text[i] != NULL) {
            assert_int_equal(a->text[i] == NULL, b->text[i] == NULL);
            if (a->text[i] != NULL) assert_string_equal(a->text[i], b->text[i]);
        }
    for (int i = 0; i <= a->n_moves; i++) {
        assert_int_equal(a->comment[i] == NULL, b->comment[i] == NULL);
        if (a->comment[i] != NULL) assert_string_equal(a->comment[i], b->comment[i]);
    }
}

static char *random_text(rng *r)
{
    static const char letters[] = "ab ]\\[:;()\xc3\xa9\xe5\x9b\xb2";
    int n = (int)rng_below(r, 30);
    char *text = malloc((size_t)n + 1);
    for (int i = 0; i < n; i++) text[i] = letters[rng_below(r, sizeof letters - 1)];
    text[n] = 0;
    return text;
}

static void records_make_the_round_trip(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 400; i++) {
        rng r = rng_at(77, i, 0);
        rj_record a = {.variant = (int)(i % 4)}, b, c;
        rj_any_state s;
        const game *g;
        move_t moves[400];
        assert_ok(game_find(rj_variants[a.variant].name, &g));
        if (i % 3 == 1) {
            a.setup[0][1] = 0x10005;
            a.setup[1][2] = 0x20400;
            a.first = (int)(i / 3 % 2);
        }
        assert_ok(rj_record_state(&a, 0, &s.s));
        for (int n; (n = g->legal(&s, moves)) > 0 && (i % 5 || a.n_moves < 20);) {
            move_t m = moves[rng_below(&r, (uint32_t)n)];
            a.move[a.n_moves++] = m;
            g->play(&s, m, NULL);
            if (rng_below(&r, 4) == 0) a.comment[a.n_moves] = random_text(&r);
        }
        for (int k = 0; k < RJ_TEXTS; k++)
            if (rng_below(&r, 2)) a.text[k] = random_text(&r);
        char *text = NULL, *again = NULL;
        assert_ok(rj_record_write(&a, &text));
        assert_ok(rj_record_read(text, strlen(text), 0, 0, &b));
        same_record(&a, &b);
        assert_int_equal(b.unplayed + b.branches, 0);
        assert_ok(rj_record_write(&b, &again));
        assert_string_equal(text, again);
        free(text);
        free(again);
        rj_record_free(&b);

        // The moves alone, as a list; only from the empty board.
        if (i % 3 != 1) {
            char list[4 * RJ_MAX_POINTS + 1];
            int len = rj_moves_print(a.variant, a.move, a.n_moves, list, sizeof list);
            assert_int_equal(len, strlen(list));
            assert_ok(rj_moves_parse(a.variant, list, c.move, &c.n_moves));
            assert_int_equal(c.n_moves, a.n_moves);
            assert_memory_equal(c.move, a.move, (size_t)a.n_moves * sizeof *a.move);
        }
        rj_record_free(&a);
    }
}

static void lists_of_moves(void **state)
{
    (void)state;
    uint16_t moves[RJ_MAX_POINTS];
    int n = -1;
    assert_ok(rj_moves_parse(0, "1. h8 i9 2. G7, j10\n3.h10", moves, &n));
    assert_int_equal(n, 5);
    char text[32], cut[6] = "?????";
    assert_int_equal(rj_moves_print(0, moves, n, text, sizeof text), 12);
    assert_string_equal(text, "h8i9g7j10h10");
    assert_int_equal(rj_moves_print(0, moves, n, cut, sizeof cut),
                     12); // as snprintf: cut, ended, whole length returned
    assert_string_equal(cut, "h8i9g");
    assert_int_equal(rj_moves_print(0, moves, n, NULL, 0), 12);
    assert_ok(rj_moves_parse(0, "", moves, &n));
    assert_int_equal(n, 0);
    assert_err(rj_moves_parse(0, "h8i9h8", moves, &n), "column 5");
    assert_err(rj_moves_parse(0, "h8i9q1", moves, &n), "expected a point a1 to o15");
    assert_err(rj_moves_parse(0, "h8 a1 g8 c1 i8 e1 j8 g1 k8 i1", moves, &n), "over before this move");
    assert_err(rj_moves_parse(0, "h8 h", moves, &n), "expected a point");
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
        cmocka_unit_test(records_make_the_round_trip),
        cmocka_unit_test(lists_of_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
