// See tree.h.
#include "agents/tree.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(tree_params, field)
// clang-format off
const opt tree_opts[] = {
    ROW_TABLE(AT(search), mcts_opts, mcts_n_opts, NULL),
    ROW_NUMBER("seconds", AT(seconds), "S", NULL, 0, 1e6, "Maximum seconds per move; 0 = no limit. Results then vary between runs"),
    ROW_NUMBER("points", AT(points), "X", "100000", 1, 1e9, "One-player games: score that counts as a win"),
    ROW_CHOICE("transpositions", AT(transpositions), "HOW", "auto", "auto|on|off", "Share one node between positions reached by different move orders"),
    ROW_CHOICE("early-stop", AT(early_stop), "HOW", "auto", "auto|on|off", "Stop when the rest of `sims` cannot change the most visited move; no effect where `seconds` or a clock ends the search. auto: on for zero in Contrast"),
    ROW_INT("memory", AT(memory), "MIB", "128", 1, 1048576, "Memory for the tree; a full tree stops growing"),
};
// clang-format on
const int tree_n_opts = ROWS(tree_opts);

static const double TELL_EVERY = 0.25; // seconds between two reports to a watcher
enum { TELL_MOVES = 8 };               // moves in each

mcts_options tree_options(const agent *a)
{
    const tree_params *p = a->params;
    mcts_options o = mcts_config_options(&p->search);
    o.transpositions = p->transpositions[0] == 'a'            ? MCTS_AUTO
                       : strcmp(p->transpositions, "on") == 0 ? MCTS_ON
                                                              : MCTS_OFF;
    o.memory = (size_t)p->memory << 20;
    if (a->g->n_seats == 1) o.points = (float)p->points;
    return o;
}

void tree_close(agent *a)
{
    tree_mind *m = a->mind;
    mcts_free(m->tree);
    FREE_ALL(m->batch.obs, m->batch.moves, m->batch.n_moves, m->batch.priors, m->batch.values, m->batch.margins,
             m->root);
}

err tree_open(agent *a, const mcts_options *o)
{
    const tree_params *p = a->params;
    tree_mind *m = a->mind;
    size_t k = (size_t)o->leaves;
    m->early_stop = strcmp(p->early_stop, "on") == 0;
    m->batch = (mcts_batch){
        .obs = calloc(k, sizeof *m->batch.obs),
        .moves = calloc(k, sizeof *m->batch.moves),
        .n_moves = calloc(k, sizeof *m->batch.n_moves),
        .priors = calloc(k, sizeof *m->batch.priors),
        .values = calloc(k, sizeof *m->batch.values),
        .margins = calloc(k, sizeof *m->batch.margins),
    };
    m->root = malloc(a->g->obs_size);
    err e = ERR_OK;
    if (!m->batch.obs || !m->batch.moves || !m->batch.n_moves || !m->batch.priors || !m->batch.values ||
        !m->batch.margins || !m->root)
        e = err_set(ERR_MEMORY, "no memory for %zu leaves", k);
    if (e == ERR_OK) e = mcts_new(a->g, o, &m->tree);
    if (e != ERR_OK) tree_close(a);
    return e;
}

uint64_t tree_seed(const agent *a)
{
    // Both seats may be the same agent in the same game: the seat is part of the key, as in agent_rng.
    return rng_mix(a->key.run) + (uint64_t)a->seat;
}

void tree_begin(agent *a)
{
    tree_mind *m = a->mind;
    m->rooted = false;
    m->ply = 0;
    mcts_rekey(m->tree, tree_seed(a), a->key.game);
}

