// Driving the Othello search: deepening, windows, selectivity, threads, lines of play. See oth_search.h.
//
// Solving runs in passes. Middlegame searches of growing depth fill the hash table with good moves; passes to the end
// with loose, then stricter probabilistic cuts guess the score ever better; the last pass, without such cuts, then only
// has to prove it, mostly inside a null window on either side, with the right move tried first nearly everywhere.
#include "search/othello/oth_search.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "base/pool.h"
#include "search/othello/oth_tables.h"
#include "search/othello/oth_worker.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    INFINITE = 65,
    SMALL_LOG2 = 14,    // entries of a thread's own table: 256 KiB
    MIDDLE_SURE = 0,    // of cuts by shallow searches in the middlegame
    ALONE = 8,          // depth up to which threads do not pay
    SOLVE_AT_ONCE = 13, // empties up to which preparing passes do not pay
};

_Static_assert((int)OTH_LIMITS_PLAIN == (int)OTH_SURE, "one way to say: never");

extern const oth_search_ops oth_search_ops_scalar;
#if defined(KEIKO_X86)
extern const oth_search_ops oth_search_ops_avx2, oth_search_ops_avx512;
#endif

const oth_search_ops *oth_search_ops_for(simd level)
{
#if defined(KEIKO_X86)
    if (level == SIMD_AVX512) return &oth_search_ops_avx512;
    if (level == SIMD_AVX2) return &oth_search_ops_avx2;
#endif
    (void)level;
    return &oth_search_ops_scalar;
}

uint64_t oth_worker_report(oth_worker *s)
{
    uint64_t more = s->nodes - s->reported;
    s->reported = s->nodes;
    return atomic_fetch_add(&s->shared->nodes, more) + more;
}

bool oth_worker_limits(oth_worker *s)
{
    oth_shared *h = s->shared;
    uint64_t nodes = oth_worker_report(s);
    if (atomic_load(&h->stop)) return true;
    bool spent = h->node_limit != 0 && nodes >= h->node_limit;
    spent = spent || (h->deadline > 0 && clock_seconds() >= h->deadline) || (s->id == 0 && stop_asked(h->ask));
    if (spent) {
        atomic_store(&h->stop, true);
        atomic_fetch_add(&h->news, 1);
    }
    return spent;
}

bool oth_worker_over(const oth_worker *s)
{
    bool over = atomic_load_explicit(&s->shared->stop, memory_order_relaxed);
    for (const oth_split *p = s->at; p != NULL && !over; p = atomic_load_explicit(&p->above, memory_order_relaxed))
        over = atomic_load_explicit(&p->over, memory_order_relaxed);
    return over;
}

struct oth_engine {
    oth_tt tt;
    oth_tt *small;       // [n_threads]
    oth_worker *workers; // [n_threads]
    oth_split *splits;   // [n_threads][OTH_SPLITS]; NULL for one thread
    const oth_weights *weights;
    const oth_search_ops *ops;
    pool *threads;
    int n_threads;
};

err oth_engine_new(oth_engine **out, const oth_engine_options *o)
{
    oth_tables_init();
    oth_eval_init();
    oth_engine *e = calloc(1, sizeof *e);
    if (e == NULL) return err_set(ERR_MEMORY, "no memory for an engine");
    err code = oth_tt_new(&e->tt, o->hash == 0 ? 20 : o->hash);
    e->weights = o->weights;
    e->ops = oth_search_ops_for(cpu_simd());
    e->n_threads = o->threads < 1 ? 1 : o->threads;
    if (code == ERR_OK) e->small = calloc((size_t)e->n_threads, sizeof *e->small);
    if (code == ERR_OK && e->small == NULL) code = err_set(ERR_MEMORY, "no memory for %d threads", e->n_threads);
    for (int i = 0; code == ERR_OK && i < e->n_threads; i++) code = oth_tt_new(&e->small[i], SMALL_LOG2);
    if (code == ERR_OK) e->workers = aligned_alloc(64, (size_t)e->n_threads * sizeof *e->workers);
    if (code == ERR_OK && e->workers == NULL) code = err_set(ERR_MEMORY, "no memory for %d threads", e->n_threads);
    if (code == ERR_OK && e->n_threads > 1) {
        size_t bytes = (size_t)e->n_threads * OTH_SPLITS * sizeof *e->splits;
        e->threads = pool_new(e->n_threads);
        e->splits = aligned_alloc(64, bytes);
        if (e->splits != NULL) memset((void *)e->splits, 0, bytes);
        if (e->threads == NULL || e->splits == NULL)
            code = err_set(ERR_MEMORY, "no memory for %d threads", e->n_threads);
    }
    return HAND_OVER(code, out, e, oth_engine_free);
}

