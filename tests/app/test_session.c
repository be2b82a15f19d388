// Sessions: the tree, what agents hear, clocks, ends, every format there and back, hidden information, review. labels: threads
#include "app/session.h"
#include "base/clock.h"
#include "games/puyo/puyo_match.h"
#include "test.h"

#include <pthread.h>

static session *open_game(const char *name, const char *options, uint64_t seed)
{
    const game *g;
    session *s = NULL;
    assert_ok(game_find(name, &g));
    assert_ok(session_open(&s, &(session_setup){.g = g, .options = options, .key = {seed, 0}}));
    return s;
}

static void line_is(session *s, const char *want)
{
    char got[2048] = "", move[256];
    int path[256], n = 0;
    for (int k = session_at(s); k != 0; k = session_node_of(s, k)->parent) path[n++] = k;
    while (n-- > 0) {
        session_move_text(s, path[n], move, sizeof move);
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", got[0] ? ";" : "", move);
    }
    assert_string_equal(got, want);
}

// --- the tree

static void the_tree_grows_and_shrinks(void **state)
{
    (void)state;
    session *s = open_game("othello", "", 1);
    assert_false(session_back(s));
    assert_false(session_forward(s));
    assert_ok(session_play_list(s, "f5;d6;c3"));
    line_is(s, "f5;d6;c3");
    int c3 = session_at(s);
    assert_true(session_back(s));
    assert_ok(session_play_text(s, "c5")); // a variation
    assert_ok(session_play_text(s, "f4"));
    line_is(s, "f5;d6;c5;f4");
    int f4 = session_at(s);
    // Forward goes the way last looked at, the main line stays the first one.
    assert_true(session_back(s));
    assert_true(session_back(s));
    assert_true(session_forward(s));
    line_is(s, "f5;d6;c5");
    assert_int_equal(session_main_end(s), c3);
    assert_int_equal(session_main_at(s, 3), c3);
    assert_int_equal(session_main_at(s, 4), SESSION_NONE);
    assert_ok(session_goto(s, c3));
    assert_true(session_back(s));
    assert_ok(session_play_text(s, "c3")); // no second node for the same move
    assert_int_equal(session_at(s), c3);
    assert_ok(session_promote(s, f4));
    assert_int_equal(session_main_end(s), f4);
    // Deleting a line that one stands on goes back to where it left.
    int d6 = session_node_of(s, c3)->parent;
    assert_ok(session_goto(s, f4));
    assert_ok(session_delete(s, session_node_of(s, f4)->parent));
    line_is(s, "f5;d6");
    assert_int_equal(session_at(s), d6);
    assert_null(session_node_of(s, f4));
    assert_int_equal(session_main_end(s), c3);
    assert_err(session_goto(s, f4), "there is no node");
    assert_err(session_delete(s, 0), "start cannot be deleted");
    assert_err(session_play_text(s, "a1"), "");
    assert_err(session_play(s, 9, NULL), "not legal");
    // Numbers of deleted nodes are used again, and the tree stays whole.
    assert_ok(session_play_list(s, "c5;f4;e3"));
    line_is(s, "f5;d6;c5;f4;e3");
    assert_ok(session_goto(s, c3));
    line_is(s, "f5;d6;c3");
    session_close(s);
}

static void undo_goes_to_any_point(void **state)
{
    (void)state;
    // Every game: random play, then back to every earlier position, which must be the same as then.
    for (int i = 0; i < game_count(); i++) {
        const game *g = game_at(i);
        session *s = NULL;
        assert_ok(session_open(&s, &(session_setup){.g = g, .key = {7, 3}}));
        move_t *moves = malloc((size_t)g->max_legal * sizeof *moves);
        uint64_t hashes[41];
        int nodes[41], n = 0;
        rng r = rng_at(5, 5, 5);
        for (; n < 40; n++) {
            hashes[n] = g->hash(session_state(s, session_at(s)));
            nodes[n] = session_at(s);
            int legal = session_legal(s, moves);
            if (legal == 0) break;
            assert_ok(session_play(s, moves[rng_below(&r, (uint32_t)legal)], NULL));
        }
        for (int k = n - 1; k >= 0; k--) {
            assert_ok(session_goto(s, nodes[k]));
            assert_true(g->hash(session_state(s, session_at(s))) == hashes[k]);
        }
        while (session_forward(s))
            ;
        assert_int_equal(session_ply(s), session_node_of(s, session_main_end(s))->ply);
        if (g->n_seats == 2) {
            int seat = g->seat(session_state(s, nodes[0]));
            while (session_undo(s, seat)) assert_int_equal(session_seat(s), seat);
            assert_true(session_redo(s, seat));
        }
        free(moves);
        session_close(s);
    }
}

