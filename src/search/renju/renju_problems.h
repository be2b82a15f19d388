// Renju problems: files of positions that are won by force, and the check that a line of fours really wins.
//
// A row is `id | source | side | black | white | kind | line | note`: side B or W attacks, stones as "H8 I9" or "-", the
// kind "VCF 5" (fours; five moves of the attacker are the fewest), "VCT", or any text that names one of them; the line as
// "H8,I9,…", attacker first, or "-". `#` begins a comment line. 15 x 15, renju's rules.
#ifndef KEIKO_SEARCH_RENJU_RENJU_PROBLEMS_H
#define KEIKO_SEARCH_RENJU_RENJU_PROBLEMS_H

#include "games/renju/renju.h"
#include "search/renju/renju_vcf.h"

typedef struct rj_problem {
    char id[32];
    int number; // of its line in the file
    int side;
    bool threes; // VCT: threes as well as fours
    int length;  // of the shortest win; 0 = not known
    uint64_t stones[2][4];
    int n_line; // one line that wins; 0 = none given
    uint16_t line[2 * RJ_VCF_MAX + 2];
} rj_problem;

// Malformed rows are errors that name line and column. Caller frees *out.
err rj_problems_read(const char *text, rj_problem **out, int *n);

// The side to move of board `b` attacks; `b` should be set up from the problem already.
void rj_problem_board(const rj_problem *p, rj_board *b);

// Replays a line of fours by the referee's rules alone, not by the patterns it was found with: every move is legal, each of
// the attacker's threatens five, each answer is the only one that does not lose at once, and after the last move none is
// left. `why` gets a sentence when something is wrong.
bool rj_line_wins(const rj_problem *p, const uint16_t *move, int n, char *why, size_t size);

// Replays a line by the referee's rules: every move is legal and none ends the game, except that the attacker's last may.
bool rj_line_legal(const rj_problem *p, const uint16_t *move, int n, char *why, size_t size);

int rj_line_print(int size, const uint16_t *move, int n, char *buf, size_t room); // "h8 i9 …"

#endif
