// See advise.h.
#include "app/advise.h"

#include "base/clock.h"
#include "base/file.h"
#include "games/puyo/puyo_url.h"
#include "stats/dist.h"

#include <stdlib.h>
#include <string.h>

// --- one question

err advise_ask(const advise_question *q, advice *out)
{
    if (q->plus) return advisor_advise_plus(q->config, &q->field, q->pair, &q->future, out);
    advisor_advise(q->config, &q->field, q->pair, q->future.next[0], q->reach, out);
    return ERR_OK;
}

err advise_kind(const char *name, int *kind)
{
    for (int i = 0; i < PY_PAIR_KINDS; i++)
        if (strcmp(py_pair_kind_name[i], name) == 0) {
            *kind = i;
            return ERR_OK;
        }
    return err_set(ERR_USAGE, "pairs: '%.20s' is no kind of pairs: blocks, arcade or uniform", name);
}

err advise_pair(const char *text, uint8_t *pair)
{
    int a = py_code(text[0]), b = a < 0 ? -1 : py_code(text[1]);
    if (a < PY_RED || b < PY_RED || text[2] != 0)
        return err_set(ERR_USAGE, "'%.20s' is no pair: expected two of R Y G B P, the main puyo first", text);
    *pair = py_pair(a, b);
    return ERR_OK;
}

static err parse_next(const char *text, uint8_t next[2])
{
    char word[8];
    for (int i = 0; *text != 0; i++) {
        size_t n = strcspn(text, ",");
        if (i == 2) return err_set(ERR_USAGE, "next: at most two pairs");
        if (n >= sizeof word) return err_set(ERR_USAGE, "next: '%.20s' is no pair", text);
        memcpy(word, text, n);
        word[n] = 0;
        err e = advise_pair(word, &next[i]);
        if (e != ERR_OK) return err_prefix(e, "next");
        text += n;
        if (*text == ',' && *++text == 0) return err_set(ERR_USAGE, "next: a pair should follow the comma");
    }
    return ERR_OK;
}

static err parse_field(const char *text, py_field *f)
{
    py_url u;
    err e;
    if (strstr(text, "://") == NULL && strstr(text, "puyop.com") == NULL) {
        e = py_field_parse(text, f);
    } else {
        e = py_url_parse(text, &u);
        if (e == ERR_OK) *f = u.field;
    }
    return err_prefix(e, "field");
}

err advise_turns(const char *text, int *turns, int most, int *n)
{
    *n = 0;
    for (;;) {
        char *end;
        long v = strtol(text, &end, 10);
        if (end == text || v < 1 || v > 200 || (*end != 0 && *end != ','))
            return err_set(ERR_USAGE, "turns: '%.20s' is no number of turns from 1 to 200", text);
        if (*n == most) return err_set(ERR_USAGE, "turns: at most %d lengths", most);
        turns[(*n)++] = (int)v;
        if (*end == 0) return ERR_OK;
        text = end + 1;
    }
}

static err check_colours(const advise_question *q, int colours)
{
    const char *bad = !py_field_ok(&q->field, colours) ? "field" : !py_pair_ok(q->pair, colours) ? "pair" : NULL;
    for (int i = 0; i < 2 && bad == NULL; i++)
        if (q->future.next[i] != 0 && !py_pair_ok(q->future.next[i], colours)) bad = "next";
    if (bad == NULL) return ERR_OK;
    return err_set(ERR_USAGE, "%s: a colour is not among the %d in play; colours may be 3 to 5", bad, colours);
}

static int colours_of(const advise_request *r)
{
    return r->colours > 0 ? r->colours : 4;
}

static bool is_plus(const advise_request *r)
{
    return r->mode != NULL && strcmp(r->mode, "plus") == 0;
}

