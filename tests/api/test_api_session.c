// Sessions through the public API: what a program with nothing but keiko.h can do.
#include "keiko.h"
#include "test.h"

static keiko_session *import(const char *game, const char *text)
{
    keiko_session *s = NULL;
    const keiko_game *g = game == NULL ? NULL : keiko_game_find(game);
    if (keiko_session_import(g, text, strlen(text), &s) != 0) fail_msg("%s: %s", text, keiko_error());
    return s;
}

static void contains(keiko_session *s, const char *part)
{
    char *json = NULL;
    assert_int_equal(keiko_session_json(s, -1, &json), 0);
    if (strstr(json, part) == NULL) fail_msg("no %s in %s", part, json);
    keiko_text_free(json);
}

static void a_game_is_played(void **state)
{
    (void)state;
    keiko_session *s = NULL;
    assert_int_equal(keiko_session_open(keiko_game_find("othello"), NULL, NULL, 7, &s), 0);
    assert_int_equal(keiko_session_seat(s, 1, "random"), 0);
    assert_int_not_equal(keiko_session_seat(s, 2, "random"), 0);
    assert_int_not_equal(keiko_session_seat(s, 1, "nobody"), 0);
    assert_int_not_equal(keiko_session_back(s), 0);
    assert_int_equal(keiko_session_play(s, "f5"), 0);
    assert_int_not_equal(keiko_session_play(s, "f5"), 0);
    assert_int_equal(keiko_session_think(s), 0);
    contains(s, "\"ply\": 2");
    assert_int_equal(keiko_session_back(s), 0);
    assert_int_equal(keiko_session_play(s, "d6"), 0); // perhaps another line, perhaps the same
    assert_int_equal(keiko_session_goto(s, 1), 0);
    assert_int_equal(keiko_session_forward(s), 0);
    contains(s, "\"last\": \"d6\"");
    assert_int_equal(keiko_session_resign(s, 0), 0);
    contains(s, "\"end\": \"resigned\"");
    assert_int_equal(keiko_session_delete(s, 1), 0);
    contains(s, "\"ply\": 0");
    keiko_session_close(s);
}

static void texts_go_in_and_out(void **state)
{
    (void)state;
    static const char *const formats[] = {"text", "moves", "json", "sgf", "ggf"};
    keiko_session *s = import("othello", "f5;d6;c3");
    for (int i = 0; i < 5; i++) {
        char *text = NULL, *again = NULL;
        if (keiko_session_export(s, formats[i], &text) != 0) fail_msg("%s: %s", formats[i], keiko_error());
        keiko_session *back = import("othello", text);
        assert_int_equal(keiko_session_export(back, formats[i], &again), 0);
        assert_string_equal(text, again);
        keiko_text_free(text);
        keiko_text_free(again);
        keiko_session_close(back);
    }
    char *text = NULL;
    assert_int_not_equal(keiko_session_export(s, "pgn", &text), 0);
    assert_non_null(strstr(keiko_error(), "unknown format 'pgn'"));
    assert_int_equal(keiko_session_analyse(s, "alphabeta:depth=3", 2, &text), 0);
    assert_non_null(strstr(text, "\"margin\""));
    keiko_text_free(text);
    assert_int_not_equal(keiko_session_analyse(s, NULL, 0, &text), 0);
    assert_int_not_equal(keiko_session_analyse(s, NULL, 65, &text), 0);
    for (int lines = 1; lines <= 64; lines += 63) { // the fewest and the most
        assert_int_equal(keiko_session_analyse(s, "alphabeta:depth=1", lines, &text), 0);
        keiko_text_free(text);
    }
    assert_int_equal(keiko_session_review(s, "alphabeta:depth=3", &text), 0);
    assert_non_null(strstr(text, "\"loss\""));
    keiko_text_free(text);
    keiko_session_close(s);
}

// `size` bytes count, and nothing behind them is read: a mapped file has no NUL at its end.
static void a_text_ends_where_its_size_says(void **state)
{
    (void)state;
    static const char *const texts[] = {"f5;d6;c3", "(;GM[2]SZ[8];B[f5];W[d6];B[c3])", "(;GM[Othello]BO[8 (garbage"};
    const keiko_game *g = keiko_game_find("othello");
    for (int i = 0; i < 3; i++)
        for (size_t size = 0; size <= strlen(texts[i]); size++) {
            keiko_session *s = NULL;
            char *exact = malloc(size > 0 ? size : 1), *json = NULL;
            memcpy(exact, texts[i], size);
            if (keiko_session_import(g, exact, size, &s) != 0) assert_null(s);
            keiko_session_close(s);
            free(exact);
            if (i > 0 || size != 5) continue;
            assert_int_equal(keiko_session_import(g, texts[i], size, &s), 0); // the rest is there, and is not read
            assert_int_equal(keiko_session_json(s, -1, &json), 0);
            assert_true(strstr(json, "d6") != NULL && strstr(json, "c3;") == NULL);
            keiko_position *p;
            assert_int_equal(keiko_session_position(s, &p), 0);
            assert_int_equal(keiko_position_seat(p), 0); // two moves
            keiko_position_free(p);
            keiko_text_free(json);
            keiko_session_close(s);
        }
}

