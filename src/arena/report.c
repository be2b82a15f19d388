// The bench's report. See report.h.
//
// Replays are drawn by the game's own text drawing, one board a move, so every game can be replayed without its rules being
// written a second time in a script. They are taken evenly from the whole run.
#include "arena/report.h"

#include "arena/export.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/page.h"
#include "base/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAME_ROWS = 2000, CURVE = 60, CURVE_PLAYERS = 12 };

// --- charts

static void ratings_chart(const tour_view *v, text_buf *to)
{
    int n = v->setup.n_players;
    plot_interval *rows = calloc((size_t)n, sizeof *rows);
    if (rows == NULL) {
        to->failed = true;
        return;
    }
    for (int i = 0; i < n; i++) { // from the strongest
        interval in = view_interval(v, i);
        plot_interval row = {v->setup.player[i].name, v->fit.rating[i], in.low, in.high, NULL};
        int k = i;
        for (; k > 0 && rows[k - 1].value < row.value; k--) rows[k] = rows[k - 1];
        rows[k] = row;
    }
    plot_intervals(to, &(plot_axes){.title = "Ratings with their intervals", .x_label = "Elo"}, rows, n);
    free(rows);
}

static void heat_chart(const tour_view *v, text_buf *to)
{
    int n = v->setup.n_players;
    double *score = malloc((size_t)n * (size_t)n * sizeof *score);
    const char **names = calloc((size_t)n, sizeof *names), **titles = calloc((size_t)n * (size_t)n, sizeof *titles);
    char(*words)[200] = calloc((size_t)n * (size_t)n, sizeof *words);
    if (score == NULL || names == NULL || titles == NULL || words == NULL) {
        to->failed = true;
    } else {
        for (int i = 0; i < n; i++) names[i] = v->setup.player[i].name;
        for (int i = 0; i < n * n; i++) {
            score[i] = NAN;
            titles[i] = words[i];
        }
        for (int i = 0; i < v->n_pairings; i++) {
            const view_pairing *p = &v->pairing[i];
            double games = p->wins_a + p->wins_b + p->draws;
            int ab = p->a * n + p->b, ba = p->b * n + p->a;
            score[ab] = (p->wins_a + 0.5 * p->draws) / games;
            score[ba] = 1 - score[ab];
            snprintf(words[ab], sizeof words[ab], "%.60s against %.60s: %.0f won, %.0f drawn, %.0f lost", names[p->a],
                     names[p->b], p->wins_a, p->draws, p->wins_b);
            snprintf(words[ba], sizeof words[ba], "%.60s against %.60s: %.0f won, %.0f drawn, %.0f lost", names[p->b],
                     names[p->a], p->wins_b, p->draws, p->wins_a);
        }
        plot_heat(to, &(plot_axes){.title = "Score, row against column"},
                  &(plot_grid){.rows = names,
                               .columns = names,
                               .n_rows = n,
                               .n_columns = n,
                               .v = score,
                               .titles = titles,
                               .least = 0,
                               .middle = 0.5,
                               .most = 1,
                               .percent = true});
    }
    FREE_ALL(score, names, titles, words);
}

static err curve_chart(const tour_view *v, text_buf *to)
{
    double *at = NULL, *rating = NULL;
    int points = 0, players = v->setup.n_players, shown = players < CURVE_PLAYERS ? players : CURVE_PLAYERS;
    err e = view_convergence(v, CURVE, &at, &rating, &points);
    if (e != ERR_OK) return e;
    plot_series *lines = calloc((size_t)shown, sizeof *lines);
    double *y = calloc((size_t)shown * (size_t)(points + 1), sizeof *y);
    if (lines == NULL || y == NULL) {
        e = err_set(ERR_MEMORY, "no memory for the curves");
    } else {
        for (int i = 0; i < shown; i++) {
            for (int k = 0; k < points; k++) y[i * points + k] = rating[k * players + i];
            lines[i] = (plot_series){.name = v->setup.player[i].name, .x = at, .y = y + i * points, .n = points};
        }
        plot_lines(to, &(plot_axes){.title = "Ratings by number of games", .x_label = "games", .y_label = "Elo"}, lines,
                   shown);
    }
    FREE_ALL(lines, y, at, rating);
    return e;
}

