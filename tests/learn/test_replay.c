// Samples and the replay window: nothing is lost, invented or turned the wrong way.
#include "base/file.h"
#include "base/temp_dir.h"
#include "learn/random_samples.h"
#include "learn/zero/games.h"
#include "learn/zero/replay.h"
#include "test.h"

#include <math.h>

static void assert_equal_samples(const samples *a, const samples *b, const samples_shape *sh)
{
    text_buf x = {0}, y = {0};
    assert_ok(samples_write(a, sh, &x));
    assert_ok(samples_write(b, sh, &y));
    assert_int_equal(x.len, y.len);
    assert_memory_equal(x.data, y.data, x.len);
    text_free(&x);
    text_free(&y);
}

// What lets samples do without the position: a move's place in the heads depends on the seat alone.
static void heads_depend_on_the_seat_only(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof board_games / sizeof *board_games; i++) {
        samples_shape sh;
        shape_of(&sh, board_games[i]);
        const game *g = sh.g;
        char *s = malloc(g->state_size);
        move_t *moves = malloc((size_t)g->max_legal * sizeof *moves);
        uint16_t *a = malloc((size_t)(g->max_legal * g->n_heads) * sizeof *a),
                 *b = malloc((size_t)(g->max_legal * g->n_heads) * sizeof *b);
        for (uint64_t k = 0; k < 10; k++) {
            rng r = rng_at(4, k, 0);
            assert_ok(g->init(s, "", (game_key){4, k}));
            for (int n; (n = g->legal(s, moves)) > 0;) {
                g->heads(s, moves, n, a);
                samples_heads(&sh, g->seat(s), moves, n, b);
                assert_memory_equal(a, b, (size_t)(n * g->n_heads) * sizeof *a);
                g->play(s, moves[rng_below(&r, (uint32_t)n)], NULL);
            }
        }
        free(s);
        free(moves);
        free(a);
        free(b);
        samples_shape_free(&sh);
    }
}

static void samples_come_back(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof board_games / sizeof *board_games; i++) {
        samples_shape sh;
        samples a = {0}, b = {0}, twice = {0};
        text_buf t = {0};
        size_t used;
        shape_of(&sh, board_games[i]);
        fill(&a, &sh, 200, 3, 0);
        assert_ok(samples_write(&a, &sh, &t));
        assert_ok(samples_read(&b, &sh, t.data, t.len, &used));
        assert_int_equal(used, t.len);
        assert_equal_samples(&a, &b, &sh);
        assert_ok(samples_read(&b, &sh, t.data, t.len, &used)); // appends
        assert_ok(samples_append(&twice, &sh, &a));
        assert_ok(samples_append(&twice, &sh, &a));
        assert_equal_samples(&twice, &b, &sh);
        samples c = {0};
        for (size_t cut = 0; cut < t.len; cut += 1 + t.len / 97)
            assert_err(samples_read(&c, &sh, t.data, cut, &used), "cut short");
        assert_int_equal(c.n, 0);
        t.data[20]++; // not a length: a plane
        uint32_t word = 7;
        memcpy(t.data + 8, &word, 4); // words per position
        assert_err(samples_read(&c, &sh, t.data, t.len, &used), "another encoding");
        samples_free(&a);
        samples_free(&b);
        samples_free(&c);
        samples_free(&twice);
        text_free(&t);
        samples_shape_free(&sh);
    }
}

static const char *const nets[] = {"planes=2 size=3x3 c=16 b=1 policy=2:9 value=1:16",
                                   "planes=3 size=8x8 c=16 b=1 policy=2:65 value=1:16 scalar=1:0:1",
                                   "planes=32 scalars=34 size=5x5 c=16 b=1 policy=2:625 policy=2:51 value=1:16"};

