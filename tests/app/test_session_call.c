// Calls by words: every verb answers with JSON or a sentence, and an error leaves the session as it was.
#include "app/session_call.h"
#include "test.h"

static session *s;
static text_buf out;

// Arguments as key and value in turn.
#define CALL(verb, ...)                                                                                                \
    call_of(verb, (const char *[]){__VA_ARGS__, NULL}, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)))

static err call_of(const char *verb, const char *const *words, int n)
{
    call_arg args[8];
    for (int i = 0; i < n / 2; i++) args[i] = (call_arg){words[2 * i], words[2 * i + 1]};
    text_clear(&out);
    return session_call(&s, verb, args, n / 2, NULL, &out);
}

static void says(const char *part)
{
    if (strstr(text_str(&out), part) == NULL) fail_msg("\"%s\" is without \"%s\"", text_str(&out), part);
}

static int setup(void **state)
{
    (void)state;
    s = NULL;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    session_close(s);
    text_free(&out);
    return 0;
}

static void a_game_is_opened_and_played(void **state)
{
    (void)state;
    assert_err(CALL("state", "viewer", "0"), "no game is open");
    assert_err(CALL("new", "seed", "1"), "'game' is missing");
    assert_err(CALL("new", "game", "othello", "seed", "x"), "'seed' must be a whole number");
    assert_null(s);
    assert_err(CALL("new", "game", "puyo", "seed", "18446744073709551616"),
               "'seed' must be a whole number from 0 to 1844");
    assert_err(CALL("new", "game", "puyo", "seed", "-1"), "'seed' must be a whole number");
    assert_ok(CALL("new", "game", "puyo", "seed", "18446744073709551615"));
    says("\"run\":\"ffffffffffffffff\"");
    assert_err(CALL("goto", "node", "99999999999999999999"), "'node' must be a whole number");
    assert_ok(CALL("new", "game", "othello", "moves", "f5;d6"));
    says("\"discs\":[3,3]");
    assert_err(CALL("play", "move", "a1"), "a1");
    assert_string_equal(text_str(&out), "");
    assert_int_equal(session_ply(s), 2);
    assert_ok(CALL("play", "move", "c3"));
    says("\"last\":\"c3\"");
    assert_ok(CALL("look", "move", "d3"));
    assert_int_equal(session_ply(s), 3);
    assert_err(CALL("jump", "move", "d3"), "there is no call 'jump'");
    assert_err(CALL("play", "mvoe", "d3"), "'mvoe' is not known here; this takes: move");
    assert_err(CALL("think", "agent", "3"), "'agent' is not known here");
    assert_ok(CALL("back", "viewer", "0", "quiet", "1"));
    assert_ok(CALL("seats", "firstName", "A", "second", "human", "helper", "greedy"));
}

static void swap2_step_by_step(void **state)
{
    (void)state;
    assert_ok(CALL("new", "game", "othello"));
    assert_err(CALL("swap2", "choices", ""), "swap2 is an opening rule of renju and gomoku");
    assert_ok(CALL("new", "game", "renju"));
    assert_ok(CALL("swap2", "choices", ""));
    says("\"swap2\":{\"step\":\"put\",\"player\":0,\"left\":3,\"two\":false,\"black\":0}");
    assert_ok(CALL("line", "moves", "h8;i9"));
    assert_ok(CALL("swap2", "choices", ""));
    says("\"left\":1");
    assert_err(CALL("swap2", "agent", "greedy"), "all its stones at once");
    assert_ok(CALL("line", "moves", "h8;i9;g7"));
    assert_ok(CALL("swap2", "choices", ""));
    says("\"swap2\":{\"step\":\"choose\",\"player\":1,\"left\":0,\"two\":true");
    assert_ok(CALL("swap2", "choices", "black"));
    says("\"step\":\"done\",\"player\":1,\"left\":0,\"two\":false,\"black\":1}");
    assert_ok(CALL("swap2", "choices", "white"));
    says("\"step\":\"done\",\"player\":1,\"left\":0,\"two\":false,\"black\":0}");
    assert_ok(CALL("swap2", "choices", "two"));
    says("\"step\":\"put\",\"player\":1,\"left\":2");
    assert_ok(CALL("line", "moves", "h8;i9;g7;a1;b2"));
    assert_ok(CALL("swap2", "choices", "two"));
    says("\"step\":\"choose\",\"player\":0,\"left\":0,\"two\":false");
    assert_ok(CALL("swap2", "choices", "two black"));
    says("\"step\":\"done\",\"player\":0,\"left\":0,\"two\":false,\"black\":0}");
    assert_ok(CALL("swap2", "choices", "two white"));
    says("\"black\":1}");
    assert_err(CALL("swap2", "choices", "two two"), "swap2 has one choice");
    assert_err(CALL("swap2", "choices", "black white"), "swap2 has one choice");
    assert_err(CALL("swap2", "choices", "two two two"), "at most two choices");
    assert_err(CALL("swap2", "choices", "red"), "'red' is no choice");
}

