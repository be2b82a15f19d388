// Self-play for the Othello tuner: games to labelled positions. See tune_othello.h.
#include "base/cpu.h"
#include "base/rng.h"
#include "base/stop.h"
#include "learn/tune_othello_inner.h"
#include "search/othello/oth_tables.h"
#include "search/othello/oth_worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPENING_FEW = 6,    // random plies at the start, at least …
    OPENING_MANY = 26,  // … and below this
    STRAY = 12,         // later, one move in so many is random
    HELD_OUT = 40,      // one game in so many is kept for measuring
    GAMES_A_TASK = 64,
    TABLE_LOG2 = 15,
};

typedef struct play_job {
    const tune_options *o;
    const tune_generation *g;
    const oth_weights *w;
    int generation, games;
    tune_row (*rows)[OTH_SQUARES]; // [games]: each game's own place, so that order does not depend on threads
    uint8_t *count;                // [games]
    oth_tt *tables;                // [threads]
} play_job;

typedef struct step {
    oth_board b;
    int value;   // of the search, discs
    bool exact;  // the value is the final score
    bool chained; // the next step follows by the move searched; false: by a random one, or there is none
    bool passed; // the next step has the same side to move
} step;

static int find_best(oth_worker *s, oth_board b, int depth, int exact, step *out)
{
    const oth_search_ops *ops = oth_search_ops_for(cpu_simd());
    oth_root_move moves[OTH_MAX_MOVES];
    int n = 0, empties = oth_count(oth_empty(b));
    for (uint64_t m = oth_moves(b); m != 0; m &= m - 1) moves[n++] = (oth_root_move){.sq = __builtin_ctzll(m)};
    out->exact = empties <= exact;
    if (out->exact) depth = empties;
    out->value = ops->root(s, b, moves, n, -65, 65, depth, OTH_SURE);
    return moves[0].sq;
}

static int pick(uint64_t moves, rng *r)
{
    for (uint32_t k = rng_below(r, (uint32_t)oth_count(moves)); k > 0; k--) moves &= moves - 1;
    return __builtin_ctzll(moves);
}

static int play_game(const play_job *j, int game, oth_tt *tt, tune_row *rows)
{
    rng r = rng_at(j->o->seed + (uint64_t)j->generation * 0x100000001u, (uint64_t)game, 0);
    oth_worker s = {.tt = tt, .weights = j->w};
    oth_tt_clear(tt);
    int opening = OPENING_FEW + (int)rng_below(&r, OPENING_MANY - OPENING_FEW), n = 0;
    oth_board b = oth_start();
    step steps[OTH_SQUARES];
    for (int ply = 0;; ply++) {
        uint64_t moves = oth_moves(b);
        if (moves == 0) {
            b = oth_pass(b);
            moves = oth_moves(b);
            if (n > 0) steps[n - 1].passed = true;
            if (moves == 0) break;
        }
        int sq;
        if (ply < opening) {
            sq = pick(moves, &r);
        } else {
            step *t = &steps[n++];
            *t = (step){.b = b, .chained = true};
            sq = find_best(&s, b, j->g->depth, j->g->exact, t);
            if (rng_below(&r, STRAY) == 0) {
                sq = pick(moves, &r);
                t->chained = false;
            }
        }
        b = oth_play(b, sq);
    }
    double later = 0;
    for (int i = n - 1; i >= 0; i--) {
        double now = steps[i].value;
        if (!steps[i].exact && steps[i].chained && i + 1 < n)
            now = (1 - j->o->blend) * now + j->o->blend * (steps[i].passed ? later : -later);
        later = now;
        rows[i] = (tune_row){.b = steps[i].b, .label = (int16_t)(now * OTH_EVAL_UNIT),
                             .discs = (uint8_t)(OTH_SQUARES - oth_count(oth_empty(steps[i].b))),
                             .held = game % HELD_OUT == 0};
    }
    return n;
}

static void play_task(void *ctx, int task, int worker)
{
    play_job *j = ctx;
    for (int i = 0; i < GAMES_A_TASK; i++) {
        int game = task * GAMES_A_TASK + i;
        if (game >= j->games || stop_requested()) return;
        j->count[game] = (uint8_t)play_game(j, game, &j->tables[worker], j->rows[game]);
    }
}

static err collect(const play_job *j, tune_rows *rows)
{
    size_t n = rows->n;
    for (int i = 0; i < j->games; i++) n += j->count[i];
    if (n > rows->cap) {
        tune_row *more = realloc(rows->row, n * sizeof *more);
        if (more == NULL) return err_set(ERR_MEMORY, "no memory for %zu positions", n);
        rows->row = more;
        rows->cap = n;
    }
    for (int i = 0; i < j->games; i++) {
        memcpy(rows->row + rows->n, j->rows[i], j->count[i] * sizeof **j->rows);
        rows->n += j->count[i];
    }
    return ERR_OK;
}

err tune_play(const tune_options *o, pool *p, int generation, const tune_generation *g, const oth_weights *w,
              tune_rows *rows)
{
    oth_tables_init();
    oth_eval_init();
    int threads = pool_threads(p), made = 0;
    play_job j = {.o = o, .g = g, .w = w, .generation = generation, .games = (int)(g->games * o->scale)};
    if (j.games < 1) j.games = 1;
    j.rows = malloc((size_t)j.games * sizeof *j.rows);
    j.count = calloc((size_t)j.games, 1);
    j.tables = calloc((size_t)threads, sizeof *j.tables);
    err e = ERR_OK;
    if (j.rows == NULL || j.count == NULL || j.tables == NULL) e = err_set(ERR_MEMORY, "no memory for %d games", j.games);
    for (; e == ERR_OK && made < threads; made++) e = oth_tt_new(&j.tables[made], TABLE_LOG2);
    if (e == ERR_OK) {
        pool_run(p, (j.games + GAMES_A_TASK - 1) / GAMES_A_TASK, play_task, &j);
        e = stop_check();
    }
    if (e == ERR_OK) e = collect(&j, rows);
    for (int i = 0; i < made; i++) oth_tt_free(&j.tables[i]);
    free(j.tables);
    free(j.count);
    free(j.rows);
    return e;
}
