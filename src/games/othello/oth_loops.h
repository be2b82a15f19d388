// Othello's hot loops, written once and compiled for each instruction set: othello_scalar.c, _avx2.c and _avx512.c
// define OTH_ISA and OTH_OPS (the name of the table to fill) and include this file. Not a header for anyone else.
//
// One idea: mobility is cheapest for many boards at once, so every loop first makes boards, in arrays of words, and
// then asks for the moves of all of them. Arrays are padded to whole vectors; what the padding computes is ignored.
//
// On one 2.6 GHz Zen 4 core, gcc 12:   perft 11, leaves/s    random games/s
//   scalar                             690 M                 940 k
//   avx2                               1280 M                2220 k
//   avx512                             1610 M                2910 k
#include "base/rng.h"
#include "games/othello/oth_kernels.h"

#include <assert.h>
#include <string.h>

static uint64_t one_moves(oth_board b)
{
    return oth_k_moves(b.own, b.opp);
}

static uint64_t one_flips(oth_board b, int sq)
{
    return oth_k_flips(b.own, b.opp, sq);
}

// moves[i] for i < n; reads and writes up to a whole vector.
static inline void all_moves(const uint64_t *own, const uint64_t *opp, int n, uint64_t *moves)
{
    for (int i = 0; i < n; i += OTH_LANES)
        oth_v_store(moves + i, oth_v_moves(oth_v_load(own + i), oth_v_load(opp + i)));
}

// How many ways on from a board with these moves: without any it is the pass, or, for counting, the game's end.
static inline uint32_t ways(uint64_t moves)
{
    return moves == 0 ? 1 : (uint32_t)__builtin_popcountll(moves);
}

// --- perft

enum {
    KIDS = (OTH_MAX_MOVES + 7) / 8 * 8,
    QUEUE = 256,
};

typedef struct kids {
    _Alignas(64) uint64_t own[KIDS];
    _Alignas(64) uint64_t opp[KIDS];
    _Alignas(64) uint64_t moves[KIDS];
} kids;

// Perft adds, so the order of its leaves is free: boards one ply above them wait here until there are many.
typedef struct perft_queue {
    _Alignas(64) uint64_t own[QUEUE + KIDS];
    _Alignas(64) uint64_t opp[QUEUE + KIDS];
    int n;
    uint64_t leaves;
} perft_queue;

// Writes the boards after each of `moves`; returns their number.
static inline int expand(uint64_t own, uint64_t opp, uint64_t moves, uint64_t *kid_own, uint64_t *kid_opp)
{
    int n = 0;
    for (; moves != 0; moves &= moves - 1, n++) {
        uint64_t f = oth_k_flips(own, opp, __builtin_ctzll(moves));
        kid_own[n] = opp ^ f;
        kid_opp[n] = own ^ f ^ (moves & (0 - moves));
    }
    return n;
}

static void count_leaves(perft_queue *q, int n)
{
    uint64_t leaves = 0;
    for (int i = 0; i < n; i += OTH_LANES) {
        _Alignas(64) uint64_t moves[OTH_LANES];
        oth_v_store(moves, oth_v_moves(oth_v_load(q->own + i), oth_v_load(q->opp + i)));
        for (int k = 0; k < OTH_LANES; k++) leaves += ways(moves[k]);
    }
    q->leaves += leaves;
}

// `moves` are the board's own; depth >= 2.
static void perft(perft_queue *q, uint64_t own, uint64_t opp, uint64_t moves, int depth)
{
    if (moves == 0) {
        moves = oth_k_moves(opp, own);
        if (moves == 0)
            q->leaves++; // over
        else if (depth == 2)
            q->leaves += ways(moves);
        else
            perft(q, opp, own, moves, depth - 1);
        return;
    }
    if (depth == 2) {
        q->n += expand(own, opp, moves, q->own + q->n, q->opp + q->n);
        if (q->n < QUEUE) return;
        count_leaves(q, QUEUE);
        q->n -= QUEUE;
        memcpy(q->own, q->own + QUEUE, (size_t)q->n * sizeof *q->own);
        memcpy(q->opp, q->opp + QUEUE, (size_t)q->n * sizeof *q->opp);
        return;
    }
    kids k;
    int n = expand(own, opp, moves, k.own, k.opp);
    for (int i = n; i % OTH_LANES != 0; i++) k.own[i] = k.opp[i] = 0;
    all_moves(k.own, k.opp, n, k.moves);
    for (int i = 0; i < n; i++) perft(q, k.own[i], k.opp[i], k.moves[i], depth - 1);
}

