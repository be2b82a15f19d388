// A window of packed samples: what the plain gather makes of it, and, on a GPU, that its kernels make the same to the bit and
// learn from it as from batches of the host. Without a GPU (or in a build without CUDA) those are skipped.
#include "base/rng.h"
#include "nn/backend.h"
#include "nn/gathered.h"
#include "nn/window.h"
#include "test.h"

#if defined(KEIKO_CUDA)
#include "nn/cuda/train_cuda.h"
#include "nn/gpu.h"
#endif

// --- a hand-made one

// A board of 2x2 and its mirror image; moves 0 to 3 are squares, 4 has no square. Kind 1 counts the heads' places backwards.
static void one_by_hand(void **state)
{
    (void)state;
    nn_desc d;
    assert_ok(nn_desc_parse("planes=2 scalars=1 size=2x2 c=16 b=1 policy=1:5 value=1:4 scalar=1:0:1", &d));
    const uint16_t cell[] = {0, 1, 2, 3, 1, 0, 3, 2};
    const uint16_t place[] = {0, 1, 2, 3, 4, 1, 0, 3, 2, 4, 4, 3, 2, 1, 0, 3, 4, 1, 2, 0};
    nn_window_shape w = {.samples = 10, .syms = 2, .kinds = 2, .moves = 5, .cell = cell, .place = place};
    w.number[0] = -1, w.number[1] = 0, w.number[2] = 1, w.scale[2] = 0.5f;
    assert_ok(nn_window_check(&d, &w));
    const uint64_t bits[] = {0x1, 0x6, 0x8, 0x3};
    const float scalars[] = {0.5f, 0.25f}, value[] = {1, -1}, margin[] = {0.125f, -0.125f};
    const uint8_t kind[] = {0, 1};
    const uint32_t start[] = {0, 3, 5};
    const uint16_t move[] = {0, 1, 4, 2, 3}, prob[] = {1, 1, 2, 0, 0};
    nn_packed s = {2, bits, scalars, {value, margin}, kind, start, move, prob};
    assert_ok(nn_packed_check(&w, &s));
    nn_picks p = {3, (const uint64_t[]){7, 8, 7}, (const uint8_t[]){1, 1, 0}};
    nn_gathered g = gathered_new(&d, 3, 8);
    nn_window_gather(&d, &w, 7, &s, &p, &g);
    assert_memory_equal(g.bits, ((const uint64_t[]){0x2, 0x9, 0x4, 0x3, 0x1, 0x6}), 6 * sizeof(uint64_t));
    assert_memory_equal(g.scalars, ((const float[]){0.5f, 0.25f, 0.5f}), 3 * sizeof(float));
    assert_memory_equal(g.target[1], ((const float[]){1, -1, 1}), 3 * sizeof(float));
    assert_memory_equal(g.target[2], ((const float[]){0.125f, -0.125f, 0.125f}), 3 * sizeof(float));
    assert_memory_equal(g.start, ((const uint32_t[]){0, 3, 5, 8}), 4 * sizeof(uint32_t));
    assert_memory_equal(g.index, ((const uint16_t[]){1, 0, 4, 1, 2, 0, 1, 4}), 8 * sizeof(uint16_t));
    assert_memory_equal(g.prob, ((const float[]){0.25f, 0.25f, 0.5f, 0.5f, 0.5f, 0.25f, 0.25f, 0.5f}),
                        8 * sizeof(float));
    w.by_head = true;
    nn_window_gather(&d, &w, 7, &s, &p, &g);
    assert_memory_equal(g.target[0],
                        ((const float[]){0.25f, 0.25f, 0, 0, 0.5f, 0, 0.5f, 0.5f, 0, 0, 0.25f, 0.25f, 0, 0, 0.5f}),
                        15 * sizeof(float));
    assert_memory_equal(g.mask[0], ((const uint8_t[]){1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1}), 15);
    nn_batch b = nn_gathered_batch(&d, &w, 3, &g);
    assert_ok(nn_batch_check(&d, &b));
    assert_true(b.start == NULL && b.head[0].mask == g.mask[0] && b.head[2].scale == 0.5f);
    gathered_free(&g);

    // What does not fit is refused.
    const uint16_t twice[] = {0, 1, 2, 3, 1, 1, 3, 2},
                   outside[] = {0, 1, 2, 3, 5, 1, 0, 3, 2, 4, 4, 3, 2, 1, 0, 3, 4, 1, 2, 0};
    nn_window_shape bad = w;
    bad.cell = twice;
    assert_err(nn_window_check(&d, &bad), "symmetry 1 does not permute");
    bad = w, bad.place = outside;
    assert_err(nn_window_check(&d, &bad), "move 4 has no place");
    bad = w, bad.number[0] = 1;
    assert_err(nn_window_check(&d, &bad), "head 0 cannot learn number 1");
    bad = w, bad.samples = 0;
    assert_err(nn_window_check(&d, &bad), "window of 0 samples");
    // The largest numbers, and one more; one square and one move, so that the tables are small.
    enum { MOST = 65536 };
    uint16_t *zeros = calloc((size_t)256 * 256 + 2 * MOST, sizeof *zeros);
    nn_desc one;
    assert_ok(nn_desc_parse("planes=1 size=1x1 c=16 b=1 policy=1:1 value=1:4", &one));
    nn_window_shape tiny = {.samples = 1, .syms = 1, .kinds = 1, .moves = 1, .cell = zeros, .place = zeros};
    tiny.number[0] = -1;
    assert_ok(nn_window_check(&one, &tiny));
    for (int more = 0; more < 2; more++) {
        const nn_window_shape large[] = {
            {.samples = 1, .syms = 256 + more, .kinds = 1, .moves = 1, .cell = zeros, .place = zeros, .number = {-1}},
            {.samples = 1, .syms = 1, .kinds = 256 + more, .moves = 1, .cell = zeros, .place = zeros, .number = {-1}},
            {.samples = 1, .syms = 1, .kinds = 1, .moves = MOST + more, .cell = zeros, .place = zeros, .number = {-1}},
        };
        for (int i = 0; i < 3; i++) {
            if (more == 0) assert_ok(nn_window_check(&one, &large[i]));
            if (more == 1) assert_err(nn_window_check(&one, &large[i]), "a window of 1 samples");
        }
    }
    for (int i = 0; i < 3; i++) {
        bad = tiny;
        *(i == 0 ? &bad.syms : i == 1 ? &bad.kinds : &bad.moves) = 0;
        assert_err(nn_window_check(&one, &bad), "a window of 1 samples");
    }
    free(zeros);
    bad = w, bad.moves = 4;
    assert_err(nn_packed_check(&bad, &s), "move 4 of 4");
    bad = w, bad.kinds = 1;
    assert_err(nn_packed_check(&bad, &s), "sample 1 is of kind 1");
}

