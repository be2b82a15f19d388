// Games as texts: which format it is, our own form, and bare lists of moves. See session.h.
//
//   keiko othello
//   options: plies=150          (where there are any)
//   position: …                 (where the game does not begin at the start)
//   seed: 3 0                   (the key of all chance)
//   first: human                second: alphabeta:depth=6
//   end: resigned 1             (not by the rules: resigned, time, failed or record, and the seat that lost; 0 a draw)
//   moves: f5;d6;c3             (to the end of the text; line ends separate moves, too)
#include "app/session_formats.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *ending;
} formats[FORMAT_COUNT] = {
    [FORMAT_AUTO] = {"auto", NULL},    [FORMAT_TEXT] = {"text", ".keiko"}, [FORMAT_MOVES] = {"moves", ".moves"},
    [FORMAT_JSON] = {"json", ".json"}, [FORMAT_SGF] = {"sgf", ".sgf"},     [FORMAT_GGF] = {"ggf", ".ggf"},
    [FORMAT_OBF] = {"obf", ".obf"},    [FORMAT_PUYOP] = {"puyop", ".url"},
};

const char *session_format_name(session_format f)
{
    return f > FORMAT_AUTO && f < FORMAT_COUNT ? formats[f].name : "auto";
}

session_format session_format_by_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (dot == NULL || strchr(dot, '/') != NULL) return FORMAT_AUTO;
    if (strcmp(dot, ".txt") == 0) return FORMAT_TEXT;
    for (int f = FORMAT_AUTO + 1; f < FORMAT_COUNT; f++)
        if (strcmp(dot, formats[f].ending) == 0) return (session_format)f;
    return FORMAT_AUTO;
}

static bool contains(const char *text, size_t n, const char *word)
{
    size_t k = strlen(word);
    for (size_t i = 0; i + k <= n; i++)
        if (memcmp(text + i, word, k) == 0) return true;
    return false;
}

// Where the first "(;" stands, which begins a game in SGF and GGF; `n` when there is none.
static size_t find_game(const char *text, size_t n)
{
    size_t i = 0;
    while (i + 1 < n && (text[i] != '(' || text[i + 1] != ';')) i++;
    return i + 1 < n ? i : n;
}

// Both have properties NAME[value]; in GGF the value of GM is a name, in SGF a number. A value ends at a bracket without a
// backslash before it.
static bool is_ggf(const char *text, size_t n)
{
    bool othello = false;
    for (size_t i = find_game(text, n) + 2; i < n && text[i] != ';' && text[i] != ')' && text[i] != '(';) {
        size_t name = i, value;
        while (i < n && text[i] != '[') i++;
        value = ++i;
        bool gm = value < n && value >= name + 3 && memcmp(text + value - 3, "GM[", 3) == 0;
        while (i < n && text[i] != ']') i += text[i] == '\\' ? 2 : 1;
        if (gm && i < n && i - value == 7 &&
            (memcmp(text + value, "Othello", 7) == 0 || memcmp(text + value, "othello", 7) == 0))
            othello = true;
        i++;
        while (i < n && (isspace((unsigned char)text[i]) || text[i] == 0)) i++;
    }
    return othello;
}

// 64 squares and a blank: an Othello problem's line.
static bool looks_like_obf(const char *text, size_t n)
{
    size_t i = 0, squares = 0;
    while (i < n && (text[i] == '%' || text[i] == '#' || isspace((unsigned char)text[i]))) {
        bool comment = text[i] == '%' || text[i] == '#';
        while (comment && i < n && text[i] != '\n') i++;
        i += i < n;
    }
    while (i < n && text[i] != 0 && strchr("-.XxOo*@", text[i]) != NULL) i++, squares++;
    return squares == 64;
}

session_format session_format_by_content(const char *text, size_t size)
{
    size_t i = 0, head;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) i = 3; // a byte order mark
    while (i < size && isspace((unsigned char)text[i])) i++;
    text += i;
    size -= i;
    head = size < 4096 ? size : 4096;
    if (size > 0 && text[0] == '{') return FORMAT_JSON;
    if (size > 6 && memcmp(text, "keiko ", 6) == 0) return FORMAT_TEXT;
    if (find_game(text, head) < head) return is_ggf(text, size) ? FORMAT_GGF : FORMAT_SGF;
    if (contains(text, head, "://") || contains(text, head, "puyop.com")) return FORMAT_PUYOP;
    return looks_like_obf(text, size) ? FORMAT_OBF : FORMAT_MOVES;
}

