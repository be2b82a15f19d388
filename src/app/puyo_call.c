// See puyo_call.h.
#include "app/puyo_call.h"

#include "app/advise_practice.h"
#include "games/puyo/puyo_url.h"
#include "stats/dist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { GAMES_MOST = 100000, TURNS_MOST = 200 };

typedef struct call {
    puyo_live *live;
    const call_arg *args;
    int n;
    json_writer w;
} call;

// --- arguments

static const char *text_of(const call *c, const char *key)
{
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->args[i].key, key) == 0) return c->args[i].value;
    return NULL;
}

static err number_of(const call *c, const char *key, int64_t low, int64_t high, int64_t *io)
{
    const char *text = text_of(c, key);
    char *end;
    if (text == NULL) return ERR_OK;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end != 0 || errno != 0 || v < low || v > high)
        return err_set(ERR_USAGE, "'%s' must be a whole number from %lld to %lld, not '%.40s'", key, (long long)low,
                       (long long)high, text);
    *io = v;
    return ERR_OK;
}

static err request_of(const call *c, advise_request *r)
{
    int64_t colours = 4, index = 0, seed = 0, first = 0, games = 0, shown = -1;
    *r = (advise_request){.field = text_of(c, "field"),
                          .pair = text_of(c, "pair"),
                          .next = text_of(c, "next"),
                          .mode = text_of(c, "mode"),
                          .pairs = text_of(c, "pairs"),
                          .turns = text_of(c, "turns"),
                          .reach = text_of(c, "reach") != NULL};
    err e = number_of(c, "colours", 3, 5, &colours);
    if (e == ERR_OK) e = number_of(c, "index", 0, 100000, &index);
    if (e == ERR_OK) e = number_of(c, "seed", 0, INT64_MAX, &seed);
    if (e == ERR_OK) e = number_of(c, "first", 0, INT64_MAX / 2, &first);
    if (e == ERR_OK) e = number_of(c, "games", 1, GAMES_MOST, &games);
    if (e == ERR_OK) e = number_of(c, "shown", 0, 2, &shown);
    r->colours = (int)colours;
    r->index = index;
    r->seed = (uint64_t)seed;
    r->first = (uint64_t)first;
    r->games = games;
    r->shown = (int)shown;
    return e;
}

static err field_of(const call *c, py_field *f)
{
    const char *text = text_of(c, "field");
    py_url u;
    if (text == NULL) return err_set(ERR_USAGE, "'field' is missing");
    if (strstr(text, "://") == NULL && strstr(text, "puyop.com") == NULL) return py_field_parse(text, f);
    err e = py_url_parse(text, &u);
    if (e == ERR_OK) *f = u.field;
    return e;
}

static void put_field(json_writer *w, const py_field *f)
{
    char text[PY_FIELD_TEXT];
    py_field_print(f, text, sizeof text);
    json_pair_text(w, "field", text);
}

// --- the advisor

static err do_advise(call *c)
{
    advise_request r;
    advise_question q;
    advice *a = malloc(sizeof *a);
    err e = a == NULL ? err_set(ERR_MEMORY, "no memory for advice") : request_of(c, &r);
    if (e == ERR_OK) e = advise_read(&r, &q);
    if (e == ERR_OK) e = advise_ask(&q, a);
    if (e == ERR_OK) {
        json_key(&c->w, "advice");
        advise_json(&c->w, &q, a);
    }
    free(a);
    return e;
}

typedef struct practised { // a game so far
    py_field field;
    int turn, folded; // placed; the turn after which the fold stood, 0 = it does not
} practised;

static err replay(call *c, py_queue *queue, practised *p)
{
    const char *moves = text_of(c, "moves");
    char word[8];
    *p = (practised){.turn = 0};
    for (const char *at = moves != NULL ? moves : ""; *at != 0;) {
        size_t n = strcspn(at, ";");
        move_t m;
        if (n >= sizeof word || p->turn == TURNS_MOST) return err_set(ERR_USAGE, "'moves' is malformed");
        memcpy(word, at, n);
        word[n] = 0;
        at += n + (at[n] == ';');
        uint8_t pair = py_queue_get(queue, (uint32_t)p->turn);
        err e = py_move_parse(word, &p->field, pair, true, PY_LOSE_TSU, &m);
        if (e != ERR_OK) return err_prefix(e, "turn %d", p->turn + 1);
        if (*at == 0) {
            json_pair_object(&c->w, "steps");
            py_placement_view(&c->w, p->field, m, pair);
            json_close(&c->w);
        }
        py_place(&p->field, m, pair);
        py_chain(&p->field);
        p->turn++;
        if (p->folded == 0 && gtr_stands(&p->field, NULL)) p->folded = p->turn;
    }
    return ERR_OK;
}

