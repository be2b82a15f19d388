// Opening books of Othello: found in every orientation, text and back, refused where malformed, grown the same whatever the
// threads, played and shown by the agent.
// labels: threads
#include "agents/agent.h"
#include "base/file.h"
#include "learn/tune/book_othello.h"
#include "test.h"

static void grow(int threads, int positions, oth_book *out)
{
    book_options o = {.seed = 3, .positions = positions, .depth = 3, .weights = oth_weights_shipped()};
    assert_non_null(o.weights);
    o.threads = threads > 1 ? pool_new(threads) : NULL;
    assert_ok(book_othello(&o, out));
    pool_free(o.threads);
}

static void test_grow(void **state)
{
    (void)state;
    oth_book k, other;
    text_buf one = {0}, three = {0};
    grow(1, 150, &k);
    grow(3, 150, &other);
    assert_int_equal(k.n, 150);
    assert_ok(oth_book_write(&k, &one));
    assert_ok(oth_book_write(&other, &three));
    assert_string_equal(one.data, three.data);
    oth_book_free(&other);

    assert_ok(oth_book_read(&other, one.data));
    assert_int_equal(other.n, 150);
    assert_memory_equal(other.at, k.at, 150 * sizeof *k.at);

    // Every move is legal in every image; where it leads to a known position, it is worth what that one is.
    int linked = 0;
    for (int i = 0; i < k.n; i++)
        for (int sym = 0; sym < OTH_SYMS; sym++) {
            oth_book_move move[OTH_BOOK_MOVES], reply[OTH_BOOK_MOVES];
            oth_board b = oth_sym_board(sym, k.at[i].b);
            int n = oth_book_find(&k, b, move);
            assert_int_equal(n, k.at[i].n);
            for (int m = 0; m < n; m++) {
                assert_true(oth_moves(b) >> move[m].sq & 1);
                assert_true(m == 0 || move[m].score <= move[m - 1].score);
                oth_board next = oth_play(b, move[m].sq);
                if (oth_moves(next) == 0 || oth_book_find(&k, next, reply) == 0) continue;
                assert_int_equal(move[m].score, -reply[0].score);
                linked++;
            }
        }
    assert_true(linked > 8 * 100);
    text_free(&one);
    text_free(&three);
    oth_book_free(&k);
    oth_book_free(&other);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "0000000810000000 0000001008000000",
        "0000000810000000 0000001008000000 d3",
        "0000000810000000 0000001008000000 a1+0",
        "0000000810000000 0000000810000000 d3+0",
        "0000000810000000 0000001008000000 d3+0 c4+2",
        "0000000810000000 0000001008000000 d3+99",
        "0000000810000000 0000001008000000 d3+0 hello",
        "00000000810000000 0000001008000000 d3+0",
        "0000000810000000 0000001008000000 d3+0\n0000000810000000 0000001008000000 d3+0",
        "0000200810000000 0000001008000000 d3+0", // a smaller image exists
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        oth_book k;
        assert_int_equal(oth_book_read(&k, bad[i]), ERR_PARSE);
        assert_int_equal(k.n, 0);
        assert_non_null(strstr(err_text(), "line "));
    }
    oth_book k;
    assert_ok(oth_book_read(&k, "# nothing\n\n"));
    assert_int_equal(k.n, 0);
    oth_book_free(&k);
}

static void test_agent(void **state)
{
    (void)state;
    // A move that no search would choose shows who chose it.
    const char *path = "test-book.txt", *text = "0000000810000000 0000001008000000 c4+5 d3-2\n";
    const game *g;
    agent *a;
    oth_state s;
    agent_choice c, lines[4];
    int n = 0;
    assert_ok(file_write_atomic(path, text, strlen(text)));
    assert_ok(game_find("othello", &g));
    assert_ok(agent_open(&a, g, "alphabeta:depth=2,book=test-book.txt"));
    assert_ok(g->init(&s, "", (game_key){0, 0}));
    agent_begin(a, (game_key){1, 1}, 0);
    assert_ok(agent_choose(a, &s, &c));
    assert_int_equal(c.move, 26); // c4
    assert_string_equal(c.text, "book: c4 +5, d3 -2");
    assert_ok(agent_analyse(a, &s, 4, lines, &n));
    assert_int_equal(n, 4);
    for (int i = 0; i < n; i++) {
        const char *said = strstr(lines[i].text, "; book ");
        assert_true((said != NULL) == (lines[i].move == 26 || lines[i].move == 19));
        if (lines[i].move == 19) assert_string_equal(said, "; book -2");
    }
    g->play(&s, c.move, NULL);
    assert_ok(agent_choose(a, &s, &c)); // beyond the book
    assert_null(strstr(c.text, "book"));
    agent_close(a);
    assert_int_equal(agent_open(&a, g, "alphabeta:depth=2,book=no-such-book.txt"), ERR_MISSING);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grow),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_agent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
