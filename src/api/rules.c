// Games that another program brings: its keiko_rules made into one of our game tables.
//
// A game table's functions get a state and nothing else, so each registered game needs functions of its own that know whose
// they are. A slot is such a set; the macro below stamps out eight. Before a game is taken in, random games are played by
// the rules and everything the rest of keiko relies on is looked at, so that a mistake is a sentence here and not a crash
// in a search.
#include "api/api.h"
#include "base/rng.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 32, TITLE = 96, PLANES_MOST = 256, SIDE_MOST = 20, STATE_MOST = 65536 };

typedef struct slot {
    keiko_rules r;
    game g;
    encoding e;
    char name[NAME], title[TITLE];
} slot;

static slot slots[GAME_MORE];
static int n_slots;

// --- the table's functions, with their slot

static err do_init(const slot *t, void *s, const char *options)
{
    if (options[0] != 0) return err_set(ERR_USAGE, "%s has no options, but '%s' was given", t->name, options);
    memset(s, 0, t->r.state_size);
    t->r.init(s);
    return ERR_OK;
}

static int do_legal(const slot *t, const void *s, move_t *out)
{
    int n = t->r.legal(s, out);
    for (int i = 1; i < n; i++) // searches want them ascending; most rules give them so
        for (int k = i; k > 0 && out[k - 1] > out[k]; k--) {
            move_t m = out[k];
            out[k] = out[k - 1];
            out[k - 1] = m;
        }
    return n;
}

static void do_play(const slot *t, void *s, move_t m, step_event *ev)
{
    if (ev != NULL) *ev = (step_event){.seat = t->r.seat(s)};
    t->r.play(s, m);
}

static outcome do_result(const slot *t, const void *s)
{
    double score[2] = {0.0, 0.0};
    if (t->r.over(s, score) == 0) return (outcome){0};
    return (outcome){.over = true, .reason = REASON_NONE, .score = {(float)score[0], (float)score[1]}};
}

static uint64_t do_hash(const slot *t, const void *s)
{
    if (t->r.hash != NULL) return rng_mix(t->r.hash(s)); // a plain number is fine for the rules, but not for tables
    uint64_t h = 0x9e3779b97f4a7c15u, word = 0;
    const unsigned char *p = s;
    for (size_t i = 0; i < t->r.state_size; i += 8, word = 0) {
        memcpy(&word, p + i, t->r.state_size - i < 8 ? t->r.state_size - i : 8);
        h = rng_mix(h ^ word) + i;
    }
    return h;
}

static size_t plane_words(const slot *t)
{
    return (size_t)(t->r.rows * t->r.cols + 63) / 64;
}

static void do_encode(const slot *t, const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    size_t words = plane_words(t) * (size_t)t->r.planes;
    memset(bits, 0, (size_t)n * words * sizeof *bits);
    for (int i = 0; i < n; i++) {
        float none = 0.0f;
        t->r.encode(obs[i], bits + (size_t)i * words,
                    t->r.scalars > 0 ? scalars + (size_t)i * (size_t)t->r.scalars : &none);
    }
}

static void do_sym_planes(const slot *t, int sym, const uint64_t *in, uint64_t *out)
{
    size_t bytes = plane_words(t) * (size_t)t->r.planes * sizeof *out;
    if (sym == 0 || t->r.symmetry_planes == NULL) {
        memcpy(out, in, bytes);
        return;
    }
    memset(out, 0, bytes);
    t->r.symmetry_planes(sym, in, out);
}

static move_t do_sym_move(const slot *t, int sym, move_t m)
{
    return sym == 0 || t->r.symmetry_move == NULL ? m : t->r.symmetry_move(sym, m);
}

static int do_move_print(const slot *t, const void *s, move_t m, char *buf, size_t n)
{
    return t->r.move_print != NULL ? t->r.move_print(s, m, buf, n) : snprintf(buf, n, "%d", m);
}

