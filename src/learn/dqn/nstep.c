// See nstep.h. Entries of a lane lie in a ring; the memory is one block, so that a checkpoint is one write.
#include "learn/dqn/nstep.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    int32_t action, age; // age: steps that are in `sum`
    uint32_t mask, rest_mask;
    double sum, factor; // discounted rewards; gamma ^ age
} entry;

struct nstep {
    dqn_shape shape;
    size_t words, scalars, stride; // stride: bytes of one entry with its observation
    int lanes, n;
    double gamma;
    char *block; // [lanes]{ uint64_t first, count; [n]{entry, bits, scalars} }
    size_t lane_size;
};

err nstep_new(nstep **out, const dqn_shape *s, int lanes, int n, double gamma)
{
    assert(n >= 1);
    nstep *q = calloc(1, sizeof *q);
    if (q == NULL) return err_set(ERR_MEMORY, "no memory for decisions");
    *q = (nstep){.shape = *s, .lanes = lanes, .n = n, .gamma = gamma};
    q->words = dqn_words(s);
    q->scalars = (size_t)s->scalars;
    q->stride =
        sizeof(entry) + q->words * sizeof(uint64_t) + ((q->scalars + (size_t)s->actions) * sizeof(float) + 7) / 8 * 8;
    q->lane_size = 2 * sizeof(uint64_t) + (size_t)n * q->stride;
    q->block = calloc((size_t)lanes, q->lane_size);
    if (q->block == NULL) {
        free(q);
        return err_set(ERR_MEMORY, "no memory for the decisions of %d matches", lanes);
    }
    *out = q;
    return ERR_OK;
}

void nstep_free(nstep *q)
{
    if (q == NULL) return;
    free(q->block);
    free(q);
}

void *nstep_bytes(nstep *q, size_t *size)
{
    *size = (size_t)q->lanes * q->lane_size;
    return q->block;
}

static uint64_t *head(const nstep *q, int lane) // first, count
{
    return (uint64_t *)(void *)(q->block + (size_t)lane * q->lane_size);
}

static entry *at(const nstep *q, int lane, uint64_t i) // the i-th oldest
{
    uint64_t *h = head(q, lane);
    return (entry *)(void *)((char *)(h + 2) + (h[0] + i) % (uint64_t)q->n * q->stride);
}

static uint64_t *bits_of(const nstep *q, entry *e)
{
    (void)q;
    return (uint64_t *)(void *)(e + 1);
}

static float *scalars_of(const nstep *q, entry *e)
{
    return (float *)(void *)(bits_of(q, e) + q->words);
}

static void grow(nstep *q, int lane, float reward)
{
    for (uint64_t i = 0; i < head(q, lane)[1]; i++) {
        entry *e = at(q, lane, i);
        e->sum += e->factor * (double)reward;
        e->factor *= q->gamma;
        e->age++;
    }
}

static void emit(nstep *q, entry *e, const uint64_t *bits, const float *scalars, uint32_t mask, double discount,
                 per *into)
{
    per_add(into, &(transition){.bits = bits_of(q, e),
                                .next_bits = bits,
                                .scalars = scalars_of(q, e),
                                .next_scalars = scalars,
                                .next_mask = mask,
                                .action = e->action,
                                .reward = (float)e->sum,
                                .discount = (float)discount,
                                .rest = scalars_of(q, e) + q->scalars,
                                .rest_mask = e->rest_mask});
}

void nstep_decide(nstep *q, int lane, float reward, const uint64_t *bits, const float *scalars, uint32_t mask,
                  int action, const float *rest, uint32_t rest_mask, per *into)
{
    uint64_t *h = head(q, lane);
    if (h[1] > 0) grow(q, lane, reward);
    entry *oldest = at(q, lane, 0);
    if (h[1] == (uint64_t)q->n) {
        emit(q, oldest, bits, scalars, mask, oldest->factor, into);
        h[0] = (h[0] + 1) % (uint64_t)q->n;
        h[1]--;
    }
    entry *e = at(q, lane, h[1]++);
    *e = (entry){.action = action, .mask = mask, .rest_mask = rest_mask, .factor = 1};
    memcpy(bits_of(q, e), bits, q->words * sizeof *bits);
    memcpy(scalars_of(q, e), scalars, q->scalars * sizeof *scalars);
    if (rest_mask != 0) memcpy(scalars_of(q, e) + q->scalars, rest, (size_t)q->shape.actions * sizeof *rest);
}

void nstep_end(nstep *q, int lane, float reward, int how, per *into)
{
    uint64_t *h = head(q, lane);
    uint64_t n = h[1];
    if (n > 0 && how == DQN_OVER) {
        grow(q, lane, reward);
        for (uint64_t i = 0; i < n; i++) { // nothing follows: the entry's own position stands in for the next one
            entry *e = at(q, lane, i);
            emit(q, e, bits_of(q, e), scalars_of(q, e), e->mask, 0, into);
        }
    } else if (n > 0) {
        entry *last = at(q, lane, n - 1);
        for (uint64_t i = 0; i + 1 < n; i++) {
            entry *e = at(q, lane, i);
            emit(q, e, bits_of(q, last), scalars_of(q, last), last->mask, e->factor, into);
        }
    }
    h[0] = h[1] = 0;
}
