// A stranger's game through the public API: good rules are taken in, learned and played; each broken rule is named.
#include "base/temp_dir.h"
#include "keiko.h"
#include "test.h"

// A heap of stones; take one or two; who takes the last one wins. Heaps of 3, 6, … are lost for the mover.
typedef struct heap {
    int32_t left, turn;
} heap;

enum { STONES = 9 };

static void heap_init(void *s)
{
    *(heap *)s = (heap){STONES, 0};
}

static int heap_seat(const void *s)
{
    return ((const heap *)s)->turn;
}

static int heap_legal(const void *s, uint16_t *moves)
{
    int n = ((const heap *)s)->left;
    for (int i = 0; i < 2 && i < n; i++) moves[i] = (uint16_t)i;
    return n < 2 ? n : 2;
}

static void heap_play(void *s, uint16_t m)
{
    heap *h = s;
    h->left -= m + 1;
    h->turn = !h->turn;
}

static int heap_over(const void *s, double score[2])
{
    const heap *h = s;
    if (h->left > 0) return 0;
    score[!h->turn] = 1.0;
    score[h->turn] = 0.0;
    return 1;
}

static void heap_encode(const void *s, uint64_t *planes, float *scalars)
{
    planes[0] = ((uint64_t)1 << ((const heap *)s)->left) - 1;
    scalars[0] = 1.0f;
}

static const keiko_rules good = {.size = sizeof good,
                                 .name = "heap",
                                 .title = "A heap",
                                 .state_size = sizeof(heap),
                                 .moves = 2,
                                 .max_legal = 2,
                                 .rows = 1,
                                 .cols = STONES,
                                 .planes = 1,
                                 .scalars = 1,
                                 .init = heap_init,
                                 .seat = heap_seat,
                                 .legal = heap_legal,
                                 .play = heap_play,
                                 .over = heap_over,
                                 .encode = heap_encode};

// --- rules with one mistake each

static int bad_seat(const void *s)
{
    return ((const heap *)s)->left < 4 ? 2 : heap_seat(s);
}

static int bad_legal(const void *s, uint16_t *moves)
{
    (void)s;
    moves[0] = 0;
    return 1; // also when the game is over
}

static int twice(const void *s, uint16_t *moves)
{
    int n = heap_legal(s, moves);
    if (n == 2) moves[1] = moves[0];
    return n;
}

static int bad_over(const void *s, double score[2])
{
    int over = heap_over(s, score);
    if (over) score[0] = score[1] = 1.0;
    return over;
}

static void bad_encode(const void *s, uint64_t *planes, float *scalars)
{
    heap_encode(s, planes, scalars);
    planes[0] |= (uint64_t)1 << STONES;
}

static void endless(void *s, uint16_t m)
{
    (void)m;
    ((heap *)s)->turn ^= 1;
}

// Remembers something outside the state.
static void fickle(void *s, uint16_t m)
{
    static int count;
    heap_play(s, m);
    ((heap *)s)->turn += ++count % 2 * 65536; // a bit that fickle_seat does not look at
}

static int fickle_seat(const void *s)
{
    return ((const heap *)s)->turn & 1;
}

static uint16_t bad_mirror(int symmetry, uint16_t m)
{
    (void)symmetry;
    (void)m;
    return 0;
}

static void keep_planes(int symmetry, const uint64_t *in, uint64_t *out)
{
    (void)symmetry;
    out[0] = in[0];
}

static void refused(keiko_rules r, const char *part)
{
    const keiko_game *g = NULL;
    assert_int_not_equal(keiko_game_register(&r, &g), 0);
    assert_null(g);
    if (strstr(keiko_error(), part) == NULL) fail_msg("said \"%s\" without \"%s\"", keiko_error(), part);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    keiko_rules r;
#define WITH(change, part)                                                                                             \
    do {                                                                                                               \
        r = good;                                                                                                      \
        r.change;                                                                                                      \
        refused(r, part);                                                                                              \
    } while (0)
    WITH(size = 8, "compile it against this library");
    WITH(name = "Heap!", "a-z");
    WITH(name = "othello", "already");
    WITH(play = NULL, "must be there");
    WITH(state_size = 0, "state_size");
    WITH(max_legal = 3, "max_legal");
    WITH(max_legal = 1, "2 legal moves, but max_legal is 1");
    WITH(cols = 99, "rows and cols");
    WITH(planes = 0, "planes");
    WITH(seat = bad_seat, "seat is 2");
    WITH(legal = bad_legal, "the game is over, but there are 1 legal moves");
    WITH(legal = twice, "gives move 0 twice");
    WITH(over = bad_over, "the scores are 1 and 1");
    WITH(encode = bad_encode, "outside the board");
    WITH(play = endless, "does not end");
    r = good;
    r.play = fickle;
    r.seat = fickle_seat;
    refused(r, "two different positions");
    WITH(symmetries = 2, "need symmetry_planes");
    r = good;
    r.symmetries = 2;
    r.symmetry_planes = keep_planes;
    r.symmetry_move = bad_mirror;
    refused(r, "another move's place");
}

