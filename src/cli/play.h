// keiko play in five files: cmd_play.c seats the players and runs the game, play_words.c answers what a person types,
// play_show.c prints boards, moves and results, play_chain.c shows Puyo chains link by link, play_swap2.c settles colours.
#ifndef KEIKO_CLI_PLAY_H
#define KEIKO_CLI_PLAY_H

#include "app/game_file.h"
#include "cli/cli.h"
#include "cli/line.h"

// clang-format off
#define OPT_LOAD(T) /* load */ \
    ROW_FILE("load", offsetof(T, load), NULL, "Load a game from this file: SGF, GGF, OBF, a puyop address, keiko's JSON or text", .letter = 'l')
#define OPT_NUMBER(T) /* number */ \
    ROW_INT("number", offsetof(T, number), "N", "1", 1, 1e6, "Which game of the file, if it has several")
// clang-format on

typedef struct play_options {
    common all;
    const char *game, *first, *second, *settings, *position, *moves, *load, *record, *hints, *model, *opening;
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
    bool warm;           // a person has typed a move that could be played: the prompt need not teach any more
    const char *opening; // as last printed
    line_editor *editor;
} table;

// One line from a person. True when the turn is over: *move was chosen, or the game changed or ended.
bool play_obey(table *t, int seat, const char *line, move_t *move);
void play_complete(void *ctx, const char *line, size_t start, size_t cursor, line_words *offered); // ctx: table

const char *play_side(const table *t, int seat, char buf[GAME_SEAT_TEXT]); // "Black (X)"
void play_draw(table *t);
void play_greet(const table *t);
void play_print_move(table *t, int seat, move_t move, const char *note);
void play_print_event(table *t, const step_event *ev); // what the last move did, and the opening that it led to
void play_print_legal(table *t, const char *prefix);
void play_print_choice(table *t, const char *before, const agent_choice *c); // before: "hint: "
void play_finish(table *t);
err play_swap2(table *t);                   // --opening swap2: stones and colours before the game
void play_show_chain(table *t, int before); // of the move that led from `before` to the current node

#endif
