// Stores: what goes in comes out, in memory and in a file; damage, locks and full disks are told. labels: threads
#include "arena/export.h"
#include "arena/tour_play.h"
#include "base/file.h"
#include "base/json.h"
#include "base/temp_dir.h"
#include "test.h"

#include <math.h>
#ifdef KEIKO_SQLITE
#include <sqlite3.h>
#endif

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
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static tour_setup a_setup(const char *game_name)
{
    tour_setup s = {.schedule = SCHEDULE_ROUND_ROBIN, .games = 5, .seed = 77};
    assert_ok(game_find(game_name, &s.g));
    strcpy(s.openings, "balanced");
    strcpy(s.build, "a build");
    assert_ok(tour_add_player(&s, "one", "random"));
    assert_ok(tour_add_player(&s, "two, \"quoted\"", "greedy"));
    assert_ok(tour_add_player(&s, "one", "random"));
    assert_string_equal(s.player[2].name, "one#2");
    assert_string_equal(s.player[2].config, s.player[0].config);
    assert_string_not_equal(s.player[1].config, s.player[0].config);
    assert_ok(openings_make(&s.set, s.g, "", "balanced", 2, 3));
    s.rules = (match_rules){.max_plies = 70, .resign = 0.25, .resign_moves = 3};
    s.sprt = (sprt_test){1, 2, 0.1, 0.2, SPRT_NORMALISED};
    return s;
}

typedef struct seen {
    int n;
    uint64_t hash, last;
} seen;

static err look(void *ctx, const match_record *r)
{
    seen *s = ctx;
    assert_true(s->n == 0 || r->what.id > s->last);
    s->last = r->what.id;
    s->n++;
    s->hash = rng_mix(s->hash ^ r->what.id ^ (uint64_t)r->halves << 40 ^ (uint64_t)r->plies << 20 ^ r->reason);
    s->hash = rng_mix(s->hash ^ r->what.pair ^ (uint64_t)r->what.opening << 32 ^ r->side[0].nodes ^ r->opening_plies);
    s->hash = rng_mix(s->hash ^ (uint64_t)r->what.player[0] << 16 ^ r->what.player[1] ^ r->failed);
    for (int i = 0; i < r->plies; i++) s->hash = rng_mix(s->hash ^ r->moves[i]);
    for (const char *p = r->detail; *p; p++) s->hash = rng_mix(s->hash ^ (unsigned char)*p);
    return ERR_OK;
}

static err keep_first(void *ctx, const match_record *r)
{
    match_record *to = ctx;
    if (to->side[0].choices == 0) *to = *r;
    return ERR_OK;
}

static void play(store *st, const tour_setup *s, int *run)
{
    tour_end end;
    assert_ok(store_begin(st, s, 1000, run));
    assert_ok(tour_play(st, *run, s, &(tour_play_options){.threads = 2, .no_clock = true}, &end));
    assert_true(end.complete && end.played == 15 && end.fresh == 15);
    // a record of the kinds that play does not make here
    move_t moves[] = {500, 3, 65534};
    match_record odd = {.what = {.id = 1000, .player = {1, 0}, .opening = 9, .pair = 4},
                        .reason = MATCH_FAILED,
                        .failed = 1,
                        .halves = 2,
                        .plies = 3,
                        .opening_plies = 1,
                        .side = {{3, UINT64_C(1) << 60, 0.5, 0.4}, {2, 7, 0.25, 0.2}},
                        .moves = moves,
                        .detail = "it said 'no'"};
    assert_ok(store_add(st, *run, &odd, 1));
    odd.what.id = 1001;
    odd.plies = 0;
    odd.detail = "";
    assert_ok(store_add(st, *run, &odd, 1));
}

