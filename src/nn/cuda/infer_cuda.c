// See infer_cuda.h.
#include "nn/cuda/infer_cuda.h"

#include "nn/cuda/device.h"
#include "nn/cuda/layers.h"
#include "nn/cuda/pack.h"
#include "nn/cuda/usage_cuda.h"
#include "nn/infer_inner.h"
#include "nn/quant.h"

#include <cuda_runtime_api.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Results up to DIRECT bytes are written straight into the host's memory, inputs up to SMALL read from there: a copy of its
// own would take longer than the bytes.
enum { DIRECT = 256 << 10, SMALL = 2 << 10 };
// Up to FEW positions (one block of rows.cu) the last launch begins early and says by a flag in the host's memory that it is
// done: an event would take some microseconds longer.
enum { FEW = 16, LOOKS = 1 << 15 };
// Where a batch's way is timed: before the copy to the GPU, before and after the kernels, after the copy back.
enum { AT_START, AT_KERNELS, AT_RESULTS, AT_END, MARKS };

enum {
    EAGER_UPDATES = 16,
    SCALE_EVERY = 8
}; // fp8's scales: measured at each of the first updates, then at every eighth

typedef struct weights {
    nn_desc desc;
    int device;
    cuda_device gpu;
    cuda_pool mem;
    atomic_int users;
    head_filters filters;
    rows_args rows; // all but the batch
    int fused;      // channels of the fused tower; 0 = layer by layer
    bool fp8;       // its blocks are e4m3
    size_t w_bytes, bias_floats, rows_w_bytes, rows_b_floats;
    uint8_t *w; // the tower, or all convolutions one after the other
    float *bias;
    float *extra; // layer by layer: the filters' weights, then squeeze-excitation's tensors
    size_t extra_floats;
    void *rows_w;
    float *rows_b;
    uint8_t *stage; // pinned, for uploads
    bool is_staged, staged_fp8;
    float *high;      // fp8: each channel's largest value, when last measured
    uint64_t updates; // fp8
} weights;

typedef struct cuda_infer {
    weights *shared;
    int max_batch;
    cudaStream_t stream;
    cudaEvent_t done, mark[MARKS]; // marks: made when timing is wanted
    cuda_pool mem;
    uint16_t *flat, *act[4]; // act: layer by layer
    uint8_t *in_host, *in_dev;
    size_t in_room;
    float *out_host, *out_dev;
    size_t out_room; // bytes
    _Atomic uint32_t *flag;
    uint32_t flag_value;
    // in flight
    bool busy, flagged, timed;
    int n;
    float *out;
    nn_moves moves;
    size_t n_moves;
    char text[192];
} cuda_infer;

bool cuda_layer_by_layer;

bool cuda_available(char *why, size_t n)
{
    int count = 0;
    cudaError_t e = cudaGetDeviceCount(&count);
    cuda_device gpu;
    if (e != cudaSuccess || count == 0) {
        snprintf(why, n, "no CUDA device: %s", e != cudaSuccess ? cudaGetErrorString(e) : "none found");
        cudaGetLastError();
        return false;
    }
    if (cuda_use(0, &gpu) != ERR_OK) {
        snprintf(why, n, "%s", err_text());
        return false;
    }
    snprintf(why, n, "%s, %d multiprocessors, %.0f GB, compute capability %d.%d", gpu.name, gpu.sms,
             (double)gpu.memory / 1e9, gpu.major, gpu.minor);
    return true;
}

// --- weights

static int pad32(int n)
{
    return (n + 31) / 32 * 32;
}

static int n_convs(const nn_desc *d)
{
    return d->channels == 0 ? 0 : 1 + 2 * d->blocks;
}

static const nn_conv_at *conv_at(const nn_net *net, int i)
{
    return i == 0 ? &net->at.stem : &net->at.block[(i - 1) / 2].conv[(i - 1) % 2];
}

// Layer by layer: the i-th convolution's place in w.
static size_t conv_offset(const nn_desc *d, int i)
{
    size_t at = 0;
    for (int k = 0; k < i; k++) at += conv_weights_size(k == 0 ? nn_inputs(d) : d->channels, d->channels);
    return at;
}

