// The beam's inner loop for x86-64-v4 with BITALG and VPOPCNTDQ (Ice Lake, Zen 4 and later): four lanes. Call it only where
// cpu_simd() and the cpuid bits allow.
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512bitalg,avx512vpopcntdq"))), apply_to = function)
#else
#pragma GCC target("avx512bitalg,avx512vpopcntdq")
#endif
#define PY_BITALG 1
#include "search/puyo/puyo_beam_kernel.h"
#include "search/puyo/puyo_potential_kernel.h"

PUYO_BEAM_DEFINE(beam_run_avx512, beam_eval_avx512)
PUYO_POTENTIAL_DEFINE(beam_potential_avx512)

#if defined(__clang__)
#pragma clang attribute pop
#endif
