// The same as test_search_listed.c on many positions, from the first move to the last, with what a search says as one number for
// each set of options: tests/search/many.txt. KEIKO_SHOW_EDITS=1 prints the answers themselves.
#include "agents/answers.h"
#include "base/cpu.h"
#include "base/edits.h"

static const struct {
    const char *game, *spec;
    int positions, plies; // the last ones have so many plies
} rows[] = {
    {"othello", "alphabeta:depth=1,exact=0", 60, 58},
    {"othello", "alphabeta:depth=3,exact=8,hash=12", 40, 58},
    {"othello", "alphabeta:depth=6,exact=0,hash=14", 12, 50},
    {"othello", "alphabeta:depth=4,exact=12,hash=10,weights=none", 24, 59},
    {"othello", "alphabeta:depth=0,nodes=1500,exact=14,hash=12", 24, 56},
    {"othello", "alphabeta:depth=8,nodes=6000,hash=13", 8, 40},
    {"othello", "mcts:sims=40,plies=30", 10, 58},
    {"contrast", "alphabeta:depth=1", 30, 60},
    {"contrast", "alphabeta:depth=2,hash=1", 24, 90},
    {"contrast", "alphabeta:nodes=1200,hash=1", 24, 60},
    {"contrast", "alphabeta:depth=4,nodes=6000,hash=1", 8, 50},
    {"contrast", "rule", 60, 100},
    {"renju", "alphabeta:depth=3,nodes=300,hash=10", 20, 60},
    {"renju", "alphabeta:depth=0,nodes=700,hash=12,vcf=500,vct=300,leafVcf=20", 16, 80},
    {"renju", "alphabeta:depth=4,nodes=500,hash=10,near=1,window=0,enableLMR=no", 12, 50},
    {"renju", "alphabeta:depth=4,nodes=500,hash=10,nullMove=no,futility=no,lmrThreshold=1", 12, 50},
    {"gomoku", "alphabeta:depth=3,nodes=400,hash=10,vct=2000", 16, 70},
    {"freestyle", "alphabeta:depth=3,nodes=400,hash=10,openThree=700,four=900,window=10", 16, 60},
    {"freestyle20", "alphabeta:depth=2,nodes=300,hash=9,near=3", 8, 60},
    {"tictactoe", "mcts:sims=60", 30, 8},
    {"tictactoe", "mcts:sims=40,leaves=4,transpositions=on,c=0.8,fpu=0.2", 30, 8},
    {"tictactoe", "mcts:sims=40,gumbel=5,gumbel-scale=0.3,noise=0.25,alpha=0.5", 30, 8},
    {"tictactoe", "mcts:sims=30,temperature=0.7,solver=no,transpositions=off", 30, 8},
    {"puyo-solo", "beam:width=6,depth=4,samples=2", 20, 40},
    {"puyo-solo", "beam:width=4,depth=6,samples=1,visible=2,prune=200,full=20,late=2,grip=40,patience=70", 16, 46},
    {"puyo-solo", "advisor", 40, 40},
    {"puyo-solo", "advisor:mode=plus,turns=9", 6, 14},
    {"puyo-solo", "mcts:sims=20,plies=5,points=2000", 6, 30},
    {"puyo", "versus:width=5,depth=4,samples=2", 24, 70},
    {"puyo", "versus:level=hard,width=6,depth=3,fire=300", 24, 60},
};

// Two moves in three as `greedy` plays, so that there are threats, and the others at random.
static void lively(const game *g, agent *greedy, void *s, void *obs, uint32_t number, int plies)
{
    rng r = rng_at(77, number, 0);
    for (int i = 0; i < plies && !g->result(s).over; i++) {
        agent_choice c;
        void *next = calloc(1, g->state_size);
        memcpy(next, s, g->state_size);
        if (rng_below(&r, 3) == 0) {
            game_random_playout(g, next, &r, 1);
        } else {
            game_observe(g, s, g->seat(s), obs);
            agent_begin(greedy, (game_key){number, (uint32_t)i}, g->seat(s));
            assert_ok(agent_choose(greedy, obs, &c));
            g->play(next, c.move, NULL);
        }
        if (!g->result(next).over) memcpy(s, next, g->state_size); // else another move is tried
        free(next);
    }
}

static void ask_all(edits *to, const game *g, const char *spec, int positions, int plies)
{
    agent *a, *greedy;
    agent_choice c[4];
    void *s = calloc(1, g->state_size), *obs = calloc(1, g->obs_size);
    assert_ok(agent_open(&a, g, spec));
    assert_ok(agent_open(&greedy, g, "greedy"));
    for (int k = 0; k < positions; k++) {
        text_buf t = {0};
        int n = 0;
        assert_ok(g->init(s, "", (game_key){6, (uint32_t)k}));
        lively(g, greedy, s, obs, (uint32_t)k, k * plies / (positions - 1));
        if (!g->result(s).over) {
            agent_begin(a, (game_key){8, (uint32_t)k}, g->seat(s));
            game_observe(g, s, g->seat(s), obs);
            assert_ok(agent_choose(a, obs, c));
            put_choice(&t, g, obs, c);
            if (k % 3 == 0) {
                assert_ok(agent_analyse(a, obs, 3, c, &n));
                for (int i = 0; i < n; i++) put_choice(&t, g, obs, &c[i]);
            }
            edits_saw(to, true, "", text_str(&t));
        }
        text_free(&t);
    }
    agent_close(a);
    agent_close(greedy);
    free(s);
    free(obs);
}

static void put_all(text_buf *t)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const game *g;
        char name[200];
        snprintf(name, sizeof name, "%s %s", rows[i].game, rows[i].spec);
        edits e = {.name = name};
        assert_ok(game_find(rows[i].game, &g));
        ask_all(&e, g, rows[i].spec, rows[i].positions, rows[i].plies);
        edits_list(&e, t);
    }
}

// The same with every instruction set that this machine has.
static void many(void **state)
{
    (void)state;
    static const char *const sets[] = {"scalar", "avx2", "auto"};
    for (int i = 0; i < 3; i++) {
        text_buf t = {0};
        if (cpu_limit(sets[i]) != ERR_OK) continue;
        put_all(&t);
        assert_listed(&t, "search/many.txt");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
