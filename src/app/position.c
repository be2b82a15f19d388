// See position.h.
#include "app/position.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

err position_open(position *p, const position_request *r)
{
    *p = (position){.n = 0};
    err e = game_find(r->game, &p->g);
    if (e != ERR_OK) return e;
    p->obs = calloc(1, p->g->obs_size);
    p->moves = calloc((size_t)p->g->max_legal, sizeof *p->moves);
    if (p->obs == NULL || p->moves == NULL) e = err_set(ERR_MEMORY, "no memory for a position");
    if (e == ERR_OK) e = history_begin(&p->h, p->g, r->options, r->position, (game_key){r->seed, 0});
    if (e == ERR_OK) e = history_play_list(&p->h, r->moves);
    if (e != ERR_OK) {
        position_close(p);
        return e;
    }
    p->state = history_now(&p->h);
    const game_openings *o = p->g->openings;
    bool whole = r->position == NULL || r->position[0] == 0 || strcmp(r->position, "start") == 0;
    if (whole && o != NULL && o->name != NULL) o->name(p->h.moves, p->h.ply, &p->opening);
    p->n = p->g->legal(p->state, p->moves);
    p->result = p->g->result(p->state);
    game_observe(p->g, p->state, p->g->seat(p->state), p->obs);
    return ERR_OK;
}

void position_close(position *p)
{
    FREE_ALL(p->moves, p->obs);
    history_free(&p->h);
    *p = (position){.n = 0};
}

void position_json(const position *p, json_writer *w)
{
    char line[GAME_TEXT];
    json_open_object(w);
    json_pair_text(w, "game", p->g->name);
    p->g->state_print(p->state, line, sizeof line);
    json_pair_text(w, "position", line);
    json_pair_int(w, "seat", p->g->seat(p->state));
    snprintf(line, sizeof line, "%016" PRIx64, p->g->hash(p->state));
    json_pair_text(w, "hash", line);
    if (p->opening.en != NULL) {
        json_pair_object(w, "opening");
        json_pair_text(w, "en", p->opening.en);
        json_pair_text(w, "ja", p->opening.ja);
        json_close(w);
    }
    json_pair_bool(w, "over", p->result.over);
    json_pair_text(w, "reason", reason_name(p->result.reason));
    json_pair_array(w, "score");
    for (int i = 0; i < p->g->n_seats; i++) json_put_number(w, (double)p->result.score[i]);
    json_close(w);
    json_pair_array(w, "legal");
    for (int i = 0; i < p->n; i++) {
        p->g->move_print(p->obs, p->moves[i], line, sizeof line);
        json_put_text(w, line);
    }
    json_close(w);
    json_close(w);
}

void position_print(const position *p, bool colour, text_buf *t)
{
    char line[GAME_TEXT], side[GAME_SEAT_TEXT];
    p->g->draw(p->obs, MOVE_NONE, colour, line, sizeof line);
    text_printf(t, "%s\n", line);
    p->g->state_print(p->state, line, sizeof line);
    text_printf(t, "position  %s\n", line);
    if (p->result.over)
        text_printf(t, "over      %s, score %g : %g\n", reason_words(p->result.reason), (double)p->result.score[0],
                    (double)p->result.score[1]);
    else
        text_printf(t, "to move   %s\n", game_seat_name(p->g, p->g->seat(p->state), false, side));
    text_printf(t, "hash      %016" PRIx64 "\n", p->g->hash(p->state));
    if (p->opening.en != NULL) text_printf(t, "opening   %s\n", p->opening.en);
    text_printf(t, "legal     %d", p->n);
    int most = p->n > 60 ? 60 : p->n;
    for (int i = 0; i < most; i++) {
        p->g->move_print(p->obs, p->moves[i], line, sizeof line);
        text_printf(t, "%s%s", i ? "; " : ": ", line);
    }
    text_printf(t, "%s\n", p->n > most ? "; …" : "");
}
