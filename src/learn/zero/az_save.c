// Checkpoints of an AlphaZero run, between two rounds: counters, the learner's state, the games in flight, the ratings.
// The replay buffer's files lie beside the checkpoints, since they are never changed; a checkpoint says how many samples
// there were. All chance is keyed, so there is no generator to save.
#include "base/clock.h"
#include "learn/zero/az_inner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATE_VERSION 1

// The counters, once: name in the file, place.
typedef struct counter {
    const char *name;
    uint64_t *at;
} counter;

enum { COUNTERS = 8 };

static void counters_of(az *z, uint64_t *version, counter c[COUNTERS])
{
    c[0] = (counter){"version", version};
    c[1] = (counter){"round", &z->s.round};
    c[2] = (counter){"step", &z->s.step};
    c[3] = (counter){"games", &z->s.games};
    c[4] = (counter){"positions", &z->s.positions};
    c[5] = (counter){"sims", &z->s.sims};
    c[6] = (counter){"drawn", &z->drawn};
    c[7] = (counter){"rated-step", &z->rated_step};
}

static err replay_dir(const az *z, char path[FILE_PATH])
{
    return run_path(z->o.home, "replay", path);
}

err az_save_final(az *z)
{
    char path[FILE_PATH];
    if (z->o.home == NULL) return ERR_OK;
    err e = az_set_note(z);
    if (e == ERR_OK) e = run_path(z->o.home, "final.safetensors", path);
    return e == ERR_OK ? nn_net_save(z->net, path) : e;
}

err az_save(az *z)
{
    if (z->o.home == NULL) return ERR_OK;
    double start = clock_seconds();
    uint64_t version = STATE_VERSION;
    counter c[COUNTERS];
    text_buf state = {0}, learner = {0}, ratings = {0};
    char dir[FILE_PATH], path[FILE_PATH];
    run_save *save = NULL;
    counters_of(z, &version, c);
    for (int i = 0; i < COUNTERS; i++) text_printf(&state, "%s = %" PRIu64 "\n", c[i].name, *c[i].at);
    err e = text_check(&state);
    if (e == ERR_OK) e = z->trains_on->learner_state(z->learner, &learner);
    if (e == ERR_OK) e = az_ratings_write(&z->r, &ratings);
    if (e == ERR_OK && z->o.remote != NULL) {
        text_clear(&z->remote);
        e = z->o.remote->save(z->o.remote->ctx, &z->remote);
    }
    if (e == ERR_OK) e = run_save_begin(z->o.home, (int64_t)z->s.step, &save); // is the folder still there?
    if (e == ERR_OK) e = replay_dir(z, dir);
    // Samples first: a checkpoint without them would be useless, they without a checkpoint are only spare.
    if (e == ERR_OK) e = replay_save(z->buffer, dir, z->kept_oldest);
    if (e == ERR_OK) e = run_save_bytes(save, "state.txt", state.data, state.len);
    if (e == ERR_OK) e = run_save_bytes(save, "learner.safetensors", learner.data, learner.len);
    if (e == ERR_OK) e = run_save_bytes(save, "flight.bin", z->flight.data, z->flight.len);
    if (e == ERR_OK) e = run_save_bytes(save, "ratings.txt", text_str(&ratings), ratings.len);
    if (e == ERR_OK && z->remote.len > 0) e = run_save_bytes(save, "remote.txt", z->remote.data, z->remote.len);
    if (e == ERR_OK) e = run_save_path(save, "net.safetensors", path);
    if (e == ERR_OK) e = az_set_note(z);
    if (e == ERR_OK) e = nn_net_save(z->net, path);
    if (e == ERR_OK) {
        e = run_save_commit(save);
        save = NULL;
    }
    if (save != NULL) run_save_abort(save);
    if (e == ERR_OK) e = az_save_final(z);
    if (e == ERR_OK) z->kept_oldest = replay_oldest(z->buffer);
    if (e == ERR_OK && z->o.remote != NULL) e = z->o.remote->saved(z->o.remote->ctx);
    text_free(&state);
    text_free(&learner);
    text_free(&ratings);
    z->save_at = clock_seconds();
    z->s.seconds_save += z->save_at - start;
    z->save_cost = z->save_at - start;
    return e;
}

