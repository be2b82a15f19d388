// The proof at the end of `keiko doctor`: tic-tac-toe from zero, judged by the exact solution of the game.
//
// Raw play is the network's favourite move in each of the 4,520 positions that are not over, without search; a move is right
// when it keeps the position's exact result. The untrained network has the same seed, so the two figures are one run's.
#include "app/doctor.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "learn/zero/az.h"
#include "learn/zero/perfect.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SEED = 1, SIMS = 25, CACHE = 1 << 22 }; // searches meet the same few positions again and again

#define ENOUGH 0.995 // of the positions: then it stops
#define NEAR   0.99  // what a healthy machine reaches
#define LOOK   1.0   // seconds between looks

typedef struct lesson {
    const game *g;
    perfect *truth;
    evaluator *evaluator; // with weights of its own: looking must not disturb the run
    const doctor_options *o;
    double begun, looked, limit;
    char text[120]; // what it found last
    perfect_score best;
    err failed;
} lesson;

static double share(const perfect_score *s)
{
    return s->positions > 0 ? (double)s->right / (double)s->positions : 0.0;
}

static err look(lesson *l, const nn_net *net, perfect_score *out)
{
    err e = evaluator_update(l->evaluator, net);
    return e == ERR_OK ? perfect_raw(l->truth, l->evaluator, out) : e;
}

static bool after_round(void *ctx, const train_state *z)
{
    lesson *l = ctx;
    double now = clock_seconds();
    if (l->o->training != NULL) l->o->training(l->o->ctx, now - l->begun, l->text);
    if (z->step == 0 || now - l->looked < LOOK) return true;
    perfect_score s;
    l->looked = now;
    l->failed = look(l, z->net, &s);
    if (l->failed != ERR_OK) return false;
    l->best = s;
    snprintf(l->text, sizeof l->text, "step %" PRIu64 "  loss %.3f  raw play %.1f %% perfect", z->step, z->loss,
             100.0 * share(&s));
    return share(&s) < ENOUGH && now - l->begun < l->limit;
}

// `got`: the share of its cores that the process had.
static void say_time(doctor *d, const train_state *z, double got)
{
    double all = z->seconds_play + z->seconds_learn + z->seconds_rate + z->seconds_save;
    if (!(all > 0.0)) return;
    doctor_say(d, DOCTOR_PLAIN, "time", "self-play %.0f %%, learning %.0f %%", 100.0 * z->seconds_play / all,
               100.0 * z->seconds_learn / all);
    doctor_say(d, DOCTOR_PLAIN, "rates", "%.0f games/s, %.0f positions/s, %.0f simulations/s, %.0f steps/s",
               (double)z->games / all, (double)z->positions / all, (double)z->sims / fmax(1e-9, z->seconds_play),
               (double)z->step / fmax(1e-9, z->seconds_learn));
    doctor_say(d, DOCTOR_PLAIN, "evaluator", "batches %.0f %% full, %.0f %% of positions from the cache",
               100.0 * z->batch_fill, 100.0 * z->cache_hits);
    bool starved = got < 0.6;
    if (starved)
        doctor_say(d, DOCTOR_NOTE, "cores", "other programs took part of them: this one had %.0f %%", 100.0 * got);
    const char *limit = starved ? "other programs on this machine"
                        : z->seconds_learn > z->seconds_play
                            ? "training steps (fewer --samples, a smaller network, a GPU)"
                        : z->cache_hits > 0.5 ? "the trees: most positions come from the cache"
                        : z->batch_fill < 0.7 ? "half-empty batches (more games --in-flight)"
                                              : "the network's evaluations (more cores, a GPU, a smaller network)";
    doctor_say(d, DOCTOR_PLAIN, "what limits", "%s", limit);
}

static err prepare(lesson *l, az_config *c, opt_values *keep, nn_net **fresh)
{
    const encoding *enc;
    nn_desc desc;
    err e = game_find("tictactoe", &l->g);
    if (e == ERR_OK) e = az_config_make(c, l->g, "fast", NULL, 0, keep);
    if (e == ERR_OK) e = game_encoding(l->g, c->encoding, &enc);
    if (e == ERR_OK) e = az_net_desc(c, l->g, enc, &desc);
    if (e == ERR_OK) e = nn_net_new(fresh, &desc, SEED);
    if (e == ERR_OK)
        e = evaluator_new(&l->evaluator, l->g, *fresh,
                          &(eval_options){.backend = "cpu", .encoding = enc->name, .cache = CACHE});
    if (e == ERR_OK) e = perfect_new(&l->truth, l->g, 100000);
    return e;
}

static err learn(doctor *d, lesson *l, az_config *c, const nn_net *fresh)
{
    perfect_score before, after = {0}, searched = {0};
    train_state z;
    train_end how;
    nn_net *net = NULL;
    char time[CLOCK_TEXT];
    err e = look(l, fresh, &before);
    if (e != ERR_OK) return e;
    doctor_say(d, DOCTOR_PLAIN, "untrained", "the raw network plays %zu of %zu positions perfectly (%.1f %%)",
               before.right, before.positions, 100.0 * share(&before));
    double cpu_before = clock_cpu_seconds();
    l->begun = l->looked = clock_seconds();
    l->limit = d->o->seconds;
    c->common.seed = SEED;
    c->common.threads = d->o->threads;
    c->common.minutes = d->o->seconds / 60.0;
    e = az_train(&(train_options){.g = l->g, .each = after_round, .ctx = l}, c, &z, &net, &how);
    double took = clock_seconds() - l->begun, cpu = clock_cpu_seconds() - cpu_before;
    int threads = d->o->threads > 0 ? d->o->threads : cpu_count();
    if (e == ERR_OK) e = l->failed;
    if (e == ERR_OK) e = look(l, net, &after);
    if (e == ERR_OK) e = perfect_search(l->truth, l->evaluator, &(mcts_options){.no_solver = true}, SIMS, &searched);
    if (e == ERR_OK) {
        bool good = share(&after) >= NEAR;
        doctor_say(d, good ? DOCTOR_OK : DOCTOR_BAD, "trained",
                   "%zu of %zu (%.1f %%) after %s: %" PRIu64 " games, %" PRIu64 " steps", after.right, after.positions,
                   100.0 * share(&after), clock_duration(took, time), z.games, z.step);
        doctor_say(d, DOCTOR_PLAIN, "with search", "%zu of %zu with %d simulations per move (%zu mistakes)",
                   searched.right, searched.positions, SIMS, searched.positions - searched.right);
        say_time(d, &z, cpu / (took * threads));
    }
    nn_net_free(net);
    return e;
}

void doctor_learn(doctor *d)
{
    lesson l = {.o = d->o};
    az_config c;
    nn_net *fresh = NULL;
    opt_values *keep = opt_keep();
    d->section = "Learning tic-tac-toe from zero";
    err e = keep == NULL ? err_set(ERR_MEMORY, "out of memory") : prepare(&l, &c, keep, &fresh);
    if (e == ERR_OK) e = learn(d, &l, &c, fresh);
    if (e == ERR_STOPPED)
        doctor_say(d, DOCTOR_NOTE, "stopped", "before it was done");
    else if (e != ERR_OK)
        doctor_say(d, DOCTOR_BAD, "failed", "%s", err_text());
    nn_net_free(fresh);
    evaluator_free(l.evaluator);
    perfect_free(l.truth);
    opt_free(keep);
}
