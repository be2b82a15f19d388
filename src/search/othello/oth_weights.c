// The file of the evaluation's weights, and the weights that ship. See oth_eval.h.
//
// Magic, checksum (8 bytes, little-endian), then range-coded numbers: the biases, then the canonical entries of each knot as
// differences to the knot before, in units of OTH_WEIGHT_STEP. A number's models are chosen by its kind of pattern, by the
// size of the weight before and by the size of that one's own difference: rare shapes are zero all along and cost nothing.
#include "base/file.h"
#include "base/log.h"
#include "base/models.h"
#include "base/rangecoder.h"
#include "search/othello/oth_eval.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[8] = {'K', 'O', 'T', 'H', 'P', 'A', 'T', '2'};

enum { HEADER = 16, UNARY = 14, LENGTHS = 17 };

// Models of one signed number: zero?, its sign, its size in unary, and beyond UNARY the length and bits of the rest.
typedef struct number_model {
    range_bit zero, minus, more[UNARY], length[LENGTHS], bit;
} number_model;

enum { SIZES = 4, GROUPS = OTH_KINDS + 2 }; // groups: the kinds, mobility and corners, biases
typedef struct models {
    number_model m[GROUPS][SIZES][SIZES];
} models;

static models *models_new(void)
{
    models *m = malloc(sizeof *m);
    range_bit *b = (range_bit *)m;
    for (size_t i = 0; m != NULL && i < sizeof *m / sizeof *b; i++) b[i] = RANGE_EVEN;
    return m;
}

static int size_class(int v)
{
    v = v < 0 ? -v : v;
    return v == 0 ? 0 : v == 1 ? 1 : v < 5 ? 2 : 3;
}

static void put_number(range_writer *w, number_model *m, int v)
{
    range_write(w, &m->zero, v != 0);
    if (v == 0) return;
    range_write(w, &m->minus, v < 0);
    int size = (v < 0 ? -v : v) - 1, i = 0;
    for (; i < UNARY && i < size; i++) range_write(w, &m->more[i], true);
    if (i < UNARY) {
        range_write(w, &m->more[i], false);
        return;
    }
    unsigned rest = (unsigned)(size - UNARY) + 1;
    int length = 31 - __builtin_clz(rest);
    assert(length < LENGTHS);
    for (int k = 0; k < length; k++) range_write(w, &m->length[k], true);
    range_write(w, &m->length[length], false);
    for (int k = length - 1; k >= 0; k--) range_write(w, &m->bit, (rest >> k & 1) != 0);
}

static int get_number(range_reader *r, number_model *m)
{
    if (!range_read(r, &m->zero)) return 0;
    bool minus = range_read(r, &m->minus);
    int size = 0;
    while (size < UNARY && range_read(r, &m->more[size])) size++;
    if (size == UNARY) {
        int length = 0;
        while (length < LENGTHS - 1 && range_read(r, &m->length[length])) length++;
        unsigned rest = 1;
        for (int k = 0; k < length; k++) rest = rest << 1 | range_read(r, &m->bit);
        size += (int)rest - 1;
    }
    return minus ? -size - 1 : size + 1;
}

static uint64_t checksum(const oth_weights *w)
{
    uint64_t h = 0x6b6f7468;
    for (int i = 0; i <= OTH_SQUARES; i++) h = (h ^ (uint16_t)w->bias[i]) * 0x9e3779b97f4a7c15u;
    for (int s = 0; s < OTH_STAGES; s += 2)
        for (int i = 0; i < OTH_STAGE_SIZE; i++)
            if (oth_shape_canon[i] == i) h = ((h ^ (uint16_t)w->table[s][i]) * 0x9e3779b97f4a7c15u) ^ h >> 29;
    return h;
}