static err do_practice(call *c)
{
    int64_t number = 0;
    int kind = 0, turns[1] = {ADVISOR_TURNS}, n;
    advise_request r;
    practised p;
    py_queue queue;
    advice *a = malloc(sizeof *a);
    err e = a == NULL ? err_set(ERR_MEMORY, "no memory for advice") : request_of(c, &r);
    if (e == ERR_OK) e = number_of(c, "number", 0, INT64_MAX, &number);
    if (e == ERR_OK) e = advise_kind(r.pairs != NULL ? r.pairs : "blocks", &kind);
    if (e == ERR_OK && r.turns != NULL) e = advise_turns(r.turns, turns, 1, &n);
    if (e == ERR_OK) {
        py_queue_init(&queue, kind, r.colours, r.seed, (uint64_t)number);
        e = replay(c, &queue, &p);
    }
    if (e == ERR_OK) {
        uint32_t i = (uint32_t)p.turn;
        int shown = r.shown >= 0 ? r.shown : 2, left = turns[0] - p.turn;
        advise_question q = {.config = &advisor_defaults,
                             .plus = r.mode != NULL && strcmp(r.mode, "plus") == 0,
                             .reach = true,
                             .field = p.field,
                             .pair = py_queue_get(&queue, i)};
        for (uint32_t k = 0; k < 2; k++) q.future.next[k] = (int)k < shown ? py_queue_get(&queue, i + 1 + k) : 0;
        q.future.kind = (uint8_t)kind;
        q.future.colours = (uint8_t)r.colours;
        q.future.index = i;
        q.future.turns = left > 0 ? left : 0;
        e = advise_ask(&q, a);
        json_pair_int(&c->w, "turn", p.turn);
        json_pair_int(&c->w, "turns", turns[0]);
        json_pair_int(&c->w, "folded", p.folded);
        json_pair_int(&c->w, "points", p.folded > 0 ? advise_fold_points(turns[0], p.folded) : 0);
        json_pair_bool(&c->w, "over", p.folded > 0 || p.turn >= turns[0] || py_buried(&p.field, PY_LOSE_TSU));
        json_key(&c->w, "advice");
        advise_json(&c->w, &q, a);
    }
    free(a);
    return e;
}

static err do_simulate(call *c)
{
    advise_request r;
    advise_simulation *s = calloc(1, sizeof *s);
    int64_t before = 0, hits = 0;
    err e = s == NULL ? err_set(ERR_MEMORY, "no memory for a simulation") : request_of(c, &r);
    if (e == ERR_OK) e = number_of(c, "before", 0, INT64_MAX / 2, &before);
    if (e == ERR_OK) e = number_of(c, "hits", 0, before, &hits);
    if (e == ERR_OK && (r.games == 0 || r.turns == NULL)) e = err_set(ERR_USAGE, "'games' and 'turns' are missing");
    if (e == ERR_OK) e = advise_simulate(&r, 1, NULL, s);
    if (e == ERR_OK) {
        const advisor_tally *t = &s->row[0].tally;
        interval x = rate_wilson((double)(hits + t->successes), (double)(before + t->games), 0.95);
        json_pair_int(&c->w, "turns", s->row[0].turns);
        json_pair_int(&c->w, "games", t->games);
        json_pair_int(&c->w, "successes", t->successes);
        json_pair_int(&c->w, "taken", t->turns);
        json_pair_number(&c->w, "low", x.low);
        json_pair_number(&c->w, "high", x.high);
        json_pair_object(&c->w, "failures");
        for (int k = 0; k < FAILURES; k++) json_pair_int(&c->w, advisor_failure_name[k], t->failures[k]);
        json_close(&c->w);
        advise_simulation_free(s);
    }
    free(s);
    return e;
}

