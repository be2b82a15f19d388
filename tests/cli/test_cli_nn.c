// keiko nn info, nn check, nn init, export and speed nn as people run them.
#include "base/file.h"
#include "cli/program.h"

#include <unistd.h>

static char dir[64];

static int enter(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "/tmp/keiko_test_nn_%d", (int)getpid());
    snprintf(first_words, sizeof first_words, "cd %s &&", dir);
    return file_make_dirs(dir) == ERR_OK ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", dir);
    return system(command);
}

static void info(void **state)
{
    (void)state;
    says("nn info othello-seed", 0, "2983624 trained");
    assert_null(strstr(output, "positions/s")); // only --speed measures
    assert_non_null(strstr(output, "othello (mask)"));
    assert_non_null(strstr(output, "378.03 MFLOP"));
    says("nn info puyo-dqn", 0, "fits         puyo (fields)");
    says("nn info test-tiny --speed --seconds 0.01", 0, "training, batch 256");
    says("nn info test-mlp --speed --seconds 0.01 --json", 0, "\"positions_per_second\"");
    assert_null(strstr(output, "int8"));
    says("nn info nowhere.safetensors", 2, "no file 'nowhere.safetensors'");
    says("nn info 'planes=3 size=8x8'", 2, "either c= and b=, or mlp=");
}

static void init_then_use(void **state)
{
    (void)state;
    says("nn init test-tiny -o a.safetensors --seed 5 --note 'by hand'", 0, "a.safetensors");
    says("nn init test-tiny -o b.safetensors --seed 5 --note 'by hand'", 0, "b.safetensors");
    says("nn init test-tiny -o c.safetensors --seed 6", 0, "c.safetensors");
    char command[256];
    snprintf(command, sizeof command,
             "cd %s && cmp -s a.safetensors b.safetensors && ! cmp -s a.safetensors c.safetensors", dir);
    assert_int_equal(system(command), 0);
    says("nn info a.safetensors", 0, "by hand");
    says("nn info c.safetensors", 0, "the file has no note");
    says("nn check a.safetensors -n 4", 0, "all f32 kernels agree");
    says("export a.safetensors --onnx a.onnx", 0, "a.onnx");
    snprintf(command, sizeof command, "test -s %s/a.onnx", dir);
    assert_int_equal(system(command), 0);
    says("export a.safetensors", 2, "--onnx");
    says("export a.safetensors --onnx /nowhere/a.onnx", 2, "/nowhere");
    says("nn init 'planes=3 c=9' -o d.safetensors", 2, "size=");
    snprintf(command, sizeof command, "head -c 900 %s/a.safetensors > %s/cut.safetensors", dir, dir);
    assert_int_equal(system(command), 0);
    says("nn info cut.safetensors", 2, "cut.safetensors");
    says("nn check cut.safetensors", 2, "cut.safetensors");
}

static void check_every_kernel(void **state)
{
    (void)state;
    says("nn check test-se", 0, "scalar direct");
    assert_non_null(strstr(output, "int8"));
    says("nn check test-mlp", 0, "mlp");
    says("nn check test-tiny --simd scalar", 0, "scalar f4");
    assert_null(strstr(output, "avx"));
}

static void help_and_speed(void **state)
{
    (void)state;
    says("nn info --help", 0, "keiko nn info othello-seed");
    says("nn check --help", 0, "--positions");
    says("nn init --help", 0, "duel=FILTERS");
    says("export --help", 0, "--onnx");
    says("speed --help", 0, "keiko speed nn");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info),
        cmocka_unit_test(init_then_use),
        cmocka_unit_test(check_every_kernel),
        cmocka_unit_test(help_and_speed),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
