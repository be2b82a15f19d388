// Defences against a win by fours. See renju_stop.h.
#include "search/renju/renju_stop.h"

#include <string.h>

static bool legal(rj_board *b, int p)
{
    return b->stone[p] == RJ_EMPTY && (b->side != RJ_BLACK || rj_foul_at(b, p) == RJ_FINE);
}

static int only_five(const rj_board *b, int colour)
{
    uint16_t five[RJ_MAX_POINTS];
    return rj_points(b, colour, RJ_FIVE, RJ_FIVE, five) > 0 ? five[0] : -1;
}

// Plays the line's fours and whatever answers they force; the attacker moves first. *played more are on the board then;
// *foul: whether it wins hangs on what is a foul, so that a stone far from the line may matter.
static bool run_line(rj_board *b, const rj_line *line, int *played, bool *foul)
{
    int me = b->side;
    for (int i = 0; i < line->n; i += 2) {
        int p = line->move[i];
        if (b->stone[p] != RJ_EMPTY) return false;
        if (rj_class_at(b, me, p) == RJ_FIVE) return true;
        if (b->count[me ^ 1][RJ_FIVE] > 1 || !legal(b, p)) return false;
        *foul |= me == RJ_BLACK && rj_class_at(b, me, p) == RJ_DOUBTFUL;
        rj_play(b, p);
        ++*played;
        if (b->count[me ^ 1][RJ_FIVE] > 0 || b->count[me][RJ_FIVE] == 0) return false;
        if (b->count[me][RJ_FIVE] > 1) return true;
        int answer = only_five(b, me);
        if (!legal(b, answer)) return *foul = true;
        if (i + 2 >= line->n) return false;
        rj_play(b, answer);
        ++*played;
    }
    return false;
}

bool rj_line_holds(rj_board *b, const rj_line *line, int p)
{
    int played = 1;
    bool foul = false;
    rj_play(b, p);
    bool wins = run_line(b, line, &played, &foul);
    while (played-- > 0) rj_undo(b);
    return wins;
}

typedef struct marks {
    uint8_t seen[RJ_MAX_POINTS];
    uint16_t *out;
    int n;
} marks;

static void add(marks *m, rj_board *b, int p)
{
    if (m->seen[p]) return;
    m->seen[p] = 1;
    if (legal(b, p)) m->out[m->n++] = (uint16_t)p;
}

// The points of the line, and those that would complete its last four. True when it hangs on a foul.
static bool add_line(marks *m, rj_board *b, const rj_line *line)
{
    uint16_t five[RJ_MAX_POINTS];
    int played = 1;
    bool foul = false;
    rj_pass(b);
    int me = b->side;
    run_line(b, line, &played, &foul);
    int n = rj_points(b, me, RJ_FIVE, RJ_FIVE, five);
    while (played-- > 0) rj_undo(b);
    for (int i = 0; i < line->n; i++) add(m, b, line->move[i]);
    for (int i = 0; i < n; i++) add(m, b, five[i]);
    return foul;
}

// Stones that, with the answers of the line, make a four or more: on a line with an answer, and a row in the making.
static void add_helpers(marks *m, rj_board *b, const rj_line *line)
{
    const int size = rj_size(b), steps[RJ_DIRS] = {1, size, size + 1, 1 - size};
    for (int i = 1; i < line->n; i += 2)
        for (int d = 0; d < RJ_DIRS; d++)
            for (int sign = -1; sign <= 1; sign += 2) {
                int p = line->move[i], step = sign * steps[d];
                for (int k = 0; k < 4; k++) {
                    int x = p % size, next = p + step;
                    if (next < 0 || next >= b->points || next % size - x > 1 || x - next % size > 1) break;
                    p = next;
                    if (b->stone[p] == (b->side ^ 1)) break;
                    if (b->stone[p] != RJ_EMPTY || m->seen[p]) continue;
                    if (rj_pattern_at(b, b->side, d, p) >= RJ_P_TWO && !rj_line_holds(b, line, p)) add(m, b, p);
                }
            }
}

int rj_stops(rj_board *b, const rj_line *line, uint16_t *out)
{
    marks m = {.out = out};
    uint16_t four[RJ_MAX_POINTS];
    bool foul = add_line(&m, b, line);
    int n = rj_points(b, b->side, RJ_FOUR, RJ_FIVE, four);
    for (int i = 0; i < n; i++) {
        bool makes = rj_class_at(b, b->side, four[i]) != RJ_DOUBTFUL;
        for (int d = 0; d < RJ_DIRS; d++) makes |= rj_pattern_at(b, b->side, d, four[i]) >= RJ_P_FOUR;
        if (makes) add(&m, b, four[i]);
    }
    if (!foul) {
        add_helpers(&m, b, line);
        return m.n;
    }
    uint64_t near[RJ_MAX_WORDS];
    rj_near(b, 3, near);
    for (int p = 0; p < b->points; p++)
        if (near[p / 64] >> p % 64 & 1 && !m.seen[p] && !rj_line_holds(b, line, p)) add(&m, b, p);
    return m.n;
}
