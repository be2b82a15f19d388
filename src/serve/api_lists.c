// Lists and single answers: what there is, the machine, the Puyo advisor. See docs/API.md.
#include "app/advise.h"
#include "app/catalogue.h"
#include "base/cpu.h"
#include "base/machine.h"
#include "keiko.h"
#include "learn/trainer.h"
#include "nn/backend.h"
#include "serve/api.h"

#include <stdlib.h>
#include <string.h>

static void put_gpu(json_writer *w)
{
    char why[256] = "";
    json_key(w, "gpu");
    for (int i = 0; i < nn_backend_count(); i++) {
        const nn_backend *b = nn_backend_at(i);
        if (strcmp(b->name, "cpu") == 0 || !b->available(why, sizeof why)) continue;
        json_put_text(w, why);
        return;
    }
    json_put_null(w);
}

void api_machine(api *a, const request *q, reply *r)
{
    (void)q;
    json_writer w = reply_begin(r);
    json_pair_text(&w, "name", "keiko");
    json_pair_text(&w, "version", keiko_version());
    json_pair_text(&w, "build", a->build != NULL ? a->build : "unknown");
    json_pair_int(&w, "api", 1);
    json_pair_int(&w, "cores", cpu_count());
    json_pair_number(&w, "memory", machine_memory());
    json_pair_text(&w, "cpu", cpu_model());
    json_pair_text(&w, "simd", cpu_simd_name(cpu_simd()));
    put_gpu(&w);
    json_pair_bool(&w, "stored", saved_on_disk(a->store));
    json_pair_bool(&w, "page", a->has_page);
    json_pair_text(&w, "data", a->data);
    json_pair_int(&w, "workers", workers_threads(a->searches));
    json_pair_int(&w, "sessions", live_count(a->sessions));
    json_pair_int(&w, "thinking", workers_busy(a->searches));
    json_pair_int(&w, "jobs", jobs_count(a->children));
    json_pair_int(&w, "maxJobs", jobs_most(a->children));
    json_pair_bool(&w, "nats", a->nats != NULL);
    reply_end(r, &w, 200);
}

void api_games(api *a, const request *q, reply *r)
{
    (void)a;
    (void)q;
    json_writer w = reply_begin(r);
    json_key(&w, "items");
    catalogue_games_json(&w);
    reply_end(r, &w, 200);
}

// The query's game; NULL = of all.
static err game_of(const request *q, const game **g)
{
    const char *name = request_query(q, "game");
    *g = NULL;
    if (name == NULL || game_find(name, g) == ERR_OK) return ERR_OK;
    return err_set(ERR_MISSING, "there is no game '%.40s'", name);
}

static void list_of(const request *q, reply *r, void (*put)(json_writer *w, const game *g))
{
    const game *g;
    err e = game_of(q, &g);
    if (e != ERR_OK) {
        reply_err(r, e);
        return;
    }
    json_writer w = reply_begin(r);
    json_key(&w, "items");
    put(&w, g);
    reply_end(r, &w, 200);
}

void api_agents(api *a, const request *q, reply *r)
{
    (void)a;
    list_of(q, r, catalogue_agents_json);
}

void api_levels(api *a, const request *q, reply *r)
{
    (void)a;
    list_of(q, r, catalogue_levels_json);
}

// Every file is read for it, so it is made once.
static err make_models(char **out)
{
    catalogue_model *m = NULL;
    int n = 0;
    text_buf t = {0};
    err e = catalogue_models(false, &m, &n);
    if (e != ERR_OK) return e;
    json_writer w = json_begin(&t, false);
    catalogue_models_json(&w, m, n);
    e = json_finish(&w);
    catalogue_models_free(m, n);
    if (e == ERR_OK) *out = text_take(&t);
    text_free(&t);
    return e;
}

