// Afterstates as a network sees them: compared with the rules of the game cell by cell.
#include "eval/puyo_after.h"
#include "games/puyo/puyo_encode.h"
#include "games/puyo/puyo_solo.h"
#include "search/puyo/puyo_beam.h"
#include "test.h"

#include <math.h>

static const game *solo(void)
{
    const game *g;
    assert_ok(game_find("puyo-solo", &g));
    return g;
}

// A position of a random game, `turns` placements in.
static void walk(uint64_t number, int turns, py_solo *s)
{
    const game *g = solo();
    move_t moves[PY_MOVES];
    rng r = rng_at(5, number, 0);
    assert_ok(g->init(s, "pairs=uniform", (game_key){5, number}));
    for (int i = 0; i < turns && !g->result(s).over; i++) {
        int n = g->legal(s, moves);
        py_solo before = *s;
        g->play(s, moves[rng_below(&r, (uint32_t)n)], NULL);
        if (g->result(s).over) *s = before;
    }
}

static bool bit(const uint64_t *plane, int row, int col)
{
    int at = (PY_GHOST - row) * PY_COLS + col;
    return plane[at >> 6] >> (at & 63) & 1;
}

static int group_size(const py_field *f, int col, int row, bool seen[PY_COLS][PY_GHOST + 1])
{
    int code = py_get(f, col, row), n = 1;
    static const int step[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    seen[col][row] = true;
    for (int k = 0; k < 4; k++) {
        int c = col + step[k][0], r = row + step[k][1];
        if (c < 0 || c >= PY_COLS || r < 1 || r > PY_ROWS || seen[c][r] || py_get(f, c, r) != code) continue;
        n += group_size(f, c, r, seen);
    }
    return n;
}

static void afterstates_are_the_games(void **state)
{
    (void)state;
    const game *g = solo();
    for (uint64_t k = 0; k < 40; k++) {
        py_solo s;
        after_position p;
        after_state a[PY_MAX_LEGAL];
        move_t moves[PY_MOVES];
        walk(k, (int)k, &s);
        after_position_of(g, &s, 0, &p);
        assert_true(after_position_ok(&p));
        int n = g->legal(&s, moves);
        assert_int_equal(after_states(&p, a), n);
        for (int i = 0; i < n; i++) {
            py_solo next = s;
            step_event ev;
            g->play(&next, moves[i], &ev);
            assert_int_equal(a[i].move, moves[i]);
            assert_memory_equal(&a[i].field, &next.field, sizeof next.field);
            assert_int_equal(a[i].points, ev.points);
            assert_int_equal(a[i].links, ev.chain);
            assert_int_equal(a[i].lost, next.buried);
        }
    }
}

static void planes_show_the_field(void **state)
{
    (void)state;
    const game *g = solo();
    int twos = 0, threes = 0;
    for (uint64_t k = 0; k < 60; k++) {
        py_solo s;
        after_position p;
        after_state a[PY_MAX_LEGAL];
        uint64_t bits[AFTER_WORDS];
        float scalars[AFTER_SCALARS_MAX];
        walk(100 + k, (int)k / 2, &s);
        after_position_of(g, &s, 0, &p);
        int n = after_states(&p, a);
        const py_field *f = &a[(int)k % n].field;
        after_encode(&p, &a[(int)k % n], AFTER_TRIGGER, bits, scalars);
        for (int col = 0; col < PY_COLS; col++)
            for (int row = 1; row <= PY_GHOST; row++) {
                int code = py_get(f, col, row), size = 0;
                bool seen[PY_COLS][PY_GHOST + 1] = {{false}};
                if (code >= PY_RED && row <= PY_ROWS) size = group_size(f, col, row, seen);
                for (int c = PY_RED; c <= PY_BLUE; c++)
                    assert_int_equal(bit(bits + 2 * (c - PY_RED), row, col), code == c);
                assert_int_equal(bit(bits + 8, row, col), code == PY_NUISANCE);
                assert_int_equal(bit(bits + 10, row, col), code == PY_EMPTY);
                assert_int_equal(bit(bits + 12, row, col), size == 2);
                assert_int_equal(bit(bits + 14, row, col), size == 3);
                twos += size == 2;
                threes += size == 3;
            }
        for (int i = 0; i < after_scalars(AFTER_TRIGGER); i++) assert_true(isfinite(scalars[i]));
    }
    assert_true(twos > 50 && threes > 20); // the test saw both
}

// Renamed colours and back give the same position, and what is fired does not depend on names.
static void colours_are_names(void **state)
{
    (void)state;
    const uint8_t name[PY_CODES] = {0, 1, 4, 5, 3, 2, 6}, back[PY_CODES] = {0, 1, 5, 4, 2, 3, 6};
    const game *g = solo();
    for (uint64_t k = 0; k < 30; k++) {
        py_solo s;
        after_position p, q;
        after_state a[PY_MAX_LEGAL], b[PY_MAX_LEGAL];
        walk(200 + k, (int)k, &s);
        after_position_of(g, &s, 0, &p);
        q = p;
        after_rename(&q, name);
        assert_true(after_position_ok(&q));
        int n = after_states(&p, a);
        assert_int_equal(after_states(&q, b), n);
        for (int i = 0; i < n; i++) {
            assert_int_equal(a[i].points, b[i].points);
            for (int c = 0; c < PY_COLS; c++)
                for (int r = 1; r <= PY_GHOST; r++)
                    assert_int_equal(py_get(&b[i].field, c, r), name[py_get(&a[i].field, c, r)]);
        }
        after_rename(&q, back);
        assert_memory_equal(&p, &q, sizeof p);
    }
}

// In a match: what is on its way, less what the placement sends back.
static void nuisance_is_an_input(void **state)
{
    (void)state;
    const game *g;
    py_match m;
    after_position p;
    after_state a[PY_MAX_LEGAL];
    uint64_t bits[AFTER_WORDS];
    float calm[AFTER_SCALARS_MAX], storm[AFTER_SCALARS_MAX];
    assert_ok(game_find("puyo", &g));
    assert_ok(g->init(&m, "", (game_key){1, 1}));
    after_position_of(g, &m, 0, &p);
    assert_int_equal(p.versus, 1);
    assert_true(after_states(&p, a) > 0);
    after_encode(&p, a, AFTER_PLAIN, bits, calm);
    m.side[0].pending = 10;
    m.side[0].coming = 20;
    after_position_of(g, &m, 0, &p);
    assert_int_equal(p.incoming, 30);
    after_encode(&p, a, AFTER_PLAIN, bits, storm);
    int differ = 0;
    for (int i = 0; i < after_scalars(AFTER_PLAIN); i++) differ += calm[i] != storm[i];
    assert_int_equal(differ, 1);
}

// Every condition of what may come from a file, at both sides of its bound.
static void positions_from_files(void **state)
{
    (void)state;
    py_solo s;
    after_position p, bad;
    walk(3, 6, &s);
    after_position_of(solo(), &s, 0, &p);
    assert_true(after_position_ok(&p));
    const struct {
        int colours, reach, lose, left;
        bool ok;
    } rows[] = {{5, 1, PY_LOSE_SEED, 1, true}, {5, 0, 0, AFTER_NO_END, true},
                {2, 0, 0, 1, false},           {6, 0, 0, 1, false},
                {5, 2, 0, 1, false},           {5, 0, PY_LOSE_SEED + 1, 1, false},
                {5, 0, 0, 0, false},           {5, 0, 0, AFTER_NO_END + 1, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bad = p;
        bad.colours = (uint8_t)rows[i].colours;
        bad.reach = (uint8_t)rows[i].reach;
        bad.lose = (uint8_t)rows[i].lose;
        bad.left = (uint8_t)rows[i].left;
        assert_int_equal(after_position_ok(&bad), rows[i].ok);
    }
    for (int i = 0; i < PY_SHOWN; i++) {
        bad = p;
        bad.pair[i] = 0x11; // nuisance
        assert_false(after_position_ok(&bad));
    }
    after_position three = {.colours = 3, .left = 1, .pair = {0x32, 0x44, 0x22}};
    assert_true(after_position_ok(&three));
    py_set(&three.field, 0, 1, PY_RED + 3); // a fourth colour
    assert_false(after_position_ok(&three));
    bad = p;
}

static void placements_left(void **state)
{
    (void)state;
    py_solo s;
    after_position p;
    walk(4, 3, &s);
    static const int left[][2] = {{1, 1}, {2, 2}, {15, 15}, {16, 16}, {17, 16}, {40, 16}};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        s.limit = (uint16_t)((int)s.placed + left[i][0]);
        after_position_of(solo(), &s, 0, &p);
        assert_int_equal(p.left, left[i][1]);
    }
    assert_true(p.versus == 0 && p.incoming == 0 && p.threat == 0 && p.rival_high == 0 && p.rival_mean == 0);
    assert_true(p.lose == PY_LOSE_TSU && p.colours == s.queue.colours && p.reach == s.reach);
    assert_memory_equal(&p.field, &s.field, sizeof p.field);
    assert_memory_equal(p.pair, s.window, sizeof p.pair);
}

// In a match: each number of the encoding by hand.
static void numbers_of_a_match(void **state)
{
    (void)state;
    const game *g;
    py_match m;
    after_position p;
    assert_ok(game_find("puyo", &g));
    for (int seat = 0; seat < 2; seat++) {
        assert_ok(g->init(&m, "", (game_key){1, 1}));
        py_side *rival = &m.side[!seat];
        rival->window[0] = py_pair(PY_RED, PY_RED);
        for (int r = 1; r <= 2; r++) py_set(&rival->field, 1, r, PY_RED);
        for (int r = 1; r <= 5; r++) py_set(&rival->field, 4, r, r % 2 ? PY_NUISANCE : PY_RED + 1);
        m.side[seat].pending = 65000;
        m.side[seat].coming = 535;
        after_position_of(g, &m, seat, &p);
        assert_int_equal(p.incoming, UINT16_MAX);
        m.side[seat].coming = 536; // one too many for its type
        after_position_of(g, &m, seat, &p);
        assert_int_equal(p.incoming, UINT16_MAX);
        assert_int_equal(p.rival_high, 5);
        assert_int_equal(p.rival_mean, 7 / 6);
        assert_int_equal(p.threat, 40 / 16); // four reds: 40 points
        assert_true(p.left == AFTER_NO_END && p.lose == m.lose && p.reach == m.reach && p.colours == m.queue.colours);
        assert_memory_equal(p.pair, m.side[seat].window, sizeof p.pair);
        uint64_t bits[AFTER_WORDS];
        float scalars[AFTER_SCALARS_MAX];
        // Sent against incoming: 700 points are ten nuisance puyos.
        static const struct {
            int points, incoming, falls, sent;
        } rows[] = {{0, 0, 0, 0}, {700, 0, 0, 10}, {700, 4, 0, 6}, {700, 10, 0, 0}, {700, 15, 5, 0}, {69, 1, 1, 0}};
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            after_state a = {.field = m.side[seat].field, .points = rows[i].points, .links = 3};
            p.incoming = (uint16_t)rows[i].incoming;
            after_encode(&p, &a, AFTER_PLAIN, bits, scalars);
            const float *s = scalars + after_scalars(AFTER_PLAIN) - 9;
            assert_float_equal(s[0], 0.3f, 1e-6f);
            assert_float_equal(s[1], logf(1 + (float)rows[i].points) / 12, 1e-6f);
            assert_float_equal(s[2], 1, 0);
            assert_float_equal(s[3], 1, 0);
            assert_float_equal(s[4], py_squash((uint32_t)rows[i].falls, 12), 1e-6f);
            assert_float_equal(s[5], py_squash((uint32_t)rows[i].sent, 30), 1e-6f);
            assert_float_equal(s[6], logf(1 + 16 * 2.0f) / 12, 1e-6f);
            assert_float_equal(s[7], 5.0f / PY_GHOST, 1e-6f);
            assert_float_equal(s[8], 1.0f / PY_GHOST, 1e-6f);
        }
    }
    assert_int_equal(after_scalars(AFTER_TRIGGER) - after_scalars(AFTER_PLAIN), 4);
}

