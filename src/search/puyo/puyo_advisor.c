// The five scorers and the ranking. See puyo_advisor.h.
//
// An advice looks at up to 22 placements, and for each at 22 of the next pair: about 500 scorings, so a scoring must stay
// below 100 ns. Three things do that. What holds for a whole board is worked out once for it (the view): heights, which of
// the twelve colour assignments contradict nothing, what the tail's columns hold. The twelve assignments are twelve bits,
// so that the best one is found by intersecting sets. And groups are grown only to four cells, which is all that counts.
#include "search/puyo/puyo_advisor.h"

#include <string.h>

const char *const advisor_phase_name[PHASES] = {"fold-building", "chain-tail", "completion"};
const char *const advisor_scorer_name[SCORERS] = {"fold-progress", "chain-tail", "connectivity", "height-penalty",
                                                  "chain-sim"};

const advisor_config advisor_defaults = {
#define X(member, text, number, meaning) .member = number,
    ADVISOR_TABLE(X)
#undef X
};

const opt advisor_options[] = {
#define X(member, text, number, meaning)                                                                               \
    {.name = text,                                                                                                     \
     .kind = OPT_NUMBER,                                                                                               \
     .at = offsetof(advisor_config, member),                                                                           \
     .value = "X",                                                                                                     \
     .preset = #number,                                                                                                \
     .help = meaning},
    ADVISOR_TABLE(X)
#undef X
};
const int advisor_n_options = (int)(sizeof advisor_options / sizeof *advisor_options);

// --- a board as bytes with a border, and what is known of it

enum { WIDE = 8, CELLS = WIDE * 16, BORDER = 0xff };

static inline int at(int col, int row)
{
    return row * WIDE + col + 1;
}

typedef struct view {
    uint8_t cell[CELLS]; // at(col, row); the border is around them
    int height[PY_COLS];
    unsigned fits;            // colour assignments that no cell contradicts, a bit each
    unsigned tail_colours[3]; // colours in columns 4 to 6, a bit each
    bool bottom_full;         // (1,1) and (2,1) are filled
    bool waiting;             // (3,2) is empty
} view;

typedef struct puyo {
    int col, row, colour;
} puyo;

// Assignment i is the i-th ordered pair of different colours among five; the seed plays with four, where those with the
// fifth colour never come out ahead of the others.
enum { PAIRS_OF_COLOURS = 20 };
static const struct {
    uint8_t a, b;
} assignment[PAIRS_OF_COLOURS] = {
    {2, 3}, {2, 4}, {2, 5}, {3, 2}, {3, 4}, {3, 5}, {4, 2}, {4, 3}, {4, 5}, {5, 2},
    {5, 3}, {5, 4}, {2, 6}, {3, 6}, {4, 6}, {5, 6}, {6, 2}, {6, 3}, {6, 4}, {6, 5},
};

// with[GTR_A][c]: the assignments whose A is colour c. Nuisance and code 7 fit none.
static const uint32_t with[2][PY_CODES + 1] = {
    {0, 0, 0x01007, 0x02038, 0x041c0, 0x08e00, 0xf0000, 0},
    {0, 0, 0x10248, 0x20481, 0x40812, 0x80124, 0x0f000, 0},
};

static void view_columns(view *v)
{
    unsigned fits = (1u << PAIRS_OF_COLOURS) - 1;
    for (int i = 0; i < GTR_CELLS; i++) {
        int code = v->cell[at(gtr_cell[i].col, gtr_cell[i].row)];
        if (code != PY_EMPTY) fits &= with[gtr_cell[i].colour][code];
    }
    v->fits = fits;
    v->bottom_full = v->height[0] > 0 && v->height[1] > 0;
    v->waiting = v->height[2] < 2;
}

