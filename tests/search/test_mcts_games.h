// What the tests of search/mcts share: three small games of their own, evaluators, and a plain reference search.
//
//   four    connect four on a board 5 wide and 4 high (four in a row win), with an option for two moves per turn, so that
//           the seat does not change at every ply
//   wide    some 150 of 300 numbers may be named at each ply, for six plies; the winner is a hash of what was said. Its
//           state is larger than what a tree stores in each node, so positions are replayed
//   lots    a hidden number decides who wins, and which answers are legal: the smallest game that hides something
#ifndef KEIKO_TESTS_MCTS_GAMES_H
#define KEIKO_TESTS_MCTS_GAMES_H

#include "games/game.h"
#include "search/mcts/mcts.h"
#include "test.h"

#include <math.h>

// --- four: column moves; bit y*5+x, y = 0 the bottom row

enum { FOUR_W = 5, FOUR_H = 4, FOUR_CELLS = FOUR_W * FOUR_H };

typedef struct four {
    uint32_t stones[2];
    uint32_t ply;
    uint32_t twice; // 0: seats alternate. 1: one move first, then two moves per turn
} four;

static inline bool four_line(uint32_t s)
{
    static const int dx[4] = {1, 0, 1, -1}, dy[4] = {0, 1, 1, 1};
    for (int y = 0; y < FOUR_H; y++)
        for (int x = 0; x < FOUR_W; x++)
            for (int d = 0; d < 4; d++) {
                int n = 0;
                for (int k = 0; k < 4; k++) {
                    int u = x + k * dx[d], v = y + k * dy[d];
                    if (u < 0 || u >= FOUR_W || v >= FOUR_H) break;
                    n += (int)(s >> (v * FOUR_W + u) & 1);
                }
                if (n == 4) return true;
            }
    return false;
}

static inline err four_init(void *s, const char *options, game_key k)
{
    (void)k;
    *(four *)s = (four){.twice = strcmp(options, "twice") == 0};
    return ERR_OK;
}

static inline int four_seat(const void *s)
{
    const four *f = s;
    return f->twice ? (int)((f->ply + 1) / 2 % 2) : (int)(f->ply % 2);
}

static inline outcome four_result(const void *s)
{
    const four *f = s;
    if (four_line(f->stones[0])) return (outcome){true, REASON_LINE, {1, 0}};
    if (four_line(f->stones[1])) return (outcome){true, REASON_LINE, {0, 1}};
    if (f->ply == FOUR_CELLS) return (outcome){true, REASON_FULL, {0.5f, 0.5f}};
    return (outcome){0};
}

static inline int four_legal(const void *s, move_t *out)
{
    const four *f = s;
    int n = 0;
    if (four_result(s).over) return 0;
    for (int x = 0; x < FOUR_W; x++)
        if (((f->stones[0] | f->stones[1]) >> ((FOUR_H - 1) * FOUR_W + x) & 1) == 0) out[n++] = (move_t)x;
    return n;
}

static inline void four_play(void *s, move_t m, step_event *ev)
{
    four *f = s;
    int y = 0;
    while ((f->stones[0] | f->stones[1]) >> (y * FOUR_W + m) & 1) y++;
    f->stones[four_seat(s)] |= 1u << (y * FOUR_W + m);
    f->ply++;
    if (ev != NULL) *ev = (step_event){0};
}

static inline uint64_t four_hash(const void *s)
{
    const four *f = s;
    return rng_mix(rng_mix((uint64_t)f->stones[0] << 32 | f->stones[1]) + ((uint64_t)f->ply << 1 | f->twice));
}

static inline int four_move_print(const void *obs, move_t m, char *buf, size_t n)
{
    (void)obs;
    return snprintf(buf, n, "%c", 'a' + m);
}

static const game game_four = {
    .name = "four",
    .state_size = sizeof(four),
    .obs_size = sizeof(four),
    .n_seats = 2,
    .n_moves = FOUR_W,
    .max_legal = FOUR_W,
    .init = four_init,
    .seat = four_seat,
    .legal = four_legal,
    .play = four_play,
    .result = four_result,
    .hash = four_hash,
    .move_print = four_move_print,
};

// --- wide

typedef struct wide {
    uint64_t said;
    uint32_t ply, unused[15];
} wide;

static inline err wide_init(void *s, const char *options, game_key k)
{
    (void)options, (void)k;
    *(wide *)s = (wide){0};
    return ERR_OK;
}

static inline int wide_seat(const void *s)
{
    return (int)(((const wide *)s)->ply % 2);
}

static inline outcome wide_result(const void *s)
{
    const wide *w = s;
    if (w->ply < 6) return (outcome){0};
    float first = (float)(rng_mix(w->said) % 3) / 2;
    return (outcome){true, REASON_PLIES, {first, 1 - first}};
}

static inline int wide_legal(const void *s, move_t *out)
{
    const wide *w = s;
    int n = 0;
    for (uint64_t i = 0; i < 300 && w->ply < 6; i++)
        if (i == 0 || rng_mix(w->said * 300 + i) & 1) out[n++] = (move_t)i;
    return n;
}

