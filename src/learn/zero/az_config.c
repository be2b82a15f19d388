// See az_config.h.
#include "learn/zero/az_config.h"

#include "base/cpu.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/models.h"
#include "base/text.h"
#include "eval/eval.h"

#include <stdio.h>
#include <string.h>

enum {
    GAMES_PER_CORE = 256, // in flight, preset gpu
    LEAST_GAMES = 512,
    FULL_GAMES = 2048, // from here on two leaves per tree fill a batch
    MOST_GAMES = 8192,
};

// Self-play explores more than a player does.
static const opt_default tree_defaults[] = {{"sims", "100"},   {"c", "1.5"},         {"fpu", "0.2"},
                                            {"noise", "0.25"}, {"temperature", "1"}, {"temperature-plies", "15"},
                                            {NULL, NULL}};

static const opt_default common_defaults[] = {{"method", "zero"}, {NULL, NULL}};

#define AT(field) offsetof(az_config, field)
// clang-format off
const opt az_opts[] = {
    ROW_TABLE(AT(common), train_common_opts, train_common_n_opts, common_defaults),
    ROW_INT("steps", AT(common.steps), "N", "0", 0, 1e12, "Stop after this many training steps; 0 = no limit"),
    ROW_INT("games", AT(common.games), "N", "0", 0, 1e12, "Stop after this many self-play games; 0 = no limit"),
    ROW_INT("evaluations", AT(evaluations), "N", "0", 0, 1e15, "Stop after this many self-play simulations (for fair comparisons of options); 0 = no limit"),
    ROW_CHOICE("preset", AT(common.preset), "NAME", NULL, "seed|fast|strong|gpu", "Named set of defaults (gpu: for one large GPU, with sizes that follow from the machine); explicit options take precedence. DIR/config.txt records the values in use. Default: fast"),
    ROW_HEADING("Network"),
    ROW_TEXT("net", AT(net), "TEXT", "", "Network: trunk (`c=64 b=6`), a full description, or a preset (docs/networks.md); default depends on the game"),
    ROW_TEXT("encoding", AT(encoding), "NAME", "", "Input encoding (see keiko games --verbose)"),
    ROW_TEXT("init", AT(init), "FILE", "", "Start from this network (a file or a name from the models folder) instead of random weights; sets --net and --encoding. A --net with more blocks (b=) lets it grow: the new blocks change nothing at first. A network of another game fits if board, encoding and moves are the same (gomoku, freestyle)"),
    ROW_TEXT("teacher", AT(teacher), "WHO", "", "Learn from a network (a file or a name from the models folder), whose searches then play the games, or from an agent, as alphabeta:depth=0,nodes=10000: its moves and values are the targets, with a share of --noise random moves between. Needed at every start"),
    ROW_CHOICE("precision", AT(precision), "FORMAT", "auto", "auto|f32|int8|bf16|fp8", "Number format for self-play: auto = f32 on the CPU, bf16 on a GPU; int8 (CPU) and fp8 (GPU) are faster and less exact. int8 needs AVX-512 VNNI; elsewhere f32 is faster and used instead"),
    ROW_HEADING("Self-play"),
    ROW_INT("in-flight", AT(in_flight), "N", "128", 1, 65536, "Number of games played at the same time"),
    ROW_TABLE(AT(tree), mcts_opts, mcts_n_opts, tree_defaults),
    ROW_NUMBER("full", AT(full), "P", "1", 0.01, 1, "Share of full searches (playout cap randomisation); only their positions are used for training"),
    ROW_INT("fast-sims", AT(fast_sims), "N", "20", 1, 1e6, "Simulations per fast search"),
    ROW_INT("sims-start", AT(sims_start), "N", "0", 0, 1e6, "Simulations at the start, growing to --sims; 0 = --sims from the start"),
    ROW_INT("sims-grow", AT(sims_grow), "STEPS", "1000", 1, 1e9, "Training steps until --sims is reached"),
    ROW_NUMBER("forced", AT(forced), "K", "0", 0, 100, "Forced playouts √(K·prior·visits) at the root, pruned from the target; 0 = off"),
    ROW_INT("openings", AT(openings), "N", "0", 0, 1000, "Start some games with 1 to N random moves; 0 = off"),
    ROW_NUMBER("openings-share", AT(openings_share), "P", "0.5", 0, 1, "Share of games that start with random moves"),
    ROW_NUMBER("even", AT(even), "P", "0", 0, 1, "Share of games that start from the game's set of even openings (renju, gomoku)"),
    ROW_NUMBER("resign", AT(resign), "X", "0", 0, 1, "Resign threshold: resign when the value is below -X three times in a row; 0 = never"),
    ROW_NUMBER("resign-check", AT(resign_check), "P", "0.1", 0, 1, "Share of games played to the end anyway, to measure wrong resignations"),
    ROW_INT("endgame", AT(endgame), "N", "0", 0, 20, "Othello: from N empty squares on, the exact solver plays and sets the targets; 0 = off"),
    ROW_INT("threats", AT(threats), "N", "0", 0, 1e6, "Renju, gomoku: wins by continuous fours, searched with at most N moves tried, are proofs in the tree and end the game; 0 = off"),
    ROW_INT("vct", AT(vct), "N", "0", 0, 1e6, "Renju, gomoku: wins by continuous fours and threes, searched before each move with at most N moves tried, end the game; 0 = off"),
    ROW_NUMBER("mix", AT(mix), "P", "0", 0, 1, "Share of the position's own search value in the value target (and of its margin in the margin target); the rest is the game result, or what --lambda makes of it"),
    ROW_NUMBER("lambda", AT(lambda), "X", "1", 0, 1, "TD(λ) value and margin targets from later searches; 1 = game result only"),
    ROW_NUMBER("margin", AT(margin), "P", "0", 0, 0.95, "Weight of the margin against the win probability in self-play search; needs a network with a scalar head", .was = "lean"),
    ROW_INT("round", AT(round), "N", "400", 1, 1e9, "Simulations per game in a self-play round, before the learner trains"),
    ROW_INT("per-call", AT(per_call), "N", "0", 0, 65536, "Games per network batch; 0 = chosen by backend"),
    ROW_INT("cache", AT(cache), "MIB", "64", 0, 1048576, "Cache of evaluated positions; affects speed only"),
    ROW_HEADING("Replay buffer"),
    ROW_INT("buffer-min", AT(buffer_min), "N", "20000", 1, 4e9, "Minimum size of the replay buffer in positions", .was = "window-least"),
    ROW_INT("buffer-max", AT(buffer_max), "N", "1000000", 1, 4e9, "Maximum size of the replay buffer in positions", .synonym = "buffer", .was = "window-most"),
    ROW_NUMBER("buffer-share", AT(buffer_share), "P", "0.5", 0, 1, "Between the two: share of all positions generated so far", .was = "window-share"),
    ROW_CHOICE("buffer-on", AT(buffer_on), "WHERE", "auto", "auto|host|gpu", "Where batches are prepared: gpu keeps a copy of the buffer in GPU memory; auto = gpu if it fits", .was = "window"),
    ROW_INT("fill", AT(fill), "N", "4000", 0, 4e9, "Positions to collect before training starts"),
    ROW_HEADING("Learner"),
    ROW_INT("batch", AT(batch), "N", "256", 2, 65536, "Positions per training step"),
    ROW_NUMBER("samples", AT(samples), "X", "4", 0.01, 1000, "How often each position is used for training on average; sets the number of steps per new position"),
    ROW_TEXT("lr", AT(lr), "RATE", "0.001", "Learning rate: 0.001, step:0.001:50000:0.5 (halve every 50000 steps) or cosine:0.001:100000; append ,warmup=100"),
    ROW_CHOICE("optimiser", AT(optimiser), "NAME", "adamw", "adamw|adam|sgd", "Optimiser"),
    ROW_NUMBER("momentum", AT(momentum), "X", "0.9", 0, 1, "Momentum of sgd"),
    ROW_NUMBER("decay", AT(decay), "X", "0.0001", 0, 10, "Weight decay"),
    ROW_NUMBER("clip", AT(clip), "X", "0", 0, 1e6, "Gradient norm limit; 0 = off"),
    ROW_NUMBER("ema", AT(ema), "X", "0", 0, 0.999999, "Decay per step of the averaged weights used in self-play; 0 = use the newest weights"),
    ROW_CHOICE("policy-loss", AT(policy_loss), "HOW", "joint", "joint|heads", "Games with several policy heads: train on the joint distribution of moves, or each head on its marginal"),
    ROW_NUMBER("value-weight", AT(value_weight), "X", "1", 0.001, 1000, "Weight of the value loss"),
    ROW_NUMBER("margin-weight", AT(margin_weight), "X", "0.25", 0.001, 1000, "Weight of the margin loss; needs a scalar head"),
    ROW_NUMBER("ownership", AT(ownership), "W", "0", 0, 1000, "Othello: also learn who owns each square in the end, with this weight; 0 = off. For training only: the saved networks do not have this head"),
    ROW_NUMBER("reply", AT(reply), "W", "0", 0, 1000, "Also learn the opponent's next move, with this weight; 0 = off. For training only: the saved networks do not have this head"),
    ROW_FLAG("symmetries", AT(symmetries), "yes", "Augment training positions by the game's symmetries"),
    ROW_HEADING("The run"),
    ROW_NUMBER("checkpoint", AT(checkpoint), "S", "30", 0, 1e6, "Minimum seconds between checkpoints"),
    ROW_FLAG("async", AT(async), "no", "Train while the next round is played (for a GPU or many cores). Self-play then uses weights that are one round old", .was = "beside"),
    ROW_HEADING("Evaluation"),
    ROW_INT("eval-every", AT(eval_every), "STEPS", "0", 0, 1e9, "Rate the network every N training steps, and before the first; 0 = never"),
    ROW_INT("eval-games", AT(eval_games), "N", "40", 2, 1e6, "Games per rating, split between the opponents"),
    ROW_INT("eval-sims", AT(eval_sims), "N", "50", 1, 1e6, "Simulations per move in rating games"),
    ROW_INT("eval-past", AT(eval_past), "N", "1", 0, 16, "Number of earlier networks used as opponents"),
    ROW_TEXT("references", AT(references), "AGENTS", "random", "Fixed opponents, separated by ';'"),
    ROW_TEXT("anchor", AT(anchor), "AGENT", "random", "Reference opponent whose rating is fixed at 1000"),
    ROW_FLAG("gate", AT(gate), "no", "Use new weights in self-play only if a sequential test finds them not weaker"),
    ROW_NUMBER("gate-elo", AT(gate_elo), "X", "30", 1, 800, "Gate: the sequential test compares +X with -X Elo"),
    ROW_INT("gate-games", AT(gate_games), "N", "200", 4, 1e6, "Gate: decide by score after this many games"),
};
// clang-format on
const int az_n_opts = ROWS(az_opts);