// The text of exactly one legal move.
static err do_move_parse(const slot *t, const void *s, const char *text, move_t *m)
{
    char one[128];
    move_t *list = malloc((size_t)t->r.max_legal * sizeof *list);
    if (list == NULL) return err_set(ERR_MEMORY, "no memory for moves");
    int n = t->r.legal(s, list), found = -1;
    for (int i = 0; i < n && found < 0; i++) {
        do_move_print(t, s, list[i], one, sizeof one);
        if (strcmp(one, text) == 0) found = list[i];
    }
    free(list);
    if (found < 0) return err_set(ERR_USAGE, "'%.40s' is no legal move here", text);
    *m = (move_t)found;
    return ERR_OK;
}

static int do_state_print(const slot *t, const void *s, char *buf, size_t n)
{
    if (t->r.state_print != NULL) return t->r.state_print(s, buf, n);
    const unsigned char *p = s;
    size_t len = 2 * t->r.state_size;
    for (size_t i = 0; i < t->r.state_size && 2 * i + 3 <= n; i++) snprintf(buf + 2 * i, 3, "%02x", p[i]);
    if (n > 0 && t->r.state_size == 0) buf[0] = 0;
    return (int)len;
}

static err do_state_parse(const slot *t, const char *text, void *s)
{
    if (strcmp(text, "start") == 0) return do_init(t, s, "");
    if (t->r.state_parse == NULL)
        return err_set(ERR_USAGE, "%s reads no positions, only 'start': give moves instead", t->name);
    memset(s, 0, t->r.state_size);
    return t->r.state_parse(text, s) == 0 ? ERR_OK : err_set(ERR_PARSE, "'%.60s' is no position of %s", text, t->name);
}

static int do_draw(const slot *t, const void *s, char *buf, size_t n)
{
    if (t->r.draw != NULL) return t->r.draw(s, buf, n);
    return do_state_print(t, s, buf, n);
}

// --- eight sets of them

#define SLOT(k)                                                                                                        \
    static err init_##k(void *s, const char *options, game_key key)                                                    \
    {                                                                                                                  \
        (void)key;                                                                                                     \
        return do_init(&slots[k], s, options);                                                                         \
    }                                                                                                                  \
    static int seat_##k(const void *s)                                                                                 \
    {                                                                                                                  \
        return slots[k].r.seat(s);                                                                                     \
    }                                                                                                                  \
    static int legal_##k(const void *s, move_t *out)                                                                   \
    {                                                                                                                  \
        return do_legal(&slots[k], s, out);                                                                            \
    }                                                                                                                  \
    static void play_##k(void *s, move_t m, step_event *ev)                                                            \
    {                                                                                                                  \
        do_play(&slots[k], s, m, ev);                                                                                  \
    }                                                                                                                  \
    static outcome result_##k(const void *s)                                                                           \
    {                                                                                                                  \
        return do_result(&slots[k], s);                                                                                \
    }                                                                                                                  \
    static uint64_t hash_##k(const void *s)                                                                            \
    {                                                                                                                  \
        return do_hash(&slots[k], s);                                                                                  \
    }                                                                                                                  \
    static void encode_##k(const void *const *obs, int n, uint64_t *bits, float *scalars)                              \
    {                                                                                                                  \
        do_encode(&slots[k], obs, n, bits, scalars);                                                                   \
    }                                                                                                                  \
    static void sym_planes_##k(int sym, const encoding *e, const uint64_t *in, uint64_t *out)                          \
    {                                                                                                                  \
        (void)e;                                                                                                       \
        do_sym_planes(&slots[k], sym, in, out);                                                                        \
    }                                                                                                                  \
    static move_t sym_move_##k(int sym, move_t m)                                                                      \
    {                                                                                                                  \
        return do_sym_move(&slots[k], sym, m);                                                                         \
    }                                                                                                                  \
    static err move_parse_##k(const void *obs, const char *text, move_t *m)                                            \
    {                                                                                                                  \
        return do_move_parse(&slots[k], obs, text, m);                                                                 \
    }                                                                                                                  \
    static int move_print_##k(const void *obs, move_t m, char *buf, size_t n)                                          \
    {                                                                                                                  \
        return do_move_print(&slots[k], obs, m, buf, n);                                                               \
    }                                                                                                                  \
    static err state_parse_##k(const char *text, void *s)                                                              \
    {                                                                                                                  \
        return do_state_parse(&slots[k], text, s);                                                                     \
    }                                                                                                                  \
    static int state_print_##k(const void *s, char *buf, size_t n)                                                     \
    {                                                                                                                  \
        return do_state_print(&slots[k], s, buf, n);                                                                   \
    }                                                                                                                  \
    static int draw_##k(const void *obs, move_t last, bool colour, char *buf, size_t n)                                \
    {                                                                                                                  \
        (void)last;                                                                                                    \
        (void)colour;                                                                                                  \
        return do_draw(&slots[k], obs, buf, n);                                                                        \
    }

