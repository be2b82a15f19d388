// Training runs and benches as processes of their own: started here, stopped here, and looked at through their folders.
//
// A process gets a session of its own, so that Ctrl-C in the server's terminal reaches the server alone, which then stops its
// processes and waits until they have saved. Those of a server that was killed go on.
#ifndef KEIKO_SERVE_JOBS_H
#define KEIKO_SERVE_JOBS_H

#include "base/file.h"
#include "base/text.h"
#include "serve/names.h"

typedef struct jobs jobs;

err jobs_new(jobs **out, const char *program, int most); // program NULL: none can be started. Free with jobs_free
void jobs_free(jobs *j);                                 // stops all: asks, waits up to 30 s, then kills

// `topic` is "runs/NAME" or "benches/NAME"; argv begins behind the program's name and ends with NULL. ERR_STOPPED: as many
// run as may, or this one does.
err jobs_start(jobs *j, const char *topic, const char *const *argv);
bool jobs_runs(jobs *j, const char *topic); // started here, and not ended yet
// Its folder is free already: waits a moment for the process to be gone, so that it can be started again.
void jobs_settle(jobs *j, const char *topic);
bool jobs_known(jobs *j, const char *topic); // started here at some time
bool jobs_stop(jobs *j, const char *topic);  // asks it to save and end; false: it does not run here
// What the last start said when it failed; false: it did not.
bool jobs_message(jobs *j, const char *topic, text_buf *to);
int jobs_count(jobs *j); // that run
int jobs_most(const jobs *j);
void jobs_poll(jobs *j); // collects those that ended

#endif
