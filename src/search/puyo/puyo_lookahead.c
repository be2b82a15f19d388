// See puyo_lookahead.h.
#include "search/puyo/puyo_lookahead.h"

int puyo_look_ahead(const py_match *state, int me, const puyo_moment *now, const puyo_reward_weights *w, double gamma,
                    puyo_ahead out[PY_MAX_LEGAL])
{
    enum { LONG = 1 << 24 }; // frames: later than anything
    const py_side *a = &state->side[me];
    uint32_t mask = py_legal_mask(&a->field, a->window[0], state->reach, state->lose);
    bool terms = puyo_rewards_need_terms(w), clusters = w->position != 0 || w->cluster != 0;
    int n = 0;
    for (; mask != 0; mask &= mask - 1) {
        puyo_ahead *x = &out[n++];
        py_match *m = &x->after;
        step_event ev[2];
        x->move = __builtin_ctz(mask);
        *m = *state;
        m->held = 0;
        m->viewer = 0;
        uint32_t clock = m->side[!me].clock;
        m->side[!me].clock = clock + LONG; // the other one waits, so the placement is carried through at once
        py_match_play(m, x->move, ev);
        m->side[!me].clock = clock > m->side[me].clock ? clock : m->side[me].clock;
        m->viewer = (uint8_t)(1 + me);
        x->over = m->side[me].buried != 0;
        if (terms)
            puyo_moment_next(m, state, now, &x->moment);
        else
            puyo_moment_totals(m, &x->moment);
        puyo_step s = {.before = now, .after = &x->moment, .me = me, .chain = ev[me].chain, .gamma = gamma, .w = w};
        if (clusters) s.cluster = puyo_cluster(&a->field, x->move, a->window[0]);
        x->reward = puyo_reward_total(&s, NULL);
    }
    return n;
}
