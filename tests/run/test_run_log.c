// log.jsonl and TensorBoard's files: what is written reads back, and what is broken is skipped or refused.
#include "base/crc32c.h"
#include "run/run_log.h"
#include "run/tfevents.h"
#include "test.h"

#include <math.h>

static void lines(void **state)
{
    (void)state;
    text_buf t = {0};
    char why[160];
    run_value v[] = {{"loss", 0.1, NULL},
                     {"bad", NAN, NULL},
                     {"big", -1.5e300, NULL},
                     {"quote\"\\\n<", 3, NULL},
                     {"who", 0, "日本 \"x\" \x01 </script>"}};
    run_log_line(&t, "learn", 12, 3.14159, v, 5);
    run_log_line(&t, "", -3, 0, NULL, 0);
    assert_true(strncmp(text_str(&t), "{\"kind\":\"learn\",\"step\":12,\"seconds\":3.142,\"loss\":0.1,", 53) == 0);
    text_append(&t, "{\"kind\":\"torn\",\"st");
    run_book *b;
    assert_ok(run_book_text(&b, t.data, t.len));
    assert_int_equal(run_book_bad(b, why), 0);
    assert_int_equal(run_book_count(b), 2);
    const run_record *r = run_book_at(b, 0);
    assert_string_equal(r->kind, "learn");
    assert_int_equal(r->step, 12);
    assert_true(r->seconds == 3.142);
    assert_int_equal(r->n, 5);
    assert_true(run_record_get(r, "loss") == 0.1 && run_record_get(r, "big") == -1.5e300);
    assert_true(isnan(run_record_get(r, "bad")) && isnan(run_record_get(r, "none")) && isnan(run_record_get(r, "who")));
    assert_true(run_record_get(r, "quote\"\\\n<") == 3);
    assert_string_equal(run_record_text(r, "who"), "日本 \"x\" \x01 </script>");
    assert_null(run_record_text(r, "loss"));
    assert_int_equal(run_book_at(b, 1)->step, -3);
    assert_ptr_equal(run_book_last(b, "learn"), r);
    assert_null(run_book_last(b, "elo"));
    assert_true(run_book_last_value(b, "learn", "loss") == 0.1);
    run_book_free(b);
    text_free(&t);
}

static void other_writers(void **state)
{
    (void)state;
    static const char text[] =
        " { \"b\" : true , \"step\" : 1e3,\"c\":false,\"d\":null,\"e\":\"\\u0041\\ud83d\\ude00\\u0000\\/\" } \r\n"
        "\n{}\n";
    run_book *b;
    char why[160];
    assert_ok(run_book_text(&b, text, sizeof text - 1));
    assert_int_equal(run_book_bad(b, why), 0);
    assert_int_equal(run_book_count(b), 2);
    const run_record *r = run_book_at(b, 0);
    assert_int_equal(r->step, 1000);
    assert_true(run_record_get(r, "b") == 1 && run_record_get(r, "c") == 0 && isnan(run_record_get(r, "d")));
    assert_string_equal(run_record_text(r, "e"), "A😀\xef\xbf\xbd/");
    run_book_free(b);
}

