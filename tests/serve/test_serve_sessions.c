// Sessions through the API: calls, searches, stopping, storing. labels: threads
#include "ask.h"

static const char slow[] = "{\"helper\":\"mcts:sims=100000000\",\"count\":\"2\"}";

static void a_game_is_played(void **state)
{
    (void)state;
    char s[160];
    new_session("{\"game\":\"tictactoe\",\"first\":\"human\",\"second\":\"mcts:sims=50\"}", s);
    asks("POST", under(s, "play"), "{\"move\":\"b2\"}", 200);
    answered("\"last\":\"b2\"");
    asks("POST", under(s, "think"), "{}", 200);
    answered("\"choice\":{\"move\":");
    answered("\"ply\":2");
    asks("POST", under(s, "undo"), "{\"seat\":0}", 200); // a number is read as its text
    answered("\"ply\":0");
    asks("GET", s, NULL, 200);
    answered("\"thinking\":false");
    asks("POST", under(s, "export"), "{\"format\":\"text\"}", 200);
    answered("keiko tictactoe");
    asks("DELETE", s, NULL, 200);
    refuses("GET", s, NULL, 404, "no session");
}

static void stored_games_are_listed(void **state)
{
    (void)state;
    char first[160], second[160];
    new_session("{\"game\":\"othello\",\"second\":\"3\",\"moves\":\"d3\"}", first);
    new_session("{\"game\":\"tictactoe\",\"moves\":\"b2;a1\"}", second);
    asks("GET", "/sessions", NULL, 200);
    const char *a = strstr(the_answer, first + 10), *b = strstr(the_answer, second + 10);
    assert_true(a != NULL && b != NULL && b < a); // the newest first
    answered("\"game\":\"tictactoe\"");
    answered("\"plies\":2");
    clock_sleep(0.002);
    asks("POST", under(first, "resign"), "{\"seat\":\"0\"}", 200);
    the_query[0][0] = "limit", the_query[0][1] = "1";
    asks("GET", "/sessions", NULL, 200); // a change brings it to the front
    answered(first + 10);
    answered("\"end\":\"resigned\"");
    answered("\"player\":\"3\"");
    assert_null(strstr(the_answer, second + 10));
    the_query[1][0] = "from", the_query[1][1] = "1";
    asks("GET", "/sessions", NULL, 200);
    answered(second + 10);
    answered("\"from\":1");
    the_query[1][1] = "100000";
    asks("GET", "/sessions", NULL, 200);
    answered("{\"items\":[],");
    the_query[1][1] = "-1";
    refuses("GET", "/sessions", NULL, 400, "'from' must be a whole number");
    memset(the_query, 0, sizeof the_query);
    // one to think in is not stored: it plays, but nobody lists it
    char scratch[160];
    new_session("{\"game\":\"tictactoe\",\"scratch\":true,\"moves\":\"b2\"}", scratch);
    asks("POST", under(scratch, "play"), "{\"move\":\"a1\"}", 200);
    asks("GET", "/sessions", NULL, 200);
    assert_null(strstr(the_answer, scratch + 10));
    live_rest(the_api->sessions, 0);
    refuses("GET", scratch, NULL, 404, "no session");
    asks("DELETE", first, NULL, 200);
    asks("GET", "/sessions", NULL, 200);
    assert_null(strstr(the_answer, first + 10));
    asks("DELETE", second, NULL, 200);
}

// The same in memory, where a build has no SQLite.
static void games_in_memory_are_listed(void **state)
{
    (void)state;
    saved *m = NULL;
    saved_row *row = NULL;
    int n = 0;
    assert_ok(saved_open(&m, NULL, 10));
    assert_ok(saved_put(m, "a", "1", 1));
    clock_sleep(0.002);
    assert_ok(saved_put(m, "b", "2", 1));
    assert_ok(saved_list(m, 0, 5, &row, &n));
    assert_int_equal(n, 2);
    assert_string_equal(row[0].id, "b");
    assert_string_equal(row[1].text, "1");
    saved_list_free(row, n);
    assert_ok(saved_list(m, 1, 1, &row, &n));
    assert_int_equal(n, 1);
    assert_string_equal(row[0].id, "a");
    saved_list_free(row, n);
    saved_close(m);
}

