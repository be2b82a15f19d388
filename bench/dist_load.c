// Many light workers at once: connections that publish recorded games to a learner, as fast as they can or at a given rate.
//
//   dist_load URL RUN CLIENTS THREADS SECONDS [RATE]
//
// Each client has a connection, a name and an incarnation of its own, and publishes synchronously and in order, as a worker
// does; RATE is games per second of one client, 0 or nothing = no pause. The games are random ones of the run's game, made
// once. Prints how long the connection storm took, games and positions per second, and how long a publication took.
#include "base/clock.h"
#include "base/crc32c.h"
#include "dist/bus.h"
#include "dist/entry.h"
#include "learn/zero/az_config.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAMES = 64, LATENCIES = 1 << 16 };

typedef struct client {
    bus *b;
    char name[DIST_NAME], subject[DIST_SUBJECT];
    uint64_t incarnation, counter;
    double next;
} client;

typedef struct load {
    bus_options nats;
    run_entry entry;
    text_buf game[GAMES];
    uint64_t positions[GAMES];
    client *c;
    int n, threads;
    double rate, until;
    _Atomic int joined;
    _Atomic uint64_t games, sent_positions, bytes, failures, n_latency;
    float latency[LATENCIES]; // ms
} load;

static void die(const char *what)
{
    fprintf(stderr, "dist_load: %s: %s\n", what, err_text());
    exit(2);
}

// Random games of the run's game, with even targets.
static void record_games(load *l)
{
    const game *g;
    const encoding *enc;
    samples_shape sh;
    dist_codec *codec;
    az_config c;
    opt_values *keep = opt_keep();
    memset(&c, 0, sizeof c);
    if (game_find(l->entry.game, &g) != ERR_OK || opt_defaults(az_opts, az_n_opts, &c) != ERR_OK ||
        opt_config_text(az_opts, az_n_opts, &c, "run", l->entry.config, strlen(l->entry.config), keep) != ERR_OK ||
        game_encoding(g, c.encoding, &enc) != ERR_OK || samples_shape_make(&sh, g, enc) != ERR_OK ||
        dist_codec_new(&codec) != ERR_OK)
        die("the run's game");
    char *state = calloc(1, g->state_size);
    move_t *moves = calloc((size_t)g->max_legal, sizeof *moves);
    float *p = calloc((size_t)g->max_legal, sizeof *p);
    for (uint64_t k = 0; k < GAMES; k++) {
        finished_game f = {.id = k, .halves = 1};
        rng r = rng_at(7, k, 0);
        if (g->init(state, "", (game_key){7, k}) != ERR_OK) die("a game");
        for (int n; !g->result(state).over && (n = g->legal(state, moves)) > 0 && f.plies < 200; f.plies++) {
            for (int i = 0; i < n; i++) p[i] = 1.0f / (float)n;
            if (samples_add(&f.s, &sh, state, g->seat(state), moves, p, n, 0, 0) != ERR_OK) die("a game");
            g->play(state, moves[rng_below(&r, (uint32_t)n)], NULL);
        }
        f.sims = 16 * f.s.n;
        dist_head h = {.run = l->entry.number, .incarnation = 1, .counter = 1, .generation = UINT32_MAX, .worker = "x"};
        if (dist_game_write(codec, &h, &f, &sh, &l->game[k]) != ERR_OK) die("a game");
        l->positions[k] = f.s.n;
        finished_game_free(&f);
    }
    free(state);
    free(moves);
    free(p);
    dist_codec_free(codec);
    samples_shape_free(&sh);
    opt_free(keep);
}

static bool patient(void *ctx, const char *why, double seconds)
{
    load *l = ctx;
    (void)why, (void)seconds;
    atomic_fetch_add(&l->failures, 1);
    return clock_seconds() < l->until + 30;
}

// The recorded message with this client's name on it; offsets as in dist/message.h.
static void publish(load *l, client *c, char *copy)
{
    char id[DIST_ID];
    size_t k = (size_t)(c->counter % GAMES), size = l->game[k].len;
    dist_head h = {.incarnation = c->incarnation, .counter = c->counter + 1};
    memcpy(h.worker, c->name, sizeof h.worker);
    memcpy(copy, l->game[k].data, size);
    memcpy(copy + 24, &h.incarnation, 8);
    memcpy(copy + 32, &h.counter, 8);
    memcpy(copy + 56, h.worker, DIST_NAME);
    uint32_t crc = crc32c(0, copy + 12, size - 12);
    memcpy(copy + 8, &crc, 4);
    double begun = clock_seconds();
    if (bus_put(c->b, c->subject, dist_game_id(&h, id), copy, size, &(bus_patience){patient, l}) != ERR_OK) return;
    l->latency[atomic_fetch_add(&l->n_latency, 1) % LATENCIES] = (float)(1000 * (clock_seconds() - begun));
    c->counter++;
    atomic_fetch_add(&l->games, 1);
    atomic_fetch_add(&l->sent_positions, l->positions[k]);
    atomic_fetch_add(&l->bytes, size);
}

