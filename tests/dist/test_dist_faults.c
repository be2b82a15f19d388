// What happens when things break: each fault of the table in docs/DISTRIBUTED.md, on real processes. The books must agree
// afterwards: every game that a worker was told is stored counts exactly once.
#include "crew.h"
#include "dist/entry.h"

#include <sys/stat.h>

static void begin(crew *c, int workers, const char *options)
{
    crew_start(c, "");
    crew_learn(c, options);
    for (int i = 0; i < workers; i++) crew_work(c, i, "");
    wait_counted(c, 30, 60);
}

static void end(crew *c)
{
    crew_stop(c, 60);
    (void)crew_audit(c);
    crew_end(c);
}

// kill -9 of a worker, of the learner and of the server, in turn, again and again; then what the next line of work needs.
static void kills(void **unused)
{
    (void)unused;
    crew c;
    begin(&c, 3, "--minutes 100");
    double until = clock_seconds() + soak_or(12, 600);
    uint64_t before = crew_counted(&c);
    int n = 0;
    for (uint32_t r = 12345; clock_seconds() < until; n++) {
        r = r * 1664525u + 1013904223u;
        uint32_t who = n < 3 ? (uint32_t)n : r >> 24; // each kind at least once
        clock_sleep(0.4 + (double)(r >> 8 & 255) / 256 * soak_or(1, 4));
        if (who % 3 == 0) {
            int i = (int)(r >> 16) % 3;
            kill_9(&c.worker[i]);
            crew_work(&c, i, "");
        } else if (who % 3 == 1) {
            kill_9(&c.learner);
            crew_learn(&c, "--minutes 100");
        } else {
            broker_down(&c.k);
            clock_sleep((double)(r >> 12 & 15) / 16);
            broker_up(&c.k);
        }
    }
    wait_counted(&c, before + 30, 60); // the run goes on
    printf("%d kills; ", n);
    crew_stop(&c, 120);
    books b = crew_audit(&c);
    assert_int_equal(b.refused, 0);
    crew_end(&c);
}

// The workers are cut off from the server for a while, by a network namespace of their own; then the cut heals.
static void partition(void **unused)
{
    (void)unused;
    if (geteuid() != 0) skip_because("network namespaces need root");
    crew c = {0};
    char line[600], ns[32], net[24];
    int id = (int)(getpid() & 0x3fff);
    snprintf(ns, sizeof ns, "keiko%d", id);
    snprintf(net, sizeof net, "10.%d.%d", 192 + (id >> 8), id & 255);
    snprintf(line, sizeof line,
             "ip netns add %s && ip link add kv%d type veth peer name kp%d && ip link set kp%d netns %s && "
             "ip addr add %s.1/24 dev kv%d && ip link set kv%d up && ip -n %s addr add %s.2/24 dev kp%d && "
             "ip -n %s link set kp%d up",
             ns, id, id, id, ns, net, id, id, ns, net, id, ns, id);
    if (system(line) != 0) skip_because("no network namespaces here (iproute2)");
    broker_need();
    c.k.port = free_port();
    snprintf(c.k.dir, sizeof c.k.dir, "/tmp/keiko-dist-XXXXXX");
    assert_non_null(mkdtemp(c.k.dir));
    snprintf(c.k.more, sizeof c.k.more, "host: 0.0.0.0");
    snprintf(c.k.url, sizeof c.k.url, "nats://127.0.0.1:%d", c.k.port);
    broker_up(&c.k);
    snprintf(c.url, sizeof c.url, "%s", c.k.url);
    crew_learn(&c, "--minutes 100");
    snprintf(c.prefix, sizeof c.prefix, "ip netns exec %s", ns);
    snprintf(c.url, sizeof c.url, "nats://%s.1:%d", net, c.k.port);
    for (int i = 0; i < 2; i++) crew_work(&c, i, "");
    wait_counted(&c, 30, 60);
    snprintf(line, sizeof line, "ip link set kv%d down", id);
    assert_int_equal(system(line), 0);
    clock_sleep(soak_or(8, 20));
    uint64_t cut = crew_counted(&c);
    snprintf(line, sizeof line, "ip link set kv%d up", id);
    assert_int_equal(system(line), 0);
    wait_counted(&c, cut + 100, 90); // more than what waited: they play on
    crew_stop(&c, 60);
    (void)crew_audit(&c);
    crew_end(&c);
    snprintf(line, sizeof line, "ip netns del %s; ip link del kv%d 2>/dev/null", ns, id);
    (void)!system(line);
}

