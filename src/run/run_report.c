// The report of a training run. See run_report.h.
//
// One table says which numbers of the log make which chart, so that a new number needs one row, and numbers that no row
// knows are still drawn at the end, one chart each. A chart whose numbers the log does not have is left out.
#include "run/run_report.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/opt.h"
#include "base/page.h"
#include "base/plot.h"
#include "run/run_status.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_Y = 1, SHARE = 2, ZERO = 4, SMOOTH = 8, STEP_LIKE = 16, STACKED = 32 };

typedef struct chart {
    const char *section, *title;
    const char *kind, *names; // names parted by blanks; one that ends in '*' stands for all that begin so
    const char *y_label;      // NULL = none
    int how;
} chart;

static const chart charts[] = {
    {"Learning", "Losses", "learn", "loss loss_*", NULL, SMOOTH},
    {"Learning", "Losses, logarithmic", "learn", "loss loss_*", NULL, SMOOTH | LOG_Y},
    {"Learning", "Learning rate", "learn", "lr", NULL, LOG_Y},
    {"Learning", "Gradient norm", "learn", "grad_norm", NULL, SMOOTH | LOG_Y},
    {"Learning", "Samples a position (reuse)", "learn", "reuse", NULL, ZERO},
    {"Learning", "Samples drawn", "learn", "samples", NULL, ZERO},
    {"Learning", "Mean Q-value", "learn", "q q_*", NULL, SMOOTH},
    {"Learning", "Samples per second", "learn", "samples_s", NULL, ZERO},
    {"Self-play", "Game length", "selfplay", "length", "moves", SMOOTH},
    {"Self-play", "Policy entropy", "selfplay", "entropy entropy_*", "nats", SMOOTH},
    {"Self-play", "Results", "selfplay", "first_wins second_wins draws", NULL, SHARE | ZERO | SMOOTH},
    {"Self-play", "Games per second", "selfplay", "games_s", NULL, ZERO | SMOOTH},
    {"Self-play", "Positions per second", "selfplay", "positions_s", NULL, ZERO | SMOOTH},
    {"Self-play", "Simulations a second", "selfplay", "sims_s", NULL, ZERO | SMOOTH},
    {"Self-play", "Moves a second", "selfplay", "moves_s", NULL, ZERO | SMOOTH},
    {"Self-play", "Evaluator", "selfplay", "batch_fill cache_hits", NULL, SHARE | ZERO | SMOOTH},
    {"Self-play", "Where the threads' time goes", "shares", "tree encode send transfer kernel network wait idle", NULL,
     SHARE | ZERO | STACKED},
    {"Self-play", "How busy the network is", "shares", "busy busy_*", NULL, SHARE | ZERO | SMOOTH},
    {"Self-play", "Queue", "selfplay", "queue", "positions waiting", ZERO},
    {"Self-play", "Replay", "selfplay", "buffer", "positions", ZERO},
    {"Self-play", "Staleness of samples", "selfplay", "staleness", "steps", ZERO},
    {"Self-play", "Resignations that were wrong", "selfplay", "resign_wrong", NULL, SHARE | ZERO},
    {"Self-play", "Games", "selfplay", "games", NULL, ZERO},
    {"Self-play", "Positions", "selfplay", "positions", NULL, ZERO},
    {"Episodes", "Reward", "episode", "reward", NULL, SMOOTH},
    {"Episodes", "Reward by component", "episode", "reward_*", NULL, SMOOTH},
    {"Episodes", "Largest chain", "episode", "chain chain_*", NULL, SMOOTH | ZERO},
    {"Episodes", "Won", "episode", "win", NULL, SHARE | ZERO | SMOOTH},
    {"Episodes", "Length", "episode", "length", "moves", SMOOTH | ZERO},
    {"Episodes", "Exploration and importance", "episode", "epsilon beta", NULL, ZERO},
    {"Episodes", "TD error", "episode", "td_error", NULL, SMOOTH | ZERO},
    {"Episodes", "What the bare network knows of looking ahead", "episode", "alone_agrees alone_explains", NULL,
     SMOOTH},
    {"Episodes", "Stage of the curriculum", "episode", "stage", NULL, ZERO | STEP_LIKE},
    {"Episodes", "Episodes", "episode", "episodes", NULL, ZERO},
};
enum { CHARTS = sizeof charts / sizeof *charts, SERIES = 16 };

