// Schedules and the curriculum of seed 000: exploration by episodes, and phases that open when a gate is passed.
//
// The seed's gates looked at games against a stale copy that explores more. Here they look at evaluation: greedy play against
// fixed references, and the lower end of a 95 % interval must be above the bound. A new phase starts its exploration anew.
#ifndef KEIKO_LEARN_DQN_DQN_CURRICULUM_H
#define KEIKO_LEARN_DQN_DQN_CURRICULUM_H

#include "learn/dqn/dqn_actors.h"

typedef enum dqn_phase { DQN_BEGINNER, DQN_INTERMEDIATE, DQN_ADVANCED, DQN_PHASES } dqn_phase;

typedef struct dqn_phase_info {
    const char *name;
    int opponent_update_interval; // episodes
    double epsilon_start;
    double gate; // the next phase opens above it: of the win rate (beginner), of the mean largest chain (intermediate)
} dqn_phase_info;

extern const dqn_phase_info dqn_phases[DQN_PHASES];

bool dqn_gate_passed(dqn_phase phase, const dqn_score *against_reference);

typedef struct dqn_epsilon {
    double start, end;
    double episodes; // until the end is reached
    bool exponential;
} dqn_epsilon;

double dqn_epsilon_at(const dqn_epsilon *e, double episode);
double dqn_opponent_epsilon(double own); // max(0.05, 1.2 * own), at most 1

#endif
