// The table's parser, tallies, and counts of a match.
#include "base/rng.h"
#include "stats/elo.h"
#include "stats/results.h"
#include "test.h"

#include <math.h>

#define HEAD "first,second,first_wins,draws,second_wins\n"

static err parse(tally *t, const char *text)
{
    return tally_parse(t, text, strlen(text));
}

static void tables_are_read(void **state)
{
    (void)state;
    tally t = {0};
    assert_ok(parse(&t, "\xef\xbb\xbf" HEAD
                        "a,b,1,2,3\r\n\r\nb,a,0,0,7\n\"mcts:sims=4,c=1\",\"say \"\"hi\"\"\",5,0,0\na,b,10,0,1"));
    assert_int_equal(t.who.n, 4);
    assert_int_equal(t.n, 3);
    assert_string_equal(t.who.name[2], "mcts:sims=4,c=1");
    assert_string_equal(t.who.name[3], "say \"hi\"");
    assert_true(t.cell[0].wins == 11 && t.cell[0].draws == 2 && t.cell[0].losses == 4); // the two rows of a against b
    assert_true(t.cell[1].first == 1 && t.cell[1].losses == 7);
    player_total sum[4];
    tally_totals(&t, sum);
    assert_true(sum[0].games == 24 && sum[0].wins == 18 && sum[0].losses == 4 && sum[0].draws == 2 &&
                sum[0].first == 17);
    assert_true(tally_games(&t) == 29);

    char text[512], again[512];
    tally u = {0};
    size_t n = tally_print(&t, text, sizeof text);
    assert_int_equal(n, strlen(text));
    assert_ok(parse(&u, text));
    assert_int_equal(tally_print(&u, again, sizeof again), n);
    assert_string_equal(text, again);
    char small[8];
    assert_int_equal(tally_print(&u, small, sizeof small), n); // cut, but terminated
    assert_string_equal(small, "first,s");
    tally_free(&t);
    tally_free(&u);

    assert_ok(parse(&t, HEAD));
    assert_int_equal(t.n, 0);
    tally_free(&t);
}

static void bad_tables_are_refused(void **state)
{
    (void)state;
    tally t = {0};
    assert_err(parse(&t, ""), "line 1: the table is empty");
    assert_err(parse(&t, "a,b,1,2,3\n"), "line 1: column 1 is 'a', expected 'first'");
    assert_err(parse(&t, HEAD "a,b,1,2\n"), "line 2: 4 fields, expected 5");
    assert_err(parse(&t, HEAD "a,b,1,2,3,4\n"), "line 2: more than 5 fields");
    assert_err(parse(&t, HEAD "a,b,1,2,3\n\na,b,1,x,3\n"), "line 4: draws is 'x'");
    assert_err(parse(&t, HEAD "a,b,-1,2,3\n"), "line 2: first_wins is '-1'");
    assert_err(parse(&t, HEAD "a,b,1,2,1.5\n"), "line 2: second_wins is '1.5'");
    assert_err(parse(&t, HEAD "a,b,1,,3\n"), "line 2: draws is empty");
    assert_err(parse(&t, HEAD "a,b,99999999999999999999,2,3\n"), "line 2: first_wins is beyond");
    assert_err(parse(&t, HEAD "a,b,1000000000000,0,0\na,b,1,0,0\n"), "more than");
    assert_err(parse(&t, HEAD "a,a,1,2,3\n"), "line 2: 'a' cannot play itself");
    assert_err(parse(&t, HEAD ",a,1,2,3\n"), "line 2: a player's name is empty");
    assert_err(parse(&t, HEAD "\"a,b,1,2,3\n"), "line 2: a quote is not closed");
    assert_err(parse(&t, HEAD "a\"x,b,1,2,3\n"), "line 2: a quote inside");
    assert_err(parse(&t, HEAD "\"a\"x,b,1,2,3\n"), "line 2: expected a comma");
    assert_err(parse(&t, HEAD "a\tb,b,1,2,3\n"), "line 2: a player's name holds a control character");
    assert_err(parse(&t, HEAD "\xff,b,1,2,3\n"), "line 2: a player's name is not UTF-8");
    assert_err(parse(&t, HEAD "\xed\xa0\x80,b,1,2,3\n"), "not UTF-8");
    assert_err(parse(&t, HEAD "\xc3,b,1,2,3\n"), "not UTF-8");
    static const char *const broken[] = {"\xc3(", "\xe3(\x81", "\xe3\x81(", "\xf0\x9f\x8e(", "\xf0\x9f(\x8e", "x\xc3"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) { // a byte that does not go on
        char text[80];
        snprintf(text, sizeof text, HEAD "%sx,b,1,2,3\n", broken[i]);
        assert_err(parse(&t, text), "line 2: a player's name is not UTF-8");
    }
    assert_err(tally_parse(&t, HEAD "a\0,b,1,2,3\n", sizeof HEAD + 11), "line 2: a zero byte");
    char wide[400];
    snprintf(wide, sizeof wide, HEAD "%0300d,b,1,2,3\n", 7);
    assert_err(parse(&t, wide), "line 2: a field is longer");
    assert_ok(parse(&t, HEAD "稽古,é,1,2,3\n"));
    tally_free(&t);

    size_t room = (STATS_MAX_PLAYERS + 2) * 16, at = (size_t)snprintf(NULL, 0, HEAD);
    char *many = malloc(room);
    memcpy(many, HEAD, at + 1);
    for (int i = 0; i < STATS_MAX_PLAYERS; i++) at += (size_t)snprintf(many + at, room - at, "x,p%d,1,0,0\n", i);
    assert_err(tally_parse(&t, many, at), "line 1025: more than 1024 players");
    free(many);
}

