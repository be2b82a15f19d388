/**
 * @file keiko.h
 * @brief The public C API of libkeiko.
 *
 * A game is opened by name; a position is an opaque object that you free. Functions that can fail return 0 on success and
 * a non-zero code otherwise, and keiko_error() then holds a sentence (per thread). Texts written into a caller's buffer
 * are always terminated; the return value is the length that was needed, as with snprintf. Texts that a function hands out
 * (`char **`) are freed with keiko_text_free().
 *
 * Version rule: KEIKO_API_VERSION grows when something here is added; what is here keeps its meaning until the
 * library's major version changes. Structs that a caller fills begin with their size, so that an older program runs with a
 * newer library.
 *
 * Threads: an object is used by one thread at a time, different objects by different threads at once. What is made for
 * sharing says so.
 */
#ifndef KEIKO_H
#define KEIKO_H

#include "keiko_rules.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name The library */
/** The version of the library: "0.2.0", for example. */
const char *keiko_version(void);
/** The commit it was built from. */
const char *keiko_build(void);
/** (since 3) What it was built with: "x86_64 Release json sqlite zstd", for example. */
const char *keiko_features(void);
/** Of the library that runs, to compare with KEIKO_API_VERSION. */
int keiko_api_version(void);
/** The sentence of this thread's last failure. */
const char *keiko_error(void);
/** Frees a text that a function handed out; NULL is fine. */
void keiko_text_free(char *text);

/** @name Games */
typedef struct keiko_game keiko_game; /**< borrowed, lives for ever */

int keiko_game_count(void);
const keiko_game *keiko_game_at(int i);
/** NULL and keiko_error() when there is none. */
const keiko_game *keiko_game_find(const char *name);
const char *keiko_game_name(const keiko_game *g);
const char *keiko_game_title(const keiko_game *g);
/** Size of the move space: moves are 0 … n-1. */
int keiko_game_moves(const keiko_game *g);
/** Bound on one position's legal moves. */
int keiko_game_max_legal(const keiko_game *g);
/** 2; 1 for a game that is played alone. */
int keiko_game_seats(const keiko_game *g);

/**
 * Takes in a game of your own: keiko_game_find, agents that play any game (random, mcts, zero), training and matches then
 * know it. The rules are tried out by random games first, and what is wrong with them is said in keiko_error(). The texts and
 * functions are copied. At most 8 games; register them before other threads use the library. They stay until the program
 * ends. (since 2)
 */
int keiko_game_register(const keiko_rules *rules, const keiko_game **out);
/** Takes in the games of a shared library that exports keiko_plugin(). (since 3) */
int keiko_game_load(const char *library);

/** @name Positions: the referee's view, in which everything is known */
typedef struct keiko_position keiko_position;

/**
 * The start of a game. `options` as in `keiko play --options`, or NULL. All chance follows from (seed, game_number). Free with
 * keiko_position_free().
 */
int keiko_position_new(const keiko_game *g, const char *options, uint64_t seed, uint64_t game_number,
                       keiko_position **out);
int keiko_position_parse(const keiko_game *g, const char *text, keiko_position **out);
int keiko_position_copy(const keiko_position *p, keiko_position **out);
/** NULL is fine. */
void keiko_position_free(keiko_position *p);

const keiko_game *keiko_position_game(const keiko_position *p);
/** Whose decision is next. */
int keiko_position_seat(const keiko_position *p);
/** Writes the legal moves, ascending (room for keiko_game_max_legal); returns how many, 0 when the game is over. */
int keiko_position_legal(const keiko_position *p, uint16_t *moves);
/** Refuses an illegal move. */
int keiko_position_play(keiko_position *p, uint16_t move);
/** 1 when over; `score` may be NULL. */
int keiko_position_over(const keiko_position *p, double score[2]);
uint64_t keiko_position_hash(const keiko_position *p);

/** Text that parses back. A game of your own without state_parse reads only "start": keep its moves instead. */
int keiko_position_print(const keiko_position *p, char *buf, size_t n);
/** A board for a terminal. */
int keiko_position_draw(const keiko_position *p, int colour, char *buf, size_t n);
int keiko_move_parse(const keiko_position *p, const char *text, uint16_t *move);
int keiko_move_print(const keiko_position *p, uint16_t move, char *buf, size_t n);