static inline void wide_play(void *s, move_t m, step_event *ev)
{
    wide *w = s;
    w->said = rng_mix(w->said * 300 + m);
    w->ply++;
    if (ev != NULL) *ev = (step_event){0};
}

static inline uint64_t wide_hash(const void *s)
{
    return rng_mix(((const wide *)s)->said);
}

static const game game_wide = {
    .name = "wide",
    .state_size = sizeof(wide),
    .obs_size = sizeof(wide),
    .n_seats = 2,
    .n_moves = 300,
    .max_legal = 300,
    .init = wide_init,
    .seat = wide_seat,
    .legal = wide_legal,
    .play = wide_play,
    .result = wide_result,
    .hash = wide_hash,
    .move_print = four_move_print,
};

// --- lots: seat 0 bets on "low" (0: the number is 0 … 5 of 0 … 9) or "high" (1), so low is worth 0.6·1 - 0.4·1 = +0.2.
// Then seat 1 answers. With an odd number it may double (2) or fold (3), with an even one only fold (3) or wait (4);
// folding gives the game away. With number 9 the game ends before the answer.

typedef struct lots {
    uint8_t number, stage, bet, answer;
} lots;

static inline err lots_init(void *s, const char *options, game_key k)
{
    (void)options;
    rng r = rng_at(k.run, k.game, 0);
    *(lots *)s = (lots){.number = (uint8_t)rng_below(&r, 10)};
    return ERR_OK;
}

static inline int lots_seat(const void *s)
{
    return ((const lots *)s)->stage == 1;
}

static inline outcome lots_result(const void *s)
{
    const lots *l = s;
    if (l->stage == 0 || (l->stage == 1 && l->number != 9)) return (outcome){0};
    bool first = (l->bet == 0) == (l->number < 6) || l->answer == 3;
    return (outcome){true, REASON_PLIES, {first, !first}};
}

static inline int lots_legal(const void *s, move_t *out)
{
    const lots *l = s;
    if (lots_result(s).over) return 0;
    out[0] = (move_t)(l->stage == 0 ? 0 : l->number % 2 ? 2 : 3);
    out[1] = (move_t)(out[0] + 1);
    return 2;
}

static inline void lots_play(void *s, move_t m, step_event *ev)
{
    lots *l = s;
    if (l->stage++ == 0)
        l->bet = (uint8_t)m;
    else
        l->answer = (uint8_t)m;
    if (ev != NULL) *ev = (step_event){0};
}

static inline uint64_t lots_hash(const void *s)
{
    uint32_t x;
    memcpy(&x, s, sizeof x);
    return rng_mix(x);
}

static inline void lots_observe(const void *s, int seat, void *obs)
{
    (void)seat;
    *(lots *)obs = *(const lots *)s;
    ((lots *)obs)->number = 255;
}

static inline void lots_sample(const void *obs, rng *r, void *s)
{
    *(lots *)s = *(const lots *)obs;
    ((lots *)s)->number = (uint8_t)rng_below(r, 10);
}

static const game game_lots = {
    .name = "lots",
    .flags = G_HIDDEN | G_CHANCE,
    .state_size = sizeof(lots),
    .obs_size = sizeof(lots),
    .n_seats = 2,
    .n_moves = 5,
    .max_legal = 5,
    .init = lots_init,
    .seat = lots_seat,
    .legal = lots_legal,
    .play = lots_play,
    .result = lots_result,
    .hash = lots_hash,
    .observe = lots_observe,
    .sample = lots_sample,
    .move_print = four_move_print,
};

// --- evaluators. `calls` and `positions` count; `g` is needed by those that look at the position.

typedef struct judge {
    const game *g;
    int calls, positions, largest; // the largest batch
    float value;                   // what constant_eval answers
    uint64_t salt;
} judge;

static inline void count_batch(judge *j, const mcts_batch *b)
{
    j->calls++;
    j->positions += b->n;
    if (b->n > j->largest) j->largest = b->n;
}

static inline void constant_eval(void *ctx, const mcts_batch *b)
{
    judge *j = ctx;
    count_batch(j, b);
    for (int i = 0; i < b->n; i++) {
        for (int k = 0; k < b->n_moves[i]; k++) b->priors[i][k] = 1.0f;
        b->values[i] = j->value;
    }
}

static inline float unit_of(uint64_t x)
{
    return (float)(rng_mix(x) >> 40) * 0x1p-24f;
}

// A fixed pseudo-random opinion of every position: a function of its hash alone.
static inline void opinion(const game *g, uint64_t salt, const void *obs, const move_t *moves, int n, float *priors,
                           float *value)
{
    uint64_t h = g->hash(obs) + salt;
    *value = 1.6f * unit_of(h) - 0.8f;
    for (int k = 0; k < n; k++) {
        float u = unit_of(h ^ (uint64_t)(moves[k] + 1) * 0x9e3779b97f4a7c15u);
        priors[k] = u * u;
    }
}

