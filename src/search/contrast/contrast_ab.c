// The Contrast engine from outside: roots, iterative deepening, several lines, limits, words for people.
#include "search/contrast/contrast_ab.h"

#include "base/clock.h"
#include "search/contrast/contrast_ab_inner.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_DEPTH = 5, DEFAULT_HASH = 16 << 20, SMALL_BYTES = (SMALL_MASK + 1) * BUCKET * sizeof(slot) };

static err add_helpers(ctr_ab *e)
{
    int n = e->o.threads - 1;
    if (n <= 0) return ERR_OK;
    e->helper = calloc((size_t)n, sizeof(ctr_ab *));
    e->threads = pool_new(n + 1);
    if (e->helper == NULL || e->threads == NULL) return err_set(ERR_MEMORY, "no memory for %d threads", n + 1);
    for (int i = 0; i < n; i++) {
        ctr_ab *h = calloc(1, sizeof *h);
        if (h == NULL) return err_set(ERR_MEMORY, "no memory for %d threads", n + 1);
        h->o = e->o;
        h->table = e->table;
        h->mask = e->mask;
        h->lead = e;
        h->small = aligned_alloc(64, SMALL_BYTES);
        e->helper[e->n_helpers++] = h;
        if (h->small == NULL) return err_set(ERR_MEMORY, "no memory for %d threads", n + 1);
    }
    return ERR_OK;
}

err ctr_ab_new(ctr_ab **out, const ctr_ab_options *o)
{
    ctr_ab *e = calloc(1, sizeof *e);
    if (e == NULL) return err_set(ERR_MEMORY, "no memory for the Contrast engine");
    if (o != NULL) e->o = *o;
    if (e->o.weights == NULL) e->o.weights = ctr_weights;
    size_t want = e->o.hash == 0 ? DEFAULT_HASH : e->o.hash, buckets = 1;
    while (2 * buckets * BUCKET * sizeof(slot) <= want) buckets *= 2;
    e->mask = buckets - 1;
    e->table = aligned_alloc(64, buckets * BUCKET * sizeof(slot));
    e->small = aligned_alloc(64, SMALL_BYTES);
    err code = e->table == NULL || e->small == NULL ? err_set(ERR_MEMORY, "no memory for a table of %zu bytes", want)
                                                    : add_helpers(e);
    if (code != ERR_OK) {
        ctr_ab_free(e);
        return code;
    }
    ctr_ab_forget(e);
    *out = e;
    return ERR_OK;
}

void ctr_ab_free(ctr_ab *e)
{
    if (e == NULL) return;
    for (int i = 0; i < e->n_helpers; i++) {
        free(e->helper[i]->small);
        free(e->helper[i]);
    }
    free(e->helper);
    pool_free(e->threads);
    free(e->small);
    free(e->table);
    free(e);
}

static void forget_own(ctr_ab *e)
{
    memset(e->small, 0, SMALL_BYTES);
    memset(e->killers, 0xff, sizeof e->killers);
    memset(e->step_history, 0, sizeof e->step_history);
    memset(e->tile_history, 0, sizeof e->tile_history);
}

void ctr_ab_forget(ctr_ab *e)
{
    memset(e->table, 0, (size_t)(e->mask + 1) * BUCKET * sizeof(slot));
    forget_own(e);
    for (int i = 0; i < e->n_helpers; i++) forget_own(e->helper[i]);
    e->age = 0;
}

uint64_t ctr_ab_nodes(const ctr_ab *e)
{
    return e->nodes + e->helped;
}

double ctr_ab_odds(int score)
{
    if (score >= CTR_PROVEN) return 1;
    if (score <= -CTR_PROVEN) return 0;
    return 1 / (1 + exp(-(double)score / CTR_LOGIT));
}

// --- the root

// The root as a node, and the keys of the positions since the last tile in past[].
static node root_of(ctr_ab *e, const ctr_state *s)
{
    node n = {.b = s->b, .seen = s->seen, .ply = s->ply, .quiet = s->quiet, .times = ctr_occurrences(s)};
    ctr_board b = s->b;
    e->base = s->quiet;
    e->way[0].before = NULL;
    e->way[0].summed = false;
    for (int back = 0;; back++) {
        e->past[e->base - back] = ctr_pieces_key(&b);
        if (back == s->quiet) break;
        b = ctr_unplay(&b, s->past[s->n_past - 1 - back]);
    }
    for (int i = 0; i <= e->base; i++) {
        int times = 0;
        for (int k = 0; k <= i; k++) times += e->past[k] == e->past[i];
        if (times > n.most) n.most = times;
    }
    return n;
}

// Root moves: bare steps first (so wins are among the first), then as the ids go. Iterations move the best to the front.
static int root_moves(const ctr_board *b, ctr_line *lines)
{
    move_t all[CTR_MAX_LEGAL];
    int n = ctr_moves(b, all), count = 0;
    for (int tiled = 0; tiled < 2; tiled++)
        for (int i = 0; i < n; i++)
            if ((ctr_tile(all[i]) != 0) == tiled) lines[count++] = (ctr_line){.length = 1, .moves = {all[i]}};
    return count;
}

