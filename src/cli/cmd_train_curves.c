// keiko train curves: several training runs in one chart.
#include "base/file.h"
#include "cli/cli.h"
#include "run/run_curves.h"

#include <stdio.h>
#include <string.h>

typedef struct options {
    common all;
    opt_list groups;
    const char *out, *kind, *value, *opponent, *title, *label;
    bool percent;
} options;

#define AT(field) offsetof(options, field)
static const opt args[] = {
    ROW_LIST("NAME=DIR[,DIR]", AT(groups), "A line of the chart: its name and its run folders, separated by ','",
             .required = true),
};

#define TEXT(name_, field, value_, preset_, help_)                                                                     \
    {                                                                                                                  \
        .name = name_, .kind = OPT_TEXT, .at = offsetof(options, field), .value = value_, .preset = preset_,           \
        .help = help_                                                                                                  \
    }
static const opt opts[] = {
    ROW_FILE("out", AT(out), NULL, "SVG file to write", .letter = 'o', .required = true),
    TEXT("kind", kind, "KIND", "match", "Kind of log lines to read: match, episode, learn, elo"),
    TEXT("value", value, "NAME", "score", "Which number of these lines to draw"),
    TEXT("opponent", opponent, "AGENT", NULL, "Only matches against this opponent"),
    TEXT("title", title, "TEXT", NULL, "Title above the chart"),
    TEXT("label", label, "TEXT", NULL, "Label beside the y axis"),
    ROW_FLAG("percent", AT(percent), NULL, "Show shares as percentages"),
};

static int run(const void *options_)
{
    const options *o = options_;
    static curves_group g[CURVES_GROUPS];
    text_buf svg = {0};
    err e = o->groups.n > CURVES_GROUPS ? err_set(ERR_LIMIT, "at most %d lines", CURVES_GROUPS) : ERR_OK;
    int n = 0;
    while (n < o->groups.n && e == ERR_OK)
        if ((e = curves_parse(o->groups.items[n], &g[n])) == ERR_OK) n++;
    curves_options c = {o->title, o->kind, o->value, o->opponent, o->label, o->percent};
    if (e == ERR_OK) e = curves_draw(g, n, &c, &svg);
    if (e == ERR_OK) e = file_make_parent(o->out);
    if (e == ERR_OK) e = file_write_atomic(o->out, svg.data, svg.len);
    for (int i = 0; i < n; i++) curves_free(&g[i]);
    text_free(&svg);
    return e == ERR_OK ? 0 : cli_fail("train curves");
}

const command cmd_train_curves = {
    CALLED("train curves", "Draw several training runs in one chart"),
    .about =
        "Draws one logged number against training steps. List runs that differ only in their seed under one NAME: the chart shows their mean and a band from minimum to maximum.",
    .examples =
        "keiko train curves uniform=runs/u1,runs/u2,runs/u3 prioritized=runs/p1,runs/p2,runs/p3 --opponent greedy --percent -o curves.svg",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
