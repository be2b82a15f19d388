// The beam search around its inner loop: futures, threads, the choice. See puyo_beam.h.
#include "search/puyo/puyo_beam.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "search/puyo/puyo_beam_inner.h"

#include <stdlib.h>
#include <string.h>

enum { FUTURES_MAX = 256 }; // with a time limit; more change nothing

const puyo_weights puyo_weights_default = {
#define W(name, preset, help) .name = preset,
    PUYO_WEIGHTS(W)
#undef W
};

// --- versions

static bool always(void)
{
    return true;
}
#if defined(KEIKO_X86)
static bool has_avx2(void)
{
    return cpu_simd_best() >= SIMD_AVX2;
}
static bool has_avx512(void)
{
    return cpu_simd_best() >= SIMD_AVX512 && __builtin_cpu_supports("avx512bitalg") &&
           __builtin_cpu_supports("avx512vpopcntdq");
}
#endif

const beam_version *beam_versions(void)
{
    static const beam_version list[] = {
#if defined(KEIKO_X86)
        {"avx512", beam_run_avx512, beam_eval_avx512, beam_potential_avx512, has_avx512},
        {"avx2", beam_run_avx2, beam_eval_avx2, beam_potential_avx2, has_avx2},
        {"sse", beam_run_base, beam_eval_base, beam_potential_base, always},
#endif
        {"portable", beam_run_portable, beam_eval_portable, beam_potential_portable, always},
        {NULL, NULL, NULL, NULL, NULL},
    };
    return list;
}

static _Atomic(const beam_version *) chosen;

void puyo_beam_pick_version(void)
{
    const beam_version *v = beam_versions();
#if defined(KEIKO_X86)
    simd now = cpu_simd();
    if (!v->usable() || now < SIMD_AVX512) v++;
    if (v == beam_versions() + 1 && (!v->usable() || now < SIMD_AVX2)) v++;
#endif
    atomic_store_explicit(&chosen, v, memory_order_relaxed);
}

static const beam_version *version(void)
{
    const beam_version *v = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (v != NULL) return v;
    puyo_beam_pick_version();
    return atomic_load_explicit(&chosen, memory_order_relaxed);
}

puyo_value puyo_evaluate(const py_field *f, const puyo_weights *w, int colours)
{
    return version()->eval(f, w, colours);
}

puyo_potential puyo_potential_of(const py_field *f, unsigned columns, int colours)
{
    return version()->potential(f, columns, colours);
}

// --- memory

struct puyo_beam {
    puyo_beam_settings s;
    pool *threads;       // borrowed
    int n;               // memories, one per thread
    beam_memory *memory; // [n]
    beam_task task[PUYO_BEAM_SAMPLES_MAX];
    uint8_t pairs[PUYO_BEAM_SAMPLES_MAX][PUYO_BEAM_DEPTH_MAX];
    puyo_beam_limits limits;
    beam_halt halt;
};

static void memory_free(beam_memory *m)
{
    FREE_ALL(m->nodes[0], m->nodes[1], m->heap, m->seen);
}

static bool memory_make(beam_memory *m, int width)
{
    size_t n = (size_t)width < PY_MAX_LEGAL ? PY_MAX_LEGAL : (size_t)width, entries = 1024;
    while (entries < 2 * PY_MAX_LEGAL * n) entries *= 2; // a layer has at most 22 children per node
    m->nodes[0] = calloc(n, sizeof(beam_node));
    m->nodes[1] = calloc(n, sizeof(beam_node));
    m->heap = calloc(n, sizeof(beam_slot));
    m->seen = calloc(entries, sizeof(beam_seen));
    m->mask = (uint32_t)(entries - 1);
    return m->nodes[0] != NULL && m->nodes[1] != NULL && m->heap != NULL && m->seen != NULL;
}

puyo_beam *puyo_beam_new(const puyo_beam_settings *s, pool *threads)
{
    puyo_beam *b = calloc(1, sizeof *b);
    if (b == NULL) return NULL;
    b->s = *s;
    b->threads = threads;
    b->n = pool_threads(threads);
    b->memory = calloc((size_t)b->n, sizeof *b->memory);
    bool ok = b->memory != NULL;
    for (int i = 0; ok && i < b->n; i++) ok = memory_make(&b->memory[i], s->width);
    if (ok) return b;
    puyo_beam_free(b);
    return NULL;
}

void puyo_beam_free(puyo_beam *b)
{
    if (b == NULL) return;
    for (int i = 0; b->memory != NULL && i < b->n; i++) memory_free(&b->memory[i]);
    free(b->memory);
    free(b);
}

void puyo_beam_rules(puyo_beam *b, int colours, bool reach, int lose)
{
    b->s.colours = colours;
    b->s.reach = reach;
    b->s.lose = lose;
}

void puyo_beam_weigh(puyo_beam *b, const puyo_weights *w)
{
    b->s.weights = *w;
}

void puyo_beam_limit(puyo_beam *b, puyo_beam_limits l)
{
    b->limits = l;
}

// --- futures

// Colours drawn from a bag that holds each once: what comes is as balanced as the arcade's sequence nearly is in the long run,
// which makes few futures stand for many.
static void draw_balanced(uint8_t *pairs, int from, int depth, int colours, rng *r)
{
    uint32_t bag[PY_CODES];
    int left = 0;
    for (int i = from; i < depth; i++) {
        uint32_t two[2];
        for (int k = 0; k < 2; k++) {
            if (left == 0) {
                for (int c = 0; c < colours; c++) bag[c] = (uint32_t)(PY_RED + c);
                rng_shuffle_u32(r, bag, colours);
                left = colours;
            }
            two[k] = bag[--left];
        }
        pairs[i] = py_pair((int)two[0], (int)two[1]);
    }
}

