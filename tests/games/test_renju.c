// The core of renju: fouls against reference data and against a slow checker written from the rule's words; the
// incremental board against itself computed afresh.
#include "base/rng.h"
#include "games/renju/renju.h"
#include "test.h"

// --- the rule, word by word, on a plain array: slow, and independent of the tables

enum { N = 15 };

static int naive[N][N]; // [y][x]: 0 empty, 1 black, 2 white

static const int dirs[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};

static int at(int x, int y)
{
    return x < 0 || y < 0 || x >= N || y >= N ? 3 : naive[y][x];
}

// Black stones in a row through (x, y), which is black; *left and *right are the steps to its two ends.
static int row(int x, int y, int d, int *left, int *right)
{
    int dx = dirs[d][0], dy = dirs[d][1], l = 0, r = 0;
    while (at(x - (l + 1) * dx, y - (l + 1) * dy) == 1) l++;
    while (at(x + (r + 1) * dx, y + (r + 1) * dy) == 1) r++;
    *left = l;
    *right = r;
    return l + r + 1;
}

static bool makes_five(int x, int y, int d) // exactly five through the black stone on (x, y)
{
    int l, r;
    return row(x, y, d, &l, &r) == 5;
}

// Would a stone k steps from the stone on (x, y) make exactly five with it?
static bool five_at(int x, int y, int d, int k)
{
    int qx = x + k * dirs[d][0], qy = y + k * dirs[d][1], l, r;
    if (at(qx, qy) != 0) return false;
    naive[qy][qx] = 1;
    bool five = row(x, y, d, &l, &r) == 5 && -l <= k && k <= r;
    naive[qy][qx] = 0;
    return five;
}

static bool is_straight_four(int x, int y, int d)
{
    int l, r;
    return row(x, y, d, &l, &r) == 4 && five_at(x, y, d, -l - 1) && five_at(x, y, d, r + 1);
}

static int fours(int x, int y, int d)
{
    int n = 0;
    if (is_straight_four(x, y, d)) return 1;
    for (int k = -4; k <= 4; k++) n += k != 0 && five_at(x, y, d, k);
    return n;
}

static rj_foul naive_foul(int x, int y);

// The row of the stone on (x, y) becomes a straight four with one more stone that makes no five and is no foul.
static bool is_three(int x, int y, int d)
{
    for (int k = -3; k <= 3; k++) {
        int qx = x + k * dirs[d][0], qy = y + k * dirs[d][1], l, r;
        if (k == 0 || at(qx, qy) != 0) continue;
        naive[qy][qx] = 1;
        bool good = is_straight_four(x, y, d);
        row(x, y, d, &l, &r);
        good = good && -l <= k && k <= r; // the new stone is part of it
        for (int e = 0; e < 4; e++) good = good && !makes_five(qx, qy, e);
        naive[qy][qx] = 0;
        if (good && naive_foul(qx, qy) == RJ_FINE) return true;
    }
    return false;
}

static rj_foul naive_foul(int x, int y)
{
    int n_fours = 0, n_threes = 0;
    bool five = false, overline = false;
    naive[y][x] = 1;
    for (int d = 0; d < 4; d++) {
        int l, r, n = row(x, y, d, &l, &r);
        five = five || n == 5;
        overline = overline || n > 5;
    }
    for (int d = 0; d < 4 && !five && !overline; d++) n_fours += fours(x, y, d);
    for (int d = 0; d < 4 && !five && !overline && n_fours < 2; d++) n_threes += is_three(x, y, d);
    naive[y][x] = 0;
    if (five) return RJ_FINE;
    return overline ? RJ_OVERLINE : n_fours > 1 ? RJ_DOUBLE_FOUR : n_threes > 1 ? RJ_DOUBLE_THREE : RJ_FINE;
}

// --- helpers

static int point(const char *text)
{
    int p = -1;
    if (rj_point_read(N, text, &p) != (int)strlen(text)) fail_msg("not a point: %s", text);
    return p;
}

