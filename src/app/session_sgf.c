// SGF as a session, with its variations: Othello (GM[2]) and the games with stones in a row (GM[4]). See session_formats.h.
//
// Comments come along, and so do the marks of moves: DO is ?!, BM[1] ?, BM[2] ??, TE !. Setup is read before the first move.
#include "app/session_formats.h"
#include "base/memory.h"
#include "games/othello/othello.h"
#include "games/renju/renju_game.h"
#include "games/renju/renju_record.h"
#include "games/sgf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_othello(const game *g)
{
    return g->core == CORE_OTHELLO;
}

static int variant_of(const game *g)
{
    return g == NULL ? -1 : rj_variant_named(g->name);
}

// --- the start

static err othello_start(const sgf_node *root, char *position, bool *given)
{
    static const struct {
        const char *id;
        char piece;
    } setups[] = {{"AB", 'X'}, {"AW", 'O'}, {"AE", '-'}};
    *given = false;
    memset(position, '-', 64);
    for (int i = 0; i < 3; i++) {
        const sgf_prop *p = sgf_find(root, setups[i].id);
        for (int k = 0; p != NULL && k < p->n_values; k++) {
            const char *v = p->values[k].text;
            int x = v[0] - 'a', y = v[0] ? v[1] - 'a' : -1;
            if (x < 0 || x > 7 || y < 0 || y > 7 || v[2] != 0)
                return sgf_error(p->values[k].line, p->values[k].column, "%s[%.20s]: expected a point aa to hh", p->id,
                                 v);
            position[y * 8 + x] = setups[i].piece;
            *given = true;
        }
    }
    const char *first = sgf_text(root, "PL");
    bool white = first != NULL && (first[0] == 'W' || first[0] == 'w' || first[0] == '2');
    strcpy(position + 64, white ? " O" : " X");
    return ERR_OK;
}

static err open_othello(session **out, const session_source *from, const sgf_node *root)
{
    char position[80];
    bool given;
    const game *g;
    err e = session_agree_game(from, "othello", &g);
    if (e == ERR_OK) e = othello_start(root, position, &given);
    if (e != ERR_OK) return e;
    return session_open(out, &(session_setup){.g = g, .position = given ? position : NULL, .key = from->key});
}

// The record's own reader checks the main line and knows rules, sizes and setups.
static err open_renju(session **out, const session_source *from)
{
    int wish = variant_of(from->g);
    rj_record r;
    rj_any_state start;
    char position[GAME_TEXT];
    const game *g;
    if (from->g != NULL && wish < 0)
        return err_set(ERR_USAGE, "this is a game of renju or gomoku, not of %s", from->g->name);
    err e = rj_record_read(from->text, from->size, from->which, wish < 0 ? 0 : wish, &r);
    if (e != ERR_OK) return e;
    e = session_agree_game(from, rj_variants[r.variant].name, &g);
    if (e == ERR_OK) e = rj_record_state(&r, 0, &start.s);
    if (e == ERR_OK) {
        bool plain = rj_stone_count(&start.s) == 0 && start.s.side == RJ_BLACK;
        g->state_print(&start.s, position, sizeof position);
        e = session_open(out, &(session_setup){.g = g, .position = plain ? NULL : position, .key = from->key});
    }
    return e;
}

// --- the tree

static err read_point(const session *s, const sgf_prop *p, move_t *m)
{
    const char *text = p->values[0].text;
    if (is_othello(s->g)) {
        int x = text[0] - 'a', y = text[0] ? text[1] - 'a' : -1;
        if (text[0] == 0 || strcmp(text, "tt") == 0) {
            *m = OTH_PASS;
            return ERR_OK;
        }
        if (x >= 0 && x < 8 && y >= 0 && y < 8 && text[2] == 0) {
            *m = (move_t)(y * 8 + x);
            return ERR_OK;
        }
        return sgf_error(p->line, p->column, "%s[%.20s]: expected a point aa to hh", p->id, text);
    }
    int at = 0, used = rj_sgf_point(s->g->cols, text, &at);
    if (used == 0 || text[used] != 0)
        return sgf_error(p->line, p->column, "%s[%.20s]: expected a point of a board of %d", p->id, text, s->g->cols);
    *m = (move_t)at;
    return ERR_OK;
}

static err add_comment(session *s, const char *text)
{
    if (text == NULL || text[0] == 0) return ERR_OK;
    const char *before = s->nodes[s->at].comment;
    if (before == NULL) return session_set_comment(s, s->at, text);
    text_buf both = {0};
    text_printf(&both, "%s\n%s", before, text);
    err e = text_check(&both);
    if (e == ERR_OK) e = session_set_comment(s, s->at, text_str(&both));
    text_free(&both);
    return e;
}

