// See mcts_group.h. A small crew of threads that does one thing at a time: "for every item, work(item)".
#include "search/mcts/mcts_group.h"

#include "base/clock.h"
#include "base/memory.h"
#include "search/mcts/mcts_node.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct lane { // what one thread works with
    mcts_batch b;
    int *tree; // whose leaves these are: [room]
    int room;  // trees
    double seconds;
} lane;

typedef struct block { // trees that are taken from one place
    int first, n;
    int next; // where the last look ended
    pthread_mutex_t lock;
} block;

struct mcts_group {
    mcts *const *trees;
    int n;
    mcts_group_options o;
    mcts_evaluator eval;
    uint64_t rounds;
    int *at;         // where a tree's leaves stand in the batch
    bool *rests;     // this tree asked for no more
    uint64_t *turns; // of a tree in this run
    uint64_t *spent; // simulations of a tree in this run: who has fewest is behind
    bool *taken;     // some thread has it
    lane *lanes;
    block *blocks;
    int n_lanes, n_blocks;
    _Atomic uint64_t evals;

    // the crew
    pthread_t *crew;
    int n_crew;
    pthread_mutex_t lock;
    pthread_cond_t start, finish;
    void (*work)(mcts_group *g, int item);
    int n_items;
    atomic_int next; // item to take
    int busy;        // threads still at this job
    uint64_t job;    // counts jobs, so that a thread never takes one twice
    bool quit;
};

// --- the crew

static void do_items(mcts_group *g)
{
    for (;;) {
        int i = atomic_fetch_add(&g->next, 1);
        if (i >= g->n_items) return;
        g->work(g, i);
    }
}

static void *crew_main(void *ctx)
{
    mcts_group *g = ctx;
    uint64_t seen = 0;
    pthread_mutex_lock(&g->lock);
    for (;;) {
        while (g->job == seen && !g->quit) pthread_cond_wait(&g->start, &g->lock);
        if (g->quit) break;
        seen = g->job;
        pthread_mutex_unlock(&g->lock);
        do_items(g);
        pthread_mutex_lock(&g->lock);
        if (--g->busy == 0) pthread_cond_signal(&g->finish);
    }
    pthread_mutex_unlock(&g->lock);
    return NULL;
}

