// Chains against known boards, against the score table, and every version of the kernel against a naive simulator that
// shares no code with it.
#include "games/puyo/puyo.h"
#include "test.h"

// --- the naive simulator: a grid of letters' codes, flood fill, one cell at a time

typedef struct naive {
    int cell[PY_COLS][PY_GHOST + 1]; // [column][row], row 1 the bottom
    int links, score, frames;
} naive;

static naive naive_of(const py_field *f)
{
    naive n;
    memset(&n, 0, sizeof n);
    for (int c = 0; c < PY_COLS; c++)
        for (int r = 1; r <= PY_GHOST; r++) n.cell[c][r] = py_get(f, c, r);
    return n;
}

typedef bool cells[PY_COLS][PY_GHOST + 2];

// Lists the group of a cell in `at` (column * 16 + row) and returns its size.
static int naive_fill(const naive *n, int c, int r, int code, cells seen, int *at, int size)
{
    if (c < 0 || c >= PY_COLS || r < 1 || r > PY_ROWS || seen[c][r] || n->cell[c][r] != code) return size;
    seen[c][r] = true;
    at[size++] = c * 16 + r;
    size = naive_fill(n, c - 1, r, code, seen, at, size);
    size = naive_fill(n, c + 1, r, code, seen, at, size);
    size = naive_fill(n, c, r - 1, code, seen, at, size);
    return naive_fill(n, c, r + 1, code, seen, at, size);
}

static int naive_group_bonus(int size)
{
    static const int bonus[] = {0, 2, 3, 4, 5, 6, 7};
    return size > 10 ? 10 : bonus[size - 4];
}

static bool naive_link(naive *n)
{
    static const int power[20] = {0,   0,   8,   16,  32,  64,  96,  128, 160, 192,
                                  224, 256, 288, 320, 352, 384, 416, 448, 480, 512};
    static const int colour_bonus[6] = {0, 0, 3, 6, 12, 24};
    cells gone = {{false}}, seen = {{false}}, swept = {{false}};
    bool used[PY_CODES] = {false};
    int cleared = 0, bonus = 0, colours = 0, at[PY_CELLS];
    for (int c = 0; c < PY_COLS; c++)
        for (int r = 1; r <= PY_ROWS; r++) {
            int code = n->cell[c][r];
            if (code < PY_RED || seen[c][r]) continue;
            int size = naive_fill(n, c, r, code, seen, at, 0);
            if (size < 4) continue;
            for (int i = 0; i < size; i++) gone[at[i] / 16][at[i] % 16] = true;
            cleared += size;
            bonus += naive_group_bonus(size);
            colours += !used[code];
            used[code] = true;
        }
    if (cleared == 0) return false;
    n->links++;
    bonus += power[n->links] + colour_bonus[colours];
    n->score += 10 * cleared * (bonus < 1 ? 1 : bonus > 999 ? 999 : bonus);

    for (int c = 0; c < PY_COLS; c++)
        for (int r = 1; r <= PY_ROWS; r++) {
            if (n->cell[c][r] != PY_NUISANCE) continue;
            swept[c][r] =
                (c > 0 && gone[c - 1][r]) || (c < PY_COLS - 1 && gone[c + 1][r]) || gone[c][r - 1] || gone[c][r + 1];
        }
    int drop = 0;
    for (int c = 0; c < PY_COLS; c++) {
        int top = 0;
        for (int r = 1; r <= PY_GHOST; r++) {
            if (n->cell[c][r] == PY_EMPTY || gone[c][r] || swept[c][r]) continue;
            top++;
            if (r - top > drop) drop = r - top;
            n->cell[c][top] = n->cell[c][r];
        }
        for (int r = top + 1; r <= PY_GHOST; r++) n->cell[c][r] = PY_EMPTY;
    }
    n->frames += 50 + (drop > 0 ? 2 * drop + 20 : 0);
    return true;
}

static bool naive_equals(const naive *n, const py_field *f)
{
    for (int c = 0; c < PY_COLS; c++)
        for (int r = 1; r <= PY_GHOST; r++)
            if (n->cell[c][r] != py_get(f, c, r)) return false;
    return true;
}

