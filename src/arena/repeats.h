// Games that are no evidence. Players without chance in them play the same game again whenever an opening comes back, and a
// rating that counts it again is surer than it may be.
//
// Chance is seen in the games, not asked of the players (an engine elsewhere does not tell): as long as every game from an
// opening that two players had before is the earlier one move by move, these repeats do not count. Once one differs, there
// is chance between the two, and all their games count: leaving out only the equal ones would favour rare games.
#ifndef KEIKO_ARENA_REPEATS_H
#define KEIKO_ARENA_REPEATS_H

#include "arena/match.h"

typedef struct repeat_print { // of a game, so that the game itself can be forgotten
    uint64_t from;            // players in their seats, and the opening; 0 = it never repeats
    uint64_t whole;           // all moves, and the result
    uint64_t pairing;         // players in any order
} repeat_print;
// The game's own chance makes equal moves another game; without the moves nothing can be said.
repeat_print repeat_print_of(const game *g, const match_record *r);

typedef struct repeats { // zero is empty; free with repeats_free
    struct {
        uint64_t key, value;
    } * at; // open addressing; key 0 = free
    size_t n, room;
} repeats;

// Games in order of their numbers. *same: the players had this opening before, and the game is the first one from it.
err repeats_add(repeats *k, const repeat_print *p, bool *same);
bool repeats_vary(const repeats *k,
                  uint64_t pairing); // a game of these players was not as the one before from its opening
void repeats_free(repeats *k);

#endif
