// Setups, and stores of any kind. See tour.h.
#include "arena/tour.h"

#include "arena/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- setups

const tour_rating tour_rating_default = {.model = "bt-adv", .errors = "best", .level = 0.95};

void tour_setup_free(tour_setup *s)
{
    free(s->player);
    openings_free(&s->set);
    *s = (tour_setup){0};
}

err tour_setup_copy(tour_setup *out, const tour_setup *s)
{
    tour_setup copy = *s;
    copy.player = NULL;
    copy.set = (openings){0};
    err e = ERR_OK;
    if (s->n_players > 0) {
        copy.player = malloc((size_t)s->n_players * sizeof *copy.player);
        if (copy.player == NULL) e = err_set(ERR_MEMORY, "no memory for %d players", s->n_players);
    }
    if (e == ERR_OK && s->n_players > 0) memcpy(copy.player, s->player, (size_t)s->n_players * sizeof *copy.player);
    for (uint32_t i = 0; e == ERR_OK && i < s->set.n; i++) e = openings_add(&copy.set, &s->set.line[i]);
    if (e != ERR_OK)
        tour_setup_free(&copy);
    else
        *out = copy;
    return e;
}

void tour_config_hash(const tour_setup *s, const char *spec, char out[TOUR_CONFIG])
{
    const char *parts[] = {s->g->name, s->settings, spec};
    uint64_t h = 0xcbf29ce484222325u; // FNV-1a, then mixed
    for (int k = 0; k < 3; k++)
        for (const char *p = parts[k];; p++) {
            h = (h ^ (unsigned char)*p) * 0x100000001b3u;
            if (*p == 0) break;
        }
    snprintf(out, TOUR_CONFIG, "%016" PRIx64, rng_mix(h));
}

static bool name_taken(const tour_setup *s, const char *name)
{
    for (int i = 0; i < s->n_players; i++)
        if (strcmp(s->player[i].name, name) == 0) return true;
    return false;
}

err tour_add_player(tour_setup *s, const char *name, const char *spec)
{
    if (s->n_players >= STATS_MAX_PLAYERS) return err_set(ERR_LIMIT, "at most %d players", STATS_MAX_PLAYERS);
    if (strlen(spec) >= TOUR_TEXT) return err_set(ERR_LIMIT, "player '%s': a spec has at most 255 characters", name);
    if (name[0] == 0) return err_set(ERR_USAGE, "a player without a name");
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            return err_set(ERR_USAGE, "the name of a player holds a control character");
    if (strlen(name) > STATS_MAX_NAME - 8) return err_set(ERR_LIMIT, "the name '%.40s…' is too long", name);
    tour_player *grown = realloc(s->player, (size_t)(s->n_players + 1) * sizeof *grown);
    if (grown == NULL) return err_set(ERR_MEMORY, "no memory for the players");
    s->player = grown;
    tour_player *p = &s->player[s->n_players];
    snprintf(p->name, sizeof p->name, "%s", name);
    for (int k = 2; name_taken(s, p->name); k++) snprintf(p->name, sizeof p->name, "%.*s#%d", 240, name, k);
    snprintf(p->spec, sizeof p->spec, "%s", spec);
    tour_config_hash(s, spec, p->config);
    s->n_players++;
    return ERR_OK;
}

static err differs(const char *what, const char *was, const char *now)
{
    return err_set(ERR_USAGE,
                   "the run began with %s '%s', not '%s'; leave the options out to continue it as it began, or start a "
                   "new run without --resume",
                   what, was, now);
}

static err number_differs(const char *what, double was, double now)
{
    char a[40], b[40];
    snprintf(a, sizeof a, "%.15g", was);
    snprintf(b, sizeof b, "%.15g", now);
    return was == now ? ERR_OK : differs(what, a, b);
}

err tour_setup_same(const tour_setup *was, const tour_setup *now)
{
    if (was->g != now->g) return differs("game", was->g->name, now->g->name);
    if (strcmp(was->settings, now->settings) != 0) return differs("options", was->settings, now->settings);
    err e = number_differs("number of players", was->n_players, now->n_players);
    for (int i = 0; e == ERR_OK && i < was->n_players; i++) {
        if (strcmp(was->player[i].name, now->player[i].name) != 0)
            e = differs("player", was->player[i].name, now->player[i].name);
        else if (strcmp(was->player[i].spec, now->player[i].spec) != 0)
            e = differs("player", was->player[i].spec, now->player[i].spec);
    }
    if (e == ERR_OK && was->schedule != now->schedule)
        e = differs("schedule", schedule_names[was->schedule], schedule_names[now->schedule]);
    if (e == ERR_OK && strcmp(was->openings, now->openings) != 0) e = differs("openings", was->openings, now->openings);
    if (e == ERR_OK && was->seed != now->seed) { // more digits than a double has
        char a[24], b[24];
        snprintf(a, sizeof a, "%" PRIu64, was->seed);
        snprintf(b, sizeof b, "%" PRIu64, now->seed);
        e = differs("seed", a, b);
    }
    const struct {
        const char *what;
        double was, now;
    } numbers[] = {
        {"games", (double)was->games, (double)now->games},
        {"max-plies", was->rules.max_plies, now->rules.max_plies},
        {"adjudicate", was->rules.adjudicate, now->rules.adjudicate},
        {"resign", was->rules.resign, now->rules.resign},
        {"resign-moves", was->rules.resign_moves, now->rules.resign_moves},
        {"sprt", was->has_sprt, now->has_sprt},
        {"sprt elo0", was->sprt.elo0, now->sprt.elo0},
        {"sprt elo1", was->sprt.elo1, now->sprt.elo1},
        {"sprt alpha", was->sprt.alpha, now->sprt.alpha},
        {"sprt beta", was->sprt.beta, now->sprt.beta},
        {"sprt scale", was->sprt.scale, now->sprt.scale},
    };
    for (size_t i = 0; e == ERR_OK && i < sizeof numbers / sizeof *numbers; i++)
        e = number_differs(numbers[i].what, numbers[i].was, numbers[i].now);
    return e;
}

// --- stores: one call, two kinds

void store_close(store *s)
{
    if (s != NULL) s->kind->close(s);
}

const char *store_path(const store *s)
{
    return s->path;
}

int store_runs(store *s)
{
    return s->kind->runs(s);
}

err store_begin(store *s, const tour_setup *r, double now, int *run)
{
    return s->kind->begin(s, r, now, run);
}

err store_load(store *s, int run, tour_setup *setup, tour_state *state)
{
    int n = store_runs(s);
    if (n == 0) return err_set(ERR_MISSING, "%s holds no run yet", s->path[0] ? s->path : "the store");
    if (run < 0 || run > n) return err_set(ERR_USAGE, "there is no run %d; the last one is %d", run, n);
    return s->kind->load(s, run == 0 ? n : run, setup, state);
}

err store_add(store *s, int run, const match_record *r, int n)
{
    return n == 0 ? ERR_OK : s->kind->add(s, run, r, n);
}

err store_finish(store *s, int run, uint64_t stop, double now)
{
    return s->kind->finish(s, run, stop, now);
}

err store_rating(store *s, int run, const tour_rating *how)
{
    return s->kind->rating(s, run, how);
}

err store_games(store *s, int run, store_visit *fn, void *ctx)
{
    return s->kind->games(s, run, fn, ctx);
}
