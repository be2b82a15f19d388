// The date is set back by an hour at every moment: whoever asks for the date is told one that is an hour later than that of the
// system, so that a wait that is computed from it lasts an hour. Instead of the C library's function in programs that include this.
#ifndef KEIKO_TESTS_BASE_DATE_AHEAD_H
#define KEIKO_TESTS_BASE_DATE_AHEAD_H

#include <sys/syscall.h>
#include <time.h>

long syscall(long number, ...); // which strict C hides

int clock_gettime(clockid_t id, struct timespec *t)
{
    long code = syscall(SYS_clock_gettime, id, t);
    if (code == 0 && id == CLOCK_REALTIME) t->tv_sec += 3600;
    return (int)code;
}

#endif
