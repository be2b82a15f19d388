// Where a round's time goes: the shares of self-play's threads, and how busy a GPU was. See docs/gpu.md for what they mean.
#include "base/clock.h"
#include "learn/zero/az_inner.h"

#include <math.h>

static nn_usage usage_of(const az *z)
{
    nn_usage u = {0};
    if (z->backend->usage != NULL) z->backend->usage(&u);
    return u;
}

void az_shares_begin(az *z)
{
    az_shares *s = &z->spent;
    s->at_begin = usage_of(z);
    s->before = evaluator_statistics(az_player(z));
    s->began = clock_seconds();
}

void az_shares_played(az *z)
{
    az_shares *s = &z->spent;
    eval_stats now = evaluator_statistics(az_player(z));
    s->eval.seconds += now.seconds - s->before.seconds;
    s->eval.send += now.send - s->before.send;
    s->eval.encode += now.encode - s->before.encode;
    s->eval.busy += now.busy - s->before.busy;
}

void az_shares_end(az *z, double work, double apart)
{
    az_shares *s = &z->spent;
    nn_usage now = usage_of(z);
    s->wall += clock_seconds() - s->began - apart;
    s->work += work;
    s->gpu.infer += now.infer - s->at_begin.infer;
    s->gpu.learn += now.learn - s->at_begin.learn;
    s->gpu.any += now.any - s->at_begin.any;
    s->gpu.kernel += now.kernel - s->at_begin.kernel;
    s->gpu.transfer += now.transfer - s->at_begin.transfer;
}

// The threads' shares add up to one. On a CPU the network's whole time is its kernels'.
err az_shares_log(az *z)
{
    const az_shares s = z->spent;
    double all = s.wall * z->n_threads, network = s.eval.seconds - s.eval.send, kernel = network;
    bool gpu = z->backend->usage != NULL;
    // the first kernel may begin while the thread still sends: that part is sending
    if (gpu) kernel = fmin(s.gpu.kernel, network - s.gpu.transfer);
    run_value v[12];
    int n = 0;
    z->spent = (az_shares){0};
    if (!(all > 0)) return ERR_OK;
    v[n++] = (run_value)RUN_N("tree", (s.work - s.eval.encode - s.eval.seconds) / all);
    v[n++] = (run_value)RUN_N("encode", s.eval.encode / all);
    if (gpu) v[n++] = (run_value)RUN_N("send", s.eval.send / all);
    if (gpu) v[n++] = (run_value)RUN_N("transfer", s.gpu.transfer / all);
    v[n++] = (run_value)RUN_N("kernel", kernel / all);
    if (gpu) v[n++] = (run_value)RUN_N("wait", (network - kernel - s.gpu.transfer) / all);
    v[n++] = (run_value)RUN_N("idle", 1 - s.work / all);
    v[n++] = (run_value)RUN_N("busy", (gpu ? s.gpu.any : s.eval.busy) / s.wall);
    if (gpu) v[n++] = (run_value)RUN_N("busy_play", s.gpu.infer / s.wall);
    if (gpu) v[n++] = (run_value)RUN_N("busy_learn", s.gpu.learn / s.wall);
    return run_log(z->o.home, "shares", (int64_t)z->s.step, v, n);
}
