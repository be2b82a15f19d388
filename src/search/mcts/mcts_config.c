// See mcts_config.h.
#include "search/mcts/mcts_config.h"

#define AT(field) offsetof(mcts_config, field)
// clang-format off
const opt mcts_opts[] = {
    ROW_INT("sims", AT(sims), "N", "400", 1, 1e9, "Simulations per move", .synonym = "simulations"),
    ROW_NUMBER("c", AT(c), "X", "0", 0, 1000, "Exploration constant of PUCT; 0 = automatic (0.7 where margin counts, else 1.5)"),
    ROW_NUMBER("fpu", AT(fpu), "X", "-1", -1, 1, "First-play urgency: value of an unvisited move = value of its parent − X·√(prior mass visited); -1 = automatic (0.1 where margin counts, 0.2 for zero in Contrast, else the value of a draw)"),
    ROW_INT("leaves", AT(leaves), "N", "1", 1, MCTS_MAX_LEAVES, "Leaves evaluated at once per tree (virtual loss); zero in Contrast, unless this is given: 1 per 100 simulations, at most 8"),
    ROW_NUMBER("temperature", AT(temperature), "X", "0", 0, 100, "Choose moves in proportion to visits^(1/X); 0 = the most visited move"),
    ROW_INT("temperature-plies", AT(temperature_plies), "N", "0", 0, 100000, "Ply from which temperature-end applies; 0 = never"),
    ROW_NUMBER("temperature-end", AT(temperature_end), "X", "0", 0, 100, "Temperature from that ply on; 0 = the most visited move"),
    ROW_NUMBER("noise", AT(noise), "X", "0", 0, 1, "Share of Dirichlet noise in the root prior"),
    ROW_NUMBER("alpha", AT(alpha), "X", "0.3", 0.001, 100, "Concentration (alpha) of the Dirichlet noise"),
    ROW_INT("gumbel", AT(gumbel), "N", "0", 0, 4096, "Moves considered by Gumbel sequential halving at the root; 0 = PUCT"),
    ROW_NUMBER("gumbel-scale", AT(gumbel_scale), "X", "1", 0.001, 100, "Gumbel: weight of values relative to the prior"),
    ROW_FLAG("solver", AT(solver), "yes", "Propagate proven results; stop when the root is proven"),
    ROW_FLAG("reuse", AT(reuse), "yes", "Keep the search tree between moves"),
};
// clang-format on
const int mcts_n_opts = ROWS(mcts_opts);

mcts_options mcts_config_options(const mcts_config *c)
{
    return (mcts_options){
        .c_puct = (float)c->c,
        .fpu = c->fpu < 0 ? MCTS_FPU_ZERO : MCTS_FPU_PARENT,
        .fpu_value = (float)c->fpu,
        .leaves = (int)c->leaves,
        .noise_epsilon = (float)c->noise,
        .noise_alpha = (float)c->alpha,
        .temperature = (float)c->temperature,
        .temperature_plies = (int)c->temperature_plies,
        .temperature_end = (float)c->temperature_end,
        .gumbel = (int)c->gumbel,
        .gumbel_scale = (float)c->gumbel_scale,
        .no_solver = !c->solver,
        .no_reuse = !c->reuse,
    };
}
