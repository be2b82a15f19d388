// The beam's inner loop for x86-64-v3: two lanes. Call it behind cpu_simd() only.
#include "search/puyo/puyo_beam_kernel.h"
#include "search/puyo/puyo_potential_kernel.h"

PUYO_BEAM_DEFINE(beam_run_avx2, beam_eval_avx2)
PUYO_POTENTIAL_DEFINE(beam_potential_avx2)