static void set_stones(const char *list, uint64_t bits[4])
{
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", list);
    memset(bits, 0, 4 * sizeof *bits);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        int p = point(word);
        bits[p / 64] |= 1ull << p % 64;
    }
}

static rj_foul foul_of(const char *black, const char *white, const char *where)
{
    uint64_t b[4], w[4];
    uint8_t kind[225];
    set_stones(black, b);
    set_stones(white, w);
    rj_foul_kinds(b, w, kind);
    return kind[point(where)];
}

// A cluster of stones, `shade` in 256 of the points near the middle, half of them or more black.
static void random_stones(rng *r, uint64_t black[4], uint64_t white[4])
{
    memset(black, 0, 32);
    memset(white, 0, 32);
    memset(naive, 0, sizeof naive);
    int width = 7 + (int)rng_below(r, 9), x0 = (int)rng_below(r, (uint32_t)(16 - width));
    int y0 = (int)rng_below(r, (uint32_t)(16 - width));
    uint32_t shade = 40 + rng_below(r, 140), blacks = 128 + rng_below(r, 100);
    for (int y = y0; y < y0 + width; y++)
        for (int x = x0; x < x0 + width; x++) {
            if (rng_below(r, 256) >= shade) continue;
            bool is_black = rng_below(r, 256) < blacks;
            int p = y * N + x;
            (is_black ? black : white)[p / 64] |= 1ull << p % 64;
            naive[y][x] = is_black ? 1 : 2;
        }
}

// --- tests: fouls

static void report(void *ctx, const char *line)
{
    printf("%s\n", line);
    ++*(int *)ctx;
}

static void keep(void *ctx, const char *line)
{
    snprintf(ctx, 200, "%s", line);
}

static void reference_rows_are_exact(void **state)
{
    (void)state;
    FILE *f = open_data_or_skip("renju/forbidden.txt");
    static char text[1 << 16];
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    int exact = 0, total = 0, reported = 0;
    assert_ok(rj_verify_forbidden(text, report, &reported, &exact, &total));
    assert_int_equal(total, 102);
    assert_int_equal(exact, 102);
    assert_int_equal(reported, 0);

    // The slow checker is judged by the same rows: swap it in by asking it about every empty point.
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (line[0] == '#') continue;
        memset(naive, 0, sizeof naive);
        uint64_t bits[2][4] = {{0}};
        uint8_t kind[225];
        const char *field = line;
        for (int i = 0; i < 2; i++) field = strchr(field, '|') + 1;
        for (int colour = 0; colour < 2; colour++, field++) {
            for (; *field != '|'; field++) {
                int p, used = rj_point_read(N, field, &p);
                if (used == 0) continue;
                field += used - 1;
                naive[p / N][p % N] = colour + 1;
                bits[colour][p / 64] |= 1ull << p % 64;
            }
        }
        rj_foul_kinds(bits[0], bits[1], kind);
        for (int p = 0; p < 225; p++)
            if (naive[p / N][p % N] == 0) assert_int_equal(kind[p], naive_foul(p % N, p / N));
    }
}

