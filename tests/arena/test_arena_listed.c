// Small tournaments as tables, JSON, CSV, PGN and SGF: tests/arena/texts.txt. Without a clock every number is known.
#include "arena/put_view.h"
#include "arena/tour_play.h"

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
        put_view(&t, st, &(view_options){0}, false);
        if (i == 0)
            put_view(
                &t, st,
                &(view_options){.model = "davidson", .errors = "sandwich", .level = 0.8, .has_prior = true, .prior = 2},
                false);
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
