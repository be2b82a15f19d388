// Contrast's agents through the table: rule, alphabeta, and what zero does for this game alone.
#include "agents/agent.h"
#include "base/clock.h"
#include "search/contrast/contrast_ab.h"
#include "search/contrast/contrast_eval.h"
#include "search/contrast/contrast_proof.h"
#include "search/contrast/contrast_rule.h"
#include "test.h"

extern const game game_contrast;
static const game *const g = &game_contrast;

static agent *open_agent(const char *spec)
{
    agent *a;
    assert_ok(agent_open(&a, g, spec));
    return a;
}

static ctr_state parse(const char *text)
{
    ctr_state s;
    assert_ok(g->state_parse(text, &s));
    return s;
}

// One game from the start; moves[] receives it. Returns the result of the first player.
static float play(agent *first, agent *second, uint64_t number, move_t *moves, int *n)
{
    agent *seats[2] = {first, second};
    ctr_state s;
    assert_ok(g->init(&s, "", (game_key){3, number}));
    for (int i = 0; i < 2; i++) agent_begin(seats[i], (game_key){3, number}, i);
    *n = 0;
    while (s.reason == REASON_NONE) {
        agent_choice c;
        assert_ok(agent_choose(seats[s.b.side], &s, &c));
        assert_true(ctr_legal(&s.b, c.move));
        for (int i = 0; i < 2; i++) agent_saw(seats[i], &s, c.move);
        moves[(*n)++] = c.move;
        ctr_state_play(&s, c.move);
    }
    return g->result(&s).score[0];
}

static void rule_plays_the_rules(void **state)
{
    (void)state;
    agent *a = open_agent("rule");
    ctr_state s = parse("22.22/..1../..2../...../11.11 - 3b1g/3b1g 1");
    agent_choice c;
    agent_begin(a, (game_key){0, 0}, 0);
    assert_ok(agent_choose(a, &s, &c));
    assert_int_equal(c.move, ctr_rule_move(&s.b));
    assert_string_equal(c.text, "rule 1 (wins), score 0");
    ctr_state_play(&s, c.move);
    assert_err(agent_choose(a, &s, &c), "over");
    agent_close(a);
    const game *other;
    assert_ok(game_find("tictactoe", &other));
    assert_err(agent_open(&a, other, "rule"), "contrast");
}

static void parameters_are_checked(void **state)
{
    (void)state;
    agent *a;
    assert_err(agent_open(&a, g, "alphabeta:depth=49"), "depth");
    assert_err(agent_open(&a, g, "alphabeta:depth=-1"), "depth");
    assert_err(agent_open(&a, g, "alphabeta:hash=0"), "hash");
    assert_err(agent_open(&a, g, "alphabeta:threads=257"), "threads");
    assert_err(agent_open(&a, g, "alphabeta:breadth=2"), "breadth");
    assert_err(agent_open(&a, g, "alphabeta:nodes=many"), "nodes");
}

static void the_same_game_twice(void **state)
{
    (void)state;
    agent *a = open_agent("alphabeta:depth=2,hash=1"), *b = open_agent("alphabeta:nodes=500,hash=1");
    move_t x[CTR_MAX_PLIES], y[CTR_MAX_PLIES];
    int n, m;
    float first = play(a, b, 1, x, &n);
    play(b, a, 2, y, &m); // something else between them
    assert_true(play(a, b, 1, y, &m) == first);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    agent_close(a);
    agent_close(b);
}

static void alphabeta_beats_random_and_greedy(void **state)
{
    (void)state;
    static const char *const others[] = {"random", "greedy", "rule"};
    move_t moves[CTR_MAX_PLIES];
    int n;
    agent *a = open_agent("alphabeta:depth=3,hash=1");
    for (int k = 0; k < 3; k++) {
        agent *b = open_agent(others[k]);
        float points = 0;
        for (uint64_t i = 0; i < 6; i++) points += i % 2 == 0 ? play(a, b, i, moves, &n) : 1 - play(b, a, i, moves, &n);
        printf("against %s: %.1f of 6\n", others[k], (double)points);
        assert_true(points >= 5.5f);
        agent_close(b);
    }
    agent_close(a);
}

