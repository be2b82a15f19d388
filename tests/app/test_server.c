// Transcripts: what each protocol's server answers, also to nonsense.
#include "app/server_inner.h"
#include "test.h"

static server *open_server(const char *kind, const char *name, const char *spec)
{
    const game *g;
    server *s = NULL;
    assert_ok(game_find(name, &g));
    assert_ok(server_open(
        &s, &(server_options){.protocol = kind, .g = g, .settings = "", .agent = spec, .seed = 1, .version = "9.8"}));
    return s;
}

// Lines in pairs: what is sent, and what must come back ("*text" = must contain it).
static void converse(server *s, const char *const (*lines)[2], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        text_buf out = {0};
        server_line(s, lines[i][0], &out);
        const char *want = lines[i][1];
        bool ok = want[0] == '*' ? strstr(text_str(&out), want + 1) != NULL : strcmp(text_str(&out), want) == 0;
        if (!ok) fail_msg("'%s' answered \"%s\", not \"%s\"", lines[i][0], text_str(&out), want);
        text_free(&out);
    }
}

#define CONVERSE(s, lines) converse(s, lines, sizeof(lines) / sizeof *(lines))

static void gtp_every_command(void **state)
{
    (void)state;
    server *s = open_server("gtp", "othello", "greedy");
    static const char *const lines[][2] = {
        {"protocol_version", "= 2\n\n"},
        {"1 name", "=1 keiko\n\n"},
        {"version", "= 9.8 greedy\n\n"},
        {"known_command play", "= true\n\n"},
        {"known_command dance", "= false\n\n"},
        {"known_command", "= false\n\n"},
        {"list_commands", "*genmove\n"},
        {"list_games", "*othello\n"},
        {"", ""},
        {"   # only a comment", ""},
        {"7 boardsize 8", "=7\n\n"},
        {"boardsize 19", "? unacceptable size\n\n"},
        {"boardsize", "*? the size must be"},
        {"boardsize eight", "*? the size must be"},
        {"clear_board", "=\n\n"},
        {"komi 6.5", "=\n\n"},
        {"komi much", "*?"},
        {"play black f5", "=\n\n"},
        {"play black d6", "*? illegal move: it is white's turn"},
        {"play white a1", "*? illegal move"},
        {"play white zz", "*? illegal move"},
        {"play white", "*? illegal move"},
        {"play green d6", "*? illegal move: expected a colour"},
        {"play W D6", "=\n\n"},
        {"reg_genmove b", "*= "},
        {"genmove b", "*= "},
        {"genmove b", "*? it is white's turn"},
        {"undo", "=\n\n"},
        {"undo", "=\n\n"},
        {"undo", "=\n\n"},
        {"undo", "? cannot undo\n\n"},
        {"showboard", "*\n"},
        {"final_score", "? the game is not over\n\n"},
        {"time_settings 300 10 1", "=\n\n"},
        {"time_settings 300", "*?"},
        {"time_left b 200 0", "=\n\n"},
        {"time_left purple 200 0", "*?"},
        {"keiko-position", "*= ---------------------------OX------XO---------------------------"},
        {"keiko-position nonsense", "*?"},
        {"keiko-position XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX- X", "=\n\n"},
        {"final_score", "= B+1\n\n"},
        {"genmove b", "? the game is over\n\n"},
        {"set_game tictactoe", "=\n\n"},
        {"set_game Othello", "=\n\n"},
        {"set_game chess", "*? unknown game"},
        {"play\tblack\tf5", "=\n\n"},
        {"12 frobnicate", "?12 unknown command\n\n"},
        {"99999999999999999999999999999999999999999999 name", "*?"},
    };
    CONVERSE(s, lines);
    text_buf out = {0};
    assert_false(server_line(s, "quit", &out));
    assert_string_equal(text_str(&out), "=\n\n");
    text_free(&out);
    server_close(s);
}

// An agent that gives the game up: nothing is played, and the position stays as it is.
static void gtp_resigns(void **state)
{
    (void)state;
    server *s =
        open_server("gtp", "othello",
                    "engine:gtp='while read x; do case $x in genmove*) echo = resign;; *) echo =;; esac; echo; done'");
    static const char *const lines[][2] = {
        {"play b f5", "=\n\n"},        {"reg_genmove w", "= resign\n\n"},
        {"genmove w", "= resign\n\n"}, {"lz-genmove_analyze w", "*play resign\n"},
        {"play w d6", "=\n\n"},
    };
    CONVERSE(s, lines);
    server_close(s);
}

