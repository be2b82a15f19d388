// A trainer's state, both ways. See state.h.
#include "nn/state.h"

#include "nn/safetensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {"adamw", "adam", "sgd"};

typedef struct piece {
    const char *name;
    float *at;
    size_t n;
} piece;

enum { PIECES = 4 };

static void pieces_of(const nn_state *s, piece p[PIECES])
{
    p[0] = (piece){"w", s->w, s->n_all};
    p[1] = (piece){"m", s->m, s->n_train};
    p[2] = (piece){"v", s->v, s->n_train};
    p[3] = (piece){"ema", s->ema, s->n_all};
}

err nn_state_write(const nn_state *s, text_buf *out)
{
    char net[NN_TEXT], step[32];
    st_tensor tensor[PIECES];
    piece p[PIECES];
    int n = 0;
    pieces_of(s, p);
    for (int i = 0; i < PIECES; i++) {
        if (p[i].at == NULL) continue;
        tensor[n] = (st_tensor){
            .dtype = ST_F32, .n_dims = 1, .dims = {p[i].n}, .data = p[i].at, .size = p[i].n * sizeof(float)};
        snprintf(tensor[n++].name, ST_NAME, "%s", p[i].name);
    }
    nn_desc_print(s->desc, net, sizeof net);
    snprintf(step, sizeof step, "%llu", (unsigned long long)s->step);
    st_meta meta[] = {
        {"keiko.trainer.net", net}, {"keiko.trainer.optimiser", kind_names[s->kind]}, {"keiko.trainer.step", step}};
    return st_bytes(out, tensor, n, meta, 3);
}

static err check(const nn_state *s, const st_file *f, const piece p[PIECES], uint64_t *step)
{
    char net[NN_TEXT], *end;
    const char *its_net = st_find_meta(f, "keiko.trainer.net");
    const char *its_kind = st_find_meta(f, "keiko.trainer.optimiser"), *number = st_find_meta(f, "keiko.trainer.step");
    if (its_net == NULL || its_kind == NULL || number == NULL)
        return err_set(ERR_PARSE, "this is not a trainer's state: its metadata lacks \"keiko.trainer…\"");
    nn_desc_print(s->desc, net, sizeof net);
    if (strcmp(its_net, net) != 0)
        return err_set(ERR_PARSE, "this trainer's state belongs to another network: %s", its_net);
    if (strcmp(its_kind, kind_names[s->kind]) != 0)
        return err_set(ERR_PARSE, "this trainer's state is of the optimiser %s; %s is asked for", its_kind,
                       kind_names[s->kind]);
    *step = strtoull(number, &end, 10);
    if (end == number || *end != 0) return err_set(ERR_PARSE, "the trainer's state has no step count");
    for (int i = 0; i < PIECES; i++) {
        const st_tensor *t = st_find(f, p[i].name);
        if (p[i].at == NULL) continue;
        if (t == NULL || t->dtype != ST_F32 || t->size != p[i].n * sizeof(float))
            return err_set(ERR_PARSE, "the trainer's '%s' is missing or has another size", p[i].name);
        for (size_t k = 0; k < p[i].n; k++) {
            float x;
            memcpy(&x, (const char *)t->data + k * sizeof x, sizeof x);
            if (!isfinite(x))
                return err_set(ERR_PARSE, "the trainer's '%s' holds a number that is not finite", p[i].name);
        }
    }
    return ERR_OK;
}

err nn_state_read(nn_state *s, const void *data, size_t size)
{
    st_file *f;
    piece p[PIECES];
    uint64_t step = 0;
    err e = st_parse(&f, data, size);
    if (e != ERR_OK) return e;
    pieces_of(s, p);
    e = check(s, f, p, &step);
    if (e == ERR_OK) s->step = step;
    for (int i = 0; i < PIECES && e == ERR_OK; i++)
        if (p[i].at != NULL) memcpy(p[i].at, st_find(f, p[i].name)->data, p[i].n * sizeof(float));
    st_free(f);
    return e;
}
