// A run of the bench as Markdown, for a comment on a pull request. The HTML report is in app/report.h.
#ifndef KEIKO_ARENA_REPORT_H
#define KEIKO_ARENA_REPORT_H

#include "arena/view.h"

err tour_markdown(const tour_view *v, text_buf *to);

#endif
