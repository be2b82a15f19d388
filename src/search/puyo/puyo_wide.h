// Several fields side by side: the operations of games/puyo/puyo_bits.h on one, two or four 128-bit planes at once.
//
// A chain is a string of dependent instructions, so one chain leaves most of the processor idle; four chains in one
// register take little longer than one. The number of lanes is that of the file's instruction set: four with AVX-512 (and
// BITALG), two with AVX2, one otherwise. Nothing crosses lanes, so results do not depend on their number.
#ifndef KEIKO_SEARCH_PUYO_PUYO_WIDE_H
#define KEIKO_SEARCH_PUYO_PUYO_WIDE_H

#include "games/puyo/puyo_kernel.h"

#include <string.h>

// clang-format off
#if defined(PY_BITALG) && !defined(PY_PORTABLE)

enum { PW_LANES = 4 };
typedef __m512i pw;

PY_INLINE pw pw_load(const uint64_t *p) { return _mm512_loadu_si512(p); }
PY_INLINE void pw_store(uint64_t *p, pw a) { _mm512_storeu_si512(p, a); }
PY_INLINE pw pw_all(py_bits a) { return _mm512_broadcast_i32x4(a); }
PY_INLINE pw pw_join(const py_bits a[PW_LANES]) // by inserts: a wide load would wait for the narrow stores before it
{
    pw low = _mm512_inserti32x4(_mm512_castsi128_si512(a[0]), a[1], 1);
    __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(a[2]), a[3], 1);
    return _mm512_inserti64x4(low, high, 1);
}
PY_INLINE pw pw_column(unsigned bits) { return _mm512_set1_epi16((short)bits); }
PY_INLINE pw pw_and(pw a, pw b) { return _mm512_and_si512(a, b); }
PY_INLINE pw pw_or(pw a, pw b) { return _mm512_or_si512(a, b); }
PY_INLINE pw pw_without(pw a, pw b) { return _mm512_andnot_si512(b, a); }
PY_INLINE pw pw_up(pw a) { return _mm512_slli_epi16(a, 1); }
PY_INLINE pw pw_down(pw a) { return _mm512_srli_epi16(a, 1); }
PY_INLINE pw pw_right(pw a) { return _mm512_bslli_epi128(a, 2); }
PY_INLINE pw pw_left(pw a) { return _mm512_bsrli_epi128(a, 2); }
PY_INLINE bool pw_none(pw a) { return _mm512_test_epi64_mask(a, a) == 0; }
PY_INLINE bool pw_disjoint(pw a, pw b) { return _mm512_test_epi64_mask(a, b) == 0; }
PY_INLINE pw pw_plus(pw a, pw b) { return _mm512_add_epi16(a, b); }
PY_INLINE pw pw_minus(pw a, pw b) { return _mm512_sub_epi16(a, b); }
PY_INLINE pw pw_column_counts(pw a) { return _mm512_popcnt_epi16(a); }
PY_INLINE pw pw_fall(pw rows) { return rows; }
PY_INLINE pw pw_fallen(pw a, pw fall) { return _mm512_srlv_epi16(a, fall); }
PY_INLINE uint32_t pw_columns_hit(pw a) { return _mm512_test_epi16_mask(a, a); } // bit lane * 8 + column
// Adds one to the 64-bit counter of each half lane whose lane has a cell in `a`.
PY_INLINE pw pw_count_lanes(pw counter, pw a)
{
    unsigned m = _mm512_test_epi64_mask(a, a), both = m | (m >> 1 & 0x55) | (m << 1 & 0xaa);
    return _mm512_mask_add_epi64(counter, (__mmask8)both, counter, _mm512_set1_epi64(1));
}
PY_INLINE void pw_counts(pw a, int out[PW_LANES]) // cells in each lane
{
    pw n = _mm512_popcnt_epi64(a);
    n = _mm512_add_epi64(n, _mm512_bsrli_epi128(n, 8));
    uint64_t w[8];
    _mm512_storeu_si512(w, n);
    for (int i = 0; i < PW_LANES; i++) out[i] = (int)w[2 * i];
}
#define PW_3(a, b, c, f) _mm512_ternarylogic_epi64(a, b, c, (f) & 0xff)
PY_INLINE pw pw_and_or(pw a, pw b, pw c) { return PW_3(a, b, c, (PB_A & PB_B) | PB_C); }
PY_INLINE pw pw_or_and(pw a, pw b, pw c) { return PW_3(a, b, c, (PB_A | PB_B) & PB_C); }
PY_INLINE pw pw_or3(pw a, pw b, pw c) { return PW_3(a, b, c, PB_A | PB_B | PB_C); }
PY_INLINE pw pw_and3(pw a, pw b, pw c) { return PW_3(a, b, c, PB_A & PB_B & PB_C); }
PY_INLINE pw pw_two(pw a, pw b, pw c) { return PW_3(a, b, c, (PB_A & PB_B) | (PB_A & PB_C) | (PB_B & PB_C)); }
PY_INLINE pw pw_same(pw a, pw b, pw c) { return PW_3(a, b, c, PB_A & ~(PB_B ^ PB_C)); }
PY_INLINE pw pw_pick(pw m, pw a, pw b) { return PW_3(m, a, b, (PB_A & PB_B) | (~PB_A & PB_C)); }