// Fields of every kind: few or many colours, little or much nuisance, low or up to the ghost row, with runs of a colour so
// that chains happen.
static py_field random_field(rng *r)
{
    py_field f = {{{0}}};
    uint32_t colours = 2 + rng_below(r, 4), nuisance = rng_below(r, 3) * rng_below(r, 5), high = 4 + rng_below(r, 10);
    int last = PY_RED;
    for (int c = 0; c < PY_COLS; c++) {
        int h = (int)(rng_below(r, 2) == 0 ? high : rng_below(r, high + 1));
        if (h > PY_GHOST) h = PY_GHOST;
        uint32_t words = rng_u32(r);
        for (int row = 1; row <= h; row++, words = words >> 2 | words << 30) {
            int code = (words & 3) == 0 ? last : (int)(PY_RED + rng_below(r, colours));
            if (rng_below(r, 16) < nuisance) code = PY_NUISANCE;
            if (code != PY_NUISANCE) last = code;
            py_set(&f, c, row, code);
        }
    }
    return f;
}

static void agrees_with_naive(void **state)
{
    (void)state;
    const int fields = soak_or(100000, 1000000);
    const py_version *versions = py_versions();
    int longest = 0, popped = 0, ghosts = 0;
    for (int i = 0; i < fields; i++) {
        rng r = rng_at(1, (uint64_t)i, 0);
        py_field start = random_field(&r);
        if (i < 10000) assert_true(py_field_ok(&start, 5));
        naive n = naive_of(&start);
        while (naive_link(&n)) {}
        popped += n.links > 0;
        longest = n.links > longest ? n.links : longest;
        for (int c = 0; c < PY_COLS; c++) ghosts += py_height(&start, c) == PY_GHOST;
        for (const py_version *v = versions; v->name != NULL; v++) {
            if (!v->usable()) continue;
            py_field a = start, b = start;
            py_chain_result got = v->chain(&a);
            int links = v->links(&b);
            if (got.links != n.links || got.score != n.score || got.frames != n.frames || links != n.links ||
                !naive_equals(&n, &a) || memcmp(&a, &b, sizeof a) != 0) {
                char text[PY_FIELD_TEXT];
                py_field_print(&start, text, sizeof text);
                fail_msg("%s on %s: %d links %d points %d frames, should be %d %d %d", v->name, text, got.links,
                         got.score, got.frames, n.links, n.score, n.frames);
            }
        }
    }
    // The sample is worth something: most fields pop, long chains occur, ghost rows are filled.
    assert_true(popped > fields / 2);
    assert_true(longest >= soak_or(6, 8));
    assert_true(ghosts > fields / 10);
}

