// keiko train: one command per trainer. The trainers' options are their own tables (learn/); what a training is, is app/train.
//
// Options differ between trainers, so the one whose game is named in the command (`train puyo`) has a command of its own, and
// `train GAME` is for all other games.
#include "app/plugin.h"
#include "app/train.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "cli/cli.h"
#include "keiko.h"
#include "learn/distil/distil_config.h"
#include "learn/dqn/dqn_config.h"
#include "learn/zero/az_config.h"
#include "run/run_status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct start { // before the trainer's own options in both commands
    common all;
    const char *game, *run, *config;
    bool resume;
} start;

typedef struct zero_options {
    start s;
    az_config az;
    dist_learner_options dist;
} zero_options;

typedef struct dqn_options {
    start s;
    dqn_config dqn;
} dqn_options;

typedef struct distil_options {
    start s;
    distil_config distil;
} distil_options;

#define AT(field) offsetof(start, field)
// clang-format off
static const opt start_opts[] = {
    ROW_DIR("run", AT(run), NULL, "Folder of the run: options, logs, checkpoints, models; created if missing", .required = true),
    ROW_FLAG("resume", AT(resume), NULL, "Continue the run in DIR with its own options; limits, --threads, --backend, --lr and how often it saves and evaluates may be changed"),
    ROW_FILE("config", AT(config), NULL, "Read options from FILE, one 'option = value' per line; overrides the preset, overridden by the command line"),
};
// clang-format on
static const int n_start_opts = ROWS(start_opts);

static const opt game_arg[] = {ROW_TEXT("GAME", AT(game), NULL, NULL,
                                        "Name of a game (see keiko games); with --resume it may be left out",
                                        .choices = "games")};

static const opt zero_opts[] = {
    ROW_TABLE(0, start_opts, n_start_opts, NULL),
    ROW_TABLE(offsetof(zero_options, az), az_opts, az_n_opts, NULL),
    ROW_TABLE(offsetof(zero_options, dist), dist_learner_opts, dist_learner_n_opts, NULL),
};

static const opt puyo_opts[] = {
    ROW_TABLE(0, start_opts, n_start_opts, NULL),
    ROW_TABLE(offsetof(dqn_options, dqn), dqn_opts, dqn_n_opts, NULL),
};

static const opt solo_opts[] = {
    ROW_TABLE(0, start_opts, n_start_opts, NULL),
    ROW_TABLE(offsetof(distil_options, distil), distil_opts, distil_n_opts, NULL),
};

// --debug, over the preset.
static const char debug_text[] = "in-flight = 8\nsims = 16\nround = 64\nfill = 100\nbatch = 32\ncheckpoint = 5\n"
                                 "eval-every = 20\neval-games = 4\nbuffer-min = 1000\nsteps = 60\n";

// --- what people see

static bool print_round(void *ctx, const train_state *z)
{
    (void)ctx;
    printf("round %" PRIu64 ": step %" PRIu64 ", %" PRIu64 " games, %" PRIu64 " positions", z->round, z->step, z->games,
           z->positions);
    if (z->sims > 0) printf(", %" PRIu64 " simulations", z->sims);
    printf(", loss %.4f", z->loss);
    if (z->sims > 0) printf(", batches %.0f %% full, %.0f %% from the cache", 100 * z->batch_fill, 100 * z->cache_hits);
    printf("\n");
    fflush(stdout);
    return true;
}

static void print_end(const start *o, const game *g, const train_result *r)
{
    const train_state *s = &r->s;
    char text[CLOCK_TEXT];
    double sum = s->seconds_play + s->seconds_learn + s->seconds_rate + s->seconds_save; // more with --async
    printf("%s at step %" PRIu64 ": %" PRIu64 " games, %" PRIu64 " positions",
           r->how == TRAIN_STOPPED ? "stopped" : "done", s->step, s->games, s->positions);
    if (s->sims > 0) printf(", %" PRIu64 " simulations", s->sims);
    printf(" in %s\n", clock_duration(r->seconds, text));
    if (o->resume && r->how != TRAIN_STOPPED && s->seconds_play + s->seconds_learn == 0)
        printf("the run was at its limit already; a later --minutes, --steps or --games lets it go on\n");
    else if (sum > 0)
        printf("time%s: self-play %.0f %%, learning %.0f %%, rating %.0f %%, saving %.0f %%\n",
               o->resume ? " since it was resumed" : "", 100 * s->seconds_play / sum, 100 * s->seconds_learn / sum,
               100 * s->seconds_rate / sum, 100 * s->seconds_save / sum);
    if (s->rated)
        printf("Elo %.0f (%.0f to %.0f) at step %" PRIu64 "%s, %s = 1000\n", s->elo, s->elo_low, s->elo_high,
               s->elo_step, s->elo_step < s->step ? " (the last network is not rated)" : "", s->anchor);
    cli_print_next(g, r->t->agent, o->run, r->how == TRAIN_STOPPED, s->updates > 0);
}

