// The public C API: games, positions, agents. See include/keiko.h.
#include "keiko.h"

#include "agents/agent.h"
#include "api/api.h"
#include "app/plugin.h"
#include "base/memory.h"
#include "games/own/own.h"

#include <stdlib.h>
#include <string.h>

const char *keiko_version(void)
{
    return KEIKO_VERSION_TEXT;
}

const char *keiko_build(void)
{
    return KEIKO_BUILD_TEXT;
}

const char *keiko_features(void)
{
    return KEIKO_FEATURES_TEXT;
}

int keiko_api_version(void)
{
    return KEIKO_API_VERSION;
}

const char *keiko_error(void)
{
    return err_text();
}

void keiko_text_free(char *text)
{
    free(text);
}

int api_text(err e, text_buf *t, char **out)
{
    if (e == ERR_OK) e = text_check(t);
    if (e == ERR_OK) *out = t->data == NULL ? calloc(1, 1) : text_take(t);
    text_free(t);
    return (int)e;
}

err api_options(void *to, size_t size, const void *from, const char *name)
{
    size_t given;
    memcpy(&given, from, sizeof given); // every such struct begins with its size
    if (given < sizeof given || given > size)
        return err_set(ERR_USAGE,
                       "%s.size is %zu, not %zu: set it to sizeof(%s), and compile against the header of this library",
                       name, given, size, name);
    memset(to, 0, size);
    memcpy(to, from, given);
    return ERR_OK;
}

// --- games

int keiko_game_count(void)
{
    return game_count();
}

const keiko_game *keiko_game_at(int i)
{
    return i >= 0 && i < game_count() ? api_outer(game_at(i)) : NULL;
}

const keiko_game *keiko_game_find(const char *name)
{
    const game *g;
    return game_find(name, &g) == ERR_OK ? api_outer(g) : NULL;
}

const char *keiko_game_name(const keiko_game *g)
{
    return api_game(g)->name;
}

const char *keiko_game_title(const keiko_game *g)
{
    return api_game(g)->title;
}

int keiko_game_moves(const keiko_game *g)
{
    return api_game(g)->n_moves;
}

int keiko_game_max_legal(const keiko_game *g)
{
    return api_game(g)->max_legal;
}

int keiko_game_seats(const keiko_game *g)
{
    return api_game(g)->n_seats;
}

int keiko_game_register(const keiko_rules *rules, const keiko_game **out)
{
    const game *g;
    err e = own_game_add(rules, &g);
    if (e == ERR_OK) *out = api_outer(g);
    return (int)e;
}

int keiko_game_load(const char *library)
{
    return (int)plugin_load(library);
}

// --- positions

static keiko_position *position_alloc(const game *g)
{
    keiko_position *p = calloc(1, sizeof *p + g->state_size);
    if (p == NULL) goto fail;
    p->g = g;
    p->obs = calloc(1, g->obs_size);
    p->moves = calloc((size_t)g->max_legal, sizeof *p->moves);
    if (p->obs != NULL && p->moves != NULL) return p;
fail:
    keiko_position_free(p);
    err_set(ERR_MEMORY, "no memory for a position");
    return NULL;
}

int keiko_position_new(const keiko_game *g, const char *options, uint64_t seed, uint64_t game_number,
                       keiko_position **out)
{
    keiko_position *p = position_alloc(api_game(g));
    if (p == NULL) return ERR_MEMORY;
    err e = p->g->init(p->state, options == NULL ? "" : options, (game_key){seed, game_number});
    if (e != ERR_OK) {
        keiko_position_free(p);
        return (int)e;
    }
    *out = p;
    return 0;
}

int keiko_position_parse(const keiko_game *g, const char *text, keiko_position **out)
{
    keiko_position *p = position_alloc(api_game(g));
    if (p == NULL) return ERR_MEMORY;
    err e = p->g->state_parse(text, p->state);
    if (e != ERR_OK) {
        keiko_position_free(p);
        return (int)e;
    }
    *out = p;
    return 0;
}

int api_position(const game *g, const void *state, keiko_position **out)
{
    keiko_position *q = position_alloc(g);
    if (q == NULL) return ERR_MEMORY;
    memcpy(q->state, state, g->state_size);
    *out = q;
    return 0;
}

int keiko_position_copy(const keiko_position *p, keiko_position **out)
{
    return api_position(p->g, p->state, out);
}

void keiko_position_free(keiko_position *p)
{
    if (p == NULL) return;
    FREE_ALL(p->moves, p->obs, p);
}

const keiko_game *keiko_position_game(const keiko_position *p)
{
    return api_outer(p->g);
}

int keiko_position_seat(const keiko_position *p)
{
    return p->g->seat(p->state);
}

int keiko_position_legal(const keiko_position *p, uint16_t *moves)
{
    return p->g->legal(p->state, moves);
}

