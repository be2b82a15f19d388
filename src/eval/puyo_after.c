// See puyo_after.h.
#include "eval/puyo_after.h"

#include "eval/eval.h"
#include "games/puyo/puyo_encode.h"
#include "games/puyo/puyo_solo.h"
#include "search/puyo/puyo_eval.h"

#include <math.h>
#include <string.h>

const char *const after_encoding_name[AFTER_ENCODINGS] = {"plain", "trigger", "ready", "grow"};

enum { PAIR_SCALARS = (PY_SHOWN - 1) * PY_PAIR_SCALARS, OTHER_SCALARS = 9, TRIGGER_SCALARS = 4, READY_SCALARS = 18 };
enum {
    GROW_COLOURS = 4, // a fifth one is not looked at
    GROW_SCALARS = 2 * PY_COLS * GROW_COLOURS + GROW_COLOURS + 2 + 3 * (PY_SHOWN - 1)
};
_Static_assert(PAIR_SCALARS + OTHER_SCALARS + TRIGGER_SCALARS + READY_SCALARS + GROW_SCALARS <= AFTER_SCALARS_MAX,
               "room for the scalars");

int after_scalars(int code)
{
    return PAIR_SCALARS + OTHER_SCALARS + (code >= AFTER_TRIGGER ? TRIGGER_SCALARS : 0) +
           (code >= AFTER_READY ? READY_SCALARS : 0) + (code == AFTER_GROW ? GROW_SCALARS : 0);
}

int after_fit(const nn_net *net)
{
    const nn_desc *d = &net->desc;
    char name[32] = "";
    int code = 0;
    if (net->note != NULL) eval_note(net->note, "encoding", name, sizeof name);
    while (code < AFTER_ENCODINGS && strcmp(name, after_encoding_name[code]) != 0) code++;
    bool fits = code < AFTER_ENCODINGS && d->planes == AFTER_PLANES && d->scalars == after_scalars(code) &&
                d->rows == PY_GHOST && d->cols == PY_COLS && d->n_heads == 2 && nn_out_size(d) == 2 &&
                d->head[0].kind == NN_SCALAR && d->head[1].kind == NN_SCALAR;
    return fits ? code : -1;
}

// --- positions

static uint16_t cut(uint32_t n)
{
    return (uint16_t)(n > UINT16_MAX ? UINT16_MAX : n);
}

static uint8_t left_of(int left)
{
    return (uint8_t)(left > AFTER_NO_END ? AFTER_NO_END : left);
}

void after_position_of(const game *g, const void *obs, int seat, after_position *p)
{
    memset(p, 0, sizeof *p);
    if (strcmp(g->name, "puyo-solo") == 0) {
        const py_solo *s = obs;
        p->field = s->field;
        memcpy(p->pair, s->window, sizeof p->pair);
        p->colours = s->queue.colours;
        p->reach = s->reach;
        p->lose = PY_LOSE_TSU;
        p->left = left_of((int)s->limit - (int)s->placed);
        return;
    }
    const py_match *m = obs;
    const py_side *me = &m->side[seat], *rival = &m->side[!seat];
    p->field = me->field;
    memcpy(p->pair, me->window, sizeof p->pair);
    p->colours = m->queue.colours;
    p->reach = m->reach;
    p->lose = m->lose;
    p->left = AFTER_NO_END;
    p->versus = 1;
    p->incoming = cut(me->pending + me->coming);
    p->pending = cut(me->pending);
    p->rival_due = cut(rival->pending + rival->coming);
    p->threat = cut((uint32_t)py_best_points(&rival->field, rival->window[0], m->reach, m->lose) / 16);
    p->soon = cut((uint32_t)py_best_points(&rival->field, rival->window[1], m->reach, m->lose) / 16);
    int64_t time = (int64_t)rival->clock - me->clock;
    p->time = (int16_t)(time > INT16_MAX ? INT16_MAX : time < -INT16_MAX ? -INT16_MAX : time);
    int heights[PY_COLS];
    py_heights(&rival->field, heights);
    for (int c = 0; c < PY_COLS; c++)
        if (heights[c] > p->rival_high) p->rival_high = (uint8_t)heights[c];
    p->rival_mean = (uint8_t)(py_count(&rival->field) / PY_COLS);
}

bool after_position_ok(const after_position *p)
{
    if (p->colours < 3 || p->colours > 5 || p->reach > 1 || p->lose > PY_LOSE_SEED || p->left < 1 ||
        p->left > AFTER_NO_END)
        return false;
    for (int i = 0; i < PY_SHOWN; i++)
        if (!py_pair_ok(p->pair[i], p->colours)) return false;
    return py_field_ok(&p->field, p->colours);
}

