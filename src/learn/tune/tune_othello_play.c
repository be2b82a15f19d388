// Games by our own search: the strong, expensive rows of the Othello tuner. See tune_othello.h.
#include "base/clock.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "base/stop.h"
#include "learn/tune/tune_othello_inner.h"
#include "search/othello/oth_tables.h"
#include "search/othello/oth_worker.h"

#include <stdlib.h>

enum {
    OPENING_FEW = 4,   // random plies at the start, at least …
    OPENING_MANY = 22, // … and below this
    STRAY = 16,        // later, one move in this many is random
    HELD_OUT = 40,     // one game in this many is kept for measuring
    GAMES_PER_BLOCK = 64,
    TABLE_LOG2 = 16,
    BRANCHES = 4,      // tried per game
    BRANCH_RANDOM = 6, // random plies of a branch at most
    MOST_EXACT = 20,
    MOST_ROWS = 2 * OTH_SQUARES + (MOST_EXACT + 2) * BRANCHES,
};

typedef struct play_job {
    const tune_options *o;
    const oth_weights *w;
    double deadline;
    tune_data *d;
    int first;                                     // block of task 0
    oth_tt *table;                                 // [workers]
    tune_row (*rows)[GAMES_PER_BLOCK * MOST_ROWS]; // [workers]
    err *failed;                                   // [workers]
} play_job;

typedef struct step {
    oth_board b;
    int value;    // of the search, discs
    bool exact;   // the value is the final score
    bool chained; // the next step follows by the move searched; false: by a random one, or there is none
    bool passed;  // the next step has the same side to move
} step;

typedef struct game_rows {
    tune_row *row;
    int n;
    bool held;
} game_rows;

int tune_pick(uint64_t moves, rng *r)
{
    for (uint32_t k = rng_below(r, (uint32_t)oth_count(moves)); k > 0; k--) moves &= moves - 1;
    return __builtin_ctzll(moves);
}

int tune_search(oth_worker *s, oth_board b, int depth, int exact, int guess, int *value)
{
    const oth_search_ops *ops = oth_search_ops_for(cpu_simd());
    oth_root_move moves[OTH_MAX_MOVES];
    int n = 0, empties = oth_count(oth_empty(b)), v = guess;
    bool full = empties <= exact;
    for (uint64_t m = oth_moves(b); m != 0; m &= m - 1) moves[n++] = (oth_root_move){.sq = __builtin_ctzll(m)};
    int d = full ? empties : depth < 4 ? depth : 2 + (depth & 1);
    for (;; d = d + 2 < depth ? d + 2 : depth) { // deepening: its moves order the next search
        int width = full ? 1 : 3, alpha = v - width, beta = v + width;
        while ((v = ops->root(s, b, moves, n, alpha, beta, d, OTH_SURE)) <= alpha || v >= beta) {
            width *= 2;
            alpha = v <= alpha ? v - width : beta - 1;
            beta = v >= beta ? v + width : alpha + width + 1;
        }
        if (full || d >= depth) break;
    }
    *value = v;
    return moves[0].sq;
}

static void add_row(game_rows *g, oth_board b, double discs)
{
    if (OTH_SQUARES - oth_count(oth_empty(b)) < OTH_STAGE_FIRST) return;
    g->row[g->n++] = (tune_row){.b = b,
                                .label = (int16_t)(discs * OTH_EVAL_UNIT),
                                .discs = (uint8_t)(OTH_SQUARES - oth_count(oth_empty(b))),
                                .held = g->held,
                                .sure = true};
}

// A row of a position a random move or two beside the game: searches meet such positions more often than good ones.
static void add_beside(const play_job *j, oth_worker *s, oth_board b, rng *r, game_rows *rows)
{
    for (int plies = 1 + (int)rng_below(r, 2); plies > 0; plies--) {
        uint64_t moves = oth_moves(b);
        if (moves == 0) return;
        b = oth_play(b, tune_pick(moves, r));
    }
    if (oth_moves(b) == 0) return;
    int v;
    tune_search(s, b, j->o->depth - 1, j->o->exact, oth_eval(s->weights, b) / OTH_EVAL_UNIT, &v);
    add_row(rows, b, v);
}

