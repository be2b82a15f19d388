// Where games begin: short lines of moves, so that players without chance in them do not repeat one game.
//
//   start     no line: every game begins at the start
//   named     renju's 26 openings of three stones
//   balanced  renju and gomoku: lines of a fixed set that was tested by search and by games, in an order that depends on
//             the seed. Other games: random lines, kept if the game's own alpha-beta finds both sides about equal. No
//             two lines of a set are the same up to the board's symmetry
//   auto      renju: the named ones, then balanced ones; games with chance: the start, since the chance itself is
//             shared by a pair; every other game: balanced ones
//   FILE      one opening per line: moves separated by ';'; # begins a comment; a name may stand before a ':'
// A set is a function of game, kind, size and seed.
#ifndef KEIKO_ARENA_OPENINGS_H
#define KEIKO_ARENA_OPENINGS_H

#include "games/game.h"

enum { OPENING_PLIES = 32, OPENING_NAME = 48, OPENINGS_MOST = 1 << 20 };

typedef struct opening {
    char name[OPENING_NAME]; // "" = none
    uint16_t plies;
    move_t moves[OPENING_PLIES];
} opening;

typedef struct openings { // zero: the start
    opening *line;
    uint32_t n, room;
} openings;

// At least one line, at most `want`; fewer where no more are found. `settings`: options of the game.
err openings_make(openings *out, const game *g, const char *settings, const char *kind, uint32_t want, uint64_t seed);
// n lines of two to four random moves, alike or not: enough that players without chance do not repeat one game.
err openings_random(openings *out, const game *g, uint32_t n, uint64_t seed);
err openings_read(openings *out, const game *g, const char *settings, const char *text, const char *name); // of a file
err openings_add(openings *o, const opening *line);
void openings_free(openings *o);

// Which of the set is played in round `i`: modulo, and the start for an empty set.
const opening *openings_at(const openings *o, uint32_t i); // never NULL

extern const char *const openings_kinds; // "auto|balanced|named|start"

#endif