static const char *const limits[] = {"minutes", "steps", "games", "evaluations", NULL};
static const char *const machine[] = {"backend", "threads", "buffer-on", NULL};
static const char *const free_rows[] = {"lr", "cache", "checkpoint", "eval-every", "eval-games", NULL};
const train_table az_table = {
    az_opts, ROWS(az_opts), sizeof(az_config), limits, machine, free_rows, "fast", az_preset,
};

// `seed` is what the two documents that this grew from say, to the number; where they are silent, the plainest choice.
// `fast` shows something within minutes on a few cores; `strong` is for hours. in-flight * round is kept small enough
// that a round, and so what a crash can cost, stays below a minute on two cores; a GPU wants more of both.
#define STONES_GPU                                                                                                                \
    "backend = cuda\nnet = c=128 b=10 value=4:64\nencoding = threats\nprecision = fp8\nsims = 96\nsims-start = 24\n"              \
    "sims-grow = 20000\ngumbel = 16\nreuse = no\nround = 200\nasync = yes\nthreats = 200\nvct = 300\neven = 0.5\nlambda = 0.95\n" \
    "openings = 6\nopenings-share = 0.6\nbuffer-min = 200000\nbuffer-max = 4000000\nbuffer-share = 0.4\nfill = 50000\n"           \
    "batch = 1024\nsamples = 3\nlr = cosine:0.002:40000:0.0001,warmup=200\nema = 0.999\nsteps = 40000\n"                          \
    "checkpoint = 60\neval-every = 10000\neval-games = 80\nreferences = random;alphabeta:nodes=200;alphabeta:nodes=2000\n"        \
    "anchor = random\n"

