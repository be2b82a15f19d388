// The agent `mcts`: Monte-Carlo tree search without a network, for every game.
//
// Leaves are judged by random games played to their end (eval=rollout) or not at all (eval=none: only what the solver
// proves counts). The tree is kept between moves: whatever move was played, what is known below it stays. Its choices
// depend on the parameters, the game's key and the moves seen; with a time limit or a clock also on time.
#include "search/mcts.h"

#include "agents/agent.h"
#include "base/clock.h"
#include "search/mcts_rollout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct params {
    int64_t sims, rollouts, plies, leaves, temperature_plies, gumbel, memory;
    double seconds, c, fpu, temperature, noise, alpha, points;
    const char *eval, *shared;
    bool reuse, solver;
} params;

typedef struct mind {
    mcts *tree;
    mcts_rollout rollout;
    mcts_evaluator evaluator;
    mcts_batch batch;
    char *root; // what the seat to move sees at the tree's root; games that hide something have no use for it
    bool rooted;
    int ply; // moves seen in this game
} mind;

#define FIELD(f) offsetof(params, f)
static const opt opts[] = {
    {.name = "sims",
     .kind = OPT_INT,
     .at = FIELD(sims),
     .value = "N",
     .preset = "400",
     .low = 1,
     .high = 1e9,
     .help = "simulations a move"},
    {.name = "seconds",
     .kind = OPT_NUMBER,
     .at = FIELD(seconds),
     .value = "S",
     .low = 0,
     .high = 1e6,
     .help = "at most so long a move, 0 = no limit; not reproducible"},
    {.name = "eval",
     .kind = OPT_CHOICE,
     .at = FIELD(eval),
     .value = "HOW",
     .preset = "rollout",
     .choices = "rollout|none",
     .help = "what judges a leaf: random games, or nothing"},
    {.name = "rollouts",
     .kind = OPT_INT,
     .at = FIELD(rollouts),
     .value = "N",
     .preset = "1",
     .low = 1,
     .high = 10000,
     .help = "random games a leaf"},
    {.name = "plies",
     .kind = OPT_INT,
     .at = FIELD(plies),
     .value = "N",
     .preset = "300",
     .low = 1,
     .high = 100000,
     .help = "a random game longer than this is a draw"},
    {.name = "points",
     .kind = OPT_NUMBER,
     .at = FIELD(points),
     .value = "X",
     .preset = "100000",
     .low = 1,
     .high = 1e9,
     .help = "one-player games: the points that count as a win"},
    {.name = "c",
     .kind = OPT_NUMBER,
     .at = FIELD(c),
     .value = "X",
     .preset = "1.5",
     .low = 0.001,
     .high = 1000,
     .help = "how much is explored (c of PUCT)"},
    {.name = "fpu",
     .kind = OPT_NUMBER,
     .at = FIELD(fpu),
     .value = "X",
     .preset = "0",
     .low = -1,
     .high = 1,
     .help = "value of a move not yet tried, from -1, lost, to 1"},
    {.name = "leaves",
     .kind = OPT_INT,
     .at = FIELD(leaves),
     .value = "N",
     .preset = "1",
     .low = 1,
     .high = MCTS_MAX_LEAVES,
     .help = "leaves in flight"},
    {.name = "temperature",
     .kind = OPT_NUMBER,
     .at = FIELD(temperature),
     .value = "X",
     .preset = "0",
     .low = 0,
     .high = 100,
     .help = "0 = the most visited move, else by visits^(1/X)"},
    {.name = "temperature-plies",
     .kind = OPT_INT,
     .at = FIELD(temperature_plies),
     .value = "N",
     .preset = "0",
     .low = 0,
     .high = 10000,
     .help = "from this ply on the most visited move, 0 = never"},
    {.name = "noise",
     .kind = OPT_NUMBER,
     .at = FIELD(noise),
     .value = "X",
     .preset = "0",
     .low = 0,
     .high = 1,
     .help = "share of Dirichlet noise at the root"},
    {.name = "alpha",
     .kind = OPT_NUMBER,
     .at = FIELD(alpha),
     .value = "X",
     .preset = "0.3",
     .low = 0.001,
     .high = 100,
     .help = "shape of that noise"},
    {.name = "gumbel",
     .kind = OPT_INT,
     .at = FIELD(gumbel),
     .value = "N",
     .preset = "0",
     .low = 0,
     .high = 4096,
     .help = "moves for Gumbel's sequential halving at the root, 0 = PUCT there, too"},
    {.name = "transpositions",
     .kind = OPT_CHOICE,
     .at = FIELD(shared),
     .value = "HOW",
     .preset = "auto",
     .choices = "auto|on|off",
     .help = "one node for a position reached on several ways"},
    {.name = "solver",
     .kind = OPT_FLAG,
     .at = FIELD(solver),
     .preset = "yes",
     .help = "carry proven results up and stop when the root is proven"},
    {.name = "reuse", .kind = OPT_FLAG, .at = FIELD(reuse), .preset = "yes", .help = "keep the tree between moves"},
    {.name = "memory",
     .kind = OPT_INT,
     .at = FIELD(memory),
     .value = "MIB",
     .preset = "128",
     .low = 1,
     .high = 1048576,
     .help = "for the tree; when it is full it stops growing"},
};

