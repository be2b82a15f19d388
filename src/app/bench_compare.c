// Did a change make players stronger, and do they think faster? See bench.h.
#include "app/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int player_named(const tour_view *v, const char *name)
{
    for (int i = 0; i < v->setup.n_players; i++)
        if (strcmp(v->setup.player[i].name, name) == 0) return i;
    return -1;
}

// Names of players that are the same in both runs. They fix the common scale, so the list must be right: equal settings
// mean an equal player only where the program is the same as well.
static err find_unchanged(const char *said, const tour_view *a, const tour_view *b, const char ***names, int *n,
                          bool *all_same, char **keep)
{
    int shared = 0;
    *n = 0;
    *names = calloc((size_t)a->setup.n_players + 1, sizeof **names);
    *keep = said != NULL ? strdup(said) : NULL;
    if (*names == NULL || (said != NULL && *keep == NULL)) return err_set(ERR_MEMORY, "no memory");
    if (said != NULL) {
        const char *by = strpbrk(*keep, ";:") == NULL ? "," : ";";
        for (char *p = *keep, *next; p != NULL && *p; p = next) {
            next = strchr(p, *by);
            if (next != NULL) *next++ = 0;
            if (player_named(a, p) < 0 || player_named(b, p) < 0)
                return err_set(ERR_USAGE, "--unchanged: '%s' is not in both runs", p);
            if (*n >= a->setup.n_players) return err_set(ERR_USAGE, "--unchanged: a name twice");
            (*names)[(*n)++] = p;
        }
        return ERR_OK;
    }
    bool same_build = a->setup.build[0] && strcmp(a->setup.build, b->setup.build) == 0;
    for (int i = 0; i < a->setup.n_players; i++) {
        int k = player_named(b, a->setup.player[i].name);
        if (k < 0) continue;
        shared++;
        if (same_build && strcmp(a->setup.player[i].config, b->setup.player[k].config) == 0)
            (*names)[(*n)++] = a->setup.player[i].name;
    }
    // When nobody changed there is nothing to hold fast: then the question is how much two equal runs differ.
    *all_same = shared > 0 && *n == shared;
    if (*all_same) *n = 0;
    return ERR_OK;
}

static bench_effort effort_of(const tour_view *v, const comparison *c, bool target)
{
    bench_effort e = {0};
    for (int i = 0; i < c->n; i++) {
        const char *arrow = strstr(c->row[i].name, " -> ");
        char name[STATS_MAX_NAME + 1];
        if (arrow == NULL)
            snprintf(name, sizeof name, "%s", c->row[i].name);
        else if (target)
            snprintf(name, sizeof name, "%s", arrow + 4);
        else
            snprintf(name, sizeof name, "%.*s", (int)(arrow - c->row[i].name), c->row[i].name);
        int k = player_named(v, name);
        if (k < 0) continue;
        e.choices += v->player[k].choices;
        e.nodes += v->player[k].nodes;
        e.seconds += v->player[k].seconds;
        e.cpu += v->player[k].cpu;
    }
    return e;
}

err bench_compare(bench_comparison *out, const char *baseline, const char *target, const char *unchanged,
                  const view_options *o)
{
    bench_opened a = {0}, b = {0};
    bench_comparison r = {0};
    const char **names = NULL;
    char *keep = NULL;
    bool all_same = false;
    int n = 0;
    err e = bench_open(&a, baseline, 0, o);
    if (e == ERR_OK) e = bench_open(&b, target, 0, o);
    if (e == ERR_OK && a.view.setup.g != b.view.setup.g)
        e = err_set(ERR_USAGE, "the runs are of different games: %s and %s", a.view.setup.g->name,
                    b.view.setup.g->name);
    if (e == ERR_OK) e = find_unchanged(unchanged, &a.view, &b.view, &names, &n, &all_same, &keep);
    if (e == ERR_OK)
        e = compare_results(&r.c, &a.view.games, &b.view.games,
                            &(compare_options){.level = a.view.setup.rating.level,
                                               .rating = a.view.rating,
                                               .unchanged = names,
                                               .n_unchanged = n,
                                               .all_same = all_same});
    if (e == ERR_OK) {
        r.was = effort_of(&a.view, &r.c, false);
        r.now = effort_of(&b.view, &r.c, true);
        *out = r;
    }
    free(names);
    free(keep);
    bench_close(&a);
    bench_close(&b);
    return e;
}

void bench_comparison_free(bench_comparison *b)
{
    comparison_free(&b->c);
}

static void put_effort(json_writer *w, const char *key, const bench_effort *e)
{
    double choices = e->choices > 0 ? e->choices : 1;
    json_pair_object(w, key);
    json_pair_number(w, "thinkMs", 1000 * e->seconds / choices);
    json_pair_number(w, "cpuMs", 1000 * e->cpu / choices);
    json_pair_number(w, "nodesPerMove", e->nodes / choices);
    json_close(w);
}

void bench_comparison_json(const bench_comparison *b, json_writer *w)
{
    json_open_object(w);
    json_pair_number(w, "level", b->c.level);
    json_pair_array(w, "players");
    for (int i = 0; i < b->c.n; i++) {
        const compare_row *r = &b->c.row[i];
        json_open_object(w);
        json_pair_text(w, "name", r->name);
        json_pair_number(w, "baseline", r->baseline);
        json_pair_number(w, "target", r->target);
        json_pair_number(w, "difference", r->difference);
        json_pair_number(w, "low", r->interval.low);
        json_pair_number(w, "high", r->interval.high);
        json_pair_text(w, "verdict", compare_verdict_name(r->verdict));
        json_pair_text(w, "label", r->label);
        json_pair_text(w, "text", r->text);
        json_close(w);
    }
    json_close(w);
    put_effort(w, "baselineEffort", &b->was);
    put_effort(w, "targetEffort", &b->now);
    json_pair_array(w, "notes");
    for (int i = 0; i < b->c.notes.n; i++) json_put_text(w, b->c.notes.line[i]);
    json_close(w);
    json_close(w);
}
