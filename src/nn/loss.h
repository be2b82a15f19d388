// What a network is trained towards: a batch with its targets, and the loss of one position with its gradient.
//
// The loss of a batch is the mean over its positions of weight * sum over heads of scale * loss. All of it is computed in
// double from one position's outputs, so the fast path and the reference share it and no order of threads can enter.
#ifndef KEIKO_NN_LOSS_H
#define KEIKO_NN_LOSS_H

#include "nn/desc.h"
#include "nn/dist.h"

// Targets of one head; all NULL = the head is not trained by this batch.
typedef struct nn_target {
    const float *
        value; // policy, reply: probabilities [n][out], 0 where masked; all 0 = nothing is known. value: [n]. scalar: [n][out]. board: [n][out*rows*cols].
               // duel: [n], the target of the action taken; of a distribution [n][atoms], nn_dist_target's
    const uint8_t *mask;   // policy, reply: [n][out], 1 = legal; NULL = all. scalar, board: 1 = counts
    const int32_t *action; // duel: [n]
    float scale;           // of this head's loss; 0 = 1
    // A scalar head of one number may compare rows of the batch: row i competes with the rows group[2i] … group[2i+1]-1, itself
    // among them. `value` then holds probabilities, and the loss of these rows together is the cross-entropy of the softmax of
    // their numbers, each row's share being that of its own probability. Rows of a group have one importance. NULL = the numbers are to be met.
    const uint32_t *group; // [n][2]
    const double *log_p;   // [n]: of the softmax, nn_group_log_p's; the learners fill it in
} nn_target;

typedef struct nn_batch {
    int n;
    const uint64_t *bits; // [n][planes][words]
    const float *scalars; // [n][scalars]
    const float *weight;  // [n] importance; NULL = 1
    nn_target head[NN_MAX_HEADS];
    // A policy over moves whose logit is the sum over the policy heads: position i has moves start[i] … start[i+1]-1.
    // Where `start` is given, it replaces the policy heads' own targets.
    const uint32_t *start; // [n+1]
    const uint16_t *index; // [moves][policy heads]
    const float *prob;     // [moves]
    float prob_scale;      // 0 = 1
    float huber;           // delta of the duel head's loss; 0 = 1
    nn_dist dist;          // what a duel head's atoms mean; none where it has one
    // duel: targets of actions that were not taken but are known, [n][out] with a mask; NULL = none. Their Huber losses are
    // averaged and multiplied by rest_scale. Of a distribution they are the means.
    const float *rest;
    const uint8_t *rest_mask;
    float rest_scale;
    const float *noise; // of noisy layers (nn_noise_draw), one for the whole batch; NULL = their means alone
    float *td;          // duel: out, [n] target - Q of the action (of means), for priorities; may be NULL
} nn_batch;

// Loss of position i (already weighted, not divided by n); `out` as nn_out_size, `dout` is overwritten with the gradient.
// by_head[NN_MAX_HEADS] gets the weighted losses; a loss over moves is booked to the first policy head.
double nn_loss_at(const nn_desc *d, const nn_batch *b, int i, const double *out, double *dout, double *by_head);

// The logarithms of the softmax that a batch's groups make of one number per row.
void nn_group_log_p(int n, const uint32_t *group, const double *x, double *log_p);
bool nn_has_groups(const nn_desc *d, const nn_batch *b);

// Are the batch's shapes and indices sound? Called by the trainers on what others hand them.
err nn_batch_check(const nn_desc *d, const nn_batch *b);

#endif
