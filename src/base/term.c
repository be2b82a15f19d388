// Terminal questions. See term.h.
#define _DEFAULT_SOURCE // TIOCGWINSZ
#include "base/term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST = 20, USUAL = 80, MOST = 10000 };

bool term_is(FILE *f)
{
    int fd = f == NULL ? -1 : fileno(f);
    return fd >= 0 && isatty(fd) != 0;
}

int term_width(FILE *f)
{
    int width = 0;
#if defined(TIOCGWINSZ)
    struct winsize ws;
    if (term_is(f) && ioctl(fileno(f), TIOCGWINSZ, &ws) == 0) width = ws.ws_col;
#endif
    if (width == 0) {
        const char *columns = getenv("COLUMNS");
        if (columns != NULL) width = atoi(columns);
    }
    if (width <= 0 || width > MOST) return USUAL;
    return width < LEAST ? LEAST : width;
}

static bool env_set(const char *name)
{
    const char *v = getenv(name);
    return v != NULL && v[0] != 0;
}

bool term_colour(FILE *f, const char *wanted)
{
    if (wanted != NULL && strcmp(wanted, "always") == 0) return true;
    if (wanted != NULL && strcmp(wanted, "never") == 0) return false;
    if (env_set("NO_COLOR")) return false;
    const char *term = getenv("TERM");
    if (term != NULL && strcmp(term, "dumb") == 0) return false;
    const char *force = getenv("CLICOLOR_FORCE");
    if (force != NULL && force[0] != 0 && strcmp(force, "0") != 0) return true;
    return term_is(f) && term != NULL;
}
