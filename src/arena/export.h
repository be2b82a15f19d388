// A run as files other programs read: the seed's JSON and CSV with our columns added, SGF, PGN; and results read back.
//
// Exports are a function of the run: with `timing` off, two runs of the same setup give the same bytes, however many
// threads played them and however often they were interrupted.
#ifndef KEIKO_ARENA_EXPORT_H
#define KEIKO_ARENA_EXPORT_H

#include "arena/stored.h"
#include "arena/view.h"

typedef struct export_options {
    bool timing; // also what a clock measured: durations, speeds, the time of the run
    bool lines;  // JSON, CSV: each game's moves
} export_options;

// Where text goes, piece by piece.
typedef struct sink {
    err (*write)(void *ctx, const char *data, size_t n);
    void *ctx;
} sink;
err export_flush(text_buf *t, sink to); // writes the text and empties it

err export_json(const tour_view *v, store *s, const export_options *o, sink to);
err export_ratings_csv(const tour_view *v, const export_options *o, sink to);
err export_games_csv(const tour_view *v, store *s, const export_options *o, sink to);
err export_sgf(const tour_view *v, store *s, const export_options *o, sink to); // Othello and games of stones
err export_pgn(const tour_view *v, store *s, const export_options *o, sink to); // every game

// The game as it was stored, move by move.
err export_replay(const tour_view *v, const match_record *r, stored_see *see, void *ctx);
// The moves as the game writes them, separated by ';'.
err export_line(const tour_view *v, const match_record *r, text_buf *out);

// A game as A and B: A is the one of the two that comes first among the players, whoever moved first.
typedef struct export_pair {
    bool a_first;
    const char *winner; // "A", "B" or "draw"
    const tour_player *player[2];
    const match_side *side[2];
} export_pair;
export_pair export_pair_of(const tour_view *v, const match_record *r);

// Results in the JSON shape above, or in the seed's own, into a new store in memory with one run.
err import_json(store **out, const char *text, size_t size, const char *name);
// A store file, a folder with one (bench.db) or with results.json, or a JSON file. `write` is for store files only.
err import_any(store **out, const char *path);

#endif
