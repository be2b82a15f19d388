// The replay window's copy with the learner: its tables say what the games do, and, on a GPU, its batches are replay_draw's to
// the bit while the window moves on, is saved and loaded. Without a GPU those parts are skipped.
#include "base/temp_dir.h"
#include "learn/random_samples.h"
#include "learn/zero/az.h"
#include "learn/zero/replay_copy.h"
#include "nn/gathered.h"

#if defined(KEIKO_CUDA)
#include "nn/cuda/train_cuda.h"
#include "nn/gpu.h"
#endif

typedef struct setting {
    const char *game, *encoding, *net;
} setting;

static const setting settings[] = {
    {"tictactoe", "", "planes=2 size=3x3 c=32 b=1 policy=2:9 value=1:16"},
    {"othello", "", "planes=3 size=8x8 c=64 b=1 policy=2:65 value=1:16 scalar=1:0:1"},
    {"contrast", "c66", "planes=32 scalars=34 size=5x5 c=64 b=1 policy=2:625 policy=2:51 value=1:16"},
    {"contrast", "now", ""},
    {"renju", "", ""},
    {"freestyle20", "", ""},
};
enum { SETTINGS = sizeof settings / sizeof settings[0], BATCH = 96 };

typedef struct scene {
    samples_shape sh;
    nn_desc d;
    replay_draw_options o;
} scene;

static void scene_make(scene *s, const setting *from, bool by_head)
{
    const game *g;
    const encoding *enc;
    az_config c = {.net = from->net[0] != 0 ? from->net : "c=32 b=1"};
    assert_ok(game_find(from->game, &g));
    assert_ok(game_encoding(g, from->encoding, &enc));
    assert_ok(samples_shape_make(&s->sh, g, enc));
    assert_ok(az_net_desc(&c, g, enc, &s->d));
    s->o = (replay_draw_options){
        .net = &s->d, .by_head = by_head, .symmetries = true, .value_scale = 1, .margin_scale = 0.25f};
}

// The drawn batch as a gathered one: the same arrays, borrowed.
static nn_gathered view(const nn_desc *d, const replay_batch *b)
{
    nn_gathered g = {.bits = b->bits, .scalars = b->scalars, .start = b->start, .index = b->index, .prob = b->prob};
    for (int h = 0, k = 0; h < d->n_heads; h++) {
        if (d->head[h].kind == NN_VALUE) g.target[h] = b->value;
        if (d->head[h].kind == NN_SCALAR) g.target[h] = b->margin;
        if (d->head[h].kind == NN_POLICY) g.target[h] = b->head[k], g.mask[h] = b->mask[k], k++;
    }
    return g;
}

// No GPU is needed for this: the plain gather with the tables makes what the game's own functions make.
static void tables_say_what_games_do(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2 * SETTINGS; k++) {
        scene s;
        samples all = {0}, given = {0};
        replay *r;
        replay_batch b = {0};
        nn_window_shape w;
        scene_make(&s, &settings[k / 2], k % 2 == 1);
        assert_ok(replay_new(&r, &s.sh, &(replay_options){.least = 300, .most = 300, .share = 1}));
        fill(&all, &s.sh, 400, 7, 0);
        for (size_t i = 0; i < 5; i++)
            memset(all.prob + all.start[350 + i], 0, 2 * (all.start[351 + i] - all.start[350 + i]));
        assert_ok(samples_append(&given, &s.sh, &all));
        assert_ok(replay_add(r, &given));
        assert_ok(replay_tables_make(&s.sh, &s.o, &w));
        w.samples = 300;
        assert_ok(nn_window_check(&s.d, &w));
        nn_packed p = replay_packed(&all);
        assert_ok(nn_packed_check(&w, &p));
        unsigned seen = 0;
        for (uint64_t step = 0; step < 6; step++) {
            assert_ok(replay_draw(r, 3, step, BATCH, &s.o, &b));
            nn_gathered want = view(&s.d, &b), got = gathered_new(&s.d, BATCH, b.start[BATCH]);
            nn_window_gather(&s.d, &w, 0, &p, &(nn_picks){BATCH, b.pick, b.sym}, &got);
            assert_same_batch(&s.d, &w, BATCH, &got, &want);
            gathered_free(&got);
            for (int i = 0; i < BATCH; i++) seen |= 1u << b.sym[i];
        }
        assert_int_equal(seen, (1u << s.sh.g->n_syms) - 1);
        replay_tables_free(&w);
        replay_batch_free(&b);
        replay_free(r);
        samples_free(&all);
        samples_shape_free(&s.sh);
    }
}

