// Rosters, single games and tallies, and the table as text.
#include "stats/results.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static err no_memory(void)
{
    return err_set(ERR_MEMORY, "out of memory for game results");
}

// --- roster

int roster_find(const roster *r, const char *name)
{
    for (int i = 0; i < r->n; i++)
        if (strcmp(r->name[i], name) == 0) return i;
    return -1;
}

// Names go into JSON and terminals, so they are UTF-8 without control characters. Returns what is wrong, or NULL.
static const char *name_fault(const char *name, size_t n)
{
    if (n == 0) return "a player's name is empty";
    if (n > STATS_MAX_NAME) return "a player's name is longer than 255 bytes";
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)name[i];
        if (c < 32 || c == 127) return "a player's name holds a control character";
        size_t more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : (c & 0xf0) == 0xe0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : n;
        if (more >= n - i) return "a player's name is not UTF-8";
        unsigned char d = more ? (unsigned char)name[i + 1] : 0;
        if ((c == 0xe0 && d < 0xa0) || (c == 0xed && d > 0x9f) || (c == 0xf0 && d < 0x90) || (c == 0xf4 && d > 0x8f))
            return "a player's name is not UTF-8"; // overlong forms, surrogates, beyond U+10FFFF
        for (size_t k = 1; k <= more; k++)
            if (((unsigned char)name[i + k] & 0xc0) != 0x80) return "a player's name is not UTF-8";
        i += more + 1;
    }
    return NULL;
}

err roster_add(roster *r, const char *name, int *index)
{
    int at = roster_find(r, name);
    if (at < 0) {
        const char *fault = name_fault(name, strlen(name));
        if (fault != NULL) return err_set(ERR_PARSE, "%s", fault);
        if (r->n == STATS_MAX_PLAYERS) return err_set(ERR_LIMIT, "more than %d players", STATS_MAX_PLAYERS);
        char **grown = realloc(r->name, ((size_t)r->n + 1) * sizeof *grown);
        if (grown == NULL) return no_memory();
        r->name = grown;
        size_t size = strlen(name) + 1;
        if ((grown[r->n] = malloc(size)) == NULL) return no_memory();
        memcpy(grown[r->n], name, size);
        at = r->n++;
    }
    *index = at;
    return ERR_OK;
}

err roster_copy(roster *out, const roster *r)
{
    roster copy = {0};
    for (int i = 0, at; i < r->n; i++) {
        err e = roster_add(&copy, r->name[i], &at);
        if (e != ERR_OK) {
            roster_free(&copy);
            return e;
        }
    }
    *out = copy;
    return ERR_OK;
}

void roster_free(roster *r)
{
    for (int i = 0; i < r->n; i++) free(r->name[i]);
    free(r->name);
    *r = (roster){0};
}

// --- single games

err results_add(results *r, int first, int second, int halves, uint32_t pair)
{
    assert(first >= 0 && first < r->who.n && second >= 0 && second < r->who.n && first != second);
    assert(halves >= 0 && halves <= 2);
    if (!GROW(r->game, r->n, r->room)) return no_memory();
    r->game[r->n++] = (result){(uint16_t)first, (uint16_t)second, (uint8_t)halves, pair};
    return ERR_OK;
}

void results_free(results *r)
{
    roster_free(&r->who);
    free(r->game);
    *r = (results){0};
}

err results_of(results *out, const tally *t)
{
    results r = {0};
    err e = ERR_OK;
    if (tally_games(t) > 1e8) return err_set(ERR_LIMIT, "more than 100 million games: too many to lay out one by one");
    if ((e = roster_copy(&r.who, &t->who)) != ERR_OK) return e;
    for (int c = 0; c < t->n && e == ERR_OK; c++) {
        const tally_cell *x = &t->cell[c];
        for (double k = 0; k + 0.5 < x->wins && e == ERR_OK; k++)
            e = results_add(&r, x->first, x->second, 2, PAIR_NONE);
        for (double k = 0; k + 0.5 < x->draws && e == ERR_OK; k++)
            e = results_add(&r, x->first, x->second, 1, PAIR_NONE);
        for (double k = 0; k + 0.5 < x->losses && e == ERR_OK; k++)
            e = results_add(&r, x->first, x->second, 0, PAIR_NONE);
    }
    if (e != ERR_OK) {
        results_free(&r);
        return e;
    }
    *out = r;
    return ERR_OK;
}

