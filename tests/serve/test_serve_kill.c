// keiko serve as a program: killed in the middle of a game, started again; ended by a signal; its options.
#include "base/clock.h"
#include "base/temp_dir.h"
#include "cli/program.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

static char dir[64], answer[1 << 18];
static pid_t pid;
static int port;

// Starts it and reads the address that it prints.
static void start(void)
{
    int out[2];
    char line[300] = "", data[100];
    snprintf(data, sizeof data, "%s/data", dir);
    assert_int_equal(pipe(out), 0);
    pid = fork();
    if (pid == 0) {
        dup2(out[1], 1);
        close(out[0]);
        execl(KEIKO_PROGRAM, "keiko", "serve", "--port", "0", "--data", data, (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    FILE *f = fdopen(out[0], "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    if (sscanf(line, "keiko serve: http://127.0.0.1:%d/", &port) != 1) fail_msg("it said %s", line);
}

static int ended(int sig)
{
    int status;
    kill(pid, sig);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static const char *ask(const char *method, const char *path, const char *body)
{
    char text[2000];
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    int n = snprintf(text, sizeof text,
                     "%s /api/1%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\nContent-Type: "
                     "application/json\r\nContent-Length: %zu\r\n\r\n%s",
                     method, path, port, strlen(body), body);
    assert_int_equal(send(fd, text, (size_t)n, MSG_NOSIGNAL), n);
    size_t len = 0;
    for (ssize_t k; (k = recv(fd, answer + len, sizeof answer - 1 - len, 0)) > 0;) len += (size_t)k;
    answer[len] = 0;
    close(fd);
    char *content = strstr(answer, "\r\n\r\n");
    assert_non_null(content);
    return content + 4;
}

// Every move that was answered is there, whenever the kill comes.
static void a_game_goes_on_after_kill(void **state)
{
    (void)state;
    char session[100], path[120], body[100];
    start();
    snprintf(session, sizeof session, "/sessions/%.22s",
             ask("POST", "/sessions", "{\"game\":\"othello\",\"second\":\"1\"}") + 7);
    int plies = 0;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 3; i++) {
            snprintf(path, sizeof path, "%s/think", session); // the helper moves for the person
            if (strstr(ask("POST", path, "{}"), "\"choice\"") == NULL) fail_msg("%s", answer);
            plies++;
        }
        assert_int_equal(WTERMSIG(ended(SIGKILL)), SIGKILL);
        start();
        snprintf(body, sizeof body, "\"ply\":%d,", plies);
        if (strstr(ask("GET", session, ""), body) == NULL) fail_msg("no %s in %s", body, answer);
        assert_non_null(strstr(answer, "\"player\":\"1\""));
    }
    int status = ended(SIGTERM);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

// The server ends and takes what it started along, saved.
static void a_signal_ends_it_with_its_runs(void **state)
{
    (void)state;
    char text[300];
    start();
    ask("POST", "/runs",
        "{\"game\":\"tictactoe\",\"name\":\"r\",\"options\":{\"minutes\":\"30\",\"net\":\"c=8 b=1\",\"fill\":\"100\","
        "\"threads\":\"1\"}}");
    for (double begun = clock_seconds(); strstr(ask("GET", "/runs/r/log", ""), "\"learn\"") == NULL; clock_sleep(0.2))
        if (clock_seconds() - begun > 120) fail_msg("it never learned: %s", answer);
    int status = ended(SIGINT);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    snprintf(text, sizeof text, "status %s/data/runs/r", dir);
    says(text, 0, "ended: stopped");
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    char text[200];
    snprintf(text, sizeof text, "serve --data %s/x --bind nowhere", dir);
    says(text, 2, "not an address");
    snprintf(text, sizeof text, "serve --data %s/x --site %s/none", dir, dir);
    says(text, 2, "no folder");
    snprintf(text, sizeof text, "serve --data %s/x --token short", dir);
    says(text, 2, "16");
    says("serve --port 99999", 2, "port");
    says("serve --help", 0, "--bind");
}

static int begin(void **state)
{
    (void)state;
    assert_non_null(temp_dir_make(dir));
    return 0;
}

static int end(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_game_goes_on_after_kill),
        cmocka_unit_test(a_signal_ends_it_with_its_runs),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
