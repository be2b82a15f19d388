// The rules of a versus match. See match.h for how time and nuisance work.
#include "games/puyo/puyo_match.h"

#include "games/puyo/puyo_text.h"

#include <string.h>

_Static_assert(sizeof(py_match) % 8 == 0 && sizeof(py_side) == 88, "states are compared and hashed as whole words");

#define STREAM_NUISANCE 0x80000000u // draws for nuisance columns; pairs use the numbers below

// --- options

static const char *const timing_names[] = {"frames", "turns"}, *const lose_names[] = {"tsu", "seed"};

static err option(void *ctx, const char *key, const char *value)
{
    py_match *m = ctx;
    int v = 0;
    if (strcmp(key, "timing") == 0) return option_choice(key, value, timing_names, 2, &m->timing);
    if (strcmp(key, "pairs") == 0) return option_choice(key, value, py_pair_kind_name, PY_PAIR_KINDS, &m->queue.kind);
    if (strcmp(key, "lose") == 0) return option_choice(key, value, lose_names, 2, &m->lose);
    if (strcmp(key, "reach") == 0) return option_choice(key, value, py_switch, 2, &m->reach);
    if (strcmp(key, "margin") == 0) return option_choice(key, value, py_switch, 2, &m->margin);
    if (strcmp(key, "drop") == 0) return option_choice(key, value, py_switch, 2, &m->drop);
    if (strcmp(key, "colours") == 0) {
        err e = option_number(key, value, 3, 5, &v);
        if (e == ERR_OK) m->queue.colours = (uint8_t)v;
        return e;
    }
    if (strcmp(key, "plies") == 0) {
        err e = option_number(key, value, 1, PY_LIMIT_MAX, &v);
        if (e == ERR_OK) m->limit = (uint16_t)v;
        return e;
    }
    return err_set(ERR_USAGE,
                   "puyo has no option '%s'; there are: timing, pairs, colours, reach, lose, margin, drop, plies", key);
}

err py_match_options(py_match *m, const char *options)
{
    memset(m, 0, sizeof *m);
    m->queue.colours = 4;
    m->reach = m->margin = m->drop = 1;
    m->limit = 1000;
    return game_options(options, option, m);
}

err py_match_init(py_match *m, const char *options, game_key k)
{
    py_match fresh;
    err e = py_match_options(&fresh, options);
    if (e != ERR_OK) return e;
    py_queue_init(&fresh.queue, fresh.queue.kind, fresh.queue.colours, k.run, k.game);
    for (int p = 0; p < 2; p++)
        for (uint32_t i = 0; i < PY_SHOWN; i++) fresh.side[p].window[i] = py_queue_get(&fresh.queue, i);
    *m = fresh;
    return ERR_OK;
}

// --- whose turn

static bool match_over(const py_match *m)
{
    return m->side[0].buried || m->side[1].buried || m->side[0].placed + m->side[1].placed >= m->limit;
}

int py_match_seat(const py_match *m)
{
    if (match_over(m)) return 0;
    if (m->held != 0) return 1;
    return m->side[1].clock < m->side[0].clock;
}

outcome py_match_result(const py_match *m)
{
    bool a = m->side[0].buried, b = m->side[1].buried;
    if (a && b) return (outcome){true, REASON_BURIED, {0.5f, 0.5f}};
    if (a || b) return (outcome){true, REASON_BURIED, {a ? 0.0f : 1.0f, b ? 0.0f : 1.0f}};
    if (match_over(m)) return (outcome){true, REASON_PLIES, {0.5f, 0.5f}};
    return (outcome){0};
}

uint32_t py_match_legal(const py_match *m)
{
    if (match_over(m)) return 0;
    const py_side *a = &m->side[py_match_seat(m)];
    return py_legal_mask(&a->field, a->window[0], m->reach, m->lose);
}

// --- placing

uint32_t py_nuisance_rate(uint32_t frame)
{
    enum { START = 96 * 60, STEP = 16 * 60 };
    static const uint8_t rate[] = {52, 34, 25, 16, 12, 8, 6, 4, 3, 2, 1};
    if (frame < START) return PY_RATE;
    uint32_t i = (frame - START) / STEP;
    return rate[i < sizeof rate ? i : sizeof rate - 1];
}

