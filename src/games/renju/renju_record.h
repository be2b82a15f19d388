// Records of whole games: SGF (GM[4]) and the plain lists of moves ("h8i9g7…") that renju sites use.
#ifndef KEIKO_GAMES_RENJU_RECORD_H
#define KEIKO_GAMES_RENJU_RECORD_H

#include "games/renju/renju.h"

// The texts of a record, each an SGF property of the first node.
#define RJ_RECORD_TEXTS(X)                                                                                             \
    X(BLACK, "PB")                                                                                                     \
    X(WHITE, "PW")                                                                                                     \
    X(BLACK_RANK, "BR")                                                                                                \
    X(WHITE_RANK, "WR")                                                                                                \
    X(EVENT, "EV")                                                                                                     \
    X(ROUND, "RO")                                                                                                     \
    X(DATE, "DT")                                                                                                      \
    X(PLACE, "PC")                                                                                                     \
    X(GAME_NAME, "GN")                                                                                                 \
    X(RESULT, "RE")

enum {
#define X(name, id) RJ_TEXT_##name,
    RJ_RECORD_TEXTS(X)
#undef X
        RJ_TEXTS
};

typedef struct rj_record {
    int variant;                     // index into rj_variants
    uint64_t setup[2][RJ_MAX_WORDS]; // stones before the first move, by colour
    int first;                       // who moves first
    int n_moves;
    uint16_t move[RJ_MAX_POINTS];     // all legal, the game over at the last one at the earliest
    char *text[RJ_TEXTS];             // NULL where there is none; owned
    char *comment[RJ_MAX_POINTS + 1]; // [0] before the first move, [i] after move i; NULL or owned
    int branches;                     // read: variations that were left out, since only the main line is kept
    int unplayed;                     // read: moves left out because the game was over before them
} rj_record;

// Reads game number `which` (0 the first) of an SGF file. Rule and size come from RU and SZ; where they leave it
// open, `variant` decides. An illegal move is an error that names its line and column. Caller frees with
// rj_record_free.
err rj_record_read(const char *text, size_t n, int which, int variant, rj_record *out);
err rj_record_write(const rj_record *r,
                    char **text);  // SGF; caller frees. The result is filled in when the game is over
void rj_record_free(rj_record *r); // what it owns; the struct is the caller's

// One point as SGF has it, two letters from the top left corner, or as "h8"; returns the characters read, 0 for no point.
int rj_sgf_point(int size, const char *text, int *p);

// The state after the first `plies` moves; a buffer of the table's state_size. An error when the record is no legal
// game.
err rj_record_state(const rj_record *r, int plies, rj_state *out);

// Lists of moves: "h8i9g7", also with blanks, commas or numbers ("1. h8 i9 2. g7") between them. moves[RJ_MAX_POINTS].
// The moves are played from the empty board of the variant, so they are known to be legal.
err rj_moves_parse(int variant, const char *text, uint16_t *moves, int *n);
int rj_moves_print(int variant, const uint16_t *moves, int n, char *buf, size_t size); // "h8i9g7"; as snprintf

#endif
