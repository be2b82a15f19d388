// See jobs.h.
#define _DEFAULT_SOURCE
#include "serve/jobs.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEPT = 256, TOPIC = NAMES_PATH, ARGS = 128 };

typedef struct child {
    char topic[TOPIC];
    pid_t pid;  // 0: it ended
    int status; // then
} child;

struct jobs {
    pthread_mutex_t lock;
    char program[FILE_PATH];
    int most;
    child *list[KEPT]; // the newest at the end
    int n;
};

err jobs_new(jobs **out, const char *program, int most)
{
    jobs *j = calloc(1, sizeof *j);
    if (j == NULL) return err_set(ERR_MEMORY, "no memory for processes");
    pthread_mutex_init(&j->lock, NULL);
    if (program != NULL) snprintf(j->program, sizeof j->program, "%s", program);
    j->most = most;
    *out = j;
    return ERR_OK;
}

// --- under the lock

static child *find(jobs *j, const char *topic)
{
    for (int i = j->n - 1; i >= 0; i--)
        if (strcmp(j->list[i]->topic, topic) == 0) return j->list[i];
    return NULL;
}

static void poll_all(jobs *j)
{
    for (int i = 0; i < j->n; i++) {
        child *c = j->list[i];
        int status;
        if (c->pid == 0) continue;
        pid_t got = waitpid(c->pid, &status, WNOHANG);
        if (got == 0 || (got < 0 && errno == EINTR)) continue;
        c->pid = 0;
        c->status = got < 0 ? 0 : status;
        log_info("%s ended with status %d", c->topic, c->status);
    }
}

static int running(jobs *j)
{
    int n = 0;
    for (int i = 0; i < j->n; i++) n += j->list[i]->pid != 0;
    return n;
}

static child *add(jobs *j, const char *topic)
{
    child *c = find(j, topic);
    if (c != NULL) return c;
    if (j->n == KEPT) { // forget the oldest that has ended
        int i = 0;
        while (i < j->n && j->list[i]->pid != 0) i++;
        if (i == j->n) return NULL;
        free(j->list[i]);
        memmove(&j->list[i], &j->list[i + 1], (size_t)(j->n - i - 1) * sizeof j->list[0]);
        j->n--;
    }
    c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    snprintf(c->topic, sizeof c->topic, "%s", topic);
    return j->list[j->n++] = c;
}

static err log_file(const char *topic, char path[FILE_PATH])
{
    err e = file_make_dirs("logs");
    snprintf(path, FILE_PATH, "logs/%s.txt", topic);
    for (char *p = path + 5; *p != 0; p++)
        if (*p == '/') *p = '-';
    return e;
}

// After fork only async-signal-safe calls are made: another thread may have held any lock.
static void become(const char *program, char *const *argv, int out)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    static const int signals[] = {SIGPIPE, SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
    setsid();
    int in = open("/dev/null", O_RDONLY);
    if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(127);
    long most = sysconf(_SC_OPEN_MAX);
    for (int fd = 3; fd < (most > 0 && most < 65536 ? (int)most : 65536); fd++) close(fd);
    execv(program, argv);
    _exit(127);
}

static err spawn(jobs *j, child *c, const char *const *argv)
{
    char path[FILE_PATH];
    const char *full[ARGS] = {j->program};
    int n = 1;
    while (argv[n - 1] != NULL && n < ARGS - 1) {
        full[n] = argv[n - 1];
        n++;
    }
    err e = log_file(c->topic, path);
    if (e != ERR_OK) return e;
    int out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (out < 0) return err_set(ERR_IO, "cannot write %s: %s", path, strerror(errno));
    pid_t pid = fork();
    if (pid == 0) become(j->program, (char *const *)full, out);
    close(out);
    if (pid < 0) return err_set(ERR_IO, "cannot start a process: %s", strerror(errno));
    c->pid = pid;
    c->status = 0;
    log_info("%s is process %ld", c->topic, (long)pid);
    return ERR_OK;
}

// --- for others

