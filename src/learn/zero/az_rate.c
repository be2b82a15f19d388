// Rating a network while it learns: games against fixed references and earlier networks, fitted all together.
//
// Every rating adds its games to those of the run (az_ratings.c), and one maximum-likelihood fit (stats/rating.h) over all of
// them gives the ratings, with the anchor at 1000. Before the first one each reference plays the next: a network that wins all
// its games against the anchor is measured through the others. Openings come in pairs with sides swapped. The network plays
// with the weights that lie in memory; it is kept as model_step_<step>_elo_<elo>.safetensors, and as best.safetensors when
// no network that the run trained was rated higher.
#include "arena/match.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/stop.h"
#include "learn/zero/az_inner.h"
#include "learn/zero/perfect.h"
#include "stats/rating.h"
#include "stats/sprt.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_PLAYERS = 33,
    MAX_REFERENCES = MAX_PLAYERS - 17, // beside the network and sixteen earlier ones
    SPEC = FILE_PATH + 256,
    OPENINGS_LEAST = 16,
    OPENINGS_WANTED = 256,
    GATE_PAIRS = 8,
    GPU_GAMES = 32,
    SMALL_BOARD = 9,
    SMALL_GAME = 100000,
    UNPLAYED = 255
};
#define ANCHOR_RATING 1000.0

// --- one match

// A network in memory, as a player.
typedef struct live_net {
    evaluator *e;
    bool owned;
    char spec[64];
} live_net;

typedef struct played_game {
    match_record r;
    char *bytes; // moves and detail
} played_game;

typedef struct field {
    tour_setup setup; // who plays whom
    schedule plan;
    match_player player[MAX_PLAYERS];
    char spec[MAX_PLAYERS][SPEC]; // as they are opened; setup has what is worth keeping
    live_net live[2];
    uint64_t first_id; // keys the players' chance: no two matches of a run have games of the same number
    uint32_t first_opening;
    double deadline; // by the clock; games that are not over then do not count. 0 = none
    double overtime; // the deadline waits until here for one pair per opponent; 0 = it does not
    run_home *home;  // shows how far it is
    // while it is played
    pthread_mutex_t mutex;
    played_game *done;
    size_t n_done, room;
    uint8_t *halves; // of seat 0, by game; UNPLAYED = not over
    bool late, failed;
} field;

static err field_new(field **out, const az *z)
{
    field *f = calloc(1, sizeof *f);
    if (f == NULL) return err_set(ERR_MEMORY, "no memory for rating games");
    pthread_mutex_init(&f->mutex, NULL);
    f->setup = (tour_setup){.g = z->g, .schedule = SCHEDULE_GAUNTLET, .seed = z->seed, .rating = tour_rating_default};
    snprintf(f->setup.openings, sizeof f->setup.openings, "auto");
    snprintf(f->setup.rating.anchor, sizeof f->setup.rating.anchor, "%.400s=%.0f", z->c->anchor, ANCHOR_RATING);
    f->setup.rating.prior = 1;
    f->home = z->o.home;
    *out = f;
    return ERR_OK;
}

static void field_free(field *f)
{
    if (f == NULL) return;
    for (size_t i = 0; i < f->n_done; i++) free(f->done[i].bytes);
    for (int i = 0; i < 2; i++)
        if (f->live[i].owned) evaluator_free(f->live[i].e);
    f->setup.set = (openings){0}; // the run's
    tour_setup_free(&f->setup);
    schedule_free(&f->plan);
    pthread_mutex_destroy(&f->mutex);
    FREE_ALL(f->done, f->halves, f);
}

// --- who plays

// `spec` opens the player; `kept` is what the store keeps of it.
static err add_player(field *f, const char *name, const char *spec, const char *kept)
{
    int i = f->setup.n_players;
    if (i == MAX_PLAYERS) return err_set(ERR_LIMIT, "a rating has at most %d players", MAX_PLAYERS);
    if (strlen(spec) >= SPEC) return err_set(ERR_LIMIT, "the path of a network is too long: %s", spec);
    strcpy(f->spec[i], spec);
    f->player[i] = (match_player){.spec = f->spec[i]};
    return tour_add_player(&f->setup, name, kept);
}

