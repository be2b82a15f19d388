// Messages, ledgers, entries, states, setups, jobs and results with one mistake each: what they are read as, or the sentence that
// refuses them, is one number of tests/dist/edits.txt. Binary ones have a checksum, which is put right after the mistake.
#include "../learn/random_samples.h"
#include "base/crc32c.h"
#include "base/edits.h"
#include "dist/entry.h"
#include "dist/jobs.h"
#include "dist/ledger.h"
#include "dist/status.h"

typedef void reader(edits *e, const char *data, size_t size);

// Cut off, and every byte of the first `most` in turn as another one; the checksum at `at` is of all that lies behind it.
static void bytes_of(edits *e, const text_buf *good, size_t most, size_t at, reader *read)
{
    static const unsigned char with[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,  13,  14,
                                         15, 16, 17, 18, 19, 20, 63, 64, 65, 66, 67, 68, 127, 128, 255};
    read(e, good->data, good->len);
    for (size_t i = 0; i < good->len && i < most; i++)
        for (size_t k = 0; k <= sizeof with; k++) {
            size_t size = k == sizeof with ? i : good->len;
            char *copy = malloc(size + 1); // a byte beyond is noticed
            memcpy(copy, good->data, size);
            if (k < sizeof with) copy[i] = (char)with[k];
            if (size >= at + 4 && (i < at || i >= at + 4)) {
                uint32_t crc = crc32c(0, copy + at + 4, size - at - 4);
                memcpy(copy + at, &crc, sizeof crc);
            }
            char *exact = realloc(copy, size > 0 ? size : 1);
            read(e, exact, size);
            free(exact);
        }
}

static void saw(edits *e, err r, text_buf *t)
{
    edits_saw(e, r == ERR_OK, "", r == ERR_OK ? text_str(t) : err_text());
    text_free(t);
}

// --- games

static samples_shape shape;
static dist_codec *codec;

static void read_game(edits *e, const char *data, size_t size)
{
    dist_head h;
    finished_game g;
    text_buf t = {0};
    char id[DIST_ID];
    err r = dist_game_read(codec, &h, &g, &shape, 77, data, size);
    if (r == ERR_OK) {
        text_printf(&t, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %d %zu", dist_game_id(&h, id), h.generation, g.id,
                    g.sims, g.plies, g.halves, g.s.n);
        finished_game_free(&g);
    }
    saw(e, r, &t);
}

static void games(void **state)
{
    (void)state;
    text_buf list = {0};
    dist_head h = {.run = 77, .incarnation = 0xfeed, .counter = 3, .generation = 5, .worker = "box-1"};
    shape_of(&shape, "tictactoe");
    assert_ok(dist_codec_new(&codec));
    finished_game g = {.id = 4, .weights = 40, .plies = 9, .halves = 1, .sims = 1234};
    fill(&g.s, &shape, 2, 4, 0);
    edits e = {.name = "game"};
    text_buf whole = {0};
    assert_ok(dist_game_write(codec, &h, &g, &shape, &whole));
    bytes_of(&e, &whole, 88, 8, read_game); // what lies behind depends on the compressor
    edits_list(&e, &list);
    text_free(&whole);
    finished_game_free(&g);
    dist_codec_free(codec);
    samples_shape_free(&shape);
    assert_listed(&list, "dist/edits_games.txt");
}

// --- jobs

static const game *g;

static void put_game(text_buf *t, const match_game *m)
{
    text_printf(t, " %" PRIu64 " %d-%d %u %u", m->id, m->player[0], m->player[1], m->opening, m->pair);
}

static void read_setup(edits *e, const char *data, size_t size)
{
    job_setup s;
    text_buf t = {0};
    err r = job_setup_read(&s, data, size);
    if (r == ERR_OK) {
        text_printf(&t, "%s %s '%s' %" PRIu64 " %d %d %d %d", s.version, s.g->name, s.settings, s.seed,
                    s.rules.max_plies, s.rules.adjudicate, s.rules.resign_moves, s.no_clock);
        for (int i = 0; i < s.n_players; i++) text_printf(&t, " %s=%s", s.player[i][0], s.player[i][1]);
        for (uint32_t i = 0; i < s.set.n; i++)
            for (int k = 0; k < s.set.line[i].plies; k++) text_printf(&t, " %d", s.set.line[i].moves[k]);
        job_setup_free(&s);
    }
    saw(e, r, &t);
}

