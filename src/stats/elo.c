// The Elo scale and sequential Elo; see elo.h.
#include "stats/elo.h"

#include <math.h>

double elo_expected(double difference)
{
    return 1.0 / (1.0 + pow(10.0, -difference / 400.0));
}

double elo_difference(double score)
{
    double s = fmin(fmax(score, 1e-3), 1.0 - 1e-3);
    return -400.0 * log10(1.0 / s - 1.0);
}

void elo_update(double *first, double *second, int halves, double k)
{
    double change = k * (0.5 * halves - elo_expected(*first - *second));
    *first += change;
    *second -= change;
}

void elo_sequential(const results *r, double start, double k, double *rating)
{
    for (int i = 0; i < r->who.n; i++) rating[i] = start;
    for (size_t i = 0; i < r->n; i++)
        elo_update(&rating[r->game[i].first], &rating[r->game[i].second], r->game[i].halves, k);
}
