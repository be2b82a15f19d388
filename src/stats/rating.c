// The fit as people see it: options checked, trouble said in words, covariances, errors and intervals. See rating.h;
// the likelihood and its maximum are in newton.c, the exact conditions for a finite rating in linkage.c.
#include "stats/rating.h"

#include "base/memory.h"
#include "stats/elo.h"
#include "stats/linkage.h"
#include "stats/matrix.h"
#include "stats/newton.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LENT_DRAWS = 2, SPARE_PIECES = 5 };
static const double surprise = 0.02; // a piece whose score is nearer to its expectation says nothing of the variance

static err no_memory(int n)
{
    return err_set(ERR_MEMORY, "out of memory for the ratings of %d players", n);
}

void rating_free(rating_fit *f)
{
    FREE_ALL(f->rating, f->natural, f->bread);
    for (int k = 0; k < ERRORS_KINDS; k++) free(f->cov[k]);
    notes_free(&f->notes);
    *f = (rating_fit){0};
}

// --- covariances

static double *to_elo(const double *natural, int n)
{
    size_t s = (size_t)n + 2, k = (size_t)n + 1;
    double *cov = malloc(k * k * sizeof *cov);
    if (cov == NULL) return NULL;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) cov[i * k + j] = natural[i * s + j] * ELO_PER_NAT * ELO_PER_NAT;
    return cov;
}

// A prior counts as data with its nominal variance: its information joins the scores' products.
static void prior_meat(const rating_fit *f, double *meat, double *scratch)
{
    size_t s = (size_t)f->n + 2;
    if (f->prior_draws <= 0 && f->prior_sd <= 0) return;
    memset(scratch, 0, (s * s + s) * sizeof *scratch);
    newton_prior(f->n, f->model, f->prior_draws, f->prior_sd, f->natural, scratch + s * s, scratch);
    for (size_t i = 0; i < s * s; i++) meat[i] -= scratch[i];
}

static void add_outer(double *meat, size_t s, const size_t *at, const double *value, int k, double weight)
{
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++) meat[at[a] * s + at[b]] += weight * value[a] * value[b];
}

static err finish_sandwich(rating_fit *f, rating_errors kind, double *meat)
{
    size_t s = (size_t)f->n + 2;
    double *work = malloc((2 * s * s + s) * sizeof *work);
    if (work == NULL) return no_memory(f->n);
    prior_meat(f, meat, work);
    matrix_sandwich(f->bread, meat, f->n + 2, work, work + s * s);
    free(f->cov[kind]);
    f->cov[kind] = to_elo(work + s * s, f->n);
    free(work);
    return f->cov[kind] != NULL ? ERR_OK : no_memory(f->n);
}

static model_value game_score(const rating_fit *f, int first, int second, int halves)
{
    double d = f->natural[first] - f->natural[second] + f->natural[f->n];
    return model_eval(f->model, d, f->natural[f->n + 1], halves == 2, halves == 1, halves == 0);
}

static err games_sandwich(rating_fit *f, const tally *t)
{
    size_t s = (size_t)f->n + 2;
    double *meat = calloc(s * s, sizeof *meat);
    if (meat == NULL) return no_memory(f->n);
    for (int k = 0; k < t->n; k++) {
        const tally_cell *c = &t->cell[k];
        size_t at[4] = {(size_t)c->first, (size_t)c->second, s - 2, s - 1};
        double count[3] = {c->losses, c->draws, c->wins};
        for (int halves = 0; halves < 3; halves++) {
            if (count[halves] <= 0) continue;
            model_value v = game_score(f, c->first, c->second, halves);
            add_outer(meat, s, at, (double[4]){v.gd, -v.gd, v.gd, v.ge}, 4, count[halves]);
            if (fabs(v.gd) > surprise) f->telling[ERRORS_GAMES] += count[halves];
        }
    }
    err e = finish_sandwich(f, ERRORS_GAMES, meat);
    free(meat);
    return e;
}

static int by_cluster(const void *x, const void *y)
{
    const result *a = x, *b = y;
    return (a->pair > b->pair) - (a->pair < b->pair);
}

