// How fast a learner goes through a replay window: batches made on the host against batches gathered by the learner.
//
//   replay_speed GAME[:ENCODING] NET [seconds per line] [batch …]
//
// NET as `keiko train --net`. The window holds positions of random games. As in a run every step draws its positions, learns and
// waits for the losses. The host's batches are made with one thread and with one per core; the rows take turns, three rounds, and the
// best of each is printed, with the share of the time that went before the step.
#include "base/clock.h"
#include "base/cpu.h"
#include "learn/zero/az_config.h"
#include "learn/zero/replay_copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSITIONS = 200000, ROUNDS = 3 };

static void check(err e)
{
    if (e == ERR_OK) return;
    fprintf(stderr, "%s\n", err_text());
    exit(1);
}

static void play(samples *s, const samples_shape *sh)
{
    const game *g = sh->g;
    char *state = malloc(g->state_size);
    move_t *moves = malloc((size_t)g->max_legal * sizeof *moves);
    float *p = malloc((size_t)g->max_legal * sizeof *p);
    if (state == NULL || moves == NULL || p == NULL) check(err_set(ERR_MEMORY, "no memory"));
    for (uint64_t k = 0; s->n < POSITIONS; k++) {
        rng r = rng_at(1, k, 1);
        check(g->init(state, "", (game_key){1, k}));
        for (int n; (n = g->legal(state, moves)) > 0;) {
            for (int i = 0; i < n; i++) p[i] = 1.0f / (float)n;
            check(samples_add(s, sh, state, g->seat(state), moves, p, n, (float)(2 * rng_unit(&r) - 1), 0));
            g->play(state, moves[rng_below(&r, (uint32_t)n)], NULL);
        }
    }
    free(state), free(moves), free(p);
}

typedef struct way {
    const char *name;
    pool *threads; // host
    replay_copy *copy;
    nn_learner *learner;
    double best, before; // samples a second; share of the time before the step
} way;

static void measure(way *w, const nn_backend *b, const replay *r, replay_draw_options o, int n, double seconds)
{
    replay_batch batch = {0};
    nn_step_report report;
    double start = 0, drawing = 0;
    uint64_t steps = 0;
    o.threads = w->threads;
    for (uint64_t k = 0; k < 8 || clock_seconds() - start < seconds; k++) {
        if (k == 4) start = clock_seconds(), drawing = 0, steps = 0; // behind the first, unlike steps
        double t = clock_seconds();
        if (w->copy != NULL) {
            check(replay_pick(r, 1, k, n, true, &batch));
            drawing += clock_seconds() - t;
            check(b->window_step(w->learner, &(nn_picks){n, batch.pick, batch.sym}, 1e-3f, &report));
        } else {
            check(replay_draw(r, 1, k, n, &o, &batch));
            drawing += clock_seconds() - t;
            check(b->learner_step(w->learner, &batch.b, 1e-3f, &report));
        }
        steps++;
    }
    double t = clock_seconds() - start, speed = (double)steps * n / t;
    if (speed > w->best) w->best = speed, w->before = drawing / t;
    replay_batch_free(&batch);
}

static void compare(const nn_backend *b, const nn_net *net, const samples_shape *sh, const replay *r, int n,
                    double seconds)
{
    replay_draw_options o = {.net = &net->desc, .symmetries = true, .value_scale = 1, .margin_scale = 0.25f};
    way w[] = {{.name = "host, 1 thread"}, {.name = "host, a thread a core"}, {.name = "gpu"}};
    w[1].threads = pool_new(cpu_count());
    for (int i = 0; i < 3; i++)
        check(b->learner_new(&w[i].learner, net, &(nn_train_options){.max_batch = n, .ema = 0.999f}));
    check(replay_copy_new(&w[2].copy, b, w[2].learner, sh, POSITIONS + 1000, 0, &o));
    double t = clock_seconds();
    check(replay_copy_follow(w[2].copy, r));
    t = clock_seconds() - t;
    printf("%s %s batch %d: the window went to the GPU with %.0f positions/s (%.0f bytes each)\n", sh->g->name,
           sh->enc->name, n, (double)replay_total(r) / t, (double)replay_bytes(r) / (double)replay_total(r));
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < 3; i++) measure(&w[i], b, r, o, n, seconds / ROUNDS);
    for (int i = 0; i < 3; i++)
        printf("%s batch %d, %s: %.0f samples/s, %.3f ms per step, %.0f %% of it before the step\n", sh->g->name, n,
               w[i].name, w[i].best, 1e3 * n / w[i].best, 100 * w[i].before);
    fflush(stdout);
    replay_copy_free(w[2].copy);
    for (int i = 0; i < 3; i++) b->learner_free(w[i].learner);
    pool_free(w[1].threads);
}

int main(int argc, char **argv)
{
    const nn_backend *b;
    const game *g;
    const encoding *enc;
    nn_desc d;
    nn_net *net;
    samples_shape sh;
    samples made = {0};
    replay *r;
    static const int usual[] = {1024, 4096};
    if (argc < 3) {
        fprintf(stderr, "usage: replay_speed GAME[:ENCODING] NET [seconds per line] [batch …]\n");
        return 2;
    }
    double seconds = argc > 3 ? atof(argv[3]) : 3;
    az_config c = {.net = argv[2]};
    char *colon = strchr(argv[1], ':'); // GAME:ENCODING
    if (colon != NULL) *colon++ = 0;
    check(game_find(argv[1], &g));
    check(game_encoding(g, colon, &enc));
    check(az_net_desc(&c, g, enc, &d));
    check(nn_backend_find("cuda", &b));
    check(nn_net_new(&net, &d, 1));
    check(samples_shape_make(&sh, g, enc));
    check(replay_new(&r, &sh, &(replay_options){.least = POSITIONS, .most = POSITIONS + 1000, .share = 1}));
    play(&made, &sh);
    check(replay_add(r, &made));
    for (int i = 0; i < (argc > 4 ? argc - 4 : 2); i++) {
        int n = argc > 4 ? atoi(argv[4 + i]) : usual[i];
        if (n < 1 || n > 65536) check(err_set(ERR_USAGE, "batch %s", argv[4 + i]));
        compare(b, net, &sh, r, n, seconds);
    }
    replay_free(r);
    nn_net_free(net);
    samples_shape_free(&sh);
    return 0;
}
