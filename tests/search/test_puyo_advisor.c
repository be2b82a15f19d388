// The seed's advisor: its worked examples, each rule by hand, and every score against a second implementation that follows
// the description cell by cell in its own coordinates (y = 12 the bottom).
#include "games/puyo_texts.h"
#include "search/puyo/puyo_advisor.h"

#include <math.h>

static advisor_move candidate(const py_field *f, const char *p, const char *next, int col, int rotation)
{
    advice a;
    advisor_advise(&advisor_defaults, f, pair_of(p), next == NULL ? 0 : pair_of(next), false, &a);
    for (int i = 0; i < a.n; i++)
        if (a.best[i].move == (col - 1) * 4 + rotation) return a.best[i];
    fail_msg("%s cannot be placed in column %d, rotation %d", p, col, rotation);
    return a.best[0];
}

#define assert_score(m, which, want) assert_float_equal((m).score[which], want, 1e-9)

static void worked_examples(void **state)
{
    (void)state;
    // 1: two B into the bottom row of an empty field.
    py_field f = field_of("......");
    advisor_move m = candidate(&f, "BB", NULL, 1, 1);
    assert_score(m, SCORE_FOLD, 60);
    assert_score(m, SCORE_TAIL, 0);
    assert_score(m, SCORE_CONNECT, 10);
    assert_float_equal(m.total, 250, 1e-9);
    advice a;
    advisor_advise(&advisor_defaults, &f, pair_of("BB"), 0, false, &a);
    assert_int_equal(a.best[0].move, 1);
    assert_int_equal(a.n, 22);
    // 2: A on the top cell of column 1 with a stranger above it. Three A of template cells only: +20.
    f = field_of("RR..../YY....");
    m = candidate(&f, "RG", NULL, 1, 0);
    assert_score(m, SCORE_FOLD, 27);
    assert_score(m, SCORE_CONNECT, 20);
    assert_float_equal(m.total, 128, 1e-9);
    // 3: two wrong colours, with A = R and B = B fixed.
    f = field_of("R...../BB....");
    m = candidate(&f, "GR", NULL, 2, 0);
    assert_score(m, SCORE_FOLD, -100);
    assert_true(m.total < -390);
}

// Three terms that the text leaves open, as the original has them.
static void terms_of_the_original(void **state)
{
    (void)state;
    // (2) -10 above row 4 in every column: the tail score of a placement in column 1 is -10, its weight 0.3.
    py_field f = field_of("Y...../Y...../RR....");
    advisor_move m = candidate(&f, "YG", "GR", 1, 2);
    assert_score(m, SCORE_TAIL, -10);
    assert_float_equal(m.total, -23, 1e-9);
    // (1) 8 for each equal neighbour: between two of its colour a puyo earns 16.
    f = field_of("...R.R");
    assert_score(candidate(&f, "RG", NULL, 5, 0), SCORE_TAIL, 10 + 5 + 16 + 10 + 3 + 5 + 5);
    // A neighbour in column 3 is outside the tail.
    f = field_of("..R...");
    assert_score(candidate(&f, "RG", NULL, 4, 1), SCORE_TAIL, 30);
    // (3) three at the fold cost 100 only for a stray cell in rows 1 to 3; above them they are three like any other.
    f = field_of(".G..../YR..../GY..../YR....");
    assert_score(candidate(&f, "GG", NULL, 1, 0), SCORE_CONNECT, 20);
    f = field_of("YYG...");
    assert_score(candidate(&f, "GG", NULL, 3, 1), SCORE_CONNECT, -100);
    f = field_of("YY....");
    assert_score(candidate(&f, "YG", NULL, 3, 0), SCORE_CONNECT, -100);
}