static const struct {
    const char *game, *name, *text; // game "" = every other
} presets[] = {
    {"othello", "seed",
     "net = othello-seed\nencoding = side\nin-flight = 128\nround = 300\nsims = 100\nc = 1.5\nfpu = -1\nnoise = "
     "0.25\nalpha = 0.3\n"
     "temperature = 1\ntemperature-plies = 15\nreuse = no\nsolver = no\nbuffer-min = 100000\nbuffer-max = 100000\n"
     "buffer-share = 1\nbatch = 256\nlr = 0.001\noptimiser = sgd\nmomentum = 0.9\ndecay = 0.0001\npolicy-loss = heads\n"
     "eval-every = 1000\neval-games = 20\neval-sims = 100\nreferences = random;greedy\nanchor = random\n"},
    {"contrast", "seed",
     "net = contrast-seed\nin-flight = 64\nsims = 50\nc = 1.0\nfpu = -1\nnoise = 0.25\nalpha = 0.3\ntemperature = 1\n"
     "temperature-plies = 30\nreuse = no\nsolver = no\nbuffer-min = 20000\nbuffer-max = 20000\nbuffer-share = 1\n"
     "batch = 1024\nlr = step:0.001:50000:0.5\noptimiser = adam\ndecay = 0.0001\npolicy-loss = heads\n"
     "eval-every = 100\neval-games = 10\neval-sims = 50\neval-past = 0\nreferences = rule\nanchor = rule\n"},
    {"", "seed",
     "sims = 100\nc = 1.5\nfpu = -1\nnoise = 0.25\nalpha = 0.3\ntemperature = 1\ntemperature-plies = 15\nreuse = no\n"
     "solver = no\nbuffer-min = 100000\nbuffer-max = 100000\nbuffer-share = 1\nbatch = 256\nlr = 0.001\n"
     "optimiser = sgd\nmomentum = 0.9\ndecay = 0.0001\npolicy-loss = heads\neval-every = 1000\neval-games = 20\n"},

    {"tictactoe", "fast",
     "net = c=32 b=2\nin-flight = 256\nsims = 32\nround = 200\nopenings = 4\ntemperature-plies = 0\n"
     "mix = 0.25\nfill = 2000\nbuffer-min = 8000\nbuffer-max = 100000\nbatch = 128\nsamples = 6\nlr = 0.003\nema = "
     "0.99\n"
     "eval-every = 0\n"},
    // What `fast` for the big boards has in common was measured on Contrast (docs/lab/TRAINING.md): few simulations with Gumbel's
    // rule make many games, the solver decides their ends, and values look ahead. The network sees the present alone.
    {"contrast", "fast",
     "net = c=64 b=4 policy=32:625 policy=16:51 value=4:32\nencoding = now\nin-flight = 64\nsims = 16\ngumbel = 8\n"
     "reuse = no\nlambda = 0.9\nmix = 0.1\nbuffer-min = 20000\nbuffer-max = 1000000\nbuffer-share = 0.4\n"
     "fill = 2000\nbatch = 256\nsamples = 3\nlr = step:0.001:40000:0.5\nema = 0.995\neval-every = 4000\n"
     "eval-games = 80\nreferences = rule;alphabeta:depth=1;alphabeta:depth=2;alphabeta:depth=3\nanchor = rule\n"},
    {"othello", "fast",
     "net = c=64 b=6 policy=4:65 value=2:64\nin-flight = 128\nsims = 32\ngumbel = 16\nreuse = no\nlambda = 0.95\n"
     "openings = 8\nopenings-share = 0.3\nendgame = 10\nbuffer-min = 20000\nbuffer-max = 1000000\n"
     "buffer-share = 0.4\nfill = 2000\nbatch = 256\nsamples = 4\nlr = step:0.001:30000:0.5\nema = 0.995\n"
     "eval-every = 2000\neval-games = 60\neval-sims = 100\nreferences = random;greedy;alphabeta:depth=2\n"
     "anchor = random\n"},
    {"", "fast",
     "net = c=48 b=4\nin-flight = 64\nround = 800\nsims = 32\ngumbel = 16\nreuse = no\nlambda = 0.95\n"
     "buffer-share = 0.4\nfill = 2000\nsamples = 4\nlr = 0.001\nema = 0.995\neval-every = 1000\neval-games = 20\n"},

    // The same with larger networks and, as these learn, more simulations.
    {"contrast", "strong",
     "net = c=64 b=6 policy=32:625 policy=16:51 value=4:64\nencoding = now\nin-flight = 64\nsims = 48\nsims-start = "
     "16\n"
     "sims-grow = 20000\ngumbel = 16\nreuse = no\nlambda = 0.9\nmix = 0.1\nopenings = 4\nopenings-share = 0.3\n"
     "buffer-min = 50000\nbuffer-max = 4000000\nbuffer-share = 0.4\nfill = 10000\nbatch = 512\nsamples = 3\n"
     "lr = cosine:0.0015:60000:0.0001,warmup=200\nema = 0.998\neval-every = 5000\neval-games = 160\n"
     "references = rule;alphabeta:depth=2;alphabeta:depth=3;alphabeta:depth=4\nanchor = rule\n"},
    {"othello", "strong",
     "net = c=128 b=10 policy=8:65 value=4:128\nin-flight = 128\nround = 200\nsims = 48\nsims-start = 24\n"
     "sims-grow = 10000\ngumbel = 16\nreuse = no\nlambda = 0.95\nopenings = 12\nopenings-share = 0.6\nendgame = 12\n"
     "buffer-min = 50000\nbuffer-max = 4000000\nbuffer-share = 0.4\nfill = 10000\nbatch = 1024\nsamples = 1.5\n"
     "lr = cosine:0.002:20000:0.0001,warmup=200\nema = 0.999\neval-every = 4000\neval-games = 160\neval-sims = 100\n"
     "references = greedy;alphabeta:depth=2;alphabeta:depth=4;alphabeta:depth=6\nanchor = greedy\n"},
    {"", "strong",
     "net = c=128 b=10\nin-flight = 64\nsims = 64\nsims-start = 24\nsims-grow = 10000\ngumbel = 16\nreuse = no\n"
     "lambda = 0.95\nopenings = 4\nopenings-share = 0.3\nbuffer-min = 50000\nbuffer-max = 2000000\n"
     "buffer-share = 0.4\nfill = 10000\nbatch = 512\nsamples = 3\nlr = cosine:0.001:100000:0.0001,warmup=200\n"
     "ema = 0.999\neval-every = 5000\neval-games = 40\n"},

    // A whole run on one large GPU, to its last step; see fit_machine for what is not here.
    {"tictactoe", "gpu",
     "backend = cuda\nnet = c=32 b=2\nsims = 32\nround = 200\nasync = yes\nopenings = 4\ntemperature-plies = 0\n"
     "mix = 0.25\nfill = 2000\nbuffer-min = 8000\nbuffer-max = 100000\nbatch = 128\nsamples = 6\nlr = 0.003\n"
     "ema = 0.99\nsteps = 3000\neval-every = 0\n"},
    {"contrast", "gpu",
     "backend = cuda\nnet = c=128 b=8 policy=32:625 policy=16:51 value=4:64\nencoding = now\nsims = 64\nsims-start = 16\n"
     "sims-grow = 20000\ngumbel = 16\nreuse = no\nround = 100\nasync = yes\nlambda = 0.9\nmix = 0.1\nopenings = 4\n"
     "openings-share = 0.3\nbuffer-min = 100000\nbuffer-max = 4000000\nbuffer-share = 0.4\nfill = 20000\n"
     "batch = 1024\nsamples = 3\nlr = cosine:0.0015:40000:0.0001,warmup=200\nema = 0.999\nsteps = 40000\n"
     "checkpoint = 60\neval-every = 10000\neval-games = 160\n"
     "references = rule;alphabeta:depth=2;alphabeta:depth=4;alphabeta:depth=6\nanchor = rule\n"},
    {"othello", "gpu",
     "backend = cuda\nnet = c=128 b=10 policy=8:65 value=8:128 scalar=4:64:1\nprecision = fp8\nsims = 150\n"
     "sims-start = 24\nsims-grow = 60000\nc = 1\nfpu = 0.2\ngumbel = 16\nreuse = no\nround = 200\nasync = yes\n"
     "openings = 14\nopenings-share = 0.95\nendgame = 12\nmargin = 0.4\nmargin-weight = 4\nbuffer-min = 300000\n"
     "buffer-max = 5000000\nbuffer-share = 0.4\nfill = 50000\nbatch = 1024\nsamples = 4\n"
     "lr = cosine:0.002:78000:0.00005,warmup=200\nema = 0.999\nsteps = 78000\ncheckpoint = 60\neval-every = 19500\n"
     "eval-games = 192\neval-sims = 100\nreferences = greedy;alphabeta:depth=2;alphabeta:depth=4;alphabeta:depth=6\n"
     "anchor = greedy\n"},
    {"renju", "gpu", STONES_GPU},
    {"gomoku", "gpu", STONES_GPU},
    {"freestyle", "gpu", STONES_GPU},
    {"freestyle20", "gpu", STONES_GPU},
    {"", "gpu",
     "backend = cuda\nnet = c=128 b=10\nsims = 64\nsims-start = 24\nsims-grow = 20000\ngumbel = 16\nreuse = no\n"
     "round = 200\nasync = yes\nlambda = 0.95\nopenings = 4\nopenings-share = 0.3\nbuffer-min = 200000\n"
     "buffer-max = 4000000\nbuffer-share = 0.4\nfill = 50000\nbatch = 1024\nsamples = 3\n"
     "lr = cosine:0.002:50000:0.0001,warmup=200\nema = 0.999\nsteps = 50000\ncheckpoint = 60\neval-every = 10000\n"
     "eval-games = 80\n"},
};

