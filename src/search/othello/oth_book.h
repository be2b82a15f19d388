// An opening book of Othello: positions with their best moves and what these are worth, in discs.
//
// A position stands for its eight images: the book holds the smallest of them, and finds any. `keiko tune othello-book` makes
// books; the agent `alphabeta` plays from one where its spec names it (book=FILE). A book is text, a position per line: the
// discs of the side to move and of the other in hexadecimal (bit 0 = a1), then the moves, best first, with their scores:
//   0000000810000000 0000001008000000 d3+0
// `#` begins a comment line.
#ifndef KEIKO_SEARCH_OTH_BOOK_H
#define KEIKO_SEARCH_OTH_BOOK_H

#include "base/err.h"
#include "base/text.h"
#include "games/othello/othello.h"

enum { OTH_BOOK_MOVES = 4 }; // of a position, at most

typedef struct oth_book_move {
    uint8_t sq;
    int8_t score; // discs for the side to move
} oth_book_move;

typedef struct oth_book_entry {
    oth_board b; // the smallest of its images
    int n;
    oth_book_move move[OTH_BOOK_MOVES]; // best first
} oth_book_entry;

typedef struct oth_book {
    oth_book_entry *at;
    int n, room;
    int32_t *slot; // [slots] number of an entry, or -1
    int slots;     // a power of two, or 0
} oth_book;

void oth_book_free(oth_book *k); // its memory; the book is empty then

// The smallest image of a board; *sym maps the board onto it.
oth_board oth_book_image(oth_board b, int *sym);

// The entry of a board that is its own smallest image; -1 = none.
int oth_book_at(const oth_book *k, oth_board image);

// `e->b` is its own smallest image and not in the book yet.
err oth_book_add(oth_book *k, const oth_book_entry *e);

// The moves of any board, best first; 0 = not in the book.
int oth_book_find(const oth_book *k, oth_board b, oth_book_move out[OTH_BOOK_MOVES]);

// Errors name the line. On an error the book is empty.
err oth_book_read(oth_book *out, const char *text);
err oth_book_load(oth_book *out, const char *path);
err oth_book_write(const oth_book *k, text_buf *out);

#endif
