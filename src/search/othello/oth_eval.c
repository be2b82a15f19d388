// Places and symmetries of the evaluation's patterns, and the weights file. See oth_eval.h.
#include "search/othello/oth_eval.h"

#include "base/file.h"
#include "base/log.h"
#include "base/models.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Alignas(64) int16_t oth_shape_step[OTH_SQUARES][OTH_PLACES_PAD];
int32_t oth_shape_zero[OTH_PLACES];
int32_t oth_shape_canon[OTH_STAGE_SIZE];

enum { MAX_LENGTH = 10 };

typedef struct kind {
    int length;
    uint8_t sq[MAX_LENGTH]; // the first place; the others are its images
} kind;

static const kind kinds[OTH_KINDS] = {
    {9, {0, 1, 2, 8, 9, 10, 16, 17, 18}},    // corner 3x3
    {10, {0, 1, 2, 3, 4, 8, 9, 10, 11, 12}}, // corner 2x5
    {10, {0, 1, 2, 3, 4, 5, 6, 7, 9, 14}},   // edge and its X squares
    {8, {8, 9, 10, 11, 12, 13, 14, 15}},     // second row
    {8, {16, 17, 18, 19, 20, 21, 22, 23}},   // third
    {8, {24, 25, 26, 27, 28, 29, 30, 31}},   // fourth
    {8, {0, 9, 18, 27, 36, 45, 54, 63}},     // diagonals of 8 …
    {7, {1, 10, 19, 28, 37, 46, 55}},
    {6, {2, 11, 20, 29, 38, 47}},
    {5, {3, 12, 21, 30, 39}},
    {4, {4, 13, 22, 31}}, // … to 4
};

static int power3(int n)
{
    int p = 1;
    while (n-- > 0) p *= 3;
    return p;
}

static uint64_t image_set(const kind *k, int sym)
{
    uint64_t set = 0;
    for (int i = 0; i < k->length; i++) set |= (uint64_t)1 << oth_sym_square(sym, k->sq[i]);
    return set;
}

// The entries of one kind that its own symmetries map onto each other share the weight of the smallest.
static void init_canon(const kind *k, int first)
{
    int size = power3(k->length);
    for (int e = 0; e < size; e++) oth_shape_canon[first + e] = first + e;
    for (int sym = 1; sym < OTH_SYMS; sym++) {
        if (image_set(k, sym) != image_set(k, 0)) continue;
        int to[MAX_LENGTH]; // digit i of an entry becomes digit to[i] of its image
        for (int i = 0; i < k->length; i++) {
            to[i] = 0;
            while (k->sq[to[i]] != oth_sym_square(sym, k->sq[i])) to[i]++;
        }
        for (int e = 0; e < size; e++) {
            int image = 0, rest = e;
            for (int i = 0; i < k->length; i++, rest /= 3) image += rest % 3 * power3(to[i]);
            if (first + image < oth_shape_canon[first + e]) oth_shape_canon[first + e] = first + image;
        }
    }
}

static void init(void)
{
    int place = 0, first = 0;
    for (int k = 0; k < OTH_KINDS; k++) {
        uint64_t seen[OTH_SYMS];
        int n_seen = 0;
        for (int sym = 0; sym < OTH_SYMS; sym++) {
            uint64_t set = image_set(&kinds[k], sym);
            bool again = false;
            for (int i = 0; i < n_seen; i++) again |= seen[i] == set;
            if (again) continue;
            seen[n_seen++] = set;
            for (int i = 0, p = 1; i < kinds[k].length; i++, p *= 3)
                oth_shape_step[oth_sym_square(sym, kinds[k].sq[i])][place] = (int16_t)p;
            oth_shape_zero[place++] = first + (power3(kinds[k].length) - 1) / 2;
        }
        init_canon(&kinds[k], first);
        first += power3(kinds[k].length);
    }
    assert(place == OTH_PLACES && first == OTH_STAGE_SIZE);
}

void oth_eval_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init);
}

// Without weights: a move more is worth about a disc and a half, a corner about eight; at the end only discs count.
static int plain_eval(oth_board b)
{
    const uint64_t corners = 0x8100000000000081u, xs = 0x0042000000004200u;
    uint64_t mine = oth_moves(b), theirs = oth_moves(oth_pass(b)), empty = oth_empty(b);
    if (mine == 0 && theirs == 0) return oth_score(b) * OTH_EVAL_UNIT;
    int v =
        192 * (oth_count(mine) - oth_count(theirs)) + 1024 * (oth_count(b.own & corners) - oth_count(b.opp & corners));
    if ((empty & corners) != 0) v -= 384 * (oth_count(b.own & xs) - oth_count(b.opp & xs));
    int left = oth_count(empty);
    if (left < 12) v = (v * left + (12 - left) * OTH_EVAL_UNIT * (oth_count(b.own) - oth_count(b.opp))) / 12;
    return v;
}

int oth_eval(const oth_weights *w, oth_board b)
{
    if (w == NULL) return plain_eval(b);
    oth_eval_init();
    oth_shape s = oth_shape_of(b);
    return oth_eval_shape(w, &s, OTH_SQUARES - oth_count(oth_empty(b)));
}

// --- the file

static const char magic[8] = {'K', 'O', 'T', 'H', 'P', 'A', 'T', '1'};

