// Benches: folders below benches/, read through app/bench, played by processes of their own. See docs/API.md.
#include "app/bench.h"
#include "base/clock.h"
#include "base/opt_table.h"
#include "serve/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ARGV = 40 };

typedef struct bench_start {
    bench_ask ask;
    bench_rating ratings;
    int64_t parallel;
} bench_start;

#define ASK(member)    offsetof(bench_start, ask.member)
#define RATING(member) offsetof(bench_start, ratings.member)
// clang-format off
const opt bench_start_rows[] = {
    ROW_HEADING("Who plays what"),
    BENCH_WHO_ROWS(ASK),
    ROW_HEADING("Openings and ends of games"),
    BENCH_OPENING_ROWS(ASK),
    ROW_HEADING("Test and ratings"),
    BENCH_TEST_ROWS(ASK),
    BENCH_RATING_ROWS(RATING),
    ROW_HEADING("Running"),
    ROW_INT("parallel", offsetof(bench_start, parallel), "N", "0", 0, 1024, "Games played at the same time; 0 = one per core"),
};
// clang-format on
const int bench_start_n_rows = ROWS(bench_start_rows);

// --- looking

// A bench whose process has not begun its first run yet, or could not.
static void put_unborn(api *a, const char *dir, json_writer *w)
{
    json_pair_object(w, "status");
    json_pair_text(w, "kind", "bench");
    json_pair_text(w, "game", "");
    json_pair_bool(w, "playing", jobs_runs(a->children, dir));
    json_pair_bool(w, "complete", false);
    json_pair_int(w, "played", 0);
    json_pair_int(w, "planned", 0);
    json_pair_array(w, "players");
    json_close(w);
    json_pair_array(w, "notes");
    json_close(w);
    json_close(w);
}

static err put_bench(api *a, const char *name, bool details, json_writer *w)
{
    char dir[NAMES_PATH];
    bench_opened b = {0};
    text_buf message = {0};
    err e = names_folder(dir, "benches", name);
    if (e != ERR_OK) return e;
    bool known = jobs_known(a->children, dir);
    e = bench_is_run(dir) ? bench_open(&b, dir, 0, &(view_options){0})
                          : err_set(ERR_MISSING, "there is no bench '%s'", name);
    if (e != ERR_OK && !known) return e;
    json_pair_text(w, "name", name);
    json_pair_bool(w, "mine", known);
    if (e == ERR_OK) {
        json_key(w, "status");
        bench_status_json(&b.view, b.playing, w);
        if (details) e = bench_details_json(&b, w);
        bench_close(&b);
    } else {
        put_unborn(a, dir, w);
        static const char nothing[] = "{\"games\":[],\"ratings\":[]}";
        if (details) {
            json_pair_array(w, "pairings");
            json_close(w);
            json_key(w, "convergence");
            json_put_raw(w, nothing, sizeof nothing - 1);
        }
        e = ERR_OK;
    }
    if (jobs_message(a->children, dir, &message)) json_pair_text(w, "message", text_str(&message));
    text_free(&message);
    return e;
}

err api_bench_members(api *a, const char *name, json_writer *w)
{
    return put_bench(a, name, true, w);
}

typedef struct found {
    char name[NAMES_MOST + 1];
    time_t made;
} found;

static int newest_first(const void *a, const void *b)
{
    const found *x = a, *y = b;
    return x->made != y->made ? (x->made < y->made ? 1 : -1) : strcmp(y->name, x->name);
}

static err list_benches(found **out, int *n)
{
    char **names = NULL, dir[NAMES_PATH], path[FILE_PATH];
    int all = 0;
    struct stat st;
    *n = 0;
    *out = NULL;
    if (!file_is_dir("benches")) return ERR_OK;
    err e = file_list("benches", NULL, &names, &all);
    if (e != ERR_OK) return e;
    *out = calloc((size_t)all + 1, sizeof **out);
    if (*out == NULL) e = err_set(ERR_MEMORY, "no memory for a list of benches");
    for (int i = 0; i < all && e == ERR_OK; i++) {
        if (names_plain(names[i]) == false || names_folder(dir, "benches", names[i]) != ERR_OK || !bench_is_run(dir))
            continue;
        found *f = &(*out)[(*n)++];
        snprintf(f->name, sizeof f->name, "%s", names[i]);
        if (file_join(path, sizeof path, dir, "bench.db") == ERR_OK && stat(path, &st) == 0) f->made = st.st_mtime;
    }
    file_list_free(names, all);
    if (*n > 1) qsort(*out, (size_t)*n, sizeof **out, newest_first);
    return e;
}

