// Even openings; see tune_openings.h.
#include "learn/tune/tune_openings.h"

#include "base/pool.h"
#include "base/rng.h"
#include "base/stop.h"
#include "games/game.h"
#include "search/renju/renju_ab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64, HASH = 16, MOST_PLIES = 120 };
enum { SHORT_SEARCH = 2000, MIDDLE_SEARCH = 20000, LONG_SEARCH = 200000 }; // positions

// Games of the engine against itself, with limits from `nodes` up, of which each side must win `least`. Short ones are cheap;
// only long ones tell, because black gains with strength.
static const struct stage {
    int games, least, nodes;
} short_games = {4, 1, 1000}, long_games = {6, 2, 20000};

typedef struct maker {
    const game *g;
    uint64_t seed, first;
    double effort;
    rj_ab **engine;   // [worker]
    rj_opening *line; // [batch]; n = 0: refused
} maker;

static bool taken(const rj_any_state *s, int p)
{
    int words = rj_variants[s->s.variant].words;
    return (s->s.stones[p / 64] | s->s.stones[words + p / 64]) >> p % 64 & 1;
}

// Stones within a square of the middle; its width and their number are drawn, too.
static bool draw_line(const game *g, rng *r, rj_any_state *s, rj_opening *out)
{
    int plies = 3 + (int)rng_below(r, RJ_LINE_MOST - 2), half = 2 + (int)rng_below(r, 3), middle = g->cols / 2;
    memset(s, 0, sizeof *s);
    g->init(s, "", (game_key){0, 0});
    out->n = 0;
    while (out->n < plies) {
        int x = middle - half + (int)rng_below(r, (uint32_t)(2 * half + 1));
        int y = middle - half + (int)rng_below(r, (uint32_t)(2 * half + 1)), p = y * g->cols + x;
        if (taken(s, p)) continue;
        g->play(s, (move_t)p, NULL);
        out->move[out->n++] = (uint16_t)p;
        if (s->s.reason != REASON_NONE) return false;
    }
    return true;
}

static bool is_even(rj_ab *e, const rj_any_state *s, int nodes, double slack)
{
    rj_ab_line l;
    rj_ab_forget(e);
    rj_ab_search(e, &s->s, &(rj_ab_limits){.nodes = (uint64_t)nodes}, 1, &l);
    return fabs(rj_ab_odds(l.score) - 0.5) <= slack;
}

// What the side to move scores in a game of the engine against itself. A proved win ends it.
static double play_out(rj_ab *e, const game *g, rj_any_state s, int nodes)
{
    int mover = s.s.side;
    rj_ab_forget(e);
    for (int ply = 0; s.s.reason == REASON_NONE && ply < MOST_PLIES; ply++) {
        rj_ab_line l;
        rj_ab_search(e, &s.s, &(rj_ab_limits){.nodes = (uint64_t)nodes}, 1, &l);
        if (l.score > RJ_AB_SURE) return s.s.side == mover;
        if (l.score < -RJ_AB_SURE) return s.s.side != mover;
        g->play(&s, l.move[0], NULL);
    }
    return s.s.reason == REASON_NONE ? 0.5 : (double)g->result(&s).score[mover];
}

// False when one side wins too many. *black: what black scored, 0 … 1.
static bool games_are_even(const maker *m, rj_ab *e, const rj_any_state *s, const struct stage *g, float *black)
{
    double sum = 0;
    for (int k = 0; k < g->games && !stop_requested(); k++) {
        sum += play_out(e, m->g, *s, (int)(g->nodes * m->effort) * (4 + k) / 4 + 1);
        if (sum + (g->games - 1 - k) < g->least || sum > g->games - g->least) return false;
    }
    *black = (float)(s->s.side == RJ_BLACK ? sum / g->games : 1 - sum / g->games);
    return true;
}

