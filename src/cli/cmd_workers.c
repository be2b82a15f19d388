// keiko workers: who works on a NATS server.
#include "app/workers.h"
#include "base/stop.h"
#include "base/term.h"
#include "cli/cli.h"

#include <stdio.h>

typedef struct options {
    common all;
    bus_options nats;
    const char *remove;
    bool once, json;
} options;

#define AT(field)   offsetof(options, field)
#define NATS(field) offsetof(options, nats.field)
// clang-format off
static const opt opts[] = {
    ROW_TEXT("nats", NATS(url), "URL", NULL, "NATS server (nats://HOST:4222, or @FILE that holds the URL)", .required = true),
    ROW_FLAG("once", AT(once), NULL, "Print one table and exit; the default where the output is no terminal"),
    OPT_JSON(options),
    ROW_TEXT("remove", AT(remove), "RUN", NULL, "Remove a run's games, weights and entry from the server"),
    BUS_SECURITY_ROWS(NATS),
};
// clang-format on

#define ROUND 2.6 // seconds: everybody has spoken once

static err print_once(const options *o, const workers_view *v)
{
    text_buf t = {0};
    if (!o->json) return cli_put(&t, workers_table(v, &t));
    json_writer w = json_begin(&t, true);
    workers_json(v, &w);
    return cli_put(&t, json_finish(&w));
}

static err watch(const options *o, workers_link *l)
{
    workers_view v = {0};
    bool once = o->once || o->json || !term_is(stdout);
    err e = ERR_OK;
    do {
        e = workers_listen(l, &v, ROUND, NULL);
        if (e == ERR_OK && !once) fputs("\033[H\033[2J", stdout);
        if (e == ERR_OK) e = print_once(o, &v);
        fflush(stdout);
    } while (e == ERR_OK && !once && !stop_requested());
    workers_view_free(&v);
    return e;
}

static int run(const void *options_)
{
    const options *o = options_;
    workers_link *l = NULL;
    stop_install(NULL);
    err e = workers_open(&l, &o->nats, NULL);
    if (e == ERR_OK && o->remove != NULL) {
        e = workers_remove_run(l, o->remove);
        if (e == ERR_OK && !o->all.quiet) printf("run %s is removed from the server\n", o->remove);
    } else if (e == ERR_OK) {
        e = watch(o, l);
    }
    workers_close(l);
    return e == ERR_OK ? 0 : cli_fail("workers");
}

const command cmd_workers = {
    CALLED("workers", "Show the learners and workers of a NATS server"),
    .about =
        "Lists who is at work: learners with their generation of weights, rate and lag (games that wait in the stream), and workers with machine, run, rates and lag (finished games not sent yet). On a terminal the table is refreshed until Ctrl-C.",
    .examples = "keiko workers --nats nats://10.0.0.1:4222\n"
                "keiko workers --nats nats://10.0.0.1:4222 --json\n"
                "keiko workers --nats nats://10.0.0.1:4222 --remove c1  # forget a run",
    RUNS(run, options, WITH_OPTS(opts)),
};
