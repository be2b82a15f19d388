// Contrast as a keiko game: the state with its draw rules, the network's view, and the table that joins it all.
//
// The end of a game is decided once, when a move is played, and kept in the state: goal, then stuck, then repetition, then
// the ply limit. So a player who cannot move loses even on the last ply.
//
// What hash() covers. Two states with equal hashes have the same future (up to the chance of a 64-bit collision): the
// position, the ply (the limit is always ahead, so ply 20 and ply 22 differ), the options, and how often each position
// since the last tile has occurred, as an order-free sum. That keeps a search exact under both draw rules and free of
// cycles. The price: two move orders without a tile that pass through different positions are different, as they are under
// the rules; orders that end in a tile, which forgets the positions before it, meet again. With repetition=0 nothing of
// the past counts, and all transpositions at equal ply meet. The hash does not cover the *order* of the past, which the
// history planes show: a cache of network answers must be keyed by the encoded planes instead. Searches that look at draws
// in their own way use ctr_key() of the position.
#include "games/contrast/contrast.h"

#include <assert.h>
#include <string.h>

enum {
    KEEP = CTR_HISTORY - 1, // moves between the positions of the history
    PLIES_BACK = 4,         // the least in which a position comes back: each side goes and returns
};

const ctr_state ctr_default = {
    .seen = 0, // ctr_state_at() fills it in
    .b = {{CTR_HOME(0), CTR_HOME(1)}, {0, 0}, CTR_START_HANDS, 0},
    .plies = 150,
    .repetition = 5,
    .repetition_from = 50,
};

// --- state

static inline uint32_t step_bits(move_t m)
{
    return 1u << ctr_from(m) | 1u << ctr_to(m);
}

// Occurrences of the present position, counted back for as long as there may be `wanted` of them.
static int count_back(const ctr_state *s, int wanted)
{
    // Take the quiet moves back two at a time: only positions with the same side to move can be equal. What differs from now
    // is kept for the side to move; for the other one it is brought up to date where that is nothing, which is seldom.
    uint32_t own = 0, other = 0;
    int n = 1, done = s->n_past - 1, first = s->n_past - s->quiet;
    for (int i = s->n_past - 1; i > first && n + 1 + (i - first) / PLIES_BACK >= wanted; i -= 2) {
        own ^= step_bits(s->past[i - 1]);
        if (own != 0) continue;
        for (; done >= i; done -= 2) other ^= step_bits(s->past[done]);
        n += other == 0;
    }
    return n;
}

int ctr_occurrences(const ctr_state *s)
{
    return count_back(s, 0);
}

static reason end_reason(const ctr_state *s)
{
    reason r = ctr_status(&s->b);
    if (r != REASON_NONE) return r;
    if (s->repetition > 0 && s->ply >= s->repetition_from && count_back(s, s->repetition) >= s->repetition)
        return REASON_REPETITION;
    return s->ply >= s->plies ? REASON_PLIES : REASON_NONE;
}

void ctr_state_at(ctr_state *s, ctr_board b, int ply)
{
    ctr_state fresh = {
        .seen = rng_mix(ctr_pieces_key(&b)),
        .b = b,
        .ply = (uint8_t)ply,
        .plies = s->plies,
        .repetition = s->repetition,
        .repetition_from = s->repetition_from,
    };
    fresh.reason = (uint8_t)end_reason(&fresh);
    *s = fresh;
}

// Keeps max(quiet, 7) moves, as far as there are that many; the rest of past[] stays zero, so that states that know the
// same past are the same bytes.
static void remember(ctr_state *s, move_t m)
{
    s->quiet = ctr_tile(m) == 0 ? (uint8_t)(s->quiet + 1) : 0;
    int keep = s->quiet > KEEP ? s->quiet : KEEP, n = s->n_past;
    assert(n < (int)(sizeof s->past / sizeof *s->past));
    s->past[n++] = m;
    if (n > keep) {
        memmove(s->past, s->past + (n - keep), (size_t)keep * sizeof *s->past);
        memset(s->past + keep, 0, (size_t)(n - keep) * sizeof *s->past);
        n = keep;
    }
    s->n_past = (uint8_t)n;
}