// A worker that sleeps for a while comes back with games of old weights: dropped, and counted.
static void slow_worker(void **unused)
{
    (void)unused;
    crew c;
    begin(&c, 2, "--minutes 100 --max-stale 3");
    kill(c.worker[0], SIGSTOP);
    uint64_t before = crew_counted(&c);
    wait_counted(&c, before + 50, 60); // the other one plays on
    clock_sleep(3);                    // generations pass
    kill(c.worker[0], SIGCONT);
    wait_counted(&c, crew_counted(&c) + 100, 60);
    crew_stop(&c, 60);
    books b = crew_audit(&c);
    assert_true(b.stale < b.counted);
    crew_end(&c);
}

// The learner sleeps; the stream fills up; workers wait and say so; then all goes on.
static void full_stream(void **unused)
{
    (void)unused;
    crew c;
    begin(&c, 2, "--minutes 100 --backlog 300");
    kill(c.learner, SIGSTOP);
    wait_for_log(&c, "w1", "is full", 60);
    kill(c.learner, SIGCONT);
    wait_counted(&c, crew_counted(&c) + 400, 60);
    wait_for_log(&c, "w1", "takes games again", 60);
    end(&c);
}

// The server's disk is full: it refuses, workers wait; with room again all goes on.
static void full_disk(void **unused)
{
    (void)unused;
    if (geteuid() != 0) skip_because("a small disk of its own needs root");
    crew c;
    char line[600];
    broker_need();
    c = (crew){.k = {.port = free_port()}};
    snprintf(c.k.dir, sizeof c.k.dir, "/tmp/keiko-dist-XXXXXX");
    assert_non_null(mkdtemp(c.k.dir));
    snprintf(c.k.url, sizeof c.k.url, "nats://127.0.0.1:%d", c.k.port);
    snprintf(c.url, sizeof c.url, "%s", c.k.url);
    snprintf(line, sizeof line, "mkdir %s/js && mount -t tmpfs -o size=24m keiko %s/js", c.k.dir, c.k.dir);
    if (system(line) != 0) {
        broker_end(&c.k);
        skip_because("cannot mount a small disk here");
    }
    broker_up(&c.k);
    crew_learn(&c, "--minutes 100 --backlog-mib 8");
    for (int i = 0; i < 2; i++) crew_work(&c, i, "");
    wait_counted(&c, 30, 60);
    snprintf(line, sizeof line, "dd if=/dev/zero of=%s/js/ballast bs=64k 2>/dev/null", c.k.dir);
    (void)!system(line); // until the disk is full
    clock_sleep(4);
    uint64_t stuck = crew_counted(&c);
    snprintf(line, sizeof line, "rm %s/js/ballast", c.k.dir);
    assert_int_equal(system(line), 0);
    // nats-server 2.9 needs a restart before it writes again
    broker_down(&c.k);
    broker_up(&c.k);
    wait_counted(&c, stuck + 50, 90);
    crew_stop(&c, 60);
    (void)crew_audit(&c);
    kill_9(&c.learner);
    broker_down(&c.k);
    snprintf(line, sizeof line, "umount %s/js", c.k.dir);
    (void)!system(line);
    crew_end(&c);
}

