// Making, copying, averaging, storing networks. See net.h.
#include "nn/net.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/models.h"
#include "nn/safetensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMS = NN_MAX_BLOCKS * 14 + NN_MAX_HEADS * 15 + NN_MAX_MLP * 2 + 5 };
static const size_t max_weights = (size_t)1 << 30; // 4 GiB of floats: far above any net we run, far below overflow

static err alloc_net(nn_net **out, const nn_desc *d)
{
    err e = nn_desc_check(d);
    if (e != ERR_OK) return e;
    nn_net *n = calloc(1, sizeof *n);
    if (n == NULL) return err_set(ERR_MEMORY, "no memory for a network");
    n->desc = *d;
    nn_layout_make(d, &n->at);
    if (n->at.n_all > max_weights) {
        e = err_set(ERR_LIMIT, "a network of %zu weights is more than the %zu we accept", n->at.n_all, max_weights);
        free(n);
        return e;
    }
    n->w = calloc(n->at.n_all, sizeof *n->w);
    if (n->w == NULL) {
        e = err_set(ERR_MEMORY, "no memory for a network of %zu weights", n->at.n_all);
        free(n);
        return e;
    }
    *out = n;
    return ERR_OK;
}

static void init_conv(const nn_conv_at *c, float *w, rng *r)
{
    size_t fan = (size_t)c->cin * (size_t)(c->k * c->k), size = fan * (size_t)c->cout;
    double sd = sqrt(2.0 / (double)fan);
    for (size_t i = 0; i < size; i++) w[c->w + i] = (float)(sd * rng_normal(r));
    for (int i = 0; i < c->cout && c->normed; i++) w[c->bn.gamma + (size_t)i] = w[c->bn.var + (size_t)i] = 1;
}

static void init_fc(const nn_fc_at *f, float *w, rng *r)
{
    double bound = 1 / sqrt((double)f->in);
    for (size_t i = 0; i < (size_t)f->in * (size_t)f->out; i++) w[f->w + i] = (float)(bound * (2 * rng_unit(r) - 1));
    for (int i = 0; i < f->out; i++) w[f->b + (size_t)i] = (float)(bound * (2 * rng_unit(r) - 1));
}

// Widths of noise start at 1/2 over the root of the inputs, as in the paper on noisy networks (factorised noise).
static void init_sigma(const nn_fc_at *f, float *w)
{
    float width = (float)(0.5 / sqrt((double)f->in));
    for (size_t i = 0; i < (size_t)f->in * (size_t)f->out; i++) w[f->w + i] = width;
    for (int i = 0; i < f->out; i++) w[f->b + (size_t)i] = width;
}

err nn_net_new(nn_net **out, const nn_desc *d, uint64_t seed)
{
    nn_net *n;
    err e = alloc_net(&n, d);
    if (e != ERR_OK) return e;
    rng r = rng_at(seed, 0x6e6e, 0);
    if (d->channels > 0) init_conv(&n->at.stem, n->w, &r);
    for (int i = 0; i < d->blocks; i++) {
        for (int k = 0; k < 2; k++) init_conv(&n->at.block[i].conv[k], n->w, &r);
        for (int k = 0; k < 2 && d->se > 0; k++) init_fc(&n->at.block[i].se[k], n->w, &r);
    }
    for (int i = 0; i < d->n_mlp; i++) init_fc(&n->at.mlp[i], n->w, &r);
    for (int i = 0; i < d->n_heads; i++) {
        const nn_head_layers *h = &n->at.head[i];
        if (h->conv.cout > 0) init_conv(&h->conv, n->w, &r);
        for (int k = 0; k < h->n_fc; k++) init_fc(&h->fc[k], n->w, &r);
        for (int k = 0; k < 2 && h->sigma[k].in > 0; k++) init_sigma(&h->sigma[k], n->w);
    }
    *out = n;
    return ERR_OK;
}

err nn_net_copy(nn_net **out, const nn_net *from)
{
    nn_net *n;
    err e = alloc_net(&n, &from->desc);
    if (e != ERR_OK) return e;
    memcpy(n->w, from->w, n->at.n_all * sizeof *n->w);
    e = nn_net_set_note(n, from->note);
    return HAND_OVER(e, out, n, nn_net_free);
}

void nn_net_free(nn_net *n)
{
    if (n == NULL) return;
    FREE_ALL(n->w, n->note, n);
}

