// Sharing one search among threads: split points. Private to search/othello.
//
// A node whose first move has been searched offers the others: whoever takes a move searches it, and nobody else does. All
// threads start without work and take moves where the subtrees are largest; the thread whose node it is (its owner) takes
// them too. Without moves left the owner waits for those still at work, and meanwhile helps them, that is, only below its
// own node: elsewhere it could be kept longer than they need. A value that reaches beta ends the node: those at work below
// it find out by `over`, along the chain of split points above them.
//
// A thread's nodes become shallower from the root down, those that it helps with too, so that it has at most one split
// point of each depth.
#ifndef KEIKO_SEARCH_OTH_SPLIT_H
#define KEIKO_SEARCH_OTH_SPLIT_H

#include <stdatomic.h>
#include <stdbool.h>

enum { OTH_SPLITS = 64 }; // depths

struct oth_worker;
struct deep_kids;

typedef struct oth_root_move {
    int sq, score;
} oth_root_move;

typedef struct oth_node { // what its threads must know of it
    const struct deep_kids *kids;
    int n; // kids
    int alpha, beta, depth, sure;
    oth_root_move *root; // the root's moves: scores are written to it, and the best goes first. NULL: not the root
} oth_node;

typedef struct oth_split {
    _Alignas(64) _Atomic bool locked;
    _Atomic bool over;     // its value is known: leave
    _Atomic int best;      // the value so far; may be read without the lock
    _Atomic int inside;    // threads at work on it, without the owner
    int next, move;        // the first that nobody has taken, in the order of the kids; the best's square
    struct oth_worker *by; // the owner
    oth_node node;
    _Atomic(struct oth_split *) above; // what the owner works for; NULL
} oth_split;

void oth_split_open(oth_split *p, struct oth_worker *by, const oth_node *node, int next, int best, int move);
int oth_split_take(oth_split *p); // a move, by its place in the order of the kids; -1: none left
void oth_split_give(oth_split *p, int sq, int score);
void oth_split_end(oth_split *p); // no moves are given out any more

// A move to help with, anywhere or, if `under` is not NULL, below that point. NULL: there is none. What is found must be left.
oth_split *oth_split_find(struct oth_worker *s, const oth_split *under, int *at);
void oth_split_leave(oth_split *p, struct oth_worker *s);

#endif
