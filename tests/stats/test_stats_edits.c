// Tables of results with one mistake each, and what is rated from those that are read (tests/stats/edits.txt).
#include "base/edits.h"
#include "stats/rating.h"
#include "stats/results.h"

#define HEAD "first,second,first_wins,draws,second_wins\n"

static void one_table(void *ctx, const char *text)
{
    tally t = {0};
    if (tally_parse(&t, text, strlen(text)) != ERR_OK) {
        edits_saw(ctx, false, text, err_text());
        return;
    }
    size_t n = tally_print(&t, NULL, 0);
    char *said = malloc(n + 1);
    assert_int_equal(tally_print(&t, said, n + 1), n);
    edits_saw(ctx, true, text, said);
    for (size_t size = 0; size <= n; size++) { // what fits, with its end
        char *part = malloc(size + 1);
        memset(part, 'z', size + 1);
        assert_int_equal(tally_print(&t, part, size), n);
        if (size > 0) assert_memory_equal(part, said, size - 1);
        if (size > 0) assert_int_equal(part[size - 1], 0);
        assert_int_equal(part[size], 'z');
        free(part);
    }
    free(said);
    tally_free(&t);
}

static void one_model(void *ctx, const char *text)
{
    rating_options o = {0};
    rating_errors errors = ERRORS_BEST;
    char said[60];
    bool good = rating_model_parse(text, &o) == ERR_OK;
    snprintf(said, sizeof said, "%d %d", (int)o.model, (int)o.no_advantage);
    edits_saw(ctx, good, text, good ? said : err_text());
    good = rating_errors_parse(text, &errors) == ERR_OK;
    snprintf(said, sizeof said, "%d", (int)errors);
    edits_saw(ctx, good, text, good ? said : err_text());
}

static void all(void **state)
{
    (void)state;
    text_buf t = {0};
    edits tables = {.name = "tables"}, models = {.name = "models"};
    edits_of(HEAD "a,b,3,1,2\r\n\"c, \"\"d\"\"\",a,0,10,0\n\nb,c,9007199254740992,1,0\n", "0\",\n\r #", one_table,
             &tables);
    edits_of(HEAD "x,y,1,0,1\ny,x,1,1,0\nx,y,2,2,2", "1,\n ", one_table, &tables);
    static const char *const names[] = {"bt", "bt-adv", "rao-kupper", "davidson", "best", "information", "bootstrap"};
    for (int i = 0; i < 7; i++) edits_of(names[i], "bd-", one_model, &models);
    edits_list(&tables, &t);
    edits_list(&models, &t);
    assert_listed(&t, "stats/edits.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