err rating_pairs(rating_fit *f, const results *r)
{
    size_t s = (size_t)f->n + 2;
    assert(r->who.n == f->n);
    double *meat = calloc(s * s, sizeof *meat), *sum = calloc(s, sizeof *sum), *value = calloc(s, sizeof *value);
    size_t *at = calloc(s, sizeof *at);
    result *game = malloc((r->n + 1) * sizeof *game);
    err e = meat && sum && value && at && game ? ERR_OK : no_memory(f->n);
    if (e == ERR_OK) {
        if (r->n > 0) memcpy(game, r->game, r->n * sizeof *game);
        qsort(game, r->n, sizeof *game, by_cluster);
        f->clusters = f->telling[ERRORS_PAIRS] = 0;
        for (size_t i = 0, end; i < r->n; i = end) {
            end = i + 1;
            while (game[i].pair != PAIR_NONE && end < r->n && game[end].pair == game[i].pair) end++;
            for (size_t k = i; k < end; k++) {
                model_value v = game_score(f, game[k].first, game[k].second, game[k].halves);
                sum[game[k].first] += v.gd;
                sum[game[k].second] -= v.gd;
                sum[s - 2] += v.gd;
                sum[s - 1] += v.ge;
            }
            int touched = 0;
            bool telling = false;
            for (size_t k = 0; k < s; k++) {
                telling |= k < s - 2 && fabs(sum[k]) > surprise;
                if (sum[k] != 0) at[touched] = k, value[touched++] = sum[k], sum[k] = 0;
            }
            add_outer(meat, s, at, value, touched, 1.0);
            f->clusters++;
            f->telling[ERRORS_PAIRS] += telling;
        }
        e = finish_sandwich(f, ERRORS_PAIRS, meat);
    }
    FREE_ALL(meat, sum, value, at, game);
    return e;
}

// --- the whole fit

static err check_options(const tally *t, const rating_options *o)
{
    if (t->who.n == 0) return err_set(ERR_USAGE, "there are no players to rate");
    if (!(o->prior_draws >= 0) || !(o->prior_sd >= 0) || o->prior_draws > 1e6 || o->prior_sd > 1e6)
        return err_set(ERR_USAGE, "a prior must be between 0 and 1000000");
    if (!isfinite(o->centre)) return err_set(ERR_USAGE, "the centre of the ratings must be a number");
    for (int k = 0; k < o->n_anchors; k++) {
        const rating_anchor *a = &o->anchors[k];
        if (a->player < 0 || a->player >= t->who.n) return err_set(ERR_USAGE, "an anchor names no player of the pool");
        if (!(fabs(a->rating) < 1e5))
            return err_set(ERR_USAGE, "the anchor of '%s' must be a rating within ±100000", t->who.name[a->player]);
        for (int j = 0; j < k; j++)
            if (o->anchors[j].player == a->player)
                return err_set(ERR_USAGE, "'%s' is anchored twice", t->who.name[a->player]);
    }
    return ERR_OK;
}

static void to_ratings(rating_fit *f, const rating_options *o)
{
    double zero = o->centre != 0 ? o->centre : ELO_START;
    if (o->n_anchors > 0) zero = 0;
    for (int k = 0; k < o->n_anchors; k++) zero += o->anchors[k].rating / o->n_anchors;
    for (int i = 0; i < f->n; i++) f->rating[i] = zero + ELO_PER_NAT * f->natural[i];
    for (int k = 0; k < o->n_anchors; k++) f->rating[o->anchors[k].player] = o->anchors[k].rating;
    f->advantage = ELO_PER_NAT * f->natural[f->n];
    double e = f->natural[f->n + 1];
    f->draw = f->model == MODEL_RAO_KUPPER ? ELO_PER_NAT * e : f->model == MODEL_DAVIDSON ? exp(e) : 0;
}

