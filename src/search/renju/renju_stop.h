// What can stop a win by fours: the defender's moves against a threat that is not yet a four.
//
// A move that leaves the known line of fours winning is no defence, so only those are listed that may break it: points of
// the line itself, fours of the defender, and stones that make the line's own answers into fours. The last kind, and
// whatever might change a foul on the way, is tried out by playing the line.
#ifndef KEIKO_SEARCH_RENJU_RENJU_STOP_H
#define KEIKO_SEARCH_RENJU_RENJU_STOP_H

#include "search/renju/renju_vcf.h"

// `line` wins by fours for the other side if the side to move passes, and the other side has no five yet. Writes every
// move after which it might not, at most RJ_MAX_POINTS: on the line first, then fours, then the rest. The board comes back as it
// was.
int rj_stops(rj_board *b, const rj_line *line, uint16_t *out);

// Does the line still win after the side to move plays `p`? Exact about this line; another may win where it does not.
bool rj_line_holds(rj_board *b, const rj_line *line, int p);

#endif
