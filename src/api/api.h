// What the files of the public API share.
#ifndef KEIKO_API_API_H
#define KEIKO_API_API_H

#include "games/game.h"
#include "keiko.h"

// A keiko_game is a game; strangers never look inside.
static inline const game *api_game(const keiko_game *g)
{
    return (const game *)(const void *)g;
}

static inline const keiko_game *api_outer(const game *g)
{
    return (const keiko_game *)(const void *)g;
}

#endif
