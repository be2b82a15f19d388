// The root of the renju engine: options, what needs no search, deepening, several best lines. See renju_ab.h.
#include "search/renju/renju_ab.h"

#include "base/clock.h"
#include "base/memory.h"
#include "search/renju/renju_ab_inner.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

rj_ab_options rj_ab_defaults(void)
{
    return (rj_ab_options){
        .hash = 18,
        .near = 2,
        .lmr = true,
        .lmr_from = 3,
        .null_move = true,
        .futility = true,
        .window = 75,
        .leaf_vcf = 60,
        .vcf = 200000,
        .vct = 20000,
        .threads = 1,
        .scores = {100000, 10000, 1500, 1000, 30, 50, 10, 5000},
    };
}

static void forget_own(rj_ab *e)
{
    memset(e->history, 0, sizeof e->history);
    memset(e->counter, 0xff, sizeof e->counter);
    memset(e->reply, 0, 2 * sizeof *e->reply);
    rj_vcf_forget(e->vcf);
    rj_vcf_forget(e->all_fours);
    rj_vct_forget(e->vct);
}

// One thread's part; `first` lends it the tables, NULL for the first itself.
static err part_new(rj_ab **out, rj_rule rule, int size, const rj_ab_options *o, rj_ab *first)
{
    rj_ab *e = calloc(1, sizeof *e);
    if (e == NULL) return err_set(ERR_MEMORY, "no memory for an engine");
    e->o = *o;
    e->ply = e->line + 4;
    e->reply = calloc(2, sizeof *e->reply);
    err code = e->reply == NULL ? err_set(ERR_MEMORY, "no memory for an engine")
                                : rj_vcf_new(&e->vcf, o->hash > 10 ? o->hash - 2 : 8);
    if (code == ERR_OK) code = rj_vcf_new(&e->all_fours, o->hash > 12 ? o->hash - 4 : 8);
    if (code == ERR_OK) code = rj_vct_new(&e->vct, o->hash > 12 ? o->hash - 4 : 8);
    rj_board_init(&e->b, rule, size);
    if (first != NULL) {
        e->eval = first->eval;
        e->table = first->table;
        e->halt = first->halt;
    } else if (code == ERR_OK) {
        e->eval = malloc(sizeof *e->eval);
        e->table = calloc(1, sizeof *e->table);
        e->halt = calloc(1, sizeof *e->halt);
        if (e->eval == NULL || e->table == NULL || e->halt == NULL)
            code = err_set(ERR_MEMORY, "no memory for an engine");
        if (code == ERR_OK) code = rj_ab_table_new(e->table, o->hash);
        if (code == ERR_OK) rj_eval_build(e->eval, &e->b, o);
    }
    *out = e;
    if (code != ERR_OK) return code;
    rj_board_values(&e->b, &e->eval->values);
    for (int d = 1; d < 64; d++)
        for (int i = 1; i < 64; i++) e->reduce[d][i] = (uint8_t)(1 + log(d) * log(i) / 1.2);
    forget_own(e);
    return ERR_OK;
}

static void part_free(rj_ab *e)
{
    if (e == NULL) return;
    rj_vct_free(e->vct);
    rj_vcf_free(e->vcf);
    rj_vcf_free(e->all_fours);
    free(e->reply);
    free(e);
}

err rj_ab_new(rj_ab **out, rj_rule rule, int size, const rj_ab_options *o)
{
    assert(o->hash >= 8 && o->hash <= 30 && o->near >= 1 && o->near <= 3 && o->threads >= 1);
    rj_ab *e = NULL;
    err code = part_new(&e, rule, size, o, NULL);
    if (code == ERR_OK && o->threads > 1) {
        e->helper = calloc((size_t)o->threads - 1, sizeof *e->helper);
        e->pool = pool_new(o->threads);
        if (e->helper == NULL || e->pool == NULL) code = err_set(ERR_MEMORY, "no memory for %d threads", o->threads);
        while (code == ERR_OK && e->n_helpers < o->threads - 1)
            code = part_new(&e->helper[e->n_helpers++], rule, size, o, e);
    }
    return HAND_OVER(code, out, e, rj_ab_free);
}

void rj_ab_free(rj_ab *e)
{
    if (e == NULL) return;
    for (int i = 0; i < e->n_helpers; i++) part_free(e->helper[i]);
    free(e->helper);
    pool_free(e->pool);
    if (e->table != NULL) rj_ab_table_free(e->table);
    FREE_ALL(e->table, e->eval, e->halt);
    part_free(e);
}

