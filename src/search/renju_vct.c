// The search for wins by threats. See renju_vct.h.
//
// Positions with the attacker to move are entries of a table: won in so many moves of the attacker, or not won within so
// many threats. The side to move is part of the key, so one table serves both colours.
#include "search/renju_vct.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FOURS_NODES = 300, NO_MOVE = 0xffff, MOST = 60, FAIL = 0, STOP = -1 };

typedef struct entry {
    uint64_t hash;
    uint16_t move;
    uint8_t wins;  // in so many moves of the attacker; 0 = not known
    uint8_t fails; // no win within fails - 1 threats; 0 = not known
    uint32_t unused;
} entry;

struct rj_vct {
    entry *table;
    size_t mask;
    rj_vcf *fours;
    rj_board *b;
    uint64_t nodes, limit;
    int plies;
};

err rj_vct_new(rj_vct **out, int hash)
{
    assert(hash >= 6 && hash <= 32);
    rj_vct *v = calloc(1, sizeof *v);
    entry *table = calloc((size_t)1 << hash, sizeof *table);
    rj_vcf *fours = NULL;
    err e = v == NULL || table == NULL ? err_set(ERR_MEMORY, "no memory for a table of 2^%d positions", hash)
                                       : rj_vcf_new(&fours, hash);
    if (e != ERR_OK) {
        free(v);
        free(table);
        return e;
    }
    v->table = table;
    v->mask = ((size_t)1 << hash) - 1;
    v->fours = fours;
    *out = v;
    return ERR_OK;
}

void rj_vct_free(rj_vct *v)
{
    if (v == NULL) return;
    rj_vcf_free(v->fours);
    free(v->table);
    free(v);
}

void rj_vct_forget(rj_vct *v)
{
    memset(v->table, 0, (v->mask + 1) * sizeof *v->table);
    rj_vcf_forget(v->fours);
}

static entry *find(rj_vct *v, entry *none)
{
    entry *e = &v->table[v->b->hash & v->mask];
    if (e->hash == v->b->hash) return e;
    *none = (entry){.hash = v->b->hash, .move = NO_MOVE};
    return none;
}

static bool allowed(rj_board *b, int p)
{
    return b->side != RJ_BLACK || rj_foul_at(b, p) == RJ_FINE;
}

static int only_five(const rj_board *b, int colour)
{
    uint16_t five[RJ_MAX_POINTS];
    rj_points(b, colour, RJ_FIVE, RJ_FIVE, five);
    return five[0];
}

// A win by fours: its length in moves, 0 for none. `line` may be NULL.
static int by_fours(rj_vct *v, rj_line *line)
{
    rj_line l;
    const uint16_t *own = v->b->count[v->b->side];
    if (own[RJ_FIVE] + own[RJ_FOUR] + own[RJ_FOUR_PLUS] + own[RJ_FOUR_THREE] + own[RJ_WINNING] + own[RJ_DOUBTFUL] == 0)
        return 0;
    rj_vcf_solve(v->fours, v->b, &(rj_vcf_limits){.any = true, .moves = 40, .nodes = FOURS_NODES}, &l);
    v->nodes += l.nodes;
    if (line != NULL) *line = l;
    return l.length;
}

// Threats, the most promising first: what makes a four with something, threes, then bare fours.
static int list_threats(const rj_board *b, uint16_t *out)
{
    static const uint8_t order[] = {RJ_FOUR_THREE, RJ_THREE_THREE, RJ_DOUBTFUL, RJ_THREE_PLUS,
                                    RJ_THREE,      RJ_FOUR_PLUS,   RJ_FOUR};
    uint16_t all[RJ_MAX_POINTS];
    int n = rj_points(b, b->side, RJ_THREE, RJ_DOUBTFUL, all), m = 0;
    for (size_t k = 0; k < sizeof order; k++)
        for (int i = 0; i < n; i++)
            if (rj_class_at(b, b->side, all[i]) == order[k]) out[m++] = all[i];
    return m;
}

// What may stop a straight or double four: the points where either side makes a four. The defender's wins come first.
static int list_answers(rj_board *b, uint16_t *out)
{
    uint16_t own[RJ_MAX_POINTS], other[RJ_MAX_POINTS];
    int n_own = rj_points(b, b->side, RJ_FOUR, RJ_DOUBTFUL, own), n = 0;
    int n_other = rj_points(b, b->side ^ 1, RJ_FOUR, RJ_DOUBTFUL, other);
    for (int k = RJ_DOUBTFUL; k >= RJ_FOUR; k--)
        for (int i = 0; i < n_other; i++)
            if ((int)rj_class_at(b, b->side ^ 1, other[i]) == k && allowed(b, other[i])) out[n++] = other[i];
    for (int i = 0; i < n_own; i++) {
        rj_class k = rj_class_at(b, b->side ^ 1, own[i]);
        if (k >= RJ_FOUR && k <= RJ_DOUBTFUL) continue;
        if (!allowed(b, own[i])) continue;
        out[n++] = own[i];
        if (rj_class_at(b, b->side, own[i]) != RJ_WINNING) continue;
        memmove(out + 1, out, (size_t)(n - 1) * sizeof *out);
        out[0] = own[i];
    }
    return n;
}

static int attack(rj_vct *v, int left);

