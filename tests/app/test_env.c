// labels: threads
// Environments: what they show is what the game table says, whatever the threads; moves are checked; games follow one another.
#include "app/env.h"
#include "test.h"

static const char *const names[] = {"othello", "contrast", "renju", "puyo", "puyo-solo", "tictactoe"};

typedef struct many { // an environment with all its buffers
    env *e;
    env_buffers b;
    const game *g;
    const encoding *enc;
    int n;
    size_t cells;
    int32_t *moves;
} many;

static many open_many(const char *name, const env_setup *how)
{
    env_setup o = *how;
    many m = {.n = how->n};
    assert_ok(game_find(name, &m.g));
    assert_ok(game_encoding(m.g, how->encoding, &m.enc));
    size_t n = (size_t)how->n;
    m.cells = (size_t)m.enc->planes * (size_t)(m.g->rows * m.g->cols);
    m.b = (env_buffers){.planes = calloc(n * m.cells, sizeof(float)),
                        .scalars = calloc(n * (size_t)m.enc->scalars + 1, sizeof(float)),
                        .masks = malloc(n * (size_t)m.g->n_moves),
                        .seats = calloc(n, 1),
                        .rewards = calloc(n * (size_t)m.g->n_seats, sizeof(float)),
                        .terminated = calloc(n, 1),
                        .truncated = calloc(n, 1),
                        .lengths = calloc(n, sizeof(int32_t)),
                        .events = calloc(n * ENV_EVENTS, sizeof(int32_t)),
                        .final_planes = calloc(n * m.cells, sizeof(float)),
                        .final_scalars = calloc(n * (size_t)m.enc->scalars + 1, sizeof(float))};
    memset(m.b.masks, 7, n * (size_t)m.g->n_moves); // whatever was there
    m.moves = malloc(n * sizeof *m.moves);
    for (int i = 0; i < m.n; i++) m.moves[i] = -1;
    o.g = m.g;
    assert_ok(env_open(&m.e, &o, &m.b));
    return m;
}

static void close_many(many *m)
{
    env_close(m->e);
    free(m->b.planes);
    free(m->b.scalars);
    free(m->b.masks);
    free(m->b.seats);
    free(m->b.rewards);
    free(m->b.terminated);
    free(m->b.truncated);
    free(m->b.lengths);
    free(m->b.events);
    free(m->b.final_planes);
    free(m->b.final_scalars);
    free(m->moves);
}

// The buffers of slot i are what the table says of this state.
static void check_place(const many *m, int i, const void *s, bool floats)
{
    const game *g = m->g;
    size_t cells = (size_t)(g->rows * g->cols);
    char *obs = malloc(g->obs_size);
    uint64_t *bits = malloc((size_t)(game_plane_words(g) * m->enc->planes) * sizeof *bits);
    float *scalars = calloc((size_t)m->enc->scalars + 1, sizeof *scalars);
    float *planes = malloc(cells * (size_t)(m->enc->planes + m->enc->scalars) * sizeof *planes);
    uint8_t *mask = calloc((size_t)g->n_moves, 1);
    move_t *moves = malloc((size_t)g->max_legal * sizeof *moves);
    const void *seen = obs;
    game_observe(g, s, g->seat(s), obs);
    m->enc->encode(&seen, 1, bits, scalars);
    game_unpack(g, m->enc, bits, scalars, planes);
    for (size_t k = 0; k < m->cells; k++) {
        size_t at = (size_t)i * m->cells + k;
        float got = floats ? ((float *)m->b.planes)[at] : ((uint8_t *)m->b.planes)[at];
        if (got != planes[k]) fail_msg("%s: slot %d, cell %zu: %g, not %g", g->name, i, k, got, planes[k]);
    }
    assert_memory_equal(m->b.scalars + (size_t)i * (size_t)m->enc->scalars, scalars,
                        (size_t)m->enc->scalars * sizeof *scalars);
    int n = g->legal(s, moves);
    for (int k = 0; k < n; k++) mask[moves[k]] = 1;
    assert_memory_equal(m->b.masks + (size_t)i * (size_t)g->n_moves, mask, (size_t)g->n_moves);
    assert_int_equal(m->b.seats[i], g->seat(s));
    free(obs);
    free(bits);
    free(scalars);
    free(planes);
    free(mask);
    free(moves);
}

