// keiko tune: learn the numbers that ship.
#include "base/file.h"
#include "base/stop.h"
#include "cli/cli.h"
#include "learn/heldout_othello.h"
#include "learn/tune_contrast.h"
#include "learn/tune_othello.h"

#include <stdio.h>
#include <string.h>

enum { HELDOUT_GAMES = 800 }; // at --scale 1

typedef struct options {
    common all;
    const char *what, *out, *plot, *model, *backend, *from;
    int64_t seed, threads;
    double scale, minutes;
} options;

static const opt args[] = {
    {.name = "WHAT",
     .kind = OPT_CHOICE,
     .at = offsetof(options, what),
     .choices = "othello-patterns|othello-heldout|contrast",
     .required = true,
     .help = "what to learn"},
};

static const opt opts[] = {
    {.name = "out",
     .letter = 'o',
     .kind = OPT_FILE,
     .at = offsetof(options, out),
     .value = "FILE",
     .help = "where the result goes; models/othello-patterns.bin, othello-heldout.obf, contrast_weights.c"},
    {.name = "plot",
     .kind = OPT_FILE,
     .at = offsetof(options, plot),
     .value = "FILE",
     .help = "Othello: write the error on unseen games, by empties, as SVG"},
    {.name = "seed",
     .kind = OPT_INT,
     .at = offsetof(options, seed),
     .value = "N",
     .preset = "1",
     .help = "everything follows from it"},
    {.name = "threads",
     .letter = 't',
     .kind = OPT_INT,
     .at = offsetof(options, threads),
     .value = "N",
     .low = 0,
     .high = 256,
     .preset = "0",
     .help = "threads, 0 = one a core; the result is the same"},
    {.name = "scale",
     .kind = OPT_NUMBER,
     .at = offsetof(options, scale),
     .value = "X",
     .low = 1e-6,
     .high = 1000,
     .preset = "1",
     .help = "play X times as many games"},
    {.name = "minutes",
     .kind = OPT_NUMBER,
     .at = offsetof(options, minutes),
     .value = "M",
     .low = 0,
     .high = 100000,
     .preset = "0",
     .help = "Othello: finish within this time, with fewer games if need be; 0 = no limit"},
    {.name = "model",
     .kind = OPT_FILE,
     .at = offsetof(options, model),
     .value = "FILE",
     .help = "Othello: the network that labels positions; without it the one that ships"},
    {.name = "backend",
     .kind = OPT_CHOICE,
     .at = offsetof(options, backend),
     .value = "WHERE",
     .choices = "auto|cpu|cuda",
     .preset = "auto",
     .help = "Othello: what runs that network"},
    {.name = "from",
     .kind = OPT_FILE,
     .at = offsetof(options, from),
     .value = "FILE",
     .help = "Othello: start from these weights; the network is not needed then"},
};

static void say(void *ctx, const char *line)
{
    const options *o = ctx;
    if (o->all.quiet) return;
    printf("%s\n", line);
    fflush(stdout);
}

static void print_error(const tune_error *e)
{
    printf("empties  positions  mean error  rms, discs\n");
    for (int i = 1; i <= OTH_SQUARES; i++)
        if (e->n[i] > 0) printf("%7d  %9d  %10.2f  %5.2f\n", i, e->n[i], e->mean_abs[i], e->rms[i]);
}

static int run_contrast(const options *o)
{
    options copy = *o; // `say` takes a plain pointer
    const char *out = o->out != NULL ? o->out : "contrast_weights.c";
    ctr_tune t = ctr_tune_defaults();
    t.seed = (uint64_t)o->seed;
    t.threads = (int)o->threads;
    t.scale = o->scale;
    t.say = say;
    t.ctx = &copy;
    int16_t weights[CTR_WEIGHTS];
    text_buf text = {0};
    stop_install("stopping\n");
    err e = file_check_writable(out);
    if (e == ERR_OK) e = ctr_tune_all(&t, weights);
    if (e == ERR_OK) {
        ctr_tune_write(weights, &text);
        e = text_check(&text);
    }
    if (e == ERR_OK) e = file_write_atomic(out, text.data, text.len);
    text_free(&text);
    return e == ERR_OK ? 0 : cli_fail("tune");
}