// The trigger encoding adds what the beam search's evaluation says.
static void the_trigger_is_an_input(void **state)
{
    (void)state;
    after_position p = {.colours = 4, .left = 5, .pair = {0x22, 0x33, 0x44}};
    after_state a = {{{{0}}}, 0, 0, 0, false};
    uint64_t bits[AFTER_WORDS];
    float with[AFTER_SCALARS_MAX], plain[AFTER_SCALARS_MAX];
    int at = after_scalars(AFTER_PLAIN);
    for (int k = 0; k < 2; k++) {
        puyo_value v = puyo_evaluate(&a.field, &puyo_weights_default, 4);
        after_encode(&p, &a, AFTER_PLAIN, bits, plain);
        after_encode(&p, &a, AFTER_TRIGGER, bits, with);
        assert_memory_equal(plain, with, (size_t)at * sizeof *with);
        assert_float_equal(with[at], (float)v.links / 10, 1e-6f);
        assert_float_equal(with[at + 1], (float)v.needs / 3, 1e-6f);
        float height = v.links > 0 ? (float)py_height(&a.field, v.column) / PY_GHOST : 0;
        assert_float_equal(with[at + 2], height, 1e-6f);
        assert_float_equal(with[at + 3], (float)v.score / 8192, 1e-6f);
        assert_float_equal(with[at - 7], 5.0f / 16, 1e-6f);
        assert_int_equal(v.links > 0, k == 1);
        for (int r = 1; r <= 3; r++) { // a red puyo on the left fires two links
            py_set(&a.field, 1, r, PY_RED);
            py_set(&a.field, 2, r, PY_RED + 1);
        }
        py_set(&a.field, 1, 4, PY_RED + 1);
    }
}

