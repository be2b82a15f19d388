// CSV against the rules of RFC 4180.
#include "base/csv.h"
#include "test.h"

#include <math.h>

static void rows(void **state)
{
    (void)state;
    static const char *const names[] = {"player", "elo", "games", "note"};
    text_buf t = {0};
    csv_writer w = csv_begin(&t);
    csv_header(&w, names, 4);
    csv_text(&w, "zero:sims=400,model=a");
    csv_fixed(&w, 1532.449, 1);
    csv_int(&w, -50);
    csv_text(&w, "said \"hi\"\nand left");
    csv_end_row(&w);
    csv_text(&w, " blank ");
    csv_fixed(&w, 0.1, 1);
    csv_fixed(&w, NAN, 1);
    csv_text(&w, NULL);
    csv_end_row(&w);
    csv_text(&w, "稽古");
    csv_fixed(&w, INFINITY, 2);
    csv_text(&w, "");
    csv_text(&w, "plain 'text'; fine");
    csv_end_row(&w);
    assert_string_equal(text_str(&t), "player,elo,games,note\n"
                                      "\"zero:sims=400,model=a\",1532.4,-50,\"said \"\"hi\"\"\nand left\"\n"
                                      "\" blank \",0.1,,\n"
                                      "稽古,,,plain 'text'; fine\n");
    assert_int_equal(w.rows, 4);
    text_free(&t);
}

static void one_column(void **state)
{
    (void)state;
    text_buf t = {0};
    csv_writer w = csv_begin(&t);
    csv_text(&w, "only");
    csv_end_row(&w);
    csv_text(&w, ""); // an empty line would be no row at all
    csv_end_row(&w);
    assert_string_equal(text_str(&t), "only\n\"\"\n");
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows), cmocka_unit_test(one_column)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
