// What infer.c and quant.c share: the plan's insides.
#ifndef KEIKO_NN_INFER_INNER_H
#define KEIKO_NN_INFER_INNER_H

#include "nn/fc.h"
#include "nn/infer.h"

typedef struct int8_plan int8_plan;

typedef struct plan_conv {
    float *w, *bias; // packed, folded
} plan_conv;

typedef struct plan_block {
    plan_conv conv[2];
    fc_pack se[2];
} plan_block;

typedef struct plan_head {
    int channel; // first of its 1x1 convolution in the combined one
    fc_pack fc[3];
} plan_head;

struct nn_plan {
    nn_desc desc;
    const nn_kern *kern;
    int channels, chunk; // channels padded to 16
    conv3 stem_shape, body_shape;
    plan_conv stem;
    plan_block *block;
    int8_plan *int8;           // NULL = f32
    int head_channels, normed; // combined 1x1 convolution: all, and those with ReLU; multiples of 16
    float *head_w, *head_bias;
    plan_head head[NN_MAX_HEADS];
    fc_pack mlp[NN_MAX_MLP];
    char text[64];
};

struct nn_scratch {
    float *all;
    float *x, *a, *b, *c; // input planes; activations [chunk][channels/16][hw][16]
    float *conv, *heads, *row[4], *int8;
};

void plan_fold(const nn_net *net, const nn_conv_at *c, float *scale, float *bias);
void plan_squeeze(const nn_plan *p, nn_scratch *s, const plan_block *b, int n, const float *z, const float *x,
                  float *y);

// quant.c. All accept NULL as "no int8".
err int8_new(int8_plan **out, const nn_net *net, const nn_ranges *r, bool direct);
void int8_free(int8_plan *q);
size_t int8_scratch(const int8_plan *q, const nn_desc *d, int chunk); // floats
const char *int8_name(const int8_plan *q);
void int8_run(const nn_plan *p, nn_scratch *s, int n); // the blocks, from s->a to s->a

#endif
