// Backward induction over the reduced fold. See puyo_advisor_fold.h.
#include "search/puyo/puyo_advisor_fold.h"

#include "search/puyo/puyo_gtr.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// A state is five small numbers in one. `b` up to FIVE is B's colour, 0 unknown; above, B is unknown but not b - FIVE.
enum { FIVE = 5, A_SPACE = FIVE + 1, B_SPACE = 2 * FIVE + 1, SHAPES = 4 * 4 * 3, STATES = SHAPES * A_SPACE * B_SPACE };
enum { PAIRS = FIVE * (FIVE + 1) / 2, ROW = 16 }; // unordered pairs: turning a pair around changes nothing here

typedef struct fold {
    int have[3]; // cells filled in columns 1 to 3, at most 3, 3 and 2
    int a, b;
} fold;

struct fold_table {
    int pairs, live, phases;    // phases: 2 where pairs come in blocks of two, else 1
    int16_t dense[STATES];      // the number of a live state, -1 for others
    float first[2][PAIRS];      // [phase of the pair]: its probability when nothing is known
    float after[2][PAIRS][ROW]; // [phase of the known pair][it]: probability of the one behind it
    float *chance;              // [turns][phase][live][pair][next]
};

static int number_of(fold s)
{
    return (((s.have[0] * 4 + s.have[1]) * 3 + s.have[2]) * A_SPACE + s.a) * B_SPACE + s.b;
}

static fold fold_of(int number)
{
    fold s;
    s.b = number % B_SPACE;
    number /= B_SPACE;
    s.a = number % A_SPACE;
    number /= A_SPACE;
    s.have[2] = number % 3;
    s.have[1] = number / 3 % 4;
    s.have[0] = number / 12;
    return s;
}

bool fold_is_done(int state)
{
    return state >= 0 && state / (A_SPACE * B_SPACE) == SHAPES - 1;
}

// --- adding one puyo. Colours are 1 … 5 here. False: the fold is lost.

static bool becomes_a(fold *s, int colour)
{
    if (s->b == colour || (s->a != 0 && s->a != colour)) return false;
    s->a = colour;
    if (s->b == FIVE + colour) s->b = 0; // that B is not A goes without saying
    return true;
}

static bool becomes_b(fold *s, int colour)
{
    if (s->a == colour || s->b == FIVE + colour || (s->b != 0 && s->b <= FIVE && s->b != colour)) return false;
    s->b = colour;
    return true;
}

static bool b_is_not(fold *s, int colour)
{
    if (s->b == colour) return false;
    if (s->b == 0 && s->a != colour) s->b = FIVE + colour;
    return true;
}

static bool add(fold *s, int col, int colour)
{
    if (col > 2) return true;
    int row = s->have[col] + 1, k = gtr_cell_at(col, row);
    if (col == 2 && row == 1) {
        s->have[2]++;
        return b_is_not(s, colour);
    }
    if (k < 0) return col != 0 || colour != s->a; // on top; a fourth A on column 1 would fire the fold
    s->have[col]++;
    return gtr_cell[k].colour == GTR_A ? becomes_a(s, colour) : becomes_b(s, colour);
}

int fold_state(const py_field *f)
{
    static const int most[3] = {4, 3, 2}; // (1,4) is looked at too
    fold s = {.have = {0}};
    for (int col = 2; col >= 0; col--) { // column 1 last: by then A is known where it can be
        int h = py_height(f, col);
        for (int row = 1; row <= h && row <= most[col]; row++) {
            int code = py_get(f, col, row);
            if (code >= PY_RED) {
                if (!add(&s, col, code - PY_RED + 1)) return FOLD_DEAD;
            } else if (gtr_cell_at(col, row) >= 0) {
                return FOLD_DEAD; // nuisance in the fold
            } else if (col == 2) {
                s.have[2]++; // nuisance under (3,2) connects with nothing
            }
        }
    }
    return number_of(s);
}

// --- what can follow

