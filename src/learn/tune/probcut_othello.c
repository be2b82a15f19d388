// Measuring the spread of search values. See probcut_othello.h.
#include "learn/tune/probcut_othello.h"

#include "base/rng.h"
#include "base/stop.h"
#include "search/othello/oth_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPENING_FEW = 4, // random plies at the start, at least …
    OPENING_MANY = 16,
    STRAY = 12, // one move in this many is random later too
    GAME_DEPTH = 3,
    PLAIN = 8,      // depth up to which no shallow search cuts
    SURE_ABOVE = 3, // how sure cuts are above it
    HASH = 18,
    UNKNOWN = 127,
};

typedef struct values {
    int8_t at[OTH_SPREAD_STAGES][OTH_SPREAD_DEPTH + 1]; // by depth; UNKNOWN
} values;

typedef struct job {
    const probcut_options *o;
    oth_engine **engine; // [threads]
    values *game;        // [games]
} job;

static int pick(uint64_t moves, rng *r)
{
    for (uint32_t k = rng_below(r, (uint32_t)oth_count(moves)); k > 0; k--) moves &= moves - 1;
    return __builtin_ctzll(moves);
}

static void measure(const job *j, oth_engine *e, oth_board b, int8_t *at)
{
    int empties = oth_count(oth_empty(b)), units = oth_eval(j->o->weights, b);
    int now = (int)lround((double)units / OTH_EVAL_UNIT);
    oth_engine_clear(e);
    at[0] = (int8_t)(now < -62 ? -62 : now > 62 ? 62 : now);
    for (int depth = 1; depth <= j->o->depth && depth < empties && !stop_requested(); depth++) {
        oth_found f;
        oth_limits l = {.depth = depth, .sure = depth <= PLAIN ? OTH_LIMITS_PLAIN : SURE_ABOVE};
        oth_engine_search(e, b, &l, &f);
        at[depth] = (int8_t)f.move[0].score;
    }
}

static void game_task(void *ctx, int task, int worker)
{
    job *j = ctx;
    rng r = rng_at(j->o->seed, (uint64_t)task, 0);
    oth_engine *e = j->engine[worker];
    values *v = &j->game[task];
    memset(v, UNKNOWN, sizeof *v);
    int want[OTH_SPREAD_STAGES], opening = OPENING_FEW + (int)rng_below(&r, OPENING_MANY - OPENING_FEW);
    for (int s = 0; s < OTH_SPREAD_STAGES; s++)
        want[s] = OTH_SPREAD_EMPTIES * s + (int)rng_below(&r, OTH_SPREAD_EMPTIES);
    oth_board b = oth_start();
    for (int ply = 0; !oth_over(b) && !stop_requested(); ply++) {
        uint64_t moves = oth_moves(b);
        int empties = oth_count(oth_empty(b)), stage = empties / OTH_SPREAD_EMPTIES;
        if (moves == 0) {
            b = oth_pass(b);
            continue;
        }
        if (ply >= OPENING_FEW && stage < OTH_SPREAD_STAGES && empties == want[stage]) measure(j, e, b, v->at[stage]);
        int sq = pick(moves, &r);
        if (ply >= opening && rng_below(&r, STRAY) != 0) {
            oth_found f;
            oth_engine_clear(e);
            oth_engine_search(e, b, &(oth_limits){.depth = GAME_DEPTH, .sure = OTH_LIMITS_PLAIN}, &f);
            sq = f.move[0].sq;
        }
        b = oth_play(b, sq);
    }
    progress_tick(j->o->bar, 1);
}

// The mean and the root mean square over the stage and its neighbours, which count half; a stage without positions takes
// over theirs.
static double spread_at(const job *j, int stage, int depth, int probe, double *mean)
{
    double n = 0, sum = 0, squares = 0;
    for (int s = stage - 1; s <= stage + 1; s++) {
        if (s < 0 || s >= OTH_SPREAD_STAGES) continue;
        for (int g = 0; g < j->o->games; g++) {
            int a = j->game[g].at[s][depth], b = j->game[g].at[s][probe], weight = s == stage ? 2 : 1;
            if (a == UNKNOWN || b == UNKNOWN) continue;
            n += weight;
            sum += weight * (a - b);
            squares += weight * (a - b) * (a - b);
        }
    }
    *mean = n > 0 ? sum / n : 0;
    return n > 0 ? sqrt(squares / n) : 0;
}

