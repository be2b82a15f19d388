// The server over real connections: who is let in, limits, slow clients, files, streams. labels: threads
#include "base/clock.h"
#include "base/date_ahead.h"
#include "base/file.h"
#include "base/temp_dir.h"
#include "serve/serve.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

static char dir[64], data[100], page[100];
static server *s;
static char answer[4 << 20];

// --- a small client

static int dial(int port)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    struct timeval limit = {.tv_sec = 60};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return fd;
}

static void put(int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t k = send(fd, text, n, MSG_NOSIGNAL);
        if (k <= 0) return; // it was closed on us, which the answer will show
        text += k;
        n -= (size_t)k;
    }
}

// All until the other side closes.
static size_t take(int fd)
{
    size_t n = 0;
    for (ssize_t k; n < sizeof answer - 1 && (k = recv(fd, answer + n, sizeof answer - 1 - n, 0)) > 0;) n += (size_t)k;
    answer[n] = 0;
    return n;
}

// Sends the text as it is; the status, 0 = no answer.
static int raw(const char *text, size_t n)
{
    int fd = dial(serve_port(s)), status = 0;
    put(fd, text, n);
    take(fd);
    close(fd);
    sscanf(answer, "HTTP/1.1 %d", &status);
    return status;
}

// `more`: header lines, each with its end.
static int http(const char *method, const char *path, const char *more, const char *body)
{
    static char text[1 << 16];
    int n = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\n%s%sConnection: close\r\n", method, path,
                     strstr(more, "Host:") == NULL ? "Host: localhost:" : "", "");
    if (strstr(more, "Host:") == NULL)
        n = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\n", method, path,
                     serve_port(s));
    n += snprintf(text + n, sizeof text - (size_t)n, "%s", more);
    if (body != NULL)
        n += snprintf(text + n, sizeof text - (size_t)n, "Content-Type: application/json\r\nContent-Length: %zu\r\n",
                      strlen(body));
    n += snprintf(text + n, sizeof text - (size_t)n, "\r\n%s", body != NULL ? body : "");
    return raw(text, (size_t)n);
}

static void gets(const char *path, const char *more, int status)
{
    int got = http("GET", path, more, NULL);
    if (got != status) fail_msg("GET %s (%s): %d, not %d: %.500s", path, more, got, status, answer);
}

static void has(const char *part)
{
    if (strstr(answer, part) == NULL) fail_msg("no \"%s\" in: %.1500s", part, answer);
}

static void alive(void)
{
    gets("/api/1/machine", "", 200);
}

// --- life

static void start(const serve_options *o)
{
    serve_options mine = *o;
    mine.data = data;
    mine.site = page;
    mine.workers = 2;
    assert_ok(serve_start(&s, &mine));
}

static void restart(const serve_options *o)
{
    serve_stop(s);
    start(o);
}

