// Runs with made-up games, in a file and in memory: both stores give the same tables, exports and numbers, and all of it is one
// number of a list, tests/arena/many.txt. KEIKO_SHOW_EDITS=1 prints the texts themselves.
#include "arena/made_up.h"
#include "arena/put_view.h"
#include "arena/stored.h"
#include "arena/tour_play.h"
#include "base/edits.h"
#include "base/temp_dir.h"

static char *dir;
static int set_up(void **state)
{
    (void)state;
    return temp_dir_make(dir = malloc(64)) == NULL;
}
static int tear_down(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    free(dir);
    return 0;
}

enum { RUNS = 14 };

static err see_move(void *ctx, const void *obs, move_t next)
{
    (void)obs;
    uint64_t *h = ctx;
    *h = rng_mix(*h ^ next);
    return ERR_OK;
}

typedef struct reading {
    const tour_setup *setup;
    text_buf *t;
} reading;

static err read_game(void *ctx, const match_record *r)
{
    reading *to = ctx;
    uint64_t h = 0;
    text_printf(to->t, "%d %d-%d %u %u: %d %d %d %d %d '%s'", (int)r->what.id, r->what.player[0], r->what.player[1],
                r->what.opening, r->what.pair, r->halves, r->reason, r->failed, r->plies, r->opening_plies, r->detail);
    for (int k = 0; k < 2; k++)
        text_printf(to->t, " %u %" PRIu64 " %.6g %.6g", r->side[k].choices, r->side[k].nodes, r->side[k].seconds,
                    r->side[k].cpu);
    stored_line line = {.setup = to->setup,
                        .path = "x.db",
                        .what = "game",
                        .number = r->what.id,
                        .opening = r->what.opening,
                        .moves = r->moves,
                        .plies = r->plies};
    err e = stored_replay(&line, see_move, &h);
    text_printf(to->t, " %016" PRIx64 " %s\n", h, e == ERR_OK ? "" : err_text());
    if (r->plies > 2 && r->what.id % 3 == 0) { // damage is named
        move_t *broken = malloc(r->plies * sizeof *broken);
        memcpy(broken, r->moves, r->plies * sizeof *broken);
        broken[r->plies - 1] = broken[0];
        line.moves = broken;
        if (stored_replay(&line, NULL, NULL) != ERR_OK) text_printf(to->t, "  %s\n", err_text());
        free(broken);
    }
    return ERR_OK;
}

static void put_store(text_buf *t, store *st)
{
    static const view_options views[] = {
        {0},
        {.model = "davidson", .errors = "sandwich", .level = 0.8, .has_prior = true, .prior = 2, .playing = true},
        {.model = "bt", .errors = "bootstrap", .resamples = 20, .seed = 7, .anchors = "a=0"},
        {.anchors = "nobody=3"},
        {.anchors = "a"},
        {.anchors = "a=x"},
        {.anchors = "a=1;a=2;a=3;a=4;a=5;a=6"},
        {.model = "none"},
        {.errors = "a word that is far too long for the place where it is kept"},
    };
    tour_setup s;
    tour_state state;
    assert_ok(store_load(st, 0, &s, &state));
    text_printf(t, "%d: %g %g %d %d, %s '%s' %d %d %s %s %g %g %g\n", state.run, state.started, state.ended,
                (int)state.stop, (int)state.played, s.g->name, s.settings, s.n_players, (int)s.schedule, s.openings,
                s.build, s.sprt.elo0, s.sprt.elo1, s.rating.prior);
    for (uint32_t i = 0; i < s.set.n; i++) {
        text_printf(t, "opening '%s'", s.set.line[i].name);
        for (int k = 0; k < s.set.line[i].plies; k++) text_printf(t, " %d", s.set.line[i].moves[k]);
        text_char(t, '\n');
    }
    assert_ok(store_games(st, state.run, read_game, &(reading){&s, t}));
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        tour_view v;
        char name[OPENING_NAME];
        if (view_load(&v, st, 0, &views[i]) != ERR_OK) {
            text_printf(t, "refused: %s\n", err_text());
            continue;
        }
        text_printf(t, "repeats %d planned %d cycle %u", (int)v.repeats, (int)v.planned, v.cycle);
        for (uint32_t k = 0; k < 5; k++) text_printf(t, " %g %s", v.n5[k], view_opening(&v, k, name));
        for (int k = 0; k <= MATCH_FAILED; k++)
            if (v.reasons[k] > 0)
                text_printf(t, " %s %s %d %d", match_reason_name(k), match_reason_words(k),
                            match_reason_find(match_reason_name(k)), (int)v.reasons[k]);
        int *order = view_by_rating(&v);
        for (int k = 0; v.rated && k < s.n_players; k++)
            text_printf(t, " %d %.6g %.6g", order[k], no_dust(v.sequential[k]), no_dust(view_interval(&v, k).low));
        free(order);
        text_char(t, '\n');
        if (v.rated) assert_ok(tour_markdown(&v, t));
        view_free(&v);
        if (i < 3) put_view(t, st, &views[i], i == 1);
    }
    tour_setup_free(&s);
}

