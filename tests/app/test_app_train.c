// A training as a whole: begun by the command line and resumed through the library, and the other way round; Puyo from C.
#include "app/train.h"
#include "base/file.h"
#include "base/temp_dir.h"
#include "keiko.h"
#include "learn/dqn/dqn_config.h"
#include "learn/zero/az_config.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const char small[] =
    "net = c=16 b=1\nin-flight = 16\nsims = 12\nfull = 0.6\nfast-sims = 5\nround = 60\nfill = 150\n"
    "batch = 32\nsamples = 3\nbuffer-min = 300\nbuffer-max = 2000\ncache = 1\n";
static const char puyo_small[] = "lanes = 16\nnet = mlp=16\nbatch = 16\nbuffer = 500\nlearning-starts = 100\n"
                                 "evaluation-games = 2\nreferences = random\n";

typedef struct place {
    char root[64], config[100], run[2][100];
} place;

static void place_make(place *p, const char *config)
{
    char root[64];
    assert_non_null(temp_dir_make(root));
    snprintf(p->root, sizeof p->root, "%s", root);
    snprintf(p->config, sizeof p->config, "%s/config", root);
    for (int i = 0; i < 2; i++) snprintf(p->run[i], sizeof p->run[i], "%s/run%d", root, i);
    assert_ok(file_write_atomic(p->config, config, strlen(config)));
}

static int cli(const place *p, const char *words)
{
    char line[1024];
    snprintf(line, sizeof line, "cd %s && %s %s --threads 1 --backend cpu --quiet >said 2>&1", p->root, KEIKO_PROGRAM,
             words);
    return system(line);
}

static bool until_round(void *ctx, const train_state *s)
{
    return s->round < *(uint64_t *)ctx;
}

static int until_step(void *ctx, const keiko_progress *s)
{
    return s->step >= *(uint64_t *)ctx;
}

static void same_weights(const place *p)
{
    char path[200], *a, *b;
    size_t n, m;
    snprintf(path, sizeof path, "%s/final.safetensors", p->run[0]);
    assert_ok(file_read(path, 1 << 26, &a, &n));
    snprintf(path, sizeof path, "%s/final.safetensors", p->run[1]);
    assert_ok(file_read(path, 1 << 26, &b, &m));
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(a);
    free(b);
}

// The library stops a run in its middle, the command line ends it: the same bytes as a run in one go.
static void library_then_command_line(const char *game_name, const char *config, uint64_t steps)
{
    place p;
    char words[600];
    const game *g;
    train_result r;
    uint64_t round = 5;
    place_make(&p, config);
    assert_ok(game_find(game_name, &g));
    snprintf(words, sizeof words, "train %s --run run0 --config config --seed 9 --steps %d", game_name, (int)steps);
    assert_int_equal(cli(&p, words), 0);
    char own[64];
    snprintf(own, sizeof own, "seed = 9\nsteps = %d\nthreads = 1\nbackend = cpu\n", (int)steps);
    const config_layer layers[] = {{"config", config}, {"own", own}};
    assert_ok(train_run(
        &(train_request){.g = g, .layers = layers, .n_layers = 2, .run = p.run[1], .each = until_round, .ctx = &round},
        &r));
    assert_true(r.s.step < steps);
    snprintf(words, sizeof words, "train %s --run run1 --resume", game_name); // its limit is in its config.txt
    assert_int_equal(cli(&p, words), 0);
    same_weights(&p);
    temp_dir_remove(p.root);
}

static void a_run_of_the_library_is_resumed_by_the_command_line(void **state)
{
    (void)state;
    library_then_command_line("puyo", puyo_small, 600);
}

// The command line begins, the public library goes on; a limit that is given now takes the place of all it had.
static void a_run_of_the_command_line_is_resumed_by_the_library(void **state)
{
    (void)state;
    place p;
    place_make(&p, small);
    for (int i = 0; i < 2; i++) {
        char words[300];
        snprintf(words, sizeof words, "train tictactoe --run run%d --config config --seed 9 --games 60 --minutes 50",
                 i);
        assert_int_equal(cli(&p, words), 0);
    }
    assert_int_equal(cli(&p, "train tictactoe --run run0 --resume --steps 30"), 0);
    const keiko_game *g;
    keiko_progress end;
    keiko_training t = {.size = sizeof t, .run = p.run[1], .resume = 1, .backend = "cpu", .threads = 2, .steps = 30};
    assert_non_null(g = keiko_game_find("tictactoe"));
    if (keiko_train(g, &t, &end) != 0) fail_msg("%s", keiko_error());
    assert_int_equal(end.step, 30);
    same_weights(&p);
    // What a resumed run may not be given is named; what it has already is no change.
    t.config = "sims = 12\nmomentum = 0.5\n";
    assert_int_not_equal(keiko_train(g, &t, &end), 0);
    if (strstr(keiko_error(), "--momentum is 0.9 in this run, not 0.5") == NULL) fail_msg("%s", keiko_error());
    t.config = "sims = 12\n";
    t.steps = 33;
    if (keiko_train(g, &t, &end) != 0) fail_msg("%s", keiko_error());
    assert_int_equal(end.step, 33);
    t.preset = "strong";
    assert_int_not_equal(keiko_train(g, &t, &end), 0);
    if (strstr(keiko_error(), "--preset is \"fast\" in this run") == NULL) fail_msg("%s", keiko_error());
    temp_dir_remove(p.root);
}

