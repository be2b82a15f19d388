// Are a game's rules ones that can be relied on? See own.h.
//
// Random games are played by them and everything the rest of keiko relies on is looked at, so that a mistake is a sentence
// here and not a crash in a search.
#include "base/memory.h"
#include "games/own/own.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PLANES_MOST = 256, SIDE_MOST = 20, STATE_MOST = 65536, GUARD = 256 };

volatile own_trial own_trial_now;

static const char *missing_function(const keiko_rules *r)
{
    return r->init == NULL     ? "init"
           : r->seat == NULL   ? "seat"
           : r->legal == NULL  ? "legal"
           : r->play == NULL   ? "play"
           : r->over == NULL   ? "over"
           : r->encode == NULL ? "encode"
                               : NULL;
}

err own_check_numbers(const keiko_rules *r)
{
    if (r->name == NULL || r->name[0] == 0 || strlen(r->name) >= OWN_NAME ||
        r->name[strspn(r->name, "abcdefghijklmnopqrstuvwxyz0123456789-")] != 0)
        return err_set(ERR_USAGE, "a game's name is 1 to %d of a-z, 0-9 and -", OWN_NAME - 1);
    if (missing_function(r) != NULL)
        return err_set(ERR_USAGE, "%s: the function %s is missing", r->name, missing_function(r));
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
    const keiko_rules *r;
    const game *g;
    // GUARD bytes behind the states, planes and scalars show whether a function writes more than it may.
    void *state, *twin;
    move_t *moves, *turned_moves;
    uint64_t *text_hash;
    bool moved[2]; // has this seat been to move?
    uint64_t *bits, *turned, *twins;
    float *scalars, *twins_scalars;
    char *seen; // [n_moves]
    size_t n_moves;
} trial;

// What comes next, should it crash.
static void trying(const char *function)
{
    own_trial_now.function = function;
}

static void set_guard(void *p, size_t size)
{
    memset((unsigned char *)p + size, 0xa5, GUARD);
}

static bool guard_holds(const void *p, size_t size)
{
    for (size_t i = 0; i < GUARD; i++)
        if (((const unsigned char *)p)[size + i] != 0xa5) return false;
    return true;
}

static err check_state(const trial *c, const void *state, const char *function)
{
    if (guard_holds(state, c->r->state_size)) return ERR_OK;
    return err_set(ERR_USAGE, "%s: %s writes more than state_size (%zu) bytes", c->r->name, function, c->r->state_size);
}

static err begin(const trial *c, void *state)
{
    set_guard(state, c->r->state_size);
    own_trial_now.ply = 0;
    trying("init");
    err e = c->g->init(state, "", (game_key){0});
    return e == ERR_OK ? check_state(c, state, "init") : e;
}

static size_t words_of(const trial *c)
{
    return (size_t)game_plane_words(c->g);
}

static size_t plane_bytes(const trial *c)
{
    return words_of(c) * (size_t)c->r->planes * sizeof *c->bits;
}

static void turn(const trial *c, int sym, const uint64_t *in, uint64_t *out)
{
    c->g->sym_planes(sym, c->g->encodings, in, out);
}

// Nobody but us asks for symmetry 0, and programs of version 2 may rely on that.
static bool asks_identity(const keiko_rules *r)
{
    return r->symmetries > 1 && r->size == sizeof *r;
}