static err save_weights(void *ctx, const oth_weights *w)
{
    const options *o = ctx;
    return oth_weights_save(w, o->out);
}

static int run_othello(const options *o)
{
    options copy = *o;
    const char *out = o->out != NULL ? o->out : "models/othello-patterns.bin";
    tune_options t = tune_defaults();
    t.seed = (uint64_t)o->seed;
    t.threads = (int)o->threads;
    t.scale = o->scale;
    t.minutes = o->minutes;
    t.model = o->model;
    t.backend = o->backend;
    t.say = say;
    t.ctx = &copy;
    t.save = save_weights;
    copy.out = out;
    oth_weights *w = NULL, *from = NULL;
    tune_error error;
    stop_install("stopping\n");
    err e = file_check_writable(out);
    if (e == ERR_OK && o->from != NULL) e = oth_weights_load(&from, o->from);
    t.from = from;
    if (e == ERR_OK && o->plot != NULL) e = file_check_writable(o->plot);
    if (e == ERR_OK) e = tune_othello(&t, &w, &error);
    if (e == ERR_OK && o->plot != NULL) {
        text_buf svg = {0};
        e = tune_error_svg(&error, &svg);
        if (e == ERR_OK) e = file_write_atomic(o->plot, svg.data, svg.len);
        text_free(&svg);
    }
    oth_weights_free(w);
    oth_weights_free(from);
    if (e != ERR_OK) return cli_fail("tune");
    if (!o->all.quiet) print_error(&error);
    return 0;
}

static int run_heldout(const options *o)
{
    const char *out = o->out != NULL ? o->out : "othello-heldout.obf";
    heldout_options h = {.seed = (uint64_t)o->seed, .games = (int)(HELDOUT_GAMES * o->scale)};
    text_buf text = {0};
    stop_install("stopping\n");
    err e = file_check_writable(out);
    h.threads = pool_new((int)o->threads);
    if (!o->all.quiet)
        h.bar = progress_new(&(progress_options){
            .label = "heldout", .unit = "games", .total = (uint64_t)h.games, .color = o->all.color});
    if (e == ERR_OK) e = heldout_othello(&h, &text);
    if (h.bar != NULL) progress_finish(h.bar);
    if (e == ERR_OK) e = file_write_atomic(out, text.data, text.len);
    text_free(&text);
    pool_free(h.threads);
    return e == ERR_OK ? 0 : cli_fail("tune");
}

static int run(const void *options_)
{
    const options *o = options_;
    if (strcmp(o->what, "othello-heldout") == 0) return run_heldout(o);
    return strcmp(o->what, "contrast") == 0 ? run_contrast(o) : run_othello(o);
}

const command cmd_tune = {
    .name = "tune",
    .summary = "learn weights by self-play",
    .about =
        "othello-patterns: the pattern evaluation of Othello. A network labels positions of games that it plays; then "
        "our search plays games with what was learned from these, and exact endgames; regression over all. With the "
        "CPU "
        "backend the same seed and scale give the same file, whatever the threads.\n\n"
        "othello-heldout: positions of games between varied players with exact scores at 20 empties and the values of "
        "a "
        "16-ply search at 28 to 44, to measure an evaluation by (keiko verify othello-values). 800 games at --scale "
        "1.\n\n"
        "contrast: the evaluation of Contrast's engine, from nothing, by five generations of self-play and logistic "
        "regression; written as the C file that the engine is built with.\n\n"
        "The weights of the Puyo beam have a command of their own: keiko tune puyo-beam.",
    .examples = "keiko tune othello-patterns --plot error.svg\nkeiko tune othello-patterns --backend cuda "
                "--minutes 8\nkeiko tune othello-patterns --scale 0.0002 -o small.bin  # a quick try",
    .args = args,
    .n_args = COUNT(args),
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
