// What each move of a game cost, by the helper's judgement. See session.h.
//
// The positions are looked at from the last to the first. What a move is worth is the value of the position after it. Where
// that is clearly less than the value of the best move, the position after the best move is looked at as well: both are then
// searched to the same depth with the same side to move, so that what the search could not see one ply earlier does not count
// as a mistake. The loss is the difference, in expected score (0 to 1) and, where the helper speaks of a margin, in that.
#include "app/session_inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float DUBIOUS = 0.05f, MISTAKE = 0.12f, BLUNDER = 0.25f; // of 1, the whole point
static const float AHEAD = 0.65f;                                     // from here on a side counts as ahead

typedef struct judged { // a position, for the seat to move
    int seat;
    bool has_margin;
    float value, margin;
} judged;

static judged turned(const judged *p, int seat)
{
    judged t = *p;
    if (p->seat != seat) {
        t.value = 1 - p->value;
        t.margin = -p->margin;
    }
    t.seat = seat;
    return t;
}

static judged judge_end(session *s, int node)
{
    const void *state = session_state_at(s, node);
    outcome o = s->g->result(state);
    judged j = {.seat = s->g->seat(state)};
    j.value = o.score[j.seat];
    j.has_margin = s->g->margin != NULL;
    if (j.has_margin) j.margin = s->g->margin(state, j.seat) * (float)(s->g->rows * s->g->cols); // in squares
    return j;
}

static session_mark mark_of(float loss)
{
    return loss >= BLUNDER ? MARK_BLUNDER : loss >= MISTAKE ? MARK_MISTAKE : loss >= DUBIOUS ? MARK_DUBIOUS : MARK_NONE;
}

// 1 ahead, -1 behind, 0 neither
static int standing(float value)
{
    return value >= AHEAD ? 1 : value <= 1 - AHEAD ? -1 : 0;
}

// The current position by the helper; a finished game by its result.
static err judge(session *s, judged *out, agent_choice *best)
{
    int n = 0;
    *best = (agent_choice){.move = MOVE_NONE, .value = -1};
    if (session_outcome(s).over) {
        *out = judge_end(s, s->at);
        return ERR_OK;
    }
    err e = session_analyse(s, 1, best, &n);
    if (e != ERR_OK) return e;
    if (n == 0 || best->value < 0)
        return err_set(ERR_USAGE, "agent '%s' gives no values to review by; alphabeta, mcts and zero do",
                       session_helper(s));
    *out = (judged){session_seat(s), best->has_margin, best->value, best->margin};
    return ERR_OK;
}

// The value of the helper's best move, seen from the position after it. The tree stays as it was.
static err judge_best(session *s, move_t best, judged *out)
{
    int at = s->at, seat = session_seat(s), node, before = s->nodes[at].visited;
    agent_choice c;
    bool known = false;
    for (int k = s->nodes[at].child; k != SESSION_NONE; k = s->nodes[k].next) known = known || s->nodes[k].move == best;
    err e = session_add(s, best, NULL, &node);
    if (e != ERR_OK) return e;
    s->at = node;
    e = judge(s, out, &c);
    s->at = at;
    if (!known) session_delete(s, node);
    s->nodes[at].visited = before;
    if (e == ERR_OK) *out = turned(out, seat);
    return e;
}

// Looks at the position before a move, and at what the move made of it.
static err look(session *s, int node, const judged *after, judged *before, session_review_move *m)
{
    agent_choice best;
    err e = session_goto(s, s->nodes[node].parent);
    if (e == ERR_OK) e = judge(s, before, &best);
    if (e != ERR_OK) return e;
    int seat = session_seat(s);
    judged played = turned(after, seat);
    *m = (session_review_move){.node = node,
                               .seat = seat,
                               .played = s->nodes[node].move,
                               .best = best.move,
                               .depth = best.depth,
                               .nodes = best.nodes};
    snprintf(m->line, sizeof m->line, "%s", best.text);
    // The best there was: what a later search thinks of it is not the mover's loss.
    if (best.move != m->played && before->value - played.value >= DUBIOUS) e = judge_best(s, best.move, before);
    if (e != ERR_OK) return e;
    bool margins = before->has_margin && played.has_margin;
    if (best.move == m->played || played.value > before->value) {
        *before = played;
    } else {
        m->loss = before->value - played.value;
        if (margins && before->margin > played.margin) m->margin_loss = before->margin - played.margin;
    }
    m->value = before->value;
    m->after = played.value;
    m->has_margin = margins;
    m->mark = mark_of(m->loss);
    m->turning = m->mark >= MARK_MISTAKE && standing(m->value) != standing(m->after);
    return ERR_OK;
}

