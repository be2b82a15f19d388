// Many positions at once through the public API: encodings, evaluators, environments. See include/keiko.h.
#include "api/api.h"
#include "app/env.h"
#include "app/evaluate.h"

#include <stdlib.h>

// --- encodings

int keiko_game_encodings(const keiko_game *g)
{
    return api_game(g)->n_encodings;
}

const char *keiko_game_encoding(const keiko_game *g, int i)
{
    return i >= 0 && i < api_game(g)->n_encodings ? api_game(g)->encodings[i].name : NULL;
}

int keiko_game_shape(const keiko_game *g, const char *name, keiko_shape *out)
{
    const encoding *e;
    err r = game_encoding(api_game(g), name, &e);
    if (r == ERR_OK) *out = (keiko_shape){e->planes, e->scalars, api_game(g)->rows, api_game(g)->cols};
    return (int)r;
}

int keiko_game_plane_name(const keiko_game *g, const char *name, int i, char *buf, size_t n)
{
    const encoding *e;
    if (n > 0) buf[0] = 0;
    return game_encoding(api_game(g), name, &e) == ERR_OK ? game_plane_name(e, i, buf, n) : 0;
}

static err check_one_game(const keiko_position *const *p, int n, const game *g)
{
    for (int i = 0; i < n; i++)
        if (p[i]->g != g) return err_set(ERR_USAGE, "position %d is of %s, not of %s", i, p[i]->g->name, g->name);
    return ERR_OK;
}

int keiko_encode(const keiko_position *const *p, int n, const char *name, float *planes)
{
    const encoding *e;
    if (n <= 0) return 0;
    const game *g = p[0]->g;
    err r = game_encoding(g, name, &e);
    if (r == ERR_OK) r = check_one_game(p, n, g);
    if (r != ERR_OK) return (int)r;
    size_t all = (size_t)(g->rows * g->cols) * (size_t)(e->planes + e->scalars);
    uint64_t *bits = malloc((size_t)game_plane_words(g) * (size_t)e->planes * sizeof *bits);
    float *scalars = malloc(((size_t)e->scalars + 1) * sizeof *scalars);
    if (bits == NULL || scalars == NULL) r = err_set(ERR_MEMORY, "no memory to encode");
    for (int i = 0; r == ERR_OK && i < n; i++) {
        const void *obs = p[i]->obs;
        game_observe(g, p[i]->state, g->seat(p[i]->state), p[i]->obs);
        e->encode(&obs, 1, bits, scalars);
        game_unpack(g, e, bits, scalars, planes + (size_t)i * all);
    }
    free(bits);
    free(scalars);
    return (int)r;
}

// --- evaluators

struct keiko_evaluator {
    evaluator *e;
    const game *g;
};

int keiko_evaluator_open(const keiko_game *g, const char *model, const keiko_evaluator_options *o,
                         keiko_evaluator **out)
{
    keiko_evaluator_options all = {0};
    err r = o == NULL ? ERR_OK : api_options(&all, sizeof all, o, "keiko_evaluator_options");
    if (r != ERR_OK) return (int)r;
    keiko_evaluator *e = malloc(sizeof *e);
    if (e == NULL) return (int)err_set(ERR_MEMORY, "no memory for an evaluator");
    e->g = api_game(g);
    r = evaluator_open(
        &e->e, e->g, model,
        &(eval_options){
            .backend = all.backend, .encoding = all.encoding, .precision = all.precision, .max_batch = all.max_batch});
    if (r == ERR_OK)
        *out = e;
    else
        free(e);
    return (int)r;
}

int keiko_evaluate(keiko_evaluator *e, const keiko_position *const *p, int n, float *values, float *policy)
{
    if (n <= 0) return 0;
    err r = check_one_game(p, n, e->g);
    if (r != ERR_OK) return (int)r;
    const void **states = malloc((size_t)n * sizeof *states);
    if (states == NULL) return (int)err_set(ERR_MEMORY, "no memory for %d positions", n);
    for (int i = 0; i < n; i++) states[i] = p[i]->state;
    r = evaluate_states(e->e, e->g, states, n, values, policy);
    free(states);
    return (int)r;
}

void keiko_evaluator_close(keiko_evaluator *e)
{
    if (e == NULL) return;
    evaluator_release(e->e);
    free(e);
}

// --- environments

static env *env_of(keiko_env *e)
{
    return (env *)(void *)e;
}

int keiko_env_open(const keiko_env_options *options, const keiko_env_buffers *buffers, keiko_env **out)
{
    keiko_env_options o;
    keiko_env_buffers b;
    env *e;
    err r = api_options(&o, sizeof o, options, "keiko_env_options");
    if (r == ERR_OK) r = api_options(&b, sizeof b, buffers, "keiko_env_buffers");
    if (r == ERR_OK && o.game == NULL) r = err_set(ERR_USAGE, "keiko_env_options name no game");
    if (r != ERR_OK) return (int)r;
    r = env_open(&e,
                 &(env_setup){.g = api_game(o.game),
                              .options = o.options,
                              .encoding = o.encoding,
                              .opponent = o.opponent,
                              .n = o.n,
                              .threads = o.threads,
                              .max_plies = o.max_plies,
                              .floats = o.floats != 0,
                              .seed = o.seed},
                 &(env_buffers){.planes = b.planes,
                                .scalars = b.scalars,
                                .masks = b.masks,
                                .seats = b.seats,
                                .rewards = b.rewards,
                                .terminated = b.terminated,
                                .truncated = b.truncated,
                                .lengths = b.lengths,
                                .events = b.events,
                                .final_planes = b.final_planes,
                                .final_scalars = b.final_scalars});
    if (r == ERR_OK) *out = (keiko_env *)(void *)e;
    return (int)r;
}

int keiko_env_reset(keiko_env *e, const uint64_t *seed)
{
    return (int)env_reset(env_of(e), seed);
}

int keiko_env_step(keiko_env *e, const int32_t *moves)
{
    return (int)env_step(env_of(e), moves);
}

int keiko_env_position(const keiko_env *e, int i, keiko_position **out)
{
    const env *inner = (const env *)(const void *)e;
    if (i < 0 || i >= env_count(inner)) return (int)err_set(ERR_USAGE, "there is no game %d", i);
    return api_position(env_game(inner), env_state(inner, i), out);
}

void keiko_env_close(keiko_env *e)
{
    env_close(env_of(e));
}
