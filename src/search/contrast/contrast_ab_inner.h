// What the two halves of the Contrast engine share: contrast_ab.c (roots, limits, table) and contrast_ab_tree.c (nodes).
#ifndef KEIKO_SEARCH_CONTRAST_CONTRAST_AB_INNER_H
#define KEIKO_SEARCH_CONTRAST_CONTRAST_AB_INNER_H

#include "base/pool.h"
#include "search/contrast/contrast_ab.h"
#include "search/contrast/contrast_eval.h"

#include <stdatomic.h>

enum {
    Q_PLIES = 8, // this many threats in a row are followed beyond the depth
    HEIGHTS = CTR_AB_DEPTH + Q_PLIES + 4,
    MAX_STEPS = 40, // five pieces of eight directions
    INFINITE = 32000,
    HISTORY_MAX = 8192,
};

// A position on the way, with what the draw rules need.
typedef struct node {
    ctr_board b;
    uint64_t seen; // as ctr_state.seen
    int ply;       // of the game
    int quiet;     // moves since the last tile
    int times;     // occurrences of this position since then
    int most;      // the largest number of occurrences of any position since then
} node;

enum { BOUND_NONE, BOUND_UPPER, BOUND_LOWER, BOUND_EXACT };

// What the table says of a position.
typedef struct entry {
    int score; // wins and losses count from this position, not from the root
    int depth, bound;
    move_t move;
} entry;

// Threads read and write without locks: the key is kept as key ^ data, so that halves of two writers are never taken for an entry.
typedef struct slot {
    _Atomic uint64_t check, data; // data: score 16, move 16, depth 8, bound 8, age 16
} slot;

enum {
    BUCKET = 4, // slots in one cache line
    // Most results are of depths 1 and 2. They go to a small table of each thread, which stays in the processor's own cache.
    SMALL_DEPTH = 2,
    SMALL_MASK = 0x1fff, // of its buckets
};

struct ctr_ab {
    ctr_ab_options o;
    slot *table;   // a helper borrows the first thread's
    uint64_t mask; // of buckets
    slot *small;
    uint16_t age;
    ctr_ab **helper; // [n_helpers]; the first thread's
    int n_helpers;
    pool *threads;
    atomic_bool halt;   // the first thread is done
    const ctr_ab *lead; // of a helper: the first thread; else NULL
    uint64_t helped;    // nodes of the helpers in the last search

    // this search
    int plies, repetition, repetition_from; // the game's draw rules
    ctr_ab_limits limits;
    double start;
    uint64_t nodes, next_look;
    bool stopped;
    int base;                               // the root's place in past[]
    uint64_t past[CTR_MAX_PLIES + HEIGHTS]; // pieces keys of the positions since the last tile, then of the path

    struct {
        const ctr_board *before; // NULL: the root
        move_t move;
        bool summed; // sums[] is up to date
    } way[HEIGHTS];  // how each position of the path came about
    ctr_sums sums[HEIGHTS];

    move_t killers[HEIGHTS][2];
    int16_t step_history[2][CTR_CELLS * CTR_CELLS];
    int16_t tile_history[2][CTR_TILE_CODES];
    ctr_line root[CTR_MAX_LEGAL];
    int line_length[HEIGHTS];
    move_t line[HEIGHTS][HEIGHTS];
};

node ctr_ab_make(ctr_ab *e, const node *n, move_t m, int height); // height: of the position after the move
int ctr_ab_node(ctr_ab *e, const node *n, int height, int depth, int alpha, int beta);
void ctr_ab_good(ctr_ab *e, uint32_t side, move_t m, int depth); // the move was worth its search
int ctr_ab_reduction(const ctr_ab *e, move_t m, int index, int depth, bool threatened);
move_t ctr_ab_winning_threat(const ctr_board *b);
bool ctr_ab_helpless(const ctr_board *b); // the mover faces a threat: has it no answer?

#endif