/** Leaves of the game tree at `depth`; a game that ended earlier counts as one leaf. */
uint64_t keiko_position_perft(const keiko_position *p, int depth);

/** @name Encodings: what a network sees (since 3) */

/** The size of an encoding: `planes` of 0 and 1, then `scalars`, each one number. */
typedef struct keiko_shape {
    int planes, scalars, rows, cols;
} keiko_shape;

int keiko_game_encodings(const keiko_game *g);
/** The name of encoding i, 0 the default; NULL behind the last. */
const char *keiko_game_encoding(const keiko_game *g, int i);
/** `encoding` NULL = the default. */
int keiko_game_shape(const keiko_game *g, const char *encoding, keiko_shape *out);
/** What plane or (behind the planes) scalar i shows: "own discs"; "" where the game does not say. As snprintf. */
int keiko_game_plane_name(const keiko_game *g, const char *encoding, int i, char *buf, size_t n);
/**
 * The positions as their seats to move see them: planes[n][planes + scalars][rows][cols], a scalar as a plane of one
 * value, as networks and exported ONNX files take them. All positions are of one game.
 */
int keiko_encode(const keiko_position *const *p, int n, const char *encoding, float *planes);
/** mask[moves]: 1 where a move is legal. */
void keiko_position_mask(const keiko_position *p, uint8_t *mask);

/** @name Agents */
typedef struct keiko_agent keiko_agent;

/** `spec` as everywhere: "greedy", "mcts:sims=400", "hard". */
int keiko_agent_open(const keiko_game *g, const char *spec, keiko_agent **out);
void keiko_agent_begin(keiko_agent *a, uint64_t seed, uint64_t game_number, int seat);
int keiko_agent_choose(keiko_agent *a, const keiko_position *p, uint16_t *move);
/** Tell it each move played; a position of another game is ignored. */
void keiko_agent_saw(keiko_agent *a, const keiko_position *before, uint16_t move);
/** NULL is fine. */
void keiko_agent_close(keiko_agent *a);

/** One of the best moves in a position. (since 3) */
typedef struct keiko_line {
    uint16_t move;
    float value;     /**< expected score of the seat to move with it, 0 … 1; negative: no opinion */
    float prior;     /**< what the network thought of it before the search, 0 … 1; negative: not known */
    float margin;    /**< by how much it wins, in the game's unit (Othello: discs), if has_margin */
    int has_margin;  /**< 0 or 1 */
    int depth;       /**< plies; 0: does not apply */
    uint64_t visits; /**< positions looked at behind this move */
    int length;      /**< of `pv` */
    uint16_t pv[24]; /**< the line of play, this move first */
    char text[200];  /**< for people */
} keiko_line;

/** The `want` best moves, best first; *n are found. `want` below 1: all of them (room for keiko_game_max_legal). (since 3) */
int keiko_agent_analyse(keiko_agent *a, const keiko_position *p, int want, keiko_line *out, int *n);

/** @name Evaluators: a network on many positions at once (since 3) */
typedef struct keiko_evaluator keiko_evaluator;

/** Zero is the default. */
typedef struct keiko_evaluator_options {
    size_t size;           /**< sizeof(keiko_evaluator_options) */
    const char *backend;   /**< "auto" (NULL), "cpu", "cuda" */
    const char *encoding;  /**< NULL: what the network's note names, else the first that fits */
    const char *precision; /**< "auto" (NULL), "f32", "int8" on the CPU; "bf16", "fp8" on a GPU */
    int max_batch;         /**< positions the network takes at once; 0: 64 on a CPU, 1024 on a GPU */
} keiko_evaluator_options;

/**
 * `model`: a .safetensors file, or the name of a model that ships. `o` may be NULL. Any number of threads may evaluate at
 * once. On the CPU an answer depends on the position and the weights alone, not on the batch.
 */
int keiko_evaluator_open(const keiko_game *g, const char *model, const keiko_evaluator_options *o,
                         keiko_evaluator **out);
/**
 * values[n]: -1 … 1 for the seat to move; the result where a game is over. policy[n][moves]: probabilities of the legal moves,
 * 0 elsewhere. Either may be NULL.
 */
