// Every reader of the games on texts with one mistake each (tests/games/edits.txt), and every printer into buffers that are too
// small, just large enough and larger.
#include "base/edits.h"
#include "base/memory.h"
#include "games/game.h"
#include "games/othello/oth_ggf.h"
#include "games/othello/oth_obf.h"
#include "games/puyo/puyo_url.h"
#include "games/renju/renju_record.h"
#include "games/sgf.h"

typedef struct reader {
    edits e;
    const game *g;
    char *state; // of move_parse and init
    int variant;
} reader;

static void one_state(void *ctx, const char *text)
{
    reader *r = ctx;
    char said[GAME_TEXT], *s = calloc(1, r->g->state_size);
    bool good = r->g->state_parse(text, s) == ERR_OK;
    if (good) r->g->state_print(s, said, sizeof said);
    edits_saw(&r->e, good, text, good ? said : err_text());
    free(s);
}

static void one_move(void *ctx, const char *text)
{
    reader *r = ctx;
    char said[64];
    move_t m = 0;
    bool good = r->g->move_parse(r->state, text, &m) == ERR_OK;
    snprintf(said, sizeof said, "%u", (unsigned)m);
    edits_saw(&r->e, good, text, good ? said : err_text());
}

static void one_start(void *ctx, const char *text)
{
    reader *r = ctx;
    char said[GAME_TEXT], *s = calloc(1, r->g->state_size);
    bool good = r->g->init(s, text, (game_key){3, 4}) == ERR_OK;
    if (good) r->g->state_print(s, said, sizeof said);
    edits_saw(&r->e, good, text, good ? said : err_text());
    free(s);
}

static void states_and_moves(void **state)
{
    (void)state;
    static const char *const starts[][2] = {
        {"puyo", "timing=turns,pairs=blocks,colours=4,reach=1,lose=seed,margin=0,drop=0,plies=900"},
        {"puyo-solo", "pairs=uniform,colours=5,moves=30,reach=0"},
        {"renju", "cap=225"},
        {"contrast", "plies=150,repetition=5,repetition_from=50"},
    };
    text_buf t = {0};
    for (int i = 0; i < game_count(); i++) {
        const game *g = game_at(i);
        char text[GAME_TEXT], *s = calloc(1, g->state_size), *obs = calloc(1, g->obs_size);
        move_t *moves = calloc((size_t)g->max_legal, sizeof *moves);
        reader states = {.e = {.name = "state"}, .g = g}, words = {.e = {.name = "move"}, .g = g, .state = obs};
        rng r = rng_at(5, (uint64_t)i, 0);
        assert_ok(g->init(s, "", (game_key){3, 1}));
        for (int ply = 0, n; ply < 60 && (n = g->legal(s, moves)) > 0; ply++) {
            if (ply == 0 || ply == 7 || ply == 30) {
                g->state_print(s, text, sizeof text);
                edits_of(text, "0-xbOa9 ", one_state, &states);
            }
            game_observe(g, s, g->seat(s), obs);
            move_t m = moves[rng_below(&r, (uint32_t)n)];
            if (ply % 5 == 0) {
                g->move_print(obs, m, text, sizeof text);
                edits_of(text, "09aphuH,-x ", one_move, &words);
            }
            g->play(s, m, NULL);
        }
        g->state_print(s, text, sizeof text);
        edits_of(text, "1 ", one_state, &states);
        text_printf(&t, "%s\n  ", g->name);
        edits_list(&states.e, &t);
        text_append(&t, "  ");
        edits_list(&words.e, &t);
        FREE_ALL(s, obs, moves);
    }
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        reader x = {.e = {.name = starts[i][0]}};
        assert_ok(game_find(starts[i][0], &x.g));
        edits_of(starts[i][1], "0179=,a", one_start, &x);
        edits_list(&x.e, &t);
    }
    assert_listed(&t, "games/edits_states.txt");
}

