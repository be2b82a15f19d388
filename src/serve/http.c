// See http.h.
//
// A connection that waits (for a worker, or for the next event) is suspended and costs no thread. Each connection has a
// deadline: a request must be complete within half a minute after the connection was made or the last answer was sent, and an
// answer must be taken within two. A timeout for silence alone would let a client that sends a byte now and then stay for ever.
#define _DEFAULT_SOURCE
#include "serve/http.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "base/log.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MEMORY = 32 << 10, SILENCE = 60, THREADS_MOST = 8 };

// One connection.
typedef struct client {
    struct client *next, **at; // in the list
    int fd;
    enum doing { RECEIVING, WORKING, SENDING } doing;
    double since;
    job *waits; // for this search
} client;

struct http {
    http_options o;
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock; // the list
    client *clients;
    int n;
};

// One request.
typedef struct exchange {
    http *h;
    struct MHD_Connection *c;
    text_buf body;
    bool refused, too_large;
    job *waits;
    stream *events;
} exchange;

// --- connections

// `waits`: the search that it waits for; NULL = none.
static void set_doing(struct MHD_Connection *c, http *h, enum doing doing, job *waits)
{
    const union MHD_ConnectionInfo *i = MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    client *k = i != NULL ? i->socket_context : NULL;
    if (k == NULL) return;
    pthread_mutex_lock(&h->lock);
    k->doing = doing;
    k->waits = waits;
    k->since = clock_seconds();
    pthread_mutex_unlock(&h->lock);
}

static void connected(http *h, struct MHD_Connection *c, void **socket_context)
{
    const union MHD_ConnectionInfo *i = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    client *k = calloc(1, sizeof *k);
    if (k == NULL || i == NULL) {
        free(k);
        return;
    }
    k->fd = i->connect_fd;
    k->since = clock_seconds();
    pthread_mutex_lock(&h->lock);
    k->next = h->clients;
    k->at = &h->clients;
    if (k->next != NULL) k->next->at = &k->next;
    h->clients = k;
    h->n++;
    pthread_mutex_unlock(&h->lock);
    *socket_context = k;
}

// The socket is closed only afterwards, so that http_tick never meets a number that means another one by now.
static void disconnected(http *h, client *k)
{
    if (k == NULL) return;
    pthread_mutex_lock(&h->lock);
    *k->at = k->next;
    if (k->next != NULL) k->next->at = k->at;
    h->n--;
    pthread_mutex_unlock(&h->lock);
    free(k);
}

static void on_connection(void *cls, struct MHD_Connection *c, void **socket_context,
                          enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        connected(cls, c, socket_context);
    else
        disconnected(cls, *socket_context);
}

