// 128 bits in eight 16-bit columns: the vector the chain kernel computes with.
//
// One set of operations, three ways to build it: AVX-512 (any function of three masks is one instruction, and columns can
// shift by different amounts), SSE4.2 (which every x86-64-v2 machine has; AVX2 adds nothing at this width), and plain C for
// other machines and WebAssembly (also with PY_PORTABLE, so that tests can compare). Cells use bits 0 to 12 of a column,
// which the plain version relies on: a shift by one row never reaches the next column from above.
#ifndef KEIKO_GAMES_PUYO_PUYO_BITS_H
#define KEIKO_GAMES_PUYO_PUYO_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define PY_INLINE static inline __attribute__((always_inline))

// clang-format off
#if defined(KEIKO_X86) && !defined(PY_PORTABLE)
#include <immintrin.h>

typedef __m128i py_bits;

PY_INLINE py_bits pb_load(const uint64_t *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }
PY_INLINE void pb_store(uint64_t *p, py_bits a) { _mm_storeu_si128((__m128i *)(void *)p, a); }
PY_INLINE py_bits pb_column(unsigned bits) { return _mm_set1_epi16((short)bits); } // the same in each column
PY_INLINE py_bits pb_and(py_bits a, py_bits b) { return _mm_and_si128(a, b); }
PY_INLINE py_bits pb_or(py_bits a, py_bits b) { return _mm_or_si128(a, b); }
PY_INLINE py_bits pb_xor(py_bits a, py_bits b) { return _mm_xor_si128(a, b); }
PY_INLINE py_bits pb_without(py_bits a, py_bits b) { return _mm_andnot_si128(b, a); }
PY_INLINE py_bits pb_up(py_bits a) { return _mm_slli_epi16(a, 1); }
PY_INLINE py_bits pb_down(py_bits a) { return _mm_srli_epi16(a, 1); }
PY_INLINE py_bits pb_right(py_bits a) { return _mm_slli_si128(a, 2); }
PY_INLINE py_bits pb_left(py_bits a) { return _mm_srli_si128(a, 2); }
PY_INLINE bool pb_none(py_bits a) { return _mm_testz_si128(a, a) != 0; }
PY_INLINE bool pb_disjoint(py_bits a, py_bits b) { return _mm_testz_si128(a, b) != 0; }
PY_INLINE int pb_count(py_bits a)
{
    return (int)(_mm_popcnt_u64((uint64_t)_mm_cvtsi128_si64(a)) + _mm_popcnt_u64((uint64_t)_mm_extract_epi64(a, 1)));
}

// In each column on its own: sum, difference, the lowest set bit.
PY_INLINE py_bits pb_plus(py_bits a, py_bits b) { return _mm_add_epi16(a, b); }
PY_INLINE py_bits pb_minus(py_bits a, py_bits b) { return _mm_sub_epi16(a, b); }
PY_INLINE py_bits pb_lowest(py_bits a) { return _mm_and_si128(a, _mm_sub_epi16(_mm_setzero_si128(), a)); }

// Cells in each column. An instruction of its own only with BITALG; else by nibbles, then the two bytes are added.
PY_INLINE py_bits pb_column_counts(py_bits a)
{
#if defined(PY_BITALG)
    return _mm_popcnt_epi16(a);
#else
    const py_bits table = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4), nibble = _mm_set1_epi8(15);
    py_bits bytes = _mm_add_epi8(_mm_shuffle_epi8(table, _mm_and_si128(a, nibble)),
                                 _mm_shuffle_epi8(table, _mm_and_si128(_mm_srli_epi16(a, 4), nibble)));
    return _mm_maddubs_epi16(bytes, _mm_set1_epi8(1));
#endif
}

// pb_fallen moves each column down by its own number of rows; pb_fall prepares those numbers once for several planes. A
// column with 0 rows may come out as anything.
#if defined(__AVX512BW__) && defined(__AVX512VL__)
PY_INLINE py_bits pb_fall(py_bits rows) { return rows; }
PY_INLINE py_bits pb_fallen(py_bits a, py_bits fall) { return _mm_srlv_epi16(a, fall); }
#else
// a >> n is the high half of a * 2^(16-n). That power comes from a table of bytes: the high byte at n, the low byte at
// n - 8, where a negative index gives 0.
PY_INLINE py_bits pb_fall(py_bits rows)
{
    const py_bits power = _mm_setr_epi8(0, -128, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0);
    py_bits both = _mm_or_si128(rows, _mm_slli_epi16(rows, 8));
    return _mm_shuffle_epi8(power, _mm_sub_epi8(both, _mm_set1_epi16(8)));
}
PY_INLINE py_bits pb_fallen(py_bits a, py_bits fall) { return _mm_mulhi_epu16(a, fall); }
#endif

