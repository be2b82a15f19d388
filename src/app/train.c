// See train.h.
#include "app/train.h"

#include "app/plugin.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS = 8 };

typedef struct method_seen {
    char name[32];
} method_seen;

static void see_method(void *ctx, const char *key, const char *value)
{
    method_seen *m = ctx;
    if (strcmp(key, "method") == 0 || strcmp(key, "algo") == 0) snprintf(m->name, sizeof m->name, "%s", value);
}

// Options differ between trainers, so which one it is must be known before they are read.
static err find_trainer(const train_request *q, const trainer **out)
{
    method_seen seen = {""};
    err e = ERR_OK;
    for (int i = 0; i < q->n_layers && e == ERR_OK; i++)
        if (q->layers[i].text != NULL)
            e = opt_config_each(q->layers[i].name, q->layers[i].text, strlen(q->layers[i].text), see_method, &seen);
    if (e != ERR_OK) return e;
    return trainer_find(q->g, q->method != NULL ? q->method : seen.name[0] != 0 ? seen.name : NULL, out);
}

static err resume_config(const train_request *q, const trainer *t, void *config, opt_values *keep)
{
    config_layer layers[LAYERS];
    char preset[64];
    int n = 0;
    if (q->preset != NULL) {
        snprintf(preset, sizeof preset, "preset = \"%.40s\"\n", q->preset);
        layers[n++] = (config_layer){"preset", preset};
    }
    for (int i = 0; i < q->n_layers && n < LAYERS; i++) layers[n++] = q->layers[i];
    return train_config_resume(t->table, config, q->run, layers, n, keep);
}

static err make_config(const train_request *q, const trainer *t, void *config, opt_values *keep)
{
    char path[FILE_PATH];
    if (q->resume) {
        if (q->run == NULL) return err_set(ERR_USAGE, "resume needs the run's folder");
        err e = run_is_of(q->run, q->g->name, t->name); // another's options would be called unknown
        if (e == ERR_OK) e = file_join(path, sizeof path, q->run, "config.txt");
        if (e != ERR_OK) return e;
        // A run killed in its first moment may have none yet: then it has nothing but what is asked for now.
        if (file_exists(path)) return resume_config(q, t, config, keep);
    }
    return t->make(config, q->g, q->preset, q->layers, q->n_layers, keep);
}

static err train_in(const train_request *q, run_home *home, const void *config, train_result *out)
{
    const trainer *t = out->t;
    nn_net *net = NULL;
    dist_learner *far = NULL;
    train_remote remote;
    double start = clock_seconds();
    train_options o = {.g = q->g, .home = home, .each = q->each, .ctx = q->ctx};
    err e = q->dist != NULL ? dist_learner_open(&far, q->dist, q->run, q->g->name) : ERR_OK;
    if (far != NULL) {
        remote = dist_learner_remote(far);
        o.remote = &remote;
    }
    if (e == ERR_OK) e = t->train(&o, config, &out->s, q->model != NULL ? &net : NULL, &out->how);
    dist_learner_close(far);
    if (e == ERR_OK)
        e = RUN_LOG(home, "done", (int64_t)out->s.step, RUN_T("why", out->how == TRAIN_STOPPED ? "stopped" : "limit"));
    out->seconds = home != NULL ? run_seconds(home) : clock_seconds() - start;
    if (e == ERR_OK && q->model != NULL) e = nn_net_save(net, q->model);
    nn_net_free(net);
    return e;
}

static err train_with(const train_request *q, const void *config, train_result *out)
{
    const trainer *t = out->t;
    run_home *home = NULL;
    if (q->dist != NULL && (q->run == NULL || strcmp(t->name, "zero") != 0))
        return err_set(ERR_USAGE, "workers elsewhere (--nats) need a run's folder and the method zero");
    if (!train_config_limited(t->table, config))
        return err_set(ERR_USAGE, "say how long to train: --minutes, --steps or --games");
    const train_remote far = {0}; // says only that there will be one
    train_options trial = {.g = q->g, .remote = q->dist != NULL ? &far : NULL};
    // A run that goes on is checked when its checkpoint is known, which has the weights that --init named.
    err e = q->resume ? ERR_OK : t->check(&trial, config);
    if (e == ERR_OK && q->dist != NULL && !q->resume) e = dist_learner_check(q->dist);
    if (e == ERR_OK && q->run != NULL)
        e = run_open(&home, &(run_options){.dir = q->run,
                                           .game = q->g->name,
                                           .algo = t->name,
                                           .version = q->version,
                                           .library = plugin_of(q->g),
                                           .resume = q->resume,
                                           .opts = t->table->rows,
                                           .n_opts = t->table->n,
                                           .values = config,
                                           .skip = t->table->machine,
                                           .log = q->log});
    trial.home = home;
    if (e == ERR_OK && q->resume) e = t->check(&trial, config);
    if (e == ERR_OK) e = train_in(q, home, config, out);
    run_close(home);
    return e;
}

err train_run(const train_request *q, train_result *out)
{
    void *config = NULL;
    opt_values *keep = opt_keep();
    *out = (train_result){0};
    err e = keep != NULL ? find_trainer(q, &out->t) : err_set(ERR_MEMORY, "no memory for options");
    if (e == ERR_OK && (config = calloc(1, out->t->table->size)) == NULL)
        e = err_set(ERR_MEMORY, "no memory for options");
    if (e == ERR_OK) e = make_config(q, out->t, config, keep);
    if (e == ERR_OK) e = train_with(q, config, out);
    free(config);
    opt_free(keep);
    return e;
}
