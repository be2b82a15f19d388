// See puyo_playout.h.
#include "search/puyo/puyo_playout.h"

#include "base/clock.h"

#include <math.h>

enum { PLIES = 300, SURE = 4 }; // placements until a game counts as a draw; futures before a choice is dropped

puyo_versus *puyo_playout_model(void)
{
    return puyo_versus_new(&(puyo_versus_options){.width = 8,
                                                  .depth = 6,
                                                  .samples = 1,
                                                  .visible = PY_SHOWN,
                                                  .scout = 8,
                                                  .answer = true,
                                                  .finish = true,
                                                  .harass = true,
                                                  .hold = true,
                                                  .playouts = -1});
}

// The sums over the futures played so far.
typedef struct tally {
    double won, gain, square; // gain: over the first choice in the same future
    int played;
    bool dropped;
} tally;

typedef struct playout {
    puyo_versus *model;
    int seat;
    uint64_t key; // of the future
    const stop_ask *stop;
    double until; // of the clock; 0 = no limit
    uint64_t nodes;
} playout;

static void one_ply(playout *p, py_match *m)
{
    py_match seen;
    step_event ev[2];
    int seat = py_match_seat(m);
    py_match_observe(m, seat, &seen);
    rng r = rng_at(p->key, (uint64_t)seat, m->side[seat].placed);
    puyo_plan plan = puyo_versus_choose(p->model, &seen, seat, &r);
    p->nodes += plan.nodes;
    py_match_play(m, plan.move, ev);
}

// The score of the seat after this placement; -1: stopped.
static double play_one(playout *p, const py_match *start, int move)
{
    py_match m = *start;
    step_event ev[2];
    py_match_play(&m, move, ev);
    for (int i = 0; i < PLIES; i++) {
        outcome o = py_match_result(&m);
        if (o.over) return (double)o.score[p->seat];
        if (py_match_legal(&m) == 0) return py_match_seat(&m) == p->seat ? 0 : 1;
        if (stop_asked(p->stop) || (p->until > 0 && clock_seconds() > p->until)) return -1;
        one_ply(p, &m);
    }
    return 0.5;
}

// A future that fits: what the other side has chosen at the same moment is not known, so the quick player chooses for it.
static py_match draw_future(playout *p, const py_match *obs, rng *r)
{
    py_match m;
    py_match_sample(obs, r, &m);
    p->key = rng_u64(r);
    if (m.held != 0) {
        m.held = 0;
        one_ply(p, &m);
    }
    return m;
}

static bool play_future(playout *p, const py_match *start, const int *moves, int n, tally *t)
{
    double got[PUYO_PLAYOUT_MOVES];
    for (int i = 0; i < n; i++) {
        if (t[i].dropped) continue;
        got[i] = play_one(p, start, moves[i]);
        if (got[i] < 0) return false;
    }
    for (int i = 0; i < n; i++) {
        if (t[i].dropped) continue;
        double gain = got[i] - got[0];
        t[i].played++;
        t[i].won += got[i];
        t[i].gain += gain;
        t[i].square += gain * gain;
    }
    return true;
}

static double error_of(const tally *t)
{
    return sqrt(t->square + 1);
}

// Of the choices beside the first only the best few go on.
static void keep_best(tally *t, int n, int keep)
{
    int open = 0;
    for (int i = 1; i < n; i++) open += !t[i].dropped;
    for (; open > keep; open--) {
        int worst = -1;
        for (int i = 1; i < n; i++)
            if (!t[i].dropped && (worst < 0 || t[i].won <= t[worst].won)) worst = i;
        t[worst].dropped = true;
    }
}

// Is there anything left to find out? Drops choices that have done clearly worse than the first.
static bool still_open(int k, tally *t, int n)
{
    bool open = false, differ = false;
    if (k == SURE / 2) keep_best(t, n, 6);
    if (k == SURE) keep_best(t, n, 4);
    if (k == SURE * 2) keep_best(t, n, 3);
    for (int i = 1; i < n; i++) {
        if (k >= SURE && t[i].gain + error_of(&t[i]) < 0) t[i].dropped = true;
        open |= !t[i].dropped;
        differ |= t[i].square > 0;
    }
    bool decided = k >= SURE - 1 && !differ && (t[0].won == 0 || t[0].won == k); // whatever we do
    return open && !decided;
}

void puyo_play_on(puyo_versus *model, const py_match *obs, int seat, const int *moves, int n, puyo_playout_limits l,
                  rng *r, puyo_playout_result *out)
{
    playout p = {.model = model, .seat = seat, .stop = l.stop};
    tally t[PUYO_PLAYOUT_MOVES] = {0};
    double start = l.seconds > 0 ? clock_seconds() : 0, top = 0;
    if (l.seconds > 0) p.until = start + l.seconds;
    int k = 0;
    for (; k < l.futures && still_open(k, t, n); k++) {
        if (l.seconds > 0 && k > 0) {
            double used = clock_seconds() - start;
            if (used + used / k > l.seconds) break;
        }
        py_match m = draw_future(&p, obs, r);
        if (!play_future(&p, &m, moves, n, t)) break;
    }
    *out = (puyo_playout_result){.futures = k, .nodes = p.nodes};
    for (int i = 0; i < n && k > 0; i++) {
        out->share[i] = t[i].won / t[i].played;
        double sure = t[i].gain - error_of(&t[i]);
        if (!t[i].dropped && sure > top) top = sure, out->best = i;
    }
}
