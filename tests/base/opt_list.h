// Option tables as text: names, letters, defaults, bounds and choices of every row, for assert_listed.
#ifndef KEIKO_TESTS_OPT_LIST_H
#define KEIKO_TESTS_OPT_LIST_H

#include "base/listed.h"
#include "base/opt_table.h"
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

#endif
