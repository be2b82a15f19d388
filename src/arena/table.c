// Tables for people, as text or Markdown, from one description of rows. See view.h.
#include "arena/view.h"
#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 16, CELL = 260 };

// A table is gathered cell by cell, so that columns can be as wide as they must be.
typedef struct grid {
    char (*cell)[CELL];
    int columns, n, room;
    bool left[COLUMNS]; // aligned to the left
    bool failed;
} grid;

static void put(grid *g, const char *fmt, ...) KEIKO_PRINTF(2, 3);
static void put(grid *g, const char *fmt, ...)
{
    if (!GROW(g->cell, g->n, g->room)) {
        g->failed = true;
        return;
    }
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(g->cell[g->n++], CELL, fmt, ap);
    va_end(ap);
}

static int width_of(const char *s)
{
    return text_columns(s, strlen(s));
}

// In Markdown a name must not end its cell, and must not become HTML; on a terminal it must not move the cursor.
void table_words(table_style style, const char *words, text_buf *out)
{
    if (style == TABLE_TEXT) {
        text_append_safe(out, words, true);
        return;
    }
    for (; *words; words++) {
        const char *html = *words == '&' ? "&amp;" : *words == '<' ? "&lt;" : *words == '>' ? "&gt;" : NULL;
        if (html == NULL && strchr("|\\`*_[]~", *words) != NULL) text_char(out, '\\');
        if (html != NULL)
            text_append(out, html);
        else
            text_char(out, *words);
    }
}

static void put_padded(text_buf *out, const char *s, int width, bool left)
{
    int pad = width - width_of(s);
    if (!left) text_repeat(out, ' ', pad);
    table_words(TABLE_TEXT, s, out);
    if (left) text_repeat(out, ' ', pad);
}

static void print_row(const grid *g, int row, const int *width, table_style style, text_buf *out)
{
    size_t from = out->len;
    for (int c = 0; c < g->columns; c++) {
        text_append(out, style == TABLE_MARKDOWN ? "| " : "  ");
        const char *cell = g->cell[row * g->columns + c];
        if (style == TABLE_MARKDOWN) {
            table_words(style, cell, out);
            text_char(out, ' ');
        } else {
            put_padded(out, cell, width[c], g->left[c]);
        }
    }
    if (style == TABLE_MARKDOWN) text_char(out, '|');
    size_t end = out->len;
    while (!out->failed && end > from && out->data[end - 1] == ' ') end--;
    text_truncate(out, end);
    text_char(out, '\n');
}

// The first row is the heading.
static void print_grid(grid *g, table_style style, text_buf *out)
{
    int width[COLUMNS] = {0}, rows = g->n / g->columns;
    for (int i = 0; i < rows * g->columns; i++) {
        int w = width_of(g->cell[i]);
        if (w > width[i % g->columns]) width[i % g->columns] = w;
    }
    for (int r = 0; r < rows; r++) {
        print_row(g, r, width, style, out);
        if (r > 0 || style != TABLE_MARKDOWN) continue;
        for (int c = 0; c < g->columns; c++) text_append(out, g->left[c] ? "|---" : "|--:");
        text_append(out, "|\n");
    }
    if (g->failed) out->failed = true;
    free(g->cell);
}

static void heading(text_buf *out, table_style style, const char *text)
{
    text_printf(out, style == TABLE_MARKDOWN ? "\n### %s\n\n" : "\n%s\n", text);
}

static double whole(double elo) // not -0
{
    return round(elo) + 0.0;
}

