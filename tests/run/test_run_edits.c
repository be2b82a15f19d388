// A run's files with one mistake each: manifests, logs and groups of curves (tests/run/edits.txt).
#include "base/edits.h"
#include "run/run_curves.h"
#include "run/run_inner.h"
#include "run/run_log.h"

static void one_manifest(void *ctx, const char *text)
{
    run_manifest m;
    text_buf t = {0};
    bool good = run_manifest_parse(&m, text, strlen(text)) == ERR_OK;
    if (good) {
        run_manifest_print(&m, &t);
        run_manifest_free(&m);
    }
    edits_saw(ctx, good, text, good ? text_str(&t) : err_text());
    text_free(&t);
}

static void one_log(void *ctx, const char *text)
{
    run_book *b = NULL;
    text_buf t = {0};
    char why[160] = "";
    assert_ok(run_book_text(&b, text, strlen(text)));
    text_printf(&t, "%d bad: ", run_book_bad(b, why));
    text_append(&t, why);
    for (int i = 0; i < run_book_count(b); i++) {
        const run_record *r = run_book_at(b, i);
        text_printf(&t, "\n%s %" PRId64 " %.9g:", r->kind, r->step, r->seconds);
        for (int k = 0; k < r->n; k++)
            text_printf(&t, " %s=%s/%.9g", r->values[k].name, r->values[k].text != NULL ? r->values[k].text : "",
                        r->values[k].text != NULL ? 0 : r->values[k].v);
        text_printf(&t, " loss %.9g", run_record_get(r, "loss"));
    }
    text_printf(&t, "; last %.9g", run_book_last_value(b, "learn", "loss"));
    edits_saw(ctx, run_book_bad(b, why) == 0, text, text_str(&t));
    text_free(&t);
    run_book_free(b);
}

static void one_group(void *ctx, const char *text)
{
    curves_group g = {0};
    text_buf t = {0};
    bool good = curves_parse(text, &g) == ERR_OK;
    text_append(&t, g.name);
    for (int i = 0; good && i < g.n; i++) text_printf(&t, "|%s", g.dir[i]);
    edits_saw(ctx, good, text, good ? text_str(&t) : err_text());
    if (good) curves_free(&g);
    text_free(&t);
}

static void all(void **state)
{
    (void)state;
    text_buf t = {0}, many = {0};
    edits manifest = {.name = "manifest"}, log = {.name = "log"}, group = {.name = "groups"};
    static run_file files[RUN_FILES + 1];
    run_manifest m = {.step = 1200, .seconds = 33.25, .log_size = 777, .files = files, .events = files + 3};
    for (int i = 0; i <= RUN_FILES; i++) {
        snprintf(files[i].name, sizeof files[i].name, "file %d.bin", i);
        files[i].size = 100 + (uint64_t)i;
        files[i].crc = 0xdeadbe00 + (uint32_t)i;
    }
    m.n_files = 2;
    m.n_events = 1;
    run_manifest_print(&m, &many);
    edits_of(text_str(&many), "0a =-\n", one_manifest, &manifest);
    for (m.n_files = RUN_FILES - 1; m.n_files <= RUN_FILES + 1; m.n_files++) { // as many as there may be
        text_clear(&many);
        run_manifest_print(&m, &many);
        one_manifest(&manifest, text_str(&many));
    }
    edits_of("{\"kind\":\"learn\",\"step\":12,\"seconds\":1.5,\"loss\":0.25,\"who\":\"a\\\"\\u00e9\\\\b\"}\n\n"
             "{\"kind\":\"match\",\"step\":-3,\"seconds\":2,\"loss\":null,\"x\":1e3}\n{\"kind\":\"learn\",\"step\":13}",
             "0\"{},:e\\n-", one_log, &log);
    edits_of("{ \"kind\" : \"a\" , \"step\" : 9 , \"t\" : true , \"u\" : \"\\t\\ud83d\\ude00\" }\r\n", "0\"}:u",
             one_log, &log);
    // A line that ends in the middle of an escape, character by character.
    static const char escape[] = "{\"kind\":\"x\\ud83d\\ude00\\t";
    for (size_t n = 9; n < sizeof escape; n++) {
        char line[60];
        snprintf(line, sizeof line, "%.*s\n{\"step\":1}\n", (int)n, escape);
        one_log(&log, line);
    }
    edits_of("name=a,b/c,d", "=,x", one_group, &group);
    edits_of("n=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", ",=", one_group, &group);
    edits_of("0123456789012345678901234567890123456789012345678901234567890ab=r", "=", one_group, &group);
    edits_list(&manifest, &t);
    edits_list(&log, &t);
    edits_list(&group, &t);
    text_free(&many);
    assert_listed(&t, "run/edits.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
