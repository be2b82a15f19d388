// See samples.h.
#include "learn/zero/samples.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCK = 1 << 28 }; // samples or moves in one block of bytes: above, a length is a mistake

// --- the shape

// Random play until each seat was to move once.
static err find_seats(samples_shape *s)
{
    const game *g = s->g;
    char *state = malloc(g->state_size);
    move_t *moves = malloc((size_t)g->max_legal * sizeof *moves);
    int seen = 0;
    err e = state != NULL && moves != NULL ? ERR_OK : err_set(ERR_MEMORY, "no memory for samples");
    for (uint64_t k = 0; e == ERR_OK && seen != (1 << g->n_seats) - 1; k++) {
        rng r = rng_at(1, k, 0);
        e = g->init(state, "", (game_key){1, k});
        for (int n; e == ERR_OK && (n = g->legal(state, moves)) > 0;) {
            int seat = g->seat(state);
            if (!(seen >> seat & 1)) game_observe(g, state, seat, s->seat_obs[seat]);
            seen |= 1 << seat;
            g->play(state, moves[rng_below(&r, (uint32_t)n)], NULL);
        }
    }
    free(state);
    free(moves);
    return e;
}

err samples_shape_make(samples_shape *out, const game *g, const encoding *enc)
{
    samples_shape s = {.g = g, .enc = enc, .bits = (size_t)(enc->planes * game_plane_words(g))};
    s.seat_obs[0] = calloc(1, g->obs_size);
    s.seat_obs[1] = calloc(1, g->obs_size);
    err e =
        s.seat_obs[0] != NULL && s.seat_obs[1] != NULL ? find_seats(&s) : err_set(ERR_MEMORY, "no memory for samples");
    if (e != ERR_OK) {
        samples_shape_free(&s);
        return e;
    }
    *out = s;
    return ERR_OK;
}

void samples_shape_free(samples_shape *s)
{
    free(s->seat_obs[0]);
    free(s->seat_obs[1]);
    s->seat_obs[0] = s->seat_obs[1] = NULL;
}

err samples_shape_more(samples_shape *s, bool owners, bool reply)
{
    if (owners && (s->g->owners == NULL || game_plane_words(s->g) > GAME_MAX_WORDS))
        return err_set(ERR_USAGE,
                       "--ownership learns who owns each square in the end, and in %s nobody does: leave it out",
                       s->g->name);
    s->owners = owners ? 2 * (size_t)game_plane_words(s->g) : 0;
    s->reply = reply;
    return ERR_OK;
}

void samples_heads(const samples_shape *sh, int seat, const move_t *moves, int n, uint16_t *index)
{
    sh->g->heads(sh->seat_obs[seat], moves, n, index);
}

// --- growing

typedef struct column { // one array of a list
    void **at;
    size_t each; // bytes an entry
} column;

enum { COLUMNS = 9, MOVE_COLUMNS = 2 };

static void columns_of(samples *s, const samples_shape *sh, column c[COLUMNS], column m[MOVE_COLUMNS])
{
    size_t scalars = (size_t)sh->enc->scalars;
    c[0] = (column){(void **)&s->bits, sh->bits * sizeof *s->bits};
    c[1] = (column){(void **)&s->scalars, scalars * sizeof *s->scalars};
    c[2] = (column){(void **)&s->value, sizeof *s->value};
    c[3] = (column){(void **)&s->margin, sizeof *s->margin};
    c[4] = (column){(void **)&s->step, sizeof *s->step};
    c[5] = (column){(void **)&s->start, sizeof *s->start};
    c[6] = (column){(void **)&s->seat, sizeof *s->seat};
    c[7] = (column){(void **)&s->owner, sh->owners * sizeof *s->owner};
    c[8] = (column){(void **)&s->reply, sh->reply ? sizeof *s->reply : 0};
    m[0] = (column){(void **)&s->move, sizeof *s->move};
    m[1] = (column){(void **)&s->prob, sizeof *s->prob};
}

static bool grow(column *c, int n, size_t *room, size_t want, size_t spare)
{
    if (want <= *room) return true;
    size_t now = *room == 0 ? 64 : *room;
    while (now < want) now += now / 2;
    for (int i = 0; i < n; i++) {
        void *p = realloc(*c[i].at, (now + spare) * c[i].each + 1);
        if (p == NULL) return false;
        *c[i].at = p;
    }
    *room = now;
    return true;
}