int keiko_position_play(keiko_position *p, uint16_t move)
{
    int n = p->g->legal(p->state, p->moves);
    for (int i = 0; i < n; i++) {
        if (p->moves[i] != move) continue;
        p->g->play(p->state, move, NULL);
        return 0;
    }
    if (n == 0) return (int)err_set(ERR_USAGE, "the game is over");
    return (int)err_set(ERR_USAGE, "move %u is not legal here", move);
}

int keiko_position_over(const keiko_position *p, double score[2])
{
    outcome o = p->g->result(p->state);
    for (int i = 0; score != NULL && i < 2; i++) score[i] = (double)o.score[i];
    return o.over;
}

uint64_t keiko_position_hash(const keiko_position *p)
{
    return p->g->hash(p->state);
}

int keiko_position_print(const keiko_position *p, char *buf, size_t n)
{
    return p->g->state_print(p->state, buf, n);
}

void keiko_position_mask(const keiko_position *p, uint8_t *mask)
{
    int n = p->g->legal(p->state, p->moves);
    memset(mask, 0, (size_t)p->g->n_moves);
    for (int i = 0; i < n; i++) mask[p->moves[i]] = 1;
}

static const void *seen_by_mover(const keiko_position *p)
{
    game_observe(p->g, p->state, p->g->seat(p->state), p->obs);
    return p->obs;
}

int keiko_position_draw(const keiko_position *p, int colour, char *buf, size_t n)
{
    return p->g->draw(seen_by_mover(p), MOVE_NONE, colour != 0, buf, n);
}

int keiko_move_parse(const keiko_position *p, const char *text, uint16_t *move)
{
    return (int)p->g->move_parse(seen_by_mover(p), text, move);
}

int keiko_move_print(const keiko_position *p, uint16_t move, char *buf, size_t n)
{
    return p->g->move_print(seen_by_mover(p), move, buf, n);
}

uint64_t keiko_position_perft(const keiko_position *p, int depth)
{
    if (depth < 0) return 0;
    return p->g->perft != NULL ? p->g->perft(p->state, depth) : game_perft(p->g, p->state, depth);
}

// --- agents

static agent *agent_of(keiko_agent *a)
{
    return (agent *)(void *)a;
}

int keiko_agent_open(const keiko_game *g, const char *spec, keiko_agent **out)
{
    agent *a;
    err e = agent_open(&a, api_game(g), spec);
    if (e == ERR_OK) *out = (keiko_agent *)(void *)a;
    return (int)e;
}

void keiko_agent_begin(keiko_agent *a, uint64_t seed, uint64_t game_number, int seat)
{
    agent_begin(agent_of(a), (game_key){seed, game_number}, seat);
}

// An agent reads what it is shown as a position of its own game.
static err check_asked(keiko_agent *a, const keiko_position *p)
{
    const game *g = agent_of(a)->g;
    if (p->g != g) return err_set(ERR_USAGE, "the position is of %s, and the agent plays %s", p->g->name, g->name);
    return p->g->result(p->state).over ? err_set(ERR_USAGE, "the game is over") : ERR_OK;
}

int keiko_agent_choose(keiko_agent *a, const keiko_position *p, uint16_t *move)
{
    agent_choice c;
    err e = check_asked(a, p);
    if (e == ERR_OK) e = agent_choose(agent_of(a), seen_by_mover(p), &c);
    if (e == ERR_OK) *move = c.move;
    return (int)e;
}

int keiko_agent_analyse(keiko_agent *a, const keiko_position *p, int want, keiko_line *out, int *n)
{
    *n = 0;
    if (want < 1 || want > p->g->max_legal) want = p->g->max_legal;
    err e = check_asked(a, p);
    if (e != ERR_OK) return (int)e;
    agent_choice *c = calloc((size_t)want, sizeof *c);
    if (c == NULL) return (int)err_set(ERR_MEMORY, "no memory for %d moves", want);
    e = agent_analyse(agent_of(a), seen_by_mover(p), want, c, n);
    for (int i = 0; e == ERR_OK && i < *n; i++) {
        out[i] = (keiko_line){.move = c[i].move,
                              .value = c[i].value,
                              .prior = c[i].has_prior ? c[i].prior : -1,
                              .margin = c[i].margin,
                              .has_margin = c[i].has_margin,
                              .depth = c[i].depth,
                              .visits = c[i].nodes,
                              .length = c[i].n_line > 0 ? c[i].n_line : 1,
                              .pv = {c[i].move}};
        memcpy(out[i].pv, c[i].n_line > 0 ? c[i].line : &c[i].move, (size_t)out[i].length * sizeof(move_t));
        memcpy(out[i].text, c[i].text, sizeof out[i].text);
    }
    free(c);
    return (int)e;
}

void keiko_agent_saw(keiko_agent *a, const keiko_position *before, uint16_t move)
{
    if (before->g != agent_of(a)->g) return;
    game_observe(before->g, before->state, agent_of(a)->seat, before->obs);
    agent_saw(agent_of(a), before->obs, move);
}

void keiko_agent_close(keiko_agent *a)
{
    agent_close(agent_of(a));
}
