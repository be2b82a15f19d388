// Inference on the GPU: weights that several handles share, and a handle, which is one batch in flight on its own stream.
//
// A batch travels as one pinned block (bits, scalars, moves), runs as two launches (the tower with the heads' filters; the
// fully connected layers with the softmax over legal moves), and comes back into pinned memory: written there by the second
// launch when it is small, copied when it is large. Networks the fused tower does not take run layer by layer.
#ifndef KEIKO_NN_CUDA_INFER_CUDA_H
#define KEIKO_NN_CUDA_INFER_CUDA_H

#include "nn/backend.h"

extern bool cuda_layer_by_layer; // for tests: new weights do without the fused tower

bool cuda_available(char *why, size_t n);
err cuda_infer_new(nn_infer **out, const nn_net *net, const nn_infer_options *o);
err cuda_infer_fork(nn_infer **out, nn_infer *of);
void cuda_infer_free(nn_infer *h);
err cuda_infer_stage(nn_infer *h, const nn_net *net, const nn_sample *narrow);
err cuda_infer_swap(nn_infer *h);
err cuda_infer_run(nn_infer *h, int n, const uint64_t *bits, const float *scalars, float *out);
err cuda_infer_submit(nn_infer *h, int n, const uint64_t *bits, const float *scalars, float *out);
err cuda_infer_submit_moves(nn_infer *h, int n, const uint64_t *bits, const float *scalars, const nn_moves *m);
err cuda_infer_wait(nn_infer *h);
const char *cuda_infer_text(const nn_infer *h);

#endif
