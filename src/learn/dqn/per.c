// See per.h.
#include "learn/dqn/per.h"

#include "base/file.h"
#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLOOR 1e-6 // of a priority, so that nothing is never drawn again

// --- the sum tree

err sum_tree_new(sum_tree *t, uint64_t leaves)
{
    size_t n = 1;
    *t = (sum_tree){0};
    if (leaves > PER_MOST)
        return err_set(ERR_LIMIT, "%" PRIu64 " priorities are too many: at most %" PRIu64, leaves, PER_MOST);
    while (n < leaves) n *= 2;
    *t = (sum_tree){(uint32_t)n, calloc(2 * n, sizeof *t->node)};
    return t->node != NULL ? ERR_OK : err_set(ERR_MEMORY, "no memory for %" PRIu64 " priorities", leaves);
}

void sum_tree_free(sum_tree *t)
{
    free(t->node);
    *t = (sum_tree){0};
}

void sum_tree_set(sum_tree *t, uint32_t leaf, double value)
{
    assert(leaf < t->leaves && value >= 0 && isfinite(value));
    uint32_t i = t->leaves + leaf;
    t->node[i] = value;
    while ((i /= 2) > 0) t->node[i] = t->node[2 * i] + t->node[2 * i + 1];
}

double sum_tree_get(const sum_tree *t, uint32_t leaf)
{
    return t->node[t->leaves + leaf];
}

double sum_tree_total(const sum_tree *t)
{
    return t->node[1];
}

uint32_t sum_tree_find(const sum_tree *t, double at)
{
    uint32_t i = 1;
    while (i < t->leaves) {
        double left = t->node[2 * i];
        i *= 2;
        // Rounding may push `at` to the very end of the left half: never step into an empty right one.
        if (at >= left && t->node[i + 1] > 0) {
            at -= left;
            i++;
        }
    }
    return i - t->leaves;
}

bool sum_tree_ok(const sum_tree *t)
{
    for (uint32_t i = 1; i < t->leaves; i++)
        if (t->node[i] != t->node[2 * i] + t->node[2 * i + 1]) return false;
    return true;
}

// --- the buffer

typedef struct record {
    uint64_t serial; // number of the transition, from 1
    uint32_t next_mask;
    int32_t action;
    float reward, discount;
    uint32_t rest_mask, unused;
} record;

struct per {
    per_options o;
    size_t words, scalars; // of one observation
    uint32_t count, next;
    uint64_t added;
    double top;
    uint64_t *bits; // [capacity][2][words]: before, after
    float *numbers; // [capacity][2][scalars]
    float *rest;    // [capacity][actions]
    record *records;
    sum_tree tree;
};

void per_free(per *r)
{
    if (r == NULL) return;
    FREE_ALL(r->bits, r->numbers, r->rest, r->records);
    sum_tree_free(&r->tree);
    free(r);
}

err per_new(per **out, const per_options *o)
{
    assert(o->capacity > 0);
    if (o->capacity > PER_MOST)
        return err_set(ERR_LIMIT, "a replay buffer of %" PRIu64 " transitions is too large: at most %" PRIu64,
                       o->capacity, PER_MOST);
    per *r = calloc(1, sizeof *r);
    if (r == NULL) return err_set(ERR_MEMORY, "no memory for a replay buffer");
    size_t n = (size_t)o->capacity;
    r->o = *o;
    r->words = dqn_words(&o->shape);
    r->scalars = (size_t)o->shape.scalars;
    r->top = 1;
    r->bits = malloc((n * 2 * r->words + 1) * sizeof *r->bits);
    r->numbers = malloc((n * 2 * r->scalars + 1) * sizeof *r->numbers);
    r->rest = calloc(n * (size_t)o->shape.actions, sizeof *r->rest);
    r->records = calloc(n, sizeof *r->records);
    err e = sum_tree_new(&r->tree, o->prioritized ? o->capacity : 1);
    if (e == ERR_OK && (r->bits == NULL || r->numbers == NULL || r->rest == NULL || r->records == NULL))
        e = err_set(ERR_MEMORY,
                    "no memory for a replay buffer of %" PRIu64 " transitions; choose a smaller one (--buffer)",
                    o->capacity);
    if (e != ERR_OK)
        per_free(r);
    else
        *out = r;
    return e;
}

uint32_t per_count(const per *r)
{
    return r->count;
}

