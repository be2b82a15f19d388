// What a Contrast position is worth when nothing is about to happen, and the one thing that must never be guessed:
// whether a player can step onto its goal row at once.
//
// The value is a sum of weights, one for each thing counted below, so that it can be fitted to the results of games
// (contrast_tune.h). Its unit is 1/CTR_LOGIT of a natural logarithm of the odds to win: 0 is even, +256 wins 73 %.
#ifndef KEIKO_SEARCH_CONTRAST_CONTRAST_EVAL_H
#define KEIKO_SEARCH_CONTRAST_CONTRAST_EVAL_H

#include "games/contrast/contrast.h"

enum { CTR_LOGIT = 256 };

// Groups of weights. Squares are seen by the piece's owner, row 0 its goal, and folded left to right: 5 rows of 3 columns.
// Counts are own less enemy's, except where the mover is named.
enum {
    CTR_W_PIECE = 0,                   // [white, black, gray tile under it][15 squares]: where pieces stand
    CTR_W_TILE = CTR_W_PIECE + 3 * 15, // [black, gray][15 squares]: tiles nobody stands on
    CTR_W_HAND = CTR_W_TILE + 2 * 15,  // [black tiles held][gray tile held]
    CTR_W_NEAR = CTR_W_HAND + 8,       // [8]: pieces this many steps from the goal row; 7 = no way, or further than 6
    CTR_W_LEAD = CTR_W_NEAR + 8, // [mover's nearest piece][enemy's nearest piece]: the race, with the move in hand
    CTR_W_MOBILITY = CTR_W_LEAD + 8 * 8, // [20]: single steps a side can make, 19 = or more
    CTR_W_FACED = CTR_W_MOBILITY + 20,   // pieces on white with an enemy directly ahead
    CTR_W_COLUMN,                        // pairs of own pieces, one directly behind the other
    CTR_W_BESIDE,                        // … side by side
    CTR_W_SLANT,                         // … corner to corner, the one behind on a tile that lets it jump
    CTR_W_PARITY,                   // [tiles are left in a hand]: mover: free squares between opposed pieces are odd
    CTR_W_TEMPO = CTR_W_PARITY + 2, // the mover's right to move
    CTR_WEIGHTS
};

extern const int16_t ctr_weights[CTR_WEIGHTS]; // the tuned ones

int ctr_eval(const ctr_board *b, const int16_t *w); // for the side to move, within ±CTR_EVAL_MAX
enum { CTR_EVAL_MAX = 8000 };

void ctr_features(const ctr_board *b, int16_t *f); // f[CTR_WEIGHTS]: ctr_eval is their product with the weights

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
