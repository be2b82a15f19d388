// See trainer.h. Adding a way to train is one row here.
#include "learn/trainer.h"

#include "learn/distil/distil.h"
#include "learn/dqn/dqn_train.h"
#include "learn/zero/az.h"

#include <string.h>

static err zero_fits(const game *g)
{
    if (!(g->flags & (G_HIDDEN | G_CHANCE)) && g->n_seats == 2) return ERR_OK;
    return err_set(ERR_USAGE, "zero cannot train %s: AlphaZero needs two players who see everything", g->name);
}

static err zero_make(void *config, const game *g, const char *preset, const config_layer *layers, int n,
                     opt_values *keep)
{
    return az_config_make(config, g, preset, layers, n, keep);
}

static err zero_check(const train_options *o, const void *config)
{
    return az_check(o, config);
}

static err zero_train(const train_options *o, const void *config, train_state *out, nn_net **net, train_end *how)
{
    return az_train(o, config, out, net, how);
}

static err dqn_fits_game(const game *g)
{
    if (dqn_env_of(g) != NULL) return ERR_OK;
    return err_set(ERR_USAGE, "dqn cannot train %s: it trains %s", g->name, dqn_env_puyo.name);
}

static err dqn_make(void *config, const game *g, const char *preset, const config_layer *layers, int n,
                    opt_values *keep)
{
    return dqn_config_make(config, g, preset, layers, n, keep);
}

static err dqn_check_config(const train_options *o, const void *config)
{
    return dqn_check(o, config);
}

static err dqn_train_config(const train_options *o, const void *config, train_state *out, nn_net **net, train_end *how)
{
    return dqn_train(o, config, out, net, how);
}

static err distil_make(void *config, const game *g, const char *preset, const config_layer *layers, int n,
                       opt_values *keep)
{
    return distil_config_make(config, g, preset, layers, n, keep);
}

static err distil_check_config(const train_options *o, const void *config)
{
    return distil_check(o, config);
}

static err distil_train_config(const train_options *o, const void *config, train_state *out, nn_net **net,
                               train_end *how)
{
    return distil_train(o, config, out, net, how);
}

static const trainer trainers[] = {
    {"zero", "AlphaZero: self-play with tree search", "zero", &az_table, zero_fits, zero_make, zero_check, zero_train},
    {"dqn", "deep Q-learning by self-play", "dqn", &dqn_table, dqn_fits_game, dqn_make, dqn_check_config,
     dqn_train_config},
    {"distil", "distillation: values placements as a beam search does", "afterstate", &distil_table, distil_fits,
     distil_make, distil_check_config, distil_train_config},
};

int trainer_count(void)
{
    return (int)(sizeof trainers / sizeof *trainers);
}

const trainer *trainer_at(int i)
{
    return &trainers[i];
}

err trainer_find(const game *g, const char *method, const trainer **out)
{
    for (int i = 0; i < trainer_count(); i++) {
        const trainer *t = &trainers[i];
        if (method != NULL && strcmp(method, t->name) != 0) continue;
        *out = t;
        err e = t->fits(g);
        if (e == ERR_OK || method != NULL) return e;
    }
    if (method != NULL) return err_set(ERR_USAGE, "there is no training method '%s': zero, dqn or distil", method);
    return err_set(ERR_USAGE,
                   "no method can train %s: zero needs two players who see everything, dqn trains %s, distil puyo-solo",
                   g->name, dqn_env_puyo.name);
}
