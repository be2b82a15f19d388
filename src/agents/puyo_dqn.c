// The agent `dqn`: plays versus Puyo by the Q-values of a network that `keiko train puyo` made.
//
// search=0 takes the largest Q. search=1, as networks are trained, looks one placement ahead: its reward and position are exact
// (puyo_lookahead.h), and what follows is the largest Q there; the rewards are those the network was trained with, which
// its file notes. search=2 (default) does so for the next pair too, from the `width` best placements on. Agents of one process
// that use the same file share the weights.
#include "agents/agent.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/models.h"
#include "base/opt_rows.h"
#include "eval/eval.h"
#include "nn/dist.h"
#include "nn/infer.h"
#include "search/puyo/puyo_lookahead.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct params {
    const char *model;
    int64_t search, width;
} params;

// Weights in use, a list of files: opened once, closed with the last agent.
typedef struct weights {
    char path[FILE_PATH];
    nn_net *net;
    nn_plan *plan;
    const encoding *code;
    puyo_reward_weights rewards;
    double gamma, scale;
    nn_dist dist;
    int users;
    struct weights *next;
} weights;

typedef struct mind {
    weights *w;
    nn_scratch *scratch;
    puyo_ahead *ahead; // [levels][PY_MAX_LEGAL]
    uint64_t *bits;
    float *scalars, *q; // [PY_MAX_LEGAL][…]; q: the outputs, then in place the values [PY_MOVES]
} mind;

#define AT(field) offsetof(params, field)
static const opt opts[] = {
    ROW_FILE("model", AT(model), "puyo-dqn.safetensors",
             "Network: a weights file (.safetensors) or a name from keiko models"),
    ROW_INT("search", AT(search), "N", "2", 0, 2, "Placements to look ahead; 0 = the network alone"),
    ROW_INT("width", AT(width), "N", "12", 1, PY_MAX_LEGAL, "search=2: placements expanded to the second step"),
};

// --- weights

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static weights *opened;

static err note_number(const char *note, const char *key, double low, double high, double *out)
{
    char text[64], *end;
    if (!eval_note(note, key, text, sizeof text)) return ERR_OK; // keeps its default
    double v = strtod(text, &end);
    if (end == text || !(v >= low && v <= high)) return err_set(ERR_PARSE, "its note says %s = %s", key, text);
    *out = v;
    return ERR_OK;
}

static err weights_read(weights *w, const game *g)
{
    char rewards[2048] = "shaped";
    char name[32] = "", kind[32];
    err e = nn_net_load(&w->net, w->path);
    if (e == ERR_OK && w->net->note != NULL) eval_note(w->net->note, "encoding", name, sizeof name);
    if (e == ERR_OK && w->net->note != NULL && eval_note(w->net->note, "game", kind, sizeof kind) &&
        strcmp(kind, g->name) != 0)
        return err_set(ERR_USAGE, "%s: this network was trained for %s, not for %s", w->path, kind, g->name);
    if (e == ERR_OK) e = err_prefix(game_encoding(g, name, &w->code), "%s", w->path);
    if (e != ERR_OK) return e;
    const encoding *c = w->code;
    const nn_desc *d = &w->net->desc;
    if (d->n_heads != 1 || d->head[0].kind != NN_DUEL || d->head[0].out != PY_MOVES || d->planes != c->planes ||
        d->scalars != c->scalars || d->rows != g->rows || d->cols != g->cols)
        return err_set(ERR_USAGE, "%s gives no Q-values of Puyo's %d placements", w->path, PY_MOVES);
    const char *note = w->net->note == NULL ? "" : w->net->note;
    w->gamma = 0.99;
    w->scale = 0.1;
    eval_note(note, "rewards", rewards, sizeof rewards);
    e = puyo_rewards_parse(rewards, &w->rewards);
    if (e == ERR_OK) e = note_number(note, "gamma", 0, 1, &w->gamma);
    if (e == ERR_OK) e = note_number(note, "reward_scale", 1e-6, 1e6, &w->scale);
    snprintf(kind, sizeof kind, "none");
    eval_note(note, "distribution", kind, sizeof kind);
    w->dist.support = 3;
    if (e == ERR_OK) e = nn_dist_parse(kind, &w->dist.kind);
    if (e == ERR_OK) e = note_number(note, "support", 1e-6, 1e6, &w->dist.support);
    if (e == ERR_OK && (w->dist.kind == NN_DIST_NONE) != (nn_atoms(&d->head[0]) == 1))
        e = err_set(ERR_PARSE, "its note says distribution = %s, and its head has %d atoms", kind,
                    nn_atoms(&d->head[0]));
    if (e == ERR_OK) e = nn_plan_new(&w->plan, w->net, NULL);
    return err_prefix(e, "%s", w->path);
}

