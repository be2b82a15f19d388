// CSV, and what all exports share. See export.h.
#include "arena/export.h"

#include "base/csv.h"

#include <stdlib.h>
#include <string.h>

export_pair export_pair_of(const tour_view *v, const match_record *r)
{
    bool straight = r->what.player[0] < r->what.player[1];
    export_pair p = {.a_first = straight,
                     .winner = r->halves == 1                  ? "draw"
                               : (r->halves == 2) == p.a_first ? "A"
                                                               : "B"};
    for (int k = 0; k < 2; k++) {
        int seat = straight ? k : !k;
        p.player[k] = &v->setup.player[r->what.player[seat]];
        p.side[k] = &r->side[seat];
    }
    return p;
}

err export_replay(const tour_view *v, const match_record *r, stored_see *see, void *ctx)
{
    return stored_replay(&(stored_line){.setup = &v->setup,
                                        .path = v->path,
                                        .what = "game",
                                        .number = r->what.id,
                                        .opening = r->what.opening,
                                        .moves = r->moves,
                                        .plies = r->plies},
                         see, ctx);
}

typedef struct line_job {
    const game *g;
    text_buf *out;
    int n;
} line_job;

static err print_move(void *ctx, const void *obs, move_t next)
{
    line_job *j = ctx;
    char word[256];
    if (next == MOVE_NONE) return ERR_OK;
    j->g->move_print(obs, next, word, sizeof word);
    if (j->n++ > 0) text_char(j->out, ';');
    text_append(j->out, word);
    return ERR_OK;
}

err export_line(const tour_view *v, const match_record *r, text_buf *out)
{
    line_job j = {.g = v->setup.g, .out = out};
    err e = export_replay(v, r, print_move, &j);
    return e == ERR_OK ? text_check(out) : e;
}

err export_flush(text_buf *t, sink to)
{
    err e = text_check(t);
    if (e == ERR_OK && t->len > 0) e = to.write(to.ctx, t->data, t->len);
    text_clear(t);
    return e;
}

err export_ratings_csv(const tour_view *v, const export_options *o, sink to)
{
    static const char *const names[] = {
        "player", "rating",         "games", "wins",           "losses", "draws",    "win_rate",         "low",
        "high",   "elo_sequential", "score", "moves_per_game", "config", "think_ms", "nodes_per_second", "cpu_ms"};
    text_buf t = {0};
    csv_writer w = csv_begin(&t);
    csv_header(&w, names, o->timing ? 16 : 13);
    for (int i = 0; v->rated && i < v->setup.n_players; i++) {
        const view_player *p = &v->player[i];
        interval in = view_interval(v, i);
        double games = p->games > 0 ? p->games : 1;
        csv_text(&w, v->setup.player[i].name);
        csv_fixed(&w, v->fit.rating[i], 1);
        csv_int(&w, (int64_t)p->games);
        csv_int(&w, (int64_t)p->wins);
        csv_int(&w, (int64_t)p->losses);
        csv_int(&w, (int64_t)p->draws);
        csv_fixed(&w, 100 * p->wins / games, 1);
        csv_fixed(&w, in.low, 1);
        csv_fixed(&w, in.high, 1);
        csv_fixed(&w, v->sequential[i], 1);
        csv_fixed(&w, 100 * view_score(p), 1);
        csv_fixed(&w, p->plies / games, 1);
        csv_text(&w, v->setup.player[i].config);
        if (o->timing) {
            csv_fixed(&w, p->choices > 0 ? 1000 * p->seconds / p->choices : 0, 3);
            csv_fixed(&w, p->seconds > 0 ? p->nodes / p->seconds : 0, 0);
            csv_fixed(&w, p->choices > 0 ? 1000 * p->cpu / p->choices : 0, 3);
        }
        csv_end_row(&w);
    }
    err e = export_flush(&t, to);
    text_free(&t);
    return e;
}

typedef struct csv_job {
    const tour_view *v;
    const export_options *o;
    text_buf t, line;
    csv_writer w;
    sink to;
} csv_job;

static err csv_game(void *ctx, const match_record *r)
{
    csv_job *j = ctx;
    const tour_view *v = j->v;
    if (!view_counts(v, r)) return ERR_OK;
    export_pair p = export_pair_of(v, r);
    const match_side *sa = p.side[0], *sb = p.side[1];
    char from[OPENING_NAME];
    csv_int(&j->w, (int64_t)r->what.id + 1);
    csv_text(&j->w, p.player[0]->name);
    csv_text(&j->w, p.player[1]->name);
    csv_text(&j->w, p.a_first ? "A" : "B");
    csv_text(&j->w, p.winner);
    csv_int(&j->w, r->plies);
    if (j->o->timing) csv_int(&j->w, (int64_t)(1000 * (sa->seconds + sb->seconds) + 0.5));
    csv_int(&j->w, (int64_t)v->setup.seed);
    csv_text(&j->w, view_opening(v, r->what.opening, from));
    csv_int(&j->w, r->opening_plies);
    if (r->what.pair != PAIR_NONE)
        csv_int(&j->w, view_cluster(v, r));
    else
        csv_text(&j->w, "");
    csv_text(&j->w, match_reason_name(r->reason));
    csv_text(&j->w, r->detail);
    csv_int(&j->w, (int64_t)sa->nodes);
    csv_int(&j->w, (int64_t)sb->nodes);
    csv_text(&j->w, p.player[0]->config);
    csv_text(&j->w, p.player[1]->config);
    csv_text(&j->w, v->setup.build);
    if (j->o->timing) {
        csv_fixed(&j->w, 1000 * sa->seconds, 3);
        csv_fixed(&j->w, 1000 * sb->seconds, 3);
        csv_fixed(&j->w, 1000 * sa->cpu, 3);
        csv_fixed(&j->w, 1000 * sb->cpu, 3);
    }
    err e = ERR_OK;
    if (j->o->lines) {
        text_clear(&j->line);
        e = export_line(v, r, &j->line);
        csv_text(&j->w, text_str(&j->line));
    }
    csv_end_row(&j->w);
    return e == ERR_OK && j->t.len > 1 << 16 ? export_flush(&j->t, j->to) : e;
}

err export_games_csv(const tour_view *v, store *s, const export_options *o, sink to)
{
    csv_job j = {.v = v, .o = o, .to = to};
    j.w = csv_begin(&j.t);
    static const char *const names[] = {"id",          "playerA",  "playerB", "first_player",  "winner",  "moves",
                                        "duration_ms", "seed",     "opening", "opening_moves", "pair",    "reason",
                                        "detail",      "nodesA",   "nodesB",  "configA",       "configB", "build",
                                        "timeA_ms",    "timeB_ms", "cpuA_ms", "cpuB_ms",       "line"};
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
        bool timed = i == 6 || (i >= 18 && i <= 21), moves = i == 22;
        if ((!timed || o->timing) && (!moves || o->lines)) csv_text(&j.w, names[i]);
    }
    csv_end_row(&j.w);
    err e = store_games(s, v->state.run, csv_game, &j);
    if (e == ERR_OK) e = export_flush(&j.t, to);
    text_free(&j.t);
    text_free(&j.line);
    return e;
}
