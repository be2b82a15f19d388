// labels: threads
// The Contrast engine: its value against plain minimax on the referee's own states, proofs, draws, limits, lines.
#include "search/contrast/contrast_ab.h"
#include "search/contrast/contrast_eval.h"
#include "search/contrast/contrast_rule.h"
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

static void expect_minimax(ctr_ab *e, const ctr_state *s, int depth)
{
    int expected = minimax(s, 0, depth), score = best(e, s, depth).score;
    if (score == expected) return;
    char text[GAME_TEXT];
    g->state_print(s, text, sizeof text);
    fail_msg("depth %d: %d, minimax says %d: %s", depth, score, expected, text);
}

// One table for all searches, which must not confuse them: depths up and down again, the same position without its past,
// and at another ply.
static void compare(const char *options, int games, int first_ply, int plies, uint64_t budget)
{
    ctr_ab *e = engine(true);
    int compared[4] = {0};
    for (int i = 0; i < games; i++) {
        ctr_state s = random_state((uint64_t)i, first_ply + i % plies, options), bare = s, late = s;
        ctr_state_at(&bare, s.b, s.ply);
        ctr_state_at(&late, s.b, s.ply + 2);
        int most = 0;
        while (most < 3 && ctr_perft(&s.b, most + 1) <= budget) {
            most++;
            expect_minimax(e, &s, most);
            compared[most]++;
        }
        for (int depth = most - 1; depth > 0; depth--) expect_minimax(e, &s, depth);
        if (most < 2) continue;
        expect_minimax(e, &bare, most);
        if (late.reason == REASON_NONE) expect_minimax(e, &late, most);
    }
    ctr_ab_free(e);
    printf("compared %d, %d, %d positions at depth 1, 2, 3\n", compared[1], compared[2], compared[3]);
    assert_true(compared[1] > games / 2 && compared[2] > games / 4 && compared[3] > games / 20);
}

static void same_value_as_minimax(void **state)
{
    (void)state;
    compare("", soak_or(60, 240), 4, 60, 60000);
}

// Short limits put both draw rules inside every search.
static void same_value_with_draws_in_sight(void **state)
{
    (void)state;
    const int games = soak_or(30, 200);
    compare("plies=42", games, 34, 6, 60000);
    compare("repetition=2,repetition_from=0", games, 20, 30, 60000);
    compare("repetition=2,repetition_from=31", games, 24, 8, 60000);
}

// Both players step forth and back: the past of a position decides which of its children are draws.
static bool step_and_back(ctr_state *s, move_t step[4])
{
    move_t moves[CTR_MAX_LEGAL];
    ctr_state after[5] = {*s};
    for (int ply = 0; ply < 4; ply++) {
        int n = g->legal(&after[ply], moves), found = -1;
        for (int i = 0; i < n && found < 0; i++) {
            if (ctr_tile(moves[i]) != 0) continue;
            if (ply >= 2 &&
                (ctr_from(moves[i]) != ctr_to(step[ply - 2]) || ctr_to(moves[i]) != ctr_from(step[ply - 2])))
                continue;
            after[ply + 1] = after[ply];
            g->play(&after[ply + 1], moves[i], NULL);
            if (after[ply + 1].reason == REASON_NONE) found = i;
        }
        if (found < 0) return false;
        step[ply] = moves[found];
    }
    return true;
}

static void same_value_with_a_past(void **state)
{
    (void)state;
    ctr_ab *e = engine(true);
    int compared = 0;
    for (uint64_t i = 0; i < 60 && compared < soak_or(60, 400); i++) {
        ctr_state s = random_state(i, 24 + (int)(i % 10), "repetition=3,repetition_from=0");
        move_t step[4];
        if (!step_and_back(&s, step)) continue;
        for (int ply = 0; ply < 7 && s.reason == REASON_NONE; ply++) {
            for (int depth = 1; depth <= 2 && ctr_perft(&s.b, depth) <= 4000; depth++) {
                expect_minimax(e, &s, depth);
                compared++;
            }
            g->play(&s, step[ply % 4], NULL);
        }
    }
    ctr_ab_free(e);
    printf("compared %d positions with a past\n", compared);
    assert_true(compared >= 40);
}

// --- proofs

