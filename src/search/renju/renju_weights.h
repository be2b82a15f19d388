// The numbers of the renju engine that are learned from games: what patterns are worth, and which moves are likely good.
//
// A point's worth to a colour is a sum over its four directions and over the six pairs of them: one number per pattern,
// one per pair of patterns. Two directions are what makes a crossing (four and three, two twos); three rarely matter.
// So a table of 65536 keys has 135 numbers, which a few thousand games can teach. `keiko tune renju` and `renju-values` write them.
// What the sums cannot say, how much a threat is worth beside others, a small hidden layer adds.
#ifndef KEIKO_SEARCH_RENJU_RENJU_WEIGHTS_H
#define KEIKO_SEARCH_RENJU_RENJU_WEIGHTS_H

#include "games/renju/renju.h"

enum {
    RJ_W_PAIRS = RJ_P_COUNT * (RJ_P_COUNT + 1) / 2,
    RJ_W_TABLE = RJ_P_COUNT + RJ_W_PAIRS, // numbers of one table
    RJ_W_USED = 10,                       // of these belong to one point: four patterns, six pairs
    RJ_W_THREATS = 2048,                  // combinations of rj_threats()
    RJ_W_NEAR = 12,                       // see rj_near_last()
    RJ_W_UNIT = 16,                       // weights of values are in 1/16 of an evaluation unit
    RJ_W_LOGIT = 300,                     // evaluation units that make the odds e times better
    RJ_W_ORDER = 256,                     // units of move ordering that make a move e times likelier
    RJ_W_INPUTS = 38,                     // of the hidden layer; see rj_hidden_inputs()
    RJ_W_HIDDEN = 16,
    RJ_W_INPUT = 64, // what an input of 1 is as a whole number
    RJ_W_LINK = 512, // … a weight of the hidden layer, of its output
};

// For each rule. `own` and `other` are as seen by the side to move.
typedef struct rj_weights {
    int16_t value[2][2][RJ_W_TABLE]; // by colour, and whether that colour is to move (0) or waits (1)
    int16_t threat[2][RJ_W_THREATS]; // by the colour to move
    int16_t order[2][2][RJ_W_TABLE]; // by the colour to move: of its own patterns (0), of the other's (1)
    int16_t near[RJ_W_NEAR];         // by distance to the stone played last
    int16_t hidden[RJ_W_INPUTS][RJ_W_HIDDEN];
    int16_t output[RJ_W_HIDDEN +
                   1]; // of each hidden unit, and a constant; all 0: the values and threats are the evaluation
} rj_weights;

extern const rj_weights rj_weights_of[3]; // by rj_rule; the page has them in a file instead

const rj_weights *rj_weights_shipped(rj_rule rule); // borrowed; NULL: the page has not fetched them

// The numbers of a table that make up a point with these four patterns.
static inline void rj_weight_indices(unsigned key, uint8_t out[RJ_W_USED])
{
    int n = 0;
    for (int d = 0; d < RJ_DIRS; d++) {
        unsigned a = key >> 4 * d & 15;
        out[n++] = (uint8_t)a;
        for (int k = d + 1; k < RJ_DIRS; k++) {
            unsigned b = key >> 4 * k & 15, low = a < b ? a : b, high = a < b ? b : a;
            out[n++] = (uint8_t)(RJ_P_COUNT + high * (high + 1) / 2 + low);
        }
    }
}

// What threatens, as a number below RJ_W_THREATS: kinds of points that the side to move and the other side have.
static inline unsigned rj_threats(const rj_board *b)
{
    const uint16_t *own = b->count[b->side], *other = b->count[b->side ^ 1];
    int t = 0;
    t |= (own[RJ_FOUR] > 0) << 0;
    t |= (own[RJ_FOUR_PLUS] > 0) << 1;
    t |= (own[RJ_FOUR_THREE] > 0) << 2;
    t |= (own[RJ_THREE_PLUS] > 0) << 3;
    t |= (own[RJ_THREE_THREE] + own[RJ_DOUBTFUL] > 0) << 4;
    t |= (other[RJ_WINNING] > 0) << 5;
    t |= (other[RJ_FOUR] > 0) << 6;
    t |= (other[RJ_FOUR_PLUS] > 0) << 7;
    t |= (other[RJ_FOUR_THREE] > 0) << 8;
    t |= (other[RJ_THREE_PLUS] > 0) << 9;
    t |= (other[RJ_THREE_THREE] + other[RJ_DOUBTFUL] > 0) << 10;
    return (unsigned)t;
}

// What the hidden layer sees, in 1/RJ_W_INPUT: how many points of each class the mover and the other side have (in fours, 20 at most),
// the mover's and the other's sum of values and the evaluation without the layer (in log-odds), stones (in forties), 1, white to move.
typedef struct rj_hidden_view {
    const uint16_t *own, *other; // points by class
    int side, stones;
    int mover, waiting, value;
} rj_hidden_view;

static inline void rj_hidden_inputs(const rj_hidden_view *s, int16_t out[RJ_W_INPUTS])
{
    const int sums[3] = {s->mover, s->waiting, s->value};
    for (int k = 0; k < 16; k++) {
        out[k] = (int16_t)((s->own[k] < 20 ? s->own[k] : 20) * RJ_W_INPUT / 4);
        out[16 + k] = (int16_t)((s->other[k] < 20 ? s->other[k] : 20) * RJ_W_INPUT / 4);
    }
    for (int k = 0; k < 3; k++) {
        int v = sums[k] > 10 * RJ_W_LOGIT ? 10 * RJ_W_LOGIT : sums[k] < -10 * RJ_W_LOGIT ? -10 * RJ_W_LOGIT : sums[k];
        out[32 + k] = (int16_t)(v * RJ_W_INPUT / RJ_W_LOGIT);
    }
    out[35] = (int16_t)(s->stones * RJ_W_INPUT / 40);
    out[36] = RJ_W_INPUT;
    out[37] = s->side == RJ_WHITE ? RJ_W_INPUT : 0;
}

// How a point lies to the stone played last, below RJ_W_NEAR: 1 … 5 steps on a line with it, else 2 … 5 steps, farther, none.
static inline int rj_near_last(int size, int p, int last)
{
    if (last >= RJ_MAX_POINTS) return 11;
    int dx = p % size - last % size, dy = p / size - last / size;
    dx = dx < 0 ? -dx : dx;
    dy = dy < 0 ? -dy : dy;
    int far = dx > dy ? dx : dy;
    if (far > 5) return 10;
    bool line = dx == 0 || dy == 0 || dx == dy;
    return line ? far : 4 + far; // 1 … 5, 6 … 9
}

#endif
