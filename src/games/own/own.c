// Games that another program brings: its keiko_rules made into one of our game tables.
//
// A game table's functions get a state and nothing else, so each registered game needs functions of its own that know whose
// they are. A slot is such a set; the macro below stamps out eight. Before a game is taken in, its rules are tried out
// (own_check.c).
#include "games/own/own.h"

#include "base/rng.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TITLE = 96, NOTATION = 200, SEAT = 24 };

typedef struct slot {
    keiko_rules r;
    game g;
    encoding e;
    char name[OWN_NAME], title[TITLE], notation[NOTATION], seats[2][SEAT];
    text_buf text; // what `keiko rules` prints
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

// One head: a move is its own logit, or that of its place as the mover sees the board.
static void do_heads(const slot *t, const void *obs, const move_t *m, int n, uint16_t *index)
{
    for (int i = 0; i < n; i++) index[i] = t->r.move_index == NULL ? m[i] : t->r.move_index(obs, m[i]);
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
    char one[OWN_MOVE_TEXT];
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
    char why[200] = "";
    memset(s, 0, t->r.state_size);
    if (t->r.state_parse(text, s, why, sizeof why) == 0) return ERR_OK;
    why[sizeof why - 1] = 0;
    return err_set(ERR_PARSE, "'%.60s' is no position of %s%s%s", text, t->name, why[0] != 0 ? ": " : "", why);
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
    static void heads_##k(const void *obs, const move_t *m, int n, uint16_t *index)                                    \
    {                                                                                                                  \
        do_heads(&slots[k], obs, m, n, index);                                                                         \
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
        .hash = hash_##k, .heads = heads_##k, .sym_planes = sym_planes_##k, .sym_move = sym_move_##k,                  \
        .move_parse = move_parse_##k, .move_print = move_print_##k, .state_parse = state_parse_##k,                    \
        .state_print = state_print_##k, .draw = draw_##k                                                               \
    }

// clang-format off
SLOT(0) SLOT(1) SLOT(2) SLOT(3) SLOT(4) SLOT(5) SLOT(6) SLOT(7)
static const game tables[GAME_MORE] = {ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7)};
static void (*const encoders[GAME_MORE])(const void *const *, int, uint64_t *, float *) = {
    encode_0, encode_1, encode_2, encode_3, encode_4, encode_5, encode_6, encode_7};
// clang-format on

// Title, seats, the game's own words, notation.
static void fill_text(slot *t)
{
    text_buf *out = &t->text;
    text_printf(out, "# %s\n\nTwo players: ", t->title);
    for (int i = 0; i < 2; i++) {
        char name[GAME_SEAT_TEXT];
        text_printf(out, "%s%s", game_seat_name(&t->g, i, false, name), i == 0 ? " and " : ".\n");
    }
    if (t->r.rules != NULL) text_printf(out, "\n%s\n", t->r.rules);
    if (t->g.notation != NULL) text_printf(out, "\nA move is typed like this: %s.\n", t->g.notation);
    t->g.text = text_str(out);
}

static void fill_slot(slot *t, int k, const keiko_rules *rules)
{
    text_free(&t->text); // of rules that were refused
    *t = (slot){.r = *rules};
    snprintf(t->name, sizeof t->name, "%s", rules->name);
    snprintf(t->title, sizeof t->title, "%s", rules->title == NULL ? rules->name : rules->title);
    snprintf(t->notation, sizeof t->notation, "%s", rules->notation == NULL ? "" : rules->notation);
    size_t end = strlen(t->notation);
    while (end > 0 && strchr(". \n", t->notation[end - 1]) != NULL) t->notation[--end] = 0; // sentences go on behind it
    for (int i = 0; i < 2; i++)
        snprintf(t->seats[i], sizeof t->seats[i], "%s", rules->seat_names[i] == NULL ? "" : rules->seat_names[i]);
    t->r.name = t->name;
    t->r.title = t->title;
    t->e = (encoding){"planes", rules->planes, rules->scalars, encoders[k], NULL};
    t->g = tables[k];
    t->g.name = t->name;
    t->g.title = t->title;
    t->g.options = "";
    t->g.flags = rules->cycles ? G_CYCLES : 0;
    t->g.state_size = t->g.obs_size = (uint32_t)rules->state_size;
    t->g.n_seats = 2;
    t->g.notation = t->notation[0] != 0 ? t->notation : NULL;
    for (int i = 0; i < 2 && t->seats[0][0] != 0 && t->seats[1][0] != 0; i++) t->g.seats[i].name = t->seats[i];
    t->g.n_moves = rules->moves;
    t->g.max_legal = rules->max_legal;
    t->g.rows = rules->rows;
    t->g.cols = rules->cols;
    t->g.n_encodings = 1;
    t->g.encodings = &t->e;
    t->g.n_heads = 1;
    t->g.head_dim[0] = rules->moves;
    t->g.n_syms = rules->symmetries > 1 ? rules->symmetries : 1;
    fill_text(t);
}

err own_game_add(const keiko_rules *given, const game **out)
{
    const game *there;
    keiko_rules whole = {.size = sizeof whole};
    const keiko_rules *rules = &whole;
    if (given->size != sizeof whole && given->size != offsetof(keiko_rules, state_parse)) // as it was in version 2
        return err_set(
            ERR_USAGE,
            "keiko_rules.size is %zu, not %zu: set it to sizeof(keiko_rules), and compile against the header "
            "of this library",
            given->size, sizeof whole);
    memcpy(&whole, given, given->size);
    err e = own_check_numbers(rules);
    if (e != ERR_OK) return e;
    if (game_find(rules->name, &there) == ERR_OK)
        return err_set(ERR_USAGE, "there is a game '%s' already", rules->name);
    if (n_slots == GAME_MORE) return err_set(ERR_LIMIT, "at most %d games can be added", GAME_MORE);
    slot *t = &slots[n_slots];
    fill_slot(t, n_slots, rules);
    e = own_check_play(&t->r, &t->g);
    if (e == ERR_OK) e = game_register(&t->g);
    if (e != ERR_OK) return e;
    n_slots++;
    *out = &t->g;
    return ERR_OK;
}