// Can the mover force a win in at most n plies? By the referee alone; only a step that wins is tried last.
static bool forced(const ctr_state *s, int n)
{
    if (s->reason != REASON_NONE || n < 1) return false;
    if (can_win_at_once(&s->b, s->b.side)) return true;
    if (n < 3) return false;
    move_t moves[CTR_MAX_LEGAL], replies[CTR_MAX_LEGAL];
    int count = g->legal(s, moves);
    for (int i = 0; i < count; i++) {
        ctr_state c = *s;
        g->play(&c, moves[i], NULL);
        if (c.reason == REASON_STUCK) return true;
        if (c.reason != REASON_NONE || can_win_at_once(&c.b, c.b.side)) continue;
        if (n == 3 && !can_win_at_once(&c.b, s->b.side)) continue;
        int n_replies = g->legal(&c, replies), k = 0;
        for (; k < n_replies; k++) {
            ctr_state d = c;
            g->play(&d, replies[k], NULL);
            if (!forced(&d, n - 2)) break;
        }
        if (k == n_replies) return true;
    }
    return false;
}

static const struct {
    int plies; // to the end, for the side to move; negative: it loses
    const char *position;
} puzzles[] = {
    {1, "..222/..1../.2..1/.2..1/1.1.. d4b,e4b,a3b,d3b,e3g,b2b,d1g 0b0g/1b0g 2 17"},
    {1, "2222./.11.1/...../.12../1.... e4b,a3b,d3g,b2b,c2b,d2g 1b0g/1b0g 2 31"},
    {-2, "2222./1.1.1/...../.12../1.... e4b,a3b,d3g,b2b,c2b,d2g 1b0g/1b0g 1 30"},
    {-2, "..2../.2.2./2.1../11211/..... d5b,e5b,c3b,d3g,b2b,c2g,c1b 0b0g/1b0g 1 30"},
    {3, "2..../22.2./.12../111.1/..... c5g,d5b,d4b,a3b,c3b,a1b 0b0g/1b1g 2 15"},
    {3, "...2./.221./.2.2./.111./1.... a4b,c4b,e4b,a3b,e3g,b2b,e2g 1b0g/0b0g 1 18"},
    {-4, "..222/.2.1./...1./211../....1 b4g,c4b,d4b,b3b,c3b,b2g 0b0g/2b0g 1 20"},
    {-4, "2222./.11.1/..2../.1.../1.... e4b,a3b,d3g,b2b,c2b,d2g 1b0g/1b0g 1 28"},
    {5, "2...2/..22./12.../111../...1. b5g,a3b,b3g,e3b,a2b,b2b,c2b 1b0g/0b0g 1 12"},
    {5, "222../.1121/..2../.1.../1.... e4b,a3b,d3g,b2b,c2b,d2g 1b0g/1b0g 2 27"},
    {-6, "..222/.2.1./.2.1./1.1../....1 b4g,c4b,d4b,b3b,c3b,b2g 0b0g/2b0g 1 18"},
    {7, "..2../22.2./1.2../.1.1./.1..1 d4b,e4b,c3b,d3b,a2g,d2g 1b0g/1b0g 2 15"},
    {7, ".22.2/21.21/..1../.1.../1.... c5b,a4g,a3b,a2b,b2g,d1b 1b0g/1b0g 2 25"},
    {-8, "..2.2/.2.1./.1.2./...12/1..1. d5g,b4b,c4b,d4b,e3b,b2b,c2g 0b0g/1b0g 1 14"},
};

// The shorter ones against the solver above: won in so many plies, and not in fewer.
static void puzzles_are_what_they_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof puzzles / sizeof *puzzles; i++) {
        ctr_state s;
        int n = puzzles[i].plies;
        assert_ok(g->state_parse(puzzles[i].position, &s));
        if (n < 0 || n > 5) continue;
        assert_true(forced(&s, n));
        if (n > 1) assert_false(forced(&s, n - 2));
    }
}

static void puzzles_are_solved(void **state)
{
    (void)state;
    ctr_ab *plain = engine(true), *fast = engine(false);
    for (size_t i = 0; i < sizeof puzzles / sizeof *puzzles; i++) {
        ctr_state s;
        int n = abs(puzzles[i].plies);
        assert_ok(g->state_parse(puzzles[i].position, &s));
        int score = puzzles[i].plies > 0 ? CTR_MATE - n : n - CTR_MATE;
        // The last three plies of a win need no depth.
        ctr_line l = best(plain, &s, n <= 3 ? n : n - (puzzles[i].plies > 0 ? 3 : 4) + 1);
        assert_int_equal(l.score, score);
        assert_int_equal(l.length, n);
        for (int k = 0; k < n; k++) {
            assert_int_equal(s.reason, REASON_NONE);
            assert_true(ctr_legal(&s.b, l.moves[k]));
            ctr_state_play(&s, l.moves[k]);
        }
        assert_int_equal(s.reason, REASON_GOAL);
        assert_ok(g->state_parse(puzzles[i].position, &s));
        l = best(fast, &s, n + 5); // what is reduced or skipped near the leaves costs depth, but a proof is one
        assert_true(puzzles[i].plies > 0 ? l.score >= CTR_PROVEN : l.score <= -CTR_PROVEN);
    }
    ctr_ab_free(plain);
    ctr_ab_free(fast);
}

