// labels: threads
// Self-play: the same games whatever the threads, targets with the right sign, games in flight that survive.
#include "learn/zero/selfplay.h"
#include "test.h"

#include <math.h>

typedef struct setup {
    const game *g;
    samples_shape sh;
    nn_net *net;
    evaluator *e;
    az_config c;
    opt_values *keep;
} setup;

static void setup_make(setup *s, const char *name, const char *options)
{
    nn_desc d;
    assert_ok(game_find(name, &s->g));
    assert_ok(opt_defaults(az_opts, az_n_opts, &s->c));
    s->keep = opt_keep();
    assert_ok(opt_pairs(az_opts, az_n_opts, &s->c, options, "test", s->keep));
    assert_ok(samples_shape_make(&s->sh, s->g, &s->g->encodings[0]));
    assert_ok(az_net_desc(&s->c, s->g, s->sh.enc, &d));
    assert_ok(nn_net_new(&s->net, &d, 3));
    assert_ok(evaluator_new(&s->e, s->g, s->net, &(eval_options){.max_batch = 8, .cache = 1 << 20}));
}

static void setup_free(setup *s)
{
    evaluator_free(s->e);
    nn_net_free(s->net);
    samples_shape_free(&s->sh);
    opt_free(s->keep);
}

static void rounds(setup *s, selfplay *sp, int n, uint64_t step, samples *out, selfplay_stats *sum)
{
    game_queue *q;
    assert_ok(game_queue_new(&q));
    game_sink to = game_queue_sink(q);
    game_source from = game_queue_source(q);
    for (int i = 0; i < n; i++) {
        selfplay_stats st;
        uint64_t games;
        size_t before = out->n;
        assert_ok(selfplay_round(sp, s->e, step + (uint64_t)i, NULL, &to, &st));
        assert_ok(game_source_drain(&from, &s->sh, out, &games));
        assert_int_equal(games, st.games);
        assert_int_equal(out->n - before, st.positions);
        sum->games += st.games;
        sum->sims += st.sims;
        sum->resigned += st.resigned;
        sum->resign_checked += st.resign_checked;
    }
    game_queue_free(q);
}

// Every game goes out once, with its number, its result and the version of the weights; as bytes it comes back the same.
static void games_go_out_one_by_one(void **unused)
{
    (void)unused;
    enum { ROUNDS = 6, MOST = 4096 };
    setup s;
    selfplay *sp;
    game_queue *q;
    static bool seen[MOST];
    uint64_t total = 0;
    setup_make(&s, "tictactoe", "net='c=8 b=1',in-flight=8,sims=8,round=60,resign=0.2,openings=2");
    assert_ok(selfplay_new(&sp, &s.sh, &s.c, 5, 2, false));
    assert_ok(game_queue_new(&q));
    game_sink to = game_queue_sink(q);
    game_source from = game_queue_source(q);
    for (uint64_t step = 100; step < 100 + ROUNDS; step++) {
        selfplay_stats st;
        uint64_t games = 0, positions = 0, resigned = 0;
        double first = 0;
        assert_ok(selfplay_round(sp, s.e, step, NULL, &to, &st));
        for (bool got = true; got;) {
            finished_game g = {0}, back;
            text_buf t = {0}, u = {0};
            assert_ok(from.take(from.ctx, &g, &got));
            if (!got) break;
            assert_true(g.id < MOST && !seen[g.id]);
            seen[g.id] = true;
            assert_int_equal(g.weights, step);
            assert_true(g.plies <= 9 && g.s.n <= g.plies + 1u && g.halves <= 2);
            games++;
            positions += g.s.n;
            resigned += g.resigned;
            first += g.halves == 2;
            assert_ok(finished_game_write(&g, &s.sh, &t));
            assert_ok(finished_game_read(&back, &s.sh, t.data, t.len));
            assert_ok(finished_game_write(&back, &s.sh, &u));
            assert_int_equal(t.len, u.len);
            assert_memory_equal(t.data, u.data, t.len);
            finished_game_free(&back);
            for (size_t cut = 0; cut < t.len; cut += 7)
                assert_int_not_equal(finished_game_read(&back, &s.sh, t.data, cut), ERR_OK);
            t.data[0] ^= 1;
            assert_err(finished_game_read(&back, &s.sh, t.data, t.len), "no finished game");
            text_free(&t);
            text_free(&u);
            finished_game_free(&g);
        }
        assert_int_equal(games, st.games);
        assert_int_equal(positions, st.positions);
        assert_int_equal(resigned, st.resigned);
        assert_float_equal(first, st.first_wins, 0);
        total += games;
    }
    assert_true(total > 20);
    // what still waits goes with the queue
    selfplay_stats st;
    assert_ok(selfplay_round(sp, s.e, 200, NULL, &to, &st));
    game_queue_free(q);
    selfplay_free(sp);
    setup_free(&s);
}

