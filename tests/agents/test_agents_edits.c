// Specifications of agents, and conversations with engines, with one mistake each: what is refused and how, what an engine is
// sent and how its answers are read (tests/agents/edits.txt). The link to the engine is memory.
#include "agents/engine.h"
#include "base/edits.h"

static const game *the_game;

static void one_spec(void *ctx, const char *text)
{
    bool good = agent_check(the_game, text) == ERR_OK;
    edits_saw(ctx, good, text, good ? agent_behind_name(text) : err_text());
}

typedef struct talk {
    edits *e;
    agent *a;
    char *state;
    const char *answers; // lines still to come
    char ping[20];       // the number of the last ping, which "pong N" in an answer becomes
    text_buf sent;
} talk;

static err take(void *ctx, double seconds, const char *line)
{
    talk *t = ctx;
    (void)seconds;
    bool ping = strncmp(line, "ping ", 5) == 0;
    if (ping) snprintf(t->ping, sizeof t->ping, "%s", line + 5);
    text_printf(&t->sent, "%s\n", ping ? "ping" : line);
    return ERR_OK;
}

static err give(void *ctx, double seconds, char *line, size_t n)
{
    talk *t = ctx;
    (void)seconds;
    if (*t->answers == 0) return err_set(ERR_IO, "the program has ended");
    size_t len = strcspn(t->answers, "\n");
    snprintf(line, n, "%.*s", (int)len, t->answers);
    if (strcmp(line, "pong N") == 0) snprintf(line, n, "pong %s", t->ping);
    t->answers += len + (t->answers[len] == '\n');
    return ERR_OK;
}

// The engine moves second and is asked three times; the other side plays the last of its moves.
static void one_talk(void *ctx, const char *text)
{
    talk *t = ctx;
    const game *g = the_game;
    move_t *moves = calloc((size_t)g->max_legal, sizeof *moves);
    t->answers = text;
    text_clear(&t->sent);
    assert_ok(g->init(t->state, "", (game_key){1, 1}));
    engine_lend(t->a, (engine_link){take, give, t});
    agent_begin(t->a, (game_key){1, 1}, 1);
    bool good = true;
    for (int ply = 0; ply < 6 && good; ply++) {
        int n = g->legal(t->state, moves);
        if (n == 0) break;
        agent_choice c = {.move = moves[n - 1]};
        if (g->seat(t->state) == 1) good = agent_choose(t->a, t->state, &c) == ERR_OK;
        text_printf(&t->sent, good ? "> %u %.6g\n" : "> %u failed\n", good ? (unsigned)c.move : 0, c.value);
        if (!good) break;
        agent_saw(t->a, t->state, c.move);
        g->play(t->state, c.move, NULL);
    }
    if (!good) text_append(&t->sent, err_text());
    edits_saw(t->e, good, text, text_str(&t->sent));
    free(moves);
}

static void converse(text_buf *list, const char *game_name, const char *protocol, const char *answers, const char *with)
{
    char name[60], spec[60];
    edits e = {.name = name};
    snprintf(name, sizeof name, "%s %s", protocol, game_name);
    snprintf(spec, sizeof spec, "engine:%s=true,turn=2", protocol);
    assert_ok(game_find(game_name, &the_game));
    talk t = {.e = &e, .state = calloc(1, the_game->state_size)};
    assert_ok(agent_open(&t.a, the_game, spec));
    edits_of(answers, with, one_talk, &t);
    agent_close(t.a);
    free(t.state);
    text_free(&t.sent);
    edits_list(&e, list);
}

static void all(void **state)
{
    (void)state;
    static const char *const specs[] = {"me=mcts:sims=200,c=1.5,reuse=no,noise=0.25", "random", "x = greedy",
                                        "engine:gtp='a b',turn=2", "mcts:seconds=1e2,seed=7"};
    text_buf t = {0};
    edits e = {.name = "specs"};
    assert_ok(game_find("tictactoe", &the_game));
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) edits_of(specs[i], "0=,:' x", one_spec, &e);
    edits_list(&e, &t);
    converse(&t, "tictactoe", "gtp", "= true\n\n= \n\n=\n\n=1 \n\n=\n\n= \n\n= a1\n\n=\n\n= B2\n\n=\n\n= a2\n\n",
             "0?= \nab");
    converse(&t, "renju", "gomocup", "OK\n7,7\nMESSAGE x\n8,8\n6,6\nDEBUG y\n5,5\n0,0\n", "0,-OK \n9");
    converse(&t, "othello", "nboard",
             "set myname x\npong N\nstatus\n=== f4//1.5\npong N\n=== F6/-2.25/3\npong N\n=== d6\n", "0=/p \nd8");
    assert_listed(&t, "agents/edits.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
