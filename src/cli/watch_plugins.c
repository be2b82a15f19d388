// Names the game library's function that crashed or hangs while its rules are tried out (games/own): without this a person
// sees "Segmentation fault" and nothing else. Only signals that would end the process anyway are taken, and they still do.
#define _XOPEN_SOURCE 700 // sigaction
#include "cli/cli.h"
#include "games/own/own.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

// As a signal handler may: no printf.
static void put(const char *text)
{
    ssize_t n = write(STDERR_FILENO, text, strlen(text));
    (void)n;
}

static void put_number(int n)
{
    char digits[12], *p = digits + sizeof digits;
    *--p = 0;
    do *--p = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    put(p);
}

static void name_function(int signal_number)
{
    if (own_trial_now.game != NULL) {
        put("\nkeiko: game ");
        put(own_trial_now.game);
        put(signal_number == SIGINT ? ": stopped in " : ": crashed in ");
        put(own_trial_now.function != NULL ? own_trial_now.function : "its functions");
        if (own_trial_now.ply >= 0) put(" at ply "), put_number(own_trial_now.ply);
        put(" while its rules were tried out; docs/plugins.md says how to find the line\n");
    }
    raise(signal_number); // SA_RESETHAND: now it does what it always does
}

void cli_watch_plugins(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT};
    for (int i = 0; i < COUNT(signals); i++) {
        struct sigaction was, now = {.sa_handler = name_function, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
        sigemptyset(&now.sa_mask);
        // A sanitizer's own handlers say more, and an ignored Ctrl-C stays ignored.
        if (sigaction(signals[i], NULL, &was) == 0 && was.sa_handler == SIG_DFL) sigaction(signals[i], &now, NULL);
    }
}
