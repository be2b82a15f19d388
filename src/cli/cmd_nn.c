// keiko nn info, nn check, nn init, export: what a network is, whether this machine runs it right, a new one, and ONNX.
#include "base/cpu.h"
#include "base/file.h"
#include "base/json.h"
#include "base/models.h"
#include "cli/cli.h"
#include "eval/eval.h"
#include "nn/check.h"
#include "nn/onnx.h"
#include "nn/speed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARG_NET(T) /* net */                                                                                           \
    {                                                                                                                  \
        .name = "FILE", .kind = OPT_FILE, .at = offsetof(T, net), .required = true,                                    \
        .help = "a weights file, the name of one that ships, a preset, or a description in quotes"                     \
    }

// A file where there is one, then a shipped model, whose ending may be left out where no preset has that name; a preset or
// a description gets fresh weights.
static err open_net(nn_net **out, const char *name, uint64_t seed, bool *fresh)
{
    char path[FILE_PATH];
    nn_desc d;
    *fresh = false;
    if (file_exists(name)) return nn_net_load(out, name);
    if (models_find(name, path, sizeof path) == ERR_OK) return nn_net_load(out, path);
    bool described = strchr(name, '=') != NULL;
    for (int i = 0; i < nn_preset_count() && !described; i++) described = strcmp(name, nn_preset_name(i)) == 0;
    if (!described && models_network(name, path, sizeof path) == ERR_OK) return nn_net_load(out, path);
    if (!described) {
        text_buf t = {0};
        for (int i = 0; i < nn_preset_count(); i++) text_printf(&t, "%s%s", i > 0 ? ", " : "", nn_preset_name(i));
        err e = err_set(ERR_MISSING, "there is no file '%s', and no preset of that name; presets are %s", name,
                        text_str(&t));
        text_free(&t);
        return e;
    }
    *fresh = true;
    err e = nn_desc_parse(name, &d);
    return e == ERR_OK ? nn_net_new(out, &d, seed) : e;
}

// --- info

typedef struct info_options {
    common all;
    const char *net;
    double seconds;
    bool json;
} info_options;

// A network of Q-values reads a game's encoding as it is and has an output a move.
static const encoding *fit_duel(const game *g, const nn_net *net)
{
    const nn_desc *d = &net->desc;
    char named[32] = "";
    eval_note(net->note, "encoding", named, sizeof named);
    bool fits = d->n_heads == 1 && d->head[0].kind == NN_DUEL && d->head[0].out == g->n_moves && d->rows == g->rows &&
                d->cols == g->cols;
    for (int k = 0; k < g->n_encodings && fits; k++)
        if (g->encodings[k].planes == d->planes && g->encodings[k].scalars == d->scalars &&
            (named[0] == 0 || strcmp(named, g->encodings[k].name) == 0))
            return &g->encodings[k];
    return NULL;
}

// The games that can use this network, as words: "othello (mask)".
static void fitting_games(const nn_net *net, text_buf *t)
{
    for (int i = 0; i < game_count(); i++) {
        const game *g = game_at(i);
        const encoding *e = NULL;
        if (eval_fit(g, net, NULL, &e) != ERR_OK) e = fit_duel(g, net);
        if (e != NULL) text_printf(t, "%s%s (%s)", t->len > 0 ? ", " : "", g->name, e->name);
    }
}

typedef struct speed_line {
    const char *name;
    nn_speed_plan plan;
    nn_speed_report got;
} speed_line;

enum { SPEEDS = 4 };

static err measure(const nn_net *net, double seconds, speed_line *lines, int *n)
{
    const speed_line all[SPEEDS] = {{.name = "batch 1", .plan = {.batch = 1}},
                                    {.name = "batch 32", .plan = {.batch = 32}},
                                    {.name = "batch 32, int8", .plan = {.batch = 32, .int8 = true}},
                                    {.name = "training, batch 256", .plan = {.batch = 256, .train = true}}};
    *n = 0;
    for (int i = 0; i < SPEEDS && seconds > 0; i++) {
        if (all[i].plan.int8 && net->desc.channels == 0) continue; // int8 is for residual trunks
        speed_line *l = &lines[(*n)++];
        *l = all[i];
        l->plan.seconds = seconds;
        err e = nn_speed(net, &l->plan, &l->got);
        if (e != ERR_OK) return e;
    }
    return ERR_OK;
}

