// Self-play for the renju engine's numbers; see tune_renju.h.
#include "learn/tune/tune_renju.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/stop.h"
#include "eval/eval.h"
#include "games/game.h"
#include "search/renju/renju_ab.h"
#include "search/renju/renju_vcf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64, HASH = 16, MOST_PLIES = 120, MOST_CANDIDATES = 160, FEW_FOURS = 60, AT_ONCE = 16 };

static const struct generation {
    int games, nodes; // nodes per move are drawn from half of that to one and a half, so that games differ
    double result;    // share of the game's result in what a position is worth; the rest is what the search thought
    bool alone;       // fitted without the games of the generation before
} generations[RJ_TUNE_GENERATIONS] = {
    {1000, 2000, 1.0, true}, {3000, 3000, 0.6, true}, {5000, 4000, 0.5, false}, {20000, 5000, 0.5, true}};

// Games for a network to value: quick ones, one move in STRAY random, as a search sees such positions. The network's share of
// what a position is worth; the rest is the game's result.
static const struct generation by_network[RJ_TUNE_ROUNDS] = {{40000, 1500, 1.0, true}, {100000, 1500, 1.0, true}};
enum { STRAY = 8 };
static const double NETWORK_SHARE = 0.7;

static int games_of(const rj_tune *t, const struct generation *k)
{
    int games = (int)(k->games * t->scale);
    return games > 1 ? games : 1;
}

static uint64_t work_of(const struct generation *k)
{
    return (uint64_t)k->nodes / 100;
}

uint64_t rj_tune_work(const rj_tune *t, bool network)
{
    uint64_t work = 0;
    for (int k = 0; k < (network ? RJ_TUNE_ROUNDS : RJ_TUNE_GENERATIONS); k++) {
        const struct generation *one = network ? &by_network[k] : &generations[k];
        work += (uint64_t)games_of(t, one) * work_of(one);
    }
    return work;
}

// --- one game

typedef struct seen { // a position of a game
    rj_sample sample;
    float thought; // expected score of the mover by the search
    bool quiet;
    _Alignas(rj_any_state) uint8_t state[sizeof(rj_any_state)];
    uint16_t n;
    rj_candidate candidate[MOST_CANDIDATES]; // the chosen one first
} seen;

typedef struct record {
    int n;
    err failed;
    float black; // result of black: 1, ½, 0
    seen at[MOST_PLIES];
} record;

typedef struct player { // of one worker
    rj_ab *engine;
    rj_vcf *fours;
    rj_board *b;
} player;

static const game *game_of(rj_rule rule)
{
    const game *g = NULL;
    for (int i = 0; i < RJ_VARIANTS && g == NULL; i++)
        if (rj_variants[i].rule == rule && game_find(rj_variants[i].name, &g) != ERR_OK) g = NULL;
    return g;
}

static int draw_empty(const rj_any_state *s, int half, rng *r) // a point in the square of the middle
{
    const rj_variant *v = &rj_variants[s->s.variant];
    for (;;) {
        int x = v->size / 2 - half + (int)rng_below(r, (uint32_t)(2 * half + 1));
        int y = v->size / 2 - half + (int)rng_below(r, (uint32_t)(2 * half + 1)), p = y * v->size + x;
        if (((s->s.stones[p / 64] | s->s.stones[v->words + p / 64]) >> p % 64 & 1) == 0) return p;
    }
}

// Random stones in the middle, until the search finds that neither side is far ahead.
static void open_game(const player *w, const game *g, uint64_t seed, uint64_t number, rj_any_state *s)
{
    for (uint32_t attempt = 0; attempt < 40; attempt++) {
        rng r = rng_at(seed, number, attempt);
        int plies = 2 + (int)rng_below(&r, 9), half = 2 + (int)rng_below(&r, 4);
        memset(s, 0, sizeof *s);
        g->init(s, "", (game_key){0, 0});
        while (s->s.reason == REASON_NONE && plies-- > 0) g->play(s, (move_t)draw_empty(s, half, &r), NULL);
        if (s->s.reason != REASON_NONE) continue;
        rj_ab_line l;
        rj_ab_forget(w->engine);
        rj_ab_search(w->engine, &s->s, &(rj_ab_limits){.nodes = 1000}, 1, &l);
        if (fabs(rj_ab_odds(l.score) - 0.5) < 0.25) return;
    }
}

