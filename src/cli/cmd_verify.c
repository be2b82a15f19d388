// keiko verify: hold this build against a file of known answers.
#include "app/solve.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/cli.h"
#include "games/puyo/puyo.h"
#include "games/renju/renju.h"
#include "search/othello/oth_values.h"
#include "stats/rating.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    common all;
    const char *kind, *file, *model, *weights;
    int64_t threads, depth;
    bool json;
} options;

#define AT(field) offsetof(options, field)
static const opt args[] = {
    ROW_CHOICE("KIND", AT(kind), NULL, NULL,
               "renju-forbidden|renju-vcf|puyo-chains|othello-obf|othello-values|rating-pool", "Kind of file",
               .required = true),
    ROW_FILE("FILE", AT(file), NULL, "File with the known answers", .required = true),
};

static const opt opts[] = {
    ROW_INT("threads", AT(threads), "N", "1", 1, 256, "othello-obf: number of threads per position", .letter = 't'),
    ROW_CHOICE("model", AT(model), "NAME", "bt-adv", "bt|bt-adv|rao-kupper|davidson", "rating-pool: rating model"),
    ROW_INT("depth", AT(depth), "N", "1", 1, 60, "othello-values: search depth in plies to measure"),
    ROW_FILE("weights", AT(weights), NULL, "othello-values: pattern weights to measure; default: the built-in weights"),
    ROW_FLAG("json", AT(json), NULL, "rating-pool: print JSON instead of text"),
};

static int finish(err e, const char *file, int exact, int total)
{
    if (e == ERR_OK && total == 0) e = err_set(ERR_PARSE, "%s holds no rows", file);
    if (e != ERR_OK) return cli_fail("verify");
    printf("%d of %d exact\n", exact, total);
    return exact == total ? 0 : 1;
}

static void report_chain(void *ctx, const py_chain_row *want, const py_chain_row *got)
{
    (void)ctx;
    cli_print("line %d, %s: chain %d score %d frames %d left %d, but here %d %d %d %d\n", want->line, want->name,
              want->links, want->score, want->frames, want->left, got->links, got->score, got->frames, got->left);
}

// A table of results has no known answers in it: the fit itself is the output, for others to compare.
static void print_pool(const tally *t, const rating_fit *f, const char *model)
{
    printf("%-20s %10s %12s %12s\n", "player", "rating", "information", "sandwich");
    for (int i = 0; i < f->n; i++)
        cli_print("%-20s %10.4f %12.3f %12.3f\n", t->who.name[i], f->rating[i], rating_se(f, ERRORS_INFO, i),
                  rating_se(f, ERRORS_GAMES, i));
    printf("%s: first-move advantage %.4f, draw parameter %.6f, log-likelihood %.6f, %.0f games\n", model, f->advantage,
           f->draw, f->loglik, f->games);
    for (int i = 0; i < f->notes.n; i++) cli_print("Note: %s\n", f->notes.line[i]);
}

static err pool_json(const tally *t, const rating_fit *f, const char *model)
{
    text_buf out = {0};
    json_writer w = json_begin(&out, true);
    json_open_object(&w);
    json_pair_text(&w, "model", model);
    json_pair_object(&w, "ratings");
    for (int i = 0; i < f->n; i++) {
        json_pair_object(&w, t->who.name[i]);
        json_pair_number(&w, "rating", f->rating[i]);
        json_pair_number(&w, "se_information", rating_se(f, ERRORS_INFO, i));
        json_pair_number(&w, "se_sandwich", rating_se(f, ERRORS_GAMES, i));
        json_close(&w);
    }
    json_close(&w);
    json_pair_number(&w, "advantage", f->advantage);
    json_pair_number(&w, "draw", f->draw);
    json_pair_number(&w, "loglik", f->loglik);
    json_pair_number(&w, "games", f->games);
    json_pair_array(&w, "notes");
    for (int i = 0; i < f->notes.n; i++) json_put_text(&w, f->notes.line[i]);
    json_close(&w);
    json_close(&w);
    return cli_put(&out, json_finish(&w));
}

static int rate_pool(const options *o)
{
    char *text = NULL;
    size_t size = 0;
    tally t;
    rating_fit f;
    err e = file_read(o->file, 64 << 20, &text, &size);
    if (e == ERR_OK) {
        e = err_prefix(rating_verify(&t, &f, text, size, o->model), "%s", o->file);
        if (e == ERR_OK) {
            if (o->json)
                e = pool_json(&t, &f, o->model);
            else
                print_pool(&t, &f, o->model);
            tally_free(&t);
            rating_free(&f);
        }
    }
    free(text);
    return e == ERR_OK ? 0 : cli_fail("verify");
}

