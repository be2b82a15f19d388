// See puyo_versus.h.
#include "search/puyo/puyo_versus.h"

#include "base/clock.h"
#include "search/puyo/puyo_playout.h"

#include <stdlib.h>
#include <string.h>

enum { SCOUT_WIDTH = 30, SCOUT_DEPTH = 14, SCOUT_SAMPLES = 2, TOLERATED = 5, HELD = 5000, SMALL = 12, CROWDED = 56 };
enum { PLAYED_ON = 36 }; // puyos on the field from which games are played on, with a time limit; without one CROWDED

struct puyo_versus {
    puyo_versus_options o;
    puyo_beam *own, *scout; // the scout looks for the other side's answers
    puyo_beam_limits limits;
    puyo_versus *model; // plays on for both sides; NULL = it never does
};

puyo_versus *puyo_versus_new(const puyo_versus_options *o)
{
    puyo_beam_settings own = {.width = o->width,
                              .depth = o->depth,
                              .samples = o->samples,
                              .colours = 4,
                              .reach = true,
                              .lose = PY_LOSE_TSU,
                              .prune = o->fire > 0 ? o->fire : 5000,
                              .patience = 95,
                              .full = CROWDED,
                              .balanced = true, // independent ones won 9 of 24 games: no better in matches
                              .late = o->late,
                              .grip = o->late > 0 ? 5 : 0,
                              .weights = puyo_weights_default};
    puyo_beam_settings scout = own;
    scout.width = SCOUT_WIDTH;
    scout.depth = SCOUT_DEPTH;
    scout.samples = SCOUT_SAMPLES;
    if (o->scout > 0) scout.width = o->scout, scout.samples = 1;
    puyo_versus *v = calloc(1, sizeof *v);
    if (v == NULL) return NULL;
    v->o = *o;
    v->own = puyo_beam_new(&own, NULL);
    v->scout = puyo_beam_new(&scout, NULL);
    if (o->playouts >= 0) v->model = puyo_playout_model();
    if (v->own != NULL && v->scout != NULL && (o->playouts < 0 || v->model != NULL)) return v;
    puyo_versus_free(v);
    return NULL;
}

void puyo_versus_free(puyo_versus *v)
{
    if (v == NULL) return;
    puyo_beam_free(v->own);
    puyo_beam_free(v->scout);
    puyo_versus_free(v->model);
    free(v);
}

void puyo_versus_limit(puyo_versus *v, puyo_beam_limits l)
{
    v->limits = l;
}

// --- what can be known

int puyo_placement_frames(const py_field *f)
{
    // The next pair appears, moves, falls and settles; every third pair is split.
    enum { SIDEWAYS = 6, SPLIT = 14 };
    return PY_NEXT + SIDEWAYS + 2 * (PY_ROWS - py_count(f) / PY_COLS) + PY_GROUNDING + SPLIT;
}

int puyo_bury_count(const py_field *f)
{
    int rows = PY_ROWS - py_height(f, PY_SPAWN);
    return PY_COLS * (rows < 1 ? 1 : rows);
}

int puyo_known_pairs(const py_match *obs, int seat, uint8_t pairs[PY_RING])
{
    const py_side *a = &obs->side[seat], *b = &obs->side[!seat];
    uint32_t shown = (a->placed > b->placed ? a->placed : b->placed) + PY_SHOWN, n = shown - a->placed;
    memcpy(pairs, a->window, PY_SHOWN);
    if (n > PY_RING - 2) n = PY_RING - 2;
    // The other side may be ahead: then its pairs are ours to come. Some of them may have been forgotten.
    uint32_t i = PY_SHOWN;
    for (; i < n; i++) {
        pairs[i] = obs->queue.ring[(a->placed + i) % PY_RING];
        if (!py_pair_ok(pairs[i], obs->queue.colours)) break;
    }
    return (int)(i < PUYO_BEAM_DEPTH_MAX ? i : PUYO_BEAM_DEPTH_MAX);
}

// --- chains at hand

typedef struct shot {
    int move, points, frames; // frames until it has run, placing included
    py_field left;
} shot;

// Every placement of the current pair that fires.
static int list_shots(const py_match *m, const py_side *a, shot out[PY_MOVES])
{
    int n = 0;
    for (uint32_t mask = py_legal_mask(&a->field, a->window[0], m->reach, m->lose); mask != 0; mask &= mask - 1) {
        shot s = {.move = __builtin_ctz(mask), .left = a->field};
        s.frames = py_drop_of(&a->field, s.move, a->window[0]).frames;
        py_place(&s.left, s.move, a->window[0]);
        py_chain_result c = py_chain(&s.left);
        if (c.links == 0) continue;
        s.points = c.score + (a->bonus ? PY_ALL_CLEAR : 0);
        s.frames += c.frames;
        out[n++] = s;
    }
    return n;
}

