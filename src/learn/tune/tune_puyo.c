// See tune_puyo.h.
#include "learn/tune/tune_puyo.h"

#include "base/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const tune_puyo_names[TUNE_PUYO_WEIGHTS] = {
#define W(name, preset, help) #name,
    PUYO_WEIGHTS(W)
#undef W
};

puyo_weights tune_puyo_weights(const double weight[TUNE_PUYO_WEIGHTS])
{
    puyo_weights w;
    int i = 0;
#define W(name, preset, help) w.name = (int)lround(weight[i++]);
    PUYO_WEIGHTS(W)
#undef W
    return w;
}

// --- playing

typedef struct play {
    const tune_puyo *t;
    puyo_beam **beams;        // [threads]
    uint32_t first;           // arcade seed of game 0
    int games;                // a side
    double *best;             // [2 * games]
    const puyo_weights *side; // [2]
} play;

static double build(puyo_beam *b, const tune_puyo *t, uint16_t seed)
{
    uint8_t ring[PY_RING], window[PUYO_BEAM_DEPTH_MAX];
    py_field f = {0};
    int most = 0;
    py_arcade(seed, t->search.colours, ring);
    for (int i = 0; i < t->moves && !stop_requested(); i++) {
        puyo_beam_result r;
        for (int k = 0; k < 2 || k < t->visible; k++) window[k] = ring[(i + k) % PY_RING];
        int now = puyo_best_available(&f, window, 2, true, PY_LOSE_TSU, NULL);
        if (now > most) most = now;
        rng draw = rng_at(t->seed, seed, (uint32_t)i);
        puyo_beam_search(b, &f, window, t->visible, t->moves - i, &draw, &r);
        if (r.move < 0) break;
        py_place(&f, r.move, window[0]);
        py_chain(&f);
        if (py_buried(&f, PY_LOSE_TSU)) break;
    }
    return most;
}

static void play_one(void *ctx, int task, int worker)
{
    play *p = ctx;
    int side = task % 2;
    puyo_beam *b = p->beams[worker];
    if (stop_requested()) return;
    puyo_beam_weigh(b, &p->side[side]);
    p->best[task] = build(b, p->t, (uint16_t)(p->first + (uint32_t)(task / 2)));
}

// Plays `games` games with each of two sets of weights and returns the two means.
static err play_sides(const tune_puyo *t, const puyo_weights side[2], uint32_t first, int games, pool *p,
                      double mean[2])
{
    int threads = pool_threads(p);
    err e = ERR_OK;
    play w = {t,     calloc((size_t)threads, sizeof(puyo_beam *)), first,
              games, calloc((size_t)games * 2, sizeof(double)),    side};
    if (w.beams == NULL || w.best == NULL) e = err_set(ERR_MEMORY, "no memory to tune with");
    for (int i = 0; e == ERR_OK && i < threads; i++)
        if ((w.beams[i] = puyo_beam_new(&t->search, NULL)) == NULL) e = err_set(ERR_MEMORY, "no memory for a beam");
    if (e == ERR_OK) {
        pool_run(p, 2 * games, play_one, &w);
        mean[0] = mean[1] = 0;
        for (int i = 0; i < 2 * games; i++) mean[i % 2] += w.best[i] / games;
        if (stop_requested()) e = err_set(ERR_STOPPED, "stopped");
    }
    for (int i = 0; w.beams != NULL && i < threads; i++) puyo_beam_free(w.beams[i]);
    free(w.beams);
    free(w.best);
    return e;
}

double tune_puyo_measure(const tune_puyo *t, const puyo_weights *w, uint32_t first, int n, pool *p)
{
    puyo_weights both[2] = {*w, *w};
    double mean[2];
    return play_sides(t, both, first, n, p, mean) == ERR_OK ? mean[0] : -1;
}

// --- rounds

// The two means differ by chance by about this times 1/sqrt(games): a game's best chain has a deviation near 20,000.
#define GAME_NOISE 28000.0

static double size_of(double weight)
{
    return fmax(fabs(weight), 20);
}

static err one_round(const tune_puyo *t, int round, pool *p, tune_puyo_round *r)
{
    rng draw = rng_at(t->seed, 0x74756e65, (uint32_t)round);
    double sign[TUNE_PUYO_WEIGHTS], moved[2][TUNE_PUYO_WEIGHTS], mean[2] = {0, 0};
    puyo_weights side[2];
    for (int i = 0; i < TUNE_PUYO_WEIGHTS; i++) {
        sign[i] = i == 0 ? 0 : rng_below(&draw, 2) ? 1 : -1;
        double by = t->spread * size_of(r->weight[i]) * sign[i];
        moved[0][i] = r->weight[i] + by;
        moved[1][i] = r->weight[i] - by;
    }
    for (int k = 0; k < 2; k++) side[k] = tune_puyo_weights(moved[k]);
    uint32_t first = rng_below(&draw, 65536 - (uint32_t)t->games);
    err e = play_sides(t, side, first, t->games, p, mean);
    if (e != ERR_OK) return e;
    double clear = (mean[0] - mean[1]) / (GAME_NOISE / sqrt(t->games));
    clear = fmax(-2, fmin(2, clear));
    for (int i = 0; i < TUNE_PUYO_WEIGHTS; i++) r->weight[i] += t->rate * clear * sign[i] * size_of(r->weight[i]);
    r->round = round;
    r->plus = mean[0];
    r->minus = mean[1];
    return ERR_OK;
}

err tune_puyo_run(const tune_puyo *t, const double from[TUNE_PUYO_WEIGHTS], pool *p,
                  bool (*report)(void *ctx, const tune_puyo_round *r), void *ctx)
{
    int n = t->rounds - t->first;
    if (n < 1) return err_set(ERR_USAGE, "no rounds to play");
    double(*path)[TUNE_PUYO_WEIGHTS] = calloc((size_t)n, sizeof *path);
    if (path == NULL) return err_set(ERR_MEMORY, "no memory for %d rounds", n);
    tune_puyo_round r = {0};
    memcpy(r.weight, from, sizeof r.weight);
    err e = ERR_OK;
    for (int i = 0; i < n && e == ERR_OK; i++) {
        if ((e = one_round(t, t->first + i, p, &r)) != ERR_OK) break;
        memcpy(path[i], r.weight, sizeof r.weight);
        int half = (i + 1) / 2;
        for (int k = 0; k < TUNE_PUYO_WEIGHTS; k++) {
            r.average[k] = 0;
            for (int j = half; j <= i; j++) r.average[k] += path[j][k] / (i + 1 - half);
        }
        if (!report(ctx, &r)) break;
    }
    free(path);
    return e;
}
