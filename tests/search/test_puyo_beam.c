// labels: threads
// The evaluation against a naive one that drops puyos and counts groups cell by cell; every build of the inner loop against
// the others; the search's answers on small boards; and that neither threads nor lanes change what it chooses.
#include "base/clock.h"
#include "base/cpu.h"
#include "learn/tune/tune_puyo.h"
#include "search/puyo/puyo_beam_inner.h"
#include "test.h"

#include <math.h>

// --- a naive evaluation

static int group_at(const py_field *f, int col, int row, bool seen[PY_COLS][PY_GHOST + 1])
{
    static const int step[4][2] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}};
    int code = py_get(f, col, row), n = 1;
    seen[col][row] = true;
    for (int i = 0; i < 4; i++) {
        int c = col + step[i][0], r = row + step[i][1];
        if (c < 0 || c >= PY_COLS || r < 1 || r > PY_ROWS || seen[c][r] || py_get(f, c, r) != code) continue;
        n += group_at(f, c, r, seen);
    }
    return n;
}

static void count_groups(const py_field *f, int *pairs, int *threes)
{
    bool seen[PY_COLS][PY_GHOST + 1] = {{false}};
    *pairs = *threes = 0;
    for (int c = 0; c < PY_COLS; c++)
        for (int r = 1; r <= PY_ROWS; r++) {
            if (seen[c][r] || py_get(f, c, r) < PY_RED) continue;
            int n = group_at(f, c, r, seen);
            *pairs += n == 2;
            *threes += n == 3;
        }
}

static int naive_room(const int h[PY_COLS], int x)
{
    int room = 0;
    for (int way = -1; way <= 1; way += 2) {
        for (int c = x + way; c >= 0 && c < PY_COLS && h[c] <= h[x]; c += way) room++;
        for (int c = x + way; c >= 0 && c < PY_COLS && h[c] < h[x]; c += way) room++;
    }
    return room;
}

static int naive_surface(const int h[PY_COLS], const puyo_weights *w)
{
    int mean = (h[0] + h[1] + h[2] + h[3] + h[4] + h[5]) / 6, sum = 0;
    for (int c = 0; c < PY_COLS; c++) {
        sum += w->shape * abs(h[c] - mean - (c < 3 ? 1 : -1)) + (h[c] == PY_GHOST ? w->ghost : 0);
        int left = c > 0 ? h[c - 1] : 1000, right = c < 5 ? h[c + 1] : 1000, low = left < right ? left : right;
        if (h[c] < low) sum += w->well * (low - h[c]);
        if (c > 0 && c < 5 && h[c] > left && h[c] > right) sum += w->bump * (h[c] - (left > right ? left : right));
    }
    return sum;
}

static int naive_trigger(const py_field *f, const puyo_weights *w, const int h[PY_COLS], int col, int colour,
                         int *links)
{
    for (int k = 1; k <= 3 && h[col] + k <= PY_ROWS; k++) {
        py_field g = *f;
        int pairs, threes;
        for (int i = 1; i <= k; i++) py_set(&g, col, h[col] + i, colour);
        *links = py_chain(&g).links;
        if (*links == 0) continue;
        count_groups(&g, &pairs, &threes);
        return *links * w->chain + h[col] * w->height + k * w->key + naive_room(h, col) * w->room + pairs * w->rest2 +
               threes * w->rest3;
    }
    *links = 0;
    return 0;
}

static int naive_evaluate(const py_field *f, const puyo_weights *w, int colours, int *longest)
{
    int h[PY_COLS], best = 0, pairs, threes, nuisance = 0;
    bool any = false;
    py_heights(f, h);
    *longest = 0;
    for (int col = 0; col < PY_COLS; col++) {
        bool open = true; // every column on the way from the spawn must be 11 or lower
        for (int c = col; c != PY_SPAWN; c += col < PY_SPAWN ? 1 : -1) open &= h[c] < PY_ROWS;
        open &= h[PY_SPAWN] < PY_ROWS;
        for (int colour = PY_RED; open && colour < PY_RED + colours; colour++) {
            int links, score = naive_trigger(f, w, h, col, colour, &links);
            if (links < 2) continue;
            if (!any || score > best) best = score, *longest = links;
            any = true;
        }
    }
    count_groups(f, &pairs, &threes);
    for (int c = 0; c < PY_COLS; c++)
        for (int r = 1; r <= PY_GHOST; r++) nuisance += py_get(f, c, r) == PY_NUISANCE;
    return best + pairs * w->link2 + threes * w->link3 + nuisance * w->nuisance + naive_surface(h, w);
}

