// Othello on two words: the core that the table, the search and the endgame solver share.
//
// A position is what the side to move sees: `own` and `opp`, bit 0 = a1 (top left), bit 7 = h1, bit 63 = h8. Squares
// are moves 0…63 and 64 is the pass. Colours exist only in oth_state, which adds whose turn it is.
//
// The one-board functions here are portable C and fast enough for rules. Whole hot loops (perft, random games, batches)
// exist once for each instruction set and are chosen at run time; oth_kernels.h has the inline pieces they are made of,
// for further loops to be built in the same way. Nothing here draws, prints or knows the game table.
#ifndef KEIKO_GAMES_OTHELLO_H
#define KEIKO_GAMES_OTHELLO_H

#include "base/cpu.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OTH_SQUARES = 64,
    OTH_PASS = 64, // legal only when no square is
    OTH_SYMS = 8,
    // Bound on the moves of any board, reachable or not. With a own and b opponent discs there are at most 8a moves
    // (each needs its own disc and direction), at most 8b (each touches an opponent disc) and at most 64-a-b (each
    // needs an empty square); the best of these is 50, at a = b = 7.
    OTH_MAX_MOVES = 50,
    // Bound on the plies of a game: 60 discs, and never two passes in a row, nor one after the last disc.
    OTH_MAX_PLIES = 120,
};

enum { OTH_BLACK = 0, OTH_WHITE = 1 }; // black moves first: seat 0

typedef struct oth_board {
    uint64_t own, opp; // disjoint; the side to move is always `own`
} oth_board;

// A board with its colours: the state of the game table. 24 bytes without padding.
typedef struct oth_state {
    oth_board b;
    uint64_t side; // OTH_BLACK or OTH_WHITE: who owns `b.own`
} oth_state;

static inline bool oth_board_ok(oth_board b)
{
    return (b.own & b.opp) == 0;
}

static inline oth_board oth_start(void)
{
    return (oth_board){0x0000000810000000u, 0x0000001008000000u}; // black e4 d5, white d4 e5
}

static inline oth_board oth_pass(oth_board b)
{
    return (oth_board){b.opp, b.own};
}

static inline uint64_t oth_empty(oth_board b)
{
    return ~(b.own | b.opp);
}

static inline int oth_count(uint64_t discs)
{
    return __builtin_popcountll(discs);
}

uint64_t oth_moves(oth_board b);         // the squares where `own` may play; 0 = pass, or the game is over
uint64_t oth_flips(oth_board b, int sq); // the discs turned by a move on an empty square; 0 = illegal
oth_board oth_play(oth_board b, int sq); // sq must be legal, or OTH_PASS
bool oth_over(oth_board b);              // neither side can move
int oth_score(oth_board b); // final disc difference for `own`; empty squares go to the winner, as tournaments count

// Hash of the position as the side to move sees it (colours are not in it).
static inline uint64_t oth_hash(oth_board b)
{
    uint64_t h = b.own * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 32)) + b.opp;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 32)) * 0x94d049bb133111ebu;
    return h ^ (h >> 29);
}

// Symmetries of the board. Bits of `sym`: 1 mirrors left-right, 2 mirrors top-bottom, 4 swaps rows and columns (last).
uint64_t oth_sym(int sym, uint64_t discs);
int oth_sym_square(int sym, int sq); // OTH_PASS stays
static inline oth_board oth_sym_board(int sym, oth_board b)
{
    return (oth_board){oth_sym(sym, b.own), oth_sym(sym, b.opp)};
}

// --- hot loops, in the instruction set of cpu_simd()

// Leaves at `depth`; a pass is a ply, a game that ended earlier counts as one leaf. The last ply is counted, not
// played.
uint64_t oth_perft(oth_board b, int depth);

typedef struct oth_tally {
    uint64_t games, black, draws, white; // games won by each
    uint64_t plies;                      // passes included
    uint64_t discs;                      // black's, over all final boards
} oth_tally;

// Uniformly random games `first` … `first+n-1` of a seed. Game g draws from rng_at(seed, g, 0), one rng_below() a ply
// as game_random_playout() does, so a game is the same whoever plays it and ranges can be split over threads and
// summed.
oth_tally oth_random_games(uint64_t seed, uint64_t first, uint64_t n);

// moves[i] = oth_moves(boards[i])
void oth_moves_batch(const oth_board *boards, int n, uint64_t *moves);

// One instruction set's versions of everything above, so that tests and benchmarks can compare them.
typedef struct oth_ops {
    uint64_t (*moves)(oth_board b);
    uint64_t (*flips)(oth_board b, int sq);
    uint64_t (*perft)(oth_board b, int depth);
    oth_tally (*random_games)(uint64_t seed, uint64_t first, uint64_t n);
    void (*moves_batch)(const oth_board *boards, int n, uint64_t *moves);
} oth_ops;

const oth_ops *oth_ops_for(simd level); // borrowed, static; `level` must not exceed cpu_simd_best()

// --- text

// A square as "f5", the pass as "pass". buf needs 5 bytes.
const char *oth_square_name(int sq, char buf[5]);

// Reads a square a1…h8 or a pass (pass, PA, PS, --) in any case at text[*at]; on success moves *at behind it.
err oth_square_parse(const char *text, size_t *at, int *sq);

// Reads 64 squares, a1…h1 first, and the side to move from text[*at], skipping any of `blanks` before each of them.
// Black: X x * B b; white: O o W w; empty: - . _. On success moves *at behind the side and writes `out`.
err oth_state_read(const char *text, size_t *at, const char *blanks, oth_state *out);

enum { OTH_STATE_TEXT = 67 };                                       // 64 squares, a space, the side and NUL
void oth_state_write(const oth_state *s, char buf[OTH_STATE_TEXT]); // X, O and -, then X or O

#endif