static void an_agent_plays_swap2(void **state)
{
    (void)state;
    static const char alphabeta[] = "alphabeta:depth=1,vct=0";
    assert_ok(CALL("new", "game", "gomoku"));
    assert_ok(CALL("swap2", "agent", alphabeta)); // three stones of its choice
    says("\"moves\":[\"");
    assert_int_equal(session_ply(s), 3);
    assert_int_equal(session_node_of(s, session_node_of(s, 0)->child)->next, SESSION_NONE); // what it looked at is gone
    assert_ok(CALL("swap2", "agent", alphabeta));
    says("\"choice\":\"");
    assert_int_equal(session_ply(s), 3);
    assert_ok(CALL("swap2", "agent", "random"));
    says("\"choice\":\"white\""); // it has no opinion
    assert_ok(CALL("swap2", "choices", "two", "agent", alphabeta));
    assert_int_equal(session_ply(s), 5);
    assert_ok(CALL("swap2", "choices", "two", "agent", alphabeta));
    says("\"choice\":\"");
    assert_null(strstr(text_str(&out), "\"choice\":\"two\""));            // with five stones only a colour
    assert_ok(CALL("swap2", "choices", "two black", "agent", alphabeta)); // nothing is left to do
    says("\"step\":\"done\"");
}

static void a_failed_new_keeps_the_old_game(void **state)
{
    (void)state;
    assert_ok(CALL("new", "game", "othello", "moves", "f5"));
    assert_err(CALL("new", "game", "othello", "moves", "a1"), "a1");
    assert_err(CALL("load", "text", "zz9", "game", "renju"), "zz9");
    assert_int_equal(session_ply(s), 1);
}

static void a_line_uses_nodes_again(void **state)
{
    (void)state;
    assert_ok(CALL("new", "game", "othello", "moves", "f5;d6;c3"));
    int c3 = session_at(s);
    assert_ok(CALL("line", "moves", "f5;f6"));
    assert_ok(CALL("line", "moves", "f5;d6;c3"));
    assert_int_equal(session_at(s), c3);
    assert_ok(CALL("line", "moves", ""));
    assert_int_equal(session_at(s), 0);
}

static void notes_stay_with_their_nodes(void **state)
{
    (void)state;
    assert_ok(CALL("new", "game", "othello", "moves", "f5;d6"));
    assert_ok(CALL("note", "node", "1", "value", "0.25", "margin", "-3", "depth", "12", "mark", "??"));
    says("\"mark\":\"??\",\"value\":0.25,\"margin\":-3,\"depth\":12");
    assert_ok(CALL("note", "node", "1", "mark", ""));
    assert_int_equal(session_node_of(s, 1)->mark, MARK_NONE);
    assert_true(session_node_of(s, 1)->opinion.has_margin);
    assert_err(CALL("note", "node", "9", "value", "1"), "there is no node 9");
    assert_err(CALL("note", "node", "1", "value", "high"), "'value' must be a number");
    assert_err(CALL("note", "node", "1", "mark", "!?!"), "'mark'");
}