static void count_points(const rj_board *b, rj_sample *s)
{
    memset(s, 0, sizeof *s);
    s->threats = (uint16_t)rj_threats(b);
    s->side = b->side;
    s->stones = b->placed;
    memcpy(s->classes[0], b->count[b->side], sizeof s->classes[0]);
    memcpy(s->classes[1], b->count[b->side ^ 1], sizeof s->classes[1]);
    for (int p = 0; p < b->points; p++) {
        if (b->stone[p] != RJ_EMPTY) continue;
        for (int waits = 0; waits < 2; waits++) {
            uint8_t index[RJ_W_USED];
            rj_weight_indices(rj_key_at(b, b->side ^ waits, p), index);
            for (int i = 0; i < RJ_W_USED; i++)
                if (s->count[waits][index[i]] < 255) s->count[waits][index[i]]++;
        }
    }
}

static void list_candidates(rj_board *b, int chosen, int last, seen *at)
{
    uint64_t near[RJ_MAX_WORDS];
    int size = rj_size(b);
    rj_near(b, 2, near);
    at->n = 1;
    for (int p = 0; p < b->points; p++) {
        bool foul = b->side == RJ_BLACK && rj_class_at(b, RJ_BLACK, p) == RJ_FORBIDDEN;
        if (p != chosen && ((near[p / 64] >> p % 64 & 1) == 0 || foul || at->n == MOST_CANDIDATES)) continue;
        at->candidate[p == chosen ? 0 : at->n++] = (rj_candidate){.own = (uint16_t)rj_key_at(b, b->side, p),
                                                                  .other = (uint16_t)rj_key_at(b, b->side ^ 1, p),
                                                                  .near = (uint8_t)rj_near_last(size, p, last)};
    }
}

// Positions at which the engine would ask its evaluation: no five, no straight four of the mover, no win by fours.
static bool is_quiet(const player *w)
{
    rj_board *b = w->b;
    const uint16_t *own = b->count[b->side], *other = b->count[b->side ^ 1];
    if (own[RJ_FIVE] + own[RJ_WINNING] + other[RJ_FIVE] > 0) return false;
    return rj_vcf_solve(w->fours, b, &(rj_vcf_limits){.any = true, .nodes = FEW_FOURS}, NULL) != RJ_VCF_WIN;
}

static int draw_near(rj_board *b, rng *r) // an empty point near the stones; RJ_NO_POINT: there is none
{
    uint64_t near[RJ_MAX_WORDS];
    int n = 0, point[RJ_MAX_POINTS];
    rj_near(b, 2, near);
    for (int p = 0; p < b->points; p++) {
        bool foul = b->side == RJ_BLACK && rj_class_at(b, RJ_BLACK, p) == RJ_FORBIDDEN;
        if ((near[p / 64] >> p % 64 & 1) != 0 && b->stone[p] == RJ_EMPTY && !foul) point[n++] = p;
    }
    return n > 0 ? point[rng_below(r, (uint32_t)n)] : RJ_NO_POINT;
}

// One move in `stray` is random; 0: none.
static void play_game(const player *w, const game *g, rj_any_state s, int nodes, int stray, rng r, record *out)
{
    out->n = 0;
    out->black = 0.5f;
    rj_ab_forget(w->engine);
    while (s.s.reason == REASON_NONE && out->n < MOST_PLIES && !stop_requested()) {
        rj_ab_line l;
        uint64_t limit = (uint64_t)nodes / 2 + rng_below(&r, (uint32_t)nodes);
        rj_ab_search(w->engine, &s.s, &(rj_ab_limits){.nodes = limit}, 1, &l);
        rj_board_set(w->b, s.s.stones, s.s.stones + rj_variants[s.s.variant].words, s.s.side);
        seen *at = &out->at[out->n++];
        at->thought = (float)rj_ab_odds(l.score);
        at->quiet = is_quiet(w);
        if (at->quiet) {
            memcpy(at->state, &s, sizeof s);
            count_points(w->b, &at->sample);
            at->n = 0;
            if (stray == 0) list_candidates(w->b, l.move[0], s.s.last, at); // else the order of moves is not fitted
        }
        if (l.score > RJ_AB_SURE || l.score < -RJ_AB_SURE) { // proved: the rest teaches nothing
            out->black = (l.score > 0) == (s.s.side == RJ_BLACK);
            return;
        }
        int move = l.move[0];
        if (stray > 0 && rng_below(&r, (uint32_t)stray) == 0) {
            int other = draw_near(w->b, &r);
            if (other != RJ_NO_POINT) move = other;
        }
        g->play(&s, (move_t)move, NULL);
    }
    if (s.s.reason != REASON_NONE) out->black = g->result(&s).score[0];
}

