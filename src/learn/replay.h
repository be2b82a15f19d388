// Replay memory: transitions in a ring, drawn uniformly or by priority.
//
// A transition is n steps long: what was seen and done, the discounted reward of the steps, and what was seen after them with
// the discount that its value gets (0 when the match was over). Priorities lie in a sum tree: a power-of-two array of
// doubles in which every parent is recomputed from its children, so that no rounding error can pile up. New transitions
// enter with the largest priority seen so far. A draw is stratified: the k-th of n comes from the k-th n-th of the sum.
#ifndef KEIKO_LEARN_REPLAY_H
#define KEIKO_LEARN_REPLAY_H

#include "base/rng.h"
#include "learn/dqn_env.h"

// --- the sum tree, on its own

typedef struct sum_tree {
    uint32_t leaves; // a power of two
    double *node;    // [2 * leaves]; node[1] is the sum, node[leaves + i] leaf i
} sum_tree;

err sum_tree_new(sum_tree *t, uint32_t leaves); // rounded up to a power of two
void sum_tree_free(sum_tree *t);
void sum_tree_set(sum_tree *t, uint32_t leaf, double value); // value >= 0 and finite
double sum_tree_get(const sum_tree *t, uint32_t leaf);
double sum_tree_total(const sum_tree *t);
uint32_t sum_tree_find(const sum_tree *t, double at); // the leaf in which `at` of [0, total) lies; never one that is 0
bool sum_tree_ok(const sum_tree *t);                  // is every parent the sum of its children?

// --- transitions

typedef struct transition {
    const uint64_t *bits, *next_bits;
    const float *scalars, *next_scalars;
    uint32_t next_mask; // legal actions after it
    int action;
    float reward;   // of all its steps, discounted
    float discount; // of what comes after; 0 = nothing does
} transition;

typedef struct replay_options {
    dqn_shape shape;
    uint32_t capacity;
    bool prioritized;
    double alpha; // 0 = uniform, 1 = in proportion to the priority
} replay_options;

typedef struct replay replay;
err replay_new(replay **out, const replay_options *o); // caller frees
void replay_free(replay *r);
uint32_t replay_count(const replay *r);
uint64_t replay_added(const replay *r); // all ever added
double replay_top(const replay *r);     // the largest priority so far, after ^alpha

// Overwrites the oldest when full. The observations are copied.
void replay_add(replay *r, const transition *t);

// One drawn transition: where it lies, which one it is, and its importance weight.
typedef struct replay_draw {
    uint32_t slot;
    uint64_t serial;
    float weight; // (count * probability)^-beta over the largest of the batch; 1 where draws are uniform
} replay_draw;

void replay_sample(const replay *r, rng *from, int n, double beta, replay_draw *out); // count > 0
transition replay_get(const replay *r, uint32_t slot);                                // borrowed until overwritten

// priority = |td| + 1e-6. A transition that has been overwritten since it was drawn is left alone; one that was drawn twice
// gets the last value.
void replay_update(replay *r, int n, const replay_draw *drawn, const float *td);

// Everything, the tree and its largest priority too. Load refuses another shape, capacity or kind.
err replay_save(const replay *r, const char *path); // atomic
err replay_load(replay *r, const char *path);
err replay_from_bytes(replay *r, const void *data, size_t size);

#endif
