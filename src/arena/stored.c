// See stored.h.
#include "arena/stored.h"

#include "base/memory.h"

#include <stdlib.h>

static bool is_legal(const game *g, const void *state, move_t *room, move_t move)
{
    int n = g->legal(state, room);
    for (int i = 0; i < n; i++)
        if (room[i] == move) return true;
    return false;
}

err stored_replay(const stored_line *r, stored_see *see, void *ctx)
{
    const game *g = r->setup->g;
    char *state = calloc(1, g->state_size), *obs = calloc(1, g->obs_size);
    move_t *legal = malloc((size_t)g->max_legal * sizeof *legal);
    int plies = r->moves != NULL ? r->plies : 0;
    err e = ERR_OK;
    if (state == NULL || obs == NULL || legal == NULL)
        e = err_set(ERR_MEMORY, "no memory to replay a game");
    else
        e = g->init(state, r->setup->settings, (game_key){r->setup->seed, r->opening});
    for (int i = 0; e == ERR_OK && i <= plies; i++) {
        move_t next = i < plies ? r->moves[i] : MOVE_NONE;
        if (i < plies && !is_legal(g, state, legal, next)) {
            e = err_set(ERR_PARSE, "%s is damaged: %s %llu, move %d is not legal", r->path[0] ? r->path : "the run",
                        r->what, (unsigned long long)r->number + 1, i + 1);
            break;
        }
        game_observe(g, state, g->seat(state), obs);
        if (see != NULL) e = see(ctx, obs, next);
        if (e == ERR_OK && i < plies) g->play(state, next, NULL);
    }
    FREE_ALL(state, obs, legal);
    return e;
}
