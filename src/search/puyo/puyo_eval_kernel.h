// The evaluation of puyo_eval.h as inline functions for the instruction set of the file that includes it.
//
// Triggers are found for all columns and several colours at once. Around the cell where a puyo would land lie at most
// three neighbours; k puyos of a colour make a group of four exactly when k plus the sizes of the groups they touch is
// four or more. Groups that touch and are not of three or more are pairs or single puyos and all distinct, so counting
// neighbours, and neighbours that are in a pair, decides it without a flood fill.
#ifndef KEIKO_SEARCH_PUYO_PUYO_EVAL_KERNEL_H
#define KEIKO_SEARCH_PUYO_PUYO_EVAL_KERNEL_H

#include "search/puyo/puyo_eval.h"
#include "search/puyo/puyo_wide.h"

enum { PE_TRIGGERS = 32 }; // six columns, five colours

typedef struct pe_trigger {
    uint8_t column, needs, colour;
} pe_trigger;

// Plane i of lane l is all ones where colour PY_RED + l has bit i. Codes above purple stand for colours that no field has.
static const uint64_t pe_plane_of[3][8][2] = {
    {{0, 0}, {~0ull, ~0ull}, {0, 0}, {~0ull, ~0ull}, {0, 0}, {~0ull, ~0ull}, {~0ull, ~0ull}, {~0ull, ~0ull}},
    {{~0ull, ~0ull}, {~0ull, ~0ull}, {0, 0}, {0, 0}, {~0ull, ~0ull}, {~0ull, ~0ull}, {~0ull, ~0ull}, {~0ull, ~0ull}},
    {{0, 0}, {0, 0}, {~0ull, ~0ull}, {~0ull, ~0ull}, {~0ull, ~0ull}, {~0ull, ~0ull}, {~0ull, ~0ull}, {~0ull, ~0ull}},
};

// The lowest empty cell of every column that can be reached over columns of at most 11, as far as it is in play.
PY_INLINE py_bits pe_landing(const int h[PY_COLS])
{
    uint64_t cell[2] = {0, 0};
    for (int c = PY_SPAWN; c < PY_COLS && h[c] < PY_ROWS; c++) cell[c >> 2] |= 1ull << ((c & 3) * 16 + h[c]);
    for (int c = PY_SPAWN - 1; c >= 0 && h[c] < PY_ROWS; c--) cell[0] |= 1ull << (c * 16 + h[c]);
    return pb_load(cell);
}

// Where one, two or three puyos of the lane's colour make a group: at the landing cells, the fewest only.
PY_INLINE void pe_hits(pw m, pw land, uint32_t hit[3])
{
    pw up = pw_and(m, pw_down(m)), right = pw_and(m, pw_left(m)), down = pw_up(up), left = pw_right(right);
    pw pairs = pw_or(pw_or3(up, down, left), right);
    pw one = pw_or3(up, right, down), two = pw_two(up, right, down), bent = pw_and_or(one, left, two);
    pw big = pw_or3(pw_and_or(up, pw_down(bent), bent), pw_and(down, pw_up(bent)), pw_and(right, pw_left(bent)));
    big = pw_and_or(left, pw_right(bent), big); // in a group of three or more: all near a cell with two joins

    pw l = pw_right(m), r = pw_left(m), b = pw_up(m); // neighbours of a cell: left, right, below
    pw l2 = pw_right(pairs), r2 = pw_left(pairs), b2 = pw_up(pairs);
    pw any = pw_or3(l, r, b), some2 = pw_two(l, r, b), all3 = pw_and3(l, r, b);
    pw in_pair = pw_or3(l2, r2, b2), in_big = pw_or3(pw_right(big), pw_left(big), pw_up(big));
    pw t1 = pw_and(pw_or3(in_big, all3, pw_and(some2, in_pair)), land);

    pw sides = pw_or(l, r), both = pw_and(l, r), upper = pw_down(sides), upper_both = pw_down(both);
    pw t2 = pw_or3(in_pair, pw_down(pw_or(l2, r2)), pw_or3(some2, upper_both, pw_and(any, upper)));
    t2 = pw_without(pw_and3(t2, land, pw_column(PY_ROWS_11)), t1);
    pw t3 = pw_and3(pw_or3(any, upper, pw_down(upper)), land, pw_column(PY_ROWS_11 >> 1));
    t3 = pw_without(t3, pw_or(t1, t2));
    hit[0] = pw_columns_hit(t1);
    hit[1] = pw_columns_hit(t2);
    hit[2] = pw_columns_hit(t3);
}

