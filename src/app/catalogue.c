// See catalogue.h.
#include "app/catalogue.h"

#include "base/opt_table.h"

#include <stdio.h>
#include <string.h>

void catalogue_games_json(json_writer *w)
{
    json_open_array(w);
    for (int i = 0; i < game_count(); i++) {
        const game *g = game_at(i);
        json_open_object(w);
        json_pair_text(w, "name", g->name);
        json_pair_text(w, "title", g->title);
        json_pair_text(w, "options", g->options);
        json_pair_int(w, "seats", g->n_seats);
        json_pair_int(w, "moves", g->n_moves);
        json_pair_int(w, "rows", g->rows);
        json_pair_int(w, "cols", g->cols);
        json_pair_int(w, "symmetries", g->n_syms);
        json_pair_int(w, "state_bytes", g->state_size);
        json_pair_array(w, "agents");
        for (int k = 0; k < agent_type_count(); k++)
            if (agent_type_plays(agent_type_at(k), g)) json_put_text(w, agent_type_at(k)->name);
        json_close(w);
        json_pair_array(w, "levels");
        for (int k = 0; k < level_count(g); k++)
            if (level_at(g, k)->name[0] != 0) json_put_text(w, level_at(g, k)->name);
        json_close(w);
        json_close(w);
    }
    json_close(w);
}

static void words_json(json_writer *w, const char *key, const char *words, const char *between)
{
    json_pair_array(w, key);
    for (const char *p = words; *p != 0;) {
        size_t n = strcspn(p, between);
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)n, p);
        json_put_text(w, word);
        p += n + (p[n] != 0);
    }
    json_close(w);
}

static void put_option(json_writer *w, const opt *o, const char *group)
{
    static const char *const kinds[] = {
        [OPT_FLAG] = "flag", [OPT_INT] = "int", [OPT_NUMBER] = "number", [OPT_TEXT] = "text",
        [OPT_FILE] = "file", [OPT_DIR] = "dir", [OPT_CHOICE] = "choice", [OPT_LIST] = "list"};
    json_open_object(w);
    json_pair_text(w, "name", o->name);
    json_pair_text(w, "kind", kinds[o->kind]);
    json_pair_text(w, "default", o->preset);
    if (o->low != 0 || o->high != 0) {
        json_pair_number(w, "low", o->low);
        json_pair_number(w, "high", o->high);
    }
    if (o->kind == OPT_CHOICE) words_json(w, "choices", o->choices, "|");
    json_pair_text(w, "help", o->help);
    if (group != NULL) json_pair_text(w, "group", group);
    json_close(w);
}

void catalogue_options_json(json_writer *w, const opt *rows, int n, const char *const *skip)
{
    const char *group = "";
    int n_flat;
    const opt *flat = opt_flat(rows, n, &n_flat);
    json_open_array(w);
    for (int i = 0; i < n_flat; i++) {
        bool left_out = false;
        if (flat[i].name == NULL) group = flat[i].help;
        for (int k = 0; flat[i].name != NULL && skip[k] != NULL; k++)
            left_out = left_out || strcmp(skip[k], flat[i].name) == 0;
        if (flat[i].name != NULL && !left_out) put_option(w, &flat[i], group);
    }
    json_close(w);
}

void catalogue_agents_json(json_writer *w, const game *g)
{
    json_open_array(w);
    for (int i = 0; i < agent_type_count(); i++) {
        const agent_type *t = agent_type_at(i);
        if (g != NULL && !agent_type_plays(t, g)) continue;
        json_open_object(w);
        json_pair_text(w, "name", t->name);
        json_pair_text(w, "summary", t->summary);
        words_json(w, "games", t->games, " "); // empty: every game
        json_pair_bool(w, "analyses", t->analyse != NULL);
        json_pair_array(w, "parameters");
        int n_rows;
        const opt *rows = opt_flat(t->opts, t->n_opts, &n_rows);
        for (int k = 0; k < n_rows; k++)
            if (rows[k].name != NULL) put_option(w, &rows[k], NULL);
        json_close(w);
        json_close(w);
    }
    json_close(w);
}

void catalogue_levels_json(json_writer *w, const game *g)
{
    json_open_array(w);
    for (int i = 0; i < game_count(); i++) {
        const game *one = game_at(i);
        for (int k = 0; (g == NULL || g == one) && k < level_count(one); k++) {
            const level_row *l = level_at(one, k);
            json_open_object(w);
            json_pair_text(w, "game", l->game);
            json_pair_int(w, "level", l->number);
            json_pair_text(w, "name", l->name[0] != 0 ? l->name : NULL);
            json_pair_text(w, "agent", l->spec);
            if (l->date[0] != 0) {
                json_pair_number(w, "elo", l->elo);
                json_pair_number(w, "error", l->error);
                json_pair_text(w, "date", l->date);
            }
            json_close(w);
        }
    }
    json_close(w);
}

bool catalogue_list_json(json_writer *w, const char *what, const game *g)
{
    bool games = strcmp(what, "games") == 0, agents = strcmp(what, "agents") == 0, levels = strcmp(what, "levels") == 0;
    if (games) catalogue_games_json(w);
    if (agents) catalogue_agents_json(w, g);
    if (levels) catalogue_levels_json(w, g);
    return games || agents || levels;
}

static bool same_row(const opt *a, const opt *b)
{
    const char *x = a->preset == NULL ? "" : a->preset, *y = b->preset == NULL ? "" : b->preset;
    return a->name != NULL && b->name != NULL && a->kind == b->kind && strcmp(a->name, b->name) == 0 &&
           strcmp(a->help, b->help) == 0 && strcmp(x, y) == 0;
}

int catalogue_rows(const agent_type *const *types, int n, catalogue_row out[CATALOGUE_ROWS])
{
    int rows = 0;
    for (int i = 0; i < n && i < CATALOGUE_AGENTS; i++) {
        int n_own;
        const opt *own = opt_flat(types[i]->opts, types[i]->n_opts, &n_own);
        for (int k = 0; k < n_own; k++) {
            int at = 0;
            while (at < rows && !same_row(out[at].row, &own[k])) at++;
            if (at == CATALOGUE_ROWS) continue;
            if (at == rows) out[rows++] = (catalogue_row){.row = &own[k]};
            out[at].of |= 1u << i;
        }
    }
    return rows;
}
