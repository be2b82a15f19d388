// A run's report: one JSON document with all that is shown, and the HTML file that holds it.
//
// The HTML file is a template with the document put in. `make site` builds the template from the page's own charts, tables and
// boards (web/report): scripts and styles are inside, so the report needs no other file and asks nothing of any server. Without
// it the document is shown as plain tables.
#ifndef KEIKO_APP_REPORT_H
#define KEIKO_APP_REPORT_H

#include "app/bench.h"

enum { REPORT_ROWS = 1500, REPORT_GAMES = 2000 }; // at most this many lines of a kind, and games of a bench

typedef struct report_options {
    bool by_time; // training: curves over the time trained instead of steps
    int run;      // bench: 0 = the last of the store
    int replays;  // games that can be replayed
    view_options view;
} report_options;

err report_training_json(const char *dir, const report_options *o, json_writer *w); // one object
err report_bench_json(const bench_opened *b, const char *path, const report_options *o, json_writer *w);

// An object: the move that led here, and the board as the page draws it (`view`), or as text.
void report_board(const game *g, const void *obs, const char *last, json_writer *w);

// `template`: a file's text; NULL = plain tables, which say how to get the charts. `json` goes into a script element: the
// writer of base/json.h leaves no '<' in it.
err report_page(const char *template, const text_buf *json, text_buf *to);

#endif