static err open_live(void *ctx, const game *g, int worker, agent **out)
{
    live_net *l = ctx;
    (void)worker;
    return agent_open_with(out, g, l->spec, l->e);
}

// Weights in memory. Those of self-play have an evaluator already; on a GPU games share batches, so they get one with a queue.
static err add_live(const az *z, field *f, uint64_t step, const nn_net *net)
{
    char name[64];
    int i = f->setup.n_players;
    live_net *l = &f->live[i];
    bool gpu = z->backend != &nn_backend_cpu;
    eval_options eo = {.backend = z->backend->name,
                       .encoding = z->enc->name,
                       .precision = z->c->precision,
                       .cache = (size_t)z->c->cache << 20,
                       .queue = gpu ? GPU_GAMES : 0};
    snprintf(l->spec, sizeof l->spec, "zero:sims=%" PRId64, z->c->eval_sims);
    snprintf(name, sizeof name, "step %" PRIu64, step);
    l->e = z->evaluator;
    l->owned = gpu || net != z->net;
    err e = l->owned ? evaluator_new(&l->e, z->g, net, &eo) : ERR_OK;
    if (e != ERR_OK) l->owned = false;
    if (e == ERR_OK) e = add_player(f, name, l->spec, l->spec);
    f->player[i].open = open_live;
    f->player[i].ctx = l;
    return e;
}

// An earlier network, from its file in the run's folder.
static err add_past(const az *z, field *f, const az_rated *p)
{
    char path[FILE_PATH], name[64], kept[TOUR_TEXT];
    text_buf t = {0};
    err e = run_path(z->o.home, p->file, path);
    if (e != ERR_OK || !file_exists(path)) return e;
    text_append(&t, "zero:model=");
    opt_pair_value(&t, path);
    text_printf(&t, ",sims=%" PRId64 ",backend=%s", z->c->eval_sims, z->backend->name);
    if (z->backend != &nn_backend_cpu) text_printf(&t, ",queue=%d", GPU_GAMES);
    snprintf(name, sizeof name, "step %" PRIu64, p->step);
    snprintf(kept, sizeof kept, "zero:model=%s,sims=%" PRId64, p->file, z->c->eval_sims);
    e = text_check(&t);
    if (e == ERR_OK) e = add_player(f, name, text_str(&t), kept);
    text_free(&t);
    return e;
}

static err add_references(const az *z, field *f)
{
    err e = ERR_OK;
    int n_added = 0;
    for (const char *p = z->c->references; *p != 0 && e == ERR_OK;) {
        size_t n = strcspn(p, ";");
        char name[TOUR_TEXT];
        if (n_added == MAX_REFERENCES) return err_set(ERR_LIMIT, "--references: at most %d", MAX_REFERENCES);
        if (n >= sizeof name || n >= STATS_MAX_NAME - 8)
            return err_set(ERR_LIMIT, "--references: '%.*s…' is longer than %d characters", 32, p, STATS_MAX_NAME - 9);
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        if (n > 0) e = err_prefix(add_player(f, name, name, name), "--references");
        n_added += n > 0;
        p += n + (p[n] == ';');
    }
    return e;
}

// --- playing

static bool plan(void *ctx, uint64_t i, match_game *out)
{
    const field *f = ctx;
    *out = schedule_game(&f->plan, i); // opening by opening: a rating that is cut short is about all opponents
    out->id += f->first_id;
    out->opening += f->first_opening;
    return true;
}