// A proof is a proof: in games between engines, whoever announces a win in n plies wins, and no later.
static void announced_wins_are_won(void **state)
{
    (void)state;
    ctr_ab *e = engine(false);
    int announced = 0;
    for (uint64_t i = 0; i < 60; i++) {
        ctr_state s = random_state(1000 + i, 6, "");
        int due[2] = {1000, 1000};
        while (s.reason == REASON_NONE) {
            ctr_line l = best(e, &s, 2 + (int)(i % 2));
            int seat = (int)s.b.side, end = s.ply + CTR_MATE - abs(l.score);
            if (l.score >= CTR_PROVEN && end < due[seat]) {
                announced += due[seat] == 1000;
                due[seat] = end;
            }
            ctr_state_play(&s, l.moves[0]);
            for (int k = 0; k < 2; k++)
                if (due[k] < 1000 && s.ply > due[k])
                    fail_msg("game %d: seat %d did not win by ply %d", (int)i, k, due[k]);
        }
        outcome o = g->result(&s);
        for (int k = 0; k < 2; k++)
            if (due[k] < 1000) assert_true(o.score[k] > 0.75f);
    }
    printf("%d wins announced\n", announced);
    assert_true(announced > 30);
    ctr_ab_free(e);
}

// --- draws

static void a_draw_by_the_ply_limit_saves_the_game(void **state)
{
    (void)state;
    // Lost in 4 plies, unless the game ends before.
    ctr_state s;
    ctr_ab *e = engine(false);
    assert_ok(g->state_parse("2222./.11.1/..2../.1.../1.... e4b,a3b,d3g,b2b,c2b,d2g 1b0g/1b0g 1 28 plies=32", &s));
    assert_int_equal(best(e, &s, 5).score, 4 - CTR_MATE);
    assert_ok(g->state_parse("2222./.11.1/..2../.1.../1.... e4b,a3b,d3g,b2b,c2b,d2g 1b0g/1b0g 1 28 plies=31", &s));
    assert_int_equal(best(e, &s, 5).score, 0); // the same table, another limit
    ctr_ab_free(e);
}

// --- what a search promises

static void the_same_search_twice_is_the_same(void **state)
{
    (void)state;
    ctr_ab *a = engine(false), *b = engine(false);
    ctr_state s = random_state(5, 6, "");
    ctr_line x[3], y[3];
    ctr_ab_limits limits = {.nodes = 20000};
    int n = ctr_ab_search(a, &s, &limits, 3, x);
    assert_int_equal(n, 3);
    assert_true(ctr_ab_nodes(a) >= 20000 && ctr_ab_nodes(a) < 20100);
    ctr_ab_search(b, &s, &limits, 1, y); // then forget it
    ctr_ab_forget(b);
    assert_int_equal(ctr_ab_search(b, &s, &limits, 3, y), n);
    for (int i = 0; i < n; i++) {
        assert_int_equal(x[i].score, y[i].score);
        assert_int_equal(x[i].length, y[i].length);
        assert_memory_equal(x[i].moves, y[i].moves, (size_t)x[i].length * sizeof(move_t));
    }
    assert_int_equal(ctr_ab_nodes(a), ctr_ab_nodes(b));
    ctr_ab_free(a);
    ctr_ab_free(b);
}

static void a_mirrored_position_is_worth_the_same(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 2000; i++) {
        ctr_state s = random_state(i, 2 + (int)(i % 30), "");
        ctr_board m = s.b;
        for (int k = 0; k < 2; k++) {
            m.pieces[k] = m.tiles[k] = 0;
            for (int sq = 0; sq < CTR_CELLS; sq++) {
                int other = sq + 4 - 2 * (sq % 5);
                m.pieces[k] |= (s.b.pieces[k] >> sq & 1) << other;
                m.tiles[k] |= (s.b.tiles[k] >> sq & 1) << other;
            }
        }
        assert_int_equal(ctr_eval(&s.b, ctr_weights), ctr_eval(&m, ctr_weights));
        // Turned round, with the seats exchanged, it is the same position, too.
        ctr_board u = {.side = !s.b.side, .hands = s.b.hands >> 16 | s.b.hands << 16};
        for (int sq = 0; sq < CTR_CELLS; sq++)
            for (int k = 0; k < 2; k++) {
                u.pieces[!k] |= (s.b.pieces[k] >> sq & 1) << (24 - sq);
                u.tiles[k] |= (s.b.tiles[k] >> sq & 1) << (24 - sq);
            }
        assert_int_equal(ctr_eval(&s.b, ctr_weights), ctr_eval(&u, ctr_weights));
    }
}

