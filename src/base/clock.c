// Clocks and their texts. See clock.h.
#include "base/clock.h"

#include <math.h>
#include <stdio.h>

static double read_clock(clockid_t id)
{
    struct timespec ts;
    if (clock_gettime(id, &ts) != 0) return 0.0;
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

double clock_seconds(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double clock_cpu_seconds(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

void clock_cond_init(pthread_cond_t *c)
{
    pthread_condattr_t a;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(c, &a);
    pthread_condattr_destroy(&a);
}

struct timespec clock_after(double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    long ns = (long)(seconds * 1e9);
    t.tv_sec += ns / 1000000000;
    t.tv_nsec += ns % 1000000000;
    if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    return t;
}

static _Thread_local double helpers; // seconds

double clock_thread_cpu_seconds(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID) + helpers;
}

void clock_thread_cpu_add(double seconds)
{
    helpers += seconds;
}

double clock_unix(void)
{
    return read_clock(CLOCK_REALTIME);
}

void clock_sleep(double seconds)
{
    if (!(seconds > 0.0)) return;
    if (seconds > 1e9) seconds = 1e9;
    double whole = floor(seconds);
    struct timespec ts = {.tv_sec = (time_t)whole, .tv_nsec = (long)((seconds - whole) * 1e9)};
    nanosleep(&ts, NULL);
}

// The broken-down time; years that do not fit four digits fall back to 1970, so that every text keeps its shape.
static struct tm calendar(double unix_seconds, int local)
{
    struct tm tm = {.tm_year = 70, .tm_mday = 1};
    time_t t = unix_seconds >= 0.0 && unix_seconds < 253402214400.0 ? (time_t)unix_seconds : 0;
    if ((local ? localtime_r(&t, &tm) : gmtime_r(&t, &tm)) == NULL) tm = (struct tm){.tm_year = 70, .tm_mday = 1};
    return tm;
}

char *clock_iso(double unix_seconds, char buf[CLOCK_TEXT])
{
    struct tm tm = calendar(unix_seconds, 0);
    snprintf(buf, CLOCK_TEXT, "%04u-%02u-%02uT%02u:%02u:%02uZ", (unsigned)(tm.tm_year + 1900) % 10000,
             (unsigned)(tm.tm_mon + 1) % 100, (unsigned)tm.tm_mday % 100, (unsigned)tm.tm_hour % 100,
             (unsigned)tm.tm_min % 100, (unsigned)tm.tm_sec % 100); // the compiler does not know calendars
    return buf;
}

char *clock_stamp(double unix_seconds, char buf[CLOCK_TEXT])
{
    struct tm tm = calendar(unix_seconds, 1);
    strftime(buf, CLOCK_TEXT, "%Y%m%d_%H%M%S", &tm);
    return buf;
}

char *clock_hms(double unix_seconds, char buf[CLOCK_TEXT])
{
    struct tm tm = calendar(unix_seconds, 1);
    int ms = unix_seconds >= 0.0 ? (int)(fmod(unix_seconds, 1.0) * 1000.0) : 0;
    size_t n = strftime(buf, CLOCK_TEXT, "%H:%M:%S", &tm);
    snprintf(buf + n, CLOCK_TEXT - n, ".%03d", ms);
    return buf;
}

char *clock_duration(double s, char buf[CLOCK_TEXT])
{
    if (!(s >= 0.0) || s > 1e11) { // negative, NaN or beyond any run
        snprintf(buf, CLOCK_TEXT, "?");
        return buf;
    }
    // Each bound is where rounding would print the next unit: 59.96 s is "1 min 00 s", not "60.0 s".
    if (s < 0.9995e-3)
        snprintf(buf, CLOCK_TEXT, "%.0f us", s * 1e6);
    else if (s < 0.99995)
        snprintf(buf, CLOCK_TEXT, s < 0.09995 ? "%.1f ms" : "%.0f ms", s * 1e3);
    else if (s < 59.95)
        snprintf(buf, CLOCK_TEXT, "%.1f s", s);
    else {
        long long t = (long long)(s + 0.5);
        if (t < 3600)
            snprintf(buf, CLOCK_TEXT, "%lld min %02lld s", t / 60, t % 60);
        else if (t < 86400)
            snprintf(buf, CLOCK_TEXT, "%lld h %02lld min", t / 3600, t / 60 % 60);
        else
            snprintf(buf, CLOCK_TEXT, "%lld d %02lld h", t / 86400, t / 3600 % 24);
    }
    return buf;
}