#if defined(KEIKO_CUDA)

// --- random ones

typedef struct house { // all samples that there ever were, and the tables
    nn_desc d;
    nn_window_shape w;
    uint16_t *cell, *place;
    nn_packed s;
    uint64_t *bits;
    float *scalars, *number[2];
    uint8_t *kind;
    uint32_t *start;
    uint16_t *move, *prob;
} house;

static void shuffle(uint16_t *p, int n, rng *r)
{
    for (int i = 0; i < n; i++) p[i] = (uint16_t)i;
    for (int i = n - 1; i > 0; i--) {
        uint32_t k = rng_below(r, (uint32_t)i + 1);
        uint16_t t = p[i];
        p[i] = p[k], p[k] = t;
    }
}

static void house_make(house *a, const char *text, size_t n, uint64_t window, int moves, bool by_head)
{
    *a = (house){0};
    assert_ok(nn_desc_parse(text, &a->d));
    const nn_desc *d = &a->d;
    rng r = rng_at(11, n, (uint32_t)moves);
    enum { SYMS = 8, KINDS = 2, MOVES = 700 };
    int hw = d->rows * d->cols, heads = nn_policy_heads(d);
    a->cell = malloc((size_t)(SYMS * hw) * sizeof *a->cell);
    a->place = malloc((size_t)(KINDS * SYMS * MOVES * heads) * sizeof *a->place);
    for (int s = 0; s < SYMS; s++) shuffle(a->cell + s * hw, hw, &r);
    for (int i = 0, k = 0; i < KINDS * SYMS * MOVES; i++)
        for (int h = 0; h < d->n_heads; h++)
            if (d->head[h].kind == NN_POLICY) a->place[k++] = (uint16_t)rng_below(&r, (uint32_t)d->head[h].out);
    a->w = (nn_window_shape){.samples = window,
                             .syms = SYMS,
                             .kinds = KINDS,
                             .moves = MOVES,
                             .cell = a->cell,
                             .place = a->place,
                             .by_head = by_head};
    for (int h = 0; h < d->n_heads; h++) {
        bool one = d->head[h].kind == NN_VALUE || (d->head[h].kind == NN_SCALAR && d->head[h].out == 1);
        a->w.number[h] = !one ? -1 : d->head[h].kind == NN_SCALAR;
        a->w.scale[h] = one ? 0.75f : 0;
    }
    size_t words = n * nn_in_bits(d), per = (size_t)nn_words(d), total = 0;
    a->bits = malloc(words * sizeof *a->bits);
    a->scalars = malloc(n * (size_t)d->scalars * sizeof *a->scalars + 1);
    a->start = malloc((n + 1) * sizeof *a->start);
    a->kind = malloc(n);
    for (int k = 0; k < 2; k++) a->number[k] = malloc(n * sizeof(float));
    a->move = malloc(n * (size_t)moves * sizeof *a->move), a->prob = malloc(n * (size_t)moves * sizeof *a->prob);
    for (size_t i = 0; i < words; i++) {
        a->bits[i] = rng_u64(&r);
        if (i % per == per - 1 && hw % 64 != 0) a->bits[i] &= ((uint64_t)1 << hw % 64) - 1;
    }
    for (size_t i = 0; i < n * (size_t)d->scalars; i++) a->scalars[i] = (float)rng_unit(&r);
    a->start[0] = 0;
    for (size_t i = 0; i < n; i++) {
        size_t count = 1 + rng_below(&r, (uint32_t)moves);
        bool none = rng_below(&r, 20) == 0; // probabilities that all were rounded away
        a->kind[i] = (uint8_t)rng_below(&r, KINDS);
        for (int k = 0; k < 2; k++) a->number[k][i] = (float)(2 * rng_unit(&r) - 1);
        for (size_t m = 0; m < count; m++, total++) {
            a->move[total] = (uint16_t)rng_below(&r, MOVES);
            a->prob[total] = none ? 0 : (uint16_t)rng_below(&r, 65536);
        }
        a->start[i + 1] = (uint32_t)total;
    }
    a->s = (nn_packed){n, a->bits, a->scalars, {a->number[0], a->number[1]}, a->kind, a->start, a->move, a->prob};
}