// Steps of the nearest piece to its goal row, found by walking all ways forwards: the evaluation floods backwards.
static int nearest_by_walking(const ctr_board *b, uint32_t seat)
{
    uint32_t at = b->pieces[seat], been = at;
    for (int k = 1; k < 7; k++) {
        uint32_t next = 0;
        for (uint32_t p = at; p != 0; p &= p - 1) {
            int sq = __builtin_ctz(p), x = sq % 5, y = sq / 5;
            bool black = b->tiles[CTR_BLACK] >> sq & 1, gray = b->tiles[CTR_GRAY] >> sq & 1;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    bool slant = dx != 0 && dy != 0, inside = x + dx >= 0 && x + dx < 5 && y + dy >= 0 && y + dy < 5;
                    if (inside && (slant ? black || gray : !black)) next |= 1u << ((y + dy) * 5 + x + dx);
                }
        }
        at = next & ~b->pieces[!seat] & ~been;
        been |= at;
        if (at & CTR_GOAL(seat)) return k;
    }
    return 7;
}

// The network's value from its description: every fact is asked of the board square by square.
static int value_by_the_book(const ctr_board *b, const int16_t *w)
{
    int sum = 0;
    for (int mirror = 0; mirror < 2; mirror++) {
        int unit[CTR_HIDDEN], n = 0, facts[CTR_TRUE];
        for (int row = 0; row < 5; row++)
            for (int column = 0; column < 5; column++) {
                int y = b->side == 0 ? row : 4 - row, x = (b->side == 1) != mirror ? 4 - column : column;
                int sq = y * 5 + x, place = row * 5 + column;
                bool mine = b->pieces[b->side] >> sq & 1, theirs = b->pieces[!b->side] >> sq & 1;
                int tile = b->tiles[CTR_BLACK] >> sq & 1 ? 1 : b->tiles[CTR_GRAY] >> sq & 1 ? 2 : 0;
                if (mine || theirs)
                    facts[n++] = CTR_F_PIECE + (theirs ? 75 : 0) + 25 * tile + place;
                else if (tile != 0)
                    facts[n++] = CTR_F_TILE + 25 * (tile - 1) + place;
            }
        for (uint32_t k = 0; k < 2; k++)
            facts[n++] =
                CTR_F_HAND + 8 * (int)k + 2 * CTR_HAND(b, b->side ^ k, CTR_BLACK) + CTR_HAND(b, b->side ^ k, CTR_GRAY);
        facts[n++] = CTR_F_RACE + 8 * nearest_by_walking(b, b->side) + nearest_by_walking(b, !b->side);
        for (int k = 0; k < CTR_HIDDEN; k++) {
            unit[k] = w[CTR_W_BIAS + k];
            for (int i = 0; i < n; i++) unit[k] += w[CTR_W_FACT + facts[i] * CTR_HIDDEN + k];
            unit[k] = unit[k] < 0 ? 0 : unit[k] > CTR_ONE ? CTR_ONE : unit[k];
            sum += unit[k] * unit[k] * w[CTR_W_OUT + k];
        }
    }
    int value = w[CTR_W_BASE] + sum / (CTR_ONE * CTR_ONE * CTR_OUT_ONE / CTR_LOGIT);
    return value > CTR_EVAL_MAX ? CTR_EVAL_MAX : value < -CTR_EVAL_MAX ? -CTR_EVAL_MAX : value;
}

