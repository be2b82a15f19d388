// keiko advise: one advice with its reasons, many simulated games, or guided practice. What it does is in app/advise.h.
#include "app/advise_practice.h"
#include "base/progress.h"
#include "base/stop.h"
#include "cli/cli.h"
#include "cli/line.h"

#include <stdio.h>
#include <string.h>

typedef struct options {
    common all;
    const char *field, *pair, *next, *mode, *pairs, *turns, *config, *failures, *replay;
    int64_t games, seed, threads, top, colours, shown, index, line;
    bool simulate, practice, json, reach, blind;
} options;

#define AT(f) offsetof(options, f)
static const opt opts[] = {
    ROW_HEADING("One placement"),
    ROW_TEXT(
        "field", AT(field), "TEXT", "......",
        "The field: rows from the top separated by '/', letters R Y G B P (colours), O (nuisance) and . (empty); or a puyop.com address"),
    ROW_TEXT("pair", AT(pair), "XY", NULL, "The pair to place, axis puyo first"),
    ROW_TEXT("next", AT(next), "XY[,XY]", NULL, "The next pair, or the next two"),
    ROW_INT("index", AT(index), "N", "1", 1, 1e6, "plus with --pairs blocks: --pair is the N-th pair of the game"),
    ROW_INT("top", AT(top), "N", "5", 1, 22, "Number of placements to list"),
    ROW_HEADING("How it decides"),
    ROW_CHOICE("mode", AT(mode), "MODE", "seed", "seed|plus",
               "seed: sum of five scores; plus: maximises the probability of finishing the fold"),
    ROW_FILE("config", AT(config), NULL,
             "Read constants from FILE, one 'key = value' per line (docs/puyo-advisor.md lists them)"),
    ROW_FLAG("reach", AT(reach), NULL, "seed: consider only placements that can be reached (plus always does)"),
    ROW_TEXT("turns", AT(turns), "N,…", NULL,
             "Turns within which the fold must be complete; default 15, with --simulate 10,12,15,20"),
    ROW_HEADING("Simulation and practice"),
    ROW_FLAG("simulate", AT(simulate), NULL, "Play many games and print how often the fold is completed"),
    ROW_FLAG("practice", AT(practice), NULL, "Place the pairs yourself, with advice"),
    ROW_INT("games", AT(games), "N", "10000", 1, 1e8, "Games per number of turns"),
    ROW_CHOICE("pairs", AT(pairs), "KIND", "blocks", "blocks|arcade|uniform", "Pair generator"),
    ROW_INT("colours", AT(colours), "N", "4", 3, 5, "Number of colours", .synonym = "colors"),
    ROW_INT("shown", AT(shown), "N", "-1", -1, 2,
            "Number of next pairs the advisor sees; -1 = one for seed, two for plus"),
    ROW_FLAG("blind", AT(blind), NULL, "plus: hide the remaining turns and the pair generator from the advisor"),
    OPT_SEED(options),
    ROW_INT("threads", AT(threads), "N", "0", 0, 1024,
            "Number of threads; 0 = one per core. Does not change the result", .letter = 't'),
    ROW_FILE("failures", AT(failures), NULL, "Write the failed games to FILE (default: do not write)"),
    ROW_FILE("replay", AT(replay), NULL, "Practise on a failed game from this file"),
    ROW_INT("line", AT(line), "N", "1", 1, 1e9, "Line number of that game in the --replay file"),
    OPT_JSON(options),
};

static bool keeps_failures(const options *o)
{
    return o->failures != NULL && strcmp(o->failures, "none") != 0; // 'none' was the word for it in 0.1.0
}

static advise_request request_of(const options *o, const advisor_config *c)
{
    return (advise_request){.field = o->field,
                            .pair = o->pair,
                            .next = o->next,
                            .mode = o->mode,
                            .pairs = o->pairs,
                            .turns = o->turns,
                            .colours = (int)o->colours,
                            .index = opt_given(opt_values_of(o), "index") ? o->index : 0,
                            .reach = o->reach,
                            .shown = (int)o->shown,
                            .blind = o->blind,
                            .seed = (uint64_t)o->seed,
                            .games = o->games,
                            .keep_failures = keeps_failures(o),
                            .config = c};
}

// What advise_read and advise_turns say begins with a name: that of an option here.
static err of_option(err e)
{
    return e == ERR_OK ? e : err_set(e, "--%s", err_text());
}

static err one_advice(const options *o, const advise_request *r)
{
    advise_question q;
    advice a;
    text_buf t = {0};
    if (r->pair == NULL) return err_set(ERR_USAGE, "which pair? --pair RB, or --simulate, or --practice");
    err e = of_option(advise_read(r, &q));
    if (e == ERR_OK) e = advise_ask(&q, &a);
    if (e != ERR_OK) return e;
    if (o->json) {
        json_writer w = json_begin(&t, true);
        advise_json(&w, &q, &a);
        e = json_finish(&w);
    } else {
        advise_draw(&t, &q, a.n > 0 ? &a.best[0] : NULL, cli_colour());
        text_append(&t, "    lower case: the suggested placement\n\n");
        advise_explain(&t, &q, &a, (int)o->top);
        e = text_check(&t);
        if (e == ERR_OK) cli_say_lines(text_str(&t));
        text_clear(&t);
    }
    return cli_put(&t, e);
}

// --- many games

typedef struct watcher {
    progress *bar;
    bool silent;
} watcher;

static void tick(void *ctx, uint64_t games)
{
    const watcher *w = ctx;
    progress_tick(w->bar, games);
}