static void runs(void **state)
{
    (void)state;
    text_buf list = {0};
    for (uint32_t k = 0; k < RUNS; k++) {
        rng r = rng_at(2611, k, 0);
        tour_setup s, other;
        schedule plan;
        store *st[2];
        int run;
        char path[FILE_PATH], name[40];
        static move_t moves[256][MADE_UP_PLIES];
        static match_record record[256];
        make_setup(&s, k, &r);
        assert_ok(schedule_make(&plan, s.schedule, s.n_players, s.games));
        int n = (int)plan.n - (k % 4 == 3 && plan.n > 2); // one is not finished
        assert_in_range(n, 1, 256);
        for (int i = 0; i < n; i++) make_game(&s, &plan, (uint64_t)i, &r, &record[i], moves[i]);
        schedule_free(&plan);
        snprintf(path, sizeof path, "%s/%u.db", dir, k);
        assert_ok(store_open_memory(&st[0]));
        assert_ok(store_open_file(&st[1], path, true));
        text_buf t[2] = {{0}, {0}};
        for (int i = 0; i < 2; i++) {
            assert_ok(store_begin(st[i], &s, 1000 + k, &run));
            int half = n / 2; // the later ones come first
            assert_ok(store_add(st[i], run, record + half, n - half));
            assert_ok(store_add(st[i], run, record, half));
            if (k % 4 != 3) assert_ok(store_finish(st[i], run, s.has_sprt && n > 4 ? (uint64_t)n - 2 : 0, 2000 + k));
            if (i == 1) { // and is there when it is opened again
                store_close(st[i]);
                assert_ok(store_open_file(&st[i], path, false));
            }
            put_store(&t[i], st[i]);
            assert_ok(store_load(st[i], 1, &other, &(tour_state){0}));
            assert_ok(tour_setup_same(&s, &other));
            tour_setup_free(&other);
            assert_err(store_load(st[i], 2, &other, &(tour_state){0}), "there is no run 2; the last one is 1");
            store_close(st[i]);
        }
        if (strcmp(text_str(&t[0]), text_str(&t[1])) != 0) fail_msg("run %u differs between the stores", k);
        // Whatever it is called, and as the only file of a folder, the store is known.
        char other_name[FILE_PATH];
        for (int i = 0; i < 2; i++) {
            store *found;
            text_buf again = {0};
            snprintf(other_name, sizeof other_name, i == 0 ? "%s/%u.json" : "%s/%u/bench.db", dir, k);
            assert_ok(file_make_parent(other_name));
            assert_int_equal(rename(path, other_name), 0);
            snprintf(path, sizeof path, "%s", other_name);
            if (i == 1) *strrchr(other_name, '/') = 0;
            assert_ok(import_any(&found, other_name));
            put_store(&again, found);
            assert_string_equal(text_str(&again), text_str(&t[0]));
            text_free(&again);
            store_close(found);
        }
        snprintf(name, sizeof name, "%u %s", k, s.g->name);
        edits e = {.name = name};
        edits_saw(&e, true, "", text_str(&t[0]));
        edits_list(&e, &list);
        for (int i = 0; i < 2; i++) text_free(&t[i]);
        tour_setup_free(&s);
    }
    assert_listed(&list, "arena/many.txt");
}

// What is no run says so, each kind of file in its own way.
static void other_files(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *says; // text NULL: there is no such file
    } rows[] = {
        {"none.db", NULL, "there is no "},
        {"none.json", NULL, "cannot read "},
        {"none", NULL, "cannot read "},
        {"garbage.db", "garbage", "is damaged or no keiko store"},
        {"garbage.json", "garbage", "garbage.json: line 1"},
        {"db", "garbage", "db holds no results of a bench"},
        {"games.csv", "game,first\n", "give the JSON or the store that keiko bench wrote"},
        {"empty/", NULL, "holds no run of the bench (no bench.db, no results.json)"},
    };
    if (!store_has_files()) skip_because("this build has no SQLite");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[FILE_PATH];
        store *found;
        snprintf(path, sizeof path, "%s/%s", dir, rows[i].name);
        if (strchr(rows[i].name, '/') != NULL) assert_ok(file_make_dirs(path));
        if (rows[i].text != NULL) assert_ok(file_write_atomic(path, rows[i].text, strlen(rows[i].text)));
        assert_err(import_any(&found, path), rows[i].says);
    }
}

// The games in another order, as threads or other machines would end them: a run and its sequential test come out the same.
typedef struct shuffled {
    match_plan *plan;
    void *ctx;
    match_done *done;
    uint64_t n;
} shuffled;

static bool shuffled_plan(void *ctx, uint64_t i, match_game *out)
{
    const shuffled *s = ctx;
    uint64_t block = i / 8 * 8, at = block + (3 * (i % 8) + 5) % 8;
    return s->plan(s->ctx, block + 8 <= s->n ? at : i, out);
}

