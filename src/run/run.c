// A run's folder: opening it, its lock, its log. See run.h.
#include "run/run.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "run/run_inner.h"
#include "run/run_log.h"
#include "run/run_status.h"
#include "run/tfevents.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- the lock
//
// A record lock (fcntl) rather than flock: whoever asks, as `keiko status` does, can be told the holder without touching
// the lock. It belongs to the process, so a list of our own guards against a second opening by ourselves; and since
// closing *any* descriptor of the file would drop it, the file is never opened again while the list has it.

static pthread_mutex_t list_mutex = PTHREAD_MUTEX_INITIALIZER;
static run_home *open_runs;

static bool ours(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) return false;
    for (run_home *r = open_runs; r != NULL; r = r->next)
        if (r->owner == getpid() && r->dev == st.st_dev && r->ino == st.st_ino) return true;
    return false;
}

static long holder_of(int fd)
{
    struct flock l = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_GETLK, &l) == 0 && l.l_type != F_UNLCK ? (long)l.l_pid : 0;
}

long run_holder(const char *dir)
{
    char path[FILE_PATH];
    if (file_join(path, sizeof path, dir, "lock") != ERR_OK) return 0;
    long pid = 0;
    pthread_mutex_lock(&list_mutex);
    if (ours(path)) {
        pid = (long)getpid();
    } else {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
            pid = holder_of(fd);
            close(fd);
        }
    }
    pthread_mutex_unlock(&list_mutex);
    return pid;
}

static err take_lock(run_home *r)
{
    char path[FILE_PATH];
    err e = file_join(path, sizeof path, r->dir, "lock");
    if (e != ERR_OK) return e;
    pthread_mutex_lock(&list_mutex);
    struct stat st;
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    long pid = 0;
    if (ours(path)) {
        pid = (long)getpid();
    } else if ((r->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666)) < 0 || fstat(r->lock, &st) != 0) {
        e = err_set(ERR_IO, "cannot open %s: %s; check who may write there", path, strerror(errno));
    } else if (fcntl(r->lock, F_SETLK, &l) != 0) {
        pid = holder_of(r->lock);
        if (pid == 0) e = err_set(ERR_IO, "cannot lock %s: %s", path, strerror(errno));
    }
    if (pid != 0)
        e = err_set(ERR_USAGE,
                    "%s is in use by process %ld; wait for it, stop it with kill -INT %ld, or choose another folder",
                    r->dir, pid, pid);
    if (e == ERR_OK) {
        char text[64];
        int n = snprintf(text, sizeof text, "%ld\n", (long)getpid()); // for people; programs ask the kernel
        (void)!ftruncate(r->lock, 0);
        (void)!pwrite(r->lock, text, (size_t)n, 0);
        r->owner = getpid();
        r->dev = st.st_dev;
        r->ino = st.st_ino;
        r->next = open_runs;
        open_runs = r;
    } else if (r->lock >= 0) {
        close(r->lock);
        r->lock = -1;
    }
    pthread_mutex_unlock(&list_mutex);
    return e;
}

static void drop_lock(run_home *r)
{
    if (r->lock < 0) return;
    pthread_mutex_lock(&list_mutex);
    for (run_home **p = &open_runs; *p != NULL; p = &(*p)->next)
        if (*p == r) {
            *p = r->next;
            break;
        }
    close(r->lock); // the file stays: removing it could take it from under another process
    pthread_mutex_unlock(&list_mutex);
}

// --- the log

// Appends whole or not at all, as far as the system lets us.
static err append(int fd, const char *what, const char *data, size_t size)
{
    struct stat st;
    bool known = fstat(fd, &st) == 0;
    size_t done = 0;
    while (done < size) {
        ssize_t k = write(fd, data + done, size - done);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) {
            int code = errno;
            if (known) (void)!ftruncate(fd, st.st_size);
            return err_set(ERR_IO, "cannot write the run's %s: %s%s", what, strerror(code),
                           code == ENOSPC || code == EDQUOT ? "; free some space and resume" : "");
        }
        done += (size_t)k;
    }
    return ERR_OK;
}

// The opponent is part of a tag: TensorBoard draws one curve per tag. Earlier networks of the run ("step 400") are met once
// each, so together they are one.
static const char *tag_opponent(const run_value *values, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(values[i].name, "opponent") == 0 && values[i].text != NULL)
            return strncmp(values[i].text, "step ", 5) == 0 ? "earlier networks" : values[i].text;
    return NULL;
}

