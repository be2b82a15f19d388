// A nats-server of the tests' own: a free loopback port, a temporary folder, killed and started again at will. Tests that
// need one are skipped where the program is missing, or keiko was built without libnats.
#ifndef KEIKO_TESTS_DIST_BROKER_H
#define KEIKO_TESTS_DIST_BROKER_H

#include "base/clock.h"
#include "base/file.h"
#include "dist/bus.h"
#include "test.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct broker {
    pid_t pid;
    int port;
    char dir[128], url[64], more[600]; // more: further lines of its configuration
} broker;

static inline int free_port(void)
{
    int s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    assert_int_equal(bind(s, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(getsockname(s, (struct sockaddr *)&a, &n), 0);
    close(s);
    return ntohs(a.sin_port);
}

// A program in the background; its words go to `log` (NULL: nowhere).
static inline pid_t spawn(const char *log, char *const argv[])
{
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails leaves nobody behind
        int out = open(log != NULL ? log : "/dev/null", O_WRONLY | O_CREAT | O_APPEND, 0644);
        dup2(out, 1);
        dup2(out, 2);
        execvp(argv[0], argv);
        _exit(127);
    }
    return pid;
}

// Its exit status, or -signal; -1000 when it is still there after so many seconds.
static inline int reap(pid_t pid, double seconds)
{
    int status = 0;
    for (double until = clock_seconds() + seconds; clock_seconds() < until; clock_sleep(0.02))
        if (waitpid(pid, &status, WNOHANG) == pid) return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return -1000;
}

static inline void kill_9(pid_t *pid)
{
    if (*pid > 0) {
        kill(*pid, SIGKILL);
        waitpid(*pid, NULL, 0);
    }
    *pid = 0;
}

static inline bool answers(int port)
{
    int s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    bool ok = connect(s, (struct sockaddr *)&a, sizeof a) == 0;
    close(s);
    return ok;
}

static inline void broker_up(broker *b)
{
    char conf[160], log[160], text[1200];
    snprintf(conf, sizeof conf, "%s/nats.conf", b->dir);
    snprintf(log, sizeof log, "%s/nats.log", b->dir);
    snprintf(text, sizeof text, "host: 127.0.0.1\nport: %d\njetstream { store_dir: \"%s/js\" }\n%s\n", b->port, b->dir,
             b->more);
    assert_ok(file_write_atomic(conf, text, strlen(text)));
    char *argv[] = {"nats-server", "-c", conf, NULL};
    b->pid = spawn(log, argv);
    for (int i = 0; i < 500 && !answers(b->port); i++) {
        int status;
        if (waitpid(b->pid, &status, WNOHANG) == b->pid) fail_msg("nats-server left with %d; see %s", status, log);
        clock_sleep(0.02);
    }
    assert_true(answers(b->port));
}

static inline void broker_down(broker *b)
{
    kill_9(&b->pid);
}

static inline void broker_need(void)
{
    if (!bus_built()) skip_because("built without libnats");
    if (system("command -v nats-server > /dev/null 2>&1") != 0) skip_because("nats-server is not installed");
}

static inline void broker_start(broker *b, const char *more)
{
    *b = (broker){0};
    broker_need();
    snprintf(b->dir, sizeof b->dir, "/tmp/keiko-dist-XXXXXX");
    assert_non_null(mkdtemp(b->dir));
    snprintf(b->more, sizeof b->more, "%s", more);
    b->port = free_port();
    snprintf(b->url, sizeof b->url, "nats://127.0.0.1:%d", b->port);
    broker_up(b);
}

static inline void broker_end(broker *b)
{
    char line[200];
    broker_down(b);
    snprintf(line, sizeof line, "rm -rf '%s'", b->dir);
    if (b->dir[0] != 0 && system(line) != 0) printf("cannot remove %s\n", b->dir);
}

static inline bus *bus_of(const broker *b)
{
    bus *out;
    bus_options o = {.url = b->url};
    assert_ok(bus_open(&out, &o, "test", NULL));
    return out;
}

#endif
