// The agent `afterstate`: values the resolved field behind each placement with a network that `keiko train puyo-solo` made.
//
// search=0 (default) takes the placement with the largest value: no lookahead at all, the chain of the placement itself apart. It
// fires when the network says so. search=N looks further for the `width` best of them: the visible pairs and then drawn ones
// are placed as the network would, N placements far, and the largest chain that can be fired on the way counts. All candidates
// see the same drawn pairs; after each round of them the worse half drops out (sequential halving, as in Gumbel search, but
// without its noise, for a player wants the best placement and not a sample). The network's own order counts as well: the
// score of a candidate is its value plus `trust` times the logarithm of the mean points.
#include "agents/agent.h"
#include "base/file.h"
#include "base/models.h"
#include "base/opt_rows.h"
#include "eval/puyo_after.h"
#include "nn/infer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANK, VALUE, OUTPUTS }; // of the network: compares placements; the chain to expect, which is not used here

typedef struct params {
    const char *model;
    int64_t search, width, samples;
    double trust;
} params;

typedef struct mind {
    nn_net *net;
    nn_plan *plan;
    nn_scratch *scratch;
    int code; // the encoding
    uint64_t *bits;
    float *scalars, *out; // [PY_MAX_LEGAL * PY_MAX_LEGAL] rows
} mind;

#define AT(field) offsetof(params, field)
static const opt opts[] = {
    ROW_FILE("model", AT(model), NULL, "Network: a weights file (.safetensors) or a name from keiko models",
             .required = true),
    ROW_INT("search", AT(search), "N", "0", 0, 24, "Placements to look ahead; 0 = the network alone"),
    ROW_INT("width", AT(width), "N", "8", 1, PY_MAX_LEGAL, "With search: placements that are looked into"),
    ROW_INT("samples", AT(samples), "N", "8", 1, 1024, "With search: drawn sequences of pairs per placement"),
    ROW_NUMBER("trust", AT(trust), "X", "4", 0, 1000,
               "With search: weight of what is found, beside the network's first opinion"),
};

// --- the network

static err read_net(mind *m, const char *model)
{
    char path[FILE_PATH];
    if (model == NULL || model[0] == 0) return err_set(ERR_USAGE, "afterstate needs a network: afterstate:model=FILE");
    err e = models_network(model, path, sizeof path);
    if (e == ERR_OK) e = nn_net_load(&m->net, path);
    if (e != ERR_OK) return e;
    m->code = after_fit(m->net);
    if (m->code < 0)
        return err_set(ERR_USAGE, "%s does not value Puyo afterstates: networks of keiko train puyo-solo do", path);
    return nn_plan_new(&m->plan, m->net, NULL);
}

static void after_close(agent *a)
{
    mind *m = a->mind;
    free(m->bits);
    free(m->scalars);
    free(m->out);
    nn_scratch_free(m->scratch);
    nn_plan_free(m->plan);
    nn_net_free(m->net);
    *m = (mind){0};
}

static err after_open(agent *a)
{
    const params *p = a->params;
    mind *m = a->mind;
    err e = read_net(m, p->model);
    if (e == ERR_OK) e = nn_scratch_new(&m->scratch, m->plan);
    if (e == ERR_OK) {
        size_t rows = PY_MAX_LEGAL * (size_t)(p->search > 0 ? PY_MAX_LEGAL : 1);
        m->bits = calloc(rows * AFTER_WORDS, sizeof *m->bits);
        m->scalars = calloc(rows * (size_t)after_scalars(m->code), sizeof *m->scalars);
        m->out = calloc(rows * OUTPUTS, sizeof *m->out);
        if (m->bits == NULL || m->scalars == NULL || m->out == NULL) e = err_set(ERR_MEMORY, "no memory for a player");
    }
    if (e != ERR_OK) after_close(a);
    return e;
}

static void put(mind *m, const after_position *p, const after_state *s, int row)
{
    after_encode(p, s, m->code, m->bits + (size_t)row * AFTER_WORDS,
                 m->scalars + (size_t)row * (size_t)after_scalars(m->code));
}

static void run_rows(mind *m, int n)
{
    nn_run(m->plan, m->scratch, n, m->bits, m->scalars, m->out);
}

// --- one placement

typedef struct choice {
    after_state state;
    double rank, sum; // sum: points over the futures
    int futures;
} choice;

// The placements, those that do not lose first, then by rank. Returns how many there are.
static int rank_all(mind *m, const after_position *p, choice *out)
{
    after_state s[PY_MAX_LEGAL];
    int n = after_states(p, s);
    for (int i = 0; i < n; i++) put(m, p, &s[i], i);
    run_rows(m, n);
    for (int i = 0; i < n; i++) {
        choice c = {.state = s[i], .rank = (double)m->out[i * OUTPUTS + RANK] - (s[i].lost ? 1e9 : 0)};
        int k = i;
        for (; k > 0 && c.rank > out[k - 1].rank; k--) out[k] = out[k - 1]; // equals keep their order
        out[k] = c;
    }
    return n;
}

// --- looking further

typedef struct line { // one candidate in one future
    after_position at;
    double points; // the largest chain that was or could have been fired
    bool done;
} line;

