// The checks of doctor.h, in the order of doctor_run. Each is a function that says rows.
#include "app/doctor.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "base/machine.h"
#include "base/opt_rows.h"
#include "base/stop.h"
#include "nn/backend.h"
#include "nn/check.h"
#include "nn/speed.h"

#include <stdarg.h>

const char *const doctor_mark_name[] = {"", "ok", "note", "BAD"};

void doctor_say(doctor *d, doctor_mark mark, const char *name, const char *fmt, ...)
{
    text_buf t = {0};
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&t, fmt, ap);
    va_end(ap);
    if (mark == DOCTOR_BAD) d->bad++;
    d->o->row(d->o->ctx, &(doctor_row){.section = d->section, .name = name, .text = text_str(&t), .mark = mark});
    text_free(&t);
}

void doctor_row_json(json_writer *w, const doctor_row *r)
{
    json_open_object(w);
    json_pair_text(w, "section", r->section);
    json_pair_text(w, "name", r->name);
    json_pair_text(w, "text", r->text);
    if (r->mark != DOCTOR_PLAIN) json_pair_text(w, "mark", doctor_mark_name[r->mark]);
    json_close(w);
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
    doctor_say(d, DOCTOR_PLAIN, "version", "%s", d->o->build);
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
    for (int i = 0; i < ROWS(libraries); i++)
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
    for (int k = 0; k < ROWS(nets) && !stop_requested(); k++) {
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
        if (d->o->verbose) doctor_say(d, DOCTOR_PLAIN, "", "%s", text_str(&names));
        text_free(&names);
    }
}

typedef struct pace {
    double rate; // positions per second of wall time
    double got;  // CPU seconds per wall second and thread
} pace;

static err measure_pace(const nn_net *net, int threads, pace *out)
{
    nn_speed_report r;
    double wall = clock_seconds(), cpu = clock_cpu_seconds();
    err e = nn_speed(
        net, &(nn_speed_plan){.batch = 32 * threads, .threads = threads, .seconds = 0.3, .wall_mean = true}, &r);
    if (e != ERR_OK) return e;
    wall = clock_seconds() - wall;
    cpu = clock_cpu_seconds() - cpu;
    *out = (pace){.rate = r.positions_per_second, .got = cpu / (wall * threads)};
    return ERR_OK;
}

// What a thread can do is measured in CPU time, which other programs do not disturb. What several threads gain is measured
// in wall time, and so is the single thread that they are compared with: on a busy machine both get less.
static void check_speed(doctor *d)
{
    nn_net *net = NULL;
    nn_speed_report alone;
    pace one, all;
    int threads = d->o->threads > 0 ? d->o->threads : cpu_count();
    d->section = "Speed (Othello network 64x6, f32, batch 32)";
    err e = net_of(&net, "planes=3 scalars=0 size=8x8 c=64 b=6 policy=4:65 value=2:64");
    if (e == ERR_OK) e = nn_speed(net, &(nn_speed_plan){.batch = 32, .threads = 1, .seconds = 0.3}, &alone);
    if (e == ERR_OK)
        doctor_say(d, DOCTOR_PLAIN, "one thread", "%.0f positions/s (%s)", alone.positions_per_second, alone.text);
    bool several = e == ERR_OK && threads > 1 && !stop_requested();
    if (several) e = measure_pace(net, 1, &one);
    if (several && e == ERR_OK) e = measure_pace(net, threads, &all);
    nn_net_free(net);
    if (e != ERR_OK) {
        doctor_say(d, DOCTOR_BAD, "speed", "%s", err_text());
        return;
    }
    if (!several) return;
    double gain = all.rate / one.rate;
    bool busy = all.got < 0.75, poor = gain < 0.6 * threads;
    doctor_say(d, busy || poor ? DOCTOR_NOTE : DOCTOR_OK, "all threads", "%.0f positions/s: %.1f× with %d threads",
               all.rate, gain, threads);
    if (busy)
        doctor_say(d, DOCTOR_NOTE, "cores", "other programs use them: this one had %.0f %% of %d", 100 * all.got,
                   threads);
}

static void check_disk(doctor *d)
{
    machine_disk disk;
    char time[CLOCK_TEXT];
    d->section = "Disk";
    if (machine_disk_measure(d->o->dir, (size_t)64 << 20, &disk) != ERR_OK) {
        doctor_say(d, DOCTOR_BAD, d->o->dir, "%s", err_text());
        return;
    }
    doctor_say(d, disk.free_bytes < 2e9 ? DOCTOR_NOTE : DOCTOR_OK, "free", "%.1f GB in %s", disk.free_bytes / 1e9,
               d->o->dir);
    doctor_say(d, disk.write_bytes_s < 2e7 ? DOCTOR_NOTE : DOCTOR_OK, "writing", "%.0f MB/s, flushed",
               disk.write_bytes_s / 1e6);
    doctor_say(d, disk.atomic_s > 0.2 ? DOCTOR_NOTE : DOCTOR_OK, "one atomic file", "%s",
               clock_duration(disk.atomic_s, time));
}

int doctor_run(const doctor_options *o)
{
    doctor d = {.o = o, .section = ""};
    void (*const checks[])(doctor *) = {check_machine, check_build, check_backends, check_kernels,
                                        check_speed,   check_disk,  doctor_learn};
    for (int i = 0; i < ROWS(checks) && !stop_requested(); i++)
        if (checks[i] != doctor_learn || o->seconds > 0) checks[i](&d);
    return d.bad;
}
