// See contrast_proof.h. Tiles change neither a threat nor its answers (ctr_threat), so steps alone decide: that is exact.
#include "search/contrast/contrast_proof.h"

#include "search/contrast/contrast_ab_inner.h"
#include "search/mcts/mcts.h"

// Could a draw come in between? A position takes four plies to come back, and tiles make it new.
static bool draw_near(const ctr_state *s)
{
    if (s->ply + 2 >= s->plies) return true;
    return s->repetition > 0 && s->ply + 2 >= s->repetition_from && s->quiet + 2 >= 4 * (s->repetition - 1);
}

static move_t step_onto_goal(const ctr_board *b)
{
    for (uint32_t p = b->pieces[b->side]; p != 0; p &= p - 1) {
        int from = __builtin_ctz(p);
        uint32_t to = ctr_targets(b, b->side, from) & CTR_GOAL(b->side);
        if (to != 0) return ctr_move(from, __builtin_ctz(to), 0);
    }
    return MOVE_NONE;
}

move_t ctr_proof_win(const ctr_state *s)
{
    if (ctr_threat(&s->b, s->b.side)) return step_onto_goal(&s->b);
    return draw_near(s) || ctr_threat(&s->b, !s->b.side) ? MOVE_NONE : ctr_ab_winning_threat(&s->b);
}

int ctr_prove(void *ctx, const void *state)
{
    (void)ctx;
    const ctr_state *s = state;
    if (ctr_proof_win(s) != MOVE_NONE) return MCTS_WIN;
    bool lost = ctr_threat(&s->b, !s->b.side) && !draw_near(s) && ctr_ab_helpless(&s->b);
    return lost ? MCTS_LOSS : MCTS_UNPROVEN;
}
