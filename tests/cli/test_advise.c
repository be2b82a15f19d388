// keiko advise, keiko puyo view, keiko puyo url as people run them.
#include "base/json.h"
#include "cli/program.h"

#include <stdlib.h>
#include <unistd.h>

static void one_advice(void **state)
{
    (void)state;
    says("advise --pair BB", 0, "250.0 = fold-progress 60 x 4 + connectivity 10 x 1");
    assert_non_null(strstr(output, " 1 |b b . . . .|"));
    says("advise --field 'RR..../YY....' --pair RG", 0, "128.0");
    says("advise --field 'RR..../YY....' --pair RG --next YY,GB --mode plus", 0, "that the fold stands");
    says("advise --field 'http://www.puyop.com/s/b00900r00' --pair RG", 0, "A = red, B = blue");
    says("advise --field 'RY..../RRYGG./YYGBB.' --pair RG", 0, "tails possible");
}

static void wrong_words(void **state)
{
    (void)state;
    says("advise", 2, "--pair");
    says("advise --pair R", 2, "--pair");
    says("advise --pair RX", 2, "no pair");
    says("advise --pair RB --next", 2, "--next");
    says("advise --pair RB --next RG,", 2, "comma");
    says("advise --pair RB --next RG,RG,RG", 2, "two pairs");
    says("advise --pair RP", 2, "--pair: a colour");
    says("advise --field 'R' --pair RB", 2, "--field: column 2");
    says("advise --field 'R...../......' --pair RB", 2, "nothing is below");
    says("advise --simulate --turns 10,x", 2, "--turns");
    says("advise --practice --replay nowhere.txt", 2, "nowhere.txt");
    says("puyo url 7", 2, "hard puyos");
    says("puyo view 'RG!'", 2, "puyo view");
}

#if defined(KEIKO_JSON)
static void json_answers(void **state)
{
    (void)state;
    json_doc *d;
    const char *text;
    double number;
    int64_t count;
    assert_int_equal(keiko("advise --pair BB --next RG --json"), 0);
    assert_ok(json_read(&d, output, strlen(output), "advice"));
    json_val root = json_root(d), advice, all, scores;
    assert_ok(json_need(&root, "advice", &advice));
    assert_ok(json_need_text(&advice, "move", &text));
    assert_string_equal(text, "1r");
    assert_ok(json_need(&advice, "scores", &scores));
    assert_ok(json_need_number(&scores, "fold-progress", -1e9, 1e9, &number));
    assert_float_equal(number, 60, 1e-9);
    assert_ok(json_need(&root, "candidates", &all));
    assert_int_equal(json_count(&all), 22);
    json_free(d);

    assert_int_equal(keiko("advise --simulate --games 200 --turns 10,15 --json -q  -t 1"), 0);
    char *one = strdup(output);
    assert_int_equal(keiko("advise --simulate --games 200 --turns 10,15 --json -q  -t 3"), 0);
    assert_string_equal(one, output);
    free(one);
    assert_ok(json_read(&d, output, strlen(output), "rates"));
    root = json_root(d);
    json_val turns, row, failures;
    assert_ok(json_need(&root, "turns", &turns));
    assert_int_equal(json_count(&turns), 2);
    row = json_item(&turns, 1);
    assert_ok(json_need_int(&row, "turns", 15, 15, &count));
    assert_ok(json_need_int(&row, "games", 200, 200, &count));
    assert_ok(json_need_number(&row, "rate", 0.9, 1, &number));
    double low, high;
    assert_ok(json_need_number(&row, "low", 0, number, &low));
    assert_ok(json_need_number(&row, "high", number, 1, &high));
    assert_ok(json_need(&root, "failures", &failures));
    json_free(d);
}
#endif

static void practice(void **state)
{
    (void)state;
    char file[] = "advise-failures-XXXXXX", args[256];
    assert_int_equal(keiko_after("printf '\\n\\nwhy\\n6u\\nback 2\\non\\nnonsense\\nscore\\n' |",
                                 "advise --practice --mode plus --color never"),
                     0);
    assert_non_null(strstr(output, "fold in time"));
    assert_non_null(strstr(output, "is number"));
    assert_non_null(strstr(output, "'on' plays the move"));
    assert_non_null(strstr(output, "expected a column"));
    assert_non_null(strstr(output, "2 of 3 placements as advised"));
    // Fifteen times the advice: a fold.
    assert_int_equal(keiko_after("yes '' | head -15 |", "advise --practice --mode plus --seed 2 --color never"), 0);
    assert_non_null(strstr(output, "The fold stands after"));
    assert_non_null(strstr(output, "1 of 1 folds"));
    // A failed game comes back as it was.
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    close(fd);
    snprintf(args, sizeof args, "advise --simulate --games 100 --turns 8 -q --failures %s", file);
    assert_int_equal(keiko(args), 0);
    snprintf(args, sizeof args, "advise --practice --replay %s --line 2 --color never", file);
    assert_int_equal(keiko_after("printf 'back 8\\n' |", args), 0);
    assert_non_null(strstr(output, "turn 9 of 8"));
    assert_non_null(strstr(output, "turn 1 of 8"));
    snprintf(args, sizeof args, "advise --practice --replay %s --line 5000", file);
    says(args, 2, "no line 5000");
    remove(file);
}

// A simulation writes a file only where it is told to.
static void leaves_no_file(void **state)
{
    (void)state;
    char dir[] = "advise-XXXXXX", words[64];
    assert_non_null(mkdtemp(dir));
    snprintf(words, sizeof words, "cd %s &&", dir);
    assert_int_equal(keiko_after(words, "advise --simulate --games 50 --turns 8 -q"), 0);
    assert_null(strstr(output, "the failed games are in"));
    assert_int_equal(rmdir(dir), 0); // empty
}

static void boards(void **state)
{
    (void)state;
    says("puyo url 'RB..../RR..../BB....'", 0, "http://www.puyop.com/s/b00900r00");
    says("puyo url 'http://www.puyop.com/s/_18'", 0, "RG 1u");
    says("puyo view 'R...../RB..../RRB.../BBGGG.' --color never", 0, "link 2: 4 puyos, 320 points (360 so far)");
    assert_non_null(strstr(output, "[R][R] B"));
    says("puyo view 'R...../RB..../RRB.../BBGGG.' --json", 0, "\"chain\": 2");
    assert_int_equal(
        keiko_after("printf '\\n\\nb\\n1\\nq\\n' |", "puyo view 'R...../RB..../RRB.../BBGGG.' --step --color never"),
        0);
    assert_non_null(strstr(output, "[3/4]"));
    says("puyo view 'RRR...'", 0, "the board");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_advice),
        cmocka_unit_test(wrong_words),
        cmocka_unit_test(practice),
        cmocka_unit_test(leaves_no_file),
        cmocka_unit_test(boards),
#if defined(KEIKO_JSON)
        cmocka_unit_test(json_answers),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
