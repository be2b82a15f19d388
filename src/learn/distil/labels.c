// See labels.h.
#include "learn/distil/labels.h"

#include "base/crc32c.h"
#include "base/file.h"
#include "base/log.h"
#include "eval/eval.h"
#include "games/puyo/puyo_solo.h"
#include "learn/pack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC       "KEIKOLB1"
#define BLOCK_MAGIC 0x4b4c4c42u
#define MAX_FILE    ((size_t)1 << 33)
#define MAX_BLOCK   ((size_t)1 << 27)
enum { ZSTD_LEVEL = 9, MAX_HEAD = 4096, LABELLED = 0x80 };

typedef struct block_head { // little endian, as every machine that we run on
    uint32_t magic, packing;
    uint32_t first, games, positions; // first: number of its first game
    uint32_t raw, stored;             // bytes
    uint32_t sum;                     // of the bytes above and of what follows
} block_head;

static uint32_t block_sum(const block_head *h, const void *stored)
{
    return crc32c(crc32c(0, h, offsetof(block_head, sum)), stored, h->stored);
}

// --- the head

static err head_text(const label_head *h, text_buf *out)
{
    text_printf(out, "game = %s\noptions = %s\nseed = %" PRIu64 "\n%s", h->game, h->options, h->seed, h->how);
    return text_check(out);
}

err labels_head_bytes(const label_head *h, text_buf *out)
{
    text_buf text = {0};
    err e = head_text(h, &text);
    if (e == ERR_OK && text.len > MAX_HEAD) e = err_set(ERR_LIMIT, "the settings take %zu bytes", text.len);
    if (e == ERR_OK) {
        uint32_t size[2] = {(uint32_t)text.len, crc32c(0, text_str(&text), text.len)};
        text_append_n(out, MAGIC, 8);
        text_append_n(out, (const char *)size, sizeof size);
        text_append_n(out, text_str(&text), text.len);
        e = text_check(out);
    }
    text_free(&text);
    return e;
}

static err head_parse(const char *data, size_t size, label_head *h, size_t *used)
{
    uint32_t n[2];
    char text[MAX_HEAD + 1], number[32];
    if (size < 16 || memcmp(data, MAGIC, 8) != 0) return err_set(ERR_PARSE, "this is no file of labelled games");
    memcpy(n, data + 8, sizeof n);
    if (n[0] > MAX_HEAD || n[0] > size - 16) return err_set(ERR_PARSE, "the file is cut short");
    memcpy(text, data + 16, n[0]);
    text[n[0]] = 0;
    if (crc32c(0, text, n[0]) != n[1]) return err_set(ERR_PARSE, "its checksum is wrong: the file is damaged");
    memset(h, 0, sizeof *h);
    if (!eval_note(text, "game", h->game, sizeof h->game) || !eval_note(text, "seed", number, sizeof number))
        return err_set(ERR_PARSE, "its settings name no game");
    (void)eval_note(text, "options", h->options, sizeof h->options); // may be empty
    h->seed = strtoull(number, NULL, 10);
    const char *how = strstr(text, "\nseed = ");
    how = how == NULL ? NULL : strchr(how + 1, '\n');
    if (how != NULL) snprintf(h->how, sizeof h->how, "%s", how + 1);
    *used = 16 + n[0];
    return ERR_OK;
}

// --- blocks

void label_block_add(label_block *b, const label_turn *turns, int n)
{
    uint16_t count = (uint16_t)n;
    text_append_n(&b->raw, (const char *)&count, sizeof count);
    for (int i = 0; i < n; i++) {
        const label_turn *t = &turns[i];
        text_char(&b->raw, (char)(t->move | (t->n > 0 ? LABELLED : 0)));
        if (t->n == 0) continue;
        text_append_n(&b->raw, (const char *)&t->value, sizeof t->value);
        text_append_n(&b->raw, (const char *)t->shortfall, t->n);
        b->positions++;
    }
    b->games++;
}

