// The API without HTTP, for the tests of this folder.
#ifndef KEIKO_TESTS_SERVE_ASK_H
#define KEIKO_TESTS_SERVE_ASK_H

#include "base/clock.h"
#include "base/temp_dir.h"
#include "serve/api.h"
#include "test.h"

static api *the_api;
static char the_dir[64], the_answer[1 << 20];
static const char *the_query[8][2]; // key and value; NULL at the end

static inline const char *ask_query(void *ctx, const char *key)
{
    (void)ctx;
    for (int i = 0; i < 8 && the_query[i][0] != NULL; i++)
        if (strcmp(the_query[i][0], key) == 0) return the_query[i][1];
    return NULL;
}

static inline void api_is_opened(void)
{
    assert_ok(api_open(&the_api, &(api_options){.data = the_dir, .program = KEIKO_PROGRAM, .workers = 2, .jobs = 2}));
}

// Starts a request; a search is left running in *later.
static inline int ask_only(const char *method, const char *path, const char *body, job **later)
{
    reply r = {0};
    request q = {
        .method = method, .path = path, .query = ask_query, .body = body, .size = body != NULL ? strlen(body) : 0};
    api_answer(the_api, &q, &r);
    if (r.events != NULL) stream_close(r.events);
    if (r.later != NULL) {
        *later = r.later;
        job_start(*later);
        return 0;
    }
    snprintf(the_answer, sizeof the_answer, "%s", text_str(&r.body));
    int status = r.status;
    reply_free(&r);
    return status;
}

static inline int finish(job *j)
{
    job_wait(j);
    int status = j->answer.status;
    snprintf(the_answer, sizeof the_answer, "%s", text_str(&j->answer.body));
    job_free(j);
    return status;
}

// Returns the status; the_answer is the body.
static inline int ask(const char *method, const char *path, const char *body)
{
    job *j = NULL;
    int status = ask_only(method, path, body, &j);
    return j != NULL ? finish(j) : status;
}

static inline void asks(const char *method, const char *path, const char *body, int status)
{
    int got = ask(method, path, body);
    if (got != status)
        fail_msg("%s %s %s: %d, not %d: %s", method, path, body != NULL ? body : "", got, status, the_answer);
}

static inline void refuses(const char *method, const char *path, const char *body, int status, const char *part)
{
    asks(method, path, body, status);
    if (strstr(the_answer, "{\"error\":\"") != the_answer || strstr(the_answer, part) == NULL)
        fail_msg("%s %s said %s without \"%s\"", method, path, the_answer, part);
}

static inline void answered(const char *part)
{
    if (strstr(the_answer, part) == NULL) fail_msg("no \"%s\" in: %.2000s", part, the_answer);
}

// A new game; `path` is "/sessions/ID".
static inline void new_session(const char *body, char path[160])
{
    asks("POST", "/sessions", body, 201);
    assert_int_equal(strncmp(the_answer, "{\"id\":\"", 7), 0);
    snprintf(path, 160, "/sessions/%.22s", the_answer + 7);
}

static inline const char *under(const char *path, const char *verb)
{
    static char full[4][200];
    static int next;
    char *to = full[next++ % 4];
    snprintf(to, 200, "%s/%s", path, verb);
    return to;
}

static inline int open_the_api(void **state)
{
    (void)state;
    assert_non_null(temp_dir_make(the_dir));
    api_is_opened();
    return 0;
}

static inline int close_the_api(void **state)
{
    (void)state;
    api_close(the_api);
    the_api = NULL;
    if (chdir("/") != 0) return 1;
    temp_dir_remove(the_dir);
    return 0;
}

#endif
