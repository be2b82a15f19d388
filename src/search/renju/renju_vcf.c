// The walk of fours. See renju_vcf.h.
//
// What a position's table entry says: "no win within this many moves", 255 when there is none at all. Wins are never
// stored: the first one ends the search. Positions with the attacker to move are told apart by stones and side, so one
// table serves both colours, and stays true from move to move of a game.
#include "search/renju/renju_vcf.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NEVER = 255 };

typedef struct entry {
    uint64_t hash;
    uint8_t fails, unused[7]; // no win within this many moves
} entry;

struct rj_vcf {
    entry *table;
    size_t mask;
    rj_board *b; // while solving
    uint64_t nodes, limit;
    int depth;
    bool lean;
    uint16_t path[2 * RJ_VCF_MAX + 2];
};

typedef enum found { NO, CUT, YES, STOP } found; // none at all; none within the limit; a win; nodes ran out

err rj_vcf_new(rj_vcf **out, int hash)
{
    assert(hash >= 4 && hash <= 32);
    rj_vcf *v = calloc(1, sizeof *v);
    entry *table = calloc((size_t)1 << hash, sizeof *table);
    if (v == NULL || table == NULL) {
        free(v);
        free(table);
        return err_set(ERR_MEMORY, "no memory for a table of 2^%d positions", hash);
    }
    v->table = table;
    v->mask = ((size_t)1 << hash) - 1;
    *out = v;
    return ERR_OK;
}

void rj_vcf_free(rj_vcf *v)
{
    if (v == NULL) return;
    free(v->table);
    free(v);
}

void rj_vcf_forget(rj_vcf *v)
{
    memset(v->table, 0, (v->mask + 1) * sizeof *v->table);
}

static bool has_pattern(const rj_board *b, int colour, int p, rj_pattern low)
{
    for (int d = 0; d < RJ_DIRS; d++)
        if (rj_pattern_at(b, colour, d, p) >= low) return true;
    return false;
}

// Does a stone of the side to move on p make a four, and may it stand there?
static bool makes_four(rj_board *b, int p)
{
    rj_class k = rj_class_at(b, b->side, p);
    if (k == RJ_DOUBTFUL) return has_pattern(b, b->side, p, RJ_P_FOUR) && rj_foul_at(b, p) == RJ_FINE;
    return k >= RJ_FOUR && k <= RJ_WINNING;
}

// Makes a straight four, or two fours where they are allowed: no answer but a five of one's own.
static bool makes_win(rj_board *b, int p)
{
    rj_class k = rj_class_at(b, b->side, p);
    if (k == RJ_DOUBTFUL) return has_pattern(b, b->side, p, RJ_P_STRAIGHT) && rj_foul_at(b, p) == RJ_FINE;
    return k == RJ_WINNING;
}

static int find_five(const rj_board *b, int colour)
{
    uint16_t five[RJ_MAX_POINTS];
    return rj_points(b, colour, RJ_FIVE, RJ_FIVE, five) > 0 ? five[0] : -1;
}

// The one point that completes the four just made; the last stone changed it.
static int five_of_last(const rj_board *b, int colour)
{
    int n;
    const rj_change *c = rj_changes(b, &n);
    for (int i = 1; i < n; i++)
        if (rj_class_at(b, colour, c[i].point) == RJ_FIVE) return c[i].point;
    return find_five(b, colour);
}

// The moves worth a try, most forcing first. `forced` is the point that must be taken, or -1.
static int list_moves(rj_board *b, int forced, rj_class low, uint16_t *out)
{
    if (forced >= 0) {
        out[0] = (uint16_t)forced;
        return makes_four(b, forced);
    }
    uint16_t all[RJ_MAX_POINTS];
    int n = rj_points(b, b->side, low, RJ_DOUBTFUL, all), m = 0;
    for (int k = RJ_DOUBTFUL; k >= (int)low; k--)
        for (int i = 0; i < n; i++)
            if ((int)rj_class_at(b, b->side, all[i]) == k && (k != RJ_DOUBTFUL || makes_four(b, all[i])))
                out[m++] = all[i];
    return m;
}

static found attack(rj_vcf *v, int left);

