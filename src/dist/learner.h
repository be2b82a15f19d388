// The learner's side: games from workers elsewhere into a training, its weights to them. A train_remote (learn/train.h) over
// the bus.
//
// Games are read in the order of their stream, counted by a ledger, and the ledger goes into the training's checkpoint. When
// that is on the disk, the stream is cleared up to it.
#ifndef KEIKO_DIST_LEARNER_H
#define KEIKO_DIST_LEARNER_H

#include "dist/bus.h"
#include "learn/train.h"

typedef struct dist_learner_options {
    bus_options nats;
    const char *name;    // of the run on the server; NULL or "": the folder's name
    bool play;           // this process plays, too
    int64_t max_stale;   // generations; games of older weights are dropped and counted
    int64_t backlog;     // games that may wait at the server
    int64_t backlog_mib; // and their size
    int64_t replicas;    // of the streams
    double every;        // seconds between two sets of weights
    const char *version; // of this program
} dist_learner_options;
extern const opt dist_learner_opts[]; // all rows that `keiko train` takes for it
extern const int dist_learner_n_opts;

typedef struct dist_learner dist_learner;

// `dir` is the run's folder, where its number is kept (remote.txt); `of` the game's name. Borrows `o`. Free with dist_learner_close.
err dist_learner_open(dist_learner **out, const dist_learner_options *o, const char *dir, const char *of);
void dist_learner_close(dist_learner *d); // NULL is fine
train_remote dist_learner_remote(dist_learner *d);

// Can the server be reached with these options? An error here would be dist_learner_open's, before there is a folder.
err dist_learner_check(const dist_learner_options *o);

// Removes everything the server has of a run: streams and entry.
err dist_run_remove(bus *b, const char *run);

#endif
