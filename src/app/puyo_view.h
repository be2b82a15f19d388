// A Puyo board as a story: the board, its chain link by link, and the moves stored in a puyop.com address, one frame each.
#ifndef KEIKO_APP_PUYO_VIEW_H
#define KEIKO_APP_PUYO_VIEW_H

#include "base/json.h"
#include "games/puyo/puyo_url.h"

typedef struct puyo_frame {
    py_field field, popping; // what pops next in it
    char caption[160];
} puyo_frame;

typedef struct puyo_story { // free with puyo_story_free
    puyo_frame *frames;
    int n, cap;
    int longest, score; // of its chains
} puyo_story;

err puyo_board_read(const char *text, py_url *out); // rows separated by '/', or a puyop.com address
err puyo_story_tell(puyo_story *out, const py_url *u);
void puyo_story_free(puyo_story *s);
void puyo_story_json(json_writer *w, const puyo_story *s);

#endif
