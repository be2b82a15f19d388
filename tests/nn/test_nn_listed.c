// Networks of every kind as files: the parameters, and the bytes of the weights, of bfloat16 weights and of ONNX as one number
// each, tests/nn/files.txt. The weights are multiples of 1/64, the same on every machine.
#include "base/edits.h"
#include "base/temp_dir.h"
#include "nn/net.h"
#include "nn/onnx.h"

static const char *const nets[] = {
    "planes=3 size=8x8 c=32 b=2 policy=2:65 value=1:32",
    "planes=5 scalars=2 size=5x5 c=16 b=2 policy=4:70 policy=2:51 value=4:32",
    "planes=2 size=9x4 c=20 b=1 se=5 policy=3:10 duel=2:12:7 board=3 scalar=2:0:4",
    "planes=1 size=8x8 c=8 b=1 duel=2:8:5",
    "planes=1 scalars=2 size=8x8 mlp=30 duel=0:9:5:21 noisy=1",
    "planes=2 size=6x5 c=20 b=1 duel=2:12:7:4",
    "planes=2 size=1x7 c=16 b=1 value=1:4",
    "planes=1 size=3x3 mlp=6,5 policy=0:7 reply=0:7 scalar=0:4:2",
    "planes=2 size=4x4 c=8 b=3 se=4 policy=2:16 reply=2:16 value=1:8 scalar=1:8:1 board=2",
};

static void put_file(text_buf *t, const char *name, const char *path, err e)
{
    char *data = NULL;
    size_t size = 0;
    uint64_t h = 0;
    if (e != ERR_OK) {
        text_printf(t, "  %s: %s\n", name, err_text());
        return;
    }
    assert_ok(file_read(path, 1 << 24, &data, &size));
    for (size_t i = 0; i < size; i++) h = (h ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
    text_printf(t, "  %s: %zu bytes, %016" PRIx64 "\n", name, size, h);
    free(data);
}

static void files(void **state)
{
    (void)state;
    char top[64], path[100], text[NN_TEXT];
    static nn_param p[2000];
    text_buf t = {0};
    assert_non_null(temp_dir_make(top));
    snprintf(path, sizeof path, "%s/net", top);
    for (size_t k = 0; k < sizeof nets / sizeof *nets; k++) {
        nn_desc d;
        nn_net *net, *back;
        assert_ok(nn_desc_parse(nets[k], &d));
        assert_ok(nn_net_new(&net, &d, 3));
        nn_desc_print(&d, text, sizeof text);
        text_printf(&t, "%s\n  %.0f flops, %zu in, %d out\n", text, nn_flops(&d), nn_in_bits(&d), nn_out_size(&d));
        int n = nn_params(&d, p, 2000);
        for (int i = 0; i < n; i++) {
            text_printf(&t, "  %s", p[i].name);
            for (int j = 0; j < p[i].n_dims; j++) text_printf(&t, "%c%d", j == 0 ? ' ' : 'x', p[i].dims[j]);
            text_printf(&t, " at %zu %zu %d %d\n", p[i].at, p[i].size, p[i].train, p[i].matrix);
            for (size_t j = 0; j < p[i].size; j++) net->w[p[i].at + j] = (float)((p[i].at + j) * 37 % 129) / 64.0f;
        }
        assert_ok(nn_net_set_note(net, "made-by = a test\nline two\n"));
        put_file(&t, "weights", path, nn_net_save(net, path));
        assert_ok(nn_net_load(&back, path));
        put_file(&t, "read and written again", path, nn_net_save(back, path));
        put_file(&t, "bf16", path, nn_net_save_bf16(net, path));
        nn_net_free(back);
        assert_ok(nn_net_load(&back, path));
        put_file(&t, "of bf16", path, nn_net_save(back, path));
        put_file(&t, "onnx", path, nn_onnx_export(net, path, &(nn_onnx_meta){"key", "a value"}, 1));
        put_file(&t, "onnx, nothing more", path, nn_onnx_export(net, path, NULL, 0));
        nn_net_free(back);
        nn_net_free(net);
    }
    temp_dir_remove(top);
    assert_listed(&t, "nn/files.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
