// Training runs: folders below runs/, read through app/runs, trained by processes of their own. See docs/API.md.
#include "app/runs.h"
#include "base/clock.h"
#include "learn/trainer.h"
#include "serve/api.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_USUAL = 5000, ROWS_MOST = 20000, ARGV = 80, CONFIG_TEXT = 1 << 16 };

// --- looking

// A run whose process has not made its folder yet, or could not.
static void put_unborn(api *a, const char *topic, json_writer *w)
{
    bool runs = jobs_runs(a->children, topic);
    json_pair_object(w, "state");
    json_pair_text(w, "game", "");
    json_pair_text(w, "algo", "");
    json_pair_text(w, "began", "");
    json_pair_bool(w, "running", runs);
    if (!runs) json_pair_text(w, "ended", "failed");
    json_pair_int(w, "step", 0);
    json_pair_number(w, "seconds", 0);
    json_pair_object(w, "losses");
    json_close(w);
    json_pair_array(w, "matches");
    json_close(w);
    json_close(w);
}

static void put_message(api *a, const char *topic, json_writer *w)
{
    text_buf t = {0};
    if (jobs_message(a->children, topic, &t)) json_pair_text(w, "message", text_str(&t));
    text_free(&t);
}

err api_run_members(api *a, const char *name, json_writer *w)
{
    char dir[NAMES_PATH];
    run_state s;
    err e = names_folder(dir, "runs", name);
    if (e != ERR_OK) return e;
    json_pair_text(w, "name", name);
    json_pair_bool(w, "mine", jobs_known(a->children, dir));
    e = run_state_read(&s, dir);
    if (e == ERR_OK) {
        json_key(w, "state");
        run_state_json(&s, w);
    } else if (jobs_known(a->children, dir)) {
        put_unborn(a, dir, w);
        e = ERR_OK;
    }
    return e;
}

static int newest_first(const void *a, const void *b)
{
    const runs_entry *x = a, *y = b;
    int by_time = strcmp(y->s.info.began, x->s.info.began);
    return by_time != 0 ? by_time : strcmp(x->name, y->name);
}

void api_runs(api *a, const request *q, reply *r)
{
    runs_entry *list = NULL;
    int n = 0;
    api_page p;
    char topic[300];
    err e = api_page_read(q, 500, 50, &p);
    if (e == ERR_OK && file_is_dir("runs")) e = runs_list("runs", &list, &n);
    if (e != ERR_OK) {
        reply_err(r, e);
        return;
    }
    int known = 0; // those that this interface can name
    for (int i = 0; i < n; i++)
        if (names_plain(list[i].name)) list[known++] = list[i];
    if (known > 1) qsort(list, (size_t)known, sizeof *list, newest_first);
    json_writer w = reply_begin(r);
    json_pair_array(&w, "items");
    for (int64_t i = p.from; i < known && i < p.from + p.limit; i++) {
        snprintf(topic, sizeof topic, "runs/%s", list[i].name);
        json_open_object(&w);
        json_pair_text(&w, "name", list[i].name);
        json_pair_bool(&w, "mine", jobs_known(a->children, topic));
        json_key(&w, "state");
        run_state_json(&list[i].s, &w);
        json_close(&w);
    }
    json_close(&w);
    json_pair_int(&w, "total", known);
    json_pair_int(&w, "from", p.from);
    reply_end(r, &w, 200);
    free(list);
}

void api_run(api *a, const request *q, reply *r)
{
    char dir[NAMES_PATH];
    const char *name = q->part[0];
    run_info info;
    err e = names_folder(dir, "runs", name);
    bool there = e == ERR_OK && run_info_read(&info, dir) == ERR_OK;
    if (e == ERR_OK && !there && !jobs_known(a->children, dir)) e = err_set(ERR_MISSING, "there is no run '%s'", name);
    json_writer w = reply_begin(r);
    if (e == ERR_OK) e = api_run_members(a, name, &w);
    if (e == ERR_OK) {
        json_key(&w, "options");
        if (there)
            e = runs_options_json(dir, &w);
        else
            json_put_raw(&w, "{}", 2);
    }
    if (e == ERR_OK) {
        json_key(&w, "networks");
        if (there)
            e = runs_networks_json(dir, clock_unix(), &w);
        else
            json_put_raw(&w, "[]", 2);
    }
    if (e == ERR_OK) put_message(a, dir, &w);
    if (e == ERR_OK)
        reply_end(r, &w, 200);
    else
        reply_err(r, e);
}

