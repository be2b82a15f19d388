// How a level plays below its strength: now and then it draws its move from those that are nearly as good as the best.
//
// For agents whose analyse() gives values. What a drawn move may cost is said in expected score (0 to 1), the unit of every
// agent's value, so that one word means the same in every game. A move that loses at once is never nearly as good.
#ifndef KEIKO_AGENTS_CARELESS_H
#define KEIKO_AGENTS_CARELESS_H

#include "agents/agent.h"
#include "base/opt_rows.h"

// Rows for the agent's option table; T is its parameter struct with members `random` and `within`.
// clang-format off
#define CARELESS_OPTS(T) \
    ROW_NUMBER("random", offsetof(T, random), "P", "0", 0, 1, "Probability of playing a random move from those within `within` of the best"), \
    ROW_NUMBER("within", offsetof(T, within), "SCORE", "0", 0, 1, "Largest loss of expected score (0 to 1) such a move may have")
// clang-format on

// With probability `random` draws a move by the agent's own analysis; *drew tells whether it did.
err agent_careless(agent *a, const void *obs, double random, double within, agent_choice *out, bool *drew);

#endif