static void draw_independent(uint8_t *pairs, int from, int depth, int colours, rng *r)
{
    for (int i = from; i < depth; i++) {
        int a = PY_RED + (int)rng_below(r, (uint32_t)colours), b = PY_RED + (int)rng_below(r, (uint32_t)colours);
        pairs[i] = py_pair(a, b);
    }
}

// --- searching

static void search_one(void *ctx, int task, int worker)
{
    puyo_beam *b = ctx;
    beam_task *t = &b->task[task];
    t->asks = worker == 0;
    if (task > 0 && beam_halted(t)) return; // the first one always has an answer
    version()->run(&b->memory[worker], t);
    t->done = true;
}

typedef struct tally { // over the futures searched so far
    int futures;
    int64_t best[PY_MOVES];
    beam_task first; // what does not depend on the future
    uint64_t nodes;
} tally;

static void search_futures(puyo_beam *b, const py_field *f, const uint8_t *seen, int n, int depth, int count, rng *r,
                           tally *all)
{
    bool crowded = py_count(f) >= b->s.full;
    int known = n < depth ? n : depth;
    for (int i = 0; i < count; i++) {
        memcpy(b->pairs[i], seen, (size_t)known);
        (crowded && !b->s.balanced ? draw_independent : draw_balanced)(b->pairs[i], known, depth, b->s.colours, r);
        b->task[i] =
            (beam_task){.s = &b->s, .field = f, .pairs = b->pairs[i], .depth = depth, .known = known, .halt = &b->halt};
    }
    pool_run(b->threads, count, search_one, b);
    if (all->futures == 0) all->first = b->task[0];
    for (int i = 0; i < count; i++) {
        if (!b->task[i].done) continue;
        all->futures++;
        all->nodes += b->task[i].nodes;
        for (int m = 0; m < PY_MOVES; m++) all->best[m] += b->task[i].best[m];
    }
}

static void pick(const puyo_beam_settings *s, const tally *all, bool crowded, puyo_beam_result *out)
{
    double best = -1;
    const beam_task *t = &all->first;
    *out = (puyo_beam_result){.move = -1, .futures = all->futures, .nodes = all->nodes};
    for (int m = 0; m < PY_MOVES; m++) {
        out->value[m] = t->best[m] < 0 ? -1.0 : (double)all->best[m] / all->futures;
        // Each future is searched as if it were known, so what is hoped for is too much.
        double worth = t->fires[m] >= s->prune ? out->value[m] : out->value[m] * s->patience / 100;
        if (crowded) worth += t->sure[m] * (s->grip / 100.0);
        out->worth[m] = out->value[m] < 0 ? -1 : worth;
        if (out->value[m] < 0 || worth < best) continue;
        if (worth == best && t->score[m] <= t->score[out->move]) continue; // equals: the better field
        best = worth, out->move = m;
    }
    if (out->move >= 0) out->fires = t->fires[out->move];
}

void puyo_beam_search(puyo_beam *b, const py_field *f, const uint8_t *seen, int n, int depth, rng *r,
                      puyo_beam_result *out)
{
    if (depth <= 0 || depth > b->s.depth) depth = b->s.depth;
    bool crowded = py_count(f) >= b->s.full;
    int samples = crowded && b->s.late > b->s.samples ? b->s.late : b->s.samples;
    if (n >= depth) samples = 1; // nothing to draw: one future is all there is
    double start = b->limits.seconds > 0 ? clock_seconds() : 0;
    tally all = {0};
    b->halt.stop = b->limits.stop;
    atomic_store_explicit(&b->halt.now, false, memory_order_relaxed);
    // With a time limit in rounds: the first is as large as there are threads.
    int round = b->limits.seconds > 0 && b->n < samples ? b->n : samples;
    for (;;) {
        search_futures(b, f, seen, n, depth, round, r, &all);
        if (atomic_load_explicit(&b->halt.now, memory_order_relaxed)) break;
        if (b->limits.seconds <= 0 || n >= depth || all.futures >= FUTURES_MAX) break;
        double used = clock_seconds() - start, each = used / all.futures;
        double more = (b->limits.seconds - used) / each;
        if (more < round) break;
        round = more >= PUYO_BEAM_SAMPLES_MAX ? PUYO_BEAM_SAMPLES_MAX : (int)more / b->n * b->n;
    }
    pick(&b->s, &all, crowded, out);
}

// --- what is there to fire

int puyo_best_available(const py_field *f, const uint8_t *pairs, int n, bool reach, int lose, int *links)
{
    int best = 0, longest = 0;
    for (uint32_t mask = py_legal_mask(f, pairs[0], reach, lose); mask != 0; mask &= mask - 1) {
        py_field next = *f;
        py_place(&next, __builtin_ctz(mask), pairs[0]);
        py_chain_result c = py_chain(&next);
        int after = 0, points = c.score, deep = c.links;
        if (n > 1 && !py_buried(&next, lose))
            after = puyo_best_available(&next, pairs + 1, n - 1, reach, lose, links == NULL ? NULL : links);
        if (after > points) {
            points = after;
            deep = links == NULL ? 0 : *links;
        }
        if (points > best) best = points, longest = deep;
    }
    if (links != NULL) *links = longest;
    return best;
}
