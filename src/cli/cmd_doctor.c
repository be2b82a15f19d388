// keiko doctor: is this machine and this build fit to train, and what will limit it? Ends with the proof: tic-tac-toe from
// zero. Each check is a function that adds rows; the table at the end of the file is their order.
#include "base/clock.h"
#include "base/cpu.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/pool.h"
#include "base/stop.h"
#include "cli/cli.h"
#include "cli/doctor.h"
#include "keiko.h"
#include "nn/backend.h"
#include "nn/check.h"
#include "nn/speed.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    common all;
    const char *dir;
    double seconds;
    int64_t threads;
    bool json, learn;
} options;

static const opt opts[] = {
    {.name = "dir",
     .kind = OPT_DIR,
     .at = offsetof(options, dir),
     .value = "DIR",
     .preset = ".",
     .help = "measure the disk of this folder: where runs will be kept"},
    {.name = "learn",
     .kind = OPT_FLAG,
     .at = offsetof(options, learn),
     .preset = "yes",
     .help = "leave out the minute of learning at the end"},
    {.name = "seconds",
     .kind = OPT_NUMBER,
     .at = offsetof(options, seconds),
     .value = "S",
     .low = 1,
     .high = 3600,
     .preset = "45",
     .help = "learn at most so long"},
    {.name = "threads",
     .letter = 't',
     .kind = OPT_INT,
     .at = offsetof(options, threads),
     .value = "N",
     .low = 0,
     .high = 256,
     .preset = "0",
     .help = "threads for learning, 0 = one a core"},
    OPT_JSON(options),
};

// --- rows

static void say(doctor *d, doctor_mark mark, const char *name, const char *fmt, va_list ap)
{
    static const char *const words[] = {"", "ok", "note", "BAD"};
    text_buf t = {0};
    text_vprintf(&t, fmt, ap);
    if (mark == DOCTOR_BAD) d->bad++;
    if (d->json != NULL) {
        json_open_object(d->json);
        json_pair_text(d->json, "section", d->section);
        json_pair_text(d->json, "name", name);
        json_pair_text(d->json, "text", text_str(&t));
        if (mark != DOCTOR_PLAIN) json_pair_text(d->json, "mark", words[mark]);
        json_close(d->json);
    } else {
        if (d->section[0] && strcmp(d->section, d->printed) != 0)
            printf("%s%s\n", d->printed[0] ? "\n" : "", d->section);
        snprintf(d->printed, sizeof d->printed, "%s", d->section);
        printf("  %-22s %s", name, text_str(&t));
        if (mark == DOCTOR_NOTE || mark == DOCTOR_BAD) printf("  [%s]", words[mark]);
        printf("\n");
        fflush(stdout);
    }
    text_free(&t);
}

void doctor_say(doctor *d, doctor_mark mark, const char *name, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(d, mark, name, fmt, ap);
    va_end(ap);
}

// --- checks

static void check_machine(doctor *d)
{
    size_t l1 = machine_cache(1), l2 = machine_cache(2), l3 = machine_cache(3);
    d->section = "Machine";
    doctor_say(d, DOCTOR_PLAIN, "processor", "%s, %d %s", cpu_model(), cpu_count(),
               cpu_count() == 1 ? "core" : "cores");
    if (l1 > 0 || l2 > 0)
        doctor_say(d, DOCTOR_PLAIN, "caches", "%zu KiB, %zu KiB, %.1f MiB", l1 >> 10, l2 >> 10, (double)l3 / 1048576.0);
    simd now = cpu_simd(), best = cpu_simd_best();
    if (now != best)
        doctor_say(d, DOCTOR_NOTE, "instruction set", "%s, though the machine has %s (--simd, KEIKO_SIMD)",
                   cpu_simd_name(now), cpu_simd_name(best));
    else
        doctor_say(d, best == SIMD_SCALAR ? DOCTOR_NOTE : DOCTOR_OK, "instruction set", "%s", cpu_simd_name(best));
    double all = machine_memory(), left = machine_available();
    doctor_say(d, left > 0.0 && left < 1e9 ? DOCTOR_NOTE : DOCTOR_OK, "memory", "%.1f GiB, %.1f GiB free",
               all / 1073741824.0, left / 1073741824.0);
}

