// The bench as functions: runs of version 0.1.0, resuming, repeating, what a run remembers. labels: threads
#include "app/bench.h"
#include "base/stop.h"
#include "base/temp_dir.h"
#include "test.h"

#include <sys/resource.h>

static char dir[64];

static int make_dir(void **state)
{
    (void)state;
    return temp_dir_make(dir) == NULL;
}

static int remove_dir(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

static const char *in_dir(const char *name)
{
    static char path[2][256];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
    return path[turn];
}

static bench_ask ask_of(const char *json)
{
    bench_ask a;
    assert_ok(bench_ask_defaults(&a));
    assert_ok(bench_ask_json(&a, json, strlen(json), "ask"));
    return a;
}

#define OLD KEIKO_SOURCE "/tests/app/bench-0.1.0"

// --- files of 0.1.0

static void results_of_0_1_0_open(void **state)
{
    (void)state;
    bench_opened b;
    assert_ok(bench_open(&b, OLD "/results.json", 0, &(view_options){0}));
    assert_string_equal(b.view.setup.g->name, "tictactoe");
    assert_true(b.view.games.n == 12 && b.view.planned == 12 && b.view.state.ended > 0);
    assert_int_equal(b.view.setup.n_players, 3);
    assert_string_equal(b.view.setup.player[2].spec, "mcts:sims=30");
    // What 0.1.0 printed: deep 1915, greedy 1383, random 1202.
    assert_true((int)(b.view.fit.rating[2] + 0.5) == 1915 && (int)(b.view.fit.rating[0] + 0.5) == 1202);
    assert_true(b.view.player[0].seconds > 0 && b.view.player[0].cpu == 0);
    bench_close(&b);
}

static void copy_store(const char *to)
{
    char *data;
    size_t n;
    assert_ok(file_read(OLD "/bench.db", 1 << 20, &data, &n));
    assert_ok(file_make_parent(to));
    assert_ok(file_write_atomic(to, data, n));
    free(data);
}

static void a_store_of_0_1_0_opens_and_goes_on(void **state)
{
    (void)state;
    bench_opened b;
    bench_result r;
    if (!store_has_files()) skip_because("this build has no SQLite");
    // Reading leaves it as it is: a store that nobody may write to is still readable.
    copy_store(in_dir("old/bench.db"));
    assert_ok(bench_open(&b, in_dir("old"), 0, &(view_options){0}));
    assert_true(b.view.games.n == 8 && b.view.planned == 12 && b.view.state.ended == 0);
    assert_true(b.view.player[0].cpu == 0 && b.view.player[0].seconds > 0);
    assert_string_equal(b.view.setup.rating.model, "bt-adv");
    bench_close(&b);
    bench_ask a;
    assert_ok(bench_ask_defaults(&a));
    bench_run_options o = {.output = in_dir("old"), .resume = true, .threads = 1};
    assert_ok(bench_run(&r, &a, &o));
    assert_true(r.view.games.n == 12 && r.view.state.ended > 0 && !r.stopped);
    assert_true(r.view.player[0].cpu > 0); // four games were played by this version
    // The same games as 0.1.0 played to the end: the same ratings.
    assert_true((int)(r.view.fit.rating[2] + 0.5) == 1915 && (int)(r.view.fit.rating[0] + 0.5) == 1202);
    bench_result_free(&r);
    bench_ask_free(&a);
}

// --- resuming

// Players are known by the run itself: saying one thing again does not ask for the defaults of all others.
static void resume_compares_what_was_said(void **state)
{
    (void)state;
    bench_result r;
    if (!store_has_files()) skip_because("this build has no SQLite");
    bench_run_options o = {.output = in_dir("said"), .threads = 2};
    bench_ask a = ask_of("{\"game\":\"tictactoe\",\"gamesPerPair\":4,\"seed\":3,\"maxPlies\":8,\"openings\":\"start\","
                         "\"players\":[{\"id\":\"a\",\"agent\":\"random\"},{\"id\":\"b\",\"agent\":\"greedy\"}]}");
    assert_ok(bench_run(&r, &a, &o));
    assert_int_equal(r.view.games.n, 4);
    bench_result_free(&r);
    bench_ask_free(&a);
    o.resume = true;
    static const struct {
        const char *json, *says;
    } cases[] = {
        {"{}", NULL},
        {"{\"gamesPerPair\":4}", NULL},
        {"{\"seed\":3,\"game\":\"tictactoe\"}", NULL},
        {"{\"players\":[{\"id\":\"a\",\"agent\":\"random\"},{\"id\":\"b\",\"agent\":\"greedy\"}]}", NULL},
        {"{\"gamesPerPair\":6}", "began with games '4', not '6'"},
        {"{\"seed\":4}", "began with seed '3'"},
        {"{\"game\":\"othello\"}", "began with game 'tictactoe'"},
        {"{\"maxPlies\":7}", "began with max-plies '8'"},
        {"{\"schedule\":\"gauntlet\"}", "began with schedule"},
        {"{\"openings\":\"balanced\"}", "began with openings 'start'"},
        {"{\"sprt\":\"elo1=20\"}", "began with sprt"},
        {"{\"resignMoves\":2}", "began with resign"},
        {"{\"players\":[{\"id\":\"a\",\"agent\":\"random\"},{\"id\":\"c\",\"agent\":\"greedy\"}]}",
         "began with player 'b'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        a = ask_of(cases[i].json);
        err e = bench_run(&r, &a, &o);
        if (cases[i].says == NULL)
            assert_ok(e);
        else
            assert_err(e, cases[i].says);
        bench_result_free(&r);
        bench_ask_free(&a);
    }
}

// --- what a run remembers

static void a_run_is_rated_as_it_was(void **state)
{
    (void)state;
    bench_result r;
    bench_opened b;
    text_buf t = {0};
    bench_ask a = ask_of("{\"game\":\"tictactoe\",\"gamesPerPair\":10,"
                         "\"players\":[{\"agent\":\"random\"},{\"agent\":\"greedy\"}]}");
    bench_run_options o = {
        .output = in_dir("rated"), .threads = 1, .view = {.anchors = "greedy=1000", .model = "davidson", .level = 0.9}};
    assert_ok(bench_run(&r, &a, &o));
    double other = r.view.fit.rating[0];
    assert_true(r.view.fit.rating[1] == 1000 && other < 1000);
    bench_result_free(&r);
    bench_ask_free(&a);
    const char *const paths[] = {"rated/bench.db", "rated/results.json", "rated"};
    for (int i = store_has_files() ? 0 : 1; i < 3; i++) {
        assert_ok(bench_open(&b, in_dir(paths[i]), 0, &(view_options){0}));
        assert_true(b.view.fit.rating[1] == 1000 && b.view.fit.rating[0] == other);
        assert_string_equal(b.view.setup.rating.model, "davidson");
        assert_true(b.view.setup.rating.level == 0.9);
        bench_close(&b);
        text_clear(&t);
        assert_ok(bench_markdown(in_dir(paths[i]), 0, &(view_options){0}, &t));
        assert_non_null(strstr(text_str(&t), "| greedy | 1000 |"));
    }
    // What is said when looking comes first.
    assert_ok(bench_open(&b, in_dir("rated"), 0, &(view_options){.anchors = "greedy=2000"}));
    assert_true(b.view.fit.rating[1] == 2000);
    bench_close(&b);
    text_free(&t);
}

// --- other people's files

static void a_strange_file_is_left_alone(void **state)
{
    (void)state;
    static const char words[] = "{\"thesis\": \"ten years of work\"}";
    bench_result r;
    char *back;
    bench_ask a = ask_of("{\"game\":\"tictactoe\",\"gamesPerPair\":2,"
                         "\"players\":[{\"agent\":\"random\"},{\"agent\":\"greedy\"}]}");
    bench_run_options o = {.output = in_dir("precious.json"), .threads = 1};
    assert_ok(file_write_atomic(in_dir("precious.json"), words, strlen(words)));
    assert_err(bench_run(&r, &a, &o), "holds something else than results of the bench");
    assert_ok(file_read(in_dir("precious.json"), 1000, &back, NULL));
    assert_string_equal(back, words);
    free(back);
    assert_false(file_exists(in_dir("precious.db"))); // told before anything was made
    // An empty file, and results, are replaced.
    assert_ok(file_write_atomic(in_dir("precious.json"), "", 0));
    for (int i = 0; i < 2; i++) {
        assert_ok(bench_run(&r, &a, &o));
        bench_result_free(&r);
    }
    a.format = "csv";
    assert_ok(file_write_atomic(in_dir("precious-games.csv"), "name,phone\n", 11));
    assert_err(bench_run(&r, &a, &o), "something else");
    bench_ask_free(&a);
}

// --- stopping

static void stop_in_third(void *ctx, const char *text)
{
    (void)ctx;
    if (strcmp(text, "run 3 of 3") == 0) stop_request();
}

static void an_interrupted_repetition_keeps_its_names(void **state)
{
    (void)state;
    bench_spread spread;
    bench_result last;
    // With openings to make the stop comes before the third run's first game, without any during it.
    static const char *const kinds[] = {"start", "balanced"};
    for (int i = 0; i < 2; i++) {
        char ask[200];
        snprintf(ask, sizeof ask,
                 "{\"game\":\"tictactoe\",\"gamesPerPair\":20,\"openings\":\"%s\","
                 "\"players\":[{\"agent\":\"random\"},{\"agent\":\"greedy\"}]}",
                 kinds[i]);
        bench_ask a = ask_of(ask);
        bench_run_options o = {.output = in_dir(kinds[i]), .threads = 1, .note = stop_in_third};
        err e = bench_repeat(&spread, &last, &a, &o, 3);
        stop_reset();
        assert_ok(e);
        assert_true(last.stopped && last.loaded == (i == 0) && spread.runs == 2 && spread.players == 2);
        assert_string_equal(spread.name[0], "random");
        assert_string_equal(spread.name[1], "greedy");
        bench_deviation d = bench_deviation_of(&spread, spread.rating, 0);
        assert_true(d.mean < 1500 && d.sd >= 0);
        assert_true(d.mean == (spread.rating[0] + spread.rating[2]) / 2);
        bench_result_free(&last);
        bench_spread_free(&spread);
        bench_ask_free(&a);
    }
}

static void stop_soon(void *ctx, const tour_live *now)
{
    (void)ctx;
    if (now->played > 100) stop_request();
}

// Four thousand million games are a plan, not an array.
static void games_to_come_take_no_memory(void **state)
{
    (void)state;
    bench_result r;
    struct rusage before, after;
    bench_ask a = ask_of("{\"game\":\"tictactoe\",\"gamesPerPair\":4000000000,\"openings\":\"start\","
                         "\"players\":[{\"agent\":\"random\"},{\"agent\":\"greedy\"}]}");
    bench_run_options o = {.output = in_dir("many"), .no_store = true, .threads = 2, .watch = stop_soon};
    for (int i = 0; i < 2; i++) {
        if (i == 1) a.sprt = "elo0=-150,elo1=-149.99"; // needs very many games
        getrusage(RUSAGE_SELF, &before);
        err e = bench_run(&r, &a, &o);
        getrusage(RUSAGE_SELF, &after);
        stop_reset();
        assert_ok(e);
        assert_true(r.stopped && r.view.games.n > 100 && r.view.planned == 4000000000u);
        assert_true(after.ru_maxrss - before.ru_maxrss < 1 << 20); // kilobytes
        bench_result_free(&r);
    }
    bench_ask_free(&a);
}

// --- JSON for a page

static void status_is_json(void **state)
{
    (void)state;
    bench_opened b;
    text_buf t = {0};
    assert_ok(bench_open(&b, OLD "/results.json", 0, &(view_options){0}));
    json_writer w = json_begin(&t, false);
    bench_status_json(&b.view, true, &w);
    assert_ok(json_finish(&w));
    json_doc *doc;
    assert_ok(json_read(&doc, text_str(&t), t.len, "status"));
    json_val root = json_root(doc), players = json_member(&root, "players"), p = json_item(&players, 2);
    const char *text;
    int64_t n;
    double rating;
    bool playing = false;
    assert_ok(json_need_text(&root, "kind", &text));
    assert_string_equal(text, "bench");
    assert_ok(json_maybe_bool(&root, "playing", &playing));
    assert_true(playing);
    assert_ok(json_need_int(&root, "played", 0, 100, &n));
    assert_int_equal(n, 12);
    assert_ok(json_need_text(&p, "name", &text));
    assert_string_equal(text, "deep");
    assert_ok(json_need_number(&p, "rating", 0, 5000, &rating));
    assert_true(rating > 1914 && rating < 1916);
    json_free(doc);
    text_free(&t);
    bench_close(&b);
}

// An object written by `write`, read back.
static json_doc *reread(text_buf *t, json_writer *w)
{
    json_doc *doc;
    assert_ok(json_finish(w));
    assert_ok(json_read(&doc, text_str(t), t->len, "what was written"));
    text_truncate(t, 0);
    return doc;
}

static int64_t number_of(const json_val *v, const char *key)
{
    int64_t n;
    assert_ok(json_need_int(v, key, 0, 1000000, &n));
    return n;
}

// Three players, four games each pair: three pairings with all their games, pages of games, one game with its moves.
static void details_and_games_are_json(void **state)
{
    (void)state;
    bench_opened b;
    text_buf t = {0};
    assert_ok(bench_open(&b, OLD "/results.json", 0, &(view_options){0}));
    json_writer w = json_begin(&t, false);
    json_open_object(&w);
    assert_ok(bench_details_json(&b, &w));
    json_close(&w);
    json_doc *doc = reread(&t, &w);
    json_val root = json_root(doc), pairings = json_member(&root, "pairings"), setup = json_member(&root, "setup");
    assert_int_equal(number_of(&setup, "gamesPerPair"), 4);
    assert_int_equal(json_count(&pairings), 3);
    for (int i = 0; i < 3; i++) {
        json_val p = json_item(&pairings, i);
        int64_t wins = number_of(&p, "wins"), draws = number_of(&p, "draws");
        double score;
        assert_int_equal(wins + draws + number_of(&p, "losses"), 4);
        assert_true(number_of(&p, "a") < 3 && number_of(&p, "b") < 3 && number_of(&p, "a") != number_of(&p, "b"));
        assert_ok(json_need_number(&p, "score", 0, 1, &score));
        assert_true(score == ((double)wins + 0.5 * (double)draws) / 4);
        json_val pairs = json_member(&p, "pairs"); // each opening was played both ways round
        double sum = 0, points = 0;
        assert_int_equal(json_count(&pairs), 5);
        for (int k = 0; k < 5; k++) {
            json_val one = json_item(&pairs, k);
            double games;
            assert_ok(json_get_number(&one, 0, 2, &games));
            sum += games;
            points += 0.5 * k * games;
        }
        assert_true(sum == 2 && points == 4 * score);
    }
    json_val curve = json_member(&root, "convergence"), at = json_member(&curve, "games"),
             ratings = json_member(&curve, "ratings"), last = json_item(&ratings, json_count(&ratings) - 1);
    assert_true(json_count(&at) > 0 && json_count(&at) == json_count(&ratings));
    assert_int_equal(json_count(&last), 3);
    json_val test = json_member(&root, "sprt");
    assert_true(json_kind_of(&test) != JK_OBJECT);
    json_free(doc);

    static const struct {
        bench_filter f;
        int items, total;
    } pages[] = {{{.limit = 100}, 12, 12},
                 {{.from = 10, .limit = 5}, 2, 12},
                 {{.from = 3, .limit = 4}, 4, 12},
                 {{.player = "deep", .limit = 100}, 8, 8}};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        w = json_begin(&t, false);
        assert_ok(bench_games_json(&b, &pages[i].f, &w));
        doc = reread(&t, &w);
        root = json_root(doc);
        json_val items = json_member(&root, "items");
        assert_int_equal(json_count(&items), pages[i].items);
        assert_int_equal(number_of(&root, "total"), pages[i].total);
        assert_int_equal(number_of(&root, "from"), pages[i].f.from);
        json_free(doc);
    }
    int all = 0; // a player's wins, draws and losses are all its games
    for (int i = 0; i < 3; i++) {
        static const char *const words[] = {"win", "draw", "loss"};
        w = json_begin(&t, false);
        assert_ok(bench_games_json(&b, &(bench_filter){"deep", words[i], 0, 100}, &w));
        doc = reread(&t, &w);
        root = json_root(doc);
        all += (int)number_of(&root, "total");
        json_free(doc);
    }
    assert_int_equal(all, 8);
    b.view.state.stop = 7; // games that were played after a test was decided are not listed
    w = json_begin(&t, false);
    assert_ok(bench_games_json(&b, &(bench_filter){.limit = 100}, &w));
    doc = reread(&t, &w);
    root = json_root(doc);
    assert_int_equal(number_of(&root, "total"), 7);
    json_free(doc);
    b.view.state.stop = 0;
    w = json_begin(&t, false);
    assert_err(bench_games_json(&b, &(bench_filter){.player = "nobody"}, &w), "no player 'nobody'");
    assert_err(bench_games_json(&b, &(bench_filter){.result = "lost"}, &w), "must be win, draw or loss");
    assert_err(bench_game_json(&b, 12, &w), "no game 12");
    (void)json_finish(&w);
    text_truncate(&t, 0);
    w = json_begin(&t, false);
    assert_ok(bench_game_json(&b, 11, &w));
    doc = reread(&t, &w);
    root = json_root(doc);
    assert_int_equal(number_of(&root, "number"), 11);
    assert_true(number_of(&root, "plies") >= 5);
    json_free(doc);
    text_free(&t);
    bench_close(&b);
}

static void a_pair_is_scored_from_the_first(void **state)
{
    (void)state;
    const game *g;
    bench_score s, again;
    assert_ok(game_find("tictactoe", &g));
    assert_ok(bench_pair(&s, g, "greedy", "random", 50, 9, 2));
    assert_true(s.games == 100 && s.wins + s.draws + s.losses == 100 && s.wins > s.losses);
    assert_true(s.score == ((double)s.wins + 0.5 * (double)s.draws) / 100 && s.in.low < s.score && s.in.high > s.score);
    assert_ok(bench_pair(&again, g, "greedy", "random", 50, 9, 1));
    assert_true(again.wins == s.wins && again.draws == s.draws);
    assert_err(bench_pair(&s, g, "greedy", "random", 0, 9, 1), "pairs must be");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_0_1_0_open),         cmocka_unit_test(a_store_of_0_1_0_opens_and_goes_on),
        cmocka_unit_test(resume_compares_what_was_said), cmocka_unit_test(a_run_is_rated_as_it_was),
        cmocka_unit_test(a_strange_file_is_left_alone),  cmocka_unit_test(an_interrupted_repetition_keeps_its_names),
        cmocka_unit_test(games_to_come_take_no_memory),  cmocka_unit_test(status_is_json),
        cmocka_unit_test(details_and_games_are_json),    cmocka_unit_test(a_pair_is_scored_from_the_first),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
