// Contrast as text: moves and positions. contrast_draw.c draws the board.
//
// A move is "b1,b2 b3g": from, to, and where a tile of which colour (b, g) goes; "c5,c4" places none. Files a to e, rank 1
// is the first player's home row. Upper case, other separators or none ("b1b2b3g", as in the lists below) read the same.
//
// A state is one line:
//   22222/...../..1../...../11.11 c3b,d2g 2b1g/3b0g 2 3 after c1c2c3b d5d4d2g c2c3
// that is: the board from rank 5 down; the tiles, "-" for none; what the first and the second player still hold; whose
// turn it is; the ply (may be left out); options that differ from the default, as "plies=100"; and the moves that led
// here, oldest first, as far as the state remembers them. So the board shown is the present one, and the past is complete:
// reading takes the moves back, one by one, and plays them again. "start" stands for the first position, and "moves …" at
// the end plays on from what was described: "start moves c1c2 c5c4b3g".
#include "games/contrast/contrast_pen.h"

#include <stdio.h>
#include <string.h>

// --- reading

typedef struct cursor {
    const char *text;
    size_t at;
} cursor;

static char peek(const cursor *c)
{
    return c->text[c->at];
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static void skip_spaces(cursor *c)
{
    while (is_space(peek(c))) c->at++;
}

static bool is_square(const char *p)
{
    char file = lower(p[0]);
    return file >= 'a' && file <= 'e' && p[1] >= '1' && p[1] <= '5';
}

static int to_square(const char *p)
{
    return ('5' - p[1]) * CTR_SIZE + lower(p[0]) - 'a';
}

// "c3g", and not the beginning of a move "c3b4".
static bool is_tile(const char *p)
{
    if (!is_square(p)) return false;
    char colour = lower(p[2]);
    return (colour == 'b' || colour == 'g') && !(p[3] >= '0' && p[3] <= '9');
}

static int to_tile(const char *p)
{
    return ctr_tile_code(lower(p[2]) == 'b' ? CTR_BLACK : CTR_GRAY, to_square(p));
}

// Reads the squares of a move without asking whether it is legal.
static err read_move(cursor *c, move_t *m)
{
    if (!is_square(c->text + c->at)) return err_parse(c->text, c->at, "expected the square a1 to e5 to move from");
    int from = to_square(c->text + c->at);
    c->at += 2;
    while (is_space(peek(c)) || peek(c) == ',' || peek(c) == '-') c->at++;
    if (!is_square(c->text + c->at)) return err_parse(c->text, c->at, "expected the square a1 to e5 to move to");
    int to = to_square(c->text + c->at);
    c->at += 2;
    size_t rest = c->at;
    while (is_space(c->text[rest]) || c->text[rest] == ',' || c->text[rest] == '+') rest++;
    *m = ctr_move(from, to, 0);
    if (is_tile(c->text + rest)) {
        *m = ctr_move(from, to, to_tile(c->text + rest));
        c->at = rest + 3;
    }
    return ERR_OK;
}

// --- why a move is illegal

typedef struct name {
    char text[3];
} name;

static name square_name(int sq)
{
    return (name){{(char)('a' + sq % CTR_SIZE), (char)('5' - sq / CTR_SIZE), 0}};
}

static err explain_step(const ctr_board *b, int from, int to)
{
    int x = from % CTR_SIZE, y = from / CTR_SIZE, dx = to % CTR_SIZE - x, dy = to / CTR_SIZE - y;
    name f = square_name(from), t = square_name(to);
    if (from == to) return err_set(ERR_USAGE, "%s to %s is no move", f.text, t.text);
    if (dx != 0 && dy != 0 && dx != dy && dx != -dy)
        return err_set(ERR_USAGE, "%s and %s are not on one line", f.text, t.text);
    bool straight = dx == 0 || dy == 0, black = b->tiles[CTR_BLACK] >> from & 1, gray = b->tiles[CTR_GRAY] >> from & 1;
    if (straight && black) return err_set(ERR_USAGE, "%s is a black tile: from there a piece moves diagonally", f.text);
    if (!straight && !black && !gray)
        return err_set(ERR_USAGE, "%s is a white tile: from there a piece moves straight", f.text);
    if ((b->pieces[0] | b->pieces[1]) >> to & 1) return err_set(ERR_USAGE, "%s is occupied", t.text);
    int step = (dy > 0) * CTR_SIZE - (dy < 0) * CTR_SIZE + (dx > 0) - (dx < 0);
    for (int sq = from + step; sq != to; sq += step) {
        if (b->pieces[!b->side] >> sq & 1)
            return err_set(ERR_USAGE, "the opponent's piece on %s blocks the way", square_name(sq).text);
        if ((b->pieces[b->side] >> sq & 1) == 0)
            return err_set(ERR_USAGE, "%s is empty: a piece goes further only over pieces of its own side",
                           square_name(sq).text);
    }
    return ERR_OK;
}

static err explain_tile(const ctr_board *b, int from, int to, int tile)
{
    int sq = ctr_tile_square(tile), colour = ctr_tile_colour(tile);
    name t = square_name(sq);
    if (CTR_HAND(b, b->side, colour) == 0)
        return err_set(ERR_USAGE, "player %d has no %s tile left", (int)b->side + 1,
                       colour == CTR_BLACK ? "black" : "gray");
    if (sq == to) return err_set(ERR_USAGE, "the tile cannot go to %s: the piece moves there", t.text);
    if ((b->tiles[0] | b->tiles[1]) >> sq & 1) return err_set(ERR_USAGE, "there is a tile on %s already", t.text);
    if (sq != from && (b->pieces[0] | b->pieces[1]) >> sq & 1)
        return err_set(ERR_USAGE, "the tile cannot go to %s: a piece stands there", t.text);
    return ERR_OK;
}

// ERR_OK when the move is legal, the reason otherwise.
static err explain(const ctr_board *b, move_t m)
{
    if (ctr_legal(b, m)) return ERR_OK;
    int from = ctr_from(m), to = ctr_to(m), tile = ctr_tile(m);
    name f = square_name(from);
    if (b->pieces[!b->side] >> from & 1)
        return err_set(ERR_USAGE, "the piece on %s is not yours: player %d is to move", f.text, (int)b->side + 1);
    if ((b->pieces[b->side] >> from & 1) == 0) return err_set(ERR_USAGE, "there is no piece on %s", f.text);
    err e = explain_step(b, from, to);
    if (e == ERR_OK && tile != 0) e = explain_tile(b, from, to, tile);
    return e != ERR_OK ? e : err_set(ERR_USAGE, "the game is over");
}

err ctr_move_parse(const void *obs, const char *text, move_t *m)
{
    const ctr_state *s = obs;
    cursor c = {text, 0};
    move_t read;
    skip_spaces(&c);
    err e = read_move(&c, &read);
    if (e != ERR_OK) return e;
    skip_spaces(&c);
    if (peek(&c) != 0) return err_parse(text, c.at, "expected a tile such as b3g, or the end of the move");
    if (s->reason != REASON_NONE) return err_set(ERR_USAGE, "the game is over");
    // Other programs list steps onto the goal row with a tile as well. The step wins, so the tile means nothing.
    if (CTR_GOAL(s->b.side) >> ctr_to(read) & 1) read = ctr_move(ctr_from(read), ctr_to(read), 0);
    e = explain(&s->b, read);
    if (e == ERR_OK) *m = read;
    return e;
}

int ctr_move_print(const void *obs, move_t m, char *buf, size_t n)
{
    (void)obs;
    pen p;
    p.at = 0;
    pen_move(&p, m, ",", " ");
    return pen_print(&p, buf, n);
}

// --- states

int ctr_state_print(const void *state, char *buf, size_t n)
{
    const ctr_state *s = state;
    const ctr_board *b = &s->b;
    pen p;
    p.at = 0;
    for (int sq = 0; sq < CTR_CELLS; sq++) {
        if (sq > 0 && sq % CTR_SIZE == 0) pen_put(&p, '/');
        pen_put(&p, b->pieces[0] >> sq & 1 ? '1' : b->pieces[1] >> sq & 1 ? '2' : '.');
    }
    pen_put(&p, ' ');
    uint32_t tiles = b->tiles[CTR_BLACK] | b->tiles[CTR_GRAY];
    if (tiles == 0) pen_put(&p, '-');
    for (uint32_t left = tiles; left != 0; left &= left - 1) {
        int sq = __builtin_ctz(left);
        if (left != tiles) pen_put(&p, ',');
        pen_square(&p, sq);
        pen_put(&p, b->tiles[CTR_BLACK] >> sq & 1 ? 'b' : 'g');
    }
    for (int seat = 0; seat < 2; seat++) {
        pen_put(&p, seat == 0 ? ' ' : '/');
        pen_put(&p, (char)('0' + CTR_HAND(b, seat, CTR_BLACK)));
        pen_put(&p, 'b');
        pen_put(&p, (char)('0' + CTR_HAND(b, seat, CTR_GRAY)));
        pen_put(&p, 'g');
    }
    pen_text(&p, b->side == 0 ? " 1 " : " 2 ");
    pen_number(&p, s->ply);
    const struct {
        const char *key;
        int value, preset;
    } options[] = {{" plies=", s->plies, ctr_default.plies},
                   {" repetition=", s->repetition, ctr_default.repetition},
                   {" repetition_from=", s->repetition_from, ctr_default.repetition_from}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (options[i].value == options[i].preset) continue;
        pen_text(&p, options[i].key);
        pen_number(&p, options[i].value);
    }
    if (s->n_past > 0) pen_text(&p, " after");
    for (int i = 0; i < s->n_past; i++) {
        pen_put(&p, ' ');
        pen_move(&p, s->past[i], "", "");
    }
    return pen_print(&p, buf, n);
}

// Consumes `word` when it stands here, ended by a space or the end.
static bool take_word(cursor *c, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i < n; i++)
        if (lower(c->text[c->at + i]) != word[i]) return false;
    char next = c->text[c->at + n];
    if (next != 0 && !is_space(next)) return false;
    c->at += n;
    skip_spaces(c);
    return true;
}

