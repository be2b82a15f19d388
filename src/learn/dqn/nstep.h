// From single decisions to transitions of n steps.
//
// Each lane remembers its last decisions. With every further reward the sums grow, and the oldest becomes a transition to what
// is seen now once it is n steps old. When the match is over all that are left become transitions that nothing follows, so
// the last n - 1 steps of a match are learned from as well. When it was only cut short, they lead to the last position that
// was seen, and the last decision, whose outcome nobody saw, is dropped.
#ifndef KEIKO_LEARN_DQN_NSTEP_H
#define KEIKO_LEARN_DQN_NSTEP_H

#include "learn/dqn/per.h"

typedef struct nstep nstep;

err nstep_new(nstep **out, const dqn_shape *s, int lanes, int n, double gamma); // caller frees
void nstep_free(nstep *q);

// A decision in this lane. `reward` is what came since the lane's last one and is ignored at the first of a match.
void nstep_decide(nstep *q, int lane, float reward, const uint64_t *bits, const float *scalars, uint32_t mask,
                  int action, const float *rest, uint32_t rest_mask, per *into); // rest: as in transition
void nstep_end(nstep *q, int lane, float reward, int how, per *into);            // how: DQN_OVER or DQN_CUT

void *nstep_bytes(nstep *q, size_t *size); // plain bytes of all lanes, to be stored and put back

#endif
