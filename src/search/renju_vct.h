// Victory by continuous threats, in renju and gomoku: fours and threes.
//
// A three threatens a straight four, so the defender has a few answers, not one: the points that spoil it and fours of its
// own. This is a search of two players, deepened by the attacker's moves; where fours alone win, the walk of fours says so
// and the line is done. A win it reports is one; without a win it may still exist, beyond the nodes or by quiet moves.
#ifndef KEIKO_SEARCH_RENJU_VCT_H
#define KEIKO_SEARCH_RENJU_VCT_H

#include "search/renju_vcf.h"

typedef struct rj_vct rj_vct;

err rj_vct_new(rj_vct **out, int hash); // 2^hash entries of 16 bytes; caller frees with rj_vct_free
void rj_vct_free(rj_vct *v);            // NULL is fine
void rj_vct_forget(rj_vct *v);

// The side to move attacks; `moves` counts threats before the final fours. The board comes back as it was. The line holds
// the longest defence; it is seldom the shortest win. RJ_VCF_UNKNOWN when the nodes ran out.
rj_vcf_verdict rj_vct_solve(rj_vct *v, rj_board *b, const rj_vcf_limits *l, rj_line *out);

#endif