void rj_ab_forget(rj_ab *e)
{
    rj_ab_table_clear(e->table);
    forget_own(e);
    for (int i = 0; i < e->n_helpers; i++) forget_own(e->helper[i]);
}

uint64_t rj_ab_nodes(const rj_ab *e)
{
    return e->nodes + e->helped;
}

double rj_ab_odds(int score)
{
    if (score > RJ_AB_SURE) return 1;
    if (score < -RJ_AB_SURE) return 0;
    return 1 / (1 + exp(-score / 300.0));
}

// --- root moves

typedef struct root {
    int n, done; // moves; the first `done` already have their line
    uint16_t move[RJ_MAX_POINTS];
} root;

static void list_any(rj_ab *e,
                     root *r) // nothing near is playable: whatever is empty, fouls only when nothing else is left
{
    rj_board *b = &e->b;
    for (int fouls = 0; fouls < 2 && r->n == 0; fouls++)
        for (int p = 0; p < b->points; p++)
            if (b->stone[p] == RJ_EMPTY && (fouls || b->side == RJ_WHITE || rj_foul_at(b, p) == RJ_FINE))
                r->move[r->n++] = (uint16_t)p;
}

static void list_root(rj_ab *e, root *r)
{
    rj_board *b = &e->b;
    rj_pick pick[RJ_MAX_POINTS];
    r->n = r->done = 0;
    if (b->placed == 0) {
        r->move[r->n++] = (uint16_t)(b->points / 2 - (rj_size(b) % 2 == 0 ? rj_size(b) / 2 : 0));
        return;
    }
    int n = rj_ab_moves(e, RJ_NO_POINT, 0, pick);
    for (int i = 0; i < n; i++) {
        rj_ab_next(pick, i, n);
        if (b->side == RJ_WHITE || rj_foul_at(b, pick[i].point) == RJ_FINE) r->move[r->n++] = pick[i].point;
    }
    if (r->n == 0) list_any(e, r);
}

static void to_front(root *r, int at, int i)
{
    uint16_t p = r->move[i];
    memmove(r->move + at + 1, r->move + at, (size_t)(i - at) * sizeof *r->move);
    r->move[at] = p;
}

// One pass over the moves from `done` on within a window; the best comes to the front of them.
static int search_root(rj_ab *e, root *r, int depth, int alpha, int beta)
{
    rj_board *b = &e->b;
    int best = -RJ_AB_INF, best_at = r->done, floor = alpha;
    rj_ab_line keep = {0};
    for (int i = r->done; i < r->n; i++) {
        int v, from = floor, late = e->o.lmr && depth >= 3 ? e->reduce[depth][i - r->done < 63 ? i - r->done : 63] : 0;
        if (late > 0) late--;
        if (late > depth - 2) late = depth - 2;
        e->ply[0].move = r->move[i];
        rj_play(b, r->move[i]);
        if (i == r->done) {
            v = -rj_ab_tree(e, -beta, -from, depth - 1, 1, false);
        } else {
            v = -rj_ab_tree(e, -from - 1, -from, depth - 1 - late, 1, true);
            if (v > from && late > 0) v = -rj_ab_tree(e, -from - 1, -from, depth - 1, 1, true);
            if (v > from && v < beta) v = -rj_ab_tree(e, -beta, -from, depth - 1, 1, false);
        }
        rj_undo(b);
        if (e->stop) break;
        if (v <= best) continue;
        best = v;
        if (v > floor || i == r->done) {
            best_at = i;
            keep.move[0] = r->move[i];
            keep.n = 1;
            for (int k = 0; k < e->pv_n[1] && keep.n < RJ_AB_DEPTH; k++) keep.move[keep.n++] = e->pv[1][k];
        }
        if (v > floor) floor = v;
        if (v >= beta) break;
    }
    if (best == -RJ_AB_INF) return best; // stopped before the first move was done
    to_front(r, r->done, best_at);
    e->pv_n[0] = keep.n;
    memcpy(e->pv[0], keep.move, (size_t)keep.n * sizeof *keep.move);
    return best;
}

