// Streams, table, plain messages and jobs on a real nats-server, also across its death. labels: threads
#include "broker.h"

static const bus_stream games = {.name = "g", .subject = "g.*"};

static bool always(void *ctx, const char *why, double seconds)
{
    if (ctx != NULL) snprintf(ctx, 300, "%s", why);
    return seconds < 20;
}
static const bus_patience patience = {always, NULL};

static void put_number(bus *b, int i)
{
    char id[20], text[20];
    snprintf(id, sizeof id, "id%d", i);
    snprintf(text, sizeof text, "%d", i);
    assert_ok(bus_put(b, "g.a", id, text, strlen(text), &patience));
}

static int next_number(bus_reader *r, uint64_t *sequence)
{
    bus_message m;
    bool got = false;
    for (int i = 0; i < 100 && !got; i++) assert_ok(bus_reader_next(r, 0.2, &m, &got));
    assert_true(got);
    char text[20];
    snprintf(text, sizeof text, "%.*s", (int)m.size, m.data);
    if (sequence != NULL) *sequence = m.sequence;
    bus_message_free(&m);
    return atoi(text);
}

static void streams_keep_the_order(void **unused)
{
    (void)unused;
    broker k;
    broker_start(&k, "");
    bus *b = bus_of(&k);
    bus_reader *r, *late;
    bus_stream_state st;
    bus_message m;
    bool got;
    assert_ok(bus_stream_make(b, &games));
    assert_ok(bus_stream_make(b, &games)); // again is fine
    for (int i = 1; i <= 50; i++) put_number(b, i);
    put_number(b, 50); // the same id: stored once
    assert_ok(bus_stream_look(b, "g", &st));
    assert_int_equal(st.last, 50);
    assert_ok(bus_reader_open(&r, b, "g", "g.*", true, 1));
    for (int i = 1; i <= 50; i++) assert_int_equal(next_number(r, NULL), i);
    assert_ok(bus_reader_next(r, 0.05, &m, &got));
    assert_false(got);
    // from the middle, and after a purge from what is left
    uint64_t at;
    assert_ok(bus_reader_open(&late, b, "g", "g.*", true, 21));
    assert_int_equal(next_number(late, &at), 21);
    assert_int_equal(at, 21);
    bus_reader_close(late);
    assert_ok(bus_stream_purge(b, "g", NULL, 31));
    assert_ok(bus_reader_open(&late, b, "g", "g.*", true, 21));
    assert_int_equal(next_number(late, &at), 31);
    assert_int_equal(at, 31);
    bus_reader_close(late);
    for (int i = 51; i <= 53; i++) put_number(b, i);
    for (int i = 51; i <= 53; i++) assert_int_equal(next_number(r, NULL), i);
    // the server dies: the reader goes on where it was
    put_number(b, 54);
    broker_down(&k);
    broker_up(&k);
    for (int i = 55; i <= 60; i++) put_number(b, i);
    for (int i = 54; i <= 60; i++) assert_int_equal(next_number(r, NULL), i);
    bus_reader_close(r);
    assert_err(bus_stream_look(b, "none", &st), "no stream none");
    assert_err(bus_stream_make(b, &(bus_stream){.name = "g", .subject = "h.*"}), "other subjects");
    assert_ok(bus_stream_remove(b, "g"));
    assert_ok(bus_stream_remove(b, "g"));
    bus_close(b);
    broker_end(&k);
}

static bool a_few_times(void *ctx, const char *why, double seconds)
{
    char *said = ctx;
    (void)seconds;
    snprintf(said, 300, "%s", why);
    return said[299]++ < 3;
}