void oth_weights_fill(oth_weights *w)
{
    oth_eval_init();
    for (int s = 0; s < OTH_STAGES; s += 2)
        for (int i = 0; i < OTH_STAGE_SIZE; i++) w->table[s][i] = w->table[s][oth_shape_canon[i]];
    for (int s = 1; s < OTH_STAGES; s += 2)
        for (int i = 0; i < OTH_STAGE_SIZE; i++)
            w->table[s][i] = (int16_t)((w->table[s - 1][i] + w->table[s + 1][i]) / 2);
}

// Which models: the group of an entry, the weight at the knot before, and how that differed from the one before it.
static number_model *model_of(models *m, int group, int before, int change)
{
    return &m->m[group][size_class(before)][size_class(change)];
}

static int knot(const oth_weights *w, int k, int i) // in steps; 0 before the first
{
    return k < 0 ? 0 : w->table[2 * k][i] / OTH_WEIGHT_STEP;
}

err oth_weights_write(const oth_weights *w, text_buf *out)
{
    oth_eval_init();
    models *m = models_new();
    if (m == NULL) return err_set(ERR_MEMORY, "no memory to write pattern weights");
    uint64_t sum = checksum(w);
    text_append_n(out, magic, sizeof magic);
    for (int i = 0; i < 8; i++) text_char(out, (char)(sum >> (8 * i) & 255));
    range_writer r = range_write_begin(out);
    for (int i = 0; i <= OTH_SQUARES; i++) put_number(&r, model_of(m, OTH_KINDS + 1, 0, 0), w->bias[i]);
    for (int k = 0; k < OTH_KNOTS; k++)
        for (int i = 0, group = 0; i < OTH_STAGE_SIZE; i++) {
            while (group < OTH_KINDS && i >= oth_kind_first[group + 1]) group++;
            assert(w->table[2 * k][i] == w->table[2 * k][oth_shape_canon[i]]);
            assert(w->table[2 * k][i] % OTH_WEIGHT_STEP == 0);
            if (oth_shape_canon[i] != i) continue;
            int before = knot(w, k - 1, i);
            put_number(&r, model_of(m, group, before, before - knot(w, k - 2, i)), knot(w, k, i) - before);
        }
    range_write_end(&r);
    free(m);
    return text_check(out);
}

static err read_numbers(oth_weights *w, range_reader *r, models *m)
{
    for (int i = 0; i <= OTH_SQUARES; i++) {
        int v = get_number(r, model_of(m, OTH_KINDS + 1, 0, 0));
        if (v < INT16_MIN || v > INT16_MAX) return err_set(ERR_PARSE, "pattern weights: too large a bias");
        w->bias[i] = (int16_t)v;
    }
    for (int k = 0; k < OTH_KNOTS; k++)
        for (int i = 0, group = 0; i < OTH_STAGE_SIZE; i++) {
            while (group < OTH_KINDS && i >= oth_kind_first[group + 1]) group++;
            if (oth_shape_canon[i] != i) continue;
            // Behind the end every bit is made up: a few bytes would take as long as a whole file.
            if (r->at > r->size) return err_set(ERR_PARSE, "pattern weights end too soon");
            int before = knot(w, k - 1, i);
            int v = before + get_number(r, model_of(m, group, before, before - knot(w, k - 2, i)));
            if (v < INT16_MIN / OTH_WEIGHT_STEP || v > INT16_MAX / OTH_WEIGHT_STEP)
                return err_set(ERR_PARSE, "pattern weights: too large a weight before byte %zu", r->at);
            w->table[2 * k][i] = (int16_t)(v * OTH_WEIGHT_STEP);
        }
    return ERR_OK;
}

static err read_all(oth_weights *w, const uint8_t *data, size_t size, models *m)
{
    uint64_t sum = 0;
    for (int i = 0; i < 8; i++) sum |= (uint64_t)data[8 + i] << (8 * i);
    range_reader r = range_read_begin(data + HEADER, size - HEADER);
    err e = read_numbers(w, &r, m);
    int end = range_read_end(&r);
    if (end < 0) return err_set(ERR_PARSE, "pattern weights end too soon, at byte %zu", size);
    if (e != ERR_OK) return e;
    if (end > 0) return err_set(ERR_PARSE, "pattern weights: %zu bytes too many", r.size - r.at);
    if (checksum(w) != sum)
        return err_set(ERR_PARSE, "pattern weights: the checksum does not fit; the file is damaged");
    oth_weights_fill(w);
    return ERR_OK;
}

