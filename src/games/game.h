// The one interface through which everything else sees a game.
//
// A game is a const table of functions over plain bytes. Glossary:
//   state        the truth, held by the referee; or a sample of it, held by a search. Plain bytes: memcpy copies it.
//   observation  all that an agent or a network ever receives. For a game that hides nothing it *is* the state
//                (same bytes), and `observe` and `sample` are NULL: call game_observe() and game_sample().
//   seat         a player, 0 or 1. The first mover is seat 0. Seats need not alternate: a pass, or Puyo's clocks.
//   move         a small integer, 0 … n_moves-1, in the board's own coordinates, the same for both seats.
//   key          all chance in a game is a function of its key and of a draw counter inside the state.
//   head         a policy output. A move's logit is the sum over heads of logit[head][index(move, head)].
//   encoding     a way to lay an observation out for a network: bit planes, then scalars (each a constant plane).
//
// Strong engines work on their game's own core (othello/othello.h, …) with make/unmake, not through this table.
#ifndef KEIKO_GAMES_GAME_H
#define KEIKO_GAMES_GAME_H

#include "base/err.h"
#include "base/json.h"
#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint16_t move_t;
#define MOVE_NONE ((move_t)0xffff)

typedef struct game_key {
    uint64_t run, game;
} game_key;

// Why a game ended. Names for people: reason_name().
typedef enum reason {
    REASON_NONE = 0,
    REASON_LINE,       // three, five or more in a row
    REASON_FORBIDDEN,  // renju: black played a forbidden point
    REASON_FULL,       // no empty square is left
    REASON_DISCS,      // Othello: nobody can move, discs are counted
    REASON_GOAL,       // Contrast: a piece reached the far row
    REASON_STUCK,      // the player to move has no legal action
    REASON_REPETITION, // the same position too often
    REASON_PLIES,      // the game's own ply limit
    REASON_BURIED,     // Puyo: the spawn cell is occupied
    REASON_COUNT
} reason;

typedef struct outcome {
    bool over;
    uint8_t reason; // enum reason
    float score[2]; // per seat: 1 win, 1/2 draw, 0 loss. One-seat games: score[0] is the game's own points.
} outcome;

// What one play() did, for rewards, logs and the page. Board games leave it all zero.
typedef struct step_event {
    int seat;           // who moved
    int chain;          // Puyo: links fired
    int points;         // points won by this move
    int sent, received; // nuisance committed to the opponent; nuisance that landed on the mover
    int frames;         // game time the move took
    bool all_clear;
} step_event;

enum {
    G_HIDDEN = 1,       // observation differs from state
    G_CHANCE = 2,       // play() may draw from the key
    G_SIMULTANEOUS = 4, // a seat may decide without seeing the other's decision of the same moment
    G_CYCLES = 8,       // positions can repeat
};

// GAME_TEXT bounds every text form, with its NUL; GAME_MAX_WORDS the words of a plane.
enum { GAME_MAX_HEADS = 4, GAME_MAX_SYMS = 8, GAME_TEXT = 4096, GAME_MAX_WORDS = 16 };

// One network layout. Bit planes: [planes][words] with words = (rows*cols + 63) / 64; bit y*cols+x, y = 0 the top row.
// A seat sees the board from its own side where the game says so. Scalars follow the planes as constant planes.
typedef struct encoding {
    const char *name;
    int planes, scalars;
    void (*encode)(const void *const *obs, int n, uint64_t *bits, float *scalars); // bits[n][planes][words]
    // What the planes and then the scalars show, separated by ';'. "x#8" stands for eight: "x 1" … "x 8". NULL: not said.
    const char *shows;
} encoding;

// Which struct a state's bytes are. Engines written for one game's core ask for it, so that a variant of the same core
// is played by them too.
typedef enum game_core {
    CORE_NONE,    // only this table knows the state
    CORE_OTHELLO, // oth_state
    CORE_CONTRAST,
    CORE_STONES, // rj_state: renju and gomoku
    CORE_PUYO,
    CORE_PUYO_SOLO,
    GAME_CORES
} game_core;

typedef struct opening_name { // what people call an opening
    const char *en, *ja;
} opening_name;

// Where games of a match begin (arena/openings.h). NULL or zero: lines of two random moves.
typedef struct game_openings {
    int plies;             // length of a random line
    const char *even;      // a fixed set of even lines, as in a file of openings; NULL: random lines are evaluated
    bool named_first;      // `auto` takes the named ones first
    const char *evaluator; // agent that says how even a line is
    double slack;          // the mover's expected score must lie this near to a half
    const char *named;     // lines as in a file of openings; NULL = none
    bool (*name)(const move_t *m, int n, opening_name *out); // of a game's first moves; false: it has none. May be NULL
} game_openings;

// What other programs call the game and how they write it. NULL or zero: they do not know it.
typedef struct game_formats {
    int sgf;                                        // its number in SGF (GM); Black moves first in these games
    const char *sgf_rules;                          // RU; NULL = none
    const char *gtp;                                // its name in `set_game`; NULL = our name
    const char *gomocup;                            // its number in `INFO rule`; NULL = Gomocup does not know it
    int (*ggf)(const void *s, char *buf, size_t n); // the position as a GGF record, for NBoard; as snprintf
} game_formats;

typedef struct game_seat {
    const char *name;        // "Black"
    const char *mark, *tint; // its piece in draw(), plain and in colour; NULL: no single one
} game_seat;

