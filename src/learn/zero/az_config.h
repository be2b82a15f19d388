// Everything that can be chosen about an AlphaZero run, as one struct and one option table.
//
// The same names are the command line's options, the config file's keys and what `keiko.h` takes. Presets are texts of
// such lines. Nothing here acts.
#ifndef KEIKO_LEARN_ZERO_AZ_CONFIG_H
#define KEIKO_LEARN_ZERO_AZ_CONFIG_H

#include "base/opt.h"
#include "games/game.h"
#include "nn/train.h"

typedef struct az_config {
    // network
    const char *net, *encoding, *init, *precision;
    // self-play
    int64_t in_flight, sims, fast_sims, temperature_plies, gumbel, leaves, openings, sims_start, sims_grow, endgame,
        round, per_call, cache;
    double full, c, fpu, noise, alpha, forced, temperature, temperature_end, gumbel_scale, openings_share, resign,
        resign_check, mix, lambda, lean;
    bool reuse, solver;
    // replay
    int64_t window_least, window_most, fill;
    double window_share;
    const char *window;
    // learner
    int64_t batch;
    const char *lr, *optimiser, *policy_loss;
    double momentum, decay, clip, ema, samples, value_weight, margin_weight;
    bool symmetries;
    // the run
    double checkpoint;
    bool async;
    // evaluation
    int64_t eval_every, eval_games, eval_sims, eval_past;
    const char *references, *anchor;
    bool gate;
    double gate_elo;
    int64_t gate_games;
} az_config;