static void wrong_words_are_refused(void **state)
{
    (void)state;
    char s[160];
    new_session("{\"game\":\"othello\"}", s);
    refuses("POST", under(s, "play"), "{\"move\":\"a1\"}", 400, "a1");
    refuses("POST", under(s, "play"), "{}", 400, "'move' is missing");
    refuses("POST", under(s, "play"), "{\"move\":", 400, "body");
    refuses("POST", under(s, "play"), "[1]", 400, "object");
    refuses("POST", under(s, "play"), "{\"move\":{\"a\":1}}", 400, "move");
    refuses("POST", under(s, "play"), "{\"move\":\"\\u0000\"}", 400, "body");
    refuses("POST", under(s, "goto"), "{\"node\":\"99\"}", 400, "no node");
    refuses("POST", "/sessions", "{\"game\":\"chess\"}", 400, "chess");
    refuses("POST", "/sessions", "", 400, "'game' is missing");
    refuses("POST", "/sessions", "{\"game\":\"puyo\",\"seed\":\"18446744073709551616\"}", 400,
            "to 18446744073709551615");
    asks("POST", "/sessions", "{\"game\":\"puyo\",\"seed\":9007199254740993,\"scratch\":true}", 201);
    answered("\"run\":\"20000000000001\""); // not rounded on its way
    refuses("GET", "/sessions/0123456789012345678901", NULL, 404, "no session");
    refuses("GET", "/sessions/x", NULL, 404, "no session");
    refuses("POST", under(s, "fly"), "{}", 404, "nothing at");
    refuses("DELETE", under(s, "play"), NULL, 405, "POST");
    refuses("POST", "/games", "{}", 405, "GET");
    asks("POST", under(s, "state"), "", 200); // an empty body is an empty object
    answered("\"ply\":0");
}

static void forbidden_agents_are_refused(void **state)
{
    (void)state;
    char s[160];
    refuses("POST", "/sessions", "{\"game\":\"othello\",\"second\":\"engine:gtp=ls\"}", 400, "start programs");
    refuses("POST", "/sessions", "{\"game\":\"othello\",\"second\":\"zero:model=/etc/passwd\"}", 400, "not a network");
    refuses("POST", "/sessions", "{\"text\":\"keiko othello\\n\",\"second\":\"engine:gtp=ls\"}", 400, "needs 'game'");
    // the game that agents are checked for is the record's
    refuses("POST", "/sessions",
            "{\"game\":\"tictactoe\",\"second\":\"alphabeta:weights=/etc/passwd\",\"text\":"
            "\"{\\\"keiko\\\":1,\\\"game\\\":\\\"othello\\\",\\\"at\\\":0,\\\"nodes\\\":[{\\\"id\\\":0}]}\"}",
            400, "a game of othello, not of tictactoe");
    new_session("{\"game\":\"puyo\"}", s);
    refuses("POST", under(s, "seats"), "{\"first\":\"dqn:model=/etc/passwd\"}", 400, "not a network");
    // the game in a call that has none changes nothing
    refuses("POST", under(s, "choose"), "{\"game\":\"othello\",\"agent\":\"dqn:model=/etc/passwd\"}", 400,
            "not a network");
    refuses("POST", under(s, "analyse"), "{\"helper\":\"engine:nboard=ls\"}", 400, "start programs");
}

// While one thinks: the position is shown, other verbs are refused, nobody waits; and stop ends it.
static void a_search_blocks_nobody(void **state)
{
    (void)state;
    char s[160], other[160];
    job *j = NULL;
    new_session("{\"game\":\"othello\",\"moves\":\"d3\"}", s);
    new_session("{\"game\":\"tictactoe\"}", other);
    assert_int_equal(ask_only("POST", under(s, "analyse"), slow, &j), 0);
    assert_non_null(j);
    double start = clock_seconds();
    asks("GET", s, NULL, 200);
    answered("\"thinking\":true");
    answered("\"last\":\"d3\"");
    asks("POST", under(s, "state"), "{\"viewer\":\"1\"}", 200);
    refuses("POST", under(s, "play"), "{\"move\":\"c3\"}", 409, "thinking");
    refuses("POST", under(s, "think"), "{}", 409, "thinking");
    asks("POST", under(other, "play"), "{\"move\":\"b2\"}", 200);
    assert_false(job_done(j));
    asks("POST", under(s, "stop"), "{}", 200);
    answered("{\"stopping\":true}");
    assert_int_equal(finish(j), 200);
    answered("\"analysis\":{");
    assert_true(clock_seconds() - start < 30);
    asks("POST", under(s, "stop"), "{}", 200);
    answered("{\"stopping\":false}");
    asks("POST", under(s, "play"), "{\"move\":\"c3\"}", 200);
}

