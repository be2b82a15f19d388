// The one-line description and the list of tensors it stands for.
#include "nn/desc.h"
#include "test.h"

static void presets_round_trip(void **state)
{
    (void)state;
    for (int i = 0; i < nn_preset_count(); i++) {
        nn_desc d, again;
        char text[NN_TEXT];
        assert_ok(nn_desc_parse(nn_preset_name(i), &d));
        assert_int_equal(nn_desc_print(&d, text, sizeof text), strlen(nn_preset_text(i)));
        assert_string_equal(text, nn_preset_text(i));
        assert_ok(nn_desc_parse(text, &again));
        assert_true(nn_desc_equal(&d, &again));
    }
}

// 2,983,624 is what PyTorch counts for the Othello network of the seed (its 1x1 convs without the bias that batch-norm
// would cancel).
static void sizes_are_known(void **state)
{
    (void)state;
    nn_desc d;
    nn_layout at;
    assert_ok(nn_desc_parse("othello-seed", &d));
    nn_layout_make(&d, &at);
    size_t stem = 3 * 128 * 9 + 256, blocks = 20 * (128 * 128 * 9 + 256);
    size_t policy = 2 * 128 + 4 + 65 * 128 + 65, value = 128 + 2 + 256 * 64 + 256 + 256 + 1;
    assert_int_equal(at.n_train, stem + blocks + policy + value);
    assert_int_equal(at.n_train, 2983624);
    assert_int_equal(at.n_all - at.n_train, 2 * (21 * 128 + 2 + 1));
    assert_int_equal(nn_out_size(&d), 66);
    assert_ok(nn_desc_parse("contrast-seed", &d));
    assert_int_equal(nn_out_size(&d), 625 + 51 + 1);
    assert_int_equal(nn_head_at(&d, 2), 676);
    assert_int_equal(nn_inputs(&d), 66);
}

static void tensors_tile_the_array(void **state)
{
    (void)state;
    for (int i = 0; i < nn_preset_count(); i++) {
        nn_desc d;
        nn_layout at;
        static nn_param p[2000];
        assert_ok(nn_desc_parse(nn_preset_name(i), &d));
        nn_layout_make(&d, &at);
        int n = nn_params(&d, p, 2000);
        assert_true(n < 2000);
        size_t train = 0, stats = at.n_train;
        for (int k = 0; k < n; k++) {
            size_t *next = p[k].train ? &train : &stats;
            assert_int_equal(p[k].at, *next);
            *next += p[k].size;
            for (int j = 0; j < k; j++) assert_string_not_equal(p[j].name, p[k].name);
        }
        assert_int_equal(train, at.n_train);
        assert_int_equal(stats, at.n_all);
    }
}

static void bad_text_is_refused(void **state)
{
    (void)state;
    nn_desc d = {.planes = 77};
    assert_err(nn_desc_parse("", &d), "planes=");
    assert_err(nn_desc_parse("planes=3", &d), "size=");
    assert_err(nn_desc_parse("planes=3 size=8x8 policy=2:65", &d), "either c=");
    assert_err(nn_desc_parse("planes=3 size=8x8 c=16 b=1", &d), "needs a head");
    assert_err(nn_desc_parse("planes=3 size=8y8 c=16 b=1", &d), "'x'");
    assert_err(nn_desc_parse("planes=3 planes=4", &d), "twice");
    assert_err(nn_desc_parse("planes=99999999999999999999", &d), "larger than");
    assert_err(nn_desc_parse("planes=3 size=8x8 c=16 b=1 policy=2", &d), "':'");
    assert_err(nn_desc_parse("planes=3 size=8x8 c=16 b=1 polcy=2:3", &d), "unknown key");
    assert_err(nn_desc_parse("planes=3 size=8x8 c=16 b=99 policy=2:3", &d), "b=99");
    assert_err(nn_desc_parse("planes=3 size=8x8 c=16 b=1 policy=0:3", &d), "filters");
    assert_err(nn_desc_parse("planes=3 size=8x8 mlp=8 policy=1:3", &d), "must be 0");
    assert_err(nn_desc_parse("planes=3 size=8x8 mlp=8 c=8 policy=1:3", &d), "either");
    assert_err(nn_desc_parse("planes=3 size=8x8 mlp=8, policy=0:3", &d), "number");
    assert_err(nn_desc_parse("planes=3 size=8x8 mlp=8 duel=0:0:3", &d), "hidden");
    assert_err(nn_desc_parse("planes=3 size=8x8 c=8 b=1 policy=1:2x", &d), "space");
    assert_int_equal(d.planes, 77); // untouched by every failure
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_round_trip),
        cmocka_unit_test(sizes_are_known),
        cmocka_unit_test(tensors_tile_the_array),
        cmocka_unit_test(bad_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
