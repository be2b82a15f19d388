// A run of the bench in all its detail, for programs that draw it: matchups, curves, the test's course, games. See bench.h.
#include "app/bench.h"
#include "app/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE = 40, LLR_POINTS = 200 };

static double hundredth(double v)
{
    return round(100 * v) / 100;
}

// --- numbers

static void put_setup(json_writer *w, const tour_view *v)
{
    json_pair_object(w, "setup");
    json_pair_text(w, "options", v->setup.settings);
    json_pair_text(w, "schedule", schedule_names[v->setup.schedule]);
    json_pair_uint(w, "gamesPerPair", v->setup.games);
    json_pair_uint(w, "seed", v->setup.seed);
    json_pair_text(w, "openings", v->setup.openings);
    json_pair_text(w, "model", v->setup.rating.model);
    json_pair_text(w, "errors", v->setup.rating.errors);
    json_pair_number(w, "confidence", v->setup.rating.level);
    json_close(w);
}

static void put_pairings(json_writer *w, const tour_view *v)
{
    json_pair_array(w, "pairings");
    for (int i = 0; i < v->n_pairings; i++) {
        const view_pairing *p = &v->pairing[i];
        double games = p->wins_a + p->wins_b + p->draws;
        json_open_object(w);
        json_pair_int(w, "a", p->a);
        json_pair_int(w, "b", p->b);
        json_pair_int(w, "wins", (int64_t)p->wins_a);
        json_pair_int(w, "draws", (int64_t)p->draws);
        json_pair_int(w, "losses", (int64_t)p->wins_b);
        json_pair_number(w, "score", (p->wins_a + 0.5 * p->draws) / games);
        json_pair_number(w, "elo", hundredth(p->elo.elo));
        json_pair_number(w, "low", hundredth(p->elo.low));
        json_pair_number(w, "high", hundredth(p->elo.high));
        if (p->counts.unpaired == 0) { // by the first player's points: 0, ½, 1, 1½, 2
            json_pair_array(w, "pairs");
            for (int k = 0; k < 5; k++) json_put_number(w, p->counts.n5[k]);
            json_close(w);
        }
        json_close(w);
    }
    json_close(w);
}

static err put_curve(json_writer *w, const tour_view *v)
{
    double *at = NULL, *rating = NULL;
    int n = 0, players = v->setup.n_players;
    err e = v->rated ? view_convergence(v, CURVE, &at, &rating, &n) : ERR_OK;
    if (e != ERR_OK) return e;
    json_pair_object(w, "convergence");
    json_pair_array(w, "games");
    for (int k = 0; k < n; k++) json_put_number(w, at[k]);
    json_close(w);
    json_pair_array(w, "ratings");
    for (int k = 0; k < n; k++) {
        json_open_array(w);
        for (int i = 0; i < players; i++) json_put_number(w, hundredth(rating[k * players + i]));
        json_close(w);
    }
    json_close(w);
    json_close(w);
    free(at);
    free(rating);
    return ERR_OK;
}

// The test after every pair of games, thinned out.
typedef struct course {
    json_writer *w;
    const tour_view *v;
    double n5[5];
    uint64_t pairs, step;
    bool waiting; // the first game of a pair
    match_record first;
} course;

static err follow(void *ctx, const match_record *r)
{
    course *c = ctx;
    if (!view_counts(c->v, r)) return ERR_OK;
    if (!c->waiting || c->first.what.pair != r->what.pair) {
        c->first = *r;
        c->waiting = true;
        return ERR_OK;
    }
    c->waiting = false;
    c->n5[c->first.halves + 2 - r->halves]++;
    c->pairs++;
    if (c->pairs % c->step == 0 || 2 * c->pairs == c->v->games.n) {
        json_open_array(c->w);
        json_put_uint(c->w, 2 * c->pairs);
        json_put_number(c->w, round(1e4 * sprt_llr(&c->v->setup.sprt, c->n5, 5)) / 1e4);
        json_close(c->w);
    }
    return ERR_OK;
}

