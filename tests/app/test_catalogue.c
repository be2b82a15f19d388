// Lists of agents and models: shared parameters once, checksums of what ships, damaged files named.
#include "app/catalogue.h"
#include "app/puyo_build.h"
#include "app/solve.h"
#include "base/temp_dir.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

static const agent_type *type_of(const char *name)
{
    for (int i = 0; i < agent_type_count(); i++)
        if (strcmp(agent_type_at(i)->name, name) == 0) return agent_type_at(i);
    fail_msg("no agent %s", name);
    return NULL;
}

static const catalogue_row *row_of(const catalogue_row *rows, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (rows[i].row->name != NULL && strcmp(rows[i].row->name, name) == 0) return &rows[i];
    fail_msg("no parameter %s", name);
    return NULL;
}

static void shared_parameters(void **state)
{
    (void)state;
    static catalogue_row rows[CATALOGUE_ROWS];
    const agent_type *types[] = {type_of("mcts"), type_of("random"), type_of("zero")};
    int n = catalogue_rows(types, 3, rows);
    assert_int_equal(row_of(rows, n, "sims")->of, 5);     // of the first and the third
    assert_int_equal(row_of(rows, n, "rollouts")->of, 1); // of mcts alone
    assert_int_equal(row_of(rows, n, "model")->of, 4);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (rows[i].row->name != NULL && rows[k].row->name != NULL && rows[i].of == rows[k].of)
                assert_string_not_equal(rows[i].row->name, rows[k].row->name);
}

static catalogue_model *model_of(catalogue_model *m, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(m[i].name, name) == 0) return &m[i];
    fail_msg("no model %s", name);
    return NULL;
}

// The table's checksums are those of the files in models/.
static void shipped_models(void **state)
{
    (void)state;
    catalogue_model *m;
    int n;
    assert_int_equal(setenv("KEIKO_MODELS", KEIKO_SOURCE "/models", 1), 0);
    assert_ok(catalogue_models(true, &m, &n));
    assert_true(n >= 5);
    for (int i = 0; i < n; i++)
        if (m[i].state != MODEL_GOOD)
            fail_msg("%s is %s: %s (its checksum now: 0x%08x)", m[i].name, model_state_name[m[i].state], m[i].why,
                     m[i].checksum);
    const catalogue_model *o = model_of(m, n, "othello");
    assert_string_equal(o->game, "othello");
    assert_non_null(strstr(o->network, "planes=3"));
    assert_non_null(strstr(o->note, "keiko train othello"));
    assert_string_equal(model_of(m, n, "othello-patterns")->network, "");
    catalogue_models_free(m, n);
}

static void damaged_models(void **state)
{
    (void)state;
    char dir[64], path[FILE_PATH], *data;
    size_t size;
    catalogue_model *m;
    int n;
    temp_dir_make(dir);
    assert_ok(file_read(KEIKO_SOURCE "/models/contrast.safetensors", 1 << 24, &data, &size));
    snprintf(path, sizeof path, "%s/mine.safetensors", dir);
    assert_ok(file_write_atomic(path, data, size));
    data[size - 1] ^= 1; // another weight
    snprintf(path, sizeof path, "%s/contrast.safetensors", dir);
    assert_ok(file_write_atomic(path, data, size));
    snprintf(path, sizeof path, "%s/othello.safetensors", dir);
    assert_ok(file_write_atomic(path, data, size / 2));
    assert_int_equal(setenv("KEIKO_MODELS", dir, 1), 0);
    assert_ok(catalogue_models(true, &m, &n));
    assert_int_equal(model_of(m, n, "contrast")->state, MODEL_CHANGED);
    assert_int_equal(model_of(m, n, "othello")->state, MODEL_BAD);
    assert_int_equal(model_of(m, n, "puyo-dqn")->state, MODEL_MISSING);
    assert_int_equal(model_of(m, n, "mine")->state, MODEL_GOOD);
    assert_string_equal(model_of(m, n, "mine")->game, "contrast");
    catalogue_models_free(m, n);
    // Without --verify nothing is judged that can be read.
    assert_ok(catalogue_models(false, &m, &n));
    assert_int_equal(model_of(m, n, "contrast")->state, MODEL_UNCHECKED);
    catalogue_models_free(m, n);
    free(data);
    temp_dir_remove(dir);
}

// --- sums of the other tools

static void build_summary(void **state)
{
    (void)state;
    puyo_built games[4] = {
        {.done = true,
         .best = 40000,
         .links = 8,
         .fired = 30000,
         .longest = 7,
         .at = 30,
         .placed = 40,
         .score = 31000,
         .cpu = 4},
        {.done = true,
         .best = 60000,
         .links = 10,
         .fired = 50000,
         .longest = 9,
         .at = 40,
         .placed = 40,
         .score = 52000,
         .cpu = 4},
        {.done = false, .best = 999999},
        {.done = true,
         .buried = true,
         .best = 110000,
         .links = 12,
         .fired = 0,
         .longest = 2,
         .at = 50,
         .placed = 20,
         .score = 7},
    };
    puyo_build_summary s = puyo_build_sum(games, 4);
    assert_int_equal(s.n, 3);
    assert_int_equal(s.buried, 1);
    assert_float_equal(s.best, 70000, 1e-9);
    assert_float_equal(s.links, 10, 1e-9);
    assert_float_equal(s.at, 40, 1e-9);
    assert_float_equal(s.longest, 6, 1e-9);
    assert_float_equal(s.cpu, 0.08, 1e-9); // per placement
    // Standard error of the mean: the deviations are -30, -10 and 40 thousand.
    assert_true(fabs(s.error - 1000 * sqrt((900.0 + 100.0 + 1600.0) / 2 / 3)) < 1e-6);
    assert_int_equal(s.over[0], 2);
    assert_int_equal(s.over[1], 1);
    assert_int_equal(s.over[2], 1);
    assert_float_equal(puyo_build_sum(games, 1).error, 0, 0);
    assert_int_equal(puyo_build_sum(&games[2], 1).n, 0);
}

static void rates(void **state)
{
    (void)state;
    assert_float_equal(solve_rate(3000000, 0.5), 6, 1e-12);
    assert_float_equal(solve_rate(250000, 2), 0.125, 1e-12);
    assert_true(isfinite(solve_rate(7, 0)) && solve_rate(7, 0) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_parameters), cmocka_unit_test(shipped_models), cmocka_unit_test(damaged_models),
        cmocka_unit_test(build_summary),     cmocka_unit_test(rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
