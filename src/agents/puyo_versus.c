// The agent `versus`: plays Puyo matches at five levels.
#include "agents/agent.h"
#include "search/puyo_versus.h"

#include <stdio.h>
#include <string.h>

typedef struct params {
    const char *level;
} params;

typedef struct mind {
    puyo_versus *player;
} mind;

static const opt opts[] = {
    {.name = "level",
     .kind = OPT_CHOICE,
     .at = offsetof(params, level),
     .value = "LEVEL",
     .preset = "expert",
     .choices = "beginner|easy|medium|hard|expert",
     .help = "how strong it plays"},
};

static err versus_open(agent *a)
{
    const params *p = a->params;
    mind *m = a->mind;
    for (int i = 0; i < PUYO_LEVELS; i++)
        if (strcmp(puyo_levels[i].name, p->level) == 0) m->player = puyo_versus_new(&puyo_levels[i]);
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
