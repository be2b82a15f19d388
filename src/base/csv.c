// The CSV writer. See csv.h.
#include "base/csv.h"

#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <string.h>

csv_writer csv_begin(text_buf *to)
{
    return (csv_writer){.to = to};
}

static void field(csv_writer *w)
{
    if (w->column++ > 0) text_char(w->to, ',');
}

void csv_text(csv_writer *w, const char *s)
{
    field(w);
    if (s == NULL) return;
    size_t n = strlen(s);
    // Readers trim blanks at the ends of bare fields, and a row of one empty field would look like no row.
    bool quote =
        (n == 0 && w->columns == 1) || strcspn(s, ",\"\r\n") != n || (n > 0 && (s[0] == ' ' || s[n - 1] == ' '));
    if (!quote) {
        text_append_n(w->to, s, n);
        return;
    }
    text_char(w->to, '"');
    for (; *s; s++) {
        if (*s == '"') text_char(w->to, '"');
        text_char(w->to, *s);
    }
    text_char(w->to, '"');
}

void csv_int(csv_writer *w, int64_t v)
{
    field(w);
    text_printf(w->to, "%lld", (long long)v);
}

void csv_fixed(csv_writer *w, double v, int decimals)
{
    field(w);
    if (isfinite(v)) text_printf(w->to, "%.*f", decimals, v);
}

void csv_end_row(csv_writer *w)
{
    if (w->rows == 0) w->columns = w->column;
    assert(w->column == w->columns && w->columns > 0);
    text_char(w->to, '\n');
    w->column = 0;
    w->rows++;
}

void csv_header(csv_writer *w, const char *const *names, int n)
{
    for (int i = 0; i < n; i++) csv_text(w, names[i]);
    csv_end_row(w);
}
