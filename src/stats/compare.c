// Comparison of two runs: one joint fit or two separate ones reduced to the same thing, a list of contrasts with
// errors; then Holm and the sentences. See compare.h.
#include "stats/compare.h"

#include "stats/elo.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static err no_memory(void)
{
    return err_set(ERR_MEMORY, "out of memory for the comparison");
}

const char *compare_verdict_name(compare_verdict v)
{
    static const char *const names[] = {"undecided", "stronger", "weaker", "equal"};
    return names[v];
}

const char *compare_seed_label(double d)
{
    if (d >= COMPARE_SEED_STEP) return "better";
    if (d <= -COMPARE_SEED_STEP) return "worse";
    return fabs(d) <= COMPARE_EQUAL_WITHIN ? "equal" : "between";
}

void comparison_free(comparison *c)
{
    for (int i = 0; i < c->n; i++) {
        free(c->row[i].name);
        free(c->row[i].text);
    }
    free(c->row);
    notes_free(&c->notes);
    *c = (comparison){0};
}

static char *concat(const char *a, const char *between, const char *b)
{
    size_t size = strlen(a) + strlen(between) + strlen(b) + 1;
    char *out = malloc(size);
    if (out != NULL) snprintf(out, size, "%s%s%s", a, between, b);
    return out;
}

// --- who is compared with whom

typedef struct contrast {
    int from, to; // players of baseline and target
} contrast;

static bool is_unchanged(const compare_options *o, const char *name)
{
    for (int i = 0; i < o->n_unchanged; i++)
        if (strcmp(o->unchanged[i], name) == 0) return true;
    return false;
}

static err find_contrasts(contrast *c, int *n, const results *baseline, const results *target, const compare_options *o)
{
    *n = 0;
    for (int i = 0; i < o->n_links; i++) {
        contrast x = {roster_find(&baseline->who, o->links[i].baseline), roster_find(&target->who, o->links[i].target)};
        if (x.from < 0) return err_set(ERR_USAGE, "'%s' is not in the baseline", o->links[i].baseline);
        if (x.to < 0) return err_set(ERR_USAGE, "'%s' is not in the target", o->links[i].target);
        if (is_unchanged(o, o->links[i].baseline) && strcmp(o->links[i].baseline, o->links[i].target) == 0)
            return err_set(ERR_USAGE, "'%s' is named as unchanged, so there is nothing to compare",
                           o->links[i].baseline);
        if (*n == STATS_MAX_PLAYERS) return err_set(ERR_LIMIT, "more than %d players to compare", STATS_MAX_PLAYERS);
        c[(*n)++] = x;
    }
    for (int i = 0; i < baseline->who.n && o->n_links == 0; i++) {
        int to = roster_find(&target->who, baseline->who.name[i]);
        if (to >= 0 && !is_unchanged(o, baseline->who.name[i])) c[(*n)++] = (contrast){i, to};
    }
    if (*n == 0)
        return err_set(ERR_USAGE, "no player to compare: baseline and target have no name in common%s",
                       o->n_unchanged > 0 ? " beside the unchanged ones" : "");
    return ERR_OK;
}

// --- one pool of both runs

// Copies the games of `r` with players renamed by `map` and pairs moved up, so that pairs of the two runs stay apart.
static err append(results *out, const results *r, const int *map, uint32_t *pairs)
{
    uint32_t base = *pairs;
    for (size_t i = 0; i < r->n; i++) {
        result g = r->game[i];
        if (g.pair != PAIR_NONE) {
            if (g.pair >= PAIR_NONE - 1 - base)
                return err_set(ERR_LIMIT, "pair numbers of the two runs exceed 32 bits");
            g.pair += base;
            if (g.pair >= *pairs) *pairs = g.pair + 1;
        }
        err e = results_add(out, map[g.first], map[g.second], g.halves, g.pair);
        if (e != ERR_OK) return e;
    }
    return ERR_OK;
}