// Every drawn row is one of the samples, turned by a symmetry under which moves and planes agree.
static void draws_are_true(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        samples_shape sh;
        samples all = {0}, copy = {0};
        replay *r;
        replay_batch b = {0};
        nn_desc d;
        shape_of(&sh, board_games[i]);
        const game *g = sh.g;
        fill(&all, &sh, 500, 9, 0);
        assert_ok(samples_append(&copy, &sh, &all));
        assert_ok(nn_desc_parse(nets[i], &d));
        assert_ok(replay_new(&r, &sh, &(replay_options){.least = 1000, .most = 1000, .share = 1}));
        assert_ok(replay_add(r, &copy));
        for (uint64_t step = 0; step < 3; step++)
            for (int by_head = 0; by_head < 2; by_head++) {
                assert_ok(replay_draw(r, 5, step, 64,
                                      &(replay_draw_options){.net = &d, .symmetries = true, .by_head = by_head}, &b));
                assert_ok(nn_batch_check(&d, &b.b));
                for (size_t k = 0; k < 64; k++) {
                    size_t at = (size_t)b.pick[k], first = all.start[at], n = all.start[at + 1] - first;
                    uint64_t bits[64];
                    if (b.sym[k] == 0)
                        memcpy(bits, all.bits + at * sh.bits, sh.bits * 8);
                    else
                        g->sym_planes(b.sym[k], sh.enc, all.bits + at * sh.bits, bits);
                    assert_memory_equal(bits, b.bits + k * sh.bits, sh.bits * 8);
                    assert_float_equal(b.value[k], all.value[at], 0);
                    assert_float_equal(b.margin[k], -all.value[at], 0);
                    assert_int_equal(b.start[k + 1] - b.start[k], n);
                    double sum = 0;
                    for (size_t m = 0; m < n; m++) {
                        uint16_t index[2];
                        move_t turned = g->sym_move(b.sym[k], all.move[first + m]);
                        samples_heads(&sh, all.seat[at], &turned, 1, index);
                        assert_memory_equal(index, b.index + (b.start[k] + m) * (size_t)g->n_heads,
                                            (size_t)g->n_heads * 2);
                        assert_float_equal(b.prob[b.start[k] + m], all.prob[first + m] / 65535.0f, 1e-3);
                        sum += (double)b.prob[b.start[k] + m];
                    }
                    assert_float_equal(sum, 1, 1e-5);
                    for (int h = 0; h < g->n_heads && by_head; h++) {
                        double mass = 0;
                        for (int q = 0; q < g->head_dim[h]; q++) {
                            float v = b.head[h][k * (size_t)g->head_dim[h] + (size_t)q];
                            mass += (double)v;
                            if (!b.mask[h][k * (size_t)g->head_dim[h] + (size_t)q]) assert_float_equal(v, 0, 0);
                        }
                        assert_float_equal(mass, 1, 1e-5);
                    }
                }
            }
        replay_batch_free(&b);
        replay_free(r);
        samples_free(&all);
        samples_shape_free(&sh);
    }
}

// Uniform over the window: χ² of 10 blocks, 999 of 1000 fair buffers pass; and nothing from outside it.
static void draws_are_fair_and_inside_the_window(void **unused)
{
    (void)unused;
    samples_shape sh;
    replay *r;
    replay_batch b = {0};
    nn_desc d;
    shape_of(&sh, "tictactoe");
    assert_ok(nn_desc_parse(nets[0], &d));
    assert_ok(replay_new(&r, &sh, &(replay_options){.least = 400, .most = 1000, .share = 0.5}));
    assert_err(replay_draw(r, 1, 1, 8, &(replay_draw_options){.net = &d}, &b), "no positions");
    const uint64_t windows[] = {300, 400, 450, 600, 750, 900, 1000, 1000, 1000};
    for (int k = 0; k < 9; k++) {
        samples s = {0};
        fill(&s, &sh, 300, (uint64_t)k, (uint32_t)k * 300);
        assert_ok(replay_add(r, &s));
        assert_int_equal(replay_total(r), 300 * (k + 1));
        assert_int_equal(replay_window(r), windows[k]);
    }
    double count[10] = {0}, chi = 0;
    for (uint64_t step = 0; step < 40; step++) {
        assert_ok(replay_draw(r, 1, step, 256, &(replay_draw_options){.net = &d}, &b));
        for (int i = 0; i < 256; i++) {
            assert_in_range(b.pick[i], 1700, 2699);
            count[(b.pick[i] - 1700) / 100]++;
        }
    }
    for (int i = 0; i < 10; i++) chi += (count[i] - 1024) * (count[i] - 1024) / 1024;
    assert_true(chi < 27.88);
    double mean = 0;
    for (int i = 0; i < 256; i++) mean += (double)b.pick[i] / 256;
    assert_true(fabs(b.staleness - (39 - mean)) < 1e-6); // `step` of a sample is its number here
    uint64_t again = b.pick[17];
    assert_ok(replay_draw(r, 1, 39, 256, &(replay_draw_options){.net = &d}, &b)); // a function of seed and step
    assert_int_equal(b.pick[17], again);
    replay_batch_free(&b);
    replay_free(r);
    samples_shape_free(&sh);
}