typedef struct view {
    puyo_versus *v;
    const py_match *m;
    const py_side *me, *other;
    uint8_t pairs[PY_RING], theirs[PY_RING];
    int n_pairs, n_theirs;
    int rate; // points for one nuisance
    rng *r;
    shot shots[PY_MOVES];
    int n_shots;
    double start; // of the choice
    uint64_t nodes;
    puyo_beam_result build; // the search of the own field to its full depth, once it is built
    bool built;
    bool plays_on, decisive; // has it the means and the time; is this a moment to do so
} view;

// One search of the own field in `share` percent of the time that is left.
static void search_own(view *w, int depth, int share, puyo_beam_result *out)
{
    puyo_beam_limits l = w->v->limits;
    if (l.seconds > 0) {
        l.seconds = (l.seconds - (clock_seconds() - w->start)) * share / 100;
        if (l.seconds <= 0) l.seconds = 1e-6; // one round
    }
    puyo_beam_limit(w->v->own, l);
    puyo_beam_search(w->v->own, &w->me->field, w->pairs, w->n_pairs, depth, w->r, out);
    w->nodes += out->nodes;
}

// Where games are played on, they get most of the time; before that, more than a few futures change nothing.
static void search_build(view *w)
{
    enum { BESIDE = 30, BEFORE = 40 }; // percent
    if (!w->built) search_own(w, 0, !w->plays_on ? 100 : w->decisive ? BESIDE : BEFORE, &w->build);
    w->built = true;
}

// The most points that the other side can fire before `frames` have passed.
static int their_answer(view *w, int frames)
{
    int busy = (int)w->other->clock - (int)w->me->clock, free_for = frames - (busy > 0 ? busy : 0);
    int depth = 1 + (free_for > 0 ? free_for / puyo_placement_frames(&w->other->field) : 0);
    puyo_beam_result got;
    if (depth > SCOUT_DEPTH) depth = SCOUT_DEPTH;
    puyo_beam_rules(w->v->scout, w->m->queue.colours, w->m->reach, w->m->lose);
    puyo_beam_limit(w->v->scout, (puyo_beam_limits){.stop = w->v->limits.stop});
    puyo_beam_search(w->v->scout, &w->other->field, w->theirs, w->n_theirs, depth, w->r, &got);
    w->nodes += got.nodes;
    double best = 0;
    for (int i = 0; i < PY_MOVES; i++)
        if (got.value[i] > best) best = got.value[i];
    return (int)best + (w->other->bonus ? PY_ALL_CLEAR : 0);
}

static puyo_plan plan_of(const view *w, int move, const char *name, double expects)
{
    puyo_plan p = {.move = move, .plan = name, .expects = expects, .nodes = w->nodes};
    for (int i = 0; i < w->n_shots; i++)
        if (w->shots[i].move == move) p.fires = w->shots[i].points;
    return p;
}

// --- answer

// Does this shot leave us alive when what it does not cancel falls, and how good is what is left?
static int shot_rest(const view *w, const shot *s, int incoming)
{
    py_field f = s->left;
    int rest = incoming - s->points / w->rate;
    if (rest > PY_FALL_MAX) rest = PY_FALL_MAX;
    rng r = *w->r;
    if (rest > 0) py_nuisance_fall(&f, rest, &r);
    if (py_buried(&f, w->m->lose)) return -100000;
    return puyo_evaluate(&f, &puyo_weights_default, w->m->queue.colours).score;
}

static bool answer(view *w, puyo_plan *out)
{
    int incoming = (int)(w->me->pending + w->me->coming);
    int room = puyo_bury_count(&w->me->field);
    if (incoming <= TOLERATED && incoming < room) return false;
    int time = w->me->pending > 0 ? 0 : (int)w->other->clock - (int)w->me->clock;
    int left = 1 + (time > 0 ? (time - 1) / puyo_placement_frames(&w->me->field) : 0);
    puyo_beam_result got = {.move = -1};
    int depth = left < w->v->o.depth ? left : w->v->o.depth;
    search_own(w, depth, 50, &got);
    double most = 0;
    for (int i = 0; i < PY_MOVES; i++)
        if (got.value[i] > most) most = got.value[i];
    if (most > 0 && w->me->bonus) most += PY_ALL_CLEAR;
    if (left > 1 && incoming > SMALL && got.move >= 0 && got.fires == 0 && most * 0.8 >= incoming * w->rate) {
        *out = plan_of(w, got.move, "answer", most); // there is time to make it larger
        return true;
    }
    // The shot that leaves most: what it sends beyond the answer, and the field after the rest has fallen.
    int best = -1;
    double best_worth = 0;
    bool small = incoming <= SMALL && incoming + PY_COLS <= room;
    for (int i = 0; i < w->n_shots; i++) {
        if (small && w->shots[i].points >= HELD) continue; // the large chain is worth more than this
        int net = w->shots[i].points / w->rate - incoming;
        double worth = shot_rest(w, &w->shots[i], left > 1 && w->me->pending == 0 ? 0 : incoming) / 100.0 + net;
        if (net < 0) worth += 2 * net;
        if (best < 0 || worth > best_worth) best = i, best_worth = worth;
    }
    if (most * 2 < incoming * w->rate && incoming < room)
        return false; // nothing to answer with, but it can be lived with
    bool enough = best >= 0 && w->shots[best].points / w->rate * 2 >= incoming;
    if (best >= 0 && (left <= 1 ? enough || incoming >= room : enough && w->shots[best].points >= most * 0.95)) {
        *out = plan_of(w, w->shots[best].move, "answer", w->shots[best].points);
        return true;
    }
    if (got.move < 0 || small) return false;
    *out = plan_of(w, got.move, "answer", most);
    return true;
}

