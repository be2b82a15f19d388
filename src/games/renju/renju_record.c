// Renju's side of SGF. See renju_record.h.
//
// SGF counts both coordinates from the top left corner in letters, which is our point numbering: B[hh] is h8 on 15 x
// 15. Some sites write B[h8]; that is read, too. Everything is checked by playing it on the game's own state.
#include "games/renju/renju_record.h"

#include "games/renju/renju_game.h"
#include "games/sgf.h"

#include <stdlib.h>
#include <string.h>

static bool contains(const char *text, const char *word) // either case
{
    for (; *text; text++) {
        size_t i = 0;
        while (word[i] && ((unsigned char)text[i] | 32) == (unsigned char)word[i]) i++;
        if (word[i] == 0) return true;
    }
    return false;
}

static err read_size(const sgf_node *root, int *size)
{
    const sgf_prop *p = sgf_find(root, "SZ");
    if (p == NULL) return ERR_OK;
    const char *text = p->values[0].text;
    char *end;
    long rows, columns = strtol(text, &end, 10);
    rows = *end == ':' ? strtol(end + 1, &end, 10) : columns;
    if (*end != 0 || rows != columns || rows < RJ_MIN_SIZE || rows > 52)
        return sgf_error(p->line, p->column, "SZ[%.20s] is no size of a board for this game", text);
    *size = (int)rows;
    return ERR_OK;
}

// Rule and size of the file, with the caller's wish where the file is silent.
static err read_variant(const sgf_node *root, int wish, int *out)
{
    const sgf_prop *gm = sgf_find(root, "GM"), *ru = sgf_find(root, "RU");
    const char *rule_text = ru == NULL ? "" : ru->values[0].text;
    int rule = (int)rj_variants[wish].rule, size = rj_variants[wish].size;
    if (gm != NULL && strcmp(gm->values[0].text, "4") != 0)
        return sgf_error(gm->line, gm->column, "GM[%.20s] is another game; renju and gomoku are GM[4]",
                         gm->values[0].text);
    err e = read_size(root, &size);
    if (e != ERR_OK) return e;
    if (contains(rule_text, "renju"))
        rule = RJ_RENJU;
    else if (contains(rule_text, "free"))
        rule = RJ_FREE;
    else if (contains(rule_text, "standard") || contains(rule_text, "gomoku"))
        rule = RJ_STANDARD;
    for (int v = 0; v < RJ_VARIANTS; v++)
        if ((int)rj_variants[v].rule == rule && rj_variants[v].size == size) {
            *out = v;
            return ERR_OK;
        }
    static const char *const names[] = {[RJ_RENJU] = "renju", [RJ_STANDARD] = "gomoku", [RJ_FREE] = "freestyle"};
    return sgf_error(root->line, root->column, "there is no %s on %d x %d", names[rule], size, size);
}

int rj_sgf_point(int size, const char *text, int *p)
{
    int x = (text[0] | 32) - 'a', y = text[0] ? (text[1] | 32) - 'a' : -1;
    if (x >= 0 && x < size && y >= 0 && y < size) {
        *p = y * size + x;
        return 2;
    }
    return rj_point_read(size, text, p);
}

// AB, AW, AE: points, or rectangles "aa:cc" by two corners.
static err read_setup(rj_record *r, const sgf_prop *p, int colour)
{
    int size = rj_variants[r->variant].size;
    for (int i = 0; i < p->n_values; i++) {
        const sgf_value *v = &p->values[i];
        int a = 0, b = 0, used = rj_sgf_point(size, v->text, &a), more = 0;
        if (used > 0 && v->text[used] == ':') more = rj_sgf_point(size, v->text + used + 1, &b);
        if (used == 0 || v->text[used + (more ? more + 1 : 0)] != 0)
            return sgf_error(v->line, v->column, "%s[%.20s]: expected a point of a board of %d", p->id, v->text, size);
        if (more == 0) b = a;
        int x0 = a % size, x1 = b % size, y0 = a / size, y1 = b / size;
        for (int y = y0 < y1 ? y0 : y1; y <= (y0 < y1 ? y1 : y0); y++)
            for (int x = x0 < x1 ? x0 : x1; x <= (x0 < x1 ? x1 : x0); x++) {
                int q = y * size + x;
                r->setup[0][q / 64] &= ~(1ull << q % 64);
                r->setup[1][q / 64] &= ~(1ull << q % 64);
                if (colour != RJ_EMPTY) r->setup[colour][q / 64] |= 1ull << q % 64;
            }
    }
    return ERR_OK;
}

static bool has_setup(const rj_record *r)
{
    for (int w = 0; w < RJ_MAX_WORDS; w++)
        if (r->setup[0][w] | r->setup[1][w]) return true;
    return false;
}

// The state before the first move.
static err start_state(const rj_record *r, rj_state *s)
{
    rj_state_init(s, r->variant);
    for (int c = 0; c < 2; c++)
        for (int w = 0; w < RJ_MAX_WORDS; w++)
            for (uint64_t m = r->setup[c][w]; m; m &= m - 1) rj_state_put(s, w * 64 + __builtin_ctzll(m), c);
    s->side = (uint8_t)r->first;
    rj_state_judge(s);
    for (int c = 0; c < 2; c++)
        if (rj_state_has_five(s, c))
            return err_set(ERR_PARSE, "%s has five in a row before the first move", c ? "white" : "black");
    return ERR_OK;
}

