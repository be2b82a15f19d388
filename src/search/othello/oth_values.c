// Agreement of shallow values with listed scores. See oth_values.h.
#include "search/othello/oth_values.h"

#include <math.h>

const int oth_value_range[OTH_VALUE_RANGES][2] = {{20, 20}, {28, 33}, {34, 38}, {39, 44}, {28, 44}};

typedef struct sums {
    double n, x, y, xx, yy, xy;
} sums;

static oth_agreement agreement(const sums *s)
{
    oth_agreement a = {.n = (int)s->n};
    if (s->n < 2) return a;
    double x = s->x / s->n, y = s->y / s->n;
    double xx = s->xx / s->n - x * x, yy = s->yy / s->n - y * y, xy = s->xy / s->n - x * y;
    a.spread = sqrt(yy > 0 ? yy : 0);
    if (xx > 0 && yy > 0) a.correlation = xy / sqrt(xx * yy);
    a.bias = x - y;
    double square = (s->xx - 2 * s->xy + s->yy) / s->n;
    a.rms = sqrt(square > 0 ? square : 0);
    return a;
}

void oth_values_measure(oth_engine *e, const oth_problem *p, int n, int depth, oth_agreement out[OTH_VALUE_RANGES])
{
    sums s[OTH_VALUE_RANGES] = {0};
    for (int i = 0; i < n; i++) {
        oth_found f;
        if (p[i].n == 0) continue;
        int empties = oth_count(oth_empty(p[i].s.b)), best = p[i].moves[0].score;
        for (int k = 1; k < p[i].n; k++) best = p[i].moves[k].score > best ? p[i].moves[k].score : best;
        oth_engine_clear(e);
        oth_engine_search(e, p[i].s.b, &(oth_limits){.depth = depth}, &f);
        double v = f.move[0].score, y = best;
        for (int k = 0; k < OTH_VALUE_RANGES; k++) {
            if (empties < oth_value_range[k][0] || empties > oth_value_range[k][1]) continue;
            s[k].n++;
            s[k].x += v;
            s[k].y += y;
            s[k].xx += v * v;
            s[k].yy += y * y;
            s[k].xy += v * y;
        }
    }
    for (int k = 0; k < OTH_VALUE_RANGES; k++) out[k] = agreement(&s[k]);
}
