// Contrast's proofs against plain search through the game table: what is proven is so, and what is so within three plies is
// proven, except where a draw is near or a player runs out of moves.
#include "games/contrast/contrast.h"
#include "search/contrast/contrast_proof.h"
#include "search/mcts/mcts.h"
#include "test.h"

extern const game game_contrast;

static bool goals_only; // a player without a move is not counted as beaten

static bool won_for(const ctr_state *s, int seat)
{
    outcome o = game_contrast.result(s);
    return o.over && o.score[seat] > 0.75f && (!goals_only || s->reason == REASON_GOAL);
}

// Does the seat to move win within so many plies, whatever is answered?
static bool wins_within(const ctr_state *s, int plies)
{
    move_t mine[CTR_MAX_LEGAL], theirs[CTR_MAX_LEGAL];
    int n = game_contrast.legal(s, mine), seat = (int)s->b.side;
    for (int i = 0; i < n; i++) {
        ctr_state after = *s;
        ctr_state_play(&after, mine[i]);
        if (won_for(&after, seat)) return true;
        if (plies < 3 || after.reason != REASON_NONE) continue;
        int replies = game_contrast.legal(&after, theirs), k = 0;
        for (; k < replies; k++) {
            ctr_state then = after;
            ctr_state_play(&then, theirs[k]);
            if (!won_for(&then, seat) && (then.reason != REASON_NONE || !wins_within(&then, 1))) break;
        }
        if (k == replies) return true;
    }
    return false;
}

static bool loses_within_two(const ctr_state *s)
{
    move_t moves[CTR_MAX_LEGAL];
    int n = game_contrast.legal(s, moves), enemy = (int)!s->b.side;
    for (int i = 0; i < n; i++) {
        ctr_state after = *s;
        ctr_state_play(&after, moves[i]);
        if (!won_for(&after, enemy) && (after.reason != REASON_NONE || !wins_within(&after, 1))) return false;
    }
    return true;
}

// A proven win is won by the move named, a loss is lost, and nothing within three plies is overlooked but near a draw.
static void check(const char *options, bool draws, int most_moves, int wanted)
{
    int wins = 0, losses = 0;
    for (uint64_t i = 0; wins < wanted || losses < wanted; i++) {
        ctr_state s;
        rng r = rng_at(17, i, 0);
        assert_ok(game_contrast.init(&s, options, (game_key){17, i}));
        game_random_playout(&game_contrast, &s, &r, 8 + (int)(i % 60));
        if (s.reason != REASON_NONE || ctr_count(&s.b) > most_moves) continue;
        int proof = ctr_prove(NULL, &s);
        assert_true(proof != MCTS_WIN || wins_within(&s, 3));
        assert_true(proof != MCTS_LOSS || loses_within_two(&s));
        if (!draws && proof == MCTS_UNPROVEN) {
            goals_only = true;
            assert_false(wins_within(&s, 3) || loses_within_two(&s));
            goals_only = false;
        }
        wins += proof == MCTS_WIN;
        losses += proof == MCTS_LOSS;
        move_t m = ctr_proof_win(&s);
        assert_int_equal(m != MOVE_NONE, proof == MCTS_WIN);
        if (m == MOVE_NONE) continue;
        int seat = (int)s.b.side;
        ctr_state_play(&s, m);
        assert_true(won_for(&s, seat) || loses_within_two(&s));
    }
}

static void proofs_are_exact(void **state)
{
    (void)state;
    check("plies=250,repetition=0", false, 40, 60);
}

static void draws_are_never_taken_for_wins(void **state)
{
    (void)state;
    check("plies=40,repetition=2,repetition_from=0", true, 40, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proofs_are_exact),
        cmocka_unit_test(draws_are_never_taken_for_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
