// Who sits where, and the clocks. See session.h.
#include "app/session_inner.h"
#include "base/clock.h"
#include "base/models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- players

err session_seat_player(session *s, int seat, const char *spec)
{
    agent *a = NULL;
    session_player *p = &s->seat[seat];
    if (strlen(spec) >= SESSION_SPEC)
        return err_set(ERR_LIMIT, "an agent's name is at most %d characters long", SESSION_SPEC - 1);
    if (strcmp(spec, "human") != 0) {
        err e = agent_open(&a, s->g, spec);
        if (e != ERR_OK) return e;
    }
    agent_close(p->a);
    p->a = a;
    p->told = SESSION_NONE;
    if (spec != p->spec) memmove(p->spec, spec, strlen(spec) + 1);
    return ERR_OK;
}

err session_seat_later(session *s, int seat, const char *spec)
{
    session_player *p = &s->seat[seat];
    if (strlen(spec) >= SESSION_SPEC)
        return err_set(ERR_LIMIT, "an agent's name is at most %d characters long", SESSION_SPEC - 1);
    if (strcmp(spec, p->spec) == 0) return ERR_OK;
    err e = strcmp(spec, "human") != 0 ? agent_check(s->g, spec) : ERR_OK;
    if (e != ERR_OK) return e;
    agent_close(p->a);
    p->a = NULL;
    p->told = SESSION_NONE;
    memmove(p->spec, spec, strlen(spec) + 1);
    return ERR_OK;
}

void session_rest(session *s)
{
    session_player *const players[] = {&s->seat[0], &s->seat[1], &s->helper};
    for (int i = 0; i < 3; i++) {
        agent_close(players[i]->a);
        players[i]->a = NULL;
        players[i]->told = SESSION_NONE;
    }
}

const char *session_seat_spec(const session *s, int seat)
{
    return s->seat[seat].spec;
}

bool session_seat_is_person(const session *s, int seat)
{
    return strcmp(s->seat[seat].spec, "human") == 0;
}

const agent *session_seat_agent(const session *s, int seat)
{
    return s->seat[seat].a;
}

err session_set_name(session *s, int seat, const char *name)
{
    bool none = name == NULL || name[0] == 0;
    char *copy = none ? NULL : session_copy_text(name);
    if (!none && copy == NULL) return err_set(ERR_MEMORY, "no memory for a name");
    free(s->name[seat]);
    s->name[seat] = copy;
    return ERR_OK;
}

err session_set_wish(session *s, int seat, const char *spec)
{
    char *copy = session_copy_text(spec);
    if (copy == NULL) return err_set(ERR_MEMORY, "no memory for a name");
    free(s->wish[seat]);
    s->wish[seat] = copy;
    return ERR_OK;
}

const char *session_seat_wish(const session *s, int seat)
{
    return s->wish[seat] != NULL ? s->wish[seat] : "";
}

const char *session_name(const session *s, int seat)
{
    return s->name[seat] != NULL ? s->name[seat] : s->seat[seat].spec;
}

err session_set_helper(session *s, const char *spec)
{
    agent *a = NULL;
    if (spec == NULL || spec[0] == 0) spec = agent_default(s->g);
    if (strlen(spec) >= SESSION_SPEC)
        return err_set(ERR_LIMIT, "an agent's name is at most %d characters long", SESSION_SPEC - 1);
    if (s->helper.a != NULL && s->helper.a->g == s->g && strcmp(s->helper.spec, spec) == 0) return ERR_OK;
    err e = agent_open(&a, s->g, spec);
    if (e != ERR_OK) return e;
    agent_close(s->helper.a);
    s->helper.a = a;
    s->helper.told = SESSION_NONE;
    if (spec != s->helper.spec) memmove(s->helper.spec, spec, strlen(spec) + 1);
    return ERR_OK;
}

const char *session_helper(const session *s)
{
    return s->helper.spec[0] != 0 ? s->helper.spec : agent_default(s->g);
}

const agent *session_helper_agent(const session *s)
{
    return s->helper.a;
}

static bool plays(const game *g, const char *name)
{
    for (int i = 0; i < agent_type_count(); i++)
        if (strcmp(agent_type_at(i)->name, name) == 0 && agent_type_plays(agent_type_at(i), g)) return true;
    return false;
}

err session_ai_spec(const game *g, const char *model, int64_t sims, char *spec, size_t n, char *note, size_t note_size)
{
    char name[64], found[4096], simulations[40] = "";
    const char *best = agent_default(g), *wanted = model;
    const agent_type *engine = agent_strongest(g); // with a clock it uses its share of it, a second at most
    int used;
    note[0] = 0;
    snprintf(name, sizeof name, "%s.safetensors", g->name);
    if (model == NULL && sims == 0 && engine != NULL) {
        snprintf(spec, n, "%s:%s", engine->name, engine->strongest);
        return ERR_OK;
    }
    // Whoever asks for a model or for simulations means a network.
    if (sims > 0) snprintf(simulations, sizeof simulations, ",sims=%lld", (long long)sims);
    if (model == NULL && plays(g, "zero") && models_find(name, found, sizeof found) == ERR_OK) model = g->name;
    if (model != NULL) {
        text_buf value = {0};
        opt_pair_value(&value, model);
        used = snprintf(spec, n, "zero:model=%s%s", text_str(&value), simulations);
        text_free(&value);
    } else if (strcmp(best, "mcts") == 0 && sims > 0) {
        used = snprintf(spec, n, "mcts:%s", simulations + 1);
    } else {
        used = snprintf(spec, n, "%s", best);
        if (sims > 0)
            snprintf(note, note_size, "no model for %s was found, so ai plays as %s, which has no simulations", g->name,
                     best);
    }
    return used < (int)n ? ERR_OK : err_set(ERR_LIMIT, "--model %s: the path is too long", wanted ? wanted : model);
}

// --- clocks

static void start_period(session_clock *c)
{
    c->left = c->period;
    c->moves_left = c->period_moves;
}

void session_set_clock(session *s, int seat, const session_clock *c)
{
    session_clock *own = &s->clock[seat];
    *own = *c;
    own->left = c->main;
    own->moves_left = 0;
    if (c->main <= 0 && c->period_moves > 0) start_period(own);
    session_turn_begins(s);
}

void session_tell_clock(session *s, int seat, double left, int moves_left)
{
    session_clock *c = &s->clock[seat];
    c->told = true;
    c->left = left;
    c->moves_left = moves_left;
}

const session_clock *session_clock_of(const session *s, int seat)
{
    return &s->clock[seat];
}

bool session_has_clock(const session *s, int seat)
{
    const session_clock *c = &s->clock[seat];
    return c->main > 0 || c->turn > 0 || c->period_moves > 0 || c->left > 0;
}

bool session_spend(session *s, int seat, double seconds)
{
    session_clock *c = &s->clock[seat];
    bool budget = c->main > 0 || c->period_moves > 0;
    if (c->turn > 0 && seconds > c->turn) return false;
    if (!budget) return true;
    double left = c->left - seconds;
    // What main time does not cover goes on the first period, and so on; a period that ends early is not lost.
    while (left < 0 && c->period_moves > 0 && c->moves_left == 0) {
        start_period(c);
        left += c->period;
        if (left < 0) return false; // a whole period for one move
    }
    if (left < 0) {
        c->left = 0;
        return false;
    }
    c->left = left + c->increment;
    if (c->moves_left > 0 && --c->moves_left == 0) start_period(c);
    return true;
}

void session_turn_begins(session *s)
{
    s->since = clock_seconds();
}
