// Chains for this machine: the baseline version of the kernel, the score tables, and the choice among the versions.
#include "games/puyo/puyo_kernel.h"

#include <string.h>

const uint16_t py_chain_power[32] = {0,   0,   8,   16,  32,  64,  96,  128, 160, 192, 224, 256, 288, 320, 352, 384,
                                     416, 448, 480, 512, 512, 512, 512, 512, 512, 512, 512, 512, 512, 512, 512, 512};
const uint8_t py_colour_bonus[8] = {0, 0, 3, 6, 12, 24, 24, 24};
#define TENS 10, 10, 10, 10, 10, 10, 10, 10, 10, 10
const uint8_t py_group_bonus[80] = {0,    0,    0,    0,    0,    2,   3,  4,  5,  6,
                                    7,    10,   10,   10,   10,   10,  10, 10, 10, 10, // to 19
                                    TENS, TENS, TENS, TENS, TENS, TENS};

// --- several groups at once

// Grows the lowest cell of `m` to its group, takes the group out of `m` and returns its size.
static int take_group(py_bits *m)
{
    uint64_t w[2];
    pb_store(w, *m);
    uint64_t seed[2] = {w[0] & (0 - w[0]), w[0] != 0 ? 0 : w[1] & (0 - w[1])};
    py_bits group = pb_load(seed), grown = group;
    do {
        group = grown;
        grown = pb_and(pb_or3(pb_or3(group, pb_up(group), pb_down(group)), pb_left(group), pb_right(group)), *m);
    } while (!pb_none(pb_xor(grown, group)));
    *m = pb_without(*m, group);
    return pb_count(group);
}

int py_groups_bonus(const py_field *popping)
{
    py_vec v = pk_load(popping);
    int colours = 0, bonus = 0;
    py_bits coloured = pb_or(v.p[1], v.p[2]);
    for (int code = PY_RED; code < PY_CODES; code++) {
        py_bits m = coloured;
        for (int i = 0; i < 3; i++) m = code >> i & 1 ? pb_and(m, v.p[i]) : pb_without(m, v.p[i]);
        int n = pb_count(m);
        if (n == 0) continue;
        colours++;
        if (n <= 7) // one group: two would be eight
            bonus += py_group_bonus[n];
        else
            while (!pb_none(m)) bonus += py_group_bonus[take_group(&m)];
    }
    return bonus + py_colour_bonus[colours];
}

// --- the versions

static py_chain_result chain_base(py_field *f);
static int links_base(py_field *f);
PY_DEFINE_CHAIN(chain_base, links_base)

py_chain_result py_chain_portable(py_field *f);
int py_links_portable(py_field *f);
#if defined(KEIKO_X86)
py_chain_result py_chain_avx512(py_field *f);
int py_links_avx512(py_field *f);
py_chain_result py_chain_bitalg(py_field *f);
int py_links_bitalg(py_field *f);
#endif

static bool always(void)
{
    return true;
}

#if defined(KEIKO_X86)
static bool has_avx512(void)
{
    return cpu_simd_best() >= SIMD_AVX512;
}

static bool has_bitalg(void)
{
    return has_avx512() && __builtin_cpu_supports("avx512bitalg");
}
#endif

const py_version *py_versions(void)
{
    static const py_version list[] = {
#if defined(KEIKO_X86)
        {"bitalg", py_chain_bitalg, py_links_bitalg, has_bitalg},
        {"avx512", py_chain_avx512, py_links_avx512, has_avx512},
        {"sse", chain_base, links_base, always},
#endif
        {"portable", py_chain_portable, py_links_portable, always},
        {NULL, NULL, NULL, NULL},
    };
    return list;
}

void py_pick_version(void)
{
    py_chain_fn chain = chain_base;
    py_links_fn links = links_base;
#if defined(KEIKO_X86)
    if (cpu_simd() >= SIMD_AVX512) {
        chain = has_bitalg() ? py_chain_bitalg : py_chain_avx512;
        links = has_bitalg() ? py_links_bitalg : py_links_avx512;
    }
#endif
    atomic_store_explicit(&py_chain_best, chain, memory_order_relaxed);
    atomic_store_explicit(&py_links_best, links, memory_order_relaxed);
}

static py_chain_result chain_first(py_field *f)
{
    py_pick_version();
    return py_chain(f);
}

static int links_first(py_field *f)
{
    py_pick_version();
    return py_links(f);
}

_Atomic(py_chain_fn) py_chain_best = chain_first;
_Atomic(py_links_fn) py_links_best = links_first;

bool py_link(py_field *f, int link, py_link_info *out)
{
    py_vec v = pk_load(f);
    py_joins j = pk_joins(v);
    if (pb_none(j.core)) return false;
    py_bits pop = pk_popping(j);
    for (int i = 0; i < 3; i++) pb_store(out->popped.plane[i], pb_and(v.p[i], pop));
    out->cleared = pb_count(pop);
    out->score = pk_link_score(v, pop, link < 31 ? link : 31);
    pk_store(f, pk_fall(v, pk_erased(v, pop), &out->drop));
    out->frames = pk_link_frames(out->drop);
    return true;
}