// A full score of the best move from `done` on, by a window around what is expected. -RJ_AB_INF when stopped too early. When the
// search is stopped while a move that was better than the window is searched again, that move counts with its bound. It is in front
// and its line is still there, since a pass that did not finish its first move changes neither.
static int search_window(rj_ab *e, root *r, int depth, int expected)
{
    int width = e->o.window > 0 ? e->o.window : RJ_AB_INF, above = -RJ_AB_INF;
    if (depth < 3 || expected > RJ_AB_SURE || expected < -RJ_AB_SURE) width = RJ_AB_INF;
    for (;; width = width > 2000 ? RJ_AB_INF : width * 4) {
        int alpha = expected - width, beta = expected + width;
        if (alpha < -RJ_AB_INF || width == RJ_AB_INF) alpha = -RJ_AB_INF;
        if (beta > RJ_AB_INF || width == RJ_AB_INF) beta = RJ_AB_INF;
        int v = search_root(e, r, depth, alpha, beta);
        if (e->stop) return v == -RJ_AB_INF ? above : v > alpha && v < beta ? v : -RJ_AB_INF;
        above = v >= beta ? v : -RJ_AB_INF;
        if ((v > alpha || alpha == -RJ_AB_INF) && (v < beta || beta == RJ_AB_INF)) return v;
    }
}

// Lines of one depth, each without the moves of those before it. False when it was stopped on the way: then the lines of
// the depth before follow those that were done, less the moves these begin with.
static bool search_lines(rj_ab *e, root *r, int depth, int want, rj_ab_line *line, int *n)
{
    int found = 0, fixed = r->done;
    while (found < want && r->done < r->n && !e->stop) {
        int v = search_window(e, r, depth, found < *n ? line[found].score : 0);
        // A first line cut short still counts if its first move, the best so far, was searched at this depth.
        if (v == -RJ_AB_INF || (e->stop && found > 0)) break;
        rj_ab_line *l = &e->fresh[found++];
        *l = (rj_ab_line){.score = v, .depth = depth, .n = e->pv_n[0]};
        memcpy(l->move, e->pv[0], (size_t)l->n * sizeof *l->move);
        r->done++;
    }
    r->done = fixed;
    int done = found;
    for (int i = 0; i < *n && found < want; i++) {
        bool again = false;
        for (int k = 0; k < done; k++) again |= e->fresh[k].move[0] == line[i].move[0];
        if (!again) e->fresh[found++] = line[i];
    }
    memcpy(line, e->fresh, (size_t)found * sizeof *line);
    *n = found;
    return !e->stop;
}

// A win by fours, or else by threats, within the engine's own limits for both.
static void search_wins(rj_ab *e, rj_line *l)
{
    uint64_t vcf = (uint64_t)e->o.vcf, vct = (uint64_t)e->o.vct;
    *l = (rj_line){.length = 0};
    if (e->limit != 0 && vcf > e->limit) vcf = e->limit;
    if (e->limit != 0 && vct > e->limit / 8) vct = e->limit / 8;
    double until = 0;
    if (e->until > 0) { // about a tenth of the time for each; on a slow or busy machine a quarter at most for threats
        double now = clock_seconds(), seconds = e->until - now;
        until = now + seconds / 4;
        uint64_t most = seconds > 0 ? (uint64_t)(seconds * 200000) : 0;
        if (vct > most) vct = most;
        if (vcf > most) vcf = most;
    }
    if (vcf > 0 || e->b.count[e->b.side][RJ_FIVE] > 0) {
        rj_vcf_verdict found = rj_vcf_solve(e->all_fours, &e->b, &(rj_vcf_limits){.nodes = vcf}, l);
        e->nodes += l->nodes;
        if (found == RJ_VCF_UNKNOWN) {
            rj_vcf_solve(e->all_fours, &e->b, &(rj_vcf_limits){.nodes = vcf, .any = true}, l);
            e->nodes += l->nodes;
        }
    }
    if (l->length > 0 || vct == 0 || e->b.count[e->b.side ^ 1][RJ_FIVE] > 0) return;
    rj_vct_solve(e->vct, &e->b, vct, until, l);
    e->nodes += l->nodes;
}

// The first line, where it needs no tree. Leaves *n at 0 where there is none.
static void search_first(rj_ab *e, root *r, rj_ab_line *line, int *n)
{
    rj_line l;
    search_wins(e, &l);
    if (l.length == 0) return;
    bool five = rj_class_at(&e->b, e->b.side, l.move[0]) == RJ_FIVE;
    line[0] = (rj_ab_line){.score = RJ_AB_WIN - (five ? 1 : 2 * l.length + 1)};
    for (int i = 0; i < l.n && i < RJ_AB_DEPTH; i++) line[0].move[line[0].n++] = l.move[i];
    *n = 1;
    for (int i = 0; i < r->n; i++)
        if (r->move[i] == l.move[0]) to_front(r, 0, i);
    if (r->n > 0 && r->move[0] == l.move[0]) r->done = 1;
}

static int by_score(const void *a, const void *b)
{
    const rj_ab_line *x = a, *y = b;
    return (x->score < y->score) - (x->score > y->score);
}

