// labels: threads
// The evaluator: what it says must not depend on batch, cache, queue or threads, and must be what the network says.
#include "base/clock.h"
#include "base/cpu.h"
#include "eval/cache.h"
#include "eval/eval.h"
#include "eval/eval_inner.h"
#include "games/game.h"
#include "nn/quant.h"
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

enum { POSITIONS = 96 };

typedef struct positions { // random ones of a game, with their moves and room for answers
    const game *g;
    char *states;
    const void *obs[POSITIONS];
    const move_t *moves[POSITIONS];
    int n_moves[POSITIONS];
    float *priors[POSITIONS];
    float values[POSITIONS], margins[POSITIONS];
    move_t *move_mem;
    float *prior_mem;
} positions;

static void positions_make(positions *p, const game *g, uint64_t seed)
{
    size_t each = (size_t)g->max_legal;
    p->g = g;
    p->states = calloc(POSITIONS, g->state_size);
    p->move_mem = calloc(POSITIONS * each, sizeof *p->move_mem);
    p->prior_mem = calloc(POSITIONS * each, sizeof *p->prior_mem);
    int n = 0;
    for (uint32_t i = 0; n < POSITIONS; i++) {
        char *s = p->states + (size_t)n * g->state_size;
        rng r = rng_at(seed, i, 0);
        assert_ok(g->init(s, "", (game_key){seed, i}));
        game_random_playout(g, s, &r, (int)rng_below(&r, 40));
        if (g->result(s).over) continue;
        p->obs[n] = s;
        p->moves[n] = p->move_mem + (size_t)n * each;
        p->n_moves[n] = g->legal(s, p->move_mem + (size_t)n * each);
        p->priors[n] = p->prior_mem + (size_t)n * each;
        n++;
    }
    memset(p->values, 0, sizeof p->values);
    memset(p->margins, 0, sizeof p->margins);
}

static void positions_free(positions *p)
{
    free(p->states);
    free(p->move_mem);
    free(p->prior_mem);
}

static mcts_batch part_of(positions *p, int first, int n)
{
    return (mcts_batch){.n = n,
                        .obs = p->obs + first,
                        .moves = p->moves + first,
                        .n_moves = p->n_moves + first,
                        .priors = p->priors + first,
                        .values = p->values + first,
                        .margins = p->margins + first};
}

static void assert_same(const positions *a, const positions *b)
{
    assert_memory_equal(a->values, b->values, sizeof a->values);
    assert_memory_equal(a->margins, b->margins, sizeof a->margins);
    for (int i = 0; i < POSITIONS; i++)
        assert_memory_equal(a->priors[i], b->priors[i], (size_t)a->n_moves[i] * sizeof(float));
}

static const struct {
    const char *game, *net;
} cases[] = {
    {"tictactoe", "planes=2 size=3x3 c=16 b=1 policy=2:9 value=1:16"},
    {"othello", "planes=3 size=8x8 c=32 b=2 policy=2:65 scalar=1:8:1 value=1:32"},
    {"contrast", "planes=32 scalars=34 size=5x5 c=32 b=2 policy=4:625 policy=2:51 value=1:16"},
};
enum { CASES = sizeof cases / sizeof *cases };

static const game *open_case(int i, nn_net **net)
{
    const game *g;
    nn_desc d;
    assert_ok(game_find(cases[i].game, &g));
    assert_ok(nn_desc_parse(cases[i].net, &d));
    assert_ok(nn_net_new(net, &d, 7));
    return g;
}

