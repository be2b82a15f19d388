// What a Contrast position is worth when nothing is about to happen, and the one thing that must never be guessed:
// whether a player can step onto its goal row at once.
//
// The value comes from a very small network with one hidden layer, fitted to the games of the engine (learn/tune/tune_contrast.h).
// Its inputs are the facts listed below, some twenty of which are true of a position; the board is seen by the mover. The
// hidden layer looks twice, at the board and at its mirror image, with the same weights, so left and right are worth the same.
// The unit of the value is 1/CTR_LOGIT of a natural logarithm of the odds to win: 0 is even, +256 wins 73 %.
#ifndef KEIKO_SEARCH_CONTRAST_CONTRAST_EVAL_H
#define KEIKO_SEARCH_CONTRAST_CONTRAST_EVAL_H

#include "games/contrast/contrast.h"

enum { CTR_LOGIT = 256 };

// The facts. Squares are seen by the mover: row 0 is its goal.
enum {
    CTR_F_PIECE = 0, // [mover, enemy][white, black, gray tile under it][25 squares]: where pieces stand
    CTR_F_TILE = CTR_F_PIECE + 2 * 3 * 25, // [black, gray][25 squares]: tiles nobody stands on
    CTR_F_HAND = CTR_F_TILE + 2 * 25,      // [mover, enemy][black tiles held][gray tile held]
    CTR_F_RACE =
        CTR_F_HAND + 2 * 8, // [mover][enemy]: steps of the nearest piece to the goal row; 7 = no way, or more than 6
    CTR_FACTS = CTR_F_RACE + 8 * 8,
    CTR_TRUE = 10 + 8 + 2 + 1, // at most so many are true of one position
};

// The weights. A hidden unit is the sum of its weights over the true facts, clipped to 0 … CTR_ONE and squared.
enum {
    CTR_HIDDEN = 32, // units per look
    CTR_ONE = 255,
    CTR_OUT_ONE = 64,                                 // an output weight of 1
    CTR_W_FACT = 0,                                   // [fact][unit]
    CTR_W_BIAS = CTR_W_FACT + CTR_FACTS * CTR_HIDDEN, // [unit]
    CTR_W_OUT = CTR_W_BIAS + CTR_HIDDEN,              // [unit], within ±CTR_OUT_MAX
    CTR_W_BASE = CTR_W_OUT + CTR_HIDDEN,              // of the value itself
    CTR_WEIGHTS,
    CTR_OUT_MAX = 127,   // so that its product with CTR_ONE fits 16 bits
    CTR_FACT_MAX = 1023, // so that a sum of CTR_TRUE + 1 of them does
};

extern const int16_t ctr_weights[CTR_WEIGHTS]; // the tuned ones

int ctr_eval(const ctr_board *b, const int16_t *w); // for the side to move, within ±CTR_EVAL_MAX
enum { CTR_EVAL_MAX = 8000 };

// The two halves of it. The facts that are true, of the board and of its mirror image, in the same order: returns how many.
int ctr_facts(const ctr_board *b, uint16_t f[2][CTR_TRUE]);
int ctr_weigh(uint16_t f[2][CTR_TRUE], int n, const int16_t *w);

// --- from move to move

// The hidden units before the race and the clipping, as each seat sees the board and its mirror image. A move changes few facts,
// so the sums after it come from those before. The value is the same as ctr_eval's, to the bit.
typedef struct ctr_sums {
    int16_t unit[2][2][CTR_HIDDEN]; // [seat][look]
} ctr_sums;

void ctr_sums_of(const ctr_board *b, const int16_t *w, ctr_sums *out);
void ctr_sums_play(const ctr_sums *s, const ctr_board *b, move_t m, const int16_t *w,
                   ctr_sums *out); // m is played on b
int ctr_eval_sums(const ctr_sums *s, const ctr_board *b, const int16_t *w);
int ctr_eval_after(const ctr_sums *s, const ctr_board *b, move_t m, const ctr_board *after, const int16_t *w);

// --- goal threats

#define CTR_FILE_E (CTR_FILE_A << 4)

// Do pieces that may step one way, over their own, arrive on an open goal square? `edge`: where that way leaves the board.
static inline bool ctr_arrives(uint32_t from, uint32_t own, uint32_t open, uint32_t edge, int shift, bool up)
{
    for (uint32_t at = from & ~edge; at != 0; at &= own & ~edge) {
        at = up ? at >> shift : at << shift;
        if (at & open) return true;
    }
    return false;
}

// Could `seat` win with its next step if it were its turn? Tiles cannot change the answer: they are laid on empty squares,
// and what counts is the tile under the piece that moves. So a threat is met by moving a piece or not at all.
static inline bool ctr_threat(const ctr_board *b, uint32_t seat)
{
    uint32_t own = b->pieces[seat], open = CTR_GOAL(seat) & ~b->pieces[!seat];
    uint32_t straight = own & ~b->tiles[CTR_BLACK], slant = own & (b->tiles[CTR_BLACK] | b->tiles[CTR_GRAY]);
    if (seat == 0)
        return ctr_arrives(straight, own, open, 0, 5, true) || ctr_arrives(slant, own, open, CTR_FILE_E, 4, true) ||
               ctr_arrives(slant, own, open, CTR_FILE_A, 6, true);
    return ctr_arrives(straight, own, open, 0, 5, false) || ctr_arrives(slant, own, open, CTR_FILE_A, 4, false) ||
           ctr_arrives(slant, own, open, CTR_FILE_E, 6, false);
}

#endif
