// What can be proven of a Contrast position without search: a threat that cannot be met. For the leaves of a tree search.
#ifndef KEIKO_SEARCH_CONTRAST_CONTRAST_PROOF_H
#define KEIKO_SEARCH_CONTRAST_CONTRAST_PROOF_H

#include "games/contrast/contrast.h"

// The step that wins at once, or that makes a threat without an answer and so wins in three plies, or MOVE_NONE. The game must
// not be over.
move_t ctr_proof_win(const ctr_state *s);

// The same as mcts_options.prove wants it, and losses in two plies as well; `ctx` is not used.
int ctr_prove(void *ctx, const void *state);

#endif