// Heads stand in any order; one that is the first of all is a head too.
static void a_margin_may_be_the_first_head(void **unused)
{
    (void)unused;
    static const char *const nets[] = {"planes=3 size=8x8 c=16 b=1 scalar=1:8:1 value=1:8 policy=2:65",
                                       "planes=3 size=8x8 c=16 b=1 value=1:8 policy=2:65 scalar=1:8:1"};
    const game *g;
    assert_ok(game_find("othello", &g));
    for (int c = 0; c < 2; c++) {
        nn_desc d;
        nn_net *net;
        nn_infer *h;
        evaluator *e;
        positions p;
        uint64_t bits[64];
        float scalars[64], out[100];
        uint16_t index[2];
        assert_ok(nn_desc_parse(nets[c], &d));
        assert_ok(nn_net_new(&net, &d, 7));
        assert_ok(nn_backend_cpu.infer_new(&h, net, NULL));
        assert_ok(evaluator_new(&e, g, net, NULL));
        assert_true(evaluator_margins(e));
        positions_make(&p, g, 11);
        mcts_batch b = part_of(&p, 0, POSITIONS);
        evaluator_mcts(e).eval(evaluator_mcts(e).ctx, &b);
        for (int i = 0; i < POSITIONS; i++) {
            g->encodings[0].encode(&p.obs[i], 1, bits, scalars);
            assert_ok(nn_backend_cpu.infer_run(h, 1, bits, scalars, out));
            assert_float_equal(p.margins[i], out[c == 0 ? 0 : 66], 0);
            assert_float_equal(p.values[i], out[c == 0 ? 1 : 0], 0);
            g->heads(p.obs[i], &p.moves[i][0], 1, index);
            assert_float_equal(p.priors[i][0], out[(c == 0 ? 2 : 1) + index[0]], 0);
        }
        positions_free(&p);
        evaluator_free(e);
        nn_backend_cpu.infer_free(h);
        nn_net_free(net);
    }
}

// Against the network itself, by hand: encode, run, add the heads.
static void says_what_the_network_says(void **unused)
{
    (void)unused;
    for (int c = 0; c < CASES; c++) {
        nn_net *net;
        const game *g = open_case(c, &net);
        const nn_desc *d = &net->desc;
        positions p;
        positions_make(&p, g, 11);
        evaluator *e;
        assert_ok(evaluator_new(&e, g, net, &(eval_options){.max_batch = 16}));
        mcts_evaluator m = evaluator_mcts(e);
        mcts_batch b = part_of(&p, 0, POSITIONS);
        m.eval(m.ctx, &b);
        assert_int_equal(evaluator_margins(e), strstr(cases[c].net, "scalar=") != NULL);

        nn_infer *h;
        uint64_t bits[64];
        float scalars[64], *out = malloc((size_t)nn_out_size(d) * sizeof *out);
        uint16_t index[2];
        assert_ok(nn_backend_cpu.infer_new(&h, net, NULL));
        for (int i = 0; i < POSITIONS; i++) {
            g->encodings[0].encode(&p.obs[i], 1, bits, scalars);
            assert_ok(nn_backend_cpu.infer_run(h, 1, bits, scalars, out));
            assert_float_equal(p.values[i], out[nn_out_size(d) - 1], 0); // the value head is the last
            float margin = evaluator_margins(e) ? out[nn_out_size(d) - 2] : 0;
            assert_float_equal(p.margins[i], margin, 0);
            for (int k = 0; k < p.n_moves[i]; k++) {
                g->heads(p.obs[i], &p.moves[i][k], 1, index);
                float sum = out[index[0]];
                if (g->n_heads == 2) sum += out[g->head_dim[0] + index[1]];
                assert_float_equal(p.priors[i][k], sum, 0);
            }
        }
        nn_backend_cpu.infer_free(h);
        free(out);
        evaluator_free(e);
        positions_free(&p);
        nn_net_free(net);
    }
}

// Where the backend takes the softmax (a GPU does): the same numbers as the logits' softmax here.
static void priors_are_the_softmax(void **unused)
{
    (void)unused;
    for (int c = 0; c < CASES; c++) {
        nn_net *net;
        const game *g = open_case(c, &net);
        positions a, b;
        positions_make(&a, g, 6);
        positions_make(&b, g, 6);
        evaluator *x, *y;
        assert_ok(evaluator_new(&x, g, net, NULL));
        assert_ok(evaluator_new(&y, g, net, &(eval_options){.priors = true, .max_batch = 20, .cache = 1 << 20}));
        assert_true(evaluator_logits(x));
        assert_false(evaluator_logits(y));
        mcts_evaluator ex = evaluator_mcts(x), ey = evaluator_mcts(y);
        mcts_batch p = part_of(&a, 0, POSITIONS), q = part_of(&b, 0, POSITIONS);
        ex.eval(ex.ctx, &p);
        for (int round = 0; round < 2; round++) { // the second one from the cache
            ey.eval(ey.ctx, &q);
            for (int i = 0; i < POSITIONS; i++) {
                double sum = 0;
                for (int k = 0; k < a.n_moves[i]; k++) sum += exp((double)a.priors[i][k]);
                for (int k = 0; k < a.n_moves[i]; k++)
                    assert_true(fabs(exp((double)a.priors[i][k]) / sum - (double)b.priors[i][k]) < 1e-5);
                assert_float_equal(a.values[i], b.values[i], 0);
                assert_float_equal(a.margins[i], b.margins[i], 0);
            }
        }
        evaluator_free(x);
        evaluator_free(y);
        positions_free(&a);
        positions_free(&b);
        nn_net_free(net);
    }
}

