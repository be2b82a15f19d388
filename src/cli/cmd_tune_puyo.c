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

#define AT(field) offsetof(options, field)
static const opt opts[] = {
    ROW_INT("width", AT(width), "N", "40", 1, PUYO_BEAM_WIDTH_MAX, "Beam width while tuning"),
    ROW_INT("depth", AT(depth), "N", "10", 1, PUYO_BEAM_DEPTH_MAX, "Beam depth while tuning"),
    ROW_INT("samples", AT(samples), "N", "2", 1, PUYO_BEAM_SAMPLES_MAX, "Sampled futures while tuning"),
    ROW_INT("moves", AT(moves), "N", "50", 1, 1000, "Pairs per game"),
    ROW_INT("games", AT(games), "N", "60", 1, 10000, "Games per direction and round"),
    ROW_INT("rounds", AT(rounds), "N", "40", 1, 100000, "Number of rounds"),
    ROW_INT("first", AT(first), "N", "0", 0, 100000, "Number of the first round (to continue)"),
    ROW_INT("seed", AT(seed), "N", "1", 0, 1e15, "Random seed"),
    ROW_INT("threads", AT(threads), "N", "0", 0, 256, "Number of threads; 0 = one per core", .letter = 't'),
    ROW_NUMBER("spread", AT(spread), "X", "0.2", 0.01, 1, "Size of the perturbation, relative to each weight"),
    ROW_NUMBER("rate", AT(rate), "X", "0.05", 0.001, 1, "Step size, relative to each weight"),
    ROW_TEXT("weights", AT(weights), "K=V,…", "", "Weights to start from; others keep their built-in values"),
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
// clang-format off
static const opt weight_opts[] = {
#define W(name_, preset_, help_) ROW_NUMBER(#name_, AT_##name_ * sizeof(double), "N", TEXT_OF(preset_), -100000, 100000, help_),
    PUYO_WEIGHTS(W)
#undef W
};
// clang-format on

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
    CALLED("tune puyo-beam", "Tune the weights of the Puyo beam search"),
    .about =
        "Tunes by simultaneous perturbation: each round plays solo games with the weights shifted in one random direction and in the opposite one, and moves towards the better result. The same options give the same weights with any number of threads. To continue after an interruption, pass the last printed weights and the next round's number.",
    .examples = "keiko tune puyo-beam --rounds 100\n"
                "keiko tune puyo-beam --first 40 --weights 'height=143.2,key=-260' --rounds 40",
    RUNS(run, options, WITH_OPTS(opts)),
};
