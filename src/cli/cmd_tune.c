// keiko tune: learn the numbers that ship.
#include "base/clock.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/stop.h"
#include "cli/cli.h"
#include "learn/tune/book_othello.h"
#include "learn/tune/heldout_othello.h"
#include "learn/tune/probcut_othello.h"
#include "learn/tune/tune_contrast.h"
#include "learn/tune/tune_openings.h"
#include "learn/tune/tune_othello.h"
#include "learn/tune/tune_renju.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELDOUT_GAMES = 800, PROBCUT_GAMES = 400, BOOK_POSITIONS = 2000, BOOK_DEPTH = 16 }; // at --scale 1

typedef struct options {
    common all;
    const char *what, *out, *plot, *model, *backend, *from, *rule;
    int64_t seed, threads;
    double scale, minutes;
} options;

#define AT(field) offsetof(options, field)
static const opt args[] = {
    ROW_CHOICE(
        "WHAT", AT(what), NULL, NULL,
        "othello-patterns|othello-heldout|othello-probcut|othello-book|contrast|renju|renju-values|renju-openings",
        "What to tune", .required = true),
};

static const opt opts[] = {
    ROW_FILE(
        "out", AT(out), NULL,
        "File to write; default: models/othello-patterns.bin, othello-heldout.obf, oth_spread.c, othello-book.txt, contrast_weights.c, renju_weights.c (renju, renju-values) or renju_openings.c",
        .letter = 'o'),
    ROW_FILE("plot", AT(plot), NULL,
             "Othello: write a chart (SVG) of the error on held-out games by number of empty squares"),
    ROW_INT("seed", AT(seed), "N", "1", 0, 0, "Random seed; the same seed gives the same weights"),
    ROW_INT("threads", AT(threads), "N", "0", 0, 256, "Number of threads; 0 = one per core. Does not change the result",
            .letter = 't'),
    ROW_NUMBER("scale", AT(scale), "X", "1", 1e-6, 1000, "Multiply the number of games by X"),
    ROW_NUMBER(
        "minutes", AT(minutes), "M", "0", 0, 100000,
        "othello-patterns: finish within this time, with fewer games if need be; renju-openings: begin no line of a game after it, with fewer lines if need be; 0 = no limit"),
    ROW_FILE(
        "model", AT(model), NULL,
        "othello-patterns, renju-values: network that values positions; default: the built-in network of the game"),
    ROW_CHOICE("backend", AT(backend), "WHERE", "auto", "auto|cpu|cuda", "Othello: what runs the network"),
    ROW_CHOICE(
        "rule", AT(rule), "GAME", NULL, "renju|gomoku|freestyle|freestyle20",
        "renju-openings, renju-values: for this game only (freestyle and freestyle20 have the same values); default: for all"),
    ROW_FILE("from", AT(from), NULL,
             "Othello: start from these weights, or from nothing (none); the network is not needed then"),
};

static void say(void *ctx, const char *line)
{
    const options *o = ctx;
    if (!o->all.quiet) cli_line(NULL, line);
}

static void print_error(const tune_error *e)
{
    printf("empties  positions  mean error  rms, discs\n");
    for (int i = 1; i <= OTH_SQUARES; i++)
        if (e->n[i] > 0) printf("%7d  %9d  %10.2f  %5.2f\n", i, e->n[i], e->mean_abs[i], e->rms[i]);
}

static err make_contrast(options *o, text_buf *out)
{
    ctr_tune t = ctr_tune_defaults();
    t.seed = (uint64_t)o->seed;
    t.threads = (int)o->threads;
    t.scale = o->scale;
    t.say = say;
    t.ctx = o;
    t.bar = cli_progress(&o->all, "tune", NULL, ctr_tune_work(&t));
    int16_t weights[CTR_WEIGHTS];
    err e = ctr_tune_all(&t, weights);
    progress_finish(t.bar);
    if (e == ERR_OK) ctr_tune_write(weights, out);
    return e;
}

