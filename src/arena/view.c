// From a store to numbers. See view.h.
#include "arena/view.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct loading {
    tour_view *v;
    repeats seen;
    uint64_t *pairing; // of each number in v->same
    size_t room_pairing;
    uint64_t *print; // of each game
    size_t room;
    uint32_t last_pair; // the game before: the two of a pair follow each other
    int last_halves;
} loading;

static err find_repeat(void *ctx, const match_record *r)
{
    loading *l = ctx;
    tour_view *v = l->v;
    bool same;
    repeat_print p = repeat_print_of(v->setup.g, r);
    if (v->state.stop > 0 && r->what.id >= v->state.stop) return ERR_OK;
    err e = repeats_add(&l->seen, &p, &same);
    if (e != ERR_OK || !same || repeats_vary(&l->seen, p.pairing)) return e;
    if (!GROW(v->same, v->n_same, v->room_same) || !GROW(l->pairing, v->n_same, l->room_pairing))
        return err_set(ERR_MEMORY, "no memory for games that repeat");
    v->same[v->n_same] = r->what.id;
    l->pairing[v->n_same++] = p.pairing;
    return ERR_OK;
}

// Chance may show late: then what was equal before it counts, too.
static err find_repeats(loading *l, store *s)
{
    tour_view *v = l->v;
    size_t n = 0;
    err e = store_games(s, v->state.run, find_repeat, l);
    for (size_t i = 0; i < v->n_same; i++)
        if (!repeats_vary(&l->seen, l->pairing[i])) v->same[n++] = v->same[i];
    v->n_same = n;
    repeats_free(&l->seen);
    free(l->pairing);
    return e;
}

bool view_counts(const tour_view *v, const match_record *r)
{
    size_t low = 0, high = v->n_same;
    if (v->state.stop > 0 && r->what.id >= v->state.stop) return false;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (v->same[mid] < r->what.id)
            low = mid + 1;
        else
            high = mid;
    }
    return low == v->n_same || v->same[low] != r->what.id;
}

uint64_t view_played(const tour_view *v)
{
    return v->games.n + v->n_same;
}

