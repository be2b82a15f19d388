// The referee, and many of him at once. See match.h.
//
// A worker takes some games at a time, plays them with agents of its own and hands the finished records over together, so
// that a fast game costs a lock only now and then. Agents are opened when a worker first needs them and kept until the end.
#include "arena/match.h"

#include "arena/schedule.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/stop.h"
#include "base/text.h"
#include "search/endgame.h"
#include "search/mcts/mcts.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRAIN_MOST = 64, DETAIL = 200 };

static const char *const own_reasons[] = {"cap", "adjudicated", "resigned", "failed"};

const char *match_reason_name(int why)
{
    int own = why - MATCH_CAP;
    return own >= 0 && own < (int)(sizeof own_reasons / sizeof *own_reasons) ? own_reasons[own] : reason_name(why);
}

const char *match_reason_words(int why)
{
    return why == REASON_NONE ? reason_words(why) : match_reason_name(why);
}

int match_reason_find(const char *name)
{
    for (int i = 0; i < REASON_COUNT; i++)
        if (strcmp(reason_name(i), name) == 0) return i;
    for (int i = MATCH_CAP; i <= MATCH_FAILED; i++)
        if (strcmp(match_reason_name(i), name) == 0) return i;
    return -1;
}

// What a worker owns.
typedef struct table {
    agent **players; // [n_players], NULL until needed
    char *state, *obs;
    move_t *legal;
    match_record records[GRAIN_MOST];
    char detail[GRAIN_MOST][DETAIL];
    move_t *moves; // of all records, one after the other
    size_t n_moves, room_moves;
} table;

typedef struct match {
    const match_options *o;
    match_plan *plan;
    match_done *done;
    void *ctx;
    uint64_t n;
    int grain;
    pool *pool;
    table *tables;
    endgame *solver; // NULL: games are played to their end
    _Atomic bool halt;
    pthread_mutex_t lock; // guards what follows
    err_first failed;
} match;

static void give_up(match *m, err e)
{
    pthread_mutex_lock(&m->lock);
    err_keep(&m->failed, e);
    pthread_mutex_unlock(&m->lock);
    atomic_store(&m->halt, true);
    pool_cancel(m->pool);
}

static err push_move(table *t, move_t move)
{
    if (!GROW(t->moves, t->n_moves, t->room_moves)) return err_set(ERR_MEMORY, "no memory for the moves of a game");
    t->moves[t->n_moves++] = move;
    return ERR_OK;
}

static err player_of(match *m, table *t, int worker, int i, agent **out)
{
    const match_player *p = &m->o->players[i];
    err e = ERR_OK;
    if (t->players[i] == NULL)
        e = p->open != NULL ? p->open(p->ctx, m->o->g, worker, &t->players[i])
                            : agent_open(&t->players[i], m->o->g, p->spec);
    *out = t->players[i];
    return err_prefix(e, "player '%s'", p->name);
}

// What a seat may know of the state; where nothing is hidden, the state itself.
static const void *seen(const match *m, const table *t, int seat)
{
    if (m->o->g->observe == NULL) return t->state;
    m->o->g->observe(t->state, seat, t->obs);
    return t->obs;
}

static bool legal_now(const match *m, const table *t, move_t move)
{
    int n = m->o->g->legal(t->state, t->legal);
    for (int i = 0; i < n; i++)
        if (t->legal[i] == move) return true;
    return false;
}

static void tell(const match *m, const table *t, agent *const who[2], move_t move)
{
    for (int i = 0; i < 2; i++)
        if (who[i]->type->saw != NULL) agent_saw(who[i], seen(m, t, i), move);
}

// Wall and CPU time of each choice. Reading the CPU clock is expensive (some microseconds), so it is read after long choices only; a
// short one is taken to have had the processor all the time.
typedef struct stopwatch {
    double wall, cpu; // when they were read last
    double assumed;   // CPU time of short choices since then
} stopwatch;

#define LONG_CHOICE 1e-4 // seconds

static stopwatch stopwatch_start(void)
{
    return (stopwatch){.wall = clock_seconds(), .cpu = clock_thread_cpu_seconds()};
}