static err make_renju(options *o, text_buf *out)
{
    rj_tune t = {.seed = (uint64_t)o->seed, .threads = (int)o->threads, .scale = o->scale, .say = say, .ctx = o};
    rj_weights *w = calloc(3, sizeof *w);
    err e = w == NULL ? err_set(ERR_MEMORY, "no memory for weights") : ERR_OK;
    t.bar = cli_progress(&o->all, "tune", NULL, 3 * rj_tune_work(&t, false));
    for (int rule = 0; e == ERR_OK && rule < 3; rule++) e = rj_tune_rule(&t, (rj_rule)rule, &w[rule]);
    progress_finish(t.bar);
    if (e == ERR_OK) rj_tune_write(w, out);
    free(w);
    return e;
}

static err make_renju_values(options *o, text_buf *out)
{
    rj_tune t = {.seed = (uint64_t)o->seed, .threads = (int)o->threads, .scale = o->scale, .say = say, .ctx = o};
    t.model = o->model;
    if (o->model != NULL && o->rule == NULL)
        return err_set(ERR_USAGE, "a network is of one game: add --rule with the game of --model");
    bool wanted[3] = {false};
    for (int v = 0; v < RJ_VARIANTS; v++)
        wanted[rj_variants[v].rule] |= o->rule == NULL || strcmp(o->rule, rj_variants[v].name) == 0;
    int rules = wanted[0] + wanted[1] + wanted[2];
    rj_weights *w = malloc(3 * sizeof *w);
    err e = w == NULL ? err_set(ERR_MEMORY, "no memory for weights") : ERR_OK;
    if (e == ERR_OK) memcpy(w, rj_weights_of, 3 * sizeof *w);
    t.bar = cli_progress(&o->all, "tune", NULL, (uint64_t)rules * rj_tune_work(&t, true));
    for (int rule = 0; e == ERR_OK && rule < 3; rule++)
        if (wanted[rule]) e = rj_tune_by_network(&t, (rj_rule)rule, &rj_weights_of[rule], &w[rule]);
    progress_finish(t.bar);
    if (e == ERR_OK) rj_tune_write(w, out);
    free(w);
    return e;
}

// The file is written after each game's lines.
static err write_openings(const options *o, rj_lines_tune *t)
{
    text_buf made[RJ_VARIANTS] = {0}, file = {0};
    const char *lines[RJ_VARIANTS];
    int lock = -1;
    err e = file_lock(&lock, t->journal, "give another --out");
    if (e == ERR_OK) e = rj_lines_begin(t);
    for (int v = 0; e == ERR_OK && v < RJ_VARIANTS; v++) {
        const game *g;
        e = game_find(rj_variants[v].name, &g);
        if (e == ERR_OK) lines[v] = g->openings->even; // stays where the rule is not asked for, or not done yet
    }
    for (int v = 0; e == ERR_OK && v < RJ_VARIANTS; v++) {
        if (o->rule != NULL && strcmp(o->rule, rj_variants[v].name) != 0) continue;
        if (o->minutes > 0) t->deadline = clock_seconds() + 60 * o->minutes;
        e = rj_tune_openings(t, v, &made[v]);
        if (e != ERR_OK) break;
        lines[v] = text_str(&made[v]);
        text_clear(&file);
        rj_openings_write(lines, &file);
        e = text_check(&file);
        if (e == ERR_OK) e = file_write_atomic(o->out, file.data, file.len);
    }
    for (int v = 0; v < RJ_VARIANTS; v++) text_free(&made[v]);
    text_free(&file);
    file_unlock(lock);
    return e;
}

static err make_openings(options *o, text_buf *out)
{
    (void)out;
    text_buf journal = {0};
    text_printf(&journal, "%s.journal", o->out);
    rj_lines_tune t = {.seed = (uint64_t)o->seed, .threads = (int)o->threads, .say = say, .ctx = o};
    t.want = (int)(200 * o->scale) > 0 ? (int)(200 * o->scale) : 1;
    t.journal = text_str(&journal);
    err e = text_check(&journal);
    if (e == ERR_OK) e = write_openings(o, &t);
    text_free(&journal);
    return e;
}

