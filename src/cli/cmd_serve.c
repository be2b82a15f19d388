// keiko serve: the page and the API, until Ctrl-C. The server itself is src/serve.
#include "base/file.h"
#include "base/stop.h"
#include "cli/cli.h"
#include "dist/bus.h"
#include "keiko.h"
#ifdef KEIKO_SERVE
#include "base/clock.h"
#include "serve/serve.h"
#endif

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    common all;
    const char *bind, *token, *hosts, *data, *site;
    int64_t port, workers, jobs;
    double think;
    bus_options nats;
} options;

#define AT(field)   offsetof(options, field)
#define NATS(field) offsetof(options, nats.field)
// clang-format off
static const opt opts[] = {
    ROW_INT("port", AT(port), "N", "7878", 0, 65535, "Port to listen on; 0 = a free one", .letter = 'p'),
    ROW_TEXT("bind", AT(bind), "ADDRESS", "127.0.0.1", "Address to listen on. Any but a loopback address needs a token"),
    ROW_TEXT("token", AT(token), "TEXT", NULL, "Secret that clients must know (16 characters or more); made and printed if --bind needs one"),
    ROW_TEXT("host", AT(hosts), "NAMES", NULL, "Other names of this server, separated by commas: what clients behind a proxy write"),
    ROW_DIR("data", AT(data), NULL, "Folder for games, runs and benches; default: keiko in XDG_DATA_HOME or ~/.local/share"),
    ROW_DIR("site", AT(site), NULL, "Folder of the page's files (make site); default: found beside the program"),
    ROW_INT("workers", AT(workers), "N", "0", 0, 256, "Searches at the same time; 0 = one per core"),
    ROW_NUMBER("think", AT(think), "S", "60", 0.1, 86400, "Seconds that one search may take"),
    ROW_INT("jobs", AT(jobs), "N", "2", 1, 64, "Training runs and benches started from the page at the same time"),
    ROW_TEXT("nats", NATS(url), "URL", NULL, "NATS server whose learners and workers the page shows (nats://HOST:4222, or @FILE that holds the URL)"),
    BUS_SECURITY_ROWS(NATS),
};
// clang-format on

#ifdef KEIKO_SERVE

static err data_folder(const options *o, char path[FILE_PATH])
{
    const char *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (o->data != NULL) return file_join(path, FILE_PATH, "", o->data);
    if (xdg != NULL && xdg[0] == '/') return file_join(path, FILE_PATH, xdg, "keiko");
    if (home != NULL && home[0] == '/') return file_join(path, FILE_PATH, home, ".local/share/keiko");
    return err_set(ERR_USAGE, "neither XDG_DATA_HOME nor HOME is set; give a folder with --data");
}

static void site_folder(const options *o, char path[FILE_PATH])
{
    if (o->site != NULL)
        snprintf(path, FILE_PATH, "%s", o->site);
    else if (cli_beside("site/index.html", path))
        *strrchr(path, '/') = 0;
}

static void print_address(const options *o, const server *s)
{
    char address[200];
    const char *token = serve_token(s);
    bool v6 = strchr(o->bind, ':') != NULL;
    snprintf(address, sizeof address, "http://%s%s%s:%d/", v6 ? "[" : "", o->bind, v6 ? "]" : "", serve_port(s));
    if (token[0] != 0)
        printf("keiko serve: %s?token=%s\n", address, token);
    else
        printf("keiko serve: %s\n", address);
    if (!o->all.quiet) {
        cli_say(stdout, "", "data in %s", serve_data(s));
        if (serve_site(s)[0] == 0)
            cli_say(stdout, "", "without the page, which make site builds; the API is at %sapi/1/", address);
        cli_say(stdout, "", "Ctrl-C ends it; training and benches started from the page are saved and stopped");
    }
    fflush(stdout);
}

static int run(const void *options_)
{
    const options *o = options_;
    char self[FILE_PATH], data[FILE_PATH], site[FILE_PATH];
    server *s = NULL;
    signal(SIGPIPE, SIG_IGN);
    stop_install("stopping; Ctrl-C again to leave at once\n");
    err e = data_folder(o, data);
    site_folder(o, site);
    if (e == ERR_OK)
        e = serve_start(&s, &(serve_options){.data = data,
                                             .site = site,
                                             .bind = o->bind,
                                             .port = (int)o->port,
                                             .token = o->token,
                                             .hosts = o->hosts,
                                             .program = file_program(self) ? self : NULL,
                                             .build = keiko_build(),
                                             .workers = (int)o->workers,
                                             .jobs = (int)o->jobs,
                                             .think = o->think,
                                             .nats = o->nats.url != NULL ? &o->nats : NULL});
    if (e != ERR_OK) return cli_fail("serve");
    print_address(o, s);
    while (!stop_requested()) clock_sleep(0.5);
    serve_stop(s);
    return 0;
}

#else

static int run(const void *options_)
{
    (void)options_;
    err_set(ERR_MISSING,
            "this keiko was built without the server (install libmicrohttpd-dev and libjansson-dev and build again)");
    return cli_fail("serve");
}

#endif

// clang-format off
const command cmd_serve = {
    CALLED("serve", "Serve the page: play, analyse, train and rate in the browser"),
    .about =
        "Serves the page that make site builds, and a JSON API (docs/API.md). Open the address that it prints. The page then has what needs this machine: strong agents on all cores, training runs, benches, and games that are kept.\n\n"
        "DATA holds games.db, runs/ and benches/. A run trained in the terminal with --run DATA/runs/NAME shows in the page, too. Games survive a restart, even after kill -9. Training and benches started from the page are processes of their own; when the server ends they are saved and stopped, and can be resumed.\n\n"
        "Only this machine can connect, unless --bind names another address. Everybody who connects then needs the token. The connection is not encrypted: use a proxy with TLS, or an SSH tunnel, outside a trusted network.",
    .examples = "keiko serve\nkeiko serve --port 0 --data /tmp/k       # a free port, another folder\n"
                "keiko serve --nats nats://10.0.0.1:4222 # the Train view shows who works there\n"
                "keiko serve --bind 0.0.0.0              # others may connect, with the token that is printed\n"
                "ssh -L 7878:127.0.0.1:7878 HOST         # the page of another machine, at http://127.0.0.1:7878/",
    RUNS(run, options, WITH_OPTS(opts)),
};
// clang-format on
