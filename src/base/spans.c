// See spans.h.
#include "base/spans.h"

#include <string.h>

static void remove_at(spans *s, int at, int n)
{
    size_t behind = (size_t)(s->n - at - n);
    memmove(s->from + at, s->from + at + n, behind * sizeof *s->from);
    memmove(s->to + at, s->to + at + n, behind * sizeof *s->to);
    s->n -= n;
}

static void let_oldest_go(spans *s)
{
    s->counted += s->to[0] - s->from[0];
    s->floor = s->to[0];
    s->let_go++;
    remove_at(s, 0, 1);
}

void spans_add(spans *s, double from, double to)
{
    if (s->let_go > 0 && from < s->floor) from = s->floor;
    if (!(to > from)) return;
    int at = s->n, end; // those from `at` to before `end` touch the new one; new ones mostly belong at the end
    while (at > 0 && s->to[at - 1] >= from) at--;
    for (end = at; end < s->n && s->from[end] <= to; end++) {
        if (s->from[end] < from) from = s->from[end];
        if (s->to[end] > to) to = s->to[end];
    }
    if (end > at) {
        remove_at(s, at + 1, end - at - 1);
    } else {
        if (s->n == SPANS_KEPT) {
            if (at == 0) { // older than all that are kept: it is the one to let go
                s->counted += to - from;
                s->floor = to;
                s->let_go++;
                return;
            }
            let_oldest_go(s);
            at--;
        }
        memmove(s->from + at + 1, s->from + at, (size_t)(s->n - at) * sizeof *s->from);
        memmove(s->to + at + 1, s->to + at, (size_t)(s->n - at) * sizeof *s->to);
        s->n++;
    }
    s->from[at] = from;
    s->to[at] = to;
}

double spans_covered(const spans *s)
{
    double sum = s->counted;
    for (int i = 0; i < s->n; i++) sum += s->to[i] - s->from[i];
    return sum;
}
