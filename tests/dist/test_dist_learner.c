// The learner's calls, one step at a time on a real nats-server: what each leaves in streams, table and ledger. Which messages count,
// which weights stay, and what a server that lost its streams changes.
#include "../learn/random_samples.h"
#include "base/crc32c.h"
#include "broker.h"
#include "dist/entry.h"
#include "dist/learner.h"
#include "dist/ledger.h"
#include "dist/status.h"
#include "new_net.h"

#include <inttypes.h>

enum { CHUNK = 512 << 10 };

// --- weights

// Sizes around a chunk come back; an entry that cannot be right is refused.
static void weights_in_chunks(void **unused)
{
    (void)unused;
    static const size_t sizes[] = {1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 5};
    static const uint64_t messages[] = {1, 1, 1, 2, 2, 3};
    broker k;
    broker_start(&k, "");
    bus *b = bus_of(&k);
    bus_stream_state st;
    text_buf t = {0};
    char *data = malloc(3 * CHUNK);
    uint64_t stored = 0;
    for (size_t i = 0; i < 3 * CHUNK; i++) data[i] = (char)(i * 2654435761u >> 13);
    assert_ok(
        bus_stream_make(b, &(bus_stream){.name = "keiko-r-weights", .subject = "keiko.r.weights.*.*", .direct = true}));
    run_entry e = {.run = "r", .number = 7};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        e.generation = i + 1;
        assert_ok(weights_put(b, &e, data, sizes[i], NULL));
        assert_int_equal(e.size, sizes[i]);
        assert_int_equal(e.chunk, CHUNK);
        assert_int_equal(e.crc, crc32c(0, data, sizes[i]));
        assert_ok(weights_get(b, &e, &t));
        assert_int_equal(t.len, sizes[i]);
        assert_memory_equal(t.data, data, sizes[i]);
        assert_ok(bus_stream_look(b, "keiko-r-weights", &st));
        assert_int_equal(st.messages, stored += messages[i]);
        assert_ok(weights_put(b, &e, data, sizes[i], NULL)); // a learner that died and makes them again
        assert_ok(bus_stream_look(b, "keiko-r-weights", &st));
        assert_int_equal(st.messages, stored);
    }
    run_entry good = e;
    e.chunk = e.size + CHUNK;
    assert_ok(weights_get(b, &e, &t));
    e.chunk++;
    assert_err(weights_get(b, &e, &t), "run r: its entry is damaged");
    e = good, e.chunk = 0;
    assert_err(weights_get(b, &e, &t), "run r: its entry is damaged");
    e = good, e.size = 0;
    assert_err(weights_get(b, &e, &t), "run r: its entry is damaged");
    e = good, e.size = (1u << 30) + 1u;
    assert_err(weights_get(b, &e, &t), "run r: its entry is damaged");
    e.size = 1u << 30;
    assert_err(weights_get(b, &e, &t), "run r: weights of generation 6 are not all there");
    e = good, e.size--;
    assert_err(weights_get(b, &e, &t), "run r: weights of generation 6 are damaged: their checksum is wrong");
    e = good, e.crc ^= 1;
    assert_err(weights_get(b, &e, &t), "their checksum is wrong");
    e = good, e.generation = 9;
    assert_int_equal(weights_get(b, &e, &t), ERR_MISSING);
    e = good, e.generation = 4;
    assert_ok(weights_forget(b, "r", 4));
    assert_int_equal(weights_get(b, &e, &t), ERR_MISSING);
    assert_ok(weights_get(b, &good, &t));
    text_free(&t);
    free(data);
    bus_close(b);
    broker_end(&k);
}

// --- a learner

typedef struct desk {
    broker k;
    char dir[200];
    bus *b;
    samples_shape sh;
    dist_codec *codec;
    nn_net *net;
    dist_learner_options o;
    dist_learner *d;
    train_remote r;
    int ids;
} desk;

static void desk_start(desk *t)
{
    *t = (desk){0};
    broker_start(&t->k, "");
    snprintf(t->dir, sizeof t->dir, "%s/run/", t->k.dir);
    assert_ok(file_make_dirs(t->dir));
    t->b = bus_of(&t->k);
    t->o = (dist_learner_options){.nats = {.url = t->k.url},
                                  .max_stale = 2,
                                  .backlog = 10,
                                  .backlog_mib = 1,
                                  .replicas = 1,
                                  .every = 5,
                                  .version = "test"};
    shape_of(&t->sh, "tictactoe");
    assert_ok(dist_codec_new(&t->codec));
    t->net = new_net("c=8 b=1", 3);
}

