// keiko solve renju, keiko verify renju-vcf: the shortest forced wins of a file of problems, each replayed by the rules.
#include "app/solve.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "search/renju/renju_problems.h"
#include "search/renju/renju_vct.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHORTEST_NODES = 200000000 }; // then any win will do, and the output says so
enum { THREATS_NODES = 20000000 };   // a win by threats is given up after this many

typedef struct totals {
    uint64_t nodes;
    double cpu;
    int right, n;
} totals;

static void print_problem(const solve_options *o, const rj_problem *p, const rj_line *l, double cpu, const char *why)
{
    text_buf t = {0};
    char line[2048];
    rj_line_print(15, l->move, l->n, line, sizeof line);
    text_printf(&t, "%s  %s  ", p->id, p->side == RJ_BLACK ? "black" : "white");
    if (l->length > 0)
        text_printf(&t, "%s %s%d", p->threes ? "VCT" : "VCF", l->shortest ? "" : "at most ", l->length);
    else
        text_printf(&t, "no win found");
    text_printf(&t, "  %" PRIu64 " nodes  %.3f s  %s%s%s", l->nodes, cpu, line, why[0] != 0 ? "  WRONG: " : "", why);
    o->line(o->ctx, text_str(&t));
    text_free(&t);
}

static void solve_one(rj_vcf *v, rj_board *b, const solve_options *o, const rj_problem *p, totals *t)
{
    char why[160] = "";
    rj_line l;
    double start = clock_thread_cpu_seconds();
    rj_vcf_forget(v);
    rj_problem_board(p, b);
    if (rj_vcf_solve(v, b, &(rj_vcf_limits){.nodes = SHORTEST_NODES}, &l) == RJ_VCF_UNKNOWN) {
        uint64_t spent = l.nodes;
        rj_vcf_solve(v, b, &(rj_vcf_limits){.any = true, .nodes = SHORTEST_NODES}, &l);
        l.nodes += spent;
    }
    double cpu = clock_thread_cpu_seconds() - start;
    bool right = l.length > 0 && rj_line_wins(p, l.move, l.n, why, sizeof why);
    if (l.length == 0) snprintf(why, sizeof why, "a win is known");
    if (right && p->length > 0 && (l.length != p->length || !l.shortest)) {
        snprintf(why, sizeof why, "%d moves are listed", p->length);
        right = false;
    }
    t->n++;
    t->right += right;
    t->nodes += l.nodes;
    t->cpu += cpu;
    if (!o->quiet || !right) print_problem(o, p, &l, cpu, why);
}

static void solve_threats(rj_vct *v, rj_board *b, const solve_options *o, const rj_problem *p)
{
    char why[160] = "";
    rj_line l;
    double start = clock_thread_cpu_seconds();
    rj_vct_forget(v);
    rj_problem_board(p, b);
    rj_vct_solve(v, b, THREATS_NODES, 0, &l);
    double cpu = clock_thread_cpu_seconds() - start;
    if (l.length > 0) rj_line_legal(p, l.move, l.n, why, sizeof why);
    print_problem(o, p, &l, cpu, why);
}

err solve_renju(const solve_options *o, int *exact, int *total)
{
    char *text = NULL;
    rj_problem *problems = NULL;
    rj_vcf *v = NULL;
    rj_vct *threats = NULL;
    rj_board *b = malloc(sizeof *b);
    int n = 0;
    totals t = {0};
    err e = b == NULL ? err_set(ERR_MEMORY, "no memory for a board") : file_read(o->file, 64 << 20, &text, NULL);
    if (e == ERR_OK) e = err_prefix(rj_problems_read(text, &problems, &n), "%s", o->file);
    if (e == ERR_OK && n == 0) e = err_set(ERR_PARSE, "%s holds no problems", o->file);
    if (e == ERR_OK) e = rj_vcf_new(&v, o->hash);
    if (e == ERR_OK) e = rj_vct_new(&threats, o->quiet ? 10 : o->hash);
    for (int i = 0; e == ERR_OK && i < n; i++) {
        if (!problems[i].threes)
            solve_one(v, b, o, &problems[i], &t);
        else if (!o->quiet)
            solve_threats(threats, b, o, &problems[i]);
    }
    if (e == ERR_OK) {
        text_buf line = {0};
        text_printf(&line, "%d by fours: %" PRIu64 " nodes, %.3f CPU s, %.2f M nodes/CPU s", t.n, t.nodes, t.cpu,
                    solve_rate(t.nodes, t.cpu));
        o->line(o->ctx, text_str(&line));
        text_free(&line);
        *exact = t.right;
        *total = t.n;
    }
    rj_vcf_free(v);
    rj_vct_free(threats);
    FREE_ALL(b, problems, text);
    return e;
}
