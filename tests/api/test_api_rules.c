// A stranger's game through the public API: good rules are taken in, learned and played; each broken rule is named.
#include "base/temp_dir.h"
#include "keiko.h"
#include "test.h"

#include <math.h>

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

static void two_planes(const void *s, uint64_t *planes, float *scalars)
{
    heap_encode(s, planes, scalars);
    planes[1] |= planes[0];
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
    return symmetry == 0 ? m : 0;
}

static uint16_t identity_move(int sym, uint16_t m)
{
    (void)sym;
    return m;
}

static void keep_planes(int symmetry, const uint64_t *in, uint64_t *out)
{
    (void)symmetry;
    out[0] = in[0];
}

static void keep_two_planes(int symmetry, const uint64_t *in, uint64_t *out)
{
    keep_planes(symmetry, in, out);
    out[1] = 0;
}

// --- tic-tac-toe without an end by three in a row: a board with symmetries. Who fills the last cell loses.

typedef struct grid {
    uint16_t stones[2];
    uint16_t n, block; // block: the start has a stone in a corner, so that only one symmetry keeps it
} grid;

static void grid_init(void *s)
{
    *(grid *)s = (grid){{0, 0}, 0, 0};
}

static void corner_init(void *s)
{
    *(grid *)s = (grid){{0, 0}, 0, 1};
}

static int grid_seat(const void *s)
{
    return ((const grid *)s)->n % 2;
}

static int grid_legal(const void *s, uint16_t *moves)
{
    const grid *g = s;
    int n = 0;
    for (uint16_t i = 0; i < 9; i++)
        if (((g->stones[0] | g->stones[1] | g->block) >> i & 1) == 0) moves[n++] = i;
    return n;
}

static void grid_play(void *s, uint16_t m)
{
    grid *g = s;
    g->stones[g->n % 2] = (uint16_t)(g->stones[g->n % 2] | 1u << m);
    g->n++;
}

static int grid_over(const void *s, double score[2])
{
    uint16_t moves[9];
    if (grid_legal(s, moves) > 0) return 0;
    score[grid_seat(s)] = 1.0;
    score[!grid_seat(s)] = 0.0;
    return 1;
}

static void grid_encode(const void *s, uint64_t *planes, float *scalars)
{
    const grid *g = s;
    (void)scalars;
    for (int i = 0; i < 2; i++) planes[i] = g->stones[(g->n + i) % 2];
    planes[2] = g->block;
}

// The cell that symmetry `sym` (bits: transpose, mirror columns, mirror rows) takes a cell to.
static int turn(int sym, int cell)
{
    int y = cell / 3, x = cell % 3;
    if (sym & 1) {
        int t = x;
        x = y;
        y = t;
    }
    if (sym & 2) x = 2 - x;
    if (sym & 4) y = 2 - y;
    return 3 * y + x;
}

static void grid_planes(int sym, const uint64_t *in, uint64_t *out)
{
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < 9; i++) out[p] |= (in[p] >> i & 1) << turn(sym, i);
}

static uint16_t grid_move(int sym, uint16_t m)
{
    return (uint16_t)turn(sym, m);
}

// The classic mistake: the moves are turned the other way round.
static uint16_t inverse_move(int sym, uint16_t m)
{
    for (uint16_t i = 0; i < 9; i++)
        if (turn(sym, i) == m) return i;
    return 0;
}

static uint16_t shifted_move(int sym, uint16_t m) // symmetries counted from 1
{
    return (uint16_t)((m + sym + 4) % 9);
}

static void shifted_planes(int sym, const uint64_t *in, uint64_t *out)
{
    grid_planes((sym + 4) % 8, in, out);
}

static const keiko_rules board = {.size = sizeof board,
                                  .name = "board",
                                  .state_size = sizeof(grid),
                                  .moves = 9,
                                  .max_legal = 9,
                                  .rows = 3,
                                  .cols = 3,
                                  .planes = 3,
                                  .init = grid_init,
                                  .seat = grid_seat,
                                  .legal = grid_legal,
                                  .play = grid_play,
                                  .over = grid_over,
                                  .encode = grid_encode,
                                  .symmetries = 8,
                                  .symmetry_planes = grid_planes,
                                  .symmetry_move = grid_move};

// --- text

static int grid_print(const void *s, char *buf, size_t n)
{
    const grid *g = s;
    return snprintf(buf, n, "%u %u %u %u", g->stones[0], g->stones[1], g->n, g->block);
}

static int grid_parse(const char *text, void *s, char *why, size_t size)
{
    unsigned a, b, n, block;
    snprintf(why, size, "four numbers that fit together");
    if (sscanf(text, "%u %u %u %u", &a, &b, &n, &block) != 4 || (a | b) > 511 || (a & b) != 0 || block > 1) return 1;
    if (n != (unsigned)(__builtin_popcount(a) + __builtin_popcount(b))) return 1;
    *(grid *)s = (grid){{(uint16_t)a, (uint16_t)b}, (uint16_t)n, (uint16_t)block};
    return 0;
}

