// Learners and workers of a NATS server through the API: who, where, how fast; live; across a restart of NATS. labels: threads
#include "ask.h"
#include "dist/crew.h"
#include "dist/status.h"

enum { PATIENCE = 120 }; // seconds, on a busy machine with sanitizers

static void until(const char *part)
{
    for (double start = clock_seconds(); clock_seconds() - start < PATIENCE; clock_sleep(0.1)) {
        asks("GET", "/workers", NULL, 200);
        if (strstr(the_answer, part) != NULL) return;
    }
    fail_msg("/workers never had %s: %.2000s", part, the_answer);
}

static void without_nats_it_says_so(void **state)
{
    (void)state;
    assert_non_null(temp_dir_make(the_dir));
    api_is_opened();
    refuses("GET", "/workers", NULL, 404, "--nats");
    refuses("GET", "/workers/events", NULL, 404, "--nats");
    asks("GET", "/machine", NULL, 200);
    answered("\"nats\":false");
    close_the_api(NULL);
}

static void workers_are_shown(void **state)
{
    (void)state;
    char buf[1 << 16] = "";
    stream *listener = NULL;
    crew c;
    crew_start(&c, "");
    assert_non_null(temp_dir_make(the_dir));
    assert_ok(api_open(&the_api, &(api_options){.data = the_dir, .nats = &(bus_options){.url = c.url}}));
    until("\"connected\":true,\"message\":null,\"items\":[]");
    assert_ok(hub_listen(the_api->events, FLEET_TOPIC, &listener, 0));
    crew_learn(&c, "--minutes 30");
    until("\"kind\":\"learner\",\"name\":\"r\"");
    crew_work(&c, 0, "");
    until("\"kind\":\"worker\",\"name\":\"w1\"");
    until("\"state\":\"plays\"");
    char host[DIST_HOST];
    answered(dist_host(host));
    answered("\"generation\":");
    answered("\"positions-s\":");
    answered("\"lag\":");
    size_t n = 0;
    for (long k; n + 1 < sizeof buf && (k = stream_read(listener, buf + n, sizeof buf - 1 - n, NULL, NULL)) > 0;)
        n += (size_t)k;
    buf[n] = 0;
    stream_close(listener);
    if (strstr(buf, "event: workers\ndata: {\"connected\":true,") == NULL || strstr(buf, "\"name\":\"w1\"") == NULL)
        fail_msg("the stream had: %s", buf);

    // NATS goes and comes back: so does the list
    kill_9(&c.worker[0]);
    kill_9(&c.learner);
    broker_down(&c.k);
    until("\"connected\":false,\"message\":\"the connection to NATS is lost\"");
    until("\"items\":[]"); // who is silent for some seconds is gone
    broker_up(&c.k);
    until("\"connected\":true");
    crew_work(&c, 0, "");
    until("\"name\":\"w2\"");
    double start = clock_seconds();
    close_the_api(NULL);
    assert_true(clock_seconds() - start < 10);
    crew_end(&c);
}

// A NATS server that is not there yet does not keep the page from being served, and is found when it comes.
static void a_late_nats_is_found(void **state)
{
    (void)state;
    broker k;
    broker_start(&k, "");
    broker_down(&k);
    assert_non_null(temp_dir_make(the_dir));
    assert_ok(api_open(&the_api, &(api_options){.data = the_dir, .nats = &(bus_options){.url = k.url}}));
    asks("GET", "/machine", NULL, 200);
    answered("\"nats\":true");
    asks("GET", "/workers", NULL, 200);
    answered("\"connected\":false,\"message\":\"");
    broker_up(&k);
    until("\"connected\":true");
    close_the_api(NULL);
    broker_end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_nats_it_says_so),
        cmocka_unit_test(workers_are_shown),
        cmocka_unit_test(a_late_nats_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
