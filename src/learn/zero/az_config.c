// See az_config.h.
#include "learn/zero/az_config.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define AT(f) offsetof(az_config, f)
const opt az_opts[] = {AZ_OPTS(AT)};
const int az_n_opts = (int)(sizeof az_opts / sizeof *az_opts);

// `seed` is what the two documents that this grew from say, to the number; where they are silent, the plainest choice.
// `fast` shows something within minutes on a few cores; `strong` is for hours. in-flight * round is kept small enough
// that a round, and so what a crash can cost, stays below a minute on two cores; a GPU wants more of both.
static const struct {
    const char *game, *name, *text; // game "" = every other
} presets[] = {
    {"othello", "seed",
     "net = othello-seed\nencoding = side\nin-flight = 128\nround = 300\nsims = 100\nc = 1.5\nfpu = -1\nnoise = "
     "0.25\nalpha = 0.3\n"
     "temperature = 1\ntemperature-plies = 15\nreuse = no\nsolver = no\nwindow-least = 100000\nwindow-most = 100000\n"
     "window-share = 1\nbatch = 256\nlr = 0.001\noptimiser = sgd\nmomentum = 0.9\ndecay = 0.0001\npolicy-loss = heads\n"
     "eval-every = 1000\neval-games = 20\neval-sims = 100\nreferences = random;greedy\nanchor = random\n"},
    {"contrast", "seed",
     "net = contrast-seed\nin-flight = 64\nsims = 50\nc = 1.0\nfpu = -1\nnoise = 0.25\nalpha = 0.3\ntemperature = 1\n"
     "temperature-plies = 30\nreuse = no\nsolver = no\nwindow-least = 20000\nwindow-most = 20000\nwindow-share = 1\n"
     "batch = 1024\nlr = step:0.001:50000:0.5\noptimiser = adam\ndecay = 0.0001\npolicy-loss = heads\n"
     "eval-every = 100\neval-games = 10\neval-sims = 50\neval-past = 0\nreferences = rule\nanchor = rule\n"},
    {"", "seed",
     "sims = 100\nc = 1.5\nfpu = -1\nnoise = 0.25\nalpha = 0.3\ntemperature = 1\ntemperature-plies = 15\nreuse = no\n"
     "solver = no\nwindow-least = 100000\nwindow-most = 100000\nwindow-share = 1\nbatch = 256\nlr = 0.001\n"
     "optimiser = sgd\nmomentum = 0.9\ndecay = 0.0001\npolicy-loss = heads\neval-every = 1000\neval-games = 20\n"},

    {"tictactoe", "fast",
     "net = c=32 b=2\nin-flight = 256\nsims = 32\nround = 200\nopenings = 4\ntemperature-plies = 0\n"
     "mix = 0.25\nfill = 2000\nwindow-least = 8000\nwindow-most = 100000\nbatch = 128\nsamples = 6\nlr = 0.003\nema = "
     "0.99\n"
     "eval-every = 0\n"},
    // What `fast` for the big boards has in common was measured on Contrast (docs/lab/TRAINING.md): few simulations with Gumbel's
    // rule make many games, the solver decides their ends, and values look ahead. The network sees the present alone.
    {"contrast", "fast",
     "net = c=64 b=4 policy=32:625 policy=16:51 value=4:32\nencoding = now\nin-flight = 64\nsims = 16\ngumbel = 8\n"
     "reuse = no\nlambda = 0.9\nmix = 0.1\nwindow-least = 20000\nwindow-most = 1000000\nwindow-share = 0.4\n"
     "fill = 2000\nbatch = 256\nsamples = 3\nlr = step:0.001:40000:0.5\nema = 0.995\neval-every = 4000\n"
     "eval-games = 80\nreferences = rule;alphabeta:depth=1;alphabeta:depth=2;alphabeta:depth=3\nanchor = rule\n"},
    {"othello", "fast",
     "net = c=64 b=6 policy=4:65 value=2:64\nin-flight = 128\nsims = 32\ngumbel = 16\nreuse = no\nlambda = 0.95\n"
     "openings = 8\nopenings-share = 0.3\nendgame = 10\nwindow-least = 20000\nwindow-most = 1000000\n"
     "window-share = 0.4\nfill = 2000\nbatch = 256\nsamples = 4\nlr = step:0.001:30000:0.5\nema = 0.995\n"
     "eval-every = 2000\neval-games = 60\neval-sims = 100\nreferences = random;greedy;alphabeta:depth=2\n"
     "anchor = random\n"},
    {"", "fast",
     "net = c=48 b=4\nin-flight = 64\nround = 800\nsims = 32\ngumbel = 16\nreuse = no\nlambda = 0.95\n"
     "window-share = 0.4\nfill = 2000\nsamples = 4\nlr = 0.001\nema = 0.995\neval-every = 1000\neval-games = 20\n"},

    // The same with larger networks and, as these learn, more simulations. On a GPU add `--backend cuda --in-flight 4096
    // --leaves 2 --round 200 --async`.
    {"contrast", "strong",
     "net = c=64 b=6 policy=32:625 policy=16:51 value=4:64\nencoding = now\nin-flight = 64\nsims = 48\nsims-start = "
     "16\n"
     "sims-grow = 20000\ngumbel = 16\nreuse = no\nlambda = 0.9\nmix = 0.1\nopenings = 4\nopenings-share = 0.3\n"
     "window-least = 50000\nwindow-most = 4000000\nwindow-share = 0.4\nfill = 10000\nbatch = 512\nsamples = 3\n"
     "lr = cosine:0.0015:60000:0.0001,warmup=200\nema = 0.998\neval-every = 5000\neval-games = 160\n"
     "references = rule;alphabeta:depth=2;alphabeta:depth=3;alphabeta:depth=4\nanchor = rule\n"},
    {"othello", "strong",
     "net = c=128 b=10 policy=8:65 value=4:128\nin-flight = 128\nround = 200\nsims = 48\nsims-start = 24\n"
     "sims-grow = 10000\ngumbel = 16\nreuse = no\nlambda = 0.95\nopenings = 12\nopenings-share = 0.6\nendgame = 12\n"
     "window-least = 50000\nwindow-most = 4000000\nwindow-share = 0.4\nfill = 10000\nbatch = 1024\nsamples = 1.5\n"
     "lr = cosine:0.002:20000:0.0001,warmup=200\nema = 0.999\neval-every = 4000\neval-games = 160\neval-sims = 100\n"
     "references = greedy;alphabeta:depth=2;alphabeta:depth=4;alphabeta:depth=6\nanchor = greedy\n"},
    {"", "strong",
     "net = c=128 b=10\nin-flight = 64\nsims = 64\nsims-start = 24\nsims-grow = 10000\ngumbel = 16\nreuse = no\n"
     "lambda = 0.95\nopenings = 4\nopenings-share = 0.3\nwindow-least = 50000\nwindow-most = 2000000\n"
     "window-share = 0.4\nfill = 10000\nbatch = 512\nsamples = 3\nlr = cosine:0.001:100000:0.0001,warmup=200\n"
     "ema = 0.999\neval-every = 5000\neval-games = 40\n"},
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
    return err_set(ERR_USAGE, "there is no preset '%s': seed, fast or strong", name);
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
