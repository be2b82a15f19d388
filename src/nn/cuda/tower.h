// The fused tower: the whole trunk and the heads' 1x1 convolutions of a batch in one launch (sm_90a).
//
// How a board lies in shared memory, without swizzle: plane (8 channels) -> row (y, board), `pitch` cells long -> cell (x + 1)
// of 8 channels = 16 bytes. A row starts with a zero cell, which is also the cell behind the row before; a plane starts with
// one zero row of every board, which is also the row below the plane before. So a tap of a 3x3 convolution is a constant
// offset, for all boards of a tile at once. wgmma walks the cells in groups of 8: a row of 8 columns is a group; other boards
// are walked straight through, and what falls on the zero cells is not stored.
#ifndef KEIKO_NN_CUDA_TOWER_H
#define KEIKO_NN_CUDA_TOWER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tower_args {
    // the batch
    const uint64_t *bits; // [n][planes][words]
    const float *scalars; // [n][n_scalars]
    uint16_t *flat;       // out, bf16: [n][filters][rows*cols]
    int n;                // positions
    // the network
    const uint8_t *w;  // stages in the order the kernel consumes them (pack.h)
    const float *bias; // [1 + 2*blocks][channels] (fp8: [1 + 2*blocks][3][channels]), then [64 * passes] of the heads
    int rows, cols, words, planes, n_scalars;
    int blocks, stem_steps; // stem_steps: 9 taps * inputs / 16
    int filters, normed;    // the heads' 1x1 filters; those below `normed` end in ReLU
    // the layout (tower_layout)
    int nb, pitch, group, plane,
        act;                // boards a warpgroup's tile; cells a row; bytes to the next 8 cells, plane, all planes
    int stages, ring, smem; // of the weights' ring; where it starts; bytes in all
    int tiles;
} tower_args;

typedef struct tower_shape {
    int channels; // 64, 128 or 256
    int width;    // N of wgmma
    int skip;     // 8x8 boards: the bottom row's taps below the board are left out
    int nb;       // boards a warpgroup's tile
    int fp8;      // blocks in e4m3
} tower_shape;

enum { TOWER_BOARDS = 2 }; // with 64 channels each of the two warpgroups has its own boards

// The shape to run n positions of a network with, for a GPU of `sms` multiprocessors; channels 0 = this board or width has
// none. `inputs` counts planes and scalars.
tower_shape tower_choose(int channels, int rows, int cols, int inputs, int fp8, int n, int sms);
// Fill the layout fields of `a` (rows, cols, stem_steps are set). false: it does not fit into shared memory.
int tower_layout(const tower_shape *s, tower_args *a);
// Queue the launch. Returns a cudaError_t; `sms` bounds the grid.
int tower_run(const tower_shape *s, const tower_args *a, int sms, void *stream);

#ifdef __cplusplus
}
#endif

#endif