// Players b0, b1, … are the baseline's; of the target only those that changed get a place of their own.
static err join(results *out, int *target_at, const results *baseline, const results *target, const compare_options *o)
{
    int own[STATS_MAX_PLAYERS];
    uint32_t pairs = 0;
    char name[32];
    err e = ERR_OK;
    for (int i = 0; i < baseline->who.n && e == ERR_OK; i++) {
        snprintf(name, sizeof name, "b%d", i);
        e = roster_add(&out->who, name, &own[i]);
    }
    for (int i = 0; i < target->who.n && e == ERR_OK; i++) {
        int same = is_unchanged(o, target->who.name[i]) ? roster_find(&baseline->who, target->who.name[i]) : -1;
        snprintf(name, sizeof name, same >= 0 ? "b%d" : "t%d", same >= 0 ? same : i);
        e = roster_add(&out->who, name, &target_at[i]);
    }
    if (e == ERR_OK) e = append(out, baseline, own, &pairs);
    if (e == ERR_OK) e = append(out, target, target_at, &pairs);
    return e;
}

static void fill_row(compare_row *row, double baseline, double target, double variance, rating_scale s, double level)
{
    row->baseline = baseline;
    row->target = target;
    row->difference = target - baseline;
    row->se = s.factor * sqrt(fmax(0, variance));
    double half = row->se * rating_quantile(s, 0.5 + 0.5 * level);
    row->interval = (interval){row->difference - half, row->difference + half};
    double t = row->se > 0 ? -fabs(row->difference) / row->se : 0;
    row->p = 2 * (s.df > 0 ? dist_student_cdf(t, s.df) : dist_normal_cdf(t));
}

static err copy_notes(comparison *out, const rating_fit *f, const char *run)
{
    err e = ERR_OK;
    for (int i = 0; i < f->notes.n && e == ERR_OK; i++) e = notes_add(&out->notes, "%s: %s", run, f->notes.line[i]);
    return e;
}

// Notes of a fit of the joined pool would speak of b0 and t1; what they mean is said here instead.
static err compare_joint(comparison *out, const results *baseline, const results *target, const contrast *c,
                         const compare_options *o, double *df)
{
    results both = {0};
    rating_fit f = {0};
    rating_options use = o->rating;
    int at[STATS_MAX_PLAYERS];
    use.anchors = NULL;
    use.n_anchors = 0;
    err e = join(&both, at, baseline, target, o);
    if (e == ERR_OK) e = rating_fit_results(&f, &both, &use);
    if (e != ERR_OK) goto done;
    rating_scale s = rating_scale_of(&f, ERRORS_BEST);
    *df = s.df;
    for (int i = 0; i < out->n; i++) {
        int a = c[i].from, b = at[c[i].to];
        double se = rating_difference_se(&f, ERRORS_BEST, b, a);
        fill_row(&out->row[i], f.rating[a], f.rating[b], se * se, s, out->level);
    }
    if (f.prior_lent)
        e = notes_add(
            &out->notes,
            "The results of the two runs together do not bound every difference (a player won or lost everything, "
            "or the unchanged players do not link the runs): a weak prior was added, and errors are rough.");
done:
    results_free(&both);
    rating_free(&f);
    return e;
}

// Variance of player i's rating relative to the mean of the compared ones, whose indices are in `who`.
static double relative_variance(const rating_fit *f, int i, const int *who, int n)
{
    const double *cov = f->cov[rating_errors_used(f, ERRORS_BEST)];
    size_t k = (size_t)f->n + 1;
    double sum = 0;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            double wa = (who[a] == i) - 1.0 / n, wb = (who[b] == i) - 1.0 / n;
            sum += wa * wb * cov[(size_t)who[a] * k + (size_t)who[b]];
        }
    return sum;
}

static double relative_rating(const rating_fit *f, int i, const int *who, int n)
{
    double mean = 0;
    for (int a = 0; a < n; a++) mean += f->rating[who[a]] / n;
    return f->rating[i] - mean + ELO_START;
}