// -1 … 1 for the seat to move, as an expected score.
static float expected(const agent *a, float q)
{
    float v = a->g->n_seats == 1 ? q : (q + 1) / 2;
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

// "c1,c2 b3g  c5,c4": the line of play, as far as it fits; only where playing it on needs no guess.
static void print_line(agent *a, const void *obs, const move_t *line, int n, char *text, size_t room)
{
    char move[256];
    size_t at = 0;
    char *s = a->g->flags & G_HIDDEN ? NULL : malloc(a->g->state_size);
    if (s != NULL) memcpy(s, obs, a->g->state_size);
    for (int i = 0; i < n && (i == 0 || s != NULL); i++) {
        a->g->move_print(i == 0 ? obs : s, line[i], move, sizeof move);
        if (at + strlen(move) + 3 > room) break;
        at += (size_t)snprintf(text + at, room - at, "%s%s", i == 0 ? "" : "  ", move);
        if (s != NULL) a->g->play(s, line[i], NULL);
    }
    free(s);
}

// As mcts_choose does without a temperature, but for sure draws, to which it gives weight beyond their visits.
static int by_visits(const void *x, const void *y)
{
    const mcts_move *a = x, *b = y;
    bool won[2] = {a->proof == MCTS_WIN, b->proof == MCTS_WIN},
         lost[2] = {a->proof == MCTS_LOSS, b->proof == MCTS_LOSS};
    if (won[0] != won[1]) return won[0] ? -1 : 1;
    if (lost[0] != lost[1]) return lost[0] ? 1 : -1;
    if (a->visits != b->visits) return a->visits > b->visits ? -1 : 1;
    if (a->q != b->q) return a->q > b->q ? -1 : 1;
    if (a->prior != b->prior) return a->prior > b->prior ? -1 : 1;
    return a->move < b->move ? -1 : a->move > b->move;
}

// The best moves of the tree as it is now.
static err list_moves(agent *a, const void *obs, int want, agent_choice *out, int *n)
{
    static const char *const proofs[] = {"", "proven lost: ", "proven drawn: ", "proven won: "};
    move_t line[AGENT_LINE];
    tree_mind *m = a->mind;
    mcts_move *moves = malloc((size_t)a->g->max_legal * sizeof *moves);
    if (moves == NULL) return err_set(ERR_MEMORY, "no memory for moves");
    mcts_stats s = mcts_statistics(m->tree);
    int count = mcts_moves(m->tree, moves);
    qsort(moves, (size_t)count, sizeof *moves, by_visits);
    *n = count < want ? count : want;
    for (int i = 0; i < *n; i++) {
        out[i] = (agent_choice){.move = moves[i].move, .value = -1, .nodes = moves[i].visits, .depth = s.depth};
        if (moves[i].visits > 0 || moves[i].proof != MCTS_UNPROVEN) out[i].value = expected(a, moves[i].value);
        out[i].has_prior = true;
        out[i].prior = moves[i].prior;
        agent_set_line(&out[i], line, mcts_line(m->tree, moves[i].move, line, AGENT_LINE));
        size_t at = (size_t)snprintf(out[i].text, sizeof out[i].text, "%s", proofs[moves[i].proof]);
        print_line(a, obs, line, out[i].n_line < 16 ? out[i].n_line : 16, out[i].text + at, sizeof out[i].text - at);
    }
    free(moves);
    return *n > 0 ? ERR_OK : err_set(ERR_USAGE, "the game is over");
}

static void tell(agent *a, const void *obs)
{
    agent_choice out[TELL_MOVES];
    int n;
    if (list_moves(a, obs, TELL_MOVES, out, &n) == ERR_OK) agent_tell_lines(a, out, n);
}

// Makes `obs` the root, with what the tree knows of it, and searches. `spent`: seconds of this move that are gone. `early`: the
// choice is all that matters, so the search may end when that is settled.
static void search(agent *a, const void *obs, double spent, bool early)
{
    const tree_params *p = a->params;
    tree_mind *m = a->mind;
    bool hidden = (a->g->flags & G_HIDDEN) != 0;
    if (hidden || !m->rooted || memcmp(m->root, obs, a->g->obs_size) != 0)
        mcts_set_root(m->tree, obs, m->ply > 0 ? m->ply : (int)a->turn * a->g->n_seats + a->seat);
    memcpy(m->root, obs, a->g->obs_size);
    m->rooted = true;

    // On a clock the clock alone decides, unless the spec set a number of simulations.
    bool unlimited = agent_has_clock(a) && p->search.gumbel == 0 && !agent_given(a, "sims");
    double limit = agent_seconds(a, p->seconds, 25), start = clock_seconds(), told = start;
    mcts_begin(m->tree, unlimited ? UINT32_MAX : (uint64_t)p->search.sims, false);
    while (!mcts_done(m->tree)) {
        m->batch.n = mcts_collect(m->tree);
        if (m->batch.n > 0) {
            mcts_leaves(m->tree, &m->batch, 0);
            m->evaluator.eval(m->evaluator.ctx, &m->batch);
            mcts_backup(m->tree, &m->batch, 0);
        }
        if (early && mcts_settled(m->tree)) break;
        // Never before something is known: the first visits are the root's own and those of its best guess.
        if ((limit <= 0 && a->watch == NULL) || mcts_statistics(m->tree).sims == 0) continue;
        if (agent_stopped(a) || (limit > 0 && clock_seconds() - start + spent >= limit)) break;
        if (agent_watched(a) && clock_seconds() - told >= TELL_EVERY) {
            tell(a, obs);
            told = clock_seconds();
        }
    }
}

err tree_choose(agent *a, const void *obs, agent_choice *out)
{
    return tree_choose_after(a, obs, 0, out);
}

err tree_choose_after(agent *a, const void *obs, double spent, agent_choice *out)
{
    tree_mind *m = a->mind;
    const tree_params *p = a->params;
    move_t line[16];
    search(a, obs, spent, m->early_stop && p->search.temperature <= 0 && p->search.temperature_end <= 0);
    mcts_stats s = mcts_statistics(m->tree);
    out->move = mcts_choose(m->tree);
    if (out->move == MOVE_NONE) return err_set(ERR_USAGE, "the game is over");
    out->value = expected(a, mcts_value(m->tree));
    out->nodes = s.sims;
    out->depth = s.depth;
    print_line(a, obs, line, mcts_pv(m->tree, line, 16), out->text, sizeof out->text);
    return ERR_OK;
}

err tree_analyse(agent *a, const void *obs, int want, agent_choice *out, int *n)
{
    search(a, obs, 0, false);
    return list_moves(a, obs, want, out, n);
}

// Follows the game: the tree below the move played is kept.
void tree_saw(agent *a, const void *obs_before, move_t move)
{
    tree_mind *m = a->mind;
    m->ply++;
    if ((a->g->flags & G_HIDDEN) != 0 || !m->rooted) return;
    m->rooted = memcmp(m->root, obs_before, a->g->obs_size) == 0 && mcts_advance(m->tree, move, NULL) == ERR_OK;
    if (m->rooted) a->g->play(m->root, move, NULL); // nothing is hidden: what is seen is the state
}
