// keiko puyo rewards and keiko puyo evaluate: what deep Q-learning pays, and how strong a player of versus Puyo is.
#include "app/puyo_rewards.h"
#include "base/opt_rows.h"
#include "base/progress.h"
#include "base/stop.h"
#include "cli/cli.h"
#include "learn/dqn/dqn_actors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- rewards, move by move

typedef struct rewards_options {
    common all;
    const char *game, *rewards, *settings;
    double gamma;
    int64_t seed;
} rewards_options;

#define AT(field) offsetof(rewards_options, field)
// clang-format off
static const opt rewards_args[] = {
    ROW_TEXT("GAME", AT(game), NULL, NULL, "'AGENT vs AGENT', moves ('3u;4r;…') or a file of moves", .required = true),
};
static const opt rewards_opts[] = {
    ROW_TEXT("rewards", AT(rewards), "SET", "shaped", "Reward set: shaped or seed, optionally with changes ('shaped:win=5,phi_chain=0.2')"),
    OPT_SETTINGS(rewards_options),
    ROW_NUMBER("gamma", AT(gamma), "X", "0.99", 0, 1, "Discount factor per decision"),
    OPT_SEED(rewards_options),
};
// clang-format on
#undef AT

typedef struct columns {
    int k[PUYO_REWARD_COUNT], n;
} columns;

// With four decimals; what rounds to nothing has no sign.
static double shown(double v)
{
    return fabs(v) < 0.00005 ? 0.0 : v;
}

static void print_row(void *ctx, const rewards_row *r)
{
    const columns *c = ctx;
    printf("%4d %d %-4s %5d", r->ply, r->seat + 1, r->move, r->chain);
    for (int i = 0; i < c->n; i++) printf(" %9.4f", shown(r->part[c->k[i]]));
    printf(" %9.4f %9.4f\n", shown(r->reward), shown(r->sum));
}

static int run_rewards(const void *options)
{
    const rewards_options *o = options;
    columns c;
    rewards_total t;
    stop_install("stopping\n");
    err e = rewards_columns(o->rewards, c.k, &c.n);
    if (e != ERR_OK) return cli_fail("puyo rewards");
    printf("%4s %s %-4s %5s", "ply", "P", "move", "chain");
    for (int i = 0; i < c.n; i++) printf(" %9s", puyo_reward_name(c.k[i]));
    printf(" %9s %9s\n", "reward", "sum");
    e = rewards_explain(&(rewards_request){o->game, o->rewards, o->settings, o->gamma, (uint64_t)o->seed}, print_row,
                        &c, &t);
    if (e != ERR_OK) return cli_fail("puyo rewards");
    if (t.over) printf("%s\n", t.score == 0.5f ? "draw" : t.score == 1.0f ? "player 1 wins" : "player 2 wins");
    for (int p = 0; p < 2; p++)
        printf("player %d: rewards %.4f, discounted from its first move %.4f\n", p + 1, shown(t.rewards[p]),
               shown(t.discounted[p]));
    return 0;
}

const command cmd_puyo_rewards = {
    CALLED("puyo rewards", "Print the training rewards of each move of a match"),
    .about =
        "Prints what each move earns in keiko train puyo, component by component. docs/train-puyo.md explains the components.",
    .examples = "keiko puyo rewards 'greedy vs random' --rewards seed\nkeiko puyo rewards '3u;4r;3u'",
    RUNS(run_rewards, rewards_options, WITH_ROWS(rewards_args, rewards_opts)),
};

// --- evaluation

typedef struct evaluate_options {
    common all;
    const char *agent, *references, *settings;
    int64_t games, threads, seed;
} evaluate_options;

#define AT(field) offsetof(evaluate_options, field)
// clang-format off
static const opt evaluate_args[] = {
    ROW_TEXT("AGENT", AT(agent), NULL, NULL, "The player to evaluate", .choices = "agents", .required = true),
};
static const opt evaluate_opts[] = {
    ROW_TEXT("references", AT(references), "LIST", "greedy;random;versus:level=beginner", "Opponents, separated by ';'"),
    ROW_INT("games", AT(games), "N", "100", 2, 65536, "Games per opponent, half on each side", .letter = 'n'),
    OPT_SETTINGS(evaluate_options),
    ROW_INT("threads", AT(threads), "N", "0", 0, 256, "Number of threads; 0 = one per core. Does not change the result", .letter = 't'),
    OPT_SEED(evaluate_options),
};
// clang-format on

static void show_games(void *bar, int done)
{
    progress_set(bar, (uint64_t)done);
}

static err evaluate(const evaluate_options *o, pool *threads)
{
    char list[1024];
    err e = ERR_OK;
    dqn_puyo_options env = {o->settings, "none", 0.99, NULL, true};
    dqn_eval v = {.type = &dqn_env_puyo,
                  .options = &env,
                  .games = (int)o->games & ~1,
                  .seed = (uint64_t)o->seed,
                  .threads = threads,
                  .agent = o->agent,
                  .tick = show_games};
    if (snprintf(list, sizeof list, "%s", o->references) >= (int)sizeof list)
        return err_set(ERR_LIMIT, "--references: the list is longer than %zu characters", sizeof list - 1);
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
    return e;
}

static int run_evaluate(const void *options)
{
    const evaluate_options *o = options;
    stop_install("stopping\n");
    pool *threads = pool_new((int)o->threads);
    err e = threads == NULL ? err_set(ERR_MEMORY, "no memory for threads") : evaluate(o, threads);
    pool_free(threads);
    return e == ERR_OK ? 0 : cli_fail("puyo evaluate");
}

const command cmd_puyo_evaluate = {
    CALLED("puyo evaluate", "Measure a player of versus Puyo against fixed opponents"),
    .about =
        "Plays matches in pairs with exchanged sides and prints wins, scores with their intervals and the mean of the largest chain per match, as keiko train puyo evaluates its network.",
    .examples = "keiko puyo evaluate dqn --games 500\n"
                "keiko puyo evaluate versus:level=easy --references 'greedy;versus:level=beginner'",
    RUNS(run_evaluate, evaluate_options, WITH_ROWS(evaluate_args, evaluate_opts)),
};
