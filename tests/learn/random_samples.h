// Positions of random games with random targets, for the replay's tests.
#ifndef KEIKO_TESTS_RANDOM_SAMPLES_H
#define KEIKO_TESTS_RANDOM_SAMPLES_H

#include "learn/zero/samples.h"
#include "test.h"

#include <stdlib.h>

static const char *const board_games[] = {"tictactoe", "othello", "contrast", "renju"};

static inline void shape_of(samples_shape *sh, const char *name)
{
    const game *g;
    assert_ok(game_find(name, &g));
    assert_ok(samples_shape_make(sh, g, &g->encodings[0]));
}

// Random games; every position with random targets, its number in `step`.
static inline void fill(samples *s, const samples_shape *sh, size_t n, uint64_t seed, uint32_t first)
{
    const game *g = sh->g;
    char *state = malloc(g->state_size);
    move_t *moves = malloc((size_t)g->max_legal * sizeof *moves);
    float *p = malloc((size_t)g->max_legal * sizeof *p);
    for (uint64_t k = 0; s->n < n; k++) {
        rng r = rng_at(seed, k, 1);
        assert_ok(g->init(state, "", (game_key){seed, k}));
        for (int m; s->n < n && (m = g->legal(state, moves)) > 0;) {
            float sum = 0;
            for (int i = 0; i < m; i++) sum += p[i] = rng_below(&r, 3) == 0 ? (float)rng_unit(&r) : 0;
            for (int i = 0; i < m; i++) p[i] = sum > 0 ? p[i] / sum : 1.0f / (float)m;
            float value = (float)(2 * rng_unit(&r) - 1);
            assert_ok(samples_add(s, sh, state, g->seat(state), moves, p, m, value, first + (uint32_t)s->n));
            s->margin[s->n - 1] = -value;
            g->play(state, moves[rng_below(&r, (uint32_t)m)], NULL);
        }
    }
    free(state);
    free(moves);
    free(p);
}

#endif
