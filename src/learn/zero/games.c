// See games.h.
#include "learn/zero/games.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

void finished_game_free(finished_game *g)
{
    samples_free(&g->s);
    *g = (finished_game){0};
}

// --- bytes

typedef struct head {
    char magic[8];
    uint64_t id, weights;
    uint32_t plies;
    uint8_t halves, resigned, unused[2];
} head;

static const char magic[8] = "keikoFG1";

err finished_game_write(const finished_game *g, const samples_shape *sh, text_buf *out)
{
    head h = {.id = g->id, .weights = g->weights, .plies = g->plies, .halves = g->halves, .resigned = g->resigned};
    memcpy(h.magic, magic, sizeof magic);
    text_append_n(out, (const char *)&h, sizeof h);
    return samples_write(&g->s, sh, out);
}

err finished_game_read(finished_game *g, const samples_shape *sh, const void *data, size_t size)
{
    head h;
    size_t used = 0;
    *g = (finished_game){0};
    if (size < sizeof h) return err_set(ERR_PARSE, "a finished game: cut off after %zu bytes", size);
    memcpy(&h, data, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) != 0) return err_set(ERR_PARSE, "this is no finished game");
    if (h.halves > 2 || h.resigned > 1) return err_set(ERR_PARSE, "a finished game: its result is damaged");
    err e = samples_read(&g->s, sh, (const char *)data + sizeof h, size - sizeof h, &used);
    if (e == ERR_OK && used != size - sizeof h)
        e = err_set(ERR_PARSE, "a finished game: %zu bytes follow its positions", size - sizeof h - used);
    if (e == ERR_OK && g->s.n > (size_t)h.plies + 1) // who resigns has searched, but not moved
        e = err_set(ERR_PARSE, "a finished game has more positions than moves");
    if (e != ERR_OK) {
        finished_game_free(g);
        return e;
    }
    g->id = h.id;
    g->weights = h.weights;
    g->plies = h.plies;
    g->halves = h.halves;
    g->resigned = h.resigned != 0;
    return ERR_OK;
}

err game_source_drain(const game_source *from, const samples_shape *sh, samples *to, uint64_t *games)
{
    err e = ERR_OK;
    bool got = true;
    *games = 0;
    while (e == ERR_OK && got) {
        finished_game g = {0};
        e = from->take(from->ctx, &g, &got);
        if (e != ERR_OK || !got) break;
        e = samples_append(to, sh, &g.s);
        finished_game_free(&g);
        ++*games;
    }
    return e;
}

// --- the queue

struct game_queue {
    pthread_mutex_t mutex;
    finished_game *ring; // [room]
    size_t room, first, n;
};

err game_queue_new(game_queue **out)
{
    game_queue *q = calloc(1, sizeof *q);
    if (q == NULL) return err_set(ERR_MEMORY, "no memory for finished games");
    pthread_mutex_init(&q->mutex, NULL);
    *out = q;
    return ERR_OK;
}

void game_queue_free(game_queue *q)
{
    if (q == NULL) return;
    for (size_t i = 0; i < q->n; i++) finished_game_free(&q->ring[(q->first + i) % q->room]);
    pthread_mutex_destroy(&q->mutex);
    free(q->ring);
    free(q);
}

static bool grow(game_queue *q)
{
    size_t room = q->room == 0 ? 64 : 2 * q->room;
    finished_game *ring = malloc(room * sizeof *ring);
    if (ring == NULL) return false;
    for (size_t i = 0; i < q->n; i++) ring[i] = q->ring[(q->first + i) % q->room];
    free(q->ring);
    q->ring = ring;
    q->room = room;
    q->first = 0;
    return true;
}

static err put(void *ctx, finished_game *g)
{
    game_queue *q = ctx;
    pthread_mutex_lock(&q->mutex);
    bool fits = q->n < q->room || grow(q);
    if (fits) q->ring[(q->first + q->n++) % q->room] = *g;
    pthread_mutex_unlock(&q->mutex);
    if (fits) *g = (finished_game){0};
    if (!fits) finished_game_free(g);
    return fits ? ERR_OK : err_set(ERR_MEMORY, "no memory for finished games");
}

static err take(void *ctx, finished_game *g, bool *got)
{
    game_queue *q = ctx;
    pthread_mutex_lock(&q->mutex);
    *got = q->n > 0;
    if (*got) {
        *g = q->ring[q->first];
        q->first = (q->first + 1) % q->room;
        q->n--;
    }
    pthread_mutex_unlock(&q->mutex);
    return ERR_OK;
}

game_sink game_queue_sink(game_queue *q)
{
    return (game_sink){put, q};
}

game_source game_queue_source(game_queue *q)
{
    return (game_source){take, q};
}
