// What the page and `bench --compare` are told of runs with made-up games: details, status, pages of games, single games, the latest
// games of a store, comparisons. Each run is one number of a list, tests/app/benches.txt; KEIKO_SHOW_EDITS=1 prints the texts.
#include "app/bench.h"
#include "arena/made_up.h"
#include "base/edits.h"
#include "base/temp_dir.h"

enum { RUNS = 12 };
static char dir[64];

static int set_up(void **state)
{
    (void)state;
    return temp_dir_make(dir) == NULL;
}
static int tear_down(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

// The setup with another seed's games, as one more run of the store. `fewer`: its last games are not played.
static void add_run(store *st, const tour_setup *s, uint64_t seed, int fewer, double at)
{
    static move_t moves[256][MADE_UP_PLIES];
    static match_record record[256];
    schedule plan;
    int run;
    rng r = rng_at(seed, 0, 0);
    assert_ok(schedule_make(&plan, s->schedule, s->n_players, s->games));
    int n = (int)plan.n - fewer > 0 ? (int)plan.n - fewer : 0;
    assert_in_range(n, 0, 256);
    for (int i = 0; i < n; i++) make_game(s, &plan, (uint64_t)i, &r, &record[i], moves[i]);
    schedule_free(&plan);
    assert_ok(store_begin(st, s, at, &run));
    if (n > 0) assert_ok(store_add(st, run, record, n));
    if (fewer == 0) assert_ok(store_finish(st, run, s->has_sprt && n > 4 ? (uint64_t)n - 2 : 0, at + 500));
}

// One JSON text that a call made, or its sentence.
static void saw(edits *e, const char *what, err r, json_writer *w, text_buf *t)
{
    if (r == ERR_OK)
        assert_ok(json_finish(w));
    else
        (void)json_finish(w);
    edits_saw(e, r == ERR_OK, what, r == ERR_OK ? text_str(t) : err_text());
    text_clear(t);
}

static void see_run(edits *e, const bench_opened *b)
{
    static const char *const ends[] = {NULL, "win", "draw", "loss", "lost"};
    text_buf t = {0};
    json_writer w;
    for (int playing = 0; playing < 2; playing++) {
        w = json_begin(&t, false);
        bench_status_json(&b->view, playing == 1, &w);
        saw(e, "status", ERR_OK, &w, &t);
    }
    w = json_begin(&t, false);
    json_open_object(&w);
    err r = bench_details_json(b, &w);
    json_close(&w);
    saw(e, "details", r, &w, &t);
    for (int i = 0; i < 15; i++) {
        bench_filter f = {.player = i % 3 == 0   ? NULL
                                    : i % 3 == 1 ? b->view.setup.player[0].name
                                                 : b->view.setup.player[1].name,
                          .result = ends[i % 5],
                          .from = i % 4,
                          .limit = 1 + i};
        w = json_begin(&t, false);
        r = bench_games_json(b, &f, &w);
        saw(e, "games", r, &w, &t);
    }
    for (uint64_t i = 0; i < 5; i++) {
        w = json_begin(&t, false);
        r = bench_game_json(b, i * i, &w);
        saw(e, "game", r, &w, &t);
    }
    text_free(&t);
}

static void see_latest(edits *e, store *s)
{
    static const int64_t pages[][2] = {{0, 100}, {0, 1}, {1, 2}, {3, 4}, {5, 3}, {7, 40}, {500, 5}, {0, 0}};
    text_buf t = {0};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        json_writer w = json_begin(&t, false);
        err r = bench_recent_json(s, pages[i][0], pages[i][1], &w);
        saw(e, "latest", r, &w, &t);
    }
    text_free(&t);
}

static void see_comparison(edits *e, const char *was, const char *now, const char *unchanged)
{
    bench_comparison c;
    text_buf t = {0};
    json_writer w = json_begin(&t, false);
    err r = bench_compare(&c, was, now, unchanged, &(view_options){0});
    if (r == ERR_OK) {
        bench_comparison_json(&c, &w);
        bench_comparison_free(&c);
    }
    saw(e, "comparison", r, &w, &t);
    text_free(&t);
}

static void benches(void **state)
{
    (void)state;
    text_buf list = {0};
    char path[2][100], name[64];
    if (!store_has_files()) skip_because("this build has no SQLite");
    for (uint32_t k = 0; k < RUNS; k++) {
        rng r = rng_at(1811, k, 0);
        tour_setup s;
        store *st;
        bench_opened b;
        make_setup(&s, k, &r);
        snprintf(name, sizeof name, "%u %s", k, s.g->name);
        edits e = {.name = name};
        for (int i = 0; i < 2; i++) { // two stores, so that they can be compared
            snprintf(path[i], sizeof path[i], "%s/%u-%d.db", dir, k, i);
            assert_ok(store_open_file(&st, path[i], true));
            for (int run = 0; run < 3; run++)
                add_run(st, &s, 100 * k + 10 * (uint32_t)i + (uint32_t)run, run == 1 ? 3 : 0, 1e6 * (run + 1) + k);
            if (i == 0) see_latest(&e, st);
            store_close(st);
        }
        for (int run = 1; run <= 3; run++) {
            view_options o = {.playing = run == 2};
            if (bench_open(&b, path[0], run, &o) == ERR_OK) {
                see_run(&e, &b);
                bench_close(&b);
            } else {
                edits_saw(&e, false, "run", err_text());
            }
        }
        see_comparison(&e, path[0], path[1], NULL);
        see_comparison(&e, path[0], path[1], s.player[1].name);
        see_comparison(&e, path[0], path[1], "nobody");
        see_comparison(&e, path[0], path[0], NULL);
        edits_list(&e, &list);
        tour_setup_free(&s);
    }
    text_buf none = {0};
    json_writer w = json_begin(&none, false);
    assert_ok(bench_recent_json(NULL, 3, 5, &w)); // no store yet
    assert_ok(json_finish(&w));
    text_printf(&list, "%s\n", text_str(&none));
    text_free(&none);
    assert_listed(&list, "app/benches.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(benches)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
