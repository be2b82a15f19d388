// keiko bench --compare: did a change make players stronger, and do they think faster? See bench.h.
#include "cli/bench.h"
#include "stats/compare.h"

#include <math.h>
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
static err find_unchanged(const bench_options *o, const tour_view *a, const tour_view *b, const char ***names, int *n,
                          bool *all_same, char **keep)
{
    int shared = 0;
    *n = 0;
    *names = calloc((size_t)a->setup.n_players + 1, sizeof **names);
    *keep = o->unchanged != NULL ? strdup(o->unchanged) : NULL;
    if (*names == NULL || (o->unchanged != NULL && *keep == NULL)) return err_set(ERR_MEMORY, "no memory");
    if (o->unchanged != NULL) {
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

static void print_ratings(const comparison *c)
{
    printf("Rating Comparison:\n%-24s %9s %9s %7s  %-16s %-10s %s\n", "", "Baseline", "Target", "Diff", "interval",
           "verdict", "±20/±30 label");
    for (int i = 0; i < c->n; i++) {
        const compare_row *r = &c->row[i];
        char in[40];
        snprintf(in, sizeof in, "%+.0f … %+.0f", r->interval.low, r->interval.high);
        int pad = 16 - text_columns(in, strlen(in));
        printf("%-24s %9.0f %9.0f %+7.0f  %s%*s %-10s %s\n", r->name, r->baseline, r->target, r->difference, in,
               pad > 0 ? pad : 0, "", compare_verdict_name(r->verdict), r->label);
    }
}

typedef struct effort {
    double choices, nodes, seconds;
} effort;

static effort effort_of(const tour_view *v, const comparison *c, bool target)
{
    effort e = {0};
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
    }
    return e;
}

static void print_change(const char *what, double was, double now, const char *unit)
{
    char a[40], b[40], diff[40] = "-";
    snprintf(a, sizeof a, "%.4g%s", was, unit);
    snprintf(b, sizeof b, "%.4g%s", now, unit);
    if (was > 0) snprintf(diff, sizeof diff, "%+.0f%%", 100 * (now - was) / was);
    printf("%-24s %12s %12s %8s\n", what, a, b, diff);
}

static void print_performance(const comparison *c, const tour_view *a, const tour_view *b)
{
    effort was = effort_of(a, c, false), now = effort_of(b, c, true);
    if (was.seconds <= 0 || now.seconds <= 0) {
        printf("\nPerformance: not measured in both runs (--no-timing)\n");
        return;
    }
    printf("\nPerformance:\n%-24s %12s %12s %8s\n", "", "Baseline", "Target", "Diff");
    print_change("Avg. think time", 1000 * was.seconds / was.choices, 1000 * now.seconds / now.choices, "ms");
    print_change("Nodes/second", was.nodes / was.seconds, now.nodes / now.seconds, "");
    print_change("Nodes/move", was.nodes / was.choices, now.nodes / now.choices, "");
}

static int print_all(const comparison *c, const tour_view *a, const tour_view *b)
{
    int weaker = 0;
    print_ratings(c);
    print_performance(c, a, b);
    printf("\n");
    for (int i = 0; i < c->n; i++) {
        cli_say(stdout, "", "%s: %s", c->row[i].name, c->row[i].text);
        weaker += c->row[i].verdict == COMPARE_WEAKER;
    }
    for (int i = 0; i < c->notes.n; i++) cli_say(stdout, "", "Note: %s", c->notes.line[i]);
    cli_say(stdout, "",
            "Over all players compared, \"stronger\" or \"weaker\" is said wrongly in at most %.0f %% of such "
            "comparisons.",
            100 * (1 - c->level));
    return weaker > 0 ? 1 : 0;
}

int bench_compare(const bench_options *o)
{
    store *sa = NULL, *sb = NULL;
    tour_view a = {0}, b = {0};
    view_options how;
    comparison c;
    const char **names = NULL;
    char *keep = NULL;
    bool all_same = false;
    int n = 0, status = 0;
    err e = ERR_OK;
    if (o->baseline == NULL || o->target == NULL)
        e = err_set(ERR_USAGE, "--compare needs --baseline and --target: two runs, as folder, store or JSON");
    if (e == ERR_OK) e = bench_view_options(&how, &o->ratings, o->seed);
    if (e == ERR_OK) e = import_any(&sa, o->baseline);
    if (e == ERR_OK) e = import_any(&sb, o->target);
    if (e == ERR_OK) e = view_load(&a, sa, 0, &how);
    if (e == ERR_OK) e = view_load(&b, sb, 0, &how);
    if (e == ERR_OK && a.setup.g != b.setup.g)
        e = err_set(ERR_USAGE, "the runs are of different games: %s and %s", a.setup.g->name, b.setup.g->name);
    if (e == ERR_OK) e = find_unchanged(o, &a, &b, &names, &n, &all_same, &keep);
    if (e == ERR_OK)
        e = compare_results(&c, &a.games, &b.games,
                            &(compare_options){.level = o->ratings.confidence,
                                               .rating = how.rating,
                                               .unchanged = names,
                                               .n_unchanged = n,
                                               .all_same = all_same});
    if (e == ERR_OK) {
        status = print_all(&c, &a, &b);
        comparison_free(&c);
    }
    free(names);
    free(keep);
    view_free(&a);
    view_free(&b);
    store_close(sa);
    store_close(sb);
    return e == ERR_OK ? status : cli_fail("bench");
}