err az_preset(const game *g, const char *name, const char **text)
{
    bool known = false;
    *text = NULL;
    for (size_t i = 0; i < sizeof presets / sizeof *presets && *text == NULL; i++) {
        if (strcmp(presets[i].name, name) != 0) continue;
        known = true;
        if (presets[i].game[0] == 0 || strcmp(presets[i].game, g->name) == 0) *text = presets[i].text;
    }
    if (known) return ERR_OK;
    return err_set(ERR_USAGE, "there is no preset '%s': seed, fast, strong or gpu", name);
}

// A network to begin with may be of another game whose board, encoding and moves are the same (gomoku and freestyle).
static err fit_named(const game *g, bool begins, nn_net *net, const encoding **enc)
{
    char reads[64], *note = net->note;
    bool fits = begins && eval_note(note, "encoding", reads, sizeof reads);
    if (fits) {
        net->note = NULL;
        fits = eval_fit(g, net, reads, enc) == ERR_OK;
        net->note = note;
    }
    return fits ? ERR_OK : eval_fit(g, net, NULL, enc);
}

err az_named_net(const game *g, const char *option, const char *file, nn_net **net, const encoding **enc)
{
    char path[FILE_PATH];
    *net = NULL;
    err e = models_network(file, path, sizeof path);
    if (e == ERR_OK) e = nn_net_load(net, path);
    if (e == ERR_OK) e = fit_named(g, strcmp(option, "init") == 0, *net, enc);
    if (e == ERR_OK) return e;
    nn_net_free(*net);
    *net = NULL;
    return err_prefix(e, "--%s %s", option, file);
}

