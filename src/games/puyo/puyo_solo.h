// The state of `game_puyo_solo`, for agents that look at the field itself. An observation is the same struct with the pairs
// not shown yet and the key set to zero.
#ifndef KEIKO_GAMES_PUYO_PUYO_SOLO_H
#define KEIKO_GAMES_PUYO_PUYO_SOLO_H

#include "games/puyo/puyo_match.h"

typedef struct py_solo {
    py_field field;
    py_queue queue;
    uint32_t placed, score;
    uint32_t best, longest; // points and links of the largest chain
    uint32_t frames;
    uint16_t limit;
    uint8_t window[PY_SHOWN];
    uint8_t buried, reach, viewer;
    uint8_t unused[4];
} py_solo;

#endif