static uint64_t loop_perft(oth_board b, int depth)
{
    assert(depth >= 0 && oth_board_ok(b));
    if (depth == 0) return 1;
    uint64_t moves = oth_k_moves(b.own, b.opp);
    if (depth == 1) return ways(moves);
    perft_queue q;
    q.n = 0;
    q.leaves = 0;
    perft(&q, b.own, b.opp, moves, depth);
    for (; q.n % OTH_LANES != 0; q.n++) { // an empty board is a finished game: one leaf, taken off again
        q.own[q.n] = q.opp[q.n] = 0;
        q.leaves--;
    }
    count_leaves(&q, q.n);
    return q.leaves;
}

// --- random games

#ifndef KEIKO_WASM // the page has no use for them, and would be larger

// Games in step: so many that the words which one phase stores have reached the cache when the next phase loads them as
// vectors, and few enough for a bit each in a word.
enum { FLIGHT = 32 };

typedef struct flight {
    _Alignas(64) uint64_t own[FLIGHT];
    _Alignas(64) uint64_t opp[FLIGHT];
    _Alignas(64) uint64_t moves[FLIGHT];
    _Alignas(64) uint64_t chosen[FLIGHT];   // the square as a bit; 0 = pass
    _Alignas(64) uint64_t draws[4][FLIGHT]; // low halves: a block of random words of each game
} flight;

// Block `block` of games first … first+FLIGHT-1: what rng_refill() computes for one of them, here a game a lane.
static void draw_blocks(flight *f, uint64_t seed, uint64_t first, uint32_t block)
{
    for (int i = 0; i < FLIGHT; i += OTH_LANES) {
        uint64_t lo[OTH_LANES], hi[OTH_LANES];
        for (int k = 0; k < OTH_LANES; k++) {
            uint64_t game = first + (uint64_t)(i + k);
            lo[k] = game & 0xffffffffu;
            hi[k] = game >> 32;
        }
        const oth_vec zero = {0}, mul0 = zero | RNG_MUL0, mul1 = zero | RNG_MUL1;
        oth_vec c0 = zero | block, c1 = zero, c2 = oth_v_load(lo), c3 = oth_v_load(hi);
        uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
        for (int round = 0; round < RNG_ROUNDS; round++) { // high halves hold rubbish that nothing reads
            oth_vec a = oth_v_mul32(mul0, c0), b = oth_v_mul32(mul1, c2);
            c0 = (b >> 32) ^ c1 ^ k0;
            c1 = b;
            c2 = (a >> 32) ^ c3 ^ k1;
            c3 = a;
            k0 += RNG_WEYL0;
            k1 += RNG_WEYL1;
        }
        oth_v_store(f->draws[0] + i, c0);
        oth_v_store(f->draws[1] + i, c1);
        oth_v_store(f->draws[2] + i, c2);
        oth_v_store(f->draws[3] + i, c3);
    }
}

static void tally_add(oth_tally *t, uint64_t black, uint64_t white)
{
    int b = __builtin_popcountll(black), w = __builtin_popcountll(white);
    t->games++;
    t->black += b > w;
    t->draws += b == w;
    t->white += b < w;
    t->discs += (uint64_t)b;
}

// One game, plainly: the way out where a flight cannot tell what rng_below() would do.
static void play_one(uint64_t seed, uint64_t game, oth_tally *t)
{
    rng r = rng_at(seed, game, 0);
    oth_board b = oth_start();
    int side = OTH_BLACK;
    for (;; side = !side) {
        uint64_t moves = oth_k_moves(b.own, b.opp), x = 0, turned = 0;
        if (moves == 0 && oth_k_moves(b.opp, b.own) == 0) break;
        t->plies++;
        uint32_t pick = rng_below(&r, ways(moves)); // a pass draws, too
        if (moves != 0) {
            x = oth_k_select(moves, pick);
            turned = oth_k_flips(b.own, b.opp, __builtin_ctzll(x));
        }
        b = (oth_board){b.opp ^ turned, b.own ^ turned ^ x};
    }
    tally_add(t, side == OTH_BLACK ? b.own : b.opp, side == OTH_BLACK ? b.opp : b.own);
}

