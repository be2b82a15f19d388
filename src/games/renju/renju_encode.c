// What a network sees of renju and gomoku, and the eight symmetries of the board.
//
// Encodings, always from the side to move (own first):
//   stones   own stones, other's stones; renju adds black's forbidden points, whoever is to move
//   threats  the planes of `stones`, then for each side (own, other) four planes of empty points where a stone would
//            make: a five; a straight four, two fours or a four with a three; one four; one or two threes.
//            Each point is on the highest plane it belongs to; black's forbidden points in renju are on none.
//   plain    (renju) only the two planes of stones: the cheapest, since no foul is searched
// Renju's encodings have one scalar, 1 when black is to move, since the sides follow different rules there.
#include "games/renju/renju_game.h"
#include "games/renju/renju_tables.h"

#include <string.h>

enum { LEVELS = 4 };

static const int8_t level_of[RJ_CLASSES] = {
    [RJ_NONE] = -1,        [RJ_FORBIDDEN] = -1, [RJ_TWO] = -1,       [RJ_TWO_TWO] = -1,    [RJ_CLOSED] = -1,
    [RJ_CLOSED_PLUS] = -1, [RJ_THREE] = 3,      [RJ_THREE_PLUS] = 3, [RJ_THREE_THREE] = 3, [RJ_FOUR] = 2,
    [RJ_FOUR_PLUS] = 2,    [RJ_FOUR_THREE] = 1, [RJ_WINNING] = 1,    [RJ_DOUBTFUL] = 3,    [RJ_FIVE] = 0,
};

// A doubtful point that is no foul may make a four beside its false threes.
static int doubtful_level(unsigned key)
{
    int level = 3;
    for (int d = 0; d < RJ_DIRS; d++) {
        unsigned pattern = key >> 4 * d & 15;
        if (pattern == RJ_P_STRAIGHT) return 1;
        if (pattern == RJ_P_FOUR) level = 2;
    }
    return level;
}

// Points where a stone would be the third of three in four points in a row, along a direction of that step. Rows wrap at
// the board's edge, so there may be a few too many.
static void near_two(const uint64_t *s, int words, int step, uint64_t *out)
{
    for (int w = 0; w < words; w++) {
        uint64_t here = s[w], before = w > 0 ? s[w - 1] : 0, after = w + 1 < words ? s[w + 1] : 0;
        uint64_t l[4], r[4]; // what lies this many steps to either side
        for (int k = 1; k <= 3; k++) {
            l[k] = here << k * step | before >> (64 - k * step); // at most 63
            r[k] = here >> k * step | after << (64 - k * step);
        }
        out[w] |= (l[1] & (l[2] | l[3] | r[1] | r[2])) | (r[1] & (r[2] | r[3] | l[2])) | (l[2] & l[3]) | (r[2] & r[3]);
    }
}

// Patterns of both colours along direction `d`, where they can be part of a three or more. both[p] as rj_window_patterns, shifted to the direction's place; `seen` collects the points.
static void add_patterns(const rj_lines *l, const rj_ruleset *set, const uint64_t *black, const uint64_t *white, int d,
                         uint32_t *both, uint64_t *seen)
{
    const rj_place *place = rj_tables_get()->place[l->size];
    int words = (l->size * l->size + 63) / 64, step = rj_step(l->size, d);
    uint64_t near[RJ_MAX_WORDS] = {0};
    near_two(black, words, step < 0 ? -step : step, near);
    near_two(white, words, step < 0 ? -step : step, near);
    for (int w = 0; w < words; w++) {
        uint64_t points = near[w] & ~(black[w] | white[w]);
        int left = l->size * l->size - w * 64;
        if (left < 64) points &= (1ull << left) - 1;
        seen[w] |= points;
        for (; points != 0; points &= points - 1) {
            int p = w * 64 + __builtin_ctzll(points);
            both[p] |= rj_window_patterns(set, l->line[place[p].line[d]] >> place[p].shift[d]) << 4 * d;
        }
    }
}

// bits[side][LEVELS][words], side 0 = the side to move.
static void threat_planes(const rj_state *s, const uint64_t *fouls, uint64_t *bits)
{
    const rj_variant *v = rj_variant_of(s);
    const rj_ruleset *set = &rj_tables_get()->rules[v->rule];
    const uint64_t *black = rj_stones(s, 0), *white = rj_stones(s, 1);
    uint32_t both[RJ_MAX_POINTS] = {0};
    uint64_t seen[RJ_MAX_WORDS] = {0};
    rj_lines l = {.size = v->size};
    rj_lines_set(&l, black, white);
    memset(bits, 0, 2 * LEVELS * (size_t)v->words * sizeof *bits);
    for (int d = 0; d < RJ_DIRS; d++) add_patterns(&l, set, black, white, d, both, seen);
    for (int w = 0; w < v->words; w++)
        for (uint64_t points = seen[w]; points != 0; points &= points - 1) {
            int p = w * 64 + __builtin_ctzll(points);
            for (int c = 0; c < 2; c++) {
                unsigned key = both[p] >> 16 * c & 0xffff, class = set->classes[c][key] >> 4 * c;
                int level = class == RJ_DOUBTFUL ? doubtful_level(key) : level_of[class];
                if (level < 0 || (c == RJ_BLACK && fouls != NULL && fouls[w] >> p % 64 & 1)) continue;
                bits[((c != s->side) * LEVELS + level) * v->words + w] |= 1ull << p % 64;
            }
        }
}