static err reserve(samples *s, const samples_shape *sh, size_t n, size_t moves)
{
    column c[COLUMNS], m[MOVE_COLUMNS];
    columns_of(s, sh, c, m);
    bool empty = s->start == NULL;
    if (!grow(c, COLUMNS, &s->room, s->n + n, 1) || !grow(m, MOVE_COLUMNS, &s->moves_room, s->moves + moves, 0))
        return err_set(ERR_MEMORY, "no memory for %zu positions to learn from", s->n + n);
    if (empty && s->start != NULL) s->start[0] = 0;
    return ERR_OK;
}

err samples_add(samples *s, const samples_shape *sh, const void *obs, int seat, const move_t *moves, const float *p,
                int n_moves, float value, uint32_t step)
{
    err e = reserve(s, sh, 1, (size_t)n_moves);
    if (e != ERR_OK) return e;
    size_t i = s->n, at = s->moves;
    sh->enc->encode(&obs, 1, s->bits + i * sh->bits, s->scalars + i * (size_t)sh->enc->scalars);
    for (int k = 0; k < n_moves; k++) {
        s->move[at + (size_t)k] = moves[k];
        s->prob[at + (size_t)k] = (uint16_t)(p[k] * 65535.0f + 0.5f);
    }
    s->value[i] = value;
    s->margin[i] = 0;
    memset(s->owner + i * sh->owners, 0xff, sh->owners * sizeof *s->owner);
    if (sh->reply) s->reply[i] = MOVE_NONE;
    s->step[i] = step;
    s->seat[i] = (uint8_t)seat;
    s->n++;
    s->moves += (size_t)n_moves;
    s->start[s->n] = (uint32_t)s->moves;
    return ERR_OK;
}

err samples_append_some(samples *s, const samples_shape *sh, const samples *from, size_t at, size_t n)
{
    if (n == 0) return ERR_OK;
    size_t first = from->start[at], moves = from->start[at + n] - first;
    err e = reserve(s, sh, n, moves);
    if (e != ERR_OK) return e;
    column to_c[COLUMNS], to_m[MOVE_COLUMNS], c[COLUMNS], m[MOVE_COLUMNS];
    samples source = *from; // columns_of wants something to point into
    columns_of(s, sh, to_c, to_m);
    columns_of(&source, sh, c, m);
    for (int i = 0; i < COLUMNS; i++)
        if (c[i].each > 0)
            memcpy((char *)*to_c[i].at + s->n * c[i].each, (char *)*c[i].at + at * c[i].each, n * c[i].each);
    for (int i = 0; i < MOVE_COLUMNS; i++)
        if (moves > 0)
            memcpy((char *)*to_m[i].at + s->moves * m[i].each, (char *)*m[i].at + first * m[i].each, moves * m[i].each);
    for (size_t i = 0; i <= n; i++) s->start[s->n + i] = (uint32_t)(s->moves + from->start[at + i] - first);
    s->n += n;
    s->moves += moves;
    return ERR_OK;
}

err samples_append(samples *s, const samples_shape *sh, const samples *from)
{
    return samples_append_some(s, sh, from, 0, from->n);
}

void samples_clear(samples *s)
{
    s->n = s->moves = 0;
    if (s->start != NULL) s->start[0] = 0;
}

void samples_free(samples *s)
{
    FREE_ALL(s->bits, s->scalars, s->value, s->margin, s->owner, s->reply, s->step, s->start, s->move, s->prob,
             s->seat);
    *s = (samples){0};
}

size_t samples_bytes(const samples *s, const samples_shape *sh)
{
    samples copy = *s;
    column c[COLUMNS], m[MOVE_COLUMNS];
    columns_of(&copy, sh, c, m);
    size_t each = 0;
    for (int i = 0; i < COLUMNS; i++) each += c[i].each;
    return s->n * each + s->moves * (m[0].each + m[1].each);
}

// --- bytes

typedef struct block_head {
    uint32_t n, moves;
    uint32_t bits; // with what is kept beyond the usual: see shape_word
    uint32_t scalars;
} block_head;

// Words a position, words of owners << 20, the reply << 31.
static uint32_t shape_word(const samples_shape *sh)
{
    return (uint32_t)sh->bits | (uint32_t)sh->owners << 20 | (uint32_t)sh->reply << 31;
}

