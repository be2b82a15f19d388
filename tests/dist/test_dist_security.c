// TLS, NKeys, files of credentials, and the rights that the example configuration gives each role.
#include "crew.h"

static void tls(void **unused)
{
    (void)unused;
    broker k = {0};
    bus *b;
    char line[900], ca[160], other[160], cert[160], key[160];
    broker_need();
    if (system("command -v openssl > /dev/null 2>&1") != 0) skip_because("openssl is not installed");
    snprintf(k.dir, sizeof k.dir, "/tmp/keiko-dist-XXXXXX");
    assert_non_null(mkdtemp(k.dir));
    snprintf(
        line, sizeof line,
        "cd %s && for n in server client other; do openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "
        "-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout $n.key -out $n.pem 2>/dev/null || exit 1; done",
        k.dir);
    assert_int_equal(system(line), 0);
    snprintf(
        k.more, sizeof k.more,
        "tls { cert_file: \"%s/server.pem\", key_file: \"%s/server.key\", ca_file: \"%s/client.pem\", verify: true }",
        k.dir, k.dir, k.dir);
    k.port = free_port();
    snprintf(k.url, sizeof k.url, "tls://127.0.0.1:%d", k.port);
    broker_up(&k);
    snprintf(ca, sizeof ca, "%s/server.pem", k.dir);
    snprintf(other, sizeof other, "%s/other.pem", k.dir);
    snprintf(cert, sizeof cert, "%s/client.pem", k.dir);
    snprintf(key, sizeof key, "%s/client.key", k.dir);
    assert_ok(bus_open(&b, &(bus_options){.url = k.url, .ca = ca, .cert = cert, .key = key}, "test", NULL));
    bus_close(b);
    // a server that nobody we trust vouches for, a client without a certificate, and no TLS at all
    assert_int_not_equal(bus_open(&b, &(bus_options){.url = k.url, .ca = other, .cert = cert, .key = key}, "t", NULL),
                         0);
    assert_int_not_equal(bus_open(&b, &(bus_options){.url = k.url, .ca = ca}, "test", NULL), 0);
    snprintf(k.url, sizeof k.url, "nats://127.0.0.1:%d", k.port);
    assert_int_not_equal(bus_open(&b, &(bus_options){.url = k.url}, "test", NULL), 0);
    assert_err(bus_open(&b, &(bus_options){.url = k.url, .ca = "/nonexistent"}, "test", NULL), "cannot use");
    broker_end(&k);
}

// The pair of keys is the example of NATS' own documentation.
#define SEED   "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
#define PUBLIC "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"

static void nkeys(void **unused)
{
    (void)unused;
    broker k;
    bus *b;
    char file[160];
    broker_start(&k, "authorization { users: [ { nkey: " PUBLIC " } ] }");
    snprintf(file, sizeof file, "%s/user.nk", k.dir);
    assert_ok(file_write_atomic(file, SEED "\n" PUBLIC "\n", strlen(SEED PUBLIC) + 2));
    assert_ok(bus_open(&b, &(bus_options){.url = k.url, .nkey = file}, "test", NULL));
    bus_close(b);
    assert_err(bus_open(&b, &(bus_options){.url = k.url}, "test", NULL), "refuses these credentials");
    broker_end(&k);
}

// A server of an operator with accounts: users come with a signed token and its key in one file.
static void creds(void **unused)
{
    (void)unused;
    broker k = {0};
    bus *b;
    char file[160], line[400];
    broker_need();
    k.port = free_port();
    snprintf(k.dir, sizeof k.dir, "/tmp/keiko-dist-XXXXXX");
    assert_non_null(mkdtemp(k.dir));
    snprintf(line, sizeof line, "cp %s/tests/dist/jwt.conf %s/", KEIKO_SOURCE, k.dir);
    assert_int_equal(system(line), 0);
    snprintf(k.more, sizeof k.more, "include \"jwt.conf\"");
    snprintf(k.url, sizeof k.url, "nats://127.0.0.1:%d", k.port);
    broker_up(&k);
    assert_ok(
        bus_open(&b, &(bus_options){.url = k.url, .creds = KEIKO_SOURCE "/tests/dist/worker.creds"}, "test", NULL));
    bus_close(b);
    assert_err(bus_open(&b, &(bus_options){.url = k.url}, "test", NULL), "refuses these credentials");
    // the same token with somebody else's key
    snprintf(file, sizeof file, "%s/stolen.creds", k.dir);
    snprintf(line, sizeof line, "sed 's/^SUA.*/" SEED "/' %s/tests/dist/worker.creds > %s", KEIKO_SOURCE, file);
    assert_int_equal(system(line), 0);
    assert_err(bus_open(&b, &(bus_options){.url = k.url, .creds = file}, "test", NULL), "refuses these credentials");
    broker_end(&k);
}

// deploy/nats/server.conf: learner, worker and viewer can do their work, and the worker cannot touch the streams.
static void roles(void **unused)
{
    (void)unused;
    crew c = {0};
    char line[600], log[200];
    broker_need();
    c.k.port = free_port();
    snprintf(c.k.dir, sizeof c.k.dir, "/tmp/keiko-dist-XXXXXX");
    assert_non_null(mkdtemp(c.k.dir));
    snprintf(line, sizeof line,
             "sed '/^tls {/,/^}/d; /^jetstream {/,/^}/d; /^port/d; s/$LEARNER_PASSWORD/a/; s/$WORKER_PASSWORD/b/; "
             "s/$VIEWER_PASSWORD/c/' %s/deploy/nats/server.conf > %s/users.conf",
             KEIKO_SOURCE, c.k.dir);
    assert_int_equal(system(line), 0);
    snprintf(c.k.more, sizeof c.k.more, "include \"users.conf\"");
    broker_up(&c.k);
    snprintf(c.k.url, sizeof c.k.url, "nats://learner:a@127.0.0.1:%d", c.k.port);
    snprintf(c.url, sizeof c.url, "%s", c.k.url);
    crew_learn(&c, "--minutes 100");
    wait_for_log(&c, "learner", "run r on the server", 60); // a worker may not make the table
    snprintf(c.url, sizeof c.url, "nats://worker:b@127.0.0.1:%d", c.k.port);
    crew_work(&c, 0, "");
    wait_counted(&c, 50, 60);
    crew_log(&c, "bench", log);
    const char *bench = "%s bench -g tictactoe -p 'random;greedy' -n 20 --nats %s -o %s/b.json";
    assert_int_equal(reap(shell(log, bench, KEIKO_PROGRAM, c.k.url, c.k.dir), 90), 0);
    crew_log(&c, "view", log);
    snprintf(line, sizeof line, "nats://viewer:c@127.0.0.1:%d", c.k.port);
    assert_int_equal(reap(shell(log, "%s workers --nats %s", KEIKO_PROGRAM, line), 60), 0);
    assert_true(log_says(&c, "view", "w1 "));
    crew_stop(&c, 60);
    (void)crew_audit(&c);
    assert_false(log_says(&c, "nats", "Violation"));
    bus *b;
    assert_ok(bus_open(&b, &(bus_options){.url = c.url}, "test", NULL));
    assert_int_not_equal(bus_stream_remove(b, "keiko-r-games"), ERR_OK);
    assert_int_not_equal(bus_stream_purge(b, "keiko-r-games", NULL, 0), ERR_OK);
    bus_close(b);
    assert_true(log_says(&c, "nats", "Violation"));
    crew_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tls),
        cmocka_unit_test(nkeys),
        cmocka_unit_test(creds),
        cmocka_unit_test(roles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