// Sets up a search of the state; the tables stay as they are.
static void begin(rj_ab *e, const rj_state *s, const rj_ab_limits *l)
{
    const rj_variant *v = &rj_variants[s->variant];
    assert(v->rule == e->b.rule && v->size == rj_size(&e->b));
    rj_board_set(&e->b, s->stones, s->stones + v->words, s->side);
    e->nodes = e->helped = e->look = 0;
    e->limits = l;
    e->limit = l->nodes;
    e->until = l->seconds > 0 ? clock_seconds() + l->seconds : 0;
    e->stop = false;
    e->cap = s->cap;
    for (int i = 0; i < RJ_AB_PLIES + 6; i++)
        e->line[i] = (rj_ply){.move = RJ_NO_POINT, .skip = RJ_NO_POINT, .killer = {RJ_NO_POINT, RJ_NO_POINT}};
    e->ply[-1].move = s->last; // RJ_NO_POINT when the position was set up
    for (int c = 0; c < 2; c++)
        for (int p = 0; p < RJ_MAX_POINTS; p++) e->history[c][p] /= 2;
}

// Deepens until a limit is reached or the result is known. `line` holds `*n` lines at most `want`.
static void deepen(rj_ab *e, root *r, int from, int most, int want, rj_ab_line *line, int *n)
{
    for (int depth = from; depth <= most; depth++) {
        bool whole = search_lines(e, r, depth, want, line, n);
        if (!whole) break;
        if (*n > 1) qsort(line, (size_t)*n, sizeof *line, by_score); // a later line may prove the better one
        if (e->limits->each != NULL) e->limits->each(e->limits->each_ctx, line, *n);
        if (want == 1 && (line[0].score > RJ_AB_SURE || line[0].score < -RJ_AB_SURE) && depth > 2) break; // proved
    }
}

typedef struct crew { // one search by several threads
    rj_ab *first;
    root *r;
    root start; // as it was before the search: the first thread reorders its own
    int most, want;
    rj_ab_line *line;
    int *n;
} crew;

static void crew_task(void *ctx, int task, int worker)
{
    (void)worker;
    crew *c = ctx;
    if (task == 0) {
        deepen(c->first, c->r, 1, c->most, c->want, c->line, c->n);
        atomic_store(c->first->halt, true);
        return;
    }
    // A helper searches for itself; what it finds reaches the others through the table. Half of them begin a ply deeper, so
    // that not all do the same at the same time.
    rj_ab *e = c->first->helper[task - 1];
    root own = c->start;
    rj_ab_line best;
    int n = 0;
    if (!atomic_load(e->halt)) deepen(e, &own, 1 + task % 2, RJ_AB_DEPTH, 1, &best, &n);
}

static void deepen_together(rj_ab *e, const rj_state *s, root *r, int most, int want, rj_ab_line *line, int *n)
{
    crew c = {.first = e, .r = r, .start = *r, .most = most, .want = want, .line = line, .n = n};
    atomic_store(e->halt, false);
    for (int i = 0; i < e->n_helpers; i++) {
        static const rj_ab_limits none = {0};
        begin(e->helper[i], s, &none);
        e->helper[i]->until = e->until;
    }
    if (e->n_helpers == 0)
        crew_task(&c, 0, 0);
    else
        pool_run(e->pool, e->n_helpers + 1, crew_task, &c);
    atomic_store(e->halt, false);
    for (int i = 0; i < e->n_helpers; i++) e->helped += e->helper[i]->nodes;
}

int rj_ab_search(rj_ab *e, const rj_state *s, const rj_ab_limits *l, int want, rj_ab_line *out)
{
    if (s->reason != 0 || want < 1) return 0;
    if (want > RJ_MAX_POINTS) want = RJ_MAX_POINTS;
    begin(e, s, l);
    e->table->age++;
    root r;
    int n = 0, most = l->depth > 0 && l->depth < RJ_AB_DEPTH ? l->depth : RJ_AB_DEPTH;
    list_root(e, &r);
    search_first(e, &r, out, &n);
    if (n == 1 && (want == 1 || r.done == r.n)) return 1;
    int fixed = n;
    if (r.n - r.done == 1 && want == 1) most = 1; // nothing to choose
    int more = 0;
    deepen_together(e, s, &r, most, want - fixed, out + fixed, &more);
    n = fixed + more;
    if (n == 0) { // stopped before anything was searched
        out[0] = (rj_ab_line){.n = 1, .move = {r.move[0]}};
        n = 1;
    }
    qsort(out + fixed, (size_t)(n - fixed), sizeof *out, by_score);
    return n;
}