static void verify_names_what_is_wrong(void **state)
{
    (void)state;
    int exact = 0, total = 0, reported = 0;
    const char *text =
        "# a comment\n\n1 | by hand | G8 I8 H7 H9 | - | H8:33\n2 | by hand | G8 I8 H7 H9 | - | H8:44 A1:6\n";
    assert_ok(rj_verify_forbidden(text, report, &reported, &exact, &total));
    assert_int_equal(exact, 1);
    assert_int_equal(total, 2);
    assert_int_equal(reported, 1);
    // Blanks and tabs around a field do not count: the report names the row in the same way.
    char said[2][200];
    assert_ok(rj_verify_forbidden("17|by hand|G8 I8 H7 H9|-|-", keep, said[0], &exact, &total));
    assert_ok(rj_verify_forbidden(" 17 \t |\tby hand\t |G8 I8 H7 H9|-|-", keep, said[1], &exact, &total));
    assert_non_null(strstr(said[0], "17"));
    assert_string_equal(said[0], said[1]);
    // Points end at a blank, a tab, the end of a line of either kind, or at the bar.
    static const char *const rows[] = {"1|x|G8\tI8\tH7 H9|-|H8:33",
                                       "1|x|G8 I8 H7 H9|A1|H8:33\r\n",
                                       "1|x|G8 I8 H7 H9|A1\tA3|H8:33\t\n",
                                       "1|x|G8 I8 H7 H9 |A1 |H8:33 \n",
                                       "1|x|H8|A1|-\r\n",
                                       "1|x|G8\r I8 H7 H9|-|H8:33"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_ok(rj_verify_forbidden(rows[i], report, &reported, &exact, &total));
        assert_int_equal(exact, 1);
        assert_int_equal(total, 1);
    }
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"1|x|G8|-|H8:33|", "expected a blank between points"},
        {"1|x|G8,I8|-|-", "expected a blank between points"},
        {"1 | x | H8", "line 1, column 11: expected |"},
        {"# c\n1 | x | H8 | Z9 | -", "line 2, column 14: expected a point"},
        {"1 | x | H8 | H8 | -", "column 14: a second stone"},
        {"1 | x | H8 | - | H8:33", "a stone stands"},
        {"1 | x | H8 | - | H9", "expected : and a kind"},
        {"1 | x | H8 | - | H9:34", "expected the kind"},
        {"1 | x | H8 | - | H9:333", "expected a blank"},
        {"1 | x | H8 | - | H9:33 H9:33", "named twice"},
        {"1 | x | H8 | - |", "or - for none"},
        {"1 | x | | - | -", "expected stones"},
        {"1 | x | H8I9 | - | -", "expected a blank"},
        {"1", "expected |"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_err(rj_verify_forbidden(bad[i].text, NULL, NULL, &exact, &total), bad[i].says);
}

// Shapes every renju player knows.
static void textbook_fouls(void **state)
{
    (void)state;
    assert_int_equal(foul_of("g8 i8 h7 h9", "", "h8"), RJ_DOUBLE_THREE);
    assert_int_equal(foul_of("g8 i8 h7 h9", "e8 k8", "h8"), RJ_FINE); // one row can only become a closed four
    assert_int_equal(foul_of("g8 i8 h7 h9", "e8", "h8"), RJ_DOUBLE_THREE);
    assert_int_equal(foul_of("e8 f8 g8 h5 h6 h7", "", "h8"), RJ_DOUBLE_FOUR);
    assert_int_equal(foul_of("e8 f8 g8 h5 h6", "d8", "h8"), RJ_FINE);   // four and three: the way to win
    assert_int_equal(foul_of("e8 g8 i8 k8", "", "h8"), RJ_DOUBLE_FOUR); // two fours in one line
    assert_int_equal(foul_of("d8 e8 f8 j8 k8 l8", "", "h8"), RJ_DOUBLE_FOUR);
    assert_int_equal(foul_of("e8 f8 i8 k8 l8", "", "h8"), RJ_DOUBLE_FOUR);
    assert_int_equal(foul_of("e8 f8 g8 i8 j8", "", "h8"), RJ_OVERLINE);
    assert_int_equal(foul_of("e8 f8 g8 i8 j8 k8 h4 h5 h6 h7", "", "h8"), RJ_FINE); // five overrides the overline
    assert_int_equal(foul_of("d8 e8 f8 g8 h9 i10 g6 i6", "", "h8"), RJ_FINE);      // … and the double three
    assert_int_equal(foul_of("f8 g8 i8", "", "h8"), RJ_FINE);                      // a straight four alone
    assert_int_equal(foul_of("e8 f8 g8", "d8 i8", "h8"), RJ_FINE);                 // no room for five
    // A row between two edges of the board that can only become six is no four.
    assert_int_equal(foul_of("a1 b1 c1 e1 f1 d2 d3 d4", "", "d1"), RJ_OVERLINE);
    // The diagonal three can become a straight four only at points where black may not play.
    assert_int_equal(foul_of("f9 g9 h7 h8 i6 j6 k6", "f10 g7 g8 h11 i7 i8 l6", "h9"), RJ_FINE);
}

