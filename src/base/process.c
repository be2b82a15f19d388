// A child process behind two pipes. See process.h for the promises.
#define _DEFAULT_SOURCE // wait4
#include "base/process.h"

#include "base/clock.h"
#include "base/stop.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { BUFFER = 1 << 16, FLOOD = 16 << 20, MARK = 64 };

struct process {
    pid_t pid;
    int to, from; // our ends; -1 when closed
    bool reaped;
    double cpu;        // once reaped: what it and the children it waited for have used
    char mark[MARK];   // NAME=VALUE in the environment of all its processes
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
static void child(const char *command, char **env, const int in[2], const int out[2])
{
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    int null = open("/dev/null", O_WRONLY);
    if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 || (null >= 0 && dup2(null, 2) < 0)) _exit(127);
    for (int fd = 3; fd < 256; fd++) close(fd);
    execle("/bin/sh", "sh", "-c", command, (char *)NULL, env);
    _exit(127);
}

// Our environment and the mark; caller frees.
static char **marked_environment(char *mark)
{
    size_t n = 0;
    while (environ[n] != NULL) n++;
    char **env = calloc(n + 2, sizeof *env);
    if (env == NULL) return NULL;
    env[0] = mark;
    memcpy(env + 1, environ, n * sizeof *env);
    return env;
}

err process_start(process **out, const char *command)
{
    static _Atomic unsigned serial;
    int in[2] = {-1, -1}, from[2] = {-1, -1};
    process *p = calloc(1, sizeof *p);
    if (p == NULL) return err_set(ERR_MEMORY, "no memory to start '%s'", command);
    snprintf(p->mark, sizeof p->mark, "KEIKO_PARTNER=%ld.%u", (long)getpid(), ++serial);
    char **env = marked_environment(p->mark);
    if (env == NULL) {
        free(p);
        return err_set(ERR_MEMORY, "no memory to start '%s'", command);
    }
    if (pipe(in) != 0 || pipe(from) != 0) goto fail;
    p->pid = fork();
    if (p->pid < 0) goto fail;
    if (p->pid == 0) child(command, env, in, from);
    free(env);
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
    free(env);
    free(p);
    return e;
}

// The first word of a command, quotes and backslashes read as the shell reads them. False: only a shell can tell.
static bool first_word(const char *command, char *word, size_t n)
{
    size_t k = 0;
    char quote = 0;
    command += strspn(command, " \t");
    for (const char *c = command; *c != 0 && (quote != 0 || strchr(" \t\n;&|<>()", *c) == NULL); c++) {
        if (quote == 0 && (*c == '\'' || *c == '"')) {
            quote = *c;
            continue;
        }
        if (*c == quote) {
            quote = 0;
            continue;
        }
        if (quote != '\'' && (*c == '$' || *c == '`')) return false;
        if (quote == 0 && strchr("*?[~#={", *c) != NULL) return false;
        if (quote != '\'' && *c == '\\' && c[1] != 0) c++;
        if (k + 1 >= n) return false;
        word[k++] = *c;
    }
    word[k] = 0;
    return quote == 0 && k > 0 && word[0] != '-';
}

static bool file_there(const char *path)
{
    struct stat st;
    return strchr(path, '/') != NULL && stat(path, &st) == 0;
}

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

err process_find(const char *command)
{
    enum { WORD = 1024 };
    char word[WORD], ask[WORD + 32], answer[WORD];
    process *p;
    if (!first_word(command, word, sizeof word)) return ERR_OK;
    bool known;
    if (strchr(word, '/') != NULL) {
        known = is_program(word); // a shell may name any path without looking
    } else if (strchr(word, '\'') != NULL) {
        return ERR_OK;
    } else {
        snprintf(ask, sizeof ask, "command -v '%s'", word); // in the PATH, or one of the shell's own
        err e = process_start(&p, ask);
        if (e != ERR_OK) return e;
        known = process_read(p, 5, answer, sizeof answer) != ERR_IO; // says nothing and ends
        process_stop(p);
    }
    if (known) return ERR_OK;
    if (file_there(word)) return err_set(ERR_MISSING, "'%s' is not a program that can be run", word);
    return err_set(ERR_MISSING, "there is no program '%s'", word);
}

// --- the partner's whole family

// Does this process carry the mark?
static bool has_mark(const char *pid, const char *mark)
{
    char path[300], data[1 << 16];
    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    // The mark is the first variable we set, but a program may have moved it: look at as much as fits.
    size_t n = 0, len = strlen(mark) + 1;
    for (ssize_t k; n < sizeof data && (k = read(fd, data + n, sizeof data - n)) > 0;) n += (size_t)k;
    close(fd);
    for (size_t at = 0; at + len <= n;) {
        if (memcmp(data + at, mark, len) == 0) return true;
        const char *end = memchr(data + at, 0, n - at);
        if (end == NULL) break;
        at = (size_t)(end - data) + 1;
    }
    return false;
}

typedef struct life {
    char state;
    double cpu; // seconds, waited-for children included
} life;

static bool look(const char *pid, life *out)
{
    char path[300], text[1024];
    unsigned long user, sys;
    long waited_user, waited_sys;
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *f = fopen(path, "re");
    if (f == NULL) return false;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    const char *behind = strrchr(text, ')'); // the name may hold anything
    if (behind == NULL || sscanf(behind + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld", &out->state,
                                 &user, &sys, &waited_user, &waited_sys) != 5)
        return false;
    out->cpu = ((double)(user + sys) + (double)(waited_user + waited_sys)) / (double)sysconf(_SC_CLK_TCK);
    return true;
}

// Visits all processes with the mark that have not ended; returns their number. Kills them, or adds up their CPU time.
static int family(const process *p, bool end_them, double *cpu)
{
    int found = 0;
    DIR *d = opendir("/proc");
    if (d == NULL) return 0;
    for (struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        life l;
        if (!isdigit((unsigned char)e->d_name[0]) || !has_mark(e->d_name, p->mark) || !look(e->d_name, &l)) continue;
        if (l.state == 'Z' || l.state == 'X') continue;
        found++;
        if (end_them) kill((pid_t)atol(e->d_name), SIGKILL);
        if (cpu != NULL) *cpu += l.cpu;
    }
    closedir(d);
    return found;
}

// Ends what left the group (setsid). A process that forks all the time may take several rounds.
static void sweep(const process *p)
{
    for (int round = 0; round < 20 && family(p, true, NULL) > 0; round++) clock_sleep(0.002);
}

double process_cpu(process *p)
{
    double cpu = 0;
    if (!process_alive(p)) return p->cpu;
    family(p, false, &cpu);
    return cpu;
}

bool process_alive(process *p)
{
    if (p->reaped) return false;
    int status;
    struct rusage used;
    if (wait4(p->pid, &status, WNOHANG, &used) != p->pid) return true;
    p->reaped = true;
    p->cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
             1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    return false;
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
    sweep(p);
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
