// The agent `mcts`: Monte-Carlo tree search without a network, for every game. Positions are judged by random games.
#include "search/mcts.h"

#include "agents/agent.h"
#include "base/clock.h"
#include "search/mcts_rollout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct params {
    int64_t sims, rollouts, memory;
    double c, seconds;
} params;

typedef struct mind {
    mcts *tree;
    mcts_rollout rollout;
    bool rooted; // the tree stands at the position of `ply`
    int ply;     // moves seen in this game
} mind;

static err mcts_agent_open(agent *a)
{
    const params *p = a->params;
    mind *m = a->mind;
    m->rollout = (mcts_rollout){.g = a->g, .games = (int)p->rollouts};
    mcts_options o = {
        .c_puct = (float)p->c,
        .memory = (size_t)p->memory << 20,
        // A value must stay within one: what a good builder reaches.
        .points = a->g->n_seats == 1 ? 100000.0f : 0,
    };
    m->rollout.points = o.points;
    return mcts_new(a->g, &o, &m->tree);
}

static void mcts_agent_close(agent *a)
{
    mcts_free(((mind *)a->mind)->tree);
}

static void mcts_agent_begin(agent *a)
{
    mind *m = a->mind;
    m->rooted = false;
    m->ply = 0;
    m->rollout.seed = rng_mix(a->key.run) ^ rng_mix(a->key.game + 1) ^ (uint64_t)a->seat;
    mcts_rekey(m->tree, m->rollout.seed, a->key.game);
}

static void mcts_agent_saw(agent *a, const void *obs_before, move_t move)
{
    mind *m = a->mind;
    (void)obs_before;
    m->ply++;
    // Where something is hidden the next observation is not ours to compute: the tree starts anew.
    if (!m->rooted || (a->g->flags & G_HIDDEN) || mcts_advance(m->tree, move, NULL) != ERR_OK) m->rooted = false;
}

// Seconds for this move: a share of what is left, or what the turn allows.
static double allowance(const agent *a)
{
    const params *p = a->params;
    double s = p->seconds;
    if (a->clock.left > 0) {
        double share = a->clock.left / (a->clock.moves_left > 0 ? a->clock.moves_left + 1 : 25);
        if (s <= 0 || share < s) s = share;
    }
    if (a->clock.turn > 0 && (s <= 0 || 0.8 * a->clock.turn < s)) s = 0.8 * a->clock.turn;
    return s;
}

static void think(agent *a, const void *obs)
{
    mind *m = a->mind;
    const params *p = a->params;
    mcts_evaluator e = mcts_rollout_evaluator(&m->rollout);
    double limit = allowance(a), start = clock_seconds();
    if (!m->rooted) mcts_set_root(m->tree, obs, m->ply);
    m->rooted = true;
    if (limit <= 0) {
        mcts_run(m->tree, &e, (uint64_t)p->sims);
        return;
    }
    for (int64_t done = 0; done < p->sims && clock_seconds() - start < limit; done += 16) {
        mcts_run(m->tree, &e, 16);
        if (mcts_statistics(m->tree).proof != MCTS_UNPROVEN) break;
    }
}

// The line of play behind `first`: only the chosen move's is known.
static void line_text(const agent *a, const void *obs, char *buf, size_t n)
{
    const mind *m = a->mind;
    move_t pv[12];
    int len = mcts_pv(m->tree, pv, 12);
    size_t at = 0;
    buf[0] = 0;
    if (a->g->flags & G_HIDDEN) return;
    char *s = malloc(a->g->state_size);
    if (s == NULL) return;
    memcpy(s, obs, a->g->state_size);
    for (int i = 0; i < len && at + 24 < n; i++) {
        if (i > 0) buf[at++] = ' ';
        int k = a->g->move_print(s, pv[i], buf + at, n - at);
        at += k > 0 && (size_t)k < n - at ? (size_t)k : 0;
        a->g->play(s, pv[i], NULL);
    }
    buf[at] = 0;
    free(s);
}

static int by_visits(const void *x, const void *y)
{
    const mcts_move *a = x, *b = y;
    if (a->visits != b->visits) return a->visits < b->visits ? 1 : -1;
    return a->move < b->move ? -1 : 1;
}

static float chance(const mcts_move *m)
{
    if (m->proof == MCTS_WIN) return 1;
    if (m->proof == MCTS_LOSS) return 0;
    float v = 0.5f + 0.5f * m->q;
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

static err mcts_agent_analyse(agent *a, const void *obs, int want, agent_choice *out, int *n)
{
    mind *m = a->mind;
    think(a, obs);
    mcts_move *moves = malloc((size_t)a->g->max_legal * sizeof *moves);
    if (moves == NULL) return err_set(ERR_MEMORY, "no memory");
    int k = mcts_moves(m->tree, moves);
    move_t best = mcts_choose(m->tree);
    mcts_stats st = mcts_statistics(m->tree);
    qsort(moves, (size_t)k, sizeof *moves, by_visits);
    // A proven win may have fewer visits than what looked good before: the choice comes first.
    for (int i = 1; i < k; i++) {
        if (moves[i].move != best) continue;
        mcts_move chosen = moves[i];
        memmove(moves + 1, moves, (size_t)i * sizeof *moves);
        moves[0] = chosen;
        break;
    }
    *n = k < want ? k : want;
    for (int i = 0; i < *n; i++) {
        out[i] = (agent_choice){.move = moves[i].move, .value = chance(&moves[i]), .nodes = moves[i].visits};
        if (i > 0) continue;
        out[0].nodes = st.sims;
        out[0].depth = st.depth;
        line_text(a, obs, out[0].text, sizeof out[0].text);
    }
    free(moves);
    return k > 0 ? ERR_OK : err_set(ERR_USAGE, "the game is over");
}

static err mcts_agent_choose(agent *a, const void *obs, agent_choice *out)
{
    int n;
    return mcts_agent_analyse(a, obs, 1, out, &n);
}

static const opt opts[] = {
    {.name = "sims",
     .kind = OPT_INT,
     .at = offsetof(params, sims),
     .value = "N",
     .preset = "400",
     .low = 1,
     .high = 1e9,
     .help = "simulations a move"},
    {.name = "seconds",
     .kind = OPT_NUMBER,
     .at = offsetof(params, seconds),
     .value = "S",
     .preset = "0",
     .low = 0,
     .high = 86400,
     .help = "at most so long a move; 0 = no limit. Not reproducible"},
    {.name = "rollouts",
     .kind = OPT_INT,
     .at = offsetof(params, rollouts),
     .value = "N",
     .preset = "1",
     .low = 1,
     .high = 1000,
     .help = "random games that judge a position"},
    {.name = "c",
     .kind = OPT_NUMBER,
     .at = offsetof(params, c),
     .value = "X",
     .preset = "1.5",
     .low = 0.01,
     .high = 100,
     .help = "exploration, PUCT's constant"},
    {.name = "memory",
     .kind = OPT_INT,
     .at = offsetof(params, memory),
     .value = "MIB",
     .preset = "128",
     .low = 1,
     .high = 65536,
     .help = "at most so much for the tree"},
};

const agent_type agent_mcts = {
    .name = "mcts",
    .summary = "Monte-Carlo tree search with random games, no network",
    .games = "",
    .opts = opts,
    .n_opts = (int)(sizeof opts / sizeof *opts),
    .params_size = sizeof(params),
    .mind_size = sizeof(mind),
    .open = mcts_agent_open,
    .close = mcts_agent_close,
    .begin = mcts_agent_begin,
    .choose = mcts_agent_choose,
    .analyse = mcts_agent_analyse,
    .saw = mcts_agent_saw,
};