// Every refusal has its sentence, and changes nothing.
static void mistakes_are_named(void **state)
{
    (void)state;
    keiko_session *s = NULL;
    char *text = NULL;
    const keiko_game *g = keiko_game_find("othello");
    assert_int_not_equal(keiko_session_open(g, NULL, "no board", 1, &s), 0);
    assert_int_not_equal(keiko_session_open(g, "colour=red", NULL, 1, &s), 0);
    assert_int_not_equal(keiko_session_import(g, "f5;f5", 5, &s), 0);
    assert_null(s);
    assert_int_equal(keiko_session_open(g, NULL, NULL, 7, &s), 0);
    static const int none[] = {-1, 2};
    for (int i = 0; i < 2; i++) {
        assert_int_not_equal(keiko_session_seat(s, none[i], "random"), 0);
        char named[40];
        snprintf(named, sizeof named, "there is no seat %d", none[i]);
        assert_non_null(strstr(keiko_error(), named));
        assert_int_not_equal(keiko_session_resign(s, none[i]), 0);
        assert_non_null(strstr(keiko_error(), named));
    }
    assert_int_equal(keiko_session_seat(s, 0, "random"), 0);
    assert_int_not_equal(keiko_session_json(s, 2, &text), 0);
    assert_non_null(strstr(keiko_error(), "there is no seat 2"));
    for (int seat = 0; seat < 2; seat++) {
        assert_int_equal(keiko_session_json(s, seat, &text), 0);
        keiko_text_free(text);
    }
    keiko_session *match = NULL; // in Puyo each seat sees something else, and the referee everything
    char *seen[3];
    assert_int_equal(keiko_session_open(keiko_game_find("puyo"), NULL, NULL, 7, &match), 0);
    for (int seat = -1; seat < 2; seat++) assert_int_equal(keiko_session_json(match, seat, &seen[seat + 1]), 0);
    assert_true(strcmp(seen[0], seen[1]) != 0 && strcmp(seen[1], seen[2]) != 0 && strcmp(seen[0], seen[2]) != 0);
    for (int i = 0; i < 3; i++) keiko_text_free(seen[i]);
    keiko_session_close(match);
    assert_int_not_equal(keiko_session_back(s), 0);
    assert_string_equal(keiko_error(), "this is the start");
    assert_int_not_equal(keiko_session_forward(s), 0);
    assert_string_equal(keiko_error(), "this is the end of the line");
    assert_int_not_equal(keiko_session_goto(s, 1), 0);
    assert_int_not_equal(keiko_session_promote(s, 1), 0);
    assert_int_not_equal(keiko_session_delete(s, 1), 0);
    assert_int_not_equal(keiko_session_resign(s, 2), 0);
    assert_int_not_equal(keiko_session_analyse(s, "nobody", 1, &text), 0);
    assert_non_null(strstr(keiko_error(), "nobody"));
    assert_int_not_equal(keiko_session_review(s, "nobody", &text), 0);
    assert_non_null(strstr(keiko_error(), "nobody"));
    assert_int_not_equal(keiko_session_analyse(s, NULL, 65, &text), 0);
    assert_string_equal(keiko_error(), "1 to 64 lines, not 65");
    contains(s, "\"ply\": 0");
    keiko_session_close(s);
    keiko_session_close(NULL);
}

static void variations_are_ordered(void **state)
{
    (void)state;
    keiko_position *p = NULL;
    keiko_session *s = import("othello", "f5;d6");
    char *text = NULL;
    assert_int_equal(keiko_session_back(s), 0);
    assert_int_equal(keiko_session_back(s), 0);
    assert_int_equal(keiko_session_play(s, "d3"), 0); // another first move: node 3
    assert_int_equal(keiko_session_back(s), 0);
    assert_int_equal(keiko_session_forward(s), 0);
    contains(s, "\"last\": \"d3\""); // where it has been last
    for (int i = 0; i < 2; i++) {    // what is promoted becomes the line that is exported
        assert_int_equal(keiko_session_export(s, "moves", &text), 0);
        assert_int_equal(strstr(text, "f5") != NULL, i == 0);
        assert_int_equal(strstr(text, "d3") != NULL, i == 1);
        keiko_text_free(text);
        assert_int_equal(keiko_session_promote(s, 3), 0);
    }
    assert_int_equal(keiko_session_position(s, &p), 0);
    assert_int_equal(keiko_position_seat(p), 1);
    assert_ptr_equal(keiko_position_game(p), keiko_game_find("othello"));
    keiko_position_free(p);
    keiko_session_close(s);
    s = import("tictactoe", "a1");
    assert_int_equal(keiko_session_export(s, "json", &text), 0);
    keiko_session_close(s);
    s = import(NULL, text); // the text says which game
    keiko_text_free(text);
    assert_int_equal(keiko_session_position(s, &p), 0);
    assert_string_equal(keiko_game_name(keiko_position_game(p)), "tictactoe");
    keiko_position_free(p);
    keiko_session_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_ends_where_its_size_says),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(variations_are_ordered),
        cmocka_unit_test(a_game_is_played),
        cmocka_unit_test(texts_go_in_and_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
