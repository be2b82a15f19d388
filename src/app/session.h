// One game being played or analysed: a tree of moves, who sits where, clocks, opinions, and texts in and out.
//
// Everything that lets people or programs play a game (the terminal, GTP, NBoard and Gomocup, the C API, the server, the page)
// is a few lines over this. It reads no file and prints nothing. It includes nothing above agents/, so that the
// browser build can link it.
//
// The game is a tree of nodes, numbered from 0, the start. A node has the move that led to it and the state after it; its
// first child continues the main line, its other children are variations. One node is the current one. A node's number
// stays the same until it is deleted, after which a later node may get it.
//
// Agents learn the game only by agent_begin() and agent_saw(). A session tells each agent every move of the current line
// exactly once, when the agent is next asked; after a jump to another line the agent begins again from the start.
//
// A session is used by one thread at a time. Only session_stop() may be called from anywhere, at any time.
#ifndef KEIKO_APP_SESSION_H
#define KEIKO_APP_SESSION_H

#include "agents/agent.h"
#include "base/json.h"
#include "base/text.h"
#include "games/game.h"

typedef struct session session;

typedef struct session_setup {
    const game *g;
    const char *options;  // of the game; NULL or "" = none
    const char *position; // NULL, "" or "start" = the start with `options`; else a text that carries its own
    game_key key;
} session_setup;

err session_open(session **out, const session_setup *o); // caller frees with session_close
void session_close(session *s);                          // NULL is fine
// Another game in the same session: a new tree. Seats, clocks and the watcher stay. On an error nothing has changed.
err session_restart(session *s, const session_setup *o);

const game *session_game(const session *s);

// --- the tree

enum { SESSION_NONE = -1 }; // no node

// What was thought of a position, by whoever looked last; for the seat to move there.
typedef struct session_opinion {
    float value; // expected score, 0 … 1; negative = nothing is known
    bool has_margin;
    float margin;
    int depth;
    uint64_t nodes;
} session_opinion;

typedef enum session_mark { MARK_NONE, MARK_DUBIOUS, MARK_MISTAKE, MARK_BLUNDER, MARK_GOOD } session_mark;
const char *session_mark_text(session_mark m); // "", "?!", "?", "??", "!"

typedef struct session_node {
    int parent, child, next; // SESSION_NONE where there is none; child: the first, next: the next sibling
    int visited;             // the child last gone to, which session_forward() takes; SESSION_NONE = the first
    int ply;                 // 0 at the start
    move_t move;             // that led here; MOVE_NONE at the start
    step_event event;        // what it did
    session_opinion opinion; // of the position here
    session_mark mark;       // of the move
    double seconds;          // it took; negative = not known
    char *comment;           // owned; NULL = none
} session_node;

int session_at(const session *s); // the current node
const session_node *session_node_of(const session *s,
                                    int node);            // NULL: there is no such node. Borrowed until the next change
const void *session_state(const session *s, int node);    // the referee's; borrowed as above
const void *session_seen(session *s, int node, int seat); // what the seat may know; borrowed until the next call
int session_ply(const session *s);                        // of the current node
bool session_opening(const session *s, opening_name *out); // of the line to the current node; false: it has no name
int session_seat(const session *s);                        // whose decision is next at the current node
int session_legal(const session *s, move_t *moves);        // room for max_legal; 0 when the game is over
outcome session_outcome(const session *s);                 // by the rules, at the current node

// The move becomes a child of the current node, which it becomes itself; an existing child is used again. Refuses an illegal
// move, and any move once the game is over. `ev` may be NULL.
err session_play(session *s, move_t m, step_event *ev);
err session_play_text(session *s, const char *move); // in the game's notation
err session_play_list(session *s, const char *list); // separated by ';' or line ends

