// A worker's run and its sender, one step at a time on a real nats-server: which entries are taken, refused or waited for, what the
// log says of it, and how games wait for room.
#include "../learn/random_samples.h"
#include "base/log.h"
#include "broker.h"
#include "dist/member.h"
#include "new_net.h"

// --- a worker's run

// How often the log says it.
static int said(FILE *screen, const char *part)
{
    char line[600];
    int n = 0;
    rewind(screen);
    while (fgets(line, sizeof line, screen) != NULL) n += strstr(line, part) != NULL;
    fseek(screen, 0, SEEK_END);
    return n;
}

static void wait_for_games(sender *s, uint64_t games)
{
    sender_state st = {0};
    for (double until = clock_seconds() + 60; clock_seconds() < until && st.games < games; clock_sleep(0.02))
        sender_look(s, &st);
    assert_int_equal(st.games, games);
}

static void publish(bus *b, run_entry *e, const nn_net *net)
{
    text_buf bytes = {0}, t = {0};
    char key[64];
    assert_ok(nn_net_to_bytes(net, &bytes));
    if (e->generation > 0) assert_ok(weights_put(b, e, bytes.data, bytes.len, NULL));
    assert_ok(run_entry_write(e, &t));
    snprintf(key, sizeof key, "run.%s", e->run);
    assert_ok(bus_table_put(b, key, text_str(&t), t.len, NULL));
    text_free(&bytes);
    text_free(&t);
}

static void a_worker_follows_its_run(void **unused)
{
    (void)unused;
    broker k;
    broker_start(&k, "");
    bus *b = bus_of(&k);
    FILE *screen = tmpfile();
    sender *s;
    bus_stream_state st;
    selfplay_stats stats;
    bool usable;
    nn_net *net = new_net("c=8 b=1", 3), *other = new_net("c=4 b=1", 3);
    dist_worker_options o = {.threads = 1, .backend = "cpu", .version = "test"};
    member m = {.share = 2, .look = true, .run = "r"};
    assert_ok(log_init(&(log_options){.screen = screen, .verbose = true, .color = "never"}));
    assert_ok(bus_stream_make(b, &(bus_stream){.name = "keiko-r-games", .subject = "keiko.r.games.*"}));
    assert_ok(
        bus_stream_make(b, &(bus_stream){.name = "keiko-r-weights", .subject = "keiko.r.weights.*.*", .direct = true}));
    assert_ok(sender_new(&s, b, NULL));
#define REFRESH(again)                                                                                                 \
    do {                                                                                                               \
        m.look = true;                                                                                                 \
        assert_ok(member_refresh(&m, b, s, &o, "w", &usable));                                                         \
        assert_int_equal(m.look, again);                                                                               \
    } while (0)
    REFRESH(false);
    assert_false(usable); // there is no such run
    assert_int_equal(said(screen, "is not on the server any more"), 0);
    run_entry e = {.run = "r",
                   .format = DIST_FORMAT,
                   .number = 5,
                   .version = "another",
                   .game = "tictactoe",
                   .generation = 1,
                   .step = 10,
                   .config = "sims = 4\nin-flight = 6\nround = 6\n"};
    publish(b, &e, net);
    REFRESH(false);
    assert_false(usable);
    assert_true(m.refused);
    assert_int_equal(said(screen, "run r is trained by keiko another, and this is keiko test"), 1);
    REFRESH(false);
    assert_int_equal(said(screen, "run r is trained by keiko another, and this is keiko test"), 1); // said once
    snprintf(e.version, sizeof e.version, "test");
    e.generation = 2;
    publish(b, &e, net);
    REFRESH(false);
    assert_true(usable);
    assert_false(m.refused);
    assert_int_equal(said(screen, "plays for run r (tictactoe) with weights of generation 2"), 1);
    assert_int_equal(m.entry.step, 10);
    assert_int_equal(m.to.number, 5);
    assert_string_equal(m.to.run, "r");
    assert_string_equal(m.to.worker, "w");
    assert_int_equal(m.c.in_flight, 6);
    assert_string_equal(m.backend, "cpu");
    uint64_t incarnation = m.to.incarnation, games = 0;
    for (int i = 0; i < 4 || (games == 0 && i < 500); i++) { // which games are played is drawn anew each time
        double before = m.spent, begun = clock_seconds();
        assert_ok(member_round(&m, s, &stats));
        double most = clock_seconds() - begun;
        assert_true(m.spent > before && m.spent - before <= most / 2); // over its share
        games += stats.games;
    }
    assert_true(games > 0);
    wait_for_games(s, games);
    assert_int_equal(m.to.counter, games);
    assert_ok(bus_stream_look(b, "keiko-r-games", &st));
    assert_int_equal(st.messages, games);
    // an entry of the same generation is the one at hand
    e.step = 11;
    publish(b, &e, net);
    REFRESH(false);
    assert_int_equal(m.entry.step, 10);
    e.generation = 3;
    publish(b, &e, net);
    m.look = false;
    assert_ok(member_refresh(&m, b, s, &o, "w", &usable)); // nobody told, and it is too early to look
    assert_true(usable);
    assert_int_equal(m.entry.generation, 2);
    m.looked_at -= 11;
    assert_ok(member_refresh(&m, b, s, &o, "w", &usable));
    assert_int_equal(m.entry.generation, 3);
    assert_int_equal(m.entry.step, 11);
    assert_true(m.to.incarnation == incarnation);
    // another network does not fit: the one at hand stays, and the next generation may be right
    e.generation = 4;
    publish(b, &e, other);
    REFRESH(true);
    assert_true(usable);
    assert_int_equal(m.entry.generation, 3);
    assert_int_equal(said(screen, "run r: generation 4 is of another network"), 1);
    // so do weights that are gone, and an entry that is damaged
    e.generation = 5;
    publish(b, &e, net);
    assert_ok(weights_forget(b, "r", 5));
    REFRESH(true);
    assert_int_equal(m.entry.generation, 3);
    assert_int_equal(said(screen, "run r: weights of generation 5 are not all there"), 1);
    assert_ok(bus_table_put(b, "run.r", "garbage", 7, NULL));
    REFRESH(true);
    assert_true(usable);
    assert_int_equal(said(screen, "r: the entry of this run is cut off"), 1);
    // begun anew under the same name, at the same generation
    e.generation = 3;
    e.number = 6;
    e.step = 20;
    publish(b, &e, net);
    REFRESH(false);
    assert_true(usable);
    assert_int_equal(m.to.number, 6);
    assert_int_equal(m.to.counter, 0);
    assert_int_equal(m.entry.step, 20);
    assert_true(m.to.incarnation != incarnation);
    // a game and an option that nobody knows
    e.generation = 4;
    e.number = 7;
    snprintf(e.game, sizeof e.game, "ludo");
    publish(b, &e, net);
    m.look = true;
    assert_ok(member_refresh(&m, b, s, &o, "w", &usable));
    assert_false(usable);
    assert_int_equal(said(screen, "run r: "), 3);
    assert_int_equal(said(screen, "ludo"), 1);
    snprintf(e.game, sizeof e.game, "tictactoe");
    e.generation = 5;
    publish(b, &e, net);
    o.in_flight = 9;
    REFRESH(false);
    assert_true(usable);
    assert_int_equal(m.c.in_flight, 9); // the worker's own word
    assert_ok(bus_table_remove(b, "run.r"));
    REFRESH(false);
    assert_false(usable);
    assert_int_equal(said(screen, "run r is not on the server any more"), 1);
    REFRESH(false);
    assert_int_equal(said(screen, "run r is not on the server any more"), 1);
#undef REFRESH
    assert_int_equal(sender_free(s, 5), 0);
    member_close(&m);
    nn_net_free(net);
    nn_net_free(other);
    bus_close(b);
    assert_ok(log_init(NULL));
    fclose(screen);
    broker_end(&k);
}

