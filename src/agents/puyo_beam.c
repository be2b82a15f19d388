// The agent `beam`: builds the largest chain it can and fires it when waiting promises no more. It looks at its own field
// only; `versus` is the player that also watches the other one.
#include "search/puyo/puyo_beam.h"

#include "agents/agent.h"
#include "base/opt_rows.h"
#include "games/puyo/puyo_match.h"
#include "games/puyo/puyo_solo.h"

#include <stdio.h>

typedef struct params {
    int64_t width, depth, samples, visible, prune, patience, full, late, grip, ms, threads;
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

enum { MOVES_TO_COME = 40 }; // for the share of a clock

#define AT(field) offsetof(params, field)
// clang-format off
static const opt opts[] = {
    ROW_INT("width", AT(width), "N", "250", 1, PUYO_BEAM_WIDTH_MAX, "Beam width: fields kept per depth"),
    ROW_INT("depth", AT(depth), "N", "14", 1, PUYO_BEAM_DEPTH_MAX, "Search depth in pairs, including the visible ones"),
    ROW_INT("samples", AT(samples), "N", "6", 1, PUYO_BEAM_SAMPLES_MAX, "Number of sampled futures"),
    ROW_INT("visible", AT(visible), "N", "3", 1, PY_SHOWN, "Number of visible pairs to use, including the current one"),
    ROW_INT("prune", AT(prune), "POINTS", "5000", 0, 1e9, "End a line when a chain of this many points fires"),
    ROW_INT("patience", AT(patience), "PERCENT", "95", 1, 100, "Fire when the chain is worth at least this percentage of the expected best"),
    ROW_INT("full", AT(full), "PUYOS", "56", 0, PY_COLS * PY_GHOST, "From this many puyos on, `late` and `grip` apply"),
    ROW_INT("late", AT(late), "N", "24", 0, PUYO_BEAM_SAMPLES_MAX, "Number of sampled futures on a crowded field, if larger than samples"),
    ROW_INT("grip", AT(grip), "PERCENT", "5", 0, 100, "Crowded field: percentage of the chain fireable with the visible pairs that is added to a placement's value"),
    ROW_INT("ms", AT(ms), "N", "0", 0, 1e9, "Keep sampling futures for up to N milliseconds per move; 0 = `samples` and `late` decide. Results then vary between runs"),
    ROW_INT("threads", AT(threads), "N", "1", 0, 256, "Number of threads; 0 = one per core. Does not change the result"),
    ROW_HEADING("Weights of the evaluation"),
#define W(name_, preset_, help_) ROW_INT(#name_, AT(weight) + AT_##name_ * sizeof(int64_t), "N", TEXT_OF(preset_), -100000, 100000, help_),
    PUYO_WEIGHTS(W)
#undef W
};
// clang-format on

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
    bool solo = a->g->core == CORE_PUYO_SOLO;
    const py_solo *s = obs;
    const py_match *match = obs;
    const py_field *f = solo ? &s->field : &match->side[a->seat].field;
    const uint8_t *window = solo ? s->window : match->side[a->seat].window;
    const py_queue *q = solo ? &s->queue : &match->queue;
    bool reach = solo ? s->reach : match->reach;
    int lose = solo ? PY_LOSE_TSU : match->lose, left = solo ? s->limit - (int)s->placed : PUYO_BEAM_DEPTH_MAX;
    puyo_beam_rules(m->beam, q->colours, reach, lose);
    puyo_beam_limit(m->beam,
                    (puyo_beam_limits){agent_seconds(a, (double)p->ms / 1000, MOVES_TO_COME), agent_stop_of(a)});
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
    NAMED("beam", "puyo puyo-solo", "Builds a large chain with beam search over sampled future pairs"),
    WITH_MIND(opts, params, mind, beam_open, NULL, beam_close),
    .choose = beam_choose,
};