static void a_clock_is_kept(void **state)
{
    (void)state;
    agent *a = open_agent("alphabeta");
    ctr_state s = parse("start");
    agent_choice c;
    agent_begin(a, (game_key){0, 0}, 0);
    a->clock = (agent_clock){.left = 60, .turn = 0.1};
    double start = clock_cpu_seconds();
    assert_ok(agent_choose(a, &s, &c));
    double took = clock_cpu_seconds() - start; // of this process: other work on the machine does not count
    assert_true(took < 0.5);
    assert_true(c.depth >= 2);
    a->clock = (agent_clock){.left = 0.3};
    start = clock_cpu_seconds();
    assert_ok(agent_choose(a, &s, &c));
    assert_true(clock_cpu_seconds() - start < 0.3);
    agent_close(a);
}

static void analysis_names_several_moves(void **state)
{
    (void)state;
    agent *a = open_agent("alphabeta:depth=2,hash=1");
    ctr_state s = parse("2..../22.2./.12../111.1/..... c5g,d5b,d4b,a3b,c3b,a1b 0b0g/1b1g 2 15");
    agent_choice c[5];
    int n;
    agent_begin(a, (game_key){0, 0}, 1);
    assert_ok(agent_analyse(a, &s, 5, c, &n));
    assert_int_equal(n, 5);
    assert_true(c[0].value > 0.999f);
    assert_non_null(strstr(c[0].text, "wins in 3: c3,d2"));
    for (int i = 1; i < n; i++) {
        assert_true(c[i].value <= c[i - 1].value);
        for (int k = 0; k < i; k++) assert_int_not_equal(c[i].move, c[k].move);
        assert_true(ctr_legal(&s.b, c[i].move));
    }
    agent_close(a);
}

static agent_choice chosen_by(const char *spec, const ctr_state *s)
{
    agent *a = open_agent(spec);
    agent_choice c;
    agent_begin(a, (game_key){5, 6}, (int)s->b.side);
    assert_ok(agent_choose(a, s, &c));
    agent_close(a);
    return c;
}

static void zero_knows_threats_without_an_answer(void **state)
{
    (void)state;
    int found = 0;
    for (uint64_t i = 0; found < 20; i++) {
        ctr_state s;
        rng r = rng_at(23, i, 0);
        assert_ok(g->init(&s, "", (game_key){23, i}));
        game_random_playout(g, &s, &r, 10 + (int)(i % 20));
        if (s.reason != REASON_NONE || ctr_threat(&s.b, s.b.side)) continue;
        move_t win = ctr_proof_win(&s);
        if (win == MOVE_NONE) continue;
        agent_choice c = chosen_by("zero:sims=1", &s);
        assert_int_equal(c.move, win);
        assert_string_equal(c.text, "solved: wins by threats");
        assert_string_not_equal(chosen_by("zero:sims=1,threats=0", &s).text, c.text);
        found++;
    }
}

static void zero_takes_unvisited_moves_for_worse_than_their_parent(void **state)
{
    (void)state;
    ctr_state s;
    assert_ok(g->init(&s, "", (game_key){0, 0}));
    agent_choice c = chosen_by("zero:sims=300", &s);
    assert_true(c.value == chosen_by("zero:sims=300,fpu=0.2", &s).value);
    assert_true(c.value != chosen_by("zero:sims=300,fpu=1", &s).value);
}

static void zero_evaluates_several_leaves_at_once(void **state)
{
    (void)state;
    const struct {
        const char *plain, *same, *other;
    } spec[] = {
        {"zero:sims=150", "zero:sims=150,leaves=1", "zero:sims=150,leaves=2"},
        {"zero:sims=300", "zero:sims=300,leaves=3", "zero:sims=300,leaves=1"},
        {"zero:sims=1000", "zero:sims=1000,leaves=8", "zero:sims=1000,leaves=10"},
    };
    ctr_state s;
    assert_ok(g->init(&s, "", (game_key){0, 0}));
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        agent_choice c = chosen_by(spec[i].plain, &s);
        assert_true(c.value == chosen_by(spec[i].same, &s).value);
        assert_true(c.value != chosen_by(spec[i].other, &s).value);
    }
}

