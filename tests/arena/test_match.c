// The referee: results that do not depend on threads, failures that are recorded, rules of a match. labels: threads
#include "arena/match.h"
#include "arena/schedule.h"
#include "test.h"

#include <pthread.h>
#include <unistd.h>

static const game *the_game(const char *name)
{
    const game *g = NULL;
    assert_ok(game_find(name, &g));
    return g;
}

// Everything a match tells, in order of the games.
typedef struct story {
    pthread_mutex_t lock;
    const schedule *s;
    match_record *record; // moves and detail are copies
    size_t n, skip_every;
    size_t stop_after, empty; // empty: calls without a game
} story;

static bool plan(void *ctx, uint64_t i, match_game *out)
{
    story *t = ctx;
    *out = schedule_game(t->s, i);
    return t->skip_every == 0 || i % t->skip_every != 0;
}

static bool note(void *ctx, const match_record *r, int n)
{
    story *t = ctx;
    pthread_mutex_lock(&t->lock);
    t->empty += n < 1;
    for (int i = 0; i < n; i++) {
        match_record *to = &t->record[r[i].what.id];
        *to = r[i];
        move_t *moves = malloc((size_t)r[i].plies * sizeof *moves + 1);
        assert_non_null(moves);
        if (r[i].plies > 0) memcpy(moves, r[i].moves, (size_t)r[i].plies * sizeof *moves);
        to->moves = moves;
        to->detail = strdup(r[i].detail);
        t->n++;
    }
    bool go_on = t->stop_after == 0 || t->n < t->stop_after;
    pthread_mutex_unlock(&t->lock);
    return go_on;
}

static story tell(const match_options *o, const schedule *s)
{
    story t = {.lock = PTHREAD_MUTEX_INITIALIZER, .s = s, .record = calloc(s->n, sizeof(match_record))};
    assert_non_null(t.record);
    assert_ok(match_run(o, s->n, plan, note, &t));
    return t;
}

static void forget(story *t)
{
    for (uint64_t i = 0; i < t->s->n; i++) {
        free((void *)t->record[i].moves);
        free((void *)t->record[i].detail);
    }
    free(t->record);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    static const match_player players[] = {
        {.name = "a", .spec = "random"}, {.name = "b", .spec = "greedy"}, {.name = "c", .spec = "mcts:sims=20"}};
    static const char *const names[] = {"othello", "puyo", "tictactoe"};
    for (int k = 0; k < 3; k++) {
        schedule s;
        openings set = {0};
        assert_ok(schedule_make(&s, SCHEDULE_ROUND_ROBIN, 3, 6));
        match_options o = {.g = the_game(names[k]), .players = players, .n_players = 3, .seed = 5, .no_clock = true};
        o.rules.max_plies = 60;
        if (k == 0) {
            assert_ok(openings_make(&set, o.g, "", "balanced", 3, 1));
            o.set = &set;
        }
        o.threads = 1;
        story one = tell(&o, &s);
        assert_int_equal(one.n, s.n);
        for (int threads = 2; threads <= 7; threads += 5) {
            o.threads = threads;
            o.grain = threads == 2 ? 0 : 4;
            story many = tell(&o, &s);
            assert_int_equal(many.n, one.n);
            for (uint64_t i = 0; i < s.n; i++) {
                const match_record *a = &one.record[i], *b = &many.record[i];
                assert_int_equal(a->halves, b->halves);
                assert_int_equal(a->reason, b->reason);
                assert_int_equal(a->plies, b->plies);
                assert_true(a->side[0].nodes == b->side[0].nodes && a->side[1].nodes == b->side[1].nodes);
                assert_memory_equal(a->moves, b->moves, a->plies * sizeof *a->moves);
            }
            forget(&many);
        }
        forget(&one);
        openings_free(&set);
        schedule_free(&s);
    }
}

// Two copies of a player with chance in it do not play a pair as one game and its mirror; Puyo's pairs are shared.
static void a_pair_shares_its_opening_alone(void **state)
{
    (void)state;
    static const match_player players[] = {{.name = "a", .spec = "random"}, {.name = "b", .spec = "random"}};
    schedule s;
    assert_ok(schedule_make(&s, SCHEDULE_ROUND_ROBIN, 2, 20));
    match_options o = {.g = the_game("othello"), .players = players, .n_players = 2, .seed = 1, .threads = 1};
    story t = tell(&o, &s);
    int same = 0;
    for (uint64_t i = 0; i < s.n; i += 2) {
        const match_record *a = &t.record[i], *b = &t.record[i + 1];
        assert_int_equal(a->what.opening, b->what.opening);
        assert_int_equal(a->what.player[0], b->what.player[1]);
        same += a->plies == b->plies && memcmp(a->moves, b->moves, a->plies * sizeof *a->moves) == 0;
        assert_true(a->side[0].seconds > 0 && a->side[1].seconds > 0);
        assert_int_equal(a->side[0].choices + a->side[1].choices, a->plies);
    }
    assert_int_equal(same, 0);
    forget(&t);
    schedule_free(&s);
}

