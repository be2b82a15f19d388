// The Contrast engine: its value against plain minimax on the referee's own states, proofs, draws, limits, lines.
#include "search/contrast_ab.h"
#include "search/contrast_eval.h"
#include "search/contrast_rule.h"
#include "test.h"

extern const game game_contrast;
static const game *const g = &game_contrast;

static ctr_ab *engine(bool plain)
{
    ctr_ab *e;
    ctr_ab_options o = {.hash = 1 << 20, .plain = plain};
    assert_ok(ctr_ab_new(&e, &o));
    return e;
}

static ctr_line best(ctr_ab *e, const ctr_state *s, int depth)
{
    ctr_line l;
    ctr_ab_limits limits = {.depth = depth};
    assert_int_equal(ctr_ab_search(e, s, &limits, 1, &l), 1);
    return l;
}

// --- minimax, through the table, with nothing clever in it

static bool can_win_at_once(const ctr_board *b, uint32_t seat)
{
    for (int from = 0; from < CTR_CELLS; from++)
        if ((b->pieces[seat] >> from & 1) && (ctr_targets(b, seat, from) & CTR_GOAL(seat))) return true;
    return false;
}

static int over_value(const ctr_state *s, int height)
{
    outcome o = g->result(s);
    if (o.score[0] == o.score[1]) return 0;
    return o.score[s->b.side] > 0.5f ? CTR_MATE - height : height - CTR_MATE;
}

// May a position occur for the last time within two plies? Then leaves do not look for wins.
static bool may_repeat(const ctr_state *s)
{
    if (s->repetition == 0 || s->ply + 2 < s->repetition_from) return false;
    uint64_t seen[CTR_MAX_PLIES + 2];
    ctr_board b = s->b;
    int most = 0;
    for (int i = 0; i <= s->quiet; i++) {
        seen[i] = ctr_pieces_key(&b);
        if (i < s->quiet) b = ctr_unplay(&b, s->past[s->n_past - 1 - i]);
    }
    for (int i = 0; i <= s->quiet; i++) {
        int times = 0;
        for (int k = 0; k <= s->quiet; k++) times += seen[k] == seen[i];
        if (times > most) most = times;
    }
    return most + 1 >= s->repetition;
}

// Two plies in which nothing but a step onto the goal row may end the game, then that step: found by trying everything.
static bool wins_in_three(const ctr_state *s)
{
    move_t moves[CTR_MAX_LEGAL], replies[CTR_MAX_LEGAL];
    int n = g->legal(s, moves);
    for (int i = 0; i < n; i++) {
        ctr_state c = *s;
        if (ctr_tile(moves[i]) != 0) continue;
        g->play(&c, moves[i], NULL);
        if (c.reason != REASON_NONE || can_win_at_once(&c.b, c.b.side)) continue;
        if (!can_win_at_once(&c.b, s->b.side)) continue;
        int n_replies = g->legal(&c, replies), lost = 0;
        for (int k = 0; k < n_replies; k++) {
            ctr_state d = c;
            g->play(&d, replies[k], NULL);
            lost += d.reason == REASON_NONE && can_win_at_once(&d.b, d.b.side);
        }
        if (lost == n_replies) return true;
    }
    return false;
}

// Leaves as contrast_ab.h describes them: threats are followed by bare steps, a threat without answer wins, everything else
// is evaluated.
static int leaf(const ctr_state *s, int height, int left)
{
    if (s->reason != REASON_NONE) return over_value(s, height);
    if (can_win_at_once(&s->b, s->b.side)) return CTR_MATE - height - 1;
    if (left == 0) return ctr_eval(&s->b, ctr_weights);
    if (!can_win_at_once(&s->b, !s->b.side)) {
        bool clear = s->ply + 2 < s->plies && !may_repeat(s);
        return clear && wins_in_three(s) ? CTR_MATE - height - 3 : ctr_eval(&s->b, ctr_weights);
    }
    move_t moves[CTR_MAX_LEGAL];
    int n = g->legal(s, moves), most = INT16_MIN, survivors = 0;
    for (int i = 0; i < n; i++) {
        if (ctr_tile(moves[i]) != 0) continue;
        ctr_state c = *s;
        g->play(&c, moves[i], NULL);
        if (c.reason == REASON_NONE && can_win_at_once(&c.b, c.b.side)) continue;
        survivors++;
        int v = -leaf(&c, height + 1, left - 1);
        if (v > most) most = v;
    }
    if (survivors == 0) return height + 2 - CTR_MATE;
    bool tiles = CTR_HAND(&s->b, s->b.side, CTR_BLACK) + CTR_HAND(&s->b, s->b.side, CTR_GRAY) > 0;
    return tiles && most < -CTR_LIKELY ? -CTR_LIKELY : most;
}

static int minimax(const ctr_state *s, int height, int depth)
{
    if (s->reason != REASON_NONE) return over_value(s, height);
    if (depth == 0) return leaf(s, height, 8);
    move_t moves[CTR_MAX_LEGAL];
    int n = g->legal(s, moves), most = INT16_MIN;
    for (int i = 0; i < n; i++) {
        ctr_state c = *s;
        g->play(&c, moves[i], NULL);
        int v = -minimax(&c, height + 1, depth - 1);
        if (v > most) most = v;
    }
    return most;
}

static ctr_state random_state(uint64_t game_number, int plies, const char *options)
{
    ctr_state s;
    rng r = rng_at(11, game_number, 0);
    while (true) {
        assert_ok(g->init(&s, options, (game_key){0, 0}));
        if (game_random_playout(g, &s, &r, plies) == plies && s.reason == REASON_NONE) return s;
    }
}

static void compare(const char *options, int games, int first_ply, int plies, uint64_t budget)
{
    ctr_ab *e = engine(true);
    int compared[4] = {0};
    for (int i = 0; i < games; i++) {
        ctr_state s = random_state((uint64_t)i, first_ply + i % plies, options);
        for (int depth = 1; depth <= 3; depth++) {
            uint64_t leaves = ctr_perft(&s.b, depth);
            if (leaves > budget) break;
            int expected = minimax(&s, 0, depth);
            ctr_line l = best(e, &s, depth);
            if (l.score != expected) {
                char text[GAME_TEXT];
                g->state_print(&s, text, sizeof text);
                fail_msg("depth %d: %d, minimax says %d: %s", depth, l.score, expected, text);
            }
            compared[depth]++;
        }
    }
    ctr_ab_free(e);
    printf("compared %d, %d, %d positions at depth 1, 2, 3\n", compared[1], compared[2], compared[3]);
    assert_true(compared[1] > games / 2 && compared[2] > games / 4 && compared[3] > games / 20);
}

static void same_value_as_minimax(void **state)
{
    (void)state;
    compare("", 200, 4, 60, 60000);
}

// Short limits put both draw rules inside every search.
static void same_value_with_draws_in_sight(void **state)
{
    (void)state;
    compare("plies=42", 120, 34, 8, 60000);
    compare("repetition=2,repetition_from=0", 150, 20, 30, 60000);
    compare("repetition=2,repetition_from=31", 150, 24, 8, 60000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_value_as_minimax),
        cmocka_unit_test(same_value_with_draws_in_sight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
