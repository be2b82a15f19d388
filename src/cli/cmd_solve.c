// keiko solve: exact answers to files of problems, one solver per game.
#include "app/solve.h"
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

typedef struct options {
    common all;
    const char *game, *file;
    int64_t threads, best, hash;
    bool wld;
} options;

static const struct {
    const char *game;
    err (*solve)(const solve_options *o, int *exact, int *total);
} solvers[] = {
    {"othello", solve_othello},
    {"renju", solve_renju},
};

#define AT(field) offsetof(options, field)
static const opt args[] = {
    ROW_CHOICE("GAME", AT(game), NULL, NULL, "othello|renju", "Game of the problems", .required = true),
    ROW_FILE("FILE", AT(file), NULL, "File of problems", .required = true),
};

static const opt opts[] = {
    ROW_INT("threads", AT(threads), "N", "1", 1, 256, "Number of threads per problem", .letter = 't'),
    ROW_INT("multipv", AT(best), "N", "1", 1, 50, "Othello: print exact scores for the N best moves"),
    ROW_FLAG("wld", AT(wld), NULL, "Othello: decide only win, draw or loss (faster)"),
    ROW_INT("hash", AT(hash), "N", "23", 10, 30, "Hash table size: 2^N entries of 16 bytes"),
};

static int run(const void *options_)
{
    const options *o = options_;
    solve_options so = {.file = o->file,
                        .threads = (int)o->threads,
                        .best = (int)o->best,
                        .hash = (int)o->hash,
                        .wld = o->wld,
                        .line = cli_line};
    for (int i = 0; i < COUNT(solvers); i++) {
        if (strcmp(solvers[i].game, o->game) != 0) continue;
        int exact = 0, total = 0;
        if (solvers[i].solve(&so, &exact, &total) != ERR_OK) return cli_fail("solve");
        if (total > 0) printf("%d of %d as listed\n", exact, total);
        return exact == total ? 0 : 1;
    }
    return 2;
}

const command cmd_solve = {
    CALLED("solve", "Solve a file of problems exactly"),
    .about =
        "othello: FILE has one OBF position per line. Prints the best move, the exact final disc difference (with --wld: win, draw or loss), nodes, CPU time and principal variation of each. If the file lists scores, they are compared; the exit status is 1 if one differs.\n\n"
        "renju: lines `id | source | side | black | white | kind | line | note` (side B or W attacks; kind VCF, or VCF 5 where the fewest moves are known); prints the shortest win by fours (VCF) for each, checked by replaying it.",
    .examples = "keiko solve othello endgames.obf\nkeiko solve othello endgames.obf --multipv 3 --threads 4\n"
                "keiko solve othello endgames.obf --wld  # win, draw or loss\nkeiko solve renju vcf.txt",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