// A field ends with a space or with the text.
static err end_field(cursor *c)
{
    if (peek(c) != 0 && !is_space(peek(c))) return err_parse(c->text, c->at, "expected a space");
    skip_spaces(c);
    return ERR_OK;
}

static err read_rows(cursor *c, ctr_board *b)
{
    for (int sq = 0; sq < CTR_CELLS; sq++) {
        if (sq > 0 && sq % CTR_SIZE == 0) {
            if (peek(c) != '/') return err_parse(c->text, c->at, "expected / after a row of five squares");
            c->at++;
        }
        char what = peek(c);
        if (what == '1' || what == '2')
            b->pieces[what - '1'] |= 1u << sq;
        else if (what != '.')
            return err_parse(c->text, c->at, "expected 1, 2 or . for the square %s", square_name(sq).text);
        c->at++;
    }
    return end_field(c);
}

static err read_tiles(cursor *c, ctr_board *b)
{
    if (peek(c) == '-') {
        c->at++;
        return end_field(c);
    }
    for (;;) {
        if (!is_tile(c->text + c->at)) return err_parse(c->text, c->at, "expected tiles such as c3b,d2g or - for none");
        int tile = to_tile(c->text + c->at), sq = ctr_tile_square(tile);
        if ((b->tiles[CTR_BLACK] | b->tiles[CTR_GRAY]) >> sq & 1)
            return err_parse(c->text, c->at, "a second tile on one square");
        b->tiles[ctr_tile_colour(tile)] |= 1u << sq;
        c->at += 3;
        if (peek(c) != ',') return end_field(c);
        c->at++;
    }
}

