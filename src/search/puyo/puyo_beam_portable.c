// The beam's inner loop in plain C, so that tests can compare it with the others on any machine.
#define PY_PORTABLE 1
#include "search/puyo/puyo_beam_kernel.h"
#include "search/puyo/puyo_potential_kernel.h"

PUYO_BEAM_DEFINE(beam_run_portable, beam_eval_portable)
PUYO_POTENTIAL_DEFINE(beam_potential_portable)