err session_agree_game(const session_source *from, const char *name, const game **g)
{
    err e = game_find(name, g);
    if (e == ERR_OK && from->g != NULL && from->g != *g)
        e = err_set(ERR_USAGE, "this is a game of %s, not of %s", (*g)->name, from->g->name);
    return e;
}

// --- playing what a record says

err session_play_record(session *s, int seat, move_t m)
{
    int n = session_legal(s, s->moves);
    if (n == 1 && s->moves[0] != m && s->g->n_seats == 2) {
        char text[16];
        move_t only = s->moves[0];
        session_choice_text(s, only, text, sizeof text);
        bool other = seat != SESSION_NONE && session_seat(s) != seat;
        if (strcmp(text, "pass") == 0 && (other || seat == SESSION_NONE)) {
            err e = session_play(s, only, NULL);
            if (e != ERR_OK) return e;
        }
    }
    if (seat != SESSION_NONE && session_seat(s) != seat) {
        char name[GAME_SEAT_TEXT];
        return err_set(ERR_PARSE, "it is %s's turn here", game_seat_name(s->g, session_seat(s), false, name));
    }
    n = session_legal(s, s->moves);
    bool legal = n == 0; // over: session_play says so
    for (int i = 0; i < n; i++) legal = legal || s->moves[i] == m;
    if (legal) return session_play(s, m, NULL);
    char move[16];
    session_choice_text(s, m, move, sizeof move);
    return err_set(ERR_PARSE, "%s is not legal as move %d", move, session_ply(s) + 1);
}

// "f5d6c3", "1. f5 d6 2. c3": letters with numbers, without separators. Forced passes may be left out.
static err play_compact(session *s, const char *text)
{
    char one[16];
    int k = 0;
    for (const char *p = text; *p;) {
        if (!isalpha((unsigned char)*p)) { // blanks, commas, the numbers of moves
            p++;
            continue;
        }
        size_t n = 1;
        while (isdigit((unsigned char)p[n]) && n < 3) n++;
        if (n == 1) n = strspn(p, "PpAaSs"); // pass, pa, ps
        if (n < 2 || n >= sizeof one) return err_parse(text, (size_t)(p - text), "expected a move such as f5");
        snprintf(one, sizeof one, "%.*s", (int)n, p);
        k++;
        move_t m = MOVE_NONE;
        int alone = session_legal(s, s->moves);
        move_t only = alone == 1 ? s->moves[0] : MOVE_NONE;
        err e = s->g->move_parse(session_seen(s, s->at, session_seat(s)), one, &m);
        if (e != ERR_OK && only != MOVE_NONE) { // a pass that the list leaves out
            char pass[16];
            session_choice_text(s, only, pass, sizeof pass);
            if (strcmp(pass, "pass") == 0) e = session_play(s, only, NULL);
            if (e == ERR_OK) e = s->g->move_parse(session_seen(s, s->at, session_seat(s)), one, &m);
        }
        if (e == ERR_OK) e = session_play(s, m, NULL);
        if (e != ERR_OK) return err_prefix(e, "move %d ('%s')", k, one);
        p += n;
    }
    return ERR_OK;
}

static bool is_compact(const session *s, const char *text)
{
    // One square per move, and more than one of them without a separator that the list form knows.
    bool squares = s->g->n_moves <= s->g->rows * s->g->cols + 1 && !(s->g->flags & G_HIDDEN);
    size_t n = strcspn(text, ";\n");
    while (n > 0 && isspace((unsigned char)text[n - 1])) n--;
    return squares && n > 4;
}

static err read_moves(session **out, const session_source *from)
{
    session *s = NULL;
    if (from->g == NULL) return err_set(ERR_USAGE, "a list of moves does not say of which game: name the game");
    session_setup setup = {.g = from->g, .options = from->options, .key = from->key};
    err e = session_open(&s, &setup);
    if (e == ERR_OK) e = is_compact(s, from->text) ? play_compact(s, from->text) : session_play_list(s, from->text);
    if (e == ERR_OK && session_ply(s) == 0) e = err_set(ERR_PARSE, "there are no moves in the text");
    return HAND_OVER(e, out, s, session_close);
}

