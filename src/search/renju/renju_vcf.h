// Victory by continuous fours, in renju and gomoku.
//
// Every move of the attacker makes a four, so the defender has one answer: the point that stops the five. The search is
// therefore not a tree of two players but a walk of one, and its first success is final. Deepened one move at a time,
// that success is also the shortest. In renju black may not use a foul, and white wins where black's only answer is one.
#ifndef KEIKO_SEARCH_RENJU_RENJU_VCF_H
#define KEIKO_SEARCH_RENJU_RENJU_VCF_H

#include "games/renju/renju.h"

enum { RJ_VCF_MAX = 127 }; // moves of the attacker

typedef struct rj_vcf rj_vcf; // a table of what was refuted; one for each thread

typedef enum rj_vcf_verdict {
    RJ_VCF_NONE,    // there is no such win (or none within `moves`)
    RJ_VCF_WIN,     // there is
    RJ_VCF_UNKNOWN, // the nodes ran out
} rj_vcf_verdict;

typedef struct rj_vcf_limits {
    int moves;      // of the attacker; 0 = RJ_VCF_MAX
    uint64_t nodes; // moves tried; 0 = no limit
    bool any;       // the first win found will do: much faster where wins are long
    bool lean;      // only fours that build something besides: misses few wins, at a fraction of the cost. Use a table
                    // of its own: what it refutes may be won
} rj_vcf_limits;

// A line of play, attacker first. It ends with the move that cannot be answered: two ways to five, a four whose one
// answer is a foul, or a five.
typedef struct rj_line {
    int length; // moves of the attacker; 0 = none
    int n;      // of both
    uint64_t nodes;
    bool shortest; // no shorter one exists
    uint16_t move[2 * RJ_VCF_MAX + 2];
} rj_line;

err rj_vcf_new(rj_vcf **out, int hash); // 2^hash entries of 16 bytes; caller frees with rj_vcf_free
void rj_vcf_free(rj_vcf *v);            // NULL is fine
void rj_vcf_forget(rj_vcf *v);          // what was learned; needed when the rule or the size changes

// The side to move attacks. The board comes back as it was. `out` may be NULL.
rj_vcf_verdict rj_vcf_solve(rj_vcf *v, rj_board *b, const rj_vcf_limits *l, rj_line *out);

#endif
