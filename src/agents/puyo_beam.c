// The agent `beam`: builds the largest chain it can and fires it when waiting promises no more. It looks at its own field
// only; `versus` is the player that also watches the other one.
#include "search/puyo/puyo_beam.h"

#include "agents/agent.h"
#include "games/puyo/puyo_match.h"
#include "games/puyo/puyo_solo.h"

#include <stdio.h>
#include <string.h>

typedef struct params {
    int64_t width, depth, samples, visible, prune, patience, full, late, grip, threads;
    int64_t weight[sizeof(puyo_weights) / sizeof(int)];
} params;

typedef struct mind {
    puyo_beam *beam;
    pool *threads;
} mind;

enum {
#define W(name, preset, help) AT_##name,
    PUYO_WEIGHTS(W)
#undef W
};
#define TEXT_OF(x) #x

static const opt opts[] = {{.name = "width",
                            .kind = OPT_INT,
                            .at = offsetof(params, width),
                            .value = "N",
                            .preset = "250",
                            .low = 1,
                            .high = PUYO_BEAM_WIDTH_MAX,
                            .help = "fields kept at each depth"},
                           {.name = "depth",
                            .kind = OPT_INT,
                            .at = offsetof(params, depth),
                            .value = "N",
                            .preset = "14",
                            .low = 1,
                            .high = PUYO_BEAM_DEPTH_MAX,
                            .help = "pairs placed in a line, the visible ones included"},
                           {.name = "samples",
                            .kind = OPT_INT,
                            .at = offsetof(params, samples),
                            .value = "N",
                            .preset = "6",
                            .low = 1,
                            .high = PUYO_BEAM_SAMPLES_MAX,
                            .help = "futures searched"},
                           {.name = "visible",
                            .kind = OPT_INT,
                            .at = offsetof(params, visible),
                            .value = "N",
                            .preset = "2",
                            .low = 1,
                            .high = PY_SHOWN,
                            .help = "how many of the pairs shown it uses, the current one included"},
                           {.name = "prune",
                            .kind = OPT_INT,
                            .at = offsetof(params, prune),
                            .value = "POINTS",
                            .preset = "5000",
                            .low = 0,
                            .high = 1e9,
                            .help = "a chain of so many points ends a line"},
                           {.name = "patience",
                            .kind = OPT_INT,
                            .at = offsetof(params, patience),
                            .value = "PERCENT",
                            .preset = "95",
                            .low = 1,
                            .high = 100,
                            .help = "a chain is fired when it has this share of what waiting promises"},
                           {.name = "full",
                            .kind = OPT_INT,
                            .at = offsetof(params, full),
                            .value = "PUYOS",
                            .preset = "56",
                            .low = 0,
                            .high = PY_COLS * PY_GHOST,
                            .help = "a field of so many puyos is crowded: late and grip begin to count"},
                           {.name = "late",
                            .kind = OPT_INT,
                            .at = offsetof(params, late),
                            .value = "N",
                            .preset = "24",
                            .low = 0,
                            .high = PUYO_BEAM_SAMPLES_MAX,
                            .help = "futures searched on a crowded field, if more than samples"},
                           {.name = "grip",
                            .kind = OPT_INT,
                            .at = offsetof(params, grip),
                            .value = "PERCENT",
                            .preset = "5",
                            .low = 0,
                            .high = 100,
                            .help = "share of the chain that the known pairs can fire, added to a placement there"},
                           {.name = "threads",
                            .kind = OPT_INT,
                            .at = offsetof(params, threads),
                            .value = "N",
                            .preset = "1",
                            .low = 0,
                            .high = 256,
                            .help = "threads, 0 = one a core; the choice does not depend on it"},
                           {.help = "Weights of the evaluation"},
#define W(name_, preset_, help_)                                                                                       \
    {.name = #name_,                                                                                                   \
     .kind = OPT_INT,                                                                                                  \
     .at = offsetof(params, weight) + AT_##name_ * sizeof(int64_t),                                                    \
     .value = "N",                                                                                                     \
     .preset = TEXT_OF(preset_),                                                                                       \
     .low = -100000,                                                                                                   \
     .high = 100000,                                                                                                   \
     .help = help_},
                           PUYO_WEIGHTS(W)
#undef W
};

static puyo_beam_settings settings_of(const params *p, int colours, bool reach, int lose)
{
    puyo_beam_settings s = {.width = (int)p->width,
                            .depth = (int)p->depth,
                            .samples = (int)p->samples,
                            .prune = (int)p->prune,
                            .patience = (int)p->patience,
                            .full = (int)p->full,
                            .late = (int)p->late,
                            .grip = (int)p->grip,
                            .colours = colours,
                            .reach = reach,
                            .lose = lose};
#define W(name, preset, help) s.weights.name = (int)p->weight[AT_##name];
    PUYO_WEIGHTS(W)
#undef W
    return s;
}

static err beam_open(agent *a)
{
    const params *p = a->params;
    mind *m = a->mind;
    if (p->threads != 1) m->threads = pool_new((int)p->threads);
    if (p->threads != 1 && m->threads == NULL) return err_set(ERR_MEMORY, "no memory for threads");
    puyo_beam_settings s = settings_of(p, 4, true, PY_LOSE_TSU);
    m->beam = puyo_beam_new(&s, m->threads);
    return m->beam == NULL ? err_set(ERR_MEMORY, "no memory for a beam of %d", s.width) : ERR_OK;
}

static void beam_close(agent *a)
{
    mind *m = a->mind;
    puyo_beam_free(m->beam);
    pool_free(m->threads);
}

static err beam_choose(agent *a, const void *obs, agent_choice *out)
{
    const params *p = a->params;
    mind *m = a->mind;
    bool solo = strcmp(a->g->name, "puyo-solo") == 0;
    const py_solo *s = obs;
    const py_match *match = obs;
    const py_field *f = solo ? &s->field : &match->side[a->seat].field;
    const uint8_t *window = solo ? s->window : match->side[a->seat].window;
    const py_queue *q = solo ? &s->queue : &match->queue;
    bool reach = solo ? s->reach : match->reach;
    int lose = solo ? PY_LOSE_TSU : match->lose, left = solo ? s->limit - (int)s->placed : PUYO_BEAM_DEPTH_MAX;
    puyo_beam_rules(m->beam, q->colours, reach, lose);
    rng r = agent_rng(a);
    puyo_beam_result got;
    puyo_beam_search(m->beam, f, window, (int)p->visible, left < p->depth ? left : (int)p->depth, &r, &got);
    uint32_t legal = py_legal_mask(f, window[0], reach, lose);
    if (legal == 0) return err_set(ERR_USAGE, "the game is over");
    out->move = (move_t)(got.move >= 0 ? got.move : __builtin_ctz(legal)); // every placement loses: any will do
    out->nodes = got.nodes;
    out->depth = (int)p->depth;
    if (got.fires > 0)
        snprintf(out->text, sizeof out->text, "fires %d points", got.fires);
    else if (got.move >= 0)
        snprintf(out->text, sizeof out->text, "expects %.0f points", got.value[got.move]);
    return ERR_OK;
}

const agent_type agent_beam = {
    .name = "beam",
    .summary = "builds the largest chain by beam search over sampled pairs",
    .games = "puyo puyo-solo",
    .opts = opts,
    .n_opts = (int)(sizeof opts / sizeof *opts),
    .params_size = sizeof(params),
    .mind_size = sizeof(mind),
    .open = beam_open,
    .close = beam_close,
    .choose = beam_choose,
};
