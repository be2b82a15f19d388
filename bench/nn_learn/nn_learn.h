// Does a network trained here learn? What the files of nn_learn share.
//
//   main.c   keys, learning, the curve, the table at the end
//   set.c    labelled positions: made or read from a file, and turned into batches
//   judge.c  how good the network's choices are, on positions it has not learned from above all
//   beside.c others on the same positions: int8, and a search
#ifndef KEIKO_BENCH_NN_LEARN_H
#define KEIKO_BENCH_NN_LEARN_H

#include "games/game.h"
#include "learn/tune/label_othello.h"
#include "nn/backend.h"

#include <stdio.h>

enum { SCALE = 16 }; // discs: a network's scores are in units of so many

typedef struct options {
    int64_t positions, held, valid, seed, few, many, depth, batch, steps, every, threads, compare, deep, narrow, plies;
    double decay, ema, temperature, after, seconds;
    const char *net, *encoding, *from, *lr, *backend, *labels, *out, *curve, *plot;
} options;

typedef struct study {
    const options *o;
    const nn_backend *by;
    const encoding *seen; // how boards are shown to the network
    pool *threads;
    label_row *learn, *held;
    const label_row *valid; // the last of `learn`, of which nothing is learned
    int n_learn;            // those before them
    nn_net *net;            // averaged weights, for judging
    nn_learner *learner;
    nn_infer *infer;
    text_buf curve;
    double began;
} study;

void must(err e);                  // or end with the sentence
void *room(size_t n, size_t size); // zeroed, or end

// --- set.c

void set_label(study *s);                                 // learn, valid, held
void encode(const study *s, oth_board b, uint64_t *bits); // bits[planes]

typedef struct batch batch;
batch *batch_new(const study *s);
void batch_free(batch *b);
const nn_batch *batch_make(batch *b, uint64_t step); // the step's positions with their targets

// --- judge.c

// What the network says of a move. The first four come from one look at the position, the others from the board after it.
typedef enum say {
    SAY_POLICY,
    SAY_SCORES, // of the head with one number per move
    SAY_LOSS,   // of the second board head, on the move's square
    SAY_BEST,   // of the third
    SAY_AHEAD,  // the score head's number for the board after it
    SAY_FINAL,  // the discs of the final board foretold there
    SAYS
} say;

typedef struct said {
    float value; // its sign is the winner foretold
    float move[OTH_SQUARES][SAYS];
} said;

typedef struct judgement {
    double optimal, winner, discs; // shares; mean discs lost by the chosen move
    int draws;
} judgement;

bool judge_says(const nn_desc *d, say what); // has it the head for that?

// What the network says of rows[n], the mean over the eight symmetries where `turned`; plies 0 = of the positions alone, else
// also of the boards so many moves ahead. Caller frees.
said *judge_ask(study *s, const label_row *rows, int n, bool turned, int plies);
said *judge_read(const nn_desc *d, const float *out, int n,
                 int syms); // the same of outputs already there, summed over syms
judgement judge_by(const label_row *rows, const said *x, int n,
                   const float weights[SAYS]); // the greatest sum is chosen
// The weights, of those that are not 0, with which the best moves get the greatest share of a softmax.
void judge_fit(const study *s, const label_row *rows, const said *x, int n, float weights[SAYS]);

// --- beside.c

void beside_narrow(study *s, int n);
void beside_search(const study *s, int n);

#endif
