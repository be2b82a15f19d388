// An advice and a simulation for programs. See advise.h.
#include "app/advise.h"
#include "app/advise_inner.h"
#include "games/puyo/puyo_match.h"

#include <stdio.h>

static void json_cell(json_writer *w, int col, int row)
{
    json_open_array(w);
    json_put_int(w, col + 1);
    json_put_int(w, row);
    json_close(w);
}

static void json_candidate(json_writer *w, const advise_question *q, advisor_phase phase, const advisor_move *m)
{
    char text[8];
    json_open_object(w);
    py_move_print(m->move, text, sizeof text);
    json_pair_text(w, "move", text);
    json_pair_array(w, "cells");
    for (int i = 0; i < 2; i++) json_cell(w, m->cell[i][0], m->cell[i][1]);
    json_close(w);
    json_pair_number(w, "total", m->total);
    if (m->chance >= 0) json_pair_number(w, "chance", m->chance);
    json_pair_object(w, "scores");
    for (int i = 0; i < SCORERS; i++) json_pair_number(w, advisor_scorer_name[i], m->score[i]);
    json_close(w);
    json_pair_object(w, "weighted");
    for (int i = 0; i < SCORERS; i++)
        json_pair_number(w, advisor_scorer_name[i], m->score[i] * q->config->weight[phase][i]);
    json_pair_number(w, "lookahead", m->look * q->config->lookahead);
    json_close(w);
    if (m->colours[0] != 0) {
        json_pair_object(w, "colours");
        json_pair_text(w, "A", advise_colour(m->colours[GTR_A]));
        json_pair_text(w, "B", advise_colour(m->colours[GTR_B]));
        json_close(w);
    }
    json_pair_array(w, "matched");
    for (int i = 0; i < GTR_CELLS; i++)
        if (m->matched >> i & 1) json_cell(w, gtr_cell[i].col, gtr_cell[i].row);
    json_close(w);
    json_pair_int(w, "chain", m->links);
    json_close(w);
}

// The fold's cells, with their letters; of the nearest tail those of the colours that pop third, fourth and fifth.
static void json_template(json_writer *w, const gtr_tail *tail)
{
    json_pair_array(w, "template");
    for (int i = 0; i < GTR_CELLS; i++) {
        json_open_array(w);
        json_put_int(w, gtr_cell[i].col + 1);
        json_put_int(w, gtr_cell[i].row);
        json_put_text(w, gtr_cell[i].colour == GTR_A ? "A" : "B");
        json_close(w);
    }
    for (int i = 0; tail != NULL && i < GTR_TAIL_CELLS; i++)
        for (int k = 0; k < 3; k++) {
            if ((tail->colour[k] >> i & 1) == 0) continue;
            json_open_array(w);
            json_put_int(w, gtr_tail_cell[i][0] + 1);
            json_put_int(w, gtr_tail_cell[i][1]);
            json_put_text(w, k == 0 ? "C" : k == 1 ? "D" : "E");
            json_close(w);
        }
    json_close(w);
}

static const gtr_tail *json_tail(json_writer *w, const py_field *f)
{
    gtr_tail_view v;
    gtr_look_at_tail(f, &v);
    json_pair_object(w, "tail");
    json_pair_int(w, "possible", v.possible);
    json_pair_int(w, "filled", v.filled);
    json_pair_int(w, "missing", v.missing);
    if (v.nearest >= 0) json_pair_text(w, "nearest", gtr_groups()[gtr_tails()[v.nearest].group].name);
    json_pair_object(w, "groups");
    for (int i = 0; i < GTR_GROUPS; i++)
        if (v.by_group[i] > 0) json_pair_int(w, gtr_groups()[i].name, v.by_group[i]);
    json_close(w);
    json_close(w);
    return v.nearest >= 0 ? &gtr_tails()[v.nearest] : NULL;
}

void advise_json(json_writer *w, const advise_question *q, const advice *a)
{
    char text[PY_FIELD_TEXT];
    json_open_object(w);
    py_field_print(&q->field, text, sizeof text);
    json_pair_text(w, "field", text);
    snprintf(text, sizeof text, "%c%c", py_letter(py_main(q->pair)), py_letter(py_sub(q->pair)));
    json_pair_text(w, "pair", text);
    json_pair_array(w, "next");
    for (int i = 0; i < 2 && q->future.next[i] != 0; i++) {
        snprintf(text, sizeof text, "%c%c", py_letter(py_main(q->future.next[i])),
                 py_letter(py_sub(q->future.next[i])));
        json_put_text(w, text);
    }
    json_close(w);
    json_pair_text(w, "mode", q->plus ? "plus" : "seed");
    json_pair_text(w, "phase", advisor_phase_name[a->phase]);
    const gtr_tail *tail = gtr_stands(&q->field, NULL) ? json_tail(w, &q->field) : NULL;
    json_template(w, tail);
    json_key(w, "advice");
    if (a->n > 0)
        json_candidate(w, q, a->phase, &a->best[0]);
    else
        json_put_null(w);
    json_pair_array(w, "candidates");
    for (int i = 0; i < a->n; i++) json_candidate(w, q, a->phase, &a->best[i]);
    json_close(w);
    json_close(w);
}

static void json_failures(json_writer *w, const advise_row *rows, int n)
{
    json_pair_object(w, "failures");
    for (int k = 0; k < FAILURES; k++) {
        int64_t sum = 0;
        for (int i = 0; i < n; i++) sum += rows[i].tally.failures[k];
        json_pair_int(w, advisor_failure_name[k], sum);
    }
    json_close(w);
}

void advise_simulation_json(json_writer *w, const advise_request *r, const advise_simulation *s, const char *failures)
{
    json_open_object(w);
    json_pair_text(w, "mode", r->mode != NULL ? r->mode : "seed");
    json_pair_text(w, "pairs", r->pairs != NULL ? r->pairs : "blocks");
    json_pair_uint(w, "seed", r->seed);
    json_pair_array(w, "turns");
    for (int i = 0; i < s->n; i++) {
        const advisor_tally *t = &s->row[i].tally;
        json_open_object(w);
        json_pair_int(w, "turns", s->row[i].turns);
        json_pair_int(w, "games", t->games);
        json_pair_int(w, "successes", t->successes);
        json_pair_number(w, "rate", (double)t->successes / (double)t->games);
        json_pair_number(w, "low", s->row[i].low);
        json_pair_number(w, "high", s->row[i].high);
        json_failures(w, &s->row[i], 1);
        json_close(w);
    }
    json_close(w);
    json_failures(w, s->row, s->n);
    json_pair_text(w, "failed_games", failures);
    json_close(w);
}
