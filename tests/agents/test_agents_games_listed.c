// Whole games between agents, with every option that changes what they play: all that they say before each move is one number
// of a list, tests/agents/games.txt. KEIKO_SHOW_EDITS=1 prints it all, to compare before and after a change.
#include "agents/answers.h"
#include "base/cpu.h"
#include "base/edits.h"

typedef struct row {
    const char *game, *options, *spec[2];
    int games, plies; // at most so many plies each
    int analysed;     // every so many plies the mover analyses, too; 0 = never
    double clock;     // seconds left; so many that it never ends
} row;

static const row rows[] = {
    {"othello", "", {"greedy", "random"}, 6, 80, 3, 0},
    {"othello", "", {"alphabeta:depth=3,exact=6,hash=12", "alphabeta:depth=2,nodes=300,exact=0,hash=10"}, 1, 80, 5, 0},
    {"othello",
     "",
     {"alphabeta:depth=2,multipv=4,weights=none,exact=4", "alphabeta:depth=1,random=0.5,within=0.1"},
     1,
     80,
     7,
     3600},
    {"othello",
     "",
     {"zero:model=othello-small,sims=6,endgame=6,margin=0.3",
      "zero:model=othello-small,sims=5,c=1.1,fpu=0.3,endgame=4,margin=0"},
     1,
     64,
     9,
     0},
    {"othello", "", {"zero:model=othello-small,sims=1,endgame=0,leaves=2,solver=no", "2"}, 1, 64, 0, 3600},
    {"contrast", "", {"greedy", "rule"}, 4, 60, 4, 0},
    {"contrast", "", {"alphabeta:depth=2,hash=1", "alphabeta:nodes=300,random=0.5,within=0.05"}, 1, 24, 5, 3600},
    {"contrast", "", {"zero:sims=6", "zero:sims=5,threats=0,fpu=0.4"}, 1, 20, 6, 0},
    {"renju", "", {"greedy", "random"}, 4, 60, 9, 0},
    {"renju", "", {"greedy", "greedy"}, 6, 120, 0, 0},
    {"gomoku",
     "",
     {"greedy", "alphabeta:depth=1,nodes=60,vcf=100,vct=50,leafVcf=10,near=1,hash=8,window=20"},
     1,
     40,
     7,
     0},
    {"freestyle",
     "",
     {"alphabeta:depth=2,nodes=90,enableLMR=no,nullMove=no,futility=no,vcf=0,vct=0,leafVcf=0",
      "alphabeta:depth=2,nodes=90,random=0.6,threshold=60,lmrThreshold=1,openThree=900,hash=9"},
     1,
     30,
     7,
     3600},
    {"tictactoe", "", {"greedy", "random"}, 20, 9, 2, 0},
    {"tictactoe",
     "",
     {"mcts:sims=25", "mcts:sims=40,transpositions=on,temperature=1,temperature-plies=4,leaves=2"},
     6,
     9,
     2,
     0},
    {"tictactoe",
     "",
     {"mcts:sims=30,eval=none,noise=0.3,alpha=1", "mcts:sims=30,gumbel=4,gumbel-scale=0.5,rollouts=2"},
     6,
     9,
     3,
     0},
    {"othello",
     "",
     {"mcts:sims=12,plies=20,reuse=no,c=2,fpu=0", "mcts:sims=15,rollouts=2,memory=1,transpositions=off,solver=no"},
     1,
     40,
     11,
     0},
    {"puyo", "", {"greedy", "random"}, 4, 80, 9, 0},
    {"puyo",
     "",
     {"versus:level=3,width=6,depth=3,samples=1",
      "versus:level=7,width=5,depth=3,samples=2,visible=2,late=3,fire=400,slip=20,answer=1,finish=1,harass=1,hold=1"},
     2,
     70,
     9,
     0},
    {"puyo",
     "",
     {"versus:level=10,width=6,depth=3,samples=1,answer=0,finish=0,harass=0,hold=0",
      "versus:level=2,width=5,depth=2,samples=1,late=0,fire=0,slip=0"},
     2,
     70,
     9,
     0},
    {"puyo",
     "",
     {"versus:width=5,depth=4,samples=2,harass=0", "versus:width=5,depth=4,samples=2,hold=0"},
     3,
     110,
     0,
     0},
    {"puyo",
     "",
     {"versus:width=5,depth=4,samples=2,finish=0", "versus:width=5,depth=4,samples=2,answer=0"},
     3,
     110,
     0,
     0},
    {"puyo", "", {"dqn:search=0", "dqn:search=1"}, 1, 40, 13, 0},
    {"puyo", "", {"dqn:search=2,width=2", "beam:width=5,depth=3,samples=2,full=20,late=3,grip=30"}, 1, 24, 13, 0},
    {"puyo",
     "",
     {"advisor", "beam:width=4,depth=4,samples=1,visible=2,prune=300,patience=60,chain=300,height=10"},
     2,
     60,
     9,
     0},
    {"puyo-solo", "moves=30", {"greedy", "greedy"}, 4, 30, 7, 0},
    {"puyo-solo", "moves=14", {"advisor:mode=plus,turns=8", ""}, 2, 20, 7, 0},
    {"puyo-solo", "moves=24", {"advisor", ""}, 2, 40, 7, 0},
    {"puyo-solo", "moves=12", {"beam:width=5,depth=5,samples=2", ""}, 2, 20, 7, 0},
    {"puyo-solo", "moves=8", {"mcts:sims=20,points=3000,plies=6", ""}, 1, 10, 3, 0},
};

