// A learner whose games come from elsewhere: what it gives away, what it takes, what it writes into its log and its checkpoint. The
// other side is a list of made-up games.
#include "base/temp_dir.h"
#include "learn/zero/az.h"
#include "learn/zero/games.h"
#include "random_samples.h"
#include "run/run_log.h"

#include <inttypes.h>
#include <math.h>

enum { PER_ROUND = 6 };

typedef struct elsewhere {
    const samples_shape *sh;
    uint64_t calls, waits, games, positions, sims, plies, wins, draws; // given away so far
    double entropy;                                                    // of their targets
    uint64_t targets;
    uint64_t sent[64]; // steps of the weights
    int n_sent, saves, saved, begins;
    char state[32], *config;
    bool came_back; // `begin` had the state of a checkpoint
} elsewhere;

static err begin(void *ctx, const samples_shape *sh, const char *config, const char *state, size_t size)
{
    elsewhere *w = ctx;
    w->sh = sh;
    w->begins++;
    free(w->config);
    w->config = strdup(config);
    w->came_back = state != NULL;
    if (state != NULL) {
        assert_int_equal(size, strlen(w->state));
        assert_memory_equal(state, w->state, size);
    }
    return ERR_OK;
}

static err take(void *ctx, double wait, finished_game *g, bool *got)
{
    elsewhere *w = ctx;
    *got = w->calls % (PER_ROUND + 1) != PER_ROUND;
    if (w->calls % (PER_ROUND + 1) == 0) assert_true(wait > 0); // the first game of a round is waited for
    w->waits += wait > 0;
    w->calls++;
    if (!*got) return ERR_OK;
    *g = (finished_game){.id = w->games,
                         .plies = (uint16_t)(5 + w->games % 5),
                         .halves = (uint8_t)(w->games % 3),
                         .sims = 100 + w->games};
    fill(&g->s, w->sh, 4 + w->games % 3, w->games, 1000000); // of weights that are younger than the learner
    w->games++;
    w->positions += g->s.n;
    w->sims += g->sims;
    w->plies += g->plies;
    w->wins += g->halves == 2;
    w->draws += g->halves == 1;
    w->targets += g->s.n;
    for (size_t k = 0; k < g->s.moves; k++) {
        double p = g->s.prob[k] / 65535.0;
        if (p > 0) w->entropy -= p * log(p);
    }
    return ERR_OK;
}

static err weights(void *ctx, const nn_net *net, uint64_t step)
{
    elsewhere *w = ctx;
    assert_non_null(net);
    assert_true(w->n_sent < 64);
    w->sent[w->n_sent++] = step;
    return ERR_OK;
}

static err save(void *ctx, text_buf *out)
{
    elsewhere *w = ctx;
    snprintf(w->state, sizeof w->state, "saved %d", ++w->saves);
    text_append(out, w->state);
    return ERR_OK;
}

static bool due(void *ctx)
{
    (void)ctx;
    return false;
}

static err saved(void *ctx)
{
    elsewhere *w = ctx;
    w->saved++;
    return ERR_OK;
}

static bool compare(void *ctx, const train_state *s)
{
    const elsewhere *w = ctx;
    assert_int_equal(s->games, w->games);
    assert_int_equal(s->positions, w->positions);
    assert_int_equal(s->sims, w->sims);
    assert_true(s->games <= PER_ROUND * s->round);
    return true;
}

static void train(elsewhere *w, const char *dir, az_config *c, int64_t steps, double every, bool resume)
{
    const game *g;
    run_home *home;
    train_end how;
    assert_ok(game_find("tictactoe", &g));
    assert_ok(run_open(&home, &(run_options){.dir = dir,
                                             .game = g->name,
                                             .algo = "zero",
                                             .resume = resume,
                                             .opts = az_opts,
                                             .n_opts = az_n_opts,
                                             .values = c,
                                             .no_events = true}));
    c->common.steps = steps;
    const train_remote r = {w, false, every, begin, take, weights, save, due, saved};
    assert_ok(
        az_train(&(train_options){.g = g, .home = home, .remote = &r, .each = compare, .ctx = w}, c, NULL, NULL, &how));
    assert_int_equal(how, TRAIN_LIMIT);
    run_close(home);
}

static void logged(const run_book *book, const char *name, double want)
{
    double got = run_book_last_value(book, "selfplay", name);
    if (!(fabs(got - want) < 1e-4)) fail_msg("%s: %g, not %g", name, got, want);
}

static void games_come_from_elsewhere(void **state)
{
    (void)state;
    char dir[64], run[100];
    az_config c = {0};
    opt_values *keep = opt_keep();
    elsewhere w = {0};
    run_book *book;
    assert_non_null(temp_dir_make(dir));
    snprintf(run, sizeof run, "%s/run", dir);
    assert_ok(opt_defaults(az_opts, az_n_opts, &c));
    assert_ok(opt_pairs(az_opts, az_n_opts, &c,
                        "net='c=8 b=1',in-flight=8,sims=8,fill=60,batch=16,samples=1,threads=1,backend=cpu,"
                        "buffer-min=100,buffer-max=1000,eval-every=0,checkpoint=0",
                        "remote", keep));
    train(&w, run, &c, 12, 0, false);
    assert_int_equal(w.begins, 1);
    assert_false(w.came_back);
    assert_non_null(strstr(w.config, "sims = 8\n"));
    assert_null(strstr(w.config, "threads")); // a matter of this machine
    assert_true(w.n_sent >= 3);
    assert_int_equal(w.sent[0], 0); // before anything is learned
    for (int i = 1; i < w.n_sent; i++) assert_true(w.sent[i] > w.sent[i - 1] && w.sent[i] <= 12);
    assert_true(w.saves >= 1 && w.saved == w.saves);
    assert_true(w.waits < w.calls / 2); // the others are not
    assert_ok(run_book_read(&book, run));
    logged(book, "games", (double)w.games);
    logged(book, "positions", (double)w.positions);
    logged(book, "length", (double)w.plies / (double)w.games);
    logged(book, "first_wins", (double)w.wins / (double)w.games);
    logged(book, "draws", (double)w.draws / (double)w.games);
    logged(book, "entropy", w.entropy / (double)w.targets);
    assert_true(run_book_last_value(book, "selfplay", "sims_s") > 0);
    assert_true(isnan(run_book_last_value(book, "selfplay", "batch_fill"))); // the workers' evaluators have these
    assert_true(isnan(run_book_last_value(book, "selfplay", "cache_hits")));
    run_book_free(book);
    // the state comes back, and weights are given away at most so often
    uint64_t games = w.games;
    w.n_sent = 0;
    train(&w, run, &c, 40, 3600, true);
    assert_int_equal(w.begins, 2);
    assert_true(w.came_back);
    assert_true(w.games > games);
    assert_int_equal(w.n_sent, 1);
    assert_int_equal(w.sent[0], 12);
    free(w.config);
    opt_free(keep);
    temp_dir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(games_come_from_elsewhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