static void a_session_deleted_while_it_thinks_is_gone(void **state)
{
    (void)state;
    char s[160];
    job *j = NULL;
    new_session("{\"game\":\"othello\"}", s);
    assert_int_equal(ask_only("POST", under(s, "analyse"), slow, &j), 0);
    asks("DELETE", s, NULL, 200);
    refuses("GET", s, NULL, 404, "no session");
    finish(j);
    refuses("GET", s, NULL, 404, "no session");
}

static void a_search_ends_at_its_limit(void **state)
{
    (void)state;
    char s[160];
    new_session("{\"game\":\"othello\"}", s);
    the_api->think = 0.3;
    double start = clock_seconds();
    asks("POST", under(s, "analyse"), slow, 200);
    answered("\"analysis\":{");
    assert_true(clock_seconds() - start < 20);
    the_api->think = 60;
}

static void many_searches_wait_their_turn(void **state)
{
    (void)state;
    enum { N = 12 };
    job *j[N] = {0};
    char s[N][160];
    for (int i = 0; i < N; i++) {
        new_session("{\"game\":\"tictactoe\",\"second\":\"mcts:sims=200\",\"moves\":\"b2\"}", s[i]);
        assert_int_equal(ask_only("POST", under(s[i], "think"), "{}", &j[i]), 0);
    }
    for (int i = 0; i < N; i++) {
        assert_int_equal(finish(j[i]), 200);
        answered("\"ply\":2");
    }
    for (double until = clock_seconds() + 20; workers_busy(the_api->searches) > 0 && clock_seconds() < until;)
        clock_sleep(0.001); // the answer is there a moment before its worker is free
    assert_int_equal(workers_busy(the_api->searches), 0);
}

// The same game, with variations, marks, agents and the same numbers, after the server has gone.
static void games_survive(void **state)
{
    (void)state;
    char s[160];
    static char before[1 << 16];
    new_session("{\"game\":\"tictactoe\",\"second\":\"3\",\"firstName\":\"Ada\",\"moves\":\"b2;a1;c3\"}", s);
    asks("POST", under(s, "goto"), "{\"node\":\"1\"}", 200);
    asks("POST", under(s, "play"), "{\"move\":\"c1\"}", 200);  // node 4
    asks("POST", under(s, "play"), "{\"move\":\"a3\"}", 200);  // node 5
    asks("POST", under(s, "delete"), "{\"node\":\"3\"}", 200); // a gap in the numbers
    asks("POST", under(s, "note"), "{\"node\":\"2\",\"mark\":\"?!\",\"comment\":\"slow\"}", 200);
    asks("GET", s, NULL, 200);
    answered("\"at\":5");
    snprintf(before, sizeof before, "%.65000s", the_answer);
    api_close(the_api);
    api_is_opened();
    asks("GET", s, NULL, 200);
    assert_string_equal(the_answer, before);
    asks("POST", under(s, "goto"), "{\"node\":\"2\"}", 200);
    answered("\"last\":\"a1\"");
    asks("POST", under(s, "play"), "{\"move\":\"c3\"}", 200);
    answered("\"at\":3"); // the gap is used again
}

static void what_is_put_away_comes_back(void **state)
{
    (void)state;
    char s[160], t[160];
    new_session("{\"game\":\"othello\",\"second\":\"1\",\"moves\":\"d3\"}", s);
    new_session("{\"game\":\"othello\"}", t);
    assert_true(live_count(the_api->sessions) >= 2);
    live_rest(the_api->sessions, 0);
    assert_int_equal(live_count(the_api->sessions), 0);
    asks("GET", s, NULL, 200);
    answered("\"last\":\"d3\"");
    answered("\"player\":\"1\"");
    assert_int_equal(live_count(the_api->sessions), 1);
    refuses("GET", "/sessions/aaaaaaaaaaaaaaaaaaaaaa", NULL, 404, "no session"); // a wrong guess leaves nothing
    assert_int_equal(live_count(the_api->sessions), 1);
}

static void memory_is_bounded(void **state)
{
    (void)state;
    char s[160], first[160];
    new_session("{\"game\":\"tictactoe\",\"moves\":\"b2\"}", first);
    for (int i = 0; i < LIVE_MOST + 50; i++) new_session("{\"game\":\"tictactoe\",\"quiet\":\"1\"}", s);
    assert_true(live_count(the_api->sessions) <= LIVE_MOST);
    asks("GET", first, NULL, 200);
    answered("\"last\":\"b2\"");
}