static const keiko_game *registered(void)
{
    static const keiko_game *g;
    if (g == NULL && keiko_game_register(&good, &g) != 0) fail_msg("%s", keiko_error());
    return g;
}

static void plays(void **state)
{
    (void)state;
    const keiko_game *g = registered();
    assert_ptr_equal(keiko_game_find("heap"), g);
    assert_string_equal(keiko_game_title(g), "A heap");
    keiko_position *p;
    uint16_t m;
    char text[64];
    assert_int_equal(keiko_position_new(g, NULL, 1, 0, &p), 0);
    assert_int_equal(keiko_position_perft(p, 3), 8);
    assert_int_equal(keiko_position_perft(p, STONES), 55); // compositions of 9 into ones and twos: Fibonacci
    assert_int_equal(keiko_move_parse(p, "1", &m), 0);
    assert_int_equal(m, 1);
    assert_int_not_equal(keiko_move_parse(p, "2", &m), 0);
    assert_int_equal(keiko_position_play(p, m), 0);
    assert_int_equal(keiko_position_print(p, text, sizeof text), 16);
    assert_string_equal(text, "0700000001000000");
    keiko_position_free(p);
    keiko_score s;
    assert_int_equal(keiko_match(g, "mcts:sims=200", "random", 20, 1, 2, &s), 0);
    assert_int_equal(s.games, 40);
    assert_true(s.score > 0.8 && s.low < s.score && s.score < s.high);
    keiko_score again;
    assert_int_equal(keiko_match(g, "mcts:sims=200", "random", 20, 1, 1, &again), 0);
    assert_memory_equal(&s, &again, sizeof s);
    assert_int_not_equal(keiko_match(g, "nobody", "random", 2, 1, 1, &s), 0);
    assert_non_null(strstr(keiko_error(), "nobody"));
}

static int stop_after(void *ctx, const keiko_progress *p)
{
    return p->step >= *(uint64_t *)ctx;
}

static void trains_and_resumes(void **state)
{
    (void)state;
    char top[64], run[80], model[100], spec[160];
    assert_non_null(temp_dir_make(top));
    snprintf(run, sizeof run, "%s/run", top);
    snprintf(model, sizeof model, "%s/heap.safetensors", top);
    uint64_t enough = 20;
    keiko_training t = {.size = sizeof t,
                        .run = run,
                        .config =
                            "net = c=8 b=1\nin-flight = 16\nsims = 16\nround = 32\nfill = 60\nbatch = 32\ncache = 1\n"
                            "openings = 4\neval-every = 0\n",
                        .threads = 1,
                        .seed = 3,
                        .steps = 1000,
                        .each = stop_after,
                        .ctx = &enough};
    keiko_progress end;
    if (keiko_train(registered(), &t, &end) != 0) fail_msg("%s", keiko_error());
    assert_true(end.step >= 20 && end.step < 1000 && end.games > 10 && end.loss > 0.0);
    assert_int_not_equal(keiko_train(registered(), &t, &end), 0);
    assert_non_null(strstr(keiko_error(), "holds a run already"));
    uint64_t before = end.step;
    t.resume = 1;
    t.steps = before + 10;
    t.each = NULL;
    t.model = model;
    if (keiko_train(registered(), &t, &end) != 0) fail_msg("%s", keiko_error());
    assert_int_equal(end.step, before + 10);
    snprintf(spec, sizeof spec, "zero:model=%s,sims=64", model);
    keiko_score s;
    if (keiko_match(registered(), spec, "random", 10, 1, 1, &s) != 0) fail_msg("%s", keiko_error());
    assert_true(s.score > 0.6);
    t.config = "nett = c=8\n";
    t.run = NULL;
    t.resume = 0;
    assert_int_not_equal(keiko_train(registered(), &t, &end), 0);
    assert_non_null(strstr(keiko_error(), "config:1"));
    t.steps = 0;
    t.config = NULL;
    assert_int_not_equal(keiko_train(registered(), &t, &end), 0);
    assert_non_null(strstr(keiko_error(), "how long"));
    temp_dir_remove(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mistakes_are_named), cmocka_unit_test(plays),
                                       cmocka_unit_test(trains_and_resumes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