uint64_t per_added(const per *r)
{
    return r->added;
}

double per_top(const per *r)
{
    return r->top;
}

void per_add(per *r, const transition *t)
{
    uint32_t at = r->next;
    uint64_t *bits = r->bits + at * 2 * r->words;
    float *numbers = r->numbers + at * 2 * r->scalars;
    memcpy(bits, t->bits, r->words * sizeof *bits);
    memcpy(bits + r->words, t->next_bits, r->words * sizeof *bits);
    memcpy(numbers, t->scalars, r->scalars * sizeof *numbers);
    memcpy(numbers + r->scalars, t->next_scalars, r->scalars * sizeof *numbers);
    size_t actions = (size_t)r->o.shape.actions;
    if (t->rest_mask != 0)
        memcpy(r->rest + at * actions, t->rest, actions * sizeof *r->rest);
    else
        memset(r->rest + at * actions, 0, actions * sizeof *r->rest);
    r->records[at] = (record){++r->added, t->next_mask, t->action, t->reward, t->discount, t->rest_mask, 0};
    if (r->o.prioritized) sum_tree_set(&r->tree, at, r->top);
    if (r->count < r->o.capacity) r->count++;
    r->next = (uint64_t)at + 1 == r->o.capacity ? 0 : at + 1;
}

transition per_get(const per *r, uint32_t slot)
{
    const record *c = &r->records[slot];
    const uint64_t *bits = r->bits + slot * 2 * r->words;
    const float *numbers = r->numbers + slot * 2 * r->scalars;
    return (transition){.bits = bits,
                        .next_bits = bits + r->words,
                        .scalars = numbers,
                        .next_scalars = numbers + r->scalars,
                        .next_mask = c->next_mask,
                        .action = c->action,
                        .reward = c->reward,
                        .discount = c->discount,
                        .rest = r->rest + slot * (size_t)r->o.shape.actions,
                        .rest_mask = c->rest_mask};
}

void per_sample(const per *r, rng *from, int n, double beta, per_draw *out)
{
    assert(r->count > 0);
    double total = sum_tree_total(&r->tree), most = 0;
    for (int k = 0; k < n; k++) {
        uint32_t slot;
        double weight = 1;
        if (r->o.prioritized) {
            slot = sum_tree_find(&r->tree, (k + rng_unit(from)) / n * total);
            weight = pow(r->count * sum_tree_get(&r->tree, slot) / total, -beta);
        } else {
            slot = rng_below(from, r->count);
        }
        if (weight > most) most = weight;
        out[k] = (per_draw){slot, r->records[slot].serial, (float)weight};
    }
    for (int k = 0; k < n; k++) out[k].weight = (float)((double)out[k].weight / most);
}

void per_update(per *r, int n, const per_draw *drawn, const float *td)
{
    if (!r->o.prioritized) return;
    for (int k = 0; k < n; k++) {
        if (r->records[drawn[k].slot].serial != drawn[k].serial) continue;
        double p = pow(fabs((double)td[k]) + FLOOR, r->o.alpha);
        if (!isfinite(p)) continue;
        if (p > r->top) r->top = p;
        sum_tree_set(&r->tree, drawn[k].slot, p);
    }
}

// --- storing

typedef struct head {
    char magic[8];
    int32_t shape[6];
    uint32_t capacity, prioritized, count, next;
    uint64_t added;
    double alpha, top;
} head;

static const char magic[8] = "keikoRB2";

static head head_of(const per *r)
{
    const dqn_shape *s = &r->o.shape;
    head h = {.shape = {s->planes, s->rows, s->cols, s->scalars, s->actions, s->seats},
              .capacity = (uint32_t)r->o.capacity,
              .prioritized = r->o.prioritized,
              .count = r->count,
              .next = r->next,
              .added = r->added,
              .alpha = r->o.alpha,
              .top = r->top};
    memcpy(h.magic, magic, sizeof magic);
    return h;
}

err per_save(const per *r, const char *path)
{
    file_out *f = NULL;
    head h = head_of(r);
    size_t n = r->count;
    err e = file_out_open(&f, path);
    if (e != ERR_OK) return e;
    file_out_write(f, &h, sizeof h);
    file_out_write(f, r->records, n * sizeof *r->records);
    file_out_write(f, r->bits, n * 2 * r->words * sizeof *r->bits);
    file_out_write(f, r->numbers, n * 2 * r->scalars * sizeof *r->numbers);
    file_out_write(f, r->rest, n * (size_t)r->o.shape.actions * sizeof *r->rest);
    if (r->o.prioritized) file_out_write(f, r->tree.node + r->tree.leaves, n * sizeof *r->tree.node);
    return file_out_commit(f);
}

