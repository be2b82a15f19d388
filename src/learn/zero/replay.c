// See replay.h: the window and drawing from it. replay_file.c has the disk.
#include "base/memory.h"
#include "learn/zero/replay_inner.h"

#include <stdlib.h>
#include <string.h>

err replay_new(replay **out, const samples_shape *sh, const replay_options *o)
{
    replay *r = calloc(1, sizeof *r);
    if (r == NULL) return err_set(ERR_MEMORY, "no memory for a replay buffer");
    r->sh = sh;
    r->o = *o;
    *out = r;
    return ERR_OK;
}

void replay_free(replay *r)
{
    if (r == NULL) return;
    for (int i = 0; i < r->n; i++) samples_free(&r->block[i].s);
    free(r->block);
    free(r);
}

uint64_t replay_total(const replay *r)
{
    return r->total;
}

uint64_t replay_window(const replay *r)
{
    double w = r->o.share * (double)r->total;
    uint64_t want = w < (double)r->o.least ? r->o.least : w > (double)r->o.most ? r->o.most : (uint64_t)w;
    return want < r->total ? want : r->total;
}

uint64_t replay_oldest(const replay *r)
{
    return r->total - replay_window(r);
}

size_t replay_bytes(const replay *r)
{
    size_t sum = 0;
    for (int i = 0; i < r->n; i++) sum += samples_bytes(&r->block[i].s, r->sh);
    return sum;
}

void replay_forget_old(replay *r)
{
    uint64_t oldest = replay_oldest(r);
    int gone = 0;
    while (gone < r->n && gone < r->saved && r->block[gone].first + r->block[gone].s.n <= oldest)
        samples_free(&r->block[gone++].s);
    memmove(r->block, r->block + gone, (size_t)(r->n - gone) * sizeof *r->block);
    r->n -= gone;
    r->saved -= gone;
}

err replay_add(replay *r, samples *s)
{
    if (s->n == 0) return ERR_OK;
    if (!GROW(r->block, r->n, r->room)) {
        samples_free(s);
        return err_set(ERR_MEMORY, "no memory for the replay buffer");
    }
    r->block[r->n++] = (block){r->total, *s};
    r->total += s->n;
    *s = (samples){0};
    if (!r->o.on_disk) r->saved = r->n; // nothing will be written: what leaves the window may go at once
    replay_forget_old(r);
    return ERR_OK;
}

// --- drawing

static const block *block_of(const replay *r, uint64_t number)
{
    int low = 0, high = r->n - 1;
    while (low < high) {
        int mid = (low + high + 1) / 2;
        if (r->block[mid].first <= number)
            low = mid;
        else
            high = mid - 1;
    }
    return &r->block[low];
}

#define RESIZE(p, n)                                                                                                   \
    do {                                                                                                               \
        void *grown_ = realloc((p), (n) * sizeof *(p) + 1);                                                            \
        if (grown_ == NULL) return err_set(ERR_MEMORY, "no memory for a training batch");                              \
        (p) = grown_;                                                                                                  \
    } while (0)

static err make_room(const replay *r, replay_batch *b, size_t n, bool by_head)
{
    const game *g = r->sh->g;
    size_t cells = (size_t)(g->rows * g->cols);
    if (r->sh->owners > 0 && n > b->owner_room) {
        RESIZE(b->owner, n * cells);
        RESIZE(b->owner_mask, n * cells);
        b->owner_room = n;
    }
    if (r->sh->reply && n > b->reply_room) {
        for (int h = 0; h < g->n_heads; h++) RESIZE(b->reply[h], n * (size_t)g->head_dim[h]);
        b->reply_room = n;
    }
    if (n > b->n_room) {
        RESIZE(b->bits, n * r->sh->bits);
        RESIZE(b->scalars, n * (size_t)r->sh->enc->scalars);
        RESIZE(b->value, n);
        RESIZE(b->margin, n);
        RESIZE(b->start, n + 1);
        b->n_room = n;
    }
    if (by_head && n > b->head_room) {
        for (int h = 0; h < g->n_heads; h++) {
            RESIZE(b->head[h], n * (size_t)g->head_dim[h]);
            RESIZE(b->mask[h], n * (size_t)g->head_dim[h]);
        }
        b->head_room = n;
    }
    size_t moves = b->start[0] = 0;
    for (size_t i = 0; i < n; i++) {
        const block *k = block_of(r, b->pick[i]);
        size_t at = (size_t)(b->pick[i] - k->first);
        moves += k->s.start[at + 1] - k->s.start[at];
        b->start[i + 1] = (uint32_t)moves;
    }
    if (moves > b->moves_room) {
        RESIZE(b->prob, moves);
        RESIZE(b->index, moves * (size_t)g->n_heads);
        b->moves_room = moves;
    }
    return ERR_OK;
}