static void print_row(void *ctx, const advise_row *row)
{
    const watcher *w = ctx;
    const advisor_tally *t = &row->tally;
    if (w->silent) return;
    char line[128];
    snprintf(line, sizeof line, "%5d %9lld   %6.2f%%   %.2f - %.2f%%   %5.2f     %5.1f", row->turns,
             (long long)t->games, 100.0 * (double)t->successes / (double)t->games, 100 * row->low, 100 * row->high,
             t->successes ? (double)t->turns / (double)t->successes : 0.0,
             t->advices ? 1e6 * row->cpu / (double)t->advices : 0.0);
    cli_line(NULL, line);
}

static void print_failures(const advise_simulation *s)
{
    printf("\nwhy the others failed\nturns");
    for (int k = 0; k < FAILURES; k++) printf(" %8s", advisor_failure_name[k]);
    printf("\n");
    for (int i = 0; i < s->n; i++) {
        printf("%5d", s->row[i].turns);
        for (int k = 0; k < FAILURES; k++) printf(" %8lld", (long long)s->row[i].tally.failures[k]);
        printf("\n");
    }
}

static err simulate(const options *o, const advise_request *r)
{
    int turns[ADVISE_LENGTHS], n = 4;
    advise_simulation s;
    text_buf t = {0};
    err e = o->turns == NULL ? ERR_OK : of_option(advise_turns(o->turns, turns, ADVISE_LENGTHS, &n));
    if (e != ERR_OK) return e;
    stop_install(NULL);
    watcher w = {.bar = cli_progress(&o->all, "advise", "games", (uint64_t)(o->games * n)), .silent = o->json};
    if (!o->json) printf("turns     games  success   95%% interval      mean turns   µs per advice (CPU)\n");
    e = advise_simulate(r, (int)o->threads, &(advise_watch){.tick = tick, .done = print_row, .ctx = &w}, &s);
    progress_finish(w.bar);
    if (e != ERR_OK) return e;
    if (keeps_failures(o)) e = advise_save_failures(&s, o->failures);
    if (e == ERR_OK && o->json) {
        json_writer j = json_begin(&t, true);
        advise_simulation_json(&j, r, &s, keeps_failures(o) ? o->failures : NULL);
        e = cli_put(&t, json_finish(&j));
    } else if (e == ERR_OK) {
        print_failures(&s);
        if (keeps_failures(o))
            printf("\nthe failed games are in %s: keiko advise --practice --replay %s --line 1\n", o->failures,
                   o->failures);
    }
    advise_simulation_free(&s);
    return e;
}

// --- practice

static err practise(const options *o, const advise_request *r)
{
    advise_practice *p = NULL;
    text_buf t = {0};
    const char *line;
    char prompt[32];
    advise_next next = ADVISE_NEW_TURN;
    line_editor *editor = line_new(stdin, stdout);
    err e = editor == NULL ? err_set(ERR_MEMORY, "no memory for the practice") : ERR_OK;
    if (e == ERR_OK) e = advise_practice_new(&p, r, cli_colour());
    if (e == ERR_OK && o->replay != NULL) e = advise_practice_load(p, o->replay, o->line, &t);
    if (e == ERR_OK) {
        stop_install(NULL);
        text_append(&t, "Build a GTR. Press Enter to place as advised; 'help' lists the commands.\n");
    }
    while (e == ERR_OK && next != ADVISE_QUIT) {
        if (next == ADVISE_NEW_TURN) e = advise_practice_show(p, &t);
        e = cli_put(&t, e);
        if (e != ERR_OK) break;
        fflush(stdout);
        snprintf(prompt, sizeof prompt, "turn %d> ", advise_practice_turn(p));
        if (line_read(editor, prompt, &line) != ERR_OK) break;
        line_remember(editor, line);
        next = advise_practice_obey(p, line, &t);
    }
    if (e == ERR_OK) {
        text_char(&t, '\n');
        advise_practice_say_score(p, &t);
    }
    e = cli_put(&t, e);
    advise_practice_free(p);
    line_free(editor);
    return e;
}

static int run(const void *options_)
{
    const options *o = options_;
    advisor_config c = advisor_defaults;
    advise_request r = request_of(o, &c);
    err e = ERR_OK;
    if (o->config != NULL) e = opt_config_file(advisor_options, advisor_n_options, &c, o->config, NULL);
    if (e == ERR_OK)
        e = o->practice || o->replay != NULL ? practise(o, &r) : o->simulate ? simulate(o, &r) : one_advice(o, &r);
    return e == ERR_OK ? 0 : cli_fail("advise");
}

const command cmd_advise = {
    CALLED("advise", "Suggest where to place a Puyo pair to build a GTR, with reasons"),
    .about =
        "Draws the field with the suggested placement in lower-case letters and explains the choice: the phase, the score of each component, the fold cells that match, the probability of finishing the fold (plus), the tails that are still possible, and the next-best placements. A placement is a column (1 to 6) and the side on which the second puyo is: u above, r right, d below, l left. 3r is column 3, second puyo in column 4.\n\n"
        "--simulate plays many games and prints how often the fold is complete after each number of turns, with 95 % intervals and the reasons for failures; --failures saves the failed games for replay. --practice lets you place the pairs: press Enter to follow the advice, type a placement to differ, 'back' to rewind.",
    .examples = "keiko advise --pair BB\n"
                "keiko advise --field 'RB..../RR..../BB....' --pair RG --next YY,GB --mode plus\n"
                "keiko advise --simulate --games 100000 --turns 10,12,15,20 --pairs blocks\n"
                "keiko advise --practice --mode plus --pairs arcade --seed 7",
    RUNS(run, options, WITH_OPTS(opts)),
};