PY_INLINE int pe_triggers(py_vec v, py_bits landing, int colours, pe_trigger *out)
{
    pw p[3], land = pw_all(landing);
    int n = 0;
    for (int i = 0; i < 3; i++) p[i] = pw_all(v.p[i]);
    for (int c = 0; c < colours; c += PW_LANES) {
        uint32_t hit[3];
        pw m = pw_column(PY_ROWS_12);
        for (int i = 0; i < 3; i++) m = pw_same(m, p[i], pw_load(pe_plane_of[i][c]));
        pe_hits(m, land, hit);
        for (int k = 0; k < 3; k++)
            for (uint32_t bits = hit[k]; bits != 0; bits &= bits - 1) {
                int at = __builtin_ctz(bits);
                out[n++] = (pe_trigger){(uint8_t)(at & 7), (uint8_t)(k + 1), (uint8_t)(PY_RED + c + (at >> 3))};
            }
    }
    return n;
}

// --- the surface

// Heights as eight bytes, the last two higher than anything.
PY_INLINE uint64_t pe_height_bytes(const int h[PY_COLS])
{
    uint64_t all = 0x7f7f000000000000u;
    for (int c = 0; c < PY_COLS; c++) all |= (uint64_t)(unsigned)h[c] << 8 * c;
    return all;
}

// Columns in one piece beside x, of those in `m`.
PY_INLINE int pe_run(uint32_t m, int x)
{
    return __builtin_ctz(~(m >> (x + 1))) + __builtin_clzll(~((uint64_t)m << (63 - x) << 1));
}

// How far to both sides the columns are no higher, lower ones counting twice: where the chain can be extended from.
PY_INLINE int pe_room(uint64_t heights, int hx, int x)
{
    const uint64_t each = 0x0101010101010101u, top = each << 7, gather = 0x0102040810204080u;
    uint64_t own = (uint64_t)(unsigned)hx * each | top, no_higher = (own - heights) & top;
    uint64_t lower = (own - each - heights) & top;
    return pe_run((uint32_t)((no_higher >> 7) * gather >> 56), x) + pe_run((uint32_t)((lower >> 7) * gather >> 56), x);
}

PY_INLINE int pe_abs(int a)
{
    return a < 0 ? -a : a;
}

PY_INLINE int pe_surface(const int h[PY_COLS], const puyo_weights *w)
{
    int sum = h[0] + h[1] + h[2] + h[3] + h[4] + h[5], mean = sum / 6, shape = 0, well = 0, bump = 0, ghost = 0;
    for (int c = 0; c < PY_COLS; c++) {
        shape += pe_abs(h[c] - mean - (c < 3 ? 1 : -1));
        ghost += h[c] > PY_ROWS;
        int a = c > 0 ? h[c - 1] : 99, b = c < PY_COLS - 1 ? h[c + 1] : 99, low = a < b ? a : b, high = a > b ? a : b;
        well += low > h[c] ? low - h[c] : 0;
        bump += high < h[c] ? h[c] - high : 0;
    }
    return shape * w->shape + well * w->well + bump * w->bump + ghost * w->ghost;
}

// --- all of it

static const uint64_t pe_column_of[PY_COLS][2] = {
    {0xffffull, 0},       {0xffffull << 16, 0}, {0xffffull << 32, 0},
    {0xffffull << 48, 0}, {0, 0xffffull},       {0, 0xffffull << 16},
};