// One link at a time gives the same as the whole chain.
static void links_add_up(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        rng r = rng_at(2, i, 0);
        py_field a = random_field(&r), b = a;
        py_chain_result whole = py_chain(&a), sum = {0, 0, 0};
        py_link_info info;
        while (py_link(&b, sum.links + 1, &info)) {
            sum.links++;
            sum.score += info.score;
            sum.frames += info.frames;
            assert_int_equal(info.cleared, py_count(&info.popped));
        }
        assert_memory_equal(&whole, &sum, sizeof sum);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

// --- known boards

static char *read_all(FILE *f)
{
    char *text = calloc(1, 1 << 20);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    assert_true(n > 0);
    return text;
}

typedef struct differences {
    int n;
    py_chain_row want, got;
} differences;

static void note(void *ctx, const py_chain_row *want, const py_chain_row *got)
{
    differences *d = ctx;
    d->n++;
    d->want = *want;
    d->got = *got;
    print_message("%s (line %d): %d links %d points %d frames %d left, should be %d %d %d %d\n", want->name, want->line,
                  got->links, got->score, got->frames, got->left, want->links, want->score, want->frames, want->left);
}

static void known_boards(void **state)
{
    (void)state;
    char *text = read_all(open_data_or_skip("puyo/chains.txt"));
    static const char *const levels[] = {"scalar", "auto"};
    for (int i = 0; i < 2; i++) {
        differences d = {0};
        int exact = 0, total = 0;
        assert_ok(cpu_limit(levels[i]));
        py_pick_version();
        assert_ok(py_verify_chains(text, note, &d, &exact, &total));
        assert_int_equal(total, 62);
        assert_int_equal(exact, 62);
        assert_int_equal(d.n, 0);
    }
    free(text);
}

#define EMPTY_11 "......\n......\n......\n......\n......\n......\n......\n......\n......\n......\n......\n"
#define EMPTY_12 EMPTY_11 "......\n"

static void verify_reports(void **state)
{
    (void)state;
    int exact = -1, total = -1;
    differences d = {0};
    // The second board pops six, so its 40 points are wrong.
    const char *two =
        "# a comment\n\n= right 1 40 50 2 | anything\n" EMPTY_12 "RRRRGY\n\n= wrong 1 40 50 0\r\n" EMPTY_12 "RRRRRR";
    assert_ok(py_verify_chains(two, note, &d, &exact, &total));
    assert_int_equal(exact, 1);
    assert_int_equal(total, 2);
    assert_int_equal(d.n, 1);
    assert_string_equal(d.want.name, "wrong");
    assert_int_equal(d.want.line, 18);
    assert_int_equal(d.got.score, 180);
    assert_ok(py_verify_chains(two, NULL, NULL, &exact, &total));

    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "no board"},
        {"# only words\n", "no board"},
        {"hello\n", "column 1"},
        {"\n= \n", "line 2, column 3"},
        {"= a 1 40 50\n" EMPTY_12 "RRRR..\n", "expected a number"},
        {"= a 1 40 50 0x\n" EMPTY_12 "RRRR..\n", "expected a space"},
        {"= a 1 9999999999 50 0\n" EMPTY_12 "RRRR..\n", "nine digits"},
        {"= a 1 40 50 0\n" EMPTY_11 "RRRR..\n", "line 14"},
        {"= a 1 40 50 0\n" EMPTY_12 "RRRR.\n", "line 14"},
        {"= a 1 40 50 0\n" EMPTY_12 "RRRX..\n", "line 14, column 4"},
        {"= a 1 40 50 0\n" EMPTY_11 "R.....\n......\n", "above a hole"},
        {"= a 1 40 50 0\n" EMPTY_12 "RRRR..", NULL},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (bad[i].says != NULL)
            assert_err(py_verify_chains(bad[i].text, NULL, NULL, &exact, &total), bad[i].says);
        else
            assert_ok(py_verify_chains(bad[i].text, NULL, NULL, &exact, &total));
    }
}

// --- scores

static py_chain_result score_of(const char *field)
{
    py_field f;
    assert_ok(py_field_parse(field, &f));
    return py_chain(&f);
}

static void score_table(void **state)
{
    (void)state;
    // One group: 10 * size * group bonus, for 4, 5, … 12.
    static const struct {
        const char *field;
        int score;
    } groups[] = {
        {"RRRR..", 40},
        {"RRRRR.", 100},
        {"RRRRRR", 180},
        {"R...../RRRRRR", 280},
        {"RR..../RRRRRR", 400},
        {"RRR.../RRRRRR", 540},
        {"RRRR../RRRRRR", 700},
        {"RRRRR./RRRRRR", 1100},
        {"RRRRRR/RRRRRR", 1200},
        // Two to five colours of four each: colour bonus 3, 6, 12, 24.
        {"RY..../RY..../RY..../RY....", 240},
        {"RYG.../RYG.../RYG.../RYG...", 720},
        {"RYGB../RYGB../RYGB../RYGB..", 1920},
        {"RYGBP./RYGBP./RYGBP./RYGBP.", 4800},
        // Two groups of one colour, four and five: no colour bonus, group bonus 2. Four and four: no bonus at all.
        {"R...../R...../R.RR../R.RRR.", 180},
        {"R...../R...../R.RR../R.RRYY", 80},
    };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        assert_int_equal(score_of(groups[i].field).score, groups[i].score);
        assert_int_equal(score_of(groups[i].field).links, 1);
    }
    assert_int_equal(score_of("RRR...").links, 0);
    // The chain power by link: the smallest possible scores.
    int sum = 0;
    static const int smallest[20] = {[1] = 40, [5] = 4840, [10] = 36840, [19] = 175080};
    for (int k = 1; k <= 19; k++) {
        sum += 40 * (py_chain_power[k] > 0 ? py_chain_power[k] : 1);
        if (smallest[k] > 0) assert_int_equal(sum, smallest[k]);
    }
    assert_int_equal(py_chain_power[19], 512);
}

