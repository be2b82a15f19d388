// The search for wins by threats. See renju_vct.h.
//
// Proof-number search, depth first: a position's proof number is how many more positions must at least be shown won to
// prove a win, its disproof number the same for a refutation. The search always goes where the smaller of them leads, so
// long forced lines cost little and there is no depth to choose. Positions are told apart by stones, side and attacker; what
// is in the table stays true from move to move of a game. Stones only ever come, so there are no cycles.
#include "search/renju/renju_vct.h"

#include "base/clock.h"
#include "search/renju/renju_stop.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    FOURS_NODES = 100, // for each question "do fours win here?"
    SHORT_MOVES = 5,   // a short line leaves the defender fewer answers, so it is asked for first
    FOUR_COST = 4,
    THREE_COST = 2, // proof numbers that moves start with
    QUIET_COST = 8,
    PLAIN_NODES = 5000000, // for wins without quiet moves, where there is no limit
    DEEPEST = 14,          // threats of a win without quiet moves
    LOOK_EVERY = 256,      // nodes between two looks at the clock
    BUCKET = 4,
    MANY = 1000000000,
    NO_MOVE = 0xffff,
};

typedef struct entry {
    uint64_t key;
    uint32_t pn, dn; // 0: proved, disproved
    uint32_t work;   // nodes spent below
    uint16_t move;   // the attacker's, once won
    uint16_t length; // moves of the attacker to the end of it, once won
} entry;

struct rj_vct {
    entry *table;
    size_t mask; // of the first entry of a bucket
    rj_vcf *fours;
    rj_board *b; // while solving
    int attacker;
    bool quiet; // moves that are neither fours nor threes are tried, too
    bool stop;
    uint64_t nodes, limit;
    double until;  // 0: no limit
    uint64_t look; // at the clock, when there are this many nodes
};

typedef struct node { // a position while it is searched
    uint32_t pn, dn;
    uint16_t move, length;
    int n;
    uint16_t child[RJ_MAX_POINTS];
    uint8_t start[RJ_MAX_POINTS]; // the proof number a child starts with
} node;

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
    v->mask = (((size_t)1 << hash) - 1) & ~(size_t)(BUCKET - 1);
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
    memset(v->table, 0, (v->mask + BUCKET) * sizeof *v->table);
    rj_vcf_forget(v->fours);
}

// --- the table

static uint64_t key_of(const rj_vct *v, uint64_t hash)
{
    return hash ^ (v->attacker == RJ_BLACK ? 0 : 0x9e3779b97f4a7c15u) ^ (v->quiet ? 0xc2b2ae3d27d4eb4fu : 0);
}

static const entry *find(const rj_vct *v, uint64_t hash)
{
    uint64_t key = key_of(v, hash);
    const entry *e = &v->table[key & v->mask];
    for (int i = 0; i < BUCKET; i++)
        if (e[i].key == key && e[i].work > 0) return &e[i];
    return NULL;
}

static void store(rj_vct *v, const node *x, uint64_t work)
{
    uint64_t key = key_of(v, v->b->hash);
    entry *e = &v->table[key & v->mask], *at = e;
    for (int i = 0; i < BUCKET; i++) {
        if (e[i].key == key) {
            at = &e[i];
            break;
        }
        if (e[i].work < at->work) at = &e[i]; // what cost least is found again soonest
    }
    uint64_t all = work + (at->key == key ? at->work : 0) + 1;
    *at = (entry){.key = key,
                  .pn = x->pn,
                  .dn = x->dn,
                  .work = all < MANY ? (uint32_t)all : MANY,
                  .move = x->move,
                  .length = x->length};
}

// --- positions

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

// A win by fours of the side to move: its length, 0 for none.
static int by_fours(rj_vct *v, rj_line *line)
{
    const uint16_t *own = v->b->count[v->b->side];
    line->length = 0;
    if (own[RJ_FIVE] + own[RJ_FOUR] + own[RJ_FOUR_PLUS] + own[RJ_FOUR_THREE] + own[RJ_WINNING] + own[RJ_DOUBTFUL] == 0)
        return 0;
    rj_vcf_limits l = {.moves = SHORT_MOVES, .nodes = FOURS_NODES};
    rj_vcf_solve(v->fours, v->b, &l, line);
    v->nodes += line->nodes;
    if (line->length > 0) return line->length;
    l.any = true;
    l.moves = 0;
    rj_vcf_solve(v->fours, v->b, &l, line);
    v->nodes += line->nodes;
    return line->length;
}

