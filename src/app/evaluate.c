// See evaluate.h. Positions go to the evaluator in chunks, so that memory does not grow with what a caller brings.
#include "app/evaluate.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256 };

typedef struct work { // one chunk
    char *obs;        // [CHUNK][obs_size]
    move_t *moves;    // [CHUNK][max_legal]
    float *priors;    // the same
    const void *obs_at[CHUNK];
    const move_t *moves_at[CHUNK];
    float *priors_at[CHUNK];
    int n_moves[CHUNK], of[CHUNK]; // of: which of the caller's positions
    float values[CHUNK];
} work;

// The softmax of logits, in place.
static void to_probabilities(float *p, int n)
{
    float most = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++) most = p[i] > most ? p[i] : most;
    for (int i = 0; i < n; i++) sum += p[i] = expf(p[i] - most);
    for (int i = 0; i < n; i++) p[i] /= sum;
}

// Fills the next chunk from the positions at *at on; those that are over are answered here.
static int collect(work *w, const game *g, const void *const *states, int n, int *at, float *values)
{
    int some = 0;
    size_t room = (size_t)g->max_legal;
    for (; *at < n && some < CHUNK; ++*at) {
        const void *s = states[*at];
        outcome o = g->result(s);
        if (o.over) {
            if (values != NULL) values[*at] = g->n_seats == 1 ? o.score[0] : 2 * o.score[0] - 1;
            continue;
        }
        char *obs = w->obs + (size_t)some * g->obs_size;
        game_observe(g, s, g->seat(s), obs);
        w->obs_at[some] = obs;
        w->n_moves[some] = g->legal(s, w->moves + (size_t)some * room);
        w->moves_at[some] = w->moves + (size_t)some * room;
        w->priors_at[some] = w->priors + (size_t)some * room;
        memset(w->priors_at[some], 0, room * sizeof *w->priors);
        w->values[some] = 0;
        w->of[some++] = *at;
    }
    return some;
}

err evaluate_states(evaluator *e, const game *g, const void *const *states, int n, float *values, float *policy)
{
    size_t room = (size_t)g->max_legal, moves = (size_t)g->n_moves;
    err r = ERR_OK;
    work *w = calloc(1, sizeof *w);
    if (w != NULL) {
        w->obs = malloc(CHUNK * (size_t)g->obs_size);
        w->moves = malloc(CHUNK * room * sizeof *w->moves);
        w->priors = malloc(CHUNK * room * sizeof *w->priors);
    }
    if (w == NULL || w->obs == NULL || w->moves == NULL || w->priors == NULL)
        r = err_set(ERR_MEMORY, "no memory to evaluate positions");
    if (r == ERR_OK && policy != NULL) memset(policy, 0, (size_t)n * moves * sizeof *policy);
    for (int at = 0; r == ERR_OK && at < n;) {
        mcts_batch b = {.n = collect(w, g, states, n, &at, values),
                        .obs = w->obs_at,
                        .moves = w->moves_at,
                        .n_moves = w->n_moves,
                        .priors = w->priors_at,
                        .values = w->values};
        if (b.n > 0) r = evaluator_raw(e, &b);
        for (int i = 0; r == ERR_OK && i < b.n; i++) {
            if (values != NULL) values[w->of[i]] = w->values[i];
            if (policy == NULL) continue;
            if (evaluator_logits(e)) to_probabilities(w->priors_at[i], w->n_moves[i]);
            for (int k = 0; k < w->n_moves[i]; k++)
                policy[(size_t)w->of[i] * moves + w->moves_at[i][k]] = w->priors_at[i][k];
        }
    }
    if (w != NULL) {
        FREE_ALL(w->obs, w->moves, w->priors);
    }
    free(w);
    return r;
}
