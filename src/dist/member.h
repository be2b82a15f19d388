// A run that a worker plays for: its entry, its network, and the games in flight. Private to the worker.
#ifndef KEIKO_DIST_MEMBER_H
#define KEIKO_DIST_MEMBER_H

#include "dist/entry.h"
#include "dist/sender.h"
#include "dist/worker.h"
#include "learn/zero/selfplay.h"

typedef struct member {
    double share;     // of the worker's time
    double spent;     // seconds of play, over the share
    double seconds;   // of play since it was joined
    bool look;        // its entry may have changed
    double looked_at; //
    bool open;        // the parts below are there
    bool takes;       // the worker's: was it usable at the last look?
    bool refused;     // it does not fit this program: said once, and left alone until its entry changes
    uint64_t refusal; // generation of the entry that was refused
    run_entry entry;  // of the weights in use
    const game *g;    //
    opt_values *keep; // of the configuration's texts
    az_config c;      //
    samples_shape sh; //
    evaluator *ev;    //
    selfplay *play;   //
    nn_desc desc;     //
    const char *backend;
    sender_to to;
    char run[DIST_NAME];
} member;

// Reads the entry if it is time to, and takes new weights. *usable: a round can be played, and the server takes the run's games.
// Errors of the server are waited out: they are logged, and the weights at hand stay in use. Games of a run that is gone from the
// server are dropped if they cannot be sent within two seconds.
err member_refresh(member *m, bus *b, sender *s, const dist_worker_options *o, const char *worker, bool *usable);
err member_round(member *m, sender *s, selfplay_stats *st);
void member_close(member *m);

#endif
