// Othello as a game table: rules, network planes, symmetries and text over oth_state.
//
// A game is over as soon as neither side can move, without passes being played; a single pass is a move (64). So the
// state needs no memory of the last move: who can move follows from the discs. Parsed positions may be any disjoint
// discs.
#include "games/game.h"
#include "games/othello/oth_ggf.h"
#include "games/othello/oth_kernels.h"
#include "games/othello/oth_look.h"
#include "games/othello/oth_names.h"
#include "games/othello/othello.h"

#include <stdio.h>
#include <string.h>

// --- state

static err init(void *s, const char *options, game_key k)
{
    (void)k; // no chance in this game
    if (options[0] != 0) return err_set(ERR_USAGE, "othello has no options, but '%s' was given", options);
    *(oth_state *)s = (oth_state){oth_start(), OTH_BLACK};
    return ERR_OK;
}

static int seat(const void *s)
{
    const oth_state *t = s;
    return oth_over(t->b) ? 0 : (int)t->side;
}

static int legal(const void *s, move_t *out)
{
    const oth_state *t = s;
    uint64_t moves = oth_k_moves(t->b.own, t->b.opp);
    if (moves == 0) {
        if (oth_k_moves(t->b.opp, t->b.own) == 0) return 0;
        out[0] = OTH_PASS;
        return 1;
    }
    int n = 0;
    for (; moves != 0; moves &= moves - 1) out[n++] = (move_t)__builtin_ctzll(moves);
    return n;
}

static void play(void *s, move_t m, step_event *ev)
{
    oth_state *t = s;
    if (ev != NULL) *ev = (step_event){.seat = (int)t->side};
    t->b = oth_play(t->b, m);
    t->side = !t->side;
}

static outcome result(const void *s)
{
    const oth_state *t = s;
    if (!oth_over(t->b)) return (outcome){0};
    int own = oth_count(t->b.own), opp = oth_count(t->b.opp);
    float mine = own > opp ? 1.0f : own < opp ? 0.0f : 0.5f;
    outcome o = {true, REASON_DISCS, {mine, mine}};
    o.score[!t->side] = 1.0f - mine;
    return o;
}

static uint64_t hash(const void *s)
{
    const oth_state *t = s;
    return oth_hash(t->b) ^ (t->side == OTH_BLACK ? 0 : 0xa0761d6478bd642fu);
}

// --- network side

enum { PLANES = 3, CHUNK = 64 };

// Own discs, the other's discs, the squares where the mover may play.
static void encode_mask(const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    (void)scalars;
    oth_board boards[CHUNK];
    uint64_t moves[CHUNK];
    for (int at = 0; at < n; at += CHUNK) {
        int some = n - at < CHUNK ? n - at : CHUNK;
        for (int i = 0; i < some; i++) boards[i] = ((const oth_state *)obs[at + i])->b;
        oth_moves_batch(boards, some, moves);
        for (int i = 0; i < some; i++) {
            *bits++ = boards[i].own;
            *bits++ = boards[i].opp;
            *bits++ = moves[i];
        }
    }
}

// Own discs, the other's discs, all ones when black is to move.
static void encode_side(const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    (void)scalars;
    for (int i = 0; i < n; i++) {
        const oth_state *t = obs[i];
        *bits++ = t->b.own;
        *bits++ = t->b.opp;
        *bits++ = t->side == OTH_BLACK ? ~(uint64_t)0 : 0;
    }
}

static void encode_look(const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    (void)scalars;
    for (int i = 0; i < n; i++) oth_look(((const oth_state *)obs[i])->b, bits + (size_t)i * OTH_LOOK);
}

static void encode_look2(const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    (void)scalars;
    for (int i = 0; i < n; i++) oth_look2(((const oth_state *)obs[i])->b, bits + (size_t)i * OTH_LOOK2);
}

static void heads(const void *obs, const move_t *m, int n, uint16_t *index)
{
    (void)obs;
    for (int i = 0; i < n; i++) index[i] = m[i];
}

static void sym_planes(int sym, const encoding *e, const uint64_t *in, uint64_t *out)
{
    for (int p = 0; p < e->planes; p++) out[p] = oth_sym(sym, in[p]);
}

static move_t sym_move(int sym, move_t m)
{
    return (move_t)oth_sym_square(sym, m);
}

// --- text: moves are "f5" and "pass"; a position is 64 of X O -, a space and the side