// The attacker has just moved. Moves of the attacker until the win, from here; FAIL; STOP.
static int defend(rj_vct *v, int left)
{
    rj_board *b = v->b;
    int me = b->side, fives = b->count[me ^ 1][RJ_FIVE], longest = 0, n;
    uint16_t answer[RJ_MAX_POINTS];
    if (b->count[me][RJ_FIVE] > 0) return FAIL;
    if (fives > 1) return 1;
    if (fives == 1) {
        answer[0] = (uint16_t)only_five(b, me ^ 1);
        if (!allowed(b, answer[0])) return 1;
        n = 1;
    } else {
        if (b->count[me ^ 1][RJ_WINNING] == 0) return FAIL; // no threat
        n = list_answers(b, answer);
    }
    for (int i = 0; i < n; i++) {
        rj_play(b, answer[i]);
        v->plies++;
        int r = attack(v, left);
        v->plies--;
        rj_undo(b);
        if (r <= 0) return r;
        if (r > longest) longest = r;
    }
    return n == 0 ? 1 : longest;
}

static int try_threats(rj_vct *v, int left, uint16_t *best)
{
    rj_board *b = v->b;
    uint16_t move[RJ_MAX_POINTS];
    bool forced = b->count[b->side ^ 1][RJ_FIVE] == 1;
    int n = 1;
    if (forced)
        move[0] = (uint16_t)only_five(b, b->side ^ 1);
    else
        n = list_threats(b, move);
    if (v->plies > 200) return FAIL;
    for (int i = 0; i < n; i++) {
        if (v->limit != 0 && v->nodes >= v->limit) return STOP;
        if (!allowed(b, move[i])) continue;
        v->nodes++;
        rj_play(b, move[i]);
        v->plies++;
        int r = defend(v, forced ? left : left - 1);
        v->plies--;
        rj_undo(b);
        if (r == STOP) return STOP;
        if (r == FAIL) continue;
        *best = move[i];
        return r + 1;
    }
    return FAIL;
}

// The attacker moves. Moves of the attacker until the win; FAIL when there is none within `left` threats; STOP.
static int attack(rj_vct *v, int left)
{
    rj_board *b = v->b;
    int threats = b->count[b->side ^ 1][RJ_FIVE];
    if (b->count[b->side][RJ_FIVE] > 0) return 1;
    if (threats > 1) return FAIL;
    if (threats == 0 && b->count[b->side][RJ_WINNING] > 0) return 1;
    entry none, *e = find(v, &none);
    if (e->wins > 0) return e->wins;
    if (e->fails > left) return FAIL;
    uint16_t best = NO_MOVE;
    int r = e->fails > 0 ? 0 : by_fours(v, NULL); // a failure that is known was asked this before
    if (r == 0) r = left > 0 || threats > 0 ? try_threats(v, left, &best) : FAIL;
    if (r == STOP) return STOP;
    if (r > 250) r = 250;
    entry now = {.hash = b->hash, .move = best, .wins = (uint8_t)r, .fails = (uint8_t)(r > 0 ? 0 : left + 1)};
    v->table[b->hash & v->mask] = now;
    return r;
}

// Follows the longest defence through the table; whatever was overwritten there is searched again.
static void walk(rj_vct *v, int left, rj_line *out)
{
    rj_board *b = v->b;
    int played = 0;
    for (;;) {
        rj_line l;
        if (by_fours(v, &l) > 0) {
            for (int i = 0; i < l.n && out->n < 2 * RJ_VCF_MAX; i++) out->move[out->n++] = l.move[i];
            break;
        }
        entry none;
        if (attack(v, left) <= 0 || out->n > 2 * RJ_VCF_MAX - 4) break;
        uint16_t move = find(v, &none)->move, answer[RJ_MAX_POINTS];
        if (move == NO_MOVE) break;
        out->move[out->n++] = move;
        rj_play(b, move);
        played++;
        int fives = b->count[b->side ^ 1][RJ_FIVE], n = 1, longest = 0, at = 0;
        if (fives > 1) break;
        answer[0] = fives == 1 ? (uint16_t)only_five(b, b->side ^ 1) : 0;
        if (fives == 0) n = list_answers(b, answer);
        if (n == 0 || (fives == 1 && !allowed(b, answer[0]))) break;
        for (int i = 0; i < n; i++) {
            rj_play(b, answer[i]);
            int r = attack(v, left);
            rj_undo(b);
            if (r > longest) {
                longest = r;
                at = i;
            }
        }
        out->move[out->n++] = answer[at];
        rj_play(b, answer[at]);
        played++;
    }
    while (played-- > 0) rj_undo(b);
    out->length = (out->n + 1) / 2;
}

rj_vcf_verdict rj_vct_solve(rj_vct *v, rj_board *b, const rj_vcf_limits *l, rj_line *out)
{
    int most = l->moves > 0 && l->moves < MOST ? l->moves : MOST, r = FAIL;
    v->b = b;
    v->nodes = 0;
    v->limit = l->nodes;
    v->plies = b->n_frames;
    for (int depth = 1; depth <= most && r == FAIL; depth++) {
        uint64_t before = v->nodes;
        r = attack(v, depth);
        if (r > 0) most = depth;
        if (v->nodes == before && depth > 20) break;
    }
    if (out != NULL) {
        *out = (rj_line){.nodes = v->nodes};
        v->limit = 0;
        if (r > 0) walk(v, most, out);
    }
    v->b = NULL;
    return r > 0 ? RJ_VCF_WIN : r == STOP ? RJ_VCF_UNKNOWN : RJ_VCF_NONE;
}
