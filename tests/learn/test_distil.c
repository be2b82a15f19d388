// Distillation (--teacher): the teacher alone plays, a network or an agent, and a smaller network with another encoding learns
// from what it thinks.
#include "base/file.h"
#include "base/stop.h"
#include "base/temp_dir.h"
#include "eval/eval.h"
#include "learn/zero/az.h"
#include "learn/zero/perfect.h"
#include "learn/zero/selfplay.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

static const char tiny[] = "in-flight=16,sims=12,round=60,openings=4,fill=150,batch=32,samples=3,lr=0.004,ema=0.9,"
                           "threads=1,backend=cpu,buffer-min=300,buffer-max=20000,cache=1,checkpoint=0,seed=5";

typedef struct bench { // a folder with a teacher in it
    const game *g;
    char root[64], teacher[FILE_PATH];
    nn_net *net;
    opt_values *keep;
} bench;

static void config_make(bench *b, az_config *c, const char *more)
{
    memset(c, 0, sizeof *c);
    assert_ok(opt_defaults(az_opts, az_n_opts, c));
    assert_ok(opt_pairs(az_opts, az_n_opts, c, tiny, "tiny", b->keep));
    assert_ok(opt_pairs(az_opts, az_n_opts, c, more, "more", b->keep));
}

static void bench_open(bench *b, const char *name, const char *options)
{
    az_config c;
    *b = (bench){.keep = opt_keep()};
    assert_ok(game_find(name, &b->g));
    assert_non_null(temp_dir_make(b->root));
    assert_ok(file_join(b->teacher, sizeof b->teacher, b->root, "teacher.safetensors"));
    config_make(b, &c, options);
    assert_ok(az_train(&(train_options){.g = b->g}, &c, NULL, &b->net, NULL));
    assert_ok(nn_net_save(b->net, b->teacher));
}

static void bench_close(bench *b)
{
    nn_net_free(b->net);
    opt_free(b->keep);
    temp_dir_remove(b->root);
}

static int favourite(const game *g, evaluator *e, const void *state)
{
    move_t moves[512];
    const move_t *list = moves;
    float prior[512], *priors = prior, value;
    const void *obs = state;
    int n = g->legal(state, moves), best = 0;
    mcts_batch one = {.n = 1, .obs = &obs, .moves = &list, .n_moves = &n, .priors = &priors, .values = &value};
    assert_true(n > 0 && n <= 512);
    assert_ok(evaluator_raw(e, &one));
    for (int k = 1; k < n; k++)
        if (prior[k] > prior[best]) best = k;
    return moves[best];
}

// In how many of the positions of random games do both networks like the same move best?
static double agreement(const game *g, const nn_net *a, const nn_net *b)
{
    evaluator *ea, *eb;
    int same = 0, all = 0;
    void *state = calloc(1, g->state_size);
    move_t moves[512];
    assert_ok(evaluator_new(&ea, g, a, NULL));
    assert_ok(evaluator_new(&eb, g, b, NULL));
    for (uint64_t k = 0; k < 100; k++) {
        rng r = rng_at(7, k, 0);
        assert_ok(g->init(state, "", (game_key){7, k}));
        for (int n; (n = g->legal(state, moves)) > 0;) {
            same += favourite(g, ea, state) == favourite(g, eb, state);
            all++;
            g->play(state, moves[rng_below(&r, (uint32_t)n)], NULL);
        }
    }
    evaluator_free(ea);
    evaluator_free(eb);
    free(state);
    return (double)same / all;
}

static void a_smaller_network_learns_what_the_teacher_knows(void **unused)
{
    (void)unused;
    bench b;
    az_config c;
    nn_net *first, *last;
    nn_desc d;
    char more[FILE_PATH + 512];
    bench_open(&b, "tictactoe", "net='c=16 b=2',steps=250,batch=64,samples=6");
    snprintf(more, sizeof more, "teacher=%s,net='c=16 b=1',steps=150,seed=6", b.teacher);
    config_make(&b, &c, more);
    assert_ok(az_net_desc(&c, b.g, &b.g->encodings[0], &d));
    assert_ok(nn_net_new(&first, &d, 6));
    assert_ok(az_train(&(train_options){.g = b.g}, &c, NULL, &last, NULL));
    double before = agreement(b.g, b.net, first), after = agreement(b.g, b.net, last);
    printf("the same favourite move in %.1f %% of positions before, %.1f %% after\n", 100 * before, 100 * after);
    assert_true(after > before + 0.15); // many of its positions have several best moves
    assert_true(nn_desc_equal(&last->desc, &d));
    assert_non_null(strstr(last->note, "teacher = teacher.safetensors"));
    nn_net_free(first);
    nn_net_free(last);
    bench_close(&b);
}