static err read_node(session *s, const sgf_node *n, bool root)
{
    const sgf_prop *b = sgf_find(n, "B"), *w = sgf_find(n, "W"), *p = b != NULL ? b : w, *bad = sgf_find(n, "BM");
    move_t m = MOVE_NONE;
    err e = ERR_OK;
    if (p != NULL && session_outcome(s).over) return ERR_OK; // some files go on after the end
    if (b != NULL && w != NULL) e = sgf_error(w->line, w->column, "a node with a move of black and one of white");
    if (e == ERR_OK && p != NULL) {
        e = read_point(s, p, &m);
        if (e == ERR_OK)
            e = err_prefix(session_play_record(s, b == NULL, m), "line %d, column %d: %s[%.20s]", p->line, p->column,
                           p->id, p->values[0].text);
    }
    if (e == ERR_OK && !root && p == NULL && (sgf_find(n, "AB") || sgf_find(n, "AW") || sgf_find(n, "AE")) &&
        session_ply(s) > 0)
        e = sgf_error(n->line, n->column, "setup after the first move is not supported");
    if (e == ERR_OK && p != NULL) {
        session_node *node = &s->nodes[s->at];
        if (sgf_find(n, "DO") != NULL) node->mark = MARK_DUBIOUS;
        if (bad != NULL) node->mark = bad->values[0].text[0] == '2' ? MARK_BLUNDER : MARK_MISTAKE;
        if (sgf_find(n, "TE") != NULL) node->mark = MARK_GOOD;
    }
    return e == ERR_OK ? add_comment(s, sgf_text(n, "C")) : e;
}

// Depth first; `at[depth]` is the session's node after the SGF node of that depth on the way down.
static err read_tree(session *s, const sgf_node *root)
{
    int depth = 0, room = 0, *at = NULL;
    err e = ERR_OK;
    for (const sgf_node *n = root; e == ERR_OK;) {
        if (!GROW(at, depth, room)) {
            e = err_set(ERR_MEMORY, "no memory for a tree");
            break;
        }
        e = session_goto(s, depth > 0 ? at[depth - 1] : 0);
        if (e == ERR_OK) e = read_node(s, n, n == root);
        if (e != ERR_OK) break;
        at[depth] = s->at;
        if (n->child != NULL) {
            n = n->child;
            depth++;
            continue;
        }
        while (n != root && n->next == NULL) n = n->parent, depth--;
        if (n == root) break;
        n = n->next;
    }
    free(at);
    return e;
}

// RE[B+R], RE[W+], RE[0], RE[Draw]
static void read_result(session *s, const char *text)
{
    if (text == NULL || session_outcome(s).over) return;
    bool draw = text[0] == '0' || text[0] == 'D' || text[0] == 'd';
    bool won = (text[0] == 'B' || text[0] == 'W') && text[1] == '+';
    if (!draw && !won) return;
    session_end how = won && text[2] == 'R' ? END_RESIGNED : won && text[2] == 'T' ? END_TIME : END_IMPORTED;
    session_end_here(s, how, draw ? SESSION_NONE : text[0] == 'B');
}

// Files of other games are refused by name; one that does not say its game is taken for what is wanted, or for renju.
static err check_kind(const sgf_node *root, const game *wanted)
{
    static const char *const known[] = {"Go",         "Othello",       "chess", "gomoku or renju", "Nine Men's Morris",
                                        "backgammon", "Chinese chess", "shogi"};
    const sgf_prop *kind = sgf_find(root, "GM");
    if (kind == NULL) {
        if (wanted == NULL || is_othello(wanted) || variant_of(wanted) >= 0) return ERR_OK;
        return err_set(ERR_USAGE, "only games of othello, renju and gomoku can be read, not of %s", wanted->name);
    }
    const char *text = kind->values[0].text;
    if (strcmp(text, "2") == 0 || strcmp(text, "4") == 0) return ERR_OK;
    bool named = text[0] >= '1' && text[0] <= '8' && text[1] == 0;
    return sgf_error(kind->line, kind->column,
                     "GM[%.20s]%s%s: only othello (GM[2]), renju and gomoku (GM[4]) can be read", text,
                     named ? " is " : "", named ? known[text[0] - '1'] : "");
}

err session_read_sgf(session **out, const session_source *from)
{
    sgf *file = NULL;
    session *s = NULL;
    err e = sgf_parse(from->text, from->size, &file);
    if (e != ERR_OK) return e;
    if (from->which < 0 || from->which >= sgf_games(file)) {
        sgf_free(file);
        return err_set(ERR_MISSING, "the file has no game %d", from->which + 1);
    }
    const sgf_node *root = sgf_root(file, from->which);
    const char *kind = sgf_text(root, "GM");
    bool othello = kind != NULL ? strcmp(kind, "2") == 0 : from->g != NULL && is_othello(from->g);
    e = check_kind(root, from->g);
    if (e == ERR_OK) e = othello ? open_othello(&s, from, root) : open_renju(&s, from);
    if (e == ERR_OK) e = read_tree(s, root);
    if (e == ERR_OK && sgf_text(root, "PB") != NULL) e = session_set_name(s, 0, sgf_text(root, "PB"));
    if (e == ERR_OK && sgf_text(root, "PW") != NULL) e = session_set_name(s, 1, sgf_text(root, "PW"));
    if (e == ERR_OK) e = session_goto(s, session_main_end(s));
    if (e == ERR_OK) read_result(s, sgf_text(root, "RE"));
    sgf_free(file);
    return HAND_OVER(e, out, s, session_close);
}

