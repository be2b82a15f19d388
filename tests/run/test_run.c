// A run's folder: lock, config, log, checkpoints; what a resume keeps and what it cuts off.
// labels: threads
#define _XOPEN_SOURCE 700
#include "base/clock.h"
#include "base/log.h"
#include "base/temp_dir.h"
#include "run/run.h"
#include "run/run_inner.h"
#include "run/run_log.h"
#include "run/run_status.h"
#include "run/tfevents.h"
#include "test.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static char top[64], dir[80];

static int setup(void **state)
{
    (void)state;
    if (temp_dir_make(top) == NULL) return 1;
    snprintf(dir, sizeof dir, "%s/a/run", top);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temp_dir_remove(top);
    return 0;
}

typedef struct values {
    int64_t batch;
    double rate;
    bool fancy;
    const char *note, *mode, *dir;
} values;

static const opt rows[] = {
    {.name = "batch", .kind = OPT_INT, .at = offsetof(values, batch), .preset = "32", .help = "b"},
    {.help = "A heading"},
    {.name = "learning-rate", .kind = OPT_NUMBER, .at = offsetof(values, rate), .preset = "0.001", .help = "r"},
    {.name = "fancy", .kind = OPT_FLAG, .at = offsetof(values, fancy), .help = "f"},
    {.name = "note", .kind = OPT_TEXT, .at = offsetof(values, note), .help = "n"},
    {.name = "mode", .kind = OPT_CHOICE, .at = offsetof(values, mode), .preset = "a", .choices = "a|b", .help = "m"},
    {.name = "run", .kind = OPT_DIR, .at = offsetof(values, dir), .help = "d"},
};
enum { ROWS = sizeof rows / sizeof *rows };
static const char *const skip_rows[] = {"run", NULL};
static values given = {.batch = 1024, .rate = 0.1 + 0.2, .fancy = true, .note = "it's # odd", .mode = "b", .dir = "x"};

static run_home *open_run(bool resume)
{
    run_home *r = NULL;
    assert_ok(run_open(&r, &(run_options){.dir = dir,
                                          .game = "contrast",
                                          .algo = "zero",
                                          .version = "0.1",
                                          .resume = resume,
                                          .opts = rows,
                                          .n_opts = ROWS,
                                          .values = &given,
                                          .skip = skip_rows}));
    return r;
}

static err try_open(bool resume, const char *game)
{
    run_home *r = NULL;
    err e = run_open(&r, &(run_options){.dir = dir, .game = game, .algo = "zero", .resume = resume});
    if (e == ERR_OK) run_close(r);
    return e;
}

static void save(run_home *r, int64_t step, const char *text)
{
    run_save *s;
    char path[FILE_PATH];
    assert_ok(run_save_begin(r, step, &s));
    assert_ok(run_save_path(s, "net.bin", path));
    assert_ok(file_write_atomic(path, text, strlen(text)));
    assert_ok(run_save_bytes(s, "state.txt", "s", 1));
    assert_ok(run_save_commit(s));
}

static void holds(const run_point *p, const char *expected)
{
    char path[FILE_PATH], *data;
    assert_ok(run_point_path(p, "net.bin", path));
    assert_ok(file_read(path, 1000, &data, NULL));
    assert_string_equal(data, expected);
    free(data);
}

static void config(void **state)
{
    (void)state;
    run_close(open_run(false));
    values v = {0};
    opt_values *keep = opt_keep();
    assert_ok(opt_defaults(rows, ROWS, &v));
    assert_ok(run_config_load(dir, rows, ROWS, &v, keep));
    assert_int_equal(v.batch, 1024);
    assert_true(v.rate == 0.1 + 0.2 && v.fancy);
    assert_string_equal(v.note, "it's # odd");
    assert_string_equal(v.mode, "b");
    assert_null(v.dir);
    opt_free(keep);
    run_info info;
    assert_ok(run_info_read(&info, dir));
    assert_string_equal(info.game, "contrast");
    assert_string_equal(info.algo, "zero");
    assert_string_equal(info.version, "0.1");
    assert_int_equal(strlen(info.began), 20);
    text_buf t = {0};
    values bad = {.note = "two\nlines", .mode = "a"};
    assert_err(opt_config_print(rows, ROWS, &bad, NULL, &t), "'note' cannot be written");
    bad.note = "both ' and \" # kinds";
    assert_err(opt_config_print(rows, ROWS, &bad, NULL, &t), "'note' cannot be written");
    text_free(&t);
}

