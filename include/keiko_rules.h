/**
 * @file keiko_rules.h
 * @brief A game of your own: the struct that describes it.
 *
 * A program hands it to keiko_game_register() (keiko.h). A shared library hands it to `keiko --game-lib` by exporting
 * keiko_plugin(); such a library needs this file only and links nothing.
 *
 * A game has two players, nothing hidden and no chance. A state is plain bytes of a fixed size, without pointers, that
 * memcpy copies; keep its padding at zero. The functions must keep nothing outside the state: several threads call them at
 * once, each on states of its own. Members behind `encode` may be NULL or 0. At most 8 games can be added to a process.
 */
#ifndef KEIKO_RULES_H
#define KEIKO_RULES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Grows when something is added to keiko.h or this file. */
#define KEIKO_API_VERSION 3

/**
 * The rules of a game. A program compiled against an older version of this header has a smaller `size`: the members it does
 * not know count as NULL.
 */
typedef struct keiko_rules {
    size_t size;                                      /**< sizeof(keiko_rules) */
    const char *name;                                 /**< as it is typed: "connect4"; a-z, 0-9 and - */
    const char *title;                                /**< for people */
    size_t state_size;                                /**< bytes, at most 65536 */
    int moves;                                        /**< moves are 0 … moves-1, at most 65534 */
    int max_legal;                                    /**< in any one position */
    int rows, cols;                                   /**< of the network's planes, at most 20 × 20 */
    int planes, scalars;                              /**< what `encode` writes */
    void (*init)(void *state);                        /**< the start; the bytes are zero before */
    int (*seat)(const void *state);                   /**< 0 or 1: whose decision is next */
    int (*legal)(const void *state, uint16_t *moves); /**< how many, in any order; none exactly when the game is over */
    void (*play)(void *state, uint16_t move);         /**< a legal one */
    /** 1 when over, and then the scores 1 and 0, 0 and 1, or ½ each. `score` is never NULL; it is not read while the game
     * goes on. */
    int (*over)(const void *state, double score[2]);
    /**
     * The position as the seat to move sees it: bit y*cols+x of each plane, in (rows*cols+63)/64 words per plane, all zero
     * before the call; numbers in `scalars`.
     */
    void (*encode)(const void *state, uint64_t *planes, float *scalars);

    uint64_t (*hash)(const void *state); /**< equal for equal futures; NULL: of the state's bytes */
    int cycles;                          /**< 1: positions can repeat */
    int symmetries;                      /**< 0 or 1: none; else they are numbered from 0, the identity */
    /** All planes of one position, turned. `out` is zero before the call and is never `in`. */
    void (*symmetry_planes)(int symmetry, const uint64_t *in, uint64_t *out);
    /** Where a symmetry takes a move: a move of the board, not an output of `move_index`. */
    uint16_t (*symmetry_move)(int symmetry, uint16_t move);
    /**
     * As snprintf: writes at most n bytes and returns the length, here 1 to 99. A typed move is compared with the texts of
     * the legal moves, so these must differ, contain no `;` and neither begin nor end with a blank. NULL: the number.
     */
    int (*move_print)(const void *state, uint16_t move, char *buf, size_t n);
    int (*state_print)(const void *state, char *buf, size_t n); /**< as snprintf, one line; NULL: the bytes */
    int (*draw)(const void *state, char *buf, size_t n); /**< as snprintf, lines that end with \n; NULL: state_print */
    /**
     * (since 3) The state that state_print wrote: 0, or anything else for a text that is no position; then `why`, of n
     * bytes, may say what is wrong. The bytes of the state are zero before. It must refuse every text that does not give a
     * position your other functions can handle. NULL: only "start" is read.
     */
    int (*state_parse)(const char *text, void *state, char *why, size_t n);
    /**
     * (since 3) Which output of the network, 0 … moves-1, stands for a move. Where `encode` turns the board for the second
     * player, this turns the move the same way, so that the network sees one side only. It may depend on the seat and the
     * move, and two legal moves must not share an output. NULL: the move itself.
     */
    uint16_t (*move_index)(const void *state, uint16_t move);
    const char *seat_names[2]; /**< (since 3) "Red", "Blue"; NULL: "seat 1", "seat 2" */
    /** (since 3) How a move is typed: an example first, no full stop. "c3: a column and a row". NULL: nothing is said. */
    const char *notation;
    const char *rules; /**< (since 3) how the game is played, for `keiko rules`; NULL: nothing is said */
} keiko_rules;

/**
 * What a game library exports: its games, one per call, i from 0; NULL behind the last. `api_version` is that of the program
 * that loads it. The struct stays the library's; texts and functions must live as long as the process.
 */
const keiko_rules *keiko_plugin(int i, int api_version);

#ifdef __cplusplus
}
#endif

#endif
