// The agent `dqn`: without search it takes the network's largest legal Q, with search it looks at as many positions as it says,
// and it beats a player that moves at random.
#include "agents/agent.h"
#include "base/file.h"
#include "base/listed.h"
#include "base/models.h"
#include "base/temp_dir.h"
#include "eval/eval.h"
#include "games/puyo/puyo_match.h"
#include "nn/dist.h"
#include "nn/infer.h"
#include "test.h"

static const game *find(const char *name)
{
    const game *g;
    assert_ok(game_find(name, &g));
    return g;
}

static bool among(const move_t *legal, int n, move_t m)
{
    for (int i = 0; i < n; i++)
        if (legal[i] == m) return true;
    return false;
}

// Plays one match; the seat that won, or -1.
static int match_of(const game *g, agent *players[2], uint64_t number)
{
    py_match m, obs;
    move_t legal[PY_MAX_LEGAL];
    agent_choice c;
    assert_ok(g->init(&m, "", (game_key){5, number}));
    for (int i = 0; i < 2; i++) agent_begin(players[i], (game_key){5, number}, i);
    for (int ply = 0; ply < 400 && !g->result(&m).over; ply++) {
        int seat = g->seat(&m);
        g->observe(&m, seat, &obs);
        assert_ok(agent_choose(players[seat], &obs, &c));
        assert_true(among(legal, g->legal(&m, legal), c.move));
        g->play(&m, c.move, NULL);
    }
    outcome o = g->result(&m);
    return !o.over || o.score[0] == o.score[1] ? -1 : o.score[0] > o.score[1] ? 0 : 1;
}

static void beats_random_play(void **state)
{
    (void)state;
    const game *g = find("puyo");
    for (uint64_t n = 0; n < 4; n++) {
        agent *players[2];
        int mine = (int)(n & 1);
        assert_ok(agent_open(&players[mine], g, n < 2 ? "dqn:search=1" : "dqn:search=0"));
        assert_ok(agent_open(&players[mine ^ 1], g, "random"));
        assert_int_equal(match_of(g, players, n), mine);
        for (int i = 0; i < 2; i++) agent_close(players[i]);
    }
}

// The same network by other means: one forward pass, the largest output among the legal placements.
static void alone_it_takes_the_largest_q(void **state)
{
    (void)state;
    const game *g = find("puyo");
    char path[FILE_PATH];
    nn_net *net;
    nn_plan *plan;
    nn_scratch *scratch;
    const encoding *code;
    assert_ok(models_network("puyo-dqn.safetensors", path, sizeof path));
    assert_ok(nn_net_load(&net, path));
    char name[32] = "", kind[32] = "none";
    eval_note(net->note, "encoding", name, sizeof name);
    eval_note(net->note, "distribution", kind, sizeof kind);
    assert_string_equal(kind, "none");
    assert_ok(game_encoding(g, name, &code));
    assert_ok(nn_plan_new(&plan, net, NULL));
    assert_ok(nn_scratch_new(&scratch, plan));
    uint64_t *bits = calloc(nn_in_bits(&net->desc), sizeof *bits);
    float *scalars = calloc((size_t)net->desc.scalars + 1, sizeof *scalars),
          *q = calloc((size_t)nn_out_size(&net->desc), sizeof *q);
    agent *a;
    py_match m, obs;
    move_t legal[PY_MAX_LEGAL];
    assert_ok(agent_open(&a, g, "dqn:search=0"));
    assert_ok(g->init(&m, "", (game_key){6, 0}));
    for (int ply = 0; ply < 60 && !g->result(&m).over; ply++) {
        int seat = g->seat(&m), n = g->legal(&m, legal);
        agent_choice c = {0};
        g->observe(&m, seat, &obs);
        agent_begin(a, (game_key){6, 0}, seat);
        assert_ok(agent_choose(a, &obs, &c));
        const void *at = &obs;
        code->encode(&at, 1, bits, scalars);
        nn_run(plan, scratch, 1, bits, scalars, q);
        int best = 0;
        for (int i = 1; i < n; i++)
            if (q[legal[i]] > q[legal[best]]) best = i;
        assert_int_equal(c.move, legal[best]);
        assert_int_equal(c.nodes, 1);
        assert_int_equal(c.depth, 1);
        assert_true(c.value >= 0 && c.value <= 1);
        g->play(&m, c.move, NULL);
    }
    agent_close(a);
    free(bits);
    free(scalars);
    free(q);
    nn_scratch_free(scratch);
    nn_plan_free(plan);
    nn_net_free(net);
}