void ctr_state_play(ctr_state *s, move_t m)
{
    assert(s->reason == REASON_NONE && ctr_legal(&s->b, m));
    s->b = ctr_play(&s->b, m);
    s->ply++;
    remember(s, m);
    s->seen = (s->quiet > 0 ? s->seen : 0) + rng_mix(ctr_pieces_key(&s->b));
    s->reason = (uint8_t)end_reason(s);
}

static err option_number(const char *key, const char *value, int low, int high, uint8_t *out)
{
    int v = 0;
    for (const char *p = value; *p; p++) {
        if (*p < '0' || *p > '9' || v > 999)
            return err_set(ERR_USAGE, "contrast: %s must be a number %d to %d, not '%s'", key, low, high, value);
        v = v * 10 + *p - '0';
    }
    if (v < low || v > high) return err_set(ERR_USAGE, "contrast: %s must be %d to %d, not %s", key, low, high, value);
    *out = (uint8_t)v;
    return ERR_OK;
}

err ctr_option(void *state, const char *key, const char *value)
{
    ctr_state *s = state;
    if (strcmp(key, "plies") == 0) return option_number(key, value, 1, CTR_MAX_PLIES, &s->plies);
    if (strcmp(key, "repetition_from") == 0) return option_number(key, value, 0, CTR_MAX_PLIES, &s->repetition_from);
    if (strcmp(key, "repetition") == 0) {
        uint8_t times = 0;
        err e = option_number(key, value, 0, CTR_MAX_PLIES, &times);
        if (e != ERR_OK) return e;
        if (times == 1)
            return err_set(ERR_USAGE, "contrast: repetition must be 0 (off) or at least 2: 1 is every position");
        s->repetition = times;
        return ERR_OK;
    }
    return err_set(ERR_USAGE, "contrast has no option '%s'; there are: plies, repetition, repetition_from", key);
}

static err init(void *s, const char *options, game_key k)
{
    (void)k; // no chance in this game
    ctr_state fresh = ctr_default;
    err e = game_options(options, ctr_option, &fresh);
    if (e != ERR_OK) return e;
    ctr_state_at(&fresh, ctr_start(), 0);
    memcpy(s, &fresh, sizeof fresh);
    return ERR_OK;
}

static int seat(const void *state)
{
    const ctr_state *s = state;
    return s->reason == REASON_NONE ? (int)s->b.side : 0;
}

static int legal(const void *state, move_t *out)
{
    const ctr_state *s = state;
    return s->reason == REASON_NONE ? ctr_moves(&s->b, out) : 0;
}

static void play(void *state, move_t m, step_event *ev)
{
    ctr_state *s = state;
    if (ev != NULL) *ev = (step_event){.seat = (int)s->b.side};
    ctr_state_play(s, m);
}

static outcome result(const void *state)
{
    const ctr_state *s = state;
    switch (s->reason) {
    case REASON_NONE:
        return (outcome){0};
    case REASON_GOAL:
    case REASON_STUCK: { // both lose for the side to move
        outcome o = {true, s->reason, {1, 1}};
        o.score[s->b.side] = 0;
        return o;
    }
    default:
        return (outcome){true, s->reason, {0.5f, 0.5f}};
    }
}

static uint64_t hash(const void *state)
{
    const ctr_state *s = state;
    uint64_t rules = (uint64_t)s->plies << 8 | s->ply, past = 0;
    if (s->repetition > 0) {
        rules |= (uint64_t)s->repetition_from << 24 | (uint64_t)s->repetition << 16;
        past = s->seen;
    }
    return rng_mix(ctr_key(&s->b) ^ rng_mix(past ^ rng_mix(rules)));
}

// --- network side: the board as the mover sees it, its own home row at the bottom

static inline uint32_t turn_layer(uint32_t v)
{
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(v) >> 7; // 32 bits reversed, 25 of them ours
}

static inline int turn_square(int sq)
{
    return CTR_CELLS - 1 - sq;
}

static inline int map_tile(int tile, int (*map)(int))
{
    return tile == 0 ? 0 : ctr_tile_code(ctr_tile_colour(tile), map(ctr_tile_square(tile)));
}

static inline move_t map_move(move_t m, int (*map)(int))
{
    return ctr_move(map(ctr_from(m)), map(ctr_to(m)), map_tile(ctr_tile(m), map));
}

enum { PLANES_66 = 32, PLANES_90 = 56, SCALARS = 34, PLANES_NOW = 4, SCALARS_NOW = 6 };

