// The progress line of a run. See run.h.
#include "base/clock.h"
#include "run/run_inner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Seconds between lines in the text log. They are closer at the beginning (2, 4, 8, … s), so that short runs have some, too.
#define TELL_FIRST 2.0
#define TELL       30.0

// What the bar counts: the limit that is set, in this order; without any, steps without an end.
enum { BAR_STEPS, BAR_GAMES, BAR_SECONDS };

static int bar_of(const run_pace *p)
{
    if (p->steps > 0) return BAR_STEPS;
    if (p->games_most > 0) return BAR_GAMES;
    return p->seconds_most > 0.0 ? BAR_SECONDS : BAR_STEPS;
}

static void count(const run_home *r, const run_pace *p, uint64_t *done, uint64_t *total)
{
    double seconds = run_seconds(r);
    *done = (uint64_t)(r->bar == BAR_GAMES ? p->games : p->step);
    *total = (uint64_t)(r->bar == BAR_GAMES ? p->games_most : p->steps);
    if (r->bar == BAR_SECONDS) {
        *total = (uint64_t)ceil(p->seconds_most);
        *done = seconds < (double)*total ? (uint64_t)seconds : *total; // the last rating may take longer than expected
    }
}

size_t run_pace_text(const run_pace *p, char *buf, size_t n)
{
    text_buf t = {0};
    char number[TEXT_SHORT];
    const char *gap = "";
    for (int i = 0; i < p->n_losses; i++) {
        text_printf(&t, "%s%s %.3g", i == 0 ? "" : " ", p->losses[i].name, p->losses[i].v);
        gap = "  ";
    }
    if (p->has_elo) {
        text_printf(&t, "%sElo %.0f", gap, p->elo);
        if (p->elo_error > 0.0) text_printf(&t, " ±%.0f", p->elo_error);
        gap = "  ";
    }
    const struct {
        double v;
        const char *before, *behind;
    } rest[] = {{p->games_s, "", " games/s"},
                {p->positions_s, "", " pos/s"},
                {p->sims_s, "", " sims/s"},
                {(double)p->buffer, "buffer ", ""},
                {p->lr, "lr ", ""}};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        if (!(rest[i].v > 0.0)) continue;
        text_short(rest[i].v, number);
        text_printf(&t, "%s%s%s%s", gap, rest[i].before, number, rest[i].behind);
        gap = "  ";
    }
    size_t len = t.len;
    if (n > 0) snprintf(buf, n, "%s", text_str(&t));
    text_free(&t);
    return len;
}

// Time left, by the pace since the line first appeared; NaN when it cannot be said.
static double time_left(const run_home *r, const run_pace *p, double fraction)
{
    if (r->bar == BAR_SECONDS) return fmax(0.0, p->seconds_most - run_seconds(r));
    double gained = fraction - r->fraction;
    return gained > 0.0 ? (clock_seconds() - r->born) * (1.0 - fraction) / gained : NAN;
}

void run_show(run_home *r, const run_pace *p)
{
    uint64_t done, total;
    char text[256];
    if (r == NULL) return;
    bool first = r->told == 0.0;
    if (first) r->bar = bar_of(p), r->seconds_most = p->seconds_most;
    count(r, p, &done, &total);
    double fraction = total > 0 ? (double)done / (double)total : 0.0, now = clock_seconds();
    if (first) {
        char counted[24];
        snprintf(counted, sizeof counted, "%ss", r->step);
        const char *const units[] = {counted, "games", "s"};
        r->line = progress_new(&(progress_options){.label = r->game,
                                                   .unit = units[r->bar],
                                                   .total = total,
                                                   .start = done,
                                                   .quiet = r->quiet,
                                                   .verbose = r->verbose,
                                                   .color = r->color});
        r->fraction = fraction;
        r->told = now;
        // For `keiko status`: limits belong to one start, so they are in no config file.
        (void)RUN_LOG(r, "limits", p->step, RUN_N("steps", p->steps), RUN_N("games", p->games_most),
                      RUN_N("seconds_most", p->seconds_most));
    }
    run_pace_text(p, text, sizeof text);
    if (r->bar != BAR_STEPS) { // the bar does not show the step then, so the words do
        char with[300];
        snprintf(with, sizeof with, "%s %" PRId64 "  %s", r->step, p->step, text);
        progress_extra(r->line, "%s", with);
    } else {
        progress_extra(r->line, "%s", text);
    }
    progress_total(r->line, total);
    progress_set(r->line, done);
    snprintf(r->untold, sizeof r->untold, "%s %" PRId64 "  %s", r->step, p->step, text);
    if (now - r->told < fmin(TELL, fmax(TELL_FIRST, r->told - r->born))) return;
    char left[CLOCK_TEXT];
    r->told = now;
    log_info("%s  %s left", r->untold, total > 0 ? clock_duration(time_left(r, p, fraction), left) : "?");
    r->untold[0] = 0;
}

void run_show_last(run_home *r)
{
    progress_finish(r->line);
    if (r->untold[0] != 0) log_info("%s", r->untold);
}

void run_show_rating(run_home *r, uint64_t done, uint64_t games)
{
    if (r == NULL) return;
    progress_extra(r->line, "rating: game %" PRIu64 " of %" PRIu64, done, games);
    if (r->bar == BAR_SECONDS && r->seconds_most > 0) {
        double seconds = run_seconds(r);
        progress_set(r->line, (uint64_t)fmin(seconds, ceil(r->seconds_most)));
    } else {
        progress_tick(r->line, 0);
    }
}

bool run_over(const run_pace *p, double seconds)
{
    return (p->steps > 0 && p->step >= p->steps) || (p->games_most > 0 && p->games >= p->games_most) ||
           (p->seconds_most > 0.0 && seconds >= p->seconds_most);
}
