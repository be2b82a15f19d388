// Self-play, fit and match for Contrast's evaluation; see tune_contrast.h.
#include "learn/tune/tune_contrast.h"

#include "base/clock.h"
#include "base/stop.h"
#include "search/contrast/contrast_ab.h"
#include "search/contrast/contrast_rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const game game_contrast;

enum { BATCH = 512, HASH = 1 << 20, MOST_PLIES = CTR_MAX_PLIES };

// --- games

// Random moves until `plies` are played and nobody can win at once: an opening that decides nothing by itself.
static ctr_state opening(uint64_t seed, uint64_t number, int most)
{
    for (uint32_t attempt = 0;; attempt++) {
        ctr_state s;
        rng r = rng_at(seed, number, attempt);
        int plies = most < 2 ? most : 2 + (int)rng_below(&r, (uint32_t)most - 1);
        game_contrast.init(&s, "", (game_key){seed, number});
        if (game_random_playout(&game_contrast, &s, &r, plies) < plies || s.reason != REASON_NONE) continue;
        if (!ctr_threat(&s.b, 0) && !ctr_threat(&s.b, 1)) return s;
    }
}

static move_t choose(ctr_ab *e, const ctr_state *s, int depth)
{
    ctr_line l;
    ctr_ab_limits limits = {.depth = depth};
    if (depth == 0) return ctr_rule_move(&s->b);
    ctr_ab_search(e, s, &limits, 1, &l);
    return l.moves[0];
}

typedef struct record {
    int n;
    float result; // of the first player
    ctr_board quiet[MOST_PLIES];
} record;

// One game; side[0] moves first. Returns the first player's result. `keep` may be NULL.
static float play(ctr_ab *engines[2], const int depth[2], ctr_state s, record *keep)
{
    for (int i = 0; i < 2; i++)
        if (engines[i] != NULL) ctr_ab_forget(engines[i]);
    if (keep != NULL) keep->n = 0;
    while (s.reason == REASON_NONE && !stop_requested()) {
        if (keep != NULL && !ctr_threat(&s.b, 0) && !ctr_threat(&s.b, 1)) keep->quiet[keep->n++] = s.b;
        ctr_state_play(&s, choose(engines[s.b.side], &s, depth[s.b.side]));
    }
    float result = game_contrast.result(&s).score[0];
    if (keep != NULL) keep->result = result;
    return result;
}

typedef struct crew {
    ctr_ab **engines; // [worker][2]
    int threads;
} crew;

static void crew_free(crew *c)
{
    for (int i = 0; c->engines != NULL && i < 2 * c->threads; i++) ctr_ab_free(c->engines[i]);
    free(c->engines);
    c->engines = NULL;
}

static err crew_new(crew *c, pool *p, const int16_t *first, const int16_t *second)
{
    c->threads = pool_threads(p);
    c->engines = calloc(2 * (size_t)c->threads, sizeof *c->engines);
    err e = c->engines == NULL ? err_set(ERR_MEMORY, "no memory for %d engines", 2 * c->threads) : ERR_OK;
    for (int i = 0; e == ERR_OK && i < 2 * c->threads; i++) {
        ctr_ab_options o = {.hash = HASH, .weights = i % 2 == 0 ? first : second};
        e = ctr_ab_new(&c->engines[i], &o);
    }
    if (e != ERR_OK) crew_free(c);
    return e;
}

typedef struct selfplay {
    const ctr_tune *t;
    int generation, depth;
    crew crew;
    record *games; // [batch]
    int first;
} selfplay;

static void play_task(void *ctx, int task, int worker)
{
    selfplay *s = ctx;
    int depth[2] = {s->depth, s->depth};
    // One engine for both seats: they share what they know, as they share the weights.
    ctr_ab *both[2] = {s->crew.engines[2 * worker], s->crew.engines[2 * worker]};
    uint64_t number = (uint64_t)s->generation << 32 | (uint64_t)(s->first + task);
    play(both, depth, opening(s->t->seed, number, s->t->opening), &s->games[task]);
}

