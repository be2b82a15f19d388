// Targets beyond the usual (--ownership, --reply): who owns the squares in the end, what the other side answered. They are kept
// and turned rightly, learned, and no part of the network that plays.
#include "base/file.h"
#include "base/stop.h"
#include "base/temp_dir.h"
#include "learn/random_samples.h"
#include "learn/zero/az.h"
#include "learn/zero/replay.h"
#include "learn/zero/selfplay.h"

#include <math.h>
#include <stdio.h>

static void random_targets(samples *s, const samples_shape *sh)
{
    rng r = rng_at(8, 1, 2);
    for (size_t i = 0; i < s->n; i++) {
        for (size_t w = 0; w < sh->owners; w++) s->owner[i * sh->owners + w] = rng_u64(&r);
        if (sh->reply)
            s->reply[i] = rng_below(&r, 4) == 0 ? MOVE_NONE : (uint16_t)rng_below(&r, (uint32_t)sh->g->n_moves);
    }
}

static void they_are_kept(void **unused)
{
    (void)unused;
    samples_shape sh, plain, only_reply;
    samples a = {0}, b = {0}, c = {0};
    text_buf t = {0}, u = {0};
    size_t used;
    shape_of(&sh, "othello");
    plain = only_reply = sh;
    assert_ok(samples_shape_more(&plain, false, false));
    assert_ok(samples_shape_more(&sh, true, true));
    assert_ok(samples_shape_more(&only_reply, false, true));
    fill(&a, &sh, 100, 3, 0);
    assert_int_equal(a.reply[99], MOVE_NONE); // until somebody knows
    assert_int_equal(a.owner[199] & a.owner[198], UINT64_MAX);
    random_targets(&a, &sh);
    assert_ok(samples_write(&a, &sh, &t));
    assert_ok(samples_read(&b, &sh, t.data, t.len, &used));
    assert_int_equal(used, t.len);
    assert_memory_equal(a.owner, b.owner, 200 * sizeof *a.owner);
    assert_memory_equal(a.reply, b.reply, 100 * sizeof *a.reply);
    assert_ok(samples_append_some(&b, &sh, &a, 40, 10));
    assert_memory_equal(a.owner + 80, b.owner + 200, 20 * sizeof *a.owner);
    assert_memory_equal(a.reply + 40, b.reply + 100, 10 * sizeof *a.reply);
    assert_err(samples_read(&c, &plain, t.data, t.len, &used), "other targets (--ownership, --reply)");
    assert_err(samples_read(&c, &only_reply, t.data, t.len, &used), "other targets");
    fill(&c, &plain, 100, 3, 0);
    assert_ok(samples_write(&c, &plain, &u));
    assert_int_equal(t.len, u.len + 100 * (2 * sizeof *a.owner + sizeof *a.reply)); // nothing where they are not wanted
    samples_free(&a);
    samples_free(&b);
    samples_free(&c);
    text_free(&t);
    text_free(&u);
    samples_shape_free(&sh);
    shape_of(&sh, "tictactoe");
    assert_err(samples_shape_more(&sh, true, false),
               "--ownership learns who owns each square in the end, and in tictactoe");
    samples_shape_free(&sh);
}

static void check_owner(const samples_shape *sh, const samples *s, size_t at, int sym, const float *owner,
                        const uint8_t *mask)
{
    for (int c = 0; c < 64; c++) {
        bool own = s->owner[at * sh->owners] >> c & 1, other = s->owner[at * sh->owners + 1] >> c & 1;
        int to = sh->g->sym_move(sym, (move_t)c);
        assert_int_equal(mask[to], !(own && other));
        if (mask[to]) assert_float_equal(owner[to], (own ? 1 : other ? -1 : 0), 0);
    }
}