// Every symmetry turns the moves among themselves.
static err check_move_symmetries(trial *c)
{
    const keiko_rules *r = c->r;
    trying("symmetry_move");
    for (int m = 0; m < r->moves && asks_identity(r); m++)
        if (r->symmetry_move(0, (move_t)m) != m)
            return err_set(ERR_USAGE, "%s: symmetry 0 must be the identity, but symmetry_move(0, %d) is %d", r->name, m,
                           r->symmetry_move(0, (move_t)m));
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
    const keiko_rules *r = c->r;
    size_t words = words_of(c), last = (size_t)(r->rows * r->cols) % 64;
    size_t scalar_bytes = (size_t)r->scalars * sizeof *c->scalars;
    trying("encode");
    memset(c->bits, 0, plane_bytes(c));
    set_guard(c->bits, plane_bytes(c));
    set_guard(c->scalars, scalar_bytes);
    r->encode(c->state, c->bits, c->scalars);
    if (!guard_holds(c->bits, plane_bytes(c)))
        return err_set(ERR_USAGE, "%s: ply %d: encode writes beyond its planes; planes is %d", r->name, ply, r->planes);
    if (!guard_holds(c->scalars, scalar_bytes))
        return err_set(ERR_USAGE, "%s: ply %d: encode writes beyond its scalars; scalars is %d", r->name, ply,
                       r->scalars);
    uint64_t beyond = last == 0 ? 0 : ~(uint64_t)0 << last;
    for (int p = 0; p < r->planes; p++)
        if (c->bits[((size_t)p + 1) * words - 1] & beyond)
            return err_set(ERR_USAGE, "%s: ply %d: encode sets a bit of plane %d outside the board", r->name, ply, p);
    trying("symmetry_planes");
    if (asks_identity(r)) {
        memset(c->turned, 0, plane_bytes(c));
        r->symmetry_planes(0, c->bits, c->turned);
        if (memcmp(c->bits, c->turned, plane_bytes(c)) != 0)
            return err_set(ERR_USAGE,
                           "%s: ply %d: symmetry 0 must be the identity, but symmetry_planes(0, …) changes the planes",
                           r->name, ply);
    }
    for (int sym = 1; sym < r->symmetries; sym++) {
        int before = 0, after = 0;
        set_guard(c->turned, plane_bytes(c));
        turn(c, sym, c->bits, c->turned);
        if (!guard_holds(c->turned, plane_bytes(c)))
            return err_set(ERR_USAGE, "%s: ply %d: symmetry_planes writes beyond its planes; planes is %d", r->name,
                           ply, r->planes);
        for (size_t i = 0; i < words * (size_t)r->planes; i++) {
            before += __builtin_popcountll(c->bits[i]);
            after += __builtin_popcountll(c->turned[i]);
        }
        if (before != after)
            return err_set(ERR_USAGE, "%s: ply %d: symmetry %d turns %d bits into %d", r->name, ply, sym, before,
                           after);
    }
    return ERR_OK;
}

// Does `twin` look like `state` turned by `sym`, with the same moves turned?
static err check_twins(trial *c, int sym, int ply)
{
    const keiko_rules *r = c->r;
    const void *a = c->state, *b = c->twin;
    c->g->encodings[0].encode(&a, 1, c->bits, c->scalars);
    c->g->encodings[0].encode(&b, 1, c->twins, c->twins_scalars);
    turn(c, sym, c->bits, c->turned);
    if (memcmp(c->turned, c->twins, plane_bytes(c)) != 0 ||
        memcmp(c->scalars, c->twins_scalars, (size_t)r->scalars * sizeof *c->scalars) != 0)
        return err_set(
            ERR_USAGE,
            "%s: ply %d: symmetry_move(%d, …) contradicts symmetry_planes: after the turned moves the board is "
            "not the turned board",
            r->name, ply, sym);
    int n = c->g->legal(c->state, c->moves), m = c->g->legal(c->twin, c->turned_moves);
    memset(c->seen, 0, c->n_moves);
    for (int i = 0; i < m; i++)
        if (c->turned_moves[i] < r->moves) c->seen[c->turned_moves[i]] = 1;
    for (int i = 0; i < n && n == m; i++)
        if (!c->seen[r->symmetry_move(sym, c->moves[i])]) m = -1;
    for (int i = 0; i < m && r->move_index != NULL; i++)
        if (r->move_index(c->state, c->turned_moves[i]) != r->move_index(c->twin, c->turned_moves[i]))
            return err_set(
                ERR_USAGE,
                "%s: ply %d: move_index must depend on the seat and the move only, but symmetry %d changes it", r->name,
                ply, sym);
    if (n != m)
        return err_set(ERR_USAGE,
                       "%s: ply %d: symmetry_move(%d, …) contradicts symmetry_planes: on the turned board the turned "
                       "moves are not the legal ones",
                       r->name, ply, sym);
    return ERR_OK;
}

// A game and its twin, whose moves are turned: the boards must stay turned images of each other. Only for symmetries that
// leave the start as it is; the others are seen by how they follow each other (check_products).
static err check_twin_games(trial *c, int sym)
{
    enum { GAMES = 6, PLIES = 200 };
    const keiko_rules *r = c->r;
    for (uint64_t k = 0; k < GAMES; k++) {
        rng random = rng_at(0x73796d, k, (uint32_t)sym);
        err e = begin(c, c->state);
        if (e == ERR_OK) e = begin(c, c->twin);
        trying("the functions for symmetries");
        for (int ply = 0; e == ERR_OK && ply < PLIES; ply++) {
            own_trial_now.ply = ply;
            e = check_twins(c, sym, ply);
            int n = e == ERR_OK ? c->g->legal(c->state, c->moves) : 0;
            if (n == 0) break;
            move_t m = c->moves[rng_below(&random, (uint32_t)n)];
            r->play(c->state, m);
            r->play(c->twin, r->symmetry_move(sym, m));
        }
        if (e != ERR_OK) return e;
    }
    return ERR_OK;
}

