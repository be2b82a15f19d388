// How fast the CUDA backend runs and trains, from the caller's side: bits in, outputs back, transfers counted.
//
//   gpu_speed NET [infer|moves|fp8|train] [seconds per line] [batch …]
//
// NET is a preset or a description. moves: only the legal moves' probabilities come back, as a search wants it; fp8: the same
// with the blocks in e4m3, calibrated on the batch. Inference keeps three batches in flight (handles forked from one); "call" is one
// batch alone, submitted and waited for. bench/gpu_vs_torch puts PyTorch beside it, and says what share of the GPU's matrix
// product the TFLOP/s are.
#include "base/rng.h"
#include "nn/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { IN_FLIGHT = 3, MOVES = 10 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(err e)
{
    if (e == ERR_OK) return;
    fprintf(stderr, "%s\n", err_text());
    exit(1);
}

typedef struct batch {
    uint64_t *bits;
    float *scalars, *out;
    uint32_t *start;
    uint16_t *index;
    float *prior;
} batch;

static batch make_batch(const nn_desc *d, int n)
{
    size_t heads = 0, words = (size_t)n * nn_in_bits(d), moves = (size_t)n * MOVES;
    for (int h = 0; h < d->n_heads; h++) heads += d->head[h].kind == NN_POLICY;
    batch b = {.bits = calloc(words + 1, sizeof(uint64_t)),
               .scalars = calloc((size_t)(n * d->scalars) + 1, sizeof(float)),
               .out = calloc((size_t)n * (size_t)nn_out_size(d), sizeof(float)),
               .start = calloc((size_t)n + 1, sizeof(uint32_t)),
               .index = calloc(moves * (heads + 1), sizeof(uint16_t)),
               .prior = calloc(moves, sizeof(float))};
    rng r = rng_at(1, 1, 1);
    for (size_t i = 0; i < words; i++) b.bits[i] = rng_u64(&r) & rng_u64(&r);
    for (int i = 0; i < n * d->scalars; i++) b.scalars[i] = (float)rng_unit(&r);
    for (int i = 0; i <= n; i++) b.start[i] = (uint32_t)(i * MOVES);
    for (size_t i = 0; i < moves; i++)
        for (int h = 0, k = 0; h < d->n_heads; h++)
            if (d->head[h].kind == NN_POLICY)
                b.index[i * heads + (size_t)k++] = (uint16_t)rng_below(&r, (uint32_t)d->head[h].out);
    return b;
}

static void free_batch(batch *b)
{
    free(b->bits), free(b->scalars), free(b->out), free(b->start), free(b->index), free(b->prior);
}

static void submit(const nn_backend *g, nn_infer *h, int n, batch *b, bool moves)
{
    nn_moves m = {b->start, b->index, b->prior, b->out};
    check(moves ? g->infer_submit_moves(h, n, b->bits, b->scalars, &m)
                : g->infer_submit(h, n, b->bits, b->scalars, b->out));
}

static void infer(const nn_backend *g, const nn_net *net, int n, bool moves, bool fp8, double seconds)
{
    nn_infer *h[IN_FLIGHT];
    batch b[IN_FLIGHT];
    for (int i = 0; i < IN_FLIGHT; i++) b[i] = make_batch(&net->desc, n);
    nn_sample narrow = {n < 64 ? n : 64, b[0].bits, b[0].scalars};
    check(g->infer_new(&h[0], net, &(nn_infer_options){.max_batch = n, .narrow = fp8 ? &narrow : NULL}));
    for (int i = 1; i < IN_FLIGHT; i++) check(g->infer_fork(&h[i], h[0]));
    double best = 1e9, start = now();
    for (int k = 0; k < 20 || now() - start < seconds / 2; k++) {
        double t = now();
        submit(g, h[0], n, &b[0], moves);
        check(g->infer_wait(h[0]));
        t = now() - t;
        if (k > 3 && t < best) best = t;
    }
    for (int i = 0; i < IN_FLIGHT; i++) submit(g, h[i], n, &b[i], moves);
    long done = 0;
    start = now();
    for (int i = 0; now() - start < seconds; i = (i + 1) % IN_FLIGHT, done++) {
        check(g->infer_wait(h[i]));
        submit(g, h[i], n, &b[i], moves);
    }
    double t = now() - start;
    for (int i = 0; i < IN_FLIGHT; i++) check(g->infer_wait(h[i]));
    printf("%s batch=%d call %.1f us, in flight %.0f positions/s (%s)\n", moves ? "moves" : "infer", n, best * 1e6,
           (double)done * n / t, g->infer_text(h[0]));
    fflush(stdout);
    for (int i = 0; i < IN_FLIGHT; i++) g->infer_free(h[i]), free_batch(&b[i]);
}