// Garbage, a damaged game and a game of another run in the stream: left out, counted, named in the log.
static void foreign_messages(void **unused)
{
    (void)unused;
    crew c;
    begin(&c, 1, "--minutes 100");
    bus *b = bus_of(&c.k);
    bus_reader *in;
    bus_message m;
    bool got = false;
    assert_ok(bus_put(b, "keiko.r.games.stranger", "f1", "hello", 5, NULL));
    assert_ok(bus_reader_open(&in, b, "keiko-r-games", "keiko.r.games.*", true, 1));
    for (int i = 0; i < 200 && (!got || m.size < 96); i++) {
        if (got) bus_message_free(&m);
        assert_ok(bus_reader_next(in, 0.2, &m, &got));
    }
    assert_true(got);
    char *copy = malloc(m.size);
    memcpy(copy, m.data, m.size);
    copy[m.size - 1] ^= 1;
    assert_ok(bus_put(b, "keiko.r.games.stranger", "f2", copy, m.size, NULL));
    memcpy(copy, m.data, m.size);
    copy[7]++; // another format
    assert_ok(bus_put(b, "keiko.r.games.stranger", "f3", copy, m.size, NULL));
    // the same game again, long after the server has forgotten its id: recognised by its number
    assert_ok(bus_put(b, "keiko.r.games.stranger", "f4", m.data, m.size, NULL));
    free(copy);
    bus_message_free(&m);
    bus_reader_close(in);
    bus_close(b);
    wait_counted(&c, crew_counted(&c) + 30, 60);
    crew_stop(&c, 60);
    books k = crew_audit(&c);
    assert_int_equal(k.refused, 3);
    assert_int_equal(k.repeated, 1);
    assert_true(log_says(&c, "learner", "is left out: this is no game of keiko"));
    crew_end(&c);
}

// A run of another version is refused with a sentence, and served as soon as it fits.
static void other_version(void **unused)
{
    (void)unused;
    crew c;
    text_buf t = {0};
    crew_start(&c, "");
    bus *b = bus_of(&c.k);
    run_entry e = {.format = DIST_FORMAT,
                   .number = 5,
                   .version = "99.0",
                   .game = "tictactoe",
                   .generation = 1,
                   .size = 1,
                   .chunk = 1,
                   .config = "sims = 3\n"};
    assert_ok(run_entry_write(&e, &t));
    assert_ok(bus_table_put(b, "run.old", text_str(&t), t.len, NULL));
    crew_work(&c, 0, "");
    wait_for_log(&c, "w1", "run old is trained by keiko 99.0", 60);
    e.format = DIST_FORMAT + 1;
    text_clear(&t);
    assert_ok(run_entry_write(&e, &t));
    assert_ok(bus_table_put(b, "run.newer", text_str(&t), t.len, NULL));
    assert_ok(bus_say(b, DIST_NEWS, "newer"));
    wait_for_log(&c, "w1", "run newer uses message format 2, this keiko format 1", 60);
    text_free(&t);
    bus_close(b);
    crew_learn(&c, "--minutes 100"); // one that fits is played
    wait_counted(&c, 30, 60);
    crew_stop(&c, 60);
    (void)crew_audit(&c);
    crew_end(&c);
}

// Clocks that are days apart: nothing here depends on them.
static void clock_skew(void **unused)
{
    (void)unused;
    if (system("command -v faketime > /dev/null 2>&1") != 0) skip_because("faketime is not installed");
#define SHIFTED(days)                                                                                                  \
    "env ASAN_OPTIONS=verify_asan_link_order=0 FAKETIME=" days "d LD_PRELOAD=$(ls /usr/lib/*/faketime/libfaketime.so.1)"
    crew c;
    begin(&c, 1, "--minutes 100 --backlog 500");
    snprintf(c.prefix, sizeof c.prefix, SHIFTED("-3"));
    crew_work(&c, 1, "");
    snprintf(c.prefix, sizeof c.prefix, SHIFTED("+3"));
    crew_work(&c, 2, "");
    wait_for_log(&c, "w3", "plays for run r", 60);
    wait_counted(&c, crew_counted(&c) + 200, 60);
    crew_stop(&c, 60);
    books b = crew_audit(&c);
    assert_int_equal(b.incarnations, 3);
    crew_end(&c);
}

