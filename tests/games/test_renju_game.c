// The game tables of renju, gomoku and freestyle: who wins with what, texts, encodings. test_renju_conform.c plays the
// random games.
#include "games/conformance.h"
#include "games/renju/renju.h"
#include "test.h"

typedef struct any_state { // room for a state of any of the four
    uint64_t words[16];
} any_state;

static const game *find(const char *name)
{
    const game *g = NULL;
    assert_ok(game_find(name, &g));
    assert_true(g->state_size <= sizeof(any_state));
    return g;
}

static void start(const game *g, any_state *s, const char *options)
{
    memset(s, 0, sizeof *s);
    assert_ok(g->init(s, options, (game_key){0, 0}));
}

static move_t move_of(const game *g, const any_state *s, const char *text)
{
    move_t m = MOVE_NONE;
    assert_ok(g->move_parse(s, text, &m));
    return m;
}

static void play_all(const game *g, any_state *s, const char *moves)
{
    char copy[2048];
    snprintf(copy, sizeof copy, "%s", moves);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) g->play(s, move_of(g, s, word), NULL);
}

static void expect(const game *g, const any_state *s, reason why, float black)
{
    outcome o = g->result(s);
    assert_true(o.over);
    assert_string_equal(reason_name(o.reason), reason_name((int)why));
    assert_true(o.score[0] == black && o.score[1] == 1 - black);
    move_t moves[400];
    assert_int_equal(g->legal(s, moves), 0);
    assert_int_equal(g->seat(s), 0);
}

static const char *const names[4] = {"renju", "gomoku", "freestyle", "freestyle20"};

// A row of `length` stones of one colour that starts at (x, y), its stone number `gap` missing; then that stone is
// played. Returns false where the row does not fit.
static bool finish_row(const game *g, any_state *s, int colour, int x, int y, int dx, int dy, int length, int gap)
{
    int size = g->rows, ex = x + (length - 1) * dx, ey = y + (length - 1) * dy;
    if (ex < 0 || ex >= size || ey < 0 || ey >= size) return false;
    char text[1024], *at = text;
    for (int py = 0; py < size; py++) {
        if (py > 0) *at++ = '/';
        for (int px = 0; px < size; px++) {
            int k = dx ? (px - x) * dx : (py - y) * dy;
            bool on = k >= 0 && k < length && px == x + k * dx && py == y + k * dy && k != gap;
            *at++ = on ? (colour ? 'O' : 'X') : '.';
        }
    }
    snprintf(at, 8, " %c", colour ? 'w' : 'b');
    assert_ok(g->state_parse(text, s));
    g->play(s, (move_t)((y + gap * dy) * size + x + gap * dx), NULL);
    return true;
}

// Rows of three to seven, everywhere on the board, in the four directions, finished at every place of the row.
// Gomocup and SGF call the game of exactly five "standard".
static void standard_is_gomoku(void **state)
{
    (void)state;
    assert_ptr_equal(find("standard"), find("gomoku"));
    assert_string_equal(find("standard")->formats->sgf_rules, "Standard");
    const game *g;
    assert_err(game_find("standard20", &g), "there are: othello");
}

