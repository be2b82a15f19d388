// keiko train as people use it: killed at any moment, on a full disk, with wrong words; it resumes and ends the same.
#include "base/file.h"
#include "base/rng.h"
#include "base/temp_dir.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>

#define QUICK                                                                                                          \
    "--net 'c=16 b=1' --in-flight 16 --sims 12 --full 0.6 --fast-sims 5 --round 60 --fill 150 --batch 32 --samples 3 " \
    "--buffer-min 300 --buffer-max 2000 --cache 1 --checkpoint 0 --threads 1 --backend cpu"
#define OPTIONS QUICK " --quiet"

static pid_t start(const char *command)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    return pid;
}

static int finish(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void command_for(char *to, size_t n, const char *dir, int steps, const char *more)
{
    snprintf(to, n, "exec %s train tictactoe --run %s --steps %d %s %s 2>%s.err", KEIKO_PROGRAM, dir, steps, OPTIONS,
             more, dir);
}

static char *weights_of(const char *dir, size_t *size)
{
    char path[FILE_PATH], *data;
    snprintf(path, sizeof path, "%s/final.safetensors", dir);
    assert_ok(file_read(path, 1 << 26, &data, size));
    return data;
}

static void assert_said(const char *dir, const char *part)
{
    char path[FILE_PATH], *text;
    snprintf(path, sizeof path, "%s.err", dir);
    assert_ok(file_read(path, 1 << 20, &text, NULL));
    if (strstr(text, part) == NULL) fail_msg("said \"%s\" without \"%s\"", text, part);
    free(text);
}

static void read_text(const char *path, char **text)
{
    assert_ok(file_read(path, 1 << 20, text, NULL));
}

// A run's folder may be called anything: ratings name its networks to agents, and the last words are for a shell.
static void any_name_of_a_folder(void **unused)
{
    (void)unused;
    char root[64], command[2048], path[128];
    assert_non_null(temp_dir_make(root));
    snprintf(
        command, sizeof command,
        "cd %s && exec %s train tictactoe --run \"o'brien, a;b\" --steps 40 --eval-every 20 --eval-games 4 %s >said "
        "2>any.err",
        root, KEIKO_PROGRAM, QUICK);
    assert_int_equal(finish(start(command)), 0);
    snprintf(path, sizeof path, "%s/said", root);
    char *said, *play;
    read_text(path, &said);
    assert_non_null(play = strstr(said, "keiko play"));
    play[strcspn(play, "\n")] = 0;
    snprintf(command, sizeof command, "cd %s && %s %s </dev/null >/dev/null 2>any.err", root, KEIKO_PROGRAM,
             play + strlen("keiko "));
    assert_int_equal(finish(start(command)), 1); // a game that nobody goes on with; 2 would be words it does not know
    free(said);
    temp_dir_remove(root);
}

// A limit that comes before the first step: there is nothing to play with, and it is said.
static void a_run_that_learned_nothing_says_so(void **unused)
{
    (void)unused;
    char root[64], command[2048], path[128];
    assert_non_null(temp_dir_make(root));
    snprintf(command, sizeof command, "cd %s && exec %s train tictactoe --run r --games 1 %s >said 2>said.err", root,
             KEIKO_PROGRAM, QUICK);
    assert_int_equal(finish(start(command)), 0);
    snprintf(path, sizeof path, "%s/said", root);
    char *said;
    read_text(path, &said);
    assert_non_null(strstr(said, "nothing was learned"));
    assert_null(strstr(said, "keiko play"));
    free(said);
    temp_dir_remove(root);
}

// kill -9 at random moments; each start goes on from what is on the disk.
static void killed_at_any_moment_it_ends_the_same(void **unused)
{
    (void)unused;
    enum { STEPS = 160 };
    const int most = soak_or(8, 20);
    char root[64], whole[128], torn[128], command[2048];
    assert_non_null(temp_dir_make(root));
    snprintf(whole, sizeof whole, "%s/whole", root);
    snprintf(torn, sizeof torn, "%s/torn", root);
    command_for(command, sizeof command, whole, STEPS, "");
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    assert_int_equal(finish(start(command)), 0);
    clock_gettime(CLOCK_MONOTONIC, &b);
    double full = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    rng r = rng_at(20, 0, 0);
    bool begun = false;
    int kills = 0;
    for (; kills < most; kills++) {
        command_for(command, sizeof command, torn, STEPS, begun ? "--resume" : "");
        pid_t pid = start(command);
        double wait = 0.02 + full / 8 * rng_unit(&r);
        nanosleep(&(struct timespec){(time_t)wait, (long)((wait - (double)(time_t)wait) * 1e9)}, NULL);
        kill(pid, SIGKILL);
        if (finish(pid) == 0) break; // it was quicker
        char path[FILE_PATH];
        snprintf(path, sizeof path, "%s/run.txt", torn);
        begun = file_exists(path);
    }
    command_for(command, sizeof command, torn, STEPS, begun ? "--resume" : "");
    if (kills == most) assert_int_equal(finish(start(command)), 0);
    assert_true(kills >= 4);
    size_t n, m;
    char *x = weights_of(whole, &n), *y = weights_of(torn, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
    temp_dir_remove(root);
}

// Is there a checkpoint of a network that has learned something?
static bool has_learned(const char *dir)
{
    char path[FILE_PATH], **names;
    int n;
    bool any = false;
    snprintf(path, sizeof path, "%s/checkpoints", dir);
    if (!file_is_dir(path) || file_list(path, NULL, &names, &n) != ERR_OK) return false;
    for (int i = 0; i < n; i++) any |= strstr(names[i], ".part") == NULL && strstr(names[i], "-step-0") == NULL;
    file_list_free(names, n);
    return any;
}

// What the first attempt of many people ends with: Ctrl-C, and a network to play with.
static void ctrl_c_leaves_a_network(void **unused)
{
    (void)unused;
    char root[64], dir[128], command[2048], path[FILE_PATH], *said, *play;
    assert_non_null(temp_dir_make(root));
    snprintf(dir, sizeof dir, "%s/run", root);
    snprintf(command, sizeof command,
             "exec %s train tictactoe --run %s --steps 1000000 --eval-every 0 %s >%s.said 2>&1", KEIKO_PROGRAM, dir,
             QUICK, dir);
    pid_t pid = start(command);
    for (int i = 0; i < 60000 && !has_learned(dir); i++) nanosleep(&(struct timespec){0, 1000000}, NULL);
    kill(pid, SIGINT);
    assert_int_equal(finish(pid), 0);
    snprintf(path, sizeof path, "%s.said", dir);
    read_text(path, &said);
    assert_non_null(strstr(said, "stopped at step"));
    assert_non_null(strstr(said, "go on:  keiko train tictactoe"));
    assert_non_null(play = strstr(said, "keiko play"));
    play[strcspn(play, "\n")] = 0;
    assert_non_null(strstr(play, "/final.safetensors"));
    snprintf(command, sizeof command, "%s %s </dev/null >/dev/null 2>&1", KEIKO_PROGRAM, play + strlen("keiko "));
    assert_int_equal(finish(start(command)), 1); // a game that nobody goes on with
    free(said);
    temp_dir_remove(root);
}

static void ctrl_c_saves(void **unused)
{
    (void)unused;
    char root[64], dir[128], command[2048];
    assert_non_null(temp_dir_make(root));
    snprintf(dir, sizeof dir, "%s/run", root);
    command_for(command, sizeof command, dir, 1000000, "");
    pid_t pid = start(command);
    char path[FILE_PATH];
    snprintf(path, sizeof path, "%s/log.jsonl", dir); // written when the training has begun
    for (int i = 0; i < 60000 && !file_exists(path); i++) nanosleep(&(struct timespec){0, 1000000}, NULL);
    kill(pid, SIGINT);
    assert_int_equal(finish(pid), 0);
    snprintf(path, sizeof path, "%s/checkpoints", dir);
    assert_true(temp_dir_count(path) > 0);
    command_for(command, sizeof command, dir, 1, "--resume"); // a limit given anew wins, and is reached already
    assert_int_equal(finish(start(command)), 0);
    temp_dir_remove(root);
}

// A disk with room for the first checkpoints only. Needs the right to mount one.
static void a_full_disk_is_named(void **unused)
{
    (void)unused;
    enum { STEPS = 120 };
    char root[64], dir[128], disk[128], command[2048], whole[128];
    assert_non_null(temp_dir_make(root));
    snprintf(disk, sizeof disk, "%s/disk", root);
    assert_ok(file_make_dirs(disk));
    if (mount("tmpfs", disk, "tmpfs", 0, "size=320k") != 0) {
        temp_dir_remove(root);
        skip_because("no tmpfs can be mounted here");
    }
    snprintf(dir, sizeof dir, "%s/disk/run", root);
    snprintf(whole, sizeof whole, "%s/whole", root);
    char log[128];
    snprintf(log, sizeof log, "%s/full", root);
    snprintf(command, sizeof command, "exec %s train tictactoe --run %s --steps %d %s 2>%s.err", KEIKO_PROGRAM, dir,
             STEPS, OPTIONS, log);
    int rc = finish(start(command));
    if (rc == 0) {
        umount(disk);
        fail_msg("the run fitted on the small disk");
    }
    assert_said(log, "No space left on device");
    // Space is made: a larger disk in its place (a tmpfs can grow), and on it goes.
    assert_int_equal(mount("tmpfs", disk, "tmpfs", MS_REMOUNT, "size=64m"), 0);
    snprintf(command, sizeof command, "exec %s train tictactoe --run %s --resume --steps %d %s 2>%s.err", KEIKO_PROGRAM,
             dir, STEPS, OPTIONS, log);
    rc = finish(start(command));
    size_t n, m = 0;
    char *y = rc == 0 ? weights_of(dir, &m) : NULL;
    umount(disk);
    if (rc != 0) assert_said(log, "nothing: it must resume");
    command_for(command, sizeof command, whole, STEPS, "");
    assert_int_equal(finish(start(command)), 0);
    char *x = weights_of(whole, &n);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
    temp_dir_remove(root);
}

// --logs takes the text log of the run, and when its disk is full, that is said once and the run goes on.
static void its_log_may_be_elsewhere(void **unused)
{
    (void)unused;
    char root[64], command[2048], path[FILE_PATH], *text;
    assert_non_null(temp_dir_make(root));
    snprintf(
        command, sizeof command,
        "cd %s && %s train tictactoe --run run --steps 5 --logs far %s 2>err && test ! -e run/logs && cat far/*.log >log",
        root, KEIKO_PROGRAM, OPTIONS);
    assert_int_equal(finish(start(command)), 0);
    snprintf(path, sizeof path, "%s/log", root);
    read_text(path, &text);
    assert_non_null(strstr(text, "training tictactoe (zero) in run"));
    assert_non_null(strstr(text, "checkpoint run/checkpoints"));
    assert_non_null(strstr(text, "loss "));
    free(text);
    snprintf(path, sizeof path, "%s/far", root);
    if (mount("tmpfs", path, "tmpfs", 0, "size=4k") != 0) {
        temp_dir_remove(root);
        return; // no such disk can be made here
    }
    snprintf(command, sizeof command,
             "cd %s && head -c 4096 /dev/zero >far/full && exec %s train tictactoe --run more --steps 5 --logs far %s "
             "2>more.err",
             root, KEIKO_PROGRAM, OPTIONS);
    int status = finish(start(command));
    umount(path);
    assert_int_equal(status, 0);
    snprintf(path, sizeof path, "%s/more", root);
    assert_said(path, "cannot be written any more: No space left on device");
    snprintf(path, sizeof path, "%s/more.err", root);
    read_text(path, &text);
    assert_null(strstr(strstr(text, "any more") + 1, "any more"));
    free(text);
    temp_dir_remove(root);
}

// The signal of a file size limit would kill without a word.
static void a_file_size_limit_is_named(void **unused)
{
    (void)unused;
    char root[64], dir[128], command[2048];
    assert_non_null(temp_dir_make(root));
    snprintf(dir, sizeof dir, "%s/run", root);
    snprintf(command, sizeof command, "ulimit -f 16; exec %s train tictactoe --run %s --steps 120 %s 2>%s.err",
             KEIKO_PROGRAM, dir, OPTIONS, dir);
    assert_int_equal(finish(start(command)), 2);
    assert_said(dir, "a file size limit is set (see ulimit -f)");
    temp_dir_remove(root);
}

// Started with its streams closed, as some supervisors do: what would be printed must not go into the run's files.
static void closed_streams(void **unused)
{
    (void)unused;
    char root[64], command[2048], path[FILE_PATH], *text;
    assert_non_null(temp_dir_make(root));
    snprintf(command, sizeof command, "exec %s train tictactoe --run %s/run --steps 3 --debug %s <&- >&- 2>&-",
             KEIKO_PROGRAM, root, OPTIONS);
    assert_int_equal(finish(start(command)), 1); // its last words could not be written
    snprintf(path, sizeof path, "%s/run/log.jsonl", root);
    read_text(path, &text);
    assert_non_null(strstr(text, "\"done\""));
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
        if (line[0] != '{') fail_msg("in the log: %s", line);
    free(text);
    temp_dir_remove(root);
}

static void mistakes_are_explained(void **unused)
{
    (void)unused;
    char root[64], dir[128], command[2048];
    assert_non_null(temp_dir_make(root));
    snprintf(dir, sizeof dir, "%s/run", root);
    const struct {
        const char *words, *says;
    } bad[] = {
        {"tictactoe --steps 5 --preset slow", "slow"},
        {"tictactoe", "say how long"},
        {"ludo --steps 5", "ludo"},
        {"tictactoe --steps 5 --resume", "no run to resume"},
        {"--steps 5 --resume", "no run to resume"},
        {"--steps 5", "say which game to train"},
        {"tictactoe --resume", "no run to resume"},
        {"tictactoe --steps 5 --net c=5000", "--net"},
        {"tictactoe --steps 5 --init nobody", "--init nobody"},
        {"tictactoe --steps 5 --backend tpu", "tpu"},
        {"tictactoe --steps 5 --precision fp8 --backend cpu", "fp8"},
        {"tictactoe --steps 5 --eval-every 5 --references 'random;nobody'", "nobody"},
        {"tictactoe --steps 5 --eval-every 5 --references greedy", "--anchor random"},
        {"puyo-solo --steps 5", "name the files to learn from"},
        {"tictactoe --steps 5 --method dqn", "dqn cannot train tictactoe"},
        {"puyo --steps 5 --method zero", "zero cannot train puyo"},
        {"--steps 5 puyo", "puyo is trained by dqn"},
        {"puyo --steps 5 --memory 2147483649", "--buffer must be a whole number from 1 to 2000000000"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(command, sizeof command, "exec %s train %s --run %s 2>%s.err >/dev/null", KEIKO_PROGRAM, bad[i].words,
                 dir, dir);
        assert_int_not_equal(finish(start(command)), 0);
        assert_said(dir, bad[i].says);
        if (strstr(bad[i].words, "--resume") == NULL) assert_false(file_exists(dir)); // the right words may come now
        temp_dir_remove(dir);
    }
    temp_dir_remove(root);
}

// A run keeps its options; only its limits, threads and backend are of the moment.
#define SMALL "--threads 1 --backend cpu --quiet --batch 64"
#define PUYO  SMALL " --lanes 2 --learning-starts 10 --evaluation-games 2 --references random"
#define SOLO  SMALL " --data labels"

// The file of --init may be gone: the checkpoint has the weights.
static void a_resumed_run_needs_no_first_network(void **unused)
{
    (void)unused;
    char root[64], dir[128], command[2048];
    assert_non_null(temp_dir_make(root));
    static const struct {
        const char *first, *words;
        int steps, more;
    } runs[] = {
        {"tictactoe --steps 20", "tictactoe " OPTIONS, 30, 50},
        // These take the network's form from the file, too: --net is another one.
        {"puyo --steps 40 --net 'c=8 b=1'", "puyo " PUYO, 30, 50},
        {"puyo-solo --steps 2 --net 'c=8 b=1'", "puyo-solo " SOLO, 4, 6},
    };
    snprintf(dir, sizeof dir, "%s/run", root);
    snprintf(command, sizeof command, "%s puyo label %s/labels -n 60 --width 4 --depth 2 --samples 1 --late 1 -q",
             KEIKO_PROGRAM, root);
    assert_int_equal(finish(start(command)), 0);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        snprintf(command, sizeof command,
                 "cd %s && %s train %s %s --run first 2>run.err && cp first/final.safetensors net", root, KEIKO_PROGRAM,
                 runs[i].first, strchr(runs[i].words, ' '));
        if (finish(start(command)) != 0) assert_said(dir, "nothing: the first run must end");
        snprintf(command, sizeof command, "cd %s && exec %s train %s --run run --steps %d --init net 2>run.err", root,
                 KEIKO_PROGRAM, runs[i].words, runs[i].steps);
        if (finish(start(command)) != 0) assert_said(dir, "nothing: the second run must end");
        snprintf(command, sizeof command, "cd %s && rm net && exec %s train %s --run run --steps %d --resume 2>run.err",
                 root, KEIKO_PROGRAM, runs[i].words, runs[i].more);
        if (finish(start(command)) != 0) assert_said(dir, "nothing: it must resume");
        snprintf(command, sizeof command, "cd %s && rm -r first run", root);
        assert_int_equal(finish(start(command)), 0);
    }
    temp_dir_remove(root);
}

static void a_resumed_run_is_not_changed(void **unused)
{
    (void)unused;
    char root[64], dir[128], command[2048];
    assert_non_null(temp_dir_make(root));
    snprintf(dir, sizeof dir, "%s/run", root);
    command_for(command, sizeof command, dir, 5, "");
    assert_int_equal(finish(start(command)), 0);
    snprintf(command, sizeof command, "exec %s train tictactoe --run %s --resume --sims 99 --steps 9 2>%s.err",
             KEIKO_PROGRAM, dir, dir);
    assert_int_equal(finish(start(command)), 2);
    assert_said(dir, "--sims is 12 in this run, not 99");
    command_for(command, sizeof command, dir, 9, "--resume --threads 2"); // the same words again are no change
    assert_int_equal(finish(start(command)), 0);
    temp_dir_remove(root);
}

// The folder knows its game; another one is refused.
static void a_resumed_run_knows_its_game(void **unused)
{
    (void)unused;
    char root[64], dir[128], said[160], command[2048], *text;
    assert_non_null(temp_dir_make(root));
    snprintf(dir, sizeof dir, "%s/run", root);
    snprintf(said, sizeof said, "%s/said", root);
    command_for(command, sizeof command, dir, 5, "");
    assert_int_equal(finish(start(command)), 0);
    snprintf(command, sizeof command, "exec %s train --resume --run %s --steps 9 >%s", KEIKO_PROGRAM, dir, said);
    assert_int_equal(finish(start(command)), 0);
    read_text(said, &text);
    assert_non_null(strstr(text, "done at step 9"));
    assert_null(strstr(text, "at its limit already"));
    free(text);
    snprintf(command, sizeof command, "exec %s train --resume --run %s >%s", KEIKO_PROGRAM, dir, said); // nothing to do
    assert_int_equal(finish(start(command)), 0);
    read_text(said, &text);
    assert_non_null(strstr(text, "done at step 9"));
    assert_non_null(strstr(text, "at its limit already"));
    free(text);
    snprintf(command, sizeof command, "exec %s train --run %s --steps 9 2>%s.err", KEIKO_PROGRAM, dir, dir);
    assert_int_equal(finish(start(command)), 2);
    assert_said(dir, "holds a run of tictactoe: add --resume");
    snprintf(command, sizeof command, "exec %s train othello --resume --run %s --steps 9 2>%s.err", KEIKO_PROGRAM, dir,
             dir);
    assert_int_equal(finish(start(command)), 2);
    assert_said(dir, "holds a run of tictactoe (zero), not of othello (zero)");
    temp_dir_remove(root);
}

// One damaged replay file: the run goes on, and says which one it was.
static void a_damaged_replay_file_is_replaced(void **unused)
{
    (void)unused;
    char root[64], dir[128], replay[160], path[FILE_PATH], command[2048], **names;
    int n;
    assert_non_null(temp_dir_make(root));
    snprintf(dir, sizeof dir, "%s/run", root);
    snprintf(replay, sizeof replay, "%s/replay", dir);
    command_for(command, sizeof command, dir, 40, "");
    assert_int_equal(finish(start(command)), 0);
    assert_ok(file_list(replay, ".replay", &names, &n));
    assert_true(n >= 2);
    assert_ok(file_join(path, sizeof path, replay, names[n - 2]));
    assert_ok(file_write_atomic(path, "torn", 4));
    snprintf(command, sizeof command, "exec %s train tictactoe --run %s --resume --steps 80 2>%s.err >/dev/null",
             KEIKO_PROGRAM, dir, dir);
    assert_int_equal(finish(start(command)), 0);
    assert_said(dir, names[n - 2]);
    assert_said(dir, "are lost; copies of others take their place");
    snprintf(command, sizeof command, "exec %s train tictactoe --run %s --resume --steps 90 2>%s.err >/dev/null",
             KEIKO_PROGRAM, dir, dir);
    assert_int_equal(finish(start(command)), 0);
    char *said;
    snprintf(path, sizeof path, "%s.err", dir);
    read_text(path, &said);
    assert_null(strstr(said, "are lost")); // it is whole again
    free(said);
    file_list_free(names, n);
    temp_dir_remove(root);
}

// Rating counts for the limit: these ratings would take minutes.
static void minutes_hold_for_rating(void **unused)
{
    (void)unused;
    char root[64], dir[128], command[2048];
    struct timespec a, b;
    assert_non_null(temp_dir_make(root));
    snprintf(dir, sizeof dir, "%s/run", root);
    snprintf(command, sizeof command,
             "exec %s train tictactoe --run %s --minutes 0.05 --eval-every 1 --eval-games 100000 --eval-sims 200 %s "
             "2>%s.err",
             KEIKO_PROGRAM, dir, OPTIONS, dir);
    clock_gettime(CLOCK_MONOTONIC, &a);
    assert_int_equal(finish(start(command)), 0);
    clock_gettime(CLOCK_MONOTONIC, &b);
    double took = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    if (took > 30) fail_msg("--minutes 0.05 took %.1f s", took); // 3 s, and room for a busy machine
    temp_dir_remove(root);
}

// Learning ends early enough for the last rating: without that, it would be one pair of games per opponent. The rating takes more
// than a second, so that a round that ends late on a busy machine leaves the larger part of it.
static void the_last_rating_has_its_time(void **unused)
{
    (void)unused;
    char root[64], dir[128], path[160], command[2048], *log;
    assert_non_null(temp_dir_make(root));
    snprintf(dir, sizeof dir, "%s/run", root);
    snprintf(command, sizeof command,
             "exec %s train tictactoe --run %s --minutes 0.2 --eval-every 1000000 --eval-games 4000 --eval-sims 40 %s "
             "2>%s.err",
             KEIKO_PROGRAM, dir, OPTIONS, dir);
    assert_int_equal(finish(start(command)), 0);
    snprintf(path, sizeof path, "%s/log.jsonl", dir);
    read_text(path, &log);
    const char *first = strstr(log, "\"kind\":\"elo\"");
    bool learned = strstr(log, "\"kind\":\"done\",\"step\":0,") == NULL; // a slow machine may only rate
    const char *last = first == NULL ? NULL : strstr(first + 1, "\"kind\":\"elo\"");
    const char *games = last == NULL ? NULL : strstr(last, "\"games\":");
    if (learned && (games == NULL || atoi(games + strlen("\"games\":")) < 30)) fail_msg("%s", log);
    free(log);
    temp_dir_remove(root);
}

// The network that a run begins with is the first point of its curve.
static void the_untrained_network_is_rated(void **unused)
{
    (void)unused;
    char root[64], dir[128], path[160], command[2048], *log;
    assert_non_null(temp_dir_make(root));
    snprintf(dir, sizeof dir, "%s/run", root);
    command_for(command, sizeof command, dir, 20, "--eval-every 10 --eval-games 4 --eval-sims 4");
    assert_int_equal(finish(start(command)), 0);
    snprintf(path, sizeof path, "%s/log.jsonl", dir);
    read_text(path, &log);
    const char *first = strstr(log, "\"kind\":\"elo\"");
    assert_non_null(first);
    assert_int_equal(strncmp(first, "\"kind\":\"elo\",\"step\":0,", 22), 0);
    assert_non_null(strstr(first + 1, "\"kind\":\"elo\""));
    free(log);
    temp_dir_remove(root);
}

// A sanitizer needs all of the address space; there it is single allocations that are refused.
#if defined(__SANITIZE_ADDRESS__)
#define SHORT_OF_MEMORY "export ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=1;"
#elif UNDER_TSAN
#define SHORT_OF_MEMORY "export TSAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=1;"
#else
#define SHORT_OF_MEMORY "ulimit -v 2000000;"
#endif

static void short_memory_is_named(void **unused)
{
    (void)unused;
    char root[64], dir[128], command[2048];
    assert_non_null(temp_dir_make(root));
    snprintf(dir, sizeof dir, "%s/run", root);
    snprintf(command, sizeof command,
             SHORT_OF_MEMORY
             " exec %s train tictactoe --run %s --steps 5 --in-flight 65536 --cache 0 --buffer-min 1000 "
             "--net 'c=8 b=1' --batch 8 --quiet 2>%s.err",
             KEIKO_PROGRAM, dir, dir);
    assert_int_equal(finish(start(command)), 2);
    assert_said(dir, "choose a smaller --in-flight");
    temp_dir_remove(root);
}

// Packed with the newest positions alone, unpacked elsewhere, resumed. What does not fit at all is said.
static void a_run_is_carried_elsewhere(void **unused)
{
    (void)unused;
    char root[64], dir[80], command[2048];
    if (system("command -v zstd >/dev/null && command -v flock >/dev/null") != 0) skip_because("no zstd or flock");
    assert_non_null(temp_dir_make(root));
    snprintf(dir, sizeof dir, "%s/run", root);
    command_for(command, sizeof command, dir, 40, "--seed 1");
    assert_int_equal(finish(start(command)), 0);
    snprintf(command, sizeof command,
             "mkdir %s/b && test $(ls %s/replay | wc -l) -gt 1 && "
             "small=$(($(stat -c %%s %s/replay/* | tail -n 1) + 1000000)) && "
             "bash %s/tools/carry.sh %s %s/a.tar $small && tar -xf %s/a.tar -C %s/b && "
             "! bash %s/tools/carry.sh %s %s/c.tar 9K && test ! -e %s/c.tar",
             root, dir, dir, KEIKO_SOURCE, dir, root, root, root, KEIKO_SOURCE, dir, root, root);
    assert_int_equal(finish(start(command)), 0);
    // the newest file of positions alone
    snprintf(command, sizeof command, "cd %s/b/run/replay && ls | sort | head -n -1 | xargs -r rm", root);
    assert_int_equal(finish(start(command)), 0);
    snprintf(dir, sizeof dir, "%s/b/run", root);
    snprintf(command, sizeof command, "exec %s train tictactoe --run %s --steps 60 --resume 2>%s.err", KEIKO_PROGRAM,
             dir, dir);
    assert_int_equal(finish(start(command)), 0);
    assert_said(dir, "are lost; copies of others take their place");
    temp_dir_remove(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_any_moment_it_ends_the_same),
        cmocka_unit_test(ctrl_c_saves),
        cmocka_unit_test(ctrl_c_leaves_a_network),
        cmocka_unit_test(a_full_disk_is_named),
        cmocka_unit_test(its_log_may_be_elsewhere),
        cmocka_unit_test(a_file_size_limit_is_named),
        cmocka_unit_test(any_name_of_a_folder),
        cmocka_unit_test(a_run_that_learned_nothing_says_so),
        cmocka_unit_test(closed_streams),
        cmocka_unit_test(mistakes_are_explained),
        cmocka_unit_test(a_resumed_run_is_not_changed),
        cmocka_unit_test(a_resumed_run_knows_its_game),
        cmocka_unit_test(a_resumed_run_needs_no_first_network),
        cmocka_unit_test(a_damaged_replay_file_is_replaced),
        cmocka_unit_test(minutes_hold_for_rating),
        cmocka_unit_test(the_last_rating_has_its_time),
        cmocka_unit_test(the_untrained_network_is_rated),
        cmocka_unit_test(short_memory_is_named),
        cmocka_unit_test(a_run_is_carried_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
