// See history.h. States are kept whole: they are small, and undo is then exact for every game.
#include "games/history.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *history_at(const history *h, int ply)
{
    return h->states + (size_t)ply * h->g->state_size;
}

void *history_now(const history *h)
{
    return history_at(h, h->ply);
}

static err reserve(history *h, int plies)
{
    if (plies < h->room) return ERR_OK;
    int room = plies < 64 ? 128 : plies * 2;
    char *states = realloc(h->states, (size_t)room * h->g->state_size);
    if (states != NULL) h->states = states;
    move_t *moves = realloc(h->moves, (size_t)room * sizeof *moves);
    if (moves != NULL) h->moves = moves;
    if (states == NULL || moves == NULL) return err_set(ERR_MEMORY, "no memory for a game of %d plies", plies);
    h->room = room;
    return ERR_OK;
}

err history_begin(history *h, const game *g, const char *options, const char *position, game_key key)
{
    if (h->g != g) {
        history_free(h);
        h->g = g;
    }
    err e = reserve(h, 1);
    if (e != ERR_OK) return e;
    bool start = position == NULL || position[0] == 0 || strcmp(position, "start") == 0;
    bool plain = options == NULL || options[0] == 0;
    if (!start && !plain)
        return err_set(ERR_USAGE, "a position's text carries its own options: give options with 'start' only");
    h->key = key;
    h->ply = 0;
    memset(h->states, 0, g->state_size);
    if (start) return g->init(h->states, plain ? "" : options, key);
    return err_prefix(g->state_parse(position, h->states), "position");
}

void history_free(history *h)
{
    free(h->states);
    free(h->moves);
    *h = (history){0};
}

err history_play(history *h, move_t m, step_event *ev)
{
    err e = reserve(h, h->ply + 1);
    if (e != ERR_OK) return e;
    memcpy(history_at(h, h->ply + 1), history_now(h), h->g->state_size);
    h->moves[h->ply++] = m;
    h->g->play(history_now(h), m, ev);
    return ERR_OK;
}

#define BETWEEN " ,\t"

// "f5" at the beginning of "f5d6", "f5 d6" or "f5,d6": how many characters it has, where a move is one square and the text goes on
// with another one; else 0.
static size_t square_before_another(const game *g, const char *p)
{
    if ((g->flags & G_HIDDEN) || g->n_moves > g->rows * g->cols + 1 || !isalpha((unsigned char)p[0])) return 0;
    size_t n = 1 + strspn(p + 1, "0123456789");
    return n > 1 && isalpha((unsigned char)p[n + strspn(p + n, BETWEEN)]) ? n : 0;
}

err history_next_move(const game *g, const char **list, int k, char *buf, size_t n, bool *found)
{
    const char *p = *list + strspn(*list, "; \t\r\n");
    size_t one = square_before_another(g, p), len = one > 0 ? one : strcspn(p, ";\n"), end = len;
    *list = p + len + (one > 0 ? strspn(p + len, BETWEEN) : 0);
    *found = len > 0;
    while (end > 0 && isspace((unsigned char)p[end - 1])) end--;
    if (end >= n) return err_set(ERR_PARSE, "move %d is longer than any move", k);
    memcpy(buf, p, end);
    buf[end] = 0;
    return ERR_OK;
}

err history_play_list(history *h, const char *moves)
{
    err e = ERR_OK;
    char *obs = malloc(h->g->obs_size), one[256];
    bool found = true;
    if (obs == NULL) return err_set(ERR_MEMORY, "no memory");
    for (int k = 1; e == ERR_OK; k++) {
        move_t m = MOVE_NONE;
        e = history_next_move(h->g, &moves, k, one, sizeof one, &found);
        if (e != ERR_OK || !found) break;
        game_observe(h->g, history_now(h), h->g->seat(history_now(h)), obs);
        e = err_prefix(h->g->move_parse(obs, one, &m), "move %d ('%s')", k, one);
        if (e == ERR_OK) e = history_play(h, m, NULL);
    }
    free(obs);
    return e;
}

int history_print_list(const history *h, char *buf, size_t n)
{
    char *obs = malloc(h->g->obs_size), one[256];
    int len = 0;
    if (n > 0) buf[0] = 0;
    for (int ply = 0; obs != NULL && ply < h->ply; ply++) {
        void *s = history_at(h, ply);
        game_observe(h->g, s, h->g->seat(s), obs);
        h->g->move_print(obs, h->moves[ply], one, sizeof one);
        size_t at = (size_t)len < n ? (size_t)len : n;
        len += snprintf(buf + at, n - at, "%s%s", ply ? ";" : "", one);
    }
    free(obs);
    return len;
}
