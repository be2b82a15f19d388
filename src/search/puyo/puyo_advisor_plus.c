// The better advisor: looks at what each placement leaves, after everything has popped, and ranks by one value.
//
//   while the fold is built   the chance that it stands in time (puyo_advisor_fold.h), plus a little for standing sooner,
//                             so that it does not wait when there is time for everything
//   behind the fold           what the best placement of the next pair can make of it: cells of a tail that is still
//                             possible, how many tails remain possible, links of the chain that stands ready
//   when the fold is lost     (wrong colours, nuisance) the same, until popping makes room for another
//   when to fire              once a tail is complete, or the field is getting full: the chain with the most points
// Placements of equal value are ranked by the seed's total.
#include "search/puyo/puyo_advisor.h"
#include "search/puyo/puyo_advisor_fold.h"

#include <math.h>

#define SOONER 0.01 // weight of fold_soon beside the chance itself
#define EQUAL  1e-6 // the table holds floats

enum { FULL = 48, URGENT = 60, HIGH = 10, WORTH_FIRING = 3 }; // puyos; puyos; height of a column; links

// --- behind the fold

static int tallest(const py_field *f)
{
    int h[PY_COLS], most = 0;
    py_heights(f, h);
    for (int c = 0; c < PY_COLS; c++) most = h[c] > most ? h[c] : most;
    return most;
}

// The largest chain that one or two puyos of a colour, dropped into a column, would fire.
static py_chain_result ready(const py_field *f)
{
    py_chain_result best = {0, 0, 0};
    for (int col = 0; col < PY_COLS; col++) {
        int h = py_height(f, col);
        for (int code = PY_RED; code < PY_CODES; code++) {
            py_field g = *f;
            for (int n = 1; n <= 2 && h + n <= PY_ROWS; n++) {
                py_set(&g, col, h + n, code);
                py_field fired = g;
                py_chain_result r = py_chain(&fired);
                if (r.score > best.score) best = r;
                if (r.links > 0) break;
            }
        }
    }
    return best;
}

static double tail_value(const py_field *f)
{
    gtr_tail_view t;
    int high = tallest(f);
    gtr_look_at_tail(f, &t); // nothing is possible where the fold does not stand
    // Filled cells count only on the way to a tail; ln keeps many possibilities from outweighing a cell.
    double v = 3.0 * t.filled + 0.5 * log(1.0 + t.possible) + 6.0 * ready(f).links;
    return v - (high > 9 ? 3.0 * (high - 9) : 0) - (py_buried(f, PY_LOSE_TSU) ? 1000 : 0);
}

static double best_tail(const py_field *f, uint8_t next)
{
    double best = -2000; // no room for the next pair
    for (uint32_t m = py_legal_mask(f, next, true, PY_LOSE_TSU); m != 0; m &= m - 1) {
        py_field g = *f;
        py_place(&g, __builtin_ctz(m), next);
        py_links(&g);
        double v = tail_value(&g);
        if (v > best) best = v;
    }
    return best;
}

// Fire what is ready when the tail is complete or room is getting short; a link less than the best is near enough.
static bool should_fire(const py_field *f, py_chain_result r)
{
    gtr_tail_view t;
    if (r.links == 0) return false;
    if (py_count(f) >= URGENT || py_height(f, PY_SPAWN) >= HIGH) return true;
    if (r.links < WORTH_FIRING || r.links + 1 < ready(f).links) return false;
    if (py_count(f) >= FULL || tallest(f) >= HIGH) return true;
    gtr_look_at_tail(f, &t);
    return t.nearest >= 0 && t.missing == 0;
}

static double value_behind(const py_field *before, const py_field *after, py_chain_result r, uint8_t next)
{
    if (should_fire(before, r)) return 1e6 + r.score;
    return next != 0 ? best_tail(after, next) : tail_value(after);
}

// --- ranking

static void sort_by_value(advice *a) // stable: equals stay in the order of their totals
{
    for (int i = 1; i < a->n; i++) {
        advisor_move m = a->best[i];
        int k = i;
        for (; k > 0 && a->best[k - 1].value < m.value - EQUAL; k--) a->best[k] = a->best[k - 1];
        a->best[k] = m;
    }
}

err advisor_advise_plus(const advisor_config *c, const py_field *f, uint8_t pair, const advisor_future *x, advice *out)
{
    int colours = x->colours == 0 ? 4 : x->colours, turns = x->turns > 0 ? x->turns : ADVISOR_TURNS;
    const fold_table *t = fold_table_for(colours, x->kind);
    if (t == NULL) return err_set(ERR_MEMORY, "no memory for the chances of the fold");
    advisor_advise(c, f, pair, x->next[0], true, out);
    bool lost = out->phase == PHASE_FOLD && fold_state(f) == FOLD_DEAD;
    for (int i = 0; i < out->n; i++) {
        advisor_move *m = &out->best[i];
        py_field after = *f;
        py_place(&after, m->move, pair);
        py_chain_result r = py_chain(&after);
        m->links = (uint8_t)r.links;
        if (out->phase != PHASE_FOLD || lost) {
            m->value = value_behind(f, &after, r, x->next[0]);
            continue;
        }
        int s = fold_state(&after);
        m->chance = fold_chance(t, s, x->next[0], x->next[1], x->index + 1, turns - 1);
        m->value = m->chance + SOONER * fold_soon(t, s, x->next[0], x->next[1], x->index + 1);
        if (py_buried(&after, PY_LOSE_TSU)) m->value = -1;
    }
    sort_by_value(out);
    return ERR_OK;
}
