// A request and its answer, as the API sees them: no HTTP in here, so that tests and the fuzzer need no connection.
#ifndef KEIKO_SERVE_REQUEST_H
#define KEIKO_SERVE_REQUEST_H

#include "app/session_call.h"
#include "base/json.h"

#include <stdint.h>

enum { REQUEST_PARTS = 3, REQUEST_PART = 128, REQUEST_ARGS = 64, REQUEST_BODY = 1 << 20 };

typedef struct request {
    const char *method, *path;                        // path: behind /api/1, percent signs decoded: "/games"
    const char *(*query)(void *ctx, const char *key); // NULL: there is no such key; may be NULL itself
    void *query_ctx;
    const char *body;
    size_t size;
    const char *last_event; // the header Last-Event-ID; NULL = none
    // filled by the router
    char part[REQUEST_PARTS][REQUEST_PART]; // what stood for {id}, {name}, {number}
    char verb[REQUEST_PART];                // the last segment
} request;

struct job;
struct stream;

typedef struct reply {
    int status;
    text_buf body; // JSON
    char allow[64];
    struct job *later;     // a worker will have the answer; see workers.h
    struct stream *events; // the answer is a stream; see events.h
} reply;

void reply_free(reply *r);
void reply_refuse(reply *r, int status, const char *fmt, ...) KEIKO_PRINTF(3, 4);
void reply_err(reply *r, err e); // the waiting sentence, with the status that fits
// An answer is written between these.
json_writer reply_begin(reply *r);
void reply_end(reply *r, json_writer *w, int status);

// A body's object of texts. Numbers and booleans are read as their text, null as missing.
typedef struct request_args {
    call_arg arg[REQUEST_ARGS];
    int n;
    json_doc *doc;
    char number[REQUEST_ARGS][JSON_NUMBER_TEXT];
} request_args;

// `member`: the object there, which may be missing; NULL = the body itself. An empty body is an empty object. Caller frees with
// request_args_free; the args must not be moved.
err request_args_read(request_args **out, const request *q, const char *member);
void request_args_free(request_args *a);
const char *request_arg(const request_args *a, const char *key, const char *otherwise);

err request_keys(const request *q, const char *keys); // the body is an object with no other members
// A member of the body that is a text; NULL where there is none. Caller frees.
err request_text(const request *q, const char *member, char **out);

const char *request_query(const request *q, const char *key);                                 // NULL: not there
err request_whole(const request *q, const char *key, int64_t low, int64_t high, int64_t *io); // a number of the query

#endif