// A player's own limit when it won (or lost) everything: the rating at which that had a chance of 2.5 %, the others as
// fitted.
static err explain_limits(rating_fit *f, const tally *t)
{
    err e = ERR_OK;
    player_total *sum = malloc((size_t)f->n * sizeof *sum);
    if (sum == NULL) return no_memory(f->n);
    tally_totals(t, sum);
    int told = 0;
    for (int i = 0; i < f->n && told < 12 && e == ERR_OK; i++) {
        bool won = sum[i].wins > 0 && sum[i].wins >= sum[i].games,
             lost = sum[i].losses > 0 && sum[i].losses >= sum[i].games;
        if (!won && !lost) continue;
        double low = -60, high = 60; // natural units from where it stands
        for (int round = 0; round < 80; round++) {
            double mid = 0.5 * (low + high), ll = 0;
            for (int k = 0; k < t->n; k++) {
                const tally_cell *c = &t->cell[k];
                if (c->first != i && c->second != i) continue;
                double d =
                    f->natural[c->first] - f->natural[c->second] + f->natural[f->n] + (c->first == i ? mid : -mid);
                ll += model_eval(f->model, d, f->natural[f->n + 1], c->wins, c->draws, c->losses).ll;
            }
            // More strength makes winning everything likelier, losing everything less likely.
            if ((ll < log(0.025)) == won)
                low = mid;
            else
                high = mid;
        }
        told++;
        double limit = f->rating[i] + ELO_PER_NAT * 0.5 * (low + high);
        e = notes_add(&f->notes, "'%s' is at %s %.0f (97.5 %% one-sided, the others' ratings taken as they are).",
                      t->who.name[i], won ? "least" : "most", limit);
    }
    free(sum);
    return e;
}

// All there is to say. `limitless`: the graph already told why; otherwise an unbounded fit comes from the draw model.
static err explain(rating_fit *f, const tally *t, const linkage *c, bool limitless)
{
    err e = linkage_explain(c, t, &f->notes);
    if (e == ERR_OK && f->prior_lent && !limitless) {
        size_t s = (size_t)f->n + 2, who = 0;
        for (size_t i = 0; i < (size_t)f->n; i++)
            if (f->bread[i * s + i] > f->bread[who * s + who]) who = i;
        e = notes_add(
            &f->notes,
            "Under this draw model the results do not bound every rating, '%s' least of all: draws show only that "
            "players are close, and there are too few wins and losses between some of them. With a draw as half a point "
            "(Bradley-Terry) the ratings are bounded.",
            t->who.name[who]);
    }
    if (e == ERR_OK && !f->has_draw && f->model != MODEL_BT && f->games > 0)
        e = notes_add(&f->notes, "No game was drawn, so the draw parameter is 0 and the model is Bradley-Terry.");
    if (e == ERR_OK && f->prior_lent && f->games > 0) {
        e = explain_limits(f, t);
        if (e == ERR_OK)
            e = notes_add(
                &f->notes,
                "The results alone do not bound every rating, so a weak prior was added: %d virtual draws of each player "
                "against an average player. Ratings that depend on it are guesses.",
                LENT_DRAWS);
    }
    return e;
}

static err examine(linkage *c, const tally *t, const rating_options *o)
{
    int anchors[STATS_MAX_PLAYERS];
    for (int k = 0; k < o->n_anchors; k++) anchors[k] = o->anchors[k].player;
    err e = linkage_examine(c, t, anchors, o->n_anchors);
    if (e == ERR_OK && o->no_advantage) c->advantage = ADVANTAGE_FINITE; // nothing to say of it
    return e;
}

static err fit_alloc(rating_fit *f, const tally *t, const rating_options *o)
{
    size_t s = (size_t)t->who.n + 2;
    *f = (rating_fit){.n = t->who.n, .model = o->model, .prior_draws = o->prior_draws, .prior_sd = o->prior_sd};
    f->games = tally_games(t);
    for (int k = 0; k < t->n; k++) f->has_draw |= o->model != MODEL_BT && t->cell[k].draws > 0;
    f->rating = calloc(s, sizeof(double));
    f->natural = calloc(s, sizeof(double));
    f->bread = calloc(s * s, sizeof(double));
    return f->rating && f->natural && f->bread ? ERR_OK : no_memory(f->n);
}