static void assert_same_bytes(const samples *a, const samples *b, const samples_shape *sh)
{
    text_buf x = {0}, y = {0};
    assert_ok(samples_write(a, sh, &x));
    assert_ok(samples_write(b, sh, &y));
    assert_int_equal(x.len, y.len);
    assert_memory_equal(x.data, y.data, x.len);
    text_free(&x);
    text_free(&y);
}

static const char *const all_options = "net='c=16 "
                                       "b=1',in-flight=12,sims=12,full=0.5,fast-sims=4,round=60,forced=2,openings=3,"
                                       "resign=0.3,sims-start=4,sims-grow=3,mix=0.3";

static void threads_change_nothing(void **unused)
{
    (void)unused;
    const struct {
        int threads, per_call;
    } how[] = {{1, 12}, {2, 3}, {3, 1}};
    const char *const options[] = {
        all_options, "net='c=16 b=1',in-flight=12,sims=9,gumbel=4,round=40,noise=0",
        "net='c=16 b=1 scalar=1:8:1',in-flight=12,sims=9,gumbel=4,round=40,noise=0,margin=0.6"};
    for (int k = 0; k < 3; k++) {
        samples first = {0};
        for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
            setup s;
            selfplay *sp;
            samples out = {0};
            selfplay_stats st = {0};
            setup_make(&s, "tictactoe", options[k]);
            s.c.per_call = how[i].per_call;
            assert_ok(selfplay_new(&sp, &s.sh, &s.c, 77, how[i].threads, false));
            rounds(&s, sp, 3, 0, &out, &st);
            assert_true(st.games > 8);
            if (i == 0)
                first = out;
            else {
                assert_same_bytes(&first, &out, &s.sh);
                samples_free(&out);
            }
            selfplay_free(sp);
            setup_free(&s);
        }
        samples_free(&first);
    }
}

// Stopped after two rounds, loaded into another process's self-play: the third round is the same.
static void games_in_flight_survive(void **unused)
{
    (void)unused;
    const char *const games[] = {"tictactoe", "contrast"};
    for (int k = 0; k < 2; k++) {
        setup s;
        selfplay *a, *b;
        samples x = {0}, y = {0};
        selfplay_stats st = {0};
        text_buf t = {0}, u = {0};
        setup_make(&s, games[k], all_options);
        if (k == 1) s.c.in_flight = 4;
        assert_ok(selfplay_new(&a, &s.sh, &s.c, 5, 1, false));
        assert_ok(selfplay_new(&b, &s.sh, &s.c, 5, 1, false));
        rounds(&s, a, 2, 0, &x, &st);
        assert_ok(selfplay_save(a, &t));
        samples_clear(&x);
        rounds(&s, a, 2, 2, &x, &st);
        assert_ok(selfplay_load(b, t.data, t.len));
        assert_ok(selfplay_save(b, &u));
        assert_int_equal(t.len, u.len);
        assert_memory_equal(t.data, u.data, t.len);
        rounds(&s, b, 2, 2, &y, &st);
        assert_same_bytes(&x, &y, &s.sh);
        for (size_t cut = 0; cut < t.len; cut += 1 + t.len / 61)
            assert_int_not_equal(selfplay_load(b, t.data, cut), ERR_OK);
        t.data[4]++;
        assert_err(selfplay_load(b, t.data, t.len), "in flight");
        text_free(&t);
        text_free(&u);
        samples_free(&x);
        samples_free(&y);
        selfplay_free(a);
        selfplay_free(b);
        setup_free(&s);
    }
}