static void won(node *x, int length)
{
    x->pn = 0;
    x->dn = MANY;
    x->length = (uint16_t)length;
}

static void refuted(node *x)
{
    x->pn = MANY;
    x->dn = 0;
}

static void add(node *x, int p, int cost)
{
    x->child[x->n] = (uint16_t)p;
    x->start[x->n++] = (uint8_t)cost;
}

// The attacker to move: fours, threes, then moves that build something.
static void list_threats(const rj_vct *v, node *x)
{
    rj_board *b = v->b;
    static const uint8_t order[] = {RJ_FOUR_THREE, RJ_THREE_THREE, RJ_DOUBTFUL, RJ_THREE_PLUS, RJ_THREE, RJ_FOUR_PLUS,
                                    RJ_FOUR,       RJ_CLOSED_PLUS, RJ_TWO_TWO,  RJ_CLOSED,     RJ_TWO};
    uint16_t all[RJ_MAX_POINTS];
    int n = rj_points(b, b->side, v->quiet ? RJ_TWO : RJ_THREE, RJ_DOUBTFUL, all);
    for (size_t k = 0; k < sizeof order; k++)
        for (int i = 0; i < n; i++) {
            if (rj_class_at(b, b->side, all[i]) != order[k] || !allowed(b, all[i])) continue;
            add(x, all[i], order[k] >= RJ_FOUR ? FOUR_COST : order[k] >= RJ_THREE ? THREE_COST : QUIET_COST);
        }
}

// `asked`: fours are known not to win.
static void open_attack(rj_vct *v, node *x, bool asked)
{
    rj_board *b = v->b;
    rj_line fours;
    int threats = b->count[b->side ^ 1][RJ_FIVE];
    if (b->count[b->side][RJ_FIVE] > 0 || (threats == 0 && b->count[b->side][RJ_WINNING] > 0)) {
        won(x, 1);
    } else if (threats > 1) {
        refuted(x);
    } else if (!asked && by_fours(v, &fours) > 0) {
        x->move = fours.move[0];
        won(x, fours.length);
    } else if (threats == 1) {
        int p = only_five(b, b->side ^ 1);
        if (allowed(b, p)) add(x, p, 1);
    } else {
        list_threats(v, x);
    }
}

static void open_defence(rj_vct *v, node *x)
{
    rj_board *b = v->b;
    rj_line fours;
    int fives = b->count[v->attacker][RJ_FIVE];
    if (b->count[b->side][RJ_FIVE] > 0) {
        refuted(x);
    } else if (fives > 0) {
        int p = only_five(b, v->attacker);
        if (fives == 1 && allowed(b, p)) add(x, p, 1);
    } else {
        rj_pass(b);
        int threat = by_fours(v, &fours);
        rj_undo(b);
        rj_line own;
        if (threat == 0 || by_fours(v, &own) > 0) {
            refuted(x);
            return;
        }
        x->n = rj_stops(b, &fours, x->child);
        memset(x->start, 1, (size_t)x->n);
    }
}

// --- the search

typedef struct pick {
    int at;          // the child to search next
    uint32_t second; // the next smallest number beside its own
    uint32_t others; // children that are open beside it
} pick;

