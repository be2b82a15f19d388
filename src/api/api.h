// What the files of the public API share.
#ifndef KEIKO_API_API_H
#define KEIKO_API_API_H

#include "base/text.h"
#include "games/game.h"
#include "keiko.h"

struct keiko_position {
    const game *g;
    void *obs;     // scratch for one observation
    move_t *moves; // scratch for legality checks
    _Alignas(16) char state[];
};

int api_position(const game *g, const void *state, keiko_position **out); // a position of this state

// Hands the text over to the caller, unless there is an error.
int api_text(err e, text_buf *t, char **out);

// Copies a caller's struct of an older or the same version; members it does not know become 0. Refuses a newer one.
err api_options(void *to, size_t size, const void *from, const char *name);

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
