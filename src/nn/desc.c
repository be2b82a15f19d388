// The network description: text, presets, limits, and the list of tensors. See desc.h.
#include "nn/desc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[NN_KINDS] = {"policy", "value", "scalar", "board", "duel", "reply"};

static const struct {
    const char *name, *text;
} presets[] = {
    {"othello-seed", "planes=3 size=8x8 c=128 b=10 policy=2:65 value=1:256"},
    {"contrast-seed", "planes=32 scalars=34 size=5x5 c=64 b=4 policy=32:625 policy=16:51 value=4:32"},
    {"puyo-dqn", "planes=10 scalars=64 size=13x6 c=64 b=4 duel=8:128:24"},
    {"renju-small", "planes=3 scalars=1 size=15x15 c=64 b=6 policy=2:225 value=1:128"},
    {"test-tiny", "planes=2 size=3x3 c=16 b=1 policy=2:9 value=1:16"},
    {"test-se", "planes=3 scalars=1 size=5x5 c=16 b=2 se=8 policy=2:25 policy=1:7 value=1:8 scalar=1:0:3 board=2"},
    {"test-mlp", "planes=2 scalars=3 size=4x3 mlp=32,16 policy=0:12 value=0:8 duel=0:8:5"},
};

int nn_preset_count(void)
{
    return (int)(sizeof presets / sizeof presets[0]);
}

const char *nn_preset_name(int i)
{
    return presets[i].name;
}

const char *nn_preset_text(int i)
{
    return presets[i].text;
}

const char *nn_kind_name(nn_kind k)
{
    return kind_names[k];
}

// --- text

typedef struct reader {
    const char *text;
    size_t at;
} reader;

static err read_int(reader *r, int high, int *out)
{
    size_t start = r->at;
    long v = 0;
    if (!isdigit((unsigned char)r->text[r->at])) return err_parse(r->text, r->at, "expected a number");
    while (isdigit((unsigned char)r->text[r->at])) {
        v = v * 10 + (r->text[r->at++] - '0');
        if (v > high) return err_parse(r->text, start, "the number is larger than %d", high);
    }
    *out = (int)v;
    return ERR_OK;
}

static err read_char(reader *r, char c)
{
    if (r->text[r->at] != c) return err_parse(r->text, r->at, "expected '%c'", c);
    r->at++;
    return ERR_OK;
}

static err read_head(reader *r, nn_kind kind, nn_head *h)
{
    // board=OUT, policy and reply=F:OUT, value=F:HIDDEN, scalar and duel=F:HIDDEN:OUT
    bool logits = kind == NN_POLICY || kind == NN_REPLY;
    int v[3] = {0}, want = kind == NN_BOARD ? 1 : logits || kind == NN_VALUE ? 2 : 3;
    err e = ERR_OK;
    for (int i = 0; i < want && e == ERR_OK; i++) {
        if (i > 0) e = read_char(r, ':');
        if (e == ERR_OK) e = read_int(r, NN_MAX_WIDTH, &v[i]);
    }
    *h = (nn_head){.kind = kind, .filters = v[0]};
    if (e == ERR_OK && kind == NN_DUEL && r->text[r->at] == ':') {
        r->at++;
        e = read_int(r, NN_MAX_WIDTH, &h->atoms);
    }
    if (logits) h->out = v[1];
    if (kind == NN_VALUE) h->hidden = v[1], h->out = 1;
    if (kind == NN_SCALAR || kind == NN_DUEL) h->hidden = v[1], h->out = v[2];
    if (kind == NN_BOARD) h->filters = 0, h->out = v[0];
    return e;
}

