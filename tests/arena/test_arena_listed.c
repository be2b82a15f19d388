// Small tournaments as tables, JSON, CSV, PGN and SGF: tests/arena/texts.txt. Without a clock every number is known.
#include "arena/export.h"
#include "arena/tour_play.h"
#include "arena/view.h"
#include "base/listed.h"

static err keep(void *ctx, const char *data, size_t n)
{
    text_append_n(ctx, data, n);
    return ERR_OK;
}

typedef err exporter(const tour_view *v, store *s, const export_options *o, sink to);

static err ratings_csv(const tour_view *v, store *s, const export_options *o, sink to)
{
    (void)s;
    return export_ratings_csv(v, o, to);
}

static void put_view(text_buf *t, store *st, const view_options *o)
{
    static const struct {
        const char *name;
        exporter *make;
    } exports[] = {{"json", export_json},
                   {"ratings", ratings_csv},
                   {"games", export_games_csv},
                   {"pgn", export_pgn},
                   {"sgf", export_sgf}};
    tour_view v;
    double *at = NULL, *rating = NULL;
    int n = 0;
    assert_ok(view_load(&v, st, 0, o));
    for (int style = TABLE_TEXT; style <= TABLE_MARKDOWN; style++) {
        table_ratings(&v, (table_style)style, t);
        table_statistics(&v, (table_style)style, false, t);
        table_matchups(&v, (table_style)style, t);
        table_superiority(&v, (table_style)style, t);
        table_test(&v, (table_style)style, t);
        table_notes(&v, (table_style)style, t);
        table_words((table_style)style, "a | b <i> \x1b[1m", t);
        text_char(t, '\n');
    }
    for (size_t i = 0; i < sizeof exports / sizeof *exports; i++) {
        text_printf(t, "-- %s\n", exports[i].name);
        if (exports[i].make(&v, st, &(export_options){.lines = true}, (sink){keep, t}) != ERR_OK)
            text_printf(t, "refused: %s\n", err_text());
    }
    for (int i = 0; i < v.setup.n_players; i++) {
        const view_player *p = &v.player[i];
        interval gap = view_gap(&v, i, 0);
        text_printf(
            t, "%d: games %g +%g =%g -%g first %g plies %g choices %g nodes %g failures %g score %.6g gap %.5g %.5g\n",
            i, p->games, p->wins, p->draws, p->losses, p->first, p->plies, p->choices, p->nodes, p->failures,
            view_score(p), gap.low, gap.high);
    }
    assert_ok(view_convergence(&v, 4, &at, &rating, &n));
    for (int i = 0; i < n; i++) text_printf(t, "after %g games %.6g\n", at[i], rating[i]);
    free(at);
    free(rating);
    view_free(&v);
}

static void tournaments(void **state)
{
    (void)state;
    static const struct {
        const char *game, *openings;
        int schedule, games, max_plies;
        bool sprt;
    } rows[] = {{"othello", "balanced", SCHEDULE_ROUND_ROBIN, 4, 0, false},
                {"tictactoe", "start", SCHEDULE_GAUNTLET, 6, 4, false},
                {"freestyle", "start", SCHEDULE_NEIGHBOURS, 4, 30, true}};
    text_buf t = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tour_setup s = {.schedule = (schedule_kind)rows[i].schedule, .games = (uint32_t)rows[i].games, .seed = 77 + i};
        store *st;
        int run;
        tour_end end;
        assert_ok(game_find(rows[i].game, &s.g));
        snprintf(s.openings, sizeof s.openings, "%s", rows[i].openings);
        strcpy(s.build, "a build");
        assert_ok(tour_add_player(&s, "one", "random"));
        assert_ok(tour_add_player(&s, "two, \"quoted\"", "greedy"));
        if (rows[i].schedule != SCHEDULE_NEIGHBOURS) assert_ok(tour_add_player(&s, "one", "random"));
        assert_ok(openings_make(&s.set, s.g, "", rows[i].openings, 2, 3));
        s.rules = (match_rules){.max_plies = rows[i].max_plies};
        s.has_sprt = rows[i].sprt;
        s.sprt = (sprt_test){0, 30, 0.05, 0.05, SPRT_LOGISTIC};
        assert_ok(store_open_memory(&st));
        assert_ok(store_begin(st, &s, 1000, &run));
        assert_ok(tour_play(st, run, &s, &(tour_play_options){.threads = 1, .no_clock = true}, &end));
        text_printf(&t, "==== %s\n", rows[i].game);
        put_view(&t, st, &(view_options){0});
        if (i == 0)
            put_view(&t, st,
                     &(view_options){
                         .model = "davidson", .errors = "information", .level = 0.8, .has_prior = true, .prior = 2});
        store_close(st);
        tour_setup_free(&s);
    }
    assert_listed(&t, "arena/texts.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tournaments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
