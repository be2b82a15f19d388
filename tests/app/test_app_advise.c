// The advisor as a service: reading questions, practice command by command, simulations that leave nothing behind.
#include "app/advise_practice.h"
#include "base/file.h"
#include "test.h"

#include <unistd.h>

static void reads_questions(void **state)
{
    (void)state;
    advise_question q;
    advice a;
    assert_ok(advise_read(&(advise_request){.pair = "BB"}, &q));
    assert_ok(advise_ask(&q, &a));
    assert_int_equal(a.n, 22);
    assert_int_equal(a.best[0].move, 1);
    assert_int_equal(q.future.colours, 4);
    assert_int_equal(q.future.kind, PY_UNIFORM); // nobody counted the pairs
    assert_ok(
        advise_read(&(advise_request){.pair = "RG", .next = "YY,GB", .mode = "plus", .index = 3, .turns = "12"}, &q));
    assert_true(q.plus);
    assert_int_equal(q.future.kind, PY_BLOCKS);
    assert_int_equal(q.future.index, 2);
    assert_int_equal(q.future.turns, 12);
    assert_err(advise_read(&(advise_request){.pair = NULL}, &q), "'pair' is missing");
    assert_err(advise_read(&(advise_request){.pair = "RP"}, &q), "pair: a colour is not among the 4");
    assert_ok(advise_read(&(advise_request){.pair = "RP", .colours = 5}, &q));
    assert_err(advise_read(&(advise_request){.pair = "RG", .pairs = "dice"}, &q), "'dice'");
}

// What the practice must show after `n` placements as advised, from the advisor itself.
static void expected(const advise_request *r, int n, text_buf *out)
{
    py_queue queue;
    advise_question q = {.config = &advisor_defaults, .reach = true};
    py_queue_init(&queue, PY_BLOCKS, 4, r->seed, 0);
    for (int i = 0;; i++) {
        q.pair = py_queue_get(&queue, (uint32_t)i);
        for (uint32_t k = 0; k < 2; k++) q.future.next[k] = py_queue_get(&queue, (uint32_t)i + 1 + k);
        if (i == n) break;
        advice a;
        assert_ok(advise_ask(&q, &a));
        py_place(&q.field, a.best[0].move, q.pair);
        py_chain(&q.field);
    }
    text_printf(out, "\nturn %d of 15\n", n + 1);
    advise_draw(out, &q, NULL, false);
    advise_tail(out, &q.field);
}

static void say(advise_practice *p, const char *line, advise_next want, text_buf *said)
{
    text_truncate(said, 0);
    assert_int_equal(advise_practice_obey(p, line, said), want);
    if (want == ADVISE_NEW_TURN) {
        text_truncate(said, 0);
        assert_ok(advise_practice_show(p, said));
    }
}

static void enter_places_as_advised(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        advise_request r = {.seed = seed, .shown = -1};
        advise_practice *p;
        text_buf said = {0}, want = {0};
        assert_ok(advise_practice_new(&p, &r, false));
        assert_ok(advise_practice_show(p, &said));
        say(p, "hide", ADVISE_NEW_TURN, &said);
        for (int n = 1; n <= 4; n++) {
            say(p, " ", ADVISE_NEW_TURN, &said);
            text_truncate(&want, 0);
            expected(&r, n, &want);
            assert_string_equal(text_str(&said), text_str(&want));
            assert_int_equal(advise_practice_turn(p), n + 1);
        }
        text_truncate(&said, 0);
        advise_practice_say_score(p, &said);
        assert_non_null(strstr(text_str(&said), "; 4 of 4 placements as advised; "));
        // Back to the second turn, and on again: the same fields.
        say(p, "back 3", ADVISE_NEW_TURN, &said);
        text_truncate(&want, 0);
        expected(&r, 1, &want);
        assert_string_equal(text_str(&said), text_str(&want));
        say(p, "on 3", ADVISE_NEW_TURN, &said);
        text_truncate(&want, 0);
        expected(&r, 4, &want);
        assert_string_equal(text_str(&said), text_str(&want));
        say(p, "why", ADVISE_SAME_TURN, &said);
        assert_non_null(strstr(text_str(&said), "phase "));
        say(p, "9z", ADVISE_SAME_TURN, &said);
        assert_non_null(strstr(text_str(&said), "expected a column"));
        say(p, "again", ADVISE_NEW_TURN, &said);
        assert_int_equal(advise_practice_turn(p), 1);
        say(p, "quit", ADVISE_QUIT, &said);
        text_free(&said);
        text_free(&want);
        advise_practice_free(p);
    }
}