// --- agents

// An agent that writes down what it hears, behind the table's back: the type of another one is copied and its functions replaced.
static char heard[4096];

static void hear_begin(agent *a)
{
    snprintf(heard + strlen(heard), sizeof heard - strlen(heard), "[%d]", a->seat);
}

static void hear_saw(agent *a, const void *obs, move_t m)
{
    char move[32];
    a->g->move_print(obs, m, move, sizeof move);
    snprintf(heard + strlen(heard), sizeof heard - strlen(heard), " %s", move);
}

static agent_type listening;

static void listen_to(session *s, int seat)
{
    agent *a = (agent *)(uintptr_t)session_seat_agent(s, seat);
    listening = *a->type;
    listening.begin = hear_begin;
    listening.saw = hear_saw;
    a->type = &listening;
    heard[0] = 0;
}

static void heard_is(const char *want)
{
    assert_string_equal(heard, want);
    heard[0] = 0;
}

static void agents_hear_each_move_once(void **state)
{
    (void)state;
    agent_choice c;
    session *s = open_game("othello", "", 1);
    assert_ok(session_seat_player(s, 1, "random"));
    listen_to(s, 1);
    assert_ok(session_play_text(s, "f5"));
    assert_ok(session_think(s, &c));
    heard_is("[1] f5");
    assert_ok(session_think(s, &c)); // asked twice, it hears nothing twice
    heard_is("");
    assert_ok(session_play_text(s, "d6"));
    assert_ok(session_play_text(s, "c3"));
    assert_ok(session_think(s, &c));
    heard_is(" d6 c3");
    // A step back and forth on the same line: nothing new.
    assert_true(session_back(s));
    assert_true(session_forward(s));
    assert_ok(session_think(s, &c));
    heard_is("");
    // Back, and on along another line: it begins again and hears that one.
    assert_true(session_undo(s, 1));
    line_is(s, "f5");
    assert_ok(session_think(s, &c));
    heard_is("[1] f5");
    assert_ok(session_play_text(s, "f4"));
    assert_ok(session_play_text(s, "e3"));
    assert_ok(session_think(s, &c));
    heard_is(" f4 e3");
    // A jump into the old variation.
    assert_ok(session_goto(s, session_main_end(s)));
    line_is(s, "f5;d6;c3");
    assert_ok(session_think(s, &c));
    heard_is("[1] f5 d6 c3");
    // Deleting where it stands.
    assert_ok(session_delete(s, session_at(s)));
    assert_ok(session_play_text(s, "c5"));
    assert_ok(session_think(s, &c));
    heard_is("[1] f5 d6 c5");
    session_close(s);
}

// The same game, whether played through or jumped about in: chance depends on the line alone.
static void choices_do_not_depend_on_detours(void **state)
{
    (void)state;
    agent_choice a, b;
    session *s = open_game("othello", "", 9);
    assert_ok(session_seat_player(s, 0, "random"));
    assert_ok(session_seat_player(s, 1, "random"));
    for (int i = 0; i < 20; i++) assert_ok(session_think_play(s, &a, NULL));
    int at = session_at(s);
    assert_ok(session_think(s, &a));
    assert_ok(session_goto(s, session_main_at(s, 4)));
    assert_ok(session_think(s, &b));
    assert_ok(session_goto(s, at));
    assert_ok(session_think(s, &b));
    assert_int_equal(a.move, b.move);
    session_close(s);
}

static void *stop_soon(void *ctx)
{
    clock_sleep(0.2);
    session_stop(ctx);
    return NULL;
}

static int told_lines;

static void count_lines(void *ctx, const agent_choice *best, int n)
{
    (void)ctx;
    assert_true(n >= 1 && best[0].move != MOVE_NONE);
    told_lines++;
}

static bool stop_at_third(void *ctx)
{
    (void)ctx;
    return told_lines >= 3;
}

static void thinking_is_stopped(void **state)
{
    (void)state;
    // By another thread…
    static const char *const specs[][2] = {{"othello", "alphabeta:depth=60,exact=0"},
                                           {"contrast", "alphabeta:depth=48"},
                                           {"tictactoe", "mcts:sims=1000000000,solver=no"},
                                           {"othello", "mcts:sims=1000000000"}};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        session *s = open_game(specs[i][0], "", 1);
        agent_choice c = {.move = MOVE_NONE};
        pthread_t t;
        assert_ok(session_seat_player(s, 0, specs[i][1]));
        assert_int_equal(pthread_create(&t, NULL, stop_soon, s), 0);
        double start = clock_seconds();
        assert_ok(session_think(s, &c));
        assert_true(clock_seconds() - start < 30);
        assert_true(session_stopped(s));
        assert_ok(session_play(s, c.move, NULL)); // what it knew is a move
        pthread_join(t, NULL);
        session_close(s);
    }
    // …and by a callback that saw enough.
    session *s = open_game("othello", "", 1);
    agent_choice c[3];
    int n;
    told_lines = 0;
    agent_watch w = {.stop = {stop_at_third, NULL}, .lines = count_lines};
    assert_ok(session_set_helper(s, "alphabeta:depth=60,exact=0"));
    session_watch(s, &w);
    assert_ok(session_analyse(s, 3, c, &n));
    assert_int_equal(n, 3);
    assert_true(session_stopped(s) && told_lines >= 3 && told_lines < 60);
    session_close(s);
}

