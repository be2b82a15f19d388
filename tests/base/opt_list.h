// Option tables against a list in the source tree: names, letters, defaults, bounds and choices of every row. Whoever changes an
// option changes the list, too, and sees what else has changed: run the test with KEIKO_OPTIONS_WRITE=1.
#ifndef KEIKO_TESTS_OPT_LIST_H
#define KEIKO_TESTS_OPT_LIST_H

#include "base/file.h"
#include "base/opt_table.h"
#include "base/text.h"
#include "test.h"

static inline void list_rows(text_buf *t, const char *title, const opt *rows, int n)
{
    static const char *const kinds[] = {"flag", "int", "number", "text", "choice", "file", "dir", "list", "table"};
    int n_flat;
    const opt *flat = opt_flat(rows, n, &n_flat);
    text_printf(t, "%s\n", title);
    for (int i = 0; i < n_flat; i++) {
        const opt *o = &flat[i];
        if (o->name == NULL) continue; // a heading
        text_printf(t, "  %s %s", o->name, kinds[o->kind]);
        if (o->letter != 0) text_printf(t, " -%c", o->letter);
        if (o->value != NULL) text_printf(t, " %s", o->value);
        if (o->preset != NULL) text_printf(t, " '%s'", o->preset);
        if (o->low != 0.0 || o->high != 0.0) text_printf(t, " %.17g to %.17g", o->low, o->high);
        if (o->choices != NULL) text_printf(t, " %s", o->choices);
        if (o->required) text_append(t, " required");
        if (o->synonym != NULL) text_printf(t, " or %s", o->synonym);
        if (o->was != NULL) text_printf(t, " was %s", o->was);
        text_char(t, '\n');
    }
}

// Compares with tests/FILE and frees the text.
static inline void assert_listed(text_buf *now, const char *file)
{
    char path[FILE_PATH], *was = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, KEIKO_SOURCE "/tests/%s", file);
    if (getenv("KEIKO_OPTIONS_WRITE") != NULL) assert_ok(file_write_atomic(path, text_str(now), now->len));
    assert_ok(file_read(path, 1 << 20, &was, &size));
    if (strcmp(was, text_str(now)) != 0) {
        size_t at = 0;
        while (was[at] == text_str(now)[at]) at++;
        while (at > 0 && was[at - 1] != '\n') at--;
        fail_msg("options have changed: '%.*s', was '%.*s'; if that is meant, run this test with KEIKO_OPTIONS_WRITE=1",
                 (int)strcspn(text_str(now) + at, "\n"), text_str(now) + at, (int)strcspn(was + at, "\n"), was + at);
    }
    free(was);
    text_free(now);
}

#endif