static void print_heads(const nn_desc *d)
{
    for (int h = 0; h < d->n_heads; h++) {
        const nn_head *q = &d->head[h];
        printf("  head %d       %s, %d output%s", h, nn_kind_name(q->kind), nn_head_size(d, h),
               nn_head_size(d, h) == 1 ? "" : "s");
        if (q->filters > 0) printf(", %d filter%s", q->filters, q->filters == 1 ? "" : "s");
        if (q->hidden > 0) printf(", hidden %d", q->hidden);
        printf("\n");
    }
}

// A note may have several lines.
static void print_origin(const char *note)
{
    for (const char *title = "made by"; *note != 0; title = "") {
        size_t n = strcspn(note, "\n");
        cli_print("  %-12s %.*s\n", title, (int)n, note); // it comes from a file
        note += n + (note[n] == '\n');
    }
}

static void info_text(const nn_net *net, const char *text, const char *games, bool fresh, const speed_line *s, int n)
{
    const nn_desc *d = &net->desc;
    printf("%s\n", text);
    printf("  input        %d planes and %d scalars on %dx%d\n", d->planes, d->scalars, d->rows, d->cols);
    print_heads(d);
    printf("  fits         %s\n", games[0] ? games : "no game of this build");
    printf("  parameters   %zu trained, %zu running statistics (%.2f MB)\n", net->at.n_train,
           net->at.n_all - net->at.n_train, (double)net->at.n_all * 4e-6);
    printf("  work         %.2f MFLOP a position\n", nn_flops(d) * 1e-6);
    print_origin(fresh               ? "nobody: fresh random weights"
                 : net->note != NULL ? net->note
                                     : "unknown: the file has no note");
    if (n > 0) printf("speed here, one thread (%s)\n", cpu_model());
    for (int i = 0; i < n; i++)
        printf("  %-20s %10.0f positions/s  %8.2f ms  %s\n", s[i].name, s[i].got.positions_per_second,
               s[i].got.best_seconds * 1e3, s[i].got.text);
}

static void info_json(const nn_net *net, const char *text, const char *games, bool fresh, const speed_line *s, int n)
{
    text_buf t = {0};
    json_writer w = json_begin(&t, true);
    json_open_object(&w);
    json_pair_text(&w, "description", text);
    json_pair_text(&w, "fits", games);
    json_pair_uint(&w, "trained", net->at.n_train);
    json_pair_uint(&w, "statistics", net->at.n_all - net->at.n_train);
    json_pair_number(&w, "flops", nn_flops(&net->desc));
    json_pair_bool(&w, "fresh", fresh);
    json_pair_text(&w, "note", net->note);
    json_pair_array(&w, "speed");
    for (int i = 0; i < n; i++) {
        json_open_object(&w);
        json_pair_text(&w, "name", s[i].name);
        json_pair_text(&w, "plan", s[i].got.text);
        json_pair_number(&w, "positions_per_second", s[i].got.positions_per_second);
        json_pair_number(&w, "seconds", s[i].got.best_seconds);
        json_close(&w);
    }
    json_close(&w);
    json_close(&w);
    json_finish(&w);
    printf("%s", text_str(&t));
    text_free(&t);
}

static int info_run(const void *options)
{
    const info_options *o = options;
    nn_net *net = NULL;
    bool fresh = false;
    char text[NN_TEXT];
    speed_line speeds[SPEEDS];
    int n = 0;
    text_buf games = {0};
    err e = open_net(&net, o->net, 1, &fresh);
    if (e == ERR_OK) e = measure(net, o->seconds, speeds, &n);
    if (e == ERR_OK) {
        nn_desc_print(&net->desc, text, sizeof text);
        fitting_games(net, &games);
        (o->json ? info_json : info_text)(net, text, text_str(&games), fresh, speeds, n);
    }
    text_free(&games);
    nn_net_free(net);
    return e == ERR_OK ? 0 : cli_fail("nn info");
}