// Every number of a game comes back in its own place.
static void the_sides_are_kept_apart(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        store *st;
        int run;
        tour_setup s = a_setup("tictactoe");
        if (kind == 1 && !store_has_files()) skip_because("this build has no SQLite");
        if (kind == 0)
            assert_ok(store_open_memory(&st));
        else
            assert_ok(store_open_file(&st, in_dir("sides.db"), true));
        assert_ok(store_begin(st, &s, 1, &run));
        match_record r = {.what = {.id = 0, .player = {0, 1}},
                          .halves = 2,
                          .reason = MATCH_FAILED,
                          .failed = 1,
                          .plies = 0,
                          .side = {{11, 22, 0.33, 0.44}, {55, 66, 0.77, 0.88}},
                          .detail = ""};
        assert_ok(store_add(st, run, &r, 1));
        r.what.id = 1;
        r.what.player[0] = 1;
        r.what.player[1] = 0;
        r.failed = 0;
        r.halves = 0;
        assert_ok(store_add(st, run, &r, 1));
        tour_view v;
        assert_ok(view_load(&v, st, run, &(view_options){0}));
        const view_player *one = &v.player[0], *two = &v.player[1];
        assert_true(one->choices == 66 && two->choices == 66 && one->nodes == 88 && two->nodes == 88);
        assert_true(fabs(one->seconds - 1.1) < 1e-9 && fabs(one->cpu - 1.32) < 1e-9);
        // "two" failed twice: once at each seat
        assert_true(one->failures == 0 && two->failures == 2 && v.reasons[MATCH_FAILED] == 2);
        view_free(&v);
        match_record first = {0};
        assert_ok(store_games(st, run, keep_first, &first));
        assert_true(first.side[0].choices == 11 && first.side[0].nodes == 22);
        assert_true(first.side[0].seconds == 0.33 && first.side[0].cpu == 0.44);
        assert_true(first.side[1].choices == 55 && first.side[1].nodes == 66);
        assert_true(first.side[1].seconds == 0.77 && first.side[1].cpu == 0.88);
        store_close(st);
        tour_setup_free(&s);
    }
}

// A run is not continued over games that its schedule does not have.
static void foreign_games_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint64_t id;
        uint16_t first, second;
        bool fine;
    } cases[] = {{0, 0, 1, true},  {1, 1, 0, true},  {0, 1, 0, false}, {1, 0, 1, false},
                 {0, 0, 2, false}, {0, 2, 1, false}, {14, 1, 2, true}, {15, 0, 1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        store *st;
        int run;
        tour_end end;
        tour_setup s = a_setup("tictactoe"); // three players, five games per pairing: numbers 0 to 14
        match_record r = {.what = {.id = cases[i].id, .player = {cases[i].first, cases[i].second}}, .detail = ""};
        assert_ok(store_open_memory(&st));
        assert_ok(store_begin(st, &s, 1, &run));
        assert_ok(store_add(st, run, &r, 1));
        err e = tour_play(st, run, &s, &(tour_play_options){.threads = 1}, &end);
        if (cases[i].fine)
            assert_true(e == ERR_OK && end.played == 15 && end.fresh == 14);
        else
            assert_err(e, "does not belong to the schedule");
        store_close(st);
        tour_setup_free(&s);
    }
}

static void both_kinds_keep_everything(void **state)
{
    (void)state;
    if (!store_has_files()) skip_because("this build has no SQLite");
    store *memory, *file;
    int run_m, run_f;
    assert_ok(store_open_memory(&memory));
    assert_ok(store_open_file(&file, in_dir("a/b/both.db"), true));
    assert_int_equal(store_runs(file), 0);
    tour_setup s = a_setup("contrast"); // moves beyond one byte
    tour_setup back;
    tour_state at;
    assert_err(store_load(file, 0, &back, &at), "no run yet");
    play(memory, &s, &run_m);
    play(file, &s, &run_f);
    seen a = {0}, b = {0}, c = {0};
    assert_ok(store_games(memory, run_m, look, &a));
    assert_ok(store_games(file, run_f, look, &b));
    assert_int_equal(a.n, 17);
    assert_true(a.n == b.n && a.hash == b.hash);
    store_close(file);
    assert_ok(store_open_file(&file, in_dir("a/b/both.db"), false));
    assert_ok(store_games(file, 1, look, &c));
    assert_true(c.hash == a.hash);
    assert_ok(store_load(file, 0, &back, &at));
    assert_ok(tour_setup_same(&s, &back));
    assert_string_equal(back.player[1].config, s.player[1].config);
    assert_int_equal(back.set.n, s.set.n);
    assert_memory_equal(back.set.line, s.set.line, s.set.n * sizeof *s.set.line);
    assert_true(at.played == 17 && at.ended > 0 && at.started == 1000 && at.stop == 0);
    assert_err(store_load(file, 2, &back, &at), "no run 2");
    back.rules.max_plies = 71;
    assert_err(tour_setup_same(&s, &back), "max-plies '70', not '71'");
    tour_setup_free(&back);
    tour_setup_free(&s);
    store_close(file);
    store_close(memory);
}

