// labels: threads
// Distillation, tiny: batches hold whole positions; a run learns, does not depend on threads, continues where it
// was stopped; the agent plays with what it made.
#include "agents/agent.h"
#include "base/file.h"
#include "base/temp_dir.h"
#include "games/puyo/puyo_solo.h"
#include "learn/distil/distil.h"
#include "learn/distil/distil_batch.h"
#include "learn/distil/label_puyo.h"
#include "nn/infer.h"
#include "run/run_log.h"
#include "test.h"

#include <math.h>

static char dir[64], data[128];

static double entropy_of(const label_sample *x, const double *v, double temperature)
{
    double p[PY_MAX_LEGAL], sum = 0, loss = 0;
    distil_probabilities(x, temperature, p);
    for (int k = 0; k < x->n; k++) sum += exp(v[k]);
    for (int k = 0; k < x->n; k++) loss -= p[k] * (v[k] - log(sum));
    return loss;
}

static void probabilities_follow_shortfalls(void **state)
{
    (void)state;
    label_sample x = {.n = 4, .value = 100, .shortfall = {40, 0, LABEL_WORST, 80}};
    double p[PY_MAX_LEGAL];
    distil_probabilities(&x, 0.04, p);
    assert_true(fabs(p[0] / p[1] - exp(-1)) < 1e-12 && fabs(p[3] / p[1] - exp(-2)) < 1e-12);
    assert_true(p[2] == 0 && fabs(p[0] + p[1] + p[3] - 1) < 1e-12);
    assert_true(fabs((double)distil_value_target(&x, 1) - log(1601) / 12) < 1e-6);
    assert_true(fabs((double)distil_value_target(&x, 0) - log(1 + 1600 * 0.96) / 12) < 1e-6);
}

// A drawn batch: whole positions, each row's group is its position, padding weighs nothing; the score by hand.
static void batches_are_positions(void **state)
{
    (void)state;
    enum { ROWS_ = 128 };
    label_set s = {0};
    distil_batch b;
    distil_score score = {0};
    uint32_t from[40];
    assert_ok(labels_read(&s, data, 40, NULL));
    for (uint32_t i = 0; i < 40; i++) from[i] = i;
    assert_ok(distil_batch_new(&b, ROWS_, AFTER_PLAIN));
    rng r = rng_at(1, 2, 3);
    distil_batch_draw(&b, &s, from, 40, true, &r);
    assert_true(b.positions > 3 && b.n <= ROWS_ && b.n > ROWS_ - PY_MAX_LEGAL);
    distil_batch_encode(&b, &s, NULL);
    distil_batch_targets(&b, &s, 0.04);
    for (int i = 0; i < ROWS_ * DISTIL_HEADS; i++) b.out[i] = (float)rng_normal(&r);
    distil_batch_score(&b, &s, &score);
    assert_int_equal((int)score.positions, b.positions);
    double loss = 0, agreed = 0, fires[3] = {0};
    for (int i = 0; i < b.positions; i++) {
        const distil_place *p = &b.place[i];
        const label_sample *x = &s.sample[p->sample];
        double v[PY_MAX_LEGAL];
        int best = 0;
        for (int k = 0; k < p->n; k++) {
            uint32_t row = p->row + (uint32_t)k;
            v[k] = (double)b.out[row * DISTIL_HEADS];
            if (v[k] > v[best]) best = k;
            assert_true(b.group[2 * row] == p->row && b.group[2 * row + 1] == p->row + p->n && b.weight[row] == 1);
        }
        loss += entropy_of(x, v, 0.04);
        agreed += x->shortfall[best] == 0;
        after_state a[PY_MAX_LEGAL];
        int choice = 0;
        after_states(&x->at, a);
        while (x->shortfall[choice] != 0) choice++;
        bool wanted = a[choice].points >= DISTIL_FIRE, done = a[best].points >= DISTIL_FIRE;
        fires[0] += wanted;
        fires[1] += wanted && done;
        fires[2] += done && !wanted;
    }
    assert_true(fabs(loss - score.entropy) < 1e-5 * loss && agreed == score.agreed);
    assert_true(fires[0] == score.to_fire && fires[1] == score.fired && fires[2] == score.fired_early);
    for (int i = b.n; i < ROWS_; i++) assert_true(b.weight[i] == 0);
    nn_desc d;
    char text[200];
    snprintf(text, sizeof text, "planes=%d scalars=%d size=13x6 mlp=8 scalar=0:0:1 scalar=0:0:1", AFTER_PLANES,
             after_scalars(AFTER_PLAIN));
    assert_ok(nn_desc_parse(text, &d));
    nn_batch batch = distil_batch_of(&b, 0.5);
    assert_ok(nn_batch_check(&d, &batch));
    distil_batch_free(&b);
    label_set_free(&s);
}

