// The 403 tails behind a GTR: enumerated, grouped, and held against a field. See puyo_gtr.h.
//
// Every way to stack twelve puyos in the fifteen cells, four each of three colours up to renaming (19 sets of column
// heights, 5,775 colourings each), is put behind a fold and fired; those that go off as five single groups and leave
// nothing are the tails.
#include "search/puyo/puyo_gtr.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

const uint8_t gtr_tail_cell[GTR_TAIL_CELLS][2] = {
    {2, 1}, {2, 3}, {2, 4}, {3, 1}, {3, 2}, {3, 3}, {3, 4}, {4, 1},
    {4, 2}, {4, 3}, {4, 4}, {5, 1}, {5, 2}, {5, 3}, {5, 4},
};

enum { PUYOS = 12, EACH = 4, KINDS = 3, LINKS = 5 };
static const uint8_t kind_code[KINDS] = {PY_GREEN, PY_BLUE, PY_PURPLE}; // any three that are not the fold's here

static gtr_tail tails[GTR_TAILS];
static gtr_group groups[GTR_GROUPS];
static int n_tails, n_groups;

// By the cells of the first link. Y, L and ト are what players say; the other names describe the shape as it lies.
static const struct {
    uint16_t cells;
    const char *name;
} names[GTR_GROUPS] = {
    {0x0113, "Y"},         {0x1112, "bar"},       {0x001b, "square"}, {0x0017, "ト"},   {0x008b, "L"},
    {0x0033, "step up"},   {0x0116, "high Y"},    {0x000f, "tall L"}, {0x011a, "T"},    {0x0192, "hook down"},
    {0x0312, "hook up"},   {0x001e, "step down"}, {0x009a, "Z"},      {0x0027, "flag"}, {0x0134, "high Z"},
    {0x0324, "high hook"}, {0x0234, "high T"},    {0x003c, "pillar"},
};

// --- enumeration

typedef struct filling {
    uint8_t cell[PUYOS]; // in the order they are filled
    int left[KINDS];     // of each kind, still to be placed
    uint16_t mask[KINDS];
    py_field f;
} filling;

// Fires the fold. True for a tail; `order` is then the sequence in which the kinds pop.
static bool is_tail(const py_field *start, int order[KINDS])
{
    py_field f = *start;
    py_link_info link;
    for (int i = 1; i <= LINKS; i++) {
        if (!py_link(&f, i, &link) || link.cleared != EACH) return false;
        if (i <= LINKS - KINDS) continue;
        for (int k = 0; k < KINDS; k++) {
            bool here = false;
            for (int c = 0; c < PY_COLS && !here; c++)
                for (int r = 1; r <= PY_ROWS && !here; r++) here = py_get(&link.popped, c, r) == kind_code[k];
            if (here) order[i - (LINKS - KINDS) - 1] = k;
        }
    }
    return py_is_empty(&f);
}

static int group_of(uint16_t cells)
{
    for (int i = 0; i < n_groups; i++)
        if (groups[i].cells == cells) return i;
    assert(n_groups < GTR_GROUPS);
    groups[n_groups] = (gtr_group){.cells = cells, .name = "other"};
    for (int i = 0; i < GTR_GROUPS; i++)
        if (names[i].cells == cells) groups[n_groups].name = names[i].name;
    return n_groups++;
}

static void keep_tail(const filling *x, const int order[KINDS])
{
    assert(n_tails < GTR_TAILS);
    gtr_tail *t = &tails[n_tails++];
    for (int i = 0; i < KINDS; i++) t->colour[i] = x->mask[order[i]];
    t->group = (uint8_t)group_of(t->colour[0]);
    groups[t->group].tails++;
}

// Kinds appear in their own order, so that each colouring comes once.
static void fill(filling *x, int i, int used)
{
    int order[KINDS] = {0};
    if (i == PUYOS) {
        if (is_tail(&x->f, order)) keep_tail(x, order);
        return;
    }
    int cell = x->cell[i], col = gtr_tail_cell[cell][0], row = gtr_tail_cell[cell][1];
    for (int k = 0; k < KINDS && k <= used; k++) {
        if (x->left[k] == 0) continue;
        x->left[k]--;
        x->mask[k] |= (uint16_t)(1u << cell);
        py_set(&x->f, col, row, kind_code[k]);
        fill(x, i + 1, used + (k == used));
        x->left[k]++;
        x->mask[k] &= (uint16_t) ~(1u << cell);
    }
    py_set(&x->f, col, row, PY_EMPTY);
}

