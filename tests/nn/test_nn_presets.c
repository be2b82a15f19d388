// A preset that bears a game's name fits that game: planes, scalars, board and moves, in one of the game's encodings.
#include "eval/eval.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The game before the first '-'; NULL when there is none of that name ("test-tiny").
static const game *game_of(const char *preset)
{
    const char *dash = strchr(preset, '-');
    for (int i = 0; dash != NULL && i < game_count(); i++) {
        const char *name = game_at(i)->name;
        if (strlen(name) == (size_t)(dash - preset) && memcmp(name, preset, strlen(name)) == 0) return game_at(i);
    }
    return NULL;
}

static bool duel_fits(const game *g, const nn_desc *d)
{
    bool fits = d->n_heads == 1 && d->head[0].kind == NN_DUEL && d->head[0].out == g->n_moves && d->rows == g->rows &&
                d->cols == g->cols,
         reads = false;
    for (int k = 0; k < g->n_encodings; k++)
        reads |= g->encodings[k].planes == d->planes && g->encodings[k].scalars == d->scalars;
    return fits && reads;
}

static void presets_fit_their_games(void **state)
{
    (void)state;
    int checked = 0;
    for (int i = 0; i < nn_preset_count(); i++) {
        const game *g = game_of(nn_preset_name(i));
        nn_desc d;
        nn_net *net;
        const encoding *e = NULL;
        assert_ok(nn_desc_parse(nn_preset_name(i), &d));
        if (g == NULL) {
            assert_memory_equal(nn_preset_name(i), "test-", 5);
            continue;
        }
        assert_ok(nn_net_new(&net, &d, 1));
        if (d.head[0].kind == NN_DUEL) {
            if (!duel_fits(g, &d)) fail_msg("preset %s does not fit %s", nn_preset_name(i), g->name);
        } else if (eval_fit(g, net, NULL, &e) != ERR_OK) {
            fail_msg("preset %s: %s", nn_preset_name(i), err_text());
        }
        nn_net_free(net);
        checked++;
    }
    assert_true(checked >= 4);
}

// What a game hands out runs as it is: its start, encoded, through the network; the answers are numbers.
static void presets_run_on_positions(void **state)
{
    (void)state;
    for (int i = 0; i < nn_preset_count(); i++) {
        const game *g = game_of(nn_preset_name(i));
        nn_desc d;
        nn_net *net;
        nn_infer *h;
        if (g == NULL) continue;
        assert_ok(nn_desc_parse(nn_preset_name(i), &d));
        assert_int_equal(nn_words(&d), game_plane_words(g));
        const encoding *e = NULL;
        for (int k = 0; k < g->n_encodings && e == NULL; k++)
            if (g->encodings[k].planes == d.planes && g->encodings[k].scalars == d.scalars) e = &g->encodings[k];
        assert_non_null(e);
        void *s = calloc(1, g->state_size), *obs = calloc(1, g->obs_size);
        uint64_t *bits = calloc(nn_in_bits(&d) + 1, sizeof *bits);
        float *scalars = calloc((size_t)d.scalars + 1, sizeof *scalars);
        float *out = calloc((size_t)nn_out_size(&d), sizeof *out);
        assert_ok(g->init(s, "", (game_key){1, 2}));
        game_observe(g, s, g->seat(s), obs);
        e->encode(&(const void *){obs}, 1, bits, scalars);
        assert_ok(nn_net_new(&net, &d, 1));
        assert_ok(nn_backend_cpu.infer_new(&h, net, NULL));
        assert_ok(nn_backend_cpu.infer_run(h, 1, bits, scalars, out));
        for (int k = 0; k < nn_out_size(&d); k++) assert_true(isfinite(out[k]));
        nn_backend_cpu.infer_free(h);
        nn_net_free(net);
        free(s), free(obs), free(bits), free(scalars), free(out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_fit_their_games),
        cmocka_unit_test(presets_run_on_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