// --- the run

// The command's options are those of trainer `own`, and `config` is where they lie in `o`. `file` is the text of --config.
// `dist` NULL: all games are played here.
static err train(const start *o, const game *g, const trainer *own, size_t config, const char *method, char *file,
                 const dist_learner_options *dist)
{
    text_buf typed = {0};
    train_result r;
    const trainer *t;
    log_options lo = {.quiet = o->all.quiet,
                      .verbose = o->all.verbose,
                      .debug = o->all.debug,
                      .color = o->all.color,
                      .dir = o->all.logs}; // --logs takes the place of the run's own folder of logs
    err e = trainer_find(g, method, &t);
    if (e == ERR_OK && t != own)
        e = err_set(ERR_USAGE,
                    "%s is trained by %s, whose options are others: write keiko train %s first, options after it",
                    g->name, t->name, g->name);
    if (e == ERR_OK) e = opt_typed_text(o, config, own->table->size, &typed);
    if (e == ERR_OK) {
        stop_install(
            "\nsaving; Ctrl-C again to leave at once\n"); // before there is a folder that another could look at
        bool debug = o->all.debug && own->table == &az_table && !o->resume;
        const config_layer layers[] = {
            {"--debug", debug ? debug_text : NULL}, {o->config, file}, {"", text_str(&typed)}};
        e = train_run(&(train_request){.g = g,
                                       .method = own->name,
                                       .layers = layers,
                                       .n_layers = 3,
                                       .run = o->run,
                                       .resume = o->resume,
                                       .version = keiko_version(),
                                       .dist = dist,
                                       .log = &lo,
                                       .each = debug ? print_round : NULL},
                      &r);
    }
    if (e == ERR_OK && !o->all.quiet) print_end(o, g, &r);
    text_free(&typed);
    return e;
}

// The text of --config; it may name the library that holds the game.
static err read_config(const start *o, char **text)
{
    *text = NULL;
    err e = o->config == NULL ? ERR_OK : file_read(o->config, 1 << 20, text, NULL);
    return e == ERR_OK && *text != NULL ? err_prefix(plugin_from_config(*text), "%s", o->config) : e;
}

// The game that is named, or the one of the run that goes on.
static err find_game(const start *o, const game **g)
{
    run_info info;
    if (o->game != NULL) return game_find(o->game, g);
    if (!o->resume && run_info_read(&info, o->run) == ERR_OK)
        return err_set(ERR_USAGE, "%s holds a run of %s: add --resume to go on with it, or choose another folder",
                       o->run, info.game);
    if (!o->resume)
        return err_set(ERR_USAGE,
                       "say which game to train: keiko train GAME --run DIR ('keiko games' lists them); only "
                       "--resume takes it from the run");
    err e = run_info_read(&info, o->run);
    if (e == ERR_MISSING)
        return err_set(e, "%s holds no run to resume; begin one with keiko train GAME --run DIR", o->run);
    return e == ERR_OK ? err_prefix(game_find(info.game, g), "%s", o->run) : e;
}

// Options for workers elsewhere would be ignored without a server.
static err check_alone(const void *options)
{
    for (int i = 0; i < dist_learner_n_opts; i++)
        if (dist_learner_opts[i].name != NULL && opt_given(opt_values_of(options), dist_learner_opts[i].name))
            return err_set(ERR_USAGE, "--%s has no meaning without --nats", dist_learner_opts[i].name);
    return ERR_OK;
}

static int run_zero(const void *options_)
{
    const zero_options *o = options_;
    const game *g;
    const char *method = opt_given(opt_values_of(options_), "method") ? o->az.common.method : NULL;
    char *config;
    dist_learner_options dist = o->dist;
    dist.version = keiko_version();
    err e = read_config(&o->s, &config);
    if (e == ERR_OK) e = find_game(&o->s, &g);
    if (e == ERR_OK && dist.nats.url == NULL) e = check_alone(options_);
    if (e == ERR_OK)
        e = train(&o->s, g, trainer_at(0), offsetof(zero_options, az), method, config,
                  dist.nats.url != NULL ? &dist : NULL);
    free(config);
    return e == ERR_OK ? 0 : cli_fail("train");
}

static int run_puyo(const void *options_)
{
    const dqn_options *o = options_;
    const game *g;
    char *config;
    err e = read_config(&o->s, &config);
    if (e == ERR_OK) e = game_find("puyo", &g);
    if (e == ERR_OK) e = train(&o->s, g, trainer_at(1), offsetof(dqn_options, dqn), o->dqn.common.method, config, NULL);
    free(config);
    return e == ERR_OK ? 0 : cli_fail("train puyo");
}