// However little a policy's shares sum to, they become a distribution; where all are zero, every move has the same.
static void small_policies_are_scaled(void **unused)
{
    (void)unused;
    samples_shape sh;
    samples s = {0};
    replay *r;
    replay_batch b = {0};
    nn_desc d;
    shape_of(&sh, "tictactoe");
    assert_ok(nn_desc_parse(nets[0], &d));
    fill(&s, &sh, 2, 1, 0); // two positions, of nine moves and of eight
    memset(s.prob, 0, s.start[2] * sizeof *s.prob);
    s.prob[4] = 1; // of 65535
    assert_ok(replay_new(&r, &sh, &(replay_options){.least = 10, .most = 10, .share = 1}));
    assert_ok(replay_add(r, &s));
    assert_ok(replay_draw(r, 1, 1, 16, &(replay_draw_options){.net = &d}, &b));
    bool seen[2] = {false, false};
    for (int k = 0; k < 16; k++) {
        const float *p = b.prob + b.start[k];
        bool second = b.pick[k] == 1;
        seen[second] = true;
        assert_int_equal(b.start[k + 1] - b.start[k], second ? 8 : 9);
        for (int m = 0; m < (second ? 8 : 9); m++) assert_float_equal(p[m], (second ? 0.125f : m == 4 ? 1 : 0), 0);
    }
    assert_true(seen[0] && seen[1]);
    replay_batch_free(&b);
    replay_free(r);
    samples_shape_free(&sh);
}

static void the_disk_gives_back_the_window(void **unused)
{
    (void)unused;
    samples_shape sh;
    replay *r, *back;
    replay_batch a = {0}, b = {0};
    nn_desc d;
    char dir[64], path[FILE_PATH];
    assert_non_null(temp_dir_make(dir));
    const replay_options o = {.least = 400, .most = 1000, .share = 0.5, .on_disk = true};
    shape_of(&sh, "contrast");
    assert_ok(nn_desc_parse(nets[2], &d));
    assert_ok(replay_new(&r, &sh, &o));
    uint64_t oldest = 0;
    for (int k = 0; k < 10; k++) {
        samples s = {0};
        fill(&s, &sh, 250, (uint64_t)k, (uint32_t)k * 250);
        assert_ok(replay_add(r, &s));
        if (k % 2 == 0) {
            assert_ok(replay_save(r, dir, oldest));
            oldest = replay_oldest(r);
        }
    }
    // Saved: 9 blocks, 2250 samples. The tenth is only in memory: a kill here loses it, and a file of a checkpoint that
    // never came is thrown away.
    assert_ok(replay_new(&back, &sh, &o));
    assert_ok(file_join(path, sizeof path, dir, "00000000002250.replay"));
    assert_ok(file_write_atomic(path, "torn", 4));
    assert_ok(replay_load(back, dir, 2250));
    assert_false(file_exists(path));
    assert_int_equal(replay_total(back), 2250);
    assert_int_equal(replay_window(back), 1000);
    samples s = {0};
    fill(&s, &sh, 250, 9, 9 * 250);
    assert_ok(replay_add(back, &s));
    replay_draw_options how = {.net = &d, .symmetries = true};
    for (uint64_t step = 0; step < 5; step++) {
        assert_ok(replay_draw(r, 1, step, 128, &how, &a));
        assert_ok(replay_draw(back, 1, step, 128, &how, &b));
        assert_memory_equal(a.pick, b.pick, 128 * sizeof *a.pick);
        assert_memory_equal(a.bits, b.bits, 128 * sh.bits * 8);
        assert_memory_equal(a.scalars, b.scalars, 128 * 34 * sizeof(float));
        assert_memory_equal(a.prob, b.prob, a.start[128] * sizeof(float));
        assert_memory_equal(a.index, b.index, a.start[128] * 2 * sizeof(uint16_t));
        assert_float_equal(a.staleness, b.staleness, 0);
    }
    char **names;
    int n;
    assert_ok(file_list(dir, ".replay", &names, &n));
    assert_true(n >= 2 && n <= 4); // what left the window of the checkpoint before is gone
    replay_free(back);

    // A damaged file, and one that is gone, at either end: the run's other positions are drawn in its place.
    char *data = NULL;
    for (int k = 0; k < 4; k++) {
        size_t size;
        assert_ok(file_join(path, sizeof path, dir, names[k < 2 ? n - 1 : 0]));
        free(data);
        assert_ok(file_read(path, 1 << 24, &data, &size));
        data[size / 2] ^= 1;
        assert_ok(k % 2 == 0 ? file_write_atomic(path, data, size) : file_remove(path));
        assert_ok(replay_new(&back, &sh, &o));
        assert_ok(replay_load(back, dir, 2250));
        assert_int_equal(replay_total(back), 2250);
        for (uint64_t step = 0; step < 5; step++) {
            assert_ok(replay_draw(back, 1, step, 128, &how, &a));
            for (int i = 0; i < 128; i++)
                assert_true(a.pick[i] >= 1250 && a.pick[i] < 2250 && a.start[i + 1] > a.start[i]);
        }
        replay_free(back);
        // what took its place lies on the disk now
        assert_ok(replay_new(&back, &sh, &o));
        assert_ok(replay_load(back, dir, 2250));
        for (uint64_t step = 0; step < 5; step++) {
            assert_ok(replay_draw(back, 1, step, 128, &how, &b));
            assert_int_equal(replay_total(back), 2250);
        }
        assert_memory_equal(a.bits, b.bits, 128 * sh.bits * 8);
        replay_free(back);
    }
    // Nothing is left to learn from: that is said, with a way out.
    for (int i = 0; i < n; i++) {
        assert_ok(file_join(path, sizeof path, dir, names[i]));
        assert_ok(file_write_atomic(path, "torn", 4));
    }
    assert_ok(file_join(path, sizeof path, dir, "00000000001250.replay")); // made above, where the window begins
    if (file_exists(path)) assert_ok(file_write_atomic(path, "torn", 4));
    assert_ok(replay_new(&back, &sh, &o));
    assert_err(replay_load(back, dir, 2250), "start another run from this one's network");
    replay_free(back);
    free(data);
    file_list_free(names, n);
    replay_batch_free(&a);
    replay_batch_free(&b);
    replay_free(r);
    samples_shape_free(&sh);
    temp_dir_remove(dir);
}