static void check_build(doctor *d)
{
    d->section = "Build";
    doctor_say(d, DOCTOR_PLAIN, "version", "keiko %s (%s)", keiko_version(), keiko_build());
#if defined(__clang__)
    const char *compiler = "clang " __clang_version__;
#elif defined(__GNUC__)
    const char *compiler = "gcc " __VERSION__;
#else
    const char *compiler = "unknown";
#endif
#if defined(NDEBUG)
    doctor_say(d, DOCTOR_OK, "compiler", "%s, release", compiler);
#else
    doctor_say(d, DOCTOR_NOTE, "compiler", "%s, with assertions: slower than a release build (make)", compiler);
#endif
    static const struct {
        const char *name;
        bool there;
        const char *without;
    } libraries[] = {
#if defined(KEIKO_JSON)
        {"jansson", true, ""},
#else
        {"jansson", false, "no JSON is read: bench configs"},
#endif
#if defined(KEIKO_ZSTD)
        {"zstd", true, ""},
#else
        {"zstd", false, "replay is kept uncompressed"},
#endif
#if defined(KEIKO_SQLITE)
        {"SQLite", true, ""},
#else
        {"SQLite", false, "bench has no store"},
#endif
    };
    for (int i = 0; i < COUNT(libraries); i++)
        doctor_say(d, libraries[i].there ? DOCTOR_OK : DOCTOR_NOTE, libraries[i].name, "%s%s",
                   libraries[i].there ? "built in" : "not built in; ", libraries[i].without);
}

static void check_backends(doctor *d)
{
    d->section = "Backends";
    const nn_backend *first = NULL;
    for (int i = 0; i < nn_backend_count(); i++) {
        char why[256] = "";
        const nn_backend *b = nn_backend_at(i);
        bool ok = b->available(why, sizeof why);
        if (ok && first == NULL) first = b;
        doctor_say(d, ok ? DOCTOR_OK : DOCTOR_NOTE, b->name, "%s", why);
    }
#if !defined(KEIKO_CUDA)
    doctor_say(d, DOCTOR_NOTE, "cuda", "not in this build (cmake -DKEIKO_CUDA=ON, needs nvcc)");
#endif
    if (first == NULL)
        doctor_say(d, DOCTOR_BAD, "auto", "no backend runs here");
    else
        doctor_say(d, DOCTOR_PLAIN, "auto", "means %s", first->name);
}

static err net_of(nn_net **out, const char *text)
{
    nn_desc desc;
    err e = nn_desc_parse(text, &desc);
    return e == ERR_OK ? nn_net_new(out, &desc, 1) : e;
}

// A convolution tower with every kind of layer on the sizes of the boards, each way against the reference.
static void check_kernels(doctor *d)
{
    static const char *const nets[] = {"planes=5 scalars=2 size=8x8 c=32 b=2 se=8 policy=4:65 value=2:32",
                                       "planes=7 scalars=1 size=5x5 c=24 b=1 policy=4:25 duel=2:32:24"};
    d->section = "Kernels";
    for (int k = 0; k < COUNT(nets) && !stop_requested(); k++) {
        nn_net *net = NULL;
        nn_check_row rows[NN_CHECK_ROWS];
        int n = 0, worst = 0;
        err e = net_of(&net, nets[k]);
        if (e == ERR_OK) e = nn_check(net, 4, NULL, NULL, 1, rows, &n);
        nn_net_free(net);
        if (e != ERR_OK || n == 0) {
            doctor_say(d, DOCTOR_BAD, "self-test", "%s", e == ERR_OK ? "nothing was checked" : err_text());
            continue;
        }
        text_buf names = {0};
        for (int i = 0; i < n; i++) {
            text_printf(&names, "%s%s", i == 0 ? "" : ", ", rows[i].name);
            if (rows[i].exact_kind && rows[i].worst > (rows[worst].exact_kind ? rows[worst].worst : 0.0)) worst = i;
        }
        bool ok = nn_check_passed(rows, n);
        doctor_say(d, ok ? DOCTOR_OK : DOCTOR_BAD, k == 0 ? "8x8 network" : "5x5 network",
                   "%d ways agree with the reference%s (worst f32 error %.1e: %s)", n, ok ? "" : " BUT NOT ALL",
                   rows[worst].worst, rows[worst].name);
        if (d->verbose) doctor_say(d, DOCTOR_PLAIN, "", "%s", text_str(&names));
        text_free(&names);
    }
}