static void a_second_writer_is_kept_out(void **state)
{
    (void)state;
    if (!store_has_files()) skip_because("this build has no SQLite");
    store *one, *two;
    assert_ok(store_open_file(&one, in_dir("lock.db"), true));
    assert_err(store_open_file(&two, in_dir("lock.db"), true), "another keiko is writing");
    assert_err(store_open_file(&two, in_dir("nothing.db"), false), "there is no");
    store_close(one);
    assert_ok(store_open_file(&two, in_dir("lock.db"), true));
    store_close(two);
}

// Games that nobody could find again are refused, not kept.
static void a_moved_store_is_told(void **state)
{
    (void)state;
    if (!store_has_files()) skip_because("this build has no SQLite");
    char moved[300];
    store *st;
    seen all = {0};
    int run = 0;
    tour_setup s = a_setup("tictactoe");
    snprintf(moved, sizeof moved, "%s.moved", in_dir("here.db"));
    assert_ok(store_open_file(&st, in_dir("here.db"), true));
    play(st, &s, &run);
    match_record more = {.what = {.id = 2000, .player = {1, 0}}, .reason = MATCH_CAP, .halves = 1, .detail = ""};
    assert_int_equal(rename(in_dir("here.db"), moved), 0);
    assert_err(store_add(st, run, &more, 1), "was moved or removed while games were written to it");
    assert_int_equal(rename(moved, in_dir("here.db")), 0);
    assert_ok(store_add(st, run, &more, 1)); // back again
    assert_ok(store_games(st, run, look, &all));
    assert_int_equal(all.n, 18);
    store_close(st);
    tour_setup_free(&s);
}

static void foreign_database(const char *path)
{
#ifdef KEIKO_SQLITE
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "create table t(x)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
#else
    (void)path;
#endif
}

static void damage_is_told(void **state)
{
    (void)state;
    if (!store_has_files()) skip_because("this build has no SQLite");
    store *st;
    int run;
    char *bytes;
    size_t size;
    static const char text[] = "this is a letter to my aunt, not a database at all, and it goes on for quite a while …";
    assert_ok(file_write_atomic(in_dir("letter.db"), text, sizeof text));
    assert_err(store_open_file(&st, in_dir("letter.db"), true), "no keiko store");
    assert_ok(file_read(in_dir("letter.db"), 1 << 20, &bytes, &size)); // and it is still there
    assert_int_equal(size, sizeof text);
    free(bytes);

    // another program's database is left as it is
    foreign_database(in_dir("foreign.db"));
    char *before, *after;
    size_t n, m;
    assert_ok(file_read(in_dir("foreign.db"), 1 << 20, &before, &n));
    assert_err(store_open_file(&st, in_dir("foreign.db"), true), "another program");
    assert_ok(file_read(in_dir("foreign.db"), 1 << 20, &after, &m));
    assert_true(n == m && memcmp(before, after, n) == 0);
    free(before);
    free(after);

    assert_ok(store_open_file(&st, in_dir("torn.db"), true));
    tour_setup s = a_setup("othello");
    s.games = 400;
    tour_end end;
    assert_ok(store_begin(st, &s, 1, &run));
    assert_ok(tour_play(st, run, &s, &(tour_play_options){.threads = 1, .no_clock = true}, &end));
    tour_setup_free(&s);
    store_close(st);
    assert_ok(file_read(in_dir("torn.db"), 1 << 24, &bytes, &size));
    assert_true(size > 60000);
    for (size_t i = 12000; i < size - 8000; i += 4096) memset(bytes + i, 0xa5, 900);
    assert_ok(file_write_atomic(in_dir("torn.db"), bytes, size));
    assert_err(store_open_file(&st, in_dir("torn.db"), true), "damaged");
    assert_ok(file_write_atomic(in_dir("torn.db"), bytes, size / 2)); // cut short
    assert_err(store_open_file(&st, in_dir("torn.db"), true), "damaged");
    free(bytes);
}

