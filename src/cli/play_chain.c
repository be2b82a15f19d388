// Puyo chains link by link: what a person would see on a screen. See play.h.
//
// Only on a terminal that can move its cursor, and not with --quiet. The fields are recomputed from the position before the
// move; the rules themselves have played it already.
#include "base/clock.h"
#include "cli/play.h"
#include "games/puyo/puyo_solo.h"

#include <stdio.h>
#include <string.h>

static const double PAUSE = 0.35; // seconds between two pictures

typedef struct film {
    const game *g;
    void *obs; // what is drawn; its field changes
    py_field *field;
    int lines; // of the last picture
} film;

static void show(film *f, int link, int score)
{
    char board[GAME_TEXT];
    f->g->draw(f->obs, MOVE_NONE, cli_colour(), board, sizeof board);
    if (f->lines > 0) printf("\x1b[%dA\x1b[J", f->lines);
    printf("%s", board);
    f->lines = 1;
    for (const char *p = board; *p; p++) f->lines += *p == '\n';
    if (link > 0)
        printf("     link %d: %d points\n", link, score);
    else
        printf("\n");
    fflush(stdout);
    clock_sleep(PAUSE);
}

static void play_links(film *f, int move, uint8_t pair)
{
    py_place(f->field, move, pair);
    py_link_info info;
    py_field next = *f->field;
    if (!py_link(&next, 1, &info)) return;
    show(f, 0, 0);
    for (int link = 1; py_link(f->field, link, &info); link++) show(f, link, info.score);
}

// Which move of this seat was resolved by the step? -1: none.
static int resolved(const py_match *before, int seat, int mover, int move)
{
    if (mover == seat) return mover == 0 && before->side[0].clock == before->side[1].clock ? -1 : move;
    return seat == 0 && before->held > 0 && before->held != PY_HELD_HIDDEN ? before->held - 1 : -1;
}

void play_show_chain(table *t, int before)
{
    const void *state = session_state(t->s, before);
    int mover = t->g->seat(state), move = session_node_of(t->s, session_at(t->s))->move;
    if (!t->tty || t->o->all.quiet || !cli_colour()) return;
    if (t->g->core == CORE_PUYO_SOLO) {
        py_solo s = *(const py_solo *)session_seen(t->s, before, 0);
        film f = {.g = t->g, .obs = &s, .field = &s.field};
        play_links(&f, move, s.window[0]);
    } else if (t->g->core == CORE_PUYO) {
        py_match truth = *(const py_match *)state;
        int viewer = session_seat_is_person(t->s, 0) ? 0 : 1;
        py_match m = *(const py_match *)session_seen(t->s, before, viewer);
        film f = {.g = t->g, .obs = &m};
        for (int p = 0; p < 2; p++) {
            int done = resolved(&truth, p, mover, move);
            if (done < 0) continue;
            f.field = &m.side[p].field;
            play_links(&f, done, m.side[p].window[0]);
        }
    }
}