static err read_item(reader *r, nn_desc *d, uint32_t *seen)
{
    static const char *const keys[] = {"planes", "scalars", "c", "b", "se", "noisy", "size", "mlp"};
    int *const into[] = {&d->planes, &d->scalars, &d->channels, &d->blocks, &d->se, &d->noisy};
    enum { KEYS = sizeof keys / sizeof *keys, NUMBERS = sizeof into / sizeof *into };
    size_t start = r->at, len = 0;
    while (islower((unsigned char)r->text[start + len])) len++;
    r->at += len;
    if (r->text[r->at] != '=')
        return err_parse(r->text, start,
                         "expected a key such as c=64, or the name of a preset alone (docs/networks.md)");
    r->at++;
    for (int k = 0; k < NN_KINDS; k++) {
        if (strlen(kind_names[k]) != len || memcmp(kind_names[k], r->text + start, len) != 0) continue;
        if (d->n_heads == NN_MAX_HEADS) return err_parse(r->text, start, "more than %d heads", NN_MAX_HEADS);
        return read_head(r, (nn_kind)k, &d->head[d->n_heads++]);
    }
    for (uint32_t k = 0; k < KEYS; k++) {
        if (strlen(keys[k]) != len || memcmp(keys[k], r->text + start, len) != 0) continue;
        if (*seen >> k & 1) return err_parse(r->text, start, "'%s' is given twice", keys[k]);
        *seen |= 1u << k;
        if (k < NUMBERS) return read_int(r, NN_MAX_WIDTH, into[k]);
        if (k == NUMBERS) {
            err e = read_int(r, NN_MAX_BOARD, &d->rows);
            if (e == ERR_OK) e = read_char(r, 'x');
            return e != ERR_OK ? e : read_int(r, NN_MAX_BOARD, &d->cols);
        }
        for (err e = ERR_OK;; r->at++) {
            if (d->n_mlp == NN_MAX_MLP) return err_parse(r->text, r->at, "more than %d mlp layers", NN_MAX_MLP);
            e = read_int(r, NN_MAX_WIDTH, &d->mlp[d->n_mlp++]);
            if (e != ERR_OK || r->text[r->at] != ',') return e;
        }
    }
    return err_parse(r->text, start,
                     "unknown key; known are planes, scalars, size, c, b, se, mlp, noisy, policy, value, "
                     "scalar, board, duel and reply");
}

err nn_desc_parse(const char *text, nn_desc *out)
{
    for (int i = 0; i < nn_preset_count(); i++)
        if (strcmp(text, presets[i].name) == 0) text = presets[i].text;
    if (strlen(text) >= NN_TEXT) return err_set(ERR_LIMIT, "a network description of more than %d bytes", NN_TEXT - 1);
    reader r = {text, 0};
    nn_desc d = {0};
    uint32_t seen = 0;
    for (;;) {
        while (text[r.at] == ' ') r.at++;
        if (text[r.at] == 0) break;
        err e = read_item(&r, &d, &seen);
        if (e != ERR_OK) return e;
        if (text[r.at] != ' ' && text[r.at] != 0) return err_parse(text, r.at, "expected a space");
    }
    err e = nn_desc_check(&d);
    if (e == ERR_OK) *out = d;
    return e;
}

int nn_desc_print(const nn_desc *d, char *buf, size_t n)
{
    char t[NN_TEXT];
    int at = snprintf(t, sizeof t, "planes=%d", d->planes);
#define ADD(...) at += snprintf(t + at, sizeof t - (size_t)at, __VA_ARGS__)
    if (d->scalars > 0) ADD(" scalars=%d", d->scalars);
    ADD(" size=%dx%d", d->rows, d->cols);
    if (d->channels > 0) ADD(" c=%d b=%d", d->channels, d->blocks);
    if (d->se > 0) ADD(" se=%d", d->se);
    for (int i = 0; i < d->n_mlp; i++) ADD("%s%d", i == 0 ? " mlp=" : ",", d->mlp[i]);
    for (int i = 0; i < d->n_heads; i++) {
        const nn_head *h = &d->head[i];
        ADD(" %s=", kind_names[h->kind]);
        if (h->kind == NN_POLICY || h->kind == NN_REPLY) ADD("%d:%d", h->filters, h->out);
        if (h->kind == NN_VALUE) ADD("%d:%d", h->filters, h->hidden);
        if (h->kind == NN_SCALAR || h->kind == NN_DUEL) ADD("%d:%d:%d", h->filters, h->hidden, h->out);
        if (h->kind == NN_DUEL && nn_atoms(h) > 1) ADD(":%d", h->atoms);
        if (h->kind == NN_BOARD) ADD("%d", h->out);
    }
    if (d->noisy > 0) ADD(" noisy=%d", d->noisy);
#undef ADD
    if (n > 0) snprintf(buf, n, "%s", t);
    return at;
}