void api_benches(api *a, const request *q, reply *r)
{
    found *list = NULL;
    int n = 0;
    api_page p;
    err e = api_page_read(q, 500, 50, &p);
    if (e == ERR_OK) e = list_benches(&list, &n);
    if (e != ERR_OK) {
        reply_err(r, e);
        return;
    }
    json_writer w = reply_begin(r);
    json_pair_array(&w, "items");
    for (int64_t i = p.from; i < n && i < p.from + p.limit; i++) {
        text_buf one = {0};
        json_writer inner = json_begin(&one, false);
        json_open_object(&inner);
        err good = put_bench(a, list[i].name, false, &inner);
        json_close(&inner);
        if (good == ERR_OK && json_finish(&inner) == ERR_OK) json_put_raw(&w, text_str(&one), one.len);
        text_free(&one);
    }
    json_close(&w);
    json_pair_int(&w, "total", n);
    json_pair_int(&w, "from", p.from);
    reply_end(r, &w, 200);
    free(list);
}

void api_bench(api *a, const request *q, reply *r)
{
    json_writer w = reply_begin(r);
    err e = put_bench(a, q->part[0], true, &w);
    if (e == ERR_OK)
        reply_end(r, &w, 200);
    else
        reply_err(r, e);
}

void api_bench_games(api *a, const request *q, reply *r)
{
    (void)a;
    char dir[NAMES_PATH];
    bench_opened b = {0};
    api_page p;
    err e = api_folder(dir, "benches", q->part[0]);
    if (e == ERR_OK) e = api_page_read(q, 500, 50, &p);
    if (e == ERR_OK) e = bench_open(&b, dir, 0, &(view_options){0});
    text_clear(&r->body);
    json_writer w = json_begin(&r->body, false);
    if (e == ERR_OK)
        e = bench_games_json(&b,
                             &(bench_filter){.player = request_query(q, "player"),
                                             .result = request_query(q, "result"),
                                             .from = p.from,
                                             .limit = p.limit},
                             &w);
    if (e == ERR_OK) e = json_finish(&w);
    bench_close(&b);
    if (e == ERR_OK)
        r->status = 200;
    else
        reply_err(r, e);
}

void api_bench_game(api *a, const request *q, reply *r)
{
    (void)a;
    char dir[NAMES_PATH], *end;
    bench_opened b = {0};
    unsigned long long number = strtoull(q->part[1], &end, 10);
    err e = api_folder(dir, "benches", q->part[0]);
    if (e == ERR_OK && (*end != 0 || q->part[1][0] < '0' || q->part[1][0] > '9'))
        e = err_set(ERR_MISSING, "there is no game '%.20s'", q->part[1]);
    if (e == ERR_OK) e = bench_open(&b, dir, 0, &(view_options){0});
    text_clear(&r->body);
    json_writer w = json_begin(&r->body, false);
    if (e == ERR_OK) e = bench_game_json(&b, number, &w);
    if (e == ERR_OK) e = json_finish(&w);
    bench_close(&b);
    if (e == ERR_OK)
        r->status = 200;
    else
        reply_err(r, e);
}

void api_bench_events(api *a, const request *q, reply *r)
{
    char dir[NAMES_PATH];
    err e = names_folder(dir, "benches", q->part[0]);
    if (e == ERR_OK && !jobs_known(a->children, dir)) e = api_folder(dir, "benches", q->part[0]);
    if (e == ERR_OK) e = hub_listen(a->events, dir, &r->events, 0);
    if (e == ERR_OK)
        r->status = 200;
    else
        reply_err(r, e);
}

// --- starting and stopping

static err read_options(bench_start *s, const request_args *a, char *word[ARGV], int *n)
{
    err e = opt_defaults(bench_start_rows, bench_start_n_rows, s);
    *n = 0;
    for (int i = 0; i < a->n && e == ERR_OK; i++) {
        const opt *row = opt_find(bench_start_rows, bench_start_n_rows, a->arg[i].key);
        text_buf t = {0};
        if (row == NULL || strcmp(row->name, "config") == 0)
            return err_set(ERR_USAGE, "a bench has no option '%.40s'", a->arg[i].key);
        if (*n == ARGV - 1) return err_set(ERR_LIMIT, "too many options");
        e = opt_set(bench_start_rows, bench_start_n_rows, s, row->name, a->arg[i].value, "options");
        text_printf(&t, "--%s=%s", row->name, a->arg[i].value);
        word[(*n)++] = text_take(&t);
        if (e == ERR_OK && word[*n - 1] == NULL) e = err_set(ERR_MEMORY, "no memory for options");
    }
    return e;
}

