// Any bytes as a store of the bench: refused with a sentence, or read; what was read is rated, exported and reported.
#include "app/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static err swallow(void *ctx, const char *data, size_t n)
{
    (void)ctx, (void)data, (void)n;
    return ERR_OK;
}

static void check(int ok)
{
    if (!ok && err_text()[0] == 0) abort(); // an error has a sentence
}

static void look(store *s, int run)
{
    tour_view v;
    text_buf t = {0};
    err e = view_load(&v, s, run, &(view_options){0});
    check(e == ERR_OK);
    if (e != ERR_OK) return;
    for (int form = BENCH_JSON; form <= BENCH_PGN; form++)
        check(bench_put((bench_form)form, &v, s, &(export_options){.timing = true, .lines = true},
                        (sink){swallow, NULL}) == ERR_OK);
    table_ratings(&v, TABLE_TEXT, &t);
    table_matchups(&v, TABLE_MARKDOWN, &t);
    table_statistics(&v, TABLE_TEXT, true, &t);
    table_test(&v, TABLE_MARKDOWN, &t);
    table_notes(&v, TABLE_MARKDOWN, &t);
    text_clear(&t);
    json_writer w = json_begin(&t, true);
    bench_status_json(&v, false, &w);
    if (json_finish(&w) != ERR_OK) abort();
    text_clear(&t);
    w = json_begin(&t, false);
    check(report_bench_json(&(bench_opened){.s = s, .view = v}, "", &(report_options){.replays = 2}, &w) == ERR_OK);
    if (json_finish(&w) != ERR_OK) abort();
    text_free(&t);
    view_free(&v);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static char path[64];
    const char *in = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    if (path[0] == 0) snprintf(path, sizeof path, "%s/keiko-fuzz-%ld.db", in, (long)getpid());
    if (size > 1 << 20) return 0;
    for (int write = 0; write < 2; write++) { // opened to write, an old format is brought up to date
        store *s = NULL;
        FILE *f = fopen(path, "wb");
        if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0) abort();
        err e = store_open_file(&s, path, write != 0);
        check(e == ERR_OK);
        for (int run = 1; e == ERR_OK && run <= store_runs(s) && run <= 3; run++) look(s, run);
        store_close(s);
        remove(path);
    }
    return 0;
}