static int begin(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_non_null(temp_dir_make(dir));
    snprintf(data, sizeof data, "%s/data", dir);
    snprintf(page, sizeof page, "%s/site", dir);
    static const char *const files[][2] = {{"index.html", "<!doctype html><title>keiko</title>"},
                                           {"app.js", "1"},
                                           {"app.js.gz", "zipped"},
                                           {"keiko.wasm", "\\0asm"},
                                           {"rules/en/othello.html", "<p>rules"},
                                           {".secret", "x"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", page, files[i][0]);
        assert_ok(file_make_parent(path));
        assert_ok(file_write_atomic(path, files[i][1], strlen(files[i][1])));
    }
    char outside[200];
    snprintf(outside, sizeof outside, "%s/outside.txt", dir);
    assert_ok(file_write_atomic(outside, "secret", 6));
    start(&(serve_options){0});
    return 0;
}

static int end(void **state)
{
    (void)state;
    serve_stop(s);
    if (chdir("/") != 0) return 1;
    temp_dir_remove(dir);
    return 0;
}

// --- tests

static void the_page_is_served(void **state)
{
    (void)state;
    gets("/", "", 200);
    has("<title>keiko</title>");
    has("Content-Type: text/html; charset=utf-8");
    has("Cross-Origin-Opener-Policy: same-origin");
    has("Cross-Origin-Embedder-Policy: require-corp");
    has("Content-Security-Policy: default-src 'self'");
    has("frame-ancestors 'none'");
    has("X-Content-Type-Options: nosniff");
    gets("/keiko.wasm", "", 200);
    has("Content-Type: application/wasm");
    gets("/app.js", "", 200);
    has("Content-Type: text/javascript");
    char *etag = strstr(answer, "ETag: ");
    assert_non_null(etag);
    char more[100];
    snprintf(more, sizeof more, "If-None-Match: %.30s", etag + 6);
    *strchr(more, '\r') = 0;
    strcat(more, "\r\n");
    gets("/app.js", more, 304);
    gets("/app.js", "Accept-Encoding: gzip, br\r\n", 200);
    has("Content-Encoding: gzip");
    has("zipped");
    gets("/rules/en/othello.html", "", 200);
    gets("/api/1/machine", "", 200);
    has("\"page\":true");
    has("Content-Type: application/json");
    assert_int_equal(http("HEAD", "/", "", NULL), 200);
    assert_int_equal(http("POST", "/", "", "{}"), 405);
    assert_int_equal(http("PUT", "/api/1/games", "", NULL), 405);
    has("Allow: GET, HEAD\r\n");
}

static void head_answers_as_get_does_without_a_body(void **state)
{
    (void)state;
    char size[60], path[80];
    gets("/api/1/games", "", 200);
    snprintf(size, sizeof size, "Content-Length: %zu\r\n", strlen(strstr(answer, "\r\n\r\n") + 4));
    assert_int_equal(http("HEAD", "/api/1/games", "", NULL), 200);
    has(size);
    assert_string_equal(strstr(answer, "\r\n\r\n"), "\r\n\r\n");
    assert_int_equal(http("POST", "/api/1/sessions", "", "{\"game\":\"tictactoe\"}"), 201);
    snprintf(path, sizeof path, "/api/1/sessions/%.22s/events", strstr(answer, "\"id\":\"") + 6);
    assert_int_equal(http("HEAD", path, "", NULL), 200); // a stream, which ends at once
    has("Content-Type: text/event-stream");
    assert_string_equal(strstr(answer, "\r\n\r\n"), "\r\n\r\n");
    assert_int_equal(http("HEAD", "/api/1/nothing", "", NULL), 404);
    assert_int_equal(http("HEAD", "/api/1/advise", "", NULL), 405);
    has("Allow: POST\r\n");
    alive();
}

static void paths_do_not_escape(void **state)
{
    (void)state;
    static const char *const tricks[] = {"/../outside.txt",
                                         "/..%2foutside.txt",
                                         "/%2e%2e/outside.txt",
                                         "/rules/../../outside.txt",
                                         "//etc/passwd",
                                         "/.secret",
                                         "/%2esecret",
                                         "/app.js%00.html",
                                         "/rules",
                                         "/rules/",
                                         "/index.html/",
                                         "/api/1/runs/..%2f..%2foutside.txt/log",
                                         "/api/1/benches/%2e%2e/games/1",
                                         "/api/1//games",
                                         "/api/2/games",
                                         "/api/1/games/"};
    for (size_t i = 0; i < sizeof tricks / sizeof *tricks; i++) {
        int status = http("GET", tricks[i], "", NULL);
        if (status != 404 && status != 400) fail_msg("%s: %d %s", tricks[i], status, answer);
        assert_null(strstr(answer, "secret\n"));
        assert_null(strstr(answer, "root:"));
    }
    alive();
}

static void strangers_are_refused(void **state)
{
    (void)state;
    char more[100];
    gets("/api/1/machine", "Host: evil.example\r\n", 403);
    has("\"error\"");
    gets("/", "Host: evil.example\r\n", 403);
    snprintf(more, sizeof more, "Host: evil.example:%d\r\n", serve_port(s));
    gets("/api/1/machine", more, 403);
    gets("/api/1/machine", "Origin: http://evil.example\r\n", 403);
    gets("/api/1/machine", "Origin: null\r\n", 403);
    gets("/api/1/machine", "Sec-Fetch-Site: cross-site\r\n", 403);
    gets("/api/1/machine", "Sec-Fetch-Site: same-origin\r\n", 200);
    snprintf(more, sizeof more, "Origin: http://localhost:%d\r\n", serve_port(s));
    gets("/api/1/machine", more, 200);
    // no Host at all
    static const char none[] = "GET /api/1/machine HTTP/1.1\r\nConnection: close\r\n\r\n";
    int status = raw(none, sizeof none - 1);
    assert_true(status == 403 || status == 400);
    // a form of another site could send this without asking
    static const char form[] =
        "POST /api/1/sessions HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\nContent-Type: "
        "text/plain\r\nContent-Length: 20\r\n\r\n{\"game\":\"tictactoe\"}";
    char text[400];
    int n = snprintf(text, sizeof text, form, serve_port(s));
    assert_int_equal(raw(text, (size_t)n), 415);
}

static void bodies_are_limited(void **state)
{
    (void)state;
    char text[400];
    assert_int_equal(http("POST", "/api/1/sessions", "", "{\"game\":\"tictactoe\"}"), 201);
    assert_int_equal(http("POST", "/api/1/sessions", "", "{\"game\":\"tictac"), 400);
    has("\"error\"");
    assert_int_equal(http("POST", "/api/1/sessions", "", "\xff\xfe{}"), 400);
    static char deep[20001];
    memset(deep, '[', sizeof deep - 1);
    assert_int_equal(http("POST", "/api/1/sessions", "", deep), 400);
    // announced: refused before it is sent
    int n = snprintf(text, sizeof text,
                     "POST /api/1/sessions HTTP/1.1\r\nHost: localhost:%d\r\nContent-Type: application/json\r\n"
                     "Content-Length: 99999999999\r\n\r\n",
                     serve_port(s));
    assert_int_equal(raw(text, (size_t)n), 413);
    // not announced: in chunks
    int fd = dial(serve_port(s)), status = 0;
    n = snprintf(text, sizeof text,
                 "POST /api/1/sessions HTTP/1.1\r\nHost: localhost:%d\r\nContent-Type: application/json\r\nConnection: "
                 "close\r\nTransfer-Encoding: chunked\r\n\r\n",
                 serve_port(s));
    put(fd, text, (size_t)n);
    static char chunk[65536 + 16];
    n = snprintf(chunk, sizeof chunk, "10000\r\n");
    memset(chunk + n, ' ', 65536);
    memcpy(chunk + n + 65536, "\r\n", 2);
    for (int i = 0; i < 20; i++) put(fd, chunk, (size_t)n + 65536 + 2);
    put(fd, "0\r\n\r\n", 5);
    take(fd);
    close(fd);
    sscanf(answer, "HTTP/1.1 %d", &status);
    assert_int_equal(status, 413);
    // headers
    static char many[200000];
    n = snprintf(many, sizeof many, "GET / HTTP/1.1\r\nHost: localhost:%d\r\nX: ", serve_port(s));
    memset(many + n, 'x', sizeof many - (size_t)n);
    memcpy(many + sizeof many - 4, "\r\n\r\n", 4);
    status = raw(many, sizeof many);
    assert_true(status == 431 || status == 413 || status == 414 || status == 0);
    alive();
}

// Says it and hangs up. Whether the server answers does not matter, so nobody waits for it for long.
static void shout(const char *text, size_t n)
{
    struct timeval soon = {.tv_usec = 100000};
    int fd = dial(serve_port(s));
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    put(fd, text, n);
    shutdown(fd, SHUT_WR);
    take(fd);
    close(fd);
}

static void nonsense_is_survived(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01",
        "GET / HTTP/1.1\nHost\n\n",
        "POST /api/1/sessions HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        "GET /api/1/games?from=%zz&limit HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) shout(lines[i], strlen(lines[i]));
    alive();
    static char noise[4096];
    for (int k = 0; k < soak_or(50, 5000); k++) {
        for (size_t i = 0; i < sizeof noise; i++) noise[i] = (char)((i * 2654435761u + (unsigned)k * 40503u) >> 11);
        if (k % 2 == 0) memcpy(noise, "GET /", 5);
        shout(noise, sizeof noise);
    }
    alive();
}

