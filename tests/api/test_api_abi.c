// The public structs and functions are those that tests/api/abi/VERSION.txt lists. A change needs a new KEIKO_API_VERSION and
// a file of its own: run this test with KEIKO_ABI_WRITE=1. Files of released versions are never edited.
#include "base/file.h"
#include "base/text.h"
#include "keiko.h"
#include "test.h"

#include <ctype.h>

#define STRUCT(T)    text_printf(t, "struct %s %zu\n", #T, sizeof(T))
#define MEMBER(T, m) text_printf(t, "  %s.%s %zu %zu\n", #T, #m, offsetof(T, m), sizeof(((T *)NULL)->m))

static void list_structs(text_buf *t)
{
    STRUCT(keiko_rules);
    MEMBER(keiko_rules, size);
    MEMBER(keiko_rules, name);
    MEMBER(keiko_rules, title);
    MEMBER(keiko_rules, state_size);
    MEMBER(keiko_rules, moves);
    MEMBER(keiko_rules, max_legal);
    MEMBER(keiko_rules, rows);
    MEMBER(keiko_rules, cols);
    MEMBER(keiko_rules, planes);
    MEMBER(keiko_rules, scalars);
    MEMBER(keiko_rules, init);
    MEMBER(keiko_rules, seat);
    MEMBER(keiko_rules, legal);
    MEMBER(keiko_rules, play);
    MEMBER(keiko_rules, over);
    MEMBER(keiko_rules, encode);
    MEMBER(keiko_rules, hash);
    MEMBER(keiko_rules, cycles);
    MEMBER(keiko_rules, symmetries);
    MEMBER(keiko_rules, symmetry_planes);
    MEMBER(keiko_rules, symmetry_move);
    MEMBER(keiko_rules, move_print);
    MEMBER(keiko_rules, state_print);
    MEMBER(keiko_rules, draw);
    MEMBER(keiko_rules, state_parse);
    MEMBER(keiko_rules, move_index);
    MEMBER(keiko_rules, seat_names);
    MEMBER(keiko_rules, notation);
    MEMBER(keiko_rules, rules);
    STRUCT(keiko_shape);
    MEMBER(keiko_shape, planes);
    MEMBER(keiko_shape, scalars);
    MEMBER(keiko_shape, rows);
    MEMBER(keiko_shape, cols);
    STRUCT(keiko_line);
    MEMBER(keiko_line, move);
    MEMBER(keiko_line, value);
    MEMBER(keiko_line, prior);
    MEMBER(keiko_line, margin);
    MEMBER(keiko_line, has_margin);
    MEMBER(keiko_line, depth);
    MEMBER(keiko_line, visits);
    MEMBER(keiko_line, length);
    MEMBER(keiko_line, pv);
    MEMBER(keiko_line, text);
    STRUCT(keiko_evaluator_options);
    MEMBER(keiko_evaluator_options, size);
    MEMBER(keiko_evaluator_options, backend);
    MEMBER(keiko_evaluator_options, encoding);
    MEMBER(keiko_evaluator_options, precision);
    MEMBER(keiko_evaluator_options, max_batch);
    STRUCT(keiko_env_options);
    MEMBER(keiko_env_options, size);
    MEMBER(keiko_env_options, game);
    MEMBER(keiko_env_options, options);
    MEMBER(keiko_env_options, encoding);
    MEMBER(keiko_env_options, opponent);
    MEMBER(keiko_env_options, n);
    MEMBER(keiko_env_options, threads);
    MEMBER(keiko_env_options, max_plies);
    MEMBER(keiko_env_options, floats);
    MEMBER(keiko_env_options, seed);
    STRUCT(keiko_env_buffers);
    MEMBER(keiko_env_buffers, size);
    MEMBER(keiko_env_buffers, planes);
    MEMBER(keiko_env_buffers, scalars);
    MEMBER(keiko_env_buffers, masks);
    MEMBER(keiko_env_buffers, seats);
    MEMBER(keiko_env_buffers, rewards);
    MEMBER(keiko_env_buffers, terminated);
    MEMBER(keiko_env_buffers, truncated);
    MEMBER(keiko_env_buffers, lengths);
    MEMBER(keiko_env_buffers, events);
    MEMBER(keiko_env_buffers, final_planes);
    MEMBER(keiko_env_buffers, final_scalars);
    STRUCT(keiko_progress);
    MEMBER(keiko_progress, step);
    MEMBER(keiko_progress, games);
    MEMBER(keiko_progress, positions);
    MEMBER(keiko_progress, simulations);
    MEMBER(keiko_progress, seconds);
    MEMBER(keiko_progress, loss);
    MEMBER(keiko_progress, rated);
    MEMBER(keiko_progress, elo);
    MEMBER(keiko_progress, elo_low);
    MEMBER(keiko_progress, elo_high);
    STRUCT(keiko_training);
    MEMBER(keiko_training, size);
    MEMBER(keiko_training, run);
    MEMBER(keiko_training, resume);
    MEMBER(keiko_training, preset);
    MEMBER(keiko_training, config);
    MEMBER(keiko_training, backend);
    MEMBER(keiko_training, threads);
    MEMBER(keiko_training, seed);
    MEMBER(keiko_training, minutes);
    MEMBER(keiko_training, steps);
    MEMBER(keiko_training, games);
    MEMBER(keiko_training, model);
    MEMBER(keiko_training, each);
    MEMBER(keiko_training, ctx);
    STRUCT(keiko_score);
    MEMBER(keiko_score, games);
    MEMBER(keiko_score, wins);
    MEMBER(keiko_score, draws);
    MEMBER(keiko_score, losses);
    MEMBER(keiko_score, score);
    MEMBER(keiko_score, low);
    MEMBER(keiko_score, high);
}

