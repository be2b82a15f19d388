// A run of the bench as a document: what the page shows of it, the whole table, and games to replay. See report.h.
//
// Replays are boards, one per move, so that they need no rules in the file. They are taken evenly from the whole run.
#include "app/report.h"
#include "base/clock.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_fit(const tour_view *v, json_writer *w)
{
    json_pair_object(w, "fit");
    json_pair_text(w, "model", rating_model_name(&v->rating));
    json_pair_text(w, "errors", rating_errors_name(rating_errors_used(&v->fit, v->errors)));
    json_pair_number(w, "level", v->setup.rating.level);
    json_pair_number(w, "advantage", round(v->fit.advantage));
    json_close(w);
}

// What status does not have of each player.
static void put_players(const tour_view *v, json_writer *w)
{
    json_pair_array(w, "players");
    for (int i = 0; i < v->setup.n_players; i++) {
        const view_player *p = &v->player[i];
        json_open_object(w);
        json_pair_text(w, "name", v->setup.player[i].name);
        json_pair_text(w, "agent", v->setup.player[i].spec);
        json_pair_text(w, "config", v->setup.player[i].config);
        if (v->rated) json_pair_number(w, "sequential", round(v->sequential[i]));
        json_pair_number(w, "nodesPerSecond", p->seconds > 0 ? round(p->nodes / p->seconds) : 0);
        json_close(w);
    }
    json_close(w);
}

// The sequential test in words, a line each.
static err put_words(const tour_view *v, json_writer *w)
{
    text_buf t = {0};
    table_test(v, TABLE_TEXT, &t);
    err e = text_check(&t);
    json_pair_array(w, "words");
    for (const char *p = text_str(&t); e == ERR_OK && *p != 0;) {
        size_t n = strcspn(p, "\n");
        if (n > 0) json_put_text_n(w, p, n);
        p += n + (p[n] != 0);
    }
    json_close(w);
    text_free(&t);
    return e;
}

typedef struct listing {
    const tour_view *v;
    json_writer *w;
    uint64_t seen, rows; // games that count; those of them that are listed evenly
    uint64_t n, most_rows, most;
    char last[256];
} listing;

// Whether game `i` of `n` stands for its part of the run, when the run is cut into `most` parts. Its place in a part changes:
// at even distances, games in a fixed order would show one side only, or two of six pairings.
static bool is_taken(uint64_t i, uint64_t n, uint64_t most)
{
    if (n <= most) return true;
    if (most == 0) return false;
    uint64_t part = i * most / n, first = (part * n + most - 1) / most, end = ((part + 1) * n + most - 1) / most;
    return i == first + rng_mix(part) % (end - first);
}

static err put_board(void *ctx, const void *obs, move_t next)
{
    listing *l = ctx;
    const game *g = l->v->setup.g;
    report_board(g, obs, l->last, l->w);
    l->last[0] = 0;
    if (next != MOVE_NONE) g->move_print(obs, next, l->last, sizeof l->last);
    return ERR_OK;
}

static err list_game(void *ctx, const match_record *r)
{
    listing *l = ctx;
    char from[OPENING_NAME];
    if (!view_counts(l->v, r)) return ERR_OK;
    bool even = is_taken(l->seen++, l->n, l->most_rows);
    if (!even && r->reason != MATCH_FAILED) return ERR_OK;
    bool replay = even && is_taken(l->rows++, l->most_rows, l->most) && r->moves != NULL;
    json_open_object(l->w);
    bench_game_members(l->w, &l->v->setup, view_opening(l->v, r->what.opening, from), r);
    json_pair_int(l->w, "ms", (int64_t)(1000 * (r->side[0].seconds + r->side[1].seconds) + 0.5));
    err e = ERR_OK;
    if (replay) {
        l->last[0] = 0;
        json_pair_array(l->w, "boards");
        e = export_replay(l->v, r, put_board, l);
        json_close(l->w);
    }
    json_close(l->w);
    return e;
}

static err put_games(const bench_opened *b, int most, json_writer *w)
{
    uint64_t n = b->view.games.n;
    listing l = {
        .v = &b->view, .w = w, .n = n, .most_rows = n < REPORT_GAMES ? n : REPORT_GAMES, .most = (uint64_t)most};
    json_pair_bool(w, "everyGame", n <= REPORT_GAMES);
    json_pair_array(w, "games");
    err e = store_games(b->s, b->view.state.run, list_game, &l);
    json_close(w);
    return e;
}

err report_bench_json(const bench_opened *b, const char *path, const report_options *o, json_writer *w)
{
    const tour_view *v = &b->view;
    char now[CLOCK_TEXT];
    json_open_object(w);
    json_pair_text(w, "kind", "bench");
    json_pair_text(w, "name", path);
    json_pair_text(w, "made", clock_iso(clock_unix(), now));
    json_pair_text(w, "title", v->setup.g->title);
    json_pair_text(w, "build", v->setup.build);
    json_pair_int(w, "openingCount", v->setup.set.n);
    json_key(w, "status");
    bench_status_json(v, b->playing, w);
    err e = bench_details_json(b, w);
    if (v->rated) put_fit(v, w);
    put_players(v, w);
    if (e == ERR_OK) e = put_words(v, w);
    if (e == ERR_OK) e = put_games(b, v->rated ? o->replays : 0, w);
    json_close(w);
    return e;
}