static void refusals(void **state)
{
    (void)state;
    assert_int_equal(try_open(true, "contrast"), ERR_MISSING);
    assert_err(try_open(true, "contrast"), "no run to resume; leave --resume out");
    run_close(open_run(false));
    assert_err(try_open(false, "contrast"), "holds a run already; add --resume");
    assert_err(try_open(true, "othello"), "a run of contrast (zero), not of othello (zero)");
    run_info info;
    assert_int_equal(run_info_read(&info, top), ERR_MISSING);
}

static void lock(void **state)
{
    (void)state;
    char part[80];
    run_home *r = open_run(false);
    assert_int_equal(run_holder(dir), (long)getpid());
    snprintf(part, sizeof part, "in use by process %ld", (long)getpid());
    assert_err(try_open(true, "contrast"), part); // ourselves again
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(try_open(true, "contrast") == ERR_USAGE && strstr(err_text(), part) != NULL ? 0 : 1);
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    run_close(r);
    assert_int_equal(run_holder(dir), 0);
    run_close(open_run(true));
}

// Every file that a run opens is closed with it.
static void files_are_closed(void **state)
{
    (void)state;
    run_close(open_run(false));
    int before = temp_dir_count("/proc/self/fd");
    for (int i = 0; i < 3; i++) {
        run_home *r = open_run(true);
        assert_ok(RUN_LOG(r, "learn", i, RUN_N("loss", 1.0)));
        save(r, i + 1, "x");
        run_close(r);
        assert_int_not_equal(try_open(false, "contrast"), ERR_OK);
        assert_int_not_equal(try_open(true, "othello"), ERR_OK);
    }
    assert_int_equal(temp_dir_count("/proc/self/fd"), before);
    run_close(NULL);
}

static int count_lines(const char *kind)
{
    run_book *b;
    char why[160];
    int n = 0;
    assert_ok(run_book_read(&b, dir));
    assert_int_equal(run_book_bad(b, why), 0);
    for (int i = 0; i < run_book_count(b); i++) n += strcmp(run_book_at(b, i)->kind, kind) == 0;
    run_book_free(b);
    return n;
}

static void count_scalar(void *ctx, double when, int64_t step, const char *tag, size_t n, float v)
{
    (void)when;
    (void)v;
    int64_t *most = ctx;
    if (n == 10 && memcmp(tag, "learn/loss", 10) == 0 && step > *most) *most = step;
}

// The highest step that TensorBoard would show, and how many files it would read.
static int64_t event_steps(int *files)
{
    char **names, path[FILE_PATH], *data;
    int n;
    size_t size;
    int64_t most = -1;
    *files = 0;
    assert_ok(file_list(dir, NULL, &names, &n));
    for (int i = 0; i < n; i++) {
        if (strncmp(names[i], RUN_EVENTS, strlen(RUN_EVENTS)) != 0) continue;
        assert_ok(file_join(path, sizeof path, dir, names[i]));
        assert_ok(file_read(path, 1 << 20, &data, &size));
        assert_ok(tf_read(data, size, count_scalar, &most));
        free(data);
        ++*files;
    }
    file_list_free(names, n);
    return most;
}

// --- tags

typedef struct tag_list {
    char text[600];
} tag_list;

