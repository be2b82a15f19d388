// Game records, and GGF, the text in which Othello servers and programs exchange them.
//
//   (;GM[Othello]PC[club]PB[Ann]PW[Ben]TI[15:00]TY[8]RE[+4.000]BO[8 ---…O*---*O---… *]B[f5//0.51]W[d6/-1.20/3.00]…;)
//
// A file is any text with such games in it. A move is `square/evaluation/seconds`, the latter two optional. Tags not
// named here are skipped. Numbers are kept in thousandths, so that reading and writing give them back exactly.
#ifndef KEIKO_GAMES_OTH_GGF_H
#define KEIKO_GAMES_OTH_GGF_H

#include "games/othello/othello.h"

// The texts of a record: TEXT(tag, member), in the order they are written.
#define OTH_RECORD_TEXTS(TEXT)                                                                                         \
    TEXT("PC", place)                                                                                                  \
    TEXT("DT", date)                                                                                                   \
    TEXT("PB", black)                                                                                                  \
    TEXT("PW", white)                                                                                                  \
    TEXT("RB", black_rating)                                                                                           \
    TEXT("RW", white_rating)                                                                                           \
    TEXT("TI", clock)                                                                                                  \
    TEXT("TY", type) /* "8", or a server's name of a variant */

enum {
    OTH_RECORD_TEXT = 96,   // bytes of a text, with its NUL
    OTH_RECORD_MOVES = 128, // any legal sequence fits: a disc needs an empty square, a pass is followed by a disc
    OTH_GGF_TEXT = 8192,    // room for any record in GGF, with its NUL
};

typedef struct oth_record_move {
    uint8_t sq; // or OTH_PASS
    bool has_eval, has_time;
    int32_t eval; // thousandths of a disc, as the mover saw it
    int32_t time; // milliseconds
} oth_record_move;

typedef struct oth_record {
#define TEXT(tag, member) char member[OTH_RECORD_TEXT]; // "" = not given
    OTH_RECORD_TEXTS(TEXT)
#undef TEXT
    oth_state start;
    int n;
    oth_record_move moves[OTH_RECORD_MOVES]; // each legal after the ones before it
    bool has_result;
    int32_t result; // thousandths of a disc, black's minus white's
    char ended;     // how, as servers write it: 'r' resigned, 't' out of time, 's' agreed; 0 = played out
} oth_record;

// An empty record that begins at `start`, or at the usual position when that is NULL.
void oth_record_init(oth_record *r, const oth_state *start);

// The position before move `ply`, 0 <= ply <= r->n.
oth_state oth_record_at(const oth_record *r, int ply);

// Appends a legal move; `s` is the position so far (oth_record_at(r, r->n)) and is played on.
void oth_record_push(oth_record *r, oth_state *s, oth_record_move m);

// The next game in text[*at…]; *at moves behind it. *found is false when there is none. After an error *at stands
// behind the broken game, so that the caller may go on. `out` is written only on success.
err oth_ggf_next(const char *text, size_t *at, oth_record *out, bool *found);

int oth_ggf_print(const oth_record *r, char *buf, size_t n); // as snprintf, one line without its end
int oth_ggf_position(const void *s, char *buf, size_t n);    // an oth_state as a record without moves

#endif