void api_models(api *a, const request *q, reply *r)
{
    (void)q;
    pthread_mutex_lock(&a->lock);
    err e = a->models != NULL ? ERR_OK : make_models(&a->models);
    const char *models = a->models;
    pthread_mutex_unlock(&a->lock);
    if (e != ERR_OK) {
        reply_err(r, e);
        return;
    }
    json_writer w = reply_begin(r);
    json_key(&w, "items");
    json_put_raw(&w, models, strlen(models));
    reply_end(r, &w, 200);
}

void api_options_list(api *a, const request *q, reply *r)
{
    (void)a;
    static const char *const skip_train[] = {"method", NULL}, *const skip_none[] = {NULL};
    const char *what = request_query(q, "what");
    const game *g = NULL;
    const trainer *t = NULL;
    err e = game_of(q, &g);
    bool train = what != NULL && strcmp(what, "train") == 0;
    if (e == ERR_OK && !train && (what == NULL || strcmp(what, "bench") != 0))
        e = err_set(ERR_USAGE, "'what' must be train or bench");
    if (e == ERR_OK && train && g == NULL) e = err_set(ERR_USAGE, "'game' is missing");
    if (e == ERR_OK && train) e = trainer_find(g, NULL, &t);
    if (e != ERR_OK) {
        reply_err(r, e);
        return;
    }
    json_writer w = reply_begin(r);
    json_key(&w, "items");
    if (train)
        catalogue_options_json(&w, t->table->rows, t->table->n, skip_train);
    else
        catalogue_options_json(&w, bench_start_rows, bench_start_n_rows, skip_none);
    reply_end(r, &w, 200);
}

// --- who works on a NATS server

static bool has_nats(api *a, reply *r)
{
    if (a->nats == NULL) reply_refuse(r, 404, "this server follows no workers; start it with --nats URL");
    return a->nats != NULL;
}

void api_workers(api *a, const request *q, reply *r)
{
    (void)q;
    if (!has_nats(a, r)) return;
    json_writer w = reply_begin(r);
    fleet_json(a->nats, &w);
    reply_end(r, &w, 200);
}

void api_workers_events(api *a, const request *q, reply *r)
{
    (void)q;
    if (!has_nats(a, r)) return;
    err e = hub_listen(a->events, FLEET_TOPIC, &r->events, 0);
    if (e == ERR_OK)
        r->status = 200;
    else
        reply_err(r, e);
}

// --- the placement advisor

static err whole(const request_args *a, const char *key, int64_t most, int64_t *out)
{
    const char *text = request_arg(a, key, NULL);
    char *end;
    if (text == NULL) return ERR_OK;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end != 0 || v < 0 || v > most)
        return err_set(ERR_USAGE, "'%s' must be a whole number from 0 to %lld", key, (long long)most);
    *out = v;
    return ERR_OK;
}

void api_advise(api *a, const request *q, reply *r)
{
    (void)a;
    request_args *x = NULL;
    advise_question question;
    advice found;
    int64_t colours = 0, number = 0;
    err e = request_args_read(&x, q, NULL);
    if (e == ERR_OK) e = whole(x, "colours", 5, &colours);
    if (e == ERR_OK) e = whole(x, "index", 1000000, &number);
    if (e == ERR_OK)
        e = advise_read(&(advise_request){.field = request_arg(x, "field", NULL),
                                          .pair = request_arg(x, "pair", NULL),
                                          .next = request_arg(x, "next", NULL),
                                          .mode = request_arg(x, "mode", NULL),
                                          .pairs = request_arg(x, "pairs", NULL),
                                          .turns = request_arg(x, "turns", NULL),
                                          .colours = (int)colours,
                                          .index = number,
                                          .reach = strcmp(request_arg(x, "reach", "no"), "yes") == 0,
                                          .shown = -1},
                        &question);
    if (e == ERR_OK) e = advise_ask(&question, &found);
    if (e == ERR_OK) {
        text_clear(&r->body);
        json_writer w = json_begin(&r->body, false);
        advise_json(&w, &question, &found);
        e = json_finish(&w);
        r->status = 200;
    }
    if (e != ERR_OK) reply_err(r, e);
    request_args_free(x);
}
