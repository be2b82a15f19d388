// keiko status: how far a run is, training or bench.
#include "app/bench.h"
#include "app/runs.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/term.h"
#include "cli/cli.h"
#include "run/run_status.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    common all;
    const char *dir;
    bool json, follow;
} options;

// clang-format off
#define AT(field) offsetof(options, field)
static const opt args[] = {
    ROW_DIR("DIR", AT(dir), NULL, "A run's folder, or a folder of training runs", .required = true),
};

static const opt opts[] = {
    OPT_JSON(options),
    ROW_FLAG("follow", offsetof(options, follow), NULL, "Print it again every two seconds until the run ends (or Ctrl-C)", .letter = 'f'),
};
// clang-format on

// "31.4 games/s", when it is known
static void put(text_buf *t, const char *before, double v, const char *behind)
{
    char number[TEXT_SHORT];
    if (isnan(v)) return;
    text_short(v, number);
    text_printf(t, "%s%s%s%s", t->len > 0 ? "  " : "", before, number, behind);
}

static void print_row(const char *name, text_buf *t)
{
    char head[16];
    snprintf(head, sizeof head, "%-11s ", name);
    if (t->len > 0) cli_say(stdout, head, "%s", text_str(t));
    text_clear(t);
}

static void print_head(const run_state *s, const char *dir, text_buf *t)
{
    char time[CLOCK_TEXT];
    text_printf(t, "%s (%s) ", s->info.game, s->info.algo);
    if (s->pid != 0)
        text_printf(t, "running, process %ld", s->pid);
    else if (s->ended[0])
        text_printf(t, "ended: %s", s->ended);
    else {
        text_printf(t, "not running; go on with keiko train %s --run ", s->info.game);
        text_shell(t, dir);
        text_append(t, " --resume");
    }
    if (!isnan(s->age)) text_printf(t, "; last line %s ago", clock_duration(s->age, time));
    cli_say(stdout, "", "%s", text_str(t));
    text_clear(t);
}

static void print_progress(const run_state *s, text_buf *t)
{
    char time[CLOCK_TEXT];
    text_printf(t, "%s %" PRId64, run_step_word(s->info.algo), s->step);
    if (s->limit_steps > 0)
        text_printf(t, " of %" PRId64 " (%.0f %%)", s->limit_steps, 100.0 * (double)s->step / (double)s->limit_steps);
    if (s->limit_games > 0 && !isnan(s->games)) text_printf(t, "  game %.0f of %" PRId64, s->games, s->limit_games);
    text_printf(t, "  trained %s", clock_duration(s->seconds, time));
    if (s->limit_seconds > 0.0) text_printf(t, " of %s", clock_duration(s->limit_seconds, time));
    if (!isnan(s->left) && s->pid != 0) text_printf(t, "  %s left", clock_duration(s->left, time));
    print_row("progress", t);
}

static void print_strength(const run_state *s, text_buf *t)
{
    const char *word = run_step_word(s->info.algo);
    if (!isnan(s->elo)) {
        text_printf(t, "Elo %.0f", s->elo);
        if (!isnan(s->elo_low)) text_printf(t, " (%.0f to %.0f)", s->elo_low, s->elo_high);
        text_printf(t, " at %s %" PRId64 "  best %.0f at %s %" PRId64, word, s->elo_step, s->best_elo, word,
                    s->best_step);
    }
    print_row("strength", t);
    for (int i = 0; i < s->n_matches; i++) {
        const run_match *m = &s->match[i];
        text_printf(t, "%s %.1f %%", m->opponent, 100.0 * m->score);
        if (!isnan(m->low)) text_printf(t, " (%.1f to %.1f)", 100.0 * m->low, 100.0 * m->high);
        if (!isnan(m->games)) text_printf(t, ", %.0f games", m->games);
        text_printf(t, ", %s %" PRId64, word, m->step);
        print_row(i == 0 ? "against" : "", t);
    }
}

static void print_state(const run_state *s, const char *dir)
{
    text_buf t = {0};
    char time[CLOCK_TEXT], rate[24];
    print_head(s, dir, &t);
    print_progress(s, &t);
    put(&t, "", s->games_s, " games/s");
    put(&t, "", s->positions_s, " positions/s");
    put(&t, "", s->sims_s, " sims/s");
    put(&t, "length ", s->length, "");
    put(&t, "entropy ", s->entropy, "");
    put(&t, "batch fill ", 100.0 * s->batch_fill, " %");
    put(&t, "buffer ", s->buffer, "");
    print_row("self-play", &t);
    put(&t, "reward ", s->reward, "");
    put(&t, "chain ", s->chain, "");
    put(&t, "won ", 100.0 * s->win, " %");
    put(&t, "epsilon ", s->epsilon, "");
    print_row("episodes", &t);
    for (int i = 0; i < s->n_losses; i++)
        text_printf(&t, "%s%s %.4g", i == 0 ? "" : "  ", s->loss[i].name, s->loss[i].v);
    put(&t, "lr ", s->lr, "");
    snprintf(rate, sizeof rate, " %ss/s", run_step_word(s->info.algo));
    put(&t, "", s->steps_s, rate);
    print_row("learning", &t);
    print_strength(s, &t);
    if (s->saved_step >= 0)
        text_printf(&t, "%s %" PRId64 ", %s ago", run_step_word(s->info.algo), s->saved_step,
                    clock_duration(s->saved_age, time));
    print_row("checkpoint", &t);
    if (s->bad_lines > 0) text_printf(&t, "%d lines of log.jsonl could not be read", s->bad_lines);
    print_row("note", &t);
    text_free(&t);
}

