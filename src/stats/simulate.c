// Simulated tournaments; see simulate.h.
#include "stats/simulate.h"

#include "stats/elo.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

// Chances of loss, draw, win for the first player with this lead in Elo.
static void chances(const sim_options *o, double lead, double p[3])
{
    double d = lead / ELO_PER_NAT;
    if (o->model != MODEL_BT) {
        double e = o->model == MODEL_RAO_KUPPER ? o->draw / ELO_PER_NAT : log(o->draw);
        model_chances(o->model, d, e, p);
        return;
    }
    model_chances(MODEL_BT, d, 0, p);
    double half = o->draw * fmin(p[0], p[2]); // taken from both sides alike
    p[0] -= half, p[2] -= half;
    p[1] = 2 * half;
}

static int play(const sim_options *o, double lead, rng *r)
{
    double p[3], u = rng_unit(r);
    chances(o, lead, p);
    return u < p[0] ? 0 : u < p[0] + p[1] ? 1 : 2;
}

void sim_pair(const sim_options *o, int a, int b, rng *r, int halves[2])
{
    double lead = o->elo[a] - o->elo[b];
    double balance = o->balance_sd > 0 ? o->balance_sd * rng_normal(r) : 0;
    double style = o->style_sd > 0 ? o->style_sd * rng_normal(r) : 0;
    halves[0] = play(o, lead + style + o->advantage + balance, r);
    halves[1] = play(o, -lead - style + o->advantage + balance, r);
}

static err name_players(roster *who, int n)
{
    assert(n >= 1);
    for (int i = 0, at; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        err e = roster_add(who, name, &at);
        if (e != ERR_OK) return e;
    }
    return ERR_OK;
}

err sim_tournament(results *out, const sim_options *o, uint64_t seed, uint64_t index)
{
    results r = {0};
    uint32_t pair = 0;
    rng g = rng_at(seed, index, 0);
    err e = name_players(&r.who, o->n);
    for (int a = 0; a < o->n; a++)
        for (int b = a + 1; b < o->n; b++)
            for (int k = 0; k < o->pairs && e == ERR_OK; k++, pair++) {
                int halves[2];
                sim_pair(o, a, b, &g, halves);
                e = results_add(&r, a, b, halves[0], pair);
                if (e == ERR_OK) e = results_add(&r, b, a, halves[1], pair);
            }
    if (e != ERR_OK) {
        results_free(&r);
        return e;
    }
    *out = r;
    return ERR_OK;
}

err sim_expected(tally *out, const sim_options *o)
{
    enum { POINTS = 401 };
    tally t = {0};
    err e = name_players(&t.who, o->n);
    double sd =
        hypot(o->balance_sd, o->style_sd); // of one game alone; the two games share it, which an expectation ignores
    for (int a = 0; a < o->n; a++)
        for (int b = 0; b < o->n && e == ERR_OK; b++) {
            double sum[3] = {0}, weight = 0;
            if (a == b) continue;
            for (int k = 0; k < POINTS; k++) {
                double z = -8 + 16.0 * k / (POINTS - 1), w = exp(-0.5 * z * z), p[3];
                chances(o, o->elo[a] - o->elo[b] + o->advantage + sd * z, p);
                for (int i = 0; i < 3; i++) sum[i] += w * p[i];
                weight += w;
            }
            double n = o->pairs / weight;
            e = tally_add(&t, a, b, n * sum[2], n * sum[1], n * sum[0]);
        }
    if (e != ERR_OK) {
        tally_free(&t);
        return e;
    }
    *out = t;
    return ERR_OK;
}