static void rows_win_as_the_rule_says(void **state)
{
    (void)state;
    static const int dirs[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    for (int i = 0; i < 4; i++) {
        const game *g = find(names[i]);
        any_state s;
        int checked = 0;
        for (int colour = 0; colour < 2; colour++)
            for (int d = 0; d < 4; d++)
                for (int length = 4; length <= 7; length++)
                    for (int gap = 0; gap < length; gap++) {
                        // A row of five or more already on the board before the last stone is no legal position.
                        if (gap >= 5 || length - gap - 1 >= 5) continue;
                        for (int p = 0; p < g->n_moves; p++) {
                            int x = p % g->cols, y = p / g->cols;
                            if (!finish_row(g, &s, colour, x, y, dirs[d][0], dirs[d][1], length, gap)) continue;
                            checked++;
                            bool exact = i == 1 || (i == 0 && colour == 0);
                            if (length == 5 || (length > 5 && !exact))
                                expect(g, &s, REASON_LINE, colour == 0);
                            else if (length > 5 && i == 0)
                                expect(g, &s, REASON_FORBIDDEN, 0);
                            else
                                assert_false(g->result(&s).over);
                        }
                    }
        assert_true(checked > 10000);
    }
}

static void fouls_lose_and_five_overrides(void **state)
{
    (void)state;
    const game *g = find("renju");
    any_state s;
    start(g, &s, "");
    play_all(g, &s, "g8 a1 i8 c1 h7 e1 h9 g1");
    assert_int_equal(g->seat(&s), 0);
    play_all(g, &s, "h8"); // two threes
    expect(g, &s, REASON_FORBIDDEN, 0);

    start(g, &s, "");
    play_all(g, &s, "e8 a1 f8 c1 g8 e1 h5 g1 h6 i1 h7 k1 h8"); // two fours
    expect(g, &s, REASON_FORBIDDEN, 0);

    start(g, &s, "");
    play_all(g, &s, "d8 a1 e8 c1 f8 e1 g8 g1 h9 i1 h7 k1 g9 m1 i7 o1 h8"); // five, and threes with it
    expect(g, &s, REASON_LINE, 1);

    // The same moves in gomoku are moves like any other; white may make two threes in renju.
    for (int i = 1; i < 4; i++) {
        g = find(names[i]);
        start(g, &s, "");
        play_all(g, &s, "g8 a1 i8 c1 h7 e1 h9 g1 h8");
        assert_false(g->result(&s).over);
    }
    g = find("renju");
    start(g, &s, "");
    play_all(g, &s, "a1 g8 c1 i8 e1 h7 g1 h9 o15 h8");
    assert_false(g->result(&s).over);
}

static void every_foul_of_the_map_loses(void **state)
{
    (void)state;
    const game *g = find("renju");
    any_state s, t;
    int fouls = 0;
    for (uint64_t i = 0; i < 60; i++) {
        rng r = rng_at(9, i, 0);
        start(g, &s, "");
        for (;;) {
            const rj_state *v = (const rj_state *)(const void *)&s;
            move_t moves[225];
            int n = g->legal(&s, moves);
            if (n == 0) break;
            if (v->side == RJ_BLACK) {
                uint8_t kind[225];
                rj_foul_kinds(v->stones, v->stones + 4, kind);
                for (int k = 0; k < n; k++) {
                    t = s;
                    g->play(&t, moves[k], NULL);
                    assert_int_equal(g->result(&t).reason == REASON_FORBIDDEN, kind[moves[k]] != RJ_FINE);
                    fouls += kind[moves[k]] != RJ_FINE;
                }
            }
            g->play(&s, moves[rng_below(&r, (uint32_t)n)], NULL);
        }
    }
    assert_true(fouls > 100);
}

static void the_board_fills_up(void **state)
{
    (void)state;
    const game *g = find("gomoku");
    any_state s;
    // Rows of two colours in pairs, shifted every second row: no five anywhere, one point left.
    char text[512], *at = text;
    for (int y = 0; y < 15; y++) {
        if (y > 0) *at++ = '/';
        for (int x = 0; x < 15; x++) *at++ = x == 14 && y == 14 ? '.' : (x / 2 + y) % 2 ? 'O' : 'X';
    }
    snprintf(at, 8, " b");
    assert_ok(g->state_parse(text, &s));
    assert_false(g->result(&s).over);
    play_all(g, &s, "o1");
    expect(g, &s, REASON_FULL, 0.5f);
}

static void the_cap_draws(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const game *g = find(names[i]);
        any_state s, t;
        start(g, &s, "cap=4");
        play_all(g, &s, "a1 c2 e3");
        assert_false(g->result(&s).over);
        play_all(g, &s, "g4");
        expect(g, &s, REASON_PLIES, 0.5f);
        start(g, &t, "");
        play_all(g, &t, "a1 c2 e3");
        start(g, &s, "cap=9");
        play_all(g, &s, "a1 c2 e3");
        assert_true(g->hash(&s) != g->hash(&t)); // other futures
        assert_err(g->init(&s, "cap=-1", (game_key){0, 0}), "cap=-1");
        assert_err(g->init(&s, "cap=401", (game_key){0, 0}), "cap=401");
        assert_err(g->init(&s, "cap=x", (game_key){0, 0}), "cap=x");
        assert_err(g->init(&s, "komi=6", (game_key){0, 0}), "no option 'komi'");
    }
}

