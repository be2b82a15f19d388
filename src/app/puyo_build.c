// See puyo_build.h.
#include "app/puyo_build.h"

#include "agents/agent.h"
#include "base/clock.h"
#include "base/pool.h"
#include "base/stop.h"
#include "games/puyo/puyo_solo.h"
#include "search/puyo/puyo_beam.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct work {
    const puyo_build_options *o;
    const game *g;
    puyo_built *games;
    agent **agents; // [threads]
    int threads;
    err failed;
    char why[300];
} work;

static void look(puyo_built *b, const py_solo *s)
{
    int links, points = puyo_best_available(&s->field, s->window, 2, s->reach, PY_LOSE_TSU, &links);
    if (points <= b->best) return;
    b->best = points;
    b->links = links;
    b->at = (int)s->placed;
}

// The key's run is a constant, so that a seed means the same game everywhere. Arcade games take the seed as it is.
static err begin_game(const work *w, uint32_t seed, py_solo *s)
{
    char text[64];
    snprintf(text, sizeof text, "pairs=%s,moves=%d", w->o->pairs, w->o->moves);
    err e = w->g->init(s, text, (game_key){1, seed});
    if (e != ERR_OK || s->queue.kind != PY_ARCADE) return e;
    py_arcade((uint16_t)seed, s->queue.colours, s->queue.ring);
    for (uint32_t i = 0; i < PY_SHOWN; i++) s->window[i] = py_queue_get(&s->queue, i);
    return ERR_OK;
}

static err play_game(const work *w, uint32_t seed, agent *a, puyo_built *b)
{
    py_solo s, obs;
    err e = begin_game(w, seed, &s);
    agent_begin(a, (game_key){1, seed}, 0);
    while (e == ERR_OK && !w->g->result(&s).over && !stop_requested()) {
        agent_choice c;
        look(b, &s);
        w->g->observe(&s, 0, &obs);
        double start = clock_cpu_seconds();
        double own = clock_thread_cpu_seconds();
        e = agent_choose(a, &obs, &c);
        // With one game at a time the agent may have threads of its own; with several, only this thread is its.
        b->cpu += w->threads == 1 ? clock_cpu_seconds() - start : clock_thread_cpu_seconds() - own;
        if (e != ERR_OK) break;
        b->nodes += c.nodes;
        w->g->play(&s, c.move, NULL);
    }
    if (e != ERR_OK || stop_requested()) return e;
    b->fired = (int)s.best;
    b->longest = (int)s.longest;
    b->score = s.score;
    b->placed = (int)s.placed;
    b->buried = s.buried;
    b->done = true;
    return ERR_OK;
}