static void list_tag(void *ctx, double when, int64_t step, const char *tag, size_t n, float v)
{
    (void)when;
    tag_list *l = ctx;
    size_t at = strlen(l->text);
    snprintf(l->text + at, sizeof l->text - at, "%.*s %d %g\n", (int)n, tag, (int)step, (double)v);
}

// One curve per opponent in TensorBoard, earlier networks together; what a start writes down is no curve.
static void tags(void **state)
{
    (void)state;
    run_home *r = open_run(false);
    assert_ok(RUN_LOG(r, "start", 0, RUN_N("resumed", 0), RUN_N("cores", 2)));
    assert_ok(RUN_LOG(r, "limits", 0, RUN_N("seconds_most", 60)));
    assert_ok(RUN_LOG(r, "match", 4, RUN_T("opponent", "random"), RUN_N("score", 0.75), RUN_N("games", 8)));
    assert_ok(RUN_LOG(r, "match", 4, RUN_T("opponent", "alphabeta:depth=2"), RUN_N("score", 0.25)));
    assert_ok(RUN_LOG(r, "match", 4, RUN_T("opponent", "step 0"), RUN_N("score", 1)));
    assert_ok(RUN_LOG(r, "match", 8, RUN_T("opponent", "step 4"), RUN_N("score", 0.5)));
    run_close(r);
    char **names, path[FILE_PATH], *data;
    int n;
    size_t size;
    tag_list l = {""};
    assert_ok(file_list(dir, NULL, &names, &n));
    for (int i = 0; i < n; i++) {
        if (strncmp(names[i], RUN_EVENTS, strlen(RUN_EVENTS)) != 0) continue;
        assert_ok(file_join(path, sizeof path, dir, names[i]));
        assert_ok(file_read(path, 1 << 20, &data, &size));
        assert_ok(tf_read(data, size, list_tag, &l));
        free(data);
    }
    file_list_free(names, n);
    assert_string_equal(l.text, "match/score against random 4 0.75\nmatch/games against random 4 8\n"
                                "match/score against alphabeta:depth=2 4 0.25\n"
                                "match/score against earlier networks 4 1\n"
                                "match/score against earlier networks 8 0.5\n");
}

static void resume(void **state)
{
    (void)state;
    int files;
    run_home *r = open_run(false);
    assert_null(run_resumed(r));
    for (int i = 1; i <= 30; i++) {
        assert_ok(RUN_LOG(r, "learn", i, RUN_N("loss", 1.0 / i), RUN_T("note", "x")));
        if (i % 10 == 0 && i < 30) save(r, i, i == 10 ? "ten" : "twenty");
    }
    assert_ok(RUN_LOG(r, "elo", 20, RUN_N("elo", 1000))); // an early step, but written after the checkpoint
    run_close(r);
    char path[FILE_PATH];
    snprintf(path, sizeof path, "%s/log.jsonl", dir);
    assert_ok(file_append(path, "{\"kind\":\"torn", 13));
    assert_int_equal(count_lines("learn"), 30);
    assert_int_equal(event_steps(&files), 30);
    r = open_run(true);
    assert_non_null(run_resumed(r));
    assert_int_equal(run_resumed(r)->step, 20);
    assert_true(run_seconds(r) >= run_resumed(r)->seconds);
    holds(run_resumed(r), "twenty");
    run_close(r);
    assert_int_equal(count_lines("learn"), 20);
    assert_int_equal(count_lines("elo"), 0);
    assert_int_equal(count_lines("start"), 2);
    assert_int_equal(event_steps(&files), 20);
    assert_int_equal(files, 2);
    r = open_run(true); // and again: what the last start wrote is behind the checkpoint as well
    run_close(r);
    assert_int_equal(count_lines("start"), 2);
    (void)event_steps(&files);
    assert_int_equal(files, 2);
    assert_ok(file_write_atomic(path, "{\"step\":3}\n{\"step\":99}\nnonsense\n", 33)); // shorter than it was
    run_close(open_run(true));
    run_book *b;
    assert_ok(run_book_read(&b, dir));
    assert_int_equal(run_book_count(b), 2);
    assert_int_equal(run_book_at(b, 0)->step, 3);
    assert_string_equal(run_book_at(b, 1)->kind, "start");
    run_book_free(b);
}

