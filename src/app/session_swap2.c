// See session_swap2.h.
#include "app/session_swap2.h"

#include <string.h>

static const double EVEN = 0.03; // so near to a half two more stones are put

err swap2_check(const game *g)
{
    if (g->core == CORE_STONES) return ERR_OK;
    return err_set(ERR_USAGE, "swap2 is an opening rule of renju and gomoku, not of %s", g->name);
}

static const char *const words[] = {"white", "black", "two"};

const char *swap2_word(swap2_choice c)
{
    return words[c];
}

err swap2_read(const char *word, swap2_choice *out)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(words[i], word) == 0) {
            *out = (swap2_choice)i;
            return ERR_OK;
        }
    return err_set(ERR_USAGE, "'%.20s' is no choice: black, white or two", word);
}

err swap2_step_of(int stones, const swap2_choice *made, int n, swap2_step *out)
{
    bool two = n > 0 && made[0] == SWAP2_TWO;
    int all = two ? SWAP2_ALL : SWAP2_FIRST, chooser = two ? 0 : 1;
    if (n > 1 + two || (n == 2 && made[1] == SWAP2_TWO))
        return err_set(ERR_USAGE, "swap2 has one choice, or 'two' and one more");
    *out = (swap2_step){.kind = SWAP2_DONE, .player = chooser};
    if (n == 1 + two) {
        out->black = made[n - 1] == SWAP2_BLACK ? chooser : 1 - chooser;
    } else if (stones < all) {
        out->kind = SWAP2_PUT;
        out->player = 1 - chooser;
        out->left = all - stones;
    } else {
        out->kind = SWAP2_CHOOSE;
        out->two = !two;
    }
    return ERR_OK;
}

static err opinion(session *s, agent_choice *c)
{
    int n = 0;
    err e = session_analyse(s, 1, c, &n);
    return e == ERR_OK && n == 0 ? err_set(ERR_USAGE, "the agent has no move") : e;
}

static err put_three(session *s, const int at[6])
{
    err e = session_goto(s, 0);
    for (int k = 0; e == ERR_OK && k < SWAP2_FIRST; k++)
        e = session_play(s, (move_t)(at[2 * k + 1] * session_game(s)->cols + at[2 * k]), NULL);
    return e;
}

err swap2_open(session *s)
{
    // x and y of black, white, black; far from the middle, where a side is seldom lost at once
    static const int openings[][6] = {
        {4, 0, 7, 2, 9, 1},   {0, 6, 2, 9, 1, 4},  {13, 4, 10, 2, 14, 7},  {3, 13, 6, 12, 1, 10},
        {2, 2, 12, 12, 5, 1}, {7, 1, 12, 4, 4, 4}, {11, 13, 8, 11, 13, 9}, {1, 1, 4, 2, 2, 5},
    };
    int best = 0;
    double even = 2;
    err e = ERR_OK;
    for (int i = 0; e == ERR_OK && i < (int)(sizeof openings / sizeof *openings); i++) {
        agent_choice c;
        e = put_three(s, openings[i]);
        if (e == ERR_OK) e = opinion(s, &c);
        if (e != ERR_OK || c.value < 0) break;
        double off = c.value > 0.5f ? (double)c.value - 0.5 : 0.5 - (double)c.value;
        if (off >= even) continue;
        even = off;
        best = i;
    }
    if (e != ERR_OK) return e;
    e = session_goto(s, 0);
    while (e == ERR_OK && session_node_of(s, 0)->child != SESSION_NONE) // those that were only looked at
        e = session_delete(s, session_node_of(s, 0)->child);
    return e == ERR_OK ? put_three(s, openings[best]) : e;
}

err swap2_choose(session *s, int stones, swap2_choice *out, agent_choice *best)
{
    err e = opinion(s, best);
    if (e != ERR_OK) return e;
    double v = best->value < 0 ? 1 : (double)best->value;
    bool even = v > 0.5 - EVEN && v < 0.5 + EVEN;
    *out = even && stones == SWAP2_FIRST ? SWAP2_TWO : v < 0.5 ? SWAP2_BLACK : SWAP2_WHITE;
    return ERR_OK;
}

err swap2_two(session *s)
{
    err e = ERR_OK;
    for (int k = 0; e == ERR_OK && k < 2; k++) {
        agent_choice c;
        e = opinion(s, &c);
        if (e == ERR_OK) e = session_play(s, c.move, NULL);
    }
    return e;
}
