// How often does the advisor's player get its GTR? Many games, each a function of (seed, game number) alone.
//
// A game ends when the fold stands after a placement and its chains, or after this many turns. The last turn shows no next
// pair to the seed's advisor. Results do not depend on the number of threads: games are played in chunks, and chunks are
// put together in order.
#ifndef KEIKO_SEARCH_PUYO_PUYO_ADVISOR_SIM_H
#define KEIKO_SEARCH_PUYO_PUYO_ADVISOR_SIM_H

#include "base/pool.h"
#include "base/text.h"
#include "search/puyo/puyo_advisor.h"

// Why a game failed: the first that applies, looked at in this order.
typedef enum advisor_failure {
    FAIL_BURST,   // something popped on the way
    FAIL_EMPTY,   // no cell of the fold is filled
    FAIL_COLOURS, // every colour assignment is contradicted
    FAIL_P1,      // the bottom row is incomplete
    FAIL_P2,      // … the middle
    FAIL_P3,      // … the top
    FAIL_HIGH,    // no room was left
    FAIL_OTHER,
    FAILURES
} advisor_failure;
extern const char *const advisor_failure_name[FAILURES];

typedef struct advisor_trial {
    const advisor_config *config;
    bool plus;
    bool reach;  // seed: ask for steering too; plus always does
    int kind;    // of pairs: PY_ARCADE, …
    int colours; // 3 to 5
    int shown;   // next pairs the advisor sees: 0 to 2; the seed's uses at most one
    int turns;
    bool blind;           // plus: do not say how many turns are left, nor where the pairs come from
    uint64_t seed, first; // the games numbered first, first + 1, …
    int64_t games;
    bool keep_failures;
    void (*tick)(void *ctx, uint64_t games); // may be NULL; called from any thread
    void *ctx;
} advisor_trial;

typedef struct advisor_tally {
    int64_t games, successes;
    int64_t failures[FAILURES];
    int64_t advices;
    int64_t turns;   // of the successes, summed
    text_buf failed; // a line a failed game: "turns=… pairs=… seed=… game=… class=… moves=1r;3u;… field=…"
} advisor_tally;

// ERR_STOPPED when the pool was cancelled. The caller frees out->failed with text_free.
err advisor_simulate(const advisor_trial *t, pool *threads, advisor_tally *out);

#endif