static void before_the_first_checkpoint(void **state)
{
    (void)state;
    int files;
    run_home *r = open_run(false);
    assert_ok(RUN_LOG(r, "learn", 5, RUN_N("loss", 1)));
    run_close(r);
    r = open_run(true);
    assert_null(run_resumed(r));
    run_close(r);
    assert_int_equal(count_lines("learn"), 0);
    assert_int_equal(event_steps(&files), -1);
}

static void damage(const char *name, const char *file, size_t at)
{
    char path[FILE_PATH], *data;
    size_t n;
    snprintf(path, sizeof path, "%s/checkpoints/%s/%s", dir, name, file);
    assert_ok(file_read(path, 1 << 20, &data, &n));
    data[at % n] ^= 1;
    assert_ok(file_write_atomic(path, data, n));
    free(data);
}

static void broken_checkpoints(void **state)
{
    (void)state;
    char path[FILE_PATH];
    run_home *r = open_run(false);
    save(r, 1, "one");
    save(r, 2, "two");
    save(r, 3, "three");
    run_close(r);
    snprintf(path, sizeof path, "%s/checkpoints", dir);
    assert_int_equal(temp_dir_count(path), 2); // the newest and the one before
    // one that was being written when the process died
    snprintf(path, sizeof path, "%s/checkpoints/000004-step-4.part", dir);
    assert_ok(file_make_dirs(path));
    strcat(path, "/net.bin");
    assert_ok(file_write_atomic(path, "fou", 3));
    damage("000003-step-3", "net.bin", 2);
    log_init(&(log_options){.quiet = true});
    r = open_run(true);
    assert_int_equal(run_resumed(r)->step, 2);
    holds(run_resumed(r), "two");
    snprintf(path, sizeof path, "%s/checkpoints/000004-step-4.part", dir);
    assert_false(file_exists(path));
    save(r, 3, "three again"); // a number of its own, though the step was there
    run_close(r);
    r = open_run(true);
    holds(run_resumed(r), "three again");
    run_close(r);
    damage("000004-step-3", "manifest.txt", 40);
    assert_int_equal(try_open(true, "contrast"), ERR_PARSE); // 3 is rotten and 2 is gone
    assert_err(try_open(true, "contrast"), "none of the 2 checkpoints");
    log_close();
}

// Every bit of the manifest and of the files counts.
// A number with one digit more comes behind, not before.
static void numbers_grow_beyond_their_width(void **state)
{
    (void)state;
    char from[FILE_PATH], to[FILE_PATH];
    run_home *r = open_run(false);
    save(r, 1, "one");
    run_close(r);
    snprintf(from, sizeof from, "%s/checkpoints/000001-step-1", dir);
    snprintf(to, sizeof to, "%s/checkpoints/999999-step-1", dir);
    assert_int_equal(rename(from, to), 0);
    r = open_run(true);
    holds(run_resumed(r), "one");
    save(r, 2, "two");
    run_close(r);
    snprintf(to, sizeof to, "%s/checkpoints/1000000-step-2", dir);
    assert_true(file_is_dir(to));
    r = open_run(true);
    holds(run_resumed(r), "two");
    save(r, 3, "three");
    run_close(r);
    r = open_run(true);
    holds(run_resumed(r), "three");
    run_close(r);
}

