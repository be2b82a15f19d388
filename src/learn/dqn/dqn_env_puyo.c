// Versus Puyo as an environment for the DQN learner. The rules, observations and rewards are those of games/ and search/;
// here they only meet: which moments a seat's reward lies between, and when the terms of a field must be computed anew.
#include "games/puyo/puyo_encode.h"
#include "learn/dqn/dqn_env.h"
#include "search/puyo/puyo_lookahead.h"

#include <stdlib.h>
#include <string.h>

extern const game game_puyo;

enum { STREAM_LOOK = 0x100c };

typedef struct lane {
    py_match m;
    uint64_t game;              // number of the match within the run
    puyo_moment now, before[2]; // now; at each seat's last decision
    uint32_t chain[2], longest[2];
    float cluster[2];
    uint8_t decided[2]; // has the seat decided anything in this match?
    uint8_t unused[6];
    double part[2][PUYO_REWARD_COUNT]; // each seat's rewards of this match
} lane;

_Static_assert((int)PUYO_REWARD_COUNT <= (int)DQN_PARTS, "a view has room for every component");

typedef struct env {
    const encoding *code;
    py_match empty; // a match with the options set, before its pairs are drawn
    puyo_reward_weights rewards;
    double gamma;
    bool terms, clusters, paired;
    uint64_t seed;
    int n;
    lane *lanes;
} env;

static uint64_t number(const env *e, const lane *l)
{
    return e->paired ? l->game / 2 : l->game;
}

static void begin(env *e, lane *l)
{
    py_match *m = &l->m;
    *m = e->empty;
    py_queue_init(&m->queue, m->queue.kind, m->queue.colours, e->seed, number(e, l));
    for (uint32_t i = 0; i < PY_SHOWN; i++) m->side[0].window[i] = m->side[1].window[i] = py_queue_get(&m->queue, i);
    memset(l->chain, 0, sizeof l->chain);
    memset(l->longest, 0, sizeof l->longest);
    memset(l->cluster, 0, sizeof l->cluster);
    memset(l->decided, 0, sizeof l->decided);
    memset(l->part, 0, sizeof l->part);
    memset(&l->now, 0, sizeof l->now);
    if (e->terms) puyo_moment_of(m, &l->now);
}

static void env_close(void *env_)
{
    env *e = env_;
    if (e == NULL) return;
    free(e->lanes);
    free(e);
}

static err env_open(void **out, const void *options, int lanes, uint64_t seed)
{
    const dqn_puyo_options *o = options;
    env *e = calloc(1, sizeof *e);
    if (e == NULL) return err_set(ERR_MEMORY, "no memory for matches");
    e->n = lanes;
    e->seed = seed;
    e->gamma = o->gamma;
    e->paired = o->paired;
    err r = py_match_options(&e->empty, o->options == NULL ? "" : o->options);
    if (r == ERR_OK) r = game_encoding(&game_puyo, o->encoding, &e->code);
    const char *rewards = o->rewards == NULL ? "shaped" : o->rewards;
    if (strcmp(rewards, "none") == 0) rewards = "shaped:shaping=0";
    if (r == ERR_OK) r = puyo_rewards_parse(rewards, &e->rewards);
    if (r == ERR_OK && (e->lanes = calloc((size_t)lanes, sizeof *e->lanes)) == NULL)
        r = err_set(ERR_MEMORY, "no memory for %d matches", lanes);
    if (r != ERR_OK) {
        env_close(e);
        return r;
    }
    e->terms = puyo_rewards_need_terms(&e->rewards);
    e->clusters = e->rewards.position != 0 || e->rewards.cluster != 0;
    for (int i = 0; i < lanes; i++) {
        e->lanes[i].game = (uint64_t)i;
        begin(e, &e->lanes[i]);
    }
    *out = e;
    return ERR_OK;
}

static dqn_shape env_shape(const void *env_)
{
    const env *e = env_;
    const encoding *c = e->code;
    return (dqn_shape){c->planes, PY_GHOST, PY_COLS, c->scalars, PY_MOVES, 2};
}

static void env_show(void *env_, int from, int to, dqn_view *v)
{
    enum { BATCH = 64 };
    env *e = env_;
    const encoding *c = e->code;
    size_t words = (size_t)c->planes * PY_PLANE_WORDS, scalars = (size_t)c->scalars;
    for (int at = from; at < to; at += BATCH) {
        const void *obs[BATCH]; // a state without a viewer is encoded for the seat to decide, and shows nothing hidden
        int n = to - at < BATCH ? to - at : BATCH;
        for (int i = 0; i < n; i++) {
            const py_match *m = &e->lanes[at + i].m;
            obs[i] = m;
            v->seat[at + i] = (uint8_t)py_match_seat(m);
            v->mask[at + i] = py_match_legal(m);
        }
        c->encode(obs, n, v->bits + (size_t)at * words, v->scalars + (size_t)at * scalars);
    }
}

static float reward_of(const env *e, lane *l, int seat)
{
    puyo_step s = {.before = &l->before[seat],
                   .after = &l->now,
                   .me = seat,
                   .chain = (int)l->chain[seat],
                   .cluster = l->cluster[seat],
                   .gamma = e->gamma,
                   .w = &e->rewards};
    double part[PUYO_REWARD_COUNT];
    float sum = (float)puyo_reward_total(&s, part);
    for (int k = 0; k < PUYO_REWARD_COUNT; k++) l->part[seat][k] += part[k];
    return sum;
}

