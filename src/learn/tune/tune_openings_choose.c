// Even openings: which of the judged lines make an even set; see tune_openings.h.
//
// A line's few games say little about its true odds: of lines in which black won half of 16 games, most are a little better for
// black when lines in general are. So the odds of all judged lines are taken as drawn from one beta distribution, which is
// fitted first; a line's expected score is then the mean of what that distribution says after the line's own games.
#include "games/game.h"
#include "learn/tune/tune_openings.h"

#include <math.h>
#include <stdlib.h>

#define SLACK 0.02 // of the mean lead, where one side has no more lines

static double log_beta(double a, double b)
{
    return lgamma(a) + lgamma(b) - lgamma(a + b);
}

// Lines by games and black's half points: there are few different results.
typedef struct results {
    int lines[RJ_LINE_GAMES + 1][2 * RJ_LINE_GAMES + 1];
} results;

static double log_likelihood(const rj_lines_prior *p, const results *r)
{
    double a = p->mean * p->strength, b = (1 - p->mean) * p->strength, sum = 0;
    for (int games = 1; games <= RJ_LINE_GAMES; games++)
        for (int half = 0; half <= 2 * games; half++)
            if (r->lines[games][half] > 0)
                sum += r->lines[games][half] * (log_beta(a + half / 2.0, b + games - half / 2.0) - log_beta(a, b));
    return sum;
}

rj_lines_prior rj_lines_fit(const rj_opening *lines, int n)
{
    results r = {0};
    for (int i = 0; i < n; i++) r.lines[(int)lines[i].games][(int)(2 * lines[i].black)]++;
    rj_lines_prior best = {0.5, 4};
    double most = log_likelihood(&best, &r);
    for (int m = 1; m < 50; m++)
        for (double strength = 0.25; strength < 300; strength *= 1.1) {
            rj_lines_prior p = {m / 50.0, strength};
            double l = log_likelihood(&p, &r);
            if (l > most + 1e-9) {
                most = l;
                best = p;
            }
        }
    return best;
}

double rj_lines_expect(const rj_lines_prior *p, const rj_opening *o)
{
    return (p->mean * p->strength + (double)o->black) / (p->strength + (double)o->games);
}

bool rj_line_passed(const rj_opening *o)
{
    return o->black >= RJ_LINE_LEAST && o->games - o->black >= RJ_LINE_LEAST;
}

// The same number for lines that lead to the same stones up to a symmetry.
static uint64_t canonical(const game *g, const rj_opening *o)
{
    uint64_t least = UINT64_MAX;
    for (int sym = 0; sym < g->n_syms; sym++) {
        rj_any_state s = {0};
        g->init(&s, "", (game_key){0, 0});
        for (int i = 0; i < o->n; i++) g->play(&s, g->sym_move(sym, o->move[i]), NULL);
        uint64_t h = g->hash(&s);
        if (h < least) least = h;
    }
    return least;
}

typedef struct candidate {
    int index;
    uint64_t hash;
    double lead; // black's expected score above a half
} candidate;

static int more_even_first(const void *x, const void *y)
{
    const candidate *a = x, *b = y;
    double d = fabs(a->lead) - fabs(b->lead);
    return d < 0 ? -1 : d > 0 ? 1 : (a->index > b->index) - (a->index < b->index);
}

static bool seen(const candidate *c, int n, uint64_t hash)
{
    for (int i = 0; i < n; i++)
        if (c[i].hash == hash) return true;
    return false;
}

int rj_lines_choose(const rj_opening *lines, int n, int variant, int want, int *chosen)
{
    const game *g;
    candidate *c = calloc((size_t)n + 1, sizeof *c);
    int kept = 0, taken = 0;
    if (c == NULL || game_find(rj_variants[variant].name, &g) != ERR_OK) {
        free(c);
        return 0;
    }
    rj_lines_prior p = rj_lines_fit(lines, n);
    for (int i = 0; i < n; i++) {
        if (!rj_line_passed(&lines[i])) continue;
        uint64_t hash = canonical(g, &lines[i]);
        if (!seen(c, kept, hash)) c[kept++] = (candidate){i, hash, rj_lines_expect(&p, &lines[i]) - 0.5};
    }
    qsort(c, (size_t)kept, sizeof *c, more_even_first);
    // Takes from the side that is behind, so that the lead of the whole set never exceeds that of one line. When that side has
    // no more, it takes from the other while the mean lead stays small.
    int next[2] = {0, 0}; // the first unused line with lead <= 0, > 0
    for (double lead = 0; taken < want;) {
        for (int side = 0; side < 2; side++)
            while (next[side] < kept && (c[next[side]].lead > 0) != side) next[side]++;
        int behind = lead <= 0, side = next[behind] < kept ? behind : !behind;
        if (next[side] == kept) break;
        const candidate *x = &c[next[side]++];
        if (side != behind && fabs(lead + x->lead) > SLACK * (taken + 1)) break;
        lead += x->lead;
        chosen[taken++] = x->index;
    }
    free(c);
    return taken;
}
