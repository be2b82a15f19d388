// Is this machine and this build fit to train, and what will limit it? Checks that report rows, ending with the proof:
// tic-tac-toe from random weights.
#ifndef KEIKO_APP_DOCTOR_H
#define KEIKO_APP_DOCTOR_H

#include "base/json.h"

#include <stdbool.h>

typedef enum doctor_mark { DOCTOR_PLAIN, DOCTOR_OK, DOCTOR_NOTE, DOCTOR_BAD } doctor_mark;
extern const char *const doctor_mark_name[]; // "", "ok", "note", "BAD"

typedef struct doctor_row { // borrowed for the call
    const char *section, *name, *text;
    doctor_mark mark;
} doctor_row;

typedef struct doctor_options {
    const char *dir;   // whose disk is measured
    const char *build; // version of the program, for the report
    double seconds;    // of training at most; 0 = do not train
    int threads;       // 0 = one per core
    bool verbose;      // more rows
    void (*row)(void *ctx, const doctor_row *r);
    void (*training)(void *ctx, double seconds, const char *text); // while it trains; may be NULL
    void *ctx;
} doctor_options;

int doctor_run(const doctor_options *o); // the number of bad rows; ends early after Ctrl-C
void doctor_row_json(json_writer *w, const doctor_row *r);

// --- for the checks (doctor*.c)
typedef struct doctor {
    const doctor_options *o;
    const char *section;
    int bad;
} doctor;
void doctor_say(doctor *d, doctor_mark mark, const char *name, const char *fmt, ...) KEIKO_PRINTF(4, 5);
void doctor_learn(doctor *d);

#endif
