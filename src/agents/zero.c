// The agent `zero`: Monte-Carlo tree search guided by a network, as AlphaZero plays.
//
// The weights come from a file (`keiko train` writes them); the file says what network it is and how it reads the board.
// All agents of one process that use the same file share its weights and a cache of positions. sims=1 is the raw policy:
// the move with the largest prior. Othello's last empty squares are solved: in the tree who wins, at the root by how much.
// Renju's wins by continuous fours and threes and Contrast's by a threat without an answer are found in the same way. A position that is proven lost is searched again without proofs: they call all moves the same, and the other one may err.
//
// One that is all but lost has the same trouble: whatever is played, the network gives it one game in fifty. Where it also
// knows the margin to expect (Othello's), leaves count by that, too, measured from what is to be expected at the root: who
// loses by less is nearer to winning when the other one errs.
#include "agents/tree.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/models.h"
#include "base/opt_rows.h"
#include "eval/eval.h"
#include "search/contrast/contrast_proof.h"
#include "search/endgame.h"
#include "search/threats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct params {
    tree_params tree;
    const char *model, *backend, *encoding, *precision;
    int64_t cache, queue, endgame, threats, vct;
    double margin;
} params;

typedef struct mind {
    tree_mind tree;
    evaluator *net;
    endgame *end, *leaf_end;   // before a move, in the tree; NULL: none
    threats *leaves, *at_root; // likewise
    mcts *unproven;            // a tree without proofs; NULL until it is needed
} mind;

#define AT(field) offsetof(params, field)
// clang-format off
static const opt opts[] = {
    ROW_FILE("model", AT(model), NULL, "Network: a weights file (.safetensors may be omitted) or a name from keiko models; default: the game's own"),
    ROW_TABLE(AT(tree), tree_opts, tree_n_opts, NULL),
    ROW_CHOICE("backend", AT(backend), "WHERE", "cpu", "auto|cpu|cuda", "Device that runs the network"),
    ROW_CHOICE("precision", AT(precision), "FORMAT", "auto", "auto|f32|int8|bf16|fp8", "Number format of the network: auto = f32 on the CPU, bf16 on a GPU; int8 (CPU) and fp8 (GPU) are faster and less exact. int8 needs AVX-512 VNNI; elsewhere f32 is faster and used instead"),
    ROW_TEXT("encoding", AT(encoding), "NAME", NULL, "Input encoding; default: the one stored in the file"),
    ROW_INT("cache", AT(cache), "MIB", "32", 0, 1048576, "Cache of evaluated positions, shared by all agents with the same file; affects speed only"),
    ROW_INT("queue", AT(queue), "N", "0", 0, 65536, "Collect up to N positions from parallel games into one batch (useful on a GPU); 0 = off"),
    ROW_INT("endgame", AT(endgame), "N", "16", 0, 24, "Othello: solve positions with at most N empty squares exactly; 0 = off. Above 20 a move can take many seconds. Inside the tree at most 12 where a GPU runs the network, unless N is given"),
    ROW_INT("threats", AT(threats), "N", "200", 0, 1e6, "Renju, gomoku: search each position for a win by continuous fours, with at most N moves tried; Contrast: for a threat without an answer; 0 = off"),
    ROW_INT("vct", AT(vct), "N", "2000", 0, 1e6, "Renju, gomoku: search each position for a win by continuous fours and threes, too, with at most N moves tried; 16 times as many before each move; 0 = off"),
    ROW_NUMBER("margin", AT(margin), "P", "0.6", 0, 1, "Weight of the margin against the win probability; needs a network with a margin head (Othello's has one)", .was = "lean"),
};
// clang-format on

enum { ROOT_EFFORT = 16 }; // searches for threats before a move, by those at a leaf

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
static const float MARGIN_C = 0.7f, MARGIN_FPU = 0.1f;
// Contrast has hundreds of moves: who trails would try them all if they counted as drawn. Measured: docs/lab/distilled.md.
static const float CONTRAST_FPU = 0.2f;
// Its network is small: a batch of eight costs less than half of eight batches. Few simulations would lose more by looking at
// leaves whose turn has not come than they win.
enum { CONTRAST_LEAVES = 8, SIMS_PER_LEAF = 100 };

static int contrast_leaves(int64_t sims)
{
    int64_t n = sims / SIMS_PER_LEAF;
    return n < 1 ? 1 : n > CONTRAST_LEAVES ? CONTRAST_LEAVES : (int)n;
}