static void put_events(text_buf *to, const char *kind, int64_t step, const run_value *values, int n)
{
    enum { MOST = 256, TAG = 256 };
    const char *opponent = tag_opponent(values, n);
    if (strcmp(kind, "start") == 0 || strcmp(kind, "limits") == 0) return; // facts of a start are no curves
    tf_scalar list[MOST];
    char(*tags)[TAG] = malloc(MOST * sizeof *tags);
    int k = 0;
    if (tags == NULL) {
        to->failed = true;
        return;
    }
    for (int i = 0; i < n && k < MOST; i++) {
        if (values[i].text != NULL) continue;
        snprintf(tags[k], TAG, "%s/%s%s%s", kind, values[i].name, opponent != NULL ? " against " : "",
                 opponent != NULL ? opponent : "");
        list[k] = (tf_scalar){tags[k], (float)values[i].v};
        k++;
    }
    if (k > 0) tf_put_scalars(to, clock_unix(), step, list, k);
    free(tags);
}

err run_log(run_home *r, const char *kind, int64_t step, const run_value *values, int n)
{
    text_buf line = {0}, events = {0};
    if (r == NULL) return ERR_OK;
    run_log_line(&line, kind, step, run_seconds(r), values, n);
    if (r->events >= 0) put_events(&events, kind, step, values, n);
    err e = text_check(&line);
    if (e == ERR_OK) e = text_check(&events);
    pthread_mutex_lock(&r->mutex);
    if (e == ERR_OK) e = append(r->log, "log.jsonl", line.data, line.len);
    if (e == ERR_OK && events.len > 0) e = append(r->events, "TensorBoard file", events.data, events.len);
    pthread_mutex_unlock(&r->mutex);
    text_free(&line);
    text_free(&events);
    return e;
}

// The log as it was at the checkpoint. Shorter than it was then: someone edited it, so what can be kept is kept by step.
static err cut_log(const char *path, const run_manifest *m)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return errno == ENOENT ? ERR_OK : err_set(ERR_IO, "cannot read %s: %s", path, strerror(errno));
    if ((uint64_t)st.st_size >= m->log_size) {
        if (truncate(path, (off_t)m->log_size) == 0) return ERR_OK;
        return err_set(ERR_IO, "cannot cut %s: %s", path, strerror(errno));
    }
    char *text;
    size_t size;
    run_book *book = NULL;
    text_buf kept = {0};
    err e = file_read(path, (size_t)1 << 30, &text, &size);
    if (e != ERR_OK) return e;
    log_warn("%s is shorter than at the checkpoint; lines after step %" PRId64 " are cut off", path, m->step);
    for (char *p = text, *eol; (eol = memchr(p, '\n', (size_t)(text + size - p))) != NULL; p = eol + 1) {
        e = run_book_text(&book, p, (size_t)(eol + 1 - p));
        if (e != ERR_OK) break;
        if (run_book_count(book) == 1 && run_book_at(book, 0)->step <= m->step)
            text_append_n(&kept, p, (size_t)(eol + 1 - p));
        run_book_free(book);
    }
    if (e == ERR_OK) e = text_check(&kept);
    if (e == ERR_OK) e = file_write_atomic(path, text_str(&kept), kept.len);
    text_free(&kept);
    free(text);
    return e;
}

// TensorBoard's files likewise: those the checkpoint knows get their length of then, younger ones go.
static err cut_events(const run_home *r, const run_manifest *m)
{
    char **names, path[FILE_PATH];
    int n;
    err e = file_list(r->dir, NULL, &names, &n);
    if (e != ERR_OK) return e;
    for (int i = 0; e == ERR_OK && i < n; i++) {
        if (strncmp(names[i], RUN_EVENTS, strlen(RUN_EVENTS)) != 0) continue;
        int k = 0;
        while (k < m->n_events && strcmp(m->events[k].name, names[i]) != 0) k++;
        e = file_join(path, sizeof path, r->dir, names[i]);
        struct stat st;
        if (e != ERR_OK) break;
        if (k == m->n_events)
            e = file_remove(path);
        else if (stat(path, &st) == 0 && (uint64_t)st.st_size > m->events[k].size &&
                 truncate(path, (off_t)m->events[k].size) != 0)
            e = err_set(ERR_IO, "cannot cut %s: %s", path, strerror(errno));
    }
    file_list_free(names, n);
    return e;
}