// A network to begin with says itself what it is; what was given beside it is left to be compared.
static err describe_init(az_config *c, const game *g, bool net_given, bool encoding_given, opt_values *keep)
{
    nn_net *net;
    const encoding *enc;
    char text[NN_TEXT + 16];
    err e = az_named_net(g, "init", c->init, &net, &enc);
    if (e != ERR_OK) return e;
    int n = snprintf(text, sizeof text, "net = \"");
    nn_desc_print(&net->desc, text + n, NN_TEXT);
    strcat(text, "\"\n");
    if (!net_given) e = opt_config_text(az_opts, az_n_opts, c, "init", text, strlen(text), keep);
    if (!encoding_given) c->encoding = enc->name;
    nn_net_free(net);
    return e;
}

// A generous guess: planes as bits, moves with their targets, values.
static size_t position_bytes(const game *g, const encoding *enc)
{
    size_t words = ((size_t)g->rows * (size_t)g->cols + 63) / 64;
    return 64 + 8 * words * (size_t)enc->planes + 4 * (size_t)(enc->scalars + g->max_legal);
}

// What a GPU run takes from its machine, unless a layer says otherwise: enough games to keep all cores and the GPU at work,
// more leaves per tree where few cores can hold few games, and no more positions than an eighth of the memory holds.
static err fit_machine(az_config *c, const game *g, const config_layer *layers, int n, opt_values *keep)
{
    const encoding *enc;
    err e = game_encoding(g, c->encoding, &enc);
    if (e != ERR_OK) return e;
    int cores = c->common.threads > 0 ? (int)c->common.threads : cpu_count();
    int64_t games = LEAST_GAMES, room = (int64_t)(machine_memory() / 8 / (double)position_bytes(g, enc));
    while (games < (int64_t)GAMES_PER_CORE * cores && games < MOST_GAMES) games *= 2;
    int64_t leaves = games >= FULL_GAMES ? 2 : 2 * FULL_GAMES / games;
    const struct {
        const char *name;
        int64_t value;
    } sizes[] = {{"in-flight", games}, {"leaves", leaves}, {"buffer-max", room < c->buffer_max ? room : c->buffer_max}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && e == ERR_OK; i++) {
        bool given = false;
        char text[64];
        for (int k = 0; k < n; k++) given = given || train_layer_sets(&az_table, &layers[k], sizes[i].name);
        if (given) continue;
        snprintf(text, sizeof text, "%s = %lld\n", sizes[i].name, (long long)sizes[i].value);
        e = opt_config_text(az_opts, az_n_opts, c, "machine", text, strlen(text), keep);
    }
    return e;
}