#define ROW(k)                                                                                                         \
    {                                                                                                                  \
        .init = init_##k, .seat = seat_##k, .legal = legal_##k, .play = play_##k, .result = result_##k,                \
        .hash = hash_##k, .sym_planes = sym_planes_##k, .sym_move = sym_move_##k, .move_parse = move_parse_##k,        \
        .move_print = move_print_##k, .state_parse = state_parse_##k, .state_print = state_print_##k, .draw = draw_##k \
    }

// clang-format off
SLOT(0) SLOT(1) SLOT(2) SLOT(3) SLOT(4) SLOT(5) SLOT(6) SLOT(7)
static const game tables[GAME_MORE] = {ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7)};
static void (*const encoders[GAME_MORE])(const void *const *, int, uint64_t *, float *) = {
    encode_0, encode_1, encode_2, encode_3, encode_4, encode_5, encode_6, encode_7};
// clang-format on

static void same_index(const void *obs, const move_t *m, int n, uint16_t *index)
{
    (void)obs;
    memcpy(index, m, (size_t)n * sizeof *index); // one head: a move is its own logit
}

// --- are the rules ones that can be relied on?

static err check_numbers(const keiko_rules *r)
{
    if (r->name == NULL || r->name[0] == 0 || strlen(r->name) >= NAME ||
        r->name[strspn(r->name, "abcdefghijklmnopqrstuvwxyz0123456789-")] != 0)
        return err_set(ERR_USAGE, "a game's name is 1 to %d of a-z, 0-9 and -", NAME - 1);
    if (r->init == NULL || r->seat == NULL || r->legal == NULL || r->play == NULL || r->over == NULL ||
        r->encode == NULL)
        return err_set(ERR_USAGE, "%s: init, seat, legal, play, over and encode must be there", r->name);
    if (r->state_size == 0 || r->state_size > STATE_MOST)
        return err_set(ERR_USAGE, "%s: state_size must be 1 to %d", r->name, STATE_MOST);
    if (r->moves < 1 || r->moves > 65534 || r->max_legal < 1 || r->max_legal > r->moves)
        return err_set(ERR_USAGE, "%s: moves must be 1 to 65534, max_legal 1 to moves", r->name);
    if (r->rows < 1 || r->rows > SIDE_MOST || r->cols < 1 || r->cols > SIDE_MOST)
        return err_set(ERR_USAGE, "%s: rows and cols must be 1 to %d", r->name, SIDE_MOST);
    if (r->planes < 1 || r->planes > PLANES_MOST || r->scalars < 0 || r->scalars > PLANES_MOST)
        return err_set(ERR_USAGE, "%s: planes must be 1 to %d, scalars 0 to %d", r->name, PLANES_MOST, PLANES_MOST);
    if (r->symmetries < 0 || r->symmetries > GAME_MAX_SYMS)
        return err_set(ERR_USAGE, "%s: symmetries must be 0 to %d", r->name, GAME_MAX_SYMS);
    if (r->symmetries > 1 && (r->symmetry_planes == NULL || r->symmetry_move == NULL))
        return err_set(ERR_USAGE, "%s: symmetries need symmetry_planes and symmetry_move", r->name);
    return ERR_OK;
}