// One start in `dir`; `every` stops it in each round of that number.
static bool stop_sometimes(void *ctx, const train_state *z)
{
    uint64_t every = *(const uint64_t *)ctx;
    if (every > 0 && z->round % every == 0) stop_request();
    return true;
}

static void train(bench *b, az_config *c, const char *name, uint64_t every, char dir[FILE_PATH], train_state *out)
{
    train_end how = TRAIN_STOPPED;
    assert_ok(file_join(dir, FILE_PATH, b->root, name));
    int start = 0;
    for (; how == TRAIN_STOPPED; start++) {
        run_home *home;
        stop_reset();
        assert_true(start < 100);
        assert_ok(run_open(&home, &(run_options){.dir = dir,
                                                 .game = b->g->name,
                                                 .algo = "zero",
                                                 .resume = start > 0,
                                                 .opts = az_opts,
                                                 .n_opts = az_n_opts,
                                                 .values = c,
                                                 .no_events = true}));
        assert_ok(az_train(&(train_options){.g = b->g, .home = home, .each = stop_sometimes, .ctx = &every}, c, out,
                           NULL, &how));
        run_close(home);
    }
    stop_reset();
    if (every > 0) assert_true(start > 2);
}

static char *final_of(const char *dir, size_t *size)
{
    char path[FILE_PATH], *data;
    assert_ok(file_join(path, sizeof path, dir, "final.safetensors"));
    assert_ok(file_read(path, 1 << 26, &data, size));
    return data;
}

// Two students that have nothing in common see games of the same lengths and searches: whatever they learn, the teacher's weights play.
static void only_the_teacher_plays(void **unused)
{
    (void)unused;
    bench b;
    az_config c;
    train_state z[2];
    char more[FILE_PATH + 512], dir[FILE_PATH];
    const char *const students[] = {"net='c=16 b=1',encoding=now", "net='c=16 b=2',encoding=c90"};
    bench_open(&b, "contrast", "net='c=16 b=1',encoding=c66,steps=1,sims=2,fill=20,in-flight=2");
    for (int i = 0; i < 2; i++) {
        snprintf(more, sizeof more,
                 "teacher=%s,games=8,sims=4,round=100,in-flight=4,fill=20,samples=0.5,eval-every=1000,eval-games=2,"
                 "eval-sims=2,eval-past=0,references=random,anchor=random,%s",
                 b.teacher, students[i]);
        config_make(&b, &c, more);
        train(&b, &c, i == 0 ? "a" : "b", 0, dir, &z[i]);
        assert_true(z[i].step > 0);
        assert_true(z[i].rated); // the student
    }
    assert_int_equal(z[0].games, z[1].games);
    assert_int_equal(z[0].positions, z[1].positions);
    assert_int_equal(z[0].sims, z[1].sims);
    bench_close(&b);
}