typedef struct report {
    const char *dir;
    const run_book *book;
    const run_report_options *o;
    run_state state;
    text_buf *to;
    page page;
    plot_mark *resumed; // where the run was taken up again
    int n_resumed;
    const char *section; // open, or NULL
} report;

static bool in_names(const char *names, const char *name)
{
    for (const char *p = names; *p;) {
        size_t n = strcspn(p, " ");
        bool any = n > 0 && p[n - 1] == '*';
        if (any ? strncmp(name, p, n - 1) == 0 : strlen(name) == n && strncmp(name, p, n) == 0) return true;
        p += n + strspn(p + n, " ");
    }
    return false;
}

static double x_of(const report *r, const run_record *rec)
{
    return r->o->by_time ? rec->seconds : (double)rec->step;
}

static plot_axes axes_of(const report *r, const char *title, const char *y_label, int how)
{
    return (plot_axes){.title = title,
                       .x_label = r->o->by_time ? "time trained" : run_step_word(r->state.info.algo),
                       .y_label = y_label,
                       .x_seconds = r->o->by_time,
                       .y_log = (how & LOG_Y) != 0,
                       .y_percent = (how & SHARE) != 0,
                       .y_zero = (how & ZERO) != 0,
                       .x_marks = r->resumed,
                       .n_x_marks = r->n_resumed};
}

static void open_section(report *r, const char *name, const char *words)
{
    if (r->section != NULL && strcmp(r->section, name) == 0) return;
    page_section(&r->page, name, words);
    page_grid(&r->page);
    r->section = name;
}

// --- series out of the log

typedef struct curve {
    char name[96];
    double *x, *y, *low, *high, *trend;
    int n;
} curve;

static void curves_free(curve *c, int n)
{
    for (int i = 0; i < n; i++) {
        free(c[i].x); // one block holds them all
    }
}

// Room for every line of the log: an upper bound that needs no second pass.
static bool curve_room(curve *c, int lines)
{
    size_t n = (size_t)lines + 1;
    c->x = calloc(5 * n, sizeof *c->x);
    if (c->x == NULL) return false;
    c->y = c->x + n;
    c->low = c->y + n;
    c->high = c->low + n;
    c->trend = c->high + n;
    return true;
}

// The mean of a window around each point, about a thirtieth of the curve wide, narrower at the ends: no lag, unlike a running
// mean that only knows the past.
static void smooth(curve *c)
{
    int reach = c->n / 60 > 2 ? c->n / 60 : 2, from = 0, to = 0;
    double sum = 0.0;
    for (int i = 0; i < c->n; i++) {
        int half = i < c->n - 1 - i ? i : c->n - 1 - i;
        if (half > reach) half = reach;
        while (to <= i + half) sum += c->y[to++];
        while (from < i - half) sum -= c->y[from++];
        c->trend[i] = sum / (to - from);
    }
}

// The names of `kind` that fit, in the order of their first appearance.
static int find_names(const report *r, const char *kind, const char *names, curve *list, int most)
{
    int n = 0;
    for (int i = 0; i < run_book_count(r->book); i++) {
        const run_record *rec = run_book_at(r->book, i);
        if (strcmp(rec->kind, kind) != 0) continue;
        for (int k = 0; k < rec->n; k++) {
            const run_value *v = &rec->values[k];
            int j = 0;
            if (v->text != NULL || !in_names(names, v->name)) continue;
            while (j < n && strncmp(list[j].name, v->name, sizeof list[j].name - 1) != 0) j++;
            if (j < n || n == most) continue;
            list[n] = (curve){0};
            snprintf(list[n].name, sizeof list[n].name, "%s", v->name);
            n++;
        }
    }
    return n;
}