static void desk_open(desk *t)
{
    assert_ok(dist_learner_open(&t->d, &t->o, t->dir, "tictactoe"));
    t->r = dist_learner_remote(t->d);
}

static void desk_end(desk *t)
{
    dist_learner_close(t->d);
    nn_net_free(t->net);
    dist_codec_free(t->codec);
    samples_shape_free(&t->sh);
    bus_close(t->b);
    broker_end(&t->k);
}

static run_entry entry_of(const desk *t, const char *run)
{
    run_entry e;
    bool found;
    assert_ok(run_entry_get(&e, t->b, run, &found));
    assert_true(found);
    return e;
}

// A game as a worker sends it; every message has an id of its own, so the server keeps all.
static void send_game(desk *t, uint64_t run, uint64_t incarnation, uint64_t counter, uint64_t generation)
{
    text_buf m = {0};
    char id[20];
    dist_head h = {.run = run, .incarnation = incarnation, .counter = counter, .generation = generation, .worker = "w"};
    finished_game g = {.id = counter, .weights = 4, .plies = 9, .halves = 1, .sims = 100};
    fill(&g.s, &t->sh, 5, counter, 0);
    assert_ok(dist_game_write(t->codec, &h, &g, &t->sh, &m));
    snprintf(id, sizeof id, "id%d", ++t->ids);
    assert_ok(bus_put(t->b, "keiko.run.games.w", id, m.data, m.len, NULL));
    finished_game_free(&g);
    text_free(&m);
}

static void send_bytes(desk *t, size_t size)
{
    char id[20], *bytes = calloc(1, size);
    snprintf(id, sizeof id, "id%d", ++t->ids);
    assert_ok(bus_put(t->b, "keiko.run.games.w", id, bytes, size, NULL));
    free(bytes);
}

static ledger ledger_of(desk *t)
{
    text_buf text = {0};
    ledger l = {0};
    assert_ok(t->r.save(t->r.ctx, &text));
    assert_ok(ledger_read(&l, text.data, text.len));
    text_free(&text);
    return l;
}

// The number of the next game that counts; 0: everything that the server has was read, and none was left that counts.
static uint64_t taken(desk *t)
{
    bus_stream_state st;
    assert_ok(bus_stream_look(t->b, "keiko-run-games", &st));
    for (double until = clock_seconds() + 60; clock_seconds() < until;) {
        finished_game g;
        bool got;
        assert_ok(t->r.take(t->r.ctx, 0.3, &g, &got));
        if (got) {
            uint64_t id = g.id;
            finished_game_free(&g);
            return id;
        }
        ledger l = ledger_of(t);
        uint64_t sequence = l.sequence;
        ledger_free(&l);
        if (sequence == st.last) return 0; // else the machine is busy
    }
    fail_msg("the learner has not read what is there");
    return 0;
}

static void assert_ledger(desk *t, uint64_t sequence, uint64_t counted, uint64_t stale, uint64_t repeated,
                          uint64_t refused)
{
    ledger l = ledger_of(t);
    ledger_row sum = ledger_sum(&l);
    assert_int_equal(l.sequence, sequence);
    assert_int_equal(sum.counted, counted);
    assert_int_equal(sum.stale, stale);
    assert_int_equal(sum.positions, 5 * (counted - stale));
    assert_int_equal(l.repeated, repeated);
    assert_int_equal(l.refused, refused);
    ledger_free(&l);
}

// A number that is missing is a game that the server confirmed and has lost.
static void lost_games_are_named(void **unused)
{
    (void)unused;
    desk t;
    char *said;
    size_t size;
    FILE *screen = open_memstream(&said, &size);
    assert_ok(log_init(&(log_options){.screen = screen, .color = "never"}));
    desk_start(&t);
    desk_open(&t);
    assert_ok(t.r.begin(t.r.ctx, &t.sh, "", NULL, 0));
    assert_ok(t.r.weights(t.r.ctx, t.net, 1));
    run_entry e = entry_of(&t, "run");
    for (uint64_t n = 1; n <= 3; n++) send_game(&t, e.number, 7, n, 1);
    for (uint64_t n = 1; n <= 3; n++) assert_int_equal(taken(&t), n);
    fflush(screen);
    assert_null(strstr(said, "did not come"));
    send_game(&t, e.number, 7, 3, 1); // again: no loss
    send_game(&t, e.number, 7, 6, 1);
    assert_int_equal(taken(&t), 6);
    fflush(screen);
    if (strstr(said, "games 4 to 5 of worker w did not come") == NULL || strstr(said, "(2 so far)") == NULL)
        fail_msg("it said: %s", said);
    run_entry_free(&e);
    desk_end(&t);
    log_close();
    assert_ok(log_init(NULL));
    fclose(screen);
    free(said);
}

