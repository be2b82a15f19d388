// OBF, the problem format of Othello programs: one position a line, with the scores of its moves.
//
//   --XXXXX--OOOXX-O-… X; G8:+18; H1:+12; H7:+6;
//
// 64 squares from a1 row by row, the side to move, then any number of `MOVE:score` between semicolons; a score is the
// final disc difference for the side to move. Blank lines and lines that begin with % or # say nothing.
#ifndef KEIKO_GAMES_OTH_OBF_H
#define KEIKO_GAMES_OTH_OBF_H

#include "games/othello/othello.h"

typedef struct oth_scored {
    uint8_t sq; // or OTH_PASS
    int8_t score;
} oth_scored;

typedef struct oth_problem {
    oth_state s;
    int n;                           // moves listed: none, some or all of the legal ones, each once
    oth_scored moves[OTH_MAX_MOVES]; // as the file orders them: usually the best first
} oth_problem;

enum { OTH_OBF_TEXT = 1024 }; // room for any problem's line, with its NUL

// One line, without its line end. `out` is written only on success.
err oth_obf_parse(const char *line, oth_problem *out);

// The text of a file. *out holds *n problems; the caller frees it. Errors name the line.
err oth_obf_read(const char *text, oth_problem **out, int *n);

int oth_obf_print(const oth_problem *p, char *buf, size_t n); // as snprintf, without a line end

#endif
