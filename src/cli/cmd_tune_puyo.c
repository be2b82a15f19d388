// keiko tune puyo-beam: the weights of the beam's evaluation, found by playing.
#include "base/stop.h"
#include "base/text.h"
#include "cli/cli.h"
#include "learn/tune/tune_puyo.h"

#include <math.h>
#include <stdio.h>

typedef struct options {
    common all;
    int64_t width, depth, samples, moves, games, first, rounds, seed, threads;
    double spread, rate;
    const char *weights;
} options;

#define NUMBER(field, preset_, low_, high_, help_)                                                                     \
    {                                                                                                                  \
        .name = #field, .kind = OPT_INT, .at = offsetof(options, field), .value = "N", .preset = preset_, .low = low_, \
        .high = high_, .help = help_                                                                                   \
    }
static const opt opts[] = {
    NUMBER(width, "40", 1, PUYO_BEAM_WIDTH_MAX, "of the beam while tuning"),
    NUMBER(depth, "10", 1, PUYO_BEAM_DEPTH_MAX, "of the beam while tuning"),
    NUMBER(samples, "2", 1, PUYO_BEAM_SAMPLES_MAX, "futures while tuning"),
    NUMBER(moves, "50", 1, 1000, "pairs to place in a game"),
    NUMBER(games, "60", 1, 10000, "games in each of the two plays of a round"),
    NUMBER(rounds, "40", 1, 100000, "rounds"),
    NUMBER(first, "0", 0, 100000, "number of the first round, to go on from printed weights"),
    NUMBER(seed, "1", 0, 1e15, "of the draws"),
    NUMBER(threads, "0", 0, 256, "threads, 0 = one a core"),
    {.name = "spread",
     .kind = OPT_NUMBER,
     .at = offsetof(options, spread),
     .value = "X",
     .preset = "0.2",
     .low = 0.01,
     .high = 1,
     .help = "how far weights are moved to try, as a part of their size"},
    {.name = "rate",
     .kind = OPT_NUMBER,
     .at = offsetof(options, rate),
     .value = "X",
     .preset = "0.05",
     .low = 0.001,
     .high = 1,
     .help = "how far they go for a result as clear as its noise"},
    {.name = "weights",
     .kind = OPT_TEXT,
     .at = offsetof(options, weights),
     .value = "K=V,…",
     .preset = "",
     .help = "weights to start from, the others as built in"},
};

typedef struct start {
    double weight[TUNE_PUYO_WEIGHTS];
} start;

enum {
#define W(name, preset, help) AT_##name,
    PUYO_WEIGHTS(W)
#undef W
};
#define TEXT_OF(x) #x
static const opt weight_opts[] = {
#define W(name_, preset_, help_)                                                                                       \
    {.name = #name_,                                                                                                   \
     .kind = OPT_NUMBER,                                                                                               \
     .at = AT_##name_ * sizeof(double),                                                                                \
     .value = "N",                                                                                                     \
     .preset = TEXT_OF(preset_),                                                                                       \
     .low = -100000,                                                                                                   \
     .high = 100000,                                                                                                   \
     .help = help_},
    PUYO_WEIGHTS(W)
#undef W
};

static void print_weights(const double *w, const char *format)
{
    for (int i = 0; i < TUNE_PUYO_WEIGHTS; i++) {
        printf("%s%s=", i > 0 ? "," : "", tune_puyo_names[i]);
        printf(format, w[i]);
    }
    printf("\n");
}

static bool report(void *ctx, const tune_puyo_round *r)
{
    tune_puyo_round *last = ctx;
    *last = *r;
    printf("round %d: %.0f against %.0f\n  weights ", r->round, r->plus, r->minus);
    print_weights(r->weight, "%.3f");
    fflush(stdout);
    return !stop_requested();
}

static int run(const void *options_)
{
    const options *o = options_;
    start s;
    err e = opt_defaults(weight_opts, COUNT(weight_opts), &s);
    if (e == ERR_OK) e = opt_pairs(weight_opts, COUNT(weight_opts), &s, o->weights, "--weights", NULL);
    if (e != ERR_OK) return cli_fail("tune puyo-beam");
    stop_install(NULL);
    tune_puyo t = {.search = {.width = (int)o->width,
                              .depth = (int)o->depth,
                              .samples = (int)o->samples,
                              .colours = 4,
                              .reach = true,
                              .lose = PY_LOSE_TSU,
                              .prune = 5000,
                              .patience = 95},
                   .visible = 2,
                   .moves = (int)o->moves,
                   .games = (int)o->games,
                   .first = (int)o->first,
                   .rounds = (int)(o->first + o->rounds),
                   .seed = (uint64_t)o->seed,
                   .spread = o->spread,
                   .rate = o->rate};
    tune_puyo_round last = {0};
    pool *p = o->threads == 1 ? NULL : pool_new((int)o->threads);
    e = tune_puyo_run(&t, s.weight, p, report, &last);
    pool_free(p);
    if (e != ERR_OK && e != ERR_STOPPED) return cli_fail("tune puyo-beam");
    if (last.plus == 0 && last.minus == 0) {
        printf("stopped before a round was done\n");
        return 1;
    }
    printf("mean of the later half of the rounds:\n  ");
    print_weights(last.average, "%.0f");
    return e == ERR_STOPPED ? 1 : 0;
}

const command cmd_tune_puyo = {
    .name = "tune puyo-beam",
    .summary = "tune the weights of the Puyo beam search",
    .about =
        "Plays building games with the weights moved a little one way and the other way, and follows the side that "
        "builds the larger chains, round after round. The same options give the same weights, whatever the threads. "
        "To go on after an interruption, give the weights printed last and the number of the next round.",
    .examples = "keiko tune puyo-beam --rounds 100\n"
                "keiko tune puyo-beam --first 40 --weights 'height=143.2,key=-260' --rounds 40",
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