#elif defined(__AVX2__) && !defined(PY_PORTABLE)

enum { PW_LANES = 2 };
typedef __m256i pw;

PY_INLINE pw pw_load(const uint64_t *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }
PY_INLINE void pw_store(uint64_t *p, pw a) { _mm256_storeu_si256((__m256i *)(void *)p, a); }
PY_INLINE pw pw_all(py_bits a) { return _mm256_broadcastsi128_si256(a); }
PY_INLINE pw pw_join(const py_bits a[PW_LANES]) { return _mm256_set_m128i(a[1], a[0]); }
PY_INLINE pw pw_column(unsigned bits) { return _mm256_set1_epi16((short)bits); }
PY_INLINE pw pw_and(pw a, pw b) { return _mm256_and_si256(a, b); }
PY_INLINE pw pw_or(pw a, pw b) { return _mm256_or_si256(a, b); }
PY_INLINE pw pw_xor(pw a, pw b) { return _mm256_xor_si256(a, b); }
PY_INLINE pw pw_without(pw a, pw b) { return _mm256_andnot_si256(b, a); }
PY_INLINE pw pw_up(pw a) { return _mm256_slli_epi16(a, 1); }
PY_INLINE pw pw_down(pw a) { return _mm256_srli_epi16(a, 1); }
PY_INLINE pw pw_right(pw a) { return _mm256_bslli_epi128(a, 2); }
PY_INLINE pw pw_left(pw a) { return _mm256_bsrli_epi128(a, 2); }
PY_INLINE bool pw_none(pw a) { return _mm256_testz_si256(a, a) != 0; }
PY_INLINE bool pw_disjoint(pw a, pw b) { return _mm256_testz_si256(a, b) != 0; }
PY_INLINE pw pw_plus(pw a, pw b) { return _mm256_add_epi16(a, b); }
PY_INLINE pw pw_minus(pw a, pw b) { return _mm256_sub_epi16(a, b); }
PY_INLINE pw pw_column_counts(pw a) // by nibbles, then the two bytes are added
{
    const pw table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const pw nibble = _mm256_set1_epi8(15);
    pw bytes = _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(a, nibble)),
                               _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(a, 4), nibble)));
    return _mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1));
}
PY_INLINE pw pw_fall(pw rows) // the multiplier of bits.h
{
    const pw power = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, -128, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0));
    pw both = _mm256_or_si256(rows, _mm256_slli_epi16(rows, 8));
    return _mm256_shuffle_epi8(power, _mm256_sub_epi8(both, _mm256_set1_epi16(8)));
}
PY_INLINE pw pw_fallen(pw a, pw fall) { return _mm256_mulhi_epu16(a, fall); }
PY_INLINE uint32_t pw_columns_hit(pw a)
{
    pw zero = _mm256_setzero_si256(), empty = _mm256_cmpeq_epi16(a, zero);
    uint32_t m = ~(uint32_t)_mm256_movemask_epi8(_mm256_packs_epi16(empty, empty));
    return (m & 0xff) | (m >> 8 & 0xff00);
}
PY_INLINE pw pw_count_lanes(pw counter, pw a)
{
    pw whole = _mm256_or_si256(a, _mm256_shuffle_epi32(a, 0x4e));
    pw none = _mm256_cmpeq_epi64(whole, _mm256_setzero_si256());
    return _mm256_add_epi64(counter, _mm256_andnot_si256(none, _mm256_set1_epi64x(1)));
}
PY_INLINE void pw_counts(pw a, int out[PW_LANES])
{
    uint64_t w[2 * PW_LANES];
    pw_store(w, a);
    for (int i = 0; i < PW_LANES; i++) out[i] = __builtin_popcountll(w[2 * i]) + __builtin_popcountll(w[2 * i + 1]);
}

#else // one lane: the plain operations

enum { PW_LANES = 1 };
typedef py_bits pw;
#define pw_load   pb_load
#define pw_store  pb_store
PY_INLINE pw pw_all(py_bits a) { return a; }
PY_INLINE pw pw_join(const py_bits a[PW_LANES]) { return a[0]; }
#define pw_column   pb_column
#define pw_and      pb_and
#define pw_or       pb_or
#define pw_xor      pb_xor
#define pw_without  pb_without
#define pw_up       pb_up
#define pw_down     pb_down
#define pw_right    pb_right
#define pw_left     pb_left
#define pw_none     pb_none
#define pw_disjoint pb_disjoint
#define pw_plus     pb_plus
#define pw_minus    pb_minus
#define pw_column_counts pb_column_counts
#define pw_fall     pb_fall
#define pw_fallen   pb_fallen
PY_INLINE uint32_t pw_columns_hit(pw a)
{
    uint64_t w[2];
    uint32_t hit = 0;
    pb_store(w, a);
    for (int c = 0; c < 8; c++) hit |= (uint32_t)((w[c >> 2] >> (c & 3) * 16 & 0xffff) != 0) << c;
    return hit;
}
PY_INLINE pw pw_count_lanes(pw counter, pw a)
{
    uint64_t w[2];
    pb_store(w, counter);
    w[0] += !pb_none(a);
    return pb_load(w);
}
PY_INLINE void pw_counts(pw a, int out[PW_LANES]) { out[0] = pb_count(a); }

