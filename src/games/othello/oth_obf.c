// OBF lines in and out. See oth_obf.h for the format.
#include "games/othello/oth_obf.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r";

static size_t skip(const char *text, size_t at)
{
    return at + strspn(text + at, blanks);
}

static bool at_end(const char *text, size_t at)
{
    return text[at] == 0 || text[at] == '\n';
}

static err read_score(const char *text, size_t *at, int8_t *score)
{
    size_t p = *at, digits = 0;
    bool minus = text[p] == '-';
    if (minus || text[p] == '+') p++;
    int v = 0;
    for (; text[p] >= '0' && text[p] <= '9'; p++, digits++)
        if (v <= 64) v = v * 10 + text[p] - '0';
    if (digits == 0) return err_parse(text, *at, "expected a score, -64 to +64");
    if (v > 64) return err_parse(text, *at, "a score must be from -64 to +64");
    *score = (int8_t)(minus ? -v : v);
    *at = p;
    return ERR_OK;
}

// `MOVE:score`; the move must be legal and new.
static err read_move(const char *text, size_t *at, oth_problem *p)
{
    size_t where = *at;
    int sq = 0;
    oth_scored m;
    err e = oth_square_parse(text, at, &sq);
    if (e != ERR_OK) return e;
    uint64_t moves = oth_moves(p->s.b);
    bool ok = sq == OTH_PASS ? moves == 0 && !oth_over(p->s.b) : (moves >> sq & 1) != 0;
    char name[5];
    if (!ok) return err_parse(text, where, "%s is not legal in this position", oth_square_name(sq, name));
    for (int i = 0; i < p->n; i++)
        if (p->moves[i].sq == sq) return err_parse(text, where, "%s is listed twice", oth_square_name(sq, name));
    *at = skip(text, *at);
    if (text[*at] != ':') return err_parse(text, *at, "expected ':' and a score after the move");
    *at = skip(text, *at + 1);
    e = read_score(text, at, &m.score);
    if (e != ERR_OK) return e;
    m.sq = (uint8_t)sq;
    p->moves[p->n++] = m; // legal and distinct, so never more than OTH_MAX_MOVES
    return ERR_OK;
}

// A problem up to the end of its line; *at comes to stand on the line end or NUL.
static err read_problem(const char *text, size_t *at, oth_problem *out)
{
    oth_problem p = {.n = 0};
    err e = oth_state_read(text, at, blanks, &p.s);
    if (e != ERR_OK) return e;
    bool divided = false; // a semicolon stands before the next field
    for (;;) {
        *at = skip(text, *at);
        if (text[*at] == ';') {
            divided = true;
            *at += 1;
            continue;
        }
        if (text[*at] == '%' || text[*at] == '#') *at += strcspn(text + *at, "\n");
        if (at_end(text, *at)) break;
        if (!divided) return err_parse(text, *at, "expected ';' or the end of the line");
        e = read_move(text, at, &p);
        if (e != ERR_OK) return e;
        divided = false;
    }
    *out = p;
    return ERR_OK;
}

err oth_obf_parse(const char *line, oth_problem *out)
{
    size_t at = 0;
    oth_problem p;
    err e = read_problem(line, &at, &p);
    if (e != ERR_OK) return e;
    if (line[at] != 0) return err_parse(line, at, "expected one line only");
    *out = p;
    return ERR_OK;
}

err oth_obf_read(const char *text, oth_problem **out, int *n)
{
    oth_problem *list = NULL;
    int count = 0, room = 0;
    err e = ERR_OK;
    size_t at = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; // some editors put a mark first
    while (text[at] != 0) {
        at = skip(text, at);
        if (text[at] == '%' || text[at] == '#') at += strcspn(text + at, "\n");
        if (text[at] == '\n') {
            at++;
            continue;
        }
        if (text[at] == 0) break;
        if (!GROW(list, count, room)) {
            e = err_set(ERR_MEMORY, "no memory for %d Othello problems", count);
            goto done;
        }
        e = read_problem(text, &at, &list[count]);
        if (e != ERR_OK) goto done;
        count++;
    }
    *out = list;
    *n = count;
    list = NULL;
done:
    free(list);
    return e;
}

int oth_obf_print(const oth_problem *p, char *buf, size_t n)
{
    char text[OTH_OBF_TEXT];
    oth_state_write(&p->s, text);
    size_t len = OTH_STATE_TEXT - 1;
    text[len++] = ';';
    for (int i = 0; i < p->n; i++) {
        char name[5];
        oth_square_name(p->moves[i].sq, name);
        if (name[2] == 0) name[0] = (char)(name[0] - 'a' + 'A'); // squares are capitals in OBF files
        len += (size_t)snprintf(text + len, sizeof text - len, " %s:%+d;", name, p->moves[i].score);
    }
    text[len] = 0;
    return snprintf(buf, n, "%s", text);
}
