// keiko train: learn a game from nothing by self-play.
#include "base/clock.h"
#include "base/stop.h"
#include "cli/cli.h"
#include "keiko.h"
#include "learn/zero/az.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct options {
    common all;
    const char *game, *run, *preset, *backend, *config;
    int64_t steps, games, evaluations, threads, seed;
    double minutes;
    bool resume;
    az_config az;
    char net[NN_TEXT]; // of --init's file
} options;

static const opt args[] = {ARG_GAME(options, true)};

#define AT(f) offsetof(options, az.f)
static const opt opts[] = {
    {.name = "run",
     .kind = OPT_DIR,
     .at = offsetof(options, run),
     .value = "DIR",
     .required = true,
     .help = "the folder of this run: options, curves, checkpoints, models"},
    {.name = "preset",
     .kind = OPT_CHOICE,
     .at = offsetof(options, preset),
     .value = "NAME",
     .preset = "fast",
     .choices = "seed|fast|strong",
     .help = "a set of options to begin with, instead of the defaults shown below; those given beside it win, and "
             "DIR/config.txt has what a run uses"},
    {.name = "minutes",
     .kind = OPT_NUMBER,
     .at = offsetof(options, minutes),
     .value = "M",
     .low = 0,
     .high = 1e7,
     .help = "train so long, starts before a --resume counted"},
    {.name = "steps",
     .kind = OPT_INT,
     .at = offsetof(options, steps),
     .value = "N",
     .low = 0,
     .high = 1e12,
     .help = "or until so many training steps are done"},
    {.name = "games",
     .kind = OPT_INT,
     .at = offsetof(options, games),
     .value = "N",
     .low = 0,
     .high = 1e12,
     .help = "or until so many games are played"},
    {.name = "evaluations",
     .kind = OPT_INT,
     .at = offsetof(options, evaluations),
     .value = "N",
     .low = 0,
     .high = 1e15,
     .help = "or until self-play has made so many simulations (to compare options fairly)"},
    {.name = "resume",
     .kind = OPT_FLAG,
     .at = offsetof(options, resume),
     .help = "go on with the run in DIR, with its options; limits may be given anew"},
    {.name = "backend",
     .kind = OPT_CHOICE,
     .at = offsetof(options, backend),
     .value = "WHERE",
     .preset = "auto",
     .choices = "auto|cpu|cuda",
     .help = "what runs the network; the same run on the CPU gives the same bytes"},
    {.name = "threads",
     .letter = 't',
     .kind = OPT_INT,
     .at = offsetof(options, threads),
     .value = "N",
     .preset = "0",
     .low = 0,
     .high = 256,
     .help = "threads, 0 = one a core; on the CPU backend the result is the same"},
    {.name = "config",
     .kind = OPT_FILE,
     .at = offsetof(options, config),
     .value = "FILE",
     .help = "lines 'option = value'; between the preset and the command line"},
    OPT_SEED(options),
    AZ_OPTS(AT),
};

// What belongs to one start rather than to the run.
static const char *const not_kept[] = {"run", "resume", "config", "preset", "threads", "backend", "window", NULL};

static const char debug_text[] = "in-flight = 8\nsims = 16\nround = 64\nfill = 100\nbatch = 32\ncheckpoint = 5\n"
                                 "eval-every = 20\neval-games = 4\nwindow-least = 1000\n";

// The run's own options. A limit given now takes the place of those it had.
static err resume_options(options *o, opt_values *keep)
{
    bool anew = opt_given(keep, "minutes") || opt_given(keep, "steps") || opt_given(keep, "games") ||
                opt_given(keep, "evaluations");
    options typed = *o;
    err e = run_config_load(o->run, NULL, 0, NULL, keep);
    if (e != ERR_OK || !anew) return e;
    o->minutes = typed.minutes;
    o->steps = typed.steps;
    o->games = typed.games;
    o->evaluations = typed.evaluations;
    return ERR_OK;
}

// A network to begin with says itself what it is; what was typed beside it is left to be compared.
static err describe_init(options *o, const game *g, bool net_typed, bool encoding_typed)
{
    nn_net *net;
    const encoding *enc;
    if (o->az.init == NULL || *o->az.init == 0) return ERR_OK;
    err e = az_init_net(g, o->az.init, &net, &enc);
    if (e != ERR_OK) return e;
    if (!net_typed) {
        nn_desc_print(&net->desc, o->net, sizeof o->net);
        o->az.net = o->net;
    }
    if (!encoding_typed) o->az.encoding = enc->name;
    nn_net_free(net);
    return ERR_OK;
}

// Preset, then the config file; on a resume the run's own options instead. What was typed always wins.
static err settle(options *o, const game *g, opt_values *keep)
{
    const char *text;
    char path[FILE_PATH];
    bool net_typed = opt_given(keep, "net"), encoding_typed = opt_given(keep, "encoding");
    err e = file_join(path, sizeof path, o->run, "config.txt");
    if (e == ERR_OK && o->resume) e = run_is_of(o->run, g->name, "zero"); // another's options would be called unknown
    // A run killed in its first moment may have none yet: it has nothing but its preset either.
    if (e == ERR_OK && o->resume && file_exists(path)) return resume_options(o, keep);
    if (e == ERR_OK) e = az_preset(g, o->preset, &text);
    if (e == ERR_OK) e = opt_config_text(NULL, 0, NULL, o->preset, text, strlen(text), keep);
    if (e == ERR_OK && o->all.debug)
        e = opt_config_text(NULL, 0, NULL, "--debug", debug_text, sizeof debug_text - 1, keep);
    if (e == ERR_OK && o->config != NULL) e = opt_config_file(NULL, 0, NULL, o->config, keep);
    return e == ERR_OK ? describe_init(o, g, net_typed, encoding_typed) : e;
}

