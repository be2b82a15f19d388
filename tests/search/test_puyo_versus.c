// The match player: what it knows about time and pairs, one position for each plan, legal and repeatable games at every
// level, and that each level beats those it must.
#include "agents/agent.h"
#include "search/puyo/puyo_versus.h"
#include "test.h"

#define TWO_LINKS "G...../R...../RG..../RGG..." // 360 points by a red on column 2

static py_match fresh(void)
{
    py_match m;
    assert_ok(py_match_init(&m, "", (game_key){1, 1}));
    return m;
}

// High everywhere and without a chain; column 3 has one row left below the one that loses.
static py_field high_field(void)
{
    py_field f = {0};
    for (int c = 0; c < PY_COLS; c++)
        for (int r = 1; r <= (c == PY_SPAWN ? 11 : 10); r++) py_set(&f, c, r, PY_RED + (r + 2 * c) % 4);
    return f;
}

static void knows_time_and_pairs(void **state)
{
    (void)state;
    py_match m = fresh(), obs;
    py_field empty = {0}, high = high_field();
    assert_int_equal(puyo_bury_count(&empty), 72);
    assert_int_equal(puyo_bury_count(&high), 6);
    assert_true(puyo_placement_frames(&empty) > puyo_placement_frames(&high));
    uint8_t pairs[PY_RING];
    py_match_observe(&m, 0, &obs);
    assert_int_equal(puyo_known_pairs(&obs, 0, pairs), PY_SHOWN);
    assert_memory_equal(pairs, m.side[0].window, PY_SHOWN);
    // When player 1 is four pairs ahead, player 2's next seven are known.
    for (int i = 0; i < 4; i++) {
        m.side[0].placed++;
        for (uint32_t k = 0; k < PY_SHOWN; k++) m.side[0].window[k] = py_queue_get(&m.queue, m.side[0].placed + k);
    }
    py_match_observe(&m, 1, &obs);
    assert_int_equal(puyo_known_pairs(&obs, 1, pairs), PY_SHOWN + 4);
    for (uint32_t i = 0; i < PY_SHOWN + 4; i++) assert_int_equal(pairs[i], py_queue_get(&m.queue, i));
}

// Players that know more and more, from 2: they answer; then they finish; then all.
static const puyo_versus_options players[] = {
    {.width = 8, .depth = 2, .samples = 1, .visible = 2, .fire = 700, .slip = 5},
    {.width = 12, .depth = 3, .samples = 1, .visible = 2, .fire = 1200, .slip = 5},
    {.width = 16, .depth = 5, .samples = 1, .visible = 2, .fire = 5000, .answer = true},
    {.width = 16, .depth = 7, .samples = 1, .visible = 2, .answer = true, .finish = true},
    {150, 12, 2, 3, .late = 12, .answer = true, .finish = true, .harass = true, .hold = true},
};

static puyo_plan choose(const py_match *m, int seat, int player)
{
    puyo_versus *v = puyo_versus_new(&players[player]);
    assert_non_null(v);
    py_match obs;
    rng r = rng_at(3, 3, 3);
    py_match_observe(m, seat, &obs);
    puyo_plan p = puyo_versus_choose(v, &obs, seat, &r);
    puyo_versus_free(v);
    return p;
}

static void finishes(void **state)
{
    (void)state;
    py_match m = fresh();
    assert_ok(py_field_parse(TWO_LINKS, &m.side[0].field));
    m.side[0].window[0] = m.queue.ring[0] = py_pair(PY_RED, PY_BLUE);
    m.side[0].bonus = 1; // with an all clear 2,460 points: 35 nuisance
    m.side[1].field = high_field();
    m.side[1].window[0] = py_pair(PY_RED, PY_BLUE);
    puyo_plan p = choose(&m, 0, 4);
    assert_string_equal(p.plan, "finish");
    assert_int_equal(p.fires, 360 + PY_ALL_CLEAR);
    m.side[1].field = (py_field){0}; // 35 do not bury an empty field
    assert_string_not_equal(choose(&m, 0, 4).plan, "finish");
}