// Plays with moves of its own beside the environment.
static void follow(const char *name, bool floats)
{
    enum { N = 5, STEPS = 400 };
    many m = open_many(name, &(env_setup){.n = N, .threads = 2, .seed = 9, .floats = floats});
    const game *g = m.g;
    char *states = calloc(N, g->state_size);
    move_t *moves = malloc((size_t)g->max_legal * sizeof *moves);
    uint64_t number[N];
    int ended = 0;
    rng r = rng_at(4, 4, 4);
    assert_err(env_step(m.e, m.moves), "reset");
    assert_ok(env_reset(m.e, NULL));
    for (int i = 0; i < N; i++) {
        number[i] = (uint64_t)i;
        assert_ok(g->init(states + (size_t)i * g->state_size, "", (game_key){9, number[i]}));
        check_place(&m, i, states + (size_t)i * g->state_size, floats);
    }
    for (int step = 0; step < STEPS; step++) {
        step_event ev[N];
        for (int i = 0; i < N; i++) {
            void *s = states + (size_t)i * g->state_size;
            m.moves[i] = moves[rng_below(&r, (uint32_t)g->legal(s, moves))];
            g->play(s, (move_t)m.moves[i], &ev[i]);
        }
        assert_ok(env_step(m.e, m.moves));
        for (int i = 0; i < N; i++) {
            void *s = states + (size_t)i * g->state_size;
            outcome o = g->result(s);
            assert_int_equal(m.b.terminated[i], o.over);
            assert_int_equal(m.b.truncated[i], 0);
            assert_int_equal(m.b.events[i * ENV_EVENTS + 1], ev[i].points);
            for (int k = 0; k < g->n_seats; k++) {
                float want = g->n_seats == 1 ? (float)ev[i].points : o.over ? 2 * o.score[k] - 1 : 0;
                assert_true(m.b.rewards[i * g->n_seats + k] == want);
            }
            if (o.over) {
                ended++;
                number[i] += N;
                assert_ok(g->init(s, "", (game_key){9, number[i]}));
            }
            check_place(&m, i, s, floats);
        }
    }
    assert_true(ended > 0);
    free(states);
    free(moves);
    close_many(&m);
}

static void shows_what_the_table_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) follow(names[i], i % 2 == 1);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        enum { N = 300 };
        many one = open_many(names[k], &(env_setup){.n = N, .threads = 1, .seed = 3});
        many more = open_many(names[k], &(env_setup){.n = N, .threads = 3, .seed = 3});
        assert_ok(env_reset(one.e, NULL));
        assert_ok(env_reset(more.e, NULL));
        for (int step = 0; step < 80; step++) {
            assert_ok(env_step(one.e, one.moves)); // at random
            assert_ok(env_step(more.e, more.moves));
            assert_memory_equal(one.b.planes, more.b.planes, N * one.cells);
            assert_memory_equal(one.b.masks, more.b.masks, N * (size_t)one.g->n_moves);
            assert_memory_equal(one.b.rewards, more.b.rewards, N * (size_t)one.g->n_seats * sizeof(float));
            assert_memory_equal(one.b.terminated, more.b.terminated, N);
        }
        close_many(&one);
        close_many(&more);
    }
}

static void an_illegal_move_plays_nothing(void **state)
{
    (void)state;
    many m = open_many("othello", &(env_setup){.n = 3, .threads = 1});
    assert_ok(env_reset(m.e, NULL));
    m.moves[0] = 19;
    m.moves[1] = 0;
    assert_err(env_step(m.e, m.moves), "game 1: move 0 is not legal");
    m.moves[1] = 65535 + 20;
    assert_err(env_step(m.e, m.moves), "is not legal");
    for (int i = 0; i < 3; i++) assert_int_equal(m.b.lengths[i], 0);
    m.moves[1] = 19;
    assert_ok(env_step(m.e, m.moves));
    assert_int_equal(m.b.lengths[2], 1);
    close_many(&m);
}