static size_t squeeze_floats(const nn_desc *d)
{
    return d->se == 0 ? 0 : (size_t)(2 * d->se * d->channels + d->se + d->channels);
}

static void sizes(weights *s, const nn_net *net)
{
    const nn_desc *d = &net->desc;
    if (d->channels == 0) return;
    if (s->fused > 0) {
        s->w_bytes = tower_weights_size(net, s->fused, false); // an update may change the numbers: the larger of both
        s->bias_floats = tower_bias_size(net, s->fused, true);
        return;
    }
    s->w_bytes = conv_offset(d, n_convs(d));
    s->bias_floats = (size_t)(n_convs(d) * pad32(d->channels)) + (size_t)s->filters.filters;
    s->extra_floats = (size_t)(s->filters.filters * d->channels) + (size_t)d->blocks * squeeze_floats(d);
}

// Layer by layer: convolutions, biases, filters, squeeze-excitation.
static err pack_layers(const weights *s, const nn_net *net, uint8_t *w, float *bias, float *extra)
{
    const nn_desc *d = &net->desc;
    float *scale = malloc(NN_MAX_CHANNELS * sizeof *scale);
    if (scale == NULL) return err_set(ERR_MEMORY, "no memory to pack weights");
    memset(bias, 0, s->bias_floats * sizeof *bias);
    for (int i = 0; i < n_convs(d); i++, bias += pad32(d->channels)) {
        const nn_conv_at *c = conv_at(net, i);
        plan_fold(net, c, scale, bias);
        conv_pack(net->w + c->w, c->cin, c->cout, scale, (uint16_t *)(void *)(w + conv_offset(d, i)));
    }
    for (int h = 0; h < d->n_heads; h++) {
        const nn_conv_at *c = &net->at.head[h].conv;
        if (c->cout == 0) continue;
        plan_fold(net, c, scale, bias + s->filters.first[h]);
        for (int k = 0; k < c->cout * c->cin; k++)
            extra[s->filters.first[h] * c->cin + k] = scale[k / c->cin] * net->w[c->w + (size_t)k];
    }
    extra += s->filters.filters * d->channels;
    for (int b = 0; b < d->blocks && d->se > 0; b++)
        for (int i = 0; i < 2; i++) {
            const nn_fc_at *f = &net->at.block[b].se[i];
            memcpy(extra, net->w + f->w, (size_t)(f->in * f->out) * sizeof *extra), extra += f->in * f->out;
            memcpy(extra, net->w + f->b, (size_t)f->out * sizeof *extra), extra += f->out;
        }
    free(scale);
    return ERR_OK;
}

// FP8's scales. Weights move little between two updates and the scales leave room for twice the largest value, so they are
// measured anew only now and then; often at first, when weights move most.
static err measure_highs(weights *s, const nn_net *net, const nn_sample *narrow)
{
    const nn_desc *d = &net->desc;
    uint64_t update = s->updates++;
    if (s->high != NULL && update >= EAGER_UPDATES && update % SCALE_EVERY != 0) return ERR_OK;
    if (s->high == NULL) s->high = malloc((size_t)((1 + 2 * d->blocks) * d->channels) * sizeof *s->high);
    if (s->high == NULL) return err_set(ERR_MEMORY, "no memory to pack weights");
    return nn_channel_highs(s->high, net, narrow->n, narrow->bits, narrow->scalars);
}

static err pack_tower(weights *s, const nn_net *net, const nn_sample *narrow, uint8_t *w, float *bias)
{
    err e = narrow != NULL ? measure_highs(s, net, narrow) : ERR_OK;
    if (e == ERR_OK) e = tower_pack(net, s->fused, narrow != NULL ? s->high : NULL, w, bias);
    return e;
}

// The parts of s->stage, in their order.
typedef struct staged {
    uint8_t *w, *rows_w;
    float *bias, *extra, *rows_b;
} staged;

static staged staged_parts(const weights *s)
{
    staged p = {.w = s->stage};
    p.bias = (float *)(void *)(p.w + s->w_bytes);
    p.extra = p.bias + s->bias_floats;
    p.rows_b = p.extra + s->extra_floats;
    p.rows_w = (uint8_t *)(p.rows_b + s->rows_b_floats);
    return p;
}

