// The words of keiko play that need an agent's opinion, and who sits where. See play.h.
//
// Values are shown as a score of 0 to 100: the points out of a hundred that the mover may expect, so 50 is even.
#include "base/models.h"
#include "cli/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- who sits where

void play_tell(match *m, agent *a, int seat)
{
    agent_begin(a, m->h.key, seat);
    for (int ply = 0; ply < m->h.ply; ply++) agent_saw(a, play_seen(m, ply, seat), m->h.moves[ply]);
}

err play_seat(match *m, int seat, const char *spec)
{
    agent *a = NULL;
    if (strlen(spec) >= PLAY_SPEC) return err_set(ERR_LIMIT, "an agent's name is at most %d characters", PLAY_SPEC - 1);
    if (strcmp(spec, "human") != 0) {
        err e = agent_open(&a, m->g, spec);
        if (e != ERR_OK) return e;
        play_tell(m, a, seat);
    }
    agent_close(m->players[seat]);
    m->players[seat] = a;
    if (spec != m->spec[seat]) snprintf(m->spec[seat], PLAY_SPEC, "%s", spec);
    return ERR_OK;
}

static bool plays(const game *g, const char *name)
{
    for (int i = 0; i < agent_type_count(); i++)
        if (strcmp(agent_type_at(i)->name, name) == 0 && agent_type_plays(agent_type_at(i), g)) return true;
    return false;
}

err play_ai_spec(const match *m, char *out, size_t n)
{
    char name[64], found[4096], sims[40] = "";
    const char *model = m->o->model;
    snprintf(name, sizeof name, "%s.safetensors", m->g->name);
    if (m->o->simulations > 0) snprintf(sims, sizeof sims, ",sims=%d", (int)m->o->simulations);
    if (model == NULL && models_find(name, found, sizeof found) == ERR_OK) model = found;
    int used;
    if (model != NULL && (m->o->model != NULL || plays(m->g, "zero"))) {
        text_buf value = {0};
        opt_pair_value(&value, model);
        used = snprintf(out, n, "zero:model=%s%s", text_str(&value), sims);
        text_free(&value);
    } else {
        const char *best = agent_default(m->g);
        used = snprintf(out, n, "%s%s", best, strcmp(best, "mcts") == 0 && sims[0] ? ":sims=" : "");
        if (strcmp(best, "mcts") == 0 && sims[0])
            used = snprintf(out, n, "mcts:sims=%d", (int)m->o->simulations);
        else if (sims[0])
            fprintf(stderr, "no model for %s was found, so ai plays as %s, which has no simulations\n", m->g->name,
                    best);
    }
    return used < (int)n ? ERR_OK : err_set(ERR_LIMIT, "--model %s: the path is too long", model);
}

// --- level

static void list_levels(const match *m)
{
    char spec[PLAY_SPEC];
    text_buf names = {0};
    for (int i = 0; i < AGENT_LEVELS; i++)
        if (agent_level(m->g, agent_levels[i], spec, sizeof spec)) text_printf(&names, "%s, ", agent_levels[i]);
    cli_say(stdout, "", "level NAME changes how strong the agents play: %sor any agent (keiko agents lists them)",
            text_str(&names));
    text_free(&names);
    for (int i = 0; i < m->g->n_seats; i++)
        if (m->players[i] != NULL) printf("  seat %d: %s\n", i + 1, m->spec[i]);
}

void play_level(match *m, const char *name)
{
    char spec[PLAY_SPEC];
    int changed = 0;
    if (name[0] == 0) {
        list_levels(m);
        return;
    }
    if (strcmp(name, "human") == 0) {
        printf("level is for agents; %s\n", "start anew with --first human --second human to play both sides");
        return;
    }
    if (!agent_level(m->g, name, spec, sizeof spec)) snprintf(spec, sizeof spec, "%s", name);
    for (int i = 0; i < m->g->n_seats; i++) {
        if (m->players[i] == NULL) continue;
        if (play_seat(m, i, spec) != ERR_OK) {
            cli_say(stdout, "", "%s", err_text());
            list_levels(m);
            return;
        }
        printf("seat %d is now %s\n", i + 1, spec);
        changed++;
    }
    if (changed == 0) printf("no agent plays here, only people\n");
}

// --- opinions

// The best `want` moves of the position; the sentence says why there are none.
static agent_choice *think(match *m, int seat, int want, int *n)
{
    agent_choice *c = calloc((size_t)want, sizeof *c);
    const char *spec = m->o->hints != NULL ? m->o->hints : agent_default(m->g);
    err e = c == NULL ? err_set(ERR_MEMORY, "no memory for %d moves", want) : ERR_OK;
    if (e == ERR_OK && m->helper == NULL) e = agent_open(&m->helper, m->g, spec);
    *n = 0;
    if (e == ERR_OK) {
        play_tell(m, m->helper, seat);
        e = agent_analyse(m->helper, play_seen(m, m->h.ply, seat), want, c, n);
    }
    if (e == ERR_OK && *n > 0) return c;
    printf("no opinion: %s\n", e != ERR_OK ? err_text() : "the agent has none");
    free(c);
    return NULL;
}

static int score_of(const agent_choice *c)
{
    return (int)(100 * c->value + 0.5f);
}

static void print_choice(match *m, int seat, const agent_choice *c)
{
    char word[256];
    m->g->move_print(play_seen(m, m->h.ply, seat), c->move, word, sizeof word);
    printf("%-10s", word);
    if (c->value >= 0) printf("  score %3d", score_of(c));
    if (c->depth > 0) printf("  depth %2d", c->depth);
    printf("%s%s\n", c->text[0] ? "  " : "", c->text);
}

void play_hint(match *m, int seat)
{
    int n;
    agent_choice *c = think(m, seat, 1, &n);
    if (c == NULL) return;
    printf("hint: ");
    print_choice(m, seat, c);
    free(c);
}

void play_analyse(match *m, int seat, int want)
{
    int n;
    agent_choice *c = think(m, seat, want, &n);
    if (c == NULL) return;
    for (int i = 0; i < n; i++) {
        printf("%2d. ", i + 1);
        print_choice(m, seat, &c[i]);
    }
    free(c);
}

void play_eval(match *m, int seat)
{
    enum { CELLS = 20 };
    int n;
    agent_choice *c = think(m, seat, 1, &n);
    if (c == NULL) return;
    if (c->value < 0) {
        printf("%s gives moves but no values here%s%s\n", m->helper->type->name, c->text[0] ? ": " : "", c->text);
    } else {
        int score = score_of(c), cells = (score * CELLS + 50) / 100;
        printf("you %d [%.*s%.*s] %d   %s\n", score, cells, "####################", CELLS - cells,
               "--------------------", 100 - score,
               score > 65   ? "you are ahead"
               : score < 35 ? "you are behind"
                            : "about even");
    }
    free(c);
}
