// The table of players and the life of one of them. See agent.h.
#include "agents/agent.h"

#include "agents/levels.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGENT(type) extern const agent_type type;
#include "agents/list.h"
#undef AGENT

static const agent_type *const types[] = {
#define AGENT(type) &type,
#include "agents/list.h"
#undef AGENT
};

int agent_type_count(void)
{
    return (int)(sizeof types / sizeof *types);
}

const agent_type *agent_type_at(int i)
{
    assert(i >= 0 && i < agent_type_count());
    return types[i];
}

// Is `word` one of the space-separated words of `list`?
static bool listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; *p;) {
        size_t k = strcspn(p, " ");
        if (k == n && strncmp(p, word, n) == 0) return true;
        p += k;
        p += strspn(p, " ");
    }
    return false;
}

bool agent_type_plays(const agent_type *t, const game *g)
{
    return t->games[0] == 0 || listed(t->games, g->name);
}

const agent_type *agent_strongest(const game *g)
{
    for (int i = 0; i < agent_type_count(); i++)
        if (types[i]->strongest != NULL && agent_type_plays(types[i], g)) return types[i];
    return NULL;
}

const char *agent_default(const game *g)
{
    static const char *const by_strength[] = {"versus", "beam", "alphabeta", "mcts", "greedy"};
    for (size_t k = 0; k < sizeof by_strength / sizeof *by_strength; k++)
        for (int i = 0; i < agent_type_count(); i++)
            if (strcmp(types[i]->name, by_strength[k]) == 0 && agent_type_plays(types[i], g)) return types[i]->name;
    return "random";
}

// Several kinds may share a name ("alphabeta" is another engine in each game): the one that plays the game is meant.
static err find_type(const char *name, const game *g, const agent_type **out)
{
    char known[512] = "", elsewhere[256] = "";
    const char *names[64]; // those of them that are words
    int n = 0;
    for (int i = 0; i < agent_type_count(); i++) {
        const agent_type *t = types[i];
        bool plays = agent_type_plays(t, g);
        if (plays && strcmp(t->name, name) == 0) {
            *out = t;
            return ERR_OK;
        }
        char *list = plays ? known : strcmp(t->name, name) == 0 ? elsewhere : NULL;
        size_t room = plays ? sizeof known : sizeof elsewhere;
        if (list == NULL) continue;
        if (list[0]) strncat(list, plays ? ", " : " ", room - strlen(list) - 1);
        strncat(list, plays ? t->name : t->games, room - strlen(list) - 1);
        if (plays && n < 64) names[n++] = t->name;
    }
    if (elsewhere[0]) return err_set(ERR_USAGE, "'%s' does not play %s; it plays: %s", name, g->name, elsewhere);
    for (int i = 0; i < level_count(g); i++) {
        const level_row *l = level_at(g, i);
        if (l->name[0] == 0) continue;
        if (n < 64) names[n++] = l->name;
        strncat(known, i == 0 ? "; levels: " : ", ", sizeof known - strlen(known) - 1);
        strncat(known, l->name, sizeof known - strlen(known) - 1);
    }
    const char *near = opt_nearest(name, names, n);
    if (near != NULL) return err_set(ERR_USAGE, "unknown agent '%s'; did you mean %s?", name, near);
    return err_set(ERR_USAGE, "unknown agent '%s'; for %s there are: %s%s", name, g->name, known,
                   level_count(g) > 0 ? ", 1 to 10" : "");
}

err agent_open(agent **out, const game *g, const char *spec)
{
    return agent_open_with(out, g, spec, NULL);
}

static void free_spec(agent *a)
{
    opt_free(a->keep);
    free(a);
}

// Everything but what the type itself does to open.
static err read_spec(agent **out, const game *g, const char *spec, void *lent)
{
    char name[64], full[LEVEL_SPEC]; // `full`: a level is replaced by what it stands for
    const agent_type *type = NULL;
    agent *a = NULL;
    if (strlen(spec) >= sizeof a->spec)
        return err_set(ERR_LIMIT, "an agent is written with at most %zu characters", sizeof a->spec - 1);
    err e = level_expand(g, spec, full, sizeof full);
    if (e != ERR_OK) return e;
    size_t n = strcspn(full, ":");
    if (n >= sizeof name) return err_set(ERR_USAGE, "unknown agent '%s'", spec);
    memcpy(name, full, n);
    name[n] = 0;
    e = find_type(name, g, &type);
    if (e != ERR_OK) return e;

    // One block: the agent, its parameters, its mind.
    size_t align = sizeof(max_align_t);
    size_t params = (sizeof *a + align - 1) / align * align;
    size_t mind = params + (type->params_size + align - 1) / align * align;
    a = calloc(1, mind + type->mind_size);
    if (a == NULL) return err_set(ERR_MEMORY, "no memory for agent '%s'", spec);
    a->type = type;
    a->g = g;
    a->lent = lent;
    a->params = (char *)a + params;
    a->mind = (char *)a + mind;
    strcpy(a->spec, spec);
    a->keep = opt_keep();
    if (a->keep == NULL) e = err_set(ERR_MEMORY, "no memory for agent '%s'", spec);
    char where[1100];
    snprintf(where, sizeof where, "agent '%s'", spec);
    if (e == ERR_OK) e = opt_defaults(type->opts, type->n_opts, (char *)a + params);
    if (e == ERR_OK && full[n] == ':')
        e = opt_pairs(type->opts, type->n_opts, (char *)a + params, full + n + 1, where, a->keep);
    if (e != ERR_OK)
        free_spec(a);
    else
        *out = a;
    return e;
}

