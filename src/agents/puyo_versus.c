// The agent `versus`: plays Puyo matches. Its strength is a level of the table (agents/levels.h), or single parameters.
#include "search/puyo/puyo_versus.h"

#include "agents/agent.h"
#include "agents/levels.h"
#include "base/opt_rows.h"
#include "search/puyo/puyo_playout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct params {
    const char *level;
    int64_t ms;
    int64_t width, depth, samples, visible, late, fire, slip, answer, finish, harass, hold; // -1: as the level has it
    int64_t playouts;                                                                       // likewise
} params;

typedef struct mind {
    puyo_versus *player;
} mind;

enum { MOVES_TO_COME = 40 }; // for the share of a clock

#define AT(field)                 offsetof(params, field)
#define CHANGE(field, high, help) ROW_INT(#field, AT(field), "N", "-1", -1, high, help)
static const opt opts[] = {
    ROW_TEXT("level", AT(level), "LEVEL", "expert",
             "Playing strength: beginner to expert, or 1 to 10 (see keiko levels)"),
    ROW_INT(
        "ms", AT(ms), "N", "0", 0, 1e9,
        "Search for up to N milliseconds per move: a wider beam, more sampled futures, and games played out from the "
        "best placements; 0 = as much as the level says. Results then vary between runs"),
    ROW_HEADING("Overrides of the level (-1 = unchanged)"),
    CHANGE(width, PUYO_BEAM_WIDTH_MAX, "Beam width: fields kept per depth"),
    CHANGE(depth, PUYO_BEAM_DEPTH_MAX, "Search depth in pairs, including the visible ones"),
    CHANGE(samples, PUYO_BEAM_SAMPLES_MAX, "Number of sampled futures"),
    CHANGE(visible, PY_SHOWN, "Number of visible pairs to use, including the current one"),
    CHANGE(late, PUYO_BEAM_SAMPLES_MAX, "Number of sampled futures on a crowded field, if larger than samples"),
    CHANGE(fire, 1e6, "Fire any chain of at least N points; 0 = only when it pays off"),
    CHANGE(slip, 100, "Percentage of random placements"),
    CHANGE(answer, 1, "1 = counter incoming nuisance"),
    CHANGE(finish, 1, "1 = fire when the opponent cannot counter"),
    CHANGE(harass, 1, "1 = harass with small chains"),
    CHANGE(hold, 1, "1 = hold the main chain until firing pays off"),
    CHANGE(playouts, PUYO_PLAYOUT_FUTURES,
           "Late in the game, play it out in N futures from each of the best placements, with ms in as many as fit; "
           "0 = never; -1 = as the level does, but never if width is given and ms is not"),
};

// The width that `ms` pays for: half of what more time brings goes into wider beams, half into more futures. Where games are
// played on, most of the time goes there, and the beam only becomes narrower when there is little of it.
static int width_for(const puyo_versus_options *o, double ms)
{
    enum { FIELDS_PER_MS = 2500, CHILDREN = 18, LEAST = 16, MOST = 1200 };
    bool plays_on = o->playouts >= 0;
    double usual = (double)o->width * o->depth * o->samples * CHILDREN / FIELDS_PER_MS * (plays_on ? 10 : 1);
    int width = (int)(o->width * sqrt(ms / usual)), most = plays_on ? o->width : MOST;
    return width < LEAST ? LEAST : width > most ? most : width;
}

// What the table of levels says, with the parameters given beside it in front.
static err options_of(const agent *a, puyo_versus_options *out)
{
    const params *p = a->params;
    params l;
    const level_row *row = level_find(a->g, p->level);
    if (row == NULL)
        return err_set(ERR_USAGE, "versus: there is no level '%s': beginner, easy, medium, hard, expert or 1 to 10",
                       p->level);
    err e = opt_defaults(opts, ROWS(opts), &l);
    if (e == ERR_OK) e = opt_pairs(opts, ROWS(opts), &l, strchr(row->spec, ':') + 1, "versus", a->keep);
    if (e != ERR_OK) return e;
#define PICK(field, least) (int)(p->field >= (least) ? p->field : l.field)
    *out = (puyo_versus_options){.width = PICK(width, 1),
                                 .depth = PICK(depth, 1),
                                 .samples = PICK(samples, 1),
                                 .visible = PICK(visible, 1),
                                 .late = PICK(late, 0),
                                 .fire = PICK(fire, 0),
                                 .slip = PICK(slip, 0),
                                 .answer = PICK(answer, 0) != 0,
                                 .finish = PICK(finish, 0) != 0,
                                 .harass = PICK(harass, 0) != 0,
                                 .hold = PICK(hold, 0) != 0};
    // Who gives a width wants a beam of that cost: a level's games played on cost more than most beams.
    int on = (int)(p->playouts >= 0 || p->width > 0 ? p->playouts : l.playouts);
    out->playouts = on > 0 ? on : on < 0 && out->harass ? 0 : -1;
#undef PICK
    if (p->ms > 0 && p->width < 1) out->width = width_for(out, (double)p->ms);
    return ERR_OK;
}

static err versus_open(agent *a)
{
    mind *m = a->mind;
    puyo_versus_options o;
    err e = options_of(a, &o);
    if (e != ERR_OK) return e;
    m->player = puyo_versus_new(&o);
    return m->player == NULL ? err_set(ERR_MEMORY, "no memory for a player") : ERR_OK;
}

static void versus_close(agent *a)
{
    mind *m = a->mind;
    puyo_versus_free(m->player);
}

static err versus_choose(agent *a, const void *obs, agent_choice *out)
{
    mind *m = a->mind;
    const py_match *match = obs;
    const py_side *me = &match->side[a->seat];
    if (py_legal_mask(&me->field, me->window[0], match->reach, match->lose) == 0)
        return err_set(ERR_USAGE, "the game is over");
    const params *given = a->params;
    puyo_versus_limit(m->player,
                      (puyo_beam_limits){agent_seconds(a, (double)given->ms / 1000, MOVES_TO_COME), agent_stop_of(a)});
    rng r = agent_rng(a);
    puyo_plan p = puyo_versus_choose(m->player, match, a->seat, &r);
    out->move = (move_t)p.move;
    out->nodes = p.nodes;
    if (p.fires > 0)
        snprintf(out->text, sizeof out->text, "%s: fires %d points", p.plan, p.fires);
    else
        snprintf(out->text, sizeof out->text, "%s: expects %.0f points", p.plan, p.expects);
    return ERR_OK;
}

const agent_type agent_versus = {
    NAMED("versus", "puyo", "Plays versus matches: builds a chain, watches the opponent, counters and attacks"),
    WITH_MIND(opts, params, mind, versus_open, NULL, versus_close), .choose = versus_choose,
    .strongest = "ms=300", // no network ships that is as strong
};
