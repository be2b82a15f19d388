// Writing ONNX by hand: the few protobuf messages a feed-forward graph needs. See onnx.h.
//
// A protobuf message is a list of (field number, type) tags with values; nested messages are length-prefixed, so each one is
// built in a buffer of its own and appended to its parent. Field numbers are those of onnx.proto3.
#include "nn/onnx.h"

#include "base/file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct msg {
    unsigned char *p;
    size_t n, room;
    bool failed;
} msg;

static void put(msg *m, const void *data, size_t n)
{
    if (m->failed) return;
    if (m->n + n > m->room) {
        size_t room = (m->n + n) * 2 + 64;
        unsigned char *more = realloc(m->p, room);
        if (more == NULL) {
            m->failed = true;
            return;
        }
        m->p = more;
        m->room = room;
    }
    memcpy(m->p + m->n, data, n);
    m->n += n;
}

static void put_varint(msg *m, uint64_t v)
{
    unsigned char b[10];
    size_t n = 0;
    do b[n++] = (unsigned char)((v & 127) | (v > 127 ? 128 : 0));
    while ((v >>= 7) != 0);
    put(m, b, n);
}

static void put_int(msg *m, int field, int64_t v)
{
    put_varint(m, (uint64_t)field << 3);
    put_varint(m, (uint64_t)v);
}

static void put_bytes(msg *m, int field, const void *data, size_t n)
{
    put_varint(m, (uint64_t)field << 3 | 2);
    put_varint(m, n);
    put(m, data, n);
}

static void put_text(msg *m, int field, const char *s)
{
    put_bytes(m, field, s, strlen(s));
}

static void put_msg(msg *m, int field, msg *child) // frees the child
{
    if (child->failed)
        m->failed = true;
    else
        put_bytes(m, field, child->p, child->n);
    free(child->p);
    *child = (msg){0};
}

// --- graph pieces (GraphProto: node = 1, name = 2, initializer = 5, input = 11, output = 12)

typedef struct graph {
    msg m;
    const nn_net *net;
    int n_values; // names t0, t1, … of intermediate results
} graph;

typedef struct value {
    char name[48];
} value;

static value fresh(graph *g)
{
    value v;
    snprintf(v.name, sizeof v.name, "t%d", g->n_values++);
    return v;
}

static value named(const char *fmt, ...) KEIKO_PRINTF(1, 2);
static value named(const char *fmt, ...)
{
    value v;
    va_list a;
    va_start(a, fmt);
    vsnprintf(v.name, sizeof v.name, fmt, a);
    va_end(a);
    return v;
}

// TensorProto: dims = 1, data_type = 2 (1 float, 7 int64), name = 8, raw_data = 9. Little-endian, as this machine is.
static void add_tensor(graph *g, const char *name, int type, const void *data, size_t bytes, int n_dims,
                       const int64_t *dims)
{
    msg t = {0};
    for (int i = 0; i < n_dims; i++) put_int(&t, 1, dims[i]);
    put_int(&t, 2, type);
    put_text(&t, 8, name);
    put_bytes(&t, 9, data, bytes);
    put_msg(&g->m, 5, &t);
}

// AttributeProto: name = 1, i = 3, ints = 8, type = 20 (2 INT, 7 INTS)
static void add_int(msg *node, const char *name, int64_t v)
{
    msg a = {0};
    put_text(&a, 1, name);
    put_int(&a, 3, v);
    put_int(&a, 20, 2);
    put_msg(node, 5, &a);
}

static void add_ints(msg *node, const char *name, const int64_t *v, int n)
{
    msg a = {0};
    put_text(&a, 1, name);
    for (int i = 0; i < n; i++) put_int(&a, 8, v[i]);
    put_int(&a, 20, 7);
    put_msg(node, 5, &a);
}

// NodeProto: input = 1, output = 2, op_type = 4, attribute = 5. `b`, `c` may be NULL.
static msg node(const char *op, const char *a, const char *b, const char *c, const char *out)
{
    msg m = {0};
    put_text(&m, 1, a);
    if (b != NULL) put_text(&m, 1, b);
    if (c != NULL) put_text(&m, 1, c);
    put_text(&m, 2, out);
    put_text(&m, 4, op);
    return m;
}

static void add_node(graph *g, msg *m)
{
    put_msg(&g->m, 1, m);
}

static value simple(graph *g, const char *op, value a, const char *b, const char *out)
{
    value v = out == NULL ? fresh(g) : named("%s", out);
    msg m = node(op, a.name, b, NULL, v.name);
    add_node(g, &m);
    return v;
}

// --- layers

