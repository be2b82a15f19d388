// Beam search for chains: which placement of the current pair leads to the largest chain?
//
// Several futures are searched, each a sequence that begins with the pairs that can be seen and goes on with drawn ones.
// In each, the beam keeps the `width` best fields (puyo_eval.h) of every depth, and for each first placement notes the most
// points that any chain fired below it makes. The placement with the largest sum over the futures is chosen, which is the one
// with the largest expected chain; a placement that fires now competes with its points, so the search also chooses when.
// Results are a function of the field, the pairs, the settings and the key: not of threads, nor of the instruction set. Only a
// time limit or a stop changes that.
#ifndef KEIKO_SEARCH_PUYO_PUYO_BEAM_H
#define KEIKO_SEARCH_PUYO_PUYO_BEAM_H

#include "base/pool.h"
#include "base/stop.h"
#include "games/puyo/puyo.h"
#include "search/puyo/puyo_eval.h"

enum { PUYO_BEAM_DEPTH_MAX = 40, PUYO_BEAM_SAMPLES_MAX = 64, PUYO_BEAM_WIDTH_MAX = 1 << 16 };

typedef struct puyo_beam_settings {
    int width, depth, samples; // fields kept; pairs placed, the visible ones included; futures
    int colours;               // in the game
    bool reach;
    int lose;     // PY_LOSE_…
    int prune;    // a chain of this many points ends its line: the rest of the field is not searched on
    int patience; // percent: what is hoped for counts so much beside a chain that can be fired now
    // Once the field is crowded a choice can no longer be mended, and means over few futures lie: the best of many noisy
    // means is too high, so the search waits for what never comes. There the futures are independent draws, too: in balanced
    // ones every colour comes with any two pairs, and the search would count on the one that fires its chain.
    bool balanced; // balanced futures there, too
    int full;      // puyos on the field from which it counts as crowded
    int late;      // futures searched then; fewer than `samples` = that many
    int grip;      // percent: how much of a chain that the known pairs can fire speaks for a placement then
    puyo_weights weights;
} puyo_beam_settings;

typedef struct puyo_beam_result {
    int move;               // -1: every placement loses or none is legal
    int fires;              // points of the chain that the move fires at once
    double value[PY_MOVES]; // mean of the best chain over the futures; -1 = not legal or loses
    double worth[PY_MOVES]; // what the move was chosen by: the value after patience and grip; -1 as above
    int futures;            // searched
    uint64_t nodes;         // fields evaluated
} puyo_beam_result;

typedef struct puyo_beam puyo_beam; // the memory of a search, for one caller at a time
puyo_beam *puyo_beam_new(const puyo_beam_settings *s, pool *threads); // NULL without memory; `threads` may be NULL
void puyo_beam_free(puyo_beam *b);
void puyo_beam_rules(puyo_beam *b, int colours, bool reach, int lose); // of the game at hand
void puyo_beam_weigh(puyo_beam *b, const puyo_weights *w);

typedef struct puyo_beam_limits {
    double
        seconds; // searches further futures, while the next is likely to end in this time; 0 = as many as the settings say
    const stop_ask *stop; // ends the search early, with what is known; borrowed; NULL = never
} puyo_beam_limits;
void puyo_beam_limit(puyo_beam *b, puyo_beam_limits l); // of the searches that follow

// `seen` are the n ≥ 1 pairs known, the current one first; `depth` 0 = that of the settings.
void puyo_beam_search(puyo_beam *b, const py_field *f, const uint8_t *seen, int n, int depth, rng *r,
                      puyo_beam_result *out);

// The most points that the current pair, or the next one after it, can fire; `links` may be NULL.
int puyo_best_available(const py_field *f, const uint8_t *pairs, int n, bool reach, int lose, int *links);

void puyo_beam_pick_version(void); // by cpu_simd(); call it again after cpu_limit()

#endif