static void fill_table(const job *j, oth_spread_table *out)
{
    double mean;
    memset(out, 0, sizeof *out);
    for (int s = 0; s < OTH_SPREAD_STAGES; s++) {
        double v = spread_at(j, s, 1, 0, &mean);
        out->tempo[s] = (int8_t)lround(fmax(-7, fmin(7, mean)) * OTH_SPREAD_UNIT);
        out->of[s][1][0] = (uint8_t)lround(fmin(15, sqrt(v * v - mean * mean)) * OTH_SPREAD_UNIT);
    }
    for (int s = OTH_SPREAD_STAGES - 1; s >= 0;
         s--) // few empties leave no deep searches: the stage above lends its own
        for (int depth = 1; depth <= OTH_SPREAD_DEPTH; depth++)
            for (int probe = depth & 1; probe < depth; probe += 2) {
                int down = depth > j->o->depth ? (depth - j->o->depth + 1) & ~1 : 0;
                double v = spread_at(j, s, depth - down, probe > down ? probe - down : probe & 1, &mean);
                long units = lround(v * OTH_SPREAD_UNIT);
                if (units == 0 && s + 1 < OTH_SPREAD_STAGES) units = out->of[s + 1][depth][probe];
                out->of[s][depth][probe] = (uint8_t)(units > 255 ? 255 : units);
            }
}

err probcut_othello(const probcut_options *o, oth_spread_table *out)
{
    int threads = pool_threads(o->threads);
    job j = {.o = o};
    j.engine = calloc((size_t)threads, sizeof *j.engine);
    j.game = calloc((size_t)o->games + 1, sizeof *j.game);
    err e = j.engine && j.game ? ERR_OK : err_set(ERR_MEMORY, "no memory for %d games", o->games);
    for (int i = 0; e == ERR_OK && i < threads; i++)
        e = oth_engine_new(&j.engine[i], &(oth_engine_options){.hash = HASH, .weights = o->weights});
    if (e == ERR_OK) {
        pool_run(o->threads, o->games, game_task, &j);
        e = stop_check();
    }
    if (e == ERR_OK) fill_table(&j, out);
    for (int i = 0; j.engine != NULL && i < threads; i++) oth_engine_free(j.engine[i]);
    free(j.engine);
    free(j.game);
    return e;
}

err probcut_write(const oth_spread_table *t, int games, text_buf *out)
{
    text_printf(out,
                "// Made by keiko tune othello-probcut from %d games. See oth_spread.h.\n"
                "#include \"search/othello/oth_spread.h\"\n\n"
                "// clang-format off\nconst oth_spread_table oth_spread = {\n    .tempo = {",
                games);
    for (int s = 0; s < OTH_SPREAD_STAGES; s++) text_printf(out, "%s%d", s > 0 ? ", " : "", t->tempo[s]);
    text_printf(out, "},\n    .of = {\n");
    for (int s = 0; s < OTH_SPREAD_STAGES; s++) {
        text_printf(out, "    { // %d to %d empties\n", OTH_SPREAD_EMPTIES * s, OTH_SPREAD_EMPTIES * (s + 1) - 1);
        for (int depth = 0; depth <= OTH_SPREAD_DEPTH; depth++) {
            text_printf(out, "        {");
            for (int probe = 0; probe < OTH_SPREAD_DEPTH; probe++)
                text_printf(out, "%s%d", probe > 0 ? ", " : "", t->of[s][depth][probe]);
            text_printf(out, "},\n");
        }
        text_printf(out, "    },\n");
    }
    text_printf(out, "    },\n};\n");
    return text_check(out);
}