static void every_byte(void **state)
{
    (void)state;
    run_manifest m = {.step = 1200, .seconds = 354.25, .log_size = 48211}, back;
    run_file files[] = {{"net.bin", 9, 0xabcd}, {"odd name.txt", 0, 0xffffffff}}, events[] = {{"events.out.x", 77, 0}};
    m.files = files;
    m.n_files = 2;
    m.events = events;
    m.n_events = 1;
    text_buf t = {0};
    run_manifest_print(&m, &t);
    assert_ok(run_manifest_parse(&back, t.data, t.len));
    assert_true(back.step == 1200 && back.seconds == 354.25 && back.log_size == 48211);
    assert_int_equal(back.n_files, 2);
    assert_string_equal(back.files[1].name, "odd name.txt");
    assert_int_equal(back.files[1].crc, 0xffffffff);
    assert_int_equal(back.events[0].size, 77);
    run_manifest_free(&back);
    for (size_t i = 0; i < t.len; i++) {
        assert_int_equal(run_manifest_parse(&back, t.data, i), ERR_PARSE);
        for (int bit = 0; bit < 8; bit++) {
            t.data[i] = (char)(t.data[i] ^ (1 << bit));
            assert_int_equal(run_manifest_parse(&back, t.data, t.len), ERR_PARSE);
            t.data[i] = (char)(t.data[i] ^ (1 << bit));
        }
    }
    assert_err(run_manifest_parse(&back, t.data, 25), "line 2");
    text_free(&t);
}

// Killed at any moment, the run resumes from a whole checkpoint, and its log ends where that one was.
static void killed(void **state)
{
    (void)state;
    int64_t last = 0;
    run_close(open_run(false));
    for (int round = 0; round < 12; round++) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            run_home *r = NULL;
            if (run_open(&r, &(run_options){.dir = dir, .game = "contrast", .algo = "zero", .resume = true}) != ERR_OK)
                _exit(1);
            int64_t step = run_resumed(r) == NULL ? 0 : run_resumed(r)->step;
            for (;;) {
                step++;
                run_save *s;
                char text[32];
                snprintf(text, sizeof text, "%lld", (long long)step);
                if (RUN_LOG(r, "learn", step, RUN_N("loss", 1)) != ERR_OK) _exit(2);
                if (run_save_begin(r, step, &s) != ERR_OK ||
                    run_save_bytes(s, "net.bin", text, strlen(text)) != ERR_OK || run_save_commit(s) != ERR_OK)
                    _exit(3);
            }
        }
        clock_sleep(0.03 + 0.007 * round);
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
        run_home *r = open_run(true);
        int64_t step = run_resumed(r) == NULL ? 0 : run_resumed(r)->step;
        char text[32];
        snprintf(text, sizeof text, "%lld", (long long)step);
        if (step > 0) holds(run_resumed(r), text);
        assert_true(step >= last);
        last = step;
        run_close(r);
        assert_int_equal(count_lines("learn"), (int)step);
    }
    assert_true(last > 3);
}

// Somebody renames or deletes the folder of a run that goes on: it is not made anew without log and options.
static void moved(void **state)
{
    (void)state;
    char other[sizeof dir + 8];
    snprintf(other, sizeof other, "%s-2", dir);
    run_home *r = open_run(false);
    run_save *s;
    save(r, 1, "one");
    assert_int_equal(rename(dir, other), 0);
    assert_err(run_save_begin(r, 2, &s), "was moved or removed during the run; where it was moved to, --resume");
    assert_false(file_exists(dir));
    assert_int_equal(rename(other, dir), 0);
    save(r, 2, "two"); // and back
    run_close(r);
    r = open_run(true);
    holds(run_resumed(r), "two");
    temp_dir_remove(dir);
    assert_err(run_save_begin(r, 3, &s), "was moved or removed");
    assert_false(file_exists(dir));
    run_close(r);
}