static void view_of(const py_field *f, view *v)
{
    memset(v->cell, BORDER, sizeof v->cell);
    py_heights(f, v->height);
    for (int row = 1; row <= PY_GHOST; row++)
        for (int col = 0; col < PY_COLS; col++) v->cell[at(col, row)] = PY_EMPTY;
    memset(v->tail_colours, 0, sizeof v->tail_colours);
    for (int col = 0; col < PY_COLS; col++)
        for (int row = 1; row <= v->height[col]; row++) {
            int code = py_get(f, col, row);
            v->cell[at(col, row)] = (uint8_t)code;
            if (col >= 3 && code >= PY_RED) v->tail_colours[col - 3] |= 1u << code;
        }
    view_columns(v);
}

// The board after a placement; nothing pops, as the lookahead wants it.
static void view_add(view *v, const puyo p[2])
{
    for (int i = 0; i < 2; i++) {
        v->cell[at(p[i].col, p[i].row)] = (uint8_t)p[i].colour;
        v->height[p[i].col]++;
        if (p[i].col >= 3) v->tail_colours[p[i].col - 3] |= 1u << p[i].colour;
    }
    view_columns(v);
}

// Where the pair comes to rest; false when it does not fit. A vertical placement needs two free cells.
static bool land(const view *v, int col, int rotation, uint8_t pair, puyo p[2])
{
    static const int8_t step[4] = {0, 1, 0, -1};
    int side = col + step[rotation];
    if (side < 0 || side >= PY_COLS) return false;
    p[0] = (puyo){col, v->height[col] + 1 + (rotation == 2), py_main(pair)};
    p[1] = (puyo){side, v->height[side] + 1 + (rotation == 0), py_sub(pair)};
    return p[0].row <= PY_GHOST && p[1].row <= PY_GHOST;
}

// --- the scorers. `v` is the board before the placement; only its cells have the placement in them already.

static double area_score(const advisor_config *c, const view *v, puyo p)
{
    if (p.col > 2) return c->outside;
    if (p.row > 4 || (p.row == 4 && p.col == 2)) return c->too_high;
    if (p.row == 4) return c->companion;
    if (gtr_cell_at(p.col, p.row) >= 0) return 0;
    if (p.row == 1 && v->bottom_full && v->waiting) return c->stepping_stone; // only (3,1) and (3,3) are left
    if (p.row == 3 && !v->waiting) return c->tail_connection;
    return c->non_target;
}

// The best over all assignments that nothing on the board contradicts: each puyo in a cell of the fold is right or wrong
// under it. Where every assignment is contradicted, only the area counts. `set` receives the assignments that do best.
static double fold_score(const advisor_config *c, const view *v, const puyo p[2], unsigned *set)
{
    double area = area_score(c, v, p[0]) + area_score(c, v, p[1]);
    double right[2], best = 0;
    unsigned hit[2];
    int n = 0;
    *set = v->fits;
    if (v->fits == 0) return area;
    for (int i = 0; i < 2; i++) {
        int k = gtr_cell_at(p[i].col, p[i].row);
        if (k < 0) continue;
        const gtr_place *g = &gtr_cell[k];
        right[n] = c->match[g->priority] * (g->priority > 0 && !v->bottom_full ? c->prerequisite : 1.0);
        hit[n] = with[g->colour][p[i].colour];
        n++;
    }
    if (n == 0) return area;
    bool any = false;
    for (int k = 0; k < 1 << n; k++) { // bit i: the i-th is wrong
        unsigned s = v->fits;
        double score = 0;
        for (int i = 0; i < n; i++) {
            s &= k >> i & 1 ? ~hit[i] : hit[i];
            score += k >> i & 1 ? c->wrong_colour : right[i];
        }
        if (s == 0 || (any && score <= best)) continue;
        best = score;
        any = true;
        *set = s;
    }
    return best + area;
}