void session_write_moves(session *s, text_buf *t)
{
    char move[256];
    for (int k = s->nodes[0].child, n = 0; k != SESSION_NONE; k = s->nodes[k].child, n++) {
        session_move_text(s, k, move, sizeof move);
        text_printf(t, "%s%s", n ? ";" : "", move);
    }
}

// --- our own form

typedef struct own_text {
    char *game, *options, *position, *seed, *first, *second, *end; // inside the copy; NULL = not there
    const char *moves;
} own_text;

static err split_lines(char *text, own_text *t)
{
    struct {
        const char *name;
        char **value;
    } keys[] = {{"options", &t->options}, {"position", &t->position}, {"seed", &t->seed},
                {"first", &t->first},     {"second", &t->second},     {"end", &t->end}};
    int line = 1;
    char *p = text + strcspn(text, "\n");
    t->game = text + strlen("keiko ");
    t->moves = "";
    if (*p) *p++ = 0;
    for (; *p; line++) {
        size_t n = strcspn(p, "\n"), name = strcspn(p, ":\n");
        char *next = p + n + (p[n] == '\n');
        bool known = false;
        if (name == 5 && strncmp(p, "moves", 5) == 0) {
            t->moves = p + 6;
            break;
        }
        p[n] = 0;
        if (n > 0 && p[n - 1] == '\r') p[n - 1] = 0;
        for (size_t i = 0; i < sizeof keys / sizeof *keys && !known; i++)
            if (p[name] == ':' && strlen(keys[i].name) == name && strncmp(p, keys[i].name, name) == 0) {
                *keys[i].value = p + name + 1 + strspn(p + name + 1, " ");
                known = true;
            }
        if (!known && p[strspn(p, " \t\r")] != 0)
            return err_set(ERR_PARSE,
                           "line %d: expected options, position, seed, first, second, end or moves, not '%.40s'",
                           line + 1, p);
        p = next;
    }
    t->game[strcspn(t->game, " \t\r")] = 0;
    return ERR_OK;
}

static err apply_end(session *s, const char *text)
{
    char word[16], *end_of_number;
    size_t n = strcspn(text, " \t");
    snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), text);
    long loser = strtol(text + n, &end_of_number, 10);
    if (end_of_number == text + n || loser < 0 || loser > s->g->n_seats)
        return err_set(ERR_PARSE, "end: expected how and which seat lost, such as resigned 1, not '%.40s'", text);
    for (int end = END_RESIGNED; end <= END_IMPORTED; end++)
        if (strcmp(word, session_end_name((session_end)end)) == 0) {
            session_end_here(s, (session_end)end, loser == 0 ? SESSION_NONE : (int)loser - 1);
            return ERR_OK;
        }
    return err_set(ERR_PARSE, "end: '%s' is none of resigned, time, failed and record", word);
}

// "3 0", or "3" alone: the run's seed and the number of the game.
static err read_seed(const char *text, game_key *key)
{
    uint64_t *part[2] = {&key->run, &key->game};
    *key = (game_key){0};
    for (int i = 0; i < 2 && (i == 0 || *text != 0); i++) {
        char *rest;
        errno = 0;
        *part[i] = strtoull(text, &rest, 10);
        if (errno != 0 || strspn(text, "0123456789") != (size_t)(rest - text) || rest == text)
            return err_set(ERR_PARSE, "seed: expected one or two whole numbers from 0 to %" PRIu64 ", not '%.50s'",
                           UINT64_MAX, text);
        text = rest + strspn(rest, " \t\r");
    }
    return *text == 0 ? ERR_OK : err_set(ERR_PARSE, "seed: unexpected '%.50s' behind the two numbers", text);
}