static void full_disk(void **state)
{
    (void)state;
    run_home *r = open_run(false);
    save(r, 1, "one");
    int real = r->log;
    r->log = open("/dev/full", O_WRONLY | O_APPEND);
    if (r->log >= 0) {
        assert_err(RUN_LOG(r, "learn", 2, RUN_N("loss", 1)), "No space left on device; free some space and resume");
        close(r->log);
    }
    r->log = real;
    run_save *s;
    assert_ok(run_save_begin(r, 2, &s));
    assert_ok(run_save_bytes(s, "net.bin", "two", 3));
    run_save_abort(s);
    assert_ok(run_save_begin(r, 2, &s));
    char path[FILE_PATH];
    snprintf(path, sizeof path, "%s/checkpoints/000002-step-2.part", dir);
    temp_dir_remove(path); // someone takes the folder away
    assert_err(run_save_commit(s), "saving a checkpoint: ");
    run_close(r);
    r = open_run(true);
    holds(run_resumed(r), "one");
    run_close(r);
}

static void *log_many(void *ctx)
{
    for (int i = 0; i < 200; i++) (void)RUN_LOG((run_home *)ctx, "selfplay", i, RUN_N("games", i));
    return NULL;
}

static void threads(void **state)
{
    (void)state;
    run_home *r = open_run(false);
    pthread_t t[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&t[i], NULL, log_many, r), 0);
    save(r, 5, "five");
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    run_close(r);
    assert_int_equal(count_lines("selfplay"), 800);
    int files;
    (void)event_steps(&files); // every record parses
}

static void pace(void **state)
{
    (void)state;
    char text[256];
    run_value losses[] = {RUN_N("loss", 1.3234), RUN_N("policy", 1.1), RUN_N("value", 0.2234)};
    run_pace p = {.step = 50,
                  .steps = 100,
                  .games_s = 31.42,
                  .positions_s = 1234,
                  .losses = losses,
                  .n_losses = 3,
                  .has_elo = true,
                  .elo = 812.3,
                  .elo_error = 33,
                  .buffer = 45678,
                  .lr = 1e-3};
    run_pace_text(&p, text, sizeof text);
    assert_string_equal(
        text, "loss 1.32 policy 1.1 value 0.223  Elo 812 ±33  31.4 games/s  1.23k pos/s  buffer 45.7k  lr 0.001");
    run_home *r = open_run(false);
    run_show(r, &p);
    assert_false(run_over(&p, run_seconds(r)));
    p.step = 100;
    assert_true(run_over(&p, run_seconds(r)));
    p = (run_pace){.games = 3, .games_most = 4};
    assert_false(run_over(&p, run_seconds(r)));
    p.games = 4;
    assert_true(run_over(&p, run_seconds(r)));
    p = (run_pace){.seconds_most = 1e-9};
    assert_true(run_over(&p, run_seconds(r)));
    run_close(r);
}

