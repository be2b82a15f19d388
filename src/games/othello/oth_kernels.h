// Inline pieces of Othello's hot loops, for one instruction set per file that includes this.
//
// Define OTH_ISA before the include: OTH_ISA_SCALAR (the default, portable C), OTH_ISA_AVX2 or OTH_ISA_AVX512, the
// latter two only in files named *_avx2.c and *_avx512.c. All functions are static inline with the same names in every
// set, so a loop written once becomes three loops without an indirect call inside. What each gives:
//   oth_k_moves(own, opp), oth_k_flips(own, opp, sq)   one board, short latency: for a search that waits for the result
//   oth_v_moves(own, opp), oth_v_flips(own, opp, x)    OTH_LANES boards at once, best throughput; x = one bit per lane
//   oth_k_select(mask, k)                              the k-th set bit of a word, as a bit
//
// Ideas. A run of discs is bracketed along rays. For one board, a table gives the eight rays of a square: four run to
// higher bits, where the nearest square that is not an opponent's is the lowest bit of a masked word, and four to lower
// bits, where it is the highest. For many boards, one per lane, floods are doubled instead (Kogge-Stone): two single
// steps, then two double steps cover the six squares a run can have.
//
// Nanoseconds for one board on a 2.6 GHz Zen 4 core, gcc 12, throughput and latency:
//            oth_k_moves    oth_k_flips
//   scalar   5.5   11.0     5.2   9.2
//   avx2     2.8    8.8     2.8   8.8
//   avx512   2.6    7.9     1.7   7.2
// A lane for each direction and rotations instead of shifts made oth_k_moves slower on AVX-512 (3.2 and 11.4).
#ifndef KEIKO_GAMES_OTH_KERNELS_H
#define KEIKO_GAMES_OTH_KERNELS_H

#include "games/othello/othello.h"

#define OTH_ISA_SCALAR 0
#define OTH_ISA_AVX2   1
#define OTH_ISA_AVX512 2
#ifndef OTH_ISA
#define OTH_ISA OTH_ISA_SCALAR
#endif

#if OTH_ISA != OTH_ISA_SCALAR
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

// The rays of each square without the square: four to higher bits (east, southwest, south, southeast), then four to
// lower bits (west, northeast, north, northwest). A1 is the northwest corner.
extern const uint64_t oth_rays[OTH_SQUARES][8];

enum {
    OTH_ROW = 1,
    OTH_SLASH = 7,
    OTH_COLUMN = 8,
    OTH_BACKSLASH = 9
}; // lines, by the bits from one square to the next

// What can be bracketed along a row or a diagonal never stands on file a or h; with those masked off, no shift wraps.
#define OTH_INNER_FILES 0x7e7e7e7e7e7e7e7eu

// --- lanes. The operators & | ^ ~ << >> + - work on all of these, and mixed with a word for all lanes.

#if OTH_ISA == OTH_ISA_AVX512
enum { OTH_LANES = 8, OTH_VEC_BYTES = 64 };
#elif OTH_ISA == OTH_ISA_AVX2
enum { OTH_LANES = 4, OTH_VEC_BYTES = 32 };
#else
enum { OTH_LANES = 2, OTH_VEC_BYTES = 16 }; // every compiler maps two lanes to what its target has, or to two words
#endif
typedef uint64_t oth_vec __attribute__((vector_size(OTH_VEC_BYTES)));
typedef uint64_t oth_vec_mem __attribute__((vector_size(OTH_VEC_BYTES), aligned(8), may_alias));

static inline oth_vec oth_v_load(const uint64_t *p)
{
    return *(const oth_vec_mem *)p;
}

static inline void oth_v_store(uint64_t *p, oth_vec v)
{
    *(oth_vec_mem *)p = v;
}

// f where `bracket` has any bit, else 0; lane by lane.
static inline oth_vec oth_v_keep(oth_vec f, oth_vec bracket)
{
#if OTH_ISA == OTH_ISA_AVX512
    return (oth_vec)_mm512_maskz_mov_epi64(_mm512_test_epi64_mask((__m512i)bracket, (__m512i)bracket), (__m512i)f);
#else
    return f & (oth_vec)(bracket != 0);
#endif
}