// --- fields and placements

static void put_placements(json_writer *w, const py_field *f, uint8_t pair, bool reach)
{
    uint16_t moves[PY_MAX_LEGAL];
    int n = py_move_list(py_legal_mask(f, pair, reach, PY_LOSE_TSU), moves);
    json_pair_array(w, "placements"); // rows from 1; one on row 14 vanishes
    for (int i = 0; i < n; i++) {
        static const int8_t side[4] = {0, 1, 0, -1};
        int col = moves[i] / 4, turn = moves[i] % 4, other = col + side[turn];
        int row = py_height(f, col) + 1 + (turn == 2), sub = py_height(f, other) + 1 + (turn == 0);
        char text[8];
        py_move_print(moves[i], text, sizeof text);
        json_open_object(w);
        json_pair_text(w, "move", text);
        json_pair_array(w, "cells");
        json_put_int(w, col);
        json_put_int(w, row);
        json_put_int(w, other);
        json_put_int(w, sub);
        json_close(w);
        json_close(w);
    }
    json_close(w);
}

static err do_placements(call *c)
{
    py_field f;
    uint8_t pair;
    err e = field_of(c, &f);
    if (e == ERR_OK) e = advise_pair(text_of(c, "pair") != NULL ? text_of(c, "pair") : "", &pair);
    if (e == ERR_OK) put_placements(&c->w, &f, pair, text_of(c, "reach") != NULL);
    return e;
}

static err put_url(call *c, const py_field *f)
{
    char text[PY_URL_TEXT], word[3] = "";
    py_url u = {.field = *f};
    const char *pairs = text_of(c, "pairs");
    for (const char *p = pairs != NULL ? pairs : ""; *p != 0; p += 2 + (p[2] == ',')) {
        if (u.n == PY_URL_STEPS || p[1] == 0) return err_set(ERR_USAGE, "'pairs' should be like RG,BY");
        memcpy(word, p, 2);
        py_url_step *s = &u.step[u.n++];
        *s = (py_url_step){.move = PY_NOT_PLACED};
        err e = advise_pair(word, &s->pair);
        if (e != ERR_OK) return e;
    }
    py_url_print(&u, text, sizeof text);
    json_pair_text(&c->w, "url", text);
    return ERR_OK;
}

static err do_chain(call *c)
{
    py_field f;
    err e = field_of(c, &f);
    if (e != ERR_OK) return e;
    put_field(&c->w, &f);
    e = put_url(c, &f);
    py_chain_view(&c->w, &f);
    return e;
}

// --- a match in real time

static void put_live(call *c, const step_event ev[2])
{
    const py_match *m = &c->live->match;
    outcome o = py_match_result(m);
    py_match_view(m, &c->w);
    json_pair_array(&c->w, "events");
    for (int s = 0; s < 2; s++) {
        json_open_object(&c->w);
        json_pair_int(&c->w, "chain", ev[s].chain);
        json_pair_int(&c->w, "sent", ev[s].sent);
        json_pair_int(&c->w, "received", ev[s].received);
        json_pair_bool(&c->w, "allClear", ev[s].all_clear);
        json_close(&c->w);
    }
    json_close(&c->w);
    json_pair_bool(&c->w, "over", o.over);
    json_pair_array(&c->w, "score");
    for (int s = 0; s < 2; s++) json_put_number(&c->w, (double)o.score[s]);
    json_close(&c->w);
}

static void put_hands(call *c)
{
    const py_match *m = &c->live->match;
    json_pair_array(&c->w, "hands");
    for (int s = 0; s < 2; s++) {
        json_open_object(&c->w);
        if (!m->side[s].due && !m->side[s].buried)
            put_placements(&c->w, &m->side[s].field, m->side[s].window[0], m->reach);
        json_close(&c->w);
    }
    json_close(&c->w);
}

