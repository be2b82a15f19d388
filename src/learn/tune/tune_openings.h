// Even openings for renju, gomoku and freestyle: lines of a few stones from which neither side is ahead.
//
// What a search says about a line is not what happens in games: black won up to three of four games between equal engines from
// lines that searches called even. So a line is judged by games of the engine against itself. Lines are drawn at random; short
// searches and short games refuse the hopeless ones; the rest play longer games, in which the limit of each search is drawn, so
// that no two games are the same. A line passes when both sides win some. Of those that pass, lines are chosen so that over the
// whole set black's expected score is a half (rj_lines_choose). Everything is a function of the options; threads and
// interruptions change nothing. Only a deadline does: the lines are then chosen from those judged so far.
#ifndef KEIKO_LEARN_TUNE_TUNE_OPENINGS_H
#define KEIKO_LEARN_TUNE_TUNE_OPENINGS_H

#include "base/text.h"
#include "games/renju/renju.h"

enum {
    RJ_LINE_MOST = 8,   // stones of a line
    RJ_LINE_GAMES = 16, // long games per line at most; fewer when its case is clear
    RJ_LINE_LEAST = 5,  // of which each side must score this many
};

typedef struct rj_lines_tune {
    uint64_t seed;
    int threads;                              // 0 = one per core
    int want;                                 // lines per rule
    int batch;                                // lines drawn before the set is tried again, at most 256; 0 = 256
    double effort;                            // multiplies the length of searches; 0 or 1 = as shipped
    double deadline;                          // clock_seconds() from when on no line is begun; 0 = none
    const char *journal;                      // file of the lines judged so far, to continue from; NULL = none
    void (*say)(void *ctx, const char *line); // progress for people; may be NULL
    void *ctx;
} rj_lines_tune;

typedef struct rj_opening {
    uint64_t number; // of the draw
    int n;           // 0: refused before the long games
    uint16_t move[RJ_LINE_MOST];
    float games, black; // long games played, and what black scored in them
} rj_opening;

// `want` lines, no two the same up to the board's symmetry, as text: one per line, moves parted by semicolons. At the deadline
// there may be fewer, and ERR_MISSING when there is none. ERR_STOPPED when a stop was requested; what the journal has is kept.
err rj_tune_openings(const rj_lines_tune *t, int variant, text_buf *out);

// The lines of all rules (text as above) as the C file that holds them, src/games/renju/renju_openings.c.
void rj_openings_write(const char *const lines[RJ_VARIANTS], text_buf *out);

// --- parts

typedef struct rj_lines_prior { // how black's chances are spread over the lines drawn: a beta distribution
    double mean, strength;      // strength: as many games' worth of belief in the mean
} rj_lines_prior;

// The most likely one for these results. Lines that were given up early count too: when a line is given up depends on its
// games only.
rj_lines_prior rj_lines_fit(const rj_opening *lines, int n);
bool rj_line_passed(const rj_opening *o);                             // each side scored RJ_LINE_LEAST
double rj_lines_expect(const rj_lines_prior *p, const rj_opening *o); // black's score in further games

// Chooses up to `want` of the lines that passed, the most even first and so that black's expected score over those chosen stays
// close to a half. Few games per line favour the common kind of line, so the expectation leans to the mean of all lines.
// chosen[i] is an index. Returns how many.
int rj_lines_choose(const rj_opening *lines, int n, int variant, int want, int *chosen);

// The journal: a header with seed and effort, then "renju 17 h8;h9;j7 16 8.5" per line judged (rule, draw, moves, games, black's
// score) and "renju drawn 512" when all draws before are done. A last row without its end is ignored.
err rj_lines_load(const rj_lines_tune *t, int variant, rj_opening **lines, int *n,
                  uint64_t *drawn);         // caller frees lines
err rj_lines_begin(const rj_lines_tune *t); // writes the header if missing
err rj_lines_save(const rj_lines_tune *t, int variant, const rj_opening *o);
err rj_lines_save_drawn(const rj_lines_tune *t, int variant, uint64_t drawn);
void rj_opening_print(int variant, const rj_opening *o, text_buf *out); // "h8;h9;j7"

#endif