// Which generations the server still has, as digits.
static void assert_generations(desk *t, const char *want)
{
    char have[32] = "";
    run_entry e = entry_of(t, "run");
    text_buf bytes = {0};
    for (uint64_t g = 1; g < 10; g++) {
        e.generation = g;
        if (weights_get(t->b, &e, &bytes) == ERR_OK) have[strlen(have)] = (char)('0' + g);
    }
    assert_string_equal(have, want);
    text_free(&bytes);
    run_entry_free(&e);
}

static void a_run_has_its_number(void **unused)
{
    (void)unused;
    desk t;
    char path[240], *text;
    desk_start(&t);
    snprintf(path, sizeof path, "%sremote.txt", t.dir);
    assert_false(file_exists(path));
    desk_open(&t);
    assert_ok(file_read(path, 100, &text, NULL));
    assert_int_equal(strlen(text), strlen("number = ") + 16 + 1);
    assert_ok(t.r.begin(t.r.ctx, &t.sh, "sims = 3\n", NULL, 0));
    assert_ok(t.r.weights(t.r.ctx, t.net, 7));
    run_entry e = entry_of(&t, "run"); // the folder's name, without the stroke at its end
    char number[40];
    snprintf(number, sizeof number, "number = %016" PRIx64 "\n", e.number);
    assert_string_equal(text, number);
    assert_string_equal(e.game, "tictactoe");
    assert_string_equal(e.version, "test");
    assert_string_equal(e.config, "sims = 3\n");
    assert_int_equal(e.generation, 1);
    assert_int_equal(e.step, 7);
    free(text);
    run_entry_free(&e);
    dist_learner_close(t.d);
    desk_open(&t); // again: the same run
    dist_learner_close(t.d);
    t.d = NULL;
    assert_ok(file_write_atomic(path, "number = 12ab\n", 14));
    dist_learner *other;
    assert_err(dist_learner_open(&other, &t.o, t.dir, "tictactoe"),
               "the server has another run named run (tictactoe); give this one a name with --nats-run");
    t.o.name = "second";
    assert_ok(dist_learner_open(&other, &t.o, t.dir, "tictactoe"));
    dist_learner_close(other);
    assert_ok(file_write_atomic(path, "nothing\n", 8));
    assert_err(dist_learner_open(&other, &t.o, t.dir, "tictactoe"), "is damaged: it should hold the run's number");
    t.o.name = "a.b";
    assert_err(dist_learner_open(&other, &t.o, t.dir, "tictactoe"), "'a.b' cannot name a run");
    assert_err(dist_learner_check(&t.o), "'a.b' cannot name a run");
    t.o.name = "";
    assert_ok(dist_learner_check(&t.o));
    desk_end(&t);
}

