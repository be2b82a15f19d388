// The four game tables: renju, gomoku (exactly five), freestyle (five or more) and freestyle on 20 x 20.
//
// The state is two bitmaps with sixteen bytes before them (rj_state), good for copying by the million; engines load
// it into the incremental board of renju.h. A move looks only at the four lines through its stone, and a black stone
// in renju is examined for fouls only where enough black stones are near. A forbidden point may be played: it loses
// at once.
#include "games/renju/renju_game.h"

#include "games/renju/renju_tables.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS15 = 4, WORDS20 = 7 };

const rj_variant rj_variants[RJ_VARIANTS] = {
    {"renju", RJ_RENJU, 15, 225, WORDS15},
    {"gomoku", RJ_STANDARD, 15, 225, WORDS15},
    {"freestyle", RJ_FREE, 15, 225, WORDS15},
    {"freestyle20", RJ_FREE, 20, 400, WORDS20},
};

int rj_variant_named(const char *name)
{
    for (int v = 0; v < RJ_VARIANTS; v++)
        if (strcmp(rj_variants[v].name, name) == 0) return v;
    return -1;
}

void rj_board_load(rj_board *b, const rj_state *s)
{
    const rj_variant *v = rj_variant_of(s);
    rj_board_init(b, v->rule, v->size);
    rj_board_set(b, rj_stones(s, 0), rj_stones(s, 1), s->side);
}

// --- rules

void rj_state_init(rj_state *s, int variant)
{
    memset(s, 0, sizeof *s + 2 * (size_t)rj_variants[variant].words * sizeof *s->stones);
    s->variant = (uint8_t)variant;
    s->last = RJ_NO_POINT;
}

void rj_state_put(rj_state *s, int p, int colour)
{
    s->stones[colour * rj_variant_of(s)->words + p / 64] |= 1ull << p % 64;
    s->hash ^= rj_tables_get()->zobrist[colour][p];
}

// Stones of one colour in an unbroken row that begins beside p, not counting p; `sign` -1 goes the other way.
static int stones_beside(const uint64_t *own, int size, int p, int d, int sign)
{
    static const int8_t dx[RJ_DIRS] = {1, 0, 1, 1}, dy[RJ_DIRS] = {0, 1, 1, -1};
    int x = p % size, y = p / size, step = sign * rj_step(size, d), n = 0;
    for (;; n++) {
        x += sign * dx[d];
        y += sign * dy[d];
        p += step;
        if ((unsigned)x >= (unsigned)size || (unsigned)y >= (unsigned)size) return n;
        if ((own[p / 64] >> p % 64 & 1) == 0) return n;
    }
}

static bool wins(rj_rule rule, int colour, int length)
{
    if (rule == RJ_FREE || (rule == RJ_RENJU && colour == RJ_WHITE)) return length >= 5;
    return length == 5;
}

static bool five_through(const rj_state *s, int colour, int p)
{
    const rj_variant *v = rj_variant_of(s);
    const uint64_t *own = rj_stones(s, colour);
    for (int d = 0; d < RJ_DIRS; d++)
        if (wins(v->rule, colour, 1 + stones_beside(own, v->size, p, d, -1) + stones_beside(own, v->size, p, d, 1)))
            return true;
    return false;
}

bool rj_state_has_five(const rj_state *s, int colour)
{
    const rj_variant *v = rj_variant_of(s);
    const uint64_t *own = rj_stones(s, colour);
    for (int w = 0; w < v->words; w++)
        for (uint64_t m = own[w]; m; m &= m - 1)
            for (int d = 0, p = w * 64 + __builtin_ctzll(m); d < RJ_DIRS; d++) {
                int n = stones_beside(own, v->size, p, d, 1);
                if (n >= 4 && wins(v->rule, colour, n + 1 + stones_beside(own, v->size, p, d, -1))) return true;
            }
    return false;
}

void rj_state_judge(rj_state *s)
{
    const rj_variant *v = rj_variant_of(s);
    int count = rj_stone_count(s), mover = !s->side;
    s->reason = REASON_NONE;
    s->winner = 0;
    if (s->last != RJ_NO_POINT) {
        if (five_through(s, mover, s->last)) {
            s->reason = REASON_LINE;
            s->winner = (uint8_t)mover;
            return;
        }
        if (v->rule == RJ_RENJU && mover == RJ_BLACK &&
            rj_foul_played(rj_stones(s, 0), rj_stones(s, 1), s->last) != RJ_FINE) {
            s->reason = REASON_FORBIDDEN;
            s->winner = RJ_WHITE;
            return;
        }
    }
    if (count < v->points && (s->cap == 0 || count < s->cap)) return;
    s->reason = count == v->points ? REASON_FULL : REASON_PLIES;
    s->winner = RJ_DRAWN;
}