static void full_streams_refuse(void **unused)
{
    (void)unused;
    broker k;
    broker_start(&k, "");
    bus *b = bus_of(&k);
    char said[300] = "", big[2000];
    memset(big, 'x', sizeof big);
    assert_ok(bus_stream_make(b, &(bus_stream){.name = "g", .subject = "g.*", .max_bytes = 5000}));
    assert_ok(bus_put(b, "g.a", "1", big, sizeof big, NULL));
    assert_ok(bus_put(b, "g.a", "2", big, sizeof big, NULL));
    assert_err(bus_put(b, "g.a", "3", big, sizeof big, &(bus_patience){a_few_times, said}), "is full");
    assert_int_equal(said[299], 4);
    // more room: an update of the same stream
    assert_ok(bus_stream_make(b, &(bus_stream){.name = "g", .subject = "g.*", .max_bytes = 50000, .max_messages = 3}));
    assert_ok(bus_put(b, "g.a", "3", big, sizeof big, NULL));
    assert_err(bus_put(b, "g.a", "4", "x", 1, NULL), "is full");
    assert_ok(bus_stream_purge(b, "g", NULL, 3));
    assert_ok(bus_put(b, "g.a", "4", "x", 1, NULL));
    char *huge = calloc(1, 2 << 20);
    assert_err(bus_put(b, "g.a", "5", huge, 2 << 20, &patience), "larger than");
    free(huge);
    assert_int_not_equal(bus_put(b, "nobody.keeps.this", "6", "x", 1, NULL), ERR_OK);
    bus_close(b);
    broker_end(&k);
}

static void table_and_plain_messages(void **unused)
{
    (void)unused;
    broker k;
    broker_start(&k, "");
    bus *b = bus_of(&k), *c = bus_of(&k);
    text_buf t = {0};
    bool found, got;
    char **keys;
    int n;
    assert_ok(bus_table_get(b, "run.a", &t, &found));
    assert_false(found);
    assert_ok(bus_table_put(b, "run.a", "one", 3, NULL));
    assert_ok(bus_table_put(b, "run.a", "two", 3, NULL));
    assert_ok(bus_table_put(b, "bench.b", "three", 5, NULL));
    assert_ok(bus_table_get(c, "run.a", &t, &found));
    assert_true(found);
    assert_string_equal(text_str(&t), "two");
    assert_ok(bus_table_keys(c, "run.", &keys, &n));
    assert_int_equal(n, 1);
    assert_string_equal(keys[0], "run.a");
    bus_table_keys_free(keys, n);
    assert_ok(bus_table_remove(b, "run.a"));
    assert_ok(bus_table_get(c, "run.a", &t, &found));
    assert_false(found);
    bus_ear *l;
    bus_message m;
    assert_ok(bus_listen(&l, c, "news.*"));
    assert_ok(bus_say(b, "news.x", "hello"));
    assert_ok(bus_hear(l, 5, &m, &got));
    assert_true(got);
    assert_memory_equal(m.data, "hello", 5);
    bus_message_free(&m);
    assert_ok(bus_hear(l, 0, &m, &got));
    assert_false(got);
    bus_ear_close(l);
    text_free(&t);
    bus_close(b);
    bus_close(c);
    broker_end(&k);
}

static void jobs_come_back(void **unused)
{
    (void)unused;
    broker k;
    broker_start(&k, "");
    bus *b = bus_of(&k);
    bus_jobs *a, *c;
    bus_job *x, *y;
    size_t n;
    assert_ok(bus_stream_make(b, &(bus_stream){.name = "q", .subject = "q.*", .queue = true}));
    assert_ok(bus_put(b, "q.1", "1", "first", 5, NULL));
    assert_ok(bus_jobs_open(&a, b, "q", "q.*", 1));
    assert_ok(bus_jobs_open(&c, b, "q", "q.*", 1));
    assert_ok(bus_job_take(a, 2, &x));
    assert_non_null(x);
    assert_memory_equal(bus_job_data(x, &n), "first", 5);
    assert_ok(bus_job_take(c, 0.2, &y));
    assert_null(y);                // one has it
    for (int i = 0; i < 10; i++) { // and says so for longer than a second
        clock_sleep(0.2);
        bus_job_at_work(x);
    }
    assert_ok(bus_job_take(c, 0.2, &y));
    assert_null(y);
    clock_sleep(1.2); // silence: it goes to the other
    assert_ok(bus_job_take(c, 3, &y));
    assert_non_null(y);
    bus_job_later(y, 0);
    assert_ok(bus_job_take(c, 3, &y));
    assert_non_null(y);
    assert_ok(bus_job_done(y));
    (void)bus_job_done(x);
    assert_ok(bus_job_take(a, 0.3, &x));
    assert_null(x);
    bus_jobs_close(a);
    bus_jobs_close(c);
    bus_close(b);
    broker_end(&k);
}