static void bad_lines(void **state)
{
    (void)state;
    static const struct {
        const char *line, *why;
    } known[] = {{"nonsense", "expected {"},
                 {"{\"a\":1", "expected , or }"},
                 {"{\"a\":1,}", "expected a quoted name"},
                 {"{\"a\" 1}", "expected :"},
                 {"{\"a\":[1]}", "flat"},
                 {"{\"a\":{}}", "flat"},
                 {"{\"a\":+1}", "expected a value"},
                 {"{\"a\":1e}", "malformed number"},
                 {"{\"a\":nan}", "expected a value"},
                 {"{\"a\":\"x}", "closing quote"},
                 {"{\"a\":\"\\q\"}", "escape"},
                 {"{\"a\":\"\\u12g4\"}", "hexadecimal"},
                 {"{\"a\":1} x", "behind the closing"},
                 {"{\"step\":1e99}", "whole number"},
                 {"{\"a\":\"\x02\"}", "control character"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[256], why[160];
        run_book *b;
        snprintf(text, sizeof text, "{\"step\":1}\n%s\n{\"step\":3}\n", known[i].line);
        assert_ok(run_book_text(&b, text, strlen(text)));
        assert_int_equal(run_book_count(b), 2);
        assert_int_equal(run_book_bad(b, why), 1);
        if (strncmp(why, "line 2: ", 8) != 0 || strstr(why, known[i].why) == NULL)
            fail_msg("%s: \"%s\" without \"%s\"", known[i].line, why, known[i].why);
        run_book_free(b);
    }
}

// --- TensorBoard

typedef struct seen {
    int n;
    int64_t step;
    float sum;
    char tags[64];
} seen;

static void see(void *ctx, double when, int64_t step, const char *tag, size_t n, float v)
{
    seen *s = ctx;
    assert_true(when == 1234.5);
    s->n++;
    s->step = step;
    s->sum += v;
    strncat(s->tags, tag, n);
}

static void events(void **state)
{
    (void)state;
    text_buf t = {0};
    tf_put_version(&t, 1234.5);
    // The first record, byte by byte: length 26, its masked sum, wall_time, step 0, "brain.Event:2", the masked sum.
    static const unsigned char head[] = {26, 0, 0, 0, 0, 0, 0, 0};
    assert_memory_equal(t.data, head, 8);
    assert_int_equal(t.len, 12 + 26 + 4);
    assert_memory_equal(t.data + 12,
                        "\x09\x00\x00\x00\x00\x00\x4a\x93\x40\x10\x00\x1a\x0d"
                        "brain.Event:2",
                        26);
    tf_put_start(&t, 1234.5, 7);
    tf_put_scalars(&t, 1234.5, 300, (tf_scalar[]){{"learn/loss", 0.5f}, {"lr", 0.25f}}, 2);
    tf_put_scalars(&t, 1234.5, ((int64_t)1 << 40) + 1, (tf_scalar[]){{"x", -2.0f}}, 1);
    seen s = {0};
    assert_ok(tf_read(t.data, t.len, see, &s));
    assert_int_equal(s.n, 3);
    assert_true(s.sum == -1.25f && s.step == ((int64_t)1 << 40) + 1);
    assert_string_equal(s.tags, "learn/losslrx");
    // every damaged bit and every cut is found
    for (size_t i = 0; i < t.len; i++) {
        t.data[i] = (char)(t.data[i] ^ 0x10);
        s = (seen){0};
        assert_int_equal(tf_read(t.data, t.len, see, &s), ERR_PARSE);
        t.data[i] = (char)(t.data[i] ^ 0x10);
    }
    assert_err(tf_read(t.data, t.len - 1, see, &s), "cut short");
    text_free(&t);
    assert_int_equal(tf_mask(0), 0xa282ead8);
    assert_int_equal(tf_mask(crc32c(0, "123456789", 9)), 0xc78ab0e5); // by hand: rotate 0xe3069283 right by 15, add
}

// Other writers leave out a step of 0.
static void an_event_without_a_step(void **state)
{
    (void)state;
    static const char event[] = "\x09\x00\x00\x00\x00\x00\x4a\x93\x40"           // wall_time
                                "\x2a\x0a\x0a\x08\x0a\x01x\x15\x00\x00\x80\x3f"; // summary: x = 1
    enum { SIZE = sizeof event - 1 };
    char record[12 + SIZE + 4] = {SIZE};
    uint32_t sum = tf_mask(crc32c(0, record, 8));
    memcpy(record + 8, &sum, 4);
    memcpy(record + 12, event, SIZE);
    sum = tf_mask(crc32c(0, event, SIZE));
    memcpy(record + 12 + SIZE, &sum, 4);
    seen s = {.step = 7};
    assert_ok(tf_read(record, sizeof record, see, &s));
    assert_true(s.n == 1 && s.step == 0 && s.sum == 1.0f);
    assert_string_equal(s.tags, "x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines), cmocka_unit_test(other_writers),
                                       cmocka_unit_test(bad_lines), cmocka_unit_test(events),
                                       cmocka_unit_test(an_event_without_a_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