// Drawn rows against the moves' and squares' own symmetries.
static void they_are_turned(void **unused)
{
    (void)unused;
    const char *const nets[] = {
        "planes=3 size=8x8 c=16 b=1 policy=2:65 value=1:16 board=1 reply=2:65",
        "planes=32 scalars=34 size=5x5 c=16 b=1 policy=2:625 policy=2:51 value=1:16 reply=2:625 "
        "reply=2:51"};
    for (int i = 0; i < 2; i++) {
        samples_shape sh;
        samples all = {0}, copy = {0};
        replay *r;
        replay_batch b = {0};
        nn_desc d;
        shape_of(&sh, i == 0 ? "othello" : "contrast");
        const game *g = sh.g;
        assert_ok(samples_shape_more(&sh, i == 0, true));
        fill(&all, &sh, 300, 9, 0);
        random_targets(&all, &sh);
        assert_ok(samples_append(&copy, &sh, &all));
        assert_ok(nn_desc_parse(nets[i], &d));
        assert_ok(replay_new(&r, &sh, &(replay_options){.least = 1000, .most = 1000, .share = 1}));
        assert_ok(replay_add(r, &copy));
        replay_draw_options o = {.net = &d, .symmetries = true, .owner_scale = i == 0 ? 0.5f : 0, .reply_scale = 0.25f};
        assert_ok(replay_draw(r, 5, 1, 200, &o, &b));
        assert_ok(nn_batch_check(&d, &b.b));
        int first = 3, turned = 0;
        if (i == 0) assert_float_equal(b.b.head[2].scale, 0.5, 0);
        assert_float_equal(b.b.head[first].scale, 0.25, 0);
        for (size_t k = 0; k < 200; k++) {
            size_t at = (size_t)b.pick[k];
            turned += b.sym[k] != 0;
            if (i == 0) check_owner(&sh, &all, at, b.sym[k], b.b.head[2].value + k * 64, b.b.head[2].mask + k * 64);
            uint16_t index[GAME_MAX_HEADS];
            bool known = all.reply[at] != MOVE_NONE;
            move_t m = known ? g->sym_move(b.sym[k], all.reply[at]) : 0;
            samples_heads(&sh, !all.seat[at], &m, 1, index);
            for (int h = 0; h < g->n_heads; h++)
                for (int q = 0; q < g->head_dim[h]; q++)
                    assert_float_equal(b.b.head[first + h].value[k * (size_t)g->head_dim[h] + (size_t)q],
                                       (known && q == index[h]), 0);
        }
        assert_true(turned > 50);
        o.owner_scale = o.reply_scale = 0; // not wanted: those heads rest
        assert_ok(replay_draw(r, 5, 1, 200, &o, &b));
        assert_null(b.b.head[first].value);
        replay_batch_free(&b);
        replay_free(r);
        samples_free(&all);
        samples_shape_free(&sh);
    }
}

// Owners that are the discs on the board, whichever way it is turned, are easy to learn.
static void they_are_learned(void **unused)
{
    (void)unused;
    samples_shape sh;
    samples all = {0};
    replay *r;
    replay_batch b = {0};
    nn_desc d;
    nn_net *net;
    nn_learner *l;
    nn_step_report report = {0};
    shape_of(&sh, "othello");
    assert_ok(samples_shape_more(&sh, true, false));
    fill(&all, &sh, 300, 9, 0);
    for (size_t i = 0; i < all.n; i++) memcpy(all.owner + 2 * i, all.bits + i * sh.bits, 2 * sizeof *all.owner);
    assert_ok(nn_desc_parse("planes=3 size=8x8 c=16 b=1 policy=1:65 value=1:8 board=1", &d));
    assert_ok(nn_net_new(&net, &d, 1));
    assert_ok(replay_new(&r, &sh, &(replay_options){.least = 1000, .most = 1000, .share = 1}));
    assert_ok(replay_add(r, &all));
    assert_ok(nn_backend_cpu.learner_new(&l, net, &(nn_train_options){.max_batch = 32}));
    for (uint64_t step = 0; step < 100; step++) {
        assert_ok(
            replay_draw(r, 5, step, 32, &(replay_draw_options){.net = &d, .symmetries = true, .owner_scale = 1}, &b));
        assert_ok(nn_backend_cpu.learner_step(l, &b.b, 0.01f, &report));
    }
    printf("ownership of discs on the board: loss %.3f\n", report.by_head[2]);
    assert_true(report.by_head[2] < 0.1);
    nn_backend_cpu.learner_free(l);
    nn_net_free(net);
    replay_batch_free(&b);
    replay_free(r);
    samples_free(&all);
    samples_shape_free(&sh);
}

