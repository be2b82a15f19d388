// See net_info.h.
#include "app/net_info.h"

#include "app/catalogue.h"
#include "eval/eval.h"
#include "nn/onnx.h"

#include <stdio.h>
#include <stdlib.h>

static err measure(net_info *n, double seconds)
{
    static const struct {
        const char *name;
        nn_speed_plan plan;
    } all[NET_SPEEDS] = {{"batch 1", {.batch = 1}},
                         {"batch 32", {.batch = 32}},
                         {"batch 32, int8", {.batch = 32, .int8 = true}},
                         {"training, batch 256", {.batch = 256, .train = true}}};
    for (int i = 0; i < NET_SPEEDS; i++) {
        nn_speed_plan plan = all[i].plan;
        if (plan.int8 && n->net->desc.channels == 0) continue; // int8 is for residual trunks
        plan.seconds = seconds;
        err e = nn_speed(n->net, &plan, &n->speed[n->n_speeds].got);
        if (e != ERR_OK) return e;
        n->speed[n->n_speeds++].name = all[i].name;
    }
    return ERR_OK;
}

err net_info_open(net_info *out, const char *name, double seconds)
{
    *out = (net_info){.net = NULL};
    err e = catalogue_open_net(&out->net, name, 1, &out->fresh);
    if (e != ERR_OK) return e;
    nn_desc_print(&out->net->desc, out->text, sizeof out->text);
    catalogue_fitting_games(out->net, &out->games, NULL);
    if (seconds > 0) e = measure(out, seconds);
    if (e != ERR_OK) net_info_free(out);
    return e;
}

void net_info_free(net_info *n)
{
    text_free(&n->games);
    nn_net_free(n->net);
    *n = (net_info){.net = NULL};
}

void net_info_json(json_writer *w, const net_info *n)
{
    json_open_object(w);
    json_pair_text(w, "description", n->text);
    json_pair_text(w, "fits", text_str(&n->games));
    json_pair_uint(w, "trained", n->net->at.n_train);
    json_pair_uint(w, "statistics", n->net->at.n_all - n->net->at.n_train);
    json_pair_number(w, "flops", nn_flops(&n->net->desc));
    json_pair_bool(w, "fresh", n->fresh);
    json_pair_text(w, "note", n->net->note);
    json_pair_array(w, "speed");
    for (int i = 0; i < n->n_speeds; i++) {
        const struct net_speed *s = &n->speed[i];
        json_open_object(w);
        json_pair_text(w, "name", s->name);
        json_pair_text(w, "plan", s->got.text);
        json_pair_number(w, "positions_per_second", s->got.positions_per_second);
        json_pair_number(w, "seconds", s->got.best_seconds);
        json_close(w);
    }
    json_close(w);
    json_close(w);
}

// --- ONNX

// Whose network it is: what its note says, else the first game it fits.
static const game *game_of(const nn_net *net)
{
    char name[64];
    const game *g = NULL;
    text_buf fits = {0};
    if (net->note == NULL || !eval_note(net->note, "game", name, sizeof name) || game_find(name, &g) != ERR_OK)
        catalogue_fitting_games(net, &fits, &g);
    text_free(&fits);
    return g;
}

static void name_moves(const game *g, text_buf *t)
{
    char text[256], *s = malloc(g->state_size), *obs = malloc(g->obs_size);
    if (s != NULL && obs != NULL && g->init(s, "", (game_key){0}) == ERR_OK) {
        game_observe(g, s, g->seat(s), obs);
        for (int m = 0; m < g->n_moves; m++) {
            g->move_print(obs, (move_t)m, text, sizeof text);
            text_printf(t, "%s%s", m > 0 ? "\n" : "", text);
        }
    }
    free(s);
    free(obs);
}

err net_export_onnx(const nn_net *net, const char *path)
{
    enum { NAMED_MOST = 1000 };
    const encoding *enc = NULL;
    const game *g = game_of(net);
    text_buf planes = {0}, moves = {0};
    char board[32], number[32], name[200];
    nn_onnx_meta meta[7];
    int n = 0;
    if (g != NULL && eval_fit(g, net, NULL, &enc) == ERR_OK) {
        for (int i = 0; i < enc->planes + enc->scalars; i++) {
            game_plane_name(enc, i, name, sizeof name);
            text_printf(&planes, "%s%s", i > 0 ? "\n" : "", name);
        }
        snprintf(board, sizeof board, "%dx%d", g->rows, g->cols);
        snprintf(number, sizeof number, "%d", g->n_moves);
        if (g->n_moves <= NAMED_MOST && g->n_heads == 1) name_moves(g, &moves);
        meta[n++] = (nn_onnx_meta){"keiko.game", g->name};
        meta[n++] = (nn_onnx_meta){"keiko.board", board};
        meta[n++] = (nn_onnx_meta){"keiko.encoding", enc->name};
        meta[n++] = (nn_onnx_meta){"keiko.planes", text_str(&planes)};
        meta[n++] = (nn_onnx_meta){"keiko.moves", number};
        meta[n++] = (nn_onnx_meta){"keiko.policy",
                                   g->n_heads == 1 ? "the logit of a move is the policy output of its number"
                                                   : "the logit of a move is the sum of one logit per policy output"};
        if (moves.len > 0) meta[n++] = (nn_onnx_meta){"keiko.move-names", text_str(&moves)};
    }
    err e = text_check(&planes);
    if (e == ERR_OK) e = nn_onnx_export(net, path, meta, n);
    text_free(&planes);
    text_free(&moves);
    return e;
}