int keiko_evaluate(keiko_evaluator *e, const keiko_position *const *p, int n, float *values, float *policy);
/** NULL is fine. */
void keiko_evaluator_close(keiko_evaluator *e);

/** @name Environments: many games at once, for learners of your own (since 3) */
typedef struct keiko_env keiko_env;

/** Zero is the default but for `game` and `n`. */
typedef struct keiko_env_options {
    size_t size;            /**< sizeof(keiko_env_options) */
    const keiko_game *game; /**< as keiko_game_find gives it */
    const char *options;    /**< of the game; NULL = none */
    const char *encoding;   /**< NULL = the game's default */
    const char *opponent; /**< an agent that plays the other seat, which changes with every game; NULL: you play both */
    int n;                /**< games at once */
    int threads;          /**< 0 = one per core; the result does not depend on it */
    int max_plies;        /**< end a game (`truncated`) after this many of your decisions; 0 = never */
    int floats;           /**< 1: planes are float, not uint8_t */
    uint64_t seed;        /**< game k of slot i is game number i + k·n of this seed */
} keiko_env_options;

enum { KEIKO_ENV_EVENTS = 6 };

/**
 * Where an environment writes; you own the memory, and it must live as long as the environment. NULL: not wanted. The masks
 * are changed, not written anew: do not write to them.
 */
typedef struct keiko_env_buffers {
    size_t size;          /**< sizeof(keiko_env_buffers) */
    void *planes;         /**< [n][planes][rows][cols], uint8_t or float: what the seat to move sees */
    float *scalars;       /**< [n][scalars] */
    uint8_t *masks;       /**< [n][moves]: 1 = legal */
    uint8_t *seats;       /**< [n]: whose decision is next */
    float *rewards;       /**< [n][seats of the game]: of this step. Win 1, draw 0, loss -1; alone: points */
    uint8_t *terminated;  /**< [n]: 1 = this step ended the game; everything else shows the next one */
    uint8_t *truncated;   /**< [n]: the same by max_plies */
    int32_t *lengths;     /**< [n]: decisions (of both) in the game so far; of the ended game where it ended */
    int32_t *events;      /**< [n][6]: Puyo's chain, points, nuisance sent and received, frames, all clear (0 or 1) */
    void *final_planes;   /**< as planes: the last position of a game that ended in this step; else left alone */
    float *final_scalars; /**< as scalars */
} keiko_env_buffers;

int keiko_env_open(const keiko_env_options *o, const keiko_env_buffers *b, keiko_env **out);
/** All games begin anew: the first ones of another seed, or (NULL) the next ones of this seed. Fills the buffers. */
int keiko_env_reset(keiko_env *e, const uint64_t *seed);
/**
 * One decision in every game: moves[n], legal ones, or -1 for one at random. A game that ends begins anew at once. Allocates
 * nothing, unless the opponent does. On an illegal move nothing is played in any game, and keiko_error() names it.
 */
int keiko_env_step(keiko_env *e, const int32_t *moves);
/** A copy of game i's position, to be freed. */
int keiko_env_position(const keiko_env *e, int i, keiko_position **out);
/** NULL is fine. */
void keiko_env_close(keiko_env *e);

/** @name Sessions (since 3)
 *
 * One game being played or analysed: a tree of moves with variations, players, opinions, files. A node of the tree is a
 * number, 0 the start; the current node is the position. A session is used by one thread at a time, except
 * keiko_session_stop().
 */
typedef struct keiko_session keiko_session;

/** `options` and `position` may be NULL; a position's text carries its own options. Both seats are people at first. */
int keiko_session_open(const keiko_game *g, const char *options, const char *position, uint64_t seed,
                       keiko_session **out);
/**
 * From a file's text: SGF, GGF, OBF, a puyop address, JSON, keiko's text or a list of moves. `g` may be NULL where the text
 * says which game it is. The text is `size` bytes and need not end with a NUL.
 */
int keiko_session_import(const keiko_game *g, const char *text, size_t size, keiko_session **out);
/** NULL is fine. */
void keiko_session_close(keiko_session *s);