err oth_weights_read(oth_weights **out, const void *data, size_t size)
{
    oth_eval_init();
    if (size < HEADER || memcmp(data, magic, sizeof magic) != 0)
        return err_set(ERR_PARSE, "not a file of Othello pattern weights");
    oth_weights *w = calloc(1, sizeof *w);
    models *m = models_new();
    err e = w != NULL && m != NULL ? ERR_OK : err_set(ERR_MEMORY, "no memory for pattern weights");
    if (e == ERR_OK) e = read_all(w, data, size, m);
    free(m);
    return HAND_OVER(e, out, w, free);
}

err oth_weights_load(oth_weights **out, const char *path)
{
    model_bytes b;
    err e = models_read(&b, path, 64 << 20);
    if (e == ERR_OK) e = err_prefix(oth_weights_read(out, b.data, b.size), "%s", path);
    models_free(&b);
    return e;
}

err oth_weights_save(const oth_weights *w, const char *path)
{
    text_buf t = {0};
    err e = oth_weights_write(w, &t);
    if (e == ERR_OK) e = file_write_atomic(path, t.data, t.len);
    text_free(&t);
    return e;
}

void oth_weights_free(oth_weights *w)
{
    free(w);
}

// --- one copy for all who play with a file: 38 MB that would not fit into the cache for each of many players

typedef struct shared_file {
    struct shared_file *next;
    oth_weights *w;
    int users;
    char path[];
} shared_file;

static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;
static shared_file *files;

static err add_file(shared_file **out, const char *path)
{
    shared_file *f = calloc(1, sizeof *f + strlen(path) + 1);
    err e = f != NULL ? oth_weights_load(&f->w, path) : err_set(ERR_MEMORY, "no memory for the name of a file");
    if (e != ERR_OK) {
        free(f);
        return e;
    }
    strcpy(f->path, path);
    f->next = files;
    *out = files = f;
    return ERR_OK;
}

err oth_weights_open(const oth_weights **out, const char *path)
{
    err e = ERR_OK;
    pthread_mutex_lock(&files_lock);
    shared_file *f = files;
    while (f != NULL && strcmp(f->path, path) != 0) f = f->next;
    if (f == NULL) e = add_file(&f, path);
    if (e == ERR_OK) {
        f->users++;
        *out = f->w;
    }
    pthread_mutex_unlock(&files_lock);
    return e;
}

void oth_weights_close(const oth_weights *w)
{
    if (w == NULL) return;
    pthread_mutex_lock(&files_lock);
    shared_file **at = &files;
    while ((*at)->w != w) at = &(*at)->next;
    shared_file *f = *at;
    bool last = --f->users == 0;
    if (last) *at = f->next;
    pthread_mutex_unlock(&files_lock);
    if (!last) return;
    oth_weights_free(f->w);
    free(f);
}

// --- the weights that ship

static oth_weights *shipped;
static char shipped_error[512];

static void load_shipped(void)
{
    char path[FILE_PATH];
    err e = models_find("othello-patterns.bin", path, sizeof path);
    if (e == ERR_OK) e = oth_weights_load(&shipped, path);
    if (e == ERR_OK) return;
    snprintf(shipped_error, sizeof shipped_error, "%s", err_text());
    log_warn("%s; without it Othello is judged by a plain evaluation: alphabeta is much weaker, solving slower",
             shipped_error);
}

const oth_weights *oth_weights_shipped(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_shipped);
    if (shipped == NULL) err_set(ERR_MISSING, "%s", shipped_error);
    return shipped;
}