static err stage(weights *s, const nn_net *net, const nn_sample *narrow)
{
    if (narrow != NULL && (s->fused == 0 || net->desc.blocks == 0))
        return err_set(ERR_MISSING,
                       "fp8 needs the fused tower: a GPU with wgmma (sm_90), blocks without squeeze-excitation "
                       "and a board that fits; docs/lab/GPU.md lists them. Use bf16 here");
    staged p = staged_parts(s);
    err e = ERR_OK;
    s->is_staged = false;
    if (s->fused > 0)
        e = pack_tower(s, net, narrow, p.w, p.bias);
    else if (net->desc.channels > 0)
        e = pack_layers(s, net, p.w, p.bias, p.extra);
    if (e != ERR_OK) return e;
    rows_pack(net, &s->rows, p.rows_w, p.rows_b);
    s->is_staged = true;
    s->staged_fp8 = narrow != NULL;
    return ERR_OK;
}

static err swap(weights *s)
{
    if (!s->is_staged) return ERR_OK;
    staged p = staged_parts(s);
    const struct {
        void *to;
        const void *from;
        size_t size;
    } copies[] = {{s->w, p.w, s->w_bytes},
                  {s->bias, p.bias, s->bias_floats * sizeof(float)},
                  {s->extra, p.extra, s->extra_floats * sizeof(float)},
                  {s->rows_b, p.rows_b, s->rows_b_floats * sizeof(float)},
                  {s->rows_w, p.rows_w, s->rows_w_bytes}};
    err e = ERR_OK;
    for (int i = 0; i < 5 && e == ERR_OK; i++)
        if (copies[i].size > 0)
            e = cuda_check((int)cudaMemcpy(copies[i].to, copies[i].from, copies[i].size, cudaMemcpyHostToDevice),
                           "sending weights");
    s->fp8 = s->staged_fp8;
    s->is_staged = false;
    return e;
}

static void weights_drop(weights *s)
{
    if (s == NULL || atomic_fetch_sub(&s->users, 1) > 1) return;
    cuda_pool_free(&s->mem);
    free(s->high);
    free(s);
}

static err weights_new(weights **out, const nn_net *net, int device, const nn_sample *narrow)
{
    const nn_desc *d = &net->desc;
    weights *s = calloc(1, sizeof *s);
    if (s == NULL) return err_set(ERR_MEMORY, "no memory to run a network");
    atomic_init(&s->users, 1);
    s->desc = *d;
    s->device = device;
    err e = cuda_use(device, &s->gpu);
    if (e == ERR_OK) e = rows_plan(net, &s->rows, &s->rows_w_bytes, &s->rows_b_floats);
    if (e == ERR_OK) {
        s->filters = head_filters_of(net);
        if (d->channels > 0 && d->se == 0 && s->gpu.major == 9 && !cuda_layer_by_layer)
            s->fused = tower_choose(d->channels, d->rows, d->cols, nn_inputs(d), 0, 1 << 20, s->gpu.sms).channels;
        sizes(s, net);
        s->w = cuda_take(&s->mem, s->w_bytes);
        s->bias = cuda_take(&s->mem, s->bias_floats * sizeof(float));
        s->extra = cuda_take(&s->mem, s->extra_floats * sizeof(float));
        s->rows_w = cuda_take(&s->mem, s->rows_w_bytes);
        s->rows_b = cuda_take(&s->mem, s->rows_b_floats * sizeof(float));
        s->stage = cuda_take_host(&s->mem, s->w_bytes + s->rows_w_bytes +
                                               (s->bias_floats + s->extra_floats + s->rows_b_floats) * sizeof(float));
        e = s->mem.failed;
    }
    if (e == ERR_OK) e = stage(s, net, narrow);
    if (e == ERR_OK) e = swap(s);
    if (e != ERR_OK)
        weights_drop(s);
    else
        *out = s;
    return e;
}

// --- handles

static size_t in_size(const nn_desc *d, size_t n)
{
    return n * nn_in_bits(d) * sizeof(uint64_t) + n * (size_t)d->scalars * sizeof(float) + 64;
}