typedef struct trial {
    const slot *t;
    void *state, *twin;
    move_t *moves, *turned_moves;
    uint64_t *bits, *turned, *twins;
    float *scalars, *twins_scalars;
    char *seen; // [n_moves]
    size_t n_moves;
} trial;

// Every symmetry turns the moves among themselves.
static err check_move_symmetries(trial *c)
{
    const keiko_rules *r = &c->t->r;
    for (int sym = 1; sym < r->symmetries; sym++) {
        memset(c->seen, 0, c->n_moves);
        for (int m = 0; m < r->moves; m++) {
            move_t to = r->symmetry_move(sym, (move_t)m);
            if (to >= r->moves || c->seen[to])
                return err_set(ERR_USAGE, "%s: symmetry %d takes move %d to %d, which is %s", r->name, sym, m, to,
                               to >= r->moves ? "no move" : "another move's place");
            c->seen[to] = 1;
        }
    }
    return ERR_OK;
}

static err check_encoding(trial *c, int ply)
{
    const slot *t = c->t;
    size_t words = plane_words(t), last = (size_t)(t->r.rows * t->r.cols) % 64;
    const void *obs = c->state;
    do_encode(t, &obs, 1, c->bits, c->scalars);
    uint64_t beyond = last == 0 ? 0 : ~(uint64_t)0 << last;
    for (int p = 0; p < t->r.planes; p++)
        if (c->bits[((size_t)p + 1) * words - 1] & beyond)
            return err_set(ERR_USAGE, "%s: ply %d: encode sets a bit of plane %d outside the board", t->name, ply, p);
    for (int sym = 1; sym < t->r.symmetries; sym++) {
        int before = 0, after = 0;
        do_sym_planes(t, sym, c->bits, c->turned);
        for (size_t i = 0; i < words * (size_t)t->r.planes; i++) {
            before += __builtin_popcountll(c->bits[i]);
            after += __builtin_popcountll(c->turned[i]);
        }
        if (before != after)
            return err_set(ERR_USAGE, "%s: ply %d: symmetry %d turns %d bits into %d", t->name, ply, sym, before,
                           after);
    }
    return ERR_OK;
}

// Does `twin` look like `state` turned by `sym`, with the same moves turned?
static err check_twins(trial *c, int sym, int ply)
{
    const slot *t = c->t;
    size_t words = plane_words(t) * (size_t)t->r.planes;
    const void *a = c->state, *b = c->twin;
    do_encode(t, &a, 1, c->bits, c->scalars);
    do_encode(t, &b, 1, c->twins, c->twins_scalars);
    do_sym_planes(t, sym, c->bits, c->turned);
    if (memcmp(c->turned, c->twins, words * sizeof *c->turned) != 0 ||
        memcmp(c->scalars, c->twins_scalars, (size_t)t->r.scalars * sizeof *c->scalars) != 0)
        return err_set(
            ERR_USAGE,
            "%s: ply %d: symmetry_move(%d, …) contradicts symmetry_planes: after the turned moves the board is "
            "not the turned board",
            t->name, ply, sym);
    int n = do_legal(t, c->state, c->moves), m = do_legal(t, c->twin, c->turned_moves);
    memset(c->seen, 0, c->n_moves);
    for (int i = 0; i < m; i++)
        if (c->turned_moves[i] < t->r.moves) c->seen[c->turned_moves[i]] = 1;
    for (int i = 0; i < n && n == m; i++)
        if (!c->seen[t->r.symmetry_move(sym, c->moves[i])]) m = -1;
    if (n != m)
        return err_set(ERR_USAGE,
                       "%s: ply %d: symmetry_move(%d, …) contradicts symmetry_planes: on the turned board the turned "
                       "moves are not the legal ones",
                       t->name, ply, sym);
    return ERR_OK;
}

