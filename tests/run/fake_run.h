// A training run with invented numbers, for tests of what reads runs.
#ifndef KEIKO_TESTS_FAKE_RUN_H
#define KEIKO_TESTS_FAKE_RUN_H

#include "base/rng.h"
#include "run/run.h"
#include "test.h"

#include <math.h>

typedef struct fake_values {
    int64_t steps, batch;
    double rate;
    const char *note;
} fake_values;

static const opt fake_rows[] = {
    {.name = "steps", .kind = OPT_INT, .at = offsetof(fake_values, steps), .help = "s"},
    {.name = "batch", .kind = OPT_INT, .at = offsetof(fake_values, batch), .help = "b"},
    {.name = "learning-rate", .kind = OPT_NUMBER, .at = offsetof(fake_values, rate), .help = "r"},
    {.name = "note", .kind = OPT_TEXT, .at = offsetof(fake_values, note), .help = "n"},
};

static inline void fake_save(run_home *r, int64_t step)
{
    run_save *s;
    assert_ok(run_save_begin(r, step, &s));
    assert_ok(run_save_bytes(s, "net.bin", "weights", 7));
    assert_ok(run_save_commit(s));
}

static inline void fake_zero_line(run_home *r, int64_t i, double f, double noise)
{
    double policy = 0.6 + 2.0 * exp(-5.0 * f) + 0.1 * noise, value = 0.3 + 0.6 * exp(-3.0 * f) + 0.08 * noise;
    assert_ok(RUN_LOG(r, "learn", i, RUN_N("loss", policy + value), RUN_N("loss_policy", policy),
                      RUN_N("loss_value", value), RUN_N("lr", f < 0.5 ? 1e-3 : 5e-4), RUN_N("grad_norm", 1.0 + noise),
                      RUN_N("reuse", 4.0)));
    assert_ok(RUN_LOG(r, "selfplay", i, RUN_N("games", 3 * i), RUN_N("positions", 90 * i),
                      RUN_N("games_s", 31.4 + noise), RUN_N("positions_s", 940 + 20 * noise),
                      RUN_N("length", 30 + 12 * f + noise), RUN_N("entropy", 2.0 * exp(-2.0 * f) + 0.05 * noise),
                      RUN_N("batch_fill", 0.93 + 0.02 * noise), RUN_N("cache_hits", 0.2 + 0.1 * f),
                      RUN_N("buffer", fmin(50000, 90.0 * (double)i)), RUN_N("tree_depth", 6 + noise)));
    if (i % 10 == 0)
        assert_ok(RUN_LOG(r, "time", i, RUN_N("selfplay", 6 + noise), RUN_N("learn", 3), RUN_N("eval", 0.5)));
    if (i % 100 == 0) {
        double elo = 1300 * (1 - exp(-3 * f)), rule = 1 / (1 + pow(10, (1000 - elo) / 400));
        assert_ok(RUN_LOG(r, "elo", i, RUN_N("elo", elo), RUN_N("low", elo - 60), RUN_N("high", elo + 60)));
        assert_ok(RUN_LOG(r, "match", i, RUN_T("opponent", "rule <b>"), RUN_N("score", rule), RUN_N("low", rule - 0.05),
                          RUN_N("high", rule + 0.05), RUN_N("games", 100)));
        assert_ok(
            RUN_LOG(r, "match", i, RUN_T("opponent", "random"), RUN_N("score", 0.5 + rule / 2), RUN_N("games", 100)));
    }
}

static inline void fake_dqn_line(run_home *r, int64_t i, double f, double noise)
{
    assert_ok(RUN_LOG(r, "learn", i, RUN_N("loss", 0.2 + exp(-4 * f) + 0.1 * noise), RUN_N("lr", 1e-4)));
    assert_ok(RUN_LOG(r, "episode", i, RUN_N("episodes", 7 * i), RUN_N("reward", -4 + 9 * f + noise),
                      RUN_N("reward_chain", 3 * f + noise), RUN_N("reward_survival", 1 + 0.2 * noise),
                      RUN_N("chain", 0.5 + 4 * f + noise), RUN_N("epsilon", 1 - f), RUN_N("beta", 0.4 + 0.6 * f),
                      RUN_N("win", 0.5 + 0.3 * f), RUN_N("stage", floor(3 * f))));
}

// `steps` lines of each kind, saved every hundred; resumed once, half way.
static inline void fake_run(const char *dir, const char *algo, int64_t steps, bool finish)
{
    fake_values v = {2 * steps, 1024, 1e-3, "a <note> & more"};
    run_home *r = NULL;
    rng noise = rng_at(1, 2, 3);
    for (int64_t i = 0; i <= steps; i++) {
        if (i == 0 || i == steps / 2) {
            run_close(r);
            assert_ok(run_open(&r, &(run_options){.dir = dir,
                                                  .game = "contrast",
                                                  .algo = algo,
                                                  .version = "0.1.0",
                                                  .resume = i > 0,
                                                  .opts = fake_rows,
                                                  .n_opts = 4,
                                                  .values = &v}));
        }
        if (i == 0 || i == steps / 2) run_show(r, &(run_pace){.step = i, .steps = v.steps});
        if (i == 0) continue;
        double f = (double)i / (double)steps, n = 2.0 * rng_unit(&noise) - 1.0;
        if (strcmp(algo, "dqn") == 0)
            fake_dqn_line(r, i, f, n);
        else
            fake_zero_line(r, i, f, n);
        if (i % 100 == 0 || i == steps / 2 - 1) fake_save(r, i);
    }
    if (finish) assert_ok(RUN_LOG(r, "done", steps, RUN_T("why", "limit")));
    run_close(r);
}

#endif
