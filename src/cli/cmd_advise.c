// keiko advise: one advice with its reasons, many simulated games, or guided practice.
#include "base/clock.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/stop.h"
#include "cli/advise.h"
#include "games/puyo/puyo_url.h"
#include "search/puyo/puyo_advisor_sim.h"
#include "stats/dist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef advise_options options;

// clang-format off
static const opt opts[] = {
    {.help = "One advice"},
    {.name = "field", .kind = OPT_TEXT, .at = offsetof(options, field), .value = "TEXT", .preset = "......",
     .help = "rows from the top, separated by '/', with the letters R Y G B P O and . for empty; or an address of puyop.com"},
    {.name = "pair", .kind = OPT_TEXT, .at = offsetof(options, pair), .value = "XY", .help = "the pair to place, main puyo first"},
    {.name = "next", .kind = OPT_TEXT, .at = offsetof(options, next), .value = "XY[,XY]", .help = "the pair or two pairs that follow"},
    {.name = "index", .kind = OPT_INT, .at = offsetof(options, index), .value = "N", .preset = "1", .low = 1, .high = 1e6,
     .help = "plus with --pairs blocks: the pair is the N-th of the game"},
    {.name = "top", .kind = OPT_INT, .at = offsetof(options, top), .value = "N", .preset = "5", .low = 1, .high = 22,
     .help = "how many placements to list"},
    {.help = "The advisor"},
    {.name = "mode", .kind = OPT_CHOICE, .at = offsetof(options, mode), .value = "MODE", .preset = "seed", .choices = "seed|plus",
     .help = "seed: five scorers; plus: the chance of finishing the fold comes first"},
    {.name = "config", .kind = OPT_FILE, .at = offsetof(options, config), .value = "FILE",
     .help = "constants to use instead, 'key = value' a line (docs/ADVISOR.md lists them)"},
    {.name = "reach", .kind = OPT_FLAG, .at = offsetof(options, reach),
     .help = "seed: only placements that can be steered to, as plus always does"},
    {.name = "turns", .kind = OPT_TEXT, .at = offsetof(options, turns), .value = "N,…",
     .help = "turns for the fold: 15; in a simulation 10,12,15,20"},
    {.help = "Games"},
    {.name = "simulate", .kind = OPT_FLAG, .at = offsetof(options, simulate), .help = "play many games and print how often the fold stands"},
    {.name = "practice", .kind = OPT_FLAG, .at = offsetof(options, practice), .help = "place the pairs yourself, with advice"},
    {.name = "games", .kind = OPT_INT, .at = offsetof(options, games), .value = "N", .preset = "10000", .low = 1, .high = 1e8,
     .help = "games a length"},
    {.name = "pairs", .kind = OPT_CHOICE, .at = offsetof(options, pairs), .value = "KIND", .preset = "blocks",
     .choices = "blocks|arcade|uniform", .help = "where pairs come from"},
    {.name = "colours", .kind = OPT_INT, .at = offsetof(options, colours), .value = "N", .preset = "4", .low = 3, .high = 5,
     .help = "colours in the game", .synonym = "colors"},
    {.name = "shown", .kind = OPT_INT, .at = offsetof(options, shown), .value = "N", .preset = "-1", .low = -1, .high = 2,
     .help = "next pairs the advisor sees; -1: one for seed, two for plus"},
    {.name = "blind", .kind = OPT_FLAG, .at = offsetof(options, blind),
     .help = "plus: do not tell it the turns that are left, nor where pairs come from"},
    {.name = "seed", .kind = OPT_INT, .at = offsetof(options, seed), .value = "N", .preset = "1", .low = 0, .high = 9e15,
     .help = "key of all chance"},
    {.name = "threads", .letter = 'j', .kind = OPT_INT, .at = offsetof(options, threads), .value = "N", .preset = "0", .low = 0, .high = 1024,
     .help = "threads, 0 = one a core; results are the same for any number"},
    {.name = "failures", .kind = OPT_FILE, .at = offsetof(options, failures), .value = "FILE", .preset = "advisor-failures.txt",
     .help = "where to write the games that failed; 'none' = nowhere"},
    {.name = "replay", .kind = OPT_FILE, .at = offsetof(options, replay), .value = "FILE", .help = "practise on a failed game of this file"},
    {.name = "line", .kind = OPT_INT, .at = offsetof(options, line), .value = "N", .preset = "1", .low = 1, .high = 1e9,
     .help = "… the one in this line"},
    {.name = "json", .kind = OPT_FLAG, .at = offsetof(options, json), .help = "print JSON"},
};
// clang-format on

