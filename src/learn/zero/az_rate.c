// Rating a network while it learns: games against fixed references and earlier networks, fitted all together.
//
// Every rating adds its games to those of the run, and one maximum-likelihood fit (stats/rating.h) over all of them gives
// the ratings, with the anchor at 1000. Before the first one each reference plays the next: a network that wins all its
// games against the anchor is measured through the others. Openings come in pairs with sides swapped. The network that
// played is kept as model_step_<step>_elo_<elo>.safetensors, and as best.safetensors when none before was rated higher.
#include "arena/match.h"
#include "base/clock.h"
#include "base/stop.h"
#include "learn/zero/az_inner.h"
#include "learn/zero/perfect.h"
#include "stats/rating.h"
#include "stats/sprt.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_OPPONENTS = 32,
    SPEC = FILE_PATH + 256,
    OPENINGS_LEAST = 16,
    OPENINGS_WANTED = 256,
    GATE_PAIRS = 8,
    GPU_GAMES = 32,
    SMALL_BOARD = 9,
    SMALL_GAME = 100000
};
#define ANCHOR_RATING 1000.0
#define CANDIDATE     "candidate.safetensors"

// --- ratings as text, for the checkpoint

err az_ratings_write(const az_ratings *r, text_buf *out)
{
    if (r->has_best) text_printf(out, "best %.17g\n", r->best);
    for (int i = 0; i < r->n_past; i++) text_printf(out, "model %" PRIu64 " %s\n", r->past[i].step, r->past[i].file);
    for (int i = 0; i < r->all.who.n; i++) text_printf(out, "player %s\n", r->all.who.name[i]);
    for (size_t i = 0; i < r->all.n; i++) {
        const result *g = &r->all.game[i];
        text_printf(out, "game %d %d %d %" PRIu32 "\n", g->first, g->second, g->halves, g->pair);
    }
    return text_check(out);
}

static err add_past(az_ratings *r, uint64_t step, const char *file)
{
    az_rated *more = realloc(r->past, (size_t)(r->n_past + 1) * sizeof *more);
    if (more == NULL) return err_set(ERR_MEMORY, "no memory for ratings");
    r->past = more;
    az_rated *p = &more[r->n_past++];
    p->step = step;
    snprintf(p->file, sizeof p->file, "%s", file);
    return ERR_OK;
}

static err read_line(az_ratings *r, const char *line)
{
    int a, b, halves, index;
    uint32_t pair;
    uint64_t step;
    char file[64];
    if (sscanf(line, "best %lf", &r->best) == 1) {
        r->has_best = true;
        return ERR_OK;
    }
    if (sscanf(line, "model %" SCNu64 " %63s", &step, file) == 2) return add_past(r, step, file);
    if (strncmp(line, "player ", 7) == 0) return roster_add(&r->all.who, line + 7, &index);
    if (sscanf(line, "game %d %d %d %" SCNu32, &a, &b, &halves, &pair) == 4 && a >= 0 && b >= 0 && a != b &&
        a < r->all.who.n && b < r->all.who.n && halves >= 0 && halves <= 2)
        return results_add(&r->all, a, b, halves, pair);
    return err_set(ERR_PARSE, "ratings.txt: cannot read \"%.60s\"", line);
}

err az_ratings_read(az_ratings *r, const char *text, size_t size)
{
    err e = ERR_OK;
    char line[512];
    for (size_t at = 0; at < size && e == ERR_OK;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t n = end != NULL ? (size_t)(end - text) - at : size - at;
        if (n >= sizeof line) return err_set(ERR_PARSE, "ratings.txt: a line is too long");
        memcpy(line, text + at, n);
        line[n] = 0;
        at += n + 1;
        if (n > 0) e = read_line(r, line);
    }
    return e;
}

void az_ratings_free(az_ratings *r)
{
    results_free(&r->all);
    free(r->past);
    *r = (az_ratings){0};
}

// --- games

typedef struct field {                      // who plays whom in one rating
    match_player player[MAX_OPPONENTS + 1]; // 0 is the network
    char name[MAX_OPPONENTS + 1][STATS_MAX_NAME + 1];
    char spec[MAX_OPPONENTS + 1][SPEC];
    int n;
    int each; // games against each opponent, even
    uint64_t first_id;
    uint32_t first_opening;
    uint8_t *halves; // of seat 0, by game
    run_home *home;  // shows how far it is
    uint64_t games;
    atomic_uint_fast64_t done;
    double deadline; // by the clock; games that are not over then do not count. 0 = none
    atomic_bool late;
} field;

enum { UNPLAYED = 255 };

static void add_player(field *f, const char *name)
{
    snprintf(f->name[f->n], sizeof f->name[f->n], "%s", name);
    f->player[f->n] = (match_player){.name = f->name[f->n], .spec = f->spec[f->n]};
    f->n++;
}

