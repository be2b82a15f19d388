// A run of the bench as one page (HTML with charts and a replay of games) or as Markdown for a comment.
#ifndef KEIKO_ARENA_REPORT_H
#define KEIKO_ARENA_REPORT_H

#include "arena/view.h"

typedef struct tour_report_options {
    int run;     // 0 = the last of the store
    int replays; // games that can be replayed on the page
    view_options view;
} tour_report_options;

err tour_report_html(store *s, const tour_report_options *o, text_buf *to);
err tour_report_markdown(store *s, const tour_report_options *o, text_buf *to);

#endif