static void games_add_up(void **state)
{
    (void)state;
    results r = {0}, back = {0};
    tally t = {0}, u = {0};
    int at;
    for (int i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        assert_ok(roster_add(&r.who, name, &at));
        assert_int_equal(at, i);
    }
    assert_ok(roster_add(&r.who, "n3", &at));
    assert_int_equal(at, 3);
    rng g = rng_at(1, 2, 3);
    for (int i = 0; i < 5000; i++) {
        int a = (int)rng_below(&g, 5), b = (a + 1 + (int)rng_below(&g, 4)) % 5;
        assert_ok(results_add(&r, a, b, (int)rng_below(&g, 3), PAIR_NONE));
    }
    assert_ok(tally_of(&t, &r));
    assert_int_equal(t.n, 20);
    assert_true(tally_games(&t) == 5000);
    assert_ok(results_of(&back, &t));
    assert_ok(tally_of(&u, &back));
    assert_int_equal(u.n, 20);
    for (int i = 0; i < 20; i++) assert_memory_equal(&t.cell[i], &u.cell[i], sizeof t.cell[i]);
    results_free(&r);
    results_free(&back);
    tally_free(&t);
    tally_free(&u);
}

static void matches_are_counted_by_pair(void **state)
{
    (void)state;
    results r = {0};
    int a, b, c;
    assert_ok(roster_add(&r.who, "a", &a));
    assert_ok(roster_add(&r.who, "b", &b));
    assert_ok(roster_add(&r.who, "c", &c));
    assert_ok(results_add(&r, a, b, 2, 7));         // pair 7, first game: a wins …
    assert_ok(results_add(&r, a, b, 1, 3));         // pair 3: a draws …
    assert_ok(results_add(&r, b, a, 0, 7));         // … and wins again: 2 points
    assert_ok(results_add(&r, b, a, 2, 3));         // … and loses: half a point
    assert_ok(results_add(&r, b, a, 1, 9));         // alone in its pair
    assert_ok(results_add(&r, a, c, 2, 9));         // another match
    assert_ok(results_add(&r, a, b, 2, PAIR_NONE)); // no pair
    assert_ok(results_add(&r, b, a, 2, PAIR_NONE));
    assert_ok(results_add(&r, a, b, 2, 11)); // twice from the same side is no pair
    assert_ok(results_add(&r, a, b, 0, 11));
    match_counts m;
    assert_ok(results_match(&m, &r, a, b));
    assert_true(m.n3[0] == 3 && m.n3[1] == 2 && m.n3[2] == 4);
    assert_true(m.n5[0] == 0 && m.n5[1] == 1 && m.n5[2] == 0 && m.n5[3] == 0 && m.n5[4] == 1);
    assert_true(m.unpaired == 5);
    // Score 5/9; pairs 7, 3, 9, 11 and the two alone are 8, -11/2, -1/2, -1, 4 and -5 ninths off.
    assert_true(m.clusters == 6 && m.telling == 6);
    assert_true(fabs(m.spread - (64 + 30.25 + 0.25 + 1 + 16 + 25) / 81) < 1e-12);
    assert_ok(results_match(&m, &r, b, a));
    assert_true(m.n3[0] == 4 && m.n3[2] == 3 && m.n5[0] == 1 && m.n5[3] == 1);
    assert_ok(results_match(&m, &r, b, c));
    assert_true(m.n3[0] + m.n3[1] + m.n3[2] == 0);
    results_free(&r);
}

// The seed's formula by hand: equal players, a wins with K = 32, then draws as the favourite.
static void sequential_elo(void **state)
{
    (void)state;
    assert_true(elo_expected(0) == 0.5);
    assert_true(elo_expected(400) > 0.9090909 && elo_expected(400) < 0.9090910);
    results r = {0};
    int a, b;
    assert_ok(roster_add(&r.who, "a", &a));
    assert_ok(roster_add(&r.who, "b", &b));
    double rating[2];
    elo_sequential(&r, ELO_START, ELO_K, rating);
    assert_true(rating[0] == 1500 && rating[1] == 1500);
    assert_ok(results_add(&r, a, b, 2, PAIR_NONE));
    elo_sequential(&r, ELO_START, ELO_K, rating);
    assert_true(rating[0] == 1516 && rating[1] == 1484);
    assert_ok(results_add(&r, b, a, 1, PAIR_NONE));
    elo_sequential(&r, ELO_START, ELO_K, rating);
    assert_true(rating[0] > 1514.529 && rating[0] < 1514.531); // 1516 + 32 (0.5 - 0.54592)
    assert_true(rating[0] + rating[1] == 3000);
    results_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_read), cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(games_add_up),    cmocka_unit_test(matches_are_counted_by_pair),
        cmocka_unit_test(sequential_elo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
