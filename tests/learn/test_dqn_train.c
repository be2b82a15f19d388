// labels: threads
// Training as a whole, tiny: the same result for any number of threads, a run that was stopped and resumed ends where an
// undisturbed one does, the agent plays what was learned; schedules, gates, mixes and evaluation on their own.
#include "base/file.h"
#include "base/temp_dir.h"
#include "learn/dqn/dqn_train.h"
#include "test.h"

#include <math.h>

static void test_epsilon(void **state)
{
    (void)state;
    dqn_epsilon linear = {1, 0.01, 50000, false}, falling = {1, 0.01, 50000, true};
    assert_true(dqn_epsilon_at(&linear, 0) == 1);
    assert_true(fabs(dqn_epsilon_at(&linear, 25000) - 0.505) < 1e-12);
    assert_true(dqn_epsilon_at(&linear, 50000) == 0.01 && dqn_epsilon_at(&linear, 1e9) == 0.01);
    assert_true(fabs(dqn_epsilon_at(&falling, 25000) - 0.1) < 1e-12);
    assert_true(dqn_epsilon_at(&falling, 60000) == 0.01);
    assert_true(dqn_opponent_epsilon(0.01) == 0.05 && dqn_opponent_epsilon(0.5) == 0.6 && dqn_opponent_epsilon(1) == 1);
}

static dqn_score score_of(int wins, int games, double chain, double error)
{
    return (dqn_score){.games = games,
                       .wins = wins,
                       .score = (double)wins / games,
                       .range = rate_wilson(wins, games, 0.95),
                       .chain = chain,
                       .chain_error = error};
}

static void test_gates(void **state)
{
    (void)state;
    dqn_score few = score_of(6, 10, 3.2, 0.2), many = score_of(620, 1000, 3.2, 0.05);
    assert_false(dqn_gate_passed(DQN_BEGINNER, &few)); // 60 % of ten games says little
    assert_true(dqn_gate_passed(DQN_BEGINNER, &many)); // [0.59, 0.65]
    assert_false(dqn_gate_passed(DQN_INTERMEDIATE, &few));
    assert_true(dqn_gate_passed(DQN_INTERMEDIATE, &many));
    assert_false(dqn_gate_passed(DQN_ADVANCED, &many));
    assert_int_equal(dqn_phases[DQN_BEGINNER].opponent_update_interval, 500);
    assert_int_equal(dqn_phases[DQN_ADVANCED].opponent_update_interval, 3000);
    assert_true(dqn_phases[DQN_INTERMEDIATE].epsilon_start == 0.6);
}

static void test_mix(void **state)
{
    (void)state;
    dqn_mix m;
    assert_ok(dqn_mix_parse("60 self; 20 past ;20 versus:level=easy,slip=3", "opponents", &m));
    assert_int_equal(m.n, 3);
    assert_string_equal(m.name[1], "past");
    assert_string_equal(m.name[2], "versus:level=easy,slip=3");
    assert_int_equal(dqn_mix_at(&m, 0), 0);
    assert_int_equal(dqn_mix_at(&m, 0.7), 1);
    assert_int_equal(dqn_mix_at(&m, 0.999), 2);
    assert_ok(dqn_mix_parse("", "demonstrators", &m));
    assert_int_equal(m.n, 0);
    assert_err(dqn_mix_parse("self", "opponents", &m), "expected a share and a player");
    assert_err(dqn_mix_parse("10 self;", "opponents", &m) == ERR_OK ? dqn_mix_parse("-1 self", "opponents", &m)
                                                                    : ERR_OK,
               "expected a share");
    assert_err(dqn_mix_parse("10 ", "opponents", &m), "expected a share");
}

// --- whole runs

typedef struct trial {
    int threads;
    int64_t steps;
    bool resume, curriculum, search, noisy;
    double alone;
    const char *dist; // NULL = none
    const char *rewards;
} trial;