// The product of the low halves of each lane.
static inline oth_vec oth_v_mul32(oth_vec a, oth_vec b)
{
#if OTH_ISA == OTH_ISA_AVX512
    return (oth_vec)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif OTH_ISA == OTH_ISA_AVX2
    return (oth_vec)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (oth_vec)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (a & 0xffffffffu) * (b & 0xffffffffu);
#endif
}

// --- many boards: mobility

typedef struct oth_v_both {
    oth_vec up, down;
} oth_v_both;

// The discs of `run` that join `from` both ways along one line; `run` = the opponent's discs that such a line can turn.
static inline oth_v_both oth_v_flood(oth_vec from, oth_vec run, int step)
{
    oth_vec up = run & (from << step), down = run & (from >> step);
    up |= run & (up << step);
    down |= run & (down >> step);
    oth_vec pair_up = run & (run << step), pair_down = pair_up >> step;
    up |= pair_up & (up << (2 * step));
    down |= pair_down & (down >> (2 * step));
    up |= pair_up & (up << (2 * step));
    down |= pair_down & (down >> (2 * step));
    return (oth_v_both){up, down};
}

// Squares reached both ways along one line.
static inline oth_vec oth_v_line_moves(oth_vec own, oth_vec run, int step)
{
    oth_v_both f = oth_v_flood(own, run, step);
    return (f.up << step) | (f.down >> step);
}

// Along a row the upward flood is one addition: a run with an own disc before it carries into the square behind it.
static inline oth_vec oth_v_row_moves(oth_vec own, oth_vec run)
{
    oth_vec carried = (run + (run & (own + own))) & ~run;
    oth_vec down = run & (own >> 1), pair = run & (run >> 1);
    down |= run & (down >> 1);
    down |= pair & (down >> 2);
    down |= pair & (down >> 2);
    return carried | (down >> 1);
}

static inline oth_vec oth_v_moves(oth_vec own, oth_vec opp)
{
    oth_vec inner = opp & OTH_INNER_FILES;
    oth_vec m = oth_v_row_moves(own, inner);
    m |= oth_v_line_moves(own, opp, OTH_COLUMN);
    m |= oth_v_line_moves(own, inner, OTH_SLASH);
    m |= oth_v_line_moves(own, inner, OTH_BACKSLASH);
    return m & ~(own | opp);
}

// --- many boards: flips

static inline oth_vec oth_v_line_flips(oth_vec own, oth_vec run, oth_vec x, int step)
{
    oth_v_both f = oth_v_flood(x, run, step);
    return oth_v_keep(f.up, own & (f.up << step)) | oth_v_keep(f.down, own & (f.down >> step));
}

static inline oth_vec oth_v_flips(oth_vec own, oth_vec opp, oth_vec x)
{
    oth_vec inner = opp & OTH_INNER_FILES;
    oth_vec f = oth_v_line_flips(own, inner, x, OTH_ROW);
    f |= oth_v_line_flips(own, opp, x, OTH_COLUMN);
    f |= oth_v_line_flips(own, inner, x, OTH_SLASH);
    f |= oth_v_line_flips(own, inner, x, OTH_BACKSLASH);
    return f;
}

// --- one board

#if OTH_ISA != OTH_ISA_SCALAR

typedef uint64_t oth_quad __attribute__((vector_size(32))); // one line a lane: row, slash, column, backslash
typedef uint64_t oth_quad_mem __attribute__((vector_size(32), may_alias));