// The encoding `ready` adds points and the time of a match. What comes after the last placement is worth nothing.
static void points_and_time_are_inputs(void **state)
{
    (void)state;
    after_position p = {
        .colours = 4, .pair = {0x44, 0x22, 0x33}, .pending = 20, .rival_due = 30, .time = -64, .soon = 5};
    after_state a = {.points = 700};
    uint64_t bits[AFTER_WORDS];
    float s[AFTER_SCALARS_MAX], less[AFTER_SCALARS_MAX];
    int at = after_scalars(AFTER_TRIGGER);
    assert_int_equal(after_scalars(AFTER_READY) - at, 18);
    for (int r = 1; r <= 3; r++) { // red fires two links, green one
        py_set(&a.field, 1, r, PY_RED);
        py_set(&a.field, 2, r, PY_RED + 1);
    }
    py_set(&a.field, 1, 4, PY_RED + 1);
    py_field f = a.field;
    py_set(&f, 0, 1, PY_RED);
    const int one = py_chain(&f).score, red = puyo_best_available(&a.field, &p.pair[1], 1, false, 0, NULL),
              green = puyo_best_available(&a.field, &p.pair[2], 1, false, 0, NULL);
    assert_true(one > 0 && red >= one && green > 0 && green < red);
    for (int left = 1; left <= 9; left++) {
        static const int ends[] = {1, 2, 3, 4, 6, 8};
        p.left = (uint8_t)left;
        after_encode(&p, &a, AFTER_READY, bits, s);
        after_encode(&p, &a, AFTER_TRIGGER, bits, less);
        assert_memory_equal(s, less, (size_t)at * sizeof *s);
        assert_float_equal(s[at], 700.0f / 50000, 1e-6f);
        assert_float_equal(s[at + 1], 7.0f / PY_CELLS, 1e-6f);
        for (int k = 0; k < 6; k++) assert_float_equal(s[at + 2 + k], (left <= ends[k] ? 1.0f : 0.0f), 0);
        const int want[] = {left > 1 ? one : 0, left > 1 ? red : 0, left > 2 ? green : 0}, where[] = {8, 14, 16};
        for (int k = 0; k < 3; k++) {
            assert_float_equal(s[at + where[k]], logf(1 + (float)want[k]) / 12, 1e-6f);
            assert_float_equal(s[at + where[k] + 1], (float)want[k] / 50000, 1e-6f);
        }
        assert_float_equal(s[at + 10], py_squash(10, 12), 1e-6f); // ten of twenty are cancelled
        assert_float_equal(s[at + 11], 0.5f, 1e-6f);
        assert_float_equal(s[at + 12], -0.25f, 1e-6f);
        assert_float_equal(s[at + 13], logf(81) / 12, 1e-6f);
    }
}