static void small_chains(void **state)
{
    (void)state;
    py_chain_result two = score_of("Y...../RYY.../RRRY..");
    assert_int_equal(two.links, 2);
    assert_int_equal(two.score, 40 + 320);
    assert_int_equal(two.frames, 50 + 2 * 2 + 20 + 50); // two rows, then nothing falls
    py_chain_result three = score_of("..G.../..G.../.YG.../YRRR../YRYG..");
    assert_int_equal(three.links, 3);
    assert_int_equal(three.score, 40 + 320 + 640);
    assert_int_equal(three.frames, (50 + 2 * 2 + 20) + (50 + 2 * 1 + 20) + 50);
}

static void ghost_row(void **state)
{
    (void)state;
    // Four in row 13 do not pop; three in row 12 and one above do not join.
    py_field f;
    assert_ok(py_field_parse(
        "RRRR../OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO", &f));
    assert_int_equal(py_links(&f), 0);
    assert_ok(py_field_parse(
        "R...../RRR.../OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO", &f));
    assert_int_equal(py_links(&f), 0);
    // A popping row 12 clears the nuisance beside and below it, not the one above, which falls.
    assert_ok(py_field_parse(
        "O...../RRRRO./OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOOO", &f));
    assert_int_equal(py_links(&f), 1);
    assert_int_equal(py_count(&f), 1 + 2 + 10 * 6);
    assert_int_equal(py_get(&f, 0, 11), PY_NUISANCE);
    assert_int_equal(py_height(&f, 0), 11);
    assert_int_equal(py_height(&f, 1), 10);
    assert_int_equal(py_height(&f, 4), 11);
}

static void field_text(void **state)
{
    (void)state;
    py_field f, g;
    char text[PY_FIELD_TEXT];
    for (uint64_t i = 0; i < 2000; i++) {
        rng r = rng_at(3, i, 0);
        f = random_field(&r);
        int n = py_field_print(&f, text, sizeof text);
        assert_int_equal(n, strlen(text));
        assert_ok(py_field_parse(text, &g));
        assert_memory_equal(&f, &g, sizeof f);
    }
    memset(&f, 0, sizeof f);
    py_field_print(&f, text, sizeof text);
    assert_string_equal(text, "......");
    assert_ok(py_field_parse("......", &g));
    assert_true(py_is_empty(&g));
    assert_ok(py_field_parse("r.yGbp", &g));
    assert_int_equal(py_get(&g, 5, 1), PY_PURPLE);
    char tiny[4];
    assert_int_equal(py_field_print(&g, tiny, sizeof tiny), 6); // as snprintf
    assert_string_equal(tiny, "R.Y");
    assert_err(py_field_parse("", &g), "six cells");
    assert_err(py_field_parse("RRRRR", &g), "six cells");
    assert_err(py_field_parse("RRRRRRR", &g), "column 7");
    assert_err(py_field_parse("RRRRRR/", &g), "six cells");
    assert_err(py_field_parse("RRRXRR", &g), "column 4");
    assert_err(py_field_parse("R...../......", &g), "column 1, row 2");
    assert_err(py_field_parse("......|......", &g), "column 7");
    char long_text[200] = "......";
    for (int i = 0; i < 13; i++) strcat(long_text, "/......");
    assert_err(py_field_parse(long_text, &g), "13 rows");
}

static void settling(void **state)
{
    (void)state;
    py_field f = {{{0}}};
    py_set(&f, 0, 13, PY_RED);
    py_set(&f, 0, 5, PY_BLUE);
    assert_false(py_field_ok(&f, 4));
    py_settle(&f);
    assert_true(py_field_ok(&f, 4));
    assert_int_equal(py_get(&f, 0, 1), PY_BLUE);
    assert_int_equal(py_get(&f, 0, 2), PY_RED);
    assert_int_equal(py_count(&f), 2);
    assert_false(py_field_ok(&f, 3)); // blue is the fourth colour
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_boards), cmocka_unit_test(verify_reports), cmocka_unit_test(score_table),
        cmocka_unit_test(small_chains), cmocka_unit_test(ghost_row),      cmocka_unit_test(field_text),
        cmocka_unit_test(settling),     cmocka_unit_test(links_add_up),   cmocka_unit_test(agrees_with_naive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
