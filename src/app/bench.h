// The bench as a use case: from what a person asks for to a run that is played, rated, written and looked at again.
//
// A bench_ask is filled by option rows (BENCH_*_ROWS), by a configuration in JSON, or by hand; what nobody said has the
// rows' defaults. bench_setup() makes a complete tour_setup of it, bench_run() plays it with callbacks for whoever
// watches. Runs are opened again by bench_open(), whatever wrote them: a store, its folder, or results as JSON.
#ifndef KEIKO_APP_BENCH_H
#define KEIKO_APP_BENCH_H

#include "arena/export.h"
#include "arena/report.h"
#include "arena/tour_play.h"
#include "base/file.h"
#include "base/json.h"
#include "base/opt_rows.h"
#include "dist/bus.h"
#include "stats/compare.h"

// --- what is asked for

typedef struct bench_ask {
    const char *game, *settings, *players, *config, *levels, *schedule; // who plays what
    int64_t games, seed;
    const char *openings; // openings and ends of games
    int64_t opening_count, max_plies, adjudicate, resign_moves;
    double resign;
    const char *sprt;
    const char *format; // of the results: "json" or "csv"; NULL = json
    uint64_t said;      // bit i: row i of bench_rows was set by somebody, not by its default
    json_doc *doc;      // the configuration, once read; it holds the players and texts
    const char *build;  // of this program, kept with the run; NULL = unknown
} bench_ask;

// `AT(member)` is the place of bench_ask.member in the caller's struct.
// clang-format off
#define BENCH_WHO_ROWS(AT) \
    ROW_TEXT("game", AT(game), "GAME", "renju", "Game to play (see keiko games)", .letter = 'g', .choices = "games"), \
    ROW_TEXT("options", AT(settings), "K=V,…", "", "Options of the game's rules (see keiko games --verbose)"), \
    ROW_TEXT("players", AT(players), "LIST", NULL, "Players separated by ';' (plain names also by ','), each AGENT or NAME=AGENT; default: the game's levels from beginner to hard", .letter = 'p', .choices = "agents"), \
    ROW_INT("games", AT(games), "N", "0", 0, 4e9, "Games per pairing, half of them with each side first (an odd one: the first named); 0 = 50, with --levels 200, with --sprt 40000", .letter = 'n'), \
    ROW_CHOICE("schedule", AT(schedule), "KIND", NULL, "round-robin|gauntlet|neighbours|pair", "Who meets whom: all against all; the first against all others; each against the next; two players"), \
    ROW_FILE("config", AT(config), NULL, "Read players and settings from a JSON file; options on the command line take precedence"), \
    ROW_TEXT("levels", AT(levels), "GAME", NULL, "Measure the levels of a game, each against the next; exit status 1 unless all gaps are 200 to 400 Elo", .choices = "games"), \
    ROW_INT("seed", AT(seed), "N", "1", 0, 9e15, "Random seed for openings, players and the game's own chance")
#define BENCH_OPENING_ROWS(AT) \
    {.name = "openings", .kind = OPT_FILE, .at = AT(openings), .value = "KIND", .preset = "auto", .help = "Where games begin: auto, balanced, named (renju's 26), start, or a FILE with one opening per line, moves separated by ';'"}, \
    ROW_INT("opening-count", AT(opening_count), "N", "500", 1, OPENINGS_MOST, "Generate at most N openings; longer runs repeat them"), \
    ROW_INT("max-plies", AT(max_plies), "N", "0", 0, MATCH_MAX_PLIES, "End a game as a draw after N moves; 0 = no limit"), \
    ROW_INT("adjudicate", AT(adjudicate), "N", "0", 0, MATCH_ADJUDICATE, "With N empty squares, let the exact solver decide the game (Othello); 0 = play on"), \
    ROW_NUMBER("resign", AT(resign), "P", "0.02", 0, 0.49, "With --resign-moves: a player that expects at most this score resigns if the other agrees"), \
    ROW_INT("resign-moves", AT(resign_moves), "N", "0", 0, 1000, "Number of moves in a row before a player resigns; 0 = nobody resigns")
#define BENCH_TEST_ROWS(AT) \
    ROW_TEXT("sprt", AT(sprt), "K=V,…", NULL, "Play until this sequential test is decided: elo0=0,elo1=30,alpha=0.05,beta=0.05,scale=logistic|normalised")
