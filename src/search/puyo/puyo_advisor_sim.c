// Playing out the advisor's games. See puyo_advisor_sim.h.
#include "search/puyo/puyo_advisor_sim.h"

#include "base/stop.h"
#include "games/puyo/puyo_match.h"
#include "search/puyo/puyo_advisor_fold.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64, TURNS_MOST = 200 };

const char *const advisor_failure_name[FAILURES] = {
    "burst", "empty", "colours", "p1", "p2", "p3", "high", "other",
};

typedef struct run {
    const advisor_trial *t;
    advisor_tally *chunks;
    pool *threads;
    _Atomic int failed;
} run;

typedef struct course {
    py_field field;
    uint8_t moves[TURNS_MOST];
    int n;
    bool burst, stands, stuck;
} course;

static bool priority_full(const py_field *f, int priority)
{
    for (int i = 0; i < GTR_CELLS; i++)
        if (gtr_cell[i].priority == priority && py_get(f, gtr_cell[i].col, gtr_cell[i].row) == PY_EMPTY) return false;
    return true;
}

// Is there an assignment of colours under which no filled cell of the fold is wrong?
static bool colours_fit(const py_field *f)
{
    for (int a = PY_RED; a < PY_CODES; a++)
        for (int b = PY_RED; b < PY_CODES; b++) {
            bool fits = a != b;
            for (int i = 0; i < GTR_CELLS && fits; i++) {
                int code = py_get(f, gtr_cell[i].col, gtr_cell[i].row);
                fits = code == PY_EMPTY || code == (gtr_cell[i].colour == GTR_A ? a : b);
            }
            if (fits) return true;
        }
    return false;
}

static advisor_failure classify(const course *c)
{
    const py_field *f = &c->field;
    if (c->burst) return FAIL_BURST;
    if (py_height(f, 0) == 0 && py_height(f, 1) == 0 && py_height(f, 2) < 2) return FAIL_EMPTY;
    if (!colours_fit(f)) return FAIL_COLOURS;
    for (int p = 0; p < 3; p++)
        if (!priority_full(f, p)) return (advisor_failure)((int)FAIL_P1 + p);
    return c->stuck ? FAIL_HIGH : FAIL_OTHER;
}

static int choose(const advisor_trial *t, const py_field *f, py_queue *q, int turn, advice *a)
{
    uint32_t index = (uint32_t)turn;
    uint8_t pair = py_queue_get(q, index), next = 0, then = 0;
    bool last = turn + 1 == t->turns;
    if (t->shown >= 1 && !last) next = py_queue_get(q, index + 1);
    if (t->shown >= 2 && turn + 2 < t->turns) then = py_queue_get(q, index + 2);
    if (!t->plus) {
        advisor_advise(t->config, f, pair, next, t->reach, a);
    } else {
        advisor_future x = {.next = {next, then},
                            .kind = (uint8_t)(t->blind ? PY_UNIFORM : t->kind),
                            .colours = (uint8_t)t->colours,
                            .index = index,
                            .turns = t->blind ? 0 : t->turns - turn};
        if (advisor_advise_plus(t->config, f, pair, &x, a) != ERR_OK) return -2;
    }
    return a->n > 0 ? a->best[0].move : -1;
}

// False without memory.
static bool play(const advisor_trial *t, uint64_t number, course *c, int64_t *advices)
{
    py_queue q;
    advice a;
    py_queue_init(&q, t->kind, t->colours, t->seed, number);
    *c = (course){.n = 0};
    while (c->n < t->turns && !c->stands) {
        int move = choose(t, &c->field, &q, c->n, &a);
        if (move == -2) return false;
        ++*advices;
        if (move < 0) {
            c->stuck = true;
            break;
        }
        py_place(&c->field, move, py_queue_get(&q, (uint32_t)c->n));
        c->moves[c->n++] = (uint8_t)move;
        c->burst |= py_links(&c->field) > 0;
        c->stands = gtr_stands(&c->field, NULL);
    }
    return true;
}

static void write_failure(text_buf *to, const advisor_trial *t, uint64_t number, const course *c, advisor_failure why)
{
    char word[PY_FIELD_TEXT];
    text_printf(to, "turns=%d pairs=%s colours=%d seed=%" PRIu64 " game=%" PRIu64 " class=%s moves=", t->turns,
                py_pair_kind_name[t->kind], t->colours, t->seed, number, advisor_failure_name[why]);
    for (int i = 0; i < c->n; i++) {
        py_move_print(c->moves[i], word, sizeof word);
        text_printf(to, "%s%s", i > 0 ? ";" : "", word);
    }
    py_field_print(&c->field, word, sizeof word);
    text_printf(to, " field=%s\n", word);
}

static void play_chunk(void *ctx, int task, int worker)
{
    (void)worker;
    run *r = ctx;
    const advisor_trial *t = r->t;
    advisor_tally *out = &r->chunks[task];
    int64_t first = (int64_t)task * CHUNK, end = first + CHUNK < t->games ? first + CHUNK : t->games;
    course c;
    if (stop_requested()) {
        pool_cancel(r->threads);
        return;
    }
    for (int64_t g = first; g < end; g++) {
        if (!play(t, t->first + (uint64_t)g, &c, &out->advices)) {
            r->failed = 1;
            pool_cancel(r->threads);
            return;
        }
        out->games++;
        if (c.stands) {
            out->successes++;
            out->turns += c.n;
        } else {
            advisor_failure why = classify(&c);
            out->failures[why]++;
            if (t->keep_failures) write_failure(&out->failed, t, t->first + (uint64_t)g, &c, why);
        }
    }
    if (t->tick != NULL) t->tick(t->ctx, (uint64_t)(end - first));
}

err advisor_simulate(const advisor_trial *t, pool *threads, advisor_tally *out)
{
    *out = (advisor_tally){0};
    if (t->turns < 1 || t->turns > TURNS_MOST)
        return err_set(ERR_USAGE, "a game has 1 to %d turns, not %d", TURNS_MOST, t->turns);
    int chunks = (int)((t->games + CHUNK - 1) / CHUNK);
    run r = {.t = t, .threads = threads, .chunks = calloc((size_t)chunks + 1, sizeof *r.chunks)};
    if (r.chunks == NULL) return err_set(ERR_MEMORY, "no memory for the games");
    bool whole = pool_run(threads, chunks, play_chunk, &r);
    err e = ERR_OK;
    for (int i = 0; i < chunks; i++) {
        advisor_tally *c = &r.chunks[i];
        out->games += c->games;
        out->successes += c->successes;
        out->advices += c->advices;
        out->turns += c->turns;
        for (int k = 0; k < FAILURES; k++) out->failures[k] += c->failures[k];
        if (e == ERR_OK) e = text_check(&c->failed);
        text_append_n(&out->failed, text_str(&c->failed), c->failed.len);
        text_free(&c->failed);
    }
    free(r.chunks);
    if (e == ERR_OK) e = text_check(&out->failed);
    if (r.failed) return err_set(ERR_MEMORY, "no memory for the chances of the fold");
    if (!whole && e == ERR_OK) return err_set(ERR_STOPPED, "interrupted");
    return e;
}