static double tail_score(const advisor_config *c, const view *v, const puyo p[2])
{
    double s = 0;
    int high = 0, low = PY_GHOST;
    for (int i = 0; i < 2; i++) {
        if (p[i].row > 4) s += c->tail_high; // in every column, as the original has it
        if (p[i].col < 3) continue;
        s += c->tail_area;
        const uint8_t *here = &v->cell[at(p[i].col, p[i].row)];
        if (p[i].col > 3 && here[-1] == p[i].colour) s += c->tail_adjacent;
        if (p[i].col < 5 && here[1] == p[i].colour) s += c->tail_adjacent;
        if (p[i].row == 1) s += c->tail_bottom;
        if (p[i].row == 2) s += c->tail_second;
    }
    for (int col = 3; col < PY_COLS; col++) {
        unsigned colours = v->tail_colours[col - 3];
        int h = v->height[col];
        for (int i = 0; i < 2; i++)
            if (p[i].col == col) {
                colours |= 1u << p[i].colour;
                h++;
            }
        if ((colours & (colours - 1)) != 0) s += c->tail_layer;
        if (h > high) high = h;
        if (h < low) low = h;
    }
    if (high - low <= 1 && high >= 2) s += c->tail_balance;
    return s;
}

// Grows the group of a puyo up to `most` cells, and says how many there are.
static int grow(const uint8_t *cell, puyo p, uint8_t *group, int most)
{
    static const int8_t step[4] = {1, -1, WIDE, -WIDE};
    int n = 1;
    group[0] = (uint8_t)at(p.col, p.row);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 4; d++) {
            int k = group[i] + step[d];
            if (cell[k] != p.colour) continue;
            bool known = false;
            for (int j = 0; j < n; j++) known |= group[j] == k;
            if (known) continue;
            group[n++] = (uint8_t)k;
            if (n == most) return n;
        }
    return n;
}

static double group_score(const advisor_config *c, const uint8_t *group, int n)
{
    if (n == 1) return 0;
    if (n == 2) return c->group2;
    if (n == 4) return c->group4;
    bool column = true, stray = false; // stray: a cell in rows 1 to 3 of columns 1 to 3 that is not of the fold
    for (int i = 0; i < 3; i++) {
        int col = group[i] % WIDE - 1, row = group[i] / WIDE;
        column &= group[i] % WIDE == group[0] % WIDE;
        stray |= col <= 2 && row <= 3 && gtr_cell_at(col, row) < 0;
    }
    return column ? c->group3_vertical : stray ? c->group3_fold : c->group3;
}

static bool holds(const uint8_t *group, int n, puyo p)
{
    for (int i = 0; i < n; i++)
        if (group[i] == at(p.col, p.row)) return true;
    return false;
}

static double connect_score(const advisor_config *c, const uint8_t *cell, const puyo p[2])
{
    uint8_t group[PY_CELLS];
    int n = grow(cell, p[0], group, 4);
    double s = group_score(c, group, n);
    if (p[0].colour == p[1].colour) { // a group of both counts once
        if (holds(group, n, p[1])) return s;
        if (n == 4 && holds(group, grow(cell, p[0], group, PY_CELLS), p[1])) return s;
    }
    return s + group_score(c, group, grow(cell, p[1], group, 4));
}

static double height_score(const advisor_config *c, const puyo p[2])
{
    double s = 0;
    for (int i = 0; i < 2; i++) s += p[i].row >= 11 ? c->height_top : p[i].row >= 9 ? c->height_danger : 0;
    return s;
}

// The four scorers of the lookahead, weighted.
static double light_score(const advisor_config *c, const double *w, view *v, const puyo p[2], double score[SCORERS],
                          unsigned *set)
{
    uint8_t *a = &v->cell[at(p[0].col, p[0].row)], *b = &v->cell[at(p[1].col, p[1].row)];
    *a = (uint8_t)p[0].colour;
    *b = (uint8_t)p[1].colour;
    score[SCORE_FOLD] = fold_score(c, v, p, set);
    score[SCORE_TAIL] = tail_score(c, v, p);
    score[SCORE_CONNECT] = connect_score(c, v->cell, p);
    score[SCORE_HEIGHT] = height_score(c, p);
    *a = *b = PY_EMPTY;
    return score[SCORE_FOLD] * w[SCORE_FOLD] + score[SCORE_TAIL] * w[SCORE_TAIL] +
           score[SCORE_CONNECT] * w[SCORE_CONNECT] + score[SCORE_HEIGHT] * w[SCORE_HEIGHT];
}