// The listed scores are another judge's, so there is no right or wrong: the table is the output.
static int measure_values(const options *o)
{
    char *text = NULL;
    oth_problem *p = NULL;
    oth_weights *own = NULL;
    oth_engine *engine = NULL;
    oth_agreement a[OTH_VALUE_RANGES];
    int n = 0;
    err e = file_read(o->file, 64 << 20, &text, NULL);
    if (e == ERR_OK) e = err_prefix(oth_obf_read(text, &p, &n), "%s", o->file);
    if (e == ERR_OK && o->weights != NULL) e = oth_weights_load(&own, o->weights);
    if (e == ERR_OK) {
        const oth_weights *w = own != NULL ? own : oth_weights_shipped();
        e = oth_engine_new(&engine, &(oth_engine_options){.hash = 16, .weights = w});
    }
    if (e == ERR_OK) {
        oth_values_measure(engine, p, n, (int)o->depth, a);
        printf("%9s %9s %7s %12s %6s %6s\n", "empties", "positions", "spread", "correlation", "rms", "bias");
        for (int i = 0; i < OTH_VALUE_RANGES; i++)
            if (a[i].n > 1)
                printf("%4d - %2d %9d %7.2f %12.4f %6.2f %+6.2f\n", oth_value_range[i][0], oth_value_range[i][1],
                       a[i].n, a[i].spread, a[i].correlation, a[i].rms, a[i].bias);
    }
    oth_engine_free(engine);
    oth_weights_free(own);
    free(p);
    free(text);
    return e == ERR_OK ? 0 : cli_fail("verify");
}

static int run(const void *options_)
{
    const options *o = options_;
    char *text = NULL;
    int exact = 0, total = 0;
    if (strcmp(o->kind, "rating-pool") == 0) return rate_pool(o);
    if (strcmp(o->kind, "othello-values") == 0) return measure_values(o);
    if (strcmp(o->kind, "othello-obf") == 0) {
        solve_options so = {.file = o->file,
                            .threads = (int)o->threads,
                            .best = 1,
                            .hash = 23,
                            .quiet = !o->all.verbose,
                            .line = cli_line};
        err solved = solve_othello(&so, &exact, &total);
        return finish(solved, o->file, exact, total);
    }
    if (strcmp(o->kind, "renju-vcf") == 0) {
        solve_options so = {.file = o->file, .hash = 22, .quiet = !o->all.verbose, .line = cli_line};
        err solved = solve_renju(&so, &exact, &total);
        return finish(solved, o->file, exact, total);
    }
    err e = file_read(o->file, 64 << 20, &text, NULL);
    if (e == ERR_OK) {
        if (strcmp(o->kind, "renju-forbidden") == 0)
            e = rj_verify_forbidden(text, cli_line, NULL, &exact, &total);
        else
            e = py_verify_chains(text, report_chain, NULL, &exact, &total);
        e = err_prefix(e, "%s", o->file);
    }
    free(text);
    return finish(e, o->file, exact, total);
}

const command cmd_verify = {
    .name = "verify",
    .summary = "Check this build against a file of known answers",
    .about =
        "Recomputes every row of a test file, prints the rows that differ, then `N of M exact`. The exit status is 0 if all "
        "rows match, 1 if some differ, 2 if the file cannot be read.\n\n"
        "renju-forbidden: lines `id | source | black | white | points`, all forbidden points of black with their kind "
        "(H8:33, I9:44, J10:6).\n\n"
        "renju-vcf: lines `id | source | side | black | white | kind | line | note`; each is solved (checking the "
        "shortest length where it is given) and its line replayed. --verbose prints each row.\n\n"
        "puyo-chains: a line `= name chain score frames left …` followed by the 13 rows of the board.\n\n"
        "othello-obf: positions with the scores of their moves; each is solved exactly. --verbose prints each "
        "row.\n\n"
        "othello-values: positions with the score of their best move by a better judge (keiko tune othello-heldout); "
        "prints how well the values of --depth plies agree with them.\n\n"
        "rating-pool: a CSV table `first,second,first_wins,draws,second_wins`; prints fitted ratings with their "
        "errors (--model, --json) for comparison with other programs.",
    .examples = "keiko verify renju-forbidden forbidden.txt\nkeiko verify renju-vcf vcf.txt\n"
                "keiko verify puyo-chains chains.txt\n"
                "keiko verify othello-obf endgames.obf --threads 2\n"
                "keiko verify othello-values heldout.obf --depth 1\n"
                "keiko verify rating-pool pool.csv --json",
    WITH_ROWS(args, opts),
    RUNS(run, options),
};