// A game whose symmetry does more than move squares: it also exchanges two planes.
static void swap_planes(int sym, const encoding *e, const uint64_t *in, uint64_t *out)
{
    (void)e;
    out[0] = in[sym > 0], out[1] = in[sym == 0];
}

static void what_cannot_be_copied(void **unused)
{
    (void)unused;
    scene s;
    nn_window_shape w;
    replay_copy *c;
    scene_make(&s, &settings[0], false);
    game odd = *s.sh.g;
    odd.sym_planes = swap_planes;
    samples_shape sh = s.sh;
    sh.g = &odd;
    assert_err(replay_tables_make(&sh, &s.o, &w), "does more than move squares");
    s.o.symmetries = false; // then nobody minds
    assert_ok(replay_tables_make(&sh, &s.o, &w));
    assert_int_equal(w.syms, 1);
    replay_tables_free(&w);
    assert_err(replay_copy_new(&c, &nn_backend_cpu, NULL, &s.sh, 10, 0, &s.o), "'cpu' keeps no window");
    samples_shape_free(&s.sh);
}

static err short_run(const char *backend, const char *options, train_state *end)
{
    az_config c;
    const game *g;
    opt_values *keep = opt_keep();
    assert_non_null(keep);
    assert_ok(game_find("tictactoe", &g));
    memset(&c, 0, sizeof c);
    assert_ok(opt_defaults(az_opts, az_n_opts, &c));
    assert_ok(opt_pairs(az_opts, az_n_opts, &c,
                        "net='c=32 b=1',in-flight=16,sims=12,round=60,fill=150,batch=32,samples=3,buffer-min=300,"
                        "buffer-max=400,cache=1,checkpoint=0",
                        "test", keep));
    assert_ok(opt_pairs(az_opts, az_n_opts, &c, options, "test", keep));
    c.common.seed = 3;
    c.common.threads = 1;
    c.common.backend = backend;
    c.common.steps = 120;
    train_options o = {.g = g};
    err e = az_check(&o, &c);
    if (e == ERR_OK) e = az_train(&o, &c, end, NULL, NULL);
    opt_free(keep);
    return e;
}

static void runs_say_where_the_window_is(void **unused)
{
    (void)unused;
    train_state end;
    assert_err(short_run("cpu", "buffer-on=gpu", &end), "--buffer-on gpu: the backend 'cpu' keeps no window");
    assert_ok(short_run("cpu", "buffer-on=auto", &end));
    assert_int_equal(end.step, 120);
}

#if defined(KEIKO_CUDA)