static err open_counted(void *ctx, const game *g, int worker, agent **out)
{
    int *opened = ctx;
    assert_in_range(worker, 0, 0);
    ++*opened;
    return agent_open(out, g, "greedy");
}

static void pairs_give_results(void **state)
{
    (void)state;
    int opened = 0;
    match_player players[] = {{.name = "greedy", .open = open_counted, .ctx = &opened},
                              {.name = "random", .spec = "random"},
                              {.name = "other", .spec = "random"}};
    match_options o = {.g = the_game("othello"), .players = players, .n_players = 3, .seed = 9, .threads = 1};
    results r;
    assert_ok(match_pairs(&r, &o, 10));
    assert_int_equal(opened, 1);
    assert_int_equal(r.n, 60);
    match_counts c;
    assert_ok(results_match(&c, &r, 0, 1));
    assert_true(c.unpaired == 0 && c.n3[0] + c.n3[1] + c.n3[2] == 20);
    double pairs = 0;
    for (int i = 0; i < 5; i++) pairs += c.n5[i];
    assert_true(pairs == 10);
    results_free(&r);
    players[2].name = "random";
    assert_err(match_pairs(&r, &o, 1), "two players are called 'random'");
    players[2].name = "other";
    players[2].spec = "nobody";
    assert_err(match_pairs(&r, &o, 1), "nobody");
    o.g = the_game("puyo-solo");
    assert_err(match_pairs(&r, &o, 1), "one seat");
}

// Engines that die, hang, talk nonsense or break the rules lose; the match goes on.
static void failures_are_losses(void **state)
{
    (void)state;
    static const match_player players[] = {
        {.name = "random", .spec = "random"},
        {.name = "gone", .spec = "engine:gtp='read l; printf \"= \\n\\n\"'"},
        {.name = "mute", .spec = "engine:gtp='sleep 9',timeout=0.05"},
        {.name = "cheat", .spec = "engine:gtp='while read l; do printf \"= a1\\n\\n\"; done'"},
    };
    schedule s;
    assert_ok(schedule_make(&s, SCHEDULE_GAUNTLET, 4, 2));
    match_options o = {.g = the_game("othello"), .players = players, .n_players = 4, .seed = 1, .threads = 2};
    story t = tell(&o, &s);
    assert_int_equal(t.n, 6);
    for (uint64_t i = 0; i < s.n; i++) {
        const match_record *r = &t.record[i];
        int bad = r->what.player[1] == 0 ? 0 : 1; // seat of the engine
        assert_int_equal(r->reason, MATCH_FAILED);
        assert_int_equal(r->failed, bad);
        assert_int_equal(r->halves, bad == 0 ? 0 : 2);
        assert_true(r->detail[0] != 0);
    }
    assert_string_equal(match_reason_name(MATCH_FAILED), "failed");
    assert_int_equal(match_reason_find("failed"), MATCH_FAILED);
    assert_int_equal(match_reason_find("discs"), REASON_DISCS);
    assert_int_equal(match_reason_find("nothing"), -1);
    forget(&t);
    schedule_free(&s);
}

static void rules_of_a_match(void **state)
{
    (void)state;
    static const match_player players[] = {{.name = "a", .spec = "alphabeta:depth=2,hash=12"},
                                           {.name = "b", .spec = "random"}};
    schedule s;
    assert_ok(schedule_make(&s, SCHEDULE_ROUND_ROBIN, 2, 4));
    match_options o = {.g = the_game("othello"), .players = players, .n_players = 2, .seed = 3, .threads = 1};
    o.rules.max_plies = 20;
    story t = tell(&o, &s);
    for (uint64_t i = 0; i < s.n; i++) {
        assert_int_equal(t.record[i].reason, MATCH_CAP);
        assert_int_equal(t.record[i].plies, 20);
        assert_int_equal(t.record[i].halves, 1);
    }
    forget(&t);
    o.rules = (match_rules){.adjudicate = 10};
    t = tell(&o, &s);
    for (uint64_t i = 0; i < s.n; i++) {
        assert_true(t.record[i].reason == MATCH_ADJUDICATED || t.record[i].reason == REASON_DISCS);
        int discs = 0;
        for (int k = 0; k < t.record[i].plies; k++) discs += t.record[i].moves[k] < 64; // 64 is the pass
        assert_true(discs <= 50);
    }
    forget(&t);
    // `random` has no opinion, so nobody resigns against it; two searchers agree.
    o.rules = (match_rules){.resign = 0.05, .resign_moves = 2};
    t = tell(&o, &s);
    for (uint64_t i = 0; i < s.n; i++) assert_int_equal(t.record[i].reason, REASON_DISCS);
    forget(&t);
    static const match_player searchers[] = {{.name = "a", .spec = "alphabeta:depth=6,hash=12"},
                                             {.name = "b", .spec = "alphabeta:depth=1,hash=12"}};
    o.players = searchers;
    t = tell(&o, &s);
    int resigned = 0;
    for (uint64_t i = 0; i < s.n; i++)
        if (t.record[i].reason == MATCH_RESIGNED) {
            resigned++;
            assert_int_equal(t.record[i].halves, t.record[i].what.player[0] == 0 ? 2 : 0);
        }
    assert_true(resigned > 0);
    forget(&t);
    // An engine says so by itself.
    static const match_player engines[] = {
        {.name = "e",
         .spec = "engine:gtp='while read x; do case $x in genmove*) echo = resign;; *) echo =;; esac; echo; done'"},
        {.name = "b", .spec = "random"}};
    o.players = engines;
    o.rules = (match_rules){0};
    t = tell(&o, &s);
    for (uint64_t i = 0; i < s.n; i++) {
        assert_int_equal(t.record[i].reason, MATCH_RESIGNED);
        assert_int_equal(t.record[i].halves, t.record[i].what.player[0] == 0 ? 0 : 2);
        assert_string_equal(t.record[i].detail, "");
    }
    forget(&t);
    schedule_free(&s);
    o.g = the_game("renju");
    o.players = players;
    o.rules = (match_rules){.adjudicate = 10};
    results r;
    assert_err(match_pairs(&r, &o, 1), "no exact solver");
}