void rj_state_play(rj_state *s, int p)
{
    assert(s->reason == REASON_NONE && p < rj_variant_of(s)->points && !rj_taken(s, p));
    rj_state_put(s, p, s->side);
    s->last = (uint16_t)p;
    s->side ^= 1;
    rj_state_judge(s);
}

// --- the table's functions

static err set_option(void *ctx, const char *key, const char *value)
{
    rj_state *s = ctx;
    int most = rj_variant_of(s)->points;
    if (strcmp(key, "cap") != 0)
        return err_set(ERR_USAGE, "%s has no option '%s'; there is: cap", rj_variant_of(s)->name, key);
    char *end;
    long cap = strtol(value, &end, 10);
    if (*end != 0 || cap < 0 || cap > most)
        return err_set(ERR_USAGE, "cap=%s: expected a number of stones, 0 to %d", value, most);
    s->cap = (uint16_t)cap;
    return ERR_OK;
}

static err init_variant(void *s, const char *options, int variant)
{
    rj_any_state fresh; // on the side, so that a refused option leaves `s` alone
    rj_state_init(&fresh.s, variant);
    err e = game_options(options, set_option, &fresh.s);
    if (e != ERR_OK) return e;
    memcpy(s, &fresh.s, sizeof(rj_state) + 2 * (size_t)rj_variants[variant].words * 8);
    return ERR_OK;
}

static int seat(const void *state)
{
    const rj_state *s = state;
    return s->reason == REASON_NONE ? s->side : 0;
}

static int legal(const void *state, move_t *out)
{
    const rj_state *s = state;
    const rj_variant *v = rj_variant_of(s);
    int n = 0;
    if (s->reason != REASON_NONE) return 0;
    for (int w = 0; w < v->words; w++) {
        uint64_t empty = ~(s->stones[w] | s->stones[v->words + w]);
        if (w == v->words - 1) empty &= (1ull << v->points % 64) - 1;
        for (; empty; empty &= empty - 1) out[n++] = (move_t)(w * 64 + __builtin_ctzll(empty));
    }
    return n;
}

static void play(void *state, move_t m, step_event *ev)
{
    rj_state *s = state;
    if (ev != NULL) *ev = (step_event){.seat = s->side};
    rj_state_play(s, m);
}

static outcome result(const void *state)
{
    const rj_state *s = state;
    if (s->reason == REASON_NONE) return (outcome){0};
    if (s->winner == RJ_DRAWN) return (outcome){true, s->reason, {0.5f, 0.5f}};
    return (outcome){true, s->reason, {s->winner == RJ_BLACK, s->winner == RJ_WHITE}};
}

static uint64_t hash(const void *state)
{
    const rj_state *s = state;
    uint64_t more = (uint64_t)s->winner << 32 | (uint64_t)s->reason << 24 | (uint64_t)s->cap << 8;
    return s->hash ^ (s->side ? rj_zobrist_side : 0) ^ (more ? rng_mix(more) : 0);
}

static void heads(const void *obs, const move_t *m, int n, uint16_t *index)
{
    (void)obs;
    for (int i = 0; i < n; i++) index[i] = m[i];
}

// --- openings and formats

// The 26 openings of three stones in the official order: black h8; white beside it (D, direct) or at its corner (I,
// indirect); black within two points of the centre.
static const char named[] = "D1 Kansei: h8;h9;h10\n"
                            "D2 Keigetsu: h8;h9;i10\n"
                            "D3 Sosei: h8;h9;j10\n"
                            "D4 Kagetsu: h8;h9;i9\n"
                            "D5 Zangetsu: h8;h9;j9\n"
                            "D6 Ugetsu: h8;h9;i8\n"
                            "D7 Kinsei: h8;h9;j8\n"
                            "D8 Shogetsu: h8;h9;h7\n"
                            "D9 Kyugetsu: h8;h9;i7\n"
                            "D10 Shingetsu: h8;h9;j7\n"
                            "D11 Zuisei: h8;h9;h6\n"
                            "D12 Sangetsu: h8;h9;i6\n"
                            "D13 Yusei: h8;h9;j6\n"
                            "I1 Chosei: h8;i9;j10\n"
                            "I2 Kyogetsu: h8;i9;j9\n"
                            "I3 Kosei: h8;i9;j8\n"
                            "I4 Suigetsu: h8;i9;j7\n"
                            "I5 Ryusei: h8;i9;j6\n"
                            "I6 Ungetsu: h8;i9;i8\n"
                            "I7 Hogetsu: h8;i9;i7\n"
                            "I8 Rangetsu: h8;i9;i6\n"
                            "I9 Gingetsu: h8;i9;h7\n"
                            "I10 Myojo: h8;i9;h6\n"
                            "I11 Shagetsu: h8;i9;g7\n"
                            "I12 Meigetsu: h8;i9;g6\n"
                            "I13 Suisei: h8;i9;f6\n";

