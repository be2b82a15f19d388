// Games with every state since their start: played, taken back, printed and read again.
#include "games/history.h"
#include "test.h"

static const char *const names[] = {"tictactoe", "othello", "contrast", "renju", "freestyle20", "puyo", "puyo-solo"};

static void there_and_back(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const game *g;
        history h = {0}, again = {0};
        rng r = rng_at(3, k, 0);
        assert_ok(game_find(names[k], &g));
        move_t *legal = malloc((size_t)g->max_legal * sizeof *legal);
        char *copy = malloc(600 * g->state_size), list[16384], part[64];
        assert_ok(history_begin(&h, g, "", NULL, (game_key){3, k}));
        int n;
        for (; (n = g->legal(history_now(&h), legal)) > 0 && h.ply < 500;) { // longer than its first room
            memcpy(copy + (size_t)h.ply * g->state_size, history_now(&h), g->state_size);
            assert_ok(history_play(&h, legal[rng_below(&r, (uint32_t)n)], NULL));
        }
        int plies = h.ply, len = history_print_list(&h, list, sizeof list);
        assert_int_equal(len, strlen(list));
        assert_true(plies >= 5);
        for (size_t room = 0; room < sizeof part; room++) { // as snprintf, whatever the room
            memset(part, 'x', sizeof part);
            assert_int_equal(history_print_list(&h, part, room), len);
            if (room == 0) assert_int_equal(part[0], 'x');
            if (room > 0) assert_int_equal(strncmp(part, list, strlen(part)), 0);
            if (room > 0) assert_int_equal(strlen(part), (size_t)len < room ? (size_t)len : room - 1);
        }
        assert_ok(history_begin(&again, g, "", "start", (game_key){3, k}));
        assert_ok(history_play_list(&again, list));
        assert_int_equal(again.ply, plies);
        assert_memory_equal(history_now(&again), history_now(&h), g->state_size);
        assert_memory_equal(again.moves, h.moves, (size_t)plies * sizeof *h.moves);
        for (int ply = plies - 1; ply >= 0; ply--) {
            assert_memory_equal(history_at(&h, ply), copy + (size_t)ply * g->state_size, g->state_size);
            assert_memory_equal(history_at(&again, ply), history_at(&h, ply), g->state_size);
        }
        // the same memory for the next game, also of another kind
        const game *other;
        assert_ok(game_find(names[(k + 1) % 7], &other));
        assert_ok(history_begin(&again, other, "", "", (game_key){4, 0}));
        assert_int_equal(again.ply, 0);
        assert_ptr_equal(again.g, other);
        history_free(&h);
        history_free(&again);
        assert_null(h.states);
        free(legal);
        free(copy);
    }
}

static void lists(void **state)
{
    (void)state;
    const game *g;
    history h = {0};
    char list[100], one[4];
    bool found;
    assert_ok(game_find("tictactoe", &g));
    static const struct {
        const char *moves, *says, *gives;
    } rows[] = {
        {"", NULL, ""},
        {" ;; \t\r\n", NULL, ""},
        {"a1;b2;c3", NULL, "a1;b2;c3"},
        {"  a1 \t; b2\r\n\nc3 ;", NULL, "a1;b2;c3"},
        {"a1;a1", "move 2 ('a1')", "a1"},
        {"a1;;x;b2", "move 2 ('x')", "a1"},
        {"a1b2c3", NULL, "a1;b2;c3"},
        {"a1 b2, c3\ta2;b1", NULL, "a1;b2;c3;a2;b1"},
        {"a1b2zz", "move 3 ('zz')", "a1;b2"},
        {"a1b22", "move 2 ('b22')", "a1"},
        {"a1-b2", "move 1 ('a1-b2')", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_ok(history_begin(&h, g, NULL, NULL, (game_key){0, 0}));
        if (rows[i].says == NULL) assert_ok(history_play_list(&h, rows[i].moves));
        if (rows[i].says != NULL) assert_err(history_play_list(&h, rows[i].moves), rows[i].says);
        history_print_list(&h, list, sizeof list);
        assert_string_equal(list, rows[i].gives);
    }
    // one move at a time, into little room
    const char *at = " abc ; abcd;x";
    assert_ok(history_next_move(g, &at, 1, one, sizeof one, &found));
    assert_true(found);
    assert_string_equal(one, "abc");
    assert_string_equal(at, "; abcd;x");
    assert_err(history_next_move(g, &at, 2, one, sizeof one, &found), "move 2 is longer than any move");
    assert_ok(history_next_move(g, &at, 3, one, sizeof one, &found));
    assert_string_equal(one, "x");
    assert_true(found);
    assert_ok(history_next_move(g, &at, 4, one, sizeof one, &found));
    assert_false(found);
    assert_string_equal(one, "");
    history_free(&h);
}

static void positions(void **state)
{
    (void)state;
    const game *g;
    history h = {0};
    char text[GAME_TEXT];
    assert_ok(game_find("othello", &g));
    const char *position = "---------------------------OX------OXX-----O-------------------- X";
    assert_ok(history_begin(&h, g, "", position, (game_key){0, 0}));
    g->state_print(history_now(&h), text, sizeof text);
    assert_string_equal(text, position);
    assert_err(history_begin(&h, g, "", "nonsense", (game_key){0, 0}), "position: ");
    assert_ok(game_find("renju", &g));
    assert_ok(history_begin(&h, g, "cap=9", "start", (game_key){0, 0}));
    g->state_print(history_now(&h), text, sizeof text);
    assert_non_null(strstr(text, "cap=9"));
    assert_err(history_begin(&h, g, "cap=9", "h8", (game_key){0, 0}), "a position's text carries its own options");
    assert_err(history_begin(&h, g, "cap=x", NULL, (game_key){0, 0}), "cap=x");
    history_free(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_and_back), cmocka_unit_test(lists),
                                       cmocka_unit_test(positions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
