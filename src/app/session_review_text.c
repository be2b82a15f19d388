// A review in words: who lost how much, each move, and the turning points. See session.h.
#include "app/session.h"

#include <stdio.h>
#include <string.h>

// "Black (X)", with the player's name where the file has one.
static void put_player(text_buf *t, session *s, int seat)
{
    char side[GAME_SEAT_TEXT];
    const char *name = session_name(s, seat);
    game_seat_name(session_game(s), seat, false, side);
    if (strcmp(name, "human") == 0)
        text_append(t, side);
    else
        text_printf(t, "%s, %s", name, side);
}

// "Black", or "1" where the seats have no names; and how wide the longer one is.
static int side_word(const game *g, int seat, const char **word)
{
    static const char *const numbers[2] = {"1", "2"};
    int width = 1;
    for (int i = 0; i < 2; i++) {
        const char *name = g->seats[i].name != NULL ? g->seats[i].name : numbers[i];
        int columns = text_columns(name, strlen(name));
        if (i == seat) *word = name;
        if (columns > width) width = columns;
    }
    return width;
}

static void put_move(text_buf *t, session *s, const session_review_move *m)
{
    const char *side = "";
    int width = side_word(session_game(s), m->seat, &side);
    char played[256], best[256], margin[24] = "", loss[24] = "";
    const session_node *n = session_node_of(s, m->node);
    session_move_text(s, m->node, played, sizeof played);
    session_game(s)->move_print(session_seen(s, n->parent, m->seat), m->best, best, sizeof best);
    if (m->has_margin && m->margin_loss > 0) snprintf(margin, sizeof margin, "%.0f", (double)m->margin_loss);
    if (m->loss >= 0.0005f) snprintf(loss, sizeof loss, "%.1f%%", 100 * (double)m->loss);
    text_printf(t, "%3d. %s", n->ply, side);
    text_repeat(t, ' ', width - text_columns(side, strlen(side)));
    text_printf(t, " %-12s%-2s %7s %7s", played, session_mark_text(m->mark), loss, margin);
    if (m->best != m->played) text_printf(t, "  better: %s", best);
    if (m->turning) text_append(t, "   <- turning point");
    while (t->len > 0 && t->data[t->len - 1] == ' ') text_truncate(t, t->len - 1);
    text_char(t, '\n');
}

void session_review_print(session *s, const session_review *r, text_buf *t)
{
    int turning = 0;
    const char *side = "";
    int width = side_word(session_game(s), 0, &side);
    text_printf(t, "%s, judged by %s\n", session_game(s)->title, session_helper(s));
    for (int i = 0; i < 2; i++) {
        text_append(t, "  ");
        put_player(t, s, i);
        text_printf(t, ": %.1f%% lost per move, %d ?!, %d ?, %d ??\n", 100 * r->mean_loss[i], r->marks[i][MARK_DUBIOUS],
                    r->marks[i][MARK_MISTAKE], r->marks[i][MARK_BLUNDER]);
    }
    text_printf(t, "\n%4s %-*s %7s%s\n", "", width + 15, "move", "loss",
                r->n > 0 && r->moves[0].has_margin ? "  margin" : "");
    for (int i = 0; i < r->n; i++) {
        put_move(t, s, &r->moves[i]);
        turning += r->moves[i].turning;
    }
    text_printf(t, "\n%d turning point%s", turning, turning == 1 ? "" : "s");
    for (int i = 0, k = 0; i < r->n; i++)
        if (r->moves[i].turning) text_printf(t, "%s move %d", k++ ? "," : ":", i + 1);
    session_goto(s, session_main_end(s));
    text_append(t, "\nresult: ");
    session_result_text(s, t);
    text_char(t, '\n');
}