// Placements of two puyos on columns 0 to 3, column 3 standing for "away": the columns of one and the other, the first
// below the second where they are equal.
static const uint8_t ways[][2] = {{3, 3}, {0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {3, 2}};
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct followers {
    uint16_t to[2 * WAYS];
    int n;
} followers;

static void follow(int state, int p, int q, followers *out)
{
    out->n = 0;
    for (int w = 0; w < WAYS; w++)
        for (int turned = 0; turned < 2; turned++) {
            fold s = fold_of(state);
            if (!add(&s, ways[w][0], turned ? q : p) || !add(&s, ways[w][1], turned ? p : q)) continue;
            uint16_t to = (uint16_t)number_of(s);
            bool known = false;
            for (int i = 0; i < out->n; i++) known |= out->to[i] == to;
            if (!known) out->to[out->n++] = to;
        }
}

static int pair_number(int p, int q) // colours 1 … 5
{
    int high = p > q ? p : q, low = p > q ? q : p;
    return high * (high - 1) / 2 + low - 1;
}

// --- where pairs come from

static void independent(fold_table *t, int colours)
{
    t->phases = 1;
    for (int q = 1; q <= colours; q++)
        for (int p = 1; p <= q; p++)
            t->first[0][pair_number(p, q)] = (p == q ? 1.0f : 2.0f) / (float)(colours * colours);
    for (int d = 0; d < t->pairs; d++) memcpy(t->after[0][d], t->first[0], sizeof t->first[0]);
}

// py_block's four patterns, for one choice of three different colours.
static void count_block(int a, int b, int c, double both[PAIRS][PAIRS])
{
    int aa = pair_number(a, a), ab = pair_number(a, b), ac = pair_number(a, c), bb = pair_number(b, b),
        bc = pair_number(b, c);
    both[ab][aa] += 1.0 / 8; // AAAB, B in either place of either pair
    both[aa][ab] += 1.0 / 8;
    both[ab][ab] += 1.0 / 8; // ABAB
    both[aa][bb] += 1.0 / 8; // AABB
    both[ab][ac] += 1.0 / 4; // ABAC
    both[aa][bc] += 1.0 / 4; // AABC
}

static void blocks(fold_table *t, int colours)
{
    double both[PAIRS][PAIRS] = {{0}}, first[PAIRS] = {0}, second[PAIRS] = {0};
    double each = 1.0 / (colours * (colours - 1) * (colours - 2));
    for (int a = 1; a <= colours; a++)
        for (int b = 1; b <= colours; b++)
            for (int c = 1; c <= colours; c++)
                if (a != b && a != c && b != c) count_block(a, b, c, both);
    t->phases = 2;
    for (int d = 0; d < t->pairs; d++)
        for (int e = 0; e < t->pairs; e++) {
            both[d][e] *= each;
            first[d] += both[d][e];
            second[e] += both[d][e];
        }
    for (int d = 0; d < t->pairs; d++) {
        t->first[0][d] = (float)first[d];
        t->first[1][d] = (float)second[d];
        for (int e = 0; e < t->pairs; e++) {
            t->after[0][d][e] = (float)(both[d][e] / first[d]);
            t->after[1][d][e] = (float)first[e];
        }
    }
}

// --- the table

static float *cell(const fold_table *t, int turns, int phase, int live)
{
    return t->chance + (((size_t)turns * (size_t)t->phases + (size_t)phase) * (size_t)t->live + (size_t)live) *
                           (size_t)t->pairs * ROW;
}

typedef struct builder {
    fold_table *t;
    int colours;
    uint16_t list[STATES]; // the live states
    followers *next;       // [live][pair], as dense numbers
} builder;

// Finds the states that can be reached from the empty field, and what follows each. Nuisance under (3,2) says nothing of
// B, which no coloured puyo there does: such a field is a start of its own.
static void reach_all(builder *b)
{
    fold_table *t = b->t;
    memset(t->dense, -1, sizeof t->dense);
    fold stone = {.have = {0, 0, 1}};
    b->list[0] = 0;
    b->list[1] = (uint16_t)number_of(stone);
    for (t->live = 0; t->live < 2; t->live++) t->dense[b->list[t->live]] = (int16_t)t->live;
    for (int i = 0; i < t->live; i++)
        for (int q = 1; q <= b->colours; q++)
            for (int p = 1; p <= q; p++) {
                followers *l = &b->next[i * PAIRS + pair_number(p, q)];
                follow(b->list[i], p, q, l);
                for (int k = 0; k < l->n; k++) {
                    int16_t *d = &t->dense[l->to[k]];
                    if (*d < 0) {
                        b->list[t->live] = l->to[k];
                        *d = (int16_t)t->live++;
                    }
                    l->to[k] = (uint16_t)*d;
                }
            }
}

// With the pairs d and e known, and d placed now: the best state to go to for each pair g that may show up behind e.
static float best_of(const builder *b, int turns, int phase, const followers *l, int e)
{
    const fold_table *t = b->t;
    int then = (phase + 1) % t->phases;
    float best[ROW] = {0}, sum = 0;
    for (int k = 0; k < l->n; k++) {
        const float *row = cell(t, turns - 1, then, l->to[k]) + e * ROW;
        for (int g = 0; g < ROW; g++) best[g] = row[g] > best[g] ? row[g] : best[g];
    }
    for (int g = 0; g < t->pairs; g++) sum += t->after[then][e][g] * best[g];
    return sum;
}

static void work_back(const builder *b)
{
    const fold_table *t = b->t;
    for (int turns = 0; turns <= FOLD_TURNS; turns++)
        for (int phase = 0; phase < t->phases; phase++)
            for (int i = 0; i < t->live; i++) {
                float *at = cell(t, turns, phase, i);
                bool done = fold_is_done(b->list[i]);
                for (int d = 0; d < t->pairs; d++)
                    for (int e = 0; e < t->pairs; e++)
                        at[d * ROW + e] = done         ? 1.0f
                                          : turns == 0 ? 0.0f
                                                       : best_of(b, turns, phase, &b->next[i * PAIRS + d], e);
            }
}

static fold_table *make(int colours, int kind)
{
    builder *b = calloc(1, sizeof *b);
    fold_table *t = calloc(1, sizeof *t);
    if (b != NULL) b->next = calloc((size_t)STATES * PAIRS, sizeof *b->next);
    if (t == NULL || b == NULL || b->next == NULL) goto fail;
    b->t = t;
    b->colours = colours;
    t->pairs = colours * (colours + 1) / 2;
    if (kind == PY_BLOCKS)
        blocks(t, colours);
    else
        independent(t, colours);
    reach_all(b);
    t->chance = calloc((size_t)((FOLD_TURNS + 1) * t->phases * t->live * t->pairs * ROW), sizeof *t->chance);
    if (t->chance == NULL) goto fail;
    work_back(b);
    free(b->next);
    free(b);
    return t;
fail:
    if (b != NULL) free(b->next);
    free(b);
    free(t);
    return NULL;
}

const fold_table *fold_table_for(int colours, int kind)
{
    static fold_table *made[3][2]; // kept until the program ends
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    fold_table **slot = &made[colours - 3][kind == PY_BLOCKS];
    pthread_mutex_lock(&lock);
    if (*slot == NULL) *slot = make(colours, kind);
    const fold_table *t = *slot;
    pthread_mutex_unlock(&lock);
    return t;
}

// --- answers

static int pair_of(uint8_t pair)
{
    return pair_number(py_main(pair) - PY_RED + 1, py_sub(pair) - PY_RED + 1);
}

static double over_next(const fold_table *t, const float *row, int d, uint8_t next, int phase)
{
    if (next != 0) return (double)row[pair_of(next)];
    double sum = 0;
    for (int e = 0; e < t->pairs; e++) sum += (double)(t->after[phase][d][e] * row[e]);
    return sum;
}

double fold_chance(const fold_table *t, int state, uint8_t pair, uint8_t next, uint32_t index, int turns)
{
    if (state < 0) return 0;
    if (fold_is_done(state)) return 1;
    int live = t->dense[state], phase = (int)(index % (uint32_t)t->phases);
    if (live < 0) return 0;
    turns = turns < 0 ? 0 : turns > FOLD_TURNS ? FOLD_TURNS : turns;
    const float *at = cell(t, turns, phase, live);
    if (pair != 0) return over_next(t, at + pair_of(pair) * ROW, pair_of(pair), next, phase);
    double sum = 0;
    for (int d = 0; d < t->pairs; d++) sum += (double)t->first[phase][d] * over_next(t, at + d * ROW, d, next, phase);
    return sum;
}

double fold_soon(const fold_table *t, int state, uint8_t pair, uint8_t next, uint32_t index)
{
    double sum = 0;
    for (int n = 0; n <= FOLD_TURNS; n++) sum += fold_chance(t, state, pair, next, index, n);
    return sum / (FOLD_TURNS + 1);
}