static err check_head(const nn_desc *d, int i)
{
    const nn_head *h = &d->head[i];
    const char *name = kind_names[h->kind];
    if (h->out < 1 || h->out > NN_MAX_WIDTH)
        return err_set(ERR_USAGE, "%s head %d has %d outputs", name, i + 1, h->out);
    if (h->hidden < 0 || h->hidden > NN_MAX_WIDTH / 2)
        return err_set(ERR_USAGE, "%s head %d has a hidden layer of %d", name, i + 1, h->hidden);
    if (h->kind == NN_DUEL && h->hidden == 0) return err_set(ERR_USAGE, "a duel head needs a hidden layer");
    if (h->atoms < 0 || h->atoms > NN_MAX_ATOMS || h->out > NN_MAX_WIDTH / nn_atoms(h))
        return err_set(ERR_USAGE, "%s head %d: %d atoms for each of %d actions; at most %d, and %d numbers in all",
                       name, i + 1, h->atoms, h->out, NN_MAX_ATOMS, NN_MAX_WIDTH);
    if (h->kind == NN_BOARD && (d->channels == 0 || h->filters != 0 || h->out > NN_MAX_CHANNELS))
        return err_set(ERR_USAGE, "a board head needs a residual trunk and at most %d planes", NN_MAX_CHANNELS);
    if (h->kind == NN_BOARD) return ERR_OK;
    if (d->channels == 0 && h->filters != 0)
        return err_set(ERR_USAGE, "%s head %d: an mlp trunk has no squares, so its filters must be 0", name, i + 1);
    if (d->channels > 0 && (h->filters < 1 || h->filters > NN_MAX_CHANNELS))
        return err_set(ERR_USAGE, "%s head %d needs 1 to %d filters", name, i + 1, NN_MAX_CHANNELS);
    if (d->channels > 0 && h->filters * d->rows * d->cols > NN_MAX_WIDTH)
        return err_set(ERR_USAGE, "%s head %d: %d filters on this board are more than %d inputs", name, i + 1,
                       h->filters, NN_MAX_WIDTH);
    return ERR_OK;
}

err nn_desc_check(const nn_desc *d)
{
    if (d->planes < 0 || d->scalars < 0 || nn_inputs(d) < 1 || nn_inputs(d) > NN_MAX_PLANES)
        return err_set(ERR_USAGE, "a network needs planes= and scalars= of 1 to %d together", NN_MAX_PLANES);
    if (d->rows < 1 || d->cols < 1 || d->rows > NN_MAX_BOARD || d->cols > NN_MAX_BOARD)
        return err_set(ERR_USAGE, "a network needs size=ROWSxCOLS, each 1 to %d", NN_MAX_BOARD);
    if ((d->channels > 0) == (d->n_mlp > 0)) return err_set(ERR_USAGE, "a network needs either c= and b=, or mlp=");
    if (d->channels < 0 || d->channels > NN_MAX_CHANNELS)
        return err_set(ERR_USAGE, "c=%d is not between 1 and %d", d->channels, NN_MAX_CHANNELS);
    if (d->blocks < 0 || d->blocks > NN_MAX_BLOCKS)
        return err_set(ERR_USAGE, "b=%d is not between 0 and %d", d->blocks, NN_MAX_BLOCKS);
    if (d->channels == 0 && (d->blocks > 0 || d->se > 0)) return err_set(ERR_USAGE, "b= and se= need c=");
    if (d->se < 0 || d->se > NN_MAX_CHANNELS)
        return err_set(ERR_USAGE, "se=%d is not between 0 and %d", d->se, NN_MAX_CHANNELS);
    for (int i = 0; i < d->n_mlp; i++)
        if (d->mlp[i] < 1 || d->mlp[i] > NN_MAX_WIDTH) return err_set(ERR_USAGE, "an mlp layer of width %d", d->mlp[i]);
    if (d->n_heads < 1) return err_set(ERR_USAGE, "a network needs a head: policy=, value=, scalar=, board= or duel=");
    bool duel = false;
    for (int i = 0; i < d->n_heads; i++) {
        err e = check_head(d, i);
        if (e != ERR_OK) return e;
        duel = duel || d->head[i].kind == NN_DUEL;
    }
    if (d->noisy < 0 || d->noisy > 1 || (d->noisy > 0 && !duel))
        return err_set(ERR_USAGE, "noisy=%d: 1 or nothing, and only with a duel head", d->noisy);
    return ERR_OK;
}

