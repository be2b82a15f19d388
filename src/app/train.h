// A training, from what was asked for to its result: the use case behind `keiko train` and keiko_train.
//
// The trainer is the game's own, or the one that is asked for (learn/trainer.h). Its configuration is made of layers
// (learn/train_config.h); a run's folder keeps it as config.txt, whoever started the run, so that a run begun by the command
// line can be resumed through the library and the other way round.
#ifndef KEIKO_APP_TRAIN_H
#define KEIKO_APP_TRAIN_H

#include "dist/learner.h"
#include "learn/trainer.h"

typedef struct train_request {
    const game *g;
    const char *method;               // NULL: what the layers say, else the game's own
    const char *preset;               // NULL: what the layers say, else the trainer's own
    const config_layer *layers;       // options, as texts; a later one wins
    int n_layers;                     //
    const char *run;                  // the run's folder; NULL: nothing is kept
    bool resume;                      // continue the run there, with its options
    const char *version;              // of the program, for the folder; may be NULL
    const char *model;                // write the weights there at the end; NULL: do not
    const dist_learner_options *dist; // workers elsewhere; NULL: none. Needs a folder, and the method zero
    const log_options *log;           // the text log and the progress line; NULL: neither
    bool (*each)(void *ctx,
                 const train_state *s); // after every round; false ends the training (and saves). May be NULL
    void *ctx;
} train_request;

typedef struct train_result {
    const trainer *t;
    train_end how;
    train_state s;
    double seconds; // trained, over all starts
} train_result;

err train_run(const train_request *q, train_result *out);

#endif
