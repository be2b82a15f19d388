// From labelled positions to weights. See tune_othello.h.
//
// A row of the design matrix has a one for each of the 64 places' entries, for the two of mobility and for the bias of its
// disc count. Entries belong to the row's stage: a knot, or the mean of two. With X the rows, y their labels and w0 the
// weights at the start, the change c = w - w0 minimises |y - X(w0 + c)|^2 + pull |c|^2 + smooth |c's differences between
// neighbouring knots|^2.
//
// A product with X^T X goes stage by stage: the stage's entries are put together from the knots, all threads take rows
// of that stage and add up in CHUNKS sums of their own, which then are joined in order, so threads do not change the result.
// Sums are taken by raw entry; what symmetry makes equal is folded afterwards, once per product.
#include "base/clock.h"
#include "base/memory.h"
#include "base/stop.h"
#include "learn/tune/tune_othello_inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNKS = 16, // at most
    ROWS_PER_CHUNK = 100000,
    SLICES = 64,                         // of a stage's entries when the sums are joined
    SUMS = OTH_STAGE_SIZE + 2,           // per chunk: the entries and the biases of the stage's discs
    BIASES = OTH_KNOTS * OTH_STAGE_SIZE, // where the biases begin in a vector of unknowns
    UNKNOWNS = BIASES + OTH_SQUARES + 1,
    PARTS = OTH_KNOTS + 1, // pieces of a vector for work by threads: the knots, the biases
    VECTORS = 6,
};

#define BIAS_PULL 1.0f

enum product { PRODUCT, RESIDUAL, TALLY }; // X^T X in; X^T (y - X in); X^T 1

typedef struct fit {
    const tune_fit_options *o;
    pool *p;
    const tune_data *d;
    float *w, *r, *q, *aq, *diagonal, *step; // [UNKNOWNS] each; see solve
    int chunks;
    float *sum;      // [chunks][SUMS]
    float *stage_in; // [OTH_STAGE_SIZE]
    // the product at hand
    int stage;
    const float *in;
    float *out;
    enum product what;
    // the vector work at hand
    float alpha, beta;
    double dot[PARTS];
} fit;

// --- X^T X

static void stage_slice(void *ctx, int slice, int worker)
{
    (void)worker;
    fit *f = ctx;
    int from = (int)((int64_t)OTH_STAGE_SIZE * slice / SLICES),
        to = (int)((int64_t)OTH_STAGE_SIZE * (slice + 1) / SLICES);
    const float *a = f->in + (size_t)(f->stage / 2) * OTH_STAGE_SIZE;
    const float *b = f->stage % 2 == 0 ? a : a + OTH_STAGE_SIZE;
    for (int i = from; i < to; i++) f->stage_in[i] = 0.5f * (a[i] + b[i]);
}

static void add_row(const fit *f, const tune_row *row, float *out)
{
    int at[OTH_PLACES + 2];
    int16_t number[OTH_PLACES];
    oth_shape s = oth_shape_of(row->b);
    memcpy(number, &s, sizeof number);
    for (int k = 0; k < OTH_PLACES; k++) at[k] = oth_shape_zero[k] + number[k];
    uint64_t mine = oth_moves(row->b), theirs = oth_moves(oth_pass(row->b));
    at[OTH_PLACES] = oth_mobility_entry(mine, theirs);
    at[OTH_PLACES + 1] = oth_corner_entry(mine, theirs);
    float v = 1;
    if (f->what != TALLY) {
        v = f->in[BIASES + row->discs];
        for (int k = 0; k < OTH_PLACES + 2; k++) v += f->stage_in[at[k]];
        if (f->what == RESIDUAL) v = row->label - v;
    }
    for (int k = 0; k < OTH_PLACES + 2; k++) out[at[k]] += v;
    out[OTH_STAGE_SIZE + row->discs % 2] += v;
}

static void sum_chunk(void *ctx, int chunk, int worker)
{
    (void)worker;
    fit *f = ctx;
    const tune_data *d = f->d;
    float *out = f->sum + (size_t)chunk * SUMS;
    memset(out, 0, SUMS * sizeof *out);
    int from = (int)((int64_t)d->n * chunk / f->chunks), to = (int)((int64_t)d->n * (chunk + 1) / f->chunks);
    for (int b = from; b < to; b++) {
        const tune_block *block = &d->block[b];
        for (uint32_t i = block->first[f->stage]; i < block->first[f->stage + 1]; i++)
            if (!block->row[i].held && (block->row[i].sure || !f->o->sure)) add_row(f, &block->row[i], out);
    }
}