static bool contains(const text_buf *t, const char *part)
{
    return strstr(text_str(t), part) != NULL;
}

static err gather(void *ctx, const char *data, size_t n)
{
    text_append_n(ctx, data, n);
    return ERR_OK;
}

// Moves are checked when they are replayed, whoever wrote them.
static void illegal_moves_are_told(void **state)
{
    (void)state;
    typedef err export_fn(const tour_view *, store *, const export_options *, sink);
    export_fn *const exports[] = {export_json, export_games_csv, export_sgf, export_pgn};
    static const move_t moves[] = {19, 18, 65534}; // d3 c3, and nothing
    bool file = store_has_files();
    store *st;
    int run;
    tour_view v;
    text_buf t = {0};
    tour_setup s = a_setup("othello");
    if (file)
        assert_ok(store_open_file(&st, in_dir("moves.db"), true));
    else
        assert_ok(store_open_memory(&st));
    assert_ok(store_begin(st, &s, 1, &run));
    match_record r = {.what = {.id = 6, .player = {0, 1}, .pair = 3}, .halves = 2, .plies = 3, .moves = moves};
    r.detail = "";
    assert_ok(store_add(st, run, &r, 1));
    assert_ok(view_load(&v, st, run, &(view_options){0}));
    const char *says = file ? "moves.db is damaged: game 7, move 3 is not legal" : "game 7, move 3 is not legal";
    for (size_t i = 0; i < sizeof exports / sizeof *exports; i++)
        assert_err(exports[i](&v, st, &(export_options){.lines = true}, (sink){gather, &t}), says);
    view_free(&v);
    text_free(&t);

    s.set.line[1].moves[0] = 0; // a1
    assert_ok(store_begin(st, &s, 1, &run));
    tour_setup back;
    tour_state at;
    if (file) assert_err(store_load(st, run, &back, &at), "moves.db is damaged: opening 2, move 1 is not legal");
    tour_end end;
    assert_err(tour_play(st, run, &s, &(tour_play_options){.threads = 1}, &end),
               "opening 2, move 1 is not legal in game");
    store_close(st);
    tour_setup_free(&s);
}

// JSON read back gives the same numbers, and its export the same bytes.
static void json_round_trip(void **state)
{
    (void)state;
    store *st, *again;
    int run;
    tour_end end;
    tour_setup s = a_setup("othello");
    s.games = 20;
    assert_ok(store_open_memory(&st));
    assert_ok(store_begin(st, &s, 1, &run));
    assert_ok(tour_play(st, run, &s, &(tour_play_options){.threads = 2, .no_clock = true}, &end));
    tour_view a, b;
    text_buf one = {0}, two = {0};
    export_options how = {.lines = true};
    assert_ok(view_load(&a, st, run, &(view_options){0}));
    assert_ok(export_json(&a, st, &how, (sink){gather, &one}));
    json_doc *doc; // chances to be the stronger: of two players they add up to one
    assert_ok(json_read(&doc, one.data, one.len, "x.json"));
    json_val root = json_root(doc), chance = json_member(&root, "superiority");
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < i; k++) {
            json_val row = json_item(&chance, i), other = json_item(&chance, k);
            json_val x = json_item(&row, k), y = json_item(&other, i);
            double p, q;
            assert_ok(json_get_number(&x, 0, 1, &p));
            assert_ok(json_get_number(&y, 0, 1, &q));
            assert_true(fabs(p + q - 1) < 1e-5);
        }
    json_free(doc);
    assert_ok(import_json(&again, one.data, one.len, "x.json"));
    assert_ok(view_load(&b, again, 0, &(view_options){0}));
    assert_int_equal(a.games.n, b.games.n);
    for (int i = 0; i < 3; i++) {
        assert_true(a.fit.rating[i] == b.fit.rating[i] && a.sequential[i] == b.sequential[i]);
        assert_true(a.player[i].wins == b.player[i].wins && a.player[i].nodes == b.player[i].nodes);
    }
    assert_true(rating_se(&a.fit, ERRORS_PAIRS, 0) == rating_se(&b.fit, ERRORS_PAIRS, 0));
    assert_ok(export_games_csv(&a, st, &how, (sink){gather, &two}));
    assert_true(contains(&two, "id,playerA,playerB,first_player,winner,moves,"));
    size_t rows = 0;
    for (size_t i = 0; i < two.len; i++) rows += two.data[i] == '\n';
    assert_int_equal(rows, 61);
    text_clear(&two);
    assert_ok(export_ratings_csv(&a, &how, (sink){gather, &two}));
    assert_true(contains(&two, "player,rating,games,wins,losses,draws,win_rate"));
    assert_true(contains(&two, "\"two, \"\"quoted\"\"\""));
    text_clear(&two);
    assert_ok(export_pgn(&a, st, &how, (sink){gather, &two}));
    assert_true(contains(&two, "[White \"two, \\\"quoted\\\"\"]") && contains(&two, "1. "));
    text_clear(&two);
    assert_ok(export_sgf(&a, st, &how, (sink){gather, &two}));
    assert_true(contains(&two, "GM[2]") && contains(&two, "PB["));
    text_free(&one);
    text_free(&two);
    view_free(&a);
    view_free(&b);
    store_close(st);
    store_close(again);
    tour_setup_free(&s);
}

