// SGF (Smart Game Format, FF[4]): game records as a tree of nodes with properties, for any game.
//
// The parser knows the format, not the games: it gives back the whole tree with unescaped texts and the place of every
// value, so that a game's own reader can say where a move is wrong. Old files are met half way: text before the first
// game is skipped and lower-case letters in property names are dropped (FF[3]: "GaMe" is GM). Composed values ("aa:cc")
// come as one text. The writer escapes, breaks lines between nodes, and needs no tree.
#ifndef KEIKO_GAMES_SGF_H
#define KEIKO_GAMES_SGF_H

#include "base/err.h"

#include <stddef.h>

typedef struct sgf_value {
    const char *text; // unescaped; a line break is '\n'
    int line, column; // of its '[', from 1
} sgf_value;

typedef struct sgf_prop {
    const char *id;
    const sgf_value *values;
    int n_values; // at least 1
    int line, column;
} sgf_prop;

typedef struct sgf_node {
    const struct sgf_node *parent, *child,
        *next; // child: the first one, which is the main line; next: the next sibling
    const sgf_prop *props;
    int n_props;
    int line, column;
} sgf_node;

typedef struct sgf sgf; // a file: one game or more. Everything in it lives until sgf_free()

err sgf_parse(const char *text, size_t n, sgf **out); // caller frees with sgf_free
void sgf_free(sgf *s);                                // NULL is fine

int sgf_games(const sgf *s);                      // at least 1
const sgf_node *sgf_root(const sgf *s, int game); // 0 … sgf_games() - 1

const sgf_prop *sgf_find(const sgf_node *n, const char *id); // NULL when the node has none
const char *sgf_text(const sgf_node *n, const char *id);     // its first value, or NULL

// An error about a place in the file: "line 3, column 14: …".
err sgf_error(int line, int column, const char *fmt, ...) KEIKO_PRINTF(3, 4);

// --- writing

typedef struct sgf_out { // zero to begin with
    char *text;
    size_t n, room;
    int column;
    int failed; // out of memory; everything after does nothing
} sgf_out;

void sgf_begin(sgf_out *o);                                  // "(": a game, or a variation
void sgf_node_begin(sgf_out *o);                             // ";"
void sgf_put(sgf_out *o, const char *id, const char *value); // a property with its first value
void sgf_put_more(sgf_out *o, const char *value);            // one more value of that property
void sgf_end(sgf_out *o);                                    // ")"
err sgf_take(sgf_out *o, char **text);                       // hands the text over; caller frees
err sgf_print(const sgf *s, char **text);                    // the whole tree again; caller frees

#endif