/** `player`: "human", an agent or a level. */
int keiko_session_seat(keiko_session *s, int seat, const char *player);
/** By the seat to move; the move becomes a child of the current node. */
int keiko_session_play(keiko_session *s, const char *move);
/** The agent of the seat to move chooses and plays. */
int keiko_session_think(keiko_session *s);
/** One move back; fails at the start. */
int keiko_session_back(keiko_session *s);
/** The way last gone; fails at the end of the line. */
int keiko_session_forward(keiko_session *s);
int keiko_session_goto(keiko_session *s, int node);
/** Its line becomes the main line. */
int keiko_session_promote(keiko_session *s, int node);
/** With what is behind it. */
int keiko_session_delete(keiko_session *s, int node);
int keiko_session_resign(keiko_session *s, int seat);
/** Thinking under way answers soon; from any thread. */
void keiko_session_stop(keiko_session *s);
/** A copy of the current node's position, to be freed. */
int keiko_session_position(keiko_session *s, keiko_position **out);

/** The whole state. A seat 0 or 1: what it may know; -1: everything, which keiko_session_import reads. */
int keiko_session_json(keiko_session *s, int seat, char **json);
/** The best `lines` moves. `agent` may be NULL: the game's strongest that needs no file. */
int keiko_session_analyse(keiko_session *s, const char *agent, int lines, char **json);
/** What each move of the main line cost. */
int keiko_session_review(keiko_session *s, const char *agent, char **json);
/** `format`: "sgf", "ggf", "obf", "puyop", "text", "moves", "json". */
int keiko_session_export(keiko_session *s, const char *format, char **text);

/** @name Training (since 2) */

typedef struct keiko_progress {
    uint64_t step, games, positions, simulations; /**< step: training steps; for Puyo, decisions of the learner */
    double seconds, loss;                         /**< of this call; over the last steps */
    int rated;                                    /**< 1: the next three mean something */
    double elo, elo_low, elo_high;
} keiko_progress;

/** Zero is the default. */
typedef struct keiko_training {
    size_t size;         /**< sizeof(keiko_training) */
    const char *run;     /**< the run's folder, as `keiko train --run`; NULL: nothing is kept */
    int resume;          /**< continue the run there, with its options; limits and a few others may change */
    const char *preset;  /**< "fast" (NULL), "seed", "strong"; Puyo has none */
    const char *config;  /**< lines "option = value", as `keiko train GAME --help` lists them; NULL = none */
    const char *backend; /**< "auto" (NULL), "cpu", "cuda" */
    int threads;         /**< 0 = one per core */
    uint64_t seed;
    double minutes;        /**< limits; at least one, also with `each`, unless the run that is resumed has one */
    uint64_t steps, games; /**< the same */
    const char *model;     /**< write the weights there at the end (.safetensors); NULL: do not */
    /** After every round, from the calling thread; non-zero ends the training (and saves). May be NULL. */
    int (*each)(void *ctx, const keiko_progress *p);
    void *ctx;
} keiko_training;

/**
 * Trains a network with the game's own method, AlphaZero or, for Puyo, deep Q-learning, from random weights or from those
 * that the option `init` names. A run that was begun by `keiko train` can be resumed here and the other way round. `end` (may
 * be NULL) tells where it ended.
 */
int keiko_train(const keiko_game *g, const keiko_training *t, keiko_progress *end);

/** @name Matches (since 2) */

/** Of the first agent. */
typedef struct keiko_score {
    uint64_t games, wins, draws, losses;
    double score, low, high; /**< 0 … 1, with its 95 % interval (Wilson's, by games) */
} keiko_score;

/**
 * `pairs` openings of a few random moves, each played twice with sides swapped. A function of its arguments, whatever the
 * threads (0 = one per core), as long as the agents are.
 */
int keiko_match(const keiko_game *g, const char *first, const char *second, int pairs, uint64_t seed, int threads,
                keiko_score *out);
/**
 * What `keiko bench` does, from its configuration in JSON (`{"game": "othello", "players": ["easy", "hard"], "gamesPerPair": 100}`) to its
 * results in JSON: ratings, intervals, pairings and games. `folder` keeps the run as `--output` does; NULL: nothing is kept.
 * (since 3)
 */
int keiko_bench(const char *config, const char *folder, int threads, char **json);

/** @name Lists (since 3) */
/** "games", "agents", "levels" or "models" as JSON. `g` NULL: of all games. */
int keiko_list(const char *what, const keiko_game *g, char **json);

#ifdef __cplusplus
}
#endif

#endif
