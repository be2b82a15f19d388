// Labels Puyo positions with what a strong player thinks of every placement. See labels.h for the file.
//
// The teacher is the beam search, which values all placements, or any agent, whose choice alone is then known. Who plays is
// another matter: the teacher itself, or an agent that is to be corrected. A network that is trained on the teacher's own games
// never sees where its own mistakes lead; so its games are played and labelled, too, again and again (DAgger). `noise` lets a share
// of the placements be random, for the same reason.
// Games are a function of the seed and their number: not of threads, nor of interruptions.
#ifndef KEIKO_LEARN_DISTIL_LABEL_PUYO_H
#define KEIKO_LEARN_DISTIL_LABEL_PUYO_H

#include "learn/distil/labels.h"

typedef struct label_options {
    const char *path;
    const char *game;          // "puyo-solo" or "puyo"
    const char *rules;         // options of the game; NULL = none
    const char *teacher;       // "beam", or an agent
    int width, depth, samples; // of the beam
    int late;                  // its futures on a crowded field
    const char *player;        // an agent; NULL or "" = the teacher plays
    const char *opponent; // in matches: an agent against which the player plays, changing sides; NULL or "" = itself
    double noise;         // share of random placements, 0 … 1
    uint64_t seed;        //
    uint64_t positions;   // go on until the file has so many
    double minutes;       // 0 = no limit
    int threads;          // 0 = one per core
    void (*tick)(void *ctx, uint64_t positions); // so many more; may be NULL
    void *ctx;
} label_options;

typedef struct label_report {
    label_end end;         // of the file
    uint64_t games, added; // games and positions labelled by this call
    double seconds;
    // Every 32nd position was asked about twice, with other futures: how often did the teacher choose the same? No network can
    // agree with it much more often.
    uint64_t asked, same;
    // Solo games: points of the largest chain fired, their mean.
    double fired;
} label_report;

err label_puyo(const label_options *o, label_report *out);

// The labels of one position, from what the beam compared. Not from its values: it waits only for clearly more than it can fire
// now, and by the values alone waiting would look as good in most positions in which it fires.
void label_from_beam(const double worth[PY_MOVES], double value, uint32_t legal, int choice, label_turn *t);
void label_from_choice(uint32_t legal, int choice, label_turn *t);

#endif