// Every move that the game's moves can say, legal or not: why it is refused here.
static void every_move(void **state)
{
    (void)state;
    text_buf t = {0};
    for (int i = 0; i < game_count(); i++) {
        const game *g = game_at(i);
        char text[GAME_TEXT], *s = calloc(1, g->state_size), *obs = calloc(1, g->obs_size);
        reader words = {.e = {.name = g->name}, .g = g, .state = obs};
        rng r = rng_at(6, (uint64_t)i, 0);
        assert_ok(g->init(s, "", (game_key){3, 1}));
        for (int k = 0; k < 3; k++) {
            game_observe(g, s, g->seat(s), obs);
            for (int m = 0; m < g->n_moves; m++) {
                g->move_print(obs, (move_t)m, text, sizeof text);
                one_move(&words, text);
            }
            game_random_playout(g, s, &r, 5);
        }
        edits_list(&words.e, &t);
        FREE_ALL(s, obs);
    }
    assert_listed(&t, "games/edits_moves.txt");
}

static void one_ggf(void *ctx, const char *text)
{
    reader *r = ctx;
    static oth_record record;
    char said[OTH_GGF_TEXT];
    size_t at = 0;
    bool found = true;
    for (int k = 0; k < 4 && found; k++) {
        found = false;
        bool good = oth_ggf_next(text, &at, &record, &found) == ERR_OK;
        if (good && found) oth_ggf_print(&record, said, sizeof said);
        edits_saw(&r->e, good, text, !good ? err_text() : found ? said : "none");
        if (!good) found = text[at] != 0;
    }
}

static void one_obf(void *ctx, const char *text)
{
    reader *r = ctx;
    char said[OTH_OBF_TEXT];
    oth_problem *list = NULL;
    int n = 0;
    bool good = oth_obf_read(text, &list, &n) == ERR_OK;
    if (!good || n == 0) edits_saw(&r->e, good, text, good ? "none" : err_text());
    for (int i = 0; good && i < n; i++) {
        oth_obf_print(&list[i], said, sizeof said);
        edits_saw(&r->e, true, text, said);
    }
    free(list);
}

static void one_url(void *ctx, const char *text)
{
    reader *r = ctx;
    char said[PY_URL_TEXT];
    py_url u;
    bool good = py_url_parse(text, &u) == ERR_OK;
    if (good) py_url_print(&u, said, sizeof said);
    edits_saw(&r->e, good, text, good ? said : err_text());
}

static void one_field(void *ctx, const char *text)
{
    reader *r = ctx;
    char said[PY_FIELD_TEXT];
    py_field f;
    bool good = py_field_parse(text, &f) == ERR_OK;
    if (good) py_field_print(&f, said, sizeof said);
    edits_saw(&r->e, good, text, good ? said : err_text());
}

static void one_sgf(void *ctx, const char *text)
{
    reader *r = ctx;
    sgf *s = NULL;
    char *printed = NULL;
    bool good = sgf_parse(text, strlen(text), &s) == ERR_OK;
    if (good) {
        assert_ok(sgf_print(s, &printed));
        edits_saw(&r->e, true, text, printed);
        for (int i = 0; i < sgf_games(s); i++) {
            char said[100];
            const sgf_node *n = sgf_root(s, i);
            snprintf(said, sizeof said, "%d:%d", n->line, n->column);
            edits_saw(&r->e, true, text, said);
            for (; n != NULL; n = n->child)
                for (int k = 0; k < n->n_props; k++) {
                    const sgf_prop *p = &n->props[k];
                    snprintf(said, sizeof said, "%s %d:%d %d:%d %d", p->id, p->line, p->column, p->values[0].line,
                             p->values[0].column, p->n_values);
                    edits_saw(&r->e, true, text, said);
                }
        }
    } else {
        edits_saw(&r->e, false, text, err_text());
    }
    free(printed);
    sgf_free(s);
}

