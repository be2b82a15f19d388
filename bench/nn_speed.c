// How fast the networks run and train on one thread, by process CPU time (so that a busy neighbour does not count).
//
//   nn_speed NET [infer|int8|train|threads] [seconds a line] [boards a chunk]
//
// NET is a preset or a description. Lines: "infer batch=32 1085 positions/s". tools/nn_peers.py puts PyTorch and oneDNN beside it.
#include "base/rng.h"
#include "nn/infer.h"
#include "nn/quant.h"
#include "nn/train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct input {
    uint64_t *bits;
    float *scalars;
} input;

static input random_input(const nn_desc *d, int n)
{
    input in = {calloc((size_t)n * nn_in_bits(d) + 1, sizeof(uint64_t)),
                calloc((size_t)(n * d->scalars) + 1, sizeof(float))};
    rng r = rng_at(1, 1, 1);
    for (size_t i = 0; i < (size_t)n * nn_in_bits(d); i++) in.bits[i] = rng_u64(&r) & rng_u64(&r);
    for (int i = 0; i < n * d->scalars; i++) in.scalars[i] = (float)rng_unit(&r);
    return in;
}

static void infer(const nn_net *net, const nn_ranges *ranges, int chunk, double seconds)
{
    const nn_desc *d = &net->desc;
    int sizes[] = {1, 8, 32, 128, 256};
    nn_plan *p;
    nn_scratch *s;
    if (nn_plan_new(&p, net, &(nn_plan_options){.int8 = ranges, .chunk = chunk}) != ERR_OK ||
        nn_scratch_new(&s, p) != ERR_OK) {
        fprintf(stderr, "%s\n", err_text());
        exit(1);
    }
    input in = random_input(d, 256);
    float *out = malloc((size_t)(256 * nn_out_size(d)) * sizeof *out);
    for (int k = 0; k < 5; k++) {
        double best = 1e9, end = now() + seconds;
        while (now() < end) {
            double t = now();
            nn_run(p, s, sizes[k], in.bits, in.scalars, out);
            t = now() - t;
            if (t < best) best = t;
        }
        printf("%s (%s) batch=%d %.3f ms %.0f positions/s\n", ranges == NULL ? "infer" : "int8", nn_plan_text(p),
               sizes[k], best * 1e3, sizes[k] / best);
        fflush(stdout);
    }
    free(in.bits), free(in.scalars), free(out);
    nn_scratch_free(s);
    nn_plan_free(p);
}

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// One and two threads in turn, by the wall clock: only a quiet machine answers this.
static void threads(const nn_net *net, double seconds)
{
    const nn_desc *d = &net->desc;
    int n = 256;
    input in = random_input(d, n);
    float *out = malloc((size_t)(n * nn_out_size(d)) * sizeof *out);
    pool *two = pool_new(2);
    nn_plan *p;
    nn_crew *crew[2];
    double best[2] = {1e9, 1e9}, end = wall() + seconds;
    if (nn_plan_new(&p, net, NULL) != ERR_OK || nn_crew_new(&crew[0], p, NULL) != ERR_OK ||
        nn_crew_new(&crew[1], p, two) != ERR_OK)
        exit(1);
    while (wall() < end)
        for (int k = 0; k < 2; k++) {
            double t = wall();
            nn_crew_run(crew[k], n, in.bits, in.scalars, out);
            t = wall() - t;
            if (t < best[k]) best[k] = t;
        }
    printf("threads batch=%d one %.0f positions/s, two %.0f: %.2f times\n", n, n / best[0], n / best[1],
           best[0] / best[1]);
    nn_crew_free(crew[0]), nn_crew_free(crew[1]);
    nn_plan_free(p);
    pool_free(two);
    free(out), free(in.bits), free(in.scalars);
}

static void train(nn_net *net, double seconds)
{
    const nn_desc *d = &net->desc;
    int n = 256;
    input in = random_input(d, n);
    nn_batch b = {.n = n, .bits = in.bits, .scalars = in.scalars};
    nn_trainer *t;
    rng r = rng_at(2, 2, 2);
    for (int h = 0; h < d->n_heads; h++) {
        int size = nn_head_size(d, h);
        float *v = malloc((size_t)(n * size) * sizeof *v);
        int32_t *action = calloc((size_t)n, sizeof *action);
        for (int i = 0; i < n * size; i++)
            v[i] = d->head[h].kind == NN_POLICY ? 1 / (float)size : (float)(2 * rng_unit(&r) - 1);
        b.head[h] = (nn_target){.value = v, .action = action};
    }
    if (nn_trainer_new(&t, net, &(nn_train_options){.max_batch = n}) != ERR_OK) {
        fprintf(stderr, "%s\n", err_text());
        exit(1);
    }
    double best = 1e9, end = now() + seconds;
    do {
        double s = now();
        if (nn_train_step(t, &b, 1e-3f, NULL) != ERR_OK) break;
        s = now() - s;
        if (s < best) best = s;
    } while (now() < end);
    printf("train batch=%d %.1f ms %.0f positions/s\n", n, best * 1e3, n / best);
    for (int h = 0; h < d->n_heads; h++) free((void *)b.head[h].value), free((void *)b.head[h].action);
    free(in.bits), free(in.scalars);
    nn_trainer_free(t);
}

int main(int argc, char **argv)
{
    nn_desc d;
    nn_net *net;
    const char *what = argc > 2 ? argv[2] : "infer";
    double seconds = argc > 3 ? atof(argv[3]) : 1;
    int chunk = argc > 4 ? atoi(argv[4]) : 0;
    if (nn_desc_parse(argc > 1 ? argv[1] : "othello-seed", &d) != ERR_OK || nn_net_new(&net, &d, 1) != ERR_OK) {
        fprintf(stderr, "%s\n", err_text());
        return 2;
    }
    if (strcmp(what, "int8") == 0) {
        nn_ranges ranges;
        input in = random_input(&d, 64);
        if (nn_calibrate(&ranges, net, 64, in.bits, in.scalars) == ERR_OK) infer(net, &ranges, chunk, seconds);
        free(in.bits), free(in.scalars);
    } else if (strcmp(what, "threads") == 0) {
        threads(net, seconds);
    } else if (strcmp(what, "train") == 0) {
        train(net, seconds);
    } else {
        infer(net, NULL, chunk, seconds);
    }
    nn_net_free(net);
    return 0;
}
