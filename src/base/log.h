// Log lines with a level and a time, to the screen (stderr) and to a file of the run.
//
// One log a process, safe from any thread. The screen shows errors and warnings; `verbose` adds info, `debug` adds debug
// lines, `quiet` leaves only errors. The file always gets info and above, and debug lines with `debug`. A log never stops
// the program: when its file cannot be written any more it says so once on the screen and goes on without.
// Only what happened belongs here; what a command computes is printed by cli/.
#ifndef KEIKO_BASE_LOG_H
#define KEIKO_BASE_LOG_H

#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>

typedef enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG } log_level;

typedef struct log_options {
    bool quiet, verbose, debug;
    const char *color; // "auto" (or NULL), "always", "never"
    const char *dir;   // NULL: no file; otherwise made when missing
    const char *name;  // the file is <dir>/<name>_YYYYMMDD_HHMMSS.log; NULL = "keiko"
    FILE *screen;      // NULL = stderr
} log_options;

err log_init(const log_options *o); // NULL = all defaults. Closes an earlier log first. Fails only over the file
void log_close(void);
const char *log_path(void); // the file's path, "" without one; borrowed until log_init or log_close
bool log_on(log_level l);   // would such a line go anywhere? Guards costly arguments

void log_error(const char *fmt, ...) KEIKO_PRINTF(1, 2);
void log_warn(const char *fmt, ...) KEIKO_PRINTF(1, 2);
void log_info(const char *fmt, ...) KEIKO_PRINTF(1, 2);
void log_debug(const char *fmt, ...) KEIKO_PRINTF(1, 2);

// For what shares the screen (the progress bar): hold the lock while drawing, and name a function that wipes the drawing
// before a log line appears. It is called with the lock held. NULL takes it away again.
void log_screen_lock(void);
void log_screen_unlock(void);
void log_screen_wipe(void (*wipe)(void *ctx), void *ctx);
void log_screen_print(FILE *f, const char *text); // what is no log line: above the drawing, as one is

#endif
