// The versus match behind the game table. The rules are in match.c, the texts in match_text.c.
#include "games/puyo/puyo_encode.h"
#include "games/puyo/puyo_match.h"

#include <string.h>

static err versus_init(void *s, const char *options, game_key k)
{
    return py_match_init(s, options, k);
}

static int versus_seat(const void *s)
{
    return py_match_seat(s);
}

static int versus_legal(const void *s, move_t *out)
{
    return py_move_list(py_match_legal(s), out);
}

static void versus_play(void *s, move_t m, step_event *ev)
{
    step_event both[2];
    int seat = py_match_seat(s);
    py_match_play(s, m, both);
    if (ev != NULL) *ev = both[seat];
}

static outcome versus_result(const void *s)
{
    return py_match_result(s);
}

static uint64_t versus_hash(const void *s)
{
    return py_hash(s, sizeof(py_match));
}

static void versus_observe(const void *s, int seat, void *obs)
{
    py_match_observe(s, seat, obs);
}

static void versus_sample(const void *obs, rng *r, void *s)
{
    py_match_sample(obs, r, s);
}

// --- network side: own field and pairs first, then the other's

enum { SIDE_SCALARS = PY_SHOWN * PY_PAIR_SCALARS + 5, SCALARS = 2 * SIDE_SCALARS + 6 };

static float clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

static float *encode_side(const py_side *a, float *out)
{
    out = py_encode_pairs(a->window, PY_SHOWN, out);
    *out++ = py_squash(a->pending, 30.0f);
    *out++ = py_squash(a->coming, 30.0f);
    *out++ = py_squash(a->carry, 70.0f);
    *out++ = py_squash(a->score, 20000.0f);
    *out++ = a->bonus;
    return out;
}

static void versus_encode(const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    for (int i = 0; i < n; i++) {
        const py_match *m = obs[i];
        int seat = m->viewer > 0 ? m->viewer - 1 : py_match_seat(m);
        const py_side *own = &m->side[seat], *other = &m->side[!seat];
        bits = py_encode_field(&own->field, bits);
        bits = py_encode_field(&other->field, bits);
        scalars = encode_side(own, scalars);
        scalars = encode_side(other, scalars);
        // Seconds by which the other is later, time of the match in units of the margin time, points a nuisance.
        float later = ((float)other->clock - (float)own->clock) / 60.0f;
        *scalars++ = clamp(later / 8.0f, -2.0f, 2.0f);
        *scalars++ = clamp((float)own->clock / (96.0f * 60.0f), 0.0f, 4.0f);
        *scalars++ = (m->margin ? (float)py_nuisance_rate(own->clock) : (float)PY_RATE) / (float)PY_RATE;
        *scalars++ = clamp(((float)other->placed - (float)own->placed) / 16.0f, -2.0f, 2.0f);
        *scalars++ = other->due; // its last placement is not through yet
        *scalars++ = (float)(own->placed + other->placed) / (float)m->limit;
    }
}

// The same with colours named by the order in which the own pairs show them: the current main puyo is always the first
// colour. What matters is which colours are equal, and a network that reads names has to learn every pair of names.
static void rename_colours(const uint8_t to[4], uint64_t *bits, float *scalars)
{
    enum { COLOURS = 4 };
    for (int f = 0; f < 2; f++, bits += PY_FIELD_PLANES * PY_PLANE_WORDS) {
        uint64_t was[COLOURS][PY_PLANE_WORDS];
        memcpy(was, bits, sizeof was);
        for (int c = 0; c < COLOURS; c++) memcpy(bits + to[c] * PY_PLANE_WORDS, was[c], sizeof was[c]);
    }
    for (int side = 0; side < 2; side++)
        for (int p = 0; p < 2 * PY_SHOWN; p++) {
            float was[COLOURS], *puyo = scalars + side * SIDE_SCALARS + p * COLOURS;
            memcpy(was, puyo, sizeof was);
            for (int c = 0; c < COLOURS; c++) puyo[to[c]] = was[c];
        }
}