static void fold_rules(void **state)
{
    (void)state;
    py_field f = field_of("R.....");
    // (1,2) before the bottom row is complete: 0.3 of 30, with the stranger on (1,3) wrong or right as it fits.
    assert_score(candidate(&f, "GG", NULL, 1, 0), SCORE_FOLD, 18);
    assert_score(candidate(&f, "GY", NULL, 1, 0), SCORE_FOLD, 9 - 50);
    // (3,1) is a stepping stone only when both bottom cells are filled, whatever their colours; (4,1) costs nothing.
    assert_score(candidate(&f, "GY", NULL, 3, 1), SCORE_FOLD, -7);
    f = field_of("RR....");
    assert_score(candidate(&f, "GY", NULL, 3, 1), SCORE_FOLD, 15);
    f = field_of("RG....");
    assert_score(candidate(&f, "GY", NULL, 3, 1), SCORE_FOLD, 15);
    // Every assignment contradicted (1,1) and (2,1) differ): only the area counts, right or wrong.
    assert_score(candidate(&f, "RR", NULL, 1, 1), SCORE_FOLD, 0);
    // (3,3): -7, but nothing once (3,2) is filled.
    f = field_of("..G.../..G...");
    assert_score(candidate(&f, "RY", NULL, 3, 1), SCORE_FOLD, 0);
    f = field_of("..G...");
    assert_score(candidate(&f, "RY", NULL, 3, 0), SCORE_FOLD, 9 - 7); // R as B on (3,2), Y on (3,3)
    // Above the fold: -20, -3 directly on the top cells, -20 on (3,4).
    f = field_of("R...../R...../G.....");
    assert_score(candidate(&f, "YB", NULL, 1, 0), SCORE_FOLD, -23);
    f = field_of("..G.../..G.../..G...");
    assert_score(candidate(&f, "YB", NULL, 3, 1), SCORE_FOLD, -20);
}

static void tail_rules(void **state)
{
    (void)state;
    py_field f = field_of("......");
    assert_score(candidate(&f, "RG", NULL, 4, 1), SCORE_TAIL, 30); // 10 + 5 each
    assert_score(candidate(&f, "RR", NULL, 4, 1), SCORE_TAIL, 46); // and 8 each
    assert_score(candidate(&f, "RG", NULL, 4, 0), SCORE_TAIL, 10 + 5 + 10 + 3 + 5);
    f = field_of("...RGR/...GRG"); // layers in all three and level: 15 + 5 for everybody
    assert_score(candidate(&f, "RG", NULL, 1, 1), SCORE_TAIL, 20);
    assert_score(candidate(&f, "RG", NULL, 4, 1), SCORE_TAIL, 40);
    f = field_of("...RGR"); // level, but a height of 2 is needed
    assert_score(candidate(&f, "RG", NULL, 1, 1), SCORE_TAIL, 0);
    f = field_of("...R../...G../...R../...G..");
    assert_score(candidate(&f, "RG", NULL, 4, 1), SCORE_TAIL, 10 - 10 + 10 + 5 + 8 + 5);
}

static void connection_rules(void **state)
{
    (void)state;
    py_field f = field_of("RRR...");
    assert_score(candidate(&f, "RG", NULL, 4, 0), SCORE_CONNECT, -500);
    f = field_of("...R../...R..");
    assert_score(candidate(&f, "RG", NULL, 4, 0), SCORE_CONNECT, -10); // three in a column
    assert_score(candidate(&f, "RG", NULL, 5, 0), SCORE_CONNECT, 20);
    f = field_of("RR....");
    assert_score(candidate(&f, "RG", NULL, 3, 0), SCORE_CONNECT, -100); // (3,1) is not of the fold
    f = field_of("..R.../..R...");
    assert_score(candidate(&f, "RG", NULL, 3, 0), SCORE_CONNECT, -10); // in a column comes before at the fold
    f = field_of("...R..");
    assert_score(candidate(&f, "RR", NULL, 5, 1), SCORE_CONNECT, 20); // both in one group: once
    f = field_of(".R...R");
    assert_score(candidate(&f, "RR", NULL, 4, 0), SCORE_CONNECT, 10);
}

