// See env.h. A step is three loops over the slots: are all moves legal; play them; write what is seen. The last two are cut
// into tasks for the pool.
#include "app/env.h"

#include "agents/agent.h"
#include "base/memory.h"
#include "base/pool.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 32, TASK_LEAST = 64, TASKS_PER_THREAD = 4 };

typedef struct slot {
    uint64_t game;    // its number
    int32_t decided;  // by the caller in this game
    int32_t length;   // decisions of both
    int32_t n_legal;  // in its list
    uint8_t opponent; // the seat that the agent plays
    bool ended;       // in this step
} slot;

typedef struct scratch { // of one thread
    char *obs;           // [AT_ONCE][obs_size]
    uint64_t *bits;      // [AT_ONCE][planes][words]
    float *numbers;      // [AT_ONCE][scalars]
} scratch;

struct env {
    const game *g;
    const encoding *e;
    char *options;
    env_buffers to;
    int n, max_plies;
    bool begun, floats, plays_random; // plays_random: the opponent, without an agent
    uint64_t seed;
    size_t stride; // bytes between two states
    char *states;
    move_t *legal; // [n][max_legal]
    slot *slots;
    agent **opponents; // [n]; NULL = none
    scratch *work;     // per thread
    pool *threads;
    const int32_t *moves;  // of the step under way
    _Atomic bool failed;   // an opponent could not answer; `why` says it
    char why[300];         // written by who set `failed`
    uint8_t bytes[256][8]; // eight cells of a plane
    float floats8[256][8];
};

// --- opening and closing

void env_close(env *e)
{
    if (e == NULL) return;
    for (int t = 0; e->work != NULL && t < pool_threads(e->threads); t++) {
        FREE_ALL(e->work[t].obs, e->work[t].bits, e->work[t].numbers);
    }
    for (int i = 0; e->opponents != NULL && i < e->n; i++) agent_close(e->opponents[i]);
    FREE_ALL(e->opponents, e->work, e->options, e->states, e->legal, e->slots);
    pool_free(e->threads);
    free(e);
}

static err open_memory(env *e, int threads)
{
    const game *g = e->g;
    size_t n = (size_t)e->n, words = (size_t)game_plane_words(g) * (size_t)e->e->planes;
    e->stride = (g->state_size + 63) / 64 * 64;
    e->threads = pool_new(threads);
    if (e->threads != NULL) e->work = calloc((size_t)pool_threads(e->threads), sizeof *e->work);
    e->states = aligned_alloc(64, n * e->stride);
    e->legal = malloc(n * (size_t)g->max_legal * sizeof *e->legal);
    e->slots = calloc(n, sizeof *e->slots);
    bool good = e->threads != NULL && e->work != NULL && e->states != NULL && e->legal != NULL && e->slots != NULL;
    for (int t = 0; good && t < pool_threads(e->threads); t++) {
        e->work[t].obs = malloc(AT_ONCE * ((size_t)g->obs_size + 16));
        e->work[t].bits = malloc(AT_ONCE * words * sizeof *e->work[t].bits);
        e->work[t].numbers = malloc(AT_ONCE * ((size_t)e->e->scalars + 1) * sizeof(float));
        good = e->work[t].obs != NULL && e->work[t].bits != NULL && e->work[t].numbers != NULL;
    }
    return good ? ERR_OK : err_set(ERR_MEMORY, "no memory for %d games", e->n);
}

static err open_opponents(env *e, const char *spec)
{
    if (spec == NULL || spec[0] == 0) return ERR_OK;
    if (e->g->n_seats == 1) return err_set(ERR_USAGE, "%s is played alone: it has no opponent", e->g->name);
    if (strcmp(spec, "human") == 0) return err_set(ERR_USAGE, "a person cannot play in an environment");
    e->plays_random = strcmp(spec, "random") == 0;
    if (e->plays_random) return ERR_OK;
    if ((e->opponents = calloc((size_t)e->n, sizeof(agent *))) == NULL) return err_set(ERR_MEMORY, "no memory");
    err r = ERR_OK;
    for (int i = 0; r == ERR_OK && i < e->n; i++) r = agent_open(&e->opponents[i], e->g, spec);
    return r;
}