static void train(const char *dir, trial x)
{
    run_home *r = NULL;
    dqn_config c = {0};
    const game *g;
    opt_values *keep = opt_keep();
    char more[256];
    assert_ok(game_find("puyo", &g));
    assert_ok(
        dqn_config_make(&c, g, NULL,
                        &(config_layer){"test", "net = mlp=16\nlanes = 12\nopponents = 40 self;20 past;40 greedy\n"
                                                "demonstrators = 10 greedy\natoms = 5\nreplay-ratio = 0.5\n"
                                                "learning-starts = 100\nopponent-update-interval = 3\n"
                                                "epsilon-start = 0.5\nepsilon-end = 0.1\n"
                                                "epsilon-decay-episodes = 20\nevaluation-frequency = 0\n"
                                                "evaluation-games = 2\nreferences = random\nseed = 4\n"
                                                "batch = 16\nbuffer = 500\ntarget-update-frequency = 7\n"
                                                "refresh = 3\nlr = 0.0001\nbeta-updates = 100000\n"
                                                "save-minutes = 0\nbackend = cpu\n"},
                        1, keep));
    snprintf(more, sizeof more,
             "steps=%lld,threads=%d,curriculum=%d,search=%d,exploration=%s,alone=%g,distribution=%s,rewards=%s",
             (long long)x.steps, x.threads, x.curriculum, x.search, x.noisy ? "noisy" : "epsilon", x.alone,
             x.dist != NULL ? x.dist : "none", x.rewards);
    assert_ok(opt_pairs(dqn_opts, dqn_n_opts, &c, more, "trial", keep));
    run_options o = {.dir = dir, .game = "puyo", .algo = "dqn", .resume = x.resume, .no_events = true};
    assert_ok(run_open(&r, &o));
    train_state end;
    train_end how;
    assert_ok(dqn_train(&(train_options){.g = g, .home = r}, &c, &end, NULL, &how));
    assert_int_equal(how, TRAIN_LIMIT);
    assert_true(end.step >= (uint64_t)x.steps && end.updates > 0);
    run_close(r);
    opt_free(keep);
}

static void same_weights(const char *a, const char *b, bool same)
{
    char path[200];
    nn_net *x = NULL, *y = NULL;
    snprintf(path, sizeof path, "%s/final.safetensors", a);
    assert_ok(nn_net_load(&x, path));
    snprintf(path, sizeof path, "%s/final.safetensors", b);
    assert_ok(nn_net_load(&y, path));
    assert_int_equal(x->at.n_all, y->at.n_all);
    bool equal = memcmp(x->w, y->w, x->at.n_all * sizeof *x->w) == 0;
    nn_net_free(x);
    nn_net_free(y);
    if (equal != same) fail_msg("weights of %s and %s are %s", a, b, equal ? "equal" : "different");
}

static void test_threads_and_resume(void **state)
{
    (void)state;
    char base[64], a[100], b[100], c[100];
    temp_dir_make(base);
    snprintf(a, sizeof a, "%s/a", base);
    snprintf(b, sizeof b, "%s/b", base);
    snprintf(c, sizeof c, "%s/c", base);
    train(a, (trial){.threads = 1, .steps = 900, .search = true, .rewards = "shaped"});
    train(b, (trial){.threads = 3, .steps = 450, .search = true, .rewards = "shaped"});
    same_weights(a, b, false);
    train(b, (trial){.threads = 3, .steps = 900, .search = true, .rewards = "shaped", .resume = true});
    same_weights(a, b, true);
    // another setting gives another network, or the comparison above would mean nothing
    train(c, (trial){.threads = 2, .steps = 900, .search = false, .rewards = "seed", .curriculum = true});
    same_weights(a, c, false);
    temp_dir_remove(base);
}

// The same for a learner with everything else: quantiles, noise, matches without looking ahead.
static void test_other_learner(void **state)
{
    (void)state;
    char base[64], a[100], b[100], spec[200];
    trial x = {.threads = 1, .steps = 500, .search = true, .rewards = "shaped"};
    x.noisy = true, x.alone = 0.5, x.dist = "qr";
    temp_dir_make(base);
    snprintf(a, sizeof a, "%s/a", base);
    snprintf(b, sizeof b, "%s/b", base);
    train(a, x);
    x.threads = 2, x.steps = 250;
    train(b, x);
    same_weights(a, b, false);
    x.resume = true, x.steps = 500;
    train(b, x);
    same_weights(a, b, true);

    dqn_puyo_options env = {"", "none", 0.99, NULL, true};
    dqn_eval v = {.type = &dqn_env_puyo, .options = &env, .games = 4, .seed = 9, .agent = spec};
    dqn_score s;
    snprintf(spec, sizeof spec, "dqn:model=%s/final.safetensors,search=1", a);
    assert_ok(dqn_evaluate(&v, "random", &s));
    assert_true(s.wins >= 3); // the potential alone is enough
    temp_dir_remove(base);
}