// A forced pass may be sent, left out, or sent after it was played for the side: all the same.
static void gtp_passes(void **state)
{
    (void)state;
    server *s = open_server("gtp", "othello", "random");
    // Black cannot turn the white disc in the corner: it must pass, and white then takes c1.
#define BLACK_PASSES "keiko-position OX-------------------------------------------------------------- X"
    static const char *const lines[][2] = {
        {BLACK_PASSES, "=\n\n"},       {"play black pass", "=\n\n"},
        {"genmove white", "= c1\n\n"}, {BLACK_PASSES, "=\n\n"},
        {"genmove white", "= c1\n\n"}, {"final_score", "= W+1\n\n"},
        {BLACK_PASSES, "=\n\n"},       {"play white c1", "=\n\n"},
        {BLACK_PASSES, "=\n\n"},       {"reg_genmove white", "= c1\n\n"},
        {"play black pass", "=\n\n"},  {"play black pass", "=\n\n"},
        {"play white c1", "=\n\n"},    {"genmove black", "? the game is over\n\n"},
        {BLACK_PASSES, "=\n\n"},       {"genmove black", "= pass\n\n"},
    };
    CONVERSE(s, lines);
    server_close(s);
}

static void gtp_skips_column_i(void **state)
{
    (void)state;
    server *s = open_server("gtp", "renju", "greedy");
    static const char *const lines[][2] = {
        {"boardsize 15", "=\n\n"},
        {"play b H8", "=\n\n"},
        {"play w I9", "*? illegal move"},
        {"play w J9", "=\n\n"},
        {"play b J9", "*? illegal"},
        {"play b P15", "=\n\n"},
        {"play w Q1", "*? illegal"},
        {"genmove w", "*= "},
        {"play b A16", "*? illegal"},
        {"keiko-position", "*= "},
        {"play b z9", "? illegal move: column 1, at \"z9\": expected a point A1 to P15\n\n"}, // as it was typed
        {"play b J9", "? illegal move: J9 cannot be played\n\n"},
    };
    CONVERSE(s, lines);
    server_close(s);
}

static void nboard_every_command(void **state)
{
    (void)state;
    server *s = open_server("nboard", "othello", "greedy");
    static const char *const lines[][2] = {
        {"nboard 2", "*set myname keiko"},
        {"ping 17", "pong 17\n"},
        {"set depth 5", ""},
        {"set depth none", "*status"},
        {"set game (;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[0]TY[8]BO[8 "
         "---------------------------O*------*O--------------------------- *]B[f5]W[d6];)",
         ""},
        {"move C3/1.5/0.2", ""},
        {"move a1", "*status"},
        {"go", "*=== "},
        {"hint 3", "*search "},
        {"set game (;GM[Othello]BO[9 ]", "*status"},
        {"set game", "*status"},
        {"learn", "learned\n"},
        {"analyze", "*analysis 0 "},
        {"something new", ""},
        {"", ""},
        {"set game (;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[0]TY[8]BO[8 "
         "**************************************************************** *];)",
         ""},
        {"go", "=== PA\n"},
    };
    CONVERSE(s, lines);
    text_buf out = {0};
    assert_false(server_line(s, "quit", &out));
    text_free(&out);
    server_close(s);
}

typedef struct io_log {
    int asked, ping_from; // after so many questions a ping is waiting
    text_buf sent;
} io_log;

static const char *log_ahead(void *ctx, int i)
{
    io_log *l = ctx;
    return i == 0 && l->asked++ >= l->ping_from ? "move a1" : i == 1 && l->asked >= l->ping_from ? "ping 3" : NULL;
}

static void log_flush(void *ctx, text_buf *out)
{
    io_log *l = ctx;
    text_append(&l->sent, text_str(out));
    text_clear(out);
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, part)) != NULL; p++) n++;
    return n;
}