static void next_pair(py_match *m, py_side *a)
{
    const py_side *b = a == m->side ? m->side + 1 : m->side;
    if (a->placed < b->placed) py_queue_forget(&m->queue, a->placed); // the other one has used it already
    a->placed++;
    a->window[0] = a->window[1];
    a->window[1] = a->window[2];
    a->window[2] = py_queue_get(&m->queue, a->placed + PY_SHOWN - 1);
}

// Puts the pair down, resolves the chain and returns the nuisance it made.
static uint32_t place(py_match *m, int p, int move, step_event *ev)
{
    py_side *a = &m->side[p];
    uint8_t pair = a->window[0];
    py_drop d = py_drop_of(&a->field, move, pair);
    py_place(&a->field, move, pair);
    py_chain_result r = py_chain(&a->field);
    uint32_t points = (uint32_t)r.score + (m->drop ? (uint32_t)d.rows : 0), made = 0;
    bool clear = false;
    if (r.links > 0 && a->bonus) points += PY_ALL_CLEAR;
    a->score += points;
    a->carry += points;
    if (r.links > 0) {
        uint32_t rate = m->margin ? py_nuisance_rate(a->clock + (uint32_t)d.frames) : PY_RATE; // when the chain starts
        made = a->carry / rate;
        a->carry %= rate;
        clear = py_is_empty(&a->field);
        a->bonus = clear;
    }
    a->clock += (uint32_t)(d.frames + r.frames);
    a->due = 1;
    next_pair(m, a);
    ev->chain = r.links;
    ev->points = (int)points;
    ev->frames += d.frames + r.frames;
    ev->all_clear = clear;
    return made;
}

// Cancels what is on its way to this side and returns what is left over.
static uint32_t cancel(py_side *a, uint32_t made)
{
    uint32_t n = made < a->pending ? made : a->pending;
    a->pending -= n;
    made -= n;
    n = made < a->coming ? made : a->coming;
    a->coming -= n;
    return made - n;
}

static void send(py_match *m, int p, uint32_t n, step_event *ev)
{
    m->side[p].sent += n;
    m->side[!p].coming += n;
    ev->sent = (int)n;
}

// --- the nuisance phase

static void commit(py_match *m, int p)
{
    m->side[!p].pending += m->side[!p].coming;
    m->side[!p].coming = 0;
}

static void fall(py_match *m, int p, step_event *ev)
{
    py_side *a = &m->side[p];
    uint32_t n = a->pending < PY_FALL_MAX ? a->pending : PY_FALL_MAX;
    if (n > 0) {
        rng r = {0}; // full rows draw nothing
        if (n % PY_COLS != 0) r = rng_at(m->queue.run, m->queue.game, STREAM_NUISANCE | m->draws++);
        int frames = py_nuisance_fall(&a->field, (int)n, &r);
        a->pending -= n;
        a->received += n;
        a->clock += (uint32_t)frames;
        ev->received += (int)n;
        ev->frames += frames;
    }
    a->due = 0;
    a->buried = py_buried(&a->field, m->lose);
}

static void phase(py_match *m, int p, step_event ev[2])
{
    commit(m, p);
    fall(m, p, &ev[p]);
}

// Runs the phases that come before the next choice. Whoever is buried first has lost; both at one moment is a draw.
static void advance(py_match *m, step_event ev[2])
{
    for (;;) {
        int p = m->side[1].clock < m->side[0].clock, q = !p;
        uint32_t now = m->side[p].clock;
        bool together = m->side[q].clock == now && m->side[q].due;
        if (m->side[p].due) {
            phase(m, p, ev);
            if (!m->side[p].buried) continue;
            if (together) phase(m, q, ev);
            return;
        }
        if (!together) return;
        phase(m, q, ev); // before p chooses, for q chooses at the same moment
        if (m->side[q].buried) return;
    }
}

static void end_turn(py_match *m, step_event ev[2])
{
    for (int p = 0; p < 2; p++) fall(m, p, &ev[p]); // what was committed before this turn
    for (int p = 0; p < 2; p++) commit(m, p);
    uint32_t a = m->side[0].clock, b = m->side[1].clock;
    m->side[0].clock = m->side[1].clock = a > b ? a : b;
}