// A game and its twin, whose moves are turned: the boards must stay turned images of each other. Only for symmetries that
// leave the start as it is; the others are seen by how they follow each other (check_products).
static err check_twin_games(trial *c, int sym)
{
    enum { GAMES = 6, PLIES = 200 };
    const slot *t = c->t;
    for (uint64_t k = 0; k < GAMES; k++) {
        rng r = rng_at(0x73796d, k, (uint32_t)sym);
        err e = do_init(t, c->state, "");
        if (e == ERR_OK) e = do_init(t, c->twin, "");
        for (int ply = 0; e == ERR_OK && ply < PLIES; ply++) {
            e = check_twins(c, sym, ply);
            int n = e == ERR_OK ? do_legal(t, c->state, c->moves) : 0;
            if (n == 0) break;
            move_t m = c->moves[rng_below(&r, (uint32_t)n)];
            t->r.play(c->state, m);
            t->r.play(c->twin, t->r.symmetry_move(sym, m));
        }
        if (e != ERR_OK) return e;
    }
    return ERR_OK;
}

static bool keeps_start(trial *c, int sym)
{
    const slot *t = c->t;
    const void *obs = c->state;
    if (do_init(t, c->state, "") != ERR_OK) return false;
    do_encode(t, &obs, 1, c->bits, c->scalars);
    do_sym_planes(t, sym, c->bits, c->turned);
    return memcmp(c->bits, c->turned, plane_words(t) * (size_t)t->r.planes * sizeof *c->bits) == 0;
}

// Do the planes of `a` and then `b` look as those of `third`? Tried on random boards, which tells any two permutations of
// cells apart.
static bool is_product(trial *c, int a, int b, int third)
{
    enum { BOARDS = 32 };
    const slot *t = c->t;
    size_t words = plane_words(t), all = words * (size_t)t->r.planes;
    int last = t->r.rows * t->r.cols % 64;
    rng r = rng_at(0x70726f64, 0, 0);
    for (int k = 0; k < BOARDS; k++) {
        for (size_t i = 0; i < all; i++) {
            c->bits[i] = rng_u64(&r);
            if (last != 0 && i % words == words - 1) c->bits[i] &= ((uint64_t)1 << last) - 1;
        }
        do_sym_planes(t, a, c->bits, c->turned);
        do_sym_planes(t, b, c->turned, c->twins);
        do_sym_planes(t, third, c->bits, c->turned);
        if (memcmp(c->twins, c->turned, all * sizeof *c->twins) != 0) return false;
    }
    return true;
}

// Where one symmetry after another moves every cell as a third one does, the moves must go the same way.
static err check_products(trial *c)
{
    const slot *t = c->t;
    for (int a = 1; a < t->r.symmetries; a++)
        for (int b = 1; b < t->r.symmetries; b++)
            for (int third = 0; third < t->r.symmetries; third++) {
                if (!is_product(c, a, b, third)) continue;
                for (int m = 0; m < t->r.moves; m++)
                    if (do_sym_move(t, b, do_sym_move(t, a, (move_t)m)) != do_sym_move(t, third, (move_t)m))
                        return err_set(ERR_USAGE,
                                       "%s: symmetry_move contradicts symmetry_planes: the planes of symmetries %d and "
                                       "then %d are those of %d, but move %d goes elsewhere",
                                       t->name, a, b, third, m);
            }
    return ERR_OK;
}

