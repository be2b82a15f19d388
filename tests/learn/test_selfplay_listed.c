// Self-play with a network that knows nothing (all its weights are zero, so that every machine computes the same), with each option
// in turn: the finished games, bytes and statistics, are one number each of tests/learn/selfplay.txt. The games in flight are
// saved and loaded on the way, and two threads play what one plays.
#include "base/cpu.h"
#include "base/edits.h"
#include "learn/zero/selfplay.h"

static const char *const rows[][2] = {
    {"tictactoe", "sims=8"},
    {"tictactoe", "sims=16,temperature=0.5,temperature-plies=3,temperature-end=0"},
    {"tictactoe", "sims=12,full=0.5,fast-sims=4"},
    {"tictactoe", "sims=12,full=0.3,fast-sims=2,forced=2"},
    {"tictactoe", "sims=10,openings=3,openings-share=0.7"},
    {"tictactoe", "sims=10,mix=0.5,lambda=0.7"},
    {"tictactoe", "sims=20,sims-start=4,sims-grow=3"},
    {"tictactoe", "sims=10,solver=no,reuse=no,leaves=2"},
    {"tictactoe", "sims=10,even=0.5,openings=2"},
    {"tictactoe", "sims=10,reply=0.5"},
    {"tictactoe", "sims=10,resign=0.9,resign-check=0.3"},
    {"tictactoe", "sims=6,noise=0.5,alpha=1"},
    {"othello", "sims=3,endgame=6,openings=4"},
    {"othello", "sims=4,ownership=0.1,full=0.5,fast-sims=2"},
    {"contrast", "sims=3,threats=5"},
    {"contrast", "sims=4,c=3,fpu=0.5,leaves=3"},
    {"freestyle", "sims=3,threats=20,openings=5"},
};

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
    char all[300];
    snprintf(all, sizeof all, "net='c=8 b=1',in-flight=6,round=%d,noise=0", strcmp(name, "tictactoe") == 0 ? 60 : 200);
    assert_ok(game_find(name, &s->g));
    assert_ok(opt_defaults(az_opts, az_n_opts, &s->c));
    s->keep = opt_keep();
    assert_ok(opt_pairs(az_opts, az_n_opts, &s->c, all, "test", s->keep));
    assert_ok(opt_pairs(az_opts, az_n_opts, &s->c, options, "test", s->keep));
    assert_ok(samples_shape_make(&s->sh, s->g, &s->g->encodings[0]));
    assert_ok(samples_shape_more(&s->sh, s->c.ownership > 0, s->c.reply > 0));
    assert_ok(az_net_desc(&s->c, s->g, s->sh.enc, &d));
    assert_ok(nn_net_new(&s->net, &d, 3));
    static nn_param p[2000];
    for (int i = 0, n = nn_params(&d, p, 2000); i < n; i++)
        memset(s->net->w + p[i].at, 0, p[i].size * sizeof *s->net->w);
    assert_ok(evaluator_new(&s->e, s->g, s->net, &(eval_options){.max_batch = 8, .cache = 1 << 20}));
}

static void play(const char *name, const char *options, int threads, edits *to)
{
    setup s;
    selfplay *sp, *other;
    game_queue *q;
    setup_make(&s, name, options);
    assert_ok(selfplay_new(&sp, &s.sh, &s.c, 5, threads, false));
    assert_ok(game_queue_new(&q));
    game_sink sink = game_queue_sink(q);
    game_source from = game_queue_source(q);
    for (uint64_t step = 0; step < 5; step++) {
        selfplay_stats st;
        text_buf t = {0}, said = {0};
        if (step == 3) { // as after a restart
            assert_ok(selfplay_save(sp, &t));
            assert_ok(selfplay_new(&other, &s.sh, &s.c, 5, threads, false));
            assert_ok(selfplay_load(other, t.data, t.len));
            selfplay_free(sp);
            sp = other;
            text_clear(&t);
        }
        assert_ok(selfplay_round(sp, s.e, step, NULL, &sink, &st));
        text_printf(&said,
                    "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %g %g %.3f %" PRIu64 " %" PRIu64
                    " %" PRIu64 " %" PRIu64,
                    st.games, st.positions, st.plies, st.moves, st.sims, st.first_wins, st.draws, st.entropy,
                    st.targets, st.resigned, st.resign_checked, st.resign_wrong);
        for (bool got = true; got;) {
            finished_game g = {0};
            assert_ok(from.take(from.ctx, &g, &got));
            if (!got) break;
            text_clear(&t);
            assert_ok(finished_game_write(&g, &s.sh, &t));
            uint64_t h = 0;
            for (size_t i = 0; i < t.len; i++) h = (h ^ (unsigned char)t.data[i]) * UINT64_C(0x100000001b3);
            text_printf(&said, "; %" PRIu64 " %d %d %zu %016" PRIx64, g.id, g.plies, g.halves, g.s.n, h);
            finished_game_free(&g);
        }
        edits_saw(to, true, options, text_str(&said));
        text_free(&t);
        text_free(&said);
    }
    for (int i = 0; i < SELFPLAY_SHOWN; i++) {
        text_buf moves = {0};
        float score = -1;
        bool known = selfplay_show(sp, i, &moves, &score);
        text_printf(&moves, " %g", (double)score);
        edits_saw(to, known, options, text_str(&moves));
        text_free(&moves);
    }
    game_queue_free(q);
    selfplay_free(sp);
    evaluator_free(s.e);
    nn_net_free(s.net);
    samples_shape_free(&s.sh);
    opt_free(s.keep);
}

static void games(void **state)
{
    (void)state;
    text_buf list = {0};
    assert_ok(cpu_limit("scalar"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[200];
        snprintf(name, sizeof name, "%s %s", rows[i][0], rows[i][1]);
        edits alone = {.name = name}, two = {.name = name};
        play(rows[i][0], rows[i][1], 1, &alone);
        if (i % 3 == 0) {
            play(rows[i][0], rows[i][1], 2, &two);
            assert_true(alone.digest == two.digest);
        }
        edits_list(&alone, &list);
    }
    assert_ok(cpu_limit("auto"));
    assert_listed(&list, "learn/selfplay.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(games)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