// PGN's colours are the game's, and the result is White's.
static void pgn_knows_the_colours(void **state)
{
    (void)state;
    static const char *const games[] = {"renju", "contrast"};
    static const char *const heads[] = {"[White \"greedy\"]\n[Black \"random\"]\n[Result \"0-1\"]\n",
                                        "[White \"random\"]\n[Black \"greedy\"]\n[Result \"1-0\"]\n"};
    for (int i = 0; i < 2; i++) {
        store *st;
        int run;
        tour_view v;
        text_buf t = {0};
        tour_setup s = {.games = 2};
        assert_ok(game_find(games[i], &s.g));
        assert_ok(tour_add_player(&s, "random", "random"));
        assert_ok(tour_add_player(&s, "greedy", "greedy"));
        assert_ok(store_open_memory(&st));
        assert_ok(store_begin(st, &s, 1, &run));
        assert_ok(store_add(st, run, &(match_record){.what = {.player = {0, 1}}, .halves = 2, .detail = ""}, 1));
        assert_ok(view_load(&v, st, run, &(view_options){0}));
        assert_ok(export_pgn(&v, st, &(export_options){0}, (sink){gather, &t}));
        assert_true(contains(&t, heads[i]));
        assert_true(contains(&t, "[First \"random\"]\n[Second \"greedy\"]\n"));
        view_free(&v);
        store_close(st);
        tour_setup_free(&s);
        text_free(&t);
    }
}

// The seed's own shape, with nothing of ours in it.
static void seed_json_is_read(void **state)
{
    (void)state;
    static const char text[] = "{\"timestamp\":\"2024-01-15T10:30:00Z\",\"config\":{\"gamesPerPair\":2},"
                               "\"ratings\":{\"beginner\":{\"rating\":1200},\"easy\":{\"rating\":1350}},"
                               "\"games\":[{\"id\":1,\"playerA\":\"beginner\",\"playerB\":\"easy\",\"firstPlayer\":"
                               "\"A\",\"winner\":\"B\",\"moves\":42,"
                               "\"duration\":5230},"
                               "{\"id\":2,\"playerA\":\"beginner\",\"playerB\":\"easy\",\"firstPlayer\":\"B\","
                               "\"winner\":\"draw\",\"moves\":38,"
                               "\"duration\":4890}]}";
    store *st;
    tour_view v;
    assert_ok(import_json(&st, text, sizeof text - 1, "seed.json"));
    assert_ok(view_load(&v, st, 0, &(view_options){0}));
    assert_string_equal(v.setup.g->name, "renju");
    assert_true(v.player[1].wins == 1 && v.player[0].draws == 1 && v.player[0].first == 1);
    assert_true(v.player[0].plies == 80 && v.player[0].seconds > 5.05 && v.player[0].seconds < 5.07);
    assert_true(v.sequential[1] > 1514 && v.sequential[1] < 1515); // +16, then a draw against the weaker one
    view_free(&v);
    store_close(st);
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"[]", "object"},
        {"{}", "games"},
        {"{\"games\":[]}", "two players"},
        {"{\"games\":[{\"playerA\":\"a\",\"playerB\":\"a\",\"firstPlayer\":\"A\",\"winner\":\"A\"}]}",
         "against itself"},
        {"{\"games\":[{\"playerA\":\"a\",\"playerB\":\"b\",\"firstPlayer\":\"C\",\"winner\":\"A\"}]}",
         "neither A nor B"},
        {"{\"games\":[{\"playerA\":\"a\",\"playerB\":\"b\",\"firstPlayer\":\"A\",\"winner\":\"x\"}]}", "games[0]"},
        {"{\"games\":[{\"playerA\":\"a\",\"playerB\":\"b\",\"firstPlayer\":\"A\",\"winner\":\"A\",\"line\":\"zz\"}]}",
         "no legal game"},
        {"{\"config\":{\"game\":\"chess\"},\"games\":[]}", "chess"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_err(import_json(&st, bad[i].text, strlen(bad[i].text), "bad.json"), bad[i].says);
}