static err print_json(const run_state *s)
{
    text_buf t = {0};
    json_writer w = json_begin(&t, true);
    run_state_json(s, &w);
    return cli_put(&t, json_finish(&w));
}

// A folder of runs: one line each.
static err list_runs(const options *o, bool *any)
{
    runs_entry *r = NULL;
    int n = 0;
    text_buf t = {0};
    err e = runs_list(o->dir, &r, &n);
    *any = e == ERR_OK && n > 0;
    if (*any && o->json) {
        json_writer w = json_begin(&t, true);
        runs_json(r, n, &w);
        e = json_finish(&w);
    }
    for (int i = 0; *any && !o->json && i < n; i++) {
        const run_state *s = &r[i].s;
        text_printf(&t, "%-24s %s (%s)  %s  %s %" PRId64, r[i].name, s->info.game, s->info.algo,
                    s->pid != 0        ? "running"
                    : s->ended[0] != 0 ? "ended"
                                       : "not running",
                    run_step_word(s->info.algo), s->step);
        if (!isnan(s->elo)) text_printf(&t, "  Elo %.0f", s->elo);
        text_append(&t, "\n");
    }
    free(r);
    return cli_put(&t, e);
}

// One look at a training run; *running says whether another one is worth while.
static err show_training(const options *o, bool *running)
{
    run_state s;
    run_info info;
    bool any = false;
    *running = false;
    if (file_is_dir(o->dir) && run_info_read(&info, o->dir) == ERR_MISSING) {
        err listed = list_runs(o, &any);
        if (any) return listed;
    }
    err e = run_state_read(&s, o->dir);
    if (e == ERR_OK && o->json)
        e = print_json(&s);
    else if (e == ERR_OK)
        print_state(&s, o->dir);
    *running = e == ERR_OK && s.pid != 0;
    return e;
}

static err print_bench(const tour_view *v, bool playing, const options *o)
{
    text_buf t = {0};
    err e = ERR_OK;
    if (o->json) {
        json_writer w = json_begin(&t, true);
        bench_status_json(v, playing, &w);
        e = json_finish(&w);
    } else {
        text_printf(&t, "%s (bench) %s, %llu of %s%llu games\n", v->setup.g->name,
                    playing                ? "playing"
                    : v->state.ended > 0.0 ? "complete"
                                           : "not playing",
                    (unsigned long long)view_played(v), v->setup.has_sprt ? "at most " : "",
                    (unsigned long long)v->planned);
        table_ratings(v, TABLE_TEXT, &t);
        table_test(v, TABLE_TEXT, &t);
    }
    return cli_put(&t, e);
}

static err show_bench(const options *o, bool *running)
{
    bench_opened b;
    err e = bench_open(&b, o->dir, 0, &(view_options){0});
    if (e != ERR_OK) return e;
    *running = b.playing;
    e = print_bench(&b.view, *running, o);
    bench_close(&b);
    return e;
}

static int run(const void *options_)
{
    const options *o = options_;
    bool running = false;
    if (o->follow) stop_install(NULL);
    for (;;) {
        err e = bench_is_run(o->dir) ? show_bench(o, &running) : show_training(o, &running);
        if (e != ERR_OK) return cli_fail("status");
        fflush(stdout);
        if (!o->follow || !running || stop_requested()) return 0;
        clock_sleep(2.0);
        if (stop_requested()) return 0;
        if (term_is(stdout))
            printf("\x1b[H\x1b[2J"); // home and clear: the same place again
        else
            printf("\n");
    }
}

// clang-format off
const command cmd_status = {
    CALLED("status", "Show the progress of a run"),
    .about = "Reads the folder of a run, running or not. For a training run it shows progress, speed, the last losses, the rating and the time left; rates are means of the last lines of log.jsonl. For a bench run it shows how many games are played and the ratings so far. Nothing in the folder is changed. For a folder of training runs it lists them.",
    .examples = "keiko status runs/contrast\nkeiko status runs/contrast --follow  # until it ends\n"
                "keiko status runs/contrast --json | jq .elo\nkeiko status bench-results",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
// clang-format on