static void opinions_are_kept(void **state)
{
    (void)state;
    session *s = open_game("othello", "", 1);
    agent_choice c[5];
    int n;
    assert_string_equal(session_helper(s), "alphabeta");
    assert_ok(session_analyse(s, 5, c, &n));
    assert_int_equal(n, 4);
    assert_true(c[0].has_margin);
    assert_true(session_node_of(s, 0)->opinion.value == c[0].value);
    assert_err(session_set_helper(s, "nobody"), "unknown agent");
    assert_string_equal(session_helper(s), "alphabeta"); // the old one stays
    session_close(s);
}

// --- clocks

static void clocks_run_down(void **state)
{
    (void)state;
    session *s = open_game("othello", "", 1);
    session_set_clock(s, 0, &(session_clock){.main = 10, .increment = 2});
    assert_true(session_spend(s, 0, 4));
    assert_true(session_clock_of(s, 0)->left == 8);
    assert_false(session_spend(s, 0, 9));
    // Overtime: three moves in five seconds, again and again.
    session_set_clock(s, 1, &(session_clock){.main = 10, .period = 5, .period_moves = 3});
    assert_true(session_spend(s, 1, 11)); // the last second comes from the first period
    assert_true(session_clock_of(s, 1)->left == 4 && session_clock_of(s, 1)->moves_left == 2);
    assert_true(session_spend(s, 1, 1));
    assert_true(session_spend(s, 1, 1));
    assert_true(session_clock_of(s, 1)->left == 5 && session_clock_of(s, 1)->moves_left == 3);
    assert_false(session_spend(s, 1, 6));
    session_set_clock(s, 1, &(session_clock){.turn = 1});
    assert_true(session_spend(s, 1, 0.5));
    assert_false(session_spend(s, 1, 1.5));
    session_close(s);
    // A move that comes too late loses.
    s = open_game("tictactoe", "", 1);
    session_set_clock(s, 0, &(session_clock){.turn = 0.02});
    clock_sleep(0.1);
    assert_err(session_play_text(s, "b2"), "out of time");
    assert_int_equal(session_result_of(s).end, END_TIME);
    assert_int_equal(session_result_of(s).loser, 0);
    session_close(s);
    // A clock that somebody else keeps does not run here.
    s = open_game("tictactoe", "", 1);
    session_set_clock(s, 0, &(session_clock){.main = 0.01});
    session_tell_clock(s, 0, 0.01, 0);
    clock_sleep(0.05);
    assert_ok(session_play_text(s, "b2"));
    session_close(s);
}

// On a clock an agent uses its time, whatever limits its presets have.
static void agents_use_the_clock(void **state)
{
    (void)state;
    static const char *const names[] = {"renju", "othello", "contrast"};
    static const char *const specs[] = {"alphabeta", "mcts", "alphabeta:nodes=0"};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            session *s = open_game(names[i], "", 1);
            agent_choice c;
            if (k == 2 && i != 0) {
                session_close(s);
                continue;
            }
            if (i == 0) assert_ok(session_play_list(s, "h8;i9;g7;h10"));
            assert_ok(session_set_helper(s, specs[k]));
            int seat = session_seat(s);
            session_set_clock(s, seat, &(session_clock){.turn = 0.5, .told = true});
            double start = clock_seconds();
            assert_ok(session_think(s, &c));
            double took = clock_seconds() - start;
            if (took < 0.2 || took > 10) fail_msg("%s, %s: %.2f s of 0.5", names[i], specs[k], took);
            session_close(s);
        }
    // …but a limit that the spec sets stays.
    session *s = open_game("renju", "", 1);
    agent_choice c;
    assert_ok(session_play_list(s, "h8;i9;g7;h10"));
    assert_ok(session_set_helper(s, "alphabeta:nodes=2000"));
    session_set_clock(s, session_seat(s), &(session_clock){.turn = 60, .told = true});
    double start = clock_seconds();
    assert_ok(session_think(s, &c));
    assert_true(clock_seconds() - start < 20);
    session_close(s);
}

