// keiko verify: hold this build against a file of known answers.
#include "app/verify.h"
#include "cli/cli.h"

#include <stdio.h>

typedef struct options {
    common all;
    const char *kind, *file, *model, *weights;
    int64_t threads, depth;
    bool json;
} options;

#define AT(field) offsetof(options, field)
static const opt args[] = {
    ROW_CHOICE("KIND", AT(kind), NULL, NULL, VERIFY_KINDS, "Kind of file", .required = true),
    ROW_FILE("FILE", AT(file), NULL, "File with the known answers", .required = true),
};

static const opt opts[] = {
    ROW_INT("threads", AT(threads), "N", "1", 1, 256, "othello-obf: number of threads per position", .letter = 't'),
    ROW_CHOICE("model", AT(model), "NAME", "bt-adv", "bt|bt-adv|rao-kupper|davidson", "rating-pool: rating model"),
    ROW_INT("depth", AT(depth), "N", "1", 1, 60, "othello-values: search depth in plies to measure"),
    ROW_FILE("weights", AT(weights), NULL, "othello-values: pattern weights to measure; default: the built-in weights"),
    ROW_FLAG("json", AT(json), NULL, "rating-pool: print JSON instead of text"),
};

static int run(const void *options_)
{
    const options *o = options_;
    text_buf t = {0};
    int exact = 0, total = 0;
    err e = verify_run(&(verify_request){.kind = o->kind,
                                         .file = o->file,
                                         .model = o->model,
                                         .weights = o->weights,
                                         .threads = (int)o->threads,
                                         .depth = (int)o->depth,
                                         .json = o->json,
                                         .verbose = o->all.verbose,
                                         .line = cli_line},
                       &t, &exact, &total);
    if (o->json)
        e = cli_put(&t, e);
    else if (e == ERR_OK)
        cli_print("%s", text_str(&t));
    text_free(&t);
    if (e != ERR_OK) return cli_fail("verify");
    if (total > 0) printf("%d of %d exact\n", exact, total);
    return exact == total ? 0 : 1;
}

const command cmd_verify = {
    CALLED("verify", "Check this build against a file of known answers"),
    .about =
        "Recomputes every row of a test file, prints the rows that differ, then `N of M exact`. The exit status is 0 if all rows match, 1 if some differ, 2 if the file cannot be read.\n\n"
        "renju-forbidden: lines `id | source | black | white | points`, all forbidden points of black with their kind (H8:33, I9:44, J10:6).\n\n"
        "renju-vcf: lines `id | source | side | black | white | kind | line | note`; each is solved (checking the shortest length where it is given) and its line replayed. --verbose prints each row.\n\n"
        "puyo-chains: a line `= name chain score frames left …` followed by the 13 rows of the board.\n\n"
        "othello-obf: positions with the scores of their moves; each is solved exactly. --verbose prints each row.\n\n"
        "othello-values: positions with the score of their best move by a better judge (keiko tune othello-heldout); prints how well the values of --depth plies agree with them.\n\n"
        "rating-pool: a CSV table `first,second,first_wins,draws,second_wins`; prints fitted ratings with their errors (--model, --json) for comparison with other programs.",
    .examples = "keiko verify renju-forbidden forbidden.txt\nkeiko verify renju-vcf vcf.txt\n"
                "keiko verify puyo-chains chains.txt\n"
                "keiko verify othello-obf endgames.obf --threads 2\n"
                "keiko verify othello-values heldout.obf --depth 1\n"
                "keiko verify rating-pool pool.csv --json",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
