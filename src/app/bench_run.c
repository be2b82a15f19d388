// One run from its setup to numbers and files, and the same several times. See bench.h.
#include "app/bench.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "dist/jobs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static err open_store(store **s, const bench_run_options *o, const bench_files *f)
{
    if (o->output == NULL)
        return o->resume ? err_set(ERR_USAGE, "resume needs an output folder") : store_open_memory(s);
    if (o->resume && (o->no_store || !store_has_files()))
        return err_set(ERR_USAGE, o->no_store
                                      ? "--resume needs the store; leave --no-store out"
                                      : "--resume needs the store, and this keiko was built without SQLite (install "
                                        "libsqlite3-dev and build again)");
    if (!o->no_store && store_has_files()) return store_open_file(s, f->store, true);
    if (!o->no_store)
        log_warn("built without SQLite: the results are written at the end only, and the run cannot be resumed");
    return store_open_memory(s);
}

static err nothing_to_resume(const char *path)
{
    return err_set(ERR_MISSING, "%s holds no run to resume; leave --resume out to begin one", path);
}

// The last run of the store, if it is the one that was asked for.
static err find_run(store *s, const bench_ask *a, const bench_run_options *o, tour_setup *setup, tour_state *state,
                    int *run)
{
    if (store_runs(s) == 0) return nothing_to_resume(store_path(s));
    err e = store_load(s, 0, setup, state);
    if (e != ERR_OK) return e;
    tour_setup now = {0};
    tour_rating how;
    e = bench_setup(&now, a, setup);
    if (e == ERR_OK) e = tour_setup_same(setup, &now);
    if (e == ERR_OK && strcmp(now.build, setup->build) != 0)
        log_warn("the run began with another build (%s, now %s): its players may play differently", setup->build,
                 now.build);
    tour_setup_free(&now);
    if (e == ERR_OK) e = view_rating(&how, &setup->rating, &o->view);
    if (e == ERR_OK) e = view_rating_fits(setup, &how);
    if (e == ERR_OK && memcmp(&how, &setup->rating, sizeof how) != 0) e = store_rating(s, state->run, &how);
    if (e != ERR_OK)
        tour_setup_free(setup);
    else
        *run = state->run;
    return e;
}

// Players without chance in them play a game per opening and side, whatever was asked for.
static void say_openings(const bench_run_options *o, const bench_ask *a, const tour_setup *s)
{
    char text[400];
    uint32_t n = s->set.n;
    if (o->note == NULL || (s->g->flags & G_CHANCE) || (s->games + 1) / 2 <= n) return;
    const char *more = strcmp(s->openings, "start") == 0 ? "leave --openings start out"
                       : (int64_t)n >= a->opening_count  ? "raise --opening-count"
                                                         : "give a file with more lines (--openings FILE)";
    snprintf(text, sizeof text,
             "note: %u opening%s, so two players without chance in them can play %llu different games; repeats are not "
             "counted%s. For more games %s",
             n, n == 1 ? "" : "s", 2ull * n, s->has_sprt ? ", and the test ends when there is nothing else" : "", more);
    o->note(o->ctx, text);
}

// All that can be refused, before there is a store: wrong words, players, openings, and a server that is not there.
static err prepare(const bench_ask *a, const bench_run_options *o, tour_setup *setup, dist_bench **far)
{
    err e = bench_setup(setup, a, NULL);
    if (e == ERR_OK) e = view_rating(&setup->rating, &setup->rating, &o->view);
    if (e == ERR_OK) e = view_rating_fits(setup, &setup->rating);
    if (e == ERR_OK) e = bench_check_players(setup, o->note, o->ctx);
    if (e != ERR_OK) return e;
    setup->seed += (uint64_t)(o->number > 0 ? o->number - 1 : 0);
    if (setup->games % 2 == 1 && o->note != NULL) {
        char text[160];
        snprintf(text, sizeof text,
                 "note: %llu game%s per pairing is odd: the last opening is played once, the first named begins",
                 (unsigned long long)setup->games, setup->games == 1 ? "" : "s");
        o->note(o->ctx, text);
    }
    e = bench_openings(setup, a);
    if (e == ERR_OK) say_openings(o, a, setup);
    if (e == ERR_OK && o->nats != NULL) e = dist_bench_open(far, o->nats, o->version, NULL);
    return e;
}