// --- games

typedef struct listing {
    const tour_view *v;
    page *p;
    text_buf replay; // JSON: [{"title", "boards": […]}]
    json_writer w;
    uint64_t seen, every_row, every_replay;
    int replays, most;
} listing;

static err add_board(void *ctx, const void *obs, move_t next)
{
    listing *l = ctx;
    const game *g = l->v->setup.g;
    char board[GAME_TEXT], word[256] = "";
    if (next != MOVE_NONE) g->move_print(obs, next, word, sizeof word);
    g->draw(obs, MOVE_NONE, false, board, sizeof board);
    json_open_array(&l->w);
    json_put_text(&l->w, board);
    json_put_text(&l->w, word);
    json_close(&l->w);
    return ERR_OK;
}

static err add_replay(listing *l, const match_record *r)
{
    const tour_view *v = l->v;
    char title[700];
    const char *a = v->setup.player[r->what.player[0]].name, *b = v->setup.player[r->what.player[1]].name;
    snprintf(title, sizeof title, "Game %llu: %s – %s, %s (%s)", (unsigned long long)r->what.id + 1, a, b,
             r->halves == 2   ? "1–0"
             : r->halves == 0 ? "0–1"
                              : "½–½",
             match_reason_name(r->reason));
    json_open_object(&l->w);
    json_pair_text(&l->w, "title", title);
    json_pair_array(&l->w, "boards");
    err e = export_replay(v, r, add_board, l);
    json_close(&l->w);
    json_close(&l->w);
    l->replays++;
    return e;
}

static err list_game(void *ctx, const match_record *r)
{
    listing *l = ctx;
    const tour_view *v = l->v;
    if (!export_counts(v, r)) return ERR_OK;
    uint64_t i = l->seen++;
    if (i % l->every_row != 0 && r->reason != MATCH_FAILED) return ERR_OK;
    char id[24], plies[16], ms[40], from[OPENING_NAME], why[320], replay[80] = "";
    snprintf(id, sizeof id, "%llu", (unsigned long long)r->what.id + 1);
    snprintf(plies, sizeof plies, "%d", r->plies);
    snprintf(ms, sizeof ms, "%.0f", 1000 * (r->side[0].seconds + r->side[1].seconds));
    snprintf(why, sizeof why, "%s%s%s", match_reason_name(r->reason), r->detail[0] ? ": " : "", r->detail);
    const char *a = v->setup.player[r->what.player[0]].name, *b = v->setup.player[r->what.player[1]].name;
    if (i % l->every_replay == 0 && l->replays < l->most && r->moves != NULL) {
        snprintf(replay, sizeof replay, "%d", l->replays + 1);
        err e = add_replay(l, r);
        if (e != ERR_OK) return e;
    }
    const char *cells[] = {
        id,    a,  b,     r->halves == 2 ? a : r->halves == 0 ? b : "draw", why, view_opening(v, r->what.opening, from),
        plies, ms, replay};
    page_row(l->p, cells, 9);
    return ERR_OK;
}

static const char player_script[] =
    "<script>(()=>{const games=JSON.parse(document.getElementById('games').textContent);if(!games.length)return;"
    "const $=i=>document.getElementById(i),pick=$('pick'),at=$('at'),show=()=>{const g=games[pick.value],k=+at.value,"
    "b=g.boards[k];$('board').textContent=b[0];$('words').textContent='after '+k+' of '+(g.boards.length-1)+' moves'+"
    "(k?', last '+g.boards[k-1][1]:'')+(b[1]?', next '+b[1]:'')};"
    "games.forEach((g,i)=>pick.add(new Option((i+1)+'. '+g.title,i)));"
    "const load=()=>{at.max=games[pick.value].boards.length-1;at.value=0;show()};"
    "pick.onchange=load;at.oninput=show;const step=d=>{at.value=+at.value+d;show()};"
    "$('back').onclick=()=>step(-1);$('next').onclick=()=>step(1);"
    "let timer=0;$('run').onclick=()=>{if(timer){clearInterval(timer);timer=0}else timer=setInterval(()=>{"
    "if(+at.value>=+at.max){clearInterval(timer);timer=0}else step(1)},400)};load()})();</script>\n";