static void batch_and_cache_change_nothing(void **unused)
{
    (void)unused;
    for (int c = 0; c < CASES; c++) {
        nn_net *net;
        const game *g = open_case(c, &net);
        positions a, b;
        positions_make(&a, g, 5);
        positions_make(&b, g, 5);
        evaluator *plain, *cached;
        assert_ok(evaluator_new(&plain, g, net, &(eval_options){.max_batch = POSITIONS}));
        assert_ok(evaluator_new(&cached, g, net, &(eval_options){.max_batch = 7, .cache = 1 << 20}));
        mcts_evaluator x = evaluator_mcts(plain), y = evaluator_mcts(cached);
        mcts_batch all = part_of(&a, 0, POSITIONS);
        x.eval(x.ctx, &all);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < POSITIONS; i++) {
                memset(b.priors[i], 0, (size_t)b.n_moves[i] * sizeof(float));
                b.values[i] = 0;
            }
            for (int i = 0; i < POSITIONS; i += 1 + round * 13) {
                mcts_batch some = part_of(&b, i, i + 1 + round * 13 <= POSITIONS ? 1 + round * 13 : POSITIONS - i);
                y.eval(y.ctx, &some);
            }
            assert_same(&a, &b);
        }
        eval_stats s = evaluator_statistics(cached);
        assert_int_equal(s.positions, 3 * POSITIONS);
        assert_true(s.hits >= 2 * POSITIONS - 12); // all but the first round, and a few that pushed each other out
        assert_int_equal(s.run + s.hits, s.positions);

        // New weights: the cache must forget.
        nn_net *other;
        assert_ok(nn_net_new(&other, &net->desc, 8));
        assert_ok(evaluator_update(plain, other));
        assert_ok(evaluator_update(cached, other));
        float before = a.values[0];
        mcts_batch rest = part_of(&b, 0, POSITIONS);
        x.eval(x.ctx, &all);
        y.eval(y.ctx, &rest);
        assert_same(&a, &b);
        assert_true(a.values[0] != before);
        nn_net_free(other);
        evaluator_free(plain);
        evaluator_free(cached);
        positions_free(&a);
        positions_free(&b);
        nn_net_free(net);
    }
}

typedef struct caller {
    evaluator *e;
    positions p;
    pthread_t thread;
} caller;

static void *call_often(void *ctx)
{
    caller *c = ctx;
    mcts_evaluator m = evaluator_mcts(c->e);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < POSITIONS; i += 3) {
            mcts_batch b = part_of(&c->p, i, 3);
            m.eval(m.ctx, &b);
        }
    return NULL;
}

static void threads_and_queue_change_nothing(void **unused)
{
    (void)unused;
    enum { CALLERS = 4 };
    nn_net *net;
    const game *g = open_case(1, &net);
    positions want;
    positions_make(&want, g, 3);
    evaluator *plain;
    assert_ok(evaluator_new(&plain, g, net, NULL));
    mcts_evaluator x = evaluator_mcts(plain);
    mcts_batch all = part_of(&want, 0, POSITIONS);
    x.eval(x.ctx, &all);
    evaluator_free(plain);
    const eval_options how[] = {{.cache = 1 << 18},
                                {.queue = 12, .queue_wait = 0.002},
                                {.queue = 6, .queue_wait = 0.0001, .cache = 1 << 20, .lanes = 2}};
    for (size_t h = 0; h < sizeof how / sizeof *how; h++) {
        evaluator *e;
        caller c[CALLERS];
        assert_ok(evaluator_new(&e, g, net, &how[h]));
        for (int i = 0; i < CALLERS; i++) {
            c[i].e = e;
            positions_make(&c[i].p, g, 3);
        }
        for (int i = 0; i < CALLERS; i++) assert_int_equal(pthread_create(&c[i].thread, NULL, call_often, &c[i]), 0);
        for (int i = 0; i < CALLERS; i++) {
            pthread_join(c[i].thread, NULL);
            assert_same(&want, &c[i].p);
            positions_free(&c[i].p);
        }
        eval_stats s = evaluator_statistics(e);
        assert_int_equal(s.positions, 2 * CALLERS * POSITIONS);
        if (how[h].queue > 0) assert_true(s.deepest >= 1 && s.deepest <= CALLERS);
        assert_ok(evaluator_check(e));
        evaluator_free(e);
    }
    positions_free(&want);
    nn_net_free(net);
}