static void play_task(void *ctx, int task, int worker)
{
    work *w = ctx;
    err none = ERR_OK;
    if (stop_requested() || __atomic_load_n(&w->failed, __ATOMIC_RELAXED) != ERR_OK) return;
    err e = play_game(w, w->o->first + (uint32_t)task, w->agents[worker], &w->games[task]);
    if (w->o->tick != NULL) w->o->tick(w->o->ctx);
    if (e == ERR_OK || !__atomic_compare_exchange_n(&w->failed, &none, e, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    snprintf(w->why, sizeof w->why, "%s", err_text()); // the sentence belongs to this thread
}

puyo_build_summary puyo_build_sum(const puyo_built *games, int count)
{
    puyo_build_summary s = {0};
    double squares = 0, moves = 0;
    for (int i = 0; i < count; i++) {
        const puyo_built *b = &games[i];
        if (!b->done) continue;
        s.n++;
        s.buried += b->buried;
        s.best += b->best;
        squares += (double)b->best * b->best;
        s.links += b->links;
        s.fired += b->fired;
        s.longest += b->longest;
        s.score += b->score;
        s.at += b->at;
        s.cpu += b->cpu;
        s.nodes += (double)b->nodes;
        moves += b->placed;
        s.over[0] += b->best >= 50000;
        s.over[1] += b->best >= 75000;
        s.over[2] += b->best >= 100000;
    }
    if (s.n == 0) return s;
    double n = s.n;
    s.best /= n, s.links /= n, s.fired /= n, s.longest /= n, s.score /= n, s.at /= n;
    s.cpu /= moves;
    s.nodes /= moves;
    s.error = n > 1 ? sqrt(fmax(squares / n - s.best * s.best, 0) / (n - 1)) : 0;
    return s;
}

err puyo_build(const puyo_build_options *o, puyo_built *games, puyo_build_summary *out)
{
    work w = {.o = o, .games = games};
    err e = game_find("puyo-solo", &w.g);
    if (e != ERR_OK) return e;
    pool *p = o->threads == 1 ? NULL : pool_new(o->threads);
    w.threads = pool_threads(p);
    w.agents = calloc((size_t)w.threads, sizeof *w.agents);
    if (w.agents == NULL) e = err_set(ERR_MEMORY, "no memory for %d players", w.threads);
    for (int i = 0; e == ERR_OK && i < w.threads; i++) e = agent_open(&w.agents[i], w.g, o->agent);
    for (int i = 0; i < o->games; i++) games[i] = (puyo_built){.done = false};
    if (e == ERR_OK) {
        pool_run(p, o->games, play_task, &w);
        if (w.failed != ERR_OK) e = err_set(w.failed, "%s", w.why);
    }
    for (int i = 0; w.agents != NULL && i < w.threads; i++) agent_close(w.agents[i]);
    free(w.agents);
    pool_free(p);
    if (e != ERR_OK) return e;
    *out = puyo_build_sum(games, o->games);
    return out->n == 0 ? err_set(ERR_STOPPED, "stopped before a game was over") : ERR_OK;
}

void puyo_build_json(json_writer *w, const puyo_build_options *o, const puyo_built *games, const puyo_build_summary *s)
{
    json_open_object(w);
    json_pair_text(w, "agent", o->agent);
    json_pair_text(w, "pairs", o->pairs);
    json_pair_int(w, "moves", o->moves);
    json_pair_int(w, "games", s->n);
    json_pair_number(w, "best", s->best);
    json_pair_number(w, "best_error", s->error);
    json_pair_number(w, "best_links", s->links);
    json_pair_number(w, "best_at", s->at);
    json_pair_number(w, "fired", s->fired);
    json_pair_number(w, "fired_links", s->longest);
    json_pair_number(w, "points", s->score);
    json_pair_int(w, "over_100000", s->over[2]);
    json_pair_int(w, "buried", s->buried);
    json_pair_number(w, "cpu_seconds_a_move", s->cpu);
    json_pair_number(w, "fields_a_move", s->nodes);
    json_pair_array(w, "seeds");
    for (int i = 0; i < o->games; i++) {
        const puyo_built *b = &games[i];
        if (!b->done) continue;
        json_open_object(w);
        json_pair_int(w, "seed", (int64_t)o->first + i);
        json_pair_int(w, "best", b->best);
        json_pair_int(w, "links", b->links);
        json_pair_int(w, "at", b->at);
        json_pair_int(w, "fired", b->fired);
        json_pair_int(w, "points", b->score);
        json_pair_bool(w, "buried", b->buried);
        json_close(w);
    }
    json_close(w);
    json_close(w);
}

err puyo_build_seeds(const char *text, uint32_t *first, int *n)
{
    char *end;
    long a = strtol(text, &end, 10), b = a;
    if (end != text && *end == '-') {
        const char *second = end + 1;
        b = strtol(second, &end, 10);
        if (end == second) end = (char *)text;
    }
    if (end == text || *end != 0 || a < 0 || b < a || b > 65535)
        return err_set(ERR_USAGE, "--seeds %s: expected a seed or a range like 1-100, from 0 to 65535", text);
    *first = (uint32_t)a;
    *n = (int)(b - a + 1);
    return ERR_OK;
}
