// What a run leaves: tables on the terminal, JSON or CSV files, exports. See bench.h.
#include "cli/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n > k && strcmp(text + n - k, end) == 0;
}

err bench_paths(bench_files *f, const char *output, int number)
{
    char suffix[24] = "";
    if (number > 0) snprintf(suffix, sizeof suffix, "-%d", number);
    if (strlen(output) > FILE_PATH - 64) return err_set(ERR_LIMIT, "--output: the path is too long");
    bool file = ends_with(output, ".json") || ends_with(output, ".csv") || ends_with(output, ".db");
    if (file && !file_is_dir(output)) {
        int stem = (int)(strrchr(output, '.') - output);
        snprintf(f->json, sizeof f->json, "%.*s%s.json", stem, output, suffix);
        snprintf(f->ratings, sizeof f->ratings, "%.*s%s-ratings.csv", stem, output, suffix);
        snprintf(f->games, sizeof f->games, "%.*s%s-games.csv", stem, output, suffix);
        snprintf(f->store, sizeof f->store, "%.*s.db", stem, output);
        return ERR_OK;
    }
    const char *slash = output[0] == 0 || output[strlen(output) - 1] == '/' ? "" : "/";
    snprintf(f->json, sizeof f->json, "%s%sresults%s.json", output, slash, suffix);
    snprintf(f->ratings, sizeof f->ratings, "%s%sratings%s.csv", output, slash, suffix);
    snprintf(f->games, sizeof f->games, "%s%sgames%s.csv", output, slash, suffix);
    snprintf(f->store, sizeof f->store, "%s%sbench.db", output, slash);
    return ERR_OK;
}

static err to_file(void *ctx, const char *data, size_t n)
{
    return file_out_write(ctx, data, n);
}

static err to_stdout(void *ctx, const char *data, size_t n)
{
    (void)ctx;
    return fwrite(data, 1, n, stdout) == n ? ERR_OK : err_set(ERR_IO, "cannot write to the terminal or pipe");
}

typedef enum form { JSON, RATINGS, GAMES, SGF, PGN } form;

static err put(form what, const tour_view *v, store *s, const bench_options *o, sink to)
{
    export_options how = {.timing = o->timing, .lines = o->lines};
    switch (what) {
    case JSON:
        return export_json(v, s, &how, to);
    case RATINGS:
        return export_ratings_csv(v, &how, to);
    case GAMES:
        return export_games_csv(v, s, &how, to);
    case SGF:
        return export_sgf(v, s, &how, to);
    case PGN:
        return export_pgn(v, s, &how, to);
    }
    return ERR_OK;
}

static err put_file(form what, const tour_view *v, store *s, const bench_options *o, const char *path)
{
    file_out *f = NULL;
    err e = file_make_parent(path);
    if (e == ERR_OK) e = file_out_open(&f, path);
    if (e != ERR_OK) return e;
    e = put(what, v, s, o, (sink){to_file, f});
    if (e != ERR_OK)
        file_out_abort(f);
    else
        e = file_out_commit(f);
    return e;
}

err bench_write(const tour_view *v, store *s, const bench_options *o, const bench_files *f)
{
    if (o->format == NULL || strcmp(o->format, "json") == 0) return put_file(JSON, v, s, o, f->json);
    err e = put_file(RATINGS, v, s, o, f->ratings);
    return e == ERR_OK ? put_file(GAMES, v, s, o, f->games) : e;
}

int bench_export(const bench_options *o)
{
    static const struct {
        const char *name;
        form what;
    } forms[] = {{"json", JSON}, {"csv", GAMES}, {"sgf", SGF}, {"pgn", PGN}};
    view_options how;
    tour_view v;
    store *s = NULL;
    form what = JSON;
    for (int i = 0; i < COUNT(forms); i++)
        if (strcmp(forms[i].name, o->export) == 0) what = forms[i].what;
    bool file = opt_given(opt_values_of(o), "output");
    // Without --input the output names the run, and the export goes to the terminal.
    const char *from = o->input != NULL ? o->input : o->output;
    err e = bench_view_options(&how, &o->ratings, o->seed);
    if (e == ERR_OK) e = import_any(&s, from);
    if (e == ERR_OK) e = view_load(&v, s, (int)o->run, &how);
    if (e == ERR_OK) {
        if (o->input != NULL && file)
            e = put_file(what, &v, s, o, o->output);
        else
            e = put(what, &v, s, o, (sink){to_stdout, NULL});
        view_free(&v);
    }
    store_close(s);
    return e == ERR_OK ? 0 : cli_fail("bench");
}

void bench_print(const tour_view *v, const bench_options *o)
{
    text_buf t = {0};
    table_ratings(v, TABLE_TEXT, &t);
    table_matchups(v, TABLE_TEXT, &t);
    table_statistics(v, TABLE_TEXT, o->timing, &t);
    if (o->all.verbose) table_superiority(v, TABLE_TEXT, &t);
    table_test(v, &t);
    fputs(text_str(&t) + (t.len > 0 && t.data[0] == '\n'), stdout);
    text_clear(&t);
    table_notes(v, &t);
    if (t.len > 0) cli_say(stdout, "", "%s", text_str(&t));
    text_free(&t);
}

int bench_levels_check(const tour_view *v, const bench_options *o)
{
    int bad = 0;
    (void)o;
    printf("\nGaps between levels (wanted: %d to %d Elo)\n", LEVEL_GAP_LOW, LEVEL_GAP_HIGH);
    for (int i = 0; v->rated && i + 1 < v->setup.n_players; i++) {
        double gap = v->fit.rating[i + 1] - v->fit.rating[i];
        interval in = view_gap(v, i + 1, i);
        bool fits = gap >= LEVEL_GAP_LOW && gap <= LEVEL_GAP_HIGH;
        bad += !fits;
        printf("  %s - %s: %.0f (%.0f to %.0f)%s\n", v->setup.player[i + 1].name, v->setup.player[i].name, gap, in.low,
               in.high,
               fits                  ? ""
               : gap < LEVEL_GAP_LOW ? "  too small"
                                     : "  too large");
    }
    return bad == 0 && v->rated ? 0 : 1;
}
