// The numbers of the renju engine (search/renju_weights.h) from self-play: games, then three regressions, a few times over.
//
// The first generation plays by the engine's scores of rows, each later one by the numbers of the one before. Quiet positions are
// collected with what came of them: the result of the game and what the search thought. The values are fitted so
// that the evaluation is the log-odds to win, then the hidden layer that corrects it; the order of moves is fitted so that the move the search chose is likely
// among all candidates. Everything is a function of the options: games are keyed (seed, rule, generation, game), sums are
// taken in a fixed order, threads change nothing.
#ifndef KEIKO_LEARN_TUNE_TUNE_RENJU_H
#define KEIKO_LEARN_TUNE_TUNE_RENJU_H

#include "base/pool.h"
#include "base/progress.h"
#include "base/text.h"
#include "search/renju/renju_weights.h"

enum { RJ_TUNE_GENERATIONS = 4, RJ_TUNE_ROUNDS = 2 };

typedef struct rj_tune {
    uint64_t seed;
    int threads;                              // 0 = one per core
    double scale;                             // of the numbers of games; 1 = as shipped
    const char *model;                        // rj_tune_by_network: a file or one that ships; NULL = the game's
    void (*say)(void *ctx, const char *line); // a line per generation; may be NULL
    void *ctx;
    progress *bar; // ticked by rj_tune_work; NULL = none
} rj_tune;

// What the games of one rule cost, in hundreds of nodes per move: as the bar counts them, so that the time left is not too short
// while games are quick. The fits are not in it.
uint64_t rj_tune_work(const rj_tune *t, bool by_network);

// ERR_STOPPED when a stop was requested (base/stop.h).
err rj_tune_rule(const rj_tune *t, rj_rule rule, rj_weights *out);

// A rule's values and hidden layer again, fitted to what a network says of positions in and beside good play, and to what came of
// them, twice: the second time with the numbers of the first. The rest stays as it is in `from`.
err rj_tune_by_network(const rj_tune *t, rj_rule rule, const rj_weights *from, rj_weights *out);

// The numbers of all rules as the C file that holds them, src/search/renju/renju_weights.c.
void rj_tune_write(const rj_weights w[3], text_buf *out);

// --- its parts

typedef struct rj_sample {        // a quiet position
    uint8_t count[2][RJ_W_TABLE]; // how often each number counts: of the mover, of the side that waits
    uint16_t threats;             // rj_threats()
    uint16_t classes[2][16];      // points by class, likewise
    uint16_t stones;
    uint8_t side; // to move
    float target; // expected score of the mover, 0 … 1
    float valued; // what a network says, in log-odds; 0 where none is asked
} rj_sample;

typedef struct rj_candidate {
    uint16_t own, other; // keys of the point
    uint8_t near;        // rj_near_last()
} rj_candidate;

typedef struct rj_choice { // a position's candidates: `first` … `first + n - 1`, the chosen one is the first of them
    uint32_t first;
    uint16_t n;
    uint8_t side;
} rj_choice;

typedef struct rj_samples {
    rj_sample *at;
    rj_choice *choice;
    rj_candidate *candidate;
    uint32_t n, room, choices, choice_room, candidates, candidate_room;
} rj_samples;

void rj_samples_free(rj_samples *s);

// Fits the values, the hidden layer on top of the values that `out` has, or the order of moves, into `out`. `same`: both colours are
// worth the same (all rules but renju).
err rj_tune_fit_values(const rj_samples *s, bool same, uint64_t seed, rj_weights *out, double *loss);
err rj_tune_fit_layer(const rj_samples *s, bool same, uint64_t seed, rj_weights *out, double *loss);
err rj_tune_fit_order(const rj_samples *s, bool same, uint64_t seed, rj_weights *out, double *loss);

#endif
