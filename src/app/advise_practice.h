// Guided practice: a person places the pairs, the advisor says what it would do, and everything can be taken back.
//
// A practice reads one command per call and answers with text; it reads and prints nothing itself.
#ifndef KEIKO_APP_ADVISE_PRACTICE_H
#define KEIKO_APP_ADVISE_PRACTICE_H

#include "app/advise.h"

typedef struct advise_practice advise_practice;

typedef struct advise_score {
    int games, folds, best_turns; // finished games, those with a fold, the fastest one's turns (0 = none yet)
    int agreed, placed;           // placements as advised, and all
    int64_t points;
} advise_score;

typedef enum advise_next { ADVISE_SAME_TURN, ADVISE_NEW_TURN, ADVISE_QUIT } advise_next;

// Of the request: mode, pairs, colours, turns, shown, seed and config. Caller frees with advise_practice_free.
err advise_practice_new(advise_practice **out, const advise_request *r, bool colour);
void advise_practice_free(advise_practice *p); // NULL is fine

// A failed game of a simulation, at its end; `line` counts from 1.
err advise_practice_load(advise_practice *p, const char *path, int64_t line, text_buf *said);

int advise_practice_turn(const advise_practice *p);           // from 1
err advise_practice_show(advise_practice *p, text_buf *said); // asks the advisor about this turn; comes first in each
advise_next advise_practice_obey(advise_practice *p, const char *line, text_buf *said);
int advise_fold_points(int turns, int used); // points for a fold after `used` of the `turns`
void advise_practice_say_score(const advise_practice *p, text_buf *said);

#endif