static void take_line(ctr_ab *e, ctr_line *l, int score, int depth)
{
    int n = e->line_length[1] < CTR_AB_LINE - 1 ? e->line_length[1] : CTR_AB_LINE - 1;
    l->score = score;
    l->depth = depth;
    l->length = 1 + n;
    memcpy(&l->moves[1], e->line[1], (size_t)n * sizeof(move_t));
}

static void to_front(ctr_line *lines, int from, int to)
{
    ctr_line l = lines[from];
    memmove(&lines[to + 1], &lines[to], (size_t)(from - to) * sizeof *lines);
    lines[to] = l;
}

// Searches lines[k…] for the best of them, which ends up at k. False when stopped before the first was finished.
static bool search_root(ctr_ab *e, const node *n, ctr_line *lines, int k, int count, int depth, int alpha, int beta)
{
    bool threatened = ctr_threat(&n->b, !n->b.side);
    int best = -INFINITE;
    for (int i = k; i < count; i++) {
        move_t m = lines[i].moves[0];
        node c = ctr_ab_make(e, n, m, 1);
        int score;
        if (ctr_won(&c.b)) {
            score = CTR_MATE - 1;
            e->line_length[1] = 0;
        } else if (i == k) {
            score = -ctr_ab_node(e, &c, 1, depth - 1, -beta, -alpha);
        } else {
            int reduce = ctr_ab_reduction(e, m, i - k, depth, threatened), shallow = depth - 1 - reduce;
            score = -ctr_ab_node(e, &c, 1, shallow < 0 ? 0 : shallow, -alpha - 1, -alpha);
            if (score > alpha && reduce > 0 && !e->stopped)
                score = -ctr_ab_node(e, &c, 1, depth - 1, -alpha - 1, -alpha);
            if (score > alpha && score < beta && !e->stopped) score = -ctr_ab_node(e, &c, 1, depth - 1, -beta, -alpha);
        }
        if (e->stopped) return i > k;
        if (score <= best) continue;
        best = score;
        if (i == k || score > alpha) {
            take_line(e, &lines[i], score, depth);
            to_front(lines, i, k);
        }
        if (score > alpha) {
            alpha = score;
            ctr_ab_good(e, n->b.side, m, depth);
        }
        if (score >= beta || score == CTR_MATE - 1) break;
    }
    return true;
}

// One iteration for the k-th line: a narrow window around the last score first.
static bool iterate(ctr_ab *e, const node *n, ctr_line *lines, int k, int count, int depth)
{
    int middle = lines[k].score, width = 48;
    bool narrow = depth >= 3 && middle > -CTR_LIKELY && middle < CTR_LIKELY;
    int alpha = narrow ? middle - width : -INFINITE, beta = narrow ? middle + width : INFINITE;
    while (true) {
        if (!search_root(e, n, lines, k, count, depth, alpha, beta)) return false;
        if (e->stopped) return true;
        int score = lines[k].score;
        if (score > alpha && score < beta) return true;
        width *= 4;
        if (score <= alpha)
            alpha = width > 1000 ? -INFINITE : middle - width;
        else
            beta = width > 1000 ? INFINITE : middle + width;
    }
}

static int by_score(const void *a, const void *b)
{
    const ctr_line *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    return x->moves[0] < y->moves[0] ? -1 : x->moves[0] > y->moves[0];
}

// Deepening until a limit or until the best line is decided within the depth.
static int deepen(ctr_ab *e, const node *n, int from, ctr_line *work, int count, int want, ctr_line *lines)
{
    int most = e->limits.depth > 0 ? e->limits.depth : CTR_AB_DEPTH, done = 0;
    for (int depth = from; depth <= most; depth++) {
        int k = 0;
        while (k < want && iterate(e, n, work, k, count, depth) && !e->stopped) k++;
        if (e->stopped) {
            if (done > 0) {
                // What a broken iteration found counts for the first line; the others keep what they had.
                if (k > 0 || work[0].depth != depth) break;
                for (int i = 0; i < done; i++)
                    if (lines[i].moves[0] == work[0].moves[0]) to_front(lines, i, 0);
                lines[0] = work[0];
                break;
            }
            if (k == 0) k = 1; // the first iteration of all: there is nothing better
        }
        done = k;
        memcpy(lines, work, (size_t)done * sizeof *lines);
        qsort(lines, (size_t)done, sizeof *lines, by_score);
        if (e->stopped) break;
        if (e->limits.each != NULL) e->limits.each(e->limits.each_ctx, lines, done);
        int sure = lines[0].score < 0 ? -lines[0].score : lines[0].score;
        if (sure >= CTR_PROVEN && CTR_MATE - sure <= depth && want == 1) break;
        if (e->lead == NULL && e->limits.seconds > 0 && clock_seconds() - e->start > 0.5 * e->limits.seconds)
            break; // no time to finish another
    }
    return done;
}

