// Contrast in words: how moves and positions read and print, and the sentence each mistake earns.
#include "games/contrast/contrast.h"
#include "games/game.h"
#include "test.h"

extern const game game_contrast;
static const game *const g = &game_contrast;

#define START "22222/...../...../...../11111 - 3b1g/3b1g 1 0"

static ctr_state at(const char *text)
{
    ctr_state s;
    assert_ok(g->state_parse(text, &s));
    return s;
}

static void assert_prints(const char *text, const char *canonical)
{
    ctr_state s = at(text);
    char buf[GAME_TEXT];
    int n = g->state_print(&s, buf, sizeof buf);
    assert_string_equal(buf, canonical);
    assert_int_equal(n, (int)strlen(canonical));
}

static void positions_print(void **state)
{
    (void)state;
    assert_prints("start", START);
    assert_prints(START, START);
    assert_prints("  START\n", START);
    assert_prints("start moves c1c2 c5c4b3g", "22.22/..2../...../..1../11.11 b3g 3b1g/3b0g 1 2 after c1c2 c5c4b3g");
    assert_prints("start moves c1,c2 c3b c5,c4 b3g",
                  "22.22/..2../...../..1../11.11 b3g,c3b 2b1g/3b0g 1 2 after c1c2c3b c5c4b3g");
    assert_prints("start plies=20 repetition=0 repetition_from=7", START " plies=20 repetition=0 repetition_from=7");
    assert_prints("start plies=150 repetition=5", START);
    assert_prints(START " after", START);
    assert_prints(START " moves", START);
    // A past may be continued.
    assert_prints("22.22/..2../...../..1../11.11 b3g 3b1g/3b0g 1 2 after c1c2 c5c4b3g moves c2c3",
                  "22.22/..2../..1../...../11.11 b3g 3b1g/3b0g 2 3 after c1c2 c5c4b3g c2c3");
}

// Only what can still matter is kept: seven moves, or all since the last tile.
static void the_past_is_cut_where_nothing_depends_on_it(void **state)
{
    (void)state;
    assert_prints("start moves c1c2 c5c4 b1b2 b5b4 a1a2 a5a4 d1d2 d5d4 e1e2c1b",
                  "....2/2222./...../11111/..... c1b 2b1g/3b1g 2 9 after b1b2 b5b4 a1a2 a5a4 d1d2 d5d4 e1e2c1b");
    assert_prints("start moves c1c2 c5c4 b1b2 b5b4 a1a2 a5a4 d1d2 d5d4 e1e2",
                  "....2/2222./...../11111/..... - 3b1g/3b1g 2 9 after c1c2 c5c4 b1b2 b5b4 a1a2 a5a4 d1d2 d5d4 e1e2");
}

static void a_missing_ply_is_the_earliest(void **state)
{
    (void)state;
    assert_int_equal(at("22222/...../...../...../11111 - 3b1g/3b1g 1").ply, 0);
    assert_int_equal(at("22222/...../...../...../11111 - 3b1g/3b1g 2").ply, 1);
    assert_int_equal(at("22222/...../...../...../11111 c3b 2b1g/3b1g 1").ply, 2);
    assert_int_equal(at("22222/...../...../...../11111 c3b 2b1g/3b1g 2").ply, 1);
    assert_int_equal(at("22222/...../...../...../11111 c3b,d3b 1b1g/3b1g 2").ply, 3);
    assert_int_equal(at("22222/...../...../...../11111 c3b,d3b 3b1g/1b1g 2 plies=9").ply, 5);
    assert_int_equal(at("22222/...../...../...../11111 c3b 2b1g/3b1g 1 plies=9").plies, 9);
}

// A long game without tiles is the longest text there is.
static void the_longest_text_fits(void **state)
{
    (void)state;
    ctr_state s, t;
    assert_ok(g->init(&s, "plies=250,repetition=0,repetition_from=250", (game_key){0, 0}));
    static const char *const round[4] = {"c1,c2", "c5,c4", "c2,c1", "c4,c5"};
    move_t m;
    while (!g->result(&s).over) {
        assert_ok(g->move_parse(&s, round[s.ply % 4], &m));
        g->play(&s, m, NULL);
    }
    assert_int_equal(s.n_past, 250);
    char text[GAME_TEXT], small[10];
    int n = g->state_print(&s, text, sizeof text);
    assert_true(n > 1250 && n < GAME_TEXT);
    assert_ok(g->state_parse(text, &t));
    assert_memory_equal(&s, &t, sizeof s);
    // A short buffer gets what fits, and the length that was needed, as from snprintf.
    assert_int_equal(g->state_print(&s, small, sizeof small), n);
    assert_string_equal(small, "22.22/..2");
    assert_int_equal(g->state_print(&s, NULL, 0), n);
}