static void texts(void **state)
{
    (void)state;
    const game *g = find("renju");
    any_state s, t;
    char text[GAME_TEXT];
    start(g, &s, "");
    g->state_print(&s, text, sizeof text);
    assert_string_equal(text, "15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 b -");
    play_all(g, &s, "h8 i9");
    g->state_print(&s, text, sizeof text);
    assert_string_equal(text, "15/15/15/15/15/15/8O6/7X7/15/15/15/15/15/15/15 b i9");
    memset(&t, 0, sizeof t);
    assert_ok(g->state_parse("h8 i9", &t)); // a list of moves is a position, too
    assert_memory_equal(&s, &t, g->state_size);
    assert_ok(g->state_parse("H8I9", &t));
    assert_memory_equal(&s, &t, g->state_size);

    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "no text"},
        {"h8 h8", "taken"},
        {"h8 z9", "expected rows"},
        {"15/15", "row 3 of 15"},
        {"16/15", "longer than 15"},
        {"15/15/15/15/15/15/15/15/15/15/15/15/15/15/7Y7 b -", "expected X, O or a number in row 15"},
        {"15/15/15/15/15/15/15/15/15/15/15/15/15/15/15/ b -", "expected a blank"},
        {"15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 r -", "side to move"},
        {"15/15/15/15/15/15/15/15/15/15/15/15/15/15/3X3X7", "side to move"},
        {"15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 b h8", "no white stone"},
        {"15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 b - cap=999", "cap="},
        {"15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 b - cap=226", "expected cap= and a number of stones, 0 to 225"},
        {"15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 b - cap=", "expected cap= and a number of stones, 0 to 225"},
        {"15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 b - komi", "end of the position"},
        {"15/15/15/15/15/15/15/15/15/15/15/15/15/15/5XXXXX5 b -", "already has five"},
        {"15/15/15/15/15/15/15/15/15/15/15/15/15/15/5XXXXX5 w -", "already has five"},
        {"15/15/15/15/15/15/15/15/15/15/15/15/15/X14/5OOOOO5 w a2", "white already has five"},
        {"h8 a1 g8 c1 i8 e1 j8 g1 k8 a2", "over before this move"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memset(&t, 0x5a, sizeof t);
        s = t;
        assert_err(g->state_parse(bad[i].text, &t), bad[i].says);
        assert_memory_equal(&s, &t, sizeof s);
    }
    assert_ok(
        g->state_parse("15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 b - cap=225", &s)); // as many as there are points
    assert_ok(g->state_parse("15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 b - cap=9", &s));
    g->state_print(&s, text, sizeof text);
    assert_string_equal(text, "15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 b - cap=9");
    // Problems are set up: any stones, either side to move, no last move.
    assert_ok(g->state_parse("15/15/15/15/15/15/15/6XXXX5/15/15/15/15/15/15/15 w -", &s));
    assert_int_equal(g->seat(&s), 1);
    assert_ok(g->state_parse("15/15/15/15/15/15/15/5XXXXX5/15/15/15/15/15/15/15 w f8", &s));
    expect(g, &s, REASON_LINE, 1);
    assert_ok(g->state_parse("15/15/15/15/15/15/15/4XXXXXX5/15/15/15/15/15/15/15 w f8", &s));
    expect(g, &s, REASON_FORBIDDEN, 0);

    move_t m;
    start(g, &s, "");
    play_all(g, &s, "h8");
    assert_err(g->move_parse(&s, "h8", &m), "taken");
    assert_err(g->move_parse(&s, "p1", &m), "a1 to o15");
    assert_err(g->move_parse(&s, "h16", &m), "a1 to o15");
    assert_err(g->move_parse(&s, "h99", &m), "a1 to o15");
    assert_err(g->move_parse(&s, "h8 ", &m), "end of the move");
}

static void drawing(void **state)
{
    (void)state;
    const game *g = find("renju");
    any_state s;
    char text[GAME_TEXT];
    assert_ok(g->state_parse("15/15/15/15/15/15/7X7/6X1X6/7X7/15/15/15/15/15/O13O b a1", &s));
    g->draw(&s, MOVE_NONE, false, text, sizeof text);
    assert_non_null(strstr(text, " 8 . . . . . . X × X . . . . . .\n"));
    assert_non_null(strstr(text, " 1(O). . . . . . . . . . . . . O\n"));
    assert_non_null(strstr(text, "   a b c d e f g h i j k l m n o\n"));
    assert_ok(g->state_parse("15/15/15/15/15/15/7X7/6X1X6/7X7/15/15/15/15/15/O13O w -", &s));
    g->draw(&s, MOVE_NONE, false, text, sizeof text);
    assert_null(strstr(text, "×")); // only black is forbidden anything
    g = find("freestyle20");        // the longest drawing there is
    char rows[1024], *at = rows;
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 20; x++) {
            if (x == 0 && y > 0) *at++ = '/';
            *at++ = "XO.O.X"[(x + 2 * y) % 6];
        }
    snprintf(at, 8, " b");
    assert_ok(g->state_parse(rows, &s));
    assert_true(g->draw(&s, MOVE_NONE, true, text, sizeof text) < GAME_TEXT);
}

