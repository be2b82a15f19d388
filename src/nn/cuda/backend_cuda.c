// The CUDA backend's table. See backend.h, infer_cuda.h.
#include "nn/cuda/infer_cuda.h"

static err learner_new(nn_learner **out, const nn_net *net, const nn_train_options *o)
{
    (void)out, (void)net, (void)o;
    return err_set(ERR_MISSING, "the CUDA backend does not train yet; train with the cpu backend");
}

const nn_backend nn_backend_cuda = {
    .name = "cuda",
    .available = cuda_available,
    .infer_new = cuda_infer_new,
    .infer_fork = cuda_infer_fork,
    .infer_free = cuda_infer_free,
    .infer_update = cuda_infer_update,
    .infer_run = cuda_infer_run,
    .async = true,
    .infer_submit = cuda_infer_submit,
    .infer_submit_moves = cuda_infer_submit_moves,
    .infer_wait = cuda_infer_wait,
    .infer_text = cuda_infer_text,
    .learner_new = learner_new,
};
