// Exactly labelled Othello endgames. See label_othello.h.
#include "learn/tune/label_othello.h"

#include "base/rng.h"
#include "base/stop.h"
#include "search/othello/oth_search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPENING_FEW = 8,   // random plies at the start, at least …
    OPENING_MANY = 28, // … and below this
    STRAY = 8,         // one of a search's moves in this many is random
    HASH = 14,         // log2 entries: these endgames are small, and a small table is cleared quickly
};

typedef struct job {
    const label_options *o;
    label_row *rows;
    oth_engine **engine; // [threads]
} job;

static int pick(uint64_t moves, rng *r)
{
    for (uint32_t k = rng_below(r, (uint32_t)oth_count(moves)); k > 0; k--) moves &= moves - 1;
    return __builtin_ctzll(moves);
}

// A game until `empties` are left; false when it ended before, or when the side to move there must pass.
static bool play(oth_engine *e, rng *r, int depth, int empties, oth_board *out)
{
    oth_board b = oth_start();
    int opening = OPENING_FEW + (int)rng_below(r, OPENING_MANY - OPENING_FEW);
    for (int ply = 0; oth_count(oth_empty(b)) > empties; ply++) {
        uint64_t moves = oth_moves(b);
        if (moves == 0) {
            if (oth_over(b)) return false;
            b = oth_pass(b);
        } else if (depth == 0 || ply < opening || rng_below(r, STRAY) == 0) {
            b = oth_play(b, pick(moves, r));
        } else {
            oth_found found;
            oth_engine_search(e, b, &(oth_limits){.depth = depth}, &found);
            b = oth_play(b, found.move[0].sq);
        }
    }
    *out = b;
    return oth_moves(b) != 0;
}

static void solve(oth_engine *e, label_row *row)
{
    oth_found found;
    oth_engine_search(e, row->b, &(oth_limits){.exact = OTH_SQUARES, .best = OTH_MAX_MOVES}, &found);
    assert(found.solved && found.n == oth_count(oth_moves(row->b)));
    memset(row->score, LABEL_ILLEGAL, sizeof row->score);
    memset(row->line, LABEL_END, sizeof row->line);
    for (int i = 0; i < found.n; i++) {
        const oth_found_move *m = &found.move[i];
        row->score[m->sq] = (int8_t)m->score;
        for (int k = 1; k <= LABEL_LINE && k < m->n_line; k++) row->line[m->sq][k - 1] = m->line[k];
    }
    row->best = (int8_t)found.move[0].score;
    oth_board b = row->b;
    for (int i = 0; i < found.move[0].n_line; i++) b = oth_play(b, found.move[0].line[i]);
    bool turned = found.move[0].n_line % 2 == 1; // whose `own` it is after this many plies, passes counted
    row->final_own = turned ? b.opp : b.own;
    row->final_opp = turned ? b.own : b.opp;
}

static void label_task(void *ctx, int task, int worker)
{
    job *j = ctx;
    oth_engine *e = j->engine[worker];
    label_row *row = &j->rows[task];
    if (stop_requested()) return;
    rng r = rng_at(j->o->seed, j->o->first + (uint64_t)task, 0);
    int empties;
    do {
        oth_engine_clear(e); // so that nothing depends on what this worker did before
        empties = j->o->few + (int)rng_below(&r, (uint32_t)(j->o->many - j->o->few + 1));
    } while (!play(e, &r, j->o->depth, empties, &row->b));
    oth_engine_clear(e);
    solve(e, row);
    progress_tick(j->o->bar, 1);
}

err label_othello(const label_options *o, label_row *rows, int n)
{
    int threads = pool_threads(o->threads);
    job j = {.o = o, .rows = rows, .engine = calloc((size_t)threads, sizeof *j.engine)};
    err e = ERR_OK;
    if (o->few < 1 || o->many < o->few || o->many > 30)
        e = err_set(ERR_USAGE, "%d to %d empties cannot be labelled; 1 to 30 can", o->few, o->many);
    else if (j.engine == NULL)
        e = err_set(ERR_MEMORY, "no memory for %d solvers", threads);
    for (int i = 0; i < threads && e == ERR_OK; i++)
        e = oth_engine_new(&j.engine[i], &(oth_engine_options){.hash = HASH});
    if (e == ERR_OK) {
        pool_run(o->threads, n, label_task, &j);
        e = stop_check();
    }
    for (int i = 0; j.engine != NULL && i < threads; i++) oth_engine_free(j.engine[i]);
    free(j.engine);
    return e;
}