err env_open(env **out, const env_setup *o, const env_buffers *b)
{
    const encoding *enc;
    err r = game_encoding(o->g, o->encoding, &enc);
    if (r != ERR_OK) return r;
    if (o->n < 1 || o->n > 1 << 24) return err_set(ERR_USAGE, "1 to %d games at once, not %d", 1 << 24, o->n);
    if (o->threads < 0 || o->threads > 256) return err_set(ERR_USAGE, "0 to 256 threads, not %d", o->threads);
    if (o->max_plies < 0) return err_set(ERR_USAGE, "max_plies must not be negative");
    env *e = calloc(1, sizeof *e);
    if (e == NULL) return err_set(ERR_MEMORY, "no memory for an environment");
    *e = (env){.g = o->g,
               .e = enc,
               .to = *b,
               .n = o->n,
               .max_plies = o->max_plies,
               .floats = o->floats,
               .seed = o->seed,
               .options = strdup(o->options == NULL ? "" : o->options)};
    for (int i = 0; i < 256; i++)
        for (int k = 0; k < 8; k++) e->floats8[i][k] = e->bytes[i][k] = i >> k & 1;
    if (e->options == NULL) r = err_set(ERR_MEMORY, "no memory for options");
    if (r == ERR_OK) r = open_memory(e, o->threads);
    if (r == ERR_OK) r = e->g->init(e->states, e->options, (game_key){e->seed, 0}); // are the options good?
    if (r == ERR_OK) r = open_opponents(e, o->opponent);
    if (r != ERR_OK)
        env_close(e);
    else
        *out = e;
    return r;
}

const game *env_game(const env *e)
{
    return e->g;
}

int env_count(const env *e)
{
    return e->n;
}

const void *env_state(const env *e, int i)
{
    return e->states + (size_t)i * e->stride;
}

// --- playing

static void *state_of(env *e, int i)
{
    return e->states + (size_t)i * e->stride;
}

static move_t *list_of(env *e, int i)
{
    return e->legal + (size_t)i * (size_t)e->g->max_legal;
}

// The caller's random moves and the opponent's are drawn from different streams.
static move_t at_random(env *e, int i, uint64_t stream)
{
    const slot *p = &e->slots[i];
    rng r = rng_at(e->seed ^ stream, p->game, (uint32_t)p->length);
    return list_of(e, i)[rng_below(&r, (uint32_t)p->n_legal)];
}

static void keep_failure(env *e)
{
    bool none = false;
    if (atomic_compare_exchange_strong(&e->failed, &none, true)) snprintf(e->why, sizeof e->why, "%s", err_text());
}

// Changes the mask from the moves that were legal to those that are.
static void list_legal(env *e, int i)
{
    slot *p = &e->slots[i];
    move_t *list = list_of(e, i);
    uint8_t *mask = e->to.masks == NULL ? NULL : e->to.masks + (size_t)i * (size_t)e->g->n_moves;
    for (int k = 0; mask != NULL && k < p->n_legal; k++) mask[list[k]] = 0;
    p->n_legal = e->g->legal(state_of(e, i), list);
    for (int k = 0; mask != NULL && k < p->n_legal; k++) mask[list[k]] = 1;
}

static void play_one(env *e, int i, move_t m, step_event *ev, scratch *w)
{
    void *s = state_of(e, i);
    if (e->opponents != NULL) {
        game_observe(e->g, s, e->slots[i].opponent, w->obs);
        agent_saw(e->opponents[i], w->obs, m);
    }
    e->g->play(s, m, ev);
    e->slots[i].length++;
    list_legal(e, i);
}

// The opponent's decisions, as long as they are its own. An agent that fails, or errs, leaves a random move.
static void answer(env *e, int i, scratch *w)
{
    slot *p = &e->slots[i];
    step_event ev;
    while (p->n_legal > 0 && e->g->seat(state_of(e, i)) == p->opponent) {
        move_t m = at_random(e, i, 0x6f70706f6e656e74u);
        if (e->opponents != NULL) {
            agent_choice c;
            game_observe(e->g, state_of(e, i), p->opponent, w->obs);
            if (agent_choose(e->opponents[i], w->obs, &c) == ERR_OK)
                m = c.move;
            else
                keep_failure(e);
        }
        play_one(e, i, m, &ev, w);
    }
}

