// What the files of the renju engine share.
#ifndef KEIKO_SEARCH_RENJU_RENJU_AB_INNER_H
#define KEIKO_SEARCH_RENJU_RENJU_AB_INNER_H

#include "search/renju/renju_ab.h"
#include "search/renju/renju_vct.h"

enum { RJ_AB_PLIES = 96, RJ_AB_INF = 32000 };
enum { RJ_UPPER = 1, RJ_LOWER = 2, RJ_EXACT = 3, RJ_NO_VCF = 4 }; // flags of an entry; the last: no win by fours here

typedef struct rj_ab_entry {
    uint64_t hash;
    int16_t score;
    uint16_t move;
    int8_t depth;
    uint8_t flags;
    uint16_t unused;
} rj_ab_entry;

typedef struct rj_pick {
    int32_t score;
    uint16_t point;
} rj_pick;

struct rj_ab {
    rj_ab_options o;
    rj_values values;
    int16_t order[2][65536];         // how promising a move is, by what it makes
    uint64_t files[2][RJ_MAX_WORDS]; // without the first and the last file: a shift to the side must not wrap
    rj_board b;
    rj_vcf *vcf;
    rj_vct *vct;
    rj_ab_entry *table;
    size_t mask;
    uint64_t nodes, limit;
    double until;
    bool stop;
    int cap;
    uint8_t reduce[64][64]; // by depth and number of the move
    uint16_t killer[RJ_AB_PLIES + 2][2];
    int32_t history[2][RJ_MAX_POINTS];
    rj_ab_line fresh[RJ_MAX_POINTS]; // the lines of the depth in progress
    int pv_n[RJ_AB_PLIES + 2];
    uint16_t pv[RJ_AB_PLIES + 2][RJ_AB_PLIES + 2];
};

// renju_eval.c
void rj_eval_build(rj_ab *e);
int rj_eval(const rj_ab *e); // of the side to move
void rj_candidates(const rj_ab *e, int distance, uint64_t out[RJ_MAX_WORDS]);

// renju_ab_tree.c
int rj_ab_tree(rj_ab *e, int alpha, int beta, int depth, int ply, bool may_pass);
int rj_ab_moves(rj_ab *e, int first, int ply, rj_pick *out); // best first comes `first`, unless it is RJ_NO_POINT
void rj_ab_next(rj_pick *move, int i, int n);                // brings the best of i … n-1 to i

#endif