// A field as games have them: random placements, some nuisance, nothing left to pop.
static py_field random_field(rng *r, int colours)
{
    py_field f = {0};
    int n = 4 + (int)rng_below(r, 36);
    for (int i = 0; i < n; i++) {
        uint32_t a = rng_below(r, (uint32_t)colours), b = rng_below(r, (uint32_t)colours);
        uint8_t pair = py_pair(PY_RED + (int)a, PY_RED + (int)b);
        uint16_t moves[PY_MAX_LEGAL];
        int m = py_move_list(py_legal_mask(&f, pair, true, PY_LOSE_TSU), moves);
        if (m == 0) break;
        py_field before = f;
        py_place(&f, moves[rng_below(r, (uint32_t)m)], pair);
        if (rng_below(r, 16) == 0) py_nuisance_fall(&f, 1 + (int)rng_below(r, 6), r);
        py_chain(&f);
        if (!py_buried(&f, PY_LOSE_TSU)) continue;
        f = before; // the game would be over
        break;
    }
    return f;
}

static void evaluation_is_the_naive_one(void **state)
{
    (void)state;
    int with_chain = 0;
    for (int i = 0; i < 20000; i++) {
        rng r = rng_at(11, (uint64_t)i, 0);
        int colours = 3 + i % 3, longest;
        py_field f = random_field(&r, colours);
        int want = naive_evaluate(&f, &puyo_weights_default, colours, &longest);
        puyo_value first = {0};
        for (const beam_version *v = beam_versions(); v->name != NULL; v++) {
            if (!v->usable()) continue;
            puyo_value got = v->eval(&f, &puyo_weights_default, colours);
            if (got.score != want) {
                char text[PY_FIELD_TEXT];
                py_field_print(&f, text, sizeof text);
                fail_msg("%s, %s: %d, expected %d", v->name, text, got.score, want);
            }
            if (first.score == 0 && first.links == 0) first = got;
            assert_memory_equal(&got, &first, sizeof got);
        }
        with_chain += first.links >= 3;
    }
    assert_true(with_chain > 1000);
}

// --- a board worked out by hand: a red on column 2 pops four reds, and the green that falls makes four greens

#define TWO_LINKS "G...../R...../RG..../RGG..."

static void finds_the_trigger(void **state)
{
    (void)state;
    py_field f;
    assert_ok(py_field_parse(TWO_LINKS, &f));
    puyo_value v = puyo_evaluate(&f, &puyo_weights_default, 4);
    assert_int_equal(v.links, 2);
    assert_int_equal(v.column, 1);
    assert_int_equal(v.needs, 1);
    assert_int_equal(v.colour, PY_RED);
    py_field empty = {0};
    assert_int_equal(puyo_evaluate(&empty, &puyo_weights_default, 4).links, 0);
}

static void knows_what_can_be_fired(void **state)
{
    (void)state;
    py_field f;
    int links;
    assert_ok(py_field_parse(TWO_LINKS, &f));
    uint8_t now[2] = {py_pair(PY_RED, PY_BLUE), py_pair(PY_YELLOW, PY_YELLOW)};
    assert_int_equal(puyo_best_available(&f, now, 1, true, PY_LOSE_TSU, &links), 40 + 320);
    assert_int_equal(links, 2);
    uint8_t next[2] = {now[1], now[0]};
    assert_int_equal(puyo_best_available(&f, next, 1, true, PY_LOSE_TSU, &links), 0);
    assert_int_equal(links, 0);
    assert_int_equal(puyo_best_available(&f, next, 2, true, PY_LOSE_TSU, &links), 40 + 320);
    assert_int_equal(links, 2);
}

// --- the search

static puyo_beam_settings small(void)
{
    return (puyo_beam_settings){.width = 20,
                                .depth = 6,
                                .samples = 3,
                                .colours = 4,
                                .reach = true,
                                .lose = PY_LOSE_TSU,
                                .prune = 5000,
                                .patience = 95,
                                .full = PY_CELLS + 1,
                                .weights = puyo_weights_default};
}

static void fires_when_no_pair_is_left(void **state)
{
    (void)state;
    py_field f;
    puyo_beam_settings s = small();
    puyo_beam *b = puyo_beam_new(&s, NULL);
    uint8_t pair = py_pair(PY_RED, PY_BLUE);
    rng r = rng_at(1, 1, 1);
    puyo_beam_result got;
    assert_ok(py_field_parse(TWO_LINKS, &f));
    puyo_beam_search(b, &f, &pair, 1, 1, &r, &got);
    assert_int_equal(got.fires, 360);
    assert_true(got.value[got.move] == 360);
    puyo_beam_free(b);
}

static void same_result(const puyo_beam_result *a, const puyo_beam_result *b)
{
    assert_int_equal(a->move, b->move);
    assert_int_equal(a->nodes, b->nodes);
    assert_memory_equal(a->value, b->value, sizeof a->value);
}

