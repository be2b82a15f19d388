// Learner, workers and bench in one process, so that ThreadSanitizer sees all their threads. labels: threads
#include "app/train.h"
#include "base/stop.h"
#include "broker.h"
#include "dist/jobs.h"
#include "dist/worker.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct hand {
    dist_worker_options o;
    dist_worker_end end;
    err e;
    char why[300];
    pthread_t thread;
} hand;

static void *work(void *ctx)
{
    hand *h = ctx;
    h->e = dist_worker_run(&h->o, &h->end);
    if (h->e != ERR_OK) snprintf(h->why, sizeof h->why, "%s", err_text());
    return NULL;
}

static void hire(hand *h, const broker *k, const char *name)
{
    h->o.nats.url = k->url;
    h->o.name = name;
    h->o.threads = 2;
    h->o.backend = "cpu";
    h->o.jobs = true;
    h->o.version = "test";
    assert_int_equal(pthread_create(&h->thread, NULL, work, h), 0);
}

static void dismiss(hand *h)
{
    pthread_join(h->thread, NULL);
    if (h->e != ERR_OK) fail_msg("a worker ended: %s", h->why);
}

static void games_reach_the_learner(void **unused)
{
    (void)unused;
    broker k;
    char dir[200];
    hand w[2] = {{.o = {.games = 400}}, {.o = {.games = 400}}};
    const game *g;
    broker_start(&k, "");
    snprintf(dir, sizeof dir, "%s/run", k.dir);
    assert_ok(game_find("tictactoe", &g));
    hire(&w[0], &k, "a");
    hire(&w[1], &k, "b");
    const config_layer layer = {"test", "net = c=8 b=1\nin-flight = 16\nsims = 8\nround = 40\nbatch = 32\nfill = 100\n"
                                        "samples = 1\nthreads = 2\ngames = 600\neval-every = 0\nasync = yes\n"};
    dist_learner_options o = {.nats = {.url = k.url},
                              .play = true,
                              .max_stale = 1000,
                              .backlog = 10000,
                              .backlog_mib = 64,
                              .replicas = 1,
                              .every = 0.2,
                              .version = "test"};
    train_result r;
    assert_ok(train_run(&(train_request){.g = g, .layers = &layer, .n_layers = 1, .run = dir, .dist = &o}, &r));
    assert_true(r.s.games >= 600);
    assert_true(r.s.step > 0);
    for (int i = 0; i < 2; i++) {
        dismiss(&w[i]);
        assert_true(w[i].end.games >= 400);
        assert_int_equal(w[i].end.left, 0);
    }
    broker_end(&k);
}

// --- matches

enum { GAMES = 60 };
typedef struct played {
    match_record r[GAMES];
    uint64_t moves[GAMES]; // a hash of them
    int times[GAMES];
    pthread_mutex_t lock;
    int stop_after, n;
} played;

static bool plan(void *ctx, uint64_t i, match_game *out)
{
    (void)ctx;
    *out = (match_game){.id = i, .player = {(uint16_t)(i % 2), (uint16_t)(1 - i % 2)}, .opening = (uint32_t)i / 2};
    return i % 7 != 3; // some are there already
}

static bool done(void *ctx, const match_record *r, int n)
{
    played *p = ctx;
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < n; i++) {
        uint64_t id = r[i].what.id, h = 0;
        for (int k = 0; k < r[i].plies; k++) h = rng_mix(h ^ r[i].moves[k]);
        p->r[id] = r[i];
        p->moves[id] = h;
        p->times[id]++;
        p->n++;
    }
    bool go_on = p->stop_after == 0 || p->n < p->stop_after;
    pthread_mutex_unlock(&p->lock);
    return go_on;
}

