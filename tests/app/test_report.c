// The documents behind keiko report: complete, thinned evenly, safe inside a page.
#include "app/report.h"
#include "base/temp_dir.h"
#include "run/fake_run.h"
#include "run/run_log.h"

static int count(const char *text, const char *part)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, part)) != NULL; p++) n++;
    return n;
}

static void training(const char *dir, const report_options *o, text_buf *t)
{
    json_writer w = json_begin(t, false);
    assert_ok(report_training_json(dir, o, &w));
    assert_ok(json_finish(&w));
}

// Long logs keep every n-th line of a kind, and each kind's last.
static void test_thinned(void **state)
{
    (void)state;
    enum { LINES = 4 * REPORT_ROWS + 7 };
    char base[64], dir[96];
    fake_values v = {10, 1, 1, ""};
    run_home *r = NULL;
    text_buf t = {0};
    temp_dir_make(base);
    snprintf(dir, sizeof dir, "%s/run", base);
    assert_ok(run_open(&r, &(run_options){.dir = dir,
                                          .game = "tictactoe",
                                          .algo = "zero",
                                          .version = "0",
                                          .opts = fake_rows,
                                          .n_opts = 4,
                                          .values = &v}));
    for (int64_t i = 1; i <= LINES; i++) assert_ok(RUN_LOG(r, "learn", i, RUN_N("loss", 1.0 / 3 / (double)i)));
    for (int64_t i = 1; i <= 3; i++) assert_ok(RUN_LOG(r, "wind", i, RUN_N("speed", (double)i)));
    for (int64_t i = 1; i <= 9; i++)
        assert_ok(RUN_LOG(r, "game", i, RUN_T("moves", "b2;a1;c1;a3;a2;c2;b1"), RUN_T("score", "0.5")));
    assert_ok(RUN_LOG(r, "game", 10, RUN_T("moves", "b2;b2"), RUN_T("score", "1"))); // damaged: left out
    run_close(r);
    training(dir, &(report_options){.replays = 4}, &t);
    int kept = count(text_str(&t), "\"kind\":\"learn\"");
    if (kept < REPORT_ROWS / 2 || kept > REPORT_ROWS + 1) fail_msg("%d lines of %d", kept, LINES);
    char last[64];
    snprintf(last, sizeof last, "{\"kind\":\"learn\",\"step\":%d,", LINES);
    assert_non_null(strstr(text_str(&t), "{\"kind\":\"learn\",\"step\":1,"));
    assert_non_null(strstr(text_str(&t), last));
    assert_non_null(strstr(text_str(&t), "\"loss\":0.333333}"));
    assert_int_equal(count(text_str(&t), "\"kind\":\"wind\""), 3);
    // Four of the games, from the first to the last; the last cannot be played. Each has the start and seven moves.
    assert_int_equal(count(text_str(&t), "\"boards\":["), 3);
    assert_int_equal(count(text_str(&t), "\"cells\":"), 3 * 8);
    assert_non_null(strstr(text_str(&t), "{\"step\":1,\"score\":\"0.5\",\"plies\":7,"));
    assert_int_equal(count(text_str(&t), "\"boards\":[{\"last\":\"\","), 3);
    static const char *const moves[] = {"b2", "a1", "c1", "a3", "a2", "c2", "b1"};
    for (int i = 0; i < 7; i++) {
        char word[20];
        snprintf(word, sizeof word, "{\"last\":\"%s\",", moves[i]);
        assert_int_equal(count(text_str(&t), word), 3);
    }
    text_free(&t);
    temp_dir_remove(base);
}

// What people wrote must not end the script element that holds the document.
static void test_escaped(void **state)
{
    (void)state;
    char base[64], dir[96];
    fake_values v = {10, 1, 1, "</script><script>alert(1)</script><!--"};
    run_home *r = NULL;
    text_buf t = {0}, page = {0};
    temp_dir_make(base);
    snprintf(dir, sizeof dir, "%s/run", base);
    assert_ok(run_open(&r, &(run_options){.dir = dir,
                                          .game = "tictactoe",
                                          .algo = "zero",
                                          .version = "0",
                                          .opts = fake_rows,
                                          .n_opts = 4,
                                          .values = &v}));
    assert_ok(RUN_LOG(r, "match", 1, RUN_T("opponent", "</script><b>"), RUN_N("score", 0.5), RUN_N("games", 10)));
    run_close(r);
    training(dir, &(report_options){0}, &t);
    assert_null(strchr(text_str(&t), '<'));
    assert_non_null(strstr(text_str(&t), "\\u003c/script>\\u003cscript>alert(1)\\u003c/script>\\u003c!--"));
    assert_non_null(strstr(text_str(&t), "\"low\":0.2")); // Wilson's interval of 5 points in 10 games
    assert_ok(report_page(NULL, &t, &page));
    assert_int_equal(count(text_str(&page), "</script>"), 2); // the document's, and the page's own
    assert_null(strstr(text_str(&page), "://"));              // nothing is fetched
    text_clear(&page);
    assert_ok(report_page("[@DATA@]", &t, &page));
    assert_int_equal(page.len, t.len + 2);
    assert_err(report_page("nothing", &t, &page), "no template of a report");
    text_free(&t);
    text_free(&page);
    temp_dir_remove(base);
}

