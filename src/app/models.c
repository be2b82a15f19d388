// Models and networks of the catalogue. See catalogue.h.
#include "base/models.h"

#include "app/catalogue.h"
#include "base/crc32c.h"
#include "eval/eval.h"
#include "eval/puyo_after.h"
#include "search/othello/oth_eval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30 };

static const struct shipped {
    const char *name, *file, *game, *agent;
    uint32_t checksum;
    const char *made;
} shipped[] = {
#define MODEL(...) {__VA_ARGS__},
#include "base/model_rows.h"
#undef MODEL
};

enum { SHIPPED = sizeof shipped / sizeof *shipped };

const char *const model_state_name[] = {"", "ok", "changed", "bad", "missing"};

// --- networks

err catalogue_open_net(nn_net **out, const char *name, uint64_t seed, bool *fresh)
{
    char path[FILE_PATH];
    nn_desc d;
    *fresh = false;
    if (file_exists(name)) return nn_net_load(out, name);
    if (models_find(name, path, sizeof path) == ERR_OK) return nn_net_load(out, path);
    bool described = strchr(name, '=') != NULL;
    for (int i = 0; i < nn_preset_count() && !described; i++) described = strcmp(name, nn_preset_name(i)) == 0;
    if (!described && models_network(name, path, sizeof path) == ERR_OK) return nn_net_load(out, path);
    if (!described) {
        text_buf t = {0};
        for (int i = 0; i < nn_preset_count(); i++) text_printf(&t, "%s%s", i > 0 ? ", " : "", nn_preset_name(i));
        err e = err_set(ERR_MISSING,
                        "there is no file '%s', and no model (keiko models) or preset of that name; presets are %s",
                        name, text_str(&t));
        text_free(&t);
        return e;
    }
    *fresh = true;
    err e = nn_desc_parse(name, &d);
    return e == ERR_OK ? nn_net_new(out, &d, seed) : e;
}

// A network of Q-values reads a game's encoding as it is and has an output per move.
static const encoding *fit_duel(const game *g, const nn_net *net)
{
    const nn_desc *d = &net->desc;
    char named[32] = "";
    eval_note(net->note, "encoding", named, sizeof named);
    bool fits = d->n_heads == 1 && d->head[0].kind == NN_DUEL && d->head[0].out == g->n_moves && d->rows == g->rows &&
                d->cols == g->cols;
    for (int k = 0; k < g->n_encodings && fits; k++)
        if (g->encodings[k].planes == d->planes && g->encodings[k].scalars == d->scalars &&
            (named[0] == 0 || strcmp(named, g->encodings[k].name) == 0))
            return &g->encodings[k];
    return NULL;
}

void catalogue_fitting_games(const nn_net *net, text_buf *t, const game **first)
{
    if (first != NULL) *first = NULL;
    for (int i = 0; i < game_count(); i++) {
        const game *g = game_at(i);
        const encoding *e = NULL;
        if (eval_fit(g, net, NULL, &e) != ERR_OK) e = fit_duel(g, net);
        int after = strncmp(g->name, "puyo", 4) == 0 ? after_fit(net) : -1;
        if (e == NULL && after < 0) continue;
        text_printf(t, "%s%s (%s)", t->len > 0 ? ", " : "", g->name, e != NULL ? e->name : after_encoding_name[after]);
        if (first != NULL && *first == NULL && e != NULL) *first = g;
    }
}

// --- models

static void fail(catalogue_model *m, model_state state)
{
    m->state = state;
    snprintf(m->why, sizeof m->why, "%s", err_text());
}

static bool is_network(const char *location)
{
    static const char ending[] = ".safetensors";
    size_t n = strlen(location), tail = sizeof ending - 1;
    return n > tail && strcmp(location + n - tail, ending) == 0;
}

// A network is described by its file; its game too, where the note says it or only one game fits.
static void look_at_network(catalogue_model *m, const model_bytes *b, bool verify)
{
    nn_net *net = NULL;
    text_buf games = {0};
    const game *fits;
    if (nn_net_from_bytes(&net, b->data, b->size) != ERR_OK) {
        fail(m, MODEL_BAD);
        return;
    }
    nn_desc_print(&net->desc, m->network, sizeof m->network);
    catalogue_fitting_games(net, &games, &fits);
    if (m->game[0] == 0) eval_note(net->note, "game", m->game, sizeof m->game);
    if (m->game[0] == 0 && fits != NULL) snprintf(m->game, sizeof m->game, "%s", fits->name);
    size_t n = strlen(m->game);
    bool plays = false; // "renju (lines), gomoku (lines)": is the game one of them?
    for (const char *p = text_str(&games); n > 0 && p != NULL && !plays; p = strstr(p, ", "), p = p ? p + 2 : NULL)
        plays = strncmp(p, m->game, n) == 0 && p[n] == ' ';
    if (verify && !plays) {
        err_set(ERR_USAGE, "its network does not fit %s", m->game[0] ? m->game : "any game");
        fail(m, MODEL_BAD);
    }
    m->note = net->note; // keep it
    net->note = NULL;
    nn_net_free(net);
    text_free(&games);
}

