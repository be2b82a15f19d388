// The rule-based Contrast player: seven rules, the first that applies decides. No search, no chance, no memory.
//
// It is the fixed opponent that ratings start from, so what it plays must never change by accident: the tests pin a game.
#ifndef KEIKO_SEARCH_CONTRAST_CONTRAST_RULE_H
#define KEIKO_SEARCH_CONTRAST_CONTRAST_RULE_H

#include "games/contrast/contrast.h"

typedef struct ctr_choice {
    move_t move;
    int rule;  // 1 … 7
    int score; // of the move under that rule; 0 for rules 1 and 2, which take the first move that serves
} ctr_choice;

ctr_choice ctr_rule_choose(const ctr_board *b); // b must have a legal move

static inline move_t ctr_rule_move(const ctr_board *b)
{
    return ctr_rule_choose(b).move;
}

#endif
