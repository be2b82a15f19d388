// The core of renju and gomoku: a board that knows, at every moment, what each empty point is worth to each colour.
//
// Not the game table (that is renju_game.c, over a compact state): this is what engines search on. The one idea:
// whatever a stone can build through a point lies within five points of it on a line, and what lies behind an enemy
// stone does not matter. So a half line of five points has only 120 different looks for both colours together, a line
// through a point has 120 x 120, and one table of 64 KB answers what a stone there makes of it for either colour.
// Playing a stone re-reads the at most 40 empty points it is seen from; taking it back copies what was there before.
//
// Glossary:
//   point    y * size + x; y = 0 is the top row, x = 0 the file `a`. Text: "h8", rank 1 is the bottom row.
//   pattern  what a stone on an empty point would make along one direction (rj_pattern)
//   class    the four patterns of a point taken together (rj_class)
//   five     five in a row that wins: exactly five for black in renju and for both in standard gomoku, else five or
//            more
//   four     a row that one more stone makes a five; straight when two different stones do and the four are unbroken
//   three    a row that one more stone makes a straight four
//   foul     a forbidden move: black's double three, double four or overline in renju
#ifndef KEIKO_GAMES_RENJU_H
#define KEIKO_GAMES_RENJU_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rj_rule {
    RJ_RENJU,    // black: exactly five wins, fouls lose; white: five or more wins
    RJ_STANDARD, // exactly five wins, longer rows are nothing
    RJ_FREE,     // five or more wins
} rj_rule;

enum { RJ_BLACK = 0, RJ_WHITE = 1, RJ_EMPTY = 2 };
enum { RJ_EAST, RJ_SOUTH, RJ_SOUTHEAST, RJ_NORTHEAST, RJ_DIRS }; // the four directions, as steps of x and y

enum {
    RJ_MIN_SIZE = 5,
    RJ_MAX_SIZE = 20,
    RJ_MAX_POINTS = RJ_MAX_SIZE * RJ_MAX_SIZE,
    RJ_MAX_LINES = 6 * RJ_MAX_SIZE - 2,
    RJ_MAX_WORDS = (RJ_MAX_POINTS + 63) / 64,
    RJ_MAX_FRAMES = 512, // stones and passes in a board's history
    RJ_STARS = 40,       // the most points that see one point: five steps in eight directions
};

// What a stone on this empty point makes along one direction. "Ways" counts the next stones that lift it one step.
typedef enum rj_pattern {
    RJ_P_DEAD,       // no five is possible here any more
    RJ_P_OVERLINE,   // makes six or more where that is no win
    RJ_P_ONE,        // a five needs four more stones
    RJ_P_OPEN_ONE,   // one more stone makes an open two
    RJ_P_TWO,        // a five needs three more
    RJ_P_OPEN_TWO,   // one more makes a three, in one way
    RJ_P_OPEN_TWO_2, // … in two ways
    RJ_P_OPEN_TWO_3, // … in three or more
    RJ_P_CLOSED,     // a five needs two more, but no straight four comes of it ("closed three")
    RJ_P_THREE,      // one more makes a straight four, in one way
    RJ_P_THREE_2,    // … in two ways
    RJ_P_FOUR,       // one more makes a five, at one point
    RJ_P_FOUR_FOUR,  // two fours in one line
    RJ_P_STRAIGHT,   // a straight four
    RJ_P_FIVE,       // wins
    RJ_P_COUNT
} rj_pattern;

// What a stone on this empty point makes in all four directions together; the higher, the more forcing.
typedef enum rj_class {
    RJ_NONE,        // less than an open two; also every occupied point
    RJ_FORBIDDEN,   // renju's black: overline or double four, certainly a foul
    RJ_TWO,         // one open two
    RJ_TWO_TWO,     // several
    RJ_CLOSED,      // a closed three
    RJ_CLOSED_PLUS, // … with another one or an open two
    RJ_THREE,       // one three
    RJ_THREE_PLUS,  // … with a closed three or an open two
    RJ_THREE_THREE, // two threes (never renju's black)
    RJ_FOUR,        // one four
    RJ_FOUR_PLUS,   // … with a closed three or an open two
    RJ_FOUR_THREE,  // … with a three
    RJ_WINNING,     // a straight four, or two fours where they are allowed
    RJ_DOUBTFUL,    // renju's black: two rows look like threes. Ask rj_foul_at(); it may make a four as well
    RJ_FIVE,        // wins at once
    RJ_CLASSES
} rj_class;