static inline uint64_t oth_k_fold(oth_quad v) // all four lanes or'ed
{
    __m128i h = _mm_or_si128(_mm256_castsi256_si128((__m256i)v), _mm256_extracti128_si256((__m256i)v, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_or_si128(h, _mm_unpackhi_epi64(h, h)));
}

static inline uint64_t oth_k_moves(uint64_t own, uint64_t opp)
{
    const uint64_t files = OTH_INNER_FILES;
    const oth_quad step = {1, 7, 8, 9}, twice = {2, 14, 16, 18}, inner = {files, files, ~(uint64_t)0, files};
    oth_quad mine = own | (oth_quad){0}, run = opp & inner;
    oth_quad up = run & (mine << step), down = run & (mine >> step);
    up |= run & (up << step);
    down |= run & (down >> step);
    oth_quad pair_up = run & (run << step), pair_down = pair_up >> step;
    up |= pair_up & (up << twice);
    down |= pair_down & (down >> twice);
    up |= pair_up & (up << twice);
    down |= pair_down & (down >> twice);
    return oth_k_fold((up << step) | (down >> step)) & ~(own | opp);
}

static inline uint64_t oth_k_flips(uint64_t own, uint64_t opp, int sq)
{
    const oth_quad_mem *ray = (const oth_quad_mem *)oth_rays[sq];
    oth_quad mine = own | (oth_quad){0}, up = ray[0], down = ray[1];
    // The nearest square that is not an opponent's: where it is ours, all before it is turned.
    oth_quad stop = up & ~opp, near = stop & (0 - stop) & mine;
#if OTH_ISA == OTH_ISA_AVX512
    __mmask8 hit = _mm256_test_epi64_mask((__m256i)near, (__m256i)near);
    __m256i f = _mm256_maskz_and_epi64(hit, (__m256i)up, (__m256i)(near - 1));
    __m256i above = _mm256_lzcnt_epi64((__m256i)(down & ~opp));
    __m256i top = _mm256_srlv_epi64(_mm256_set1_epi64x((long long)(1ull << 63)), above);
    __m256i behind = _mm256_srlv_epi64(_mm256_set1_epi64x(-1), above); // the stop and all below it; 0 without one
    hit = _mm256_test_epi64_mask(top, (__m256i)mine);
    return oth_k_fold((oth_quad)f | (oth_quad)_mm256_maskz_andnot_epi64(hit, behind, (__m256i)down));
#else
    oth_quad f = up & ~((oth_quad)(near == 0) - near);
    // There is no instruction for the highest bit: smear our discs along the ray. What leaves the board wraps to
    // squares below the ray's end, never back onto it. The highest of ours counts if it is above every hole, which a
    // comparison of the words tells (bit 63, the sign, is on no ray to lower bits), while the smearing goes on.
    const oth_quad step = {1, 7, 8, 9}, twice = {2, 14, 16, 18}, four = {4, 28, 32, 36};
    oth_quad ours = down & mine, holes = down & ~(mine | opp), smear = ours;
    oth_quad nearer = (oth_quad)_mm256_cmpgt_epi64((__m256i)ours, (__m256i)holes);
    smear |= smear >> step;
    smear |= smear >> twice;
    smear |= smear >> four;
    return oth_k_fold(f | (down & nearer & ~smear));
#endif
}

#else

// In the second lane the board stands on its head: what ran to lower bits, but for the row, then runs to higher ones.
#if defined(__wasm_simd128__) // where bytes of a scalar can only be swapped by shifts
typedef uint8_t oth_bytes __attribute__((vector_size(16)));

static inline oth_vec oth_k_turn(oth_vec v) // the second lane stands on its head
{
    return (oth_vec)__builtin_shufflevector((oth_bytes)v, (oth_bytes)v, 0, 1, 2, 3, 4, 5, 6, 7, 15, 14, 13, 12, 11, 10,
                                            9, 8);
}
#else
static inline oth_vec oth_k_turn(oth_vec v)
{
    return (oth_vec){v[0], __builtin_bswap64(v[1])};
}
#endif

static inline oth_vec oth_k_pair(uint64_t discs)
{
    return oth_k_turn((oth_vec){discs, discs});
}

static inline uint64_t oth_k_join(oth_vec v) // of both lanes, the second on its feet again
{
    v = oth_k_turn(v);
    return v[0] | v[1];
}

static inline oth_vec oth_k_up_moves(oth_vec own, oth_vec run, int step)
{
    oth_vec up = run & (own << step), pair = run & (run << step);
    up |= run & (up << step);
    up |= pair & (up << (2 * step));
    up |= pair & (up << (2 * step));
    return up << step;
}

static inline uint64_t oth_k_moves(uint64_t own, uint64_t opp)
{
    uint64_t run = opp & OTH_INNER_FILES;
    uint64_t carried = (run + (run & (own + own))) & ~run, down = run & (own >> 1), pair = run & (run >> 1);
    down |= run & (down >> 1);
    down |= pair & (down >> 2);
    down |= pair & (down >> 2);
    oth_vec mine = oth_k_pair(own), theirs = oth_k_pair(opp), inner = theirs & OTH_INNER_FILES;
    oth_vec up = oth_k_up_moves(mine, theirs, OTH_COLUMN) | oth_k_up_moves(mine, inner, OTH_SLASH) |
                 oth_k_up_moves(mine, inner, OTH_BACKSLASH);
    return (carried | (down >> 1) | oth_k_join(up)) & ~(own | opp);
}

// The nearest square that is not an opponent's: where it is ours, all before it is turned.
static inline oth_vec oth_k_up_flips(oth_vec own, oth_vec opp, uint64_t ray, uint64_t mirror)
{
    oth_vec both = {ray, mirror}, stop = both & ~opp, near = stop & (0 - stop) & own;
    return both & (near + (oth_vec)(near != 0));
}

static inline uint64_t oth_k_flips(uint64_t own, uint64_t opp, int sq)
{
    const uint64_t *ray = oth_rays[sq], *mirror = oth_rays[sq ^ 56];
    oth_vec mine = oth_k_pair(own), theirs = oth_k_pair(opp);
    oth_vec f = oth_k_up_flips(mine, theirs, ray[1], mirror[1]) | oth_k_up_flips(mine, theirs, ray[2], mirror[2]) |
                oth_k_up_flips(mine, theirs, ray[3], mirror[3]);
    uint64_t stop = ray[0] & ~opp, near = stop & (0 - stop) & own;
    uint64_t row = ray[0] & (near - ((0 - near) >> 63)); // (0 - near) >> 63 is near != 0 without a comparison
    // Westwards it is the highest bit: smear the stops along the row instead of searching it.
    stop = ray[4] & ~opp;
    stop |= stop >> 1;
    stop |= stop >> 2;
    stop |= stop >> 4;
    near = stop & ~(stop >> 1) & own;
    row |= ray[4] & ~stop & (0 - ((0 - near) >> 63));
    return oth_k_join(f) | row;
}

#endif

// --- words

static inline uint64_t oth_k_select(uint64_t mask, uint32_t k) // k < popcount(mask)
{
#if OTH_ISA != OTH_ISA_SCALAR
    return _pdep_u64((uint64_t)1 << k, mask);
#else
    // Running counts find the byte, then running counts of that byte's bits, spread to a byte each, find the bit.
    const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
    uint64_t n = mask - (mask >> 1 & 0x5555555555555555u);
    n = (n & 0x3333333333333333u) + (n >> 2 & 0x3333333333333333u);
    n = ((n + (n >> 4)) & 0x0f0f0f0f0f0f0f0fu) * ones;                    // byte i: set bits in bytes 0…i
    int shift = 8 * __builtin_popcountll(((k * ones | tops) - n) & tops); // bytes with no more than k up to their end
    k -= (uint32_t)(n << 8 >> shift & 0xff);
    uint64_t bits = (mask >> shift & 0xff) * ones & 0x8040201008040201u;
    n = ((((bits | tops) - ones) | bits) >> 7 & ones) * ones; // byte i: set bits in 0…i of the byte found
    return (uint64_t)1 << (shift + __builtin_popcountll(((k * ones | tops) - n) & tops));
#endif
}

#endif
