// The replay buffer: transitions in a ring, drawn uniformly or by priority.
//
// A transition is n steps long: what was seen and done, the discounted reward of the steps, and what was seen after them with
// the discount that its value gets (0 when the match was over). Priorities lie in a sum tree: a power-of-two array of
// doubles in which every parent is recomputed from its children, so that no rounding error can pile up. New transitions
// enter with the largest priority seen so far. A draw is stratified: the k-th of n comes from the k-th n-th of the sum.
#ifndef KEIKO_LEARN_DQN_PER_H
#define KEIKO_LEARN_DQN_PER_H

#include "base/rng.h"
#include "learn/dqn/dqn_env.h"

// --- the sum tree, on its own

typedef struct sum_tree {
    uint32_t leaves; // a power of two
    double *node;    // [2 * leaves]; node[1] is the sum, node[leaves + i] leaf i
} sum_tree;

err sum_tree_new(sum_tree *t, uint64_t leaves); // rounded up to a power of two; at most 2^31
void sum_tree_free(sum_tree *t);
void sum_tree_set(sum_tree *t, uint32_t leaf, double value); // value >= 0 and finite
double sum_tree_get(const sum_tree *t, uint32_t leaf);
double sum_tree_total(const sum_tree *t);
uint32_t sum_tree_find(const sum_tree *t, double at); // the leaf in which `at` of [0, total) lies; never one that is 0
bool sum_tree_ok(const sum_tree *t);                  // is every parent the sum of its children?

// --- transitions

#define PER_MOST ((uint64_t)1 << 31) // slots have 32 bits

typedef struct transition {
    const uint64_t *bits, *next_bits;
    const float *scalars, *next_scalars;
    uint32_t next_mask; // legal actions after it
    int action;
    float reward;       // of all its steps, discounted
    float discount;     // of what comes after; 0 = nothing does
    const float *rest;  // [actions]: values that a look ahead gave to actions not taken; NULL when rest_mask is 0
    uint32_t rest_mask; // which of them
} transition;

typedef struct per_options {
    dqn_shape shape;
    uint64_t capacity; // at most PER_MOST
    bool prioritized;
    double alpha; // 0 = uniform, 1 = in proportion to the priority
} per_options;

typedef struct per per;
err per_new(per **out, const per_options *o); // caller frees
void per_free(per *r);
uint32_t per_count(const per *r);
uint64_t per_added(const per *r); // all ever added
double per_top(const per *r);     // the largest priority so far, after ^alpha

// Overwrites the oldest when full. The observations are copied.
void per_add(per *r, const transition *t);

// One drawn transition: where it lies, which one it is, and its importance weight.
typedef struct per_draw {
    uint32_t slot;
    uint64_t serial;
    float weight; // (count * probability)^-beta over the largest of the batch; 1 where draws are uniform
} per_draw;

void per_sample(const per *r, rng *from, int n, double beta, per_draw *out); // count > 0
transition per_get(const per *r, uint32_t slot);                             // borrowed until overwritten

// priority = |td| + 1e-6. A transition that has been overwritten since it was drawn is left alone; one that was drawn twice
// gets the last value.
void per_update(per *r, int n, const per_draw *drawn, const float *td);

// Everything, the tree and its largest priority too. Load refuses another shape, capacity or kind.
err per_save(const per *r, const char *path); // atomic
err per_load(per *r, const char *path);
err per_from_bytes(per *r, const void *data, size_t size);

#endif
