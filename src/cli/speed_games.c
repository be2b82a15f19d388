// The rows of `keiko speed` about the game cores.
#include "cli/speed.h"
#include "games/contrast/contrast.h"
#include "games/othello/othello.h"
#include "games/puyo/puyo.h"
#include "games/renju/renju.h"

#include <assert.h>
#include <stdlib.h>

static uint64_t othello_perft(int depth, uint64_t round)
{
    (void)round;
    return oth_perft(oth_start(), depth);
}

static uint64_t othello_games(int n, uint64_t round)
{
    return oth_random_games(1, round * (uint64_t)n, (uint64_t)n).games;
}

static uint64_t contrast_perft(int depth, uint64_t round)
{
    (void)round;
    ctr_board b = ctr_start();
    return ctr_perft(&b, depth);
}

static volatile uint64_t sink; // what a loop computed must be used

static uint64_t renju_play_undo(int n, uint64_t round)
{
    sink = rj_speed_play_undo((uint64_t)n, round);
    return (uint64_t)n;
}

static uint64_t renju_fouls(int n, uint64_t round)
{
    sink = rj_speed_forbidden((uint64_t)n, round);
    return (uint64_t)n;
}

// Random games through the game table: what a general program gets.
static uint64_t table_games(int index, uint64_t round)
{
    const game *g = game_at(index % game_count());
    void *s = malloc(g->state_size);
    uint64_t n = 20;
    for (uint64_t i = 0; s != NULL && i < n; i++) {
        rng r = rng_at(1, round * n + i, 0);
        if (g->init(s, "", (game_key){1, round * n + i}) != ERR_OK) break;
        game_random_playout(g, s, &r, 100000);
    }
    free(s);
    return n;
}
