// Any bytes as a trainer's state: refused without a trace, or taken whole; what is taken is written to the same again.
#include "nn/state.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok)
{
    if (!ok) abort();
}

enum { MOST = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nn_desc d;
    nn_layout at;
    static float a[4][MOST], b[4][MOST];
    check(nn_desc_parse("planes=1 size=1x2 mlp=2 value=0:0", &d) == ERR_OK);
    nn_layout_make(&d, &at);
    check(at.n_all <= MOST);
    for (int kind = 0; kind < 3; kind++) {
        memset(a, 0, sizeof a);
        nn_state s = {&d,
                      (nn_optim_kind)kind,
                      7,
                      at.n_train,
                      at.n_all,
                      a[0],
                      a[1],
                      kind == NN_SGD ? NULL : a[2],
                      kind == NN_ADAM ? a[3] : NULL};
        if (nn_state_read(&s, data, size) != ERR_OK) {
            check(s.step == 7);
            for (int i = 0; i < 4; i++)
                for (int k = 0; k < MOST; k++) check(a[i][k] == 0);
            continue;
        }
        text_buf t = {0};
        nn_state again = s;
        memset(b, 0, sizeof b);
        again.w = b[0], again.m = b[1], again.v = s.v == NULL ? NULL : b[2], again.ema = s.ema == NULL ? NULL : b[3];
        again.step = 0;
        check(nn_state_write(&s, &t) == ERR_OK);
        check(nn_state_read(&again, t.data, t.len) == ERR_OK);
        check(again.step == s.step && memcmp(a, b, sizeof a) == 0);
        text_free(&t);
    }
    return 0;
}
