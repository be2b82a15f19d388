// Where a run stands, read from its folder by anyone: `keiko status`, `keiko report`, the page. Nothing is changed there.
#ifndef KEIKO_RUN_RUN_STATUS_H
#define KEIKO_RUN_RUN_STATUS_H

#include "base/json.h"
#include "run/run_log.h"

typedef struct run_info { // run.txt
    char game[64], algo[64], began[32], version[64];
} run_info;

err run_info_read(run_info *info, const char *dir); // ERR_MISSING when the folder holds no run
const char *run_step_word(const char *algo);        // what a run counts: "step", or the learner's "decision"
long run_holder(const char *dir);                   // the process that trains there, 0 = none

enum { RUN_HEADS = 12, RUN_OPPONENTS = 16 };

typedef struct run_match { // the last result against one opponent
    char opponent[96];
    int64_t step;
    double score, low, high, games; // NaN: not known
} run_match;

// Numbers that are not known are NaN (or 0 for counts and limits).
typedef struct run_state {
    run_info info;
    long pid;       // 0: not running
    char ended[32]; // why it ended by itself ("steps", "stopped"); "" when it did not say
    double age;     // seconds since the log grew
    int64_t step;
    double seconds;             // trained
    double limit_seconds, left; // left: by the limits and the pace; NaN = not known
    int64_t limit_steps, limit_games;
    double steps_s, games, positions, games_s, positions_s, sims_s, length, entropy, batch_fill, buffer, lr;
    struct {
        char name[48];
        double v;
    } loss[RUN_HEADS]; // of the last lines, averaged; the total first
    int n_losses;
    double elo, elo_low, elo_high, best_elo;
    int64_t elo_step, best_step;
    run_match match[RUN_OPPONENTS];
    int n_matches;
    int64_t saved_step; // of the newest checkpoint, -1 = none
    double saved_age;
    double reward, chain, epsilon, win; // DQN
    int bad_lines;
} run_state;

// The interval of a `match` line: its own, or Wilson's from score and games; NaN when neither is known.
void run_match_interval(const run_record *r, double *low, double *high);

err run_state_read(run_state *s, const char *dir);
err run_state_of(run_state *s, const char *dir, const run_book *book); // the same with a log read before
void run_state_json(const run_state *s, json_writer *w);               // one object

#endif