// Plays on from a board into steps[*n…], the first `opening` plies at random.
static void play_on(const play_job *j, oth_worker *s, oth_board b, int opening, rng *r, step *steps, int *n,
                    game_rows *rows)
{
    int guess = 0; // for the side that moved last
    for (int ply = 0;; ply++) {
        uint64_t moves = oth_moves(b);
        if (moves == 0) {
            b = oth_pass(b);
            guess = -guess;
            moves = oth_moves(b);
            if (ply > opening) steps[*n - 1].passed = true;
            if (moves == 0) return;
        }
        int sq;
        if (ply < opening) {
            sq = tune_pick(moves, r);
        } else {
            step *t = &steps[(*n)++];
            *t = (step){.b = b, .chained = true, .exact = oth_count(oth_empty(b)) <= j->o->exact};
            sq = tune_search(s, b, j->o->depth, j->o->exact, -guess, &t->value);
            guess = t->value;
            if (!t->exact && rng_below(r, 2) == 0) add_beside(j, s, b, r, rows);
            if (rng_below(r, STRAY) == 0) {
                sq = tune_pick(moves, r);
                t->chained = false;
            }
        }
        b = oth_play(b, sq);
    }
}

// Labels from the last step to the first, and rows of them.
static void label(const play_job *j, const step *steps, int n, game_rows *rows)
{
    double later = 0;
    for (int i = n - 1; i >= 0; i--) {
        double now = steps[i].value;
        if (!steps[i].exact && steps[i].chained && i + 1 < n)
            now = (1 - j->o->blend) * now + j->o->blend * (steps[i].passed ? later : -later);
        later = now;
        add_row(rows, steps[i].b, now);
    }
}

// A game, and branches: from one of its later positions, a few random moves to an endgame, which is solved. They cost
// little and show the late stages, where shapes are many, far more positions than whole games would.
static void play_game(const play_job *j, uint64_t game, oth_tt *tt, game_rows *rows)
{
    rng r = rng_at(j->o->seed + 0x100000001u, game, 0);
    oth_worker s = {.tt = tt, .small = tt, .weights = j->w};
    oth_tt_clear(tt);
    step line[OTH_SQUARES], branch[OTH_SQUARES];
    int n = 0;
    rows->held = game % HELD_OUT == 0;
    play_on(j, &s, oth_start(), OPENING_FEW + (int)rng_below(&r, OPENING_MANY - OPENING_FEW), &r, line, &n, rows);
    label(j, line, n, rows);
    for (int k = 0; k < BRANCHES && n > 0; k++) {
        oth_board b = line[rng_below(&r, (uint32_t)n)].b;
        int m = 0, away = oth_count(oth_empty(b)) - j->o->exact + 1 + (int)rng_below(&r, 2);
        if (away < 1 || away > BRANCH_RANDOM) continue;
        play_on(j, &s, b, away, &r, branch, &m, rows);
        label(j, branch, m, rows);
    }
}

static void play_task(void *ctx, int task, int worker)
{
    play_job *j = ctx;
    if (stop_requested() || (j->deadline > 0 && clock_seconds() >= j->deadline)) return;
    game_rows rows = {.row = j->rows[worker]};
    for (int i = 0; i < GAMES_PER_BLOCK && !stop_requested(); i++)
        play_game(j, (uint64_t)task * GAMES_PER_BLOCK + (uint64_t)i, &j->table[worker], &rows);
    err e = tune_block_fill(&j->d->block[j->first + task], rows.row, rows.n);
    if (e != ERR_OK) j->failed[worker] = e;
}

err tune_play(const tune_options *o, pool *p, const oth_weights *w, double deadline, tune_data *d)
{
    oth_tables_init();
    oth_eval_init();
    int workers = pool_threads(p), made = 0;
    int blocks = (int)((o->search_games * o->scale + GAMES_PER_BLOCK - 1) / GAMES_PER_BLOCK);
    play_job j = {.o = o, .w = w, .deadline = deadline, .d = d, .first = d->n};
    j.rows = malloc((size_t)workers * sizeof *j.rows);
    j.table = calloc((size_t)workers, sizeof *j.table);
    j.failed = calloc((size_t)workers, sizeof *j.failed);
    err e = ERR_OK;
    if (j.rows == NULL || j.table == NULL || j.failed == NULL) e = err_set(ERR_MEMORY, "no memory for games");
    if (e == ERR_OK && o->exact > MOST_EXACT) e = err_set(ERR_USAGE, "at most %d empties can be solved", MOST_EXACT);
    for (; e == ERR_OK && made < workers; made++) e = oth_tt_new(&j.table[made], TABLE_LOG2);
    if (e == ERR_OK) e = tune_data_room(d, blocks);
    if (e == ERR_OK) {
        pool_run(p, blocks, play_task, &j);
        e = stop_check();
        for (int i = 0; e == ERR_OK && i < workers; i++)
            if (j.failed[i] != ERR_OK) e = err_set(j.failed[i], "no memory for the rows of games");
        tune_data_trim(d);
    }
    for (int i = 0; i < made; i++) oth_tt_free(&j.table[i]);
    FREE_ALL(j.table, j.rows, j.failed);
    return e;
}
