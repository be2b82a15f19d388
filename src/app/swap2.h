// The opening rule swap2 of gomoku and renju: one side puts three stones, the other takes a colour or puts two more and lets the
// first one choose. Decisions here are those of the session's helper; people make their own (cli/play_swap2.c).
#ifndef KEIKO_APP_SWAP2_H
#define KEIKO_APP_SWAP2_H

#include "app/session.h"

typedef enum swap2_choice {
    SWAP2_WHITE,
    SWAP2_BLACK,
    SWAP2_TWO
} swap2_choice; // TWO: put two more; with three stones only

enum { SWAP2_FIRST = 3, SWAP2_ALL = 5 }; // stones

err swap2_check(const game *g); // is it a game of stones?

// At the start: three stones that neither side should like much better, the most even that the helper finds.
err swap2_open(session *s);
// With three or five stones, white to move. An agent without opinions stays white.
err swap2_choose(session *s, int stones, swap2_choice *out, agent_choice *best);
err swap2_two(session *s); // two more stones, white's and black's

#endif
