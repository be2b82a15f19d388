// Regression for the Othello tuner: labelled positions to weights. See tune_othello.h.
//
// A row of the design matrix has a one for each of the 46 places' weights and one for the bias of its disc count. With
// X the rows, y the labels and w0 the later stage's weights, the weights w of a stage minimise |y - Xw|^2 + ridge |w - w0|^2.
// Rows are cut into CHUNKS whose partial sums are added in order, so threads do not change the result.
#include "base/stop.h"
#include "learn/tune/tune_othello_inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNKS = 8,
    ONES = OTH_PLACES + 1, // weights a row touches
    UNKNOWNS = OTH_STAGE_SIZE + OTH_SQUARES + 1,
    OVERLAP = 2, // discs by which a stage looks into its neighbours
};

typedef struct stage_fit {
    size_t n;
    uint32_t (*at)[ONES]; // [n]
    float *label;         // [n]
    const float *in;      // [UNKNOWNS] the vector to multiply by X^T X
    float *part;          // [CHUNKS][UNKNOWNS]
    bool residual;        // X^T (y - X in) instead
} stage_fit;

static void multiply_chunk(void *ctx, int chunk, int worker)
{
    (void)worker;
    stage_fit *f = ctx;
    float *out = f->part + (size_t)chunk * UNKNOWNS;
    memset(out, 0, UNKNOWNS * sizeof *out);
    size_t from = f->n * (size_t)chunk / CHUNKS, to = f->n * ((size_t)chunk + 1) / CHUNKS;
    for (size_t r = from; r < to; r++) {
        const uint32_t *at = f->at[r];
        float sum = 0;
        for (int i = 0; i < ONES; i++) sum += f->in[at[i]];
        if (f->residual) sum = f->label[r] - sum;
        for (int i = 0; i < ONES; i++) out[at[i]] += sum;
    }
}

// out = X^T X in, or X^T (y - X in)
static void multiply(stage_fit *f, pool *p, const float *in, bool residual, float *out)
{
    f->in = in;
    f->residual = residual;
    pool_run(p, CHUNKS, multiply_chunk, f);
    for (int i = 0; i < UNKNOWNS; i++) {
        float sum = 0;
        for (int c = 0; c < CHUNKS; c++) sum += f->part[(size_t)c * UNKNOWNS + (size_t)i];
        out[i] = sum;
    }
}

static double dot(const float *a, const float *b)
{
    double sum = 0;
    for (int i = 0; i < UNKNOWNS; i++) sum += (double)a[i] * b[i];
    return sum;
}

static void take_rows(stage_fit *f, const tune_rows *rows, int stage)
{
    int low = 4 + 4 * stage - OVERLAP, high = 4 + 4 * stage + 3 + OVERLAP;
    f->n = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const tune_row *r = &rows->row[i];
        if (r->held || r->discs < low || r->discs > high) continue;
        oth_shape s = oth_shape_of(r->b);
        int16_t at[OTH_PLACES_PAD];
        memcpy(at, &s, sizeof at);
        for (int k = 0; k < OTH_PLACES; k++) f->at[f->n][k] = (uint32_t)oth_shape_canon[oth_shape_zero[k] + at[k]];
        f->at[f->n][OTH_PLACES] = OTH_STAGE_SIZE + r->discs;
        f->label[f->n++] = r->label;
    }
}

// Conjugate gradients on (X^T X + ridge) (w - w0) = X^T (y - X w0), with the diagonal as preconditioner.
static void solve_stage(stage_fit *f, pool *p, const tune_options *o, float *w, float *v[5])
{
    float *d = v[0], *r = v[1], *q = v[2], *aq = v[3], *diagonal = v[4];
    const float ridge = (float)o->ridge;
    memset(d, 0, UNKNOWNS * sizeof *d);
    for (int i = 0; i < UNKNOWNS; i++) diagonal[i] = ridge;
    for (size_t i = 0; i < f->n; i++)
        for (int k = 0; k < ONES; k++) diagonal[f->at[i][k]] += 1;
    multiply(f, p, w, true, r);
    for (int i = 0; i < UNKNOWNS; i++) q[i] = r[i] / diagonal[i];
    double rho = dot(r, q), first = rho;
    for (int it = 0; it < o->iterations && rho > 1e-7 * first && rho > 0 && !stop_requested(); it++) {
        multiply(f, p, q, false, aq);
        for (int i = 0; i < UNKNOWNS; i++) aq[i] += ridge * q[i];
        float step = (float)(rho / dot(q, aq));
        for (int i = 0; i < UNKNOWNS; i++) {
            d[i] += step * q[i];
            r[i] -= step * aq[i];
            aq[i] = r[i] / diagonal[i];
        }
        double next = dot(r, aq);
        float back = (float)(next / rho);
        for (int i = 0; i < UNKNOWNS; i++) q[i] = aq[i] + back * q[i];
        rho = next;
    }
    for (int i = 0; i < UNKNOWNS; i++) w[i] += d[i];
}

static int16_t to_weight(float v)
{
    float r = roundf(v);
    return (int16_t)(r > 32000 ? 32000 : r < -32000 ? -32000 : r);
}

static void put_stage(const float *w, int stage, oth_weights *out)
{
    for (int i = 0; i < OTH_STAGE_SIZE; i++) out->table[stage][i] = to_weight(w[oth_shape_canon[i]]);
    for (int discs = 4 + 4 * stage; discs < 8 + 4 * stage; discs++)
        out->bias[discs] = to_weight(w[OTH_STAGE_SIZE + discs]);
}

err tune_fit(const tune_options *o, pool *p, const tune_rows *rows, oth_weights *out)
{
    oth_eval_init();
    size_t most = 0;
    for (int stage = 0; stage < OTH_STAGES; stage++) {
        size_t n = 0;
        for (size_t i = 0; i < rows->n; i++)
            n += rows->row[i].discs >= 4 + 4 * stage - OVERLAP && rows->row[i].discs <= 7 + 4 * stage + OVERLAP;
        if (n > most) most = n;
    }
    stage_fit f = {0};
    float *w = calloc(UNKNOWNS, sizeof *w), *v[5], *vectors = malloc(5 * UNKNOWNS * sizeof *vectors);
    f.at = malloc((most + 1) * sizeof *f.at);
    f.label = malloc((most + 1) * sizeof *f.label);
    f.part = malloc(CHUNKS * UNKNOWNS * sizeof *f.part);
    err e = ERR_OK;
    if (w == NULL || vectors == NULL || f.at == NULL || f.label == NULL || f.part == NULL)
        e = err_set(ERR_MEMORY, "no memory to fit %zu positions", most);
    memset(out, 0, sizeof *out);
    for (int stage = OTH_STAGES - 1; e == ERR_OK && stage >= 0; stage--) {
        for (int i = 0; i < 5; i++) v[i] = vectors + (size_t)i * UNKNOWNS;
        take_rows(&f, rows, stage);
        if (f.n > 0) solve_stage(&f, p, o, w, v);
        put_stage(w, stage, out);
        e = stop_check();
    }
    free(f.part);
    free(f.label);
    free(f.at);
    free(vectors);
    free(w);
    return e;
}

void tune_measure(const tune_rows *rows, const oth_weights *w, tune_error *error)
{
    memset(error, 0, sizeof *error);
    for (size_t i = 0; i < rows->n; i++) {
        const tune_row *r = &rows->row[i];
        if (!r->held) continue;
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
