// The rows of `keiko speed nn`: the networks of the presets, run and trained, by batch, numbers and threads.
//
// A row's argument holds its whole plan, so that a row is one line: the preset, then batch, threads and what is done.
#include "app/speed.h"
#include "nn/speed.h"

#include <stdio.h>

static const char *const nets[] = {"othello-seed", "contrast-seed", "renju-small", "puyo-dqn"};
enum { OTHELLO, CONTRAST, RENJU, PUYO };
enum { F32, INT8, TRAIN };

static double nn_rate(int arg, double seconds, char *note, size_t n)
{
    nn_desc d;
    nn_net *net = NULL;
    int how = arg >> 16 & 15;
    nn_speed_plan plan = {.batch = arg & 0xffff,
                          .int8 = how == INT8,
                          .train = how == TRAIN,
                          .threads = arg >> 20 & 15,
                          .seconds = seconds};
    nn_speed_report r = {0};
    err e = nn_desc_parse(nets[arg >> 24], &d);
    if (e == ERR_OK) e = nn_net_new(&net, &d, 1);
    if (e == ERR_OK) e = nn_speed(net, &plan, &r);
    if (e == ERR_OK)
        snprintf(note, n, "%.2f ms, %s", r.best_seconds * 1e3, r.text);
    else
        snprintf(note, n, "%s", err_text());
    nn_net_free(net);
    return r.positions_per_second;
}

#define ROW(text, net, how, batch, threads)                                                                            \
    {                                                                                                                  \
        .group = "nn", .name = text " batch " #batch ", threads " #threads, .unit = "positions", .rate = nn_rate,      \
        .arg = (net) << 24 | (threads) << 20 | (how) << 16 | (batch)                                                   \
    }
const speed_row speed_nn[] = {
    ROW("othello-seed f32,", OTHELLO, F32, 1, 1),
    ROW("othello-seed f32,", OTHELLO, F32, 32, 1),
    ROW("othello-seed f32,", OTHELLO, F32, 256, 1),
    ROW("othello-seed f32,", OTHELLO, F32, 256, 2),
    ROW("othello-seed int8,", OTHELLO, INT8, 1, 1),
    ROW("othello-seed int8,", OTHELLO, INT8, 32, 1),
    ROW("othello-seed int8,", OTHELLO, INT8, 256, 1),
    ROW("othello-seed int8,", OTHELLO, INT8, 256, 2),
    ROW("othello-seed training,", OTHELLO, TRAIN, 256, 1),
    ROW("othello-seed training,", OTHELLO, TRAIN, 256, 2),
    ROW("contrast-seed f32,", CONTRAST, F32, 1, 1),
    ROW("contrast-seed f32,", CONTRAST, F32, 32, 1),
    ROW("contrast-seed f32,", CONTRAST, F32, 256, 1),
    ROW("contrast-seed f32,", CONTRAST, F32, 256, 2),
    ROW("contrast-seed int8,", CONTRAST, INT8, 32, 1),
    ROW("contrast-seed training,", CONTRAST, TRAIN, 256, 1),
    ROW("renju-small f32,", RENJU, F32, 32, 1),
    ROW("renju-small int8,", RENJU, INT8, 32, 1),
    ROW("renju-small training,", RENJU, TRAIN, 256, 1),
    ROW("puyo-dqn f32,", PUYO, F32, 32, 1),
    ROW("puyo-dqn int8,", PUYO, INT8, 32, 1),
    ROW("puyo-dqn training,", PUYO, TRAIN, 256, 1),
};

const int n_speed_nn = (int)(sizeof speed_nn / sizeof *speed_nn);
