// See dqn_curriculum.h.
#include "learn/dqn/dqn_curriculum.h"

#include <math.h>

const dqn_phase_info dqn_phases[DQN_PHASES] = {
    {"beginner", 500, 0.8, 0.55},
    {"intermediate", 1500, 0.6, 3.0},
    {"advanced", 3000, 0.3, INFINITY},
};

bool dqn_gate_passed(dqn_phase phase, const dqn_score *s)
{
    double gate = dqn_phases[phase].gate;
    if (phase == DQN_BEGINNER) return s->range.low > gate;
    return s->games > 1 && s->chain - dist_normal_quantile(0.975) * s->chain_error > gate;
}

double dqn_epsilon_at(const dqn_epsilon *e, double episode)
{
    double share = e->episodes <= 0 ? 1 : episode / e->episodes;
    if (share >= 1) return e->end;
    if (e->exponential && e->end > 0 && e->start > 0) return e->start * pow(e->end / e->start, share);
    return e->start + (e->end - e->start) * share;
}

double dqn_opponent_epsilon(double own)
{
    double e = 1.2 * own;
    return e < 0.05 ? 0.05 : e > 1 ? 1 : e;
}