err jobs_start(jobs *j, const char *topic, const char *const *argv)
{
    err e = ERR_OK;
    pthread_mutex_lock(&j->lock);
    poll_all(j);
    child *c = find(j, topic);
    if (j->program[0] == 0)
        e = err_set(ERR_MISSING, "this server starts no processes");
    else if (c != NULL && c->pid != 0)
        e = err_set(ERR_STOPPED, "%s is running already", topic);
    else if (running(j) >= j->most)
        e = err_set(ERR_STOPPED, "%d training runs and benches are running, and no more may; stop one first", j->most);
    else if ((c = add(j, topic)) == NULL)
        e = err_set(ERR_MEMORY, "no memory for a process");
    if (e == ERR_OK) e = spawn(j, c, argv);
    pthread_mutex_unlock(&j->lock);
    return e;
}

bool jobs_runs(jobs *j, const char *topic)
{
    pthread_mutex_lock(&j->lock);
    child *c = find(j, topic);
    bool runs = c != NULL && c->pid != 0;
    pthread_mutex_unlock(&j->lock);
    return runs;
}

void jobs_settle(jobs *j, const char *topic)
{
    for (double start = clock_seconds(); jobs_runs(j, topic) && clock_seconds() - start < 3; clock_sleep(0.01))
        jobs_poll(j);
}

bool jobs_known(jobs *j, const char *topic)
{
    pthread_mutex_lock(&j->lock);
    bool known = find(j, topic) != NULL;
    pthread_mutex_unlock(&j->lock);
    return known;
}

bool jobs_stop(jobs *j, const char *topic)
{
    pthread_mutex_lock(&j->lock);
    poll_all(j);
    child *c = find(j, topic);
    bool runs = c != NULL && c->pid != 0;
    if (runs) kill(c->pid, SIGTERM);
    pthread_mutex_unlock(&j->lock);
    return runs;
}

bool jobs_message(jobs *j, const char *topic, text_buf *to)
{
    char path[FILE_PATH], *text = NULL;
    size_t size = 0;
    pthread_mutex_lock(&j->lock);
    child *c = find(j, topic);
    bool failed = c != NULL && c->pid == 0 && c->status != 0;
    int status = failed ? c->status : 0;
    pthread_mutex_unlock(&j->lock);
    if (!failed) return false;
    if (log_file(topic, path) == ERR_OK) (void)file_read(path, 16 << 20, &text, &size);
    while (size > 0 && text[size - 1] == '\n') text[--size] = 0;
    if (size > 0) text_append(to, size > 600 ? text + size - 600 : text);
    if (WIFSIGNALED(status))
        text_printf(to, "%sit was ended by signal %d%s", size > 0 ? "\n" : "", WTERMSIG(status),
                    WTERMSIG(status) == SIGKILL ? " (is there too little memory?)" : "");
    else if (size == 0)
        text_append(to, "it ended without saying why: is the disk full?");
    free(text);
    return true;
}

int jobs_count(jobs *j)
{
    pthread_mutex_lock(&j->lock);
    int n = running(j);
    pthread_mutex_unlock(&j->lock);
    return n;
}

int jobs_most(const jobs *j)
{
    return j->most;
}

void jobs_poll(jobs *j)
{
    pthread_mutex_lock(&j->lock);
    poll_all(j);
    pthread_mutex_unlock(&j->lock);
}

void jobs_free(jobs *j)
{
    if (j == NULL) return;
    double start = clock_seconds();
    bool killed = false;
    for (int i = 0; i < j->n; i++)
        if (j->list[i]->pid != 0) kill(j->list[i]->pid, SIGTERM);
    for (poll_all(j); running(j) > 0; poll_all(j)) {
        clock_sleep(0.05);
        if (clock_seconds() - start < 30 || killed) continue;
        killed = true;
        for (int i = 0; i < j->n; i++)
            if (j->list[i]->pid != 0) kill(j->list[i]->pid, SIGKILL);
    }
    for (int i = 0; i < j->n; i++) free(j->list[i]);
    pthread_mutex_destroy(&j->lock);
    free(j);
}