static void the_value_is_the_networks(void **state)
{
    (void)state;
    int16_t extreme[CTR_WEIGHTS]; // as large as weights may be: the short integers of the evaluation must hold the sums
    rng r = rng_at(4, 5, 6);
    for (int k = 0; k < CTR_WEIGHTS; k++) {
        int most = k < CTR_W_OUT ? CTR_FACT_MAX : CTR_OUT_MAX;
        extreme[k] = (int16_t)(rng_below(&r, 2) == 0 ? most : -most);
    }
    for (int k = 0; k < CTR_HIDDEN; k++) extreme[CTR_W_OUT + k] = (int16_t)(k % 2 == 0 ? CTR_OUT_MAX : -CTR_OUT_MAX);
    for (uint64_t i = 0; i < 2000; i++) {
        ctr_state s = random_state(i, 2 + (int)(i % 30), "");
        assert_int_equal(ctr_eval(&s.b, ctr_weights), value_by_the_book(&s.b, ctr_weights));
        assert_int_equal(ctr_eval(&s.b, extreme), value_by_the_book(&s.b, extreme));
    }
    for (int k = 0; k < CTR_WEIGHTS; k++) {
        int most = k < CTR_W_OUT ? CTR_FACT_MAX : k < CTR_W_BASE ? CTR_OUT_MAX : CTR_EVAL_MAX;
        assert_in_range(ctr_weights[k] + most, 0, 2 * most);
    }
}

static void sums_follow_the_moves(void **state)
{
    (void)state;
    rng r = rng_at(7, 8, 9);
    for (uint64_t i = 0; i < 200; i++) {
        ctr_state s = random_state(i, 0, "");
        ctr_sums sums, next;
        ctr_sums_of(&s.b, ctr_weights, &sums);
        while (s.reason == REASON_NONE) {
            move_t all[CTR_MAX_LEGAL], m = all[rng_below(&r, (uint32_t)ctr_moves(&s.b, all))];
            ctr_board after = ctr_play(&s.b, m);
            ctr_sums_play(&sums, &s.b, m, ctr_weights, &next);
            assert_int_equal(ctr_eval_after(&sums, &s.b, m, &after, ctr_weights), ctr_eval(&after, ctr_weights));
            assert_int_equal(ctr_eval_sums(&next, &after, ctr_weights), ctr_eval(&after, ctr_weights));
            sums = next;
            ctr_state_play(&s, m);
        }
    }
}

static void threats_are_exact(void **state)
{
    (void)state;
    int yes = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        ctr_state s = random_state(i, 4 + (int)(i % 40), "");
        for (uint32_t seat = 0; seat < 2; seat++) {
            bool threat = can_win_at_once(&s.b, seat);
            yes += threat;
            assert_int_equal(ctr_threat(&s.b, seat), threat);
        }
    }
    assert_true(yes > 2000);
}

static void several_lines_are_the_best_moves_in_order(void **state)
{
    (void)state;
    ctr_ab *e = engine(true);
    for (uint64_t i = 0; i < 20; i++) {
        ctr_state s = random_state(i, 30, "");
        ctr_line lines[4];
        ctr_ab_limits limits = {.depth = 2};
        int n = ctr_ab_search(e, &s, &limits, 4, lines);
        move_t moves[CTR_MAX_LEGAL];
        int count = g->legal(&s, moves), better = 0;
        assert_int_equal(n, count < 4 ? count : 4);
        for (int k = 0; k < n; k++) {
            ctr_state c = s;
            g->play(&c, lines[k].moves[0], NULL);
            assert_int_equal(lines[k].score, -minimax(&c, 1, 1));
            if (k > 0) assert_true(lines[k].score <= lines[k - 1].score);
        }
        for (int k = 0; k < count; k++) {
            ctr_state c = s;
            g->play(&c, moves[k], NULL);
            better += -minimax(&c, 1, 1) > lines[n - 1].score;
        }
        assert_true(better < n);
    }
    ctr_ab_free(e);
}

// Threads share the table only: a proof stays a proof, and the choice is a legal one.
static void several_threads_find_the_same_win(void **state)
{
    (void)state;
    ctr_ab *one, *three;
    ctr_ab_options o = {.hash = 1 << 20, .threads = 3};
    assert_ok(ctr_ab_new(&three, &o));
    one = engine(false);
    int wins = 0;
    for (int i = 0; i < 60; i++) {
        ctr_state s;
        rng r = rng_at(77, (uint64_t)i, 0);
        assert_ok(g->init(&s, "", (game_key){1, 1}));
        if (game_random_playout(g, &s, &r, 24) < 24 || s.reason != REASON_NONE) continue;
        ctr_line a = best(one, &s, 3), b = best(three, &s, 3);
        assert_true(ctr_legal(&s.b, b.moves[0]));
        if (a.score >= CTR_PROVEN) assert_true(b.score >= CTR_PROVEN);
        wins += a.score >= CTR_PROVEN;
    }
    assert_true(wins > 3);
    ctr_ab_free(one);
    ctr_ab_free(three);
}

