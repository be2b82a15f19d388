// keiko verify: hold this build against a file of known answers.
#include "base/file.h"
#include "cli/cli.h"
#include "cli/solve.h"
#include "games/puyo/puyo.h"
#include "games/renju/renju.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    common all;
    const char *kind, *file;
    int64_t threads;
} options;

static const opt args[] = {
    {.name = "KIND",
     .kind = OPT_CHOICE,
     .at = offsetof(options, kind),
     .choices = "renju-forbidden|renju-vcf|puyo-chains|othello-obf",
     .required = true,
     .help = "what the file holds"},
    {.name = "FILE", .kind = OPT_FILE, .at = offsetof(options, file), .required = true, .help = "the known answers"},
};

static const opt opts[] = {
    {.name = "threads",
     .letter = 't',
     .kind = OPT_INT,
     .at = offsetof(options, threads),
     .value = "N",
     .low = 1,
     .high = 256,
     .preset = "1",
     .help = "othello-obf: threads that work on one position"},
};

static int finish(err e, const char *file, int exact, int total)
{
    if (e == ERR_OK && total == 0) e = err_set(ERR_PARSE, "%s holds no rows", file);
    if (e != ERR_OK) return cli_fail("verify");
    printf("%d of %d exact\n", exact, total);
    return exact == total ? 0 : 1;
}

static void report_line(void *ctx, const char *line)
{
    (void)ctx;
    printf("%s\n", line);
}

static void report_chain(void *ctx, const py_chain_row *want, const py_chain_row *got)
{
    (void)ctx;
    printf("line %d, %s: chain %d score %d frames %d left %d, but here %d %d %d %d\n", want->line, want->name,
           want->links, want->score, want->frames, want->left, got->links, got->score, got->frames, got->left);
}

static int run(const void *options_)
{
    const options *o = options_;
    char *text = NULL;
    int exact = 0, total = 0;
    if (strcmp(o->kind, "othello-obf") == 0) {
        solve_options so = {.file = o->file, .threads = o->threads, .best = 1, .hash = 23, .quiet = !o->all.verbose};
        err solved = solve_othello(&so, &exact, &total);
        return finish(solved, o->file, exact, total);
    }
    if (strcmp(o->kind, "renju-vcf") == 0) {
        solve_options so = {.file = o->file, .hash = 22, .quiet = !o->all.verbose};
        err solved = solve_renju(&so, &exact, &total);
        return finish(solved, o->file, exact, total);
    }
    err e = file_read(o->file, 64 << 20, &text, NULL);
    if (e == ERR_OK) {
        if (strcmp(o->kind, "renju-forbidden") == 0)
            e = rj_verify_forbidden(text, report_line, NULL, &exact, &total);
        else
            e = py_verify_chains(text, report_chain, NULL, &exact, &total);
        e = err_prefix(e, "%s", o->file);
    }
    free(text);
    return finish(e, o->file, exact, total);
}

const command cmd_verify = {
    .name = "verify",
    .summary = "check this build against a file of known answers",
    .about =
        "Recomputes every row of a test file and prints those that differ, then `N of M exact`. The exit status is 0 "
        "only "
        "if all are exact, 1 if some differ, 2 if the file cannot be read.\n\n"
        "renju-forbidden: lines `id | source | black | white | points`, all forbidden points of black with their kind "
        "(H8:33, I9:44, J10:6).\n\n"
        "renju-vcf: lines `id | source | side | black | white | kind | line | note`; each is solved, with the fewest "
        "moves "
        "where they are listed, and its line replayed by the referee. --verbose shows each one.\n\n"
        "puyo-chains: boards of 13 rows behind a line `= name chain score frames left …`.\n\n"
        "othello-obf: positions with the scores of their moves; each is solved to the end. --verbose shows each one.",
    .examples = "keiko verify renju-forbidden forbidden.txt\nkeiko verify renju-vcf vcf.txt\nkeiko verify puyo-chains "
                "chains.txt\n"
                "keiko verify othello-obf endgames.obf --threads 2",
    .args = args,
    .n_args = COUNT(args),
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