static value conv(graph *g, const nn_conv_at *c, const char *layer, value x)
{
    size_t taps = (size_t)c->cin * (size_t)(c->k * c->k);
    float *w = malloc((taps + 1) * (size_t)c->cout * sizeof *w);
    value out = fresh(g), wn = named("%s.weight", layer), bn = named("%s.bias", layer);
    if (w == NULL) {
        g->m.failed = true;
        return out;
    }
    float *b = w + taps * (size_t)c->cout;
    const float *n = g->net->w;
    for (size_t o = 0; o < (size_t)c->cout; o++) {
        double s = 1, shift = (double)n[c->bn.beta + o];
        if (c->normed) {
            s = (double)n[c->bn.gamma + o] / sqrt((double)n[c->bn.var + o] + (double)NN_BN_EPS);
            shift -= s * (double)n[c->bn.mean + o];
        }
        b[o] = (float)shift;
        for (size_t i = 0; i < taps; i++) w[o * taps + i] = (float)(s * (double)n[c->w + o * taps + i]);
    }
    int64_t dims[4] = {c->cout, c->cin, c->k, c->k}, pad = c->k / 2, pads[4] = {pad, pad, pad, pad};
    add_tensor(g, wn.name, 1, w, taps * (size_t)c->cout * sizeof *w, 4, dims);
    add_tensor(g, bn.name, 1, b, (size_t)c->cout * sizeof *b, 1, dims);
    msg m = node("Conv", x.name, wn.name, bn.name, out.name);
    add_ints(&m, "kernel_shape", dims + 2, 2);
    add_ints(&m, "pads", pads, 4);
    add_node(g, &m);
    free(w);
    return out;
}

// w[out][in], b[out]
static value gemm(graph *g, const char *layer, const float *w, const float *b, int64_t in, int64_t out, value x,
                  const char *result)
{
    value y = result == NULL ? fresh(g) : named("%s", result), wn = named("%s.weight", layer),
          bn = named("%s.bias", layer);
    int64_t dims[2] = {out, in};
    add_tensor(g, wn.name, 1, w, (size_t)(in * out) * sizeof *w, 2, dims);
    add_tensor(g, bn.name, 1, b, (size_t)out * sizeof *b, 1, dims);
    msg m = node("Gemm", x.name, wn.name, bn.name, y.name);
    add_int(&m, "transB", 1);
    add_node(g, &m);
    return y;
}

static value fc(graph *g, const nn_fc_at *f, const char *layer, value x, const char *out)
{
    return gemm(g, layer, g->net->w + f->w, g->net->w + f->b, f->in, f->out, x, out);
}

static value flatten(graph *g, value x, const char *out)
{
    value y = out == NULL ? fresh(g) : named("%s", out);
    msg m = node("Flatten", x.name, NULL, NULL, y.name);
    add_int(&m, "axis", 1);
    add_node(g, &m);
    return y;
}

static nn_conv_at as_conv(const nn_fc_at *f)
{
    return (nn_conv_at){.cin = f->in, .cout = f->out, .k = 1, .w = f->w, .bn.beta = f->b};
}

static value block(graph *g, int b, value x)
{
    const nn_block_at *at = &g->net->at.block[b];
    value y = conv(g, &at->conv[0], named("block%d.conv1", b).name, x);
    y = simple(g, "Relu", y, NULL, NULL);
    y = conv(g, &at->conv[1], named("block%d.conv2", b).name, y);
    if (g->net->desc.se > 0) {
        // its two layers as convolutions of a 1x1 board: the result multiplies the planes as it is
        nn_conv_at squeeze = as_conv(&at->se[0]), excite = as_conv(&at->se[1]);
        value s = simple(g, "GlobalAveragePool", y, NULL, NULL);
        s = simple(g, "Relu", conv(g, &squeeze, named("block%d.se1", b).name, s), NULL, NULL);
        s = simple(g, "Sigmoid", conv(g, &excite, named("block%d.se2", b).name, s), NULL, NULL);
        y = simple(g, "Mul", y, s.name, NULL);
    }
    return simple(g, "Relu", simple(g, "Add", x, y.name, NULL), NULL, NULL);
}

// Q = V + A - mean(A) is linear in the hidden layer, whose first half gives V and whose second gives A: one layer does it.
static void duel(graph *g, const nn_head_layers *at, const char *layer, value x)
{
    const nn_fc_at *v = &at->fc[1], *a = &at->fc[2];
    const float *n = g->net->w;
    size_t hidden = (size_t)v->in, out = (size_t)a->out, in = 2 * hidden, atoms = (size_t)v->out;
    float *w = malloc((in + 1) * out * sizeof *w), *b = w == NULL ? NULL : w + in * out;
    if (w == NULL) {
        g->m.failed = true;
        return;
    }
    for (size_t i = 0; i <= hidden; i++) // the last column is the bias
        for (size_t k = 0; k < atoms; k++) {
            double mean = 0;
            for (size_t o = k; o < out; o += atoms)
                mean += (double)(i < hidden ? n[a->w + o * hidden + i] : n[a->b + o]) * (double)atoms / (double)out;
            for (size_t o = k; o < out; o += atoms) {
                if (i == hidden) {
                    b[o] = (float)((double)n[a->b + o] - mean + (double)n[v->b + k]);
                    continue;
                }
                w[o * in + i] = n[v->w + k * hidden + i];
                w[o * in + hidden + i] = (float)((double)n[a->w + o * hidden + i] - mean);
            }
        }
    gemm(g, layer, w, b, (int64_t)in, (int64_t)out, x, layer);
    free(w);
}