static void the_slow_checker_agrees(void **state)
{
    (void)state;
    uint64_t black[4], white[4], map[4];
    uint8_t kind[225];
    int fouls = 0, positions = soak_or(5000, 15000);
    for (int i = 0; i < positions; i++) {
        rng r = rng_at(15, (uint64_t)i, 0);
        random_stones(&r, black, white);
        int n = rj_foul_kinds(black, white, kind), seen = 0;
        assert_int_equal(rj_foul_map(black, white, map), n);
        for (int p = 0; p < 225; p++) {
            assert_int_equal(map[p / 64] >> p % 64 & 1, kind[p] != RJ_FINE);
            seen += kind[p] != RJ_FINE;
            if (naive[p / N][p % N] != 0) {
                assert_int_equal(kind[p], RJ_FINE);
                continue;
            }
            rj_foul slow = naive_foul(p % N, p / N);
            if (slow != kind[p]) fail_msg("position %d, point %d: %d, slowly %d", i, p, kind[p], slow);
            black[p / 64] ^= 1ull << p % 64;
            assert_int_equal(rj_foul_played(black, white, p), slow);
            black[p / 64] ^= 1ull << p % 64;
        }
        assert_int_equal(seen, n);
        fouls += n;
    }
    assert_true(fouls > positions); // the positions have something to decide
}

// --- tests: the incremental board

static void same_position(const rj_board *a, const rj_board *b)
{
    assert_memory_equal(a, b, offsetof(rj_board, frames));
}

// Everything but the history is a function of the position, whatever the way there.
static void play_and_undo_restore_everything(void **state)
{
    (void)state;
    static const int sizes[] = {15, 20, 5, 9};
    static rj_board b, before, again;
    rj_values *values = malloc(sizeof *values);
    rng r = rng_at(3, 0, 0);
    for (size_t i = 0; i < 65536; i++)
        for (int c = 0; c < 2; c++) values->value[c][i] = (int16_t)(rng_below(&r, 4001) - 2000);
    for (uint64_t game = 0; game < 60; game++) {
        r = rng_at(4, game, 0);
        int size = sizes[game % 4], rule = (int)(game / 4 % 3);
        rj_board_init(&b, (rj_rule)rule, size);
        if (game % 2) rj_board_values(&b, values);
        assert_true(rj_board_ok(&b));
        for (int step = 0; step < 150; step++) {
            uint32_t dice = rng_below(&r, 10);
            int p = (int)rng_below(&r, (uint32_t)b.points);
            if (dice < 2 && b.n_frames > 0) {
                rj_undo(&b);
            } else if (dice < 3 && b.n_frames < 300) {
                rj_pass(&b);
            } else if (b.stone[p] == RJ_EMPTY) {
                memcpy(&before, &b, sizeof b);
                if (dice < 5)
                    rj_put(&b, p, dice == 3);
                else
                    rj_play(&b, p);
                assert_true(rj_board_ok(&b));
                memcpy(&again, &b, sizeof b);
                rj_undo(&again);
                same_position(&again, &before);
            }
        }
        rj_board_init(&again, (rj_rule)rule, size);
        if (game % 2) rj_board_values(&again, values);
        rj_board_set(&again, b.stones[0], b.stones[1], b.side);
        assert_true(rj_board_ok(&again));
        again.n_frames = b.n_frames; // the only differences: the history's lengths
        again.n_changes = b.n_changes;
        same_position(&again, &b);
        while (b.n_frames > 0) rj_undo(&b);
        rj_board_init(&again, (rj_rule)rule, size);
        if (game % 2) rj_board_values(&again, values);
        same_position(&b, &again);
    }
    free(values);
}