static bool keeps_start(trial *c, int sym)
{
    const void *obs = c->state;
    if (begin(c, c->state) != ERR_OK) return false;
    c->g->encodings[0].encode(&obs, 1, c->bits, c->scalars);
    turn(c, sym, c->bits, c->turned);
    return memcmp(c->bits, c->turned, plane_bytes(c)) == 0;
}

// Do the planes of `a` and then `b` look as those of `third`? Tried on random boards, which tells any two permutations of
// cells apart.
static bool is_product(trial *c, int a, int b, int third)
{
    enum { BOARDS = 32 };
    const keiko_rules *r = c->r;
    size_t words = words_of(c), all = words * (size_t)r->planes;
    int last = r->rows * r->cols % 64;
    rng random = rng_at(0x70726f64, 0, 0);
    for (int k = 0; k < BOARDS; k++) {
        for (size_t i = 0; i < all; i++) {
            c->bits[i] = rng_u64(&random);
            if (last != 0 && i % words == words - 1) c->bits[i] &= ((uint64_t)1 << last) - 1;
        }
        turn(c, a, c->bits, c->turned);
        turn(c, b, c->turned, c->twins);
        turn(c, third, c->bits, c->turned);
        if (memcmp(c->twins, c->turned, all * sizeof *c->twins) != 0) return false;
    }
    return true;
}

// Where one symmetry after another moves every cell as a third one does, the moves must go the same way.
static err check_products(trial *c)
{
    const keiko_rules *r = c->r;
    for (int a = 1; a < r->symmetries; a++)
        for (int b = 1; b < r->symmetries; b++)
            for (int third = 0; third < r->symmetries; third++) {
                if (!is_product(c, a, b, third)) continue;
                for (int m = 0; m < r->moves; m++)
                    if (c->g->sym_move(b, c->g->sym_move(a, (move_t)m)) != c->g->sym_move(third, (move_t)m))
                        return err_set(ERR_USAGE,
                                       "%s: symmetry_move contradicts symmetry_planes: the planes of symmetries %d and "
                                       "then %d are those of %d, but move %d goes elsewhere",
                                       r->name, a, b, third, m);
            }
    return ERR_OK;
}

static err check_symmetries(trial *c)
{
    err e = check_move_symmetries(c);
    for (int sym = 1; e == ERR_OK && sym < c->r->symmetries; sym++)
        if (keeps_start(c, sym)) e = check_twin_games(c, sym);
    return e == ERR_OK ? check_products(c) : e;
}

static err check_length(const trial *c, int ply, const char *function, int n, const char *text)
{
    if (n >= GAME_TEXT)
        return err_set(ERR_USAGE, "%s: ply %d: %s needs more than %d characters", c->r->name, ply, function, GAME_TEXT);
    if (n < 1 || (size_t)n != strlen(text))
        return err_set(ERR_USAGE, "%s: ply %d: %s returns %d; it must return the length of the text, as snprintf does",
                       c->r->name, ply, function, n);
    return ERR_OK;
}

