// The agent `afterstate`: values the resolved field behind each placement with a network that `keiko train puyo-solo` made.
//
// search=0 (default) takes the placement with the largest value: no lookahead at all, the chain of the placement itself apart. It
// fires when the network says so. search=N looks further for the `width` best of them: the visible pairs and then drawn ones
// are placed as the network would, N placements far, and the largest chain that can be fired on the way counts. All candidates
// see the same drawn pairs; after each round of them the worse half drops out (sequential halving, as in Gumbel search, but
// without its noise, for a player wants the best placement and not a sample). The network's own order counts as well: the
// score of a candidate is its value plus `trust` times the logarithm of the mean points.
//
// The largest chain is not what wins a match. playouts=N plays matches on to their end in N futures, from the best placements of
// the above, the network choosing for both sides one placement deep (search/puyo/puyo_playout.h).
#include "agents/agent.h"
#include "base/file.h"
#include "base/models.h"
#include "base/opt_rows.h"
#include "eval/puyo_after.h"
#include "nn/infer.h"
#include "search/puyo/puyo_playout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANK, VALUE, OUTPUTS }; // of the network: compares placements; the chain to expect, which is not used here

typedef struct params {
    const char *model;
    int64_t search, width, samples, playouts;
    double trust;
} params;

typedef struct place { // a position whose placements are valued
    after_state state[PY_MAX_LEGAL];
    int n, row; // placements; the first one's row
} place;

typedef struct mind {
    nn_net *net;
    nn_plan *plan;
    nn_scratch *scratch;
    int code; // the encoding
    place *places;
    int n_places, n_rows;
    uint64_t *bits;
    float *scalars, *out; // [room for places * PY_MAX_LEGAL] rows
} mind;

#define AT(field) offsetof(params, field)
static const opt opts[] = {
    ROW_FILE("model", AT(model), NULL, "Network: a weights file (.safetensors) or a name from keiko models",
             .required = true),
    ROW_INT("search", AT(search), "N", "0", 0, 24, "Placements to look ahead; 0 = the network alone"),
    ROW_INT("width", AT(width), "N", "8", 1, PY_MAX_LEGAL, "With search: number of best placements to examine"),
    ROW_INT("samples", AT(samples), "N", "8", 1, 1024, "With search: drawn sequences of pairs per placement"),
    ROW_NUMBER("trust", AT(trust), "X", "4", 0, 1000,
               "With search: weight of the search result relative to the network's own value"),
    ROW_INT(
        "playouts", AT(playouts), "N", "0", 0, PUYO_PLAYOUT_FUTURES,
        "In matches, from the middle of the game on: play it out in N futures from each of the best placements, with "
        "the network on both sides, and take the one that wins most; 0 = never"),
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
    free(m->places);
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
        size_t room = p->playouts > 0 ? PUYO_PLAYOUT_TURNS : p->search > 0 ? PY_MAX_LEGAL : 1;
        size_t rows = room * PY_MAX_LEGAL;
        m->places = calloc(room, sizeof *m->places);
        m->bits = calloc(rows * AFTER_WORDS, sizeof *m->bits);
        m->scalars = calloc(rows * (size_t)after_scalars(m->code), sizeof *m->scalars);
        m->out = calloc(rows * OUTPUTS, sizeof *m->out);
        if (m->places == NULL || m->bits == NULL || m->scalars == NULL || m->out == NULL)
            e = err_set(ERR_MEMORY, "no memory for a player");
    }
    if (e != ERR_OK) after_close(a);
    return e;
}

// Positions are added one by one and valued together: rows of many positions are several times faster than those of one.
static void clear_places(mind *m)
{
    m->n_places = m->n_rows = 0;
}

static void add_place(mind *m, const after_position *p)
{
    place *to = &m->places[m->n_places++];
    to->row = m->n_rows;
    to->n = after_states(p, to->state);
    for (int i = 0; i < to->n; i++, m->n_rows++)
        after_encode(p, &to->state[i], m->code, m->bits + (size_t)m->n_rows * AFTER_WORDS,
                     m->scalars + (size_t)m->n_rows * (size_t)after_scalars(m->code));
}

static void value_places(mind *m)
{
    if (m->n_rows > 0) nn_run(m->plan, m->scratch, m->n_rows, m->bits, m->scalars, m->out);
}

static double rank_of(const mind *m, const place *p, int i)
{
    return (double)m->out[(size_t)(p->row + i) * OUTPUTS + RANK];
}

