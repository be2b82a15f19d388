// Contrast: the board as bits, and the rules on it. Engines include this file; everything else uses game_contrast.
//
// One 32-bit word per layer, bit y*5+x with y = 0 the top row (rank 5, the second player's home). The colour of the tile
// under a piece *before* it moves gives its directions: white 4 orthogonal, black 4 diagonal, gray all 8. A piece passes
// over any number of its own side in a straight line and lands on the first square beyond, if that is empty. After the
// move one tile may be placed on an empty white square. A position is 24 bytes, so a search copies it instead of undoing.
//
// Two types: ctr_board is the position (what a search works on); ctr_state adds what the draw rules and the network's
// history planes need (what the game table carries). Draws live only in ctr_state.
#ifndef KEIKO_GAMES_CONTRAST_H
#define KEIKO_GAMES_CONTRAST_H

#include "games/game.h"

enum {
    CTR_SIZE = 5,
    CTR_CELLS = 25,
    CTR_TILE_CODES = 51, // 0 none, 1+sq black, 26+sq gray
    CTR_ACTIONS = CTR_CELLS * CTR_CELLS * CTR_TILE_CODES,
    CTR_HISTORY = 8, // positions the network sees, the present one included

    // A bound on the legal actions of one position. Five pieces; from a white or black tile a piece has at most 4
    // directions, from a gray one 8, each with one target. After a move 15 of the 25 squares are empty, so a move comes
    // without a tile, with at most 15 black and at most 15 gray placements. While the mover still holds a gray tile, at
    // most one of the game's two is on the board: (4*4 + 8) * (1 + 15 + 15) = 744. Without it: at most
    // (3*4 + 2*8) * (1 + 15) = 448. Both need the right counts of pieces and tiles, which ctr_board_error() checks.
    CTR_MAX_LEGAL = 744,

    CTR_MAX_PLIES = 250, // the largest ply limit an option can ask for
};

enum { CTR_BLACK, CTR_GRAY }; // colours a player can place

#define CTR_BOARD   0x1ffffffu
#define CTR_ROW(y)  (0x1fu << ((y)*5))
#define CTR_GOAL(s) ((s) == 0 ? CTR_ROW(0) : CTR_ROW(4)) // the row that wins for seat s
#define CTR_HOME(s) ((s) == 0 ? CTR_ROW(4) : CTR_ROW(0))
#define CTR_FILE_A  0x0108421u

// Tiles of a colour that a seat still holds (at first 3 black and 1 gray), and one such tile as a summand of `hands`.
#define CTR_HAND_SHIFT(seat, colour) (16 * (int)(seat) + 8 * (int)(colour))
#define CTR_HAND(b, seat, colour)    ((int)((b)->hands >> CTR_HAND_SHIFT(seat, colour) & 255))
#define CTR_HAND_ONE(seat, colour)   (1u << CTR_HAND_SHIFT(seat, colour))
#define CTR_START_HANDS              0x01030103u

typedef struct ctr_board {
    uint32_t pieces[2]; // by seat; five each, never captured
    uint32_t tiles[2];  // black, gray; disjoint, never removed
    uint32_t hands;     // tiles not yet placed, a byte each: read with CTR_HAND, change with CTR_HAND_ONE
    uint32_t side;      // the seat to move; after a winning move, the loser
} ctr_board;

// --- moves: id = (from*25 + to)*51 + tile, the same in the table and in the engines

static inline move_t ctr_move(int from, int to, int tile)
{
    return (move_t)((from * CTR_CELLS + to) * CTR_TILE_CODES + tile);
}
static inline int ctr_from(move_t m)
{
    return m / (CTR_TILE_CODES * CTR_CELLS);
}
static inline int ctr_to(move_t m)
{
    return m / CTR_TILE_CODES % CTR_CELLS;
}
static inline int ctr_tile(move_t m)
{
    return m % CTR_TILE_CODES;
}
static inline int ctr_tile_code(int colour, int sq)
{
    return 1 + colour * CTR_CELLS + sq;
}
static inline int ctr_tile_colour(int tile) // tile != 0
{
    return tile > CTR_CELLS;
}
static inline int ctr_tile_square(int tile) // tile != 0
{
    return tile > CTR_CELLS ? tile - 1 - CTR_CELLS : tile - 1;
}

