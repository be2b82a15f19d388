// Files as people send them, made into sessions and written again in every format; addresses of puyop.com as stories; options as
// JSON; a table of Othello values. All are compared with tests/app/texts/. And networks on many positions at once.
#include "app/catalogue.h"
#include "app/evaluate.h"
#include "app/puyo_view.h"
#include "app/session.h"
#include "app/verify.h"
#include "base/edits.h"
#include "base/temp_dir.h"
#include "games/othello/othello.h"
#include "learn/zero/az_config.h"

#include <math.h>

// --- files

static const struct {
    const char *game, *text; // game NULL: the text says which
} files[] = {
    // Othello: discs set up, either side to move, points that are wrong
    {NULL, "(;GM[2]SZ[8]AB[ed][de][aa]AW[dd][ee][bb]PL[B];B[fe];W[fd])"},
    {NULL, "(;GM[2]AB[ed][de]AW[dd][ee]AE[hh]PL[W];W[fd])"},
    {NULL, "(;GM[2]AB[ii])"},
    {NULL, "(;GM[2]AB[a])"},
    {NULL, "(;GM[2]AW[aaa])"},
    {NULL, "(;GM[2]AW[])"},
    {NULL, "(;GM[2]AW[ha][ah]AB[gb])"},
    {NULL, "(;GM[2]PB[A]PW[B]C[one];B[fe]C[two]DO[];C[three];W[fd]BM[1])"},
    {NULL, "(;GM[2];B[fe]W[fd])"},
    {NULL, "(;GM[2];B[fe];AB[aa];W[fd])"},
    {NULL, "(;GM[2];W[fe])"},
    {"othello", "f5d6c3d3c4f4f6b4"},
    {"othello", "1. f5 d6 2. c3 d3 3. c4"},
    {"othello", "f5 d6 pass c3"},
    {"othello", "f5d6zz"},
    {"othello", "f5d6f"},
    {"othello", "e6f4e3f6g5d6e7f5c5"}, // nobody has a move left
    {NULL, "% a comment\n# another\n---------------------------OX------XO--------------------------- X; F5:0\n"},
    {NULL, "% 1\n\n  ---------------------------OX------XO--------------------------- O\n"},
    {NULL, "---------------------------OX------XO--------------------------\n"},
    {NULL, "%\n#---------------------------OX------XO--------------------------- X\n"},
    // Renju and its kin
    {NULL, "(;GM[4]SZ[15]RU[Renju]AB[hh][ig][ii]AW[ih]PL[W]C[set up];W[gg];B[gh](;W[fh])(;W[hf]C[other]))"},
    {NULL, "(;GM[4]SZ[15]RU[Gomoku];B[hh];W[aa];B[hi];W[ab];B[hj];W[ac];B[hk];W[ad];B[hl];W[ae])"},
    {"renju", "h8 h9 i9 g7"},
    {"renju", "h8h9i9g7h8"},
    {"freestyle20", "t20 a1 t1"},
    {"tictactoe", "a1;b1;a2;b2;a3"},
    {"tictactoe", "a1 b1 c1 d1"},
    {"contrast", "a1,a2 b2b;e5,e4"},
    {NULL, "https://www.puyop.com/s/420Aa9r9hj"},
    {NULL, "hello"},
};

static void put_exports(text_buf *t, session *s)
{
    for (int f = FORMAT_AUTO + 1; f < FORMAT_COUNT; f++) {
        text_buf one = {0}, again = {0};
        session *back = NULL;
        if (f == FORMAT_JSON || session_export(s, (session_format)f, &one) != ERR_OK) {
            text_free(&one);
            continue;
        }
        text_printf(t, "%s: %s\n", session_format_name((session_format)f), text_str(&one));
        const session_source from = {
            .text = text_str(&one), .size = one.len, .format = (session_format)f, .g = session_game(s)};
        if (session_import(&back, &from) != ERR_OK)
            text_printf(t, "  not read: %s\n", err_text());
        else if (session_export(back, (session_format)f, &again) != ERR_OK ||
                 strcmp(text_str(&one), text_str(&again)) != 0)
            text_printf(t, "  comes back as: %s\n", text_str(&again));
        session_close(back);
        text_free(&one);
        text_free(&again);
    }
}

