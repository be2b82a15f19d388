// Self-play: many games in flight, their searches batched, their positions with targets.
//
// Play goes in rounds. In a round every game in flight spends the same number of simulations (what one search takes too
// many is taken off the next round); a game that ends is followed by the next one in the same slot. So a round's work is
// even, batches stay full to its end, and what a slot does is a function of the seed, its number and the weights: not of
// threads or time. At the end of a round every tree is forgotten, since new weights come; what remains of a game in flight
// is its moves and the targets collected so far, and that is what a checkpoint holds.
//
// On a GPU with the learner at work beside it (--async) nobody waits for the last search of a round: it ends when all games
// together have had their simulations and the learner is done, and searches go on in the next one, with its weights. What
// is played then depends on time.
//
// Targets are the visit proportions of full searches (mcts_policy); temperature only chooses the move. Values are the
// game's result for the seat to move, +1, 0 or -1, where wished mixed with what this search and later ones thought
// (mcts_policy_value). Where self-play plays for the margin, the margin's target is made the same way.
#ifndef KEIKO_LEARN_ZERO_SELFPLAY_H
#define KEIKO_LEARN_ZERO_SELFPLAY_H

#include "eval/eval.h"
#include "learn/zero/az_config.h"
#include "learn/zero/games.h"

#include <stdatomic.h>

typedef struct selfplay selfplay;

typedef struct selfplay_stats { // sums of one round
    uint64_t games, positions;  // finished games; positions of theirs that are learned
    uint64_t plies;             // of finished games
    uint64_t moves, sims;       // moves played; simulations, 0 for an agent's games
    double first_wins, draws;   // of finished games
    double entropy;             // of the targets, nats: a sum over `targets`
    uint64_t targets;
    uint64_t resigned, resign_checked, resign_wrong; // given up; played on to check; of these not lost in the end
    double seconds; // that the threads were at work, all together; who was done first waited for the others
} selfplay_stats;

void selfplay_stats_add(selfplay_stats *to, const selfplay_stats *s);

// Borrows shape and config. `threads` calls of the evaluator at most at once; on a GPU batches are larger, and the
// evaluator gives probabilities instead of logits. Caller frees with selfplay_free.
err selfplay_new(selfplay **out, const samples_shape *sh, const az_config *c, uint64_t seed, int threads, bool gpu);
void selfplay_free(selfplay *sp);

// From now on an agent plays and values all positions, and the network learns both: in each round every slot plays one
// whole game. Agents are players by name (agents/agent.h); one that has no opinion of positions is refused. `margins`: the
// network learns the margin as well, so the agent must know it.
err selfplay_taught_by(selfplay *sp, const char *spec, int threads, bool margins);

// One round with these weights, which have had `step` training steps. At its end the finished games go to the sink, in an
// order that does not depend on the threads. ERR_STOPPED when base/stop asks for it: no game goes out, and the slots are in
// disorder until selfplay_load.
// `busy` (may be NULL) tells that the learner is still at work: a round without an order then goes on for a while.
err selfplay_round(selfplay *sp, evaluator *e, uint64_t step, const atomic_bool *busy, const game_sink *to,
                   selfplay_stats *st);

// Between two rounds: the last game that ended in one of the first slots, moves separated by ';', for people who look on.
// False where none has ended yet. `score`: the first player's.
enum { SELFPLAY_SHOWN = 4 };
bool selfplay_show(const selfplay *sp, int which, text_buf *moves, float *score);

// All games in flight as bytes, between two rounds, and back.
err selfplay_save(const selfplay *sp, text_buf *out);
err selfplay_load(selfplay *sp, const void *data, size_t size);

#endif