// --- finish and harass

static bool finish(view *w, puyo_plan *out)
{
    int bury = puyo_bury_count(&w->other->field), best = -1;
    for (int i = 0; i < w->n_shots; i++)
        if (best < 0 || w->shots[i].points > w->shots[best].points) best = i;
    if (best < 0) return false;
    int incoming = (int)(w->me->pending + w->me->coming), sent = w->shots[best].points / w->rate - incoming;
    if (sent < bury) return false;
    int back = their_answer(w, w->shots[best].frames) / w->rate;
    if (sent - back < bury) return false;
    *out = plan_of(w, w->shots[best].move, "finish", w->shots[best].points);
    return true;
}

static bool harass(view *w, const puyo_beam_result *build, puyo_plan *out)
{
    enum { LEAST = 6, KEEP = 85 }; // nuisance that hurts; percent of the own chain that must stay
    int best = -1;
    double hoped = build->move >= 0 ? build->value[build->move] : 0;
    for (int i = 0; i < w->n_shots; i++) {
        const shot *s = &w->shots[i];
        if (s->points / w->rate < LEAST || build->value[s->move] * 100 < hoped * KEEP) continue;
        if (best < 0 || s->points > w->shots[best].points) best = i;
    }
    if (best < 0) return false;
    if (their_answer(w, w->shots[best].frames) >= w->shots[best].points) return false;
    *out = plan_of(w, w->shots[best].move, "harass", hoped);
    return true;
}

// Whoever fires the large chain first is answered with a larger one. While nothing forces us, rather wait.
static int hold(const view *w, const puyo_beam_result *build)
{
    enum { KEEP = 70 }; // percent of the chain that waiting must still promise
    if (build->move < 0 || build->fires < HELD) return build->move;
    int best = -1;
    for (int m = 0; m < PY_MOVES; m++) {
        bool fires = false;
        for (int i = 0; i < w->n_shots; i++) fires |= w->shots[i].move == m && w->shots[i].points >= HELD;
        if (!fires && build->value[m] >= 0 && (best < 0 || build->value[m] > build->value[best])) best = m;
    }
    return best >= 0 && build->value[best] * 100 >= build->value[build->move] * KEEP ? best : build->move;
}

// --- all of it

static puyo_plan decide(view *w)
{
    const puyo_versus_options *l = &w->v->o;
    puyo_plan p;
    uint32_t legal = py_legal_mask(&w->me->field, w->me->window[0], w->m->reach, w->m->lose);
    if (l->slip > 0 && rng_below(w->r, 100) < (uint32_t)l->slip) {
        uint16_t moves[PY_MAX_LEGAL];
        int n = py_move_list(legal, moves);
        return plan_of(w, moves[rng_below(w->r, (uint32_t)n)], "slip", 0);
    }
    if (l->finish && finish(w, &p)) return p;
    if (l->answer && answer(w, &p)) return p;
    search_build(w);
    puyo_beam_result got = w->build;
    if (l->harass && harass(w, &got, &p)) return p;
    if (l->fire > 0) {
        int best = -1;
        for (int i = 0; i < w->n_shots; i++)
            if (w->shots[i].points >= l->fire && (best < 0 || w->shots[i].points > w->shots[best].points)) best = i;
        if (best >= 0) return plan_of(w, w->shots[best].move, "fire", w->shots[best].points);
    }
    if (l->hold) got.move = hold(w, &got);
    if (got.move < 0) got.move = __builtin_ctz(legal); // every placement loses: any will do
    p = plan_of(w, got.move, "build", got.value[got.move]);
    if (p.fires > 0) p.plan = "fire";
    return p;
}