void table_ratings(const tour_view *v, table_style style, text_buf *out)
{
    if (!v->rated) return;
    int *order = view_by_rating(v);
    if (order == NULL) {
        out->failed = true;
        return;
    }
    char title[160];
    snprintf(title, sizeof title, "Ratings (%s, %s errors, %.0f %%)", rating_model_name(&v->rating),
             rating_errors_name(rating_errors_used(&v->fit, v->errors)), 100 * v->setup.rating.level);
    heading(out, style, title);
    grid g = {.columns = 10, .left = {true}};
    static const char *const names[] = {"player", "rating", "low",  "high",  "games",
                                        "won",    "drawn",  "lost", "score", "K=32"};
    for (int i = 0; i < 10; i++) put(&g, "%s", names[i]);
    for (int k = 0; k < v->setup.n_players; k++) {
        int i = order[k];
        const view_player *p = &v->player[i];
        interval in = view_interval(v, i);
        put(&g, "%s", v->setup.player[i].name);
        put(&g, "%.0f", v->fit.rating[i]);
        put(&g, "%.0f", in.low);
        put(&g, "%.0f", in.high);
        put(&g, "%.0f", p->games);
        put(&g, "%.0f", p->wins);
        put(&g, "%.0f", p->draws);
        put(&g, "%.0f", p->losses);
        put(&g, "%.1f %%", 100 * view_score(p));
        put(&g, "%.0f", v->sequential[i]);
    }
    print_grid(&g, style, out);
    if (v->fit.has_advantage) {
        interval in = view_interval(v, v->setup.n_players);
        text_printf(out, "%sMoving first is worth %.0f Elo (%.0f to %.0f).\n", style == TABLE_MARKDOWN ? "\n" : "  ",
                    whole(v->fit.advantage), whole(in.low), whole(in.high));
    }
    free(order);
}

// Milliseconds in three digits; "-" where nothing was measured.
static void put_ms(grid *g, double seconds)
{
    if (seconds <= 0)
        put(g, "-");
    else if (seconds >= 0.1)
        put(g, "%.0f", 1000 * seconds);
    else
        put(g, "%.3g", 1000 * seconds);
}

void table_statistics(const tour_view *v, table_style style, bool timing, text_buf *out)
{
    heading(out, style, "Statistics");
    // Six columns fit into 80 characters; scores and draws stand in the ratings, failures in the notes.
    grid g = {.columns = timing ? 6 : 3, .left = {true}};
    static const char *const names[] = {"player", "moves/game", "nodes/move", "ms/move", "CPU ms/move", "nodes/s"};
    for (int i = 0; i < g.columns; i++) put(&g, "%s", names[i]);
    for (int i = 0; i < v->setup.n_players; i++) {
        const view_player *p = &v->player[i];
        double games = p->games > 0 ? p->games : 1, choices = p->choices > 0 ? p->choices : 1;
        put(&g, "%s", v->setup.player[i].name);
        put(&g, "%.1f", p->plies / games);
        put(&g, "%.0f", p->nodes / choices);
        if (!timing) continue;
        put_ms(&g, p->seconds / choices);
        put_ms(&g, p->cpu / choices);
        if (p->seconds > 0 && p->nodes > 0)
            put(&g, "%.0f", p->nodes / p->seconds);
        else
            put(&g, "-");
    }
    print_grid(&g, style, out);
    text_append(out, style == TABLE_MARKDOWN ? "\nEnds:" : "  Ends:");
    for (int i = 0; i <= MATCH_FAILED; i++)
        if (v->reasons[i] > 0) text_printf(out, " %s %llu", match_reason_words(i), (unsigned long long)v->reasons[i]);
    text_char(out, '\n');
}

// Elo, low, high. All games won or lost give one bound and no estimate; an end at the limit of the scale is no bound.
static void put_elo(grid *g, const view_pairing *p)
{
    const double most = elo_difference(1), end[2] = {p->elo.low, p->elo.high};
    if (p->wins_b + p->draws == 0 || p->elo.elo >= most)
        put(g, "over %+.0f", p->elo.low);
    else if (p->wins_a + p->draws == 0 || p->elo.elo <= -most)
        put(g, "under %+.0f", p->elo.high);
    else
        put(g, "%+.0f", whole(p->elo.elo));
    for (int i = 0; i < 2; i++)
        if (end[i] > -most && end[i] < most)
            put(g, "%+.0f", whole(end[i]));
        else
            put(g, "-");
}

