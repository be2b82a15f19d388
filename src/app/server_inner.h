// Inside the protocol servers: what the three have in common. Not for others.
#ifndef KEIKO_APP_SERVER_INNER_H
#define KEIKO_APP_SERVER_INNER_H

#include "app/server.h"
#include "app/session.h"

typedef struct protocol {
    const char *name;
    bool (*serves)(const game *g); // NULL: every game
    bool (*line)(server *s, const char *line, text_buf *out);
    bool (*interrupts)(const char *line); // does this line, waiting to be read, end a search? NULL: none does
} protocol;

extern const protocol protocol_gtp, protocol_nboard, protocol_gomocup;

// The session's helper is the agent that is served: it answers for whichever side is to move.
struct server {
    const protocol *protocol;
    session *game;
    char settings[256], spec[1024];
    game_key key;
    server_io io;
    const char *version;
    agent_watch watch;
    text_buf *out; // of the line being answered
    // Gomocup: what a multi-line command has gathered so far
    int mode;
    text_buf gathered;
    int gathered_lines;
    // NBoard, and GTP's analysis: what a search under way has to say
    int wanted;
    double started;
    double interval; // seconds between two reports; GTP
    bool any_line;   // whatever arrives ends the search
};

enum { SERVER_LZ, SERVER_KATA }; // GTP's mode: whose words it uses

const game *server_game(const server *s);
const void *server_obs(server *s);                                   // what the seat to move sees
err server_new_game(server *s, const game *g, const char *position); // NULL or "": the start
err server_choose(server *s, agent_choice *out);                     // for the seat to move
err server_reopen(server *s, const char *spec);                      // another agent
bool server_over(const server *s);
void server_flush(server *s);

// GTP: analyse until a line arrives, or choose; with reports of s->wanted moves.
err server_analyse_on(server *s);
err server_choose_aloud(server *s, agent_choice *out);

#endif
