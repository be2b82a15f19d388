// What engines are sent and how their answers are read, without any program: the link is memory.
#include "agents/engine.h"
#include "base/text.h"
#include "test.h"

typedef struct talk {
    const char *answers; // lines still to come
    text_buf sent;
} talk;

static err take(void *ctx, double seconds, const char *line)
{
    talk *t = ctx;
    (void)seconds;
    text_printf(&t->sent, "%s\n", line);
    return ERR_OK;
}

static err give(void *ctx, double seconds, char *line, size_t n)
{
    talk *t = ctx;
    (void)seconds;
    if (*t->answers == 0) return err_set(ERR_IO, "the program has ended");
    size_t len = strcspn(t->answers, "\n");
    snprintf(line, n, "%.*s", (int)len, t->answers);
    t->answers += len + (t->answers[len] == '\n');
    return ERR_OK;
}

typedef struct table {
    const game *g;
    agent *a;
    char *state;
    talk t;
} table;

static void sit_down(table *b, const char *name, const char *protocol, const char *position, int seat)
{
    char spec[64];
    *b = (table){0};
    assert_ok(game_find(name, &b->g));
    snprintf(spec, sizeof spec, "engine:%s=true,turn=2", protocol);
    assert_ok(agent_open(&b->a, b->g, spec));
    engine_lend(b->a, (engine_link){take, give, &b->t});
    b->state = calloc(1, b->g->state_size);
    if (position == NULL)
        assert_ok(b->g->init(b->state, "", (game_key){1, 1}));
    else
        assert_ok(b->g->state_parse(position, b->state));
    agent_begin(b->a, (game_key){1, 1}, seat);
}

static void move(table *b, const char *text)
{
    move_t m;
    assert_ok(b->g->move_parse(b->state, text, &m));
    agent_saw(b->a, b->state, m);
    b->g->play(b->state, m, NULL);
}

// Asks with these answers waiting; what is sent from here on is compared with `sent`, the move with `want`.
static void asks(table *b, const char *answers, const char *sent, const char *want)
{
    agent_choice c;
    char text[64];
    text_clear(&b->t.sent);
    b->t.answers = answers;
    assert_ok(agent_choose(b->a, b->state, &c));
    assert_string_equal(text_str(&b->t.sent), sent);
    b->g->move_print(b->state, c.move, text, sizeof text);
    assert_string_equal(text, want);
    agent_saw(b->a, b->state, c.move);
    b->g->play(b->state, c.move, NULL);
}

static void stand_up(table *b)
{
    agent_close(b->a);
    free(b->state);
    text_free(&b->t.sent);
}

#define START(rule) "START 15\nINFO rule " rule "\nINFO game_type 1\nINFO timeout_turn 2000\n"

// A renju program takes the first stone of BOARD as black, so an opening must come in playing order, not as the board lies.
static void a_board_comes_in_playing_order(void **state)
{
    (void)state;
    table b;
    sit_down(&b, "renju", "gomocup", NULL, 1);
    move(&b, "h8");
    move(&b, "h9");
    move(&b, "j10");
    // our engine is white: its stones are 1
    asks(&b, "OK\n8,8\n", START("4") "BOARD\n7,7,2\n7,6,1\n9,5,2\nDONE\n", "i7");
    move(&b, "g7");
    asks(&b, "0,0\n", "TURN 6,8\n", "a15"); // it has the position: one move is enough
    stand_up(&b);
}

static void a_set_up_position_is_black_and_white_in_turn(void **state)
{
    (void)state;
    table b;
    sit_down(&b, "gomoku", "gomocup", NULL, 0);
    // Stones the agent never heard of: played behind its back.
    static const char *const quiet[] = {"a1", "o15", "b1", "n15"};
    for (int i = 0; i < 4; i++) {
        move_t m;
        assert_ok(b.g->move_parse(b.state, quiet[i], &m));
        b.g->play(b.state, m, NULL);
    }
    asks(&b, "OK\n7,7\n", START("1") "BOARD\n0,14,1\n13,0,2\n1,14,1\n14,0,2\nDONE\n", "h8");
    stand_up(&b);
}

static void what_is_no_answer_is_skipped(void **state)
{
    (void)state;
    table b;
    sit_down(&b, "freestyle", "gomocup", NULL, 0);
    asks(&b, "\nMESSAGE hello\nOK - ready\nMESSAGE depth 3\nand a second line, 9,9 is good\nDEBUG 5,5\n\n 7 , 7 \n",
         START("0") "BEGIN\n", "h8");
    move(&b, "a1");
    agent_choice c;
    b.t.answers = "thinking\nERROR no idea\n7,6\n";
    assert_err(agent_choose(b.a, b.state, &c), "answered 'ERROR no idea'");
    b.t.answers = "thinking\n";
    agent_begin(b.a, (game_key){1, 2}, 0);
    assert_err(agent_choose(b.a, b.state, &c), "after 'thinking': the program has ended");
    stand_up(&b);
}

// A hint that is not followed leaves the program with another game: it hears the right one from the start.
static void another_move_than_its_own(void **state)
{
    (void)state;
    table b;
    agent_choice c;
    sit_down(&b, "tictactoe", "gtp", NULL, 0);
    b.t.answers = "= false\n\n=\n\n=\n\n=\n\n= a1\n\n";
    assert_ok(agent_choose(b.a, b.state, &c));
    text_clear(&b.t.sent);
    move(&b, "b2");
    move(&b, "c3");
    asks(&b, "= false\n\n=\n\n=\n\n=\n\n=\n\n=\n\n= a1\n\n",
         "known_command set_game\nboardsize 3\nclear_board\ntime_settings 0 2 1\nplay black b2\nplay white c3\n"
         "genmove black\n",
         "a1");
    move(&b, "a3");
    asks(&b, "=\n\n= c1\n\n", "play white a3\ngenmove black\n", "c1");
    stand_up(&b);
}

static void nboard_gets_the_position(void **state)
{
    (void)state;
    table b;
    sit_down(&b, "othello", "nboard", NULL, 1);
    move(&b, "f5");
    asks(&b, "set myname x\npong 1\nstatus thinking\n=== f6/1.5/0.2\n",
         "nboard 2\nset game (;GM[Othello]PB[black]PW[white]TY[8]RE[?]BO[8 "
         "---------------------------O*------***-------------------------- O];)\nping 1\ngo\n",
         "f6");
    stand_up(&b);
}

// A step onto Contrast's goal row with a tile, as other programs write it.
static void a_goal_with_a_tile_wins(void **state)
{
    (void)state;
    table b;
    sit_down(&b, "contrast", "gtp", "22.22/..1../..2../...../11.11 - 3b1g/3b1g 1", 0);
    asks(&b, "= true\n\n=\n\n=\n\n=\n\n=\n\n= c4,c5 a3b\n\n",
         "known_command set_game\nset_game contrast\nboardsize 5\nclear_board\ntime_settings 0 2 1\ngenmove black\n",
         "c4,c5");
    assert_true(b.g->result(b.state).over);
    stand_up(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_board_comes_in_playing_order),
        cmocka_unit_test(a_set_up_position_is_black_and_white_in_turn),
        cmocka_unit_test(what_is_no_answer_is_skipped),
        cmocka_unit_test(another_move_than_its_own),
        cmocka_unit_test(nboard_gets_the_position),
        cmocka_unit_test(a_goal_with_a_tile_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