// The record with bytes of its own; false without memory.
static bool keep_record(field *f, const match_record *r)
{
    if (!GROW(f->done, f->n_done, f->room)) return false;
    size_t moves = r->plies * sizeof *r->moves, detail = strlen(r->detail) + 1;
    played_game *g = &f->done[f->n_done];
    *g = (played_game){*r, malloc(moves + detail)};
    if (g->bytes == NULL) return false;
    memcpy(g->bytes, r->moves, moves);
    memcpy(g->bytes + moves, r->detail, detail);
    g->r.moves = (const move_t *)(const void *)g->bytes;
    g->r.detail = g->bytes + moves;
    g->r.what.id -= f->first_id; // as the store counts them
    f->n_done++;
    return true;
}

// Both games of a pair, or none.
static bool counts(const field *f, uint64_t i)
{
    return f->halves[i & ~(uint64_t)1] != UNPLAYED && f->halves[i | 1] != UNPLAYED;
}

static int pairs_done(const field *f)
{
    int n = 0;
    for (uint64_t i = 0; i < f->plan.n; i += 2) n += counts(f, i);
    return n;
}

static bool too_late(const field *f)
{
    double now = clock_seconds();
    if (f->deadline <= 0 || now < f->deadline) return false;
    return now >= f->overtime || pairs_done(f) >= f->setup.n_players - 1;
}

static bool played(void *ctx, const match_record *r, int n)
{
    field *f = ctx;
    pthread_mutex_lock(&f->mutex);
    for (int k = 0; k < n && !f->failed; k++) {
        f->halves[r[k].what.id - f->first_id] = r[k].halves;
        f->failed = !keep_record(f, &r[k]);
    }
    f->late = f->late || too_late(f);
    bool on = !f->late && !f->failed;
    run_show_rating(f->home, f->n_done, f->plan.n);
    pthread_mutex_unlock(&f->mutex);
    return on;
}

// Finding balanced openings takes a search each: as many as one rating may need, once a start.
static err find_openings(az *z)
{
    int64_t want = z->c->gate && z->c->gate_games > z->c->eval_games ? z->c->gate_games : z->c->eval_games;
    want = want / 2 < OPENINGS_LEAST ? OPENINGS_LEAST : want / 2 > OPENINGS_WANTED ? OPENINGS_WANTED : want / 2;
    if (z->set.n > 0) return ERR_OK;
    return openings_make(&z->set, z->g, "", "auto", (uint32_t)want, z->seed);
}

// `games` of every pairing, an even number of at least two.
static err play(az *z, field *f, int64_t games)
{
    err e = find_openings(z);
    f->setup.games = games < 2 ? 2 : (uint64_t)games & ~(uint64_t)1;
    f->setup.set = z->set;
    schedule_free(&f->plan);
    if (e == ERR_OK) e = schedule_make(&f->plan, f->setup.schedule, f->setup.n_players, f->setup.games);
    if (e != ERR_OK) return e;
    free(f->halves);
    if ((f->halves = malloc(f->plan.n)) == NULL) return err_set(ERR_MEMORY, "no memory for rating games");
    memset(f->halves, UNPLAYED, f->plan.n);
    for (int i = 0; i < f->setup.n_players; i++) f->player[i].name = f->setup.player[i].name;
    run_show_rating(f->home, 0, f->plan.n);
    match_options o = {.g = z->g,
                       .players = f->player,
                       .n_players = f->setup.n_players,
                       .set = &z->set,
                       .seed = z->seed,
                       .threads = z->backend == &nn_backend_cpu ? z->n_threads : GPU_GAMES,
                       .no_clock = true,
                       .grain = 1};
    e = match_run(&o, f->plan.n, plan, played, f);
    if (f->failed) return err_set(ERR_MEMORY, "no memory for rating games");
    return e == ERR_STOPPED && f->late && !stop_requested() ? ERR_OK : e;
}

// The games go into the store and count from now on.
static err book(az *z, const field *f)
{
    int run = 0;
    match_record *r = malloc((f->n_done + 1) * sizeof *r);
    if (r == NULL) return err_set(ERR_MEMORY, "no memory for rating games");
    for (size_t i = 0; i < f->n_done; i++) r[i] = f->done[i].r;
    err e = store_begin(z->r.games, &f->setup, clock_unix(), &run);
    if (e == ERR_OK) e = store_add(z->r.games, run, r, (int)f->n_done);
    if (e == ERR_OK) e = store_finish(z->r.games, run, 0, clock_unix());
    if (e == ERR_OK) e = az_ratings_count(&z->r, run);
    free(r);
    return err_prefix(e, "rating games");
}