static err take_game(void *ctx, const match_record *r)
{
    loading *l = ctx;
    tour_view *v = l->v;
    if (!view_counts(v, r)) return ERR_OK;
    err e = results_add(&v->games, r->what.player[0], r->what.player[1], r->halves, view_cluster(v, r));
    if (e != ERR_OK) return e;
    for (int seat = 0; seat < 2; seat++) {
        view_player *p = &v->player[r->what.player[seat]];
        int halves = seat == 0 ? r->halves : 2 - r->halves;
        p->games++;
        p->wins += halves == 2;
        p->draws += halves == 1;
        p->losses += halves == 0;
        p->first += seat == 0;
        p->plies += r->plies;
        p->choices += r->side[seat].choices;
        p->nodes += (double)r->side[seat].nodes;
        p->seconds += r->side[seat].seconds;
        p->cpu += r->side[seat].cpu;
        p->failures += r->reason == MATCH_FAILED && r->failed == seat;
    }
    if (r->reason <= MATCH_FAILED) v->reasons[r->reason]++;
    // A test counts pairs as they were played, also where an opening comes back.
    if (v->setup.has_sprt && v->games.n > 1 && l->last_pair == r->what.pair) v->n5[l->last_halves + 2 - r->halves]++;
    l->last_pair = r->what.pair;
    l->last_halves = r->halves;
    if (v->games.n > l->room) {
        size_t room = 2 * v->games.n + 256;
        uint64_t *grown = realloc(l->print, room * sizeof *grown);
        if (grown == NULL) return err_set(ERR_MEMORY, "no memory for the games");
        l->print = grown;
        l->room = room;
    }
    repeat_print p = repeat_print_of(v->setup.g, r);
    l->print[v->games.n - 1] = p.from != 0 ? p.whole : r->what.id;
    return ERR_OK;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t count_repeats(loading *l)
{
    uint64_t n = 0;
    if (l->v->games.n > 1) qsort(l->print, l->v->games.n, sizeof *l->print, by_number);
    for (size_t i = 1; i < l->v->games.n; i++) n += l->print[i] == l->print[i - 1];
    return n;
}

static err add_pairings(tour_view *v)
{
    int n = v->setup.n_players;
    tally t;
    err e = tally_of(&t, &v->games);
    if (e != ERR_OK) return e;
    v->pairing = calloc((size_t)t.n + 1, sizeof *v->pairing);
    if (v->pairing == NULL) e = err_set(ERR_MEMORY, "no memory for the pairings");
    for (int a = 0; e == ERR_OK && a < n; a++)
        for (int b = a + 1; e == ERR_OK && b < n; b++) {
            view_pairing p = {.a = a, .b = b};
            for (int i = 0; i < t.n; i++) {
                const tally_cell *c = &t.cell[i];
                bool straight = c->first == a && c->second == b;
                if (!straight && !(c->first == b && c->second == a)) continue;
                p.wins_a += straight ? c->wins : c->losses;
                p.wins_b += straight ? c->losses : c->wins;
                p.draws += c->draws;
            }
            if (p.wins_a + p.wins_b + p.draws == 0) continue;
            e = results_match(&p.counts, &v->games, a, b);
            if (e != ERR_OK) break;
            p.elo = match_elo_counted(&p.counts, v->setup.rating.level);
            v->pairing[v->n_pairings++] = p;
        }
    tally_free(&t);
    return e;
}

// "NAME=RATING;…" into anchors; the array, with a place for each player, is the caller's.
static err parse_anchors(const tour_setup *s, const char *text, rating_anchor *out, int *n)
{
    *n = 0;
    while (text != NULL && *text) {
        size_t len = strcspn(text, ";");
        char one[STATS_MAX_NAME + 64], *end = NULL;
        if (len >= sizeof one) return err_set(ERR_USAGE, "an anchor is NAME=RATING");
        memcpy(one, text, len);
        one[len] = 0;
        char *eq = strrchr(one, '=');
        double rating = eq != NULL ? strtod(eq + 1, &end) : 0;
        if (eq == NULL || end == eq + 1 || *end != 0 || !(fabs(rating) < 1e6))
            return err_set(ERR_USAGE, "anchor '%s': expected NAME=RATING", one);
        *eq = 0;
        int player = 0;
        while (player < s->n_players && strcmp(s->player[player].name, one) != 0) player++;
        if (player == s->n_players) return err_set(ERR_USAGE, "anchor '%s': there is no such player", one);
        if (*n >= s->n_players) return err_set(ERR_USAGE, "more anchors than players");
        out[(*n)++] = (rating_anchor){player, rating};
        text += len + (text[len] == ';');
    }
    return ERR_OK;
}

// Sequential Elo knows differences only: moved as a whole, so that the anchors have their ratings on the average.
static void to_anchors(double *rating, int n, const rating_anchor *anchors, int n_anchors)
{
    double shift = 0;
    for (int i = 0; i < n_anchors; i++) shift += (anchors[i].rating - rating[anchors[i].player]) / n_anchors;
    for (int i = 0; i < n; i++) rating[i] += shift;
}

static err rate(tour_view *v)
{
    rating_anchor *anchors = calloc((size_t)v->setup.n_players, sizeof *anchors);
    v->sequential = calloc((size_t)v->setup.n_players, sizeof *v->sequential);
    err e = anchors == NULL || v->sequential == NULL ? err_set(ERR_MEMORY, "no memory for the ratings") : ERR_OK;
    rating_options o = v->rating;
    if (e == ERR_OK) e = parse_anchors(&v->setup, v->setup.rating.anchor, anchors, &o.n_anchors);
    o.anchors = anchors;
    if (e == ERR_OK) e = rating_fit_results(&v->fit, &v->games, &o);
    v->rated = e == ERR_OK;
    if (e == ERR_OK && v->errors == ERRORS_BOOTSTRAP)
        e = rating_bootstrap(&v->boot, &v->fit, &v->games, &o, v->resamples, v->setup.rating.level, v->seed);
    if (e == ERR_OK) {
        elo_sequential(&v->games, ELO_START, ELO_K, v->sequential);
        to_anchors(v->sequential, v->setup.n_players, anchors, o.n_anchors);
    }
    free(anchors);
    return e;
}

static void decide_test(tour_view *v)
{
    if (v->setup.has_sprt) v->test = sprt_state(&v->setup.sprt, v->n5, 5);
}

static err add_notes(tour_view *v, bool playing)
{
    err e = ERR_OK;
    if (v->state.ended <= 0 && !playing)
        e = notes_add(&v->notes, "The run is not finished: %llu of %llu games; --resume continues it.",
                      (unsigned long long)view_played(v), (unsigned long long)v->planned);
    if (e == ERR_OK && v->n_same > 0)
        e = notes_add(&v->notes,
                      "%zu of %llu games repeat earlier ones move by move, because their openings came back and their "
                      "players have no chance in them: they are not counted. For more evidence use more openings "
                      "(--openings FILE).",
                      v->n_same, (unsigned long long)view_played(v));
    // A few in a million are chance: short random games meet now and then.
    if (e == ERR_OK && v->repeats * 100 >= v->games.n && v->repeats > 0)
        e = notes_add(&v->notes,
                      "%llu of %zu games are equal to earlier ones, though their players do not always play alike: if "
                      "there is little chance in them, intervals are narrower than they should be. Use more openings.",
                      (unsigned long long)v->repeats, v->games.n);
    for (int i = 0; e == ERR_OK && i < v->setup.n_players; i++)
        if (v->player[i].failures > 0)
            e = notes_add(&v->notes,
                          "'%s' lost %.0f of its %.0f games by failing (a crash, a time-out, an illegal move).",
                          v->setup.player[i].name, v->player[i].failures, v->player[i].games);
    return e;
}

static err load_games(tour_view *v, store *s)
{
    loading l = {.v = v};
    err e = ERR_OK;
    for (int i = 0; e == ERR_OK && i < v->setup.n_players; i++) {
        int at;
        e = roster_add(&v->games.who, v->setup.player[i].name, &at);
    }
    v->player = calloc((size_t)v->setup.n_players, sizeof *v->player);
    if (e == ERR_OK && v->player == NULL) e = err_set(ERR_MEMORY, "no memory for the players");
    if (e == ERR_OK && v->setup.games > 0) {
        schedule plan;
        e = schedule_make(&plan, v->setup.schedule, v->setup.n_players, v->setup.games);
        if (e == ERR_OK) {
            v->planned = plan.n;
            if (v->setup.set.n > 1 && schedule_rounds(&plan) > v->setup.set.n)
                v->cycle = v->setup.set.n * (uint32_t)plan.n_pairings;
            schedule_free(&plan);
        }
    }
    if (e == ERR_OK && !(v->setup.g->flags & G_CHANCE)) e = find_repeats(&l, s);
    if (e == ERR_OK) e = store_games(s, v->state.run, take_game, &l);
    if (e == ERR_OK) v->repeats = count_repeats(&l);
    free(l.print);
    return e;
}

static err take_word(char *to, size_t n, const char *word, const char *what)
{
    if (word == NULL) return ERR_OK;
    if (strlen(word) >= n) return err_set(ERR_LIMIT, "%s: at most %zu characters", what, n - 1);
    strcpy(to, word);
    return ERR_OK;
}

err view_rating(tour_rating *out, const tour_rating *run, const view_options *o)
{
    tour_rating r = *run;
    err e = take_word(r.model, sizeof r.model, o->model, "model");
    if (e == ERR_OK) e = take_word(r.errors, sizeof r.errors, o->errors, "errors");
    if (e == ERR_OK) e = take_word(r.anchor, sizeof r.anchor, o->anchors, "anchor");
    if (o->has_prior) r.prior = o->prior;
    if (o->level > 0) r.level = o->level;
    if (!(r.level > 0)) r.level = tour_rating_default.level;
    if (e == ERR_OK) *out = r;
    return e;
}

err view_rating_fits(const tour_setup *s, const tour_rating *rating)
{
    int n;
    rating_anchor *anchors = calloc((size_t)s->n_players, sizeof *anchors);
    err e =
        anchors == NULL ? err_set(ERR_MEMORY, "no memory for anchors") : parse_anchors(s, rating->anchor, anchors, &n);
    free(anchors);
    return e;
}

// From the words of the run and the options to numbers.
static err read_rating(tour_view *v, const view_options *o)
{
    tour_rating *r = &v->setup.rating;
    err e = view_rating(r, r, o);
    if (e == ERR_OK) e = rating_model_parse(r->model, &v->rating);
    if (e == ERR_OK) e = rating_errors_parse(r->errors, &v->errors);
    v->rating.prior_draws = r->prior;
    v->resamples = o->resamples > 0 ? o->resamples : 1000;
    v->seed = o->seed;
    return e;
}

err view_load(tour_view *v, store *s, int run, const view_options *o)
{
    *v = (tour_view){.path = store_path(s)};
    err e = store_load(s, run, &v->setup, &v->state);
    if (e != ERR_OK) return e;
    e = read_rating(v, o);
    if (e == ERR_OK) e = load_games(v, s);
    if (e == ERR_OK && v->games.n > 0) e = add_pairings(v);
    if (e == ERR_OK && v->games.n > 0) e = rate(v);
    if (e == ERR_OK) decide_test(v);
    if (e == ERR_OK) e = add_notes(v, o->playing);
    if (e != ERR_OK) view_free(v);
    return e;
}

void view_free(tour_view *v)
{
    if (v->rated) rating_free(&v->fit);
    if (v->boot.low != NULL) bootstrap_free(&v->boot);
    results_free(&v->games);
    tour_setup_free(&v->setup);
    notes_free(&v->notes);
    FREE_ALL(v->player, v->pairing, v->sequential, v->same);
    *v = (tour_view){0};
}

interval view_interval(const tour_view *v, int player)
{
    if (v->errors == ERRORS_BOOTSTRAP) return (interval){v->boot.low[player], v->boot.high[player]};
    return rating_interval(&v->fit, v->errors, player, v->setup.rating.level);
}

interval view_gap(const tour_view *v, int a, int b)
{
    return rating_difference_interval(&v->fit, v->errors, a, b, v->setup.rating.level);
}

double view_score(const view_player *p)
{
    return p->games > 0 ? (p->wins + 0.5 * p->draws) / p->games : 0;
}

const char *view_opening(const tour_view *v, uint32_t number, char buf[OPENING_NAME])
{
    uint32_t n = v->setup.set.n, i = n > 0 ? number % n : number;
    const opening *o = openings_at(&v->setup.set, number);
    bool seeds = n <= 1 && o->plies == 0 && (v->setup.g->flags & G_CHANCE);
    if (o->name[0])
        snprintf(buf, OPENING_NAME, "%s", o->name);
    else if (o->plies == 0 && !seeds)
        snprintf(buf, OPENING_NAME, "start");
    else
        snprintf(buf, OPENING_NAME, "#%u", (seeds ? number : i) + 1);
    return buf;
}

int *view_by_rating(const tour_view *v)
{
    int n = v->setup.n_players, *order = malloc((size_t)n * sizeof *order);
    for (int i = 0; order != NULL && i < n; i++) {
        int k = i;
        for (; k > 0 && v->fit.rating[order[k - 1]] < v->fit.rating[i]; k--) order[k] = order[k - 1];
        order[k] = i;
    }
    return order;
}

err view_convergence(const tour_view *v, int points, double **at, double **rating, int *n)
{
    int players = v->setup.n_players;
    results part = v->games; // a shorter look at the same games
    size_t total = v->games.n;
    rating_options use = v->rating;
    rating_anchor *anchors = calloc((size_t)players, sizeof *anchors);
    err e = anchors == NULL ? err_set(ERR_MEMORY, "no memory for the curve")
                            : parse_anchors(&v->setup, v->setup.rating.anchor, anchors, &use.n_anchors);
    use.anchors = anchors;
    use.prior_draws = v->fit.prior_draws; // lent ones included: the curve ends where the table stands
    *n = 0;
    *at = calloc((size_t)points, sizeof **at);
    *rating = calloc((size_t)points * (size_t)players, sizeof **rating);
    if (e == ERR_OK && (*at == NULL || *rating == NULL)) e = err_set(ERR_MEMORY, "no memory for the curve");
    for (int k = 1; k <= points && total > 0 && e == ERR_OK; k++) {
        size_t upto = total * (size_t)k / (size_t)points;
        if (upto == 0 || (*n > 0 && (double)upto == (*at)[*n - 1])) continue;
        tally t;
        rating_fit f;
        part.n = upto;
        e = tally_of(&t, &part);
        if (e == ERR_OK) {
            e = rating_fit_tally(&f, &t, &use);
            tally_free(&t);
        }
        if (e != ERR_OK) break;
        (*at)[*n] = (double)upto;
        for (int i = 0; i < players; i++) (*rating)[*n * players + i] = f.rating[i];
        rating_free(&f);
        ++*n;
    }
    free(anchors);
    if (e != ERR_OK) {
        free(*at);
        free(*rating);
    }
    return e;
}