static err games_part(const tour_view *v, store *s, page *p, int most)
{
    static const char *const heads[] = {"game", "first", "second", "winner", "end", "opening", "moves", "ms", "replay"};
    uint64_t n = v->games.n > 0 ? v->games.n : 1;
    listing l = {.v = v, .p = p, .most = most};
    l.every_row = (n + GAME_ROWS - 1) / GAME_ROWS;
    uint64_t apart = most > 0 ? (n + (uint64_t)most - 1) / (uint64_t)most : n;
    l.every_replay = (apart + l.every_row - 1) / l.every_row * l.every_row;
    l.w = json_begin(&l.replay, false);
    char words[200];
    if (l.every_row > 1)
        snprintf(words, sizeof words, "Every %llu-th of %zu games, and all that failed.",
                 (unsigned long long)l.every_row, v->games.n);
    else
        snprintf(words, sizeof words, "All %zu games.", v->games.n);
    page_section(p, "Games", words);
    json_open_array(&l.w);
    text_append(p->to, "<details><summary>Show them</summary>\n");
    page_table_begin(p, heads, 9);
    err e = store_games(s, v->state.run, list_game, &l);
    page_table_end(p);
    text_append(p->to, "</details>\n");
    json_close(&l.w);
    if (e == ERR_OK) e = json_finish(&l.w);
    if (e == ERR_OK && l.replays > 0) {
        page_section(p, "Replay", "Games from the whole run, by the number in the last column above.");
        text_append(
            p->to,
            "<p><select id=\"pick\" aria-label=\"game\"></select> <button id=\"back\">◀</button> "
            "<button id=\"run\">▶❚❚</button> <button id=\"next\">▶</button> "
            "<input id=\"at\" type=\"range\" min=\"0\" value=\"0\" aria-label=\"move\"> <span id=\"words\"></span></p>"
            "<pre id=\"board\"></pre>\n<script type=\"application/json\" id=\"games\">");
        text_append_n(p->to, l.replay.data, l.replay.len); // '<' is escaped by the writer
        text_append(p->to, "</script>\n");
        text_append(p->to, player_script);
    }
    text_free(&l.replay);
    return e;
}

// --- the page

static void facts(const tour_view *v, page *p)
{
    char when[CLOCK_TEXT];
    page_facts_begin(p);
    page_fact(p, "Game", "%s%s%s", v->setup.g->title, v->setup.settings[0] ? ", " : "", v->setup.settings);
    page_fact(p, "Games", "%zu of %llu%s", v->games.n, (unsigned long long)v->planned,
              v->state.ended > 0 ? "" : " (not finished)");
    page_fact(p, "Schedule", "%s, %llu games per pairing", schedule_names[v->setup.schedule],
              (unsigned long long)v->setup.games);
    page_fact(p, "Openings", "%s, %u", v->setup.openings, v->setup.set.n);
    page_fact(p, "Seed", "%llu", (unsigned long long)v->setup.seed);
    page_fact(p, "Build", "%s", v->setup.build);
    if (v->state.started > 1e6) page_fact(p, "Begun", "%s", clock_iso(v->state.started, when));
    for (int i = 0; i < v->setup.n_players; i++)
        page_fact(p, v->setup.player[i].name, "%s (%s)", v->setup.player[i].spec, v->setup.player[i].config);
    page_facts_end(p);
}

