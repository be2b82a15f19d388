// The sample files under examples/: every kind that verify and solve read, as a newcomer runs them; and one changed number in
// each of them is noticed, so that a check that checks nothing would show.
#include "cli/program.h"

#define EXAMPLES KEIKO_SOURCE "/examples/"

static void all_rows_are_exact(void **state)
{
    (void)state;
    says("verify othello-obf " EXAMPLES "othello-endgames.obf", 0, "6 of 6 exact");
    says("verify renju-forbidden " EXAMPLES "renju-forbidden.txt", 0, "7 of 7 exact");
    says("verify renju-vcf " EXAMPLES "renju-vcf.txt", 0, "7 of 7 exact");
    says("verify puyo-chains " EXAMPLES "puyo-chains.txt", 0, "7 of 7 exact");
}

static void problems_are_solved(void **state)
{
    (void)state;
    says("solve othello " EXAMPLES "othello-endgames.obf", 0, "6 of 6 as listed");
    said("b7 +48");
    says("solve renju " EXAMPLES "renju-vcf.txt", 0, "7 of 7 as listed");
    said("white-five  white  VCF 5");
    said("vct-short  black  VCT");
}

// The numbers were computed by another program: maximum likelihood, draws as half a win.
static void the_pool_has_its_ratings(void **state)
{
    static const char *const ratings[] = {"1307.7586", "1427.8384", "1569.2125", "1695.1905"};
    (void)state;
    says("verify rating-pool " EXAMPLES "rating-pool.csv --model bt", 0, "240 games");
    for (int i = 0; i < 4; i++) said(ratings[i]);
}

// Runs verify on the file with one text replaced by another.
static void differs(const char *kind, const char *file, const char *from, const char *to, const char *part)
{
    char words[512], args[64];
    snprintf(words, sizeof words, "sed 's/%s/%s/' " EXAMPLES "%s |", from, to, file);
    snprintf(args, sizeof args, "verify %s /dev/stdin", kind);
    int status = keiko_after(words, args);
    if (status != 1) fail_msg("%s with %s left with %d, not 1: %s", kind, to, status, output);
    said(part);
}

static void a_wrong_row_is_noticed(void **state)
{
    (void)state;
    differs("othello-obf", "othello-endgames.obf", "A8:+26", "A8:+28", "5 of 6 exact");
    differs("renju-forbidden", "renju-forbidden.txt", "G8:44", "G8:33", "6 of 7 exact");
    differs("renju-vcf", "renju-vcf.txt", "VCF 5", "VCF 4", "6 of 7 exact");
    differs("puyo-chains", "puyo-chains.txt", "5 4840", "5 4841", "6 of 7 exact");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_rows_are_exact),
        cmocka_unit_test(problems_are_solved),
        cmocka_unit_test(the_pool_has_its_ratings),
        cmocka_unit_test(a_wrong_row_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