static void judge_nothing(void *ctx, const mcts_batch *b)
{
    (void)ctx;
    (void)b; // zeros on entry: even priors, value 0
}

static void mcts_close(agent *a)
{
    mind *m = a->mind;
    mcts_free(m->tree);
    free(m->batch.obs);
    free(m->batch.moves);
    free(m->batch.n_moves);
    free(m->batch.priors);
    free(m->batch.values);
    free(m->root);
}

static err mcts_open(agent *a)
{
    const params *p = a->params;
    mind *m = a->mind;
    mcts_options o = {
        .c_puct = (float)p->c,
        .fpu = MCTS_FPU_FIXED,
        .fpu_value = (float)p->fpu,
        .leaves = (int)p->leaves,
        .noise_epsilon = (float)p->noise,
        .noise_alpha = (float)p->alpha,
        .temperature = (float)p->temperature,
        .temperature_plies = (int)p->temperature_plies,
        .gumbel = (int)p->gumbel,
        .transpositions = p->shared[0] == 'a'            ? MCTS_AUTO
                          : strcmp(p->shared, "on") == 0 ? MCTS_ON
                                                         : MCTS_OFF,
        .no_solver = !p->solver,
        .no_reuse = !p->reuse,
        .memory = (size_t)p->memory << 20,
        .points = a->g->n_seats == 1 ? (float)p->points : 0,
    };
    m->rollout =
        (mcts_rollout){.g = a->g, .games = (int)p->rollouts, .max_plies = (int)p->plies, .points = (float)p->points};
    m->evaluator =
        strcmp(p->eval, "none") == 0 ? (mcts_evaluator){judge_nothing, NULL} : mcts_rollout_evaluator(&m->rollout);
    size_t k = (size_t)p->leaves;
    m->batch = (mcts_batch){
        .obs = calloc(k, sizeof *m->batch.obs),
        .moves = calloc(k, sizeof *m->batch.moves),
        .n_moves = calloc(k, sizeof *m->batch.n_moves),
        .priors = calloc(k, sizeof *m->batch.priors),
        .values = calloc(k, sizeof *m->batch.values),
    };
    m->root = malloc(a->g->obs_size);
    err e = ERR_OK;
    if (!m->batch.obs || !m->batch.moves || !m->batch.n_moves || !m->batch.priors || !m->batch.values || !m->root)
        e = err_set(ERR_MEMORY, "no memory for %zu leaves", k);
    if (e == ERR_OK) e = mcts_new(a->g, &o, &m->tree);
    if (e != ERR_OK) mcts_close(a);
    return e;
}

static void mcts_start(agent *a)
{
    mind *m = a->mind;
    // Both seats may be the same agent in the same game: the seat is part of the key, as in agent_rng.
    uint64_t seed = rng_mix(a->key.run) + (uint64_t)a->seat;
    m->rollout.seed = rng_mix(seed ^ rng_mix(a->key.game));
    m->rooted = false;
    m->ply = 0;
    mcts_rekey(m->tree, seed, a->key.game);
}

static double seconds_for(const agent *a)
{
    const params *p = a->params;
    const agent_clock *c = &a->clock;
    double seconds = p->seconds;
    if (c->left > 0) { // an even share, less a reserve
        double share = 0.9 * c->left / (c->moves_left > 0 ? c->moves_left : 25);
        if (seconds <= 0 || share < seconds) seconds = share;
    }
    if (c->turn > 0 && (seconds <= 0 || 0.9 * c->turn < seconds)) seconds = 0.9 * c->turn;
    return seconds;
}

