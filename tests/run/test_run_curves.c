// Curves of several runs: groups are read and refused, the mean and the band are where they should be.
#include "base/file.h"
#include "base/temp_dir.h"
#include "run/fake_run.h"
#include "run/run_curves.h"
#include "run/run_report.h"
#include "test.h"

static void write_log(const char *base, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s/log.jsonl", base, name);
    assert_ok(file_make_parent(path));
    assert_ok(file_write_atomic(path, text, strlen(text)));
}

static void test_parse(void **state)
{
    (void)state;
    curves_group g;
    assert_ok(curves_parse("shaped=a/1,b/2", &g));
    assert_string_equal(g.name, "shaped");
    assert_int_equal(g.n, 2);
    assert_string_equal(g.dir[1], "b/2");
    curves_free(&g);
    assert_err(curves_parse("shaped", &g), "expected NAME=DIR");
    assert_err(curves_parse("=a", &g), "expected NAME=DIR");
    assert_err(curves_parse("x=a,,b", &g), "folders");
}

static void test_draw(void **state)
{
    (void)state;
    char base[64], text[200];
    curves_group g[2];
    text_buf svg = {0};
    temp_dir_make(base);
    write_log(base, "a",
              "{\"kind\":\"match\",\"step\":0,\"seconds\":0,\"opponent\":\"x\",\"score\":0.25}\n"
              "{\"kind\":\"match\",\"step\":0,\"seconds\":0,\"opponent\":\"y\",\"score\":0.99}\n"
              "{\"kind\":\"match\",\"step\":1000,\"seconds\":0,\"opponent\":\"x\",\"score\":0.75}\n");
    write_log(base, "b",
              "{\"kind\":\"match\",\"step\":0,\"seconds\":0,\"opponent\":\"x\",\"score\":0.25}\n"
              "{\"kind\":\"match\",\"step\":900,\"seconds\":0,\"opponent\":\"x\",\"score\":0.25}\n");
    snprintf(text, sizeof text, "one=%s/a,%s/b", base, base);
    assert_ok(curves_parse(text, &g[0]));
    snprintf(text, sizeof text, "two=%s/a", base);
    assert_ok(curves_parse(text, &g[1]));
    curves_options o = {"title", "match", "score", "x", "score", true};
    assert_ok(curves_draw(g, 2, &o, &svg));
    assert_non_null(strstr(text_str(&svg), "<svg"));
    assert_non_null(strstr(text_str(&svg), "one"));
    assert_non_null(strstr(text_str(&svg), "title"));
    o.opponent = "z";
    assert_err(curves_draw(g, 2, &o, &svg), "has no lines 'match' with 'score' against z");
    curves_free(&g[0]);
    curves_free(&g[1]);
    text_free(&svg);
    temp_dir_remove(base);
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, part)) != NULL; p++) n++;
    return n;
}

// Numbers that no chart is made for get one each, in one section, at the end of the report.
static void test_unknown_numbers(void **state)
{
    (void)state;
    char base[64], dir[96];
    fake_values v = {10, 1, 1, ""};
    run_home *r = NULL;
    text_buf plain = {0}, more = {0};
    temp_dir_make(base);
    snprintf(dir, sizeof dir, "%s/run", base);
    assert_ok(run_open(&r, &(run_options){.dir = dir,
                                          .game = "contrast",
                                          .algo = "zero",
                                          .version = "0",
                                          .opts = fake_rows,
                                          .n_opts = 4,
                                          .values = &v}));
    run_show(r, &(run_pace){.step = 0, .steps = 10});
    for (int64_t i = 1; i < 4; i++) assert_ok(RUN_LOG(r, "learn", i, RUN_N("loss", 1.0 / (double)i)));
    assert_ok(run_report(dir, NULL, &plain));
    assert_null(strstr(text_str(&plain), "Other numbers"));
    for (int64_t i = 1; i < 4; i++)
        assert_ok(RUN_LOG(r, "wind", i, RUN_N("speed", (double)i), RUN_T("from", "west"),
                          RUN_N("gust", 2.0 * (double)(i - 2))));
    run_close(r);
    assert_ok(run_report(dir, NULL, &more));
    assert_int_equal(count(text_str(&more), "Other numbers</h2>"), 1);
    assert_int_equal(count(text_str(&more), "<svg") - count(text_str(&plain), "<svg"), 2);
    assert_non_null(strstr(text_str(&more), "wind: speed"));
    assert_non_null(strstr(text_str(&more), "wind: gust"));
    assert_null(strstr(text_str(&more), "wind: from"));
    // Linear axes: a negative number has its tick.
    const char *gust = strstr(text_str(&more), "wind: gust");
    assert_non_null(strstr(gust, ">-2<"));
    text_free(&plain);
    text_free(&more);
    temp_dir_remove(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parse), cmocka_unit_test(test_draw),
                                       cmocka_unit_test(test_unknown_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
