// The largest chain that any pair could fire, and where one puyo fires any: inline, for the instruction set of the file
// that includes it.
//
// Eleven places (six columns, five pairs of neighbours) times all colours twice are 176 fields, and most of them pop
// nothing. So the colours of the second puyo lie side by side in the lanes of one register, one look at the joins says which
// fields pop, and only those run their chains, again several to a register.
#ifndef KEIKO_SEARCH_PUYO_PUYO_POTENTIAL_KERNEL_H
#define KEIKO_SEARCH_PUYO_PUYO_POTENTIAL_KERNEL_H

#include "search/puyo/puyo_eval_kernel.h"
#include "search/puyo/puyo_terms.h"

enum { PP_PLACES = 11, PP_MOST = PP_PLACES * 5 * 5 };

typedef struct pp_place {
    py_bits first, second; // the cells of the two puyos; empty where a puyo would vanish above row 13
} pp_place;

typedef struct pp_candidate {
    uint8_t place, a, b; // colours from 0
} pp_candidate;

PY_INLINE py_bits pp_cell(int col, int row0)
{
    uint64_t w[2] = {0, 0};
    if (row0 < PY_GHOST) w[col >> 2] = 1ull << ((col & 3) * 16 + row0);
    return pb_load(w);
}

PY_INLINE int pp_places(const int h[PY_COLS], unsigned columns, pp_place out[PP_PLACES])
{
    int n = 0;
    for (int c = 0; c < PY_COLS; c++) {
        if ((columns >> c & 1) == 0) continue;
        out[n++] = (pp_place){pp_cell(c, h[c]), pp_cell(c, h[c] + 1)};
        if (columns >> (c + 1) & 1) out[n++] = (pp_place){pp_cell(c, h[c]), pp_cell(c + 1, h[c + 1])};
    }
    return n;
}

// The fields that pop at once.
PY_INLINE int pp_candidates(py_vec v, const pp_place *place, int places, int colours, pp_candidate *out)
{
    int n = 0;
    for (int k = 0; k < places; k++)
        for (int a = 0; a < colours; a++) {
            pw with[3], second = pw_all(place[k].second);
            for (int i = 0; i < 3; i++) with[i] = pw_all(pb_and_or(place[k].first, pb_load(pe_plane_of[i][a]), v.p[i]));
            for (int b = 0; b < colours; b += PW_LANES) {
                pw_field f;
                for (int i = 0; i < 3; i++) f.p[i] = pw_and_or(second, pw_load(pe_plane_of[i][b]), with[i]);
                uint32_t hit = pw_columns_hit(pw_find_joins(f).core);
                for (int l = 0; hit != 0 && l < PW_LANES && b + l < colours; l++)
                    if (hit >> 8 * l & 0xff) out[n++] = (pp_candidate){(uint8_t)k, (uint8_t)a, (uint8_t)(b + l)};
            }
        }
    return n;
}

// Columns where a puyo of some colour makes a group of four at the cell it comes to rest on.
PY_INLINE int pp_triggers(py_vec v, const int h[PY_COLS], unsigned columns, int colours)
{
    uint64_t cell[2] = {0, 0};
    uint32_t any = 0;
    for (int c = 0; c < PY_COLS; c++)
        if ((columns >> c & 1) != 0 && h[c] < PY_ROWS) cell[c >> 2] |= 1ull << ((c & 3) * 16 + h[c]);
    pw p[3], land = pw_all(pb_load(cell));
    for (int i = 0; i < 3; i++) p[i] = pw_all(v.p[i]);
    for (int c = 0; c < colours; c += PW_LANES) {
        uint32_t hit[3];
        pw m = pw_column(PY_ROWS_12);
        for (int i = 0; i < 3; i++) m = pw_same(m, p[i], pw_load(pe_plane_of[i][c]));
        pe_hits(m, land, hit);
        for (int l = 0; l < PW_LANES && c + l < colours; l++) any |= hit[0] >> 8 * l & 0xff;
    }
    return __builtin_popcount(any);
}

PY_INLINE puyo_potential pp_potential(const py_field *f, unsigned columns, int colours)
{
    py_vec v = pk_load(f);
    pp_place place[PP_PLACES];
    pp_candidate list[PP_MOST + 4];
    int h[PY_COLS], best = 0;
    bool nuisance = pk_has_nuisance(v);
    py_heights(f, h);
    int n = pp_candidates(v, place, pp_places(h, columns, place), colours, list);
    for (int i = 0; i < PW_LANES && n > 0; i++) list[n + i] = list[0]; // fills the last register
    for (int at = 0; at < n; at += PW_LANES) {
        py_bits plane[3][PW_LANES];
        int links[PW_LANES];
        pw_joins last;
        for (int i = 0; i < PW_LANES; i++) {
            const pp_place *k = &place[list[at + i].place];
            for (int p = 0; p < 3; p++) {
                py_bits one = pb_and_or(k->first, pb_load(pe_plane_of[p][list[at + i].a]), v.p[p]);
                plane[p][i] = pb_and_or(k->second, pb_load(pe_plane_of[p][list[at + i].b]), one);
            }
        }
        pw_chain((pw_field){{pw_join(plane[0]), pw_join(plane[1]), pw_join(plane[2])}}, nuisance, links, &last);
        for (int i = 0; i < PW_LANES; i++)
            if (links[i] > best) best = links[i];
    }
    return (puyo_potential){best, pp_triggers(v, h, columns, colours)};
}

#define PUYO_POTENTIAL_DEFINE(NAME)                                                                                    \
    puyo_potential NAME(const py_field *f, unsigned columns, int colours)                                              \
    {                                                                                                                  \
        return pp_potential(f, columns, colours);                                                                      \
    }

#endif