#endif

#if !(defined(PY_BITALG) && !defined(PY_PORTABLE))
PY_INLINE pw pw_and_or(pw a, pw b, pw c) { return pw_or(pw_and(a, b), c); }
PY_INLINE pw pw_or_and(pw a, pw b, pw c) { return pw_and(pw_or(a, b), c); }
PY_INLINE pw pw_or3(pw a, pw b, pw c) { return pw_or(pw_or(a, b), c); }
PY_INLINE pw pw_and3(pw a, pw b, pw c) { return pw_and(pw_and(a, b), c); }
PY_INLINE pw pw_two(pw a, pw b, pw c) { return pw_or(pw_and(a, b), pw_and(pw_or(a, b), c)); }
PY_INLINE pw pw_same(pw a, pw b, pw c) { return pw_without(a, pw_xor(b, c)); }
PY_INLINE pw pw_pick(pw m, pw a, pw b) { return pw_or(pw_and(m, a), pw_without(b, m)); }
#endif
// clang-format on

// --- fields

typedef struct pw_field {
    pw p[3];
} pw_field;

typedef struct pw_joins {
    pw up, down, left, right, twos, core; // as py_joins; twos: cells with two joins or more
} pw_joins;

// See games/puyo/puyo_kernel.h for how cores find what pops.
PY_INLINE pw_joins pw_find_joins(pw_field v)
{
    pw up = pw_or_and(v.p[1], v.p[2], pw_column(PY_ROWS_11));
    pw right = pw_or_and(v.p[1], v.p[2], pw_column(PY_ROWS_12));
    for (int i = 2; i >= 0; i--) {
        up = pw_same(up, v.p[i], pw_down(v.p[i]));
        right = pw_same(right, v.p[i], pw_left(v.p[i]));
    }
    pw_joins j = {.up = up, .right = right, .down = pw_up(up), .left = pw_right(right)};
    pw one = pw_or3(up, right, j.down), two = pw_two(up, right, j.down), three = pw_and3(up, right, j.down);
    pw threes = pw_and_or(two, j.left, three);
    j.twos = pw_and_or(one, j.left, two);
    pw a = pw_and_or(up, pw_down(j.twos), threes), b = pw_and(right, pw_left(j.twos));
    a = pw_and_or(j.down, pw_up(j.twos), a);
    b = pw_and_or(j.left, pw_right(j.twos), b);
    j.core = pw_or_and(a, b, j.twos);
    return j;
}

PY_INLINE pw pw_popping(pw_joins j)
{
    pw a = pw_and_or(j.up, pw_down(j.core), j.core), b = pw_and(j.right, pw_left(j.core));
    a = pw_and_or(j.down, pw_up(j.core), a);
    b = pw_and_or(j.left, pw_right(j.core), b);
    return pw_or(a, b);
}

PY_INLINE pw pw_erased(pw_field v, pw pop)
{
    pw nuisance = pw_without(pw_and(v.p[0], pw_column(PY_ROWS_12)), pw_or(v.p[1], v.p[2]));
    pw near = pw_or3(pw_up(pop), pw_down(pop), pw_left(pop));
    return pw_or(pop, pw_or_and(near, pw_right(pop), nuisance));
}

// Cuts the erased cells out, the lowest run of every column at a time. A lane without any stays as it is.
PY_INLINE pw_field pw_drop(pw_field v, pw erased)
{
    for (int i = 0; i < 3; i++) v.p[i] = pw_without(v.p[i], erased);
    for (;;) {
        pw low = pw_without(erased, pw_minus(erased, pw_column(1))), sum = pw_plus(erased, low);
        pw below = pw_minus(low, pw_column(1)), n = pw_column_counts(pw_without(erased, sum)), fall = pw_fall(n);
        for (int i = 0; i < 3; i++) v.p[i] = pw_pick(below, v.p[i], pw_fallen(v.p[i], fall));
        if (__builtin_expect(pw_disjoint(erased, sum), 1)) return v;
        pw rest = pw_and(erased, sum);
        erased = pw_pick(below, rest, pw_fallen(rest, fall));
    }
}

// Resolves the chains of all lanes. `links` counts per lane; *last are the joins of what is left.
PY_INLINE pw_field pw_chain(pw_field v, bool nuisance, int links[PW_LANES], pw_joins *last)
{
    pw counter = pw_column(0);
    pw_joins j = pw_find_joins(v);
    while (!pw_none(j.core)) {
        counter = pw_count_lanes(counter, j.core);
        pw pop = pw_popping(j);
        v = pw_drop(v, nuisance ? pw_erased(v, pop) : pop);
        j = pw_find_joins(v);
    }
    uint64_t n[2 * PW_LANES];
    pw_store(n, counter);
    for (int i = 0; i < PW_LANES; i++) links[i] = (int)n[2 * i];
    *last = j;
    return v;
}

#endif