static void board_and_map_agree_on_fouls(void **state)
{
    (void)state;
    static rj_board b, before;
    uint64_t black[4], white[4];
    uint8_t kind[225];
    for (uint64_t i = 0; i < 500; i++) {
        rng r = rng_at(16, i, 0);
        random_stones(&r, black, white);
        rj_foul_kinds(black, white, kind);
        rj_board_init(&b, RJ_RENJU, 15);
        rj_board_set(&b, black, white, RJ_BLACK);
        memcpy(&before, &b, sizeof b);
        for (int p = 0; p < 225; p++)
            if (b.stone[p] == RJ_EMPTY) assert_int_equal(rj_foul_at(&b, p), kind[p]);
        same_position(&b, &before);
    }
}

static rj_pattern pattern_of(rj_rule rule, const char *black, const char *white, const char *where, int colour, int dir)
{
    static rj_board b;
    uint64_t bits[2][4];
    set_stones(black, bits[0]);
    set_stones(white, bits[1]);
    rj_board_init(&b, rule, 15);
    rj_board_set(&b, bits[0], bits[1], RJ_BLACK);
    return rj_pattern_at(&b, colour, dir, point(where));
}

static void patterns_are_named_right(void **state)
{
    (void)state;
    static const struct {
        rj_rule rule;
        const char *black, *white, *where;
        rj_pattern pattern;
    } rows[] = {
        {RJ_RENJU, "d8 e8 f8 g8", "", "h8", RJ_P_FIVE},
        {RJ_RENJU, "d8 e8 f8 g8 i8", "", "h8", RJ_P_OVERLINE},
        {RJ_STANDARD, "d8 e8 f8 g8 i8", "", "h8", RJ_P_OVERLINE},
        {RJ_FREE, "d8 e8 f8 g8 i8", "", "h8", RJ_P_FIVE},
        {RJ_RENJU, "e8 f8 g8", "", "h8", RJ_P_STRAIGHT},
        {RJ_RENJU, "e8 f8 g8 j8", "", "h8", RJ_P_FOUR}, // i8 makes six
        {RJ_FREE, "e8 f8 g8 j8", "", "h8", RJ_P_STRAIGHT},
        {RJ_RENJU, "e8 f8 g8", "d8", "h8", RJ_P_FOUR},
        {RJ_RENJU, "e8 f8 g8", "d8 i8", "h8", RJ_P_DEAD},
        {RJ_RENJU, "e8 g8 i8 k8", "", "h8", RJ_P_FOUR_FOUR},
        {RJ_FREE, "e8 g8 i8 k8", "", "h8", RJ_P_FOUR_FOUR},
        {RJ_RENJU, "f8 g8", "", "h8", RJ_P_THREE_2},
        {RJ_RENJU, "f8 g8", "d8", "h8", RJ_P_THREE},
        {RJ_RENJU, "e8 g8", "", "h8", RJ_P_THREE},
        {RJ_RENJU, "f8 g8", "d8 j8", "h8", RJ_P_CLOSED}, // e to i: room for one five only
        {RJ_RENJU, "f8 g8", "e8", "h8", RJ_P_CLOSED},
        {RJ_RENJU, "f8 g8", "e8 j8", "h8", RJ_P_DEAD},
        {RJ_RENJU, "g8", "", "h8", RJ_P_OPEN_TWO_3},
        {RJ_RENJU, "e8", "", "h8", RJ_P_OPEN_TWO_2},
        {RJ_RENJU, "g8", "f8", "h8", RJ_P_TWO},
        {RJ_RENJU, "", "", "h8", RJ_P_OPEN_ONE},
        {RJ_RENJU, "", "f8", "h8", RJ_P_OPEN_ONE},
        {RJ_RENJU, "", "g8", "h8", RJ_P_ONE},
        {RJ_RENJU, "", "f8 k8", "h8", RJ_P_DEAD},
        {RJ_RENJU, "b8 c8", "", "a8", RJ_P_CLOSED}, // at the edge no straight four has two ends
        {RJ_RENJU, "a8 b8 c8 d8", "", "e8", RJ_P_FIVE},
        {RJ_RENJU, "b8 c8 d8", "", "e8", RJ_P_STRAIGHT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rj_pattern got = pattern_of(rows[i].rule, rows[i].black, rows[i].white, rows[i].where, RJ_BLACK, RJ_EAST);
        if (got != rows[i].pattern) fail_msg("row %d: pattern %d, expected %d", (int)i, got, rows[i].pattern);
    }
    // White in renju wins with six, so white's rows are read like freestyle's.
    assert_int_equal(pattern_of(RJ_RENJU, "", "d8 e8 f8 g8 i8", "h8", RJ_WHITE, RJ_EAST), RJ_P_FIVE);
    assert_int_equal(pattern_of(RJ_STANDARD, "", "d8 e8 f8 g8 i8", "h8", RJ_WHITE, RJ_EAST), RJ_P_OVERLINE);
    // Every direction reads its own line.
    assert_int_equal(pattern_of(RJ_RENJU, "h4 h5 h6 h7", "", "h8", RJ_BLACK, RJ_SOUTH), RJ_P_FIVE);
    assert_int_equal(pattern_of(RJ_RENJU, "d12 e11 f10 g9", "", "h8", RJ_BLACK, RJ_SOUTHEAST), RJ_P_FIVE);
    assert_int_equal(pattern_of(RJ_RENJU, "d4 e5 f6 g7", "", "h8", RJ_BLACK, RJ_NORTHEAST), RJ_P_FIVE);
}

static rj_class class_of(rj_rule rule, const char *black, const char *white, const char *where, int colour)
{
    static rj_board b;
    uint64_t bits[2][4];
    set_stones(black, bits[0]);
    set_stones(white, bits[1]);
    rj_board_init(&b, rule, 15);
    rj_board_set(&b, bits[0], bits[1], RJ_BLACK);
    return rj_class_at(&b, colour, point(where));
}

static void classes_are_named_right(void **state)
{
    (void)state;
    assert_int_equal(class_of(RJ_RENJU, "g8 i8 h7 h9", "", "h8", RJ_BLACK), RJ_DOUBTFUL);
    assert_int_equal(class_of(RJ_FREE, "g8 i8 h7 h9", "", "h8", RJ_BLACK), RJ_THREE_THREE);
    assert_int_equal(class_of(RJ_RENJU, "", "g8 i8 h7 h9", "h8", RJ_WHITE), RJ_THREE_THREE);
    assert_int_equal(class_of(RJ_RENJU, "e8 f8 g8 h5 h6 h7", "", "h8", RJ_BLACK), RJ_FORBIDDEN);
    assert_int_equal(class_of(RJ_STANDARD, "e8 f8 g8 h5 h6 h7", "", "h8", RJ_BLACK), RJ_WINNING);
    assert_int_equal(class_of(RJ_RENJU, "e8 f8 g8", "", "h8", RJ_BLACK), RJ_WINNING);
    assert_int_equal(class_of(RJ_RENJU, "e8 f8 g8 h5 h6", "d8", "h8", RJ_BLACK), RJ_FOUR_THREE);
    assert_int_equal(class_of(RJ_RENJU, "e8 f8 g8 h7", "d8", "h8", RJ_BLACK), RJ_FOUR_PLUS);
    assert_int_equal(class_of(RJ_RENJU, "e8 f8 g8", "d8", "h8", RJ_BLACK), RJ_FOUR);
    assert_int_equal(class_of(RJ_RENJU, "f8 g8", "", "h8", RJ_BLACK), RJ_THREE);
    assert_int_equal(class_of(RJ_RENJU, "f8 g8 h7", "", "h8", RJ_BLACK), RJ_THREE_PLUS);
    assert_int_equal(class_of(RJ_RENJU, "f8 g8", "e8", "h8", RJ_BLACK), RJ_CLOSED);
    assert_int_equal(class_of(RJ_RENJU, "f8 g8 h7", "e8", "h8", RJ_BLACK), RJ_CLOSED_PLUS);
    assert_int_equal(class_of(RJ_RENJU, "g8", "", "h8", RJ_BLACK), RJ_TWO);
    assert_int_equal(class_of(RJ_RENJU, "g8 h7", "", "h8", RJ_BLACK), RJ_TWO_TWO);
    assert_int_equal(class_of(RJ_RENJU, "", "", "h8", RJ_BLACK), RJ_NONE);
    assert_int_equal(class_of(RJ_RENJU, "d8 e8 f8 g8", "", "h8", RJ_BLACK), RJ_FIVE);
}

static void lists_agree_with_classes(void **state)
{
    (void)state;
    static rj_board b;
    for (uint64_t game = 0; game < 50; game++) {
        rng r = rng_at(6, game, 0);
        int size = game % 2 ? 20 : 15;
        rj_board_init(&b, (rj_rule)(game % 3), size);
        for (int i = 0; i < 90; i++) {
            int p = (int)rng_below(&r, (uint32_t)b.points);
            if (b.stone[p] == RJ_EMPTY) rj_play(&b, p);
        }
        for (int c = 0; c < 2; c++)
            for (int low = 0; low < RJ_CLASSES; low++)
                for (int high = low; high < RJ_CLASSES; high++) {
                    uint16_t list[RJ_MAX_POINTS];
                    int n = rj_points(&b, c, (rj_class)low, (rj_class)high, list), k = 0, counted = 0;
                    for (int p = 0; p < b.points; p++) {
                        int class = (int)rj_class_at(&b, c, p);
                        if (b.stone[p] == RJ_EMPTY && class >= low && class <= high) assert_int_equal(list[k++], p);
                    }
                    assert_int_equal(n, k);
                    for (int class = low; class <= high; class ++) counted += b.count[c][class];
                    assert_int_equal(n, counted);
                }
        for (int distance = 1; distance <= 3; distance++) {
            uint64_t near[RJ_MAX_WORDS];
            rj_near(&b, distance, near);
            for (int p = 0; p < b.points; p++) {
                bool found = false;
                for (int q = 0; q < b.points; q++) {
                    int dx = abs(p % size - q % size), dy = abs(p / size - q / size);
                    found = found || (b.stone[q] != RJ_EMPTY && dx <= distance && dy <= distance);
                }
                assert_int_equal(near[p / 64] >> p % 64 & 1, found && b.stone[p] == RJ_EMPTY);
            }
        }
    }
}

static void points_read_and_print(void **state)
{
    (void)state;
    char text[8];
    int p = -1;
    for (int i = 0; i < 400; i++) {
        int len = rj_point_print(20, i, text, sizeof text);
        assert_int_equal(rj_point_read(20, text, &p), len);
        assert_int_equal(p, i);
    }
    assert_int_equal(point("a15"), 0);
    assert_int_equal(point("O1"), 224);
    assert_int_equal(point("h8"), 112);
    static const char *const bad[] = {"", "a", "8", "a0", "a16", "p1", "a00", "`1", "@1", "a-1", "ä1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_int_equal(rj_point_read(15, bad[i], &p), 0);
    assert_int_equal(rj_point_read(15, "a155", &p), 3); // the caller sees that something follows
}

static void speed_loops_are_reproducible(void **state)
{
    (void)state;
    assert_int_equal(rj_speed_play_undo(2000, 1), rj_speed_play_undo(2000, 1));
    assert_int_equal(rj_speed_forbidden(200, 1), rj_speed_forbidden(200, 1));
    assert_true(rj_speed_forbidden(200, 1) != rj_speed_forbidden(200, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_rows_are_exact),
        cmocka_unit_test(verify_names_what_is_wrong),
        cmocka_unit_test(textbook_fouls),
        cmocka_unit_test(the_slow_checker_agrees),
        cmocka_unit_test(play_and_undo_restore_everything),
        cmocka_unit_test(board_and_map_agree_on_fouls),
        cmocka_unit_test(patterns_are_named_right),
        cmocka_unit_test(classes_are_named_right),
        cmocka_unit_test(lists_agree_with_classes),
        cmocka_unit_test(points_read_and_print),
        cmocka_unit_test(speed_loops_are_reproducible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