static void heights_and_room(void **state)
{
    (void)state;
    py_field f = field_of("G...../R...../G...../R...../G...../R...../G...../R...../G...../R.....");
    assert_score(candidate(&f, "YB", NULL, 1, 0), SCORE_HEIGHT, -60);
    f = field_of("R...../G...../R...../G...../R...../G...../R...../G.....");
    assert_score(candidate(&f, "YB", NULL, 1, 0), SCORE_HEIGHT, -30);
    f = field_of("G...../R...../G...../R...../G...../R...../G...../R...../G...../R...../G...../R.....");
    advice a;
    advisor_advise(&advisor_defaults, &f, pair_of("YB"), 0, false, &a);
    assert_int_equal(a.n, 20); // neither upright placement fits a height of 12
    advisor_advise(&advisor_defaults, &f, pair_of("YB"), 0, true, &a);
    assert_int_equal(a.n, 18); // and column 1 cannot be steered to: nothing to climb on
}

static void phases(void **state)
{
    (void)state;
    const advisor_config *c = &advisor_defaults;
    py_field f = field_of("RY..../RRY.../YYG...");
    assert_int_equal(advisor_phase_of(c, &f), PHASE_TAIL);
    f = field_of("RY..../RRYGB./YYGBGR");
    assert_int_equal(advisor_phase_of(c, &f), PHASE_TAIL);
    f = field_of("RY..../RRYGBB/YYGBGR");
    assert_int_equal(advisor_phase_of(c, &f), PHASE_COMPLETION);
    f = field_of("RY..../RRB.../YYG...");
    assert_int_equal(advisor_phase_of(c, &f), PHASE_FOLD);
    f = field_of("RR..../RRR.../RRG...");
    assert_int_equal(advisor_phase_of(c, &f), PHASE_FOLD); // A = B is no fold
    // The fold alone fires two links; with G behind it three. 10 for the fold, 15 per link, five times.
    f = field_of("RY..../RRY.../YYG...");
    advisor_move m = candidate(&f, "BP", NULL, 5, 1);
    assert_int_equal(m.links, 2);
    assert_score(m, SCORE_CHAIN, 40);
    f = field_of("RYG.../RRYGG./YYGBB.");
    m = candidate(&f, "BP", NULL, 6, 0);
    assert_int_equal(m.links, 3);
    assert_score(m, SCORE_CHAIN, 55);
}

static void constants_can_be_changed(void **state)
{
    (void)state;
    advisor_config c = {.lookahead = 7};
    assert_ok(opt_defaults(advisor_options, advisor_n_options, &c));
    assert_memory_equal(&c, &advisor_defaults, sizeof c);
    const char *text = "priority-1-match = 50\nfold_building.fold_progress = 2 # half\n";
    assert_ok(opt_config_text(advisor_options, advisor_n_options, &c, "x.conf", text, strlen(text), NULL));
    py_field f = field_of("......");
    advice a;
    advisor_advise(&c, &f, pair_of("BB"), 0, false, &a);
    assert_float_equal(a.best[0].total, 100 * 2 + 10, 1e-9);
    text = "priority-1-mach = 50\n";
    assert_err(opt_config_text(advisor_options, advisor_n_options, &c, "x.conf", text, strlen(text), NULL),
               "priority-1-match");
}

// --- the second implementation: grid[y][x], y = 12 the bottom, one flood fill a puyo, twelve assignments in a loop

typedef struct grid {
    int c[13][6];
} grid;

typedef struct spot {
    int x, y, colour;
} spot;

static const struct {
    int x, y, is_b, priority;
} target[7] = {{0, 12, 1, 1}, {1, 12, 1, 1}, {0, 11, 0, 2}, {1, 11, 0, 2}, {2, 11, 1, 2}, {0, 10, 0, 3}, {1, 10, 1, 3}};

static int target_at(int x, int y)
{
    for (int i = 0; i < 7; i++)
        if (target[i].x == x && target[i].y == y) return i;
    return -1;
}

