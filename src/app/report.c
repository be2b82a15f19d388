// A training run as a document, and documents as pages. See report.h; a bench's document is in report_bench.c.
#include "app/report.h"

#include "app/runs.h"
#include "base/clock.h"
#include "games/history.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- rows: evenly thinned where a kind has many

enum { KINDS = 64 };
typedef struct row_share {
    char kind[32];
    int rows, seen;
} row_share;

static row_share *share_of(row_share *list, int *n, const char *kind)
{
    int i = 0;
    while (i < *n && strncmp(list[i].kind, kind, sizeof list->kind - 1) != 0) i++;
    if (i == *n && *n < KINDS) snprintf(list[(*n)++].kind, sizeof list->kind, "%s", kind);
    return &list[i < KINDS ? i : KINDS - 1];
}

static bool is_kept(row_share *t)
{
    int every = (t->rows + REPORT_ROWS - 1) / REPORT_ROWS, at = t->seen++;
    return at % every == 0 || at == t->rows - 1;
}

// Six digits are more than a chart shows, and keep the file small.
static double short_number(double v)
{
    char text[40];
    snprintf(text, sizeof text, "%.6g", v);
    return strtod(text, NULL);
}

static void put_row(const run_record *r, json_writer *w)
{
    json_open_object(w);
    json_pair_text(w, "kind", r->kind);
    json_pair_int(w, "step", r->step);
    json_pair_number(w, "seconds", short_number(r->seconds));
    for (int i = 0; i < r->n; i++) {
        const run_value *v = &r->values[i];
        if (v->text != NULL)
            json_pair_text(w, v->name, v->text);
        else
            json_pair_number(w, v->name, short_number(v->v));
    }
    if (strcmp(r->kind, "match") == 0 && isnan(run_record_get(r, "low"))) { // Wilson's, where the line has none
        double low, high;
        run_match_interval(r, &low, &high);
        json_pair_number(w, "low", low);
        json_pair_number(w, "high", high);
    }
    json_close(w);
}

static void put_rows(const run_book *b, json_writer *w)
{
    row_share list[KINDS] = {{{0}, 0, 0}};
    int n = 0;
    for (int i = 0; i < run_book_count(b); i++) share_of(list, &n, run_book_at(b, i)->kind)->rows++;
    json_pair_int(w, "lines", run_book_count(b));
    json_pair_array(w, "rows");
    for (int i = 0; i < run_book_count(b); i++) {
        const run_record *r = run_book_at(b, i);
        if (strcmp(r->kind, "game") != 0 && is_kept(share_of(list, &n, r->kind))) put_row(r, w);
    }
    json_close(w);
}

// --- games of self-play, from the first to the last

void report_board(const game *g, const void *obs, const char *last, json_writer *w)
{
    json_open_object(w);
    json_pair_text(w, "last", last);
    if (g->view != NULL) {
        json_pair_object(w, "view");
        g->view(obs, w);
        json_close(w);
    } else {
        char board[GAME_TEXT];
        g->draw(obs, MOVE_NONE, false, board, sizeof board);
        json_pair_text(w, "text", board);
    }
    json_close(w);
}

// False: its moves cannot be played, so it is left out.
static bool put_boards(const game *g, const char *moves, json_writer *w)
{
    history h = {0};
    char word[256], *obs = calloc(1, g->obs_size);
    bool good = obs != NULL && history_begin(&h, g, "", NULL, (game_key){0, 0}) == ERR_OK &&
                history_play_list(&h, moves) == ERR_OK;
    json_pair_int(w, "plies", good ? h.ply : 0);
    json_pair_array(w, "boards");
    for (int i = 0; good && i <= h.ply; i++) {
        const void *state = history_at(&h, i);
        word[0] = 0;
        if (i > 0) {
            const void *before = history_at(&h, i - 1);
            game_observe(g, before, g->seat(before), obs);
            g->move_print(obs, h.moves[i - 1], word, sizeof word);
        }
        game_observe(g, state, g->seat(state), obs);
        report_board(g, obs, word, w);
    }
    json_close(w);
    history_free(&h);
    free(obs);
    return good;
}

static err put_games(const run_book *b, const char *name, int most, json_writer *w)
{
    const game *g = NULL;
    int all = 0, seen = 0, put = 0;
    err e = ERR_OK;
    for (int i = 0; i < run_book_count(b); i++) all += strcmp(run_book_at(b, i)->kind, "game") == 0;
    json_pair_array(w, "games");
    if (game_find(name, &g) != ERR_OK || (g->flags & G_CHANCE)) all = 0; // chance is not in the moves
    for (int i = 0; i < run_book_count(b) && put < most && all > 0 && e == ERR_OK; i++) {
        const run_record *r = run_book_at(b, i);
        if (strcmp(r->kind, "game") != 0) continue;
        if (seen++ != (most > 1 && all > most ? (int)((int64_t)put * (all - 1) / (most - 1)) : put)) continue;
        text_buf one = {0};
        json_writer inner = json_begin(&one, false);
        json_open_object(&inner);
        json_pair_int(&inner, "step", r->step);
        const char *score = run_record_text(r, "score"), *moves = run_record_text(r, "moves");
        if (score != NULL)
            json_pair_text(&inner, "score", score);
        else
            json_pair_number(&inner, "score", run_record_get(r, "score"));
        bool good = moves != NULL && put_boards(g, moves, &inner);
        json_close(&inner);
        e = json_finish(&inner);
        if (good && e == ERR_OK) json_put_raw(w, one.data, one.len);
        text_free(&one);
        put++;
    }
    json_close(w);
    return e;
}