static const opt info_args[] = {ARG_NET(info_options)};
static const opt info_opts[] = {
    {.name = "seconds",
     .kind = OPT_NUMBER,
     .at = offsetof(info_options, seconds),
     .value = "S",
     .preset = "0.3",
     .low = 0,
     .high = 600,
     .help = "how long each speed is measured; 0 leaves them out"},
    OPT_JSON(info_options),
};

const command cmd_nn_info = {
    .name = "nn info",
    .summary = "what a network is, where it comes from and how fast it runs here",
    .about =
        "Shows a network's description, inputs and heads, which games it fits, its size, the work of one position, "
        "the note about its training, and how fast it runs and trains on one thread of this machine.",
    .examples = "keiko nn info othello-seed\nkeiko nn info run/best.safetensors --json\n"
                "keiko nn info 'planes=3 size=8x8 c=64 b=6 policy=2:65 value=1:64' --seconds 0",
    .args = info_args,
    .n_args = COUNT(info_args),
    .opts = info_opts,
    .n_opts = COUNT(info_opts),
    .size = sizeof(info_options),
    .run = info_run,
};

// --- check

typedef struct check_options {
    common all;
    const char *net;
    int64_t positions, seed;
} check_options;

static int check_run(const void *options)
{
    const check_options *o = options;
    nn_net *net = NULL;
    bool fresh, passed = false;
    nn_check_row rows[NN_CHECK_ROWS];
    int n = 0;
    err e = open_net(&net, o->net, (uint64_t)o->seed, &fresh);
    if (e == ERR_OK) e = nn_check(net, (int)o->positions, NULL, NULL, (uint64_t)o->seed, rows, &n);
    nn_net_free(net);
    if (e != ERR_OK) return cli_fail("nn check");
    printf("%-30s %12s %12s %14s\n", "kernels", "worst error", "value error", "same choice");
    for (int i = 0; i < n; i++) {
        bool bad = rows[i].exact_kind && !(rows[i].worst < NN_CHECK_LIMIT);
        printf("%-30s %12.2e %12.2e %8d of %d%s\n", rows[i].name, rows[i].worst, rows[i].value, rows[i].same,
               rows[i].of, bad ? "  WRONG" : "");
    }
    passed = nn_check_passed(rows, n);
    printf(passed ? "all f32 kernels agree with the double-precision reference within %.0e\n"
                  : "a kernel differs from the reference by %.0e or more: this build must not be trusted here\n",
           NN_CHECK_LIMIT);
    return passed ? 0 : 1;
}

static const opt check_args[] = {ARG_NET(check_options)};
static const opt check_opts[] = {
    {.name = "positions",
     .letter = 'n',
     .kind = OPT_INT,
     .at = offsetof(check_options, positions),
     .value = "N",
     .preset = "8",
     .low = 1,
     .high = 10000,
     .help = "random positions to compare; the reference takes about a second for each on a large network"},
    OPT_SEED(check_options),
};

const command cmd_nn_check = {
    .name = "nn check",
    .summary = "test this machine's network kernels against the reference",
    .about =
        "Runs a network with every instruction set and method that this machine has, and with int8, on random "
        "positions, and compares all outputs with a plain double-precision implementation. Leaves with status 1 when "
        "an f32 kernel is wrong. int8 rounds on purpose: its row tells by how much. Errors are |difference| / (1 + "
        "|reference|).",
    .examples = "keiko nn check othello-seed\nkeiko nn check run/best.safetensors -n 64",
    .args = check_args,
    .n_args = COUNT(check_args),
    .opts = check_opts,
    .n_opts = COUNT(check_opts),
    .size = sizeof(check_options),
    .run = check_run,
};

// --- init

typedef struct init_options {
    common all;
    const char *net, *out, *note;
    int64_t seed;
} init_options;

static int init_run(const void *options)
{
    const init_options *o = options;
    nn_net *net = NULL;
    nn_desc d;
    char text[NN_TEXT];
    err e = nn_desc_parse(o->net, &d);
    if (e == ERR_OK) e = nn_net_new(&net, &d, (uint64_t)o->seed);
    if (e == ERR_OK && o->note != NULL) e = nn_net_set_note(net, o->note);
    if (e == ERR_OK) e = nn_net_save(net, o->out);
    if (e == ERR_OK) {
        nn_desc_print(&d, text, sizeof text);
        printf("%s: %s, %zu parameters\n", o->out, text, net->at.n_train);
    }
    nn_net_free(net);
    return e == ERR_OK ? 0 : cli_fail("nn init");
}

