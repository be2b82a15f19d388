// Sessions, positions and boards as whole texts: what is exported, told and drawn of fixed games (tests/app/texts/).
#include "app/position.h"
#include "app/session.h"
#include "base/listed.h"

static const struct {
    const char *game, *moves, *agent; // agent: who analyses and reviews; NULL: nobody
} games[] = {
    {"othello", "f5;d6;c3;d3;c4;f4;f6;b4", "alphabeta:depth=4"},
    {"othello", "f5;f6;e6;f4;e3;c5;c4;d3;c3", "greedy"},
    {"contrast", "a1,a2 b2b;e5,e4;b1,b2", "alphabeta:depth=2"},
    {"tictactoe", "a1;b1;a2;b2;a3", "mcts:sims=50"},
    {"renju", "h8;h9;i9;g7;j8", "greedy"},
    {"freestyle", "h8;a1;h9;b1;h10;c1;h11;d1;h12", "greedy"},
    {"puyo-solo", "3u;4r;1u;2r;5u", "greedy"},
    {"puyo", "3u;4r;1u;2r;5u;6d", "greedy"},
};

// JSON with one line per member of the outer object.
static void put_json(text_buf *t, const char *json)
{
    for (const char *p = json; *p; p++) {
        size_t blanks = *p == '\n' ? strspn(p + 1, " ") : 0;
        if (blanks > 2)
            p += blanks;
        else
            text_char(t, *p);
    }
    text_char(t, '\n');
}

static void put_formats(text_buf *t, session *s)
{
    for (int f = FORMAT_AUTO + 1; f < FORMAT_COUNT; f++) {
        text_buf one = {0};
        text_printf(t, "-- %s\n", session_format_name((session_format)f));
        if (session_export(s, (session_format)f, &one) == ERR_OK)
            put_json(t, text_str(&one));
        else
            text_printf(t, "refused: %s\n", err_text());
        text_free(&one);
    }
}

static void put_session(text_buf *t, session *s)
{
    char board[GAME_TEXT];
    for (int viewer = 0; viewer < 2; viewer++) {
        text_buf one = {0};
        assert_ok(session_to_json(s, viewer, &one));
        text_printf(t, "-- json for %d\n", viewer);
        put_json(t, text_str(&one));
        text_free(&one);
    }
    for (int colour = 0; colour < 2; colour++) {
        session_draw(s, session_at(s), 0, colour == 1, board, sizeof board);
        text_printf(t, "-- drawn\n%s\n", board);
    }
    session_result_text(s, t);
    text_char(t, '\n');
}

static void put_thoughts(text_buf *t, session *s, const char *who)
{
    agent_choice c[3];
    session_review r = {0};
    int n = 0;
    text_buf one = {0};
    json_writer w = json_begin(&one, true);
    assert_ok(session_set_helper(s, who));
    if (session_analyse(s, 3, c, &n) == ERR_OK) {
        session_lines_json(s, c, n, &w);
        assert_ok(json_finish(&w));
        text_append(t, "-- analysis\n");
        put_json(t, text_str(&one));
    } else {
        text_printf(t, "-- no analysis: %s\n", err_text());
    }
    text_free(&one);
    if (session_review_run(s, NULL, NULL, &r) == ERR_OK) {
        w = json_begin(&one, true);
        session_review_json(s, &r, &w);
        assert_ok(json_finish(&w));
        text_append(t, "-- review\n");
        put_json(t, text_str(&one));
        session_review_print(s, &r, t);
        text_free(&one);
    } else {
        text_printf(t, "-- no review: %s\n", err_text());
    }
    session_review_free(&r);
}

static void sessions(void **state)
{
    (void)state;
    text_buf t = {0};
    for (size_t i = 0; i < sizeof games / sizeof *games; i++) {
        const game *g;
        session *s = NULL;
        assert_ok(game_find(games[i].game, &g));
        assert_ok(session_open(&s, &(session_setup){.g = g, .key = {7, 0}}));
        text_printf(&t, "==== %s %s\n", games[i].game, games[i].moves);
        if (session_play_list(s, games[i].moves) != ERR_OK) text_printf(&t, "stopped: %s\n", err_text());
        assert_ok(session_set_comment(s, session_at(s), "a \"comment\"\nof two [lines]"));
        assert_ok(session_set_name(s, 0, "A & B"));
        put_formats(&t, s);
        put_thoughts(&t, s, games[i].agent);
        if (session_back(s) && session_back(s)) { // another line, then the end by resignation
            move_t moves[1024];
            int n = session_legal(s, moves);
            assert_ok(session_play(s, moves[n - 1], NULL));
            assert_ok(session_set_mark(s, session_at(s), (session_mark)1));
        }
        (void)session_resign(s, 0);
        put_formats(&t, s);
        put_session(&t, s);
        session_close(s);
    }
    assert_listed(&t, "app/texts/sessions.txt");
}

static void boards(void **state)
{
    (void)state;
    text_buf t = {0};
    static const struct {
        const char *game, *position, *moves;
    } rows[] = {{"othello", "start", "f5;d6"},   {"contrast", "start", ""},
                {"renju", "start", "h8;h9;i9"},  {"puyo", "start", "3u"},
                {"puyo-solo", "start", "3u;1d"}, {"tictactoe", "start", "a1;b1;a2;b2;a3"},
                {"othello", "nonsense", ""},     {"othello", "start", "a1"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        position p;
        const game *g;
        assert_ok(game_find(rows[i].game, &g));
        text_printf(&t, "==== %s %s %s\n", rows[i].game, rows[i].position, rows[i].moves);
        if (position_open(&p, &(position_request){.game = rows[i].game,
                                                  .options = "",
                                                  .position = rows[i].position,
                                                  .moves = rows[i].moves}) != ERR_OK) {
            text_printf(&t, "refused: %s\n", err_text());
            continue;
        }
        text_buf one = {0};
        json_writer w = json_begin(&one, true);
        position_json(&p, &w);
        assert_ok(json_finish(&w));
        put_json(&t, text_str(&one));
        text_free(&one);
        position_print(&p, false, &t);
        position_print(&p, true, &t);
        position_close(&p);
    }
    assert_listed(&t, "app/texts/boards.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sessions), cmocka_unit_test(boards)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