#define BENCH_FORMAT_ROWS(AT) \
    ROW_CHOICE("format", AT(format), "KIND", NULL, "json|csv", "Write results.json, or ratings.csv and games.csv; default json")
// clang-format on

err bench_ask_defaults(bench_ask *a);
void bench_ask_said(bench_ask *a, const opt_values *given); // takes from the command line what was said there
void bench_ask_game(bench_ask *a, const char *name);        // as if --game said it
bool bench_said(const bench_ask *a, const char *row);
const char *bench_said_any(const bench_ask *a); // the first row said that decides games, --seed left out; NULL = none
err bench_ask_config(bench_ask *a);             // reads a->config, if any; what was said before stays
err bench_ask_json(bench_ask *a, const char *text, size_t size, const char *name); // the same from memory
void bench_ask_free(bench_ask *a);

// A complete setup but for its openings. `was`: an earlier run, whose settings stand where nothing was said; may be NULL.
err bench_setup(tour_setup *out, const bench_ask *a, const tour_setup *was); // free with tour_setup_free
err bench_openings(tour_setup *s, const bench_ask *a);                       // makes or reads the set
typedef void bench_note(void *ctx, const char *text);                        // a sentence for people
// Opens each player once, so that a wrong name is reported before any game; notes which are equal players.
err bench_check_players(const tour_setup *s, bench_note *note, void *ctx);

// --- ratings

typedef struct bench_rating {
    const char *model, *anchor, *errors;
    double prior, confidence;
} bench_rating;
// clang-format off
#define BENCH_RATING_ROWS(AT) \
    ROW_CHOICE("model", AT(model), "NAME", "bt-adv", "bt|bt-adv|rao-kupper|davidson", "Rating model: Bradley-Terry without or with first-move advantage, or a model with draws"), \
    ROW_TEXT("anchor", AT(anchor), "NAME=R;…", NULL, "Players with a fixed rating; without any the mean is 1500"), \
    ROW_NUMBER("prior", AT(prior), "N", "0", 0, 1000, "Virtual draws of each player against the mean; 0 = only where the results need them"), \
    ROW_CHOICE("errors", AT(errors), "KIND", "best", "best|information|sandwich|pairs|bootstrap", "How errors are computed; best = by pairs of games where there are enough"), \
    ROW_NUMBER("confidence", AT(confidence), "P", "0.95", 0.5, 0.9999, "Level of intervals and verdicts")
// clang-format on

// What was said on the command line; the rest stays as the run says. `seed`: of a bootstrap.
view_options bench_view_options(const bench_rating *r, const opt_values *given, int64_t seed);

// --- files

typedef struct bench_files {
    char json[FILE_PATH], ratings[FILE_PATH], games[FILE_PATH], store[FILE_PATH];
} bench_files;
err bench_paths(bench_files *f, const char *output, int number); // number > 0: of a repeated run

typedef enum bench_form { BENCH_JSON, BENCH_RATINGS, BENCH_GAMES, BENCH_SGF, BENCH_PGN } bench_form;
err bench_form_find(const char *name, bench_form *out); // "json", "csv", "sgf", "pgn"
err bench_put(bench_form form, const tour_view *v, store *s, const export_options *o, sink to);
// Replaces a file only if it holds the same kind of results; anything else of that name is left alone.
err bench_put_file(bench_form form, const tour_view *v, store *s, const export_options *o, const char *path);
err bench_write(const tour_view *v, store *s, const export_options *o, const char *format, const bench_files *f);
err bench_may_write(const char *format, const bench_files *f); // the same check before any game is played

bool bench_is_run(const char *path);    // does it look like a run of the bench? Cheap; no error
bool bench_is_played(const char *path); // is somebody playing into its store just now?
// A store, its folder, or results in JSON. Free with bench_close.
typedef struct bench_opened {
    store *s;
    tour_view view;
    bool playing; // somebody plays it just now
} bench_opened;
err bench_open(bench_opened *out, const char *path, int run, const view_options *o); // run 0 = the last
void bench_close(bench_opened *b);

// --- playing