// A stream with room for three games: the fourth waits, and with it what comes behind; the book has what the server confirmed.
static void a_sender_waits_for_room(void **unused)
{
    (void)unused;
    broker k;
    broker_start(&k, "");
    bus *b = bus_of(&k);
    sender *s;
    sender_state st;
    samples_shape sh;
    char book[160], want[200], *text;
    shape_of(&sh, "tictactoe");
    sender_to to = {.sh = &sh, .run = "r", .worker = "w", .number = 5, .incarnation = 0xabc};
    snprintf(book, sizeof book, "%s/book", k.dir);
    assert_err(sender_new(&s, b, "/nowhere/book"), "cannot write /nowhere/book");
    assert_ok(
        bus_stream_make(b, &(bus_stream){.name = "keiko-r-games", .subject = "keiko.r.games.*", .max_messages = 3}));
    assert_ok(sender_new(&s, b, book));
    sender_look(s, &st);
    assert_true(st.games == 0 && st.waiting == 0 && st.blocked == 0);
    for (uint64_t i = 1; i <= 8; i++) {
        finished_game g = {.id = i, .weights = 4, .plies = 9, .halves = 1, .sims = 100};
        fill(&g.s, &sh, 5, i, 0);
        assert_ok(sender_put(s, &to, 1, &g));
        assert_int_equal(g.s.n, 0); // taken over
    }
    for (double until = clock_seconds() + 60; clock_seconds() < until && st.blocked == 0; clock_sleep(0.02))
        sender_look(s, &st);
    assert_true(st.blocked > 0);
    assert_non_null(strstr(st.why, "is full"));
    assert_int_equal(st.games, 3);
    assert_int_equal(st.waiting, 5);
    assert_true(st.bytes > 3 * 96);
    assert_ok(sender_check(s));
    assert_ok(bus_stream_purge(b, "keiko-r-games", NULL, 3)); // room for two more
    for (double until = clock_seconds() + 60; clock_seconds() < until && st.games < 5; clock_sleep(0.02))
        sender_look(s, &st);
    assert_int_equal(st.games, 5);
    assert_int_equal(sender_free(s, 0.2), 3);
    assert_int_equal(to.counter, 5);
    assert_ok(file_read(book, 1000, &text, NULL));
    want[0] = 0;
    for (int i = 1; i <= 5; i++) snprintf(want + strlen(want), 40, "%016x %d\n", 0xabc, i);
    assert_string_equal(text, want);
    free(text);
    samples_shape_free(&sh);
    bus_close(b);
    broker_end(&k);
}