static void train(const char *run, int threads, int steps, bool resume, const char *more)
{
    run_home *r = NULL;
    distil_config c = {0};
    const game *g;
    opt_values *keep = opt_keep();
    char text[512];
    assert_ok(game_find("puyo-solo", &g));
    snprintf(text, sizeof text,
             "data = %s\nnet = mlp=32\nbatch = 256\nsteps = %d\nthreads = %d\nheldout = 0.2\nlr = 0.003\nema = 0.9\n"
             "evaluation-frequency = 40\nsave-minutes = 0\nbackend = cpu\n%s",
             data, steps, threads, more);
    assert_ok(distil_config_make(&c, g, NULL, &(config_layer){"test", text}, 1, keep));
    run_options o = {.dir = run, .game = "puyo-solo", .algo = "distil", .resume = resume, .no_events = true};
    train_options to = {.g = g};
    assert_ok(distil_check(&to, &c));
    assert_ok(run_open(&r, &o));
    to.home = r;
    train_state end;
    train_end how;
    assert_ok(distil_train(&to, &c, &end, NULL, &how));
    assert_int_equal(how, TRAIN_LIMIT);
    assert_int_equal(end.updates, steps);
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
    assert_int_equal(memcmp(x->w, y->w, x->at.n_all * sizeof *x->w) == 0, same);
    nn_net_free(x);
    nn_net_free(y);
}

static void threads_and_resume(void **state)
{
    (void)state;
    char a[100], b[100];
    snprintf(a, sizeof a, "%s/a", dir);
    snprintf(b, sizeof b, "%s/b", dir);
    train(a, 1, 80, false, "");
    train(b, 2, 50, false, "");
    same_weights(a, b, false);
    train(b, 2, 80, true, "");
    same_weights(a, b, true);
}

// The agreement of the log's last line grows with training, and what the run says is what a batch says.
static void it_learns(void **state)
{
    (void)state;
    char a[100];
    double first = 0, last = 0;
    snprintf(a, sizeof a, "%s/learns", dir);
    train(a, 2, 200, false, "encoding = ready\n");
    run_book *book = NULL;
    assert_ok(run_book_read(&book, a));
    for (int i = 0; i < run_book_count(book); i++) {
        const run_record *r = run_book_at(book, i);
        if (strcmp(r->kind, "heldout") != 0) continue;
        last = run_record_get(r, "entropy");
        if (first == 0) first = last;
    }
    run_book_free(book);
    assert_true(first > 0 && last < first - 0.1);
}

static void play_some(const char *game_name, const char *spec)
{
    union {
        py_solo solo;
        py_match match;
    } s, obs;
    const game *g;
    agent *a = NULL, *again = NULL;
    assert_ok(game_find(game_name, &g));
    assert_ok(agent_open(&a, g, spec));
    assert_ok(agent_open(&again, g, spec));
    assert_ok(g->init(&s, "", (game_key){3, 4}));
    for (int i = 0; i < 14 && !g->result(&s).over; i++) {
        agent_choice c, d;
        move_t moves[PY_MOVES];
        int seat = g->seat(&s), n = g->legal(&s, moves), k = 0;
        g->observe(&s, seat, &obs);
        agent_begin(a, (game_key){3, 4}, seat);
        agent_begin(again, (game_key){3, 4}, seat);
        assert_ok(agent_choose(a, &obs, &c));
        assert_ok(agent_choose(again, &obs, &d));
        assert_int_equal(c.move, d.move); // a function of the key
        while (k < n && moves[k] != c.move) k++;
        assert_true(k < n);
        g->play(&s, c.move, NULL);
    }
    agent_close(a);
    agent_close(again);
}

static void the_agent_plays(void **state)
{
    (void)state;
    char spec[200];
    const game *g;
    agent *a = NULL;
    snprintf(spec, sizeof spec, "afterstate:model=%s/learns/final.safetensors", dir);
    play_some("puyo-solo", spec);
    play_some("puyo", spec);
    snprintf(spec, sizeof spec, "afterstate:model=%s/a/final.safetensors,search=2,width=5,samples=4", dir);
    play_some("puyo-solo", spec);
    play_some("puyo", spec);
    assert_ok(game_find("puyo", &g));
    assert_err(agent_open(&a, g, "afterstate"), "needs a network");
    assert_err(agent_open(&a, g, "afterstate:model=puyo-dqn"), "does not value Puyo afterstates");
}