static void nboard_hints(void **state)
{
    (void)state;
    const game *g;
    server *s = open_server("nboard", "othello", "alphabeta:depth=3");
    text_buf out = {0};
    // Without somebody who reads on the way, the answer is the last word: as many lines as asked for.
    server_line(s, "hint 3", &out);
    assert_int_equal(count(text_str(&out), "search "), 3);
    assert_int_equal(count(text_str(&out), " 0 3\n"), 3); // of depth 3
    text_clear(&out);
    server_line(s, "hint 99", &out);
    assert_int_equal(count(text_str(&out), "search "), 4); // there are four moves
    text_clear(&out);
    server_line(s, "hint", &out);
    assert_int_equal(count(text_str(&out), "search "), 1);
    server_close(s);
    // With somebody, each depth is sent, and a ping among the lines that wait ends it without an answer.
    io_log log = {.ping_from = 1000000};
    assert_ok(game_find("othello", &g));
    server_options o = {.protocol = "nboard",
                        .g = g,
                        .settings = "",
                        .agent = "alphabeta:depth=3",
                        .io = {.ctx = &log, .flush = log_flush, .ahead = log_ahead}};
    assert_ok(server_open(&s, &o));
    text_clear(&out);
    server_line(s, "hint 2", &out);
    assert_int_equal(count(text_str(&log.sent), "search "), 2 * 2); // plies 1 and 3
    assert_int_equal(count(text_str(&out), "search "), 2);
    server_close(s);
    log.ping_from = 20;
    o.agent = "alphabeta:depth=60,exact=0";
    assert_ok(server_open(&s, &o));
    static const char *const thinking[] = {"go", "hint 4", "analyze"};
    for (int i = 0; i < 3; i++) {
        log.asked = 0;
        text_clear(&out);
        server_line(s, thinking[i], &out);
        assert_string_equal(text_str(&out), "status\n");
    }
    text_clear(&out);
    server_line(s, "ping 3", &out);
    assert_string_equal(text_str(&out), "pong 3\n");
    server_close(s);
    text_free(&out);
    text_free(&log.sent);
}

static void gomocup_every_command(void **state)
{
    (void)state;
    server *s = open_server("gomocup", "freestyle", "greedy");
    static const char *const lines[][2] = {
        {"ABOUT", "*name=\"keiko greedy\", version=\"9.8\""},
        {"START 15", "OK\n"},
        {"START 14", "*ERROR"},
        {"START", "*ERROR"},
        {"RECTSTART 15,15", "OK\n"},
        {"RECTSTART 15,20", "*ERROR"},
        {"RECTSTART many", "*ERROR"},
        {"START 20", "OK\n"},
        {"START 15", "OK\n"},
        {"INFO timeout_turn 1000", ""},
        {"INFO timeout_match 0", ""},
        {"INFO time_left 2147483647", ""},
        {"INFO max_memory 83886080", ""},
        {"INFO game_type 1", ""},
        {"INFO folder", ""},
        {"INFO rule 1", ""},
        {"INFO rule 9", "*ERROR"},
        {"BEGIN", "7,7\n"},
        {"BEGIN", "*ERROR"},
        {"TURN 7,7", "*ERROR"},
        {"TURN 15,0", "*ERROR"},
        {"TURN -1,0", "*ERROR"},
        {"TURN x", "*ERROR"},
        {"TURN", "*ERROR"},
        {"turn 8,8", "*,"},
        {"INFO rule 0", "*ERROR the rule cannot change"},
        {"TAKEBACK 0,0", "*ERROR"},
        {"RESTART", "OK\n"},
        {"TURN 3,3", "*,"},
        {"TAKEBACK 3,3", "*ERROR"}, // the last move is ours
        {"BOARD", ""},
        {"7,7,1", ""},
        {"8,8,2", ""},
        {"DONE", "*,"},
        // Four own stones in a row: the fifth wins.
        {"BOARD", ""},
        {"3,7,1", ""},
        {"4,7,1", ""},
        {"5,7,1", ""},
        {"6,7,1", ""},
        {"2,7,2", ""},
        {"4,3,2", ""},
        {"9,9,2", ""},
        {"1,1,2", ""},
        {"INFO time_left 1000", ""},
        {"DONE", "7,7\n"},
        {"BOARD", ""},
        {"7,7,1", ""},
        {"7,7,2", ""},
        {"DONE", "*ERROR"},
        {"BOARD", ""},
        {"7,7,3", ""},
        {"DONE", "*ERROR"},
        {"BOARD", ""},
        {"1,7,1", ""},
        {"2,7,1", ""},
        {"DONE", "*ERROR"}, // two stones against none
        {"SWAP2BOARD", ""},
        {"DONE", "*,"},
        {"SWAP2BOARD", ""},
        {"7,7", ""},
        {"8,8", ""},
        {"9,9", ""},
        {"DONE", "*,"},
        {"SWAP2BOARD", ""},
        {"7,7", ""},
        {"DONE", "*ERROR swap2"},
        {"DANCE", "UNKNOWN DANCE\n"},
        {"", ""},
    };
    CONVERSE(s, lines);
    text_buf out = {0};
    assert_false(server_line(s, "END", &out));
    text_free(&out);
    server_close(s);
}

static void wrong_openings(void **state)
{
    (void)state;
    const game *g;
    server *s;
    assert_ok(game_find("contrast", &g));
    assert_err(server_open(&s, &(server_options){.protocol = "nboard", .g = g, .settings = "", .agent = "random"}),
               "not for contrast");
    assert_err(server_open(&s, &(server_options){.protocol = "uci", .g = g, .settings = "", .agent = "random"}),
               "unknown protocol");
    assert_err(server_open(&s, &(server_options){.protocol = "gtp", .g = g, .settings = "", .agent = "nobody"}),
               "unknown agent");
    assert_err(server_open(&s, &(server_options){.protocol = "gtp", .g = g, .settings = "plies=x", .agent = "random"}),
               "plies");
}