err session_goto(session *s, int node);
bool session_back(session *s);                  // one move; false at the start
bool session_forward(session *s);               // along the line last looked at, else the main line; false at its end
bool session_undo(session *s, int seat);        // before this seat's last decision; false when it has made none
bool session_redo(session *s, int seat);        // the other way
int session_main_end(const session *s);         // last node of the main line
int session_main_at(const session *s, int ply); // node of the main line; SESSION_NONE beyond its end
err session_promote(session *s, int node);      // makes the line through it the main line
err session_delete(session *s, int node);       // with everything behind it; the start cannot be deleted
err session_set_comment(session *s, int node, const char *text);
err session_set_mark(session *s, int node, session_mark m);
err session_set_opinion(session *s, int node, const session_opinion *o);

int session_move_text(session *s, int node, char *buf, size_t n);                     // the move that led to `node`; ""
int session_choice_text(session *s, move_t m, char *buf, size_t n);                   // a move at the current node
int session_draw(session *s, int node, int viewer, bool colour, char *buf, size_t n); // `viewer`: a seat

// --- seats

enum { SESSION_SPEC = 1024 };
// "human", an agent's spec or a level; the agent is opened at once. The seat keeps its agent when this fails.
err session_seat_player(session *s, int seat, const char *spec);
// The same, but the agent is opened when it is first asked; only its spec is checked now.
err session_seat_later(session *s, int seat, const char *spec);
void session_rest(session *s); // closes all agents and frees what they hold; each is opened again when it is next asked
const char *session_seat_spec(const session *s, int seat); // "human" at first
const char *session_seat_wish(const session *s, int seat); // who sat there by the record that was read; "" = not said
bool session_seat_is_person(const session *s, int seat);
const agent *session_seat_agent(const session *s, int seat); // NULL: a person, or not open
// A name for records; by default the spec.
err session_set_name(session *s, int seat, const char *name);
const char *session_name(const session *s, int seat);

// `ai` as a spec: the network `model`; where it is NULL and `sims` 0, the strongest agent by measurement; where only `sims` is
// given, the network that ships for the game. `sims`: simulations per move, 0 = the agent's own. `note` gets a sentence for
// people when `sims` has no effect, else "".
err session_ai_spec(const game *g, const char *model, int64_t sims, char *spec, size_t n, char *note, size_t note_size);

// --- thinking

// Who hears of thinking and may stop it. Borrowed; NULL = nobody.
void session_watch(session *s, const agent_watch *w);
void session_stop(session *s);    // the thinking under way, if any, answers soon. Any thread, or a callback
bool session_stopped(session *s); // was the last thinking cut short?

// The agent of the seat to move, or for a person the helper, chooses; nothing is played. The seat's clock runs on until a
// move is played.
err session_think(session *s, agent_choice *out);
// think and play in one: the agent's move becomes part of the game, with its opinion and seconds. If it resigns instead
// (out->resigns), the game is over.
err session_think_play(session *s, agent_choice *out, step_event *ev);

// The helper: an agent that looks on. NULL or "" = the game's strongest that needs no file.
err session_set_helper(session *s, const char *spec);
const char *session_helper(const session *s);
const agent *session_helper_agent(const session *s); // NULL before it was set or asked
// The helper's `want` best moves at the current node, best first. The first is kept as the node's opinion.
err session_analyse(session *s, int want, agent_choice *out, int *n);

// Moves of the current node with their values, as `keiko analyse --json` prints them.
void session_lines_json(session *s, const agent_choice *c, int n, json_writer *w);

// --- clocks

typedef struct session_clock {
    double main;      // seconds for all moves; 0 = none
    double increment; // seconds added after each move
    double period;    // overtime: seconds for each `period_moves` moves once `main` is used up
    int period_moves; // 0 = no overtime
    double turn;      // most seconds per move; 0 = no such limit
    // now
    double left;    // of main, or of the period
    int moves_left; // in this period; 0 = still in main time
    bool told;      // somebody else keeps this clock and says what is left: it does not run here
} session_clock;

// Sets a clock to its start: left = main or the first period. Zeroed: no clock.
void session_set_clock(session *s, int seat, const session_clock *c);
void session_tell_clock(session *s, int seat, double left, int moves_left); // by who keeps it
const session_clock *session_clock_of(const session *s, int seat);
bool session_has_clock(const session *s, int seat);
// Runs the seat's clock for one decision. False: out of time.
bool session_spend(session *s, int seat, double seconds);