static void weights_free(weights *w)
{
    nn_plan_free(w->plan);
    nn_net_free(w->net);
    free(w);
}

static err weights_open(weights **out, const game *g, const char *model)
{
    char path[FILE_PATH];
    err e = models_network(model, path, sizeof path);
    if (e != ERR_OK) return e;
    pthread_mutex_lock(&lock);
    weights *w = opened;
    while (w != NULL && strcmp(w->path, path) != 0) w = w->next;
    if (w == NULL) {
        w = calloc(1, sizeof *w);
        if (w == NULL) e = err_set(ERR_MEMORY, "no memory for a network");
        if (e == ERR_OK) memcpy(w->path, path, sizeof path);
        if (e == ERR_OK) e = weights_read(w, g);
        if (e == ERR_OK) {
            w->next = opened;
            opened = w;
        } else if (w != NULL) {
            weights_free(w);
            w = NULL;
        }
    }
    if (w != NULL) w->users++;
    pthread_mutex_unlock(&lock);
    if (e == ERR_OK) *out = w;
    return e;
}

static void weights_release(weights *w)
{
    if (w == NULL) return;
    pthread_mutex_lock(&lock);
    if (--w->users == 0) {
        weights **at = &opened;
        while (*at != w) at = &(*at)->next;
        *at = w->next;
        weights_free(w);
    }
    pthread_mutex_unlock(&lock);
}

// --- the agent

static void dqn_close(agent *a)
{
    mind *m = a->mind;
    FREE_ALL(m->ahead, m->bits, m->scalars, m->q);
    nn_scratch_free(m->scratch);
    weights_release(m->w);
}

static err dqn_open(agent *a)
{
    const params *p = a->params;
    mind *m = a->mind;
    err e = weights_open(&m->w, a->g, p->model);
    if (e == ERR_OK) e = nn_scratch_new(&m->scratch, m->w->plan);
    if (e == ERR_OK) {
        const nn_desc *d = &m->w->net->desc;
        size_t n = PY_MAX_LEGAL;
        m->ahead = calloc((size_t)(p->search > 0 ? p->search : 1) * n, sizeof *m->ahead);
        m->bits = calloc(n * nn_in_bits(d), sizeof *m->bits);
        m->scalars = calloc(n * (size_t)d->scalars, sizeof *m->scalars);
        m->q = calloc(n * (size_t)nn_out_size(d), sizeof *m->q);
        if (m->ahead == NULL || m->bits == NULL || m->scalars == NULL || m->q == NULL)
            e = err_set(ERR_MEMORY, "no memory for a player");
    }
    if (e != ERR_OK) dqn_close(a);
    return e;
}

// The largest legal Q at each of n positions, all seen by `seat`.
static void best_values(agent *a, int seat, const py_match *const *at, int n, double *value, int *move)
{
    mind *m = a->mind;
    m->w->code->encode((const void *const *)at, n, m->bits, m->scalars);
    nn_run(m->w->plan, m->scratch, n, m->bits, m->scalars, m->q);
    nn_dist_means(&m->w->dist, nn_atoms(&m->w->net->desc.head[0]), n * PY_MOVES, m->q, m->q);
    for (int i = 0; i < n; i++) {
        const py_side *s = &at[i]->side[seat];
        const float *q = m->q + (size_t)i * PY_MOVES;
        int best = -1;
        for (uint32_t mask = py_legal_mask(&s->field, s->window[0], at[i]->reach, at[i]->lose); mask != 0;
             mask &= mask - 1) {
            int k = __builtin_ctz(mask);
            if (best < 0 || q[k] > q[best]) best = k;
        }
        value[i] = best < 0 ? 0 : (double)q[best];
        move[i] = best;
    }
}