// A search that may stop early finds the same move with fewer simulations; analysis and draws by temperature use them all.
static void zero_stops_when_its_choice_is_settled(void **state)
{
    (void)state;
    uint64_t early = 0, all = 0, on = 0;
    for (uint64_t i = 0; i < 12; i++) {
        ctr_state s;
        rng r = rng_at(31, i, 0);
        assert_ok(g->init(&s, "", (game_key){31, i}));
        game_random_playout(g, &s, &r, (int)(i % 6));
        if (ctr_proof_win(&s) != MOVE_NONE) continue;
        agent_choice c = chosen_by("zero:sims=200", &s), whole = chosen_by("zero:sims=200,early-stop=off", &s);
        assert_int_equal(c.move, whole.move);
        early += c.nodes;
        uint64_t whole_nodes = whole.nodes;
        all += whole_nodes;
        on += chosen_by("zero:sims=200,early-stop=on", &s).nodes;
        assert_int_equal(chosen_by("zero:sims=200,temperature=0.1", &s).nodes, whole.nodes);
        c = chosen_by("mcts:sims=100,plies=4", &s), whole = chosen_by("mcts:sims=100,plies=4,early-stop=off", &s);
        assert_int_equal(c.nodes, whole.nodes); // only where it is asked for
        assert_int_equal(chosen_by("mcts:sims=100,plies=4,early-stop=on", &s).move, whole.move);
        agent *a = open_agent("zero:sims=200");
        agent_choice lines[64];
        uint64_t analysed = 0;
        int n;
        agent_begin(a, (game_key){5, 6}, (int)s.b.side);
        assert_ok(agent_analyse(a, &s, 64, lines, &n));
        for (int k = 0; k < n; k++) analysed += lines[k].nodes;
        assert_int_equal(analysed, whole_nodes);
        agent_close(a);
    }
    printf("simulations: %d of %d\n", (int)early, (int)all);
    assert_true(early == on && early < all * 4 / 5 && early > all / 2);
}

// Greedy wins where it can, and otherwise goes forward as far as any move does.
static void greedy_goes_forward(void **state)
{
    (void)state;
    agent *a = open_agent("greedy");
    rng r = rng_at(4, 0, 0);
    ctr_state s;
    assert_ok(g->init(&s, "", (game_key){1, 1}));
    for (int ply = 0; ply < 24; ply++) {
        move_t moves[CTR_MAX_LEGAL];
        agent_choice c;
        int n = g->legal(&s, moves), most = -CTR_SIZE, side = (int)s.b.side;
        if (n == 0) break;
        agent_begin(a, (game_key){1, (uint64_t)ply}, side);
        assert_ok(agent_choose(a, &s, &c));
        for (int i = 0; i < n; i++) {
            int rows = ctr_from(moves[i]) / CTR_SIZE - ctr_to(moves[i]) / CTR_SIZE;
            if (side == 1) rows = -rows;
            if (rows > most) most = rows;
        }
        int rows = ctr_from(c.move) / CTR_SIZE - ctr_to(c.move) / CTR_SIZE;
        ctr_board next = ctr_play(&s.b, c.move);
        if (!ctr_won(&next)) assert_int_equal(side == 1 ? -rows : rows, most);
        g->play(&s, moves[rng_below(&r, (uint32_t)n)], NULL);
    }
    agent_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_plays_the_rules),
        cmocka_unit_test(parameters_are_checked),
        cmocka_unit_test(the_same_game_twice),
        cmocka_unit_test(alphabeta_beats_random_and_greedy),
        cmocka_unit_test(zero_knows_threats_without_an_answer),
        cmocka_unit_test(zero_takes_unvisited_moves_for_worse_than_their_parent),
        cmocka_unit_test(zero_evaluates_several_leaves_at_once),
        cmocka_unit_test(zero_stops_when_its_choice_is_settled),
        cmocka_unit_test(greedy_goes_forward),
        cmocka_unit_test(a_clock_is_kept),
        cmocka_unit_test(analysis_names_several_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
