// Sums that have the same bits in whatever order their terms arrive. Blocks add to one place at once; nobody waits for all terms
// to put them in order.
//
// A float is an integer of 24 bits times a power of two. On a grid of 32-bit limbs it falls into one or two of them, and integers
// add in any order. A limb has 64 bits, so 2^31 terms fit. Terms below 2^(EXACT_LOW + 24) lose their last bits; one that is not
// finite, or is 2^96 or more, makes the sum NaN.
#ifndef KEIKO_NN_CUDA_EXACT_CUH
#define KEIKO_NN_CUDA_EXACT_CUH

#include "nn/cuda/hopper.cuh"

enum { EXACT_LOW = -96, EXACT_LIMBS = 6, EXACT_WORDS = EXACT_LIMBS + 1 }; // the last word counts terms that do not fit

// A sum's words lie `apart` from each other, so that neighbouring threads' sums are neighbours.
DEV void exact_add(uint64_t *sum, int apart, float x)
{
    const uint32_t bits = __float_as_uint(x);
    const int exponent = (int)(bits >> 23 & 0xff);
    const uint32_t digits = exponent == 0 ? 0 : (bits & 0x7fffffu) | 0x800000u;
    int at = exponent - 150 - EXACT_LOW; // of the last digit
    unsigned long long *to = (unsigned long long *)sum, v = digits;
    if (at + 24 > 32 * EXACT_LIMBS) {
        atomicAdd(to + EXACT_LIMBS * apart, 1ull);
        return;
    }
    if (at < 0) v = at > -24 ? v >> -at : 0, at = 0;
    v <<= at & 31;
    unsigned long long low = v & 0xffffffffu, high = v >> 32;
    if (bits >> 31) low = 0 - low, high = 0 - high;
    to += (at >> 5) * apart;
    if (low != 0) atomicAdd(to, low);
    if (high != 0) atomicAdd(to + apart, high);
}

DEV double exact_sum(const uint64_t *sum, int apart)
{
    const double unit[EXACT_LIMBS] = {0x1p-96, 0x1p-64, 0x1p-32, 0x1p0, 0x1p32, 0x1p64};
    long long limb[EXACT_WORDS];
#pragma unroll
    for (int i = 0; i < EXACT_WORDS; i++) limb[i] = __ldcg((const long long *)sum + i * apart);
    double all = 0;
#pragma unroll
    for (int i = EXACT_LIMBS - 1; i >= 0; i--) all += (double)limb[i] * unit[i];
    return limb[EXACT_LIMBS] == 0 ? all : (double)NAN;
}

#endif