// The position behind a placement; `pair` comes into view.
static void follow(line *l, const after_state *s, uint8_t pair, rng *r)
{
    after_position *p = &l->at;
    int sends = s->points / PY_RATE, falls = p->incoming > sends ? p->incoming - sends : 0;
    int now = falls > PY_FALL_MAX ? PY_FALL_MAX : falls;
    if (s->points > l->points) l->points = s->points;
    p->field = s->field;
    if (now > 0) (void)py_nuisance_fall(&p->field, now, r);
    p->incoming = p->pending = (uint16_t)(falls - now);
    p->time = 0; // nobody knows what the other side does meanwhile
    memmove(p->pair, p->pair + 1, PY_SHOWN - 1);
    p->pair[PY_SHOWN - 1] = pair;
    if (p->left < AFTER_NO_END) p->left--;
    l->done = s->lost || py_buried(&p->field, p->lose) || p->left == 0 ||
              py_legal_mask(&p->field, p->pair[0], p->reach, p->lose) == 0;
}

// All lines place their next pair as the network would; the largest chain that this pair could fire counts, fired or not.
static void step_lines(mind *m, line *l, int n, uint8_t pair, const rng *luck)
{
    after_state s[PY_MAX_LEGAL][PY_MAX_LEGAL];
    int first[PY_MAX_LEGAL], count[PY_MAX_LEGAL], rows = 0;
    for (int i = 0; i < n; i++) {
        first[i] = rows;
        count[i] = l[i].done ? 0 : after_states(&l[i].at, s[i]);
        for (int k = 0; k < count[i]; k++) put(m, &l[i].at, &s[i][k], rows++);
    }
    if (rows == 0) return;
    run_rows(m, rows);
    for (int i = 0; i < n; i++) {
        int best = -1;
        const float *out = m->out + (size_t)first[i] * OUTPUTS;
        for (int k = 0; k < count[i]; k++) {
            if (s[i][k].points > l[i].points) l[i].points = s[i][k].points;
            if (!s[i][k].lost && (best < 0 || out[k * OUTPUTS + RANK] > out[best * OUTPUTS + RANK])) best = k;
        }
        if (best < 0) { // nothing to place, or every placement loses
            l[i].done = true;
            continue;
        }
        rng r = *luck;
        follow(&l[i], &s[i][best], pair, &r);
    }
}

static void one_future(agent *a, const after_position *p, choice *c, int n, uint32_t number, uint64_t *nodes)
{
    const params *o = a->params;
    mind *m = a->mind;
    line l[PY_MAX_LEGAL];
    // The same luck for all candidates.
    rng r = agent_rng(a);
    r = rng_at(rng_u64(&r), number, 0);
    for (int i = 0; i < n; i++) {
        l[i] = (line){.at = *p};
        rng luck = r;
        uint32_t x = rng_u32(&luck);
        follow(&l[i], &c[i].state, (uint8_t)((PY_RED + x % p->colours) | (PY_RED + x / p->colours % p->colours) << 4),
               &luck);
    }
    (void)rng_u32(&r);
    for (int d = 1; d <= o->search; d++) {
        uint32_t x = PY_RED + rng_below(&r, p->colours), y = PY_RED + rng_below(&r, p->colours);
        step_lines(m, l, n, (uint8_t)(x | y << 4), &r);
        *nodes += (uint64_t)n;
    }
    for (int i = 0; i < n; i++) {
        c[i].sum += l[i].points;
        c[i].futures++;
    }
}

static double score_of(const choice *c, double trust)
{
    return c->rank + trust * log(1 + c->sum / c->futures);
}

static void sort_by_score(choice *c, int n, double trust)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && score_of(&c[k], trust) > score_of(&c[k - 1], trust); k--) {
            choice t = c[k];
            c[k] = c[k - 1];
            c[k - 1] = t;
        }
}

static void search(agent *a, const after_position *p, choice *c, int n, uint64_t *nodes)
{
    const params *o = a->params;
    int alive = 0, rounds = 1;
    while (alive < n && alive < o->width && !c[alive].state.lost) alive++;
    for (int k = alive; k > 2; k = (k + 1) / 2) rounds++;
    uint32_t number = 0;
    for (; alive > 1 && !agent_stopped(a); alive = (alive + 1) / 2) {
        int64_t futures = (o->samples + rounds - 1) / rounds;
        for (int64_t i = 0; i < futures; i++) one_future(a, p, c, alive, number++, nodes);
        sort_by_score(c, alive, o->trust);
        if (alive == 2) break;
    }
}

static err after_choose(agent *a, const void *obs, agent_choice *out)
{
    const params *o = a->params;
    after_position p;
    choice c[PY_MAX_LEGAL];
    after_position_of(a->g, obs, a->seat, &p);
    int n = rank_all(a->mind, &p, c);
    if (n == 0) return err_set(ERR_USAGE, "the game is over");
    out->nodes = (uint64_t)n;
    if (o->search > 0) search(a, &p, c, n, &out->nodes);
    out->move = (move_t)c[0].state.move;
    out->depth = 1 + (int)o->search;
    if (c[0].state.points > 0)
        snprintf(out->text, sizeof out->text, "fires %d points", c[0].state.points);
    else if (c[0].futures > 0)
        snprintf(out->text, sizeof out->text, "expects %.0f points", c[0].sum / c[0].futures);
    return ERR_OK;
}

const agent_type agent_puyo_afterstate = {
    NAMED("afterstate", "puyo puyo-solo", "Values the field behind each placement with a network"),
    WITH_MIND(opts, params, mind, after_open, NULL, after_close),
    .choose = after_choose,
};