// --- the position

ctr_board ctr_start(void);

// The squares in a straight line from each square to the edge. The first four directions go towards higher squares (E, S,
// SE, SW), the last four towards lower ones (W, N, NW, NE).
extern const uint32_t ctr_rays[8][CTR_CELLS];

// The first square of each ray that own pieces do not cover: lowest bit upwards, highest bit downwards, 0 if none.
static inline uint32_t ctr_ray_up(int dir, int sq, uint32_t own)
{
    uint32_t open = ctr_rays[dir][sq] & ~own;
    return open & (0u - open);
}
static inline uint32_t ctr_ray_down(int dir, int sq, uint32_t own)
{
    uint32_t open = (ctr_rays[dir][sq] & ~own) << 1 | 1; // the extra bit gives the empty ray a highest bit, too
    return (1u << (31 - __builtin_clz(open))) >> 1;
}

// Where the piece of `seat` on `sq` can go. What is not on a black tile moves straight, what is not on white diagonally.
static inline uint32_t ctr_targets(const ctr_board *b, uint32_t seat, int sq)
{
    uint32_t own = b->pieces[seat], to = 0;
    if ((b->tiles[CTR_BLACK] >> sq & 1) == 0)
        to = ctr_ray_up(0, sq, own) | ctr_ray_up(1, sq, own) | ctr_ray_down(4, sq, own) | ctr_ray_down(5, sq, own);
    if ((b->tiles[CTR_BLACK] | b->tiles[CTR_GRAY]) >> sq & 1)
        to |= ctr_ray_up(2, sq, own) | ctr_ray_up(3, sq, own) | ctr_ray_down(6, sq, own) | ctr_ray_down(7, sq, own);
    return to & ~b->pieces[!seat];
}

// White squares that are empty once the side to move has gone from `from` to `to`: where a tile may lie.
static inline uint32_t ctr_tile_squares(const ctr_board *b, int from, int to)
{
    uint32_t pieces = (b->pieces[0] | b->pieces[1]) & ~(1u << from);
    return ~(pieces | 1u << to | b->tiles[CTR_BLACK] | b->tiles[CTR_GRAY]) & CTR_BOARD;
}

// The player who just moved stands on the goal row. No other seat can: the game would have ended before.
static inline bool ctr_won(const ctr_board *b)
{
    return (b->pieces[!b->side] & CTR_GOAL(!b->side)) != 0;
}

bool ctr_can_move(const ctr_board *b); // ignores whether the game was won

// REASON_NONE, REASON_GOAL (the player who just moved won) or REASON_STUCK (the player to move cannot): a position that is
// over is always lost for the side to move.
reason ctr_status(const ctr_board *b);

// Legal actions, ascending; 0 exactly when ctr_status() says over. `out` has room for CTR_MAX_LEGAL.
int ctr_moves(const ctr_board *b, move_t *out);
int ctr_count(const ctr_board *b);                    // as many as ctr_moves() would write
int ctr_children(const ctr_board *b, ctr_board *out); // the positions after ctr_moves(), in that order
bool ctr_legal(const ctr_board *b, move_t m);         // any 16 bits may be asked

// What an action of `seat` changes: bits of the pieces and of the tiles, and what its tile costs the hands.
typedef struct ctr_change {
    uint32_t pieces[2], black, gray, hands;
} ctr_change;

static inline ctr_change ctr_change_of(move_t m, uint32_t seat)
{
    uint32_t step = 1u << ctr_from(m) | 1u << ctr_to(m);
    int tile = ctr_tile(m);
    uint32_t black = tile >= 1 && tile <= CTR_CELLS ? 1u << (tile - 1) : 0;
    uint32_t gray = tile > CTR_CELLS ? 1u << (tile - 1 - CTR_CELLS) : 0;
    uint32_t used = (uint32_t)(black != 0) | (uint32_t)(gray != 0) << 8;
    return (ctr_change){{seat == 0 ? step : 0, seat == 0 ? 0 : step}, black, gray, used << 16 * seat};
}

