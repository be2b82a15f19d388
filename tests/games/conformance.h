// What must hold for every game: call conform(g, …) from the game's own test file.
//
// It plays random games through the table and checks, at every position: legal moves are ascending, distinct and below
// n_moves; move text and position text parse back to the same bytes and the same hash; truncated and mutated texts never
// crash; play, result and legal agree on when the game is over; a move that `win` names wins; head indices are in range and distinct as tuples;
// symmetries are permutations that commute with encoding; drawing and texts fit GAME_TEXT.
#ifndef KEIKO_TESTS_CONFORMANCE_H
#define KEIKO_TESTS_CONFORMANCE_H

#include "games/game.h"

// `positions` random positions at least, a tenth of them outside `make soak`. States are compared through text, hash and legal moves, and byte for byte
// where `exact_bytes` says that the position text carries the whole state.
void conform(const game *g, const char *options, uint64_t positions, bool exact_bytes);

#endif