// A finished game has a position for each of its moves at most, and one more: who resigns has searched, but not moved.
static void games_have_their_moves(void **state)
{
    (void)state;
    samples_shape sh;
    shape_of(&sh, "tictactoe");
    for (int more = -1; more <= 2; more++)
        for (int halves = 0; halves <= 3; halves++) {
            finished_game g = {.id = 9, .weights = 40, .plies = 5, .halves = (uint8_t)halves, .resigned = more == 1},
                          back;
            text_buf t = {0};
            fill(&g.s, &sh, (size_t)(5 + more), 3, 0);
            assert_ok(finished_game_write(&g, &sh, &t));
            if (halves == 3) {
                assert_err(finished_game_read(&back, &sh, t.data, t.len), "its result is damaged");
            } else if (more == 2) {
                assert_err(finished_game_read(&back, &sh, t.data, t.len), "more positions than moves");
            } else {
                assert_ok(finished_game_read(&back, &sh, t.data, t.len));
                assert_true(back.id == 9 && back.weights == 40 && back.plies == 5 && back.halves == halves);
                assert_int_equal(back.resigned, more == 1);
                assert_equal_samples(&back.s, &g.s, &sh);
                finished_game_free(&back);
                assert_err(finished_game_read(&back, &sh, t.data, t.len - 1), "");
                text_char(&t, 0);
                assert_err(finished_game_read(&back, &sh, t.data, t.len), "1 bytes follow its positions");
            }
            finished_game_free(&g);
            text_free(&t);
        }
    samples_shape_free(&sh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_depend_on_the_seat_only),
        cmocka_unit_test(samples_come_back),
        cmocka_unit_test(games_have_their_moves),
        cmocka_unit_test(draws_are_true),
        cmocka_unit_test(draws_are_fair_and_inside_the_window),
        cmocka_unit_test(small_policies_are_scaled),
        cmocka_unit_test(the_disk_gives_back_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
