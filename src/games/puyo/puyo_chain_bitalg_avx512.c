// The chain kernel for x86-64-v4 with BITALG (Ice Lake, Zen 4 and later): counting the cells of a column is then one
// instruction on the chain's critical path instead of six. Call it only where cpu_simd() and the cpuid bit allow.
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512bitalg"))), apply_to = function)
#else
#pragma GCC target("avx512bitalg")
#endif
#define PY_BITALG 1
#include "games/puyo/puyo_kernel.h"

py_chain_result py_chain_bitalg(py_field *f);
int py_links_bitalg(py_field *f);

PY_DEFINE_CHAIN(py_chain_bitalg, py_links_bitalg)

#if defined(__clang__)
#pragma clang attribute pop
#endif