static err fill(const report *r, const char *kind, curve *c)
{
    int lines = run_book_count(r->book);
    if (!curve_room(c, lines)) return err_set(ERR_MEMORY, "out of memory while drawing");
    for (int i = 0; i < lines; i++) {
        const run_record *rec = run_book_at(r->book, i);
        if (strcmp(rec->kind, kind) != 0) continue;
        double v = run_record_get(rec, c->name);
        if (!isfinite(v)) continue;
        c->x[c->n] = x_of(r, rec);
        c->y[c->n++] = v;
    }
    return ERR_OK;
}

// The words a person reads: "loss_policy" under "Losses" is "policy".
static const char *short_name(const char *name, int curves)
{
    static const char *const before[] = {"loss_", "reward_", "entropy_", "chain_", "q_"};
    for (size_t i = 0; curves > 1 && i < sizeof before / sizeof *before; i++)
        if (strncmp(name, before[i], strlen(before[i])) == 0) return name + strlen(before[i]);
    return name;
}

static void draw(report *r, const plot_axes *a, curve *list, int n, int how)
{
    plot_series s[2 * SERIES];
    int k = 0;
    for (int i = 0; i < n; i++) {
        curve *c = &list[i];
        bool trend = (how & SMOOTH) != 0 && c->n > 60;
        if (trend) {
            smooth(c);
            s[k++] = (plot_series){.x = c->x, .y = c->y, .n = c->n, .style = PLOT_FAINT, .colour = i + 1};
        }
        s[k++] = (plot_series){
            .name = short_name(c->name, n), .x = c->x, .y = trend ? c->trend : c->y, .n = c->n, .colour = i + 1};
    }
    plot_lines(r->to, a, s, k);
}

static err put_chart(report *r, const chart *c)
{
    curve list[SERIES];
    int n = find_names(r, c->kind, c->names, list, SERIES), filled = 0;
    err e = ERR_OK;
    if (n == 0) return ERR_OK;
    for (; e == ERR_OK && filled < n; filled++) e = fill(r, c->kind, &list[filled]);
    if (e == ERR_OK) {
        open_section(r, c->section, NULL);
        plot_axes a = axes_of(r, c->title, c->y_label, c->how);
        a.stacked = (c->how & STACKED) != 0;
        for (int i = 1; i < n; i++) a.stacked = a.stacked && list[i].n == list[0].n; // else they do not share x
        if (a.stacked) a.high = 1.0;                                                 // shares of a whole
        draw(r, &a, list, n, c->how);
    }
    curves_free(list, filled);
    return e;
}

// --- strength

static err put_elo(report *r)
{
    curve c = {.name = "Elo"};
    if (run_book_last(r->book, "elo") == NULL) return ERR_OK;
    if (!curve_room(&c, run_book_count(r->book))) return err_set(ERR_MEMORY, "out of memory while drawing");
    for (int i = 0; i < run_book_count(r->book); i++) {
        const run_record *rec = run_book_at(r->book, i);
        if (strcmp(rec->kind, "elo") != 0) continue;
        c.x[c.n] = x_of(r, rec);
        c.y[c.n] = run_record_get(rec, "elo");
        c.low[c.n] = run_record_get(rec, "low");
        c.high[c.n++] = run_record_get(rec, "high");
    }
    open_section(r, "Strength", "Bands and bars are 95 % intervals.");
    plot_axes a = axes_of(r, "Elo", NULL, 0);
    plot_lines(r->to, &a, &(plot_series){.name = "Elo", .x = c.x, .y = c.y, .low = c.low, .high = c.high, .n = c.n}, 1);
    curves_free(&c, 1);
    return ERR_OK;
}