static inline void random_eval(void *ctx, const mcts_batch *b)
{
    judge *j = ctx;
    for (int i = 0; i < b->n; i++)
        opinion(j->g, j->salt, b->obs[i], b->moves[i], b->n_moves[i], b->priors[i], &b->values[i]);
}

static inline void counted_random_eval(void *ctx, const mcts_batch *b)
{
    count_batch(ctx, b);
    random_eval(ctx, b);
}

static inline void silent_eval(void *ctx, const mcts_batch *b)
{
    (void)ctx, (void)b;
}

// --- trees

static inline mcts *tree(const game *g, const mcts_options *o)
{
    mcts *m = NULL;
    assert_ok(mcts_new(g, o, &m));
    return m;
}

static inline void assert_sound(const mcts *m)
{
    const char *fault = mcts_fault(m);
    if (fault[0] != 0) fail_msg("the tree has %s", fault);
}

// A position `plies` random moves from the start (fewer if the game ends: then the last one that is not over).
static inline int random_position(const game *g, const char *options, uint64_t seed, int plies, void *s)
{
    rng r = rng_at(seed, 77, 0);
    char before[256];
    move_t moves[512];
    assert_true(g->state_size <= sizeof before && g->max_legal <= 512);
    assert_ok(g->init(s, options, (game_key){seed, 0}));
    int ply = 0;
    for (; ply < plies; ply++) {
        int n = g->legal(s, moves);
        memcpy(before, s, g->state_size);
        g->play(s, moves[rng_below(&r, (uint32_t)n)], NULL);
        if (g->legal(s, moves) == 0) {
            memcpy(s, before, g->state_size);
            break;
        }
    }
    return ply;
}

// The value of a position for the seat to move, by looking at everything.
static inline int minimax(const game *g, const void *s)
{
    move_t moves[64];
    int n = g->legal(s, moves), seat = g->seat(s), best = -2;
    if (n == 0) fail();
    for (int i = 0; i < n && best < 1; i++) {
        char t[256];
        memcpy(t, s, g->state_size);
        g->play(t, moves[i], NULL);
        outcome o = g->result(t);
        int v = o.over ? (int)(o.score[seat] - o.score[!seat]) : g->seat(t) == seat ? minimax(g, t) : -minimax(g, t);
        if (v > best) best = v;
    }
    return best;
}

// --- the reference: PUCT as one would write it down, one leaf at a time, a node for every edge, no table, no solver

typedef struct ref_node {
    double w;
    uint32_t n;
    int n_moves, seat;
    bool open;
    float prior; // of the move that leads here
    float value;
    move_t move;
    struct ref_node *child; // [n_moves]
} ref_node;

typedef struct ref {
    const game *g;
    float c, fpu_value;
    mcts_fpu fpu;
    uint64_t salt;
} ref;

static inline float ref_open(const ref *r, ref_node *nd, const void *s)
{
    move_t moves[512];
    float priors[512], sum = 0;
    nd->open = true;
    nd->n_moves = r->g->legal(s, moves);
    nd->seat = r->g->seat(s);
    if (nd->n_moves == 0) return 0;
    nd->child = calloc((size_t)nd->n_moves, sizeof *nd->child);
    opinion(r->g, r->salt, s, moves, nd->n_moves, priors, &nd->value);
    for (int i = 0; i < nd->n_moves; i++) sum += priors[i];
    for (int i = 0; i < nd->n_moves; i++) {
        nd->child[i].prior = priors[i] * (1.0f / sum);
        nd->child[i].move = moves[i];
    }
    return nd->value;
}

// One simulation; returns the value for seat 0.
static inline double ref_simulate(const ref *r, ref_node *nd, void *s)
{
    double v;
    outcome o = r->g->result(s);
    if (o.over) {
        v = o.score[0] - o.score[1];
        nd->seat = 0;
    } else if (!nd->open) {
        v = ref_open(r, nd, s);
        if (nd->seat == 1) v = -v;
    } else {
        float mass = 0, best = -INFINITY;
        for (int i = 0; i < nd->n_moves; i++)
            if (nd->child[i].n > 0) mass += nd->child[i].prior;
        float fpu = r->fpu == MCTS_FPU_ZERO    ? 0.0f
                    : r->fpu == MCTS_FPU_FIXED ? r->fpu_value
                                               : (float)(nd->w / nd->n) - r->fpu_value * sqrtf(mass);
        ref_node *at = NULL;
        for (int i = 0; i < nd->n_moves; i++) {
            ref_node *c = &nd->child[i];
            float q = c->n == 0 ? fpu : c->seat == nd->seat ? (float)(c->w / c->n) : -(float)(c->w / c->n);
            float score = q + r->c * sqrtf((float)nd->n) * c->prior / (1.0f + (float)c->n);
            if (score > best) best = score, at = c;
        }
        r->g->play(s, at->move, NULL);
        v = ref_simulate(r, at, s);
    }
    nd->n++;
    nd->w += nd->seat == 0 ? v : -v;
    return v;
}

static inline void ref_free(ref_node *nd)
{
    for (int i = 0; i < nd->n_moves && nd->child != NULL; i++) ref_free(&nd->child[i]);
    free(nd->child);
}

#endif