static bool line(uint64_t stones)
{
    static const uint16_t lines[] = {7, 56, 448, 73, 146, 292, 273, 84};
    for (int i = 0; i < 8; i++)
        if ((stones & lines[i]) == lines[i]) return true;
    return false;
}

// The classic mistakes are signs. In tic-tac-toe, read from the planes (own stones, the other's) alone: who can win at once
// does, since the search proves it, and must have value +1; who cannot stop it, because two squares win for the other and
// none for him, has lost, and must have -1.
static void values_have_the_right_sign(void **unused)
{
    (void)unused;
    setup s;
    selfplay *sp;
    samples out = {0};
    selfplay_stats st = {0};
    setup_make(&s, "tictactoe", "net='c=16 b=1',in-flight=16,sims=60,round=1200,temperature-plies=0,noise=0.5");
    assert_ok(selfplay_new(&sp, &s.sh, &s.c, 1, 1, false));
    rounds(&s, sp, 2, 0, &out, &st);
    int wins = 0, losses = 0;
    for (size_t i = 0; i < out.n; i++) {
        uint64_t own = out.bits[2 * i], opp = out.bits[2 * i + 1];
        int mine = 0, his = 0;
        for (int sq = 0; sq < 9; sq++) {
            if ((own | opp) >> sq & 1) continue;
            mine += line(own | 1u << sq);
            his += line(opp | 1u << sq);
        }
        assert_int_equal(out.seat[i], __builtin_popcountll(own | opp) & 1);
        if (mine > 0) {
            assert_float_equal(out.value[i], 1, 0);
            for (uint32_t k = out.start[i]; k < out.start[i + 1]; k++)
                if (out.prob[k] > 0) assert_true(line(own | 1u << out.move[k])); // the target, too, is the win
            wins++;
        } else if (his > 1) {
            assert_float_equal(out.value[i], -1, 0);
            losses++;
        }
        assert_true(out.value[i] == 1 || out.value[i] == 0 || out.value[i] == -1);
    }
    assert_true(wins > 30 && losses > 5);
    samples_free(&out);
    selfplay_free(sp);
    setup_free(&s);
}

// The same games three times, with the search's values, with results, and with TD(0.7) as targets: the last follow from
// the others, walking each game backwards with the sign of the seat.
static void values_look_ahead(void **unused)
{
    (void)unused;
    const char *const how[] = {"mix=1", "lambda=1", "lambda=0.7"};
    samples out[3] = {0};
    for (int k = 0; k < 3; k++) {
        setup s;
        selfplay *sp;
        selfplay_stats st = {0};
        char options[200];
        snprintf(options, sizeof options, "net='c=16 b=1',in-flight=8,sims=20,round=600,openings=3,%s", how[k]);
        setup_make(&s, "tictactoe", options);
        assert_ok(selfplay_new(&sp, &s.sh, &s.c, 4, 1, false));
        rounds(&s, sp, 1, 0, &out[k], &st);
        assert_true(st.games > 16);
        selfplay_free(sp);
        setup_free(&s);
    }
    assert_int_equal(out[0].n, out[2].n);
    double later = 0;
    int before = -1, between = 0;
    for (size_t i = out[0].n; i-- > 0;) {
        int stones = __builtin_popcountll(out[0].bits[2 * i] | out[0].bits[2 * i + 1]);
        double sign = out[0].seat[i] == 0 ? 1 : -1;
        if (stones >= before) later = sign * out[1].value[i]; // the last position of a game
        before = stones;
        assert_true(fabs(out[2].value[i] - sign * later) < 1e-5);
        later = 0.7 * later + 0.3 * sign * out[0].value[i];
        between += out[2].value[i] != out[1].value[i];
    }
    assert_true(between > 20);
    for (int k = 0; k < 3; k++) samples_free(&out[k]);
}