enum { LENGTHS = 16 };

// --- one advice

static err parse_next(const char *text, uint8_t next[2])
{
    char word[8];
    for (int i = 0; *text != 0; i++) {
        size_t n = strcspn(text, ",");
        if (i == 2) return err_set(ERR_USAGE, "--next takes at most two pairs");
        if (n >= sizeof word) return err_set(ERR_USAGE, "'%.20s' is no pair", text);
        memcpy(word, text, n);
        word[n] = 0;
        err e = advise_pair(word, &next[i]);
        if (e != ERR_OK) return err_prefix(e, "--next");
        text += n;
        if (*text == ',' && *++text == 0) return err_set(ERR_USAGE, "--next: a pair should follow the comma");
    }
    return ERR_OK;
}

static err parse_field(const char *text, py_field *f)
{
    py_url u;
    err e;
    if (strstr(text, "://") == NULL && strstr(text, "puyop.com") == NULL) {
        e = py_field_parse(text, f);
    } else {
        e = py_url_parse(text, &u);
        if (e == ERR_OK) *f = u.field;
    }
    return err_prefix(e, "--field");
}

static err parse_turns(const char *text, int *turns, int most, int *n)
{
    *n = 0;
    for (;;) {
        char *end;
        long v = strtol(text, &end, 10);
        if (end == text || v < 1 || v > 200 || (*end != 0 && *end != ','))
            return err_set(ERR_USAGE, "--turns: '%.20s' is no number of turns from 1 to 200", text);
        if (*n == most) return err_set(ERR_USAGE, "--turns: at most %d lengths", most);
        turns[(*n)++] = (int)v;
        if (*end == 0) return ERR_OK;
        text = end + 1;
    }
}

static err check_colours(const question *q, int colours)
{
    if (!py_field_ok(&q->field, colours))
        return err_set(ERR_USAGE, "--field has a colour that is not among the %d in play (--colours)", colours);
    if (!py_pair_ok(q->pair, colours))
        return err_set(ERR_USAGE, "--pair has a colour that is not among the %d in play (--colours)", colours);
    for (int i = 0; i < 2; i++)
        if (q->future.next[i] != 0 && !py_pair_ok(q->future.next[i], colours))
            return err_set(ERR_USAGE, "--next has a colour that is not among the %d in play (--colours)", colours);
    return ERR_OK;
}

static err one_advice(const options *o, const advisor_config *c)
{
    question q = {.config = c, .plus = strcmp(o->mode, "plus") == 0, .reach = o->reach};
    int kind = 0, turns[LENGTHS] = {0}, n = 0;
    advice a;
    text_buf t = {0};
    if (o->pair == NULL) return err_set(ERR_USAGE, "which pair? --pair RB, or --simulate, or --practice");
    err e = parse_field(o->field, &q.field);
    if (e == ERR_OK) e = err_prefix(advise_pair(o->pair, &q.pair), "--pair");
    if (e == ERR_OK && o->next != NULL) e = parse_next(o->next, q.future.next);
    if (e == ERR_OK) e = check_colours(&q, (int)o->colours);
    if (e == ERR_OK) e = advise_kind(o->pairs, &kind);
    if (e == ERR_OK && o->turns != NULL) e = parse_turns(o->turns, turns, LENGTHS, &n);
    // Which pairs belong together is known only to somebody who counted them.
    q.future.kind = (uint8_t)(opt_given(opt_values_of(o), "index") ? kind : PY_UNIFORM);
    q.future.colours = (uint8_t)o->colours;
    q.future.index = (uint32_t)o->index - 1;
    q.future.turns = n > 0 ? turns[0] : 0;
    if (e == ERR_OK) e = advise_ask(&q, &a);
    if (e != ERR_OK) return e;
    if (o->json) {
        json_writer w = json_begin(&t, true);
        advise_json(&w, &q, &a, o->mode);
        e = json_finish(&w);
    } else {
        advise_draw(&t, &q, a.n > 0 ? &a.best[0] : NULL, cli_colour());
        text_append(&t, "    small letters: where it should go\n\n");
        advise_explain(&t, &q, &a, (int)o->top);
        e = text_check(&t);
    }
    if (e == ERR_OK) printf("%s", text_str(&t));
    text_free(&t);
    return e;
}

