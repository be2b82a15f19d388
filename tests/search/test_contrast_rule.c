// The rule-based Contrast player: a position for each rule with its score worked out by hand, a pinned game, and that it
// beats random play.
#include "search/contrast/contrast_rule.h"
#include "test.h"

extern const game game_contrast;
static const game *const g = &game_contrast;

static void expect(const char *position, int rule, const char *move, int score)
{
    ctr_state s;
    assert_ok(g->state_parse(position, &s));
    ctr_choice c = ctr_rule_choose(&s.b);
    char text[32];
    g->move_print(&s, c.move, text, sizeof text);
    if (c.rule != rule || strcmp(text, move) != 0 || c.score != score)
        fail_msg("%s: rule %d, %s, %d; expected rule %d, %s, %d", position, c.rule, text, c.score, rule, move, score);
    assert_int_equal(ctr_rule_move(&s.b), c.move);
}

static void rule_1_wins_now(void **state)
{
    (void)state;
    expect("22.22/..1../..2../...../11.11 - 3b1g/3b1g 1", 1, "c4,c5", 0);
    expect("2...2/.11../.22../..2../1.1.1 - 3b1g/3b1g 1", 1, "b4,b5", 0); // the first of two ways
    expect("22.22/...../..1../..2../11.11 - 3b1g/3b1g 2", 1, "c2,c1", 0);
}

static void rule_2_parries_a_threat(void **state)
{
    (void)state;
    // c2 is one step from c1. Nothing on c3 helps; a1 over b1 to c1 is the first move that does.
    expect("22.22/...../..1../..2../11.11 - 3b1g/3b1g 1", 2, "a1,c1", 0);
    // The same for player 2, whose first such move in the order of ids is a5 over b5 to c5.
    expect("22.22/..1../..2../...../11.11 - 3b1g/3b1g 2", 2, "a5,c5", 0);
    // Two threats at once cannot be parried: the next rules decide. Gaps 2 and 1 in columns a and e.
    expect("2...2/2..../..1.1/.2.2./1.1.1 - 3b1g/3b1g 1", 3, "e3,e4", 120 + 25 * 2 + 45);
}

static void rule_3_odd_advances(void **state)
{
    (void)state;
    expect("start", 3, "a1,a2", 120 + 25 * 4 + 15); // five gaps of 3
    expect("22222/...../...../...../11111 - 3b1g/3b1g 2", 3, "a5,a4", 235);
    // Gaps 1, 3 and 3 in columns b, d and e; the jump b1-b4 goes three rows.
    expect("22222/...../.1.../.1.../.1.11 - 3b1g/3b1g 1", 3, "b1,b4", 120 * 3 + 25 * 2 + 45);
}

static void rule_3_even_places_before_the_enemy(void **state)
{
    (void)state;
    // Gaps seen by player 2: 2 in column a, 3 elsewhere. The widest come first, gray before black.
    expect("22222/...../...../1..../.1111 - 3b1g/3b1g 2", 3, "a5,a4 b2g", 140 + 36 + 30 + 30);
    expect("22222/...../...../1..../.1111 c3g 3b1g/3b0g 2", 3, "a5,a4 b2b", 140 + 36 + 30 + 20);
}

#define UNEVEN "..222/....2/1.2../11.../11... "

static void rule_4_places_beside_uneven_fronts(void **state)
{
    (void)state;
    // Enemy fronts on ranks 3, 5, 4 in columns c, d, e: c and d differ by 2. b5 lies beside c and ahead of a4.
    expect(UNEVEN "- 3b1g/3b1g 1", 4, "a3,a4 b5g", 80 - 30 + 20 + 25);
    expect(UNEVEN "c1g 3b0g/3b1g 1", 4, "a3,a4 b5b", 80 - 30 + 20 + 15);
}

static void rule_5_advances_along_an_edge(void **state)
{
    (void)state;
    expect(UNEVEN "c1b,d1b,e1b,e2g 0b0g/3b1g 1", 5, "a1,a4", 110 * 3 + 5 * 3);
    // With b4 in front nobody on the edge leads; without it a3 does, and that counts 30.
    expect(".2222/.1.../112../.1.../.1... c1b,d1b,e1b,e2g 0b0g/3b1g 1", 5, "a3,a4", 110 + 15);
    expect("..222/....2/112../.1.../11... c1b,d1b,e1b,e2g 0b0g/3b1g 1", 5, "a3,a4", 110 + 30 + 15);
}