// Two learners beside each other, one by batches of the host, one by its copy, while the window goes round and, in the middle,
// the run is saved and resumed.
static void learns_as_from_the_host(const nn_backend *g, const setting *from, bool by_head)
{
    scene s;
    char dir[64];
    replay *r;
    replay_copy *c;
    replay_batch b = {0}, picks = {0};
    nn_net *net, *end[2];
    nn_learner *l[2];
    nn_window_shape w;
    const replay_options ro = {.least = 300, .most = 700, .share = 0.5, .on_disk = true};
    const nn_train_options to = {.max_batch = BATCH, .ema = 0.9f};
    scene_make(&s, from, by_head);
    assert_non_null(temp_dir_make(dir));
    assert_ok(replay_new(&r, &s.sh, &ro));
    assert_ok(replay_tables_make(&s.sh, &s.o, &w)); // to know what a batch has
    assert_ok(nn_net_new(&net, &s.d, 1));
    for (int i = 0; i < 2; i++) {
        assert_ok(nn_net_copy(&end[i], net));
        assert_ok(g->learner_new(&l[i], net, &to));
    }
    assert_ok(replay_copy_new(&c, g, l[1], &s.sh, ro.most, 0, &s.o));
    nn_step_report one = {0}, two = {0};
    for (uint64_t round = 0, step = 0; round < 12; round++) {
        samples some = {0};
        fill(&some, &s.sh, 250, round, (uint32_t)step);
        assert_ok(replay_add(r, &some));
        assert_ok(replay_copy_follow(c, r));
        for (int k = 0; k < 4; k++, step++) {
            assert_ok(replay_draw(r, 9, step, BATCH, &s.o, &b));
            assert_ok(g->learner_step(l[0], &b.b, 0.002f, &one));
            assert_ok(replay_copy_step(c, r, 9, step, BATCH, 0.002f, &picks, &two));
            nn_gathered want = view(&s.d, &b), got = gathered_new(&s.d, BATCH, b.start[BATCH]);
            assert_ok(cuda_window_gathered(l[1], BATCH, &got));
            assert_same_batch(&s.d, &w, BATCH, &got, &want);
            gathered_free(&got);
            assert_memory_equal(&one, &two, sizeof one);
            assert_float_equal(picks.staleness, b.staleness, 0);
        }
        if (round != 6) continue;
        text_buf state = {0};
        assert_ok(g->learner_state(l[1], &state));
        assert_ok(replay_save(r, dir, 0));
        uint64_t total = replay_total(r);
        replay_copy_free(c);
        g->learner_free(l[1]);
        replay_free(r);
        assert_ok(replay_new(&r, &s.sh, &ro));
        assert_ok(replay_load(r, dir, total));
        assert_ok(g->learner_new(&l[1], net, &to));
        assert_ok(g->learner_restore(l[1], state.data, state.len));
        assert_ok(replay_copy_new(&c, g, l[1], &s.sh, ro.most, 0, &s.o));
        text_free(&state);
    }
    for (int i = 0; i < 2; i++) assert_ok(g->learner_weights(l[i], true, end[i]));
    assert_memory_equal(end[0]->w, end[1]->w, net->at.n_all * sizeof(float));
    printf("ok   48 steps alike, loss %.4f  [%s %s]%s\n", one.loss, from->game, s.sh.enc->name,
           by_head ? " by head" : "");
    fflush(stdout);
    replay_copy_free(c);
    for (int i = 0; i < 2; i++) g->learner_free(l[i]), nn_net_free(end[i]);
    nn_net_free(net);
    replay_tables_free(&w);
    replay_batch_free(&b), replay_batch_free(&picks);
    replay_free(r);
    samples_shape_free(&s.sh);
    temp_dir_remove(dir);
}

static void batches_are_the_hosts(void **unused)
{
    (void)unused;
    const nn_backend *g = gpu();
    for (int k = 0; k < 2 * SETTINGS; k++) learns_as_from_the_host(g, &settings[k / 2], k % 2 == 1);
}

static void runs_on_a_gpu(void **unused)
{
    (void)unused;
    train_state end;
    gpu();
    const char *const ways[] = {"buffer-on=gpu", "buffer-on=auto,async=yes", "buffer-on=gpu,policy-loss=heads", "buffer-on=host",
                                "buffer-on=auto,window-most=4000000000"}; // the last does not fit anywhere
    for (int i = 0; i < 5; i++) {
        assert_ok(short_run("cuda", ways[i], &end));
        assert_int_equal(end.step, 120);
        printf("ok   %s: loss %.4f\n", ways[i], end.loss);
        fflush(stdout);
    }
}

#endif

// With a name: that test alone, since sanitizers are slow.
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_say_what_games_do),
        cmocka_unit_test(what_cannot_be_copied),
        cmocka_unit_test(runs_say_where_the_window_is),
#if defined(KEIKO_CUDA)
        cmocka_unit_test(batches_are_the_hosts),
        cmocka_unit_test(runs_on_a_gpu),
#endif
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
