// Reads and writes SGF. See sgf.h.
//
// Every ';' begins at most one node and every '[' at most one value, so counting them bounds all arrays before parsing
// starts: four allocations, pointers that never move, and no recursion that a deep file could exhaust.
#include "games/sgf.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sgf {
    sgf_node *nodes;
    sgf_prop *props;
    sgf_value *values;
    char *texts;
    const sgf_node *first;
    int games;
};

typedef struct reader {
    const char *text;
    size_t n, at;
    int line, column;
    sgf *s;
    int n_nodes, n_props, n_values;
    size_t n_texts;
    sgf_node **open; // where each open parenthesis branched off; NULL for a game
    sgf_node **tail; // by node number: its last child so far
    int depth;
} reader;

err sgf_error(int line, int column, const char *fmt, ...)
{
    char what[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return err_set(ERR_PARSE, "line %d, column %d: %s", line, column, what);
}

static bool at_end(const reader *r)
{
    return r->at >= r->n;
}

static char peek(const reader *r)
{
    return at_end(r) ? 0 : r->text[r->at];
}

static void advance(reader *r)
{
    char c = r->text[r->at++];
    // A lone CR ends a line, too; of CR LF, the LF does.
    if (c == '\n' || (c == '\r' && peek(r) != '\n')) {
        r->line++;
        r->column = 1;
    } else {
        r->column++;
    }
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0;
}

static void skip_blanks(reader *r)
{
    while (!at_end(r) && is_blank(peek(r))) advance(r);
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

// A line break of one or two bytes (LF, CR, CR LF, LF CR); the reader stands on its first.
static void skip_break(reader *r)
{
    char first = peek(r);
    advance(r);
    char second = peek(r);
    if (!at_end(r) && (second == '\n' || second == '\r') && second != first) advance(r);
}

static err read_value(reader *r)
{
    sgf_value *v = &r->s->values[r->n_values++];
    char *out = r->s->texts + r->n_texts;
    *v = (sgf_value){out, r->line, r->column};
    advance(r); // '['
    for (;;) {
        if (at_end(r)) return sgf_error(v->line, v->column, "this [ has no ] after it");
        char c = peek(r);
        if (c == ']') break;
        if (c == '\\') {
            advance(r);
            if (at_end(r)) continue;
            c = peek(r);
            if (c == '\n' || c == '\r') { // an escaped line break is none
                skip_break(r);
                continue;
            }
            *out++ = (char)(is_blank(c) ? ' ' : c);
            advance(r);
        } else if (c == '\n' || c == '\r') {
            skip_break(r);
            *out++ = '\n';
        } else {
            *out++ = (char)(is_blank(c) ? ' ' : c);
            advance(r);
        }
    }
    advance(r); // ']'
    *out++ = 0;
    r->n_texts = (size_t)(out - r->s->texts);
    return ERR_OK;
}

static err read_prop(reader *r, sgf_node *node)
{
    sgf_prop *p = &r->s->props[r->n_props];
    char *id = r->s->texts + r->n_texts;
    size_t len = 0;
    *p = (sgf_prop){id, r->s->values + r->n_values, 0, r->line, r->column};
    for (; is_upper(peek(r)) || is_lower(peek(r)); advance(r))
        if (is_upper(peek(r))) id[len++] = peek(r);
    if (len == 0) return sgf_error(p->line, p->column, "a property name needs a capital letter");
    skip_blanks(r);
    if (peek(r) != '[')
        return sgf_error(r->line, r->column, "expected [ and a value of %.*s", (int)(len < 20 ? len : 20), id);
    id[len] = 0; // a value follows, which takes two bytes of the file at least: there is room
    r->n_texts += len + 1;
    r->n_props++;
    node->n_props++;
    while (peek(r) == '[') {
        err e = read_value(r);
        if (e != ERR_OK) return e;
        p->n_values++;
        skip_blanks(r);
    }
    return ERR_OK;
}

static sgf_node *add_node(reader *r, sgf_node *parent)
{
    int i = r->n_nodes++;
    sgf_node *n = &r->s->nodes[i];
    *n = (sgf_node){.parent = parent, .props = r->s->props + r->n_props, .line = r->line, .column = r->column};
    if (parent != NULL) {
        sgf_node **tail = &r->tail[parent - r->s->nodes];
        if (*tail == NULL)
            parent->child = n;
        else
            (*tail)->next = n;
        *tail = n;
    }
    return n;
}

// One game, from its '(' to the matching ')'. Between a ';' and the next structure sign stand properties.
static err read_game(reader *r)
{
    sgf_node *node = NULL;
    bool in_node = false, want_node = false;
    for (;;) {
        skip_blanks(r);
        if (at_end(r)) return sgf_error(r->line, r->column, "the file ends inside a game: expected )");
        char c = peek(r);
        if (want_node && c != ';') return sgf_error(r->line, r->column, "expected ; after (");
        if (c == '(') {
            r->open[r->depth++] = node;
            in_node = false;
            want_node = true;
        } else if (c == ';') {
            if (!in_node && !want_node)
                return sgf_error(r->line, r->column, "expected ( or ), since a variation ended here");
            node = add_node(r, node);
            in_node = true;
            want_node = false;
        } else if (c == ')') {
            node = r->open[--r->depth];
            in_node = false;
        } else if ((is_upper(c) || is_lower(c)) && in_node) {
            err e = read_prop(r, node);
            if (e != ERR_OK) return e;
            continue;
        } else {
            return sgf_error(r->line, r->column, in_node ? "expected a property, ;, ( or )" : "expected ( or )");
        }
        advance(r);
        if (r->depth == 0) return ERR_OK;
    }
}

// Goes to the next "(;" outside of a game; false at the end of the file.
static bool find_game(reader *r)
{
    for (; !at_end(r); advance(r)) {
        if (peek(r) != '(') continue;
        size_t k = r->at + 1;
        while (k < r->n && is_blank(r->text[k])) k++;
        if (k < r->n && r->text[k] == ';') return true;
    }
    return false;
}

static err read_file(reader *r)
{
    sgf_node *last = NULL;
    while (find_game(r)) {
        int root = r->n_nodes;
        err e = read_game(r);
        if (e != ERR_OK) return e;
        if (last != NULL) last->next = &r->s->nodes[root];
        last = &r->s->nodes[root];
        r->s->games++;
    }
    if (last == NULL) return err_set(ERR_PARSE, "no game: an SGF file has (; where a game begins");
    r->s->first = r->s->nodes;
    return ERR_OK;
}

err sgf_parse(const char *text, size_t n, sgf **out)
{
    size_t nodes = 1, values = 1, opens = 1;
    for (size_t i = 0; i < n; i++) {
        nodes += text[i] == ';';
        values += text[i] == '[';
        opens += text[i] == '(';
    }
    if (n > INT32_MAX) return err_set(ERR_LIMIT, "an SGF file of 2 GB or more");
    reader r = {.text = text, .n = n, .line = 1, .column = 1};
    err e = ERR_MEMORY;
    r.s = calloc(1, sizeof *r.s);
    r.open = malloc(opens * sizeof(sgf_node *));
    r.tail = calloc(nodes, sizeof(sgf_node *));
    if (r.s != NULL) {
        r.s->nodes = malloc(nodes * sizeof *r.s->nodes);
        r.s->props = malloc(values * sizeof *r.s->props);
        r.s->values = malloc(values * sizeof *r.s->values);
        r.s->texts = malloc(n + 1);
    }
    if (r.s == NULL || r.open == NULL || r.tail == NULL || r.s->nodes == NULL || r.s->props == NULL ||
        r.s->values == NULL || r.s->texts == NULL)
        err_set(e, "no memory for an SGF file of %zu bytes", n);
    else
        e = read_file(&r);
    if (e == ERR_OK) {
        *out = r.s;
        r.s = NULL;
    }
    free(r.tail);
    free(r.open);
    sgf_free(r.s);
    return e;
}

void sgf_free(sgf *s)
{
    if (s == NULL) return;
    FREE_ALL(s->texts, s->values, s->props, s->nodes, s);
}

int sgf_games(const sgf *s)
{
    return s->games;
}

const sgf_node *sgf_root(const sgf *s, int game)
{
    const sgf_node *n = s->first;
    while (game-- > 0) n = n->next;
    return n;
}

const sgf_prop *sgf_find(const sgf_node *n, const char *id)
{
    for (int i = 0; i < n->n_props; i++)
        if (strcmp(n->props[i].id, id) == 0) return &n->props[i];
    return NULL;
}

const char *sgf_text(const sgf_node *n, const char *id)
{
    const sgf_prop *p = sgf_find(n, id);
    return p == NULL ? NULL : p->values[0].text;
}

// --- writing

static void emit(sgf_out *o, const char *text, size_t n)
{
    if (o->failed) return;
    if (o->n + n + 1 > o->room) {
        size_t room = 2 * (o->n + n + 1) + 256;
        char *bigger = realloc(o->text, room);
        if (bigger == NULL) {
            o->failed = 1;
            return;
        }
        o->text = bigger;
        o->room = room;
    }
    memcpy(o->text + o->n, text, n);
    o->n += n;
    o->text[o->n] = 0;
    for (size_t i = 0; i < n; i++) o->column = text[i] == '\n' ? 0 : o->column + 1;
}

void sgf_begin(sgf_out *o)
{
    if (o->column > 0) emit(o, "\n", 1);
    emit(o, "(", 1);
}

void sgf_node_begin(sgf_out *o)
{
    enum { WIDTH = 72 };
    if (o->column > WIDTH) emit(o, "\n", 1);
    emit(o, ";", 1);
}

void sgf_put_more(sgf_out *o, const char *value)
{
    emit(o, "[", 1);
    for (const char *c = value; *c; c++) {
        if (*c == ']' || *c == '\\') emit(o, "\\", 1);
        emit(o, c, 1);
    }
    emit(o, "]", 1);
}

void sgf_put(sgf_out *o, const char *id, const char *value)
{
    emit(o, id, strlen(id));
    sgf_put_more(o, value);
}

void sgf_end(sgf_out *o)
{
    emit(o, ")", 1);
}

err sgf_take(sgf_out *o, char **text)
{
    emit(o, "\n", 1);
    if (o->failed) {
        free(o->text);
        *o = (sgf_out){0};
        return err_set(ERR_MEMORY, "no memory to write an SGF file");
    }
    *text = o->text;
    *o = (sgf_out){0};
    return ERR_OK;
}

static void print_node(sgf_out *o, const sgf_node *n)
{
    sgf_node_begin(o);
    for (int i = 0; i < n->n_props; i++) {
        sgf_put(o, n->props[i].id, n->props[i].values[0].text);
        for (int k = 1; k < n->props[i].n_values; k++) sgf_put_more(o, n->props[i].values[k].text);
    }
}

// A node that has siblings stands in parentheses of its own, together with the line below it.
static void print_game(sgf_out *o, const sgf_node *root)
{
    const sgf_node *n = root;
    sgf_begin(o);
    print_node(o, n);
    for (;;) {
        if (n->child != NULL) {
            n = n->child;
            if (n->next != NULL) sgf_begin(o);
            print_node(o, n);
            continue;
        }
        // Up to the nearest node with a sibling still to print, closing what was opened on the way.
        for (;; n = n->parent) {
            if (n == root) {
                sgf_end(o);
                return;
            }
            bool only = n->parent->child == n && n->next == NULL;
            if (!only) sgf_end(o);
            if (n->next != NULL) break;
        }
        n = n->next;
        sgf_begin(o);
        print_node(o, n);
    }
}

err sgf_print(const sgf *s, char **text)
{
    sgf_out o = {0};
    for (const sgf_node *root = s->first; root != NULL; root = root->next) print_game(&o, root);
    return sgf_take(&o, text);
}
