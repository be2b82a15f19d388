// Even openings: drawing and judging lines; see tune_openings.h.
#include "learn/tune/tune_openings.h"

#include "base/clock.h"
#include "base/pool.h"
#include "base/rng.h"
#include "base/stop.h"
#include "games/game.h"
#include "search/renju/renju_ab.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_MOST = 256, HASH = 16, MOST_PLIES = 60 };
#define NOT_BEGUN UINT64_MAX
enum { SHORT_SEARCH = 2000, MIDDLE_SEARCH = 20000 }; // positions

// Games of the engine against itself, of which each side must score `least`, and something in the first six. Short ones are
// cheap; only long ones tell, because black gains with strength.
static const struct stage {
    int games, least, nodes;
} short_games = {6, 2, 10000}, long_games = {RJ_LINE_GAMES, RJ_LINE_LEAST, 45000};

typedef struct maker {
    const game *g;
    const rj_lines_tune *t;
    int variant;
    uint64_t seed, first, drawn;
    double effort;
    rj_ab **engine;    // [worker]
    rj_opening *known; // judged in earlier batches, then those of this one that the journal has, by number
    int n_known, room;
    rj_opening batch[BATCH_MOST];
    int size;             // of a batch
    pthread_mutex_t lock; // for the journal and `failed`
    err failed;
} maker;

static bool taken(const rj_any_state *s, int p)
{
    int words = rj_variants[s->s.variant].words;
    return (s->s.stones[p / 64] | s->s.stones[words + p / 64]) >> p % 64 & 1;
}

// Stones within a square of the middle; its width and their number are drawn, too.
static bool draw_line(const game *g, rng *r, rj_any_state *s, rj_opening *out)
{
    int plies = 3 + (int)rng_below(r, RJ_LINE_MOST - 2), half = 2 + (int)rng_below(r, 3), middle = g->cols / 2;
    memset(s, 0, sizeof *s);
    g->init(s, "", (game_key){0, 0});
    while (out->n < plies) {
        int x = middle - half + (int)rng_below(r, (uint32_t)(2 * half + 1));
        int y = middle - half + (int)rng_below(r, (uint32_t)(2 * half + 1)), p = y * g->cols + x;
        if (taken(s, p)) continue;
        g->play(s, (move_t)p, NULL);
        out->move[out->n++] = (uint16_t)p;
        if (s->s.reason != REASON_NONE) return false;
    }
    return true;
}

// The slack is wide: searches refuse what is clearly won, games judge the rest. In renju the lines that games call even have
// values of 0.25 to 0.35 for black.
static bool looks_even(rj_ab *e, const rj_any_state *s, int nodes)
{
    rj_ab_line l;
    rj_ab_forget(e);
    rj_ab_search(e, &s->s, &(rj_ab_limits){.nodes = (uint64_t)nodes}, 1, &l);
    return fabs(rj_ab_odds(l.score) - 0.5) <= 0.35;
}

// What black scores in a game of the engine against itself, each move with a limit of half to one and a half times `nodes`. A
// proved win ends it.
static double play_out(rj_ab *e, const game *g, rj_any_state s, double nodes, rng *r)
{
    rj_ab_forget(e);
    for (int ply = 0; s.s.reason == REASON_NONE && ply < MOST_PLIES && !stop_requested(); ply++) {
        rj_ab_line l;
        uint64_t limit = (uint64_t)(nodes * (0.5 + rng_unit(r))) + 1;
        rj_ab_search(e, &s.s, &(rj_ab_limits){.nodes = limit}, 1, &l);
        if (l.score > RJ_AB_SURE) return s.s.side == RJ_BLACK;
        if (l.score < -RJ_AB_SURE) return s.s.side != RJ_BLACK;
        g->play(&s, l.move[0], NULL);
    }
    return s.s.reason == REASON_NONE ? 0.5 : (double)g->result(&s).score[RJ_BLACK];
}

// Plays until each side has scored `least`, or one of them cannot any more; false then.
static bool games_are_mixed(const maker *m, rj_ab *e, const rj_any_state *s, const struct stage *st, rng *r,
                            rj_opening *o)
{
    o->games = o->black = 0;
    float least = (float)st->least;
    while (o->black < least || o->games - o->black < least) {
        o->black += (float)play_out(e, m->g, *s, st->nodes * m->effort, r);
        o->games++;
        float left = (float)st->games - o->games;
        if (o->games == 6 && fabsf(o->black - 3) > 2) return false;
        if (o->black + left < least || o->games - o->black + left < least) return false;
    }
    return true;
}

static const rj_opening *find_known(const maker *m, uint64_t number)
{
    for (int i = m->n_known; i > 0; i--)
        if (m->known[i - 1].number == number) return &m->known[i - 1];
    return NULL;
}

static bool late(const maker *m)
{
    return m->t->deadline > 0 && clock_seconds() >= m->t->deadline;
}

