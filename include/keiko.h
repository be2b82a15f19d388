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

#define KEIKO_API_VERSION 1

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

int keiko_position_print(const keiko_position *p, char *buf, size_t n); // text that parses back
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

#ifdef __cplusplus
}
#endif

#endif
