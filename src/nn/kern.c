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
} methods[NN_METHODS] = {{"direct", 0}, {"f2", 2}, {"f4", 4}, {"f5", 5}};

const char *nn_method_name(nn_method m)
{
    return methods[m].name;
}

#include "nn/method_table.h"

enum { MEASURED = (int)(sizeof method_table / sizeof *method_table) };

nn_method nn_method_for(int rows, int cols)
{
    if (rows <= MEASURED && cols <= MEASURED) {
        char c = method_table[rows - 1][cols - 1];
        return c == 'd' ? NN_DIRECT : c == '2' ? NN_F2 : c == '4' ? NN_F4 : NN_F5;
    }
    // larger than any board of ours: fewest products
    int m4 = ((rows + 3) / 4) * ((cols + 3) / 4) * 36, m5 = ((rows + 4) / 5) * ((cols + 4) / 5) * 49;
    return m4 <= m5 ? NN_F4 : NN_F5;
}

static void fill_tiles(conv3 *c)
{
    for (int i = 0; i < c->tiles; i++) {
        int y0 = i / c->across * c->m, x0 = i % c->across * c->m;
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
    c->across = (cols + c->m - 1) / c->m;
    c->tiles = ((rows + c->m - 1) / c->m) * c->across;
    c->n_packed = (size_t)c->cin * (size_t)c->cout * (size_t)(c->t * c->t);
    c->to = malloc((size_t)(c->tiles * c->m * c->m) * sizeof *c->to);
    if (c->to == NULL) return err_set(ERR_MEMORY, "no memory for a convolution's tiles");
    fill_tiles(c);
    return ERR_OK;
}

void conv3_free(conv3 *c)
{
    free(c->to);
    *c = (conv3){0};
}

int conv3_boards(const conv3 *c)
{
    // 32 tiles: each place of the weights, once fetched, serves several panels of the product, and the transformed input
    // and the products (0.9 MB with 128 channels) still fit a second-level cache of 1 MB. Measured: 16 to 64 tiles differ
    // by up to 5 %.
    if (c->tiles == 0) return 16;
    return 32 / c->tiles < 1 ? 1 : 32 / c->tiles;
}

size_t conv3_border(const conv3 *c)
{
    if (c->method == NN_DIRECT) return (size_t)((c->rows + 2) * (c->cols + 2) * NN_LANES);
    return (size_t)((c->tiles / c->across * c->m + 2) * (c->across * c->m + 2) * NN_LANES);
}

size_t conv3_scratch(const conv3 *c, int n)
{
    if (c->method == NN_DIRECT) return conv3_border(c);
    size_t tiles = (size_t)n * (size_t)c->tiles, places = (size_t)(c->t * c->t);
    return conv3_border(c) + places * (tiles * (size_t)(c->cin + NN_GROUP) + 2 * NN_LANES);
}

size_t conv3_wgrad_scratch(const conv3 *c, int n)
{
    size_t tiles = (size_t)n * (size_t)c->tiles, places = (size_t)(c->t * c->t);
    return conv3_border(c) + places * (tiles * (size_t)(c->cin + c->cout) + 2 * NN_LANES);
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
