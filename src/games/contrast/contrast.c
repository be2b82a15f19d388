// The rules of Contrast on bitboards: targets by rays, then one loop over pieces, targets and tile squares.
//
// That loop is written once, as a macro, and used three times: to list actions, to count them and to make all positions
// after them. The action order (from, to, none, black tiles, gray tiles; each ascending) is the order of the ids.
#include "games/contrast/contrast.h"

#include <assert.h>

// --- rays

#define ON(x, y) ((x) >= 0 && (x) < 5 && (y) >= 0 && (y) < 5)
#define SQ(x, y) (ON(x, y) ? 1u << (((y)*5 + (x)) & 31) : 0u)
#define RAY(x, y, dx, dy)                                                                                              \
    (SQ((x) + (dx), (y) + (dy)) | SQ((x) + 2 * (dx), (y) + 2 * (dy)) | SQ((x) + 3 * (dx), (y) + 3 * (dy)) |            \
     SQ((x) + 4 * (dx), (y) + 4 * (dy)))
#define RAY_ROW(y, dx, dy) RAY(0, y, dx, dy), RAY(1, y, dx, dy), RAY(2, y, dx, dy), RAY(3, y, dx, dy), RAY(4, y, dx, dy)
#define RAYS(dx, dy)                                                                                                   \
    {                                                                                                                  \
        RAY_ROW(0, dx, dy), RAY_ROW(1, dx, dy), RAY_ROW(2, dx, dy), RAY_ROW(3, dx, dy), RAY_ROW(4, dx, dy)             \
    }

const uint32_t ctr_rays[8][CTR_CELLS] = {RAYS(1, 0),  RAYS(0, 1),  RAYS(1, 1),   RAYS(-1, 1),
                                         RAYS(-1, 0), RAYS(0, -1), RAYS(-1, -1), RAYS(1, -1)};

// --- positions

ctr_board ctr_start(void)
{
    return (ctr_board){{CTR_HOME(0), CTR_HOME(1)}, {0, 0}, CTR_START_HANDS, 0};
}

const char *ctr_board_error(const ctr_board *b)
{
    if ((b->pieces[0] | b->pieces[1] | b->tiles[0] | b->tiles[1]) & ~CTR_BOARD) return "a bit outside the board is set";
    if (b->pieces[0] & b->pieces[1]) return "two pieces share a square";
    if (b->tiles[CTR_BLACK] & b->tiles[CTR_GRAY]) return "two tiles share a square";
    if (b->side > 1) return "the side to move must be 0 or 1";
    for (int seat = 0; seat < 2; seat++) {
        if (__builtin_popcount(b->pieces[seat]) != 5) return "each side must have five pieces";
        if (CTR_HAND(b, seat, CTR_BLACK) > 3 || CTR_HAND(b, seat, CTR_GRAY) > 1)
            return "a hand holds at most three black tiles and one gray";
    }
    if (__builtin_popcount(b->tiles[CTR_BLACK]) + CTR_HAND(b, 0, CTR_BLACK) + CTR_HAND(b, 1, CTR_BLACK) != 6)
        return "black tiles on the board and in both hands must be six together";
    if (__builtin_popcount(b->tiles[CTR_GRAY]) + CTR_HAND(b, 0, CTR_GRAY) + CTR_HAND(b, 1, CTR_GRAY) != 2)
        return "gray tiles on the board and in both hands must be two together";
    if (b->pieces[b->side] & CTR_GOAL(b->side)) return "the side to move stands on its goal row: it has won already";
    if (__builtin_popcount(b->pieces[!b->side] & CTR_GOAL(!b->side)) > 1)
        return "two pieces stand on their goal row: the first one ended the game";
    return NULL;
}

bool ctr_can_move(const ctr_board *b)
{
    uint32_t own = b->pieces[b->side], empty = ~(own | b->pieces[!b->side]) & CTR_BOARD;
    uint32_t straight = own & ~b->tiles[CTR_BLACK], diagonal = own & (b->tiles[CTR_BLACK] | b->tiles[CTR_GRAY]);
    const uint32_t file_a = CTR_FILE_A, file_e = CTR_FILE_A << 4;
    // Squares next to an empty one; nearly every position is answered here.
    uint32_t east = (empty & ~file_e) << 1, west = (empty & ~file_a) >> 1, sides = east | west;
    if (straight & (sides | empty << 5 | empty >> 5)) return true;
    if (diagonal & (sides << 5 | sides >> 5)) return true;
    // No single step: a jump may still go over a piece that cannot itself move that way.
    for (uint32_t left = own; left != 0; left &= left - 1)
        if (ctr_targets(b, b->side, __builtin_ctz(left)) != 0) return true;
    return false;
}

reason ctr_status(const ctr_board *b)
{
    if (ctr_won(b)) return REASON_GOAL;
    return ctr_can_move(b) ? REASON_NONE : REASON_STUCK;
}

