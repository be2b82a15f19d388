// Tic-tac-toe: the smallest complete game, and the template a newcomer copies (docs/add-a-game.md walks through it).
//
// Two nine-bit words, one per seat; bit y*3+x with y = 0 the top row. The side to move follows from the count of stones, so
// nothing else needs to be stored. The whole interface of games/game.h is here in the order of the table at the end.
#include "games/game.h"

#include <stdio.h>
#include <string.h>

typedef struct ttt {
    uint16_t stones[2]; // by seat: X moves first
} ttt;

enum { CELLS = 9, FULL = 0x1ff };

static const uint16_t lines[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};

static bool has_line(uint16_t stones)
{
    for (int i = 0; i < 8; i++)
        if ((stones & lines[i]) == lines[i]) return true;
    return false;
}

// --- state

static err ttt_init(void *s, const char *options, game_key k)
{
    (void)k; // no chance in this game
    if (options[0] != 0) return err_set(ERR_USAGE, "tictactoe has no options, but '%s' was given", options);
    *(ttt *)s = (ttt){{0, 0}};
    return ERR_OK;
}

static int ttt_seat(const void *s)
{
    const ttt *t = s;
    return __builtin_popcount(t->stones[0]) > __builtin_popcount(t->stones[1]);
}

static outcome ttt_result(const void *s)
{
    const ttt *t = s;
    if (has_line(t->stones[0])) return (outcome){true, REASON_LINE, {1, 0}};
    if (has_line(t->stones[1])) return (outcome){true, REASON_LINE, {0, 1}};
    if ((t->stones[0] | t->stones[1]) == FULL) return (outcome){true, REASON_FULL, {0.5f, 0.5f}};
    return (outcome){0};
}

static int ttt_legal(const void *s, move_t *out)
{
    const ttt *t = s;
    if (ttt_result(s).over) return 0;
    int n = 0;
    for (int i = 0; i < CELLS; i++)
        if (((t->stones[0] | t->stones[1]) >> i & 1) == 0) out[n++] = (move_t)i;
    return n;
}

static void ttt_play(void *s, move_t m, step_event *ev)
{
    ttt *t = s;
    int seat = ttt_seat(s);
    t->stones[seat] = (uint16_t)(t->stones[seat] | 1u << m);
    if (ev != NULL) *ev = (step_event){.seat = seat};
}

static uint64_t ttt_hash(const void *s)
{
    const ttt *t = s;
    return rng_mix((uint64_t)t->stones[0] << 16 | t->stones[1]);
}

// --- network side: own stones, the other's stones

static void ttt_encode(const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    (void)scalars;
    for (int i = 0; i < n; i++) {
        const ttt *t = obs[i];
        int seat = ttt_seat(t);
        *bits++ = t->stones[seat];
        *bits++ = t->stones[!seat];
    }
}

static void ttt_heads(const void *obs, const move_t *m, int n, uint16_t *index)
{
    (void)obs;
    for (int i = 0; i < n; i++) index[i] = m[i];
}

// Symmetry bits: 1 mirrors left-right, 2 mirrors top-bottom, 4 swaps x and y (applied last).
static move_t ttt_sym_move(int sym, move_t m)
{
    int x = m % 3, y = m / 3;
    if (sym & 1) x = 2 - x;
    if (sym & 2) y = 2 - y;
    return (move_t)(sym & 4 ? x * 3 + y : y * 3 + x);
}

static void ttt_sym_planes(int sym, const encoding *e, const uint64_t *in, uint64_t *out)
{
    for (int p = 0; p < e->planes; p++) {
        out[p] = 0;
        for (int i = 0; i < CELLS; i++) out[p] |= (in[p] >> i & 1) << ttt_sym_move(sym, (move_t)i);
    }
}

// --- text: moves are "b2" (file a-c, rank 1 at the bottom); positions are nine of X O -, top row first

static err ttt_move_parse(const void *obs, const char *text, move_t *m)
{
    const ttt *t = obs;
    int x = text[0] - 'a', y = text[0] ? '3' - text[1] : -1;
    if (x < 0 || x > 2) return err_parse(text, 0, "expected a file a, b or c");
    if (y < 0 || y > 2) return err_parse(text, 1, "expected a rank 1, 2 or 3");
    if (text[2] != 0) return err_parse(text, 2, "expected the end of the move");
    if (ttt_result(obs).over) return err_set(ERR_USAGE, "the game is over");
    if ((t->stones[0] | t->stones[1]) >> (y * 3 + x) & 1) return err_set(ERR_USAGE, "%s is taken", text);
    *m = (move_t)(y * 3 + x);
    return ERR_OK;
}

