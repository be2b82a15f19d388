// The seed's JSON with our keys added. See export.h.
#include "arena/export.h"
#include "base/clock.h"
#include "base/json.h"

#include <math.h>
#include <stdlib.h>

static void put_rounded(json_writer *w, const char *key, double v, double scale) // to 1/scale
{
    json_pair_number(w, key, round(v * scale) / scale);
}

static void put_elo(json_writer *w, const char *key, double v)
{
    put_rounded(w, key, v, 100);
}

static void put_config(json_writer *w, const tour_setup *s)
{
    json_pair_object(w, "config");
    json_pair_uint(w, "gamesPerPair", s->games);
    json_pair_text(w, "game", s->g->name);
    json_pair_text(w, "options", s->settings);
    json_pair_text(w, "schedule", schedule_names[s->schedule]);
    json_pair_uint(w, "seed", s->seed);
    json_pair_text(w, "openings", s->openings);
    json_pair_uint(w, "openingCount", s->set.n);
    json_pair_int(w, "maxPlies", s->rules.max_plies);
    json_pair_int(w, "adjudicate", s->rules.adjudicate);
    json_pair_number(w, "resign", s->rules.resign);
    json_pair_int(w, "resignMoves", s->rules.resign_moves);
    json_pair_array(w, "players");
    for (int i = 0; i < s->n_players; i++) {
        json_open_object(w);
        json_pair_text(w, "id", s->player[i].name);
        json_pair_text(w, "agent", s->player[i].spec);
        json_pair_text(w, "config", s->player[i].config);
        json_close(w);
    }
    json_close(w);
    json_close(w);
}

static void put_player(json_writer *w, const tour_view *v, const export_options *o, int i)
{
    const view_player *p = &v->player[i];
    double games = p->games > 0 ? p->games : 1, choices = p->choices > 0 ? p->choices : 1;
    json_pair_object(w, v->setup.player[i].name);
    if (v->rated) put_elo(w, "rating", v->fit.rating[i]);
    json_pair_int(w, "games", (int64_t)p->games);
    json_pair_int(w, "wins", (int64_t)p->wins);
    json_pair_int(w, "losses", (int64_t)p->losses);
    json_pair_int(w, "draws", (int64_t)p->draws);
    if (v->rated) {
        interval in = view_interval(v, i);
        put_elo(w, "low", in.low);
        put_elo(w, "high", in.high);
        put_elo(w, "elo_sequential", v->sequential[i]);
    }
    put_rounded(w, "score", view_score(p), 1e6);
    put_rounded(w, "movesPerGame", p->plies / games, 1e3);
    put_rounded(w, "nodesPerMove", p->nodes / choices, 1e3);
    json_pair_int(w, "failures", (int64_t)p->failures);
    if (o->timing) {
        put_rounded(w, "thinkMs", 1000 * p->seconds / choices, 1e6);
        put_rounded(w, "cpuMs", 1000 * p->cpu / choices, 1e6);
        put_rounded(w, "nodesPerSecond", p->seconds > 0 ? p->nodes / p->seconds : 0, 1);
    }
    json_close(w);
}

static void put_matchups(json_writer *w, const tour_view *v)
{
    json_pair_array(w, "matchups");
    for (int i = 0; i < v->n_pairings; i++) {
        const view_pairing *p = &v->pairing[i];
        json_open_object(w);
        json_pair_text(w, "playerA", v->setup.player[p->a].name);
        json_pair_text(w, "playerB", v->setup.player[p->b].name);
        json_pair_int(w, "winsA", (int64_t)p->wins_a);
        json_pair_int(w, "winsB", (int64_t)p->wins_b);
        json_pair_int(w, "draws", (int64_t)p->draws);
        put_elo(w, "elo", p->elo.elo);
        put_elo(w, "low", p->elo.low);
        put_elo(w, "high", p->elo.high);
        json_pair_array(w, "pairs"); // by A's points in them: 0, ½, 1, 1½, 2
        for (int k = 0; k < 5; k++) json_put_int(w, (int64_t)p->counts.n5[k]);
        json_close(w);
        json_close(w);
    }
    json_close(w);
}

static void put_fit(json_writer *w, const tour_view *v)
{
    int n = v->setup.n_players;
    interval in = view_interval(v, n);
    json_pair_text(w, "model", rating_model_name(&v->rating));
    json_pair_text(w, "errors", rating_errors_name(rating_errors_used(&v->fit, v->errors)));
    json_pair_number(w, "level", v->setup.rating.level);
    json_pair_text(w, "anchor", v->setup.rating.anchor);
    json_pair_number(w, "prior", v->setup.rating.prior);
    json_pair_object(w, "firstMoveAdvantage");
    put_elo(w, "elo", v->fit.advantage);
    put_elo(w, "low", in.low);
    put_elo(w, "high", in.high);
    json_pair_bool(w, "fitted", v->fit.has_advantage);
    json_close(w);
    json_pair_array(
        w, "superiority"); // [i][k]: chance that player i is stronger than player k, in order of config.players
    for (int i = 0; i < n; i++) {
        json_open_array(w);
        for (int k = 0; k < n; k++) json_put_number(w, round(1e6 * rating_superiority(&v->fit, v->errors, i, k)) / 1e6);
        json_close(w);
    }
    json_close(w);
}

