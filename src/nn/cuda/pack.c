// See pack.h.
#include "nn/cuda/pack.h"

#include "nn/infer_inner.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint16_t bf16_of(float v)
{
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    if ((u & 0x7fffffff) > 0x7f800000) return 0x7fc0; // not a number stays one
    return (uint16_t)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}

uint8_t e4m3_of(float v)
{
    const uint8_t sign = signbit(v) ? 0x80 : 0;
    float a = fabsf(v);
    if (isnan(v)) return 0x7f;
    if (a >= 448) return sign | 0x7e;
    int e;
    frexpf(a, &e);                 // a = m * 2^e, m in [1/2, 1)
    if (e < -5) e = -5;            // below 2^-6 steps stay 2^-9
    float step = ldexpf(1, e - 4); // four digits
    int digits = (int)nearbyintf(a / step);
    if (digits == 16) digits = 8, e++;
    if (digits < 8) return (uint8_t)(sign | digits);
    return (uint8_t)(sign | (e + 6) << 3 | (digits - 8));
}

head_filters head_filters_of(const nn_net *net)
{
    head_filters f = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (int h = 0; h < net->desc.n_heads; h++) {
            const nn_conv_at *c = &net->at.head[h].conv;
            if (c->cout == 0 || c->normed != (pass == 0)) continue;
            f.first[h] = f.filters;
            f.filters += c->cout;
        }
        if (pass == 0) f.normed = f.filters;
    }
    return f;
}

// --- the tower

static int stem_steps(const nn_desc *d)
{
    return 9 * ((nn_inputs(d) + 15) / 16);
}

size_t tower_weights_size(const nn_net *net, int channels, bool fp8)
{
    size_t c = (size_t)channels, each = fp8 ? 1 : 2;
    size_t passes = ((size_t)head_filters_of(net).filters + 63) / 64;
    return (size_t)stem_steps(&net->desc) * c * 32 + (size_t)net->desc.blocks * 2 * 9 * c * c * each + passes * c * 128;
}

size_t tower_bias_size(const nn_net *net, int channels, bool fp8)
{
    size_t passes = ((size_t)head_filters_of(net).filters + 63) / 64;
    return (size_t)(1 + 2 * net->desc.blocks) * (size_t)channels * (fp8 ? 3 : 1) + 64 * passes;
}

// The kernel's order of taps: the middle row, the row above, the row below.
static int tap_at(int i)
{
    static const int order[9] = {3, 4, 5, 0, 1, 2, 6, 7, 8};
    return order[i];
}

typedef struct packer {
    const nn_net *net;
    float *scale; // room for the widest convolution
    uint16_t *to;
    bool fp8;
} packer;

// Which output channel a row of wgmma's A is. e4m3: two neighbours are eight rows apart (tower.cuh).
static int channel_of(const packer *p, int row)
{
    return p->fp8 ? row / 16 * 16 + row % 8 * 2 + row / 8 % 2 : row;
}

// One operand A of wgmma: `tiles` times 64 output channels by `steps` times 16 input channels of one tap.
static void pack_stage(packer *p, const nn_conv_at *c, int tap, int tiles, int in0, int steps)
{
    int kk = c->k * c->k;
    const float *w = p->net->w + c->w;
    for (int t = 0; t < tiles; t++)
        for (int s = 0; s < steps; s++)
            for (int half = 0; half < 2; half++)
                for (int row = t * 64; row < t * 64 + 64; row++)
                    for (int k = 0; k < 8; k++) {
                        int o = channel_of(p, row), i = in0 + s * 16 + half * 8 + k;
                        bool real = o < c->cout && i < c->cin;
                        *p->to++ = real ? bf16_of(p->scale[o] * w[(o * c->cin + i) * kk + tap]) : 0;
                    }
}

static void pack_body(packer *p, const nn_conv_at *c, int channels)
{
    int halves = channels == 64 ? 1 : 2, chunks = channels / 64 / halves;
    for (int h = 0; h < halves; h++)
        for (int i = 0; i < 9; i++)
            for (int k = 0; k < chunks; k++)
                pack_stage(p, c, tap_at(i), channels / 64, h * (channels / halves) + k * 64, 4);
}

// --- e4m3

// An activation's value that becomes 1: the largest one seen is then half of what e4m3 holds, since other positions have
// larger ones. A channel that was silent, or nearly, goes by its layer.
static void activation_scales(const float *high, int channels, int padded, float *scale)
{
    float most = 0;
    for (int c = 0; c < channels; c++) most = fmaxf(most, high[c]);
    if (!(most > 0)) most = 1;
    for (int c = 0; c < padded; c++) scale[c] = fmaxf(c < channels ? high[c] : 0, most / 32) / 224;
}