typedef struct game {
    const char *name;    // as typed on the command line
    const char *also;    // another name that is understood there; NULL = none
    const char *title;   // for people
    const char *options; // help for init's options: "key=value: what; …"; "" when there are none
    const char *rules;   // the page of docs/rules that explains it; NULL: the page of its own name
    const char *text;    // what explains it where there is no page: a game that another program brings; else NULL
    uint32_t flags;      // G_*
    uint32_t state_size, obs_size;
    int n_seats;            // 2; 1 for a one-player game
    game_seat seats[2];     // what people call them; all NULL: game_seat_name() says "seat 1"
    const char *notation;   // how a move is typed: an example, then words, no full stop; NULL: none
    int n_moves, max_legal; // size of the move space; bound on one position's moves
    int rows, cols;         // of the network planes
    int n_encodings;        // encodings[0] is the default
    const encoding *encodings;
    int n_heads, head_dim[GAME_MAX_HEADS];
    int n_syms; // symmetry 0 is the identity
    game_core core;
    const game_openings *openings; // may be NULL
    const game_formats *formats;   // may be NULL

    // state
    err (*init)(void *s, const char *options, game_key k); // options: "key=value,…" or ""
    int (*seat)(const void *s);                            // whose decision is next; 0 when the game is over
    int (*legal)(const void *s, move_t *out);              // ascending; 0 exactly when the game is over
    void (*play)(void *s, move_t m, step_event *ev);       // m must be legal; ev may be NULL
    outcome (*result)(const void *s);
    uint64_t (*hash)(const void *s); // equal for equal futures; includes what the draw rules need

    // knowledge
    void (*observe)(const void *s, int seat, void *obs); // NULL: the observation is the state
    void (*sample)(const void *obs, rng *r, void *s);    // a state consistent with obs. NULL: a copy

    // The final margin for a seat, -1 … 1 (Othello: disc difference / 64). NULL: the game knows wins and draws only.
    float (*margin)(const void *s, int seat);
    // Who holds each square: bit planes [words] of seat 0 and seat 1. NULL: squares have no owners that a network could learn.
    void (*owners)(const void *s, uint64_t *first, uint64_t *second);

    // for searches; NULL: nothing is known at a glance
    // Of the n legal moves one that is seen to win at once, or MOVE_NONE; may miss wins that are expensive to detect.
    move_t (*win)(const void *s, const move_t *m, int n);

    // network side
    void (*heads)(const void *obs, const move_t *m, int n, uint16_t *index);           // index[n][n_heads]
    void (*sym_planes)(int sym, const encoding *e, const uint64_t *in, uint64_t *out); // one position; in != out
    move_t (*sym_move)(int sym, move_t m);

    // text. Printers return the length without NUL, as snprintf; a buffer of GAME_TEXT always suffices.
    err (*move_parse)(const void *obs, const char *text, move_t *m); // refuses an illegal move with the reason
    int (*move_print)(const void *obs, move_t m, char *buf, size_t n);
    err (*state_parse)(const char *text, void *s); // `s` is written only on success
    int (*state_print)(const void *s, char *buf, size_t n);
    // A board for a terminal, with a final newline. `last`, the move that led here, is marked where the game can show it;
    // MOVE_NONE: none.
    int (*draw)(const void *obs, move_t last, bool colour, char *buf, size_t n);

    // for a page: members of a JSON object that is open. NULL: there is only the text
    void (*view)(const void *obs, json_writer *w);                // the board
    void (*view_move)(const void *obs, move_t m, json_writer *w); // what a legal move does, step by step

    // speed. NULL: game_perft() goes through this table
    uint64_t (*perft)(const void *s, int depth); // the same count on the game's own core
} game;

// The games, in the order `keiko games` lists them.
int game_count(void);
const game *game_at(int i);
err game_find(const char *name, const game **out);

// One more, behind the built-in ones: a program that brings its own. `g` is borrowed for ever. Before other threads look.
enum { GAME_MORE = 8 };
err game_register(const game *g);

const char *reason_name(int reason);
const char *reason_words(int reason); // for people: "by the rules" where a game does not say more

// "Black (X)", "player 2", "seat 1"; `buf` holds it and is handed back.
enum { GAME_SEAT_TEXT = 48 };
char *game_seat_name(const game *g, int seat, bool colour, char buf[GAME_SEAT_TEXT]);

// Helpers that hold for every game.
void game_observe(const game *g, const void *s, int seat, void *obs);
void game_sample(const game *g, const void *obs, rng *r, void *s);
int game_plane_words(const game *g);
err game_encoding(const game *g, const char *name, const encoding **out); // NULL or "" = the default

// What plane or, behind the planes, scalar i shows: "own discs"; "" where nothing is said. As snprintf.
int game_plane_name(const encoding *e, int i, char *buf, size_t n);

// planes[planes + scalars][rows][cols] as floats, from what encode() wrote for one position.
void game_unpack(const game *g, const encoding *e, const uint64_t *bits, const float *scalars, float *planes);

// Leaves at `depth`; a game that ended earlier counts as one leaf. Through the table, so slow and trustworthy; g->perft,
// where there is one, must give the same.
uint64_t game_perft(const game *g, const void *s, int depth);

// Play uniformly random legal moves until the game is over or `max_plies` are played; returns the plies played.
int game_random_playout(const game *g, void *s, rng *r, int max_plies);

// Parse "key=value,key=value" into callbacks; refuses malformed text. `set` returns ERR_USAGE for an unknown key.
err game_options(const char *text, err (*set)(void *ctx, const char *key, const char *value), void *ctx);

#endif