// It chooses what the network values most.
static void the_agent_takes_the_largest_value(void **state)
{
    (void)state;
    char path[200], spec[260];
    nn_net *net = NULL;
    nn_plan *plan = NULL;
    nn_scratch *scratch = NULL;
    label_set s = {0};
    distil_batch b;
    const game *g;
    agent *a = NULL;
    snprintf(path, sizeof path, "%s/a/final.safetensors", dir);
    snprintf(spec, sizeof spec, "afterstate:model=%s", path);
    assert_ok(game_find("puyo-solo", &g));
    assert_ok(agent_open(&a, g, spec));
    assert_ok(nn_net_load(&net, path));
    assert_ok(nn_plan_new(&plan, net, NULL));
    assert_ok(nn_scratch_new(&scratch, plan));
    assert_ok(labels_read(&s, data, 30, NULL));
    assert_ok(distil_batch_new(&b, 64, AFTER_PLAIN));
    for (uint32_t i = 0; i < 30; i++) {
        after_state st[PY_MAX_LEGAL];
        agent_choice c;
        const after_position *p = &s.sample[i].at;
        py_solo obs = {.field = p->field, .limit = 50, .reach = 1, .viewer = 1};
        obs.placed = 50u - p->left;
        obs.queue.colours = 4;
        memcpy(obs.window, p->pair, sizeof obs.window);
        assert_int_equal(distil_batch_list(&b, &s, &i, 1), 1);
        distil_batch_encode(&b, &s, NULL);
        nn_run(plan, scratch, b.n, b.bits, b.scalars, b.out);
        int n = after_states(p, st), best = -1;
        for (int k = 0; k < n; k++)
            if (!st[k].lost && (best < 0 || b.out[2 * k] > b.out[2 * best])) best = k;
        agent_begin(a, (game_key){1, 1}, 0);
        assert_ok(agent_choose(a, &obs, &c));
        assert_int_equal(c.move, st[best].move);
    }
    distil_batch_free(&b);
    label_set_free(&s);
    nn_scratch_free(scratch);
    nn_plan_free(plan);
    nn_net_free(net);
    agent_close(a);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *text, *says;
    } rows[] = {{"", "--data"},
                {"data = /nowhere/x.labels\n", "there is no file"},
                {"data = %s\nnet = mlp=16 scalar=0:8:2 scalar=0:8:1\n", "two scalar heads"},
                {"data = %s\ninit = puyo-dqn\n", "two scalar heads"}};
    const game *g;
    assert_ok(game_find("puyo-solo", &g));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        distil_config c = {0};
        char text[512];
        opt_values *keep = opt_keep();
        const char *at = strstr(rows[i].text, "%s");
        if (at == NULL)
            snprintf(text, sizeof text, "%s", rows[i].text);
        else
            snprintf(text, sizeof text, "%.*s%s%s", (int)(at - rows[i].text), rows[i].text, data, at + 2);
        assert_ok(distil_config_make(&c, g, NULL, &(config_layer){"test", text}, 1, keep));
        assert_err(distil_check(&(train_options){.g = g}, &c), rows[i].says);
        opt_free(keep);
    }
}

static int setup(void **state)
{
    (void)state;
    label_report r;
    if (temp_dir_make(dir) == NULL) return 1;
    snprintf(data, sizeof data, "%s/data.labels", dir);
    return label_puyo(&(label_options){.path = data,
                                       .game = "puyo-solo",
                                       .rules = "pairs=uniform,moves=12",
                                       .teacher = "beam",
                                       .width = 4,
                                       .depth = 4,
                                       .samples = 1,
                                       .noise = 0.1,
                                       .seed = 3,
                                       .positions = 1000,
                                       .threads = 2},
                      &r) != ERR_OK;
}

static int teardown(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probabilities_follow_shortfalls),
        cmocka_unit_test(batches_are_positions),
        cmocka_unit_test(threads_and_resume),
        cmocka_unit_test(it_learns),
        cmocka_unit_test(the_agent_plays),
        cmocka_unit_test(the_agent_takes_the_largest_value),
        cmocka_unit_test(bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
