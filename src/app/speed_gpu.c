// The rows of `keiko speed nn --backend cuda`: networks on the CUDA backend, from the caller's side (bits in, outputs back), two batches in
// flight; training steps. Builds without CUDA have no rows; without a GPU a row says why it is empty.
#include "app/speed.h"
#include "base/clock.h"
#include "base/rng.h"
#include "nn/backend.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(KEIKO_CUDA)

enum { IN_FLIGHT = 2, SCALE_BY = 64 }; // positions for fp8's scales
enum { BF16, FP8, TRAIN };

typedef struct gpu_job {
    const nn_backend *gpu;
    nn_net *net;
    int batch;
    uint64_t *bits;
    float *scalars, *out[IN_FLIGHT], *target[NN_MAX_HEADS];
} gpu_job;

static err job_new(gpu_job *j, const char *preset, int batch)
{
    nn_desc d;
    *j = (gpu_job){.batch = batch};
    err e = nn_backend_find("cuda", &j->gpu);
    if (e == ERR_OK) e = nn_desc_parse(preset, &d);
    if (e == ERR_OK) e = nn_net_new(&j->net, &d, 1);
    if (e != ERR_OK) return e;
    size_t words = (size_t)batch * nn_in_bits(&d);
    rng r = rng_at(1, 1, 1);
    j->bits = calloc(words + 1, sizeof *j->bits);
    j->scalars = calloc((size_t)(batch * d.scalars) + 1, sizeof *j->scalars);
    bool good = j->bits != NULL && j->scalars != NULL;
    for (int i = 0; i < IN_FLIGHT; i++) {
        j->out[i] = calloc((size_t)(batch * nn_out_size(&d)), sizeof(float));
        good = good && j->out[i] != NULL;
    }
    for (int h = 0; h < d.n_heads; h++) {
        size_t size = (size_t)(batch * nn_head_size(&d, h));
        j->target[h] = calloc(size, sizeof(float));
        good = good && j->target[h] != NULL;
        for (size_t i = 0; good && i < size && d.head[h].kind == NN_POLICY; i++)
            j->target[h][i] = 1.0f / (float)nn_head_size(&d, h);
    }
    for (size_t i = 0; good && i < words; i++) j->bits[i] = rng_u64(&r) & rng_u64(&r);
    return good ? ERR_OK : err_set(ERR_MEMORY, "no memory for a batch of %d positions", batch);
}

static void job_free(gpu_job *j)
{
    nn_net_free(j->net);
    free(j->bits), free(j->scalars);
    for (int i = 0; i < IN_FLIGHT; i++) free(j->out[i]);
    for (int h = 0; h < NN_MAX_HEADS; h++) free(j->target[h]);
}

// Positions per second.
static err infer(const gpu_job *j, bool fp8, double seconds, double *rate, char *note, size_t n)
{
    nn_infer *h[IN_FLIGHT] = {NULL};
    const nn_backend *g = j->gpu;
    long done = 0;
    nn_sample narrow = {j->batch < SCALE_BY ? j->batch : SCALE_BY, j->bits, j->scalars};
    err e = g->infer_new(&h[0], j->net, &(nn_infer_options){.max_batch = j->batch, .narrow = fp8 ? &narrow : NULL});
    for (int i = 1; i < IN_FLIGHT && e == ERR_OK; i++) e = g->infer_fork(&h[i], h[0]);
    for (int i = 0; i < 3 && e == ERR_OK; i++) e = g->infer_run(h[0], j->batch, j->bits, j->scalars, j->out[0]);
    for (int i = 0; i < IN_FLIGHT && e == ERR_OK; i++)
        e = g->infer_submit(h[i], j->batch, j->bits, j->scalars, j->out[i]);
    double start = clock_seconds();
    for (int i = 0; e == ERR_OK && clock_seconds() - start < seconds; i = (i + 1) % IN_FLIGHT, done++) {
        e = g->infer_wait(h[i]);
        if (e == ERR_OK) e = g->infer_submit(h[i], j->batch, j->bits, j->scalars, j->out[i]);
    }
    *rate = (double)done * j->batch / (clock_seconds() - start);
    if (e == ERR_OK) snprintf(note, n, "%s", g->infer_text(h[0]));
    for (int i = 0; i < IN_FLIGHT; i++) {
        if (h[i] != NULL && g->infer_wait(h[i]) != ERR_OK && e == ERR_OK) e = ERR_IO;
        g->infer_free(h[i]);
    }
    return e;
}