const char *agent_behind_name(const char *text)
{
    size_t n = strcspn(text, ":="); // an agent's own '=' stand behind its ':'
    return text[n] == '=' ? text + n + 1 : text;
}

err agent_check(const game *g, const char *spec)
{
    agent *a = NULL;
    err e = read_spec(&a, g, spec, NULL);
    if (e == ERR_OK) free_spec(a);
    return e;
}

err agent_open_with(agent **out, const game *g, const char *spec, void *lent)
{
    agent *a = NULL;
    err e = read_spec(&a, g, spec, lent);
    if (e == ERR_OK && a->type->open != NULL && (e = a->type->open(a)) != ERR_OK) {
        free_spec(a);
        a = NULL;
    }
    if (e == ERR_OK) *out = a;
    return e;
}

void agent_close(agent *a)
{
    if (a == NULL) return;
    if (a->type->close != NULL) a->type->close(a);
    free_spec(a);
}

void agent_begin(agent *a, game_key key, int seat)
{
    a->key = key;
    a->seat = seat;
    a->turn = 0;
    if (a->type->begin != NULL) a->type->begin(a);
}

err agent_choose(agent *a, const void *obs, agent_choice *out)
{
    *out = (agent_choice){.move = MOVE_NONE, .value = -1.0f};
    err e = a->type->choose(a, obs, out);
    a->turn++;
    return e;
}

err agent_analyse(agent *a, const void *obs, int want, agent_choice *out, int *n)
{
    *n = 0;
    if (a->type->analyse != NULL) return a->type->analyse(a, obs, want, out, n);
    err e = agent_choose(a, obs, out);
    if (e == ERR_OK) *n = 1;
    return e;
}

void agent_set_line(agent_choice *c, const move_t *line, int n)
{
    c->n_line = n < AGENT_LINE ? n : AGENT_LINE;
    memcpy(c->line, line, (size_t)c->n_line * sizeof *line);
}

void agent_saw(agent *a, const void *obs_before, move_t m)
{
    if (a->type->saw != NULL) a->type->saw(a, obs_before, m);
}

double agent_seconds(const agent *a, double own, int to_come)
{
    const agent_clock *c = &a->clock;
    double seconds = own;
    if (c->left > 0) {
        double share = 0.9 * c->left / (c->moves_left > 0 ? c->moves_left : to_come);
        if (seconds <= 0 || share < seconds) seconds = share;
    }
    if (c->turn > 0 && (seconds <= 0 || 0.9 * c->turn < seconds)) seconds = 0.9 * c->turn;
    return seconds;
}

bool agent_has_clock(const agent *a)
{
    return a->clock.left > 0 || a->clock.turn > 0;
}

bool agent_given(const agent *a, const char *name)
{
    char full[LEVEL_SPEC]; // what a level sets counts: it makes the level
    size_t n = strlen(name);
    if (level_expand(a->g, a->spec, full, sizeof full) != ERR_OK) return false;
    const char *p = strchr(full, ':');
    while (p != NULL && *p) {
        p++; // ':' or ','
        size_t key = strcspn(p, "=,");
        if (key == n && strncmp(p, name, n) == 0) return true;
        p += key;
        // A value may be quoted, with commas and doubled quotes inside: those open again at once.
        for (char quote = 0; *p && (quote || *p != ','); p++)
            if (quote ? *p == quote : *p == '"' || *p == '\'') quote = quote ? 0 : *p;
    }
    return false;
}

const stop_ask *agent_stop_of(const agent *a)
{
    return a->watch == NULL ? NULL : &a->watch->stop;
}

bool agent_stopped(const agent *a)
{
    return stop_asked(agent_stop_of(a));
}

bool agent_watched(const agent *a)
{
    return a->watch != NULL && a->watch->lines != NULL;
}

void agent_tell_lines(const agent *a, const agent_choice *best, int n)
{
    if (agent_watched(a)) a->watch->lines(a->watch->ctx, best, n);
}

rng agent_rng(const agent *a)
{
    // Both seats may be the same kind of player in the same game: the seat is part of the key.
    return rng_at(rng_mix(a->key.run) + (uint64_t)a->seat, a->key.game, a->turn);
}