static bool shuffled_done(void *ctx, const match_record *r, int n)
{
    const shuffled *s = ctx;
    return s->done(s->ctx, r, n);
}

static err shuffled_run(void *own, const match_options *o, uint64_t n, match_plan *plan, match_done *done, void *ctx)
{
    (void)own;
    shuffled s = {plan, ctx, done, n};
    return match_run(o, n, shuffled_plan, shuffled_done, &s);
}

static void watch_run(void *ctx, const tour_live *now)
{
    uint64_t *most = ctx, sum = 0;
    for (int i = 0; i < now->plan->n_pairings; i++)
        sum += now->cell[i].wins[0] + now->cell[i].wins[1] + now->cell[i].draws;
    assert_int_equal(sum, now->played);
    assert_true(now->played <= now->total);
    if (now->played > *most) *most = now->played;
}

static void orders(void **state)
{
    (void)state;
    static const sprt_test tests[] = {
        {0, 200, 0.2, 0.2, SPRT_LOGISTIC}, {0, 10, 0.05, 0.05, SPRT_LOGISTIC}, {-400, 0, 0.3, 0.3, SPRT_NORMALISED}};
    text_buf list = {0};
    for (int k = 0; k < 6; k++) {
        text_buf t[2] = {{0}, {0}};
        for (int other = 0; other < 2; other++) {
            tour_setup s = {
                .games = 60, .seed = 5 + (uint64_t)k, .schedule = k % 2 ? SCHEDULE_ROUND_ROBIN : SCHEDULE_GAUNTLET};
            store *st;
            int run;
            tour_end end;
            uint64_t seen = 0;
            assert_ok(game_find("tictactoe", &s.g));
            strcpy(s.openings, "start");
            assert_ok(tour_add_player(&s, "x", k % 2 ? "greedy" : "random"));
            assert_ok(tour_add_player(&s, "y", "random"));
            s.rules.max_plies = k == 5 ? 7 : 0;
            s.has_sprt = k < 5;
            s.sprt = tests[k % 3];
            assert_ok(store_open_memory(&st));
            assert_ok(store_begin(st, &s, 1000, &run));
            tour_play_options o = {
                .threads = 1, .no_clock = true, .run = other ? shuffled_run : NULL, .watch = watch_run, .ctx = &seen};
            assert_ok(tour_play(st, run, &s, &o, &end));
            assert_int_equal(end.total, 60);
            assert_int_equal(seen, end.played);
            assert_int_equal(end.fresh, end.played);
            assert_true(end.complete);
            text_printf(&t[other], "%d: stop %d\n", k, (int)end.stop);
            if (!other) text_printf(&list, "%d: stop %d\n", k, (int)end.stop);
            put_view(&t[other], st, &(view_options){0}, false);
            tour_end again; // nothing is left to play
            assert_ok(tour_play(st, run, &s, &o, &again));
            assert_int_equal(again.fresh, 0);
            assert_int_equal(again.played, end.played);
            store_close(st);
            tour_setup_free(&s);
        }
        assert_string_equal(text_str(&t[0]), text_str(&t[1]));
        edits e = {.name = "run"};
        edits_saw(&e, true, "", text_str(&t[0]));
        edits_list(&e, &list);
        for (int i = 0; i < 2; i++) text_free(&t[i]);
    }
    assert_listed(&list, "arena/orders.txt");
}

// Every number and word of a setup that decides a game is compared when a run is continued.
static void setups(void **state)
{
    (void)state;
    text_buf t = {0};
    for (int k = 0; k < 17; k++) {
        tour_setup was, now;
        rng r = rng_at(1, 3, 0), again = r;
        make_setup(&was, 2, &r);
        make_setup(&now, 2, &again);
        assert_ok(tour_setup_same(&was, &now));
        double *real[] = {&now.rules.resign, &now.sprt.elo0, &now.sprt.elo1, &now.sprt.alpha, &now.sprt.beta};
        int *whole[] = {&now.n_players, &now.rules.max_plies, &now.rules.adjudicate, &now.rules.resign_moves};
        char *word[] = {now.settings, now.player[1].name, now.player[0].spec, now.openings};
        if (k < 5)
            *real[k] += 1;
        else if (k < 9)
            *whole[k - 5] += 1;
        else if (k < 13)
            strcat(word[k - 9], "x");
        else if (k == 13)
            now.schedule = SCHEDULE_ROUND_ROBIN;
        else if (k == 14)
            now.games++;
        else if (k == 15) // beyond what a double tells apart
            was.seed = UINT64_MAX - 1, now.seed = UINT64_MAX;
        else
            now.has_sprt = false;
        text_printf(&t, "%d: %s\n", k, tour_setup_same(&was, &now) == ERR_OK ? "the same" : err_text());
        if (k == 5) now.n_players--;
        tour_setup_free(&was);
        tour_setup_free(&now);
    }
    assert_listed(&t, "arena/setups.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(runs, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(other_files, set_up, tear_down),
                                       cmocka_unit_test(orders), cmocka_unit_test(setups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
