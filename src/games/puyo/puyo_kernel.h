// The chain kernel: how a field resolves, as inline functions for the instruction set of the file that includes it.
//
// The idea: connections are found for all colours at once instead of one mask a colour. A cell is joined to a neighbour
// when all three code planes agree and the code is a colour. From the four masks of joins (up, down, left, right) the
// popping cells follow without a flood fill. Call a cell a core when it has three joins or more, or two joins and a
// neighbour among them that has two as well. Then every cell of a group of four or more is a core or joined to one, and
// a group of three or fewer has no core.
//
// Falling cuts out the lowest run of erased cells of every column with one shift by a different amount a column. Nearly
// always each column has one run, so one pass does; else the passes repeat. Nothing leaves the vector registers, and the
// time of a chain is the latency of the dependent instructions of its links: some 23 cycles a link with AVX-512.
//
// What public simulators do instead makes that path longer: a colour a lane of a wide register, whose lanes must be joined
// and spread again for every link, and pext and pdep on 64-bit halves, which need a trip to the integer registers and back.
#ifndef KEIKO_GAMES_PUYO_PUYO_KERNEL_H
#define KEIKO_GAMES_PUYO_PUYO_KERNEL_H

#include "games/puyo/puyo.h"
#include "games/puyo/puyo_bits.h"

typedef struct py_vec {
    py_bits p[3];
} py_vec;

typedef struct py_joins {
    py_bits up, down, left, right, core; // no core: nothing pops
} py_joins;

enum { PY_ROWS_12 = 0x0fff, PY_ROWS_11 = 0x07ff };

PY_INLINE py_vec pk_load(const py_field *f)
{
    return (py_vec){{pb_load(f->plane[0]), pb_load(f->plane[1]), pb_load(f->plane[2])}};
}

PY_INLINE void pk_store(py_field *f, py_vec v)
{
    for (int i = 0; i < 3; i++) pb_store(f->plane[i], v.p[i]);
}

// The order of the operations is that of their depth: each line waits for the one before it only.
PY_INLINE py_joins pk_joins(py_vec v)
{
    py_bits up = pb_or_and(v.p[1], v.p[2], pb_column(PY_ROWS_11)); // coloured, with the cell above still in play
    py_bits right = pb_or_and(v.p[1], v.p[2], pb_column(PY_ROWS_12));
    for (int i = 2; i >= 0; i--) {
        up = pb_same(up, v.p[i], pb_down(v.p[i]));
        right = pb_same(right, v.p[i], pb_left(v.p[i]));
    }
    py_joins j = {.up = up, .right = right, .down = pb_up(up), .left = pb_right(right)};
    py_bits one = pb_or3(up, right, j.down), two = pb_two(up, right, j.down), three = pb_and3(up, right, j.down);
    py_bits twos = pb_and_or(one, j.left, two), threes = pb_and_or(two, j.left, three); // joins at least
    py_bits a = pb_and_or(up, pb_down(twos), threes), b = pb_and(right, pb_left(twos));
    a = pb_and_or(j.down, pb_up(twos), a);
    b = pb_and_or(j.left, pb_right(twos), b);
    j.core = pb_or_and(a, b, twos);
    return j;
}

PY_INLINE py_bits pk_popping(py_joins j)
{
    py_bits a = pb_and_or(j.up, pb_down(j.core), j.core), b = pb_and(j.right, pb_left(j.core));
    a = pb_and_or(j.down, pb_up(j.core), a);
    b = pb_and_or(j.left, pb_right(j.core), b);
    return pb_or(a, b);
}

// The popping cells and the nuisance beside them; nuisance in the ghost row stays.
PY_INLINE py_bits pk_erased(py_vec v, py_bits pop)
{
    py_bits nuisance = pb_without(pb_and(v.p[0], pb_column(PY_ROWS_12)), pb_or(v.p[1], v.p[2]));
    py_bits near = pb_or3(pb_up(pop), pb_down(pop), pb_left(pop));
    return pb_or(pop, pb_or_and(near, pb_right(pop), nuisance));
}

PY_INLINE py_bits pk_occupied(py_vec v)
{
    return pb_or3(v.p[0], v.p[1], v.p[2]);
}

// The general case of pk_fall: a column may have several runs, cut out from the lowest up.
PY_INLINE py_vec pk_fall_runs(py_vec v, py_bits erased, int *drop)
{
    py_bits rows = pb_column(0);
    for (int i = 0; i < 3; i++) v.p[i] = pb_without(v.p[i], erased); // so that what is above a run is what falls
    while (!pb_none(erased)) {
        py_bits low = pb_lowest(erased), sum = pb_plus(erased, low), below = pb_minus(low, pb_column(1));
        py_bits n = pb_column_counts(pb_without(erased, sum)), fall = pb_fall(n);
        for (int i = 0; i < 3; i++) v.p[i] = pb_pick(below, v.p[i], pb_fallen(v.p[i], fall));
        rows = pb_plus(rows, pb_counts_where(n, pb_without(pk_occupied(v), below)));
        py_bits rest = pb_and(erased, sum);
        erased = pb_pick(below, rest, pb_fallen(rest, fall));
    }
    if (drop != NULL) *drop = pb_largest(rows);
    return v;
}