// The server lost its disk: the learner makes the streams again, and what it counted stays counted.
static void lost_streams(void **unused)
{
    (void)unused;
    crew c;
    char line[600];
    begin(&c, 2, "--minutes 100");
    uint64_t before = crew_counted(&c);
    broker_down(&c.k);
    snprintf(line, sizeof line, "rm -rf %s/js", c.k.dir);
    assert_int_equal(system(line), 0);
    broker_up(&c.k);
    wait_for_log(&c, "learner", "lost the run's streams", 60);
    wait_counted(&c, before + 100, 90);
    crew_end(&c); // games that waited in the lost stream are gone: no audit
}

// Three servers that keep every game three times: any one of them may die.
static void cluster(void **unused)
{
    (void)unused;
    enum { NODES = 3 };
    broker k[NODES] = {0};
    int port[NODES];
    crew c = {0};
    char urls[100] = "", options[100];
    broker_need();
    for (int i = 0; i < NODES; i++) port[i] = free_port();
    for (int i = 0; i < NODES; i++) {
        k[i].port = free_port();
        snprintf(k[i].dir, sizeof k[i].dir, "/tmp/keiko-dist-XXXXXX");
        assert_non_null(mkdtemp(k[i].dir));
        snprintf(k[i].more, sizeof k[i].more,
                 "server_name: n%d\ncluster { name: c, listen: \"127.0.0.1:%d\", routes: [\"nats://127.0.0.1:%d\", "
                 "\"nats://127.0.0.1:%d\"] }",
                 i, port[i], port[(i + 1) % NODES], port[(i + 2) % NODES]);
        snprintf(k[i].url, sizeof k[i].url, "nats://127.0.0.1:%d", k[i].port);
        snprintf(urls + strlen(urls), sizeof urls - strlen(urls), "%s%s", i > 0 ? "," : "", k[i].url);
        broker_up(&k[i]);
    }
    c.k = k[0];
    snprintf(c.url, sizeof c.url, "%s", urls);
    snprintf(options, sizeof options, "--minutes 100 --replicas 3");
    crew_learn(&c, options);
    for (int i = 0; i < 2; i++) crew_work(&c, i, "");
    wait_counted(&c, 30, 90);
    for (int n = 0; n < soak_or(3, 12); n++) { // one node at a time; the next only when this one is back
        int i = n % NODES;
        uint64_t before = crew_counted(&c);
        broker_down(&k[i]);
        wait_counted(&c, before + 20, 90); // two are enough
        broker_up(&k[i]);
        clock_sleep(3);
    }
    crew_stop(&c, 90);
    (void)crew_audit(&c);
    kill_9(&c.learner);
    c.k.pid = 0;
    for (int i = 1; i < NODES; i++) broker_end(&k[i]);
    broker_end(&k[0]);
}

// A minute is what `make test` has for this; the rest belongs to `make soak`.
int main(void)
{
    const struct CMUnitTest few[] = {
        cmocka_unit_test(full_stream),
        cmocka_unit_test(foreign_messages),
        cmocka_unit_test(other_version),
        cmocka_unit_test(clock_skew),
    };
    const struct CMUnitTest all[] = {
        cmocka_unit_test(kills),         cmocka_unit_test(partition),  cmocka_unit_test(slow_worker),
        cmocka_unit_test(full_stream),   cmocka_unit_test(full_disk),  cmocka_unit_test(foreign_messages),
        cmocka_unit_test(other_version), cmocka_unit_test(clock_skew), cmocka_unit_test(lost_streams),
        cmocka_unit_test(cluster),
    };
    if (getenv("KEIKO_ONLY") != NULL) cmocka_set_test_filter(getenv("KEIKO_ONLY"));
    if (getenv("KEIKO_ONLY") == NULL && soak_or(1, 0)) return cmocka_run_group_tests(few, NULL, NULL);
    return cmocka_run_group_tests(all, NULL, NULL);
}