// bits[k], bits[8+k], …: layer k plies ago; scalars likewise. Past positions come from taking moves back, turned as the
// board is; where the past ends, its oldest position stands for all before it.
static void encode_one(const ctr_state *s, uint64_t *bits, float *scalars)
{
    ctr_board b = s->b;
    const uint32_t own = b.side;
    if (own == 1) {
        for (int i = 0; i < 2; i++) {
            b.pieces[i] = turn_layer(b.pieces[i]);
            b.tiles[i] = turn_layer(b.tiles[i]);
        }
    }
    for (int k = 0; k < CTR_HISTORY; k++) {
        if (k > 0 && k <= s->n_past) {
            move_t m = s->past[s->n_past - k];
            b = ctr_unplay(&b, own == 1 ? map_move(m, turn_square) : m);
        }
        bits[k] = b.pieces[own];
        bits[8 + k] = b.pieces[!own];
        bits[16 + k] = b.tiles[CTR_BLACK];
        bits[24 + k] = b.tiles[CTR_GRAY];
        scalars[k] = (float)CTR_HAND(&b, own, CTR_BLACK) / 3;
        scalars[8 + k] = (float)CTR_HAND(&b, own, CTR_GRAY);
        scalars[16 + k] = (float)CTR_HAND(&b, !own, CTR_BLACK) / 3;
        scalars[24 + k] = (float)CTR_HAND(&b, !own, CTR_GRAY);
    }
    scalars[32] = (float)own;
    scalars[33] = (float)s->ply / 150; // the scale does not follow the option, so one network serves all limits
}

// The present alone. History tells a network nothing that the rules need but how often this position has been seen.
static void encode_now(const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    for (int i = 0; i < n; i++) {
        const ctr_state *s = obs[i];
        const uint32_t own = s->b.side;
        uint64_t *to = bits + (size_t)i * PLANES_NOW;
        float *number = scalars + (size_t)i * SCALARS_NOW;
        const uint32_t layer[PLANES_NOW] = {s->b.pieces[own], s->b.pieces[!own], s->b.tiles[CTR_BLACK],
                                            s->b.tiles[CTR_GRAY]};
        for (int k = 0; k < PLANES_NOW; k++) to[k] = own == 1 ? turn_layer(layer[k]) : layer[k];
        number[0] = (float)CTR_HAND(&s->b, own, CTR_BLACK) / 3;
        number[1] = (float)CTR_HAND(&s->b, own, CTR_GRAY);
        number[2] = (float)CTR_HAND(&s->b, !own, CTR_BLACK) / 3;
        number[3] = (float)CTR_HAND(&s->b, !own, CTR_GRAY);
        number[4] = (float)s->ply / 150;
        number[5] = (float)(ctr_occurrences(s) - 1) / 4;
    }
}

static void encode_66(const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    for (int i = 0; i < n; i++) encode_one(obs[i], bits + (size_t)i * PLANES_66, scalars + (size_t)i * SCALARS);
}

static void encode_90(const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    for (int i = 0; i < n; i++) {
        uint64_t *planes = bits + (size_t)i * PLANES_90;
        encode_one(obs[i], planes, scalars + (size_t)i * SCALARS);
        memset(planes + PLANES_66, 0, (PLANES_90 - PLANES_66) * sizeof *planes); // unused by the layout's first user
    }
}

// The layout as its first user fills it: plane 88 is 1 for both players, where c90 has the seat.
static void encode_90_original(const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    encode_90(obs, n, bits, scalars);
    for (int i = 0; i < n; i++) scalars[(size_t)i * SCALARS + 32] = 1;
}

static void heads(const void *obs, const move_t *m, int n, uint16_t *index)
{
    const ctr_state *s = obs;
    for (int i = 0; i < n; i++) {
        move_t seen = s->b.side == 1 ? map_move(m[i], turn_square) : m[i];
        index[2 * i] = (uint16_t)(seen / CTR_TILE_CODES);
        index[2 * i + 1] = (uint16_t)ctr_tile(seen);
    }
}

// --- symmetry 1 mirrors left and right

static inline int mirror_square(int sq)
{
    return sq + CTR_SIZE - 1 - 2 * (sq % CTR_SIZE);
}

