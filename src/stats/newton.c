// Likelihood, prior and Newton's method for rating.c. See newton.h.
//
// Shifting all ratings changes no likelihood, so without anchors the Hessian is singular along v = (1, …, 1, 0, 0).
// Adding a multiple of v v^T makes it regular without touching any other direction; taking it out of the inverse again
// leaves the covariance in the frame "mean of the pool fixed".
#include "stats/newton.h"

#include "base/memory.h"
#include "stats/elo.h"
#include "stats/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 200 };
static const double thin_information = 1e-3; // of a game's worth: one upset alone gives some tenths

// --- likelihood and prior

static void add_cell(const tally_cell *c, model_value v, int n, double *g, double *h)
{
    size_t s = (size_t)n + 2, i = (size_t)c->first, j = (size_t)c->second, a = (size_t)n, e = a + 1;
    g[i] += v.gd, g[j] -= v.gd, g[a] += v.gd, g[e] += v.ge;
    if (h == NULL) return;
    // d = x_i - x_j + x_a, so the block is an outer product of (1, -1, 1, e).
    h[i * s + i] += v.hdd, h[j * s + j] += v.hdd, h[a * s + a] += v.hdd, h[e * s + e] += v.hee;
    h[i * s + j] -= v.hdd, h[j * s + i] -= v.hdd;
    h[i * s + a] += v.hdd, h[a * s + i] += v.hdd;
    h[j * s + a] -= v.hdd, h[a * s + j] -= v.hdd;
    h[i * s + e] += v.hde, h[e * s + i] += v.hde;
    h[j * s + e] -= v.hde, h[e * s + j] -= v.hde;
    h[a * s + e] += v.hde, h[e * s + a] += v.hde;
}

// The prior speaks of u = x - mean(x), so its gradient and Hessian are projected: P f' and P diag(f'') P, with
// P = I - 11^T/n.
double newton_prior(int n, rating_model m, double draws, double sd, const double *x, double *g, double *h)
{
    size_t s = (size_t)n + 2, players = (size_t)n;
    double ll = 0, mean = 0, mean_g = 0, mean_h = 0, precision = sd > 0 ? ELO_PER_NAT * ELO_PER_NAT / (sd * sd) : 0;
    for (size_t i = 0; i < players; i++) mean += x[i] / n;
    for (int pass = 0; pass < 2; pass++) // first the means of f' and f'', then what they project to
        for (size_t i = 0; i < players; i++) {
            double u = x[i] - mean;
            model_value v = model_eval(MODEL_BT, u, 0, 0, draws, 0);
            double f1 = v.gd - precision * u, f2 = v.hdd - precision;
            if (pass == 0) {
                ll += v.ll - 0.5 * precision * u * u;
                mean_g += f1 / n;
                mean_h += f2 / n;
                continue;
            }
            g[i] += f1 - mean_g;
            if (h == NULL) continue;
            h[i * s + i] += f2;
            for (size_t j = 0; j < players; j++) { // -f2_i/n - f2_j/n + mean/n, once for (i, j) and once for (j, i)
                h[i * s + j] += mean_h / n - f2 / n;
                h[j * s + i] -= f2 / n;
            }
        }
    if (draws > 0) {
        model_value v = model_eval(m, x[n], x[n + 1], draws / 4, draws / 2, draws / 4);
        size_t a = players, e = a + 1;
        ll += v.ll;
        g[a] += v.gd, g[e] += v.ge;
        if (h != NULL) h[a * s + a] += v.hdd, h[e * s + e] += v.hee, h[a * s + e] += v.hde, h[e * s + a] += v.hde;
    }
    return ll;
}

double newton_objective(const tally *t, rating_model m, double prior_draws, double prior_sd, const double *x, double *g,
                        double *h)
{
    int n = t->who.n;
    size_t s = (size_t)n + 2;
    double ll = 0;
    memset(g, 0, s * sizeof *g);
    if (h != NULL) memset(h, 0, s * s * sizeof *h);
    for (int k = 0; k < t->n; k++) {
        const tally_cell *c = &t->cell[k];
        model_value v = model_eval(m, x[c->first] - x[c->second] + x[n], x[n + 1], c->wins, c->draws, c->losses);
        ll += v.ll;
        add_cell(c, v, n, g, h);
    }
    if (prior_draws > 0 || prior_sd > 0) ll += newton_prior(n, m, prior_draws, prior_sd, x, g, h);
    return ll;
}