static err record_check(const per *r, uint32_t i, const record *c)
{
    uint32_t legal = r->o.shape.actions == 32 ? ~0u : (1u << r->o.shape.actions) - 1;
    bool fine = c->action >= 0 && c->action < r->o.shape.actions && isfinite(c->reward) && c->discount >= 0 &&
                c->discount <= 1 && ((c->next_mask | c->rest_mask) & ~legal) == 0 &&
                (c->discount == 0 || c->next_mask != 0);
    return fine ? ERR_OK : err_set(ERR_PARSE, "replay buffer: transition %u is damaged", i);
}

err per_from_bytes(per *r, const void *data, size_t size)
{
    head h, own = head_of(r);
    if (size < sizeof h) return err_set(ERR_PARSE, "replay buffer: cut off after %zu bytes", size);
    memcpy(&h, data, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) != 0) return err_set(ERR_PARSE, "this is no replay buffer");
    if (memcmp(h.shape, own.shape, sizeof h.shape) != 0 || h.capacity != own.capacity ||
        h.prioritized != own.prioritized || h.alpha != own.alpha)
        return err_set(ERR_USAGE, "the stored replay buffer has another shape, size or kind than this run");
    size_t n = h.count, one = sizeof(record) + 2 * r->words * sizeof *r->bits + 2 * r->scalars * sizeof *r->numbers +
                              (size_t)r->o.shape.actions * sizeof *r->rest + (h.prioritized ? sizeof(double) : 0);
    bool ring =
        h.count < h.capacity ? h.next == h.count && h.added == h.count : h.next < h.capacity && h.added >= h.count;
    if (h.count > h.capacity || !ring || !(h.top > 0) || !isfinite(h.top) || size != sizeof h + n * one)
        return err_set(ERR_PARSE, "replay buffer: its header does not fit its content");
    const char *at = (const char *)data + sizeof h;
    for (uint32_t i = 0; i < h.count; i++) {
        record c;
        memcpy(&c, at + i * sizeof c, sizeof c);
        err e = record_check(r, i, &c);
        if (e != ERR_OK) return e;
    }
    const char *leaves = (const char *)data + size - n * sizeof(double);
    for (size_t i = 0; h.prioritized && i < n; i++) {
        double p;
        memcpy(&p, leaves + i * sizeof p, sizeof p);
        if (!(p > 0) || !isfinite(p)) return err_set(ERR_PARSE, "replay buffer: priority %zu is damaged", i);
    }
    memcpy(r->records, at, n * sizeof *r->records);
    at += n * sizeof *r->records;
    memcpy(r->bits, at, n * 2 * r->words * sizeof *r->bits);
    at += n * 2 * r->words * sizeof *r->bits;
    memcpy(r->numbers, at, n * 2 * r->scalars * sizeof *r->numbers);
    at += n * 2 * r->scalars * sizeof *r->numbers;
    memcpy(r->rest, at, n * (size_t)r->o.shape.actions * sizeof *r->rest);
    if (h.prioritized) {
        memcpy(r->tree.node + r->tree.leaves, leaves, n * sizeof(double));
        memset(r->tree.node + r->tree.leaves + n, 0, (r->tree.leaves - n) * sizeof(double));
        for (uint32_t i = r->tree.leaves - 1; i > 0; i--)
            r->tree.node[i] = r->tree.node[2 * i] + r->tree.node[2 * i + 1];
    }
    r->count = h.count;
    r->next = h.next;
    r->added = h.added;
    r->top = h.top;
    return ERR_OK;
}

err per_load(per *r, const char *path)
{
    char *data = NULL;
    size_t size = 0, one = sizeof(record) + 2 * r->words * 8 + 2 * r->scalars * 4 + 8 + (size_t)r->o.shape.actions * 4;
    err e = file_read(path, sizeof(head) + r->o.capacity * one, &data, &size);
    if (e == ERR_OK) e = err_prefix(per_from_bytes(r, data, size), "%s", path);
    free(data);
    return e;
}
