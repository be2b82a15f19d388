// Growing an opening book. See book_othello.h.
#include "learn/tune/book_othello.h"

#include "base/rng.h"
#include "base/stop.h"
#include "search/othello/oth_search.h"

#include <math.h>
#include <stdlib.h>

enum {
    ROUND = 32,         // games walked before their positions are searched
    IDLE_ROUNDS = 20,   // rounds without a new position before it gives up
    LEAST_EMPTIES = 30, // where the book ends
    HASH = 18,
};

static const double temperature = 1.5; // discs that make a move e times rarer

typedef struct job {
    const book_options *o;
    oth_engine **engine; // [threads]
    oth_book *book;
    oth_book_entry fresh[ROUND];
    int n;
} job;

static int pick(const oth_book_move *move, int n, rng *r)
{
    double share[OTH_BOOK_MOVES], sum = 0;
    for (int i = 0; i < n; i++) sum += share[i] = exp((move[i].score - move[0].score) / temperature);
    double at = rng_unit(r) * sum;
    int i = 0;
    while (i + 1 < n && (at -= share[i]) >= 0) i++;
    return move[i].sq;
}

// After a move; a side that cannot move passes.
static oth_board after(oth_board b, int sq, bool *passed)
{
    oth_board next = oth_play(b, sq);
    *passed = oth_moves(next) == 0 && !oth_over(next);
    return *passed ? oth_pass(next) : next;
}

// From the start along the book to a position beyond it; false where the book ends or this round has it already.
static bool walk(job *j, rng *r)
{
    oth_board b = oth_start();
    oth_book_move move[OTH_BOOK_MOVES];
    bool passed;
    int sym;
    for (int n; (n = oth_book_find(j->book, b, move)) > 0;) b = after(b, pick(move, n, r), &passed);
    if (oth_over(b) || oth_count(oth_empty(b)) < LEAST_EMPTIES) return false;
    b = oth_book_image(b, &sym);
    for (int i = 0; i < j->n; i++)
        if (j->fresh[i].b.own == b.own && j->fresh[i].b.opp == b.opp) return false;
    j->fresh[j->n++] = (oth_book_entry){.b = b};
    return true;
}

static void search_task(void *ctx, int task, int worker)
{
    job *j = ctx;
    oth_book_entry *e = &j->fresh[task];
    oth_found f;
    if (stop_requested()) return;
    oth_engine_clear(j->engine[worker]);
    oth_engine_search(j->engine[worker], e->b, &(oth_limits){.depth = j->o->depth, .best = OTH_BOOK_MOVES}, &f);
    for (int i = 0; i < f.n && i < OTH_BOOK_MOVES; i++)
        e->move[e->n++] = (oth_book_move){.sq = (uint8_t)f.move[i].sq, .score = (int8_t)f.move[i].score};
    progress_tick(j->o->bar, 1);
}

static void sort_moves(oth_book_entry *e)
{
    for (int i = 1; i < e->n; i++)
        for (int k = i; k > 0 && e->move[k].score > e->move[k - 1].score; k--) {
            oth_book_move t = e->move[k];
            e->move[k] = e->move[k - 1];
            e->move[k - 1] = t;
        }
}

// What a move leads to in the book is worth more than what a search said of it. The last positions first.
static void carry_back(oth_book *k)
{
    for (int discs = OTH_SQUARES; discs >= 4; discs--)
        for (int i = 0; i < k->n; i++) {
            oth_book_entry *e = &k->at[i];
            if (OTH_SQUARES - oth_count(oth_empty(e->b)) != discs) continue;
            for (int m = 0; m < e->n; m++) {
                bool passed;
                int sym, next = oth_book_at(k, oth_book_image(after(e->b, e->move[m].sq, &passed), &sym));
                if (next < 0) continue;
                int8_t v = k->at[next].move[0].score;
                e->move[m].score = (int8_t)(passed ? v : -v);
            }
            sort_moves(e);
        }
}

static err grow(job *j)
{
    err e = ERR_OK;
    int idle = 0;
    for (uint64_t round = 0; e == ERR_OK && j->book->n < j->o->positions && idle < IDLE_ROUNDS; round++) {
        int most = j->o->positions - j->book->n < ROUND ? j->o->positions - j->book->n : ROUND;
        j->n = 0;
        for (uint32_t g = 0; g < ROUND && j->n < most; g++) {
            rng r = rng_at(j->o->seed, round, g);
            walk(j, &r);
        }
        idle = j->n == 0 ? idle + 1 : 0;
        pool_run(j->o->threads, j->n, search_task, j);
        e = stop_check();
        for (int i = 0; e == ERR_OK && i < j->n; i++) e = oth_book_add(j->book, &j->fresh[i]);
        carry_back(j->book);
    }
    return e;
}

err book_othello(const book_options *o, oth_book *out)
{
    int threads = pool_threads(o->threads);
    job *j = calloc(1, sizeof *j);
    *out = (oth_book){0};
    if (j == NULL) return err_set(ERR_MEMORY, "no memory for a book");
    j->o = o;
    j->book = out;
    j->engine = calloc((size_t)threads, sizeof *j->engine);
    err e = j->engine != NULL ? ERR_OK : err_set(ERR_MEMORY, "no memory for %d engines", threads);
    for (int i = 0; e == ERR_OK && i < threads; i++)
        e = oth_engine_new(&j->engine[i], &(oth_engine_options){.hash = HASH, .weights = o->weights});
    if (e == ERR_OK) e = grow(j);
    for (int i = 0; j->engine != NULL && i < threads; i++) oth_engine_free(j->engine[i]);
    free(j->engine);
    free(j);
    if (e != ERR_OK) oth_book_free(out);
    return e;
}