static void an_opponent_plays_the_other_seat(void **state)
{
    (void)state;
    const char *const who[] = {"random", "greedy"};
    for (int w = 0; w < 2; w++) {
        many m = open_many("othello", &(env_setup){.n = 8, .threads = 2, .opponent = who[w], .seed = 5});
        uint8_t mine[8];
        int ended = 0;
        assert_ok(env_reset(m.e, NULL));
        memcpy(mine, m.b.seats, sizeof mine);
        for (int i = 0; i < 8; i++) assert_int_equal(mine[i], i % 2);
        for (int step = 0; step < 200; step++) {
            assert_ok(env_step(m.e, m.moves));
            for (int i = 0; i < 8; i++) {
                if (m.b.terminated[i]) {
                    ended++;
                    assert_true(m.b.rewards[2 * i] == -m.b.rewards[2 * i + 1]);
                    mine[i] = !mine[i]; // seats change with every game
                }
                assert_int_equal(m.b.seats[i], mine[i]);
            }
        }
        assert_true(ended >= 24);
        close_many(&m);
    }
    env *e;
    const game *g;
    assert_ok(game_find("puyo-solo", &g));
    assert_err(env_open(&e, &(env_setup){.g = g, .n = 1, .opponent = "random"}, &(env_buffers){0}), "played alone");
    assert_ok(game_find("othello", &g));
    assert_err(env_open(&e, &(env_setup){.g = g, .n = 1, .opponent = "human"}, &(env_buffers){0}), "a person");
    assert_err(env_open(&e, &(env_setup){.g = g, .n = 1, .opponent = "nobody"}, &(env_buffers){0}), "nobody");
    assert_err(env_open(&e, &(env_setup){.g = g, .n = 0}, &(env_buffers){0}), "games at once");
    assert_err(env_open(&e, &(env_setup){.g = g, .n = 1, .options = "size=3"}, &(env_buffers){0}), "no options");
    assert_err(env_open(&e, &(env_setup){.g = g, .n = 1, .encoding = "x"}, &(env_buffers){0}), "no encoding");
}

static void long_games_are_cut(void **state)
{
    (void)state;
    many m = open_many("othello", &(env_setup){.n = 2, .threads = 1, .max_plies = 7});
    uint8_t before[2 * 192];
    assert_ok(env_reset(m.e, NULL));
    for (int step = 1; step <= 21; step++) {
        if (step % 7 == 0) memcpy(before, m.b.planes, sizeof before);
        assert_ok(env_step(m.e, m.moves));
        assert_int_equal(m.b.truncated[1], step % 7 == 0);
        assert_int_equal(m.b.lengths[0], (step - 1) % 7 + 1);
        assert_int_equal(m.b.terminated[0], 0);
    }
    // The last position has one disc more than the one before it.
    int discs[2] = {0, 0};
    for (int c = 0; c < 128; c++) {
        discs[0] += before[c];
        discs[1] += ((uint8_t *)m.b.final_planes)[c];
    }
    assert_int_equal(discs[1], discs[0] + 1);
    close_many(&m);
}

static void seeds_give_games(void **state)
{
    (void)state;
    uint64_t seed = 77;
    many a = open_many("puyo", &(env_setup){.n = 4, .threads = 1, .seed = 77});
    many b = open_many("puyo", &(env_setup){.n = 4, .threads = 1, .seed = 1});
    assert_ok(env_reset(a.e, NULL));
    assert_ok(env_reset(b.e, NULL));
    size_t bytes = 4 * (size_t)a.enc->scalars * sizeof(float);
    assert_memory_not_equal(a.b.scalars, b.b.scalars, bytes);
    assert_ok(env_reset(b.e, &seed));
    assert_memory_equal(a.b.scalars, b.b.scalars, bytes);
    assert_ok(env_reset(b.e, NULL)); // the next games
    assert_memory_not_equal(a.b.scalars, b.b.scalars, bytes);
    close_many(&a);
    close_many(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_what_the_table_says),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(an_illegal_move_plays_nothing),
        cmocka_unit_test(an_opponent_plays_the_other_seat),
        cmocka_unit_test(long_games_are_cut),
        cmocka_unit_test(seeds_give_games),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
