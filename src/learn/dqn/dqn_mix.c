// Lists of players with shares. See dqn_train.h.
#include "learn/dqn/dqn_train.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

err dqn_mix_parse(const char *text, const char *what, dqn_mix *out)
{
    dqn_mix m = {0};
    *out = m;
    double share[DQN_MIX], total = 0;
    for (const char *at = text; *at != 0;) {
        size_t len = strcspn(at, ";");
        char *end;
        double x = strtod(at, &end);
        while (isspace((unsigned char)*end)) end++;
        size_t name = (size_t)(at + len - end);
        if (end >= at + len || end == at || !(x > 0) || !isfinite(x) || name >= sizeof m.name[0])
            return err_set(ERR_USAGE, "%s: '%.*s': expected a share and a player, as in '20 greedy'", what, (int)len,
                           at);
        if (m.n == DQN_MIX) return err_set(ERR_USAGE, "%s: at most %d players", what, DQN_MIX);
        while (name > 0 && isspace((unsigned char)end[name - 1])) name--;
        memcpy(m.name[m.n], end, name);
        share[m.n++] = x;
        total += x;
        at += len + (at[len] == ';');
    }
    for (int i = 0; i < m.n; i++) m.upto[i] = (i > 0 ? m.upto[i - 1] : 0) + share[i] / total;
    if (m.n > 0) m.upto[m.n - 1] = 1;
    *out = m;
    return ERR_OK;
}

int dqn_mix_at(const dqn_mix *m, double share)
{
    int i = 0;
    while (i + 1 < m->n && share >= m->upto[i]) i++;
    return i;
}
