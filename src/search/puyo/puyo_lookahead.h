// One step ahead in a Puyo match: what each placement leads to at the player's own next decision, and what it earns until then.
//
// The placement, its chain, the nuisance that falls after it and the pair that follows are exact or as good as known; what the
// other side does meanwhile is not, so it is taken to wait. All placements share one sample of what is hidden, so that they
// are compared under the same luck.
#ifndef KEIKO_SEARCH_PUYO_PUYO_LOOKAHEAD_H
#define KEIKO_SEARCH_PUYO_PUYO_LOOKAHEAD_H

#include "search/puyo/puyo_reward.h"

typedef struct puyo_ahead {
    int move;
    bool over;      // the placement buries its owner
    double reward;  // weighted, shaping included
    py_match after; // as the player sees it; nothing to look at when over
    puyo_moment moment;
} puyo_ahead;

// `state` is a sample that fits what the player knows; `now` belongs to it. Returns the number of placements.
int puyo_look_ahead(const py_match *state, int me, const puyo_moment *now, const puyo_reward_weights *w, double gamma,
                    puyo_ahead out[PY_MAX_LEGAL]);

#endif