PY_INLINE py_bits pb_counts_where(py_bits counts, py_bits where) // 0 in columns without a cell in `where`
{
    return _mm_andnot_si128(_mm_cmpeq_epi16(where, _mm_setzero_si128()), counts);
}
PY_INLINE int pb_largest(py_bits counts) // the only horizontal reduction the hardware has is a minimum
{
    py_bits inverted = _mm_xor_si128(counts, _mm_set1_epi16(-1));
    return 0xffff - (_mm_cvtsi128_si32(_mm_minpos_epu16(inverted)) & 0xffff);
}

#else // plain C

typedef struct py_bits { uint64_t lo, hi; } py_bits; // columns 0-3, columns 4-7

PY_INLINE py_bits pb_load(const uint64_t *p) { return (py_bits){p[0], p[1]}; }
PY_INLINE void pb_store(uint64_t *p, py_bits a) { p[0] = a.lo, p[1] = a.hi; }
PY_INLINE py_bits pb_column(unsigned bits)
{
    uint64_t four = (bits & 0xffff) * 0x0001000100010001u;
    return (py_bits){four, four};
}
PY_INLINE py_bits pb_and(py_bits a, py_bits b) { return (py_bits){a.lo & b.lo, a.hi & b.hi}; }
PY_INLINE py_bits pb_or(py_bits a, py_bits b) { return (py_bits){a.lo | b.lo, a.hi | b.hi}; }
PY_INLINE py_bits pb_xor(py_bits a, py_bits b) { return (py_bits){a.lo ^ b.lo, a.hi ^ b.hi}; }
PY_INLINE py_bits pb_without(py_bits a, py_bits b) { return (py_bits){a.lo & ~b.lo, a.hi & ~b.hi}; }
PY_INLINE py_bits pb_up(py_bits a) { return (py_bits){a.lo << 1, a.hi << 1}; }
PY_INLINE py_bits pb_down(py_bits a)
{
    return (py_bits){a.lo >> 1 & 0x7fff7fff7fff7fffu, a.hi >> 1 & 0x7fff7fff7fff7fffu};
}
PY_INLINE py_bits pb_right(py_bits a) { return (py_bits){a.lo << 16, a.hi << 16 | a.lo >> 48}; }
PY_INLINE py_bits pb_left(py_bits a) { return (py_bits){a.lo >> 16 | a.hi << 48, a.hi >> 16}; }
PY_INLINE bool pb_none(py_bits a) { return (a.lo | a.hi) == 0; }
PY_INLINE bool pb_disjoint(py_bits a, py_bits b) { return ((a.lo & b.lo) | (a.hi & b.hi)) == 0; }
PY_INLINE int pb_count(py_bits a) { return __builtin_popcountll(a.lo) + __builtin_popcountll(a.hi); }
PY_INLINE py_bits pb_plus(py_bits a, py_bits b) { return (py_bits){a.lo + b.lo, a.hi + b.hi}; } // no sum reaches bit 16
PY_INLINE uint64_t pb_minus_word(uint64_t a, uint64_t b) // the top bit of each column stops the borrow
{
    const uint64_t top = 0x8000800080008000u;
    return ((a | top) - b) ^ top;
}
PY_INLINE py_bits pb_minus(py_bits a, py_bits b)
{
    return (py_bits){pb_minus_word(a.lo, b.lo), pb_minus_word(a.hi, b.hi)};
}
PY_INLINE py_bits pb_lowest(py_bits a) { return pb_without(a, pb_minus(a, pb_column(1))); }
PY_INLINE uint64_t pb_count_word(uint64_t a)
{
    a -= a >> 1 & 0x5555555555555555u;
    a = (a & 0x3333333333333333u) + (a >> 2 & 0x3333333333333333u);
    a = (a + (a >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (a + (a >> 8)) & 0x00ff00ff00ff00ffu;
}
PY_INLINE py_bits pb_column_counts(py_bits a) { return (py_bits){pb_count_word(a.lo), pb_count_word(a.hi)}; }
PY_INLINE py_bits pb_fall(py_bits rows) { return rows; }
PY_INLINE uint64_t pb_fallen_word(uint64_t a, uint64_t rows)
{
    uint64_t out = 0;
    for (int at = 0; at < 64; at += 16) out |= ((a >> at & 0xffff) >> (rows >> at & 15)) << at;
    return out;
}
PY_INLINE py_bits pb_fallen(py_bits a, py_bits fall)
{
    return (py_bits){pb_fallen_word(a.lo, fall.lo), pb_fallen_word(a.hi, fall.hi)};
}
PY_INLINE py_bits pb_counts_where(py_bits counts, py_bits where)
{
    uint64_t c[2] = {counts.lo, counts.hi}, w[2] = {where.lo, where.hi};
    for (int i = 0; i < 2; i++)
        for (int at = 0; at < 64; at += 16)
            if ((w[i] >> at & 0xffff) == 0) c[i] &= ~(0xffffull << at);
    return (py_bits){c[0], c[1]};
}
PY_INLINE int pb_largest(py_bits counts)
{
    int most = 0;
    for (int at = 0; at < 64; at += 16) {
        int a = (int)(counts.lo >> at & 0xffff), b = (int)(counts.hi >> at & 0xffff);
        most = a > most ? a : most;
        most = b > most ? b : most;
    }
    return most;
}

#endif

// Functions of three masks.
#if defined(__AVX512VL__) && !defined(PY_PORTABLE)
enum { PB_A = 0xf0, PB_B = 0xcc, PB_C = 0xaa }; // a truth table is the function written with these
#define PB_3(a, b, c, f) _mm_ternarylogic_epi64(a, b, c, (f) & 0xff)
PY_INLINE py_bits pb_and_or(py_bits a, py_bits b, py_bits c) { return PB_3(a, b, c, (PB_A & PB_B) | PB_C); }
PY_INLINE py_bits pb_or_and(py_bits a, py_bits b, py_bits c) { return PB_3(a, b, c, (PB_A | PB_B) & PB_C); }
PY_INLINE py_bits pb_or3(py_bits a, py_bits b, py_bits c) { return PB_3(a, b, c, PB_A | PB_B | PB_C); }
PY_INLINE py_bits pb_and3(py_bits a, py_bits b, py_bits c) { return PB_3(a, b, c, PB_A & PB_B & PB_C); }
PY_INLINE py_bits pb_two(py_bits a, py_bits b, py_bits c) // two of the three
{
    return PB_3(a, b, c, (PB_A & PB_B) | (PB_A & PB_C) | (PB_B & PB_C));
}
PY_INLINE py_bits pb_same(py_bits a, py_bits b, py_bits c) { return PB_3(a, b, c, PB_A & ~(PB_B ^ PB_C)); } // in a, b = c
PY_INLINE py_bits pb_pick(py_bits m, py_bits a, py_bits b) { return PB_3(m, a, b, (PB_A & PB_B) | (~PB_A & PB_C)); }
#else
PY_INLINE py_bits pb_and_or(py_bits a, py_bits b, py_bits c) { return pb_or(pb_and(a, b), c); }
PY_INLINE py_bits pb_or_and(py_bits a, py_bits b, py_bits c) { return pb_and(pb_or(a, b), c); }
PY_INLINE py_bits pb_or3(py_bits a, py_bits b, py_bits c) { return pb_or(pb_or(a, b), c); }
PY_INLINE py_bits pb_and3(py_bits a, py_bits b, py_bits c) { return pb_and(pb_and(a, b), c); }
PY_INLINE py_bits pb_two(py_bits a, py_bits b, py_bits c) { return pb_or(pb_and(a, b), pb_and(pb_or(a, b), c)); }
PY_INLINE py_bits pb_same(py_bits a, py_bits b, py_bits c) { return pb_without(a, pb_xor(b, c)); }
PY_INLINE py_bits pb_pick(py_bits m, py_bits a, py_bits b) { return pb_or(pb_and(m, a), pb_without(b, m)); }
#endif
// clang-format on

#endif