static void rule_6_outflanks(void **state)
{
    (void)state;
    // b3-c3 comes beside d3 in a column without an enemy ahead, two rows from the goal.
    expect("...22/...22/.1.2./.11../.11.. a1b,a2b,e1b,e2g 0b0g/3b1g 1", 6, "b3,c3", 100 + 30 + 10);
    // The nearest enemy one row off.
    expect("...22/...22/.1..2/.11../.11.. a1b,a2b,e1b,e2g 0b0g/3b1g 1", 6, "b3,c3", 100 - 35 + 30 + 10);
}

static void rule_7_falls_back(void **state)
{
    (void)state;
    // Gaps 2, 2, 2 are even; no tile in hand, no piece on an edge, no open column.
    expect("22222/...../...../.111./.11.. a1b,a2b,e1b,e2g 0b0g/3b1g 1", 7, "b1,b3", 160 - 30);
    // With tiles in hand but the squares before the enemy taken: gray, touching b3.
    expect("22222/...../...../.111./.11.. b4b,c4b,d4b 3b1g/0b1g 1", 7, "b1,b3 a4g", 160 - 30 + 30 + 10);
    expect("22222/...../...../.111./.11.. b4b,c4b,d4b,e1g 3b0g/0b1g 1", 7, "b1,b3 a4b", 160 - 30 + 15 + 10);
}

// What the player plays against itself: ratings rest on it, so a change must be on purpose.
static void the_game_against_itself_is_pinned(void **state)
{
    (void)state;
    static const char *const line[] = {"a1,a2",     "a5,a4 b2g", "b1,b2", "b5,a5 c2b", "a2,a3 c4g", "c5,c4",
                                       "a3,b3 d4b", "a5,b5 d2b", "b2,b4", "b5,a5 e2b", "b4,b5"};
    ctr_state s;
    char text[32];
    assert_ok(g->init(&s, "", (game_key){0, 0}));
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        move_t m = ctr_rule_move(&s.b);
        g->move_print(&s, m, text, sizeof text);
        assert_string_equal(text, line[i]);
        g->play(&s, m, NULL);
    }
    assert_true(g->result(&s).over && g->result(&s).score[0] == 1);
}

static void it_beats_random_play_with_every_rule_in_use(void **state)
{
    (void)state;
    enum { GAMES = 1000 };
    int wins = 0, used[8] = {0};
    for (int k = 0; k < GAMES; k++) {
        ctr_state s;
        rng r = rng_at(7, (uint64_t)k, 0);
        assert_ok(g->init(&s, "", (game_key){0, 0}));
        while (!g->result(&s).over) {
            move_t moves[CTR_MAX_LEGAL];
            int n = g->legal(&s, moves);
            move_t m = moves[rng_below(&r, (uint32_t)n)];
            if (g->seat(&s) == k % 2) {
                ctr_choice c = ctr_rule_choose(&s.b);
                assert_true(ctr_legal(&s.b, c.move));
                used[c.rule]++;
                m = c.move;
            }
            g->play(&s, m, NULL);
        }
        wins += g->result(&s).score[k % 2] == 1;
    }
    printf("%d of %d against random; rules 1-7 used %d %d %d %d %d %d %d times\n", wins, GAMES, used[1], used[2],
           used[3], used[4], used[5], used[6], used[7]);
    assert_true(wins > GAMES * 95 / 100);
    for (int i = 1; i <= 7; i++) assert_true(used[i] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_1_wins_now),
        cmocka_unit_test(rule_2_parries_a_threat),
        cmocka_unit_test(rule_3_odd_advances),
        cmocka_unit_test(rule_3_even_places_before_the_enemy),
        cmocka_unit_test(rule_4_places_beside_uneven_fronts),
        cmocka_unit_test(rule_5_advances_along_an_edge),
        cmocka_unit_test(rule_6_outflanks),
        cmocka_unit_test(rule_7_falls_back),
        cmocka_unit_test(the_game_against_itself_is_pinned),
        cmocka_unit_test(it_beats_random_play_with_every_rule_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