static double look_ahead(const advisor_config *c, const double *w, const view *v, const puyo p[2], uint8_t next)
{
    view after = *v;
    view_add(&after, p);
    double best = 0, score[SCORERS];
    bool any = false;
    unsigned set;
    puyo q[2];
    int turns = py_main(next) == py_sub(next) ? 2 : 4; // the other two of a pair of one colour say the same again
    for (int rotation = 0; rotation < turns; rotation++)
        for (int col = 0; col < PY_COLS; col++) {
            if (!land(&after, col, rotation, next, q)) continue;
            double s = light_score(c, w, &after, q, score, &set);
            if (!any || s > best) best = s;
            any = true;
        }
    return best;
}

// --- advice

advisor_phase advisor_phase_of(const advisor_config *c, const py_field *f)
{
    if (!gtr_stands(f, NULL)) return PHASE_FOLD;
    return gtr_tail_count(f) < c->completion_tail ? PHASE_TAIL : PHASE_COMPLETION;
}

static double chain_score(const advisor_config *c, const py_field *f, int move, uint8_t pair, uint8_t *links)
{
    py_field after = *f;
    py_place(&after, move, pair);
    *links = 0;
    if (!gtr_stands(&after, NULL)) return 0;
    *links = (uint8_t)gtr_links(&after);
    return c->gtr_bonus + c->per_link * *links;
}

static void explain(advisor_move *m, const view *v, const puyo p[2], unsigned set)
{
    for (int i = 0; i < 2; i++) {
        m->cell[i][0] = (uint8_t)p[i].col;
        m->cell[i][1] = (uint8_t)p[i].row;
    }
    if (set == 0) return;
    int first = __builtin_ctz(set);
    m->colours[GTR_A] = assignment[first].a;
    m->colours[GTR_B] = assignment[first].b;
    for (int i = 0; i < GTR_CELLS; i++) {
        int code = v->cell[at(gtr_cell[i].col, gtr_cell[i].row)];
        for (int k = 0; k < 2; k++)
            if (p[k].col == gtr_cell[i].col && p[k].row == gtr_cell[i].row) code = p[k].colour;
        if (code == m->colours[gtr_cell[i].colour]) m->matched |= (uint8_t)(1u << i);
    }
}

void advisor_advise(const advisor_config *c, const py_field *f, uint8_t pair, uint8_t next, bool reach, advice *out)
{
    view v;
    view_of(f, &v);
    out->phase = advisor_phase_of(c, f);
    out->n = 0;
    const double *w = c->weight[out->phase];
    uint32_t legal = reach ? py_legal_mask(f, pair, true, PY_LOSE_TSU) : ~0u;
    puyo p[2];
    for (int rotation = 0; rotation < 4; rotation++)
        for (int col = 0; col < PY_COLS; col++) {
            int move = col * 4 + rotation;
            if ((legal >> move & 1) == 0 || !land(&v, col, rotation, pair, p)) continue;
            advisor_move m = {.move = (uint8_t)move, .chance = -1};
            unsigned set;
            m.total = light_score(c, w, &v, p, m.score, &set);
            if (w[SCORE_CHAIN] != 0) m.score[SCORE_CHAIN] = chain_score(c, f, move, pair, &m.links);
            m.total += m.score[SCORE_CHAIN] * w[SCORE_CHAIN];
            if (next != 0 && c->lookahead != 0) m.look = look_ahead(c, w, &v, p, next);
            m.total += m.look * c->lookahead;
            explain(&m, &v, p, set);
            int k = out->n++; // insertion keeps the order of equals
            for (; k > 0 && out->best[k - 1].total < m.total; k--) out->best[k] = out->best[k - 1];
            out->best[k] = m;
        }
}