// --- the end

typedef enum session_end {
    END_NONE,     // the game goes on
    END_RULES,    // by the rules; see outcome
    END_RESIGNED, // somebody gave up
    END_TIME,     // out of time
    END_FAILED,   // an agent failed
    END_IMPORTED, // a record says so
} session_end;

typedef struct session_result {
    session_end end;
    int loser;      // of the last three; SESSION_NONE = a draw
    float score[2]; // 1, 1/2, 0; one-seat games: the points
    uint8_t reason; // END_RULES: enum reason
} session_result;

session_result session_result_of(const session *s); // at the current node
err session_resign(session *s, int seat);
err session_fail(session *s, int seat);      // its agent failed
err session_flag(session *s, int seat);      // its time is over, by a clock that is kept elsewhere
void session_forget_end(session *s);         // resignation and the like; done by going back, too
const char *session_end_name(session_end e); // "resigned"
// "Black (X) wins (line)", "a draw (full)", "unfinished"
void session_result_text(const session *s, text_buf *t);

// --- review

typedef struct session_review_move {
    int node;            // after the move
    int seat;            // who moved
    move_t played, best; // best: by the helper
    float value, after;  // the mover's expected score with the best move, and after the played one
    float loss;          // value - after, at least 0
    bool has_margin;
    float margin_loss; // in the game's own unit
    session_mark mark;
    bool turning; // after this move somebody else is ahead
    int depth;
    uint64_t nodes;
    char line[200]; // how the helper would have gone on
} session_review_move;

typedef struct session_review {
    int n;
    session_review_move *moves; // of the main line, in order
    double mean_loss[2];
    int marks[2][MARK_GOOD + 1];
} session_review;

// An agent for reviews: the game's strongest that gives values and needs no file.
const char *session_reviewer(const game *g);
// The helper looks at every position of the main line, from the end. Marks and opinions go into the tree. `each` (may be NULL)
// hears of progress and may end it: what is known then is in *out with the rest left out.
err session_review_run(session *s, bool (*each)(void *ctx, int done, int all), void *ctx, session_review *out);
void session_review_free(session_review *r);
void session_review_json(session *s, const session_review *r, json_writer *w);
void session_review_print(session *s, const session_review *r, text_buf *t); // for people; goes to the main line's end

// --- texts in and out

typedef enum session_format {
    FORMAT_AUTO,  // by content
    FORMAT_TEXT,  // ours: "keiko GAME", options, moves
    FORMAT_MOVES, // the bare list
    FORMAT_JSON,
    FORMAT_SGF,
    FORMAT_GGF,
    FORMAT_OBF,
    FORMAT_PUYOP, // an address of puyop.com
    FORMAT_COUNT
} session_format;

const char *session_format_name(session_format f);
session_format session_format_by_name(const char *path);                 // by its ending; FORMAT_AUTO: unknown
session_format session_format_by_content(const char *text, size_t size); // FORMAT_MOVES where nothing else fits

// Opens a session from a file's text. `g` may be NULL where the text says which game it is; else the text must be of that
// game. `which`: of several games in the file, from 0. Everybody is a person in it: a file must not start programs. Who wants
// the agents that it names seats them with session_seat_wish().
typedef struct session_source {
    const char *text; // with a NUL behind it
    size_t size;
    session_format format;
    const game *g;
    const char *options; // for a bare list of moves
    game_key key;
    int which;
} session_source;
err session_import(session **out, const session_source *from);

err session_export(session *s, session_format f, text_buf *t); // of the whole tree where the format has trees

// The whole state. `viewer`: SESSION_NONE = the referee, who knows everything, which is what session_from_json() reads; a
// seat = only what it may know.
void session_json(session *s, int viewer, json_writer *w);
err session_to_json(session *s, int viewer, text_buf *t);
err session_from_json(session **out, const char *text, size_t size); // ERR_MISSING when built without JSON

#endif
