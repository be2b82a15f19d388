// Checkpoints of DQN training: the learner's own files, the copies of it, the matches under way and the counters. See
// dqn_train.h; what is stored is enough to continue as if nothing had happened.
#include "learn/dqn/dqn_train_inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0x6b65696b6f44514eu

static void note_lanes(training *t)
{
    for (int i = 0; i < t->actors.lanes; i++) {
        dqn_lane *l = &t->lane[i];
        l->reward = t->actors.view.reward[i];
        for (int s = 0; s < 2; s++) {
            l->player[s] = t->actors.player[i][s];
            l->fresh[s] = t->actors.fresh[i][s];
            l->turns[s] = t->actors.agents[i][s] != NULL ? t->actors.agents[i][s]->turn : 0;
        }
    }
}

static err save_matches(training *t, run_save *s)
{
    text_buf all = {0};
    for (int i = 0; i < t->actors.lanes; i++) {
        size_t size;
        const void *bytes = t->type->lane(t->actors.env, i, &size);
        text_append_n(&all, bytes, size);
    }
    err e = text_check(&all);
    if (e == ERR_OK) e = run_save_bytes(s, "matches.bin", all.data, all.len);
    text_free(&all);
    return e;
}

static err save_copies(training *t, run_save *s)
{
    err e = ERR_OK;
    for (int i = 0; i < DQN_COPIES && e == ERR_OK; i++) {
        char name[32], path[FILE_PATH];
        if (t->copy[i].net == NULL) continue;
        snprintf(name, sizeof name, "copy%d.safetensors", i);
        e = run_save_path(s, name, path);
        if (e == ERR_OK) e = nn_net_save(t->copy[i].net, path);
    }
    return e;
}

// The newest weights for people and agents, with a note of how they came about.
static err save_model(training *t, const char *path)
{
    nn_net *net = NULL;
    err e = dqn_net_like(t->d, &net);
    if (e == ERR_OK) e = dqn_weights(t->d, net);
    if (e == ERR_OK) e = nn_net_set_note(net, text_str(&t->note));
    if (e == ERR_OK) e = nn_net_save(net, path);
    nn_net_free(net);
    return e;
}

err store_save(training *t)
{
    run_save *s = NULL;
    char path[FILE_PATH];
    if (t->r == NULL) return ERR_OK;
    note_lanes(t);
    t->c.magic = MAGIC;
    t->c.lanes = (uint32_t)t->actors.lanes;
    t->c.tick = t->actors.tick;
    t->c.saved_at = t->c.episodes;
    err e = run_save_begin(t->r, (int64_t)t->c.steps, &s);
    if (e != ERR_OK) return e;
    e = dqn_save(t->d, s);
    if (e == ERR_OK) e = save_matches(t, s);
    if (e == ERR_OK) e = save_copies(t, s);
    if (e == ERR_OK) e = run_save_bytes(s, "lanes.bin", t->lane, (size_t)t->actors.lanes * sizeof *t->lane);
    if (e == ERR_OK) e = run_save_bytes(s, "counters.bin", &t->c, sizeof t->c);
    if (e == ERR_OK) e = run_save_path(s, "model.safetensors", path);
    if (e == ERR_OK) e = save_model(t, path);
    if (e == ERR_OK)
        e = run_save_commit(s);
    else
        run_save_abort(s);
    if (e == ERR_OK) e = run_path(t->r, "final.safetensors", path);
    if (e == ERR_OK) e = save_model(t, path);
    t->saved = training_seconds(t);
    return e;
}

static err restore_matches(training *t, const run_point *from)
{
    size_t one;
    t->type->lane(t->actors.env, 0, &one);
    size_t n = (size_t)t->actors.lanes;
    char *all = malloc(n * one);
    if (all == NULL) return err_set(ERR_MEMORY, "no memory for the stored matches");
    err e = dqn_load_exact(from, "matches.bin", all, n * one);
    for (int i = 0; e == ERR_OK && i < t->actors.lanes; i++)
        memcpy(t->type->lane(t->actors.env, i, &one), all + (size_t)i * one, one);
    free(all);
    return e;
}

static err restore_copies(training *t, const run_point *from)
{
    err e = ERR_OK;
    for (int i = 0; i < DQN_COPIES && e == ERR_OK; i++) {
        char name[32], path[FILE_PATH];
        nn_net *net = NULL;
        snprintf(name, sizeof name, "copy%d.safetensors", i);
        e = run_point_path(from, name, path);
        if (e != ERR_OK || !file_exists(path)) continue;
        e = nn_net_load(&net, path);
        if (e == ERR_OK && !nn_desc_equal(&net->desc, &t->copy[0].net->desc))
            e = err_set(ERR_USAGE, "%s holds another network than this run's", path);
        if (e == ERR_OK) e = seats_set_copy(t, i, net);
        nn_net_free(net);
    }
    return e;
}

// Puts the seats back: agents are opened anew and told how far their match is.
static err restore_seats(training *t)
{
    err e = ERR_OK;
    for (int i = 0; i < t->actors.lanes && e == ERR_OK; i++) {
        dqn_lane *l = &t->lane[i];
        dqn_lane kept = *l;
        e = seats_begin(t, i);
        *l = kept;
        t->actors.view.reward[i] = l->reward;
        for (int s = 0; s < 2 && e == ERR_OK; s++) {
            t->actors.player[i][s] = l->player[s];
            t->actors.fresh[i][s] = l->fresh[s];
            agent *a = t->actors.agents[i][s];
            if (l->player[s] != ACTOR_AGENT || a == NULL || l->fresh[s]) continue;
            char obs[4096];
            game_key key;
            t->type->observe(t->actors.env, i, obs, &key);
            agent_begin(a, key, s);
            a->turn = l->turns[s];
        }
    }
    return e;
}

err store_restore(training *t, const run_point *from)
{
    dqn_counters c;
    err e = dqn_load_exact(from, "counters.bin", &c, sizeof c);
    if (e == ERR_OK && (c.magic != MAGIC || c.lanes != (uint32_t)t->actors.lanes || c.phase >= DQN_PHASES))
        e = err_set(ERR_USAGE, "%s: the checkpoint has %u matches at once, this run %d: resume with the same settings",
                    from->dir, c.lanes, t->actors.lanes);
    if (e == ERR_OK) t->c = c;
    if (e == ERR_OK) e = dqn_restore(t->d, from);
    if (e == ERR_OK) e = restore_copies(t, from);
    if (e == ERR_OK) e = restore_matches(t, from);
    if (e == ERR_OK) e = dqn_load_exact(from, "lanes.bin", t->lane, (size_t)t->actors.lanes * sizeof *t->lane);
    if (e == ERR_OK) t->type->show(t->actors.env, 0, t->actors.lanes, &t->actors.view);
    if (e == ERR_OK) e = restore_seats(t);
    t->actors.tick = t->c.tick;
    return e;
}
