// See distil_config.h.
#include "learn/distil/distil_config.h"

static const opt_default common_defaults[] = {{"method", "distil"}, {NULL, NULL}};

#define AT(field) offsetof(distil_config, field)
// clang-format off
const opt distil_opts[] = {
    ROW_TABLE(AT(common), train_common_opts, train_common_n_opts, common_defaults),
    ROW_INT("steps", AT(common.steps), "N", "0", 0, 9e15, "Stop after this many updates; 0 = no limit"),
    ROW_HEADING("Data"),
    ROW_FILE("data", AT(data), NULL, "File made by keiko puyo label; several: separated by ';'"),
    ROW_INT("positions", AT(positions), "N", "0", 0, 4e9, "Learn from the first N positions only; 0 = all. What is held out stays the same, so that learning curves compare"),
    ROW_NUMBER("heldout", AT(heldout), "P", "0.02", 0.001, 0.5, "Share of the games kept apart to measure agreement with the teacher"),
    ROW_FLAG("vary", AT(vary), "yes", "Permute colours at random in training"),
    ROW_HEADING("Network"),
    ROW_CHOICE("encoding", AT(encoding), "NAME", "plain", "plain|trigger|ready|grow", "plain: the resolved field, the next pairs and what was fired; trigger: also the best chain that a few more puyos would fire, as beam computes it; ready: also its points and what the next two pairs could fire; grow: also what one more puyo of each colour on each column would make of the field"),
    ROW_TEXT("net", AT(net), "TEXT", "c=64 b=6", "Network: trunk and optionally its two heads: 'c=64 b=6', 'mlp=512,256', '… scalar=8:128:1 scalar=8:64:1'"),
    ROW_FILE("init", AT(init), NULL, "Start from these weights"),
    ROW_HEADING("Learning"),
    ROW_INT("batch", AT(batch), "N", "4096", 64, 65536, "Afterstates per update; a position has about twenty"),
    ROW_TEXT("lr", AT(lr), "RATE", "0.001", "Learning rate: '0.001', 'cosine:0.002:20000' (updates), ',warmup=500'"),
    ROW_NUMBER("temperature", AT(temperature), "X", "0.04", 0.001, 10, "A placement whose value is this share of the best one's lower gets 1/e of its probability"),
    ROW_NUMBER("value-weight", AT(value_weight), "X", "1", 0, 1000, "Loss weight of the head that learns the chain to expect; used by search"),
    ROW_NUMBER("ema", AT(ema), "X", "0.99", 0, 0.99999, "Decay of the averaged weights, which are evaluated and saved; 0 = the newest weights"),
    ROW_NUMBER("decay", AT(decay), "X", "0.0001", 0, 1, "Weight decay (AdamW)"),
    ROW_NUMBER("clip", AT(clip), "X", "5", 0, 1e6, "Gradient norm limit; 0 = off"),
    ROW_HEADING("Evaluation and checkpoints"),
    ROW_INT("evaluation-frequency", AT(evaluate_every), "N", "500", 0, 9e15, "Updates between evaluations on held-out positions; 0 = only at the end"),
    ROW_INT("evaluation-positions", AT(evaluate_positions), "N", "4000", 1, 1e9, "Held-out positions per evaluation, at most"),
    ROW_NUMBER("save-minutes", AT(save_minutes), "M", "5", 0, 1e6, "Minutes between checkpoints; 0 = only at the end"),
};
// clang-format on
const int distil_n_opts = ROWS(distil_opts);

static const char *const limits[] = {"minutes", "steps", NULL};
static const char *const machine[] = {"backend", "threads", NULL};
static const char *const free_rows[] = {"lr", "evaluation-frequency", "save-minutes", NULL};
const train_table distil_table = {
    distil_opts, ROWS(distil_opts), sizeof(distil_config), limits, machine, free_rows, NULL, NULL};

err distil_config_make(distil_config *c, const game *g, const char *preset, const config_layer *layers, int n,
                       opt_values *keep)
{
    return train_config_make(&distil_table, c, g, preset, layers, n, keep);
}