static void read_job(edits *e, const char *data, size_t size)
{
    job_head h;
    match_game *m;
    text_buf t = {0};
    err r = job_read(&h, &m, data, size);
    if (r == ERR_OK) {
        text_printf(&t, "%s %" PRIu64 " %u", h.bench, h.number, h.games);
        for (uint32_t i = 0; i < h.games; i++) put_game(&t, &m[i]);
        free(m);
    }
    saw(e, r, &t);
}

static err see_record(void *ctx, const match_record *r)
{
    text_buf *t = ctx;
    put_game(t, &r->what);
    text_printf(t, " %d %d %d %d %d '%s'", r->halves, r->reason, r->failed, r->plies, r->opening_plies, r->detail);
    for (int i = 0; i < 2; i++) text_printf(t, " %u %" PRIu64, r->side[i].choices, r->side[i].nodes);
    for (int i = 0; i < r->plies; i++) text_printf(t, " %d", r->moves[i]);
    return ERR_OK;
}

static void read_result(edits *e, const char *data, size_t size)
{
    job_head h;
    char worker[DIST_NAME];
    text_buf t = {0};
    err r = job_result_read(&h, worker, g, 2, data, size, see_record, &t);
    if (r == ERR_OK) text_printf(&t, "%s %s %u", h.bench, worker, h.games);
    saw(e, r, &t);
}

static void jobs(void **state)
{
    (void)state;
    static const move_t line[] = {4, 0, 8};
    const match_player players[] = {{.name = "a", .spec = "random"}, {.name = "b", .spec = "greedy"}};
    const match_game played[] = {{7, {0, 1}, 2, 3}, {8, {1, 0}, 2, 3}};
    const match_record record[] = {{.what = played[0],
                                    .halves = 2,
                                    .reason = 1,
                                    .plies = 3,
                                    .opening_plies = 1,
                                    .moves = line,
                                    .detail = "",
                                    .side = {{2, 5, 0.5, 0.25}, {1, 9, 0, 0}}},
                                   {.what = played[1],
                                    .halves = 0,
                                    .reason = MATCH_FAILED,
                                    .failed = 1,
                                    .plies = 2,
                                    .moves = line,
                                    .detail = "it fell"}};
    job_head h = {.bench = "b-1", .number = 3, .games = 2};
    openings set = {0};
    text_buf list = {0}, t = {0};
    assert_ok(game_find("tictactoe", &g));
    assert_ok(openings_add(&set, &(opening){.plies = 2, .moves = {4, 8}}));
    match_options o = {.g = g,
                       .settings = "",
                       .players = players,
                       .n_players = 2,
                       .set = &set,
                       .seed = 11,
                       .rules = {40, 3, 0.1, 2},
                       .no_clock = true};
    assert_ok(job_setup_write(&o, "1.2", &t));
    edits e[3] = {{.name = "setup"}, {.name = "job"}, {.name = "result"}};
    bytes_of(&e[0], &t, SIZE_MAX, 4, read_setup);
    text_clear(&t);
    assert_ok(job_write(&h, played, &t));
    bytes_of(&e[1], &t, SIZE_MAX, 4, read_job);
    text_clear(&t);
    assert_ok(job_result_write(&h, "w", record, &t));
    bytes_of(&e[2], &t, SIZE_MAX, 4, read_result);
    for (int i = 0; i < 3; i++) edits_list(&e[i], &list);
    text_free(&t);
    openings_free(&set);
    assert_listed(&list, "dist/edits_jobs.txt");
}

// --- texts

static void read_ledger(void *ctx, const char *text)
{
    ledger l = {0};
    text_buf t = {0};
    err r = ledger_read(&l, text, strlen(text));
    if (r == ERR_OK) {
        ledger_row s = ledger_sum(&l);
        assert_ok(ledger_write(&l, &t));
        text_printf(&t, "%zu %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d", l.n, s.highest, s.counted, s.stale,
                    s.positions, ledger_find(&l, 0xfeed) != NULL);
    }
    ledger_free(&l);
    saw(ctx, r, &t);
}

static void read_entry(void *ctx, const char *text)
{
    run_entry x;
    text_buf t = {0};
    err r = run_entry_read(&x, "run-1", text, strlen(text));
    if (r == ERR_OK) {
        assert_ok(run_entry_write(&x, &t));
        text_printf(&t, " %s %s", x.run, run_entry_fits(&x, "1.0") == ERR_OK ? "fits" : err_text());
        run_entry_free(&x);
    }
    saw(ctx, r, &t);
}

static void read_status(void *ctx, const char *text)
{
    dist_status s = {0};
    text_buf t = {0};
    opt_values *keep = opt_keep();
    err r = dist_status_read(&s, text, strlen(text), keep);
    if (r == ERR_OK) assert_ok(dist_status_write(&s, &t));
    saw(ctx, r, &t);
    opt_free(keep);
}

