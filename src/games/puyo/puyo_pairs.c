// Where pairs come from: the arcade's shuffled pools, the seed's blocks of four, or independent draws.
//
// Blocks and uniform pairs are functions of (key, index), so any of them can be made at any time and in any order. The
// arcade's are one of 65,536 fixed sequences of 128, made at once. A sample of somebody's future (py_queue_sample) keeps
// the pairs that were shown and gets a new key for the rest.
#include "games/puyo/puyo.h"

#include <string.h>

const char *const py_pair_kind_name[PY_PAIR_KINDS] = {"arcade", "blocks", "uniform"};

enum { POOL = 256, DISCARDED = 5 };
enum { STREAM_ARCADE = 0xa7cade }; // keeps the choice of the sequence apart from other uses of the key

// --- arcade

static uint32_t arcade_next(uint32_t *x)
{
    *x = *x * 0x5d588b65u + 0x269ec3u;
    return *x;
}

// Each neighbouring pair of blocks exchanges puyos: half a block's worth of swaps.
static void arcade_pass(uint32_t *x, uint8_t *pool, int bits)
{
    int size = 1 << bits;
    for (int first = 0; first + size < POOL; first += size)
        for (int k = 0; k < size / 2; k++) {
            uint32_t a = arcade_next(x) >> (32 - bits), b = arcade_next(x) >> (32 - bits);
            uint8_t *p = pool + first + a, *q = pool + first + size + b, t = *p;
            *p = *q;
            *q = t;
        }
}

void py_arcade(uint16_t seed, int colours, uint8_t pairs[PY_RING])
{
    uint32_t x = seed;
    uint8_t pool[POOL], opening[4] = {0};
    for (int i = 0; i < DISCARDED; i++) arcade_next(&x);
    for (int n = 3; n <= colours; n++) { // the pools are made in this order whatever is played
        for (int i = 0; i < POOL; i++) pool[i] = (uint8_t)(PY_RED + i % n);
        for (int bits = 4; bits <= 6; bits++) arcade_pass(&x, pool, bits);
        if (n == 3) memcpy(opening, pool, sizeof opening);
    }
    memcpy(pool, opening, sizeof opening);
    for (int i = 0; i < PY_RING; i++) pairs[i] = py_pair(pool[2 * i], pool[2 * i + 1]);
}

uint16_t py_arcade_seed(uint64_t run, uint64_t game)
{
    return (uint16_t)(rng_mix(rng_mix(run ^ STREAM_ARCADE) + game) >> 48);
}

// --- blocks

void py_block(rng *r, int colours, uint8_t pairs[2])
{
    // Distinct colours without rejection: B skips A, C skips both.
    int a = (int)rng_below(r, (uint32_t)colours), b = (int)rng_below(r, (uint32_t)colours - 1);
    int c = (int)rng_below(r, (uint32_t)colours - 2);
    b += b >= a;
    int low = a < b ? a : b, high = a < b ? b : a;
    c += c >= low;
    c += c >= high;
    a += PY_RED, b += PY_RED, c += PY_RED;
    int p[4] = {a, a, a, a};
    uint32_t draw = rng_u32(r);
    switch (draw >> 30) {
    case 0: // AAAB, B anywhere
        p[draw & 3] = b;
        break;
    case 1: // ABAB or AABB
        p[draw & 1 ? 1 : 2] = b, p[3] = b;
        break;
    case 2: // ABAC
        p[1] = b, p[3] = c;
        break;
    default: // AABC
        p[2] = b, p[3] = c;
        break;
    }
    pairs[0] = py_pair(p[0], p[1]);
    pairs[1] = py_pair(p[2], p[3]);
}

// --- the queue

static bool whole(const py_queue *q)
{
    return q->kind == PY_ARCADE && !q->sampled;
}

// Two pairs from the even index on, as functions of the key.
static void make_two(const py_queue *q, uint32_t even, uint8_t pairs[2])
{
    rng r = rng_at(q->run, q->game, even);
    if (q->kind == PY_BLOCKS) {
        py_block(&r, q->colours, pairs);
        return;
    }
    for (int i = 0; i < 2; i++) {
        int a = PY_RED + (int)rng_below(&r, q->colours), b = PY_RED + (int)rng_below(&r, q->colours);
        pairs[i] = py_pair(a, b);
    }
}

void py_queue_clear(py_queue *q, int kind, int colours)
{
    memset(q, 0, sizeof *q);
    q->kind = (uint8_t)kind;
    q->colours = (uint8_t)colours;
}

void py_queue_init(py_queue *q, int kind, int colours, uint64_t run, uint64_t game)
{
    py_queue_clear(q, kind, colours);
    q->run = run;
    q->game = game;
    if (kind == PY_ARCADE) py_arcade(py_arcade_seed(run, game), colours, q->ring);
}

uint8_t py_queue_get(py_queue *q, uint32_t index)
{
    if (whole(q)) return q->ring[index % PY_RING];
    uint8_t two[2];
    while (q->made <= index) {
        make_two(q, q->made & ~1u, two);
        if ((q->made & 1) == 0) q->ring[q->made++ % PY_RING] = two[0];
        q->ring[q->made++ % PY_RING] = two[1];
    }
    if (index + PY_RING >= q->made) return q->ring[index % PY_RING];
    make_two(q, index & ~1u, two); // one player is more than a ring behind the other: make the pair again
    return two[index & 1];
}

void py_queue_forget(py_queue *q, uint32_t index)
{
    if (!whole(q) && index + PY_RING >= q->made) q->ring[index % PY_RING] = 0;
}

void py_queue_hide(py_queue *q, uint32_t oldest, uint32_t shown)
{
    py_queue out;
    py_queue_clear(&out, q->kind, q->colours);
    // The queue may have made two pairs beyond what is shown, so two slots of the ring can be theirs.
    if (shown - oldest > PY_RING - 2) oldest = shown - (PY_RING - 2);
    for (uint32_t i = oldest; i < shown; i++) out.ring[i % PY_RING] = q->ring[i % PY_RING];
    *q = out;
}

void py_queue_sample(py_queue *q, uint32_t shown, rng *r)
{
    q->run = rng_u64(r);
    q->game = rng_u64(r);
    q->sampled = q->kind == PY_ARCADE;
    q->made = shown;
    if (q->kind == PY_BLOCKS && (shown & 1) != 0) { // half of a block is known: draw blocks until one begins with it
        uint8_t two[2], first = q->ring[(shown - 1) % PY_RING];
        do py_block(r, q->colours, two);
        while (two[0] != first);
        q->ring[q->made++ % PY_RING] = two[1];
    }
}
