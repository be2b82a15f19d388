// keiko play --opening swap2: stones, choices and who then sits where.
#include "cli/program.h"

static void with_input(const char *input, const char *args, int status)
{
    char words[400];
    snprintf(words, sizeof words, "printf '%s' |", input);
    int got = keiko_after(words, args);
    if (got != status) fail_msg("'%s' left with %d, not %d: %s", args, got, status, output);
}

#define TWO_PEOPLE "play renju --opening swap2 --first human --second human"

static void the_second_player_chooses(void **state)
{
    (void)state;
    with_input("h8 i9\\ng7\\nwhite\\nquit\\n", TWO_PEOPLE, 1);
    said("stones: h8 i9 g7\n");
    said("player 2 (human) plays white");
    said("unfinished after 3 plies");
    // An agent against a person: who took black sits on the first seat.
    with_input("h8 i9 g7\\nblack\\nquit\\n", "play renju --opening swap2 --first human --second human --boards", 1);
    said("player 2 (human) plays black");
}

static void two_more_stones(void **state)
{
    (void)state;
    with_input("h8 i9 g7\\nx\\n2\\nc3 l12\\nb\\nj10\\nquit\\n", TWO_PEOPLE, 1);
    said("type black, white or two");
    said("stones: h8 i9 g7 c3 l12\n");
    said("player 1 (human) plays black");
    said("unfinished after 6 plies");
}

static void agents_settle_it_themselves(void **state)
{
    (void)state;
    says("play freestyle --opening swap2 --first alphabeta:depth=1 --second random --seed 2", 0, "wins after");
    said("player 2 (random) plays white"); // it has no opinion
    with_input("black\\nquit\\n", "play renju --opening swap2 --first a=random --second human", 1);
    said("against a."); // the name goes with its player
    with_input("h8 i9 h9\\n", "play freestyle --opening swap2 --first human --second alphabeta:depth=2", 1);
    said("player 2 (alphabeta:depth=2) ");
}

static void mistakes_are_told(void **state)
{
    (void)state;
    says("play othello --opening swap2", 2, "swap2 is an opening rule of renju and gomoku");
    says("play renju --opening swap2 --moves h8", 2, "empty board");
    says("play renju --opening swap3", 2, "swap3");
    with_input("h8 h8 i9 q99 g7\\nwhite\\nquit\\n", TWO_PEOPLE, 1); // what comes behind a mistake is not read
    said("h8 is taken");
    said("(help says what to type)");
    with_input("", TWO_PEOPLE, 1);
    with_input("h8 i9 g7\\nquit\\n", TWO_PEOPLE, 1); // who leaves has chosen nothing
    assert_null(strstr(output, "plays"));
}

// A word is no colour because it begins with the same letter.
static void words_are_understood(void **state)
{
    (void)state;
    with_input("help\nh8 i9 g7\nboard\nwhat\n?\n \nbla\nquit\n", TWO_PEOPLE, 1);
    said("the first player puts three stones");
    said("8 . . . . . . . X");
    said("type black, white or two\nType black, white or two. board draws the board");
    said("player 2 (human) plays black");
    with_input(" exit \n", TWO_PEOPLE, 1);
    assert_null(strstr(output, "expected"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_second_player_chooses), cmocka_unit_test(two_more_stones),
                                       cmocka_unit_test(agents_settle_it_themselves),
                                       cmocka_unit_test(mistakes_are_told), cmocka_unit_test(words_are_understood)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