// --- writing

static void put_stones(sgf_out *o, const session *s, int colour)
{
    bool more = false;
    int cols = s->g->cols;
    for (int p = 0; p < s->g->rows * cols; p++) {
        bool there;
        if (is_othello(s->g)) {
            const oth_state *t = session_state_at(s, 0);
            there = ((t->side == (uint64_t)colour ? t->b.own : t->b.opp) >> p & 1) != 0;
        } else {
            const rj_state *t = session_state_at(s, 0);
            there = (rj_stones(t, colour)[p / 64] >> p % 64 & 1) != 0;
        }
        if (!there) continue;
        const char point[3] = {(char)('a' + p % cols), (char)('a' + p / cols), 0};
        if (more)
            sgf_put_more(o, point);
        else
            sgf_put(o, colour ? "AW" : "AB", point);
        more = true;
    }
}

static void put_root(sgf_out *o, session *s)
{
    char text[32];
    int end = session_main_end(s);
    outcome r = s->g->result(session_state_at(s, end));
    sgf_node_begin(o);
    sgf_put(o, "FF", "4");
    snprintf(text, sizeof text, "%d", s->g->formats->sgf);
    sgf_put(o, "GM", text);
    sgf_put(o, "CA", "UTF-8");
    sgf_put(o, "AP", "keiko");
    snprintf(text, sizeof text, "%d", s->g->rows);
    sgf_put(o, "SZ", text);
    if (s->g->formats->sgf_rules != NULL) sgf_put(o, "RU", s->g->formats->sgf_rules);
    sgf_put(o, "PB", session_name(s, 0));
    sgf_put(o, "PW", session_name(s, 1));
    if (r.over) {
        sgf_put(o, "RE", r.score[0] > r.score[1] ? "B+" : r.score[0] < r.score[1] ? "W+" : "0");
    } else if (s->end != END_NONE && s->end_at == end) {
        const char *how = s->end == END_RESIGNED ? "Resign" : s->end == END_TIME ? "Time" : "";
        snprintf(text, sizeof text, "%c+%s", s->loser == 0 ? 'W' : 'B', how);
        sgf_put(o, "RE", s->loser == SESSION_NONE ? "0" : text);
    }
    if (s->position != NULL) {
        put_stones(o, s, 0);
        put_stones(o, s, 1);
        sgf_put(o, "PL", s->g->seat(session_state_at(s, 0)) == 0 ? "B" : "W");
    }
    if (s->nodes[0].comment != NULL) sgf_put(o, "C", s->nodes[0].comment);
}

static void put_move(sgf_out *o, session *s, int node)
{
    const session_node *n = &s->nodes[node];
    int cols = s->g->cols;
    char point[3] = {(char)('a' + n->move % cols), (char)('a' + n->move / cols), 0};
    if (is_othello(s->g) && n->move == OTH_PASS) point[0] = 0;
    sgf_node_begin(o);
    sgf_put(o, s->g->seat(session_state_at(s, n->parent)) == 0 ? "B" : "W", point);
    if (n->mark == MARK_DUBIOUS) sgf_put(o, "DO", "");
    if (n->mark == MARK_MISTAKE) sgf_put(o, "BM", "1");
    if (n->mark == MARK_BLUNDER) sgf_put(o, "BM", "2");
    if (n->mark == MARK_GOOD) sgf_put(o, "TE", "1");
    if (n->comment != NULL) sgf_put(o, "C", n->comment);
}

// The line from the child `node` on; variations stand in parentheses. As deep as a game has moves at most.
static void put_line(sgf_out *o, session *s, int node)
{
    while (node != SESSION_NONE) {
        put_move(o, s, node);
        int child = s->nodes[node].child;
        if (child != SESSION_NONE && s->nodes[child].next != SESSION_NONE) {
            for (; child != SESSION_NONE; child = s->nodes[child].next) {
                sgf_begin(o);
                put_line(o, s, child);
                sgf_end(o);
            }
            return;
        }
        node = child;
    }
}

err session_write_sgf(session *s, text_buf *t)
{
    if (s->g->formats == NULL || s->g->formats->sgf == 0 || (!is_othello(s->g) && s->g->core != CORE_STONES))
        return err_set(ERR_USAGE, "SGF has no form for %s; .keiko and .json hold any game", s->g->name);
    sgf_out o = {0};
    char *text = NULL;
    sgf_begin(&o);
    put_root(&o, s);
    int child = s->nodes[0].child;
    bool branches = child != SESSION_NONE && s->nodes[child].next != SESSION_NONE;
    for (; child != SESSION_NONE; child = branches ? s->nodes[child].next : SESSION_NONE) {
        if (branches) sgf_begin(&o);
        put_line(&o, s, child);
        if (branches) sgf_end(&o);
    }
    sgf_end(&o);
    err e = sgf_take(&o, &text);
    if (e == ERR_OK) text_append(t, text);
    free(text);
    return e;
}
