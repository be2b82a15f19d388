// labels: threads
// Even openings: the chosen set is even in truth, not only in the games that chose it; threads, and an interruption anywhere,
// change nothing.
#include "base/file.h"
#include "base/rng.h"
#include "games/game.h"
#include "learn/tune/tune_openings.h"
#include "test.h"

#include <math.h>
#include <unistd.h>

enum { RENJU = 0, LINES = 4500 };

// Lines whose true odds we choose, judged as the tuner does: until each side has RJ_LINE_LEAST or one cannot reach it. Their stones only have to
// be different up to symmetry.
static void make_lines(rj_opening *lines, double *odds, double mean)
{
    for (int i = 0; i < LINES; i++) {
        rng r = rng_at(7, (uint64_t)i, 0);
        double spread = 0;
        for (int k = 0; k < 3; k++) spread += rng_unit(&r) - 0.5;
        odds[i] = fmin(fmax(mean + spread / 2, 0.02), 0.98);
        lines[i] = (rj_opening){.number = (uint64_t)i, .n = 3, .move = {0, 1, 30}};
        lines[i].move[0] = (uint16_t)(i % 50);
        lines[i].move[1] = (uint16_t)(50 + i / 50);
        lines[i].move[2] = 224;
        for (int k = 0; k < RJ_LINE_GAMES; k++) {
            lines[i].black += rng_unit(&r) < odds[i] ? 1 : 0;
            lines[i].games++;
            float left = RJ_LINE_GAMES - lines[i].games;
            if (rj_line_passed(&lines[i])) break;
            if (lines[i].black + left < RJ_LINE_LEAST || lines[i].games - lines[i].black + left < RJ_LINE_LEAST) break;
        }
    }
}

static void the_chosen_set_is_even_in_truth(void **state)
{
    (void)state;
    enum { WANT = 600 };
    static rj_opening lines[LINES];
    static double odds[LINES];
    int chosen[WANT];
    for (int way = 0; way < 2; way++) {
        double mean = way ? 0.66 : 0.34, sum = 0, mixed = 0;
        int n_mixed = 0;
        make_lines(lines, odds, mean);
        rj_lines_prior p = rj_lines_fit(lines, LINES);
        assert_true(fabs(p.mean - mean) < 0.03);
        assert_int_equal(rj_lines_choose(lines, LINES, RENJU, WANT, chosen), WANT);
        for (int i = 0; i < WANT; i++) {
            const rj_opening *o = &lines[chosen[i]];
            assert_true(o->black >= RJ_LINE_LEAST && o->games - o->black >= RJ_LINE_LEAST);
            for (int k = 0; k < i; k++) assert_int_not_equal(chosen[i], chosen[k]);
            sum += odds[chosen[i]] / WANT;
        }
        for (int i = 0; i < LINES; i++)
            if (rj_line_passed(&lines[i])) {
                mixed += odds[i];
                n_mixed++;
            }
        assert_true(fabs(mixed / n_mixed - 0.5) > 0.03); // so mixed results alone would not do
        assert_true(fabs(sum - 0.5) < 0.02);
    }
}

static void lines_that_are_mirror_images_count_once(void **state)
{
    (void)state;
    rj_opening lines[3] = {{.number = 0, .n = 3, .move = {112, 113, 97}, .games = RJ_LINE_GAMES, .black = 8},
                           {.number = 1, .n = 3, .move = {112, 111, 97}, .games = RJ_LINE_GAMES, .black = 8},
                           {.number = 2, .n = 3, .move = {112, 113, 80}, .games = RJ_LINE_GAMES - 1, .black = 11}};
    int chosen[3];
    assert_int_equal(rj_lines_choose(lines, 3, RENJU, 3, chosen), 1); // the third was given up
    assert_int_equal(chosen[0], 0);
}

static void make_empty(char *pattern)
{
    int fd = mkstemp(pattern);
    assert_true(fd >= 0);
    close(fd);
    assert_ok(file_remove(pattern));
}

