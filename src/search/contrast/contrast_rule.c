// The seven rules, each a score over the legal moves; the highest score is played, ties go to the lower move id.
//
// All rows are counted from the mover: 0 is its home row, 4 its goal. Words the description of the rules uses without
// saying what they mean, and how they are read here:
//   progress   rows the moved piece comes nearer to its goal; negative for a retreat.
//   remaining, distance   rows the moved piece has left to its goal after the move. (Only rule 2 says Manhattan.)
//   own front  in a column, the own piece nearest to its goal. Enemy ahead: the next enemy beyond it in that column.
//   gap        empty squares between the two. A column without both counts 0 in the sum and in the scores of rule 3.
//   enemy front (rule 4)   in a column, the enemy's piece nearest to *its* goal.
//   beside     the tile lies in a column next to the one meant. Difference: of the two fronts; the smallest if several.
//   ahead      the tile is nearer to the goal than the moved piece.
//   leading    no own piece is further advanced than the moved one was. Row: where it arrives.
//   outflank   a change of column without retreat into a column where no enemy stands ahead, next to a column with an
//              enemy; gap is then the number of rows to the nearest such enemy. The open column is what earns the +30.
//   near       the tile touches the moved piece, corners included.
// Move order is the order of ids for both seats, so the player is not symmetric between them.
#include "search/contrast/contrast_rule.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

enum { NONE = INT_MIN, NO_PIECE = -1 };

// What the rules ask about a position, worked out once.
typedef struct view {
    const ctr_board *b;
    uint32_t me;
    int gap[5];         // by column, 0 without an enemy ahead
    int enemy_ahead[5]; // its row, or NO_PIECE
    int enemy_front[5]; // row, or NO_PIECE
    int widest;         // the largest gap
    int gaps;           // their sum
    int lead;           // row of the most advanced own piece
} view;

// A move in the mover's terms.
typedef struct step {
    int x, row, to_x, to_row;
    int tile_x, tile_row; // NO_PIECE without a tile
    int colour;           // of the tile
} step;

static int row_of(uint32_t seat, int sq)
{
    return seat == 0 ? 4 - sq / CTR_SIZE : sq / CTR_SIZE;
}

static bool piece_at(const view *v, uint32_t seat, int x, int row)
{
    int y = v->me == 0 ? 4 - row : row;
    return v->b->pieces[seat] >> (y * CTR_SIZE + x) & 1;
}

static view look(const ctr_board *b)
{
    view v = {.b = b, .me = b->side};
    for (int x = 0; x < CTR_SIZE; x++) {
        int own = NO_PIECE, ahead = NO_PIECE, front = NO_PIECE;
        for (int row = 0; row < CTR_SIZE; row++)
            if (piece_at(&v, v.me, x, row)) own = row;
        for (int row = CTR_SIZE - 1; row >= 0; row--) {
            if (!piece_at(&v, !v.me, x, row)) continue;
            front = row;
            if (own != NO_PIECE && row > own) ahead = row;
        }
        v.enemy_ahead[x] = ahead;
        v.enemy_front[x] = front;
        v.gap[x] = ahead == NO_PIECE ? 0 : ahead - own - 1;
        v.gaps += v.gap[x];
        if (v.gap[x] > v.widest) v.widest = v.gap[x];
        if (own > v.lead) v.lead = own;
    }
    return v;
}

static step step_of(const view *v, move_t m)
{
    int from = ctr_from(m), to = ctr_to(m), tile = ctr_tile(m);
    step s = {from % 5, row_of(v->me, from), to % 5, row_of(v->me, to), NO_PIECE, NO_PIECE, CTR_BLACK};
    if (tile != 0) {
        s.tile_x = ctr_tile_square(tile) % CTR_SIZE;
        s.tile_row = row_of(v->me, ctr_tile_square(tile));
        s.colour = ctr_tile_colour(tile);
    }
    return s;
}

static int at_least_0(int v)
{
    return v > 0 ? v : 0;
}

// --- the rules

static move_t winning_move(const view *v, const move_t *moves, int n)
{
    for (int i = 0; i < n; i++)
        if (step_of(v, moves[i]).to_row == 4) return moves[i];
    return MOVE_NONE;
}

// The opponent's smallest Manhattan distance from a piece to an empty square of its goal row.
static int threat(const ctr_board *b, uint32_t enemy)
{
    uint32_t empty = CTR_GOAL(enemy) & ~(b->pieces[0] | b->pieces[1]);
    int least = INT_MAX;
    for (uint32_t p = b->pieces[enemy]; p != 0; p &= p - 1) {
        int from = __builtin_ctz(p);
        for (uint32_t q = empty; q != 0; q &= q - 1) {
            int to = __builtin_ctz(q), d = abs(from / 5 - to / 5) + abs(from % 5 - to % 5);
            if (d < least) least = d;
        }
    }
    return least;
}