// The encoding `grow` adds what one more puyo makes of the field: for six columns and four colours the change of the
// evaluation and of its links, where it fires the links that it fires.
static void growth_is_an_input(void **state)
{
    (void)state;
    after_position p = {.colours = 4, .left = 2, .pair = {0x44, 0x25, 0x33}};
    after_state a = {.links = 0};
    uint64_t bits[AFTER_WORDS];
    float s[AFTER_SCALARS_MAX], less[AFTER_SCALARS_MAX];
    int at = after_scalars(AFTER_READY), best[4] = {0, 0, 0, 0};
    assert_int_equal(after_scalars(AFTER_GROW) - at, 48 + 6 + 6);
    for (int r = 1; r <= 3; r++) { // a red puyo on the left, or on top of the reds, fires two links
        py_set(&a.field, 1, r, PY_RED);
        py_set(&a.field, 2, r, PY_RED + 1);
    }
    py_set(&a.field, 1, 4, PY_RED + 1);
    for (int r = 1; r <= 12; r++) py_set(&a.field, 5, r, PY_NUISANCE);
    puyo_value now = puyo_evaluate(&a.field, &puyo_weights_default, 4);
    assert_int_equal(now.links, 2);
    after_encode(&p, &a, AFTER_READY, bits, less);
    after_encode(&p, &a, AFTER_GROW, bits, s);
    assert_memory_equal(s, less, (size_t)at * sizeof *s);
    for (int c = 0; c < PY_COLS; c++)
        for (int k = 0; k < 4; k++) {
            py_field f = a.field;
            int gain = -1500, links = 0, row = py_height(&f, c) + 1;
            if (c < 5) {
                py_set(&f, c, row, PY_RED + k);
                links = py_chain(&f).links;
                puyo_value v = puyo_evaluate(&f, &puyo_weights_default, 4);
                if (links == 0) gain = v.score - now.score, links = v.links;
            }
            if (gain > best[k]) best[k] = gain;
            if (c == 0 && k == 0) assert_true(links == 2 && gain == -1500);
            if (c == 2 && k == 1) assert_true(links == 1 && gain == -1500);
            assert_float_equal(s[at + 2 * (4 * c + k)], (float)gain / 1024, 1e-6f);
            assert_float_equal(s[at + 2 * (4 * c + k) + 1], (float)(links - 2) / 4, 1e-6f);
        }
    for (int k = 0; k < 4; k++) assert_float_equal(s[at + 48 + k], (float)best[k] / 1024, 1e-6f);
    int all = best[0], red = best[0], blue = best[3];
    for (int k = 1; k < 4; k++)
        if (best[k] > all) all = best[k];
    assert_true(all > 0);
    assert_float_equal(s[at + 52], (float)all / 1024, 1e-6f);
    // The next pair is red and blue and will be placed; the one after it never.
    assert_float_equal(s[at + 54], (float)(red > blue ? red : blue) / 1024, 1e-6f);
    assert_float_equal(s[at + 55], (float)(red > blue ? blue : red) / 1024, 1e-6f);
    assert_float_equal(s[at + 56], 1, 0);
    assert_float_equal(s[at + 57], (float)best[1] / 1024, 1e-6f);
    assert_float_equal(s[at + 59], 0, 0);
}