static void a_resumed_run_ends_the_same(void **unused)
{
    (void)unused;
    bench b;
    az_config c;
    char more[FILE_PATH + 512], dir[FILE_PATH], *data[2];
    size_t size[2];
    bench_open(&b, "tictactoe", "net='c=16 b=2',steps=5");
    snprintf(more, sizeof more, "teacher=%s,net='c=16 b=1',steps=30,round=20,eval-every=0", b.teacher);
    config_make(&b, &c, more);
    for (int i = 0; i < 2; i++) {
        train(&b, &c, i == 0 ? "whole" : "parts", i == 0 ? 0 : 4, dir, NULL);
        data[i] = final_of(dir, &size[i]);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(data[0], data[1], size[0]);
    free(data[0]);
    free(data[1]);
    bench_close(&b);
}

static int right_in_percent(const game *g, const nn_net *net)
{
    perfect *p;
    perfect_score s;
    evaluator *e;
    assert_ok(perfect_new(&p, g, 10000));
    assert_ok(evaluator_new(&e, g, net, NULL));
    assert_ok(perfect_raw(p, e, &s));
    evaluator_free(e);
    perfect_free(p);
    return (int)(100 * s.right / s.positions);
}

static void an_agent_teaches(void **unused)
{
    (void)unused;
    bench b;
    az_config c;
    nn_net *last;
    char dir[2][FILE_PATH], *data[2];
    size_t size[2];
    bench_open(&b, "tictactoe", "net='c=16 b=1',steps=1,sims=2,fill=20,in-flight=2");
    config_make(&b, &c, "teacher='mcts:sims=200',net='c=16 b=1',steps=150,noise=0.3,threads=2");
    assert_ok(az_train(&(train_options){.g = b.g}, &c, NULL, &last, NULL));
    int before = right_in_percent(b.g, b.net), after = right_in_percent(b.g, last);
    printf("right in %d %% of all positions before, %d %% after\n", before, after);
    assert_true(after > before + 15);
    assert_non_null(strstr(last->note, "teacher = mcts:sims=200"));
    nn_net_free(last);
    config_make(&b, &c, "teacher='mcts:sims=20',net='c=16 b=1',steps=60,noise=0.3,in-flight=4");
    for (int i = 0; i < 2; i++) { // in parts, and with other threads
        c.common.threads = 1 + i;
        train(&b, &c, i == 0 ? "whole" : "parts", i == 0 ? 0 : 4, dir[i], NULL);
        data[i] = final_of(dir[i], &size[i]);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(data[0], data[1], size[0]);
    free(data[0]);
    free(data[1]);
    bench_close(&b);
}

// One round of games of `teacher` with these options: their positions.
static void taught(const game *g, const char *teacher, const char *options, samples_shape *sh, samples *out)
{
    az_config c;
    selfplay *sp;
    game_queue *q;
    selfplay_stats st;
    uint64_t games;
    opt_values *keep = opt_keep();
    assert_ok(opt_defaults(az_opts, az_n_opts, &c));
    assert_ok(opt_pairs(az_opts, az_n_opts, &c, options, "test", keep));
    assert_ok(samples_shape_make(sh, g, &g->encodings[0]));
    assert_ok(samples_shape_more(sh, c.ownership > 0, c.reply > 0));
    assert_ok(selfplay_new(&sp, sh, &c, 9, 2, false));
    assert_ok(selfplay_taught_by(sp, teacher, 2, g->margin != NULL));
    assert_ok(game_queue_new(&q));
    game_sink to = game_queue_sink(q);
    game_source from = game_queue_source(q);
    assert_ok(selfplay_round(sp, NULL, 0, NULL, &to, &st));
    assert_ok(game_source_drain(&from, sh, out, &games));
    assert_int_equal(games, c.in_flight);
    assert_int_equal(st.sims, 0); // an agent's nodes are something else
    game_queue_free(q);
    selfplay_free(sp);
    opt_free(keep);
}

// How many positions have the same value and margin in both?
static double same_targets(const samples *a, const samples *b)
{
    size_t same = 0;
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++) same += a->value[i] == b->value[i] && a->margin[i] == b->margin[i];
    return (double)same / (double)a->n;
}

// The result, where the agent's own moves lead to it; nothing that comes after a random move counts.
static void results_stop_at_random_moves(void **unused)
{
    (void)unused;
    const game *g;
    samples_shape sh[4];
    samples s[4] = {0};
    const char *const options[] = {"in-flight=6,noise=0,mix=0", "in-flight=6,noise=0,mix=1",
                                   "in-flight=6,noise=1,mix=0", "in-flight=6,noise=1,mix=1"};
    assert_ok(game_find("othello", &g));
    for (int i = 0; i < 4; i++) taught(g, "alphabeta:depth=1,exact=4", options[i], &sh[i], &s[i]);
    for (size_t i = 0; i < s[0].n; i++) { // mix 0: the result, for the seat to move
        assert_true(fabsf(s[0].value[i]) == 1 || s[0].value[i] == 0);
        assert_true((s[0].value[i] > 0) == (s[0].margin[i] > 0));
    }
    assert_true(same_targets(&s[0], &s[1]) < 0.4);
    assert_true(same_targets(&s[2], &s[3]) > 0.85); // all but forced moves and the last
    for (int i = 0; i < 4; i++) {
        samples_free(&s[i]);
        samples_shape_free(&sh[i]);
    }
}

// Owners of the squares and replies, too, are learned only as far as the agent's own moves lead there.
static void owners_and_replies_stop_at_random_moves(void **unused)
{
    (void)unused;
    const game *g;
    assert_ok(game_find("othello", &g));
    for (int noise = 0; noise < 2; noise++) {
        samples_shape sh;
        samples s = {0};
        size_t owned = 0, answered = 0;
        taught(g, "alphabeta:depth=1,exact=4",
               noise ? "in-flight=6,noise=1,ownership=1,reply=1" : "in-flight=6,noise=0,ownership=1,reply=1", &sh, &s);
        for (size_t i = 0; i < s.n; i++) {
            owned += (s.owner[2 * i] & s.owner[2 * i + 1]) == 0;
            answered += s.reply[i] != MOVE_NONE;
        }
        assert_true(noise ? owned < s.n / 8 : owned == s.n);           // after the last choice, nothing is random
        assert_true(noise ? answered < s.n / 8 : answered == s.n - 6); // the last moves have no answer
        samples_free(&s);
        samples_shape_free(&sh);
    }
}

// With --async a round goes on after Ctrl-C, since the learner does; games that have not begun wait for the next start.
static void after_a_stop_no_game_begins(void **unused)
{
    (void)unused;
    const game *g;
    az_config c;
    samples_shape sh;
    selfplay *sp;
    game_queue *q;
    selfplay_stats st;
    opt_values *keep = opt_keep();
    assert_ok(game_find("tictactoe", &g));
    assert_ok(opt_defaults(az_opts, az_n_opts, &c));
    assert_ok(opt_pairs(az_opts, az_n_opts, &c, "in-flight=5,async=yes", "test", keep));
    assert_ok(samples_shape_make(&sh, g, &g->encodings[0]));
    assert_ok(selfplay_new(&sp, &sh, &c, 9, 1, false));
    assert_ok(selfplay_taught_by(sp, "mcts:sims=4", 1, false));
    assert_ok(game_queue_new(&q));
    game_sink to = game_queue_sink(q);
    stop_request();
    assert_ok(selfplay_round(sp, NULL, 0, NULL, &to, &st));
    stop_reset();
    assert_int_equal(st.games, 0);
    assert_ok(selfplay_round(sp, NULL, 0, NULL, &to, &st));
    assert_int_equal(st.games, 5);
    game_queue_free(q);
    selfplay_free(sp);
    samples_shape_free(&sh);
    opt_free(keep);
}

// Simulations, batches and the tree's share of the time say nothing of games by an agent.
static void the_log_of_an_agents_games_has_no_simulations(void **unused)
{
    (void)unused;
    bench b;
    az_config c;
    train_state z;
    char dir[FILE_PATH], path[FILE_PATH], *log;
    size_t size;
    bench_open(&b, "tictactoe", "net='c=16 b=1',steps=1,sims=2,fill=20,in-flight=2");
    config_make(&b, &c, "teacher='mcts:sims=4',net='c=16 b=1',steps=2,fill=20,in-flight=4,eval-every=0");
    train(&b, &c, "run", 0, dir, &z);
    assert_true(z.games > 0);
    assert_int_equal(z.sims, 0);
    assert_ok(file_join(path, sizeof path, dir, "log.jsonl"));
    assert_ok(file_read(path, 1 << 20, &log, &size));
    assert_non_null(strstr(log, "\"kind\":\"selfplay\""));
    assert_non_null(strstr(log, "games_s"));
    assert_non_null(strstr(log, "\"kind\":\"game\""));
    assert_null(strstr(log, "sims_s"));
    assert_null(strstr(log, "batch_fill"));
    assert_null(strstr(log, "\"kind\":\"shares\""));
    free(log);
    bench_close(&b);
}

// Of a teacher's file the last part of its path is kept, whatever characters the path has.
static void a_teachers_file_is_noted_by_its_name(void **unused)
{
    (void)unused;
    bench b;
    az_config c;
    nn_net *last;
    char dir[FILE_PATH], file[FILE_PATH], more[2 * FILE_PATH];
    bench_open(&b, "tictactoe", "net='c=16 b=1',steps=1,sims=2,fill=20,in-flight=2");
    assert_ok(file_join(dir, sizeof dir, b.root, "a:b"));
    assert_ok(file_make_dirs(dir));
    assert_ok(file_join(file, sizeof file, dir, "big.safetensors"));
    assert_ok(nn_net_save(b.net, file));
    snprintf(more, sizeof more, "teacher='%s',net='c=16 b=1',steps=1,sims=2,fill=20,in-flight=2", file);
    config_make(&b, &c, more);
    assert_ok(az_train(&(train_options){.g = b.g}, &c, NULL, &last, NULL));
    assert_non_null(strstr(last->note, "teacher = big.safetensors\n"));
    nn_net_free(last);
    bench_close(&b);
}

// Who does not know the margin can teach a network that does not learn it.
static void margins_are_asked_for_where_they_are_learned(void **unused)
{
    (void)unused;
    bench b;
    az_config c;
    nn_net *last;
    bench_open(&b, "othello", "net='c=16 b=1',steps=1,sims=2,fill=20,in-flight=2");
    const char teacher[] = "teacher='mcts:sims=2',in-flight=2,fill=20,steps=2,";
    char more[512];
    train_options o = {.g = b.g};
    snprintf(more, sizeof more, "%snet='c=16 b=1 policy=4:65 value=4:32'", teacher);
    config_make(&b, &c, more);
    assert_ok(az_train(&o, &c, NULL, &last, NULL));
    nn_net_free(last);
    snprintf(more, sizeof more, "%snet='c=16 b=1 policy=4:65 value=4:32 scalar=4:32:1'", teacher);
    config_make(&b, &c, more);
    assert_err(az_check(&o, &c), "--teacher mcts:sims=2: it does not say by how much it expects to win");
    bench_close(&b);
}

static void what_cannot_be_is_named(void **unused)
{
    (void)unused;
    bench b;
    az_config c;
    char more[FILE_PATH + 512];
    const game *other;
    const train_remote far = {0};
    bench_open(&b, "othello", "net='c=16 b=1',steps=1,sims=2,fill=20,in-flight=2");
    assert_ok(game_find("tictactoe", &other));
    train_options o = {.g = b.g};
    snprintf(more, sizeof more, "teacher=%s,net='c=16 b=1',steps=1", b.teacher);
    config_make(&b, &c, more);
    assert_ok(az_check(&o, &c));
    o.remote = &far;
    assert_err(az_check(&o, &c), "--teacher: workers elsewhere (--nats)");
    o.remote = NULL;
    c.gate = true;
    assert_err(az_check(&o, &c), "--gate chooses the weights that self-play uses");
    c.gate = false;
    c.margin = 0.4; // whatever the student has, it is the teacher who searches
    assert_err(az_check(&o, &c), "--margin needs a teacher that knows the margin");
    c.margin = 0;
    o.g = other;
    assert_err(az_check(&o, &c), "trained for othello, not for tictactoe");
    o.g = b.g;
    config_make(&b, &c, "teacher=/nowhere/net,steps=1");
    assert_err(az_check(&o, &c), "--teacher /nowhere/net");
    config_make(&b, &c, "teacher='alphabet:depth=2',steps=1");
    assert_err(az_check(&o, &c), "alphabet");
    config_make(&b, &c, "teacher='alphabeta:depth=1',steps=1,gate=yes");
    assert_err(az_check(&o, &c), "--gate chooses the weights that self-play uses");
    config_make(&b, &c, "teacher='random',steps=1"); // before there is a folder for the run
    assert_err(az_check(&o, &c), "--teacher random: it does not say what it expects of a position");
    config_make(&b, &c, "teacher='alphabeta:depth=0',steps=1");
    assert_err(az_check(&o, &c), "--teacher alphabeta:depth=0: alphabeta: depth=0 needs nodes or seconds");
    config_make(&b, &c, "teacher='alphabta',steps=1");
    assert_err(az_check(&o, &c), "--teacher alphabta: there is no such network, and unknown agent 'alphabta'");
    config_make(&b, &c, "teacher='rule',steps=1");
    assert_err(az_check(&o, &c), "'rule' does not play othello");
    config_make(&b, &c, "teacher='alphabeta:depth=1',evaluations=100");
    assert_err(az_check(&o, &c), "--evaluations counts simulations");
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_smaller_network_learns_what_the_teacher_knows),
        cmocka_unit_test(only_the_teacher_plays),
        cmocka_unit_test(a_resumed_run_ends_the_same),
        cmocka_unit_test(an_agent_teaches),
        cmocka_unit_test(results_stop_at_random_moves),
        cmocka_unit_test(owners_and_replies_stop_at_random_moves),
        cmocka_unit_test(after_a_stop_no_game_begins),
        cmocka_unit_test(the_log_of_an_agents_games_has_no_simulations),
        cmocka_unit_test(a_teachers_file_is_noted_by_its_name),
        cmocka_unit_test(margins_are_asked_for_where_they_are_learned),
        cmocka_unit_test(what_cannot_be_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
