// The list of backends. See backend.h.
#include "nn/backend.h"

#include <math.h>
#include <string.h>

int nn_rest_size(const nn_desc *d)
{
    int size = 0;
    for (int h = 0; h < d->n_heads; h++)
        if (d->head[h].kind != NN_POLICY) size += nn_head_size(d, h);
    return size;
}

static void fill_priors(const nn_desc *d, const float *out, const uint16_t *index, int heads, uint32_t moves,
                        float *prior)
{
    float high = -INFINITY, sum = 0;
    for (uint32_t m = 0; m < moves; m++) {
        prior[m] = 0;
        for (int h = 0, k = 0; h < d->n_heads; h++)
            if (d->head[h].kind == NN_POLICY)
                prior[m] += out[nn_head_at(d, h) + index[(size_t)m * (size_t)heads + (size_t)k++]];
        if (prior[m] > high) high = prior[m];
    }
    for (uint32_t m = 0; m < moves; m++) sum += prior[m] = expf(prior[m] - high);
    for (uint32_t m = 0; m < moves; m++) prior[m] /= sum;
}

void nn_moves_fill(const nn_desc *d, int n, const float *out, const nn_moves *m)
{
    int heads = nn_policy_heads(d);
    float *rest = m->rest;
    for (int i = 0; i < n; i++, out += nn_out_size(d)) {
        fill_priors(d, out, m->index + (size_t)m->start[i] * (size_t)heads, heads, m->start[i + 1] - m->start[i],
                    m->prior + m->start[i]);
        for (int h = 0; h < d->n_heads; h++) {
            if (d->head[h].kind == NN_POLICY) continue;
            memcpy(rest, out + nn_head_at(d, h), (size_t)nn_head_size(d, h) * sizeof *rest);
            rest += nn_head_size(d, h);
        }
    }
}

static const nn_backend *const backends[] = {
#if defined(KEIKO_CUDA)
    &nn_backend_cuda,
#endif
    &nn_backend_cpu,
};

err nn_infer_update(const nn_backend *b, nn_infer *h, const nn_net *net, const nn_sample *narrow)
{
    err e = b->infer_stage(h, net, narrow);
    return e == ERR_OK ? b->infer_swap(h) : e;
}

int nn_backend_count(void)
{
    return (int)(sizeof backends / sizeof backends[0]);
}

const nn_backend *nn_backend_at(int i)
{
    return backends[i];
}

err nn_backend_find(const char *name, const nn_backend **out)
{
    char why[256];
    for (int i = 0; i < nn_backend_count(); i++) {
        const nn_backend *b = backends[i];
        bool named = strcmp(name, b->name) == 0;
        if (!named && strcmp(name, "auto") != 0) continue;
        if (b->available(why, sizeof why)) {
            *out = b;
            return ERR_OK;
        }
        if (named) return err_set(ERR_MISSING, "the backend '%s' cannot run here: %s", name, why);
    }
    if (strcmp(name, "cuda") == 0)
        return err_set(ERR_MISSING, "this build has no CUDA backend; build with -DKEIKO_CUDA=ON, or use cpu");
    return err_set(ERR_USAGE, "there is no backend '%s'; known are auto, cpu and cuda", name);
}
