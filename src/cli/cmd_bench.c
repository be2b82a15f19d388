// keiko bench: matches between agents, ratings one can trust, tests and comparisons.
#include "cli/bench.h"

#include <stdio.h>
#include <string.h>

#define AT(member)     offsetof(bench_options, member)
#define ASK(member)    offsetof(bench_options, ask.member)
#define RATING(member) offsetof(bench_options, ratings.member)
#define NATS(member)   offsetof(bench_options, nats.member)

static const opt args[] = {ARG_GAME(bench_options, false)};

// clang-format off
static const opt opts[] = {
    ROW_HEADING("Who plays what"),
    BENCH_WHO_ROWS(ASK),
    ROW_INT("repeat", AT(repeat), "N", "1", 1, 1000, "Repeat the whole run N times with other seeds, to see how much ratings vary"),
    ROW_HEADING("Openings and ends of games"),
    BENCH_OPENING_ROWS(ASK),
    ROW_HEADING("Test and ratings"),
    BENCH_TEST_ROWS(ASK),
    BENCH_RATING_ROWS(RATING),
    ROW_HEADING("Running and files"),
    {.name = "output", .letter = 'o', .kind = OPT_FILE, .at = AT(output), .value = "PATH", .preset = "./bench-results/", .help = "Folder or .json file for the results; the store is kept in or beside it"},
    BENCH_FORMAT_ROWS(ASK),
    ROW_INT("parallel", AT(parallel), "N", "0", 0, 1024, "Games played at the same time; 0 = one per core. Results do not depend on it, unless players use a clock", .letter = 'j', .synonym = "threads"),
    ROW_TEXT("nats", AT(nats.url), "URL", NULL, "Let workers connected to this NATS server play the games (keiko worker); see docs/DISTRIBUTED.md"),
    BUS_SECURITY_ROWS(NATS),
    ROW_FLAG("resume", AT(resume), NULL, "Continue the last run of the output, if it is not complete"),
    ROW_FLAG("timing", AT(timing), "yes", "Include measured times in the results; without them equal runs give equal files"),
    ROW_FLAG("lines", AT(lines), NULL, "Include the moves of each game in JSON and CSV; the store always has them"),
    ROW_FLAG("store", AT(store), "yes", "Keep the games in a store; without it a run cannot be resumed"),
    ROW_HEADING("Other things to do"),
    ROW_FLAG("calculate-only", AT(calculate_only), NULL, "Play nothing: compute ratings of the results in --input"),
    {.name = "input", .letter = 'i', .kind = OPT_FILE, .at = AT(input), .value = "PATH", .help = "A run to read: its folder, store or JSON"},
    ROW_INT("run", AT(run), "N", "0", 0, 1e9, "Run of a store to read; 0 = the last"),
    ROW_CHOICE("export", AT(export), "KIND", NULL, "json|csv|sgf|pgn", "Write the games of --input (default ./bench-results/) to --output, or to the terminal"),
    ROW_FLAG("compare", AT(compare), NULL, "Compare --baseline with --target; exit status 1 if a player became weaker"),
    {.name = "baseline", .kind = OPT_FILE, .at = AT(baseline), .value = "PATH", .help = "The run before a change"},
    {.name = "target", .kind = OPT_FILE, .at = AT(target), .value = "PATH", .help = "The run after it"},
    ROW_TEXT("unchanged", AT(unchanged), "LIST", NULL, "Players known to be the same in both; default: those of equal settings, if the build is the same too"),
};
// clang-format on

static view_options view_of(const bench_options *o)
{
    return bench_view_options(&o->ratings, opt_values_of(o), o->ask.seed);
}

static int calculate(const bench_options *o)
{
    view_options how = view_of(o);
    bench_opened b = {0};
    bench_files f;
    err e = o->input != NULL ? ERR_OK : err_set(ERR_USAGE, "--calculate-only needs --input: the results to rate");
    if (e == ERR_OK) e = bench_open(&b, o->input, (int)o->run, &how);
    if (e == ERR_OK) bench_print(&b.view, o);
    // Only where it was asked for: the default place may hold another run.
    if (e == ERR_OK && opt_given(opt_values_of(o), "output")) {
        e = bench_paths(&f, o->output, 0);
        if (e == ERR_OK)
            e = bench_write(&b.view, b.s, &(export_options){.timing = o->timing, .lines = o->lines}, o->ask.format, &f);
    }
    bench_close(&b);
    return e == ERR_OK ? 0 : cli_fail("bench");
}

static err to_stdout(void *ctx, const char *data, size_t n)
{
    (void)ctx;
    return fwrite(data, 1, n, stdout) == n ? ERR_OK : err_set(ERR_IO, "cannot write to the terminal or pipe");
}