// What the network says of a game's quiet positions.
static err value_game(evaluator *net, const game *g, record *out)
{
    move_t move[AT_ONCE][RJ_MAX_POINTS];
    float prior[AT_ONCE][RJ_MAX_POINTS], value[AT_ONCE], *priors[AT_ONCE];
    const void *obs[AT_ONCE];
    const move_t *moves[AT_ONCE];
    seen *at[AT_ONCE];
    int n_moves[AT_ONCE], n = 0;
    for (int i = 0; i < out->n; i++) {
        if (out->at[i].quiet) {
            at[n] = &out->at[i];
            obs[n] = at[n]->state;
            n_moves[n] = g->legal(obs[n], move[n]);
            moves[n] = move[n];
            priors[n] = prior[n];
            n++;
        }
        if (n == 0 || (n < AT_ONCE && i + 1 < out->n)) continue;
        memset(prior, 0, sizeof prior);
        memset(value, 0, sizeof value);
        err e = evaluator_raw(
            net,
            &(mcts_batch){.n = n, .obs = obs, .moves = moves, .n_moves = n_moves, .priors = priors, .values = value});
        if (e != ERR_OK) return e;
        for (int k = 0; k < n; k++) {
            double p = fmax(0.005, fmin(0.995, (1 + (double)value[k]) / 2));
            at[k]->sample.valued = (float)log(p / (1 - p));
        }
        n = 0;
    }
    return ERR_OK;
}

// --- many games

typedef struct selfplay {
    const game *g;
    uint64_t seed, first;
    int nodes;
    progress *bar;
    uint64_t work;  // per game
    evaluator *net; // games are for it to value, with stray moves; NULL: there is none
    player *player; // [worker]
    record *games;  // [batch]
} selfplay;

static void play_task(void *ctx, int task, int worker)
{
    selfplay *s = ctx;
    rj_any_state start;
    open_game(&s->player[worker], s->g, s->seed, s->first + (uint64_t)task, &start);
    rng r = rng_at(rng_mix(s->seed), s->first + (uint64_t)task, 0);
    record *out = &s->games[task];
    play_game(&s->player[worker], s->g, start, s->nodes, s->net != NULL ? STRAY : 0, r, out);
    out->failed = s->net != NULL ? value_game(s->net, s->g, out) : ERR_OK;
    progress_tick(s->bar, s->work);
}

static void *grown(void *old, uint32_t need, uint32_t *room, size_t size)
{
    if (need <= *room) return old;
    uint32_t more = *room + *room / 2 + 4096;
    if (more < need) more = need;
    void *p = realloc(old, more * size);
    if (p != NULL) *room = more;
    return p;
}

static err add_game(rj_samples *out, const record *r, double share)
{
    for (int i = 0; i < r->n; i++) {
        const seen *at = &r->at[i];
        if (!at->quiet) continue;
        rj_sample *a = grown(out->at, out->n + 1, &out->room, sizeof *a);
        if (a == NULL) return err_set(ERR_MEMORY, "no memory for positions");
        out->at = a;
        double result = at->sample.side == RJ_BLACK ? (double)r->black : 1 - (double)r->black;
        a[out->n] = at->sample;
        a[out->n++].target = (float)(share * result + (1 - share) * (double)at->thought);
        if (at->n == 0) continue; // its moves are not fitted
        rj_choice *c = grown(out->choice, out->choices + 1, &out->choice_room, sizeof *c);
        if (c != NULL) out->choice = c;
        rj_candidate *m = grown(out->candidate, out->candidates + at->n, &out->candidate_room, sizeof *m);
        if (m != NULL) out->candidate = m;
        if (c == NULL || m == NULL) return err_set(ERR_MEMORY, "no memory for moves");
        c[out->choices++] = (rj_choice){.first = out->candidates, .n = at->n, .side = at->sample.side};
        memcpy(m + out->candidates, at->candidate, at->n * sizeof *m);
        out->candidates += at->n;
    }
    return ERR_OK;
}