// Many games against an engine with a hash table: only some of them keep it.
static void agents_of_idle_games_are_closed(void **state)
{
    (void)state;
    enum { N = LIVE_AWAKE + 10 };
    char s[N][160];
    live *l;
    int awake = 0;
    for (int i = 0; i < N; i++) {
        new_session("{\"game\":\"othello\",\"second\":\"alphabeta:depth=1,hash=10\",\"moves\":\"d3\"}", s[i]);
        asks("POST", under(s[i], "think"), "{}", 200);
    }
    for (int i = 0; i < N; i++) {
        assert_ok(live_take(the_api->sessions, s[i] + strlen("/sessions/"), &l));
        awake += session_seat_agent(l->s, 1) != NULL;
        assert_int_equal(l->awake, session_seat_agent(l->s, 1) != NULL);
        live_unlock(l);
        live_drop(the_api->sessions, l);
    }
    assert_true(awake > 0 && awake <= LIVE_AWAKE);
    asks("POST", under(s[0], "back"), "{}", 200);
    asks("POST", under(s[0], "think"), "{}", 200); // and it comes back
}

static void events_tell(void **state)
{
    (void)state;
    char s[160], buf[1 << 14];
    stream *listener = NULL;
    new_session("{\"game\":\"tictactoe\",\"second\":\"mcts:sims=20\"}", s);
    assert_ok(hub_listen(the_api->events, s + 1, &listener, 0)); // the topic is the path without its slash
    asks("POST", under(s, "play"), "{\"move\":\"b2\"}", 200);
    asks("POST", under(s, "think"), "{}", 200);
    asks("DELETE", s, NULL, 200);
    size_t n = 0;
    for (long k; (k = stream_read(listener, buf + n, sizeof buf - 1 - n, NULL, NULL)) > 0;) n += (size_t)k;
    buf[n] = 0;
    const char *at = buf;
    static const char *const order[] = {
        "event: changed\ndata: {\"verb\":\"play\",\"at\":1,\"ply\":1,\"last\":\"b2\"}",
        "event: thinking\ndata: {\"verb\":\"think\"}", "event: changed\ndata: {\"verb\":\"think\",\"at\":2",
        "event: done\ndata: {\"verb\":\"think\",\"stopped\":false}", "event: closed\ndata: {}"};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        at = strstr(at, order[i]);
        if (at == NULL) fail_msg("no %s in: %s", order[i], buf);
    }
    assert_int_equal(stream_read(listener, buf, sizeof buf, NULL, NULL), -1);
    stream_close(listener);
}

typedef struct listeners {
    int n;
    char topic[EVENTS_TOPIC];
    int64_t skip;
} listeners;

static void see_listener(void *ctx, stream *s, const char *topic, stream_place *place)
{
    listeners *l = ctx;
    (void)s;
    l->n++;
    snprintf(l->topic, sizeof l->topic, "%s", topic);
    l->skip = place->skip;
}

