// See mcts_group.h. A small crew of threads that does one thing at a time: "for every item, work(item)".
#include "search/mcts_group.h"

#include "search/mcts_node.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct part { // batch arrays; one for all trees, or one a block of trees
    mcts_batch b;
    int first, n; // trees
} part;

struct mcts_group {
    mcts *const *trees;
    int n;
    mcts_group_options o;
    mcts_evaluator eval;
    uint64_t rounds;
    int *at;     // where a tree's leaves stand in the batch
    bool *rests; // this tree asked for no more
    part *parts;
    int n_parts;
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

static void back_tree(mcts_group *g, int i, const part *p)
{
    if (mcts_waiting(g->trees[i]) > 0) mcts_backup(g->trees[i], p->b.values + g->at[i]);
}

// Values of the last round in, leaves of the next one out: one pass, so a tree is fetched into the cache once.
static void turn_chunk(mcts_group *g, int item)
{
    int end = (item + 1) * CHUNK < g->n ? (item + 1) * CHUNK : g->n;
    for (int i = item * CHUNK; i < end; i++) {
        if (i + 1 < end) mcts_prefetch(g->trees[i + 1]);
        back_tree(g, i, &g->parts[0]);
        advance_tree(g, i);
    }
}

static void back_chunk(mcts_group *g, int item)
{
    int end = (item + 1) * CHUNK < g->n ? (item + 1) * CHUNK : g->n;
    for (int i = item * CHUNK; i < end; i++) back_tree(g, i, &g->parts[0]);
}

static void leaves_chunk(mcts_group *g, int item)
{
    int end = (item + 1) * CHUNK < g->n ? (item + 1) * CHUNK : g->n;
    for (int i = item * CHUNK; i < end; i++)
        if (mcts_waiting(g->trees[i]) > 0) mcts_leaves(g->trees[i], &g->parts[0].b, g->at[i]);
}

// One batch for all.
static void run_common(mcts_group *g)
{
    part *p = &g->parts[0];
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

// This tree's next leaves that have to be evaluated, at the end of the part's batch; known ones are taken in at once.
static int collect_unknown(mcts_group *g, int i, part *p)
{
    mcts *m = g->trees[i];
    for (;;) {
        int n = advance_tree(g, i);
        g->at[i] = p->b.n;
        if (n == 0) return 0;
        mcts_leaves(m, &p->b, p->b.n);
        if (g->o.known == NULL || !g->o.known(g->o.ctx, &p->b, p->b.n, n)) return n;
        mcts_backup(m, p->b.values + p->b.n);
    }
}

// A block of trees with its own batches.
static void run_part(mcts_group *g, int item)
{
    part *p = &g->parts[item];
    for (uint64_t r = 0; g->rounds == 0 || r < g->rounds; r++) {
        p->b.n = 0;
        for (int i = p->first; i < p->first + p->n; i++) {
            if (i + 1 < p->first + p->n) mcts_prefetch(g->trees[i + 1]);
            p->b.n += collect_unknown(g, i, p);
        }
        if (p->b.n == 0) return;
        g->eval.eval(g->eval.ctx, &p->b);
        atomic_fetch_add(&g->evals, (uint64_t)p->b.n);
        for (int i = p->first; i < p->first + p->n; i++) back_tree(g, i, p);
    }
}

uint64_t mcts_group_run(mcts_group *g, const mcts_evaluator *e, uint64_t rounds)
{
    g->eval = *e;
    g->rounds = rounds;
    g->evals = 0;
    for (int i = 0; i < g->n; i++) g->rests[i] = g->rests[i] && mcts_done(g->trees[i]); // unless begun again meanwhile
    if (g->o.trees_per_call > 0)
        for_each(g, g->n_parts, run_part);
    else
        run_common(g);
    return g->evals;
}

// --- making and unmaking

static bool make_part(mcts_group *g, part *p, int first, int n)
{
    size_t k = 0;
    for (int i = first; i < first + n; i++) k += (size_t)g->trees[i]->o.leaves;
    p->first = first;
    p->n = n;
    p->b.obs = calloc(k, sizeof *p->b.obs);
    p->b.moves = calloc(k, sizeof *p->b.moves);
    p->b.n_moves = calloc(k, sizeof *p->b.n_moves);
    p->b.priors = calloc(k, sizeof *p->b.priors);
    p->b.values = calloc(k, sizeof *p->b.values);
    return p->b.obs && p->b.moves && p->b.n_moves && p->b.priors && p->b.values;
}

static bool make_arrays(mcts_group *g)
{
    int each = g->o.trees_per_call > 0 && g->o.trees_per_call < g->n ? g->o.trees_per_call : g->n;
    g->n_parts = (g->n + each - 1) / each;
    g->at = calloc((size_t)g->n, sizeof *g->at);
    g->rests = calloc((size_t)g->n, sizeof *g->rests);
    g->parts = calloc((size_t)g->n_parts, sizeof *g->parts);
    g->crew = calloc((size_t)g->o.threads, sizeof *g->crew);
    if (!g->at || !g->rests || !g->parts || !g->crew) return false;
    for (int i = 0; i < g->n_parts; i++) {
        int first = i * each, n = g->n - first < each ? g->n - first : each;
        if (!make_part(g, &g->parts[i], first, n)) return false;
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
    for (int i = 0; g->parts != NULL && i < g->n_parts; i++) {
        mcts_batch *b = &g->parts[i].b;
        free(b->obs);
        free(b->moves);
        free(b->n_moves);
        free(b->priors);
        free(b->values);
    }
    pthread_cond_destroy(&g->finish);
    pthread_cond_destroy(&g->start);
    pthread_mutex_destroy(&g->lock);
    free(g->crew);
    free(g->parts);
    free(g->rests);
    free(g->at);
    free(g);
}
