// The placement advisor as a service: a question (a field, a pair, what is known of the future), the answer with its reasons
// as text and as JSON, and simulations of many games. The advisor itself is search/puyo/puyo_advisor.h; guided practice is
// app/advise_practice.h.
#ifndef KEIKO_APP_ADVISE_H
#define KEIKO_APP_ADVISE_H

#include "base/json.h"
#include "search/puyo/puyo_advisor_sim.h"

enum { ADVISE_LENGTHS = 16 }; // numbers of turns that one simulation may compare

// What was asked, as a person or a page writes it. NULL and 0 mean "not given".
typedef struct advise_request {
    const char *field;  // rows from the top separated by '/', or a puyop.com address; NULL = empty
    const char *pair;   // "RB"
    const char *next;   // "YY" or "YY,GB"
    const char *mode;   // "seed" (also NULL) or "plus"
    const char *pairs;  // the generator: "blocks" (also NULL), "arcade", "uniform"
    const char *turns;  // "15"; for simulations "10,12,15,20"
    int colours;        // 0 = 4
    int64_t index;      // number of the pair in the game, from 1; 0 = unknown
    bool reach;         // seed: only placements that can be reached
    int shown;          // next pairs the advisor sees in a simulation or practice; negative = as the mode has it
    bool blind;         // plus, simulation: hide the remaining turns and the generator
    uint64_t seed;      // simulation and practice
    uint64_t first;     // simulation: number of the first game, so that a long one can be done in parts
    int64_t games;      // simulation: per number of turns
    bool keep_failures; // simulation: keep a line per failed game
    const advisor_config *config; // NULL = advisor_defaults
} advise_request;

typedef struct advise_question {
    const advisor_config *config;
    bool plus, reach;
    py_field field;
    uint8_t pair;
    advisor_future future;
} advise_question;

// An error begins with the name of what is wrong: "field: …"
err advise_read(const advise_request *r, advise_question *out);
err advise_ask(const advise_question *q, advice *out);
void advise_json(json_writer *w, const advise_question *q, const advice *a); // an object

// For people. `ghost` (may be NULL) is drawn in lower-case letters; `top` placements are listed.
void advise_draw(text_buf *t, const advise_question *q, const advisor_move *ghost, bool colour);
void advise_tail(text_buf *t, const py_field *f); // the tails that are still possible; nothing while there is no fold
void advise_explain(text_buf *t, const advise_question *q, const advice *a, int top);

// --- simulation

typedef struct advise_row { // one number of turns
    int turns;
    advisor_tally tally;
    double low, high; // 95 % interval of the success rate
    double cpu;       // seconds
} advise_row;

typedef struct advise_simulation { // free with advise_simulation_free
    advise_row row[ADVISE_LENGTHS];
    int n;
} advise_simulation;

typedef struct advise_watch {
    void (*tick)(void *ctx, uint64_t games);        // from any thread; may be NULL
    void (*done)(void *ctx, const advise_row *row); // a number of turns is finished; may be NULL
    void *ctx;
} advise_watch;

err advise_turns(const char *text, int *turns, int most, int *n); // "10,12"; ERR_USAGE: "turns: …"
// threads 0 = one per core. ERR_STOPPED after Ctrl-C.
err advise_simulate(const advise_request *r, int threads, const advise_watch *watch, advise_simulation *out);
void advise_simulation_free(advise_simulation *s);
void advise_simulation_json(json_writer *w, const advise_request *r, const advise_simulation *s, const char *failures);
err advise_save_failures(const advise_simulation *s, const char *path); // lines that practice replays

// --- what the parts share

err advise_kind(const char *name, int *kind); // "arcade", … as PY_ARCADE, …
err advise_pair(const char *text, uint8_t *pair);

#endif
