// A run of the bench as Markdown. See report.h.
#include "arena/report.h"

err tour_markdown(const tour_view *v, text_buf *to)
{
    text_printf(to, "## Bench: %s\n\n%llu of %llu games, %s, seed %llu, build ", v->setup.g->title,
                (unsigned long long)view_played(v), (unsigned long long)v->planned, schedule_names[v->setup.schedule],
                (unsigned long long)v->setup.seed);
    table_words(TABLE_MARKDOWN, v->setup.build, to);
    text_char(to, '\n');
    table_ratings(v, TABLE_MARKDOWN, to);
    table_matchups(v, TABLE_MARKDOWN, to);
    table_statistics(v, TABLE_MARKDOWN, true, to);
    table_superiority(v, TABLE_MARKDOWN, to);
    table_test(v, TABLE_MARKDOWN, to);
    table_notes(v, TABLE_MARKDOWN, to);
    return text_check(to);
}