static void own_placements_are_compared(void **state)
{
    (void)state;
    advise_practice *p;
    text_buf said = {0};
    assert_ok(advise_practice_new(&p, &(advise_request){.seed = 3, .shown = -1}, false));
    assert_ok(advise_practice_show(p, &said));
    text_truncate(&said, 0);
    assert_int_equal(advise_practice_obey(p, "6u", &said), ADVISE_NEW_TURN);
    assert_non_null(strstr(text_str(&said), "6u is number "));
    advise_practice_say_score(p, &said);
    assert_non_null(strstr(text_str(&said), "; 0 of 1 placements as advised; "));
    text_free(&said);
    advise_practice_free(p);
    assert_err(advise_practice_new(&p, &(advise_request){.pairs = "dice"}, false), "'dice'");
}

// A line of a simulation's failures is played again, move by move.
static void failed_games_are_replayed(void **state)
{
    (void)state;
    char path[] = "/tmp/keiko-advise-XXXXXX";
    static const char lines[] = "no game\n"
                                "turns=8 pairs=blocks colours=4 seed=7 game=3 class=late moves=1u;6u;3r field=-\n"
                                "turns=8 pairs=blocks colours=4 seed=7 game=3 class=late moves=1u;9z field=-\n";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, lines, sizeof lines - 1) == (ssize_t)(sizeof lines - 1));
    close(fd);
    advise_practice *p;
    text_buf said = {0};
    assert_ok(advise_practice_new(&p, &(advise_request){.shown = -1}, false));
    assert_ok(advise_practice_load(p, path, 2, &said));
    assert_int_equal(advise_practice_turn(p), 4);
    assert_non_null(strstr(text_str(&said), "'back 3' goes to its beginning"));
    assert_err(advise_practice_load(p, path, 1, &said), "line 1: this is no game");
    assert_err(advise_practice_load(p, path, 3, &said), "line 3: turn 2");
    assert_err(advise_practice_load(p, path, 4, &said), "has no line 4");
    advise_practice_free(p);
    text_free(&said);
    unlink(path);
}

static void simulations(void **state)
{
    (void)state;
    advise_simulation s, t;
    advise_request r = {.turns = "8,10", .games = 300, .seed = 5, .shown = -1};
    assert_ok(advise_simulate(&r, 1, NULL, &s));
    assert_ok(advise_simulate(&r, 2, NULL, &t));
    assert_int_equal(s.n, 2);
    for (int i = 0; i < 2; i++) {
        const advise_row *a = &s.row[i];
        assert_int_equal(a->tally.successes, t.row[i].tally.successes);
        assert_int_equal(a->tally.games, 300);
        double rate = (double)a->tally.successes / 300;
        assert_true(a->low < rate && rate < a->high);
        assert_int_equal(a->tally.failed.len, 0); // nobody asked for them
    }
    assert_true(s.row[1].tally.successes > s.row[0].tally.successes);
    advise_simulation_free(&s);
    advise_simulation_free(&t);
    assert_err(advise_simulate(&(advise_request){.turns = "0", .games = 1}, 1, NULL, &s), "turns: '0'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_questions),
        cmocka_unit_test(enter_places_as_advised),
        cmocka_unit_test(own_placements_are_compared),
        cmocka_unit_test(failed_games_are_replayed),
        cmocka_unit_test(simulations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