static void quiet_calls_say_nothing(void **state)
{
    (void)state;
    assert_ok(CALL("new", "game", "tictactoe", "quiet", "1"));
    assert_string_equal(text_str(&out), "{}");
}

static void agents_choose_analyse_and_review(void **state)
{
    (void)state;
    assert_ok(CALL("new", "game", "tictactoe", "moves", "a1;b2;a2"));
    assert_ok(CALL("choose", "agent", "mcts:sims=400"));
    says("\"move\":\"a3\"");
    assert_int_equal(session_ply(s), 3);
    assert_ok(CALL("analyse", "helper", "mcts:sims=400", "count", "3"));
    says("\"analysis\":{\"game\":\"tictactoe\",\"agent\":\"mcts:sims=400\",\"moves\":[{\"move\":\"a3\"");
    assert_ok(CALL("review", "helper", "mcts:sims=400"));
    says("\"mean_loss\"");
    assert_err(CALL("analyse", "count", "0"), "'count' must be a whole number from 1");
}

static void exports_can_be_loaded(void **state)
{
    (void)state;
    assert_ok(CALL("new", "game", "renju", "moves", "h8;i9", "firstName", "A", "secondName", "B"));
    assert_ok(CALL("export", "format", "sgf"));
    says("PB[A]PW[B]");
    assert_err(CALL("export", "format", "xml"), "there is no format 'xml'");
}

static void a_game_ends_by_resignation_or_time(void **state)
{
    (void)state;
    assert_ok(CALL("new", "game", "othello", "moves", "f5"));
    assert_ok(CALL("flag", "seat", "1"));
    says("\"result\":{\"end\":\"time\"");
    assert_err(CALL("resign", "seat", "0"), "the game is over");
    assert_ok(CALL("back", "viewer", "0"));
    says("\"result\":{\"end\":\"none\"");
    assert_ok(CALL("resign", "seat", "0"));
    says("\"result\":{\"end\":\"resigned\"");
    static const char engine[] =
        "engine:gtp='while read x; do case $x in genmove*) echo = resign;; *) echo =;; esac; echo; done'";
    assert_ok(CALL("new", "game", "othello", "moves", "f5", "second", engine));
    assert_ok(CALL("think", "viewer", "0"));
    says("\"result\":{\"end\":\"resigned\",\"reason\":\"none\",\"loser\":1");
    assert_int_equal(session_ply(s), 1);
}

static void an_opening_is_named(void **state)
{
    (void)state;
    assert_ok(CALL("new", "game", "renju", "moves", "h8;h9;i9;a1"));
    says("\"opening\":{\"en\":\"Kagetsu\",\"ja\":\"花月\"}");
    assert_ok(CALL("new", "game", "renju", "moves", "h8;h9"));
    assert_null(strstr(text_str(&out), "\"opening\""));
    assert_ok(CALL("new", "game", "gomoku", "moves", "h8;h9;i9"));
    assert_null(strstr(text_str(&out), "\"opening\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_game_is_opened_and_played, setup, teardown),
        cmocka_unit_test_setup_teardown(swap2_step_by_step, setup, teardown),
        cmocka_unit_test_setup_teardown(an_agent_plays_swap2, setup, teardown),
        cmocka_unit_test_setup_teardown(a_failed_new_keeps_the_old_game, setup, teardown),
        cmocka_unit_test_setup_teardown(a_line_uses_nodes_again, setup, teardown),
        cmocka_unit_test_setup_teardown(notes_stay_with_their_nodes, setup, teardown),
        cmocka_unit_test_setup_teardown(quiet_calls_say_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(agents_choose_analyse_and_review, setup, teardown),
        cmocka_unit_test_setup_teardown(exports_can_be_loaded, setup, teardown),
        cmocka_unit_test_setup_teardown(a_game_ends_by_resignation_or_time, setup, teardown),
        cmocka_unit_test_setup_teardown(an_opening_is_named, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