static err read_hands(cursor *c, ctr_board *b)
{
    static const char form[] = "0b0g/0b0g";
    int shift = 0; // the bytes of `hands` are in the order of the text
    for (const char *f = form; *f; f++, c->at++) {
        char ch = lower(peek(c));
        if (*f == '0' && ch >= '0' && ch <= '9')
            b->hands |= (uint32_t)(ch - '0') << shift, shift += 8;
        else if (*f == '0' || ch != *f)
            return err_parse(c->text, c->at, "expected the tiles in hand, such as 3b1g/3b1g");
    }
    return end_field(c);
}

// The ply is where it stands, or else the earliest at which this side moves and these tiles can have been placed.
static err read_turn(cursor *c, ctr_board *b, int *ply)
{
    if (peek(c) != '1' && peek(c) != '2') return err_parse(c->text, c->at, "expected 1 or 2, the player to move");
    b->side = peek(c) == '2';
    c->at++;
    err e = end_field(c);
    if (e != ERR_OK) return e;
    if (peek(c) < '0' || peek(c) > '9') {
        int placed[2];
        for (int seat = 0; seat < 2; seat++)
            placed[seat] = 4 - CTR_HAND(b, seat, CTR_BLACK) - CTR_HAND(b, seat, CTR_GRAY);
        *ply = 2 * placed[0] - 1 > 2 * placed[1] ? 2 * placed[0] - 1 : 2 * placed[1];
        if (*ply < 0) *ply = 0;
        *ply += (uint32_t)(*ply & 1) != b->side;
        return ERR_OK;
    }
    int v = 0;
    for (; peek(c) >= '0' && peek(c) <= '9'; c->at++) {
        v = v * 10 + peek(c) - '0';
        if (v > CTR_MAX_PLIES) return err_parse(c->text, c->at, "expected a ply of at most %d", CTR_MAX_PLIES);
    }
    if ((uint32_t)(v & 1) != b->side) return err_parse(c->text, c->at, "at ply %d player %d moves", v, (v & 1) + 1);
    *ply = v;
    return end_field(c);
}