// What the rival's two pairs can fire, on random fields, against the beam's own look at it.
static void what_the_rival_threatens(void **state)
{
    (void)state;
    const game *g;
    int large = 0;
    assert_ok(game_find("puyo", &g));
    for (uint32_t k = 0; k < 200; k++) {
        rng r = rng_at(12, k, 0);
        py_match m;
        after_position p;
        int seat = (int)(k % 2), heights[PY_COLS], sum = 0, high = 0;
        assert_ok(g->init(&m, "", (game_key){12, k}));
        py_side *rival = &m.side[!seat];
        for (int c = 0; c < PY_COLS; c++)
            for (int h = 1, top = (int)rng_below(&r, 9); h <= top; h++)
                py_set(&rival->field, c, h, PY_RED + (int)rng_below(&r, 4));
        (void)py_chain(&rival->field);
        rival->clock = 4000 - rng_below(&r, 300);
        m.side[seat].clock = 4000 - rng_below(&r, 300);
        rival->pending = rng_below(&r, 50);
        rival->coming = rng_below(&r, 50);
        after_position_of(g, &m, seat, &p);
        int now = puyo_best_available(&rival->field, &rival->window[0], 1, m.reach, m.lose, NULL);
        int soon = puyo_best_available(&rival->field, &rival->window[1], 1, m.reach, m.lose, NULL);
        large += now >= 17 * 16;
        assert_int_equal(p.threat, now / 16);
        assert_int_equal(p.soon, soon / 16);
        assert_int_equal(p.rival_due, rival->pending + rival->coming);
        assert_int_equal(p.time, (int)rival->clock - (int)m.side[seat].clock);
        py_heights(&rival->field, heights);
        for (int c = 0; c < PY_COLS; c++) sum += heights[c], high = heights[c] > high ? heights[c] : high;
        assert_int_equal(p.rival_high, high);
        assert_int_equal(p.rival_mean, sum / PY_COLS);
    }
    assert_true(large > 10);
}

