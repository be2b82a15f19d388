// keiko solve othello, keiko verify othello-obf: exact scores of a file of OBF problems.
#include "base/file.h"
#include "cli/cli.h"
#include "cli/solve.h"
#include "search/othello/oth_verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct totals {
    uint64_t nodes;
    double cpu, wall;
    int right, known, n;
} totals;

static double rate(uint64_t nodes, double seconds)
{
    return (double)nodes / 1e6 / (seconds > 1e-9 ? seconds : 1e-9);
}

static void print_problem(int number, const oth_problem *p, const oth_found *f, bool wld, const char *why)
{
    char name[5], score[OTH_SCORE_TEXT];
    printf("%3d  %2d empties ", number, oth_count(oth_empty(p->s.b)));
    if (f->n == 0) printf(" the game is over, %+d", oth_score(p->s.b));
    for (int i = 0; i < f->n; i++)
        printf(" %s %s", oth_square_name(f->move[i].sq, name), oth_score_text(f->move[i].score, wld, score));
    printf("  %" PRIu64 " nodes  %.3f s  %.1f M/s ", f->nodes, f->cpu_seconds, rate(f->nodes, f->cpu_seconds));
    if (f->n > 0)
        for (int i = 0; i < f->move[0].n_line && i < 10; i++) printf(" %s", oth_square_name(f->move[0].line[i], name));
    printf("%s%s\n", why[0] != 0 ? "  WRONG: " : "", why);
    fflush(stdout);
}

static void solve_one(oth_engine *engine, const solve_options *o, const oth_problem *p, int number, totals *t)
{
    oth_found f;
    char why[160] = "";
    oth_engine_clear(engine);
    oth_engine_search(engine, p->s.b, &(oth_limits){.exact = OTH_SQUARES, .best = (int)o->best, .wld = o->wld}, &f);
    bool right = oth_verify(p, &f, o->wld, why, sizeof why);
    t->n++;
    t->nodes += f.nodes;
    t->cpu += f.cpu_seconds;
    t->wall += f.seconds;
    if (p->n > 0) {
        t->known++;
        t->right += right;
    }
    if (!o->quiet || !right) print_problem(number, p, &f, o->wld, why);
}

err solve_othello(const solve_options *o, int *exact, int *total)
{
    char *text = NULL;
    oth_problem *problems = NULL;
    oth_engine *engine = NULL;
    int n = 0;
    const oth_weights *w = oth_weights_shipped();
    err e = file_read(o->file, 64 << 20, &text, NULL);
    if (e == ERR_OK) e = err_prefix(oth_obf_read(text, &problems, &n), "%s", o->file);
    if (e == ERR_OK && n == 0) e = err_set(ERR_PARSE, "%s holds no problems", o->file);
    if (e == ERR_OK)
        e = oth_engine_new(&engine,
                           &(oth_engine_options){.hash = (int)o->hash, .threads = (int)o->threads, .weights = w});
    totals t = {0};
    for (int i = 0; e == ERR_OK && i < n; i++) solve_one(engine, o, &problems[i], i + 1, &t);
    if (e == ERR_OK) {
        printf("%d problem%s: %" PRIu64 " nodes, %.3f CPU s, %.3f s, %.1f M nodes/CPU s\n", t.n, t.n == 1 ? "" : "s",
               t.nodes, t.cpu, t.wall, rate(t.nodes, t.cpu));
        *exact = t.right;
        *total = t.known;
    }
    oth_engine_free(engine);
    free(problems);
    free(text);
    return e;
}
