// See replay_copy.h.
#include "learn/zero/replay_copy.h"

#include "learn/zero/replay_inner.h"

#include <stdlib.h>
#include <string.h>

struct replay_copy {
    const nn_backend *backend;
    nn_learner *learner;
    bool symmetries;
    uint64_t total; // samples that were fetched
};

// --- tables

// Where each square of the turned board comes from: every square is tried in all planes at once. What is found must also
// hold for random planes, since a game may do more than move squares.
static err find_cells(const samples_shape *sh, int sym, uint16_t *cell, uint64_t *in, uint64_t *out)
{
    const game *g = sh->g;
    int hw = g->rows * g->cols, words = game_plane_words(g), planes = sh->enc->planes;
    rng r = rng_at(1, (uint64_t)sym, 0xce11);
    for (int c = 0; c < hw; c++) {
        memset(in, 0, sh->bits * sizeof *in);
        for (int p = 0; p < planes; p++) in[p * words + c / 64] = (uint64_t)1 << c % 64;
        g->sym_planes(sym, sh->enc, in, out);
        for (int to = 0; to < hw; to++)
            if (out[to / 64] >> to % 64 & 1) cell[to] = (uint16_t)c;
    }
    for (int k = 0; k < 4; k++) {
        for (int p = 0; p < planes; p++)
            for (int c = 0; c < hw; c++) {
                uint64_t bit = (uint64_t)1 << c % 64, *word = &in[p * words + c / 64];
                *word = rng_below(&r, 2) ? *word | bit : *word & ~bit;
            }
        g->sym_planes(sym, sh->enc, in, out);
        for (int p = 0; p < planes; p++)
            for (int c = 0; c < hw; c++)
                if ((out[p * words + c / 64] >> c % 64 & 1) != (in[p * words + cell[c] / 64] >> cell[c] % 64 & 1))
                    return err_set(ERR_MISSING, "symmetry %d of %s does more than move squares", sym, g->name);
    }
    return ERR_OK;
}

static void find_places(const samples_shape *sh, int syms, uint16_t *place)
{
    const game *g = sh->g;
    for (int seat = 0; seat < g->n_seats; seat++)
        for (int sym = 0; sym < syms; sym++)
            for (int m = 0; m < g->n_moves; m++, place += g->n_heads) {
                move_t turned = sym == 0 ? (move_t)m : g->sym_move(sym, (move_t)m);
                samples_heads(sh, seat, &turned, 1, place);
            }
}

static void set_heads(const replay_draw_options *o, nn_window_shape *w)
{
    for (int h = 0; h < o->net->n_heads; h++) {
        const nn_head *k = &o->net->head[h];
        w->number[h] = -1;
        if (k->kind == NN_VALUE) w->number[h] = 0, w->scale[h] = o->value_scale;
        if (k->kind == NN_SCALAR && k->out == 1) w->number[h] = 1, w->scale[h] = o->margin_scale;
    }
}

err replay_tables_make(const samples_shape *sh, const replay_draw_options *o, nn_window_shape *out)
{
    const game *g = sh->g;
    int syms = o->symmetries ? g->n_syms : 1, hw = g->rows * g->cols;
    if (o->owner_scale > 0 || o->reply_scale > 0)
        return err_set(ERR_MISSING, "targets of --ownership and --reply are made on the host");
    if (nn_policy_heads(o->net) != g->n_heads)
        return err_set(ERR_MISSING, "the network has other policy heads than %s", g->name);
    nn_window_shape w = {.syms = syms, .kinds = g->n_seats, .moves = g->n_moves, .by_head = o->by_head};
    uint16_t *cell = calloc((size_t)(syms * hw), sizeof *cell);
    uint16_t *place = malloc((size_t)(g->n_seats * syms) * (size_t)(g->n_moves * g->n_heads) * sizeof *place);
    uint64_t *bits = malloc(2 * sh->bits * sizeof *bits);
    err e = cell != NULL && place != NULL && bits != NULL ? ERR_OK : err_set(ERR_MEMORY, "no memory for a window");
    for (int c = 0; c < hw && e == ERR_OK; c++) cell[c] = (uint16_t)c;
    for (int s = 1; s < syms && e == ERR_OK; s++) {
        memset(bits, 0, 2 * sh->bits * sizeof *bits);
        e = find_cells(sh, s, cell + s * hw, bits, bits + sh->bits);
    }
    if (e == ERR_OK) find_places(sh, syms, place);
    set_heads(o, &w);
    free(bits);
    w.cell = cell;
    w.place = place;
    if (e == ERR_OK)
        *out = w;
    else
        replay_tables_free(&w);
    return e;
}

void replay_tables_free(nn_window_shape *w)
{
    free((void *)w->cell); // made by replay_tables_make; const for everybody else
    free((void *)w->place);
    w->cell = w->place = NULL;
}

nn_packed replay_packed(const samples *s)
{
    return (nn_packed){.n = s->n,
                       .bits = s->bits,
                       .scalars = s->scalars,
                       .number = {s->value, s->margin},
                       .kind = s->seat,
                       .start = s->start,
                       .move = s->move,
                       .prob = s->prob};
}

// --- the copy

err replay_copy_new(replay_copy **out, const nn_backend *b, nn_learner *l, const samples_shape *sh, uint64_t most,
                    size_t bytes, const replay_draw_options *o)
{
    nn_window_shape w;
    if (b->window_new == NULL) return err_set(ERR_MISSING, "the backend '%s' keeps no window", b->name);
    err e = replay_tables_make(sh, o, &w);
    if (e != ERR_OK) return e;
    w.samples = most;
    w.bytes = bytes;
    e = b->window_new(l, &w);
    replay_tables_free(&w);
    if (e != ERR_OK) return e;
    replay_copy *c = calloc(1, sizeof *c);
    if (c == NULL) {
        b->window_free(l);
        return err_set(ERR_MEMORY, "no memory for a window");
    }
    *c = (replay_copy){.backend = b, .learner = l, .symmetries = o->symmetries};
    *out = c;
    return ERR_OK;
}

void replay_copy_free(replay_copy *c)
{
    if (c == NULL) return;
    c->backend->window_free(c->learner);
    free(c);
}

err replay_copy_follow(replay_copy *c, const replay *r)
{
    err e = ERR_OK;
    uint64_t oldest = replay_oldest(r);
    for (int i = 0; i < r->n && e == ERR_OK; i++) {
        const block *k = &r->block[i];
        uint64_t end = k->first + k->s.n;
        if (end <= c->total || end <= oldest) continue; // blocks are fetched whole
        nn_packed s = replay_packed(&k->s);
        e = c->backend->window_add(c->learner, k->first, &s);
        if (e == ERR_OK) c->total = end;
    }
    return e;
}

err replay_copy_step(replay_copy *c, const replay *r, uint64_t seed, uint64_t step, int n, float lr,
                     replay_batch *picks, nn_step_report *report)
{
    err e = replay_pick(r, seed, step, n, c->symmetries, picks);
    nn_picks p = {n, picks->pick, picks->sym};
    return e == ERR_OK ? c->backend->window_step(c->learner, &p, lr, report) : e;
}