static uint64_t checksum(const oth_weights *w)
{
    uint64_t h = 0x6b6f7468;
    for (int i = 0; i <= OTH_SQUARES; i++) h = (h ^ (uint16_t)w->bias[i]) * 0x9e3779b97f4a7c15u;
    for (int s = 0; s < OTH_STAGES; s++)
        for (int i = 0; i < OTH_STAGE_SIZE; i++) h = ((h ^ (uint16_t)w->table[s][i]) * 0x9e3779b97f4a7c15u) ^ h >> 29;
    return h;
}

static void put_varint(text_buf *out, uint32_t v)
{
    for (; v >= 128; v >>= 7) text_char(out, (char)((v & 127) | 128));
    text_char(out, (char)v);
}

static void put_run(text_buf *out, uint32_t *zeros)
{
    if (*zeros == 0) return;
    put_varint(out, 0);
    put_varint(out, *zeros);
    *zeros = 0;
}

// A difference of two int16, zigzag; runs of zeros as 0 and their length.
static void put_difference(text_buf *out, int d, uint32_t *zeros)
{
    if (d == 0) {
        ++*zeros;
        return;
    }
    put_run(out, zeros);
    put_varint(out, d < 0 ? (uint32_t)(-2 * d - 1) : (uint32_t)(2 * d));
}

err oth_weights_write(const oth_weights *w, text_buf *out)
{
    oth_eval_init();
    uint64_t sum = checksum(w);
    uint32_t zeros = 0;
    text_append_n(out, magic, sizeof magic);
    for (int i = 0; i < 8; i++) text_char(out, (char)(sum >> (8 * i) & 255));
    for (int i = 0; i <= OTH_SQUARES; i++) put_difference(out, w->bias[i], &zeros);
    for (int s = 0; s < OTH_STAGES; s++)
        for (int i = 0; i < OTH_STAGE_SIZE; i++) {
            assert(w->table[s][i] == w->table[s][oth_shape_canon[i]]);
            if (oth_shape_canon[i] == i) put_difference(out, w->table[s][i] - (s > 0 ? w->table[s - 1][i] : 0), &zeros);
        }
    put_run(out, &zeros);
    return text_check(out);
}

typedef struct reader {
    const uint8_t *data;
    size_t at, size;
    uint32_t zeros;
} reader;

static err get_varint(reader *r, uint32_t *out)
{
    uint32_t v = 0;
    for (int shift = 0; shift < 28; shift += 7) {
        if (r->at == r->size) return err_set(ERR_PARSE, "pattern weights end too soon, at byte %zu", r->at);
        uint8_t byte = r->data[r->at++];
        v |= (uint32_t)(byte & 127) << shift;
        if (byte < 128) {
            *out = v;
            return ERR_OK;
        }
    }
    return err_set(ERR_PARSE, "pattern weights: a number too long at byte %zu", r->at);
}

static err get_weight(reader *r, int before, int16_t *out)
{
    uint32_t v = 0;
    if (r->zeros == 0) {
        err e = get_varint(r, &v);
        if (e == ERR_OK && v == 0) {
            e = get_varint(r, &r->zeros);
            if (e == ERR_OK && r->zeros == 0)
                e = err_set(ERR_PARSE, "pattern weights: an empty run at byte %zu", r->at);
        }
        if (e != ERR_OK) return e;
    }
    if (v == 0) r->zeros--;
    int w = before + (v & 1 ? -(int)(v / 2) - 1 : (int)(v / 2));
    if (w < INT16_MIN || w > INT16_MAX)
        return err_set(ERR_PARSE, "pattern weights: too large a weight before byte %zu", r->at);
    *out = (int16_t)w;
    return ERR_OK;
}

static err read_all(oth_weights *w, reader *r)
{
    uint64_t sum = 0;
    for (int i = 0; i < 8; i++) sum |= (uint64_t)r->data[8 + i] << (8 * i);
    err e = ERR_OK;
    for (int i = 0; e == ERR_OK && i <= OTH_SQUARES; i++) e = get_weight(r, 0, &w->bias[i]);
    for (int s = 0; s < OTH_STAGES; s++)
        for (int i = 0; e == ERR_OK && i < OTH_STAGE_SIZE; i++) {
            int from = oth_shape_canon[i]; // never above i, so already read
            if (from == i)
                e = get_weight(r, s > 0 ? w->table[s - 1][i] : 0, &w->table[s][i]);
            else
                w->table[s][i] = w->table[s][from];
        }
    if (e != ERR_OK) return e;
    if (r->at != r->size || r->zeros != 0)
        return err_set(ERR_PARSE, "pattern weights: %zu bytes too many", r->size - r->at);
    if (checksum(w) != sum)
        return err_set(ERR_PARSE, "pattern weights: the checksum does not fit; the file is damaged");
    return ERR_OK;
}

err oth_weights_read(oth_weights **out, const void *data, size_t size)
{
    oth_eval_init();
    if (size < 16 || memcmp(data, magic, sizeof magic) != 0)
        return err_set(ERR_PARSE, "not a file of Othello pattern weights");
    oth_weights *w = calloc(1, sizeof *w);
    if (w == NULL) return err_set(ERR_MEMORY, "no memory for pattern weights");
    reader r = {data, 16, size, 0};
    err e = read_all(w, &r);
    if (e == ERR_OK)
        *out = w;
    else
        free(w);
    return e;
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
