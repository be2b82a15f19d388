// Puyo placements as a value network sees them: the resolved field behind each placement, encoded one by one.
//
// A position has at most 22 placements. Each leads to an afterstate: the pair has landed and its chain has run. The network gives
// every afterstate one number, and the numbers of one position are compared. So the network never has to learn where a
// puyo lands or what pops; it learns what a field is worth. The nuisance that falls afterwards is not placed, for its columns
// are random: its amount is an input.
//
// Four encodings. `plain` is what can be seen at a glance: colours, nuisance, empty cells, groups of two and of three, the
// pairs to come, what the placement fired, and in a match what is on its way and how high the other side stands. `trigger` adds
// what the evaluation of the beam search computes: the best chain that one to three puyos would fire (search/puyo/puyo_eval.h).
// `ready` adds points: of that chain, of what the placement fired, and of what each of the two next pairs could fire at once; and
// of a match its time: what falls at once and what later, when the other side chooses again, and what it can fire then. `grow`
// adds how the field can be extended: the same evaluation with one more puyo of each colour on each column.
#ifndef KEIKO_EVAL_PUYO_AFTER_H
#define KEIKO_EVAL_PUYO_AFTER_H

#include "games/game.h"
#include "games/puyo/puyo_match.h"
#include "nn/net.h"

enum { AFTER_PLAIN, AFTER_TRIGGER, AFTER_READY, AFTER_GROW, AFTER_ENCODINGS };
extern const char *const after_encoding_name[AFTER_ENCODINGS];

enum { AFTER_PLANES = 8, AFTER_WORDS = AFTER_PLANES * 2, AFTER_SCALARS_MAX = 128, AFTER_NO_END = 16 };
int after_scalars(int code); // numbers beside the planes

// What a player knows when it has to place a pair.
typedef struct after_position {
    py_field field;
    uint8_t pair[PY_SHOWN]; // the current one first
    uint8_t colours, reach, lose;
    uint8_t left;       // placements to come, this one counted; AFTER_NO_END = so many or more
    uint8_t versus;     // 1 in a match
    uint16_t incoming;  // nuisance on its way here
    uint16_t threat;    // points / 16 that the other side can fire with its current pair
    uint8_t rival_high; // rows of its highest column
    uint8_t rival_mean; // its puyos / 6
    uint16_t soon;      // … that it could fire with its next pair, were it the current one
    uint16_t pending;   // of incoming: falls after this placement; the rest belongs to a chain that still runs
    uint16_t rival_due; // nuisance on its way there
    int16_t time;       // frames until the other side chooses again
} after_position;

// From an observation of `puyo` or `puyo-solo` in which `seat` is to move.
void after_position_of(const game *g, const void *obs, int seat, after_position *p);
bool after_position_ok(const after_position *p); // could it come from a game? For what is read from files
// Other names for the colours: code c becomes name[c]; a permutation of the colours in use, which leaves 0 and 1 alone.
void after_rename(after_position *p, const uint8_t name[PY_CODES]);

typedef struct after_state {
    py_field field;
    int move, links, points; // what the placement fired
    bool lost;               // buried
} after_state;

int after_states(const after_position *p, after_state out[PY_MAX_LEGAL]); // in the order of moves; 0 = none is legal

// bits[AFTER_WORDS], scalars[after_scalars(code)]
void after_encode(const after_position *p, const after_state *a, int code, uint64_t *bits, float *scalars);

// The encoding of a network that values afterstates (keiko train puyo-solo makes them): one of AFTER_…; -1 = it does not.
int after_fit(const nn_net *net);

#endif
