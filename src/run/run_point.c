// Checkpoints: folders that appear whole or not at all. See run.h.
//
// checkpoints/000012-step-1200.part is being written; the rename to 000012-step-1200 makes it count. Numbers only grow, so the
// newest is the highest even where a resumed run passes the same step again. manifest.txt is the last file written:
//     keiko checkpoint 1
//     step 1200
//     seconds 354.25
//     log 48211
//     events 9310 events.out.tfevents.1763…
//     file 1048576 0badf00d net.safetensors
//     end 5c1d2e3f               (CRC-32C of all bytes before this line)
#include "base/clock.h"
#include "base/crc32c.h"
#include "base/json.h"
#include "base/log.h"
#include "run/run_inner.h"

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

const char RUN_EVENTS[] = "events.out.tfevents.";
static const char MANIFEST[] = "manifest.txt";

enum { MANIFEST_MOST = 4 << 20 };

// --- the manifest's text

void run_manifest_print(const run_manifest *m, text_buf *to)
{
    char number[JSON_NUMBER_TEXT];
    json_number_text(m->seconds, number);
    text_printf(to, "keiko checkpoint 1\nstep %" PRId64 "\nseconds %s\nlog %" PRIu64 "\n", m->step, number,
                m->log_size);
    for (int i = 0; i < m->n_events; i++)
        text_printf(to, "events %" PRIu64 " %s\n", m->events[i].size, m->events[i].name);
    for (int i = 0; i < m->n_files; i++)
        text_printf(to, "file %" PRIu64 " %08" PRIx32 " %s\n", m->files[i].size, m->files[i].crc, m->files[i].name);
    text_printf(to, "end %08" PRIx32 "\n", crc32c(0, text_str(to), to->len));
}

void run_manifest_free(run_manifest *m)
{
    free(m->files);
    free(m->events);
    *m = (run_manifest){0};
}

// A plain file name: nothing that leads out of the folder, or that would not stand on a line.
static bool name_ok(const char *s, size_t n)
{
    if (n == 0 || n >= RUN_NAME || s[0] == '.') return false;
    for (size_t i = 0; i < n; i++)
        if (s[i] == '/' || (unsigned char)s[i] < 0x20 || s[i] == 0x7f) return false;
    return true;
}

typedef struct reader {
    const char *p, *end;
    int line;
} reader;

// The number behind `word` at the start of a line; the cursor moves behind it.
static bool take_word(reader *r, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0) return false;
    r->p += n;
    return true;
}

static bool take_uint(reader *r, uint64_t *v, int base)
{
    const char *from = r->p;
    *v = 0;
    for (; r->p < r->end; r->p++) {
        char c = *r->p;
        int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
        if (d >= base) break;
        if (*v > (UINT64_MAX - (uint64_t)d) / (uint64_t)base) return false;
        *v = *v * (uint64_t)base + (uint64_t)d;
    }
    return r->p > from;
}

static bool take_seconds(reader *r, double *v)
{
    char text[JSON_NUMBER_TEXT + 1], *stop;
    size_t n = 0;
    while (r->p < r->end && n < sizeof text - 1 && *r->p != 0 && strchr("0123456789.e+-", *r->p) != NULL)
        text[n++] = *r->p++;
    text[n] = 0;
    *v = strtod(text, &stop);
    return n > 0 && *stop == 0 && *v >= 0.0 && isfinite(*v);
}

static bool line_end(reader *r)
{
    if (r->p == r->end || *r->p != '\n') return false;
    r->p++;
    r->line++;
    return true;
}

// "SIZE [CRC ]NAME" up to the line's end, appended to a list.
static bool take_file(reader *r, bool crc, run_file **list, int *n, int most)
{
    uint64_t size, sum = 0;
    if (!take_uint(r, &size, 10) || !take_word(r, " ")) return false;
    if (crc && (!take_uint(r, &sum, 16) || sum > UINT32_MAX || !take_word(r, " "))) return false;
    const char *eol = memchr(r->p, '\n', (size_t)(r->end - r->p));
    if (eol == NULL || !name_ok(r->p, (size_t)(eol - r->p)) || *n == most) return false;
    run_file *more = realloc(*list, (size_t)(*n + 1) * sizeof **list);
    if (more == NULL) return false;
    *list = more;
    run_file *f = &more[(*n)++];
    *f = (run_file){.size = size, .crc = (uint32_t)sum};
    memcpy(f->name, r->p, (size_t)(eol - r->p));
    r->p = eol;
    return line_end(r);
}

