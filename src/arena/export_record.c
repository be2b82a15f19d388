// Games as SGF and PGN. See export.h.
//
// SGF is for the games it knows: Othello (GM[2]) and stones in a row (GM[4]); points are two letters from the top left.
// PGN is taken as its tags and a numbered list of moves in the game's own notation, which suits every game here. White and
// Black are the game's own colours, and the result is White's; where there are none, White is who moves first. First and
// Second, tags of ours, say who moves first in any game.
#include "arena/export.h"
#include "base/clock.h"
#include "games/sgf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    const tour_view *v;
    const export_options *o;
    text_buf t;
    sink to;
} job;

// SGF's number of the game, 0 = none. Black moves first in all games that SGF knows.
static int sgf_number(const game *g)
{
    return g->formats != NULL ? g->formats->sgf : 0;
}

// --- SGF

static void put_root(sgf_out *o, const tour_view *v, const match_record *r, bool timing)
{
    char text[200], stamp[CLOCK_TEXT], from[OPENING_NAME];
    sgf_node_begin(o);
    sgf_put(o, "FF", "4");
    snprintf(text, sizeof text, "%d", sgf_number(v->setup.g));
    sgf_put(o, "GM", text);
    sgf_put(o, "CA", "UTF-8");
    sgf_put(o, "AP", "keiko");
    snprintf(text, sizeof text, "%d", v->setup.g->rows);
    sgf_put(o, "SZ", text);
    if (v->setup.g->formats->sgf_rules != NULL) sgf_put(o, "RU", v->setup.g->formats->sgf_rules);
    sgf_put(o, "PB", v->setup.player[r->what.player[0]].name);
    sgf_put(o, "PW", v->setup.player[r->what.player[1]].name);
    if (timing) {
        clock_iso(v->state.started, stamp);
        stamp[10] = 0;
        sgf_put(o, "DT", stamp);
    }
    snprintf(text, sizeof text, "%llu", (unsigned long long)r->what.id + 1);
    sgf_put(o, "GN", text);
    sgf_put(o, "ON", view_opening(v, r->what.opening, from));
    const char *how = r->reason == MATCH_RESIGNED ? "Resign" : r->reason == MATCH_FAILED ? "Forfeit" : "";
    if (r->halves == 1)
        snprintf(text, sizeof text, "0");
    else
        snprintf(text, sizeof text, "%c+%s", r->halves == 2 ? 'B' : 'W', how);
    sgf_put(o, "RE", text);
    snprintf(text, sizeof text, "%s%s%s", match_reason_name(r->reason), r->detail[0] ? ": " : "", r->detail);
    sgf_put(o, "C", text);
}

typedef struct sgf_job {
    sgf_out out;
    int rows, cols, n;
} sgf_job;

static err put_move(void *ctx, const void *obs, move_t next)
{
    sgf_job *j = ctx;
    (void)obs;
    if (next == MOVE_NONE) return ERR_OK;
    char point[3] = {(char)('a' + next % j->cols), (char)('a' + next / j->cols), 0};
    sgf_node_begin(&j->out);
    // A pass, a move behind the last square, is written down: so sides alternate.
    sgf_put(&j->out, j->n++ % 2 == 0 ? "B" : "W", next >= j->rows * j->cols ? "" : point);
    return ERR_OK;
}

static err sgf_game(void *ctx, const match_record *r)
{
    job *j = ctx;
    const tour_view *v = j->v;
    if (!view_counts(v, r)) return ERR_OK;
    sgf_job moves = {.rows = v->setup.g->rows, .cols = v->setup.g->cols};
    sgf_out *o = &moves.out;
    sgf_begin(o);
    put_root(o, v, r, j->o->timing);
    err e = export_replay(v, r, put_move, &moves);
    sgf_end(o);
    char *text = NULL;
    err taken = sgf_take(o, &text); // frees the rest, so also after an error
    if (e == ERR_OK) e = taken;
    if (e == ERR_OK) {
        text_append(&j->t, text);
        text_char(&j->t, '\n');
    }
    free(text);
    return e == ERR_OK && j->t.len > 1 << 16 ? export_flush(&j->t, j->to) : e;
}

static err run_job(job *j, store *s, store_visit *fn)
{
    err e = store_games(s, j->v->state.run, fn, j);
    if (e == ERR_OK) e = export_flush(&j->t, j->to);
    text_free(&j->t);
    return e;
}