void api_run_log(api *a, const request *q, reply *r)
{
    (void)a;
    char dir[NAMES_PATH];
    run_book *b = NULL;
    int64_t from = 0, limit = ROWS_USUAL, total = 0, at = 0;
    const char *kind = request_query(q, "kind");
    err e = api_folder(dir, "runs", q->part[0]);
    if (e == ERR_OK) e = request_whole(q, "from", -ROWS_MOST, INT64_MAX, &from);
    if (e == ERR_OK) e = request_whole(q, "limit", 1, ROWS_MOST, &limit);
    if (e == ERR_OK) e = run_book_read(&b, dir);
    if (e != ERR_OK) {
        reply_err(r, e);
        return;
    }
    for (int i = 0; i < run_book_count(b); i++) total += kind == NULL || strcmp(run_book_at(b, i)->kind, kind) == 0;
    if (from < 0) from = total + from > 0 ? total + from : 0;
    json_writer w = reply_begin(r);
    json_pair_array(&w, "items");
    for (int i = 0; i < run_book_count(b); i++) {
        const run_record *row = run_book_at(b, i);
        if (kind != NULL && strcmp(row->kind, kind) != 0) continue;
        if (at >= from && at - from < limit) runs_row_json(row, &w);
        at++;
    }
    json_close(&w);
    json_pair_int(&w, "total", total);
    json_pair_int(&w, "from", from);
    reply_end(r, &w, 200);
    run_book_free(b);
}

void api_run_games(api *a, const request *q, reply *r)
{
    (void)a;
    char dir[NAMES_PATH];
    api_page p;
    err e = api_folder(dir, "runs", q->part[0]);
    if (e == ERR_OK) e = api_page_read(q, 100, 10, &p);
    text_clear(&r->body);
    json_writer w = json_begin(&r->body, false);
    if (e == ERR_OK) e = runs_games_json(dir, p.from, p.limit, &w);
    if (e == ERR_OK) e = json_finish(&w);
    if (e == ERR_OK)
        r->status = 200;
    else
        reply_err(r, e);
}

void api_run_events(api *a, const request *q, reply *r)
{
    char dir[NAMES_PATH];
    int64_t from = 0;
    err e = names_folder(dir, "runs", q->part[0]);
    if (e == ERR_OK && !jobs_known(a->children, dir)) e = api_folder(dir, "runs", q->part[0]);
    if (e == ERR_OK) e = request_whole(q, "from", 0, INT64_MAX, &from);
    if (e == ERR_OK && q->last_event != NULL) from = strtoll(q->last_event, NULL, 10);
    if (e == ERR_OK) e = hub_listen(a->events, dir, &r->events, from);
    if (e == ERR_OK)
        r->status = 200;
    else
        reply_err(r, e);
}

// --- starting and stopping

// Options that name agents or networks.
static err check_value(const game *g, const opt *row, const char *value)
{
    static const struct {
        const char *name;
        err (*check)(const game *g, const char *value);
    } who[] = {{"references", names_agents},
               {"anchor", names_agents},
               {"opponents", names_shares},
               {"demonstrators", names_shares},
               {"teacher", names_teacher}};
    for (const char *p = value; *p != 0; p++)
        if ((unsigned char)*p < ' ' || *p == '"' || *p == '\\')
            return err_set(ERR_USAGE, "option '%s' has a character that is not allowed", row->name);
    for (size_t i = 0; i < sizeof who / sizeof *who; i++)
        if (strcmp(row->name, who[i].name) == 0) return who[i].check(g, value);
    bool file = row->kind == OPT_FILE || row->kind == OPT_DIR || strcmp(row->name, "init") == 0;
    return file && value[0] != 0 ? names_network(value) : ERR_OK;
}

// The options as lines of a configuration, and as words for the command line.
typedef struct start {
    text_buf lines;
    char *word[ARGV];
    int n;
} start;

static void start_free(start *s)
{
    text_free(&s->lines);
    for (int i = 0; i < s->n; i++) free(s->word[i]);
}

static err add_word(start *s, const char *fmt, const char *name, const char *value)
{
    text_buf t = {0};
    if (s->n == ARGV - 1) return err_set(ERR_LIMIT, "too many options");
    text_printf(&t, fmt, name, value);
    s->word[s->n] = text_take(&t);
    return s->word[s->n++] != NULL ? ERR_OK : err_set(ERR_MEMORY, "no memory for options");
}

static err add_options(start *s, const game *g, const trainer *t, const request_args *a)
{
    int n;
    const opt *rows = opt_flat(t->table->rows, t->table->n, &n);
    err e = ERR_OK;
    for (int i = 0; i < a->n && e == ERR_OK; i++) {
        const opt *row = opt_find(rows, n, a->arg[i].key);
        if (row == NULL || strcmp(row->name, "method") == 0) {
            e = err_set(ERR_USAGE, "training %s has no option '%.40s'", g->name, a->arg[i].key);
            break;
        }
        e = check_value(g, row, a->arg[i].value);
        if (e == ERR_OK) e = add_word(s, "--%s=%s", row->name, a->arg[i].value);
        text_printf(&s->lines, "%s = \"%s\"\n", row->name, a->arg[i].value);
    }
    return e;
}