static void ratings_table(const tour_view *v, page *p)
{
    static const char *const heads[] = {"player", "rating", "low",  "high",    "games",       "won",    "drawn",
                                        "lost",   "score",  "K=32", "ms/move", "CPU ms/move", "nodes/s"};
    int *order = view_by_rating(v);
    page_table_begin(p, heads, 13);
    for (int at = 0; at < v->setup.n_players; at++) {
        int i = order != NULL ? order[at] : at;
        const view_player *q = &v->player[i];
        interval in = view_interval(v, i);
        const double values[] = {v->fit.rating[i],
                                 in.low,
                                 in.high,
                                 q->games,
                                 q->wins,
                                 q->draws,
                                 q->losses,
                                 100 * view_score(q),
                                 v->sequential[i],
                                 q->choices > 0 ? 1000 * q->seconds / q->choices : 0,
                                 q->choices > 0 ? 1000 * q->cpu / q->choices : 0,
                                 q->seconds > 0 ? q->nodes / q->seconds : 0};
        char text[12][32];
        const char *cells[13] = {v->setup.player[i].name};
        for (int k = 0; k < 12; k++) {
            snprintf(text[k], sizeof text[k], k == 7 ? "%.1f%%" : k == 9 || k == 10 ? "%.3g" : "%.0f", values[k]);
            cells[k + 1] = text[k];
        }
        page_row(p, cells, 13);
    }
    page_table_end(p);
    free(order);
}

static void words_part(const tour_view *v, page *p)
{
    text_buf t = {0};
    table_test(v, TABLE_TEXT, &t);
    table_notes(v, TABLE_TEXT, &t);
    if (t.len > 0) page_section(p, "What must be known", NULL);
    for (char *line = t.data; t.len > 0 && line != NULL && *line;) {
        char *end = strchr(line, '\n');
        if (end != NULL) *end++ = 0;
        if (*line) page_words(p, line);
        line = end;
    }
    text_free(&t);
}

err tour_report_html(store *s, const tour_report_options *o, text_buf *to)
{
    tour_view v;
    err e = view_load(&v, s, o->run, &o->view);
    if (e != ERR_OK) return e;
    char title[200], words[300];
    snprintf(title, sizeof title, "Bench: %s", v.setup.g->title);
    page p = page_begin(to, title, store_path(s)[0] ? store_path(s) : NULL);
    page_section(&p, "The run", NULL);
    facts(&v, &p);
    if (v.rated) {
        snprintf(words, sizeof words,
                 "All games fitted at once (%s); intervals at %.0f %%, %s errors. Moving first is worth %.0f Elo.",
                 rating_model_name(&v.rating), 100 * v.setup.rating.level,
                 rating_errors_name(rating_errors_used(&v.fit, v.errors)), v.fit.advantage);
        page_section(&p, "Ratings", words);
        ratings_table(&v, &p);
        page_grid(&p);
        ratings_chart(&v, to);
        heat_chart(&v, to);
        e = curve_chart(&v, to);
    }
    words_part(&v, &p);
    if (e == ERR_OK && v.rated) e = games_part(&v, s, &p, o->replays);
    page_end(&p, "Written by keiko report.");
    view_free(&v);
    return e == ERR_OK ? text_check(to) : e;
}

err tour_report_markdown(store *s, const tour_report_options *o, text_buf *to)
{
    tour_view v;
    err e = view_load(&v, s, o->run, &o->view);
    if (e != ERR_OK) return e;
    text_printf(to, "## Bench: %s\n\n%zu of %llu games, %s, seed %llu, build ", v.setup.g->title, v.games.n,
                (unsigned long long)v.planned, schedule_names[v.setup.schedule], (unsigned long long)v.setup.seed);
    table_words(TABLE_MARKDOWN, v.setup.build, to);
    text_char(to, '\n');
    table_ratings(&v, TABLE_MARKDOWN, to);
    table_matchups(&v, TABLE_MARKDOWN, to);
    table_statistics(&v, TABLE_MARKDOWN, true, to);
    table_superiority(&v, TABLE_MARKDOWN, to);
    table_test(&v, TABLE_MARKDOWN, to);
    table_notes(&v, TABLE_MARKDOWN, to);
    view_free(&v);
    return text_check(to);
}
