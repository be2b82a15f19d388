// log.jsonl: one flat JSON object per line, written and read without a JSON library.
//
// A line is {"kind":"learn","step":100,"seconds":12.5,"loss":0.53,"note":"…"}: kind, step and seconds first, then any names
// with a number, a text, true, false or null. The reader takes any flat object in that spirit, in any order, whatever wrote
// it; a line that is none is counted and skipped, and a last line without its end (a kill in the middle of a write) is
// dropped without a word.
#ifndef KEIKO_RUN_RUN_LOG_H
#define KEIKO_RUN_RUN_LOG_H

#include "base/text.h"
#include "run/run.h"

typedef struct run_record {
    const char *kind; // "" when the line has none
    int64_t step;
    double seconds;
    const run_value *values; // null is NaN; true and false are 1 and 0
    int n;
} run_record;

typedef struct run_book run_book; // a whole log

err run_book_read(run_book **out, const char *dir); // a run's folder; without a log.jsonl the book is empty
err run_book_text(run_book **out, const char *text, size_t size);
void run_book_free(run_book *b);

int run_book_count(const run_book *b);
const run_record *run_book_at(const run_book *b, int i); // in the order of the file; borrowed
int run_book_bad(const run_book *b, char why[160]);      // lines skipped, and what is wrong with the first

double run_record_get(const run_record *r, const char *name);         // NaN when it is not there, or a text
const char *run_record_text(const run_record *r, const char *name);   // NULL likewise
const run_record *run_book_last(const run_book *b, const char *kind); // NULL when there is none
double run_book_last_value(const run_book *b, const char *kind, const char *name); // of the last line that has it; NaN

// One line with its end.
void run_log_line(text_buf *to, const char *kind, int64_t step, double seconds, const run_value *values, int n);

#endif
