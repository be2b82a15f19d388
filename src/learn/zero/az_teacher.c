// Distillation (--teacher): somebody who is already strong plays the games, and a network learns from that.
//
// Where it is a network, the games are made exactly as in self-play; only the evaluator is the teacher's, with its own encoding
// and its weights for ever. An agent plays them itself (selfplay_taught_by). Samples are encoded for the network that learns
// (samples_shape), so nothing else needs to know of the teacher.
#include "agents/agent.h"
#include "base/file.h"
#include "learn/zero/az_inner.h"

#include <stdio.h>
#include <string.h>

evaluator *az_player(const az *z)
{
    return z->teacher != NULL ? z->teacher : z->evaluator;
}

static bool knows_margin(const nn_desc *d)
{
    for (int i = 0; i < d->n_heads; i++)
        if (d->head[i].kind == NN_SCALAR) return true;
    return false;
}

err az_check_margin(const az_config *c, const game *g, const nn_desc *d)
{
    if (c->margin <= 0) return ERR_OK;
    if (g->margin == NULL)
        return err_set(ERR_USAGE, "--margin plays for the margin, and %s has none: leave it out", g->name);
    if (*c->teacher != 0 || knows_margin(d)) return ERR_OK; // a teacher is asked when it is loaded
    return err_set(ERR_USAGE,
                   "--margin needs a network that learns the margin: a --net with a scalar head, as scalar=4:64:1");
}

static err check_options(const az *z)
{
    if (z->o.remote != NULL)
        return err_set(ERR_USAGE, "--teacher: workers elsewhere (--nats) play with the network that is learned, so the "
                                  "teacher must play here; leave one of the two out");
    if (z->c->gate)
        return err_set(ERR_USAGE, "--gate chooses the weights that self-play uses, and with --teacher these are the "
                                  "teacher's: leave one of the two out");
    return ERR_OK;
}

static err check_knows(const az *z, const nn_net *net)
{
    if (z->c->margin > 0 && !knows_margin(&net->desc))
        return err_set(ERR_USAGE,
                       "--margin needs a teacher that knows the margin, and %s has no scalar head: use "
                       "--margin 0",
                       z->c->teacher);
    return ERR_OK;
}

err az_teacher_make(az *z, const eval_options *o)
{
    nn_net *net = NULL;
    const encoding *enc;
    const char *who = z->c->teacher;
    char no_agent[512];
    if (*who == 0) return ERR_OK;
    err e = check_options(z);
    if (e != ERR_OK) return e;
    e = agent_check(z->g, who);
    if (e == ERR_OK) {
        if (z->c->evaluations > 0)
            return err_set(ERR_USAGE,
                           "--evaluations counts simulations, and the games of --teacher %s have none: use "
                           "--games, --steps or --minutes",
                           who);
        bool margins = z->g->margin != NULL && knows_margin(&z->net->desc);
        e = selfplay_taught_by(z->play, who, z->n_threads, margins);
        return e == ERR_OK ? ERR_OK : err_prefix(e, "--teacher %s", who);
    }
    snprintf(no_agent, sizeof no_agent, "%s", err_text());
    if (strchr(who, ':') != NULL && !file_exists(who)) return err_prefix(e, "--teacher");
    e = az_named_net(z->g, "teacher", who, &net, &enc);
    if (e == ERR_MISSING && strpbrk(who, "/.") == NULL) // a name, not a file
        return err_set(ERR_USAGE, "--teacher %s: there is no such network, and %s", who, no_agent);
    if (e == ERR_OK) e = check_knows(z, net);
    if (e == ERR_OK) {
        eval_options own = *o;
        own.encoding = enc->name;
        e = evaluator_new(&z->teacher, z->g, net, &own);
    }
    nn_net_free(net);
    return e;
}