static err put_test(json_writer *w, const bench_opened *b)
{
    const tour_view *v = &b->view;
    const sprt_test *t = &v->setup.sprt;
    course c = {.w = w, .v = v, .step = 1 + v->games.n / 2 / LLR_POINTS};
    json_pair_object(w, "sprt");
    json_pair_number(w, "elo0", t->elo0);
    json_pair_number(w, "elo1", t->elo1);
    json_pair_number(w, "alpha", t->alpha);
    json_pair_number(w, "beta", t->beta);
    json_pair_number(w, "llr", v->test.llr);
    json_pair_number(w, "lower", v->test.lower);
    json_pair_number(w, "upper", v->test.upper);
    json_pair_text(w, "verdict", sprt_verdict_name(v->test.verdict));
    json_pair_array(w, "history");
    err e = store_games(b->s, v->state.run, follow, &c);
    json_close(w);
    json_close(w);
    return e;
}

err bench_details_json(const bench_opened *b, json_writer *w)
{
    put_setup(w, &b->view);
    put_pairings(w, &b->view);
    err e = put_curve(w, &b->view);
    return e == ERR_OK && b->view.setup.has_sprt ? put_test(w, b) : e;
}

// --- games

void bench_game_members(json_writer *w, const tour_setup *setup, const char *began, const match_record *r)
{
    json_pair_uint(w, "number", r->what.id);
    json_pair_text(w, "first", setup->player[r->what.player[0]].name);
    json_pair_text(w, "second", setup->player[r->what.player[1]].name);
    json_pair_number(w, "score", r->halves / 2.0);
    json_pair_text(w, "reason", match_reason_name(r->reason));
    json_pair_int(w, "plies", r->plies);
    json_pair_text(w, "opening", began);
    if (r->detail[0] != 0) json_pair_text(w, "detail", r->detail);
}

// The moves, and the game as a text that a session reads.
static err put_moves(json_writer *w, const tour_view *v, const match_record *r)
{
    text_buf line = {0}, record = {0};
    session *s = NULL;
    err e = export_line(v, r, &line);
    if (e == ERR_OK)
        e = session_open(
            &s,
            &(session_setup){.g = v->setup.g, .options = v->setup.settings, .key = {v->setup.seed, r->what.opening}});
    for (int i = 0; i < 2 && e == ERR_OK && i < v->setup.g->n_seats; i++)
        e = session_set_name(s, i, v->setup.player[r->what.player[i]].name);
    for (int i = 0; e == ERR_OK && r->moves != NULL && i < r->plies; i++) e = session_play(s, r->moves[i], NULL);
    if (e == ERR_OK) e = session_export(s, FORMAT_TEXT, &record);
    if (e == ERR_OK) {
        json_pair_text(w, "game", v->setup.g->name);
        json_pair_text(w, "moves", text_str(&line));
        json_pair_text(w, "text", text_str(&record));
    }
    session_close(s);
    text_free(&line);
    text_free(&record);
    return e;
}

typedef struct listing {
    const tour_view *v;
    const bench_filter *f;
    json_writer *w;
    int player, halves; // of the filter; -1 = any
    int64_t seen;
} listing;

static bool fits(const listing *l, const match_record *r)
{
    int seat = l->player >= 0 && r->what.player[1] == l->player ? 1 : 0;
    if (l->player >= 0 && r->what.player[0] != l->player && r->what.player[1] != l->player) return false;
    return l->halves < 0 || (seat == 0 ? r->halves : 2 - r->halves) == l->halves;
}

static err list_game(void *ctx, const match_record *r)
{
    listing *l = ctx;
    char began[OPENING_NAME];
    if (!view_counts(l->v, r) || !fits(l, r)) return ERR_OK;
    if (l->seen >= l->f->from && l->seen - l->f->from < l->f->limit) {
        json_open_object(l->w);
        bench_game_members(l->w, &l->v->setup, view_opening(l->v, r->what.opening, began), r);
        json_close(l->w);
    }
    l->seen++;
    return ERR_OK;
}

