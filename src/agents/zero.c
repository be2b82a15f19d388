// The agent `zero`: Monte-Carlo tree search guided by a network, as AlphaZero plays.
//
// The weights come from a file (`keiko train` writes them); the file says what network it is and how it reads the board.
// All agents of one process that use the same file share its weights and a cache of positions. sims=1 is the raw policy:
// the move with the largest prior. Othello's last empty squares are solved: in the tree who wins, at the root by how much.
// A position that is proven lost is searched again without proofs: they call all moves the same, and the other one may err.
//
// One that is all but lost has the same trouble: whatever is played, the network gives it one game in fifty. Where it also
// knows the margin to expect (Othello's), leaves count by that, too, measured from what is to be expected at the root: who
// loses by less is nearer to winning when the other one errs.
#include "agents/tree.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/models.h"
#include "eval/eval.h"
#include "search/endgame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct params {
    tree_params tree;
    const char *model, *backend, *encoding, *precision;
    int64_t cache, queue, endgame;
    double lean;
} params;

typedef struct mind {
    tree_mind tree;
    evaluator *net;
    endgame *end;   // NULL: none
    mcts *unproven; // a tree without proofs; NULL until it is needed
} mind;

#define FIELD(f) offsetof(params, f)
static const opt opts[] = {
    {.name = "model",
     .kind = OPT_FILE,
     .at = FIELD(model),
     .value = "FILE",
     .help = "weights, a file (.safetensors may be left out) or one that ships; without it the one that ships for the "
             "game"},
    TREE_OPTS,
    {.name = "backend",
     .kind = OPT_CHOICE,
     .at = FIELD(backend),
     .value = "WHERE",
     .preset = "cpu",
     .choices = "auto|cpu|cuda",
     .help = "what runs the network"},
    {.name = "precision",
     .kind = OPT_CHOICE,
     .at = FIELD(precision),
     .value = "NUMBERS",
     .preset = "auto",
     .choices = "auto|f32|int8|bf16|fp8",
     .help = "the network's numbers: auto is f32 on the CPU and bf16 on a GPU; int8 (CPU) and fp8 (GPU) are faster and "
             "rougher"},
    {.name = "encoding",
     .kind = OPT_TEXT,
     .at = FIELD(encoding),
     .value = "NAME",
     .help = "how the network reads the board; usually the file says it"},
    {.name = "cache",
     .kind = OPT_INT,
     .at = FIELD(cache),
     .value = "MIB",
     .preset = "32",
     .low = 0,
     .high = 1048576,
     .help = "remembered positions, shared by all agents of the same file; changes the speed only"},
    {.name = "queue",
     .kind = OPT_INT,
     .at = FIELD(queue),
     .value = "N",
     .preset = "0",
     .low = 0,
     .high = 65536,
     .help = "games that run side by side wait for each other until N positions are together (for a GPU)"},
    {.name = "endgame",
     .kind = OPT_INT,
     .at = FIELD(endgame),
     .value = "N",
     .preset = "12",
     .low = 0,
     .high = 24,
     .help = "Othello: positions with at most N empty squares are solved exactly; 0 = none; above 20 a move "
             "takes many seconds"},
    {.name = "lean",
     .kind = OPT_NUMBER,
     .at = FIELD(lean),
     .value = "P",
     .preset = "0.6",
     .low = 0,
     .high = 1,
     .help = "play for the margin to this share, so that who is behind still makes the other's mistakes count; for "
             "networks that know the margin (Othello's)"},
};

static err no_network(const game *g)
{
    if (g->flags & (G_HIDDEN | G_CHANCE) || g->n_seats != 2)
        return err_set(ERR_MISSING,
                       "no network for %s ships, and keiko train makes none for zero: it needs zero:model=FILE",
                       g->name);
    return err_set(ERR_MISSING,
                   "no network for %s ships: zero needs zero:model=FILE (keiko train %s --run DIR makes one)", g->name,
                   g->name);
}

// Values with the margin in them lie closer together, so less is to be explored; and zero is no draw among them.
static const float LEAN_C = 0.7f, LEAN_FPU = 0.1f;