static double ref_template(const grid *g, const spot p[2], int a, int b)
{
    double sum = 0;
    for (int i = 0; i < 7; i++) {
        int have = g->c[target[i].y][target[i].x], want = target[i].is_b ? b : a;
        if (have != 0 && have != want) return -INFINITY;
    }
    bool first = g->c[12][0] == b && g->c[12][1] == b;
    for (int k = 0; k < 2; k++) {
        int i = target_at(p[k].x, p[k].y);
        if (i < 0) continue;
        int want = target[i].is_b ? b : a;
        sum += p[k].colour != want ? -50 : target[i].priority > 1 && !first ? 30 * 0.3 : 30;
    }
    return sum;
}

static double ref_fold(const grid *g, const spot p[2])
{
    double area = 0, best = -INFINITY;
    for (int k = 0; k < 2; k++) {
        int x = p[k].x, y = p[k].y;
        if (x > 2) continue;
        if (y < 10)
            area += y == 9 && x < 2 ? -3 : -20;
        else if (target_at(x, y) >= 0)
            area += 0;
        else if (y == 12 && g->c[12][0] != 0 && g->c[12][1] != 0 && g->c[11][2] == 0)
            area += 15;
        else if (y == 10 && g->c[11][2] != 0)
            area += 0;
        else
            area += -7;
    }
    for (int a = 2; a <= 5; a++)
        for (int b = 2; b <= 5; b++)
            if (a != b) best = fmax(best, ref_template(g, p, a, b));
    return isfinite(best) ? best + area : area;
}

static double ref_tail(const grid *after, const spot p[2])
{
    double s = 0;
    int low = 99, high = 0;
    for (int k = 0; k < 2; k++) {
        int x = p[k].x, y = p[k].y;
        s += y < 9 ? -10 : 0;
        if (x < 3) continue;
        s += 10 + (y == 12 ? 5 : y == 11 ? 3 : 0);
        for (int side = -1; side <= 1; side += 2)
            if (x + side >= 3 && x + side <= 5 && after->c[y][x + side] == p[k].colour) s += 8;
    }
    for (int x = 3; x < 6; x++) {
        int h = 0;
        bool two = false;
        for (int y = 12; y >= 0 && after->c[y][x] != 0; y--, h++) two |= after->c[y][x] != after->c[12][x];
        s += two ? 5 : 0;
        low = h < low ? h : low;
        high = h > high ? h : high;
    }
    return s + (high - low <= 1 && high >= 2 ? 5 : 0);
}

static int flood(const grid *g, int x, int y, int colour, bool seen[13][6])
{
    if (x < 0 || x > 5 || y < 0 || y > 12 || seen[y][x] || g->c[y][x] != colour) return 0;
    seen[y][x] = true;
    return 1 + flood(g, x + 1, y, colour, seen) + flood(g, x - 1, y, colour, seen) + flood(g, x, y + 1, colour, seen) +
           flood(g, x, y - 1, colour, seen);
}

static double ref_connect(const grid *after, const spot p[2])
{
    double s = 0;
    bool before[13][6] = {{false}};
    for (int k = 0; k < 2; k++) {
        bool seen[13][6] = {{false}}, column = true, stray = false;
        if (before[p[k].y][p[k].x]) continue;
        int n = flood(after, p[k].x, p[k].y, p[k].colour, seen);
        for (int y = 0; y < 13; y++)
            for (int x = 0; x < 6; x++) {
                if (!seen[y][x]) continue;
                before[y][x] = true;
                column &= x == p[k].x;
                stray |= x <= 2 && y >= 10 && target_at(x, y) < 0;
            }
        s += n >= 4 ? -500 : n == 3 ? (column ? -10 : stray ? -100 : 20) : n == 2 ? 10 : 0;
    }
    return s;
}