// --- many games

static bool keeps_failures(const options *o)
{
    return strcmp(o->failures, "none") != 0;
}

static void tick(void *bar, uint64_t games)
{
    progress_tick(bar, games);
}

static void print_row(const advisor_tally *r, int turns, double seconds)
{
    interval i = rate_wilson((double)r->successes, (double)r->games, 0.95);
    double rate = 100.0 * (double)r->successes / (double)r->games;
    printf("%5d %9lld   %6.2f%%   %.2f - %.2f%%   %5.2f     %5.1f\n", turns, (long long)r->games, rate, 100 * i.low,
           100 * i.high, r->successes ? (double)r->turns / (double)r->successes : 0.0,
           r->advices ? 1e6 * seconds / (double)r->advices : 0.0);
}

static void print_failures(const advisor_tally *rows, const int *turns, int n)
{
    printf("\nwhy the others failed\nturns");
    for (int k = 0; k < FAILURES; k++) printf(" %8s", advisor_failure_name[k]);
    printf("\n");
    for (int i = 0; i < n; i++) {
        printf("%5d", turns[i]);
        for (int k = 0; k < FAILURES; k++) printf(" %8lld", (long long)rows[i].failures[k]);
        printf("\n");
    }
}

static void json_failures(json_writer *w, const advisor_tally *rows, int n)
{
    json_pair_object(w, "failures");
    for (int k = 0; k < FAILURES; k++) {
        int64_t sum = 0;
        for (int i = 0; i < n; i++) sum += rows[i].failures[k];
        json_pair_int(w, advisor_failure_name[k], sum);
    }
    json_close(w);
}

static err print_json(const options *o, const advisor_tally *rows, const int *turns, int n)
{
    text_buf t = {0};
    json_writer w = json_begin(&t, true);
    json_open_object(&w);
    json_pair_text(&w, "mode", o->mode);
    json_pair_text(&w, "pairs", o->pairs);
    json_pair_int(&w, "seed", o->seed);
    json_pair_array(&w, "turns");
    for (int i = 0; i < n; i++) {
        interval x = rate_wilson((double)rows[i].successes, (double)rows[i].games, 0.95);
        json_open_object(&w);
        json_pair_int(&w, "turns", turns[i]);
        json_pair_int(&w, "games", rows[i].games);
        json_pair_int(&w, "successes", rows[i].successes);
        json_pair_number(&w, "rate", (double)rows[i].successes / (double)rows[i].games);
        json_pair_number(&w, "low", x.low);
        json_pair_number(&w, "high", x.high);
        json_failures(&w, &rows[i], 1);
        json_close(&w);
    }
    json_close(&w);
    json_failures(&w, rows, n);
    json_pair_text(&w, "failed_games", keeps_failures(o) ? o->failures : NULL);
    json_close(&w);
    err e = json_finish(&w);
    if (e == ERR_OK) printf("%s", text_str(&t));
    text_free(&t);
    return e;
}

static err save_failures(const options *o, const advisor_tally *rows, int n)
{
    file_out *f;
    if (!keeps_failures(o)) return ERR_OK;
    err e = file_out_open(&f, o->failures);
    if (e != ERR_OK) return e;
    for (int i = 0; i < n; i++) file_out_write(f, text_str(&rows[i].failed), rows[i].failed.len);
    return file_out_commit(f);
}