typedef struct drawing {
    const replay *r;
    replay_batch *b;
    int n;
    bool by_head;
} drawing;

enum { DRAW_CHUNK = 32 };

// Owners of the turned board: 1 the seat to move, -1 the other, 0 nobody; masked where they are not known.
static void draw_owner(const samples_shape *sh, const uint64_t *planes, int sym, float *owner, uint8_t *mask)
{
    const encoding two = {.name = "owners", .planes = 2};
    uint64_t turned[2 * GAME_MAX_WORDS];
    size_t words = sh->owners / 2;
    int cells = sh->g->rows * sh->g->cols;
    if (sym != 0) {
        sh->g->sym_planes(sym, &two, planes, turned);
        planes = turned;
    }
    for (int c = 0; c < cells; c++) {
        bool own = planes[c / 64] >> c % 64 & 1, other = planes[words + (size_t)c / 64] >> c % 64 & 1;
        owner[c] = (float)own - (float)other;
        mask[c] = !(own && other);
    }
}

// The other side's answer in each of its heads; all zero where there was none.
static void draw_reply(const samples_shape *sh, replay_batch *b, size_t i, const samples *s, size_t at, int sym)
{
    const game *g = sh->g;
    uint16_t index[GAME_MAX_HEADS];
    move_t m = s->reply[at];
    for (int h = 0; h < g->n_heads; h++)
        memset(b->reply[h] + i * (size_t)g->head_dim[h], 0, (size_t)g->head_dim[h] * sizeof *b->reply[h]);
    if (m >= g->n_moves) return;
    if (sym != 0) m = g->sym_move(sym, m);
    samples_heads(sh, 1 - s->seat[at], &m, 1, index);
    for (int h = 0; h < g->n_heads; h++) b->reply[h][i * (size_t)g->head_dim[h] + index[h]] = 1;
}

static void draw_row(const drawing *d, size_t i)
{
    const samples_shape *sh = d->r->sh;
    const game *g = sh->g;
    replay_batch *b = d->b;
    const block *k = block_of(d->r, b->pick[i]);
    const samples *s = &k->s;
    size_t at = (size_t)(b->pick[i] - k->first), scalars = (size_t)sh->enc->scalars, first = b->start[i];
    int sym = b->sym[i], n = (int)(s->start[at + 1] - s->start[at]), seat = s->seat[at];
    const uint16_t *move = s->move + s->start[at], *prob = s->prob + s->start[at];
    if (sym == 0)
        memcpy(b->bits + i * sh->bits, s->bits + at * sh->bits, sh->bits * sizeof *s->bits);
    else
        g->sym_planes(sym, sh->enc, s->bits + at * sh->bits, b->bits + i * sh->bits);
    if (scalars > 0) memcpy(b->scalars + i * scalars, s->scalars + at * scalars, scalars * sizeof *s->scalars);
    b->value[i] = s->value[at];
    b->margin[i] = s->margin[at];
    size_t cells = (size_t)(g->rows * g->cols);
    if (sh->owners > 0)
        draw_owner(sh, s->owner + at * sh->owners, sym, b->owner + i * cells, b->owner_mask + i * cells);
    if (sh->reply) draw_reply(sh, b, i, s, at, sym);
    uint32_t sum = 0;
    for (int m = 0; m < n; m++) sum += prob[m];
    float scale = sum > 0 ? 1.0f / (float)sum : 0;
    uint16_t *index = b->index + first * (size_t)g->n_heads;
    for (int m = 0; m < n; m++) {
        move_t turned = sym == 0 ? move[m] : g->sym_move(sym, move[m]);
        samples_heads(sh, seat, &turned, 1, index + (size_t)(m * g->n_heads));
        b->prob[first + (size_t)m] = sum > 0 ? (float)prob[m] * scale : 1.0f / (float)n;
    }
    for (int h = 0; h < g->n_heads && d->by_head; h++) {
        size_t dim = (size_t)g->head_dim[h];
        memset(b->head[h] + i * dim, 0, dim * sizeof *b->head[h]);
        memset(b->mask[h] + i * dim, 0, dim);
        for (int m = 0; m < n; m++) {
            size_t to = i * dim + index[m * g->n_heads + h];
            b->head[h][to] += b->prob[first + (size_t)m];
            b->mask[h][to] = 1;
        }
    }
}

