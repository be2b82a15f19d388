// The Puyo Puyo field: chains, pairs and placements. The core that match, solo play and the beam search share.
//
// A field is three 128-bit planes; a plane has eight 16-bit columns of which six are used. Row r (1 = bottom) is bit r-1,
// so rows 1 to 12 are in play and row 13, the ghost row, keeps puyos that neither join a group nor pop until they fall.
// Nothing is ever stored above row 13: a puyo placed there vanishes. A cell's code is its bit in plane 0, 1 and 2:
//   0 empty · 1 nuisance · 2…6 the colours R Y G B P
// Codes 2 and up are exactly the cells with a bit in plane 1 or 2, which is what the chain kernel (kernel.h) tests.
//
// All functions here want settled fields (no puyo above a hole) unless they say otherwise; py_settle makes one.
#ifndef KEIKO_GAMES_PUYO_PUYO_H
#define KEIKO_GAMES_PUYO_PUYO_H

#include "base/cpu.h"
#include "base/err.h"
#include "base/rng.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PY_COLS = 6, PY_ROWS = 12, PY_GHOST = 13, PY_CELLS = PY_COLS * PY_GHOST, PY_SPAWN = 2 }; // columns count from 0
enum { PY_EMPTY, PY_NUISANCE, PY_RED, PY_YELLOW, PY_GREEN, PY_BLUE, PY_PURPLE, PY_CODES };
enum { PY_MOVES = 24, PY_MAX_LEGAL = 22, PY_FIELD_TEXT = PY_GHOST * (PY_COLS + 1) };

typedef struct py_field {
    uint64_t plane[3][2]; // [plane][columns 0-3, columns 4-5]
} py_field;

// --- cells

static inline int py_get(const py_field *f, int col, int row)
{
    int word = col >> 2, at = (col & 3) * 16 + row - 1;
    return (int)((f->plane[0][word] >> at & 1) | (f->plane[1][word] >> at & 1) << 1 |
                 (f->plane[2][word] >> at & 1) << 2);
}

static inline void py_set(py_field *f, int col, int row, int code)
{
    int word = col >> 2, at = (col & 3) * 16 + row - 1;
    for (int p = 0; p < 3; p++)
        f->plane[p][word] = (f->plane[p][word] & ~(1ull << at)) | (uint64_t)(code >> p & 1) << at;
}

static inline uint64_t py_occupied(const py_field *f, int word)
{
    return f->plane[0][word] | f->plane[1][word] | f->plane[2][word];
}

static inline bool py_is_empty(const py_field *f)
{
    return (py_occupied(f, 0) | py_occupied(f, 1)) == 0;
}

static inline int py_count(const py_field *f) // puyos of any kind, the ghost row's too
{
    return __builtin_popcountll(py_occupied(f, 0)) + __builtin_popcountll(py_occupied(f, 1));
}

static inline int py_height(const py_field *f, int col) // 0…13
{
    unsigned bits = (unsigned)(py_occupied(f, col >> 2) >> (col & 3) * 16) & 0xffff;
    return __builtin_popcount(bits);
}

static inline void py_heights(const py_field *f, int h[PY_COLS])
{
    uint64_t a = py_occupied(f, 0), b = py_occupied(f, 1);
    for (int c = 0; c < 4; c++) h[c] = __builtin_popcount((unsigned)(a >> c * 16) & 0xffff);
    for (int c = 4; c < 6; c++) h[c] = __builtin_popcount((unsigned)(b >> (c - 4) * 16) & 0xffff);
}

void py_settle(py_field *f);                      // everything falls
bool py_field_ok(const py_field *f, int colours); // settled, with these colours only, nothing outside the 6 x 13 cells

// Letters R Y G B P, O for nuisance, . for empty; rows from the top, separated by '/'. Printing leaves empty rows out
// (but for one, when all are); parsing takes 1 to 13 rows, the last one the bottom.
int py_field_print(const py_field *f, char *buf, size_t n); // as snprintf; PY_FIELD_TEXT suffices
err py_field_parse(const char *text, py_field *f);          // refuses a puyo above a hole
char py_letter(int code);
int py_code(char letter); // -1 = none of ours; small letters count too

// --- chains: resolved in place, so that *f is what is left. The version for this machine is picked at the first call.

enum { PY_VANISH = 50, PY_GROUNDING = 20, PY_NEXT = 12, PY_QUICK_TURN = 20 }; // frames, 60 a second

typedef struct py_chain_result {
    int32_t links, score, frames; // frames: 50 per link, and 2 per row of the longest fall + 20 where anything fell
} py_chain_result;

typedef py_chain_result (*py_chain_fn)(py_field *f);
typedef int (*py_links_fn)(py_field *f);
extern _Atomic(py_chain_fn) py_chain_best;
extern _Atomic(py_links_fn) py_links_best;

static inline py_chain_result py_chain(py_field *f)
{
    return atomic_load_explicit(&py_chain_best, memory_order_relaxed)(f);
}

static inline int py_links(py_field *f) // the number of links only: a little faster
{
    return atomic_load_explicit(&py_links_best, memory_order_relaxed)(f);
}

// One link, for animation: pops and falls, or returns false and leaves the field. `link` counts from 1.
typedef struct py_link_info {
    py_field popped;    // the puyos of the groups
    int cleared, score; // cleared counts coloured puyos
    int drop, frames;   // longest fall in rows
} py_link_info;
bool py_link(py_field *f, int link, py_link_info *out);