static err read_own(session **out, const session_source *from)
{
    own_text t = {0};
    session *s = NULL;
    const game *g = NULL;
    char *copy = session_copy_text(from->text + strspn(from->text, " \t\r\n\xef\xbb\xbf"));
    err e = copy == NULL ? err_set(ERR_MEMORY, "no memory for the text") : ERR_OK;
    if (e == ERR_OK && strncmp(copy, "keiko ", 6) != 0) e = err_parse(copy, 0, "expected keiko and a game's name");
    if (e == ERR_OK) e = split_lines(copy, &t);
    if (e == ERR_OK) e = session_agree_game(from, t.game, &g);
    game_key key = from->key;
    if (e == ERR_OK && t.seed != NULL) e = read_seed(t.seed, &key);
    if (e == ERR_OK)
        e = session_open(&s, &(session_setup){.g = g, .options = t.options, .position = t.position, .key = key});
    if (e == ERR_OK) e = session_play_list(s, t.moves);
    if (e == ERR_OK && t.first != NULL) e = session_set_wish(s, 0, t.first);
    if (e == ERR_OK && t.second != NULL) e = session_set_wish(s, 1, t.second);
    for (int i = 0; e == ERR_OK && i < 2; i++)
        if (s->wish[i] != NULL) e = session_set_name(s, i, s->wish[i]);
    if (e == ERR_OK && t.end != NULL) e = apply_end(s, t.end);
    free(copy);
    return HAND_OVER(e, out, s, session_close);
}

static void write_value(text_buf *t, const char *key, const char *value)
{
    text_printf(t, "%s: ", key);
    text_append_safe(t, value, false); // one line, whatever is in it
    text_char(t, '\n');
}

static err write_own(session *s, text_buf *t)
{
    text_printf(t, "keiko %s\n", s->g->name);
    if (s->options[0]) write_value(t, "options", s->options);
    if (s->position != NULL) write_value(t, "position", s->position);
    text_printf(t, "seed: %llu %llu\n", (unsigned long long)s->key.run, (unsigned long long)s->key.game);
    for (int i = 0; i < s->g->n_seats; i++) write_value(t, i == 0 ? "first" : "second", session_name(s, i));
    bool at_end = s->end_at == session_main_end(s);
    if (s->end != END_NONE && at_end) text_printf(t, "end: %s %d\n", session_end_name(s->end), s->loser + 1);
    text_append(t, "moves: ");
    session_write_moves(s, t);
    text_char(t, '\n');
    return ERR_OK;
}

// --- all of them

static err read_json(session **out, const session_source *from)
{
    session *s = NULL;
    const game *g;
    err e = session_from_json(&s, from->text, from->size);
    if (e == ERR_OK) e = session_agree_game(from, session_game(s)->name, &g);
    return HAND_OVER(e, out, s, session_close);
}

err session_import(session **out, const session_source *from)
{
    session_format f = session_format_by_content(from->text, from->size);
    session_source named = *from;
    // What it looks like counts more than its name: .txt may be anything.
    if (f == FORMAT_MOVES && from->format != FORMAT_AUTO && from->format != FORMAT_TEXT) f = from->format;
    // A text with NULs inside is cut there by the readers that take strings: refuse it instead.
    if (memchr(from->text, 0, from->size) != NULL)
        return err_set(ERR_PARSE, "this is not a text: it has zero bytes in it");
    named.format = f;
    switch (f) {
    case FORMAT_TEXT:
        return read_own(out, &named);
    case FORMAT_JSON:
        return read_json(out, &named);
    case FORMAT_SGF:
        return err_prefix(session_read_sgf(out, &named), "SGF");
    case FORMAT_GGF:
        return err_prefix(session_read_ggf(out, &named), "GGF");
    case FORMAT_OBF:
        return err_prefix(session_read_obf(out, &named), "OBF");
    case FORMAT_PUYOP:
        return session_read_puyop(out, &named);
    default:
        return read_moves(out, &named);
    }
}

err session_export(session *s, session_format f, text_buf *t)
{
    err e = ERR_OK;
    switch (f) {
    case FORMAT_JSON:
        e = session_to_json(s, SESSION_NONE, t);
        break;
    case FORMAT_SGF:
        e = session_write_sgf(s, t);
        break;
    case FORMAT_GGF:
        e = session_write_ggf(s, t);
        break;
    case FORMAT_OBF:
        e = session_write_obf(s, t);
        break;
    case FORMAT_PUYOP:
        e = session_write_puyop(s, t);
        break;
    case FORMAT_MOVES:
        session_write_moves(s, t);
        text_char(t, '\n');
        break;
    default:
        e = write_own(s, t);
    }
    return e == ERR_OK ? text_check(t) : e;
}
