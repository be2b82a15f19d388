// See perfect.h.
#include "learn/zero/perfect.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct perfect {
    const game *g;
    size_t n, most, open; // positions; of these not final
    char *state;          // [n][state_size]
    int8_t *value;        // [n] 1, 0, -1 for the seat to move; for seat 0 in a final position
    uint32_t *slot;       // hash table: 1 + index
    size_t slots;
};

size_t perfect_positions(const perfect *p)
{
    return p->open;
}

void perfect_free(perfect *p)
{
    if (p == NULL) return;
    FREE_ALL(p->state, p->value, p->slot, p);
}

static const void *state_at(const perfect *p, size_t i)
{
    return p->state + i * p->g->state_size;
}

static size_t find(const perfect *p, const void *s)
{
    size_t at = (size_t)rng_mix(p->g->hash(s)) & (p->slots - 1);
    while (p->slot[at] != 0 && memcmp(state_at(p, p->slot[at] - 1), s, p->g->state_size) != 0)
        at = (at + 1) & (p->slots - 1);
    return at;
}

// The exact value for the seat to move at `s` (seat 0 when the game is over).
static err solve(perfect *p, const void *s, int *value)
{
    const game *g = p->g;
    size_t at = find(p, s);
    if (p->slot[at] != 0) {
        *value = p->value[p->slot[at] - 1];
        return ERR_OK;
    }
    move_t *moves = malloc((size_t)g->max_legal * sizeof *moves);
    char *child = malloc(g->state_size);
    err e = moves != NULL && child != NULL ? ERR_OK : err_set(ERR_MEMORY, "no memory to solve %s", g->name);
    int n = e == ERR_OK ? g->legal(s, moves) : 0, best = -1, seat = g->seat(s);
    outcome o = g->result(s);
    if (o.over) best = (int)(2 * o.score[0] - 1);
    for (int i = 0; i < n && e == ERR_OK; i++) {
        int v;
        memcpy(child, s, g->state_size);
        g->play(child, moves[i], NULL);
        e = solve(p, child, &v);
        bool final = g->result(child).over;
        if (final ? seat == 1 : g->seat(child) != seat) v = -v;
        if (v > best) best = v;
    }
    free(moves);
    free(child);
    if (e == ERR_OK && p->n == p->most)
        e = err_set(ERR_LIMIT, "%s has more than %zu positions: too many to solve", g->name, p->most);
    if (e != ERR_OK) return e;
    memcpy(p->state + p->n * g->state_size, s, g->state_size);
    p->value[p->n++] = (int8_t)best;
    p->slot[find(p, s)] = (uint32_t)p->n;
    p->open += !o.over;
    *value = best;
    return ERR_OK;
}

err perfect_new(perfect **out, const game *g, size_t most)
{
    perfect *p = calloc(1, sizeof *p);
    if (p == NULL) return err_set(ERR_MEMORY, "no memory to solve %s", g->name);
    p->g = g;
    p->most = most;
    for (p->slots = 1024; p->slots < 2 * most;) p->slots *= 2;
    p->state = malloc(most * g->state_size);
    p->value = malloc(most);
    p->slot = calloc(p->slots, sizeof *p->slot);
    char *start = calloc(1, g->state_size);
    err e = p->state && p->value && p->slot && start ? g->init(start, "", (game_key){0, 0})
                                                     : err_set(ERR_MEMORY, "no memory to solve %s", g->name);
    int value;
    if (e == ERR_OK) e = solve(p, start, &value);
    free(start);
    return HAND_OVER(e, out, p, perfect_free);
}

// Does `m` keep the result of position i?
static bool keeps(const perfect *p, size_t i, move_t m, char *child)
{
    const game *g = p->g;
    const void *s = state_at(p, i);
    memcpy(child, s, g->state_size);
    g->play(child, m, NULL);
    int v = p->value[p->slot[find(p, child)] - 1];
    if (g->result(child).over ? g->seat(s) == 1 : g->seat(child) != g->seat(s)) v = -v;
    return v == p->value[i];
}

typedef struct asking { // one position at a time, as an evaluator's batch of one
    move_t *moves;
    float *logits, value;
    char *child;
} asking;

static err asking_make(asking *a, const game *g)
{
    a->moves = malloc((size_t)g->max_legal * sizeof *a->moves);
    a->logits = malloc((size_t)g->max_legal * sizeof *a->logits);
    a->child = malloc(g->state_size);
    return a->moves && a->logits && a->child ? ERR_OK : err_set(ERR_MEMORY, "no memory to look at %s", g->name);
}

static void asking_free(asking *a)
{
    FREE_ALL(a->moves, a->logits, a->child);
}

err perfect_raw(const perfect *p, evaluator *e, perfect_score *out)
{
    asking a = {0};
    perfect_score s = {0};
    err r = asking_make(&a, p->g);
    for (size_t i = 0; i < p->n && r == ERR_OK; i++) {
        const void *obs = state_at(p, i);
        const move_t *moves = a.moves;
        int n = p->g->legal(obs, a.moves), top = 0;
        if (n == 0) continue;
        r = evaluator_raw(e, &(mcts_batch){1, &obs, &moves, &n, &a.logits, &a.value, NULL});
        for (int k = 1; k < n; k++)
            if (a.logits[k] > a.logits[top]) top = k;
        s.positions++;
        s.right += keeps(p, i, a.moves[top], a.child);
        s.value_error += fabs((double)a.value - p->value[i]);
    }
    if (s.positions > 0) s.value_error /= (double)s.positions;
    asking_free(&a);
    if (r == ERR_OK) *out = s;
    return r;
}

err perfect_search(const perfect *p, evaluator *e, const mcts_options *o, uint64_t sims, perfect_score *out)
{
    mcts_options mo = *o;
    mcts_evaluator leaves = evaluator_mcts(e);
    mcts *m = NULL;
    perfect_score s = {0};
    mo.logits = evaluator_logits(e);
    char *child = malloc(p->g->state_size);
    err r = child != NULL ? mcts_new(p->g, &mo, &m) : err_set(ERR_MEMORY, "no memory to look at %s", p->g->name);
    for (size_t i = 0; i < p->n && r == ERR_OK; i++) {
        if (p->g->result(state_at(p, i)).over) continue;
        mcts_set_root(m, state_at(p, i), 0);
        mcts_run(m, &leaves, sims);
        s.positions++;
        s.right += keeps(p, i, mcts_choose(m), child);
        r = evaluator_check(e);
    }
    mcts_free(m);
    free(child);
    if (r == ERR_OK) *out = s;
    return r;
}
