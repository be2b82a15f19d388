// The placement advisor: where should this pair go, so that the field becomes a GTR? And why.
//
// GTR is the fold most players begin with: seven cells of two colours in columns 1 to 3 (puyo_gtr.h), behind which the
// tail of the chain is built. The advisor places nothing itself. It scores every candidate by five scorers, weighted by
// the phase of the building, adds a share of the best score of the next pair, and hands out the whole ranking with the
// reasons (advice). There are two of them:
//   seed  the scorers alone, as designed: one next pair, no chance, no steering. About 20 µs.
//   plus  the chance that the fold is finished in time, computed beforehand over all pairs that may come
//         (puyo_advisor_fold.h), decides first; the same scorers decide among what is equally good. Two next pairs; only
//         placements that can be steered to; behind the fold it builds one of the 403 tails and fires it.
//
// Every constant stands in ADVISOR_TABLE, once: its default, its name in config files and its meaning come from there.
// Cells here are (column 0-5, row 1-13), row 1 the bottom.
#ifndef KEIKO_SEARCH_PUYO_PUYO_ADVISOR_H
#define KEIKO_SEARCH_PUYO_PUYO_ADVISOR_H

#include "base/opt.h"
#include "games/puyo/puyo.h"
#include "search/puyo/puyo_gtr.h"

typedef enum advisor_phase { PHASE_FOLD, PHASE_TAIL, PHASE_COMPLETION, PHASES } advisor_phase;
extern const char *const advisor_phase_name[PHASES];

typedef enum advisor_scorer {
    SCORE_FOLD,
    SCORE_TAIL,
    SCORE_CONNECT,
    SCORE_HEIGHT,
    SCORE_CHAIN,
    SCORERS
} advisor_scorer;
extern const char *const advisor_scorer_name[SCORERS];

// X(member, name, default, meaning)
#define ADVISOR_TABLE(X)                                                                                               \
    X(weight[PHASE_FOLD][SCORE_FOLD], "fold-building.fold-progress", 4.0, "weights while the fold is being built")     \
    X(weight[PHASE_FOLD][SCORE_TAIL], "fold-building.chain-tail", 0.3, "")                                             \
    X(weight[PHASE_FOLD][SCORE_CONNECT], "fold-building.connectivity", 1.0, "")                                        \
    X(weight[PHASE_FOLD][SCORE_HEIGHT], "fold-building.height-penalty", 1.5, "")                                       \
    X(weight[PHASE_FOLD][SCORE_CHAIN], "fold-building.chain-sim", 0.0, "")                                             \
    X(weight[PHASE_TAIL][SCORE_FOLD], "chain-tail.fold-progress", 0.5, "weights while the tail is short")              \
    X(weight[PHASE_TAIL][SCORE_TAIL], "chain-tail.chain-tail", 1.0, "")                                                \
    X(weight[PHASE_TAIL][SCORE_CONNECT], "chain-tail.connectivity", 1.0, "")                                           \
    X(weight[PHASE_TAIL][SCORE_HEIGHT], "chain-tail.height-penalty", 1.0, "")                                          \
    X(weight[PHASE_TAIL][SCORE_CHAIN], "chain-tail.chain-sim", 5.0, "")                                                \
    X(weight[PHASE_COMPLETION][SCORE_FOLD], "completion.fold-progress", 0.2, "weights from then on")                   \
    X(weight[PHASE_COMPLETION][SCORE_TAIL], "completion.chain-tail", 1.0, "")                                          \
    X(weight[PHASE_COMPLETION][SCORE_CONNECT], "completion.connectivity", 1.0, "")                                     \
    X(weight[PHASE_COMPLETION][SCORE_HEIGHT], "completion.height-penalty", 1.0, "")                                    \
    X(weight[PHASE_COMPLETION][SCORE_CHAIN], "completion.chain-sim", 5.0, "")                                          \
    X(completion_tail, "completion-tail", 6, "puyos of the tail that begin the completion phase")                      \
    X(match[0], "priority-1-match", 30, "right colour in the bottom row of the fold")                                  \
    X(match[1], "priority-2-match", 30, "… in its middle")                                                             \
    X(match[2], "priority-3-match", 30, "… at its top")                                                                \
    X(wrong_colour, "wrong-colour-penalty", -50, "wrong colour in a cell of the fold")                                 \
    X(prerequisite, "prerequisite-penalty", 0.3, "factor above the bottom row while that is incomplete")               \
    X(too_high, "too-high-on-fold-side", -20, "columns 1 to 3, above the fold")                                        \
    X(companion, "p3-companion-too-high", -3, "… but directly on its top cells")                                       \
    X(stepping_stone, "stepping-stone-bonus", 15, "(3,1) under the cell that waits at (3,2)")                          \
    X(tail_connection, "chain-tail-connection", 0, "(3,3) once (3,2) is filled")                                       \
    X(non_target, "non-target-fold-penalty", -7, "columns 1 to 3, other cells outside the fold")                       \
    X(outside, "outside-fold-penalty", 0, "columns 4 to 6")                                                            \
    X(tail_area, "tail-area-bonus", 10, "a puyo in columns 4 to 6")                                                    \
    X(tail_adjacent, "horizontal-adjacency-bonus", 8, "each equal neighbour to its left or right there")               \
    X(tail_bottom, "bottom-row-bonus", 5, "in row 1")                                                                  \
    X(tail_second, "second-row-bonus", 3, "in row 2")                                                                  \
    X(tail_layer, "layer-bonus", 5, "each column of the tail with two colours or more")                                \
    X(tail_balance, "balanced-height-bonus", 5, "heights of the tail that differ by one at most")                      \
    X(tail_high, "tail-too-high", -10, "a puyo above row 4, in any column")                                            \
    X(group4, "group-size-4-plus", -500, "four connected: it would go off")                                            \
    X(group3_vertical, "group-size-3-vertical", -10, "three in a column")                                              \
    X(group3_fold, "group-size-3-fold", -100,                                                                          \
      "three with a cell in rows 1 to 3 of columns 1 to 3 that is not of the fold")                                    \
    X(group3, "group-size-3", 20, "any other three")                                                                   \
    X(group2, "group-size-2", 10, "two")                                                                               \
    X(height_top, "height-top", -30, "a puyo in row 11 or above")                                                      \
    X(height_danger, "height-danger", -15, "in row 9 or 10")                                                           \
    X(gtr_bonus, "gtr-detected", 10, "the fold stands")                                                                \
    X(per_link, "per-chain", 15, "each link when the fold is fired")                                                   \
    X(lookahead, "lookahead-discount", 0.4, "share of the next pair's best score; 0 = do not look")