static void puyo_is_trained_from_c(void **state)
{
    (void)state;
    place p;
    char model[128], spec[160];
    const keiko_game *g;
    keiko_progress end;
    keiko_score score;
    uint64_t enough = 900;
    place_make(&p, "");
    snprintf(model, sizeof model, "%s/puyo.safetensors", p.root);
    keiko_training t = {.size = sizeof t,
                        .config = puyo_small,
                        .backend = "cpu",
                        .threads = 1,
                        .seed = 3,
                        .steps = 100000,
                        .model = model,
                        .each = until_step,
                        .ctx = &enough};
    assert_non_null(g = keiko_game_find("puyo"));
    if (keiko_train(g, &t, &end) != 0) fail_msg("%s", keiko_error());
    assert_true(end.step >= 900 && end.step < 2000 && end.games > 0 && end.loss > 0);
    snprintf(spec, sizeof spec, "dqn:model=%s,search=1", model);
    if (keiko_match(g, spec, "random", 2, 1, 1, &score) != 0) fail_msg("%s", keiko_error());
    assert_true(score.score > 0.5); // looking ahead with the potential is enough
    t.preset = "fast";
    assert_int_not_equal(keiko_train(g, &t, &end), 0);
    if (strstr(keiko_error(), "dqn has no presets") == NULL) fail_msg("%s", keiko_error());
    temp_dir_remove(p.root);
}

static void every_game_has_its_trainer(void **state)
{
    (void)state;
    const struct {
        const char *game, *method, *is, *says;
    } rows[] = {{"tictactoe", NULL, "zero", NULL},
                {"puyo", NULL, "dqn", NULL},
                {"puyo", "dqn", "dqn", NULL},
                {"tictactoe", "dqn", NULL, "dqn cannot train tictactoe: it trains puyo"},
                {"puyo", "zero", NULL, "zero cannot train puyo"},
                {"puyo-solo", NULL, "distil", NULL},
                {"puyo-solo", "dqn", NULL, "dqn cannot train puyo-solo"},
                {"puyo", "distil", NULL, "distil cannot train puyo: it trains puyo-solo"},
                {"othello", "magic", NULL, "there is no training method 'magic'"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const game *g;
        const trainer *t;
        assert_ok(game_find(rows[i].game, &g));
        err e = trainer_find(g, rows[i].method, &t);
        if (rows[i].is != NULL) {
            assert_ok(e);
            assert_string_equal(t->name, rows[i].is);
        } else {
            assert_err(e, rows[i].says);
        }
    }
    // the layers may name it, too
    const game *g;
    train_result r;
    assert_ok(game_find("tictactoe", &g));
    assert_err(
        train_run(&(train_request){.g = g, .layers = &(config_layer){"text", "method = dqn\n"}, .n_layers = 1}, &r),
        "dqn cannot train tictactoe");
    assert_err(train_run(&(train_request){.g = g}, &r), "say how long to train");
    assert_err(train_run(&(train_request){.g = g, .resume = true}, &r), "resume needs the run's folder");
    // workers elsewhere: a folder and the method zero; then it is their options that are looked at
    dist_learner_options d = {.name = "a b"};
    const config_layer limit = {"text", "steps = 1\n"};
    train_request q = {.g = g, .layers = &limit, .n_layers = 1, .dist = &d};
    assert_err(train_run(&q, &r), "need a run's folder");
    q.run = "/nonexistent/run";
    assert_err(train_run(&q, &r), "'a b' cannot name a run");
    assert_ok(game_find("puyo", &q.g));
    assert_err(train_run(&q, &r), "and the method zero");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_game_has_its_trainer),
        cmocka_unit_test(a_run_of_the_command_line_is_resumed_by_the_library),
        cmocka_unit_test(a_run_of_the_library_is_resumed_by_the_command_line),
        cmocka_unit_test(puyo_is_trained_from_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
