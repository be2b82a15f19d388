// keiko bench: matches between agents, ratings one can trust, tests and comparisons.
#include "cli/bench.h"

#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(bench_options, member)

static const opt opts[] = {
    {.help = "Who plays what"},
    {.name = "game",
     .letter = 'g',
     .kind = OPT_TEXT,
     .at = AT(game),
     .value = "GAME",
     .preset = "renju",
     .choices = "games",
     .help = "which game (keiko games lists them)"},
    OPT_SETTINGS(bench_options),
    {.name = "players",
     .letter = 'p',
     .kind = OPT_TEXT,
     .at = AT(players),
     .value = "LIST",
     .choices = "agents",
     .help = "agents separated by ';' (plain names also by ','), each SPEC or NAME=SPEC; default: the game's levels"},
    {.name = "games",
     .letter = 'n',
     .kind = OPT_INT,
     .at = AT(games),
     .value = "N",
     .preset = "0",
     .low = 0,
     .high = 4e9,
     .help = "games of each pairing, half of them with each side first (an odd one: the first named); 0 = 50, with "
             "--levels 200, with --sprt 40000"},
    {.name = "schedule",
     .kind = OPT_CHOICE,
     .at = AT(schedule),
     .value = "KIND",
     .choices = "round-robin|gauntlet|neighbours|pair",
     .help = "everybody against everybody; the first against all; each against the next; two players"},
    {.name = "config",
     .kind = OPT_FILE,
     .at = AT(config),
     .value = "FILE",
     .help = "players and settings from a JSON file; options given here come first"},
    {.name = "levels",
     .kind = OPT_TEXT,
     .at = AT(levels),
     .value = "GAME",
     .choices = "games",
     .help = "measure a game's levels, each against the next; status 1 unless all gaps are 200 to 400 Elo"},
    {.name = "seed",
     .kind = OPT_INT,
     .at = AT(seed),
     .value = "N",
     .preset = "1",
     .low = 0,
     .high = 9e15,
     .help = "key of all chance: openings, players, pairs of puyos"},
    {.name = "repeat",
     .kind = OPT_INT,
     .at = AT(repeat),
     .value = "N",
     .preset = "1",
     .low = 1,
     .high = 1000,
     .help = "the whole run N times with other seeds, to see how much ratings vary"},
    {.help = "Openings and ends of games"},
    {.name = "openings",
     .kind = OPT_FILE,
     .at = AT(openings),
     .value = "KIND",
     .preset = "auto",
     .help = "auto, balanced, named (renju's 26), start, or a FILE with moves separated by ';', one opening a line"},
    {.name = "opening-count",
     .kind = OPT_INT,
     .at = AT(opening_count),
     .value = "N",
     .preset = "500",
     .low = 1,
     .high = OPENINGS_MOST,
     .help = "openings to make at most; with more rounds they come back"},
    {.name = "max-plies",
     .kind = OPT_INT,
     .at = AT(max_plies),
     .value = "N",
     .preset = "0",
     .low = 0,
     .high = MATCH_MAX_PLIES,
     .help = "a draw after N moves; 0 = only the game's own end"},
    {.name = "adjudicate",
     .kind = OPT_INT,
     .at = AT(adjudicate),
     .value = "N",
     .preset = "0",
     .low = 0,
     .high = 24,
     .help = "Othello: with N empty squares the exact result of best play counts; 0 = play on"},
    {.name = "resign",
     .kind = OPT_NUMBER,
     .at = AT(resign),
     .value = "P",
     .preset = "0.02",
     .low = 0,
     .high = 0.49,
     .help = "with --resign-moves: who expects at most this score has lost, if the other agrees"},
    {.name = "resign-moves",
     .kind = OPT_INT,
     .at = AT(resign_moves),
     .value = "N",
     .preset = "0",
     .low = 0,
     .high = 1000,
     .help = "… for N moves in a row; 0 = nobody resigns"},
    {.help = "Test and ratings"},
    {.name = "sprt",
     .kind = OPT_TEXT,
     .at = AT(sprt),
     .value = "K=V,…",
     .help = "play until this is decided: elo0=0,elo1=30,alpha=0.05,beta=0.05,scale=logistic|normalised"},
    BENCH_RATING_OPTS(bench_options),
    {.help = "Running and files"},
    {.name = "output",
     .letter = 'o',
     .kind = OPT_FILE,
     .at = AT(output),
     .value = "PATH",
     .preset = "./bench-results/",
     .help = "a folder, or a .json file; the store lies in or beside it"},
    {.name = "format",
     .kind = OPT_CHOICE,
     .at = AT(format),
     .value = "KIND",
     .choices = "json|csv",
     .help = "results.json, or ratings.csv and games.csv; default json"},
    {.name = "parallel",
     .letter = 'j',
     .kind = OPT_INT,
     .at = AT(parallel),
     .value = "N",
     .preset = "1",
     .low = 0,
     .high = 1024,
     .help = "games at the same time, 0 = one a core; the results are the same, unless players use a clock",
     .synonym = "threads"},
    {.name = "resume",
     .kind = OPT_FLAG,
     .at = AT(resume),
     .help = "continue the last run of the output, if it is not complete"},
    {.name = "timing",
     .kind = OPT_FLAG,
     .at = AT(timing),
     .preset = "yes",
     .help = "leave out what a clock measured, so that equal runs give equal files"},
    {.name = "lines",
     .kind = OPT_FLAG,
     .at = AT(lines),
     .help = "each game's moves in JSON and CSV too; the store always has them"},
    {.name = "store",
     .kind = OPT_FLAG,
     .at = AT(store),
     .preset = "yes",
     .help = "keep no store: such a run cannot be resumed"},
    {.help = "Other things to do"},
    {.name = "calculate-only",
     .kind = OPT_FLAG,
     .at = AT(calculate_only),
     .help = "play nothing: ratings of the results in --input"},
    {.name = "input",
     .letter = 'i',
     .kind = OPT_FILE,
     .at = AT(input),
     .value = "PATH",
     .help = "a run: its folder, store or JSON"},
    {.name = "run",
     .kind = OPT_INT,
     .at = AT(run),
     .value = "N",
     .preset = "0",
     .low = 0,
     .high = 1e9,
     .help = "which run of a store, 0 = the last"},
    {.name = "export",
     .kind = OPT_CHOICE,
     .at = AT(export),
     .value = "KIND",
     .choices = "json|csv|sgf|pgn",
     .help = "write the games of --input (default ./bench-results/) to --output, or to the terminal"},
    {.name = "compare",
     .kind = OPT_FLAG,
     .at = AT(compare),
     .help = "compare --baseline with --target; status 1 when somebody is weaker"},
    {.name = "baseline", .kind = OPT_FILE, .at = AT(baseline), .value = "PATH", .help = "the run before a change"},
    {.name = "target", .kind = OPT_FILE, .at = AT(target), .value = "PATH", .help = "the run after it"},
    {.name = "unchanged",
     .kind = OPT_TEXT,
     .at = AT(unchanged),
     .value = "LIST",
     .help = "players known to be the same in both; default: those of equal settings, if the build is the same too"},
};

