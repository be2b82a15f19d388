// Loops that `keiko speed` times: the two operations whose cost decides how deep a renju engine sees.
//
// Positions come from half-sensible play (the better of a few random points near the stones, fives blocked, nothing
// that ends the game), because patterns on a board of random stones are poorer than in any game.
#include "base/rng.h"
#include "games/renju/renju.h"

#include <stdlib.h>
#include <string.h>

enum { POSITIONS = 64, FIRST = 20, LINE = 4, LINES = 6400 };

static int list_near(const rj_board *b, uint16_t *out)
{
    uint64_t near[RJ_MAX_WORDS];
    int n = 0;
    rj_near(b, 2, near);
    for (int w = 0; w < RJ_MAX_WORDS; w++)
        for (uint64_t m = near[w]; m; m &= m - 1) out[n++] = (uint16_t)(w * 64 + __builtin_ctzll(m));
    return n;
}

static int choose(rj_board *b, rng *r, const uint16_t *near, int n)
{
    uint16_t fives[RJ_MAX_POINTS];
    int us = b->side, best = -1, best_worth = -1;
    if (rj_points(b, !us, RJ_FIVE, RJ_FIVE, fives) > 0) return fives[0];
    for (int tries = 0; tries < 5; tries++) {
        int p = near[rng_below(r, (uint32_t)n)], own = (int)rj_class_at(b, us, p), other = (int)rj_class_at(b, !us, p);
        if (own == RJ_FIVE || (us == RJ_BLACK && rj_foul_at(b, p) != RJ_FINE)) continue;
        int worth = 2 * own + other;
        if (worth > best_worth) {
            best = p;
            best_worth = worth;
        }
    }
    return best;
}

// Plays `stones` stones; fewer where the game would not let it.
static void middle_game(rj_board *b, rng *r, int stones)
{
    uint16_t near[RJ_MAX_POINTS];
    rj_board_init(b, RJ_RENJU, 15);
    rj_play(b, 112);
    while (b->placed < stones) {
        int n = list_near(b, near), p = n > 0 ? choose(b, r, near, n) : -1;
        if (p < 0) return;
        rj_play(b, p);
    }
}

uint64_t rj_speed_play_undo(uint64_t n, uint64_t seed)
{
    rj_board *b = malloc(sizeof *b);
    if (b == NULL) return 0;
    uint64_t sum = 0, done = 0, dice = seed;
    for (uint64_t game = 0; done < n; game = (game + 1) % POSITIONS) {
        rng r = rng_at(seed, game, 0);
        uint16_t near[RJ_MAX_POINTS];
        middle_game(b, &r, FIRST + (int)game);
        unsigned share = (unsigned)list_near(b, near) / LINE;
        // Lines of a few stones that never repeat, as in a search; so many that making the position does not count.
        for (int line = 0; line < LINES && done < n && share > 0; line++) {
            unsigned depth = 0;
            for (; depth < LINE && done < n; depth++, done++) {
                dice = dice * 6364136223846793005u + 1442695040888963407u;
                rj_play(b, near[depth * share + (unsigned)(dice >> 40) % share]);
            }
            sum += b->hash ^ b->count[b->side][RJ_FOUR];
            while (depth-- > 0) rj_undo(b);
        }
    }
    free(b);
    return sum;
}

uint64_t rj_speed_forbidden(uint64_t n, uint64_t seed)
{
    rj_board *b = malloc(sizeof *b);
    if (b == NULL) return 0;
    uint64_t stones[POSITIONS][2][4], sum = 0, map[4];
    for (uint64_t game = 0; game < POSITIONS; game++) {
        rng r = rng_at(seed, game, 0);
        middle_game(b, &r, FIRST + (int)game);
        for (int c = 0; c < 2; c++) memcpy(stones[game][c], b->stones[c], sizeof stones[game][c]);
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t *black = stones[i % POSITIONS][0], *white = stones[i % POSITIONS][1];
        sum += (uint64_t)rj_foul_map(black, white, map) + (map[1] ^ map[2]);
    }
    free(b);
    return sum;
}
