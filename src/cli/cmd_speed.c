// keiko speed: what this machine does in a second.
#include "app/speed.h"
#include "base/cpu.h"
#include "base/json.h"
#include "base/stop.h"
#include "cli/cli.h"
#include "keiko.h"
#include "nn/backend.h"

#include <stdio.h>
#include <string.h>

typedef struct options {
    common all;
    const char *what, *backend;
    double seconds;
    bool json;
} options;

#define AT(field) offsetof(options, field)
static const opt args[] = {
    ROW_TEXT("WHAT", AT(what), NULL, NULL, "Measure only this game or part", .choices = "games"),
};

static const opt opts[] = {
    ROW_NUMBER("seconds", AT(seconds), "S", "1", 0.01, 3600, "Seconds per row"),
    ROW_CHOICE("backend", AT(backend), "WHERE", "cpu", "auto|cpu|cuda", "Device for the networks (part nn)"),
    OPT_JSON(options),
};

static void print_rate(double rate, char *buf, size_t n)
{
    if (rate >= 1e9)
        snprintf(buf, n, "%.2f G", rate / 1e9);
    else if (rate >= 1e6)
        snprintf(buf, n, "%.2f M", rate / 1e6);
    else if (rate >= 1e3)
        snprintf(buf, n, "%.1f k", rate / 1e3);
    else
        snprintf(buf, n, "%.1f  ", rate);
}

static void header(const options *o, json_writer *w)
{
    if (!o->json) {
        printf("%s, %s, one core\n", cpu_model(), cpu_simd_name(cpu_simd()));
        printf("%-15s %-42s %12s  %s\n", "part", "name", "rate", "unit");
        return;
    }
    json_open_object(w);
    json_pair_text(w, "cpu", cpu_model());
    json_pair_text(w, "simd", cpu_simd_name(cpu_simd()));
    json_pair_text(w, "build", keiko_build());
    json_pair_array(w, "rows");
}

static int run(const void *options_)
{
    const options *o = options_;
    const nn_backend *backend;
    if (nn_backend_find(o->backend, &backend) != ERR_OK) return cli_fail("speed");
    const bool gpu = backend != &nn_backend_cpu;
    if (o->what != NULL && !speed_has_group(o->what, gpu)) {
        err_set(ERR_USAGE, "nothing to measure is called '%s'; keiko speed without a name shows all", o->what);
        return cli_fail("speed");
    }
    stop_install(NULL);
    text_buf t = {0};
    json_writer w = json_begin(&t, true);
    header(o, &w);
    const speed_row *row;
    for (int i = 0; (row = speed_row_at(i, gpu)) != NULL && !stop_requested(); i++) {
        char note[128], shown[32];
        if (o->what != NULL && strcmp(row->group, o->what) != 0) continue;
        double rate = speed_measure(row, o->seconds, note, sizeof note);
        if (o->json) {
            json_open_object(&w);
            json_pair_text(&w, "part", row->group);
            json_pair_text(&w, "name", row->name);
            json_pair_number(&w, "rate", rate);
            json_pair_text(&w, "unit", row->unit);
            if (note[0]) json_pair_text(&w, "note", note);
            json_close(&w);
        } else {
            print_rate(rate, shown, sizeof shown);
            char head[160];
            snprintf(head, sizeof head, "%-15s %-42s %12s  %s/s%s", row->group, row->name, shown, row->unit,
                     note[0] ? "  " : "");
            cli_say(stdout, head, "%s", note);
            fflush(stdout);
        }
    }
    if (o->json) {
        json_close(&w);
        json_close(&w);
        if (cli_put(&t, json_finish(&w)) != ERR_OK) return cli_fail("speed");
    }
    return stop_requested() ? 1 : 0;
}

const command cmd_speed = {
    CALLED("speed", "Measure the speed of the game cores, searches and networks"),
    .about =
        "Measures the game cores, tree searches and networks, on one core unless a row says otherwise. Each row runs for --seconds and reports its best interval, so other load on the machine matters little. docs/lab/SPEED.md and docs/lab/NN.md have reference figures.",
    .examples = "keiko speed\nkeiko speed othello --seconds 3\nkeiko speed nn --seconds 0.5\n"
                "keiko speed nn --backend cuda\nkeiko speed puyo --simd scalar --json",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
