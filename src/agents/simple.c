// The players that need no search: `random`, and the name `human`, which only the terminal and the page can fill.
#include "agents/agent.h"

enum { MOST = 4096 }; // more than any game's max_legal

static err random_choose(agent *a, const void *obs, agent_choice *out)
{
    // The legal moves follow from the observation alone: sampling what is hidden changes none of them.
    _Alignas(16) char state[8192];
    move_t moves[MOST];
    rng r = agent_rng(a);
    if (a->g->state_size > sizeof state || a->g->max_legal > MOST)
        return err_set(ERR_LIMIT, "%s is too large for agent 'random'", a->g->name);
    game_sample(a->g, obs, &r, state);
    int n = a->g->legal(state, moves);
    if (n == 0) return err_set(ERR_USAGE, "the game is over");
    out->move = moves[rng_below(&r, (uint32_t)n)];
    return ERR_OK;
}

const agent_type agent_random = {
    NAMED("random", "", "Plays a random legal move"),
    .choose = random_choose,
};

static err human_open(agent *a)
{
    (void)a;
    return err_set(ERR_USAGE, "'human' needs somebody at the keyboard: use keiko play");
}

static err human_choose(agent *a, const void *obs, agent_choice *out)
{
    (void)a;
    (void)obs;
    (void)out;
    return err_set(ERR_USAGE, "'human' needs somebody at the keyboard: use keiko play");
}

const agent_type agent_human = {
    NAMED("human", "", "You, at the keyboard (keiko play)"),
    .open = human_open,
    .choose = human_choose,
};
