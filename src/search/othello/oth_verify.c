// Othello problems against their known answers. See oth_verify.h.
#include "search/othello/oth_verify.h"

#include <stdio.h>

static int sign(int v)
{
    return (v > 0) - (v < 0);
}

const char *oth_score_text(int score, bool wld, char buf[OTH_SCORE_TEXT])
{
    static const char *const words[] = {"loss", "draw", "win"};
    if (wld)
        snprintf(buf, OTH_SCORE_TEXT, "%s", words[sign(score) + 1]);
    else
        snprintf(buf, OTH_SCORE_TEXT, "%+d", score);
    return buf;
}

bool oth_verify(const oth_problem *p, const oth_found *f, bool wld, char *why, size_t n)
{
    char name[5], other[5];
    if (p->n == 0) return true;
    if (f->n == 0 || !f->solved) {
        snprintf(why, n, "not solved");
        return false;
    }
    const oth_scored *top = &p->moves[0];
    for (int i = 1; i < p->n; i++)
        if (p->moves[i].score > top->score) top = &p->moves[i];
    int best = f->move[0].score;
    if (wld ? sign(best) != sign(top->score) : best != top->score) {
        char found[OTH_SCORE_TEXT];
        snprintf(why, n, "%s %s, but %s %+d is listed", oth_square_name(f->move[0].sq, name),
                 oth_score_text(best, wld, found), oth_square_name(top->sq, other), top->score);
        return false;
    }
    for (int i = 0; i < f->n && !wld; i++)
        for (int k = 0; k < p->n; k++)
            if (p->moves[k].sq == f->move[i].sq && p->moves[k].score != f->move[i].score) {
                snprintf(why, n, "%s %+d, but %+d is listed for it", oth_square_name(f->move[i].sq, name),
                         f->move[i].score, p->moves[k].score);
                return false;
            }
    return true;
}