// --- tally

void tally_free(tally *t)
{
    roster_free(&t->who);
    free(t->cell);
    *t = (tally){0};
}

static err tally_push(tally *t, tally_cell c)
{
    if ((t->n & (t->n - 1)) == 0) { // full at powers of two
        tally_cell *grown = realloc(t->cell, (t->n ? 2 * (size_t)t->n : 1) * sizeof *grown);
        if (grown == NULL) return no_memory();
        t->cell = grown;
    }
    t->cell[t->n++] = c;
    return ERR_OK;
}

err tally_add(tally *t, int first, int second, double wins, double draws, double losses)
{
    assert(first >= 0 && first < t->who.n && second >= 0 && second < t->who.n && first != second);
    for (int i = 0; i < t->n; i++) {
        tally_cell *c = &t->cell[i];
        if (c->first != first || c->second != second) continue;
        c->wins += wins;
        c->draws += draws;
        c->losses += losses;
        return ERR_OK;
    }
    return tally_push(t, (tally_cell){first, second, wins, draws, losses});
}

err tally_of(tally *out, const results *r)
{
    tally t = {0};
    size_t n = (size_t)r->who.n;
    int *at = calloc(n * n + 1, sizeof *at); // cell + 1 of each ordered pair
    if (at == NULL) return no_memory();
    err e = roster_copy(&t.who, &r->who);
    for (size_t i = 0; i < r->n && e == ERR_OK; i++) {
        const result *g = &r->game[i];
        int *slot = &at[g->first * n + g->second];
        if (*slot == 0) {
            e = tally_push(&t, (tally_cell){g->first, g->second, 0, 0, 0});
            *slot = t.n;
            if (e != ERR_OK) break;
        }
        tally_cell *c = &t.cell[*slot - 1];
        *(g->halves == 2 ? &c->wins : g->halves == 1 ? &c->draws : &c->losses) += 1;
    }
    free(at);
    if (e != ERR_OK) {
        tally_free(&t);
        return e;
    }
    *out = t;
    return ERR_OK;
}

double tally_games(const tally *t)
{
    double n = 0;
    for (int i = 0; i < t->n; i++) n += t->cell[i].wins + t->cell[i].draws + t->cell[i].losses;
    return n;
}

void tally_totals(const tally *t, player_total *out)
{
    for (int i = 0; i < t->who.n; i++) out[i] = (player_total){0};
    for (int i = 0; i < t->n; i++) {
        const tally_cell *c = &t->cell[i];
        double n = c->wins + c->draws + c->losses;
        player_total *a = &out[c->first], *b = &out[c->second];
        a->games += n, b->games += n;
        a->first += n;
        a->wins += c->wins, b->wins += c->losses;
        a->losses += c->losses, b->losses += c->wins;
        a->draws += c->draws, b->draws += c->draws;
    }
}

// --- a match of two

