// JSON: known texts, numbers that come back exactly, and complaints that name their place.
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "test.h"

#include <math.h>

// --- writing

static void a_document(json_writer *w)
{
    json_open_object(w);
    json_pair_text(w, "name", "keiko");
    json_pair_array(w, "list");
    json_put_int(w, INT64_MIN);
    json_put_uint(w, UINT64_MAX);
    json_put_bool(w, true);
    json_put_text(w, NULL);
    json_open_object(w);
    json_close(w);
    json_open_array(w);
    json_close(w);
    json_close(w);
    json_pair_object(w, "in");
    json_pair_number(w, "x", 0.1);
    json_pair_bool(w, "y", false);
    json_pair_uint(w, "u", 7);
    json_close(w);
    json_key(w, "raw");
    json_put_raw(w, "[1,2]", 5);
    json_close(w);
}

static void layout(void **state)
{
    (void)state;
    text_buf t = {0};
    json_writer w = json_begin(&t, false);
    a_document(&w);
    assert_ok(json_finish(&w));
    assert_string_equal(text_str(&t),
                        "{\"name\":\"keiko\",\"list\":[-9223372036854775808,18446744073709551615,true,null,{},[]],"
                        "\"in\":{\"x\":0.1,\"y\":false,\"u\":7},\"raw\":[1,2]}");
    text_clear(&t);
    w = json_begin(&t, true);
    a_document(&w);
    assert_ok(json_finish(&w));
    assert_string_equal(text_str(&t), "{\n  \"name\": \"keiko\",\n  \"list\": [\n    -9223372036854775808,\n"
                                      "    18446744073709551615,\n    true,\n    null,\n    {},\n    []\n  ],\n"
                                      "  \"in\": {\n    \"x\": 0.1,\n    \"y\": false,\n    \"u\": 7\n  },\n"
                                      "  \"raw\": [1,2]\n}\n");
    text_free(&t);
}

static void strings(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } known[] = {
        {"", "\"\""},
        {"a\"b\\c/", "\"a\\\"b\\\\c/\""},
        {"\n\r\t\x01\x1f\x7f", "\"\\n\\r\\t\\u0001\\u001f\\u007f\""},
        {"稽古 🎲 é", "\"稽古 🎲 é\""},
        {"</script>", "\"\\u003c/script>\""},
        {"a\xff"
         "b\xc3",
         "\"a\xef\xbf\xbd"
         "b\xef\xbf\xbd\""},
        {"\xe2\x80\xa8", "\"\\u2028\""},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        text_buf t = {0};
        json_writer w = json_begin(&t, false);
        json_put_text(&w, known[i].in);
        assert_ok(json_finish(&w));
        assert_string_equal(text_str(&t), known[i].out);
        text_free(&t);
    }
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        double v;
        const char *text;
    } known[] = {{0.0, "0"},
                 {-0.0, "-0.0"},
                 {1.0, "1"},
                 {-42.0, "-42"},
                 {0.1, "0.1"},
                 {-0.25, "-0.25"},
                 {1532.4, "1532.4"},
                 {0.000123, "0.000123"},
                 {1e21, "1e+21"},
                 {1.5e300, "1.5e+300"},
                 {2.0 / 3.0, "0.6666666666666666"},
                 {1e15, "1e+15"},
                 {123456789.125, "123456789.125"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1.1 * 1.1, "1.2100000000000002"},
                 {NAN, "null"},
                 {INFINITY, "null"},
                 {0.007, "0.007"},
                 {3.0000001, "3.0000001"}};
    char buf[JSON_NUMBER_TEXT];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = json_number_text(known[i].v, buf);
        buf[n] = 0;
        assert_string_equal(buf, known[i].text);
    }
    buf[json_float_text(0.1f, buf)] = 0;
    assert_string_equal(buf, "0.1");
    buf[json_float_text(-0.0f, buf)] = 0;
    assert_string_equal(buf, "-0.0");

    // Any bits, and short decimals, come back bit for bit.
    rng r = rng_at(1, 2, 3);
    for (int i = 0; i < 300000; i++) {
        double v;
        uint64_t bits = rng_u64(&r);
        memcpy(&v, &bits, sizeof v);
        if (i % 3 == 1) v = (double)((int64_t)bits >> 30) / 1e4;
        if (i % 3 == 2) v = (double)(int32_t)bits / (double)(1 + rng_below(&r, 1000000));
        if (!isfinite(v)) continue;
        size_t n = json_number_text(v, buf);
        assert_true(n > 0 && n < JSON_NUMBER_TEXT);
        buf[n] = 0;
        double back = strtod(buf, NULL);
        if (memcmp(&back, &v, sizeof v) != 0) fail_msg("%a is written %s and read %a", v, buf, back);
        float f = (float)v, again;
        if (!isfinite(f)) continue;
        buf[json_float_text(f, buf)] = 0;
        again = strtof(buf, NULL);
        if (memcmp(&again, &f, sizeof f) != 0) fail_msg("%a is written %s", (double)f, buf);
    }
}