static void house_free(house *a)
{
    free(a->cell), free(a->place), free(a->bits), free(a->scalars), free(a->number[0]), free(a->number[1]);
    free(a->kind), free(a->start), free(a->move), free(a->prob);
}

// Samples from … to-1 as somebody would add them.
static nn_packed part(const house *a, size_t from, size_t to)
{
    return (nn_packed){.n = to - from,
                       .bits = a->bits + from * nn_in_bits(&a->d),
                       .scalars = a->scalars + from * (size_t)a->d.scalars,
                       .number = {a->number[0] + from, a->number[1] + from},
                       .kind = a->kind + from,
                       .start = a->start + from,
                       .move = a->move,
                       .prob = a->prob};
}

static void draw(rng *r, uint64_t oldest, uint64_t total, int n, uint64_t *number, uint8_t *sym)
{
    for (int i = 0; i < n; i++) {
        number[i] = oldest + rng_below(r, (uint32_t)(total - oldest));
        sym[i] = (uint8_t)rng_below(r, 8);
    }
    number[0] = oldest, number[n - 1] = total - 1; // the ends
}

static const char *const nets[] = {
    "planes=3 size=8x8 c=64 b=1 policy=2:65 value=1:16",
    "planes=16 scalars=34 size=5x5 c=64 b=1 policy=4:625 policy=2:51 value=1:16",
    "planes=40 size=15x15 c=64 b=1 policy=2:225 value=1:16 scalar=1:0:1",
    "planes=2 scalars=1 size=20x20 c=32 b=1 policy=1:400 value=1:16",
    "planes=28 scalars=9 size=13x6 mlp=64 policy=0:24 policy=0:7 policy=0:9 value=0:8 scalar=0:0:1",
};
enum { NETS = sizeof nets / sizeof nets[0], WINDOW = 500, ALL = 2300, BATCH = 200 };

