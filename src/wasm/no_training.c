// The page plays with networks and does not train them: what backend_cpu.c asks of a trainer is refused here.
#include "nn/train.h"

err nn_trainer_new(nn_trainer **out, nn_net *net, const nn_train_options *o)
{
    (void)out, (void)net, (void)o;
    return err_set(ERR_MISSING, "the page cannot train: use the program");
}

void nn_trainer_free(nn_trainer *t)
{
    (void)t;
}

err nn_train_step(nn_trainer *t, const nn_batch *b, float lr, nn_step_report *r)
{
    (void)t, (void)b, (void)lr, (void)r;
    return ERR_MISSING;
}

uint64_t nn_trainer_steps(const nn_trainer *t)
{
    (void)t;
    return 0;
}

const nn_net *nn_trainer_ema(const nn_trainer *t)
{
    (void)t;
    return NULL;
}

err nn_trainer_state(const nn_trainer *t, text_buf *out)
{
    (void)t, (void)out;
    return ERR_MISSING;
}

err nn_trainer_restore(nn_trainer *t, const void *state, size_t size)
{
    (void)t, (void)state, (void)size;
    return ERR_MISSING;
}
