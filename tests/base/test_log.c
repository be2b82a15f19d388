// The log: who sees which level, what a line looks like, and many threads at once.
// labels: threads
#include "base/file.h"
#include "base/log.h"
#include "base/temp_dir.h"
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <regex.h>

static char dir[64];

static int setup(void **state)
{
    (void)state;
    return temp_dir_make(dir) == NULL;
}

static int teardown(void **state)
{
    (void)state;
    log_close();
    temp_dir_remove(dir);
    return 0;
}

static char *contents(FILE *f)
{
    long n = ftell(f);
    char *text = calloc(1, (size_t)n + 1);
    rewind(f);
    assert_int_equal(fread(text, 1, (size_t)n, f), n);
    return text;
}

static bool matches(const char *text, const char *pattern)
{
    regex_t re;
    assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
    int rc = regexec(&re, text, 0, NULL, 0);
    regfree(&re);
    return rc == 0;
}

static void say_all(void)
{
    log_error("E%d", 1);
    log_warn("W%d", 2);
    log_info("I%d", 3);
    log_debug("D%d", 4);
}

static void levels(void **state)
{
    (void)state;
    static const struct {
        log_options o;
        const char *screen, *file;
    } known[] = {
        {{.quiet = true}, "E", "EWI"},
        {{0}, "EW", "EWI"},
        {{.verbose = true}, "EWI", "EWI"},
        {{.debug = true}, "EWID", "EWID"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        log_options o = known[i].o;
        char name[16];
        snprintf(name, sizeof name, "run%zu", i);
        o.screen = tmpfile();
        o.dir = dir;
        o.name = name;
        assert_ok(log_init(&o));
        assert_int_equal(log_on(LOG_DEBUG), o.debug);
        char file[FILE_PATH];
        snprintf(file, sizeof file, "%s", log_path());
        assert_true(matches(file, "/run[0-9]_20[0-9]{6}_[0-9]{6}\\.log$"));
        errno = 77;
        say_all();
        assert_int_equal(errno, 77);
        log_close();
        assert_string_equal(log_path(), "");
        char *seen = contents(o.screen), *kept;
        assert_ok(file_read(file, 1 << 20, &kept, NULL));
        for (const char *l = "EWID"; *l; l++) {
            char mark[3] = {*l, (char)(*l == 'E' ? '1' : *l == 'W' ? '2' : *l == 'I' ? '3' : '4'), 0};
            assert_int_equal(strstr(seen, mark) != NULL, strchr(known[i].screen, *l) != NULL);
            assert_int_equal(strstr(kept, mark) != NULL, strchr(known[i].file, *l) != NULL);
        }
        assert_true(matches(seen, "^[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3} error E1"));
        assert_true(matches(kept, "^20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3} error E1"));
        free(seen);
        free(kept);
        fclose(o.screen);
    }
}

static void lines_are_clean(void **state)
{
    (void)state;
    FILE *f = tmpfile();
    assert_ok(log_init(&(log_options){.screen = f}));
    log_warn("one\x1b[2J\r\ntwo\xff 稽古\n");
    char *text = contents(f);
    assert_null(strchr(text, '\x1b'));
    assert_null(strchr(text, '\r'));
    assert_non_null(strstr(text, "one?[2J?\n                   two? 稽古\n"));
    free(text);
    fclose(f);
    f = tmpfile();
    assert_ok(log_init(&(log_options){.screen = f, .color = "always"}));
    log_error("red");
    text = contents(f);
    assert_non_null(strstr(text, "\x1b[1;31merror\x1b[0m red\n"));
    free(text);
    log_close();
    assert_ok(log_init(NULL));
    fclose(f);
}

static void files_that_fail(void **state)
{
    (void)state;
    FILE *f = tmpfile();
    char inside[FILE_PATH];
    assert_ok(file_join(inside, sizeof inside, dir, "file"));
    assert_ok(file_write_atomic(inside, "x", 1));
    assert_err(log_init(&(log_options){.screen = f, .dir = inside}), "Not a directory");
    log_warn("still heard");
    assert_ok(file_join(inside, sizeof inside, dir, "made/when/missing"));
    assert_ok(log_init(&(log_options){.screen = f, .dir = inside}));
    assert_true(file_exists(log_path()));
    char *text = contents(f);
    assert_non_null(strstr(text, "still heard"));
    free(text);
    log_close();
    fclose(f);
}

enum { THREADS = 4, LINES = 500 };

static void *talk(void *arg)
{
    for (int i = 0; i < LINES; i++) log_info("thread %d line %d end", *(int *)arg, i);
    return NULL;
}

// Every line arrives whole, and each thread's lines in its order.
static void threads(void **state)
{
    (void)state;
    FILE *f = tmpfile();
    assert_ok(log_init(&(log_options){.screen = f, .dir = dir, .verbose = true}));
    char file[FILE_PATH];
    snprintf(file, sizeof file, "%s", log_path());
    pthread_t t[THREADS];
    int ids[THREADS], next[2][THREADS] = {{0}};
    for (int i = 0; i < THREADS; i++) {
        ids[i] = i;
        assert_int_equal(pthread_create(&t[i], NULL, talk, &ids[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    log_close();
    char *texts[2] = {contents(f), NULL};
    assert_ok(file_read(file, 1 << 24, &texts[1], NULL));
    for (int k = 0; k < 2; k++) {
        int lines = 0;
        for (char *p = texts[k]; *p; lines++) {
            char *end = strchr(p, '\n'), *at = strstr(p, "thread ");
            assert_non_null(end);
            int who = -1, line = -1, used = 0;
            assert_true(at != NULL && at < end);
            assert_int_equal(sscanf(at, "thread %d line %d end%n", &who, &line, &used), 2);
            assert_ptr_equal(at + used, end);
            assert_true(who >= 0 && who < THREADS);
            assert_int_equal(line, next[k][who]++);
            p = end + 1;
        }
        assert_int_equal(lines, THREADS * LINES);
        free(texts[k]);
    }
    fclose(f);
}

int main(void)
{
#define ONE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {ONE(levels), ONE(lines_are_clean), ONE(files_that_fail), ONE(threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