static void try_line(void *ctx, int task, int worker)
{
    maker *m = ctx;
    rj_ab *e = m->engine[worker];
    rj_opening *o = &m->line[task];
    rng r = rng_at(m->seed, m->first + (uint64_t)task, 0);
    rj_any_state s;
    bool ok = draw_line(m->g, &r, &s, o) && is_even(e, &s, (int)(SHORT_SEARCH * m->effort), 0.15) &&
              is_even(e, &s, (int)(MIDDLE_SEARCH * m->effort), 0.1) &&
              games_are_even(m, e, &s, &short_games, &o->black) &&
              is_even(e, &s, (int)(LONG_SEARCH * m->effort), 0.15) && games_are_even(m, e, &s, &long_games, &o->black);
    if (!ok) o->n = 0;
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

// Keeps the line unless it is there already or adds to the lead that one side has over the whole set.
static bool accept(const game *g, const rj_opening *o, rj_opening *out, uint64_t *seen, int kept, double *lead)
{
    double mine = (double)o->black - 0.5;
    if (o->n == 0 || mine * *lead > 0) return false;
    uint64_t h = canonical(g, o);
    for (int i = 0; i < kept; i++)
        if (seen[i] == h) return false;
    seen[kept] = h;
    out[kept] = *o;
    *lead += mine;
    return true;
}

err rj_tune_openings(const rj_lines_tune *t, int variant, rj_opening *out)
{
    maker m = {.effort = t->effort > 0 ? t->effort : 1, .seed = rng_mix(t->seed * 8 + (uint64_t)variant)};
    pool *p = pool_new(t->threads);
    int workers = pool_threads(p), kept = 0;
    uint64_t *seen = calloc((size_t)t->want, sizeof *seen);
    double lead = 0;
    rj_ab_options o = rj_ab_defaults();
    o.hash = HASH;
    m.engine = calloc((size_t)workers, sizeof *m.engine);
    m.line = malloc(BATCH * sizeof *m.line);
    err e = p == NULL || seen == NULL || m.engine == NULL || m.line == NULL
                ? err_set(ERR_MEMORY, "no memory for openings")
                : game_find(rj_variants[variant].name, &m.g);
    for (int i = 0; e == ERR_OK && i < workers; i++)
        e = rj_ab_new(&m.engine[i], rj_variants[variant].rule, rj_variants[variant].size, &o);
    for (; e == ERR_OK && kept < t->want; m.first += BATCH) {
        pool_run(p, BATCH, try_line, &m);
        e = stop_check();
        for (int i = 0; e == ERR_OK && i < BATCH && kept < t->want; i++)
            kept += accept(m.g, &m.line[i], out, seen, kept, &lead);
        char line[120];
        snprintf(line, sizeof line, "%s: %d of %d lines, %llu drawn, black leads by %.2f games",
                 rj_variants[variant].name, kept, t->want, (unsigned long long)(m.first + BATCH), lead);
        if (t->say != NULL && m.first / BATCH % 8 == 7) t->say(t->ctx, line);
    }
    for (int i = 0; m.engine != NULL && i < workers; i++) rj_ab_free(m.engine[i]);
    free(m.engine);
    free(m.line);
    free(seen);
    pool_free(p);
    return e;
}

void rj_openings_write(const rj_opening *lines, int variants, int want, text_buf *out)
{
    text_append(out,
                "// Even openings, written by `keiko tune renju-openings`: do not edit. See docs/lab/renju-engine.md.\n"
                "#include \"games/renju/renju_game.h\"\n\n// clang-format off\n");
    for (int v = 0; v < variants; v++) {
        text_printf(out, "const char rj_even_%s[] =\n", rj_variants[v].name);
        for (int i = 0; i < want; i++) {
            const rj_opening *o = &lines[v * want + i];
            text_printf(out, "%s\"", i % 4 == 0 ? "   " : " ");
            for (int k = 0; k < o->n; k++) {
                char point[8];
                rj_point_print(rj_variants[v].size, o->move[k], point, sizeof point);
                text_printf(out, "%s%s", k == 0 ? "" : ";", point);
            }
            text_printf(out, "\\n\"%s", i == want - 1 ? ";\n" : i % 4 == 3 ? "\n" : "");
        }
    }
    text_append(out, "// clang-format on\n");
}
