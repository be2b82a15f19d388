// The agent mcts in every game: legal, repeatable, stronger than chance; its tree follows the game.
#include "agents/agent.h"
#include "base/clock.h"
#include "test.h"

#include <unistd.h>

enum { MOST = 600 };

static agent *open_agent(const game *g, const char *spec)
{
    agent *a;
    assert_ok(agent_open(&a, g, spec));
    return a;
}

static const game *named(const char *name)
{
    const game *g;
    assert_ok(game_find(name, &g));
    return g;
}

// One game of at most `plies`; every move is checked. Returns the first seat's score, or -1 when it was cut short.
static float play(const game *g, agent *const seats[2], uint64_t number, int plies, bool tell, move_t *moves, int *n)
{
    void *s = calloc(1, g->state_size), *obs = calloc(1, g->obs_size);
    move_t *legal = malloc((size_t)g->max_legal * sizeof *legal);
    assert_ok(g->init(s, "", (game_key){4, number}));
    for (int i = 0; i < g->n_seats; i++) agent_begin(seats[i], (game_key){4, number}, i);
    *n = 0;
    while (!g->result(s).over && *n < plies) {
        agent_choice c;
        int seat = g->seat(s), count = g->legal(s, legal), at = 0;
        game_observe(g, s, seat, obs);
        assert_ok(agent_choose(seats[seat], obs, &c));
        while (at < count && legal[at] != c.move) at++;
        if (at == count) fail_msg("%s, ply %d: %s chose the illegal move %d", g->name, *n, seats[seat]->spec, c.move);
        for (int i = 0; tell && i < g->n_seats; i++) {
            game_observe(g, s, i, obs);
            agent_saw(seats[i], obs, c.move);
        }
        moves[(*n)++] = c.move;
        g->play(s, c.move, NULL);
    }
    float score = g->result(s).over ? g->result(s).score[0] : -1;
    free(legal);
    free(obs);
    free(s);
    return score;
}

static void plays_every_game(void **state)
{
    (void)state;
    for (int i = 0; i < game_count(); i++) {
        const game *g = game_at(i);
        agent *a = open_agent(g, "mcts:sims=20,plies=60,memory=4"), *b = open_agent(g, "random"), *seats[2] = {a, b};
        move_t x[MOST], y[MOST];
        int n, m;
        play(g, seats, 1, 40, true, x, &n);
        assert_true(n > 0);
        play(g, seats, 2, 10, true, y, &m); // something else between them
        play(g, seats, 1, 40, true, y, &m);
        assert_int_equal(n, m);
        assert_memory_equal(x, y, (size_t)n * sizeof *x);
        agent_close(a);
        agent_close(b);
    }
}

static void every_option_is_taken(void **state)
{
    (void)state;
    const game *g = named("tictactoe");
    static const char *const specs[] = {
        "mcts:sims=60,eval=none",
        "mcts:sims=60,leaves=4,c=2,fpu=-1,rollouts=3",
        "mcts:sims=60,temperature=1,temperature-plies=4,noise=0.25,alpha=1",
        "mcts:sims=60,gumbel=4,gumbel-scale=0.3,transpositions=off",
        "mcts:sims=60,fpu=0.3,temperature=1,temperature-plies=2,temperature-end=0.3",
        "mcts:sims=60,solver=no",
        "mcts:sims=60,reuse=no,transpositions=on",
        "mcts:sims=100000,seconds=0.01,solver=no",
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        agent *a;
        if (agent_open(&a, g, specs[i]) != ERR_OK) fail_msg("%s: %s", specs[i], err_text());
        agent *seats[2] = {a, open_agent(g, "random")};
        move_t moves[MOST];
        int n;
        assert_true(play(g, seats, i, MOST, true, moves, &n) >= 0);
        agent_close(seats[0]);
        agent_close(seats[1]);
    }
    agent *a;
    assert_err(agent_open(&a, g, "mcts:sims=0"), "sims");
    assert_err(agent_open(&a, g, "mcts:eval=network"), "eval");
    assert_err(agent_open(&a, g, "mcts:wisdom=1"), "wisdom");
    assert_err(agent_open(&a, named("puyo"), "mcts:transpositions=on"), "puyo");
}

static void never_loses_at_tic_tac_toe(void **state)
{
    (void)state;
    const game *g = named("tictactoe");
    agent *a = open_agent(g, "mcts:sims=2000,memory=4"), *b = open_agent(g, "random");
    for (uint64_t i = 0; i < 20; i++) {
        agent *seats[2] = {i % 2 == 0 ? a : b, i % 2 == 0 ? b : a};
        move_t moves[MOST];
        int n;
        float score = play(g, seats, i, MOST, true, moves, &n);
        assert_true(i % 2 == 0 ? score >= 0.5f : score <= 0.5f);
    }
    agent_close(a);
    agent_close(b);
}