// --- reading

#if defined(KEIKO_JSON)

static json_doc *doc;

static int drop(void **state)
{
    (void)state;
    json_free(doc);
    doc = NULL;
    return 0;
}

static json_val read_text(const char *text)
{
    json_free(doc);
    doc = NULL;
    assert_ok(json_read(&doc, text, strlen(text), "a.json"));
    return json_root(doc);
}

static void values(void **state)
{
    (void)state;
    json_val v = read_text("\xef\xbb\xbf{\"players\": [{\"id\": \"a\", \"n\": 3, \"x\": 2.5, \"big\": 1e3, \"on\": "
                           "true, \"no\": null},"
                           " {\"id\": 5}]}"),
             list, a, b;
    const char *s = "unset";
    int64_t i = -1;
    double d = -1.0;
    bool flag = false;
    int n;
    assert_ok(json_need(&v, "players", &list));
    assert_ok(json_get_array(&list, 2, &n));
    assert_int_equal(n, 2);
    a = json_item(&list, 0);
    b = json_item(&list, 1);
    assert_ok(json_need_text(&a, "id", &s));
    assert_string_equal(s, "a");
    assert_ok(json_need_int(&a, "n", 0, 9, &i));
    assert_int_equal(i, 3);
    assert_ok(json_need_int(&a, "big", 0, 1000, &i));
    assert_int_equal(i, 1000);
    assert_ok(json_need_number(&a, "x", 0, 3, &d));
    assert_true(d == 2.5);
    assert_ok(json_need_number(&a, "n", 0, 3, &d));
    assert_true(d == 3.0);
    assert_ok(json_maybe_bool(&a, "on", &flag));
    assert_true(flag);
    i = 77;
    assert_ok(json_maybe_int(&a, "no", 0, 9, &i)); // null and missing both leave it
    assert_ok(json_maybe_int(&a, "missing", 0, 9, &i));
    assert_int_equal(i, 77);
    assert_int_equal(json_count(&a), 6);
    assert_int_equal(json_kind_of(&a), JK_OBJECT);

    assert_err(json_need_text(&b, "id", &s), "a.json: players[1].id must be a string");
    assert_err(json_need(&b, "name", &a), "a.json: players[1].name is missing");
    a = json_item(&list, 0);
    assert_err(json_need_int(&a, "n", 4, 9, &i), "players[0].n must be from 4 to 9, not 3");
    assert_err(json_need_int(&a, "n", 4, INT64_MAX, &i), "players[0].n must be at least 4, not 3");
    assert_err(json_need_int(&a, "x", 0, 9, &i), "players[0].x must be a whole number");
    assert_err(json_maybe_number(&a, "x", 0, 1, &d), "players[0].x must be from 0 to 1, not 2.5");
    assert_err(json_maybe_number(&a, "id", 0, 1, &d), "must be a number");
    assert_err(json_maybe_bool(&a, "x", &flag), "must be true or false");
    assert_err(json_maybe_text(&a, "on", &s), "must be a string");
    assert_err(json_get_array(&a, 9, &n), "players[0] must be an array");
    assert_err(json_get_array(&list, 1, &n), "players has 2 items; at most 1");
    assert_err(json_need(&list, "x", &b), "players must be an object");
    b = json_item(&list, 2);
    assert_int_equal(json_kind_of(&b), JK_NONE);
    assert_err(json_get_text(&b, &s), "players[2] must be a string");
    static const char *const keys[] = {"id", "n", "x", "big", "on", "no"}, *const few[] = {"idd"};
    assert_ok(json_only(&a, keys, 6));
    assert_err(json_only(&a, keys + 1, 5), "players[0].id is not known here");
    assert_err(json_only(&a, few, 1), "players[0].id is not known here; did you mean 'idd'?");
    v = read_text("[]");
    assert_err(json_get_object(&v), "a.json: the document must be an object");
}