static void imports(void **state)
{
    (void)state;
    text_buf t = {0};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const game *g = NULL;
        session *s = NULL;
        char board[GAME_TEXT];
        if (files[i].game != NULL) assert_ok(game_find(files[i].game, &g));
        text_printf(&t, "==== %s %s\n%s\n", files[i].game != NULL ? files[i].game : "", files[i].text,
                    session_format_name(session_format_by_content(files[i].text, strlen(files[i].text))));
        const session_source from = {.text = files[i].text, .size = strlen(files[i].text), .g = g, .key = {3, 0}};
        if (session_import(&s, &from) != ERR_OK) {
            text_printf(&t, "refused: %s\n", err_text());
            continue;
        }
        session_draw(s, session_at(s), 0, false, board, sizeof board);
        text_printf(&t, "%s at %d\n%s\n", session_game(s)->name, session_ply(s), board);
        session_result_text(s, &t);
        text_char(&t, '\n');
        put_exports(&t, s);
        session_close(s);
    }
    assert_listed(&t, "app/texts/imports.txt");
}

// Lists of moves and SGF leave forced passes out; some files go on after the end. The game is the same.
static void passes_left_out(void **state)
{
    (void)state;
    const game *g;
    int passes = 0;
    assert_ok(game_find("othello", &g));
    for (uint32_t k = 0; k < 60; k++) {
        oth_state s;
        move_t legal[64];
        text_buf list = {0}, sgf = {0};
        rng r = rng_at(8, k, 0);
        assert_ok(g->init(&s, "", (game_key){8, k}));
        text_append(&sgf, "(;GM[2]");
        for (int n; (n = g->legal(&s, legal)) > 0;) {
            move_t m = legal[rng_below(&r, (uint32_t)n)];
            char name[16];
            g->move_print(&s, m, name, sizeof name);
            if (m == OTH_PASS) {
                passes++;
            } else {
                text_append(&list, name);
                text_printf(&sgf, ";%c[%c%c]", s.side == 0 ? 'B' : 'W', name[0], 'a' + name[1] - '1');
            }
            g->play(&s, m, NULL);
        }
        text_append(&sgf, ";B[aa];W[hh])"); // behind the end
        for (int f = 0; f < 2; f++) {
            session *got;
            const text_buf *t = f == 0 ? &list : &sgf;
            assert_ok(session_import(&got, &(session_source){.text = t->data, .size = t->len, .g = g, .key = {8, k}}));
            assert_memory_equal(session_state(got, session_at(got)), &s, sizeof s);
            session_close(got);
        }
        text_free(&list);
        text_free(&sgf);
    }
    assert_true(passes > 20);
}

// --- stories