static move_t defending_move(const view *v, const move_t *moves, int n)
{
    uint32_t enemy = !v->me;
    if (threat(v->b, enemy) > 1) return MOVE_NONE;
    for (int i = 0; i < n; i++) {
        ctr_board after = ctr_play(v->b, moves[i]);
        if (threat(&after, enemy) > 1) return moves[i];
    }
    return MOVE_NONE;
}

static int score_parity(const view *v, const step *s)
{
    if (v->gaps % 2 != 0) {
        int progress = s->to_row - s->row;
        if (s->tile_x != NO_PIECE || s->x != s->to_x || progress <= 0) return NONE;
        return 120 * progress + 25 * (v->gap[s->x] + 1) + at_least_0(60 - 15 * (4 - s->to_row));
    }
    if (s->tile_x == NO_PIECE || v->enemy_ahead[s->tile_x] == NO_PIECE) return NONE;
    if (s->tile_row != v->enemy_ahead[s->tile_x] - 1) return NONE;
    int gap = v->gap[s->tile_x];
    return 140 + 12 * gap + (gap == v->widest ? 30 : 0) + (s->colour == CTR_GRAY ? 30 : 20);
}

static int score_uneven_fronts(const view *v, const step *s)
{
    if (s->tile_x == NO_PIECE) return NONE;
    int least = INT_MAX;
    for (int side = -1; side <= 1; side += 2) { // the column meant is next to the tile …
        int x = s->tile_x + side;
        if (x < 0 || x > 4 || v->enemy_front[x] == NO_PIECE) continue;
        for (int k = -1; k <= 1; k += 2) { // … and is uneven with a neighbour of its own
            int other = x + k;
            if (other < 0 || other > 4 || v->enemy_front[other] == NO_PIECE) continue;
            int difference = abs(v->enemy_front[x] - v->enemy_front[other]);
            if (difference >= 2 && difference < least) least = difference;
        }
    }
    if (least == INT_MAX) return NONE;
    return 80 - 15 * least + (s->tile_row > s->to_row ? 20 : 0) + (s->colour == CTR_GRAY ? 25 : 15);
}

static int score_edge(const view *v, const step *s)
{
    int progress = s->to_row - s->row;
    if (s->tile_x != NO_PIECE || s->x != s->to_x || (s->x != 0 && s->x != 4) || progress <= 0) return NONE;
    return 110 * progress + (s->row == v->lead ? 30 : 0) + 5 * s->to_row;
}

static int score_outflank(const view *v, const step *s)
{
    if (s->x == s->to_x || s->to_row < s->row) return NONE;
    for (int row = s->to_row + 1; row < CTR_SIZE; row++)
        if (piece_at(v, !v->me, s->to_x, row)) return NONE;
    int gap = INT_MAX;
    for (int side = -1; side <= 1; side += 2) {
        int x = s->to_x + side;
        for (int row = 0; row < CTR_SIZE && x >= 0 && x <= 4; row++)
            if (piece_at(v, !v->me, x, row) && abs(row - s->to_row) < gap) gap = abs(row - s->to_row);
    }
    if (gap == INT_MAX) return NONE;
    return 100 - 35 * gap + 30 + at_least_0(40 - 15 * (4 - s->to_row));
}

static int score_fallback(const view *v, const step *s)
{
    (void)v;
    int score = 80 * (s->to_row - s->row) - 15 * (4 - s->to_row);
    if (s->tile_x == NO_PIECE) return score;
    bool near = abs(s->tile_x - s->to_x) <= 1 && abs(s->tile_row - s->to_row) <= 1;
    return score + (s->colour == CTR_GRAY ? 30 : 15) + (near ? 10 : 0);
}

ctr_choice ctr_rule_choose(const ctr_board *b)
{
    move_t moves[CTR_MAX_LEGAL];
    int n = ctr_moves(b, moves);
    assert(n > 0);
    view v = look(b);
    move_t m = winning_move(&v, moves, n);
    if (m != MOVE_NONE) return (ctr_choice){m, 1, 0};
    m = defending_move(&v, moves, n);
    if (m != MOVE_NONE) return (ctr_choice){m, 2, 0};

    static int (*const scores[])(const view *, const step *) = {score_parity, score_uneven_fronts, score_edge,
                                                                score_outflank, score_fallback};
    for (int rule = 3;; rule++) { // the last one gives every move a score
        ctr_choice best = {MOVE_NONE, rule, NONE};
        for (int i = 0; i < n; i++) {
            step s = step_of(&v, moves[i]);
            int score = scores[rule - 3](&v, &s);
            if (score > best.score) best = (ctr_choice){moves[i], rule, score};
        }
        if (best.move != MOVE_NONE) return best;
    }
}