void py_match_play(py_match *m, int move, step_event ev[2])
{
    int p = py_match_seat(m);
    for (int s = 0; s < 2; s++) ev[s] = (step_event){.seat = s};
    if (p == 0 && m->side[0].clock == m->side[1].clock) {
        m->held = (uint8_t)(1 + move);
        return;
    }
    if (m->held != 0) {
        uint32_t left[2];
        left[0] = place(m, 0, m->held - 1, &ev[0]);
        left[1] = place(m, 1, move, &ev[1]);
        m->held = 0;
        for (int s = 0; s < 2; s++) left[s] = cancel(&m->side[s], left[s]);
        uint32_t both = left[0] < left[1] ? left[0] : left[1]; // chains of one moment cancel each other
        for (int s = 0; s < 2; s++) send(m, s, left[s] - both, &ev[s]);
    } else {
        uint32_t made = place(m, p, move, &ev[p]);
        send(m, p, cancel(&m->side[p], made), &ev[p]);
    }
    if (m->timing == PY_TURNS)
        end_turn(m, ev);
    else
        advance(m, ev);
}

// --- real time

// Whoever has a pair in hand has not put it down before `frame`. The clocks it had are kept in `ready`.
static void hold_back(py_match *m, uint32_t frame, uint32_t ready[2])
{
    for (int s = 0; s < 2; s++) {
        ready[s] = m->side[s].clock;
        if (!m->side[s].due && m->side[s].clock < frame) m->side[s].clock = frame;
    }
}

void py_match_pass(py_match *m, uint32_t frame, step_event ev[2])
{
    uint32_t ready[2];
    for (int s = 0; s < 2; s++) ev[s] = (step_event){.seat = s};
    if (match_over(m)) return;
    bool in_hand[2] = {!m->side[0].due, !m->side[1].due};
    hold_back(m, frame, ready);
    advance(m, ev);
    for (int s = 0; s < 2; s++)
        if (in_hand[s]) m->side[s].clock = ready[s];
}

uint32_t py_match_rest(py_match *m, int seat, int move, uint32_t frame, step_event ev[2])
{
    py_side *a = &m->side[seat], *b = &m->side[!seat];
    uint32_t need = (uint32_t)py_drop_of(&a->field, move, a->window[0]).frames, ready[2];
    uint32_t start = frame > need && frame - need > a->clock ? frame - need : a->clock;
    bool other_in_hand = !b->due;
    hold_back(m, start + 1, ready);
    a->clock = start;
    py_match_play(m, move, ev);
    if (other_in_hand) b->clock = ready[!seat];
    return start + need;
}

void py_match_ask(const py_match *m, int seat, py_match *out)
{
    *out = *m;
    py_side *b = &out->side[!seat];
    if (b->clock <= out->side[seat].clock) b->clock = out->side[seat].clock + 1;
}

// --- knowledge

static uint32_t shown(const py_match *m) // pairs that players have seen, counted from the start
{
    uint32_t a = m->side[0].placed, b = m->side[1].placed;
    return (a > b ? a : b) + PY_SHOWN;
}

void py_match_observe(const py_match *m, int seat, py_match *obs)
{
    uint32_t a = m->side[0].placed, b = m->side[1].placed;
    *obs = *m;
    py_queue_hide(&obs->queue, a < b ? a : b, shown(m));
    obs->draws = 0;
    obs->held = m->held != 0 ? PY_HELD_HIDDEN : 0;
    obs->viewer = (uint8_t)(1 + seat);
}

void py_match_sample(const py_match *obs, rng *r, py_match *m)
{
    *m = *obs;
    py_queue_sample(&m->queue, shown(m), r);
    m->viewer = 0;
    if (m->held == 0) return;
    uint16_t moves[PY_MAX_LEGAL];
    const py_side *a = &m->side[0];
    int n = py_move_list(py_legal_mask(&a->field, a->window[0], m->reach, m->lose), moves);
    m->held = (uint8_t)(1 + moves[rng_below(r, (uint32_t)n)]);
}