// Rows; AT(f) gives a field's place in whatever struct holds the config.
// clang-format off
#define AZ_OPTS(AT) \
    {.help = "Network"}, \
    {.name = "net", .kind = OPT_TEXT, .at = AT(net), .value = "TEXT", .preset = "", \
     .help = "trunk and heads (`c=64 b=6`, a whole description or a preset of docs/NN.md); default by game"}, \
    {.name = "encoding", .kind = OPT_TEXT, .at = AT(encoding), .value = "NAME", .preset = "", \
     .help = "how the network reads the board (keiko games --verbose)"}, \
    {.name = "init", .kind = OPT_TEXT, .at = AT(init), .value = "FILE", .preset = "", \
     .help = "begin with this network (a file, or one that ships) instead of random weights; it brings its --net and --encoding"}, \
    {.name = "precision", .kind = OPT_CHOICE, .at = AT(precision), .value = "NUMBERS", .preset = "auto", \
     .choices = "auto|f32|int8|bf16|fp8", \
     .help = "of self-play's network: auto is f32 on the CPU, bf16 on a GPU; int8 (CPU) and fp8 (GPU) are faster, rougher"}, \
    {.help = "Self-play"}, \
    {.name = "in-flight", .kind = OPT_INT, .at = AT(in_flight), .value = "N", .preset = "128", .low = 1, .high = 65536, \
     .help = "games played at the same time"}, \
    {.name = "sims", .kind = OPT_INT, .at = AT(sims), .value = "N", .preset = "100", .low = 1, .high = 1e6, \
     .help = "simulations of a full search", .synonym = "simulations"}, \
    {.name = "full", .kind = OPT_NUMBER, .at = AT(full), .value = "P", .preset = "1", .low = 0.01, .high = 1, \
     .help = "share of full searches, whose positions are learned; the others are fast (playout-cap randomisation)"}, \
    {.name = "fast-sims", .kind = OPT_INT, .at = AT(fast_sims), .value = "N", .preset = "20", .low = 1, .high = 1e6, \
     .help = "simulations of a fast search"}, \
    {.name = "sims-start", .kind = OPT_INT, .at = AT(sims_start), .value = "N", .preset = "0", .low = 0, .high = 1e6, \
     .help = "progressive: begin with so many simulations, 0 = with all"}, \
    {.name = "sims-grow", .kind = OPT_INT, .at = AT(sims_grow), .value = "STEPS", .preset = "1000", .low = 1, .high = 1e9, \
     .help = "progressive: training steps until all"}, \
    {.name = "c", .kind = OPT_NUMBER, .at = AT(c), .value = "X", .preset = "1.5", .low = 0.001, .high = 1000, \
     .help = "how much is explored (c of PUCT)"}, \
    {.name = "fpu", .kind = OPT_NUMBER, .at = AT(fpu), .value = "X", .preset = "0.2", .low = -1, .high = 1, \
     .help = "a move not yet tried is worth the position's value less X·√(prior mass tried); -1 = worth a draw"}, \
    {.name = "noise", .kind = OPT_NUMBER, .at = AT(noise), .value = "X", .preset = "0.25", .low = 0, .high = 1, \
     .help = "share of Dirichlet noise at the root"}, \
    {.name = "alpha", .kind = OPT_NUMBER, .at = AT(alpha), .value = "X", .preset = "0.3", .low = 0.001, .high = 100, \
     .help = "shape of that noise"}, \
    {.name = "forced", .kind = OPT_NUMBER, .at = AT(forced), .value = "K", .preset = "0", .low = 0, .high = 100, \
     .help = "forced playouts √(K·prior·visits) at the root, taken out of the target again; 0 = none"}, \
    {.name = "gumbel", .kind = OPT_INT, .at = AT(gumbel), .value = "N", .preset = "0", .low = 0, .high = 4096, \
     .help = "moves for Gumbel's sequential halving at the root instead of noise, 0 = PUCT"}, \
    {.name = "gumbel-scale", .kind = OPT_NUMBER, .at = AT(gumbel_scale), .value = "X", .preset = "1", .low = 0.001, .high = 100, \
     .help = "Gumbel: how much values weigh against the prior, in the search and in the target"}, \
    {.name = "temperature", .kind = OPT_NUMBER, .at = AT(temperature), .value = "X", .preset = "1", .low = 0, .high = 100, \
     .help = "moves are played by visits^(1/X); targets are visits, whatever X"}, \
    {.name = "temperature-plies", .kind = OPT_INT, .at = AT(temperature_plies), .value = "N", .preset = "15", .low = 0, .high = 100000, \
     .help = "from this ply on temperature-end, 0 = never"}, \
    {.name = "temperature-end", .kind = OPT_NUMBER, .at = AT(temperature_end), .value = "X", .preset = "0", .low = 0, .high = 100, \
     .help = "temperature from that ply on, 0 = the most visited move"}, \
    {.name = "openings", .kind = OPT_INT, .at = AT(openings), .value = "N", .preset = "0", .low = 0, .high = 1000, \
     .help = "some games begin with 1 to N random moves"}, \
    {.name = "openings-share", .kind = OPT_NUMBER, .at = AT(openings_share), .value = "P", .preset = "0.5", .low = 0, .high = 1, \
     .help = "share of such games"}, \
    {.name = "resign", .kind = OPT_NUMBER, .at = AT(resign), .value = "X", .preset = "0", .low = 0, .high = 1, \
     .help = "give up below value -X three times in a row, 0 = never"}, \
    {.name = "resign-check", .kind = OPT_NUMBER, .at = AT(resign_check), .value = "P", .preset = "0.1", .low = 0, .high = 1, \
     .help = "share of games played on to see how often giving up is wrong"}, \
    {.name = "endgame", .kind = OPT_INT, .at = AT(endgame), .value = "N", .preset = "0", .low = 0, .high = 20, \
     .help = "Othello: from N empty squares on the exact solver plays and gives the targets"}, \
    {.name = "mix", .kind = OPT_NUMBER, .at = AT(mix), .value = "P", .preset = "0", .low = 0, .high = 1, \
     .help = "share of the search's own value in the value target, the rest is the game's result"}, \
    {.name = "lambda", .kind = OPT_NUMBER, .at = AT(lambda), .value = "X", .preset = "1", .low = 0, .high = 1, \
     .help = "the value target looks ahead through the later searches' values, TD(X); 1 = the game's result alone"}, \
    {.name = "lean", .kind = OPT_NUMBER, .at = AT(lean), .value = "P", .preset = "0", .low = 0, .high = 0.95, \
     .help = "share of the margin in what self-play's searches play for, where the network has a scalar head; results stay results"}, \
    {.name = "reuse", .kind = OPT_FLAG, .at = AT(reuse), .preset = "yes", .help = "forget the tree between moves (--reuse keeps it)"}, \
    {.name = "solver", .kind = OPT_FLAG, .at = AT(solver), .preset = "yes", .help = "do not carry proven results up the tree (--solver does)"}, \
    {.name = "leaves", .kind = OPT_INT, .at = AT(leaves), .value = "N", .preset = "1", .low = 1, .high = 4096, \
     .help = "leaves in flight in one tree"}, \
    {.name = "round", .kind = OPT_INT, .at = AT(round), .value = "N", .preset = "400", .low = 1, .high = 1e9, \
     .help = "simulations of each game in flight before the learner's turn"}, \
    {.name = "per-call", .kind = OPT_INT, .at = AT(per_call), .value = "N", .preset = "0", .low = 0, .high = 65536, \
     .help = "games whose leaves make one batch, 0 = by backend"}, \
    {.name = "cache", .kind = OPT_INT, .at = AT(cache), .value = "MIB", .preset = "64", .low = 0, .high = 1048576, \
     .help = "remembered positions; changes the speed only"}, \
    {.help = "Replay"}, \
    {.name = "window-least", .kind = OPT_INT, .at = AT(window_least), .value = "N", .preset = "20000", .low = 1, .high = 4e9, \
     .help = "positions that are kept at least"}, \
    {.name = "window-most", .kind = OPT_INT, .at = AT(window_most), .value = "N", .preset = "1000000", .low = 1, .high = 4e9, \
     .help = "and at most", .synonym = "buffer"}, \
    {.name = "window-share", .kind = OPT_NUMBER, .at = AT(window_share), .value = "P", .preset = "0.5", .low = 0, .high = 1, \
     .help = "in between: this share of all positions made"}, \
    {.name = "window", .kind = OPT_CHOICE, .at = AT(window), .value = "WHERE", .preset = "auto", .choices = "auto|host|gpu", \
     .help = "where batches are made: gpu keeps a copy of the window there and turns positions there; auto does so where it fits"}, \
    {.name = "fill", .kind = OPT_INT, .at = AT(fill), .value = "N", .preset = "4000", .low = 0, .high = 4e9, \
     .help = "positions before learning begins"}, \
    {.help = "Learner"}, \
    {.name = "batch", .kind = OPT_INT, .at = AT(batch), .value = "N", .preset = "256", .low = 2, .high = 65536, \
     .help = "positions a training step"}, \
    {.name = "samples", .kind = OPT_NUMBER, .at = AT(samples), .value = "X", .preset = "4", .low = 0.01, .high = 1000, \
     .help = "how often each position is drawn on average: sets the steps for the positions made"}, \
    {.name = "lr", .kind = OPT_TEXT, .at = AT(lr), .value = "RATE", .preset = "0.001", \
     .help = "learning rate: 0.001, step:0.001:50000:0.5, cosine:0.001:100000; ,warmup=100"}, \
    {.name = "optimiser", .kind = OPT_CHOICE, .at = AT(optimiser), .value = "NAME", .preset = "adamw", .choices = "adamw|adam|sgd", \
     .help = "how weights follow gradients"}, \
    {.name = "momentum", .kind = OPT_NUMBER, .at = AT(momentum), .value = "X", .preset = "0.9", .low = 0, .high = 1, \
     .help = "of sgd"}, \
    {.name = "decay", .kind = OPT_NUMBER, .at = AT(decay), .value = "X", .preset = "0.0001", .low = 0, .high = 10, \
     .help = "weight decay (L2)"}, \
    {.name = "clip", .kind = OPT_NUMBER, .at = AT(clip), .value = "X", .preset = "0", .low = 0, .high = 1e6, \
     .help = "longest gradient, 0 = any"}, \
    {.name = "ema", .kind = OPT_NUMBER, .at = AT(ema), .value = "X", .preset = "0", .low = 0, .high = 0.999999, \
     .help = "self-play uses weights averaged with this decay a step, 0 = the newest"}, \
    {.name = "policy-loss", .kind = OPT_CHOICE, .at = AT(policy_loss), .value = "HOW", .preset = "joint", .choices = "joint|heads", \
     .help = "several policy heads learn the moves' joint distribution, or each its own marginal"}, \
    {.name = "value-weight", .kind = OPT_NUMBER, .at = AT(value_weight), .value = "X", .preset = "1", .low = 0.001, .high = 1000, \
     .help = "weight of the value's loss"}, \
    {.name = "margin-weight", .kind = OPT_NUMBER, .at = AT(margin_weight), .value = "X", .preset = "0.25", .low = 0.001, .high = 1000, \
     .help = "weight of the margin's loss, where the network has a scalar head"}, \
    {.name = "symmetries", .kind = OPT_FLAG, .at = AT(symmetries), .preset = "yes", .help = "learn positions as they were played, not turned by the game's symmetries"}, \
    {.help = "The run"}, \
    {.name = "checkpoint", .kind = OPT_NUMBER, .at = AT(checkpoint), .value = "S", .preset = "30", .low = 0, .high = 1e6, \
     .help = "seconds between checkpoints at least"}, \
    {.name = "async", .kind = OPT_FLAG, .at = AT(async), .preset = "no", .was = "beside", \
     .help = "learn while the next round is played (a GPU, many cores) instead of in turn; self-play's weights are then one round older"}, \
    {.help = "Evaluation"}, \
    {.name = "eval-every", .kind = OPT_INT, .at = AT(eval_every), .value = "STEPS", .preset = "0", .low = 0, .high = 1e9, \
     .help = "rate the network every so many steps, 0 = never"}, \
    {.name = "eval-games", .kind = OPT_INT, .at = AT(eval_games), .value = "N", .preset = "40", .low = 2, .high = 1e6, \
     .help = "games of a rating, shared by the opponents"}, \
    {.name = "eval-sims", .kind = OPT_INT, .at = AT(eval_sims), .value = "N", .preset = "50", .low = 1, .high = 1e6, \
     .help = "simulations a move in these games"}, \
    {.name = "eval-past", .kind = OPT_INT, .at = AT(eval_past), .value = "N", .preset = "1", .low = 0, .high = 16, \
     .help = "earlier networks that are opponents, too"}, \
    {.name = "references", .kind = OPT_TEXT, .at = AT(references), .value = "AGENTS", .preset = "random", \
     .help = "fixed opponents, separated by ';'; the first of them that is 'anchor' is rated 1000"}, \
    {.name = "anchor", .kind = OPT_TEXT, .at = AT(anchor), .value = "AGENT", .preset = "random", \
     .help = "the reference whose rating is 1000"}, \
    {.name = "gate", .kind = OPT_FLAG, .at = AT(gate), .preset = "no", \
     .help = "self-play takes new weights only when a sequential test finds them no weaker"}, \
    {.name = "gate-elo", .kind = OPT_NUMBER, .at = AT(gate_elo), .value = "X", .preset = "30", .low = 1, .high = 800, \
     .help = "gate: tests +X against -X Elo"}, \
    {.name = "gate-games", .kind = OPT_INT, .at = AT(gate_games), .value = "N", .preset = "200", .low = 4, .high = 1e6, \
     .help = "gate: after so many games the score decides"}
// clang-format on

extern const opt az_opts[]; // the rows over az_config itself
extern const int az_n_opts;

// Preset `name` for a game: lines "key = value", or an error that lists the presets. Borrowed.
err az_preset(const game *g, const char *name, const char **text);

// The network: `net` completed by the game's planes, numbers and heads.
err az_net_desc(const az_config *c, const game *g, const encoding *enc, nn_desc *out);
err az_train_options(const az_config *c, pool *threads, nn_train_options *out, nn_lr *lr);

#endif
