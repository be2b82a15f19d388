// Analysis over GTP, as boards like Sabaki and Lizzie ask for it: lz-analyze and kata-analyze go on until the next line
// arrives, and send the best moves on the way; the genmove_analyze commands do so while they choose.
//
// One line holds all moves: "info move D4 visits 12 winrate 5034 prior 2500 lcb 5034 order 0 pv D4 C3 info move …". Leela
// Zero's numbers are ten-thousandths, KataGo's are 0 … 1; all are those of the side to move.
#include "agents/protocol.h"
#include "app/server_inner.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The line of play in GTP's coordinates. Behind a hidden state the rest would be a guess.
static void put_pv(server *s, const agent_choice *c)
{
    const game *g = server_game(s);
    char text[256], *state = g->flags & G_HIDDEN ? NULL : malloc(g->state_size);
    const void *at = server_obs(s);
    gtp_print(g, at, c->move, text, sizeof text);
    text_printf(s->out, " pv %s", text);
    if (state != NULL) memcpy(state, at, g->state_size);
    for (int i = 1; state != NULL && i < c->n_line; i++) {
        g->play(state, c->line[i - 1], NULL);
        gtp_print(g, state, c->line[i], text, sizeof text);
        text_printf(s->out, " %s", text);
    }
    free(state);
}

static void put_moves(server *s, const agent_choice *c, int n)
{
    char text[256];
    if (n > s->wanted) n = s->wanted;
    for (int i = 0; i < n; i++) {
        double value = c[i].value < 0 ? 0.5 : (double)c[i].value, prior = c[i].has_prior ? (double)c[i].prior : 0;
        gtp_print(server_game(s), server_obs(s), c[i].move, text, sizeof text);
        text_printf(s->out, "%sinfo move %s visits %llu", i > 0 ? " " : "", text, (unsigned long long)c[i].nodes);
        if (s->mode == SERVER_KATA) {
            double lead = c[i].has_margin ? (double)c[i].margin : 0;
            text_printf(s->out,
                        " utility %.6f winrate %.6f scoreMean %.3f scoreStdev 0 scoreLead %.3f prior %.6f lcb %.6f "
                        "utilityLcb %.6f order %d",
                        2 * value - 1, value, lead, lead, prior, value, 2 * value - 1, i);
        } else {
            text_printf(s->out, " winrate %d prior %d lcb %d order %d", (int)(10000 * value + 0.5),
                        (int)(10000 * prior + 0.5), (int)(10000 * value + 0.5), i);
        }
        put_pv(s, &c[i]);
    }
    if (n > 0) text_char(s->out, '\n');
    server_flush(s);
}

static void hear(void *ctx, const agent_choice *best, int n)
{
    server *s = ctx;
    double now = clock_seconds();
    if (now - s->started < s->interval) return;
    s->started = now;
    put_moves(s, best, n);
}

static bool line_waits(server *s)
{
    return s->io.ahead != NULL && s->io.ahead(s->io.ctx, 0) != NULL;
}

// An agent's own limit ends one search; a tree grows with the next one, others have nothing to add and wait.
err server_analyse_on(server *s)
{
    agent_choice *c = calloc((size_t)s->wanted, sizeof *c);
    uint64_t before = 0;
    int n = 0;
    err e = c == NULL ? err_set(ERR_MEMORY, "no memory for %d moves", s->wanted) : ERR_OK;
    s->started = clock_seconds() - s->interval - 1; // the first report is sent at once
    s->any_line = true;
    s->watch.lines = hear;
    s->watch.ctx = s;
    do {
        if (e == ERR_OK) e = session_analyse(s->game, s->wanted, c, &n);
        uint64_t now = 0;
        for (int i = 0; i < n; i++) now += c[i].nodes;
        bool grows = now != before && n > 0 && c[0].has_prior;
        if (e == ERR_OK && now != before) hear(s, c, n);
        before = now;
        for (double start = clock_seconds(), most = grows ? 0 : 0.05; clock_seconds() - start < most && !line_waits(s);)
            clock_sleep(0.005);
    } while (e == ERR_OK && s->io.ahead != NULL && !line_waits(s));
    s->any_line = false;
    s->watch.lines = NULL;
    free(c);
    return e;
}

err server_choose_aloud(server *s, agent_choice *out)
{
    s->started = clock_seconds() - s->interval - 1; // the first report is sent at once
    s->watch.lines = hear;
    s->watch.ctx = s;
    err e = server_choose(s, out);
    s->watch.lines = NULL;
    if (e == ERR_OK) put_moves(s, out, 1);
    return e;
}