static void put_test(json_writer *w, const tour_view *v)
{
    const sprt_test *t = &v->setup.sprt;
    json_pair_object(w, "sprt");
    json_pair_number(w, "elo0", t->elo0);
    json_pair_number(w, "elo1", t->elo1);
    json_pair_number(w, "alpha", t->alpha);
    json_pair_number(w, "beta", t->beta);
    json_pair_text(w, "scale", t->scale == SPRT_NORMALISED ? "normalised" : "logistic");
    put_rounded(w, "llr", v->test.llr, 1e5);
    put_rounded(w, "lower", v->test.lower, 1e5);
    put_rounded(w, "upper", v->test.upper, 1e5);
    json_pair_text(w, "verdict", sprt_verdict_name(v->test.verdict));
    json_pair_array(w, "pairs");
    for (int i = 0; i < 5; i++) json_put_int(w, (int64_t)v->n5[i]);
    json_close(w);
    json_close(w);
}

static void put_notes(json_writer *w, const tour_view *v)
{
    json_pair_array(w, "notes");
    for (int i = 0; i < v->notes.n; i++) json_put_text(w, v->notes.line[i]);
    for (int i = 0; v->rated && i < v->fit.notes.n; i++) json_put_text(w, v->fit.notes.line[i]);
    json_close(w);
}

typedef struct json_job {
    const tour_view *v;
    const export_options *o;
    text_buf t, line;
    json_writer w;
    sink to;
} json_job;

static err put_game(void *ctx, const match_record *r)
{
    json_job *j = ctx;
    const tour_view *v = j->v;
    if (!view_counts(v, r)) return ERR_OK;
    export_pair p = export_pair_of(v, r);
    const match_side *sa = p.side[0], *sb = p.side[1];
    char from[OPENING_NAME];
    json_writer *w = &j->w;
    // One line per game is easier to read, to grep and to compare than twenty.
    json_open_object(w);
    w->pretty = false;
    json_pair_uint(w, "id", r->what.id + 1);
    json_pair_text(w, "playerA", p.player[0]->name);
    json_pair_text(w, "playerB", p.player[1]->name);
    json_pair_text(w, "firstPlayer", p.a_first ? "A" : "B");
    json_pair_text(w, "winner", p.winner);
    json_pair_int(w, "moves", r->plies);
    if (j->o->timing) json_pair_int(w, "duration", (int64_t)(1000 * (sa->seconds + sb->seconds) + 0.5));
    json_pair_uint(w, "seed", v->setup.seed);
    json_pair_text(w, "opening", view_opening(v, r->what.opening, from));
    json_pair_uint(w, "openingNumber", r->what.opening);
    json_pair_int(w, "openingMoves", r->opening_plies);
    if (r->what.pair != PAIR_NONE) json_pair_uint(w, "pair", view_cluster(v, r));
    json_pair_text(w, "reason", match_reason_name(r->reason));
    if (r->detail[0]) json_pair_text(w, "detail", r->detail);
    if (r->reason == MATCH_FAILED) json_pair_text(w, "failed", (r->failed == 0) == p.a_first ? "A" : "B");
    json_pair_uint(w, "choicesA", sa->choices);
    json_pair_uint(w, "choicesB", sb->choices);
    json_pair_uint(w, "nodesA", sa->nodes);
    json_pair_uint(w, "nodesB", sb->nodes);
    if (j->o->timing) {
        put_rounded(w, "timeA", 1000 * sa->seconds, 1e3);
        put_rounded(w, "timeB", 1000 * sb->seconds, 1e3);
        put_rounded(w, "cpuA", 1000 * sa->cpu, 1e3);
        put_rounded(w, "cpuB", 1000 * sb->cpu, 1e3);
    }
    json_pair_text(w, "configA", p.player[0]->config);
    json_pair_text(w, "configB", p.player[1]->config);
    err e = ERR_OK;
    if (j->o->lines && r->moves != NULL) {
        text_clear(&j->line);
        e = export_line(v, r, &j->line);
        json_pair_text(w, "line", text_str(&j->line));
    }
    json_close(w);
    w->pretty = true;
    return e == ERR_OK && j->t.len > 1 << 16 ? export_flush(&j->t, j->to) : e;
}

err export_json(const tour_view *v, store *s, const export_options *o, sink to)
{
    json_job j = {.v = v, .o = o, .to = to};
    char stamp[CLOCK_TEXT];
    j.w = json_begin(&j.t, true);
    json_writer *w = &j.w;
    json_open_object(w);
    if (o->timing) json_pair_text(w, "timestamp", clock_iso(v->state.started, stamp));
    put_config(w, &v->setup);
    json_pair_text(w, "build", v->setup.build);
    json_pair_bool(w, "complete", v->state.ended > 0);
    if (v->rated) put_fit(w, v);
    json_pair_object(w, "ratings");
    for (int i = 0; i < v->setup.n_players; i++) put_player(w, v, o, i);
    json_close(w);
    put_matchups(w, v);
    if (v->setup.has_sprt) put_test(w, v);
    put_notes(w, v);
    json_pair_array(w, "games");
    err e = store_games(s, v->state.run, put_game, &j);
    if (e == ERR_OK) {
        json_close(w);
        json_close(w);
        e = json_finish(w);
    }
    if (e == ERR_OK) e = export_flush(&j.t, j.to);
    text_free(&j.t);
    text_free(&j.line);
    return e;
}