// --- ends

static void games_end(void **state)
{
    (void)state;
    session *s = open_game("tictactoe", "", 1);
    text_buf t = {0};
    assert_int_equal(session_result_of(s).end, END_NONE);
    session_result_text(s, &t);
    assert_string_equal(text_str(&t), "unfinished");
    assert_ok(session_resign(s, 0));
    assert_int_equal(session_result_of(s).end, END_RESIGNED);
    assert_true(session_result_of(s).score[1] == 1);
    assert_err(session_play_text(s, "b2"), "over");
    assert_err(session_resign(s, 1), "over");
    text_clear(&t);
    session_result_text(s, &t);
    assert_string_equal(text_str(&t), "O wins (by resignation)");
    session_forget_end(s);
    assert_ok(session_play_list(s, "a1;a2;b1;b2;c1"));
    session_result r = session_result_of(s);
    assert_int_equal(r.end, END_RULES);
    assert_int_equal(r.loser, 1);
    assert_err(session_play_text(s, "c3"), "over");
    agent_choice c;
    assert_err(session_think(s, &c), "over");
    assert_true(session_back(s));
    assert_int_equal(session_result_of(s).end, END_NONE);
    text_free(&t);
    session_close(s);
}

// --- texts

static session *again(session *s, session_format f)
{
    text_buf t = {0};
    session *back = NULL;
    assert_ok(session_export(s, f, &t));
    if (session_import(&back, &(session_source){.text = text_str(&t), .size = t.len, .g = session_game(s)}) != ERR_OK)
        fail_msg("%s: %s in %s", session_format_name(f), err_text(), text_str(&t));
    text_free(&t);
    return back;
}

static bool has_format(const game *g, session_format f)
{
    bool othello = strcmp(g->name, "othello") == 0, stones = strcmp(g->name, "renju") == 0 ||
                                                             strcmp(g->name, "gomoku") == 0 ||
                                                             strncmp(g->name, "freestyle", 9) == 0;
    if (f == FORMAT_SGF) return othello || stones;
    if (f == FORMAT_GGF) return othello;
    if (f == FORMAT_PUYOP) return strcmp(g->name, "puyo-solo") == 0;
    return f == FORMAT_TEXT || f == FORMAT_JSON;
}

// The main line of both is the same: moves, and the position it leads to. An address has no room for pairs to come.
static void same_line(session *a, session *b, bool whole)
{
    char x[256], y[256];
    int end = session_main_end(a);
    assert_ptr_equal(session_game(a), session_game(b));
    assert_int_equal(session_node_of(a, end)->ply, session_node_of(b, session_main_end(b))->ply);
    for (int ply = 1; ply <= session_node_of(a, end)->ply; ply++) {
        session_move_text(a, session_main_at(a, ply), x, sizeof x);
        session_move_text(b, session_main_at(b, ply), y, sizeof y);
        assert_string_equal(x, y);
    }
    const game *g = session_game(a);
    char p[GAME_TEXT], q[GAME_TEXT];
    g->state_print(session_state(a, end), p, sizeof p);
    g->state_print(session_state(b, session_main_end(b)), q, sizeof q);
    if (!whole) {
        session_draw(a, end, 0, false, p, sizeof p);
        session_draw(b, session_main_end(b), 0, false, q, sizeof q);
        p[strcspn(p, "1")] = q[strcspn(q, "1")] = 0; // the field, with the pairs that can be seen
    }
    assert_string_equal(p, q);
}

static void every_format_comes_back(void **state)
{
    (void)state;
    for (int i = 0; i < game_count(); i++) {
        const game *g = game_at(i);
        for (int games = 0; games < 3; games++) {
            session *s = NULL;
            assert_ok(session_open(&s, &(session_setup){.g = g, .key = {11, (uint64_t)games}}));
            assert_ok(session_set_name(s, 0, "Ann [1]\\"));
            for (int seat = 0; seat < g->n_seats; seat++) assert_ok(session_seat_player(s, seat, "random"));
            agent_choice c;
            int plies = games == 0 ? 7 : games == 1 ? 30 : 400;
            for (int k = 0; k < plies && session_result_of(s).end == END_NONE; k++)
                assert_ok(session_think_play(s, &c, NULL));
            for (int f = FORMAT_TEXT; f < FORMAT_COUNT; f++) {
                if (!has_format(g, (session_format)f)) continue;
                if (f == FORMAT_PUYOP && session_ply(s) > 100) continue;
                session *back = again(s, (session_format)f);
                same_line(s, back, f != FORMAT_PUYOP);
                session_close(back);
            }
            session_close(s);
        }
    }
}