// What is logged of an episode: every component that is paid, adding up to the reward; none that is not.
static void test_components(void **state)
{
    (void)state;
    char base[64], dir[100], path[200], *log = NULL;
    temp_dir_make(base);
    snprintf(dir, sizeof dir, "%s/a", base);
    train(dir, (trial){.threads = 1, .steps = 700, .rewards = "seed"});
    snprintf(path, sizeof path, "%s/log.jsonl", dir);
    assert_ok(file_read(path, 1 << 20, &log, NULL));
    // The time of the last evaluation is there, too.
    char *match = strstr(log, "\"kind\":\"match\""), *times = match != NULL ? strstr(match, "\"kind\":\"time\"") : NULL;
    assert_non_null(times);
    assert_true(strtod(strstr(times, "\"eval\":") + 7, NULL) > 0);
    char *line = strstr(log, "\"kind\":\"episode\"");
    assert_non_null(line);
    *strchr(line, '\n') = 0;
    double sum = 0, all;
    int parts = 0;
    for (char *at = strstr(line, "\"reward_"); at != NULL; at = strstr(at + 1, "\"reward_"), parts++)
        sum += strtod(strchr(at, ':') + 1, NULL);
    assert_non_null(strstr(line, "\"reward\":"));
    all = strtod(strstr(line, "\"reward\":") + 9, NULL);
    assert_int_equal(parts, 11); // all of the seed's
    assert_null(strstr(line, "reward_shaping"));
    if (fabs(sum - all) > 1e-3 * (1 + fabs(all))) fail_msg("components add up to %.5f, the reward is %.5f", sum, all);
    free(log);
    temp_dir_remove(base);
}

static void test_agent(void **state)
{
    (void)state;
    char base[64], dir[100], spec[200];
    temp_dir_make(base);
    snprintf(dir, sizeof dir, "%s/a", base);
    train(dir, (trial){.threads = 1, .steps = 200, .search = true, .rewards = "shaped"});
    dqn_puyo_options env = {"", "none", 0.99, NULL, true};
    pool *threads = pool_new(2);
    dqn_eval v = {.type = &dqn_env_puyo, .options = &env, .games = 6, .seed = 9, .threads = threads, .agent = spec};
    for (int search = 0; search <= 2; search++) {
        dqn_score s, again;
        snprintf(spec, sizeof spec, "dqn:model=%s/final.safetensors,search=%d,width=2", dir, search);
        assert_ok(dqn_evaluate(&v, "random", &s));
        assert_ok(dqn_evaluate(&v, "random", &again));
        assert_memory_equal(&s, &again, sizeof s);
        assert_int_equal(s.wins + s.draws + s.losses, 6);
        // one step ahead the potential alone is enough against random placements
        if (search > 0) assert_true(s.wins >= 5);
    }
    snprintf(spec, sizeof spec, "dqn:model=%s/none.safetensors", dir);
    dqn_score s;
    assert_err(dqn_evaluate(&v, "random", &s), "none.safetensors");
    pool_free(threads);
    temp_dir_remove(base);
}

static void test_paired(void **state)
{
    (void)state;
    // the same player on both sides of the same pairs wins as often as it loses, whatever the pairs
    dqn_puyo_options env = {"", "none", 0.99, NULL, true};
    dqn_eval v = {
        .type = &dqn_env_puyo, .options = &env, .games = 8, .seed = 2, .agent = "versus:level=beginner,slip=0"};
    dqn_score s;
    assert_ok(dqn_evaluate(&v, "versus:level=beginner,slip=0", &s));
    assert_int_equal(s.wins, s.losses);
    assert_true(s.chain == s.other_chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITHOUT_THREADS(test_epsilon), WITHOUT_THREADS(test_gates),          WITHOUT_THREADS(test_mix),
        WITHOUT_THREADS(test_paired),  WITHOUT_THREADS(test_components),     cmocka_unit_test(test_threads_and_resume),
        cmocka_unit_test(test_agent),  cmocka_unit_test(test_other_learner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
