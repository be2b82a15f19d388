// Choosing kernels and describing convolutions. See kern.h.
#define _GNU_SOURCE // madvise
#include "nn/kern.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

const nn_kern *nn_kern_of(simd s)
{
#if defined(KEIKO_X86)
    if (s == SIMD_AVX512) return &nn_kern_avx512;
    if (s == SIMD_AVX2) return &nn_kern_avx2;
    return &nn_kern_scalar;
#else
    return s == SIMD_SCALAR ? &nn_kern_scalar : NULL;
#endif
}

const nn_kern *nn_kern_now(void)
{
    return nn_kern_of(cpu_simd());
}

static const struct {
    const char *name;
    int m;
    // Time a multiplication relative to F4's, transforms included: estimated from whole networks on AVX-512, not measured a method.
    double cost;
} methods[NN_METHODS] = {{"direct", 0, 0.93}, {"f2", 2, 1.12}, {"f4", 4, 1.0}, {"f5", 5, 1.02}};

const char *nn_method_name(nn_method m)
{
    return methods[m].name;
}

nn_method nn_method_for(int rows, int cols)
{
    nn_method best = NN_DIRECT;
    double least = 9.0 * rows * cols * methods[NN_DIRECT].cost;
    for (int i = NN_F2; i < NN_METHODS; i++) {
        int m = methods[i].m, tiles = ((rows + m - 1) / m) * ((cols + m - 1) / m);
        double cost = methods[i].cost * tiles * (m + 2) * (m + 2);
        if (cost < least) least = cost, best = (nn_method)i;
    }
    return best;
}

static void fill_tiles(conv3 *c)
{
    int across = (c->cols + c->m - 1) / c->m;
    for (int i = 0; i < c->tiles; i++) {
        int y0 = i / across * c->m, x0 = i % across * c->m;
        for (int k = 0; k < c->t * c->t; k++) {
            int y = y0 + k / c->t - 1, x = x0 + k % c->t - 1;
            bool inside = y >= 0 && x >= 0 && y < c->rows && x < c->cols;
            c->from[i * c->t * c->t + k] = inside ? (y * c->cols + x) * NN_LANES : -1;
        }
        for (int k = 0; k < c->m * c->m; k++) {
            int y = y0 + k / c->m, x = x0 + k % c->m;
            c->to[i * c->m * c->m + k] = y < c->rows && x < c->cols ? (y * c->cols + x) * NN_LANES : -1;
        }
    }
}

err conv3_init(conv3 *c, int rows, int cols, int cin, int cout, nn_method method)
{
    *c = (conv3){
        .rows = rows, .cols = cols, .hw = rows * cols, .cin = nn_pad16(cin), .cout = nn_pad16(cout), .method = method};
    c->n_packed = (size_t)c->cin * (size_t)c->cout * 9;
    if (method == NN_DIRECT) return ERR_OK;
    c->m = methods[method].m;
    c->t = c->m + 2;
    c->tiles = ((rows + c->m - 1) / c->m) * ((cols + c->m - 1) / c->m);
    c->n_packed = (size_t)c->cin * (size_t)c->cout * (size_t)(c->t * c->t);
    c->from = malloc((size_t)(c->tiles * c->t * c->t) * sizeof *c->from);
    c->to = malloc((size_t)(c->tiles * c->m * c->m) * sizeof *c->to);
    if (c->from == NULL || c->to == NULL) {
        conv3_free(c);
        return err_set(ERR_MEMORY, "no memory for a convolution's tiles");
    }
    fill_tiles(c);
    return ERR_OK;
}

void conv3_free(conv3 *c)
{
    free(c->from);
    free(c->to);
    *c = (conv3){0};
}

size_t conv3_scratch(const conv3 *c, int n)
{
    if (c->method == NN_DIRECT) return (size_t)((c->rows + 2) * (c->cols + 2) * NN_LANES);
    size_t tiles = (size_t)n * (size_t)c->tiles, places = (size_t)(c->t * c->t);
    return places * (tiles * (size_t)(c->cin + NN_GROUP) + 2 * NN_LANES);
}

size_t conv3_wgrad_scratch(const conv3 *c, int n)
{
    size_t tiles = (size_t)n * (size_t)c->tiles, places = (size_t)(c->t * c->t);
    return places * (tiles * (size_t)(c->cin + c->cout) + 2 * NN_LANES);
}

float *nn_floats(size_t n)
{
    // Large arrays start on a 2 MiB boundary and ask for huge pages: packed weights are streamed once a chunk, and small
    // pages would cost a look-up every few kilobytes.
    size_t huge = (size_t)2 << 20, bytes = (n * sizeof(float) + 127) & ~(size_t)63, align = bytes < huge ? 64 : huge;
    bytes = (bytes + align - 1) / align * align;
    float *p = aligned_alloc(align, bytes);
#if defined(MADV_HUGEPAGE)
    if (p != NULL && align == huge) madvise(p, bytes, MADV_HUGEPAGE);
#endif
    if (p != NULL) memset(p, 0, bytes);
    return p;
}
