// A network for tic-tac-toe with random weights, for the tests of learners and workers.
#ifndef KEIKO_TESTS_DIST_NEW_NET_H
#define KEIKO_TESTS_DIST_NEW_NET_H

#include "learn/zero/az_config.h"
#include "nn/net.h"
#include "test.h"

static inline nn_net *new_net(const char *options, uint64_t seed)
{
    const game *g;
    nn_net *net;
    nn_desc d;
    az_config c = {0};
    assert_ok(game_find("tictactoe", &g));
    assert_ok(opt_defaults(az_opts, az_n_opts, &c));
    c.net = options;
    assert_ok(az_net_desc(&c, g, &g->encodings[0], &d));
    assert_ok(nn_net_new(&net, &d, seed));
    return net;
}

#endif
