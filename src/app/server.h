// Our agents as engines for other people's programs: one line in, an answer out.
//
// Three protocols: GTP (every game), NBoard (Othello), Gomocup/Piskvork (renju, gomoku, freestyle). A server is a conversation
// over a session: it reads no file, so transcripts test it and a fuzzer can talk to it. While an agent thinks it meets the
// world through server_io: NBoard wants lines on the way, and its `ping` ends a search.
#ifndef KEIKO_APP_SERVER_H
#define KEIKO_APP_SERVER_H

#include "base/text.h"
#include "games/game.h"

typedef struct server server;

// Zero: answers come all at once, and nothing interrupts an agent.
typedef struct server_io {
    void *ctx;
    void (*flush)(void *ctx, text_buf *out); // send what was said so far, and clear it
    const char *(*ahead)(void *ctx,
                         int i); // the i-th line that has arrived but was not read yet; NULL: none; "" behind
                                 // the last when no more will come
} server_io;

typedef struct server_options {
    const char *protocol; // "gtp", "nboard", "gomocup"
    const game *g;
    const char *settings; // options of the game, "" = none
    const char *agent;    // spec
    uint64_t seed;
    const char *version; // of the program; must outlive the server
    server_io io;
} server_options;

err server_open(server **out, const server_options *o); // caller frees with server_close
void server_close(server *s);                           // NULL is fine

// Answer one line (without its end). False: the conversation is over.
bool server_line(server *s, const char *line, text_buf *out);

#endif
