// What a position of renju or gomoku is worth to the engine.
//
// The board sums, for each colour, a value over all empty points: a row of stones counts through the points that would
// lengthen it, so an open three is two points that make a straight four, and a point where two rows cross is worth more
// than both. A point is worth something else to the side that moves than to the one that waits; both sums are kept in one
// number. To the sums comes a number for what threatens, and what a small hidden layer makes of all this. All of them are learned
// (renju_weights.h).
//
// The scores of rj_ab_options, which speak of rows on the board, make an evaluation too: a row's score is shared among
// its usual number of points. It is what learning begins with.
#include "search/renju/renju_ab_inner.h"

#include <string.h>

static int row_value(const rj_scores *s, int pattern)
{
    const int value[RJ_P_COUNT] = {
        [RJ_P_FIVE] = s->four,
        [RJ_P_STRAIGHT] = s->open_three / 2,
        [RJ_P_FOUR_FOUR] = s->three + s->open_three / 4,
        [RJ_P_FOUR] = s->three / 2,
        [RJ_P_THREE_2] = s->open_two / 3,
        [RJ_P_THREE] = s->open_two / 4,
        [RJ_P_CLOSED] = s->two / 2,
        [RJ_P_OPEN_TWO_3] = s->two * 3 / 10,
        [RJ_P_OPEN_TWO_2] = s->two / 4,
        [RJ_P_OPEN_TWO] = s->two / 5,
        [RJ_P_TWO] = s->two / 10,
        [RJ_P_OPEN_ONE] = s->two / 10,
    };
    return value[pattern];
}

static int crossing_value(const rj_scores *s, int class)
{
    const int value[RJ_CLASSES] = {
        [RJ_WINNING] = s->four_three / 10, [RJ_FOUR_THREE] = s->four_three / 16, [RJ_THREE_THREE] = s->four_three / 32,
        [RJ_FOUR_PLUS] = s->open_two / 2,  [RJ_THREE_PLUS] = s->open_two / 3,    [RJ_CLOSED_PLUS] = s->two / 2,
        [RJ_TWO_TWO] = s->two / 2,
    };
    return value[class];
}

static int order_value(int pattern)
{
    static const int value[RJ_P_COUNT] = {
        [RJ_P_ONE] = 1,         [RJ_P_OPEN_ONE] = 4,   [RJ_P_TWO] = 6,    [RJ_P_OPEN_TWO] = 14, [RJ_P_OPEN_TWO_2] = 17,
        [RJ_P_OPEN_TWO_3] = 20, [RJ_P_CLOSED] = 22,    [RJ_P_THREE] = 60, [RJ_P_THREE_2] = 70,  [RJ_P_FOUR] = 75,
        [RJ_P_FOUR_FOUR] = 300, [RJ_P_STRAIGHT] = 600, [RJ_P_FIVE] = 4000};
    return value[pattern];
}

static int order_crossing(int class)
{
    static const int value[RJ_CLASSES] = {
        [RJ_TWO_TWO] = 15,   [RJ_CLOSED_PLUS] = 15, [RJ_THREE_PLUS] = 40, [RJ_THREE_THREE] = 180,
        [RJ_FOUR_PLUS] = 40, [RJ_FOUR_THREE] = 300, [RJ_WINNING] = 400};
    return value[class];
}

// Two sums in one: `mover` times 65536 and `waiting`, each within 16 bits.
static int32_t pack(int mover, int waiting)
{
    return mover * 65536 + waiting;
}

static int mover_of(int32_t sum)
{
    return (sum + 32768) >> 16;
}

static int waiting_of(int32_t sum)
{
    return (int16_t)sum;
}

static int clip(int v, int most)
{
    return v > most ? most : v < -most ? -most : v;
}

static int sum_of(const int16_t table[RJ_W_TABLE], const uint8_t index[RJ_W_USED])
{
    int sum = 0;
    for (int i = 0; i < RJ_W_USED; i++) sum += table[index[i]];
    return sum;
}

enum { POINT_MOST = 400, ORDER_MOST = 15000 }; // 65 points of the most value still fit into a sum

static void build_learned(rj_eval_tables *t, const rj_weights *w)
{
    for (int key = 0; key < 65536; key++) {
        uint8_t index[RJ_W_USED];
        bool real = true; // nibble 15 is no pattern
        for (int d = 0; d < RJ_DIRS; d++) real &= (key >> 4 * d & 15) < RJ_P_COUNT;
        if (!real) continue;
        rj_weight_indices((unsigned)key, index);
        for (int c = 0; c < 2; c++) {
            int v[2];
            for (int waits = 0; waits < 2; waits++)
                v[waits] = clip(sum_of(w->value[c][waits], index) / RJ_W_UNIT, POINT_MOST);
            t->values.value[c][key] = pack(v[0], v[1]);
            for (int other = 0; other < 2; other++)
                t->order[c][other][key] = (int16_t)clip(sum_of(w->order[c][other], index), ORDER_MOST);
        }
    }
    memcpy(t->threat, w->threat, sizeof t->threat);
    memcpy(t->near, w->near, sizeof t->near);
    memcpy(t->hidden, w->hidden, sizeof t->hidden);
    memcpy(t->output, w->output, sizeof t->output);
    for (int k = 0; k <= RJ_W_HIDDEN; k++) t->layered |= w->output[k] != 0;
}

