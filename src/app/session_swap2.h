// The opening rule swap2 of gomoku and renju: player 1 puts three stones (black, white, black); player 2 takes a colour, or puts
// two more (white, black) and lets player 1 choose. White moves next. Terminal and page ask swap2_step_of what comes; an agent's
// decisions are those of the session's helper.
#ifndef KEIKO_APP_SESSION_SWAP2_H
#define KEIKO_APP_SESSION_SWAP2_H

#include "app/session.h"

typedef enum swap2_choice {
    SWAP2_WHITE,
    SWAP2_BLACK,
    SWAP2_TWO
} swap2_choice; // TWO: put two more; with three stones only

enum { SWAP2_FIRST = 3, SWAP2_ALL = 5 }; // stones

err swap2_check(const game *g); // is it a game of stones?

typedef enum swap2_kind { SWAP2_PUT, SWAP2_CHOOSE, SWAP2_DONE } swap2_kind;
typedef struct swap2_step {
    swap2_kind kind;
    int player; // 0 or 1: who puts or chooses
    int left;   // stones still to put
    bool two;   // may choose to put two more
    int black;  // when it is done: who plays black
} swap2_step;
// What comes with this many stones on the board and these `n` choices made. ERR_USAGE: choices that the rule does not have.
err swap2_step_of(int stones, const swap2_choice *made, int n, swap2_step *out);
const char *swap2_word(swap2_choice c); // "white", "black", "two"
err swap2_read(const char *word, swap2_choice *out);

// At the start: three stones that neither side should like much better, the most even that the helper finds.
err swap2_open(session *s);
// With three or five stones, white to move. An agent without opinions stays white.
err swap2_choose(session *s, int stones, swap2_choice *out, agent_choice *best);
err swap2_two(session *s); // two more stones, white's and black's

#endif
