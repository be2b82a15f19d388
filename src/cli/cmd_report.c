// keiko report: a run as one page. Which kinds of runs there are stands in one table.
#include "arena/export.h"
#include "arena/report.h"
#include "base/file.h"
#include "cli/bench.h"
#include "cli/report.h"
#include "run/run_report.h"
#include "run/run_status.h"

#include <stdio.h>
#include <string.h>

typedef struct options {
    common all;
    const char *dir, *out, *format, *over;
    rating_words ratings;
    int64_t run, replays;
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
    {.name = "run",
     .kind = OPT_INT,
     .at = offsetof(options, run),
     .value = "N",
     .preset = "0",
     .low = 0,
     .high = 1e9,
     .help = "bench: which run of the store, 0 = the last"},
    {.name = "replays",
     .kind = OPT_INT,
     .at = offsetof(options, replays),
     .value = "N",
     .preset = "40",
     .low = 0,
     .high = 5000,
     .help = "bench: games that can be replayed on the page"},
    {.help = "Ratings of a bench run, as in keiko bench"},
    BENCH_RATING_OPTS(options),
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

// --- bench runs

static bool fits_bench(const char *path)
{
    char inner[FILE_PATH];
    size_t n = strlen(path);
    if (!file_is_dir(path)) return n > 5 && (strcmp(path + n - 3, ".db") == 0 || strcmp(path + n - 5, ".json") == 0);
    if (file_join(inner, sizeof inner, path, "bench.db") == ERR_OK && file_exists(inner)) return true;
    return file_join(inner, sizeof inner, path, "results.json") == ERR_OK && file_exists(inner);
}

static err write_bench(const report_options *o, text_buf *to)
{
    store *s = NULL;
    tour_report_options how = {.run = o->run, .replays = o->replays, .view = o->view};
    err e = import_any(&s, o->dir);
    if (e == ERR_OK && strcmp(o->format, "markdown") == 0)
        e = tour_report_markdown(s, &how, to);
    else if (e == ERR_OK)
        e = tour_report_html(s, &how, to);
    store_close(s);
    return e;
}

static const report_kind kinds[] = {
    {"bench run", fits_bench, "html|markdown", write_bench},
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
        return err_set(ERR_USAGE, "%s is none of the runs that can be reported: bench run, training run", o->dir);
    }
    if (strstr(kind->formats, o->format) == NULL)
        return err_set(ERR_USAGE, "a %s has no report as %s, only %s", kind->name, o->format, kind->formats);
    report_options r = {.dir = o->dir,
                        .format = o->format,
                        .by_time = strcmp(o->over, "time") == 0,
                        .run = (int)o->run,
                        .replays = (int)o->replays};
    err e = bench_view_options(&r.view, &o->ratings, 1);
    if (e == ERR_OK) e = kind->write(&r, &text);
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
        "time, and the options it ran with; for a bench run (keiko bench) ratings with their intervals, who beat whom, "
        "how "
        "the ratings settled, and games to replay. It may be written while the run goes on.",
    .examples = "keiko report runs/contrast\nkeiko report runs/contrast -o report.html --over time\n"
                "keiko report bench-results -o report.html\n"
                "keiko report bench-results --format markdown -o -  # for a comment",
    .args = args,
    .n_args = COUNT(args),
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