// Chooses a move in every game; returns those of `live` (one bit per game) that are not over. Games whose random word
// rng_below() might reject are added to `redo`.
static inline uint32_t choose(flight *f, const uint64_t *draw, uint32_t live, uint32_t *redo)
{
    for (int i = 0; i < FLIGHT; i++) {
        uint64_t moves = f->moves[i];
        if (moves == 0) {
            f->chosen[i] = 0; // pass; a finished game only swaps sides, in step with the others
            if ((live >> i & 1) != 0 && oth_k_moves(f->opp[i], f->own[i]) == 0) live &= ~(1u << i);
            continue;
        }
        uint32_t n = ways(moves);
        uint64_t scaled = (uint64_t)(uint32_t)draw[i] * n;
        if ((uint32_t)scaled < n) *redo |= 1u << i;
        f->chosen[i] = oth_k_select(moves, (uint32_t)(scaled >> 32));
    }
    return live;
}

static void play_chosen(flight *f)
{
    for (int i = 0; i < FLIGHT; i += OTH_LANES) {
        oth_vec own = oth_v_load(f->own + i), opp = oth_v_load(f->opp + i), x = oth_v_load(f->chosen + i);
        oth_vec turned = oth_v_flips(own, opp, x);
        oth_v_store(f->own + i, opp ^ turned);
        oth_v_store(f->opp + i, own ^ turned ^ x);
    }
}

// Games first … first+n-1, n <= FLIGHT.
static void fly(uint64_t seed, uint64_t first, int n, oth_tally *t)
{
    flight f;
    const oth_board start = oth_start();
    for (int i = 0; i < FLIGHT; i++) {
        f.own[i] = start.own;
        f.opp[i] = start.opp;
    }
    uint32_t live = 0xffffffffu >> (FLIGHT - n), redo = 0;
    uint8_t plies[FLIGHT] = {0};
    int ply = 0;
    for (;; ply++) {
        if (ply % 4 == 0) draw_blocks(&f, seed, first, (uint32_t)ply / 4);
        all_moves(f.own, f.opp, FLIGHT, f.moves);
        uint32_t on = choose(&f, f.draws[3 - ply % 4], live, &redo); // rng hands its blocks out from the end
        for (uint32_t ended = live & ~on; ended != 0; ended &= ended - 1) plies[__builtin_ctz(ended)] = (uint8_t)ply;
        live = on;
        if (live == 0) break;
        play_chosen(&f);
    }
    for (int i = 0; i < n; i++) {
        if (redo >> i & 1) {
            play_one(seed, first + (uint64_t)i, t);
            continue;
        }
        t->plies += plies[i];
        tally_add(t, ply % 2 == 0 ? f.own[i] : f.opp[i], ply % 2 == 0 ? f.opp[i] : f.own[i]);
    }
}

static oth_tally loop_random_games(uint64_t seed, uint64_t first, uint64_t n)
{
    oth_tally t = {0};
    for (; n >= FLIGHT; n -= FLIGHT, first += FLIGHT) fly(seed, first, FLIGHT, &t);
    if (n > 0) fly(seed, first, (int)n, &t);
    return t;
}

#endif

// --- a batch of boards

enum { CHUNK = 64 };

static void loop_moves_batch(const oth_board *boards, int n, uint64_t *moves)
{
    _Alignas(64) uint64_t own[CHUNK] = {0};
    _Alignas(64) uint64_t opp[CHUNK] = {0};
    _Alignas(64) uint64_t out[CHUNK];
    for (int at = 0; at < n; at += CHUNK) {
        int some = n - at < CHUNK ? n - at : CHUNK;
        for (int i = 0; i < some; i++) {
            own[i] = boards[at + i].own;
            opp[i] = boards[at + i].opp;
        }
        all_moves(own, opp, some, out);
        memcpy(moves + at, out, (size_t)some * sizeof *out);
    }
}

const oth_ops OTH_OPS = {
    .moves = one_moves,
    .flips = one_flips,
    .perft = loop_perft,
#ifndef KEIKO_WASM
    .random_games = loop_random_games,
#endif
    .moves_batch = loop_moves_batch,
};