static int by_pair(const void *x, const void *y)
{
    const result *a = x, *b = y;
    if (a->pair != b->pair) return a->pair < b->pair ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

err results_match(match_counts *out, const results *r, int a, int b)
{
    match_counts m = {0};
    size_t n = 0;
    result *own = malloc((r->n + 1) * sizeof *own);
    if (own == NULL) return no_memory();
    for (size_t i = 0; i < r->n; i++) {
        const result *g = &r->game[i];
        if (!(g->first == a && g->second == b) && !(g->first == b && g->second == a)) continue;
        own[n++] = *g;
        m.n3[g->first == a ? g->halves : 2 - g->halves] += 1;
    }
    qsort(own, n, sizeof *own, by_pair);
    double score = n > 0 ? (m.n3[1] + 2 * m.n3[2]) / (double)n : 0; // in half points
    for (size_t i = 0, end; i < n; i = end) {
        int points = 0;
        for (end = i; end == i || (end < n && own[end].pair == own[i].pair && own[i].pair != PAIR_NONE); end++)
            points += own[end].first == a ? own[end].halves : 2 - own[end].halves;
        if (end - i == 2 && own[i].first != own[i + 1].first)
            m.n5[points] += 1;
        else
            m.unpaired += (double)(end - i);
        double off = 0.5 * (points - (double)(end - i) * score);
        m.spread += off * off;
        m.clusters++;
        m.telling += fabs(off) > 1e-9;
    }
    free(own);
    *out = m;
    return ERR_OK;
}

// --- the table as text

typedef struct reader {
    const char *text;
    size_t at, n, line;
} reader;

// One field up to a comma or the line's end, unquoted into `out`. `last` says which of the two ended it.
static err read_field(reader *r, char out[STATS_MAX_NAME + 1], bool *last)
{
    size_t n = 0;
    bool quoted = r->at < r->n && r->text[r->at] == '"';
    if (quoted) r->at++;
    for (;; r->at++) {
        char c = r->at < r->n ? r->text[r->at] : '\n';
        if (quoted && c == '"') {
            r->at++;
            if (r->at >= r->n || r->text[r->at] != '"') break;
        } else if (quoted && (r->at >= r->n || c == '\n')) {
            return err_set(ERR_PARSE, "line %zu: a quote is not closed", r->line);
        } else if (!quoted &&
                   (c == ',' || c == '\n' || (c == '\r' && (r->at + 1 >= r->n || r->text[r->at + 1] == '\n')))) {
            break;
        } else if (!quoted && c == '"') {
            return err_set(ERR_PARSE, "line %zu: a quote inside a field; write the whole field in quotes", r->line);
        }
        if (c == 0) return err_set(ERR_PARSE, "line %zu: a zero byte", r->line);
        if (n == STATS_MAX_NAME)
            return err_set(ERR_PARSE, "line %zu: a field is longer than %d bytes", r->line, STATS_MAX_NAME);
        out[n++] = c;
    }
    out[n] = 0;
    if (r->at < r->n && r->text[r->at] == '\r') r->at++;
    if (r->at < r->n && r->text[r->at] != ',' && r->text[r->at] != '\n')
        return err_set(ERR_PARSE, "line %zu: expected a comma or the end of the line after a quoted field", r->line);
    *last = r->at >= r->n || r->text[r->at] == '\n';
    r->at++;
    return ERR_OK;
}

static err read_row(reader *r, char field[5][STATS_MAX_NAME + 1])
{
    bool last = false;
    for (int k = 0; k < 5; k++) {
        if (last) return err_set(ERR_PARSE, "line %zu: %d fields, expected 5", r->line, k);
        err e = read_field(r, field[k], &last);
        if (e != ERR_OK) return e;
    }
    if (!last) return err_set(ERR_PARSE, "line %zu: more than 5 fields", r->line);
    return ERR_OK;
}

static err read_count(const char *text, size_t line, const char *column, double *out)
{
    double v = 0;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9')
            return err_set(ERR_PARSE, "line %zu: %s is '%s', expected a whole number", line, column, text);
        v = 10 * v + (*c - '0');
        if (v > STATS_MAX_COUNT)
            return err_set(ERR_LIMIT, "line %zu: %s is beyond %.0f", line, column, STATS_MAX_COUNT);
    }
    if (text[0] == 0) return err_set(ERR_PARSE, "line %zu: %s is empty, expected a whole number", line, column);
    *out = v;
    return ERR_OK;
}

static const char *const columns[5] = {"first", "second", "first_wins", "draws", "second_wins"};

static err parse_row(tally *t, char field[5][STATS_MAX_NAME + 1], size_t line)
{
    int who[2];
    double count[3];
    for (int k = 0; k < 2; k++) {
        err e = roster_add(&t->who, field[k], &who[k]);
        if (e != ERR_OK) return err_prefix(e, "line %zu", line);
    }
    if (who[0] == who[1]) return err_set(ERR_PARSE, "line %zu: '%s' cannot play itself", line, field[0]);
    for (int k = 0; k < 3; k++) {
        err e = read_count(field[k + 2], line, columns[k + 2], &count[k]);
        if (e != ERR_OK) return e;
    }
    return tally_push(t, (tally_cell){who[0], who[1], count[0], count[1], count[2]});
}