static void for_each(mcts_group *g, int n, void (*work)(mcts_group *g, int item))
{
    g->work = work;
    g->n_items = n;
    atomic_store(&g->next, 0);
    if (g->n_crew == 0) {
        do_items(g);
        return;
    }
    pthread_mutex_lock(&g->lock);
    g->busy = g->n_crew;
    g->job++;
    pthread_cond_broadcast(&g->start);
    pthread_mutex_unlock(&g->lock);
    do_items(g);
    pthread_mutex_lock(&g->lock);
    while (g->busy > 0) pthread_cond_wait(&g->finish, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

// --- trees

enum { CHUNK = 16 }; // trees a thread takes at a time in a common round: few locks, and still an even load

// Collect the next leaves; finished searches hand over to the next one first. Returns how many wait.
static int advance_tree(mcts_group *g, int i)
{
    mcts *m = g->trees[i];
    while (!g->rests[i]) {
        if (mcts_done(m)) {
            if (g->o.done == NULL || !g->o.done(g->o.ctx, i, m)) g->rests[i] = true;
            continue;
        }
        int n = mcts_collect(m);
        if (n > 0) return n;
    }
    return 0;
}

static void back_tree(mcts_group *g, int i, const lane *l)
{
    if (mcts_waiting(g->trees[i]) > 0) mcts_backup(g->trees[i], &l->b, g->at[i]);
}

// Values of the last round in, leaves of the next one out: one pass, so a tree is fetched into the cache once.
static void turn_chunk(mcts_group *g, int item)
{
    int end = (item + 1) * CHUNK < g->n ? (item + 1) * CHUNK : g->n;
    for (int i = item * CHUNK; i < end; i++) {
        if (i + 1 < end) mcts_prefetch(g->trees[i + 1]);
        back_tree(g, i, &g->lanes[0]);
        advance_tree(g, i);
    }
}

static void back_chunk(mcts_group *g, int item)
{
    int end = (item + 1) * CHUNK < g->n ? (item + 1) * CHUNK : g->n;
    for (int i = item * CHUNK; i < end; i++) back_tree(g, i, &g->lanes[0]);
}

static void leaves_chunk(mcts_group *g, int item)
{
    int end = (item + 1) * CHUNK < g->n ? (item + 1) * CHUNK : g->n;
    for (int i = item * CHUNK; i < end; i++)
        if (mcts_waiting(g->trees[i]) > 0) mcts_leaves(g->trees[i], &g->lanes[0].b, g->at[i]);
}

// One batch for all.
static void run_common(mcts_group *g)
{
    lane *p = &g->lanes[0];
    int chunks = (g->n + CHUNK - 1) / CHUNK;
    for (uint64_t r = 0; g->rounds == 0 || r < g->rounds; r++) {
        for_each(g, chunks, turn_chunk);
        p->b.n = 0;
        for (int i = 0; i < g->n; i++) {
            g->at[i] = p->b.n;
            p->b.n += mcts_waiting(g->trees[i]);
        }
        if (p->b.n == 0) return;
        for_each(g, chunks, leaves_chunk);
        g->eval.eval(g->eval.ctx, &p->b);
        g->evals += (uint64_t)p->b.n;
    }
    for_each(g, chunks, back_chunk);
}

// This tree's next leaves that have to be evaluated, at the end of the lane's batch; known ones are taken in at once.
static int collect_unknown(mcts_group *g, int i, lane *l)
{
    mcts *m = g->trees[i];
    for (;;) {
        int n = advance_tree(g, i);
        g->at[i] = l->b.n;
        g->spent[i] += (uint64_t)n;
        if (n == 0) return 0;
        mcts_leaves(m, &l->b, l->b.n);
        if (g->o.known == NULL || !g->o.known(g->o.ctx, &l->b, l->b.n, n)) return n;
        mcts_backup(m, &l->b, l->b.n);
    }
}

static bool ready(const mcts_group *g, int i)
{
    return !g->taken[i] && !g->rests[i] && (g->rounds == 0 || g->turns[i] < g->rounds);
}

// At most `want` trees that nobody has: those furthest behind, or all in turn where there is room for all.
static int take(mcts_group *g, block *k, int want, int *tree)
{
    int got = 0;
    pthread_mutex_lock(&k->lock);
    for (; got < want; got++) {
        int best = -1;
        for (int j = 0; j < k->n; j++) {
            int i = k->first + (k->next + j) % k->n;
            if (!ready(g, i) || (best >= 0 && g->spent[i] >= g->spent[best])) continue;
            best = i;
            if (want >= k->n) break;
        }
        if (best < 0) break;
        g->taken[best] = true;
        k->next = best + 1 - k->first;
        tree[got] = best;
    }
    pthread_mutex_unlock(&k->lock);
    return got;
}

static void leave(mcts_group *g, block *k, const int *tree, int n)
{
    pthread_mutex_lock(&k->lock);
    for (int j = 0; j < n; j++) g->taken[tree[j]] = false;
    pthread_mutex_unlock(&k->lock);
}

// Fills the lane's batch from the block's trees. Returns how many trees have leaves in it.
static int fill(mcts_group *g, block *k, lane *l)
{
    int have = 0;
    l->b.n = 0;
    for (;;) {
        int got = take(g, k, l->room - have, l->tree + have), from = have;
        if (got == 0) return have;
        for (int j = from; j < from + got; j++) {
            int i = l->tree[j];
            if (j + 1 < from + got) mcts_prefetch(g->trees[l->tree[j + 1]]);
            int n = collect_unknown(g, i, l);
            l->b.n += n;
            if (n > 0) {
                g->turns[i]++;
                l->tree[have++] = i;
            } else {
                leave(g, k, &i, 1); // it rests
            }
        }
    }
}

static void run_lane(mcts_group *g, int item)
{
    lane *l = &g->lanes[item];
    double start = clock_seconds();
    for (int at = item % g->n_blocks; at < g->n_blocks; at += g->n_lanes) {
        block *k = &g->blocks[at];
        for (int n; (g->o.enough == NULL || !g->o.enough(g->o.ctx)) && (n = fill(g, k, l)) > 0;) {
            g->eval.eval(g->eval.ctx, &l->b);
            atomic_fetch_add(&g->evals, (uint64_t)l->b.n);
            for (int j = 0; j < n; j++) back_tree(g, l->tree[j], l);
            leave(g, k, l->tree, n);
        }
    }
    l->seconds = clock_seconds() - start;
}

double mcts_group_seconds(const mcts_group *g)
{
    double sum = 0;
    for (int i = 0; i < g->n_lanes; i++) sum += g->lanes[i].seconds;
    return sum;
}

uint64_t mcts_group_run(mcts_group *g, const mcts_evaluator *e, uint64_t rounds)
{
    g->eval = *e;
    g->rounds = rounds;
    g->evals = 0;
    for (int i = 0; i < g->n; i++) g->rests[i] = g->rests[i] && mcts_done(g->trees[i]); // unless begun again meanwhile
    memset(g->turns, 0, (size_t)g->n * sizeof *g->turns);
    memset(g->spent, 0, (size_t)g->n * sizeof *g->spent);
    if (g->o.trees_per_call > 0)
        for_each(g, g->n_lanes, run_lane);
    else
        run_common(g);
    return g->evals;
}

// --- making and unmaking

static bool make_lane(lane *l, int trees, size_t leaves)
{
    size_t k = (size_t)trees * leaves;
    l->room = trees;
    l->tree = calloc((size_t)trees, sizeof *l->tree);
    l->b.obs = calloc(k, sizeof *l->b.obs);
    l->b.moves = calloc(k, sizeof *l->b.moves);
    l->b.n_moves = calloc(k, sizeof *l->b.n_moves);
    l->b.priors = calloc(k, sizeof *l->b.priors);
    l->b.values = calloc(k, sizeof *l->b.values);
    l->b.margins = calloc(k, sizeof *l->b.margins);
    return l->tree && l->b.obs && l->b.moves && l->b.n_moves && l->b.priors && l->b.values && l->b.margins;
}

static bool make_arrays(mcts_group *g)
{
    bool common = g->o.trees_per_call == 0;
    int each = !common && g->o.trees_per_call < g->n ? g->o.trees_per_call : g->n, n_lanes = common ? 1 : g->o.threads;
    size_t leaves = 1;
    for (int i = 0; i < g->n; i++)
        if ((size_t)g->trees[i]->o.leaves > leaves) leaves = (size_t)g->trees[i]->o.leaves;
    g->at = calloc((size_t)g->n, sizeof *g->at);
    g->rests = calloc((size_t)g->n, sizeof *g->rests);
    g->turns = calloc((size_t)g->n, sizeof *g->turns);
    g->spent = calloc((size_t)g->n, sizeof *g->spent);
    g->taken = calloc((size_t)g->n, sizeof *g->taken);
    g->crew = calloc((size_t)g->o.threads, sizeof *g->crew);
    g->lanes = calloc((size_t)n_lanes, sizeof *g->lanes);
    int n_blocks = g->o.apart ? (g->n + each - 1) / each : 1, size = (g->n + n_blocks - 1) / n_blocks;
    g->blocks = calloc((size_t)n_blocks, sizeof *g->blocks);
    if (!g->at || !g->rests || !g->turns || !g->spent || !g->taken || !g->crew || !g->lanes || !g->blocks) return false;
    for (; g->n_lanes < n_lanes; g->n_lanes++)
        if (!make_lane(&g->lanes[g->n_lanes], each, leaves)) return false;
    for (int first = 0; first < g->n; first += size) {
        block *k = &g->blocks[g->n_blocks++];
        *k = (block){.first = first, .n = g->n - first < size ? g->n - first : size};
        pthread_mutex_init(&k->lock, NULL);
    }
    return true;
}

err mcts_group_new(mcts *const *trees, int n, const mcts_group_options *o, mcts_group **out)
{
    if (n < 1) return err_set(ERR_USAGE, "mcts: a group needs at least one tree");
    if (o->threads < 0 || o->threads > 1024) return err_set(ERR_USAGE, "mcts: %d threads are not possible", o->threads);
    mcts_group *g = calloc(1, sizeof *g);
    if (g == NULL) return err_set(ERR_MEMORY, "mcts: no memory for a group of trees");
    g->trees = trees;
    g->n = n;
    g->o = *o;
    if (g->o.threads == 0) g->o.threads = 1;
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->start, NULL);
    pthread_cond_init(&g->finish, NULL);
    if (!make_arrays(g)) {
        mcts_group_free(g);
        return err_set(ERR_MEMORY, "mcts: no memory for a group of %d trees", n);
    }
    while (g->n_crew < g->o.threads - 1) {
        if (pthread_create(&g->crew[g->n_crew], NULL, crew_main, g) != 0) break; // fewer hands, the same results
        g->n_crew++;
    }
    *out = g;
    return ERR_OK;
}

void mcts_group_free(mcts_group *g)
{
    if (g == NULL) return;
    pthread_mutex_lock(&g->lock);
    g->quit = true;
    pthread_cond_broadcast(&g->start);
    pthread_mutex_unlock(&g->lock);
    for (int i = 0; i < g->n_crew; i++) pthread_join(g->crew[i], NULL);
    for (int i = 0; g->lanes != NULL && i < g->o.threads; i++) {
        lane *l = &g->lanes[i];
        mcts_batch *b = &l->b;
        FREE_ALL(l->tree, b->obs, b->moves, b->n_moves, b->priors, b->values, b->margins);
        if (g->o.trees_per_call == 0) break;
    }
    for (int i = 0; i < g->n_blocks; i++) pthread_mutex_destroy(&g->blocks[i].lock);
    pthread_cond_destroy(&g->finish);
    pthread_cond_destroy(&g->start);
    pthread_mutex_destroy(&g->lock);
    FREE_ALL(g->crew, g->lanes, g->blocks, g->turns, g->spent, g->taken, g->rests, g->at, g);
}