// Streams of runs and benches: from the row that the address names, or behind the last event that the browser has.
static void events_of_folders(void **state)
{
    (void)state;
    static const struct {
        const char *path, *from, *last;
        int status;
        const char *topic;
        int64_t skip;
    } rows[] = {
        {"/runs/r1/events", NULL, NULL, 200, "runs/r1", 0},
        {"/runs/r1/events", "5", NULL, 200, "runs/r1", 5},
        {"/runs/r1/events", "5", "9", 200, "runs/r1", 9},
        {"/runs/r1/events", "-1", NULL, 400, NULL, 0},
        {"/runs/r1/events", "x", "9", 400, NULL, 0},
        {"/runs/r2/events", NULL, NULL, 404, NULL, 0},
        {"/runs/-r/events", NULL, NULL, 400, NULL, 0},
        {"/benches/b1/events", NULL, NULL, 200, "benches/b1", 0},
        {"/benches/b1/events", "5", "9", 200, "benches/b1", 0},
        {"/benches/r1/events", NULL, NULL, 404, NULL, 0},
        {"/benches/-b/events", NULL, NULL, 400, NULL, 0},
    };
    int before = hub_count(the_api->events);
    assert_ok(file_make_dirs("runs/r1"));
    assert_ok(file_make_dirs("benches/b1"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        listeners seen = {0};
        reply r = {0};
        the_query[0][0] = rows[i].from != NULL ? "from" : NULL;
        the_query[0][1] = rows[i].from;
        request q = {.method = "GET", .path = rows[i].path, .query = ask_query, .last_event = rows[i].last};
        api_answer(the_api, &q, &r);
        the_query[0][0] = NULL;
        if (r.status != rows[i].status) fail_msg("%s: %d: %s", rows[i].path, r.status, text_str(&r.body));
        assert_int_equal(r.events != NULL, r.status == 200);
        if (r.events != NULL) {
            assert_int_equal(hub_count(the_api->events), before + 1);
            hub_each(the_api->events, see_listener, &seen);
            assert_string_equal(seen.topic, rows[i].topic);
            assert_true(seen.skip == rows[i].skip);
            tail_tick(the_api, 1e9 + (double)i); // nothing to tell of a folder that holds no run (any more)
            stream_close(r.events);
        }
        assert_int_equal(hub_count(the_api->events), before);
        reply_free(&r);
    }
}

// Who does not read loses the stream, not the server its memory.
static void a_silent_listener_is_dropped(void **state)
{
    (void)state;
    stream *listener = NULL;
    static char big[1 << 16];
    assert_ok(hub_listen(the_api->events, "runs/x", &listener, 0));
    memset(big, 'x', sizeof big - 1);
    for (int i = 0; i < 100; i++) hub_publish(the_api->events, "runs/x", "row", i, big);
    char buf[100];
    long n = 0, all = 0;
    while ((n = stream_read(listener, buf, sizeof buf, NULL, NULL)) > 0) all += n;
    assert_int_equal(n, -1);
    assert_true(all < EVENTS_BUFFER + (1 << 17));
    stream_close(listener);
}

static void the_store_in_memory(void **state)
{
    (void)state;
    saved *m = NULL;
    char *text = NULL, id[16];
    size_t n = 0;
    assert_ok(saved_open(&m, NULL, 10));
    assert_false(saved_on_disk(m));
    assert_err(saved_get(m, "a", &text, &n), "no session");
    for (int i = 0; i < 30; i++) {
        snprintf(id, sizeof id, "id%d", i);
        assert_ok(saved_put(m, id, id, strlen(id)));
    }
    assert_int_equal(saved_count(m), 10);
    assert_ok(saved_put(m, "id29", "other", 5));
    assert_int_equal(saved_count(m), 10);
    assert_ok(saved_get(m, "id29", &text, &n));
    assert_string_equal(text, "other");
    free(text);
    assert_err(saved_get(m, "id1", &text, &n), "no session");
    assert_ok(saved_delete(m, "id29"));
    assert_err(saved_get(m, "id29", &text, &n), "no session");
    saved_close(m);
}

static void the_store_on_disk_is_bounded(void **state)
{
    (void)state;
    saved *m = NULL;
    char *text = NULL, id[16];
    size_t n = 0;
    assert_ok(saved_open(&m, "small.db", 10));
    if (!saved_on_disk(m)) {
        saved_close(m);
        skip_because("built without SQLite");
    }
    for (int i = 0; i < 100; i++) {
        snprintf(id, sizeof id, "id%d", i);
        assert_ok(saved_put(m, id, id, strlen(id)));
    }
    assert_true(saved_count(m) <= 12);
    assert_ok(saved_get(m, "id99", &text, &n));
    free(text);
    assert_err(saved_get(m, "id1", &text, &n), "no session");
    saved_close(m);
    FILE *f = fopen("other.db", "w");
    assert_non_null(f);
    fputs("not a database, but some other program's file that must be left alone", f);
    fclose(f);
    assert_true(saved_open(&m, "other.db", 10) != ERR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_game_is_played),
        cmocka_unit_test(stored_games_are_listed),
        cmocka_unit_test(games_in_memory_are_listed),
        cmocka_unit_test(wrong_words_are_refused),
        cmocka_unit_test(forbidden_agents_are_refused),
        cmocka_unit_test(a_search_blocks_nobody),
        cmocka_unit_test(a_session_deleted_while_it_thinks_is_gone),
        cmocka_unit_test(a_search_ends_at_its_limit),
        cmocka_unit_test(many_searches_wait_their_turn),
        cmocka_unit_test(games_survive),
        cmocka_unit_test(what_is_put_away_comes_back),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(agents_of_idle_games_are_closed),
        cmocka_unit_test(events_tell),
        cmocka_unit_test(events_of_folders),
        cmocka_unit_test(a_silent_listener_is_dropped),
        cmocka_unit_test(the_store_in_memory),
        cmocka_unit_test(the_store_on_disk_is_bounded),
    };
    return cmocka_run_group_tests(tests, open_the_api, close_the_api);
}
