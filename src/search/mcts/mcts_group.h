// Many trees on several threads, their leaves evaluated together: how self-play keeps a network busy.
//
// In each round every tree takes in its last values, goes on to its next move if its search is done, and collects up to
// K leaves; then all leaves of all trees form one batch. Trees are independent, so neither the number of threads nor
// the way leaves meet in batches changes any result.
#ifndef KEIKO_SEARCH_MCTS_MCTS_GROUP_H
#define KEIKO_SEARCH_MCTS_MCTS_GROUP_H

#include "search/mcts/mcts.h"

typedef struct mcts_group mcts_group;

typedef struct mcts_group_options {
    int threads; // 0 = 1; the calling thread is one of them
    // 0: one call of the evaluator a round, from the calling thread, with every tree's leaves (a GPU).
    // > 0: each thread calls the evaluator with the leaves of this many trees, so the evaluator must bear being called
    // from several threads at once (a CPU network, one copy a worker). A thread takes whichever trees are behind, so that
    // all end together and batches stay full to the end, however many positions are known to some of them.
    int trees_per_call;
    bool apart; // with trees_per_call: every thread keeps to trees of its own (a GPU: all are in flight at once anyway)
    // Called once for each search that is done, from any thread: read its result, mcts_advance or mcts_set_root, then
    // mcts_begin. False: this tree rests until somebody begins a search in it between two runs. NULL: every tree rests.
    bool (*done)(void *ctx, int tree, mcts *m);
    // With trees_per_call: are the n entries from `at` on known already (a position cache)? Then they are filled in, the
    // tree goes on at once, and batches hold only what really has to be evaluated. May be NULL.
    bool (*known)(void *ctx, const mcts_batch *b, int at, int n);
    // With trees_per_call: asked by each thread before its next batch. True: it stops there, and its searches go on in the
    // next run. May be NULL.
    bool (*enough)(void *ctx);
    void *ctx;
} mcts_group_options;

// The trees stay the caller's; nobody else may touch them while the group runs. Each has a root and has begun a search.
err mcts_group_new(mcts *const *trees, int n, const mcts_group_options *o,
                   mcts_group **out); // free with mcts_group_free
void mcts_group_free(mcts_group *g);

// Rounds until every tree rests, or at most `rounds` of them (0 = no limit). All values are backed up on return, so the
// trees may be read, changed, and run again. Returns the number of positions evaluated.
uint64_t mcts_group_run(mcts_group *g, const mcts_evaluator *e, uint64_t rounds);
// With trees_per_call: seconds that the threads were at work in the last run, all together; who was done first waited then.
double mcts_group_seconds(const mcts_group *g);

#endif
