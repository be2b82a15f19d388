// What each move of a Puyo match earns: the rewards that deep Q-learning pays, component by component.
#ifndef KEIKO_APP_PUYO_REWARDS_H
#define KEIKO_APP_PUYO_REWARDS_H

#include "base/err.h"
#include "search/puyo/puyo_reward.h"

#include <stdint.h>

typedef struct rewards_request {
    const char *game;     // "AGENT vs AGENT", moves ("3u;4r;…"), or a file with moves
    const char *rewards;  // "shaped", "seed", with changes: puyo_reward.h
    const char *settings; // options of the game
    double gamma;
    uint64_t seed;
} rewards_request;

typedef struct rewards_row { // one decision with everything until the seat's next one
    int ply, seat, chain;
    char move[16];
    double part[PUYO_REWARD_COUNT];
    double reward, sum; // of this decision; of the seat so far
} rewards_row;

typedef struct rewards_total {
    bool over;
    float score; // of seat 0: 1, ½, 0
    double rewards[2], discounted[2];
} rewards_total;

typedef void rewards_see(void *ctx, const rewards_row *row);

// The components that these rewards pay, in order; returns their number. `column` has room for PUYO_REWARD_COUNT.
err rewards_columns(const char *rewards, int *column, int *n);

err rewards_explain(const rewards_request *q, rewards_see *see, void *ctx, rewards_total *out);

#endif