static err add(ctr_samples *out, const record *r)
{
    if (out->n + r->n > out->room) {
        int room = out->room + out->room / 2 + 4096;
        void *f = realloc(out->f, (size_t)room * sizeof *out->f);
        if (f != NULL) out->f = f;
        void *result = realloc(out->result, (size_t)room * sizeof *out->result);
        if (result != NULL) out->result = result;
        if (f == NULL || result == NULL) return err_set(ERR_MEMORY, "no memory for %d positions", room);
        out->room = room;
    }
    for (int i = 0; i < r->n; i++) {
        int16_t f[CTR_WEIGHTS];
        ctr_features(&r->quiet[i], f);
        for (int k = 0; k < CTR_WEIGHTS; k++) out->f[out->n][k] = (int8_t)f[k];
        out->result[out->n++] = r->quiet[i].side == 0 ? r->result : 1 - r->result;
    }
    return ERR_OK;
}

err ctr_tune_play(const ctr_tune *t, int generation, int games, int depth, const int16_t *weights, pool *p,
                  ctr_samples *out)
{
    selfplay s = {.t = t, .generation = generation, .depth = depth};
    s.games = malloc(BATCH * sizeof *s.games);
    err e = s.games == NULL ? err_set(ERR_MEMORY, "no memory for games") : crew_new(&s.crew, p, weights, weights);
    for (s.first = 0; e == ERR_OK && s.first < games; s.first += BATCH) {
        int n = games - s.first < BATCH ? games - s.first : BATCH;
        pool_run(p, n, play_task, &s);
        e = stop_check();
        for (int i = 0; e == ERR_OK && i < n; i++)
            e = add(out, &s.games[i]); // in the games' order, whoever played them
    }
    crew_free(&s.crew);
    free(s.games);
    return e;
}

void ctr_samples_free(ctr_samples *s)
{
    free(s->f);
    free(s->result);
    *s = (ctr_samples){0};
}

// --- the fit: logistic regression by Adam over shuffled batches

