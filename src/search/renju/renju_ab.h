// An alpha-beta engine for renju, gomoku and freestyle, on the incremental board of games/renju.
//
// At the root it looks, in this order, for a five, a five to stop, a win by fours and one by threats; then it deepens a principal-variation
// search over the points near the stones. In the tree, fives and straight fours end a line at once, a four has one answer, an
// open three only the answers that can stop it, and where fours might win the walk of fours (renju_vcf.h) is asked. Its
// choices are a function of position, options and limits, unless a time limit is set.
#ifndef KEIKO_SEARCH_RENJU_RENJU_AB_H
#define KEIKO_SEARCH_RENJU_RENJU_AB_H

#include "base/stop.h"
#include "search/renju/renju_weights.h"

enum {
    RJ_AB_DEPTH = 60,    // plies at most
    RJ_AB_WIN = 30000,   // a five now; one less for each ply until it
    RJ_AB_SURE = 29000,  // scores beyond are wins that were proved
    RJ_AB_BOUND = 20000, // of the evaluation
};

typedef struct rj_ab rj_ab; // plays one game at a time

// What patterns are worth, in the units of the evaluation.
typedef struct rj_scores {
    int five, open_four, four, open_three, three, open_two, two, four_three;
} rj_scores;

typedef struct rj_ab_options {
    int hash;     // table of 2^hash positions, 16 bytes each
    int near;     // candidates are so near to a stone, 1 … 3
    bool lmr;     // search late moves less deep
    int lmr_from; // from this move on, counted from 1
    bool null_move, futility;
    int window;                // first half-width of the aspiration window
    int leaf_vcf;              // moves tried by a walk of fours inside the tree; 0 = none
    int64_t vcf;               // … at the root
    int64_t vct;               // moves tried by the search for threats at the root; 0 = none
    int threads;               // 1 … 256; with more than one, choices are not reproducible
    const rj_weights *weights; // borrowed; NULL = those that were learned for the rule
    bool by_scores;            // evaluate by these scores instead
    rj_scores scores;
} rj_ab_options;

rj_ab_options rj_ab_defaults(void);

struct rj_ab_line;

typedef struct rj_ab_limits {
    int depth;            // 0 = RJ_AB_DEPTH
    uint64_t nodes;       // 0 = no limit
    double seconds;       // 0 = no limit; not reproducible
    const stop_ask *stop; // ends the search early; NULL = never
    void (*each)(void *ctx, const struct rj_ab_line *lines,
                 int n); // after each depth, from the thread that searches first
    void *each_ctx;
} rj_ab_limits;

typedef struct rj_ab_line {
    int score; // of the side to move
    int depth; // plies searched; 0 = no search was needed
    int n;
    uint16_t move[RJ_AB_DEPTH];
} rj_ab_line;

err rj_ab_new(rj_ab **out, rj_rule rule, int size, const rj_ab_options *o); // caller frees with rj_ab_free
void rj_ab_free(rj_ab *e);                                                  // NULL is fine
void rj_ab_forget(rj_ab *e);                                                // what was learned in earlier searches

// The `want` best moves, best first; returns how many (0 when the game is over). The state must be of the engine's rule and
// size.
int rj_ab_search(rj_ab *e, const rj_state *s, const rj_ab_limits *l, int want, rj_ab_line *out);

uint64_t rj_ab_nodes(const rj_ab *e); // positions of the last search, walks of fours included
double rj_ab_odds(int score);         // expected score, 0 … 1

#endif