// --- self-play

typedef struct setup {
    const game *g;
    samples_shape sh;
    nn_net *net;
    evaluator *e;
    az_config c;
    opt_values *keep;
} setup;

static void setup_make(setup *s, const char *name, const char *options)
{
    nn_desc d;
    memset(s, 0, sizeof *s);
    assert_ok(game_find(name, &s->g));
    assert_ok(opt_defaults(az_opts, az_n_opts, &s->c));
    s->keep = opt_keep();
    assert_ok(opt_pairs(az_opts, az_n_opts, &s->c, options, "test", s->keep));
    assert_ok(samples_shape_make(&s->sh, s->g, &s->g->encodings[0]));
    assert_ok(samples_shape_more(&s->sh, s->c.ownership > 0, s->c.reply > 0));
    assert_ok(az_net_desc(&s->c, s->g, s->sh.enc, &d));
    assert_ok(nn_net_new(&s->net, &d, 3));
    assert_ok(evaluator_new(&s->e, s->g, s->net, &(eval_options){.max_batch = 8}));
}

static void setup_free(setup *s)
{
    evaluator_free(s->e);
    nn_net_free(s->net);
    samples_shape_free(&s->sh);
    opt_free(s->keep);
}

// Rounds until `n` games have ended; `check` looks at each. After every round the games in flight go through bytes.
static void play_games(setup *s, int n, void (*check)(const setup *s, const finished_game *f))
{
    selfplay *sp;
    game_queue *q;
    assert_ok(selfplay_new(&sp, &s->sh, &s->c, 5, 1, false));
    assert_ok(game_queue_new(&q));
    game_sink to = game_queue_sink(q);
    game_source from = game_queue_source(q);
    for (int ended = 0; ended < n;) {
        selfplay_stats st;
        text_buf flight = {0};
        finished_game f;
        assert_ok(selfplay_round(sp, s->e, 1, NULL, &to, &st));
        assert_ok(selfplay_save(sp, &flight));
        assert_ok(selfplay_load(sp, flight.data, flight.len));
        text_free(&flight);
        for (bool got = true; got;) {
            assert_ok(from.take(from.ctx, &f, &got));
            if (!got) break;
            check(s, &f);
            finished_game_free(&f);
            ended++;
        }
    }
    game_queue_free(q);
    selfplay_free(sp);
}

// From the first move on every position is a sample, so the stone that a later one has more is the answer.
static void check_replies(const setup *s, const finished_game *f)
{
    assert_int_equal(f->s.n, f->plies);
    for (size_t i = 0; i < f->s.n; i++) {
        uint64_t stones[2] = {0};
        for (size_t k = 1; k <= 2 && i + k < f->s.n; k++)
            stones[k - 1] = f->s.bits[(i + k) * s->sh.bits] | f->s.bits[(i + k) * s->sh.bits + 1];
        if (i + 2 < f->s.n) assert_int_equal(stones[1] & ~stones[0], 1ull << f->s.reply[i]);
        if (i + 1 == f->s.n) assert_int_equal(f->s.reply[i], MOVE_NONE);
        if (i + 2 == f->s.n) assert_true(f->s.reply[i] < 9 && (stones[0] >> f->s.reply[i] & 1) == 0);
    }
}