static void stopwatch_split(stopwatch *w, match_side *side)
{
    double now = clock_seconds(), took = now - w->wall;
    w->wall = now;
    side->seconds += took;
    if (took < LONG_CHOICE) {
        side->cpu += took;
        w->assumed += took;
        return;
    }
    double cpu = clock_thread_cpu_seconds(), used = cpu - w->cpu - w->assumed;
    if (used > 0) side->cpu += used;
    w->cpu = cpu;
    w->assumed = 0;
}

// What agents have used in other processes: taken away at the beginning of a game, added at its end.
static void outside_cpu(agent *const who[2], match_record *r, double sign)
{
    for (int i = 0; i < 2; i++) {
        if (who[i]->type->cpu != NULL) r->side[i].cpu += sign * who[i]->type->cpu(who[i]);
        if (sign > 0 && r->side[i].cpu < 0) r->side[i].cpu = 0; // ticks of a process that has ended
    }
}

typedef struct resigning {
    int low[2], high[2]; // own moves in a row with so low, or so high, a value
} resigning;

// True when the seat that just chose has given the game up, and the other agrees.
static bool resigns(const match_rules *r, resigning *g, int seat, float value)
{
    if (r->resign_moves <= 0) return false;
    bool low = value >= 0 && (double)value <= r->resign, high = (double)value >= 1.0 - r->resign;
    g->low[seat] = low ? g->low[seat] + 1 : 0;
    g->high[seat] = high ? g->high[seat] + 1 : 0;
    return g->low[seat] >= r->resign_moves && g->high[!seat] >= r->resign_moves;
}

static void lost_by(match_record *r, int seat, int why)
{
    r->halves = seat == 0 ? 0 : 2;
    r->reason = (uint8_t)why;
}

static err begin_game(match *m, table *t, match_record *r, agent *const who[2])
{
    const match_options *o = m->o;
    game_key own = {o->seed, r->what.opening}, theirs = {rng_mix(o->seed), r->what.id};
    memset(t->state, 0, o->g->state_size);
    err e = o->g->init(t->state, o->settings == NULL ? "" : o->settings, own);
    for (int i = 0; e == ERR_OK && i < 2; i++) agent_begin(who[i], theirs, i);
    const opening *line = openings_at(o->set, r->what.opening);
    for (int i = 0; e == ERR_OK && i < line->plies; i++) {
        if (!legal_now(m, t, line->moves[i])) // chance may forbid what a file of openings has
            return err_set(ERR_PARSE, "opening %u, move %d is not legal in game %llu", r->what.opening % o->set->n + 1,
                           i + 1, (unsigned long long)r->what.id + 1);
        tell(m, t, who, line->moves[i]);
        o->g->play(t->state, line->moves[i], NULL);
        e = push_move(t, line->moves[i]);
        r->plies++;
    }
    r->opening_plies = r->plies;
    return e;
}

// Is it over by the rules of the game, or of the match? Fills in the result.
static bool ended(match *m, table *t, match_record *r)
{
    const match_rules *rules = &m->o->rules;
    outcome now = m->o->g->result(t->state);
    if (now.over) {
        r->halves = (uint8_t)(2.0f * now.score[0] + 0.5f);
        r->reason = now.reason;
        return true;
    }
    int proof = m->solver != NULL ? endgame_prove(m->solver, t->state) : MCTS_UNPROVEN;
    if (proof != MCTS_UNPROVEN) {
        int own = proof - MCTS_LOSS; // half points of the seat to move
        r->halves = (uint8_t)(m->o->g->seat(t->state) == 0 ? own : 2 - own);
        r->reason = MATCH_ADJUDICATED;
        return true;
    }
    if (r->plies < MATCH_MAX_PLIES && (rules->max_plies <= 0 || r->plies < rules->max_plies)) return false;
    r->halves = 1;
    r->reason = MATCH_CAP;
    return true;
}

// The sentence of a failure holds words of another program: control characters are made visible before anybody prints it.
static void keep_detail(char *detail, const char *sentence)
{
    text_buf t = {0};
    text_append_safe(&t, sentence, false);
    snprintf(detail, DETAIL, "%s", text_str(&t));
    text_free(&t);
}