// The chunks' sums of some entries, to the knots.
static void join_slice(void *ctx, int slice, int worker)
{
    (void)worker;
    fit *f = ctx;
    int from = (int)((int64_t)OTH_STAGE_SIZE * slice / SLICES),
        to = (int)((int64_t)OTH_STAGE_SIZE * (slice + 1) / SLICES);
    bool knot = f->stage % 2 == 0;
    float *a = f->out + (size_t)(f->stage / 2) * OTH_STAGE_SIZE, *b = a + OTH_STAGE_SIZE;
    // A count is the diagonal of X^T X, where a half counts as a quarter.
    float share = knot ? 1 : f->what == TALLY ? 0.25f : 0.5f;
    for (int i = from; i < to; i++) {
        float sum = 0;
        for (int c = 0; c < f->chunks; c++) sum += f->sum[(size_t)c * SUMS + (size_t)i];
        a[i] += share * sum;
        if (!knot) b[i] += share * sum;
    }
}

static void join_biases(fit *f)
{
    for (int odd = 0; odd < 2; odd++)
        for (int c = 0; c < f->chunks; c++)
            f->out[BIASES + OTH_STAGE_FIRST + 2 * f->stage + odd] +=
                f->sum[(size_t)c * SUMS + OTH_STAGE_SIZE + (size_t)odd];
}

static void fold_knot(void *ctx, int knot, int worker) // what symmetry makes equal
{
    (void)worker;
    fit *f = ctx;
    float *out = f->out + (size_t)knot * OTH_STAGE_SIZE;
    for (int i = 0; i < OTH_STAGE_SIZE; i++)
        if (oth_shape_canon[i] != i) out[oth_shape_canon[i]] += out[i];
    for (int i = 0; i < OTH_STAGE_SIZE; i++) out[i] = out[oth_shape_canon[i]];
}

static void multiply(fit *f, const float *in, float *out, enum product what)
{
    f->in = in;
    f->out = out;
    f->what = what;
    memset(out, 0, UNKNOWNS * sizeof *out);
    for (f->stage = 0; f->stage < OTH_STAGES && !stop_requested(); f->stage++) {
        if (what != TALLY) pool_run(f->p, SLICES, stage_slice, f);
        pool_run(f->p, f->chunks, sum_chunk, f);
        pool_run(f->p, SLICES, join_slice, f);
        join_biases(f);
    }
    pool_run(f->p, OTH_KNOTS, fold_knot, f);
}

// --- the pulls, and work on vectors. Sums over a vector count an entry once, not once for each that shares its weight.

static size_t part_first(int part)
{
    return (size_t)part * OTH_STAGE_SIZE;
}

static size_t part_size(int part)
{
    return part < OTH_KNOTS ? OTH_STAGE_SIZE : OTH_SQUARES + 1;
}

static bool counts(int part, size_t i)
{
    return part == OTH_KNOTS || oth_shape_canon[i] == (int32_t)i;
}

// aq += (pull + smooth D^T D) q, for one part; the biases are pulled very little, so that they are defined.
static void pull_part(void *ctx, int part, int worker)
{
    (void)worker;
    fit *f = ctx;
    const float pull = part < OTH_KNOTS ? (float)f->o->pull : BIAS_PULL, smooth = (float)f->o->smooth;
    const float *q = f->q + part_first(part);
    float *out = f->aq + part_first(part);
    for (size_t i = 0; i < part_size(part); i++) {
        float v = pull * q[i];
        if (part < OTH_KNOTS && part > 0) v += smooth * (q[i] - q[i - OTH_STAGE_SIZE]);
        if (part < OTH_KNOTS - 1) v += smooth * (q[i] - q[i + OTH_STAGE_SIZE]);
        out[i] += v;
    }
}

static double total(fit *f, pool_fn *part)
{
    pool_run(f->p, PARTS, part, f);
    double sum = 0;
    for (int i = 0; i < PARTS; i++) sum += f->dot[i];
    return sum;
}

static void dot_q_aq(void *ctx, int part, int worker)
{
    (void)worker;
    fit *f = ctx;
    const float *q = f->q + part_first(part), *aq = f->aq + part_first(part);
    double sum = 0;
    for (size_t i = 0; i < part_size(part); i++)
        if (counts(part, i)) sum += (double)q[i] * aq[i];
    f->dot[part] = sum;
}

// w += alpha q, r -= alpha aq, step = r / diagonal; their product.
static void descend(void *ctx, int part, int worker)
{
    (void)worker;
    fit *f = ctx;
    double sum = 0;
    for (size_t k = 0, i = part_first(part); k < part_size(part); k++, i++) {
        f->w[i] += f->alpha * f->q[i];
        f->r[i] -= f->alpha * f->aq[i];
        f->step[i] = f->r[i] / f->diagonal[i];
        if (counts(part, k)) sum += (double)f->r[i] * f->step[i];
    }
    f->dot[part] = sum;
}

static void turn(void *ctx, int part, int worker) // q = step + beta q
{
    (void)worker;
    fit *f = ctx;
    for (size_t k = 0, i = part_first(part); k < part_size(part); k++, i++) f->q[i] = f->step[i] + f->beta * f->q[i];
}