static void one_record(void *ctx, const char *text)
{
    reader *r = ctx;
    rj_record record;
    char said[80];
    if (rj_record_read(text, strlen(text), 0, r->variant, &record) != ERR_OK) {
        edits_saw(&r->e, false, text, err_text());
        return;
    }
    unsigned moves = 0;
    for (int i = 0; i < record.n_moves; i++) moves = moves * 31 + record.move[i];
    snprintf(said, sizeof said, "%d moves %x, %d unplayed, first %d", record.n_moves, moves, record.unplayed,
             record.first);
    edits_saw(&r->e, true, text, said);
}

static void chain_differs(void *ctx, const py_chain_row *want, const py_chain_row *got)
{
    char said[200];
    edits *e = ctx;
    snprintf(said, sizeof said, "%s %d: %d %d %d %d, %d %d %d %d", want->name, want->line, want->links, want->score,
             want->frames, want->left, got->links, got->score, got->frames, got->left);
    edits_saw(e, true, "", said);
}

static void one_chain(void *ctx, const char *text)
{
    reader *r = ctx;
    char said[40];
    int exact = -1, total = -1;
    bool good = py_verify_chains(text, chain_differs, &r->e, &exact, &total) == ERR_OK;
    snprintf(said, sizeof said, "%d of %d", exact, total);
    edits_saw(&r->e, good, text, good ? said : err_text());
}

static void records(void **state)
{
    (void)state;
    static const struct {
        const char *name, *with;
        void (*each)(void *ctx, const char *text);
        int variant;
        const char *text[3];
    } rows[] = {
        {"ggf",
         "0];/ A",
         one_ggf,
         0,
         {"club (;GM[Othello]PC[a]DT[b]PB[c]PW[d]RB[1.5]RW[2]TI[15:00]TY[8]RE[+4.000:r]"
          "BO[8 ---------------------------O*------*O--------------------------- *]B[f5//0.51]W[d6/-1.20/3.00]B[c3];)",
          "(;GM[Othello]RE[?]BO[8 OX-------------------------------------------------------------- *]B[pa]W[c1];)\n"
          "(;GM[Othello]PB[x]TY[8r]RE[-64.5:t]B[D3/1.2345]W[c3//12]B[c4];)"}},
        {"obf",
         "0X;-+ \n",
         one_obf,
         0,
         {"# x\n---------------------------OX------XO--------------------------- X; f5:+0; D3:-12; % tied\n",
          "OX-------------------------------------------------------------- X; C1:+64\n\n"
          "-XO------------------------------------------------------------- O; A1:-9;"}},
        {"url",
         "0x_=]w",
         one_url,
         0,
         {
             "http://www.puyop.com/s/_18xWoA4c00",
             "http://www.puyop.com/s/420Aa9r9hj_18xWoA4c00",
             "=111222333444000555_010e",
         }},
        {"address", "0_!a", one_url, 0, {"http://ips.karou.jp/simu/ps.html?b00900r00", "p2_0w1], "}},
        {"field",
         "RO.0/x ",
         one_field,
         0,
         {"..RYGR/RBBRYB/GBRYGG/RBRYGB/GYBGYB/YBGYRB/GYBGYR/GYBGYR/GRRBRB/RBYGBB/GRBYGR/GRBYGR/GRBYGR",
          "....../R.O.PP"}},
        {"sgf",
         "[];()\\A\n",
         one_sgf,
         0,
         {"x (;GaMe[4]FF[4]C[a\\]b\\\\c\r\nd]\n;B[aa][bb];W[cc](;B[dd]C[e:f])(;B[ee];W[ff]))(;GM[1])"}},
        {"record",
         "[];ah1",
         one_record,
         0,
         {"(;GM[4]SZ[15]RU[Renju]PB[a]PW[b]BR[1]WR[2]EV[e]RO[3]DT[d]PC[p]GN[g]RE[B+]C[zero];B[hh]C[one];W[ih];B[ig];W[hf]"
          ";B[gg](;W[ff];B[ee])(;W[jj]))",
          "(;GM[4]SZ[15]AB[hh][ig]AW[ih]PL[W];W[gg];B[h5])",
          "(;B[h8];W[i9];B[hi];W[aa];B[hj];W[ab];B[hg];W[ac];B[hf];W[oo])"}},
        {"record of freestyle", "[;at2", one_record, 3, {"(;GM[4]SZ[20]RU[Gomoku];B[tt];W[aa];B[a1];W[t20])"}},
        {"chains",
         "0R.=#",
         one_chain,
         0,
         {"# a\n= one 1 40 62 0\n"
          "......\n......\n......\n......\n......\n......\n"
          "......\n......\n......\n......\n......\n......\nRRRR..\n"
          "\n= other 0 0 0 6\n"
          "......\n......\n......\n......\n......\n......\n"
          "......\n......\n......\n......\n......\n......\nRGBRGB\n"}},
    };
    text_buf t = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        reader r = {.e = {.name = rows[i].name}, .variant = rows[i].variant};
        for (int k = 0; k < 3 && rows[i].text[k] != NULL; k++)
            edits_of(rows[i].text[k], rows[i].with, rows[i].each, &r);
        edits_list(&r.e, &t);
    }
    assert_listed(&t, "games/edits_records.txt");
}

