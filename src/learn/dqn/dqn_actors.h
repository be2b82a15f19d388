// Many matches at once and who plays them: the learner's network, copies of it, and agents, each seat of each lane its own.
//
// A tick asks everybody whose decision it is (each network once, for all its lanes together; agents side by side on the
// threads), steps every lane, and leaves what happened in the view. Training and evaluation are both loops over ticks.
#ifndef KEIKO_LEARN_DQN_DQN_ACTORS_H
#define KEIKO_LEARN_DQN_DQN_ACTORS_H

#include "agents/agent.h"
#include "base/pool.h"
#include "learn/dqn/dqn_env.h"
#include "stats/dist.h"

enum { ACTOR_NETS = 16, ACTOR_AGENT = 255 };

typedef err dqn_values_fn(void *ctx, int n, const uint64_t *bits, const float *scalars, float *q); // q[n][actions]

typedef struct dqn_actors {
    const dqn_env_type *type;
    void *env;
    dqn_shape shape;
    int lanes;
    uint64_t seed;
    uint32_t tick;
    pool *threads; // borrowed
    dqn_view view;
    uint8_t *action;           // [lanes] of the tick
    uint8_t (*player)[2];      // [lanes]: who has which seat; an index into `net`, or ACTOR_AGENT
    agent *(*agents)[2];       // [lanes]: owned
    uint8_t (*fresh)[2];       // [lanes]: the agent has not been told of this match yet
    uint8_t *alone;            // [lanes]: a network that searches sees ahead here, but decides without
    struct actors_net {        //
        dqn_values_fn *values; // NULL = not there
        void *ctx;
        double epsilon;
        bool search;          // decide by the reward and the value one step ahead
        dqn_values_fn *alone; // with search: whose values decide in the lanes marked `alone`
        void *alone_ctx;
    } net[ACTOR_NETS];
    struct actors_ahead { // what the last search saw, rows lane by lane
        int lanes, rows;
        int *of;                // [all lanes]: which of them, -1 = it did not search
        int *lane, *start;      // [lanes], [lanes + 1]
        uint8_t *action, *over; // [rows]
        float *reward, *value;  // value: of the best action there, 0 when over
        uint32_t *mask;
        uint64_t *bits;
        float *scalars;
        int rows_most; // memory is there for this many
    } ahead;
    // scratch of a tick
    int *list, *askers;
    uint64_t *bits;
    float *scalars, *q, *q_alone;
    double reward_scale, gamma; // of networks that search
    err failed;                 // of an agent; the sentence is kept
    char failure[640];
} dqn_actors;

// `options` are the environment's. Every seat starts with network 0.
err actors_new(dqn_actors *h, const dqn_env_type *type, const void *options, int lanes, uint64_t seed, pool *threads);
void actors_free(dqn_actors *h);
err actors_set_agent(dqn_actors *h, int lane, int seat, const char *spec); // opens one for this seat
void actors_set_net(dqn_actors *h, int lane, int seat, int net);           // its agent, if any, stays for later
err actors_prepare_search(dqn_actors *h);                                  // memory for networks that search
err actors_choose(dqn_actors *h);                                          // fills `action`
void actors_step(dqn_actors *h);                                           // plays it

// --- evaluation

typedef struct dqn_score {
    int games, wins, draws, losses;
    double score;               // (wins + draws / 2) / games
    interval range;             // 95 %, Wilson's, with draws as halves
    double chain, chain_error;  // mean of the largest chain a game (the environment's stat), standard error
    double other_chain, length; // the opponent's; decisions a game
} dqn_score;

typedef struct dqn_eval {
    const dqn_env_type *type;
    const void *options; // of the environment; matches come in pairs with the seats exchanged if it can do that
    int games;
    uint64_t seed;
    pool *threads;
    const char *agent; // who is evaluated: this one, or the network below, greedily
    dqn_values_fn *values;
    void *ctx;
    double reward_scale; // above 0: the network looks one step ahead, with rewards of this scale and this discount
    double gamma;
    void (*tick)(void *tick_ctx, int done); // after each step; may be NULL
    void *tick_ctx;
} dqn_eval;

err dqn_evaluate(const dqn_eval *e, const char *opponent, dqn_score *out);

#endif
