// Othello's GGF and OBF, and puyop addresses, as sessions. See session_formats.h.
#include "app/session_formats.h"
#include "games/othello/oth_ggf.h"
#include "games/othello/oth_obf.h"
#include "games/puyo/puyo_solo.h"
#include "games/puyo/puyo_url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Opens at the position, unless it is the usual start.
static err open_othello(session **out, const session_source *from, const oth_state *start)
{
    const game *g;
    char text[OTH_STATE_TEXT];
    oth_board usual = oth_start();
    err e = session_agree_game(from, "othello", &g);
    if (e != ERR_OK) return e;
    bool plain = start->side == OTH_BLACK && start->b.own == usual.own && start->b.opp == usual.opp;
    oth_state_write(start, text);
    return session_open(out, &(session_setup){.g = g, .position = plain ? NULL : text, .key = from->key});
}

static err only_othello(const session *s, const char *format)
{
    if (s->g->core == CORE_OTHELLO) return ERR_OK;
    return err_set(ERR_USAGE, "%s is for othello, not for %s; .keiko and .json hold any game", format, s->g->name);
}

// --- GGF

static err play_ggf(session *s, const oth_record *r)
{
    err e = ERR_OK;
    for (int i = 0; e == ERR_OK && i < r->n; i++) {
        const oth_record_move *m = &r->moves[i];
        int before = s->at;
        e = session_play(s, m->sq, NULL);
        if (e == ERR_OK && m->has_time) s->nodes[s->at].seconds = m->time / 1000.0;
        if (e == ERR_OK && m->has_eval) {
            session_opinion o = {.value = -1, .has_margin = true, .margin = (float)m->eval / 1000.0f};
            s->nodes[before].opinion = o;
        }
    }
    if (e == ERR_OK && r->black[0]) e = session_set_name(s, 0, r->black);
    if (e == ERR_OK && r->white[0]) e = session_set_name(s, 1, r->white);
    if (e == ERR_OK && r->has_result && !session_outcome(s).over) {
        session_end how = r->ended == 'r' ? END_RESIGNED : r->ended == 't' ? END_TIME : END_IMPORTED;
        session_end_here(s, how, r->result == 0 ? SESSION_NONE : r->result > 0);
    }
    return e;
}

err session_read_ggf(session **out, const session_source *from)
{
    oth_record *r = malloc(sizeof *r);
    session *s = NULL;
    size_t at = 0;
    bool found = true;
    err e = r == NULL ? err_set(ERR_MEMORY, "no memory for a game") : ERR_OK;
    for (int i = 0; e == ERR_OK && found && i <= from->which; i++) e = oth_ggf_next(from->text, &at, r, &found);
    if (e == ERR_OK && !found) e = err_set(ERR_MISSING, "the file has no game %d", from->which + 1);
    if (e == ERR_OK) e = open_othello(&s, from, &r->start);
    if (e == ERR_OK) e = play_ggf(s, r);
    free(r);
    return HAND_OVER(e, out, s, session_close);
}

static void fill_ggf(session *s, oth_record *r)
{
    oth_state now = *(const oth_state *)session_state_at(s, 0);
    oth_record_init(r, &now);
    snprintf(r->black, sizeof r->black, "%s", session_name(s, 0));
    snprintf(r->white, sizeof r->white, "%s", session_name(s, 1));
    strcpy(r->type, "8");
    int last = 0;
    for (int k = s->nodes[0].child; k != SESSION_NONE && r->n < OTH_RECORD_MOVES; k = s->nodes[k].child) {
        const session_opinion *o = &s->nodes[s->nodes[k].parent].opinion;
        oth_record_move m = {.sq = (uint8_t)s->nodes[k].move};
        m.has_time = s->nodes[k].seconds >= 0 && s->nodes[k].seconds < 1e5;
        if (m.has_time) m.time = (int32_t)(s->nodes[k].seconds * 1000);
        m.has_eval = o->has_margin && o->margin > -1e5f && o->margin < 1e5f;
        if (m.has_eval) m.eval = (int32_t)(o->margin * 1000);
        oth_record_push(r, &now, m);
        last = k;
    }
    if (oth_over(now.b)) {
        r->has_result = true;
        r->result = 1000 * (now.side == OTH_BLACK ? oth_score(now.b) : -oth_score(now.b));
    } else if (s->end != END_NONE && s->end_at == last) {
        r->has_result = true;
        r->result = s->loser == SESSION_NONE ? 0 : s->loser == 1 ? 64000 : -64000;
        r->ended = s->end == END_RESIGNED ? 'r' : s->end == END_TIME ? 't' : 0;
    }
}

err session_write_ggf(session *s, text_buf *t)
{
    err e = only_othello(s, "GGF");
    if (e != ERR_OK) return e;
    oth_record *r = malloc(sizeof *r);
    char *text = malloc(OTH_GGF_TEXT);
    if (r == NULL || text == NULL) e = err_set(ERR_MEMORY, "no memory for a game");
    if (e == ERR_OK) {
        fill_ggf(s, r);
        oth_ggf_print(r, text, OTH_GGF_TEXT);
        text_printf(t, "%s\n", text);
    }
    free(text);
    free(r);
    return e;
}

// --- OBF: a position