static bool has_opponent(const env *e)
{
    return e->plays_random || e->opponents != NULL;
}

static void begin(env *e, int i, scratch *w)
{
    slot *p = &e->slots[i];
    game_key key = {e->seed, p->game};
    if (e->g->init(state_of(e, i), e->options, key) != ERR_OK)
        keep_failure(e); // it was good when the environment opened
    p->decided = p->length = 0;
    list_legal(e, i);
    if (!has_opponent(e)) return;
    p->opponent = (uint8_t)(1 - (p->game / (uint64_t)e->n + (uint64_t)i) % 2); // a caller's first seat is 0 in slot 0
    if (e->opponents != NULL) agent_begin(e->opponents[i], key, p->opponent);
    answer(e, i, w);
}

// --- what is seen

// Cells of `unit` bytes, eight at a time. What lies beyond a plane is written again with the next one; beyond the last plane
// is another slot, so its last cells are counted. Inlined twice, with a constant `unit`.
static inline void unpack(const env *e, const uint64_t *bits, char *to, const void *table, size_t unit)
{
    const size_t cells = (size_t)(e->g->rows * e->g->cols), words = (cells + 63) / 64, eight = 8 * unit;
    for (int p = 0; p < e->e->planes; p++, bits += words, to += cells * unit) {
        size_t whole = p + 1 < e->e->planes ? cells : cells & ~(size_t)7, c = 0;
        for (; c < whole; c += 8) {
            size_t byte = bits[c / 64] >> c % 64 & 255;
            memcpy(to + c * unit, (const char *)table + byte * eight, eight);
        }
        if (c < cells)
            memcpy(to + c * unit, (const char *)table + (bits[c / 64] >> c % 64 & 255) * eight, (cells - c) * unit);
    }
}

static void put_planes(const env *e, const uint64_t *bits, int at, void *planes)
{
    size_t all = (size_t)(e->g->rows * e->g->cols) * (size_t)e->e->planes;
    if (e->floats)
        unpack(e, bits, (char *)((float *)planes + (size_t)at * all), e->floats8, sizeof(float));
    else
        unpack(e, bits, (char *)planes + (size_t)at * all, e->bytes, 1);
}

// Positions of these slots into the buffers.
static void show(env *e, const int *which, int n, scratch *w, void *planes, float *scalars)
{
    const game *g = e->g;
    const void *obs[AT_ONCE];
    const size_t words = (size_t)game_plane_words(g) * (size_t)e->e->planes, k = (size_t)e->e->scalars;
    if (planes == NULL && scalars == NULL) return;
    for (int i = 0; i < n; i++) {
        void *s = state_of(e, which[i]);
        char *seen = w->obs + (size_t)i * g->obs_size;
        obs[i] = g->observe == NULL ? s : seen;
        if (g->observe != NULL) g->observe(s, g->seat(s), seen);
    }
    e->e->encode(obs, n, w->bits, w->numbers);
    for (int i = 0; i < n; i++) {
        if (planes != NULL) put_planes(e, w->bits + (size_t)i * words, which[i], planes);
        if (scalars != NULL) memcpy(scalars + (size_t)which[i] * k, w->numbers + (size_t)i * k, k * sizeof *scalars);
    }
}

// --- one slot, one step

static void put_events(env *e, int i, const step_event *ev)
{
    if (e->to.events == NULL) return;
    int32_t *to = e->to.events + (size_t)i * ENV_EVENTS;
    const int32_t all[ENV_EVENTS] = {ev->chain, ev->points, ev->sent, ev->received, ev->frames, ev->all_clear};
    memcpy(to, all, sizeof all);
}

static void put_rewards(env *e, int i, const step_event *ev)
{
    if (e->to.rewards == NULL) return;
    const int seats = e->g->n_seats;
    float *to = e->to.rewards + (size_t)i * (size_t)seats;
    outcome o = {0};
    if (e->slots[i].n_legal == 0) o = e->g->result(state_of(e, i));
    for (int k = 0; k < seats; k++) to[k] = seats == 1 ? (float)ev->points : o.over ? 2 * o.score[k] - 1 : 0.0f;
}

