// The chain kernel in plain C: what other machines and WebAssembly run, and what tests hold the fast versions against.
#define PY_PORTABLE 1
#include "games/puyo/puyo_kernel.h"

py_chain_result py_chain_portable(py_field *f);
int py_links_portable(py_field *f);

PY_DEFINE_CHAIN(py_chain_portable, py_links_portable)