// Every batch, while the ring of samples goes round several times and that of moves grows: 60 moves per sample are more than its
// first room.
static void gathers_like_the_plain_one(void **state)
{
    (void)state;
    const nn_backend *g = gpu();
    for (int k = 0; k < 2 * NETS; k++) {
        house a;
        house_make(&a, nets[k / 2], ALL, WINDOW, 60, k % 2 == 1);
        nn_net *net;
        nn_learner *l;
        assert_ok(nn_net_new(&net, &a.d, 1));
        assert_ok(g->learner_new(&l, net, &(nn_train_options){.max_batch = BATCH}));
        assert_ok(g->window_new(l, &a.w));
        nn_gathered want = gathered_new(&a.d, BATCH, BATCH * 60), got = gathered_new(&a.d, BATCH, BATCH * 60);
        uint64_t number[BATCH];
        uint8_t sym[BATCH];
        rng r = rng_at(5, (uint64_t)k, 0);
        int batches = 0;
        for (size_t at = 0, to; at < ALL; at = to) {
            to = at + 1 + rng_below(&r, at == 0 ? 100 : 2 * WINDOW + 100); // also more than the window at once
            if (to > ALL) to = ALL;
            nn_packed some = part(&a, at, to);
            assert_ok(g->window_add(l, at, &some));
            for (int i = 0; i < 3; i++) {
                int n = i == 0 ? 2 : i == 1 ? 33 : BATCH;
                draw(&r, to > WINDOW ? to - WINDOW : 0, to, n, number, sym);
                nn_picks p = {n, number, sym};
                assert_ok(g->window_step(l, &p, 0.001f, NULL));
                assert_ok(cuda_window_gathered(l, n, &got));
                nn_window_gather(&a.d, &a.w, 0, &a.s, &p, &want);
                assert_same_batch(&a.d, &a.w, n, &got, &want);
                batches++;
            }
        }
        printf("ok   %d batches to the bit  [%s]%s\n", batches, nets[k / 2], k % 2 ? " by head" : "");
        fflush(stdout);
        gathered_free(&want), gathered_free(&got);
        g->learner_free(l);
        nn_net_free(net);
        house_free(&a);
    }
}

// The same steps with batches of the host and from the window: the same losses, the same weights, to the bit.
static void steps_are_the_same(void **state)
{
    (void)state;
    const nn_backend *g = gpu();
    for (int k = 0; k < 2 * NETS; k++) {
        house a;
        house_make(&a, nets[k / 2], ALL, ALL, 30, k % 2 == 1);
        nn_net *net, *end[2];
        nn_learner *l[2];
        assert_ok(nn_net_new(&net, &a.d, 1));
        for (int i = 0; i < 2; i++) {
            assert_ok(nn_net_copy(&end[i], net));
            assert_ok(g->learner_new(&l[i], net, &(nn_train_options){.max_batch = BATCH, .ema = 0.9f}));
        }
        assert_ok(g->window_new(l[1], &a.w));
        assert_ok(g->window_add(l[1], 0, &a.s));
        nn_gathered host = gathered_new(&a.d, BATCH, BATCH * 30);
        uint64_t number[BATCH];
        uint8_t sym[BATCH];
        rng r = rng_at(6, (uint64_t)k, 0);
        nn_step_report first = {0}, one = {0}, two = {0};
        for (int s = 0; s < 30; s++) {
            draw(&r, 0, ALL, BATCH, number, sym);
            nn_picks p = {BATCH, number, sym};
            nn_window_gather(&a.d, &a.w, 0, &a.s, &p, &host);
            nn_batch b = nn_gathered_batch(&a.d, &a.w, BATCH, &host);
            assert_ok(g->learner_step(l[0], &b, 0.002f, &one));
            assert_ok(g->window_step(l[1], &p, 0.002f, &two));
            assert_memory_equal(&one, &two, sizeof one);
            if (s == 0) first = one;
        }
        for (int i = 0; i < 2; i++) assert_ok(g->learner_weights(l[i], true, end[i]));
        assert_memory_equal(end[0]->w, end[1]->w, net->at.n_all * sizeof(float));
        printf("ok   30 steps alike, loss %.4f to %.4f  [%s]%s\n", first.loss, one.loss, nets[k / 2],
               k % 2 ? " by head" : "");
        fflush(stdout);
        gathered_free(&host);
        for (int i = 0; i < 2; i++) g->learner_free(l[i]), nn_net_free(end[i]);
        nn_net_free(net);
        house_free(&a);
    }
}

