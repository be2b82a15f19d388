// A training run's folder: what a run keeps, and what people see of it while it goes on.
//
//   run.txt             what this is: game, algorithm, version, when it began
//   config.txt          the options, `key = value` with the command line's names; `--config` reads it too
//   log.jsonl           one flat JSON object a line: kind, step, seconds, then any named numbers and texts
//   events.out.tfevents.*   the same numbers for TensorBoard
//   logs/training_*.log     the text log of each start
//   checkpoints/000012-step-1200/   files of the caller, and manifest.txt with their sizes and checksums
//   lock                held by the process that trains
//
// The idea: a checkpoint is the only truth. It appears whole or not at all, the one before it stays until then, and it
// notes how long the log was. A resumed run takes the newest whole checkpoint and cuts the log (and TensorBoard's files)
// back to that length, so that curves have no doubles, whatever the moment of the kill. Everything here is for one
// process at a time; the log may be written from any of its threads.
//
// How a learning loop uses it:
//     run_open(&r, &(run_options){.dir = …, .resume = …, …});
//     if ((p = run_resumed(r)) != NULL) … read your files: run_point_path(p, "net.safetensors", path) …
//     loop: RUN_LOG(r, "learn", step, RUN_N("loss", l), RUN_T("net", "ema")); run_show(r, &pace);
//           now and then: run_save_begin(r, step, &s); run_save_path(s, "net.safetensors", path); … run_save_commit(s);
//     run_close(r);
#ifndef KEIKO_RUN_RUN_H
#define KEIKO_RUN_RUN_H

#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/opt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct run_home run_home; // not plain `run`: every command has a function of that name

typedef struct run_options {
    const char *dir;
    const char *game, *algo; // "contrast", "zero" or "dqn"
    const char *version;     // of the program, for run.txt; may be NULL
    const char *library;     // the file that brought the game, noted in config.txt; NULL: none did
    bool resume;             // false: the folder must hold no run yet; true: it must hold one of this game and algo
    // What goes to config.txt; `skip` names rows that do not belong there ("run", "resume", "config"), NULL at the end.
    const opt *opts;
    int n_opts;
    const void *values;
    const char *const *skip;
    int keep;       // whole checkpoints to keep; 0 = 2
    bool no_events; // leave TensorBoard out
    // Levels and colour of the text log, which run_open then (re)opens in logs/; NULL, or with a `dir` of its own: it stays
    // as it is.
    const log_options *log;
} run_options;

// Fails with the holder's process number when another process trains there. Caller frees with run_close.
err run_open(run_home **out, const run_options *o);
void run_close(run_home *r); // finishes the progress line, gives the lock back; NULL is fine

// An error that names both if the folder holds a run of another game or algorithm, or says that it holds none.
err run_is_of(const char *dir, const char *game, const char *algo);

// The options of an earlier start, to be read before run_open when resuming. Arguments as for opt_config_file: with
// `opts` and `into` NULL the keys are all options of the command line `keep` came from, and what was typed there wins.
err run_config_load(const char *dir, const opt *opts, int n, void *into, opt_values *keep);

const char *run_dir(const run_home *r);
err run_path(const run_home *r, const char *name, char path[FILE_PATH]); // a file of yours in the run's folder
double run_seconds(const run_home *r); // time trained, over all starts; what was lost by a kill does not count

// --- the log

typedef struct run_value {
    const char *name;
    double v;         // JSON has no NaN and no infinity: they become null
    const char *text; // when not NULL, this is the value; not shown to TensorBoard
} run_value;

// Names that status and report know; others are kept, and drawn under "other". "kind: names".
//   start:    written by run_open; limits: by run_show. done: written by you at the end; text `why` ("limit", "stopped")
//   learn:    loss, loss_<head>, lr, grad_norm, samples, samples_s, reuse (samples per position)
//   heldout:  (distil) agreement (0…1: the teacher's choice is the network's), entropy, shortfall, value_error, positions
//   selfplay: games, positions (totals), games_s, positions_s, sims_s, length, entropy, draws, first_wins, batch_fill (0…1),
//             cache_hits (0…1), queue, buffer, staleness, resign_wrong
//   shares:   (0…1) of self-play's threads' time: tree (with waiting), encode, send, network; busy: of the time, a batch was there
//   time:     seconds of wall time in each stage since the last such line, one number a stage: selfplay, learn, eval, …
//   elo:      elo, low, high (95 %), games
//   perfect:  right (0…1: positions of a small game in which the bare network keeps the result), value_error
//   game:     texts moves (separated by ';') and score (the first player's): a game of self-play, for people
//   match:    opponent (text), score (0…1), low, high, games
//   episode:  (DQN) reward, reward_<component>, chain, length, epsilon, beta, td_error, win, stage (curriculum), episodes,
//             alone_agrees, alone_explains (0…1: choices, and squares of advantages, of looking ahead that the bare network has)
err run_log(run_home *r, const char *kind, int64_t step, const run_value *values, int n);

#define RUN_N(name, number)                                                                                            \
    {                                                                                                                  \
        (name), (double)(number), NULL                                                                                 \
    }
#define RUN_T(name, words)                                                                                             \
    {                                                                                                                  \
        (name), 0.0, (words)                                                                                           \
    }
#define RUN_LOG(r, kind, step, ...)                                                                                    \
    run_log((r), (kind), (step), (const run_value[]){__VA_ARGS__},                                                     \
            (int)(sizeof((const run_value[]){__VA_ARGS__}) / sizeof(run_value)))

// --- the progress line

typedef struct run_pace {
    int64_t step, steps;       // steps: where the run will end, 0 = not by steps
    int64_t games, games_most; // likewise
    double seconds_most;       // likewise; compared with run_seconds()
    double games_s, positions_s, sims_s;
    const run_value *losses; // named numbers: {"loss", …}, {"policy", …}
    int n_losses;
    bool has_elo;
    double elo, elo_error; // half width of the 95 % interval, 0 = not known
    int64_t buffer;        // positions
    double lr;
} run_pace;

// Redraws the line on a terminal (as often as you like), and writes it to the text log: every half minute, more often in the
// first one, and how it was at the end. `r` may be NULL, here
// and in run_log: then nothing happens.
void run_show(run_home *r, const run_pace *p);
// While the network is rated, instead of the numbers above; from any thread.
void run_show_rating(run_home *r, uint64_t done, uint64_t games);
size_t run_pace_text(const run_pace *p, char *buf,
                     size_t n); // "31 games/s  1.2k pos/s  loss 1.32 …"; what snprintf says

// Has a limit of `p` been reached after this many seconds?
bool run_over(const run_pace *p, double seconds);

// --- checkpoints

typedef struct run_point {
    int64_t step;
    double seconds;
    char dir[FILE_PATH];
} run_point;

const run_point *run_resumed(const run_home *r); // the checkpoint to read, NULL when the run starts from zero; borrowed
err run_point_path(const run_point *p, const char *name, char path[FILE_PATH]);

// Write files into the checkpoint's folder, by path or as bytes, then commit: sizes and checksums are taken, everything is
// flushed, and the folder gets its name in one rename. Names are plain (no '/'). The oldest whole ones above `keep` go.
typedef struct run_save run_save;
err run_save_begin(run_home *r, int64_t step, run_save **out);
err run_save_path(run_save *s, const char *name, char path[FILE_PATH]);
err run_save_bytes(run_save *s, const char *name, const void *data, size_t size);
err run_save_commit(run_save *s); // frees `s` whatever happens; on failure the last checkpoint stays the newest
void run_save_abort(run_save *s);

#endif
