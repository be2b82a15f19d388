// Squeeze-excitation in training: out = relu(x + gate(y) * y), gate = sigmoid(fc2(relu(fc1(mean of y)))).
//
// Everything is a matter of one board, so it runs inside a chunk's task; only the two layers' weight gradients wait for the
// whole batch (train_fc_grads). y = scale*z + shift is recomputed from z instead of being stored.
#include "nn/train_inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

err train_se_new(nn_trainer *t)
{
    const nn_desc *d = &t->net->desc;
    size_t rows = (size_t)t->max_batch, ch = (size_t)t->channels;
    t->se = calloc((size_t)d->blocks + 1, sizeof *t->se);
    if (t->se == NULL) return err_set(ERR_MEMORY, "no memory for squeeze-excitation");
    err e = ERR_OK;
    for (int b = 0; b < d->blocks && e == ERR_OK; b++) {
        train_se *s = &t->se[b];
        s->squeeze = train_floats(t, rows * ch);
        s->dsq = train_floats(t, rows * ch);
        e = train_fc_new(t, &s->fc[0], &t->net->at.block[b].se[0], s->squeeze, ch);
        if (e == ERR_OK) e = train_fc_new(t, &s->fc[1], &t->net->at.block[b].se[1], s->fc[0].y, s->fc[0].ldy);
        s->gate = s->fc[1].y;
    }
    return e;
}

static void affine_board(nn_trainer *t, const float *in, const float *scale, const float *shift, const float *res,
                         bool relu, float *y)
{
    t->kern->affine(1, t->channels / 16, t->hw, in, scale, shift, res, relu, y);
}

void train_se_forward(nn_trainer *t, int block, int from, int n)
{
    train_se *s = &t->se[block];
    train_layer *y = &t->layer[2 * block + 2];
    const float *x = t->layer[2 * block].act;
    int ch = t->channels;
    double sum[NN_MAX_CHANNELS], square[NN_MAX_CHANNELS];
    for (int i = from; i < from + n; i++) {
        float *row = s->squeeze + (size_t)i * (size_t)ch;
        memset(sum, 0, (size_t)ch * sizeof *sum);
        t->kern->sums(1, ch / 16, t->hw, y->z + (size_t)i * board_size(t), sum, square);
        for (int c = 0; c < ch; c++) row[c] = y->bn.scale[c] * (float)(sum[c] / t->hw) + y->bn.shift[c];
    }
    train_fc_forward(t, &s->fc[0], from, n, true);
    train_fc_forward(t, &s->fc[1], from, n, false);
    for (int i = from; i < from + n; i++) {
        float scale[NN_MAX_CHANNELS], shift[NN_MAX_CHANNELS], *gate = s->gate + (size_t)i * s->fc[1].ldy;
        size_t at = (size_t)i * board_size(t);
        for (int c = 0; c < ch; c++) {
            gate[c] = 1 / (1 + expf(-gate[c]));
            scale[c] = gate[c] * y->bn.scale[c];
            shift[c] = gate[c] * y->bn.shift[c];
        }
        affine_board(t, y->z + at, scale, shift, x + at, true, y->act + at);
    }
}

void train_se_back(nn_trainer *t, int block, int from, int n)
{
    train_se *s = &t->se[block];
    train_layer *y = &t->layer[2 * block + 2];
    int ch = t->channels;
    static const float zero[NN_MAX_CHANNELS] = {0};
    for (int i = from; i < from + n; i++) {
        double sum[NN_MAX_CHANNELS], dot[NN_MAX_CHANNELS];
        size_t at = (size_t)i * board_size(t);
        float *gate = s->gate + (size_t)i * s->fc[1].ldy, *dgate = s->fc[1].dy + (size_t)i * s->fc[1].ldy;
        memset(sum, 0, (size_t)ch * sizeof *sum), memset(dot, 0, (size_t)ch * sizeof *dot);
        t->kern->mask_sums(1, ch / 16, t->hw, t->d + at, y->act + at, NULL, y->z + at, zero, sum, dot);
        for (int c = 0; c < ch; c++)
            dgate[c] =
                (float)((double)y->bn.scale[c] * dot[c] + (double)y->bn.shift[c] * sum[c]) * gate[c] * (1 - gate[c]);
    }
    train_fc *inner = &s->fc[0];
    train_fc_back(t, &s->fc[1], from, n, inner->dy, inner->ldy, false);
    for (size_t i = (size_t)from * inner->ldy; i < (size_t)(from + n) * inner->ldy; i++)
        if (inner->y[i] <= 0) inner->dy[i] = 0;
    train_fc_back(t, inner, from, n, s->dsq, (size_t)ch, false);
    for (int i = from; i < from + n; i++) {
        float *shift = s->dsq + (size_t)i * (size_t)ch;
        size_t at = (size_t)i * board_size(t);
        for (int c = 0; c < ch; c++) shift[c] = c < t->net->desc.channels ? shift[c] / (float)t->hw : 0;
        affine_board(t, t->d + at, s->gate + (size_t)i * s->fc[1].ldy, shift, NULL, false, t->f + at);
    }
}
