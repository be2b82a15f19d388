// A game in progress with every state since its start: play, take back, look back. Used by whoever referees a game in which
// moves can be taken back (the terminal, protocols); plain matches only need the current state.
#ifndef KEIKO_GAMES_HISTORY_H
#define KEIKO_GAMES_HISTORY_H

#include "games/game.h"

typedef struct history {
    const game *g;
    game_key key;
    char *states;  // [room][state_size]; the start is states[0]
    move_t *moves; // moves[i] leads from state i to state i+1
    int ply, room;
} history;

// Start a game. `position` NULL, "" or "start": the start with `options`; else that text, which carries its own.
err history_begin(history *h, const game *g, const char *options, const char *position, game_key key);
void history_free(history *h); // a zeroed history is fine

void *history_now(const history *h);
void *history_at(const history *h, int ply);
err history_play(history *h, move_t m, step_event *ev); // m must be legal

// The next move of a list, which ';' or line ends separate: copied to buf[n] without blanks around it, *list moves behind it.
// *found is false at the end. `k` counts the moves, for the error about one that is longer than any. Where a move is one square,
// blanks, commas or nothing separate them, too: f5d6c3, as Othello programs write it.
err history_next_move(const game *g, const char **list, int k, char *buf, size_t n, bool *found);

// A list of moves in text, as history_next_move separates them: from text, and back (into a caller's buffer, as snprintf).
err history_play_list(history *h, const char *moves);
int history_print_list(const history *h, char *buf, size_t n);

#endif
