// The agent `advisor`: follows its own advice, for itself, and does not watch the opponent.
#include "search/puyo/puyo_advisor.h"

#include "agents/agent.h"
#include "base/opt_rows.h"
#include "games/puyo/puyo_match.h"
#include "games/puyo/puyo_solo.h"

#include <stdio.h>
#include <string.h>

typedef struct params {
    const char *mode, *config;
    int64_t turns;
} params;

typedef struct mind {
    advisor_config config;
} mind;

#define AT(field) offsetof(params, field)
static const opt opts[] = {
    ROW_CHOICE(
        "mode", AT(mode), "MODE", "seed", "seed|plus",
        "seed: sum of five scores, one next pair; plus: probability of finishing the fold, then builds a tail and fires"),
    ROW_INT("turns", AT(turns), "N", "15", 1, 200, "plus: number of pairs within which the fold should be complete"),
    ROW_FILE("config", AT(config), NULL, "Read constants from this file (docs/puyo-advisor.md)"),
};

static err advisor_open(agent *a)
{
    const params *p = a->params;
    mind *m = a->mind;
    m->config = advisor_defaults;
    if (p->config == NULL) return ERR_OK;
    return opt_config_file(advisor_options, advisor_n_options, &m->config, p->config, a->keep);
}

// What both games show, in one form.
typedef struct seen {
    const py_field *field;
    const uint8_t *window;
    const py_queue *queue;
    uint32_t placed, legal;
} seen;

static seen look(const agent *a, const void *obs)
{
    if (a->g->core == CORE_PUYO_SOLO) {
        const py_solo *s = obs;
        bool over = s->buried || s->placed >= s->limit;
        uint32_t legal = over ? 0 : py_legal_mask(&s->field, s->window[0], s->reach, PY_LOSE_TSU);
        return (seen){&s->field, s->window, &s->queue, s->placed, legal};
    }
    const py_match *m = obs;
    const py_side *s = &m->side[a->seat];
    uint32_t legal = py_match_result(m).over ? 0 : py_legal_mask(&s->field, s->window[0], m->reach, m->lose);
    return (seen){&s->field, s->window, &m->queue, s->placed, legal};
}

static void say(const advice *d, const advisor_config *c, const advisor_move *m, char *text, size_t n)
{
    const double *w = c->weight[d->phase];
    int len = snprintf(text, n, "%s", advisor_phase_name[d->phase]);
    if (m->chance >= 0) len += snprintf(text + len, n - (size_t)len, ", fold in time %.1f%%", 100 * m->chance);
    len += snprintf(text + len, n - (size_t)len, ", %.1f =", m->total);
    for (int i = 0; i < SCORERS; i++)
        if (m->score[i] != 0 && w[i] != 0 && (size_t)len < n)
            len += snprintf(text + len, n - (size_t)len, " %s %+.1f", advisor_scorer_name[i], w[i] * m->score[i]);
    if (m->look != 0 && (size_t)len < n) snprintf(text + len, n - (size_t)len, " next %+.1f", c->lookahead * m->look);
}

static err advisor_choose(agent *a, const void *obs, agent_choice *out)
{
    const params *p = a->params;
    const mind *m = a->mind;
    seen s = look(a, obs);
    advice d;
    if (s.legal == 0) return err_set(ERR_USAGE, "the game is over");
    if (strcmp(p->mode, "plus") == 0) {
        int left = (int)p->turns - (int)s.placed;
        advisor_future x = {.next = {s.window[1], s.window[2]},
                            .kind = s.queue->kind,
                            .colours = s.queue->colours,
                            .index = s.placed,
                            .turns = left > 0 ? left : 0};
        err e = advisor_advise_plus(&m->config, s.field, s.window[0], &x, &d);
        if (e != ERR_OK) return e;
    } else {
        advisor_advise(&m->config, s.field, s.window[0], s.window[1], false, &d);
    }
    out->nodes = (uint64_t)d.n;
    // The advisor knows of no vanishing on row 14, and the game may allow less or more than it thinks.
    out->move = (move_t)__builtin_ctz(s.legal);
    for (int i = 0; i < d.n; i++) {
        if ((s.legal >> d.best[i].move & 1) == 0) continue;
        out->move = d.best[i].move;
        say(&d, &m->config, &d.best[i], out->text, sizeof out->text);
        break;
    }
    return ERR_OK;
}

const agent_type agent_puyo_advisor = {
    NAMED("advisor", "puyo puyo-solo", "Builds a GTR; explains each placement"),
    WITH_MIND(opts, params, mind, advisor_open, NULL, NULL),
    .choose = advisor_choose,
};