// Room for a batch's input; grows when moves make it larger.
static err in_reserve(cuda_infer *h, size_t bytes)
{
    if (bytes <= h->in_room) return ERR_OK;
    bytes += bytes / 2;
    h->in_host = cuda_take_host(&h->mem, bytes);
    h->in_dev = cuda_take(&h->mem, bytes);
    h->in_room = h->mem.failed == ERR_OK ? bytes : 0;
    return h->mem.failed;
}

static err out_reserve(cuda_infer *h, size_t bytes)
{
    if (bytes <= h->out_room) return ERR_OK;
    bytes += bytes / 2;
    h->out_host = cuda_take_host(&h->mem, bytes);
    h->out_dev = cuda_take(&h->mem, bytes);
    h->out_room = h->mem.failed == ERR_OK ? bytes : 0;
    return h->mem.failed;
}

void cuda_infer_free(nn_infer *handle)
{
    cuda_infer *h = (cuda_infer *)handle;
    if (h == NULL) return;
    if (h->shared != NULL) cudaSetDevice(h->shared->device);
    if (h->stream != NULL) cudaStreamSynchronize(h->stream), cudaStreamDestroy(h->stream);
    if (h->done != NULL) cudaEventDestroy(h->done);
    for (int i = 0; i < MARKS; i++)
        if (h->mark[i] != NULL) cudaEventDestroy(h->mark[i]);
    cuda_pool_free(&h->mem);
    weights_drop(h->shared);
    free(h);
}

static err handle_new(nn_infer **out, weights *s, int max_batch)
{
    const nn_desc *d = &s->desc;
    cuda_infer *h = calloc(1, sizeof *h);
    if (h == NULL) {
        weights_drop(s);
        return err_set(ERR_MEMORY, "no memory to run a network");
    }
    h->shared = s;
    h->max_batch = max_batch;
    size_t n = (size_t)max_batch, cells = n * (size_t)(d->rows * d->cols);
    int most, least;
    cudaDeviceGetStreamPriorityRange(&least, &most);
    err e = cuda_use(s->device, NULL);
    if (e == ERR_OK) // before the learner, which takes the lowest
        e = cuda_check((int)cudaStreamCreateWithPriority(&h->stream, cudaStreamNonBlocking, most), "making a stream");
    if (e == ERR_OK) e = cuda_check((int)cudaEventCreateWithFlags(&h->done, cudaEventDisableTiming), "making an event");
    h->flag = cuda_take_host(&h->mem, sizeof *h->flag);
    if (h->flag != NULL) atomic_init(h->flag, 0);
    if (e == ERR_OK) e = in_reserve(h, in_size(d, n));
    if (e == ERR_OK) e = out_reserve(h, n * (size_t)nn_out_size(d) * sizeof(float));
    if (e == ERR_OK) {
        h->flat = cuda_take(&h->mem, cells * (size_t)s->filters.filters * sizeof(uint16_t));
        int wide = pad32(d->channels) > pad32(nn_inputs(d)) ? pad32(d->channels) : pad32(nn_inputs(d));
        for (int i = 0; i < 4 && d->channels > 0 && s->fused == 0; i++)
            h->act[i] = cuda_take(&h->mem, cells * (size_t)wide * sizeof(uint16_t));
        e = h->mem.failed;
    }
    snprintf(h->text, sizeof h->text, "%s, %s, %s", s->gpu.name, s->fp8 ? "fp8" : "bf16",
             d->channels == 0 ? "mlp"
             : s->fused > 0   ? "fused tower"
                              : "layer by layer");
    if (e != ERR_OK)
        cuda_infer_free((nn_infer *)h);
    else
        *out = (nn_infer *)h;
    return e;
}

err cuda_infer_new(nn_infer **out, const nn_net *net, const nn_infer_options *o)
{
    static const nn_infer_options none = {0};
    weights *s = NULL;
    if (o == NULL) o = &none;
    err e = weights_new(&s, net, o->device, o->narrow);
    if (e != ERR_OK) return e;
    return handle_new(out, s, o->max_batch > 0 ? o->max_batch : 256);
}

