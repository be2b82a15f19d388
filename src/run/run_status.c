// Reading a run's folder from outside. See run_status.h.
#include "run/run_status.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/opt.h"
#include "stats/dist.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// --- run.txt

typedef struct info_text {
    const char *game, *algo, *began, *version;
} info_text;

static const opt info_rows[] = {
    {.name = "game", .kind = OPT_TEXT, .at = offsetof(info_text, game), .preset = ""},
    {.name = "algo", .kind = OPT_TEXT, .at = offsetof(info_text, algo), .preset = ""},
    {.name = "began", .kind = OPT_TEXT, .at = offsetof(info_text, began), .preset = ""},
    {.name = "version", .kind = OPT_TEXT, .at = offsetof(info_text, version), .preset = ""},
};

err run_info_read(run_info *info, const char *dir)
{
    enum { ROWS = sizeof info_rows / sizeof *info_rows };
    char path[FILE_PATH];
    info_text t;
    opt_values *keep = opt_keep();
    err e = keep == NULL ? err_set(ERR_MEMORY, "out of memory while reading %s", dir) : ERR_OK;
    if (e == ERR_OK) e = file_join(path, sizeof path, dir, "run.txt");
    if (e == ERR_OK && !file_exists(path)) e = err_set(ERR_MISSING, "%s holds no training run (no run.txt there)", dir);
    if (e == ERR_OK) e = opt_defaults(info_rows, ROWS, &t);
    if (e == ERR_OK) e = opt_config_file(info_rows, ROWS, &t, path, keep);
    if (e == ERR_OK) {
        snprintf(info->game, sizeof info->game, "%s", t.game);
        snprintf(info->algo, sizeof info->algo, "%s", t.algo);
        snprintf(info->began, sizeof info->began, "%s", t.began);
        snprintf(info->version, sizeof info->version, "%s", t.version);
    }
    opt_free(keep);
    return e;
}

const char *run_step_word(const char *algo)
{
    return strcmp(algo, "dqn") == 0 ? "decision" : "step";
}

// --- limits: the progress line writes them down when a start first shows it

static int64_t limit_of(const run_record *r, const char *name)
{
    double v = run_record_get(r, name);
    return v > 0.0 && v < 9e15 ? (int64_t)v : 0;
}

static void read_limits(run_state *s, const run_book *b)
{
    const run_record *r = run_book_last(b, "limits");
    if (r == NULL) return;
    s->limit_steps = limit_of(r, "steps");
    s->limit_games = limit_of(r, "games");
    s->limit_seconds = fmax(0.0, run_record_get(r, "seconds_most"));
}

// --- checkpoints, by name alone: checking sums is the trainer's business

static void read_points(run_state *s, const char *dir)
{
    char path[FILE_PATH], inner[FILE_PATH], **names;
    int n, best = 0;
    struct stat st;
    s->saved_step = -1;
    s->saved_age = NAN;
    if (file_join(path, sizeof path, dir, "checkpoints") != ERR_OK || file_list(path, NULL, &names, &n) != ERR_OK)
        return;
    for (int i = 0; i < n; i++) {
        int serial, end = 0;
        long long step;
        if (sscanf(names[i], "%d-step-%lld%n", &serial, &step, &end) != 2 || names[i][end] != 0 || serial <= best)
            continue;
        best = serial;
        s->saved_step = step;
        if (file_join(inner, sizeof inner, path, names[i]) == ERR_OK && stat(inner, &st) == 0)
            s->saved_age = fmax(0.0, clock_unix() - (double)st.st_mtime);
    }
    file_list_free(names, n);
}

// --- the log

// Means over the last lines of a kind, so that one noisy line does not stand for the run.
static double recent(const run_book *b, const char *kind, const char *name, int lines)
{
    double sum = 0.0;
    int n = 0;
    for (int i = run_book_count(b) - 1; i >= 0 && n < lines; i--) {
        const run_record *r = run_book_at(b, i);
        if (strcmp(r->kind, kind) != 0) continue;
        double v = run_record_get(r, name);
        if (isnan(v)) continue;
        sum += v;
        n++;
    }
    return n > 0 ? sum / n : NAN;
}

static void read_losses(run_state *s, const run_book *b)
{
    enum { LINES = 20 };
    const run_record *r = run_book_last(b, "learn");
    for (int i = 0; r != NULL && i < r->n && s->n_losses < RUN_HEADS; i++) {
        const char *name = r->values[i].name;
        if (strncmp(name, "loss", 4) != 0 || r->values[i].text != NULL) continue;
        const char *head = strcmp(name, "loss") == 0 ? "loss" : name[4] == '_' ? name + 5 : name + 4;
        snprintf(s->loss[s->n_losses].name, sizeof s->loss[0].name, "%s", head);
        s->loss[s->n_losses++].v = recent(b, "learn", name, LINES);
    }
}

