// See member.h.
#include "dist/member.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/rng.h"
#include "learn/trainer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LOOK_EVERY 10.0 // seconds, in case a news message was lost
#define LEAVE      2.0  // seconds for the games of a run that is gone: its stream may be there yet

void member_close(member *m)
{
    if (!m->open) return;
    if (m->seconds > 0) log_info("%" PRIu64 " games for run %s in %.2f s of play", m->to.counter, m->run, m->seconds);
    selfplay_free(m->play);
    evaluator_free(m->ev);
    samples_shape_free(&m->sh);
    opt_free(m->keep);
    run_entry_free(&m->entry);
    m->play = NULL;
    m->ev = NULL;
    m->keep = NULL;
    m->seconds = 0;
    m->open = false;
}

// The run is gone. Its last games have nowhere to go, and must not hold up those of other runs.
static void leave(member *m, sender *s, const char *why)
{
    size_t left = sender_leave(s, &m->to, LEAVE);
    if (left > 0) log_warn("run %s %s; %zu finished games are dropped", m->run, why, left);
    member_close(m);
}

static err read_config(member *m, const run_entry *e, const dist_worker_options *o)
{
    const trainer *t;
    err r = game_find(e->game, &m->g);
    if (r == ERR_OK) r = trainer_find(m->g, "zero", &t);
    if (r == ERR_OK && (m->keep = opt_keep()) == NULL) r = err_set(ERR_MEMORY, "no memory for options");
    memset(&m->c, 0, sizeof m->c);
    if (r == ERR_OK) r = opt_defaults(az_opts, az_n_opts, &m->c);
    if (r == ERR_OK) r = opt_config_text(az_opts, az_n_opts, &m->c, e->run, e->config, strlen(e->config), m->keep);
    if (r != ERR_OK) return r;
    m->c.async = false; // nobody learns here: Ctrl-C may end a round at once
    if (o->in_flight > 0) m->c.in_flight = o->in_flight;
    return ERR_OK;
}

static err make_parts(member *m, const nn_net *net, const dist_worker_options *o)
{
    const encoding *enc = NULL;
    const nn_backend *on = NULL;
    int threads = o->threads > 0 ? (int)o->threads : cpu_count();
    err r = game_encoding(m->g, m->c.encoding, &enc);
    if (r == ERR_OK) r = eval_fit(m->g, net, enc->name, &enc);
    if (r == ERR_OK) r = nn_backend_find(o->backend != NULL && *o->backend ? o->backend : "auto", &on);
    if (r == ERR_OK) r = samples_shape_make(&m->sh, m->g, enc);
    if (r == ERR_OK) r = samples_shape_more(&m->sh, m->c.ownership > 0, m->c.reply > 0);
    if (r != ERR_OK) return r;
    bool gpu = on != &nn_backend_cpu;
    int64_t per = m->c.per_call > 0 ? m->c.per_call : gpu ? (m->c.in_flight + threads - 1) / threads : 16;
    eval_options eo = {.backend = on->name,
                       .encoding = enc->name,
                       .precision = m->c.precision,
                       .max_batch = (int)(per * m->c.tree.leaves < 8192 ? per * m->c.tree.leaves : 8192),
                       .cache = (size_t)m->c.cache << 20};
    m->backend = on->name;
    m->desc = net->desc;
    // Everything random is keyed by the incarnation: no two workers play the same games.
    uint64_t seed = rng_mix((uint64_t)m->c.common.seed ^ m->to.incarnation);
    r = selfplay_new(&m->play, &m->sh, &m->c, seed, threads, gpu);
    return r == ERR_OK ? evaluator_new(&m->ev, m->g, net, &eo) : r;
}