// The numbers of a position from its children's. With the attacker to move one win is enough, else all must be won. Where all
// must be, the largest number and one for each further open child stand for the sum: many ways lead to the same position,
// and a true sum would count it so often that it overflows.
static pick weigh(const rj_vct *v, node *x)
{
    bool attack = v->b->side == v->attacker;
    pick best = {.at = -1, .second = MANY};
    uint32_t least = MANY, largest = 0, open = 0;
    uint16_t length = attack ? UINT16_MAX : 0;
    for (int i = 0; i < x->n; i++) {
        const entry *e = find(v, rj_hash_after(v->b, x->child[i]));
        uint32_t pn = e != NULL ? e->pn : x->start[i], dn = e != NULL ? e->dn : 1;
        uint32_t own = attack ? pn : dn, other = attack ? dn : pn;
        open += pn != 0 && dn != 0;
        if (other > largest) largest = other;
        if (own < least || best.at < 0) {
            best.second = least;
            best.at = i;
            least = own;
        } else if (own < best.second) {
            best.second = own;
        }
        if (pn != 0) continue;
        if (attack && e->length + 1 < length) {
            length = (uint16_t)(e->length + 1);
            x->move = x->child[i];
        }
        if (!attack && e->length > length) length = e->length;
    }
    best.others = open > 0 ? open - 1 : 0;
    uint32_t all = least == 0 ? MANY : largest + best.others < MANY ? largest + best.others : MANY - 1;
    if (open == 0 && least != 0) all = 0, least = MANY; // every child is decided against the mover
    x->pn = attack ? least : all;
    x->dn = attack ? all : least;
    if (x->pn == 0) x->length = length;
    return best;
}

static bool ended(rj_vct *v)
{
    if (v->limit != 0 && v->nodes >= v->limit) v->stop = true;
    if (v->until > 0 && v->nodes >= v->look) {
        v->look = v->nodes + LOOK_EVERY;
        if (clock_seconds() >= v->until) v->stop = true;
    }
    return v->stop;
}

// Searches until the position is decided or a number reaches its limit, and leaves the outcome in the table.
static void search(rj_vct *v, uint32_t pn_limit, uint32_t dn_limit)
{
    node x = {.pn = 1, .dn = 1, .move = NO_MOVE};
    rj_board *b = v->b;
    bool attack = b->side == v->attacker;
    uint64_t before = v->nodes++;
    if (attack)
        open_attack(v, &x, find(v, b->hash) != NULL);
    else
        open_defence(v, &x);
    while (x.pn != 0 && x.dn != 0) {
        pick p = weigh(v, &x);
        if (x.pn == 0 || x.dn == 0 || x.pn >= pn_limit || x.dn >= dn_limit) break;
        if (ended(v)) break;
        // Stay with a child a little longer than it is the best: fewer ways back and forth.
        uint32_t next = p.second + p.second / 4 + 1;
        uint32_t pn_child = attack ? (next < pn_limit ? next : pn_limit) : pn_limit - p.others;
        uint32_t dn_child = attack ? dn_limit - p.others : (next < dn_limit ? next : dn_limit);
        rj_play(b, x.child[p.at]);
        search(v, pn_child, dn_child);
        rj_undo(b);
    }
    store(v, &x, v->nodes - before);
}

// Won, and how? Searched again where the table forgot it.
static const entry *won_entry(rj_vct *v, uint64_t hash)
{
    const entry *e = find(v, hash);
    return e != NULL && e->pn == 0 ? e : NULL;
}

static bool deepen_attack(rj_vct *v, int left);

static void again(rj_vct *v)
{
    if (v->quiet)
        search(v, MANY, MANY);
    else
        deepen_attack(v, DEEPEST);
}

static int length_after(rj_vct *v, int p)
{
    const entry *e = won_entry(v, rj_hash_after(v->b, p));
    if (e == NULL) {
        rj_play(v->b, p);
        again(v);
        rj_undo(v->b);
        e = won_entry(v, rj_hash_after(v->b, p));
    }
    return e == NULL ? 0 : e->length;
}