static void stories(void **state)
{
    (void)state;
    text_buf list = {0}, t = {0};
    edits e = {.name = "stories of random addresses"};
    int inside[PY_MOVES], n_inside = 0; // placements within the field
    const py_field empty = {0};
    for (uint32_t mask = py_legal_mask(&empty, py_pair(PY_RED, PY_GREEN), false, PY_LOSE_TSU); mask != 0;
         mask &= mask - 1)
        inside[n_inside++] = __builtin_ctz(mask);
    for (uint32_t k = 0; k < 60; k++) {
        rng r = rng_at(77, k, 0);
        py_url u = {0};
        for (int c = 0; c < PY_COLS; c++)
            for (int h = 1, top = (int)rng_below(&r, 9); h <= top; h++)
                py_set(&u.field, c, h, (int)(PY_RED + rng_below(&r, 4)));
        for (u.n = 0; u.n < 12; u.n++) {
            py_url_step *s = &u.step[u.n];
            if (rng_below(&r, 4) == 0)
                *s = (py_url_step){.rows = (uint8_t)rng_below(&r, 3), .columns = (uint8_t)rng_below(&r, 64)};
            else
                *s = (py_url_step){.pair = (uint8_t)(PY_RED + rng_below(&r, 4) + ((PY_RED + rng_below(&r, 4)) << 4)),
                                   .move = rng_below(&r, 8) == 0 ? PY_NOT_PLACED
                                                                 : (uint8_t)inside[rng_below(&r, (uint32_t)n_inside)]};
        }
        puyo_story story = {0};
        err x = puyo_story_tell(&story, &u);
        json_writer w = json_begin(&t, false);
        if (x == ERR_OK) puyo_story_json(&w, &story);
        x = x == ERR_OK ? json_finish(&w) : x;
        edits_saw(&e, x == ERR_OK, "", x == ERR_OK ? text_str(&t) : err_text());
        text_clear(&t);
        puyo_story_free(&story);
    }
    edits_list(&e, &list);
    static const char *const boards[] = {"https://www.puyop.com/s/420Aa9r9hj", "RB..../RR..../BB....", "RB../", "",
                                         "http://www.puyop.com/s/b00900r00_q1q1"};
    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++) {
        py_url u;
        puyo_story story = {0};
        text_printf(&list, "== %s\n", boards[i]);
        if (puyo_board_read(boards[i], &u) != ERR_OK || puyo_story_tell(&story, &u) != ERR_OK) {
            text_printf(&list, "refused: %s\n", err_text());
            continue;
        }
        json_writer w = json_begin(&t, false);
        puyo_story_json(&w, &story);
        assert_ok(json_finish(&w));
        text_printf(&list, "%s\n", text_str(&t));
        text_clear(&t);
        puyo_story_free(&story);
    }
    text_free(&t);
    assert_listed(&list, "app/texts/stories.txt");
}

// --- options

static void options(void **state)
{
    (void)state;
    static const char *const none[] = {NULL}, *const some[] = {"sims", "net", "lr", NULL};
    text_buf t = {0}, one = {0};
    edits e = {.name = "options of zero, all and without three"};
    for (int k = 0; k < 2; k++) {
        json_writer w = json_begin(&one, false);
        catalogue_options_json(&w, az_opts, az_n_opts, k == 0 ? none : some);
        assert_ok(json_finish(&w));
        edits_saw(&e, true, "", text_str(&one));
        text_clear(&one);
    }
    edits_list(&e, &t);
    json_writer w = json_begin(&one, false);
    assert_false(catalogue_list_json(&w, "nothing", NULL));
    (void)json_finish(&w);
    text_free(&one);
    assert_listed(&t, "app/texts/options.txt");
}

// --- values of Othello

static void othello_values(void **state)
{
    (void)state;
    char dir[64], path[100];
    text_buf file = {0}, t = {0};
    assert_non_null(temp_dir_make(dir));
    snprintf(path, sizeof path, "%s/values.obf", dir);
    for (uint32_t k = 0; k < 200; k++) { // positions of random games, with made-up scores
        rng r = rng_at(5, k, 0);
        oth_state s;
        const game *g;
        assert_ok(game_find("othello", &g));
        assert_ok(g->init(&s, "", (game_key){5, k}));
        game_random_playout(g, &s, &r, (int)rng_below(&r, 50));
        if (g->result(&s).over) continue;
        for (int sq = 0; sq < 64; sq++) {
            bool own = (s.b.own >> sq & 1) != 0, opp = (s.b.opp >> sq & 1) != 0;
            text_char(&file, !own && !opp ? '-' : own == (s.side == 0) ? 'X' : 'O');
        }
        move_t legal[64];
        char name[16];
        int n = g->legal(&s, legal);
        g->move_print(&s, legal[rng_below(&r, (uint32_t)n)], name, sizeof name);
        text_printf(&file, " %c; %s:%d\n", s.side == 0 ? 'X' : 'O', name, (int)rng_below(&r, 40) - 20);
    }
    assert_ok(file_write_atomic(path, text_str(&file), file.len));
    for (int depth = 1; depth < 4; depth++) { // 0 would mean to the end
        int exact = -1, total = -1;
        err e = verify_run(&(verify_request){.kind = "othello-values", .file = path, .threads = 1, .depth = depth}, &t,
                           &exact, &total);
        if (e != ERR_OK) fail_msg("%s", err_text());
        assert_int_equal(total, 0);
        text_char(&t, '\n');
    }
    text_free(&file);
    temp_dir_remove(dir);
    assert_listed(&t, "app/texts/values.txt");
}

