// Files of renju problems: any bytes give problems or a sentence; a problem's line is judged without a crash, and what a
// short search claims is what the referee sees.
#include "search/renju/renju_problems.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void solve(const rj_problem *p)
{
    char why[200] = "";
    rj_vcf *v;
    rj_board *b = malloc(sizeof *b);
    rj_line l;
    if (b == NULL || rj_vcf_new(&v, 10) != ERR_OK) abort();
    rj_problem_board(p, b);
    bool over = !rj_line_legal(p, NULL, 0, why, sizeof why); // a five stands on the board
    if (!over && rj_vcf_solve(v, b, &(rj_vcf_limits){.moves = 6, .nodes = 200}, &l) == RJ_VCF_WIN &&
        !rj_line_wins(p, l.move, l.n, why, sizeof why))
        abort();
    if (!rj_board_ok(b)) abort();
    rj_vcf_free(v);
    free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), why[200] = "";
    if (text == NULL) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    rj_problem *p = NULL;
    int n = 0;
    if (rj_problems_read(text, &p, &n) == ERR_OK) {
        for (int i = 0; i < n && i < 3; i++) {
            if (!rj_line_wins(&p[i], p[i].line, p[i].n_line, why, sizeof why) && why[0] == 0) abort();
            solve(&p[i]);
        }
        free(p);
    } else if (err_text()[0] == 0) {
        abort();
    }
    free(text);
    return 0;
}