static int ttt_move_print(const void *obs, move_t m, char *buf, size_t n)
{
    (void)obs;
    return snprintf(buf, n, "%c%d", 'a' + m % 3, 3 - m / 3);
}

static err ttt_state_parse(const char *text, void *s)
{
    ttt t = {{0, 0}};
    for (int i = 0; i < CELLS; i++) {
        char c = text[i];
        if (c == 'X' || c == 'x')
            t.stones[0] = (uint16_t)(t.stones[0] | 1u << i);
        else if (c == 'O' || c == 'o')
            t.stones[1] = (uint16_t)(t.stones[1] | 1u << i);
        else if (c != '-' && c != '.')
            return err_parse(text, (size_t)i, "expected X, O or - for square %d of 9", i + 1);
    }
    if (text[CELLS] != 0) return err_parse(text, CELLS, "expected the end after nine squares");
    int more = __builtin_popcount(t.stones[0]) - __builtin_popcount(t.stones[1]);
    if (more != 0 && more != 1) return err_set(ERR_PARSE, "X must have as many stones as O, or one more");
    // Play stops at the first line, so the last stone belongs to its owner: both sides can never have one.
    if (has_line(t.stones[0]) && (has_line(t.stones[1]) || more == 0))
        return err_set(ERR_PARSE, "O cannot have moved after X had three in a row");
    if (has_line(t.stones[1]) && more == 1) return err_set(ERR_PARSE, "X cannot have moved after O had three in a row");
    *(ttt *)s = t;
    return ERR_OK;
}

static int ttt_state_print(const void *s, char *buf, size_t n)
{
    const ttt *t = s;
    char text[CELLS + 1];
    for (int i = 0; i < CELLS; i++) text[i] = t->stones[0] >> i & 1 ? 'X' : t->stones[1] >> i & 1 ? 'O' : '-';
    text[CELLS] = 0;
    return snprintf(buf, n, "%s", text);
}

static int ttt_draw(const void *obs, move_t last, bool colour, char *buf, size_t n)
{
    const ttt *t = obs;
    static const char *const plain[3] = {"-", "X", "O"};
    static const char *const tinted[3] = {"\x1b[2m·\x1b[0m", "\x1b[1;31mX\x1b[0m", "\x1b[1;34mO\x1b[0m"};
    char text[256];
    int at = 0;
    for (int i = 0; i < CELLS; i++) {
        int who = t->stones[0] >> i & 1 ? 1 : t->stones[1] >> i & 1 ? 2 : 0;
        if (i % 3 == 0) at += snprintf(text + at, sizeof text - (size_t)at, "%d", 3 - i / 3);
        // The last move stands between parentheses, in the place of the blanks around it.
        const char *before = i == last ? "(" : i % 3 > 0 && i - 1 == last ? ")" : " ";
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%s", before, colour ? tinted[who] : plain[who]);
        if (i % 3 == 2) at += snprintf(text + at, sizeof text - (size_t)at, "%s\n", i == last ? ")" : "");
    }
    return snprintf(buf, n, "%s  a b c\n", text);
}

static const encoding encodings[] = {{"stones", 2, 0, ttt_encode, "own marks;opponent's marks"}};

static void ttt_view(const void *obs, json_writer *w)
{
    const ttt *t = obs;
    char cells[CELLS + 1] = "";
    for (int i = 0; i < CELLS; i++) cells[i] = t->stones[0] >> i & 1 ? 'X' : t->stones[1] >> i & 1 ? 'O' : '.';
    json_pair_text(w, "cells", cells); // from the top left, row by row
}

const game game_tictactoe = {
    .name = "tictactoe",
    .title = "Tic-tac-toe",
    .options = "",
    .flags = 0,
    .state_size = sizeof(ttt),
    .obs_size = sizeof(ttt),
    .n_seats = 2,
    .seats = {{"X", NULL, NULL}, {"O", NULL, NULL}},
    .notation = "a1 to c3: a column and a row",
    .n_moves = CELLS,
    .max_legal = CELLS,
    .rows = 3,
    .cols = 3,
    .n_encodings = 1,
    .encodings = encodings,
    .n_heads = 1,
    .head_dim = {CELLS},
    .n_syms = 8,
    .init = ttt_init,
    .seat = ttt_seat,
    .legal = ttt_legal,
    .play = ttt_play,
    .result = ttt_result,
    .hash = ttt_hash,
    .heads = ttt_heads,
    .sym_planes = ttt_sym_planes,
    .sym_move = ttt_sym_move,
    .move_parse = ttt_move_parse,
    .move_print = ttt_move_print,
    .state_parse = ttt_state_parse,
    .state_print = ttt_state_print,
    .draw = ttt_draw,
    .view = ttt_view,
};