// Othello's last squares are the solver's: every game's end is recorded, with values that fit the margins.
static void the_solver_plays_the_end(void **unused)
{
    (void)unused;
    setup s;
    selfplay *sp;
    samples out = {0};
    selfplay_stats st = {0};
    setup_make(
        &s, "othello",
        "net='c=16 b=1',in-flight=4,sims=2,round=190,endgame=6,full=0.3,fast-sims=1,openings=40,openings-share=1");
    assert_ok(selfplay_new(&sp, &s.sh, &s.c, 8, 1, false));
    rounds(&s, sp, 2, 0, &out, &st);
    assert_true(st.games >= 4);
    int ends = 0;
    for (size_t i = 0; i < out.n; i++) {
        int empty = 64 - __builtin_popcountll(out.bits[3 * i] | out.bits[3 * i + 1]);
        double sign = out.margin[i] > 0 ? 1 : out.margin[i] < 0 ? -1 : 0;
        assert_float_equal(out.value[i], sign, 0);
        assert_float_equal(out.margin[i] * 64, roundf(out.margin[i] * 64), 0);
        ends += empty <= 6;
    }
    assert_true(ends >= 3 * (int)st.games);
    samples_free(&out);
    selfplay_free(sp);
    setup_free(&s);
}

// A win by fours ends the game: the last position of each is won by one move that the network is to learn.
static void wins_by_fours_end_games(void **unused)
{
    (void)unused;
    setup s;
    selfplay *sp;
    samples out = {0};
    selfplay_stats st = {0}, plain = {0};
    setup_make(&s, "gomoku", "net='c=8 b=1',in-flight=4,sims=4,round=400,threats=200,even=1");
    assert_ok(selfplay_new(&sp, &s.sh, &s.c, 8, 2, false));
    rounds(&s, sp, 3, 0, &out, &st);
    assert_true(st.games >= 4);
    int sure = 0;
    for (size_t i = 0; i < out.n; i++)
        for (uint32_t k = out.start[i]; k < out.start[i + 1]; k++) sure += out.prob[k] == 65535 && out.value[i] == 1;
    assert_true(sure >= (int)st.games);
    selfplay_free(sp);
    samples_clear(&out);
    s.c.threats = 0;
    assert_ok(selfplay_new(&sp, &s.sh, &s.c, 8, 1, false));
    rounds(&s, sp, 3, 0, &out, &plain);
    assert_true(plain.games < st.games); // they last longer
    samples_free(&out);
    selfplay_free(sp);
    setup_free(&s);
}

// As on a GPU beside a learner: rounds end by the sum of simulations, searches go on in the next one, and a learner that
// is still at work gets a little more time.
static void rounds_flow(void **unused)
{
    (void)unused;
    enum { ROUNDS = 5, PLACES = 16, ROUND = 300 };
    setup s;
    selfplay *sp, *back;
    selfplay_stats st;
    text_buf flight = {0};
    atomic_bool busy = true;
    uint64_t sims = 0, games = 0;
    setup_make(&s, "tictactoe", "net='c=8 b=1',in-flight=16,sims=40,round=300,async=yes,openings=2");
    evaluator_free(s.e);
    assert_ok(evaluator_new(&s.e, s.g, s.net, &(eval_options){.max_batch = PLACES, .cache = 1 << 20, .priors = true}));
    assert_ok(selfplay_new(&sp, &s.sh, &s.c, 5, 2, true));
    for (uint64_t i = 0; i < ROUNDS; i++) {
        samples out = {0};
        game_queue *q;
        uint64_t n;
        assert_ok(game_queue_new(&q));
        game_sink to = game_queue_sink(q);
        game_source from = game_queue_source(q);
        assert_ok(selfplay_round(sp, s.e, i, NULL, &to, &st));
        assert_ok(game_source_drain(&from, &s.sh, &out, &n));
        assert_int_equal(n, st.games);
        assert_int_equal(out.n, st.positions);
        for (size_t k = 0; k < out.n; k++) assert_true(fabsf(out.value[k]) <= 1);
        sims += st.sims + st.moves;
        games += st.games;
        game_queue_free(q);
        samples_free(&out);
    }
    assert_true(games > 5 * PLACES);
    // Every round has its share, and at most what the searches under way at its end add.
    assert_in_range(sims, ROUNDS * PLACES * ROUND, ROUNDS * PLACES * (ROUND + 41));
    assert_ok(selfplay_save(sp, &flight));
    assert_ok(selfplay_new(&back, &s.sh, &s.c, 5, 1, true));
    assert_ok(selfplay_load(back, flight.data, flight.len));
    game_queue *q;
    assert_ok(game_queue_new(&q));
    game_sink to = game_queue_sink(q);
    assert_ok(selfplay_round(back, s.e, 9, &busy, &to, &st));
    assert_true(st.sims + st.moves >= PLACES * ROUND * 5 / 4);
    game_queue_free(q);
    text_free(&flight);
    selfplay_free(sp);
    selfplay_free(back);
    setup_free(&s);
}

