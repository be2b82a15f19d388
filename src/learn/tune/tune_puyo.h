// Tunes the weights of the beam's evaluation by playing: simultaneous perturbation (Spall 1992).
//
// A round draws a sign for every weight, plays the same games with the weights moved that way and the other way, and moves
// them towards the side that built the larger chains. Two plays a round suffice however many weights there are, and noise
// averages out over rounds. A round is a function of the seed, its number and the weights it starts from, so a run can be
// stopped after any round and go on from what it printed; threads change nothing. The weight `chain` is the unit and stays.
#ifndef KEIKO_LEARN_TUNE_TUNE_PUYO_H
#define KEIKO_LEARN_TUNE_TUNE_PUYO_H

#include "base/pool.h"
#include "search/puyo/puyo_beam.h"

enum { TUNE_PUYO_WEIGHTS = sizeof(puyo_weights) / sizeof(int) };

typedef struct tune_puyo {
    puyo_beam_settings search; // its weights are not used
    int visible, moves;        // pairs the search is shown; placements in a game
    int games;                 // in each of the two plays of a round
    int first, rounds;         // rounds first … rounds-1 are played
    uint64_t seed;
    double spread,
        rate; // how far weights are moved to try, and how far they go for a clear result, as parts of their size
} tune_puyo;

typedef struct tune_puyo_round {
    int round;
    double plus, minus;                // mean best available chain of the two plays
    double weight[TUNE_PUYO_WEIGHTS];  // after the round
    double average[TUNE_PUYO_WEIGHTS]; // over the later half of the rounds so far: the answer
} tune_puyo_round;

// Starts from `from`; `report` is called after each round and may return false to stop. ERR_STOPPED on a request to stop.
err tune_puyo_run(const tune_puyo *t, const double from[TUNE_PUYO_WEIGHTS], pool *p,
                  bool (*report)(void *ctx, const tune_puyo_round *r), void *ctx);

puyo_weights tune_puyo_weights(const double weight[TUNE_PUYO_WEIGHTS]); // rounded
extern const char *const tune_puyo_names[TUNE_PUYO_WEIGHTS];

// Mean of the best available chain over games `first` … first+n-1 of arcade pairs; negative without memory.
double tune_puyo_measure(const tune_puyo *t, const puyo_weights *w, uint32_t first, int n, pool *p);

#endif