// Makes `obs` the root, with what the tree knows of it, and searches.
static void search(agent *a, const void *obs)
{
    const params *p = a->params;
    mind *m = a->mind;
    bool hidden = (a->g->flags & G_HIDDEN) != 0;
    if (hidden || !m->rooted || memcmp(m->root, obs, a->g->obs_size) != 0)
        mcts_set_root(m->tree, obs, m->ply > 0 ? m->ply : (int)a->turn * a->g->n_seats + a->seat);
    memcpy(m->root, obs, a->g->obs_size);
    m->rooted = true;

    double limit = seconds_for(a), start = limit > 0 ? clock_seconds() : 0;
    mcts_begin(m->tree, (uint64_t)p->sims, false);
    while (!mcts_done(m->tree)) {
        m->batch.n = mcts_collect(m->tree);
        if (m->batch.n == 0) continue;
        mcts_leaves(m->tree, &m->batch, 0);
        m->evaluator.eval(m->evaluator.ctx, &m->batch);
        mcts_backup(m->tree, m->batch.values);
        // Never before something is known: the first visits are the root's own and those of its best guess.
        if (limit > 0 && mcts_statistics(m->tree).sims > 0 && clock_seconds() - start >= limit) break;
    }
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

static err choose(agent *a, const void *obs, agent_choice *out)
{
    mind *m = a->mind;
    move_t line[16];
    search(a, obs);
    mcts_stats s = mcts_statistics(m->tree);
    out->move = mcts_choose(m->tree);
    if (out->move == MOVE_NONE) return err_set(ERR_USAGE, "the game is over");
    out->value = expected(a, mcts_value(m->tree));
    out->nodes = s.sims;
    out->depth = s.depth;
    print_line(a, obs, line, mcts_pv(m->tree, line, 16), out->text, sizeof out->text);
    return ERR_OK;
}

static int by_visits(const void *x, const void *y)
{
    const mcts_move *a = x, *b = y;
    bool won[2] = {a->proof == MCTS_WIN, b->proof == MCTS_WIN},
         lost[2] = {a->proof == MCTS_LOSS, b->proof == MCTS_LOSS};
    if (won[0] != won[1]) return won[0] ? -1 : 1;
    if (lost[0] != lost[1]) return lost[0] ? 1 : -1;
    if (a->visits != b->visits) return a->visits > b->visits ? -1 : 1;
    return a->move < b->move ? -1 : a->move > b->move;
}

static err analyse(agent *a, const void *obs, int want, agent_choice *out, int *n)
{
    static const char *const proofs[] = {"", ", proven lost", ", proven drawn", ", proven won"};
    mind *m = a->mind;
    mcts_move *moves = malloc((size_t)a->g->max_legal * sizeof *moves);
    if (moves == NULL) return err_set(ERR_MEMORY, "no memory for moves");
    search(a, obs);
    mcts_stats s = mcts_statistics(m->tree);
    int count = mcts_moves(m->tree, moves);
    qsort(moves, (size_t)count, sizeof *moves, by_visits);
    *n = count < want ? count : want;
    for (int i = 0; i < *n; i++) {
        out[i] = (agent_choice){.move = moves[i].move, .value = -1, .nodes = s.sims, .depth = s.depth};
        if (moves[i].visits > 0 || moves[i].proof != MCTS_UNPROVEN) out[i].value = expected(a, moves[i].q);
        snprintf(out[i].text, sizeof out[i].text, "%u visits%s", (unsigned)moves[i].visits, proofs[moves[i].proof]);
    }
    free(moves);
    return *n > 0 ? ERR_OK : err_set(ERR_USAGE, "the game is over");
}

// Follows the game: the tree below the move played is kept.
static void saw(agent *a, const void *obs_before, move_t move)
{
    mind *m = a->mind;
    m->ply++;
    if ((a->g->flags & G_HIDDEN) != 0 || !m->rooted) return;
    m->rooted = memcmp(m->root, obs_before, a->g->obs_size) == 0 && mcts_advance(m->tree, move, NULL) == ERR_OK;
    if (m->rooted) a->g->play(m->root, move, NULL); // nothing is hidden: what is seen is the state
}

const agent_type agent_mcts = {
    .name = "mcts",
    .summary = "Monte-Carlo tree search without a network",
    .games = "",
    .opts = opts,
    .n_opts = (int)(sizeof opts / sizeof *opts),
    .params_size = sizeof(params),
    .mind_size = sizeof(mind),
    .open = mcts_open,
    .close = mcts_close,
    .begin = mcts_start,
    .choose = choose,
    .analyse = analyse,
    .saw = saw,
};