err export_sgf(const tour_view *v, store *s, const export_options *o, sink to)
{
    if (sgf_number(v->setup.g) == 0)
        return err_set(ERR_USAGE, "SGF has no form for %s; export pgn instead", v->setup.g->name);
    job j = {.v = v, .o = o, .to = to};
    return run_job(&j, s, sgf_game);
}

// --- PGN

static void pgn_tag(text_buf *t, const char *name, const char *value)
{
    text_printf(t, "[%s \"", name);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\') text_char(t, '\\');
        text_char(t, (unsigned char)*value < ' ' || *value == 0x7f ? ' ' : *value); // a tag is one line of text
    }
    text_append(t, "\"]\n");
}

static void pgn_tags(job *j, const match_record *r, const char *score)
{
    const tour_view *v = j->v;
    char text[200], stamp[CLOCK_TEXT] = "????.??.??", from[OPENING_NAME];
    text_buf *t = &j->t;
    if (j->o->timing) {
        clock_iso(v->state.started, stamp);
        stamp[4] = stamp[7] = '.';
        stamp[10] = 0;
    }
    pgn_tag(t, "Event", "keiko bench");
    pgn_tag(t, "Site", "?");
    pgn_tag(t, "Date", stamp);
    snprintf(text, sizeof text, "%llu", (unsigned long long)r->what.id + 1);
    pgn_tag(t, "Round", text);
    bool black = sgf_number(v->setup.g) != 0;
    pgn_tag(t, "White", v->setup.player[r->what.player[black]].name);
    pgn_tag(t, "Black", v->setup.player[r->what.player[!black]].name);
    pgn_tag(t, "Result", score);
    pgn_tag(t, "First", v->setup.player[r->what.player[0]].name);
    pgn_tag(t, "Second", v->setup.player[r->what.player[1]].name);
    pgn_tag(t, "Variant", v->setup.g->name);
    if (v->setup.settings[0]) pgn_tag(t, "Options", v->setup.settings);
    pgn_tag(t, "Opening", view_opening(v, r->what.opening, from));
    snprintf(text, sizeof text, "%d", r->plies);
    pgn_tag(t, "PlyCount", text);
    pgn_tag(t, "Termination", match_reason_name(r->reason));
    if (r->detail[0]) pgn_tag(t, "Detail", r->detail);
    snprintf(text, sizeof text, "%llu:%u", (unsigned long long)v->setup.seed, r->what.opening);
    pgn_tag(t, "Key", text);
}

// The numbered list, broken at 80 columns. Moves with a space in them are kept together by an underscore.
static void pgn_moves(text_buf *t, const char *line, const char *score)
{
    int ply = 0, column = 0;
    for (const char *p = line; *p; ply++) {
        char word[320];
        size_t n = strcspn(p, ";");
        int k = ply % 2 == 0 ? snprintf(word, sizeof word, "%d. ", ply / 2 + 1) : 0;
        for (size_t i = 0; i < n && k < 310; i++) word[k++] = p[i] == ' ' ? '_' : p[i];
        word[k] = 0;
        if (column + k + 1 > 80) {
            text_char(t, '\n');
            column = 0;
        }
        column += k + (column > 0);
        text_printf(t, "%s%s", column > k ? " " : "", word);
        p += n + (p[n] == ';');
    }
    text_printf(t, "%s%s\n\n", column == 0 ? "" : column + 8 > 80 ? "\n" : " ", score);
}

static err pgn_game(void *ctx, const match_record *r)
{
    job *j = ctx;
    if (!view_counts(j->v, r)) return ERR_OK;
    static const char *const scores[] = {"0-1", "1/2-1/2", "1-0"}; // by White's half points
    const char *score = scores[sgf_number(j->v->setup.g) != 0 ? 2 - r->halves : r->halves];
    text_buf line = {0};
    err e = export_line(j->v, r, &line);
    if (e == ERR_OK) {
        pgn_tags(j, r, score);
        text_char(&j->t, '\n');
        pgn_moves(&j->t, text_str(&line), score);
    }
    text_free(&line);
    return e == ERR_OK && j->t.len > 1 << 16 ? export_flush(&j->t, j->to) : e;
}

err export_pgn(const tour_view *v, store *s, const export_options *o, sink to)
{
    job j = {.v = v, .o = o, .to = to};
    return run_job(&j, s, pgn_game);
}