static bool met(const az_ratings *r, const char *a, const char *b)
{
    int x = roster_find(&r->all.who, a), y = roster_find(&r->all.who, b);
    for (size_t i = 0; x >= 0 && y >= 0 && i < r->all.n; i++) {
        const result *g = &r->all.game[i];
        if ((g->first == x && g->second == y) || (g->first == y && g->second == x)) return true;
    }
    return false;
}

// Each reference against the next one, once a run.
static err link_references(az *z)
{
    field *f;
    err e = field_new(&f, z);
    if (e != ERR_OK) return e;
    e = add_references(z, f);
    bool missing = false;
    for (int i = 0; e == ERR_OK && i + 1 < f->setup.n_players; i++)
        missing = missing || !met(&z->r, f->setup.player[i].name, f->setup.player[i + 1].name);
    if (e == ERR_OK && missing) {
        f->setup.schedule = SCHEDULE_NEIGHBOURS;
        f->first_id = (uint64_t)1 << 61;
        e = play(z, f, z->c->eval_games / f->setup.n_players);
        if (e == ERR_OK) e = book(z, f);
    }
    field_free(f);
    return e;
}

// --- the rating

// The network is player 0.
static err log_scores(az *z, const field *f)
{
    int games[MAX_PLAYERS] = {0}, all = 0;
    double points[MAX_PLAYERS] = {0};
    for (uint64_t i = 0; i < f->plan.n; i++) {
        match_game g = schedule_game(&f->plan, i);
        if (!counts(f, i)) continue;
        int other = g.player[g.player[0] == 0];
        points[other] += (g.player[0] == 0 ? f->halves[i] : 2 - f->halves[i]) / 2.0;
        games[other]++;
        all++;
    }
    err e = RUN_LOG(z->o.home, "elo", (int64_t)z->s.step, RUN_N("elo", z->s.elo), RUN_N("low", z->s.elo_low),
                    RUN_N("high", z->s.elo_high), RUN_N("games", all));
    for (int k = 1; k < f->setup.n_players && e == ERR_OK; k++) {
        const char *name = f->setup.player[k].name;
        if (games[k] == 0) continue;
        e = RUN_LOG(z->o.home, "match", (int64_t)z->s.step, RUN_T("opponent", name),
                    RUN_N("score", points[k] / games[k]), RUN_N("games", games[k]));
        log_info("step %" PRIu64 ": %.1f %% against %s (%d games)", z->s.step, 100 * points[k] / games[k], name,
                 games[k]);
    }
    log_info("step %" PRIu64 ": Elo %.0f (%.0f to %.0f)", z->s.step, z->s.elo, z->s.elo_low, z->s.elo_high);
    return e;
}

static err fit(az *z, const field *f)
{
    rating_anchor anchor = {roster_find(&z->r.all.who, z->c->anchor), ANCHOR_RATING};
    rating_options o = {.anchors = &anchor, .n_anchors = anchor.player >= 0, .prior_draws = 1};
    rating_fit fit;
    err e = rating_fit_results(&fit, &z->r.all, &o);
    if (e != ERR_OK) return e;
    int me = roster_find(&z->r.all.who, f->setup.player[0].name);
    interval i = rating_interval(&fit, ERRORS_BEST, me, 0.95);
    z->s.rated = true;
    z->s.elo_step = z->s.step;
    z->s.elo = fit.rating[me];
    z->s.elo_low = i.low;
    z->s.elo_high = i.high;
    snprintf(z->s.anchor, sizeof z->s.anchor, "%s", z->c->anchor);
    rating_free(&fit);
    return log_scores(z, f);
}

