// What the files of the renju engine share.
#ifndef KEIKO_SEARCH_RENJU_RENJU_AB_INNER_H
#define KEIKO_SEARCH_RENJU_RENJU_AB_INNER_H

#include "base/pool.h"
#include "search/renju/renju_ab.h"
#include "search/renju/renju_vct.h"

#include <stdatomic.h>

enum { RJ_AB_PLIES = 96, RJ_AB_INF = 32000 };
enum { RJ_UPPER = 1, RJ_LOWER = 2, RJ_EXACT = 3, RJ_NO_VCF = 4 }; // flags of an entry; the last: no win by fours here

// --- the table (renju_ab_table.c), shared by all threads of an engine

typedef struct rj_ab_entry {
    int score; // wins are counted from the position
    int move;  // RJ_NO_POINT: none is known
    int depth;
    int flags; // 0: nothing is known of this position
} rj_ab_entry;

typedef struct
    rj_ab_slot { // the key is stored as key ^ data, so that halves of two writers are never taken for an entry
    _Atomic uint64_t check, data;
} rj_ab_slot;

typedef struct rj_ab_table {
    rj_ab_slot *slot;
    size_t mask; // of the first slot of a bucket
    unsigned age;
} rj_ab_table;

err rj_ab_table_new(rj_ab_table *t, int hash); // 2^hash entries of 16 bytes
void rj_ab_table_free(rj_ab_table *t);
void rj_ab_table_clear(rj_ab_table *t);
static inline void rj_ab_expect(const rj_ab_table *t, uint64_t hash) // it will be asked for soon
{
    __builtin_prefetch(&t->slot[hash & t->mask]);
}
rj_ab_entry rj_ab_find(const rj_ab_table *t, uint64_t hash);
void rj_ab_store(rj_ab_table *t, uint64_t hash, const rj_ab_entry *e); // keeps the known move where e has none

// --- the evaluation and the order of moves (renju_eval.c)

typedef struct rj_eval_tables {
    rj_values values;           // what a point is worth to a colour that waits, and 65536 times what it is to the mover
    int16_t order[2][2][65536]; // by colour to move: how promising a point is by its own patterns, by the other's
    int16_t threat[2][RJ_W_THREATS];
    int16_t near[RJ_W_NEAR];
    int16_t hidden[RJ_W_INPUTS][RJ_W_HIDDEN], output[RJ_W_HIDDEN + 1];
    bool layered;                    // the hidden layer counts
    uint64_t files[2][RJ_MAX_WORDS]; // without the first and the last file: a shift to the side must not wrap
} rj_eval_tables;

typedef struct rj_pick {
    int32_t score;
    uint16_t point;
} rj_pick;

typedef struct rj_ply { // of the line being searched
    uint16_t move;      // played here; RJ_NO_POINT for a pass
    uint16_t skip;      // left out here: the search asks what the others are worth
    uint16_t killer[2];
    int eval;
} rj_ply;

typedef int16_t rj_replies[2][RJ_MAX_POINTS][RJ_MAX_POINTS]; // by colour to move, an earlier stone, and the move

struct rj_ab {
    rj_ab_options o;
    rj_eval_tables *eval; // the helpers borrow it
    rj_ab_table *table;   // likewise
    rj_board b;
    rj_vcf *vcf;       // in the tree: lean
    rj_vcf *all_fours; // at the root
    rj_vct *vct;
    uint64_t nodes, limit;
    uint64_t look; // at the clock, when there are this many nodes
    double until;
    const rj_ab_limits *limits; // of the search at hand; a helper's are empty
    bool stop;
    atomic_bool *halt; // set when the first thread is done
    int cap;
    uint8_t reduce[64][64]; // by depth and number of the move
    rj_ply line[RJ_AB_PLIES + 6];
    rj_ply *ply; // line + 4: plies -4 … -1 are empty
    int16_t history[2][RJ_MAX_POINTS];
    uint16_t counter[2][RJ_MAX_POINTS]; // what refuted a stone last
    rj_replies *reply;                  // [0]: to the stone played last, [1]: after one's own before
    rj_ab_line fresh[RJ_MAX_POINTS];    // the lines of the depth in progress
    int pv_n[RJ_AB_PLIES + 2];
    uint16_t pv[RJ_AB_PLIES + 2][RJ_AB_PLIES + 2];
    int n_helpers; // the first thread's
    rj_ab **helper;
    pool *pool;
    uint64_t helped; // nodes of the helpers in the last search
};

// renju_eval.c
void rj_eval_build(rj_eval_tables *t, const rj_board *b, const rj_ab_options *o);
int rj_eval(const rj_ab *e); // of the side to move
void rj_candidates(const rj_ab *e, int distance, uint64_t out[RJ_MAX_WORDS]);

// renju_ab_moves.c
int rj_ab_moves(rj_ab *e, int first, int ply, rj_pick *out); // best first comes `first`, unless it is RJ_NO_POINT
void rj_ab_next(rj_pick *move, int i, int n);                // brings the best of i … n-1 to i
int rj_ab_history(const rj_ab *e, int ply, int p);
void rj_ab_reward(rj_ab *e, int ply, int depth, int p, const rj_pick *tried, int n); // p was good, `tried` were not

// renju_ab_tree.c
int rj_ab_tree(rj_ab *e, int alpha, int beta, int depth, int ply, bool cut);

#endif