static void train(const nn_backend *g, const nn_net *net, int n, double seconds)
{
    const nn_desc *d = &net->desc;
    nn_learner *l;
    batch b = make_batch(d, n);
    nn_batch in = {.n = n, .bits = b.bits, .scalars = b.scalars};
    rng r = rng_at(2, 2, 2);
    for (int h = 0; h < d->n_heads; h++) {
        int size = nn_head_size(d, h);
        float *v = calloc((size_t)n * (size_t)size, sizeof *v);
        for (size_t i = 0; i < (size_t)n * (size_t)size; i++)
            v[i] = d->head[h].kind == NN_POLICY ? 1.0f / (float)size : 2 * (float)rng_unit(&r) - 1;
        in.head[h] = (nn_target){.value = v, .action = calloc((size_t)n, sizeof(int32_t))};
    }
    check(g->learner_new(&l, net, &(nn_train_options){.max_batch = n, .ema = 0.999f}));
    nn_step_report first = {0}, last = {0};
    for (int i = 0; i < 5; i++) check(g->learner_step(l, &in, 1e-3f, i == 0 ? &first : &last));
    long done = 0;
    double start = now();
    while (now() - start < seconds || done < 5) check(g->learner_step(l, &in, 1e-3f, NULL)), done++;
    check(g->learner_step(l, &in, 1e-3f, &last)); // waits for those queued
    done++;
    double t = now() - start;
    // as bench/gpu_vs_torch counts: back is twice forward
    printf("train batch=%d %.3f ms per step, %.0f positions/s, %.0f TFLOP/s; loss %.4f to %.4f\n", n,
           t / (double)done * 1e3, (double)done * n / t, 3 * nn_flops(d) * (double)done * n / t * 1e-12, first.loss,
           last.loss);
    fflush(stdout);
    g->learner_free(l);
    for (int h = 0; h < d->n_heads; h++) free((void *)in.head[h].value), free((void *)in.head[h].action);
    free_batch(&b);
}

int main(int argc, char **argv)
{
    const nn_backend *g;
    nn_desc d;
    nn_net *net;
    const char *what = argc > 2 ? argv[2] : "infer";
    double seconds = argc > 3 ? atof(argv[3]) : 1;
    static const int usual[] = {1, 64, 256, 1024, 4096, 16384};
    if (argc < 2) {
        fprintf(stderr, "usage: gpu_speed NET [infer|moves|fp8|train] [seconds per line] [batch …]\n");
        return 2;
    }
    check(nn_desc_parse(argv[1], &d));
    check(nn_backend_find("cuda", &g));
    check(nn_net_new(&net, &d, 1));
    for (int i = 0; i < (argc > 4 ? argc - 4 : 6); i++) {
        int n = argc > 4 ? atoi(argv[4 + i]) : usual[i];
        if (n < 1) continue;
        if (strcmp(what, "train") == 0)
            train(g, net, n, seconds);
        else
            infer(g, net, n, strcmp(what, "infer") != 0, strcmp(what, "fp8") == 0, seconds);
    }
    nn_net_free(net);
    return 0;
}