typedef struct advisor_config {
    double weight[PHASES][SCORERS];
    double completion_tail;
    double match[3], wrong_colour, prerequisite;
    double too_high, companion, stepping_stone, tail_connection, non_target, outside;
    double tail_area, tail_adjacent, tail_bottom, tail_second, tail_layer, tail_balance, tail_high;
    double group4, group3_vertical, group3_fold, group3, group2;
    double height_top, height_danger;
    double gtr_bonus, per_link;
    double lookahead;
} advisor_config;

extern const advisor_config advisor_defaults;
extern const opt advisor_options[]; // the table as options, for config files and --help
extern const int advisor_n_options;

// One candidate and its reasons.
typedef struct advisor_move {
    uint8_t move;          // py_place's: column * 4 + rotation
    uint8_t cell[2][2];    // where the main and the sub puyo come to rest: column, row
    uint8_t colours[2];    // A and B of the colour assignment that fits best; 0, 0 when none fits any more
    uint8_t matched;       // cells of the fold that fit it afterwards: bits in the order of gtr_cell
    uint8_t links;         // of the chain: what the fold would fire (seed), what this placement fires (plus)
    double score[SCORERS]; // unweighted
    double look;           // the best score of the next pair after it, unweighted; 0 without one
    double total;          // weighted sum + lookahead * look
    double chance;         // plus, until the fold stands: that it is finished in time. Negative: does not apply
    double value;          // plus: what decides before the total; see puyo_advisor_plus.c
} advisor_move;

typedef struct advice {
    advisor_phase phase;
    int n;                           // candidates; 0 = no room at all
    advisor_move best[PY_MAX_LEGAL]; // best first; ties keep the order rotation, then column
} advice;

// The seed's advisor. `next` 0 = unknown. `reach`: only placements that can be steered to (the seed does not ask).
void advisor_advise(const advisor_config *c, const py_field *f, uint8_t pair, uint8_t next, bool reach, advice *out);

// What the better advisor may know of the future. Zero: nothing.
typedef struct advisor_future {
    uint8_t next[2]; // the pairs to come; 0 = not shown
    uint8_t kind;    // PY_ARCADE, …: with PY_BLOCKS, `index` tells which pairs belong together
    uint8_t colours; // 3 to 5; 0 = 4
    uint32_t index;  // of the current pair, from 0
    int turns;       // placements left for the fold, this one counted; 0 = ADVISOR_TURNS
} advisor_future;
enum { ADVISOR_TURNS = 15 };

err advisor_advise_plus(const advisor_config *c, const py_field *f, uint8_t pair, const advisor_future *x, advice *out);

advisor_phase advisor_phase_of(const advisor_config *c, const py_field *f);

#endif