static bool hung_up(int fd)
{
    char byte;
    ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void http_tick(http *h, double now)
{
    int receive = h->o.receive_seconds > 0 ? h->o.receive_seconds : HTTP_RECEIVE_SECONDS;
    pthread_mutex_lock(&h->lock);
    for (client *k = h->clients; k != NULL; k = k->next) {
        if ((k->doing == RECEIVING && now - k->since > receive) ||
            (k->doing == SENDING && now - k->since > HTTP_SEND_SECONDS))
            shutdown(k->fd, SHUT_RDWR);
        // A connection that sleeps does not notice it by itself.
        if (k->waits != NULL && hung_up(k->fd)) atomic_store(&k->waits->unwanted, true);
    }
    pthread_mutex_unlock(&h->lock);
}

// --- answers

static const char *const always[][2] = {
    {"Content-Security-Policy",
     "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: "
     "blob:; connect-src 'self'; worker-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
     "frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Embedder-Policy", "require-corp"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
};

static enum MHD_Result send_response(exchange *x, int status, struct MHD_Response *r, const char *type,
                                     const char *cache)
{
    if (r == NULL) return MHD_NO;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) MHD_add_response_header(r, always[i][0], always[i][1]);
    if (type != NULL) MHD_add_response_header(r, "Content-Type", type);
    MHD_add_response_header(r, "Cache-Control", cache);
    set_doing(x->c, x->h, x->events != NULL ? WORKING : SENDING, NULL);
    enum MHD_Result ok = MHD_queue_response(x->c, (unsigned)status, r);
    MHD_destroy_response(r);
    return ok;
}

static enum MHD_Result send_reply(exchange *x, reply *r)
{
    size_t n = r->body.len;
    char *text = text_take(&r->body);
    if (text == NULL) {
        n = 0;
        text = calloc(1, 1);
        if (r->status == 200) r->status = 500;
    }
    if (text == NULL) return MHD_NO;
    struct MHD_Response *m = MHD_create_response_from_buffer(n, text, MHD_RESPMEM_MUST_FREE);
    if (m == NULL) free(text);
    if (m != NULL && r->status == 405)
        MHD_add_response_header(m, "Allow", strcmp(r->allow, "GET") == 0 ? "GET, HEAD" : r->allow);
    if (m != NULL && r->status == 401) MHD_add_response_header(m, "WWW-Authenticate", "Bearer");
    if (m != NULL && r->status == 503) MHD_add_response_header(m, "Retry-After", "2");
    if (m != NULL && x->refused) MHD_add_response_header(m, "Connection", "close"); // whatever it still wants to send
    return send_response(x, r->status, m, "application/json", "no-store");
}

static enum MHD_Result refuse(exchange *x, int status, const char *sentence)
{
    reply r = {0};
    reply_refuse(&r, status, "%s", sentence);
    x->refused = true;
    enum MHD_Result ok = send_reply(x, &r);
    reply_free(&r);
    return ok;
}

// --- streams

static void wake_connection(void *ctx)
{
    MHD_resume_connection(ctx);
}

static void sleep_connection(void *ctx)
{
    MHD_suspend_connection(ctx);
}

static ssize_t read_stream(void *cls, uint64_t pos, char *buf, size_t max)
{
    exchange *x = cls;
    (void)pos;
    long n = stream_read(x->events, buf, max, sleep_connection, x->c);
    return n < 0 ? MHD_CONTENT_READER_END_OF_STREAM : (ssize_t)n;
}

static enum MHD_Result send_events(exchange *x, bool head)
{
    struct MHD_Response *r;
    if (head) { // of a stream, libmicrohttpd would send the end
        r = MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT);
    } else {
        stream_on_news(x->events, wake_connection, x->c);
        r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16384, read_stream, x, NULL);
    }
    if (r != NULL) MHD_add_response_header(r, "X-Accel-Buffering", "no"); // a proxy in front must pass it on at once
    return send_response(x, 200, r, "text/event-stream", "no-store");
}

// --- the page

static bool accepts_gzip(const exchange *x)
{
    const char *v = MHD_lookup_connection_value(x->c, MHD_HEADER_KIND, "Accept-Encoding");
    return v != NULL && strstr(v, "gzip") != NULL && strstr(v, "gzip;q=0") == NULL;
}

static enum MHD_Result send_file(exchange *x, const site_file *f)
{
    char path[FILE_PATH + 4];
    bool zipped = f->zipped && accepts_gzip(x);
    const char *known = MHD_lookup_connection_value(x->c, MHD_HEADER_KIND, "If-None-Match");
    struct MHD_Response *r = NULL;
    int status = 200;
    if (known != NULL && strstr(known, f->etag) != NULL) {
        r = MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT);
        status = 304;
    } else {
        snprintf(path, sizeof path, "%s%s", f->path, zipped ? ".gz" : "");
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        size_t size = zipped ? f->zipped_size : f->size;
        off_t now = fd >= 0 ? lseek(fd, 0, SEEK_END) : -1;
        if (fd < 0 || now != (off_t)size) { // built anew meanwhile
            if (fd >= 0) close(fd);
            return refuse(x, 503, "the page's files have changed; restart keiko serve");
        }
        r = MHD_create_response_from_fd(size, fd);
        if (r == NULL) close(fd);
    }
    if (r != NULL) MHD_add_response_header(r, "ETag", f->etag);
    if (r != NULL && f->zipped) MHD_add_response_header(r, "Vary", "Accept-Encoding");
    if (r != NULL && zipped && status == 200) MHD_add_response_header(r, "Content-Encoding", "gzip");
    return send_response(x, status, r, f->type, "no-cache");
}

static enum MHD_Result send_page(exchange *x, const char *url)
{
    static const char nothing[] =
        "keiko serve has no page: it answers the API under /api/1/ (docs/API.md).\n"
        "To get the page, run `make site` in the source folder and start keiko serve again, or name its folder with "
        "--site DIR.\n";
    const site_file *f = x->h->o.page != NULL ? site_find(x->h->o.page, url) : NULL;
    if (f != NULL) return send_file(x, f);
    if (strcmp(url, "/") != 0 || x->h->o.page != NULL) return refuse(x, 404, "there is no such file");
    return send_response(x, 200,
                         MHD_create_response_from_buffer(strlen(nothing), (void *)nothing, MHD_RESPMEM_PERSISTENT),
                         "text/plain; charset=utf-8", "no-store");
}

// --- who may come in

static const char *header(const exchange *x, const char *name)
{
    return MHD_lookup_connection_value(x->c, MHD_HEADER_KIND, name);
}