static err check_symmetries(trial *c)
{
    err e = check_move_symmetries(c);
    for (int sym = 1; e == ERR_OK && sym < c->t->r.symmetries; sym++)
        if (keeps_start(c, sym)) e = check_twin_games(c, sym);
    return e == ERR_OK ? check_products(c) : e;
}

// What is printed must be read back to the same bytes.
static err check_text(trial *c, int ply)
{
    const slot *t = c->t;
    char text[GAME_TEXT];
    if (t->r.state_parse == NULL) return ERR_OK;
    int n = do_state_print(t, c->state, text, sizeof text);
    if (n < 0 || (size_t)n >= sizeof text)
        return err_set(ERR_USAGE, "%s: ply %d: state_print needs more than %zu characters", t->name, ply, sizeof text);
    if (do_state_parse(t, text, c->twin) != ERR_OK || memcmp(c->state, c->twin, t->r.state_size) != 0)
        return err_set(ERR_USAGE, "%s: ply %d: state_parse does not read back what state_print wrote: '%.60s'", t->name,
                       ply, text);
    return ERR_OK;
}

static err check_position(trial *c, int ply, int *n)
{
    const keiko_rules *r = &c->t->r;
    double score[2] = {-1.0, -1.0};
    bool over = r->over(c->state, score) != 0;
    int seat = r->seat(c->state);
    *n = r->legal(c->state, c->moves);
    if (seat != 0 && seat != 1) return err_set(ERR_USAGE, "%s: ply %d: seat is %d, not 0 or 1", r->name, ply, seat);
    if (*n < 0 || *n > r->max_legal)
        return err_set(ERR_USAGE, "%s: ply %d: %d legal moves, but max_legal is %d", r->name, ply, *n, r->max_legal);
    if (over != (*n == 0))
        return err_set(ERR_USAGE, "%s: ply %d: the game is %s, but there are %d legal moves", r->name, ply,
                       over ? "over" : "not over", *n);
    if (over && !(score[0] >= 0.0 && score[1] >= 0.0 && score[0] + score[1] == 1.0))
        return err_set(ERR_USAGE, "%s: ply %d: the scores are %g and %g; they must be 1 and 0, 0 and 1, or both 0.5",
                       r->name, ply, score[0], score[1]);
    memset(c->seen, 0, c->n_moves);
    for (int i = 0; i < *n; i++) {
        if (c->moves[i] >= r->moves || c->seen[c->moves[i]])
            return err_set(ERR_USAGE, "%s: ply %d: legal gives move %d %s", r->name, ply, c->moves[i],
                           c->moves[i] >= r->moves ? "beyond the last" : "twice");
        c->seen[c->moves[i]] = 1;
    }
    err e = check_encoding(c, ply);
    return e == ERR_OK ? check_text(c, ply) : e;
}

static err play_trials(trial *c)
{
    enum { GAMES = 24, PLIES = 20000 };
    const slot *t = c->t;
    size_t size = t->r.state_size;
    for (uint64_t k = 0; k < GAMES; k++) {
        rng r = rng_at(0x6b65696b6f, k, 0);
        err e = do_init(t, c->state, "");
        int n = 1;
        for (int ply = 0; e == ERR_OK && n > 0; ply++) {
            e = check_position(c, ply, &n);
            if (e != ERR_OK || n == 0) break;
            if (ply == PLIES)
                return err_set(ERR_USAGE, "%s: a random game does not end within %d moves", t->name, PLIES);
            move_t m = c->moves[rng_below(&r, (uint32_t)n)];
            memcpy(c->twin, c->state, size);
            t->r.play(c->state, m);
            t->r.play(c->twin, m);
            if (do_hash(t, c->state) != do_hash(t, c->twin))
                return err_set(ERR_USAGE, "%s: ply %d: the same move gives two different positions", t->name, ply);
        }
        if (e != ERR_OK) return e;
    }
    return ERR_OK;
}