static void players_free(player *w, int n)
{
    for (int i = 0; w != NULL && i < n; i++) {
        rj_ab_free(w[i].engine);
        rj_vcf_free(w[i].fours);
        free(w[i].b);
    }
    free(w);
}

static err players_new(player **out, int n, rj_rule rule, const rj_weights *weights)
{
    player *w = calloc((size_t)n, sizeof *w);
    rj_ab_options o = rj_ab_defaults();
    o.hash = HASH;
    o.weights = weights;
    o.by_scores = weights == NULL;
    err e = w == NULL ? err_set(ERR_MEMORY, "no memory for %d engines", n) : ERR_OK;
    for (int i = 0; e == ERR_OK && i < n; i++) {
        e = rj_ab_new(&w[i].engine, rule, 15, &o);
        if (e == ERR_OK) e = rj_vcf_new(&w[i].fours, 10);
        w[i].b = malloc(sizeof *w[i].b);
        if (e == ERR_OK && w[i].b == NULL) e = err_set(ERR_MEMORY, "no memory for %d engines", n);
        if (e == ERR_OK) rj_board_init(w[i].b, rule, 15);
    }
    if (e != ERR_OK) {
        players_free(w, n);
        return e;
    }
    *out = w;
    return ERR_OK;
}

void rj_samples_free(rj_samples *s)
{
    FREE_ALL(s->at, s->choice, s->candidate);
    *s = (rj_samples){0};
}

static err play_generation(const rj_tune *t, rj_rule rule, const struct generation *k, uint64_t seed,
                           const rj_weights *weights, evaluator *net, pool *p, rj_samples *out)
{
    int games = games_of(t, k), workers = pool_threads(p);
    selfplay s = {.g = game_of(rule), .seed = seed, .nodes = k->nodes, .bar = t->bar, .work = work_of(k), .net = net};
    s.games = malloc(BATCH * sizeof *s.games);
    err e =
        s.games == NULL ? err_set(ERR_MEMORY, "no memory for games") : players_new(&s.player, workers, rule, weights);
    for (int first = 0; e == ERR_OK && first < games; first += BATCH) {
        int n = games - first < BATCH ? games - first : BATCH;
        s.first = (uint64_t)first;
        pool_run(p, n, play_task, &s);
        e = stop_check();
        for (int i = 0; e == ERR_OK && i < n; i++) {
            if (s.games[i].failed != ERR_OK) e = err_set(s.games[i].failed, "the network could not value positions");
            if (e == ERR_OK) e = add_game(out, &s.games[i], k->result);
        }
    }
    players_free(s.player, workers);
    free(s.games);
    return e;
}

// Drops the first `n` positions.
static void drop(rj_samples *s, uint32_t n)
{
    uint32_t c = n < s->choices ? s->choice[n].first : s->candidates;
    memmove(s->at, s->at + n, (s->n - n) * sizeof *s->at);
    memmove(s->choice, s->choice + n, (s->choices - n) * sizeof *s->choice);
    memmove(s->candidate, s->candidate + c, (s->candidates - c) * sizeof *s->candidate);
    s->n -= n;
    s->choices -= n;
    s->candidates -= c;
    for (uint32_t i = 0; i < s->choices; i++) s->choice[i].first -= c;
}

static void show_part(const rj_tune *t, rj_rule rule, int k, int n)
{
    progress_extra(t->bar, "%s %d/%d", game_of(rule)->name, k + 1, n);
    progress_tick(t->bar, 0);
}

