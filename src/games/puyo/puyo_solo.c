// Building alone: one field, a given number of pairs, nothing falls from elsewhere. The score is the points of all chains
// fired, without soft drops or all-clear bonus, so that it measures chains only.
#include "games/puyo/puyo_solo.h"

#include "games/puyo/puyo_encode.h"
#include "games/puyo/puyo_match.h"
#include "games/puyo/puyo_text.h"

#include <stdio.h>
#include <string.h>

typedef py_solo solo;

_Static_assert(sizeof(solo) % 8 == 0, "states are hashed as whole words");

// --- state

static err solo_option(void *ctx, const char *key, const char *value)
{
    solo *s = ctx;
    int v = 0;
    err e;
    if (strcmp(key, "pairs") == 0) return option_choice(key, value, py_pair_kind_name, PY_PAIR_KINDS, &s->queue.kind);
    if (strcmp(key, "reach") == 0) return option_choice(key, value, py_switch, 2, &s->reach);
    if (strcmp(key, "colours") == 0) {
        if ((e = option_number(key, value, 3, 5, &v)) == ERR_OK) s->queue.colours = (uint8_t)v;
        return e;
    }
    if (strcmp(key, "moves") == 0) {
        if ((e = option_number(key, value, 1, PY_LIMIT_MAX, &v)) == ERR_OK) s->limit = (uint16_t)v;
        return e;
    }
    return err_set(ERR_USAGE, "puyo-solo has no option '%s'; there are: pairs, colours, moves, reach", key);
}

static err solo_options(solo *s, const char *options)
{
    memset(s, 0, sizeof *s);
    s->queue.colours = 4;
    s->reach = 1;
    s->limit = 50;
    return game_options(options, solo_option, s);
}

static err solo_init(void *state, const char *options, game_key k)
{
    solo s;
    err e = solo_options(&s, options);
    if (e != ERR_OK) return e;
    py_queue_init(&s.queue, s.queue.kind, s.queue.colours, k.run, k.game);
    for (uint32_t i = 0; i < PY_SHOWN; i++) s.window[i] = py_queue_get(&s.queue, i);
    *(solo *)state = s;
    return ERR_OK;
}

static int solo_seat(const void *state)
{
    (void)state;
    return 0;
}

static outcome solo_result(const void *state)
{
    const solo *s = state;
    bool done = s->placed >= s->limit;
    int why = s->buried ? REASON_BURIED : done ? REASON_PLIES : REASON_NONE;
    return (outcome){s->buried || done, (uint8_t)why, {(float)s->score, 0.0f}};
}

static uint32_t solo_mask(const solo *s)
{
    if (s->buried || s->placed >= s->limit) return 0;
    return py_legal_mask(&s->field, s->window[0], s->reach, PY_LOSE_TSU);
}

static int solo_legal(const void *state, move_t *out)
{
    return py_move_list(solo_mask(state), out);
}

static void solo_play(void *state, move_t m, step_event *ev)
{
    solo *s = state;
    uint8_t pair = s->window[0];
    py_drop d = py_drop_of(&s->field, m, pair);
    py_place(&s->field, m, pair);
    py_chain_result r = py_chain(&s->field);
    s->score += (uint32_t)r.score;
    if ((uint32_t)r.score > s->best) s->best = (uint32_t)r.score;
    if ((uint32_t)r.links > s->longest) s->longest = (uint32_t)r.links;
    s->frames += (uint32_t)(d.frames + r.frames);
    py_queue_forget(&s->queue, s->placed);
    s->placed++;
    for (uint32_t i = 0; i < PY_SHOWN; i++) s->window[i] = py_queue_get(&s->queue, s->placed + i);
    s->buried = py_buried(&s->field, PY_LOSE_TSU);
    if (ev != NULL)
        *ev = (step_event){.chain = r.links,
                           .points = r.score,
                           .frames = d.frames + r.frames,
                           .all_clear = r.links > 0 && py_is_empty(&s->field)};
}

static uint64_t solo_hash(const void *state)
{
    return py_hash(state, sizeof(solo));
}

static void solo_observe(const void *state, int seat, void *obs)
{
    solo *o = obs;
    *o = *(const solo *)state;
    py_queue_hide(&o->queue, o->placed, o->placed + PY_SHOWN);
    o->viewer = (uint8_t)(1 + seat);
}

static void solo_sample(const void *obs, rng *r, void *state)
{
    solo *s = state;
    *s = *(const solo *)obs;
    py_queue_sample(&s->queue, s->placed + PY_SHOWN, r);
    s->viewer = 0;
}

// --- network side

enum { SCALARS = PY_SHOWN * PY_PAIR_SCALARS + 2 };

static void solo_encode(const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    for (int i = 0; i < n; i++) {
        const solo *s = obs[i];
        bits = py_encode_field(&s->field, bits);
        scalars = py_encode_pairs(s->window, PY_SHOWN, scalars);
        *scalars++ = py_squash(s->score, 20000.0f);
        *scalars++ = (float)s->placed / (float)s->limit;
    }
}

// --- text: OPTIONS | FIELD next=RG,YB,RR placed=… score=… best=… longest=… frames=… buried=… | key=… made=… …