static int no_parse(const char *text, void *s, char *why, size_t size)
{
    (void)text;
    (void)s;
    (void)why;
    (void)size;
    return 1;
}

static int bad_parse(const char *text, void *s, char *why, size_t size)
{
    int failed = grid_parse(text, s, why, size);
    if (failed == 0) ((grid *)s)->block = 0; // forgets something
    return failed;
}

// --- texts of moves

static int same_text(const void *s, uint16_t m, char *buf, size_t n)
{
    (void)s;
    return snprintf(buf, n, "m%d", m / 2);
}

static int list_text(const void *s, uint16_t m, char *buf, size_t n)
{
    (void)s;
    return snprintf(buf, n, "%d;", m);
}

static int blank_text(const void *s, uint16_t m, char *buf, size_t n)
{
    (void)s;
    return snprintf(buf, n, "%d ", m);
}

static int no_length(const void *s, uint16_t m, char *buf, size_t n)
{
    (void)s;
    snprintf(buf, n, "%d", m);
    return 0;
}

static int no_length_board(const void *s, char *buf, size_t n)
{
    snprintf(buf, n, "%d", ((const heap *)s)->left);
    return 0;
}

static int long_text(const void *s, uint16_t m, char *buf, size_t n)
{
    (void)s;
    return snprintf(buf, n, "%0200d", m);
}

static int no_scores(const void *s, double score[2])
{
    (void)score;
    return ((const heap *)s)->left <= 0;
}

static int one_seat(const void *s)
{
    (void)s;
    return 0;
}

static void small_init(void *s)
{
    ((heap *)s)->left = STONES;
}

static int far_seat(const void *s)
{
    return ((const heap *)s)->turn != 0;
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
    WITH(size = 0, "keiko_rules.size is 0, not");
    WITH(size = 8, "compile against the header of this library");
    WITH(name = "Heap!", "a-z");
    WITH(name = "othello", "already");
    WITH(play = NULL, "the function play is missing");
    WITH(move_print = same_text, "two legal moves have the text 'm0'");
    WITH(move_print = list_text, "'0;', contains a ';'");
    WITH(move_print = blank_text, "begins or ends with a blank");
    WITH(move_print = no_length, "move_print returns 0 for move 0, '0'");
    WITH(move_print = long_text, "move_print returns 200");
    WITH(draw = no_length_board, "draw returns 0");
    WITH(state_print = no_length_board, "state_print returns 0");
    WITH(over = no_scores, "over sets no scores");
    WITH(seat = one_seat, "seat was never 1");
    r = good;
    r.state_size = 4;
    r.init = small_init; // writes the first four bytes only, but seat reads on
    r.seat = far_seat;
    refused(r, "reads more than state_size (4) bytes");
    WITH(state_size = 4, "writes more than state_size (4) bytes");
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
    WITH(encode = two_planes, "encode writes beyond its planes; planes is 1");
    WITH(scalars = 0, "encode writes beyond its scalars; scalars is 0");
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
    r.symmetry_move = identity_move;
    r.symmetry_planes = keep_two_planes;
    refused(r, "symmetry_planes writes beyond its planes; planes is 1");
}

static void symmetries_are_tried(void **state)
{
    (void)state;
    keiko_rules r = board;
    r.symmetry_move = inverse_move;
    refused(r, "contradicts symmetry_planes");
    r.symmetry_move = identity_move;
    refused(r, "contradicts symmetry_planes");
    // Most symmetries do not keep this start, so they are seen by how they follow each other.
    r = board;
    r.init = corner_init;
    r.symmetry_move = inverse_move;
    refused(r, "are those of");
    r = board;
    r.state_print = grid_print;
    r.init = corner_init;
    r.state_parse = bad_parse;
    refused(r, "gives another state");
    r.state_parse = no_parse;
    refused(r, "state_parse refuses what state_print wrote");
    r = board;
    r.symmetry_move = shifted_move;
    refused(r, "symmetry 0 must be the identity, but symmetry_move(0, 0) is 4");
    r = board;
    r.symmetry_planes = shifted_planes;
    refused(r, "symmetry 0 must be the identity, but symmetry_planes");
}

static uint16_t one_output(const void *s, uint16_t m)
{
    (void)s;
    (void)m;
    return 0;
}

static uint16_t far_output(const void *s, uint16_t m)
{
    (void)s;
    return (uint16_t)(m + 1);
}

// Turned by 180 degrees for the second player, as a board that is seen from its side.
static uint16_t turned_output(const void *s, uint16_t m)
{
    return ((const grid *)s)->n % 2 == 0 ? m : (uint16_t)(8 - m);
}

// Depends on more than the seat and the move.
static uint16_t fickle_output(const void *s, uint16_t m)
{
    return ((const grid *)s)->stones[0] & 1 ? m : (uint16_t)(8 - m);
}

