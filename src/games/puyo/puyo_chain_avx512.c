// The chain kernel for x86-64-v4. Call it behind cpu_simd() only.
#include "games/puyo/puyo_kernel.h"

py_chain_result py_chain_avx512(py_field *f);
int py_links_avx512(py_field *f);

PY_DEFINE_CHAIN(py_chain_avx512, py_links_avx512)