static void read_name(void *ctx, const char *text)
{
    char made[DIST_NAME];
    text_buf t = {0};
    err r = dist_name_check("worker", text);
    dist_name_make(made, text);
    text_printf(&t, "%s %s", made, r == ERR_OK ? "good" : err_text());
    saw(ctx, ERR_OK, &t);
}

static void texts(void **state)
{
    (void)state;
    text_buf list = {0};
    edits e[4] = {{.name = "ledger"}, {.name = "entry"}, {.name = "status"}, {.name = "name"}};
    edits_of(
        "ledger 1 sequence 12 created 99 repeated 2 refused 1\n000000000000feed box-1 9 8 2 70\n00000000000000aa w_2 3 3 0 1\n",
        "0159a -\n", read_ledger, &e[0]);
    edits_of(
        "format = 1\nnumber = 00000000000000ab\nversion = 1.0\ngame = tictactoe\ngeneration = 3\nstep = 40\nsize = 1000\nchunk = 100\ncrc32c = 0000ffff\n---\nsims = 5\n",
        "09fz=- \n", read_entry, &e[1]);
    edits_of(
        "kind = worker\nname = w\nhost = h\nversion = 1\nrun = r\nbackend = cpu\nstate = plays\nprocess = 3\nthreads = 2\ngames = 7\ngames_s = 1.5\nlag = 0\n",
        "09z=- \n", read_status, &e[2]);
    edits_of("abcXYZ019-_abcdefghijklmnopqrst", "/:@[`{ .~", read_name, &e[3]);
    for (int i = 0; i < 4; i++) edits_list(&e[i], &list);
    char name[3][DIST_SUBJECT];
    for (int i = 0; i < 2; i++) {
        dist_stream_name(name[0], (dist_stream)i, "r");
        dist_stream_subjects(name[1], (dist_stream)i, "r");
        dist_games_subject(name[2], "r", "w");
        text_printf(&list, "%s %s %s\n", name[0], name[1], name[2]);
    }
    assert_listed(&list, "dist/edits.txt");
}

// A ledger against a plain list, for hundreds of workers whose games come again and late.
static void ledger_and_list(void **state)
{
    (void)state;
    enum { WORKERS = 300, GAMES = 4000 };
    ledger l = {0}, back = {0};
    ledger_row plain[WORKERS] = {0};
    uint64_t repeated = 0;
    rng r = rng_at(9, 0, 0);
    text_buf t = {0};
    assert_null(ledger_find(&l, 1));
    for (int i = 0; i < GAMES; i++) {
        int w = (int)rng_below(&r, WORKERS);
        dist_head h = {.incarnation = (uint64_t)w * 64 + 1, .counter = 1 + rng_below(&r, 20)};
        bool stale = rng_below(&r, 5) == 0, fresh;
        uint64_t positions = rng_below(&r, 50);
        snprintf(h.worker, sizeof h.worker, "w%d", w);
        assert_ok(ledger_count(&l, &h, positions, stale, &fresh));
        assert_int_equal(fresh, h.counter > plain[w].highest);
        repeated += !fresh;
        if (!fresh) continue;
        plain[w].highest = h.counter;
        plain[w].counted++;
        plain[w].stale += stale;
        plain[w].positions += stale ? 0 : positions;
    }
    assert_int_equal(l.repeated, repeated);
    assert_ok(ledger_write(&l, &t));
    assert_ok(ledger_read(&back, t.data, t.len));
    size_t n = 0;
    ledger_row sum = ledger_sum(&back), own = {0};
    for (int w = 0; w < WORKERS; w++) {
        const ledger_row *row = ledger_find(&back, (uint64_t)w * 64 + 1);
        assert_int_equal(row != NULL, plain[w].highest > 0);
        if (row == NULL) continue;
        n++;
        assert_true(row->highest == plain[w].highest && row->counted == plain[w].counted &&
                    row->stale == plain[w].stale && row->positions == plain[w].positions);
        own.highest += row->highest, own.counted += row->counted, own.stale += row->stale,
            own.positions += row->positions;
    }
    assert_true(back.n == n && l.n == n && sum.highest == own.highest && sum.counted == own.counted &&
                sum.stale == own.stale && sum.positions == own.positions);
    text_free(&t);
    ledger_free(&l);
    ledger_free(&back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(games), cmocka_unit_test(jobs), cmocka_unit_test(texts),
                                       cmocka_unit_test(ledger_and_list)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
