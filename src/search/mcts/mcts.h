// Monte-Carlo tree search for any game, guided by an evaluator that takes many positions at once.
//
// The search never sees a network. It hands an evaluator a batch of observations with their legal moves and receives a
// prior for each move and a value for the seat to move. One simulation walks from the root along
//     argmax_a  Q(s,a) + c · P(s,a) · √N(s) / (1 + N(s,a))            (PUCT; N(s) counts the visits of s itself)
// to a position that has no node yet, evaluates it, and adds the value to every node on the way back. A value is always
// "for the seat to move at this node" and changes sign where the *seat* changes, not at every ply.
//
// How it is laid out (mcts_node.h has the structs):
//   · A node is one block of the tree's memory: header, its state where that is small, its moves and priors. An edge costs 6
//     bytes until the search first takes it; then it gets a place in the node's edge block (visits, value, child),
//     which grows by doubling. Moves not yet tried all have the same first-play value, so the next one to try is the
//     untried move with the largest prior: selection scans the tried moves and this one, however many moves the game
//     has.
//   · Moving on to a played move copies what can still be reached into the other half of the memory, so memory never
//     fragments. At the memory limit the tree stops growing and goes on searching: new positions are evaluated at the
//     frontier and averaged into the edge that leads there.
//   · Transpositions share nodes. A node's value is then its own evaluation plus its edges' values, weighted by their
//     own visits, so a position reached on two ways never counts for one what was only explored for the other. Keys
//     include the ply, so the graph has no cycles even where the game has.
//   · With K leaves in flight a walk adds a virtual loss to the edges it passes, so the next walk of the same round
//     goes elsewhere. A walk that meets a position still being evaluated is given up for this round.
//   · The solver carries proven results up: a move to a position lost for the other seat wins; a position whose moves
//     are all proven is proven. Proven moves are not walked again: what is left to find out is whether another is
//     better. So a proven draw is a lower bound of its node's value. The search ends when the root is proven. A position
//     in which the game's table sees a win at once (game.h, win), or of which options.prove knows the result, is proven
//     when it is met, without being evaluated.
//   · Where the game hides something (G_HIDDEN) the root is an observation. Each simulation samples a state from it and
//     walks the tree by moves alone (open loop); at each node only the moves legal in that sample may be chosen. There
//     is no solver, no sharing and no reuse there.
//
// What a search does depends on the game, the options (with seed, game number and K = leaves), the sequence of calls
// and the evaluator's answers, and on nothing else: not on threads, instruction set, or how evaluations are grouped
// into batches.
//
// One tree, the plain way:                          Many trees, or your own batching:
//     mcts_new(g, &options, &m);                        for each tree: n = mcts_collect(m); mcts_leaves(m, &batch, at);
//     mcts_set_root(m, state, ply);                     evaluate the whole batch
//     mcts_run(m, &evaluator, 800);                     for each tree: mcts_backup(m, &batch, at);
//     move = mcts_choose(m);                        mcts_group.h does this on several threads.
//     mcts_advance(m, move, NULL);
#ifndef KEIKO_SEARCH_MCTS_MCTS_H
#define KEIKO_SEARCH_MCTS_MCTS_H

#include "games/game.h"

// --- the evaluator

// Positions to evaluate. All arrays have n entries; all memory belongs to the caller.
typedef struct mcts_batch {
    int n;
    const void **obs;     // what the seat to move sees
    const move_t **moves; // its legal moves, in no particular order
    int *n_moves;         // 0: only the value is wanted
    float **priors;       // out: one number per move, probabilities or (options.logits) logits. Zeros on entry
    float *values;        // out: -1 … 1 for the seat to move. Zeros on entry
    float *margins;       // out, may be NULL: the margin to expect, -1 … 1, for trees that play for it
} mcts_batch;

// Must give a position the same answer in any batch. Numbers that are not numbers, or no mass at all, count as "nothing
// known": uniform priors, value 0, a value without the margin.
typedef struct mcts_evaluator {
    void (*eval)(void *ctx, const mcts_batch *b);
    void *ctx;
} mcts_evaluator;

// --- options: zero is the default throughout