// A bench: every game, boards for some of them.
static void test_bench(void **state)
{
    (void)state;
#ifndef KEIKO_JSON
    skip(); // results cannot be read again
#endif
    char base[64], path[96], words[FILE_PATH + 300];
    bench_opened b = {0};
    text_buf t = {0};
    temp_dir_make(base);
    snprintf(path, sizeof path, "%s/bench", base);
    snprintf(words, sizeof words, "%s bench -g tictactoe -p 'random;greedy' -n 6 -q -o %s >%s/said 2>&1", KEIKO_PROGRAM,
             path, base);
    assert_int_equal(system(words), 0);
    assert_ok(bench_open(&b, path, 0, &(view_options){0}));
    json_writer w = json_begin(&t, false);
    assert_ok(report_bench_json(&b, path, &(report_options){.replays = 2}, &w));
    assert_ok(json_finish(&w));
    assert_int_equal(count(text_str(&t), "\"number\":"), 6);
    assert_int_equal(count(text_str(&t), "\"boards\":["), 2);
    assert_true(count(text_str(&t), "\"cells\":") >= 2 * 6); // the start and five moves at least
    static const char *const parts[] = {"\"pairings\":[{", "\"convergence\":{",
                                        "\"nodesPerSecond\":", "\"everyGame\":true", "\"model\":"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(text_str(&t), parts[i]) == NULL) fail_msg("the document has no %s", parts[i]);
    text_free(&t);
    bench_close(&b);
    temp_dir_remove(base);
}

static bool between(const char *a, const char *b, const char *what)
{
    const char *p = strstr(a, what);
    return p != NULL && p < b;
}

// Replays show both sides of every pairing, though the games come in a fixed order with a period of six.
static void test_replays(void **state)
{
    (void)state;
#ifndef KEIKO_JSON
    skip(); // results cannot be read again
#endif
    char base[64], path[96], words[FILE_PATH + 300];
    bench_opened b = {0};
    text_buf t = {0};
    temp_dir_make(base);
    snprintf(path, sizeof path, "%s/bench", base);
    snprintf(words, sizeof words,
             "%s bench -g tictactoe -p 'a=random;b=greedy;c=mcts:sims=4' -n 40 -q -o %s >%s/said 2>&1", KEIKO_PROGRAM,
             path, base);
    assert_int_equal(system(words), 0);
    assert_ok(bench_open(&b, path, 0, &(view_options){0}));
    static const char *const seats[] = {"\"first\":\"a\",\"second\":\"b\"", "\"first\":\"b\",\"second\":\"a\"",
                                        "\"first\":\"a\",\"second\":\"c\"", "\"first\":\"c\",\"second\":\"a\"",
                                        "\"first\":\"b\",\"second\":\"c\"", "\"first\":\"c\",\"second\":\"b\""};
    for (int replays = 20; replays <= 30; replays += 10) { // every sixth game of 120, or every fourth
        int seen[6] = {0}, all = 0;
        json_writer w = json_begin(&t, false);
        assert_ok(report_bench_json(&b, path, &(report_options){.replays = replays}, &w));
        assert_ok(json_finish(&w));
        const char *at = strstr(text_str(&t), "{\"number\":");
        while (at != NULL) {
            const char *next = strstr(at + 1, "{\"number\":"), *end = next != NULL ? next : text_str(&t) + t.len;
            for (int i = 0; i < 6 && between(at, end, "\"boards\":["); i++) seen[i] += between(at, end, seats[i]);
            all += between(at, end, "\"boards\":[");
            at = next;
        }
        assert_int_equal(all, replays);
        for (int i = 0; i < 6; i++)
            if (seen[i] == 0) fail_msg("none of %d replays has %s", replays, seats[i]);
        text_clear(&t);
    }
    text_free(&t);
    bench_close(&b);
    temp_dir_remove(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_thinned), cmocka_unit_test(test_escaped),
                                       cmocka_unit_test(test_bench), cmocka_unit_test(test_replays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