// After the attacker's four on the board: does it win, or what comes after the answer?
static found answer(rj_vcf *v, int left)
{
    rj_board *b = v->b;
    int me = b->side ^ 1, fives = b->count[me][RJ_FIVE];
    if (fives == 0 || b->count[b->side][RJ_FIVE] > 0) return NO;
    if (fives > 1) return YES;
    int p = five_of_last(b, me);
    if (b->side == RJ_BLACK && rj_foul_at(b, p) != RJ_FINE) return YES;
    if (left == 0) return CUT;
    v->path[v->depth++] = (uint16_t)p;
    rj_play(b, p);
    found f = attack(v, left);
    rj_undo(b);
    if (f != YES) v->depth--;
    return f;
}

static found try_moves(rj_vcf *v, const uint16_t *move, int n, int left)
{
    rj_board *b = v->b;
    bool cut = false;
    for (int i = 0; i < n; i++) {
        if (v->limit != 0 && v->nodes >= v->limit) return STOP;
        v->nodes++;
        v->path[v->depth++] = move[i];
        rj_play(b, move[i]);
        found f = answer(v, left - 1);
        rj_undo(b);
        if (f == YES || f == STOP) return f;
        v->depth--;
        cut |= f == CUT;
    }
    return cut ? CUT : NO;
}

// The attacker moves and has no five. Is there a win within `left` (at least 1) moves?
static found attack(rj_vcf *v, int left)
{
    rj_board *b = v->b;
    int me = b->side, threats = b->count[me ^ 1][RJ_FIVE];
    if (threats > 1) return NO;
    const uint16_t *count = b->count[me];
    const rj_class low = v->lean ? RJ_FOUR_PLUS : RJ_FOUR;
    if ((v->lean && threats == 0 ? 0 : count[RJ_FOUR]) + count[RJ_FOUR_PLUS] + count[RJ_FOUR_THREE] +
            count[RJ_WINNING] + count[RJ_DOUBTFUL] ==
        0)
        return NO;
    entry *e = &v->table[b->hash & v->mask];
    if (e->hash == b->hash && e->fails >= left) return e->fails == NEVER ? NO : CUT;

    uint16_t move[RJ_MAX_POINTS];
    int n = list_moves(b, threats > 0 ? find_five(b, me ^ 1) : -1, low, move);
    for (int i = 0; i < n && (rj_class)RJ_WINNING <= rj_class_at(b, me, move[i]); i++)
        if (makes_win(b, move[i])) {
            v->path[v->depth++] = move[i];
            v->nodes++;
            return YES;
        }
    // The last move must win by itself: without a straight or double four only a foul can make it.
    bool traps = b->rule == RJ_RENJU && me == RJ_WHITE;
    found f = left == 1 && !traps ? (n > 0 ? CUT : NO) : try_moves(v, move, n, left);
    if (f == NO || f == CUT) *e = (entry){.hash = b->hash, .fails = (uint8_t)(f == NO ? NEVER : left)};
    return f;
}

static void keep(const rj_vcf *v, rj_line *out)
{
    out->n = v->depth;
    out->length = (v->depth + 1) / 2;
    memcpy(out->move, v->path, (size_t)v->depth * sizeof *v->path);
}

rj_vcf_verdict rj_vcf_solve(rj_vcf *v, rj_board *b, const rj_vcf_limits *l, rj_line *out)
{
    int room = (RJ_MAX_FRAMES - b->n_frames) / 2 - 1,
        most = l->moves > 0 && l->moves < RJ_VCF_MAX ? l->moves : RJ_VCF_MAX;
    if (most > room) most = room;
    // Sums of values are not asked for here. Taking stones back restores them, so leaving them out is free.
    const rj_values *values = b->values;
    b->values = NULL;
    v->b = b;
    v->nodes = 0;
    v->limit = l->nodes;
    v->lean = l->lean;
    v->depth = 0;
    found f = CUT;
    int depth = l->any ? most : 1;
    if (b->count[b->side][RJ_FIVE] > 0) {
        v->path[v->depth++] = (uint16_t)find_five(b, b->side);
        depth = 1;
        f = YES;
    }
    for (; f == CUT && depth <= most; depth++) {
        v->depth = 0;
        f = attack(v, depth);
    }
    if (out != NULL) {
        *out = (rj_line){.nodes = v->nodes, .shortest = !l->any};
        if (f == YES) keep(v, out);
    }
    v->b = NULL;
    b->values = values;
    return f == YES ? RJ_VCF_WIN : f == STOP ? RJ_VCF_UNKNOWN : RJ_VCF_NONE;
}