// One number of the `match` lines against one opponent; the score brings its interval.
static void fill_match(const report *r, const run_match *m, const char *name, curve *c)
{
    bool score = strcmp(name, "score") == 0;
    for (int i = 0; i < run_book_count(r->book); i++) {
        const run_record *rec = run_book_at(r->book, i);
        const char *who = strcmp(rec->kind, "match") == 0 ? run_record_text(rec, "opponent") : NULL;
        double v = run_record_get(rec, name);
        if (who == NULL || isnan(v) || strncmp(who, m->opponent, sizeof m->opponent - 1) != 0) continue;
        c->x[c->n] = x_of(r, rec);
        c->y[c->n] = v;
        c->low[c->n] = c->high[c->n] = NAN;
        if (score) run_match_interval(rec, &c->low[c->n], &c->high[c->n]);
        c->n++;
    }
}

// A line an opponent; nothing where no match line has the number.
static err put_match_curves(report *r, const char *name, const char *title, int how, double high)
{
    curve list[RUN_OPPONENTS] = {0};
    plot_series series[RUN_OPPONENTS];
    const run_state *s = &r->state;
    int n = s->n_matches, any = 0;
    err e = ERR_OK;
    for (int k = 0; e == ERR_OK && k < n; k++) {
        curve *c = &list[k];
        const run_match *m = &s->match[n - 1 - k]; // the state lists the last seen first
        if (!curve_room(c, run_book_count(r->book))) {
            e = err_set(ERR_MEMORY, "out of memory while drawing");
            break;
        }
        fill_match(r, m, name, c);
        any += c->n;
        series[k] = (plot_series){.name = m->opponent, .x = c->x, .y = c->y, .low = c->low, .high = c->high, .n = c->n};
    }
    if (e == ERR_OK && any > 0) {
        open_section(r, "Strength", "Bands and bars are 95 % intervals.");
        plot_axes a = axes_of(r, title, NULL, how);
        a.high = high;
        plot_lines(r->to, &a, series, n);
    }
    curves_free(list, n);
    return e;
}

static err put_matches(report *r)
{
    const run_state *s = &r->state;
    plot_interval last[RUN_OPPONENTS];
    char notes[RUN_OPPONENTS][64];
    int n = s->n_matches;
    if (n == 0) return ERR_OK;
    err e = put_match_curves(r, "score", "Score against each opponent", SHARE, 1.0);
    if (e == ERR_OK) e = put_match_curves(r, "chain", "Largest chain against each opponent", ZERO, 0.0);
    if (e != ERR_OK) return e;
    for (int k = 0; k < n; k++) {
        const run_match *m = &s->match[n - 1 - k];
        snprintf(notes[k], sizeof notes[k], "%.0f games, %s %" PRId64, isnan(m->games) ? 0.0 : m->games,
                 run_step_word(s->info.algo), m->step);
        last[k] = (plot_interval){m->opponent, m->score, m->low, m->high, notes[k]};
    }
    plot_intervals(r->to, &(plot_axes){.title = "The last results", .y_percent = true, .high = 1.0}, last, n);
    return ERR_OK;
}

// --- time by stage

static err put_stages(report *r)
{
    curve list[SERIES];
    int n = find_names(r, "time", "*", list, SERIES), filled = 0;
    double total[SERIES] = {0}, all = 0.0;
    plot_series s[SERIES];
    plot_interval bars[SERIES];
    char notes[SERIES][32];
    err e = ERR_OK;
    if (n == 0) return ERR_OK;
    for (; e == ERR_OK && filled < n; filled++)
        if (!curve_room(&list[filled], run_book_count(r->book))) e = err_set(ERR_MEMORY, "out of memory while drawing");
    for (int i = 0; e == ERR_OK && i < run_book_count(r->book); i++) {
        const run_record *rec = run_book_at(r->book, i);
        double sum = 0.0;
        if (strcmp(rec->kind, "time") != 0) continue;
        for (int k = 0; k < rec->n; k++)
            if (rec->values[k].text == NULL && rec->values[k].v > 0.0) sum += rec->values[k].v;
        for (int k = 0; k < n; k++) { // shares of one line, on a common x
            double v = run_record_get(rec, list[k].name);
            list[k].x[list[k].n] = x_of(r, rec);
            list[k].y[list[k].n++] = sum > 0.0 && v > 0.0 ? v / sum : 0.0;
            total[k] += v > 0.0 ? v : 0.0;
        }
        all += sum;
    }
    for (int k = 0; k < n; k++) {
        s[k] = (plot_series){.name = list[k].name, .x = list[k].x, .y = list[k].y, .n = list[k].n};
        snprintf(notes[k], sizeof notes[k], "%.1f%%", all > 0.0 ? 100.0 * total[k] / all : 0.0);
        bars[k] = (plot_interval){list[k].name, total[k], NAN, NAN, notes[k]};
    }
    if (e == ERR_OK) {
        open_section(r, "Time", "Where the time of the training process went, by stage.");
        plot_axes a = axes_of(r, "Time by stage", NULL, SHARE | ZERO);
        a.stacked = true;
        a.high = 1.0;
        plot_lines(r->to, &a, s, n);
        plot_bars(r->to, &(plot_axes){.title = "In all", .x_seconds = true}, bars, n);
    }
    curves_free(list, filled);
    return e;
}