static err read_position(cursor *c, ctr_board *b, int *ply)
{
    if (take_word(c, "start")) {
        *b = ctr_start();
        *ply = 0;
        return ERR_OK;
    }
    *b = (ctr_board){0};
    err e = read_rows(c, b);
    if (e == ERR_OK) e = read_tiles(c, b);
    if (e == ERR_OK) e = read_hands(c, b);
    if (e == ERR_OK) e = read_turn(c, b, ply);
    if (e != ERR_OK) return e;
    const char *wrong = ctr_board_error(b);
    return wrong == NULL ? ERR_OK : err_set(ERR_PARSE, "an impossible position: %s", wrong);
}

static err read_options(cursor *c, ctr_state *s)
{
    for (;;) {
        char pair[40];
        size_t n = 0;
        while (c->text[c->at + n] != 0 && !is_space(c->text[c->at + n])) n++;
        if (memchr(c->text + c->at, '=', n) == NULL) return ERR_OK;
        if (n >= sizeof pair || memchr(c->text + c->at, ',', n) != NULL)
            return err_parse(c->text, c->at, "expected one option, such as plies=150");
        memcpy(pair, c->text + c->at, n);
        pair[n] = 0;
        err e = game_options(pair, ctr_option, s);
        if (e != ERR_OK) return e;
        c->at += n;
        skip_spaces(c);
    }
}

