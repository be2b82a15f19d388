// How fast a network runs and trains here: what `keiko speed nn`, `keiko nn info` and bench/ measure.
#ifndef KEIKO_NN_SPEED_H
#define KEIKO_NN_SPEED_H

#include "nn/infer.h"

typedef struct nn_speed_plan {
    int batch;   // positions per call; 0 = 32
    int threads; // 0 = 1. One thread is timed by its CPU time, so that neighbours do not count; more by the wall clock
    bool train;  // a training step (forward, backward, AdamW) instead of inference
    bool int8;   // inference with the trunk in int8, calibrated on random positions
    int chunk;   // nn_plan_options
    int method;  // nn_plan_options
    bool wall_mean; // the mean by the wall clock instead of the best call: what neighbours take then counts
    double seconds; // measure about this long; 0 = 1
} nn_speed_plan;

typedef struct nn_speed_report {
    double best_seconds;         // of one call, the shortest seen (or the mean)
    double positions_per_second; // from that
    char text[64];               // how it ran
} nn_speed_report;

// `net` is not changed. Positions are random bits.
err nn_speed(const nn_net *net, const nn_speed_plan *plan, nn_speed_report *out);

#endif