err advise_read(const advise_request *r, advise_question *out)
{
    int kind = 0, turns[ADVISE_LENGTHS] = {0}, n = 0;
    advise_question q = {
        .config = r->config != NULL ? r->config : &advisor_defaults, .plus = is_plus(r), .reach = r->reach};
    if (r->pair == NULL) return err_set(ERR_USAGE, "'pair' is missing");
    if (r->mode != NULL && !q.plus && strcmp(r->mode, "seed") != 0)
        return err_set(ERR_USAGE, "mode: seed or plus, not '%.20s'", r->mode);
    err e = parse_field(r->field != NULL ? r->field : "......", &q.field);
    if (e == ERR_OK) e = err_prefix(advise_pair(r->pair, &q.pair), "pair");
    if (e == ERR_OK && r->next != NULL) e = parse_next(r->next, q.future.next);
    if (e == ERR_OK) e = check_colours(&q, colours_of(r));
    if (e == ERR_OK) e = advise_kind(r->pairs != NULL ? r->pairs : "blocks", &kind);
    if (e == ERR_OK && r->turns != NULL) e = advise_turns(r->turns, turns, ADVISE_LENGTHS, &n);
    if (e != ERR_OK) return e;
    // Which pairs belong together is known only to somebody who counted them.
    q.future.kind = (uint8_t)(r->index > 0 ? kind : PY_UNIFORM);
    q.future.colours = (uint8_t)colours_of(r);
    q.future.index = r->index > 0 ? (uint32_t)r->index - 1 : 0;
    q.future.turns = n > 0 ? turns[0] : 0;
    *out = q;
    return ERR_OK;
}

// --- many games

static err play_rows(advisor_trial *trial, pool *threads, const int *turns, int n, const advise_watch *watch,
                     advise_simulation *out)
{
    err e = ERR_OK;
    for (int i = 0; i < n && e == ERR_OK; i++) {
        advise_row *row = &out->row[i];
        row->turns = trial->turns = turns[i];
        double start = clock_cpu_seconds();
        e = advisor_simulate(trial, threads, &row->tally);
        out->n = i + 1; // what is in it must be freed
        if (e != ERR_OK) break;
        row->cpu = clock_cpu_seconds() - start;
        interval x = rate_wilson((double)row->tally.successes, (double)row->tally.games, 0.95);
        row->low = x.low;
        row->high = x.high;
        if (watch != NULL && watch->done != NULL) watch->done(watch->ctx, row);
    }
    return e;
}

err advise_simulate(const advise_request *r, int threads, const advise_watch *watch, advise_simulation *out)
{
    int turns[ADVISE_LENGTHS] = {10, 12, 15, 20}, n = 4, kind = 0;
    *out = (advise_simulation){.n = 0};
    err e = advise_kind(r->pairs != NULL ? r->pairs : "blocks", &kind);
    if (e == ERR_OK && r->turns != NULL) e = advise_turns(r->turns, turns, ADVISE_LENGTHS, &n);
    if (e != ERR_OK) return e;
    bool plus = is_plus(r);
    advisor_trial trial = {.config = r->config != NULL ? r->config : &advisor_defaults,
                           .plus = plus,
                           .reach = r->reach,
                           .kind = kind,
                           .colours = colours_of(r),
                           .shown = r->shown >= 0 ? r->shown
                                    : plus        ? 2
                                                  : 1,
                           .blind = r->blind,
                           .seed = r->seed,
                           .first = r->first,
                           .games = r->games,
                           .keep_failures = r->keep_failures,
                           .tick = watch != NULL ? watch->tick : NULL,
                           .ctx = watch != NULL ? watch->ctx : NULL};
    pool *p = pool_new(threads);
    if (p == NULL) return err_set(ERR_MEMORY, "no memory for threads");
    e = play_rows(&trial, p, turns, n, watch, out);
    pool_free(p);
    if (e != ERR_OK) advise_simulation_free(out);
    return e;
}

void advise_simulation_free(advise_simulation *s)
{
    for (int i = 0; i < s->n; i++) text_free(&s->row[i].tally.failed);
    s->n = 0;
}

err advise_save_failures(const advise_simulation *s, const char *path)
{
    file_out *f;
    err e = file_out_open(&f, path);
    if (e != ERR_OK) return e;
    for (int i = 0; i < s->n; i++) {
        const text_buf *t = &s->row[i].tally.failed;
        file_out_write(f, text_str(t), t->len);
    }
    return file_out_commit(f);
}