err cuda_infer_fork(nn_infer **out, nn_infer *of)
{
    cuda_infer *h = (cuda_infer *)of;
    atomic_fetch_add(&h->shared->users, 1);
    return handle_new(out, h->shared, h->max_batch);
}

err cuda_infer_stage(nn_infer *handle, const nn_net *net, const nn_sample *narrow)
{
    weights *s = ((cuda_infer *)handle)->shared;
    if (!nn_desc_equal(&net->desc, &s->desc))
        return err_set(ERR_USAGE, "new weights must be of the same network as the old ones");
    err e = cuda_use(s->device, NULL);
    return e == ERR_OK ? stage(s, net, narrow) : e;
}

err cuda_infer_swap(nn_infer *handle)
{
    weights *s = ((cuda_infer *)handle)->shared;
    err e = cuda_use(s->device, NULL);
    return e == ERR_OK ? swap(s) : e;
}

const char *cuda_infer_text(const nn_infer *handle)
{
    return ((const cuda_infer *)handle)->text;
}

// --- a batch

static int run_fused(cuda_infer *h, int n, const uint64_t *bits, const float *scalars)
{
    const weights *s = h->shared;
    const nn_desc *d = &s->desc;
    tower_shape shape = tower_choose(d->channels, d->rows, d->cols, nn_inputs(d), s->fp8, n, s->gpu.sms);
    tower_args a = {.bits = bits,
                    .scalars = scalars,
                    .flat = h->flat,
                    .n = n,
                    .w = s->w,
                    .bias = s->bias,
                    .rows = d->rows,
                    .cols = d->cols,
                    .words = nn_words(d),
                    .planes = d->planes,
                    .n_scalars = d->scalars,
                    .blocks = d->blocks,
                    .stem_steps = 9 * ((nn_inputs(d) + 15) / 16),
                    .filters = s->filters.filters,
                    .normed = s->filters.normed};
    if (!tower_layout(&shape, &a)) return (int)cudaErrorInvalidConfiguration;
    int boards = shape.channels == 64 ? TOWER_BOARDS * shape.nb : shape.nb;
    a.tiles = (n + boards - 1) / boards;
    return tower_run(&shape, &a, s->gpu.sms, h->stream);
}

static int run_squeeze(cuda_infer *h, board_shape b, int block, const uint16_t *z, const uint16_t *x, uint16_t *y)
{
    const weights *s = h->shared;
    const nn_desc *d = &s->desc;
    const float *f = s->extra + (size_t)(s->filters.filters * d->channels) + (size_t)block * squeeze_floats(d);
    squeeze_args a = {
        .s = b, .channels = d->channels, .padded = pad32(d->channels), .hidden = d->se, .z = z, .x = x, .y = y};
    a.w1 = f, f += d->se * d->channels;
    a.b1 = f, f += d->se;
    a.w2 = f, f += d->se * d->channels;
    a.b2 = f;
    return layers_squeeze(&a, h->stream);
}

static int run_layers(cuda_infer *h, int n, const uint64_t *bits, const float *scalars)
{
    const weights *s = h->shared;
    const nn_desc *d = &s->desc;
    int cp = pad32(d->channels), cin = pad32(nn_inputs(d));
    board_shape b = {n, d->rows, d->cols};
    uint16_t *x = h->act[0], *y = h->act[1], *z = h->act[2], *in = h->act[3];
    int e = layers_unpack(b, bits, scalars, d->planes, d->scalars, cin, in, h->stream);
    for (int i = 0; i < n_convs(d) && e == 0; i++) {
        bool end = i > 0 && i % 2 == 0, squeeze = end && d->se > 0;
        conv_args c = {.s = b,
                       .cin = i == 0 ? cin : cp,
                       .cout = cp,
                       .x = i == 0 ? in
                            : end  ? y
                                   : x,
                       .w = (const uint16_t *)(const void *)(s->w + conv_offset(d, i)),
                       .bias = s->bias + i * cp,
                       .res = end && !squeeze ? x : NULL,
                       .y = i == 0 || (end && !squeeze) ? x
                            : squeeze                   ? z
                                                        : y,
                       .relu = !squeeze};
        e = layers_conv(&c, h->stream);
        if (e == 0 && squeeze) e = run_squeeze(h, b, i / 2 - 1, z, x, x);
    }
    if (e == 0)
        e = layers_filters(b, d->channels, x, s->extra, s->bias + n_convs(d) * cp, s->filters.filters,
                           s->filters.normed, h->flat, h->stream);
    return e;
}