typedef struct bench_run_options {
    const char *output; // a folder, or a .json file; NULL: no file is written
    text_buf *json;     // the results are appended here, too; may be NULL
    bool resume, no_store, no_timing, lines;
    int threads;             // 0 = one per core
    int number;              // of a repeated run, from 1; 0 = the only one
    const bus_options *nats; // workers elsewhere play; NULL: this process
    const char *version;     // of this program; with `nats` only
    view_options view;
    // Callbacks, each may be NULL. `begin` and `end` stand around the games; `watch` is called a few times per second.
    bench_note *note;
    void (*begin)(void *ctx, const tour_setup *setup, uint64_t total, uint64_t played); // total 0 = a test decides
    void (*watch)(void *ctx, const tour_live *now);
    void (*end)(void *ctx, const tour_end *end);
    void *ctx;
} bench_run_options;

typedef struct bench_result { // free with bench_result_free
    tour_view view;
    bool loaded;  // `view` is filled
    bool stopped; // by Ctrl-C: finished games are kept, and what they say is in `view` and on the disk
} bench_result;
err bench_run(bench_result *out, bench_ask *a, const bench_run_options *o);
void bench_result_free(bench_result *r);

// The whole run several times with other seeds, to see how much ratings vary.
typedef struct bench_spread { // free with bench_spread_free
    int players, runs;        // runs that were finished
    char (*name)[STATS_MAX_NAME + 1];
    double *rating, *sequential; // [run][player]
} bench_spread;
typedef struct bench_deviation {
    double mean, sd;
} bench_deviation;
err bench_repeat(bench_spread *out, bench_result *last, bench_ask *a, const bench_run_options *o, int runs);
bench_deviation bench_deviation_of(const bench_spread *s, const double *values, int player); // needs two runs
void bench_spread_free(bench_spread *s);

// Ratings so far, for a watcher: without the first-move term, which the counts do not know. Free with rating_free.
err bench_live_fit(const tour_live *now, rating_fit *f);

// --- levels

enum { LEVEL_GAP_LOW = 200, LEVEL_GAP_HIGH = 400 };
typedef struct bench_gap {
    double elo;
    interval in;
    bool fits;
} bench_gap;
bench_gap bench_gap_of(const tour_view *v, int player); // to the player after it

// --- comparing

typedef struct bench_effort { // of the players compared
    double choices, nodes, seconds, cpu;
} bench_effort;
typedef struct bench_comparison { // free with bench_comparison_free
    comparison c;
    bench_effort was, now;
} bench_comparison;
// `unchanged`: names of players known to be the same in both; NULL = those of equal settings, if the build is the same.
err bench_compare(bench_comparison *out, const char *baseline, const char *target, const char *unchanged,
                  const view_options *o);
void bench_comparison_free(bench_comparison *b);

// --- looking at a run

err bench_markdown(const char *path, int run, const view_options *o, text_buf *to); // for a comment
void bench_status_json(const tour_view *v, bool playing, json_writer *w);
void bench_comparison_json(const bench_comparison *b, json_writer *w);

// Members of an object that is open: setup, pairings, convergence and, with a test, sprt with the course of its LLR.
err bench_details_json(const bench_opened *b, json_writer *w);

typedef struct bench_filter { // zero: every game
    const char *player;       // games of this player; NULL = of all
    const char *result;       // "win", "draw" or "loss" of that player (or of who moved first); NULL = any
    int64_t from, limit;      // which of those that fit
} bench_filter;
// Members of an object that is open: one game without its moves. `began`: its opening.
void bench_game_members(json_writer *w, const tour_setup *setup, const char *began, const match_record *r);
err bench_games_json(const bench_opened *b, const bench_filter *f, json_writer *w); // a page: items, total, from
err bench_game_json(const bench_opened *b, uint64_t number, json_writer *w);        // one, with its moves; ERR_MISSING
// Games of all runs of a store with their moves, newest first, as a page. `s` NULL: none.
err bench_recent_json(store *s, int64_t from, int64_t limit, json_writer *w);

// --- two players, without files: `pairs` random openings, each from both sides

typedef struct bench_score {
    uint64_t games, wins, draws, losses; // of the first player
    double score;
    interval in; // of the score, at 95 %
} bench_score;
err bench_pair(bench_score *out, const game *g, const char *first, const char *second, int pairs, uint64_t seed,
               int threads);

#endif
