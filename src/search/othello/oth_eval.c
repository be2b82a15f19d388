// Places and symmetries of the evaluation's patterns. See oth_eval.h.
#include "search/othello/oth_eval.h"

#include <assert.h>
#include <pthread.h>

_Alignas(64) int16_t oth_shape_step[OTH_SQUARES][OTH_PLACES];
int32_t oth_shape_zero[OTH_PLACES];
int32_t oth_shape_canon[OTH_STAGE_SIZE];
int32_t oth_kind_first[OTH_KINDS + 1];

enum { MAX_LENGTH = 10 };

typedef struct kind {
    int length;
    uint8_t sq[MAX_LENGTH]; // the first place; the others are its images
} kind;

static const kind kinds[OTH_KINDS] = {
    {9, {0, 1, 2, 8, 9, 10, 16, 17, 18}},        // corner 3x3
    {10, {0, 1, 2, 3, 4, 8, 9, 10, 11, 12}},     // corner 2x5
    {10, {0, 1, 2, 3, 4, 5, 6, 7, 9, 14}},       // edge and its X squares
    {10, {0, 1, 2, 3, 4, 5, 6, 7, 10, 13}},      // edge and the squares under c and f
    {10, {0, 2, 3, 4, 5, 7, 10, 11, 12, 13}},    // edge without C squares, and the four under its middle
    {10, {0, 1, 2, 3, 8, 9, 10, 16, 17, 24}},    // corner triangle
    {10, {0, 1, 2, 3, 4, 8, 9, 16, 24, 32}},     // both edges at a corner, and the X square
    {10, {0, 1, 8, 9, 10, 11, 12, 17, 25, 33}},  // corner 2x2, and the second rows from the X square on
    {8, {8, 9, 10, 11, 12, 13, 14, 15}},         // second row
    {8, {16, 17, 18, 19, 20, 21, 22, 23}},       // third
    {8, {24, 25, 26, 27, 28, 29, 30, 31}},       // fourth
    {10, {1, 0, 9, 18, 27, 36, 45, 54, 63, 62}}, // long diagonal and two C squares
    {9, {0, 1, 10, 19, 28, 37, 46, 55, 63}},     // diagonal of 7 and two corners
    {10, {1, 2, 11, 20, 29, 38, 47, 55, 9, 54}}, // diagonal of 6, and the C and X squares at its ends
    {5, {3, 12, 21, 30, 39}},                    // diagonal of 5
};

static int power3(int n)
{
    int p = 1;
    while (n-- > 0) p *= 3;
    return p;
}

static uint64_t image_set(const kind *k, int sym)
{
    uint64_t set = 0;
    for (int i = 0; i < k->length; i++) set |= (uint64_t)1 << oth_sym_square(sym, k->sq[i]);
    return set;
}

// The entries of one kind that its own symmetries map onto each other share the weight of the smallest.
static void init_canon(const kind *k, int first)
{
    int size = power3(k->length);
    for (int e = 0; e < size; e++) oth_shape_canon[first + e] = first + e;
    for (int sym = 1; sym < OTH_SYMS; sym++) {
        if (image_set(k, sym) != image_set(k, 0)) continue;
        int to[MAX_LENGTH]; // digit i of an entry becomes digit to[i] of its image
        for (int i = 0; i < k->length; i++) {
            to[i] = 0;
            while (k->sq[to[i]] != oth_sym_square(sym, k->sq[i])) to[i]++;
        }
        for (int e = 0; e < size; e++) {
            int image = 0, rest = e;
            for (int i = 0; i < k->length; i++, rest /= 3) image += rest % 3 * power3(to[i]);
            if (first + image < oth_shape_canon[first + e]) oth_shape_canon[first + e] = first + image;
        }
    }
}

static void init(void)
{
    int place = 0, first = 0;
    for (int k = 0; k < OTH_KINDS; k++) {
        uint64_t seen[OTH_SYMS];
        int n_seen = 0;
        for (int sym = 0; sym < OTH_SYMS; sym++) {
            uint64_t set = image_set(&kinds[k], sym);
            bool again = false;
            for (int i = 0; i < n_seen; i++) again |= seen[i] == set;
            if (again) continue;
            seen[n_seen++] = set;
            for (int i = 0, p = 1; i < kinds[k].length; i++, p *= 3)
                oth_shape_step[oth_sym_square(sym, kinds[k].sq[i])][place] = (int16_t)p;
            oth_shape_zero[place++] = first + (power3(kinds[k].length) - 1) / 2;
        }
        oth_kind_first[k] = first;
        init_canon(&kinds[k], first);
        first += power3(kinds[k].length);
    }
    assert(place == OTH_PLACES && first == OTH_AT_MOBILITY);
    oth_kind_first[OTH_KINDS] = first;
    for (; first < OTH_STAGE_SIZE; first++) oth_shape_canon[first] = first;
}

void oth_eval_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init);
}

// Without weights: a move more is worth about a disc and a half, a corner about eight; at the end only discs count.
static int plain_eval(oth_board b)
{
    const uint64_t corners = 0x8100000000000081u, xs = 0x0042000000004200u;
    uint64_t mine = oth_moves(b), theirs = oth_moves(oth_pass(b)), empty = oth_empty(b);
    if (mine == 0 && theirs == 0) return oth_score(b) * OTH_EVAL_UNIT;
    int v =
        192 * (oth_count(mine) - oth_count(theirs)) + 1024 * (oth_count(b.own & corners) - oth_count(b.opp & corners));
    if ((empty & corners) != 0) v -= 384 * (oth_count(b.own & xs) - oth_count(b.opp & xs));
    int left = oth_count(empty);
    if (left < 12) v = (v * left + (12 - left) * OTH_EVAL_UNIT * (oth_count(b.own) - oth_count(b.opp))) / 12;
    return v;
}

int oth_eval(const oth_weights *w, oth_board b)
{
    if (w == NULL) return plain_eval(b);
    oth_eval_init();
    oth_shape s = oth_shape_of(b);
    return oth_eval_shape(w, &s, OTH_SQUARES - oth_count(oth_empty(b)), oth_moves(b), oth_moves(oth_pass(b)));
}