// --- many positions at once

// More than two chunks, some of them over: each is what the evaluator says of it alone.
static void many_positions(void **state)
{
    (void)state;
    static const char *const names[] = {"tictactoe", "contrast"};
    for (int k = 0; k < 2; k++) {
        enum { N = 600 };
        const game *g;
        az_config c = {0};
        nn_desc d;
        nn_net *net;
        evaluator *e;
        int over = 0;
        assert_ok(game_find(names[k], &g));
        assert_ok(opt_defaults(az_opts, az_n_opts, &c));
        c.net = "c=8 b=1";
        assert_ok(az_net_desc(&c, g, &g->encodings[0], &d));
        assert_ok(nn_net_new(&net, &d, 5));
        assert_ok(evaluator_new(&e, g, net, &(eval_options){.max_batch = 64}));
        char *states = calloc(N, g->state_size);
        const void **at = calloc(N, sizeof *at);
        float *values = calloc(N, sizeof *values), *again = calloc(N, sizeof *again);
        float *policy = malloc(N * (size_t)g->n_moves * sizeof *policy);
        move_t *moves = calloc((size_t)g->max_legal, sizeof *moves);
        float *priors = calloc((size_t)g->max_legal, sizeof *priors);
        char *obs = calloc(1, g->obs_size);
        for (uint32_t i = 0; i < N; i++) {
            rng r = rng_at(9, i, 0);
            at[i] = states + i * g->state_size;
            assert_ok(g->init(states + i * g->state_size, "", (game_key){9, i}));
            game_random_playout(g, states + i * g->state_size, &r, (int)rng_below(&r, k == 0 ? 10 : 60));
        }
        memset(policy, 0x5a, N * (size_t)g->n_moves * sizeof *policy);
        assert_ok(evaluate_states(e, g, at, N, values, policy));
        assert_ok(evaluate_states(e, g, at, N, again, NULL));
        assert_memory_equal(values, again, N * sizeof *values);
        for (int i = 0; i < N; i++) {
            outcome o = g->result(at[i]);
            const float *p = policy + (size_t)i * (size_t)g->n_moves;
            double sum = 0, of_legal = 0, total = 0;
            float v = 0;
            for (int m = 0; m < g->n_moves; m++) sum += (double)p[m];
            if (o.over) {
                over++;
                assert_true(fabs((double)values[i] - (2 * (double)o.score[0] - 1)) < 1e-6);
                assert_true(sum == 0);
                continue;
            }
            game_observe(g, at[i], g->seat(at[i]), obs);
            int n = g->legal(at[i], moves);
            mcts_batch b = {.n = 1,
                            .obs = (const void *[]){obs},
                            .moves = (const move_t *[]){moves},
                            .n_moves = &n,
                            .priors = (float *[]){priors},
                            .values = &v};
            assert_ok(evaluator_raw(e, &b));
            assert_true(fabs((double)values[i] - (double)v) < 1e-5);
            assert_true(fabs(sum - 1) < 1e-5);
            for (int m = 0; m < n; m++) total += exp((double)priors[m]);
            for (int m = 0; m < n; m++) {
                of_legal += (double)p[moves[m]];
                assert_true(fabs((double)p[moves[m]] - exp((double)priors[m]) / total) < 1e-5);
            }
            assert_true(fabs(of_legal - 1) < 1e-5); // nothing elsewhere
        }
        assert_true(over > 20 && over < N - 300);
        free(states), free(at), free(values), free(again), free(policy), free(moves), free(priors), free(obs);
        evaluator_free(e);
        nn_net_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(imports),        cmocka_unit_test(passes_left_out),
                                       cmocka_unit_test(stories),        cmocka_unit_test(options),
                                       cmocka_unit_test(othello_values), cmocka_unit_test(many_positions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