// A game on nine squares is solved at once: in how many of its positions does the network's favourite move keep the result?
static err rate_exactly(az *z)
{
    if (z->g->rows * z->g->cols > SMALL_BOARD) return ERR_OK;
    perfect *truth = NULL;
    perfect_score s;
    err e = perfect_new(&truth, z->g, SMALL_GAME);
    if (e == ERR_LIMIT) return ERR_OK;
    if (e == ERR_OK) e = perfect_raw(truth, z->evaluator, &s);
    if (e == ERR_OK)
        e = RUN_LOG(z->o.home, "perfect", (int64_t)z->s.step, RUN_N("right", (double)s.right / (double)s.positions),
                    RUN_N("value_error", s.value_error));
    if (e == ERR_OK)
        log_info("step %" PRIu64 ": the raw policy is right in %zu of %zu positions", z->s.step, s.right, s.positions);
    perfect_free(truth);
    return e;
}

static err save_best(az *z)
{
    char path[FILE_PATH];
    err e = run_path(z->o.home, "best.safetensors", path);
    return e == ERR_OK ? nn_net_save(z->net, path) : e;
}

static err keep_model(az *z)
{
    bool random = z->s.step == 0 && (z->c->init == NULL || z->c->init[0] == 0); // the best until one is trained
    char file[64], path[FILE_PATH], note[640];
    int n = snprintf(file, sizeof file, "model_step_%" PRIu64 "_elo_%.0f.safetensors", z->s.step, z->s.elo);
    (void)n;
    az_note(z, note, sizeof note);
    size_t at = strlen(note);
    snprintf(note + at, sizeof note - at, "elo = %.1f (%.1f to %.1f), %s = %.0f\n", z->s.elo, z->s.elo_low,
             z->s.elo_high, z->c->anchor, ANCHOR_RATING);
    err e = nn_net_set_note(z->net, note);
    if (e == ERR_OK) e = run_path(z->o.home, file, path);
    if (e == ERR_OK) e = nn_net_save(z->net, path);
    if (e == ERR_OK && (!z->r.has_best || z->s.elo >= z->r.best)) {
        e = save_best(z);
        z->r.has_best = !random;
        z->r.best = z->s.elo;
    }
    return e == ERR_OK ? az_ratings_model(&z->r, z->s.step, file) : e;
}

err az_keep_last(az *z)
{
    if (z->r.games == NULL || z->r.has_best || z->s.step == 0) return ERR_OK;
    log_warn("best.safetensors is the network of step %" PRIu64 ": none that this run trained is rated", z->s.step);
    err e = az_set_note(z);
    return e == ERR_OK ? save_best(z) : e;
}

err az_rate_check(const az *z)
{
    bool anchored = false;
    field *f;
    if (z->c->eval_every == 0) return ERR_OK;
    err e = field_new(&f, z);
    if (e != ERR_OK) return e;
    e = add_references(z, f);
    for (int i = 0; i < f->setup.n_players && e == ERR_OK; i++) {
        agent *a = NULL;
        e = err_prefix(agent_open(&a, z->g, f->spec[i]), "--references");
        if (e == ERR_OK) agent_close(a);
        anchored = anchored || strcmp(f->setup.player[i].name, z->c->anchor) == 0;
    }
    field_free(f);
    if (e == ERR_OK && !anchored)
        e = err_set(ERR_USAGE, "--anchor %s, which is to be rated 1000, is not one of --references %s", z->c->anchor,
                    z->c->references);
    return e;
}

// What the games say, and the network that played them.
static err settle(az *z, const field *f)
{
    err e = book(z, f);
    if (e == ERR_OK) e = fit(z, f);
    if (e == ERR_OK) e = rate_exactly(z);
    if (e == ERR_OK) e = keep_model(z);
    if (e == ERR_OK) z->rated_step = z->s.step;
    return e;
}

// A limit in minutes holds for rating, too; a checkpoint follows it.
static double deadline(const az *z)
{
    double most = z->c->common.minutes * 60;
    if (most <= 0) return 0;
    double left = most - run_seconds(z->o.home) - z->save_cost;
    return clock_seconds() + (left > 0 ? left : 0.001);
}