static void games_count_once(void **unused)
{
    (void)unused;
    desk t;
    bus_stream_state st;
    desk_start(&t);
    desk_open(&t);
    assert_ok(t.r.begin(t.r.ctx, &t.sh, "", NULL, 0));
    assert_false(t.r.play);
    assert_true(t.r.every == 5);
    for (uint64_t step = 1; step <= 5; step++) {
        assert_ok(t.r.weights(t.r.ctx, t.net, 10 * step));
        assert_generations(&t, step == 1 ? "1" : step == 2 ? "12" : step == 3 ? "123" : step == 4 ? "234" : "345");
    }
    run_entry e = entry_of(&t, "run");
    assert_int_equal(e.generation, 5);
    assert_int_equal(e.step, 50);
    assert_int_equal(taken(&t), 0);
    send_game(&t, e.number, 1, 1, 5);
    send_game(&t, e.number, 1, 2, 3); // two generations old: may still be learned from
    send_game(&t, e.number, 1, 3, 2); // too old: counted and left out
    send_game(&t, e.number, 1, 4, 4);
    assert_int_equal(taken(&t), 1);
    assert_int_equal(taken(&t), 2);
    assert_int_equal(taken(&t), 4);
    assert_ledger(&t, 4, 4, 1, 0, 0);
    assert_false(t.r.due(t.r.ctx));
    send_game(&t, e.number, 1, 4, 5); // once more
    assert_int_equal(taken(&t), 0);
    assert_ledger(&t, 5, 4, 1, 1, 0);
    assert_false(t.r.due(t.r.ctx));       // half of the backlog
    send_game(&t, e.number + 1, 1, 5, 5); // of another run
    assert_int_equal(taken(&t), 0);
    assert_ledger(&t, 6, 4, 1, 1, 1);
    assert_true(t.r.due(t.r.ctx));
    send_game(&t, e.number, 2, 1, 5); // another worker
    assert_int_equal(taken(&t), 1);
    assert_ok(t.r.saved(t.r.ctx)); // what was read makes room
    assert_false(t.r.due(t.r.ctx));
    assert_ok(bus_stream_look(t.b, "keiko-run-games", &st));
    assert_int_equal(st.last, 7);
    assert_int_equal(st.messages, 0);
    send_bytes(&t, 1 << 19); // half of the backlog by size
    assert_int_equal(taken(&t), 0);
    assert_false(t.r.due(t.r.ctx));
    assert_ok(bus_stream_look(t.b, "keiko-run-games", &st));
    assert_int_equal(st.messages, 1);
    send_bytes(&t, 1);
    assert_int_equal(taken(&t), 0);
    assert_true(t.r.due(t.r.ctx));
    assert_ledger(&t, 9, 5, 1, 1, 3);
    // the backlog is the stream's limit
    assert_ok(t.r.saved(t.r.ctx));
    for (int i = 0; i < 10; i++) send_bytes(&t, 1);
    assert_err(bus_put(t.b, "keiko.run.games.w", "more", "x", 1, NULL), "is full");
    run_entry_free(&e);
    // all of it is removed
    assert_ok(dist_run_remove(t.b, "run"));
    assert_int_equal(bus_stream_look(t.b, "keiko-run-games", &st), ERR_MISSING);
    assert_int_equal(bus_stream_look(t.b, "keiko-run-weights", &st), ERR_MISSING);
    bool found;
    assert_ok(run_entry_get(&e, t.b, "run", &found));
    assert_false(found);
    desk_end(&t);
}

static text_buf stop_learner(desk *t)
{
    text_buf state = {0};
    assert_ok(t->r.save(t->r.ctx, &state));
    dist_learner_close(t->d);
    t->d = NULL;
    return state;
}

static void go_on_from(desk *t, text_buf *state)
{
    desk_open(t);
    assert_ok(t->r.begin(t->r.ctx, &t->sh, "", state->data, state->len));
    text_free(state);
}

// A resumed learner reads on where its checkpoint was; a stream that was made anew is read from its beginning.
static void streams_that_are_new(void **unused)
{
    (void)unused;
    desk t;
    desk_start(&t);
    desk_open(&t);
    assert_ok(t.r.begin(t.r.ctx, &t.sh, "", NULL, 0));
    for (uint64_t step = 1; step <= 3; step++) assert_ok(t.r.weights(t.r.ctx, t.net, step));
    run_entry e = entry_of(&t, "run");
    for (uint64_t i = 1; i <= 3; i++) send_game(&t, e.number, 1, i, 1);
    assert_int_equal(taken(&t), 1);
    assert_int_equal(taken(&t), 2);
    text_buf state = stop_learner(&t);
    go_on_from(&t, &state);
    assert_int_equal(taken(&t), 3);
    assert_ledger(&t, 3, 3, 0, 0, 0);
    assert_ok(t.r.weights(t.r.ctx, t.net, 4)); // generations go on; the first new one clears what was there
    assert_generations(&t, "4");
    state = stop_learner(&t);
    // another stream, as long as the old one was
    bus_stream_state st;
    assert_ok(bus_stream_remove(t.b, "keiko-run-games"));
    desk_open(&t);
    for (uint64_t i = 3; i <= 6; i++) send_game(&t, e.number, 1, i, 4); // 3 was counted
    dist_learner_close(t.d);
    go_on_from(&t, &state);
    assert_int_equal(taken(&t), 4);
    assert_ledger(&t, 2, 4, 0, 1, 0);
    assert_int_equal(taken(&t), 5);
    assert_int_equal(taken(&t), 6);
    assert_int_equal(taken(&t), 0);
    // the same stream, whose end was lost
    ledger l = ledger_of(&t);
    assert_ok(bus_stream_look(t.b, "keiko-run-games", &st));
    assert_true(l.created == st.created);
    assert_int_equal(l.sequence, st.last);
    l.sequence += 2;
    assert_ok(ledger_write(&l, &state));
    ledger_free(&l);
    dist_learner_close(t.d);
    go_on_from(&t, &state);
    send_game(&t, e.number, 1, 7, 4);
    assert_int_equal(taken(&t), 7);
    assert_ledger(&t, 5, 7, 0, 5, 0);
    run_entry_free(&e);
    desk_end(&t);
}

