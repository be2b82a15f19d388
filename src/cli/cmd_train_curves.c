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

static const opt args[] = {
    {.name = "NAME=DIR,…",
     .kind = OPT_LIST,
     .at = offsetof(options, groups),
     .required = true,
     .help = "a line of the chart: its name and the folders of its runs"},
};

#define TEXT(name_, field, value_, preset_, help_)                                                                     \
    {                                                                                                                  \
        .name = name_, .kind = OPT_TEXT, .at = offsetof(options, field), .value = value_, .preset = preset_,           \
        .help = help_                                                                                                  \
    }
static const opt opts[] = {
    {.name = "out",
     .letter = 'o',
     .kind = OPT_FILE,
     .at = offsetof(options, out),
     .value = "FILE",
     .required = true,
     .help = "the SVG to write"},
    TEXT("kind", kind, "KIND", "match", "which lines of the logs: match, episode, learn, elo"),
    TEXT("value", value, "NAME", "score", "which number of them"),
    TEXT("opponent", opponent, "AGENT", NULL, "only matches against this one"),
    TEXT("title", title, "TEXT", NULL, "above the chart"),
    TEXT("label", label, "TEXT", NULL, "beside the y axis"),
    {.name = "percent", .kind = OPT_FLAG, .at = offsetof(options, percent), .help = "write shares as percent"},
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
    .name = "train curves",
    .summary = "several training runs in one chart",
    .about =
        "Draws one number of the runs' logs over the steps. Runs that differ in their seeds only go into one line: "
        "their mean, with a band from the least to the largest.",
    .examples =
        "keiko train curves uniform=runs/u1,runs/u2,runs/u3 prioritized=runs/p1,runs/p2,runs/p3 --opponent greedy "
        "--percent -o curves.svg",
    .args = args,
    .n_args = COUNT(args),
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