static err compare_apart(comparison *out, const results *baseline, const results *target, const contrast *c,
                         const compare_options *o, double *df)
{
    rating_fit f[2] = {{0}, {0}};
    rating_options use = o->rating;
    int who[2][STATS_MAX_PLAYERS];
    use.anchors = NULL;
    use.n_anchors = 0;
    if (out->n < 2)
        return err_set(
            ERR_USAGE,
            "only one player to compare and nothing to compare it against: name players that are the same in both "
            "runs (--unchanged), or play the two versions against each other");
    err e = rating_fit_results(&f[0], baseline, &use);
    if (e == ERR_OK) e = rating_fit_results(&f[1], target, &use);
    if (e != ERR_OK) goto done;
    for (int i = 0; i < out->n; i++) who[0][i] = c[i].from, who[1][i] = c[i].to;
    rating_scale s[2] = {rating_scale_of(&f[0], ERRORS_BEST), rating_scale_of(&f[1], ERRORS_BEST)};
    *df = fmin(s[0].df, s[1].df);
    for (int i = 0; i < out->n; i++) {
        double v[2], r[2];
        for (int k = 0; k < 2; k++) {
            v[k] = s[k].factor * s[k].factor * relative_variance(&f[k], who[k][i], who[k], out->n);
            r[k] = relative_rating(&f[k], who[k][i], who[k], out->n);
        }
        fill_row(&out->row[i], r[0], r[1], v[0] + v[1], (rating_scale){1, *df}, out->level);
    }
    if (o->all_same)
        e = notes_add(&out->notes,
                      "All players are the same in both runs, so every difference is chance: this shows how much two "
                      "runs of equal players differ, relative to the mean of the %d players.",
                      out->n);
    else
        e = notes_add(
            &out->notes,
            "No player is known to be the same in both runs, so differences are relative to the mean of the %d players "
            "compared: a gain or loss that all share does not show.",
            out->n);
    if (e == ERR_OK) e = copy_notes(out, &f[0], "Baseline");
    if (e == ERR_OK) e = copy_notes(out, &f[1], "Target");
done:
    rating_free(&f[0]);
    rating_free(&f[1]);
    return e;
}

// --- verdicts

// Holm: going up from the smallest p, each is held to (1 - level) / (how many are left); the first that fails ends it.
static void decide(comparison *c, double df)
{
    double spare = 1 - c->level;
    bool done[STATS_MAX_PLAYERS] = {false};
    for (int left = c->n; left > 0; left--) {
        int best = -1;
        for (int i = 0; i < c->n; i++)
            if (!done[i] && (best < 0 || c->row[i].p < c->row[best].p)) best = i;
        if (c->row[best].p > spare / left || c->row[best].se <= 0) break;
        done[best] = true;
        c->row[best].verdict = c->row[best].difference > 0 ? COMPARE_STRONGER : COMPARE_WEAKER;
    }
    double wide = rating_quantile((rating_scale){1, df}, 1 - spare / (2 * c->n));
    double aim = COMPARE_SEED_STEP / (dist_normal_quantile(1 - spare / (2 * c->n)) + dist_normal_quantile(0.8));
    for (int i = 0; i < c->n; i++) {
        compare_row *r = &c->row[i];
        if (r->verdict == COMPARE_UNDECIDED && r->se > 0 && fabs(r->difference) + wide * r->se <= COMPARE_EQUAL_WITHIN)
            r->verdict = COMPARE_EQUAL;
        if (r->verdict == COMPARE_UNDECIDED && r->se > aim)
            r->more_games = ceil(r->games * (r->se * r->se / (aim * aim) - 1));
        r->label = compare_seed_label(r->difference);
        r->label_error = r->se > 0 ? 2 * dist_normal_cdf(-COMPARE_SEED_STEP / r->se) : 0;
    }
}

static err explain(comparison *c)
{
    char all[64] = "", text[1200];
    if (c->n > 1) snprintf(all, sizeof all, " for any of the %d players compared", c->n);
    for (int i = 0; i < c->n; i++) {
        compare_row *r = &c->row[i];
        double percent = 100 * c->level, wrong = 100 * (1 - c->level);
        int n = snprintf(text, sizeof text, "%+.0f Elo, %g %% interval %+.0f to %+.0f. ", r->difference, percent,
                         r->interval.low, r->interval.high);
        size_t at = n > 0 ? (size_t)n : 0;
        if (r->verdict == COMPARE_STRONGER || r->verdict == COMPARE_WEAKER)
            n = snprintf(text + at, sizeof text - at,
                         "Verdict: %s. Without any change, such a verdict%s comes up in at most %g %% of comparisons.",
                         compare_verdict_name(r->verdict), all, wrong);
        else if (r->verdict == COMPARE_EQUAL)
            n = snprintf(text + at, sizeof text - at,
                         "Verdict: equal within %g Elo. If the true difference were larger, such a verdict%s would "
                         "come up in at most "
                         "%g %% of comparisons.",
                         COMPARE_EQUAL_WITHIN, all, wrong);
        else if (r->more_games > 0)
            n = snprintf(text + at, sizeof text - at,
                         "Verdict: undecided. To show a change of %g Elo four times in five, each run needs about %.0f "
                         "more games of this "
                         "player.",
                         COMPARE_SEED_STEP, r->more_games);
        else
            n = snprintf(text + at, sizeof text - at,
                         "Verdict: undecided. A change of %g Elo would have shown four times in five; the change, if "
                         "any, is smaller.",
                         COMPARE_SEED_STEP);
        at += n > 0 ? (size_t)n : 0;
        snprintf(text + at, sizeof text - at,
                 " By the seed's label: %s; with this many games that label calls an unchanged player better or worse "
                 "in %.0f %% of "
                 "comparisons.",
                 r->label, 100 * r->label_error);
        if ((r->text = concat(text, "", "")) == NULL) return no_memory();
    }
    return ERR_OK;
}