err samples_write(const samples *s, const samples_shape *sh, text_buf *out)
{
    samples copy = *s;
    column c[COLUMNS], m[MOVE_COLUMNS];
    columns_of(&copy, sh, c, m);
    block_head h = {(uint32_t)s->n, (uint32_t)s->moves, shape_word(sh), (uint32_t)sh->enc->scalars};
    text_append_n(out, (const char *)&h, sizeof h);
    for (int i = 0; i < COLUMNS && s->n > 0; i++)
        if (c[i].each > 0) text_append_n(out, *c[i].at, s->n * c[i].each);
    for (int i = 0; i < MOVE_COLUMNS && s->moves > 0; i++) text_append_n(out, *m[i].at, s->moves * m[i].each);
    return text_check(out);
}

// Are the appended samples first … first+n-1 sound?
static err check(const samples *s, const samples_shape *sh, size_t first)
{
    for (size_t i = first; i < s->n; i++) {
        if (s->start[i] > s->start[i + 1] || s->start[i + 1] > s->moves)
            return err_set(ERR_PARSE, "sample %zu: its moves do not lie inside the block", i - first);
        if (s->seat[i] >= sh->g->n_seats)
            return err_set(ERR_PARSE, "sample %zu: there is no seat %d", i - first, s->seat[i]);
        if (!(s->value[i] >= -1 && s->value[i] <= 1) || !(s->margin[i] >= -1 && s->margin[i] <= 1))
            return err_set(ERR_PARSE, "sample %zu: a target is not between -1 and 1", i - first);
    }
    for (size_t k = s->start[first]; k < s->moves; k++)
        if (s->move[k] >= sh->g->n_moves) return err_set(ERR_PARSE, "a sample has a move that %s has not", sh->g->name);
    return ERR_OK;
}

err samples_read(samples *s, const samples_shape *sh, const void *data, size_t size, size_t *used)
{
    block_head h;
    if (size < sizeof h) return err_set(ERR_PARSE, "a block of samples is cut short");
    memcpy(&h, data, sizeof h);
    if ((h.bits ^ shape_word(sh)) >> 20 != 0)
        return err_set(ERR_PARSE, "samples with other targets (--ownership, --reply)");
    if (h.bits != shape_word(sh) || h.scalars != (uint32_t)sh->enc->scalars)
        return err_set(ERR_PARSE, "samples of another encoding: %u words and %u numbers a position, not %zu and %d",
                       h.bits & 0xfffff, h.scalars, sh->bits, sh->enc->scalars);
    if (h.n > MAX_BLOCK || h.moves > MAX_BLOCK) return err_set(ERR_PARSE, "a block of samples has an absurd length");
    size_t first = s->n, first_move = s->moves;
    column c[COLUMNS], m[MOVE_COLUMNS];
    columns_of(s, sh, c, m);
    size_t need = sizeof h;
    for (int i = 0; i < COLUMNS; i++) need += h.n * c[i].each;
    for (int i = 0; i < MOVE_COLUMNS; i++) need += h.moves * m[i].each;
    if (need > size) return err_set(ERR_PARSE, "a block of samples is cut short: %zu bytes of %zu", size, need);
    err e = reserve(s, sh, h.n, h.moves);
    if (e != ERR_OK) return e;
    const char *p = (const char *)data + sizeof h;
    for (int i = 0; i < COLUMNS; i++) {
        if (c[i].each > 0 && h.n > 0) memcpy((char *)*c[i].at + first * c[i].each, p, h.n * c[i].each);
        p += h.n * c[i].each;
    }
    for (int i = 0; i < MOVE_COLUMNS; i++) {
        if (h.moves > 0) memcpy((char *)*m[i].at + first_move * m[i].each, p, h.moves * m[i].each);
        p += h.moves * m[i].each;
    }
    s->n += h.n;
    s->moves += h.moves;
    for (size_t i = first; i < s->n; i++) s->start[i] += (uint32_t)first_move;
    if (s->start != NULL) s->start[s->n] = (uint32_t)s->moves;
    if (h.n > 0) e = check(s, sh, first);
    if (e != ERR_OK) { // as if nothing had been read
        s->n = first;
        s->moves = first_move;
        s->start[first] = (uint32_t)first_move;
        return e;
    }
    *used = need;
    return ERR_OK;
}