// --- what no row of the table knows

static bool known(const char *kind, const char *name)
{
    static const char *const drawn[] = {"elo", "match", "time", "start", "limits", "done"};
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        if (strcmp(kind, drawn[i]) == 0) return true;
    for (int i = 0; i < CHARTS; i++)
        if (strcmp(charts[i].kind, kind) == 0 && in_names(charts[i].names, name)) return true;
    return false;
}

static err put_others(report *r)
{
    enum { MOST = 64 };
    char kinds[MOST][32], names[MOST][64];
    int n = 0;
    err e = ERR_OK;
    for (int i = 0; i < run_book_count(r->book); i++) {
        const run_record *rec = run_book_at(r->book, i);
        for (int k = 0; k < rec->n; k++) {
            const run_value *v = &rec->values[k];
            int j = 0;
            if (v->text != NULL || known(rec->kind, v->name)) continue;
            while (j < n && (strncmp(kinds[j], rec->kind, 31) != 0 || strncmp(names[j], v->name, 63) != 0)) j++;
            if (j < n || n == MOST) continue;
            snprintf(kinds[n], sizeof kinds[n], "%s", rec->kind);
            snprintf(names[n], sizeof names[n], "%s", v->name);
            n++;
        }
    }
    for (int i = 0; e == ERR_OK && i < n; i++) {
        char title[100];
        curve c = {0};
        snprintf(c.name, sizeof c.name, "%.63s", names[i]);
        snprintf(title, sizeof title, "%.31s: %.63s", kinds[i], names[i]);
        e = fill(r, kinds[i], &c);
        if (e != ERR_OK) break;
        open_section(r, "Other numbers", NULL);
        plot_axes a = axes_of(r, title, NULL, 0);
        draw(r, &a, &c, 1, SMOOTH);
        curves_free(&c, 1);
    }
    return e;
}

// --- facts and options

static void put_summary(report *r)
{
    const run_state *s = &r->state;
    const char *word = run_step_word(s->info.algo);
    char time[CLOCK_TEXT], why[160];
    page *p = &r->page;
    page_section(p, "Summary", NULL);
    r->section = "Summary";
    page_facts_begin(p);
    page_fact(p, "State", "%s%s",
              s->pid != 0   ? "running"
              : s->ended[0] ? "ended: "
                            : "not running",
              s->pid != 0 ? "" : s->ended);
    page_fact(p, strcmp(word, "step") == 0 ? "Step" : "Decisions", "%" PRId64, s->step);
    page_fact(p, "Time trained", "%s", clock_duration(s->seconds, time));
    if (!isnan(s->games)) page_fact(p, "Games", "%.0f", s->games);
    if (!isnan(s->positions)) page_fact(p, "Positions", "%.0f", s->positions);
    if (!isnan(s->elo)) {
        if (isnan(s->elo_low))
            page_fact(p, "Elo", "%.0f at %s %" PRId64, s->elo, word, s->elo_step);
        else
            page_fact(p, "Elo", "%.0f (%.0f to %.0f) at %s %" PRId64, s->elo, s->elo_low, s->elo_high, word,
                      s->elo_step);
        page_fact(p, "Best Elo", "%.0f at %s %" PRId64, s->best_elo, word, s->best_step);
    }
    const run_record *start = run_book_last(r->book, "start");
    if (start != NULL && run_record_text(start, "cpu") != NULL)
        page_fact(p, "Machine", "%s, %.0f cores, %s", run_record_text(start, "cpu"), run_record_get(start, "cores"),
                  run_record_text(start, "simd") == NULL ? "?" : run_record_text(start, "simd"));
    if (r->n_resumed > 0) page_fact(p, "Resumed", "%d × (dotted lines in the charts)", r->n_resumed);
    if (s->info.version[0]) page_fact(p, "Version", "%s", s->info.version);
    int bad = run_book_bad(r->book, why);
    if (bad > 0) page_fact(p, "Unreadable lines", "%d of log.jsonl; the first: %s", bad, why);
    page_facts_end(p);
}