static void finish(env *e, lane *l, int at, outcome o, dqn_view *v)
{
    v->end[at] = o.reason == REASON_PLIES ? DQN_CUT : DQN_OVER;
    for (int s = 0; s < 2; s++) {
        v->last[at][s] = l->decided[s] ? reward_of(e, l, s) : 0;
        v->score[at][s] = o.score[s];
        v->stat[at][s] = (float)l->longest[s];
        for (int k = 0; k < PUYO_REWARD_COUNT; k++) v->parts[(2 * at + s) * DQN_PARTS + k] = (float)l->part[s][k];
    }
    l->game += (uint64_t)e->n;
    begin(e, l);
}

static void env_step(void *env_, int from, int to, const uint8_t *action, dqn_view *v)
{
    env *e = env_;
    for (int at = from; at < to; at++) {
        lane *l = &e->lanes[at];
        py_match *m = &l->m, old;
        step_event ev[2];
        int mover = py_match_seat(m);
        l->before[mover] = l->now;
        l->decided[mover] = 1;
        l->chain[mover] = 0;
        if (e->clusters) l->cluster[mover] = puyo_cluster(&m->side[mover].field, action[at], m->side[mover].window[0]);
        if (e->terms) old = *m;
        py_match_play(m, action[at], ev);
        for (int s = 0; s < 2; s++)
            if (ev[s].chain > 0) {
                l->chain[s] = (uint32_t)ev[s].chain;
                if (l->chain[s] > l->longest[s]) l->longest[s] = l->chain[s];
            }
        outcome o = py_match_result(m);
        if (e->terms)
            puyo_moment_next(m, &old, &l->now, &l->now);
        else
            puyo_moment_totals(m, &l->now);
        v->end[at] = DQN_GOES_ON;
        v->reward[at] = 0;
        if (o.over) {
            finish(e, l, at, o, v);
        } else {
            int seat = py_match_seat(m);
            if (l->decided[seat]) v->reward[at] = reward_of(e, l, seat);
        }
    }
    env_show(env_, from, to, v);
}

static void env_observe(const void *env_, int at, void *obs, game_key *key)
{
    const env *e = env_;
    const lane *l = &e->lanes[at];
    py_match_observe(&l->m, py_match_seat(&l->m), obs);
    *key = (game_key){e->seed, number(e, l)};
}

// What is hidden is drawn anew, so that looking ahead knows no more than a player does.
static int env_look(const void *env_, int at, uint8_t *action, float *reward, uint32_t *mask, uint64_t *bits,
                    float *scalars)
{
    const env *e = env_;
    const lane *l = &e->lanes[at];
    const encoding *c = e->code;
    int seat = py_match_seat(&l->m);
    uint32_t turn = l->m.side[0].placed + l->m.side[1].placed;
    rng r = rng_at(rng_mix(e->seed ^ STREAM_LOOK), l->game, turn * 2 + (uint32_t)seat);
    py_match obs, state;
    puyo_ahead ahead[PY_MAX_LEGAL];
    py_match_observe(&l->m, seat, &obs);
    py_match_sample(&obs, &r, &state);
    int n = puyo_look_ahead(&state, seat, &l->now, &e->rewards, e->gamma, ahead);
    for (int i = 0; i < n; i++) {
        const py_match *m = &ahead[i].after;
        const void *one = m;
        const py_side *a = &m->side[seat];
        action[i] = (uint8_t)ahead[i].move;
        reward[i] = (float)ahead[i].reward;
        mask[i] = ahead[i].over ? 0 : py_legal_mask(&a->field, a->window[0], m->reach, m->lose);
        c->encode(&one, 1, bits + (size_t)i * (size_t)c->planes * PY_PLANE_WORDS,
                  scalars + (size_t)i * (size_t)c->scalars);
    }
    return n;
}

// Colours have no meaning: any renaming of the four gives a position of the same worth with the same best actions.
static void env_vary(const void *env_, rng *r, int n, uint64_t *const *bits, float *const *scalars)
{
    enum { COLOURS = 4, SIDE_SCALARS = PY_SHOWN * PY_PAIR_SCALARS + 5 };
    const env *e = env_;
    if (e->code != &game_puyo.encodings[0]) return; // it has named them already
    uint32_t to[COLOURS] = {0, 1, 2, 3};
    rng_shuffle_u32(r, to, COLOURS);
    for (int k = 0; k < n; k++) {
        for (int f = 0; f < 2; f++) {
            uint64_t was[COLOURS][PY_PLANE_WORDS], *field = bits[k] + f * PY_FIELD_PLANES * PY_PLANE_WORDS;
            memcpy(was, field, sizeof was);
            for (int c = 0; c < COLOURS; c++) memcpy(field + to[c] * PY_PLANE_WORDS, was[c], sizeof was[c]);
        }
        for (int side = 0; side < 2; side++)
            for (int p = 0; p < 2 * PY_SHOWN; p++) {
                float was[COLOURS], *puyo = scalars[k] + side * SIDE_SCALARS + p * COLOURS;
                memcpy(was, puyo, sizeof was);
                for (int c = 0; c < COLOURS; c++) puyo[to[c]] = was[c];
            }
    }
}

static const char *env_part(const void *env_, int k)
{
    const env *e = env_;
    return k < PUYO_REWARD_COUNT && puyo_reward_weight(&e->rewards, k) != 0 ? puyo_reward_name(k) : NULL;
}

static void *env_lane(void *env_, int at, size_t *size)
{
    env *e = env_;
    *size = sizeof(lane);
    return &e->lanes[at];
}

const dqn_env_type dqn_env_puyo = {
    .name = "puyo",
    .g = &game_puyo,
    .open = env_open,
    .close = env_close,
    .shape = env_shape,
    .show = env_show,
    .step = env_step,
    .observe = env_observe,
    .look = env_look,
    .vary = env_vary,
    .part = env_part,
    .lane = env_lane,
};
