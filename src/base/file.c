// Atomic files. See file.h.
#define _GNU_SOURCE // realpath, dladdr
#include "base/file.h"

#include "base/memory.h"

#include <assert.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// The operating system's reason, with advice where a person can do something about it.
static err io_error(const char *doing, const char *path, int code)
{
    const char *advice = "";
    if (code == ENOSPC || code == EDQUOT) advice = "; free some space and try again";
    if (code == EFBIG) advice = "; a file size limit is set (see ulimit -f)";
    if (code == EACCES || code == EPERM || code == EROFS) advice = "; check who may write there";
    if (strcmp(doing, "read") == 0 && (code == EACCES || code == EPERM)) advice = "; check who may read it";
    return err_set(code == ENOENT ? ERR_MISSING : ERR_IO, "cannot %s %s: %s%s", doing, path, strerror(code), advice);
}

// --- reading

static err read_all(int fd, const char *path, size_t most, char **data, size_t *size)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return io_error("read", path, errno);
    if (S_ISDIR(st.st_mode)) return err_set(ERR_IO, "cannot read %s: it is a folder", path);
    size_t cap = 4096, n = 0;
    if (S_ISREG(st.st_mode)) {
        if ((uintmax_t)st.st_size > most)
            return err_set(ERR_LIMIT, "%s has %ju bytes; at most %zu are accepted", path, (uintmax_t)st.st_size, most);
        cap = (size_t)st.st_size + 1;
    }
    char *buf = malloc(cap);
    while (buf != NULL) {
        ssize_t k = read(fd, buf + n, cap - n); // one byte of room is left for the NUL: see below
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) {
            int code = errno;
            free(buf);
            return io_error("read", path, code);
        }
        if (k == 0) break;
        n += (size_t)k;
        if (n > most) {
            free(buf);
            return err_set(ERR_LIMIT, "%s has more than %zu bytes, the most that is accepted", path, most);
        }
        if (n == cap) {
            char *more = cap > SIZE_MAX / 2 ? NULL : realloc(buf, cap * 2);
            if (more == NULL) free(buf);
            buf = more;
            cap *= 2;
        }
    }
    if (buf == NULL) return err_set(ERR_MEMORY, "out of memory while reading %s", path);
    buf[n] = 0;
    *data = buf;
    if (size != NULL) *size = n;
    return ERR_OK;
}

err file_read(const char *path, size_t most, char **data, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return io_error("read", path, errno);
    err e = read_all(fd, path, most, data, size);
    close(fd);
    return e;
}

// --- writing

// 0, or the system's number for what went wrong.
static int write_all(int fd, const void *data, size_t size)
{
    const char *p = data;
    while (size > 0) {
        ssize_t k = write(fd, p, size);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return errno;
        p += k;
        size -= (size_t)k;
    }
    return 0;
}

// fsync, where the thing can be flushed at all: a pipe or a device says EINVAL.
static err flush_fd(int fd, const char *path)
{
    if (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS) return ERR_OK;
    return io_error("write", path, errno);
}

// The folder that holds `path`; fails when it is longer than any we make.
static err parent_of(const char *path, char out[FILE_PATH])
{
    const char *slash = strrchr(path, '/');
    size_t n = slash == NULL ? 0 : (size_t)(slash - path);
    if (n >= FILE_PATH) return err_set(ERR_LIMIT, "the path is longer than %d bytes: %.64s...", FILE_PATH - 1, path);
    if (slash == NULL)
        strcpy(out, ".");
    else if (n == 0)
        strcpy(out, "/");
    else {
        memcpy(out, path, n);
        out[n] = 0;
    }
    return ERR_OK;
}

// After a rename the folder's own entry has to reach the disk as well.
static err flush_parent(const char *path)
{
    char dir[FILE_PATH];
    err e = parent_of(path, dir);
    if (e != ERR_OK) return e;
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return ERR_OK; // a folder we may write but not read: nothing more can be done
    e = flush_fd(fd, dir);
    close(fd);
    return e;
}

enum { OUT_BUFFER = 1 << 16 };

struct file_out {
    int fd;
    int failed;           // the system's number for the first failure, which sticks; 0 = none
    size_t n;             // bytes waiting in `buf`
    char path[FILE_PATH]; // the destination, with links resolved
    char temp[FILE_PATH]; // "" for a device or a pipe, which is written to, not replaced
    char buf[OUT_BUFFER];
};

