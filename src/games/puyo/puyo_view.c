// Fields, pairs and chains as JSON for a page: what a seat may see, and what a placement does link by link.
#include "games/puyo/puyo_solo.h"

static void put_field(json_writer *w, const char *key, const py_field *f)
{
    char text[PY_FIELD_TEXT + 1];
    py_field_print(f, text, sizeof text);
    json_pair_text(w, key, text);
}

static void put_pairs(json_writer *w, const uint8_t window[PY_SHOWN])
{
    json_pair_array(w, "pairs"); // the current one and the next: main puyo, then sub
    for (int i = 0; i < PY_SHOWN; i++) {
        char text[3] = {py_letter(py_main(window[i])), py_letter(py_sub(window[i])), 0};
        json_put_text(w, text);
    }
    json_close(w);
}

static void put_side(json_writer *w, const py_side *s)
{
    json_open_object(w);
    put_field(w, "field", &s->field);
    put_pairs(w, s->window);
    json_pair_uint(w, "score", s->score);
    json_pair_uint(w, "pending", s->pending);
    json_pair_uint(w, "coming", s->coming);
    json_pair_uint(w, "sent", s->sent);
    json_pair_uint(w, "clock", s->clock); // frames
    json_pair_uint(w, "placed", s->placed);
    json_pair_bool(w, "allClear", s->bonus != 0);
    json_pair_bool(w, "due", s->due != 0);
    json_pair_bool(w, "buried", s->buried != 0);
    json_close(w);
}

void py_match_view(const void *obs, json_writer *w)
{
    const py_match *m = obs;
    json_pair_array(w, "sides");
    put_side(w, &m->side[0]);
    put_side(w, &m->side[1]);
    json_close(w);
    json_pair_text(w, "timing", m->timing == PY_FRAMES ? "frames" : "turns");
}

void py_solo_view(const void *obs, json_writer *w)
{
    const py_solo *s = obs;
    json_pair_array(w, "sides");
    json_open_object(w);
    put_field(w, "field", &s->field);
    put_pairs(w, s->window);
    json_pair_uint(w, "score", s->score);
    json_pair_uint(w, "placed", s->placed);
    json_pair_bool(w, "buried", s->buried != 0);
    json_close(w);
    json_close(w);
    json_pair_uint(w, "best", s->best);
    json_pair_uint(w, "longest", s->longest);
}

void py_chain_view(json_writer *w, py_field *f)
{
    py_link_info link;
    json_pair_array(w, "links");
    for (int n = 1; py_link(f, n, &link); n++) {
        json_open_object(w);
        put_field(w, "popped", &link.popped);
        put_field(w, "field", f);
        json_pair_int(w, "cleared", link.cleared);
        json_pair_int(w, "score", link.score);
        json_pair_int(w, "frames", link.frames);
        json_close(w);
    }
    json_close(w);
}

// The pair where it lands, then each link: what pops, and the field after it has fallen.
void py_placement_view(json_writer *w, py_field f, move_t move, uint8_t pair)
{
    py_drop drop = py_drop_of(&f, move, pair);
    py_place(&f, move, pair);
    put_field(w, "placed", &f);
    json_pair_int(w, "dropFrames", drop.frames);
    py_chain_view(w, &f);
}

void py_match_view_move(const void *obs, move_t move, json_writer *w)
{
    const py_match *m = obs;
    const py_side *s = &m->side[m->viewer > 0 ? m->viewer - 1 : py_match_seat(m)];
    py_placement_view(w, s->field, move, s->window[0]);
}

void py_solo_view_move(const void *obs, move_t move, json_writer *w)
{
    const py_solo *s = obs;
    py_placement_view(w, s->field, move, s->window[0]);
}