// The position after a legal action. Every word is computed and written once, here and in ctr_unplay: changing a copy would
// make the next copy wait for the change to reach memory, which costs more than all the rest.
static inline ctr_board ctr_play(const ctr_board *b, move_t m)
{
    ctr_change c = ctr_change_of(m, b->side);
    return (ctr_board){
        .pieces = {b->pieces[0] ^ c.pieces[0], b->pieces[1] ^ c.pieces[1]},
        .tiles = {b->tiles[CTR_BLACK] | c.black, b->tiles[CTR_GRAY] | c.gray},
        .hands = b->hands - c.hands,
        .side = b->side ^ 1,
    };
}

// The position before `m`, which led to `b`.
static inline ctr_board ctr_unplay(const ctr_board *b, move_t m)
{
    ctr_change c = ctr_change_of(m, b->side ^ 1);
    return (ctr_board){
        .pieces = {b->pieces[0] ^ c.pieces[0], b->pieces[1] ^ c.pieces[1]},
        .tiles = {b->tiles[CTR_BLACK] & ~c.black, b->tiles[CTR_GRAY] & ~c.gray},
        .hands = b->hands + c.hands,
        .side = b->side ^ 1,
    };
}

// Pieces and side in 51 bits: exact among positions with the same tiles.
static inline uint64_t ctr_pieces_key(const ctr_board *b)
{
    return (uint64_t)b->side << 50 | (uint64_t)b->pieces[1] << 25 | b->pieces[0];
}

// A 64-bit hash of the position alone (pieces, tiles, hands, side): for engines that treat draws themselves.
static inline uint64_t ctr_key(const ctr_board *b)
{
    // The second player's hand is what the first player's hand and the board leave of the 6 black and 2 gray tiles.
    uint64_t first = b->hands & 0xffff;
    uint64_t tiles = first << 50 ^ ((uint64_t)b->tiles[CTR_GRAY] << 25 | b->tiles[CTR_BLACK]); // 2 + 1 bits, 6 apart
    return rng_mix(ctr_pieces_key(b) ^ rng_mix(tiles));
}

// Why a position cannot occur (wrong counts, two pieces in goal, …): NULL when it can be played on. Not full reachability.
const char *ctr_board_error(const ctr_board *b);

// Leaves at `depth`, a game that ended earlier counting as one. Every position is made, those of the last ply as well.
// Draw rules are not part of it: they cannot strike before ply 5.
uint64_t ctr_perft(const ctr_board *b, int depth);

// --- the state of a game: the position, and as much past as can still matter
//
// Tiles never leave the board, so a position can repeat only one since the last tile was placed. The state keeps the
// moves since then, and never fewer than the 7 (if there were that many) that lead through the 8 positions of the network's
// history. Earlier positions come back by taking moves back, so the past costs two bytes per ply and is exact.
typedef struct ctr_state {
    uint64_t seen; // the sum of rng_mix(pieces key) over the positions since the last tile, this one included
    ctr_board b;
    uint8_t ply;             // moves played in the game
    uint8_t reason;          // enum reason; REASON_NONE while the game goes on
    uint8_t n_past;          // moves kept in past[]
    uint8_t quiet;           // of these, the last ones without a tile
    uint8_t plies;           // option: the draw limit, 1 … 250
    uint8_t repetition;      // option: a draw when a position occurs so often; 0 = off
    uint8_t repetition_from; // option: but not before this ply
    uint8_t zero;
    move_t past[CTR_MAX_PLIES + 2]; // oldest first; zero beyond n_past
} ctr_state;

extern const ctr_state ctr_default; // the start with the default options

void ctr_state_at(ctr_state *s, ctr_board b, int ply);           // a bare position without a past; keeps s's options
void ctr_state_play(ctr_state *s, move_t m);                     // m must be legal
int ctr_occurrences(const ctr_state *s);                         // of the present position, itself included
err ctr_option(void *state, const char *key, const char *value); // for game_options()

// Text of contrast_text.c, joined to the table in contrast_game.c.
err ctr_move_parse(const void *obs, const char *text, move_t *m);
int ctr_move_print(const void *obs, move_t m, char *buf, size_t n);
err ctr_state_parse(const char *text, void *s);
int ctr_state_print(const void *s, char *buf, size_t n);
void ctr_view(const void *obs, json_writer *w);
int ctr_draw(const void *obs, move_t last, bool colour, char *buf, size_t n);

#endif
