// The agent `versus`: plays Puyo matches at five levels.
#include "search/puyo/puyo_versus.h"

#include "agents/agent.h"

#include <stdio.h>
#include <string.h>

typedef struct params {
    const char *level;
    int64_t width, depth, samples, visible, fire, slip, answer, finish, harass, hold; // -1: as the level has it
} params;

typedef struct mind {
    puyo_versus *player;
} mind;

#define CHANGE(field, high_, help_)                                                                                    \
    {                                                                                                                  \
        .name = #field, .kind = OPT_INT, .at = offsetof(params, field), .value = "N", .preset = "-1", .low = -1,       \
        .high = high_, .help = help_                                                                                   \
    }
static const opt opts[] = {
    {.name = "level",
     .kind = OPT_CHOICE,
     .at = offsetof(params, level),
     .value = "LEVEL",
     .preset = "expert",
     .choices = "beginner|easy|medium|hard|expert",
     .help = "how strong it plays"},
    {.help = "To change a level (-1 leaves it)"},
    CHANGE(width, PUYO_BEAM_WIDTH_MAX, "fields kept at each depth"),
    CHANGE(depth, PUYO_BEAM_DEPTH_MAX, "pairs placed in a line"),
    CHANGE(samples, PUYO_BEAM_SAMPLES_MAX, "futures searched"),
    CHANGE(visible, PY_SHOWN, "pairs it looks at, the current one included"),
    CHANGE(fire, 1e6, "fires any chain of so many points; 0 = only when it has a reason"),
    CHANGE(slip, 100, "percent of placements that are any legal one"),
    CHANGE(answer, 1, "answers nuisance on its way"),
    CHANGE(finish, 1, "fires when the other side cannot answer"),
    CHANGE(harass, 1, "sends small chains"),
    CHANGE(hold, 1, "waits with its large chain for a reason to fire"),
};

static puyo_level level_of(const params *p)
{
    puyo_level l = puyo_levels[0];
    for (int i = 0; i < PUYO_LEVELS; i++)
        if (strcmp(puyo_levels[i].name, p->level) == 0) l = puyo_levels[i];
    if (p->width > 0) l.width = (int)p->width;
    if (p->depth > 0) l.depth = (int)p->depth;
    if (p->samples > 0) l.samples = (int)p->samples;
    if (p->visible > 0) l.visible = (int)p->visible;
    if (p->fire >= 0) l.fire = (int)p->fire;
    if (p->slip >= 0) l.slip = (int)p->slip;
    if (p->answer >= 0) l.answer = p->answer != 0;
    if (p->finish >= 0) l.finish = p->finish != 0;
    if (p->harass >= 0) l.harass = p->harass != 0;
    if (p->hold >= 0) l.hold = p->hold != 0;
    return l;
}

static err versus_open(agent *a)
{
    mind *m = a->mind;
    puyo_level l = level_of(a->params);
    m->player = puyo_versus_new(&l);
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
    .name = "versus",
    .summary = "builds, watches the other side, answers and attacks",
    .games = "puyo",
    .opts = opts,
    .n_opts = (int)(sizeof opts / sizeof *opts),
    .params_size = sizeof(params),
    .mind_size = sizeof(mind),
    .open = versus_open,
    .close = versus_close,
    .choose = versus_choose,
};
