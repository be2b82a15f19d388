// Self-play for the Othello tuner: games to labelled positions. See tune_othello.h.
#include "base/cpu.h"
#include "base/rng.h"
#include "base/stop.h"
#include "learn/tune/tune_othello_inner.h"
#include "search/othello/oth_tables.h"
#include "search/othello/oth_worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPENING_FEW = 6,   // random plies at the start, at least …
    OPENING_MANY = 26, // … and below this
    STRAY = 12,        // later, one move in so many is random
    HELD_OUT = 40,     // one game in so many is kept for measuring
    GAMES_A_TASK = 64,
    TABLE_LOG2 = 15,
    BRANCHES = 8,                            // tried a game
    BRANCH_RANDOM = 6,                       // random plies of a branch at most
    MOST_ROWS = OTH_SQUARES + 14 * BRANCHES, // a branch begins with at most 13 empties
    GAMES_AT_ONCE = 8192,                    // bounds memory
};

typedef struct play_job {
    const tune_options *o;
    const tune_generation *g;
    const oth_weights *w;
    int generation, first, games; // games first … first+games-1
    tune_row (*rows)[MOST_ROWS];  // [games]: each game's own place, so that order does not depend on threads
    uint16_t *count;              // [games]
    oth_tt *tables;               // [threads]
} play_job;

typedef struct step {
    oth_board b;
    int value;    // of the search, discs
    bool exact;   // the value is the final score
    bool chained; // the next step follows by the move searched; false: by a random one, or there is none
    bool passed;  // the next step has the same side to move
} step;

// The best move of a position to search; its value goes to `out`. Solving starts from a guess of the score.
static int find_best(oth_worker *s, oth_board b, int depth, int exact, int guess, step *out)
{
    const oth_search_ops *ops = oth_search_ops_for(cpu_simd());
    oth_root_move moves[OTH_MAX_MOVES];
    int n = 0, empties = oth_count(oth_empty(b)), v;
    for (uint64_t m = oth_moves(b); m != 0; m &= m - 1) moves[n++] = (oth_root_move){.sq = __builtin_ctzll(m)};
    out->exact = empties <= exact;
    if (!out->exact) {
        v = ops->root(s, b, moves, n, -65, 65, depth, OTH_SURE);
    } else {
        int alpha = guess - 1, beta = guess + 1;
        while ((v = ops->root(s, b, moves, n, alpha, beta, empties, OTH_SURE)) <= alpha || v >= beta) {
            alpha = v <= alpha ? v - 3 : beta - 1;
            beta = v >= beta ? v + 3 : alpha + 4;
        }
    }
    out->value = v;
    return moves[0].sq;
}

static int pick(uint64_t moves, rng *r)
{
    for (uint32_t k = rng_below(r, (uint32_t)oth_count(moves)); k > 0; k--) moves &= moves - 1;
    return __builtin_ctzll(moves);
}

// Plays on from a board into steps[*n…], the first `opening` plies at random.
static void play_on(const play_job *j, oth_worker *s, oth_board b, int opening, rng *r, step *steps, int *n)
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
            sq = pick(moves, r);
        } else {
            step *t = &steps[(*n)++];
            *t = (step){.b = b, .chained = true};
            sq = find_best(s, b, j->g->depth, j->g->exact, -guess, t);
            guess = t->value;
            if (rng_below(r, STRAY) == 0) {
                sq = pick(moves, r);
                t->chained = false;
            }
        }
        b = oth_play(b, sq);
    }
}

// Labels from the last step to the first, and rows of them.
static void label(const play_job *j, const step *steps, int n, bool held, tune_row *rows)
{
    double later = 0;
    for (int i = n - 1; i >= 0; i--) {
        double now = steps[i].value;
        if (!steps[i].exact && steps[i].chained && i + 1 < n)
            now = (1 - j->o->blend) * now + j->o->blend * (steps[i].passed ? later : -later);
        later = now;
        rows[i] = (tune_row){.b = steps[i].b,
                             .label = (int16_t)(now * OTH_EVAL_UNIT),
                             .discs = (uint8_t)(OTH_SQUARES - oth_count(oth_empty(steps[i].b))),
                             .held = held};
    }
}

// A game, and branches: from one of its later positions, a few random moves to an endgame, which is solved. They cost
// little and show the late stages, where shapes are many, far more positions than whole games would.
static int play_game(const play_job *j, int game, oth_tt *tt, tune_row *rows)
{
    rng r = rng_at(j->o->seed + (uint64_t)j->generation * 0x100000001u, (uint64_t)game, 0);
    oth_worker s = {.tt = tt, .small = tt, .weights = j->w};
    oth_tt_clear(tt);
    step steps[OTH_SQUARES];
    bool held = game % HELD_OUT == 0;
    int n = 0, total;
    play_on(j, &s, oth_start(), OPENING_FEW + (int)rng_below(&r, OPENING_MANY - OPENING_FEW), &r, steps, &n);
    label(j, steps, n, held, rows);
    total = n;
    for (int k = 0; k < BRANCHES && n > 0; k++) {
        oth_board b = rows[rng_below(&r, (uint32_t)n)].b;
        int m = 0, away = oth_count(oth_empty(b)) - j->g->exact + 1 + (int)rng_below(&r, 2);
        if (away < 1 || away > BRANCH_RANDOM) continue;
        play_on(j, &s, b, away, &r, steps, &m);
        label(j, steps, m, held, rows + total);
        total += m;
    }
    return total;
}

static void play_task(void *ctx, int task, int worker)
{
    play_job *j = ctx;
    for (int i = 0; i < GAMES_A_TASK; i++) {
        int game = task * GAMES_A_TASK + i;
        if (game >= j->games || stop_requested()) return;
        j->count[game] = (uint16_t)play_game(j, j->first + game, &j->tables[worker], j->rows[game]);
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
    play_job j = {.o = o, .g = g, .w = w, .generation = generation};
    int games = (int)(g->games * o->scale);
    j.rows = malloc(GAMES_AT_ONCE * sizeof *j.rows);
    j.count = calloc(GAMES_AT_ONCE, sizeof *j.count);
    j.tables = calloc((size_t)threads, sizeof *j.tables);
    err e = ERR_OK;
    if (j.rows == NULL || j.count == NULL || j.tables == NULL) e = err_set(ERR_MEMORY, "no memory for games");
    for (; e == ERR_OK && made < threads; made++) e = oth_tt_new(&j.tables[made], TABLE_LOG2);
    for (; e == ERR_OK && j.first < games; j.first += GAMES_AT_ONCE) {
        j.games = games - j.first < GAMES_AT_ONCE ? games - j.first : GAMES_AT_ONCE;
        pool_run(p, (j.games + GAMES_A_TASK - 1) / GAMES_A_TASK, play_task, &j);
        e = stop_check();
        if (e == ERR_OK) e = collect(&j, rows);
    }
    for (int i = 0; i < made; i++) oth_tt_free(&j.tables[i]);
    free(j.tables);
    free(j.count);
    free(j.rows);
    return e;
}