static size_t align16(size_t n)
{
    return (n + 15) & ~(size_t)15;
}

// The rows' kernel: as many positions a block as fit and still fill the GPU.
static int run_rows(cuda_infer *h, rows_args *a)
{
    const weights *s = h->shared;
    int rows = 16;
    while (rows < 64 && rows_smem(a, rows * 2) <= 227 * 1024 && a->n > rows * s->gpu.sms) rows *= 2;
    return rows_run(a, rows, h->stream);
}

// Few positions are not timed: that would take longer than it tells.
static bool begin_timing(cuda_infer *h, int n)
{
    if (n <= FEW || !cuda_usage_wanted()) return false;
    for (int i = 0; i < MARKS; i++)
        if (h->mark[i] == NULL && cudaEventCreate(&h->mark[i]) != cudaSuccess) {
            cudaGetLastError();
            return false;
        }
    return true;
}

static int mark(cuda_infer *h, int at, int code)
{
    return code == 0 && h->timed ? (int)cudaEventRecord(h->mark[at], h->stream) : code;
}

static void tell_usage(const cuda_infer *h)
{
    cuda_usage_copy(h->mark[AT_START], h->mark[AT_KERNELS]);
    cuda_usage_kernels(CUDA_INFER, h->mark[AT_KERNELS], h->mark[AT_RESULTS]);
    cuda_usage_copy(h->mark[AT_RESULTS], h->mark[AT_END]);
}

static err launch(cuda_infer *h, int n, const uint64_t *bits, const float *scalars, const nn_moves *m)
{
    weights *s = h->shared;
    const nn_desc *d = &s->desc;
    size_t bits_size = (size_t)n * nn_in_bits(d) * sizeof *bits,
           scalar_size = (size_t)(n * d->scalars) * sizeof *scalars;
    size_t start_size = m == NULL ? 0 : (size_t)(n + 1) * sizeof *m->start;
    size_t index_size = h->n_moves * (size_t)s->rows.n_policy * sizeof(uint16_t);
    size_t at_scalars = align16(bits_size), at_start = at_scalars + align16(scalar_size);
    size_t at_index = at_start + align16(start_size), total = at_index + align16(index_size);
    size_t out_floats =
        m == NULL ? (size_t)n * (size_t)s->rows.out_size : h->n_moves + (size_t)n * (size_t)s->rows.rest_size;
    err e = in_reserve(h, total);
    if (e == ERR_OK) e = out_reserve(h, out_floats * sizeof(float));
    if (e != ERR_OK) return e;
    if (bits_size > 0) memcpy(h->in_host, bits, bits_size);
    if (scalar_size > 0) memcpy(h->in_host + at_scalars, scalars, scalar_size);
    if (m != NULL) memcpy(h->in_host + at_start, m->start, start_size);
    if (index_size > 0) memcpy(h->in_host + at_index, m->index, index_size);
    bool direct = out_floats * sizeof(float) <= DIRECT;
    float *out = direct ? h->out_host : h->out_dev;
    const uint8_t *in = total <= SMALL ? h->in_host : h->in_dev;
    h->timed = begin_timing(h, n);
    int code = mark(h, AT_START, 0);
    if (code == 0 && in == h->in_dev)
        code = (int)cudaMemcpyAsync(h->in_dev, h->in_host, total, cudaMemcpyHostToDevice, h->stream);
    code = mark(h, AT_KERNELS, code);
    const uint64_t *dev_bits = (const uint64_t *)(const void *)in;
    const float *dev_scalars = (const float *)(const void *)(in + at_scalars);
    if (code == 0 && d->channels > 0)
        code = s->fused > 0 ? run_fused(h, n, dev_bits, dev_scalars) : run_layers(h, n, dev_bits, dev_scalars);
    if (code == 0) {
        rows_args a = s->rows;
        a.n = n, a.w = s->rows_w, a.b = s->rows_b;
        a.flat = d->channels > 0 ? h->flat : NULL;
        a.bits = dev_bits, a.scalars = dev_scalars;
        if (m == NULL) {
            a.out = out;
        } else {
            a.start = (const uint32_t *)(const void *)(in + at_start);
            a.index = (const uint16_t *)(const void *)(in + at_index);
            a.prior = out, a.rest = out + h->n_moves;
        }
        h->flagged = direct && n <= FEW;
        if (h->flagged) a.flag = (uint32_t *)(void *)h->flag, a.flag_value = ++h->flag_value;
        a.early = h->flagged && s->fused > 0;
        code = run_rows(h, &a);
    }
    code = mark(h, AT_RESULTS, code);
    if (code == 0 && !direct)
        code = (int)cudaMemcpyAsync(h->out_host, out, out_floats * sizeof(float), cudaMemcpyDeviceToHost, h->stream);
    code = mark(h, AT_END, code);
    if (code == 0 && !h->flagged) code = (int)cudaEventRecord(h->done, h->stream);
    return cuda_check(code, "running a network");
}