static void threads_and_lanes_change_nothing(void **state)
{
    (void)state;
    static const char *const level[] = {"auto", "avx2", "scalar"};
    pool *p = pool_new(3);
    puyo_beam_settings s = small();
    for (int i = 0; i < 12; i++) {
        rng r = rng_at(5, (uint64_t)i, 0);
        py_field f = random_field(&r, 4);
        uint8_t seen[2] = {py_pair(PY_RED + i % 4, PY_RED + i / 4), py_pair(PY_GREEN, PY_BLUE)};
        puyo_beam_result first = {0};
        for (int k = 0; k < 6; k++) {
            if (cpu_limit(level[k / 2]) != ERR_OK) continue;
            puyo_beam_pick_version();
            puyo_beam *b = puyo_beam_new(&s, k % 2 ? p : NULL);
            rng draw = rng_at(6, (uint64_t)i, 0);
            puyo_beam_result got;
            puyo_beam_search(b, &f, seen, 2, 0, &draw, &got);
            if (k == 0) first = got;
            same_result(&got, &first);
            puyo_beam_free(b);
        }
    }
    assert_ok(cpu_limit("auto"));
    puyo_beam_pick_version();
    pool_free(p);
}

static void a_crowded_field_is_searched_more(void **state)
{
    (void)state;
    int held = 0;
    for (int i = 0; i < 40; i++) {
        rng r = rng_at(8, (uint64_t)i, 0);
        py_field f = random_field(&r, 4);
        uint8_t seen[2] = {py_pair(PY_RED + i % 4, PY_RED + i / 4 % 4), py_pair(PY_GREEN, PY_BLUE)};
        puyo_beam_settings s[3] = {small(), small(), small()};
        s[1].late = s[2].late = 9;
        s[1].full = py_count(&f) + 1;
        s[2].full = py_count(&f);
        s[2].grip = 1000000; // so much that nothing else counts
        puyo_beam_result got[3];
        for (int k = 0; k < 3; k++) {
            puyo_beam *b = puyo_beam_new(&s[k], NULL);
            rng draw = rng_at(9, (uint64_t)i, 0);
            puyo_beam_search(b, &f, seen, 2, 0, &draw, &got[k]);
            puyo_beam_free(b);
        }
        same_result(&got[1], &got[0]);
        if (got[2].move < 0) continue;
        assert_true(got[2].nodes > got[0].nodes);
        // The placement keeps the largest chain that both pairs can fire.
        int most = puyo_best_available(&f, seen, 2, true, PY_LOSE_TSU, NULL);
        py_field next = f;
        py_place(&next, got[2].move, seen[0]);
        int now = py_chain(&next).score, then = puyo_best_available(&next, seen + 1, 1, true, PY_LOSE_TSU, NULL);
        assert_int_equal(now > then ? now : then, most);
        held += most > 0;
    }
    assert_true(held > 10);
}

// In balanced futures every two pairs hold each colour, so red always comes. On a crowded field nobody may count on that:
// of four drawn puyos none is red in 81 of 256 futures.
static void a_crowded_field_counts_on_no_colour(void **state)
{
    (void)state;
    py_field f;
    uint8_t seen[2] = {py_pair(PY_GREEN, PY_GREEN), py_pair(PY_BLUE, PY_YELLOW)};
    double most[2] = {0, 0};
    assert_ok(py_field_parse(TWO_LINKS, &f));
    for (int crowded = 0; crowded < 2; crowded++) {
        puyo_beam_settings s = small();
        s.width = 200;
        s.depth = 4;
        s.samples = PUYO_BEAM_SAMPLES_MAX;
        s.full = crowded ? 0 : PY_CELLS + 1;
        puyo_beam *b = puyo_beam_new(&s, NULL);
        rng r = rng_at(3, 1, 4);
        puyo_beam_result got;
        puyo_beam_search(b, &f, seen, 2, 0, &r, &got);
        assert_int_equal(got.futures, PUYO_BEAM_SAMPLES_MAX);
        for (int m = 0; m < PY_MOVES; m++) most[crowded] = fmax(most[crowded], got.value[m]);
        puyo_beam_free(b);
    }
    assert_true(most[0] >= 360);
    assert_true(most[1] < 0.9 * most[0]);
}

static bool third_time(void *ctx)
{
    return ++*(int *)ctx >= 3;
}