static const opt init_args[] = {
    {.name = "NETWORK",
     .kind = OPT_TEXT,
     .at = offsetof(init_options, net),
     .required = true,
     .help = "a preset or a description in quotes"},
};
static const opt init_opts[] = {
    {.name = "output",
     .letter = 'o',
     .kind = OPT_FILE,
     .at = offsetof(init_options, out),
     .value = "FILE",
     .preset = "net.safetensors",
     .help = "where the weights go"},
    {.name = "note",
     .kind = OPT_TEXT,
     .at = offsetof(init_options, note),
     .value = "TEXT",
     .help = "what keiko nn info says of its origin"},
    OPT_SEED(init_options),
};

const command cmd_nn_init = {
    .name = "nn init",
    .summary = "make a network with fresh random weights",
    .about =
        "Writes a weights file (safetensors) for a description, initialised as PyTorch users expect: He-normal "
        "convolutions, uniform fully connected layers. The same seed gives the same file.\n\nA description is one "
        "line: "
        "planes, scalars, size=ROWSxCOLS, then c (channels) and b (blocks) or mlp=WIDTH,…, then heads: "
        "policy=FILTERS:MOVES, value=FILTERS:HIDDEN, scalar=FILTERS:HIDDEN:OUT, board=PLANES, "
        "duel=FILTERS:HIDDEN:ACTIONS, or with :ATOMS behind it for distributions. se=WIDTH adds squeeze-excitation, "
        "noisy=1 learned noise in a duel head.",
    .examples = "keiko nn init othello-seed -o start.safetensors\n"
                "keiko nn init 'planes=3 size=8x8 c=64 b=6 policy=2:65 value=1:64' --seed 7",
    .args = init_args,
    .n_args = COUNT(init_args),
    .opts = init_opts,
    .n_opts = COUNT(init_opts),
    .size = sizeof(init_options),
    .run = init_run,
};

// --- export

typedef struct export_options {
    common all;
    const char *net, *onnx, *bf16;
} export_options;

static int export_run(const void *options)
{
    const export_options *o = options;
    nn_net *net = NULL;
    bool fresh;
    err e = ERR_OK;
    if (o->onnx == NULL && o->bf16 == NULL) e = err_set(ERR_USAGE, "what to write is missing: --onnx or --bf16 FILE");
    if (e == ERR_OK) e = open_net(&net, o->net, 1, &fresh);
    if (e == ERR_OK && o->onnx != NULL) {
        e = nn_onnx_export(net, o->onnx);
        if (e == ERR_OK) printf("%s: %zu parameters, batch-norm folded\n", o->onnx, net->at.n_train);
    }
    if (e == ERR_OK && o->bf16 != NULL) {
        e = nn_net_save_bf16(net, o->bf16);
        if (e == ERR_OK) printf("%s: %zu parameters, matrices in 16 bits\n", o->bf16, net->at.n_train);
    }
    nn_net_free(net);
    return e == ERR_OK ? 0 : cli_fail("export");
}

static const opt export_args[] = {ARG_NET(export_options)};
static const opt export_opts[] = {
    {.name = "onnx",
     .kind = OPT_FILE,
     .at = offsetof(export_options, onnx),
     .value = "OUT",
     .help = "write an ONNX file (opset 13) that ONNX Runtime and other tools run"},
    {.name = "bf16",
     .kind = OPT_FILE,
     .at = offsetof(export_options, bf16),
     .value = "OUT",
     .help =
         "write a weights file of half the size, matrices and convolutions as BF16; every command reads it as it is"},
};

const command cmd_export = {
    .name = "export",
    .summary = "write a network in another format",
    .about = "Writes a network as ONNX: input \"planes\" [N, planes + scalars, rows, cols], one output a head, named "
             "as in the "
             "weights file. The weights files themselves are safetensors and open in PyTorch as they are.",
    .examples = "keiko export run/best.safetensors --onnx best.onnx",
    .args = export_args,
    .n_args = COUNT(export_args),
    .opts = export_opts,
    .n_opts = COUNT(export_opts),
    .size = sizeof(export_options),
    .run = export_run,
};
