// An opening book of Othello (search/othello/oth_book.h) by self-play.
//
// Each game follows the book from the start, good moves more often than others, to a position that is not in it. That
// position is searched and added with its best moves; then what the book knows of its end is carried back to the start. So the book
// grows where good play leads. Everything follows from the seed: games are walked in rounds, searches start from an empty
// table, threads change nothing.
#ifndef KEIKO_LEARN_TUNE_BOOK_OTHELLO_H
#define KEIKO_LEARN_TUNE_BOOK_OTHELLO_H

#include "base/pool.h"
#include "base/progress.h"
#include "search/othello/oth_book.h"
#include "search/othello/oth_eval.h"

typedef struct book_options {
    uint64_t seed;
    int positions;              // wanted; fewer when games lead nowhere new
    int depth;                  // plies of each search
    const oth_weights *weights; // borrowed
    pool *threads;              // NULL: one
    progress *bar;              // NULL: none
} book_options;

err book_othello(const book_options *o, oth_book *out); // caller frees with oth_book_free

#endif
