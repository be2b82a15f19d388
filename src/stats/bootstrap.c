// Resample clusters, count them into one table, solve from the fit of all games, keep the parameters. See bootstrap.h.
#include "stats/bootstrap.h"

#include "base/memory.h"
#include "base/rng.h"
#include "stats/elo.h"
#include "stats/newton.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void bootstrap_free(bootstrap *b)
{
    free(b->low);
    free(b->high);
    *b = (bootstrap){0};
}

typedef struct sampler {
    tally t;       // the table of one resample
    result *game;  // all games, sorted by cluster
    int *cell;     // [games] where each is counted
    size_t *start; // [clusters + 1] first game of each cluster
    size_t clusters;
    double *x, *bread; // of one resample
    double *sample;    // [resamples][n+1] Elo
} sampler;

static void sampler_free(sampler *s)
{
    tally_free(&s->t);
    FREE_ALL(s->game, s->cell, s->start, s->x, s->bread, s->sample);
}

static int by_cluster(const void *a, const void *b)
{
    const result *x = a, *y = b;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

static err sampler_make(sampler *s, const results *r, int resamples)
{
    size_t n = (size_t)r->who.n, p = n + 2;
    *s = (sampler){0};
    err e = tally_of(&s->t, r);
    if (e != ERR_OK) return e;
    int *at = calloc(n * n + 1, sizeof *at);
    s->game = malloc((r->n + 1) * sizeof *s->game);
    s->cell = malloc((r->n + 1) * sizeof *s->cell);
    s->start = malloc((r->n + 1) * sizeof *s->start);
    s->x = calloc(p, sizeof *s->x);
    s->bread = calloc(p * p, sizeof *s->bread);
    s->sample = calloc((size_t)resamples * (n + 1), sizeof *s->sample);
    if (!at || !s->game || !s->cell || !s->start || !s->x || !s->bread || !s->sample) {
        free(at);
        return err_set(ERR_MEMORY, "out of memory for %d resamples", resamples);
    }
    for (int k = 0; k < s->t.n; k++) at[(size_t)s->t.cell[k].first * n + (size_t)s->t.cell[k].second] = k;
    if (r->n > 0) memcpy(s->game, r->game, r->n * sizeof *s->game);
    qsort(s->game, r->n, sizeof *s->game, by_cluster);
    for (size_t i = 0; i < r->n; i++) {
        const result *g = &s->game[i];
        s->cell[i] = at[g->first * n + g->second];
        if (i == 0 || g->pair == PAIR_NONE || g->pair != g[-1].pair) s->start[s->clusters++] = i;
    }
    s->start[s->clusters] = r->n;
    free(at);
    return ERR_OK;
}

static bool draw_resample(sampler *s, rng *g)
{
    bool drawn = false;
    for (int k = 0; k < s->t.n; k++) s->t.cell[k].wins = s->t.cell[k].draws = s->t.cell[k].losses = 0;
    for (size_t k = 0; k < s->clusters; k++) {
        size_t c = rng_below(g, (uint32_t)s->clusters);
        for (size_t i = s->start[c]; i < s->start[c + 1]; i++) {
            tally_cell *cell = &s->t.cell[s->cell[i]];
            int halves = s->game[i].halves;
            *(halves == 2 ? &cell->wins : halves == 1 ? &cell->draws : &cell->losses) += 1;
            drawn |= halves == 1;
        }
    }
    return drawn;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Covariance and percentiles of the samples; sorting spoils them column by column, so the covariance comes first.
static err summarise(bootstrap *b, rating_fit *f, double *sample, double level)
{
    size_t k = (size_t)f->n + 1, m = (size_t)b->resamples;
    double *cov = calloc(k * k, sizeof *cov), *mean = calloc(k, sizeof *mean), *column = malloc(m * sizeof *column);
    b->low = calloc(k, sizeof *b->low);
    b->high = calloc(k, sizeof *b->high);
    if (!cov || !mean || !column || !b->low || !b->high) {
        FREE_ALL(cov, mean, column);
        return err_set(ERR_MEMORY, "out of memory for %d resamples", b->resamples);
    }
    for (size_t s = 0; s < m; s++)
        for (size_t i = 0; i < k; i++) mean[i] += sample[s * k + i] / (double)m;
    for (size_t s = 0; s < m; s++)
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++)
                cov[i * k + j] += (sample[s * k + i] - mean[i]) * (sample[s * k + j] - mean[j]) / (double)(m - 1);
    for (size_t i = 0; i < k; i++) {
        for (size_t s = 0; s < m; s++) column[s] = sample[s * k + i];
        qsort(column, m, sizeof *column, by_value);
        size_t tail = (size_t)(0.5 * (1 - level) * (double)m);
        b->low[i] = column[tail];
        b->high[i] = column[m - 1 - tail];
    }
    FREE_ALL(mean, column, f->cov[ERRORS_BOOTSTRAP]);
    f->cov[ERRORS_BOOTSTRAP] = cov;
    return ERR_OK;
}

err rating_bootstrap(bootstrap *out, rating_fit *f, const results *r, const rating_options *o, int resamples,
                     double level, uint64_t seed)
{
    assert(f->n == r->who.n && level > 0 && level < 1);
    if (resamples < 20 || resamples > 1000000)
        return err_set(ERR_USAGE, "resamples must be 20 to 1000000, not %d", resamples);
    if (r->n == 0 || r->n > UINT32_MAX)
        return err_set(ERR_USAGE, "there are %s games to resample", r->n ? "too many" : "no");
    bootstrap b = {.n = f->n, .resamples = resamples};
    sampler s;
    rating_options use = *o;
    use.prior_draws = f->prior_draws; // lent ones included
    double centre = f->rating[0] - ELO_PER_NAT * f->natural[0];
    size_t k = (size_t)f->n + 1;
    err e = sampler_make(&s, r, resamples);
    for (int i = 0; i < resamples && e == ERR_OK; i++) {
        rng g = rng_at(seed, (uint64_t)i, 0);
        bool drawn = draw_resample(&s, &g);
        newton_point p = {.advantage = f->has_advantage, .draw = f->has_draw && drawn, .x = s.x, .bread = s.bread};
        e = newton_solve(&p, &s.t, &use, f->natural);
        if (e == ERR_OK && !p.bounded) {
            rating_options lent = use;
            lent.prior_draws = 2;
            b.thin++;
            e = newton_solve(&p, &s.t, &lent, f->natural);
        }
        for (size_t j = 0; j < k; j++) s.sample[(size_t)i * k + j] = ELO_PER_NAT * s.x[j] + (j < k - 1 ? centre : 0);
    }
    if (e == ERR_OK) f->clusters = (double)s.clusters;
    if (e == ERR_OK) e = summarise(&b, f, s.sample, level);
    sampler_free(&s);
    if (e != ERR_OK) {
        bootstrap_free(&b);
        return e;
    }
    *out = b;
    return ERR_OK;
}
