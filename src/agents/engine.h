// Inside the agent `engine`: another program as a player, one file a protocol. Not for others.
//
// The program is started with the game and spoken to only while a move is asked of it. Whatever it does wrong (hangs,
// ends, floods, answers nonsense or an illegal move) becomes an error of choose(), which the referee records as a loss.
#ifndef KEIKO_AGENTS_ENGINE_H
#define KEIKO_AGENTS_ENGINE_H

#include "agents/agent.h"
#include "base/process.h"

typedef struct engine_params {
    const char *gtp, *nboard, *gomocup; // the command; exactly one is given
    double timeout;                     // seconds for one answer
    double turn;                        // seconds a move the engine is told to use; 0 = says nothing
    int64_t depth;                      // NBoard: set depth; 0 = says nothing
} engine_params;

typedef struct heard {
    int seat;
    move_t move;
    char text[32]; // as the protocol writes it; GTP only
} heard;

typedef struct engine_mind {
    process *p;
    bool fresh;   // a new game has begun and the program has not heard of it
    heard *queue; // moves the program has not heard of
    int n, room;
    move_t own; // what it answered last: it knows that one
    bool own_known;
    bool passes; // GTP: the program understands `play COLOUR pass`
    uint32_t pings;
} engine_mind;

typedef struct engine_protocol {
    err (*choose)(agent *a, const void *obs, agent_choice *out);
} engine_protocol;

extern const engine_protocol engine_gtp, engine_nboard, engine_gomocup;

static inline engine_mind *engine_of(const agent *a)
{
    return a->mind;
}

static inline const engine_params *engine_params_of(const agent *a)
{
    return a->params;
}

err engine_write(agent *a, const char *fmt, ...) KEIKO_PRINTF(2, 3);
err engine_read(agent *a, double until, char *line, size_t n); // `until` on clock_seconds()
err engine_check(agent *a, const void *obs, move_t m);         // is it legal?

#endif