// The moves of a game that has begun.
static err play_moves(match *m, table *t, match_record *r, char *detail, agent *const who[2])
{
    const game *g = m->o->g;
    const bool timed = !m->o->no_clock;
    resigning giving = {0};
    stopwatch watch = {0};
    err e = ERR_OK;
    if (timed) watch = stopwatch_start();
    while (e == ERR_OK && !ended(m, t, r)) {
        if (stop_requested() || atomic_load_explicit(&m->halt, memory_order_relaxed)) return ERR_STOPPED;
        int seat = g->seat(t->state);
        agent_choice c;
        err chosen = agent_choose(who[seat], seen(m, t, seat), &c);
        if (timed) stopwatch_split(&watch, &r->side[seat]);
        r->side[seat].choices++;
        r->side[seat].nodes += c.nodes;
        if (chosen != ERR_OK && stop_requested()) return chosen;
        if (chosen == ERR_MEMORY || chosen == ERR_MISSING) return chosen; // not the fault of a player
        if (chosen == ERR_OK && !legal_now(m, t, c.move)) chosen = err_set(ERR_USAGE, "illegal move %d", (int)c.move);
        if (chosen != ERR_OK && c.resigns) {
            lost_by(r, seat, MATCH_RESIGNED);
            return ERR_OK;
        }
        if (chosen != ERR_OK) {
            keep_detail(detail, err_text());
            r->failed = (uint8_t)seat;
            lost_by(r, seat, MATCH_FAILED);
            return ERR_OK;
        }
        if (resigns(&m->o->rules, &giving, seat, c.value)) {
            lost_by(r, seat, MATCH_RESIGNED);
            return ERR_OK;
        }
        tell(m, t, who, c.move);
        g->play(t->state, c.move, NULL);
        e = push_move(t, c.move);
        r->plies++;
    }
    return e;
}

// One game. ERR_STOPPED: given up on request; the record is void.
static err play_game(match *m, table *t, match_record *r, char *detail, agent *const who[2])
{
    const bool timed = !m->o->no_clock;
    if (timed) outside_cpu(who, r, -1);
    err e = begin_game(m, t, r, who);
    if (e == ERR_OK) e = play_moves(m, t, r, detail, who);
    if (timed) outside_cpu(who, r, 1);
    return e;
}

static void hand_over(match *m, table *t, int n)
{
    size_t at = 0;
    for (int i = 0; i < n; i++) { // the moves may have moved while they grew
        t->records[i].moves = t->moves + at;
        at += t->records[i].plies;
    }
    if (n > 0 && !m->done(m->ctx, t->records, n)) {
        atomic_store(&m->halt, true);
        pool_cancel(m->pool);
    }
    t->n_moves = 0;
}

static void some_games(void *ctx, int task, int worker)
{
    match *m = ctx;
    table *t = &m->tables[worker];
    uint64_t from = (uint64_t)task * (uint64_t)m->grain, to = from + (uint64_t)m->grain;
    int n = 0;
    err e = ERR_OK;
    if (to > m->n) to = m->n;
    for (uint64_t i = from; i < to && e == ERR_OK; i++) {
        if (stop_requested()) pool_cancel(m->pool);
        if (stop_requested() || atomic_load_explicit(&m->halt, memory_order_relaxed)) break;
        match_record *r = &t->records[n];
        agent *who[2];
        *r = (match_record){.detail = t->detail[n]};
        t->detail[n][0] = 0;
        if (!m->plan(m->ctx, i, &r->what)) continue;
        for (int s = 0; s < 2 && e == ERR_OK; s++) e = player_of(m, t, worker, r->what.player[s], &who[s]);
        if (e == ERR_OK) e = play_game(m, t, r, t->detail[n], who);
        if (e == ERR_OK) n++;
    }
    hand_over(m, t, n);
    if (e != ERR_OK && e != ERR_STOPPED) give_up(m, e);
}

err match_rules_check(const game *g, const match_rules *r)
{
    if (r->adjudicate > 0 && !endgame_exists(g))
        return err_set(ERR_USAGE, "%s endings cannot be adjudicated: the game has no exact solver", g->name);
    if (r->adjudicate > MATCH_ADJUDICATE)
        return err_set(ERR_USAGE, "endings are adjudicated from at most %d empty squares", MATCH_ADJUDICATE);
    return ERR_OK;
}