static err zero_spec(const az *z, const char *file, char *spec)
{
    char path[FILE_PATH];
    err e = run_path(z->o.home, file, path);
    if (e != ERR_OK) return e;
    text_buf t = {0};
    text_append(&t, "zero:model=");
    opt_pair_value(&t, path);
    text_printf(&t, ",sims=%" PRId64 ",backend=%s", z->c->eval_sims, z->backend->name);
    if (z->backend != &nn_backend_cpu) text_printf(&t, ",queue=%d", GPU_GAMES);
    e = text_check(&t);
    if (e == ERR_OK && t.len >= SPEC) e = err_set(ERR_LIMIT, "the path of a network is too long: %s", path);
    if (e == ERR_OK) strcpy(spec, text_str(&t));
    text_free(&t);
    return e;
}

static err add_zero(const az *z, field *f, uint64_t step, const char *file)
{
    char name[64];
    err e = zero_spec(z, file, f->spec[f->n]);
    snprintf(name, sizeof name, "step %" PRIu64, step);
    if (e == ERR_OK) add_player(f, name);
    return e;
}

static err add_references(const az *z, field *f)
{
    const char *p = z->c->references;
    while (*p != 0) {
        size_t n = strcspn(p, ";");
        if (f->n > MAX_OPPONENTS - 16) return err_set(ERR_LIMIT, "--references: at most %d", MAX_OPPONENTS - 16);
        if (n >= STATS_MAX_NAME)
            return err_set(ERR_LIMIT, "--references: '%.*s…' is longer than %d characters", 32, p, STATS_MAX_NAME - 1);
        if (n > 0) {
            char name[STATS_MAX_NAME + 1];
            memcpy(name, p, n);
            name[n] = 0;
            snprintf(f->spec[f->n], SPEC, "%s", name);
            add_player(f, name);
        }
        p += n + (p[n] == ';');
    }
    return ERR_OK;
}

static bool plan(void *ctx, uint64_t i, match_game *out)
{
    const field *f = ctx;
    // Opening by opening, so that a rating that is cut short is about all opponents.
    uint64_t pair = i / 2, opponents = (uint64_t)f->n - 1;
    uint16_t opponent = (uint16_t)(1 + pair % opponents);
    bool swapped = i & 1;
    *out = (match_game){.id = f->first_id + i,
                        .player = {swapped ? opponent : 0, swapped ? 0 : opponent},
                        .opening = f->first_opening + (uint32_t)(pair / opponents)};
    return true;
}

static bool played(void *ctx, const match_record *r, int n)
{
    field *f = ctx;
    for (int k = 0; k < n; k++) f->halves[r[k].what.id - f->first_id] = r[k].halves; // each game its own byte
    run_show_rating(f->home, atomic_fetch_add(&f->done, (uint64_t)n) + (uint64_t)n, f->games);
    if (f->deadline > 0 && clock_seconds() >= f->deadline) f->late = true;
    return !f->late;
}

// Both games of a pair, or none.
static bool counts(const field *f, int i)
{
    return f->halves[i & ~1] != UNPLAYED && f->halves[i | 1] != UNPLAYED;
}

// Finding balanced openings takes a search each: as many as one rating may need, once a start.
static err find_openings(az *z)
{
    int64_t want = z->c->gate && z->c->gate_games > z->c->eval_games ? z->c->gate_games : z->c->eval_games;
    want = want / 2 < OPENINGS_LEAST ? OPENINGS_LEAST : want / 2 > OPENINGS_WANTED ? OPENINGS_WANTED : want / 2;
    if (z->set.n > 0) return ERR_OK;
    return openings_make(&z->set, z->g, "", "auto", (uint32_t)want, z->seed);
}

static err play(az *z, field *f)
{
    size_t n = (size_t)f->each * (size_t)(f->n - 1);
    f->halves = malloc(n);
    if (f->halves == NULL) return err_set(ERR_MEMORY, "no memory for rating games");
    memset(f->halves, UNPLAYED, n);
    f->home = z->o.home;
    f->games = n;
    atomic_store(&f->done, 0);
    run_show_rating(z->o.home, 0, n);
    match_options o = {.g = z->g,
                       .players = f->player,
                       .n_players = f->n,
                       .set = &z->set,
                       .seed = z->seed,
                       .threads = z->backend == &nn_backend_cpu ? z->n_threads : GPU_GAMES,
                       .no_clock = true,
                       .grain = 1};
    err e = match_run(&o, n, plan, played, f);
    return e == ERR_STOPPED && f->late && !stop_requested() ? ERR_OK : e;
}

