// keiko play in four files: cmd_play.c seats the players and runs the game, play_words.c answers what a person types,
// play_show.c prints boards, moves and results, play_chain.c shows Puyo chains link by link.
#ifndef KEIKO_CLI_PLAY_H
#define KEIKO_CLI_PLAY_H

#include "app/session.h"
#include "cli/line.h"
#include "cli/cli.h"

typedef struct play_options {
    common all;
    const char *game, *first, *second, *settings, *position, *moves, *load, *record, *hints, *model;
    int64_t seed, simulations, number;
    double delay;
    bool boards;
} play_options;

typedef struct table { // a session at the terminal
    const play_options *o;
    session *s;
    const game *g;
    move_t *legal; // scratch
    bool quit, tty;
    bool warm; // a person has typed a move that could be played: the prompt need not teach any more
    line_editor *editor;
} table;

// Reads a game's file; NULL text forms are found by content and by the ending.
err play_load(const char *path, const game *g, const char *options, game_key key, int which, session **out);
err play_save(session *s, const char *path);

// One line from a person. True when the turn is over: *move was chosen, or the game changed or ended.
bool play_obey(table *t, int seat, const char *line, move_t *move);
void play_complete(void *ctx, const char *line, size_t start, size_t cursor, line_words *offered); // ctx: table

const char *play_side(const table *t, int seat, char buf[GAME_SEAT_TEXT]); // "Black (X)"
void play_draw(table *t);
void play_greet(const table *t);
void play_print_move(table *t, int seat, move_t move, const char *note);
void play_print_event(const step_event *ev);
void play_print_legal(table *t, const char *prefix);
void play_print_choice(table *t, const agent_choice *c);
void play_finish(table *t);
void play_show_chain(table *t, int before); // of the move that led from `before` to the current node

#endif