static void positions_are_checked(void **state)
{
    (void)state;
    ctr_state s;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "expected 1, 2 or . for the square a5"},
        {"22222/....", "for the square e4"},
        {"22222/....x/...../...../11111 - 3b1g/3b1g 1 0", "column 11"},
        {"22222/....../...../...../11111 - 3b1g/3b1g 1 0", "expected /"},
        {"22222/...../...../...../11111. - 3b1g/3b1g 1 0", "expected a space"},
        {"22222/...../...../...../11111", "expected tiles"},
        {"22222/...../...../...../11111 c3 3b1g/3b1g 1 0", "expected tiles"},
        {"22222/...../...../...../11111 c3b,c3g 2b0g/3b1g 1 0", "second tile"},
        {"22222/...../...../...../11111 c3b, 2b1g/3b1g 1 2", "expected tiles"},
        {"22222/...../...../...../11111 - 3b1g 1 0", "in hand"},
        {"22222/...../...../...../11111 - 4b1g/2b1g 1 0", "at most three black"},
        {"22222/...../...../...../11111 - 3b1g/3b1g", "player to move"},
        {"22222/...../...../...../11111 - 3b1g/3b1g 3 0", "player to move"},
        {"22222/...../...../...../11111 - 3b1g/3b1g 1 1", "at ply 1 player 2 moves"},
        {"22222/...../...../...../11111 - 3b1g/3b1g 1 252", "at most 250"},
        {"22222/...../...../...../11111 - 3b1g/3b1g 1 99999999999999999999", "at most 250"},
        {"22222/...../...../...../11111 - 3b1g/3b1g 1 152", "beyond the limit of 150"},
        {"22222/...../...../...../1111. - 3b1g/3b1g 1 0", "five pieces"},
        {"22222/...../...../...../11111 c3b 3b1g/3b1g 1 0", "six together"},
        {"22222/...../...../...../11111 c3b 2b1g/3b1g 1 0", "placed 1 tiles in 0 turns"},
        {"22221/1..../2..../...../.1.11 - 3b1g/3b1g 1 4", "won already"},
        {"22211/2..../2..../...../1..11 - 3b1g/3b1g 2 5", "first one ended"},
        {"start komi=3", "no option 'komi'"},
        {"start plies=0", "1 to 250"},
        {"start plies=", "key=value"},
        {"start plies=5,repetition=5", "one option"},
        {"start now", "expected an option"},
        {"start 0", "expected an option"},
        {"start moves c1", "to move to"},
        {"start moves c1c2c3", "expected a space"},
        {"start moves c1c2 c1c2", "move 2 of the game: there is no piece on c1"},
        {"start after c1c2", "more past moves"},
        {"22222/...../...../..1../11.11 - 3b1g/3b1g 2 1 after b1b2", "cannot have led"},
        {"22222/...../...../..1../11.11 - 3b1g/3b1g 2 1 after c1c2b3b", "cannot have led"},
        {"22222/...../..1../...../11.11 - 3b1g/3b1g 2 1 after c1c3", "cannot have led"},
        {"22.22/..2../...../..1../11.11 - 3b1g/3b1g 1 2 plies=1 after c1c2 c5c4", "beyond the limit"},
        {"start plies=1 moves c1c2 c5c4", "over before this move (plies)"},
        {"start repetition=2 repetition_from=0 moves c1c2 c5c4 c2c1 c4c5 c1c2", "over before this move (repetition)"},
        {"22222/...../...../..1../11.11 - 3b1g/3b1g 2 5 repetition=2 repetition_from=0 after c1c2 c5c4 c2c1 c4c5 c1c2",
         "over before this move (repetition)"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memset(&s, 0xa5, sizeof s);
        if (g->state_parse(bad[i].text, &s) == ERR_OK) fail_msg("'%s' should not parse", bad[i].text);
        if (strstr(err_text(), bad[i].says) == NULL)
            fail_msg("'%s' said \"%s\", not \"%s\"", bad[i].text, err_text(), bad[i].says);
        for (size_t k = 0; k < sizeof s; k++) assert_int_equal(((unsigned char *)&s)[k], 0xa5);
    }
}

static void moves_read_in_several_forms(void **state)
{
    (void)state;
    ctr_state s = at("start");
    static const char *const forms[] = {"b1,b2 b3g", "b1b2b3g",     "B1,B2 B3G", " b1 , b2 , b3g ",
                                        "b1-b2 b3g", "b1 b2 b3g\n", "b1b2+b3g"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        move_t m = MOVE_NONE;
        assert_ok(g->move_parse(&s, forms[i], &m));
        assert_int_equal(m, 27628);
    }
}