bool nn_desc_equal(const nn_desc *a, const nn_desc *b)
{
    char x[NN_TEXT], y[NN_TEXT];
    nn_desc_print(a, x, sizeof x);
    nn_desc_print(b, y, sizeof y);
    return strcmp(x, y) == 0;
}

// --- sizes

int nn_words(const nn_desc *d)
{
    return (d->rows * d->cols + 63) / 64;
}

int nn_inputs(const nn_desc *d)
{
    return d->planes + d->scalars;
}

size_t nn_in_bits(const nn_desc *d)
{
    return (size_t)d->planes * (size_t)nn_words(d);
}

int nn_atoms(const nn_head *h)
{
    return h->atoms > 1 ? h->atoms : 1;
}

int nn_head_size(const nn_desc *d, int head)
{
    const nn_head *h = &d->head[head];
    return h->kind == NN_BOARD ? h->out * d->rows * d->cols : h->out * nn_atoms(h);
}

int nn_head_at(const nn_desc *d, int head)
{
    int at = 0;
    for (int i = 0; i < head; i++) at += nn_head_size(d, i);
    return at;
}

int nn_policy_heads(const nn_desc *d)
{
    int n = 0;
    for (int h = 0; h < d->n_heads; h++) n += d->head[h].kind == NN_POLICY;
    return n;
}

int nn_out_size(const nn_desc *d)
{
    return nn_head_at(d, d->n_heads);
}

// --- tensors: one walk over the network makes both the layout and the list of names

typedef struct maker {
    nn_param *list; // NULL: only the layout is wanted
    int n, max;
    size_t train, stats; // next free place of each kind
} maker;

static size_t add(maker *m, const char *layer, const char *what, bool train, int n_dims, int a, int b, int k)
{
    nn_param p = {.n_dims = n_dims, .dims = {a, b, k, k}, .train = train, .matrix = n_dims > 1};
    size_t *next = train ? &m->train : &m->stats;
    for (int i = n_dims; i < 4; i++) p.dims[i] = 0;
    p.size = 1;
    for (int i = 0; i < n_dims; i++) p.size *= (size_t)p.dims[i];
    p.at = *next;
    *next += p.size;
    snprintf(p.name, sizeof p.name, "%s.%s", layer, what);
    if (m->n < m->max) m->list[m->n] = p;
    m->n++;
    return p.at;
}

static void add_conv(maker *m, nn_conv_at *c, const char *layer, const char *number, int cin, int cout, int k,
                     bool normed)
{
    char conv[40], bn[40];
    snprintf(conv, sizeof conv, "%s.conv%s", layer, number);
    snprintf(bn, sizeof bn, "%s.bn%s", layer, number);
    *c = (nn_conv_at){.cin = cin, .cout = cout, .k = k, .normed = normed};
    c->w = add(m, conv, "weight", true, 4, cout, cin, k);
    if (!normed) {
        c->bn.beta = add(m, conv, "bias", true, 1, cout, 0, 0);
        return;
    }
    c->bn.gamma = add(m, bn, "weight", true, 1, cout, 0, 0);
    c->bn.beta = add(m, bn, "bias", true, 1, cout, 0, 0);
    c->bn.mean = add(m, bn, "running_mean", false, 1, cout, 0, 0);
    c->bn.var = add(m, bn, "running_var", false, 1, cout, 0, 0);
}

static void add_fc(maker *m, nn_fc_at *f, const char *layer, const char *name, int in, int out)
{
    char fc[40];
    snprintf(fc, sizeof fc, "%s.%s", layer, name);
    *f = (nn_fc_at){.in = in, .out = out};
    f->w = add(m, fc, "weight", true, 2, out, in, 0);
    f->b = add(m, fc, "bias", true, 1, out, 0, 0);
}

// A last layer of a duel head, and behind it the widths of its noise where it has some.
static void add_last(maker *m, const nn_desc *d, nn_fc_at *f, nn_fc_at *sigma, const char *layer, const char *name,
                     int in, int out)
{
    char widths[24];
    add_fc(m, f, layer, name, in, out);
    if (d->noisy == 0) return;
    snprintf(widths, sizeof widths, "%s_sigma", name);
    add_fc(m, sigma, layer, widths, in, out);
}

