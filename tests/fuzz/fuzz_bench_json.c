// Any bytes as results of the bench: refused with a sentence, or read; what was read can be rated, and its export reads
// back as the same games.
#include "app/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "failed: %s (%s)\n", what, err_text());
    abort();
}

static err gather(void *ctx, const char *data, size_t n)
{
    text_append_n(ctx, data, n);
    return ERR_OK;
}

static void look(store *s, text_buf *out, size_t *games)
{
    tour_view v;
    check(view_load(&v, s, 0, &(view_options){0}) == ERR_OK, "what was read can be looked at");
    *games = v.games.n;
    for (int i = 0; v.rated && i < v.setup.n_players; i++) {
        interval in = view_interval(&v, i);
        check(isfinite(v.fit.rating[i]) && isfinite(in.low) && isfinite(in.high), "finite ratings");
    }
    check(export_json(&v, s, &(export_options){.timing = true, .lines = true}, (sink){gather, out}) == ERR_OK,
          "export");
    text_buf other = {0};
    check(export_games_csv(&v, s, &(export_options){.lines = true}, (sink){gather, &other}) == ERR_OK, "csv");
    check(export_pgn(&v, s, &(export_options){0}, (sink){gather, &other}) == ERR_OK, "pgn");
    text_clear(&other);
    table_ratings(&v, TABLE_MARKDOWN, &other);
    table_statistics(&v, TABLE_TEXT, true, &other);
    table_notes(&v, TABLE_MARKDOWN, &other);
    text_clear(&other);
    json_writer w = json_begin(&other, false);
    bench_status_json(&v, false, &w);
    check(json_finish(&w) == ERR_OK, "status");
    text_clear(&other);
    w = json_begin(&other, false);
    check(report_bench_json(&(bench_opened){.s = s, .view = v}, "", &(report_options){.replays = 1}, &w) == ERR_OK,
          "report");
    check(json_finish(&w) == ERR_OK, "report");
    text_free(&other);
    view_free(&v);
}

// The same bytes as a configuration.
static void configure(const char *data, size_t size)
{
    bench_ask a;
    check(bench_ask_defaults(&a) == ERR_OK, "defaults");
    if (bench_ask_json(&a, data, size, "fuzz") != ERR_OK) check(err_text()[0] != 0, "an error has a sentence");
    bench_ask_free(&a);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    store *s, *again;
    size_t n = 0, m = 0;
    configure((const char *)data, size);
    if (import_json(&s, (const char *)data, size, "fuzz") != ERR_OK) {
        check(err_text()[0] != 0, "an error has a sentence");
        return 0;
    }
    text_buf one = {0}, two = {0};
    look(s, &one, &n);
    check(import_json(&again, one.data, one.len, "export") == ERR_OK, "an export can be read");
    look(again, &two, &m);
    check(n == m, "the same games");
    text_free(&one);
    text_free(&two);
    store_close(s);
    store_close(again);
    return 0;
}