// A test is decided at the same game whatever the threads do, and games beyond it do not count.
static void a_test_stops_in_order(void **state)
{
    (void)state;
    uint64_t stop = 0;
    for (int threads = 1; threads <= 4; threads += 3) {
        store *st;
        int run;
        tour_end end;
        tour_setup s = {.games = 2000, .seed = 4, .has_sprt = true, .sprt = {0, 100, 0.05, 0.05, SPRT_LOGISTIC}};
        assert_ok(game_find("tictactoe", &s.g));
        assert_ok(tour_add_player(&s, "greedy", "greedy"));
        assert_ok(tour_add_player(&s, "random", "random"));
        assert_ok(store_open_memory(&st));
        assert_ok(store_begin(st, &s, 1, &run));
        assert_ok(tour_play(st, run, &s, &(tour_play_options){.threads = threads, .no_clock = true}, &end));
        tour_view v;
        assert_ok(view_load(&v, st, run, &(view_options){0}));
        assert_int_equal(v.test.verdict, SPRT_H1);
        assert_true(v.state.stop > 0 && v.games.n == v.state.stop && v.state.stop < 2000);
        if (stop == 0) stop = v.state.stop;
        assert_int_equal(v.state.stop, stop);
        // asked again, nothing more is played
        assert_ok(tour_play(st, run, &s, &(tour_play_options){.threads = threads}, &end));
        assert_int_equal(end.fresh, 0);
        view_free(&v);
        store_close(st);
        tour_setup_free(&s);
    }
}

// Won all: a bound is known, no estimate.
static void a_clean_sweep_is_a_bound(void **state)
{
    (void)state;
    store *st;
    int run;
    tour_view v;
    text_buf t = {0};
    tour_setup s = a_setup("othello");
    assert_ok(store_open_memory(&st));
    assert_ok(store_begin(st, &s, 1, &run));
    for (uint16_t i = 0; i < 40; i++) { // one beats two, and loses to three
        match_record r = {.what = {.id = i, .pair = i / 2, .player = {0, i < 20 ? 1 : 2}}, .halves = i < 20 ? 2 : 0};
        if (i % 2 == 1) {
            r.what.player[1] = 0;
            r.what.player[0] = i < 20 ? 1 : 2;
            r.halves = 2 - r.halves;
        }
        r.detail = "";
        assert_ok(store_add(st, run, &r, 1));
    }
    assert_ok(view_load(&v, st, run, &(view_options){0}));
    assert_int_equal(v.n_pairings, 2);
    double gap = v.sequential[2] - v.sequential[1];
    assert_true(gap > 100);
    view_free(&v);
    assert_ok(view_load(&v, st, run, &(view_options){.anchors = "one=700"}));
    assert_true(fabs(v.sequential[0] - 700) < 1e-9 && fabs(v.sequential[2] - v.sequential[1] - gap) < 1e-9);
    table_matchups(&v, TABLE_MARKDOWN, &t);
    // 20 games: 0.025^(1/20) = 0.8316 of the points at least
    assert_true(contains(&t, "over +277 | +277 | - |") && contains(&t, "under -277 | - | -277 |"));
    view_free(&v);
    store_close(st);
    tour_setup_free(&s);
    text_free(&t);
}