err nn_net_set_note(nn_net *n, const char *note)
{
    char *copy = NULL;
    if (note != NULL) {
        size_t size = strlen(note) + 1;
        copy = malloc(size);
        if (copy == NULL) return err_set(ERR_MEMORY, "no memory for a note of %zu bytes", size);
        memcpy(copy, note, size);
    }
    free(n->note);
    n->note = copy;
    return ERR_OK;
}

// The walk over a network meets its heads last, so tensors that both have begin both lists, of each kind.
void nn_net_take(nn_net *to, const nn_net *from)
{
    const nn_net *small = to->desc.n_heads < from->desc.n_heads ? to : from;
    size_t trained = small->at.n_train, rest = small->at.n_all - trained;
    memcpy(to->w, from->w, trained * sizeof *to->w);
    memcpy(to->w + to->at.n_train, from->w + from->at.n_train, rest * sizeof *to->w);
}

// What lies before the blocks, each block at its new place, what lies behind them. A block of `from` has as large a share of
// the blocks before it in `to`.
static void copy_blocks(float *to, int to_blocks, const float *from, int from_blocks, size_t before, size_t block,
                        size_t all)
{
    const size_t behind = before + (size_t)from_blocks * block;
    memcpy(to, from, before * sizeof *to);
    for (int i = 0; i < from_blocks; i++)
        memcpy(to + before + (size_t)(i * to_blocks / from_blocks) * block, from + before + (size_t)i * block,
               block * sizeof *to);
    memcpy(to + before + (size_t)to_blocks * block, from + behind, (all - behind) * sizeof *to);
}

bool nn_net_grow(nn_net *to, const nn_net *from)
{
    const nn_layout *a = &to->at, *b = &from->at;
    const int more = to->desc.blocks - from->desc.blocks;
    nn_desc same = from->desc;
    same.blocks = to->desc.blocks;
    if (more < 0 || !nn_desc_equal(&to->desc, &same)) return false;
    if (more == 0) {
        memcpy(to->w, from->w, a->n_all * sizeof *to->w);
        return true;
    }
    for (int i = 0; i < to->desc.blocks; i++) { // a block whose last layer is silent adds nothing to its input
        memset(to->w + a->block[i].conv[1].bn.gamma, 0, (size_t)to->desc.channels * sizeof *to->w);
        memset(to->w + a->block[i].conv[1].bn.beta, 0, (size_t)to->desc.channels * sizeof *to->w);
    }
    const size_t rest = b->n_all - b->n_train, block = (a->n_train - b->n_train) / (size_t)more;
    copy_blocks(to->w, to->desc.blocks, from->w, from->desc.blocks, a->block[0].conv[0].w, block, b->n_train);
    copy_blocks(to->w + a->n_train, to->desc.blocks, from->w + b->n_train, from->desc.blocks,
                a->block[0].conv[0].bn.mean - a->n_train, (a->n_all - a->n_train - rest) / (size_t)more, rest);
    return true;
}

void nn_net_ema(nn_net *ema, const nn_net *now, float decay)
{
    for (size_t i = 0; i < now->at.n_train; i++) ema->w[i] += (1 - decay) * (now->w[i] - ema->w[i]);
    for (size_t i = now->at.n_train; i < now->at.n_all; i++) ema->w[i] = now->w[i];
}

// --- files