static const char *query(void *ctx, const char *key)
{
    const char *v = MHD_lookup_connection_value(ctx, MHD_GET_ARGUMENT_KIND, key);
    return v;
}

// Came with ?token=: a cookie takes its place, so that the address that people see and share does not have it.
static enum MHD_Result send_cookie(exchange *x, const char *url)
{
    char cookie[GUARD_TOKEN + 100];
    guard_cookie(x->h->o.guard, cookie, sizeof cookie);
    struct MHD_Response *r = MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT);
    if (r == NULL) return MHD_NO;
    MHD_add_response_header(r, "Set-Cookie", cookie);
    MHD_add_response_header(r, "Location", strcmp(url, "/") == 0 ? "/" : "/index.html");
    x->refused = true;
    return send_response(x, 303, r, NULL, "no-store");
}

// True: it was answered, with *ok.
static bool kept_out(exchange *x, const char *method, const char *url, enum MHD_Result *ok)
{
    const guard *g = x->h->o.guard;
    const char *host = header(x, "Host"), *token = query(x->c, "token"), *length = header(x, "Content-Length");
    const char *fetched = header(x, "Sec-Fetch-Site"), *type = header(x, "Content-Type");
    bool is_api = strncmp(url, "/api/", 5) == 0, reads = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    if (!guard_host(g, host))
        *ok = refuse(x, 403, "this server does not go by that name; see --host");
    else if (!guard_origin(header(x, "Origin"), host))
        *ok = refuse(x, 403, "requests of other sites are refused");
    else if (is_api && fetched != NULL && strcmp(fetched, "same-origin") != 0 && strcmp(fetched, "none") != 0)
        *ok = refuse(x, 403, "requests of other sites are refused");
    else if (!guard_token(g, header(x, "Authorization"), header(x, "Cookie"), token))
        *ok = refuse(x, 401,
                     "a token is needed: open the address that keiko serve printed, or send Authorization: Bearer");
    else if (token != NULL && g->token[0] != 0 && reads && !is_api)
        *ok = send_cookie(x, url);
    else if (length != NULL && strtoull(length, NULL, 10) > REQUEST_BODY)
        *ok = refuse(x, 413, "a body may have at most 1 MiB");
    else if (strcmp(method, "POST") == 0 && (type == NULL || strncasecmp(type, "application/json", 16) != 0))
        *ok = refuse(x, 415, "send JSON, with Content-Type: application/json");
    else if (!is_api && !reads)
        *ok = refuse(x, 405, "only GET is allowed here");
    else
        return false;
    return true;
}

// --- requests

static enum MHD_Result answer_api(exchange *x, const char *method, const char *url)
{
    reply r = {0};
    bool head = strcmp(method, "HEAD") == 0; // answered as GET is; the body is left out on its way
    request q = {.method = head ? "GET" : method,
                 .path = url + 6,
                 .query = query,
                 .query_ctx = x->c,
                 .body = text_str(&x->body),
                 .size = x->body.len,
                 .last_event = header(x, "Last-Event-ID")};
    if (strncmp(url, "/api/1/", 7) != 0)
        reply_refuse(&r, 404, "this server answers version 1 of the API: /api/1/");
    else
        api_answer(x->h->o.a, &q, &r);
    if (r.events != NULL) {
        x->events = r.events;
        reply_free(&r);
        return send_events(x, head);
    }
    if (r.later != NULL) {
        x->waits = r.later;
        reply_free(&r);
        x->waits->wake = wake_connection;
        x->waits->wake_ctx = x->c;
        set_doing(x->c, x->h, WORKING, x->waits);
        MHD_suspend_connection(x->c);
        job_start(x->waits);
        return MHD_YES;
    }
    enum MHD_Result ok = send_reply(x, &r);
    reply_free(&r);
    return ok;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *c, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *size, void **con_cls)
{
    http *h = cls;
    exchange *x = *con_cls;
    enum MHD_Result ok;
    (void)version;
    if (x == NULL) {
        x = calloc(1, sizeof *x);
        if (x == NULL) return MHD_NO;
        x->h = h;
        x->c = c;
        *con_cls = x;
        return kept_out(x, method, url, &ok) ? ok : MHD_YES;
    }
    if (*size > 0) {
        if (x->body.len + *size > REQUEST_BODY)
            x->too_large = true;
        else if (!x->refused)
            text_append_n(&x->body, upload, *size);
        *size = 0;
        return MHD_YES;
    }
    if (x->waits != NULL) return job_done(x->waits) ? send_reply(x, &x->waits->answer) : MHD_YES;
    set_doing(c, h, WORKING, NULL);
    if (x->too_large) return refuse(x, 413, "a body may have at most 1 MiB");
    return strncmp(url, "/api/", 5) == 0 ? answer_api(x, method, url) : send_page(x, url);
}