// What is printed must be read back to the same bytes.
static err check_text(trial *c, int ply)
{
    const keiko_rules *r = c->r;
    char text[GAME_TEXT];
    trying("draw");
    if (r->draw != NULL) {
        err e = check_length(c, ply, "draw", r->draw(c->state, text, sizeof text), text);
        if (e != ERR_OK) return e;
    }
    trying("state_print");
    if (r->state_print != NULL) {
        err e = check_length(c, ply, "state_print", r->state_print(c->state, text, sizeof text), text);
        if (e != ERR_OK) return e;
    }
    if (r->state_parse == NULL) return ERR_OK;
    c->g->state_print(c->state, text, sizeof text);
    trying("state_parse");
    if (c->g->state_parse(text, c->twin) != ERR_OK)
        return err_prefix(err_set(ERR_USAGE, "%s", err_text()),
                          "%s: ply %d: state_parse refuses what state_print wrote", r->name, ply);
    if (memcmp(c->state, c->twin, r->state_size) != 0)
        return err_set(ERR_USAGE, "%s: ply %d: state_parse gives another state than the one state_print wrote: '%.60s'",
                       r->name, ply, text);
    return check_state(c, c->twin, "state_parse");
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static err check_move_text(trial *c, int ply, move_t m, uint64_t *hash)
{
    const keiko_rules *r = c->r;
    char text[OWN_MOVE_TEXT] = "";
    int n = c->g->move_print(c->state, m, text, sizeof text);
    text[sizeof text - 1] = 0;
    size_t length = strlen(text);
    if (n < 1 || n >= OWN_MOVE_TEXT || (size_t)n != length)
        return err_set(ERR_USAGE,
                       "%s: ply %d: move_print returns %d for move %d, '%s'; it must return the length of the text, "
                       "1 to %d",
                       r->name, ply, n, m, text, OWN_MOVE_TEXT - 1);
    for (size_t i = 0; i < length; i++)
        if (text[i] == ';' || iscntrl((unsigned char)text[i]))
            return err_set(ERR_USAGE, "%s: ply %d: the text of move %d, '%s', contains %s", r->name, ply, m, text,
                           text[i] == ';' ? "a ';', which separates moves" : "a control character");
    if (isspace((unsigned char)text[0]) || isspace((unsigned char)text[length - 1]))
        return err_set(ERR_USAGE, "%s: ply %d: the text of move %d, '%s', begins or ends with a blank", r->name, ply, m,
                       text);
    *hash = 0xcbf29ce484222325u; // FNV-1a
    for (size_t i = 0; i < length; i++) *hash = (*hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return ERR_OK;
}

// A typed move is compared with the texts of the legal ones, so each must have its own.
static err check_move_texts(trial *c, int ply, int n)
{
    const keiko_rules *r = c->r;
    char text[OWN_MOVE_TEXT] = "";
    trying("move_print");
    for (int i = 0; i < n; i++) {
        err e = check_move_text(c, ply, c->moves[i], &c->text_hash[i]);
        if (e != ERR_OK) return e;
    }
    qsort(c->text_hash, (size_t)n, sizeof *c->text_hash, by_value);
    for (int i = 1; i < n; i++) {
        if (c->text_hash[i] != c->text_hash[i - 1]) continue;
        for (int k = 0; k < n; k++) { // which one is it?
            uint64_t hash;
            if (check_move_text(c, ply, c->moves[k], &hash) != ERR_OK || hash != c->text_hash[i]) continue;
            c->g->move_print(c->state, c->moves[k], text, sizeof text);
        }
        return err_set(ERR_USAGE, "%s: ply %d: two legal moves have the text '%s'", r->name, ply, text);
    }
    return ERR_OK;
}

// Each legal move has an output of the network to itself.
static err check_outputs(trial *c, int ply, int n)
{
    const keiko_rules *r = c->r;
    if (r->move_index == NULL) return ERR_OK;
    trying("move_index");
    memset(c->seen, 0, c->n_moves);
    for (int i = 0; i < n; i++) {
        int at = r->move_index(c->state, c->moves[i]);
        if (at >= r->moves || c->seen[at])
            return err_set(ERR_USAGE, "%s: ply %d: move_index takes move %d to %d, which is %s", r->name, ply,
                           c->moves[i], at, at >= r->moves ? "beyond the last" : "another move's");
        c->seen[at] = 1;
    }
    return ERR_OK;
}

static err check_position(trial *c, int ply, int *n)
{
    const keiko_rules *r = c->r;
    double score[2] = {-1.0, -1.0};
    own_trial_now.ply = ply;
    trying("over");
    bool over = r->over(c->state, score) != 0;
    trying("seat");
    int seat = r->seat(c->state);
    trying("legal");
    *n = r->legal(c->state, c->moves);
    if (seat != 0 && seat != 1) return err_set(ERR_USAGE, "%s: ply %d: seat is %d, not 0 or 1", r->name, ply, seat);
    if (*n < 0 || *n > r->max_legal)
        return err_set(ERR_USAGE, "%s: ply %d: %d legal moves, but max_legal is %d", r->name, ply, *n, r->max_legal);
    if (over != (*n == 0))
        return err_set(ERR_USAGE, "%s: ply %d: the game is %s, but there are %d legal moves", r->name, ply,
                       over ? "over" : "not over", *n);
    if (!over) c->moved[seat] = true;
    if (over && score[0] == -1.0 && score[1] == -1.0)
        return err_set(ERR_USAGE, "%s: ply %d: the game is over, but over sets no scores", r->name, ply);
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
    err e = check_outputs(c, ply, *n);
    return e == ERR_OK ? check_encoding(c, ply) : e;
}

// Rules first, texts later: a wrong rule would be reported as a wrong text.
static err play_trials(trial *c, int games, bool texts)
{
    enum { PLIES = 20000 };
    const keiko_rules *r = c->r;
    size_t size = r->state_size;
    for (uint64_t k = 0; k < (uint64_t)games; k++) {
        rng random = rng_at(0x6b65696b6f, k, 0);
        err e = begin(c, c->state);
        int n = 1;
        for (int ply = 0; e == ERR_OK && n > 0; ply++) {
            e = check_position(c, ply, &n);
            if (e == ERR_OK && texts) e = check_text(c, ply);
            if (e == ERR_OK && texts) e = check_move_texts(c, ply, n);
            if (e != ERR_OK || n == 0) break;
            if (ply == PLIES)
                return err_set(ERR_USAGE, "%s: a random game does not end within %d moves", r->name, PLIES);
            move_t m = c->moves[rng_below(&random, (uint32_t)n)];
            memcpy(c->twin, c->state, size + GUARD);
            trying("play");
            r->play(c->state, m);
            r->play(c->twin, m);
            e = check_state(c, c->state, "play");
            if (e != ERR_OK) return e;
            trying("hash");
            if (c->g->hash(c->state) != c->g->hash(c->twin))
                return err_set(ERR_USAGE, "%s: ply %d: the same move gives two different positions", r->name, ply);
        }
        if (e != ERR_OK) return e;
    }
    return ERR_OK;
}

// A state_size that is too small: what lies behind the state must not matter.
static err check_size(trial *c)
{
    const void *obs = c->state;
    double score[2];
    err e = begin(c, c->state);
    if (e != ERR_OK) return e;
    trying("encode");
    c->g->encodings[0].encode(&obs, 1, c->bits, c->scalars);
    int seat = c->r->seat(c->state), over = c->r->over(c->state, score), n = c->r->legal(c->state, c->moves);
    memset((unsigned char *)c->state + c->r->state_size, 0, GUARD);
    c->g->encodings[0].encode(&obs, 1, c->twins, c->scalars);
    bool same = memcmp(c->bits, c->twins, plane_bytes(c)) == 0 && seat == c->r->seat(c->state) &&
                over == c->r->over(c->state, score) && n == c->r->legal(c->state, c->moves);
    if (same) return ERR_OK;
    return err_set(ERR_USAGE, "%s: encode, seat, over or legal reads more than state_size (%zu) bytes", c->r->name,
                   c->r->state_size);
}

static err check_all(trial *c)
{
    enum { GAMES = 24, GAMES_WITH_TEXTS = 8 };
    // The games come first: what the symmetries are tried on must be sound.
    err e = check_size(c);
    if (e == ERR_OK) e = play_trials(c, GAMES, false);
    if (e == ERR_OK && c->moved[0] != c->moved[1])
        e = err_set(ERR_USAGE, "%s: in %d random games seat was never %d: the other player makes all moves", c->r->name,
                    GAMES, c->moved[0]);
    if (e == ERR_OK) e = play_trials(c, GAMES_WITH_TEXTS, true);
    own_trial_now.ply = -1;
    return e == ERR_OK ? check_symmetries(c) : e;
}

err own_check_play(const keiko_rules *r, const game *g)
{
    // Room for every move, and some more: a wrong max_legal or a wrong number of moves must not hurt.
    size_t moves = (size_t)r->moves * sizeof(move_t) + GUARD, scalars = (size_t)r->scalars * sizeof(float) + GUARD;
    size_t planes = (size_t)game_plane_words(g) * (size_t)r->planes * sizeof(uint64_t) + GUARD;
    trial c = {.r = r,
               .g = g,
               .n_moves = (size_t)r->moves,
               .state = malloc(r->state_size + GUARD),
               .twin = malloc(r->state_size + GUARD),
               .moves = malloc(moves),
               .turned_moves = malloc(moves),
               .text_hash = malloc((size_t)r->moves * sizeof *c.text_hash),
               .bits = malloc(planes),
               .turned = malloc(planes),
               .twins = malloc(planes),
               .scalars = calloc(1, scalars),
               .twins_scalars = calloc(1, scalars),
               .seen = malloc((size_t)r->moves)};
    bool all = c.state && c.twin && c.moves && c.turned_moves && c.bits && c.turned && c.twins && c.scalars &&
               c.twins_scalars && c.seen && c.text_hash;
    own_trial_now.game = r->name;
    err e = all ? check_all(&c) : err_set(ERR_MEMORY, "no memory to try %s out", g->name);
    own_trial_now.game = NULL;
    FREE_ALL(c.state, c.twin, c.moves, c.bits, c.turned_moves, c.turned, c.twins, c.scalars, c.twins_scalars, c.seen,
             c.text_hash);
    return e;
}
