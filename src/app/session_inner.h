// Inside a session: what its files share. Not for others.
#ifndef KEIKO_APP_SESSION_INNER_H
#define KEIKO_APP_SESSION_INNER_H

#include "app/session.h"

#include <stdatomic.h>

// An agent and how much of the game it knows.
typedef struct session_player {
    agent *a; // NULL: a person, or a helper that was not asked yet
    int told; // the node it stands at; SESSION_NONE: it must begin
    char spec[SESSION_SPEC];
} session_player;

struct session {
    const game *g;
    game_key key;
    char *options;  // owned; "" with a position
    char *position; // owned; NULL: the start

    session_node *nodes;
    char *states;              // [room][state_size], by node
    int n_nodes, room, unused; // unused: first of the deleted nodes, chained by `next`
    int wanted;                // the number that the next new node gets; SESSION_NONE: any
    int at;

    session_player seat[2], helper;
    char *name[2]; // NULL: the spec
    char *wish[2]; // NULL: none
    session_clock clock[2];
    double since; // clock_seconds() when the current decision began

    const agent_watch *watcher; // the user's
    agent_watch watch;          // what agents get: the user's and the stop flag
    _Atomic bool stop;
    bool stopped;

    session_end end; // beyond the rules, at node end_at
    int end_at, loser;

    void *obs;     // scratch: one observation
    move_t *moves; // scratch: legal moves
    int *path;     // scratch: [room]
};

void *session_state_at(const session *s, int node);
bool session_alive(const session *s, int node);                   // is there such a node?
bool session_is_behind(const session *s, int ancestor, int node); // or the same
char *session_copy_text(const char *text);                        // malloc; NULL without memory
err session_set_wish(session *s, int seat, const char *spec);
void session_forget_told(session *s);                          // every agent begins again
void session_turn_begins(session *s);                          // the current decision's clock starts
void session_end_here(session *s, session_end end, int loser); // a record's end, at the current node
// Plays the move, and before it a pass that a record leaves out. `seat` SESSION_NONE: whoever is to move.
err session_play_record(session *s, int seat, move_t m);

err session_add(session *s, move_t m, step_event *ev, int *node); // a child of the current node; must be legal
// A session that gets nodes with given numbers below `n`: each is added with `wanted` set, and the rest can be used later.
err session_ids_begin(session *s, int n);
void session_ids_end(session *s);

#endif
