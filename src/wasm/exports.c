// What the page can call. Texts go in as addresses from keiko_alloc and come out through keiko_text.
//
// A call that can fail returns 0 on success; keiko_text() is then the answer (JSON), else a sentence. While an agent thinks,
// its best lines so far go to the imported function `lines`, and the imported `stopped` is asked whether to answer at once.
#include "app/catalogue.h"
#include "app/puyo_call.h"
#include "app/session_call.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name)))
#define IMPORT(name) __attribute__((import_module("keiko"), import_name(name)))

IMPORT("lines") void host_lines(const char *json);
IMPORT("stopped") int host_stopped(void);
IMPORT("progress") void host_progress(int done, int all);

void wasm_file_put(const char *name, const char *data, size_t size); // files.c

enum { SESSIONS = 16, ARGS = 32 };
static session *sessions[SESSIONS];
static text_buf answer;

static int answered(err e)
{
    if (e != ERR_OK) {
        text_clear(&answer);
        text_append(&answer, err_text());
    }
    return (int)e;
}

EXPORT("keiko_alloc") void *export_alloc(size_t size)
{
    return malloc(size);
}

EXPORT("keiko_free") void export_free(void *p)
{
    free(p);
}

EXPORT("keiko_text") const char *export_text(void)
{
    return text_str(&answer);
}

// Weights that the page has fetched: `name` as in the source tree, "models/othello.safetensors". The bytes stay the page's to
// leave alone: they are kept for ever.
EXPORT("keiko_file") void export_file(const char *name, const char *data, size_t size)
{
    wasm_file_put(name, data, size);
}

// --- sessions: numbers from 0

static void tell_lines(void *ctx, const agent_choice *best, int n)
{
    text_buf t = {0};
    json_writer w = json_begin(&t, false);
    session_lines_json(ctx, best, n, &w);
    if (json_finish(&w) == ERR_OK) host_lines(text_str(&t));
    text_free(&t);
}

static bool ask_stop(void *ctx)
{
    (void)ctx;
    return host_stopped() != 0;
}

static bool tell_progress(void *ctx, int done, int all)
{
    (void)ctx;
    host_progress(done, all);
    return host_stopped() == 0;
}

static err read_args(const char *args, int n, call_arg pairs[ARGS])
{
    if (n < 0 || n > ARGS) return err_set(ERR_LIMIT, "at most %d arguments", ARGS);
    for (int i = 0; i < n; i++) {
        pairs[i].key = args;
        pairs[i].value = args + strlen(args) + 1;
        args = pairs[i].value + strlen(pairs[i].value) + 1;
    }
    return ERR_OK;
}

// `args`: key and value in turn, each ended by a NUL; `n` pairs.
EXPORT("keiko_call") int export_call(int which, const char *verb, const char *args, int n)
{
    static agent_watch watch;
    call_arg pairs[ARGS];
    text_clear(&answer);
    if (which < 0 || which >= SESSIONS) return answered(err_set(ERR_LIMIT, "at most %d sessions", SESSIONS));
    err e = read_args(args, n, pairs);
    if (e != ERR_OK) return answered(e);
    session **s = &sessions[which];
    if (*s != NULL) {
        watch = (agent_watch){.stop = {ask_stop, NULL}, .lines = tell_lines, .ctx = *s};
        session_watch(*s, &watch);
    }
    return answered(session_call(s, verb, pairs, n, &(call_host){.each = tell_progress}, &answer));
}

// The same for app/puyo_call.h: one match in real time, and questions that need no session.
EXPORT("keiko_puyo") int export_puyo(const char *verb, const char *args, int n)
{
    static puyo_live live;
    call_arg pairs[ARGS];
    text_clear(&answer);
    err e = read_args(args, n, pairs);
    return answered(e == ERR_OK ? puyo_call(&live, verb, pairs, n, &answer) : e);
}

EXPORT("keiko_close") void export_close(int which)
{
    if (which < 0 || which >= SESSIONS) return;
    session_close(sessions[which]);
    sessions[which] = NULL;
}

// --- lists

EXPORT("keiko_list") int export_list(const char *what, const char *game_name)
{
    const game *g = NULL;
    text_clear(&answer);
    if (game_name[0] != 0 && game_find(game_name, &g) != ERR_OK) return answered(ERR_USAGE);
    json_writer w = json_begin(&answer, false);
    if (!catalogue_list_json(&w, what, g)) return answered(err_set(ERR_USAGE, "there is no list of %.40s", what));
    return answered(json_finish(&w));
}

// --- for tests: the same numbers as the program's

EXPORT("keiko_perft") double export_perft(const char *game_name, int depth)
{
    const game *g;
    if (game_find(game_name, &g) != ERR_OK) return -1;
    void *s = calloc(1, g->state_size);
    double leaves = -1;
    if (s != NULL && g->init(s, "", (game_key){1, 0}) == ERR_OK)
        leaves = (double)(g->perft != NULL ? g->perft(s, depth) : game_perft(g, s, depth));
    free(s);
    return leaves;
}