void oth_engine_free(oth_engine *e)
{
    if (e == NULL) return;
    if (e->threads != NULL) pool_free(e->threads);
    for (int i = 0; e->small != NULL && i < e->n_threads; i++) oth_tt_free(&e->small[i]);
    free(e->small);
    free(e->workers);
    free(e->splits);
    oth_tt_free(&e->tt);
    free(e);
}

void oth_engine_clear(oth_engine *e)
{
    oth_tt_clear(&e->tt);
    for (int i = 0; i < e->n_threads; i++) oth_tt_clear(&e->small[i]);
}

// --- one search of the root

typedef struct hunt {
    oth_engine *e;
    oth_board b;
    const oth_limits *l;
    oth_found *out;
    oth_root_move moves[OTH_MAX_MOVES];
    int n, first; // moves before `first` have had their turn (multi-PV)
    int score;    // of the last window
    int ties;     // moves as good as the best, where they were asked for and found
    oth_shared shared;
    _Atomic bool done; // helpers may go home
} hunt;

// False when the limits ended it.
static bool hunt_window(hunt *h, int alpha, int beta, int depth, int sure)
{
    oth_worker *s = &h->e->workers[0];
    h->score = h->e->ops->root(s, h->b, h->moves + h->first, h->n - h->first, alpha, beta, depth, sure);
    uint64_t nodes = oth_worker_report(s);
    // Searches answered from the table are too short to look at the limits themselves.
    if (h->shared.node_limit != 0 && nodes >= h->shared.node_limit) h->shared.stop = true;
    if (h->shared.deadline > 0 && clock_seconds() >= h->shared.deadline) h->shared.stop = true;
    return !atomic_load(&h->shared.stop);
}

// A search around a guess; the window opens on the side where the score lies, within (low, high). Cuts by shallow searches
// may make two windows contradict each other: when the score has lain on either side, all of (low, high) is searched.
static bool hunt_around(hunt *h, int guess, int width, int low, int high, int depth, int sure)
{
    int alpha = guess - width, beta = guess + width;
    bool below = false, above = false;
    for (;;) {
        alpha = alpha < low ? low : alpha >= high ? high - 1 : alpha;
        beta = beta > high ? high : beta <= alpha ? alpha + 1 : beta;
        if (!hunt_window(h, alpha, beta, depth, sure)) return false;
        int v = h->score;
        if (v <= alpha && alpha > low) {
            below = true;
            beta = alpha + 1;
            alpha = v - 2 * width;
        } else if (v >= beta && beta < high) {
            above = true;
            alpha = beta - 1;
            beta = v + 2 * width;
        } else {
            return true;
        }
        if (below && above) alpha = low, beta = high;
        width *= 2;
    }
}

// Cuts by shallow searches may give a move that was searched later more than one before it.
static void sort_best(oth_root_move *m, int n)
{
    for (int i = 1; i < n; i++) {
        oth_root_move x = m[i];
        int at = i;
        for (; at > 0 && m[at - 1].score < x.score; at--) m[at] = m[at - 1];
        m[at] = x;
    }
}

// The best moves in order, each searched without those before it. While one is searched, the scores of those behind it are
// bounds: if the limits end it among several, all are as they were before.
static bool hunt_best(hunt *h, int best, int width, int low, int high, int depth, int sure)
{
    oth_root_move before[OTH_MAX_MOVES];
    memcpy(before, h->moves, sizeof before);
    if (best > h->n) best = h->n;
    for (h->first = 0; h->first < best; h->first++)
        if (!hunt_around(h, h->moves[h->first].score, width, low, high, depth, sure)) {
            if (best > 1) memcpy(h->moves, before, sizeof before);
            return false;
        }
    h->first = 0;
    sort_best(h->moves, best);
    return true;
}

// Behind the best move, whose score is known: all others that reach it, each by a search that only asks whether one does.
// Returns how many there are, the best one included; 0 when the limits ended it.
static int hunt_ties(hunt *h, int empties)
{
    int score = h->moves[0].score, n = 1;
    for (; n < h->n; n++) {
        h->first = n;
        if (!hunt_window(h, score - 1, score, empties, OTH_SURE)) return 0;
        if (h->score < score) break;
        h->moves[n].score = score;
    }
    h->first = 0;
    return n;
}