static err move_parse(const void *obs, const char *text, move_t *m)
{
    const oth_state *t = obs;
    size_t at = 0;
    int sq = 0;
    err e = oth_square_parse(text, &at, &sq);
    if (e != ERR_OK) return e;
    if (text[at] != 0) return err_parse(text, at, "expected the end of the move");
    uint64_t moves = oth_moves(t->b);
    if (moves == 0 && oth_moves(oth_pass(t->b)) == 0) return err_set(ERR_USAGE, "the game is over");
    if (sq == OTH_PASS && moves != 0) return err_set(ERR_USAGE, "there is a move, so a pass is not legal");
    if (sq != OTH_PASS && (oth_empty(t->b) >> sq & 1) == 0) return err_set(ERR_USAGE, "%s is taken", text);
    if (sq != OTH_PASS && moves == 0) return err_set(ERR_USAGE, "there is no move, only a pass is legal");
    if (sq != OTH_PASS && (moves >> sq & 1) == 0) return err_set(ERR_USAGE, "%s turns no disc", text);
    *m = (move_t)sq;
    return ERR_OK;
}

static int move_print(const void *obs, move_t m, char *buf, size_t n)
{
    (void)obs;
    char name[5];
    return snprintf(buf, n, "%s", oth_square_name(m, name));
}

static err state_parse(const char *text, void *s)
{
    static const char blanks[] = " \t\r\n"; // so a board may also come as eight lines
    size_t at = 0;
    oth_state t;
    err e = oth_state_read(text, &at, blanks, &t);
    if (e != ERR_OK) return e;
    at += strspn(text + at, blanks);
    if (text[at] != 0) return err_parse(text, at, "expected the end after the side to move");
    *(oth_state *)s = t;
    return ERR_OK;
}

static int state_print(const void *s, char *buf, size_t n)
{
    char text[OTH_STATE_TEXT];
    oth_state_write(s, text);
    if (n > 0) {
        size_t some = n < sizeof text ? n - 1 : sizeof text - 1;
        memcpy(buf, text, some);
        buf[some] = 0;
    }
    return OTH_STATE_TEXT - 1;
}

// --- for a page

static void view(const void *obs, json_writer *w)
{
    const oth_state *t = obs;
    uint64_t black = t->side == OTH_BLACK ? t->b.own : t->b.opp, white = t->side == OTH_BLACK ? t->b.opp : t->b.own;
    char cells[65] = "";
    for (int sq = 0; sq < 64; sq++) cells[sq] = black >> sq & 1 ? 'X' : white >> sq & 1 ? 'O' : '.';
    json_pair_text(w, "cells", cells); // a1, b1, … h8
    json_pair_array(w, "discs");
    json_put_int(w, __builtin_popcountll(black));
    json_put_int(w, __builtin_popcountll(white));
    json_close(w);
}

// --- drawing

typedef struct canvas {
    char text[GAME_TEXT];
    size_t n;
} canvas;

static void put(canvas *c, const char *text)
{
    size_t len = strlen(text);
    if (len >= sizeof c->text - c->n) return; // never: a board in colour takes about half
    memcpy(c->text + c->n, text, len + 1);
    c->n += len;
}

typedef struct palette {
    const char *black, *white, *move, *empty, *row, *end; // squares, then what begins and ends a row of them
    const char *open, *close;                             // around the last move, in place of the blanks there
} palette;

static int draw(const void *obs, move_t last, bool colour, char *buf, size_t n)
{
    static const palette plain = {"X", "O", "*", ".", "", "", "(", ")"};
    static const palette tinted = {"\x1b[38;5;16m●", "\x1b[38;5;231m○", "\x1b[38;5;114m•", "\x1b[38;5;34m·",
                                   "\x1b[48;5;22m",  " \x1b[0m",        "\x1b[38;5;220m(", "\x1b[38;5;220m)"};
    const oth_state *t = obs;
    const palette *p = colour ? &tinted : &plain;
    uint64_t black = t->side == OTH_BLACK ? t->b.own : t->b.opp, white = t->side == OTH_BLACK ? t->b.opp : t->b.own;
    uint64_t moves = oth_moves(t->b);
    canvas c;
    c.n = 0;
    put(&c, "  a b c d e f g h\n");
    for (int y = 0; y < 8; y++) {
        put(&c, (char[]){(char)('1' + y), 0});
        put(&c, p->row);
        for (int sq = y * 8; sq < y * 8 + 8; sq++) {
            put(&c, sq == last ? p->open : sq % 8 > 0 && sq - 1 == last ? p->close : " ");
            put(&c, black >> sq & 1 ? p->black : white >> sq & 1 ? p->white : moves >> sq & 1 ? p->move : p->empty);
        }
        if (last == y * 8 + 7) put(&c, p->close);
        put(&c, p->end);
        put(&c, "\n");
    }
    const char *b = colour ? "●" : "X", *w = colour ? "○" : "O", *next = t->side == OTH_BLACK ? b : w;
    char tail[96];
    if (oth_over(t->b))
        snprintf(tail, sizeof tail, "%s %d  %s %d  game over\n", b, oth_count(black), w, oth_count(white));
    else
        snprintf(tail, sizeof tail, "%s %d  %s %d  %s to %s\n", b, oth_count(black), w, oth_count(white), next,
                 moves != 0 ? "move" : "pass");
    put(&c, tail);
    return snprintf(buf, n, "%s", c.text);
}

