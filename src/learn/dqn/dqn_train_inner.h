// What the files of the DQN training loop share. See dqn_train.h.
#ifndef KEIKO_LEARN_DQN_DQN_TRAIN_INNER_H
#define KEIKO_LEARN_DQN_DQN_TRAIN_INNER_H

#include "learn/dqn/dqn_train.h"

// Networks of the actors: the learner, its newest copy, and earlier copies.
enum { NET_MAIN, NET_SELF, NET_PAST, DQN_COPIES = ACTOR_NETS - NET_SELF };
enum { OPPONENT_SELF = 254, OPPONENT_PAST = 253 }; // else an index into the mix of agents

typedef struct dqn_counters { // stored as they are
    uint64_t magic;
    uint64_t steps, episodes, copies; // decisions learned from; copies of the learner made so far
    uint64_t phase_began, copied_at, saved_at, evaluated_at; // episodes
    double credit;                                           // transitions still to be drawn
    uint32_t phase, lanes, tick, unused;
} dqn_counters;

typedef struct dqn_lane { // the same
    uint32_t matches;
    uint32_t length;
    double sum;           // the learner's rewards in this match
    uint8_t opponent;     // OPPONENT_SELF, OPPONENT_PAST or the index
    uint8_t demonstrator; // 1 + index of its demonstrator
    uint8_t seat;         // the learner's
    uint8_t player[2], fresh[2], began[2];
    uint8_t unused[7];
    uint32_t turns[2]; // of its agents
    float reward;      // for the decision that waits
} dqn_lane;

typedef struct dqn_copy {
    nn_net *net; // NULL = not made yet
    dqn_net runs;
} dqn_copy;

typedef struct dqn_window { // since the last line of the log
    uint64_t episodes, steps, updates;
    double reward, chain, length, score, loss, td, q, grad;
    double play, learn, evaluate; // seconds
    double part[DQN_PARTS];       // rewards by component
    // where a share of the lanes is played by the network alone: how well it knows what looking ahead says
    double asked, agreed, spread, missed; // decisions; same choice; squares of advantages, and of the errors in them
} dqn_window;

typedef struct training {
    const dqn_config *set;
    const train_options *o;
    uint64_t seed;
    dqn_machine m;
    nn_dist dist;
    const dqn_env_type *type;
    run_home *r;  // NULL: nothing is kept
    double began; // clock of this start, where there is no folder
    text_buf note;
    dqn *d;
    dqn_actors actors;
    dqn_counters c;
    dqn_lane *lane;
    dqn_copy copy[DQN_COPIES]; // of actors network NET_SELF + i
    dqn_mix opponents, demonstrators;
    dqn_window w;
    dqn_report last;
    double logged, saved; // run seconds
    double spent[3];      // seconds of this start: playing, learning, evaluating
    const char *why;      // the run ends
} training;

double training_seconds(const training *t); // time trained, over all starts

// dqn_seats.c
err seats_open(training *t);   // reads the mixes, opens agents, seats everybody
void seats_close(training *t); //
err seats_copy(training *t);   // a new copy of the learner; the one before joins the past
err seats_set_copy(training *t, int i, const nn_net *from);
err seats_begin(training *t, int lane); // a new match: who plays it
void seats_epsilon(training *t);        // what the episode's schedule says
double seats_now(const training *t);    // epsilon of the learner
bool seats_learns(const training *t, int lane, int seat);

// dqn_store.c
err store_save(training *t);
err store_restore(training *t, const run_point *from);

#endif