// `*far`: what workers elsewhere play for; NULL: it is opened here, if they do.
static err play(store *s, int run, const tour_setup *setup, const tour_state *state, const bench_run_options *o,
                dist_bench **far)
{
    schedule plan;
    tour_end end = {0};
    err e = schedule_make(&plan, setup->schedule, setup->n_players, setup->games);
    if (e != ERR_OK) return e;
    // A test ends long before the most games it may take.
    if (o->begin != NULL) o->begin(o->ctx, setup, setup->has_sprt ? 0 : plan.n, state->played);
    schedule_free(&plan);
    tour_play_options how = {.threads = o->threads, .no_clock = o->no_timing, .watch = o->watch, .ctx = o->ctx};
    if (o->nats != NULL) {
        if (*far == NULL) e = dist_bench_open(far, o->nats, o->version, NULL);
        how.run = dist_bench_run;
        how.run_ctx = *far;
    }
    if (e == ERR_OK) e = tour_play(s, run, setup, &how, &end);
    if (o->end != NULL) o->end(o->ctx, &end);
    return e;
}

static void say_complete(const bench_run_options *o, const store *s)
{
    char text[FILE_PATH + 64];
    if (o->note == NULL) return;
    snprintf(text, sizeof text, "the last run in %s is complete", store_path(s));
    o->note(o->ctx, text);
}

static err append(void *ctx, const char *data, size_t n)
{
    text_append_n(ctx, data, n);
    return text_check(ctx);
}

err bench_run(bench_result *out, bench_ask *a, const bench_run_options *o)
{
    bench_files f;
    store *s = NULL;
    tour_setup setup = {0};
    tour_state state = {0};
    int run = 0;
    dist_bench *far = NULL;
    *out = (bench_result){0};
    err e = o->output == NULL ? ERR_OK : bench_paths(&f, o->output, o->number);
    if (e == ERR_OK) e = bench_ask_config(a);
    if (e == ERR_OK && o->output != NULL) e = bench_may_write(a->format, &f);
    if (e == ERR_OK && !(o->resume && store_has_files())) e = prepare(a, o, &setup, &far);
    if (e == ERR_OK && o->output != NULL && o->resume && !o->no_store && store_has_files() && !file_exists(f.store))
        e = nothing_to_resume(o->output);
    if (e == ERR_OK) e = open_store(&s, o, &f);
    if (e == ERR_OK && o->resume) e = find_run(s, a, o, &setup, &state, &run);
    if (e == ERR_OK && !o->resume) e = store_begin(s, &setup, clock_unix(), &run);
    if (e == ERR_OK && state.ended <= 0) {
        e = play(s, run, &setup, &state, o, &far);
        out->stopped = e == ERR_STOPPED;
        if (e == ERR_STOPPED) e = ERR_OK; // what was played is shown and written
    } else if (e == ERR_OK) {
        say_complete(o, s);
    }
    if (e == ERR_OK) e = view_load(&out->view, s, run, &o->view);
    out->loaded = e == ERR_OK;
    export_options how = {.timing = !o->no_timing, .lines = o->lines};
    if (e == ERR_OK && o->output != NULL) e = bench_write(&out->view, s, &how, a->format, &f);
    if (e == ERR_OK && o->json != NULL) e = bench_put(BENCH_JSON, &out->view, s, &how, (sink){append, o->json});
    out->view.path = ""; // the store is closed
    tour_setup_free(&setup);
    store_close(s);
    dist_bench_close(far);
    return e;
}

void bench_result_free(bench_result *r)
{
    if (r->loaded) view_free(&r->view);
    *r = (bench_result){0};
}