static void sort_groups(void)
{
    uint8_t to[GTR_GROUPS];
    gtr_group sorted[GTR_GROUPS];
    for (int i = 0; i < n_groups; i++) {
        int at = 0;
        for (int k = 0; k < n_groups; k++)
            at += groups[k].tails > groups[i].tails || (groups[k].tails == groups[i].tails && k < i);
        to[i] = (uint8_t)at;
        sorted[at] = groups[i];
    }
    memcpy(groups, sorted, sizeof groups);
    for (int i = 0; i < n_tails; i++) tails[i].group = to[tails[i].group];
}

static void enumerate(void)
{
    static const uint8_t first[4] = {0, 3, 7, 11}; // cell of each column
    py_field fold = {{{0}}};
    for (int i = 0; i < GTR_CELLS; i++)
        py_set(&fold, gtr_cell[i].col, gtr_cell[i].row, gtr_cell[i].colour == GTR_A ? PY_RED : PY_YELLOW);
    py_set(&fold, 0, 4, PY_RED); // what fires it
    for (int heights = 0; heights < 3 * 125; heights++) {
        // Of column 3 at least the cell under the fold's B is filled.
        int h[4] = {1 + heights / 125, heights / 25 % 5, heights / 5 % 5, heights % 5}, n = 0;
        if (h[0] + h[1] + h[2] + h[3] != PUYOS) continue;
        filling x = {.left = {EACH, EACH, EACH}, .f = fold};
        for (int c = 0; c < 4; c++)
            for (int i = 0; i < h[c]; i++) x.cell[n++] = (uint8_t)(first[c] + i);
        fill(&x, 0, 0);
    }
    sort_groups();
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

const gtr_tail *gtr_tails(void)
{
    pthread_once(&once, enumerate);
    assert(n_tails == GTR_TAILS);
    return tails;
}

const gtr_group *gtr_groups(void)
{
    pthread_once(&once, enumerate);
    assert(n_groups == GTR_GROUPS);
    return groups;
}

// --- a field's tail

// Can the colours of the field be three different ones of the tail? `have` are the cells of each colour there, at most
// three of which are not empty (the caller has looked).
static bool agrees(const gtr_tail *t, const uint16_t *have, int n)
{
    unsigned taken = 0;
    for (int i = 0; i < n; i++) { // cells of the three are disjoint, so at most one of them can hold a colour
        int k = 0;
        while (k < KINDS && (have[i] & ~t->colour[k]) != 0) k++;
        if (k == KINDS || taken >> k & 1) return false;
        taken |= 1u << k;
    }
    return true;
}

void gtr_look_at_tail(const py_field *f, gtr_tail_view *out)
{
    uint16_t have[PY_CODES] = {0};
    uint8_t colours[2] = {0};
    *out = (gtr_tail_view){.nearest = -1, .missing = PUYOS};
    if (!gtr_stands(f, colours)) return;
    for (int i = 0; i < GTR_TAIL_CELLS; i++)
        have[py_get(f, gtr_tail_cell[i][0], gtr_tail_cell[i][1])] |= (uint16_t)(1u << i);
    if (have[PY_NUISANCE] != 0 || have[colours[GTR_B]] != 0) return;
    uint16_t used[KINDS];
    int n = 0, filled = 0;
    for (int code = PY_RED; code < PY_CODES; code++) {
        if (have[code] == 0) continue;
        if (n == KINDS) return;
        used[n++] = have[code];
        filled += __builtin_popcount(have[code]);
    }
    const gtr_tail *all = gtr_tails();
    for (int i = 0; i < GTR_TAILS; i++) {
        if (!agrees(&all[i], used, n)) continue;
        if (out->possible++ == 0) out->nearest = i;
        out->by_group[all[i].group]++;
    }
    if (out->possible == 0) return;
    // All that is there belongs to each possible tail, so they are equally near; name one of the most frequent group.
    int best = 0;
    for (int g = 1; g < GTR_GROUPS; g++)
        if (out->by_group[g] > out->by_group[best]) best = g;
    for (int i = GTR_TAILS - 1; i >= 0; i--)
        if (all[i].group == best && agrees(&all[i], used, n)) out->nearest = i;
    out->filled = filled;
    out->missing = PUYOS - filled;
}