static double dot(const int8_t *f, const float *w)
{
    float sum = 0;
    for (int k = 0; k < CTR_WEIGHTS; k++) sum += (float)f[k] * w[k];
    return (double)sum;
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double cross_entropy(double x, double target) // of sigmoid(x), written so that it cannot overflow
{
    return (x > 0 ? x : 0) - x * target + log1p(exp(-fabs(x)));
}

double ctr_tune_loss(const ctr_samples *s, const int16_t *weights)
{
    float w[CTR_WEIGHTS];
    double sum = 0;
    for (int k = 0; k < CTR_WEIGHTS; k++) w[k] = (float)weights[k] / CTR_LOGIT;
    for (int i = 0; i < s->n; i++) sum += cross_entropy(dot(s->f[i], w), (double)s->result[i]);
    return s->n == 0 ? 0 : sum / s->n;
}

typedef struct adam {
    float w[CTR_WEIGHTS], m[CTR_WEIGHTS], v[CTR_WEIGHTS];
    double b1, b2; // powers of the decay rates
} adam;

static void descend(adam *a, const float *gradient, double rate)
{
    a->b1 *= 0.9;
    a->b2 *= 0.999;
    for (int k = 0; k < CTR_WEIGHTS; k++) {
        a->m[k] = 0.9f * a->m[k] + 0.1f * gradient[k];
        a->v[k] = 0.999f * a->v[k] + 0.001f * gradient[k] * gradient[k];
        double m = (double)a->m[k] / (1 - a->b1), v = (double)a->v[k] / (1 - a->b2);
        a->w[k] -= (float)(rate * m / (sqrt(v) + 1e-8));
    }
}

err ctr_tune_fit(const ctr_tune *t, const ctr_samples *s, int16_t *out)
{
    const int batch = 1024, epochs = t->epochs;
    const float decay = (float)t->decay;
    if (s->n == 0) return err_set(ERR_USAGE, "no positions to fit the weights to");
    uint32_t *order = malloc((size_t)s->n * sizeof *order);
    if (order == NULL) return err_set(ERR_MEMORY, "no memory for %d positions", s->n);
    for (int i = 0; i < s->n; i++) order[i] = (uint32_t)i;
    adam a = {.b1 = 1, .b2 = 1};
    for (int epoch = 0; epoch < epochs; epoch++) {
        rng r = rng_at(t->seed, 0xf17, (uint32_t)epoch);
        rng_shuffle_u32(&r, order, s->n);
        double rate = 0.01 * (1 + cos(3.14159265 * epoch / epochs)) / 2;
        for (int first = 0; first < s->n; first += batch) {
            int n = s->n - first < batch ? s->n - first : batch;
            float gradient[CTR_WEIGHTS] = {0};
            for (int i = 0; i < n; i++) {
                uint32_t at = order[first + i];
                float off = (float)(sigmoid(dot(s->f[at], a.w)) - (double)s->result[at]) / (float)n;
                for (int k = 0; k < CTR_WEIGHTS; k++) gradient[k] += off * (float)s->f[at][k];
            }
            for (int k = 0; k < CTR_WEIGHTS; k++) gradient[k] += decay * a.w[k];
            descend(&a, gradient, rate);
        }
    }
    free(order);
    for (int k = 0; k < CTR_WEIGHTS; k++) {
        double w = (double)a.w[k] * CTR_LOGIT;
        out[k] = (int16_t)lrint(w > 4000 ? 4000 : w < -4000 ? -4000 : w);
    }
    return ERR_OK;
}

// --- matches

typedef struct match {
    const ctr_side *side[2];
    int opening;
    uint64_t seed;
    crew crew;
    float *points; // [game] of the first side
} match;

static void match_task(void *ctx, int task, int worker)
{
    match *m = ctx;
    int swap = task % 2; // the second game of a pair: the other one begins
    ctr_ab **own = &m->crew.engines[2 * worker], *seats[2] = {own[swap], own[!swap]};
    int depth[2] = {m->side[swap]->depth, m->side[!swap]->depth};
    float first = play(seats, depth, opening(m->seed, (uint64_t)task / 2, m->opening), NULL);
    m->points[task] = swap ? 1 - first : first;
}

err ctr_match(const ctr_side *a, const ctr_side *b, int pairs, int openings, uint64_t seed, pool *p, ctr_score *out)
{
    match m = {.side = {a, b}, .opening = openings, .seed = seed};
    m.points = malloc(2 * (size_t)pairs * sizeof *m.points);
    err e =
        m.points == NULL ? err_set(ERR_MEMORY, "no memory for games") : crew_new(&m.crew, p, a->weights, b->weights);
    if (e == ERR_OK) pool_run(p, 2 * pairs, match_task, &m);
    if (e == ERR_OK) e = stop_check();
    if (e == ERR_OK) {
        *out = (ctr_score){0};
        for (int i = 0; i < 2 * pairs; i++) {
            out->wins += m.points[i] > 0.75f;
            out->losses += m.points[i] < 0.25f;
        }
        out->draws = 2 * pairs - out->wins - out->losses;
    }
    crew_free(&m.crew);
    free(m.points);
    return e;
}

// --- all of it

static const struct generation {
    int games, depth;
} generations[CTR_TUNE_GENERATIONS] = {{4000, 2}, {4000, 2}, {4000, 3}, {4000, 3}, {2000, 4}};

ctr_tune ctr_tune_defaults(void)
{
    return (ctr_tune){.seed = 1, .scale = 1, .opening = 10, .decay = 1e-5, .epochs = 20, .pairs = 100};
}

// One generation. `last` holds the positions of the one before, which are fitted too, and afterwards this one's.
static err generation(const ctr_tune *t, int k, pool *p, ctr_samples *last, int16_t *weights)
{
    double start = clock_seconds();
    int games = (int)(generations[k].games * t->scale), depth = generations[k].depth, before = last->n;
    int16_t fitted[CTR_WEIGHTS];
    ctr_score score = {0};
    if (games < 1) games = 1;
    err e = ctr_tune_play(t, k, games, depth, weights, p, last);
    if (e == ERR_OK) e = ctr_tune_fit(t, last, fitted);
    if (e != ERR_OK) return e;
    double loss[2] = {ctr_tune_loss(last, weights), ctr_tune_loss(last, fitted)};
    ctr_side a = {fitted, depth}, b = {weights, depth};
    if (t->pairs > 0) e = ctr_match(&a, &b, t->pairs, t->opening, t->seed ^ 0x6d61746368, p, &score);
    if (e != ERR_OK) return e;
    char line[200];
    snprintf(
        line, sizeof line,
        "generation %d: %d games at depth %d, %d positions, loss %.4f (before %.4f), against the last +%d =%d -%d, %.0f s",
        k + 1, games, depth, last->n - before, loss[1], loss[0], score.wins, score.draws, score.losses,
        clock_seconds() - start);
    if (t->say != NULL) t->say(t->ctx, line);
    memcpy(weights, fitted, sizeof fitted);
    last->n -= before;
    memmove(last->f, last->f + before, (size_t)last->n * sizeof *last->f);
    memmove(last->result, last->result + before, (size_t)last->n * sizeof *last->result);
    return ERR_OK;
}

err ctr_tune_all(const ctr_tune *t, int16_t weights[CTR_WEIGHTS])
{
    int16_t w[CTR_WEIGHTS] = {0};
    ctr_samples last = {0};
    pool *p = pool_new(t->threads);
    err e = p == NULL ? err_set(ERR_MEMORY, "no memory for threads") : ERR_OK;
    for (int k = 0; e == ERR_OK && k < CTR_TUNE_GENERATIONS; k++) e = generation(t, k, p, &last, w);
    if (e == ERR_OK) memcpy(weights, w, sizeof w);
    ctr_samples_free(&last);
    pool_free(p);
    return e;
}

void ctr_tune_write(const int16_t weights[CTR_WEIGHTS], text_buf *out)
{
    static const struct {
        const char *title;
        int first, n, a_line;
    } groups[] = {
        {"pieces, by the tile under them and the square: white", CTR_W_PIECE, 15, 3},
        {"… black", CTR_W_PIECE + 15, 15, 3},
        {"… gray", CTR_W_PIECE + 30, 15, 3},
        {"black tiles nobody stands on", CTR_W_TILE, 15, 3},
        {"… gray", CTR_W_TILE + 15, 15, 3},
        {"tiles in hand: black by gray", CTR_W_HAND, 8, 2},
        {"pieces by steps to go", CTR_W_NEAR, 8, 8},
        {"the race: steps of the mover's nearest piece, by the enemy's", CTR_W_LEAD, 64, 8},
        {"mobility", CTR_W_MOBILITY, 20, 20},
        {"faced, column, beside, slant", CTR_W_FACED, 4, 4},
        {"parity without and with tiles in hand, tempo", CTR_W_PARITY, 3, 3},
    };
    text_append(out, "// The weights of Contrast's evaluation, written by `keiko tune contrast`: do not edit. See "
                     "docs/lab/CONTRAST.md.\n"
                     "#include \"search/contrast/contrast_eval.h\"\n\n"
                     "// clang-format off\nconst int16_t ctr_weights[CTR_WEIGHTS] = {\n");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        text_printf(out, "    // %s\n", groups[i].title);
        for (int k = 0; k < groups[i].n; k++)
            text_printf(out, "%s%d,%s", k % groups[i].a_line == 0 ? "    " : " ", weights[groups[i].first + k],
                        (k + 1) % groups[i].a_line == 0 ? "\n" : "");
    }
    text_append(out, "};\n// clang-format on\n");
}
