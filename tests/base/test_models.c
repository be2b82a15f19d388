// Where models are found, and the files compiled into the program.
#include "base/embedded.h"
#include "base/file.h"
#include "base/models.h"
#include "base/temp_dir.h"
#include "test.h"

// Byte for byte what the source tree holds, with a NUL behind it.
static void embedded_files_are_the_files(void **state)
{
    (void)state;
#ifndef KEIKO_EMBED
    skip_because("this build embeds no files");
#endif
    bool patterns = false;
    for (int i = 0; embedded_name(i) != NULL; i++) {
        char path[FILE_PATH];
        char *file;
        const char *data;
        size_t size, same;
        snprintf(path, sizeof path, "%s/%s", KEIKO_SOURCE, embedded_name(i));
        assert_ok(file_read(path, 64 << 20, &file, &size));
        assert_true(embedded_find(embedded_name(i), &data, &same));
        assert_int_equal(same, size);
        assert_memory_equal(data, file, size);
        assert_int_equal(data[size], 0);
        free(file);
        patterns |= strcmp(embedded_name(i), "models/othello-patterns.bin") == 0;
    }
    assert_true(patterns);
    assert_null(embedded_name(-1));
}

static void unknown_names_are_not_embedded(void **state)
{
    (void)state;
    const char *data;
    size_t size;
    assert_false(embedded_find("models/no-such-file", &data, &size));
    assert_false(embedded_find("othello-patterns.bin", &data, &size)); // the folder belongs to the name
    assert_false(embedded_find("", &data, &size));
}

static void locations_are_read(void **state)
{
    (void)state;
    model_bytes a, b;
    char path[FILE_PATH], location[FILE_PATH];
    assert_err(models_read(&a, "embedded:no-such-file", 1 << 20), "no no-such-file is compiled into this program");
    assert_err(models_network("embedded:no-such", location, sizeof location), "no no-such.safetensors is compiled");
    assert_err(models_read(&a, KEIKO_SOURCE "/models/README.md", 10), "README.md");
    models_free(&a);
    assert_ok(models_network("contrast", path, sizeof path)); // of the source tree, above the test's program
    assert_null(strstr(path, "embedded:"));
#ifdef KEIKO_EMBED
    assert_ok(models_network("embedded:contrast", location, sizeof location));
    assert_string_equal(location, "embedded:contrast.safetensors");
    assert_ok(models_network(location, location, sizeof location));
    assert_ok(models_read(&a, location, 0)); // the limit is for files
    assert_ok(models_read(&b, path, 64 << 20));
    assert_null(a.owned);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    models_free(&a);
    models_free(&b);
#else
    (void)b;
#endif
}

// KEIKO_MODELS is the only place that is looked at, and a folder in it is no model.
static void the_named_folder_alone(void **state)
{
    (void)state;
    char dir[64], path[128], found[FILE_PATH];
    assert_non_null(temp_dir_make(dir));
    setenv("KEIKO_MODELS", "/wrong", 1);
    assert_err(models_find("othello-patterns.bin", found, sizeof found),
               "the folder named by KEIKO_MODELS, /wrong, has no othello-patterns.bin");
    assert_err(models_network("contrast", found, sizeof found), "the folder named by KEIKO_MODELS, /wrong, has no");
    setenv("KEIKO_MODELS", dir, 1);
    snprintf(path, sizeof path, "%s/othello-patterns.bin", dir);
    assert_ok(file_make_dirs(path));
    assert_err(models_find("othello-patterns.bin", found, sizeof found), "has no othello-patterns.bin");
    snprintf(path, sizeof path, "%s/mine.bin", dir);
    assert_ok(file_write_atomic(path, "x", 1));
    assert_ok(models_find("mine.bin", found, sizeof found));
    assert_string_equal(found, path);
    assert_string_equal(models_folder(), dir);
    setenv("KEIKO_MODELS", "", 1);
    assert_null(models_folder());
    assert_ok(models_find("othello-patterns.bin", found, sizeof found));
    unsetenv("KEIKO_MODELS");
    assert_null(models_folder());
    assert_err(models_find("no-such-file.bin", found, sizeof found), "set KEIKO_MODELS");
    temp_dir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embedded_files_are_the_files),
        cmocka_unit_test(unknown_names_are_not_embedded),
        cmocka_unit_test(locations_are_read),
        cmocka_unit_test(the_named_folder_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
