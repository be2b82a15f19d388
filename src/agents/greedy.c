// The agent `greedy`: the move that looks best at once, one rule a game. A yardstick, and an opponent for a first game.
//
//   Othello          turns the most discs
//   Contrast         reaches the goal, else the most rows forward
//   renju, gomoku    the best line of its own or the best to block, by the pattern classes of the point
//   Puyo             fires the chain with the most points now, else the flattest field
//   any other game   wins at once if it can, else random
// Ties are broken at random, keyed by the game.
#include "agents/agent.h"
#include "base/memory.h"
#include "games/contrast/contrast.h"
#include "games/othello/othello.h"
#include "games/puyo/puyo_match.h"
#include "games/puyo/puyo_solo.h"
#include "games/renju/renju_game.h"

#include <stdlib.h>
#include <string.h>

// How good is each move? Writes one number per move.
typedef err (*appeal)(const agent *a, const void *obs, const move_t *moves, int n, double *value);

static err othello_appeal(const agent *a, const void *obs, const move_t *moves, int n, double *value)
{
    (void)a;
    const oth_state *s = obs;
    for (int i = 0; i < n; i++) value[i] = moves[i] == OTH_PASS ? 0 : oth_count(oth_flips(s->b, moves[i]));
    return ERR_OK;
}

static err contrast_appeal(const agent *a, const void *obs, const move_t *moves, int n, double *value)
{
    (void)a;
    const ctr_state *s = obs;
    for (int i = 0; i < n; i++) {
        int rows = ctr_from(moves[i]) / CTR_SIZE - ctr_to(moves[i]) / CTR_SIZE;
        ctr_board next = ctr_play(&s->b, moves[i]);
        value[i] = ctr_won(&next) ? 100 : s->b.side == 0 ? rows : -rows;
    }
    return ERR_OK;
}

static err puyo_appeal(const py_field *f, uint8_t pair, const move_t *moves, int n, double *value)
{
    for (int i = 0; i < n; i++) {
        py_field next = *f;
        int h[PY_COLS];
        double rough = 0;
        py_place(&next, moves[i], pair);
        py_chain_result r = py_chain(&next);
        py_heights(&next, h);
        for (int c = 0; c + 1 < PY_COLS; c++) rough += (double)((h[c] - h[c + 1]) * (h[c] - h[c + 1]));
        value[i] = r.links > 0 ? 1e6 + r.score : -rough - h[PY_SPAWN];
    }
    return ERR_OK;
}

static err versus_appeal(const agent *a, const void *obs, const move_t *moves, int n, double *value)
{
    const py_match *m = obs;
    return puyo_appeal(&m->side[a->seat].field, m->side[a->seat].window[0], moves, n, value);
}

static err solo_appeal(const agent *a, const void *obs, const move_t *moves, int n, double *value)
{
    (void)a;
    const py_solo *s = obs;
    return puyo_appeal(&s->field, s->window[0], moves, n, value);
}

static err renju_appeal(const agent *a, const void *obs, const move_t *moves, int n, double *value)
{
    (void)a;
    // By class: what the point is worth to its owner; a little less to the one who blocks it.
    static const double worth[RJ_CLASSES] = {
        [RJ_NONE] = 0,        [RJ_FORBIDDEN] = 0,   [RJ_TWO] = 2,         [RJ_TWO_TWO] = 4,      [RJ_CLOSED] = 3,
        [RJ_CLOSED_PLUS] = 6, [RJ_THREE] = 8,       [RJ_THREE_PLUS] = 12, [RJ_THREE_THREE] = 60, [RJ_FOUR] = 9,
        [RJ_FOUR_PLUS] = 12,  [RJ_FOUR_THREE] = 80, [RJ_WINNING] = 200,   [RJ_DOUBTFUL] = 20,    [RJ_FIVE] = 1000,
    };
    rj_board *b = malloc(sizeof *b);
    if (b == NULL) return err_set(ERR_MEMORY, "no memory for a board");
    rj_board_load(b, obs);
    int me = b->side, size = rj_size(b);
    for (int i = 0; i < n; i++) {
        int p = moves[i], dx = 2 * (p % size) - size + 1, dy = 2 * (p / size) - size + 1;
        value[i] = worth[rj_class_at(b, me, p)] + 0.7 * worth[rj_class_at(b, !me, p)] - 0.001 * (dx * dx + dy * dy);
        if (me == RJ_BLACK && rj_class_at(b, me, p) != RJ_FIVE && rj_foul_at(b, p) != RJ_FINE) value[i] = -1e6;
    }
    free(b);
    return ERR_OK;
}

static err any_appeal(const agent *a, const void *obs, const move_t *moves, int n, double *value)
{
    const game *g = a->g;
    rng r = agent_rng(a);
    char *s = malloc(2 * (size_t)g->state_size);
    if (s == NULL) return err_set(ERR_MEMORY, "no memory");
    game_sample(g, obs, &r, s);
    int seat = g->seat(s);
    for (int i = 0; i < n; i++) {
        memcpy(s + g->state_size, s, g->state_size);
        g->play(s + g->state_size, moves[i], NULL);
        value[i] = (double)g->result(s + g->state_size).score[seat];
    }
    free(s);
    return ERR_OK;
}

static appeal appeal_of(const game *g)
{
    static const appeal known[GAME_CORES] = {
        [CORE_NONE] = any_appeal,     [CORE_OTHELLO] = othello_appeal, [CORE_CONTRAST] = contrast_appeal,
        [CORE_STONES] = renju_appeal, [CORE_PUYO] = versus_appeal,     [CORE_PUYO_SOLO] = solo_appeal,
    };
    return known[g->core];
}

static err greedy_choose(agent *a, const void *obs, agent_choice *out)
{
    const game *g = a->g;
    rng r = agent_rng(a);
    err e = ERR_OK;
    char *state = malloc(g->state_size);
    move_t *moves = malloc((size_t)g->max_legal * sizeof *moves);
    double *value = malloc((size_t)g->max_legal * sizeof *value);
    if (state == NULL || moves == NULL || value == NULL) e = err_set(ERR_MEMORY, "no memory");
    if (e == ERR_OK) {
        game_sample(g, obs, &r, state);
        int n = g->legal(state, moves), best = 0, equals = 0;
        if (n == 0) e = err_set(ERR_USAGE, "the game is over");
        if (e == ERR_OK) e = appeal_of(g)(a, obs, moves, n, value);
        for (int i = 0; e == ERR_OK && i < n; i++) {
            if (value[i] < value[best]) continue;
            equals = value[i] > value[best] ? 1 : equals + 1;
            // The k-th of several equals takes the place with probability 1/k: each is as likely as the others.
            if (equals == 1 || rng_below(&r, (uint32_t)equals) == 0) best = i;
        }
        if (e == ERR_OK) out->move = moves[best];
        out->nodes = (uint64_t)n;
    }
    FREE_ALL(value, moves, state);
    return e;
}

const agent_type agent_greedy = {
    NAMED("greedy", "", "Plays the move with the best immediate score; no search"),
    .choose = greedy_choose,
};