static err open_logs(run_home *r, const run_options *o)
{
    char path[FILE_PATH], name[256], host[64] = "host";
    err e = run_path(r, "log.jsonl", path);
    if (e != ERR_OK) return e;
    r->log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (r->log < 0) return err_set(ERR_IO, "cannot open %s: %s", path, strerror(errno));
    if (o->no_events) return ERR_OK;
    static _Atomic unsigned serial; // two runs of one process in one second
    (void)gethostname(host, sizeof host - 1);
    for (char *p = host; *p; p++)
        if (*p == '/' || (unsigned char)*p <= ' ') *p = '_';
    snprintf(name, sizeof name, "%s%lld.%s.%ld.%u", RUN_EVENTS, (long long)clock_unix(), host, (long)getpid(),
             serial++);
    e = run_path(r, name, path);
    if (e != ERR_OK) return e;
    r->events = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (r->events < 0) return err_set(ERR_IO, "cannot open %s: %s", path, strerror(errno));
    text_buf head = {0};
    tf_put_version(&head, clock_unix());
    if (r->resumed) tf_put_start(&head, clock_unix(), r->point.step + 1);
    e = text_check(&head);
    if (e == ERR_OK) e = append(r->events, "TensorBoard file", head.data, head.len);
    text_free(&head);
    return e;
}

// --- opening

static err write_texts(run_home *r, const run_options *o)
{
    char path[FILE_PATH], when[CLOCK_TEXT];
    text_buf t = {0};
    err e = run_path(r, "run.txt", path);
    if (e == ERR_OK && !file_exists(path)) {
        text_printf(&t, "# A training run of keiko. `keiko status` and `keiko report` take this folder.\n");
        text_printf(&t, "game = \"%s\"\nalgo = \"%s\"\nbegan = %s\n", o->game, o->algo, clock_iso(clock_unix(), when));
        if (o->version != NULL) text_printf(&t, "version = \"%s\"\n", o->version);
        e = text_check(&t);
        if (e == ERR_OK) e = file_write_atomic(path, t.data, t.len);
    }
    text_clear(&t);
    if (e == ERR_OK) e = run_path(r, "config.txt", path);
    if (e == ERR_OK && o->opts != NULL) {
        text_append(&t, "# keiko ");
        if (o->library != NULL) text_append(&t, "--game-lib "), text_shell(&t, o->library), text_char(&t, ' ');
        text_printf(&t, "train %s --config FILE reads this.\n", o->game);
        e = opt_config_print(o->opts, o->n_opts, o->values, o->skip, &t);
        if (e == ERR_OK) e = text_check(&t);
        if (e == ERR_OK) e = file_write_atomic(path, t.data, t.len);
    }
    text_free(&t);
    return e;
}

// Half-written checkpoints of a killed process; with the lock held nobody is writing one.
static void sweep(const run_home *r)
{
    char dir[FILE_PATH], path[FILE_PATH], **names;
    int n;
    if (file_join(dir, sizeof dir, r->dir, "checkpoints") != ERR_OK) return;
    if (file_list(dir, ".part", &names, &n) != ERR_OK) return;
    for (int i = 0; i < n; i++)
        if (file_join(path, sizeof path, dir, names[i]) == ERR_OK && run_dir_remove(path) != ERR_OK)
            log_warn("a half-written checkpoint stays: %s", err_text());
    file_list_free(names, n);
}

static err nothing_here(const char *dir)
{
    return err_set(ERR_MISSING, "%s holds no run to resume; leave --resume out to begin one", dir);
}

err run_is_of(const char *dir, const char *game, const char *algo)
{
    run_info info;
    err e = run_info_read(&info, dir);
    if (e == ERR_MISSING) return nothing_here(dir);
    if (e == ERR_OK && info.game[0] == 0)
        return err_set(ERR_PARSE, "%s/run.txt is damaged: it does not say which game the run is of", dir);
    if (e == ERR_OK && (strcmp(info.game, game) != 0 || strcmp(info.algo, algo) != 0))
        e = err_set(ERR_USAGE, "%s holds a run of %s (%s), not of %s (%s)", dir, info.game, info.algo, game, algo);
    return e;
}