// Cuts the erased cells out. With `drop`, the longest fall of any puyo goes there, 0 when none fell.
PY_INLINE py_vec pk_fall(py_vec v, py_bits erased, int *drop)
{
    py_bits low = pb_lowest(erased), sum = pb_plus(erased, low); // the carry runs to the cell above the lowest run
    if (__builtin_expect(!pb_disjoint(erased, sum), 0)) return pk_fall_runs(v, erased, drop);
    py_bits below = pb_minus(low, pb_column(1)), n = pb_column_counts(erased), fall = pb_fall(n);
    for (int i = 0; i < 3; i++) v.p[i] = pb_pick(below, v.p[i], pb_fallen(v.p[i], fall));
    if (drop != NULL) *drop = pb_largest(pb_counts_where(n, pb_without(pk_occupied(v), below)));
    return v;
}

PY_INLINE int pk_link_score(py_vec v, py_bits pop, int link)
{
    int n = pb_count(pop), bonus = py_chain_power[link];
    if (__builtin_expect(n <= 7, 1)) { // one group: two would be eight
        bonus += py_group_bonus[n];
    } else {
        py_field popping;
        for (int i = 0; i < 3; i++) pb_store(popping.plane[i], pb_and(v.p[i], pop));
        bonus += py_groups_bonus(&popping);
    }
    return 10 * n * (bonus < 1 ? 1 : bonus > 999 ? 999 : bonus);
}

PY_INLINE int pk_link_frames(int drop)
{
    return drop > 0 ? PY_VANISH + 2 * drop + PY_GROUNDING : PY_VANISH;
}

// The whole chain from a field whose first cores are known. The flags are constants where this is inlined.
PY_INLINE py_chain_result pk_run(py_field *f, py_vec v, py_joins j, bool nuisance, bool scored)
{
    py_chain_result r = {0, 0, 0};
    do {
        py_bits pop = pk_popping(j), erased = nuisance ? pk_erased(v, pop) : pop;
        int drop;
        r.links++;
        if (scored) r.score += pk_link_score(v, pop, r.links);
        v = pk_fall(v, erased, scored ? &drop : NULL);
        if (scored) r.frames += pk_link_frames(drop);
        j = pk_joins(v);
    } while (!pb_none(j.core));
    pk_store(f, v);
    return r;
}

PY_INLINE bool pk_has_nuisance(py_vec v)
{
    return !pb_none(pb_without(v.p[0], pb_or(v.p[1], v.p[2])));
}

PY_INLINE py_chain_result pk_chain_any(py_field *f, py_vec v, py_joins j, bool scored)
{
    return pk_has_nuisance(v) ? pk_run(f, v, j, true, scored) : pk_run(f, v, j, false, scored);
}

// Defines CHAIN and LINKS for this file's instruction set. Most fields that a search asks about do not pop at all, so
// the loop is kept out of line: then the common answer needs no stack frame.
#define PY_DEFINE_CHAIN(CHAIN, LINKS)                                                                                  \
    static __attribute__((noinline))                                                                                   \
    py_chain_result CHAIN##_run(py_field *f, py_bits p0, py_bits p1, py_bits p2, py_bits up, py_bits down,             \
                                py_bits left, py_bits right, py_bits core)                                             \
    {                                                                                                                  \
        return pk_chain_any(f, (py_vec){{p0, p1, p2}}, (py_joins){up, down, left, right, core}, true);                 \
    }                                                                                                                  \
    static __attribute__((noinline)) int LINKS##_run(py_field *f, py_bits p0, py_bits p1, py_bits p2, py_bits up,      \
                                                     py_bits down, py_bits left, py_bits right, py_bits core)          \
    {                                                                                                                  \
        return pk_chain_any(f, (py_vec){{p0, p1, p2}}, (py_joins){up, down, left, right, core}, false).links;          \
    }                                                                                                                  \
    py_chain_result CHAIN(py_field *f)                                                                                 \
    {                                                                                                                  \
        py_vec v = pk_load(f);                                                                                         \
        py_joins j = pk_joins(v);                                                                                      \
        if (pb_none(j.core)) return (py_chain_result){0, 0, 0};                                                        \
        return CHAIN##_run(f, v.p[0], v.p[1], v.p[2], j.up, j.down, j.left, j.right, j.core);                          \
    }                                                                                                                  \
    int LINKS(py_field *f)                                                                                             \
    {                                                                                                                  \
        py_vec v = pk_load(f);                                                                                         \
        py_joins j = pk_joins(v);                                                                                      \
        if (pb_none(j.core)) return 0;                                                                                 \
        return LINKS##_run(f, v.p[0], v.p[1], v.p[2], j.up, j.down, j.left, j.right, j.core);                          \
    }

#endif