static void can_be_stopped_and_timed(void **state)
{
    (void)state;
    py_field f = {0};
    uint8_t pair = py_pair(PY_RED, PY_BLUE);
    puyo_beam_settings s = small();
    pool *p = pool_new(3);
    for (int k = 0; k < 2; k++) { // would take minutes
        s.width = 20000;
        s.depth = PUYO_BEAM_DEPTH_MAX;
        s.samples = PUYO_BEAM_SAMPLES_MAX;
        puyo_beam *b = puyo_beam_new(&s, k == 0 ? NULL : p);
        int asked = 0;
        stop_ask stop = {third_time, &asked};
        puyo_beam_result got;
        rng r = rng_at(1, 1, 1);
        double start = clock_seconds();
        puyo_beam_limit(b, (puyo_beam_limits){.stop = &stop});
        puyo_beam_search(b, &f, &pair, 1, 0, &r, &got);
        assert_true(got.move >= 0 && got.futures >= 1 && got.futures <= 3);
        assert_true(asked >= 3 && clock_seconds() - start < 60);
        puyo_beam_free(b);
    }
    pool_free(p);
    s = small();
    puyo_beam *b = puyo_beam_new(&s, NULL);
    puyo_beam_result got;
    rng r = rng_at(1, 1, 1);
    puyo_beam_limit(b, (puyo_beam_limits){.seconds = 1e-9});
    puyo_beam_search(b, &f, &pair, 1, 0, &r, &got);
    assert_int_equal(got.futures, 1);
    puyo_beam_limit(b, (puyo_beam_limits){.seconds = 100}); // as many as are of use
    puyo_beam_search(b, &f, &pair, 1, 0, &r, &got);
    assert_true(got.futures > s.samples);
    puyo_beam_free(b);
}

static void no_way_out_is_said(void **state)
{
    (void)state;
    // Column 3 is 11 high and its neighbours are walls, so every placement of this pair fills row 12 of column 3.
    py_field f = {0};
    for (int c = 0; c < PY_COLS; c++)
        for (int r = 1; r <= (c == PY_SPAWN ? 11 : 13); r++) py_set(&f, c, r, PY_RED + (r + 2 * c) % 4);
    puyo_beam_settings s = small();
    puyo_beam *b = puyo_beam_new(&s, NULL);
    uint8_t pair = py_pair(PY_YELLOW, PY_YELLOW);
    rng r = rng_at(1, 1, 1);
    puyo_beam_result got;
    py_field still = f;
    assert_int_equal(py_chain(&still).links, 0);
    puyo_beam_search(b, &f, &pair, 1, 0, &r, &got);
    assert_int_equal(got.move, -1);
    puyo_beam_free(b);
}

// --- building and tuning

static tune_puyo tiny(void)
{
    puyo_beam_settings s = small();
    s.width = 12;
    s.samples = 1;
    return (tune_puyo){
        .search = s, .visible = 2, .moves = 40, .games = 2, .rounds = 2, .seed = 3, .spread = 0.2, .rate = 0.1};
}

static void builds_large_chains(void **state)
{
    (void)state;
    tune_puyo t = tiny();
    t.moves = 50;
    double mean = tune_puyo_measure(&t, &puyo_weights_default, 1, 4, NULL);
    if (mean < 40000) fail_msg("four games of a small beam: %.0f points, expected 40,000 or more", mean);
    puyo_weights none = {.chain = 0};
    assert_true(tune_puyo_measure(&t, &none, 1, 4, NULL) < mean / 2); // it is the evaluation that builds
}

static bool keep(void *ctx, const tune_puyo_round *r)
{
    tune_puyo_round *out = ctx;
    out[r->round] = *r;
    return true;
}

static void tuning_can_be_repeated_and_resumed(void **state)
{
    (void)state;
    tune_puyo_round once[2], again[2], rest[2];
    double from[TUNE_PUYO_WEIGHTS];
    int i = 0;
    pool *p = pool_new(3);
#define W(name, preset, help) from[i++] = preset;
    PUYO_WEIGHTS(W)
#undef W
    tune_puyo t = tiny();
    assert_ok(tune_puyo_run(&t, from, NULL, keep, once));
    assert_ok(tune_puyo_run(&t, from, p, keep, again));
    assert_memory_equal(once, again, sizeof once);
    t.first = 1;
    assert_ok(tune_puyo_run(&t, once[0].weight, p, keep, rest));
    assert_memory_equal(once[1].weight, rest[1].weight, sizeof rest[1].weight);
    assert_true(once[0].weight[0] == from[0]); // `chain` is the unit
    assert_memory_not_equal(once[1].weight, from, sizeof from);
    pool_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluation_is_the_naive_one),
        cmocka_unit_test(finds_the_trigger),
        cmocka_unit_test(knows_what_can_be_fired),
        cmocka_unit_test(fires_when_no_pair_is_left),
        cmocka_unit_test(threads_and_lanes_change_nothing),
        cmocka_unit_test(a_crowded_field_is_searched_more),
        cmocka_unit_test(a_crowded_field_counts_on_no_colour),
        cmocka_unit_test(can_be_stopped_and_timed),
        cmocka_unit_test(no_way_out_is_said),
        cmocka_unit_test(builds_large_chains),
        cmocka_unit_test(tuning_can_be_repeated_and_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
