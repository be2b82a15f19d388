// keiko: the public C API of libkeiko.
//
// A game is opened by name; a position is an opaque object that you free. Functions that can fail return 0 on success and
// a non-zero code otherwise, and keiko_error() then holds a sentence (per thread). Texts written into a caller's buffer
// are always terminated; the return value is the length that was needed, as with snprintf.
//
// Version rule: KEIKO_API_VERSION grows when something here is added; what is here keeps its meaning until the
// library's major version changes.
#ifndef KEIKO_H
#define KEIKO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KEIKO_API_VERSION 3

const char *keiko_version(void); // "0.1.0"
const char *keiko_build(void);   // the commit it was built from
int keiko_api_version(void);     // of the library that runs, to compare with KEIKO_API_VERSION
const char *keiko_error(void);   // the sentence of this thread's last failure

// --- games
typedef struct keiko_game keiko_game; // borrowed, lives for ever

int keiko_game_count(void);
const keiko_game *keiko_game_at(int i);
const keiko_game *keiko_game_find(const char *name); // NULL and keiko_error() when there is none
const char *keiko_game_name(const keiko_game *g);
const char *keiko_game_title(const keiko_game *g);
int keiko_game_moves(const keiko_game *g);     // size of the move space
int keiko_game_max_legal(const keiko_game *g); // bound on one position's legal moves
int keiko_game_seats(const keiko_game *g);

// --- positions (the referee's view: everything is known)
typedef struct keiko_position keiko_position;

// `options` as in `keiko play --options`, or NULL. All chance follows from (seed, game_number).
int keiko_position_new(const keiko_game *g, const char *options, uint64_t seed, uint64_t game_number,
                       keiko_position **out); // free with keiko_position_free
int keiko_position_parse(const keiko_game *g, const char *text, keiko_position **out);
int keiko_position_copy(const keiko_position *p, keiko_position **out);
void keiko_position_free(keiko_position *p); // NULL is fine

const keiko_game *keiko_position_game(const keiko_position *p);
int keiko_position_seat(const keiko_position *p);                   // whose decision is next
int keiko_position_legal(const keiko_position *p, uint16_t *moves); // room for keiko_game_max_legal; 0 when over
int keiko_position_play(keiko_position *p, uint16_t move);          // refuses an illegal move
int keiko_position_over(const keiko_position *p, double score[2]);  // 1 when over; score may be NULL
uint64_t keiko_position_hash(const keiko_position *p);

// Text that parses back. A game of your own without state_parse reads only "start": keep its moves instead.
int keiko_position_print(const keiko_position *p, char *buf, size_t n);
int keiko_position_draw(const keiko_position *p, int colour, char *buf, size_t n);
int keiko_move_parse(const keiko_position *p, const char *text, uint16_t *move);
int keiko_move_print(const keiko_position *p, uint16_t move, char *buf, size_t n);

// Leaves of the game tree at `depth`; a game that ended earlier counts as one leaf.
uint64_t keiko_position_perft(const keiko_position *p, int depth);

// --- agents
typedef struct keiko_agent keiko_agent;

int keiko_agent_open(const keiko_game *g, const char *spec, keiko_agent **out); // "greedy", "mcts:sims=400"
void keiko_agent_begin(keiko_agent *a, uint64_t seed, uint64_t game_number, int seat);
int keiko_agent_choose(keiko_agent *a, const keiko_position *p, uint16_t *move);
void keiko_agent_saw(keiko_agent *a, const keiko_position *before, uint16_t move); // tell it each move played
void keiko_agent_close(keiko_agent *a);                                            // NULL is fine

// --- sessions (since 3)
//
// One game being played or analysed: a tree of moves with variations, players, opinions, files. A node of the tree is a number,
// 0 the start; the current node is the position. Texts that a function hands out are freed with keiko_text_free(). A session
// is used by one thread at a time, except keiko_session_stop().
typedef struct keiko_session keiko_session;

// `options` and `position` may be NULL; a position's text carries its own options. Both seats are people at first.
int keiko_session_open(const keiko_game *g, const char *options, const char *position, uint64_t seed,
                       keiko_session **out); // free with keiko_session_close
// From a file's text: SGF, GGF, OBF, a puyop address, JSON, keiko's text or a list of moves. `g` may be NULL where the text
// says which game it is.
int keiko_session_import(const keiko_game *g, const char *text, size_t size, keiko_session **out);
void keiko_session_close(keiko_session *s); // NULL is fine
void keiko_text_free(char *text);           // NULL is fine

int keiko_session_seat(keiko_session *s, int seat, const char *player); // "human", an agent or a level
int keiko_session_play(keiko_session *s, const char *move);             // by the seat to move; behind the current node
int keiko_session_think(keiko_session *s);                              // its agent chooses and plays
int keiko_session_back(keiko_session *s);                               // one move; fails at the start
int keiko_session_forward(keiko_session *s); // the way last gone; fails at the end of the line
int keiko_session_goto(keiko_session *s, int node);
int keiko_session_promote(keiko_session *s, int node); // its line becomes the main line
int keiko_session_delete(keiko_session *s, int node);  // with what is behind it
int keiko_session_resign(keiko_session *s, int seat);
void keiko_session_stop(keiko_session *s); // thinking under way answers soon; from any thread

