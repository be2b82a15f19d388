// Playing strengths by name, as data: `beginner easy medium hard expert`, and the numbers 1 to 10 for finer steps.
//
// A level is a name for the specification of an agent. All levels are rows of one table (agents/level_rows.h); a game has
// ten of them, from the weakest to the strongest, or none. Five of the ten also have a name. Wherever an agent is asked
// for, a level may be written instead, with parameters of its agent to change: `hard`, `7`, `hard:depth=3`.
#ifndef KEIKO_AGENTS_LEVELS_H
#define KEIKO_AGENTS_LEVELS_H

#include "games/game.h"

enum { LEVELS = 10, LEVEL_SPEC = 1024 };

typedef struct level_row {
    const char *game;
    int number;        // 1 to LEVELS
    const char *name;  // "hard"; "" for a step between two names
    const char *spec;  // an agent with all parameters that matter, never another level
    double elo, error; // measured; level 1 of the game is 1000. `error` is half of the 95 % interval
    const char *date;  // of the measurement, YYYY-MM-DD; "" = not measured yet, elo and error are then 0
} level_row;

int level_count(const game *g);                               // LEVELS, or 0 where the game has none
const level_row *level_at(const game *g, int i);              // i from 0, the weakest first
const level_row *level_find(const game *g, const char *word); // by name or number; NULL: there is no such level
const char *level_word(const level_row *l);                   // its name where it has one, else its number

// NAME[:key=value,…] with a level's name or number becomes the level's specification with the parameters behind it;
// every other specification is copied as it is. ERR_LIMIT where `out` is too small.
err level_expand(const game *g, const char *spec, char *out, size_t n);

#endif
