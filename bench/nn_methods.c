// Which method runs a 3x3 convolution fastest on which board: makes the table that src/nn/kern.c chooses by.
//
//   nn_methods > src/nn/method_table.h     (half a minute; wants a machine that is not too busy)
//   nn_methods ROWS COLS                   the times of one board
//
// Every board from 1x1 to 20x20 with 64 channels, in chunks as inference cuts them. Methods take turns, and the shortest of
// their times counts, so a busy neighbour disturbs little. Tiles are square, so a board and its mirror image cost the same
// and are measured once. A method must be 2 % faster than a more exact one to be chosen: direct, f2, f4, f5 in this order.
// F8x4 is timed but never chosen: gradients take it where it saves products (nn_back_method_for).
#include "base/clock.h"
#include "base/rng.h"
#include "nn/kern.h"

#include <stdio.h>
#include <stdlib.h>

enum { BOARD = 20, CHANNELS = 64, ROUNDS = 12 };

typedef struct trial {
    conv3 c;
    int n; // boards a chunk
    float *x, *y, *w, *scratch;
    double best; // seconds per board
} trial;

static float *floats(size_t n)
{
    float *p = nn_floats(n);
    if (p == NULL) exit(1);
    return p;
}

static void start(trial *t, int rows, int cols, nn_method m)
{
    if (conv3_init(&t->c, rows, cols, CHANNELS, CHANNELS, m) != ERR_OK) exit(1);
    t->n = t->c.tiles == 0 ? 16 : 64 / t->c.tiles < 1 ? 1 : 64 / t->c.tiles;
    size_t all = (size_t)t->n * (size_t)(rows * cols * CHANNELS);
    float *plain = floats(CHANNELS * CHANNELS * 9);
    rng r = rng_at(1, 1, 1);
    t->x = floats(all), t->y = floats(all), t->w = floats(t->c.n_packed),
    t->scratch = floats(conv3_scratch(&t->c, t->n));
    for (size_t i = 0; i < all; i++) t->x[i] = (float)rng_unit(&r);
    for (int i = 0; i < CHANNELS * CHANNELS * 9; i++) plain[i] = (float)(0.05 * rng_normal(&r));
    nn_kern_now()->pack(&t->c, plain, CHANNELS, CHANNELS, NULL, false, 0, CHANNELS, t->w);
    t->best = 1e9;
    free(plain);
}

static void stop(trial *t)
{
    conv3_free(&t->c);
    free(t->x), free(t->y), free(t->w), free(t->scratch);
}

static nn_method fastest(int rows, int cols, double best[NN_METHODS])
{
    trial t[NN_METHODS];
    nn_method chosen = NN_DIRECT;
    for (int m = 0; m < NN_METHODS; m++) start(&t[m], rows, cols, (nn_method)m);
    for (int round = 0; round < ROUNDS; round++)
        for (int m = 0; m < NN_METHODS; m++) {
            double from = clock_thread_cpu_seconds();
            nn_kern_now()->conv(&t[m].c, t[m].n, t[m].x, NULL, t[m].w, NULL, NULL, true, t[m].y, t[m].scratch);
            double spent = (clock_thread_cpu_seconds() - from) / t[m].n;
            if (spent < t[m].best) t[m].best = spent;
        }
    for (int m = 0; m < NN_METHODS; m++) {
        best[m] = t[m].best;
        if (m < NN_INFER_METHODS && best[m] < 0.98 * best[chosen]) chosen = (nn_method)m;
        stop(&t[m]);
    }
    return chosen;
}

int main(int argc, char **argv)
{
    double best[NN_METHODS];
    if (argc == 3) {
        int rows = atoi(argv[1]), cols = atoi(argv[2]);
        if (rows < 1 || cols < 1 || rows > 32 || cols > 32) return 2;
        nn_method m = fastest(rows, cols, best);
        for (int i = 0; i < NN_METHODS; i++)
            printf("%-6s %8.2f us a board%s\n", nn_method_name((nn_method)i), best[i] * 1e6,
                   i == (int)m ? "  chosen" : "");
        return 0;
    }
    static char chosen[BOARD][BOARD + 1];
    for (int r = 1; r <= BOARD; r++)
        for (int c = r; c <= BOARD; c++) chosen[r - 1][c - 1] = chosen[c - 1][r - 1] = "d245"[fastest(r, c, best)];
    printf("// The fastest method for a board of ROWS x COLS: d = direct, 2, 4, 5 = Winograd F2, F4, F5. Included by "
           "kern.c.\n"
           "// Measured: build/release/bench/nn_methods > src/nn/method_table.h\n"
           "static const char method_table[%d][%d] = {\n",
           BOARD, BOARD + 1);
    for (int r = 0; r < BOARD; r++) printf("    \"%s\",\n", chosen[r]);
    printf("};\n");
    return 0;
}
