// Victory by continuous threats, in renju and gomoku: fours, threes, and quiet moves that threaten a win by fours.
//
// Every move of the attacker either makes a four or leaves a position that would be won by fours if the defender passed. The
// defender then has a few answers, not one (renju_stop.h). This is a search of two players, by proof numbers; where fours
// alone win, the walk of fours says so and the line is done. A win it reports is one; without a win it may still exist,
// beyond the nodes, or by quiet moves that build nothing themselves.
#ifndef KEIKO_SEARCH_RENJU_RENJU_VCT_H
#define KEIKO_SEARCH_RENJU_RENJU_VCT_H

#include "search/renju/renju_vcf.h"

typedef struct rj_vct rj_vct;

err rj_vct_new(rj_vct **out, int hash); // 2^hash entries of 24 bytes, and as many for fours; free with rj_vct_free
void rj_vct_free(rj_vct *v);            // NULL is fine
void rj_vct_forget(rj_vct *v);

// The side to move attacks; `nodes` bounds the moves tried, 0 = no limit; `until` is what clock_seconds() says when it must end, 0 =
// no limit. The board comes back as it was. The line (`out` may be NULL) holds the longest defence that was found; it is seldom the
// shortest win. RJ_VCF_UNKNOWN when nodes or time ran out.
rj_vcf_verdict rj_vct_solve(rj_vct *v, rj_board *b, uint64_t nodes, double until, rj_line *out);

#endif
