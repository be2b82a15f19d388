// Where a run of the bench lies: paths, files that are written and read again. See bench.h.
#include "app/bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// --- writing

// A form, what it is called, and how its files are known: they begin with, or hold near the beginning, this text.
static const struct {
    const char *name, *mark;
    bool begins;
} forms[] = {
    [BENCH_JSON] = {"json", "\"gamesPerPair\"", false},
    [BENCH_RATINGS] = {"ratings", "player,rating,", true},
    [BENCH_GAMES] = {"csv", "id,playerA,", true},
    [BENCH_SGF] = {"sgf", "(;", true},
    [BENCH_PGN] = {"pgn", "[Event", true},
};

err bench_form_find(const char *name, bench_form *out)
{
    for (int i = 0; i < ROWS(forms); i++)
        if (strcmp(forms[i].name, name) == 0) {
            *out = (bench_form)i;
            return ERR_OK;
        }
    return err_set(ERR_USAGE, "unknown form '%s'; there are json, csv, sgf and pgn", name);
}

// May this file be replaced? Yes if there is none, if it is empty, and if it holds the same kind of results.
static err may_replace(bench_form form, const char *path)
{
    char head[1 << 16];
    int fd = file_is_device(path) ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return ERR_OK; // whatever is wrong with it is reported when it is written
    ssize_t n = read(fd, head, sizeof head - 1);
    close(fd);
    if (n <= 0) return ERR_OK;
    head[n] = 0;
    const char *at = strstr(head, forms[form].mark);
    if (at != NULL && (!forms[form].begins || at == head)) return ERR_OK;
    return err_set(ERR_USAGE,
                   "%s holds something else than results of the bench; move it away, or give another --output", path);
}

err bench_may_write(const char *format, const bench_files *f)
{
    if (format == NULL || strcmp(format, "json") == 0) return may_replace(BENCH_JSON, f->json);
    err e = may_replace(BENCH_RATINGS, f->ratings);
    return e == ERR_OK ? may_replace(BENCH_GAMES, f->games) : e;
}

err bench_put(bench_form form, const tour_view *v, store *s, const export_options *o, sink to)
{
    switch (form) {
    case BENCH_JSON:
        return export_json(v, s, o, to);
    case BENCH_RATINGS:
        return export_ratings_csv(v, o, to);
    case BENCH_GAMES:
        return export_games_csv(v, s, o, to);
    case BENCH_SGF:
        return export_sgf(v, s, o, to);
    case BENCH_PGN:
        return export_pgn(v, s, o, to);
    }
    return ERR_OK;
}

static err to_file(void *ctx, const char *data, size_t n)
{
    return file_out_write(ctx, data, n);
}

err bench_put_file(bench_form form, const tour_view *v, store *s, const export_options *o, const char *path)
{
    file_out *f = NULL;
    err e = may_replace(form, path);
    if (e == ERR_OK) e = file_make_parent(path);
    if (e == ERR_OK) e = file_out_open(&f, path);
    if (e != ERR_OK) return e;
    e = bench_put(form, v, s, o, (sink){to_file, f});
    if (e != ERR_OK)
        file_out_abort(f);
    else
        e = file_out_commit(f);
    return e;
}

err bench_write(const tour_view *v, store *s, const export_options *o, const char *format, const bench_files *f)
{
    if (format == NULL || strcmp(format, "json") == 0) return bench_put_file(BENCH_JSON, v, s, o, f->json);
    err e = bench_put_file(BENCH_RATINGS, v, s, o, f->ratings);
    return e == ERR_OK ? bench_put_file(BENCH_GAMES, v, s, o, f->games) : e;
}

// --- reading

bool bench_is_run(const char *path)
{
    char inner[FILE_PATH];
    if (!file_is_dir(path)) return ends_with(path, ".db") || ends_with(path, ".json");
    if (file_join(inner, sizeof inner, path, "bench.db") == ERR_OK && file_exists(inner)) return true;
    return file_join(inner, sizeof inner, path, "results.json") == ERR_OK && file_exists(inner);
}

bool bench_is_played(const char *path)
{
    char inner[FILE_PATH];
    if (!file_is_dir(path)) return ends_with(path, ".db") && store_is_written(path);
    return file_join(inner, sizeof inner, path, "bench.db") == ERR_OK && store_is_written(inner);
}

err bench_open(bench_opened *out, const char *path, int run, const view_options *o)
{
    bench_opened b = {.playing = bench_is_played(path)}; // before the games are read, so that the last look is complete
    view_options how = *o;
    how.playing = b.playing;
    err e = import_any(&b.s, path);
    if (e == ERR_OK) e = view_load(&b.view, b.s, run, &how);
    if (e != ERR_OK)
        store_close(b.s);
    else
        *out = b;
    return e;
}

void bench_close(bench_opened *b)
{
    if (b->s == NULL) return;
    view_free(&b->view);
    store_close(b->s);
    *b = (bench_opened){0};
}