static void beats_random_play(void **state)
{
    (void)state;
    static const char *const names[] = {"othello", "contrast"};
    for (int k = 0; k < 2; k++) {
        const game *g = named(names[k]);
        agent *a = open_agent(g, "mcts:sims=60,memory=4"), *b = open_agent(g, "random");
        float points = 0;
        for (uint64_t i = 0; i < 8; i++) {
            agent *seats[2] = {i % 2 == 0 ? a : b, i % 2 == 0 ? b : a};
            move_t moves[MOST];
            int n;
            float score = play(g, seats, i, MOST, true, moves, &n);
            points += i % 2 == 0 ? score : 1 - score;
        }
        printf("%s: %.1f of 8 against random\n", names[k], (double)points);
        assert_true(points >= 6.5f);
        agent_close(a);
        agent_close(b);
    }
}

// Whether or not it is told of the moves, it plays on from the position it is shown.
static void follows_the_game_or_starts_anew(void **state)
{
    (void)state;
    const game *g = named("othello");
    agent *seats[2] = {open_agent(g, "mcts:sims=30,memory=4"), open_agent(g, "mcts:sims=30,memory=4,reuse=no")};
    move_t moves[MOST];
    int n;
    assert_true(play(g, seats, 1, MOST, true, moves, &n) >= 0);
    assert_true(play(g, seats, 1, MOST, false, moves, &n) >= 0);
    for (int i = 0; i < 2; i++) agent_close(seats[i]);
}

static void analyses_and_knows_the_end(void **state)
{
    (void)state;
    const game *g = named("tictactoe");
    agent *a = open_agent(g, "mcts:sims=500,memory=4");
    char *s = calloc(1, g->state_size);
    agent_choice c[4];
    int n;
    assert_ok(g->init(s, "", (game_key){0, 0}));
    agent_begin(a, (game_key){0, 0}, 0);
    assert_ok(agent_analyse(a, s, 4, c, &n));
    assert_int_equal(n, 4);
    uint64_t visits = 0;
    for (int i = 0; i < 4; i++) { // every line begins with its move; the best is played out far
        char move[64];
        g->move_print(s, c[i].move, move, sizeof move);
        assert_true(strncmp(c[i].text, move, strlen(move)) == 0 && (c[i].text[strlen(move)] == ' '));
        assert_true(i == 0 || c[i].nodes <= c[i - 1].nodes);
        visits += c[i].nodes;
    }
    assert_true(c[0].value > 0.4f && strlen(c[0].text) > 8 && visits <= 500);
    rng r = rng_at(1, 2, 3);
    game_random_playout(g, s, &r, 100);
    assert_err(agent_choose(a, s, c), "over");
    assert_err(agent_analyse(a, s, 4, c, &n), "over");
    free(s);
    agent_close(a);
}

static void time_limits_are_kept(void **state)
{
    (void)state;
    const game *g = named("othello");
    agent *a = open_agent(g, "mcts:sims=100000000,seconds=0.05,memory=4");
    char *s = calloc(1, g->state_size);
    agent_choice c;
    assert_ok(g->init(s, "", (game_key){0, 0}));
    agent_begin(a, (game_key){0, 0}, 0);
    double start = clock_cpu_seconds();
    assert_ok(agent_choose(a, s, &c));
    assert_true(clock_cpu_seconds() - start < 0.5);
    assert_true(c.nodes > 0);
    free(s);
    agent_close(a);
}

// A full tree whose walks end in known results asks for no evaluations: it must look at the clock all the same.
static void a_full_tree_keeps_its_time(void **state)
{
    (void)state;
    const game *g = named("othello");
    agent *a = open_agent(g, "mcts:sims=1000000000,memory=1,seconds=0.1,eval=none");
    agent_choice c = {0};
    void *s = calloc(1, g->state_size);
    assert_ok(g->init(s, "", (game_key){1, 0}));
    agent_begin(a, (game_key){1, 0}, 0);
    alarm(120); // a search that never ends would never fail
    assert_ok(agent_choose(a, s, &c));
    alarm(0);
    assert_true(c.nodes > 1000 && c.nodes < 1000000000);
    free(s);
    agent_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_tree_keeps_its_time),
        cmocka_unit_test(plays_every_game),
        cmocka_unit_test(every_option_is_taken),
        cmocka_unit_test(never_loses_at_tic_tac_toe),
        cmocka_unit_test(beats_random_play),
        cmocka_unit_test(follows_the_game_or_starts_anew),
        cmocka_unit_test(analyses_and_knows_the_end),
        cmocka_unit_test(time_limits_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
