// keiko train puyo --explain-rewards and --evaluate.
#include "base/file.h"
#include "base/progress.h"
#include "base/stop.h"
#include "cli/train_puyo.h"
#include "games/puyo/puyo_match.h"
#include "search/puyo/puyo_reward.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- rewards, move by move

typedef struct story {
    const train_puyo *o;
    puyo_reward_weights w;
    py_match m;
    puyo_moment now, before[2];
    bool decided[2];
    int chain[2], move[2], at[2], ply;
    float cluster[2];
    double total[2], returns[2], factor[2];
    int column[PUYO_REWARD_COUNT], n_columns;
} story;

static void print_head(story *s)
{
    printf("%4s %s %-4s %5s", "ply", "P", "move", "chain");
    for (int k = 0; k < PUYO_REWARD_COUNT; k++) {
        if (puyo_reward_weight(&s->w, k) == 0) continue;
        s->column[s->n_columns++] = k;
        printf(" %9s", puyo_reward_name(k));
    }
    printf(" %9s %9s\n", "reward", "sum");
}

// With four decimals; what rounds to nothing has no sign.
static double shown(double v)
{
    return fabs(v) < 0.00005 ? 0.0 : v;
}

static void print_step(story *s, int seat)
{
    double part[PUYO_REWARD_COUNT];
    char move[16];
    puyo_step st = {.before = &s->before[seat],
                    .after = &s->now,
                    .me = seat,
                    .chain = s->chain[seat],
                    .cluster = s->cluster[seat],
                    .gamma = s->o->gamma,
                    .w = &s->w};
    double sum = puyo_reward_total(&st, part);
    s->total[seat] += sum;
    s->returns[seat] += s->factor[seat] * sum;
    s->factor[seat] *= s->o->gamma;
    py_move_print((move_t)s->move[seat], move, sizeof move);
    printf("%4d %d %-4s %5d", s->at[seat], seat + 1, move, s->chain[seat]);
    for (int i = 0; i < s->n_columns; i++) printf(" %9.4f", shown(part[s->column[i]]));
    printf(" %9.4f %9.4f\n", shown(sum), shown(s->total[seat]));
}

// One decision: what it and everything until the seat's next one earned is printed when that one comes.
static void tell(story *s, int move)
{
    int seat = py_match_seat(&s->m);
    py_match old = s->m;
    step_event ev[2];
    if (s->decided[seat]) print_step(s, seat);
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

static void finish(story *s)
{
    for (int p = 0; p < 2; p++)
        if (s->decided[p]) print_step(s, p);
    outcome o = py_match_result(&s->m);
    if (o.over) printf("%s\n", o.score[0] == 0.5f ? "draw" : o.score[0] == 1.0f ? "player 1 wins" : "player 2 wins");
    for (int p = 0; p < 2; p++)
        printf("player %d: rewards %.4f, discounted from its first move %.4f\n", p + 1, shown(s->total[p]),
               shown(s->returns[p]));
}

static err tell_agents(story *s, const char *first, const char *second)
{
    const game *g;
    agent *a[2] = {NULL, NULL};
    game_key key = {(uint64_t)s->o->seed, 0};
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
        if (e == ERR_OK) tell(s, c.move);
        if (e == ERR_OK) e = stop_check();
    }
    agent_close(a[0]);
    agent_close(a[1]);
    return e;
}

static err tell_moves(story *s, const char *text)
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
        if (n > 0) tell(s, m);
        at += n + (at[n] != 0);
    }
    return ERR_OK;
}

err train_puyo_explain(const train_puyo *o)
{
    story s = {.o = o, .factor = {1, 1}};
    char *data = NULL;
    err e = puyo_rewards_parse(o->rewards, &s.w);
    if (e == ERR_OK) e = py_match_init(&s.m, o->settings, (game_key){(uint64_t)o->seed, 0});
    if (e != ERR_OK) return e;
    puyo_moment_of(&s.m, &s.now);
    print_head(&s);
    const char *vs = strstr(o->explain, " vs ");
    if (vs != NULL) {
        char first[256];
        snprintf(first, sizeof first, "%.*s", (int)(vs - o->explain), o->explain);
        e = tell_agents(&s, first, vs + 4);
    } else if (file_exists(o->explain)) {
        e = file_read(o->explain, 1 << 20, &data, NULL);
        if (e == ERR_OK) e = err_prefix(tell_moves(&s, data), "%s", o->explain);
        free(data);
    } else {
        e = tell_moves(&s, o->explain);
    }
    if (e == ERR_OK) finish(&s);
    return e;
}

// --- evaluation

static void show_games(void *bar, int done)
{
    progress_set(bar, (uint64_t)done);
}

err train_puyo_evaluate(const train_puyo *o)
{
    char list[1024];
    dqn_puyo_options env = {o->settings, "none", o->gamma, NULL, true};
    pool *threads = pool_new((int)o->threads);
    if (threads == NULL) return err_set(ERR_MEMORY, "no memory for threads");
    dqn_eval v = {.type = &dqn_env_puyo,
                  .options = &env,
                  .games = (int)o->games & ~1,
                  .seed = (uint64_t)o->seed,
                  .threads = threads,
                  .agent = o->evaluate,
                  .tick = show_games};
    err e = ERR_OK;
    snprintf(list, sizeof list, "%s", o->references);
    printf("%-32s %5s  %5s %5s %5s  %-22s %-14s %s\n", "against", "games", "won", "drawn", "lost",
           "score, 95 % interval", "largest chain", "its");
    for (char *at = strtok(list, ";"); at != NULL && e == ERR_OK; at = strtok(NULL, ";")) {
        dqn_score s;
        progress_options po = {.label = at, .unit = "games", .total = (uint64_t)v.games, .quiet = o->all.quiet};
        progress *bar = progress_new(&po);
        v.tick_ctx = bar;
        e = dqn_evaluate(&v, at, &s);
        progress_finish(bar);
        if (e == ERR_OK)
            printf("%-32s %5d  %5d %5d %5d  %5.1f %% [%.1f, %.1f]    %.2f ± %.2f    %.2f\n", at, s.games, s.wins,
                   s.draws, s.losses, 100 * s.score, 100 * s.range.low, 100 * s.range.high, s.chain,
                   1.96 * s.chain_error, s.other_chain);
        fflush(stdout);
    }
    pool_free(threads);
    return e;
}
