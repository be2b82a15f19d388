// Any bytes as requests: "METHOD PATH?KEY=VALUE&…\nBODY", several separated by a line "%%", through the router and, for requests
// that touch no file and start nothing, the whole API. Answers must be JSON objects. Also the headers' checks.
#define _GNU_SOURCE // memmem
#include "serve/api.h"
#include "serve/guard.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok) abort();
}

static api *the_api(void)
{
    static api *a;
    if (a == NULL) {
        char dir[] = "/tmp/keiko_fuzz_XXXXXX", here[4096];
        must(mkdtemp(dir) != NULL && getcwd(here, sizeof here) != NULL);
        must(api_open(&a, &(api_options){.data = dir, .workers = 1, .think = 0.05}) == ERR_OK);
        saved_close(a->store); // games in memory: the disk is not what is tested
        must(saved_open(&a->store, NULL, 8) == ERR_OK);
        live_free(a->sessions);
        must(live_new(&a->sessions, a->store, a->events) == ERR_OK);
        unlink("games.db");
        must(chdir(here) == 0); // the fuzzer's own paths are relative; no request that gets so far touches a file
    }
    return a;
}

// The query, in pieces: keys and values behind each other, each ended by a NUL. One without '=' is the value of every key.
static char query_text[1024];
static size_t query_size;

static void read_query(const char *text)
{
    query_size = strlen(text);
    if (query_size >= sizeof query_text) query_size = sizeof query_text - 1;
    memcpy(query_text, text, query_size);
    query_text[query_size] = 0;
    for (size_t i = 0; i < query_size; i++)
        if (query_text[i] == '=' || query_text[i] == '&') query_text[i] = 0;
}

static const char *query(void *ctx, const char *key)
{
    const char *p = query_text, *end = query_text + query_size;
    (void)ctx;
    if (query_size == 0 || strlen(p) == query_size) return query_size == 0 ? NULL : p;
    while (p < end) {
        const char *value = p + strlen(p) + 1;
        if (value > end) return NULL;
        if (strcmp(p, key) == 0) return value;
        p = value + strlen(value) + 1;
    }
    return NULL;
}

static void check_answer(const reply *r)
{
    json_doc *doc = NULL;
    must(r->status >= 200 && r->status < 600);
    must(json_read(&doc, text_str(&r->body), r->body.len, "answer") == ERR_OK);
    json_val root = json_root(doc);
    must(json_kind_of(&root) == JK_OBJECT);
    if (r->status >= 400) {
        json_val e = json_member(&root, "error");
        must(json_kind_of(&e) == JK_TEXT);
    }
    json_free(doc);
}

// The first session that the last answer named, put where the path says "@".
static char last_id[LIVE_ID];

static void remember_id(const reply *r)
{
    const char *id = strstr(text_str(&r->body), "\"id\":\"");
    if (r->status == 201 && id != NULL) memcpy(last_id, id + 6, LIVE_ID - 1);
}

static void ask(const char *method, const char *path, const char *body, size_t size)
{
    api *a = the_api();
    reply r = {0};
    char full[600];
    const char *at = strstr(path, "/@");
    if (at != NULL && strlen(path) < 500) {
        snprintf(full, sizeof full, "%.*s/%s%s", (int)(at - path), path, last_id, at + 2);
        path = full;
    }
    request q = {.method = method, .path = path, .query = query, .body = body, .size = size};
    if (query_size > 0) q.last_event = query_text;
    api_answer(a, &q, &r);
    if (r.events != NULL) {
        stream_close(r.events);
    } else if (r.later != NULL) {
        job_start(r.later);
        job_wait(r.later);
        check_answer(&r.later->answer);
        job_free(r.later);
    } else {
        check_answer(&r);
        remember_id(&r);
    }
    reply_free(&r);
}

static void one_request(char *text, size_t size)
{
    char *space = strchr(text, ' '), *line = strchr(text, '\n');
    if (space == NULL || line == NULL || space > line) return;
    *space = *line = 0;
    char *mark = strchr(space + 1, '?');
    read_query(mark != NULL ? mark + 1 : "");
    if (mark != NULL) *mark = 0;
    ask(text, space + 1, line + 1, size - (size_t)(line + 1 - text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 14) return 0;
    char *text = malloc(size + 1), *at = text;
    must(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    guard g = {.port = 7878, .loopback = true, .bound = "127.0.0.1", .token = "0123456789abcdef"};
    guard_host(&g, text);
    guard_origin(text, "localhost:7878");
    must(!guard_token(&g, text, text, text) || strstr(text, g.token) != NULL);
    for (int i = 0; i < 8; i++) {
        char *next = memmem(at, size - (size_t)(at - text), "\n%%\n", 4);
        size_t n = next != NULL ? (size_t)(next - at) : size - (size_t)(at - text);
        if (next != NULL) *next = 0;
        one_request(at, n);
        if (next == NULL) break;
        at = next + 4;
    }
    free(text);
    return 0;
}