static void perft_by_formula(void **state)
{
    (void)state;
    any_state s;
    for (int i = 0; i < 4; i++) {
        const game *g = find(names[i]);
        uint64_t n = (uint64_t)g->n_moves;
        start(g, &s, "");
        assert_int_equal(game_perft(g, &s, 1), n);
        assert_int_equal(game_perft(g, &s, 2), n * (n - 1));
    }
    const game *g = find("renju");
    start(g, &s, "");
    assert_int_equal(game_perft(g, &s, 3), 225u * 224 * 223);
}

// The planes of one known position, by name.
static void encodings(void **state)
{
    (void)state;
    const game *g = find("renju");
    any_state s;
    uint64_t bits[11][4];
    float black = -1;
    const encoding *e = NULL;
    assert_ok(g->state_parse("15/15/15/15/15/15/7X7/6X1X6/7X7/15/15/15/15/15/OOOO11 w -", &s));
    const void *obs = &s;
    assert_ok(game_encoding(g, "threats", &e));
    assert_int_equal(e->planes, 11);
    memset(bits, 0xff, sizeof bits);
    e->encode(&obs, 1, bits[0], &black);
    assert_true(black == 0);
    assert_int_equal(bits[0][3] >> (210 - 192), 15);   // own stones: a1 to d1
    assert_int_equal(bits[1][1] >> (97 - 64) & 1, 1);  // the other's: h9
    assert_int_equal(bits[2][1] >> (112 - 64) & 1, 1); // h8 is forbidden to black
    assert_int_equal(__builtin_popcountll(bits[2][0] | bits[2][1] | bits[2][2] | bits[2][3]), 1);
    assert_int_equal(bits[3][3], 1ull << (214 - 192));                      // white makes five at e1
    assert_int_equal(bits[7][0] | bits[7][1] | bits[7][2] | bits[7][3], 0); // black has no five
    assert_int_equal(bits[10][1] >> (112 - 64) & 1, 0);                     // and no three on the forbidden point
    assert_true((bits[10][1] >> (111 - 64) & 1) == 0);                      // nor on a stone
    // The cheap encodings are the same planes.
    uint64_t few[3][4];
    assert_ok(game_encoding(g, "stones", &e));
    e->encode(&obs, 1, few[0], &black);
    assert_memory_equal(few, bits, sizeof few);
    assert_ok(game_encoding(g, "plain", &e));
    e->encode(&obs, 1, few[0], &black);
    assert_memory_equal(few, bits, 2 * sizeof *few);
    assert_ok(game_encoding(find("gomoku"), NULL, &e));
    assert_int_equal(e->planes, 2);
    assert_int_equal(e->scalars, 0);
}

// Plane of a class among a side's four, -1 = none.
static int plane_of(rj_class class)
{
    if (class == RJ_FIVE) return 0;
    if (class == RJ_WINNING || class == RJ_FOUR_THREE) return 1;
    if (class == RJ_FOUR || class == RJ_FOUR_PLUS) return 2;
    return class == RJ_THREE || class == RJ_THREE_PLUS || class == RJ_THREE_THREE ? 3 : -1;
}

// Threat planes look only at points near two stones; the engine's board classes every point of the same positions.
static void check_threats(const game *g, const any_state *s, int planes, const encoding *e)
{
    uint64_t bits[16 * RJ_MAX_WORDS];
    float black = 0;
    const void *obs = s;
    rj_board *b = malloc(sizeof *b);
    size_t words = (size_t)game_plane_words(g);
    e->encode(&obs, 1, bits, &black);
    rj_board_load(b, (const rj_state *)(const void *)s);
    for (int p = 0; p < g->n_moves; p++)
        for (int side = 0; side < 2; side++) {
            int colour = side ^ b->side, seen = -1;
            for (int k = 0; k < 4; k++)
                if (bits[(size_t)(planes + 4 * side + k) * words + (size_t)p / 64] >> p % 64 & 1) {
                    assert_int_equal(seen, -1); // on one plane at most
                    seen = k;
                }
            rj_class class = rj_class_at(b, colour, p);
            if (class == RJ_DOUBTFUL)
                assert_int_equal(seen == -1, rj_foul_at(b, p) != RJ_FINE);
            else
                assert_int_equal(seen, plane_of(class));
        }
    free(b);
}

