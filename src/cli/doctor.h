// What the parts of `keiko doctor` share: rows with a mark.
#ifndef KEIKO_CLI_DOCTOR_H
#define KEIKO_CLI_DOCTOR_H

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>

typedef enum doctor_mark { DOCTOR_PLAIN, DOCTOR_OK, DOCTOR_NOTE, DOCTOR_BAD } doctor_mark;

typedef struct doctor {
    json_writer *json; // NULL: rows are printed
    const char *section;
    char printed[64]; // the section that is on the screen
    int bad;
    const char *dir, *color;
    double seconds;
    int threads;
    bool verbose, quiet;
} doctor;

void doctor_say(doctor *d, doctor_mark mark, const char *name, const char *fmt, ...) KEIKO_PRINTF(4, 5);
void doctor_learn(doctor *d); // tic-tac-toe from zero

#endif
