// What run.c and run_point.c share. Only they include this.
#ifndef KEIKO_RUN_RUN_INNER_H
#define KEIKO_RUN_RUN_INNER_H

#include "base/progress.h"
#include "run/run.h"

#include <pthread.h>
#include <sys/types.h>

enum { RUN_EVENT_FILES = 4096, RUN_NAME = 256, RUN_FILES = 256 };

// A file as a checkpoint's manifest knows it.
typedef struct run_file {
    char name[RUN_NAME];
    uint64_t size;
    uint32_t crc;
} run_file;

// A manifest: what the checkpoint holds, and how long the logs were at that moment.
typedef struct run_manifest {
    int64_t step;
    double seconds;
    uint64_t log_size;
    run_file *files, *events; // events: names and sizes only
    int n_files, n_events;
} run_manifest;

void run_manifest_print(const run_manifest *m, text_buf *to);
err run_manifest_parse(run_manifest *m, const char *text, size_t size); // free with run_manifest_free
void run_manifest_free(run_manifest *m);

struct run_home {
    char dir[FILE_PATH];
    int lock, log, events; // descriptors; -1 = none
    dev_t dev;             // of the lock file: the same folder by another name is still the same
    ino_t ino;
    pid_t owner;           // a forked child has this struct, but not the lock
    struct run_home *next; // open runs of this process
    pthread_mutex_t mutex; // log and events
    bool resumed;
    run_point point;
    int serial; // of the newest checkpoint, whole or not
    int keep;
    double base, born; // seconds of earlier starts; clock when this one began
    progress *line;
    int bar;             // what the progress line counts: see run_show.c
    double seconds_most; // the limit in seconds, 0 = none
    double fraction;     // done when the line first appeared
    double told;         // when the text log last got the line
    char untold[320];    // the line as it was last drawn, if the text log does not have it
    bool quiet, verbose;
    const char *color;
    char game[64];
    const char *step; // what is counted, for people (run_step_word)
};

// The newest whole checkpoint: fills r->point and r->serial. Sets *found; warns about what it passes over. `m` is its
// manifest (free it when *found). ERR_PARSE when there are checkpoints, but none is whole.
err run_points_scan(run_home *r, bool *found, run_manifest *m);

void run_show_last(run_home *r); // finishes the progress line; the text log gets how it ended

extern const char RUN_EVENTS[];      // how names of TensorBoard files begin
err run_dir_remove(const char *dir); // a folder of plain files

#endif
