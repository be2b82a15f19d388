// See train_config.h.
#include "learn/train_config.h"

#include "base/file.h"
#include "nn/optim.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(train_common, field)
// clang-format off
const opt train_common_opts[] = {
    ROW_CHOICE("method", AT(method), "NAME", NULL, "zero|dqn|distil", "Training method: zero = AlphaZero, dqn = deep Q-learning, distil = learning from labelled positions", .was = "algo"),
    ROW_NUMBER("minutes", AT(minutes), "M", "0", 0, 1e7, "Stop after this much training time; 0 = no limit. Time spent before --resume counts"),
    ROW_CHOICE("backend", AT(backend), "WHERE", "auto", "auto|cpu|cuda", "Device that runs and trains the network. CPU runs are reproducible byte for byte"),
    ROW_INT("threads", AT(threads), "N", "0", 0, 256, "Number of threads; 0 = one per core. Does not change the result on the CPU", .letter = 't'),
    ROW_INT("seed", AT(seed), "N", "1", 0, 9e15, "Random seed; the same seed gives the same run"),
};
// clang-format on
const int train_common_n_opts = ROWS(train_common_opts);

static bool in_list(const char *const *list, const char *name)
{
    while (*list != NULL && strcmp(*list, name) != 0) list++;
    return *list != NULL;
}

typedef struct looked_for {
    const train_table *t;
    const char *name;
    bool found;
} looked_for;

static void see(void *ctx, const char *key, const char *value)
{
    looked_for *l = ctx;
    const opt *o = opt_find(l->t->rows, l->t->n, key);
    (void)value;
    if (o != NULL && strcmp(o->name, l->name) == 0) l->found = true;
}

bool train_layer_sets(const train_table *t, const config_layer *l, const char *name)
{
    looked_for x = {t, name, false};
    if (l->text != NULL)
        (void)opt_config_each("", l->text, strlen(l->text), see, &x); // mistakes are told when it is read
    return x.found;
}

static void clear_limits(const train_table *t, void *config)
{
    for (const char *const *name = t->limits; *name != NULL; name++) {
        const opt *o = opt_find(t->rows, t->n, *name);
        memset((char *)config + o->at, 0, o->kind == OPT_NUMBER ? sizeof(double) : sizeof(int64_t));
    }
}

bool train_config_limited(const train_table *t, const void *config)
{
    for (const char *const *name = t->limits; *name != NULL; name++) {
        const opt *o = opt_find(t->rows, t->n, *name);
        const void *at = (const char *)config + o->at;
        if (o->kind == OPT_NUMBER ? *(const double *)at > 0 : *(const int64_t *)at > 0) return true;
    }
    return false;
}

static err add_layer(const train_table *t, void *config, const config_layer *l, opt_values *keep)
{
    if (l->text == NULL) return ERR_OK;
    for (const char *const *name = t->limits; *name != NULL; name++)
        if (train_layer_sets(t, l, *name)) {
            clear_limits(t, config);
            break;
        }
    return opt_config_text(t->rows, t->n, config, l->name, l->text, strlen(l->text), keep);
}

static err add_layers(const train_table *t, void *config, const config_layer *layers, int n, opt_values *keep)
{
    err e = ERR_OK;
    for (int i = 0; i < n && e == ERR_OK; i++) e = add_layer(t, config, &layers[i], keep);
    return e;
}

// The last layer that names a preset decides; `otherwise` where none does.
static err find_preset(const train_table *t, const char *otherwise, const config_layer *layers, int n, opt_values *keep,
                       const char **name)
{
    train_common *c = calloc(1, t->size);
    if (c == NULL) return err_set(ERR_MEMORY, "no memory for options");
    err e = add_layers(t, c, layers, n, keep);
    *name = c->preset != NULL ? c->preset : otherwise != NULL ? otherwise : t->preset;
    free(c);
    return e;
}