err session_read_obf(session **out, const session_source *from)
{
    oth_problem *list = NULL;
    int n = 0;
    err e = oth_obf_read(from->text, &list, &n);
    if (e == ERR_OK && (from->which < 0 || from->which >= n))
        e = err_set(ERR_MISSING, "the file has no position %d", from->which + 1);
    if (e == ERR_OK) e = open_othello(out, from, &list[from->which].s);
    free(list);
    return e;
}

err session_write_obf(session *s, text_buf *t)
{
    char line[OTH_OBF_TEXT];
    err e = only_othello(s, "OBF");
    if (e != ERR_OK) return e;
    oth_problem p = {.s = *(const oth_state *)session_state_at(s, s->at)};
    oth_obf_print(&p, line, sizeof line);
    text_printf(t, "%s\n", line);
    return ERR_OK;
}

// --- puyop addresses: one field, the pairs and where they were placed; a game of puyo-solo

// One colour on both puyos: of two turns that come to the same only one is a move.
static move_t plain_move(uint8_t pair, int move)
{
    if (py_main(pair) != py_sub(pair)) return (move_t)move;
    int col = move / 4, rotation = move % 4;
    if (rotation == 3) return (move_t)((col - 1) * 4 + 1);
    return (move_t)(rotation == 2 ? col * 4 : move);
}

static bool has_purple(const py_url *u)
{
    for (int c = 0; c < PY_COLS; c++)
        for (int r = 1; r <= PY_GHOST; r++)
            if (py_get(&u->field, c, r) == PY_PURPLE) return true;
    for (int i = 0; i < u->n; i++)
        if (py_main(u->step[i].pair) == PY_PURPLE || py_sub(u->step[i].pair) == PY_PURPLE) return true;
    return false;
}

// The position as text: the address' pairs first, then pairs of the arcade.
static void solo_text(const py_url *u, game_key key, char *text, size_t room)
{
    char field[PY_FIELD_TEXT];
    uint8_t pairs[PY_RING];
    int colours = has_purple(u) ? 5 : 4, limit = u->n > 50 ? u->n : 50;
    py_arcade(py_arcade_seed(key.run, key.game), colours, pairs);
    for (int i = 0; i < u->n; i++) pairs[i] = u->step[i].pair;
    py_field_print(&u->field, field, sizeof field);
#define LETTERS(i) py_letter(py_main(pairs[i])), py_letter(py_sub(pairs[i]))
    int at =
        snprintf(text, room,
                 "pairs=arcade,colours=%d,moves=%d,reach=0 | %s next=%c%c,%c%c,%c%c placed=0 score=0 best=0 longest=0 "
                 "frames=0 buried=%d | key=%016llx.%016llx made=0 tail=own pairs=",
                 colours, limit, field, LETTERS(0), LETTERS(1), LETTERS(2), py_buried(&u->field, PY_LOSE_TSU),
                 (unsigned long long)key.run, (unsigned long long)key.game);
    for (int i = 0; i < PY_RING; i++) at += snprintf(text + at, room - (size_t)at, "%c%c", LETTERS(i));
#undef LETTERS
}

err session_read_puyop(session **out, const session_source *from)
{
    const game *g;
    py_url u;
    char *address = session_copy_text(from->text + strspn(from->text, " \t\r\n")), position[GAME_TEXT];
    session *s = NULL;
    err e = address == NULL ? err_set(ERR_MEMORY, "no memory for the address") : ERR_OK;
    if (e == ERR_OK) address[strcspn(address, " \t\r\n")] = 0;
    if (e == ERR_OK) e = py_url_parse(address, &u);
    if (e == ERR_OK) e = session_agree_game(from, "puyo-solo", &g);
    for (int i = 0; e == ERR_OK && i < u.n; i++)
        if (u.step[i].pair == 0) e = err_set(ERR_USAGE, "nuisance falls in this address: puyo-solo has none");
    if (e == ERR_OK) {
        solo_text(&u, from->key, position, sizeof position);
        e = session_open(&s, &(session_setup){.g = g, .position = position, .key = from->key});
    }
    for (int i = 0; e == ERR_OK && i < u.n && u.step[i].move != PY_NOT_PLACED; i++)
        e = err_prefix(session_play(s, plain_move(u.step[i].pair, u.step[i].move), NULL), "pair %d", i + 1);
    free(address);
    return HAND_OVER(e, out, s, session_close);
}

err session_write_puyop(session *s, text_buf *t)
{
    char text[PY_URL_TEXT];
    if (s->g->core != CORE_PUYO_SOLO)
        return err_set(ERR_USAGE, "a puyop address holds one field: it is for puyo-solo, not for %s", s->g->name);
    const py_solo *state = session_state_at(s, 0);
    py_url u = {.field = state->field};
    int k = s->nodes[0].child;
    for (; k != SESSION_NONE && u.n < PY_URL_STEPS; k = s->nodes[k].child) {
        u.step[u.n++] = (py_url_step){.pair = state->window[0], .move = (uint8_t)s->nodes[k].move};
        state = session_state_at(s, k);
    }
    // The pairs that can be seen, not placed yet.
    for (int i = 0; i < PY_SHOWN && u.n < PY_URL_STEPS; i++)
        u.step[u.n++] = (py_url_step){.pair = state->window[i], .move = PY_NOT_PLACED};
    py_url_print(&u, text, sizeof text);
    text_printf(t, "%s\n", text);
    return ERR_OK;
}