static void draw_rows(void *ctx, int task, int worker)
{
    const drawing *d = ctx;
    (void)worker;
    int end = (task + 1) * DRAW_CHUNK < d->n ? (task + 1) * DRAW_CHUNK : d->n;
    for (int i = task * DRAW_CHUNK; i < end; i++) draw_row(d, (size_t)i);
}

static void set_targets(const replay_draw_options *o, const game *g, int n, replay_batch *b)
{
    int policies = 0, replies = 0;
    b->b = (nn_batch){.n = n, .bits = b->bits, .scalars = b->scalars};
    for (int i = 0; i < o->net->n_heads; i++) {
        const nn_head *h = &o->net->head[i];
        nn_target *t = &b->b.head[i];
        if (h->kind == NN_VALUE) *t = (nn_target){.value = b->value, .scale = o->value_scale};
        if (h->kind == NN_SCALAR && h->out == 1) *t = (nn_target){.value = b->margin, .scale = o->margin_scale};
        if (h->kind == NN_BOARD && h->out == 1 && o->owner_scale > 0)
            *t = (nn_target){.value = b->owner, .mask = b->owner_mask, .scale = o->owner_scale};
        if (h->kind == NN_REPLY && replies < g->n_heads && o->reply_scale > 0)
            *t = (nn_target){.value = b->reply[replies++], .scale = o->reply_scale};
        if (h->kind == NN_POLICY && policies < g->n_heads) {
            if (o->by_head) *t = (nn_target){.value = b->head[policies], .mask = b->mask[policies]};
            policies++;
        }
    }
    if (o->by_head) return;
    b->b.start = b->start;
    b->b.index = b->index;
    b->b.prob = b->prob;
}

err replay_pick(const replay *r, uint64_t seed, uint64_t step, int n, bool symmetries, replay_batch *out)
{
    uint64_t window = replay_window(r), oldest = replay_oldest(r);
    if (window == 0) return err_set(ERR_USAGE, "there are no positions to learn from yet");
    rng draw = rng_at(seed, step, 0x5eed);
    if ((size_t)n > out->picks_room) {
        RESIZE(out->pick, (size_t)n);
        RESIZE(out->sym, (size_t)n);
        out->picks_room = (size_t)n;
    }
    out->staleness = 0;
    for (int i = 0; i < n; i++) {
        out->pick[i] = oldest + rng_below(&draw, (uint32_t)window);
        uint32_t sym =
            rng_below(&draw, (uint32_t)r->sh->g->n_syms); // drawn always: positions do not depend on the switch
        out->sym[i] = symmetries ? (uint8_t)sym : 0;
        const block *k = block_of(r, out->pick[i]);
        out->staleness += (double)step - (double)k->s.step[out->pick[i] - k->first];
    }
    out->staleness /= n;
    return ERR_OK;
}

err replay_draw(const replay *r, uint64_t seed, uint64_t step, int n, const replay_draw_options *o, replay_batch *out)
{
    err e = replay_pick(r, seed, step, n, o->symmetries, out);
    if (e == ERR_OK) e = make_room(r, out, (size_t)n, o->by_head);
    if (e != ERR_OK) return e;
    drawing d = {r, out, n, o->by_head};
    pool_run(o->threads, (n + DRAW_CHUNK - 1) / DRAW_CHUNK, draw_rows, &d);
    set_targets(o, r->sh->g, n, out);
    return ERR_OK;
}

void replay_batch_free(replay_batch *b)
{
    FREE_ALL(b->pick, b->sym, b->bits, b->scalars, b->value, b->margin, b->prob, b->owner, b->owner_mask, b->start,
             b->index);
    for (int h = 0; h < GAME_MAX_HEADS; h++) {
        free(b->head[h]);
        free(b->mask[h]);
        free(b->reply[h]);
    }
    *b = (replay_batch){0};
}
