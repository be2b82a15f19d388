// The beam's inner loop for every machine: one lane.
#include "search/puyo/puyo_beam_kernel.h"
#include "search/puyo/puyo_potential_kernel.h"

PUYO_BEAM_DEFINE(beam_run_base, beam_eval_base)
PUYO_POTENTIAL_DEFINE(beam_potential_base)
