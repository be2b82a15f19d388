// keiko doctor: is this machine and this build fit to train, and what will limit it? The checks are in app/doctor.h.
#include "app/doctor.h"
#include "base/progress.h"
#include "base/stop.h"
#include "cli/cli.h"
#include "keiko.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct options {
    common all;
    const char *dir;
    double seconds;
    int64_t threads;
    bool json, learn;
} options;

#define AT(field) offsetof(options, field)
static const opt opts[] = {
    ROW_DIR("dir", AT(dir), ".", "Folder whose disk is measured (where you will keep runs)"),
    ROW_FLAG("learn", AT(learn), "yes", "Train on tic-tac-toe at the end (about a minute)"),
    ROW_NUMBER("seconds", AT(seconds), "S", "45", 1, 3600, "Maximum training time in seconds"),
    ROW_INT("threads", AT(threads), "N", "0", 0, 256, "Number of training threads; 0 = one per core", .letter = 't'),
    OPT_JSON(options),
};

typedef struct printer {
    const options *o;
    json_writer *json;
    char section[64]; // that is on the screen
    progress *bar;
} printer;

static void print_row(void *ctx, const doctor_row *r)
{
    printer *p = ctx;
    progress_finish(p->bar);
    p->bar = NULL;
    if (p->o->json) {
        doctor_row_json(p->json, r);
        return;
    }
    if (strcmp(r->section, p->section) != 0) printf("%s%s\n", p->section[0] ? "\n" : "", r->section);
    snprintf(p->section, sizeof p->section, "%s", r->section);
    char head[64];
    bool marked = r->mark >= DOCTOR_NOTE;
    snprintf(head, sizeof head, "  %-22s ", r->name);
    cli_say(stdout, head, "%s%s%s%s", r->text, marked ? "  [" : "", marked ? doctor_mark_name[r->mark] : "",
            marked ? "]" : "");
    fflush(stdout);
}

static void show_training(void *ctx, double seconds, const char *text)
{
    printer *p = ctx;
    if (p->bar == NULL) p->bar = cli_progress(&p->o->all, "tictactoe", "s", (uint64_t)ceil(p->o->seconds));
    progress_set(p->bar, (uint64_t)seconds);
    progress_extra(p->bar, "%s", text);
}

static int run(const void *options_)
{
    const options *o = options_;
    text_buf text = {0};
    char build[128];
    json_writer w = json_begin(&text, true);
    printer p = {.o = o, .json = &w};
    snprintf(build, sizeof build, "keiko %s (%s)", keiko_version(), keiko_build());
    stop_install("\nstopping\n");
    json_open_object(&w);
    json_pair_array(&w, "rows");
    int bad = doctor_run(&(doctor_options){.dir = o->dir,
                                           .build = build,
                                           .seconds = o->learn ? o->seconds : 0,
                                           .threads = (int)o->threads,
                                           .verbose = o->all.verbose,
                                           .row = print_row,
                                           .training = show_training,
                                           .ctx = &p});
    progress_finish(p.bar);
    json_close(&w);
    json_pair_int(&w, "bad", bad);
    json_close(&w);
    err e = json_finish(&w);
    if (o->json && cli_put(&text, e) != ERR_OK) return cli_fail("doctor");
    text_free(&text);
    if (!o->json && bad > 0)
        printf("\n%d bad: see above\n", bad);
    else if (!o->json && !stop_requested())
        printf("\nno problems found\n");
    return bad > 0 || stop_requested() ? 1 : 0;
}

const command cmd_doctor = {
    CALLED("doctor", "Check whether this machine can train, and what limits its speed"),
    .about =
        "Checks the machine, the build and its backends, tests the network kernels, and measures network and disk speed. Then it trains on tic-tac-toe for up to a minute and prints how many of the 4,520 positions the network plays perfectly before and after, without search, and what limits the speed. The exit status is 1 if a check fails.",
    .examples = "keiko doctor\nkeiko doctor --no-learn  # a few seconds\nkeiko doctor --dir /mnt/runs --json",
    RUNS(run, options, WITH_OPTS(opts)),
};
