// The log. See log.h. All state is behind one mutex, but for the levels, which are read before it is taken.
#include "base/log.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/term.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int screen_level = LOG_WARN, file_level = -1; // -1: nothing goes there
static FILE *screen;                                         // NULL = stderr
static bool colour;
static int fd = -1;
static char path[FILE_PATH];
static void (*wipe_screen)(void *);
static void *wipe_ctx;

static const char *const names[] = {"error", "warn", "info", "debug"};
static const char *const tints[] = {"\x1b[1;31m", "\x1b[33m", "\x1b[36m", "\x1b[2m"};

void log_close(void)
{
    pthread_mutex_lock(&lock);
    if (fd >= 0) close(fd);
    fd = -1;
    path[0] = 0;
    atomic_store(&file_level, -1);
    pthread_mutex_unlock(&lock);
}

// Opens <dir>/<name>_<stamp>.log. Two logs of one second share the file: lines are appended whole.
static err open_file(const log_options *o, int *out, char made[FILE_PATH])
{
    char name[256], stamp[CLOCK_TEXT];
    int n =
        snprintf(name, sizeof name, "%s_%s.log", o->name == NULL ? "keiko" : o->name, clock_stamp(clock_unix(), stamp));
    if (n >= (int)sizeof name) return err_set(ERR_LIMIT, "the log's name is longer than 200 characters");
    err e = file_join(made, FILE_PATH, o->dir, name);
    if (e == ERR_OK) e = file_make_dirs(o->dir);
    if (e != ERR_OK) return e;
    *out = open(made, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    return *out >= 0 ? ERR_OK : err_set(ERR_IO, "cannot open the log %s: %s", made, strerror(errno));
}

err log_init(const log_options *options)
{
    log_options o = options == NULL ? (log_options){0} : *options;
    log_close();
    char made[FILE_PATH] = "";
    int opened = -1;
    err e = o.dir == NULL ? ERR_OK : open_file(&o, &opened, made);
    pthread_mutex_lock(&lock);
    screen = o.screen;
    colour = term_colour(screen == NULL ? stderr : screen, o.color);
    fd = opened;
    memcpy(path, made, sizeof path);
    if (opened < 0) path[0] = 0;
    atomic_store(&screen_level, o.debug ? LOG_DEBUG : o.verbose ? LOG_INFO : o.quiet ? LOG_ERROR : LOG_WARN);
    atomic_store(&file_level, opened < 0 ? -1 : o.debug ? LOG_DEBUG : LOG_INFO);
    pthread_mutex_unlock(&lock);
    return e;
}

const char *log_path(void)
{
    return path;
}

bool log_on(log_level l)
{
    return (int)l <= atomic_load_explicit(&screen_level, memory_order_relaxed) ||
           (int)l <= atomic_load_explicit(&file_level, memory_order_relaxed);
}

void log_screen_lock(void)
{
    pthread_mutex_lock(&lock);
}

void log_screen_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void log_screen_wipe(void (*wipe)(void *ctx), void *ctx)
{
    wipe_screen = wipe;
    wipe_ctx = ctx;
}

void log_screen_print(FILE *f, const char *text)
{
    log_screen_lock();
    if (wipe_screen != NULL) wipe_screen(wipe_ctx);
    fputs(text, f);
    fflush(f);
    log_screen_unlock();
}

// What came from outside (a request, a file name) must not move the cursor or forge a line: control characters become
// '?', and further lines of one message are indented.
static void clean(text_buf *to, const char *s, size_t n, int indent)
{
    while (n > 0 && s[n - 1] == '\n') n--;
    for (size_t i = 0; i < n;) {
        uint32_t c;
        size_t len = text_utf8_next(s + i, n - i, &c);
        if (c == '\n') {
            text_char(to, '\n');
            text_repeat(to, ' ', indent);
        } else if ((c < 32 && c != '\t') || (c >= 0x7f && c < 0xa0) || (len == 1 && c == 0xfffd)) {
            text_char(to, '?');
        } else {
            text_append_n(to, s + i, len);
        }
        i += len;
    }
    text_char(to, '\n');
}

// With the lock held.
static void to_screen(log_level l, const char *message, size_t n, double now)
{
    char time[CLOCK_TEXT];
    text_buf line = {0};
    clock_hms(now, time);
    if (colour)
        text_printf(&line, "\x1b[2m%s\x1b[0m %s%-5s\x1b[0m ", time, tints[l], names[l]);
    else
        text_printf(&line, "%s %-5s ", time, names[l]);
    clean(&line, message, n, (int)strlen(time) + 7);
    if (wipe_screen != NULL) wipe_screen(wipe_ctx);
    FILE *f = screen == NULL ? stderr : screen;
    fwrite(text_str(&line), 1, line.len, f);
    fflush(f);
    text_free(&line);
}

static void to_file(log_level l, const char *message, size_t n, double now)
{
    char day[CLOCK_TEXT], time[CLOCK_TEXT];
    text_buf line = {0};
    clock_stamp(now, day);
    text_printf(&line, "%.4s-%.2s-%.2s %s %-5s ", day, day + 4, day + 6, clock_hms(now, time), names[l]);
    clean(&line, message, n, (int)line.len);
    const char *p = text_str(&line);
    size_t left = line.len;
    while (left > 0) {
        ssize_t k = write(fd, p, left); // usually one call: whole lines, even when processes share the file
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) {
            char why[FILE_PATH + 128];
            int len = snprintf(why, sizeof why, "the log %s cannot be written any more: %s", path, strerror(errno));
            close(fd);
            fd = -1;
            atomic_store(&file_level, -1);
            to_screen(LOG_WARN, why, (size_t)len < sizeof why ? (size_t)len : sizeof why - 1, now);
            break;
        }
        p += k;
        left -= (size_t)k;
    }
    text_free(&line);
}

static void put(log_level l, const char *fmt, va_list ap)
{
    if (!log_on(l)) return;
    text_buf message = {0};
    int code = errno; // logging an error must not change it
    text_vprintf(&message, fmt, ap);
    pthread_mutex_lock(&lock);
    double now = clock_unix(); // under the lock, so that times in the file never go back
    if ((int)l <= atomic_load(&screen_level)) to_screen(l, text_str(&message), message.len, now);
    if (fd >= 0 && (int)l <= atomic_load(&file_level)) to_file(l, text_str(&message), message.len, now);
    pthread_mutex_unlock(&lock);
    text_free(&message);
    errno = code;
}

#define LOG_FUNCTION(name, level)                                                                                      \
    void name(const char *fmt, ...)                                                                                    \
    {                                                                                                                  \
        va_list ap;                                                                                                    \
        va_start(ap, fmt);                                                                                             \
        put(level, fmt, ap);                                                                                           \
        va_end(ap);                                                                                                    \
    }
LOG_FUNCTION(log_error, LOG_ERROR)
LOG_FUNCTION(log_warn, LOG_WARN)
LOG_FUNCTION(log_info, LOG_INFO)
LOG_FUNCTION(log_debug, LOG_DEBUG)