// -1: nothing to place, or every placement loses.
static int best_of(const mind *m, const place *p)
{
    int best = -1;
    for (int i = 0; i < p->n; i++)
        if (!p->state[i].lost && (best < 0 || rank_of(m, p, i) > rank_of(m, p, best))) best = i;
    return best;
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
    const place *at = m->places;
    clear_places(m);
    add_place(m, p);
    value_places(m);
    for (int i = 0; i < at->n; i++) {
        choice c = {.state = at->state[i], .rank = rank_of(m, at, i) - (at->state[i].lost ? 1e9 : 0)};
        int k = i;
        for (; k > 0 && c.rank > out[k - 1].rank; k--) out[k] = out[k - 1]; // equals keep their order
        out[k] = c;
    }
    return at->n;
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
    clear_places(m);
    for (int i = 0; i < n; i++)
        if (!l[i].done) add_place(m, &l[i].at);
    value_places(m);
    const place *at = m->places;
    for (int i = 0; i < n; i++) {
        if (l[i].done) continue;
        for (int k = 0; k < at->n; k++)
            if (at->state[k].points > l[i].points) l[i].points = at->state[k].points;
        int best = best_of(m, at);
        rng r = *luck;
        if (best < 0)
            l[i].done = true;
        else
            follow(&l[i], &at->state[best], pair, &r);
        at++;
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
        int main = PY_RED + (int)(x % p->colours), sub = PY_RED + (int)(x / p->colours % p->colours);
        follow(&l[i], &c[i].state, py_pair(main, sub), &luck);
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

// --- playing on

// The network plays for both sides, one placement deep.
static uint64_t choose_turns(void *ctx, const puyo_turn *turn, int n, int *move)
{
    agent *a = ctx;
    mind *m = a->mind;
    clear_places(m);
    for (int i = 0; i < n; i++) {
        after_position p;
        after_position_of(a->g, &turn[i].seen, turn[i].seat, &p);
        add_place(m, &p);
    }
    value_places(m);
    for (int i = 0; i < n; i++) {
        const place *at = &m->places[i];
        int best = best_of(m, at);
        move[i] = at->state[best < 0 ? 0 : best].move;
    }
    return (uint64_t)n;
}

// The serious choices: the best few in the order so far, the first of them what is played otherwise, and the largest chains.
static int list_choices(const choice *c, int n, int at[PUYO_PLAYOUT_MOVES])
{
    enum { BEST = 6, CHAINS = 2, LEAST = 6 * PY_RATE };
    int k = 0;
    while (k < n && k < BEST && !c[k].state.lost) at[k] = k, k++;
    const int first = k;
    for (int more = 0; more < CHAINS; more++) {
        int best = -1;
        for (int i = first; i < n; i++) {
            bool known = c[i].state.lost || c[i].state.points < LEAST;
            for (int j = 0; j < k; j++) known |= c[at[j]].state.points == c[i].state.points;
            if (!known && (best < 0 || c[i].state.points > c[best].state.points)) best = i;
        }
        if (best >= 0) at[k++] = best;
    }
    return k;
}

// Early in the game every choice wins as often as another.
static bool is_decisive(const after_position *p, const choice *first)
{
    enum { PUYOS = 36, NUISANCE = 5, POINTS = 10 * PY_RATE };
    return py_count(&p->field) >= PUYOS || p->incoming > NUISANCE || first->state.points >= POINTS;
}

// Moves the choice that wins most of the games to the front. Returns its share of them; -1 = none was played.
static double play_on(agent *a, const py_match *obs, choice *c, int n, uint64_t *nodes)
{
    const params *o = a->params;
    int at[PUYO_PLAYOUT_MOVES], moves[PUYO_PLAYOUT_MOVES], k = list_choices(c, n, at);
    if (k < 2) return -1;
    for (int i = 0; i < k; i++) moves[i] = c[at[i]].state.move;
    puyo_policy policy = {.ctx = a, .choose = choose_turns, .together = PUYO_PLAYOUT_TOGETHER};
    puyo_playout_limits l = {.futures = (int)o->playouts, .stop = agent_stop_of(a)};
    puyo_playout_result got;
    rng r = agent_rng(a);
    puyo_play_on(&policy, obs, a->seat, moves, k, l, &r, &got);
    *nodes += got.nodes;
    choice best = c[at[got.best]];
    c[at[got.best]] = c[0];
    c[0] = best;
    return got.futures > 0 ? got.share[got.best] : -1;
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
    double wins = -1;
    if (o->playouts > 0 && p.versus && is_decisive(&p, c)) wins = play_on(a, obs, c, n, &out->nodes);
    out->move = (move_t)c[0].state.move;
    out->depth = 1 + (int)o->search;
    if (wins >= 0)
        snprintf(out->text, sizeof out->text, "wins %.0f %% of the games played on", 100 * wins);
    else if (c[0].state.points > 0)
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
