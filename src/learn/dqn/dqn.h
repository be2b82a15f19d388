// Deep Q-learning: a replay buffer, a network that is trained, and one that lags behind it.
//
// An update draws a batch of n-step transitions and moves Q(s, a) towards
//     reward + discount * Q_target(s', argmax over legal a' of Q_online(s', a'))
// which is Double DQN; the duel head, Huber's loss, gradient clipping and per-sample importance weights are nn/'s. TD errors go
// back as priorities. With a distribution (nn/dist.h) the target is one too, and actions are chosen by its mean. A network with
// noisy layers (nn/noise.h) learns under noise drawn anew each update; this target comes from the means. The learner knows no
// game: it sees a dqn_env_type's shape and, where there is one, its symmetry, with which every drawn transition is varied. It
// runs on any backend.
#ifndef KEIKO_LEARN_DQN_DQN_H
#define KEIKO_LEARN_DQN_DQN_H

#include "learn/dqn/dqn_config.h"
#include "learn/dqn/dqn_net.h"
#include "learn/dqn/nstep.h"
#include "run/run.h"

typedef struct dqn_machine {   // what computes
    const nn_backend *backend; // plays, and trains as far as it can; else the CPU trains
    pool *threads;             // borrowed; NULL = this thread
    int max_infer;             // most positions the network is given at once
} dqn_machine;

err dqn_dist_of(const dqn_config *c, nn_dist *out); // what the network's atoms mean

typedef struct dqn dqn;

// `net` must end in one duel head of the environment's actions (with atoms for a distribution); it is copied. `env` serves its symmetry; both borrowed.
// The strings of the configuration are borrowed until this returns.
err dqn_new(dqn **out, const dqn_config *c, const dqn_machine *m, const nn_net *net, const dqn_env_type *type,
            const void *env, const dqn_shape *shape, int lanes);
void dqn_free(dqn *d);
err dqn_fits(const nn_desc *n, const dqn_shape *s, const nn_dist *dist); // can this network learn there?

per *dqn_buffer(dqn *d);

// What a lane's learner decided and got; see nstep.h. Rewards are scaled here.
void dqn_decide(dqn *d, int lane, float reward, const uint64_t *bits, const float *scalars, uint32_t mask, int action,
                const float *rest,
                uint32_t rest_mask); // rest: values a look ahead gave to other actions; NULL, 0 = none
void dqn_end(dqn *d, int lane, float reward, int how);

// Q-values [n][actions] of the network that plays.
err dqn_values(dqn *d, int n, const uint64_t *bits, const float *scalars, float *q);
err dqn_target_values(dqn *d, int n, const uint64_t *bits, const float *scalars,
                      float *q); // of the one that lags behind
// Of the network that plays (`ahead`: that lags behind), moved by the noise of this number; only for noisy networks. It
// stays until the next call of dqn_explore.
err dqn_explore(dqn *d, uint64_t number, bool ahead);
err dqn_explore_values(dqn *d, int n, const uint64_t *bits, const float *scalars, float *q);
int dqn_best(const float *q, uint32_t mask); // the legal action of the largest value; the first of equals

typedef struct dqn_report {
    double loss, grad_norm, td; // td: mean |TD error|
    double q;                   // mean Q of the next positions' chosen actions
    double beta, lr;
} dqn_report;
err dqn_update(dqn *d, dqn_report *r); // one batch; the buffer must not be empty
uint64_t dqn_updates(const dqn *d);

err dqn_net_like(const dqn *d, nn_net **out); // a network of the learner's shape; caller frees
err dqn_weights(dqn *d, nn_net *to);          // the newest

// All of it into a checkpoint, and back: networks, optimiser, buffer, decisions under way, counters.
err dqn_save(dqn *d, run_save *to);
err dqn_restore(dqn *d, const run_point *from);
err dqn_load_exact(const run_point *from, const char *name, void *to, size_t size); // a file of exactly this many bytes

#endif
