// Judged Othello positions from games between varied players. See heldout_othello.h.
#include "learn/tune/heldout_othello.h"

#include "agents/agent.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/stop.h"
#include "games/othello/oth_obf.h"
#include "search/othello/oth_search.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPENING_FEW = 6,   // random plies at the start, at least …
    OPENING_MANY = 13, // … and below this
    OPENING_DEPTH = 8, // of the search that says whether an opening is nearly even:
    OPENING_EVEN = 10, // at most this many discs ahead
    HASH = 20,
    PLAYERS = 6,
};

static const char *const players[PLAYERS] = {"alphabeta:depth=4,exact=14", "alphabeta:depth=6,exact=14",
                                             "alphabeta:depth=8,exact=14", "alphabeta:depth=10,exact=14",
                                             "zero:model=othello,sims=16", "zero:model=othello,sims=64"};

typedef struct bench {
    oth_engine *engine;
    agent *player[2][PLAYERS]; // one set a colour: an agent plays one side of a game
} bench;

typedef struct job {
    const heldout_options *o;
    const game *g;
    bench *bench;            // [threads]
    oth_problem (*found)[2]; // [games]
    err *failed;             // [games]
} job;

static int pick(uint64_t moves, rng *r)
{
    for (uint32_t k = rng_below(r, (uint32_t)oth_count(moves)); k > 0; k--) moves &= moves - 1;
    return __builtin_ctzll(moves);
}

static int empties(const oth_state *s)
{
    return oth_count(oth_empty(s->b));
}

// Random plies until a nearly even position is found.
static void open_game(bench *w, rng *r, oth_state *s)
{
    for (;;) {
        int plies = OPENING_FEW + (int)rng_below(r, OPENING_MANY - OPENING_FEW);
        *s = (oth_state){.b = oth_start()};
        for (int i = 0; i < plies && oth_moves(s->b) != 0; i++)
            *s = (oth_state){oth_play(s->b, pick(oth_moves(s->b), r)), s->side ^ 1};
        if (oth_moves(s->b) == 0) continue;
        oth_found f;
        oth_engine_clear(w->engine);
        oth_engine_search(w->engine, s->b, &(oth_limits){.depth = OPENING_DEPTH}, &f);
        if (abs(f.move[0].score) <= OPENING_EVEN) return;
    }
}

static err play_ply(const job *j, agent *const player[2], oth_state *s)
{
    move_t m = OTH_PASS;
    if (oth_moves(s->b) != 0) {
        agent_choice c;
        err e = agent_choose(player[s->side], s, &c);
        if (e != ERR_OK) return e;
        m = c.move;
    }
    for (int seat = 0; seat < 2; seat++) agent_saw(player[seat], s, m);
    j->g->play(s, m, NULL);
    return ERR_OK;
}

static void judge(bench *w, oth_problem *p)
{
    oth_found f;
    oth_engine_clear(w->engine);
    oth_limits exact = {.exact = HELDOUT_EXACT}, deep = {.depth = HELDOUT_DEPTH};
    oth_engine_search(w->engine, p->s.b, empties(&p->s) <= HELDOUT_EXACT ? &exact : &deep, &f);
    p->n = 1;
    p->moves[0] = (oth_scored){(uint8_t)f.move[0].sq, (int8_t)f.move[0].score};
}

// One try at a game; *done when it gave both positions with a move to play.
static err play_game(const job *j, bench *w, uint64_t number, rng *r, oth_problem found[2], bool *done)
{
    int want[2] = {HELDOUT_FEW + (int)rng_below(r, HELDOUT_MANY - HELDOUT_FEW + 1), HELDOUT_EXACT};
    agent *player[2];
    oth_state s;
    open_game(w, r, &s);
    for (int seat = 0; seat < 2; seat++) {
        player[seat] = w->player[seat][rng_below(r, PLAYERS)];
        agent_begin(player[seat], (game_key){j->o->seed, number}, seat);
    }
    *done = false;
    for (int k = 0; k < 2; k++) {
        while (empties(&s) > want[k] && !oth_over(s.b)) {
            err e = play_ply(j, player, &s);
            if (e != ERR_OK) return e;
        }
        if (empties(&s) != want[k] || oth_moves(s.b) == 0) return ERR_OK;
        found[k] = (oth_problem){.s = s};
        judge(w, &found[k]);
    }
    *done = true;
    return ERR_OK;
}

static void game_task(void *ctx, int task, int worker)
{
    job *j = ctx;
    rng r = rng_at(j->o->seed, (uint64_t)task, 0);
    bool done = false;
    while (!done && j->failed[task] == ERR_OK && !stop_requested())
        j->failed[task] = play_game(j, &j->bench[worker], (uint64_t)task, &r, j->found[task], &done);
    progress_tick(j->o->bar, 1);
}

static err open_bench(const job *j, bench *w)
{
    err e = oth_engine_new(&w->engine, &(oth_engine_options){.hash = HASH, .weights = oth_weights_shipped()});
    for (int seat = 0; seat < 2; seat++)
        for (int i = 0; e == ERR_OK && i < PLAYERS; i++) e = agent_open(&w->player[seat][i], j->g, players[i]);
    return e;
}

static void close_bench(bench *w)
{
    oth_engine_free(w->engine);
    for (int seat = 0; seat < 2; seat++)
        for (int i = 0; i < PLAYERS; i++) agent_close(w->player[seat][i]);
}

static void write_file(const job *j, text_buf *out)
{
    text_printf(
        out,
        "# Othello positions of %d games between varied players (seed %llu): %d empties with exact scores, %d to "
        "%d with\n# the values of %d plies. Made by keiko tune othello-heldout.\n",
        j->o->games, (unsigned long long)j->o->seed, HELDOUT_EXACT, HELDOUT_FEW, HELDOUT_MANY, HELDOUT_DEPTH);
    for (int i = 0; i < j->o->games; i++)
        for (int k = 0; k < 2; k++) {
            char line[OTH_OBF_TEXT];
            oth_obf_print(&j->found[i][k], line, sizeof line);
            text_printf(out, "%s\n", line);
        }
}

err heldout_othello(const heldout_options *o, text_buf *out)
{
    int threads = pool_threads(o->threads);
    job j = {.o = o};
    j.bench = calloc((size_t)threads, sizeof *j.bench);
    j.found = calloc((size_t)o->games + 1, sizeof *j.found);
    j.failed = calloc((size_t)o->games + 1, sizeof *j.failed);
    err e = j.bench && j.found && j.failed ? ERR_OK : err_set(ERR_MEMORY, "no memory for %d games", o->games);
    if (e == ERR_OK) e = game_find("othello", &j.g);
    for (int i = 0; e == ERR_OK && i < threads; i++) e = open_bench(&j, &j.bench[i]);
    if (e == ERR_OK) {
        pool_run(o->threads, o->games, game_task, &j);
        e = stop_check();
        for (int i = 0; e == ERR_OK && i < o->games; i++)
            if (j.failed[i] != ERR_OK) e = err_set(j.failed[i], "a player failed in game %d", i);
    }
    if (e == ERR_OK) write_file(&j, out);
    if (e == ERR_OK) e = text_check(out);
    for (int i = 0; j.bench != NULL && i < threads; i++) close_bench(&j.bench[i]);
    FREE_ALL(j.bench, j.found, j.failed);
    return e;
}