static void misfits_are_named(void **unused)
{
    (void)unused;
    nn_net *net;
    const game *othello = open_case(1, &net), *contrast, *ttt;
    evaluator *e;
    const encoding *enc;
    assert_ok(game_find("contrast", &contrast));
    assert_ok(game_find("tictactoe", &ttt));
    assert_err(evaluator_new(&e, contrast, net, NULL), "reads boards of 8x8; contrast has 5x5");
    assert_err(evaluator_new(&e, othello, net, &(eval_options){.encoding = "sde"}), "sde");
    assert_err(evaluator_new(&e, othello, net, &(eval_options){.backend = "tpu"}), "tpu");
    assert_ok(eval_fit(othello, net, NULL, &enc));
    assert_string_equal(enc->name, "mask");
    assert_ok(nn_net_set_note(net, "game = othello\nencoding = side\n"));
    assert_ok(eval_fit(othello, net, NULL, &enc));
    assert_string_equal(enc->name, "side");
    assert_ok(nn_net_set_note(net, "game = hex"));
    assert_err(eval_fit(othello, net, NULL, &enc), "trained for hex, not for othello");
    nn_net_free(net);

    const struct {
        const char *net, *says;
    } bad[] = {
        {"planes=2 size=3x3 c=16 b=1 policy=2:10 value=1:16", "policy head 1 has 10 outputs; tictactoe needs 9"},
        {"planes=2 size=3x3 c=16 b=1 policy=2:9 policy=2:9 value=1:16", "2 policy heads; tictactoe needs 1"},
        {"planes=2 size=3x3 c=16 b=1 policy=2:9", "0 value heads"},
        {"planes=5 size=3x3 c=16 b=1 policy=2:9 value=1:16", "5 planes and 0 numbers"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nn_desc d;
        assert_ok(nn_desc_parse(bad[i].net, &d));
        assert_ok(nn_net_new(&net, &d, 1));
        assert_err(evaluator_new(&e, ttt, net, NULL), bad[i].says);
        nn_net_free(net);
    }
}

static void files_are_shared(void **unused)
{
    (void)unused;
    nn_net *net;
    const game *g = open_case(0, &net);
    char path[] = "/tmp/keiko_eval_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_ok(nn_net_save(net, path));
    evaluator *a, *b, *c;
    assert_ok(evaluator_open(&a, g, path, &(eval_options){.cache = 1 << 20}));
    assert_ok(evaluator_open(&b, g, path, &(eval_options){.cache = 1 << 20}));
    assert_ok(evaluator_open(&c, g, path, &(eval_options){.cache = 0}));
    assert_ptr_equal(a, b);
    assert_ptr_not_equal(a, c);
    evaluator_release(a);
    evaluator_release(c);
    evaluator_release(b);
    evaluator_release(NULL);
    remove(path);
    assert_err(evaluator_open(&a, g, path, &(eval_options){.cache = 0}), path);
    assert_err(evaluator_open(&a, g, "no-such-model", &(eval_options){.cache = 0}), "no-such-model");
    nn_net_free(net);
}

static void the_cache_forgets_only_what_it_must(void **unused)
{
    (void)unused;
    eval_cache *c;
    float logits[100], back[100];
    eval_numbers x;
    assert_ok(eval_cache_new(&c, 1 << 20));
    int kept = 0;
    for (int i = 0; i < 20000; i++) {
        for (int k = 0; k < 100; k++) logits[k] = (float)(i + k);
        eval_key key = eval_key_add(eval_key_begin(), &i, sizeof i);
        eval_cache_put(c, key, i % 100, logits, (eval_numbers){(float)i, (float)-i});
        assert_true(eval_cache_get(c, key, i % 100, back, &x));
        assert_float_equal(x.value, (float)i, 0);
        assert_float_equal(x.margin, (float)-i, 0);
        assert_memory_equal(back, logits, (size_t)(i % 100) * sizeof *back);
        assert_false(eval_cache_get(c, key, i % 100 + 1, back, &x)); // the same position, other moves
    }
    for (int i = 0; i < 20000; i++) { // about 4 MB went in: the oldest are gone, and nothing found is wrong
        eval_key key = eval_key_add(eval_key_begin(), &i, sizeof i);
        if (!eval_cache_get(c, key, i % 100, back, &x)) continue;
        kept++;
        assert_float_equal(x.value, (float)i, 0);
        assert_float_equal(x.margin, (float)-i, 0);
        if (i % 100 > 0) assert_float_equal(back[i % 100 - 1], (float)(i + i % 100 - 1), 0);
    }
    assert_in_range(kept, 2500, 6000);
    eval_cache_clear(c);
    for (int i = 0; i < 20000; i += 97)
        assert_false(eval_cache_get(c, eval_key_add(eval_key_begin(), &i, sizeof i), i % 100, back, &x));
    eval_cache_free(c);
}

// Narrow numbers say nearly the same, change with the weights, and are refused where the backend has none such.
static void compare_numbers(void)
{
    nn_net *net, *other;
    const game *g = open_case(0, &net);
    positions a, b;
    positions_make(&a, g, 5);
    positions_make(&b, g, 5);
    evaluator *wide, *narrow, *none;
    assert_ok(evaluator_new(&wide, g, net, &(eval_options){.backend = "cpu", .precision = "f32"}));
    assert_ok(evaluator_new(&narrow, g, net, &(eval_options){.backend = "cpu", .precision = "int8"}));
    assert_ok(nn_net_new(&other, &net->desc, 8));
    mcts_batch x = part_of(&a, 0, POSITIONS), y = part_of(&b, 0, POSITIONS);
    const bool pays = nn_int8_pays(); // else f32 is faster and used instead
    for (int round = 0; round < 2; round++) {
        float most = 0, sum = 0;
        assert_ok(evaluator_raw(wide, &x));
        assert_ok(evaluator_raw(narrow, &y));
        for (int i = 0; i < POSITIONS; i++)
            most = fmaxf(most, fabsf(a.values[i] - b.values[i])), sum += fabsf(a.values[i] - b.values[i]);
        assert_true(most < 0.1f && (sum > 0) == pays); // other numbers, the same network
        assert_ok(evaluator_update(wide, other));
        assert_ok(evaluator_update(narrow, other));
    }
    eval_stats s = evaluator_statistics(narrow);
    assert_true(s.busy > 0 && s.busy <= s.seconds + s.encode + 1 && s.encode > 0);
    assert_err(evaluator_new(&none, g, net, &(eval_options){.backend = "cpu", .precision = "fp8"}), "f32 and int8");
    evaluator_free(wide), evaluator_free(narrow);
    positions_free(&a), positions_free(&b);
    nn_net_free(net), nn_net_free(other);
}

// With and without the instructions that make int8 worth while.
static void narrow_numbers(void **unused)
{
    (void)unused;
    compare_numbers();
    assert_ok(cpu_limit("scalar"));
    assert_false(nn_int8_pays());
    compare_numbers();
    assert_ok(cpu_limit("auto"));
}

// Zero is the default of every option.
static void options_have_defaults(void **state)
{
    (void)state;
    evaluator *e;
    nn_net *net;
    const game *g = open_case(0, &net);
    assert_ok(evaluator_new(&e, g, net, &(eval_options){.queue = 4}));
    assert_true(e->o.queue_wait == 0.0005 && e->o.max_batch > 0 && e->o.lanes > 0);
    evaluator_free(e);
    assert_ok(evaluator_new(&e, g, net, &(eval_options){.queue = 4, .queue_wait = 0.25, .max_batch = 3, .lanes = 2}));
    assert_true(e->o.queue_wait == 0.25 && e->o.max_batch == 3 && e->o.lanes == 2);
    evaluator_free(e);
    nn_net_free(net);
}

// Batches are as large as they may be, and every number of the statistics is exact.
static void batches_are_counted(void **state)
{
    (void)state;
    nn_net *net;
    const game *g = open_case(0, &net);
    positions p;
    positions_make(&p, g, 9);
    int fair = 0;
    static const int most[][2] = {{0, 64}, {-1, 64}, {1, 1}, {2, 2}, {95, 95}, {96, 96}, {97, 97}};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        evaluator *e;
        assert_ok(evaluator_new(&e, g, net, &(eval_options){.backend = "cpu", .max_batch = most[i][0]}));
        mcts_batch b = part_of(&p, 0, POSITIONS);
        double wall = clock_seconds();
        assert_ok(evaluator_raw(e, &b));
        wall = clock_seconds() - wall;
        eval_stats s = evaluator_statistics(e);
        fair += s.seconds + s.encode <= wall && s.seconds + s.encode > 0.3 * wall && s.busy <= wall &&
                s.busy > 0.3 * s.seconds && s.seconds > 0.3 * s.busy;
        int batches = (POSITIONS + most[i][1] - 1) / most[i][1];
        assert_int_equal(s.batches, batches);
        assert_int_equal(s.room, batches * most[i][1]);
        assert_true(s.run == POSITIONS && s.positions == POSITIONS && s.hits == 0 && s.gathered == 0);
        assert_true(s.seconds > 0 && s.seconds < 100 && s.encode > 0 && s.encode < 100 && s.send == 0);
        assert_true(s.busy > 0 && s.busy < 100);
        evaluator_free(e);
    }
    assert_true(fair > 0); // one thread does nothing else; a busy machine may take it away in between
    positions_free(&p);
    nn_net_free(net);
}

