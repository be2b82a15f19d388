// The Contrast engine: iterative-deepening principal-variation search on the game's own core.
//
// A turn is a step and perhaps a tile: some ten steps, but with their tiles up to 445 moves and 155 at the start. What makes that
// searchable is that a tile changes nothing at once: it works only after somebody has stepped on it. So steps are tried
// first, without a tile, and tell which tiled moves deserve depth; and whether a player wins with its next step, or must
// now stop the other from doing so, is a question about steps alone that a few shifts answer exactly (ctr_threat). Leaves
// where such a threat stands are searched on until it is met.
//
// Scores are for the side to move, in the unit of ctr_eval. CTR_MATE - n is a win that cannot be avoided in n plies;
// whatever is skipped or reduced, a score of at least CTR_PROVEN in size is a proof. The draw rules (repetition, ply limit)
// are seen exactly as the referee applies them, the game's past included. One search is a function of the state, the
// options and limits, and of what the hash table holds: of nothing else, unless a time limit or several threads are asked for.
// Threads search the same tree and share the table only.
#ifndef KEIKO_SEARCH_CONTRAST_CONTRAST_AB_H
#define KEIKO_SEARCH_CONTRAST_CONTRAST_AB_H

#include "base/stop.h"
#include "games/contrast/contrast.h"

enum {
    CTR_MATE = 30000,
    CTR_PROVEN = 29000,
    CTR_LIKELY = 20000, // lost unless a tile helps: what a leaf says when it only tried steps
    CTR_AB_DEPTH = 48,  // the deepest search one can ask for
    CTR_AB_LINE = 60,   // moves in a line
};

typedef struct ctr_ab_options {
    size_t hash;            // bytes for the table, rounded down to a power of two; 0 = 16 MiB
    bool plain;             // nothing reduced or skipped: the very value that minimax gives to this depth
    const int16_t *weights; // borrowed; NULL = ctr_weights
    int threads;            // of one search; 0 = 1. With more than one, results vary between runs
} ctr_ab_options;

struct ctr_line;

typedef struct ctr_ab_limits {
    int depth;            // 0 = no limit
    uint64_t nodes;       // of the first thread; 0 = no limit
    double seconds;       // 0 = no limit; not reproducible
    const stop_ask *stop; // ends the search early; NULL = never
    void (*each)(void *ctx, const struct ctr_line *lines,
                 int n); // after each depth, the best first; NULL: nobody listens
    void *each_ctx;
} ctr_ab_limits; // none at all: depth 5

typedef struct ctr_line {
    int score, depth, length; // depth: of the iteration that found it
    move_t moves[CTR_AB_LINE];
} ctr_line;

typedef struct ctr_ab ctr_ab;

err ctr_ab_new(ctr_ab **out, const ctr_ab_options *o); // o may be NULL; caller frees with ctr_ab_free
void ctr_ab_free(ctr_ab *e);                           // NULL is fine
void ctr_ab_forget(ctr_ab *e);                         // clears table and history: the next search starts from nothing

// The best `want` first moves (at most the legal ones), best first, each with its score and line. Returns how many. The
// game must not be over.
int ctr_ab_search(ctr_ab *e, const ctr_state *s, const ctr_ab_limits *limits, int want, ctr_line *lines);

uint64_t ctr_ab_nodes(const ctr_ab *e); // positions visited by the last search
double ctr_ab_odds(int score);          // the expected result, 0 … 1

// "+0.42 c1,c2 b3g  c5,c4 …", "wins in 5 plies: …", for people. Lengths as snprintf.
int ctr_ab_print(const ctr_state *s, const ctr_line *l, char *buf, size_t n);

#endif