typedef enum mcts_switch { MCTS_AUTO = 0, MCTS_ON, MCTS_OFF } mcts_switch;

// The value of a move not yet tried.
typedef enum mcts_fpu {
    MCTS_FPU_ZERO = 0, // a draw (as the first AlphaZero programs)
    MCTS_FPU_PARENT,   // the node's own mean, less fpu_value · √(prior mass already tried)
    MCTS_FPU_FIXED,    // fpu_value
} mcts_fpu;

typedef struct mcts_options {
    float c_puct;       // 0 = 1.5
    float c_base;       // c grows by log((N + base + 1) / base); 0 = does not grow
    mcts_fpu fpu;       //
    float fpu_value;    // see mcts_fpu
    bool logits;        // the evaluator writes logits; priors are their softmax over the legal moves
    int leaves;         // K, leaves in flight; 0 = 1, at most MCTS_MAX_LEAVES
    float virtual_loss; // lost visits that one in flight counts for; 0 = 1; negative = it counts as a visit only

    float noise_epsilon; // share of Dirichlet noise in the root's priors; 0 = none
    float noise_alpha;   // 0 = 0.3
    float forced; // k of forced playouts √(k·P·N) at the root, taken out of the policy again; 0 = none (KataGo: 2)

    float temperature;     // for mcts_choose: 0 = the most visited move, else in proportion to visits^(1/T)
    int temperature_plies; // from this ply on temperature_end holds; 0 = never
    float temperature_end; // as temperature; 0 = the most visited move

    int gumbel;         // moves considered by Gumbel root search with sequential halving; 0 = PUCT at the root
    float gumbel_visit; // σ(q) = (visit + max N) · scale · q with q in 0 … 1; 0 = 50
    float gumbel_scale; // 0 = 1
    bool gumbel_quiet;  // no Gumbel noise: the strongest move rather than a sample

    // Play for the margin, too: a leaf's value is to this share (0 … 1) the margin that the evaluator expects there, measured
    // from what it expects at the root (a tree that is kept after a move keeps measuring from its first root):
    // tanh(difference / MCTS_MARGIN_SCALE). So who is all but lost, or has all but won, still sees which moves are better.
    // mcts_value and the moves' `value` stay about who wins.
    float margin;
    float points;               // of a one-seat game that count as value 1; 0 = 1
    mcts_switch transpositions; // auto: where the game hides nothing and has no cycles
    mcts_switch store_states;   // a state in each node instead of replaying moves; auto: where it is at most 64 bytes
    bool no_solver;
    // What is known of a position from elsewhere, for the seat to move: an mcts_proof, MCTS_UNPROVEN = nothing. Asked once
    // when a position is met, by the tree's thread; NULL = nobody to ask. Without a solver it is not asked.
    int (*prove)(void *ctx, const void *state);
    void *prove_ctx;
    bool no_reuse;       // forget everything at each move; the whole memory limit is then the tree's
    size_t memory;       // bytes for tree and tables, the half kept free for reuse included; 0 = 256 MiB
    uint64_t seed, game; // key of all random draws, with the ply
} mcts_options;

enum { MCTS_MAX_LEAVES = 4096, MCTS_MAX_DEPTH = 256 };
#define MCTS_MARGIN_SCALE (10.0f / 64) // ten of Othello's discs

// --- a tree: one thread at a time, readers included

typedef struct mcts mcts;

err mcts_new(const game *g, const mcts_options *o, mcts **out); // caller frees with mcts_free
void mcts_free(mcts *m);

// A new game for the same tree: another key for the draws to come (before mcts_set_root).
void mcts_rekey(mcts *m, uint64_t seed, uint64_t game_number);

// Forget the tree; `obs` (copied) is what the seat to move sees, `ply` the moves played so far in its game.
void mcts_set_root(mcts *m, const void *obs, int ply);

// The move was played: keep what the tree knows of its position. `obs` is what the seat to move now sees; it may be
// NULL where the game hides nothing.
err mcts_advance(mcts *m, move_t move, const void *obs);

// --- searching

