// oneDNN's side of the comparison: the tower's convolutions (bias, ReLU, residual sum fused) on one thread, its best algorithm.
//
//   nn_onednn NET [seconds per line]
//
// Weights and activations are in the formats oneDNN chooses; both its direct and its Winograd convolution are timed where it
// has one, and the better is printed in nn_speed's format. Stem and heads are left out, to oneDNN's advantage.
// Build: cc -O2 -Isrc bench/nn_onednn.c build/release/libkeiko.a -ldnnl -lm -lpthread; run with OMP_NUM_THREADS=1.
#include "nn/desc.h"

#include <dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        dnnl_status_t status = (call);                                                                                 \
        if (status != dnnl_success) {                                                                                  \
            fprintf(stderr, "%s: oneDNN status %d\n", #call, (int)status);                                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct layer {
    dnnl_primitive_t conv;
    dnnl_exec_arg_t args[4];
} layer;

static dnnl_memory_t filled(const dnnl_memory_desc_t *md, dnnl_engine_t engine)
{
    dnnl_memory_t m;
    float *p;
    CHECK(dnnl_memory_create(&m, md, engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_memory_map_data(m, (void **)&p));
    for (size_t i = 0; i < dnnl_memory_desc_get_size(md) / sizeof *p; i++) p[i] = (float)(i % 17) * 1e-3f - 8e-3f;
    CHECK(dnnl_memory_unmap_data(m, p));
    return m;
}

static dnnl_primitive_desc_t describe(const nn_desc *d, int n, bool winograd, bool residual, dnnl_engine_t engine)
{
    dnnl_dims_t x = {n, d->channels, d->rows, d->cols}, w = {d->channels, d->channels, 3, 3}, b = {d->channels},
                one = {1, 1}, pad = {1, 1};
    dnnl_memory_desc_t xm, wm, bm;
    dnnl_convolution_desc_t cd;
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    dnnl_primitive_desc_t pd = NULL;
    CHECK(dnnl_memory_desc_init_by_tag(&xm, 4, x, dnnl_f32, dnnl_format_tag_any));
    CHECK(dnnl_memory_desc_init_by_tag(&wm, 4, w, dnnl_f32, dnnl_format_tag_any));
    CHECK(dnnl_memory_desc_init_by_tag(&bm, 1, b, dnnl_f32, dnnl_x));
    CHECK(dnnl_convolution_forward_desc_init(&cd, dnnl_forward_inference,
                                             winograd ? dnnl_convolution_winograd : dnnl_convolution_direct, &xm, &wm,
                                             &bm, &xm, one, pad, pad));
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_post_ops_create(&ops));
    if (residual) CHECK(dnnl_post_ops_append_sum(ops, 1));
    CHECK(dnnl_post_ops_append_eltwise(ops, 1, dnnl_eltwise_relu, 0, 0));
    CHECK(dnnl_primitive_attr_set_post_ops(attr, ops));
    if (dnnl_primitive_desc_create(&pd, &cd, attr, engine, NULL) != dnnl_success) pd = NULL; // no such implementation
    dnnl_post_ops_destroy(ops);
    dnnl_primitive_attr_destroy(attr);
    return pd;
}

// Seconds for the tower; 0 when oneDNN has no such convolution.
static double tower(const nn_desc *d, int n, bool winograd, double seconds, dnnl_engine_t engine, dnnl_stream_t stream)
{
    layer l[2 * NN_MAX_BLOCKS];
    dnnl_memory_t a = NULL, b = NULL;
    for (int i = 0; i < 2 * d->blocks; i++) {
        dnnl_primitive_desc_t pd = describe(d, n, winograd, i % 2 == 1, engine);
        if (pd == NULL) return 0;
        const dnnl_memory_desc_t *xm = dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0);
        if (i == 0) a = filled(xm, engine), b = filled(xm, engine);
        dnnl_memory_t w = filled(dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0), engine);
        dnnl_memory_t bias = filled(dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 1), engine);
        CHECK(dnnl_primitive_create(&l[i].conv, pd));
        l[i].args[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, i % 2 ? b : a};
        l[i].args[1] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, w};
        l[i].args[2] = (dnnl_exec_arg_t){DNNL_ARG_BIAS, bias};
        l[i].args[3] =
            (dnnl_exec_arg_t){DNNL_ARG_DST, i % 2 ? a : b}; // the second convolution adds into the block's input
        dnnl_primitive_desc_destroy(pd);
    }
    double best = 1e9, end = now() + seconds;
    do {
        double t = now();
        for (int i = 0; i < 2 * d->blocks; i++) CHECK(dnnl_primitive_execute(l[i].conv, stream, 4, l[i].args));
        CHECK(dnnl_stream_wait(stream));
        t = now() - t;
        if (t < best) best = t;
    } while (now() < end);
    for (int i = 0; i < 2 * d->blocks; i++) {
        dnnl_memory_destroy(l[i].args[1].memory);
        dnnl_memory_destroy(l[i].args[2].memory);
        dnnl_primitive_destroy(l[i].conv);
    }
    dnnl_memory_destroy(a);
    dnnl_memory_destroy(b);
    return best;
}

int main(int argc, char **argv)
{
    nn_desc d;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    double seconds = argc > 2 ? atof(argv[2]) : 1;
    int sizes[] = {1, 8, 32, 128, 256};
    if (nn_desc_parse(argc > 1 ? argv[1] : "othello-seed", &d) != ERR_OK || d.channels == 0) return 2;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    for (int k = 0; k < 5; k++) {
        double direct = tower(&d, sizes[k], false, seconds / 2, engine, stream),
               wino = tower(&d, sizes[k], true, seconds / 2, engine, stream);
        bool w = wino > 0 && (direct == 0 || wino < direct);
        double best = w ? wino : direct;
        printf("onednn (%s) batch=%d %.3f ms %.0f positions/s\n", w ? "winograd" : "direct", sizes[k], best * 1e3,
               sizes[k] / best);
        fflush(stdout);
    }
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
    return 0;
}