// Add rows of the same players up, keeping the first one's place.
static err merge_rows(tally *t)
{
    size_t players = (size_t)t->who.n;
    int *at = calloc(players * players + 1, sizeof *at), n = 0;
    if (at == NULL) return no_memory();
    for (int i = 0; i < t->n; i++) {
        tally_cell c = t->cell[i];
        int *slot = &at[(size_t)c.first * players + (size_t)c.second];
        if (*slot == 0) {
            *slot = n + 1;
            t->cell[n++] = c;
            continue;
        }
        tally_cell *sum = &t->cell[*slot - 1];
        sum->wins += c.wins;
        sum->draws += c.draws;
        sum->losses += c.losses;
    }
    t->n = n;
    free(at);
    for (int i = 0; i < n; i++) {
        const tally_cell *c = &t->cell[i];
        if (c->wins <= STATS_MAX_COUNT && c->draws <= STATS_MAX_COUNT && c->losses <= STATS_MAX_COUNT) continue;
        return err_set(ERR_LIMIT, "'%s' against '%s': more than %.0f games", t->who.name[c->first],
                       t->who.name[c->second], STATS_MAX_COUNT);
    }
    return ERR_OK;
}

err tally_parse(tally *out, const char *text, size_t length)
{
    tally t = {0};
    char field[5][STATS_MAX_NAME + 1];
    reader r = {text, 0, length, 1};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) r.at = 3; // spreadsheets write a byte order mark
    if (r.at >= r.n)
        return err_set(ERR_PARSE,
                       "line 1: the table is empty, expected the header first,second,first_wins,draws,second_wins");
    err e = read_row(&r, field);
    for (int k = 0; k < 5 && e == ERR_OK; k++)
        if (strcmp(field[k], columns[k]) != 0)
            e = err_set(ERR_PARSE, "line 1: column %d is '%s', expected '%s'", k + 1, field[k], columns[k]);
    while (e == ERR_OK && r.at < r.n) {
        r.line++;
        if (r.text[r.at] == '\n' || (r.text[r.at] == '\r' && (r.at + 1 == r.n || r.text[r.at + 1] == '\n'))) {
            r.at += r.text[r.at] == '\r' ? 2 : 1; // an empty line
            continue;
        }
        e = read_row(&r, field);
        if (e == ERR_OK) e = parse_row(&t, field, r.line);
    }
    if (e == ERR_OK) e = merge_rows(&t);
    if (e != ERR_OK) {
        tally_free(&t);
        return e;
    }
    *out = t;
    return ERR_OK;
}

static void put(char *buf, size_t size, size_t *n, char c)
{
    if (*n + 1 < size) buf[*n] = c;
    ++*n;
}

static void put_text(char *buf, size_t size, size_t *n, const char *text)
{
    while (*text) put(buf, size, n, *text++);
}

static void put_name(char *buf, size_t size, size_t *n, const char *name)
{
    if (strpbrk(name, ",\"") == NULL) {
        put_text(buf, size, n, name);
        return;
    }
    put(buf, size, n, '"');
    for (; *name; name++) {
        if (*name == '"') put(buf, size, n, '"');
        put(buf, size, n, *name);
    }
    put(buf, size, n, '"');
}

size_t tally_print(const tally *t, char *buf, size_t size)
{
    size_t n = 0;
    for (int k = 0; k < 5; k++) {
        if (k > 0) put(buf, size, &n, ',');
        put_text(buf, size, &n, columns[k]);
    }
    put(buf, size, &n, '\n');
    for (int i = 0; i < t->n; i++) {
        const tally_cell *c = &t->cell[i];
        char counts[96];
        snprintf(counts, sizeof counts, ",%.0f,%.0f,%.0f\n", c->wins, c->draws, c->losses);
        put_name(buf, size, &n, t->who.name[c->first]);
        put(buf, size, &n, ',');
        put_name(buf, size, &n, t->who.name[c->second]);
        put_text(buf, size, &n, counts);
    }
    if (size > 0) buf[n < size ? n : size - 1] = 0;
    return n;
}
