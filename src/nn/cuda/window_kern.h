// The kernels that make a batch from a window of packed samples: what nn/window.h's plain gather makes, to the bit.
#ifndef KEIKO_NN_CUDA_WINDOW_KERN_H
#define KEIKO_NN_CUDA_WINDOW_KERN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Where the window lies. Kept on the device, so that a captured graph stays good when the moves' ring grows.
typedef struct window_view {
    const uint64_t *bits;         // [room][planes][words]; sample k lies at k % room
    const float *scalars;         // [room][scalars]
    const float *number[2];       // [room]
    const uint8_t *kind;          // [room]
    const uint64_t *first;        // [room] its first move, counted from the beginning of the window
    const uint16_t *count;        // [room] and how many
    const uint16_t *move, *prob;  // [moves_room]; move k lies at k % moves_room
    const uint16_t *cell, *place; // the shape's tables
    uint64_t room, moves_room;
} window_view;

typedef struct gather_head {
    float *target;
    uint8_t *mask;
    int size, number; // number: which of the sample's; -1 = a policy, or nothing to make
} gather_head;

typedef struct gather_args { // graphs compare this struct: it has no padding
    const window_view *view;
    const uint64_t *pick; // [n]
    const uint8_t *sym;   // [n]
    uint64_t *bits;
    float *scalars;
    uint32_t *start; // joint
    uint16_t *index;
    float *prob;
    gather_head head[8];   // targets of one number
    gather_head policy[8]; // by_head: the policy heads in order
    int n, planes, words, hw, n_scalars, n_heads, n_policy, syms, moves, by_head;
} gather_args;

int window_gather(const gather_args *a, void *stream); // returns a cudaError_t

#ifdef __cplusplus
}
#endif

#endif
