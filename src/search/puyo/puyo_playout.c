// See puyo_playout.h.
#include "search/puyo/puyo_playout.h"

#include "base/clock.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

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

typedef struct line { // one choice in one future
    py_match m;
    uint64_t key; // of the future
    int choice;
    double score; // of the seat; -1 = the game goes on
} line;

typedef struct playout {
    const puyo_policy *policy;
    int seat;
    const stop_ask *stop;
    double until; // of the clock; 0 = no limit
    uint64_t nodes;
    line lines[PUYO_PLAYOUT_TURNS];
    puyo_turn turns[PUYO_PLAYOUT_TURNS]; // of the lines that go on
    int n_lines, of[PUYO_PLAYOUT_TURNS], moves[PUYO_PLAYOUT_TURNS];
} playout;

static uint64_t choose_by_rules(void *ctx, const puyo_turn *turn, int n, int *move)
{
    uint64_t nodes = 0;
    for (int i = 0; i < n; i++) {
        rng r = turn[i].luck;
        puyo_plan plan = puyo_versus_choose(ctx, &turn[i].seen, turn[i].seat, &r);
        move[i] = plan.move;
        nodes += plan.nodes;
    }
    return nodes;
}

puyo_policy puyo_playout_policy(puyo_versus *v)
{
    return (puyo_policy){.ctx = v, .choose = choose_by_rules, .together = 1};
}

static void show_turn(const py_match *m, uint64_t key, puyo_turn *t)
{
    t->seat = py_match_seat(m);
    py_match_observe(m, t->seat, &t->seen);
    t->luck = rng_at(key, (uint64_t)t->seat, m->side[t->seat].placed);
}

// Plays the first n turns in their lines.
static void play_turns(playout *p, int n)
{
    step_event ev[2];
    p->nodes += p->policy->choose(p->policy->ctx, p->turns, n, p->moves);
    for (int i = 0; i < n; i++) py_match_play(&p->lines[p->of[i]].m, p->moves[i], ev);
}

static bool is_over(const playout *p, line *l)
{
    outcome o = py_match_result(&l->m);
    if (o.over)
        l->score = (double)o.score[p->seat];
    else if (py_match_legal(&l->m) == 0)
        l->score = py_match_seat(&l->m) == p->seat ? 0 : 1;
    return l->score >= 0;
}

// To the end of all games. False: stopped.
static bool play_lines(playout *p)
{
    for (int ply = 0; ply < PLIES; ply++) {
        int open = 0;
        for (int i = 0; i < p->n_lines; i++) {
            line *l = &p->lines[i];
            if (l->score >= 0 || is_over(p, l)) continue;
            show_turn(&l->m, l->key, &p->turns[open]);
            p->of[open++] = i;
        }
        if (open == 0) return true;
        if (stop_asked(p->stop) || (p->until > 0 && clock_seconds() > p->until)) return false;
        play_turns(p, open);
    }
    for (int i = 0; i < p->n_lines; i++)
        if (p->lines[i].score < 0) p->lines[i].score = 0.5;
    return true;
}

// A future that fits, with a line for every choice that goes on. What the other side has chosen at the same moment is not
// known, so the player chooses for it.
static void add_future(playout *p, const py_match *obs, rng *r, const int *moves, int n, const tally *t)
{
    line l = {.score = -1};
    step_event ev[2];
    py_match_sample(obs, r, &l.m);
    l.key = rng_u64(r);
    if (l.m.held != 0) {
        l.m.held = 0;
        show_turn(&l.m, l.key, &p->turns[0]);
        p->nodes += p->policy->choose(p->policy->ctx, p->turns, 1, p->moves);
        py_match_play(&l.m, p->moves[0], ev);
    }
    for (int i = 0; i < n; i++) {
        if (t[i].dropped) continue;
        line *to = &p->lines[p->n_lines++];
        *to = l;
        to->choice = i;
        py_match_play(&to->m, moves[i], ev);
    }
}

// Every future's lines begin with the first choice, which is never dropped.
static void count_lines(const playout *p, tally *t)
{
    double first = 0;
    for (int i = 0; i < p->n_lines; i++) {
        const line *l = &p->lines[i];
        if (l->choice == 0) first = l->score;
        double gain = l->score - first;
        t[l->choice].played++;
        t[l->choice].won += l->score;
        t[l->choice].gain += gain;
        t[l->choice].square += gain * gain;
    }
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

// How many futures are played next: choices are dropped after certain numbers of them, so not beyond the next of these.
static int next_futures(const playout *p, int k, int most)
{
    int next = k < SURE / 2 ? SURE / 2 : k < SURE ? SURE : k / (SURE * 2) * (SURE * 2) + SURE * 2, n = next - k;
    if (n > p->policy->together) n = p->policy->together;
    return n < most - k ? n : most - k;
}

static int play_futures(playout *p, const py_match *obs, const int *moves, int n, puyo_playout_limits l, rng *r,
                        tally *t)
{
    double start = l.seconds > 0 ? clock_seconds() : 0;
    if (l.seconds > 0) p->until = start + l.seconds;
    int k = 0, more;
    for (; k < l.futures && still_open(k, t, n); k += more) {
        more = next_futures(p, k, l.futures);
        if (l.seconds > 0 && k > 0) {
            double used = clock_seconds() - start;
            if (used + used / k * more > l.seconds) break;
        }
        p->n_lines = 0;
        for (int i = 0; i < more; i++) add_future(p, obs, r, moves, n, t);
        if (!play_lines(p)) break;
        count_lines(p, t);
    }
    return k;
}

void puyo_play_on(const puyo_policy *policy, const py_match *obs, int seat, const int *moves, int n,
                  puyo_playout_limits l, rng *r, puyo_playout_result *out)
{
    tally t[PUYO_PLAYOUT_MOVES] = {0};
    double top = 0;
    assert(n <= PUYO_PLAYOUT_MOVES && policy->together >= 1 && policy->together <= PUYO_PLAYOUT_TOGETHER);
    playout *p = calloc(1, sizeof *p);
    *out = (puyo_playout_result){0};
    if (p == NULL) return;
    p->policy = policy;
    p->seat = seat;
    p->stop = l.stop;
    out->futures = play_futures(p, obs, moves, n, l, r, t);
    out->nodes = p->nodes;
    free(p);
    for (int i = 0; i < n && out->futures > 0; i++) {
        out->share[i] = t[i].won / t[i].played;
        double sure = t[i].gain - error_of(&t[i]);
        if (!t[i].dropped && sure > top) top = sure, out->best = i;
    }
}