static err submit(cuda_infer *h, int n, const uint64_t *bits, const float *scalars, float *out, const nn_moves *m)
{
    if (n < 0 || n > h->max_batch)
        return err_set(ERR_USAGE, "a batch of %d positions; this network was made ready for %d", n, h->max_batch);
    if (h->busy) return err_set(ERR_USAGE, "a batch is in flight on this handle; wait for it first");
    if (m != NULL && h->shared->rows.n_policy == 0)
        return err_set(ERR_USAGE, "probabilities of moves need a policy head");
    if (n == 0) return ERR_OK;
    h->n = n, h->out = out;
    h->moves = m == NULL ? (nn_moves){0} : *m;
    h->n_moves = m == NULL ? 0 : m->start[n];
    err e = cuda_use(h->shared->device, NULL);
    if (e == ERR_OK) e = launch(h, n, bits, scalars, m);
    h->busy = e == ERR_OK;
    return e;
}

err cuda_infer_submit(nn_infer *handle, int n, const uint64_t *bits, const float *scalars, float *out)
{
    return submit((cuda_infer *)handle, n, bits, scalars, out, NULL);
}

err cuda_infer_submit_moves(nn_infer *handle, int n, const uint64_t *bits, const float *scalars, const nn_moves *m)
{
    return submit((cuda_infer *)handle, n, bits, scalars, NULL, m);
}

// Looking at the flag is quick; the stream is asked now and then, in case something went wrong.
static int wait_flag(cuda_infer *h)
{
    for (;;) {
        for (int i = 0; i < LOOKS; i++)
            if (atomic_load_explicit(h->flag, memory_order_acquire) == h->flag_value) return 0;
        int code = (int)cudaStreamQuery(h->stream);
        if (code != (int)cudaErrorNotReady) return code;
        cudaGetLastError(); // "not ready" is no error
    }
}

err cuda_infer_wait(nn_infer *handle)
{
    cuda_infer *h = (cuda_infer *)handle;
    if (!h->busy) return ERR_OK;
    h->busy = false;
    err e = cuda_check(h->flagged ? wait_flag(h) : (int)cudaEventSynchronize(h->done), "running a network");
    if (e != ERR_OK) return e;
    if (h->timed) tell_usage(h);
    if (h->out != NULL) {
        memcpy(h->out, h->out_host, (size_t)h->n * (size_t)h->shared->rows.out_size * sizeof(float));
    } else {
        memcpy(h->moves.prior, h->out_host, h->n_moves * sizeof(float));
        memcpy(h->moves.rest, h->out_host + h->n_moves,
               (size_t)h->n * (size_t)h->shared->rows.rest_size * sizeof(float));
    }
    return ERR_OK;
}

err cuda_infer_run(nn_infer *handle, int n, const uint64_t *bits, const float *scalars, float *out)
{
    err e = cuda_infer_submit(handle, n, bits, scalars, out);
    return e == ERR_OK ? cuda_infer_wait(handle) : e;
}