err labels_block_bytes(const label_block *b, uint64_t first, text_buf *out)
{
    text_buf stored = {0};
    block_head h = {.magic = BLOCK_MAGIC, .first = (uint32_t)first, .games = b->games, .positions = b->positions};
    err e = text_check(&b->raw);
    if (e == ERR_OK && b->raw.len > MAX_BLOCK) e = err_set(ERR_LIMIT, "a block of %zu bytes", b->raw.len);
    if (e == ERR_OK) e = pack_bytes(&b->raw, ZSTD_LEVEL, &stored, &h.packing);
    if (e == ERR_OK) {
        h.raw = (uint32_t)b->raw.len;
        h.stored = (uint32_t)stored.len;
        h.sum = block_sum(&h, stored.data);
        text_append_n(out, (const char *)&h, sizeof h);
        text_append_n(out, stored.data, stored.len);
        e = text_check(out);
    }
    text_free(&stored);
    return e;
}

err labels_append(const char *path, const label_block *b, label_end *end)
{
    text_buf all = {0};
    if (b->games == 0) return ERR_OK;
    err e = labels_block_bytes(b, end->games, &all);
    if (e == ERR_OK) e = file_append(path, all.data, all.len);
    if (e == ERR_OK) {
        end->games += b->games;
        end->positions += b->positions;
        end->size += all.len;
    }
    text_free(&all);
    return e;
}

// Is there a whole block at the start of these bytes that continues after `games`?
static bool block_whole(const char *data, size_t size, uint64_t games, block_head *h)
{
    if (size < sizeof *h) return false;
    memcpy(h, data, sizeof *h);
    return h->magic == BLOCK_MAGIC && h->packing <= PACK_ZSTD && h->stored <= size - sizeof *h && h->raw <= MAX_BLOCK &&
           h->stored <= MAX_BLOCK && h->first == games && h->games > 0 && h->games <= h->raw &&
           h->positions <= h->raw && block_sum(h, data + sizeof *h) == h->sum;
}

err labels_open(const char *path, const label_head *h, label_end *end)
{
    text_buf want = {0};
    char *data = NULL;
    size_t size = 0;
    block_head b;
    *end = (label_end){0};
    err e = labels_head_bytes(h, &want);
    if (e == ERR_OK && file_exists(path)) e = file_read(path, MAX_FILE, &data, &size);
    if (e == ERR_OK && size > 0 && memcmp(data, want.data, size < want.len ? size : want.len) != 0)
        e = err_set(ERR_USAGE, "%s was made with other settings: use the same ones to continue it, or another file",
                    path);
    if (e == ERR_OK && size < want.len) { // new, or interrupted while it was made
        if (size > 0) e = file_cut(path, 0);
        if (e == ERR_OK) e = file_append(path, want.data, want.len);
        size = want.len;
    }
    end->size = want.len;
    while (e == ERR_OK && end->size < size && block_whole(data + end->size, size - end->size, end->games, &b)) {
        end->games += b.games;
        end->positions += b.positions;
        end->size += sizeof b + b.stored;
    }
    if (e == ERR_OK && end->size < size) {
        log_warn("%s: its last %zu bytes are no whole games and are made again", path, size - end->size);
        e = file_cut(path, end->size);
    }
    free(data);
    text_free(&want);
    return e;
}

// --- reading

static label_sample *room_for(label_set *s)
{
    if (s->n == s->room) {
        size_t room = s->room == 0 ? 4096 : s->room + s->room / 2;
        label_sample *more = realloc(s->sample, room * sizeof *more);
        if (more == NULL) return NULL;
        s->sample = more;
        s->room = room;
    }
    return &s->sample[s->n];
}

typedef struct reader {
    const label_head *head;
    const game *g;
    label_set *s;
    const uint8_t *at, *end;
} reader;

static bool take(reader *r, void *to, size_t n)
{
    if ((size_t)(r->end - r->at) < n) return false;
    memcpy(to, r->at, n);
    r->at += n;
    return true;
}

static const char *const broken = "a game of it cannot be played";

