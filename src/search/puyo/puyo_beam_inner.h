// What the versions of the beam's inner loop share with puyo_beam.c: one future, searched by one thread.
#ifndef KEIKO_SEARCH_PUYO_PUYO_BEAM_INNER_H
#define KEIKO_SEARCH_PUYO_PUYO_BEAM_INNER_H

#include "base/stop.h"
#include "search/puyo/puyo_beam.h"
#include "search/puyo/puyo_terms.h"

typedef struct beam_node {
    py_field field;
    int32_t score, cost; // evaluation and cost together; the sum of split and waste on the way, so at most 0
    uint8_t root;        // index of the first placement
    uint8_t links;       // of the best trigger
    uint8_t unused[6];
} beam_node;

typedef struct beam_seen { // an entry of the table of fields seen at this depth
    uint32_t check, layer;
    int32_t cost, value;
} beam_seen;

typedef struct beam_slot {
    int32_t score;
    uint32_t node;
} beam_slot;

typedef struct beam_memory {
    beam_node *nodes[2]; // [width]
    beam_slot *heap;     // [width], the worst on top
    beam_seen *seen;     // [mask + 1]
    uint32_t mask, layer;
} beam_memory;

typedef struct beam_halt { // of one search, shared by its tasks
    const stop_ask *stop;
    atomic_bool now; // somebody wants the answer
} beam_halt;

typedef struct beam_task {
    const puyo_beam_settings *s;
    const py_field *field;
    const uint8_t *pairs;    // [depth]
    int depth, known;        // pairs placed; the first of them that are seen, not drawn
    int32_t best[PY_MOVES];  // out: by first placement, the most points of a chain; -1 = not there
    int32_t sure[PY_MOVES];  // out: … of a chain that the known pairs fire
    int32_t fires[PY_MOVES]; // out: points that the placement fires at once
    int32_t score[PY_MOVES]; // out: its evaluation
    uint64_t nodes;
    beam_halt *halt; // NULL: nobody can stop it
    bool done;       // searched, maybe not to the end
    bool asks;       // this thread asks halt->stop; the others only look at the flag
} beam_task;

// Called every millisecond or so.
static inline bool beam_halted(const beam_task *t)
{
    if (t->halt == NULL) return false;
    if (atomic_load_explicit(&t->halt->now, memory_order_relaxed)) return true;
    if (!t->asks || !stop_asked(t->halt->stop)) return false;
    atomic_store_explicit(&t->halt->now, true, memory_order_relaxed);
    return true;
}

typedef void beam_fn(beam_memory *m, beam_task *t);
typedef puyo_value beam_eval_fn(const py_field *f, const puyo_weights *w, int colours);
typedef puyo_potential beam_potential_fn(const py_field *f, unsigned columns, int colours);
beam_fn beam_run_base, beam_run_portable, beam_run_avx2, beam_run_avx512;
beam_eval_fn beam_eval_base, beam_eval_portable, beam_eval_avx2, beam_eval_avx512;
beam_potential_fn beam_potential_base, beam_potential_portable, beam_potential_avx2, beam_potential_avx512;

typedef struct beam_version {
    const char *name;
    beam_fn *run;
    beam_eval_fn *eval;
    beam_potential_fn *potential;
    bool (*usable)(void); // can this machine run it?
} beam_version;
const beam_version *beam_versions(void); // the best first; ends with a NULL name

#endif