// Too large at once, too large later, and what is refused; the learner itself goes on.
static void what_does_not_fit(void **state)
{
    (void)state;
    const nn_backend *g = gpu();
    house a;
    nn_net *net;
    nn_learner *l;
    house_make(&a, nets[0], ALL, WINDOW, 600, false);
    assert_ok(nn_net_new(&net, &a.d, 1));
    assert_ok(g->learner_new(&l, net, &(nn_train_options){.max_batch = 8}));
    uint64_t number[8] = {0};
    uint8_t sym[8] = {0};
    nn_picks p = {8, number, sym};
    assert_err(g->window_step(l, &p, 0.001f, NULL), "no window");
    assert_err(g->window_add(l, 0, &a.s), "no window");
    nn_window_shape w = a.w;
    w.samples = (uint64_t)1 << 36;
    assert_int_equal(g->window_new(l, &w), ERR_MEMORY);
    assert_non_null(strstr(err_text(), "68719476736 positions"));
    w = a.w, w.bytes = 20000;
    assert_int_equal(g->window_new(l, &w), ERR_MEMORY);
    w.bytes = 400 << 10; // enough to begin with, not for lists of 300 moves
    assert_ok(g->window_new(l, &w));
    assert_int_equal(g->window_add(l, 0, &a.s), ERR_MEMORY);
    g->window_free(l);
    assert_err(g->window_step(l, &p, 0.001f, NULL), "no window");

    assert_ok(g->window_new(l, &a.w));
    nn_packed some = part(&a, 0, 1000);
    assert_ok(g->window_add(l, 70, &some)); // numbers begin anywhere: 70 … 1069, of which 500 stay
    for (int i = 0; i < 8; i++) number[i] = 1069;
    assert_ok(g->window_step(l, &p, 0.001f, NULL));
    number[3] = 569;
    assert_err(g->window_step(l, &p, 0.001f, NULL), "sample 569 is not in the window of 570 to 1070");
    number[3] = 1070;
    assert_err(g->window_step(l, &p, 0.001f, NULL), "sample 1070 is not");
    number[3] = 570, sym[2] = 8;
    assert_err(g->window_step(l, &p, 0.001f, NULL), "no symmetry 8");
    sym[2] = 7;
    assert_err(
        g->window_step(l, &(nn_picks){9, (uint64_t[9]){570, 570, 570, 570, 570, 570, 570, 570, 570}, (uint8_t[9]){0}},
                       0, NULL),
        "takes 8");
    p.n = 0;
    assert_err(g->window_step(l, &p, 0.001f, NULL), "batch of 0");
    p.n = 8;
    assert_ok(g->window_step(l, &p, 0.001f, NULL));
    // a gap: it begins anew
    some = part(&a, 0, 10);
    assert_ok(g->window_add(l, 5000, &some));
    assert_err(g->window_step(l, &p, 0.001f, NULL), "window of 5000 to 5010");
    for (int i = 0; i < 8; i++) number[i] = 5000 + (uint64_t)i;
    assert_ok(g->window_step(l, &p, 0.001f, NULL));
    // batches of the host still work beside it
    nn_gathered host = gathered_new(&a.d, 8, 8 * 600);
    nn_window_gather(&a.d, &a.w, 5000, &some, &p, &host);
    nn_batch b = nn_gathered_batch(&a.d, &a.w, 8, &host);
    assert_ok(g->learner_step(l, &b, 0.001f, NULL));
    gathered_free(&host);
    some.kind = (const uint8_t[10]){2};
    assert_err(g->window_add(l, 5010, &some), "kind 2");
    g->learner_free(l);
    nn_net_free(net);
    house_free(&a);
}

#endif

// With a name: that test alone, since sanitizers are slow.
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_by_hand),
#if defined(KEIKO_CUDA)
        cmocka_unit_test(gathers_like_the_plain_one),
        cmocka_unit_test(steps_are_the_same),
        cmocka_unit_test(what_does_not_fit),
#endif
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
