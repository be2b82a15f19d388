// See puyo_view.h.
#include "app/puyo_view.h"

#include "base/memory.h"
#include "games/puyo/puyo_match.h"
#include "games/puyo/puyo_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Text of ours has '/' between rows of six; everything else is tried as an address.
err puyo_board_read(const char *text, py_url *u)
{
    py_field f;
    bool ours = strstr(text, "://") == NULL && (strchr(text, '/') != NULL || strspn(text, ".ROYGBPoryg bp") == PY_COLS);
    if (!ours) return py_url_parse(text, u);
    err e = py_field_parse(text, &f);
    if (e != ERR_OK) return e;
    memset(u, 0, sizeof *u);
    u->field = f;
    return ERR_OK;
}

typedef struct teller {
    puyo_story t;
    err e;
} teller;

static puyo_frame *add_frame(teller *s, const py_field *f)
{
    if (s->e != ERR_OK) return NULL;
    if (!GROW(s->t.frames, s->t.n, s->t.cap)) {
        s->e = err_set(ERR_MEMORY, "no memory for the frames");
        return NULL;
    }
    puyo_frame *x = &s->t.frames[s->t.n++];
    memset(x, 0, sizeof *x);
    x->field = *f;
    return x;
}

static void tell_chain(teller *s, py_field *f)
{
    py_link_info link;
    int chain = 0, sum = 0;
    for (py_field next = *f; py_link(&next, chain + 1, &link); next = *f) {
        puyo_frame *x = add_frame(s, f);
        chain++;
        sum += link.score;
        if (x == NULL) return;
        x->popping = link.popped;
        snprintf(x->caption, sizeof x->caption, "link %d: %d puyos, %d points (%d so far)", chain, link.cleared,
                 link.score, sum);
        *f = next;
    }
    if (chain > s->t.longest) s->t.longest = chain;
    s->t.score += sum;
    puyo_frame *x = chain > 0 ? add_frame(s, f) : NULL;
    if (x != NULL)
        snprintf(x->caption, sizeof x->caption, "%d-chain, %d points%s", chain, sum,
                 py_is_empty(f) ? ", all clear" : "");
}

static void fall_nuisance(py_field *f, const py_url_step *m)
{
    for (int c = 0; c < PY_COLS; c++) {
        int n = m->rows + (m->columns >> c & 1);
        for (int h = py_height(f, c); n > 0 && h < PY_GHOST; n--) py_set(f, c, ++h, PY_NUISANCE);
    }
}

static void tell(teller *s, const py_url *u)
{
    py_field f = u->field;
    char word[16];
    puyo_frame *x = add_frame(s, &f);
    if (x != NULL) snprintf(x->caption, sizeof x->caption, "the board");
    tell_chain(s, &f);
    for (int i = 0; i < u->n && s->e == ERR_OK; i++) {
        const py_url_step *m = &u->step[i];
        if (m->pair != 0 && m->move == PY_NOT_PLACED) continue;
        if (m->pair == 0)
            fall_nuisance(&f, m);
        else
            py_place(&f, m->move, m->pair);
        x = add_frame(s, &f);
        if (x == NULL) return;
        py_move_print(m->move, word, sizeof word);
        if (m->pair == 0)
            snprintf(x->caption, sizeof x->caption, "%d. nuisance falls", i + 1);
        else
            snprintf(x->caption, sizeof x->caption, "%d. %c%c at %s", i + 1, py_letter(py_main(m->pair)),
                     py_letter(py_sub(m->pair)), word);
        tell_chain(s, &f);
    }
}

err puyo_story_tell(puyo_story *out, const py_url *u)
{
    teller s = {.e = ERR_OK};
    tell(&s, u);
    if (s.e != ERR_OK)
        free(s.t.frames);
    else
        *out = s.t;
    return s.e;
}

void puyo_story_free(puyo_story *s)
{
    free(s->frames);
    *s = (puyo_story){.n = 0};
}

void puyo_story_json(json_writer *w, const puyo_story *s)
{
    char field[PY_FIELD_TEXT];
    json_open_object(w);
    json_pair_int(w, "chain", s->longest);
    json_pair_int(w, "score", s->score);
    json_pair_array(w, "frames");
    for (int i = 0; i < s->n; i++) {
        json_open_object(w);
        py_field_print(&s->frames[i].field, field, sizeof field);
        json_pair_text(w, "field", field);
        json_pair_text(w, "caption", s->frames[i].caption);
        json_pair_array(w, "popping");
        for (int c = 0; c < PY_COLS; c++)
            for (int r = 1; r <= PY_ROWS; r++) {
                if (py_get(&s->frames[i].popping, c, r) == PY_EMPTY) continue;
                json_open_array(w);
                json_put_int(w, c + 1);
                json_put_int(w, r);
                json_close(w);
            }
        json_close(w);
        json_close(w);
    }
    json_close(w);
    json_close(w);
}
