// How large a chain does an agent build alone?
//
// What counts is the best chain available: after each placement, the most points that the pair at hand, or the one after
// it, could fire, whether the agent fires it or not; its maximum over the game is the game's figure. Games are independent
// and keyed by their seed, so the figures do not depend on threads; the CPU time is that of the agent's choices alone.
#ifndef KEIKO_APP_PUYO_BUILD_H
#define KEIKO_APP_PUYO_BUILD_H

#include "base/json.h"

typedef struct puyo_build_options {
    const char *agent;       // who builds
    const char *pairs;       // "arcade", "blocks", "uniform"
    uint32_t first;          // seed of the first game
    int games, moves;        // moves: pairs to place in each
    int threads;             // 0 = one per core
    void (*tick)(void *ctx); // a game is over; from any thread; may be NULL
    void *ctx;
} puyo_build_options;

typedef struct puyo_built { // one game
    bool done, buried;
    int best, links;    // of the chain available
    int fired, longest; // the largest fired
    int at;             // placements made when the best was there
    int placed;
    uint32_t score; // of all chains fired
    double cpu;     // seconds in the agent
    uint64_t nodes;
} puyo_built;

typedef struct puyo_build_summary {
    int n, buried;
    double best, error, links, fired, longest, score, at, cpu, nodes; // means; error: standard error of best
    int over[3];                                                      // games with 50, 75 and 100 thousand or more
} puyo_build_summary;

// games[o->games] is filled. ERR_STOPPED when Ctrl-C came before any game was over.
err puyo_build(const puyo_build_options *o, puyo_built *games, puyo_build_summary *out);
puyo_build_summary puyo_build_sum(const puyo_built *games, int n); // of those that are done
void puyo_build_json(json_writer *w, const puyo_build_options *o, const puyo_built *games, const puyo_build_summary *s);
err puyo_build_seeds(const char *text, uint32_t *first, int *n); // "1-100"

#endif