static void say(edits *to, const game *g, const void *obs, const agent_choice *c, int n, err e)
{
    text_buf t = {0};
    for (int i = 0; i < n; i++) {
        put_choice(&t, g, obs, &c[i]);
        for (int k = 0; k < c[i].n_line; k++) text_printf(&t, " %d", c[i].line[k]);
    }
    edits_saw(to, e == ERR_OK, "", e == ERR_OK ? text_str(&t) : err_text());
    text_free(&t);
}

static edits *heard_by;
static void hear(void *ctx, const agent_choice *best, int n)
{
    (void)ctx;
    text_buf t = {0};
    for (int i = 0; i < n; i++)
        text_printf(&t, " %d %.4g %d '%s'", best[i].move, (double)best[i].value, best[i].depth, best[i].text);
    edits_saw(heard_by, true, "", text_str(&t));
    text_free(&t);
}

static void play(const row *r, uint32_t number, edits *to)
{
    const game *g;
    agent *player[2] = {NULL, NULL};
    agent_choice c[5];
    agent_watch watch = {.lines = hear};
    assert_ok(game_find(r->game, &g));
    void *s = calloc(1, g->state_size), *obs = calloc(1, g->obs_size);
    assert_ok(g->init(s, r->options, (game_key){31, number}));
    for (int i = 0; i < g->n_seats; i++) {
        assert_ok(agent_open(&player[i], g, r->spec[i]));
        agent_begin(player[i], (game_key){17, number}, i);
        player[i]->clock.left = r->clock;
        if (strncmp(r->spec[i], "alphabeta", 9) == 0) player[i]->watch = &watch;
    }
    rng luck = rng_at(3, number, 0);
    game_random_playout(g, s, &luck, g->core == CORE_STONES ? 3 : 1);
    for (int ply = 0; ply < r->plies && !g->result(s).over; ply++) {
        int seat = g->seat(s), n = 0;
        game_observe(g, s, seat, obs);
        err e = agent_choose(player[seat], obs, c);
        say(to, g, obs, c, 1, e);
        assert_ok(e);
        move_t m = c[0].move;
        if (r->analysed > 0 && ply % r->analysed == r->analysed - 1) {
            e = agent_analyse(player[seat], obs, 1 + ply % 5, c, &n);
            say(to, g, obs, c, n, e);
        }
        for (int i = 0; i < g->n_seats; i++) {
            game_observe(g, s, i, obs);
            agent_saw(player[i], obs, m);
        }
        g->play(s, m, NULL);
    }
    if (g->result(s).over) // nothing to choose
        for (int i = 0; i < g->n_seats; i++) {
            int n = 0;
            game_observe(g, s, i, obs);
            err e = agent_choose(player[i], obs, c);
            say(to, g, obs, c, e == ERR_OK, e);
            e = agent_analyse(player[i], obs, 2, c, &n);
            say(to, g, obs, c, n, e);
        }
    for (int i = 0; i < g->n_seats; i++) agent_close(player[i]);
    free(s);
    free(obs);
}

static void games(void **state)
{
    (void)state;
    text_buf t = {0};
    assert_ok(cpu_limit("scalar")); // networks add in the same order on every machine
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[400];
        snprintf(name, sizeof name, "%s %s, %s", rows[i].game, rows[i].spec[0], rows[i].spec[1]);
        edits e = {.name = name};
        heard_by = &e;
        for (int k = 0; k < rows[i].games; k++) play(&rows[i], (uint32_t)k, &e);
        edits_list(&e, &t);
    }
    assert_ok(cpu_limit("auto"));
    assert_listed(&t, "agents/games.txt");
}

// Levels are what they stand for: the choice of each is that of its spec.
static void levels(void **state)
{
    (void)state;
    static const char *const specs[] = {"1",  "2", "10",     "medium", "expert:depth=1", "hard:",
                                        "11", "0", "Medium", "nobody", "zero:x=1",       "alphabeta:depth"};
    text_buf t = {0};
    for (int k = 0; k < game_count(); k++) {
        const game *g = game_at(k);
        text_printf(&t, "%s: default %s, strongest %s\n", g->name, agent_default(g),
                    agent_strongest(g) == NULL ? "-" : agent_strongest(g)->name);
        for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
            text_printf(&t, "  %s: %s\n", specs[i], agent_check(g, specs[i]) == ERR_OK ? "good" : err_text());
    }
    assert_listed(&t, "agents/specs.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(games), cmocka_unit_test(levels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
