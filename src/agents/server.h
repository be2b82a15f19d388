// Inside the protocol servers: what the three have in common. Not for others.
#ifndef KEIKO_AGENTS_SERVER_H
#define KEIKO_AGENTS_SERVER_H

#include "agents/protocol.h"

typedef struct protocol {
    const char *name;
    const char *games; // "" = every game
    bool (*line)(server *s, const char *line, text_buf *out);
    err (*open)(server *s);
} protocol;

extern const protocol protocol_gtp, protocol_nboard, protocol_gomocup;

struct server {
    const protocol *protocol;
    const game *g;
    char settings[256], spec[1024];
    game_key key;
    history h;
    agent *player;
    int told;  // plies of the history the agent has seen
    void *obs; // scratch
    // clocks, seconds; 0 = none
    double main_time, byo_time, left[2];
    int byo_moves, left_moves[2];
    // what a multi-line command has gathered so far
    int mode;
    text_buf gathered;
    int gathered_lines;
    int depth; // NBoard: set depth; 0 = the agent's own
};

// The agent must know the game as it stands: it is told the whole story again after anything but forward play.
err server_new_game(server *s, const game *g, const char *position);
err server_play(server *s, move_t m);
bool server_undo(server *s);
err server_choose(server *s, agent_choice *out); // for the seat to move
const void *server_obs(server *s);               // what the seat to move sees
err server_reopen(server *s, const game *g, const char *spec);

#endif