static int owners_known;

static void check_owners(const setup *s, const finished_game *f)
{
    (void)s;
    for (size_t i = 0; i < f->s.n; i++) {
        uint64_t own = f->s.owner[2 * i], other = f->s.owner[2 * i + 1];
        if (f->resigned) {
            assert_int_equal(own & other, UINT64_MAX);
            continue;
        }
        owners_known++;
        assert_int_equal(own & other, 0);
        assert_float_equal(f->s.margin[i], (__builtin_popcountll(own) - __builtin_popcountll(other)) / 64.0f, 1e-6);
        bool same = f->s.seat[i] == f->s.seat[0];
        assert_int_equal(own, f->s.owner[same ? 0 : 1]);
    }
}

static void games_say_what_came_later(void **unused)
{
    (void)unused;
    setup s;
    setup_make(&s, "tictactoe", "net='c=8 b=1',in-flight=4,sims=8,round=30,reply=1");
    play_games(&s, 40, check_replies);
    setup_free(&s);
    setup_make(&s, "othello",
               "net='c=8 b=1',in-flight=4,sims=2,round=50,endgame=6,resign=0.1,resign-check=0.5,ownership=1");
    play_games(&s, 20, check_owners);
    assert_true(owners_known > 60);
    setup_free(&s);
}

// --- what later searches thought

enum { LOOKED = 64, LOOKED_PLIES = 80 };

typedef struct looked { // by game: what its searches said of each position
    size_t n;
    float value[LOOKED_PLIES], margin[LOOKED_PLIES];
} looked;

static looked said[LOOKED];
static double apart; // how far the searches' margins are from the game's end

static void keep_said(const setup *s, const finished_game *f)
{
    (void)s;
    if (f->id >= LOOKED) return;
    looked *l = &said[f->id];
    assert_true(f->s.n <= LOOKED_PLIES);
    l->n = f->s.n;
    memcpy(l->value, f->s.value, l->n * sizeof *l->value);
    memcpy(l->margin, f->s.margin, l->n * sizeof *l->margin);
}

// With lambda 0.5 and mix 0.25, from the last position back. The last ones are solved: what was said there is the end itself.
static void check_looked(const setup *s, const finished_game *f)
{
    (void)s;
    if (f->id >= LOOKED || said[f->id].n == 0) return;
    const looked *l = &said[f->id];
    assert_int_equal(f->s.n, l->n);
    size_t last = l->n - 1;
    float sign = f->s.seat[last] == 0 ? 1.0f : -1.0f, value = sign * l->value[last], margin = sign * l->margin[last];
    assert_true(value == 1 || value == 0 || value == -1);
    for (size_t i = l->n; i-- > 0;) {
        sign = f->s.seat[i] == 0 ? 1.0f : -1.0f;
        assert_float_equal(f->s.value[i], 0.75f * sign * value + 0.25f * l->value[i], 1e-5);
        assert_float_equal(f->s.margin[i], 0.75f * sign * margin + 0.25f * l->margin[i], 1e-5);
        apart += fabs((double)(sign * l->margin[last] - l->margin[i]));
        value = 0.5f * value + 0.5f * sign * l->value[i];
        margin = 0.5f * margin + 0.5f * sign * l->margin[i];
    }
}

static void targets_look_ahead(void **unused)
{
    (void)unused;
    const char *how[] = {"mix=1", "lambda=0.5,mix=0.25"};
    for (int k = 0; k < 2; k++) {
        char options[256];
        setup s;
        snprintf(options, sizeof options,
                 "net='c=8 b=1 policy=1:65 value=1:8 scalar=1:8:1',in-flight=4,sims=4,gumbel=4,round=50,endgame=6,"
                 "margin=0.4,%s",
                 how[k]);
        setup_make(&s, "othello", options);
        play_games(&s, 12, k == 0 ? keep_said : check_looked);
        setup_free(&s);
    }
    assert_true(apart > 1);
}

