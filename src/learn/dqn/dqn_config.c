// See dqn_config.h.
#include "learn/dqn/dqn_config.h"

#include "nn/desc.h"

#include <string.h>

static const opt_default common_defaults[] = {{"method", "dqn"}, {NULL, NULL}};

#define AT(field) offsetof(dqn_config, field)
// clang-format off
const opt dqn_opts[] = {
    ROW_TABLE(AT(common), train_common_opts, train_common_n_opts, common_defaults),
    ROW_INT("steps", AT(common.steps), "N", "0", 0, 9e15, "Stop after this many decisions of the learner; 0 = no limit"),
    ROW_INT("episodes", AT(common.games), "N", "0", 0, 9e15, "Stop after this many matches; 0 = no limit", .synonym = "games"),
    ROW_HEADING("Matches"),
    ROW_TEXT("options", AT(settings), "K=V,…", "", "Options of the game's rules (see keiko games --verbose)"),
    ROW_TEXT("rewards", AT(rewards), "SET", "shaped", "Reward set: shaped or seed, optionally with changes ('shaped:win=5,phi_chain=0.2')"),
    ROW_INT("lanes", AT(lanes), "N", "512", 1, 65536, "Number of matches played in parallel"),
    ROW_TEXT("opponents", AT(opponents), "LIST", "60 self;20 past;20 greedy", "Opponents with their shares in percent: self (newest copy), past (earlier copies) or any agent"),
    ROW_TEXT("demonstrators", AT(demonstrators), "LIST", "", "Agents that play the learner's side in a share of the lanes, to fill the replay buffer: '10 versus:level=easy'", .was = "teachers"),
    ROW_FLAG("learn-both", AT(learn_both), "no", "Also learn from the decisions of the opponent copies"),
    ROW_FLAG("search", AT(search), "yes", "Look one placement ahead when deciding"),
    ROW_NUMBER("rest", AT(rest), "X", "1", 0, 1000, "With search: loss weight of the look-ahead values of placements that were not played"),
    ROW_NUMBER("alone", AT(alone), "P", "0", 0, 1, "With search: share of matches in which the learner plays without looking ahead (it still learns from the look-ahead values)"),
    ROW_INT("opponent-update-interval", AT(opponent_update), "N", "1000", 1, 9e15, "Episodes between updates of the opponent copies"),
    ROW_FLAG("curriculum", AT(curriculum), "no", "Train in phases (beginner, intermediate, advanced), each with its own update interval and exploration"),
    ROW_HEADING("Exploration (schedules count episodes)"),
    ROW_CHOICE("exploration", AT(exploration), "HOW", "epsilon", "epsilon|noisy", "epsilon: random decisions; noisy: learned noise in the last layers (noisy networks)"),
    ROW_CHOICE("epsilon-schedule", AT(epsilon_schedule), "HOW", "linear", "linear|exponential", "How epsilon decreases"),
    ROW_NUMBER("epsilon-start", AT(epsilon_start), "X", "1", 0, 1, "Epsilon at the start"),
    ROW_NUMBER("epsilon-end", AT(epsilon_end), "X", "0.01", 0, 1, "Epsilon at the end"),
    ROW_NUMBER("epsilon-decay-episodes", AT(epsilon_episodes), "N", "20000", 0, 1e12, "Episodes until --epsilon-end is reached"),
    ROW_HEADING("Learning"),
    ROW_CHOICE("encoding", AT(encoding), "NAME", "fields", "fields|ranked", "fields: colours as they are (randomly permuted in training); ranked: colours numbered in order of appearance in the own pairs"),
    ROW_TEXT("net", AT(net), "TEXT", "mlp=512,256", "Network: trunk and optionally head: 'mlp=512,256', 'c=32 b=3', '… duel=8:128:24'"),
    ROW_FILE("init", AT(init), NULL, "Start from these weights"),
    ROW_TEXT("lr", AT(lr), "RATE", "0.0005", "Learning rate: '0.0005', 'cosine:0.001:100000' (updates), ',warmup=500'"),
    ROW_CHOICE("distribution", AT(distribution), "KIND", "none", "none|c51|qr", "Learn the distribution of returns: c51 (fixed grid) or qr (quantiles)"),
    ROW_INT("atoms", AT(atoms), "N", "51", 2, NN_MAX_ATOMS, "Number of grid points or quantiles"),
    ROW_NUMBER("support", AT(support), "X", "3", 1e-6, 1e6, "c51: the grid covers -X to X, in scaled rewards"),
    ROW_INT("batch", AT(batch), "N", "512", 1, 65536, "Transitions per update"),
    ROW_NUMBER("replay-ratio", AT(ratio), "X", "1.5", 0.001, 1000, "Transitions drawn per transition stored"),
    ROW_INT("learning-starts", AT(learning_starts), "N", "10000", 1, 9e15, "Transitions to store before the first update"),
    ROW_INT("target-update-frequency", AT(target_every), "N", "500", 1, 9e15, "Updates between refreshes of the target network"),
    ROW_INT("refresh", AT(refresh), "N", "4", 1, 1e6, "Updates between refreshes of the acting network"),
    ROW_NUMBER("gamma", AT(gamma), "X", "0.99", 0, 1, "Discount factor per decision"),
    ROW_INT("n-step", AT(n_step), "N", "3", 1, 64, "Number of steps of n-step returns"),
    ROW_NUMBER("reward-scale", AT(reward_scale), "X", "0.1", 1e-6, 1e6, "Factor applied to every reward"),
    ROW_NUMBER("huber", AT(huber), "X", "1", 1e-6, 1e6, "Huber threshold; larger errors count linearly. For qr choose a small one, such as 0.05"),
    ROW_NUMBER("clip", AT(clip), "X", "1", 0, 1e6, "Gradient norm limit; 0 = off"),
    ROW_FLAG("single", AT(single), "no", "Use plain DQN instead of Double DQN"),
    ROW_FLAG("vary", AT(vary), "yes", "Encoding fields: permute colours at random in training"),
    ROW_HEADING("Replay buffer"),
    ROW_INT("buffer", AT(buffer), "N", "200000", 1, DQN_BUFFER_MOST, "Size of the replay buffer in transitions", .was = "memory"),
    ROW_CHOICE("replay", AT(replay), "KIND", "prioritized", "prioritized|uniform", "How transitions are sampled"),
    ROW_NUMBER("alpha", AT(alpha), "X", "0.6", 0, 1, "Priority exponent (0 = uniform)"),
    ROW_NUMBER("beta", AT(beta), "X", "0.4", 0, 1, "Importance-sampling exponent at the start"),
    ROW_NUMBER("beta-end", AT(beta_end), "X", "1", 0, 1, "Importance-sampling exponent at the end"),
    ROW_INT("beta-updates", AT(beta_updates), "N", "50000", 0, 9e15, "Updates until --beta-end is reached"),
    ROW_HEADING("Evaluation and checkpoints"),
    ROW_INT("evaluation-frequency", AT(evaluate_every), "N", "10000", 0, 9e15, "Episodes between evaluations; 0 = only at the end"),
    ROW_INT("evaluation-games", AT(evaluate_games), "N", "100", 2, 65536, "Games per reference opponent, half on each side"),
    ROW_FLAG("evaluation-alone", AT(evaluate_alone), "no", "With search: also evaluate the network without looking ahead, listed as 'NAME (alone)'"),
    ROW_TEXT("references", AT(references), "LIST", "greedy;random;versus:level=beginner", "Evaluation opponents; the first one also controls the curriculum"),
    ROW_INT("save-frequency", AT(save_every), "N", "0", 0, 9e15, "Episodes between checkpoints; 0 = only by time"),
    ROW_NUMBER("save-minutes", AT(save_minutes), "M", "10", 0, 1e6, "Minutes between checkpoints; 0 = off"),
};
// clang-format on
const int dqn_n_opts = ROWS(dqn_opts);

static const char *const limits[] = {"minutes", "steps", "episodes", NULL};
static const char *const machine[] = {"backend", "threads", NULL};
static const char *const free_rows[] = {
    "lr", "evaluation-frequency", "evaluation-games", "save-frequency", "save-minutes", NULL};
const train_table dqn_table = {dqn_opts, ROWS(dqn_opts), sizeof(dqn_config), limits, machine, free_rows, NULL, NULL};

err dqn_config_make(dqn_config *c, const game *g, const char *preset, const config_layer *layers, int n,
                    opt_values *keep)
{
    return train_config_make(&dqn_table, c, g, preset, layers, n, keep);
}

const dqn_env_type *dqn_env_of(const game *g)
{
    return strcmp(g->name, dqn_env_puyo.name) == 0 ? &dqn_env_puyo : NULL;
}

dqn_puyo_options dqn_env_options(const dqn_config *c, bool paired)
{
    return (dqn_puyo_options){c->settings, c->rewards, c->gamma, c->encoding, paired};
}

bool dqn_is_noisy(const dqn_config *c)
{
    return strcmp(c->exploration, "noisy") == 0;
}