static err check_kind(run_home *r, const run_options *o)
{
    run_info info;
    if (o->resume) return run_is_of(r->dir, o->game, o->algo);
    if (run_info_read(&info, r->dir) == ERR_MISSING) return ERR_OK;
    return err_set(ERR_USAGE, "%s holds a run already; add --resume to go on with it, or choose another folder",
                   r->dir);
}

static err restore(run_home *r)
{
    run_manifest m = {0};
    bool found;
    char path[FILE_PATH];
    sweep(r);
    err e = run_points_scan(r, &found, &m);
    if (e != ERR_OK) return e;
    r->resumed = found;
    r->base = found ? r->point.seconds : 0.0;
    e = run_path(r, "log.jsonl", path);
    if (e == ERR_OK) e = cut_log(path, &m); // without a checkpoint all of it goes
    if (e == ERR_OK) e = cut_events(r, &m);
    run_manifest_free(&m);
    return e;
}

static err open_all(run_home *r, const run_options *o)
{
    char logs[FILE_PATH];
    if (o->resume && !file_exists(r->dir)) return nothing_here(r->dir);
    err e = file_make_dirs(r->dir);
    if (e == ERR_OK) e = take_lock(r);
    if (e == ERR_OK) e = check_kind(r, o);
    if (e == ERR_OK) e = run_path(r, "logs", logs);
    if (e == ERR_OK && o->log != NULL && o->log->dir == NULL) {
        log_options l = *o->log;
        l.dir = logs;
        l.name = "training";
        e = log_init(&l);
    }
    if (e == ERR_OK) e = restore(r);
    if (e == ERR_OK) e = write_texts(r, o);
    if (e == ERR_OK) e = open_logs(r, o);
    if (e != ERR_OK) return e;
    log_info("%s %s (%s) in %s at step %" PRId64, r->resumed ? "resuming" : "training", o->game, o->algo, r->dir,
             r->resumed ? r->point.step : 0);
    return RUN_LOG(r, "start", r->resumed ? r->point.step : 0, RUN_N("resumed", r->resumed),
                   RUN_N("unix", floor(clock_unix())), RUN_N("cores", cpu_count()), RUN_T("cpu", cpu_model()),
                   RUN_T("simd", cpu_simd_name(cpu_simd())));
}

err run_open(run_home **out, const run_options *o)
{
    assert(o->dir != NULL && o->game != NULL && o->algo != NULL);
    run_home *r = calloc(1, sizeof *r);
    if (r == NULL) return err_set(ERR_MEMORY, "out of memory while opening %s", o->dir);
    r->lock = r->log = r->events = -1;
    r->keep = o->keep > 0 ? o->keep : 2;
    r->born = clock_seconds();
    snprintf(r->game, sizeof r->game, "%s", o->game);
    r->step = run_step_word(o->algo);
    if (o->log != NULL) {
        r->quiet = o->log->quiet;
        r->verbose = o->log->verbose || o->log->debug;
        r->color = o->log->color;
    } else {
        r->quiet = true;
    }
    pthread_mutex_init(&r->mutex, NULL);
    err e = file_join(r->dir, sizeof r->dir, "", o->dir);
    if (e == ERR_OK) e = open_all(r, o);
    return HAND_OVER(e, out, r, run_close);
}

void run_close(run_home *r)
{
    if (r == NULL) return;
    run_show_last(r);
    if (r->log >= 0) close(r->log);
    if (r->events >= 0) close(r->events);
    drop_lock(r);
    pthread_mutex_destroy(&r->mutex);
    free(r);
}

err run_config_load(const char *dir, const opt *opts, int n, void *into, opt_values *keep)
{
    char path[FILE_PATH];
    err e = file_join(path, sizeof path, dir, "config.txt");
    return e == ERR_OK ? opt_config_file(opts, n, into, path, keep) : e;
}

err run_path(const run_home *r, const char *name, char path[FILE_PATH])
{
    return file_join(path, FILE_PATH, r->dir, name);
}

double run_seconds(const run_home *r)
{
    return r->base + (clock_seconds() - r->born);
}

const run_point *run_resumed(const run_home *r)
{
    return r->resumed ? &r->point : NULL;
}