static err do_live_new(call *c)
{
    int64_t seed = 0;
    py_match m;
    err e = number_of(c, "seed", 0, INT64_MAX, &seed);
    if (e == ERR_OK)
        e = py_match_init(&m, text_of(c, "options") != NULL ? text_of(c, "options") : "",
                          (game_key){(uint64_t)seed, 0});
    if (e == ERR_OK && m.timing != PY_FRAMES) e = err_set(ERR_USAGE, "real time needs timing=frames");
    if (e != ERR_OK) return e;
    *c->live = (puyo_live){m, true};
    json_pair_object(&c->w, "frames"); // 60 per second; a pair that is pushed down falls a row in `fast`
    json_pair_int(&c->w, "next", PY_NEXT);
    json_pair_int(&c->w, "rest", PY_GROUNDING);
    json_pair_int(&c->w, "fast", 2);
    json_close(&c->w);
    put_live(c, (step_event[2]){{.seat = 0}, {.seat = 1}});
    put_hands(c);
    return ERR_OK;
}

static err live_of(call *c, const char *key, int64_t most, int64_t *out)
{
    if (!c->live->open) return err_set(ERR_USAGE, "no match is open: call live-new first");
    if (text_of(c, key) == NULL) return err_set(ERR_USAGE, "'%s' is missing", key);
    return number_of(c, key, 0, most, out);
}

static err do_live_pass(call *c)
{
    int64_t frame = 0;
    step_event ev[2];
    err e = live_of(c, "frame", INT32_MAX, &frame);
    if (e != ERR_OK) return e;
    py_match_pass(&c->live->match, (uint32_t)frame, ev);
    put_live(c, ev);
    put_hands(c);
    return ERR_OK;
}

static err do_live_rest(call *c)
{
    int64_t seat = 0, frame = 0;
    step_event ev[2];
    move_t m;
    const char *text = text_of(c, "move");
    err e = live_of(c, "seat", 1, &seat);
    if (e == ERR_OK) e = live_of(c, "frame", INT32_MAX, &frame);
    if (e != ERR_OK) return e;
    py_match next = c->live->match;
    py_match_pass(&next, (uint32_t)frame, ev);
    py_side *a = &next.side[seat];
    if (py_match_result(&next).over) { // the other one was buried while this pair fell: it rests no more
        c->live->match = next;
        put_live(c, ev);
        put_hands(c);
        return ERR_OK;
    }
    if (a->due || a->clock > (uint32_t)frame) return err_set(ERR_USAGE, "player %d has no pair yet", (int)seat + 1);
    e = py_move_parse(text != NULL ? text : "", &a->field, a->window[0], next.reach, next.lose, &m);
    if (e != ERR_OK) return e;
    json_pair_object(&c->w, "steps");
    py_placement_view(&c->w, a->field, m, a->window[0]);
    json_close(&c->w);
    json_pair_uint(&c->w, "landed", py_match_rest(&next, (int)seat, m, (uint32_t)frame, ev));
    c->live->match = next;
    put_live(c, ev);
    put_hands(c);
    return ERR_OK;
}

static err do_live_ask(call *c)
{
    int64_t seat = 0;
    py_match m;
    err e = live_of(c, "seat", 1, &seat);
    if (e != ERR_OK) return e;
    py_match_ask(&c->live->match, (int)seat, &m);
    int n = py_match_print(&m, NULL, 0);
    char *text = n < 0 ? NULL : malloc((size_t)n + 1);
    if (text == NULL) return err_set(ERR_MEMORY, "no memory for a position");
    py_match_print(&m, text, (size_t)n + 1);
    json_pair_text(&c->w, "position", text);
    free(text);
    return ERR_OK;
}

static const struct verb {
    const char *name;
    err (*run)(call *c);
} verbs[] = {
    {"advise", do_advise},         {"practice", do_practice},   {"simulate", do_simulate},
    {"placements", do_placements}, {"chain", do_chain},         {"live-new", do_live_new},
    {"live-rest", do_live_rest},   {"live-pass", do_live_pass}, {"live-ask", do_live_ask},
};

err puyo_call(puyo_live *live, const char *verb, const call_arg *args, int n, text_buf *out)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verbs[i].name, verb) != 0) continue;
        text_buf answer = {0};
        call c = {live, args, n, json_begin(&answer, false)};
        json_open_object(&c.w);
        err e = verbs[i].run(&c);
        if (e == ERR_OK) {
            json_close(&c.w);
            e = json_finish(&c.w);
        }
        if (e == ERR_OK) text_append(out, text_str(&answer));
        text_free(&answer);
        return e;
    }
    return err_set(ERR_USAGE, "there is no Puyo call '%.40s'", verb);
}
