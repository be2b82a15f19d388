// Fouls: renju's forbidden moves, decided on the packed lines alone.
//
// A point's four patterns settle all cases but one. Where two rows look like threes, the rule asks whether each can
// really become a straight four: the stone is put, and the point that would make the four is examined in the same
// way, to any depth. Putting a stone costs four exclusive-ors here, so the recursion needs no board and no memory.
//
// The rule is the International Renju Federation's: a three is a row that can become a straight four without making a
// five at the same time, at a point where black may play. Five overrides every foul; overline is named before double
// four, and double four before double three, when a point is several of them.
#include "games/renju/renju_tables.h"

#include <assert.h>
#include <string.h>

void rj_lines_init(rj_lines *l, int size)
{
    assert(size >= RJ_MIN_SIZE && size <= RJ_MAX_SIZE);
    memcpy(l->line, rj_tables_get()->empty[size], sizeof l->line);
    l->size = size;
}

static inline void toggle(const rj_tables *t, rj_lines *l, int p, uint64_t stone)
{
    const rj_place *at = &t->place[l->size][p];
    for (int d = 0; d < RJ_DIRS; d++) l->line[at->line[d]] ^= stone << 2 * RJ_REACH << at->shift[d];
}

void rj_lines_toggle(rj_lines *l, int p, int colour)
{
    toggle(rj_tables_get(), l, p, 1ull << colour);
}

void rj_lines_set(rj_lines *l, const uint64_t *black, const uint64_t *white)
{
    const rj_tables *t = rj_tables_get();
    memcpy(l->line, t->empty[l->size], sizeof l->line);
    for (int w = 0; w < (l->size * l->size + 63) / 64; w++) {
        for (uint64_t s = black[w]; s; s &= s - 1) toggle(t, l, w * 64 + __builtin_ctzll(s), 1);
        for (uint64_t s = white[w]; s; s &= s - 1) toggle(t, l, w * 64 + __builtin_ctzll(s), 2);
    }
}

// What black makes at a point, in one word: fields add up over the four directions.
enum { SUM_THREE = 1, SUM_FOUR = 1 << 4, SUM_OVERLINE = 1 << 8, SUM_FIVE = 1 << 12 };

typedef struct look {
    unsigned sum;
    uint8_t pattern[RJ_DIRS];
} look;

static inline look look_at(const rj_tables *t, const rj_lines *l, int p)
{
    static const uint16_t weight[16] = {
        [RJ_P_THREE] = SUM_THREE,   [RJ_P_THREE_2] = SUM_THREE,      [RJ_P_FOUR] = SUM_FOUR,
        [RJ_P_STRAIGHT] = SUM_FOUR, [RJ_P_FOUR_FOUR] = 2 * SUM_FOUR, [RJ_P_OVERLINE] = SUM_OVERLINE,
        [RJ_P_FIVE] = SUM_FIVE};
    const rj_place *at = &t->place[l->size][p];
    look k = {0};
    for (int d = 0; d < RJ_DIRS; d++) {
        unsigned pattern = rj_window_patterns(&t->rules[RJ_RENJU], l->line[at->line[d]] >> at->shift[d]) & 15;
        k.pattern[d] = (uint8_t)pattern;
        k.sum += weight[pattern];
    }
    return k;
}

static bool double_three(const rj_tables *t, rj_lines *l, int p, const look *k);

// Black may play q, and it makes a straight four along d and no five.
static bool makes_straight(const rj_tables *t, rj_lines *l, int q, int d)
{
    look k = look_at(t, l, q);
    if (k.pattern[d] != RJ_P_STRAIGHT) return false;
    if (k.sum >= 2 * SUM_FOUR) return false; // a five, an overline or a second four
    return (k.sum & 15) < 2 || !double_three(t, l, q, &k);
}

// The row of the stone on p along d can become a straight four. Only the first empty point on either side can do that,
// since the four must be unbroken and contain p.
static bool real_three(const rj_tables *t, rj_lines *l, int p, int d)
{
    const rj_place *at = &t->place[l->size][p];
    const uint64_t black = 0x155; // five black stones
    uint64_t window = l->line[at->line[d]] >> at->shift[d];
    int step = rj_step(l->size, d);
    unsigned right = (unsigned)(window >> 12 & RJ_HALF_MASK), left = (unsigned)(window & RJ_HALF_MASK);
    int r = __builtin_ctz((unsigned)(right ^ black) | 1u << 10) / 2;
    int f = __builtin_clz(((unsigned)(left ^ black) << 22) | 1u << 21) / 2;
    if (r < 4 && (right >> 2 * r & 3) == 0 && makes_straight(t, l, p + (r + 1) * step, d)) return true;
    return f < 4 && (left >> (8 - 2 * f) & 3) == 0 && makes_straight(t, l, p - (f + 1) * step, d);
}

static bool double_three(const rj_tables *t, rj_lines *l, int p, const look *k)
{
    int possible = (int)(k->sum & 15), real = 0;
    toggle(t, l, p, 1);
    for (int d = 0; d < RJ_DIRS && real < 2 && real + possible >= 2; d++) {
        if (k->pattern[d] != RJ_P_THREE && k->pattern[d] != RJ_P_THREE_2) continue;
        possible--;
        real += real_three(t, l, p, d);
    }
    toggle(t, l, p, 1);
    return real >= 2;
}

