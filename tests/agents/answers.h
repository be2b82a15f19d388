// What agents answer on fixed positions: moves, values, nodes and lines of play, for assert_listed.
#ifndef KEIKO_TESTS_ANSWERS_H
#define KEIKO_TESTS_ANSWERS_H

#include "agents/agent.h"
#include "base/listed.h"

#include <inttypes.h>

static inline void put_choice(text_buf *t, const game *g, const void *obs, const agent_choice *c)
{
    char move[64];
    g->move_print(obs, c->move, move, sizeof move);
    text_printf(t, " %s %.4g/%" PRIu64 "/%d", move, (double)c->value, c->nodes, c->depth);
    if (c->has_margin) text_printf(t, " margin %.4g", (double)c->margin);
    if (c->has_prior) text_printf(t, " prior %.4g", (double)c->prior);
    if (c->text[0] != 0) text_printf(t, " '%s'", c->text);
}

static inline void ask(text_buf *t, const game *g, const char *spec, uint32_t number, int plies)
{
    agent *a;
    agent_choice c[4];
    int n;
    void *s = calloc(1, g->state_size), *obs = calloc(1, g->obs_size);
    rng r = rng_at(21, number, 0);
    assert_ok(g->init(s, "", (game_key){5, number}));
    game_random_playout(g, s, &r, plies);
    if (!g->result(s).over) {
        assert_ok(agent_open(&a, g, spec));
        agent_begin(a, (game_key){9, number}, g->seat(s));
        game_observe(g, s, g->seat(s), obs);
        assert_ok(agent_choose(a, obs, c));
        text_printf(t, "  %d:", plies);
        put_choice(t, g, obs, c);
        for (int want = 1; want <= 4; want += 3) {
            agent_begin(a, (game_key){9, number}, g->seat(s));
            assert_ok(agent_analyse(a, obs, want, c, &n));
            text_printf(t, "\n   ");
            for (int i = 0; i < n; i++) put_choice(t, g, obs, &c[i]);
        }
        text_char(t, '\n');
        agent_close(a);
    }
    free(s);
    free(obs);
}

// {game, spec} each.
static inline void put_answers(text_buf *t, const char *const (*specs)[2], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const game *g;
        assert_ok(game_find(specs[i][0], &g));
        text_printf(t, "%s %s\n", specs[i][0], specs[i][1]);
        for (uint32_t k = 0; k < 4; k++) ask(t, g, specs[i][1], k, 3 + 11 * (int)k);
    }
}

#endif