static void outputs_are_tried(void **state)
{
    (void)state;
    const keiko_game *g = NULL;
    keiko_rules r = board;
    r.move_index = one_output;
    refused(r, "another move's");
    r.move_index = far_output;
    refused(r, "beyond the last");
    r.move_index = fickle_output;
    refused(r, "must depend on the seat and the move only");
    r.name = "board-turned";
    r.move_index = turned_output;
    r.seat_names[0] = "First";
    r.seat_names[1] = "Second";
    if (keiko_game_register(&r, &g) != 0) fail_msg("%s", keiko_error());
}

// A program of version 2 does not know state_parse.
static void older_programs(void **state)
{
    (void)state;
    const keiko_game *g = NULL;
    keiko_rules r = board;
    r.name = "board-2";
    r.size = offsetof(keiko_rules, state_parse);
    r.state_parse = bad_parse; // beyond its end: must not be looked at
    r.state_print = grid_print;
    if (keiko_game_register(&r, &g) != 0) fail_msg("%s", keiko_error());
    keiko_position *p;
    assert_int_not_equal(keiko_position_parse(g, "0 0 0 0", &p), 0);
    assert_non_null(strstr(keiko_error(), "only 'start'"));
    assert_int_equal(keiko_position_parse(g, "start", &p), 0);
    keiko_position_free(p);
}

static void positions_as_text(void **state)
{
    (void)state;
    const keiko_game *g = NULL;
    keiko_rules r = board;
    char text[64];
    r.state_print = grid_print;
    r.state_parse = grid_parse;
    if (keiko_game_register(&r, &g) != 0) fail_msg("%s", keiko_error());
    keiko_position *p;
    assert_int_equal(keiko_position_parse(g, "1 256 2 0", &p), 0);
    keiko_position_print(p, text, sizeof text);
    assert_string_equal(text, "1 256 2 0");
    assert_int_equal(keiko_position_perft(p, 2), 42);
    keiko_position_free(p);
    assert_int_not_equal(keiko_position_parse(g, "1 1 2 0", &p), 0);
    assert_non_null(strstr(keiko_error(), "no position of board: four numbers that fit together"));
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
    t.minutes = 0.002;
    t.config = "net = c=8 b=1\nin-flight = 16\nsims = 4\nround = 16\neval-every = 0\n";
    if (keiko_train(registered(), &t, &end) != 0) fail_msg("%s", keiko_error()); // a limit like any other
    t.minutes = 0;
    t.games = 20;
    if (keiko_train(registered(), &t, &end) != 0) fail_msg("%s", keiko_error());
    assert_in_range(end.games, 20, 100);
    t.games = 0;
    t.threads = 0;
    static const char *const limits[] = {"steps = 3", "games = 20",
                                         "minutes = 0.002"}; // in the text: the struct is silent
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(
            text, sizeof text,
            "net = c=8 b=1\nin-flight = 16\nsims = 4\nround = 16\nfill = 20\nbatch = 16\neval-every = 0\nthreads = 1\n%s\n",
            limits[i]);
        t.config = text;
        if (keiko_train(registered(), &t, &end) != 0) fail_msg("%s: %s", limits[i], keiko_error());
        if (i == 0) assert_int_equal(end.step, 3);
        if (i == 1) assert_in_range(end.games, 20, 100);
    }
    t.config = "net = c=8 b=1\nin-flight = 4\nsims = 2\nround = 4\nfill = 8\nbatch = 8\neval-every = 0\nthreads = 1\n";
    t.steps = 1; // the least there is
    if (keiko_train(registered(), &t, &end) != 0) fail_msg("%s", keiko_error());
    assert_int_equal(end.step, 1);
    t.steps = 0;
    t.games = 1;
    if (keiko_train(registered(), &t, &end) != 0) fail_msg("%s", keiko_error());
    assert_in_range(end.games, 1, 8);
    t.games = 0;
    t.config = NULL;
    assert_int_not_equal(keiko_train(registered(), &t, &end), 0);
    assert_non_null(strstr(keiko_error(), "how long"));
    t.each = stop_after; // Python always sets it, for Ctrl-C: it is no limit
    assert_int_not_equal(keiko_train(registered(), &t, &end), 0);
    assert_non_null(strstr(keiko_error(), "how long"));
    t.minutes = -1; // no limit, and none that was meant
    assert_int_not_equal(keiko_train(registered(), &t, &end), 0);
    assert_non_null(strstr(keiko_error(), "minutes must be"));
    t.minutes = (double)NAN;
    assert_int_not_equal(keiko_train(registered(), &t, &end), 0);
    assert_non_null(strstr(keiko_error(), "minutes must be"));
    temp_dir_remove(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(symmetries_are_tried), cmocka_unit_test(outputs_are_tried),
                                       cmocka_unit_test(older_programs),       cmocka_unit_test(positions_as_text),
                                       cmocka_unit_test(mistakes_are_named),   cmocka_unit_test(plays),
                                       cmocka_unit_test(trains_and_resumes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
