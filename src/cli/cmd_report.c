// keiko report: a run as one page.
#include "app/report.h"
#include "cli/cli.h"
#include "run/run_status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    common all;
    const char *dir, *out, *format, *over, *template;
    bench_rating ratings;
    int64_t run, replays;
} options;

#define AT(member)     offsetof(options, member)
#define RATING(member) offsetof(options, ratings.member)

// clang-format off
static const opt args[] = {
    ROW_DIR("RUN", AT(dir), NULL, "A run's folder or file", .required = true),
};

static const opt opts[] = {
    ROW_FILE("out", AT(out), NULL, "File for the report, - for the terminal; default report.html (report.md) in the run's folder", .letter = 'o'),
    ROW_CHOICE("format", AT(format), "FORMAT", "html", "html|markdown", "Page with charts, or text for a comment (bench runs)"),
    ROW_CHOICE("over", AT(over), "AXIS", "step", "step|time", "Training: x axis of the curves"),
    ROW_INT("run", AT(run), "N", "0", 0, 1e9, "Bench: run of the store to report; 0 = the last"),
    ROW_INT("replays", AT(replays), "N", "40", 0, 5000, "Number of games that can be replayed in the report"),
    ROW_FILE("template", AT(template), NULL, "Template that make site builds (report.html); none = plain tables; default: found beside the program"),
    ROW_HEADING("Ratings of a bench run; without these as keiko bench computed them"),
    BENCH_RATING_ROWS(RATING),
};
// clang-format on

// --- kinds of runs: one row of the table each

static bool is_training(const char *path)
{
    run_info info;
    return run_info_read(&info, path) != ERR_MISSING;
}

static report_options options_of(const options *o)
{
    return (report_options){.by_time = strcmp(o->over, "time") == 0,
                            .run = (int)o->run,
                            .replays = (int)o->replays,
                            .view = bench_view_options(&o->ratings, opt_values_of(o), 1)};
}

static err training_json(const options *o, json_writer *w)
{
    report_options how = options_of(o);
    return report_training_json(o->dir, &how, w);
}

static err bench_json(const options *o, json_writer *w)
{
    report_options how = options_of(o);
    bench_opened b = {0};
    err e = bench_open(&b, o->dir, how.run, &how.view);
    if (e == ERR_OK) e = report_bench_json(&b, o->dir, &how, w);
    bench_close(&b);
    return e;
}

// The template lies in build/ while the program is build/release/keiko, and in share/keiko once installed.
static err read_template(const options *o, char **text)
{
    char path[FILE_PATH];
    *text = NULL;
    if (o->template != NULL && strcmp(o->template, "none") == 0) return ERR_OK;
    if (o->template == NULL && !cli_beside("report.html", path)) return ERR_OK;
    return file_read(o->template != NULL ? o->template : path, 16 << 20, text, NULL);
}

static err write_html(const options *o, err (*put)(const options *o, json_writer *w), text_buf *to)
{
    text_buf json = {0};
    char *template = NULL;
    json_writer w = json_begin(&json, false);
    err e = put(o, &w);
    if (e == ERR_OK) e = json_finish(&w);
    if (e == ERR_OK) e = read_template(o, &template);
    if (e == ERR_OK) e = report_page(template, &json, to);
    if (e == ERR_OK && template == NULL && o->template == NULL && !o->all.quiet)
        cli_say(stderr, "", "plain tables only: make site builds what the charts need");
    text_free(&json);
    free(template);
    return e;
}

static const struct {
    const char *name;
    bool (*fits)(const char *path);
    const char *formats;
    err (*json)(const options *o, json_writer *w);
} kinds[] = {
    {"bench run", bench_is_run, "html|markdown", bench_json},
    {"training run", is_training, "html", training_json},
};

static err write_report(const options *o, const char *out)
{
    int k = 0;
    text_buf text = {0};
    while (k < COUNT(kinds) && !kinds[k].fits(o->dir)) k++;
    if (k == COUNT(kinds)) {
        if (!file_exists(o->dir)) return err_set(ERR_MISSING, "there is no %s", o->dir);
        return err_set(ERR_USAGE, "%s is none of the runs that can be reported: bench run, training run", o->dir);
    }
    if (strstr(kinds[k].formats, o->format) == NULL)
        return err_set(ERR_USAGE, "a %s has no report as %s, only %s", kinds[k].name, o->format, kinds[k].formats);
    report_options how = options_of(o);
    err e = strcmp(o->format, "markdown") == 0 ? bench_markdown(o->dir, how.run, &how.view, &text)
                                               : write_html(o, kinds[k].json, &text);
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

// clang-format off
const command cmd_report = {
    CALLED("report", "Write a run's report as one HTML file"),
    .about = "Writes one HTML file that needs no other file and no connection, in English and Japanese. For a training run it shows the curves of losses, rating, self-play and time, games of self-play, and the options; for a bench run (keiko bench) ratings with their intervals, who beat whom, how the ratings converged, and games to replay. It may be written while the run goes on. The charts and boards are those of the page: make site builds them. Without them the report has plain tables.",
    .examples = "keiko report runs/contrast\nkeiko report runs/contrast -o report.html --over time\n"
                "keiko report bench-results -o report.html\n"
                "keiko report bench-results --format markdown -o -  # for a comment",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
// clang-format on