static void add_head(maker *m, const nn_desc *d, int i, nn_head_layers *at)
{
    const nn_head *h = &d->head[i];
    char layer[24];
    snprintf(layer, sizeof layer, "head%d.%s", i, kind_names[h->kind]);
    *at = (nn_head_layers){0};
    if (h->kind == NN_BOARD) {
        add_conv(m, &at->conv, layer, "", d->channels, h->out, 1, false);
        return;
    }
    if (h->filters > 0) add_conv(m, &at->conv, layer, "", d->channels, h->filters, 1, true);
    int in = h->filters > 0 ? h->filters * d->rows * d->cols : d->mlp[d->n_mlp - 1];
    if (h->kind == NN_DUEL) {
        add_fc(m, &at->fc[0], layer, "fc1", in, 2 * h->hidden);
        add_last(m, d, &at->fc[1], &at->sigma[0], layer, "value", h->hidden, nn_atoms(h));
        add_last(m, d, &at->fc[2], &at->sigma[1], layer, "advantage", h->hidden, h->out * nn_atoms(h));
        at->n_fc = 3;
    } else if (h->hidden > 0) {
        add_fc(m, &at->fc[0], layer, "fc1", in, h->hidden);
        add_fc(m, &at->fc[1], layer, "fc2", h->hidden, h->out);
        at->n_fc = 2;
    } else {
        add_fc(m, &at->fc[0], layer, "fc", in, h->out);
        at->n_fc = 1;
    }
}

static void walk(const nn_desc *d, nn_layout *at, maker *m)
{
    *at = (nn_layout){0};
    if (d->channels > 0) add_conv(m, &at->stem, "stem", "", nn_inputs(d), d->channels, 3, true);
    for (int i = 0; i < d->blocks; i++) {
        char layer[24];
        snprintf(layer, sizeof layer, "block%d", i);
        add_conv(m, &at->block[i].conv[0], layer, "1", d->channels, d->channels, 3, true);
        add_conv(m, &at->block[i].conv[1], layer, "2", d->channels, d->channels, 3, true);
        if (d->se > 0) add_fc(m, &at->block[i].se[0], layer, "se1", d->channels, d->se);
        if (d->se > 0) add_fc(m, &at->block[i].se[1], layer, "se2", d->se, d->channels);
    }
    for (int i = 0, in = d->planes * d->rows * d->cols + d->scalars; i < d->n_mlp; in = d->mlp[i++]) {
        char layer[24];
        snprintf(layer, sizeof layer, "mlp%d", i);
        add_fc(m, &at->mlp[i], layer, "fc", in, d->mlp[i]);
    }
    for (int i = 0; i < d->n_heads; i++) add_head(m, d, i, &at->head[i]);
}

// The running statistics lie after all trained weights, so the first walk only counts those.
static void walk_twice(const nn_desc *d, nn_layout *at, maker *m)
{
    maker count = {0};
    walk(d, at, &count);
    m->stats = count.train;
    walk(d, at, m);
    at->n_train = m->train;
    at->n_all = m->stats;
}

void nn_layout_make(const nn_desc *d, nn_layout *out)
{
    maker m = {0};
    walk_twice(d, out, &m);
}

double nn_flops(const nn_desc *d)
{
    nn_layout at;
    double sum = 0, squares = (double)d->rows * d->cols;
    nn_layout_make(d, &at);
#define CONV(c) (2.0 * squares * (c).k * (c).k * (c).cin * (c).cout)
#define FC(f)   (2.0 * (f).in * (f).out)
    if (d->channels > 0) sum += CONV(at.stem);
    for (int b = 0; b < d->blocks; b++) {
        for (int i = 0; i < 2; i++) sum += CONV(at.block[b].conv[i]);
        for (int i = 0; i < 2 && d->se > 0; i++) sum += FC(at.block[b].se[i]);
    }
    for (int i = 0; i < d->n_mlp; i++) sum += FC(at.mlp[i]);
    for (int h = 0; h < d->n_heads; h++) {
        sum += CONV(at.head[h].conv);
        for (int i = 0; i < at.head[h].n_fc; i++) sum += FC(at.head[h].fc[i]);
    }
#undef CONV
#undef FC
    return sum;
}

int nn_params(const nn_desc *d, nn_param *out, int max)
{
    nn_layout at;
    maker m = {.list = out, .max = max};
    walk_twice(d, &at, &m);
    return m.n;
}