static void check_speed(doctor *d)
{
    static const char *const name[] = {"one thread", "all threads"};
    nn_net *net = NULL;
    nn_speed_report got[2];
    int threads = d->threads > 0 ? d->threads : cpu_count();
    d->section = "Speed (Othello network 64x6, f32, batch 32)";
    err e = net_of(&net, "planes=3 scalars=0 size=8x8 c=64 b=6 policy=4:65 value=2:64");
    for (int i = 0; e == ERR_OK && i < 2 && !stop_requested(); i++) {
        nn_speed_plan plan = {
            .batch = 32 * (i == 0 ? 1 : threads), .threads = i == 0 ? 1 : threads, .seconds = 0.3, .wall_mean = i == 1};
        e = nn_speed(net, &plan, &got[i]);
        if (e == ERR_OK && i == 0)
            doctor_say(d, DOCTOR_PLAIN, name[i], "%.0f positions/s (%s)", got[i].positions_per_second, got[i].text);
    }
    nn_net_free(net);
    if (e != ERR_OK) {
        doctor_say(d, DOCTOR_BAD, "speed", "%s", err_text());
        return;
    }
    if (threads < 2 || stop_requested()) return;
    double gain = got[1].positions_per_second / got[0].positions_per_second;
    bool poor = gain < 0.6 * threads;
    doctor_say(d, poor ? DOCTOR_NOTE : DOCTOR_OK, name[1], "%.0f positions/s: %.1f× with %d threads%s",
               got[1].positions_per_second, gain, threads, poor ? "; something else uses the cores" : "");
}

static void check_disk(doctor *d)
{
    machine_disk disk;
    char time[CLOCK_TEXT];
    d->section = "Disk";
    if (machine_disk_measure(d->dir, (size_t)64 << 20, &disk) != ERR_OK) {
        doctor_say(d, DOCTOR_BAD, d->dir, "%s", err_text());
        return;
    }
    doctor_say(d, disk.free_bytes < 2e9 ? DOCTOR_NOTE : DOCTOR_OK, "free", "%.1f GB in %s", disk.free_bytes / 1e9,
               d->dir);
    doctor_say(d, disk.write_bytes_s < 2e7 ? DOCTOR_NOTE : DOCTOR_OK, "writing", "%.0f MB/s, flushed",
               disk.write_bytes_s / 1e6);
    doctor_say(d, disk.atomic_s > 0.2 ? DOCTOR_NOTE : DOCTOR_OK, "one atomic file", "%s",
               clock_duration(disk.atomic_s, time));
}

static int run(const void *options_)
{
    const options *o = options_;
    text_buf text = {0};
    json_writer w = json_begin(&text, true);
    doctor d = {.json = o->json ? &w : NULL,
                .section = "",
                .dir = o->dir,
                .seconds = o->seconds,
                .threads = (int)o->threads,
                .verbose = o->all.verbose,
                .quiet = o->all.quiet,
                .color = o->all.color};
    void (*const checks[])(doctor *) = {check_machine, check_build, check_backends, check_kernels,
                                        check_speed,   check_disk,  doctor_learn};
    stop_install("stopping\n");
    if (o->json) {
        json_open_object(&w);
        json_pair_array(&w, "rows");
    }
    for (int i = 0; i < COUNT(checks) && !stop_requested(); i++)
        if (checks[i] != doctor_learn || o->learn) checks[i](&d);
    if (o->json) {
        json_close(&w);
        json_pair_int(&w, "bad", d.bad);
        json_close(&w);
        if (json_finish(&w) == ERR_OK) fputs(text_str(&text), stdout);
    } else if (d.bad > 0) {
        printf("\n%d bad: see above\n", d.bad);
    } else if (!stop_requested()) {
        printf("\nall is well\n");
    }
    text_free(&text);
    return d.bad > 0 || stop_requested() ? 1 : 0;
}

const command cmd_doctor = {
    .name = "doctor",
    .summary = "is this machine fit to train, and what limits it",
    .about =
        "Looks at the machine, the build and its backends, tests the network kernels against the reference, measures "
        "network speed and disk, and then learns tic-tac-toe from nothing: it prints how many of the 4,520 positions "
        "the untrained and the trained network (without any search) play perfectly, where the time went, and what "
        "limits. Leaves with status 1 when something is bad.",
    .examples = "keiko doctor\nkeiko doctor --no-learn  # a few seconds\nkeiko doctor --dir /mnt/runs --json",
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