// A network is one for afterstates if its note names the encoding and its shape is that encoding's.
static void networks_that_fit(void **state)
{
    (void)state;
    for (int code = 0; code < AFTER_ENCODINGS; code++) {
        const int planes = AFTER_PLANES, scalars = after_scalars(code);
        const struct {
            int planes, scalars;
            const char *size, *heads, *note;
            int fits;
        } rows[] = {
            {planes, scalars, "13x6", "scalar=0:0:1 scalar=0:0:1", after_encoding_name[code], code},
            {planes - 1, scalars, "13x6", "scalar=0:0:1 scalar=0:0:1", after_encoding_name[code], -1},
            {planes, scalars + 1, "13x6", "scalar=0:0:1 scalar=0:0:1", after_encoding_name[code], -1},
            {planes, scalars, "12x6", "scalar=0:0:1 scalar=0:0:1", after_encoding_name[code], -1},
            {planes, scalars, "13x7", "scalar=0:0:1 scalar=0:0:1", after_encoding_name[code], -1},
            {planes, scalars, "13x6", "scalar=0:0:1", after_encoding_name[code], -1},
            {planes, scalars, "13x6", "scalar=0:0:2", after_encoding_name[code], -1},
            {planes, scalars, "13x6", "scalar=0:0:1 scalar=0:0:2", after_encoding_name[code], -1},
            {planes, scalars, "13x6", "scalar=0:0:1 scalar=0:0:1 scalar=0:0:1", after_encoding_name[code], -1},
            {planes, scalars, "13x6", "scalar=0:0:1 value=0:4", after_encoding_name[code], -1},
            {planes, scalars, "13x6", "value=0:4 scalar=0:0:1", after_encoding_name[code], -1},
            {planes, scalars, "13x6", "scalar=0:0:1 scalar=0:0:1", "another", -1},
            {planes, scalars, "13x6", "scalar=0:0:1 scalar=0:0:1", NULL, -1},
        };
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char text[160], note[80];
            nn_desc d;
            nn_net *net;
            snprintf(text, sizeof text, "planes=%d scalars=%d size=%s mlp=8 %s", rows[i].planes, rows[i].scalars,
                     rows[i].size, rows[i].heads);
            if (nn_desc_parse(text, &d) != ERR_OK) fail_msg("%s: %s", text, err_text());
            assert_ok(nn_net_new(&net, &d, 1));
            snprintf(note, sizeof note, "game = puyo-solo\nencoding = %s\n", rows[i].note != NULL ? rows[i].note : "");
            if (rows[i].note != NULL) assert_ok(nn_net_set_note(net, note));
            if (after_fit(net) != rows[i].fits) fail_msg("%s with %s: %d", text, note, after_fit(net));
            nn_net_free(net);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(afterstates_are_the_games),  cmocka_unit_test(planes_show_the_field),
        cmocka_unit_test(colours_are_names),          cmocka_unit_test(nuisance_is_an_input),
        cmocka_unit_test(positions_from_files),       cmocka_unit_test(placements_left),
        cmocka_unit_test(numbers_of_a_match),         cmocka_unit_test(the_trigger_is_an_input),
        cmocka_unit_test(points_and_time_are_inputs), cmocka_unit_test(growth_is_an_input),
        cmocka_unit_test(networks_that_fit),          cmocka_unit_test(what_the_rival_threatens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
