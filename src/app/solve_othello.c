// keiko solve othello, keiko verify othello-obf: exact scores of a file of OBF problems.
#include "app/solve.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "search/othello/oth_verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct totals {
    uint64_t nodes;
    double cpu, wall;
    int right, known, n;
} totals;

double solve_rate(uint64_t nodes, double seconds)
{
    return (double)nodes / 1e6 / (seconds > 1e-9 ? seconds : 1e-9);
}

static void print_problem(const solve_options *o, int number, const oth_problem *p, const oth_found *f, bool wld,
                          const char *why)
{
    text_buf t = {0};
    char name[5], score[OTH_SCORE_TEXT];
    text_printf(&t, "%3d  %2d empties ", number, oth_count(oth_empty(p->s.b)));
    if (f->n == 0) text_printf(&t, " the game is over, %+d", oth_score(p->s.b));
    for (int i = 0; i < f->n; i++)
        text_printf(&t, " %s %s", oth_square_name(f->move[i].sq, name), oth_score_text(f->move[i].score, wld, score));
    text_printf(&t, "  %" PRIu64 " nodes  %.3f s  %.1f M/s ", f->nodes, f->cpu_seconds,
                solve_rate(f->nodes, f->cpu_seconds));
    if (f->n > 0)
        for (int i = 0; i < f->move[0].n_line && i < 10; i++)
            text_printf(&t, " %s", oth_square_name(f->move[0].line[i], name));
    text_printf(&t, "%s%s", why[0] != 0 ? "  WRONG: " : "", why);
    o->line(o->ctx, text_str(&t));
    text_free(&t);
}

// Nothing would be seen for hours.
static void warn_of(const oth_problem *p, int number)
{
    enum { LONG = 32 }; // empty squares; two more take about five times as long
    int empties = oth_count(oth_empty(p->s.b));
    if (empties > LONG)
        log_warn("problem %d has %d empty squares: an exact score takes hours or more beyond about %d; keiko analyse "
                 "estimates one",
                 number, empties, LONG);
}

static void solve_one(oth_engine *engine, const solve_options *o, const oth_problem *p, int number, totals *t)
{
    oth_found f;
    char why[160] = "";
    warn_of(p, number);
    oth_engine_clear(engine);
    oth_engine_search(engine, p->s.b, &(oth_limits){.exact = OTH_SQUARES, .best = o->best, .wld = o->wld}, &f);
    bool right = oth_verify(p, &f, o->wld, why, sizeof why);
    t->n++;
    t->nodes += f.nodes;
    t->cpu += f.cpu_seconds;
    t->wall += f.seconds;
    if (p->n > 0) {
        t->known++;
        t->right += right;
    }
    if (!o->quiet || !right) print_problem(o, number, p, &f, o->wld, why);
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
        e = oth_engine_new(&engine, &(oth_engine_options){.hash = o->hash, .threads = o->threads, .weights = w});
    totals t = {0};
    for (int i = 0; e == ERR_OK && i < n; i++) solve_one(engine, o, &problems[i], i + 1, &t);
    if (e == ERR_OK) {
        text_buf line = {0};
        text_printf(&line, "%d problem%s: %" PRIu64 " nodes, %.3f CPU s, %.3f s, %.1f M nodes/CPU s", t.n,
                    t.n == 1 ? "" : "s", t.nodes, t.cpu, t.wall, solve_rate(t.nodes, t.cpu));
        o->line(o->ctx, text_str(&line));
        text_free(&line);
        *exact = t.right;
        *total = t.known;
    }
    oth_engine_free(engine);
    free(problems);
    free(text);
    return e;
}