// --- playing on

typedef struct choices {
    int move[PUYO_PLAYOUT_MOVES], n;
} choices;

static bool contains(const choices *c, int move)
{
    for (int i = 0; i < c->n; i++)
        if (c->move[i] == move) return true;
    return false;
}

// The largest chain of at least `least` and less than `below` points that is not among the choices, nor one like it.
static void add_shot(const view *w, int least, int below, choices *c)
{
    int best = -1;
    for (int i = 0; i < w->n_shots; i++) {
        const shot *s = &w->shots[i];
        bool known = s->points < least || s->points >= below;
        for (int k = 0; k < w->n_shots && !known; k++)
            known = w->shots[k].points == s->points && contains(c, w->shots[k].move);
        if (!known && (best < 0 || s->points > w->shots[best].points)) best = i;
    }
    if (best >= 0) c->move[c->n++] = w->shots[best].move;
}

// The best placement that fires nothing and is not among the choices.
static void add_calm(const view *w, choices *c)
{
    int best = -1;
    for (int m = 0; m < PY_MOVES; m++) {
        bool known = w->build.value[m] < 0 || contains(c, m);
        for (int i = 0; i < w->n_shots; i++) known |= w->shots[i].move == m;
        if (!known && (best < 0 || w->build.value[m] > w->build.value[best])) best = m;
    }
    if (best >= 0) c->move[c->n++] = best;
}

// The serious choices, the first of them what the rules say. Fired early the large chain always loses to the answer, so it is
// among them only when the field is crowded or nuisance is on its way.
static choices list_choices(view *w, int first)
{
    enum { LEAST = 6 * PY_RATE, FURTHER = 3, CALM = 2, CALM_LATE = 5 };
    choices c = {{first}, 1};
    int most = 0, incoming = (int)(w->me->pending + w->me->coming);
    bool crowded = py_count(&w->me->field) >= CROWDED;
    for (int i = 0; i < w->n_shots; i++)
        if (w->shots[i].points > most) most = w->shots[i].points;
    if (crowded || incoming > TOLERATED) add_shot(w, LEAST, INT32_MAX, &c);
    add_shot(w, LEAST, most / 2, &c);
    for (int i = 0; i < FURTHER && crowded; i++) add_shot(w, 0, INT32_MAX, &c);
    search_build(w);
    for (int i = 0; i < (crowded ? CALM_LATE : CALM); i++) add_calm(w, &c);
    return c;
}

static puyo_plan play_on(view *w, puyo_plan p, int seat)
{
    if (strcmp(p.plan, "slip") == 0 || (!w->decisive && strcmp(p.plan, "build") == 0)) return p;
    choices c = list_choices(w, p.move);
    if (c.n < 2) return p;
    puyo_playout_limits l = {.futures = w->v->o.playouts, .stop = w->v->limits.stop};
    if (w->v->limits.seconds > 0) {
        l.futures = PUYO_PLAYOUT_FUTURES;
        l.seconds = w->v->limits.seconds - (clock_seconds() - w->start);
        if (l.seconds <= 0) return p;
    }
    puyo_playout_result got;
    puyo_policy policy = puyo_playout_policy(w->v->model);
    puyo_play_on(&policy, w->m, seat, c.move, c.n, l, w->r, &got);
    w->nodes += got.nodes;
    return got.best == 0 ? p : plan_of(w, c.move[got.best], "play on", w->build.value[c.move[got.best]]);
}

puyo_plan puyo_versus_choose(puyo_versus *v, const py_match *obs, int seat, rng *r)
{
    view w = {.v = v, .m = obs, .me = &obs->side[seat], .other = &obs->side[!seat], .r = r};
    if (v->limits.seconds > 0) w.start = clock_seconds();
    w.n_pairs = puyo_known_pairs(obs, seat, w.pairs);
    w.n_theirs = puyo_known_pairs(obs, !seat, w.theirs);
    if (w.n_pairs > v->o.visible) w.n_pairs = v->o.visible;
    w.rate = (int)(obs->margin ? py_nuisance_rate(w.me->clock) : PY_RATE);
    w.n_shots = list_shots(obs, w.me, w.shots);
    puyo_beam_rules(v->own, obs->queue.colours, obs->reach, obs->lose);
    w.decisive = py_count(&w.me->field) >= (v->limits.seconds > 0 ? PLAYED_ON : CROWDED) ||
                 (int)(w.me->pending + w.me->coming) > TOLERATED;
    w.plays_on = v->model != NULL && (v->o.playouts > 0 || v->limits.seconds > 0);
    puyo_plan p = decide(&w);
    if (w.plays_on) p = play_on(&w, p, seat);
    p.nodes = w.nodes;
    return p;
}