static void read_elo(run_state *s, const run_book *b)
{
    s->elo = s->elo_low = s->elo_high = s->best_elo = NAN;
    for (int i = 0; i < run_book_count(b); i++) {
        const run_record *r = run_book_at(b, i);
        if (strcmp(r->kind, "elo") != 0) continue;
        double v = run_record_get(r, "elo");
        if (isnan(v)) continue;
        s->elo = v;
        s->elo_low = run_record_get(r, "low");
        s->elo_high = run_record_get(r, "high");
        s->elo_step = r->step;
        if (!(v <= s->best_elo)) {
            s->best_elo = v;
            s->best_step = r->step;
        }
    }
}

void run_match_interval(const run_record *r, double *low, double *high)
{
    double score = run_record_get(r, "score"), games = run_record_get(r, "games");
    *low = run_record_get(r, "low");
    *high = run_record_get(r, "high");
    if (!isnan(*low) || !(score >= 0.0 && score <= 1.0) || !(games > 0.0)) return;
    interval i = rate_wilson(score * games, games, 0.95);
    *low = i.low;
    *high = i.high;
}

static void read_matches(run_state *s, const run_book *b)
{
    for (int i = run_book_count(b) - 1; i >= 0; i--) { // backwards: the last of each opponent
        const run_record *r = run_book_at(b, i);
        const char *who = strcmp(r->kind, "match") == 0 ? run_record_text(r, "opponent") : NULL;
        int k = 0;
        if (who == NULL) continue;
        while (k < s->n_matches && strncmp(s->match[k].opponent, who, sizeof s->match[k].opponent - 1) != 0) k++;
        if (k < s->n_matches || k == RUN_OPPONENTS) continue;
        run_match *m = &s->match[s->n_matches++];
        snprintf(m->opponent, sizeof m->opponent, "%s", who);
        m->step = r->step;
        m->score = run_record_get(r, "score");
        m->games = run_record_get(r, "games");
        run_match_interval(r, &m->low, &m->high);
    }
}

// The pace of the last tenth of the time, so that a change of speed is seen soon. It ends with the last learning: a rating
// behind that, as at a run's end, is no slowness.
static void read_pace(run_state *s, const run_book *b)
{
    int n = run_book_count(b);
    double learned = 0.0;
    int64_t step = 0;
    s->steps_s = NAN;
    for (int i = 0; i < n; i++) {
        const run_record *r = run_book_at(b, i);
        if (r->step > s->step) s->step = r->step;
        if (r->seconds > s->seconds) s->seconds = r->seconds;
        if (strcmp(r->kind, "learn") == 0) learned = r->seconds, step = r->step;
    }
    if (learned <= 0.0) learned = s->seconds, step = s->step;
    for (int i = n - 1; i >= 0; i--) {
        const run_record *r = run_book_at(b, i);
        double span = learned - r->seconds;
        if (span < 0.1 * learned && i > 0) continue;
        if (span > 0.0) s->steps_s = (double)(step - r->step) / span;
        break;
    }
    s->left = s->limit_seconds > 0.0 ? fmax(0.0, s->limit_seconds - s->seconds) : NAN;
    if (s->limit_steps > 0 && s->steps_s > 0.0) {
        double left = fmax(0.0, (double)(s->limit_steps - s->step) / s->steps_s);
        if (!(s->left < left)) s->left = left;
    }
    if (s->limit_games > 0 && s->games > 0.0 && s->seconds > 0.0) {
        double left = fmax(0.0, ((double)s->limit_games - s->games) * s->seconds / s->games);
        if (!(s->left < left)) s->left = left;
    }
}