static uint64_t mirror_layer(uint64_t v)
{
    const uint64_t a = CTR_FILE_A;
    return (v & a) << 4 | (v & a << 1) << 2 | (v & a << 2) | (v & a << 3) >> 2 | (v & a << 4) >> 4;
}

static void sym_planes(int sym, const encoding *e, const uint64_t *in, uint64_t *out)
{
    for (int p = 0; p < e->planes; p++) out[p] = sym == 0 ? in[p] : mirror_layer(in[p]);
}

static move_t sym_move(int sym, move_t m)
{
    return sym == 0 ? m : map_move(m, mirror_square);
}

extern const game game_contrast;

// The core knows no draws: it counts only where none can strike within the depth.
// A step onto the goal row.
static move_t win(const void *state, const move_t *m, int n)
{
    const ctr_state *s = state;
    for (int i = 0; i < n; i++)
        if (CTR_GOAL(s->b.side) >> ctr_to(m[i]) & 1) return m[i];
    return MOVE_NONE;
}

static uint64_t perft(const void *s, int depth)
{
    const ctr_state *c = s;
    int last = c->ply + depth;
    bool draws = last >= c->plies || (c->repetition != 0 && last >= c->repetition_from);
    return draws || c->reason != REASON_NONE ? game_perft(&game_contrast, s, depth) : ctr_perft(&c->b, depth);
}

// k of eight: the position k-1 moves ago.
#define SHOWN_PLANES "own pieces#8;opponent's pieces#8;black tiles#8;grey tiles#8"
#define SHOWN_HANDS                                                                                                    \
    "own black tiles in hand#8;own grey tile in hand#8;opponent's black tiles in hand#8;opponent's grey tile in hand#8"

static const encoding encodings[] = {
    {"c66", PLANES_66, SCALARS, encode_66, SHOWN_PLANES ";" SHOWN_HANDS ";seat;ply / 150"},
    {"c90", PLANES_90, SCALARS, encode_90, SHOWN_PLANES ";unused#24;" SHOWN_HANDS ";seat;ply / 150"},
    {"now", PLANES_NOW, SCALARS_NOW, encode_now,
     "own pieces;opponent's pieces;black tiles;grey tiles;own black tiles in hand;own grey tile in hand;opponent's black "
     "tiles in hand;opponent's grey tile in hand;ply / 150;times seen before / 4"},
    {"c90-original", PLANES_90, SCALARS, encode_90_original, SHOWN_PLANES ";unused#24;" SHOWN_HANDS ";one;ply / 150"},
};

static const game_openings lines = {.plies = 4, .evaluator = "alphabeta:depth=3,hash=14", .slack = 0.15};

const game game_contrast = {
    .name = "contrast",
    .title = "Contrast",
    .options = "plies=150: draw after this many plies (1 to 250); "
               "repetition=5: draw when a position occurs this many times; 0 = never; "
               "repetition_from=50: repetition draws apply from this ply on",
    .flags = G_CYCLES,
    .state_size = sizeof(ctr_state),
    .obs_size = sizeof(ctr_state),
    .n_seats = 2,
    .seats = {{"player 1", NULL, "●"}, {"player 2", NULL, "○"}},
    .notation = "b1,b2 moves the piece from b1 to b2; b1,b2 c3g also puts a gray tile on c3 (b: a black one)",
    .n_moves = CTR_ACTIONS,
    .max_legal = CTR_MAX_LEGAL,
    .rows = CTR_SIZE,
    .cols = CTR_SIZE,
    .n_encodings = 4,
    .encodings = encodings,
    .n_heads = 2,
    .head_dim = {CTR_CELLS * CTR_CELLS, CTR_TILE_CODES},
    .n_syms = 2,
    .core = CORE_CONTRAST,
    .openings = &lines,
    .init = init,
    .seat = seat,
    .legal = legal,
    .play = play,
    .result = result,
    .hash = hash,
    .heads = heads,
    .sym_planes = sym_planes,
    .sym_move = sym_move,
    .move_parse = ctr_move_parse,
    .move_print = ctr_move_print,
    .state_parse = ctr_state_parse,
    .state_print = ctr_state_print,
    .draw = ctr_draw,
    .view = ctr_view,
    .win = win,
    .perft = perft,
};

_Static_assert(sizeof(ctr_state) == 544 && sizeof(ctr_board) == 24, "no padding: states are compared as bytes");
