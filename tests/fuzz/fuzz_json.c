// Any bytes as JSON: they are refused with a sentence, or written out and read back to the same text.
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "fuzz_json: %s (%s)\n", what, err_text());
    abort();
}

// Every getter on every place: whatever the kind, it answers or explains.
static void visit(const json_val *v)
{
    const char *s;
    int64_t i;
    double d;
    bool b;
    int n;
    json_kind k = json_kind_of(v);
    check((json_get_text(v, &s) == ERR_OK) == (k == JK_TEXT), "text");
    check((json_get_bool(v, &b) == ERR_OK) == (k == JK_BOOL), "bool");
    check((json_get_object(v) == ERR_OK) == (k == JK_OBJECT), "object");
    check((json_get_array(v, 1 << 30, &n) == ERR_OK) == (k == JK_ARRAY), "array");
    if (json_get_int(v, -100, 100, &i) == ERR_OK) check(i >= -100 && i <= 100, "int");
    if (json_get_number(v, -1.0, 1.0, &d) == ERR_OK) check(d >= -1.0 && d <= 1.0, "number");
    check(strlen(v->path) < sizeof v->path, "path");
    static const char *const keys[] = {"players", "id"};
    (void)json_only(v, keys, 2);
    for (int j = 0; k == JK_ARRAY && j < json_count(v); j++) {
        json_val item = json_item(v, j);
        visit(&item);
    }
    void *iter = NULL;
    json_val member;
    while (json_each(v, &iter, &s, &member)) visit(&member);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_doc *one = NULL, *two = NULL;
    if (json_read(&one, (const char *)data, size, "fuzz") != ERR_OK) {
        check(err_text()[0] != 0, "no sentence");
        return 0;
    }
    json_val root = json_root(one);
    visit(&root);
    text_buf a = {0}, b = {0}, pretty = {0};
    json_writer w = json_begin(&a, false);
    json_copy_out(&w, &root);
    check(json_finish(&w) == ERR_OK, "writing");
    check(json_read(&two, text_str(&a), a.len, "again") == ERR_OK, "what we wrote does not read");
    root = json_root(two);
    w = json_begin(&b, false);
    json_copy_out(&w, &root);
    check(json_finish(&w) == ERR_OK, "writing again");
    check(a.len == b.len && memcmp(text_str(&a), text_str(&b), a.len) == 0, "the second text differs");
    w = json_begin(&pretty, true);
    json_copy_out(&w, &root);
    json_doc *three = NULL;
    check(json_finish(&w) == ERR_OK && json_read(&three, text_str(&pretty), pretty.len, "pretty") == ERR_OK, "pretty");
    json_free(three);
    json_free(two);
    json_free(one);
    text_free(&a);
    text_free(&b);
    text_free(&pretty);
    return 0;
}