typedef struct replay {
    rj_state *at;
    bool begun;  // the first move was seen, so set-up is over
    bool chosen; // PL said who moves first
} replay;

static err read_start(rj_record *r, replay *g, const sgf_node *n)
{
    static const struct {
        const char *id;
        int colour;
    } setups[] = {{"AE", RJ_EMPTY}, {"AB", RJ_BLACK}, {"AW", RJ_WHITE}};
    for (int i = 0; i < 3; i++) {
        const sgf_prop *p = sgf_find(n, setups[i].id);
        if (p == NULL) continue;
        if (g->begun) return sgf_error(p->line, p->column, "%s after the first move is not supported", p->id);
        err e = read_setup(r, p, setups[i].colour);
        if (e != ERR_OK) return e;
    }
    const sgf_prop *pl = sgf_find(n, "PL");
    if (pl == NULL || g->begun) return ERR_OK; // after that, the moves say it themselves
    char c = pl->values[0].text[0];
    if (c != 'B' && c != 'b' && c != 'W' && c != 'w' && c != '1' && c != '2')
        return sgf_error(pl->line, pl->column, "PL[%.20s]: expected B or W", pl->values[0].text);
    r->first = c == 'W' || c == 'w' || c == '2';
    g->chosen = true;
    return ERR_OK;
}

static err read_move(rj_record *r, replay *g, const sgf_node *n)
{
    const sgf_prop *b = sgf_find(n, "B"), *w = sgf_find(n, "W"), *p = b != NULL ? b : w;
    int colour = b != NULL ? RJ_BLACK : RJ_WHITE, size = rj_variants[r->variant].size, at = 0;
    if (p == NULL) return ERR_OK;
    if (b != NULL && w != NULL) return sgf_error(w->line, w->column, "a node with a move of black and one of white");
    if (!g->begun) {
        if (has_setup(r) && !g->chosen) r->first = colour;
        err e = start_state(r, g->at);
        if (e != ERR_OK) return err_prefix(e, "line %d, column %d", p->line, p->column);
        g->begun = true;
    }
    if (g->at->reason != REASON_NONE) {
        r->unplayed++;
        return ERR_OK;
    }
    const char *text = p->values[0].text;
    int used = rj_sgf_point(size, text, &at);
    if (text[0] == 0) return sgf_error(p->line, p->column, "a pass, which this game does not have");
    if (used == 0 || text[used] != 0)
        return sgf_error(p->line, p->column, "%s[%.20s]: expected a point of a board of %d", p->id, text, size);
    if (g->at->side != colour)
        return sgf_error(p->line, p->column, "%s moves, but it is the other side's turn", colour ? "white" : "black");
    if (rj_taken(g->at, at)) return sgf_error(p->line, p->column, "%s[%.20s]: this point is taken", p->id, text);
    rj_state_play(g->at, at);
    r->move[r->n_moves++] = (uint16_t)at;
    return ERR_OK;
}

static err read_tree(const sgf_node *root, int variant, rj_record *r)
{
    rj_any_state start;
    replay g = {.at = &start.s};
    err e = read_variant(root, variant, &r->variant);
    for (const sgf_node *n = root; e == ERR_OK && n != NULL; n = n->child) {
        e = read_start(r, &g, n);
        if (e == ERR_OK) e = read_move(r, &g, n);
    }
    return e == ERR_OK && !g.begun ? start_state(r, g.at) : e; // checks a record without moves
}

err rj_record_read(const char *text, size_t n, int which, int variant, rj_record *out)
{
    sgf *s = NULL;
    rj_record r = {0};
    err e = sgf_parse(text, n, &s);
    if (e != ERR_OK) return e;
    if (which < 0 || which >= sgf_games(s))
        e = err_set(ERR_USAGE, "game %d of a file with %d", which + 1, sgf_games(s));
    else
        e = read_tree(sgf_root(s, which), variant, &r);
    sgf_free(s);
    if (e == ERR_OK) *out = r;
    return e;
}

err rj_record_state(const rj_record *r, int plies, rj_state *out)
{
    rj_any_state at;
    err e = start_state(r, &at.s);
    if (e != ERR_OK) return e;
    if (plies < 0 || plies > r->n_moves) return err_set(ERR_USAGE, "move %d of a record with %d", plies, r->n_moves);
    for (int i = 0; i < plies; i++) {
        if (at.s.reason != REASON_NONE) return err_set(ERR_USAGE, "the game is over before move %d", i + 1);
        if (r->move[i] >= rj_variant_of(&at.s)->points || rj_taken(&at.s, r->move[i]))
            return err_set(ERR_USAGE, "move %d is not on an empty point", i + 1);
        rj_state_play(&at.s, r->move[i]);
    }
    memcpy(out, &at.s, sizeof(rj_state) + 2 * (size_t)rj_variants[r->variant].words * 8);
    return ERR_OK;
}