// The declarations of functions, each on one line without needless blanks, in the order of the header.
static void list_functions(text_buf *t, const char *header)
{
    for (const char *line = header; *line;) {
        size_t n = strcspn(line, "\n");
        bool begins =
            isalpha((unsigned char)line[0]) && memchr(line, '(', n) != NULL && strncmp(line, "extern", 6) != 0;
        if (begins) {
            char last = 0;
            for (const char *p = line; *p && *p != ';'; p++) {
                char c = isspace((unsigned char)*p) ? ' ' : *p;
                if (c != ' ' || last != ' ') text_char(t, c);
                last = c;
            }
            text_char(t, '\n');
        }
        line += n + (line[n] == '\n');
    }
}

static void test_abi_is_that_of_its_version(void **state)
{
    (void)state;
    text_buf now = {0};
    char *was = NULL, path[FILE_PATH];
    size_t size = 0;
    list_structs(&now);
    const char *const headers[] = {"keiko_rules.h", "keiko.h"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, KEIKO_SOURCE "/include/%s", headers[i]);
        char *text = NULL;
        assert_int_equal(file_read(path, 1 << 20, &text, &size), ERR_OK);
        list_functions(&now, text);
        free(text);
    }
    snprintf(path, sizeof path, KEIKO_SOURCE "/tests/api/abi/%d.txt", KEIKO_API_VERSION);
    if (getenv("KEIKO_ABI_WRITE") != NULL) assert_int_equal(file_write_atomic(path, text_str(&now), now.len), ERR_OK);
    if (file_read(path, 1 << 20, &was, &size) != ERR_OK)
        fail_msg("%s: run this test with KEIKO_ABI_WRITE=1", err_text());
    if (strcmp(was, text_str(&now)) != 0)
        fail_msg("keiko.h has changed: increase KEIKO_API_VERSION, run this test with KEIKO_ABI_WRITE=1 and commit the "
                 "new file in tests/api/abi");
    free(was);
    text_free(&now);
}

// What version 2 (release 0.1.0) had is where it was.
static void test_version_2_is_kept(void **state)
{
    (void)state;
    assert_int_equal(offsetof(keiko_rules, state_parse), 160);
    assert_int_equal(offsetof(keiko_rules, encode), 96);
    assert_int_equal(offsetof(keiko_rules, draw), 152);
    assert_int_equal(sizeof(keiko_training), 112);
    assert_int_equal(sizeof(keiko_progress), 80);
    assert_int_equal(sizeof(keiko_score), 56);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_abi_is_that_of_its_version),
                                       cmocka_unit_test(test_version_2_is_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
