// One position of a game, for people and programs to look at: behind `keiko show`.
#ifndef KEIKO_APP_POSITION_H
#define KEIKO_APP_POSITION_H

#include "base/json.h"
#include "games/history.h"

typedef struct position_request {
    const char *game, *options; // options: of the game's rules
    const char *position,
        *moves; // where it begins (NULL or "start": the first position), and what is played from there
    uint64_t seed;
} position_request;

typedef struct position {
    const game *g;
    history h;
    const void *state;    // borrowed from h
    opening_name opening; // as the moves from the start have it; NULL: it has no name
    char *obs;            // as the seat to move sees it
    move_t *moves;        // [n] legal ones
    int n;
    outcome result;
} position;

err position_open(position *p, const position_request *r); // caller frees with position_close
void position_close(position *p);
void position_json(const position *p, json_writer *w);
void position_print(const position *p, bool colour, text_buf *t); // the board, the text, what can be played

#endif