void after_rename(after_position *p, const uint8_t name[PY_CODES])
{
    py_field out = {0};
    for (int w = 0; w < 2; w++) {
        uint64_t a = p->field.plane[0][w], b = p->field.plane[1][w], c = p->field.plane[2][w];
        out.plane[0][w] = a & ~b & ~c; // nuisance stays
        for (int code = PY_RED; code < PY_CODES; code++) {
            uint64_t cells = (code & 1 ? a : ~a) & (code & 2 ? b : ~b) & (code & 4 ? c : ~c);
            for (int k = 0; k < 3; k++)
                if (name[code] >> k & 1) out.plane[k][w] |= cells;
        }
    }
    p->field = out;
    for (int i = 0; i < PY_SHOWN; i++) p->pair[i] = py_pair(name[py_main(p->pair[i])], name[py_sub(p->pair[i])]);
}

int after_states(const after_position *p, after_state out[PY_MAX_LEGAL])
{
    int n = 0;
    for (uint32_t mask = py_legal_mask(&p->field, p->pair[0], p->reach, p->lose); mask != 0; mask &= mask - 1) {
        after_state *a = &out[n++];
        a->move = __builtin_ctz(mask);
        a->field = p->field;
        py_place(&a->field, a->move, p->pair[0]);
        py_chain_result r = py_chain(&a->field);
        a->links = r.links;
        a->points = r.score;
        a->lost = py_buried(&a->field, p->lose);
    }
    return n;
}

// --- planes

typedef struct cells { // a plane of py_field: columns of 16 bits
    uint64_t w[2];
} cells;

static cells around(cells m) // neighbours of the cells of m, some outside the board
{
    return (cells){{m.w[0] << 1 | m.w[0] >> 1 | m.w[0] << 16 | m.w[0] >> 16 | m.w[1] << 48,
                    m.w[1] << 1 | m.w[1] >> 1 | m.w[1] << 16 | m.w[1] >> 16 | m.w[0] >> 48}};
}

static cells both(cells a, cells b)
{
    return (cells){{a.w[0] & b.w[0], a.w[1] & b.w[1]}};
}

// Cells of m with at least two neighbours in m.
static cells joints(cells m)
{
    cells up = {{m.w[0] << 1, m.w[1] << 1}}, down = {{m.w[0] >> 1, m.w[1] >> 1}};
    cells right = {{m.w[0] << 16, m.w[1] << 16 | m.w[0] >> 48}}, left = {{m.w[0] >> 16 | m.w[1] << 48, m.w[1] >> 16}};
    cells out;
    for (int i = 0; i < 2; i++) {
        uint64_t v = up.w[i] & down.w[i], h = left.w[i] & right.w[i];
        uint64_t across = (up.w[i] | down.w[i]) & (left.w[i] | right.w[i]);
        out.w[i] = m.w[i] & (v | h | across);
    }
    return out;
}

// Nothing is left to pop, so groups have at most three cells: a group of three has one cell with two neighbours. Only rows 1
// to 12 connect.
static void groups(const py_field *f, cells *two, cells *three)
{
    const uint64_t play = 0x0fff0fff0fff0fffu;
    *two = *three = (cells){{0, 0}};
    for (int code = PY_RED; code < PY_CODES; code++) {
        cells m;
        for (int w = 0; w < 2; w++) {
            uint64_t a = f->plane[0][w], b = f->plane[1][w], c = f->plane[2][w];
            m.w[w] = (code & 1 ? a : ~a) & (code & 2 ? b : ~b) & (code & 4 ? c : ~c) & play;
        }
        cells centre = joints(m), near = both(around(centre), m), linked = both(around(m), m);
        for (int w = 0; w < 2; w++) {
            uint64_t all = near.w[w] | centre.w[w];
            three->w[w] |= all;
            two->w[w] |= linked.w[w] & ~all;
        }
    }
}

// Points of the chain that the best trigger fires.
static int trigger_points(const py_field *f, const puyo_value *v)
{
    py_field next = *f;
    if (v->links == 0) return 0;
    for (int i = 0; i < v->needs; i++) {
        int row = py_height(&next, v->column) + 1;
        if (row <= PY_GHOST) py_set(&next, v->column, row, v->colour);
    }
    return py_chain(&next).score;
}

// Two scales: small chains differ in the logarithm, and when to fire a large one is decided by a few percent of its points.
static float *put_points(int points, float *s)
{
    *s++ = logf(1 + (float)points) / 12;
    *s++ = (float)points / 50000;
    return s;
}

