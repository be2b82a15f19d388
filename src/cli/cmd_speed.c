// keiko speed: what this machine does in a second, one core.
#include "base/clock.h"
#include "base/cpu.h"
#include "base/json.h"
#include "base/stop.h"
#include "cli/cli.h"
#include "cli/speed.h"
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

static const opt args[] = {
    {.name = "WHAT",
     .kind = OPT_TEXT,
     .at = offsetof(options, what),
     .choices = "games",
     .help = "only this game or part"},
};

static const opt opts[] = {
    {.name = "seconds",
     .kind = OPT_NUMBER,
     .at = offsetof(options, seconds),
     .value = "S",
     .preset = "1",
     .low = 0.01,
     .high = 3600,
     .help = "how long each row is measured"},
    {.name = "backend",
     .kind = OPT_CHOICE,
     .at = offsetof(options, backend),
     .value = "WHERE",
     .preset = "cpu",
     .choices = "auto|cpu|cuda",
     .help = "what runs the networks of the part nn"},
    OPT_JSON(options),
};

enum { WINDOWS = 8 };

// Units a second in the best of a few windows.
static double measure(const speed_row *row, double seconds, char *note, size_t n)
{
    double best = 0.0;
    note[0] = 0;
    if (row->rate != NULL) return row->rate(row->arg, seconds, note, n);
    uint64_t round = 0;
    row->work(row->arg, round++); // tables and caches
    for (int w = 0; w < WINDOWS && !stop_requested(); w++) {
        double start = clock_seconds(), spent;
        uint64_t units = 0;
        do {
            units += row->work(row->arg, round++);
            spent = clock_seconds() - start;
        } while (spent < seconds / WINDOWS);
        if ((double)units / spent > best) best = (double)units / spent;
    }
    return best;
}

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

// The i-th row of all tables; NULL at the end.
static const speed_row *row_at(int i, bool gpu)
{
    const speed_row *nn = gpu ? speed_gpu : speed_nn;
    const int n_nn = gpu ? n_speed_gpu : n_speed_nn;
    if (i < n_speed_games) return &speed_games[i];
    i -= n_speed_games;
    if (i < n_speed_search) return &speed_search[i];
    i -= n_speed_search;
    if (i < n_nn) return &nn[i];
    i -= n_nn;
    return i < n_speed_learn ? &speed_learn[i] : NULL;
}

static bool known(const char *what, bool gpu)
{
    for (int i = 0; row_at(i, gpu) != NULL; i++)
        if (strcmp(row_at(i, gpu)->group, what) == 0) return true;
    return false;
}

static void header(const options *o, json_writer *w)
{
    if (!o->json) {
        printf("%s, %s, one core\n", cpu_model(), cpu_simd_name(cpu_simd()));
        printf("%-11s %-42s %12s  %s\n", "part", "name", "rate", "unit");
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
    if (o->what != NULL && !known(o->what, gpu)) {
        err_set(ERR_USAGE, "nothing to measure is called '%s'; keiko speed without a name shows all", o->what);
        return cli_fail("speed");
    }
    stop_install(NULL);
    text_buf t = {0};
    json_writer w = json_begin(&t, true);
    header(o, &w);
    const speed_row *row;
    for (int i = 0; (row = row_at(i, gpu)) != NULL && !stop_requested(); i++) {
        char note[128], shown[32];
        if (o->what != NULL && strcmp(row->group, o->what) != 0) continue;
        double rate = measure(row, o->seconds, note, sizeof note);
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
            printf("%-11s %-42s %12s  %s/s%s%s\n", row->group, row->name, shown, row->unit, note[0] ? "  " : "", note);
            fflush(stdout);
        }
    }
    if (o->json) {
        json_close(&w);
        json_close(&w);
        json_finish(&w);
        printf("%s", text_str(&t));
    }
    text_free(&t);
    return stop_requested() ? 1 : 0;
}

const command cmd_speed = {
    .name = "speed",
    .summary = "measure what this machine does in a second",
    .about =
        "Measures the game cores, the search trees and the networks, on one core unless a row says otherwise: each row "
        "does its work for --seconds in short windows and reports the best window, so that what else the machine is "
        "doing counts little. docs/lab/SPEED.md and docs/lab/NN.md have the figures to compare with.",
    .examples = "keiko speed\nkeiko speed othello --seconds 3\nkeiko speed nn --seconds 0.5\nkeiko speed nn --backend "
                "cuda\nkeiko speed puyo --simd "
                "scalar --json",
    .args = args,
    .n_args = COUNT(args),
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
