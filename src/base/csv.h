// CSV out, as spreadsheets and RFC 4180 read it: commas, quotes where they are needed, a quote inside doubled.
#ifndef KEIKO_BASE_CSV_H
#define KEIKO_BASE_CSV_H

#include "base/text.h"

#include <stdint.h>

typedef struct csv_writer {
    text_buf *to; // borrowed
    int columns;  // of the first row; every other must have as many
    int column;   // in the row being written
    int rows;     // finished
} csv_writer;

csv_writer csv_begin(text_buf *to);
void csv_text(csv_writer *w, const char *s); // NULL writes an empty field
void csv_int(csv_writer *w, int64_t v);
void csv_fixed(csv_writer *w, double v, int decimals); // for people: 1532.4
void csv_end_row(csv_writer *w);

void csv_header(csv_writer *w, const char *const *names, int n); // a whole row

#endif