typedef enum rj_foul { RJ_FINE, RJ_DOUBLE_THREE, RJ_DOUBLE_FOUR, RJ_OVERLINE } rj_foul;

// --- lines: the stones alone, packed by direction

// Two bits per point (00 empty, 01 black, 10 white, 11 outside), five outside points before and after each line. The
// point with coordinate j along its line stands at bit 2 * (j + 5), so `line >> 2 * j` shows it with five neighbours
// each side.
typedef struct rj_lines {
    uint64_t line[RJ_MAX_LINES];
    int size;
} rj_lines;

void rj_lines_init(rj_lines *l, int size);                                    // empty; size RJ_MIN_SIZE … RJ_MAX_SIZE
void rj_lines_set(rj_lines *l, const uint64_t *black, const uint64_t *white); // from bitmaps, bit = point
void rj_lines_toggle(rj_lines *l, int p, int colour);                         // puts a stone, or takes that stone away

// The foul, if any, that black commits at the empty point p under renju's rules. Recursive: a row counts as a three
// only where it can become a straight four at a point that makes no five and is itself no foul. `l` is left as it was.
rj_foul rj_lines_foul(rj_lines *l, int p);

// All fouls of a 15 x 15 position at once, from bitmaps of four words (bit = point). `map` gets a bit for each; the
// count is returned. rj_foul_kinds() also says which: kind[225] of rj_foul.
int rj_foul_map(const uint64_t black[4], const uint64_t white[4], uint64_t map[4]);
int rj_foul_kinds(const uint64_t black[4], const uint64_t white[4], uint8_t *kind);

// Is the move black just made at p (its bit is set in `black`) a foul? Much faster than a map; 15 x 15.
rj_foul rj_foul_played(const uint64_t black[4], const uint64_t white[4], int p);

// --- the incremental board

typedef struct rj_change { // what one empty point held before a stone was put
    uint32_t patterns;
    uint16_t point;
    uint8_t classes, unused;
} rj_change;

typedef struct rj_frame { // one stone or pass of the history
    uint64_t hash;
    uint16_t count[2][16];
    uint32_t first;   // where its changes begin
    uint16_t point;   // RJ_MAX_POINTS for a pass
    uint8_t colour;   // of the stone
    uint8_t side;     // to move before it
    int32_t score[2]; // before it
} rj_frame;

// Values an engine gives to patterns, summed over the empty points as the board changes: value[colour][key], where
// key is the four patterns of a point, a nibble per direction. See rj_board_values(). Wide enough for two sums in one:
// an engine may add a second value times 65536.
typedef struct rj_values {
    int32_t value[2][65536];
} rj_values;

typedef struct rj_tables rj_tables;
typedef struct rj_ruleset rj_ruleset;

// About 180 KB, most of it history: one for each thread of a search, and none on a stack.
typedef struct rj_board {
    const rj_tables *tables;
    const rj_ruleset *set;   // tables of this rule; see renju_tables.h
    const rj_values *values; // NULL: no sums are kept
    uint64_t hash;           // of stones and side to move; 0 for an empty board with black to move
    rj_lines lines;
    uint16_t count[2][16];               // empty points by colour and class
    int32_t score[2];                    // sums of `values` by colour
    uint64_t stones[2][RJ_MAX_WORDS];    // bitmaps
    uint32_t patterns[RJ_MAX_POINTS];    // nibble colour * 4 + direction; 0 on occupied points
    uint8_t classes[RJ_MAX_POINTS + 16]; // low nibble black's, high nibble white's; 0 on occupied points
    uint8_t stone[RJ_MAX_POINTS];        // RJ_BLACK, RJ_WHITE, RJ_EMPTY
    uint8_t rule, side;
    uint16_t points; // size * size
    uint16_t placed; // stones on the board
    uint16_t n_frames;
    uint32_t n_changes;
    // The history; what lies beyond n_frames and n_changes is stale. Everything above is a function of the position.
    rj_frame frames[RJ_MAX_FRAMES];
    rj_change changes[RJ_MAX_POINTS * (RJ_STARS + 1)];
} rj_board;

void rj_board_init(rj_board *b, rj_rule rule, int size);
void rj_board_values(rj_board *b, const rj_values *v); // sums from now on; borrowed, NULL stops. History must be empty

// `p` must be empty. The board does not stop at five or at a foul: look at the class before playing.
void rj_put(rj_board *b, int p, int colour); // a stone out of turn; the side to move stays
void rj_play(rj_board *b, int p);            // a stone of the side to move
void rj_pass(rj_board *b);
uint64_t rj_hash_after(const rj_board *b, int p); // the hash that rj_play(b, p) would leave
void rj_undo(rj_board *b);                        // takes back the last put, play or pass, exactly