static void known_positions_are_answered(void **state)
{
    (void)state;
    nn_net *net;
    const game *g = open_case(1, &net);
    positions p, q;
    positions_make(&p, g, 9);
    positions_make(&q, g, 9);
    evaluator *plain, *e;
    assert_ok(evaluator_new(&plain, g, net, NULL));
    assert_ok(evaluator_new(&e, g, net, &(eval_options){.cache = 1 << 22}));
    mcts_batch b = part_of(&p, 0, POSITIONS), again = part_of(&q, 0, POSITIONS), some = part_of(&p, 10, 20);
    assert_false(evaluator_known(plain, &b, 0, 1)); // without a cache nothing is known
    assert_false(evaluator_known(e, &again, 10, 20));
    assert_int_equal(evaluator_statistics(e).positions, 0);
    mcts_evaluator m = evaluator_mcts(e);
    m.eval(m.ctx, &some);
    uint64_t asked = evaluator_statistics(e).positions, hits = evaluator_statistics(e).hits;
    assert_int_equal(asked, 20);
    assert_true(evaluator_known(e, &again, 10, 20));
    assert_int_equal(evaluator_statistics(e).positions, asked + 20);
    assert_int_equal(evaluator_statistics(e).hits, hits + 20);
    for (int i = 10; i < 30; i++) {
        assert_true(q.values[i] == p.values[i] && q.margins[i] == p.margins[i]);
        assert_memory_equal(q.priors[i], p.priors[i], (size_t)p.n_moves[i] * sizeof(float));
    }
    assert_true(evaluator_known(e, &again, 29, 1));
    assert_true(evaluator_known(e, &again, 50, 0)); // none is asked for
    assert_false(evaluator_known(e, &again, 0, POSITIONS));
    assert_int_equal(evaluator_statistics(e).positions, asked + 21);
    evaluator_free(plain);
    evaluator_free(e);
    positions_free(&p);
    positions_free(&q);
    nn_net_free(net);
}

