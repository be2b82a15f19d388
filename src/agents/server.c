// What the protocol servers share: the game, the agent, and keeping the two in step.
#include "agents/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const protocol *const protocols[] = {&protocol_gtp, &protocol_nboard, &protocol_gomocup};
enum { N_PROTOCOLS = sizeof protocols / sizeof *protocols };

static bool serves(const protocol *p, const game *g)
{
    char list[256], name[64];
    if (p->games[0] == 0) return true;
    snprintf(list, sizeof list, " %s ", p->games);
    snprintf(name, sizeof name, " %s ", g->name);
    return strstr(list, name) != NULL;
}

err server_reopen(server *s, const game *g, const char *spec)
{
    agent *fresh = NULL;
    void *obs = malloc(g->obs_size);
    err e = obs == NULL ? err_set(ERR_MEMORY, "no memory") : agent_open(&fresh, g, spec);
    if (e != ERR_OK) {
        free(obs);
        return e;
    }
    agent_close(s->player);
    free(s->obs);
    s->player = fresh;
    s->obs = obs;
    s->g = g;
    s->told = -1;
    return ERR_OK;
}

err server_open(server **out, const server_options *o)
{
    server *s = calloc(1, sizeof *s);
    if (s == NULL) return err_set(ERR_MEMORY, "no memory for an engine");
    err e = ERR_OK;
    for (int i = 0; i < N_PROTOCOLS; i++)
        if (strcmp(protocols[i]->name, o->protocol) == 0) s->protocol = protocols[i];
    if (s->protocol == NULL)
        e = err_set(ERR_USAGE, "unknown protocol '%s'; there are: gtp, nboard, gomocup", o->protocol);
    else if (!serves(s->protocol, o->g))
        e = err_set(ERR_USAGE, "the protocol %s is not for %s; it serves: %s", o->protocol, o->g->name,
                    s->protocol->games);
    else if (strlen(o->settings) >= sizeof s->settings || strlen(o->agent) >= sizeof s->spec)
        e = err_set(ERR_LIMIT, "options longer than 255 or agent longer than 1023 characters");
    if (e == ERR_OK) {
        strcpy(s->settings, o->settings);
        strcpy(s->spec, o->agent);
        s->key = (game_key){o->seed, 0};
        e = server_reopen(s, o->g, o->agent);
    }
    if (e == ERR_OK) e = server_new_game(s, o->g, NULL);
    if (e == ERR_OK && s->protocol->open != NULL) e = s->protocol->open(s);
    if (e != ERR_OK) {
        server_close(s);
        return e;
    }
    *out = s;
    return ERR_OK;
}

void server_close(server *s)
{
    if (s == NULL) return;
    agent_close(s->player);
    history_free(&s->h);
    text_free(&s->gathered);
    free(s->obs);
    free(s);
}

bool server_line(server *s, const char *line, text_buf *out)
{
    return s->protocol->line(s, line, out);
}

err server_new_game(server *s, const game *g, const char *position)
{
    history fresh = {0};
    err e = ERR_OK;
    if (g != s->g) e = server_reopen(s, g, s->spec);
    bool start = position == NULL || position[0] == 0;
    if (e == ERR_OK) e = history_begin(&fresh, g, start ? s->settings : "", position, s->key);
    if (e != ERR_OK) {
        history_free(&fresh);
        return e;
    }
    history_free(&s->h);
    s->h = fresh;
    s->told = -1;
    s->key.game++;
    return ERR_OK;
}

const void *server_obs(server *s)
{
    void *now = history_now(&s->h);
    game_observe(s->g, now, s->g->seat(now), s->obs);
    return s->obs;
}

err server_play(server *s, move_t m)
{
    return history_play(&s->h, m, NULL);
}

bool server_undo(server *s)
{
    if (!history_undo(&s->h)) return false;
    if (s->told > s->h.ply) s->told = -1;
    return true;
}

err server_choose(server *s, agent_choice *out)
{
    void *now = history_now(&s->h);
    if (s->g->result(now).over) return err_set(ERR_USAGE, "the game is over");
    int seat = s->g->seat(now);
    if (s->told < 0 || s->player->seat != seat) {
        agent_begin(s->player, s->h.key, seat);
        s->told = 0;
    }
    for (; s->told < s->h.ply; s->told++) {
        game_observe(s->g, history_at(&s->h, s->told), seat, s->obs);
        agent_saw(s->player, s->obs, s->h.moves[s->told]);
    }
    // The choices of a game must not repeat when it is asked twice at different plies.
    s->player->turn = (uint32_t)s->h.ply;
    return agent_choose(s->player, server_obs(s), out);
}