// What one more puyo of a colour, on a column, would make of the field: how much its evaluation and the links of its best
// trigger change; where the puyo fires, the links it fires. Then the best change for each colour and for the puyos to come.
static void put_growth(const after_position *p, const after_state *a, const puyo_value *v, float *s)
{
    enum { NOTHING = -1500, UNIT = 1024 }; // no use, or no room; of the evaluation
    int best[PY_CODES - PY_RED] = {0}, all = NOTHING, most = 0;
    for (int c = 0; c < PY_COLS; c++) {
        int row = py_height(&a->field, c) + 1;
        for (int k = 0; k < GROW_COLOURS; k++) {
            int gain = NOTHING, links = 0;
            if (k < p->colours && row <= PY_ROWS && !a->lost) {
                py_field next = a->field, after;
                py_set(&next, c, row, PY_RED + k);
                after = next;
                links = py_chain(&after).links;
                if (links == 0) {
                    puyo_value w = puyo_evaluate(&next, &puyo_weights_default, p->colours);
                    gain = w.score - v->score;
                    links = w.links;
                }
            }
            *s++ = (float)gain / UNIT;
            *s++ = (float)(links - v->links) / 4;
            if (gain > best[k]) best[k] = gain;
            if (gain > all) all = gain;
            if (gain > NOTHING && links > most) most = links;
        }
    }
    for (int k = 0; k < GROW_COLOURS; k++) *s++ = (float)best[k] / UNIT;
    *s++ = (float)all / UNIT;
    *s++ = (float)most / 10;
    for (int i = 1; i < PY_SHOWN; i++) {
        int x = best[py_main(p->pair[i]) - PY_RED], y = best[py_sub(p->pair[i]) - PY_RED];
        *s++ = (float)(x > y ? x : y) / UNIT;
        *s++ = (float)(x > y ? y : x) / UNIT;
        *s++ = p->left > i;
    }
}

void after_encode(const after_position *p, const after_state *a, int code, uint64_t *bits, float *scalars)
{
    const uint64_t board[2] = {~0ull, (1ull << (PY_CELLS - 64)) - 1};
    uint64_t other[PY_FIELD_PLANES * PY_PLANE_WORDS];
    cells two, three;
    groups(&a->field, &two, &three);
    py_encode_field(&a->field, bits);
    for (int w = 0; w < 2; w++) {
        uint64_t full = 0;
        for (int k = 0; k < PY_FIELD_PLANES; k++) full |= bits[2 * k + w];
        bits[10 + w] = ~full & board[w]; // empty: says where the board ends, too
    }
    // The two kinds of groups are turned into rows as if they were red and green puyos.
    py_field shape = {{{0, 0}, {two.w[0], two.w[1]}, {three.w[0], three.w[1]}}};
    py_encode_field(&shape, other);
    memcpy(bits + 12, other, 2 * sizeof *bits);
    memcpy(bits + 14, other + 4, 2 * sizeof *bits);

    float *s = py_encode_pairs(p->pair + 1, PY_SHOWN - 1, scalars);
    int sends = a->points / PY_RATE, falls = p->incoming > sends ? p->incoming - sends : 0;
    int sent = sends > p->incoming && p->versus ? sends - p->incoming : 0;
    *s++ = (float)a->links / 10;
    *s++ = logf(1 + (float)a->points) / 12;
    *s++ = (float)p->left / AFTER_NO_END;
    *s++ = (float)p->versus;
    *s++ = py_squash((uint32_t)falls, 12);
    *s++ = py_squash((uint32_t)sent, 30);
    *s++ = logf(1 + 16 * (float)p->threat) / 12;
    *s++ = (float)p->rival_high / PY_GHOST;
    *s++ = (float)p->rival_mean / PY_GHOST;
    if (code == AFTER_PLAIN) return;
    puyo_value v = puyo_evaluate(&a->field, &puyo_weights_default, p->colours);
    *s++ = (float)v.links / 10;
    *s++ = (float)v.needs / 3;
    *s++ = v.links > 0 ? (float)py_height(&a->field, v.column) / PY_GHOST : 0;
    *s++ = (float)v.score / 8192;
    if (code == AFTER_TRIGGER) return;
    *s++ = (float)a->points / 50000;
    *s++ = (float)py_count(&a->field) / PY_CELLS;
    // Nothing can be fired once the game is over: the last placements are decided by what still comes.
    static const int ends[] = {1, 2, 3, 4, 6, 8};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) *s++ = p->left <= ends[i];
    s = put_points(p->left > 1 ? trigger_points(&a->field, &v) : 0, s);
    *s++ = py_squash((uint32_t)(p->pending > sends ? p->pending - sends : 0), 12);
    *s++ = py_squash(p->rival_due, 30);
    *s++ = (float)p->time / 256;
    *s++ = logf(1 + 16 * (float)p->soon) / 12;
    for (int i = 1; i < PY_SHOWN; i++) {
        int points = p->left > i && !a->lost ? py_best_points(&a->field, p->pair[i], p->reach, p->lose) : 0;
        s = put_points(points, s);
    }
    if (code == AFTER_GROW) put_growth(p, a, &v, s);
}
