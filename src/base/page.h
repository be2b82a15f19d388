// A self-contained HTML page: frame, sections, tables. Nothing is loaded from anywhere.
//
// The page follows the reader's light or dark preference, has one column on a phone and two where there is room, and carries
// a small script that shows the values of line charts (base/plot.h) under the pointer; without scripts it is whole all the
// same. Texts are escaped here; what is appended to `to` directly is the caller's to escape (plot_escape).
#ifndef KEIKO_BASE_PAGE_H
#define KEIKO_BASE_PAGE_H

#include "base/text.h"

typedef struct page {
    text_buf *to; // borrowed
    bool in_section, in_grid;
} page;

page page_begin(text_buf *to, const char *title, const char *subtitle); // subtitle may be NULL
void page_section(page *p, const char *title, const char *words);       // ends the section before; words may be NULL
void page_grid(page *p);                     // charts from here to the section's end stand side by side
void page_words(page *p, const char *words); // a paragraph
void page_facts_begin(page *p);              // a table of names and values
void page_fact(page *p, const char *name, const char *fmt, ...) KEIKO_PRINTF(3, 4);
void page_facts_end(page *p);
void page_table_begin(page *p, const char *const *heads, int n);
void page_row(page *p, const char *const *cells, int n); // cells that look like numbers stand at the right
void page_table_end(page *p);
void page_end(page *p, const char *footer); // footer may be NULL

#endif