typedef struct pe_ground {
    py_vec v;
    bool nuisance;
    int h[PY_COLS];
    uint64_t heights;
    py_bits stack[4]; // the lowest k empty cells of every column
} pe_ground;

// An order of equals, since the order in which triggers are found depends on the lanes.
PY_INLINE bool pe_before(const puyo_value *a, const puyo_value *b)
{
    if (a->links != b->links) return a->links > b->links;
    if (a->needs != b->needs) return a->needs < b->needs;
    return a->column != b->column ? a->column < b->column : a->colour < b->colour;
}

// Runs the chains of the first PW_LANES of n triggers and keeps the best.
PY_INLINE void pe_try(const pe_ground *g, const pe_trigger *t, int n, const puyo_weights *w, puyo_value *best)
{
    py_bits plane[3][PW_LANES];
    int links[PW_LANES], ups[PW_LANES], rights[PW_LANES], threes[PW_LANES];
    pw_joins last;
    for (int i = 0; i < PW_LANES; i++) {
        py_bits cells = pb_and(g->stack[t[i].needs], pb_load(pe_column_of[t[i].column]));
        for (int p = 0; p < 3; p++)
            plane[p][i] = pb_and_or(cells, pb_load(pe_plane_of[p][t[i].colour - PY_RED]), g->v.p[p]);
    }
    pw_field f = {{pw_join(plane[0]), pw_join(plane[1]), pw_join(plane[2])}};
    pw_chain(f, g->nuisance, links, &last);
    pw_counts(last.up, ups);
    pw_counts(last.right, rights);
    pw_counts(last.twos, threes);
    for (int i = 0; i < PW_LANES && i < n; i++) {
        if (links[i] < 2) continue;
        int x = t[i].column, pairs = ups[i] + rights[i] - 2 * threes[i]; // a pair has one join, a three has two
        int score = links[i] * w->chain + g->h[x] * w->height + t[i].needs * w->key +
                    pe_room(g->heights, g->h[x], x) * w->room + pairs * w->rest2 + threes[i] * w->rest3;
        puyo_value v = {score, links[i], x, t[i].needs, t[i].colour};
        if (best->links == 0 || score > best->score || (score == best->score && pe_before(&v, best))) *best = v;
    }
}

PY_INLINE puyo_value pe_evaluate(const py_field *f, const puyo_weights *w, int colours)
{
    pe_ground g = {.v = pk_load(f)};
    pe_trigger t[PE_TRIGGERS + PW_LANES];
    puyo_value best = {0, 0, -1, 0, 0};
    py_heights(f, g.h);
    g.heights = pe_height_bytes(g.h);
    g.nuisance = pk_has_nuisance(g.v);
    g.stack[0] = pb_column(0);
    g.stack[1] = pe_landing(g.h);
    g.stack[2] = pb_or(g.stack[1], pb_up(g.stack[1]));
    g.stack[3] = pb_or(g.stack[2], pb_up(g.stack[2]));
    int n = pe_triggers(g.v, g.stack[1], colours, t);
    for (int i = 0; i < PW_LANES; i++) t[n + i] = (pe_trigger){0, 0, PY_RED}; // no puyo: nothing pops in that lane
    for (int i = 0; i < n; i += PW_LANES) pe_try(&g, t + i, n - i, w, &best);
    py_joins j = pk_joins(g.v);
    py_bits twos = pb_or(pb_two(j.up, j.right, j.down), pb_and(pb_or3(j.up, j.right, j.down), j.left));
    int threes = pb_count(twos), pairs = pb_count(j.up) + pb_count(j.right) - 2 * threes;
    best.score += pairs * w->link2 + threes * w->link3 + pe_surface(g.h, w);
    if (g.nuisance) best.score += pb_count(pb_without(g.v.p[0], pb_or(g.v.p[1], g.v.p[2]))) * w->nuisance;
    return best;
}

#endif