static void try_line(void *ctx, int task, int worker)
{
    maker *m = ctx;
    rj_ab *e = m->engine[worker];
    rj_opening *o = &m->batch[task];
    *o = (rj_opening){.number = m->first + (uint64_t)task};
    if (stop_requested()) return;
    const rj_opening *known = find_known(m, o->number);
    if (known != NULL) {
        *o = *known;
        return;
    }
    if (late(m)) { // lines that were begun are judged to the end: leaving out long games would favour some results
        o->number = NOT_BEGUN;
        return;
    }
    rng r = rng_at(m->seed, o->number, 0);
    rj_any_state s;
    bool ok = draw_line(m->g, &r, &s, o) && looks_even(e, &s, (int)(SHORT_SEARCH * m->effort)) &&
              looks_even(e, &s, (int)(MIDDLE_SEARCH * m->effort)) && games_are_mixed(m, e, &s, &short_games, &r, o);
    if (!ok) {
        o->n = 0;
        return;
    }
    games_are_mixed(m, e, &s, &long_games, &r, o);
    if (stop_requested()) return; // the last game was not finished: not saved
    pthread_mutex_lock(&m->lock);
    err code = rj_lines_save(m->t, m->variant, o);
    if (code != ERR_OK) m->failed = code;
    pthread_mutex_unlock(&m->lock);
}

// The lines of this batch that were judged go behind those of earlier ones; what the journal knew of later ones is in the batch.
static err keep_batch(maker *m, int *n)
{
    if (*n + m->size > m->room) {
        int room = 2 * (*n + m->size);
        rj_opening *grown = realloc(m->known, (size_t)room * sizeof *grown);
        if (grown == NULL) return err_set(ERR_MEMORY, "no memory for openings");
        m->known = grown;
        m->room = room;
    }
    for (int i = 0; i < m->size; i++) {
        m->drawn += m->batch[i].number != NOT_BEGUN;
        if (m->batch[i].n > 0) m->known[(*n)++] = m->batch[i];
    }
    m->n_known = *n;
    return ERR_OK;
}

static void tell(const maker *m, int passed, int chosen)
{
    char line[160];
    rj_lines_prior p = rj_lines_fit(m->known, m->n_known);
    snprintf(line, sizeof line, "%s: %d of %d lines; %llu drawn, %d judged by games (black expects %.0f %%), %d mixed",
             rj_variants[m->variant].name, chosen, m->t->want, (unsigned long long)m->drawn, m->n_known, 100 * p.mean,
             passed);
    if (m->t->say != NULL) m->t->say(m->t->ctx, line);
}

static err draw_batches(maker *m, pool *p, int *chosen, int *n_chosen)
{
    int n = 0, taken_n = 0;
    bool over = false;
    err e = rj_lines_load(m->t, m->variant, &m->known, &m->n_known, &m->drawn);
    m->room = m->n_known;
    while (n < m->n_known && m->known[n].number < m->drawn) n++;
    for (m->first = m->drawn; e == ERR_OK; m->first += (uint64_t)m->size) {
        int passed = 0;
        for (int i = 0; i < n; i++) passed += rj_line_passed(&m->known[i]);
        taken_n = rj_lines_choose(m->known, n, m->variant, m->t->want, chosen);
        if (n > 0) tell(m, passed, taken_n);
        if (taken_n == m->t->want || over) break;
        pool_run(p, m->size, try_line, m);
        over = late(m);
        e = m->failed != ERR_OK ? m->failed : stop_check();
        if (e == ERR_OK) e = keep_batch(m, &n);
        if (e == ERR_OK && !over) e = rj_lines_save_drawn(m->t, m->variant, m->first + (uint64_t)m->size);
    }
    *n_chosen = taken_n;
    return e != ERR_OK || taken_n > 0
               ? e
               : err_set(ERR_MISSING, "%s: no line has passed so far; the same command with more time continues",
                         rj_variants[m->variant].name);
}

err rj_tune_openings(const rj_lines_tune *t, int variant, text_buf *out)
{
    maker *m = calloc(1, sizeof *m);
    pool *p = pool_new(t->threads);
    int n = 0, workers = pool_threads(p), *chosen = calloc((size_t)t->want, sizeof *chosen);
    rj_ab_options o = rj_ab_defaults();
    o.hash = HASH;
    if (m == NULL || p == NULL || chosen == NULL) {
        free(m);
        free(chosen);
        pool_free(p);
        return err_set(ERR_MEMORY, "no memory for openings");
    }
    pthread_mutex_init(&m->lock, NULL);
    m->t = t;
    m->variant = variant;
    m->size = t->batch > 0 && t->batch < BATCH_MOST ? t->batch : BATCH_MOST;
    m->effort = t->effort > 0 ? t->effort : 1;
    m->seed = rng_mix(t->seed * 8 + (uint64_t)variant);
    m->engine = calloc((size_t)workers, sizeof *m->engine);
    err e =
        m->engine == NULL ? err_set(ERR_MEMORY, "no memory for openings") : game_find(rj_variants[variant].name, &m->g);
    for (int i = 0; e == ERR_OK && i < workers; i++)
        e = rj_ab_new(&m->engine[i], rj_variants[variant].rule, rj_variants[variant].size, &o);
    if (e == ERR_OK) e = draw_batches(m, p, chosen, &n);
    for (int i = 0; e == ERR_OK && i < n; i++) {
        rj_opening_print(variant, &m->known[chosen[i]], out);
        text_char(out, '\n');
    }
    for (int i = 0; m->engine != NULL && i < workers; i++) rj_ab_free(m->engine[i]);
    free(m->engine);
    free(m->known);
    pthread_mutex_destroy(&m->lock);
    free(m);
    free(chosen);
    pool_free(p);
    return e == ERR_OK ? text_check(out) : e;
}
