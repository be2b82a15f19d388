// Configurations of the trainers: layers, presets, limits, former names, and what a resumed run may change.
#include "base/file.h"
#include "base/temp_dir.h"
#include "learn/dqn/dqn_config.h"
#include "learn/zero/az_config.h"
#include "test.h"

#include <string.h>

static const game *named(const char *name)
{
    const game *g;
    assert_ok(game_find(name, &g));
    return g;
}

static void later_layers_win(void **state)
{
    (void)state;
    az_config c;
    opt_values *keep = opt_keep();
    const game *g = named("othello");
    assert_ok(az_config_make(&c, g, NULL, NULL, 0, keep));
    assert_string_equal(c.common.preset, "fast");
    assert_int_equal(c.tree.sims, 32);         // the preset's
    assert_float_equal(c.tree.noise, 0.25, 0); // self-play's default, not the players'
    assert_false(c.tree.reuse);
    config_layer layers[] = {
        {"file", "preset = strong\nsims = 77\nbatch = 64\n"}, {"typed", "batch = 128\n"}, {"none", NULL}};
    assert_ok(az_config_make(&c, g, "seed", layers, 3, keep));
    assert_string_equal(c.common.preset, "strong"); // a layer's wins over the argument
    assert_int_equal(c.tree.sims, 77);
    assert_int_equal(c.batch, 128);
    assert_int_equal(c.buffer_max, 4000000); // the strong preset's
    // a layer that sets a limit ends those of the layers before
    config_layer limits[] = {{"a", "minutes = 5\nsteps = 100\n"}, {"b", "games = 7\n"}};
    assert_ok(az_config_make(&c, g, NULL, limits, 2, keep));
    assert_true(c.common.minutes == 0 && c.common.steps == 0 && c.common.games == 7);
    assert_true(train_config_limited(&az_table, &c));
    assert_ok(az_config_make(&c, g, NULL, NULL, 0, keep));
    assert_false(train_config_limited(&az_table, &c));
    // mistakes name the layer and its line
    assert_err(az_config_make(&c, g, NULL, &(config_layer){"file", "\nsimms = 4\n"}, 1, keep),
               "file:2: unknown key 'simms'");
    assert_err(az_config_make(&c, g, "slow", NULL, 0, keep), "there is no preset 'slow'");
    opt_free(keep);
}

// One word sets up a run on a GPU; sizes follow from the machine, but what is typed stays.
static void a_gpu_run_fits_its_machine(void **state)
{
    (void)state;
    az_config few, many, own;
    opt_values *keep = opt_keep();
    const char *games[] = {"tictactoe", "othello", "contrast", "renju", "gomoku"};
    for (size_t i = 0; i < sizeof games / sizeof *games; i++) {
        assert_ok(az_config_make(&few, named(games[i]), "gpu", &(config_layer){"typed", "threads = 2\n"}, 1, keep));
        assert_ok(az_config_make(&many, named(games[i]), "gpu", &(config_layer){"typed", "threads = 16\n"}, 1, keep));
        assert_string_equal(many.common.backend, "cuda");
        assert_true(many.async && train_config_limited(&az_table, &many));
        assert_int_equal(few.in_flight, 512);
        assert_int_equal(many.in_flight, 4096);
        assert_true(few.tree.leaves > many.tree.leaves && many.tree.leaves == 2);
        assert_true(many.buffer_max > 0 && many.buffer_max <= 5000000);
    }
    assert_ok(az_config_make(&own, named("othello"), "gpu",
                             &(config_layer){"typed", "threads = 16\nin-flight = 100\nbuffer-max = 7000000\n"}, 1,
                             keep));
    assert_int_equal(own.in_flight, 100);
    assert_int_equal(own.buffer_max, 7000000);
    opt_free(keep);
}