static err book(az *z, const field *f)
{
    int index[MAX_OPPONENTS + 1];
    err e = ERR_OK;
    for (int i = 0; i < f->n && e == ERR_OK; i++) e = roster_add(&z->r.all.who, f->name[i], &index[i]);
    uint32_t pair = z->r.all.n > 0 ? z->r.all.game[z->r.all.n - 1].pair + 1 : 0;
    for (int i = 0; i < f->each * (f->n - 1) && e == ERR_OK; i++) {
        match_game g;
        if (!counts(f, i)) continue;
        plan((void *)f, (uint64_t)i, &g);
        e = results_add(&z->r.all, index[g.player[0]], index[g.player[1]], f->halves[i], pair + (uint32_t)i / 2);
    }
    return e;
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
    field *all = calloc(1, sizeof *all), *pair = calloc(1, sizeof *pair);
    err e = all != NULL && pair != NULL ? ERR_OK : err_set(ERR_MEMORY, "no memory for rating games");
    if (e == ERR_OK) e = add_references(z, all);
    for (int i = 0; e == ERR_OK && i + 1 < all->n; i++) {
        if (strcmp(all->name[i], all->name[i + 1]) == 0 || met(&z->r, all->name[i], all->name[i + 1])) continue;
        memset(pair, 0, sizeof *pair);
        pair->each = (int)(z->c->eval_games / all->n) & ~1;
        pair->first_id = (uint64_t)1 << 61 | (uint64_t)i << 24;
        if (pair->each < 2) pair->each = 2;
        for (int k = 0; k < 2; k++) {
            snprintf(pair->spec[k], SPEC, "%s", all->spec[i + k]);
            add_player(pair, all->name[i + k]);
        }
        e = play(z, pair);
        if (e == ERR_OK) e = book(z, pair);
        free(pair->halves);
    }
    free(all);
    free(pair);
    return e;
}

// --- the rating

static err fit(az *z, const field *f)
{
    rating_anchor anchor = {roster_find(&z->r.all.who, z->c->anchor), ANCHOR_RATING};
    rating_options o = {.anchors = &anchor, .n_anchors = anchor.player >= 0, .prior_draws = 1};
    rating_fit fit;
    err e = rating_fit_results(&fit, &z->r.all, &o);
    if (e != ERR_OK) return e;
    int me = roster_find(&z->r.all.who, f->name[0]);
    interval i = rating_interval(&fit, ERRORS_BEST, me, 0.95);
    z->s.rated = true;
    z->s.elo = fit.rating[me];
    z->s.elo_low = i.low;
    z->s.elo_high = i.high;
    snprintf(z->s.anchor, sizeof z->s.anchor, "%s", z->c->anchor);
    int games[MAX_OPPONENTS + 1] = {0}, all = 0;
    double points[MAX_OPPONENTS + 1] = {0};
    for (int k = 0; k < f->each * (f->n - 1); k++) {
        match_game g;
        if (!counts(f, k)) continue;
        plan((void *)(uintptr_t)f, (uint64_t)k, &g);
        int other = g.player[g.player[0] == 0];
        points[other] += (g.player[0] == 0 ? f->halves[k] : 2 - f->halves[k]) / 2.0;
        games[other]++;
        all++;
    }
    e = RUN_LOG(z->o.home, "elo", (int64_t)z->s.step, RUN_N("elo", z->s.elo), RUN_N("low", i.low),
                RUN_N("high", i.high), RUN_N("games", all));
    for (int k = 1; k < f->n && e == ERR_OK; k++) {
        if (games[k] == 0) continue;
        e = RUN_LOG(z->o.home, "match", (int64_t)z->s.step, RUN_T("opponent", f->name[k]),
                    RUN_N("score", points[k] / games[k]), RUN_N("games", games[k]));
        log_info("step %" PRIu64 ": %.1f %% against %s (%d games)", z->s.step, 100 * points[k] / games[k], f->name[k],
                 games[k]);
    }
    log_info("step %" PRIu64 ": Elo %.0f (%.0f to %.0f)", z->s.step, z->s.elo, i.low, i.high);
    rating_free(&fit);
    return e;
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

static err keep_model(az *z)
{
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
        e = run_path(z->o.home, "best.safetensors", path);
        if (e == ERR_OK) e = nn_net_save(z->net, path);
        z->r.has_best = true;
        z->r.best = z->s.elo;
    }
    return e == ERR_OK ? add_past(&z->r, z->s.step, file) : e;
}

static err save_candidate(az *z, const nn_net *net)
{
    char path[FILE_PATH];
    err e = run_path(z->o.home, CANDIDATE, path);
    return e == ERR_OK ? nn_net_save(net, path) : e;
}