err report_training_json(const char *dir, const report_options *o, json_writer *w)
{
    run_book *book = NULL;
    run_state s;
    char now[CLOCK_TEXT], why[160];
    err e = run_info_read(&s.info, dir);
    if (e == ERR_OK) e = run_book_read(&book, dir);
    if (e == ERR_OK) e = run_state_of(&s, dir, book);
    if (e == ERR_OK) {
        json_open_object(w);
        json_pair_text(w, "kind", "training");
        json_pair_text(w, "name", dir);
        json_pair_text(w, "made", clock_iso(clock_unix(), now));
        json_pair_text(w, "over", o->by_time ? "time" : "step");
        json_pair_text(w, "unit", run_step_word(s.info.algo));
        json_pair_text(w, "version", s.info.version);
        json_key(w, "state");
        run_state_json(&s, w);
        int bad = run_book_bad(book, why);
        if (bad > 0) {
            json_pair_int(w, "unreadable", bad);
            json_pair_text(w, "unreadableFirst", why);
        }
        json_key(w, "options");
        if (runs_options_json(dir, w) != ERR_OK) json_pair_text(w, "unreadableOptions", err_text());
        put_rows(book, w);
        e = put_games(book, s.info.game, o->replays, w);
        json_close(w);
    }
    run_book_free(book);
    return e;
}

// --- pages

// Tables of whatever the document holds: objects by key, lists of objects by column, long lists from both ends.
static const char plain[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'\">\n<title>keiko report</title>\n"
    "<style>body{font:15px/1.5 system-ui,sans-serif;margin:16px;max-width:1180px}table{border-collapse:collapse}"
    "td,th{padding:3px 10px 3px 0;text-align:left;vertical-align:top;border-bottom:1px solid #8884;"
    "font-variant-numeric:tabular-nums}summary{cursor:pointer;font-weight:600;margin:.5em 0}</style></head>\n<body>"
    "<p><b>keiko report</b>: plain tables. The charts, boards and replays need the page's files: build them with "
    "<code>make site</code> (tools/deps.sh site installs what that needs), then run keiko report again.</p>\n"
    "<main></main><noscript>The tables need JavaScript.</noscript>\n"
    "<script type=\"application/json\" id=\"data\">@DATA@</script>\n"
    "<script>\n"
    "const el = (n, ...c) => { const e = document.createElement(n); e.append(...c); return e; };\n"
    "const isList = (v) => Array.isArray(v) && v.some((x) => x && typeof x == 'object' && !Array.isArray(x));\n"
    "function show(v) {\n"
    "  if (isList(v)) {\n"
    "    const keys = [...new Set(v.flatMap(Object.keys))].filter((k) => k != 'boards');\n"
    "    const some = v.length > 200 ? [...v.slice(0, 50), ...v.slice(-150)] : v;\n"
    "    return el('table', el('tr', ...keys.map((k) => el('th', k))), ...some.map((r) => el('tr', ...keys.map((k) => "
    "el('td', show(r[k]))))));\n"
    "  }\n"
    "  if (v && typeof v == 'object' && !Array.isArray(v))\n"
    "    return el('table', ...Object.entries(v).map(([k, x]) => el('tr', el('th', k), el('td', show(x)))));\n"
    "  return v == null ? '' : Array.isArray(v) ? v.map((x) => JSON.stringify(x)).join(' ') : typeof v == 'number' ? "
    "String(+v.toPrecision(6)) : String(v);\n"
    "}\n"
    "const data = JSON.parse(document.getElementById('data').textContent);\n"
    "for (const [k, v] of Object.entries(data)) {\n"
    "  const d = el('details', el('summary', k), show(v));\n"
    "  d.open = !isList(v) || v.length < 50;\n"
    "  document.querySelector('main').append(v && typeof v == 'object' ? d : el('p', k + ': ' + show(v)));\n"
    "}\n</script></body></html>\n";

err report_page(const char *template, const text_buf *json, text_buf *to)
{
    static const char mark[] = "@DATA@";
    if (template == NULL) template = plain;
    const char *at = strstr(template, mark);
    if (at == NULL) return err_set(ERR_PARSE, "this is no template of a report: it has no %s", mark);
    assert(json->len == 0 || memchr(json->data, '<', json->len) == NULL);
    text_append_n(to, template, (size_t)(at - template));
    text_append_n(to, json->data, json->len);
    text_append(to, at + sizeof mark - 1);
    return text_check(to);
}