// --- a run

typedef struct course {
    double last[NN_MAX_HEADS];
    uint64_t every;
} course;

static bool follow(void *ctx, const train_state *z)
{
    course *c = ctx;
    memcpy(c->last, z->by_head, sizeof c->last);
    if (c->every > 0 && z->round % c->every == 0) stop_request();
    return true;
}

static const char run_options_text[] =
    "net='c=16 b=1',in-flight=3,sims=3,round=20,openings=8,endgame=4,fill=100,batch=32,samples=20,lr=0.01,ema=0.5,threads=1,"
    "backend=cpu,buffer-min=2000,cache=0,checkpoint=0,eval-every=0,seed=3,steps=60";

static char *train(const char *root, const char *name, const char *more, course *c, size_t *size)
{
    az_config conf = {0};
    opt_values *keep = opt_keep();
    const game *g;
    char dir[FILE_PATH], path[FILE_PATH], *data;
    train_end how = TRAIN_STOPPED;
    assert_ok(game_find("othello", &g));
    assert_ok(opt_defaults(az_opts, az_n_opts, &conf));
    assert_ok(opt_pairs(az_opts, az_n_opts, &conf, run_options_text, "test", keep));
    assert_ok(opt_pairs(az_opts, az_n_opts, &conf, more, "test", keep));
    assert_ok(file_join(dir, sizeof dir, root, name));
    int start = 0;
    for (; how == TRAIN_STOPPED; start++) {
        run_home *home;
        stop_reset();
        assert_true(start < 50);
        assert_ok(run_open(&home, &(run_options){.dir = dir,
                                                 .game = g->name,
                                                 .algo = "zero",
                                                 .resume = start > 0,
                                                 .opts = az_opts,
                                                 .n_opts = az_n_opts,
                                                 .values = &conf,
                                                 .no_events = true}));
        assert_ok(az_train(&(train_options){.g = g, .home = home, .each = follow, .ctx = c}, &conf, NULL, NULL, &how));
        run_close(home);
    }
    stop_reset();
    assert_true(c->every == 0 || start > 2);
    assert_ok(file_join(path, sizeof path, dir, "final.safetensors"));
    assert_ok(file_read(path, 1 << 26, &data, size));
    opt_free(keep);
    return data;
}

static void the_network_that_plays_is_without(void **unused)
{
    (void)unused;
    char root[64], *data[3];
    size_t size[3];
    course c[3] = {{.every = 0}, {.every = 5}, {.every = 0}};
    const char *const more[] = {"ownership=1,reply=0.5", "ownership=1,reply=0.5", ""};
    nn_net *net;
    nn_desc d;
    assert_non_null(temp_dir_make(root));
    for (int i = 0; i < 3; i++) data[i] = train(root, (const char *[]){"a", "b", "c"}[i], more[i], &c[i], &size[i]);
    // heads: policy, value, board, reply
    printf("ownership %.3f, reply %.3f\n", c[0].last[2], c[0].last[3]);
    assert_true(c[0].last[2] > 0 && c[0].last[3] > 0);
    assert_true(c[2].last[2] == 0 && c[2].last[3] == 0);
    assert_int_equal(size[0], size[1]); // a run in parts ends the same
    assert_memory_equal(data[0], data[1], size[0]);
    assert_int_equal(size[0], size[2]); // the network that plays has no more heads than without
    assert_memory_not_equal(data[0], data[2], size[0]);
    assert_ok(nn_net_from_bytes(&net, data[0], size[0]));
    assert_ok(nn_desc_parse("planes=3 size=8x8 c=16 b=1 policy=4:65 value=2:32", &d));
    assert_true(nn_desc_equal(&net->desc, &d));
    nn_net_free(net);
    for (int i = 0; i < 3; i++) free(data[i]);
    temp_dir_remove(root);
}