err run_state_of(run_state *s, const char *dir, const run_book *b)
{
    enum { LINES = 5 };
    char path[FILE_PATH], why[160];
    struct stat st;
    *s = (run_state){.age = NAN};
    err e = run_info_read(&s->info, dir);
    if (e == ERR_OK) e = file_join(path, sizeof path, dir, "log.jsonl");
    if (e != ERR_OK) return e;
    s->pid = run_holder(dir);
    if (stat(path, &st) == 0) s->age = fmax(0.0, clock_unix() - (double)st.st_mtime);
    s->bad_lines = run_book_bad(b, why);
    read_limits(s, b);
    read_points(s, dir);
    const struct {
        double *to;
        const char *kind, *name;
        int lines;
    } rows[] = {{&s->games, "selfplay", "games", 1},         {&s->positions, "selfplay", "positions", 1},
                {&s->games_s, "selfplay", "games_s", LINES}, {&s->positions_s, "selfplay", "positions_s", LINES},
                {&s->sims_s, "selfplay", "sims_s", LINES},   {&s->length, "selfplay", "length", LINES},
                {&s->entropy, "selfplay", "entropy", LINES}, {&s->batch_fill, "selfplay", "batch_fill", LINES},
                {&s->buffer, "selfplay", "buffer", 1},       {&s->lr, "learn", "lr", 1},
                {&s->reward, "episode", "reward", LINES},    {&s->chain, "episode", "chain", LINES},
                {&s->epsilon, "episode", "epsilon", 1},      {&s->win, "episode", "win", LINES}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        *rows[i].to = recent(b, rows[i].kind, rows[i].name, rows[i].lines);
    if (isnan(s->games)) s->games = recent(b, "episode", "episodes", 1);
    read_losses(s, b);
    read_elo(s, b);
    read_matches(s, b);
    read_pace(s, b);
    const run_record *done = run_book_last(b, "done");
    const char *reason = done == NULL ? NULL : run_record_text(done, "why");
    bool after = done != NULL && done == run_book_at(b, run_book_count(b) - 1); // nothing was trained since
    if (after) snprintf(s->ended, sizeof s->ended, "%s", reason == NULL ? "done" : reason);
    return ERR_OK;
}

err run_state_read(run_state *s, const char *dir)
{
    run_book *b = NULL;
    run_info info; // before the log: a wrong folder gets the better sentence
    err e = run_info_read(&info, dir);
    if (e == ERR_OK) e = run_book_read(&b, dir);
    if (e == ERR_OK) e = run_state_of(s, dir, b);
    run_book_free(b);
    return e;
}

// --- JSON

static void put_match(json_writer *w, const run_match *m)
{
    json_open_object(w);
    json_pair_text(w, "opponent", m->opponent);
    json_pair_int(w, "step", m->step);
    json_pair_number(w, "score", m->score);
    json_pair_number(w, "low", m->low);
    json_pair_number(w, "high", m->high);
    json_pair_number(w, "games", m->games);
    json_close(w);
}

static void put_rates(const run_state *s, json_writer *w)
{
    const struct {
        const char *name;
        double v;
    } numbers[] = {{"steps_s", s->steps_s},
                   {"games", s->games},
                   {"positions", s->positions},
                   {"games_s", s->games_s},
                   {"positions_s", s->positions_s},
                   {"sims_s", s->sims_s},
                   {"length", s->length},
                   {"entropy", s->entropy},
                   {"batch_fill", s->batch_fill},
                   {"buffer", s->buffer},
                   {"lr", s->lr},
                   {"reward", s->reward},
                   {"chain", s->chain},
                   {"epsilon", s->epsilon},
                   {"win", s->win}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isnan(numbers[i].v)) json_pair_number(w, numbers[i].name, numbers[i].v);
}

void run_state_json(const run_state *s, json_writer *w)
{
    json_open_object(w);
    json_pair_text(w, "game", s->info.game);
    json_pair_text(w, "algo", s->info.algo);
    json_pair_text(w, "began", s->info.began);
    json_pair_bool(w, "running", s->pid != 0);
    if (s->pid != 0) json_pair_int(w, "pid", s->pid);
    if (s->ended[0]) json_pair_text(w, "ended", s->ended);
    json_pair_number(w, "age", s->age);
    json_pair_int(w, "step", s->step);
    json_pair_number(w, "seconds", s->seconds);
    if (s->limit_steps > 0) json_pair_int(w, "limit_steps", s->limit_steps);
    if (s->limit_games > 0) json_pair_int(w, "limit_games", s->limit_games);
    if (s->limit_seconds > 0.0) json_pair_number(w, "limit_seconds", s->limit_seconds);
    if (!isnan(s->left)) json_pair_number(w, "left", s->left);
    put_rates(s, w);
    json_pair_object(w, "losses");
    for (int i = 0; i < s->n_losses; i++) json_pair_number(w, s->loss[i].name, s->loss[i].v);
    json_close(w);
    if (!isnan(s->elo)) {
        json_pair_object(w, "elo");
        json_pair_number(w, "elo", s->elo);
        json_pair_number(w, "low", s->elo_low);
        json_pair_number(w, "high", s->elo_high);
        json_pair_int(w, "step", s->elo_step);
        json_pair_number(w, "best", s->best_elo);
        json_pair_int(w, "best_step", s->best_step);
        json_close(w);
    }
    json_pair_array(w, "matches");
    for (int i = 0; i < s->n_matches; i++) put_match(w, &s->match[i]);
    json_close(w);
    if (s->saved_step >= 0) {
        json_pair_int(w, "checkpoint_step", s->saved_step);
        json_pair_number(w, "checkpoint_age", s->saved_age);
    }
    if (s->bad_lines > 0) json_pair_int(w, "bad_lines", s->bad_lines);
    json_close(w);
}
