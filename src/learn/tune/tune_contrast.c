// Self-play and match for Contrast's evaluation; see tune_contrast.h.
#include "learn/tune/tune_contrast.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/stop.h"
#include "search/contrast/contrast_ab.h"
#include "search/contrast/contrast_rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const game game_contrast;

enum { BATCH = 1024, HASH = 1 << 20, MOST_PLIES = CTR_MAX_PLIES, STRAY = 40, HELD = 10 };

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

static ctr_line choose(ctr_ab *e, const ctr_state *s, const ctr_side *side)
{
    ctr_line l;
    ctr_ab_limits limits = {.depth = side->depth, .nodes = side->nodes};
    if (side->depth == 0 && side->nodes == 0) return (ctr_line){.moves = {ctr_rule_move(&s->b)}};
    ctr_ab_search(e, s, &limits, 1, &l);
    return l;
}

// One game; side[0] moves first. Returns the first player's result.
static float play(ctr_ab *engines[2], const ctr_side *const side[2], ctr_state s)
{
    for (int i = 0; i < 2; i++) ctr_ab_forget(engines[i]);
    while (s.reason == REASON_NONE && !stop_requested())
        ctr_state_play(&s, choose(engines[s.b.side], &s, side[s.b.side]).moves[0]);
    return game_contrast.result(&s).score[0];
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

// The quiet positions of one game.
typedef struct record {
    int n, late;  // from `late` on no move was random
    float result; // of the first player
    ctr_board quiet[MOST_PLIES];
    float value[MOST_PLIES]; // what the search expected, for the mover
} record;

typedef struct selfplay {
    const ctr_tune *t;
    int generation;
    ctr_side side;
    crew crew;
    record *games; // [batch]
    int first;
} selfplay;

static void play_task(void *ctx, int task, int worker)
{
    selfplay *p = ctx;
    ctr_ab *e = p->crew.engines[2 * worker];
    uint64_t number = (uint64_t)p->generation << 32 | (uint64_t)(p->first + task);
    ctr_state s = opening(p->t->seed, number, p->t->opening);
    rng r = rng_at(p->t->seed ^ 0x7374726179, number, 0);
    record *k = &p->games[task];
    k->n = k->late = 0;
    ctr_ab_forget(e);
    while (s.reason == REASON_NONE && !stop_requested()) {
        ctr_line l = choose(e, &s, &p->side);
        move_t m = l.moves[0];
        if (!ctr_threat(&s.b, 0) && !ctr_threat(&s.b, 1)) {
            k->quiet[k->n] = s.b;
            // A loss that only tiles could avert is as good as certain.
            k->value[k->n++] = (float)(l.score >= CTR_LIKELY ? 1 : l.score <= -CTR_LIKELY ? 0 : ctr_ab_odds(l.score));
        }
        if (rng_below(&r, STRAY) == 0) {
            move_t all[CTR_MAX_LEGAL];
            m = all[rng_below(&r, (uint32_t)ctr_moves(&s.b, all))];
            if (rng_below(&r, 2) == 0) m = ctr_move(ctr_from(m), ctr_to(m), 0);
            k->late = k->n;
        }
        ctr_state_play(&s, m);
    }
    k->result = game_contrast.result(&s).score[0];
    progress_tick(p->t->bar, p->side.nodes / 100);
}

static err add(ctr_samples *out, const record *r, bool held)
{
    for (int i = 0; i < r->n; i++) {
        if (!GROW(out->list, out->n, out->room)) return err_set(ERR_MEMORY, "no memory for %d positions", out->n);
        ctr_sample *s = &out->list[out->n++];
        float result = r->quiet[i].side == 0 ? r->result : 1 - r->result;
        s->n = (uint8_t)ctr_facts(&r->quiet[i], s->facts);
        s->held = held;
        s->target = i >= r->late ? 0.5f * (result + r->value[i]) : r->value[i];
    }
    return ERR_OK;
}

err ctr_tune_play(const ctr_tune *t, int generation, int games, uint64_t nodes, const int16_t *weights, pool *p,
                  ctr_samples *out)
{
    selfplay s = {.t = t, .generation = generation, .side = {.nodes = nodes}};
    s.games = malloc(BATCH * sizeof *s.games);
    err e = s.games == NULL ? err_set(ERR_MEMORY, "no memory for games") : crew_new(&s.crew, p, weights, weights);
    for (s.first = 0; e == ERR_OK && s.first < games; s.first += BATCH) {
        int n = games - s.first < BATCH ? games - s.first : BATCH;
        pool_run(p, n, play_task, &s);
        e = stop_check();
        for (int i = 0; e == ERR_OK && i < n; i++) // in the games' order, whoever played them
            e = add(out, &s.games[i], (s.first + i) % HELD == HELD - 1);
    }
    crew_free(&s.crew);
    free(s.games);
    return e;
}

void ctr_samples_free(ctr_samples *s)
{
    free(s->list);
    *s = (ctr_samples){0};
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
    const ctr_side *side[2] = {m->side[swap], m->side[!swap]};
    float first = play(seats, side, opening(m->seed, (uint64_t)task / 2, m->opening));
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
    int games;
    uint64_t nodes; // per move
} generations[CTR_TUNE_GENERATIONS] = {{2000, 200},   {2000, 200},   {4000, 500},  {8000, 800},
                                       {16000, 1000}, {36000, 1500}, {30000, 2000}};

static int games_of(const ctr_tune *t, int k)
{
    int games = (int)(generations[k].games * t->scale);
    return games > 1 ? games : 1;
}

uint64_t ctr_tune_work(const ctr_tune *t)
{
    uint64_t work = 0;
    for (int k = 0; k < CTR_TUNE_GENERATIONS; k++) work += (uint64_t)games_of(t, k) * (generations[k].nodes / 100);
    return work;
}

ctr_tune ctr_tune_defaults(void)
{
    return (ctr_tune){.seed = 1, .scale = 1, .opening = 12, .decay = 100, .epochs = 16, .pairs = 100};
}

// One generation. `last` holds the positions of the one before, which are fitted too, and afterwards this one's.
static err generation(const ctr_tune *t, int k, pool *p, ctr_samples *last, int16_t *weights)
{
    double start = clock_seconds();
    int games = games_of(t, k), before = last->n;
    uint64_t nodes = generations[k].nodes;
    int16_t fitted[CTR_WEIGHTS];
    ctr_score score = {0};
    progress_extra(t->bar, "generation %d/%d", k + 1, CTR_TUNE_GENERATIONS);
    progress_tick(t->bar, 0);
    err e = ctr_tune_play(t, k, games, nodes, weights, p, last);
    if (e == ERR_OK) e = ctr_tune_fit(t, last, p, fitted);
    if (e != ERR_OK) return e;
    double loss[2] = {ctr_tune_loss(last, weights), ctr_tune_loss(last, fitted)};
    ctr_side a = {.weights = fitted, .nodes = nodes}, b = {.weights = weights, .nodes = nodes};
    if (t->pairs > 0) e = ctr_match(&a, &b, t->pairs, t->opening, t->seed ^ 0x6d61746368, p, &score);
    if (e != ERR_OK) return e;
    char line[200];
    snprintf(
        line, sizeof line,
        "generation %d: %d games at %d nodes, %d positions, held-out loss %.4f (before %.4f), against the last +%d =%d -%d, %.0f s",
        k + 1, games, (int)nodes, last->n - before, loss[1], loss[0], score.wins, score.draws, score.losses,
        clock_seconds() - start);
    if (t->say != NULL) t->say(t->ctx, line);
    memcpy(weights, fitted, sizeof fitted);
    last->n -= before;
    memmove(last->list, last->list + before, (size_t)last->n * sizeof *last->list);
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
        int first, n;
    } groups[] = {
        {"the mover's pieces on white, by square", CTR_F_PIECE, 25},
        {"… on black", CTR_F_PIECE + 25, 25},
        {"… on gray", CTR_F_PIECE + 50, 25},
        {"the enemy's pieces on white", CTR_F_PIECE + 75, 25},
        {"… on black", CTR_F_PIECE + 100, 25},
        {"… on gray", CTR_F_PIECE + 125, 25},
        {"black tiles nobody stands on", CTR_F_TILE, 25},
        {"… gray", CTR_F_TILE + 25, 25},
        {"the mover's hand: black by gray", CTR_F_HAND, 8},
        {"the enemy's", CTR_F_HAND + 8, 8},
        {"the race: steps of the mover's nearest piece, by the enemy's", CTR_F_RACE, 64},
        {"bias", CTR_FACTS, 1},
        {"output", CTR_FACTS + 1, 1},
    };
    text_append(out, "// The weights of Contrast's evaluation, written by `keiko tune contrast`: do not edit. See "
                     "docs/lab/contrast-engine.md.\n"
                     "#include \"search/contrast/contrast_eval.h\"\n\n"
                     "// One line per fact, one column per hidden unit.\n"
                     "// clang-format off\n_Alignas(64) const int16_t ctr_weights[CTR_WEIGHTS] = {\n");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        text_printf(out, "    // %s\n", groups[i].title);
        for (int f = groups[i].first; f < groups[i].first + groups[i].n; f++)
            for (int k = 0; k < CTR_HIDDEN; k++)
                text_printf(out, "%s%d,%s", k == 0 ? "    " : " ", weights[f * CTR_HIDDEN + k],
                            k == CTR_HIDDEN - 1 ? "\n" : "");
    }
    text_printf(out, "    // base\n    %d,\n};\n// clang-format on\n", weights[CTR_W_BASE]);
}