// in, out: scales of the activations before and behind; number: tower.cuh's finish8. Inside a block `out` is folded.
static void pack_body8(packer *p, const nn_conv_at *c, int channels, const float *in, const float *out, bool inside,
                       const float *bias, float *number)
{
    const int halves = channels == 64 ? 1 : 2, chunks = channels / 64 / halves;
    const float *w = p->net->w + c->w;
    uint8_t *to = (uint8_t *)p->to;
    for (int o = 0; o < c->cout; o++) {
        float most = 0;
        for (int i = 0; i < c->cin; i++)
            for (int k = 0; k < 9; k++) most = fmaxf(most, fabsf(w[(o * c->cin + i) * 9 + k] * p->scale[o] * in[i]));
        const float unit = most > 0 ? most / 448 : 1, fold = inside ? 1 / out[o] : 1;
        number[o] = unit * fold;
        number[channels + o] = bias[o] * fold;
        number[2 * channels + o] = inside ? 1 : 1 / out[o];
        p->scale[o] /= unit;
    }
    for (int h = 0; h < halves; h++)
        for (int dy = 0; dy < 3; dy++)
            for (int k = 0; k < chunks; k++)
                for (int row0 = 0; row0 < channels; row0 += 64)
                    for (int piece = 0; piece < 12; piece++) // three taps, four times 16 channels
                        for (int row = row0; row < row0 + 64; row++)
                            for (int e = 0; e < 16; e++) {
                                int o = channel_of(p, row), tap = tap_at(dy * 3 + piece / 4);
                                int i = h * (channels / halves) + k * 64 + piece % 4 * 16 + e;
                                bool real = o < c->cout && i < c->cin;
                                *to++ = real ? e4m3_of(w[(o * c->cin + i) * 9 + tap] * p->scale[o] * in[i]) : 0;
                            }
    p->to = (uint16_t *)(void *)to;
}

// Stem and blocks; returns where the heads' biases go. `room`: four times `channels` floats.
static float *pack_tower8(packer *p, int channels, const float *high, float *number, float *room)
{
    const nn_desc *d = &p->net->desc;
    float *scale[2] = {room, room + channels}, *bias = room + 2 * channels;
    activation_scales(high, d->channels, channels, scale[0]);
    for (int o = 0; o < d->channels; o++) {
        number[channels + o] = number[o]; // plan_fold left the stem's bias here
        number[o] = 1;
        number[2 * channels + o] = 1 / scale[0][o];
    }
    for (int i = 1; i <= 2 * d->blocks; i++) {
        const nn_conv_at *c = &p->net->at.block[(i - 1) / 2].conv[(i - 1) % 2];
        number += 3 * channels;
        plan_fold(p->net, c, p->scale, bias);
        activation_scales(high + i * d->channels, d->channels, channels, scale[i % 2]);
        pack_body8(p, c, channels, scale[(i - 1) % 2], scale[i % 2], i % 2 == 1, bias, number);
    }
    return number + 3 * channels;
}

// Filters of all heads in one list, 64 a pass.
static void pack_filters(packer *p, int channels, float *bias)
{
    const nn_net *net = p->net;
    head_filters f = head_filters_of(net);
    for (int h = 0; h < net->desc.n_heads; h++) {
        const nn_conv_at *c = &net->at.head[h].conv;
        if (c->cout == 0) continue;
        plan_fold(net, c, p->scale, bias + f.first[h]);
        for (int o = 0; o < c->cout; o++) {
            int to = f.first[h] + o;
            uint16_t *pass = p->to + (size_t)(to / 64) * (size_t)channels * 64;
            for (int k = 0; k < channels; k++) {
                int i = channel_of(p, k); // the last block's rows are the filters' K
                if (i < c->cin)
                    pass[k / 16 * 1024 + k / 8 % 2 * 512 + to % 64 * 8 + k % 8] =
                        bf16_of(p->scale[o] * net->w[c->w + (size_t)(o * c->cin + i)]);
            }
        }
    }
}

