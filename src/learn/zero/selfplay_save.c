// The games in flight as bytes, for checkpoints: each as its moves and the samples that it has collected. See selfplay.h.
#include "learn/zero/selfplay_inner.h"

#include <string.h>

enum {
    SAVE_VERSION = 1,
    MAX_GAME = 1 << 20, // plies of one game in a saved state
};

typedef struct saved {
    uint64_t game, begun;
    int64_t used;
    int32_t ply, opening, checks, gives_up, low[2];
} saved;

err selfplay_save(const selfplay *sp, text_buf *out)
{
    const uint32_t head[2] = {SAVE_VERSION, (uint32_t)sp->n};
    text_append_n(out, (const char *)head, sizeof head);
    err e = ERR_OK;
    for (int i = 0; i < sp->n && e == ERR_OK; i++) {
        const slot *p = &sp->at[i];
        saved s = {p->game, p->begun, p->used, p->ply, p->opening, p->checks, p->gives_up, {p->low[0], p->low[1]}};
        text_append_n(out, (const char *)&s, sizeof s);
        if (p->ply > 0) text_append_n(out, (const char *)p->move, (size_t)p->ply * sizeof *p->move);
        e = samples_write(&p->pending, sp->sh, out);
    }
    return e == ERR_OK ? text_check(out) : e;
}

typedef struct reader {
    const char *p, *end;
} reader;

static bool take(reader *r, void *to, size_t n)
{
    if ((size_t)(r->end - r->p) < n) return false;
    memcpy(to, r->p, n);
    r->p += n;
    return true;
}

// Plays the game again from its moves, each of which must be legal.
static err replay_game(selfplay *sp, int i, slot *p, const saved *s, reader *r)
{
    const game *g = sp->g;
    move_t *legal = sp->moves + (size_t)i * (size_t)g->max_legal, m;
    err e = g->init(p->state, "", (game_key){sp->seed, p->game});
    p->ply = 0;
    p->settled = 0;
    for (int k = 0; e == ERR_OK && k < s->ply; k++) {
        if (!take(r, &m, sizeof m)) return err_set(ERR_PARSE, "the games in flight are cut short");
        bool ok = false;
        for (int j = g->legal(p->state, legal) - 1; j >= 0 && !ok; j--) ok = legal[j] == m;
        if (!ok) return err_set(ERR_PARSE, "game %llu in flight has an illegal move", (unsigned long long)p->game);
        slot_play(sp, p, m);
    }
    return e == ERR_OK ? p->failed : e;
}

static err load_slot(selfplay *sp, int i, reader *r)
{
    slot *p = &sp->at[i];
    saved s;
    size_t used;
    if (!take(r, &s, sizeof s)) return err_set(ERR_PARSE, "the games in flight are cut short");
    if (s.ply < 0 || s.ply > MAX_GAME || s.opening < 0 || s.opening > s.ply || s.gives_up < -1 || s.gives_up > 1)
        return err_set(ERR_PARSE, "the games in flight contradict themselves");
    p->failed = ERR_OK;
    p->searching = false;
    p->game = s.game;
    p->begun = s.begun;
    p->used = s.used;
    p->checks = s.checks != 0;
    p->gives_up = s.gives_up;
    p->low[0] = s.low[0];
    p->low[1] = s.low[1];
    err e = replay_game(sp, i, p, &s, r);
    if (e != ERR_OK) return e;
    p->opening = s.opening;
    samples_clear(&p->pending);
    slot_drop_games(p);
    e = samples_read(&p->pending, sp->sh, r->p, (size_t)(r->end - r->p), &used);
    if (e == ERR_OK) r->p += used;
    return e;
}

err selfplay_load(selfplay *sp, const void *data, size_t size)
{
    reader r = {data, (const char *)data + size};
    uint32_t head[2];
    if (!take(&r, head, sizeof head)) return err_set(ERR_PARSE, "the games in flight are cut short");
    if (head[0] != SAVE_VERSION) return err_set(ERR_PARSE, "the games in flight are of another version");
    if (head[1] != (uint32_t)sp->n)
        return err_set(ERR_USAGE, "the run has %u games in flight, not %d (--in-flight)", head[1], sp->n);
    err e = ERR_OK;
    for (int i = 0; i < sp->n && e == ERR_OK; i++) e = load_slot(sp, i, &r);
    if (e == ERR_OK && r.p != r.end) e = err_set(ERR_PARSE, "there is something behind the games in flight");
    return e;
}