static rj_foul foul(const rj_tables *t, rj_lines *l, int p)
{
    look k = look_at(t, l, p);
    if (k.sum >= SUM_FIVE) return RJ_FINE;
    if (k.sum >= SUM_OVERLINE) return RJ_OVERLINE;
    if (k.sum >= 2 * SUM_FOUR) return RJ_DOUBLE_FOUR;
    if ((k.sum & 15) < 2) return RJ_FINE;
    return double_three(t, l, p, &k) ? RJ_DOUBLE_THREE : RJ_FINE;
}

rj_foul rj_lines_foul(rj_lines *l, int p)
{
    return foul(rj_tables_get(), l, p);
}

// --- whole maps

// Eight rows of the board, one per lane, so that one step in any direction is a shift, a load one lane away, or both.
typedef uint16_t rows8 __attribute__((vector_size(16)));

enum { PAD = 4 };

static inline uint64_t row_of(const uint64_t bits[4], int y)
{
    int at = y * 15, w = at / 64, s = at % 64;
    uint64_t low = bits[w] >> s;
    if (s > 49) low |= bits[w + 1] << (64 - s); // never in the last word: its rows begin at bits 3 and 18
    return low & 0x7fff;
}

// The stones k steps away along d, seen from every point of eight rows at once.
static inline rows8 stones_at(const uint16_t *rows, int d, int k)
{
    rows8 v;
    memcpy(&v, rows + (d == RJ_EAST ? 0 : d == RJ_NORTHEAST ? -k : k), sizeof v);
    if (d == RJ_SOUTH) return v;
    return k > 0 ? v >> k : v << -k;
}

// Points that may be fouls, by counting black stones: two directions with two stones within three steps, or one
// direction with four within four. Every foul needs that; few other points have it.
static rows8 candidates(const uint16_t *rows)
{
    rows8 one_dir = {0}, two_dirs = {0}, long_row = {0};
    for (int d = 0; d < RJ_DIRS; d++) {
        rows8 c1 = {0}, c2 = {0}, c3 = {0}, c4 = {0};
        for (int k = 1; k <= 3; k++) {
            for (int sign = -1; sign <= 1; sign += 2) {
                rows8 s = stones_at(rows, d, k * sign);
                c4 |= c3 & s;
                c3 |= c2 & s;
                c2 |= c1 & s;
                c1 |= s;
            }
        }
        two_dirs |= one_dir & c2;
        one_dir |= c2;
        rows8 a = stones_at(rows, d, 4), b = stones_at(rows, d, -4);
        long_row |= c4 | (c3 & (a | b)) | (c2 & a & b);
    }
    return two_dirs | long_row;
}

static int map_fouls(const uint64_t black[4], const uint64_t white[4], uint64_t map[4], uint8_t *kind)
{
    const rj_tables *t = rj_tables_get();
    rj_lines l;
    bool built = false;
    uint16_t padded[16 + 2 * PAD] = {0}, maybe[16];
    int n = 0;
    memset(map, 0, 4 * sizeof *map);
    for (int y = 0; y < 15; y++) padded[PAD + y] = (uint16_t)row_of(black, y);
    for (int y = 0; y < 16; y += 8) {
        rows8 v = candidates(padded + PAD + y);
        memcpy(maybe + y, &v, sizeof v);
    }
    for (int y = 0; y < 15; y++) {
        uint64_t todo = maybe[y] & ~(padded[PAD + y] | row_of(white, y)) & 0x7fff;
        for (; todo; todo &= todo - 1) {
            int p = y * 15 + __builtin_ctzll(todo);
            if (!built) {
                l.size = 15;
                rj_lines_set(&l, black, white);
                built = true;
            }
            rj_foul f = foul(t, &l, p);
            if (f == RJ_FINE) continue;
            map[p / 64] |= 1ull << p % 64;
            if (kind != NULL) kind[p] = (uint8_t)f;
            n++;
        }
    }
    return n;
}

int rj_foul_map(const uint64_t black[4], const uint64_t white[4], uint64_t map[4])
{
    return map_fouls(black, white, map, NULL);
}

int rj_foul_kinds(const uint64_t black[4], const uint64_t white[4], uint8_t *kind)
{
    uint64_t map[4];
    memset(kind, RJ_FINE, 225);
    return map_fouls(black, white, map, kind);
}

rj_foul rj_foul_played(const uint64_t black[4], const uint64_t white[4], int p)
{
    const rj_tables *t = rj_tables_get();
    int rows = 0;
    for (int d = 0; d < RJ_DIRS; d++) {
        const uint64_t *star = t->star[d][p];
        int n = 0;
        for (int w = 0; w < 4; w++) n += __builtin_popcountll(star[w] & black[w]);
        rows += n >= 4 ? 2 : n >= 2;
    }
    if (rows < 2) return RJ_FINE; // no foul has less
    rj_lines l = {.size = 15};
    rj_lines_set(&l, black, white);
    toggle(t, &l, p, 1);
    return foul(t, &l, p);
}