static void head(graph *g, int h, value x)
{
    const nn_head *d = &g->net->desc.head[h];
    const nn_head_layers *at = &g->net->at.head[h];
    char layer[24], name[40];
    snprintf(layer, sizeof layer, "head%d.%s", h, nn_kind_name(d->kind));
#define LAYER(part) (snprintf(name, sizeof name, "%s." part, layer), name)
    if (at->conv.cout > 0) x = conv(g, &at->conv, LAYER("conv"), x);
    if (d->kind == NN_BOARD) {
        simple(g, "Tanh", flatten(g, x, NULL), NULL, layer);
        return;
    }
    if (d->filters > 0) x = flatten(g, simple(g, "Relu", x, NULL, NULL), NULL);
    if (at->n_fc == 1) {
        fc(g, &at->fc[0], LAYER("fc"), x, layer);
        return;
    }
    x = simple(g, "Relu", fc(g, &at->fc[0], LAYER("fc1"), x, NULL), NULL, NULL);
    if (d->kind == NN_DUEL) {
        duel(g, at, layer, x);
    } else if (d->kind == NN_VALUE) {
        simple(g, "Tanh", fc(g, &at->fc[1], LAYER("fc2"), x, NULL), NULL, layer);
    } else {
        fc(g, &at->fc[1], LAYER("fc2"), x, layer);
    }
#undef LAYER
}

// ValueInfoProto: name = 1, type = 2; TypeProto.tensor_type = 1; Tensor: elem_type = 1, shape = 2; shape.dim = 1;
// Dimension: dim_value = 1, dim_param = 2. The first dimension is the batch, "N".
static void add_info(graph *g, int field, const char *name, const int64_t *dims, int n_dims)
{
    msg shape = {0}, batch = {0}, tensor = {0}, type = {0}, info = {0};
    put_text(&batch, 2, "N");
    put_msg(&shape, 1, &batch);
    for (int i = 0; i < n_dims; i++) {
        msg dim = {0};
        put_int(&dim, 1, dims[i]);
        put_msg(&shape, 1, &dim);
    }
    put_int(&tensor, 1, 1);
    put_msg(&tensor, 2, &shape);
    put_msg(&type, 1, &tensor);
    put_text(&info, 1, name);
    put_msg(&info, 2, &type);
    put_msg(&g->m, field, &info);
}

static void make_graph(graph *g)
{
    const nn_desc *d = &g->net->desc;
    value x = named("planes");
    put_text(&g->m, 2, "keiko");
    if (d->channels > 0) {
        int64_t dims[3] = {nn_inputs(d), d->rows, d->cols};
        add_info(g, 11, x.name, dims, 3);
        x = simple(g, "Relu", conv(g, &g->net->at.stem, "stem.conv", x), NULL, NULL);
        for (int b = 0; b < d->blocks; b++) x = block(g, b, x);
    } else {
        int64_t dims[1] = {g->net->at.mlp[0].in};
        add_info(g, 11, x.name, dims, 1);
        for (int i = 0; i < d->n_mlp; i++)
            x = simple(g, "Relu", fc(g, &g->net->at.mlp[i], named("mlp%d.fc", i).name, x, NULL), NULL, NULL);
    }
    for (int h = 0; h < d->n_heads; h++) {
        int64_t size = nn_head_size(d, h);
        head(g, h, x);
        add_info(g, 12, named("head%d.%s", h, nn_kind_name(d->head[h].kind)).name, &size, 1);
    }
}

// ModelProto.metadata_props = 14: StringStringEntryProto, key = 1, value = 2.
static void add_meta(msg *model, const char *key, const char *text)
{
    msg meta = {0};
    put_text(&meta, 1, key);
    put_text(&meta, 2, text);
    put_msg(model, 14, &meta);
}

err nn_onnx_export(const nn_net *net, const char *path, const nn_onnx_meta *more, int n)
{
    graph g = {.net = net};
    msg model = {0}, opset = {0};
    char text[NN_TEXT];
    make_graph(&g);
    nn_desc_print(&net->desc, text, sizeof text);
    put_int(&model, 1, 7); // ir_version
    put_text(&model, 2, "keiko");
    put_text(&opset, 1, "");
    put_int(&opset, 2, 13);
    put_msg(&model, 7, &g.m);
    put_msg(&model, 8, &opset);
    add_meta(&model, "keiko.net", text);
    if (net->note != NULL) add_meta(&model, "keiko.note", net->note);
    for (int i = 0; i < n; i++) add_meta(&model, more[i].key, more[i].value);
    err e = model.failed ? err_set(ERR_MEMORY, "no memory to export to %s", path)
            : model.n > 0x7fffffff
                ? err_set(ERR_LIMIT, "an ONNX file holds at most 2 GiB; this network needs %zu bytes", model.n)
                : file_write_atomic(path, model.p, model.n);
    free(model.p);
    return e;
}