static void formats_that_do_not_fit_say_so(void **state)
{
    (void)state;
    session *s = open_game("contrast", "", 1);
    text_buf t = {0};
    assert_err(session_export(s, FORMAT_SGF, &t), "no form for contrast");
    assert_err(session_export(s, FORMAT_GGF, &t), "for othello");
    assert_err(session_export(s, FORMAT_OBF, &t), "for othello");
    assert_err(session_export(s, FORMAT_PUYOP, &t), "puyo-solo");
    text_free(&t);
    session_close(s);
}

static void trees_come_back(void **state)
{
    (void)state;
    static const session_format formats[] = {FORMAT_SGF, FORMAT_JSON};
    for (int i = 0; i < 2; i++) {
        session *s = open_game("renju", "", 1);
        assert_ok(session_play_list(s, "h8;i9;g7"));
        assert_true(session_back(s));
        assert_ok(session_play_list(s, "j10;k11"));
        assert_ok(session_set_comment(s, session_at(s), "far away] \\ really\nyes"));
        assert_ok(session_set_mark(s, session_at(s), MARK_BLUNDER));
        assert_ok(session_goto(s, 0));
        assert_ok(session_play_text(s, "g8"));
        assert_ok(session_set_mark(s, session_at(s), MARK_DUBIOUS));
        assert_ok(session_goto(s, session_main_end(s)));
        assert_ok(session_resign(s, 1));
        session *back = again(s, formats[i]);
        line_is(back, "h8;i9;g7");
        assert_int_equal(session_result_of(back).end, END_RESIGNED);
        assert_int_equal(session_result_of(back).loser, 1);
        int root_second = session_node_of(back, session_node_of(back, 0)->child)->next;
        assert_ok(session_goto(back, root_second));
        line_is(back, "g8");
        assert_int_equal(session_node_of(back, root_second)->mark, MARK_DUBIOUS);
        int g7 = session_main_at(back, 3), j10 = session_node_of(back, g7)->next;
        assert_ok(session_goto(back, session_node_of(back, j10)->child));
        line_is(back, "h8;i9;j10;k11");
        const session_node *n = session_node_of(back, session_at(back));
        assert_string_equal(n->comment, "far away] \\ really\nyes");
        assert_int_equal(n->mark, MARK_BLUNDER);
        session_close(back);
        session_close(s);
    }
}

static session *import(const char *text, const char *name)
{
    const game *g = NULL;
    session *s = NULL;
    if (name != NULL) assert_ok(game_find(name, &g));
    assert_ok(session_import(&s, &(session_source){.text = text, .size = strlen(text), .g = g}));
    return s;
}

static void refuses(const char *text, const char *name, const char *part)
{
    const game *g = NULL;
    session *s = NULL;
    if (name != NULL) assert_ok(game_find(name, &g));
    assert_err(session_import(&s, &(session_source){.text = text, .size = strlen(text), .g = g}), part);
}