static void on_completed(void *cls, struct MHD_Connection *c, void **con_cls, enum MHD_RequestTerminationCode how)
{
    exchange *x = *con_cls;
    (void)how;
    set_doing(c, cls, RECEIVING, NULL);
    if (x == NULL) return;
    if (x->events != NULL) stream_close(x->events);
    job_free(x->waits);
    text_free(&x->body);
    free(x);
    *con_cls = NULL;
}

static void on_log(void *cls, const char *fmt, va_list ap)
{
    char text[400];
    (void)cls;
    vsnprintf(text, sizeof text, fmt, ap);
    log_debug("http: %s", text);
}

// Percent signs in place, as MHD wants it. What would be a NUL stays as it is written: a text must not end before its end.
static size_t unescape(void *cls, struct MHD_Connection *c, char *text)
{
    char *to = text;
    (void)cls;
    (void)c;
    for (const char *p = text; *p != 0; p++) {
        char hex[3] = {p[0] == '%' ? p[1] : 0, p[0] == '%' && p[1] != 0 ? p[2] : 0, 0};
        bool coded = isxdigit((unsigned char)hex[0]) && isxdigit((unsigned char)hex[1]) && strcmp(hex, "00") != 0;
        *to++ = coded ? (char)strtol(hex, NULL, 16) : *p;
        if (coded) p += 2;
    }
    *to = 0;
    return (size_t)(to - text);
}

// --- life

static err listen_at(const char *address, int port, int *fd, int *got)
{
    char service[12];
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICHOST}, *found = NULL;
    struct sockaddr_storage bound;
    socklen_t n = sizeof bound;
    int one = 1;
    snprintf(service, sizeof service, "%d", port);
    if (getaddrinfo(strcmp(address, "localhost") == 0 ? "127.0.0.1" : address, service, &hints, &found) != 0)
        return err_set(ERR_USAGE, "'%s' is not an address; write 127.0.0.1, 0.0.0.0, ::1 or the like", address);
    *fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = *fd >= 0 && setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
              bind(*fd, found->ai_addr, found->ai_addrlen) == 0 && listen(*fd, 512) == 0 &&
              getsockname(*fd, (struct sockaddr *)&bound, &n) == 0;
    int why = errno;
    freeaddrinfo(found);
    if (ok) {
        *got = ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                                 : ((struct sockaddr_in *)&bound)->sin_port);
        return ERR_OK;
    }
    if (*fd >= 0) close(*fd);
    if (why == EADDRINUSE)
        return err_set(ERR_IO, "port %d is in use already; choose another with --port, or --port 0 for a free one",
                       port);
    return err_set(ERR_IO, "cannot listen at %s port %d: %s", address, port, strerror(why));
}

err http_start(http **out, const http_options *o)
{
    http *h = calloc(1, sizeof *h);
    int fd = -1, threads = cpu_count();
    if (h == NULL) return err_set(ERR_MEMORY, "no memory for a server");
    h->o = *o;
    pthread_mutex_init(&h->lock, NULL);
    err e = listen_at(o->bind, o->port, &fd, &o->guard->port);
    if (threads < 2) threads = 2;
    if (threads > THREADS_MOST) threads = THREADS_MOST;
    if (e == ERR_OK) {
        h->daemon = MHD_start_daemon(
            MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_ERROR_LOG, 0, NULL, NULL,
            on_request, h, MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL, MHD_OPTION_LISTEN_SOCKET, fd,
            MHD_OPTION_THREAD_POOL_SIZE, (unsigned)threads, MHD_OPTION_CONNECTION_LIMIT, (unsigned)HTTP_CONNECTIONS,
            MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY,
            MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL, MHD_OPTION_NOTIFY_COMPLETED, on_completed, h,
            MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_END);
        if (h->daemon == NULL) {
            close(fd);
            e = err_set(ERR_IO, "the HTTP server cannot be started");
        }
    }
    if (e == ERR_OK) {
        *out = h;
        return e;
    }
    pthread_mutex_destroy(&h->lock);
    free(h);
    return e;
}

void http_quit(http *h)
{
    int fd = MHD_quiesce_daemon(h->daemon);
    if (fd >= 0) close(fd);
}

void http_stop(http *h)
{
    if (h == NULL) return;
    MHD_stop_daemon(h->daemon);
    pthread_mutex_destroy(&h->lock);
    free(h);
}