// A printer returns what the whole text needs, and writes as much of it as fits, with a NUL.
#define CUT(call)                                                                                                      \
    do {                                                                                                               \
        char whole[OTH_GGF_TEXT], buf[OTH_GGF_TEXT];                                                                   \
        size_t n = sizeof whole;                                                                                       \
        char *to = whole;                                                                                              \
        int length = call;                                                                                             \
        assert_int_equal(length, strlen(whole));                                                                       \
        to = buf;                                                                                                      \
        for (n = 0; n <= (size_t)length + 2; n += n > 40 && n + 45 < (size_t)length ? 37 : 1) {                        \
            memset(buf, 'z', sizeof buf);                                                                              \
            assert_int_equal(call, length);                                                                            \
            size_t fits = n == 0 ? 0 : n - 1 < (size_t)length ? n - 1 : (size_t)length;                                \
            assert_memory_equal(buf, whole, fits);                                                                     \
            if (n > 0) assert_int_equal(buf[fits], 0);                                                                 \
            assert_int_equal(buf[n > fits + 1 ? n : fits + (n > 0)], 'z');                                             \
        }                                                                                                              \
    } while (0)

static void small_buffers(void **state)
{
    (void)state;
    for (int i = 0; i < game_count(); i++) {
        const game *g = game_at(i);
        char *s = calloc(1, g->state_size), *obs = calloc(1, g->obs_size);
        move_t *moves = calloc((size_t)g->max_legal, sizeof *moves), last = MOVE_NONE;
        assert_ok(g->init(s, "", (game_key){3, 2}));
        for (int ply = 0; ply < 6 && g->legal(s, moves) > 0; ply++) {
            last = moves[0];
            g->play(s, last, NULL);
        }
        game_observe(g, s, 0, obs);
        CUT(g->state_print(s, to, n));
        CUT(g->draw(obs, last, false, to, n));
        CUT(g->draw(obs, last, true, to, n));
        if (g->formats != NULL && g->formats->ggf != NULL) CUT(g->formats->ggf(s, to, n));
        FREE_ALL(s, obs, moves);
    }
    py_url u;
    py_field f;
    oth_problem p;
    oth_record r;
    bool found;
    size_t at = 0;
    assert_ok(py_url_parse("http://www.puyop.com/s/420Aa9r9hj_18xWoA4c00", &u));
    CUT(py_url_print(&u, to, n));
    assert_ok(py_field_parse("RRGG../YYBB.O", &f));
    CUT(py_field_print(&f, to, n));
    assert_ok(oth_obf_parse("---------------------------OX------XO--------------------------- X; F5:+0; D3:-12;", &p));
    CUT(oth_obf_print(&p, to, n));
    assert_ok(oth_ggf_next("(;GM[Othello]PC[a]PB[c]RE[+4.000:r]B[f5//0.51]W[d6/-1.20/3.00];)", &at, &r, &found));
    CUT(oth_ggf_print(&r, to, n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(states_and_moves), cmocka_unit_test(every_move),
                                       cmocka_unit_test(records), cmocka_unit_test(small_buffers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