static move_t winning_step(const ctr_board *b)
{
    move_t moves[CTR_MAX_LEGAL];
    int n = ctr_moves(b, moves);
    for (int i = 0; i < n; i++)
        if (CTR_GOAL(b->side) >> ctr_to(moves[i]) & 1) return moves[i];
    return MOVE_NONE;
}

// The last plies of a decided line are known without search and not part of it: add them, for people.
static void finish_line(const ctr_board *start, ctr_line *l)
{
    int plies = CTR_MATE - abs(l->score);
    ctr_board b = *start;
    if (abs(l->score) < CTR_PROVEN || plies - l->length > 3) return;
    for (int i = 0; i < l->length; i++) b = ctr_play(&b, l->moves[i]);
    while (l->length < plies && l->length < CTR_AB_LINE) {
        int left = plies - l->length;
        move_t m, any[CTR_MAX_LEGAL];
        if (left == 3)
            m = ctr_ab_winning_threat(&b);
        else if (left == 1)
            m = winning_step(&b);
        else
            m = ctr_moves(&b, any) > 0 ? any[0] : MOVE_NONE; // all lose alike
        if (m == MOVE_NONE) return;
        l->moves[l->length++] = m;
        b = ctr_play(&b, m);
    }
}

// --- threads

static void begin(ctr_ab *e, const ctr_state *s, double start)
{
    e->plies = s->plies;
    e->repetition = s->repetition;
    e->repetition_from = s->repetition_from;
    e->start = start;
    e->nodes = e->next_look = 0;
    e->stopped = false;
    memset(e->killers, 0xff, sizeof e->killers);
}

typedef struct crew { // one search by all threads
    ctr_ab *first;
    const ctr_state *s;
    int want, found;
    ctr_line *lines;
} crew;

static void crew_task(void *ctx, int task, int worker)
{
    (void)worker;
    crew *c = ctx;
    if (task == 0) {
        node n = root_of(c->first, c->s);
        int count = root_moves(&c->s->b, c->first->root);
        c->found = deepen(c->first, &n, 1, c->first->root, count, c->want < count ? c->want : count, c->lines);
        atomic_store(&c->first->halt, true);
        return;
    }
    // What a helper finds reaches the others through the table. Every other one begins a ply deeper, so that not all do the
    // same at the same time.
    ctr_ab *e = c->first->helper[task - 1];
    ctr_line best;
    if (atomic_load(&c->first->halt)) return;
    node n = root_of(e, c->s);
    deepen(e, &n, 1 + task % 2, e->root, root_moves(&c->s->b, e->root), 1, &best);
}

int ctr_ab_search(ctr_ab *e, const ctr_state *s, const ctr_ab_limits *limits, int want, ctr_line *lines)
{
    assert(s->reason == REASON_NONE && want >= 1);
    e->limits = *limits;
    if (e->limits.depth == 0 && e->limits.nodes == 0 && e->limits.seconds <= 0) e->limits.depth = DEFAULT_DEPTH;
    if (e->limits.depth > CTR_AB_DEPTH) e->limits.depth = CTR_AB_DEPTH;
    double start = e->limits.seconds > 0 ? clock_seconds() : 0;
    e->age++;
    e->helped = 0;
    begin(e, s, start);
    for (int i = 0; i < e->n_helpers; i++) {
        begin(e->helper[i], s, start);
        e->helper[i]->limits = (ctr_ab_limits){.seconds = e->limits.seconds};
        e->helper[i]->age = e->age;
    }
    crew c = {.first = e, .s = s, .want = want, .lines = lines};
    atomic_store(&e->halt, false);
    if (e->n_helpers == 0)
        crew_task(&c, 0, 0);
    else
        pool_run(e->threads, e->n_helpers + 1, crew_task, &c);
    for (int i = 0; i < e->n_helpers; i++) e->helped += e->helper[i]->nodes;
    for (int i = 0; i < c.found; i++) finish_line(&s->b, &lines[i]);
    return c.found;
}

// --- words

int ctr_ab_print(const ctr_state *s, const ctr_line *l, char *buf, size_t n)
{
    char text[64 * CTR_AB_LINE];
    size_t at = 0;
    if (l->score >= CTR_PROVEN)
        at = (size_t)snprintf(text, sizeof text, "wins in %d:", CTR_MATE - l->score);
    else if (l->score <= -CTR_PROVEN)
        at = (size_t)snprintf(text, sizeof text, "loses in %d:", CTR_MATE + l->score);
    else
        at = (size_t)snprintf(text, sizeof text, "%+.2f:", (double)l->score / CTR_LOGIT);
    for (int i = 0; i < l->length; i++) {
        text[at++] = ' ';
        if (i > 0) text[at++] = ' ';
        at += (size_t)ctr_move_print(s, l->moves[i], text + at, sizeof text - at);
    }
    return snprintf(buf, n, "%s", text);
}