static void games_can_be_left_out_and_a_match_stopped(void **state)
{
    (void)state;
    static const match_player players[] = {{.name = "a", .spec = "random"}, {.name = "b", .spec = "random"}};
    schedule s;
    assert_ok(schedule_make(&s, SCHEDULE_ROUND_ROBIN, 2, 100));
    match_options o = {.g = the_game("tictactoe"), .players = players, .n_players = 2, .seed = 3, .threads = 2};
    story t = {.lock = PTHREAD_MUTEX_INITIALIZER, .s = &s, .record = calloc(s.n, sizeof(match_record))};
    t.skip_every = 3;
    assert_ok(match_run(&o, s.n, plan, note, &t));
    assert_int_equal(t.n, 66);
    assert_int_equal(t.empty, 0);
    for (uint64_t i = 0; i < s.n; i++) assert_int_equal(t.record[i].plies > 0, i % 3 != 0);
    forget(&t);
    t.record = calloc(s.n, sizeof(match_record));
    t.n = 0;
    t.skip_every = 0;
    t.stop_after = 10;
    assert_int_equal(match_run(&o, s.n, plan, note, &t), ERR_STOPPED);
    assert_true(t.n >= 10 && t.n < 100);
    forget(&t);
    schedule_free(&s);
}

static void schedules_are_fair(void **state)
{
    (void)state;
    for (int kind = 0; kind < SCHEDULE_KINDS; kind++)
        for (int players = 2; players <= 5; players++)
            for (uint64_t games = 1; games <= 7; games++) {
                schedule s;
                assert_ok(schedule_make(&s, (schedule_kind)kind, players, games));
                int want = kind == SCHEDULE_ROUND_ROBIN ? players * (players - 1) / 2 : players - 1;
                assert_int_equal(s.n_pairings, want);
                int count[5][5] = {{0}};
                for (uint64_t i = 0; i < s.n; i++) {
                    match_game g = schedule_game(&s, i);
                    assert_true(g.player[0] != g.player[1]);
                    count[g.player[0]][g.player[1]]++;
                    assert_true(g.opening < schedule_rounds(&s));
                    if (i % 2 == 1 && g.opening < games / 2) {
                        match_game before = schedule_game(&s, i - 1);
                        assert_int_equal(before.player[0], g.player[1]);
                        assert_int_equal(before.opening, g.opening);
                        assert_int_equal(schedule_pair(&s, i), schedule_pair(&s, i - 1));
                    }
                }
                for (int a = 0; a < players; a++)
                    for (int b = a + 1; b < players; b++) {
                        int both = count[a][b] + count[b][a];
                        if (both == 0) continue;
                        assert_int_equal(both, games);
                        assert_int_equal(count[a][b] - count[b][a], games % 2);
                    }
                schedule_free(&s);
            }
    schedule s;
    assert_err(schedule_make(&s, SCHEDULE_GAUNTLET, 1, 2), "two players");
    assert_err(schedule_make(&s, SCHEDULE_GAUNTLET, 2, (uint64_t)1 << 40), "games");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_nothing), cmocka_unit_test(a_pair_shares_its_opening_alone),
        cmocka_unit_test(pairs_give_results),     cmocka_unit_test(failures_are_losses),
        cmocka_unit_test(rules_of_a_match),       cmocka_unit_test(games_can_be_left_out_and_a_match_stopped),
        cmocka_unit_test(schedules_are_fair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