static int run_solo(const void *options_)
{
    const distil_options *o = options_;
    const game *g;
    char *config;
    err e = read_config(&o->s, &config);
    if (e == ERR_OK) e = game_find("puyo-solo", &g);
    if (e == ERR_OK)
        e = train(&o->s, g, trainer_at(2), offsetof(distil_options, distil), o->distil.common.method, config, NULL);
    free(config);
    return e == ERR_OK ? 0 : cli_fail("train puyo-solo");
}

const command cmd_train = {
    CALLED("train", "Train a network by self-play"),
    .about =
        "Starts from random weights, or from --init. The network plays games against itself with tree search; search visits and game results become training targets; the trained network plays the next games (AlphaZero). For Puyo see keiko train puyo --help.\n\n"
        "DIR holds everything: config.txt, log.jsonl, TensorBoard events, checkpoints, the replay buffer, rated models (model_step_…_elo_….safetensors), best.safetensors and final.safetensors, the newest checkpoint's network. Ctrl-C saves and stops; --resume continues, also after a crash. On the CPU a run depends only on its options and seed, not on interruptions or the number of threads.\n\n"
        "With --nats the games come from workers on other machines (keiko worker) through a NATS server; docs/DISTRIBUTED.md explains it.\n\n"
        "The defaults below hold where the preset sets nothing. Without --preset it is fast, which sets most of them by the game (for example --sims 32 --gumbel 16 --in-flight 64 --eval-every 1000); DIR/config.txt lists what a run uses.\n\n"
        "--debug starts a very small run that prints every round.",
    .examples = "keiko train tictactoe --run /tmp/ttt --minutes 1\nkeiko train contrast --run runs/c1 --minutes 60\n"
                "keiko train --run runs/c1 --minutes 120 --resume  # train for another hour\n"
                "keiko train othello --run runs/seed --preset seed --steps 10000\n"
                "keiko train contrast --run runs/c2 --minutes 600 --nats nats://10.0.0.1:4222  # workers play",
    RUNS(run_zero, zero_options, WITH_ROWS(game_arg, zero_opts)),
};

const command cmd_train_puyo = {
    CALLED("train puyo", "Train a network for versus Puyo by deep Q-learning"),
    .about =
        "Plays many matches in parallel against copies of itself and other agents and learns Q-values (Double DQN, dueling head, n-step returns, prioritised replay). Evaluation plays greedily against fixed opponents. DIR holds config.txt, log.jsonl, TensorBoard files, checkpoints and final.safetensors. Ctrl-C saves a checkpoint; --resume continues.\n\n"
        "Play with the result as dqn:model=DIR/final.safetensors. It looks two placements ahead; search=1 looks one ahead, as in training; search=0 uses the network alone.\n\n"
        "Rewards: 'shaped' gives ±10 for a win or loss and a potential-based term that does not change the optimal policy; 'seed' adds all dense components. docs/train-puyo.md explains them, and keiko puyo rewards prints them move by move.",
    .examples = "keiko train puyo --run runs/p1 --minutes 30\n"
                "keiko train puyo --run runs/p1 --resume --minutes 60  # continue\n"
                "keiko train puyo --run runs/p2 --rewards seed --replay uniform --steps 1e6\n"
                "keiko puyo rewards 'greedy vs random' --rewards seed  # the rewards of each move\n"
                "keiko puyo evaluate dqn:model=runs/p1/final.safetensors --games 500",
    RUNS(run_puyo, dqn_options, WITH_OPTS(puyo_opts)),
};

const command cmd_train_puyo_solo = {
    CALLED("train puyo-solo", "Train a network to value Puyo placements as a beam search does"),
    .about =
        "Learns from files of labelled games (keiko puyo label): the network values the resolved field behind each placement, and the softmax of these values is fitted to the teacher's opinion of all placements. A share of the games is held out; the log and keiko report show how often the network chooses the teacher's placement there.\n\n"
        "DIR holds config.txt, log.jsonl, TensorBoard files, checkpoints and final.safetensors. Ctrl-C saves a checkpoint; --resume continues. Play with the result as afterstate:model=DIR/final.safetensors, alone or in matches. Then label its own games, and train again with --init and all files: docs/train-puyo.md.",
    .examples =
        "keiko train puyo-solo --run runs/s1 --data data/a.labels --minutes 9\n"
        "keiko train puyo-solo --run runs/s1 --resume --minutes 18  # continue\n"
        "keiko train puyo-solo --run runs/s2 --data 'data/a.labels;data/b.labels' --init runs/s1/final.safetensors --minutes 9",
    RUNS(run_solo, distil_options, WITH_OPTS(solo_opts)),
};
