// Networks in the browser: the portable kernels for inference, in a small version, and sentences instead of what a page never
// does. Stands in for nn/kern_scalar.c, nn/train*.c with its optimiser, and nn/quant*.c.
#define NN_VEC   0
#define NN_SMALL 1
#include "nn/infer_inner.h"
#include "nn/kern_impl.h"
#include "nn/quant.h"
#include "nn/train.h"

const nn_kern nn_kern_scalar = {KERN_INFER("wasm")};

// --- nn/train.h

err nn_trainer_new(nn_trainer **out, nn_net *net, const nn_train_options *o)
{
    (void)out;
    (void)net;
    (void)o;
    return err_set(ERR_USAGE, "the browser does not train networks");
}

void nn_trainer_free(nn_trainer *t)
{
    (void)t;
}

err nn_train_step(nn_trainer *t, const nn_batch *b, float lr, nn_step_report *r)
{
    (void)t;
    (void)b;
    (void)lr;
    (void)r;
    return ERR_USAGE;
}

const nn_net *nn_trainer_ema(const nn_trainer *t)
{
    (void)t;
    return NULL;
}

uint64_t nn_trainer_steps(const nn_trainer *t)
{
    (void)t;
    return 0;
}

err nn_trainer_state(const nn_trainer *t, text_buf *out)
{
    (void)t;
    (void)out;
    return ERR_USAGE;
}

err nn_trainer_restore(nn_trainer *t, const void *data, size_t size)
{
    (void)t;
    (void)data;
    (void)size;
    return ERR_USAGE;
}

// --- nn/quant.h: narrow numbers pay with VNNI only

bool nn_int8_pays(void)
{
    return false;
}

err nn_calibrate(nn_ranges *out, const nn_net *net, int n, const uint64_t *bits, const float *scalars)
{
    (void)out;
    (void)net;
    (void)n;
    (void)bits;
    (void)scalars;
    return err_set(ERR_USAGE, "the browser has no int8 networks");
}

err int8_new(int8_plan **out, const nn_net *net, const nn_ranges *r, bool direct)
{
    (void)out;
    (void)net;
    (void)r;
    (void)direct;
    return err_set(ERR_USAGE, "the browser has no int8 networks");
}

void int8_free(int8_plan *q)
{
    (void)q;
}

size_t int8_scratch(const int8_plan *q, const nn_desc *d, int chunk)
{
    (void)q;
    (void)d;
    (void)chunk;
    return 0;
}

const char *int8_name(const int8_plan *q)
{
    (void)q;
    return "";
}

void int8_run(const nn_plan *p, nn_scratch *s, int n)
{
    (void)p;
    (void)s;
    (void)n;
}