err rj_tune_rule(const rj_tune *t, rj_rule rule, rj_weights *out)
{
    rj_samples s = {0};
    rj_weights *w = calloc(1, sizeof *w);
    pool *p = pool_new(t->threads);
    err e = p == NULL || w == NULL ? err_set(ERR_MEMORY, "no memory for threads") : ERR_OK;
    for (int k = 0; e == ERR_OK && k < RJ_TUNE_GENERATIONS; k++) {
        double start = clock_seconds(), loss[3] = {0};
        uint32_t before = s.n;
        uint64_t games = rng_mix(t->seed * 16 + (uint64_t)rule * 4 + (uint64_t)k);
        show_part(t, rule, k, RJ_TUNE_GENERATIONS);
        e = play_generation(t, rule, &generations[k], games, k == 0 ? NULL : w, NULL, p, &s);
        if (generations[k].alone) drop(&s, before);
        uint64_t seed = rng_mix(t->seed + (uint64_t)k);
        if (e == ERR_OK) e = rj_tune_fit_values(&s, rule != RJ_RENJU, seed, w, &loss[0]);
        if (e == ERR_OK) e = rj_tune_fit_layer(&s, rule != RJ_RENJU, seed, w, &loss[1]);
        if (e == ERR_OK) e = rj_tune_fit_order(&s, rule != RJ_RENJU, seed, w, &loss[2]);
        char line[200];
        snprintf(
            line, sizeof line,
            "%s, generation %d: %u positions, loss of values %.4f, with the hidden layer %.4f, of moves %.4f, %.0f s",
            game_of(rule)->name, k + 1, s.n, loss[0], loss[1], loss[2], clock_seconds() - start);
        if (e == ERR_OK && t->say != NULL) t->say(t->ctx, line);
    }
    if (e == ERR_OK) *out = *w;
    rj_samples_free(&s);
    free(w);
    pool_free(p);
    return e;
}

// --- by a network

// The network is surer than quick games bear out, and positions without a win by fours are worse than it thinks. So its log-odds
// become slope * odds + offset, by the side to move, as agree best with the results: a few of Newton's steps.
static void calibrate(const rj_samples *s, int side, double line[2])
{
    line[0] = 1;
    line[1] = 0;
    for (int step = 0; step < 8; step++) {
        double g0 = 0, g1 = 0, a = 1e-9, b = 0, c = 1e-9;
        for (uint32_t i = 0; i < s->n; i++) {
            if (s->at[i].side != side) continue;
            double x = (double)s->at[i].valued, p = 1 / (1 + exp(-line[0] * x - line[1])), k = p * (1 - p);
            double off = p - (double)s->at[i].target;
            g0 += off * x;
            g1 += off;
            a += k * x * x;
            b += k * x;
            c += k;
        }
        double d = a * c - b * b;
        if (!(d > 1e-12)) return; // too few positions
        line[0] -= (c * g0 - b * g1) / d;
        line[1] -= (a * g1 - b * g0) / d;
    }
}

static void take_network(rj_samples *s)
{
    double line[2][2];
    for (int side = 0; side < 2; side++) calibrate(s, side, line[side]);
    for (uint32_t i = 0; i < s->n; i++) {
        rj_sample *x = &s->at[i];
        double p = 1 / (1 + exp(-line[x->side][0] * (double)x->valued - line[x->side][1]));
        x->target = (float)(NETWORK_SHARE * p + (1 - NETWORK_SHARE) * (double)x->target);
    }
}