static void build_by_scores(rj_eval_tables *t, const rj_board *b, const rj_scores *s)
{
    for (int c = 0; c < 2; c++)
        for (int key = 0; key < 65536; key++) {
            int value = 0, order = 0;
            for (int d = 0; d < RJ_DIRS; d++) {
                int pattern = key >> 4 * d & 15;
                if (pattern >= RJ_P_COUNT) continue;
                value += row_value(s, pattern);
                order += order_value(pattern);
            }
            rj_class k = rj_class_of(b, c, (unsigned)key);
            value += crossing_value(s, (int)k);
            order += order_crossing((int)k);
            if (k == RJ_FORBIDDEN) value = order = 0;
            if (k == RJ_DOUBTFUL) value /= 2;
            value = clip(value, POINT_MOST);
            t->values.value[c][key] = pack(clip(value + value / 4, POINT_MOST), value); // a move is worth something
            t->order[c][0][key] = (int16_t)clip(8 * order, ORDER_MOST);
            t->order[c ^ 1][1][key] = (int16_t)clip(7 * order, ORDER_MOST);
        }
}

void rj_eval_build(rj_eval_tables *t, const rj_board *b, const rj_ab_options *o)
{
    memset(t, 0, sizeof *t);
    const rj_weights *w = o->weights != NULL ? o->weights : rj_weights_shipped(b->rule);
    if (o->by_scores || w == NULL)
        build_by_scores(t, b, &o->scores);
    else
        build_learned(t, w);
    int size = rj_size(b);
    for (int p = 0; p < b->points; p++) {
        if (p % size > 0) t->files[0][p / 64] |= 1ull << p % 64;
        if (p % size < size - 1) t->files[1][p / 64] |= 1ull << p % 64;
    }
}

// What the hidden layer adds to the value. In whole numbers, so that every machine and the page compute the same.
static int layer(const rj_eval_tables *t, const rj_hidden_view *s)
{
    enum { DROP = 4 }; // bits of a hidden unit, so that sums stay small
    int16_t in[RJ_W_INPUTS];
    int32_t unit[RJ_W_HIDDEN] = {0};
    int64_t sum = (int64_t)t->output[RJ_W_HIDDEN] * (RJ_W_INPUT * RJ_W_LINK >> DROP);
    rj_hidden_inputs(s, in);
    for (int i = 0; i < RJ_W_INPUTS; i++) {
        if (in[i] == 0) continue; // most classes have no point
        for (int k = 0; k < RJ_W_HIDDEN; k++) unit[k] += (int32_t)in[i] * t->hidden[i][k];
    }
    for (int k = 0; k < RJ_W_HIDDEN; k++) sum += (int64_t)((unit[k] > 0 ? unit[k] : 0) >> DROP) * t->output[k];
    return (int)(sum * RJ_W_LOGIT / ((int64_t)RJ_W_INPUT * RJ_W_LINK * RJ_W_LINK >> DROP));
}

int rj_eval(const rj_ab *e)
{
    const rj_board *b = &e->b;
    int mover = mover_of(b->score[b->side]), waiting = waiting_of(b->score[b->side ^ 1]);
    int v = mover - waiting + e->eval->threat[b->side][rj_threats(b)];
    if (e->eval->layered) {
        const rj_hidden_view s = {b->count[b->side], b->count[b->side ^ 1], b->side, b->placed, mover, waiting, v};
        v += layer(e->eval, &s);
    }
    return clip(v, RJ_AB_BOUND);
}

// --- candidates

static void shift_up(const uint64_t *in, int bits, int words, uint64_t *out) // bits 1 … 63
{
    for (int w = words - 1; w >= 0; w--) out[w] = in[w] << bits | (w > 0 ? in[w - 1] >> (64 - bits) : 0);
}

static void shift_down(const uint64_t *in, int bits, int words, uint64_t *out)
{
    for (int w = 0; w < words; w++) out[w] = in[w] >> bits | (w + 1 < words ? in[w + 1] << (64 - bits) : 0);
}

// Empty points within `distance` of a stone, as rj_near(), by shifting whole boards.
void rj_candidates(const rj_ab *e, int distance, uint64_t out[RJ_MAX_WORDS])
{
    const rj_board *b = &e->b;
    int words = (b->points + 63) / 64, size = rj_size(b);
    uint64_t near[RJ_MAX_WORDS], up[RJ_MAX_WORDS], down[RJ_MAX_WORDS];
    for (int w = 0; w < words; w++) near[w] = b->stones[0][w] | b->stones[1][w];
    for (int k = 0; k < distance; k++) {
        shift_up(near, 1, words, up);
        shift_down(near, 1, words, down);
        for (int w = 0; w < words; w++) near[w] |= (up[w] & e->eval->files[0][w]) | (down[w] & e->eval->files[1][w]);
    }
    for (int k = 0; k < distance; k++) {
        shift_up(near, size, words, up);
        shift_down(near, size, words, down);
        for (int w = 0; w < words; w++) near[w] |= up[w] | down[w];
    }
    if (b->points % 64 != 0) near[words - 1] &= (1ull << b->points % 64) - 1;
    for (int w = 0; w < words; w++) out[w] = near[w] & ~(b->stones[0][w] | b->stones[1][w]);
}