static void put_end(env *e, int i, bool over, bool cut)
{
    if (e->to.terminated != NULL) e->to.terminated[i] = over;
    if (e->to.truncated != NULL) e->to.truncated[i] = cut;
    if (e->to.lengths != NULL) e->to.lengths[i] = e->slots[i].length;
}

static void step_slot(env *e, int i, scratch *w)
{
    slot *p = &e->slots[i];
    step_event ev = {0};
    play_one(e, i, e->moves[i] < 0 ? at_random(e, i, 0) : (move_t)e->moves[i], &ev, w);
    p->decided++;
    if (has_opponent(e)) answer(e, i, w);
    bool over = p->n_legal == 0, cut = !over && e->max_plies > 0 && p->decided >= e->max_plies;
    put_events(e, i, &ev);
    put_rewards(e, i, &ev);
    put_end(e, i, over, cut);
    if (!over && !cut) return;
    show(e, &i, 1, w, e->to.final_planes, e->to.final_scalars);
    do { // an opponent that moves first might end the game before the caller's first decision
        p->game += (uint64_t)e->n;
        begin(e, i, w);
    } while (p->n_legal == 0);
}

typedef struct job {
    env *e;
    int size; // slots per task
    bool step;
} job;

static void run_task(void *ctx, int task, int worker)
{
    const job *j = ctx;
    env *e = j->e;
    scratch *w = &e->work[worker];
    int first = task * j->size, end = first + j->size < e->n ? first + j->size : e->n;
    for (int at = first; at < end; at += AT_ONCE) {
        int which[AT_ONCE], n = end - at < AT_ONCE ? end - at : AT_ONCE;
        for (int k = 0; k < n; k++) {
            which[k] = at + k;
            if (j->step) {
                step_slot(e, at + k, w);
                continue;
            }
            begin(e, at + k, w);
            put_end(e, at + k, false, false);
            put_events(e, at + k, &(step_event){0});
            put_rewards(e, at + k, &(step_event){0});
        }
        for (int k = 0; k < n && e->to.seats != NULL; k++)
            e->to.seats[at + k] = (uint8_t)e->g->seat(state_of(e, at + k));
        show(e, which, n, w, e->to.planes, e->to.scalars);
    }
}

static err run_all(env *e, bool step)
{
    int tasks = pool_threads(e->threads) * TASKS_PER_THREAD, size = (e->n + tasks - 1) / tasks;
    if (size < TASK_LEAST) size = TASK_LEAST;
    atomic_store(&e->failed, false);
    pool_run(e->threads, (e->n + size - 1) / size, run_task, &(job){e, size, step});
    return atomic_load(&e->failed) ? err_set(ERR_IO, "%s", e->why) : ERR_OK;
}

err env_reset(env *e, const uint64_t *seed)
{
    if (seed != NULL) e->seed = *seed;
    for (int i = 0; i < e->n; i++) {
        slot *p = &e->slots[i];
        p->game = seed != NULL || !e->begun ? (uint64_t)i : p->game + (uint64_t)e->n;
        p->n_legal = 0;
    }
    e->begun = true;
    if (e->to.masks != NULL) memset(e->to.masks, 0, (size_t)e->n * (size_t)e->g->n_moves);
    return run_all(e, false);
}

static bool is_legal(env *e, int i, int32_t move)
{
    const move_t *list = list_of(e, i);
    int low = 0, high = e->slots[i].n_legal;
    while (low < high) { // ascending
        int mid = (low + high) / 2;
        if (list[mid] < move)
            low = mid + 1;
        else
            high = mid;
    }
    return low < e->slots[i].n_legal && list[low] == move;
}

err env_step(env *e, const int32_t *moves)
{
    for (int i = 0; i < e->n; i++) {
        if (e->slots[i].n_legal == 0) return err_set(ERR_USAGE, "reset the environment before the first step");
        if (moves[i] != -1 && !is_legal(e, i, moves[i]))
            return err_set(ERR_USAGE, "game %d: move %d is not legal here; nothing was played", i, (int)moves[i]);
    }
    e->moves = moves;
    return run_all(e, true);
}