// The labels of the position at hand, which has `legal` placements.
static err read_label(reader *r, const void *state, int legal, uint64_t number)
{
    union {
        py_match match;
        py_solo solo;
    } obs;
    int seat = r->g->seat(state);
    label_sample *x = room_for(r->s);
    if (x == NULL) return err_set(ERR_MEMORY, "no memory for %zu positions", r->s->n + 1);
    memset(x, 0, sizeof *x);
    if (legal > PY_MAX_LEGAL || !take(r, &x->value, sizeof x->value) || !take(r, x->shortfall, (size_t)legal))
        return err_set(ERR_PARSE, "%s", broken);
    r->g->observe(state, seat, &obs);
    after_position_of(r->g, &obs, seat, &x->at);
    x->game = (uint32_t)number;
    x->n = (uint8_t)legal;
    r->s->n++;
    return ERR_OK;
}

static err read_game(reader *r, uint64_t number)
{
    union {
        py_match match;
        py_solo solo;
    } state;
    uint16_t turns;
    move_t moves[PY_MOVES];
    if (!take(r, &turns, sizeof turns)) return err_set(ERR_PARSE, "%s", broken);
    err e = r->g->init(&state, r->head->options, (game_key){r->head->seed, number});
    for (int i = 0; i < turns && e == ERR_OK; i++) {
        uint8_t move;
        int legal = r->g->result(&state).over ? 0 : r->g->legal(&state, moves), k = 0;
        if (!take(r, &move, sizeof move)) return err_set(ERR_PARSE, "%s", broken);
        while (k < legal && moves[k] != (move & ~LABELLED)) k++;
        if (k == legal) return err_set(ERR_PARSE, "%s", broken);
        if (move & LABELLED) e = read_label(r, &state, legal, number);
        r->g->play(&state, moves[k], NULL);
    }
    return e;
}

static err read_block(reader *r, const block_head *h, const char *stored)
{
    const char *raw;
    char *owned;
    size_t before = r->s->n;
    err e = unpack_bytes(h->packing, stored, h->stored, h->raw, &raw, &owned);
    if (e == ERR_OK) r->at = (const uint8_t *)raw, r->end = r->at + h->raw;
    for (uint32_t i = 0; e == ERR_OK && i < h->games; i++) e = read_game(r, (uint64_t)h->first + i);
    if (e == ERR_OK && (r->at != r->end || r->s->n - before != h->positions))
        e = err_set(ERR_PARSE, "its lengths contradict each other");
    if (e != ERR_OK) r->s->n = before;
    free(owned);
    return e;
}

err labels_parse(label_set *s, const void *data, size_t size, size_t most, label_head *head, size_t *used)
{
    label_head own;
    block_head b;
    size_t at = 0;
    uint64_t games = 0;
    reader r = {.head = &own, .s = s};
    err e = head_parse(data, size, &own, &at);
    if (e == ERR_OK && strcmp(own.game, "puyo") != 0 && strcmp(own.game, "puyo-solo") != 0)
        e = err_set(ERR_PARSE, "it holds games of '%s', not of puyo or puyo-solo", own.game);
    if (e == ERR_OK) e = game_find(own.game, &r.g);
    while (e == ERR_OK && (most == 0 || s->n < most) && block_whole((const char *)data + at, size - at, games, &b)) {
        e = read_block(&r, &b, (const char *)data + at + sizeof b);
        games += b.games;
        at += sizeof b + b.stored;
    }
    if (e == ERR_OK && most > 0 && s->n > most) s->n = most;
    if (e == ERR_OK && head != NULL) *head = own;
    if (e == ERR_OK) *used = most > 0 && s->n >= most ? size : at;
    return e;
}

err labels_read(label_set *s, const char *path, size_t most, label_head *head)
{
    char *data = NULL;
    size_t size, used = 0;
    err e = file_read(path, MAX_FILE, &data, &size);
    if (e == ERR_OK) e = err_prefix(labels_parse(s, data, size, most, head, &used), "%s", path);
    if (e == ERR_OK && used < size)
        log_warn("%s: the last %zu bytes are cut off or damaged and were left out", path, size - used);
    free(data);
    return e;
}

void label_set_free(label_set *s)
{
    free(s->sample);
    *s = (label_set){0};
}