static int calculate(const bench_options *o)
{
    view_options how;
    tour_view v;
    store *s = NULL;
    if (o->input == NULL) {
        err_set(ERR_USAGE, "--calculate-only needs --input: the results to rate");
        return cli_fail("bench");
    }
    err e = bench_view_options(&how, &o->ratings, o->seed);
    if (e == ERR_OK) e = import_any(&s, o->input);
    if (e == ERR_OK) e = view_load(&v, s, (int)o->run, &how);
    if (e == ERR_OK) {
        bench_files f;
        bench_print(&v, o);
        // Only where it was asked for: the default place may hold another run.
        if (opt_given(opt_values_of(o), "output")) {
            e = bench_paths(&f, o->output, 0);
            if (e == ERR_OK) e = bench_write(&v, s, o, &f);
        }
        view_free(&v);
    }
    store_close(s);
    return e == ERR_OK ? 0 : cli_fail("bench");
}

// What plays nothing must not be asked to play: the words would be ignored.
static err check_words(const bench_options *o)
{
    bool compare = o->compare || o->baseline != NULL || o->target != NULL;
    const char *what = compare             ? "--compare"
                       : o->export != NULL ? "--export"
                       : o->calculate_only ? "--calculate-only"
                       : o->input != NULL  ? "--input"
                                           : NULL;
    const char *asked = o->resume ? "resume" : o->repeat > 1 ? "repeat" : bench_asked_for(o);
    if (compare + (o->export != NULL) + o->calculate_only > 1)
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
    if (o->compare || o->baseline != NULL || o->target != NULL) return bench_compare(o);
    if (o->export != NULL) return bench_export(o);
    if (o->calculate_only || o->input != NULL) return calculate(o);
    return bench_play(o);
}

const command cmd_bench = {
    .name = "bench",
    .summary = "play matches between agents and rate them",
    .about =
        "Plays every opening twice with sides swapped, keeps each game in a store (SQLite) and fits all results at "
        "once: "
        "ratings with intervals, the worth of moving first, who is likely stronger than whom. Without options it plays "
        "the "
        "four levels of renju, 50 games a pairing, into ./bench-results/.\n\n"
        "Limits of thinking are parameters of the agents (alphabeta:depth=6, mcts:sims=400); by nodes, depth or "
        "simulations results do not depend on --parallel. An agent that crashes, hangs or plays an illegal move loses "
        "that "
        "game, with the reason in the record.\n\n"
        "Ctrl-C stops cleanly and kill -9 loses no game that was counted: --resume continues, and ends with the same "
        "results as a run that was never stopped.\n\n"
        "--sprt plays two agents only until it is clear whether the first is stronger by elo0 or by elo1. --compare "
        "tells "
        "whether a change made players stronger, with an interval and a verdict that states how often it errs; the "
        "seed's "
        "labels (±20 equal, +30 better, -30 worse) stand beside it.\n\n"
        "The K=32 column is sequential Elo in the order of the games; it depends on that order by some 35 Elo, so it "
        "is "
        "not the headline.",
    .examples = "keiko bench  # the four renju levels\n"
                "keiko bench --players=medium,hard --games=100 --parallel 2\n"
                "keiko bench -g othello -p 'random;greedy;d2=alphabeta:depth=2;d4=alphabeta:depth=4' -n 200\n"
                "keiko bench -g othello -p 'new=mcts:sims=400,c=1;old=mcts:sims=400' --sprt elo0=0,elo1=30\n"
                "keiko bench -g othello -p 'alphabeta:depth=4;engine:gtp=gtp-rhino' -n 20\n"
                "keiko bench --resume  # after Ctrl-C\n"
                "keiko bench --calculate-only --input ./results.json\n"
                "keiko bench --compare --baseline before.json --target after.json\n"
                "keiko bench --export pgn --input ./bench-results/ > games.pgn",
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(bench_options),
    .run = run,
};
