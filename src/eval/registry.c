// Evaluators of files, shared within the process: a hundred games of one agent need its weights once.
//
// They are found by game, file and options. A file replaced meanwhile is not looked at again while somebody holds the old
// one; whoever opens it after everybody has let go reads it anew.
#include "base/file.h"
#include "base/models.h"
#include "eval/eval_inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static evaluator *registry;

static err load(evaluator **out, const game *g, const char *path, const eval_options *o)
{
    nn_net *net = NULL;
    err r = nn_net_load(&net, path);
    if (r == ERR_OK) r = err_prefix(evaluator_new(out, g, net, o), "%s", path);
    nn_net_free(net);
    return r;
}

err evaluator_open(evaluator **out, const game *g, const char *file, const eval_options *o)
{
    char path[FILE_PATH], name[FILE_PATH + 256];
    err r = models_network(file, path, sizeof path);
    if (r != ERR_OK) return r;
    snprintf(name, sizeof name, "%s|%s|%s|%s|%s|%d|%d|%zu|%d|%g", g->name, path, o->backend ? o->backend : "",
             o->encoding ? o->encoding : "", o->precision ? o->precision : "", o->max_batch, o->lanes, o->cache,
             o->queue, o->queue_wait);
    pthread_mutex_lock(&registry_lock);
    evaluator *e = registry;
    while (e != NULL && strcmp(e->name, name) != 0) e = e->next;
    if (e == NULL) {
        r = load(&e, g, path, o);
        if (r == ERR_OK && (e->name = strdup(name)) == NULL) {
            evaluator_free(e);
            r = err_set(ERR_MEMORY, "no memory for an evaluator's name");
        }
        if (r == ERR_OK) {
            e->next = registry;
            registry = e;
        }
    }
    if (r == ERR_OK) {
        e->refs++;
        e->users++;
        *out = e;
    }
    pthread_mutex_unlock(&registry_lock);
    return r;
}

void evaluator_release(evaluator *e)
{
    if (e == NULL) return;
    pthread_mutex_lock(&registry_lock);
    e->users--;
    bool last = --e->refs == 0;
    if (last) {
        evaluator **p = &registry;
        while (*p != e) p = &(*p)->next;
        *p = e->next;
    }
    pthread_mutex_unlock(&registry_lock);
    if (last) evaluator_free(e);
}