// JSON: the whole state (for a seat 0 or 1: what it may know; -1: everything, which keiko_session_import reads), the best
// `lines` moves, and what each move of the main line cost. `agent` may be NULL: the game's strongest that needs no file.
int keiko_session_json(keiko_session *s, int seat, char **json);
int keiko_session_analyse(keiko_session *s, const char *agent, int lines, char **json);
int keiko_session_review(keiko_session *s, const char *agent, char **json);
int keiko_session_export(keiko_session *s, const char *format,
                         char **text); // "sgf", "ggf", "obf", "puyop", "text", "moves"

// --- a game of your own (since 2)
//
// Two players, nothing hidden, no chance. A state is plain bytes of a fixed size, without pointers, that memcpy copies; keep
// its padding at zero. Functions must not keep anything outside it: several threads call them at once, each on states of
// its own. Members behind `encode` may be NULL or 0. A program compiled against an older version of this header has a
// smaller `size`: the members it does not know count as NULL.
typedef struct keiko_rules {
    size_t size;                                      // sizeof(keiko_rules)
    const char *name;                                 // as it would be typed: "connect4"
    const char *title;                                // for people
    size_t state_size;                                // bytes, at most 65536
    int moves;                                        // moves are 0 … moves-1, at most 65534
    int max_legal;                                    // in any one position
    int rows, cols;                                   // of the network's planes, at most 20 × 20
    int planes, scalars;                              // what `encode` writes
    void (*init)(void *state);                        // the start; the bytes are zero before
    int (*seat)(const void *state);                   // 0 or 1: whose decision is next
    int (*legal)(const void *state, uint16_t *moves); // how many; none exactly when the game is over
    void (*play)(void *state, uint16_t move);         // a legal one
    int (*over)(const void *state, double score[2]);  // 1 when over; scores 1 and 0, or ½ each
    // The position as the seat to move sees it: bit y*cols+x of each plane, in (rows*cols+63)/64 words a plane, all zero
    // before the call; numbers in `scalars`.
    void (*encode)(const void *state, uint64_t *planes, float *scalars);

    uint64_t (*hash)(const void *state); // equal for equal futures; NULL: of the state's bytes
    int cycles;                          // 1: positions can repeat
    int symmetries;                      // 0 or 1: none; else they are numbered from 0, the identity
    void (*symmetry_planes)(int symmetry, const uint64_t *in, uint64_t *out); // all planes of one position
    uint16_t (*symmetry_move)(int symmetry, uint16_t move);
    int (*move_print)(const void *state, uint16_t move, char *buf, size_t n); // as snprintf; NULL: the number
    int (*state_print)(const void *state, char *buf, size_t n);               // NULL: the bytes
    int (*draw)(const void *state, char *buf, size_t n); // a board for a terminal; NULL: state_print
    // (since 3) The state that state_print wrote: 0, or anything else for a text that is no position. The bytes are zero before.
    // It must refuse every text that does not give a position your other functions can handle. NULL: only "start" is read.
    int (*state_parse)(const char *text, void *state);
} keiko_rules;

// Takes the game in: keiko_game_find, agents that play any game (random, mcts, zero), training and matches then know it. The
// rules are tried out by random games first, and what is wrong with them is said in keiko_error(). The texts and functions
// are copied. At most 8 games; register them before other threads use the library. They stay until the program ends.
int keiko_game_register(const keiko_rules *rules, const keiko_game **out);

// --- training (since 2)

typedef struct keiko_progress {
    uint64_t step, games, positions, simulations; // step: training steps; for Puyo, decisions of the learner
    double seconds, loss;                         // of this call; over the last steps
    int rated;                                    // 1: the next three mean something
    double elo, elo_low, elo_high;
} keiko_progress;

typedef struct keiko_training { // zero is the default
    size_t size;                // sizeof(keiko_training)
    const char *run;            // the run's folder, as `keiko train --run`; NULL: nothing is kept
    int resume;                 // continue the run in that folder, with its options; only limits may change
    const char *preset;         // "fast" (NULL), "seed", "strong"; Puyo has none
    const char *config;         // lines "option = value", as `keiko train GAME --help` lists them; NULL = none
    const char *backend;        // "auto" (NULL), "cpu", "cuda"
    int threads;                // 0 = one per core
    uint64_t seed;
    double minutes; // limits; at least one, unless the run that is resumed has one
    uint64_t steps, games;
    const char *model; // write the weights there at the end (.safetensors); NULL: do not
    // After every round, from the calling thread; non-zero ends the training (and saves). May be NULL.
    int (*each)(void *ctx, const keiko_progress *p);
    void *ctx;
} keiko_training;

// Trains a network with the game's own method, AlphaZero or, for Puyo, deep Q-learning, from random weights or from those
// that the option `init` names. A run that was begun by `keiko train` can be resumed here and the other way round. `end` (may
// be NULL) tells where it ended.
int keiko_train(const keiko_game *g, const keiko_training *t, keiko_progress *end);

// --- matches (since 2)

typedef struct keiko_score { // of the first agent
    uint64_t games, wins, draws, losses;
    double score, low, high; // 0 … 1, with its 95 % interval (Wilson's, by games)
} keiko_score;

// `pairs` openings of a few random moves, each played twice with sides swapped. A function of its arguments, whatever the
// threads (0 = one a core), as long as the agents are.
int keiko_match(const keiko_game *g, const char *first, const char *second, int pairs, uint64_t seed, int threads,
                keiko_score *out);

#ifdef __cplusplus
}
#endif

#endif