typedef struct part {
    load *l;
    int number;
} part;

static void *connect_some(void *ctx)
{
    const part *p = ctx;
    load *l = p->l;
    for (int i = p->number; i < l->n; i += l->threads) {
        client *c = &l->c[i];
        snprintf(c->name, sizeof c->name, "load-%d", i);
        dist_games_subject(c->subject, l->entry.run, c->name);
        if (dist_draw(&c->incarnation) != ERR_OK ||
            bus_open(&c->b, &l->nats, c->name, &(bus_patience){patient, l}) != ERR_OK)
            die("connect");
        atomic_fetch_add(&l->joined, 1);
    }
    return NULL;
}

static void *play_some(void *ctx)
{
    const part *p = ctx;
    load *l = p->l;
    char *copy = malloc(1 << 20);
    while (clock_seconds() < l->until) {
        double wait = 1;
        for (int i = p->number; i < l->n && clock_seconds() < l->until; i += l->threads) {
            client *c = &l->c[i];
            double left = c->next - clock_seconds();
            if (left > 0) {
                if (left < wait) wait = left;
                continue;
            }
            wait = 0;
            c->next = (c->next > 0 ? c->next : clock_seconds()) + (l->rate > 0 ? 1 / l->rate : 0);
            publish(l, c, copy);
        }
        if (wait > 0) clock_sleep(wait < 0.05 ? wait : 0.05);
    }
    free(copy);
    return NULL;
}

static void all(load *l, void *(*fn)(void *))
{
    pthread_t *t = calloc((size_t)l->threads, sizeof *t);
    part *p = calloc((size_t)l->threads, sizeof *p);
    for (int i = 0; i < l->threads; i++) {
        p[i] = (part){l, i};
        if (pthread_create(&t[i], NULL, fn, &p[i]) != 0) die("a thread");
    }
    for (int i = 0; i < l->threads; i++) pthread_join(t[i], NULL);
    free(t);
    free(p);
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static load l;
    bool found = false;
    bus *b;
    if (argc < 6) {
        fprintf(stderr, "dist_load URL RUN CLIENTS THREADS SECONDS [RATE]\n");
        return 2;
    }
    l.nats.url = argv[1];
    l.n = atoi(argv[3]);
    l.threads = atoi(argv[4]);
    l.rate = argc > 6 ? atof(argv[6]) : 0;
    l.until = clock_seconds() + 600;
    if (bus_open(&b, &l.nats, "load", NULL) != ERR_OK || run_entry_get(&l.entry, b, argv[2], &found) != ERR_OK)
        die("connect");
    if (!found) {
        fprintf(stderr, "dist_load: there is no run %s\n", argv[2]);
        return 2;
    }
    record_games(&l);
    l.c = calloc((size_t)l.n, sizeof *l.c);
    double begun = clock_seconds();
    all(&l, connect_some);
    printf("%d connections in %.2f s\n", l.n, clock_seconds() - begun);
    fflush(stdout);
    if (l.rate > 0) // not all in one moment
        for (int i = 0; i < l.n; i++) l.c[i].next = clock_seconds() + (double)i / l.n / l.rate;
    begun = clock_seconds();
    l.until = begun + atof(argv[5]);
    double cpu = clock_cpu_seconds();
    all(&l, play_some);
    double seconds = clock_seconds() - begun;
    size_t n = l.n_latency < LATENCIES ? (size_t)l.n_latency : LATENCIES;
    qsort(l.latency, n, sizeof *l.latency, by_size);
    printf("%" PRIu64 " games, %.0f per second; %.0f positions per second; %.1f MB/s, %.0f bytes per game; %" PRIu64
           " attempts failed; %.0f us of CPU time per game here\n",
           l.games, (double)l.games / seconds, (double)l.sent_positions / seconds, (double)l.bytes / seconds / 1e6,
           l.games > 0 ? (double)l.bytes / (double)l.games : 0.0, l.failures,
           l.games > 0 ? 1e6 * (clock_cpu_seconds() - cpu) / (double)l.games : 0.0);
    if (n > 0)
        printf("publication: median %.2f ms, 99 %% %.2f ms, longest %.2f ms\n", (double)l.latency[n / 2],
               (double)l.latency[n * 99 / 100], (double)l.latency[n - 1]);
    for (int i = 0; i < l.n; i++) bus_close(l.c[i].b);
    bus_close(b);
    return 0;
}
