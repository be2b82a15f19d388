// Journals of openings and mixtures of players with one mistake each: what is read and what is said (tests/learn/edits.txt).
#include "base/edits.h"
#include "base/temp_dir.h"
#include "learn/dqn/dqn_train.h"
#include "learn/tune/tune_openings.h"

static char folder[64], journal[128];

static void one_journal(void *ctx, const char *text)
{
    rj_lines_tune t = {.seed = 5, .effort = 0.5, .journal = journal};
    FILE *f = fopen(journal, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    for (int variant = 0; variant < 4; variant += 3) {
        rj_opening *lines = NULL;
        int n = 0;
        uint64_t drawn = 0;
        text_buf said = {0};
        bool good = rj_lines_load(&t, variant, &lines, &n, &drawn) == ERR_OK;
        text_printf(&said, "%d of %" PRIu64 ":", n, drawn);
        for (int i = 0; good && i < n; i++) {
            text_printf(&said, " %" PRIu64 " %g %g ", lines[i].number, (double)lines[i].games, (double)lines[i].black);
            rj_opening_print(variant, &lines[i], &said);
        }
        const char *why = strstr(err_text(), "journal.txt"); // behind a folder that is another one every time
        edits_saw(ctx, good, text, good ? text_str(&said) : why != NULL ? why : err_text());
        text_free(&said);
        free(lines);
    }
}

static void one_mix(void *ctx, const char *text)
{
    dqn_mix m = {0};
    text_buf said = {0};
    bool good = dqn_mix_parse(text, "players", &m) == ERR_OK;
    for (int i = 0; good && i < m.n; i++) text_printf(&said, "%s %.6g;", m.name[i], m.upto[i]);
    for (double at = 0; good && at < 1; at += 0.125) text_printf(&said, " %d", dqn_mix_at(&m, at));
    edits_saw(ctx, good, text, good ? text_str(&said) : err_text());
    text_free(&said);
}

static void all(void **state)
{
    (void)state;
    edits lines = {.name = "journals"}, mix = {.name = "mixtures"};
    text_buf t = {0};
    assert_non_null(temp_dir_make(folder));
    snprintf(journal, sizeof journal, "%s/journal.txt", folder);
    edits_of(
        "keiko renju-openings seed 5 effort 0.5\nrenju 9 h8;i9;g7 4 2.5\nrenju drawn 77\nfreestyle20 3 a1;t20 1 0\n"
        "renju 2 a1;o15 1 1\n",
        "0; x9", one_journal, &lines);
    edits_of("60 self;20 greedy;20 x:y=1", "0; -.", one_mix, &mix);
    edits_of("1 a;1 b;1 c;1 d;1 e;1 f;1 g;1 h", ";0", one_mix, &mix);
    temp_dir_remove(folder);
    edits_list(&lines, &t);
    edits_list(&mix, &t);
    assert_listed(&t, "learn/edits.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