static const game_openings lines_renju = {
    .even = rj_even_renju, .named_first = true, .named = named, .name = rj_opening_name};
static const game_openings lines_gomoku = {.even = rj_even_gomoku, .named = named};
static const game_openings lines_freestyle = {.even = rj_even_freestyle, .named = named};
static const game_openings lines_freestyle20 = {.even = rj_even_freestyle20};

static const game_formats formats_renju = {.sgf = 4, .sgf_rules = "Renju", .gomocup = "4"};
static const game_formats formats_gomoku = {.sgf = 4, .sgf_rules = "Standard", .gomocup = "1"};
static const game_formats formats_freestyle = {.sgf = 4, .sgf_rules = "Freestyle", .gomocup = "0"};
static const game_formats formats_freestyle20 = {.sgf = 4, .sgf_rules = "Freestyle", .gomocup = "0"};

// --- the tables: only these know their variant without a state

#define SIZE_FUNCTIONS(size)                                                                                           \
    static move_t sym_move_##size(int sym, move_t m)                                                                   \
    {                                                                                                                  \
        return rj_sym_point(size, sym, m);                                                                             \
    }                                                                                                                  \
    static void sym_planes_##size(int sym, const encoding *e, const uint64_t *in, uint64_t *out)                       \
    {                                                                                                                  \
        rj_sym_planes(size, sym, e->planes, in, out);                                                                  \
    }
SIZE_FUNCTIONS(15)
SIZE_FUNCTIONS(20)

#define TABLE(ident, other, variant, label, page, cells, words, side_length, encs)                                     \
    static err init_##ident(void *s, const char *options, game_key k)                                                  \
    {                                                                                                                  \
        (void)k; /* no chance in this game */                                                                          \
        return init_variant(s, options, variant);                                                                      \
    }                                                                                                                  \
    static err state_parse_##ident(const char *text, void *s)                                                          \
    {                                                                                                                  \
        return rj_state_parse(variant, text, s);                                                                       \
    }                                                                                                                  \
    const game game_##ident = {                                                                                        \
        .name = #ident,                                                                                                \
        .also = other,                                                                                                 \
        .title = label,                                                                                                \
        .options = "cap=N: draw when N stones are on the board; 0 = only when it is full",                             \
        .rules = page,                                                                                                 \
        .flags = 0,                                                                                                    \
        .state_size = sizeof(rj_state) + 2 * (words)*8,                                                                \
        .obs_size = sizeof(rj_state) + 2 * (words)*8,                                                                  \
        .n_seats = 2,                                                                                                  \
        .seats = {{"Black", "X", "X"}, {"White", "O", "O"}},                                                           \
        .notation = "h8: a column and a row, counted from the bottom left",                                            \
        .n_moves = cells,                                                                                              \
        .max_legal = cells,                                                                                            \
        .rows = side_length,                                                                                           \
        .cols = side_length,                                                                                           \
        .n_encodings = (int)(sizeof encs / sizeof *encs),                                                              \
        .encodings = encs,                                                                                             \
        .n_heads = 1,                                                                                                  \
        .head_dim = {cells},                                                                                           \
        .n_syms = 8,                                                                                                   \
        .core = CORE_STONES,                                                                                           \
        .openings = &lines_##ident,                                                                                    \
        .formats = &formats_##ident,                                                                                   \
        .init = init_##ident,                                                                                          \
        .seat = seat,                                                                                                  \
        .legal = legal,                                                                                                \
        .play = play,                                                                                                  \
        .result = result,                                                                                              \
        .hash = hash,                                                                                                  \
        .heads = heads,                                                                                                \
        .sym_planes = sym_planes_##side_length,                                                                        \
        .sym_move = sym_move_##side_length,                                                                            \
        .move_parse = rj_move_parse,                                                                                   \
        .move_print = rj_move_print,                                                                                   \
        .state_parse = state_parse_##ident,                                                                            \
        .state_print = rj_state_print,                                                                                 \
        .draw = rj_draw,                                                                                               \
        .view = rj_view,                                                                                               \
    };
TABLE(renju, NULL, 0, "Renju", "renju", 225, WORDS15, 15, rj_encodings_renju)
TABLE(gomoku, "standard", 1, "Gomoku, exactly five", "gomoku", 225, WORDS15, 15, rj_encodings_gomoku)
TABLE(freestyle, NULL, 2, "Gomoku, freestyle", "gomoku", 225, WORDS15, 15, rj_encodings_gomoku)
TABLE(freestyle20, NULL, 3, "Gomoku, freestyle on 20x20", "gomoku", 400, WORDS20, 20, rj_encodings_gomoku)
