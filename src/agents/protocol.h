// Our agents as engines for other people's programs: one line in, an answer out.
//
// Three protocols: GTP (every game), NBoard (Othello), Gomocup/Piskvork (renju, gomoku, freestyle). A server is a pure
// conversation: it reads no file and no clock but the agent's, so transcripts test it and a fuzzer can talk to it.
#ifndef KEIKO_AGENTS_PROTOCOL_H
#define KEIKO_AGENTS_PROTOCOL_H

#include "agents/agent.h"
#include "base/text.h"
#include "games/history.h"

typedef struct server server;

typedef struct server_options {
    const char *protocol; // "gtp", "nboard", "gomocup"
    const game *g;
    const char *settings; // options of the game, "" = none
    const char *agent;    // spec
    uint64_t seed;
} server_options;

err server_open(server **out, const server_options *o); // caller frees with server_close
void server_close(server *s);                           // NULL is fine

// Answer one line (without its end). False: the conversation is over.
bool server_line(server *s, const char *line, text_buf *out);

// --- shared by both directions
// How a protocol writes a move. GTP: letters without I on boards wider than 8; moves that are not one square as the game
// prints them. `obs` as for move_print.
int gtp_print(const game *g, const void *obs, move_t m, char *buf, size_t n);
err gtp_parse(const game *g, const void *obs, const char *text, move_t *m);

#endif