static err solve(rating_fit *f, const tally *t, const rating_options *o, bool *bounded)
{
    newton_point p = {.advantage = f->has_advantage, .draw = f->has_draw, .x = f->natural, .bread = f->bread};
    err e = newton_solve(&p, t, o, NULL);
    if (e != ERR_OK) return e;
    f->loglik = p.loglik;
    f->iterations = p.iterations;
    f->parameters = p.parameters;
    *bounded = p.bounded;
    to_ratings(f, o);
    return ERR_OK;
}

err rating_fit_tally(rating_fit *out, const tally *t, const rating_options *o)
{
    rating_fit f = {0};
    linkage c = {0};
    bool bounded = false;
    err e = check_options(t, o);
    if (e == ERR_OK) e = fit_alloc(&f, t, o);
    if (e == ERR_OK) e = examine(&c, t, o);
    if (e != ERR_OK) goto done;
    f.has_advantage = !o->no_advantage && c.advantage != ADVANTAGE_UNSEEN;
    bool runaway = f.has_advantage && c.advantage == ADVANTAGE_UNBOUNDED, limitless = runaway || !linkage_bounded(&c);
    if (!limitless || o->prior_draws > 0 || (o->prior_sd > 0 && !runaway)) e = solve(&f, t, o, &bounded);
    if (e == ERR_OK && !bounded) {
        rating_options lent = *o;
        lent.prior_draws = f.prior_draws = fmax(LENT_DRAWS, o->prior_draws);
        f.prior_lent = true;
        e = solve(&f, t, &lent, &bounded);
    }
    if (e == ERR_OK) e = explain(&f, t, &c, limitless);
    if (e == ERR_OK && f.prior_lent && o->strict)
        e = err_set(ERR_USAGE, "the results do not bound every rating. %s", f.notes.line[0]);
    if (e == ERR_OK && (f.cov[ERRORS_INFO] = to_elo(f.bread, f.n)) == NULL) e = no_memory(f.n);
    if (e == ERR_OK) e = games_sandwich(&f, t);
    if (e != ERR_OK) goto done;
    *out = f;
    f = (rating_fit){0};
done:
    rating_free(&f);
    linkage_free(&c);
    return e;
}

err rating_fit_results(rating_fit *out, const results *r, const rating_options *o)
{
    tally t = {0};
    rating_fit f = {0};
    err e = tally_of(&t, r);
    if (e == ERR_OK) e = rating_fit_tally(&f, &t, o);
    if (e == ERR_OK) e = rating_pairs(&f, r);
    if (e == ERR_OK) {
        *out = f;
        f = (rating_fit){0};
    }
    rating_free(&f);
    tally_free(&t);
    return e;
}

// --- names

static const struct {
    const char *name;
    rating_model model;
    bool no_advantage;
} models[] = {{"bt", MODEL_BT, true},
              {"bt-adv", MODEL_BT, false},
              {"rao-kupper", MODEL_RAO_KUPPER, false},
              {"davidson", MODEL_DAVIDSON, false}};
enum { N_MODELS = sizeof models / sizeof models[0] };
const char *const rating_model_names = "bt|bt-adv|rao-kupper|davidson";

err rating_model_parse(const char *name, rating_options *o)
{
    if (name == NULL || name[0] == 0) name = "bt-adv";
    for (int i = 0; i < N_MODELS; i++)
        if (strcmp(name, models[i].name) == 0) {
            o->model = models[i].model;
            o->no_advantage = models[i].no_advantage;
            return ERR_OK;
        }
    return err_set(ERR_USAGE, "unknown rating model '%s'; there are %s", name, rating_model_names);
}

const char *rating_model_name(const rating_options *o)
{
    for (int i = 0; i < N_MODELS; i++)
        if (models[i].model == o->model && models[i].no_advantage == o->no_advantage) return models[i].name;
    return o->model == MODEL_DAVIDSON ? "davidson without advantage" : "rao-kupper without advantage";
}