err az_config_make(az_config *c, const game *g, const char *preset, const config_layer *layers, int n, opt_values *keep)
{
    bool net_given = false, encoding_given = false;
    err e = train_config_make(&az_table, c, g, preset, layers, n, keep);
    if (e == ERR_OK && strcmp(c->common.preset, "gpu") == 0) e = fit_machine(c, g, layers, n, keep);
    if (e != ERR_OK || *c->init == 0) return e;
    for (int i = 0; i < n; i++) {
        bool init = train_layer_sets(&az_table, &layers[i], "init");
        net_given = (net_given && !init) || train_layer_sets(&az_table, &layers[i], "net");
        encoding_given = (encoding_given && !init) || train_layer_sets(&az_table, &layers[i], "encoding");
    }
    return describe_init(c, g, net_given, encoding_given, keep);
}

static bool is_preset_net(const char *name)
{
    for (int i = 0; i < nn_preset_count(); i++)
        if (strcmp(name, nn_preset_name(i)) == 0) return true;
    return false;
}

err az_net_desc(const az_config *c, const game *g, const encoding *enc, nn_desc *out)
{
    const char *net = c->net != NULL && *c->net != 0 ? c->net : "c=32 b=3";
    if (is_preset_net(net) || strstr(net, "planes=") != NULL) return err_prefix(nn_desc_parse(net, out), "--net");
    char text[NN_TEXT];
    int n = snprintf(text, sizeof text, "planes=%d scalars=%d size=%dx%d %s", enc->planes, enc->scalars, g->rows,
                     g->cols, net);
    if (strstr(net, "policy=") == NULL)
        for (int h = 0; h < g->n_heads && n < (int)sizeof text; h++)
            n += snprintf(text + n, sizeof text - (size_t)n, " policy=4:%d", g->head_dim[h]);
    if (strstr(net, "value=") == NULL && n < (int)sizeof text)
        n += snprintf(text + n, sizeof text - (size_t)n, " value=2:32");
    if (n >= (int)sizeof text) return err_set(ERR_LIMIT, "--net: the description is too long");
    return err_prefix(nn_desc_parse(text, out), "--net");
}