static bool parse(run_manifest *m, reader *r, const char *text)
{
    uint64_t step, end;
    if (!take_word(r, "keiko checkpoint 1") || !line_end(r)) return false;
    if (!take_word(r, "step ") || !take_uint(r, &step, 10) || step > INT64_MAX || !line_end(r)) return false;
    m->step = (int64_t)step;
    if (!take_word(r, "seconds ") || !take_seconds(r, &m->seconds) || !line_end(r)) return false;
    if (!take_word(r, "log ") || !take_uint(r, &m->log_size, 10) || !line_end(r)) return false;
    while (take_word(r, "events "))
        if (!take_file(r, false, &m->events, &m->n_events, RUN_EVENT_FILES)) return false;
    while (take_word(r, "file "))
        if (!take_file(r, true, &m->files, &m->n_files, RUN_FILES)) return false;
    uint32_t sum = crc32c(0, text, (size_t)(r->p - text));
    return take_word(r, "end ") && take_uint(r, &end, 16) && end == sum && line_end(r) && r->p == r->end;
}

err run_manifest_parse(run_manifest *m, const char *text, size_t size)
{
    reader r = {text, text + size, 1};
    *m = (run_manifest){0};
    if (parse(m, &r, text)) return ERR_OK;
    run_manifest_free(m);
    return err_set(ERR_PARSE, "%s: line %d is damaged or missing", MANIFEST, r.line);
}

// --- reading

static err measure(const char *path, run_file *f, bool flush)
{
    enum { PIECE = 1 << 16 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return err_set(ERR_IO, "cannot read %s: %s", path, strerror(errno));
    char *buf = malloc(PIECE);
    err e = buf == NULL ? err_set(ERR_MEMORY, "out of memory while reading %s", path) : ERR_OK;
    f->size = 0;
    f->crc = 0;
    while (e == ERR_OK) {
        ssize_t k = read(fd, buf, PIECE);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) e = err_set(ERR_IO, "cannot read %s: %s", path, strerror(errno));
        if (k <= 0) break;
        f->crc = crc32c(f->crc, buf, (size_t)k);
        f->size += (uint64_t)k;
    }
    if (e == ERR_OK && flush && fsync(fd) != 0 && errno != EINVAL && errno != EROFS)
        e = err_set(ERR_IO, "cannot write %s: %s", path, strerror(errno));
    close(fd);
    free(buf);
    return e;
}

// Is this checkpoint whole? Then its manifest.
static err load(const char *dir, run_manifest *m)
{
    char path[FILE_PATH], *text;
    size_t size;
    err e = file_join(path, sizeof path, dir, MANIFEST);
    if (e == ERR_OK) e = file_read(path, MANIFEST_MOST, &text, &size);
    if (e != ERR_OK) return e;
    e = run_manifest_parse(m, text, size);
    free(text);
    if (e != ERR_OK) return e;
    for (int i = 0; e == ERR_OK && i < m->n_files; i++) {
        const run_file *f = &m->files[i];
        run_file seen;
        e = file_join(path, sizeof path, dir, f->name);
        if (e == ERR_OK) e = measure(path, &seen, false);
        if (e == ERR_OK && seen.size != f->size)
            e = err_set(ERR_PARSE, "%s has %" PRIu64 " bytes instead of %" PRIu64, f->name, seen.size, f->size);
        if (e == ERR_OK && seen.crc != f->crc) e = err_set(ERR_PARSE, "the checksum of %s is wrong", f->name);
    }
    if (e != ERR_OK) run_manifest_free(m);
    return e;
}

err run_dir_remove(const char *dir)
{
    char **names, path[FILE_PATH];
    int n;
    err e = file_list(dir, NULL, &names, &n);
    if (e == ERR_MISSING) return ERR_OK;
    if (e != ERR_OK) return e;
    for (int i = 0; e == ERR_OK && i < n; i++) {
        e = file_join(path, sizeof path, dir, names[i]);
        if (e == ERR_OK) e = file_remove(path);
    }
    file_list_free(names, n);
    if (e == ERR_OK && rmdir(dir) != 0) e = err_set(ERR_IO, "cannot remove %s: %s", dir, strerror(errno));
    return e;
}

// "000012-step-1200" → 12; 0 for any other name.
static int serial_of(const char *name)
{
    size_t n = strspn(name, "0123456789");
    const char *step = name + n + 6;
    if (n == 0 || n > 9 || strncmp(name + n, "-step-", 6) != 0) return 0;
    return step[0] != 0 && step[strspn(step, "0123456789")] == 0 ? atoi(name) : 0;
}

