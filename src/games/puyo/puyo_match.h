// A versus match: two fields, one sequence of pairs, nuisance and clocks. The rules behind the table `game_puyo`.
//
// Time. With timing=frames each player has a clock, the frame at which it can choose again; the earliest chooses next, and
// at a tie player 1 chooses first, its choice held back until player 2 has chosen too. A placement and its chain are
// resolved when it is chosen, and the clock moves to the end of the chain. What remains of that placement, its nuisance
// phase, runs when its owner is the earliest again: the nuisance its chain made is committed to the other player, then what
// is committed to the owner falls (30 at most), and then the spawn cell is looked at. With timing=turns both always choose
// at once, everything falls within the turn, and nuisance made in a turn falls in a later one.
//
// Nuisance. `coming` was made by a chain of the other player that is still running, `pending` is committed and falls after
// the next placement. A chain cancels its owner's pending, then its coming; the rest becomes the other's coming. This is done
// for all links together: going link by link, each cancelling first, leaves the same difference at the end of the chain,
// and neither side's nuisance can fall before that.
//
// An observation is the same struct with everything hidden set to zero: the key, the pairs not shown yet, a held choice.
#ifndef KEIKO_GAMES_PUYO_PUYO_MATCH_H
#define KEIKO_GAMES_PUYO_PUYO_MATCH_H

#include "games/game.h"
#include "games/puyo/puyo.h"

enum { PY_FRAMES, PY_TURNS };
enum { PY_SHOWN = 3, PY_FALL_MAX = 30, PY_ALL_CLEAR = 2100, PY_RATE = 70, PY_LIMIT_MAX = 10000 };
enum { PY_HELD_HIDDEN = 255 };

typedef struct py_side {
    py_field field;
    uint32_t clock;           // frames since the start
    uint32_t placed;          // pairs used, so the index of window[0]
    uint32_t score;           // points for chains, all clears and soft drops
    uint32_t carry;           // of those, not yet turned into nuisance
    uint32_t pending, coming; // nuisance on its way to this side
    uint32_t sent, received;  // totals: made beyond what it cancelled; fallen here. Differences of these are events.
    uint8_t window[PY_SHOWN]; // the current pair and the two next
    uint8_t bonus;            // an all clear waits to be paid with the next chain
    uint8_t due;              // the last placement's nuisance phase is still to come
    uint8_t buried;           // lost
    uint8_t unused[2];
} py_side;

typedef struct py_match {
    py_side side[2];
    py_queue queue;
    uint32_t draws;              // hidden: numbers of the streams used for nuisance columns
    uint16_t limit;              // placements of both together that end the game as a draw
    uint8_t held;                // player 1's choice while player 2 chooses: 0 none, 1 + move, PY_HELD_HIDDEN
    uint8_t viewer;              // 0 in a state, 1 + seat in an observation
    uint8_t timing, lose;        // PY_FRAMES, PY_LOSE_TSU, …
    uint8_t reach, margin, drop; // options that are on or off
    uint8_t unused[7];
} py_match;

err py_match_init(py_match *m, const char *options, game_key k);
int py_match_seat(const py_match *m);
outcome py_match_result(const py_match *m);
uint32_t py_match_legal(const py_match *m); // bits of moves; 0 when the game is over

// What happened to each seat within this call. With both choosing at once, player 1's part comes with player 2's call, so
// whoever wants all of it must use this and not the table's play().
void py_match_play(py_match *m, int move, step_event ev[2]);

// Real time, for timing=frames. Players take longer than steering does: until a player lets its pair rest, the frame at which
// it chose is not known. So a placement comes with the frame at which it rests, which steering may make later, and time
// passes without choices. `ready`, a side's clock while its nuisance phase is not due, is when its pair appeared.
//
// Puts `seat`'s pair down. The seat must be ready by then (py_match_pass), the move legal on its field (py_legal_mask).
// Returns the frame at which all of the pair has landed and its chain begins.
uint32_t py_match_rest(py_match *m, int seat, int move, uint32_t frame, step_event ev[2]);
// It is `frame` and nobody has put down a pair since the last call: runs the nuisance phases that are due by then.
void py_match_pass(py_match *m, uint32_t frame, step_event ev[2]);
// What `seat` knows when it is asked for a placement at its clock, as a state in which it is to move.
void py_match_ask(const py_match *m, int seat, py_match *out);

void py_match_observe(const py_match *m, int seat, py_match *obs);
void py_match_sample(const py_match *obs, rng *r, py_match *m);
uint32_t py_nuisance_rate(uint32_t frame); // points for one nuisance: 70, less and less from 96 s on

err py_match_parse(const char *text, py_match *m);
int py_match_print(const py_match *m, char *buf, size_t n);
int py_match_draw(const py_match *m, bool colour, char *buf, size_t n);
err py_match_options(py_match *m, const char *options); // an empty match with these options

// For a page (puyo_view.c); `m` is an observation.
void py_match_view(const void *m, json_writer *w);
void py_match_view_move(const void *m, move_t move, json_writer *w);
void py_solo_view(const void *s, json_writer *w);
void py_solo_view_move(const void *s, move_t move, json_writer *w);

void py_chain_view(json_writer *w, py_field *f); // "links": what pops and what is left; *f is left settled
void py_placement_view(json_writer *w, py_field f, move_t move, uint8_t pair); // where it lands, then its chain

int py_match_options_print(const py_match *m, char *buf, size_t n); // the options, as init takes them

#define PY_NOTATION                                                                                                    \
    "3r drops the pair in column 3 with its second puyo to the right; u puts that one above, d below, l to the left"

// Shared by the match and solo play: "3u" is column 3 with the sub puyo above; r, d and l right, below and left.
err py_move_parse(const char *text, const py_field *f, uint8_t pair, bool reach, int lose, move_t *m);
int py_move_print(move_t m, char *buf, size_t n);
uint64_t py_hash(const void *bytes, size_t n); // of whole words

#endif
