// A network that gives Q-values: a backend's handle and what its outputs mean. The learner's own networks and the copies that
// sit opposite are such.
#ifndef KEIKO_LEARN_DQN_DQN_NET_H
#define KEIKO_LEARN_DQN_DQN_NET_H

#include "nn/backend.h"

typedef struct dqn_net {
    const nn_backend *backend;
    nn_infer *runs; // NULL = not open
    nn_dist dist;
    int most; // positions per call
    int actions, atoms;
    size_t words, scalars;
    float *raw; // [most][actions][atoms] where there are several atoms
} dqn_net;

// `net` has one duel head.
err dqn_net_open(dqn_net *n, const nn_backend *b, const nn_net *net, nn_dist dist, int most, pool *threads);
void dqn_net_close(dqn_net *n);
err dqn_net_update(dqn_net *n, const nn_net *net); // new weights of the same shape
// q[count][actions], any count.
err dqn_net_values(dqn_net *n, int count, const uint64_t *bits, const float *scalars, float *q);
// The outputs as they are, out[count][actions][atoms]; count <= most.
err dqn_net_run(dqn_net *n, int count, const uint64_t *bits, const float *scalars, float *out);

#endif