static double ref_light(const grid *g, const spot p[2], double part[4])
{
    grid after = *g;
    for (int k = 0; k < 2; k++) after.c[p[k].y][p[k].x] = p[k].colour;
    part[0] = ref_fold(g, p);
    part[1] = ref_tail(&after, p);
    part[2] = ref_connect(&after, p);
    part[3] = 0;
    for (int k = 0; k < 2; k++) part[3] += p[k].y <= 2 ? -30 : p[k].y <= 4 ? -15 : 0;
    return part[0] * 4.0 + part[1] * 0.3 + part[2] * 1.0 + part[3] * 1.5;
}

static bool ref_land(const grid *g, int x, int rotation, uint8_t pr, spot p[2])
{
    int h[6];
    for (int c = 0; c < 6; c++) {
        h[c] = 12;
        while (h[c] >= 0 && g->c[h[c]][c] != 0) h[c]--;
    }
    int side = x + (rotation == 1) - (rotation == 3);
    if (side < 0 || side > 5) return false;
    p[0] = (spot){x, h[x] - (rotation == 2), py_main(pr)};
    p[1] = (spot){side, h[side] - (rotation == 0), py_sub(pr)};
    return p[0].y >= 0 && p[1].y >= 0;
}

static void same_as_the_description(void **state)
{
    (void)state;
    rng r = rng_at(11, 0, 0);
    int compared = 0;
    for (int n = 0; n < 1500; n++) {
        py_field f = {{{0}}};
        int pairs = (int)rng_below(&r, 24);
        for (int i = 0; i < pairs; i++) { // half of them as advised, so that folds come up too
            uint8_t two[2];
            advice a;
            py_block(&r, 4, two);
            advisor_advise(&advisor_defaults, &f, two[0], 0, false, &a);
            if (a.n == 0) break;
            py_place(&f, a.best[rng_below(&r, 2) ? 0 : rng_below(&r, (uint32_t)a.n)].move, two[0]);
            py_links(&f);
        }
        if (advisor_phase_of(&advisor_defaults, &f) != PHASE_FOLD) continue;
        grid g;
        for (int y = 0; y < 13; y++)
            for (int x = 0; x < 6; x++) g.c[y][x] = py_get(&f, x, 13 - y);
        uint8_t two[2];
        py_block(&r, 4, two);
        advice a;
        advisor_advise(&advisor_defaults, &f, two[0], two[1], false, &a);
        for (int i = 0; i < a.n; i++) {
            const advisor_move *m = &a.best[i];
            double part[4], other[4], look = -INFINITY;
            spot p[2], q[2];
            assert_true(ref_land(&g, m->move / 4, m->move % 4, two[0], p));
            double total = ref_light(&g, p, part);
            grid after = g;
            for (int k = 0; k < 2; k++) after.c[p[k].y][p[k].x] = p[k].colour;
            for (int move = 0; move < 24; move++)
                if (ref_land(&after, move / 4, move % 4, two[1], q)) look = fmax(look, ref_light(&after, q, other));
            for (int k = 0; k < 4; k++)
                if (fabs(part[k] - m->score[k]) > 1e-9) {
                    char text[PY_FIELD_TEXT];
                    py_field_print(&f, text, sizeof text);
                    fail_msg("%s, pair %02x, move %d: %s is %g, the description says %g", text, two[0], m->move,
                             advisor_scorer_name[k], m->score[k], part[k]);
                }
            if (isfinite(look)) total += 0.4 * look;
            assert_float_equal(m->total, total, 1e-9);
            if (i > 0) assert_true(a.best[i - 1].total >= m->total);
            compared++;
        }
    }
    assert_true(compared > 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_examples),
        cmocka_unit_test(terms_of_the_original),
        cmocka_unit_test(fold_rules),
        cmocka_unit_test(tail_rules),
        cmocka_unit_test(connection_rules),
        cmocka_unit_test(heights_and_room),
        cmocka_unit_test(phases),
        cmocka_unit_test(constants_can_be_changed),
        cmocka_unit_test(same_as_the_description),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
