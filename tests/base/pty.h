// A pseudo-terminal for tests: what a person's terminal would see and type. The includer defines _XOPEN_SOURCE 700 first.
#ifndef KEIKO_TESTS_PTY_H
#define KEIKO_TESTS_PTY_H

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct pty {
    int master, slave;
} pty;

// False where the system gives none (a bare container).
static inline int pty_open(pty *p)
{
    p->master = posix_openpt(O_RDWR | O_NOCTTY);
    if (p->master < 0) return 0;
    if (grantpt(p->master) != 0 || unlockpt(p->master) != 0) {
        close(p->master);
        return 0;
    }
    const char *name = ptsname(p->master);
    p->slave = name == NULL ? -1 : open(name, O_RDWR | O_NOCTTY);
    if (p->slave >= 0) return 1;
    close(p->master);
    return 0;
}

// All that the program side wrote, up to `ms` of silence; a C string.
static inline size_t pty_read(const pty *p, char *buf, size_t n, int ms)
{
    size_t k = 0;
    struct pollfd f = {.fd = p->master, .events = POLLIN};
    while (k + 1 < n && poll(&f, 1, ms) > 0) {
        ssize_t got = read(p->master, buf + k, n - 1 - k);
        if (got <= 0) break;
        k += (size_t)got;
    }
    buf[k] = 0;
    return k;
}

static inline void pty_close(pty *p)
{
    if (p->slave >= 0) close(p->slave);
    close(p->master);
}

#endif
