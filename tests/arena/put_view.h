// All that a run of the bench is made into, as one text: tables, JSON, CSV, PGN, SGF and numbers.
#ifndef KEIKO_TESTS_PUT_VIEW_H
#define KEIKO_TESTS_PUT_VIEW_H

#include "arena/export.h"
#include "arena/report.h"
#include "arena/view.h"
#include "base/listed.h"

static inline err keep(void *ctx, const char *data, size_t n)
{
    text_append_n(ctx, data, n);
    return ERR_OK;
}

// Nothing but rounding: not the same on every machine.
static inline double no_dust(double x)
{
    return x > -1e-6 && x < 1e-6 ? 0 : x;
}

typedef err exporter(const tour_view *v, store *s, const export_options *o, sink to);

static inline err ratings_csv(const tour_view *v, store *s, const export_options *o, sink to)
{
    (void)s;
    return export_ratings_csv(v, o, to);
}

static inline void put_view(text_buf *t, store *st, const view_options *o, bool timing)
{
    static const struct {
        const char *name;
        exporter *make;
    } exports[] = {{"json", export_json},
                   {"ratings", ratings_csv},
                   {"games", export_games_csv},
                   {"pgn", export_pgn},
                   {"sgf", export_sgf}};
    tour_view v;
    double *at = NULL, *rating = NULL;
    int n = 0;
    assert_ok(view_load(&v, st, 0, o));
    for (int style = TABLE_TEXT; style <= TABLE_MARKDOWN; style++) {
        table_ratings(&v, (table_style)style, t);
        table_statistics(&v, (table_style)style, timing, t);
        table_matchups(&v, (table_style)style, t);
        table_superiority(&v, (table_style)style, t);
        table_test(&v, (table_style)style, t);
        table_notes(&v, (table_style)style, t);
        table_words((table_style)style, "a | b <i> \x1b[1m", t);
        text_char(t, '\n');
    }
    for (size_t i = 0; i < sizeof exports / sizeof *exports; i++) {
        text_printf(t, "-- %s\n", exports[i].name);
        if (exports[i].make(&v, st, &(export_options){.lines = true, .timing = timing}, (sink){keep, t}) != ERR_OK)
            text_printf(t, "refused: %s\n", err_text());
    }
    for (int i = 0; i < v.setup.n_players; i++) {
        const view_player *p = &v.player[i];
        interval gap = view_gap(&v, i, 0);
        text_printf(
            t, "%d: games %g +%g =%g -%g first %g plies %g choices %g nodes %g failures %g score %.6g gap %.5g %.5g\n",
            i, p->games, p->wins, p->draws, p->losses, p->first, p->plies, p->choices, p->nodes, p->failures,
            view_score(p), no_dust(gap.low), no_dust(gap.high));
    }
    assert_ok(view_convergence(&v, 4, &at, &rating, &n));
    for (int i = 0; i < n; i++) text_printf(t, "after %g games %.6g\n", at[i], rating[i]);
    free(at);
    free(rating);
    view_free(&v);
}

#endif