err rating_verify(tally *t, rating_fit *f, const char *text, size_t length, const char *model)
{
    rating_options o = {0};
    tally parsed = {0};
    err e = rating_model_parse(model, &o);
    if (e == ERR_OK) e = tally_parse(&parsed, text, length);
    if (e == ERR_OK) e = rating_fit_tally(f, &parsed, &o);
    if (e != ERR_OK) {
        tally_free(&parsed);
        return e;
    }
    *t = parsed;
    return ERR_OK;
}

// --- errors and intervals

static const char *const error_names[ERRORS_KINDS] = {"best", "information", "sandwich", "pairs", "bootstrap"};

const char *rating_errors_name(rating_errors kind)
{
    return error_names[kind];
}

err rating_errors_parse(const char *name, rating_errors *out)
{
    if (name == NULL || name[0] == 0) name = error_names[ERRORS_BEST];
    for (int i = 0; i < ERRORS_KINDS; i++)
        if (strcmp(name, error_names[i]) == 0) {
            *out = (rating_errors)i;
            return ERR_OK;
        }
    return err_set(ERR_USAGE, "unknown kind of errors '%s'; there are best, information, sandwich, pairs and bootstrap",
                   name);
}

rating_errors rating_errors_used(const rating_fit *f, rating_errors kind)
{
    if (kind != ERRORS_BEST) return kind;
    if (f->prior_lent) return ERRORS_INFO;
    bool pairs = f->cov[ERRORS_PAIRS] != NULL;
    kind = pairs ? ERRORS_PAIRS : ERRORS_GAMES;
    return f->telling[kind] >= f->parameters + SPARE_PIECES ? kind : ERRORS_INFO;
}

static double covariance(const rating_fit *f, rating_errors kind, int i, int j)
{
    assert(i >= 0 && i <= f->n && j >= 0 && j <= f->n);
    const double *cov = f->cov[rating_errors_used(f, kind)];
    assert(cov != NULL);
    return cov[(size_t)i * ((size_t)f->n + 1) + (size_t)j];
}

double rating_se(const rating_fit *f, rating_errors kind, int i)
{
    return sqrt(fmax(0, covariance(f, kind, i, i)));
}

double rating_difference_se(const rating_fit *f, rating_errors kind, int i, int j)
{
    return sqrt(fmax(0, covariance(f, kind, i, i) + covariance(f, kind, j, j) - 2 * covariance(f, kind, i, j)));
}

rating_scale rating_scale_of(const rating_fit *f, rating_errors kind)
{
    double pieces = 0;
    kind = rating_errors_used(f, kind);
    if (kind == ERRORS_GAMES) pieces = f->games;
    if (kind == ERRORS_PAIRS || kind == ERRORS_BOOTSTRAP) pieces = f->clusters;
    double spare = pieces - f->parameters;
    if (pieces <= 0 || spare < 1) return (rating_scale){1, 0};
    return (rating_scale){kind == ERRORS_BOOTSTRAP ? 1 : sqrt(pieces / spare), spare};
}

double rating_quantile(rating_scale s, double p)
{
    return s.df > 0 ? dist_student_quantile(p, s.df) : dist_normal_quantile(p);
}

static double margin(const rating_fit *f, rating_errors kind, double se, double level)
{
    rating_scale s = rating_scale_of(f, kind);
    return se * s.factor * rating_quantile(s, 0.5 + 0.5 * level);
}

interval rating_interval(const rating_fit *f, rating_errors kind, int i, double level)
{
    double centre = i == f->n ? f->advantage : f->rating[i], half = margin(f, kind, rating_se(f, kind, i), level);
    return (interval){centre - half, centre + half};
}

interval rating_difference_interval(const rating_fit *f, rating_errors kind, int i, int j, double level)
{
    double centre = f->rating[i] - f->rating[j], half = margin(f, kind, rating_difference_se(f, kind, i, j), level);
    return (interval){centre - half, centre + half};
}

double rating_superiority(const rating_fit *f, rating_errors kind, int i, int j)
{
    double lead = f->rating[i] - f->rating[j], se = rating_difference_se(f, kind, i, j);
    if (i == j || lead == 0) return 0.5;
    return se > 0 ? dist_normal_cdf(lead / se) : lead > 0 ? 1.0 : 0.0;
}