static void precisions_and_weights(void **state)
{
    (void)state;
    nn_net *net, *other;
    const game *g = open_case(0, &net);
    evaluator *e;
    static const char *const good[] = {"", "auto", "f32", "int8"};
    for (int i = 0; i < 4; i++) {
        assert_ok(evaluator_new(&e, g, net, &(eval_options){.backend = "cpu", .precision = good[i]}));
        assert_int_equal(e->narrow, i == 3 && nn_int8_pays());
        evaluator_free(e);
    }
    assert_err(evaluator_new(&e, g, net, &(eval_options){.backend = "cpu", .precision = "bf16"}),
               "precision 'bf16' is not for the cpu backend, which has f32 and int8");
    assert_ok(evaluator_new(&e, g, net, NULL));
    assert_true(evaluator_logits(e));
    assert_false(evaluator_margins(e));
    (void)open_case(1, &other);
    assert_err(evaluator_update(e, other), "the new weights are of another network");
    nn_net_free(other);
    evaluator_free(e);
    assert_ok(evaluator_new(&e, g, net, &(eval_options){.priors = true}));
    assert_false(evaluator_logits(e));
    evaluator_free(e);
    evaluator_free(NULL);
    nn_net_free(net);
}

static void notes_are_read(void **state)
{
    (void)state;
    char text[8] = "before";
    static const char note[] = "a = 1\ngame = renju\ngamex = 2\nlong = 12345678\nempty = \nlast = end";
    assert_true(eval_note(note, "game", text, sizeof text));
    assert_string_equal(text, "renju");
    assert_true(eval_note(note, "a", text, sizeof text));
    assert_string_equal(text, "1");
    assert_true(eval_note(note, "last", text, sizeof text));
    assert_string_equal(text, "end");
    assert_true(eval_note(note, "empty", text, sizeof text));
    assert_string_equal(text, "");
    assert_false(eval_note(note, "gam", text, sizeof text));
    assert_false(eval_note(note, "ame", text, sizeof text));
    assert_false(eval_note(note, "long", text, sizeof text)); // eight letters need nine bytes
    char more[9];
    assert_true(eval_note(note, "long", more, sizeof more));
    assert_string_equal(more, "12345678");
    assert_false(eval_note(NULL, "a", text, sizeof text));
    assert_false(eval_note("", "a", text, sizeof text));
}