// Words of 0.1.0 in config.txt and in models/*.txt.
static void former_names_are_understood(void **state)
{
    (void)state;
    az_config c;
    dqn_config d;
    char *text;
    opt_values *keep = opt_keep();
    assert_ok(file_read(KEIKO_SOURCE "/models/othello.txt", 1 << 20, &text, NULL));
    assert_non_null(strstr(text, "window-least = 300000"));
    assert_ok(az_config_make(&c, named("othello"), NULL, &(config_layer){"othello.txt", text}, 1, keep));
    assert_int_equal(c.buffer_min, 300000);
    assert_int_equal(c.buffer_max, 5000000);
    assert_float_equal(c.buffer_share, 0.4, 0);
    assert_float_equal(c.margin, 0.4, 0);
    assert_true(c.async && c.common.steps == 78000);
    free(text);
    const char old[] =
        "algo = \"dqn\"\nminutes = 0\nsteps = 3000\nepisodes = 4\nteachers = \"10 greedy\"\nmemory = 2000\n"
        "backend = \"cpu\"\nthreads = 2\nsingle = no\nseed = 7\n";
    assert_ok(dqn_config_make(&d, named("puyo"), NULL, &(config_layer){"old", old}, 1, keep));
    assert_string_equal(d.common.method, "dqn");
    assert_string_equal(d.demonstrators, "10 greedy");
    assert_true(d.buffer == 2000 && d.common.games == 4 && d.common.threads == 2);
    // They are mentioned nowhere: no two rows share a name, present or former.
    int n;
    const opt *rows = opt_flat(az_opts, az_n_opts, &n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            if (i == k || rows[i].name == NULL || rows[k].name == NULL) continue;
            assert_string_not_equal(rows[i].name, rows[k].name);
            if (rows[k].was != NULL) assert_string_not_equal(rows[i].name, rows[k].was);
            if (rows[k].synonym != NULL) assert_string_not_equal(rows[i].name, rows[k].synonym);
        }
    opt_free(keep);
}

static void a_resumed_run_keeps_its_options(void **state)
{
    (void)state;
    char dir[64], path[128];
    az_config c;
    opt_values *keep = opt_keep();
    assert_non_null(temp_dir_make(dir));
    snprintf(path, sizeof path, "%s/config.txt", dir);
    const char own[] = "sims = 33\nsteps = 10\nminutes = 2\nnet = \"c=16 b=1\"\nseed = 5\n";
    assert_ok(file_write_atomic(path, own, strlen(own)));
    assert_ok(train_config_resume(&az_table, &c, dir, NULL, 0, keep));
    assert_true(c.tree.sims == 33 && c.common.steps == 10 && c.common.minutes == 2 && c.common.seed == 5);
    config_layer now = {"typed", "steps = 20\nthreads = 3\nbackend = cpu\nbuffer-on = host\nsims = 33\n"};
    assert_ok(train_config_resume(&az_table, &c, dir, &now, 1, keep));
    assert_true(c.common.steps == 20 && c.common.minutes == 0 && c.common.threads == 3);
    now.text = "sims = 99\n";
    assert_err(train_config_resume(&az_table, &c, dir, &now, 1, keep), "--sims is 33 in this run, not 99");
    now.text = "window-most = 99\n";
    assert_err(train_config_resume(&az_table, &c, dir, &now, 1, keep), "--buffer-max is 1000000 in this run, not 99");
    now.text = "init = there\n";
    assert_err(train_config_resume(&az_table, &c, dir, &now, 1, keep), "--init is \"\" in this run, not \"there\"");
    assert_err(
        train_config_resume(&az_table, &c, dir, &now, 1, keep),
        "--resume may change --minutes, --steps, --games, --evaluations, --backend, --threads, --buffer-on, --lr");
    now.text = "lr = \"cosine:0.0005:9000\"\neval-every = 50\neval-games = 8\ncheckpoint = 5\ncache = 1\n";
    assert_ok(train_config_resume(&az_table, &c, dir, &now, 1, keep));
    assert_string_equal(c.lr, "cosine:0.0005:9000");
    assert_true(c.eval_every == 50 && c.eval_games == 8 && c.checkpoint == 5 && c.cache == 1 && c.tree.sims == 33);
    now.text = "lr = fast\n"; // config.txt must not get it
    assert_err(train_config_resume(&az_table, &c, dir, &now, 1, keep), "--lr");
    now.text = "preset = strong\n"; // the run did not note its own
    assert_ok(train_config_resume(&az_table, &c, dir, &now, 1, keep));
    opt_free(keep);
    temp_dir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_layers_win),
        cmocka_unit_test(a_gpu_run_fits_its_machine),
        cmocka_unit_test(former_names_are_understood),
        cmocka_unit_test(a_resumed_run_keeps_its_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