err bench_games_json(const bench_opened *b, const bench_filter *f, json_writer *w)
{
    static const char *const words[] = {"loss", "draw", "win"};
    listing l = {&b->view, f, w, -1, -1, 0};
    for (int i = 0; f->player != NULL && i < b->view.setup.n_players; i++)
        if (strcmp(b->view.setup.player[i].name, f->player) == 0) l.player = i;
    if (f->player != NULL && l.player < 0) return err_set(ERR_USAGE, "there is no player '%.64s'", f->player);
    for (int i = 0; f->result != NULL && i < 3; i++)
        if (strcmp(words[i], f->result) == 0) l.halves = i;
    if (f->result != NULL && l.halves < 0)
        return err_set(ERR_USAGE, "'result' must be win, draw or loss, not '%.20s'", f->result);
    json_open_object(w);
    json_pair_array(w, "items");
    err e = store_games(b->s, b->view.state.run, list_game, &l);
    json_close(w);
    json_pair_int(w, "total", l.seen);
    json_pair_int(w, "from", f->from);
    json_close(w);
    return e;
}

typedef struct finding {
    const tour_view *v;
    json_writer *w;
    uint64_t number;
    bool found;
} finding;

static err find_game(void *ctx, const match_record *r)
{
    finding *f = ctx;
    char began[OPENING_NAME];
    if (r->what.id != f->number) return ERR_OK;
    f->found = true;
    json_open_object(f->w);
    bench_game_members(f->w, &f->v->setup, view_opening(f->v, r->what.opening, began), r);
    err e = put_moves(f->w, f->v, r);
    json_close(f->w);
    return e;
}

err bench_game_json(const bench_opened *b, uint64_t number, json_writer *w)
{
    finding f = {&b->view, w, number, false};
    err e = store_games(b->s, b->view.state.run, find_game, &f);
    if (e == ERR_OK && !f.found) e = err_set(ERR_MISSING, "there is no game %llu", (unsigned long long)number);
    return e;
}

// --- the newest games of a store with many runs: what a training keeps of its ratings

typedef struct recent {
    tour_view v; // its setup and state; nothing is rated
    json_writer *w;
    uint64_t first, end; // which games of this run, in its order
    uint64_t at;
    text_buf *items; // their texts, in order
    int n;
} recent;

static err keep_game(void *ctx, const match_record *r)
{
    recent *k = ctx;
    char began[OPENING_NAME];
    uint64_t at = k->at++;
    if (at < k->first || at >= k->end) return ERR_OK;
    json_writer w = json_begin(&k->items[k->n++], false);
    json_open_object(&w);
    bench_game_members(&w, &k->v.setup, view_opening(&k->v, r->what.opening, began), r);
    err e = put_moves(&w, &k->v, r);
    json_close(&w);
    return e == ERR_OK ? json_finish(&w) : e;
}

// Those of one run that the page [from, from + limit) takes, when `before` games of later runs were counted.
static err put_run(store *s, int run, int64_t *before, int64_t from, int64_t limit, json_writer *w)
{
    recent k = {.v = {.path = store_path(s)}, .w = w};
    err e = store_load(s, run, &k.v.setup, &k.v.state);
    if (e != ERR_OK) return e;
    int64_t played = (int64_t)k.v.state.played, skip = from > *before ? from - *before : 0;
    int64_t taken = *before > from ? *before - from : 0; // by later runs
    int64_t want = limit - taken > 0 ? limit - taken : 0;
    *before += played;
    k.end = (uint64_t)(skip < played ? played - skip : 0);
    k.first = k.end > (uint64_t)want ? k.end - (uint64_t)want : 0;
    if (k.end > k.first) {
        k.items = calloc((size_t)(k.end - k.first), sizeof *k.items);
        e = k.items == NULL ? err_set(ERR_MEMORY, "no memory for games") : store_games(s, run, keep_game, &k);
        for (int i = k.n - 1; i >= 0; i--) {
            if (e == ERR_OK) json_put_raw(w, text_str(&k.items[i]), k.items[i].len);
            text_free(&k.items[i]);
        }
        free(k.items);
    }
    tour_setup_free(&k.v.setup);
    return e;
}

err bench_recent_json(store *s, int64_t from, int64_t limit, json_writer *w)
{
    int64_t total = 0;
    err e = ERR_OK;
    json_open_object(w);
    json_pair_array(w, "items");
    for (int run = s != NULL ? store_runs(s) : 0; run > 0 && e == ERR_OK; run--)
        e = put_run(s, run, &total, from, limit, w);
    json_close(w);
    json_pair_int(w, "total", total);
    json_pair_int(w, "from", from);
    json_close(w);
    return e;
}
