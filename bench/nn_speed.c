// How fast the networks run and train, for tools/nn_peers.py, which puts PyTorch and oneDNN beside it.
//
//   nn_speed NET [infer|int8|train|threads] [seconds per line] [boards per chunk]
//
// NET is a preset or a description. One thread is timed by its CPU time, so that a busy neighbour does not count. Lines:
// "infer (avx512 f4, chunks of 16) batch=32 30.1 ms 1063 positions/s". `threads` goes by the wall clock and wants a quiet
// machine: one thread and two in turn, then two beside a process that keeps one of their two cores busy.
#define _GNU_SOURCE // sched_setaffinity: the busy neighbour must share a core with us, not take a free one
#include "base/clock.h"
#include "nn/speed.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(err e)
{
    if (e == ERR_OK) return;
    fprintf(stderr, "nn_speed: %s\n", err_text());
    exit(1);
}

static void lines(const nn_net *net, const char *what, int chunk, double seconds)
{
    static const int sizes[] = {1, 8, 32, 128, 256};
    nn_speed_plan plan = {
        .int8 = strcmp(what, "int8") == 0, .train = strcmp(what, "train") == 0, .chunk = chunk, .seconds = seconds};
    for (int k = plan.train ? 4 : 0; k < 5; k++) {
        nn_speed_report r;
        plan.batch = sizes[k];
        must(nn_speed(net, &plan, &r));
        printf("%s (%s) batch=%d %.3f ms %.0f positions/s\n", what, r.text, sizes[k], r.best_seconds * 1e3,
               r.positions_per_second);
        fflush(stdout);
    }
}

// Keeps the process to the first `n` cores it may use; they are returned in `first` and the last of them in `last`.
static void keep_to(int n, cpu_set_t *first, cpu_set_t *last)
{
    cpu_set_t all;
    CPU_ZERO(first);
    CPU_ZERO(last);
    if (sched_getaffinity(0, sizeof all, &all) != 0) must(err_set(ERR_IO, "cannot learn which cores we may use"));
    int have = 0;
    for (size_t c = 0; c < CPU_SETSIZE && have < n; c++) {
        if (!CPU_ISSET(c, &all)) continue;
        CPU_SET(c, first);
        if (++have == n) CPU_SET(c, last);
    }
    sched_setaffinity(0, sizeof *first, first);
}

static pid_t start_neighbour(const cpu_set_t *core)
{
    pid_t id = fork();
    if (id != 0) return id;
    sched_setaffinity(0, sizeof *core, core);
    for (volatile unsigned i = 0;; i++)
        if (getppid() == 1) _exit(0); // do not outlive the measurement
}

// Mean over the time, not the best: what a neighbour takes shows in the mean only.
static double mean_rate(const nn_net *net, bool train, int threads, double seconds)
{
    nn_speed_report r;
    nn_speed_plan plan = {.batch = 256, .threads = threads, .train = train, .wall_mean = true, .seconds = seconds};
    must(nn_speed(net, &plan, &r));
    return r.positions_per_second;
}

static void threads(const nn_net *net, double seconds)
{
    cpu_set_t two, one;
    keep_to(2, &two, &one);
    for (int train = 0; train < 2; train++) {
        double best[3] = {0};
        for (int round = 0; round < 3; round++) {
            for (int t = 1; t <= 2; t++) {
                double v = mean_rate(net, train == 1, t, seconds / 3);
                if (v > best[t - 1]) best[t - 1] = v;
            }
            pid_t neighbour = start_neighbour(&one);
            double v = mean_rate(net, train == 1, 2, seconds / 3);
            if (v > best[2]) best[2] = v;
            if (neighbour > 0) {
                kill(neighbour, SIGKILL);
                waitpid(neighbour, NULL, 0);
            }
        }
        printf(
            "%s batch=256: one thread %.0f positions/s, two %.0f (%.2f times), two with one core shared %.0f (%.2f of "
            "free)\n",
            train ? "train" : "infer", best[0], best[1], best[1] / best[0], best[2], best[2] / best[1]);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    nn_desc d;
    nn_net *net;
    const char *what = argc > 2 ? argv[2] : "infer";
    double seconds = argc > 3 ? atof(argv[3]) : 1;
    must(nn_desc_parse(argc > 1 ? argv[1] : "othello-seed", &d));
    must(nn_net_new(&net, &d, 1));
    if (strcmp(what, "threads") == 0)
        threads(net, seconds);
    else
        lines(net, what, argc > 4 ? atoi(argv[4]) : 0, seconds);
    nn_net_free(net);
    return 0;
}