// Boards that show analysis: reports on the way, until a line arrives.
static void gtp_analysis(void **state)
{
    (void)state;
    const game *g;
    server *s = open_server("gtp", "othello", "mcts:sims=60");
    text_buf out = {0};
    // Nobody reads on the way: one analysis, then the end.
    server_line(s, "7 lz-analyze b 10 maxmoves 3", &out);
    assert_memory_equal(text_str(&out), "=7\ninfo move ", 13);
    assert_int_equal(count(text_str(&out), "info move "), 3);
    assert_int_equal(count(text_str(&out), " order 2 pv "), 1);
    assert_int_equal(count(text_str(&out), " winrate 0."), 0);
    assert_string_equal(text_str(&out) + out.len - 2, "\n\n");
    text_clear(&out);
    server_line(s, "kata-analyze 10 rootInfo true minmoves 2", &out);
    assert_int_equal(count(text_str(&out), " winrate 0."), 4); // Othello has four first moves
    text_clear(&out);
    server_line(s, "kata-genmove_analyze b 10", &out);
    assert_int_equal(count(text_str(&out), "\nplay "), 1);
    text_clear(&out);
    server_line(s, "lz-analyze b", &out);
    assert_string_equal(text_str(&out), "? it is white's turn\n\n");
    text_clear(&out);
    server_line(s, "kata-analyze w 5 nonsense 4", &out);
    assert_string_equal(text_str(&out), "? 'nonsense' is not known in an analysis\n\n");
    server_close(s);
    // A tree goes on growing beyond the agent's own limit; an agent without one waits. Any line ends both.
    static const char *const agents[] = {"mcts:sims=60", "alphabeta:depth=3"};
    for (int i = 0; i < 2; i++) {
        io_log log = {.ping_from = 400};
        assert_ok(game_find("othello", &g));
        server_options o = {.protocol = "gtp",
                            .g = g,
                            .settings = "",
                            .agent = agents[i],
                            .io = {.ctx = &log, .flush = log_flush, .ahead = log_ahead}};
        assert_ok(server_open(&s, &o));
        text_clear(&out);
        server_line(s, "kata-analyze b 0", &out);
        assert_string_equal(text_str(&out), "\n");
        assert_true(count(text_str(&log.sent), "order 0") >= (i == 0 ? 3 : 1));
        // genmove is not ended by a line that waits.
        log.asked = 1000;
        text_clear(&out);
        server_line(s, "genmove b", &out);
        assert_memory_equal(text_str(&out), "= ", 2);
        server_close(s);
        text_free(&log.sent);
    }
    text_free(&out);
}

// Times come in milliseconds; zero or less is no limit.
static void gomocup_times(void **state)
{
    (void)state;
    server *s = open_server("gomocup", "freestyle", "greedy");
    static const struct {
        const char *line;
        double turn, main, left;
    } cases[] = {
        {"START 15", 0, 0, 0},
        {"INFO timeout_turn 1500", 1.5, 0, 0},
        {"INFO time_left 9000", 1.5, 0, 0}, // without a limit on the match there is nothing left to say
        {"INFO timeout_match 60000", 1.5, 60, 60},
        {"INFO time_left 9000", 1.5, 60, 9},
        {"INFO time_left -1", 1.5, 60, 0.01},
        {"INFO timeout_turn -5", 0, 60, 0.01},
        {"INFO timeout_turn 1", 0.001, 60, 0.01},
        {"INFO timeout_match 0", 0.001, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_buf out = {0};
        server_line(s, cases[i].line, &out);
        text_free(&out);
        const session_clock *c = session_clock_of(s->game, 0);
        if (c->turn != cases[i].turn || c->main != cases[i].main || (i != 3 && c->left != cases[i].left))
            fail_msg("'%s': turn %g, main %g, left %g", cases[i].line, c->turn, c->main, c->left);
    }
    server_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gomocup_times),         cmocka_unit_test(gtp_every_command),
        cmocka_unit_test(gtp_resigns),           cmocka_unit_test(gtp_passes),
        cmocka_unit_test(gtp_skips_column_i),    cmocka_unit_test(nboard_every_command),
        cmocka_unit_test(gomocup_every_command), cmocka_unit_test(nboard_hints),
        cmocka_unit_test(wrong_openings),        cmocka_unit_test(gtp_analysis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