err az_rate_check(const az *z)
{
    bool anchored = false;
    if (z->c->eval_every == 0) return ERR_OK;
    field *f = calloc(1, sizeof *f);
    if (f == NULL) return err_set(ERR_MEMORY, "no memory for rating games");
    err e = add_references(z, f);
    for (int i = 0; i < f->n && e == ERR_OK; i++) {
        agent *a = NULL;
        e = err_prefix(agent_open(&a, z->g, f->spec[i]), "--references");
        if (e == ERR_OK) agent_close(a);
        anchored = anchored || strcmp(f->name[i], z->c->anchor) == 0;
    }
    free(f);
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

err az_rate(az *z)
{
    double start = clock_seconds();
    field *f = calloc(1, sizeof *f);
    if (f == NULL) return err_set(ERR_MEMORY, "no memory for rating games");
    err e = save_candidate(z, z->net);
    if (e == ERR_OK) e = add_zero(z, f, z->s.step, CANDIDATE);
    if (e == ERR_OK) e = add_references(z, f);
    for (int i = 0; e == ERR_OK && i < z->c->eval_past && i < z->r.n_past; i++) {
        const az_rated *p = &z->r.past[z->r.n_past - 1 - i];
        char path[FILE_PATH];
        e = run_path(z->o.home, p->file, path);
        if (e == ERR_OK && p->step < z->s.step && file_exists(path)) e = add_zero(z, f, p->step, p->file);
    }
    if (e == ERR_OK && f->n < 2) e = err_set(ERR_USAGE, "there is nobody to rate the network against (--references)");
    if (e == ERR_OK) e = find_openings(z);
    if (e == ERR_OK) e = link_references(z);
    if (e == ERR_OK) {
        f->each = (int)(z->c->eval_games / (f->n - 1)) & ~1;
        if (f->each < 2) f->each = 2;
        f->first_id = z->s.step << 24;
        f->first_opening = (uint32_t)z->r.all.n;
        f->deadline = deadline(z);
        double began = clock_seconds();
        e = play(z, f);
        z->rate_cost = clock_seconds() - began; // openings and references among themselves come once a run
    }
    bool any = false;
    for (int i = 0; e == ERR_OK && i < f->each * (f->n - 1); i += 2) any = any || counts(f, i);
    if (e == ERR_OK && !any)
        log_warn("step %" PRIu64 " is not rated: the time limit came first", z->s.step);
    else if (e == ERR_OK)
        e = settle(z, f);
    free(f->halves);
    free(f);
    z->s.seconds_rate += clock_seconds() - start;
    return e;
}

// Pairs until the sequential test decides between +X and -X Elo, or the games are used up and the score decides.
err az_gate(az *z, const nn_net *candidate, bool *in)
{
    double start = clock_seconds();
    field *f = calloc(1, sizeof *f);
    sprt_test test = {.elo0 = -z->c->gate_elo, .elo1 = z->c->gate_elo, .alpha = 0.05, .beta = 0.05};
    double n5[5] = {0}, points = 0;
    int done = 0;
    if (f == NULL) return err_set(ERR_MEMORY, "no memory for gate games");
    err e = sprt_check(&test);
    if (e == ERR_OK) e = save_candidate(z, candidate);
    char path[FILE_PATH];
    if (e == ERR_OK) e = run_path(z->o.home, "incumbent.safetensors", path);
    if (e == ERR_OK) e = nn_net_save(z->net, path);
    if (e == ERR_OK) e = add_zero(z, f, z->s.step, CANDIDATE);
    if (e == ERR_OK) e = add_zero(z, f, z->rated_step, "incumbent.safetensors");
    if (e == ERR_OK) e = find_openings(z);
    sprt_verdict verdict = SPRT_OPEN;
    f->each = 2 * GATE_PAIRS;
    for (; e == ERR_OK && verdict == SPRT_OPEN && done < z->c->gate_games; done += f->each) {
        f->first_id = (uint64_t)1 << 60 | z->s.step << 24 | (uint64_t)done;
        f->first_opening = (uint32_t)done / 2;
        free(f->halves);
        e = play(z, f);
        for (int i = 0; e == ERR_OK && i < f->each; i += 2) {
            int mine = f->halves[i] + 2 - f->halves[i + 1];
            n5[mine]++;
            points += mine / 2.0;
        }
        if (e == ERR_OK) verdict = sprt_state(&test, n5, 5).verdict;
    }
    *in = verdict == SPRT_OPEN ? points * 2 >= done : verdict == SPRT_H1;
    if (e == ERR_OK)
        log_info("step %" PRIu64 ": gate %s after %d games (%.1f points)", z->s.step, *in ? "passed" : "not passed",
                 done, points);
    free(f->halves);
    free(f);
    z->s.seconds_rate += clock_seconds() - start;
    return e;
}
