// Games between agents: the referee, alone or on several threads.
//
// A list of games is played in any order on any number of threads, and each game's result depends on its own numbers
// only: on the match's seed, on its opening and on its id. Nothing here knows ratings, files or schedules; whoever wants
// those hands in a plan (which games) and takes the records as they come.
//
// Two keys, because a pair of games shares its opening but not its players' luck: the game's own chance (Puyo's pairs)
// is keyed (seed, opening), the players' chance (seed, game id). Two copies of `random` would otherwise play the second
// game of a pair as the mirror of the first.
//
// An agent that fails (an engine that crashes, hangs or breaks the rules) loses the game, with its sentence as the
// detail. One that resigns (an engine's answer) has lost, too, whatever the rules of the match say of resigning. Limits (nodes, depth, seconds) are the agents' own parameters.
#ifndef KEIKO_ARENA_MATCH_H
#define KEIKO_ARENA_MATCH_H

#include "agents/agent.h"
#include "arena/openings.h"
#include "stats/results.h"

enum {
    MATCH_MAX_PLIES = 65000, // a game this long is a draw, whatever its rules say
    MATCH_ADJUDICATE = 24,   // empty squares at most; more would take minutes
};

typedef struct match_player {
    const char *name; // for tables; unique in a match
    const char *spec; // as agent_open takes it; not used where `open` is given
    // For agents that need more than a spec (a network shared by threads): called once a worker that needs the player,
    // on that worker's thread. The match closes what it gives with agent_close.
    err (*open)(void *ctx, const game *g, int worker, agent **out);
    void *ctx;
} match_player;

typedef struct match_rules { // zero: every game is played to its end
    int max_plies;           // a draw after this many; 0 = no cap
    int adjudicate;          // with this many empty squares the solver's exact result counts; 0 = never
    double resign;           // a player that gives itself at most this score …
    int resign_moves; // … this many times in a row, while the other agrees, has lost; 0 = unless an agent says so itself
} match_rules;

err match_rules_check(const game *g, const match_rules *r);

typedef struct match_options {
    const game *g;
    const char *settings; // options of the game; NULL or "" = none
    const match_player *players;
    int n_players;
    const openings *set; // NULL: every game begins at the start
    uint64_t seed;
    int threads; // 0 = one per core
    match_rules rules;
    bool no_clock; // measure no times
    int grain;     // games a thread takes at a time; 0 = by the number of games
} match_options;

typedef struct match_game {
    uint64_t id;        // any number, one per game
    uint16_t player[2]; // by seat: index into players
    uint32_t opening;   // taken modulo the set's size; also the key of the game's own chance
    uint32_t pair;      // for whoever reads the record: games of one opening between two players
} match_game;

// Why a game ended: enum reason, or one of these.
enum { MATCH_CAP = 64, MATCH_ADJUDICATED, MATCH_RESIGNED, MATCH_FAILED };
const char *match_reason_name(int why);
const char *match_reason_words(int why); // for people: "by the rules" where a game does not say more
int match_reason_find(const char *name); // -1: there is none

typedef struct match_side {
    uint32_t choices; // moves it was asked for
    uint64_t nodes;
    double seconds; // thinking; 0 with no_clock
    double cpu;     // seconds of CPU time: the thread's, that of threads it used, and an engine's processes
} match_side;

typedef struct match_record {
    match_game what;
    uint8_t halves; // of seat 0: 2 win, 1 draw, 0 loss
    uint8_t reason;
    uint8_t failed; // MATCH_FAILED: the seat that did
    uint16_t plies; // all moves, the opening's counted
    uint16_t opening_plies;
    match_side side[2];
    const move_t *moves; // [plies]
    const char *detail;  // the sentence of a failure, else ""
} match_record;

// Which games: game i of the plan; false = leave it out. Called from several threads at once.
typedef bool match_plan(void *ctx, uint64_t i, match_game *out);
// Finished games, in no order, some at a time; borrowed for the call. Called from several threads at once. False stops
// the match: games under way are given up.
typedef bool match_done(void *ctx, const match_record *r, int n);

// Plays games 0 … n-1 of the plan. ERR_STOPPED after Ctrl-C (base/stop) or when `done` said so; other errors: a player
// cannot be opened, no memory.
err match_run(const match_options *o, uint64_t n, match_plan *plan, match_done *done, void *ctx);

// A replacement for match_run (dist/jobs.h); `own` is its context.
typedef err match_runner(void *own, const match_options *o, uint64_t n, match_plan *plan, match_done *done, void *ctx);

// The plain way, without schedule or store: every pairing of the players plays `pairs` openings, each twice with sides
// swapped. `out` gets the players and the games in order, whatever the threads did; free with results_free.
err match_pairs(results *out, const match_options *o, int pairs);

#endif
