// Another program as a conversation partner: started in its own process group, spoken to by lines, never waited for
// without a limit.
//
// Reads have a time limit and a bounded line length, writes never block for ever and never raise SIGPIPE, and stopping
// kills the group and every other process that the partner started, so a partner that hangs, crashes, floods or forks
// cannot hang or end us, and leaves nothing behind. Processes are found in /proc by a mark in their environment.
#ifndef KEIKO_BASE_PROCESS_H
#define KEIKO_BASE_PROCESS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct process process;

err process_start(process **out, const char *command); // by /bin/sh -c; caller frees with process_stop
// Whether the first word of a command is a program; ERR_MISSING with a sentence if not. A first word that only a shell
// can read (a variable, an assignment) is taken on trust.
err process_find(const char *command);
void process_stop(process *p); // asks (closed pipe, SIGTERM), then kills; NULL is fine

// Send one line (a newline is added). ERR_IO when the partner is gone, ERR_STOPPED when it does not take the text in time.
err process_write(process *p, double seconds, const char *line);

// The next line without its end, cut at n-1 bytes. ERR_STOPPED: nothing within `seconds`; ERR_IO: the partner ended;
// ERR_LIMIT: it floods us (a line over 64 KiB, an answer over 16 MiB).
err process_read(process *p, double seconds, char *line, size_t n);

// Start counting a new answer.
void process_calm(process *p);

bool process_alive(process *p);
double process_cpu(process *p); // seconds of CPU time so far, its children's included; 0 where there is no /proc

#endif