// --- Newton's method

typedef struct problem {
    const tally *t;
    rating_model m;
    double prior_draws, prior_sd;
    int *index;        // [m] the free parameters' places in x
    int free;          // m
    bool floating;     // no anchors: v is a null direction
    double *x, *y;     // [n+2] the point, a trial
    double *g, *h;     // [n+2], [n+2][n+2]
    double *a, *b, *d; // [m][m] reduced information, [m] right-hand side and step
} problem;

static void problem_free(problem *p)
{
    FREE_ALL(p->index, p->x, p->y, p->g, p->h, p->a, p->b, p->d);
}

static err problem_make(problem *p, const tally *t, const rating_options *o, bool advantage, bool draw)
{
    int n = t->who.n;
    size_t s = (size_t)n + 2;
    *p = (problem){
        .t = t, .m = o->model, .prior_draws = o->prior_draws, .prior_sd = o->prior_sd, .floating = o->n_anchors == 0};
    p->index = calloc(s, sizeof *p->index);
    p->x = calloc(s, sizeof *p->x);
    p->y = calloc(s, sizeof *p->y);
    p->g = calloc(s, sizeof *p->g);
    p->h = calloc(s * s, sizeof *p->h);
    p->a = calloc(s * s, sizeof *p->a);
    p->b = calloc(s, sizeof *p->b);
    p->d = calloc(s, sizeof *p->d);
    if (!p->index || !p->x || !p->y || !p->g || !p->h || !p->a || !p->b || !p->d)
        return err_set(ERR_MEMORY, "out of memory for the ratings of %d players", n);
    double mean = 0;
    for (int k = 0; k < o->n_anchors; k++) mean += o->anchors[k].rating / o->n_anchors;
    for (int i = 0; i < n; i++) {
        bool held = false;
        for (int k = 0; k < o->n_anchors; k++)
            if (o->anchors[k].player == i) {
                held = true;
                p->x[i] = (o->anchors[k].rating - mean) / ELO_PER_NAT;
            }
        if (!held) p->index[p->free++] = i;
    }
    if (advantage) p->index[p->free++] = n;
    if (draw) p->index[p->free++] = n + 1;
    return ERR_OK;
}

// a = the information (minus the Hessian) of the free parameters, made regular along v, plus `damp` on its diagonal.
static bool reduce(problem *p, double damp)
{
    size_t m = (size_t)p->free, s = (size_t)p->t->who.n + 2;
    double scale = 0;
    int players = 0;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < m; j++) p->a[i * m + j] = -p->h[(size_t)p->index[i] * s + (size_t)p->index[j]];
        if (p->index[i] < p->t->who.n) scale += p->a[i * m + i], players++;
    }
    scale = scale > 0 ? scale / players / players : 1.0; // a sum over players: 0 without any
    if (p->floating)
        for (size_t i = 0; i < (size_t)players; i++)
            for (size_t j = 0; j < (size_t)players; j++) p->a[i * m + j] += scale;
    for (size_t i = 0; i < m; i++) p->a[i * m + i] += damp;
    return matrix_cholesky(p->a, p->free);
}

// The longest fraction of the step that keeps Rao-Kupper's threshold positive.
static double step_limit(const problem *p)
{
    int last = p->free - 1;
    if (p->m != MODEL_RAO_KUPPER || last < 0 || p->index[last] != p->t->who.n + 1 || p->d[last] >= 0) return 1.0;
    return fmin(1.0, -0.9 * p->x[p->t->who.n + 1] / p->d[last]);
}

static double objective_at(problem *p, const double *x, double *h)
{
    return newton_objective(p->t, p->m, p->prior_draws, p->prior_sd, x, p->g, h);
}