// All discs of the other side turned, or all but one or two and nobody can move any more. A move turns at most 18 (three lines
// of six).
static move_t win(const void *state, const move_t *m, int n)
{
    const oth_state *s = state;
    if (oth_count(s->b.opp) > 18 + 2) return MOVE_NONE;
    for (int i = 0; i < n; i++) {
        if (m[i] == OTH_PASS) continue;
        uint64_t turned = oth_flips(s->b, m[i]), rest = s->b.opp & ~turned;
        if (rest == 0) return m[i];
        uint64_t others = rest & (rest - 1);
        if ((others & (others - 1)) != 0) continue; // more than two
        oth_board next = {.own = rest, .opp = s->b.own | turned | 1ull << m[i]};
        if (oth_over(next)) return m[i]; // with three of one's own at least
    }
    return MOVE_NONE;
}

static uint64_t perft(const void *s, int depth)
{
    return oth_perft(((const oth_state *)s)->b, depth);
}

static float margin(const void *state, int player)
{
    const oth_state *s = state;
    int difference = oth_count(s->b.own) - oth_count(s->b.opp);
    return (float)((uint64_t)player == s->side ? difference : -difference) / OTH_SQUARES;
}

static void owners(const void *state, uint64_t *first, uint64_t *second)
{
    const oth_state *s = state;
    *first = s->side == 0 ? s->b.own : s->b.opp;
    *second = s->side == 0 ? s->b.opp : s->b.own;
}

static const game_openings lines = {
    .plies = 8, .evaluator = "alphabeta:depth=6,exact=0,hash=14", .slack = 0.10, .name = oth_opening_name};
static const game_formats formats = {.sgf = 2, .gtp = "Othello", .ggf = oth_ggf_position};

static const encoding encodings[] = {
    {"mask", PLANES, 0, encode_mask, "own discs;opponent's discs;legal moves"},
    {"side", PLANES, 0, encode_side, "own discs;opponent's discs;black to move"},
    {"look", OTH_LOOK, 0, encode_look, "see oth_look.c#32"},
    {"look2", OTH_LOOK2, 0, encode_look2, "see oth_look.c#96"},
};

const game game_othello = {
    .name = "othello",
    .title = "Othello",
    .options = "",
    .flags = 0,
    .state_size = sizeof(oth_state),
    .obs_size = sizeof(oth_state),
    .n_seats = 2,
    .seats = {{"Black", "X", "●"}, {"White", "O", "○"}},
    .notation = "f5: a column a to h and a row 1 to 8; pass when there is no move",
    .n_moves = OTH_PASS + 1,
    .max_legal = OTH_MAX_MOVES,
    .rows = 8,
    .cols = 8,
    .n_encodings = sizeof encodings / sizeof *encodings,
    .encodings = encodings,
    .n_heads = 1,
    .head_dim = {OTH_PASS + 1},
    .n_syms = OTH_SYMS,
    .core = CORE_OTHELLO,
    .openings = &lines,
    .formats = &formats,
    .init = init,
    .seat = seat,
    .legal = legal,
    .play = play,
    .result = result,
    .hash = hash,
    .margin = margin,
    .owners = owners,
    .heads = heads,
    .sym_planes = sym_planes,
    .sym_move = sym_move,
    .move_parse = move_parse,
    .move_print = move_print,
    .state_parse = state_parse,
    .state_print = state_print,
    .draw = draw,
    .view = view,
    .win = win,
    .perft = perft,
};