static err save_weights(void *ctx, const oth_weights *w)
{
    const options *o = ctx;
    return oth_weights_save(w, o->out);
}

static err load_start(const char *file, oth_weights **from)
{
    if (file == NULL) return ERR_OK;
    if (strcmp(file, "none") != 0) return oth_weights_load(from, file);
    *from = calloc(1, sizeof **from);
    return *from != NULL ? ERR_OK : err_set(ERR_MEMORY, "no memory for weights");
}

static err make_patterns(options *o, text_buf *out)
{
    (void)out; // save_weights writes the file
    tune_options t = tune_defaults();
    t.seed = (uint64_t)o->seed;
    t.threads = (int)o->threads;
    t.scale = o->scale;
    t.minutes = o->minutes;
    t.model = o->model;
    t.backend = o->backend;
    t.say = say;
    t.ctx = o;
    t.save = save_weights;
    oth_weights *w = NULL, *from = NULL;
    tune_error error;
    err e = load_start(o->from, &from);
    t.from = from;
    if (e == ERR_OK && o->plot != NULL) e = file_check_writable(o->plot);
    if (e == ERR_OK) e = tune_othello(&t, &w, &error);
    if (e == ERR_OK && o->plot != NULL) {
        text_buf svg = {0};
        e = tune_error_svg(&error, &svg);
        if (e == ERR_OK) e = file_write_atomic(o->plot, svg.data, svg.len);
        text_free(&svg);
    }
    if (e == ERR_OK && !o->all.quiet) print_error(&error);
    oth_weights_free(w);
    oth_weights_free(from);
    return e;
}

static int scaled(const options *o, int n)
{
    int s = (int)(n * o->scale);
    return s > 1 ? s : 1;
}

static err make_heldout(options *o, text_buf *out)
{
    heldout_options h = {.seed = (uint64_t)o->seed, .games = (int)(HELDOUT_GAMES * o->scale)};
    h.threads = pool_new((int)o->threads);
    h.bar = cli_progress(&o->all, "heldout", "games", (uint64_t)h.games);
    err e = heldout_othello(&h, out);
    progress_finish(h.bar);
    pool_free(h.threads);
    return e;
}

// The weights of --from, which the caller frees, or the built-in ones.
static err weights_of(const options *o, oth_weights **from, const oth_weights **weights)
{
    err e = o->from != NULL ? oth_weights_load(from, o->from) : ERR_OK;
    *weights = *from != NULL ? *from : oth_weights_shipped();
    return e == ERR_OK && *weights == NULL ? ERR_MISSING : e;
}

static err make_probcut(options *o, text_buf *out)
{
    probcut_options p = {.seed = (uint64_t)o->seed, .games = scaled(o, PROBCUT_GAMES), .depth = OTH_SPREAD_DEPTH};
    oth_weights *from = NULL;
    oth_spread_table table;
    err e = weights_of(o, &from, &p.weights);
    p.threads = pool_new((int)o->threads);
    p.bar = cli_progress(&o->all, "probcut", "games", (uint64_t)p.games);
    if (e == ERR_OK) e = probcut_othello(&p, &table);
    progress_finish(p.bar);
    if (e == ERR_OK) e = probcut_write(&table, p.games, out);
    pool_free(p.threads);
    oth_weights_free(from);
    return e;
}

static err make_book(options *o, text_buf *out)
{
    book_options k = {.seed = (uint64_t)o->seed, .positions = scaled(o, BOOK_POSITIONS), .depth = BOOK_DEPTH};
    oth_weights *from = NULL;
    oth_book book = {0};
    err e = weights_of(o, &from, &k.weights);
    k.threads = pool_new((int)o->threads);
    k.bar = cli_progress(&o->all, "book", "positions", (uint64_t)k.positions);
    if (e == ERR_OK) e = book_othello(&k, &book);
    progress_finish(k.bar);
    if (e == ERR_OK) e = oth_book_write(&book, out);
    oth_book_free(&book);
    pool_free(k.threads);
    oth_weights_free(from);
    return e;
}