static err train(const gpu_job *j, double seconds, double *rate, char *note, size_t n)
{
    const nn_desc *d = &j->net->desc;
    nn_learner *l = NULL;
    nn_step_report r;
    nn_batch b = {.n = j->batch, .bits = j->bits, .scalars = j->scalars};
    for (int h = 0; h < d->n_heads; h++) b.head[h].value = d->head[h].kind == NN_DUEL ? NULL : j->target[h];
    err e = j->gpu->learner_new(&l, j->net, &(nn_train_options){.max_batch = j->batch});
    for (int i = 0; i < 3 && e == ERR_OK; i++) e = j->gpu->learner_step(l, &b, 1e-3f, &r);
    long done = 0;
    double start = clock_seconds();
    for (; e == ERR_OK && clock_seconds() - start < seconds; done++) e = j->gpu->learner_step(l, &b, 1e-3f, NULL);
    if (e == ERR_OK) e = j->gpu->learner_step(l, &b, 1e-3f, &r), done++; // waits for all of them
    double t = clock_seconds() - start;
    *rate = (double)done * j->batch / t;
    if (e == ERR_OK) snprintf(note, n, "%.2f ms per step", t / (double)done * 1e3);
    if (l != NULL) j->gpu->learner_free(l);
    return e;
}

static const char *const nets[] = {"othello-seed", "contrast-seed", "renju-small"};

static double gpu_rate(int arg, double seconds, char *note, size_t n)
{
    gpu_job j;
    double rate = 0;
    err e = job_new(&j, nets[arg >> 24], arg & 0xfffff);
    int how = arg >> 20 & 3;
    if (e == ERR_OK)
        e = how == TRAIN ? train(&j, seconds, &rate, note, n) : infer(&j, how == FP8, seconds, &rate, note, n);
    if (e != ERR_OK) snprintf(note, n, "%s", err_text());
    job_free(&j);
    return e == ERR_OK ? rate : 0;
}

#define ROW(text, net, how, batch)                                                                                     \
    {                                                                                                                  \
        .group = "nn", .name = text ", batch " #batch, .unit = "positions", .rate = gpu_rate,                          \
        .arg = (net) << 24 | (how) << 20 | (batch)                                                                     \
    }
const speed_row speed_gpu[] = {
    ROW("othello-seed bf16", 0, BF16, 1),          ROW("othello-seed bf16", 0, BF16, 256),
    ROW("othello-seed bf16", 0, BF16, 1024),       ROW("othello-seed bf16", 0, BF16, 4096),
    ROW("othello-seed fp8", 0, FP8, 256),          ROW("othello-seed fp8", 0, FP8, 1024),
    ROW("othello-seed fp8", 0, FP8, 4096),         ROW("othello-seed training", 0, TRAIN, 256),
    ROW("othello-seed training", 0, TRAIN, 1024),  ROW("othello-seed training", 0, TRAIN, 4096),
    ROW("contrast-seed bf16", 1, BF16, 1024),      ROW("contrast-seed fp8", 1, FP8, 1024),
    ROW("contrast-seed training", 1, TRAIN, 1024), ROW("renju-small bf16", 2, BF16, 1024),
    ROW("renju-small fp8", 2, FP8, 1024),          ROW("renju-small training", 2, TRAIN, 1024),
};
const int n_speed_gpu = (int)(sizeof speed_gpu / sizeof *speed_gpu);

#else

const speed_row speed_gpu[] = {{.group = NULL}};
const int n_speed_gpu = 0;

#endif