static bool print_round(void *ctx, const az_state *z)
{
    (void)ctx;
    printf("round %" PRIu64 ": step %" PRIu64 ", %" PRIu64 " games, %" PRIu64 " positions, %" PRIu64
           " simulations, loss %.4f, batches %.0f %% full, %.0f %% from the cache\n",
           z->round, z->step, z->games, z->positions, z->sims, z->loss, 100 * z->batch_fill, 100 * z->cache_hits);
    fflush(stdout);
    return true;
}

static void print_end(const options *o, const az_state *s, az_end how, double seconds)
{
    char text[CLOCK_TEXT];
    double sum = s->seconds_play + s->seconds_learn + s->seconds_rate + s->seconds_save; // more with a learner beside
    if (o->all.quiet) return;
    printf("%s at step %" PRIu64 ": %" PRIu64 " games, %" PRIu64 " positions, %" PRIu64 " simulations in %s\n",
           how == AZ_STOPPED ? "stopped" : "done", s->step, s->games, s->positions, s->sims,
           clock_duration(seconds, text));
    if (sum > 0)
        printf("time%s: self-play %.0f %%, learning %.0f %%, rating %.0f %%, saving %.0f %%\n",
               o->resume ? " since it was resumed" : "", 100 * s->seconds_play / sum, 100 * s->seconds_learn / sum,
               100 * s->seconds_rate / sum, 100 * s->seconds_save / sum);
    if (s->rated) printf("Elo %.0f (%.0f to %.0f), %s = 1000\n", s->elo, s->elo_low, s->elo_high, o->az.anchor);
    cli_print_next(o->game, "zero", o->run,
                   how == AZ_STOPPED ? CLI_STOPPED
                   : s->step == 0    ? CLI_UNTRAINED
                                     : CLI_TRAINED);
}

static err train(options *o, const game *g)
{
    log_options lo = {.quiet = o->all.quiet, .verbose = o->all.verbose, .debug = o->all.debug, .color = o->all.color};
    run_home *home = NULL;
    az_state s;
    az_end how;
    az_options ao = {.g = g,
                     .c = &o->az,
                     .seed = (uint64_t)o->seed,
                     .threads = (int)o->threads,
                     .backend = o->backend,
                     .minutes = o->minutes,
                     .steps = (uint64_t)o->steps,
                     .games = (uint64_t)o->games,
                     .evaluations = (uint64_t)o->evaluations,
                     .each = o->all.debug ? print_round : NULL};
    err e = az_check(&ao);
    if (e != ERR_OK) return e;
    e = run_open(&home, &(run_options){.dir = o->run,
                                       .game = g->name,
                                       .algo = "zero",
                                       .version = keiko_version(),
                                       .resume = o->resume,
                                       .opts = opts,
                                       .n_opts = COUNT(opts),
                                       .values = o,
                                       .skip = not_kept,
                                       .log = &lo});
    if (e != ERR_OK) return e;
    stop_install("saving; Ctrl-C again to leave at once\n");
    ao.home = home;
    e = az_train(&ao, &s, NULL, &how);
    if (e == ERR_OK) e = RUN_LOG(home, "done", (int64_t)s.step, RUN_T("why", how == AZ_STOPPED ? "stopped" : "limit"));
    double seconds = run_seconds(home);
    run_close(home);
    if (e == ERR_OK) print_end(o, &s, how, seconds);
    return e;
}

static int run(const void *options_)
{
    options *o = (options *)(uintptr_t)options_; // presets and config files are filled in behind the command line
    opt_values *keep = (opt_values *)(uintptr_t)opt_values_of(options_);
    const game *g;
    err e = game_find(o->game, &g);
    if (e == ERR_OK) e = settle(o, g, keep);
    if (e == ERR_OK && o->minutes <= 0 && o->steps == 0 && o->games == 0 && o->evaluations == 0) {
        if (o->all.debug)
            o->steps = 60;
        else
            e = err_set(ERR_USAGE, "say how long to train: --minutes, --steps or --games");
    }
    if (e == ERR_OK) e = train(o, g);
    return e == ERR_OK ? 0 : cli_fail("train");
}

const command cmd_train = {
    .name = "train",
    .summary = "learn a game by self-play (AlphaZero)",
    .about =
        "Starts with a network that knows nothing, or with --init's. Games in flight are searched with it, their visit "
        "counts and "
        "results "
        "become targets, the network learns, and the next round is played with the better one.\n\n"
        "DIR keeps everything: config.txt, log.jsonl, TensorBoard events, checkpoints, the replay window, rated models "
        "(model_step_…_elo_….safetensors), best.safetensors and, at the end, final.safetensors. Ctrl-C saves and ends; "
        "--resume goes on, also after a crash. On the CPU backend a run is a function of its options and its seed, "
        "however often it was interrupted and whatever the number of threads.\n\n"
        "--debug is a tiny run in which every round is printed.",
    .examples = "keiko train tictactoe --run /tmp/ttt --minutes 1\nkeiko train contrast --run runs/c1 --minutes 60\n"
                "keiko train contrast --run runs/c1 --minutes 120 --resume  # another hour\n"
                "keiko train othello --run runs/seed --preset seed --steps 10000",
    .args = args,
    .n_args = COUNT(args),
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
