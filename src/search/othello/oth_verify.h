// Othello problems against their known answers. See oth_obf.h for the format.
#ifndef KEIKO_SEARCH_OTH_VERIFY_H
#define KEIKO_SEARCH_OTH_VERIFY_H

#include "games/othello/oth_obf.h"
#include "search/othello/oth_search.h"

// Is what was found for a problem right? `best` moves were asked for. Every score must be the listed one of its move, and
// the first must be the best listed. Problems without a listed move are right. `why` gets a sentence when not.
bool oth_verify(const oth_problem *p, const oth_found *f, bool wld, char *why, size_t n);

// A score for people: "+6"; with wld, whose numbers mean nothing but their sign, "win", "draw" or "loss". Returns `buf`.
enum { OTH_SCORE_TEXT = 16 };
const char *oth_score_text(int score, bool wld, char buf[OTH_SCORE_TEXT]);

#endif