// Climbs to the maximum from p->x. Steps are damped where the information is not positive definite, kept below 3
// natural units (521 Elo) each, and halved until the likelihood rises. Near the maximum its gain drowns in rounding;
// there Newton's method needs no guard, and its own decrement (twice the gain still possible) says when to stop.
// Returns the number of steps.
static int climb(problem *p)
{
    size_t bytes = ((size_t)p->t->who.n + 2) * sizeof *p->x;
    double value = objective_at(p, p->x, p->h), last = INFINITY;
    int steps = 0;
    for (; steps < MAX_STEPS; steps++) {
        double damp = 0, decrement = 0, longest = 0;
        while (!reduce(p, damp)) damp = damp > 0 ? 10 * damp : 1e-9;
        for (int i = 0; i < p->free; i++) p->b[i] = p->g[p->index[i]];
        matrix_solve(p->a, p->free, p->b, p->d);
        for (int i = 0; i < p->free; i++) {
            decrement += p->b[i] * p->d[i];
            longest = fmax(longest, fabs(p->d[i]));
        }
        bool close = decrement < 1e-10 * (1 + fabs(value));
        if (decrement < 1e-24 || (close && decrement > 0.25 * last)) break;
        last = decrement;
        double fraction = fmin(step_limit(p), longest > 3 ? 3 / longest : 1.0);
        bool better = false;
        for (int halving = 0; halving < 60 && !better; halving++, fraction *= 0.5) {
            memcpy(p->y, p->x, bytes);
            for (int i = 0; i < p->free; i++) p->y[p->index[i]] += fraction * p->d[i];
            better = close || objective_at(p, p->y, NULL) > value;
        }
        if (!better) break;
        memcpy(p->x, p->y, bytes);
        value = objective_at(p, p->x, p->h);
    }
    objective_at(p, p->x, p->h);
    return steps;
}

// bread[n+2][n+2] = inverse information in the frame, zero for held parameters. False when some direction holds less
// information than any bounded estimate can: one upset alone is worth some tenths of a game.
static bool make_bread(problem *p, double *bread)
{
    int n = p->t->who.n;
    size_t m = (size_t)p->free, s = (size_t)n + 2, players = 0;
    double *inverse = p->h, worst = 0; // the Hessian is no longer needed
    double damp = 0;
    while (!reduce(p, damp)) damp = damp > 0 ? 10 * damp : 1e-9;
    matrix_inverse(p->a, p->free, inverse);
    for (size_t i = 0; i < m; i++) players += p->index[i] < n;
    // v is an eigenvector, so the inverse holds v v^T / (scale * players^2): remove the mean of rows and columns
    // instead of trusting the scale to the last digit.
    if (p->floating && players > 0) {
        double pn = (double)players;
        for (size_t i = 0; i < m; i++) {
            double mean = 0;
            for (size_t j = 0; j < players; j++) mean += inverse[i * m + j] / pn;
            for (size_t j = 0; j < players; j++) inverse[i * m + j] -= mean;
        }
        for (size_t j = 0; j < m; j++) {
            double mean = 0;
            for (size_t i = 0; i < players; i++) mean += inverse[i * m + j] / pn;
            for (size_t i = 0; i < players; i++) inverse[i * m + j] -= mean;
        }
    }
    memset(bread, 0, s * s * sizeof *bread);
    for (size_t i = 0; i < m; i++) {
        worst = fmax(worst, inverse[i * m + i]);
        for (size_t j = 0; j < m; j++) bread[(size_t)p->index[i] * s + (size_t)p->index[j]] = inverse[i * m + j];
    }
    return damp == 0 && worst < 1 / thin_information;
}

err newton_solve(newton_point *out, const tally *t, const rating_options *o, const double *start)
{
    problem p;
    int n = t->who.n;
    double draws = 0, games = tally_games(t);
    for (int k = 0; k < t->n; k++) draws += t->cell[k].draws;
    err e = problem_make(&p, t, o, out->advantage, out->draw);
    if (e != ERR_OK) goto done;
    if (out->draw)
        p.x[n + 1] = model_draw_start(o->model, fmin(fmax(draws / fmax(games, 1), 0.01), 0.9));
    else if (o->model == MODEL_DAVIDSON)
        p.x[n + 1] = -INFINITY; // nobody drew: nu = 0
    if (start != NULL)
        for (int i = 0; i < p.free; i++) p.x[p.index[i]] = start[p.index[i]];
    out->iterations = climb(&p);
    out->parameters = p.free - (p.floating && p.free > 0);
    if (p.floating) {
        double mean = 0;
        for (int i = 0; i < n; i++) mean += p.x[i] / n;
        for (int i = 0; i < n; i++) p.x[i] -= mean;
    }
    memcpy(out->x, p.x, ((size_t)n + 2) * sizeof *p.x);
    out->loglik = newton_objective(t, o->model, 0, 0, p.x, p.g, NULL);
    out->bounded = make_bread(&p, out->bread);
done:
    problem_free(&p);
    return e;
}