// The text log says at least every half minute how long it will take, by what limits the run.
static void time_left(void **state)
{
    (void)state;
    static const struct {
        run_pace first, then;
        double left; // seconds; negative: nobody knows
        const char *begins;
    } cases[] = {
        // a quarter was done at first, then half of it: 100 s for a quarter
        {{.step = 25, .steps = 100}, {.step = 50, .steps = 100}, 200, "step 50  "},
        {{.games = 10, .games_most = 40, .step = 7}, {.games = 30, .games_most = 40, .step = 8}, 50, "step 8  "},
        {{.step = 25, .steps = 100, .games_most = 8},
         {.step = 75, .steps = 100, .games = 8, .games_most = 8},
         50,
         "step 75  "},
        {{.seconds_most = 5000}, {.step = 3, .seconds_most = 5000}, 3900, "step 3  "}, // 1,000 before this start
        {{.seconds_most = 500}, {.step = 3, .seconds_most = 500}, 0, "step 3  "},
        {{.step = 1}, {.step = 9}, -1, "step 9  "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[400] = "", want[CLOCK_TEXT + 20], duration[CLOCK_TEXT];
        FILE *screen = tmpfile();
        run_home *r = open_run(i > 0);
        assert_ok(log_init(&(log_options){.screen = screen, .verbose = true, .color = "never"}));
        run_show(r, &cases[i].first);
        run_show(r, &cases[i].then); // too early
        r->told -= 31;
        r->born = clock_seconds() - 100;
        r->base = 1000;
        run_show(r, &cases[i].then);
        assert_ok(log_init(NULL));
        rewind(screen);
        int lines = 0;
        for (char one[400]; fgets(one, sizeof one, screen) != NULL;)
            if (strstr(one, " left\n") != NULL) {
                lines++;
                snprintf(line, sizeof line, "%s", one);
            }
        fclose(screen);
        assert_int_equal(lines, 1);
        snprintf(want, sizeof want, "  %s left\n", cases[i].left < 0 ? "?" : clock_duration(cases[i].left, duration));
        if (strstr(line, cases[i].begins) == NULL || strstr(line, want) == NULL)
            fail_msg("row %zu: '%s' without '%s' and '%s'", i, line, cases[i].begins, want);
        run_close(r);
    }
}

static int lines_with(const char *path, const char *words)
{
    char *text;
    int n = 0;
    assert_ok(file_read(path, 1 << 20, &text, NULL));
    for (const char *p = text; (p = strstr(p, words)) != NULL; p++) n++;
    free(text);
    return n;
}

// A run of a few seconds, too, has its losses in the text log: after 2, 4, 8, … seconds, and at the end.
static void short_runs_are_told(void **state)
{
    (void)state;
    run_value loss = RUN_N("loss", 1.25);
    char log[FILE_PATH];
    run_home *r = open_run(false);
    assert_ok(log_init(&(log_options){.dir = dir, .name = "text"}));
    snprintf(log, sizeof log, "%s", log_path());
    double at = 0;
    for (int i = 0; i <= 100; i++, at += 1) { // a second each
        run_show(r, &(run_pace){.step = i, .steps = 1000, .losses = &loss, .n_losses = 1});
        r->told -= 1;
        r->born -= 1;
    }
    assert_in_range(lines_with(log, "loss 1.25"), 6, 7); // after 2, 4, 8, 16, 32, 62 and 92 s, or a little later
    run_close(r);
    assert_int_equal(lines_with(log, "step 100  loss 1.25"), 1);
    assert_ok(log_init(NULL));
    r = open_run(true);
    assert_ok(log_init(&(log_options){.dir = dir, .name = "short"}));
    snprintf(log, sizeof log, "%s", log_path());
    for (int i = 7; i < 10; i++) run_show(r, &(run_pace){.step = i, .losses = &loss, .n_losses = 1});
    assert_int_equal(lines_with(log, "loss"), 0);
    run_close(r);
    assert_int_equal(lines_with(log, "step 9  loss 1.25\n"), 1);
    assert_int_equal(lines_with(log, "loss"), 1);
    assert_ok(log_init(NULL));
}

static void whose_run_it_is(void **state)
{
    (void)state;
    char path[100];
    assert_err(run_is_of(top, "tictactoe", "zero"), "holds no run to resume");
    snprintf(path, sizeof path, "%s/run.txt", top);
    assert_ok(file_write_atomic(path, "game = othello\nalgo = zero\n", 27));
    assert_ok(run_is_of(top, "othello", "zero"));
    assert_err(run_is_of(top, "othello", "dqn"), "holds a run of othello (zero), not of othello (dqn)");
    assert_ok(file_write_atomic(path, "# g", 3)); // cut off
    assert_err(run_is_of(top, "othello", "zero"), "run.txt is damaged: it does not say which game");
}

int main(void)
{
#define ONE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        ONE(whose_run_it_is),
        ONE(config),
        ONE(refusals),
        ONE(lock),
        ONE(files_are_closed),
        ONE(tags),
        ONE(resume),
        ONE(before_the_first_checkpoint),
        ONE(short_runs_are_told),
        ONE(every_byte),
        ONE(killed),
        ONE(moved),
        ONE(full_disk),
        ONE(threads),
        ONE(broken_checkpoints),
        ONE(numbers_grow_beyond_their_width),
        ONE(pace),
        ONE(time_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