// Searches that lean to the margin play other games, and results stay results.
static void leaning_changes_the_games_alone(void **unused)
{
    (void)unused;
    samples out[2] = {{0}, {0}};
    for (int k = 0; k < 2; k++) {
        setup s;
        selfplay *sp;
        selfplay_stats st = {0};
        setup_make(&s, "othello", "net='c=16 b=1 scalar=1:8:1',in-flight=4,sims=8,gumbel=4,round=1000,endgame=6");
        s.c.margin = k * 0.8;
        assert_ok(selfplay_new(&sp, &s.sh, &s.c, 8, 1, false));
        rounds(&s, sp, 1, 0, &out[k], &st);
        assert_true(st.games >= 4);
        for (size_t i = 0; i < out[k].n; i++)
            assert_float_equal(out[k].value[i], out[k].margin[i] > 0 ? 1 : out[k].margin[i] < 0 ? -1 : 0, 0);
        selfplay_free(sp);
        setup_free(&s);
    }
    assert_true(out[0].n != out[1].n || memcmp(out[0].bits, out[1].bits, out[0].n * 3 * sizeof *out[0].bits) != 0);
    for (int k = 0; k < 2; k++) samples_free(&out[k]);
}

static void giving_up_is_checked(void **unused)
{
    (void)unused;
    setup s;
    selfplay *sp;
    samples out = {0};
    selfplay_stats st = {0};
    // A threshold of almost nothing: nearly everybody wants to give up, so both kinds of game occur.
    setup_make(&s, "contrast", "net='c=16 b=1',in-flight=6,sims=4,round=200,resign=0.0001,resign-check=0.5");
    assert_ok(selfplay_new(&sp, &s.sh, &s.c, 2, 1, false));
    rounds(&s, sp, 3, 0, &out, &st);
    assert_true(st.resigned > 0 && st.resign_checked > 0);
    samples_free(&out);
    selfplay_free(sp);
    setup_free(&s);
}

static void other_games_are_refused(void **unused)
{
    (void)unused;
    const game *g;
    samples_shape sh;
    az_config c;
    selfplay *sp;
    assert_ok(game_find("puyo", &g));
    assert_ok(samples_shape_make(&sh, g, &g->encodings[0]));
    assert_ok(opt_defaults(az_opts, az_n_opts, &c));
    assert_err(selfplay_new(&sp, &sh, &c, 1, 1, false), "puyo cannot be learned this way");
    samples_shape_free(&sh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(games_go_out_one_by_one),
        cmocka_unit_test(games_in_flight_survive),
        cmocka_unit_test(values_have_the_right_sign),
        cmocka_unit_test(the_solver_plays_the_end),
        cmocka_unit_test(wins_by_fours_end_games),
        cmocka_unit_test(rounds_flow),
        cmocka_unit_test(leaning_changes_the_games_alone),
        cmocka_unit_test(values_look_ahead),
        cmocka_unit_test(giving_up_is_checked),
        cmocka_unit_test(other_games_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