// As the process would read them, so that what is wrong is said now.
static err try_options(const game *g, const trainer *t, const char *run, const char *lines)
{
    opt_values *keep = opt_keep();
    void *config = calloc(1, t->table->size);
    const config_layer layer = {"options", lines};
    err e = keep == NULL || config == NULL ? err_set(ERR_MEMORY, "no memory for options") : ERR_OK;
    if (e == ERR_OK && run != NULL)
        e = train_config_resume(t->table, config, run, &layer, 1, keep);
    else if (e == ERR_OK)
        e = t->make(config, g, NULL, &layer, 1, keep);
    if (e == ERR_OK && !train_config_limited(t->table, config))
        e = err_set(ERR_USAGE, "say how long to train: minutes, steps or games");
    if (e == ERR_OK) e = t->check(&(train_options){.g = g}, config);
    opt_free(keep);
    free(config);
    return e;
}

static err launch(api *a, start *s, const char *what, const char *dir, bool resume)
{
    const char *argv[ARGV + 8];
    int n = 0;
    argv[n++] = "train";
    argv[n++] = what;
    argv[n++] = "--run";
    argv[n++] = dir;
    if (resume) argv[n++] = "--resume";
    for (int i = 0; i < s->n; i++) argv[n++] = s->word[i];
    argv[n] = NULL;
    return jobs_start(a->children, dir, argv);
}

static void answer_started(reply *r, err e, const char *name, int status)
{
    if (e == ERR_STOPPED) {
        reply_refuse(r, 409, "%s", err_text());
    } else if (e != ERR_OK) {
        reply_err(r, e);
    } else {
        json_writer w = reply_begin(r);
        json_pair_text(&w, "name", name);
        reply_end(r, &w, status);
    }
}

void api_run_start(api *a, const request *q, reply *r)
{
    char dir[NAMES_PATH], name[NAMES_MOST + 1], *game_name = NULL;
    const game *g = NULL;
    const trainer *t = NULL;
    request_args *options = NULL;
    start s = {0};
    bool taken = false;
    err e = request_text(q, "game", &game_name);
    if (e == ERR_OK && game_name == NULL) e = err_set(ERR_USAGE, "'game' is missing");
    if (e == ERR_OK) e = game_find(game_name, &g);
    if (e == ERR_OK) e = trainer_find(g, NULL, &t);
    if (e == ERR_OK) e = request_args_read(&options, q, "options");
    if (e == ERR_OK) e = add_options(&s, g, t, options);
    if (e == ERR_OK) e = try_options(g, t, NULL, text_str(&s.lines));
    if (e == ERR_OK) e = api_new_name(a, name, q, "runs", g->name, &taken);
    if (e == ERR_OK) e = names_folder(dir, "runs", name);
    if (e == ERR_OK) e = launch(a, &s, g->name, dir, false);
    if (taken)
        reply_refuse(r, 409, "%s", err_text());
    else
        answer_started(r, e, name, 201);
    start_free(&s);
    request_args_free(options);
    free(game_name);
}

void api_run_resume(api *a, const request *q, reply *r)
{
    char dir[NAMES_PATH];
    run_info info;
    const game *g = NULL;
    const trainer *t = NULL;
    request_args *options = NULL;
    start s = {0};
    err e = api_folder(dir, "runs", q->part[0]);
    if (e == ERR_OK) e = run_info_read(&info, dir);
    if (e == ERR_OK && run_holder(dir) != 0) e = err_set(ERR_STOPPED, "the run is running already");
    if (e == ERR_OK) e = game_find(info.game, &g);
    if (e == ERR_OK) e = trainer_find(g, info.algo, &t);
    if (e == ERR_OK) e = request_args_read(&options, q, "options");
    if (e == ERR_OK) e = add_options(&s, g, t, options);
    if (e == ERR_OK) e = try_options(g, t, dir, text_str(&s.lines));
    if (e == ERR_OK) jobs_settle(a->children, dir);
    if (e == ERR_OK) e = launch(a, &s, g->name, dir, true);
    answer_started(r, e, q->part[0], 200);
    start_free(&s);
    request_args_free(options);
}

void api_run_stop(api *a, const request *q, reply *r)
{
    char dir[NAMES_PATH];
    err e = names_folder(dir, "runs", q->part[0]);
    bool stopping = e == ERR_OK && jobs_stop(a->children, dir);
    if (e == ERR_OK && !stopping) e = api_folder(dir, "runs", q->part[0]);
    if (e == ERR_OK && !stopping) { // somebody else's: a terminal's, or of a server that was killed
        long pid = run_holder(dir);
        stopping = pid > 0 && kill((pid_t)pid, SIGTERM) == 0;
        if (!stopping) {
            reply_refuse(r, 409, pid > 0 ? "process %ld cannot be stopped by this server" : "the run is not running",
                         pid);
            return;
        }
    }
    if (e != ERR_OK) {
        reply_err(r, e);
        return;
    }
    json_writer w = reply_begin(r);
    json_pair_bool(&w, "stopping", true);
    reply_end(r, &w, 200);
}