// --- the solver: conjugate gradients, with the diagonal as preconditioner

static void solve(fit *f)
{
    multiply(f, NULL, f->diagonal, TALLY);
    for (int part = 0; part < PARTS; part++)
        for (size_t k = 0, i = part_first(part); k < part_size(part); k++, i++)
            f->diagonal[i] += part == OTH_KNOTS ? BIAS_PULL : (float)(f->o->pull + 2 * f->o->smooth);
    multiply(f, f->w, f->r, RESIDUAL);
    f->alpha = 0;
    double rho = total(f, descend), first = rho, before = clock_seconds();
    f->beta = 0;
    pool_run(f->p, PARTS, turn, f);
    for (int it = 0; it < f->o->iterations && rho > 1e-7 * first && rho > 0 && !stop_requested(); it++) {
        multiply(f, f->q, f->aq, PRODUCT);
        pool_run(f->p, PARTS, pull_part, f);
        f->alpha = (float)(rho / total(f, dot_q_aq));
        double next = total(f, descend), now = clock_seconds();
        f->beta = (float)(next / rho);
        pool_run(f->p, PARTS, turn, f);
        rho = next;
        if (f->o->deadline > 0 && now + (now - before) > f->o->deadline) break; // no time for another
        before = now;
    }
}

// --- to and from the weights of the search

static int16_t to_weight(float v, int step)
{
    float r = roundf(v / (float)step) * (float)step;
    return (int16_t)(r > 32000 ? 32000 : r < -32000 ? -32000 : r);
}

static void take_weights(fit *f, const oth_weights *w)
{
    for (int k = 0; k < OTH_KNOTS; k++)
        for (size_t i = 0; i < OTH_STAGE_SIZE; i++) f->w[part_first(k) + i] = w->table[2 * k][i];
    for (int i = 0; i <= OTH_SQUARES; i++) f->w[BIASES + i] = w->bias[i];
}

static void give_weights(const fit *f, oth_weights *w)
{
    for (int k = 0; k < OTH_KNOTS; k++)
        for (size_t i = 0; i < OTH_STAGE_SIZE; i++)
            w->table[2 * k][i] = to_weight(f->w[part_first(k) + i], OTH_WEIGHT_STEP);
    for (int i = 0; i <= OTH_SQUARES; i++) // there are no rows before the first stage
        w->bias[i] = to_weight(f->w[BIASES + (i < OTH_STAGE_FIRST ? OTH_STAGE_FIRST + i % 2 : i)], 1);
    oth_weights_fill(w);
}

err tune_fit(const tune_fit_options *o, pool *p, const tune_data *d, oth_weights *w)
{
    oth_eval_init();
    fit f = {.o = o, .p = p, .d = d};
    float *vectors = calloc((size_t)VECTORS * UNKNOWNS, sizeof *vectors);
    f.chunks = d->rows / ROWS_PER_CHUNK < CHUNKS ? 1 + (int)(d->rows / ROWS_PER_CHUNK) : CHUNKS;
    f.sum = malloc((size_t)f.chunks * SUMS * sizeof *f.sum);
    f.stage_in = calloc(OTH_STAGE_SIZE, sizeof *f.stage_in);
    err e = vectors && f.sum && f.stage_in ? ERR_OK : err_set(ERR_MEMORY, "no memory to fit %zu positions", d->rows);
    if (e == ERR_OK) {
        float **to[VECTORS] = {&f.w, &f.r, &f.q, &f.aq, &f.diagonal, &f.step};
        for (int i = 0; i < VECTORS; i++) *to[i] = vectors + (size_t)i * UNKNOWNS;
        take_weights(&f, w);
        solve(&f);
        e = stop_check();
    }
    if (e == ERR_OK) give_weights(&f, w);
    FREE_ALL(vectors, f.sum, f.stage_in);
    return e;
}

void tune_measure(const tune_data *d, bool sure, const oth_weights *w, tune_error *error)
{
    memset(error, 0, sizeof *error);
    for (int b = 0; b < d->n; b++)
        for (uint32_t i = 0; i < d->block[b].first[OTH_STAGES]; i++) {
            const tune_row *r = &d->block[b].row[i];
            if (!r->held || (sure && !r->sure)) continue;
            int empties = OTH_SQUARES - r->discs;
            double miss = (double)(oth_eval(w, r->b) - r->label) / OTH_EVAL_UNIT;
            error->n[empties]++;
            error->mean_abs[empties] += fabs(miss);
            error->rms[empties] += miss * miss;
        }
    for (int i = 0; i <= OTH_SQUARES; i++) {
        if (error->n[i] == 0) continue;
        error->mean_abs[i] /= error->n[i];
        error->rms[i] = sqrt(error->rms[i] / error->n[i]);
    }
}