// The nearest number with the upper 16 bits of a float; the even one of two as near.
static uint16_t bf16_of(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static float bf16_value(uint16_t h)
{
    uint32_t u = (uint32_t)h << 16;
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

// To a file, or to `bytes` where there is no path.
static err save(const nn_net *n, const char *path, text_buf *bytes, bool half)
{
    nn_param *p = malloc(MAX_PARAMS * sizeof *p);
    st_tensor *t = malloc(MAX_PARAMS * sizeof *t);
    uint16_t *small = malloc((n->at.n_all + 1) * sizeof *small);
    err e = p == NULL || t == NULL || small == NULL ? err_set(ERR_MEMORY, "no memory to save a network") : ERR_OK;
    if (e == ERR_OK) {
        int count = nn_params(&n->desc, p, MAX_PARAMS);
        char text[NN_TEXT];
        nn_desc_print(&n->desc, text, sizeof text);
        st_meta meta[2] = {{"keiko.net", text}, {"keiko.note", n->note}};
        for (int i = 0; i < count; i++) {
            t[i] = (st_tensor){
                .dtype = ST_F32, .n_dims = p[i].n_dims, .data = n->w + p[i].at, .size = p[i].size * sizeof(float)};
            memcpy(t[i].name, p[i].name, sizeof p[i].name);
            if (half && p[i].n_dims > 1) {
                for (size_t k = p[i].at; k < p[i].at + p[i].size; k++) small[k] = bf16_of(n->w[k]);
                t[i].dtype = ST_BF16;
                t[i].data = small + p[i].at;
                t[i].size = p[i].size * sizeof *small;
            }
            for (int k = 0; k < p[i].n_dims; k++) t[i].dims[k] = (uint64_t)p[i].dims[k];
        }
        int n_meta = n->note == NULL ? 1 : 2;
        e = path != NULL ? st_write(path, t, count, meta, n_meta) : st_bytes(bytes, t, count, meta, n_meta);
    }
    FREE_ALL(p, t, small);
    return e;
}

err nn_net_save(const nn_net *n, const char *path)
{
    return save(n, path, NULL, false);
}

err nn_net_save_bf16(const nn_net *n, const char *path)
{
    return save(n, path, NULL, true);
}

err nn_net_to_bytes(const nn_net *n, text_buf *out)
{
    return save(n, NULL, out, false);
}

static err take_param(nn_net *n, const nn_param *p, const st_file *f)
{
    const st_tensor *t = st_find(f, p->name);
    if (t == NULL) return err_set(ERR_PARSE, "tensor '%s' is missing", p->name);
    if (t->dtype != ST_F32 && t->dtype != ST_BF16)
        return err_set(ERR_PARSE, "tensor '%s' is neither F32 nor BF16", p->name);
    bool same = t->n_dims == p->n_dims;
    for (int i = 0; i < p->n_dims && same; i++) same = t->dims[i] == (uint64_t)p->dims[i];
    if (!same) return err_set(ERR_PARSE, "tensor '%s' has another shape than the description says", p->name);
    if (t->dtype == ST_F32) {
        memcpy(n->w + p->at, t->data, t->size);
    } else {
        for (size_t i = 0; i < p->size; i++) {
            uint16_t half;
            memcpy(&half, (const char *)t->data + i * sizeof half, sizeof half);
            n->w[p->at + i] = bf16_value(half);
        }
    }
    for (size_t i = 0; i < p->size; i++)
        if (!isfinite(n->w[p->at + i]))
            return err_set(ERR_PARSE, "tensor '%s' holds a number that is not finite", p->name);
    if (!p->train && strstr(p->name, "running_var") != NULL)
        for (size_t i = 0; i < p->size; i++)
            if (n->w[p->at + i] < 0) return err_set(ERR_PARSE, "tensor '%s' holds a negative variance", p->name);
    return ERR_OK;
}

err nn_net_from_bytes(nn_net **out, const void *data, size_t size)
{
    st_file *f;
    nn_net *n = NULL;
    nn_param *p = NULL;
    nn_desc d;
    err e = st_parse(&f, data, size);
    if (e != ERR_OK) return e;
    const char *text = st_find_meta(f, "keiko.net");
    if (text == NULL) {
        e = err_set(ERR_PARSE, "the file has no network description (metadata \"keiko.net\")");
        goto done;
    }
    e = err_prefix(nn_desc_parse(text, &d), "network description");
    if (e != ERR_OK) goto done;
    // The tensors must be there before we believe the description enough to allocate what it asks for.
    nn_layout *at = malloc(sizeof *at);
    p = malloc(MAX_PARAMS * sizeof *p);
    if (at == NULL || p == NULL) {
        free(at);
        e = err_set(ERR_MEMORY, "no memory to load a network");
        goto done;
    }
    nn_layout_make(&d, at);
    bool whole = at->n_all * sizeof(uint16_t) <= size;
    free(at);
    if (!whole) {
        e = err_set(ERR_PARSE, "the file is smaller than the network its description names");
        goto done;
    }
    e = alloc_net(&n, &d);
    int count = e == ERR_OK ? nn_params(&d, p, MAX_PARAMS) : 0;
    for (int i = 0; i < count && e == ERR_OK; i++) e = take_param(n, &p[i], f);
    if (e == ERR_OK) e = nn_net_set_note(n, st_find_meta(f, "keiko.note"));
    if (e != ERR_OK) goto done;
    *out = n;
    n = NULL;
done:
    free(p);
    nn_net_free(n);
    st_free(f);
    return e;
}

err nn_net_load(nn_net **out, const char *path)
{
    model_bytes b;
    if (file_is_device(path)) return err_set(ERR_IO, "cannot read %s: it is a device, no file of weights", path);
    err e = models_read(&b, path, max_weights * sizeof(float));
    if (e != ERR_OK) return e;
    e = err_prefix(nn_net_from_bytes(out, b.data, b.size), "%s", path);
    models_free(&b);
    return e;
}
