// Time: monotonic seconds to measure with, the calendar to stamp records with, and durations for people.
//
// Differences are always taken from clock_seconds(), which never jumps; clock_unix() is for timestamps only. Nothing that
// decides a game or a result may read a clock.
#ifndef KEIKO_BASE_CLOCK_H
#define KEIKO_BASE_CLOCK_H

#include <pthread.h>
#include <stddef.h>
#include <time.h>

double clock_seconds(void);                // monotonic; only differences mean anything
double clock_cpu_seconds(void);            // CPU time of this process, all threads
double clock_thread_cpu_seconds(void);     // CPU time of this thread, and of helpers that worked for it (base/pool)
void clock_thread_cpu_add(double seconds); // what helpers have spent on behalf of this thread
double clock_unix(void);                   // seconds since 1970-01-01 UTC
void clock_sleep(double seconds);          // returns early on a signal

// Waits with a limit must not depend on somebody setting the date: with the usual clock a date that goes back by an hour makes
// them last an hour. So whoever calls pthread_cond_timedwait makes the condition variable and the moment with these.
void clock_cond_init(pthread_cond_t *c);
struct timespec clock_after(double seconds); // from now

enum { CLOCK_TEXT = 32 };                                     // holds each text below
char *clock_iso(double unix_seconds, char buf[CLOCK_TEXT]);   // "2026-11-15T04:42:10Z"
char *clock_stamp(double unix_seconds, char buf[CLOCK_TEXT]); // "20261115_044210", local time: for file names
char *clock_hms(double unix_seconds, char buf[CLOCK_TEXT]);   // "04:42:10.125", local time: for logs

// "0.8 ms", "12.3 s", "4 min 05 s", "2 h 05 min", "3 d 04 h"; "?" for what is not a finite time
char *clock_duration(double seconds, char buf[CLOCK_TEXT]);

#endif
