// keiko report: a run as one page. Which kinds of runs there are stands in one table.
#include "base/file.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "learn/run_report.h"
#include "learn/run_status.h"

#include <stdio.h>
#include <string.h>

typedef struct options {
    common all;
    const char *dir, *out, *format, *over;
} options;

static const opt args[] = {
    {.name = "RUN",
     .kind = OPT_DIR,
     .at = offsetof(options, dir),
     .required = true,
     .help = "the run's folder or file"},
};

static const opt opts[] = {
    {.name = "out",
     .letter = 'o',
     .kind = OPT_FILE,
     .at = offsetof(options, out),
     .value = "FILE",
     .help = "where the report goes, - for the screen; report.html (report.md) in the run's folder"},
    {.name = "format",
     .kind = OPT_CHOICE,
     .at = offsetof(options, format),
     .value = "FORMAT",
     .preset = "html",
     .choices = "html|markdown",
     .help = "a page with charts, or a text for a comment (bench runs)"},
    {.name = "over",
     .kind = OPT_CHOICE,
     .at = offsetof(options, over),
     .value = "AXIS",
     .preset = "step",
     .choices = "step|time",
     .help = "training: what the curves are drawn over"},
};

// --- training runs

static bool fits_training(const char *path)
{
    run_info info;
    return run_info_read(&info, path) != ERR_MISSING;
}

static err write_training(const report_options *o, text_buf *to)
{
    return run_report(o->dir, &(run_report_options){.by_time = o->by_time}, to);
}

static const report_kind kinds[] = {
    {"training run", fits_training, "html", write_training},
};

static err write_report(const options *o, const char *out)
{
    const report_kind *kind = NULL;
    text_buf text = {0};
    for (int i = 0; i < COUNT(kinds) && kind == NULL; i++)
        if (kinds[i].fits(o->dir)) kind = &kinds[i];
    if (kind == NULL) {
        if (!file_exists(o->dir)) return err_set(ERR_MISSING, "there is no %s", o->dir);
        return err_set(ERR_USAGE, "%s is none of the runs that can be reported: training run", o->dir);
    }
    if (strstr(kind->formats, o->format) == NULL)
        return err_set(ERR_USAGE, "a %s has no report as %s, only %s", kind->name, o->format, kind->formats);
    report_options r = {.dir = o->dir, .format = o->format, .by_time = strcmp(o->over, "time") == 0};
    err e = kind->write(&r, &text);
    if (e == ERR_OK && strcmp(out, "-") == 0)
        fwrite(text_str(&text), 1, text.len, stdout);
    else if (e == ERR_OK && (e = file_make_parent(out)) == ERR_OK)
        e = file_write_atomic(out, text.data, text.len);
    text_free(&text);
    return e;
}

static int run(const void *options_)
{
    const options *o = options_;
    char path[FILE_PATH];
    const char *out = o->out;
    if (out == NULL) {
        const char *name = strcmp(o->format, "markdown") == 0 ? "report.md" : "report.html";
        if (file_join(path, sizeof path, file_is_dir(o->dir) ? o->dir : "", name) != ERR_OK) return cli_fail("report");
        out = path;
    }
    if (write_report(o, out) != ERR_OK) return cli_fail("report");
    if (strcmp(out, "-") != 0 && !o->all.quiet) printf("%s\n", out);
    return 0;
}

const command cmd_report = {
    .name = "report",
    .summary = "a run as one self-contained page",
    .about =
        "Writes one HTML file that needs nothing else: for a training run the curves of losses, rating, self-play and "
        "time, and the options it ran with. It may be written while the run goes on.",
    .examples = "keiko report runs/contrast\nkeiko report runs/contrast -o report.html --over time",
    .args = args,
    .n_args = COUNT(args),
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