// --- actions

// Runs the three statements for each move of the position `b`, in order: `move` once with from and to known, and the tile
// statements with `squares`, the set where a tile of that colour may lie (possibly empty).
#define EACH_MOVE(b, move, black_tiles, gray_tiles)                                                                    \
    do {                                                                                                               \
        uint32_t seat_ = (b)->side, goal_ = CTR_GOAL(seat_);                                                           \
        uint32_t black_ = 0u - (uint32_t)(CTR_HAND(b, seat_, CTR_BLACK) > 0);                                          \
        uint32_t gray_ = 0u - (uint32_t)(CTR_HAND(b, seat_, CTR_GRAY) > 0);                                            \
        for (uint32_t left_ = (b)->pieces[seat_]; left_ != 0; left_ &= left_ - 1) {                                    \
            int from = __builtin_ctz(left_);                                                                           \
            for (uint32_t to_ = ctr_targets(b, seat_, from); to_ != 0; to_ &= to_ - 1) {                               \
                int to = __builtin_ctz(to_);                                                                           \
                move;                                                                                                  \
                if (goal_ >> to & 1) continue;                                                                         \
                uint32_t free_ = ctr_tile_squares(b, from, to), squares = free_ & black_;                              \
                black_tiles;                                                                                           \
                squares = free_ & gray_;                                                                               \
                gray_tiles;                                                                                            \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

int ctr_moves(const ctr_board *b, move_t *out)
{
    if (ctr_won(b)) return 0;
    move_t *end = out, base = 0;
    EACH_MOVE(b, *end++ = base = ctr_move(from, to, 0),
              for (; squares != 0; squares &= squares - 1) *end++ = (move_t)(base + 1 + __builtin_ctz(squares)),
              for (; squares != 0; squares &= squares - 1) *end++ = (move_t)(base + 26 + __builtin_ctz(squares)));
    assert(end - out <= CTR_MAX_LEGAL);
    return (int)(end - out);
}

int ctr_count(const ctr_board *b)
{
    if (ctr_won(b)) return 0;
    int n = 0;
    EACH_MOVE(b, n++, n += __builtin_popcount(squares), n += __builtin_popcount(squares));
    return n;
}

// Word by word from registers, as ctr_play does: 1000 M positions/s where copying a changed template made 160 M.
static inline void put_board(ctr_board *out, const uint32_t *pieces, uint32_t black, uint32_t gray, uint32_t hands,
                             uint32_t side)
{
    *out = (ctr_board){{pieces[0], pieces[1]}, {black, gray}, hands, side};
}

int ctr_children(const ctr_board *b, ctr_board *out)
{
    if (ctr_won(b)) return 0;
    ctr_board *end = out;
    const uint32_t seat = b->side, own = b->pieces[seat], black = b->tiles[CTR_BLACK], gray = b->tiles[CTR_GRAY];
    const uint32_t less_black = b->hands - CTR_HAND_ONE(seat, CTR_BLACK);
    const uint32_t less_gray = b->hands - CTR_HAND_ONE(seat, CTR_GRAY);
    uint32_t pieces[2] = {b->pieces[0], b->pieces[1]};
    EACH_MOVE(
        b,
        {
            pieces[seat] = own ^ (1u << from | 1u << to);
            put_board(end++, pieces, black, gray, b->hands, !seat);
        },
        for (; squares != 0; squares &= squares - 1)
            put_board(end++, pieces, black | (squares & (0u - squares)), gray, less_black, !seat),
        for (; squares != 0; squares &= squares - 1)
            put_board(end++, pieces, black, gray | (squares & (0u - squares)), less_gray, !seat));
    assert(end - out <= CTR_MAX_LEGAL);
    return (int)(end - out);
}

bool ctr_legal(const ctr_board *b, move_t m)
{
    if (m >= CTR_ACTIONS || ctr_won(b)) return false;
    int from = ctr_from(m), to = ctr_to(m), tile = ctr_tile(m);
    if ((b->pieces[b->side] >> from & 1) == 0 || (ctr_targets(b, b->side, from) >> to & 1) == 0) return false;
    if (tile == 0) return true;
    if (CTR_GOAL(b->side) >> to & 1) return false;
    return CTR_HAND(b, b->side, ctr_tile_colour(tile)) > 0 &&
           (ctr_tile_squares(b, from, to) >> ctr_tile_square(tile) & 1);
}

uint64_t ctr_perft(const ctr_board *b, int depth)
{
    assert(depth >= 0);
    if (depth == 0) return 1;
    ctr_board children[CTR_MAX_LEGAL];
    int n = ctr_children(b, children);
    if (n == 0) return 1;
    if (depth == 1) return (uint64_t)n; // they are made, not only counted: ctr_children wrote them all
    uint64_t leaves = 0;
    for (int i = 0; i < n; i++) leaves += ctr_perft(&children[i], depth - 1);
    return leaves;
}
