// A run of the bench for people and programs that look at it: status and report. See bench.h.
#include "app/bench.h"
#include "base/clock.h"

#include <math.h>

static void put_player(json_writer *w, const tour_view *v, int i)
{
    const view_player *p = &v->player[i];
    double choices = p->choices > 0 ? p->choices : 1;
    json_open_object(w);
    json_pair_text(w, "name", v->setup.player[i].name);
    json_pair_text(w, "agent", v->setup.player[i].spec);
    if (v->rated) {
        interval in = view_interval(v, i);
        json_pair_number(w, "rating", round(100 * v->fit.rating[i]) / 100);
        json_pair_number(w, "low", round(100 * in.low) / 100);
        json_pair_number(w, "high", round(100 * in.high) / 100);
    }
    json_pair_int(w, "games", (int64_t)p->games);
    json_pair_int(w, "wins", (int64_t)p->wins);
    json_pair_int(w, "draws", (int64_t)p->draws);
    json_pair_int(w, "losses", (int64_t)p->losses);
    json_pair_int(w, "failures", (int64_t)p->failures);
    json_pair_number(w, "thinkMs", 1000 * p->seconds / choices);
    json_pair_number(w, "cpuMs", 1000 * p->cpu / choices);
    json_close(w);
}

static void put_test(json_writer *w, const tour_view *v)
{
    json_pair_object(w, "sprt");
    json_pair_number(w, "llr", v->test.llr);
    json_pair_number(w, "lower", v->test.lower);
    json_pair_number(w, "upper", v->test.upper);
    json_pair_text(w, "verdict", sprt_verdict_name(v->test.verdict));
    json_close(w);
}

void bench_status_json(const tour_view *v, bool playing, json_writer *w)
{
    char time[CLOCK_TEXT];
    json_open_object(w);
    json_pair_text(w, "kind", "bench");
    json_pair_text(w, "game", v->setup.g->name);
    json_pair_int(w, "run", v->state.run);
    json_pair_bool(w, "playing", playing);
    json_pair_bool(w, "complete", v->state.ended > 0);
    if (v->state.started > 1e6) json_pair_text(w, "started", clock_iso(v->state.started, time));
    if (v->state.ended > 1e6) json_pair_text(w, "ended", clock_iso(v->state.ended, time));
    json_pair_uint(w, "played", view_played(v));
    json_pair_uint(w, "planned", v->planned);
    json_pair_array(w, "players");
    for (int i = 0; i < v->setup.n_players; i++) put_player(w, v, i);
    json_close(w);
    if (v->setup.has_sprt) put_test(w, v);
    json_pair_array(w, "notes");
    for (int i = 0; i < v->notes.n; i++) json_put_text(w, v->notes.line[i]);
    for (int i = 0; v->rated && i < v->fit.notes.n; i++) json_put_text(w, v->fit.notes.line[i]);
    json_close(w);
    json_close(w);
}

err bench_markdown(const char *path, int run, const view_options *o, text_buf *to)
{
    bench_opened b = {0};
    err e = bench_open(&b, path, run, o);
    if (e == ERR_OK) e = tour_markdown(&b.view, to);
    bench_close(&b);
    return e;
}
