// Files of labelled Puyo games: what a strong player thinks of every placement of every position.
//
// A game is a function of its key, so its moves are enough to make every position again; beside each move stands what the
// teacher thinks of all placements. That is some ten bytes per position in the file, so that millions fit into what can be
// carried between machines. The parts:
//   head    magic, then the text of the settings ("game = puyo-solo\nteacher = …"), with a checksum
//   block   some games in a row, packed with zstd where that library was there, with a checksum of its own
// A label is a shortfall: how many thousandths of the best placement's value are missing, 0 = the teacher's choice, 255 = so many
// or more, or the placement loses.
// Blocks are appended whole, so a file that was cut off by a crash loses its last block only, and labelling goes on behind
// the last whole one. The reader trusts nothing: sizes, checksums, and by playing the games every move and number.
#ifndef KEIKO_LEARN_DISTIL_LABELS_H
#define KEIKO_LEARN_DISTIL_LABELS_H

#include "base/text.h"
#include "eval/puyo_after.h"

enum { LABEL_WORST = 255, LABEL_UNIT = 1000, LABEL_POINTS = 16 };

// One decision of a game.
typedef struct label_turn {
    uint8_t move;                    // as played: need not be the teacher's choice
    uint8_t n;                       // placements that have labels, in the order of moves; 0 = not labelled
    uint16_t value;                  // of the teacher's choice, in 16 points
    uint8_t shortfall[PY_MAX_LEGAL]; //
} label_turn;

// --- writing

typedef struct label_head {
    char game[32];     // "puyo-solo" or "puyo"
    char options[256]; // of its rules
    uint64_t seed;     // games have the keys {seed, 0}, {seed, 1}, …
    char how[1024];    // teacher, player and noise: for people, and so that a file is not continued by other settings
} label_head;

typedef struct label_end { // where a file ends
    uint64_t games, positions;
    uint64_t size; // bytes up to the end of its last whole block
} label_end;

// Makes the file, or finds the end of the one that is there and cuts off what is behind its last whole block. Other
// settings than the file's are an error.
err labels_open(const char *path, const label_head *h, label_end *end);

// A block being filled.
typedef struct label_block {
    text_buf raw;
    uint32_t games, positions;
} label_block;
void label_block_add(label_block *b, const label_turn *turns, int n); // one game
err labels_append(const char *path, const label_block *b, label_end *end);
err labels_head_bytes(const label_head *h, text_buf *out);                   // the parts of a file, appended
err labels_block_bytes(const label_block *b, uint64_t first, text_buf *out); // first: number of its first game

// --- reading

typedef struct label_sample { // one labelled position, as it lies in memory
    after_position at;
    uint32_t game;  // number in its file
    uint16_t value; // in 16 points
    uint8_t n;
    uint8_t shortfall[PY_MAX_LEGAL];
} label_sample;

typedef struct label_set {
    label_sample *sample;
    size_t n, room;
} label_set;

// Appends the positions of a file, at most `most` in the set (0 = all). `head` may be NULL. A damaged or cut-off end is left out
// with a warning in the log; anything else that is wrong is an error.
err labels_read(label_set *s, const char *path, size_t most, label_head *head);
err labels_parse(label_set *s, const void *data, size_t size, size_t most, label_head *head, size_t *used);
void label_set_free(label_set *s);

#endif