static err play_all(const options *o, advisor_trial *trial, const int *turns, int n, advisor_tally *rows)
{
    err e = ERR_OK;
    pool *threads = pool_new((int)o->threads);
    if (threads == NULL) return err_set(ERR_MEMORY, "no memory for threads");
    progress *bar = progress_new(&(progress_options){.label = "advise",
                                                     .unit = "games",
                                                     .total = (uint64_t)(o->games * n),
                                                     .quiet = o->all.quiet,
                                                     .verbose = o->all.verbose,
                                                     .color = o->all.color});
    trial->tick = tick;
    trial->ctx = bar;
    if (!o->json) printf("turns     games  success   95%% interval      mean turns   µs an advice (CPU)\n");
    for (int i = 0; i < n && e == ERR_OK; i++) {
        trial->turns = turns[i];
        double start = clock_cpu_seconds();
        e = advisor_simulate(trial, threads, &rows[i]);
        if (e == ERR_OK && !o->json) print_row(&rows[i], turns[i], clock_cpu_seconds() - start);
        fflush(stdout);
    }
    progress_finish(bar);
    pool_free(threads);
    return e;
}

static err simulate(const options *o, const advisor_config *c)
{
    int turns[LENGTHS] = {10, 12, 15, 20}, n = 4, kind = 0;
    advisor_tally rows[LENGTHS] = {{0}};
    bool plus = strcmp(o->mode, "plus") == 0;
    err e = advise_kind(o->pairs, &kind);
    if (e == ERR_OK && o->turns != NULL) e = parse_turns(o->turns, turns, LENGTHS, &n);
    advisor_trial trial = {.config = c,
                           .plus = plus,
                           .reach = o->reach,
                           .kind = kind,
                           .colours = (int)o->colours,
                           .shown = o->shown >= 0 ? (int)o->shown
                                    : plus        ? 2
                                                  : 1,
                           .blind = o->blind,
                           .seed = (uint64_t)o->seed,
                           .games = o->games,
                           .keep_failures = keeps_failures(o)};
    stop_install(NULL);
    if (e == ERR_OK) e = play_all(o, &trial, turns, n, rows);
    if (e == ERR_OK) e = save_failures(o, rows, n);
    if (e == ERR_OK && o->json) {
        e = print_json(o, rows, turns, n);
    } else if (e == ERR_OK) {
        print_failures(rows, turns, n);
        if (keeps_failures(o))
            printf("\nthe failed games are in %s: keiko advise --practice --replay %s --line 1\n", o->failures,
                   o->failures);
    }
    for (int i = 0; i < LENGTHS; i++) text_free(&rows[i].failed);
    return e;
}

static int run(const void *options_)
{
    const options *o = options_;
    advisor_config c = advisor_defaults;
    err e = ERR_OK;
    if (o->config != NULL) e = opt_config_file(advisor_options, advisor_n_options, &c, o->config, NULL);
    if (e != ERR_OK) return cli_fail("advise");
    if (o->practice || o->replay != NULL) return advise_practice(o, &c);
    e = o->simulate ? simulate(o, &c) : one_advice(o, &c);
    return e == ERR_OK ? 0 : cli_fail("advise");
}

const command cmd_advise = {
    .name = "advise",
    .summary = "where a pair should go to build a GTR, and why",
    .about =
        "Draws the field with the advised placement in small letters and explains it: the phase, each scorer's part, "
        "the "
        "cells of the fold that fit, the chance of finishing it (plus), how the tail agrees with the 403 known ones, "
        "and "
        "the runners-up. A move is a column and where the second puyo stands: u above, r right, d below, l left.\n\n"
        "--simulate plays many games and prints how often the fold stands after so many turns, with 95 % intervals and "
        "the reasons of the failures, which are saved for replay. --practice lets you place the pairs: Enter follows "
        "the "
        "advice, a move differs from it, 'back' rewinds.",
    .examples = "keiko advise --pair BB\n"
                "keiko advise --field 'RB..../RR..../BB....' --pair RG --next YY,GB --mode plus\n"
                "keiko advise --simulate --games 100000 --turns 10,12,15,20 --pairs blocks\n"
                "keiko advise --practice --mode plus --pairs arcade --seed 7",
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