static err sequential(comparison *out, const results *runs[2], const contrast *c)
{
    double rating[STATS_MAX_PLAYERS];
    double *games = calloc(STATS_MAX_PLAYERS, sizeof *games);
    if (games == NULL) return no_memory();
    for (int k = 0; k < 2; k++) {
        elo_sequential(runs[k], ELO_START, ELO_K, rating);
        memset(games, 0, STATS_MAX_PLAYERS * sizeof *games);
        for (size_t i = 0; i < runs[k]->n; i++) {
            games[runs[k]->game[i].first]++;
            games[runs[k]->game[i].second]++;
        }
        for (int i = 0; i < out->n; i++) {
            int who = k == 0 ? c[i].from : c[i].to;
            out->row[i].sequential[k] = rating[who];
            out->row[i].games = k == 0 ? games[who] : fmin(out->row[i].games, games[who]);
        }
    }
    free(games);
    return ERR_OK;
}

static err check_unchanged(const results *baseline, const results *target, const compare_options *o)
{
    for (int i = 0; i < o->n_unchanged; i++) {
        const results *lacks = roster_find(&baseline->who, o->unchanged[i]) < 0 ? baseline
                               : roster_find(&target->who, o->unchanged[i]) < 0 ? target
                                                                                : NULL;
        if (lacks != NULL)
            return err_set(ERR_USAGE, "'%s' is named as unchanged, but is not in the %s", o->unchanged[i],
                           lacks == baseline ? "baseline" : "target");
    }
    return ERR_OK;
}

err compare_results(comparison *out, const results *baseline, const results *target, const compare_options *o)
{
    comparison c = {.level = o->level > 0 ? o->level : 0.95, .joint = o->n_unchanged > 0};
    contrast list[STATS_MAX_PLAYERS];
    double df = 0;
    int n = 0;
    if (!(c.level > 0.5 && c.level < 1))
        return err_set(ERR_USAGE, "a level must be between 0.5 and 1, not %g", o->level);
    if (baseline->who.n + target->who.n > STATS_MAX_PLAYERS)
        return err_set(ERR_LIMIT, "more than %d players in the two runs together", STATS_MAX_PLAYERS);
    if (baseline->n == 0 || target->n == 0)
        return err_set(ERR_USAGE, "the %s has no games", baseline->n == 0 ? "baseline" : "target");
    err e = check_unchanged(baseline, target, o);
    if (e == ERR_OK) e = find_contrasts(list, &n, baseline, target, o);
    if (e != ERR_OK) return e;
    if ((c.row = calloc((size_t)n, sizeof *c.row)) == NULL) return no_memory();
    c.n = n;
    for (int i = 0; i < n && e == ERR_OK; i++) {
        const char *a = baseline->who.name[list[i].from], *b = target->who.name[list[i].to];
        c.row[i].name = strcmp(a, b) == 0 ? concat(a, "", "") : concat(a, " -> ", b);
        if (c.row[i].name == NULL) e = no_memory();
    }
    if (e == ERR_OK) e = sequential(&c, (const results *[2]){baseline, target}, list);
    if (e == ERR_OK)
        e = c.joint ? compare_joint(&c, baseline, target, list, o, &df)
                    : compare_apart(&c, baseline, target, list, o, &df);
    if (e == ERR_OK) {
        decide(&c, df);
        e = explain(&c);
    }
    if (e != ERR_OK) {
        comparison_free(&c);
        return e;
    }
    *out = c;
    return ERR_OK;
}