// Every version built in, fastest first, ended by a NULL name: for tests and speed.
typedef struct py_version {
    const char *name;
    py_chain_fn chain;
    py_links_fn links;
    bool (*usable)(void); // can this machine run it?
} py_version;
const py_version *py_versions(void);
void py_pick_version(void); // by cpu_simd(); call it again after cpu_limit()

// Score table. A link scores 10 * cleared * clamp(chain power + colour bonus + group bonuses, 1, 999).
extern const uint16_t py_chain_power[32];     // by link, from 1
extern const uint8_t py_colour_bonus[8];      // by number of colours
extern const uint8_t py_group_bonus[80];      // by size
int py_groups_bonus(const py_field *popping); // colour and group bonuses when several groups may pop at once

// --- pairs. A pair is one byte: main puyo | sub puyo << 4. Equal pairs for both players; index from 0.

enum { PY_RING = 128 };
enum { PY_ARCADE, PY_BLOCKS, PY_UNIFORM, PY_PAIR_KINDS };
extern const char *const py_pair_kind_name[PY_PAIR_KINDS];

static inline uint8_t py_pair(int main, int sub)
{
    return (uint8_t)(main | sub << 4);
}
static inline int py_main(uint8_t pair)
{
    return pair & 15;
}
static inline int py_sub(uint8_t pair)
{
    return pair >> 4;
}
static inline bool py_pair_ok(uint8_t pair, int colours)
{
    int a = py_main(pair) - PY_RED, b = py_sub(pair) - PY_RED;
    return a >= 0 && a < colours && b >= 0 && b < colours;
}

void py_arcade(uint16_t seed, int colours, uint8_t pairs[PY_RING]); // the arcade's 128 pairs, which then repeat
void py_block(rng *r, int colours, uint8_t pairs[2]);               // four puyos of the seed's `blocks` generator

// The pairs of one game. What is hidden from players is the key, how many pairs are made, and those not yet shown.
typedef struct py_queue {
    uint64_t run, game;    // the key: pair i is a function of it and of i
    uint8_t ring[PY_RING]; // pair i at i % 128; 0 = used by both or not made
    uint32_t made;         // pairs made so far; 0 for arcade, whose 128 are all there from the start
    uint8_t kind, colours;
    uint8_t sampled; // arcade: pairs to come are independent draws, for searching the seeds that fit would be cheating
    uint8_t unused;
} py_queue;

void py_queue_clear(py_queue *q, int kind, int colours); // no key, no pairs
void py_queue_init(py_queue *q, int kind, int colours, uint64_t run, uint64_t game);
uint8_t py_queue_get(py_queue *q, uint32_t index);                // makes what is missing
void py_queue_forget(py_queue *q, uint32_t index);                // a pair that nobody needs any more
void py_queue_hide(py_queue *q, uint32_t oldest, uint32_t shown); // leaves what players know: pairs oldest … shown-1
void py_queue_sample(py_queue *q, uint32_t shown, rng *r);        // after hiding: another future that fits
uint16_t py_arcade_seed(uint64_t run, uint64_t game);

// --- placements: move = column * 4 + rotation; rotation 0 sub above main, 1 right of it, 2 below, 3 left

enum { PY_LOSE_TSU, PY_LOSE_SEED }; // row 12 of column 3; row 13 of column 3 or 4

// Bits of the moves that can be made. A pair of one colour has half: rotations 0 and 1. With `reach`, only where the pair
// can be steered to from the top of column 3.
uint32_t py_legal_mask(const py_field *f, uint8_t pair, bool reach, int lose);
bool py_buried(const py_field *f, int lose);
void py_place(py_field *f, int move, uint8_t pair); // no pops yet; what would rest on row 14 vanishes
int py_best_points(const py_field *f, uint8_t pair, bool reach, int lose); // of the best chain that this pair can fire

// A placement takes: 12 for the next pair, sideways 0/4/6/8, a quick turn 20 where there is no other way to climb or to turn
// the sub puyo below, 2 per row of fast fall, landing 20; a split pair's lower puyo falls freely and lands once more.
typedef struct py_drop {
    int rows;   // soft-dropped: a point each
    int frames; // from the choice until all has landed
} py_drop;
py_drop py_drop_of(const py_field *f, int move, uint8_t pair);

// Nuisance in numbers below 31: full rows, then the rest in distinct columns drawn from `r`. Returns the frames it takes.
int py_nuisance_fall(py_field *f, int n, rng *r);

static inline int py_move_list(uint32_t mask, uint16_t *out)
{
    int n = 0;
    for (; mask != 0; mask &= mask - 1) out[n++] = (uint16_t)__builtin_ctz(mask);
    return n;
}

// --- `keiko verify puyo-chains`: recomputes a file of boards with known chain, score, frames and puyos left

typedef struct py_chain_row {
    char name[64];
    int line; // of its header
    int links, score, frames, left;
} py_chain_row;

// `differ` (may be NULL) is called for each board that comes out otherwise. ERR_PARSE names the line of malformed input.
err py_verify_chains(const char *text, void (*differ)(void *ctx, const py_chain_row *want, const py_chain_row *got),
                     void *ctx, int *exact, int *total);

#endif
