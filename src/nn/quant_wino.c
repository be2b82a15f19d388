// The tables and weights of the int8 Winograd convolution. See quant_wino.h.
#include "nn/quant_wino.h"

#include <math.h>
#include <stdlib.h>

enum { OUT_ROWS = 2, OUT_COLS = 4 };

err qwino_shape_make(qwino_shape *s, int rows, int cols)
{
    int down = (rows + OUT_ROWS - 1) / OUT_ROWS, across = (cols + OUT_COLS - 1) / OUT_COLS;
    *s = (qwino_shape){.rows = rows, .cols = cols, .tiles = down * across};
    s->from = malloc((size_t)(s->tiles * QW_PLACES) * sizeof *s->from);
    s->to = malloc((size_t)(s->tiles * OUT_ROWS * OUT_COLS) * sizeof *s->to);
    if (s->from == NULL || s->to == NULL) {
        qwino_shape_free(s);
        return err_set(ERR_MEMORY, "no memory for a convolution's tiles");
    }
    for (int t = 0; t < s->tiles; t++) {
        int y0 = t / across * OUT_ROWS, x0 = t % across * OUT_COLS;
        for (int k = 0; k < QW_PLACES; k++) {
            int y = y0 + k / QW_COLS - 1, x = x0 + k % QW_COLS - 1;
            s->from[t * QW_PLACES + k] = y >= 0 && x >= 0 && y < rows && x < cols ? y * cols + x : -1;
        }
        for (int k = 0; k < OUT_ROWS * OUT_COLS; k++) {
            int y = y0 + k / OUT_COLS, x = x0 + k % OUT_COLS;
            s->to[t * OUT_ROWS * OUT_COLS + k] = y < rows && x < cols ? y * cols + x : -1;
        }
    }
    return ERR_OK;
}

void qwino_shape_free(qwino_shape *s)
{
    free(s->from);
    free(s->to);
    *s = (qwino_shape){0};
}

bool qwino_pays(int rows, int cols)
{
    // Products a channel pair: the direct kernel skips taps beyond the edge. The transforms cost about a quarter of ours.
    int tiles = ((rows + OUT_ROWS - 1) / OUT_ROWS) * ((cols + OUT_COLS - 1) / OUT_COLS);
    int direct = (3 * rows - 2) * (3 * cols - 2);
    return rows > 1 && cols > 1 && 1.25 * QW_PLACES * tiles < direct;
}

size_t qwino_scratch(int cin)
{
    size_t bytes = (size_t)QW_PLACES * ((size_t)QW_BLOCK * (size_t)cin + 64);
    size_t sums = (size_t)QW_PLACES * ((size_t)QW_BLOCK * QW_GROUP + 16) * sizeof(int32_t);
    return bytes + sums + 192;
}

// --- the transforms, as the kernel computes them: columns' rows are scaled by 18, 12, 12, 18, 18, 18 to be whole

static const double row_unit[QW_COLS] = {18, 12, 12, 18, 18, 18};

void qwino_input(const float d[QW_PLACES], float v[QW_PLACES])
{
    float r[QW_ROWS][QW_COLS];
    for (int j = 0; j < QW_COLS; j++) {
        r[0][j] = d[2 * QW_COLS + j] - d[j];
        r[1][j] = d[QW_COLS + j] + d[2 * QW_COLS + j];
        r[2][j] = d[2 * QW_COLS + j] - d[QW_COLS + j];
        r[3][j] = d[3 * QW_COLS + j] - d[QW_COLS + j];
    }
    for (int i = 0; i < QW_ROWS; i++) {
        const float *e = r[i];
        float even = 12 * e[4] - 27 * e[2], odd = 8 * e[3] - 18 * e[1];
        float *to = v + i * QW_COLS;
        to[0] = 18 * (e[0] + e[4]) - 48.5f * e[2];
        to[1] = even + odd;
        to[2] = even - odd;
        even = 18 * e[4] - 8 * e[2], odd = 27 * e[3] - 12 * e[1];
        to[3] = even + odd;
        to[4] = even - odd;
        to[5] = 18 * (e[1] + e[5]) - 48.5f * e[3];
    }
}

// Evaluation of a 3-tap filter at a point, over the product of the distances to the other finite points.
static void points_row(const double *points, int n, int i, double g[3])
{
    double f = 1, p = points[i];
    for (int j = 0; j < n; j++)
        if (j != i) f *= p - points[j];
    g[0] = 1 / f, g[1] = p / f, g[2] = p * p / f;
}

static void filter_matrix(const double *points, int n, double g[][3])
{
    for (int i = 0; i < n; i++) points_row(points, n, i, g[i]);
    g[n][0] = g[n][1] = 0, g[n][2] = 1; // infinity
}

void qwino_weights(const float *w, int cin, float fold, const float v_scale[QW_PLACES], int cin_wide, int8_t *to,
                   int32_t *zero, float *scale)
{
    static const double row_points[] = {0, 1, -1}, col_points[] = {0, 2.0 / 3, -2.0 / 3, 1.5, -1.5};
    double gr[QW_ROWS][3], gc[QW_COLS][3];
    filter_matrix(row_points, 3, gr);
    filter_matrix(col_points, 5, gc);
    for (int p = 0; p < QW_PLACES; p++) {
        const double *a = gr[p / QW_COLS], *b = gc[p % QW_COLS];
        double high = 0;
        for (int pass = 0; pass < 2; pass++) {
            double step = high > 0 ? high / 127 : 1;
            int32_t sum = 0;
            for (int i = 0; i < cin; i++) {
                double u = 0;
                for (int k = 0; k < 9; k++) u += a[k / 3] * b[k % 3] * (double)w[i * 9 + k];
                u *= (double)fold;
                if (pass == 0) {
                    high = fmax(high, fabs(u));
                    continue;
                }
                int8_t q = (int8_t)lround(u / step);
                to[(size_t)p * (size_t)cin_wide * QW_GROUP + (size_t)(i / 4 * 128 + i % 4)] = q;
                sum += q;
            }
            zero[p * QW_GROUP] = -QW_ZERO * sum;
            scale[p * QW_GROUP] = (float)(step * (double)v_scale[p] / row_unit[p % QW_COLS]);
        }
    }
}
