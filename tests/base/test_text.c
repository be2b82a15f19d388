// Text buffers, UTF-8 and column layout.
#include "base/text.h"
#include "test.h"

static void appending(void **state)
{
    (void)state;
    text_buf t = {0};
    assert_string_equal(text_str(&t), "");
    text_append(&t, "ab");
    text_char(&t, 'c');
    text_printf(&t, "%d-%s", 42, "x");
    text_repeat(&t, '=', 3);
    text_repeat(&t, '=', -1);
    text_append_n(&t, "\0z", 2);
    assert_int_equal(t.len, 12);
    assert_memory_equal(text_str(&t), "abc42-x===\0z", 13);
    text_truncate(&t, 3);
    text_truncate(&t, 99);
    assert_string_equal(text_str(&t), "abc");
    text_clear(&t);
    assert_int_equal(t.len, 0);
    // across every growth boundary, with pieces longer than the room that is tried first
    for (int i = 0; i < 2000; i++) text_printf(&t, "%*d", i % 300 + 1, i % 10);
    size_t expected = 0;
    for (int i = 0; i < 2000; i++) {
        assert_int_equal(t.data[expected + (size_t)(i % 300)], '0' + i % 10);
        expected += (size_t)(i % 300) + 1;
    }
    assert_int_equal(t.len, expected);
    assert_ok(text_check(&t));
    char *taken = text_take(&t);
    assert_int_equal(strlen(taken), expected);
    assert_null(t.data);
    free(taken);
    taken = text_take(&t); // nothing appended: still a string
    assert_string_equal(taken, "");
    free(taken);
}

static void running_out_sticks(void **state)
{
    (void)state;
    text_buf t = {0};
    text_append(&t, "kept");
    assert_null(text_reserve(&t, SIZE_MAX - 2));
    text_append(&t, "lost");
    assert_string_equal(text_str(&t), "kept");
    assert_err(text_check(&t), "out of memory");
    assert_null(text_take(&t));
    text_append(&t, "again");
    assert_ok(text_check(&t));
    text_free(&t);
}

static void utf8(void **state)
{
    (void)state;
    for (uint32_t c = 0; c <= 0x10ffff;
         c += c < 0x3000 || (c > 0xd000 && c < 0x10100) || c > 0x10f000 ? 1 : 17) { // every code comes back
        if (c >= 0xd800 && c < 0xe000) continue;
        char buf[4];
        uint32_t back;
        size_t n = text_utf8_put(c, buf);
        assert_int_equal(text_utf8_next(buf, n, &back), n);
        assert_int_equal(back, c);
        if (n > 1) assert_int_equal(text_utf8_next(buf, n - 1, &back), 1); // cut short: one bad byte
    }
    static const char *const bad[] = {"\x80",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xe0\x80\x80",
                                      "\xed\xa0\x80",
                                      "\xf0\x80\x80\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff",
                                      "\xe3\x81(",
                                      "\xc3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t c = 0;
        assert_int_equal(text_utf8_next(bad[i], strlen(bad[i]), &c), 1);
        assert_int_equal(c, 0xfffd);
        assert_false(text_utf8_ok(bad[i], strlen(bad[i])));
    }
    assert_true(text_utf8_ok("稽古 ½ 🎲", strlen("稽古 ½ 🎲")));
    char buf[4];
    assert_int_equal(text_utf8_put(0xd800, buf), 3);
    assert_memory_equal(buf, "\xef\xbf\xbd", 3);
    assert_int_equal(text_utf8_put(0x110000, buf), 3);
}

