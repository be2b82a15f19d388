// Groups, levels and the advantage's conditions. Reachability is kept as one bit row per player and closed by Warshall's
// algorithm: with at most 1024 players that is 16 million word operations, and simpler than anything faster.
#include "stats/linkage.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool scored_first(const tally_cell *c)
{
    return c->wins > 0 || c->draws > 0;
}

static bool scored_second(const tally_cell *c)
{
    return c->losses > 0 || c->draws > 0;
}

typedef struct reach {
    int n, words;
    uint64_t *row; // row[n][words]: bit j of row i = there is a way from i to j
} reach;

static void reach_link(reach *r, int from, int to)
{
    r->row[from * r->words + to / 64] |= (uint64_t)1 << (to % 64);
}

static bool reach_has(const reach *r, int from, int to)
{
    return r->row[from * r->words + to / 64] >> (to % 64) & 1;
}

static void reach_close(reach *r)
{
    for (int k = 0; k < r->n; k++)
        for (int i = 0; i < r->n; i++)
            if (i != k && reach_has(r, i, k))
                for (int w = 0; w < r->words; w++) r->row[i * r->words + w] |= r->row[k * r->words + w];
}

// Number the classes of players that reach each other, in the order of their first player.
static int reach_classes(const reach *r, int *class)
{
    int n = 0;
    for (int i = 0; i < r->n; i++) {
        class[i] = -1;
        for (int j = 0; j < i && class[i] < 0; j++)
            if (reach_has(r, i, j) && reach_has(r, j, i)) class[i] = class[j];
        if (class[i] < 0) class[i] = n++;
    }
    return n;
}

static void link_anchors(reach *r, const int *anchors, int n_anchors)
{
    for (int k = 1; k < n_anchors; k++) {
        reach_link(r, anchors[0], anchors[k]);
        reach_link(r, anchors[k], anchors[0]);
    }
}

// Renumber strongly connected classes so that a class comes after all that reach it ("took a point from"). Who reaches
// more classes comes first: if a reaches b but not the other way, a reaches all that b does and more.
static void order_levels(const reach *r, int *level, int n_levels, int *scratch)
{
    int n = r->n, *count = scratch, *member = scratch + n; // by class: players it reaches; its first player
    for (int i = n - 1; i >= 0; i--) member[level[i]] = i;
    for (int c = 0; c < n_levels; c++) {
        count[c] = 0;
        for (int j = 0; j < n; j++) count[c] += level[j] != c && reach_has(r, member[c], j);
        for (int j = 0; j < n; j++) count[c] += level[j] == c; // its own, whether or not it reaches itself
    }
    for (int c = 0; c < n_levels; c++) {
        int rank = 0;
        for (int d = 0; d < n_levels; d++) rank += count[d] > count[c] || (count[d] == count[c] && d < c);
        member[c] = rank;
    }
    for (int i = 0; i < n; i++) level[i] = member[level[i]];
}

// Is there a direction of the ratings v such that raising the advantage by `sign` and the ratings by v makes no result
// less likely? Each is a constraint v_j <= v_i + w, so the question is whether the graph has a negative cycle
// (Bellman-Ford).
static bool advantage_can_run(const tally *t, const int *anchors, int n_anchors, int sign, int *v)
{
    int n = t->who.n;
    for (int i = 0; i < n; i++) v[i] = 0;
    for (int round = 0; round <= n; round++) {
        bool changed = false;
        for (int k = 0; k < t->n; k++) {
            const tally_cell *c = &t->cell[k];
            if (scored_first(c) && v[c->second] > v[c->first] + sign) v[c->second] = v[c->first] + sign, changed = true;
            if (scored_second(c) && v[c->first] > v[c->second] - sign)
                v[c->first] = v[c->second] - sign, changed = true;
        }
        for (int k = 0; k < n_anchors; k++) {
            int a = anchors[k], b = anchors[0];
            if (v[a] != v[b]) v[a] = v[b] = v[a] < v[b] ? v[a] : v[b], changed = true;
        }
        if (!changed) return true;
    }
    return false;
}

// Can ratings absorb any advantage exactly: is there v with v_first - v_second = 1 in every cell? One sweep of
// potentials.
static bool advantage_unseen(const tally *t, const int *anchors, int n_anchors, const int *group, int *v, bool *known)
{
    int n = t->who.n;
    memset(known, 0, (size_t)n * sizeof *known);
    for (int root = 0; root < n; root++) {
        if (known[root]) continue;
        known[root] = true;
        v[root] = 0;
        for (bool changed = true; changed;) {
            changed = false;
            for (int k = 0; k < t->n + n_anchors; k++) {
                int a = k < t->n ? t->cell[k].first : anchors[k - t->n], b = k < t->n ? t->cell[k].second : anchors[0];
                int lead = k < t->n ? 1 : 0;
                if (group[a] != group[root]) continue;
                if (known[a] && !known[b]) v[b] = v[a] - lead, known[b] = changed = true;
                if (known[b] && !known[a]) v[a] = v[b] + lead, known[a] = changed = true;
                if (v[a] - v[b] != lead && known[a] && known[b]) return false;
            }
        }
    }
    return true;
}