typedef struct choice {
    int move;
    double value; // in the network's units, discounted rewards to come
} choice;

// Best first by reward + gamma * value. Returns how many there are.
static int look(agent *a, const py_match *state, int seat, const puyo_moment *now, puyo_ahead *ahead, choice *out)
{
    const mind *m = a->mind;
    const py_match *at[PY_MAX_LEGAL];
    double value[PY_MAX_LEGAL];
    int move[PY_MAX_LEGAL], where[PY_MAX_LEGAL], alive = 0;
    int n = puyo_look_ahead(state, seat, now, &m->w->rewards, m->w->gamma, ahead);
    for (int i = 0; i < n; i++)
        if (!ahead[i].over) where[alive] = i, at[alive++] = &ahead[i].after;
    best_values(a, seat, at, alive, value, move);
    for (int i = 0; i < n; i++) out[i] = (choice){i, m->w->scale * ahead[i].reward};
    for (int k = 0; k < alive; k++) out[where[k]].value += m->w->gamma * value[k];
    for (int i = 1; i < n; i++) // insertion: a few dozen, and equals keep their order
        for (int k = i; k > 0 && out[k].value > out[k - 1].value; k--) {
            choice t = out[k];
            out[k] = out[k - 1];
            out[k - 1] = t;
        }
    return n;
}

static choice search(agent *a, const py_match *state, int seat, int depth, uint64_t *nodes)
{
    const params *p = a->params;
    mind *m = a->mind;
    puyo_moment now;
    choice first[PY_MAX_LEGAL], then[PY_MAX_LEGAL];
    puyo_moment_of(state, &now);
    int n = look(a, state, seat, &now, m->ahead, first);
    *nodes += (uint64_t)n;
    choice best = {m->ahead[first[0].move].move, first[0].value};
    for (int i = 0; depth > 1 && i < n && i < p->width; i++) {
        const puyo_ahead *x = &m->ahead[first[i].move];
        double value = m->w->scale * x->reward;
        if (!x->over) {
            int k = look(a, &x->after, seat, &x->moment, m->ahead + PY_MAX_LEGAL, then);
            *nodes += (uint64_t)k;
            if (k > 0) value += m->w->gamma * then[0].value;
        }
        if (i == 0 || value > best.value) best = (choice){x->move, value};
    }
    return best;
}

static err dqn_choose(agent *a, const void *obs, agent_choice *out)
{
    const params *p = a->params;
    const mind *m = a->mind;
    const py_match *match = obs;
    const py_side *me = &match->side[a->seat];
    choice c;
    if (py_legal_mask(&me->field, me->window[0], match->reach, match->lose) == 0)
        return err_set(ERR_USAGE, "the game is over");
    out->nodes = 1;
    if (p->search == 0) {
        best_values(a, a->seat, &match, 1, &c.value, &c.move);
    } else {
        rng r = agent_rng(a);
        py_match state;
        py_match_sample(match, &r, &state);
        c = search(a, &state, a->seat, (int)p->search, &out->nodes);
    }
    out->move = (move_t)c.move;
    out->depth = (int)p->search + 1;
    // Shaped rewards leave the potential out of Q; with it, -most to most is a match lost to a match won.
    double most = m->w->scale * 10 * m->w->rewards.win, all = c.value;
    puyo_moment now;
    puyo_moment_of(match, &now);
    all += m->w->scale * m->w->rewards.shaping * puyo_phi(&now, a->seat, &m->w->rewards);
    if (most > 0) out->value = (float)fmin(1, fmax(0, 0.5 + 0.5 * all / most));
    snprintf(out->text, sizeof out->text, "expects %+.2f of %.1f", all, most);
    return ERR_OK;
}

const agent_type agent_puyo_dqn = {
    NAMED("dqn", "puyo", "Plays by a network's Q-values, trained by self-play"),
    WITH_MIND(opts, params, mind, dqn_open, NULL, dqn_close),
    .choose = dqn_choose,
};