// --- what to tell

// Is the entry's move proven to keep its score? Bounds that meet may come from two searches of which only one has seen this
// move win, so the board after it must say so as well.
static bool line_proven(const oth_tt *tt, oth_board b, const oth_tt_data *d)
{
    oth_board next = oth_play(b, d->move);
    oth_tt_data n;
    if (d->low != d->high) return false;
    if (oth_over(next)) return -oth_score(next) == d->low;
    return oth_tt_find(tt, oth_hash(next), &n) && n.depth >= oth_count(oth_empty(next)) && n.sure == OTH_SURE &&
           -n.high >= d->low;
}

static void add_line(hunt *h, oth_found_move *m, bool solved, int depth)
{
    oth_board b = h->b;
    int most = solved ? OTH_SQUARES : depth, sq = m->sq;
    while (m->n_line < most && m->n_line < OTH_SQUARES) {
        m->line[m->n_line++] = (uint8_t)sq;
        b = oth_play(b, sq);
        uint64_t moves = oth_moves(b);
        if (moves == 0) {
            if (oth_over(b)) break;
            sq = OTH_PASS;
            continue;
        }
        oth_tt_data d;
        bool at_once = solved && oth_count(oth_empty(b)) <= SOLVE_AT_ONCE;
        if (oth_tt_find(&h->e->tt, oth_hash(b), &d) && d.move < OTH_SQUARES && (moves >> d.move & 1) != 0 &&
            (!solved || (at_once ? line_proven(&h->e->tt, b, &d) : d.low == d.high))) {
            sq = d.move;
        } else if (at_once) {
            oth_worker s = {.tt = &h->e->tt, .small = &h->e->small[0], .weights = h->e->weights};
            oth_root_move list[OTH_MAX_MOVES];
            int n = 0;
            for (; moves != 0; moves &= moves - 1) list[n++] = (oth_root_move){.sq = __builtin_ctzll(moves)};
            h->e->ops->root(&s, b, list, n, -INFINITE, INFINITE, OTH_SQUARES, OTH_SURE);
            sq = list[0].sq;
        } else {
            break;
        }
    }
}

static void tell_moves(hunt *h, int best, oth_found *out)
{
    out->nodes = atomic_load(&h->shared.nodes);
    out->n = best < h->n ? best : h->n;
    for (int i = 0; i < out->n; i++) {
        out->move[i] = (oth_found_move){.sq = h->moves[i].sq, .score = h->moves[i].score};
        add_line(h, &out->move[i], out->solved, out->depth);
    }
}

static void tell_depth(hunt *h, int depth)
{
    const oth_limits *l = h->l;
    if (l->each == NULL) return;
    oth_found so_far = {.depth = depth};
    tell_moves(h, l->best, &so_far);
    l->each(l->each_ctx, &so_far);
}

// --- the passes

// Two plies at a time: a ply more or less leaves much the same moves in the table, and the values of even and odd depths
// differ.
static void hunt_middle(hunt *h, int last)
{
    const oth_limits *l = h->l;
    for (int depth = 2 - (last & 1); depth <= last; depth += 2) {
        int sure = h->e->weights == NULL ? OTH_SURE : l->sure > 0 ? l->sure : MIDDLE_SURE;
        if (!hunt_best(h, l->best, depth < 3 ? INFINITE : 3, -INFINITE, INFINITE, depth, sure)) return;
        h->out->depth = depth;
        tell_depth(h, depth);
    }
}

// `prepared`: hunt_middle has come to the end.
static void hunt_solve(hunt *h, int empties, bool prepared)
{
    const oth_limits *l = h->l;
    int low = l->wld ? -1 : -INFINITE, high = l->wld ? 1 : INFINITE;
    if (empties > SOLVE_AT_ONCE && h->e->weights != NULL) {
        for (int depth = 2 + (empties & 1); !prepared && depth <= empties - 8; depth += 2) {
            if (!hunt_best(h, l->best, 4, -INFINITE, INFINITE, depth, 0)) return;
            tell_depth(h, depth);
        }
        static const uint8_t passes[] = {0, 2};
        for (size_t i = prepared ? 1 : 0; i < sizeof passes; i++)
            if (!hunt_best(h, l->best, 2, low, high, empties, passes[i])) return;
    }
    for (int i = 0; i < h->n; i++)
        h->moves[i].score -= h->moves[i].score % 2; // final scores are even, but for rare ones
    if (!hunt_best(h, l->best, l->wld ? 1 : 2, low, high, empties, OTH_SURE)) return;
    if (l->ties) h->ties = hunt_ties(h, empties);
    h->out->depth = empties;
    h->out->solved = !l->ties || h->ties > 0;
}

