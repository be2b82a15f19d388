// See dqn_net.h.
#include "learn/dqn/dqn_net.h"

#include <stdlib.h>

err dqn_net_open(dqn_net *n, const nn_backend *b, const nn_net *net, nn_dist dist, int most, pool *threads)
{
    const nn_desc *d = &net->desc;
    *n = (dqn_net){.backend = b,
                   .dist = dist,
                   .most = most,
                   .actions = d->head[0].out,
                   .atoms = nn_atoms(&d->head[0]),
                   .words = nn_in_bits(d),
                   .scalars = (size_t)d->scalars};
    size_t outs = (size_t)most * (size_t)(n->actions * n->atoms);
    if (n->atoms > 1 && (n->raw = malloc(outs * sizeof *n->raw)) == NULL)
        return err_set(ERR_MEMORY, "no memory for the outputs of %d positions", most);
    return b->infer_new(&n->runs, net, &(nn_infer_options){.max_batch = most, .threads = threads});
}

void dqn_net_close(dqn_net *n)
{
    if (n->runs != NULL) n->backend->infer_free(n->runs);
    free(n->raw);
    *n = (dqn_net){0};
}

err dqn_net_update(dqn_net *n, const nn_net *net)
{
    return nn_infer_update(n->backend, n->runs, net, NULL);
}

err dqn_net_run(dqn_net *n, int count, const uint64_t *bits, const float *scalars, float *out)
{
    return n->backend->infer_run(n->runs, count, bits, scalars, out);
}

err dqn_net_values(dqn_net *n, int count, const uint64_t *bits, const float *scalars, float *q)
{
    err e = ERR_OK;
    for (int at = 0; at < count && e == ERR_OK; at += n->most) {
        size_t i = (size_t)at;
        int now = count - at < n->most ? count - at : n->most;
        float *to = q + i * (size_t)n->actions, *out = n->raw == NULL ? to : n->raw;
        e = dqn_net_run(n, now, bits + i * n->words, scalars + i * n->scalars, out);
        if (e == ERR_OK) nn_dist_means(&n->dist, n->atoms, now * n->actions, out, to);
    }
    return e;
}