static mcts_options options(const agent *a)
{
    const params *p = a->params;
    const mind *m = a->mind;
    mcts_options o = tree_options(a);
    o.logits = evaluator_logits(m->net);
    if (!evaluator_margins(m->net) || (a->g->flags & G_HIDDEN) != 0) return o;
    o.lean = (float)p->lean;
    if (o.lean > 0 && p->tree.c <= 0) o.c_puct = LEAN_C;
    if (o.lean > 0 && p->tree.fpu < 0) o.fpu = MCTS_FPU_PARENT, o.fpu_value = LEAN_FPU;
    return o;
}

static err open(agent *a)
{
    const params *p = a->params;
    mind *m = a->mind;
    char name[64], shipped[FILE_PATH];
    const char *model = p->model;
    if (model == NULL || *model == 0) {
        snprintf(name, sizeof name, "%s.safetensors", a->g->name);
        if (models_network(name, shipped, sizeof shipped) != ERR_OK) return no_network(a->g);
        model = shipped;
    }
    eval_options eo = {.backend = p->backend,
                       .encoding = p->encoding,
                       .precision = p->precision,
                       .cache = (size_t)p->cache << 20,
                       .queue = (int)p->queue};
    err e = evaluator_open(&m->net, a->g, model, &eo);
    if (e != ERR_OK) return e;
    m->tree.evaluator = evaluator_mcts(m->net);
    mcts_options o = options(a);
    e = endgame_new(&m->end, a->g, (int)p->endgame);
    if (m->end != NULL) o.prove = endgame_prove, o.prove_ctx = m->end;
    if (e == ERR_OK) e = tree_open(a, &o);
    if (e != ERR_OK) {
        endgame_free(m->end);
        evaluator_release(m->net);
    }
    return e;
}

static void close(agent *a)
{
    mind *m = a->mind;
    tree_close(a);
    mcts_free(m->unproven);
    endgame_free(m->end);
    evaluator_release(m->net);
}

// The last squares: the tree would know who wins, but not by how much.
static bool solve(agent *a, const void *obs, agent_choice *out)
{
    mind *m = a->mind;
    move_t best[ENDGAME_MOVES];
    int margin;
    if (!endgame_reached(m->end, obs) || endgame_best(m->end, obs, false, best, &margin) == 0) return false;
    out->move = best[0];
    out->value = margin > 0 ? 1 : margin < 0 ? 0 : 0.5f;
    out->has_margin = true;
    out->margin = (float)margin;
    snprintf(out->text, sizeof out->text, "solved: %+d", margin);
    return true;
}

static err play_on(agent *a, const void *obs, double spent, agent_choice *out)
{
    mind *m = a->mind;
    agent_choice other = {0};
    mcts_options o = options(a);
    o.no_solver = true;
    err e = m->unproven != NULL ? ERR_OK : mcts_new(a->g, &o, &m->unproven);
    if (e != ERR_OK) return e;
    mcts_rekey(m->unproven, tree_seed(a), a->key.game);
    mcts *known = m->tree.tree;
    m->tree.tree = m->unproven;
    m->tree.rooted = false;
    e = tree_choose_after(a, obs, spent, &other);
    m->tree.tree = known; // which still has this root
    if (e != ERR_OK) return e;
    out->move = other.move;
    out->nodes += other.nodes;
    memcpy(out->text, other.text, sizeof out->text);
    return ERR_OK;
}

static err choose(agent *a, const void *obs, agent_choice *out)
{
    mind *m = a->mind;
    if (solve(a, obs, out)) return ERR_OK;
    double start = clock_seconds();
    err e = tree_choose(a, obs, out);
    if (e == ERR_OK && mcts_statistics(m->tree.tree).proof == MCTS_LOSS)
        e = play_on(a, obs, clock_seconds() - start, out);
    return e != ERR_OK ? e : evaluator_check(m->net);
}

static err analyse(agent *a, const void *obs, int want, agent_choice *out, int *n)
{
    mind *m = a->mind;
    if (options(a).lean > 0) m->tree.rooted = false; // who wins is known of this search's evaluations alone
    err e = tree_analyse(a, obs, want, out, n);
    return e != ERR_OK ? e : evaluator_check(m->net);
}

const agent_type agent_zero = {
    .name = "zero",
    .summary = "tree search guided by a network (AlphaZero)",
    .games = "",
    .opts = opts,
    .n_opts = (int)(sizeof opts / sizeof *opts),
    .params_size = sizeof(params),
    .mind_size = sizeof(mind),
    .open = open,
    .close = close,
    .begin = tree_begin,
    .choose = choose,
    .analyse = analyse,
    .saw = tree_saw,
};
