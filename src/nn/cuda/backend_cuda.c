// The CUDA backend's table. See backend.h, infer_cuda.h, train_cuda.h.
#include "nn/cuda/infer_cuda.h"
#include "nn/cuda/train_cuda.h"
#include "nn/cuda/usage_cuda.h"

const nn_backend nn_backend_cuda = {
    .name = "cuda",
    .available = cuda_available,
    .infer_new = cuda_infer_new,
    .infer_fork = cuda_infer_fork,
    .infer_free = cuda_infer_free,
    .infer_stage = cuda_infer_stage,
    .infer_swap = cuda_infer_swap,
    .infer_run = cuda_infer_run,
    .async = true,
    .infer_submit = cuda_infer_submit,
    .infer_submit_moves = cuda_infer_submit_moves,
    .infer_wait = cuda_infer_wait,
    .infer_text = cuda_infer_text,
    .learner_new = cuda_learner_new,
    .learner_free = cuda_learner_free,
    .learner_step = cuda_learner_step,
    .learner_steps = cuda_learner_steps,
    .learner_weights = cuda_learner_weights,
    .learner_state = cuda_learner_state,
    .learner_restore = cuda_learner_restore,
    .window_new = cuda_window_new,
    .window_free = cuda_window_free,
    .window_add = cuda_window_add,
    .window_step = cuda_window_step,
    .usage = cuda_usage,
};