static void threats_are_what_the_board_says(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const game *g = find(names[i]);
        const encoding *e;
        int middle = g->cols / 2, planes = i == 0 ? 3 : 2;
        assert_ok(game_encoding(g, "threats", &e));
        for (uint64_t k = 0; k < 40; k++) {
            rng r = rng_at(24, k, 0);
            any_state s;
            move_t legal[512];
            start(g, &s, "");
            for (int n; (n = g->legal(&s, legal)) > 0;) {
                move_t best = legal[rng_below(&r, (uint32_t)n)];
                for (uint64_t t = 0; t < k % 8; t++) { // crowded in the middle, or all over the board
                    move_t m = legal[rng_below(&r, (uint32_t)n)];
                    if (abs(m % g->cols - middle) + abs(m / g->cols - middle) <
                        abs(best % g->cols - middle) + abs(best / g->cols - middle))
                        best = m;
                }
                g->play(&s, best, NULL);
                if (!g->result(&s).over) check_threats(g, &s, planes, e);
            }
        }
    }
}

static void symmetries_move_planes_like_points(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const game *g = find(names[i]);
        const encoding e = {.name = "one", .planes = 1};
        for (int sym = 0; sym < 8; sym++)
            for (int p = 0; p < g->n_moves; p++) {
                uint64_t in[7] = {0}, out[7], want[7] = {0};
                int q = g->sym_move(sym, (move_t)p);
                in[p / 64] = 1ull << p % 64;
                want[q / 64] = 1ull << q % 64;
                g->sym_planes(sym, &e, in, out);
                assert_memory_equal(out, want, (size_t)game_plane_words(g) * sizeof *out);
            }
    }
}

static void states_load_into_boards(void **state)
{
    (void)state;
    static rj_board b;
    for (int i = 0; i < 4; i++) {
        const game *g = find(names[i]);
        any_state s;
        start(g, &s, "");
        play_all(g, &s, "h8 i9 g7 j10 a1");
        rj_board_load(&b, (const rj_state *)(const void *)&s);
        assert_true(rj_board_ok(&b));
        assert_int_equal(b.hash, g->hash(&s)); // one key for both, while the game goes on
        assert_int_equal(b.placed, 5);
        assert_int_equal(b.side, RJ_WHITE);
        assert_int_equal(b.points, g->n_moves);
    }
}

// Each of the 26 lines has the name that stands before it, however the board is turned; other beginnings have none.
static void openings_have_names(void **state)
{
    (void)state;
    const game *g = find("renju");
    any_state s;
    char line[64], name[32], moves[32];
    int lines = 0;
    opening_name found;
    start(g, &s, "");
    for (const char *p = g->openings->named; sscanf(p, "%63[^\n]", line) == 1; p += strlen(line) + 1, lines++) {
        assert_int_equal(sscanf(line, "%*s %31[^:]: %31s", name, moves), 2);
        move_t m[3];
        char *word = strtok(moves, ";");
        for (int i = 0; i < 3; i++, word = strtok(NULL, ";")) m[i] = move_of(g, &s, word);
        for (int sym = 0; sym < g->n_syms; sym++) {
            move_t turned[3];
            for (int i = 0; i < 3; i++) turned[i] = g->sym_move(sym, m[i]);
            assert_true(g->openings->name(turned, 3, &found));
            assert_string_equal(found.en, name);
            assert_int_equal(strlen(found.ja), 6); // two signs
        }
        assert_false(g->openings->name(m, 2, &found));
    }
    assert_int_equal(lines, 26);
    const move_t far[3] = {move_of(g, &s, "h8"), move_of(g, &s, "h9"), move_of(g, &s, "a1")},
                 corner[3] = {move_of(g, &s, "a1"), move_of(g, &s, "a2"), move_of(g, &s, "a3")};
    assert_false(g->openings->name(far, 3, &found));
    assert_false(g->openings->name(corner, 3, &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openings_have_names),
        cmocka_unit_test(standard_is_gomoku),
        cmocka_unit_test(rows_win_as_the_rule_says),
        cmocka_unit_test(fouls_lose_and_five_overrides),
        cmocka_unit_test(every_foul_of_the_map_loses),
        cmocka_unit_test(the_board_fills_up),
        cmocka_unit_test(the_cap_draws),
        cmocka_unit_test(texts),
        cmocka_unit_test(drawing),
        cmocka_unit_test(perft_by_formula),
        cmocka_unit_test(encodings),
        cmocka_unit_test(threats_are_what_the_board_says),
        cmocka_unit_test(symmetries_move_planes_like_points),
        cmocka_unit_test(states_load_into_boards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
