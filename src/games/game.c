// What holds for every game: the registry, defaults for games that hide nothing, perft and random play.
#include "games/game.h"

#include "base/opt.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GAME(table) extern const game table;
#include "games/list.h"
#undef GAME

static const game *const games[] = {
#define GAME(table) &table,
#include "games/list.h"
#undef GAME
};

enum { BUILT_IN = sizeof games / sizeof *games };

static const game *more[GAME_MORE];
static _Atomic int n_more;

int game_count(void)
{
    return BUILT_IN + atomic_load_explicit(&n_more, memory_order_acquire);
}

const game *game_at(int i)
{
    assert(i >= 0 && i < game_count());
    return i < BUILT_IN ? games[i] : more[i - BUILT_IN];
}

err game_find(const char *name, const game **out)
{
    char known[512] = "";
    const char *names[BUILT_IN + GAME_MORE];
    const int n = game_count();
    for (int i = 0; i < n; i++) {
        const game *g = game_at(i);
        names[i] = g->name;
        if (strcmp(g->name, name) == 0 || (g->also != NULL && strcmp(g->also, name) == 0)) {
            *out = g;
            return ERR_OK;
        }
        if (i > 0) strncat(known, ", ", sizeof known - strlen(known) - 1);
        strncat(known, g->name, sizeof known - strlen(known) - 1);
    }
    const char *near = opt_nearest(name, names, n);
    if (near != NULL) return err_set(ERR_USAGE, "unknown game '%.60s'; did you mean %s?", name, near);
    return err_set(ERR_USAGE, "unknown game '%.60s'; there are: %s (a game from a library needs --game-lib FILE)", name,
                   known);
}

err game_register(const game *g)
{
    int n = atomic_load(&n_more);
    for (int i = 0; i < game_count(); i++)
        if (strcmp(game_at(i)->name, g->name) == 0) return err_set(ERR_USAGE, "there is a game '%s' already", g->name);
    if (n == GAME_MORE) return err_set(ERR_LIMIT, "at most %d games can be added", GAME_MORE);
    more[n] = g;
    atomic_store_explicit(&n_more, n + 1, memory_order_release);
    return ERR_OK;
}

const char *reason_name(int r)
{
    static const char *const names[REASON_COUNT] = {
        [REASON_NONE] = "none",           [REASON_LINE] = "line",
        [REASON_FORBIDDEN] = "forbidden", [REASON_FULL] = "full",
        [REASON_DISCS] = "discs",         [REASON_GOAL] = "goal",
        [REASON_STUCK] = "stuck",         [REASON_PLIES] = "plies",
        [REASON_BURIED] = "buried",       [REASON_REPETITION] = "repetition",
    };
    return r >= 0 && r < REASON_COUNT ? names[r] : "unknown";
}

const char *reason_words(int r)
{
    return r == REASON_NONE ? "by the rules" : reason_name(r);
}

char *game_seat_name(const game *g, int seat, bool colour, char buf[GAME_SEAT_TEXT])
{
    const game_seat *s = &g->seats[seat];
    const char *mark = colour ? s->tint : s->mark;
    if (s->name == NULL)
        snprintf(buf, GAME_SEAT_TEXT, "seat %d", seat + 1);
    else
        snprintf(buf, GAME_SEAT_TEXT, "%s%s%s%s", s->name, mark ? " (" : "", mark ? mark : "", mark ? ")" : "");
    return buf;
}

void game_observe(const game *g, const void *s, int seat, void *obs)
{
    if (g->observe != NULL)
        g->observe(s, seat, obs);
    else
        memcpy(obs, s, g->state_size);
}

void game_sample(const game *g, const void *obs, rng *r, void *s)
{
    if (g->sample != NULL)
        g->sample(obs, r, s);
    else
        memcpy(s, obs, g->state_size);
}

int game_plane_words(const game *g)
{
    return (g->rows * g->cols + 63) / 64;
}