// What the learner tells watchers every other second.
static void a_learner_says_how_it_is(void **unused)
{
    (void)unused;
    desk t;
    bus_ear *ear;
    bus_message m;
    bool got = false;
    dist_status s;
    opt_values *keep = opt_keep();
    desk_start(&t);
    assert_ok(bus_listen(&ear, t.b, DIST_STATUS_ALL));
    double opened = clock_seconds();
    desk_open(&t);
    assert_ok(t.r.begin(t.r.ctx, &t.sh, "", NULL, 0));
    for (uint64_t step = 1; step <= 4; step++) assert_ok(t.r.weights(t.r.ctx, t.net, step));
    run_entry e = entry_of(&t, "run");
    send_game(&t, e.number, 1, 1, 4);
    send_game(&t, e.number, 2, 1, 1); // too old
    send_game(&t, e.number, 2, 1, 1); // twice
    send_bytes(&t, 5);
    send_game(&t, e.number, 2, 2, 4);
    send_game(&t, e.number, 2, 3, 4); // these two wait
    send_game(&t, e.number, 2, 4, 4);
    assert_int_equal(taken(&t), 1);
    assert_int_equal(taken(&t), 2);
    assert_ok(bus_hear(ear, 0.1, &m, &got));
    bool late = clock_seconds() - opened > 1.9; // on a busy machine it has said something already
    assert_true(late || !got);
    while (got) {
        bus_message_free(&m);
        assert_ok(bus_hear(ear, 0.1, &m, &got));
    }
    clock_sleep(2.05);
    assert_int_equal(taken(&t), 3);
    assert_ok(bus_hear(ear, 5, &m, &got));
    assert_true(got);
    assert_string_equal(m.subject, "keiko.status.learner-run");
    assert_ok(dist_status_read(&s, m.data, m.size, keep));
    assert_string_equal(s.kind, "learner");
    assert_string_equal(s.name, "run");
    assert_string_equal(s.run, "run");
    assert_string_equal(s.version, "test");
    assert_string_equal(s.state, "learns");
    assert_int_equal(s.process, getpid());
    assert_int_equal(s.generation, 4);
    assert_int_equal(s.step, 4);
    assert_int_equal(s.games, 3);
    assert_int_equal(s.positions, 10); // to learn from
    assert_int_equal(s.lag, 2);
    assert_int_equal(s.stale, 1);
    assert_int_equal(s.repeated, 1);
    assert_int_equal(s.refused, 1);
    assert_int_equal(s.workers, 2);
    assert_true(s.uptime >= 2.05 && s.uptime < 600);
    if (!late) {
        assert_true(s.games_s > 0 && s.games_s <= 3 / 2.0);
        assert_true(s.positions_s > 3.3 * s.games_s && s.positions_s < 3.4 * s.games_s);
    }
    bus_message_free(&m);
    assert_int_equal(taken(&t), 4);
    assert_int_equal(taken(&t), 0); // now it waits
    int words = 0;
    do { // on a busy machine it may have said something while it still learned
        if (words++ > 0) bus_message_free(&m);
        assert_true(words < 10);
        clock_sleep(2.05);
        assert_int_equal(taken(&t), 0);
        assert_ok(bus_hear(ear, 5, &m, &got));
        assert_true(got);
        assert_ok(dist_status_read(&s, m.data, m.size, keep));
    } while (strcmp(s.state, "waits for games") != 0);
    assert_int_equal(s.lag, 0);
    assert_int_equal(s.games, 5);
    if (words == 1) assert_true(s.games_s > 0 && s.games_s <= 2 / 2.0); // since the last one
    bus_message_free(&m);
    opt_free(keep);
    bus_ear_close(ear);
    run_entry_free(&e);
    desk_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_in_chunks),    cmocka_unit_test(a_run_has_its_number),
        cmocka_unit_test(lost_games_are_named), cmocka_unit_test(games_count_once),
        cmocka_unit_test(streams_that_are_new), cmocka_unit_test(a_learner_says_how_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