// A link stays a link: the file it points to is the one that is replaced.
static err resolve(file_out *f, const char *path)
{
    struct stat st;
    if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) {
        char *real = realpath(path, NULL);
        if (real != NULL) {
            int n = snprintf(f->path, sizeof f->path, "%s", real);
            free(real);
            if (n < FILE_PATH) return ERR_OK;
        }
    }
    return file_join(f->path, sizeof f->path, "", path);
}

// Something that holds no content to be replaced: a device, a pipe. A rename would put a file in its place.
static bool is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

// The file beside the destination that is to become it.
static err open_temp(file_out *f)
{
    int n = snprintf(f->temp, sizeof f->temp, "%s.XXXXXX.tmp", f->path);
    if (n >= FILE_PATH)
        return err_set(ERR_LIMIT, "the path is longer than %d bytes: %.64s...", FILE_PATH - 12, f->path);
    // A name of our own rather than mkstemps, which is not POSIX: process and try make it unique, O_EXCL proves it.
    for (unsigned try = 0; f->fd < 0 && try < 1000; try++) {
        static _Atomic unsigned serial;
        unsigned id = ((unsigned)getpid() * 0x9e37u + ++serial * 0x85ebu + try) & 0xffffffu;
        snprintf(f->temp, sizeof f->temp, "%.*s.%06x.tmp", n - 11, f->path, id);
        f->fd = open(f->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (f->fd < 0 && errno != EEXIST) break;
    }
    if (f->fd < 0) return io_error("write", f->path, errno);
    struct stat old; // a replaced file keeps its permissions
    if (stat(f->path, &old) == 0 && S_ISREG(old.st_mode)) (void)!fchmod(f->fd, old.st_mode & 07777);
    return ERR_OK;
}

err file_out_open(file_out **out, const char *path)
{
    file_out *f = malloc(sizeof *f);
    if (f == NULL) return err_set(ERR_MEMORY, "out of memory while opening %s", path);
    f->fd = -1;
    f->failed = 0;
    f->n = 0;
    f->temp[0] = 0;
    err e = resolve(f, path);
    if (e == ERR_OK && file_is_dir(f->path)) {
        e = err_set(ERR_IO, "cannot write %s: it is a folder", path);
    } else if (e == ERR_OK && is_special(f->path)) {
        f->fd = open(f->path, O_WRONLY | O_CLOEXEC);
        if (f->fd < 0) e = io_error("write", path, errno);
    } else if (e == ERR_OK) {
        e = open_temp(f);
    }
    return HAND_OVER(e, out, f, free);
}

static void out_drain(file_out *f)
{
    if (f->failed == 0) f->failed = write_all(f->fd, f->buf, f->n);
    f->n = 0;
}

// Whoever asks, and however often, hears why it failed first.
static err out_status(const file_out *f)
{
    return f->failed == 0 ? ERR_OK : io_error("write", f->path, f->failed);
}

err file_out_write(file_out *f, const void *data, size_t size)
{
    if (f->n + size > OUT_BUFFER) out_drain(f);
    if (f->failed == 0 && size >= OUT_BUFFER) {
        f->failed = write_all(f->fd, data, size);
    } else if (f->failed == 0 && size > 0) {
        memcpy(f->buf + f->n, data, size);
        f->n += size;
    }
    return out_status(f);
}

err file_out_commit(file_out *f)
{
    out_drain(f);
    err e = out_status(f);
    if (e == ERR_OK) e = flush_fd(f->fd, f->path);
    if (close(f->fd) != 0 && e == ERR_OK) e = io_error("write", f->path, errno);
    if (f->temp[0] != 0) {
        if (e == ERR_OK && rename(f->temp, f->path) != 0) e = io_error("write", f->path, errno);
        if (e != ERR_OK)
            unlink(f->temp);
        else
            e = flush_parent(f->path);
    }
    free(f);
    return e;
}

void file_out_abort(file_out *f)
{
    if (f == NULL) return;
    close(f->fd);
    if (f->temp[0] != 0) unlink(f->temp);
    free(f);
}

err file_write_atomic(const char *path, const void *data, size_t size)
{
    file_out *f;
    err e = file_out_open(&f, path);
    if (e != ERR_OK) return e;
    (void)file_out_write(f, data, size);
    return file_out_commit(f);
}

err file_append(const char *path, const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return io_error("write", path, errno);
    struct stat st;
    bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    int failed = write_all(fd, data, size);
    err e = failed == 0 ? ERR_OK : io_error("write", path, failed);
    // Half a record is worse than none: give back what a full disk let through.
    if (e != ERR_OK && regular) (void)!ftruncate(fd, st.st_size);
    if (e == ERR_OK) e = flush_fd(fd, path);
    if (close(fd) != 0 && e == ERR_OK) e = io_error("write", path, errno);
    if (e == ERR_OK && regular && st.st_size == 0) e = flush_parent(path);
    return e;
}

err file_cut(const char *path, size_t size)
{
    return truncate(path, (off_t)size) == 0 ? ERR_OK : io_error("cut", path, errno);
}

err file_lock(int *fd, const char *path, const char *else_)
{
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*fd < 0) return io_error("open", path, errno);
    if (flock(*fd, LOCK_EX | LOCK_NB) == 0) return ERR_OK;
    close(*fd);
    *fd = -1;
    return err_set(ERR_IO, "another keiko is writing to %s; wait for it, or %s", path, else_);
}