err rj_tune_by_network(const rj_tune *t, rj_rule rule, const rj_weights *from, rj_weights *out)
{
    const game *g = game_of(rule);
    evaluator *net = NULL;
    pool *p = pool_new(t->threads);
    err e = p == NULL ? err_set(ERR_MEMORY, "no memory for threads") : ERR_OK;
    if (e == ERR_OK)
        e = evaluator_open(&net, g, t->model != NULL ? t->model : g->name,
                           &(eval_options){.backend = "cpu", .precision = "int8", .lanes = pool_threads(p)});
    *out = *from;
    for (int k = 0; e == ERR_OK && k < RJ_TUNE_ROUNDS; k++) {
        double start = clock_seconds(), loss[2] = {0};
        uint64_t seed = rng_mix(t->seed * 16 + 12 + (uint64_t)rule + 4 * (uint64_t)k);
        rj_samples s = {0};
        show_part(t, rule, k, RJ_TUNE_ROUNDS);
        e = play_generation(t, rule, &by_network[k], seed, out, net, p, &s);
        if (e == ERR_OK) take_network(&s);
        if (e == ERR_OK) e = rj_tune_fit_values(&s, rule != RJ_RENJU, seed, out, &loss[0]);
        if (e == ERR_OK) e = rj_tune_fit_layer(&s, rule != RJ_RENJU, seed, out, &loss[1]);
        char line[200];
        snprintf(line, sizeof line,
                 "%s, round %d: %u positions, loss of values %.4f, with the hidden layer %.4f, %.0f s", g->name, k + 1,
                 s.n, loss[0], loss[1], clock_seconds() - start);
        if (e == ERR_OK && t->say != NULL) t->say(t->ctx, line);
        rj_samples_free(&s);
    }
    evaluator_release(net);
    pool_free(p);
    return e;
}

// --- the file

static void write_table(text_buf *out, const int16_t *v, int n, int indent)
{
    for (int k = 0; k < n; k++)
        text_printf(out, "%s%d,%s", k % 24 == 0 ? (indent ? "        " : "    ") : " ", v[k],
                    (k + 1) % 24 == 0 || k + 1 == n ? "\n" : "");
}

static void write_layer(const rj_weights *w, text_buf *out)
{
    text_append(out, "    .hidden = {\n");
    for (int i = 0; i < RJ_W_INPUTS; i++) {
        text_append(out, "      {\n");
        write_table(out, w->hidden[i], RJ_W_HIDDEN, 1);
        text_append(out, "      },\n");
    }
    text_append(out, "    },\n    .output = {\n");
    write_table(out, w->output, RJ_W_HIDDEN + 1, 1);
    text_append(out, "    },\n");
}

void rj_tune_write(const rj_weights w[3], text_buf *out)
{
    static const char *const rules[3] = {"renju", "gomoku, exactly five", "freestyle"};
    static const char *const colours[2] = {"black", "white"};
    text_append(
        out,
        "// The numbers of the renju engine, written by `keiko tune renju`: do not edit. See docs/lab/renju-engine.md.\n"
        "#include \"search/renju/renju_weights.h\"\n\n"
        "// clang-format off\nconst rj_weights rj_weights_of[3] = {\n");
    for (int rule = 0; rule < 3; rule++) {
        text_printf(out, "  { // %s\n    .value = {\n", rules[rule]);
        for (int c = 0; c < 2; c++)
            for (int k = 0; k < 2; k++) {
                text_printf(out, "      %s{ // %s %s\n", k == 0 ? "{" : "", colours[c], k == 0 ? "moves" : "waits");
                write_table(out, w[rule].value[c][k], RJ_W_TABLE, 1);
                text_printf(out, "      }%s,\n", k == 1 ? "}" : "");
            }
        text_append(out, "    },\n    .threat = {\n");
        for (int c = 0; c < 2; c++) {
            text_printf(out, "      { // %s moves\n", colours[c]);
            write_table(out, w[rule].threat[c], RJ_W_THREATS, 1);
            text_append(out, "      },\n");
        }
        text_append(out, "    },\n    .order = {\n");
        for (int c = 0; c < 2; c++)
            for (int k = 0; k < 2; k++) {
                text_printf(out, "      %s{ // %s moves: %s patterns\n", k == 0 ? "{" : "", colours[c],
                            k == 0 ? "its own" : "the other's");
                write_table(out, w[rule].order[c][k], RJ_W_TABLE, 1);
                text_printf(out, "      }%s,\n", k == 1 ? "}" : "");
            }
        text_append(out, "    },\n    .near = {\n");
        write_table(out, w[rule].near, RJ_W_NEAR, 1);
        text_append(out, "    },\n");
        write_layer(&w[rule], out);
        text_append(out, "  },\n");
    }
    text_append(out, "};\n// clang-format on\n");
}