static void see_option(void *ctx, const char *key, const char *value)
{
    page_fact(ctx, key, "%s", value);
}

static void put_config(report *r)
{
    char path[FILE_PATH], *text;
    size_t size;
    if (file_join(path, sizeof path, r->dir, "config.txt") != ERR_OK) return;
    if (file_read(path, 1 << 20, &text, &size) != ERR_OK) return;
    page_section(&r->page, "Options", "As config.txt has them; --config reads that file.");
    page_facts_begin(&r->page);
    if (opt_config_each(path, text, size, see_option, &r->page) != ERR_OK)
        page_fact(&r->page, "unreadable", "%s", err_text());
    page_facts_end(&r->page);
    free(text);
}

static err find_resumed(report *r)
{
    int lines = run_book_count(r->book);
    r->resumed = calloc((size_t)lines + 1, sizeof *r->resumed);
    if (r->resumed == NULL) return err_set(ERR_MEMORY, "out of memory while drawing");
    for (int i = 0; i < lines; i++) {
        const run_record *rec = run_book_at(r->book, i);
        if (strcmp(rec->kind, "start") != 0 || !(run_record_get(rec, "resumed") > 0.0)) continue;
        r->resumed[r->n_resumed++] = (plot_mark){x_of(r, rec), "resumed here"};
    }
    return ERR_OK;
}

static err put_all(report *r)
{
    char title[160], sub[FILE_PATH + 120], now[CLOCK_TEXT];
    snprintf(title, sizeof title, "Training %s (%s)", r->state.info.game, r->state.info.algo);
    snprintf(sub, sizeof sub, "%s · began %s · this page %s", r->dir, r->state.info.began,
             clock_iso(clock_unix(), now));
    r->page = page_begin(r->to, title, sub);
    put_summary(r);
    err e = put_elo(r);
    if (e == ERR_OK) e = put_matches(r);
    for (int i = 0; e == ERR_OK && i < CHARTS; i++) e = put_chart(r, &charts[i]);
    if (e == ERR_OK) e = put_stages(r);
    if (e == ERR_OK) e = put_others(r);
    put_config(r);
    page_end(
        &r->page,
        "Faint lines: every line of the log. Strong lines: means of a window around each point. Made by keiko report.");
    return e == ERR_OK ? text_check(r->to) : e;
}

err run_report(const char *dir, const run_report_options *o, text_buf *to)
{
    static const run_report_options none;
    report r = {.dir = dir, .o = o == NULL ? &none : o, .to = to};
    run_book *book = NULL;
    run_info info;
    err e = run_info_read(&info, dir);
    if (e == ERR_OK) e = run_book_read(&book, dir);
    r.book = book;
    if (e == ERR_OK) e = run_state_of(&r.state, dir, book);
    if (e == ERR_OK) e = find_resumed(&r);
    if (e == ERR_OK) e = put_all(&r);
    free(r.resumed);
    run_book_free(book);
    return e;
}