static void versus_encode_ranked(const void *const *obs, int n, uint64_t *bits, float *scalars)
{
    versus_encode(obs, n, bits, scalars);
    for (int i = 0; i < n; i++) {
        const py_match *m = obs[i];
        const py_side *own = &m->side[m->viewer > 0 ? m->viewer - 1 : py_match_seat(m)];
        uint8_t to[4], next = 0, named = 0;
        for (int p = 0; p <= 2 * PY_SHOWN + 3; p++) { // the pairs' puyos, then whatever colour is left
            int code = p >= 2 * PY_SHOWN ? PY_RED + p - 2 * PY_SHOWN
                       : p % 2 == 0      ? py_main(own->window[p / 2])
                                         : py_sub(own->window[p / 2]);
            int c = code - PY_RED; // the fifth colour is all four planes, whatever they are called
            if (c < 0 || c > 3 || (named >> c & 1) != 0) continue;
            named |= (uint8_t)(1 << c);
            to[c] = next++;
        }
        rename_colours(to, bits + (size_t)i * 2 * PY_FIELD_PLANES * PY_PLANE_WORDS, scalars + (size_t)i * SCALARS);
    }
}

// --- text

static err versus_move_parse(const void *obs, const char *text, move_t *m)
{
    const py_match *s = obs;
    if (py_match_result(s).over) return err_set(ERR_USAGE, "the game is over");
    const py_side *a = &s->side[py_match_seat(s)];
    return py_move_parse(text, &a->field, a->window[0], s->reach, s->lose, m);
}

static err versus_state_parse(const char *text, void *s)
{
    return py_match_parse(text, s);
}

static int versus_state_print(const void *s, char *buf, size_t n)
{
    return py_match_print(s, buf, n);
}

static int versus_draw(const void *obs, move_t last, bool colour, char *buf, size_t n)
{
    (void)last; // what fell has joined the field
    return py_match_draw(obs, colour, buf, n);
}

_Static_assert(PY_SHOWN == 3, "PY_SHOWS_PAIRS names three pairs");
#define SHOWS_SIDE(whose)                                                                                              \
    PY_SHOWS_PAIRS(whose)                                                                                              \
    ";" whose " nuisance pending;" whose " nuisance coming;" whose " points carried;" whose " score;" whose " all clear"
#define SHOWS                                                                                                          \
    PY_SHOWS_FIELD("own")                                                                                              \
    ";" PY_SHOWS_FIELD("opponent's") ";" SHOWS_SIDE("own") ";" SHOWS_SIDE(                                             \
        "opponent's") ";opponent later by;time;points per nuisance;placements ahead;opponent's placement due;placements / limit"

static const encoding encodings[] = {
    {"fields", 2 * PY_FIELD_PLANES, SCALARS, versus_encode, SHOWS},
    {"ranked", 2 * PY_FIELD_PLANES, SCALARS, versus_encode_ranked, SHOWS}, // red … blue: by first appearance
};

const game game_puyo = {
    .name = "puyo",
    .title = "Puyo Puyo",
    .options =
        "timing=frames|turns: real-time clocks, or both players place at the same time; "
        "pairs=arcade|blocks|uniform: pair generator; "
        "colours=4: number of colours (3 to 5); "
        "reach=1|0: allow only reachable placements; "
        "lose=tsu|seed: a player loses when row 12 of column 3 (tsu), or row 13 of column 3 or 4 (seed), is occupied; "
        "margin=1|0: margin time (fewer points per nuisance puyo from 96 s on); "
        "drop=1|0: one point per soft-dropped row; "
        "plies=1000: draw after this many placements of both players together",
    .flags = G_HIDDEN | G_CHANCE | G_SIMULTANEOUS,
    .state_size = sizeof(py_match),
    .obs_size = sizeof(py_match),
    .n_seats = 2,
    .seats = {{"player 1", "left", "left"}, {"player 2", "right", "right"}},
    PY_TABLE_PLACEMENTS,
    .n_encodings = 2,
    .encodings = encodings,
    .core = CORE_PUYO,
    .init = versus_init,
    .seat = versus_seat,
    .legal = versus_legal,
    .play = versus_play,
    .result = versus_result,
    .hash = versus_hash,
    .observe = versus_observe,
    .sample = versus_sample,
    .move_parse = versus_move_parse,
    .state_parse = versus_state_parse,
    .state_print = versus_state_print,
    .draw = versus_draw,
    .view = py_match_view,
    .view_move = py_match_view_move,
};
