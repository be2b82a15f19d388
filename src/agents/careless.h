// How a level plays below its strength: now and then it draws its move from those that are nearly as good as the best.
//
// For agents whose analyse() gives values. What a drawn move may cost is said in expected score (0 to 1), the unit of every
// agent's value, so that one word means the same in every game. A move that loses at once is never nearly as good.
#ifndef KEIKO_AGENTS_CARELESS_H
#define KEIKO_AGENTS_CARELESS_H

#include "agents/agent.h"

// Rows for the agent's option table; T is its parameter struct with members `random` and `within`.
#define CARELESS_OPTS(T, RANDOM, WITHIN)                                                                               \
    {.name = "random",                                                                                                 \
     .kind = OPT_NUMBER,                                                                                               \
     .at = offsetof(T, random),                                                                                        \
     .value = "P",                                                                                                     \
     .low = 0,                                                                                                         \
     .high = 1,                                                                                                        \
     .preset = RANDOM,                                                                                                 \
     .help = "how often the move is drawn from those within `within` of the best"},                                    \
    {                                                                                                                  \
        .name = "within", .kind = OPT_NUMBER, .at = offsetof(T, within), .value = "SCORE", .low = 0, .high = 1,        \
        .preset = WITHIN, .help = "expected score that a drawn move may cost, of 1 for a win"                          \
    }

// With probability `random` draws a move by the agent's own analysis; *drew tells whether it did.
err agent_careless(agent *a, const void *obs, double random, double within, agent_choice *out, bool *drew);

// An agent type of an engine file that offers several levels: one set of functions under these names, one table of options a
// level.
#define LEVEL_AGENT(SYMBOL, GAMES, NAME, SUMMARY, OPTS)                                                                \
    const agent_type SYMBOL = {                                                                                        \
        .name = NAME,                                                                                                  \
        .summary = SUMMARY,                                                                                            \
        .games = GAMES,                                                                                                \
        .opts = OPTS,                                                                                                  \
        .n_opts = (int)(sizeof OPTS / sizeof *OPTS),                                                                   \
        .params_size = sizeof(params),                                                                                 \
        .mind_size = sizeof(mind),                                                                                     \
        .open = open_engine,                                                                                           \
        .close = close_engine,                                                                                         \
        .begin = begin_game,                                                                                           \
        .choose = choose,                                                                                              \
        .analyse = analyse,                                                                                            \
    }

#endif