static err try_out(const slot *t)
{
    const keiko_rules *r = &t->r;
    size_t words = plane_words(t) * (size_t)r->planes;
    trial c = {.t = t,
               .n_moves = (size_t)r->moves,
               .state = malloc(r->state_size),
               .twin = malloc(r->state_size),
               .moves = malloc((size_t)r->moves * sizeof *c.moves), // more than max_legal: a wrong bound must not hurt
               .bits = malloc(words * sizeof *c.bits),
               .turned_moves = malloc((size_t)r->moves * sizeof *c.moves),
               .turned = malloc(words * sizeof *c.turned),
               .twins = malloc(words * sizeof *c.twins),
               .scalars = calloc((size_t)(r->scalars + 1), sizeof *c.scalars),
               .twins_scalars = calloc((size_t)(r->scalars + 1), sizeof *c.scalars),
               .seen = malloc((size_t)r->moves)};
    bool all = c.state && c.twin && c.moves && c.turned_moves && c.bits && c.turned && c.twins && c.scalars &&
               c.twins_scalars && c.seen;
    // The games come first: what the symmetries are tried on must be sound.
    err e = all ? play_trials(&c) : err_set(ERR_MEMORY, "no memory to try %s out", t->name);
    if (e == ERR_OK) e = check_symmetries(&c);
    free(c.state);
    free(c.twin);
    free(c.moves);
    free(c.bits);
    free(c.turned_moves);
    free(c.turned);
    free(c.twins);
    free(c.scalars);
    free(c.twins_scalars);
    free(c.seen);
    return e;
}

static void fill_slot(slot *t, int k, const keiko_rules *rules)
{
    *t = (slot){.r = *rules};
    snprintf(t->name, sizeof t->name, "%s", rules->name);
    snprintf(t->title, sizeof t->title, "%s", rules->title == NULL ? rules->name : rules->title);
    t->r.name = t->name;
    t->r.title = t->title;
    t->e = (encoding){"planes", rules->planes, rules->scalars, encoders[k]};
    t->g = tables[k];
    t->g.name = t->name;
    t->g.title = t->title;
    t->g.options = "";
    t->g.flags = rules->cycles ? G_CYCLES : 0;
    t->g.state_size = t->g.obs_size = (uint32_t)rules->state_size;
    t->g.n_seats = 2;
    t->g.n_moves = rules->moves;
    t->g.max_legal = rules->max_legal;
    t->g.rows = rules->rows;
    t->g.cols = rules->cols;
    t->g.n_encodings = 1;
    t->g.encodings = &t->e;
    t->g.n_heads = 1;
    t->g.head_dim[0] = rules->moves;
    t->g.n_syms = rules->symmetries > 1 ? rules->symmetries : 1;
    t->g.heads = same_index;
}

int keiko_game_register(const keiko_rules *given, const keiko_game **out)
{
    const game *there;
    keiko_rules whole = {.size = sizeof whole};
    const keiko_rules *rules = &whole;
    if (given->size != sizeof whole && given->size != offsetof(keiko_rules, state_parse)) // as it was in version 2
        return (int)err_set(ERR_USAGE,
                            "keiko_rules has %zu bytes here and %zu in your program: compile it against this library",
                            sizeof whole, given->size);
    memcpy(&whole, given, given->size);
    err e = check_numbers(rules);
    if (e != ERR_OK) return (int)e;
    if (game_find(rules->name, &there) == ERR_OK)
        return (int)err_set(ERR_USAGE, "there is a game '%s' already", rules->name);
    if (n_slots == GAME_MORE) return (int)err_set(ERR_LIMIT, "at most %d games can be added", GAME_MORE);
    slot *t = &slots[n_slots];
    fill_slot(t, n_slots, rules);
    e = try_out(t);
    if (e == ERR_OK) e = game_register(&t->g);
    if (e != ERR_OK) return (int)e;
    n_slots++;
    *out = api_outer(&t->g);
    return 0;
}
