// The Othello engine: middlegame search by iterative deepening, exact solving near the end, one or many best moves.
//
// An engine owns a hash table and threads and may be asked again and again; it remembers what it has searched until it is
// cleared. With one thread and without a time limit its answers are a function of the questions since then.
#ifndef KEIKO_SEARCH_OTH_SEARCH_H
#define KEIKO_SEARCH_OTH_SEARCH_H

#include "base/stop.h"
#include "search/othello/oth_eval.h"

typedef struct oth_engine oth_engine;
struct oth_found;

typedef struct oth_engine_options {
    int hash;                   // log2 of the table's entries (16 bytes each); 0 = 2^20
    int threads;                // 0 or 1 = one
    const oth_weights *weights; // borrowed; NULL = a plain evaluation: weak, and slower to solve
} oth_engine_options;

enum { OTH_LIMITS_PLAIN = 5 }; // no cuts by shallow searches

typedef struct oth_limits {
    int depth;            // plies; 0 = no limit
    int exact;            // empties up to which positions are solved to the end; 0 = none
    int best;             // moves wanted, each with its score; 0 = one
    bool ties;            // solving: instead of `best`, all moves that are as good as the best one
    int sure;             // how sure cuts by shallow searches are: 1 … 4, OTH_LIMITS_PLAIN; 0 = as for play
    bool wld;             // solving: win, draw or loss is enough
    uint64_t nodes;       // 0 = no limit
    double seconds;       // 0 = no limit; not reproducible
    const stop_ask *stop; // ends the search early; NULL = never
    // After each depth, with what is known by then (solved is false). NULL: nobody listens.
    void (*each)(void *ctx, const struct oth_found *so_far);
    void *each_ctx;
} oth_limits;

typedef struct oth_found_move {
    int sq;    // or OTH_PASS
    int score; // discs for the side to move; with wld its sign alone counts
    int n_line;
    uint8_t
        line[OTH_SQUARES]; // how play may go on, this move first, passes included; to the end when solved without wld
} oth_found_move;

typedef struct oth_found {
    int n; // moves; 0 = the game is over
    oth_found_move move[OTH_MAX_MOVES];
    int depth;   // plies of the last search that was completed
    bool solved; // scores are final ones, proven
    uint64_t nodes;
    double seconds, cpu_seconds; // passed; used by all threads of the process meanwhile
} oth_found;

err oth_engine_new(oth_engine **out, const oth_engine_options *o); // caller frees with oth_engine_free
void oth_engine_free(oth_engine *e);                               // NULL is fine
void oth_engine_clear(oth_engine *e);                              // forgets everything
void oth_engine_search(oth_engine *e, oth_board b, const oth_limits *limits, oth_found *out);

// Expected points (1 win, 1/2 draw, 0 loss) of a side that stands `discs` ahead by our search with `empties` to go.
double oth_points(int discs, int empties, bool solved);

#endif
