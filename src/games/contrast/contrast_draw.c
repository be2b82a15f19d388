// Contrast's board for people: on a terminal, and for a page.
#include "games/contrast/contrast_pen.h"

static void put_hand(pen *p, const ctr_board *b, int seat)
{
    pen_text(p, seat == 0 ? "   player 1: " : "   player 2: ");
    pen_number(p, CTR_HAND(b, seat, CTR_BLACK));
    pen_text(p, " black, ");
    pen_number(p, CTR_HAND(b, seat, CTR_GRAY));
    pen_text(p, " gray");
}

// A tile surrounds what stands on it: " 1 " on white, "#1#" on black, "+1+" on gray. In colour a tile is a shade, and black
// keeps its sign: on a dark terminal the shade alone could not be seen. The piece that moved last stands in parentheses,
// except on a tile without colour, which needs that place.
static void put_cell(pen *p, const ctr_board *b, int sq, bool moved, bool colour)
{
    static const char *const shade[3] = {"\x1b[48;5;254;38;5;16m", "\x1b[48;5;238;38;5;252m", "\x1b[48;5;246;38;5;16m"};
    static const char *const man[3] = {" ", "\x1b[1;38;5;160m●", "\x1b[1;38;5;33m○"};
    static const char edge[3] = {' ', '#', '+'}, tinted_edge[3] = {' ', '#', ' '}, empty[3] = {'.', '#', '+'};
    int tile = b->tiles[CTR_BLACK] >> sq & 1 ? 1 : b->tiles[CTR_GRAY] >> sq & 1 ? 2 : 0;
    int who = b->pieces[0] >> sq & 1 ? 1 : b->pieces[1] >> sq & 1 ? 2 : 0;
    if (colour) {
        pen_text(p, shade[tile]);
        pen_put(p, moved ? '(' : tinted_edge[tile]);
        pen_text(p, man[who]);
        if (who != 0) pen_text(p, "\x1b[22m");
        if (who != 0) pen_text(p, shade[tile]);
        pen_put(p, moved ? ')' : tinted_edge[tile]);
        pen_text(p, "\x1b[0m");
    } else {
        pen_put(p, moved && tile == 0 ? '(' : edge[tile]);
        pen_put(p, who != 0 ? (char)('0' + who) : empty[tile]);
        pen_put(p, moved && tile == 0 ? ')' : edge[tile]);
    }
}

static void put_end(pen *p, const ctr_state *s)
{
    if (s->reason == REASON_NONE) {
        pen_text(p, s->b.side == 0 ? "player 1 to move" : "player 2 to move");
        return;
    }
    bool draw = s->reason == REASON_REPETITION || s->reason == REASON_PLIES;
    pen_text(p, draw ? "draw: " : s->b.side == 1 ? "player 1 has won: " : "player 2 has won: ");
    pen_text(p, reason_name(s->reason));
}

int ctr_draw(const void *obs, move_t last, bool colour, char *buf, size_t n)
{
    const ctr_state *s = obs;
    pen p;
    p.at = 0;
    for (int sq = 0; sq < CTR_CELLS; sq++) {
        if (sq % CTR_SIZE == 0) {
            pen_put(&p, (char)('5' - sq / CTR_SIZE));
            pen_put(&p, ' ');
        }
        put_cell(&p, &s->b, sq, last != MOVE_NONE && ctr_to(last) == sq, colour);
        if (sq % CTR_SIZE != CTR_SIZE - 1) continue;
        if (sq == CTR_SIZE - 1) put_hand(&p, &s->b, 1);
        if (sq == CTR_CELLS - 1) put_hand(&p, &s->b, 0);
        pen_put(&p, '\n');
    }
    pen_text(&p, "   a  b  c  d  e    ply ");
    pen_number(&p, s->ply);
    pen_text(&p, " of ");
    pen_number(&p, s->plies);
    pen_text(&p, ", ");
    put_end(&p, s);
    if (last != MOVE_NONE) {
        char move[32];
        ctr_move_print(s, last, move, sizeof move);
        pen_text(&p, ", last ");
        pen_text(&p, move);
    }
    pen_put(&p, '\n');
    return pen_print(&p, buf, n);
}

// --- for a page: a5, b5, … e1, as squares are numbered

void ctr_view(const void *obs, json_writer *w)
{
    const ctr_state *s = obs;
    char pieces[CTR_CELLS + 1] = "", tiles[CTR_CELLS + 1] = "";
    for (int sq = 0; sq < CTR_CELLS; sq++) {
        pieces[sq] = s->b.pieces[0] >> sq & 1 ? '1' : s->b.pieces[1] >> sq & 1 ? '2' : '.';
        tiles[sq] = s->b.tiles[CTR_BLACK] >> sq & 1 ? 'b' : s->b.tiles[CTR_GRAY] >> sq & 1 ? 'g' : '.';
    }
    json_pair_text(w, "pieces", pieces);
    json_pair_text(w, "tiles", tiles);
    json_pair_array(w, "hands"); // by seat: black, gray
    for (int seat = 0; seat < 2; seat++) {
        json_open_array(w);
        json_put_int(w, CTR_HAND(&s->b, seat, CTR_BLACK));
        json_put_int(w, CTR_HAND(&s->b, seat, CTR_GRAY));
        json_close(w);
    }
    json_close(w);
    json_pair_int(w, "plies", s->plies);
}
