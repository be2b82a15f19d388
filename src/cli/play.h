// keiko play in two files: cmd_play.c runs the match and its plain words, play_think.c answers the words that need an
// agent's opinion (hint, eval, analyse) and seats agents (level, `ai`).
#ifndef KEIKO_CLI_PLAY_H
#define KEIKO_CLI_PLAY_H

#include "agents/agent.h"
#include "cli/cli.h"
#include "cli/line.h"
#include "games/history.h"

enum { PLAY_SPEC = 256 }; // an agent's name with its parameters

typedef struct play_options {
    common all;
    const char *game, *first, *second, *settings, *position, *moves, *record, *hints, *model;
    int64_t seed, simulations;
    double delay;
    bool boards;
} play_options;

typedef struct match {
    const play_options *o;
    const game *g;
    char spec[2][PLAY_SPEC]; // who sits there, as typed; "human" = a person
    agent *players[2];       // NULL = a person
    agent *helper;           // gives hints; opened when first asked
    history h;
    char *obs;     // scratch for one observation
    move_t *legal; // scratch
    int resigned;  // seat + 1
    bool quit, tty;
    line_editor *editor;
} match;

// What `seat` could see before move `ply`; borrowed until the next call.
const void *play_seen(match *m, int ply, int seat);

// Everything an agent knows of a game comes from begin and saw: a new one hears the whole story.
void play_tell(match *m, agent *a, int seat);

err play_seat(match *m, int seat,
              const char *spec); // opens the agent (or NULL for "human") and tells it the game so far

// `ai` as a spec: the network of --model or of the models folder where there is one, else the strongest agent without.
err play_ai_spec(const match *m, char *out, size_t n);

void play_hint(match *m, int seat);
void play_eval(match *m, int seat);
void play_analyse(match *m, int seat, int want);
void play_level(match *m, const char *name); // changes the agents' strength; "" lists what there is

#endif