static void illegal_moves_get_the_reason(void **state)
{
    (void)state;
    // 5 2 2 . 2 2      the black tile lies under c3, the gray one under d3
    // 4 . . . 2 .
    // 3 . . 1 1 .
    // 2 . . 1 . .
    // 1 1 . . 1 .
    ctr_state s = at("22.22/...2./..11./..1../1..1. c3b,d3g 2b0g/3b1g 1 10"), before = s;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "to move from"},
        {"f1,f2", "to move from"},
        {"a1", "to move to"},
        {"a1,a6", "to move to"},
        {"a1,a2 b3", "expected a tile such as b3g"},
        {"a1,a2 b3x", "expected a tile"},
        {"a1,a2 b3b now", "expected a tile"},
        {"b1,b2", "no piece on b1"},
        {"d4,d3", "not yours"},
        {"a1,a1", "no move"},
        {"a1,c2", "not on one line"},
        {"a1,b2", "a1 is a white tile"},
        {"c3,c4", "c3 is a black tile"},
        {"c3,d4", "d4 is occupied"},
        {"c2,c3", "c3 is occupied"},
        {"a1,c1", "b1 is empty"},
        {"d3,d5", "d5 is occupied"},
        {"d1,d5", "d5 is occupied"},
        {"a1,a2 a2b", "the piece moves there"},
        {"a1,a2 c2b", "a piece stands there"},
        {"a1,a2 d4b", "a piece stands there"},
        {"a1,a2 c3b", "a tile on c3 already"},
        {"a1,a2 b3g", "no gray tile left"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        move_t m = MOVE_NONE;
        if (g->move_parse(&s, bad[i].text, &m) == ERR_OK) fail_msg("'%s' should be refused", bad[i].text);
        if (strstr(err_text(), bad[i].says) == NULL)
            fail_msg("'%s' said \"%s\", not \"%s\"", bad[i].text, err_text(), bad[i].says);
        assert_int_equal(m, MOVE_NONE);
    }
    assert_memory_equal(&s, &before, sizeof s);
    move_t m;
    s = at("22..2/...2./..21./..1../1..11 - 3b1g/3b1g 1 10");
    assert_err(g->move_parse(&s, "d3,d5", &m), "the opponent's piece on d4 blocks");
    s = at("22.22/..1../..2../...../11.11 - 3b1g/3b1g 1");
    // Other programs write a step onto the goal row with a tile too: it wins, and the tile is nothing.
    static const char *const wins[] = {"c4,c5 c4b", "c4,c5 a3g", "c4c5+b1b", "c4,c5"};
    for (size_t i = 0; i < sizeof wins / sizeof *wins; i++) {
        m = MOVE_NONE;
        assert_ok(g->move_parse(&s, wins[i], &m));
        assert_int_equal(m, ctr_move(ctr_from(m), ctr_to(m), 0));
        ctr_state next = s;
        g->play(&next, m, NULL);
        assert_true(g->result(&next).over && g->result(&next).score[0] == 1);
        assert_true((next.b.tiles[CTR_BLACK] | next.b.tiles[CTR_GRAY]) == 0);
    }
    assert_err(g->move_parse(&s, "c4,d5 c4b", &m), "white tile"); // the step must be legal all the same
    s = at("start plies=1 moves c1c2");
    assert_err(g->move_parse(&s, "c5,c4", &m), "over");
}

static void the_board_is_drawn(void **state)
{
    (void)state;
    ctr_state s = at("22.22/..2../..1../...../11.11 c3b,d2g,a3b 1b1g/3b0g 2 11");
    char text[GAME_TEXT];
    g->draw(&s, MOVE_NONE, false, text, sizeof text);
    assert_string_equal(text, "5  2  2  .  2  2    player 2: 3 black, 0 gray\n"
                              "4  .  .  2  .  . \n"
                              "3 ### . #1# .  . \n"
                              "2  .  .  . +++ . \n"
                              "1  1  1  .  1  1    player 1: 1 black, 1 gray\n"
                              "   a  b  c  d  e    ply 11 of 150, player 2 to move\n");
    g->draw(&s, MOVE_NONE, true, text, sizeof text);
    assert_non_null(strstr(text, "#\x1b[1;38;5;160m●")); // a black tile shows on a dark terminal, too
    s = at("start plies=1 moves c1c2");
    g->draw(&s, MOVE_NONE, false, text, sizeof text);
    assert_non_null(strstr(text, "draw: plies"));
    s = at("22.22/..1../..2../...../11.11 - 3b1g/3b1g 1 moves c4c5");
    g->draw(&s, MOVE_NONE, false, text, sizeof text);
    assert_non_null(strstr(text, "player 1 has won: goal"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_print),
        cmocka_unit_test(the_past_is_cut_where_nothing_depends_on_it),
        cmocka_unit_test(a_missing_ply_is_the_earliest),
        cmocka_unit_test(the_longest_text_fits),
        cmocka_unit_test(positions_are_checked),
        cmocka_unit_test(moves_read_in_several_forms),
        cmocka_unit_test(illegal_moves_get_the_reason),
        cmocka_unit_test(the_board_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
