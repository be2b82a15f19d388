// keiko nn info, nn check, nn init, export: describe a network, test the kernels with it, make a new one, convert one.
#include "app/catalogue.h"
#include "app/net_info.h"
#include "base/cpu.h"
#include "cli/cli.h"
#include "nn/check.h"

#include <stdio.h>

#define ARG_NET(T) /* net */                                                                                           \
    ROW_FILE("FILE", offsetof(T, net), NULL,                                                                           \
             "A weights file, a name from keiko models, a preset, or a quoted description", .required = true)

// --- info

typedef struct info_options {
    common all;
    const char *net;
    double seconds;
    bool speed, json;
} info_options;

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

static void print_info(const net_info *n)
{
    const nn_net *net = n->net;
    const nn_desc *d = &net->desc;
    printf("%s\n", n->text);
    printf("  input        %d planes and %d scalars on %dx%d\n", d->planes, d->scalars, d->rows, d->cols);
    print_heads(d);
    printf("  fits         %s\n", n->games.len > 0 ? text_str(&n->games) : "no game of this build");
    printf("  parameters   %zu trained, %zu running statistics (%.2f MB)\n", net->at.n_train,
           net->at.n_all - net->at.n_train, (double)net->at.n_all * 4e-6);
    printf("  work         %.2f MFLOP per position\n", nn_flops(d) * 1e-6);
    cli_say_note(stdout, "  made by      ",
                 n->fresh            ? "nobody: random weights"
                 : net->note != NULL ? net->note
                                     : "unknown: the file has no note");
    if (n->n_speeds > 0) printf("speed here, one thread (%s)\n", cpu_model());
    for (int i = 0; i < n->n_speeds; i++)
        printf("  %-20s %10.0f positions/s  %8.2f ms  %s\n", n->speed[i].name, n->speed[i].got.positions_per_second,
               n->speed[i].got.best_seconds * 1e3, n->speed[i].got.text);
}

static int info_run(const void *options)
{
    const info_options *o = options;
    net_info n;
    text_buf t = {0};
    if (net_info_open(&n, o->net, o->speed ? o->seconds : 0) != ERR_OK) return cli_fail("nn info");
    if (o->json) {
        json_writer w = json_begin(&t, true);
        net_info_json(&w, &n);
        cli_put(&t, json_finish(&w));
    } else {
        print_info(&n);
    }
    net_info_free(&n);
    return 0;
}

static const opt info_args[] = {ARG_NET(info_options)};
static const opt info_opts[] = {
    ROW_FLAG("speed", offsetof(info_options, speed), NULL, "Measure how fast it runs and trains on one thread"),
    ROW_NUMBER("seconds", offsetof(info_options, seconds), "S", "0.3", 0, 600, "with --speed: seconds per measurement"),
    OPT_JSON(info_options),
};

const command cmd_nn_info = {
    CALLED("nn info", "Describe a network: layers, heads, games, origin"),
    .about =
        "Shows a network's description, inputs, heads, matching games, size, operations per position and training note. --speed also measures how fast it runs and trains on one thread.",
    .examples = "keiko nn info othello-seed\nkeiko nn info run/best.safetensors --json\n"
                "keiko nn info 'planes=3 size=8x8 c=64 b=6 policy=2:65 value=1:64' --speed",
    RUNS(info_run, info_options, WITH_ROWS(info_args, info_opts)),
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
    err e = catalogue_open_net(&net, o->net, (uint64_t)o->seed, &fresh);
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
    ROW_INT("positions", offsetof(check_options, positions), "N", "8", 1, 10000,
            "Number of random positions; a large network takes about a second per position", .letter = 'n'),
    OPT_SEED(check_options),
};

const command cmd_nn_check = {
    CALLED("nn check", "Test the network kernels against a reference implementation"),
    .about =
        "Runs a network with every instruction set and algorithm available here, and with int8, on random positions and compares the outputs with a double-precision reference. The exit status is 1 if an f32 kernel is wrong. int8 rounds by design; its row shows the error. Errors are |difference| / (1 + |reference|).",
    .examples = "keiko nn check othello-seed\nkeiko nn check run/best.safetensors -n 64",
    RUNS(check_run, check_options, WITH_ROWS(check_args, check_opts)),
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
    ROW_TEXT("NETWORK", offsetof(init_options, net), NULL, NULL, "A preset or a quoted description", .required = true),
};
static const opt init_opts[] = {
    ROW_FILE("output", offsetof(init_options, out), "net.safetensors", "File to write", .letter = 'o'),
    ROW_TEXT("note", offsetof(init_options, note), "TEXT", NULL, "Note stored in the file and shown by keiko nn info"),
    OPT_SEED(init_options),
};

const command cmd_nn_init = {
    CALLED("nn init", "Create a network with random weights"),
    .about =
        "Writes a weights file (safetensors) with the usual initialisation: He-normal convolutions, uniform fully connected layers. The same seed gives the same file.\n\nA description is one line: planes, scalars, size=ROWSxCOLS, then c (channels) and b (blocks) or mlp=WIDTH,…, then heads: policy=FILTERS:MOVES, value=FILTERS:HIDDEN, scalar=FILTERS:HIDDEN:OUT, board=PLANES, duel=FILTERS:HIDDEN:ACTIONS[:ATOMS] (dueling Q-values; ATOMS for distributions). se=WIDTH adds squeeze-and-excitation; noisy=1 adds learned noise to a duel head.",
    .examples = "keiko nn init othello-seed -o start.safetensors\n"
                "keiko nn init 'planes=3 size=8x8 c=64 b=6 policy=2:65 value=1:64' --seed 7",
    RUNS(init_run, init_options, WITH_ROWS(init_args, init_opts)),
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
    if (e == ERR_OK) e = catalogue_open_net(&net, o->net, 1, &fresh);
    if (e == ERR_OK && o->onnx != NULL) {
        e = net_export_onnx(net, o->onnx);
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
    ROW_FILE("onnx", offsetof(export_options, onnx), NULL, "Write an ONNX file (opset 13)"),
    ROW_FILE("bf16", offsetof(export_options, bf16), NULL,
             "Write a weights file of half the size with BF16 matrices and convolutions; all commands can read it"),
};

const command cmd_export = {
    CALLED("export", "Convert a network to another format"),
    .about =
        "Converts a network. ONNX: one input \"planes\" [N, planes + scalars, rows, cols] and one output per head, named as in the weights file. Metadata names the game, the board, what each plane shows and how moves are numbered. Weights files are safetensors, which PyTorch opens directly.",
    .examples = "keiko export run/best.safetensors --onnx best.onnx",
    RUNS(export_run, export_options, WITH_ROWS(export_args, export_opts)),
};