static void the_journal_continues_after_a_torn_row(void **state)
{
    (void)state;
    char path[] = "/tmp/keiko-journal-XXXXXX";
    make_empty(path);
    rj_lines_tune t = {.seed = 9, .journal = path};
    rj_opening a = {.number = 300, .n = 3, .move = {0, 112, 224}, .games = 16, .black = 8.5f}, b = a, *lines;
    int n;
    uint64_t drawn;
    b.number = 12;
    assert_ok(rj_lines_begin(&t));
    assert_ok(rj_lines_save(&t, RENJU, &a));
    assert_ok(rj_lines_save(&t, RENJU, &b));
    assert_ok(rj_lines_save(&t, RENJU + 1, &b));
    assert_ok(rj_lines_save_drawn(&t, RENJU, 256));
    assert_ok(rj_lines_save_drawn(&t, RENJU + 1, 512));
    assert_ok(file_append(path, "renju 77 h8;h", 13)); // killed while writing
    assert_ok(rj_lines_begin(&t));
    assert_ok(rj_lines_save_drawn(&t, RENJU, 384));
    assert_ok(rj_lines_load(&t, RENJU, &lines, &n, &drawn));
    assert_int_equal(n, 2);
    assert_int_equal(drawn, 384);
    assert_memory_equal(&lines[0], &b, sizeof b); // by number
    assert_memory_equal(&lines[1], &a, sizeof a);
    free(lines);

    char *data;
    size_t size;
    assert_ok(file_read(path, 1 << 20, &data, &size));
    for (size_t k = 0; k < 9; k++) { // killed while it was made
        assert_ok(file_write_atomic(path, data, k));
        assert_ok(rj_lines_begin(&t));
        assert_ok(rj_lines_save_drawn(&t, RENJU, 7));
        assert_ok(rj_lines_load(&t, RENJU, &lines, &n, &drawn));
        assert_int_equal(n, 0);
        assert_int_equal(drawn, 7);
        free(lines);
    }
    free(data);

    t.seed = 10; // another run's journal
    assert_int_equal(rj_lines_begin(&t), ERR_PARSE);
    t.seed = 9;
    static const char *const bad[] = {"renju 77 h8;zz 16 8\n", "renju 77 h8 17 8\n", "renju 77 h8 16 -1\n",
                                      "renju 77 h8 6 7\n", "nonsense\n"};
    for (int i = 0; i < 5; i++) {
        file_remove(path);
        assert_ok(rj_lines_begin(&t));
        assert_ok(file_append(path, bad[i], strlen(bad[i])));
        assert_int_equal(rj_lines_load(&t, RENJU, &lines, &n, &drawn), ERR_PARSE);
        assert_non_null(strstr(err_text(), "row 2"));
    }
    file_remove(path);
}

// A first run, its journal cut in the middle, continued with other threads: the lines of an undisturbed run.
static void interruption_and_threads_change_nothing(void **state)
{
    (void)state;
    char path[] = "/tmp/keiko-lines-XXXXXX", *data;
    make_empty(path);
    rj_lines_tune t = {.seed = 5, .threads = 1, .want = 1, .batch = 8, .effort = 0.002, .journal = path};
    text_buf once = {0}, again = {0};
    assert_ok(rj_lines_begin(&t));
    assert_ok(rj_tune_openings(&t, 1, &once));
    assert_true(once.len > 6);
    size_t size;
    assert_ok(file_read(path, 1 << 20, &data, &size));
    assert_ok(file_write_atomic(path, data, size / 2));
    t.threads = 3;
    assert_ok(rj_lines_begin(&t));
    assert_ok(rj_tune_openings(&t, 1, &again));
    assert_string_equal(text_str(&once), text_str(&again));
    free(data);
    text_free(&once);
    text_free(&again);
    file_remove(path);
}

// Lines of the journal are chosen at once, those of a batch that was cut off too, and nothing says that the batch was done.
static void a_deadline_chooses_from_the_journal(void **state)
{
    (void)state;
    char path[] = "/tmp/keiko-late-XXXXXX", *before, *after;
    make_empty(path);
    rj_lines_tune t = {.seed = 9, .threads = 1, .want = 50, .batch = 8, .journal = path, .deadline = 1e-9};
    text_buf out = {0};
    assert_ok(rj_lines_begin(&t));
    assert_int_equal(rj_tune_openings(&t, RENJU, &out), ERR_MISSING);
    rj_opening done = {.number = 1, .n = 3, .move = {112, 113, 97}, .games = 16, .black = 8.5f}, begun = done;
    begun.number = 12;
    begun.move[2] = 80;
    begun.black = 7.5f;
    assert_ok(rj_lines_save(&t, RENJU, &done));
    assert_ok(rj_lines_save_drawn(&t, RENJU, 8));
    assert_ok(rj_lines_save(&t, RENJU, &begun));
    assert_ok(file_read(path, 1 << 20, &before, NULL));
    assert_ok(rj_tune_openings(&t, RENJU, &out));
    assert_string_equal(text_str(&out), "h8;i8;h9\nh8;i8;f10\n");
    assert_ok(file_read(path, 1 << 20, &after, NULL));
    assert_string_equal(before, after);
    free(before);
    free(after);
    text_free(&out);
    file_remove(path);
}

static void the_file_is_the_one_that_is_built_in(void **state)
{
    (void)state;
    const char *lines[RJ_VARIANTS];
    char *source;
    text_buf out = {0};
    for (int v = 0; v < RJ_VARIANTS; v++) {
        const game *g;
        assert_ok(game_find(rj_variants[v].name, &g));
        lines[v] = g->openings->even;
    }
    rj_openings_write(lines, &out);
    assert_ok(file_read(KEIKO_SOURCE "/src/games/renju/renju_openings.c", 1 << 20, &source, NULL));
    assert_string_equal(text_str(&out), source);
    free(source);
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITHOUT_THREADS(the_chosen_set_is_even_in_truth),
        cmocka_unit_test(lines_that_are_mirror_images_count_once),
        cmocka_unit_test(the_journal_continues_after_a_torn_row),
        cmocka_unit_test(interruption_and_threads_change_nothing),
        cmocka_unit_test(a_deadline_chooses_from_the_journal),
        cmocka_unit_test(the_file_is_the_one_that_is_built_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