err game_encoding(const game *g, const char *name, const encoding **out)
{
    char known[256] = "";
    for (int i = 0; i < g->n_encodings; i++) {
        if (name == NULL || name[0] == 0 || strcmp(g->encodings[i].name, name) == 0) {
            *out = &g->encodings[i];
            return ERR_OK;
        }
        if (i > 0) strncat(known, ", ", sizeof known - strlen(known) - 1);
        strncat(known, g->encodings[i].name, sizeof known - strlen(known) - 1);
    }
    return err_set(ERR_USAGE, "%s has no encoding '%s'; there are: %s", g->name, name, known);
}

int game_plane_name(const encoding *e, int i, char *buf, size_t n)
{
    for (const char *at = e->shows; at != NULL && *at != 0;) {
        int length = (int)strcspn(at, ";"), name = (int)strcspn(at, "#;");
        int many = name < length ? atoi(at + name + 1) : 1;
        if (i < many && name == length) return snprintf(buf, n, "%.*s", name, at);
        if (i < many) return snprintf(buf, n, "%.*s %d", name, at, i + 1);
        i -= many;
        at += length + (at[length] == ';');
    }
    return snprintf(buf, n, "%s", "");
}

void game_unpack(const game *g, const encoding *e, const uint64_t *bits, const float *scalars, float *planes)
{
    int cells = g->rows * g->cols, words = game_plane_words(g);
    for (int p = 0; p < e->planes; p++) {
        const uint64_t *plane = bits + (size_t)p * (size_t)words;
        for (int i = 0; i < cells; i++) *planes++ = (float)(plane[i / 64] >> (i % 64) & 1);
    }
    for (int k = 0; k < e->scalars; k++)
        for (int i = 0; i < cells; i++) *planes++ = scalars[k];
}

// Depth-first with one buffer a level, so that the recursion itself never allocates.
static uint64_t perft(const game *g, const char *s, int depth, char *states, move_t *moves)
{
    if (depth == 0) return 1;
    int n = g->legal(s, moves);
    if (n == 0) return 1; // over earlier: one leaf
    uint64_t leaves = 0;
    for (int i = 0; i < n; i++) {
        memcpy(states, s, g->state_size);
        g->play(states, moves[i], NULL);
        leaves += perft(g, states, depth - 1, states + g->state_size, moves + g->max_legal);
    }
    return leaves;
}

uint64_t game_perft(const game *g, const void *s, int depth)
{
    assert(depth >= 0);
    if (depth == 0) return 1;
    char *states = malloc((size_t)depth * g->state_size);
    move_t *moves = malloc((size_t)depth * (size_t)g->max_legal * sizeof *moves);
    uint64_t leaves = 0;
    if (states != NULL && moves != NULL) leaves = perft(g, s, depth, states, moves);
    free(moves);
    free(states);
    return leaves;
}

int game_random_playout(const game *g, void *s, rng *r, int max_plies)
{
    enum { ON_STACK = 1024 };
    move_t buffer[ON_STACK], *moves = buffer;
    if (g->max_legal > ON_STACK) moves = malloc((size_t)g->max_legal * sizeof *moves);
    int plies = 0;
    while (moves != NULL && plies < max_plies) {
        int n = g->legal(s, moves);
        if (n == 0) break;
        g->play(s, moves[rng_below(r, (uint32_t)n)], NULL);
        plies++;
    }
    if (moves != buffer) free(moves);
    return plies;
}

err game_options(const char *text, err (*set)(void *ctx, const char *key, const char *value), void *ctx)
{
    const char *p = text;
    while (*p) {
        char pair[128];
        size_t n = strcspn(p, ",");
        if (n >= sizeof pair) return err_parse(text, (size_t)(p - text), "an option longer than 127 characters");
        memcpy(pair, p, n);
        pair[n] = 0;
        char *eq = strchr(pair, '=');
        if (eq == NULL || eq == pair || eq[1] == 0) return err_parse(text, (size_t)(p - text), "expected key=value");
        *eq = 0;
        err e = set(ctx, pair, eq + 1);
        if (e != ERR_OK) return e;
        p += n;
        if (*p == ',') {
            p++;
            if (*p == 0) return err_parse(text, (size_t)(p - text), "expected key=value after the comma");
        }
    }
    return ERR_OK;
}
