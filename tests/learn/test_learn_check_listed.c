// Who trains which game, and what each trainer says of a configuration before it begins: tests/learn/checks.txt. Every sentence
// stands there, and of each configuration that is good what it was made into, but for what depends on the machine.
#include "base/listed.h"
#include "base/temp_dir.h"
#include "learn/trainer.h"

static char top[64];

static int set_up(void **state)
{
    (void)state;
    nn_desc d;
    nn_net *net;
    char path[100];
    if (temp_dir_make(top) == NULL) return 1;
    assert_ok(nn_desc_parse("planes=2 size=3x3 c=8 b=1 policy=2:9 value=1:16", &d));
    assert_ok(nn_net_new(&net, &d, 3));
    assert_ok(nn_net_set_note(net, "game = tictactoe\n"));
    snprintf(path, sizeof path, "%s/t.safetensors", top);
    assert_ok(nn_net_save(net, path));
    nn_net_free(net);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temp_dir_remove(top);
    return 0;
}

// $ is the folder of the test.
static const char *const texts[][4] = {
    {"tictactoe", "zero", NULL, ""},
    {"tictactoe", "zero", "seed", "steps = 10"},
    {"tictactoe", "zero", "strong", "steps = 10\nnet = c=8 b=1"},
    {"tictactoe", "zero", "slow", ""},
    {"tictactoe", "zero", NULL, "steps = 5\nsims = 0"},
    {"tictactoe", "zero", NULL, "steps = 5\nnet = c=8 b=1"},
    {"tictactoe", "zero", NULL, "steps = 5\nnet = planes=3 size=3x3 c=8 b=1 policy=2:9 value=1:16"},
    {"tictactoe", "zero", NULL, "steps = 5\nnet = planes=2 size=3x3 c=8 b=1 policy=2:8 value=1:16"},
    {"tictactoe", "zero", NULL, "steps = 5\nnet = planes=2 size=3x3 c=8 b=1 policy=2:9"},
    {"tictactoe", "zero", NULL, "steps = 5\nnet = c=8 b=0 policy"},
    {"tictactoe", "zero", NULL, "steps = 5\nencoding = other"},
    {"tictactoe", "zero", NULL, "steps = 5\ninit = $/t"},
    {"tictactoe", "zero", NULL, "steps = 5\ninit = $/t\nnet = c=16 b=1"},
    {"tictactoe", "zero", NULL, "steps = 5\ninit = $/none"},
    {"othello", "zero", NULL, "steps = 5\ninit = $/t"},
    {"tictactoe", "zero", NULL, "steps = 5\nteacher = $/t\nmix = 0.5"},
    {"tictactoe", "zero", NULL, "steps = 5\nteacher = $/none"},
    {"tictactoe", "zero", NULL, "steps = 5\nprecision = fp8"},
    {"tictactoe", "zero", NULL, "steps = 5\nprecision = int8"},
    {"tictactoe", "zero", NULL, "steps = 5\nendgame = 6"},
    {"othello", "zero", NULL, "steps = 5\nendgame = 6\nmargin = 0.5\nownership = 0.1"},
    {"tictactoe", "zero", NULL, "steps = 5\nmargin = 0.5"},
    {"tictactoe", "zero", NULL, "steps = 5\nownership = 0.1"},
    {"tictactoe", "zero", NULL, "steps = 5\nreply = 0.1"},
    {"tictactoe", "zero", NULL, "steps = 5\nthreats = 10"},
    {"renju", "zero", NULL, "steps = 5\nthreats = 10\nnet = c=8 b=1"},
    {"tictactoe", "zero", NULL, "steps = 5\nlr = 0.01,0.001@10"},
    {"tictactoe", "zero", NULL, "steps = 5\nlr = x"},
    {"tictactoe", "zero", NULL, "steps = 5\nlr = -1"},
    {"tictactoe", "zero", NULL, "steps = 5\nbuffer-min = 100\nbuffer-max = 50"},
    {"tictactoe", "zero", NULL, "steps = 5\nbuffer-on = gpu"},
    {"tictactoe", "zero", NULL, "steps = 5\nbatch = 64\nfill = 10"},
    {"tictactoe", "zero", NULL, "steps = 5\nreferences = random;greedy\nanchor = greedy"},
    {"tictactoe", "zero", NULL, "steps = 5\nreferences = greedy\neval-every = 1"},
    {"tictactoe", "zero", NULL, "steps = 5\nreferences = nobody\neval-every = 1"},
    {"tictactoe", "zero", NULL, "steps = 5\nreferences = random;greedy;random\neval-every = 1"},
    {"tictactoe", "zero", NULL, "steps = 5\nreferences =\neval-every = 1"},
    {"tictactoe", "zero", NULL, "steps = 5\ngate = yes"},
    {"tictactoe", "zero", NULL, "steps = 5\ngate = yes\neval-every = 1"},
    {"tictactoe", "zero", NULL, "steps = 5\ngumbel = 4\nnoise = 0"},
    {"tictactoe", "zero", NULL, "steps = 5\nin-flight = 4\nper-call = 8"},
    {"tictactoe", "zero", NULL, "steps = 5\nresign = 0.1\nresign-check = 0"},
    {"tictactoe", "zero", NULL, "steps = 5\noptimiser = sgd\nmomentum = 0.5\nema = 0.9\nclip = 1"},
    {"tictactoe", "zero", NULL, "steps = 5\npolicy-loss = heads\nlambda = 0.5\nasync = yes"},
    {"tictactoe", "zero", NULL, "steps = 5\nlean = 0.2"},
    {"tictactoe", "zero", NULL, "method = dqn\nsteps = 5"},
    {"puyo", "dqn", NULL, "steps = 10\nlanes = 1\nbuffer = 100\nlearning-starts = 10\nbatch = 4"},
    {"puyo", "dqn", NULL, "steps = 10\nlanes = 4\nbuffer = 10\nlearning-starts = 100"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\nopponents = 50 self;50 nobody"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\nopponents = self"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\nopponents = -3 self"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\nopponents = 40 self;60 greedy\ndemonstrators = 100 greedy"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\ndemonstrators = 100 self"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\nreferences = greedy;nobody"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\nreferences = greedy;random"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\nexploration = noisy"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\nexploration = noisy\nnet = mlp=16 noisy=1"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\nnet = nothing"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\nnet = planes=1 size=3x3 mlp=4 duel=0:4:9"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\ndistribution = c51\natoms = 11\nnet = mlp=16"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\ndistribution = qr\natoms = 7\nnet = mlp=16"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\nrewards = seed\noptions = colours=5"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\nrewards = none"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\noptions = nothing=5"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\nlr = 0.1,0.01@100\nencoding = ranked"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\nlr = none"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\ninit = $/t.safetensors"},
    {"puyo", "dqn", NULL, "lanes = 1\nbuffer = 100\nepsilon-start = 2"},
    {"puyo", "dqn", "fast", "lanes = 1\nbuffer = 100"},
    {"puyo-solo", "distil", NULL, "steps = 3"},
    {"puyo-solo", "distil", NULL, "steps = 3\ndata = $/none.labels"},
    {"puyo-solo", "distil", NULL, "steps = 3\ndata = $/t.safetensors\nnet = c=8 b=1\nbatch = 64\nencoding = trigger"},
    {"puyo-solo", "distil", NULL, "steps = 3\ndata = $/t.safetensors\nnet = mlp=8"},
};

// Without the folder's name, and for the numbers of a machine nothing.
static void put_safe(text_buf *t, const char *s)
{
    while (*s)
        if (strncmp(s, top, strlen(top)) == 0)
            text_char(t, '$'), s += strlen(top);
        else
            text_char(t, *s++);
    text_char(t, '\n');
}

static void put_config(text_buf *t, const trainer *m, const void *config)
{
    static const char *const skip[] = {"threads", "backend", NULL};
    static const char *const shown[] = {"net ",     "encoding ", "preset ",  "steps ", "games ",
                                        "minutes ", "sims ",     "round ",   "fill ",  "batch ",
                                        "anchor ",  "margin ",   "buffer-m", "lr ",    "opponents "};
    text_buf all = {0};
    assert_ok(opt_config_print(m->table->rows, m->table->n, config, skip, &all));
    for (const char *p = text_str(&all); *p; p += strcspn(p, "\n"), p += *p == '\n')
        for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
            if (strncmp(p, shown[k], strlen(shown[k])) == 0) {
                char line[600];
                snprintf(line, sizeof line, "    %.*s", (int)strcspn(p, "\n"), p);
                put_safe(t, line);
            }
    text_printf(t, "    limited %d\n", train_config_limited(m->table, config));
    text_free(&all);
}

static void checks(void **state)
{
    (void)state;
    text_buf t = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const game *g;
        const trainer *m;
        text_buf text = {0};
        for (const char *p = texts[i][3]; *p; p++) *p == '$' ? text_append(&text, top) : text_char(&text, *p);
        assert_ok(game_find(texts[i][0], &g));
        assert_ok(trainer_find(g, texts[i][1], &m));
        void *config = calloc(1, m->table->size);
        opt_values *keep = opt_keep();
        text_printf(&t, "%s %s %s '", texts[i][0], texts[i][1], texts[i][2] == NULL ? "-" : texts[i][2]);
        for (const char *p = texts[i][3]; *p; p++) text_char(&t, *p == '\n' ? ';' : *p);
        text_append(&t, "': ");
        const config_layer layers[] = {{"base", strcmp(m->name, "zero") == 0
                                                    ? "threads = 1\nbackend = cpu\nin-flight = 2\ncache = 1\n"
                                                    : "threads = 1\nbackend = cpu\n"},
                                       {"text", text_str(&text)}};
        err e = m->make(config, g, texts[i][2], layers, 2, keep);
        if (e == ERR_OK) e = m->check(&(train_options){.g = g}, config);
        put_safe(&t, e == ERR_OK ? "good" : err_text());
        if (e == ERR_OK) put_config(&t, m, config);
        opt_free(keep);
        free(config);
        text_free(&text);
    }
    assert_listed(&t, "learn/checks.txt");
}

static void who_trains_what(void **state)
{
    (void)state;
    static const char *const methods[] = {NULL, "zero", "dqn", "distil", "nothing"};
    text_buf t = {0};
    for (int i = 0; i < trainer_count(); i++)
        text_printf(&t, "%s (%s): %s\n", trainer_at(i)->name, trainer_at(i)->agent, trainer_at(i)->summary);
    for (int k = 0; k < game_count(); k++)
        for (int i = 0; i < 5; i++) {
            const trainer *m = NULL;
            err e = trainer_find(game_at(k), methods[i], &m);
            text_printf(&t, "%s %s: %s\n", game_at(k)->name, methods[i] == NULL ? "-" : methods[i],
                        e == ERR_OK ? m->name : err_text());
        }
    assert_listed(&t, "learn/trainers.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(who_trains_what), cmocka_unit_test(checks)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