static void credentials(void **unused)
{
    (void)unused;
    broker k;
    bus *b;
    char url[256], file[200];
    broker_start(&k, "authorization { user: ann, password: secret }");
    assert_err(bus_open(&b, &(bus_options){.url = k.url}, "test", &patience), "refuses these credentials");
    snprintf(url, sizeof url, "nats://ann:secret@127.0.0.1:%d", k.port);
    assert_ok(bus_open(&b, &(bus_options){.url = url}, "test", NULL));
    bus_stream_state st;
    assert_err(bus_stream_look(b, "none", &st), "127.0.0.1");
    assert_null(strstr(err_text(), "secret"));
    bus_close(b);
    snprintf(file, sizeof file, "%s/url", k.dir);
    strcat(url, "\n");
    assert_ok(file_write_atomic(file, url, strlen(url)));
    snprintf(url, sizeof url, "@%s", file);
    assert_ok(bus_open(&b, &(bus_options){.url = url}, "test", NULL));
    bus_close(b);
    assert_err(bus_open(&b, &(bus_options){.url = "@/nonexistent"}, "test", NULL), "--nats");
    assert_err(bus_open(&b, &(bus_options){.url = k.url, .cert = "x"}, "test", NULL), "belong together");
    assert_err(bus_open(&b, &(bus_options){.url = k.url, .nkey = file}, "test", NULL), "no public key");
    broker_end(&k);
    broker_start(&k, "authorization { token: s3cr3t }");
    snprintf(url, sizeof url, "nats://s3cr3t@127.0.0.1:%d", k.port);
    assert_ok(bus_open(&b, &(bus_options){.url = url}, "test", NULL));
    bus_close(b);
    broker_end(&k);
    assert_err(bus_open(&b, &(bus_options){.url = k.url}, "test", NULL), "cannot connect");
}

static void no_jetstream(void **unused)
{
    (void)unused;
    broker_need();
    broker k = {.port = free_port()};
    bus *b;
    char port[10], url[64];
    snprintf(port, sizeof port, "%d", k.port);
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", k.port);
    char *argv[] = {"nats-server", "-a", "127.0.0.1", "-p", port, NULL};
    k.pid = spawn(NULL, argv);
    for (int i = 0; i < 200 && !answers(k.port); i++) clock_sleep(0.02);
    assert_err(bus_open(&b, &(bus_options){.url = url}, "test", NULL), "nats-server --jetstream");
    broker_down(&k);
}

// A URL is shown without the name and the password in it.
static void secrets_are_not_shown(void **unused)
{
    (void)unused;
    static const char *const rows[][2] = {{"nats://me:secret@127.0.0.1:1", "(nats://127.0.0.1:1)"},
                                          {"me:secret@127.0.0.1:1", "(127.0.0.1:1)"},
                                          {"nats://127.0.0.1:1", "(nats://127.0.0.1:1)"}};
    if (!bus_built()) skip_because("built without libnats");
    for (int i = 0; i < 3; i++) {
        bus *b = NULL;
        assert_err(bus_open(&b, &(bus_options){.url = rows[i][0]}, "test", NULL), rows[i][1]);
        assert_null(strstr(err_text(), "secret"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secrets_are_not_shown), cmocka_unit_test(streams_keep_the_order),
        cmocka_unit_test(full_streams_refuse),   cmocka_unit_test(table_and_plain_messages),
        cmocka_unit_test(jobs_come_back),        cmocka_unit_test(credentials),
        cmocka_unit_test(no_jetstream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
