// Curves of several runs: groups are read and refused, the mean and the band are where they should be.
#include "base/file.h"
#include "base/temp_dir.h"
#include "run/fake_run.h"
#include "run/run_curves.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parse), cmocka_unit_test(test_draw)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