err train_config_make(const train_table *t, void *config, const game *g, const char *preset, const config_layer *layers,
                      int n, opt_values *keep)
{
    train_common *c = config;
    const char *name = NULL, *text = NULL;
    memset(config, 0, t->size);
    err e = find_preset(t, preset, layers, n, keep, &name);
    if (e == ERR_OK) e = opt_defaults(t->rows, t->n, config);
    if (e == ERR_OK && name != NULL && t->preset_text == NULL)
        e = err_set(ERR_USAGE, "%s has no presets: leave preset '%s' out", c->method, name);
    if (e == ERR_OK && name != NULL) e = t->preset_text(g, name, &text);
    if (e == ERR_OK) e = add_layer(t, config, &(config_layer){name, text}, keep);
    if (e == ERR_OK) e = add_layers(t, config, layers, n, keep);
    if (e == ERR_OK) c->preset = name;
    return e;
}

// --- going on with a run

static err value_text(const opt *o, const void *config, text_buf *to)
{
    err e = opt_config_print(o, 1, config, NULL, to);
    return e == ERR_OK ? text_check(to) : e;
}

static void list_rows(const char *const *list, text_buf *to)
{
    for (; *list != NULL; list++) text_printf(to, "%s--%s", to->len > 0 ? ", " : "", *list);
}

static err refuse(const train_table *t, const opt *o, const char *own, const char *now)
{
    text_buf may = {0};
    list_rows(t->limits, &may);
    list_rows(t->machine, &may);
    list_rows(t->free, &may);
    size_t skip = strlen(o->name) + 3; // "name = "
    own = *own == 0 ? "not set" : own + skip;
    now = *now == 0 ? "not set" : now + skip;
    err e =
        err_set(ERR_USAGE,
                "--%s is %.*s in this run, not %.*s: a resumed run keeps its options; leave it out, or start another "
                "run (--init begins with this one's network). --resume may change %s",
                o->name, (int)strcspn(own, "\n"), own, (int)strcspn(now, "\n"), now, text_str(&may));
    text_free(&may);
    return e;
}

static err same_options(const train_table *t, const void *own, const void *now)
{
    int n;
    const opt *rows = opt_flat(t->rows, t->n, &n);
    err e = ERR_OK;
    for (int i = 0; i < n && e == ERR_OK; i++) {
        const opt *o = &rows[i];
        text_buf a = {0}, b = {0};
        if (o->name == NULL || in_list(t->limits, o->name) || in_list(t->machine, o->name) || in_list(t->free, o->name))
            continue;
        e = value_text(o, own, &a);
        if (e == ERR_OK) e = value_text(o, now, &b);
        bool unknown = a.len == 0 && strcmp(o->name, "preset") == 0; // earlier versions did not note it
        if (e == ERR_OK && !unknown && strcmp(text_str(&a), text_str(&b)) != 0)
            e = refuse(t, o, text_str(&a), text_str(&b));
        text_free(&a);
        text_free(&b);
    }
    return e;
}

// A value that config.txt is about to get: the run must be able to read it the next time.
static err check_lr(const train_table *t, const void *config)
{
    const opt *o = opt_find(t->rows, t->n, "lr");
    nn_lr lr;
    return o == NULL ? ERR_OK
                     : err_prefix(nn_lr_parse(*(const char *const *)((const char *)config + o->at), &lr), "--lr");
}

err train_config_resume(const train_table *t, void *config, const char *dir, const config_layer *layers, int n,
                        opt_values *keep)
{
    void *own = calloc(1, t->size);
    if (own == NULL) return err_set(ERR_MEMORY, "no memory for options");
    err e = opt_defaults(t->rows, t->n, own);
    if (e == ERR_OK) e = run_config_load(dir, t->rows, t->n, own, keep);
    if (e == ERR_OK) {
        memcpy(config, own, t->size);
        e = add_layers(t, config, layers, n, keep);
    }
    if (e == ERR_OK) e = same_options(t, own, config);
    if (e == ERR_OK) e = check_lr(t, config);
    free(own);
    return e;
}