static void matches_are_the_same_elsewhere(void **unused)
{
    (void)unused;
    broker k;
    hand w[2] = {0};
    static played here, there, early;
    const game *g;
    openings set = {0};
    dist_bench *d;
    broker_start(&k, "");
    assert_ok(game_find("tictactoe", &g));
    assert_ok(openings_random(&set, g, 20, 3));
    const match_player players[2] = {{.name = "m", .spec = "mcts:sims=20"}, {.name = "r", .spec = "random"}};
    match_options o = {
        .g = g, .players = players, .n_players = 2, .set = &set, .seed = 9, .threads = 2, .no_clock = true};
    pthread_mutex_init(&here.lock, NULL);
    pthread_mutex_init(&there.lock, NULL);
    pthread_mutex_init(&early.lock, NULL);
    assert_ok(match_run(&o, GAMES, plan, done, &here));
    hire(&w[0], &k, "a");
    hire(&w[1], &k, "b");
    assert_ok(dist_bench_open(&d, &(bus_options){.url = k.url}, "test", NULL));
    assert_ok(dist_bench_run(d, &o, GAMES, plan, done, &there));
    for (int i = 0; i < GAMES; i++) {
        assert_int_equal(there.times[i], here.times[i]);
        assert_int_equal(there.r[i].halves, here.r[i].halves);
        assert_int_equal(there.r[i].reason, here.r[i].reason);
        assert_int_equal(there.r[i].plies, here.r[i].plies);
        assert_true(there.moves[i] == here.moves[i]);
        assert_int_equal(there.r[i].side[0].choices, here.r[i].side[0].choices);
    }
    early.stop_after = 8; // whoever watches has seen enough
    assert_err(dist_bench_run(d, &o, GAMES, plan, done, &early), "stopped before its end");
    assert_true(early.n >= 8 && early.n < GAMES);
    dist_bench_close(d);
    // nothing is left in the queue
    bus *b = bus_of(&k);
    bus_stream_state st;
    for (int i = 0; i < 100; i++) {
        assert_ok(bus_stream_look(b, "keiko-jobs", &st));
        if (st.messages == 0) break;
        clock_sleep(0.1);
    }
    assert_int_equal(st.messages, 0);
    bus_close(b);
    stop_request();
    for (int i = 0; i < 2; i++) dismiss(&w[i]);
    stop_reset();
    openings_free(&set);
    broker_end(&k);
}

// A bench of another version is not played by this worker; the job stays for others.
static void another_version_plays_no_match(void **unused)
{
    (void)unused;
    broker k;
    hand w = {0};
    const game *g;
    dist_bench *d;
    broker_start(&k, "");
    assert_ok(game_find("tictactoe", &g));
    const match_player players[2] = {{.name = "a", .spec = "random"}, {.name = "r", .spec = "random"}};
    match_options o = {.g = g, .players = players, .n_players = 2, .seed = 9, .no_clock = true};
    assert_ok(dist_bench_open(&d, &(bus_options){.url = k.url}, "another", NULL));
    text_buf t = {0};
    assert_ok(job_setup_write(&o, "another", &t));
    bus *b = bus_of(&k);
    assert_ok(bus_table_put(b, "bench.x", t.data, t.len, NULL));
    text_clear(&t);
    job_head h = {.bench = "x", .number = 1, .games = 1};
    match_game one = {.id = 1, .player = {0, 1}};
    assert_ok(job_write(&h, &one, &t));
    assert_ok(bus_put(b, "keiko.jobs.x", "1", t.data, t.len, NULL));
    assert_ok(bus_put(b, "keiko.jobs.x", "2", "garbage", 7, NULL)); // dropped
    hire(&w, &k, "a");
    bus_stream_state st = {0};
    for (int i = 0; i < 100 && st.messages != 1; i++) {
        clock_sleep(0.1);
        assert_ok(bus_stream_look(b, "keiko-jobs", &st));
    }
    assert_int_equal(st.messages, 1);
    stop_request();
    dismiss(&w);
    stop_reset();
    assert_int_equal(w.end.jobs, 0);
    text_free(&t);
    bus_close(b);
    dist_bench_close(d);
    broker_end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games_reach_the_learner),
        cmocka_unit_test(matches_are_the_same_elsewhere),
        cmocka_unit_test(another_version_plays_no_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