static mcts_options options(const agent *a)
{
    const params *p = a->params;
    const mind *m = a->mind;
    mcts_options o = tree_options(a);
    o.logits = evaluator_logits(m->net);
    if (a->g->core == CORE_CONTRAST && !agent_given(a, "leaves")) o.leaves = contrast_leaves(p->tree.search.sims);
    if (a->g->core == CORE_CONTRAST && p->tree.search.fpu < 0) o.fpu = MCTS_FPU_PARENT, o.fpu_value = CONTRAST_FPU;
    if (!evaluator_margins(m->net) || (a->g->flags & G_HIDDEN) != 0) return o;
    o.margin = (float)p->margin;
    if (o.margin > 0 && p->tree.search.c <= 0) o.c_puct = MARGIN_C;
    if (o.margin > 0 && p->tree.search.fpu < 0) o.fpu = MCTS_FPU_PARENT, o.fpu_value = MARGIN_FPU;
    return o;
}

// A solution inside the tree must not take longer than the simulations that it saves. On a GPU they are cheap: at 10 ms per move
// the tree that solves 16 squares is the weaker one (docs/lab/TRAINING.md).
enum { GPU_EMPTIES = 12 };

static int leaf_empties(const agent *a)
{
    const params *p = a->params;
    const mind *m = a->mind;
    const bool fewer = evaluator_on_gpu(m->net) && !agent_given(a, "endgame") && p->endgame > GPU_EMPTIES;
    return fewer ? GPU_EMPTIES : (int)p->endgame;
}

static err open_network(agent *a)
{
    const params *p = a->params;
    mind *m = a->mind;
    char name[64], shipped[FILE_PATH];
    const char *model = p->model;
    if (a->lent != NULL) {
        m->net = a->lent;
        return ERR_OK;
    }
    if (model == NULL || *model == 0) {
        snprintf(name, sizeof name, "%s.safetensors", a->g->name);
        err found = models_network(name, shipped, sizeof shipped);
        if (found != ERR_OK) return models_folder() != NULL || models_ships(name) ? found : no_network(a->g);
        model = shipped;
    }
    eval_options eo = {.backend = p->backend,
                       .encoding = p->encoding,
                       .precision = p->precision,
                       .cache = (size_t)p->cache << 20,
                       .queue = (int)p->queue};
    return evaluator_open(&m->net, a->g, model, &eo);
}

static void release_network(const agent *a, evaluator *e)
{
    if (a->lent == NULL) evaluator_release(e);
}

// Contrast's wins by a threat without an answer.
static bool proves_threats(const agent *a)
{
    const params *p = a->params;
    return a->g->core == CORE_CONTRAST && p->threats > 0;
}

static err open(agent *a)
{
    const params *p = a->params;
    mind *m = a->mind;
    err e = open_network(a);
    if (e != ERR_OK) return e;
    m->tree.evaluator = evaluator_mcts(m->net);
    mcts_options o = options(a);
    e = endgame_new(&m->end, a->g, (int)p->endgame);
    if (e == ERR_OK) e = endgame_new(&m->leaf_end, a->g, leaf_empties(a));
    if (e == ERR_OK) e = threats_new(&m->leaves, a->g, p->threats, p->vct);
    if (e == ERR_OK) e = threats_new(&m->at_root, a->g, ROOT_EFFORT * p->threats, ROOT_EFFORT * p->vct);
    if (m->leaf_end != NULL) o.prove = endgame_prove, o.prove_ctx = m->leaf_end;
    if (m->leaves != NULL) o.prove = threats_prove, o.prove_ctx = m->leaves;
    if (proves_threats(a)) o.prove = ctr_prove;
    if (e == ERR_OK) e = tree_open(a, &o);
    if (a->g->core == CORE_CONTRAST && p->tree.early_stop[0] == 'a') m->tree.early_stop = true;
    if (e != ERR_OK) {
        endgame_free(m->end);
        endgame_free(m->leaf_end);
        threats_free(m->leaves);
        threats_free(m->at_root);
        release_network(a, m->net);
    }
    return e;
}

static void close(agent *a)
{
    mind *m = a->mind;
    tree_close(a);
    mcts_free(m->unproven);
    endgame_free(m->end);
    endgame_free(m->leaf_end);
    threats_free(m->leaves);
    threats_free(m->at_root);
    release_network(a, m->net);
}

// The last squares: the tree would know who wins, but not by how much. And wins by threats: it would know of one, not by which
// move.
static bool solve(agent *a, const void *obs, agent_choice *out)
{
    mind *m = a->mind;
    move_t best[ENDGAME_MOVES];
    int margin;
    move_t win = proves_threats(a) ? ctr_proof_win(obs) : threats_win(m->at_root, obs);
    if (win != MOVE_NONE) {
        out->move = win;
        out->value = 1;
        snprintf(out->text, sizeof out->text, "solved: wins by threats");
        return true;
    }
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
    if (options(a).margin > 0) m->tree.rooted = false; // who wins is known of this search's evaluations alone
    err e = tree_analyse(a, obs, want, out, n);
    return e != ERR_OK ? e : evaluator_check(m->net);
}

const agent_type agent_zero = {
    NAMED("zero", "", "Tree search guided by a network (AlphaZero)"),
    WITH_MIND(opts, params, mind, open, tree_begin, close),
    .choose = choose,
    .analyse = analyse,
    .saw = tree_saw,
};