static void columns(void **state)
{
    (void)state;
    static const struct {
        const char *s;
        int n;
    } known[] = {{"", 0},  {"abc", 3}, {"稽古", 4}, {"e\xcc\x81", 1}, {"½ –", 3},  {"\x1b[1;31mX\x1b[0m", 1},
                 {"🎲", 2}, {"ｱﾞ", 2},  {"한글", 4}, {"\xff\xfe", 2},  {"がぎ", 4}, {"a\x1b[3", 3}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (text_columns(known[i].s, strlen(known[i].s)) != known[i].n)
            fail_msg("'%s' has %d columns, not %d", known[i].s, text_columns(known[i].s, strlen(known[i].s)),
                     known[i].n);
}

static void wraps(const char *s, int column, int indent, int width, const char *expected)
{
    text_buf t = {0};
    text_wrap(&t, s, column, indent, width);
    assert_string_equal(text_str(&t), expected);
    text_free(&t);
}

static void wrapping(void **state)
{
    (void)state;
    wraps("", 0, 0, 20, "\n");
    wraps("one two three four", 0, 0, 9, "one two\nthree\nfour\n");
    wraps("one two three four", 0, 2, 11, "  one two\n  three\n  four\n");
    wraps("one two three", 5, 8, 16, "   one two\n        three\n");
    wraps("one\ntwo\n\n\nthree", 0, 0, 80, "one two\n\nthree\n");
    wraps("see:\n  code   kept\n  more\n\nend", 0, 1, 80, " see:\n   code   kept\n   more\n\n end\n");
    wraps("b1,b2 c3g   d5,d4  b2,b3", 0, 0, 18, "b1,b2 c3g  d5,d4\nb2,b3\n");
    wraps("b1,b2 c3g  d5,d4", 0, 0, 15, "b1,b2 c3g\nd5,d4\n");
    wraps("incomprehensibilities a", 0, 0, 5, "incomprehensibilities\na\n");
    wraps("level versus:a=1,b=2,c=3 x", 0, 2, 13, "  level\n  versus:a=1,\n  b=2,c=3 x\n");
    wraps("of a=1,b=2,c=3,d=4", 6, 6, 14, "of a=1,\n      b=2,c=3,\n      d=4\n");
    wraps("incomprehensibilities,a", 0, 0, 5, "incomprehensibilities,a\n");
    wraps("稽古 稽古 稽古", 0, 0, 9, "稽古 稽古\n稽古\n");
}

static void short_numbers(void **state)
{
    (void)state;
    static const struct {
        double v;
        const char *text;
    } known[] = {{0, "0"},          {7, "7"},         {12.34, "12.3"},    {0.125, "0.12"},
                 {999.4, "999"},    {999.6, "1.00k"}, {12345, "12.3k"},   {4560000, "4.56M"},
                 {-1234, "-1.23k"}, {0.001, "0.001"}, {1.5e-5, "1.5e-05"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char buf[TEXT_SHORT];
        assert_int_equal(text_short(known[i].v, buf), strlen(known[i].text));
        assert_string_equal(buf, known[i].text);
    }
}

static void shell_words(void **state)
{
    (void)state;
    static const struct {
        const char *word, *text;
    } known[] = {{"runs/a-1.x", "runs/a-1.x"}, {"", "''"},           {"a b", "'a b'"},
                 {"o'brien", "'o'\\''brien'"}, {"$(x);", "'$(x);'"}, {"~", "'~'"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        text_buf t = {0};
        text_shell(&t, known[i].word);
        assert_string_equal(text_str(&t), known[i].text);
        text_free(&t);
    }
}

static void outside_text(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } known[] = {
        {"plain, 日本 é", "plain, 日本 é"},
        {"\x1b[31mred\x1b[0m", "^[[31mred^[[0m"},
        {"bell\x07 del\x7f", "bell^G del^?"},
        {"\xc2\x9b"
         "31m",
         "\xef\xbf\xbd"
         "31m"}, // CSI in one character
        {"a\xff"
         "b",
         "a\xef\xbf\xbd"
         "b"}, // no UTF-8
        {"\xe2\x80\xae"
         "cod.exe",
         "\xef\xbf\xbd"
         "cod.exe"}, // from right to left
        {"two\nlines\tand\r\n", "two\nlines\tand^M\n"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        text_buf t = {0};
        text_append_safe(&t, known[i].in, true);
        assert_string_equal(text_str(&t), known[i].out);
        text_free(&t);
    }
    text_buf t = {0};
    text_append_safe(&t, "one\nline\tonly", false);
    assert_string_equal(text_str(&t), "one line only");
    text_free(&t);
}

// A letter that begins inside and ends behind the end is not whole.
static void cut_letters(void **state)
{
    (void)state;
    const char text[] = "ab\xe3\x81\x82";
    assert_true(text_utf8_ok(text, 5));
    assert_true(text_utf8_ok(text, 2));
    assert_false(text_utf8_ok(text, 3));
    assert_false(text_utf8_ok(text, 4));
    assert_true(text_utf8_ok(text, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_letters),        cmocka_unit_test(appending),   cmocka_unit_test(short_numbers),
        cmocka_unit_test(running_out_sticks), cmocka_unit_test(utf8),        cmocka_unit_test(columns),
        cmocka_unit_test(wrapping),           cmocka_unit_test(shell_words), cmocka_unit_test(outside_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
