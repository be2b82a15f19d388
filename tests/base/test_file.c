// Files: what is written is read back, and every failure leaves the old content and no litter.
#define _XOPEN_SOURCE 700
#include "base/clock.h"
#include "base/file.h"
#include "base/temp_dir.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[64];

static int setup(void **state)
{
    (void)state;
    return temp_dir_make(dir) == NULL;
}

static int teardown(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

static const char *in_dir(const char *name)
{
    static char path[FILE_PATH];
    assert_ok(file_join(path, sizeof path, dir, name));
    return path;
}

static void holds(const char *path, const char *expected)
{
    char *data;
    size_t n;
    assert_ok(file_read(path, 1 << 24, &data, &n));
    assert_int_equal(n, strlen(expected));
    assert_string_equal(data, expected);
    free(data);
}

static void reading(void **state)
{
    (void)state;
    char *data;
    size_t n;
    const char *path = in_dir("a");
    assert_ok(file_write_atomic(path, "x\0y", 3));
    assert_ok(file_read(path, 3, &data, &n));
    assert_int_equal(n, 3);
    assert_memory_equal(data, "x\0y", 4); // and a NUL behind
    free(data);
    assert_err(file_read(path, 2, &data, &n), "has 3 bytes; at most 2");
    assert_ok(file_write_atomic(path, "", 0));
    assert_ok(file_read(path, 0, &data, NULL));
    assert_string_equal(data, "");
    free(data);
    assert_int_equal(file_read(in_dir("none"), 9, &data, &n), ERR_MISSING);
    assert_err(file_read(in_dir("none"), 9, &data, &n), "No such file");
    assert_err(file_read(dir, 9, &data, &n), "is a folder");
    assert_err(file_read("/dev/zero", 100000, &data, &n), "more than 100000 bytes");

    int fds[2]; // a pipe has no size to ask for
    assert_int_equal(pipe(fds), 0);
    char big[10000], proc[64];
    memset(big, 'q', sizeof big);
    assert_int_equal(write(fds[1], big, sizeof big), (int)sizeof big);
    close(fds[1]);
    snprintf(proc, sizeof proc, "/proc/self/fd/%d", fds[0]);
    assert_ok(file_read(proc, 1 << 20, &data, &n));
    assert_int_equal(n, sizeof big);
    assert_memory_equal(data, big, n);
    free(data);
    close(fds[0]);
}

static void replacing(void **state)
{
    (void)state;
    const char *path = in_dir("r");
    assert_ok(file_write_atomic(path, "old", 3));
    assert_int_equal(chmod(path, 0640), 0);
    assert_ok(file_write_atomic(path, "new text", 8));
    holds(path, "new text");
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_int_equal(temp_dir_count(dir), 1);
}

static void links_stay_links(void **state)
{
    (void)state;
    char target[FILE_PATH], link[FILE_PATH];
    assert_ok(file_join(target, sizeof target, dir, "target"));
    assert_ok(file_join(link, sizeof link, dir, "link"));
    assert_ok(file_write_atomic(target, "1", 1));
    assert_int_equal(symlink("target", link), 0);
    assert_ok(file_write_atomic(link, "2", 1));
    holds(target, "2");
    struct stat st;
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
}

// A device or a pipe is written to; a rename would put a file in its place.
static void pipes_stay_pipes(void **state)
{
    (void)state;
    char pipe_path[FILE_PATH], link[FILE_PATH], got[16];
    assert_ok(file_join(pipe_path, sizeof pipe_path, dir, "pipe"));
    assert_ok(file_join(link, sizeof link, dir, "link"));
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_int_equal(symlink("pipe", link), 0);
    assert_ok(file_check_writable(pipe_path)); // does not wait for a reader
    int fd = open(pipe_path, O_RDWR | O_NONBLOCK);
    assert_true(fd >= 0);
    assert_ok(file_write_atomic(pipe_path, "one", 3));
    assert_ok(file_write_atomic(link, "two", 3));
    assert_int_equal(read(fd, got, sizeof got), 6);
    assert_memory_equal(got, "onetwo", 6);
    file_out *f;
    assert_ok(file_out_open(&f, pipe_path));
    file_out_abort(f);
    close(fd);
    struct stat st;
    assert_int_equal(lstat(pipe_path, &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    assert_int_equal(temp_dir_count(dir), 2);
}

static void streaming(void **state)
{
    (void)state;
    const char *path = in_dir("s");
    file_out *f;
    assert_ok(file_out_open(&f, path));
    size_t total = 0;
    unsigned char piece[70000];
    for (size_t i = 0; i < sizeof piece; i++) piece[i] = (unsigned char)(i * 7 % 251);
    for (size_t n = 0; n < 70000; n = n * 3 + 1) { // below, around and above the buffer
        assert_ok(file_out_write(f, piece, n));
        total += n;
    }
    assert_false(file_exists(path)); // invisible until committed
    assert_ok(file_out_commit(f));
    char *data;
    size_t n;
    assert_ok(file_read(path, 1 << 24, &data, &n));
    assert_int_equal(n, total);
    for (size_t k = 0, at = 0; k < 70000; at += k, k = k * 3 + 1) assert_memory_equal(data + at, piece, k);
    free(data);
    assert_ok(file_out_open(&f, path));
    assert_ok(file_out_write(f, "zzz", 3));
    file_out_abort(f);
    file_out_abort(NULL);
    assert_int_equal(temp_dir_count(dir), 1);
    assert_ok(file_read(path, 1 << 24, &data, &n));
    assert_int_equal(n, total);
    free(data);
}

// --- failures. Root may write anywhere, so the read-only folder is tried as another user in a child process.

static void read_only_folder(void **state)
{
    (void)state;
    const char *path = in_dir("f");
    assert_ok(file_write_atomic(path, "old", 3));
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(chmod(dir, 0555), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) _exit(9);
        err e = file_write_atomic(path, "new", 3);
        _exit(e == ERR_IO && strstr(err_text(), "Permission denied") != NULL &&
                      strstr(err_text(), "check who may write") != NULL
                  ? 0
                  : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(chmod(dir, 0755), 0);
    holds(path, "old");
    assert_int_equal(temp_dir_count(dir), 1);
}

static void missing_folder(void **state)
{
    (void)state;
    assert_int_equal(file_write_atomic(in_dir("no/such/x"), "1", 1), ERR_MISSING);
    assert_err(file_append(in_dir("no/x"), "1", 1), "No such file");
    assert_err(file_write_atomic(dir, "1", 1), "is a folder");
    char longest[2 * FILE_PATH];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(file_write_atomic(longest, "1", 1), ERR_LIMIT);
    longest[FILE_PATH - 5] = 0;
    assert_true(file_write_atomic(longest, "1", 1) != ERR_OK);
}

// A file size limit is the portable way to run out of room in the middle of a write.
static void out_of_room(void **state)
{
    (void)state;
    const char *path = in_dir("full");
    assert_ok(file_write_atomic(path, "old", 3));
    char *big = malloc(300000);
    memset(big, 'b', 300000);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit was, low;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    low = was;
    low.rlim_cur = 100000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    err one = file_write_atomic(path, big, 300000);
    bool said = strstr(err_text(), "File too large") != NULL;
    file_out *f;
    err two = file_out_open(&f, path);
    for (int i = 0; two == ERR_OK && i < 300; i++) (void)file_out_write(f, big, 1000);
    err three = file_out_write(f, big, 1); // the reason again: a caller may have looked past the first time
    bool said_why = strstr(err_text(), "File too large") != NULL;
    err four = file_out_commit(f);
    bool said_again = strstr(err_text(), "full: File too large") != NULL;
    err five = file_append(path, big, 300000); // what fitted is taken back
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    free(big);
    assert_int_equal(one, ERR_IO);
    assert_true(said && said_why && said_again);
    assert_int_equal(three, ERR_IO);
    assert_int_equal(four, ERR_IO);
    assert_int_equal(five, ERR_IO);
    holds(path, "old");
    assert_int_equal(temp_dir_count(dir), 1);
}

// An open file keeps its name only as long as nobody takes it away.
static void same_file(void **state)
{
    (void)state;
    const char *path = in_dir("named");
    char other[FILE_PATH];
    snprintf(other, sizeof other, "%s-moved", path);
    assert_ok(file_write_atomic(path, "1", 1));
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && file_is_at(fd, path));
    assert_int_equal(rename(path, other), 0);
    assert_false(file_is_at(fd, path));
    assert_true(file_is_at(fd, other));
    assert_ok(file_write_atomic(path, "1", 1)); // another one of that name
    assert_false(file_is_at(fd, path));
    assert_ok(file_remove(path));
    assert_ok(file_remove(other));
    assert_false(file_is_at(fd, other));
    close(fd);
    assert_false(file_is_at(-1, path));
}

static void full_disk(void **state)
{
    (void)state;
    if (!file_exists("/dev/full")) skip_because("no /dev/full here");
    assert_err(file_append("/dev/full", "x", 1), "No space left on device; free some space");
}

static void appending(void **state)
{
    (void)state;
    const char *path = in_dir("log");
    assert_ok(file_append(path, "one\n", 4));
    assert_ok(file_append(path, "two\n", 4));
    holds(path, "one\ntwo\n");
    assert_ok(file_cut(path, 5));
    holds(path, "one\nt");
    assert_err(file_cut(in_dir("nothing"), 5), "No such file");
}

static void locking(void **state)
{
    (void)state;
    int fd, other;
    assert_ok(file_lock(&fd, in_dir("locked"), "give another"));
    assert_true(file_exists(in_dir("locked")));
    assert_err(file_lock(&other, in_dir("locked"), "give another"), "locked; wait for it, or give another");
    assert_int_equal(other, -1);
    file_unlock(fd);
    assert_ok(file_lock(&fd, in_dir("locked"), ""));
    file_unlock(fd);
    assert_err(file_lock(&fd, in_dir("no/locked"), ""), "No such file");
    file_unlock(fd);
}

// Killed in the middle of many writes, the file is always one whole version.
static void killed_while_writing(void **state)
{
    (void)state;
    const char *path = in_dir("k");
    enum { SIZE = 200000 };
    char *buf = malloc(SIZE);
    for (int round = 0; round < 8; round++) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            for (int i = 0;; i++) {
                memset(buf, 'a' + i % 26, SIZE);
                if (file_write_atomic(path, buf, SIZE) != ERR_OK) _exit(1);
            }
        }
        clock_sleep(0.02 + 0.003 * round);
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
        char *data;
        size_t n;
        err e = file_read(path, SIZE, &data, &n);
        if (e == ERR_MISSING) continue; // killed before the first one was done
        assert_int_equal(e, ERR_OK);
        assert_int_equal(n, SIZE);
        for (size_t i = 1; i < n; i++) assert_int_equal(data[i], data[0]);
        free(data);
    }
    free(buf);
}

static void names(void **state)
{
    (void)state;
    char out[16];
    static const struct {
        const char *dir, *name, *joined;
    } known[] = {{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"", "b", "b"},
                 {"a", "/b", "/b"}, {"/", "b", "/b"},   {"a", "", "a/"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_ok(file_join(out, sizeof out, known[i].dir, known[i].name));
        assert_string_equal(out, known[i].joined);
    }
    assert_ok(file_join(out, sizeof out, "1234567", "1234567"));
    assert_int_equal(file_join(out, sizeof out, "12345678", "1234567"), ERR_LIMIT);
    assert_string_equal(file_name("/a/b.c"), "b.c");
    assert_string_equal(file_name("b"), "b");
}

// The reason is that of mkdir, not of whatever was asked afterwards.
static void a_folder_that_cannot_be_made(void **state)
{
    (void)state;
    assert_ok(file_make_dirs(in_dir("closed")));
    assert_int_equal(chmod(in_dir("closed"), 0555), 0);
    bool root = geteuid() == 0;
    if (root && (chmod(dir, 0755) != 0 || seteuid(65534) != 0)) skip_because("root cannot become somebody else");
    err e = file_make_dirs(in_dir("closed/a/b"));
    char said[400];
    snprintf(said, sizeof said, "%s", err_text());
    if (root) assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(in_dir("closed"), 0755), 0);
    assert_int_equal(e, ERR_IO);
    if (strstr(said, "Permission denied") == NULL || strstr(said, "check who may write") == NULL) fail_msg("%s", said);
}

static void folders(void **state)
{
    (void)state;
    assert_ok(file_make_dirs(in_dir("x/y//z/")));
    assert_true(file_is_dir(in_dir("x/y/z")));
    assert_ok(file_make_dirs(in_dir("x/y/z")));
    assert_ok(file_make_parent(in_dir("p/q/file")));
    assert_true(file_is_dir(in_dir("p/q")) && !file_exists(in_dir("p/q/file")));
    assert_ok(file_make_parent("file"));
    assert_ok(file_write_atomic(in_dir("x/f"), "", 0));
    assert_err(file_make_dirs(in_dir("x/f/g")), "Not a directory");
    assert_err(file_make_dirs(in_dir("x/f")), "Not a directory");
    assert_ok(file_write_atomic(in_dir("x/b.txt"), "", 0));
    assert_ok(file_write_atomic(in_dir("x/a.txt"), "", 0));
    assert_ok(file_write_atomic(in_dir("x/txt"), "", 0));
    char **list;
    int n;
    assert_ok(file_list(in_dir("x"), ".txt", &list, &n));
    assert_int_equal(n, 2);
    assert_string_equal(list[0], "a.txt");
    assert_string_equal(list[1], "b.txt");
    file_list_free(list, n);
    assert_ok(file_list(in_dir("p/q"), NULL, &list, &n));
    assert_int_equal(n, 0);
    file_list_free(list, n);
    assert_int_equal(file_list(in_dir("none"), NULL, &list, &n), ERR_MISSING);
    assert_ok(file_remove(in_dir("x/txt")));
    assert_ok(file_remove(in_dir("x/txt")));
    assert_err(file_remove(in_dir("x")), "cannot remove");
}

// The library is a shared object in some builds of the tests, and in others a part of this program.
static void where_we_are(void **state)
{
    (void)state;
    char program[FILE_PATH], library[FILE_PATH];
    assert_true(file_program(program));
    assert_string_equal(file_name(program), "test_file");
    assert_true(file_exists(program));
    assert_true(file_library(library));
    if (strcmp(library, program) != 0) assert_string_equal(file_name(library), "libkeiko_inner.so");
    assert_true(file_exists(library));
}

int main(void)
{
#define ONE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        ONE(reading),
        ONE(replacing),
        ONE(links_stay_links),
        ONE(pipes_stay_pipes),
        ONE(streaming),
        ONE(read_only_folder),
        ONE(missing_folder),
        ONE(out_of_room),
        ONE(same_file),
        ONE(full_disk),
        ONE(appending),
        ONE(locking),
        ONE(killed_while_writing),
        ONE(names),
        ONE(folders),
        ONE(a_folder_that_cannot_be_made),
        ONE(where_we_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