// What is too large is not kept, and small entries fill the ring to its end.
static void the_cache_has_its_size(void **state)
{
    (void)state;
    eval_cache *c;
    eval_numbers x;
    enum { RING = 1 << 14, MOST = RING / 4 / 4 - 8 }; // a quarter of a shard's ring, less the head of 32 bytes
    float *logits = calloc(RING, sizeof *logits), *back = calloc(RING, sizeof *back);
    assert_ok(eval_cache_new(&c, 1)); // the smallest there is
    for (int n = MOST - 4; n <= MOST + 4; n++) {
        eval_key key = eval_key_add(eval_key_begin(), &n, sizeof n);
        eval_cache_put(c, key, n, logits, (eval_numbers){(float)n, 0});
        assert_int_equal(eval_cache_get(c, key, n, back, &x), n <= MOST);
    }
    eval_cache_clear(c);
    // Entries of 64 bytes with keys of one shard: 256 fit, and the newest are always there.
    eval_key key[600];
    int n = 0;
    for (int i = 0; n < 600; i++) {
        key[n] = eval_key_add(eval_key_begin(), &i, sizeof i);
        if (key[n].a >> 58 == 5) n++;
    }
    for (int i = 0; i < 600; i++) {
        logits[0] = (float)i;
        eval_cache_put(c, key[i], 8, logits, (eval_numbers){0, (float)i});
        assert_true(eval_cache_get(c, key[i], 8, back, &x));
        assert_true(back[0] == (float)i && x.margin == (float)i);
        assert_false(eval_cache_get(c, (eval_key){key[i].a, key[i].b + 1}, 8, back, &x)); // half of a key is none
        assert_false(eval_cache_get(c, (eval_key){key[i].a + (1 << 20), key[i].b}, 8, back, &x));
    }
    for (int i = 0; i < 600 - 256; i++) assert_false(eval_cache_get(c, key[i], 8, back, &x));
    eval_cache_free(c);
    eval_cache_free(NULL);
    free(logits);
    free(back);
    // Keys: every byte counts, and so does where a piece ends.
    const char text[] = "0123456789abcdefgh";
    eval_key all = eval_key_add(eval_key_begin(), text, 18);
    for (int i = 0; i < 18; i++) {
        char changed[sizeof text];
        memcpy(changed, text, sizeof text);
        changed[i] ^= 1;
        eval_key other = eval_key_add(eval_key_begin(), changed, 18);
        assert_true(other.a != all.a && other.b != all.b);
        other = eval_key_add(eval_key_add(eval_key_begin(), text, (size_t)i), text + i, (size_t)(18 - i));
        assert_true(other.a != all.a && other.b != all.b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_numbers),
        cmocka_unit_test(says_what_the_network_says),
        WITHOUT_THREADS(a_margin_may_be_the_first_head),
        cmocka_unit_test(priors_are_the_softmax),
        cmocka_unit_test(batch_and_cache_change_nothing),
        cmocka_unit_test(threads_and_queue_change_nothing),
        cmocka_unit_test(misfits_are_named),
        cmocka_unit_test(files_are_shared),
        cmocka_unit_test(the_cache_forgets_only_what_it_must),
        cmocka_unit_test(options_have_defaults),
        WITHOUT_THREADS(batches_are_counted),
        WITHOUT_THREADS(known_positions_are_answered),
        WITHOUT_THREADS(precisions_and_weights),
        WITHOUT_THREADS(notes_are_read),
        WITHOUT_THREADS(the_cache_has_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