static void walking(void **state)
{
    (void)state;
    json_val v = read_text("{\"z\":1,\"a\":2,\"m\":3}"), m;
    void *iter = NULL;
    const char *key;
    char order[8] = "";
    while (json_each(&v, &iter, &key, &m)) {
        strcat(order, key);
        assert_string_equal(m.path, key);
    }
    assert_string_equal(order, "zam");
    iter = NULL;
    m = json_item(&v, 0);
    assert_false(json_each(&m, &iter, &key, &m));
    // A long path is cut, never overrun.
    char text[2000] = "";
    for (int i = 0; i < 30; i++) strcat(text, "{\"abcdefghij\":");
    strcat(text, "1");
    for (int i = 0; i < 30; i++) strcat(text, "}");
    v = read_text(text);
    for (int i = 0; i < 30; i++) {
        v = json_member(&v, "abcdefghij");
        assert_true(strlen(v.path) < sizeof v.path);
    }
    assert_string_equal(v.path + strlen(v.path) - 3, "...");
    assert_int_equal(json_kind_of(&v), JK_INT);
}

static void malformed(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {{"", "a.json: line 1"},
               {"{\"a\": 1,\n \"b\": }", "a.json: line 2, column 7"},
               {"[1, 2", "line 1, column 5"},
               {"{\"a\":1,\"a\":2}", "duplicate"},
               {"[1] x", "end of file expected"},
               {"[\"\\u0000\"]", "u0000"},
               {"[99999999999999999999]", "too big"},
               {"[1e999]", "overflow"},
               {"[\"\xff\"]", "decode byte 0xff"},
               {"nul", "line 1"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_doc *d = NULL;
        assert_err(json_read(&d, bad[i].text, strlen(bad[i].text), "a.json"), bad[i].says);
        assert_null(d);
    }
    char *deep = malloc(200000);
    memset(deep, '[', 200000);
    json_doc *d = NULL;
    assert_err(json_read(&d, deep, 200000, ""), "maximum parsing depth");
    free(deep);
    assert_err(json_read_file(&d, "/no/such.json", 99), "/no/such.json");
}

static void out_again(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":[1,-2.5,1e+300,true,false,null,\"x\\\"\"],\"b\":{\"c\":{}}}";
    json_val v = read_text(text);
    text_buf t = {0};
    json_writer w = json_begin(&t, false);
    json_copy_out(&w, &v);
    assert_ok(json_finish(&w));
    assert_string_equal(text_str(&t), text);
    // deeper than the writer goes: cut there, still well-formed
    text_clear(&t);
    text_repeat(&t, '[', 500);
    text_repeat(&t, ']', 500);
    v = read_text(text_str(&t));
    text_buf out = {0};
    w = json_begin(&out, false);
    json_copy_out(&w, &v);
    assert_ok(json_finish(&w));
    read_text(text_str(&out));
    text_free(&out);
    text_free(&t);
}

#else

static void says_that_it_cannot(void **state)
{
    (void)state;
    json_doc *d = NULL;
    assert_int_equal(json_read(&d, "{}", 2, "a.json"), ERR_MISSING);
    assert_err(json_read(&d, "{}", 2, "a.json"), "a.json: built without JSON reading");
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout),
        cmocka_unit_test(strings),
        cmocka_unit_test(numbers),
#if defined(KEIKO_JSON)
        cmocka_unit_test_teardown(values, drop),
        cmocka_unit_test_teardown(walking, drop),
        cmocka_unit_test_teardown(malformed, drop),
        cmocka_unit_test_teardown(out_again, drop),
#else
        cmocka_unit_test(says_that_it_cannot),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