static int by_serial(const void *a, const void *b)
{
    return serial_of(*(char *const *)a) - serial_of(*(char *const *)b); // below 10^9 each
}

// The folder of all checkpoints, and its entries that are some, oldest first.
static err list_points(const run_home *r, char dir[FILE_PATH], char ***names, int *n)
{
    err e = file_join(dir, FILE_PATH, r->dir, "checkpoints");
    if (e == ERR_OK) e = file_make_dirs(dir);
    if (e == ERR_OK) e = file_list(dir, NULL, names, n);
    if (e != ERR_OK) return e;
    int kept = 0;
    for (int i = 0; i < *n; i++) {
        if (serial_of((*names)[i]) > 0)
            (*names)[kept++] = (*names)[i];
        else
            free((*names)[i]);
    }
    *n = kept;
    if (kept > 1) qsort(*names, (size_t)kept, sizeof **names, by_serial);
    return ERR_OK;
}

err run_points_scan(run_home *r, bool *found, run_manifest *m)
{
    char dir[FILE_PATH], **names;
    int n;
    *found = false;
    err e = list_points(r, dir, &names, &n);
    if (e != ERR_OK) return e;
    r->serial = n > 0 ? serial_of(names[n - 1]) : 0;
    for (int i = n - 1; i >= 0 && !*found; i--) {
        e = file_join(r->point.dir, sizeof r->point.dir, dir, names[i]);
        if (e != ERR_OK) break;
        *found = load(r->point.dir, m) == ERR_OK;
        if (!*found) log_warn("the checkpoint %s is not whole and was passed over: %s", r->point.dir, err_text());
    }
    if (e == ERR_OK && *found) {
        r->point.step = m->step;
        r->point.seconds = m->seconds;
    } else if (e == ERR_OK && n > 0) {
        e = err_set(ERR_PARSE,
                    "none of the %d checkpoints in %s is whole (the last: %s); to start from zero remove that folder",
                    n, dir, err_text());
    }
    file_list_free(names, n);
    return e;
}

err run_point_path(const run_point *p, const char *name, char path[FILE_PATH])
{
    return file_join(path, FILE_PATH, p->dir, name);
}

// --- writing

struct run_save {
    run_home *r;
    int serial;
    int64_t step;
    double seconds;
    char temp[FILE_PATH], final[FILE_PATH];
};

// A folder that is moved or removed during the run would be made anew here, without the log and the options: half a run, which
// nothing can read or resume.
static err check_home(const run_home *r)
{
    char path[FILE_PATH];
    err e = run_path(r, "lock", path);
    if (e != ERR_OK || file_is_at(r->lock, path)) return e;
    return err_set(ERR_IO,
                   "%s was moved or removed during the run; where it was moved to, --resume continues from the last "
                   "checkpoint",
                   r->dir);
}

err run_save_begin(run_home *r, int64_t step, run_save **out)
{
    assert(step >= 0);
    err e = check_home(r);
    if (e != ERR_OK) return err_prefix(e, "saving a checkpoint");
    run_save *s = calloc(1, sizeof *s);
    if (s == NULL) return err_set(ERR_MEMORY, "out of memory while saving a checkpoint");
    s->r = r;
    s->serial = r->serial + 1;
    s->step = step;
    s->seconds = run_seconds(r);
    char name[80];
    snprintf(name, sizeof name, "checkpoints/%06d-step-%" PRId64, s->serial, step);
    e = file_join(s->final, sizeof s->final, r->dir, name);
    strcat(name, ".part");
    if (e == ERR_OK) e = file_join(s->temp, sizeof s->temp, r->dir, name);
    if (e == ERR_OK) e = run_dir_remove(s->temp); // what an earlier, failed try left
    if (e == ERR_OK) e = file_make_dirs(s->temp);
    if (e == ERR_OK)
        *out = s;
    else
        free(s);
    return err_prefix(e, "saving a checkpoint");
}

err run_save_path(run_save *s, const char *name, char path[FILE_PATH])
{
    assert(name_ok(name, strlen(name)) && strcmp(name, MANIFEST) != 0);
    return file_join(path, FILE_PATH, s->temp, name);
}

err run_save_bytes(run_save *s, const char *name, const void *data, size_t size)
{
    char path[FILE_PATH];
    err e = run_save_path(s, name, path);
    return e == ERR_OK ? file_write_atomic(path, data, size) : e;
}

