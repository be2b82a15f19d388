// Who plays whom, and from which opening: a table of pairings and arithmetic, no list of games.
//
// Games go round by round. A round is one opening, played by every pairing twice with sides swapped, so that a match that
// is stopped early has used the same openings for all. Game numbers count from 0; the first named of a pairing moves first
// in the even game of a pair. With an odd number of games a pairing, the last round has one game each.
#ifndef KEIKO_ARENA_SCHEDULE_H
#define KEIKO_ARENA_SCHEDULE_H

#include "arena/match.h"

typedef enum schedule_kind {
    SCHEDULE_ROUND_ROBIN, // everybody against everybody
    SCHEDULE_GAUNTLET,    // the first against all others
    SCHEDULE_NEIGHBOURS,  // each against the next: levels
    SCHEDULE_KINDS
} schedule_kind;

typedef struct schedule {
    schedule_kind kind;
    int players, n_pairings;
    uint16_t (*pairing)[2]; // [n_pairings]
    uint64_t games;         // a pairing
    uint64_t n;             // all games
} schedule;

err schedule_make(schedule *out, schedule_kind kind, int players, uint64_t games); // free with schedule_free
void schedule_free(schedule *s);

match_game schedule_game(const schedule *s, uint64_t i); // its id is i, its opening the round
int schedule_pairing(const schedule *s, uint64_t i);     // which pairing game i belongs to
uint32_t schedule_round(const schedule *s, uint64_t i);  // which round
uint32_t schedule_pair(const schedule *s, uint64_t i);   // one number for the two games of an opening and pairing
uint64_t schedule_rounds(const schedule *s);

extern const char *const schedule_names[SCHEDULE_KINDS]; // "round-robin", "gauntlet", "neighbours"

#endif
