// What a network is, where it comes from and how fast it runs here.
#ifndef KEIKO_APP_NET_INFO_H
#define KEIKO_APP_NET_INFO_H

#include "base/json.h"
#include "nn/net.h"
#include "nn/speed.h"

enum { NET_SPEEDS = 4 };

typedef struct net_info { // free with net_info_free
    nn_net *net;
    bool fresh;         // random weights: a preset or a description was named
    char text[NN_TEXT]; // its description
    text_buf games;     // that it fits: "othello (mask)"
    struct net_speed {
        const char *name;
        nn_speed_report got;
    } speed[NET_SPEEDS];
    int n_speeds;
} net_info;

// `name` as catalogue_open_net takes it. `seconds` for each measurement of speed, on one thread; 0 = measure nothing.
err net_info_open(net_info *out, const char *name, double seconds);
void net_info_free(net_info *n);
// An ONNX file whose metadata says how to use the network without keiko: keiko.game, keiko.board ("8x8"), keiko.encoding,
// keiko.planes (what each input plane shows, one per line), keiko.moves (their number), keiko.policy (how a move's logit is
// found) and keiko.move-names (one per line, where there are at most a thousand).
err net_export_onnx(const nn_net *net, const char *path);

void net_info_json(json_writer *w, const net_info *n);

#endif
