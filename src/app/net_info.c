// See net_info.h.
#include "app/net_info.h"

#include "app/catalogue.h"

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