static void files_of_others_are_read(void **state)
{
    (void)state;
    session *s = import("f5d6c3d3c4", "othello");
    line_is(s, "f5;d6;c3;d3;c4");
    session_close(s);
    s = import("1. f5 d6 2. c3\n", "othello");
    line_is(s, "f5;d6;c3");
    session_close(s);
    s = import("h8i9g7", "renju");
    line_is(s, "h8;i9;g7");
    session_close(s);
    s = import("b2; a1;c3\n", "tictactoe");
    line_is(s, "b2;a1;c3");
    session_close(s);
    s = import("(;GM[4]SZ[15]RU[Renju]PB[A]PW[B]RE[W+R];B[hh];W[hg](;B[gg])(;B[ih];W[ii]))", NULL);
    assert_string_equal(session_game(s)->name, "renju");
    assert_string_equal(session_name(s, 1), "B");
    assert_int_equal(session_result_of(s).loser, 0);
    line_is(s, "h8;h9;g9");
    session_close(s);
    s = import("(;GM[2];B[fe];W[fd])", NULL);
    line_is(s, "f5;f4");
    session_close(s);
    // A name that looks like GGF does not make it one.
    s = import("(;GM[2]PB[(;GM[Othello];B[fe];W[fd])", NULL);
    assert_string_equal(session_name(s, 0), "(;GM[Othello");
    session_close(again(s, FORMAT_SGF));
    session_close(s);
    // A pass that a record leaves out: black cannot move after this position's white move.
    s = import(
        "(;GM[Othello]PB[x]PW[y]RE[?]BO[8 OX-------------------------------------------------------------- *]W[c1];)",
        NULL);
    line_is(s, "pass;c1");
    session_close(s);
    s = import("--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18;\n", NULL);
    assert_string_equal(session_game(s)->name, "othello");
    assert_int_equal(session_ply(s), 0);
    session_close(s);
    s = import("http://www.puyop.com/s/b00900r00_18oA4c00\n", NULL);
    assert_string_equal(session_game(s)->name, "puyo-solo");
    line_is(s, "1u;4u;1d"); // a pair of one colour the other way up is the same move
    session_close(s);
    s = import("keiko othello\nfirst: me\nend: resigned 1\nmoves: f5;d6\n", NULL);
    assert_string_equal(session_name(s, 0), "me");
    assert_int_equal(session_result_of(s).end, END_RESIGNED);
    session_close(s);
    refuses("f5;d6", NULL, "does not say of which game");
    refuses("f5;a1", "othello", "move 2 ('a1')");
    refuses("", "othello", "no moves");
    refuses("(;GM[2];B[fe];W[aa])", NULL, "line 1, column 15: W[aa]: a1 is not legal as move 2");
    refuses("(;GM[2];B[aa])", NULL, "line 1, column 9: B[aa]: a1 is not legal as move 1");
    refuses("(;GM[4];B[hh](;W[hi])(;W[hh]))", NULL, "W[hh]: h8 is not legal as move 2");
    refuses("(;GM[1];B[fe])", NULL, "GM[1] is Go: only othello");
    refuses("(;GM[1];B[fe])", "tictactoe", "GM[1] is Go: only othello");
    refuses("(;GM[40];B[fe])", "othello", "GM[40]: only othello");
    refuses("(;B[fe])", "tictactoe", "not of tictactoe");
    refuses("(;GM[4];B[hh])", "othello", "a game of renju or gomoku, not of othello");
    refuses("keiko chess\nmoves: e4", NULL, "unknown game");
    refuses("keiko othello\nnonsense\n", NULL, "line 2");
    refuses("keiko othello\nend: bored 1\n", NULL, "resigned");
    refuses("keiko renju\nmoves: h8\n", "othello", "not of othello");
    s = import("keiko puyo\nseed: 18446744073709551615 7\nmoves:", NULL);
    text_buf all = {0};
    assert_ok(session_export(s, FORMAT_TEXT, &all));
    assert_non_null(strstr(text_str(&all), "seed: 18446744073709551615 7\n"));
    text_free(&all);
    session_close(s);
    refuses("keiko puyo\nseed: 18446744073709551616 0\nmoves:", NULL, "numbers from 0 to 18446744073709551615");
    refuses("keiko puyo\nseed: 3 18446744073709551616\nmoves:", NULL, "not '18446744073709551616'");
    refuses("keiko puyo\nseed: -1 0\nmoves:", NULL, "not '-1 0'");
    refuses("keiko puyo\nseed: 3 4 5\nmoves:", NULL, "unexpected '5'");
    refuses("{\"keiko\":1,\"game\":\"puyo\",\"key\":{\"run\":\"10000000000000000\"}}", NULL, "64 bits in run");
    refuses("{}", NULL, "keiko");
    refuses("{\"keiko\":1,\"game\":\"renju\",\"at\":0,\"nodes\":[{\"id\":0}]}", "othello",
            "a game of renju, not of othello");
    refuses("{\"keiko\":1,\"game\":\"othello\",\"at\":0,\"nodes\":[]}", NULL, "empty");
    refuses(
        "{\"keiko\":1,\"game\":\"othello\",\"at\":0,\"nodes\":[{\"id\":0},{\"id\":1,\"parent\":7,\"move\":\"f5\"}]}",
        NULL, "parent");
    refuses(
        "{\"keiko\":1,\"game\":\"othello\",\"at\":0,\"nodes\":[{\"id\":0},{\"id\":1,\"parent\":0,\"move\":\"a1\"}]}",
        NULL, "a1");
    refuses("{\"keiko\":1,\"game\":\"othello\",\"at\":5,\"nodes\":[{\"id\":0}]}", NULL, "at");
}

// A file must not start programs: what it says about seats is a wish.
static void files_seat_nobody(void **state)
{
    (void)state;
    session *s = open_game("othello", "", 1);
    assert_ok(session_seat_player(s, 1, "alphabeta:depth=3"));
    session_set_clock(s, 0, &(session_clock){.main = 60, .increment = 1});
    session *back = again(s, FORMAT_JSON);
    assert_true(session_seat_is_person(back, 1));
    assert_string_equal(session_seat_wish(back, 1), "alphabeta:depth=3");
    assert_true(session_clock_of(back, 0)->left == 60 && session_clock_of(back, 0)->increment == 1);
    session_close(back);
    session_close(s);
}