static bool cell_played(const tally_cell *c)
{
    return scored_first(c) || scored_second(c);
}

// A short proof that neither direction runs: some pair in which the second player scored both ways round, and one in
// which the first did. True of almost any real pool, and much faster than Bellman-Ford's failure.
static bool advantage_stays(const tally *t, reach *scored)
{
    bool stays[2] = {false, false};
    for (int side = 0; side < 2; side++) {
        memset(scored->row, 0, (size_t)scored->n * (size_t)scored->words * sizeof *scored->row);
        for (int k = 0; k < t->n; k++)
            if (side ? scored_second(&t->cell[k]) : scored_first(&t->cell[k])) {
                reach_link(scored, t->cell[k].first, t->cell[k].second);
                stays[side] |= reach_has(scored, t->cell[k].second, t->cell[k].first);
            }
    }
    return stays[0] && stays[1];
}

static advantage_state examine_advantage(const linkage *c, const tally *t, const int *anchors, int n_anchors,
                                         reach *scored, int *v, bool *known)
{
    if (advantage_stays(t, scored)) return ADVANTAGE_FINITE;
    if (advantage_unseen(t, anchors, n_anchors, c->group, v, known)) return ADVANTAGE_UNSEEN;
    if (advantage_can_run(t, anchors, n_anchors, 1, v) || advantage_can_run(t, anchors, n_anchors, -1, v))
        return ADVANTAGE_UNBOUNDED;
    return ADVANTAGE_FINITE;
}

err linkage_examine(linkage *out, const tally *full, const int *anchors, int n_anchors)
{
    size_t n = (size_t)full->who.n;
    tally t = {full->who, malloc(((size_t)full->n + 1) * sizeof *t.cell), 0}; // borrowed names; empty cells left out
    reach r = {full->who.n, (full->who.n + 63) / 64, NULL};
    size_t row_bytes = n * (size_t)r.words * sizeof *r.row;
    linkage c = {.n = full->who.n, .group = calloc(n + 1, sizeof(int)), .level = calloc(n + 1, sizeof(int))};
    int *scratch = calloc(2 * n + 2, sizeof *scratch);
    bool *known = calloc(n + 1, sizeof *known);
    r.row = calloc(row_bytes + 1, 1);
    err e = ERR_OK;
    if (!t.cell || !c.group || !c.level || !scratch || !known || !r.row) {
        e = err_set(ERR_MEMORY, "out of memory for %d players", full->who.n);
        goto done;
    }
    for (int i = 0; i < full->n; i++)
        if (cell_played(&full->cell[i])) t.cell[t.n++] = full->cell[i];

    for (int i = 0; i < t.n; i++) {
        reach_link(&r, t.cell[i].first, t.cell[i].second);
        reach_link(&r, t.cell[i].second, t.cell[i].first);
    }
    link_anchors(&r, anchors, n_anchors);
    reach_close(&r);
    c.n_groups = reach_classes(&r, c.group);

    memset(r.row, 0, row_bytes);
    for (int i = 0; i < t.n; i++) {
        if (scored_first(&t.cell[i])) reach_link(&r, t.cell[i].first, t.cell[i].second);
        if (scored_second(&t.cell[i])) reach_link(&r, t.cell[i].second, t.cell[i].first);
    }
    link_anchors(&r, anchors, n_anchors);
    reach_close(&r);
    c.n_levels = reach_classes(&r, c.level);
    order_levels(&r, c.level, c.n_levels, scratch);
    c.advantage = examine_advantage(&c, &t, anchors, n_anchors, &r, scratch, known);
    *out = c;
    c = (linkage){0};
done:
    linkage_free(&c);
    FREE_ALL(t.cell, scratch, known, r.row);
    return e;
}

bool linkage_bounded(const linkage *c)
{
    return c->n_levels <= 1;
}

void linkage_free(linkage *c)
{
    free(c->group);
    free(c->level);
    *c = (linkage){0};
}

// --- sentences