// The line of a won position: the attacker's proved moves against the longest defence.
static void walk(rj_vct *v, rj_line *out)
{
    rj_board *b = v->b;
    int played = 0;
    while (out->n < 2 * RJ_VCF_MAX - 2) {
        rj_line fours;
        if (by_fours(v, &fours) > 0) {
            for (int i = 0; i < fours.n && out->n < 2 * RJ_VCF_MAX; i++) out->move[out->n++] = fours.move[i];
            break;
        }
        if (won_entry(v, b->hash) == NULL) again(v);
        const entry *e = won_entry(v, b->hash);
        if (e == NULL || e->move == NO_MOVE) break;
        out->move[out->n++] = e->move;
        rj_play(b, e->move);
        played++;
        node x = {.pn = 1, .dn = 1};
        open_defence(v, &x);
        if (x.n == 0) break;
        int longest = -1, answer = 0;
        for (int i = 0; i < x.n; i++) {
            int l = length_after(v, x.child[i]);
            if (l > longest) longest = l, answer = x.child[i];
        }
        out->move[out->n++] = (uint16_t)answer;
        rj_play(b, answer);
        played++;
    }
    while (played-- > 0) rj_undo(b);
    out->length = (out->n + 1) / 2;
}

// --- deepening: wins without quiet moves

static bool deepen_defence(rj_vct *v, int left, int *longest)
{
    node x = {.pn = 1, .dn = 1};
    open_defence(v, &x);
    *longest = 0;
    if (x.dn == 0) return false;
    for (int i = 0; i < x.n; i++) {
        rj_play(v->b, x.child[i]);
        bool wins = deepen_attack(v, left);
        rj_undo(v->b);
        if (!wins) return false;
        const entry *e = find(v, rj_hash_after(v->b, x.child[i]));
        if (e != NULL && e->length > *longest) *longest = e->length;
    }
    return true;
}

// Is there a win within `left` threats? The table's disproof number says "none within this many less one".
static bool deepen_attack(rj_vct *v, int left)
{
    const entry *e = find(v, v->b->hash);
    if (e != NULL && e->pn == 0) return true;
    if (e != NULL && (int)e->dn > left) return false;
    node x = {.pn = 1, .dn = 1, .move = NO_MOVE};
    uint64_t before = v->nodes;
    bool forced = v->b->count[v->b->side ^ 1][RJ_FIVE] > 0;
    open_attack(v, &x, e != NULL);
    for (int i = 0; x.pn != 0 && x.dn != 0 && (left > 0 || forced) && i < x.n; i++) {
        if (ended(v)) return false;
        v->nodes += 4; // the questions asked of the answers cost more than a move of fours
        int length;
        rj_play(v->b, x.child[i]);
        bool wins = deepen_defence(v, forced ? left : left - 1, &length);
        rj_undo(v->b);
        if (!wins) continue;
        x.move = x.child[i];
        won(&x, length + 1);
    }
    if (v->stop && x.pn != 0) return false;
    if (x.pn != 0) x.dn = (uint32_t)left + 1;
    store(v, &x, v->nodes - before);
    return x.pn == 0;
}

static bool deepen(rj_vct *v, uint64_t limit)
{
    v->quiet = v->stop = false;
    v->limit = limit;
    for (int left = 1; left <= DEEPEST && !v->stop; left++)
        if (deepen_attack(v, left)) return true;
    return false;
}

rj_vcf_verdict rj_vct_solve(rj_vct *v, rj_board *b, uint64_t nodes, double until, rj_line *out)
{
    v->b = b;
    v->attacker = b->side;
    v->nodes = v->look = 0;
    v->until = until;
    // Quiet moves make every position several times as wide, and most wins need none: those are found by deepening, which
    // also makes them short.
    rj_vcf_verdict verdict = RJ_VCF_WIN;
    if (!deepen(v, nodes > 0 ? nodes / 8 + 1 : PLAIN_NODES)) {
        v->quiet = true;
        v->stop = false;
        v->limit = nodes;
        search(v, MANY, MANY);
        const entry *e = find(v, b->hash);
        verdict = e == NULL || (e->pn != 0 && e->dn != 0) ? RJ_VCF_UNKNOWN : e->pn == 0 ? RJ_VCF_WIN : RJ_VCF_NONE;
    }
    if (out != NULL) {
        *out = (rj_line){.nodes = v->nodes};
        v->limit = 0;
        v->until = 0;
        v->stop = false;
        if (verdict == RJ_VCF_WIN) walk(v, out);
    }
    v->b = NULL;
    return verdict;
}
