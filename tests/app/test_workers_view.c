// Who works on a server: what learners and workers say is kept by name, in order, until they are silent, and shown as a table and as
// JSON. On a real nats-server.
#include "../dist/broker.h"
#include "app/workers.h"
#include "base/listed.h"
#include "dist/entry.h"

static void say(bus *b, const dist_status *s)
{
    text_buf t = {0};
    char subject[100];
    assert_ok(dist_status_write(s, &t));
    snprintf(subject, sizeof subject, DIST_STATUS "%s", s->name);
    assert_ok(bus_say(b, subject, text_str(&t)));
    text_free(&t);
}

static void put_view(text_buf *t, const char *title, const workers_view *v)
{
    text_buf one = {0};
    json_writer w = json_begin(&one, true);
    workers_json(v, &w);
    assert_ok(json_finish(&w));
    text_printf(t, "==== %s\n", title);
    assert_ok(workers_table(v, t));
    text_printf(t, "%s\n", text_str(&one));
    text_free(&one);
}

static void who_works(void **unused)
{
    (void)unused;
    static const dist_status learner = {.kind = "learner",
                                        .name = "r",
                                        .host = "here",
                                        .version = "1",
                                        .run = "r",
                                        .backend = "",
                                        .state = "learns",
                                        .process = 7,
                                        .generation = 12,
                                        .step = 34567,
                                        .games = 890,
                                        .games_s = 1.5,
                                        .positions_s = 44.25,
                                        .lag = 3,
                                        .stale = 4,
                                        .repeated = 5,
                                        .refused = 6,
                                        .positions = 7000,
                                        .workers = 2,
                                        .uptime = 60};
    dist_status worker = {.kind = "worker",
                          .name = "w2",
                          .host = "there",
                          .version = "1",
                          .run = "r",
                          .backend = "cpu",
                          .state = "plays",
                          .process = 8,
                          .threads = 4,
                          .generation = 12,
                          .games = 20,
                          .games_s = 0.5,
                          .positions_s = 10,
                          .sims_s = 1234,
                          .lag = 1,
                          .uptime = 30};
    broker k;
    text_buf t = {0};
    workers_link *l;
    workers_view v = {0};
    atomic_bool stop = false;
    broker_start(&k, "");
    bus *b = bus_of(&k);
    assert_ok(workers_open(&l, &(bus_options){.url = k.url}, NULL));
    assert_true(workers_connected(l));
    assert_ok(workers_listen(l, &v, 0.05, NULL));
    put_view(&t, "nobody", &v);
    say(b, &worker);
    say(b, &learner);
    worker.name = "w1";
    worker.state = "waits: the stream is full\x1b[31m";
    say(b, &worker);
    assert_ok(bus_say(b, DIST_STATUS "stranger", "hello"));
    for (int i = 0; i < 100 && v.n < 3; i++) assert_ok(workers_listen(l, &v, 0.05, &stop));
    put_view(&t, "a learner and two workers", &v);
    // the newest word of each counts
    worker.games_s = 2;
    worker.state = "plays";
    say(b, &worker);
    for (int i = 0; i < 100 && !(v.row[1].s.games_s > 1); i++) assert_ok(workers_listen(l, &v, 0.05, NULL));
    assert_int_equal(v.n, 3);
    put_view(&t, "one has news", &v);
    stop = true; // whoever asks for an end does not wait
    double begun = clock_seconds();
    assert_ok(workers_listen(l, &v, 60, &stop));
    assert_true(clock_seconds() - begun < 30);
    assert_int_equal(v.n, 3);
    v.row[2].heard -= 7; // silent for a while, but not gone
    assert_ok(workers_listen(l, &v, 0, NULL));
    assert_int_equal(v.n, 3);
    v.row[0].heard -= 9; // the learner is
    assert_ok(workers_listen(l, &v, 0, NULL));
    assert_int_equal(v.n, 2);
    put_view(&t, "no learner any more", &v);
    workers_view_free(&v);
    assert_int_equal(v.n, 0);
    assert_err(workers_remove_run(l, "a.b"), "'a.b' cannot name a run");
    assert_ok(bus_table_put(b, "run.r", "x", 1, NULL));
    assert_ok(workers_remove_run(l, "r"));
    text_buf none = {0};
    bool found;
    assert_ok(bus_table_get(b, "run.r", &none, &found));
    assert_false(found);
    text_free(&none);
    workers_close(l);
    bus_close(b);
    broker_end(&k);
    assert_listed(&t, "app/texts/workers.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(who_works)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