static void heads_are_added(void **unused)
{
    (void)unused;
    const game *othello, *contrast, *ttt;
    az_config c = {0};
    nn_desc d, out;
    char text[NN_TEXT];
    assert_ok(game_find("othello", &othello));
    assert_ok(game_find("contrast", &contrast));
    assert_ok(game_find("tictactoe", &ttt));
    assert_ok(opt_defaults(az_opts, az_n_opts, &c));
    c.ownership = c.reply = 1;
    assert_ok(nn_desc_parse("planes=3 size=8x8 c=16 b=1 policy=4:65 value=2:32", &d));
    assert_ok(az_trained_desc(&c, othello, &d, &out));
    nn_desc_print(&out, text, sizeof text);
    assert_string_equal(text, "planes=3 size=8x8 c=16 b=1 policy=4:65 value=2:32 board=1 reply=4:65");
    assert_ok(nn_desc_parse(text, &d)); // a network that has them keeps them
    assert_ok(az_trained_desc(&c, othello, &d, &out));
    assert_true(nn_desc_equal(&d, &out));
    c.ownership = 0;
    assert_ok(nn_desc_parse("planes=4 scalars=6 size=5x5 c=16 b=1 policy=8:625 policy=4:51 value=2:32", &d));
    assert_ok(az_trained_desc(&c, contrast, &d, &out));
    nn_desc_print(&out, text, sizeof text);
    assert_non_null(strstr(text, "value=2:32 reply=8:625 reply=4:51"));
    c.ownership = 1;
    c.common.steps = 1;
    c.common.backend = "cpu";
    assert_err(az_check(&(train_options){.g = ttt}, &c), "in tictactoe nobody does");
    c.ownership = 0;
    assert_ok(az_check(&(train_options){.g = ttt}, &c));
}

// Tensor by tensor, in both directions.
static void common_weights_are_taken(void **unused)
{
    (void)unused;
    nn_desc d[2];
    nn_net *n[2];
    static nn_param p[2][200];
    assert_ok(nn_desc_parse("planes=3 size=8x8 c=16 b=2 se=4 policy=4:65 value=2:32", &d[0]));
    assert_ok(nn_desc_parse("planes=3 size=8x8 c=16 b=2 se=4 policy=4:65 value=2:32 board=1 reply=4:65", &d[1]));
    for (int to = 0; to < 2; to++) {
        for (int i = 0; i < 2; i++) {
            assert_ok(nn_net_new(&n[i], &d[i], (uint64_t)i + 1));
            for (size_t k = n[i]->at.n_train; k < n[i]->at.n_all; k++) n[i]->w[k] = (float)(i + 1) / (float)k;
        }
        float *before = malloc(n[to]->at.n_all * sizeof *before);
        memcpy(before, n[to]->w, n[to]->at.n_all * sizeof *before);
        nn_net_take(n[to], n[!to]);
        int small = nn_params(&d[0], p[0], 200), all = nn_params(&d[1], p[1], 200);
        assert_true(small < all && all <= 200);
        for (int i = 0; i < all; i++) {
            if (i >= small && to == 1) // a head that the other has not
                assert_memory_equal(n[1]->w + p[1][i].at, before + p[1][i].at, p[1][i].size * sizeof(float));
            if (i >= small) continue;
            assert_string_equal(p[0][i].name, p[1][i].name);
            assert_memory_equal(n[0]->w + p[0][i].at, n[1]->w + p[1][i].at, p[0][i].size * sizeof(float));
        }
        free(before);
        for (int i = 0; i < 2; i++) nn_net_free(n[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_kept),      cmocka_unit_test(they_are_turned),
        cmocka_unit_test(they_are_learned),   cmocka_unit_test(games_say_what_came_later),
        cmocka_unit_test(targets_look_ahead), cmocka_unit_test(the_network_that_plays_is_without),
        cmocka_unit_test(heads_are_added),    cmocka_unit_test(common_weights_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
