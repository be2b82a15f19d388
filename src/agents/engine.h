// Inside the agent `engine`: another program as a player, one file per protocol. Not for others.
//
// The program is started with the game and spoken to only while a move is asked of it. Whatever it does wrong (hangs,
// ends, floods, answers nonsense or an illegal move) becomes an error of choose(), which the referee records as a loss. GTP's `resign` is
// an error, too, with agent_choice.resigns. A program that ends before it has ever sent a line is no opponent but a wrong command: ERR_MISSING, which stops a match.
#ifndef KEIKO_AGENTS_ENGINE_H
#define KEIKO_AGENTS_ENGINE_H

#include "agents/agent.h"
#include "base/process.h"

typedef struct engine_params {
    const char *gtp, *nboard, *gomocup; // the command; exactly one is given
    double timeout;                     // seconds for one answer
    double turn;                        // seconds per move to request from the engine; 0 = none requested
    int64_t depth;                      // NBoard: search depth to request; 0 = none requested
} engine_params;

// Lines to and from the program: a process, or bytes in memory for tests. As process_write and process_read.
typedef struct engine_link {
    err (*write)(void *ctx, double seconds, const char *line);
    err (*read)(void *ctx, double seconds, char *line, size_t n);
    void *ctx;
} engine_link;

typedef struct heard {
    int seat;
    move_t move;
    char text[32]; // as the protocol writes it; GTP only
} heard;

typedef struct engine_mind {
    process *p;
    engine_link link;
    bool heard;   // a line has come from the program, in this game or an earlier one
    bool lent;    // the link was given by engine_lend: no process is started
    bool fresh;   // the program must hear of the whole game: a new one, or one that went another way
    heard *moves; // of the game so far, in playing order
    int n, room;
    int told;   // of these the program knows
    move_t own; // what it answered last: it knows that one
    bool own_known;
    bool passes; // GTP: the program understands `play COLOUR pass`
    uint32_t pings;
    double cpu; // seconds, of programs that have ended
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
void engine_lend(agent *a, engine_link link);                  // talk to this instead of a process

#endif