static bool has_head(const nn_desc *d, nn_kind kind)
{
    for (int i = 0; i < d->n_heads; i++)
        if (d->head[i].kind == kind) return true;
    return false;
}

err az_trained_desc(const az_config *c, const game *g, const nn_desc *net, nn_desc *out)
{
    nn_desc d = *net;
    nn_head more[GAME_MAX_HEADS + 1];
    int n = 0;
    if (c->ownership > 0 && !has_head(net, NN_BOARD)) more[n++] = (nn_head){.kind = NN_BOARD, .out = 1};
    for (int h = 0, k = 0; h < net->n_heads && c->reply > 0 && !has_head(net, NN_REPLY); h++)
        if (net->head[h].kind == NN_POLICY && k++ < g->n_heads)
            more[n++] = (nn_head){.kind = NN_REPLY, .filters = net->head[h].filters, .out = net->head[h].out};
    if (d.n_heads + n > NN_MAX_HEADS)
        return err_set(ERR_LIMIT, "--ownership and --reply add %d heads to the network's %d; it may have %d", n,
                       d.n_heads, NN_MAX_HEADS);
    for (int i = 0; i < n; i++) d.head[d.n_heads++] = more[i];
    err e = err_prefix(nn_desc_check(&d), "--ownership or --reply");
    if (e == ERR_OK) *out = d;
    return e;
}

err az_train_options(const az_config *c, pool *threads, nn_train_options *out, nn_lr *lr)
{
    *out = (nn_train_options){
        .max_batch = (int)c->batch,
        .optim = {.kind = c->optimiser[0] == 's'              ? NN_SGD
                          : strcmp(c->optimiser, "adam") == 0 ? NN_ADAM
                                                              : NN_ADAMW,
                  .momentum = (float)c->momentum,
                  .decay = (float)c->decay,
                  .clip = (float)c->clip},
        .ema = (float)c->ema,
        .threads = threads,
    };
    return err_prefix(nn_lr_parse(c->lr, lr), "--lr");
}