void file_unlock(int fd)
{
    if (fd >= 0) close(fd);
}

// --- names and folders

bool file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

bool file_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool file_is_at(int fd, const char *path)
{
    struct stat open, named;
    return fstat(fd, &open) == 0 && stat(path, &named) == 0 && open.st_dev == named.st_dev &&
           open.st_ino == named.st_ino;
}

bool file_is_device(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode));
}

err file_make_dirs(const char *path)
{
    char part[FILE_PATH];
    err e = file_join(part, sizeof part, "", path);
    if (e != ERR_OK) return e;
    for (char *p = part;; p++) {
        if (*p != '/' && *p != 0) continue;
        char was = *p;
        *p = 0;
        if (part[0] != 0 && mkdir(part, 0777) != 0) {
            int code = errno;                                         // before file_is_dir asks for more
            if (code == EEXIST && !file_is_dir(part)) code = ENOTDIR; // a file of that name is in the way
            if (!file_is_dir(part)) return io_error("make the folder", part, code);
        }
        *p = was;
        if (was == 0) return ERR_OK;
    }
}

err file_make_parent(const char *path)
{
    char dir[FILE_PATH];
    err e = parent_of(path, dir);
    return e == ERR_OK ? file_make_dirs(dir) : e;
}

err file_remove(const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT) return ERR_OK;
    return io_error("remove", path, errno);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

err file_list(const char *dir, const char *ending, char ***names, int *n)
{
    DIR *d = opendir(dir);
    if (d == NULL) return io_error("read", dir, errno);
    char **list = NULL;
    int count = 0, cap = 0;
    err e = ERR_OK;
    size_t tail = ending == NULL ? 0 : strlen(ending);
    for (struct dirent *entry = readdir(d); entry != NULL; entry = readdir(d)) {
        size_t len = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || len < tail || (tail > 0 && strcmp(entry->d_name + len - tail, ending) != 0))
            continue;
        if (!GROW(list, count, cap)) goto full;
        list[count] = strdup(entry->d_name);
        if (list[count] == NULL) goto full;
        count++;
    }
    if (count > 1) qsort(list, (size_t)count, sizeof *list, by_bytes);
    *names = list;
    *n = count;
    goto done;
full:
    file_list_free(list, count);
    e = err_set(ERR_MEMORY, "out of memory while listing %s", dir);
done:
    closedir(d);
    return e;
}

void file_list_free(char **names, int n)
{
    for (int i = 0; i < n; i++) free(names[i]);
    free(names);
}

err file_join(char *out, size_t n, const char *dir, const char *name)
{
    size_t d = name[0] == '/' ? 0 : strlen(dir), len = strlen(name);
    bool slash = d > 0 && dir[d - 1] != '/';
    if (d + slash + len >= n)
        return err_set(ERR_LIMIT, "the path is longer than %zu bytes: %.32s.../%.32s", n - 1, dir, name);
    memmove(out + d + slash, name, len + 1);
    memmove(out, dir, d);
    if (slash) out[d] = '/';
    return ERR_OK;
}

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

bool file_program(char path[FILE_PATH])
{
    ssize_t n = readlink("/proc/self/exe", path, FILE_PATH - 1);
    path[n > 0 ? n : 0] = 0;
    return n > 0;
}

bool file_library(char path[FILE_PATH])
{
    static const char here = 0;
    Dl_info info;
    return dladdr(&here, &info) != 0 && info.dli_fname != NULL && realpath(info.dli_fname, path) != NULL;
}

err file_check_writable(const char *path)
{
    file_out *f = NULL;
    if (file_is_dir(path)) return err_set(ERR_IO, "cannot write %s: it is a folder", path);
    // Opening a pipe would wait for its reader, and closing it would tell the reader that all has come.
    if (is_special(path)) return access(path, W_OK) == 0 ? ERR_OK : io_error("write", path, errno);
    err e = file_make_parent(path);
    if (e == ERR_OK) e = file_out_open(&f, path);
    file_out_abort(f);
    return e;
}