err bench_live_fit(const tour_live *now, rating_fit *f)
{
    tally t = {0};
    err e = ERR_OK;
    for (int i = 0; e == ERR_OK && i < now->setup->n_players; i++) {
        int at;
        e = roster_add(&t.who, now->setup->player[i].name, &at);
    }
    for (int i = 0; e == ERR_OK && i < now->plan->n_pairings; i++) {
        const tour_cell *c = &now->cell[i];
        const uint16_t *p = now->plan->pairing[i];
        e = tally_add(&t, p[0], p[1], (double)c->wins[0], (double)c->draws, (double)c->wins[1]);
    }
    if (e == ERR_OK) e = rating_fit_tally(f, &t, &(rating_options){.no_advantage = true, .prior_draws = 1});
    tally_free(&t);
    return e;
}

// --- repeated runs

static err spread_begin(bench_spread *s, const tour_setup *setup, int runs)
{
    size_t n = (size_t)setup->n_players;
    s->players = setup->n_players;
    s->name = calloc(n, sizeof *s->name);
    s->rating = calloc((size_t)runs * n, sizeof *s->rating);
    s->sequential = calloc((size_t)runs * n, sizeof *s->sequential);
    if (s->name == NULL || s->rating == NULL || s->sequential == NULL)
        return err_set(ERR_MEMORY, "no memory for %d runs", runs);
    // Copies: each run's view is gone when the next one begins.
    for (size_t i = 0; i < n; i++) snprintf(s->name[i], sizeof s->name[i], "%s", setup->player[i].name);
    return ERR_OK;
}

static void spread_add(bench_spread *s, const tour_view *v)
{
    double *at = s->rating + (size_t)s->runs * (size_t)s->players;
    double *seq = s->sequential + (size_t)s->runs * (size_t)s->players;
    for (int i = 0; i < s->players; i++) {
        at[i] = v->fit.rating[i];
        seq[i] = v->sequential[i];
    }
    s->runs++;
}

err bench_repeat(bench_spread *out, bench_result *last, bench_ask *a, const bench_run_options *o, int runs)
{
    err e = ERR_OK;
    *out = (bench_spread){0};
    *last = (bench_result){0};
    if (o->resume) return err_set(ERR_USAGE, "--resume continues one run; leave --repeat out");
    for (int k = 1; e == ERR_OK && k <= runs && !last->stopped; k++) {
        char text[40];
        bench_run_options one = *o;
        one.number = k;
        bench_result_free(last);
        snprintf(text, sizeof text, "run %d of %d", k, runs);
        if (o->note != NULL) o->note(o->ctx, text);
        e = bench_run(last, a, &one);
        if (e == ERR_STOPPED && out->runs > 0) { // before its first game: what the other runs say still counts
            last->stopped = true;
            e = ERR_OK;
        }
        if (e != ERR_OK || last->stopped || !last->view.rated) break;
        if (out->players == 0) e = spread_begin(out, &last->view.setup, runs);
        if (e == ERR_OK) spread_add(out, &last->view);
    }
    return e;
}

bench_deviation bench_deviation_of(const bench_spread *s, const double *values, int player)
{
    double sum = 0, sq = 0;
    for (int k = 0; k < s->runs; k++) sum += values[k * s->players + player];
    double mean = sum / s->runs;
    for (int k = 0; k < s->runs; k++) {
        double off = values[k * s->players + player] - mean;
        sq += off * off;
    }
    return (bench_deviation){mean, sqrt(sq / (s->runs - 1))};
}

void bench_spread_free(bench_spread *s)
{
    FREE_ALL(s->name, s->rating, s->sequential);
    *s = (bench_spread){0};
}

bench_gap bench_gap_of(const tour_view *v, int player)
{
    bench_gap g = {.elo = v->fit.rating[player + 1] - v->fit.rating[player], .in = view_gap(v, player + 1, player)};
    g.fits = g.elo >= LEVEL_GAP_LOW && g.elo <= LEVEL_GAP_HIGH;
    return g;
}
