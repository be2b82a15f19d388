// Matches in real time: whoever steers as fast as the rules allow gets the match that choosing in turn gives.
#include "games/puyo/puyo_match.h"
#include "test.h"

#include <string.h>

// The move of a seat for its n-th pair, whoever asks and when.
static int choice(const py_match *m, int seat, uint64_t number)
{
    const py_side *a = &m->side[seat];
    uint16_t moves[PY_MAX_LEGAL];
    rng r = rng_at(number, (uint64_t)seat, a->placed);
    int n = py_move_list(py_legal_mask(&a->field, a->window[0], m->reach, m->lose), moves);
    assert_true(n > 0);
    // Somebody who lets puyos of one colour meet fires chains now and then.
    int best = moves[rng_below(&r, (uint32_t)n)], most = -1;
    for (int i = 0; i < n; i++) {
        py_field f = a->field;
        py_place(&f, moves[i], a->window[0]);
        int links = py_links(&f), value = 20 * links - py_height(&f, PY_SPAWN) + (int)rng_below(&r, 6);
        if (value > most) most = value, best = moves[i];
    }
    return best;
}

static bool in_turn(py_match *m, uint64_t number)
{
    step_event ev[2];
    bool tie = false;
    while (!py_match_result(m).over) {
        tie |= m->side[0].clock == m->side[1].clock && m->side[0].placed > 0;
        py_match_play(m, choice(m, py_match_seat(m), number), ev);
    }
    return !tie;
}

static void in_frames(py_match *m, uint64_t number)
{
    step_event ev[2];
    uint32_t frame = 0;
    while (!py_match_result(m).over) {
        py_match_pass(m, frame, ev);
        if (py_match_result(m).over) break;
        for (int s = 0; s < 2; s++) {
            py_side *a = &m->side[s];
            if (a->due || a->clock > frame) continue;
            int move = choice(m, s, number);
            uint32_t lands = a->clock + (uint32_t)py_drop_of(&a->field, move, a->window[0]).frames;
            if (lands == frame) assert_int_equal(py_match_rest(m, s, move, frame, ev), frame);
        }
        frame++;
        assert_true(frame < 200000);
    }
}

static bool same_side(const py_side *a, const py_side *b)
{
    if (!a->buried && a->placed == b->placed + 1) return true; // chosen, not landed when the match ended
    return a->placed == b->placed && memcmp(&a->field, &b->field, sizeof a->field) == 0 && a->score == b->score &&
           a->clock == b->clock && a->received == b->received && a->buried == b->buried;
}

static void the_same_match(void **state)
{
    (void)state;
    int compared = 0, same = 0, chains = 0;
    for (uint64_t number = 0; number < 80; number++) {
        py_match a, b;
        assert_ok(py_match_init(&a, "", (game_key){7, number}));
        b = a;
        if (!in_turn(&a, number)) continue; // at one moment: chains cancel each other, in frames one comes first
        in_frames(&b, number);
        compared++;
        same += same_side(&a.side[0], &b.side[0]) && same_side(&a.side[1], &b.side[1]);
        chains += a.side[0].sent + a.side[1].sent > 0;
    }
    assert_true(compared >= 8);
    assert_true(chains >= 8);
    // Of two chains that overlap, the one chosen first need not land first: then they cancel in another order.
    assert_true(same >= compared - 1);
}

// A player that waits is not overtaken by what it could have done, and its clock says when its pair came.
static void waiting(void **state)
{
    (void)state;
    py_match m, asked;
    step_event ev[2];
    assert_ok(py_match_init(&m, "", (game_key){1, 0}));
    uint32_t need = (uint32_t)py_drop_of(&m.side[1].field, 8, m.side[1].window[0]).frames;
    assert_int_equal(py_match_rest(&m, 1, 8, 0, ev), need); // steering takes its time
    assert_int_equal(m.side[0].clock, 0);
    assert_true(m.side[1].due);
    py_match_pass(&m, 10 * need, ev);
    assert_false(m.side[1].due);
    assert_int_equal(m.side[0].clock, 0);
    assert_int_equal(m.side[1].clock, need);
    py_match_ask(&m, 1, &asked);
    assert_int_equal(py_match_seat(&asked), 1);
    assert_int_equal(py_match_rest(&m, 0, 8, 1000, ev), 1000);
    assert_int_equal(m.side[0].clock, 1000);
    py_match_ask(&m, 1, &asked);
    assert_int_equal(py_match_seat(&asked), 1);
}

// What one sends falls on the other after its next placement, and not while it still steers.
static void nuisance_waits_for_the_pair(void **state)
{
    (void)state;
    py_match m;
    step_event ev[2];
    assert_ok(py_match_init(&m, "", (game_key){1, 0}));
    m.side[0].coming = 4;
    m.side[1].due = 1;
    m.side[1].clock = 300; // its chain ends then
    py_match_pass(&m, 299, ev);
    assert_int_equal(m.side[0].pending, 0);
    py_match_pass(&m, 300, ev);
    assert_int_equal(m.side[0].pending, 4);
    assert_int_equal(ev[0].received, 0);
    uint32_t landed = py_match_rest(&m, 0, 8, 400, ev);
    py_match_pass(&m, landed, ev);
    assert_int_equal(ev[0].received, 4);
    assert_true(m.side[0].clock > landed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_match), cmocka_unit_test(waiting),
                                       cmocka_unit_test(nuisance_waits_for_the_pair)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