err session_review_run(session *s, bool (*each)(void *ctx, int done, int all), void *ctx, session_review *out)
{
    int end = session_main_end(s), back = s->at, all = s->nodes[end].ply, done = 0;
    session_end how = s->end;
    int how_at = s->end_at, loser = s->loser;
    *out = (session_review){.moves = calloc((size_t)all + 1, sizeof *out->moves)};
    if (out->moves == NULL) return err_set(ERR_MEMORY, "no memory for a review");
    err e = ERR_OK;
    judged after = {0};
    if (s->g->n_seats != 2) e = err_set(ERR_USAGE, "%s is a game for one: there is nobody to lose to", s->g->name);
    if (e == ERR_OK && all == 0) e = err_set(ERR_USAGE, "there are no moves to review");
    session_forget_end(s);
    if (e == ERR_OK) e = session_goto(s, end);
    agent_choice best;
    if (e == ERR_OK) e = judge(s, &after, &best);
    for (int node = end; e == ERR_OK && node != 0; node = s->nodes[node].parent, done++) {
        session_review_move *m = &out->moves[s->nodes[node].ply - 1];
        judged before;
        if (each != NULL && !each(ctx, done, all)) {
            e = err_set(ERR_STOPPED, "stopped on request");
            break;
        }
        e = look(s, node, &after, &before, m);
        if (e != ERR_OK) break;
        after = before;
        s->nodes[node].mark = m->mark;
        out->mean_loss[m->seat] += (double)m->loss;
        out->marks[m->seat][m->mark]++;
    }
    out->n = all;
    int made[2] = {0};
    for (int i = 0; i < all; i++) made[out->moves[i].seat]++;
    for (int i = 0; i < 2; i++)
        if (made[i] > 0) out->mean_loss[i] /= made[i];
    session_goto(s, back);
    s->end = how, s->end_at = how_at, s->loser = loser;
    if (e != ERR_OK) session_review_free(out);
    return e;
}

const char *session_reviewer(const game *g)
{
    const char *best = agent_default(g);
    for (int i = 0; i < agent_type_count(); i++)
        if (strcmp(agent_type_at(i)->name, best) == 0 && agent_type_plays(agent_type_at(i), g))
            return agent_type_at(i)->analyse != NULL ? best : "mcts";
    return "mcts";
}

void session_review_free(session_review *r)
{
    free(r->moves);
    *r = (session_review){0};
}

void session_review_json(session *s, const session_review *r, json_writer *w)
{
    char move[256];
    json_open_object(w);
    json_pair_text(w, "game", s->g->name);
    json_pair_text(w, "agent", session_helper(s));
    json_pair_array(w, "seats");
    for (int i = 0; i < 2; i++) {
        json_open_object(w);
        json_pair_text(w, "name", session_name(s, i));
        json_pair_number(w, "mean_loss", r->mean_loss[i]);
        for (int m = MARK_DUBIOUS; m <= MARK_BLUNDER; m++)
            json_pair_int(w, session_mark_text((session_mark)m), r->marks[i][m]);
        json_close(w);
    }
    json_close(w);
    json_pair_array(w, "moves");
    for (int i = 0; i < r->n; i++) {
        const session_review_move *m = &r->moves[i];
        int before = s->nodes[m->node].parent;
        json_open_object(w);
        json_pair_int(w, "ply", i + 1);
        json_pair_int(w, "seat", m->seat);
        session_move_text(s, m->node, move, sizeof move);
        json_pair_text(w, "move", move);
        s->g->move_print(session_seen(s, before, m->seat), m->best, move, sizeof move);
        json_pair_text(w, "best", move);
        json_key(w, "value");
        json_put_float(w, m->value);
        json_key(w, "after");
        json_put_float(w, m->after);
        json_key(w, "loss");
        json_put_float(w, m->loss);
        if (m->has_margin) {
            json_key(w, "margin_loss");
            json_put_float(w, m->margin_loss);
        }
        json_pair_text(w, "mark", session_mark_text(m->mark));
        json_pair_bool(w, "turning", m->turning);
        json_pair_int(w, "depth", m->depth);
        json_pair_uint(w, "nodes", m->nodes);
        json_pair_text(w, "line", m->line);
        json_close(w);
    }
    json_close(w);
    json_close(w);
}
