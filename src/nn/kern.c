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
    int mr, mc;
} methods[NN_METHODS] = {{"direct", 0, 0}, {"f2", 2, 2}, {"f4", 4, 4}, {"f5", 5, 5}, {"f8x4", 8, 4}};

const char *nn_method_name(nn_method m)
{
    return methods[m].name;
}

#include "nn/method_table.h"

enum { MEASURED = (int)(sizeof method_table / sizeof *method_table) };

static int products(nn_method m, int rows, int cols)
{
    int mr = methods[m].mr, mc = methods[m].mc;
    return ((rows + mr - 1) / mr) * ((cols + mc - 1) / mc) * (mr + 2) * (mc + 2);
}

nn_method nn_method_for(int rows, int cols)
{
    if (rows <= MEASURED && cols <= MEASURED) {
        char c = method_table[rows - 1][cols - 1];
        return c == 'd' ? NN_DIRECT : c == '2' ? NN_F2 : c == '4' ? NN_F4 : NN_F5;
    }
    // larger than any board of ours: fewest products
    return products(NN_F4, rows, cols) <= products(NN_F5, rows, cols) ? NN_F4 : NN_F5;
}

nn_method nn_back_method_for(int rows, int cols)
{
    nn_method m = nn_method_for(rows, cols);
    if (m == NN_DIRECT) m = NN_F2; // weight gradients exist in the Winograd domain only
    return 10 * products(NN_F84, rows, cols) <= 9 * products(m, rows, cols) ? NN_F84 : m;
}

static void fill_tiles(conv3 *c)
{
    for (int i = 0; i < c->tiles; i++) {
        int y0 = i / c->across * c->mr, x0 = i % c->across * c->mc;
        for (int k = 0; k < c->mr * c->mc; k++) {
            int y = y0 + k / c->mc, x = x0 + k % c->mc;
            c->to[i * c->mr * c->mc + k] = y < c->rows && x < c->cols ? (y * c->cols + x) * NN_LANES : -1;
        }
    }
}

err conv3_init(conv3 *c, int rows, int cols, int cin, int cout, nn_method method)
{
    *c = (conv3){
        .rows = rows, .cols = cols, .hw = rows * cols, .cin = nn_pad16(cin), .cout = nn_pad16(cout), .method = method};
    c->n_packed = (size_t)c->cin * (size_t)c->cout * 9;
    if (method == NN_DIRECT) return ERR_OK;
    c->mr = methods[method].mr, c->mc = methods[method].mc;
    c->places = (c->mr + 2) * (c->mc + 2);
    c->across = (cols + c->mc - 1) / c->mc;
    c->tiles = ((rows + c->mr - 1) / c->mr) * c->across;
    // a line more a place: places that lie a power of two apart would share a few sets of the cache
    size_t groups = (size_t)((c->cout + NN_GROUP - 1) / NN_GROUP);
    c->n_packed = (size_t)c->places * ((size_t)c->cin * (size_t)c->cout + groups * NN_LANES);
    c->to = malloc((size_t)(c->tiles * c->mr * c->mc) * sizeof *c->to);
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
    return (size_t)((c->tiles / c->across * c->mr + 2) * (c->across * c->mc + 2) * NN_LANES);
}

size_t conv3_scratch(const conv3 *c, int n)
{
    if (c->method == NN_DIRECT) return conv3_border(c);
    size_t tiles = (size_t)n * (size_t)c->tiles, places = (size_t)c->places;
    return conv3_border(c) + places * (tiles * (size_t)(c->cin + NN_GROUP) + 2 * NN_LANES);
}

size_t conv3_wgrad_scratch(const conv3 *c, int n)
{
    size_t tiles = (size_t)n * (size_t)c->tiles, places = (size_t)c->places;
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