// Could `m` have led to `b`? If so, takes it back.
static bool take_back(ctr_board *b, move_t m)
{
    static const uint8_t full[2] = {3, 1};
    uint32_t mover = !b->side;
    int from = ctr_from(m), to = ctr_to(m), tile = ctr_tile(m);
    if ((b->pieces[mover] >> to & 1) == 0 || ((b->pieces[0] | b->pieces[1]) >> from & 1)) return false;
    if (tile != 0) {
        int colour = ctr_tile_colour(tile);
        if ((b->tiles[colour] >> ctr_tile_square(tile) & 1) == 0 || CTR_HAND(b, mover, colour) >= full[colour])
            return false;
    }
    ctr_board before = ctr_unplay(b, m);
    if (!ctr_legal(&before, m)) return false;
    *b = before;
    return true;
}

// Each player places at most one tile a turn.
static err check_ply(const ctr_board *b, int ply)
{
    for (int seat = 0; seat < 2; seat++) {
        int placed = 4 - CTR_HAND(b, seat, CTR_BLACK) - CTR_HAND(b, seat, CTR_GRAY), turns = (ply + 1 - seat) / 2;
        if (placed > turns)
            return err_set(ERR_PARSE, "player %d cannot have placed %d tiles in %d turns", seat + 1, placed, turns);
    }
    return ERR_OK;
}

// "after …": back to where the past begins, then forward through the rules, which fill in the rest of the state.
static err read_past(cursor *c, ctr_state *s, ctr_board b, int ply)
{
    move_t past[CTR_MAX_PLIES];
    size_t place[CTR_MAX_PLIES];
    int n = 0;
    while (peek(c) != 0) {
        size_t at = c->at;
        if (take_word(c, "moves")) {
            c->at = at;
            break;
        }
        if (n == ply) return err_parse(c->text, at, "more past moves than the ply %d has room for", ply);
        place[n] = at;
        err e = read_move(c, &past[n++]);
        if (e == ERR_OK) e = end_field(c);
        if (e != ERR_OK) return e;
    }
    for (int i = n - 1; i >= 0; i--)
        if (!take_back(&b, past[i])) return err_parse(c->text, place[i], "this move cannot have led to the position");
    err e = check_ply(&b, ply - n);
    if (e != ERR_OK) return e;
    ctr_state_at(s, b, ply - n);
    for (int i = 0; i < n; i++) {
        if (s->reason != REASON_NONE)
            return err_parse(c->text, place[i], "the game was over before this move (%s)", reason_name(s->reason));
        ctr_state_play(s, past[i]);
    }
    return ERR_OK;
}

static err read_moves(cursor *c, ctr_state *s)
{
    while (peek(c) != 0) {
        size_t at = c->at;
        move_t m;
        err e = read_move(c, &m);
        if (e == ERR_OK) e = end_field(c);
        if (e != ERR_OK) return e;
        if (s->reason != REASON_NONE)
            return err_parse(c->text, at, "the game was over before this move (%s)", reason_name(s->reason));
        e = explain(&s->b, m);
        if (e != ERR_OK) return err_prefix(e, "move %d of the game", s->ply + 1);
        ctr_state_play(s, m);
    }
    return ERR_OK;
}

err ctr_state_parse(const char *text, void *state)
{
    cursor c = {text, 0};
    ctr_state s = ctr_default;
    ctr_board b;
    int ply = 0;
    skip_spaces(&c);
    err e = read_position(&c, &b, &ply);
    if (e == ERR_OK) e = read_options(&c, &s);
    if (e != ERR_OK) return e;
    if (ply > s.plies) return err_set(ERR_PARSE, "ply %d is beyond the limit of %d plies", ply, s.plies);
    if (!take_word(&c, "after")) {
        e = check_ply(&b, ply);
        if (e != ERR_OK) return e;
        ctr_state_at(&s, b, ply);
    } else {
        e = read_past(&c, &s, b, ply);
        if (e != ERR_OK) return e;
    }
    if (take_word(&c, "moves")) e = read_moves(&c, &s);
    if (e != ERR_OK) return e;
    if (peek(&c) != 0) return err_parse(text, c.at, "expected an option such as plies=150, after, moves or the end");
    memcpy(state, &s, sizeof s);
    return ERR_OK;
}