// --- back

static err read_file(const run_point *p, const char *name, char **data, size_t *size)
{
    char path[FILE_PATH];
    err e = run_point_path(p, name, path);
    return e == ERR_OK ? file_read(path, (size_t)1 << 34, data, size) : e;
}

static err read_state(az *z, const run_point *p)
{
    char *text;
    size_t size;
    uint64_t version = 0;
    counter c[COUNTERS];
    err e = read_file(p, "state.txt", &text, &size);
    if (e != ERR_OK) return e;
    counters_of(z, &version, c);
    for (int i = 0; i < COUNTERS && e == ERR_OK; i++) {
        char value[64], *end = NULL;
        if (eval_note(text, c[i].name, value, sizeof value)) *c[i].at = strtoull(value, &end, 10);
        if (end == NULL || *end != 0)
            e = err_set(ERR_PARSE, "%s/state.txt: '%s' is missing or no number", p->dir, c[i].name);
    }
    if (e == ERR_OK && version != STATE_VERSION)
        e = err_set(ERR_PARSE, "%s was written by another version of keiko (format %" PRIu64 ")", p->dir, version);
    free(text);
    return e;
}

// Kept also by a start without workers elsewhere: a later one with them must know what was counted.
static err read_remote(az *z, const run_point *p)
{
    char *data = NULL;
    size_t size = 0;
    err e = read_file(p, "remote.txt", &data, &size);
    if (e == ERR_MISSING) return ERR_OK;
    if (e == ERR_OK) {
        text_clear(&z->remote);
        text_append_n(&z->remote, data, size);
        e = text_check(&z->remote);
    }
    free(data);
    return e;
}

static err read_parts(az *z, const run_point *p)
{
    char *data = NULL, path[FILE_PATH], dir[FILE_PATH];
    size_t size;
    nn_net *net = NULL;
    err e = read_file(p, "learner.safetensors", &data, &size);
    if (e == ERR_OK) e = z->trains_on->learner_restore(z->learner, data, size);
    free(data);
    data = NULL;
    if (e == ERR_OK) e = read_file(p, "flight.bin", &data, &size);
    if (e == ERR_OK) e = selfplay_load(z->play, data, size);
    if (e == ERR_OK) {
        text_clear(&z->flight);
        text_append_n(&z->flight, data, size);
        e = text_check(&z->flight);
    }
    free(data);
    data = NULL;
    if (e == ERR_OK) e = read_file(p, "ratings.txt", &data, &size);
    if (e == ERR_OK) e = az_ratings_read(&z->r, z->g, data, size);
    free(data);
    data = NULL;
    if (e == ERR_OK) e = read_remote(z, p);
    if (e == ERR_OK) e = run_point_path(p, "net.safetensors", path);
    if (e == ERR_OK) e = nn_net_load(&net, path);
    if (e == ERR_OK && !nn_desc_equal(&net->desc, &z->net->desc))
        e = err_set(ERR_USAGE, "the run's network is not the one the options describe (--net)");
    if (e == ERR_OK) {
        memcpy(z->net->w, net->w, z->net->at.n_all * sizeof *net->w);
        e = evaluator_update(z->evaluator, z->net);
    }
    nn_net_free(net);
    if (e == ERR_OK) e = replay_dir(z, dir);
    return e == ERR_OK ? replay_load(z->buffer, dir, z->s.positions) : e;
}

err az_resume(az *z)
{
    const run_point *p = z->o.home != NULL ? run_resumed(z->o.home) : NULL;
    if (p == NULL) return ERR_OK;
    err e = read_state(z, p);
    z->s.updates = z->s.step;
    if (e == ERR_OK) e = read_parts(z, p);
    if (e == ERR_OK) z->kept_oldest = replay_oldest(z->buffer);
    return err_prefix(e, "cannot resume from %s", p->dir);
}
