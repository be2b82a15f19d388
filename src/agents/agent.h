// Players by name. An agent receives observations and answers with moves; it never sees the referee's state.
//
// A spec is NAME[:key=value,…] ("random", "mcts:sims=400"); a level of agents/levels.h is one, too ("hard", "7:depth=3").
// One row per kind of player (agents/list.h); each row's parameters are an option table, so that `keiko agents`, errors
// and config files all know them. An agent plays one game at a time and owns whatever it needs between moves (a tree, a
// process). Its choices are a function of its parameters, the game key given to agent_begin and what it has seen: never of
// threads or the clock, unless a time limit is asked for.
#ifndef KEIKO_AGENTS_AGENT_H
#define KEIKO_AGENTS_AGENT_H

#include "base/opt.h"
#include "base/stop.h"
#include "games/game.h"

typedef struct agent agent;

enum { AGENT_LINE = 24 };

typedef struct agent_choice {
    move_t move;
    bool resigns;   // it gives the game up; agent_choose then also returns an error, for callers that know no resigning
    float value;    // expected score of the mover, 0 … 1; negative when the agent has no opinion
    uint64_t nodes; // positions looked at; analysing with a tree: behind this move
    int depth;      // plies, 0 = does not apply
    bool has_margin;
    float margin; // by how much the mover is expected to win, in the game's own unit (Othello: discs)
    bool has_prior;
    float prior; // what the network thought of the move before the search, 0 … 1
    int n_line;  // moves in `line`, the line of play that begins with `move`; 0 = none is known
    move_t line[AGENT_LINE];
    char text[200]; // a sentence or a line of play for people; "" = nothing to say
} agent_choice;

// A clocked game. Zero = no clock: the agent's own limits (nodes, simulations, depth) decide alone.
typedef struct agent_clock {
    double left;    // seconds left on the clock, or for `moves_left` moves
    int moves_left; // moves to be made in that time, 0 = the rest of the game
    double turn;    // at most this many seconds for this move
} agent_clock;

// Somebody who waits for an agent's answer. Everything may be NULL.
typedef struct agent_watch {
    stop_ask stop;                                             // true: answer now, with what is known
    void (*lines)(void *ctx, const agent_choice *best, int n); // the best moves so far, as analyse() would give them
    void *ctx;                                                 // of lines
} agent_watch;

typedef struct agent_type {
    const char *name;
    const char *summary;
    const char *games; // "" = every game; else names separated by spaces
    const opt *opts;   // parameters
    int n_opts;
    size_t params_size, mind_size; // the parameter struct; what an instance remembers, zeroed at open
    err (*open)(agent *a);         // may be NULL
    void (*close)(agent *a);       // may be NULL
    void (*begin)(agent *a);       // a new game starts; may be NULL
    err (*choose)(agent *a, const void *obs, agent_choice *out);
    // The `want` best moves, best first, each with value and line of play; *n are found. NULL: only choose() is there.
    err (*analyse)(agent *a, const void *obs, int want, agent_choice *out, int *n);
    void (*saw)(agent *a, const void *obs_before, move_t m); // a move was played by the seat to move there; may be NULL
    // Seconds of CPU time that it has used so far outside this process; NULL: all its work is done by the calling thread.
    double (*cpu)(agent *a);
    // The parameters with which nothing that ships is stronger in its games at about a second per move ("ms=1000"): what
    // `ai` means there. NULL: a network is stronger, or another agent.
    const char *strongest;
} agent_type;

// Inside the initialiser of a type: its name, its games ("" = all), and what `keiko agents` says of it.
#define NAMED(agent_name, its_games, words) .name = agent_name, .games = its_games, .summary = words

// Its parameters, what an instance holds, and its life: who makes it, begins a game with it and frees it. Inside the
// initialiser of its type.
#define WITH_MIND(rows, params_type, mind_type, open_mind, begin_mind, close_mind)                                     \
    WITH_OPTS(rows), .params_size = sizeof(params_type), .mind_size = sizeof(mind_type), .open = open_mind,            \
                     .begin = begin_mind, .close = close_mind

struct agent {
    const agent_type *type;
    const game *g;
    const void *params;
    void *mind;
    game_key key; // of the current game
    int seat;
    uint32_t turn; // choices made in this game
    agent_clock clock;
    const agent_watch *watch; // borrowed; NULL = nobody
    char spec[1024];          // room for the path of a model
    opt_values *keep;         // owns the texts in params
    void *lent;               // by agent_open_with, else NULL
};

int agent_type_count(void);
const agent_type *agent_type_at(int i);
bool agent_type_plays(const agent_type *t, const game *g);
const agent_type *agent_strongest(const game *g); // the one whose row says so (`strongest`); NULL: none does
const char *agent_default(const game *g);         // the strongest for the game that needs no file: "alphabeta", …

const char *agent_behind_name(const char *text); // of "NAME=AGENT" what stands behind the '='; without a name, `text`
err agent_open(agent **out, const game *g, const char *spec); // caller frees with agent_close
err agent_check(const game *g, const char *spec);             // the spec alone: files that it names are not opened
// The same for an agent that is lent what it would otherwise open itself: `zero` an evaluator (eval/eval.h), for networks that
// lie in memory. Borrowed until agent_close.
err agent_open_with(agent **out, const game *g, const char *spec, void *lent);
void agent_close(agent *a); // NULL is fine
void agent_begin(agent *a, game_key key, int seat);
err agent_choose(agent *a, const void *obs, agent_choice *out);                    // the game must not be over
err agent_analyse(agent *a, const void *obs, int want, agent_choice *out, int *n); // want >= 1; *n may be less
void agent_saw(agent *a, const void *obs_before, move_t m);

// Seconds this move may use, 0 = no limit: an even share of the clock, as if `to_come` moves were to come, less a tenth for the
// way between us and the clock; `own`, the agent's own limit (0 = none), if that is less.
double agent_seconds(const agent *a, double own, int to_come);

// The line of play of a choice, as far as there is room.
void agent_set_line(agent_choice *c, const move_t *line, int n);

// Was the parameter written in the spec? A limit that was not gives way to a clock.
bool agent_given(const agent *a, const char *name);
bool agent_has_clock(const agent *a);

// What the watcher wants and hears; `agent_stop_of` is for the limits of a search.
const stop_ask *agent_stop_of(const agent *a);
bool agent_stopped(const agent *a);
bool agent_watched(const agent *a); // does anybody want lines?
void agent_tell_lines(const agent *a, const agent_choice *best, int n);

// The stream for this choice: keyed (run, game, seat and turn).
rng agent_rng(const agent *a);

#endif