// --- hidden information

// A viewer's JSON must not depend on what the viewer cannot know: the pairs to come, and a choice held back.
static void the_viewer_s_json_hides(void **state)
{
    (void)state;
    const game *g;
    assert_ok(game_find("puyo", &g));
    text_buf a = {0}, b = {0};
    session *s = open_game("puyo", "", 5);
    move_t moves[PY_MAX_LEGAL];
    rng r = rng_at(1, 2, 3);
    int held = 0;
    for (int i = 0; i < 60 && session_result_of(s).end == END_NONE; i++) {
        int n = session_legal(s, moves), seat = session_seat(s);
        move_t one = moves[rng_below(&r, (uint32_t)n)], other = one;
        const py_match *before = session_state(s, session_at(s));
        bool tie = seat == 0 && before->side[0].clock == before->side[1].clock;
        for (int k = 0; k < n && other == one; k++) other = moves[k];
        if (tie && other != one) {
            // Two different choices of player 1 that player 2 has not seen yet look the same to player 2.
            int back = session_at(s);
            held++;
            assert_ok(session_play(s, one, NULL));
            text_clear(&a);
            assert_ok(session_to_json(s, 1, &a));
            assert_ok(session_delete(s, session_at(s)));
            assert_int_equal(session_at(s), back);
            assert_ok(session_play(s, other, NULL));
            text_clear(&b);
            assert_ok(session_to_json(s, 1, &b));
            assert_string_equal(text_str(&a), text_str(&b));
            assert_ok(session_delete(s, session_at(s)));
        }
        assert_ok(session_play(s, one, NULL));
        for (int viewer = 0; viewer < 2; viewer++) {
            text_clear(&a);
            assert_ok(session_to_json(s, viewer, &a));
            assert_null(strstr(text_str(&a), "\"key\""));
            assert_null(strstr(text_str(&a), "\"state\""));
            assert_null(strstr(text_str(&a), "\"position\""));
        }
    }
    assert_true(held > 0);
    // Another future: the same position with other hidden pairs gives the same text.
    char text[GAME_TEXT];
    py_match truth = *(const py_match *)session_state(s, session_at(s)), obs, other;
    session *x = NULL, *y = NULL;
    rng q = rng_at(9, 9, 9);
    py_match_observe(&truth, 0, &obs);
    py_match_sample(&obs, &q, &other);
    g->state_print(&truth, text, sizeof text);
    assert_ok(session_open(&x, &(session_setup){.g = g, .position = text, .key = {1, 1}}));
    g->state_print(&other, text, sizeof text);
    assert_ok(session_open(&y, &(session_setup){.g = g, .position = text, .key = {2, 2}}));
    text_clear(&a);
    text_clear(&b);
    assert_ok(session_to_json(x, 0, &a));
    assert_ok(session_to_json(y, 0, &b));
    assert_string_equal(text_str(&a), text_str(&b));
    text_free(&a);
    text_free(&b);
    session_close(x);
    session_close(y);
    session_close(s);
}

// --- review

static void blunders_are_found(void **state)
{
    (void)state;
    // Tic-tac-toe: after b2 a1 the game is even; a2? leaves white nothing, but c1?? for a lost race does.
    session *s = import("b2;a2;a1;c1;c3", "tictactoe");
    session_review r;
    assert_ok(session_set_helper(s, "mcts:sims=20000"));
    assert_ok(session_review_run(s, NULL, NULL, &r));
    assert_int_equal(r.n, 5);
    // 2: an edge against the centre loses. 4: c3 had to be blocked, but all was lost already.
    assert_int_equal(r.moves[1].mark, MARK_BLUNDER);
    assert_true(r.moves[1].turning);
    assert_true(r.moves[1].loss > 0.3f);
    assert_int_equal(session_node_of(s, session_main_at(s, 2))->mark, MARK_BLUNDER);
    for (int i = 0; i < 5; i += 2) assert_int_equal(r.moves[i].mark, MARK_NONE);
    assert_int_equal(r.marks[1][MARK_BLUNDER], 1);
    text_buf t = {0};
    json_writer w = json_begin(&t, false);
    session_review_json(s, &r, &w);
    assert_ok(json_finish(&w));
    assert_non_null(strstr(text_str(&t), "\"turning\":true"));
    text_free(&t);
    session_review_free(&r);
    assert_ok(session_set_helper(s, "random"));
    assert_err(session_review_run(s, NULL, NULL, &r), "gives no values");
    session_close(s);
    // Othello with a margin: move 20, b2 next to an empty corner, gives that corner away.
    s = import("d3;c5;e6;f5;f6;e3;c3;f3;c4;b4;c6;d6;f4;c2;d2;d1;b3;f2;a4;b2;a1", "othello");
    assert_ok(session_set_helper(s, "alphabeta:depth=6"));
    assert_ok(session_review_run(s, NULL, NULL, &r));
    assert_true(r.moves[19].mark >= MARK_MISTAKE);
    assert_true(r.moves[19].has_margin && r.moves[19].margin_loss >= 4);
    for (int i = 0; i < 19; i++) assert_true(r.moves[i].loss < r.moves[19].loss);
    session_review_free(&r);
    session_close(s);
}

