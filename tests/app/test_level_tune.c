// Measuring levels: a small run of tic-tac-toe, and the rows it writes.
#include "app/level_tune.h"
#include "base/temp_dir.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

static void measures(void **state)
{
    (void)state;
    const game *g, *solo;
    char dir[64], path[FILE_PATH];
    level_measured m, again;
    assert_ok(game_find("tictactoe", &g));
    assert_ok(game_find("puyo-solo", &solo));
    temp_dir_make(dir);
    snprintf(path, sizeof path, "%s/run/", dir);
    bench_run_options how = {.output = path, .threads = 1};
    assert_err(level_measure(&m, solo, 4, 1, &how), "has no levels");
    assert_ok(level_measure(&m, g, 20, 3, &how));
    assert_true(m.elo[0] == 1000);
    assert_true(m.elo[LEVELS - 1] > m.elo[0] + 200); // a perfect player against a random one
    assert_int_equal(m.n_gaps, LEVEL_GAPS);
    for (int i = 0; i < LEVELS; i++) assert_true(m.error[i] > 0);
    double sum = 0;
    for (int i = 0; i < LEVELS - 1; i++) {
        const level_gap *x = &m.gap[i];
        assert_int_equal(x->to, x->from + 1);
        assert_true(x->low <= x->elo && x->elo <= x->high);
        assert_int_equal(x->fits, x->elo >= 100 && x->elo <= 200);
        sum += x->elo;
    }
    assert_true(fabs(sum - (m.elo[LEVELS - 1] - m.elo[0])) < 1e-6);
    static const int names[] = {1, 3, 5, 7, 10};
    for (int i = 0; i < 4; i++) {
        const level_gap *x = &m.gap[LEVELS - 1 + i];
        assert_int_equal(x->from, names[i]);
        assert_int_equal(x->to, names[i + 1]);
        assert_true(fabs(x->elo - (m.elo[x->to - 1] - m.elo[x->from - 1])) < 1e-6);
    }
    how.resume = true; // nothing is left to play
    assert_ok(level_measure(&again, g, 20, 3, &how));
    assert_memory_equal(m.elo, again.elo, sizeof m.elo);
    temp_dir_remove(dir);
}

static void rows(void **state)
{
    (void)state;
    const game *g, *other;
    char dir[64], path[FILE_PATH], *text;
    level_measured m = {.elo = {1000, 1123.6}, .error = {20.2, 30}};
    text_buf out = {0};
    assert_ok(game_find("othello", &g));
    assert_ok(game_find("puyo-solo", &other));
    level_rows_text(g, &m, "2026-11-16", &out);
    assert_non_null(strstr(text_str(&out), "LEVEL(\"othello\", 1, \"beginner\", \""));
    assert_non_null(strstr(text_str(&out), ", 1124, 30, \"2026-11-16\")\n"));
    assert_non_null(strstr(text_str(&out), ", 1000, 21, \"2026-11-16\")\n"));
    temp_dir_make(dir);
    snprintf(path, sizeof path, "%s/rows.h", dir);
    static const char file[] =
        "// head\nLEVEL(\"renju\", 1, …)\nLEVEL(\"othello\", 1, old)\nLEVEL(\"othello\", 2, old)\n\n"
        "LEVEL(\"othello2\", 1, …)\n// tail";
    assert_ok(file_write_atomic(path, file, sizeof file - 1));
    assert_ok(level_rows_write(g, path, "NEW\n"));
    assert_ok(file_read(path, 10000, &text, NULL));
    assert_string_equal(text, "// head\nLEVEL(\"renju\", 1, …)\nNEW\n\nLEVEL(\"othello2\", 1, …)\n// tail");
    free(text);
    assert_err(level_rows_write(other, path, "NEW\n"), "has no levels of puyo-solo");
    text_free(&out);
    temp_dir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures),
        cmocka_unit_test(rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
