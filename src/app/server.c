// What the protocol servers share: the session, the agent, and what happens while it thinks. See server_inner.h.
#include "app/server_inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const protocol *const protocols[] = {&protocol_gtp, &protocol_nboard, &protocol_gomocup};
enum { N_PROTOCOLS = sizeof protocols / sizeof *protocols };

static bool interrupted(void *ctx)
{
    server *s = ctx;
    if (s->any_line) return s->io.ahead != NULL && s->io.ahead(s->io.ctx, 0) != NULL;
    if (s->io.ahead == NULL || s->protocol->interrupts == NULL) return false;
    const char *line;
    for (int i = 0; (line = s->io.ahead(s->io.ctx, i)) != NULL; i++)
        if (s->protocol->interrupts(line)) return true;
    return false;
}

static err refuse_game(const protocol *p, const game *g)
{
    text_buf names = {0};
    for (int i = 0; i < game_count(); i++)
        if (p->serves(game_at(i))) text_printf(&names, "%s%s", names.len > 0 ? ", " : "", game_at(i)->name);
    err e = err_set(ERR_USAGE, "the protocol %s is not for %s; it serves: %s", p->name, g->name, text_str(&names));
    text_free(&names);
    return e;
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
    else if (s->protocol->serves != NULL && !s->protocol->serves(o->g))
        e = refuse_game(s->protocol, o->g);
    else if (strlen(o->settings) >= sizeof s->settings || strlen(o->agent) >= sizeof s->spec)
        e = err_set(ERR_LIMIT, "options longer than 255 or agent longer than 1023 characters");
    if (e == ERR_OK) {
        strcpy(s->settings, o->settings);
        strcpy(s->spec, o->agent);
        s->io = o->io;
        s->version = o->version != NULL ? o->version : "";
        s->key = (game_key){o->seed, 0};
        e = session_open(&s->game, &(session_setup){.g = o->g, .options = s->settings, .key = s->key});
    }
    if (e == ERR_OK) {
        s->key.game++;
        s->watch.stop = (stop_ask){interrupted, s};
        session_watch(s->game, &s->watch);
        e = session_set_helper(s->game, o->agent);
    }
    return HAND_OVER(e, out, s, server_close);
}

void server_close(server *s)
{
    if (s == NULL) return;
    session_close(s->game);
    text_free(&s->gathered);
    free(s);
}

bool server_line(server *s, const char *line, text_buf *out)
{
    s->out = out;
    return s->protocol->line(s, line, out);
}

const game *server_game(const server *s)
{
    return session_game(s->game);
}

const void *server_obs(server *s)
{
    return session_seen(s->game, session_at(s->game), session_seat(s->game));
}

err server_new_game(server *s, const game *g, const char *position)
{
    bool start = position == NULL || position[0] == 0;
    session_setup setup = {.g = g, .options = start ? s->settings : "", .position = position, .key = s->key};
    err e = session_restart(s->game, &setup);
    if (e == ERR_OK) s->key.game++;
    return e;
}

err server_choose(server *s, agent_choice *out)
{
    return session_think(s->game, out);
}

err server_reopen(server *s, const char *spec)
{
    return session_set_helper(s->game, spec);
}

bool server_over(const server *s)
{
    return session_outcome(s->game).over;
}

void server_flush(server *s)
{
    if (s->io.flush != NULL) s->io.flush(s->io.ctx, s->out);
}