void table_matchups(const tour_view *v, table_style style, text_buf *out)
{
    heading(out, style, "Matchups");
    grid g = {.columns = 8, .left = {true, true}};
    static const char *const names[] = {"A", "B", "A won", "drawn", "B won", "Elo A-B", "low", "high"};
    for (int i = 0; i < 8; i++) put(&g, "%s", names[i]);
    for (int i = 0; i < v->n_pairings; i++) {
        const view_pairing *p = &v->pairing[i];
        put(&g, "%s", v->setup.player[p->a].name);
        put(&g, "%s", v->setup.player[p->b].name);
        put(&g, "%.0f", p->wins_a);
        put(&g, "%.0f", p->draws);
        put(&g, "%.0f", p->wins_b);
        put_elo(&g, p);
    }
    print_grid(&g, style, out);
}

void table_superiority(const tour_view *v, table_style style, text_buf *out)
{
    int n = v->setup.n_players;
    if (!v->rated || n + 1 > COLUMNS) return; // a wider table is for the JSON
    heading(out, style, "Chance that the row is stronger than the column");
    grid g = {.columns = n + 1, .left = {true}};
    put(&g, "%s", "");
    for (int i = 0; i < n; i++) put(&g, "%s", v->setup.player[i].name);
    for (int i = 0; i < n; i++) {
        put(&g, "%s", v->setup.player[i].name);
        for (int k = 0; k < n; k++) {
            if (i == k)
                put(&g, "-");
            else
                put(&g, "%.1f %%", 100 * rating_superiority(&v->fit, v->errors, i, k));
        }
    }
    print_grid(&g, style, out);
}

void table_test(const tour_view *v, table_style style, text_buf *out)
{
    if (!v->setup.has_sprt || v->n_pairings != 1) return;
    const sprt_test *t = &v->setup.sprt;
    const sprt_status *s = &v->test;
    const match_elo *e = &v->pairing[0].elo;
    const char *a = v->setup.player[0].name, *b = v->setup.player[1].name;
    const char *scale = t->scale == SPRT_NORMALISED ? "normalised" : "logistic";
    text_buf w = {0};
    text_printf(&w, "\nSequential test of '%s' against '%s', %s Elo %g against %g\n", a, b, scale, t->elo0, t->elo1);
    text_printf(&w, "  LLR %.3f (%.3f, %.3f) after %.0f games; pairs by points 0-½-1-1½-2: %.0f %.0f %.0f %.0f %.0f\n",
                s->llr, s->lower, s->upper, s->games, v->n5[0], v->n5[1], v->n5[2], v->n5[3], v->n5[4]);
    if (s->verdict == SPRT_H1)
        text_printf(
            &w,
            "  Accepted: '%s' is stronger: %+.0f Elo (%+.0f to %+.0f). Such a verdict is wrong at most %.0f times "
            "in 100 if the true difference is %g.\n",
            a, whole(e->elo), whole(e->low), whole(e->high), 100 * t->alpha, t->elo0);
    else if (s->verdict == SPRT_H0)
        text_printf(&w,
                    "  Rejected: no evidence of %+g Elo: %+.0f (%+.0f to %+.0f). Such a verdict is wrong at most %.0f "
                    "times in 100 if the true difference is %g.\n",
                    t->elo1, whole(e->elo), whole(e->low), whole(e->high), 100 * t->beta, t->elo1);
    else if (v->n_same > 0 && v->state.ended > 0)
        text_printf(&w, "  Undecided: the openings are used up, and the players repeat their games from them.\n");
    else
        text_printf(&w, "  Undecided; about %.0f more games are expected.\n", s->left);
    table_words(style, text_str(&w), out);
    out->failed = out->failed || w.failed;
    text_free(&w);
}

static void put_notes(const notes *n, table_style style, text_buf *out)
{
    for (int i = 0; i < n->n; i++) {
        text_append(out, "\nNote: ");
        table_words(style, n->line[i], out);
        text_char(out, '\n');
    }
}

void table_notes(const tour_view *v, table_style style, text_buf *out)
{
    put_notes(&v->notes, style, out);
    if (v->rated) put_notes(&v->fit.notes, style, out);
}