err tower_pack(const nn_net *net, int channels, const float *high, uint8_t *w, float *bias)
{
    const nn_desc *d = &net->desc;
    const bool fp8 = high != NULL;
    packer p = {.net = net,
                .scale = malloc((NN_MAX_CHANNELS + 4 * (size_t)channels) * sizeof(float)),
                .to = (uint16_t *)(void *)w,
                .fp8 = fp8};
    if (p.scale == NULL) return err_set(ERR_MEMORY, "no memory to pack weights");
    memset(w, 0, tower_weights_size(net, channels, fp8));
    memset(bias, 0, tower_bias_size(net, channels, fp8) * sizeof *bias);
    plan_fold(net, &net->at.stem, p.scale, bias);
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < stem_steps(d) / 9; k++) pack_stage(&p, &net->at.stem, tap_at(i), channels / 64, k * 16, 1);
    for (int i = 0; i < 2 * d->blocks && !fp8; i++) {
        bias += channels;
        plan_fold(net, &net->at.block[i / 2].conv[i % 2], p.scale, bias);
        pack_body(&p, &net->at.block[i / 2].conv[i % 2], channels);
    }
    pack_filters(&p, channels,
                 fp8 ? pack_tower8(&p, channels, high, bias, p.scale + NN_MAX_CHANNELS) : bias + channels);
    free(p.scale);
    return ERR_OK;
}

// --- single convolutions

size_t conv_weights_size(int cin, int cout)
{
    return (size_t)((cin + 31) / 32) * 18 * (size_t)conv_tiles(cout) * 4 * 512;
}

void conv_pack(const float *w, int cin, int cout, const float *scale, uint16_t *to)
{
    for (int c = 0; c < (cin + 31) / 32; c++)
        for (int tap = 0; tap < 9; tap++)
            for (int step = 0; step < 2; step++)
                for (int m = 0; m < conv_tiles(cout) * 4; m++)
                    for (int lane = 0; lane < 32; lane++)
                        for (int e = 0; e < 8; e++) { // fragment: two rows 8 apart, then two halves of K
                            int o = m * 16 + lane / 4 + e / 2 % 2 * 8;
                            int i = c * 32 + step * 16 + e / 4 * 8 + lane % 4 * 2 + e % 2;
                            float v = o < cout && i < cin ? w[(o * cin + i) * 9 + tap] : 0;
                            *to++ = bf16_of(scale != NULL && o < cout ? scale[o] * v : v);
                        }
}

// --- fully connected layers

static int up(int n, int to)
{
    return (n + to - 1) / to * to;
}

// A layer of the list: which weights it takes. A duel head's value and advantages are one layer over both halves.
typedef struct source {
    const nn_fc_at *fc;
    const nn_fc_at *value; // duel: fc reads the second half of the hidden layer, this the first, as the last outputs
} source;

static void add_layer(rows_args *a, int in, int out, int src, int dst, bool relu)
{
    assert(a->n_layers < ROWS_LAYERS);
    a->layer[a->n_layers++] =
        (rows_layer){.k32 = up(in, 32) / 32, .n8 = up(out, 8) / 8, .out = out, .src = src, .dst = dst, .relu = relu};
}

// Walks the layers in the list's order; calls add (plan) or hands out the index-th source (pack).
static void walk_layers(const nn_net *net, rows_args *a, source *found)
{
    const nn_desc *d = &net->desc;
    head_filters f = head_filters_of(net);
    int hw = d->rows * d->cols, x = 0, y = 0, out = 0, trunk = 0, n = 0;
#define LAYER(at, val, in_size, out_size, from, to, is_relu)                                                           \
    do {                                                                                                               \
        if (found == NULL)                                                                                             \
            add_layer(a, in_size, out_size, from, to, is_relu);                                                        \
        else                                                                                                           \
            found[n++] = (source){at, val};                                                                            \
    } while (0)
    if (d->channels == 0) {
        x = up(net->at.mlp[0].in, 32);
        for (int i = 0; i < d->n_mlp; i++) {
            LAYER(&net->at.mlp[i], NULL, net->at.mlp[i].in, net->at.mlp[i].out, trunk, x, true);
            trunk = x;
            x += up(net->at.mlp[i].out, 32);
        }
    }
    for (int h = 0; h < d->n_heads; h++) {
        const nn_head *q = &d->head[h];
        const nn_head_layers *at = &net->at.head[h];
        int size = nn_head_size(d, h), src = trunk;
        rows_head head = {.kind = (int)q->kind, .size = size, .y_at = y, .out = out, .atoms = nn_atoms(q)};
        if (at->conv.cout > 0) {
            src = x;
            int width = at->conv.cout * hw;
            if (found == NULL) {
                a->piece[a->n_pieces].from = f.first[h] * hw;
                a->piece[a->n_pieces].size = width;
                a->piece[a->n_pieces++].to = x;
            }
            x += up(width, 32);
        }
        head.flat = src;
        if (q->kind == NN_DUEL) {
            LAYER(&at->fc[0], NULL, at->fc[0].in, at->fc[0].out, src, x, true);
            LAYER(&at->fc[2], &at->fc[1], at->fc[0].out, at->fc[2].out + at->fc[1].out, x, y, false);
            x += up(at->fc[0].out, 32);
        } else if (at->n_fc == 2) {
            LAYER(&at->fc[0], NULL, at->fc[0].in, at->fc[0].out, src, x, true);
            LAYER(&at->fc[1], NULL, at->fc[1].in, at->fc[1].out, x, y, false);
            x += up(at->fc[0].out, 32);
        } else if (at->n_fc == 1) {
            LAYER(&at->fc[0], NULL, at->fc[0].in, at->fc[0].out, src, y, false);
        }
        y += size + (q->kind == NN_DUEL ? at->fc[1].out : 0);
        out += size;
        if (found == NULL) a->head[a->n_heads++] = head;
    }
#undef LAYER
    if (found != NULL) return;
    a->x_ld = up(x, 16) + 8; // an odd number of 16 bytes: rows start in different banks
    a->y_ld = y;
}

