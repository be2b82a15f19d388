// A program that speaks GTP, as a player.
#include "agents/engine.h"
#include "agents/protocol.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Sends one command and reads its answer: the text behind '=' of the first line. A '?' answer is ERR_USAGE with the
// program's words.
static err ask(agent *a, char *answer, size_t n, const char *say)
{
    char line[GAME_TEXT + 64] = "";
    double until = clock_seconds() + engine_params_of(a)->timeout;
    err e = engine_write(a, "%s", say);
    // Blank lines and chatter before the answer are skipped.
    while (e == ERR_OK && line[0] != '=' && line[0] != '?') e = engine_read(a, until, line, sizeof line);
    if (e != ERR_OK) return err_prefix(e, "%.40s", say);
    char kind = line[0];
    snprintf(answer, n, "%s", line + 1 + strspn(line + 1, " ")); // we send no ids, so none comes back
    while (e == ERR_OK && line[0] != 0) e = engine_read(a, until, line, sizeof line);
    if (e != ERR_OK) return err_prefix(e, "%.40s", say);
    if (kind == '?') return err_set(ERR_USAGE, "%.40s: %s", say, answer);
    return ERR_OK;
}

static const char *colour(int seat)
{
    return seat == 0 ? "black" : "white";
}

// A refusal of a preparation is no failure: many programs know one game and one board only.
static err prepare(agent *a, const char *say)
{
    char answer[256];
    err e = ask(a, answer, sizeof answer, say);
    return e == ERR_USAGE ? ERR_OK : e;
}

static err new_game(agent *a)
{
    char line[64], answer[256];
    const engine_params *p = a->params;
    const char *named = a->g->formats != NULL && a->g->formats->gtp != NULL ? a->g->formats->gtp : a->g->name;
    err e = ERR_OK;
    if (ask(a, answer, sizeof answer, "known_command set_game") == ERR_OK && strcmp(answer, "true") == 0) {
        snprintf(line, sizeof line, "set_game %s", named);
        e = prepare(a, line);
    }
    if (e == ERR_OK && a->g->rows == a->g->cols) {
        snprintf(line, sizeof line, "boardsize %d", a->g->rows);
        e = prepare(a, line);
    }
    if (e == ERR_OK) e = ask(a, answer, sizeof answer, "clear_board");
    if (e == ERR_OK && p->turn > 0) {
        snprintf(line, sizeof line, "time_settings 0 %d 1", p->turn < 1 ? 1 : (int)p->turn);
        e = prepare(a, line);
    }
    return e;
}

static err tell(agent *a)
{
    engine_mind *m = a->mind;
    char line[96], answer[256];
    for (int i = m->told; i < m->n; i++) {
        bool pass = strcmp(m->moves[i].text, "pass") == 0;
        if (pass && !m->passes) continue;
        snprintf(line, sizeof line, "play %s %s", colour(m->moves[i].seat), m->moves[i].text);
        err e = ask(a, answer, sizeof answer, line);
        if (e == ERR_USAGE && pass) {
            m->passes = false; // it finds forced passes by itself
            continue;
        }
        if (e != ERR_OK) return e;
    }
    return ERR_OK;
}

// A game that hides something: the engine gets a position that fits what we know, never more than we know.
static err give_position(agent *a, const void *obs)
{
    char line[GAME_TEXT + 32] = "keiko-position ", answer[256];
    rng r = agent_rng(a);
    void *state = calloc(1, a->g->state_size);
    if (state == NULL) return err_set(ERR_MEMORY, "no memory");
    game_sample(a->g, obs, &r, state);
    a->g->state_print(state, line + strlen(line), GAME_TEXT);
    free(state);
    return ask(a, answer, sizeof answer, line);
}

static err choose(agent *a, const void *obs, agent_choice *out)
{
    engine_mind *m = a->mind;
    char line[64], answer[256];
    bool hidden = (a->g->flags & G_HIDDEN) != 0;
    err e = m->fresh ? new_game(a) : ERR_OK;
    if (e == ERR_OK) e = hidden ? give_position(a, obs) : tell(a);
    if (e != ERR_OK) return e;
    snprintf(line, sizeof line, "genmove %s", colour(a->seat));
    e = ask(a, answer, sizeof answer, line);
    if (e != ERR_OK) return e;
    out->resigns = strcasecmp(answer, "resign") == 0;
    if (out->resigns) return err_set(ERR_STOPPED, "resigns");
    return err_prefix(gtp_parse(a->g, obs, answer, &out->move), "answered '%.40s'", answer);
}

const engine_protocol engine_gtp = {choose};