static void put_games(sender *s, sender_to *to, const samples_shape *sh, uint64_t from, uint64_t n)
{
    for (uint64_t i = from; i < from + n; i++) {
        finished_game g = {.id = i, .weights = 4, .plies = 9, .halves = 1, .sims = 100};
        fill(&g.s, sh, 5, i, 0);
        assert_ok(sender_put(s, to, 1, &g));
    }
}

// A run whose learner has gone, and whose stream is full or removed, does not hold up the games of another run.
static void a_full_run_holds_up_no_other(void **unused)
{
    (void)unused;
    broker k;
    broker_start(&k, "");
    bus *b = bus_of(&k);
    sender *s;
    sender_state st;
    samples_shape sh;
    shape_of(&sh, "tictactoe");
    sender_to full = {.sh = &sh, .run = "a", .worker = "w", .number = 5, .incarnation = 0xabc};
    sender_to good = {.sh = &sh, .run = "b", .worker = "w", .number = 6, .incarnation = 0xdef};
    assert_ok(
        bus_stream_make(b, &(bus_stream){.name = "keiko-a-games", .subject = "keiko.a.games.*", .max_messages = 3}));
    assert_ok(bus_stream_make(b, &(bus_stream){.name = "keiko-b-games", .subject = "keiko.b.games.*"}));
    assert_ok(sender_new(&s, b, NULL));
    put_games(s, &full, &sh, 1, SENDER_ROOM + 30); // more than may wait: the round that is being played may end
    assert_false(sender_ready(s, &full));
    assert_true(sender_ready(s, &good));
    put_games(s, &good, &sh, 1, 40);
    wait_for_games(s, 43);
    sender_look(s, &st);
    assert_true(st.blocked > 1 && st.waiting == SENDER_ROOM + 27);
    assert_string_equal(st.run, "a");
    assert_int_equal(good.counter, 40);
    assert_ok(bus_stream_purge(b, "keiko-a-games", NULL, 3)); // room for two more, which come in order
    wait_for_games(s, 45);
    assert_int_equal(full.counter, 5);
    put_games(s, &good, &sh, 41, 10);
    wait_for_games(s, 55);
    assert_ok(bus_stream_remove(b, "keiko-a-games"));
    assert_int_equal(sender_leave(s, &full, 0.2), SENDER_ROOM + 25);
    sender_look(s, &st);
    assert_true(st.blocked == 0 && st.waiting == 0);
    put_games(s, &good, &sh, 51, 5);
    assert_int_equal(sender_leave(s, &good, 30), 0); // these had somewhere to go
    assert_int_equal(good.counter, 55);
    assert_ok(sender_check(s));
    assert_int_equal(sender_free(s, 5), 0);
    samples_shape_free(&sh);
    bus_close(b);
    broker_end(&k);
}

// --- what a worker is told

static void runs_with_shares(void **unused)
{
    (void)unused;
    static const struct {
        const char *runs, *says;
    } rows[] = {
        {"a:x", "--runs: 'x' is no share of run a; write a number above 0"},
        {"a:", "--runs: '' is no share of run a"},
        {"a:0", "--runs: '0' is no share of run a"},
        {"a:-1", "--runs: '-1' is no share of run a"},
        {"b,a:1000000", "--runs: '1000000' is no share of run a"},
        {"a:1,b.c", "--runs: 'b.c' cannot name a run"},
        {" ,;", "--runs names no run"},
    };
    dist_worker_end end;
    dist_worker_options o = {.nats = {.url = "nats://127.0.0.1:1"}, .backend = "cpu", .name = "w"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        o.runs = rows[i].runs;
        assert_err(dist_worker_run(&o, &end), rows[i].says);
        assert_int_equal(end.games, 0);
    }
    char many[1200] = "";
    for (int i = 0; i < 65; i++) snprintf(many + strlen(many), 16, "r%d,", i);
    o.runs = many;
    assert_err(dist_worker_run(&o, &end), "--runs: at most 64 runs");
    memset(many, 'x', 1024);
    many[1024] = 0;
    assert_err(dist_worker_run(&o, &end), "--runs: the list is too long");
    many[1023] = 0;
    assert_err(dist_worker_run(&o, &end), "cannot name a run");
    o.backend = "abacus";
    assert_err(dist_worker_run(&o, &end), "abacus");
    o.backend = "cpu";
    o.name = "a b";
    assert_err(dist_worker_run(&o, &end), "'a b' cannot name a worker");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_follows_its_run), cmocka_unit_test(a_sender_waits_for_room),
        cmocka_unit_test(a_full_run_holds_up_no_other), cmocka_unit_test(runs_with_shares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
