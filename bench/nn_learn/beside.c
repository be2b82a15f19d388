// Others on the same positions. See nn_learn.h.
#include "base/file.h"
#include "base/models.h"
#include "nn/quant.h"
#include "nn_learn.h"
#include "search/othello/oth_search.h"

#include <math.h>
#include <stdlib.h>

static const float by_policy[SAYS] = {[SAY_POLICY] = 1};

static int chosen(const label_row *row, const said *x)
{
    int best = -1;
    for (int sq = 0; sq < OTH_SQUARES; sq++)
        if (row->score[sq] != LABEL_ILLEGAL && (best < 0 || x->move[sq][SAY_POLICY] > x->move[best][SAY_POLICY]))
            best = sq;
    return best;
}

static void differ(const label_row *rows, int n, const said *a, const said *b)
{
    double worst = 0, sum = 0, same = 0;
    for (int i = 0; i < n; i++) {
        double off = fabs((double)a[i].value - (double)b[i].value);
        same += chosen(&rows[i], &a[i]) == chosen(&rows[i], &b[i]);
        worst = fmax(worst, off);
        sum += off;
    }
    printf("  f32's move in %.2f %%, value off by %.4f in the mean, %.3f at most", 100 * same / n, sum / n, worst);
}

// int8 beside f32 on the first n held-out positions, on the CPU: both its kernels, the exact direct one and the fast one.
void beside_narrow(study *s, int n)
{
    enum { SAMPLE = 512 };
    const nn_desc *d = &s->net->desc;
    int sample = s->n_learn < SAMPLE ? s->n_learn : SAMPLE;
    size_t planes = (size_t)d->planes, size = (size_t)nn_out_size(d);
    nn_ranges ranges;
    uint64_t *bits = room((size_t)(n > SAMPLE ? n : SAMPLE) * planes, sizeof *bits);
    float *out = room((size_t)n * size, sizeof *out);
    said *x[3];
    for (int i = 0; i < sample; i++) encode(s, s->learn[i].b, bits + (size_t)i * planes);
    must(nn_calibrate(&ranges, s->net, sample, bits, NULL));
    for (int i = 0; i < n; i++) encode(s, s->held[i].b, bits + (size_t)i * planes);
    for (int k = 0; k < 3; k++) {
        nn_plan *p;
        nn_crew *crew;
        must(nn_plan_new(&p, s->net,
                         &(nn_plan_options){.int8 = k == 0 ? NULL : &ranges, .method = k == 1 ? 1 + NN_DIRECT : 0}));
        must(nn_crew_new(&crew, p, s->threads));
        nn_crew_run(crew, n, bits, NULL, out);
        x[k] = judge_read(d, out, n, 1);
        judgement j = judge_by(s->held, x[k], n, by_policy);
        printf("%-32s move optimal %.2f %%  winner right %.2f %%  %.3f discs lost a move", nn_plan_text(p),
               100 * j.optimal, 100 * j.winner, j.discs);
        if (k > 0) differ(s->held, n, x[0], x[k]);
        printf("\n");
        nn_crew_free(crew);
        nn_plan_free(p);
    }
    for (int k = 0; k < 3; k++) free(x[k]);
    free(bits), free(out);
}

// Our alpha-beta with the shipped patterns on the first n held-out positions: what so many plies of search are worth.
void beside_search(const study *s, int n)
{
    char path[FILE_PATH];
    oth_weights *patterns;
    oth_engine *e;
    must(models_find("othello-patterns.bin", path, sizeof path));
    must(oth_weights_load(&patterns, path));
    must(oth_engine_new(&e, &(oth_engine_options){.hash = 14, .weights = patterns}));
    for (int depth = 1; depth <= 7; depth += 2) {
        said *x = room((size_t)n, sizeof *x);
        for (int i = 0; i < n; i++) {
            oth_found found;
            oth_engine_clear(e);
            oth_engine_search(e, s->held[i].b, &(oth_limits){.depth = depth}, &found);
            x[i].move[found.move[0].sq][SAY_POLICY] = 1;
            x[i].value = (float)found.move[0].score;
        }
        judgement j = judge_by(s->held, x, n, by_policy);
        printf("alpha-beta of %d plies on %d positions: move optimal %.2f %%  winner right %.2f %%  %.3f discs lost\n",
               depth, n, 100 * j.optimal, 100 * j.winner, j.discs);
        free(x);
    }
    oth_engine_free(e);
    oth_weights_free(patterns);
}