static err solo_move_parse(const void *obs, const char *text, move_t *m)
{
    const solo *s = obs;
    if (solo_result(s).over) return err_set(ERR_USAGE, "the game is over");
    return py_move_parse(text, &s->field, s->window[0], s->reach, PY_LOSE_TSU, m);
}

static int solo_print(const void *state, char *buf, size_t n)
{
    const solo *s = state;
    py_out o;
    o.n = (size_t)snprintf(o.text, sizeof o.text, "pairs=%s,colours=%d,moves=%d,reach=%d | ",
                           py_pair_kind_name[s->queue.kind], s->queue.colours, s->limit, s->reach);
    out_field(&o, &s->field);
    for (int i = 0; i < PY_SHOWN; i++) {
        out_text(&o, i == 0 ? " next=" : ",");
        out_pair(&o, s->window[i]);
    }
    out_number(&o, " placed=", s->placed);
    out_number(&o, " score=", s->score);
    out_number(&o, " best=", s->best);
    out_number(&o, " longest=", s->longest);
    out_number(&o, " frames=", s->frames);
    out_number(&o, " buried=", s->buried);
    out_text(&o, " |");
    out_queue(&o, &s->queue, s->placed);
    return out_finish(&o, buf, n);
}

static err solo_parse(const char *text, void *state)
{
    solo s;
    char options[128];
    py_in in = {text, text, ERR_OK};
    in_word(&in, options, sizeof options);
    err e = in.failed == ERR_OK ? solo_options(&s, options) : in.failed;
    if (e != ERR_OK) return e;
    in_label(&in, " | ");
    in_field(&in, s.queue.colours, &s.field);
    for (int i = 0; i < PY_SHOWN; i++) {
        in_label(&in, i == 0 ? " next=" : ",");
        s.window[i] = in_pair(&in, s.queue.colours);
    }
    s.placed = in_number(&in, " placed=", s.limit);
    s.score = in_number(&in, " score=", UINT32_MAX);
    s.best = in_number(&in, " best=", UINT32_MAX);
    s.longest = in_number(&in, " longest=", UINT32_MAX);
    s.frames = in_number(&in, " frames=", UINT32_MAX);
    s.buried = (uint8_t)in_number(&in, " buried=", 1);
    in_label(&in, " |");
    if (in.failed == ERR_OK) in_queue(&in, &s.queue, s.placed, s.placed + PY_SHOWN);
    if (in.failed == ERR_OK && *in.at != 0) in_fail(&in, "expected the end of the position");
    if (in.failed != ERR_OK) return in.failed;
    if (s.buried != py_buried(&s.field, PY_LOSE_TSU))
        return err_set(ERR_PARSE, s.buried ? "buried=1, but row 12 of column 3 is empty"
                                           : "buried=0, but row 12 of column 3 is occupied");
    for (uint32_t i = 0; i < PY_SHOWN; i++)
        if (!queue_agrees(&s.queue, s.placed + i, s.window[i]))
            return err_set(ERR_PARSE, "next= are not the pairs of the sequence");
    *(solo *)state = s;
    return ERR_OK;
}

static int solo_draw(const void *obs, move_t last, bool colour, char *buf, size_t n)
{
    (void)last; // what fell has joined the field
    const solo *s = obs;
    py_out o;
    o.n = 0;
    for (int row = PY_GHOST; row >= 1; row--) {
        py_draw_row(&o, &s->field, s->window, row, colour);
        out_line_end(&o);
    }
    out_text(&o, " 1 2 3 4 5 6");
    out_number(&o, "\npairs placed ", s->placed);
    out_number(&o, " of ", s->limit);
    out_number(&o, ", points ", s->score);
    out_number(&o, ", longest chain ", s->longest);
    out_text(&o, s->buried ? ", buried\n" : "\n");
    return out_finish(&o, buf, n);
}

static const encoding encodings[] = {
    {"field", PY_FIELD_PLANES, SCALARS, solo_encode,
     PY_SHOWS_FIELD("own") ";" PY_SHOWS_PAIRS("own") ";score, squashed;pairs placed / limit"}};

const game game_puyo_solo = {
    .name = "puyo-solo",
    .title = "Puyo Puyo, building alone",
    .options = "pairs=arcade|blocks|uniform: pair generator; "
               "colours=4: number of colours (3 to 5); "
               "moves=50: number of pairs to place; "
               "reach=1|0: allow only reachable placements",
    .rules = "puyo",
    .flags = G_HIDDEN | G_CHANCE,
    .state_size = sizeof(solo),
    .obs_size = sizeof(solo),
    .n_seats = 1,
    .seats = {{"player", NULL, NULL}},
    PY_TABLE_PLACEMENTS,
    .n_encodings = 1,
    .encodings = encodings,
    .core = CORE_PUYO_SOLO,
    .init = solo_init,
    .seat = solo_seat,
    .legal = solo_legal,
    .play = solo_play,
    .result = solo_result,
    .hash = solo_hash,
    .observe = solo_observe,
    .sample = solo_sample,
    .move_parse = solo_move_parse,
    .state_parse = solo_parse,
    .state_print = solo_print,
    .draw = solo_draw,
    .view = py_solo_view,
    .view_move = py_solo_view_move,
};