// Who remembers a node's number can go on with it after the session was written and read, also beside a gap.
static void node_numbers_survive_json(void **state)
{
    (void)state;
    text_buf t = {0};
    session *s = open_game("tictactoe", "", 1), *back = NULL;
    assert_ok(session_play_list(s, "b2;a1;c3"));
    assert_ok(session_goto(s, 1));
    assert_ok(session_play_list(s, "c1;a3")); // 4, 5
    assert_ok(session_goto(s, 2));
    assert_ok(session_play_text(s, "a2")); // 6
    assert_ok(session_delete(s, 3));
    assert_ok(session_to_json(s, SESSION_NONE, &t));
    assert_ok(session_from_json(&back, text_str(&t), t.len));
    for (int i = 0; i < 8; i++) {
        const session_node *a = session_node_of(s, i), *b = session_node_of(back, i);
        assert_int_equal(a == NULL, b == NULL);
        if (a == NULL) continue;
        assert_int_equal(a->parent, b->parent);
        assert_int_equal(a->move, b->move);
    }
    assert_null(session_node_of(back, 3));
    assert_int_equal(session_at(back), 6);
    assert_ok(session_goto(back, 5));
    assert_ok(session_play_text(back, "a2"));
    assert_int_equal(session_at(back), 3); // the gap is used again
    session_close(back);
    // numbers that would need a large array are given anew
    static const char far[] = "{\"keiko\":1,\"game\":\"tictactoe\",\"at\":4000000,\"nodes\":[{\"id\":0},"
                              "{\"id\":4000000,\"parent\":0,\"move\":\"b2\"}]}";
    back = NULL;
    assert_ok(session_from_json(&back, far, sizeof far - 1));
    assert_int_equal(session_at(back), 1);
    session_close(back);
    session_close(s);
    text_free(&t);
}

// Closed agents sit where they sat, and choose as if they had never been closed.
static void agents_rest_and_come_back(void **state)
{
    (void)state;
    agent_choice a, b;
    session *s = open_game("othello", "", 1);
    assert_ok(session_seat_later(s, 0, "alphabeta:depth=3"));
    assert_null(session_seat_agent(s, 0));
    assert_false(session_seat_is_person(s, 0));
    assert_true(session_seat_is_person(s, 1));
    assert_err(session_seat_later(s, 1, "nobody"), "nobody");
    assert_err(session_seat_later(s, 1, "alphabeta:deep=3"), "deep");
    assert_true(session_seat_is_person(s, 1));
    assert_ok(session_think(s, &a));
    assert_non_null(session_seat_agent(s, 0));
    session_rest(s);
    assert_null(session_seat_agent(s, 0));
    assert_string_equal(session_seat_spec(s, 0), "alphabeta:depth=3");
    assert_ok(session_think(s, &b));
    assert_int_equal(a.move, b.move);
    assert_true(a.nodes == b.nodes);
    assert_ok(session_set_helper(s, "mcts:sims=10"));
    session_rest(s);
    assert_string_equal(session_helper(s), "mcts:sims=10");
    int n;
    assert_ok(session_analyse(s, 1, &b, &n));
    assert_int_equal(n, 1);
    session_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_numbers_survive_json),
        cmocka_unit_test(agents_rest_and_come_back),
        cmocka_unit_test(the_tree_grows_and_shrinks),
        cmocka_unit_test(undo_goes_to_any_point),
        cmocka_unit_test(agents_hear_each_move_once),
        cmocka_unit_test(choices_do_not_depend_on_detours),
        cmocka_unit_test(thinking_is_stopped),
        cmocka_unit_test(opinions_are_kept),
        cmocka_unit_test(clocks_run_down),
        cmocka_unit_test(agents_use_the_clock),
        cmocka_unit_test(games_end),
        cmocka_unit_test(every_format_comes_back),
        cmocka_unit_test(formats_that_do_not_fit_say_so),
        cmocka_unit_test(trees_come_back),
        cmocka_unit_test(files_of_others_are_read),
        cmocka_unit_test(files_seat_nobody),
        cmocka_unit_test(the_viewer_s_json_hides),
        cmocka_unit_test(blunders_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
