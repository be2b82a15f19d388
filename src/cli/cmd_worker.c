// keiko worker: self-play and matches for a learner elsewhere.
#include "base/clock.h"
#include "base/log.h"
#include "base/opt_table.h"
#include "base/stop.h"
#include "base/term.h"
#include "cli/cli.h"
#include "dist/worker.h"
#include "keiko.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct options {
    common all;
    dist_worker_options w;
} options;

static const opt opts[] = {ROW_TABLE(offsetof(options, w), dist_worker_opts, dist_worker_n_opts, NULL)};

typedef struct screen {
    bool live; // a terminal: one line that changes
    double logged_at;
} screen;

// From the worker's own thread.
static void show(void *ctx, const dist_status *s)
{
    screen *sc = ctx;
    char games[TEXT_SHORT], rate[TEXT_SHORT], positions[TEXT_SHORT], sims[TEXT_SHORT], line[300];
    text_short((double)s->games, games);
    text_short(s->games_s, rate);
    text_short(s->positions_s, positions);
    text_short(s->sims_s, sims);
    snprintf(line, sizeof line, "%s: %s, generation %lld, %s games, %s games/s, %s positions/s, %s simulations/s",
             s->run[0] != 0 ? s->run : s->name, s->state, (long long)s->generation, games, rate, positions, sims);
    if (sc->live) {
        log_screen_lock();
        fprintf(stderr, "\r\033[K%.*s", term_width(stderr) - 1, line);
        fflush(stderr);
        log_screen_unlock();
    } else if (clock_seconds() - sc->logged_at > 30) {
        sc->logged_at = clock_seconds();
        log_info("%s", line);
    }
}

static void wipe(void *ctx)
{
    const screen *sc = ctx;
    if (sc->live) fputs("\r\033[K", stderr);
}

static int run(const void *options_)
{
    const options *o = options_;
    dist_worker_options w = o->w;
    dist_worker_end end = {0};
    screen sc = {.live = term_is(stderr) && !o->all.quiet, .logged_at = clock_seconds()};
    w.version = keiko_version();
    if (!o->all.quiet) {
        w.each = show;
        w.ctx = &sc;
    }
    stop_install("\nsending what is finished; Ctrl-C again to leave at once\n");
    // What a worker says is all there is to see of it, so it is shown without --verbose.
    log_options lo = {.quiet = o->all.quiet,
                      .verbose = !o->all.quiet,
                      .debug = o->all.debug,
                      .color = o->all.color,
                      .dir = o->all.logs,
                      .name = "worker"};
    if (log_init(&lo) != ERR_OK) return cli_fail("worker");
    log_screen_wipe(wipe, &sc);
    err e = dist_worker_run(&w, &end);
    log_screen_wipe(NULL, NULL);
    wipe(&sc);
    if (e != ERR_OK) return cli_fail("worker");
    if (!o->all.quiet)
        printf("%" PRIu64 " games sent, %" PRIu64 " positions, %" PRIu64 " simulations, %" PRIu64 " match jobs\n",
               end.games, end.positions, end.sims, end.jobs);
    return 0;
}

const command cmd_worker = {
    CALLED("worker", "Play games for a learner or a bench on another machine"),
    .about =
        "Connects to a NATS server and plays for the runs there: keiko train --nats sends weights, workers send finished games. Game, network and options come from the run, so the URL (and credentials, if the server wants them) is all a worker needs. It also plays match games for keiko bench --nats.\n\n"
        "Start as many as you like, at any time, on any machine; stop them with Ctrl-C or kill. A game counts once the server has confirmed it; games that are not finished are lost with the worker, nothing else. When the server is away or the learner's backlog is full, the worker waits and says so. A worker of another version of keiko than the learner's is refused.\n\n"
        "docs/DISTRIBUTED.md describes the setup, security and what happens in each kind of failure.",
    .examples = "keiko worker --nats nats://10.0.0.1:4222\n"
                "keiko worker --nats tls://nats.example.org --nats-creds worker.creds -t 8\n"
                "keiko worker --nats nats://10.0.0.1:4222 --backend cuda --in-flight 4096\n"
                "keiko worker --nats nats://10.0.0.1:4222 --runs 'contrast1:2,othello1:1'  # two thirds, one third",
    RUNS(run, options, WITH_OPTS(opts)),
};