static void answers(void **state)
{
    (void)state;
    py_match m = fresh();
    assert_ok(py_field_parse(TWO_LINKS, &m.side[0].field));
    m.side[0].window[0] = m.side[1].window[0] = m.queue.ring[0] = py_pair(PY_RED, PY_BLUE);
    m.side[0].bonus = 1;
    m.side[0].pending = 18; // the 35 of its chain cancel them, and now is the last moment
    for (int level = 2; level <= 4; level++) {
        puyo_plan p = choose(&m, 0, level);
        assert_string_equal(p.plan, "answer");
        assert_int_equal(p.fires, 360 + PY_ALL_CLEAR);
    }
    m.side[0].pending = 3; // too few to care
    assert_string_not_equal(choose(&m, 0, 3).plan, "answer");
}

// --- whole games

static float play(const char *first, const char *second, uint64_t key, uint64_t *trace)
{
    const game *g;
    agent *a[2];
    py_match s, obs;
    game_key k = {9, key};
    const char *spec[2] = {first, second};
    assert_ok(game_find("puyo", &g));
    for (int i = 0; i < 2; i++) {
        assert_ok(agent_open(&a[i], g, spec[i]));
        agent_begin(a[i], k, i);
    }
    assert_ok(g->init(&s, "", k));
    *trace = 0;
    while (!g->result(&s).over) {
        agent_choice c;
        int seat = g->seat(&s);
        g->observe(&s, seat, &obs);
        assert_ok(agent_choose(a[seat], &obs, &c));
        assert_true(py_match_legal(&s) >> c.move & 1);
        *trace = rng_mix(*trace + c.move);
        g->play(&s, c.move, NULL);
    }
    for (int i = 0; i < 2; i++) agent_close(a[i]);
    return g->result(&s).score[0];
}

static void games_are_repeatable(void **state)
{
    (void)state;
    uint64_t a, b;
    float x = play("versus:level=hard", "versus:level=medium", 4, &a),
          y = play("versus:level=hard", "versus:level=medium", 4, &b);
    assert_true(a == b && x == y);
}

static void levels_beat_weaker_players(void **state)
{
    (void)state;
    static const struct {
        const char *strong, *weak;
        int games;
        double least;
    } pairing[] = {
        {"versus:level=beginner", "random", 10, 9},
        {"versus:level=beginner", "greedy", 10, 7},
        {"versus:level=medium", "versus:level=beginner", 10, 8},
        {"versus:level=expert,width=20,depth=6,samples=1", "versus:level=easy", 4, 3},
    };
    for (size_t i = 0; i < sizeof pairing / sizeof *pairing; i++) {
        double won = 0;
        uint64_t trace;
        for (int k = 0; k < pairing[i].games; k += 2) {
            won += (double)play(pairing[i].strong, pairing[i].weak, (uint64_t)k, &trace);
            won += 1 - (double)play(pairing[i].weak, pairing[i].strong, (uint64_t)k, &trace);
        }
        if (won < pairing[i].least)
            fail_msg("%s won %.1f of %d against %s", pairing[i].strong, won, pairing[i].games, pairing[i].weak);
    }
}

static void bad_parameters_are_said(void **state)
{
    (void)state;
    const game *g;
    agent *a;
    assert_ok(game_find("puyo", &g));
    assert_err(agent_open(&a, g, "versus:level=god"), "level");
    assert_err(agent_open(&a, g, "beam:width=0"), "width");
    assert_ok(game_find("othello", &g));
    assert_err(agent_open(&a, g, "beam"), "othello");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_time_and_pairs),
        cmocka_unit_test(finishes),
        cmocka_unit_test(answers),
        cmocka_unit_test(games_are_repeatable),
        cmocka_unit_test(levels_beat_weaker_players),
        cmocka_unit_test(bad_parameters_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