static err set_up(match *m)
{
    const match_options *o = m->o;
    const game *g = o->g;
    if (g->n_seats != 2) return err_set(ERR_USAGE, "%s has one seat: there is nobody to play against", g->name);
    err e = match_rules_check(g, &o->rules);
    if (e != ERR_OK) return e;
    // Long runs of short games: some at a time, but never so many that threads wait for the last one.
    uint64_t grain = o->grain > 0 ? (uint64_t)o->grain : m->n / (64 * (uint64_t)pool_threads(m->pool));
    m->grain = (int)(grain < 1 ? 1 : grain > GRAIN_MOST ? GRAIN_MOST : grain);
    if (m->n / (uint64_t)m->grain >= INT32_MAX) return err_set(ERR_LIMIT, "too many games in one match");
    m->tables = calloc((size_t)pool_threads(m->pool), sizeof *m->tables);
    if (m->tables == NULL) return err_set(ERR_MEMORY, "no memory for the match");
    for (int i = 0; i < pool_threads(m->pool); i++) {
        table *t = &m->tables[i];
        t->players = calloc((size_t)o->n_players, sizeof *t->players);
        t->state = calloc(1, g->state_size);
        t->obs = calloc(1, g->obs_size);
        t->legal = calloc((size_t)g->max_legal, sizeof *t->legal);
        if (t->players == NULL || t->state == NULL || t->obs == NULL || t->legal == NULL)
            return err_set(ERR_MEMORY, "no memory for the match");
    }
    return endgame_new(&m->solver, g, o->rules.adjudicate);
}

static void tear_down(match *m)
{
    for (int i = 0; m->tables != NULL && i < pool_threads(m->pool); i++) {
        table *t = &m->tables[i];
        for (int k = 0; t->players != NULL && k < m->o->n_players; k++) agent_close(t->players[k]);
        FREE_ALL(t->players, t->state, t->obs, t->legal, t->moves);
    }
    free(m->tables);
    endgame_free(m->solver);
    pool_free(m->pool);
    pthread_mutex_destroy(&m->lock);
}

err match_run(const match_options *o, uint64_t n, match_plan *plan, match_done *done, void *ctx)
{
    match m = {.o = o, .plan = plan, .done = done, .ctx = ctx, .n = n};
    pthread_mutex_init(&m.lock, NULL);
    m.pool = pool_new(o->threads);
    err e = m.pool == NULL ? err_set(ERR_MEMORY, "no memory for the threads") : set_up(&m);
    if (e == ERR_OK) {
        bool all = pool_run(m.pool, (int)((n + (uint64_t)m.grain - 1) / (uint64_t)m.grain), some_games, &m);
        if (m.failed.code != ERR_OK)
            e = err_repeat(&m.failed);
        else if (stop_requested())
            e = stop_check();
        else if (!all || atomic_load(&m.halt))
            e = err_set(ERR_STOPPED, "the match was stopped before its end");
    }
    tear_down(&m);
    return e;
}

// --- pairs into results

typedef struct pairing {
    const schedule *s;
    uint8_t *halves; // of each game's first player
} pairing;

static bool pairs_plan(void *ctx, uint64_t i, match_game *out)
{
    const pairing *p = ctx;
    *out = schedule_game(p->s, i);
    return true;
}

static bool pairs_done(void *ctx, const match_record *r, int n)
{
    pairing *p = ctx;
    for (int i = 0; i < n; i++) p->halves[r[i].what.id] = r[i].halves; // a game's own byte: no lock needed
    return true;
}

err match_pairs(results *out, const match_options *o, int pairs)
{
    results r = {0};
    schedule s;
    err e = schedule_make(&s, SCHEDULE_ROUND_ROBIN, o->n_players, 2 * (uint64_t)pairs);
    if (e != ERR_OK) return e;
    pairing p = {.s = &s, .halves = calloc(s.n + 1, 1)};
    if (p.halves == NULL) e = err_set(ERR_MEMORY, "no memory for %d pairs", pairs);
    for (int i = 0; e == ERR_OK && i < o->n_players; i++) {
        int at;
        e = roster_add(&r.who, o->players[i].name, &at);
        if (e == ERR_OK && at != i) e = err_set(ERR_USAGE, "two players are called '%s'", o->players[i].name);
    }
    if (e == ERR_OK) e = match_run(o, s.n, pairs_plan, pairs_done, &p);
    for (uint64_t i = 0; e == ERR_OK && i < s.n; i++) {
        match_game g = schedule_game(&s, i);
        e = results_add(&r, g.player[0], g.player[1], p.halves[i], g.pair);
    }
    free(p.halves);
    schedule_free(&s);
    if (e != ERR_OK)
        results_free(&r);
    else
        *out = r;
    return e;
}