// The column "pair" of the games: the same number for two games of one opening, nothing for a game without a partner.
static void pairs_are_exported(void **state)
{
    (void)state;
    store *st;
    int run;
    tour_view v;
    text_buf t = {0};
    tour_setup s = a_setup("othello");
    assert_ok(store_open_memory(&st));
    assert_ok(store_begin(st, &s, 1, &run));
    for (uint16_t i = 0; i < 3; i++) {
        match_record r = {.what = {.id = i, .pair = i < 2 ? 7 : PAIR_NONE, .player = {i & 1, !(i & 1)}}, .halves = 1};
        r.detail = "";
        assert_ok(store_add(st, run, &r, 1));
    }
    assert_ok(view_load(&v, st, run, &(view_options){0}));
    assert_ok(export_games_csv(&v, st, &(export_options){0}, (sink){gather, &t}));
    const char *first = strstr(text_str(&t), ",0,1,none,"); // moves of the opening, pair, reason
    assert_true(contains(&t, ",opening_moves,pair,reason,") && first != NULL);
    assert_non_null(strstr(first + 1, ",0,1,none,"));
    assert_true(contains(&t, ",0,,none,"));
    view_free(&v);
    store_close(st);
    tour_setup_free(&s);
    text_free(&t);
}

// Players without chance play two different games from the start, and no more of them count; with chance all count.
static void repeated_games_do_not_count(void **state)
{
    (void)state;
    static const struct {
        const char *second;
        uint64_t counted;
    } rows[] = {{"alphabeta:depth=2,hash=10", 2}, {"random", 20}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        store *st;
        int run;
        tour_end end;
        tour_setup s = {.games = 20, .seed = 4};
        assert_ok(game_find("othello", &s.g));
        assert_ok(tour_add_player(&s, "a", "alphabeta:depth=1,hash=10"));
        assert_ok(tour_add_player(&s, "b", rows[i].second));
        assert_ok(store_open_memory(&st));
        assert_ok(store_begin(st, &s, 1, &run));
        assert_ok(tour_play(st, run, &s, &(tour_play_options){.threads = 1}, &end));
        tour_view v;
        assert_ok(view_load(&v, st, run, &(view_options){.anchors = "a=2000"}));
        text_buf t = {0};
        table_notes(&v, TABLE_TEXT, &t);
        table_ratings(&v, TABLE_MARKDOWN, &t);
        table_statistics(&v, TABLE_TEXT, true, &t);
        assert_int_equal(v.n_same, 20 - rows[i].counted);
        assert_int_equal(v.games.n, rows[i].counted);
        assert_int_equal(view_played(&v), 20);
        assert_true(v.player[1].games == (double)rows[i].counted);
        assert_int_equal(contains(&t, "18 of 20 games repeat earlier ones"), v.n_same > 0);
        assert_true(contains(&t, "| a ") && contains(&t, "2000"));
        text_clear(&t);
        assert_ok(export_games_csv(&v, st, &(export_options){0}, (sink){gather, &t}));
        int lines = 0;
        for (const char *p = text_str(&t); (p = strchr(p, '\n')) != NULL; p++) lines++;
        assert_int_equal(lines, 1 + rows[i].counted); // with the heading
        text_free(&t);
        view_free(&v);
        assert_err(view_load(&v, st, run, &(view_options){.anchors = "c=2000"}), "no such player");
        assert_err(view_load(&v, st, run, &(view_options){.anchors = "a"}), "NAME=RATING");
        store_close(st);
        tour_setup_free(&s);
    }
}

// A record of the referee's, with two moves of which the first is the opening.
static match_record a_game(uint16_t first, uint16_t second, const move_t moves[2], uint8_t halves)
{
    return (match_record){
        .what = {.player = {first, second}}, .halves = halves, .plies = 2, .opening_plies = 1, .moves = moves};
}

