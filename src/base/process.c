// A child process behind two pipes. See process.h for the promises.
#include "base/process.h"

#include "base/clock.h"
#include "base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BUFFER = 1 << 16, FLOOD = 16 << 20 };

struct process {
    pid_t pid;
    int to, from; // our ends; -1 when closed
    bool reaped;
    size_t start, end; // unread bytes in buffer
    size_t answer;     // bytes read since process_calm
    char buffer[BUFFER];
};

static void close_fd(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

// After fork only async-signal-safe calls are made: another thread may have held any lock.
static void child(const char *command, const int in[2], const int out[2])
{
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    int null = open("/dev/null", O_WRONLY);
    if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 || (null >= 0 && dup2(null, 2) < 0)) _exit(127);
    for (int fd = 3; fd < 256; fd++) close(fd);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

err process_start(process **out, const char *command)
{
    int in[2] = {-1, -1}, from[2] = {-1, -1};
    process *p = calloc(1, sizeof *p);
    if (p == NULL) return err_set(ERR_MEMORY, "no memory to start '%s'", command);
    if (pipe(in) != 0 || pipe(from) != 0) goto fail;
    p->pid = fork();
    if (p->pid < 0) goto fail;
    if (p->pid == 0) child(command, in, from);
    setpgid(p->pid, p->pid); // both sides, so neither runs before it is done
    close(in[0]);
    close(from[1]);
    p->to = in[1];
    p->from = from[0];
    // Another child started later must not hold this one's pipe open.
    fcntl(p->to, F_SETFD, FD_CLOEXEC);
    fcntl(p->from, F_SETFD, FD_CLOEXEC);
    fcntl(p->to, F_SETFL, O_NONBLOCK);
    fcntl(p->from, F_SETFL, O_NONBLOCK);
    *out = p;
    return ERR_OK;
fail:;
    err e = err_set(ERR_IO, "cannot start '%s': %s", command, strerror(errno));
    for (int i = 0; i < 2; i++) {
        close_fd(&in[i]);
        close_fd(&from[i]);
    }
    free(p);
    return e;
}

err process_find(const char *command)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./";
    enum { WORD = 1024 };
    char ask[WORD + 32], answer[WORD];
    process *p;
    command += strspn(command, " \t");
    size_t n = strspn(command, plain);
    if (n == 0 || n >= WORD || command[0] == '-' || strchr(" \t;", command[n]) == NULL) return ERR_OK;
    snprintf(ask, sizeof ask, "command -v %.*s", (int)n, command);
    err e = process_start(&p, ask);
    if (e != ERR_OK) return e;
    bool known = process_read(p, 5, answer, sizeof answer) != ERR_IO; // says nothing and ends
    process_stop(p);
    return known ? ERR_OK : err_set(ERR_MISSING, "there is no program '%.*s'", (int)n, command);
}

bool process_alive(process *p)
{
    if (p->reaped) return false;
    int status;
    if (waitpid(p->pid, &status, WNOHANG) == p->pid) p->reaped = true;
    return !p->reaped;
}

// Waits for the leader to end, at most so long.
static bool ended_within(process *p, double seconds)
{
    double until = clock_seconds() + seconds;
    while (process_alive(p)) {
        if (clock_seconds() >= until) return false;
        clock_sleep(0.002);
    }
    return true;
}

void process_stop(process *p)
{
    if (p == NULL) return;
    close_fd(&p->to);
    close_fd(&p->from);
    if (!ended_within(p, 0.2)) {
        kill(-p->pid, SIGTERM);
        ended_within(p, 0.3);
    }
    kill(-p->pid, SIGKILL); // what the leader left behind, too
    if (!p->reaped) waitpid(p->pid, NULL, 0);
    free(p);
}

// A write to a closed pipe raises SIGPIPE in this thread: block it, and take it back if it came.
static ssize_t write_quietly(int fd, const char *data, size_t n)
{
    sigset_t pipe_only, before;
    struct timespec zero = {0, 0};
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    ssize_t k = write(fd, data, n);
    int saved = errno;
    if (k < 0 && saved == EPIPE) sigtimedwait(&pipe_only, NULL, &zero);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return k;
}

// Waits until `fd` is ready, the time is up, or Ctrl-C was pressed. Signals reach the main thread only, so every wait looks
// at the flag now and then.
static bool ready(int fd, short events, double until)
{
    for (;;) {
        double left = until - clock_seconds();
        struct pollfd one = {.fd = fd, .events = events};
        int n = poll(&one, 1, left <= 0 ? 0 : left > 0.1 ? 100 : (int)(left * 1000) + 1);
        if (n > 0) return true;
        if (n < 0 && errno != EINTR) return false;
        if (clock_seconds() >= until || stop_requested()) return false;
    }
}

static err write_all(process *p, double until, const char *data, size_t n)
{
    while (n > 0) {
        ssize_t k = write_quietly(p->to, data, n);
        if (k > 0) {
            data += k;
            n -= (size_t)k;
        } else if (k < 0 && (errno == EAGAIN || errno == EINTR)) {
            if (!ready(p->to, POLLOUT, until)) return err_set(ERR_STOPPED, "the program does not read what it is sent");
        } else {
            return err_set(ERR_IO, "the program has ended");
        }
    }
    return ERR_OK;
}

err process_write(process *p, double seconds, const char *line)
{
    double until = clock_seconds() + seconds;
    if (p->to < 0) return err_set(ERR_IO, "the program has ended");
    err e = write_all(p, until, line, strlen(line));
    if (e == ERR_OK) e = write_all(p, until, "\n", 1);
    return e;
}

void process_calm(process *p)
{
    p->answer = 0;
}

// Hands out buffered bytes up to a line end; false when the buffer holds no whole line.
static bool take_line(process *p, char *line, size_t n)
{
    char *data = p->buffer + p->start;
    char *end = memchr(data, '\n', p->end - p->start);
    if (end == NULL) return false;
    size_t len = (size_t)(end - data), keep = len < n - 1 ? len : n - 1;
    memcpy(line, data, keep);
    line[keep] = 0;
    while (keep > 0 && line[keep - 1] == '\r') line[--keep] = 0;
    p->start += len + 1;
    return true;
}

err process_read(process *p, double seconds, char *line, size_t n)
{
    double until = clock_seconds() + seconds;
    for (;;) {
        if (take_line(p, line, n)) return ERR_OK;
        if (p->start > 0) {
            memmove(p->buffer, p->buffer + p->start, p->end - p->start);
            p->end -= p->start;
            p->start = 0;
        }
        if (p->end == BUFFER) return err_set(ERR_LIMIT, "the program sent %d bytes without a line end", BUFFER);
        if (p->answer > FLOOD) return err_set(ERR_LIMIT, "the program sent more than %d MiB", FLOOD >> 20);
        if (!ready(p->from, POLLIN, until)) return err_set(ERR_STOPPED, "no answer within %.1f s", seconds);
        ssize_t k = read(p->from, p->buffer + p->end, BUFFER - p->end);
        if (k > 0) {
            p->end += (size_t)k;
            p->answer += (size_t)k;
        } else if (k == 0) {
            return err_set(ERR_IO, "the program has ended");
        } else if (errno != EAGAIN && errno != EINTR) {
            return err_set(ERR_IO, "reading from the program failed: %s", strerror(errno));
        }
    }
}