// What the process would say, said now; and no file or program that a request may not name.
static err check(const bench_start *s, char game_name[64])
{
    static const char *const kinds[] = {"auto", "balanced", "named", "start"};
    tour_setup setup = {0};
    bool kind = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) kind = kind || strcmp(kinds[i], s->ask.openings) == 0;
    if (!kind) return err_set(ERR_USAGE, "'openings' must be auto, balanced, named or start");
    err e = bench_setup(&setup, &s->ask, NULL);
    if (e != ERR_OK) return e;
    for (int i = 0; i < setup.n_players && e == ERR_OK; i++) e = names_agent(setup.g, setup.player[i].spec);
    if (e == ERR_OK) e = bench_check_players(&setup, NULL, NULL);
    snprintf(game_name, 64, "%s", setup.g->name);
    tour_setup_free(&setup);
    return e;
}

static void answer(reply *r, err e, bool taken, const char *name, int status)
{
    if (e == ERR_OK) {
        json_writer w = reply_begin(r);
        json_pair_text(&w, "name", name);
        reply_end(r, &w, status);
    } else if (taken || e == ERR_STOPPED) {
        reply_refuse(r, 409, "%s", err_text());
    } else {
        reply_err(r, e);
    }
}

void api_bench_start(api *a, const request *q, reply *r)
{
    char dir[NAMES_PATH], output[NAMES_PATH + 1], name[NAMES_MOST + 1] = "", game_name[64], *word[ARGV];
    const char *argv[ARGV + 8];
    request_args *options = NULL;
    bench_start s = {0};
    bool taken = false;
    int n = 0, k = 0;
    err e = request_args_read(&options, q, "options");
    if (e == ERR_OK) e = read_options(&s, options, word, &n);
    if (e == ERR_OK) e = check(&s, game_name);
    if (e == ERR_OK) e = api_new_name(a, name, q, "benches", game_name, &taken);
    if (e == ERR_OK) e = names_folder(dir, "benches", name);
    if (e == ERR_OK) {
        snprintf(output, sizeof output, "%s/", dir); // a folder, whatever the name ends with
        argv[k++] = "bench";
        argv[k++] = "--quiet";
        argv[k++] = "--output";
        argv[k++] = output;
        for (int i = 0; i < n; i++) argv[k++] = word[i];
        argv[k] = NULL;
        e = jobs_start(a->children, dir, argv);
    }
    answer(r, e, taken, name, 201);
    for (int i = 0; i < n; i++) free(word[i]);
    request_args_free(options);
}

void api_bench_resume(api *a, const request *q, reply *r)
{
    char dir[NAMES_PATH], output[NAMES_PATH + 1];
    const char *argv[] = {"bench", "--quiet", "--resume", "--output", output, NULL};
    err e = api_folder(dir, "benches", q->part[0]);
    if (e == ERR_OK) snprintf(output, sizeof output, "%s/", dir);
    if (e == ERR_OK && bench_is_played(dir)) e = err_set(ERR_STOPPED, "the bench is being played already");
    if (e == ERR_OK) jobs_settle(a->children, dir);
    if (e == ERR_OK) e = jobs_start(a->children, dir, argv);
    answer(r, e, false, q->part[0], 200);
}

void api_bench_stop(api *a, const request *q, reply *r)
{
    char dir[NAMES_PATH];
    err e = names_folder(dir, "benches", q->part[0]);
    if (e == ERR_OK && jobs_stop(a->children, dir)) {
        json_writer w = reply_begin(r);
        json_pair_bool(&w, "stopping", true);
        reply_end(r, &w, 200);
        return;
    }
    if (e == ERR_OK) e = api_folder(dir, "benches", q->part[0]);
    if (e == ERR_OK)
        reply_refuse(r, 409, "%s",
                     bench_is_played(dir) ? "the bench was started elsewhere; stop it there"
                                          : "the bench is not being played");
    else
        reply_err(r, e);
}