void linkage_names(const roster *who, const int *key, int value, int most, char *buf, size_t size)
{
    int total = 0, shown = 0;
    size_t at = 0;
    for (int i = 0; i < who->n; i++) total += key[i] == value;
    buf[0] = 0;
    for (int i = 0; i < who->n && at < size; i++) {
        if (key[i] != value) continue;
        bool last = shown + 1 == total;
        const char *comma = shown == 0 ? "" : last ? " and " : ", ";
        if (shown == most && !last) {
            snprintf(buf + at, size - at, " and %d more", total - shown);
            return;
        }
        int k = snprintf(buf + at, size - at, "%s'%s'", comma, who->name[i]);
        at += k > 0 ? (size_t)k : 0;
        shown++;
    }
}

enum { LIST = 1400 }; // room for five names of 255 bytes with quotes

static err explain_groups(const linkage *c, const tally *t, notes *out)
{
    err e = notes_add(
        out,
        "The pool falls into %d groups that never met, so ratings of different groups cannot be compared. Play at "
        "least one match between the groups, or anchor a player of each.",
        c->n_groups);
    for (int g = 0; g < c->n_groups && g < 6 && e == ERR_OK; g++) {
        char names[LIST];
        linkage_names(&t->who, c->group, g, 5, names, sizeof names);
        e = notes_add(out, "Group %d of %d: %s.", g + 1, c->n_groups, names);
    }
    return e;
}

static err explain_extremes(const tally *t, const player_total *sum, notes *out, int *told)
{
    err e = ERR_OK;
    int silent = 0;
    for (int i = 0; i < t->who.n && e == ERR_OK; i++) {
        const player_total *p = &sum[i];
        bool all = p->wins > 0 && p->wins >= p->games, none = p->losses > 0 && p->losses >= p->games;
        if (p->games > 0 && !all && !none) continue;
        ++*told;
        if (*told > 12) {
            silent++;
            continue;
        }
        const char *name = t->who.name[i];
        if (p->games <= 0)
            e = notes_add(out, "'%s' has played no game, so nothing is known of its strength.", name);
        else if (all)
            e = notes_add(
                out, "'%s' won all %.0f of its games: its rating has no upper limit. Let it meet a stronger player.",
                name, p->games);
        else
            e = notes_add(
                out, "'%s' lost all %.0f of its games: its rating has no lower limit. Let it meet a weaker player.",
                name, p->games);
    }
    if (silent > 0 && e == ERR_OK) e = notes_add(out, "The same holds for %d more players.", silent);
    return e;
}

static err explain_levels(const linkage *c, const tally *t, notes *out)
{
    err e = notes_add(
        out,
        "The pool has %d levels with no upset between them: nobody took even half a point from a player of a higher "
        "level, so the gaps between levels have no upper limit. Play more games between neighbours, or add a player "
        "between the levels.",
        c->n_levels);
    for (int k = 0; k < c->n_levels && k < 6 && e == ERR_OK; k++) {
        char names[LIST];
        linkage_names(&t->who, c->level, k, 5, names, sizeof names);
        e = notes_add(out, "Level %d of %d: %s.", k + 1, c->n_levels, names);
    }
    return e;
}

err linkage_explain(const linkage *c, const tally *t, notes *out)
{
    if (c->n < 2) return notes_add(out, "There are fewer than two players, so there is nothing to compare.");
    if (tally_games(t) <= 0)
        return notes_add(out, "No game has been played, so every rating is only the starting value.");
    player_total *sum = malloc((size_t)c->n * sizeof *sum);
    if (sum == NULL) return err_set(ERR_MEMORY, "out of memory for %d players", c->n);
    tally_totals(t, sum);
    int told = 0;
    err e = ERR_OK;
    if (c->n_groups > 1) e = explain_groups(c, t, out);
    if (e == ERR_OK && c->n_levels > 1) e = explain_extremes(t, sum, out, &told);
    free(sum);
    // Players set apart one by one need no second word about levels; what is left over does. Each player already named
    // is a level of its own, so one more level than those is the rest of the pool in one piece.
    bool plain = c->n_groups == 1 ? c->n_levels <= told + 1 : c->n_levels <= c->n_groups;
    if (e == ERR_OK && c->n_levels > 1 && !plain) e = explain_levels(c, t, out);
    if (e == ERR_OK && c->advantage == ADVANTAGE_UNSEEN)
        e = notes_add(
            out,
            "The first-move advantage cannot be told from strength, because no opponents played both ways round: it "
            "is left at 0. Play every opening twice with sides swapped.");
    if (e == ERR_OK && c->advantage == ADVANTAGE_UNBOUNDED && c->n_levels == 1)
        e = notes_add(out,
                      "The results are too one-sided to bound the first-move advantage. Play more games, or start from "
                      "openings that are balanced.");
    return e;
}