static void hunt_passes(hunt *h)
{
    const oth_limits *l = h->l;
    int empties = oth_count(oth_empty(h->b)), last = l->depth > 0 ? l->depth : OTH_SQUARES;
    bool solve = empties <= l->exact || last >= empties;
    // With limits, or without a question about the end, every depth counts.
    bool middle = !solve || l->nodes > 0 || l->seconds > 0;
    if (middle) hunt_middle(h, solve ? empties : last);
    if (solve && !atomic_load(&h->shared.stop)) hunt_solve(h, empties, middle);
}

// The caller's thread searches, the others help it until it is done.
static void hunt_task(void *ctx, int task, int worker)
{
    (void)task;
    hunt *h = ctx;
    oth_worker *s = &h->e->workers[worker];
    if (worker == 0) {
        hunt_passes(h);
        atomic_store(&h->done, true);
        return;
    }
    for (int turn = 0; !atomic_load_explicit(&h->done, memory_order_acquire); turn++) {
        if (h->e->ops->help(s)) turn = 0;
        cpu_relax(turn);
    }
}

static void search_moves(oth_engine *e, oth_board b, const oth_limits *l, oth_found *out)
{
    oth_limits limits = *l;
    hunt h = {.e = e, .b = b, .l = &limits, .out = out};
    if (limits.best < 1 || limits.ties) limits.best = 1;
    for (uint64_t m = oth_moves(b); m != 0; m &= m - 1) h.moves[h.n++] = (oth_root_move){.sq = __builtin_ctzll(m)};
    h.shared.node_limit = limits.nodes;
    h.shared.deadline = limits.seconds > 0 ? clock_seconds() + limits.seconds : 0;
    h.shared.ask = limits.stop;
    h.shared.workers = e->workers;
    int plies = limits.depth > 0 ? limits.depth : OTH_SQUARES, empties = oth_count(oth_empty(b));
    if (empties <= limits.exact || plies > empties) plies = empties;
    h.shared.threads = plies <= ALONE ? 1 : pool_threads(e->threads);
    for (int i = 0; i < h.shared.threads; i++)
        e->workers[i] = (oth_worker){.tt = &e->tt,
                                     .small = &e->small[i],
                                     .weights = e->weights,
                                     .id = i,
                                     .shared = &h.shared,
                                     .splits = h.shared.threads > 1 ? e->splits + (size_t)i * OTH_SPLITS : NULL};
    pool_run(e->threads, h.shared.threads, hunt_task, &h);
    tell_moves(&h, h.ties > 0 ? h.ties : limits.best, out);
    e->tt.age++;
}

void oth_engine_search(oth_engine *e, oth_board b, const oth_limits *limits, oth_found *out)
{
    assert(oth_board_ok(b));
    memset(out, 0, sizeof *out);
    double start = clock_seconds(), cpu = clock_cpu_seconds();
    if (oth_moves(b) != 0) {
        search_moves(e, b, limits, out);
    } else if (!oth_over(b)) {
        oth_found after;
        memset(&after, 0, sizeof after);
        oth_limits one = *limits;
        one.best = 1;
        search_moves(e, oth_pass(b), &one, &after);
        out->n = 1;
        out->depth = after.depth;
        out->solved = after.solved;
        out->nodes = after.nodes;
        out->move[0] = (oth_found_move){.sq = OTH_PASS, .score = -after.move[0].score, .n_line = 1, .line = {OTH_PASS}};
        for (int i = 0; i < after.move[0].n_line && i + 1 < OTH_SQUARES; i++)
            out->move[0].line[out->move[0].n_line++] = after.move[0].line[i];
    }
    out->seconds = clock_seconds() - start;
    out->cpu_seconds = clock_cpu_seconds() - cpu;
}

double oth_points(int discs, int empties, bool solved)
{
    if (solved) return discs > 0 ? 1 : discs < 0 ? 0 : 0.5;
    // The result is spread about the search's score, the less the nearer the end.
    return 0.5 * erfc(-discs / (sqrt(2.0) * (4.0 + 0.12 * empties)));
}