static int export_run(const bench_options *o)
{
    view_options how = view_of(o);
    export_options what = {.timing = o->timing, .lines = o->lines};
    bench_opened b = {0};
    bench_form form;
    bool file = o->input != NULL && opt_given(opt_values_of(o), "output");
    err e = bench_form_find(o->export, &form);
    // Without --input the output names the run, and the export goes to the terminal.
    if (e == ERR_OK) e = bench_open(&b, o->input != NULL ? o->input : o->output, (int)o->run, &how);
    if (e == ERR_OK && file)
        e = bench_put_file(form, &b.view, b.s, &what, o->output);
    else if (e == ERR_OK)
        e = bench_put(form, &b.view, b.s, &what, (sink){to_stdout, NULL});
    bench_close(&b);
    return e == ERR_OK ? 0 : cli_fail("bench");
}

static int compare(const bench_options *o)
{
    view_options how = view_of(o);
    bench_comparison b;
    if (o->baseline == NULL || o->target == NULL) {
        err_set(ERR_USAGE, "--compare needs --baseline and --target: two runs, as folder, store or JSON");
        return cli_fail("bench");
    }
    if (bench_compare(&b, o->baseline, o->target, o->unchanged, &how) != ERR_OK) return cli_fail("bench");
    int status = bench_print_comparison(&b);
    bench_comparison_free(&b);
    return status;
}

bench_ask bench_asked(const bench_options *o)
{
    bench_ask ask = o->ask;
    bench_ask_said(&ask, opt_values_of(o));
    if (o->game != NULL) bench_ask_game(&ask, o->game);
    return ask;
}

// What plays nothing must not be asked to play: the words would be ignored.
static err check_words(const bench_options *o)
{
    bench_ask ask = bench_asked(o);
    bool comparing = o->compare || o->baseline != NULL || o->target != NULL;
    const char *what = comparing           ? "--compare"
                       : o->export != NULL ? "--export"
                       : o->calculate_only ? "--calculate-only"
                       : o->input != NULL  ? "--input"
                                           : NULL;
    const char *asked = o->resume ? "resume" : o->repeat > 1 ? "repeat" : bench_said_any(&ask);
    if (o->game != NULL && opt_given(opt_values_of(o), "game") && strcmp(o->game, o->ask.game) != 0)
        return err_set(ERR_USAGE, "two games are named, %s and --game %s; give one", o->game, o->ask.game);
    if (comparing + (o->export != NULL) + o->calculate_only > 1)
        return err_set(ERR_USAGE, "--compare, --export and --calculate-only are different things to do; give one");
    if (what != NULL && asked != NULL)
        return err_set(ERR_USAGE, "%s plays nothing, so --%s has no meaning there; play first, then use the results",
                       what, asked);
    return ERR_OK;
}

static int run(const void *options_)
{
    const bench_options *o = options_;
    if (check_words(o) != ERR_OK) return cli_fail("bench");
    if (o->compare || o->baseline != NULL || o->target != NULL) return compare(o);
    if (o->export != NULL) return export_run(o);
    if (o->calculate_only || o->input != NULL) return calculate(o);
    return bench_play(o);
}

// clang-format off
const command cmd_bench = {
    CALLED("bench", "Play matches between agents and rate them"),
    .about =
        "Plays every opening twice with sides swapped, keeps each game in a store (SQLite) and fits all results at once: ratings with intervals, the value of moving first, and who is likely stronger than whom. Without options it plays the renju levels from beginner to hard, 50 games per pairing, into ./bench-results/.\n\n"
        "How long a player thinks is a parameter of the agent (alphabeta:depth=6, mcts:sims=400). Limits by nodes, depth or simulations give the same results on any number of threads. The tables show wall time and CPU time per move; an engine's CPU time includes its child processes. An agent that crashes, hangs or plays an illegal move loses that game, with the reason in the record.\n\n"
        "Ctrl-C stops cleanly and kill -9 loses no game that was counted: --resume continues, and ends with the same results as a run that was never stopped.\n\n"
        "--sprt plays two agents only until it is clear whether the first is stronger by elo0 or by elo1. --compare tests whether a change made players stronger, with an interval and a verdict that is wrong in at most 5 % of comparisons (--confidence). A label that looks at the difference alone (within ±20 Elo equal, from 30 on better or worse) is printed beside it.\n\n"
        "The K=32 column is sequential Elo in the order of the games. It depends on that order by about 35 Elo, so it is not the main result.",
    .examples = "keiko bench  # the renju levels\n"
                "keiko bench --players=medium,hard --games=100\n"
                "keiko bench othello -p 'random;greedy;d2=alphabeta:depth=2;d4=alphabeta:depth=4' -n 200\n"
                "keiko bench othello -p 'new=mcts:sims=400,c=1;old=mcts:sims=400' --sprt elo0=0,elo1=30\n"
                "keiko bench othello -p 'alphabeta:depth=4;engine:gtp=gtp-rhino' -n 20\n"
                "keiko bench --resume  # after Ctrl-C\n"
                "keiko bench --calculate-only --input ./results.json\n"
                "keiko bench --compare --baseline before.json --target after.json\n"
                "keiko bench --export pgn --input ./bench-results/ > games.pgn",
    RUNS(run, bench_options, WITH_ROWS(args, opts)),
};
// clang-format on
