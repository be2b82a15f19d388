// What a run knows of its strength, kept: rating games in a store of the arena (ratings.db), and with each checkpoint which of
// them count, so that a run that is resumed from it forgets what was played later.
#include "base/clock.h"
#include "learn/zero/az_inner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "ratings.db"

err az_ratings_open(az_ratings *r, const run_home *home)
{
    char path[FILE_PATH];
    if (!store_has_files())
        return store_open_memory(&r->games); // a build without SQLite: they last as long as the process
    err e = run_path(home, FILE_NAME, path);
    return e == ERR_OK ? store_open_file(&r->games, path, true) : e;
}

void az_ratings_free(az_ratings *r)
{
    store_close(r->games);
    results_free(&r->all);
    free(r->past);
    free(r->runs);
    *r = (az_ratings){0};
}

err az_ratings_model(az_ratings *r, uint64_t step, const char *file)
{
    az_rated *more = realloc(r->past, (size_t)(r->n_past + 1) * sizeof *more);
    if (more == NULL) return err_set(ERR_MEMORY, "no memory for ratings");
    r->past = more;
    az_rated *p = &more[r->n_past++];
    p->step = step;
    snprintf(p->file, sizeof p->file, "%s", file);
    return ERR_OK;
}

// --- games of the store that count

typedef struct seen {
    results *to;
    const int *index; // of the run's players in `to`
    uint32_t base;    // of pairs
    bool waiting;     // the first game of a pair
    match_record first;
} seen;

// A pair's games lie side by side in order of their numbers; one without the other was cut off and does not count.
static err take_game(void *ctx, const match_record *r)
{
    seen *s = ctx;
    if (!s->waiting || s->first.what.pair != r->what.pair) {
        s->first = *r;
        s->waiting = true;
        return ERR_OK;
    }
    const match_record *pair[2] = {&s->first, r};
    err e = ERR_OK;
    for (int i = 0; i < 2 && e == ERR_OK; i++)
        e = results_add(s->to, s->index[pair[i]->what.player[0]], s->index[pair[i]->what.player[1]], pair[i]->halves,
                        s->base + r->what.pair);
    s->waiting = false;
    return e;
}

err az_ratings_count(az_ratings *r, int run)
{
    tour_setup setup = {0};
    tour_state state;
    seen s = {.to = &r->all, .base = r->all.n > 0 ? r->all.game[r->all.n - 1].pair + 1 : 0};
    err e = store_load(r->games, run, &setup, &state);
    if (e != ERR_OK) return e;
    int *index = calloc((size_t)setup.n_players + 1, sizeof *index),
        *runs = realloc(r->runs, (size_t)(r->n_runs + 1) * sizeof *runs);
    if (runs != NULL) r->runs = runs;
    if (index == NULL || runs == NULL) e = err_set(ERR_MEMORY, "no memory for ratings");
    for (int i = 0; i < setup.n_players && e == ERR_OK; i++)
        e = roster_add(&r->all.who, setup.player[i].name, &index[i]);
    s.index = index;
    if (e == ERR_OK) e = store_games(r->games, run, take_game, &s);
    if (e == ERR_OK) r->runs[r->n_runs++] = run;
    free(index);
    tour_setup_free(&setup);
    return e;
}

// --- in a checkpoint, as text

err az_ratings_write(const az_ratings *r, text_buf *out)
{
    if (r->has_best) text_printf(out, "best %.17g\n", r->best);
    for (int i = 0; i < r->n_past; i++) text_printf(out, "model %" PRIu64 " %s\n", r->past[i].step, r->past[i].file);
    for (int i = 0; i < r->n_runs; i++) text_printf(out, "run %d\n", r->runs[i]);
    return text_check(out);
}

// `old` gets games as 0.1.0 kept them, in the text itself: `player NAME` and `game FIRST SECOND HALVES PAIR`.
static err read_line(az_ratings *r, results *old, const char *line)
{
    int a, b, halves, index, run;
    uint32_t pair;
    uint64_t step;
    char file[64];
    if (sscanf(line, "best %lf", &r->best) == 1) {
        r->has_best = true;
        return ERR_OK;
    }
    if (sscanf(line, "model %" SCNu64 " %63s", &step, file) == 2) return az_ratings_model(r, step, file);
    if (sscanf(line, "run %d", &run) == 1) {
        for (int i = 0; i < r->n_runs; i++)
            if (r->runs[i] == run) return ERR_OK;
        if (run >= 1 && run <= store_runs(r->games)) return az_ratings_count(r, run);
        log_warn("%s has lost the games of rating %d: later ratings do without them", FILE_NAME, run);
        return ERR_OK;
    }
    if (strncmp(line, "player ", 7) == 0) return roster_add(&old->who, line + 7, &index);
    if (sscanf(line, "game %d %d %d %" SCNu32, &a, &b, &halves, &pair) == 4 && a >= 0 && b >= 0 && a != b &&
        a < old->who.n && b < old->who.n && halves >= 0 && halves <= 2)
        return results_add(old, a, b, halves, pair);
    return err_set(ERR_PARSE, "ratings.txt: cannot read \"%.60s\"", line);
}

// They go into the store, once; there are no moves with them.
static err import(az_ratings *r, const game *g, const results *old)
{
    static const move_t none[1];
    tour_setup setup = {.g = g, .schedule = SCHEDULE_ROUND_ROBIN, .rating = tour_rating_default};
    match_record *games = calloc(old->n + 1, sizeof *games);
    int run = 0;
    err e = games == NULL ? err_set(ERR_MEMORY, "no memory for ratings") : ERR_OK;
    for (int i = 0; i < old->who.n && e == ERR_OK; i++) e = tour_add_player(&setup, old->who.name[i], old->who.name[i]);
    for (size_t i = 0; i < old->n && e == ERR_OK; i++)
        games[i] = (match_record){.what = {.id = i,
                                           .player = {(uint16_t)old->game[i].first, (uint16_t)old->game[i].second},
                                           .pair = old->game[i].pair},
                                  .halves = (uint8_t)old->game[i].halves,
                                  .moves = none,
                                  .detail = ""};
    if (e == ERR_OK) e = store_begin(r->games, &setup, clock_unix(), &run);
    if (e == ERR_OK) e = store_add(r->games, run, games, (int)old->n);
    if (e == ERR_OK) e = store_finish(r->games, run, 0, clock_unix());
    if (e == ERR_OK) e = az_ratings_count(r, run);
    free(games);
    tour_setup_free(&setup);
    return e;
}

err az_ratings_read(az_ratings *r, const game *g, const char *text, size_t size)
{
    err e = ERR_OK;
    results old = {0};
    char line[512];
    if (r->games == NULL) return ERR_OK; // nothing is rated in this run
    for (size_t at = 0; at < size && e == ERR_OK;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t n = end != NULL ? (size_t)(end - text) - at : size - at;
        if (n >= sizeof line) {
            e = err_set(ERR_PARSE, "ratings.txt: a line is too long");
            break;
        }
        memcpy(line, text + at, n);
        line[n] = 0;
        at += n + 1;
        if (n > 0) e = read_line(r, &old, line);
    }
    if (e == ERR_OK && old.n > 0) e = import(r, g, &old);
    results_free(&old);
    return e;
}