// A byte now and then keeps no connection: the request must be whole in time. Others are served meanwhile.
static void slow_clients_are_cut_off(void **state)
{
    (void)state;
    enum { N = 20 };
    int fd[N];
    restart(&(serve_options){.receive_seconds = 2});
    char path[200], text[400];
    assert_int_equal(http("POST", "/api/1/sessions", "", "{\"game\":\"tictactoe\"}"), 201);
    int stream = dial(serve_port(s)); // who only listens is not slow
    snprintf(path, sizeof path, "/api/1/sessions/%.22s", strstr(answer, "\"id\":\"") + 6);
    int n = snprintf(text, sizeof text, "GET %s/events HTTP/1.1\r\nHost: localhost:%d\r\n\r\n", path, serve_port(s));
    put(stream, text, (size_t)n);
    for (int i = 0; i < N; i++) {
        fd[i] = dial(serve_port(s));
        put(fd[i], "GET / HTTP/1.1\r\n", 16);
    }
    double begun = clock_seconds();
    bool open = true;
    while (open && clock_seconds() - begun < 30) {
        open = false;
        for (int i = 0; i < N; i++) {
            char c;
            if (fd[i] < 0) continue;
            put(fd[i], "X", 1);
            ssize_t k = recv(fd[i], &c, 1, MSG_DONTWAIT);
            if (k == 0 || (k < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) {
                close(fd[i]);
                fd[i] = -1;
            }
            open = open || fd[i] >= 0;
        }
        alive();
        clock_sleep(0.2);
    }
    if (open) fail_msg("a slow client was still there after %.0f s", clock_seconds() - begun);
    // one that sends its body slowly
    n = snprintf(text, sizeof text,
                 "POST /api/1/sessions HTTP/1.1\r\nHost: localhost:%d\r\nContent-Type: application/json\r\n"
                 "Content-Length: 1000\r\n\r\n{",
                 serve_port(s));
    int slow = dial(serve_port(s));
    put(slow, text, (size_t)n);
    begun = clock_seconds();
    for (ssize_t k = -1; k < 0 && clock_seconds() - begun < 30; clock_sleep(0.2)) {
        char c;
        put(slow, " ", 1);
        k = recv(slow, &c, 1, MSG_DONTWAIT);
        if (k < 0 && errno != EAGAIN && errno != EWOULDBLOCK) break;
    }
    assert_true(clock_seconds() - begun < 25);
    close(slow);
    strcat(path, "/play");
    assert_int_equal(http("POST", path, "", "{\"move\":\"b2\"}"), 200);
    char seen[4000] = "";
    for (size_t len = 0; strstr(seen, "event: changed") == NULL;) {
        ssize_t k = recv(stream, seen + len, sizeof seen - 1 - len, 0);
        if (k <= 0) fail_msg("the stream was cut off after: %s", seen);
        len += (size_t)k;
        seen[len] = 0;
    }
    close(stream);
    restart(&(serve_options){0});
}

static void a_token_is_needed(void **state)
{
    (void)state;
    assert_err(serve_start(&(server *){NULL}, &(serve_options){.data = data, .token = "short"}), "16");
    restart(&(serve_options){.token = "0123456789abcdef"});
    gets("/api/1/machine", "", 401);
    has("\"error\"");
    gets("/", "", 401);
    gets("/api/1/machine", "Authorization: Bearer 0123456789abcdef\r\n", 200);
    gets("/api/1/machine", "Authorization: Bearer 0123456789abcdeX\r\n", 401);
    gets("/?token=0123456789abcdef", "", 303);
    has("SameSite=Strict");
    has("HttpOnly");
    has("Location: /\r\n");
    char more[100];
    snprintf(more, sizeof more, "Cookie: keiko-%d=0123456789abcdef\r\n", serve_port(s));
    gets("/", more, 200);
    gets("/?token=wrong", "", 401);
    serve_stop(s);
    // another address makes one of its own
    start(&(serve_options){.bind = "0.0.0.0"});
    assert_int_equal(strlen(serve_token(s)), 32);
    gets("/api/1/machine", "", 401);
    restart(&(serve_options){0});
    assert_string_equal(serve_token(s), "");
}

static void one_server_per_folder(void **state)
{
    (void)state;
    server *other = NULL;
    assert_err(serve_start(&other, &(serve_options){.data = data}), "another keiko serve");
    assert_err(serve_start(&other, &(serve_options){.data = data, .bind = "nowhere"}), "another keiko serve");
    serve_stop(s);
    s = NULL;
    assert_err(serve_start(&s, &(serve_options){.data = data, .bind = "nowhere"}), "not an address");
    assert_err(serve_start(&s, &(serve_options){.data = data, .site = "/nothing"}), "no folder");
    start(&(serve_options){0});
}

static void without_a_page(void **state)
{
    (void)state;
    serve_stop(s);
    assert_ok(serve_start(&s, &(serve_options){.data = data}));
    gets("/", "", 200);
    has("make site");
    gets("/index.html", "", 404);
    gets("/api/1/machine", "", 200);
    has("\"page\":false");
    restart(&(serve_options){0});
}

static void events_arrive(void **state)
{
    (void)state;
    char path[200], more[400];
    assert_int_equal(http("POST", "/api/1/sessions", "", "{\"game\":\"tictactoe\",\"second\":\"mcts:sims=20\"}"), 201);
    char id[23];
    snprintf(id, sizeof id, "%.22s", strstr(answer, "\"id\":\"") + 6);
    int fd = dial(serve_port(s));
    int n = snprintf(more, sizeof more, "GET /api/1/sessions/%s/events HTTP/1.1\r\nHost: localhost:%d\r\n\r\n", id,
                     serve_port(s));
    put(fd, more, (size_t)n);
    static char seen[1 << 16];
    size_t len = 0;
    const char *const wanted[] = {"text/event-stream", "event: changed", "event: done", "event: closed"};
    for (int i = 0; i < 4; i++) {
        if (i == 1) {
            snprintf(path, sizeof path, "/api/1/sessions/%s/play", id);
            assert_int_equal(http("POST", path, "", "{\"move\":\"b2\"}"), 200);
        } else if (i == 2) {
            snprintf(path, sizeof path, "/api/1/sessions/%s/think", id);
            assert_int_equal(http("POST", path, "", "{}"), 200);
        } else if (i == 3) {
            snprintf(path, sizeof path, "/api/1/sessions/%s", id);
            assert_int_equal(http("DELETE", path, "", NULL), 200);
        }
        while (strstr(seen, wanted[i]) == NULL) {
            ssize_t k = recv(fd, seen + len, sizeof seen - 1 - len, 0);
            if (k <= 0) fail_msg("no %s in: %s", wanted[i], seen);
            len += (size_t)k;
            seen[len] = 0;
        }
    }
    close(fd);
}

// Opens a session with this body and has it search; the connection that waits for the answer.
static int searches(const char *opened, char id[23])
{
    char text[600];
    static const char body[] = "{\"helper\":\"mcts:sims=100000000\"}";
    assert_int_equal(http("POST", "/api/1/sessions", "", opened), 201);
    snprintf(id, 23, "%.22s", strstr(answer, "\"id\":\"") + 6);
    int fd = dial(serve_port(s));
    int n = snprintf(text, sizeof text,
                     "POST /api/1/sessions/%s/analyse HTTP/1.1\r\nHost: localhost:%d\r\n"
                     "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                     id, serve_port(s), sizeof body - 1, body);
    put(fd, text, (size_t)n);
    return fd;
}

static bool thinking(int n)
{
    char wanted[40];
    snprintf(wanted, sizeof wanted, "\"thinking\":%d,", n);
    gets("/api/1/machine", "", 200);
    return strstr(answer, wanted) != NULL;
}

// A page that was closed or loaded again keeps no worker: nobody else will ask for what a scratch session found.
static void a_search_ends_with_its_client(void **state)
{
    (void)state;
    char id[23];
    int fd[3];
    for (int i = 0; i < 3; i++) fd[i] = searches("{\"game\":\"othello\",\"scratch\":true}", id); // two workers
    while (!thinking(3)) clock_sleep(0.02);
    for (int i = 0; i < 3; i++) close(fd[i]);
    double begun = clock_seconds();
    while (!thinking(0) && clock_seconds() - begun < 20) clock_sleep(0.05);
    assert_true(clock_seconds() - begun < 20);
    int kept = searches("{\"game\":\"othello\"}", id); // a stored one goes on: its answer is kept
    while (!thinking(1)) clock_sleep(0.02);
    close(kept);
    clock_sleep(1);
    assert_true(thinking(1));
    char path[100];
    snprintf(path, sizeof path, "/api/1/sessions/%s/stop", id);
    assert_int_equal(http("POST", path, "", "{}"), 200);
    while (!thinking(0)) clock_sleep(0.02);
}

// A search under way, a stream open, a connection idle: the end comes soon all the same.
static void the_end_is_quick(void **state)
{
    (void)state;
    char text[600], id[23];
    int search = searches("{\"game\":\"othello\"}", id), stream = dial(serve_port(s)), idle = dial(serve_port(s));
    int n = snprintf(text, sizeof text, "GET /api/1/sessions/%s/events HTTP/1.1\r\nHost: localhost:%d\r\n\r\n", id,
                     serve_port(s));
    put(stream, text, (size_t)n);
    clock_sleep(0.5);
    double begun = clock_seconds();
    serve_stop(s);
    assert_true(clock_seconds() - begun < 20);
    close(stream);
    close(search);
    close(idle);
    start(&(serve_options){0});
    snprintf(text, sizeof text, "/api/1/sessions/%s", id);
    gets(text, "", 200); // and the game is there
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_is_served),
        cmocka_unit_test(head_answers_as_get_does_without_a_body),
        cmocka_unit_test(paths_do_not_escape),
        cmocka_unit_test(strangers_are_refused),
        cmocka_unit_test(bodies_are_limited),
        cmocka_unit_test(nonsense_is_survived),
        cmocka_unit_test(slow_clients_are_cut_off),
        cmocka_unit_test(a_token_is_needed),
        cmocka_unit_test(one_server_per_folder),
        cmocka_unit_test(without_a_page),
        cmocka_unit_test(events_arrive),
        cmocka_unit_test(a_search_ends_with_its_client),
        cmocka_unit_test(the_end_is_quick),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