err rows_plan(const nn_net *net, rows_args *a, size_t *w_bytes, size_t *b_floats)
{
    const nn_desc *d = &net->desc;
    head_filters f = head_filters_of(net);
    *a = (rows_args){.planes = d->planes,
                     .n_scalars = d->scalars,
                     .hw = d->rows * d->cols,
                     .words = nn_words(d),
                     .flat_ld = f.filters * d->rows * d->cols,
                     .out_size = nn_out_size(d)};
    walk_layers(net, a, NULL);
    for (int h = 0; h < d->n_heads; h++) {
        a->n_policy += d->head[h].kind == NN_POLICY;
        if (d->head[h].kind != NN_POLICY) a->rest_size += nn_head_size(d, h);
    }
    *w_bytes = 0;
    *b_floats = 0;
    for (int i = 0; i < a->n_layers; i++) {
        a->layer[i].w = (uint32_t)(*w_bytes / 16);
        a->layer[i].b = (uint32_t)*b_floats;
        *w_bytes += (size_t)a->layer[i].k32 * (size_t)a->layer[i].n8 * 512;
        *b_floats += (size_t)a->layer[i].n8 * 8;
    }
    if (rows_smem(a, 16) > 227 * 1024)
        return err_set(ERR_LIMIT,
                       "the fully connected layers of this network are too wide for the CUDA backend: %d "
                       "numbers a position; use the cpu backend",
                       a->x_ld + a->y_ld);
    return ERR_OK;
}

// Output o, input i of a layer's matrix.
static float weight_at(const nn_net *net, const source *s, int o, int i)
{
    const nn_fc_at *f = s->fc;
    if (s->value != NULL) { // duel
        int half = f->in;
        if (o >= f->out) return i < half ? net->w[s->value->w + (size_t)((o - f->out) * half + i)] : 0;
        return i >= half && i < 2 * half ? net->w[f->w + (size_t)(o * half + i - half)] : 0;
    }
    return i < f->in ? net->w[f->w + (size_t)o * (size_t)f->in + (size_t)i] : 0;
}

void rows_pack(const nn_net *net, const rows_args *a, uint8_t *w, float *b)
{
    source from[ROWS_LAYERS];
    walk_layers(net, NULL, from);
    for (int l = 0; l < a->n_layers; l++) {
        const rows_layer *q = &a->layer[l];
        const source *s = &from[l];
        uint16_t *to = (uint16_t *)(void *)w + (size_t)q->w * 8;
        for (int t = 0; t < q->n8; t++)
            for (int k = 0; k < q->k32; k++)
                for (int lane = 0; lane < 32; lane++)
                    for (int e = 0; e < 8; e++) { // of a lane: two steps of 16, each two pairs, 8 inputs apart
                        int o = t * 8 + lane / 4, i = k * 32 + e / 4 * 16 + e / 2 % 2 * 8 + lane % 4 * 2 + e % 2;
                        *to++ = o < q->out ? bf16_of(weight_at(net, s, o, i)) : 0;
                    }
        for (int o = 0; o < q->n8 * 8; o++) {
            float v = 0;
            if (o < s->fc->out) v = net->w[s->fc->b + (size_t)o];
            if (s->value != NULL && o >= s->fc->out && o < q->out) v = net->w[s->value->b + (size_t)(o - s->fc->out)];
            b[q->b + (size_t)o] = v;
        }
    }
}