void run_save_abort(run_save *s)
{
    if (s == NULL) return;
    (void)run_dir_remove(s->temp);
    free(s);
}

static err list_sizes(const char *dir, bool events, run_file **list, int *n)
{
    char **names, path[FILE_PATH];
    int count;
    err e = file_list(dir, NULL, &names, &count);
    if (e != ERR_OK) return e;
    *n = 0;
    *list = calloc((size_t)count + 1, sizeof **list);
    if (*list == NULL) e = err_set(ERR_MEMORY, "out of memory while saving a checkpoint");
    for (int i = 0; e == ERR_OK && i < count; i++) {
        if (events && strncmp(names[i], RUN_EVENTS, strlen(RUN_EVENTS)) != 0) continue;
        run_file *f = &(*list)[*n];
        struct stat st;
        snprintf(f->name, sizeof f->name, "%s", names[i]);
        e = file_join(path, sizeof path, dir, names[i]);
        if (e == ERR_OK && events && stat(path, &st) == 0) f->size = (uint64_t)st.st_size;
        if (e == ERR_OK && !events) e = measure(path, f, true);
        if (++*n == (events ? RUN_EVENT_FILES : RUN_FILES) && e == ERR_OK && !events)
            e = err_set(ERR_LIMIT, "a checkpoint has at most %d files", RUN_FILES - 1);
        if (events && *n == RUN_EVENT_FILES) break;
    }
    file_list_free(names, count);
    return e;
}

// The log's length belongs to the checkpoint, so what it counts must be on the disk before it.
static err note_logs(run_home *r, run_manifest *m)
{
    struct stat st;
    pthread_mutex_lock(&r->mutex);
    bool ok = (fsync(r->log) == 0 || errno == EINVAL) && fstat(r->log, &st) == 0;
    int code = errno;
    err e = ok ? list_sizes(r->dir, true, &m->events, &m->n_events)
               : err_set(ERR_IO, "cannot write %s/log.jsonl: %s", r->dir, strerror(code));
    if (ok) m->log_size = (uint64_t)st.st_size;
    pthread_mutex_unlock(&r->mutex);
    return e;
}

static err flush_dir(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return ERR_OK;
    bool ok = fsync(fd) == 0 || errno == EINVAL || errno == EROFS;
    err e = ok ? ERR_OK : err_set(ERR_IO, "cannot write %s: %s", dir, strerror(errno));
    close(fd);
    return e;
}

static void drop_old(run_home *r)
{
    char dir[FILE_PATH], path[FILE_PATH], **names;
    int n;
    if (list_points(r, dir, &names, &n) != ERR_OK) return;
    for (int i = 0; i < n - r->keep; i++)
        if (file_join(path, sizeof path, dir, names[i]) == ERR_OK && run_dir_remove(path) != ERR_OK)
            log_warn("an old checkpoint stays: %s", err_text());
    file_list_free(names, n);
}

err run_save_commit(run_save *s)
{
    run_home *r = s->r;
    run_manifest m = {.step = s->step, .seconds = s->seconds};
    text_buf text = {0};
    char dir[FILE_PATH];
    err e = list_sizes(s->temp, false, &m.files, &m.n_files);
    if (e == ERR_OK) e = note_logs(r, &m);
    if (e == ERR_OK) {
        run_manifest_print(&m, &text);
        e = text_check(&text);
    }
    char path[FILE_PATH];
    if (e == ERR_OK) e = file_join(path, sizeof path, s->temp, MANIFEST);
    if (e == ERR_OK) e = file_write_atomic(path, text.data, text.len);
    if (e == ERR_OK && rename(s->temp, s->final) != 0)
        e = err_set(ERR_IO, "cannot rename %s: %s", s->temp, strerror(errno));
    if (e == ERR_OK) {
        r->serial = s->serial;
        e = file_join(dir, sizeof dir, r->dir, "checkpoints");
        if (e == ERR_OK) e = flush_dir(dir);
        if (e == ERR_OK) drop_old(r);
        log_info("checkpoint %s", s->final);
    } else {
        char why[512]; // cleaning up must not change the sentence
        snprintf(why, sizeof why, "%s", err_text());
        (void)run_dir_remove(s->temp);
        e = err_set(e, "saving a checkpoint: %s", why);
    }
    run_manifest_free(&m);
    text_free(&text);
    free(s);
    return e;
}