static void limits_are_kept(void **state)
{
    (void)state;
    ctr_ab *e = engine(false);
    ctr_state s;
    assert_ok(g->init(&s, "", (game_key){0, 0}));
    for (uint64_t nodes = 1; nodes < 3000; nodes = nodes * 2 + 1) {
        ctr_line l;
        ctr_ab_limits limits = {.nodes = nodes};
        assert_int_equal(ctr_ab_search(e, &s, &limits, 1, &l), 1);
        assert_true(ctr_legal(&s.b, l.moves[0]));
        assert_true(ctr_ab_nodes(e) <= nodes + 40);
    }
    ctr_line l;
    ctr_ab_limits limits = {.seconds = 0.05};
    assert_int_equal(ctr_ab_search(e, &s, &limits, 1, &l), 1);
    assert_true(l.depth >= 1);
    ctr_ab_free(e);
}

static void beats_the_rules(void **state)
{
    (void)state;
    ctr_ab *e = engine(false);
    float points = 0;
    for (int i = 0; i < 40; i++) {
        ctr_state s = random_state((uint64_t)(i / 2), 4, "");
        while (s.reason == REASON_NONE)
            ctr_state_play(&s, (int)s.b.side == i % 2 ? best(e, &s, 2).moves[0] : ctr_rule_move(&s.b));
        points += g->result(&s).score[i % 2];
    }
    printf("depth 2 against the rules: %.1f of 40\n", (double)points);
    assert_true(points >= 34);
    ctr_ab_free(e);
}

static void lines_in_words(void **state)
{
    (void)state;
    ctr_ab *e = engine(false);
    ctr_state s;
    char text[400];
    assert_ok(g->state_parse(puzzles[0].position, &s));
    ctr_line l = best(e, &s, 3);
    ctr_ab_print(&s, &l, text, sizeof text);
    assert_string_equal(text, "wins in 1: b3,b1");
    assert_true(ctr_ab_odds(l.score) > 0.999 && ctr_ab_odds(0) == 0.5 && ctr_ab_odds(-l.score) < 0.001);
    ctr_ab_free(e);
}

// However early it is stopped, whoever wants several lines has at least one, and each is legal and seen once.
static void stopped_at_once(void **state)
{
    (void)state;
    ctr_ab *e;
    ctr_line lines[32];
    assert_ok(ctr_ab_new(&e, &(ctr_ab_options){.hash = 1 << 20}));
    for (uint64_t nodes = 1; nodes < 3000; nodes += 1 + nodes / 4)
        for (uint32_t k = 0; k < 4; k++) {
            ctr_state s;
            move_t legal[CTR_MAX_LEGAL];
            rng r = rng_at(8, k, 0);
            assert_ok(g->init(&s, "", (game_key){0, 0}));
            game_random_playout(g, &s, &r, (int)k * 5);
            if (s.reason != REASON_NONE) continue;
            int n = ctr_ab_search(e, &s, &(ctr_ab_limits){.nodes = nodes}, 32, lines), n_legal = g->legal(&s, legal);
            assert_in_range(n, 1, 32);
            for (int i = 0; i < n; i++) {
                bool found = false;
                for (int m = 0; m < n_legal; m++) found = found || legal[m] == lines[i].moves[0];
                assert_true(found);
                for (int m = 0; m < i; m++) assert_int_not_equal(lines[m].moves[0], lines[i].moves[0]);
            }
            ctr_ab_forget(e);
        }
    ctr_ab_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_value_as_minimax),
        cmocka_unit_test(same_value_with_draws_in_sight),
        cmocka_unit_test(same_value_with_a_past),
        cmocka_unit_test(threats_are_exact),
        cmocka_unit_test(a_mirrored_position_is_worth_the_same),
        cmocka_unit_test(the_value_is_the_networks),
        cmocka_unit_test(sums_follow_the_moves),
        cmocka_unit_test(puzzles_are_what_they_say),
        cmocka_unit_test(puzzles_are_solved),
        cmocka_unit_test(announced_wins_are_won),
        cmocka_unit_test(a_draw_by_the_ply_limit_saves_the_game),
        cmocka_unit_test(the_same_search_twice_is_the_same),
        cmocka_unit_test(several_lines_are_the_best_moves_in_order),
        cmocka_unit_test(several_threads_find_the_same_win),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(stopped_at_once),
        cmocka_unit_test(beats_the_rules),
        cmocka_unit_test(lines_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