static void looks_as_far_as_it_says(void **state)
{
    (void)state;
    const game *g = find("puyo");
    static const struct {
        const char *spec;
        int depth, width;
    } how[] = {{"dqn:search=1", 2, 0}, {"dqn:width=1", 3, 1}, {"dqn:width=3", 3, 3}};
    py_match m, obs;
    move_t legal[PY_MAX_LEGAL];
    assert_ok(g->init(&m, "", (game_key){7, 0}));
    int n = g->legal(&m, legal);
    g->observe(&m, 0, &obs);
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        agent *a;
        agent_choice c = {0};
        assert_ok(agent_open(&a, g, how[i].spec));
        agent_begin(a, (game_key){7, 0}, 0);
        assert_ok(agent_choose(a, &obs, &c));
        assert_int_equal(c.depth, how[i].depth);
        int least = 1 + n + how[i].width * 11, most = 1 + n + how[i].width * PY_MAX_LEGAL;
        assert_true((int)c.nodes >= least && (int)c.nodes <= most);
        agent_close(a);
    }
}

// What a file says of itself: every bound, word and shape, with the sentence that refuses it.
static void notes_are_read(void **state)
{
    (void)state;
    static const char *const notes[] = {
        "",
        "game = puyo",
        "game = othello",
        "encoding = nothing",
        "gamma = 0",
        "gamma = 1",
        "gamma = 1.01",
        "gamma = -0.01",
        "gamma = x",
        "reward_scale = 1e-6",
        "reward_scale = 9e-7",
        "reward_scale = 1e6",
        "reward_scale = 1.1e6",
        "reward_scale = nan",
        "support = 1e-6",
        "support = 9e-7",
        "support = 1e6",
        "support = 1.1e6",
        "distribution = c51",
        "distribution = qr",
        "distribution = none",
        "distribution = other",
        "rewards = shaped",
        "rewards = seed",
        "rewards = nothing",
    };
    static const char *const shapes[] = {"mlp=4 duel=0:4:%d", "mlp=4 duel=0:4:%d:5", "mlp=4 policy=0:%d",
                                         "mlp=4 duel=0:4:%d value=0:4", "mlp=4 duel=0:4:2%d"};
    const game *g = find("puyo");
    const encoding *code;
    char top[64], path[100], spec[160], text[200], shape[60];
    text_buf t = {0};
    assert_ok(game_encoding(g, NULL, &code));
    assert_non_null(temp_dir_make(top));
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (size_t i = 0; i < (k < 2 ? sizeof notes / sizeof *notes : 1); i++) {
            nn_desc d;
            nn_net *net;
            agent *a;
            snprintf(shape, sizeof shape, shapes[k], PY_MOVES);
            snprintf(text, sizeof text, "planes=%d scalars=%d size=%dx%d %s", code->planes, code->scalars, g->rows,
                     g->cols, shape);
            assert_ok(nn_desc_parse(text, &d));
            assert_ok(nn_net_new(&net, &d, 3));
            snprintf(text, sizeof text, "%s\n%s", notes[i], k == 1 ? "distribution = c51" : "made-by = a test");
            assert_ok(nn_net_set_note(net, text));
            snprintf(path, sizeof path, "%s/%zu-%zu.safetensors", top, k, i);
            assert_ok(nn_net_save(net, path));
            snprintf(spec, sizeof spec, "dqn:model=%s", path);
            err e = agent_open(&a, g, spec);
            const char *said = e == ERR_OK                                  ? "good"
                               : strstr(err_text(), ".safetensors") == NULL ? err_text()
                                                                            : strstr(err_text(), ".safetensors");
            text_printf(&t, "%s, %s: %s\n", shape, notes[i], said);
            if (e == ERR_OK) agent_close(a);
            nn_net_free(net);
        }
    temp_dir_remove(top);
    assert_listed(&t, "agents/notes.txt");
}

// One file's weights serve several agents, in whatever order they are closed.
static void weights_are_shared(void **state)
{
    (void)state;
    const game *g = find("puyo");
    agent *a[3];
    for (int i = 0; i < 3; i++) assert_ok(agent_open(&a[i], g, "dqn:search=0"));
    agent_close(a[1]);
    agent_close(a[0]);
    py_match m, obs;
    agent_choice c;
    assert_ok(g->init(&m, "", (game_key){8, 0}));
    g->observe(&m, 0, &obs);
    agent_begin(a[2], (game_key){8, 0}, 0);
    assert_ok(agent_choose(a[2], &obs, &c));
    agent_close(a[2]);
    assert_ok(agent_open(&a[0], g, "dqn:search=0"));
    agent_close(a[0]);
    assert_err(agent_open(&a[0], g, "dqn:model=othello.safetensors"), "was trained for othello");
    assert_err(agent_open(&a[0], g, "dqn:search=3"), "search");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_are_read),
        cmocka_unit_test(beats_random_play),
        cmocka_unit_test(alone_it_takes_the_largest_q),
        cmocka_unit_test(looks_as_far_as_it_says),
        cmocka_unit_test(weights_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
