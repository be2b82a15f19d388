// Does a network trained here learn? What the three files of nn_learn share.
//
//   main.c   keys, learning, the curve
//   set.c    labelled positions: made or read from a file, and turned into batches
//   judge.c  how good the network's choices are on positions it has not learned from
#ifndef KEIKO_BENCH_NN_LEARN_H
#define KEIKO_BENCH_NN_LEARN_H

#include "games/game.h"
#include "learn/label_othello.h"
#include "nn/backend.h"

#include <stdio.h>

enum { SCALE = 16 }; // discs: a network's scores are in units of so many

typedef struct options {
    int64_t positions, held, seed, few, many, depth, batch, steps, every, threads, compare, deep, plies;
    double decay, ema, temperature, after;
    const char *net, *encoding, *from, *lr, *backend, *labels, *out, *curve, *plot;
} options;

typedef struct study {
    const options *o;
    const nn_backend *by;
    const encoding *seen; // how boards are shown to the network
    pool *threads;
    label_row *learn, *held;
    nn_net *net; // averaged weights, for judging
    nn_learner *learner;
    nn_infer *infer;
    text_buf curve;
    double began;
} study;

void must(err e);                                     // or end with the sentence
void *room(size_t n, size_t size);                    // zeroed, or end
int head_of(const nn_desc *d, nn_kind kind, int out); // the first such head; out 0 = any. Ends where there is none

// --- set.c

void set_label(study *s);                                 // learn, held
void encode(const study *s, oth_board b, uint64_t *bits); // bits[planes]

typedef struct batch batch;
batch *batch_new(const study *s);
void batch_free(batch *b);
const nn_batch *batch_make(batch *b, uint64_t step); // the step's positions with their targets

// --- judge.c

typedef struct judgement {
    double optimal, winner, discs; // shares; mean discs lost by the chosen move
    int draws;
} judgement;

typedef struct view {
    int plies;    // 0 = the policy chooses; else the network's score of the boards so many moves ahead
    bool turned;  // the mean over the eight symmetries
    bool learned; // positions that were learned from instead of held-out ones
    int64_t n;    // the first so many; 0 = as many as are held out
} view;

judgement judge_now(study *s, const view *v);
void judge_narrow(const study *s);
void judge_search(const study *s, int n);

#endif