static void repeats_are_told_from_chance(void **state)
{
    (void)state;
    static const move_t lines[][2] = {{1, 2}, {1, 3}, {4, 2}};
    const struct {
        match_record r;
        bool same, vary; // what this game is; whether players 0 and 1 are known to vary after it
    } rows[] = {
        {a_game(0, 1, lines[0], 2), false, false}, {a_game(1, 0, lines[0], 2), false, false}, // the other side
        {a_game(0, 2, lines[0], 2), false, false}, {a_game(0, 1, lines[2], 2), false, false}, // another opening
        {a_game(0, 1, lines[0], 2), true, false},  {a_game(1, 0, lines[0], 2), true, false},
        {a_game(0, 2, lines[1], 2), false, false}, // others vary
        {a_game(0, 1, lines[0], 1), false, true},  // by a clock, say
        {a_game(0, 1, lines[2], 2), true, true},
    };
    const game *g, *puyo;
    repeats k = {0};
    assert_ok(game_find("othello", &g));
    assert_ok(game_find("puyo", &puyo));
    uint64_t pairing = repeat_print_of(g, &rows[0].r).pairing;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool same;
        repeat_print p = repeat_print_of(g, &rows[i].r);
        assert_ok(repeats_add(&k, &p, &same));
        assert_int_equal(same, rows[i].same);
        assert_int_equal(repeats_vary(&k, pairing), rows[i].vary);
    }
    for (uint16_t i = 0; i < 2000; i++) { // it grows
        bool same;
        repeat_print p =
            repeat_print_of(g, &(match_record){.what = {.player = {i, 5000}}, .plies = 2, .moves = lines[0]});
        assert_ok(repeats_add(&k, &p, &same));
        assert_false(same);
        assert_ok(repeats_add(&k, &p, &same));
        assert_true(same);
    }
    assert_true(repeats_vary(&k, pairing));
    repeats_free(&k);
    assert_true(repeat_print_of(puyo, &rows[0].r).from == 0); // its chance is not in the moves
    assert_true(repeat_print_of(g, &(match_record){.plies = 2}).from == 0);
    assert_true(repeat_print_of(g, &(match_record){.plies = 2, .moves = lines[0], .opening_plies = 9}).from != 0);
}

// The same few games again and again would decide any test.
static void a_test_without_new_games_ends_undecided(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads += 3) {
        store *st;
        int run;
        tour_end end;
        tour_setup s = {.games = 40000, .seed = 4, .has_sprt = true, .sprt = {0, 30, 0.05, 0.05, SPRT_LOGISTIC}};
        assert_ok(game_find("othello", &s.g));
        assert_ok(tour_add_player(&s, "a", "alphabeta:depth=2,hash=10"));
        assert_ok(tour_add_player(&s, "b", "alphabeta:depth=1,hash=10"));
        assert_ok(openings_make(&s.set, s.g, "", "balanced", 3, 1));
        assert_ok(store_open_memory(&st));
        assert_ok(store_begin(st, &s, 1, &run));
        assert_ok(tour_play(st, run, &s, &(tour_play_options){.threads = threads, .no_clock = true}, &end));
        assert_int_equal(end.stop, 6 + 100); // three pairs, and fifty that repeat them
        tour_view v;
        text_buf t = {0};
        assert_ok(view_load(&v, st, run, &(view_options){0}));
        assert_true(v.state.ended > 0 && v.games.n == 6 && v.n_same == 100);
        assert_true(v.n5[0] + v.n5[1] + v.n5[2] + v.n5[3] + v.n5[4] == 3);
        assert_int_equal(v.test.verdict, SPRT_OPEN);
        table_test(&v, TABLE_TEXT, &t);
        assert_true(contains(&t, "Undecided: the openings are used up"));
        assert_ok(tour_play(st, run, &s, &(tour_play_options){.threads = threads}, &end));
        assert_int_equal(end.fresh, 0);
        text_free(&t);
        view_free(&v);
        store_close(st);
        tour_setup_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_kinds_keep_everything),   cmocka_unit_test(the_sides_are_kept_apart),
        cmocka_unit_test(foreign_games_are_refused),    cmocka_unit_test(a_second_writer_is_kept_out),
        cmocka_unit_test(a_moved_store_is_told),        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(illegal_moves_are_told),       cmocka_unit_test(json_round_trip),
        cmocka_unit_test(pgn_knows_the_colours),        cmocka_unit_test(seed_json_is_read),
        cmocka_unit_test(a_test_stops_in_order),        cmocka_unit_test(a_clean_sweep_is_a_bound),
        cmocka_unit_test(pairs_are_exported),           cmocka_unit_test(repeated_games_do_not_count),
        cmocka_unit_test(repeats_are_told_from_chance), cmocka_unit_test(a_test_without_new_games_ends_undecided),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
