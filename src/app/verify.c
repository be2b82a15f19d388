// See verify.h. A kind is a row of the table at the end.
#include "app/verify.h"

#include "app/solve.h"
#include "base/file.h"
#include "base/json.h"
#include "games/puyo/puyo.h"
#include "games/renju/renju.h"
#include "search/othello/oth_values.h"
#include "stats/rating.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = 64 << 20 };

typedef struct count {
    int exact, total;
} count;

// --- files of rows

static err othello_obf(const verify_request *r, text_buf *out, count *n)
{
    (void)out;
    return solve_othello(&(solve_options){.file = r->file,
                                          .threads = r->threads,
                                          .best = 1,
                                          .hash = 23,
                                          .quiet = !r->verbose,
                                          .line = r->line,
                                          .ctx = r->ctx},
                         &n->exact, &n->total);
}

static err renju_vcf(const verify_request *r, text_buf *out, count *n)
{
    (void)out;
    solve_options o = {.file = r->file, .hash = 22, .quiet = !r->verbose, .line = r->line, .ctx = r->ctx};
    return solve_renju(&o, &n->exact, &n->total);
}

static void report_chain(void *ctx, const py_chain_row *want, const py_chain_row *got)
{
    const verify_request *r = ctx;
    text_buf t = {0};
    text_printf(&t, "line %d, %s: chain %d score %d frames %d left %d, but here %d %d %d %d", want->line, want->name,
                want->links, want->score, want->frames, want->left, got->links, got->score, got->frames, got->left);
    r->line(r->ctx, text_str(&t));
    text_free(&t);
}

static err read_rows(const verify_request *r, count *n, bool chains)
{
    char *text = NULL;
    err e = file_read(r->file, FILE_MOST, &text, NULL);
    if (e == ERR_OK)
        e = err_prefix(chains ? py_verify_chains(text, report_chain, (void *)r, &n->exact, &n->total)
                              : rj_verify_forbidden(text, r->line, r->ctx, &n->exact, &n->total),
                       "%s", r->file);
    free(text);
    return e;
}

static err puyo_chains(const verify_request *r, text_buf *out, count *n)
{
    (void)out;
    return read_rows(r, n, true);
}

static err renju_forbidden(const verify_request *r, text_buf *out, count *n)
{
    (void)out;
    return read_rows(r, n, false);
}

// --- tables

static void pool_text(const tally *t, const rating_fit *f, const char *model, text_buf *out)
{
    text_printf(out, "%-20s %10s %12s %12s\n", "player", "rating", "information", "sandwich");
    for (int i = 0; i < f->n; i++)
        text_printf(out, "%-20s %10.4f %12.3f %12.3f\n", t->who.name[i], f->rating[i], rating_se(f, ERRORS_INFO, i),
                    rating_se(f, ERRORS_GAMES, i));
    text_printf(out, "%s: first-move advantage %.4f, draw parameter %.6f, log-likelihood %.6f, %.0f games\n", model,
                f->advantage, f->draw, f->loglik, f->games);
    for (int i = 0; i < f->notes.n; i++) text_printf(out, "Note: %s\n", f->notes.line[i]);
}

static err pool_json(const tally *t, const rating_fit *f, const char *model, text_buf *out)
{
    json_writer w = json_begin(out, true);
    json_open_object(&w);
    json_pair_text(&w, "model", model);
    json_pair_object(&w, "ratings");
    for (int i = 0; i < f->n; i++) {
        json_pair_object(&w, t->who.name[i]);
        json_pair_number(&w, "rating", f->rating[i]);
        json_pair_number(&w, "se_information", rating_se(f, ERRORS_INFO, i));
        json_pair_number(&w, "se_sandwich", rating_se(f, ERRORS_GAMES, i));
        json_close(&w);
    }
    json_close(&w);
    json_pair_number(&w, "advantage", f->advantage);
    json_pair_number(&w, "draw", f->draw);
    json_pair_number(&w, "loglik", f->loglik);
    json_pair_number(&w, "games", f->games);
    json_pair_array(&w, "notes");
    for (int i = 0; i < f->notes.n; i++) json_put_text(&w, f->notes.line[i]);
    json_close(&w);
    json_close(&w);
    return json_finish(&w);
}

// A table of results has no known answers in it: the fit itself is the output, for others to compare.
static err rating_pool(const verify_request *r, text_buf *out, count *n)
{
    (void)n;
    char *text = NULL;
    size_t size = 0;
    tally t;
    rating_fit f;
    err e = file_read(r->file, FILE_MOST, &text, &size);
    if (e == ERR_OK) e = err_prefix(rating_verify(&t, &f, text, size, r->model), "%s", r->file);
    free(text);
    if (e != ERR_OK) return e;
    if (r->json)
        e = pool_json(&t, &f, r->model, out);
    else
        pool_text(&t, &f, r->model, out);
    tally_free(&t);
    rating_free(&f);
    return e;
}

static void values_text(const oth_agreement a[OTH_VALUE_RANGES], text_buf *out)
{
    text_printf(out, "%9s %9s %7s %12s %6s %6s\n", "empties", "positions", "spread", "correlation", "rms", "bias");
    for (int i = 0; i < OTH_VALUE_RANGES; i++)
        if (a[i].n > 1)
            text_printf(out, "%4d - %2d %9d %7.2f %12.4f %6.2f %+6.2f\n", oth_value_range[i][0], oth_value_range[i][1],
                        a[i].n, a[i].spread, a[i].correlation, a[i].rms, a[i].bias);
}

// The listed scores are another judge's, so there is no right or wrong: the table is the output.
static err othello_values(const verify_request *r, text_buf *out, count *n)
{
    (void)n;
    char *text = NULL;
    oth_problem *p = NULL;
    oth_weights *own = NULL;
    oth_engine *engine = NULL;
    int problems = 0;
    err e = file_read(r->file, FILE_MOST, &text, NULL);
    if (e == ERR_OK) e = err_prefix(oth_obf_read(text, &p, &problems), "%s", r->file);
    if (e == ERR_OK && r->weights != NULL) e = oth_weights_load(&own, r->weights);
    if (e == ERR_OK) {
        const oth_weights *w = own != NULL ? own : oth_weights_shipped();
        e = oth_engine_new(&engine, &(oth_engine_options){.hash = 16, .weights = w});
    }
    if (e == ERR_OK) {
        oth_agreement a[OTH_VALUE_RANGES];
        oth_values_measure(engine, p, problems, r->depth, a);
        values_text(a, out);
    }
    oth_engine_free(engine);
    oth_weights_free(own);
    free(p);
    free(text);
    return e;
}

// --- the kinds

static const struct {
    const char *name;
    bool table; // the answer is a table, not a count
    err (*run)(const verify_request *r, text_buf *out, count *n);
} kinds[] = {
    {"renju-forbidden", false, renju_forbidden}, {"renju-vcf", false, renju_vcf},
    {"puyo-chains", false, puyo_chains},         {"othello-obf", false, othello_obf},
    {"othello-values", true, othello_values},    {"rating-pool", true, rating_pool},
};

err verify_run(const verify_request *r, text_buf *out, int *exact, int *total)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, r->kind) != 0) continue;
        count n = {0, 0};
        err e = kinds[i].run(r, out, &n);
        *exact = n.exact;
        *total = n.total;
        if (e == ERR_OK && !kinds[i].table && n.total == 0) e = err_set(ERR_PARSE, "%s holds no rows", r->file);
        return e == ERR_OK ? text_check(out) : e;
    }
    return err_set(ERR_USAGE, "there is nothing called '%.40s' to verify; there are: %s", r->kind, VERIFY_KINDS);
}
