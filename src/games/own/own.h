// Games that another program or a shared library brings (keiko_rules.h), made into one of our game tables.
#ifndef KEIKO_GAMES_OWN_OWN_H
#define KEIKO_GAMES_OWN_OWN_H

#include "games/game.h"
#include "keiko_rules.h"

enum { OWN_NAME = 32, OWN_MOVE_TEXT = 100 }; // room for a name, and for a move's text

// What is being tried out, for the report of a crash: a signal handler may read it. `game` NULL: nothing.
typedef struct own_trial {
    const char *game, *function;
    int ply; // -1: no game is under way
} own_trial;
extern volatile own_trial own_trial_now;

// Tries the rules out and registers the game; see keiko_game_register. Before other threads look.
err own_game_add(const keiko_rules *given, const game **out);

// Inside own/: are the numbers in bounds; and, played by random games, do the functions keep their promises?
err own_check_numbers(const keiko_rules *r);
err own_check_play(const keiko_rules *r, const game *g);

#endif