static void look_at(catalogue_model *m, const struct shipped *s, bool verify)
{
    model_bytes b;
    if (models_read(&b, m->location, MOST_BYTES) != ERR_OK) {
        fail(m, MODEL_BAD);
        return;
    }
    m->size = b.size;
    m->checksum = crc32c(0, b.data, b.size);
    m->state = verify ? MODEL_GOOD : MODEL_UNCHECKED;
    if (is_network(m->location)) {
        look_at_network(m, &b, verify);
    } else if (verify) {
        oth_weights *w = NULL;
        if (oth_weights_read(&w, b.data, b.size) != ERR_OK) fail(m, MODEL_BAD);
        oth_weights_free(w);
    }
    if (verify && m->state == MODEL_GOOD && s != NULL && s->checksum != m->checksum) {
        m->state = MODEL_CHANGED;
        snprintf(m->why, sizeof m->why, "another file of this name: it shipped with checksum %08x", s->checksum);
    }
    models_free(&b);
}

static bool is_shipped(const char *file)
{
    for (int i = 0; i < SHIPPED; i++)
        if (strcmp(shipped[i].file, file) == 0) return true;
    return false;
}

err catalogue_models(bool verify, catalogue_model **out, int *n)
{
    char **names = NULL;
    int n_names = 0;
    const char *folder = models_folder();
    if (folder != NULL && file_list(folder, ".safetensors", &names, &n_names) != ERR_OK) n_names = 0;
    catalogue_model *all = calloc((size_t)(SHIPPED + n_names), sizeof *all);
    if (all == NULL) {
        file_list_free(names, n_names);
        return err_set(ERR_MEMORY, "no memory for a list of models");
    }
    *n = 0;
    for (int i = 0; i < SHIPPED; i++) {
        catalogue_model *m = &all[(*n)++];
        const struct shipped *s = &shipped[i];
        m->agent = s->agent;
        m->made = s->made;
        snprintf(m->name, sizeof m->name, "%s", s->name);
        snprintf(m->game, sizeof m->game, "%s", s->game);
        if (models_find(s->file, m->location, sizeof m->location) == ERR_OK) {
            look_at(m, s, verify);
        } else {
            m->location[0] = 0;
            fail(m, MODEL_MISSING);
        }
    }
    for (int i = 0; i < n_names; i++) {
        catalogue_model *m = &all[*n];
        if (is_shipped(names[i]) || file_join(m->location, sizeof m->location, folder, names[i]) != ERR_OK) continue;
        (*n)++;
        m->agent = m->made = "";
        snprintf(m->name, sizeof m->name, "%.*s", (int)(strlen(names[i]) - strlen(".safetensors")), names[i]);
        look_at(m, NULL, verify);
    }
    file_list_free(names, n_names);
    *out = all;
    return ERR_OK;
}

void catalogue_models_free(catalogue_model *m, int n)
{
    for (int i = 0; i < n; i++) free(m[i].note);
    free(m);
}

void catalogue_models_json(json_writer *w, const catalogue_model *m, int n)
{
    json_open_array(w);
    for (int i = 0; i < n; i++, m++) {
        char sum[16];
        snprintf(sum, sizeof sum, "%08x", m->checksum);
        json_open_object(w);
        json_pair_text(w, "name", m->name);
        json_pair_text(w, "game", m->game);
        json_pair_text(w, "agent", m->agent);
        json_pair_text(w, "location", m->location[0] ? m->location : NULL);
        if (m->size > 0) {
            json_pair_uint(w, "bytes", m->size);
            json_pair_text(w, "crc32c", sum);
        }
        json_pair_text(w, "network", m->network[0] ? m->network : NULL);
        json_pair_text(w, "made", m->made);
        json_pair_text(w, "note", m->note);
        json_pair_text(w, "state", m->state == MODEL_UNCHECKED ? NULL : model_state_name[m->state]);
        if (m->why[0]) json_pair_text(w, "why", m->why);
        json_close(w);
    }
    json_close(w);
}
