// See puyo_rewards.h.
#include "app/puyo_rewards.h"

#include "agents/agent.h"
#include "base/file.h"
#include "base/stop.h"
#include "games/puyo/puyo_match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct walk {
    const rewards_request *q;
    rewards_see *see;
    void *ctx;
    puyo_reward_weights w;
    py_match m;
    puyo_moment now, before[2];
    bool decided[2];
    int chain[2], move[2], at[2], ply;
    float cluster[2];
    double factor[2];
    rewards_total total;
} walk;

static void pay(walk *s, int seat)
{
    rewards_row row = {.ply = s->at[seat], .seat = seat, .chain = s->chain[seat]};
    puyo_step st = {.before = &s->before[seat],
                    .after = &s->now,
                    .me = seat,
                    .chain = s->chain[seat],
                    .cluster = s->cluster[seat],
                    .gamma = s->q->gamma,
                    .w = &s->w};
    row.reward = puyo_reward_total(&st, row.part);
    row.sum = s->total.rewards[seat] += row.reward;
    s->total.discounted[seat] += s->factor[seat] * row.reward;
    s->factor[seat] *= s->q->gamma;
    py_move_print((move_t)s->move[seat], row.move, sizeof row.move);
    s->see(s->ctx, &row);
}

// One decision: what it and everything until the seat's next one earned is known when that one comes.
static void decide(walk *s, int move)
{
    int seat = py_match_seat(&s->m);
    py_match old = s->m;
    step_event ev[2];
    if (s->decided[seat]) pay(s, seat);
    s->before[seat] = s->now;
    s->decided[seat] = true;
    s->chain[seat] = 0;
    s->move[seat] = move;
    s->at[seat] = s->ply + 1;
    s->cluster[seat] = puyo_cluster(&s->m.side[seat].field, move, s->m.side[seat].window[0]);
    s->ply++;
    py_match_play(&s->m, move, ev);
    for (int p = 0; p < 2; p++)
        if (ev[p].chain > 0) s->chain[p] = ev[p].chain;
    puyo_moment_next(&s->m, &old, &s->now, &s->now);
}

static err play_agents(walk *s, const char *first, const char *second)
{
    const game *g;
    agent *a[2] = {NULL, NULL};
    game_key key = {s->q->seed, 0};
    err e = game_find("puyo", &g);
    if (e == ERR_OK) e = agent_open(&a[0], g, first);
    if (e == ERR_OK) e = agent_open(&a[1], g, second);
    for (int p = 0; e == ERR_OK && p < 2; p++) agent_begin(a[p], key, p);
    while (e == ERR_OK && !s->now.over) {
        agent_choice c = {0};
        py_match obs;
        int seat = py_match_seat(&s->m);
        py_match_observe(&s->m, seat, &obs);
        e = agent_choose(a[seat], &obs, &c);
        if (e == ERR_OK) decide(s, c.move);
        if (e == ERR_OK) e = stop_check();
    }
    agent_close(a[0]);
    agent_close(a[1]);
    return e;
}

static err play_moves(walk *s, const char *text)
{
    for (const char *at = text; *at != 0 && !s->now.over;) {
        char word[16];
        move_t m;
        size_t n = strcspn(at, "; \t\r\n");
        if (n >= sizeof word) return err_parse(text, (size_t)(at - text), "this is no move");
        memcpy(word, at, n);
        word[n] = 0;
        const py_side *a = &s->m.side[py_match_seat(&s->m)];
        err e = n == 0 ? ERR_OK : py_move_parse(word, &a->field, a->window[0], s->m.reach, s->m.lose, &m);
        if (e != ERR_OK) return err_prefix(e, "move %d", s->ply + 1);
        if (n > 0) decide(s, m);
        at += n + (at[n] != 0);
    }
    return ERR_OK;
}

static err play(walk *s, const char *what)
{
    char first[256], *data = NULL;
    const char *vs = strstr(what, " vs ");
    if (vs != NULL) {
        snprintf(first, sizeof first, "%.*s", (int)(vs - what), what);
        return play_agents(s, first, vs + 4);
    }
    if (!file_exists(what)) return play_moves(s, what);
    err e = file_read(what, 1 << 20, &data, NULL);
    if (e == ERR_OK) e = err_prefix(play_moves(s, data), "%s", what);
    free(data);
    return e;
}

err rewards_columns(const char *rewards, int *column, int *n)
{
    puyo_reward_weights w;
    err e = puyo_rewards_parse(rewards, &w);
    *n = 0;
    for (int k = 0; k < PUYO_REWARD_COUNT && e == ERR_OK; k++)
        if (puyo_reward_weight(&w, k) != 0) column[(*n)++] = k;
    return e;
}

err rewards_explain(const rewards_request *q, rewards_see *see, void *ctx, rewards_total *out)
{
    walk s = {.q = q, .see = see, .ctx = ctx, .factor = {1, 1}};
    err e = puyo_rewards_parse(q->rewards, &s.w);
    if (e == ERR_OK) e = py_match_init(&s.m, q->settings, (game_key){q->seed, 0});
    if (e != ERR_OK) return e;
    puyo_moment_of(&s.m, &s.now);
    e = play(&s, q->game);
    if (e != ERR_OK) return e;
    for (int p = 0; p < 2; p++)
        if (s.decided[p]) pay(&s, p);
    outcome o = py_match_result(&s.m);
    s.total.over = o.over;
    s.total.score = o.score[0];
    *out = s.total;
    return ERR_OK;
}