static err join(member *m, run_entry *e, const nn_net *net, const dist_worker_options *o, const char *worker)
{
    m->open = true; // so that member_close tidies up
    err r = dist_draw(&m->to.incarnation);
    if (r == ERR_OK) r = read_config(m, e, o);
    if (r == ERR_OK) r = make_parts(m, net, o);
    if (r != ERR_OK) {
        member_close(m);
        return err_prefix(r, "run %s", e->run);
    }
    m->to.sh = &m->sh;
    m->to.number = e->number;
    m->to.counter = 0;
    memcpy(m->to.run, e->run, sizeof m->to.run);
    snprintf(m->to.worker, sizeof m->to.worker, "%.31s", worker);
    m->entry = *e;
    *e = (run_entry){0};
    log_info("plays for run %s (%s) with weights of generation %" PRIu64, m->run, m->g->name, m->entry.generation);
    return ERR_OK;
}

static err swap_weights(member *m, run_entry *e, const nn_net *net)
{
    if (!nn_desc_equal(&net->desc, &m->desc))
        return err_set(ERR_PARSE, "run %s: generation %" PRIu64 " is of another network", m->run, e->generation);
    err r = evaluator_update(m->ev, net);
    if (r != ERR_OK) return r;
    run_entry_free(&m->entry);
    m->entry = *e;
    *e = (run_entry){0};
    return ERR_OK;
}

// New weights, or a run that is new to us.
static err take_entry(member *m, run_entry *e, bus *b, sender *s, const dist_worker_options *o, const char *worker)
{
    text_buf bytes = {0};
    nn_net *net = NULL;
    err r = ERR_OK;
    if (m->open && e->number != m->entry.number) leave(m, s, "was begun anew"); // removed before
    if (r == ERR_OK) r = run_entry_fits(e, o->version != NULL ? o->version : "");
    if (r == ERR_OK) r = weights_get(b, e, &bytes);
    if (r == ERR_OK) r = nn_net_from_bytes(&net, bytes.data, bytes.len);
    if (r == ERR_OK) r = m->open ? swap_weights(m, e, net) : join(m, e, net, o, worker);
    nn_net_free(net);
    text_free(&bytes);
    return r;
}

err member_refresh(member *m, bus *b, sender *s, const dist_worker_options *o, const char *worker, bool *usable)
{
    run_entry e = {0};
    bool found = false;
    double now = clock_seconds();
    err r = ERR_OK;
    if (m->look || now - m->looked_at > LOOK_EVERY) {
        m->look = false;
        m->looked_at = now;
        r = run_entry_get(&e, b, m->run, &found);
        bool fresh = found && (!m->open || e.number != m->entry.number || e.generation != m->entry.generation);
        bool known = found && m->refused && e.generation == m->refusal;
        if (r == ERR_OK && fresh && !known) {
            uint64_t generation = e.generation;
            r = take_entry(m, &e, b, s, o, worker);
            m->refused = r == ERR_USAGE;
            m->refusal = generation;
            if (r == ERR_OK) log_debug("run %s: weights of generation %" PRIu64, m->run, generation);
        }
        if (r != ERR_OK) log_warn("%s", err_text());
        if (r == ERR_MISSING || r == ERR_PARSE) m->look = true; // the next generation may have come meanwhile
        if (r == ERR_OK && !found && m->open) {
            log_warn("run %s is not on the server any more", m->run);
            leave(m, s, "is gone");
        }
        run_entry_free(&e);
    }
    *usable = m->open && sender_ready(s, &m->to);
    return r == ERR_MEMORY ? r : ERR_OK;
}

typedef struct put_to {
    member *m;
    sender *s;
} put_to;

static err put(void *ctx, finished_game *g)
{
    put_to *p = ctx;
    return sender_put(p->s, &p->m->to, p->m->entry.generation, g);
}

err member_round(member *m, sender *s, selfplay_stats *st)
{
    put_to p = {m, s};
    double begun = clock_seconds();
    err r = selfplay_round(m->play, m->ev, m->entry.step, NULL, &(game_sink){put, &p}, st);
    double took = clock_seconds() - begun;
    m->seconds += took;
    m->spent += took / m->share;
    return r;
}