// A search of `sims` simulations more begins at the root; its first visit, the root's own evaluation, is not counted,
// so a new root's children have `sims` visits together. `fast` leaves out noise and forced playouts (playout-cap
// randomisation).
void mcts_begin(mcts *m, uint64_t sims, bool fast);
bool mcts_done(const mcts *m); // the simulations are used up, the root is proven or the game is over
// Walk until K leaves wait for their values or the budget is used; how many wait. 0 before mcts_done: many walks ended in
// known results, as in a full tree; look at the clock and call again.
int mcts_collect(mcts *m);
// The most visited move leads by more visits than simulations are left: only a proof could still change it. False where there
// is more to the choice than visits (Gumbel's rule, a sure draw). After mcts_backup.
bool mcts_settled(const mcts *m);
int mcts_waiting(const mcts *m);                        // leaves between mcts_collect and mcts_backup
void mcts_prefetch(const mcts *m);                      // with many trees: this one is next
void mcts_leaves(mcts *m, const mcts_batch *b, int at); // fill entries at … at+waiting-1; valid until mcts_backup
void mcts_backup(mcts *m, const mcts_batch *b, int at); // the same entries, evaluated

// All of it for one tree: begin, then batches of at most K until done. Against a clock, run slices until time is up:
// with PUCT and one leaf in flight slices build the same tree as one run (Gumbel's schedule wants to know the whole
// number).
void mcts_run(mcts *m, const mcts_evaluator *e, uint64_t sims);

// --- results

typedef enum mcts_proof { MCTS_UNPROVEN = 0, MCTS_LOSS, MCTS_DRAW, MCTS_WIN } mcts_proof; // for the seat to move

typedef struct mcts_move {
    move_t move;
    uint16_t proof; // mcts_proof, for the seat that would play this move
    uint32_t visits;
    float q;      // mean value for the same seat; 0 without visits. With the margin where it counts, and then
    float value;  // the mean of this search's evaluations without it, q where there are none; else q
    float prior;  // as searched: with noise where there is noise
    float policy; // the training target, see mcts_policy
} mcts_move;

// The root's moves in ascending order; `out` has room for max_legal. Returns their number, 0 when the game is over or
// the root was never evaluated.
int mcts_moves(const mcts *m, mcts_move *out);

// The policy to learn from: proportions of visits, without forced playouts; with Gumbel search the improved policy
// softmax(logits + σ(completed Q)). Proven wins take all; proven losses get nothing unless all moves lose; beside a
// proven draw moves that look worse get nothing. Without a single visit: the priors. Temperature has no part in it.
// Ascending moves; returns their number.
int mcts_policy(const mcts *m, move_t *moves, float *p);

// The value to learn from, for the seat to move: the moves' values, weighted by that policy. mcts_value is the mean of all
// visits instead, and Gumbel's rule visits many moves that are not to be played. `margin`: the same of the expected margins;
// NAN where the margin does not count.
float mcts_policy_value(const mcts *m, float *margin);

move_t mcts_choose(const mcts *m); // by the options' temperature or Gumbel's rule; MOVE_NONE when there is no move
// Of the root, for the seat to move; for seat 0 when the game is over. Where the margin counts: the mean of this search's
// evaluations without the margin.
float mcts_value(const mcts *m);
int mcts_pv(const mcts *m, move_t *out, int max);                 // most visited line; returns its length
int mcts_line(const mcts *m, move_t first, move_t *out, int max); // the same behind this move of the root

typedef struct mcts_stats {
    uint64_t sims;       // of this search (since mcts_begin)
    uint64_t evals;      // positions given to the evaluator since mcts_set_root
    uint64_t shared;     // times a position was found by another way
    uint64_t collisions; // walks given up because their leaf was in flight
    uint32_t visits;     // of the root
    uint32_t nodes;      // in the tree now
    size_t bytes, limit; // of memory used, and their limit
    int depth;           // longest walk since mcts_set_root
    double mean_depth;   // of this search's walks
    double bytes_per_node;
    mcts_proof proof; // of the root
    bool full;        // the memory limit was met since the last move
} mcts_stats;
mcts_stats mcts_statistics(const mcts *m);

// Checks what must hold of the whole tree (visits add up, priors sum to one, nothing in flight, …). "" when all is
// well, else the first fault. For tests and debugging; takes time proportional to the tree.
const char *mcts_fault(const mcts *m);

#endif