#define KEPT "stopping: judged lines are kept; the same command continues\n"
static const struct tuning {
    const char *what, *file;
    err (*make)(options *o, text_buf *out); // `out` is what the file will hold; empty: it was written already
    const char *stopping;                   // what Ctrl-C says
} tunings[] = {
    {"othello-patterns", "models/othello-patterns.bin", make_patterns, "stopping\n"},
    {"othello-heldout", "othello-heldout.obf", make_heldout, "stopping\n"},
    {"othello-probcut", "oth_spread.c", make_probcut, "stopping\n"},
    {"othello-book", "othello-book.txt", make_book, "stopping\n"},
    {"contrast", "contrast_weights.c", make_contrast, "stopping\n"},
    {"renju", "renju_weights.c", make_renju, "stopping\n"},
    {"renju-values", "renju_weights.c", make_renju_values, "stopping\n"},
    {"renju-openings", "renju_openings.c", make_openings, KEPT},
};

static int run(const void *options_)
{
    options o = *(const options *)options_;
    const struct tuning *t = tunings;
    while (strcmp(t->what, o.what) != 0) t++; // one of the row's choices
    if (o.out == NULL) o.out = t->file;
    text_buf text = {0};
    stop_install(t->stopping);
    err e = file_check_writable(o.out);
    if (e == ERR_OK) e = t->make(&o, &text);
    if (e == ERR_OK) e = text_check(&text);
    if (e == ERR_OK && text.len > 0) e = file_write_atomic(o.out, text.data, text.len);
    text_free(&text);
    return e == ERR_OK ? 0 : cli_fail("tune");
}

const command cmd_tune = {
    CALLED("tune", "Tune the weights of an evaluation function by self-play"),
    .about =
        "Makes what the engines play with (evaluations, opening books, opening sets) by self-play, and writes it to a file. You only need it to change an engine, except for othello-book.\n\n"
        "othello-patterns: the pattern evaluation of Othello. First a network plays games and labels their positions; then the search plays games with weights learned from these, with exact endgames; the final weights are fitted to all positions. With the CPU backend the same seed and scale give the same file with any number of threads.\n\n"
        "othello-heldout: positions to test an evaluation with (keiko verify othello-values): exact scores at 20 empty squares, and the values of a 16-ply search at 28 to 44. They come from games between different players; 800 games at --scale 1.\n\n"
        "othello-probcut: measures how far the values of shallow searches are from those of deeper ones, by depths and stage, with the weights of --from or the built-in ones; written as the C source file that the search is built with. 400 games at --scale 1.\n\n"
        "othello-book: an opening book by self-play, 2000 positions at --scale 1, for alphabeta:book=FILE. Each position is searched to 16 plies, and its value is carried back to the positions before it.\n\n"
        "contrast: the evaluation of Contrast, by five generations of self-play and logistic regression; written as a C source file.\n\n"
        "renju: the evaluation and the move ordering of renju, gomoku and freestyle, by four generations of self-play and regression; written as a C source file.\n\n"
        "renju-values: the evaluation again, from what a network says of positions of quick games with a random move in eight, and from their results; a first round of 40000 games makes the numbers that the second, of 100000, plays with. The order of moves and the rules that are not asked for (--rule) keep the built-in numbers. Written as the same file.\n\n"
        "renju-openings: even openings for matches, 200 each for renju, gomoku, freestyle and freestyle20, judged by games of the engine against itself; written as a C source file after each game's lines are done (lines of the others are the built-in ones). --openings balanced uses them. FILE.journal keeps every line judged: the same command continues from it after an interruption. --minutes ends the search; the best lines of the journal are then chosen.\n\n"
        "puyo-beam: see keiko tune puyo-beam. levels: see keiko tune levels.",
    .examples =
        "keiko tune othello-patterns --plot error.svg\nkeiko tune othello-patterns --backend cuda --minutes 8\nkeiko tune othello-patterns --scale 0.0002 -o small.bin  # a quick try",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