// By how much the last rating may exceed the limit, where not even a pair per opponent is played before: seconds.
static double overtime(const az *z)
{
    double tenth = z->c->common.minutes * 6;
    return tenth > 5 ? tenth : 5;
}

static err rate(az *z, field *f, bool last)
{
    err e = add_live(z, f, z->s.step, z->net);
    if (e == ERR_OK) e = add_references(z, f);
    for (int i = 0; e == ERR_OK && i < z->c->eval_past && i < z->r.n_past; i++) {
        const az_rated *p = &z->r.past[z->r.n_past - 1 - i];
        if (p->step < z->s.step) e = add_past(z, f, p);
    }
    if (e == ERR_OK && f->setup.n_players < 2)
        e = err_set(ERR_USAGE, "there is nobody to rate the network against (--references)");
    if (e == ERR_OK) e = link_references(z);
    if (e != ERR_OK) return e;
    f->first_id = z->s.step << 24;
    f->first_opening = (uint32_t)z->r.all.n;
    f->deadline = deadline(z);
    f->overtime = last ? f->deadline + overtime(z) : 0;
    double began = clock_seconds();
    e = play(z, f, z->c->eval_games / (f->setup.n_players - 1));
    z->rate_cost = clock_seconds() - began; // openings and references among themselves come once a run
    if (e != ERR_OK) return e;
    if (pairs_done(f) > 0) return settle(z, f);
    log_warn("step %" PRIu64 " is not rated: the time limit came first", z->s.step);
    return ERR_OK;
}

err az_rate(az *z, bool last)
{
    double start = clock_seconds();
    field *f;
    err e = field_new(&f, z);
    if (e != ERR_OK) return e;
    e = rate(z, f, last);
    field_free(f);
    z->s.seconds_rate += clock_seconds() - start;
    return e;
}

// Pairs until the sequential test decides between +X and -X Elo, or the games are used up and the score decides.
static err gate(az *z, field *f, const nn_net *candidate, bool *in)
{
    sprt_test test = {.elo0 = -z->c->gate_elo, .elo1 = z->c->gate_elo, .alpha = 0.05, .beta = 0.05};
    sprt_verdict verdict = SPRT_OPEN;
    double n5[5] = {0}, points = 0;
    int done = 0;
    err e = sprt_check(&test);
    if (e == ERR_OK) e = add_live(z, f, z->s.step, candidate);
    if (e == ERR_OK) e = add_live(z, f, z->rated_step, z->net);
    f->deadline = deadline(z);
    for (; e == ERR_OK && verdict == SPRT_OPEN && done < z->c->gate_games && !f->late; done += 2 * GATE_PAIRS) {
        f->first_id = (uint64_t)1 << 60 | z->s.step << 24 | (uint64_t)done;
        f->first_opening = (uint32_t)done / 2;
        e = play(z, f, 2 * GATE_PAIRS);
        for (uint64_t i = 0; e == ERR_OK && i < f->plan.n; i += 2) {
            if (!counts(f, i)) continue;
            int mine = f->halves[i] + 2 - f->halves[i + 1];
            n5[mine]++;
            points += mine / 2.0;
        }
        if (e == ERR_OK) verdict = sprt_state(&test, n5, 5).verdict;
    }
    *in = verdict == SPRT_OPEN ? !f->late && points * 2 >= done : verdict == SPRT_H1;
    if (e == ERR_OK)
        log_info("step %" PRIu64 ": gate %s after %d games (%.1f points)", z->s.step, *in ? "passed" : "not passed",
                 done, points);
    return e;
}

err az_gate(az *z, const nn_net *candidate, bool *in)
{
    double start = clock_seconds();
    field *f;
    err e = field_new(&f, z);
    if (e != ERR_OK) return e;
    e = gate(z, f, candidate, in);
    field_free(f);
    z->s.seconds_rate += clock_seconds() - start;
    return e;
}
