// Training on the GPU: bf16 activations, f32 weights, statistics and optimiser; one captured graph a shape of batch.
//
// A step copies the batch into pinned memory, sends it and launches the graph; it waits only when the caller wants the losses
// or the TD errors. With a window (nn/window.h) only picks are sent, and the graph begins with gathering the batch. The learner's
// stream has the lowest priority, so that inference goes first on a shared GPU.
#ifndef KEIKO_NN_CUDA_TRAIN_CUDA_H
#define KEIKO_NN_CUDA_TRAIN_CUDA_H

#include "nn/backend.h"

err cuda_learner_new(nn_learner **out, const nn_net *net, const nn_train_options *o);
void cuda_learner_free(nn_learner *h);
err cuda_learner_step(nn_learner *h, const nn_batch *b, float lr, nn_step_report *r);
uint64_t cuda_learner_steps(const nn_learner *h);
err cuda_learner_weights(nn_learner *h, bool averaged, nn_net *to);
err cuda_learner_state(nn_learner *h, text_buf *out);
err cuda_learner_restore(nn_learner *h, const void *state, size_t size);
err cuda_window_new(nn_learner *h, const nn_window_shape *w);
void cuda_window_free(nn_learner *h);
err cuda_window_add(nn_learner *h, uint64_t number, const nn_packed *s);
err cuda_window_step(nn_learner *h, const nn_picks *p, float lr, nn_step_report *r);
err cuda_window_gathered(nn_learner *h, int n, const nn_gathered *to); // the last step's batch, for tests
err cuda_learner_grad(nn_learner *h, float *to);                       // [n_train] of the last step, for tests

#endif