static uint64_t *stone_planes(const rj_state *s, uint64_t *bits)
{
    int words = rj_variant_of(s)->words;
    memcpy(bits, rj_stones(s, s->side), (size_t)words * sizeof *bits);
    memcpy(bits + words, rj_stones(s, !s->side), (size_t)words * sizeof *bits);
    return bits + 2 * words;
}

static void encode(const void *const *obs, int n, uint64_t *bits, float *scalars, bool fouls, bool threats)
{
    for (int i = 0; i < n; i++) {
        const rj_state *s = obs[i];
        const rj_variant *v = rj_variant_of(s);
        const uint64_t *map = NULL;
        bits = stone_planes(s, bits);
        if (fouls) {
            rj_foul_map(rj_stones(s, 0), rj_stones(s, 1), bits);
            map = bits;
            bits += v->words;
        }
        if (threats) {
            threat_planes(s, map, bits);
            bits += 2 * LEVELS * v->words;
        }
        if (v->rule == RJ_RENJU) *scalars++ = s->side == RJ_BLACK;
    }
}

static void encode_renju_stones(const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    encode(obs, n, bits, scalars, true, false);
}

static void encode_renju_threats(const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    encode(obs, n, bits, scalars, true, true);
}

static void encode_plain(const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    encode(obs, n, bits, scalars, false, false);
}

static void encode_gomoku_threats(const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    encode(obs, n, bits, scalars, false, true);
}

#define STONES "own stones;opponent's stones"
#define THREATS                                                                                                        \
    "own five;own winning four;own four;own three;opponent's five;opponent's winning four;opponent's four;"            \
    "opponent's three"

const encoding rj_encodings_renju[3] = {
    {"stones", 3, 1, encode_renju_stones, STONES ";forbidden points;black to move"},
    {"threats", 3 + 2 * LEVELS, 1, encode_renju_threats, STONES ";forbidden points;" THREATS ";black to move"},
    {"plain", 2, 1, encode_plain, STONES ";black to move"},
};

const encoding rj_encodings_gomoku[2] = {
    {"stones", 2, 0, encode_plain, STONES},
    {"threats", 2 + 2 * LEVELS, 0, encode_gomoku_threats, STONES ";" THREATS},
};

// --- symmetries. Bits: 1 mirrors left-right, 2 mirrors top-bottom, 4 swaps x and y (applied last).

move_t rj_sym_point(int size, int sym, move_t m)
{
    int x = m % size, y = m / size;
    if (sym & 1) x = size - 1 - x;
    if (sym & 2) y = size - 1 - y;
    return (move_t)(sym & 4 ? x * size + y : y * size + x);
}

static uint32_t reverse_bits(uint32_t v)
{
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(v);
}

// 32 x 32 bits in five rounds: blocks of 16, 8, 4, 2 and 1 bits change places across the diagonal.
static void transpose(uint32_t r[32])
{
    uint32_t mask = 0x0000ffff;
    for (int j = 16; j > 0; j >>= 1, mask ^= mask << j)
        for (int k = 0; k < 32; k = (k + j + 1) & ~j) {
            uint32_t swap = (r[k] >> j ^ r[k + j]) & mask;
            r[k] ^= swap << j;
            r[k + j] ^= swap;
        }
}

static void read_rows(const uint64_t *in, int size, uint32_t *rows)
{
    for (int y = 0; y < size; y++) {
        int at = y * size, w = at / 64, s = at % 64;
        uint64_t v = in[w] >> s;
        if (s + size > 64) v |= in[w + 1] << (64 - s);
        rows[y] = (uint32_t)v & ((1u << size) - 1);
    }
}

static void write_rows(const uint32_t *rows, int size, uint64_t *out)
{
    memset(out, 0, (size_t)(size * size + 63) / 64 * sizeof *out);
    for (int y = 0; y < size; y++) {
        int at = y * size, w = at / 64, s = at % 64;
        out[w] |= (uint64_t)rows[y] << s;
        if (s + size > 64) out[w + 1] |= (uint64_t)rows[y] >> (64 - s);
    }
}

void rj_sym_planes(int size, int sym, int planes, const uint64_t *in, uint64_t *out)
{
    int words = (size * size + 63) / 64;
    for (int p = 0; p < planes; p++, in += words, out += words) {
        uint32_t rows[32] = {0}, turned[32] = {0};
        read_rows(in, size, rows);
        for (int y = 0; y < size; y++) {
            uint32_t row = rows[sym & 2 ? size - 1 - y : y];
            turned[y] = sym & 1 ? reverse_bits(row) >> (32 - size) : row;
        }
        if (sym & 4) transpose(turned);
        write_rows(turned, size, out);
    }
}