static inline int rj_size(const rj_board *b)
{
    return b->lines.size;
}

static inline rj_pattern rj_pattern_at(const rj_board *b, int colour, int dir, int p)
{
    return (rj_pattern)(b->patterns[p] >> (colour * 16 + dir * 4) & 15);
}

// All four patterns of a point: a key for tables of 65536.
static inline unsigned rj_key_at(const rj_board *b, int colour, int p)
{
    return b->patterns[p] >> (colour * 16) & 0xffff;
}

static inline rj_class rj_class_at(const rj_board *b, int colour, int p)
{
    return (rj_class)(b->classes[p] >> (colour * 4) & 15);
}

// The class that four patterns (as rj_key_at() gives them) make together under the board's rule.
rj_class rj_class_of(const rj_board *b, int colour, unsigned key);

// The last stone's effect on the points it is seen from: what they held before.
static inline const rj_change *rj_changes(const rj_board *b, int *n)
{
    uint32_t first = b->n_frames ? b->frames[b->n_frames - 1].first : 0;
    *n = (int)(b->n_changes - first);
    return b->changes + first;
}

// A position from bitmaps, with an empty history. Much faster than putting the stones one by one; `values` are kept.
void rj_board_set(rj_board *b, const uint64_t *black, const uint64_t *white, int side);

// Black's foul at the empty point p; RJ_FINE unless the rule is renju. Nearly free unless the class is RJ_DOUBTFUL.
rj_foul rj_foul_at(rj_board *b, int p); // the board is left as it was

// Empty points whose class for `colour` is low … high, ascending; returns how many.
int rj_points(const rj_board *b, int colour, rj_class low, rj_class high, uint16_t *out);

// Empty points within `distance` (1 … 3) steps of any stone, in the eight directions and between; bitmap of points.
void rj_near(const rj_board *b, int distance, uint64_t out[RJ_MAX_WORDS]);

// Everything the board knows, computed afresh; for tests and debug builds.
bool rj_board_ok(const rj_board *b);

// --- the state of the game tables: what a referee holds and an agent receives

enum { RJ_DRAWN = 2 };

typedef struct rj_state {
    uint64_t hash;     // of the stones alone
    uint16_t last;     // the point played last; RJ_NO_POINT when the position was set up
    uint16_t cap;      // the game is drawn at this many stones; 0 = never
    uint8_t variant;   // index into rj_variants
    uint8_t side;      // to move; the other side of the last mover when the game is over
    uint8_t reason;    // enum reason; REASON_NONE while the game goes on
    uint8_t winner;    // RJ_BLACK, RJ_WHITE or RJ_DRAWN once it is over, else 0
    uint64_t stones[]; // black's words, then white's
} rj_state;

enum { RJ_NO_POINT = 0xffff };

typedef union rj_any_state { // room for a state of any variant
    rj_state s;
    uint64_t words[(sizeof(rj_state) + 2 * RJ_MAX_WORDS * sizeof(uint64_t)) / sizeof(uint64_t)];
} rj_any_state;

typedef struct rj_variant {
    const char *name; // of the game table
    rj_rule rule;
    int size, points, words;
} rj_variant;

enum { RJ_VARIANTS = 4 };
extern const rj_variant rj_variants[RJ_VARIANTS];
int rj_variant_named(const char *name); // the index of the variant with this name; -1: there is none

// The engine's board for a state: rj_board_init() and rj_board_set().
void rj_board_load(rj_board *b, const rj_state *s);

// --- points as text

int rj_point_print(int size, int p, char *buf, size_t n); // "h8"; as snprintf

// Reads "h8" at text[0…]; returns the characters used, or 0 when there is no such point. Either case.
int rj_point_read(int size, const char *text, int *p);

// --- checking and measuring a build

// A file of positions with all their fouls: lines of `id | source | black | white | points`, stones as "H8 I9" or "-",
// points as "H8:33 I9:44 J10:6" or "-"; `#` begins a comment line. Calls `report` with one line for each row that
// differs. A malformed row is an error that names the line.
err rj_verify_forbidden(const char *text, void (*report)(void *ctx, const char *line), void *ctx, int *exact,
                        int *total);

// Loops for `keiko speed`; each returns a checksum so that nothing is optimised away.
uint64_t rj_speed_play_undo(uint64_t n, uint64_t seed); // n times play and undo, on middle-game positions
uint64_t rj_speed_forbidden(uint64_t n, uint64_t seed); // n complete maps, on middle-game positions

#endif
